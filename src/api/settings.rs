//! `GET` and `POST /api/settings`.

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, ok},
    kiosk,
    route::{Handler, Route},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::schema::{Schema, Type},
    config::settings::describe,
    model::State,
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/settings", Handler::Read(show_settings))
        .about("settings", "Every public setting with its value; secrets appear as booleans.")
        .returns::<Settings>()
        .v1(),
    Route::post("/api/settings", Handler::Write(save_settings))
        .about(
            "settings",
            "Applies the posted settings over the stored ones; one bad value refuses all.",
        )
        .returns::<Settings>()
        .v1(),
];

/// The settings that a client may see; what they hold is in the table of settings.
#[derive(Serialize)]
pub(super) struct Settings(Map<String, Value>);

impl Schema for Settings {
    const SCHEMA: &'static Type =
        &Type::Table { name: "Settings", schema: describe::public_schema };
}

impl Settings {
    /// The settings of a state.
    pub(super) fn of(shared: &Shared, state: &State) -> Self {
        Self(shared.settings.public(state))
    }
}

fn show_settings(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&Settings::of(reader.shared, &reader.state))
}

fn save_settings(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let dropped = writer.shared.settings.save(writer.store, &call.body)?;
    if !dropped.is_empty() {
        log::info!("{} unknown settings dropped: {}", call.request.id, dropped.join(", "));
    }
    if call.body.get("museum_kiosk_enabled") == Some(&Value::Bool(true)) {
        writer.shared.kiosk.unlock(&kiosk::session_of(call.request));
    }
    let state = writer.store.snapshot()?;
    ok(&Settings::of(writer.shared, &state))
}
