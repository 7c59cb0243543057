//! `GET` and `POST /api/settings`.

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Route},
    services::{Reader, Writer},
};
use crate::config::settings::validate;

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/settings", Handler::Read(show_settings))
        .about("settings", "Every public setting with its value; secrets appear as booleans.")
        .reply(&["locale", "safe_mode", "version"])
        .v1(),
    Route::post("/api/settings", Handler::Write(save_settings))
        .about(
            "settings",
            "Lays the posted settings over the stored ones; one bad value refuses all.",
        )
        .reply(&["locale", "safe_mode", "version"])
        .v1(),
];

fn show_settings(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.public_settings(&reader.state))
}

/// Directories are looked up before the commit; the closure only lays the values over.
fn save_settings(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let stored = writer.store.snapshot()?;
    let save =
        validate::validate_posted(&call.body, stored.settings(), &writer.shared.environment)?;
    if !save.dropped.is_empty() {
        log::info!("{} unknown settings dropped: {}", call.request.id, save.dropped.join(", "));
    }
    writer.store.commit(|draft| {
        draft.merge_section("settings", save.changes, &[]);
        Ok::<(), ApiError>(())
    })?;
    let state = writer.store.snapshot()?;
    ok(&writer.shared.public_settings(&state))
}
