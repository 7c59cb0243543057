//! Reels and memories of games.

use serde_json::Value;

use super::{
    call::{Answer, Call, accepted, ok},
    code::Code,
    error::ApiError,
    file_reply::{self, Served},
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    keepsakes::{
        assign::MemoryAssigned,
        memories::{self, Bucket, MemoriesStatus, MemoryList},
        memory_job, reel_job,
        reels::{self, Manifest, ReelError, YEARS},
    },
    media::serve::MediaFile,
};

const SINCE: &str = "1.11.0";
const CREATE: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional(
        "year",
        Holds::Integer { min: YEARS.0, max: YEARS.1 },
        "Only what was kept in this year.",
    ),
];
const LIST: [Param; 3] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("unassigned", Holds::Flag, "Those whose game is not known."),
];
const ASSIGN: [Param; 3] =
    [GAME_REF[0], GAME_REF[1], required("sha256", Holds::Text, "Which picture; lower-case hex.")];
const FILE: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("bucket", Holds::Text, "`unassigned` for those whose game is not known."),
    optional("index", Holds::Integer { min: 0, max: 100_000 }, "Which picture.").passed().lenient(),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/reels", Handler::Read(show_manifest))
        .about("reels", "The content of a reel of a game; the same each time.")
        .since(SINCE)
        .query(&GAME_REF)
        .returns::<Manifest>()
        .codes(&[Code::GameNotFound])
        .slow(),
    Route::post("/api/v2/reels/create", Handler::Write(create))
        .about(
            "reels",
            "Makes a film of the keepsakes of a game, or a page where that is not possible.",
        )
        .since(SINCE)
        .body(&CREATE)
        .returns::<ReelQueued>()
        .accepts()
        .codes(&[Code::NoSuchGame]),
    Route::get("/api/v2/memories", Handler::Read(list_memories))
        .about("memories", "The imported pictures of a game, or those whose game is not known.")
        .since(SINCE)
        .query(&LIST)
        .returns::<MemoryList>()
        .codes(&[Code::GameNotFound]),
    Route::get("/api/v2/memories/status", Handler::Read(show_memories))
        .about("memories", "How many pictures were imported, and the latest import.")
        .since(SINCE)
        .returns::<MemoriesStatus>(),
    Route::get("/api/v2/memories/media", Handler::Read(serve_memory))
        .about("memories", "An imported picture, whole or in part.")
        .since(SINCE)
        .query(&FILE)
        .file()
        .codes(&[Code::MediaNotFound]),
    Route::post("/api/v2/memories/import", Handler::Write(import_memories))
        .about("memories", "Imports pictures that other programs took of games.")
        .since(SINCE)
        .returns::<MemoriesQueued>()
        .may_accept(),
    Route::post("/api/v2/memories/assign", Handler::Write(assign_memory))
        .about("memories", "Assigns an imported picture to a game; to none where no game is named.")
        .since("1.17")
        .body(&ASSIGN)
        .returns::<MemoryAssigned>()
        .codes(&[Code::NoSuchGame, Code::MemoryNotFound, Code::MemoriesFull]),
];

schema! {
    /// A reel is being made.
    struct ReelQueued {
        state: &'static str,
        job_id: String,
        game_id: String,
    }

    /// Memories are being imported, or that is switched off.
    struct MemoriesQueued {
        /// False when it is switched off.
        enabled: bool,
        /// `queued` or `disabled`.
        state: &'static str,
        #[serde(skip_serializing_if = "Option::is_none")]
        job_id: Option<String>,
        /// 0 when it is switched off.
        #[serde(skip_serializing_if = "Option::is_none")]
        added: Option<u64>,
    }
}

fn show_manifest(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let unknown = || ApiError::of(Code::GameNotFound);
    let game = call.queried_game().ok_or_else(unknown)?;
    ok(&reels::manifest(&reader.state, &game).map_err(|_| unknown())?)
}

fn create(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let game = call.game().ok_or(ReelError::UnknownGame)?;
    let state = writer.store.snapshot()?;
    let year: Option<&Value> = call.key("year");
    let (job, game_id) = reel_job::submit(&shared.jobs, &state, &game, year)?;
    accepted(&ReelQueued { state: "queued", job_id: job.job_id, game_id })
}

fn list_memories(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let bucket = if call.switch("unassigned") {
        Some(Bucket::Unassigned)
    } else {
        call.queried_game().map(Bucket::Game)
    };
    let list = bucket.and_then(|bucket| memories::list(&reader.state, &bucket));
    ok(&list.ok_or_else(|| ApiError::of(Code::GameNotFound))?)
}

fn show_memories(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&memories::status(&reader.state, &reader.shared.jobs))
}

fn serve_memory(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let bucket = match call.query_text("bucket").as_deref() {
        Some("unassigned") => Some(Bucket::Unassigned),
        Some(_) => None,
        None => call.queried_game().map(Bucket::Game),
    };
    let index = call.integer("index").ok().flatten().and_then(|index| usize::try_from(index).ok());
    let found = bucket.zip(index).and_then(|(bucket, index)| {
        reader.shared.keepsakes.memory_file(&reader.state, &bucket, index)
    });
    let found = found.ok_or_else(|| ApiError::of(Code::MediaNotFound))?;
    let etag = found.etag();
    let MediaFile { file, name, size, modified, .. } = found;
    let served = Served { file, name, size, modified, etag };
    // Another picture takes the place of one that is given to a game.
    let reply = file_reply::reply(&call.request.head, served).cached("private, no-cache");
    Ok(file_reply::as_download(reply))
}

fn assign_memory(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let to = call.game();
    ok(&writer.shared.keepsakes.assign_memory(call.text("sha256"), to.as_ref())?)
}

fn import_memories(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let state = writer.store.snapshot()?;
    match memory_job::submit(&shared.jobs, &state)? {
        Some(job) => accepted(&MemoriesQueued {
            enabled: true,
            state: "queued",
            job_id: Some(job.job_id),
            added: None,
        }),
        None => {
            ok(&MemoriesQueued { enabled: false, state: "disabled", job_id: None, added: Some(0) })
        }
    }
}
