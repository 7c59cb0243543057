//! Launching, running sessions, history, launch and performance profiles.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    replies::{Done, SavedCount},
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    files::DiskError,
    launch::{
        error::ControlError,
        extras::{ExtraError, Kind},
        profiles,
    },
    sessions::{Running, RunningGame, control::Action, history, performance, recap::Recap},
};

const AFTER: [Param; 1] = [optional(
    "after",
    Holds::Integer { min: 0, max: i64::MAX },
    "Only events numbered above this; anything else counts as 0.",
)
.or(0)
.clamped()
.lenient()];
const HISTORY: [Param; 2] = [
    optional(
        "limit",
        Holds::Integer { min: 1, max: history::ROWS.1 },
        "How many sessions, newest first; clamped, 100 by default.",
    )
    .or(history::ROWS.0)
    .clamped()
    .lenient(),
    optional("game_id", Holds::Text, "Only sessions of this game."),
];
const DAYS: [Param; 1] = [optional(
    "days",
    Holds::Integer { min: 1, max: history::DAYS.1 },
    "How far back; clamped, 90 by default.",
)
.or(history::DAYS.0)
.clamped()];
const LAUNCH_ID: Param = required("launch_id", Holds::Text, "Id of the launch.");
const EXTRA: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    required(
        "kind",
        Holds::Choice(&["applications", "versions", "documents"]),
        "The list that holds it.",
    ),
    required("index", Holds::Integer { min: 0, max: 99 }, "Its place in the list.")
        .passed()
        .lenient(),
];
const CONTROL: [Param; 2] = [
    LAUNCH_ID,
    required(
        "action",
        Holds::Choice(&["pause", "resume", "stop", "restart", "kill"]),
        "What to do with the game.",
    ),
];
const CLEANUP: [Param; 1] = [optional("launch_id", Holds::Text, "Id of the launch.")];
const FORCE: [Param; 1] =
    [optional("force", Holds::Flag, "Kill the games instead of asking them to end.").lenient()];
const PROFILES: [Param; 1] = [required(
    "profiles",
    Holds::Object,
    "Platform or profile name to command; {path} is the file, which is appended otherwise.",
)];
const PERFORMANCE: [Param; 1] = [optional(
    "perf_profiles",
    Holds::Object,
    "Profile name to enabled, tdp_w and restore_tdp_w; the body itself when the key is missing.",
)];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/running", Handler::Read(show_running))
        .about("sessions", "The games that run, abandoned sessions, and session events.")
        .query(&AFTER)
        .returns::<Running>()
        .v1(),
    Route::post("/api/launch", Handler::Write(launch_game))
        .about("sessions", "Starts a game and answers its running session.")
        .body(&GAME_REF)
        .returns::<Launched>()
        .codes(&[Code::LaunchAlreadyActive])
        // Slow, because an archive may have to be extracted first.
        .slow()
        .v1(),
    Route::post("/api/extra/launch", Handler::Write(launch_extra))
        .about("sessions", "Starts an application or version of a game, or opens a document.")
        .body(&EXTRA)
        .returns::<Done>()
        .v1(),
    Route::post("/api/session/control", Handler::Write(control_session))
        .about("sessions", "Pauses, resumes or ends a running game.")
        .body(&CONTROL)
        .returns::<Controlled<'_>>()
        .v1(),
    Route::post("/api/session/cleanup", Handler::Write(clean_up_session))
        .about("sessions", "Removes the row of an abandoned session; signals no process.")
        .body(&CLEANUP)
        .returns::<Done>(),
    Route::post("/api/shutdown", Handler::Write(shut_down_games))
        .about("sessions", "Ends every running game; the service continues.")
        .body(&FORCE)
        .returns::<ShutDown>()
        .v1(),
    Route::get("/api/history", Handler::Read(list_history))
        .about("sessions", "Finished sessions, newest first.")
        .query(&HISTORY)
        .returns::<history::History>()
        .v1(),
    Route::get("/api/v2/history/timeline", Handler::Read(show_timeline))
        .about("sessions", "Finished sessions by day, newest first.")
        .since("1.9.0")
        .query(&DAYS)
        .returns::<history::Timeline>(),
    Route::get("/api/v2/sessions/recap", Handler::Read(show_recap))
        .about(
            "sessions",
            "The summary of the last session; only while the history and recaps are on.",
        )
        .since("1.11.0")
        .returns::<Recap>()
        .codes(&[Code::RecapNotFound]),
    // Slow, because it may ask the package tool for every emulator.
    Route::get("/api/profiles", Handler::Read(list_profiles))
        .about("profiles", "Launch commands by platform: stored, and of installed emulators.")
        .returns::<ProfileList>()
        .slow()
        .v1(),
    Route::post("/api/profiles", Handler::Write(save_profiles))
        .about("profiles", "Replaces all launch commands; blank ones are dropped.")
        .body(&PROFILES)
        .returns::<SavedCount>()
        .v1(),
    Route::get("/api/perf_profiles", Handler::Read(list_performance))
        .about("profiles", "Power limits by launch profile.")
        .returns::<PerformanceList>(),
    Route::post("/api/perf_profiles", Handler::Write(save_performance))
        .about("profiles", "Replaces all power limits; those without any power are dropped.")
        .body(&PERFORMANCE)
        .returns::<SavedCount>(),
];

fn show_running(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let after = call.integer("after")?.and_then(|after| u64::try_from(after).ok());
    let shows = |id: &str| reader.shows(id);
    ok(&reader.shared.sessions.running(&reader.state, after.unwrap_or(0), shows))
}

fn launch_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_game()?;
    let by_position = call.text("game_id").is_empty();
    if by_position && !call.key("id").is_some_and(|id| id.is_u64() || id.is_string()) {
        return Err(ApiError::bad("missing or invalid game id"));
    }
    ok(&Launched { entry: writer.shared.sessions.launch(&game)?, ok: true })
}

fn launch_extra(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let kind = Kind::named(call.text("kind")).ok_or(ExtraError::UnknownKind)?;
    let game = call.required_game()?;
    let index = call.integer("index")?.and_then(|index| usize::try_from(index).ok());
    let state = writer.store.snapshot()?;
    let found = game.find(&state.games);
    let (_, game) = found.ok_or_else(|| ApiError::bad("Game not found"))?;
    writer.shared.sessions.launch_extra(game, kind, index)?;
    ok(&Done { ok: true })
}

fn control_session(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (action, launch_id) = (call.text("action"), call.text("launch_id"));
    let parsed = Action::parse(action)?;
    let sessions = &writer.shared.sessions;
    if sessions.game_of(launch_id).is_some_and(|game| !writer.shows(&game)) {
        return Err(ControlError::NotRunning.into());
    }
    sessions.control(launch_id, parsed)?;
    ok(&Controlled { ok: true, action })
}

fn clean_up_session(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    writer.shared.sessions.clean_up(call.text("launch_id"))?;
    ok(&Done { ok: true })
}

schema! {
    /// A game was started.
    struct Launched {
        #[serde(flatten)]
        entry: RunningGame,
        ok: bool,
    }

    /// A running game was controlled.
    struct Controlled<'a> {
        ok: bool,
        action: &'a str,
    }

    /// `POST /api/shutdown`.
    struct ShutDown {
        /// How many games were asked to end.
        stopped: usize,
        /// Whether they were killed.
        forced: bool,
    }

    /// `GET /api/profiles`.
    struct ProfileList {
        /// Commands by platform or name of a profile.
        profiles: Map<String, Value>,
        /// Commands of installed emulators by platform.
        detected: BTreeMap<String, String>,
    }

    /// `GET /api/perf_profiles`.
    struct PerformanceList {
        /// Power limits by name of the launch profile.
        perf_profiles: Map<String, Value>,
    }
}

fn shut_down_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let forced = call.flag("force")?;
    ok(&ShutDown { stopped: writer.shared.sessions.shut_down(forced), forced })
}

fn list_history(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game_id = call.query_text("game_id");
    let archive = reader.shared.sessions.archive();
    let list = history::list(&reader.state, archive, call.count("limit")?, game_id.as_deref());
    ok(&list.map_err(unreadable_history)?)
}

fn show_timeline(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    // Asked for all at once: the probes read each folder at most once and never wait for a mount
    // that hangs.
    let probes = reader.shared.library.probes();
    let days = call.integer("days")?.unwrap_or(history::DAYS.0);
    let archive = reader.shared.sessions.archive();
    let rows = history::recent(&reader.state, archive, days, &Moment::now());
    let rows = rows.map_err(unreadable_history)?;
    let covers = history::covers(&reader.state, &rows);
    let approved: Vec<&str> =
        covers.values().map(String::as_str).filter(|cover| probes.roots().covers(cover)).collect();
    let there = probes.existing(&approved);
    let has_cover = |game: &crate::model::game::Game| {
        covers.get(game.id()).is_some_and(|cover| there.contains(cover.as_str()))
    };
    ok(&history::timeline(&reader.state, &rows, days, has_cover))
}

fn unreadable_history(error: DiskError) -> ApiError {
    log::error!("{error}");
    ApiError::bad(format!("The history could not be read: {}.", error.reason()))
}

fn show_recap(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let recap = reader.shared.sessions.recap(&reader.state);
    let recap = recap.filter(|recap| reader.shows(recap.game_id()));
    ok(&recap.ok_or(ApiError::of(Code::RecapNotFound))?)
}

fn list_profiles(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let sessions = &reader.shared.sessions;
    // Right after the start, the commands of installed emulators are yet to be stored.
    sessions.await_detection();
    let profiles = profiles::stored(&*reader.newest()?);
    ok(&ProfileList { profiles, detected: sessions.detected_profiles() })
}

fn save_profiles(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&SavedCount { saved: profiles::save(writer.store, call.key("profiles"))? })
}

fn list_performance(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&PerformanceList { perf_profiles: performance::stored(&reader.state) })
}

fn save_performance(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let whole = || Value::Object(call.body.clone());
    let posted = call.key("perf_profiles").cloned().unwrap_or_else(whole);
    ok(&SavedCount { saved: performance::save(writer.store, &posted)? })
}
