//! `/api/v2/library/titles`: titles that are names of files, and cleaning them.

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    care::titles::{self, Change},
};

const TITLES: Param =
    required("titles", Holds::List, "Changes with game_id, the expected title and the new name.");

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
