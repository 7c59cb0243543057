//! The scraper provider (`/api/v2/scraper/*`).

use serde_json::Value;

use super::{
    call::{Answer, Call, accepted, ok},
    error::ApiError,
    replies::Queued,
    route::{GAME_REF, Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    config::settings::read,
    game::GameRef,
    lookup::{
        scraper::{ScraperStatus, ScraperUser},
        scraper_answers::{Hit, Shown},
        scraper_apply::{self, Request},
        scraper_match,
    },
    model::State,
};

const SINCE: &str = "1.15";
const SCRAPER_ID: Param =
    optional("scraper_id", Holds::Text, "The number of the game at the provider.");
const ROM_PATH: Param = optional(
    "rom_path",
    Holds::Text,
    "The file of the game, at most 512 MB, or an archive with it; instead of scraper_id.",
);
const PLATFORM: Param = optional("platform", Holds::Text, "The platform; any when it is missing.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/scraper/status", Handler::Read(show_status))
        .about("metadata", "Reports whether the scraper provider can be used.")
        .since(SINCE)
        .returns::<ScraperStatus>(),
    Route::get("/api/v2/scraper/search", Handler::Read(search))
        .about("metadata", "Searches the scraper provider for a game, equal titles first.")
        .since(SINCE)
        .query(&[
            optional("q", Holds::Text, "The title; required for a result."),
            PLATFORM,
            optional("limit", Holds::Integer { min: 1, max: 30 }, "Games at most.").or(12),
        ])
        .returns::<ScraperHits>()
        .slow(),
    Route::post("/api/v2/scraper/test", Handler::Write(test))
        .about("metadata", "Tries the login of the scraper provider.")
        .since(SINCE)
        .returns::<ScraperTested>()
        .slow(),
    Route::post("/api/v2/scraper/info", Handler::Write(show_game))
        .about("metadata", "Shows a game of the scraper provider, by its number or by a file.")
        .since(SINCE)
        .body(&[SCRAPER_ID, ROM_PATH, PLATFORM])
        .returns::<Shown>()
        .slow(),
    Route::post("/api/v2/scraper/match", Handler::Write(match_games))
        .about("metadata", "Looks games up at the scraper provider by checksum and title.")
        .since(SINCE)
        .body(&[
            optional("ids", Holds::List, "At most 100 games; the first 100 when it is missing."),
            optional(
                "apply_confident",
                Holds::Flag,
                "Whether games are filled at once where two checksums agree.",
            ),
        ])
        .returns::<Queued>()
        .accepts(),
    Route::post("/api/v2/scraper/apply", Handler::Write(apply))
        .about("metadata", "Writes texts and media of the scraper provider to a game.")
        .since(SINCE)
        .body(&[
            GAME_REF[0],
            GAME_REF[1],
            SCRAPER_ID,
            ROM_PATH,
            optional(
                "fields",
                Holds::List,
                "name, description, year, genre, developer, publisher, max_players; the first six \
                 when it is missing.",
            ),
            optional("media", Holds::List, "Kinds of media; none when it is missing."),
            optional("media_urls", Holds::Object, "Addresses of chosen files by kind."),
            optional("replace_existing", Holds::Flag, "Whether existing values are replaced."),
        ])
        .returns::<Queued>()
        .accepts(),
];

schema! {
    /// `GET /api/v2/scraper/search`.
    struct ScraperHits {
        /// Equal titles first.
        results: Vec<Hit>,
    }

    /// `POST /api/v2/scraper/test`.
    struct ScraperTested {
        ok: bool,
        user: ScraperUser,
    }
}

/// The regions that the user prefers.
fn regions(state: &State) -> Vec<String> {
    read::texts(state.settings(), "region_priority")
}

/// The number of a game at the provider: a text or a number.
fn scraper_id(call: &Call<'_>) -> String {
    match call.key("scraper_id") {
        Some(Value::String(text)) => text.trim().to_owned(),
        Some(Value::Null) | None => String::new(),
        Some(other) => other.to_string(),
    }
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.lookup.scraper.status())
}

fn search(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let title = call.query_text("q").unwrap_or_default();
    let platform = call.query_text("platform").unwrap_or_default();
    let (limit, regions) = (call.count("limit")?, regions(&reader.state));
    let scraper = &reader.shared.lookup.scraper;
    ok(&ScraperHits { results: scraper.search(&title, &platform, &regions, limit)? })
}

fn test(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&ScraperTested { ok: true, user: writer.shared.lookup.scraper.test()? })
}

fn show_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let regions = regions(&*writer.store.snapshot()?);
    let scraper = &writer.shared.lookup.scraper;
    let (id, path, platform) = (scraper_id(call), call.text("rom_path"), call.text("platform"));
    if !id.is_empty() {
        return ok(&scraper.info_by_id(&id, platform, &regions)?);
    }
    scraper.check_login()?;
    if path.is_empty() {
        return Err(ApiError::bad("scraper_id or rom_path is required."));
    }
    ok(&scraper.info_by_rom(path, platform, &regions)?)
}

fn match_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = |value: &Value| match value {
        Value::String(text) if !text.trim().is_empty() => Some(GameRef::from_text(text)),
        Value::Number(number) => Some(GameRef::from_text(&number.to_string())),
        _ => None,
    };
    let ids = call.list("ids")?.unwrap_or_default();
    let ids: Option<Vec<GameRef>> = ids.iter().map(game).collect();
    let ids = ids.ok_or_else(|| ApiError::bad("ids must be a list of game ids."))?;
    let applies = call.flag("apply_confident")?;
    let shared = writer.shared;
    let job = scraper_match::submit(&shared.lookup, &shared.jobs, &ids, applies)?;
    accepted(&Queued::of(job.job_id))
}

fn apply(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = scraper_id(call);
    let request = Request {
        game: call.required_game()?,
        scraper_id: &id,
        rom_path: call.text("rom_path"),
        fields: call.texts("fields")?,
        media: call.texts("media")?.unwrap_or_default(),
        media_urls: call.object("media_urls")?.cloned().unwrap_or_default(),
        replace_existing: call.flag("replace_existing")?,
    };
    let shared = writer.shared;
    let job = scraper_apply::submit(&shared.lookup, &shared.jobs, request)?;
    accepted(&Queued::of(job.job_id))
}
