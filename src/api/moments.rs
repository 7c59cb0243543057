//! Moments of games: listed, made, edited, deleted, restored, resumed from.

use super::{
    call::{Answer, Call, created, ok},
    code::Code,
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    game::GameRef,
    keepsakes::{
        gallery::{self, PAGE},
        moment::{
            DeletedMoment, KeptMoment, MomentError, MomentGallery, MomentList, Request,
            ResumedMoment,
        },
        moments::{self, LIMIT},
    },
};

const SINCE: &str = "1.11.0";
const LIST: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("moment_id", Holds::Text, "One moment, whatever its game."),
    optional(
        "limit",
        Holds::Integer { min: LIMIT.0, max: LIMIT.1 },
        "How many, the newest first; 100 when missing.",
    )
    .or(LIMIT.2),
];
const GALLERY: [Param; 2] = [
    optional(
        "limit",
        Holds::Integer { min: PAGE.0, max: PAGE.1 },
        "How many, the newest first; 100 when missing.",
    )
    .or(PAGE.2)
    .clamped(),
    optional("offset", Holds::Integer { min: 0, max: i64::MAX }, "How many are skipped.")
        .or(0)
        .clamped(),
];
const MOMENT_ID: Param = required("moment_id", Holds::Text, "The moment.");
const TITLE: Param = optional("title", Holds::Text, "At most 120 characters.");
const NOTE: Param = optional("note", Holds::Text, "At most 2000 characters.");
const NEW: [Param; 10] = [
    GAME_REF[0],
    GAME_REF[1],
    TITLE,
    NOTE,
    optional("trigger", Holds::Text, "Its trigger; `manual` when missing."),
    optional("launch_id", Holds::Text, "The session it belongs to; the running one of the game."),
    optional(
        "capture",
        Holds::Flag,
        "Whether a picture of the screen is taken; true when missing.",
    ),
    optional("screenshot", Holds::Text, "An existing picture."),
    optional(
        "resume_state",
        Holds::Flag,
        "Whether the kept state of the game is copied; true when missing.",
    ),
    optional("created_at", Holds::Text, "The time of the moment; now when missing."),
];
const NAMED: [Param; 3] = [MOMENT_ID, GAME_REF[0], GAME_REF[1]];
const EDIT: [Param; 5] = [MOMENT_ID, GAME_REF[0], GAME_REF[1], TITLE, NOTE];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/moments", Handler::Read(list_moments))
        .about("moments", "The newest moments of a game, or one moment as `item`.")
        .since(SINCE)
        .query(&LIST)
        .returns::<MomentList>()
        .codes(&[
            Code::GameNotFound,
            Code::MomentNotFound,
            Code::MomentLimitInvalid,
            Code::MomentIdRequired,
        ]),
    Route::post("/api/v2/moments", Handler::Write(make_moment))
        .about("moments", "Saves a moment of a game, with a picture and a state where possible.")
        .since(SINCE)
        .body(&NEW)
        .returns::<KeptMoment>()
        .creates()
        .codes(&[
            Code::NoSuchGame,
            Code::MomentTriggerInvalid,
            Code::MomentsAutoDisabled,
            Code::MomentTitleInvalid,
            Code::MomentTitleTooLong,
            Code::MomentNoteInvalid,
            Code::MomentNoteTooLong,
            Code::MomentMediaInvalid,
        ])
        .slow(),
    Route::post("/api/v2/moments/resume", Handler::Write(resume_moment))
        .about("moments", "Starts a game from the state of a moment.")
        .since(SINCE)
        .body(&NAMED)
        .returns::<ResumedMoment>()
        .codes(&[
            Code::NoSuchGame,
            Code::MomentIdRequired,
            Code::MomentNotFound,
            Code::MomentResumeMissing,
            Code::MomentResumeStale,
            Code::MomentResumeInvalid,
            Code::QuickResumeDisabled,
            Code::ResumeUnsupported,
            Code::LaunchAlreadyActive,
        ])
        .slow(),
    Route::post("/api/v2/moments/update", Handler::Write(update_moment))
        .about("moments", "Changes the title or the note of a moment.")
        .since(SINCE)
        .body(&EDIT)
        .returns::<KeptMoment>()
        .codes(&[
            Code::NoSuchGame,
            Code::MomentIdRequired,
            Code::MomentNotFound,
            Code::MomentTitleInvalid,
            Code::MomentTitleTooLong,
            Code::MomentNoteInvalid,
            Code::MomentNoteTooLong,
        ]),
    Route::post("/api/v2/moments/delete", Handler::Write(delete_moment))
        .about("moments", "Deletes a moment and its state; its picture stays. It can be restored.")
        .since(SINCE)
        .body(&NAMED)
        .returns::<DeletedMoment>()
        .codes(&[Code::NoSuchGame, Code::MomentIdRequired, Code::MomentNotFound]),
    Route::post("/api/v2/moments/restore", Handler::Write(restore_moment))
        .about("moments", "Restores one of the last 50 deleted moments, with its state.")
        .since("1.17")
        .body(&[MOMENT_ID])
        .returns::<KeptMoment>()
        .codes(&[
            Code::NoSuchGame,
            Code::MomentIdRequired,
            Code::MomentNotFound,
            Code::MomentsFull,
        ]),
    // Slow, because it reads every game.
    Route::get("/api/v2/moments/gallery", Handler::Read(show_gallery))
        .about(
            "moments",
            "The moments of all games, the newest first, and how many each month has.",
        )
        .since("1.17")
        .query(&GALLERY)
        .returns::<MomentGallery>()
        .slow(),
];

fn list_moments(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let game = call.queried_game();
    // A read that names no game is answered with 404.
    let told = |error| match error {
        MomentError::UnknownGame => ApiError::of(Code::GameNotFound),
        other => other.into(),
    };
    if let Some(id) = call.query_text("moment_id") {
        return ok(&moments::one(&reader.state, &id, game.as_ref()).map_err(told)?);
    }
    let game = game.ok_or(MomentError::NoId)?;
    let limit = match call.query_text("limit") {
        None => LIMIT.2,
        Some(text) => {
            let limit = text.parse::<i64>().map_err(|_| MomentError::Limit)?;
            if !(LIMIT.0..=LIMIT.1).contains(&limit) {
                return Err(MomentError::Limit.into());
            }
            limit
        }
    };
    let limit = usize::try_from(limit).unwrap_or(0);
    ok(&moments::list(&reader.state, &game, limit).map_err(told)?)
}

fn make_moment(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let game = call.game().ok_or(MomentError::UnknownGame)?;
    let request = Request {
        title: call.key("title"),
        note: call.key("note"),
        trigger: call.key("trigger"),
        launch_id: call.text("launch_id"),
        capture: call.flag_if_given("capture")?.unwrap_or(true),
        screenshot: call.key("screenshot"),
        resume_state: call.flag_if_given("resume_state")?.unwrap_or(true),
        created_at: call.key("created_at"),
    };
    created(&shared.keepsakes.make_moment(&shared.sessions, &game, request)?)
}

fn update_moment(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (id, game) = named(call);
    let (title, note) = (call.given("title"), call.given("note"));
    ok(&writer.shared.keepsakes.update_moment(id, game.as_ref(), title, note)?)
}

fn delete_moment(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let (id, game) = named(call);
    ok(&shared.keepsakes.delete_moment(&shared.sessions, id, game.as_ref())?)
}

fn restore_moment(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    ok(&shared.keepsakes.restore_moment(&shared.sessions, call.text("moment_id"))?)
}

fn show_gallery(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let (offset, limit) = (call.count("offset")?, call.count("limit")?);
    ok(&gallery::page(&reader.state, offset, limit))
}

fn resume_moment(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let (id, game) = named(call);
    ok(&shared.keepsakes.resume_moment(&shared.sessions, id, game.as_ref())?)
}

fn named<'a>(call: &'a Call<'_>) -> (&'a str, Option<GameRef>) {
    (call.text("moment_id"), call.game())
}
