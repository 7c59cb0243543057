//! Interface words, media packs, platform categories and the big screen (`/api/premium/*`,
//! `/api/bigscreen/*`). The video and the music of the big screen may be anywhere on the disk; only
//! the paths in the settings are served.

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    file_reply::{self, Served},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
    settings::Settings,
};
use crate::{
    base::schema::schema,
    config::{
        catalogues,
        settings::{categories, read},
    },
    http::reply::Reply,
    media::{
        packs,
        serve::{self, MediaFile},
    },
    platforms::{self, Platform},
};

const LOCALE: [Param; 1] = [optional(
    "locale",
    Holds::Text,
    "A locale such as `de` or `de-AT`; the chosen one when it is missing, English when unknown.",
)];
const PACK: [Param; 1] = [required("id", Holds::Text, "Id of the pack.")];
const MODE: [Param; 1] = [optional("entering", Holds::Flag, "Whether the big screen is entered.")];
const FILE: [Param; 1] = [required(
    "kind",
    Holds::Text,
    "`startup_video` or `library_music`, as the settings name them.",
)];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/premium/strings", Handler::Read(list_strings))
        .about("settings", "The interface words of a locale.")
        .query(&LOCALE)
        .returns::<Strings>(),
    Route::get("/api/premium/media-packs", Handler::Read(list_packs))
        .about("settings", "The bundled media packs, and which of them are active.")
        .returns::<PackList>()
        .v1(),
    Route::post("/api/premium/media-packs/apply", Handler::Write(apply_pack))
        .about("settings", "Turns a media pack on, and returns it with the settings.")
        .body(&PACK)
        .returns::<PackApplied>()
        .v1(),
    Route::get("/api/premium/platform-categories", Handler::Read(list_categories))
        .about("settings", "The category of every known platform, with the user's own choices.")
        .returns::<CategoryList>(),
    Route::get("/api/v2/platforms", Handler::Read(list_platforms))
        .about("settings", "Every known platform: folders, extensions, cores, ids of providers.")
        .returns::<PlatformList>(),
    Route::post("/api/bigscreen/mode", Handler::Write(change_mode))
        .about(
            "settings",
            "Reports that the big screen is entered or left; entering runs commands.",
        )
        .body(&MODE)
        .returns::<ModeChanged>()
        .v1(),
    Route::get("/api/bigscreen/media", Handler::Read(serve_file))
        .about("media", "The startup video or the music of the big screen, whole or in part.")
        .file()
        .query(&FILE)
        .codes(&[Code::MediaNotFound]),
];

schema! {
    /// `GET /api/premium/strings`.
    struct Strings {
        /// The locale that is known.
        locale: &'static str,
        /// Words by key.
        strings: Map<String, Value>,
    }

    /// `GET /api/premium/media-packs`.
    struct PackList {
        packs: Vec<Value>,
    }

    /// A media pack was turned on.
    struct PackApplied {
        pack: Value,
        settings: Settings,
    }

    /// `GET /api/premium/platform-categories`.
    struct CategoryList {
        /// Categories by platform.
        categories: Map<String, Value>,
    }

    /// `GET /api/v2/platforms`.
    struct PlatformList {
        /// The platforms in the order of the table.
        platforms: &'static [Platform],
    }

    /// The big screen was entered or left.
    struct ModeChanged {
        ok: bool,
        entering: bool,
    }
}

fn list_strings(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let chosen = || read::text(reader.state.settings(), "locale");
    let tag = call.query_text("locale").unwrap_or_else(chosen);
    ok(&Strings { locale: catalogues::locale_of(&tag), strings: catalogues::strings(&tag) })
}

fn list_packs(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let active = read::texts(reader.state.settings(), "active_media_packs");
    ok(&PackList { packs: catalogues::media_packs(&active) })
}

fn apply_pack(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.text("id");
    let pack = packs::turn_on(writer.store, id)?;
    let state = writer.store.snapshot()?;
    ok(&PackApplied { pack, settings: Settings::of(writer.shared, &state) })
}

fn list_categories(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&CategoryList { categories: categories::merged(reader.state.settings()) })
}

fn list_platforms(_: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&PlatformList { platforms: platforms::all() })
}

/// Games and desktop programs may be in the way of the big screen; leaving it brings nothing back.
fn change_mode(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let entering = call.flag("entering")?;
    if entering {
        writer.shared.sessions.run_commands("bigscreen_shutdown_commands");
    }
    ok(&ModeChanged { ok: true, entering })
}

fn serve_file(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    find_file(reader, call).ok_or_else(|| ApiError::of(Code::MediaNotFound))
}

/// The file of the setting behind a kind. It may change under the same address, so it is asked for
/// again every time.
fn find_file(reader: &Reader<'_>, call: &Call<'_>) -> Option<Reply> {
    let setting = match call.query("kind")?.trim() {
        "startup_video" => "bigscreen_startup_video",
        "library_music" => "library_music",
        _ => return None,
    };
    let found = serve::open_named(&read::text(reader.state.settings(), setting))?;
    let etag = found.etag();
    let MediaFile { file, name, size, modified, .. } = found;
    let served = Served { file, name, size, modified, etag };
    Some(file_reply::reply(&call.request.head, served).cached("private, no-cache"))
}
