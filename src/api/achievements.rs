//! Achievements (`/api/ach/*`): the account, those of a game, badges, and the settings of emulators.

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    achievements::{
        inject::Injected,
        job,
        service::{AchievementSettings, GameAchievements},
    },
    http::reply::{Body, Reply},
};

const ACCOUNT: [Param; 2] = [
    required("username", Holds::Text, "The name of the user at RetroAchievements."),
    optional("api_key", Holds::Text, "The web API key; a blank one keeps the one that is stored."),
];
const BADGE: [Param; 2] = [
    required(
        "name",
        Holds::Text,
        "The name of a badge; characters other than letters, digits, `_` and `-` are ignored.",
    ),
    optional("locked", Holds::Choice(&["0", "1"]), "1 for the picture of a locked achievement.")
        .or(0),
];
const TOKEN: [Param; 1] = [optional(
    "token",
    Holds::Text,
    "The token of a login, which emulators need; without it the web API key is written.",
)];

/// A badge does not change under its name.
const KEPT: &str = "private, max-age=604800";

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/ach/settings", Handler::Open(show_account))
        .about("achievements", "The account whose achievements are read, as the provider knows it.")
        .returns::<AchievementSettings>()
        .slow(),
    Route::post("/api/ach/settings", Handler::Write(save_account))
        .about("achievements", "Tries credentials and stores them.")
        .body(&ACCOUNT)
        .returns::<AchievementSettings>()
        .slow(),
    Route::post("/api/ach/game", Handler::Write(show_game))
        .about("achievements", "The achievements of a game, found by its file or its number.")
        .body(&GAME_REF)
        .returns::<GameAchievements>()
        .slow(),
    Route::post("/api/ach/library", Handler::Write(read_library))
        .about(
            "achievements",
            "Reads the progress in all games that are known at the provider, as a job.",
        )
        .returns::<Queued>()
        .accepts(),
    Route::post("/api/ach/inject", Handler::Write(inject))
        .about("achievements", "Writes the credentials into the settings of emulators.")
        .body(&TOKEN)
        .returns::<Injected>()
        .slow()
        .v1(),
    Route::get("/api/ach/badge", Handler::Read(show_badge))
        .about("achievements", "The picture of an achievement.")
        .file()
        .query(&BADGE)
        .codes(&[Code::BadgeNotFound])
        .slow(),
];

fn show_account(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&writer.shared.achievements.settings()?)
}

fn save_account(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.achievements.save(call.text("username"), call.text("api_key"))?)
}

fn show_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.achievements.game(&call.required_game()?)?)
}

fn read_library(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let job = job::submit_library(&shared.achievements, &shared.jobs)?;
    accepted(&Queued::of(job.job_id))
}

fn inject(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.achievements.inject(call.text("token"))?)
}

fn show_badge(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let name = call.query("name").unwrap_or_default();
    let badge = reader.shared.achievements.badge(&name, call.switch("locked"));
    let bytes = badge.ok_or_else(|| ApiError::of(Code::BadgeNotFound))?;
    Ok(Reply::new(200, "image/png", Body::Bytes(bytes)).cached(KEPT))
}
