//! A file of the user as a reply: content type, validators, one byte range.
//!
//! Opens nothing: the caller passes an open file that it has checked.

use std::{fs::File, time::SystemTime};

use crate::http::{
    conditional,
    range::{self, Range},
    reply::{Body, Reply},
    request::Head,
};

/// The name changes with the media epoch, so the content behind one name never changes.
const IMMUTABLE: &str = "private, max-age=31536000, immutable";

/// The policy of a page: a browser may show it, but without scripts, forms or the origin of the
/// service.
const POLICY: (&str, &str) = ("Content-Security-Policy", "sandbox");

/// Whether a browser would run a file of this type as a page.
fn is_page(kind: &str) -> bool {
    matches!(kind, "text/html" | "message/rfc822") || kind.ends_with("xml")
}

/// An open file and what is known about it.
pub struct Served {
    /// The open file.
    pub file: File,
    /// Its name, from which the type follows.
    pub name: String,
    /// Its size in bytes.
    pub size: u64,
    /// When its content last changed.
    pub modified: SystemTime,
    /// Its entity tag, quoted.
    pub etag: String,
}

/// 200 with the file, 206 with a part of it, 304, or 416 when the range is outside or is not a range.
pub fn reply(head: &Head, served: Served) -> Reply {
    let Served { file, name, size, modified, etag } = served;
    let marked = |reply: Reply| {
        reply
            .cached(IMMUTABLE)
            .header("Last-Modified", conditional::format_date(modified))
            .header("Accept-Ranges", "bytes")
    };
    if conditional::is_unchanged(head, Some(&etag), Some(modified)) {
        return marked(Reply::empty(304)).header("ETag", etag);
    }
    let asked = head.header("Range");
    let honoured = conditional::is_range_valid(head, Some(&etag), Some(modified));
    let (status, start, len) = match range::parse_range(asked.filter(|_| honoured), size) {
        Range::Whole => (200, 0, size),
        Range::Part { start, len } => (206, start, len),
        Range::Malformed | Range::Unsatisfiable => {
            let outside = range::unsatisfied_range(size);
            return Reply::empty(416).header("Content-Range", outside);
        }
    };
    let kind = mime_guess::from_path(&name).first_or_octet_stream();
    let is_page = is_page(kind.essence_str());
    let kind = kind.to_string();
    let reply = marked(Reply::new(status, kind, Body::File { file, start, len }));
    let reply = reply.header("ETag", etag);
    let reply = if is_page { reply.header(POLICY.0, POLICY.1) } else { reply };
    match status {
        206 => reply.header("Content-Range", range::content_range(start, len, size)),
        _ => reply,
    }
}

/// Makes the browser save a page instead of showing it when it is opened by itself; an image element still shows it.
pub fn as_download(reply: Reply) -> Reply {
    if reply.headers.iter().any(|(name, _)| *name == POLICY.0) {
        return reply.header("Content-Disposition", "attachment");
    }
    reply
}

#[cfg(test)]
mod tests {
    use std::{net::SocketAddr, time::Duration};

    use super::*;
    use crate::http::request::{Headers, Method};

    fn ask(name: &str, headers: &[(&str, &str)]) -> Reply {
        let mut all = Headers::default();
        for (name, value) in headers {
            all.push(name, value);
        }
        let head =
            Head::new(Method::Get, "/".to_owned(), all, SocketAddr::from(([127, 0, 0, 1], 9)));
        let modified = SystemTime::UNIX_EPOCH + Duration::from_millis(1_700_000_000_500);
        let file = tempfile::tempfile().expect("a file");
        let served = Served {
            file,
            name: name.to_owned(),
            size: 100,
            modified,
            etag: "\"a-64\"".to_owned(),
        };
        reply(&head, served)
    }

    fn header<'a>(reply: &'a Reply, name: &str) -> &'a str {
        let found = reply.headers.iter().find(|(known, _)| *known == name);
        found.map_or("", |(_, value)| value.as_ref())
    }

    #[track_caller]
    fn check(headers: &[(&str, &str)], status: u16, range: &str, len: u64) {
        let reply = ask("a.png", headers);
        assert_eq!((reply.status, header(&reply, "Content-Range")), (status, range));
        assert_eq!(reply.body.len(), len);
    }

    #[test]
    fn answers_conditions_and_ranges() {
        check(&[], 200, "", 100);
        check(&[("Range", "bytes=10-19")], 206, "bytes 10-19/100", 10);
        check(&[("Range", "bytes=-5")], 206, "bytes 95-99/100", 5);
        check(&[("Range", "bytes=90-900, 0-1")], 206, "bytes 90-99/100", 10);
        check(&[("Range", "bytes=100-")], 416, "bytes */100", 0);
        check(&[("Range", "bytes=5-4")], 416, "bytes */100", 0);
        check(&[("Range", "items=1-2")], 200, "", 100);
        check(&[("Range", "bytes=1-2"), ("If-Range", "\"old\"")], 200, "", 100);
        check(&[("Range", "bytes=1-2"), ("If-Range", "\"a-64\"")], 206, "bytes 1-2/100", 2);
        check(&[("If-None-Match", "\"x\", \"a-64\""), ("Range", "bytes=1-2")], 304, "", 0);
        check(&[("If-Modified-Since", "Tue, 14 Nov 2023 22:13:20 GMT")], 304, "", 0);
        check(&[("If-Modified-Since", "Tue, 14 Nov 2023 22:13:19 GMT")], 200, "", 100);
        check(&[("Range", "bytes=a-b")], 416, "bytes */100", 0);
    }

    #[test]
    fn names_tell_types_and_pages_are_shut_in() {
        for (name, kind, policy) in [
            ("a.png", "image/png", ""),
            ("a.JPG", "image/jpeg", ""),
            ("a.mp4", "video/mp4", ""),
            ("manual.pdf", "application/pdf", ""),
            ("a", "application/octet-stream", ""),
            ("a.html", "text/html", "sandbox"),
            ("a.svg", "image/svg+xml", "sandbox"),
            ("a.xhtml", "application/xhtml+xml", "sandbox"),
            ("a.xml", "text/xml", "sandbox"),
            ("a.mht", "message/rfc822", "sandbox"),
        ] {
            let reply = ask(name, &[]);
            assert_eq!(reply.content_type.as_deref(), Some(kind), "{name}");
            assert_eq!(header(&reply, "Content-Security-Policy"), policy, "{name}");
            let saved = as_download(ask(name, &[]));
            let disposition = if policy.is_empty() { "" } else { "attachment" };
            assert_eq!(header(&saved, "Content-Disposition"), disposition, "{name}");
            assert_eq!(reply.cache_control, IMMUTABLE);
            assert_eq!(header(&reply, "Last-Modified"), "Tue, 14 Nov 2023 22:13:20 GMT");
            assert_eq!(header(&reply, "Accept-Ranges"), "bytes");
        }
    }
}
