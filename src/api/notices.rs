//! `GET` and `POST /api/notifications`.

use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    model::State,
    notices::{list, notice::Notice},
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/notifications", Handler::Read(list_notices))
        .about("notifications", "Every notice, newest first.")
        .returns::<NoticeList>()
        .v1(),
    Route::post("/api/notifications", Handler::Write(change_notices))
        .about("notifications", "Marks notices as read, or clears them.")
        .body(&[
            optional(
                "action",
                Holds::Choice(&["list", "read", "clear"]),
                "What to do; list when it is missing.",
            ),
            optional("ids", Holds::List, "Which notices; all of them when it is empty."),
        ])
        .returns::<NoticeList>()
        .v1(),
];

fn list_notices(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&shown(&reader.state))
}

schema! {
    /// `/api/notifications`.
    struct NoticeList {
        /// Newest first.
        notifications: Vec<Notice>,
        /// The number of unread ones.
        unread: usize,
    }
}

fn shown(state: &State) -> NoticeList {
    let notifications = state.rows::<Notice>();
    let unread = notifications.iter().filter(|notice| !notice.read).count();
    NoticeList { notifications, unread }
}

fn change_notices(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let change = match call.action() {
        Some("list") => return ok(&shown(&*writer.store.snapshot()?)),
        Some("read") => list::read_notices,
        Some("clear") => list::clear_notices,
        _ => return Err(ApiError::bad("Unknown notification action.")),
    };
    let ids = call.list("ids")?.unwrap_or_default();
    let ids: Vec<String> = ids.iter().filter_map(Value::as_str).map(str::to_owned).collect();
    change(writer.store, &ids)?;
    ok(&shown(&*writer.store.snapshot()?))
}
