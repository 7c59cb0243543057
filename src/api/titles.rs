//! What files say of their games: titles that are names of files (`/api/v2/library/titles`), and reading
//! games again (`/api/v2/library/recognition`).

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    care::{
        recognition::{self, Recognition},
        titles::{self, Change},
    },
    imports::{
        rows::{self, TitleStyle},
        systems::FolderSystems,
        tree::Disk,
    },
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
        .about("library", "What folder, extension and content of games would change in them.")
        .body(&[GAMES])
        .returns::<Recognition>()
        .since("1.15")
        .slow(),
    Route::post("/api/v2/library/recognition", Handler::Write(change_fields))
        .about("library", "Changes fields of games that still have the expected values.")
        .body(&[CHANGES])
        .returns::<RecognitionApplied>()
        .since("1.15"),
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
