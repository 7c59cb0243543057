//! Where the values of a game come from and which are locked (`/api/v2/game/origins`), what files say of
//! their games (`/api/v2/library/titles`, `/api/v2/library/recognition`), and automatic passes that can
//! be undone (`/api/v2/library/passes`).

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    params::GAME_REF,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    care::{
        recognition::{self, Recognition},
        titles::{self, Change},
    },
    game::origins::{self, ShownOrigin, ShownPass},
    imports::rows::{self, TitleStyle},
    scan::{systems::FolderSystems, tree::Disk},
};

const TITLES: Param =
    required("titles", Holds::List, "Changes with game_id, the expected title and the new name.");
const GAMES: Param =
    required("game_ids", Holds::List, "1 to 1,000 stable ids.").sized(1, recognition::GAMES);
const CHANGES: Param = required(
    "changes",
    Holds::List,
    "Changes with game_id, field, the expected value and the new one.",
);
const SINCE: &str = "1.16";
const LOCKS: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("lock", Holds::List, "Fields that only an edit may change from now on."),
    optional("unlock", Holds::List, "Fields that automatic passes may write from now on."),
];
const FIELD: [Param; 3] =
    [GAME_REF[0], GAME_REF[1], required("field", Holds::Text, "The field to revert.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/titles", Handler::Read(list_titles))
        .about("library", "Titles that are names of files, with their clean form.")
        .query(&[optional("limit", Holds::Integer { min: 0, max: 100_000 }, "2,000 when missing.")
            .or(2_000)])
        .returns::<FileTitles>()
        .since("1.15")
        .slow(),
    Route::post("/api/v2/library/titles", Handler::Write(change_titles))
        .about("library", "Replaces the titles of games that still have the expected ones.")
        .body(&[TITLES])
        .returns::<TitlesChanged>()
        .since("1.15")
        .slow(),
    Route::post("/api/v2/library/recognition/preview", Handler::Read(read_again))
        .about("library", "Changes that folder, extension and content of games suggest.")
        .body(&[GAMES])
        .returns::<Recognition>()
        .since("1.15")
        .slow(),
    Route::post("/api/v2/library/recognition", Handler::Write(change_fields))
        .about("library", "Changes fields of games that still have the expected values.")
        .body(&[CHANGES])
        .returns::<RecognitionApplied>()
        .since("1.15"),
    Route::get("/api/v2/game/origins", Handler::Read(show))
        .about("games", "Where the values of a game come from, and which fields are locked.")
        .since(SINCE)
        .query(&GAME_REF)
        .codes(&[Code::GameNotFound])
        .returns::<GameOrigins>(),
    Route::post("/api/v2/game/locks", Handler::Write(set_locks))
        .about("games", "Locks fields of a game against automatic passes, or unlocks them.")
        .since(SINCE)
        .body(&LOCKS)
        .returns::<GameOrigins>(),
    Route::post("/api/v2/game/origins/revert", Handler::Write(revert))
        .about("games", "Restores the last automatic value of a field and unlocks it.")
        .since(SINCE)
        .body(&FIELD)
        .returns::<GameOrigins>(),
    Route::get("/api/v2/library/passes", Handler::Read(list_passes))
        .about("library", "The newest automatic passes that can be undone, newest first.")
        .since(SINCE)
        .returns::<PassList>(),
    Route::post("/api/v2/library/passes/undo", Handler::Write(undo_pass))
        .about("library", "Undoes what an automatic pass wrote and was not changed since.")
        .since(SINCE)
        .body(&[required("pass_id", Holds::Text, "The id of the pass.")])
        .codes(&[Code::NotFound])
        .returns::<PassUndone>()
        .slow(),
];

schema! {
    /// Titles that can be cleaned.
    struct FileTitles {
        /// How many.
        count: usize,
        /// The first of them, up to the limit.
        titles: Vec<Change>,
        /// Whether there are more.
        truncated: bool,
    }

    /// Fields of games that were read again.
    struct RecognitionApplied {
        /// Changes of fields that had another value, or whose game is gone.
        skipped: usize,
        /// Fields with a new value.
        updated: usize,
    }

    /// What was changed.
    struct TitlesChanged {
        /// Games that had another title, or are gone.
        skipped: usize,
        /// Games with a new title.
        updated: usize,
    }

    /// What is known of the fields of a game.
    struct GameOrigins {
        game_id: String,
        /// Fields that have a value or are locked.
        fields: Vec<ShownOrigin>,
    }

    /// `GET /api/v2/library/passes`.
    struct PassList {
        passes: Vec<ShownPass>,
    }

    /// A pass was undone.
    struct PassUndone {
        /// Fields that are as before.
        fields: usize,
        /// Games they belong to.
        games: usize,
    }
}

fn list_titles(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let limit = call.count("limit")?;
    let mut titles = titles::proposals(&reader.state.games);
    let count = titles.len();
    titles.truncate(limit);
    ok(&FileTitles { count, titles, truncated: count > limit })
}

fn change_titles(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let changes = titles::read(call.key("titles"))?;
    let updated = titles::apply(writer.store, &changes).map_err(ApiError::from)?;
    ok(&TitlesChanged { skipped: changes.len() - updated, updated })
}

fn read_again(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let ids = call.required_texts("game_ids")?;
    let settings = reader.state.settings();
    let (systems, style) = (FolderSystems::of(settings), TitleStyle::of(settings));
    let read = |record: &_| rows::reread(&Disk, record, &systems, style);
    ok(&recognition::read_again(&reader.state, &ids, read))
}

fn change_fields(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let changes = recognition::read_changes(call.key("changes"))?;
    let updated = recognition::apply(writer.store, &changes).map_err(ApiError::from)?;
    ok(&RecognitionApplied { skipped: changes.len() - updated, updated })
}

fn show(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = call.queried_game().ok_or_else(|| ApiError::bad("Game id is required."))?;
    let (_, game) =
        game.find(&reader.state.games).ok_or_else(|| ApiError::of(Code::GameNotFound))?;
    ok(&GameOrigins { game_id: game.id().to_owned(), fields: origins::shown(&game.record()) })
}

fn set_locks(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_game()?;
    let (lock, unlock) = (call.texts("lock")?, call.texts("unlock")?);
    let (lock, unlock) = (lock.unwrap_or_default(), unlock.unwrap_or_default());
    let (game_id, fields) = origins::set_locks(writer.store, &game, &lock, &unlock)?;
    ok(&GameOrigins { game_id, fields })
}

fn revert(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_game()?;
    let (game_id, fields) = origins::revert_field(writer.store, &game, call.required("field")?)?;
    ok(&GameOrigins { game_id, fields })
}

fn list_passes(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&PassList { passes: origins::passes(&reader.state) })
}

fn undo_pass(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (games, fields) = origins::undo_pass(writer.store, call.required("pass_id")?)?;
    ok(&PassUndone { fields, games })
}
