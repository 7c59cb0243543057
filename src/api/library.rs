//! Routes that read the library: the whole, a page, and some games by id.

use super::{
    call::{Answer, Call},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::Reader,
};
use crate::{
    base::limits,
    config::credentials::Credential,
    http::{conditional, gzip, reply::Reply},
    library::{
        answers::{Around, PAGE_DEFAULT, PAGE_GAMES, Whole},
        blocks::Form,
    },
    model::state::State,
};

/// Kept by the client, asked for again every time.
const REVALIDATED: &str = "private, no-cache";

const PAGE: [Param; 2] = [
    optional(
        "offset",
        Holds::Integer { min: 0, max: i64::MAX },
        "First game of the page; 0 when only a limit is given.",
    ),
    optional(
        "limit",
        Holds::Integer { min: 0, max: 5_000 },
        "Games in the page; 500 when only an offset is given.",
    ),
];
const IDS: [Param; 1] = [required(
    "ids",
    Holds::Text,
    "Stable ids, former ids or positions, separated by commas; at most 1,000.",
)];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/library", Handler::Read(show_library))
        .about("library", "The whole library as the UI shows it, or one page of its games.")
        .query(&PAGE)
        .reply(&[
            "games",
            "playlists",
            "filter_presets",
            "smart_collections",
            "ach_configured",
            "settings",
            "discovery",
            "media_epoch",
        ])
        .v1(),
    Route::get("/api/library/delta", Handler::Read(show_delta))
        .about("library", "Some games, in the order in which they are named.")
        .query(&IDS)
        .reply(&["games", "media_epoch"]),
];

fn show_library(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let known = |credential| shared.environment.credential(credential).is_some();
    let around = Around {
        settings: &|state: &State| shared.public_settings(state),
        ach_configured: known(Credential::AchUsername) && known(Credential::AchApiKey),
    };
    if let Some((offset, limit)) = page_of(call)? {
        let page = shared.library.page(&reader.state, &around, offset, limit);
        return Ok(Reply::json_bytes(200, page));
    }
    let head = &call.request.head;
    let takes_gzip = gzip::accepts_gzip(head.header("Accept-Encoding"));
    let form = if takes_gzip { Form::Gzip } else { Form::Plain };
    let is_known = |etag: &str| conditional::is_unchanged(head, Some(etag), None);
    let (reply, etag) = match shared.library.whole(&reader.state, &around, form, is_known) {
        Whole::Unchanged { etag } => (Reply::empty(304), etag),
        Whole::Body { etag, pieces } => {
            let reply = Reply::json_slices(200, pieces);
            (if form == Form::Gzip { reply.gzipped() } else { reply }, etag)
        }
    };
    Ok(reply.cached(REVALIDATED).header("ETag", etag))
}

/// Offset and limit, when the client asks for a page.
fn page_of(call: &Call<'_>) -> Result<Option<(usize, usize)>, ApiError> {
    let refused = || ApiError::bad("Invalid pagination parameters");
    let number = |name: &str| match call.query(name).as_deref().map(str::trim) {
        None | Some("") => Ok(None),
        Some(text) => text.parse::<usize>().map(Some).map_err(|_| refused()),
    };
    let (offset, limit) = (number("offset")?, number("limit")?);
    if offset.is_none() && limit.is_none() {
        return Ok(None);
    }
    let limit = limit.unwrap_or(PAGE_DEFAULT);
    if limit > PAGE_GAMES {
        return Err(refused());
    }
    Ok(Some((offset.unwrap_or(0), limit)))
}

fn show_delta(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let named = call.query("ids").unwrap_or_default();
    let ids: Vec<&str> = named.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
    if ids.is_empty() {
        return Err(ApiError::bad("Missing ids parameter"));
    }
    if ids.len() > limits::DELTA_IDS {
        return Err(ApiError::bad(format!("Too many IDs (max {})", limits::DELTA_IDS)));
    }
    Ok(Reply::json_bytes(200, reader.shared.library.delta(&reader.state, &ids)))
}
