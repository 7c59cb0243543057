//! `/api/v2/library/manual-entry`: shelf entries, games without a file.

use super::{
    call::{Answer, Call, ok},
    route::{GAME_REF, Handler, Holds, Param, Route, required},
    services::Writer,
};
use crate::{
    base::{Moment, schema::schema},
    game::shelf,
};

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
        .returns::<EntryCreated>(),
    Route::post("/api/v2/library/manual-entry/update", Handler::Write(update_entry))
        .about("shelf", "Changes a game that has no file.")
        .since("1.10")
        .body(&UPDATE)
        .returns::<EntryUpdated>(),
    Route::post("/api/v2/library/manual-entry/convert", Handler::Write(convert_entry))
        .about("shelf", "Sets the file of a shelf entry.")
        .since("1.10")
        .body(&CONVERT)
        .returns::<EntryConverted>(),
];

schema! {
    /// A shelf entry was added.
    struct EntryCreated {
        game_id: String,
        name: String,
        ok: bool,
    }

    /// A shelf entry was changed.
    struct EntryUpdated {
        game_id: String,
        /// Always true.
        manual_entry: bool,
        ok: bool,
    }

    /// A shelf entry has a file.
    struct EntryConverted {
        game_id: String,
        ok: bool,
        /// Always true.
        playable: bool,
    }
}

fn create_entry(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_object("game")?;
    let (saved, name) = writer
        .with_paths(|paths| shelf::create_entry(writer.store, paths, game, &Moment::now()))?;
    ok(&EntryCreated { game_id: saved.game_id, name, ok: true })
}

fn update_entry(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (target, game) = (call.required_game()?, call.required_object("game")?);
    let saved = writer.with_paths(|paths| {
        shelf::update_entry(writer.store, paths, &target, game, &Moment::now())
    })?;
    ok(&EntryUpdated { game_id: saved.game_id, manual_entry: true, ok: true })
}

fn convert_entry(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let target = call.required_game()?;
    let path = call.required("path")?;
    let saved =
        writer.with_paths(|paths| shelf::convert_entry(writer.store, paths, &target, path))?;
    ok(&EntryConverted { game_id: saved.game_id, ok: true, playable: true })
}
