//! What the player records about one game: progress, rating, notes and manual playtime
//! (`/api/v2/library/progress`, `rating`, `notes` and `playtime`).

use serde_json::json;

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::Writer,
};
use crate::{
    base::limits,
    game::{
        edit::EditError,
        notes,
        playtime::{self, Entry},
        progress,
        reference::GameRef,
    },
    model::{draft::Draft, fields::PROGRESS as VALUES},
};

const SINCE: &str = "1.7.0";
const INDEX: Param =
    required("index", Holds::Integer { min: 0, max: i64::MAX }, "Which entry of the list.")
        .passed();
const TEXT: Param = required("text", Holds::Text, "The note, at most 2,000 characters.");
const SECONDS: Param = required(
    "seconds",
    Holds::Integer { min: 1, max: limits::MANUAL_SECONDS.cast_signed() },
    "How long it was played.",
);
const DATE: Param = optional("date", Holds::Text, "The day, YYYY-MM-DD; today when it is missing.");
const NOTE: Param = optional("note", Holds::Text, "A remark, at most 200 characters.");
const STARS: Holds = Holds::Integer { min: 0, max: 5 };

const PROGRESS: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    required("progress", Holds::Choice(&VALUES), "The progress; `Unplayed` clears it."),
];
const RATING: [Param; 3] =
    [GAME_REF[0], GAME_REF[1], required("user_rating", STARS, "Personal stars; 0 clears them.")];
const NOTE_ADD: [Param; 3] = [GAME_REF[0], GAME_REF[1], TEXT];
const NOTE_UPDATE: [Param; 4] = [GAME_REF[0], GAME_REF[1], INDEX, TEXT];
const DELETE: [Param; 3] = [GAME_REF[0], GAME_REF[1], INDEX];
const PLAYTIME_LOG: [Param; 5] = [GAME_REF[0], GAME_REF[1], SECONDS, DATE, NOTE];
const PLAYTIME_UPDATE: [Param; 6] = [GAME_REF[0], GAME_REF[1], INDEX, SECONDS, DATE, NOTE];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/library/progress/set", Handler::Write(set_progress))
        .about("games", "Sets how far the player is with a game.")
        .since(SINCE)
        .body(&PROGRESS)
        .reply(&["ok", "game_id", "progress"]),
    Route::post("/api/v2/library/rating/set", Handler::Write(set_stars))
        .about("games", "Sets the personal stars of a game.")
        .since(SINCE)
        .body(&RATING)
        .reply(&["ok", "game_id", "user_rating"]),
    Route::post("/api/v2/library/notes/add", Handler::Write(add_note))
        .about("games", "Adds a note to a game.")
        .since(SINCE)
        .body(&NOTE_ADD)
        .reply(&["ok", "game_id"]),
    Route::post("/api/v2/library/notes/update", Handler::Write(update_note))
        .about("games", "Changes the text of a note; its time stays.")
        .since(SINCE)
        .body(&NOTE_UPDATE)
        .reply(&["ok", "game_id"]),
    Route::post("/api/v2/library/notes/delete", Handler::Write(delete_note))
        .about("games", "Removes a note.")
        .since(SINCE)
        .body(&DELETE)
        .reply(&["ok", "game_id"]),
    Route::post("/api/v2/library/playtime/log", Handler::Write(log_playtime))
        .about("games", "Adds playtime that no session tracked.")
        .since(SINCE)
        .body(&PLAYTIME_LOG)
        .reply(&["ok", "game_id", "entry"]),
    Route::post("/api/v2/library/playtime/update", Handler::Write(update_playtime))
        .about("games", "Changes an entry of playtime by hand.")
        .since(SINCE)
        .body(&PLAYTIME_UPDATE)
        .reply(&["ok", "game_id", "entry"]),
    Route::post("/api/v2/library/playtime/delete", Handler::Write(delete_playtime))
        .about("games", "Removes an entry of playtime by hand.")
        .since(SINCE)
        .body(&DELETE)
        .reply(&["ok", "game_id"]),
];

fn set_progress(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let value = call.key("progress");
    let (id, progress) =
        commit(writer, call, |draft, game| progress::set_progress(draft, game, value))?;
    ok(&json!({"ok": true, "game_id": id, "progress": progress}))
}

fn set_stars(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let value = call.key("user_rating");
    let (id, stars) = commit(writer, call, |draft, game| progress::set_stars(draft, game, value))?;
    ok(&json!({"ok": true, "game_id": id, "user_rating": stars}))
}

fn add_note(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let text = notes::read_text(call.key("text"))?;
    let (id, ()) = commit(writer, call, |draft, game| Ok((notes::add(draft, game, &text)?, ())))?;
    ok(&json!({"ok": true, "game_id": id}))
}

fn update_note(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let text = notes::read_text(call.key("text"))?;
    let (id, ()) =
        commit(writer, call, |draft, game| Ok((notes::update(draft, game, index, &text)?, ())))?;
    ok(&json!({"ok": true, "game_id": id}))
}

fn delete_note(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let (id, ()) =
        commit(writer, call, |draft, game| Ok((notes::delete(draft, game, index)?, ())))?;
    ok(&json!({"ok": true, "game_id": id}))
}

fn log_playtime(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let entry = Entry::read(&call.body)?;
    let (id, entry) = commit(writer, call, |draft, game| playtime::log(draft, game, entry))?;
    ok(&json!({"ok": true, "game_id": id, "entry": entry}))
}

fn update_playtime(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let entry = Entry::read(&call.body)?;
    let (id, entry) =
        commit(writer, call, |draft, game| playtime::update(draft, game, index, entry))?;
    ok(&json!({"ok": true, "game_id": id, "entry": entry}))
}

fn delete_playtime(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let (id, ()) =
        commit(writer, call, |draft, game| Ok((playtime::delete(draft, game, index)?, ())))?;
    ok(&json!({"ok": true, "game_id": id}))
}

fn index(call: &Call<'_>) -> Result<i64, ApiError> {
    call.integer("index")?.ok_or_else(|| ApiError::bad("index must be an integer."))
}

/// Changes the named game; the change returns its stable id and what else the answer shows.
fn commit<T>(
    writer: &Writer<'_>,
    call: &Call<'_>,
    change: impl FnOnce(&mut Draft, &GameRef) -> Result<(String, T), EditError>,
) -> Result<(String, T), ApiError> {
    let game = call.required_game()?;
    Ok(writer.store.commit(|draft| change(draft, &game))?)
}
