//! The artwork provider (`/api/v2/artgrid/*`).

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    artgrid::{
        answers::Hit,
        apply::{self, Request},
        artwork::is_enabled,
        client::{ArtgridStatus, Game},
        matching,
    },
    base::{Moment, schema::schema},
    formats::thumbnail::Kind,
    http::reply::{Body, Reply},
    hygiene::{Report, compare::Compared, fix, undo::Undone},
    providers::ARTGRID,
};

const SEARCH: [Param; 2] = [
    optional("q", Holds::Text, "The title; required for a result."),
    optional("limit", Holds::Integer { min: 1, max: 50 }, "Games at most.").clamped().or(12),
];
const SINCE: &str = "1.15";
const MEDIA: Param = optional(
    "media",
    Holds::List,
    "cover, background, clear_logo, icon, banner; all of them when it is missing.",
);
const BATCH: Param = required("batch_id", Holds::Text, "The fix.");
const UNAVAILABLE: &[Code] =
    &[Code::ArtgridDisabled, Code::ArtgridUnconfigured, Code::ArtgridKeyRejected];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/artgrid/status", Handler::Read(show_status))
        .about("artgrid", "Reports whether the artwork provider can be used.")
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
        .refusal("artgrid_id is required.")
        .or_digits()])
        .returns::<Game>()
        .codes(UNAVAILABLE)
        .slow(),
    Route::post("/api/v2/artgrid/apply", Handler::Write(apply_game))
        .about("artgrid", "Writes name, year and pictures of the artwork provider to a game.")
        .since(SINCE)
        .body(&[
            GAME_REF[0],
            GAME_REF[1],
            optional(
                "artgrid_id",
                Holds::Integer { min: 1, max: 4_294_967_295 },
                "The number of the game at the provider; that of the first hit when it is missing.",
            )
            .or_digits(),
            optional("fields", Holds::List, "name, year; both when it is missing."),
            MEDIA,
            optional("replace_existing", Holds::Flag, "Whether existing values are replaced."),
        ])
        .returns::<Queued>()
        .accepts()
        .codes(UNAVAILABLE),
    Route::post("/api/v2/artgrid/match", Handler::Write(match_games))
        .about("artgrid", "Fetches pictures for games that lack them.")
        .since(SINCE)
        .body(&[
            optional(
                "ids",
                Holds::List,
                "Games, at most 100; those without a cover when it is missing.",
            ),
            MEDIA,
        ])
        .returns::<Queued>()
        .accepts()
        .codes(UNAVAILABLE)
        .slow(),
    Route::get("/api/v2/artgrid/hygiene/report", Handler::Read(report))
        .about("artgrid", "Reports problems of the artwork of the games.")
        .since(SINCE)
        .query(&[optional(
            "limit",
            Holds::Integer { min: 1, max: 1_000_000 },
            "Only the first games.",
        )])
        .returns::<Report>()
        .slow(),
    Route::post("/api/v2/artgrid/hygiene/fix", Handler::Write(fix))
        .about("artgrid", "Replaces wrong artwork with pictures of the artwork provider.")
        .since(SINCE)
        .body(&[
            optional(
                "game_ids",
                Holds::List,
                "Stable ids; every game when it is missing or empty.",
            ),
            optional(
                "fields",
                Holds::List,
                "cover, hero, background, clear_logo, icon, banner; cover when it is missing.",
            ),
            optional(
                "issues",
                Holds::List,
                "missing_cover, low_res, wrong_aspect, duplicate; all of them when it is missing.",
            ),
            optional(
                "findings",
                Holds::List,
                "Findings of the report, `{game_id, field}`: only these pictures.",
            ),
            optional("limit", Holds::Integer { min: 1, max: 200 }, "Pictures at most.").or(200),
        ])
        .returns::<FixQueued>()
        .accepts()
        .codes(UNAVAILABLE),
    Route::post("/api/v2/artgrid/hygiene/undo", Handler::Write(undo))
        .about("artgrid", "Undoes a fix of artwork.")
        .since(SINCE)
        .body(&[optional("batch_id", Holds::Text, "The fix; the newest when it is missing.")])
        .returns::<Undone>()
        .codes(&[Code::ArtworkUndoMissing])
        .slow(),
    Route::get("/api/v2/artgrid/hygiene/batch", Handler::Read(compare))
        .about("artgrid", "Lists the pictures of a fix of artwork that can be undone.")
        .since(SINCE)
        .query(&[BATCH])
        .returns::<Compared>()
        .codes(&[Code::ArtworkUndoMissing])
        .slow(),
    Route::get("/api/v2/artgrid/hygiene/before", Handler::Read(show_before))
        .about("artgrid", "A smaller copy of the picture that a game had before a fix of artwork.")
        .since(SINCE)
        .file()
        .query(&[
            BATCH,
            required("game_id", Holds::Text, "The stable id."),
            required("field", Holds::Text, "The media field."),
        ])
        .codes(&[Code::ArtworkUndoMissing, Code::MediaNotFound])
        .slow(),
];

schema! {
    "ArtworkFixQueued"
    /// A fix of artwork was accepted.
    struct FixQueued {
        /// `queued`.
        state: &'static str,
        job_id: String,
        /// Where the pictures come from.
        provider: &'static str,
    }

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

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.artwork.artgrid.status(is_enabled(&reader.state)))
}

fn search(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let limit = call.count("limit")?;
    let title = call.query_text("q").unwrap_or_default();
    let results = reader.shared.artwork.artgrid.search(is_enabled(&reader.state), &title, limit)?;
    ok(&ArtgridHits { results, provider: ARTGRID.id })
}

fn test(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let is_enabled = is_enabled(&*writer.store.snapshot()?);
    ok(&ArtgridTested { ok: true, probe_results: writer.shared.artwork.artgrid.test(is_enabled)? })
}

fn show_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.integer("artgrid_id")?.and_then(|id| u32::try_from(id).ok());
    let id = id.ok_or_else(|| call.missing("artgrid_id"))?;
    let is_enabled = is_enabled(&*writer.store.snapshot()?);
    ok(&writer.shared.artwork.artgrid.info(is_enabled, id)?)
}

fn apply_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.game().ok_or_else(|| ApiError::bad("Game id is required."))?;
    let artgrid_id = call.integer("artgrid_id")?.and_then(|id| u32::try_from(id).ok());
    let request = Request {
        game,
        artgrid_id,
        fields: call.given("fields"),
        media: call.given("media"),
        replaces: call.flag("replace_existing")?,
    };
    let job = apply::submit(&writer.shared.artwork, &writer.shared.jobs, &request)?;
    accepted(&Queued::of(job.job_id))
}

fn match_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let ids = call.texts("ids")?.unwrap_or_default();
    let many =
        || ApiError::bad(format!("At most {} games can be matched at once.", matching::GAMES));
    let ids = Some(ids).filter(|ids| ids.len() <= matching::GAMES).ok_or_else(many)?;
    let media = call.given("media");
    let job = matching::submit(&writer.shared.artwork, &writer.shared.jobs, &ids, media)?;
    accepted(&Queued::of(job.job_id))
}

fn report(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let limit = call.count_if_given("limit")?.unwrap_or(usize::MAX);
    ok(&reader.shared.hygiene.report(&reader.state, limit, &Moment::now()))
}

fn fix(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = fix::Request {
        game_ids: call.texts("game_ids")?.unwrap_or_default(),
        fields: call.given("fields"),
        issues: call.given("issues"),
        findings: call.given("findings"),
        limit: call.count("limit")?,
    };
    let job = writer.shared.hygiene.submit_fix(&writer.shared.jobs, &request)?;
    let Queued { state, job_id } = Queued::of(job.job_id);
    accepted(&FixQueued { state, job_id, provider: ARTGRID.id })
}

fn compare(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let batch = call.query("batch_id").ok_or_else(|| call.missing("batch_id"))?;
    ok(&reader.shared.hygiene.compared(&reader.state, &batch)?)
}

fn show_before(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let named = |name: &'static str| call.query(name).ok_or_else(|| call.missing(name));
    let (batch, game, field) = (named("batch_id")?, named("game_id")?, named("field")?);
    let bytes = reader.shared.hygiene.before(&batch, &game, &field)?;
    let bytes = bytes.ok_or_else(|| ApiError::of(Code::MediaNotFound))?;
    let kind = Kind::of(&bytes).map_or("application/octet-stream", Kind::content_type);
    Ok(Reply::new(200, kind, Body::Bytes(bytes)).cached("private, max-age=86400"))
}

fn undo(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let batch = Some(call.optional_text("batch_id")?).filter(|id| !id.is_empty());
    ok(&writer.shared.hygiene.undo(batch)?)
}
