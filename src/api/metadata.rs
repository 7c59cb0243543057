//! The metadata database (`/api/metadata/*`, `/api/v2/metadata/media-candidates`): downloading, searching, and its
//! pictures.

use std::sync::Arc;

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::schema::schema,
    care::media_care,
    extensions::sources::MetadataCoverage,
    formats::thumbnail::Kind,
    http::reply::{Body, Reply},
    metadata::{
        apply_work,
        candidates::{Choices, Chosen, Offer, Picked},
    },
    metadb::{
        Database, Row,
        sync::{self, MetadataJob},
    },
    net::location::percent_encoded,
    providers::{METADB, METADB_IMAGES},
};

/// Games of one answer.
const RESULTS: usize = 20;

const SEARCH: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("q", Holds::Text, "The title; that of the game when it is missing."),
    optional("platform", Holds::Text, "The platform; that of the game when it is missing."),
];

const KIND: Param = required("kind", Holds::Text, "A media field that is a picture.");
const DATABASE_ID: Param = required(
    "database_id",
    Holds::Integer { min: 1, max: 4_294_967_295 },
    "The number of the game in the database.",
)
.refusal("database_id is required.")
.or_digits();
const NUMBER: Param = optional(
    "database_id",
    Holds::Integer { min: 1, max: 4_294_967_295 },
    "The number of the game in the metadata database; needed for a picture of that.",
)
.refusal("database_id is required.")
.or_digits();
const KIND_IF: Param =
    optional("kind", Holds::Text, "The media field; needed for a picture of another provider.");
const PROVIDER: Param = optional(
    "provider",
    Holds::Choice(&["metadb", "opendb", "artgrid", "scraper", "gamedb", "store_a", "store_d"]),
    "The provider; the metadata database when it is missing.",
);
const URL: Param = required("url", Holds::Text, "The picture, by its name in the list of choices.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/metadata/status", Handler::Read(show_status))
        .about("metadata", "Whether the metadata database is there, and what it covers.")
        .returns::<MetadataStatus>()
        .slow()
        .v1(),
    Route::post("/api/metadata/sync", Handler::Write(synchronise))
        .about("metadata", "Downloads or updates the metadata database.")
        .returns::<MetadataJob>()
        .may_accept(),
    Route::get("/api/metadata/search", Handler::Read(search))
        .about("metadata", "Searches the metadata database for a game.")
        .query(&SEARCH)
        .returns::<MetadataResults>()
        .codes(&[Code::Conflict])
        .slow()
        .v1(),
    Route::get("/api/v2/metadata/media-candidates", Handler::Read(list_candidates))
        .about("metadata", "Lists the pictures that the metadata database has of a game.")
        .query(&[DATABASE_ID])
        .returns::<MediaCandidates>()
        .codes(&[Code::Conflict])
        .slow(),
    Route::get("/api/v2/media/candidates", Handler::Read(list_choices))
        .about("metadata", "Lists the pictures that the user can choose from for a game.")
        .query(&[GAME_REF[0], GAME_REF[1], KIND, PROVIDER])
        .returns::<Choices>()
        .codes(&[Code::Conflict])
        .slow(),
    Route::get("/api/v2/media/candidate", Handler::Read(serve_candidate))
        .about("metadata", "A smaller copy of a picture that can be chosen.")
        .file()
        .query(&[NUMBER, URL, GAME_REF[0], GAME_REF[1], KIND_IF, PROVIDER])
        .codes(&[Code::Conflict])
        .slow(),
    Route::post("/api/v2/media/choose", Handler::Write(choose_picture))
        .about("metadata", "Gives a game the picture that the user chose.")
        .body(&[GAME_REF[0], GAME_REF[1], KIND, NUMBER, URL, PROVIDER])
        .returns::<Chosen>()
        .codes(&[Code::Conflict])
        .slow(),
];

schema! {
    /// `GET /api/metadata/status`.
    struct MetadataStatus {
        /// Whether the database is there.
        ready: bool,
        job: MetadataJob,
        coverage: MetadataCoverage,
        source: MetadataSource,
    }

    /// Where metadata come from.
    struct MetadataSource {
        name: &'static str,
        /// The attribution to show with its data.
        credit: &'static str,
        /// Its own page.
        page: &'static str,
    }

    /// `GET /api/metadata/search`.
    struct MetadataResults {
        /// At most 20, the likeliest first.
        results: Vec<MetadataResult>,
    }

    /// A game of the metadata database. A text is empty when it is unknown.
    struct MetadataResult {
        database_id: u32,
        name: String,
        /// The platform by its name in the database.
        platform: String,
        /// `yyyy-mm-dd`.
        release_date: String,
        release_year: String,
        developer: String,
        publisher: String,
        genre: String,
        overview: String,
        series: String,
        esrb: String,
        max_players: String,
        /// `true`, `false` or empty.
        cooperative: String,
        /// 0 to 5.
        community_rating: Option<f64>,
    }

    /// `GET /api/v2/metadata/media-candidates`.
    struct MediaCandidates {
        database_id: u32,
        /// By type and region.
        candidates: Vec<MediaCandidate>,
    }

    /// A picture that a game can have.
    struct MediaCandidate {
        /// The media field it is for.
        kind: &'static str,
        /// What it shows, in the words of the database.
        r#type: &'static str,
        url: String,
        /// Empty when it is of no region.
        region: String,
    }
}

impl From<Row> for MetadataResult {
    fn from(row: Row) -> Self {
        Self {
            database_id: row.id,
            name: row.name,
            platform: row.platform,
            release_date: row.release_date,
            release_year: row.release_year,
            developer: row.developer,
            publisher: row.publisher,
            genre: row.genre,
            overview: row.overview,
            series: row.series,
            esrb: row.esrb,
            max_players: row.max_players,
            cooperative: row.cooperative,
            community_rating: row.community_rating,
        }
    }
}

/// The database.
///
/// # Errors
/// 409 before it was downloaded.
pub(super) fn database(shared: &Shared) -> Result<Arc<Database>, ApiError> {
    let missing = || ApiError::new(Code::Conflict, "Download the metadata database first.");
    shared.metadb.database().ok_or_else(missing)
}

/// The last job on the database.
pub(super) fn last_job(shared: &Shared) -> MetadataJob {
    MetadataJob::of(&shared.jobs.overview().jobs, apply_work::MATCH)
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&MetadataStatus {
        ready: reader.shared.metadb.is_there(),
        job: last_job(reader.shared),
        coverage: media_care::audit(&reader.state, "").coverage(),
        source: MetadataSource { name: METADB.name, credit: METADB.credit, page: METADB.page },
    })
}

fn synchronise(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let job = sync::submit(&writer.shared.jobs)?;
    let shown =
        MetadataJob { state: "downloading", job_id: Some(job.job_id), ..last_job(writer.shared) };
    if job.is_new { accepted(&shown) } else { ok(&shown) }
}

fn search(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let database = database(reader.shared)?;
    let game = call.queried_game().ok_or_else(|| ApiError::bad("Game id is required."))?;
    let found = game.find(&reader.state.games);
    let (_, game) = found.ok_or_else(|| ApiError::bad("Game not found"))?;
    let title = call.query_text("q").unwrap_or_else(|| game.name().to_owned());
    let platform = call.query_text("platform").unwrap_or_else(|| game.platform().to_owned());
    let is_any = platform.trim().is_empty() || platform.eq_ignore_ascii_case("all");
    let platform = Some(platform.as_str()).filter(|_| !is_any);
    let rows = database.search(&title, platform, RESULTS);
    ok(&MetadataResults { results: rows.into_iter().map(MetadataResult::from).collect() })
}

fn list_candidates(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let database = database(reader.shared)?;
    let id = call.integer("database_id")?.and_then(|id| u32::try_from(id).ok());
    let database_id = id.ok_or_else(|| call.missing("database_id"))?;
    let address = |file: &str| {
        let path = format!("/{}", percent_encoded(file));
        reader.shared.providers.address(METADB_IMAGES, &path)
    };
    let candidates = database.images(database_id).into_iter().map(|image| MediaCandidate {
        kind: image.kind,
        r#type: image.type_name,
        url: address(&image.file),
        region: image.region,
    });
    ok(&MediaCandidates { database_id, candidates: candidates.collect() })
}

fn list_choices(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = call.queried_game().ok_or_else(|| ApiError::bad("Game id is required."))?;
    let kind = call.query("kind").ok_or_else(|| call.missing("kind"))?;
    let metadata = &reader.shared.metadata;
    match call.query_text("provider").as_deref() {
        None | Some("metadb") => ok(&metadata.choices(&reader.state, &game, kind.trim())?),
        Some(provider) => ok(&metadata.offers(&reader.state, &game, kind.trim(), provider)?),
    }
}

fn serve_candidate(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let id = call.integer("database_id")?.and_then(|id| u32::try_from(id).ok());
    let url = call.query("url").ok_or_else(|| call.missing("url"))?;
    let metadata = &reader.shared.metadata;
    let bytes = match call.query_text("provider").as_deref() {
        None | Some("metadb") => {
            metadata.candidate(id.ok_or_else(|| call.missing("database_id"))?, &url)?
        }
        Some(provider) => {
            let game = call.queried_game().ok_or_else(|| ApiError::bad("Game id is required."))?;
            let kind = call.query_text("kind").ok_or_else(|| call.missing("kind"))?;
            metadata.offered(&reader.state, &game, &Offer { provider, kind: &kind, url: &url })?
        }
    };
    let kind = Kind::of(&bytes).map_or("application/octet-stream", Kind::content_type);
    Ok(Reply::new(200, kind, Body::Bytes(bytes)).cached("private, max-age=86400"))
}

fn choose_picture(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_game()?;
    let id = call.integer("database_id")?.and_then(|id| u32::try_from(id).ok());
    let provider = call.text("provider");
    if !matches!(provider, "" | "metadb") {
        let kind = call.required("kind")?;
        let offer = Offer { provider, kind: kind.trim(), url: call.required("url")? };
        return ok(&writer.shared.metadata.choose_offer(&game, &offer)?);
    }
    let picked = Picked {
        kind: call.required("kind")?.trim().to_owned(),
        database_id: id.ok_or_else(|| call.missing("database_id"))?,
        url: call.required("url")?.to_owned(),
    };
    ok(&writer.shared.metadata.choose(&game, &picked)?)
}
