//! Figures from history and library (`/api/v2/insights/...`), the story of a game (`/api/v2/story`), picks
//! and the constellation (`/api/v2/library/...`).

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    probed::Probed,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::Moment,
    dna::search::Question,
    game::GameRef,
    insights::{
        constellation::{Constellation, DEPTH, LIMIT, USUAL_LIMIT, View},
        heatmap::{DAYS, Heatmap, Window},
        mastery::Mastery,
        pick::{Lift, Picks, Wanted},
        radar::{self, Parked, RadarReply},
        radio::RadioReply,
        story::Story,
        summary::Summary,
        trophies::{Evaluated, Trophies},
        wrapped::{Wrapped, YEARS},
    },
};

const WINDOW: [Param; 2] = [
    optional(
        "days",
        Holds::Integer { min: DAYS.0, max: DAYS.1 },
        "How many days; 366 when missing.",
    )
    .passed()
    .refusal("days must be an integer"),
    optional("end_date", Holds::Text, "The last day, `YYYY-MM-DD`; today when missing."),
];
const YEAR: [Param; 1] =
    [required("year", Holds::Integer { min: YEARS.0, max: YEARS.1 }, "The year, 1970 to 2100.")
        .passed()
        .refusal("year must be an integer")];

/// Games that fit a question and are preferred by a pick.
const SEEDED: usize = 200;

const WANTED: [Param; 8] = [
    optional("minutes", Holds::Integer { min: 0, max: i64::MAX }, "Minutes of time; 0 for any.")
        .or(0)
        .passed()
        .strict()
        .refusal("minutes must be an integer"),
    optional("mood", Holds::Text, "`any`, `action`, `chill`, `story`, `retro` or `party`."),
    optional("familiarity", Holds::Text, "`any`, `new` or `favorite`."),
    optional("players", Holds::Integer { min: 1, max: 8 }, "How many play; 1 when missing.")
        .or(1)
        .passed()
        .strict()
        .refusal("players must be between 1 and 8"),
    optional("scope", Holds::Text, "`all`, `platform` or `playlist`."),
    optional("scope_name", Holds::Text, "Which platform or playlist."),
    optional(
        "seed_query",
        Holds::Text,
        "A question in plain words; games that fit it are preferred.",
    ),
    optional(
        "dna_boost",
        Holds::Number,
        "How much they are preferred, also a fraction; 1 when missing.",
    ),
];
const PARK: [Param; 2] = [required("game_id", Holds::Text, "The game."), GAME_REF[1]];
const VIEW: [Param; 4] = [
    optional("kinds", Holds::Text, "Kinds of connections, separated by commas; all when missing."),
    optional("limit", Holds::Integer { min: LIMIT.0, max: LIMIT.1 }, "Games; 400 when missing.")
        .or(USUAL_LIMIT)
        .passed()
        .refusal("limit must be between 50 and 1000"),
    optional("focus", Holds::Text, "Stable id or position of the game in the middle."),
    optional(
        "depth",
        Holds::Integer { min: DEPTH.0, max: DEPTH.1 },
        "Lines from it; 1 when missing.",
    )
    .or(1)
    .passed()
    .refusal("depth must be 1 or 2"),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/insights/summary", Handler::Read(show_summary))
        .about("insights", "How much was played, of what, and the trend.")
        .since("1.9.0")
        .query(&WINDOW)
        .returns::<Summary>()
        .slow(),
    Route::get("/api/v2/insights/heatmap", Handler::Read(show_heatmap))
        .about("insights", "Play by day.")
        .since("1.9.0")
        .query(&WINDOW)
        .returns::<Heatmap>()
        .slow(),
    Route::get("/api/v2/insights/mastery", Handler::Read(show_mastery))
        .about("insights", "Progress of games, by platform and decade.")
        .since("1.9.0")
        .returns::<Mastery>()
        .slow(),
    Route::get("/api/v2/insights/wrapped", Handler::Read(show_wrapped))
        .about("insights", "One year of play.")
        .since("1.9.0")
        .query(&YEAR)
        .returns::<Wrapped>()
        .slow(),
    Route::get("/api/v2/insights/trophies", Handler::Read(list_trophies))
        .about("insights", "The trophies with their progress.")
        .since("1.11.0")
        .returns::<Trophies>()
        .slow(),
    Route::post("/api/v2/insights/trophies/evaluate", Handler::Write(evaluate_trophies))
        .about("insights", "Stores the trophies that are due; awarded ones stay.")
        .since("1.11.0")
        .returns::<Evaluated>()
        .slow(),
    Route::get("/api/v2/insights/radar", Handler::Read(show_radar))
        .about("insights", "Unfinished games: to finish, or to park.")
        .since("1.11.0")
        .returns::<RadarReply>()
        .slow(),
    Route::post("/api/v2/insights/radar/park", Handler::Write(park_game))
        .about("insights", "Pauses a game and takes it off the radar.")
        .since("1.11.0")
        .body(&PARK)
        .returns::<Parked>()
        .codes(&[Code::GameNotFound]),
    // Writes, because a set that is due is made by the first who asks.
    Route::get("/api/v2/insights/radio", Handler::Write(show_radio))
        .about("insights", "Five games to play next, kept for a week.")
        .since("1.11.0")
        .returns::<RadioReply>()
        .slow(),
    Route::post("/api/v2/insights/radio/refresh", Handler::Write(refresh_radio))
        .about("insights", "Replaces the games to play next.")
        .since("1.11.0")
        .returns::<RadioReply>()
        .slow(),
    Route::get("/api/v2/story", Handler::Read(tell_story))
        .about("insights", "The story of one game.")
        .since("1.11.0")
        .query(&GAME_REF)
        .returns::<Story>()
        .codes(&[Code::NoSuchGame])
        .slow(),
    Route::post("/api/v2/library/pick", Handler::Write(pick_games))
        .about("insights", "Three games to play now; changes nothing.")
        .since("1.9.0")
        .body(&WANTED)
        .returns::<Picks>()
        .slow(),
    Route::get("/api/v2/library/constellation", Handler::Read(show_constellation))
        .about("insights", "Games and their connections.")
        .since("1.9.0")
        .query(&VIEW)
        .returns::<Constellation>()
        .codes(&[Code::GameNotFound])
        .slow(),
];

fn window(call: &Call<'_>) -> Result<Window, ApiError> {
    let end_date = call.query_text("end_date");
    Ok(Window::of(call.integer("days")?, end_date.as_deref(), &Moment::now())?)
}

fn show_summary(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    ok(&reader.shared.insights.summary(&reader.state, window(call)?)?)
}

fn show_heatmap(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    ok(&reader.shared.insights.heatmap(&reader.state, window(call)?)?)
}

fn show_mastery(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.insights.mastery(&reader.state))
}

fn show_wrapped(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let year = call.integer("year")?.ok_or_else(|| ApiError::bad("year is required"))?;
    ok(&*reader.shared.insights.wrapped(&reader.state, year)?)
}

fn list_trophies(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.insights.trophies(&reader.state)?)
}

fn evaluate_trophies(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.insights.evaluate(writer.store, &Moment::now())?)
}

fn show_radar(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let radar = reader.shared.insights.radar(&reader.state, &Moment::now())?;
    ok(&RadarReply { radar })
}

fn park_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let by_number = call.key("game_id").filter(|id| id.is_u64());
    let game = by_number.map(|id| GameRef::from_text(&id.to_string())).or_else(|| call.game());
    let game = game.ok_or_else(|| ApiError::bad("game_id is required"))?;
    ok(&radar::park(writer.store, &game)?)
}

fn show_radio(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    radio(writer, false)
}

fn refresh_radio(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    radio(writer, true)
}

fn radio(writer: &Writer<'_>, is_forced: bool) -> Answer {
    let playlist = writer.shared.insights.radio(writer.store, &Moment::now(), is_forced)?;
    ok(&RadioReply { playlist })
}

fn tell_story(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = call.queried_game().ok_or_else(|| ApiError::of(Code::NoSuchGame))?;
    let story = reader.shared.insights.story(&reader.state, &game);
    ok(&story.map_err(|error| match error {
        crate::insights::InsightError::UnknownGame => ApiError::of(Code::NoSuchGame),
        other => other.into(),
    })?)
}

/// The text of a choice; any other value counts as a text outside the choices.
fn choice_text<'a>(call: &'a Call<'_>, name: &str) -> &'a str {
    match call.given(name) {
        None => "",
        Some(value) => value.as_str().map_or("?", str::trim),
    }
}

fn pick_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let minutes = call.integer("minutes")?.unwrap_or(0);
    let players = call.integer("players")?.unwrap_or(1);
    let scope = (choice_text(call, "scope"), call.text("scope_name"));
    let (mood, familiarity) = (choice_text(call, "mood"), choice_text(call, "familiarity"));
    let wanted = Wanted::of(minutes, mood, familiarity, players, scope)?;
    let boost = Lift::read_boost(call.given("dna_boost"))?;
    let state = writer.store.snapshot()?;
    let seed = call.text("seed_query");
    let lift = (!seed.is_empty()).then(|| {
        let question = Question { query: seed, limit: SEEDED, ..Question::default() };
        let results = super::dna::answer(writer, &state, &question).results;
        let scores = results.into_iter().map(|result| (result.game_id, result.score)).collect();
        Lift { query: seed.to_owned(), boost, scores }
    });
    let wanted = wanted.lifted(lift);
    let context = Probed { shared: writer.shared, state: &state };
    ok(&writer.shared.insights.pick(&state, &wanted, &context, &Moment::now())?)
}

fn show_constellation(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let kinds = call.query_text("kinds");
    let limit = call.integer("limit")?.unwrap_or(USUAL_LIMIT);
    let depth = call.integer("depth")?.unwrap_or(1);
    let focus = call.query_text("focus").map(|focus| GameRef::from_text(&focus));
    let view = View::of(kinds.as_deref(), limit, focus, depth)?;
    ok(&reader.shared.insights.constellation(&reader.state, &view)?)
}
