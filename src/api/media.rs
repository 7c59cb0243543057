//! The media files of games: serving them, missing files, duplicates, screenshots, the media
//! service, bezels.

use std::{
    path::Path,
    time::{Duration, Instant},
};

use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    file_reply::{self, Served},
    replies::FilePath,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    care::media_care::{self, Group, MediaAudit},
    http::{reply::Reply, tickets::LIFETIME},
    library::projection::ViewRules,
    media::{
        own_pictures::{self, LARGEST},
        serve::{self, MediaFile},
        thumbnails::{self, Copied, Lookup},
        uploads::{Progress, UploadChunk},
    },
    model::media::{MEDIA as MEDIA_KINDS, MediaKind},
    sessions::capture,
};

/// How long a request waits for a smaller copy; then it gets the picture itself.
const PATIENCE: Duration = Duration::from_millis(400);

const MEDIA: [Param; 5] = [
    GAME_REF[0],
    GAME_REF[1],
    required("kind", Holds::Text, "A media field, `screenshot`, or `video` for the active one."),
    optional("index", Holds::Integer { min: 0, max: 99 }, "Which screenshot.").passed().lenient(),
    optional(
        "w",
        Holds::Integer { min: 1, max: 4_294_967_295 },
        "The width a picture is shown at, in pixels: a copy of 160, 320 or 640 that is not narrower \
         is served instead of a larger picture.",
    )
    .refusal("w must be a whole number from 1."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/media", Handler::Read(serve_media))
        .about("media", "A media file of a game, whole or in part.")
        .file()
        .query(&MEDIA)
        .codes(&[Code::MediaNotFound])
        .slow_with("w")
        .v1(),
    Route::get("/api/media/kinds", Handler::Read(list_kinds))
        .about("media", "Lists the kinds of media a game can have.")
        .returns::<MediaKinds>(),
    Route::get("/api/media/audit", Handler::Read(audit))
        .about("media", "Counts the games that lack media.")
        .query(&[PLATFORM])
        .returns::<MediaAudit>()
        .slow()
        .v1(),
    Route::get("/api/media/duplicates", Handler::Read(list_duplicates))
        .about("media", "Lists media files with the same content.")
        .returns::<DuplicateMedia>()
        .slow(),
    Route::post("/api/media/cleanup", Handler::Write(clean_up))
        .about("media", "Removes duplicate media files.")
        .body(&[
            optional("apply", Holds::Flag, "Whether files are removed; without it only listed."),
            PLATFORM,
        ])
        .returns::<MediaCleaned<'_>>()
        .slow()
        .v1(),
    Route::get("/api/media/queue", Handler::Read(queue))
        .about("media", "Lists the media that wait to be downloaded.")
        .returns::<MediaQueue>(),
    Route::post("/api/media/adopt", Handler::Write(adopt))
        .about("media", "Copies a picture of this machine to the media folder.")
        .body(&[required("path", Holds::Text, "The picture; `~` is the home directory.")])
        .returns::<FilePath<'_>>()
        .slow(),
    Route::post("/api/v2/media/upload", Handler::Write(upload))
        .about("media", "Receives a picture in pieces, one after the other, into the media folder.")
        .body(&[
            optional("upload_id", Holds::Text, "The upload to continue; none begins one."),
            optional(
                "size",
                Holds::Integer { min: 1, max: LARGEST.cast_signed() },
                "Bytes of the whole picture, with the first piece.",
            )
            .refusal("size must be a whole number from 1 to 33554432."),
            optional(
                "offset",
                Holds::Integer { min: 0, max: LARGEST.cast_signed() },
                "Bytes that were sent before.",
            ),
            required("data", Holds::Text, "The piece in Base64, at most 61440 characters."),
        ])
        .returns::<Progress>()
        .slow(),
    Route::post("/api/ticket", Handler::Open(issue_ticket))
        .about("media", "Allows reading one file for ten minutes without the token, for links.")
        .body(&[required("path", Holds::Text, "The address of the file, with its query.")])
        .returns::<Ticket>(),
    screenshot("/api/screenshot"),
    screenshot("/api/recorder/screenshot"),
    Route::post("/api/mediasvc/settings", Handler::Write(configure))
        .about("media", "Stores the credentials of the media service.")
        .since("1.15")
        .body(&[
            required("username", Holds::Text, "The user name, at most 256 characters."),
            required("password", Holds::Text, "The password, at most 256 characters."),
            optional(
                "check",
                Holds::Flag,
                "Whether the credentials are tried first and stored only when accepted.",
            ),
        ])
        .returns::<MediaServiceSettings>()
        .slow(),
    Route::post("/api/mediasvc/download", Handler::Write(download))
        .about("media", "Loads media of a game from the media service.")
        .since("1.15")
        .body(&[
            GAME_REF[0],
            GAME_REF[1],
            optional("type", Holds::Text, "The kind of media; `box` when it is missing."),
        ])
        .returns::<FilePath<'_>>()
        .slow(),
    Route::post("/api/bezels/download", Handler::Write(download_bezels))
        .about("media", "Downloads the bezels of a platform.")
        .since("1.15")
        .body(&[required(
            "platform",
            Holds::Text,
            "NES, SNES, Nintendo 64, Game Boy Advance, Sega Genesis, PlayStation or Arcade.",
        )])
        .returns::<FilePath<'_>>()
        .codes(&[Code::Conflict])
        .slow(),
];

/// The route under its own name and in the group of the recorder.
const fn screenshot(path: &'static str) -> Route {
    Route::post(path, Handler::Write(take_screenshot))
        .about("media", "Takes a picture of the screen for the running game.")
        .body(&GAME_REF)
        .returns::<FilePath<'_>>()
        .slow()
}

const PLATFORM: Param = optional("platform", Holds::Text, "Only this platform; all without it.");

schema! {
    /// `GET /api/media/kinds`.
    struct MediaKinds {
        /// In the order in which the page shows them.
        kinds: [MediaKind; MEDIA_KINDS.len()],
    }

    /// `GET /api/media/duplicates`.
    struct DuplicateMedia {
        groups: Vec<Group>,
    }

    /// Duplicate media files were found, and removed when that was asked for.
    struct MediaCleaned<'a> {
        applied: bool,
        /// How many groups of equal files there are.
        groups: usize,
        /// The files that were removed, or that would be.
        paths: Vec<String>,
        platform: &'a str,
    }

    /// `GET /api/media/queue`.
    struct MediaQueue {
        /// Objects with the name, path and id of a game and the media it waits for.
        queue: Vec<Value>,
    }
}

schema! {
    /// `POST /api/mediasvc/settings`.
    struct MediaServiceSettings {
        /// Whether there are credentials.
        configured: bool,
    }

    /// `POST /api/ticket`.
    struct Ticket {
        /// The address with the ticket at its end.
        address: String,
        /// Seconds.
        expires_in: u64,
    }
}

/// The routes that reply with a file.
pub(super) const FILES: [&str; 12] = [
    "/api/ach/badge",
    "/api/backup",
    "/api/bigscreen/media",
    "/api/document",
    "/api/media",
    "/api/platform/document",
    "/api/theme.css",
    "/api/v2/artgrid/hygiene/before",
    "/api/v2/library/export/download",
    "/api/v2/media/candidate",
    "/api/v2/memories/media",
    "/api/v2/saves/devices/picture",
];

fn configure(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    // A password may begin or end with a space.
    let password = call.given("password").and_then(|value| value.as_str()).unwrap_or_default();
    let is_checked = call.flag("check")?;
    writer.shared.media_service.configure(call.text("username"), password, is_checked)?;
    ok(&MediaServiceSettings { configured: true })
}

fn download(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let kind = match call.given("type") {
        None => "box",
        Some(_) => call.text("type"),
    };
    let path = writer.shared.media_service.download(call.game().as_ref(), kind)?;
    ok(&FilePath { path: &path.to_string_lossy() })
}

fn download_bezels(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let folder = writer.shared.bezels.download(call.text("platform"))?;
    ok(&FilePath { path: &folder.to_string_lossy() })
}

fn issue_ticket(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let target = call.required("path")?;
    let path = target.split('?').next().unwrap_or_default();
    let is_file = FILES.contains(&path.replacen("/api/v1/", "/api/", 1).as_str());
    if !is_file || !target.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(ApiError::bad("path must be the address of a file of this service."));
    }
    let address = writer.shared.tickets.add_to(target);
    ok(&Ticket { address, expires_in: LIFETIME.as_secs() })
}

fn list_kinds(_: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&MediaKinds { kinds: MEDIA_KINDS })
}

fn audit(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let platform = call.query("platform").unwrap_or_default();
    ok(&media_care::audit(&reader.state, &platform))
}

fn list_duplicates(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let groups = media_care::duplicates(&reader.state, "", reader.shared.data_dir.root());
    ok(&DuplicateMedia { groups })
}

fn clean_up(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let apply = call.flag("apply")?;
    let platform = match call.optional_text("platform")? {
        "" => "all",
        platform => platform,
    };
    let root = shared.data_dir.root();
    let cleanup = media_care::clean_up(writer.store, writer.files, root, platform, apply)?;
    ok(&MediaCleaned { applied: apply, groups: cleanup.groups, paths: cleanup.paths, platform })
}

fn queue(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&MediaQueue { queue: reader.shared.read_files.media_queue(&reader.shared.data_dir) })
}

fn adopt(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let home = shared.environment.home().unwrap_or(Path::new("/"));
    let roots = shared.library.probes().roots();
    let folder = own_pictures::folder(&shared.data_dir.media());
    let path = own_pictures::adopt(writer.files, roots, &folder, call.text("path"), home)
        .map_err(|failure| ApiError::bad(failure.to_string()))?;
    ok(&FilePath { path: &path.to_string_lossy() })
}

fn upload(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let chunk = UploadChunk {
        upload_id: call.text("upload_id"),
        size: call.count("size")? as u64,
        offset: call.count("offset")? as u64,
        data: call.required("data")?,
    };
    let progress = writer.shared.uploads.take(&chunk, Instant::now());
    ok(&progress.map_err(|failure| ApiError::bad(failure.to_string()))?)
}

fn take_screenshot(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let folder = shared.data_dir.media().join("captures");
    let path =
        capture::screenshot(writer.store, writer.files, &folder, call.game().as_ref(), &|state| {
            shared.sessions.only_running(state)
        })?;
    ok(&FilePath { path: &path.to_string_lossy() })
}

/// Every failure is the same 404: a client cannot distinguish a missing game from a forbidden path.
fn serve_media(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let width = call.count_if_given("w")?;
    // A blank width is not a missing one.
    if width.is_none() && call.query("w").is_some() {
        return Err(call.missing("w"));
    }
    let width = width.and_then(|width| thumbnails::width_for(u32::try_from(width).ok()?));
    find_media(reader, call, width).ok_or_else(|| ApiError::of(Code::MediaNotFound))
}

fn find_media(reader: &Reader<'_>, call: &Call<'_>, width: Option<u32>) -> Option<Reply> {
    let (_, game) = call.queried_game()?.find(&reader.state.games)?;
    let kind = call.query("kind")?;
    let index = call.integer("index").ok()?.and_then(|index| usize::try_from(index).ok());
    let rules = ViewRules::of(reader.state.settings());
    let roots = reader.shared.library.probes().roots();
    let found = serve::open(game, kind.trim(), index, &rules, roots)?;
    let head = &call.request.head;
    let copy = width.map(|width| reader.shared.thumbnails.find(&found, width, PATIENCE));
    let etag = found.etag();
    let MediaFile { file, name, size, modified, .. } = found;
    Some(file_reply::as_download(match copy {
        Some(Lookup::Copy(Copied { file, size, kind, etag })) => {
            let name = format!("copy.{}", kind.ending());
            file_reply::reply(head, Served { file, name, size, modified, etag })
        }
        Some(Lookup::Later) => {
            // The same address is the copy soon, so the browser must ask again.
            let served = Served { file, name, size, modified, etag };
            file_reply::reply(head, served).cached("private, no-cache")
        }
        Some(Lookup::Original) | None => {
            file_reply::reply(head, Served { file, name, size, modified, etag })
        }
    }))
}
