//! The public files: the web UI and its texts, embedded in the executable.
//!
//! The only routes without a token. Refuses every name that is not in the embedded tree; with
//! `--static-dir` the same names are read from a folder, for working on the UI.

use std::{
    borrow::Cow,
    collections::HashMap,
    fs,
    path::{Component, Path, PathBuf},
};

use include_dir::{Dir, include_dir};
use sha2::{Digest, Sha256};

use crate::{
    base::ids::hex,
    http::{
        conditional,
        reply::{Body, Reply},
        request::Request,
    },
};

static STATIC: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/static");
static LOCALES: Dir<'_> = include_dir!("$CARGO_MANIFEST_DIR/locales");

/// The public files and where they come from.
pub struct Assets {
    embedded: HashMap<String, Asset>,
    live: Option<PathBuf>,
}

struct Asset {
    bytes: &'static [u8],
    etag: String,
}

impl Assets {
    /// The embedded files, or with `live` a folder that holds `static/` and `locales/` itself.
    #[must_use]
    pub fn new(live: Option<PathBuf>) -> Self {
        let mut embedded = HashMap::new();
        for (prefix, tree) in [("/", &STATIC), ("/locales/", &LOCALES)] {
            let mut folders = vec![tree];
            while let Some(folder) = folders.pop() {
                folders.extend(folder.dirs());
                for file in folder.files() {
                    let Some(name) = file.path().to_str() else { continue };
                    let bytes = file.contents();
                    let etag = etag_of(bytes);
                    embedded.insert(format!("{prefix}{name}"), Asset { bytes, etag });
                }
            }
        }
        Self { embedded, live }
    }

    /// The file; `None` when there is none. Conditional requests answer 304.
    #[must_use]
    pub fn find(&self, request: &Request) -> Option<Reply> {
        let path = alias(request.path());
        let (bytes, etag): (Cow<'static, [u8]>, String) = if let Some(file) = self.live_file(path) {
            let bytes = fs::read(file).ok()?;
            let etag = etag_of(&bytes);
            (bytes.into(), etag)
        } else {
            let asset = self.embedded.get(path)?;
            (asset.bytes.into(), asset.etag.clone())
        };
        let kind = content_type(path);
        let reply = if conditional::is_unchanged(request, Some(&etag), None) {
            Reply::empty(304)
        } else {
            file_reply(kind, bytes.into_owned())
        };
        Some(reply.header("ETag", etag).cached("no-cache"))
    }

    fn live_file(&self, path: &str) -> Option<PathBuf> {
        let root = self.live.as_ref()?;
        let relative = Path::new(path.strip_prefix('/')?);
        if relative.components().any(|part| !matches!(part, Component::Normal(_))) {
            return None;
        }
        let file = match relative.strip_prefix("locales") {
            Ok(name) => root.parent()?.join("locales").join(name),
            Err(_) => root.join(relative),
        };
        file.is_file().then_some(file)
    }
}

/// `/` is the page; browsers that ask for the old icon name get the drawing.
fn alias(path: &str) -> &str {
    match path {
        "/" => "/index.html",
        "/favicon.ico" => "/favicon.svg",
        other => other,
    }
}

fn etag_of(bytes: &[u8]) -> String {
    format!("\"{}\"", hex(&Sha256::digest(bytes)[..8]))
}

fn content_type(path: &str) -> String {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    match kind.type_() {
        mime_guess::mime::TEXT => format!("{kind}; charset=utf-8"),
        _ if kind.subtype() == mime_guess::mime::JSON => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    }
}

fn file_reply(kind: String, bytes: Vec<u8>) -> Reply {
    let text = is_text(&kind);
    let reply = Reply::new(200, kind, Body::Bytes(bytes));
    if text { reply.compressible() } else { reply }
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/") || kind.contains("json") || kind.contains("svg")
}
