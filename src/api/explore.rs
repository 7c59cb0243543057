//! Exploring the library: related games, facets, and its problems.

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    probed::Probed,
    route::{GAME_REF, Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    care::{checkup, dedupe},
    query::{
        facets::{self, Facet},
        related::Related,
    },
};

const FIELD: [Param; 1] =
    [optional("field", Holds::Choice(&facets::FIELDS), "The field; genre when it is missing.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/related", Handler::Read(list_related))
        .about("library", "The games most similar to a game, by position.")
        .query(&GAME_REF)
        .returns::<RelatedIds>()
        .codes(&[Code::GameNotFound]),
    Route::get("/api/related/rich", Handler::Read(list_related_with_reasons))
        .about("library", "The games most similar to a game, with the reasons.")
        .query(&GAME_REF)
        .returns::<RelatedGames>()
        .codes(&[Code::GameNotFound]),
    Route::get("/api/explorer/facets", Handler::Read(list_facets))
        .about("library", "The most frequent values of a field.")
        .query(&FIELD)
        .returns::<FacetList<'_>>(),
    // Slow, because both ask the disk about every game.
    Route::post("/api/health", Handler::Write(check_library))
        .about("library", "Duplicates, missing files and covers, and games that cannot start.")
        .returns::<checkup::Checkup>()
        .slow()
        .v1(),
    Route::post("/api/health/dedupe", Handler::Write(remove_duplicates))
        .about("library", "Merges each duplicate into the earlier record; files stay.")
        .returns::<DuplicatesRemoved<'_>>()
        .slow()
        .v1(),
];

fn find_related(reader: &Reader<'_>, call: &Call<'_>) -> Result<Vec<Related>, ApiError> {
    let games = &reader.state.games;
    let found = call.queried_game().and_then(|game| Some(game.find(games)?.0));
    let position = found.ok_or_else(|| ApiError::of(Code::GameNotFound))?;
    Ok(reader.library.related(&reader.state, position))
}

schema! {
    /// `GET /api/related`.
    struct RelatedIds {
        /// Positions in the library, the one with most in common first.
        ids: Vec<usize>,
    }

    /// `GET /api/related/rich`.
    struct RelatedGames {
        items: Vec<Related>,
    }

    /// `GET /api/explorer/facets`.
    struct FacetList<'a> {
        /// The field.
        field: &'a str,
        /// The most frequent value first.
        facets: &'a [Facet],
    }

    /// Duplicates were merged into earlier records.
    struct DuplicatesRemoved<'a> {
        /// The names of the later ones.
        removed: Vec<&'a str>,
    }
}

fn list_related(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let related = find_related(reader, call)?;
    ok(&RelatedIds { ids: related.iter().map(|game| game.id).collect() })
}

fn list_related_with_reasons(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    ok(&RelatedGames { items: find_related(reader, call)? })
}

fn list_facets(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let asked = call.query_text("field");
    let field = asked.as_deref().unwrap_or("genre");
    let facets = reader.library.facets(&reader.state, field);
    ok(&FacetList { field, facets: &facets })
}

fn check_library(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    ok(&checkup::check(&state, &Probed { shared: writer.shared, state: &state }))
}

fn remove_duplicates(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    let disk = Probed { shared: writer.shared, state: &state };
    let removed = dedupe::remove_duplicates(writer.store, &state.games, &disk)?;
    ok(&DuplicatesRemoved { removed: removed.iter().map(|game| game.name()).collect() })
}
