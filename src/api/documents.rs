//! Documents of games and platforms: `GET /api/document`, `/api/platform/document` and
//! `/api/platform/documents`.

use std::{fmt::Write as _, path::Path};

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
    http::reply::Reply,
    media::{documents, serve::MediaFile},
};

const INDEX: Param =
    required("index", Holds::Integer { min: 0, max: 99 }, "Which document.").passed().lenient();
const OF_GAME: [Param; 3] = [GAME_REF[0], GAME_REF[1], INDEX];
const OF_PLATFORM: [Param; 2] = [required("platform", Holds::Text, "The platform."), INDEX];
const LIST: [Param; 1] =
    [optional("platform", Holds::Text, "The platform; every platform when it is missing.")];
const SAVE: [Param; 2] = [
    required("platform", Holds::Text, "The platform.").refusal("Platform is required."),
    required("documents", Holds::List, "Its documents, `{name, path}` each; at most 100."),
];

const ADOPT: [Param; 3] = [
    required("path", Holds::Text, "The document; `~` is the home directory."),
    GAME_REF[0],
    GAME_REF[1],
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/document", Handler::Read(serve_document))
        .about("media", "A document of a game, whole or in part.")
        .file()
        .query(&OF_GAME)
        .codes(&[Code::DocumentNotFound]),
    Route::get("/api/platform/document", Handler::Read(serve_platform_document))
        .about("media", "A document of a platform, whole or in part.")
        .file()
        .query(&OF_PLATFORM)
        .codes(&[Code::PlatformDocumentNotFound]),
    Route::get("/api/platform/documents", Handler::Read(list_platform_documents))
        .about("media", "The documents of a platform, or of all of them by platform.")
        .query(&LIST)
        .returns::<DocumentLists>(),
    Route::post("/api/platform/documents", Handler::Write(save_platform_documents))
        .about("media", "Replaces the documents of a platform.")
        .body(&SAVE)
        .returns::<DocumentsSaved<'_>>(),
    Route::post("/api/document/adopt", Handler::Write(adopt))
        .about("media", "Copies a document of this machine to where documents may lie.")
        .body(&ADOPT)
        .returns::<FilePath<'_>>()
        .slow(),
];

fn serve_document(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let found = || {
        let (_, game) = call.queried_game()?.find(&reader.state.games)?;
        let places = reader.shared.documents(&reader.state, game.path());
        Some(reply(call, documents::open(game, index(call)?, &places)?))
    };
    found().ok_or_else(|| ApiError::of(Code::DocumentNotFound))
}

fn serve_platform_document(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let found = || {
        let platform = call.query("platform")?;
        let (state, index) = (&reader.state, index(call)?);
        let places = reader.shared.documents(state, "");
        Some(reply(call, documents::open_of_platform(state, platform.trim(), index, &places)?))
    };
    found().ok_or_else(|| ApiError::of(Code::PlatformDocumentNotFound))
}

fn index(call: &Call<'_>) -> Option<usize> {
    usize::try_from(call.integer("index").ok()??).ok()
}

/// A document is shown in the browser under its own name, and asked for again every time: what
/// stands at an index may change.
fn reply(call: &Call<'_>, found: MediaFile) -> Reply {
    let etag = found.etag();
    let MediaFile { file, name, size, modified, .. } = found;
    let shown = format!("inline; {}", file_name(&name));
    let served = Served { file, name, size, modified, etag };
    let reply = file_reply::reply(&call.request.head, served);
    reply.cached("private, no-cache").header("Content-Disposition", shown)
}

/// The name of a file in a header: plain letters for old clients, and the true name.
fn file_name(name: &str) -> String {
    let plain = |letter: char| match letter {
        '"' | '\\' => '_',
        letter if letter.is_ascii_graphic() || letter == ' ' => letter,
        _ => '_',
    };
    let mut encoded = String::with_capacity(name.len());
    for byte in name.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                encoded.push(char::from(byte));
            }
            // OK because writing to a String never fails.
            _ => drop(write!(encoded, "%{byte:02X}")),
        }
    }
    format!(
        "filename=\"{}\"; filename*=UTF-8''{encoded}",
        name.chars().map(plain).collect::<String>()
    )
}

schema! {
    /// `GET /api/platform/documents`.
    struct DocumentLists {
        /// A list of `{name, path}`, or such a list for each platform.
        documents: Value,
    }
}

fn list_platform_documents(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let listed = match call.query_text("platform") {
        None => Value::Object(documents::by_platform(&reader.state)),
        Some(platform) => documents::of_platform(&reader.state, &platform),
    };
    ok(&DocumentLists { documents: listed })
}

schema! {
    /// The documents of a platform were replaced.
    struct DocumentsSaved<'a> {
        /// The platform.
        saved: &'a str,
        /// How many documents it has.
        count: usize,
    }
}

fn save_platform_documents(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let platform = call.required("platform")?;
    let posted = call.key("documents");
    let known = documents::of_platform(&*writer.store.snapshot()?, platform);
    let documents = writer.with_paths(|paths| documents::read(posted, &known, paths))?;
    let count = documents.len();
    documents::save(writer.store, platform, documents)?;
    ok(&DocumentsSaved { saved: platform, count })
}

fn adopt(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let state = writer.store.snapshot()?;
    let game = call.game().and_then(|game| Some(game.find(&state.games)?.1));
    let places = shared.documents(&state, game.map_or("", |game| game.path()));
    let folder = shared.data_dir.media().join("documents");
    let home = shared.environment.home().unwrap_or(Path::new("/"));
    let path = documents::adopt(writer.files, &places, &folder, call.text("path"), home)
        .map_err(|failure| ApiError::bad(failure.to_string()))?;
    ok(&FilePath { path: &path.to_string_lossy() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_breaks_the_header() {
        for (name, expected) in [
            ("a b.pdf", "filename=\"a b.pdf\"; filename*=UTF-8''a%20b.pdf"),
            ("\"\r\n\\.txt", "filename=\"____.txt\"; filename*=UTF-8''%22%0D%0A%5C.txt"),
            ("ä.md", "filename=\"_.md\"; filename*=UTF-8''%C3%A4.md"),
        ] {
            assert_eq!(file_name(name), expected);
        }
    }
}
