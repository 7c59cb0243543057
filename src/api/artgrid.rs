//! The artwork provider (`/api/v2/artgrid/*`).

use super::{
    call::{Answer, Call, ok},
    code::Code,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    artgrid::{
        answers::Hit,
        client::{ArtgridStatus, Game},
    },
    base::schema::schema,
    config::settings::read,
    model::State,
    providers::ARTGRID,
};

const SEARCH: [Param; 2] = [
    optional("q", Holds::Text, "The title; nothing is found without one."),
    optional("limit", Holds::Integer { min: 1, max: 50 }, "Games at most.").or(12),
];
const UNAVAILABLE: &[Code] =
    &[Code::ArtgridDisabled, Code::ArtgridUnconfigured, Code::ArtgridKeyRejected];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/artgrid/status", Handler::Read(show_status))
        .about("artgrid", "Tells whether the artwork provider can be asked.")
        .returns::<ArtgridStatus>(),
    Route::get("/api/v2/artgrid/search", Handler::Read(search))
        .about("artgrid", "Searches the artwork provider for a game.")
        .query(&SEARCH)
        .returns::<ArtgridHits>()
        .codes(UNAVAILABLE)
        .slow(),
    Route::post("/api/v2/artgrid/test", Handler::Write(test))
        .about("artgrid", "Tries the key of the artwork provider.")
        .returns::<ArtgridTested>()
        .codes(UNAVAILABLE)
        .slow(),
    Route::post("/api/v2/artgrid/info", Handler::Write(show_game))
        .about("artgrid", "Lists the pictures that the artwork provider has of a game.")
        .body(&[required(
            "artgrid_id",
            Holds::Integer { min: 1, max: 4_294_967_295 },
            "The number of the game at the provider.",
        )
        .refusal("artgrid_id is required.")])
        .returns::<Game>()
        .codes(UNAVAILABLE)
        .slow(),
];

schema! {
    /// `GET /api/v2/artgrid/search`.
    struct ArtgridHits {
        /// The likeliest first.
        results: Vec<Hit>,
        /// `artgrid`.
        provider: &'static str,
    }

    /// `POST /api/v2/artgrid/test`.
    struct ArtgridTested {
        ok: bool,
        /// Games that a search found.
        probe_results: usize,
    }
}

fn is_enabled(state: &State) -> bool {
    read::flag(state.settings(), "artgrid_enabled")
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.artgrid.status(is_enabled(&reader.state)))
}

fn search(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let limit = call.count("limit")?;
    let title = call.query_text("q").unwrap_or_default();
    let results = reader.shared.artgrid.search(is_enabled(&reader.state), &title, limit)?;
    ok(&ArtgridHits { results, provider: ARTGRID.id })
}

fn test(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let is_enabled = is_enabled(&*writer.store.snapshot()?);
    ok(&ArtgridTested { ok: true, probe_results: writer.shared.artgrid.test(is_enabled)? })
}

fn show_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.integer("artgrid_id")?.and_then(|id| u32::try_from(id).ok());
    let id = id.ok_or_else(|| call.missing("artgrid_id"))?;
    let is_enabled = is_enabled(&*writer.store.snapshot()?);
    ok(&writer.shared.artgrid.info(is_enabled, id)?)
}
