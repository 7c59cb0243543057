//! Quick resume: continuing from the state that the last session of a game left.

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema, game::GameRef, resume::subject::ResumeStatus, sessions::resume::Resumed,
};

const SINCE: &str = "1.11.0";
const RESUME: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional(
        "allow_stale",
        Holds::Flag,
        "Whether a state of another emulator or another build of it is tried.",
    ),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    // Slow, because the package tool may be asked about the emulator.
    Route::get("/api/v2/resume/status", Handler::Read(show_status))
        .about("sessions", "Whether a game can resume from the state that its last session left.")
        .since(SINCE)
        .query(&GAME_REF)
        .returns::<ResumeStatus>()
        .codes(&[Code::NoSuchGame])
        .slow(),
    Route::post("/api/v2/resume", Handler::Write(resume))
        .about("sessions", "Starts a game from its kept state.")
        .since(SINCE)
        .body(&RESUME)
        .returns::<Resumed>()
        .codes(&[
            Code::NoSuchGame,
            Code::QuickResumeDisabled,
            Code::ResumeUnsupported,
            Code::ResumeStateMissing,
            Code::ResumeStateStale,
            Code::LaunchAlreadyActive,
        ])
        .slow(),
    Route::post("/api/v2/resume/discard", Handler::Write(discard))
        .about("sessions", "Deletes the kept state of a game; archived ones stay.")
        .since(SINCE)
        .body(&GAME_REF)
        .returns::<StateDiscarded>()
        .codes(&[Code::NoSuchGame, Code::ResumeStateMissing])
        .slow(),
];

schema! {
    /// The kept state of a game was deleted.
    struct StateDiscarded {
        ok: bool,
        /// Always true.
        discarded: bool,
    }
}

fn show_status(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = call.queried_game().ok_or_else(|| ApiError::of(Code::NoSuchGame))?;
    ok(&reader.shared.sessions.resume_status(&reader.state, &game)?)
}

fn resume(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let allow_stale = call.flag("allow_stale")?;
    ok(&writer.shared.sessions.resume(&named(call)?, allow_stale)?)
}

fn discard(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    writer.shared.sessions.discard_state(&state, &named(call)?)?;
    ok(&StateDiscarded { ok: true, discarded: true })
}

/// The game of a body.
fn named(call: &Call<'_>) -> Result<GameRef, ApiError> {
    call.game().ok_or_else(|| ApiError::of(Code::NoSuchGame))
}
