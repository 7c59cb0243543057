//! The public files: the web UI and its texts, embedded in the executable.
//!
//! The only routes without a token. Refuses every name that is not in the embedded tree; with
//! `--static-dir` the same names are read from a folder, for working on the UI.

use std::{
    borrow::Cow,
    fs,
    path::{Component, Path, PathBuf},
};

use sha2::{Digest, Sha256};

use super::{
    conditional, gzip,
    reply::{Body, Reply},
    request::Request,
};
use crate::base::{
    embedded::{File, LOCALES, STATIC},
    ids::hex,
    limits,
};

/// The public files and where they come from.
pub struct Assets {
    live: Option<PathBuf>,
}

impl Assets {
    /// The embedded files, or with `live` a folder that holds `static/` and `locales/` itself.
    pub fn new(live: Option<PathBuf>) -> Self {
        Self { live }
    }

    /// The file; `None` when there is none. Conditional requests answer 304.
    pub fn find(&self, request: &Request) -> Option<Reply> {
        let path = alias(request.path());
        let (body, etag): (Source, Cow<'static, str>) = if let Some(file) = self.live_file(path) {
            let bytes = fs::read(file).ok()?;
            let etag = format!("\"{}\"", hex(&Sha256::digest(&bytes)[..8]));
            (Source::Live(bytes), etag.into())
        } else {
            let file = embedded(path)?;
            (Source::Embedded(file), file.tag.into())
        };
        let reply = if conditional::is_unchanged(request, Some(&etag), None) {
            Reply::empty(304)
        } else {
            body.reply(content_type(path), request)
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

enum Source {
    Live(Vec<u8>),
    Embedded(&'static File),
}

impl Source {
    /// The bytes in the form that the client takes; packed ones as they lie.
    fn reply(self, kind: String, request: &Request) -> Reply {
        let is_text = is_text(&kind);
        let body = match self {
            Self::Live(bytes) => Body::Bytes(bytes),
            Self::Embedded(file) => {
                let takes_gzip = gzip::accepts_gzip(request.header("Accept-Encoding"));
                if is_text && takes_gzip && file.length >= limits::GZIP_BYTES {
                    return Reply::new(200, kind, Body::Static(file.gzip)).gzipped();
                }
                Body::Static(file.bytes())
            }
        };
        let reply = Reply::new(200, kind, body);
        if is_text { reply.compressible() } else { reply }
    }
}

fn embedded(path: &str) -> Option<&'static File> {
    let name = path.strip_prefix('/')?;
    match name.strip_prefix("locales/") {
        Some(name) => File::find(&LOCALES, name),
        None => File::find(&STATIC, name),
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

fn content_type(path: &str) -> String {
    let kind = mime_guess::from_path(path).first_or_octet_stream();
    match kind.type_() {
        mime_guess::mime::TEXT => format!("{kind}; charset=utf-8"),
        _ if kind.subtype() == mime_guess::mime::JSON => format!("{kind}; charset=utf-8"),
        _ => kind.to_string(),
    }
}

fn is_text(kind: &str) -> bool {
    kind.starts_with("text/") || kind.contains("json") || kind.contains("svg")
}
