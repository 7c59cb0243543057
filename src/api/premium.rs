//! Interface words, media packs, platform categories and the big screen (Document 2).

use serde_json::json;

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    config::{
        catalogues,
        settings::{categories, read},
    },
    library::packs,
};

const LOCALE: [Param; 1] = [optional(
    "locale",
    Holds::Text,
    "A locale such as `de` or `de-AT`; the chosen one when it is missing, English when unknown.",
)];
const PACK: [Param; 1] = [required("id", Holds::Text, "Id of the pack.")];
const MODE: [Param; 1] = [optional("entering", Holds::Flag, "Whether the big screen is entered.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/premium/strings", Handler::Read(list_strings))
        .about("settings", "The interface words of a locale.")
        .query(&LOCALE)
        .reply(&["locale", "strings"]),
    Route::get("/api/premium/media-packs", Handler::Read(list_packs))
        .about("settings", "The bundled media packs, and which of them are active.")
        .reply(&["packs"])
        .v1(),
    Route::post("/api/premium/media-packs/apply", Handler::Write(apply_pack))
        .about("settings", "Turns a media pack on, and answers it with the settings.")
        .body(&PACK)
        .reply(&["pack", "settings"])
        .v1(),
    Route::get("/api/premium/platform-categories", Handler::Read(list_categories))
        .about("settings", "The category of every known platform, with the user's own choices.")
        .reply(&["categories"]),
    Route::post("/api/bigscreen/mode", Handler::Write(change_mode))
        .about("settings", "Says that the big screen is entered or left; entering runs commands.")
        .body(&MODE)
        .reply(&["ok", "entering"])
        .v1(),
];

fn list_strings(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let asked = call.query("locale").unwrap_or_default().trim().to_owned();
    let chosen = || read::text(reader.state.settings(), "locale");
    let tag = if asked.is_empty() { chosen() } else { asked };
    ok(&json!({"locale": catalogues::locale_of(&tag), "strings": catalogues::strings(&tag)}))
}

fn list_packs(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let active = read::texts(reader.state.settings(), "active_media_packs");
    ok(&json!({"packs": catalogues::media_packs(&active)}))
}

fn apply_pack(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.text("id");
    let pack = writer.store.commit(|draft| packs::apply(draft, id))?;
    let state = writer.store.snapshot()?;
    ok(&json!({"pack": pack, "settings": writer.shared.public_settings(&state)}))
}

fn list_categories(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&json!({"categories": categories::merged(reader.state.settings())}))
}

/// Games and desktop programs may be in the way of the big screen; leaving it brings nothing back.
fn change_mode(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let entering = call.flag("entering")?;
    if entering {
        writer.shared.sessions.run_commands("bigscreen_shutdown_commands");
    }
    ok(&json!({"ok": true, "entering": entering}))
}
