//! `GET` and `POST /api/notifications`.

use serde_json::{Value, json};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    model::{draft::Draft, state::State},
    notices::{list, notice::Notice},
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/notifications", Handler::Read(list_notices))
        .about("notifications", "Every notice, newest first.")
        .reply(&["notifications", "unread"])
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
        .reply(&["notifications", "unread"])
        .v1(),
];

fn list_notices(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&shown(&reader.state))
}

fn shown(state: &State) -> Value {
    let notices = state.rows::<Notice>();
    let unread = notices.iter().filter(|notice| !notice.read).count();
    json!({"notifications": notices, "unread": unread})
}

fn change_notices(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let change: fn(&mut Draft, &[String]) = match call.action() {
        Some("list") => return ok(&shown(&*writer.store.snapshot()?)),
        Some("read") => list::mark_read,
        Some("clear") => list::clear,
        _ => return Err(ApiError::bad("Unknown notification action.")),
    };
    let ids = match call.key("ids") {
        None | Some(Value::Null) => Vec::new(),
        Some(Value::Array(ids)) => {
            ids.iter().filter_map(Value::as_str).map(str::to_owned).collect()
        }
        Some(_) => return Err(ApiError::bad("ids must be a list.")),
    };
    let shown = writer.store.commit(|draft| {
        change(draft, &ids);
        Ok::<_, ApiError>(shown(draft.state()))
    })?;
    ok(&shown)
}
