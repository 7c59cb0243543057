//! The recorder and what it records of games: its status, recordings, clips.

use std::path::Path;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    keepsakes::clips::{CapturedClip, ClipError, ClipList},
    recorder::recordings::RecorderStatus,
};

const SINCE: &str = "1.11.0";
const ATTACH: [Param; 3] =
    [GAME_REF[0], GAME_REF[1], required("path", Holds::Text, "The recording; an absolute path.")];
const CLIP: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("launch_id", Holds::Text, "The session it belongs to; the running one of the game."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/recorder/status", Handler::Read(show_status))
        .about("recorder", "Whether the recorder runs, and its last recording.")
        .returns::<RecorderStatus>()
        .slow(),
    Route::post("/api/recorder/attach", Handler::Write(attach))
        .about("recorder", "Attaches a recording to a game; one from elsewhere is copied.")
        .body(&ATTACH)
        .returns::<RecordingAttached>()
        .slow(),
    Route::get("/api/v2/clips", Handler::Read(list_clips))
        .about("recorder", "The clips of a game, the oldest first.")
        .since(SINCE)
        .query(&GAME_REF)
        .returns::<ClipList>()
        .codes(&[Code::GameNotFound]),
    Route::post("/api/v2/clips/capture", Handler::Write(capture_clip))
        .about("recorder", "Saves the replay of the recorder, else takes a picture of the screen.")
        .since(SINCE)
        .body(&CLIP)
        .returns::<CapturedClip>()
        .codes(&[Code::NoSuchGame, Code::ClipUnavailable])
        .slow(),
];

schema! {
    /// A recording was attached to a game.
    struct RecordingAttached {
        /// Where it lies now.
        path: String,
        recorder: RecorderStatus,
    }
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&reader.shared.sessions.recorder().status(reader.state.settings()))
}

fn attach(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let game = call.required_game()?;
    let recorder = writer.shared.sessions.recorder();
    let path = recorder.attach(writer.store, &game, Path::new(call.text("path")))?;
    let state = writer.store.snapshot()?;
    ok(&RecordingAttached { path, recorder: recorder.status(state.settings()) })
}

fn list_clips(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let unknown = || ApiError::of(Code::GameNotFound);
    let game = call.queried_game().ok_or_else(unknown)?;
    ok(&reader.shared.keepsakes.clips(&reader.state, &game).map_err(|_| unknown())?)
}

fn capture_clip(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let game = call.game().ok_or(ClipError::UnknownGame)?;
    let launch_id = call.text("launch_id");
    ok(&shared.keepsakes.capture_clip(&shared.sessions, &game, launch_id)?)
}
