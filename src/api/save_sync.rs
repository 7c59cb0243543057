//! `/api/v2/saves/devices`: saves that go from device to device through the mounted folder.

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    replies::Queued,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    formats::thumbnail::Kind,
    http::reply::{Body, Reply},
    mounted::canonical::is_id,
    savesync::{
        job::{submit_choice, submit_sync},
        memory,
        status::Status,
    },
};

const CHOICE: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("version", Holds::Text, "The id of the version; the saves here when it is missing."),
];

const VERSION: [Param; 3] =
    [GAME_REF[0], GAME_REF[1], required("version", Holds::Text, "The id of the version.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/saves/devices", Handler::Read(show_status))
        .about("saves", "The versions of a game's saves that devices share, and which is here.")
        .since("1.15.0")
        .query(&GAME_REF)
        .returns::<Status>()
        .codes(&[Code::GameNotFound])
        .slow(),
    Route::get("/api/v2/saves/devices/picture", Handler::Read(show_picture))
        .about("saves", "The picture of a version of a game's saves, taken when it was left.")
        .since("1.15.0")
        .file()
        .query(&VERSION)
        .codes(&[Code::GameNotFound, Code::MediaNotFound])
        .slow(),
    Route::post("/api/v2/saves/devices/sync", Handler::Write(sync_saves))
        .about("saves", "Sends or fetches the saves of a game, whichever is due.")
        .since("1.15.0")
        .body(&GAME_REF)
        .returns::<Queued>()
        .accepts(),
    Route::post("/api/v2/saves/devices/choose", Handler::Write(choose_version))
        .about(
            "saves",
            "Selects one of the conflicting versions as current on every device; all are kept.",
        )
        .since("1.15.0")
        .body(&CHOICE)
        .returns::<Queued>()
        .accepts(),
];

fn show_status(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = call.queried_game().and_then(|game| game.find(&reader.state.games));
    let (_, game) = game.ok_or_else(|| ApiError::of(Code::GameNotFound))?;
    ok(&reader.shared.save_sync.status(&reader.state, game))
}

fn show_picture(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let version = call.required_query("version")?;
    let game = call.queried_game().and_then(|game| game.find(&reader.state.games));
    let (_, game) = game.ok_or_else(|| ApiError::of(Code::GameNotFound))?;
    let picture = reader.shared.save_sync.picture(&reader.state, game, &version);
    let bytes = picture.unwrap_or_else(|error| {
        log::info!("a picture of saves is not shown: {error}");
        None
    });
    let bytes = bytes.ok_or_else(|| ApiError::of(Code::MediaNotFound))?;
    let kind = Kind::of(&bytes).ok_or_else(|| ApiError::of(Code::MediaNotFound))?;
    // What a version holds never changes.
    let reply = Reply::new(200, kind.content_type(), Body::Bytes(bytes));
    Ok(reply.cached("private, max-age=86400"))
}

/// The id of the game a body names, whose saves are shared.
fn shared(writer: &Writer<'_>, call: &Call<'_>) -> Result<String, ApiError> {
    let game = super::saves::named(writer, call)?;
    let state = writer.store.snapshot()?;
    match state.games.find(&game.id) {
        Some((_, found)) if memory::is_on(&state, found) => Ok(game.id),
        _ => Err(ApiError::bad("Saves of this game are not shared between devices.")),
    }
}

fn sync_saves(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = shared(writer, call)?;
    accepted(&Queued::of(submit_sync(&writer.shared.jobs, &id)?.job_id))
}

fn choose_version(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = shared(writer, call)?;
    let version = call.text("version").trim();
    if !version.is_empty() && !is_id(version) {
        return Err(ApiError::bad("A version is named by its id."));
    }
    accepted(&Queued::of(submit_choice(&writer.shared.jobs, &id, version)?.job_id))
}
