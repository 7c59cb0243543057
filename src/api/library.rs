//! Routes that read the library: the whole, a page, and some games by id.

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::Reader,
    settings::Settings,
};
use crate::{
    base::{limits, schema::schema},
    http::{conditional, gzip, reply::Reply},
    library::{
        answers::{AnswerContext, Document, PAGE_DEFAULT, PAGE_GAMES, Page, Whole},
        blocks::Form,
        projection::{ALL, GamePart, GameView, Selection},
    },
    model::State,
    query::discovery::Discovery,
};

/// Kept by the client, asked for again every time.
const REVALIDATED: &str = "private, no-cache";

const PAGE: [Param; 3] = [
    optional(
        "offset",
        Holds::Integer { min: 0, max: i64::MAX },
        "First game of the page; 0 when only a limit is given.",
    )
    .refusal("Invalid pagination parameters"),
    optional(
        "limit",
        Holds::Integer { min: 0, max: PAGE_GAMES },
        "Games in the page; 500 when only an offset is given.",
    )
    .refusal("Invalid pagination parameters"),
    optional(
        "fields",
        Holds::Text,
        "Keys of the games besides `id`, `game_id` and `name`, with commas; all when it is missing. Asks for a page.",
    ),
];
const IDS: [Param; 1] = [required(
    "ids",
    Holds::Text,
    "Stable ids, former ids or positions, separated by commas; at most 1,000.",
)
.refusal("Missing ids parameter")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/library", Handler::Read(show_library))
        .about("library", "The whole library as the UI shows it, or one page of its games.")
        .query(&PAGE)
        .returns::<LibraryPage>()
        .v1(),
    Route::get("/api/library/delta", Handler::Read(show_delta))
        .about("library", "Some games, in the order of the request.")
        .query(&IDS)
        .returns::<SomeGames>(),
];

schema! {
    /// `GET /api/library`.
    pub shape LibraryPage {
        games: Vec<GamePart>,
        playlists: Vec<Playlist>,
        filter_presets: Vec<FilterPreset>,
        smart_collections: Vec<SavedCollection>,
        /// Whether the credentials of the achievement service are there.
        ach_configured: bool,
        settings: Settings,
        /// Changes whenever a media file did.
        media_epoch: u64,
        /// Of the whole library.
        #[serde(skip_serializing_if = "not of a page")]
        discovery: Discovery,
        /// Games of the library; of a page.
        #[serde(skip_serializing_if = "not of a page")]
        total_count: usize,
        #[serde(skip_serializing_if = "not of a page")]
        offset: usize,
        #[serde(skip_serializing_if = "not of a page")]
        limit: usize,
    }

    /// `GET /api/library/delta`.
    pub shape SomeGames {
        games: Vec<GameView>,
        media_epoch: u64,
    }

    /// A playlist as it is stored.
    pub shape Playlist {
        name: String,
        /// `filter` or `manual`.
        r#type: String,
        /// What a filter playlist takes.
        rules: Map<String, Value>,
        /// Stable ids of the games of a manual playlist.
        members: Vec<String>,
        parent: String,
        notes: String,
        #[serde(flatten)]
        more: Map<String, Value>,
    }

    /// A filter preset as it is stored.
    pub shape FilterPreset {
        name: String,
        rules: Map<String, Value>,
        bigscreen_quick: bool,
        #[serde(flatten)]
        more: Map<String, Value>,
    }

    /// A smart collection as it is stored.
    pub shape SavedCollection {
        name: String,
        query: String,
        #[serde(flatten)]
        more: Map<String, Value>,
    }
}

fn show_library(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let (shared, library) = (reader.shared, reader.library);
    if !reader.is_partial {
        shared.plugins.before_reading(&reader.state);
    }
    let context = AnswerContext {
        settings: &|state: &State| shared.settings.public(state),
        ach_configured: shared.achievements.is_configured(),
        mediasvc_configured: shared.settings.has_media_service(),
    };
    if let Some(page) = page_of(call)? {
        return Ok(Reply::json_bytes(200, library.page(&reader.state, &context, &page)));
    }
    let head = &call.request.head;
    let takes_gzip = gzip::accepts_gzip(head.header("Accept-Encoding"));
    let form = if takes_gzip { Form::Gzip } else { Form::Plain };
    let is_known = |etag: &str| conditional::is_unchanged(head, Some(etag), None);
    let (reply, etag) = match library.whole(&reader.state, &context, form, is_known) {
        Whole::Unchanged { etag } => (Reply::empty(304), etag),
        Whole::Body { etag, document: Document::Plain(text) } => {
            (Reply::json_made(200, text.len(), text), etag)
        }
        Whole::Body { etag, document: Document::Gzip(pieces) } => {
            (Reply::json_slices(200, pieces).gzipped(), etag)
        }
    };
    Ok(reply.cached(REVALIDATED).header("ETag", etag))
}

/// The page that the client asks for, if it does.
fn page_of(call: &Call<'_>) -> Result<Option<Page>, ApiError> {
    let (offset, limit) = (call.count_if_given("offset")?, call.count_if_given("limit")?);
    let fields = call.query_text("fields");
    if offset.is_none() && limit.is_none() && fields.is_none() {
        return Ok(None);
    }
    let selection = match fields {
        Some(fields) => Selection::parse(&fields)
            .map_err(|unknown| ApiError::bad(format!("Unknown field: {unknown}")))?,
        None => ALL.clone(),
    };
    let (offset, limit) = (offset.unwrap_or(0), limit.unwrap_or(PAGE_DEFAULT));
    Ok(Some(Page { offset, limit, selection }))
}

fn show_delta(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let named = call.required_query("ids")?;
    let ids: Vec<&str> = named.split(',').map(str::trim).filter(|id| !id.is_empty()).collect();
    if ids.is_empty() {
        return Err(call.missing("ids"));
    }
    if ids.len() > limits::DELTA_IDS {
        return Err(ApiError::bad(format!("Too many IDs (max {})", limits::DELTA_IDS)));
    }
    Ok(Reply::json_bytes(200, reader.library.delta(&reader.state, &ids)))
}
