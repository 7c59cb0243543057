//! Matching games with the metadata database and writing what it knows (`/api/v2/metadata/matches/*`,
//! `/api/metadata/match`, `/api/metadata/apply`, `/api/media/bulk`), and the settings of it.

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    metadata::last_job,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    metadata::{
        apply::{self, Applied, Request},
        apply_work,
        auto::{self, Queued},
        bulk::{self, BulkJob},
        matching::Class,
        previews::{Decided, ItemPage, MatchesBegun, Selection, ShownPreview},
        scrape::{self, ScrapeSettings},
    },
    metadb::sync::MetadataJob,
};

const SINCE: &str = "1.14";
const PREVIEW_ID: Param = required("preview_id", Holds::Text, "Id of the review.");
const NUMBER: Holds = Holds::Integer { min: 1, max: 4_294_967_295 };
const CLASSES: [&str; 4] = ["exact_review", "likely", "possible", "unmatched"];
const FLAGS: [Param; 4] = [
    optional("scrape_after_import", Holds::Flag, "Whether lookups after an import are on."),
    optional("scrape_scraper_enabled", Holds::Flag, "Whether the scraper provider is asked."),
    optional("scrape_gamedb_enabled", Holds::Flag, "Whether the game database is asked."),
    optional("scrape_artgrid_enabled", Holds::Flag, "Whether the artwork provider is asked."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/metadata/scrape-settings", Handler::Read(show_settings))
        .about("metadata", "The settings of lookups after an import.")
        .since(SINCE)
        .returns::<ScrapeSettings>(),
    Route::post("/api/v2/metadata/scrape-settings", Handler::Write(save_settings))
        .about("metadata", "Changes the settings of lookups after an import; any value counts as true or false.")
        .since(SINCE)
        .body(&FLAGS)
        .returns::<ScrapeSettings>(),
    Route::post("/api/v2/metadata/matches/preview", Handler::Write(create_preview))
        .about("metadata", "Matches games: certain matches are written, the others wait for a review.")
        .since(SINCE)
        .body(&[
            optional("game_ids", Holds::List, "The games; or import_batch_id."),
            optional("import_batch_id", Holds::Text, "The import whose games they are; or game_ids."),
        ])
        .returns::<MatchesBegun>()
        .accepts()
        .codes(&[Code::Conflict])
        .slow(),
    Route::get("/api/v2/metadata/matches/preview", Handler::Read(show_preview))
        .about("metadata", "The progress of a review of matches, with its counts.")
        .since(SINCE)
        .query(&[PREVIEW_ID])
        .returns::<ShownPreview>()
        .codes(&[Code::PreviewNotFound, Code::PreviewExpired]),
    Route::get("/api/v2/metadata/matches/items", Handler::Read(list_items))
        .about("metadata", "The matches of a review that wait for a decision, page by page.")
        .since(SINCE)
        .query(&[
            PREVIEW_ID,
            optional("cursor", Holds::Text, "The `next_cursor` of the page before."),
            optional("limit", Holds::Integer { min: 1, max: 200 }, "Matches of one page.")
                .or(50)
                .clamped(),
            optional("class", Holds::Choice(&CLASSES), "Only this class.")
                .refusal("Invalid class filter."),
        ])
        .returns::<ItemPage>()
        .codes(&[
            Code::PreviewNotFound,
            Code::PreviewExpired,
            Code::PreviewStale,
            Code::Conflict,
        ])
        .slow(),
    Route::post("/api/v2/metadata/matches/decisions", Handler::Write(decide))
        .about("metadata", "Stores decisions about matches; all of them or none.")
        .since(SINCE)
        .body(&[
            PREVIEW_ID,
            required(
                "items",
                Holds::List,
                "1 to 200 objects with game_id, action (accept, choose, skip, never) and, to choose, \
                 database_id.",
            ),
        ])
        .returns::<Decided>()
        .codes(&[Code::PreviewNotFound, Code::PreviewExpired, Code::Conflict])
        .slow(),
    Route::post("/api/v2/metadata/matches/apply", Handler::Write(apply_matches))
        .about("metadata", "Writes the matches that were accepted or chosen.")
        .since(SINCE)
        .body(&[
            PREVIEW_ID,
            required("revision", Holds::Integer { min: 1, max: i64::MAX }, "Of the review."),
            optional("game_ids", Holds::List, "Only these games."),
            optional("field_allow_list", Holds::List, "Only these fields."),
            optional("media_allow_list", Holds::List, "Refused: media have a route of their own."),
            optional(
                "replace_existing",
                Holds::Flag,
                "Whether existing values are replaced, after a backup.",
            ),
        ])
        .returns::<MatchesBegun>()
        .accepts()
        .codes(&[
            Code::PreviewNotFound,
            Code::PreviewExpired,
            Code::PreviewStale,
            Code::Conflict,
        ])
        .slow(),
    Route::post("/api/metadata/match", Handler::Write(match_all))
        .about("metadata", "Matches the games of a platform that have no number of the database.")
        .body(&[optional("platform", Holds::Text, "Every one when it is missing or `all`.")])
        .returns::<MetadataJob>()
        .may_accept()
        .codes(&[Code::Conflict])
        .v1(),
    Route::post("/api/metadata/apply", Handler::Write(apply_one))
        .about("metadata", "Writes texts and pictures of the metadata database to a game.")
        .body(&[
            GAME_REF[0],
            GAME_REF[1],
            required("database_id", NUMBER, "The number of the game in the database.").or_digits(),
            optional("media", Holds::List, "Kinds of media."),
            optional("overwrite", Holds::Flag, "Whether existing values are replaced."),
            optional("media_urls", Holds::Object, "Addresses of chosen pictures by kind."),
        ])
        .returns::<Applied>()
        .codes(&[Code::Conflict])
        .slow()
        .v1(),
    Route::post("/api/v2/metadata/auto-scrape", Handler::Write(scrape_import))
        .about("metadata", "Matches the games of an import and loads their pictures.")
        .since(SINCE)
        .body(&[
            required("import_batch_id", Holds::Text, "The id of the import."),
            optional("media_types", Holds::List, "Kinds of media; those of the settings when missing."),
            optional("overwrite", Holds::Flag, "Whether existing pictures are replaced."),
        ])
        .returns::<Queued>()
        .may_accept(),
    Route::post("/api/media/bulk", Handler::Write(load_media))
        .about("media", "Loads pictures for every game that has a number of the database.")
        .body(&[
            required("media", Holds::List, "Kinds of media."),
            optional("overwrite", Holds::Flag, "Whether existing pictures are replaced."),
            optional("platform", Holds::Text, "Every one when it is missing or `all`."),
        ])
        .returns::<BulkStatus>()
        .may_accept()
        .codes(&[Code::Conflict])
        .v1(),
    Route::get("/api/media/bulk/status", Handler::Read(show_bulk))
        .about("media", "The progress of loading pictures.")
        .returns::<BulkStatus>(),
];

schema! {
    "MediaBulkStatus"
    /// The job that loads pictures.
    struct BulkStatus {
        /// As that of the job.
        state: &'static str,
        job: BulkJob,
    }
}

fn show_settings(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&ScrapeSettings::of(reader.state.settings()))
}

fn save_settings(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&scrape::save(writer.store, &call.body)?)
}

fn create_preview(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    accepted(&shared.metadata.previews.create(&shared.jobs, &call.body, &Moment::now())?)
}

fn show_preview(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let shared = reader.shared;
    let id = call.query_text("preview_id").unwrap_or_default();
    ok(&shared.metadata.previews.show(&shared.jobs, &id, &Moment::now())?)
}

fn list_items(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let id = call.query_text("preview_id").unwrap_or_default();
    let selection = Selection {
        cursor: call.query_text("cursor"),
        limit: call.count("limit")?,
        class: call.choice("class")?.and_then(Class::named),
    };
    let previews = &reader.shared.metadata.previews;
    ok(&previews.items(&reader.state, &id, &selection, &Moment::now())?)
}

fn decide(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.metadata.previews.decide(&call.body, &Moment::now())?)
}

fn apply_matches(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    accepted(&shared.metadata.previews.apply(&shared.jobs, &call.body, &Moment::now())?)
}

fn match_all(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let platform = call.optional_text("platform")?;
    let job = last_job(shared);
    // The job takes turns with the one that downloads the database.
    if job.state == "downloading" {
        return ok(&job);
    }
    let previews = &shared.metadata.previews;
    let job = apply_work::submit_match(previews, &shared.jobs, platform)?;
    let shown =
        MetadataJob { state: "running", job_id: Some(job.job_id), ..MetadataJob::default() };
    if job.is_new { accepted(&shown) } else { ok(&shown) }
}

fn apply_one(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.integer("database_id")?.and_then(|id| u32::try_from(id).ok());
    let request = Request {
        database_id: id.ok_or_else(|| call.missing("database_id"))?,
        media: apply::media_kinds(call.key("media"))?,
        overwrite: call.flag("overwrite")?,
        media_urls: call.object("media_urls")?.cloned().unwrap_or_default(),
        game: call.required_game()?,
    };
    ok(&writer.shared.metadata.apply(&request)?)
}

fn scrape_import(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let request = auto::Request {
        import_batch_id: call.text("import_batch_id"),
        media_types: call.given("media_types"),
        overwrite: call.flag("overwrite")?,
    };
    let state = writer.store.snapshot()?;
    let queued = auto::submit(&shared.metadata, &shared.jobs, &state, &request, &Moment::now())?;
    if queued.queued { accepted(&queued) } else { ok(&queued) }
}

fn load_media(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let (media, platform) = (call.key("media"), call.optional_text("platform")?);
    let overwrite = call.flag("overwrite")?;
    let begun = bulk::submit(&shared.metadata, &shared.jobs, media, overwrite, platform)?;
    let job = bulk::status(&shared.jobs);
    let shown = BulkStatus { state: "running", job };
    if begun.is_new { accepted(&shown) } else { ok(&shown) }
}

fn show_bulk(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let job = bulk::status(&reader.shared.jobs);
    ok(&BulkStatus { state: job.state, job })
}
