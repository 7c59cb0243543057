//! `/api/v2/library/manual-entry`: shelf entries, games without a file.

use serde_json::json;

use super::{
    call::{Answer, Call, ok},
    route::{GAME_REF, Handler, Holds, Param, Route, required},
    services::Writer,
};
use crate::{base::clock::Moment, game::shelf};

const UPDATE: [Param; 3] =
    [GAME_REF[0], GAME_REF[1], required("game", Holds::Object, "The fields to change.")];
const CONVERT: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    required("path", Holds::Text, "The file that is played.")
        .refusal("path is required to convert a shelf entry."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/library/manual-entry", Handler::Write(create_entry))
        .about("shelf", "Adds a game that has no file.")
        .since("1.10")
        .body(&[required("game", Holds::Object, "Its fields; the name is required.")])
        .reply(&["ok", "name", "game_id"]),
    Route::post("/api/v2/library/manual-entry/update", Handler::Write(update_entry))
        .about("shelf", "Changes a game that has no file.")
        .since("1.10")
        .body(&UPDATE)
        .reply(&["ok", "game_id", "manual_entry"]),
    Route::post("/api/v2/library/manual-entry/convert", Handler::Write(convert_entry))
        .about("shelf", "Gives a shelf entry its file.")
        .since("1.10")
        .body(&CONVERT)
        .reply(&["ok", "game_id", "playable"]),
];

fn create_entry(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_object("game")?;
    let (saved, name) = writer
        .shared
        .with_paths(|paths| shelf::create_entry(writer.store, paths, game, &Moment::now()))?;
    ok(&json!({"ok": true, "name": name, "game_id": saved.game_id}))
}

fn update_entry(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (target, game) = (call.required_game()?, call.required_object("game")?);
    let saved = writer.shared.with_paths(|paths| {
        shelf::update_entry(writer.store, paths, &target, game, &Moment::now())
    })?;
    ok(&json!({"ok": true, "game_id": saved.game_id, "manual_entry": true}))
}

fn convert_entry(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let target = call.required_game()?;
    let path = call.required("path")?;
    let saved = writer
        .shared
        .with_paths(|paths| shelf::convert_entry(writer.store, paths, &target, path))?;
    ok(&json!({"ok": true, "game_id": saved.game_id, "playable": true}))
}
