//! What the player records about one game: progress, rating, notes and manual playtime
//! (`/api/v2/library/progress`, `rating`, `notes` and `playtime`).

use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::Writer,
};
use crate::{
    base::{limits, schema::schema},
    game::{
        notes,
        playtime::{self, Entry, StoredEntry},
        progress,
    },
    model::fields::PROGRESS as VALUES,
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
        .about("games", "Sets the progress of a game.")
        .since(SINCE)
        .body(&PROGRESS)
        .returns::<ProgressSet>(),
    Route::post("/api/v2/library/rating/set", Handler::Write(set_stars))
        .about("games", "Sets the personal stars of a game.")
        .since(SINCE)
        .body(&RATING)
        .returns::<StarsSet>(),
    Route::post("/api/v2/library/notes/add", Handler::Write(add_note))
        .about("games", "Adds a note to a game.")
        .since(SINCE)
        .body(&NOTE_ADD)
        .returns::<GameChanged>(),
    Route::post("/api/v2/library/notes/update", Handler::Write(update_note))
        .about("games", "Changes the text of a note; its time stays.")
        .since(SINCE)
        .body(&NOTE_UPDATE)
        .returns::<GameChanged>(),
    Route::post("/api/v2/library/notes/delete", Handler::Write(delete_note))
        .about("games", "Removes a note.")
        .since(SINCE)
        .body(&DELETE)
        .returns::<GameChanged>(),
    Route::post("/api/v2/library/playtime/log", Handler::Write(log_playtime))
        .about("games", "Adds playtime that no session tracked.")
        .since(SINCE)
        .body(&PLAYTIME_LOG)
        .returns::<PlaytimeSaved>(),
    Route::post("/api/v2/library/playtime/update", Handler::Write(update_playtime))
        .about("games", "Changes an entry of playtime by hand.")
        .since(SINCE)
        .body(&PLAYTIME_UPDATE)
        .returns::<PlaytimeSaved>(),
    Route::post("/api/v2/library/playtime/delete", Handler::Write(delete_playtime))
        .about("games", "Removes an entry of playtime by hand.")
        .since(SINCE)
        .body(&DELETE)
        .returns::<GameChanged>(),
];

schema! {
    /// A game was changed.
    struct GameChanged {
        game_id: String,
        ok: bool,
    }

    /// The progress of a game was set.
    struct ProgressSet {
        game_id: String,
        ok: bool,
        progress: String,
    }

    /// The personal stars of a game were set.
    struct StarsSet {
        game_id: String,
        ok: bool,
        /// A number, or empty text.
        user_rating: Value,
    }

    /// Playtime by hand was saved.
    struct PlaytimeSaved {
        entry: StoredEntry,
        game_id: String,
        ok: bool,
    }
}

fn set_progress(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let value = call.key("progress");
    let (game_id, progress) = progress::save_progress(writer.store, &call.required_game()?, value)?;
    ok(&ProgressSet { game_id, ok: true, progress })
}

fn set_stars(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let value = call.key("user_rating");
    let (game_id, user_rating) = progress::save_stars(writer.store, &call.required_game()?, value)?;
    ok(&StarsSet { game_id, ok: true, user_rating })
}

fn add_note(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let text = notes::read_text(call.key("text"))?;
    let game_id = notes::add_note(writer.store, &call.required_game()?, &text)?;
    ok(&GameChanged { game_id, ok: true })
}

fn update_note(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let text = notes::read_text(call.key("text"))?;
    let game_id = notes::update_note(writer.store, &call.required_game()?, index, &text)?;
    ok(&GameChanged { game_id, ok: true })
}

fn delete_note(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let game_id = notes::delete_note(writer.store, &call.required_game()?, index)?;
    ok(&GameChanged { game_id, ok: true })
}

fn log_playtime(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let entry = Entry::read(&call.body)?;
    let (game_id, entry) = playtime::log_entry(writer.store, &call.required_game()?, entry)?;
    ok(&PlaytimeSaved { entry, game_id, ok: true })
}

fn update_playtime(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let entry = Entry::read(&call.body)?;
    let (game_id, entry) =
        playtime::update_entry(writer.store, &call.required_game()?, index, entry)?;
    ok(&PlaytimeSaved { entry, game_id, ok: true })
}

fn delete_playtime(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let index = index(call)?;
    let game_id = playtime::delete_entry(writer.store, &call.required_game()?, index)?;
    ok(&GameChanged { game_id, ok: true })
}

fn index(call: &Call<'_>) -> Result<i64, ApiError> {
    call.integer("index")?.ok_or_else(|| ApiError::bad("index must be an integer."))
}
