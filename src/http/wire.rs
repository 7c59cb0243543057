//! Puts an answer on the wire: one head, `Content-Length` always, few large writes.
//!
//! tiny_http's own `Response` copies bodies through an 8-KiB buffer and switches to chunked coding;
//! this module writes to the raw writer of the request instead.

use std::{
    borrow::Cow,
    cell::RefCell,
    fs::File,
    io::{self, BufWriter, Write},
    os::unix::fs::FileExt as _,
    time::{Duration, UNIX_EPOCH},
};

use flate2::read::GzDecoder;
use tiny_http::StatusCode;

use super::{
    gzip,
    reply::{Body, Coding, Reply, SECURITY_HEADERS},
    request::{Head, Method},
};
use crate::base::{Moment, ResponseBytes, limits};

/// Up to this size head and pieces are joined and travel in one write. A write of 16 KiB costs the
/// loopback interface, which wakes the reader for each, ten times what copying its bytes costs.
const JOINED_BYTES: usize = 128 * 1024;
/// How much of a file is read and written at a time.
const FILE_STEP: usize = 128 * 1024;

/// What happens to the connection after an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Afterwards {
    /// Kept open, which is the default of HTTP/1.1 and needs no header.
    Open,
    /// Kept open for an HTTP/1.0 client that asked for it.
    OpenForOld,
    /// Closed.
    Close,
}

/// What a request determines about its answer.
#[derive(Clone, Copy, Debug)]
pub(super) struct Terms {
    /// The body is left out.
    pub(super) head_only: bool,
    /// A body may be compressed.
    pub(super) gzip: bool,
    /// What happens to the connection.
    pub(super) afterwards: Afterwards,
}

impl Terms {
    /// Reads the terms from a request head. `old` says that the request is HTTP/1.0. The rules for
    /// the connection are those by which tiny_http itself decides whether to read on.
    pub(super) fn of(head: &Head, old: bool) -> Self {
        let connection = head.header("Connection").map(str::to_ascii_lowercase);
        let says = |word: &str| connection.as_deref().is_some_and(|value| value.contains(word));
        let afterwards = if says("close") || says("upgrade") || (old && !says("keep-alive")) {
            Afterwards::Close
        } else if old {
            Afterwards::OpenForOld
        } else {
            Afterwards::Open
        };
        let gzip = gzip::accepts_gzip(head.header("Accept-Encoding"));
        Self { head_only: head.method == Method::Head, gzip, afterwards }
    }
}

/// Writes and flushes a whole answer. An error leaves the stream in the middle of it: the caller
/// must close the connection.
pub(super) fn send(writer: &mut dyn Write, reply: Reply, terms: Terms) -> io::Result<()> {
    let (mut out, body) = prepare(reply, terms);
    match body {
        Body::Empty => writer.write_all(&out)?,
        Body::Bytes(bytes) => send_pieces(writer, out, [bytes])?,
        Body::Static(bytes) => send_pieces(writer, out, [bytes])?,
        Body::Slices(slices) => {
            let total: usize = slices.iter().map(|slice| slice.len()).sum();
            out.reserve(total.min(JOINED_BYTES));
            send_pieces(writer, out, &slices)?;
        }
        Body::Made { pieces, len } => {
            out.reserve(JOINED_BYTES);
            send_made(writer, out, pieces, len)?;
        }
        Body::Packed { gzip, .. } => {
            let mut buffered = BufWriter::with_capacity(JOINED_BYTES, &mut *writer);
            buffered.write_all(&out)?;
            io::copy(&mut GzDecoder::new(gzip), &mut buffered)?;
            buffered.flush()?;
        }
        Body::File { file, start, len } => send_file(writer, &mut out, &file, start, len)?,
    }
    writer.flush()
}

/// The whole answer as one buffer, for the path that writes to a bare socket.
pub(super) fn render(reply: Reply, terms: Terms) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    send(&mut bytes, reply, terms)?;
    Ok(bytes)
}

/// The head of a stream that ends when the connection does.
pub(super) fn render_stream_head(content_type: &str) -> Vec<u8> {
    let mut out = start_head(200);
    push_header(&mut out, "Content-Type", content_type);
    push_header(&mut out, "Cache-Control", "no-cache");
    push_header(&mut out, "X-Accel-Buffering", "no");
    push_header(&mut out, "Connection", "close");
    finish_head(&mut out);
    out
}

/// Compresses if the terms allow it and writes the head; what is left is the body to send.
fn prepare(mut reply: Reply, terms: Terms) -> (Vec<u8>, Body) {
    let negotiated = reply.coding != Coding::Plain;
    if let Body::Packed { gzip, .. } = reply.body
        && terms.gzip
    {
        (reply.body, reply.coding) = (Body::Static(gzip), Coding::Gzip);
    }
    if reply.coding == Coding::Compressible
        && terms.gzip
        && reply.body.len() >= limits::GZIP_BYTES as u64
    {
        let compressed = match &reply.body {
            Body::Bytes(bytes) => Some(gzip::compress(bytes)),
            Body::Static(bytes) => Some(gzip::compress(bytes)),
            Body::Slices(slices) => Some(gzip::compress_slices(slices)),
            Body::Empty | Body::Made { .. } | Body::Packed { .. } | Body::File { .. } => None,
        };
        if let Some(compressed) = compressed {
            reply.body = Body::Bytes(compressed);
            reply.coding = Coding::Gzip;
        }
    }
    let bodiless = matches!(reply.status, 100..200 | 204 | 304);
    let mut out = start_head(reply.status);
    if let Some(content_type) = reply.content_type.as_deref().filter(|_| !bodiless) {
        push_header(&mut out, "Content-Type", content_type);
    }
    push_header(&mut out, "Cache-Control", &reply.cache_control);
    if !bodiless {
        push_header(&mut out, "Content-Length", &decimal(reply.body.len()));
    }
    if reply.coding == Coding::Gzip {
        push_header(&mut out, "Content-Encoding", "gzip");
    }
    if negotiated {
        push_header(&mut out, "Vary", "Accept-Encoding");
    }
    match terms.afterwards {
        Afterwards::Open => {}
        Afterwards::OpenForOld => push_header(&mut out, "Connection", "keep-alive"),
        Afterwards::Close => push_header(&mut out, "Connection", "close"),
    }
    for (name, value) in &reply.headers {
        push_header(&mut out, name, value);
    }
    finish_head(&mut out);
    let body = if terms.head_only || bodiless { Body::Empty } else { reply.body };
    (out, body)
}

/// Sends pieces that must come to `len` bytes, because the head has announced so.
fn send_made(
    writer: &mut dyn Write,
    out: Vec<u8>,
    pieces: Box<dyn Iterator<Item = ResponseBytes> + Send>,
    len: u64,
) -> io::Result<()> {
    let mut total = 0;
    let fitting = pieces.take_while(|piece| {
        total += piece.as_ref().len() as u64;
        total <= len
    });
    send_pieces(writer, out, fitting)?;
    if total == len { Ok(()) } else { Err(io::ErrorKind::UnexpectedEof.into()) }
}

fn send_pieces(
    writer: &mut dyn Write,
    mut out: Vec<u8>,
    pieces: impl IntoIterator<Item = impl AsRef<[u8]>>,
) -> io::Result<()> {
    for piece in pieces {
        let piece = piece.as_ref();
        if out.len() + piece.len() <= JOINED_BYTES {
            out.extend_from_slice(piece);
            continue;
        }
        writer.write_all(&out)?;
        out.clear();
        if piece.len() <= JOINED_BYTES / 2 {
            out.extend_from_slice(piece);
        } else {
            writer.write_all(piece)?;
        }
    }
    writer.write_all(&out)
}

fn send_file(
    writer: &mut dyn Write,
    out: &mut Vec<u8>,
    file: &File,
    start: u64,
    len: u64,
) -> io::Result<()> {
    let step = usize::try_from(len).map_or(FILE_STEP, |len| len.min(FILE_STEP));
    let mut sent = 0;
    let mut filled = out.len();
    out.resize(filled + step, 0);
    while sent < len {
        let left = usize::try_from(len - sent).unwrap_or(usize::MAX);
        let end = out.len().min(filled.saturating_add(left));
        let read = match file.read_at(&mut out[filled..end], start + sent) {
            Ok(0) => return Err(io::ErrorKind::UnexpectedEof.into()),
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        writer.write_all(&out[..filled + read])?;
        sent += read as u64;
        filled = 0;
    }
    writer.write_all(&out[..filled])
}

fn start_head(status: u16) -> Vec<u8> {
    let mut out = Vec::with_capacity(1024);
    out.extend_from_slice(b"HTTP/1.1 ");
    out.extend_from_slice(decimal(u64::from(status)).as_bytes());
    out.push(b' ');
    out.extend_from_slice(StatusCode(status).default_reason_phrase().as_bytes());
    out.extend_from_slice(b"\r\n");
    push_date(&mut out);
    out
}

fn finish_head(out: &mut Vec<u8>) {
    for (name, value) in SECURITY_HEADERS {
        push_header(out, name, value);
    }
    out.extend_from_slice(b"\r\n");
}

fn push_header(out: &mut Vec<u8>, name: &str, value: &str) {
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b": ");
    out.extend_from_slice(value.as_bytes());
    out.extend_from_slice(b"\r\n");
}

/// Appends the date, which each thread formats once a second at most.
fn push_date(out: &mut Vec<u8>) {
    thread_local! {
        static DATE: RefCell<(i64, String)> = const { RefCell::new((i64::MIN, String::new())) };
    }
    let now = Moment::now().unix_seconds();
    DATE.with_borrow_mut(|(second, text)| {
        if *second != now {
            let since = Duration::from_secs(u64::try_from(now).unwrap_or(0));
            *text = httpdate::fmt_http_date(UNIX_EPOCH + since);
            *second = now;
        }
        push_header(out, "Date", text);
    });
}

/// Decimal text; the common small numbers are not formatted.
fn decimal(number: u64) -> Cow<'static, str> {
    match number {
        200 => Cow::Borrowed("200"),
        0 => Cow::Borrowed("0"),
        other => Cow::Owned(other.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::{net::SocketAddr, sync::Arc};

    use super::*;
    use crate::http::request::Headers;

    const PLAIN: Terms = Terms { head_only: false, gzip: false, afterwards: Afterwards::Open };

    fn text(reply: Reply, terms: Terms) -> String {
        String::from_utf8_lossy(&render(reply, terms).expect("rendered")).into_owned()
    }

    #[track_caller]
    fn check_terms(method: Method, pairs: &[(&str, &str)], old: bool, expected: Afterwards) {
        let mut headers = Headers::default();
        for (name, value) in pairs {
            headers.push(name, value);
        }
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        let head = Head::new(method, "/".to_owned(), headers, peer);
        assert_eq!(Terms::of(&head, old).afterwards, expected, "{pairs:?} {old}");
    }

    #[test]
    fn echoes_the_connection_header() {
        check_terms(Method::Get, &[], false, Afterwards::Open);
        check_terms(Method::Get, &[("connection", "Close")], false, Afterwards::Close);
        check_terms(Method::Get, &[("Connection", "TE, close")], false, Afterwards::Close);
        check_terms(Method::Get, &[("Connection", "Upgrade")], false, Afterwards::Close);
        check_terms(Method::Get, &[], true, Afterwards::Close);
        check_terms(Method::Get, &[("Connection", "Keep-Alive")], true, Afterwards::OpenForOld);
        check_terms(Method::Get, &[("Connection", "keep-alive")], false, Afterwards::Open);
    }

    #[test]
    fn writes_head_and_body() {
        let out = text(Reply::json_bytes(200, b"{\"a\":1}".to_vec()), PLAIN);
        assert!(out.starts_with("HTTP/1.1 200 OK\r\nDate: "), "{out}");
        assert!(out.ends_with("\r\n\r\n{\"a\":1}"), "{out}");
        for line in [
            "Content-Type: application/json\r\n",
            "Content-Length: 7\r\n",
            "Cache-Control: no-store\r\n",
            "Vary: Accept-Encoding\r\n",
            "X-Content-Type-Options: nosniff\r\n",
            "Referrer-Policy: no-referrer\r\n",
            "frame-ancestors 'none'\r\n",
            "Cross-Origin-Resource-Policy: same-origin\r\n",
        ] {
            assert!(out.contains(line), "{line} in {out}");
        }
        assert!(!out.contains("Connection:"));
    }

    #[test]
    fn head_keeps_the_length_and_drops_the_body() {
        let reply = Reply::json_bytes(200, b"{}".to_vec());
        let out = text(reply, Terms { head_only: true, ..PLAIN });
        assert!(out.contains("Content-Length: 2\r\n") && out.ends_with("\r\n\r\n"), "{out}");
    }

    #[test]
    fn not_modified_has_neither_body_nor_length() {
        let out = text(Reply::empty(304).header("ETag", "\"1\""), PLAIN);
        assert!(out.starts_with("HTTP/1.1 304 Not Modified\r\n"));
        assert!(out.contains("ETag: \"1\"\r\n") && !out.contains("Content-Length"), "{out}");
    }

    #[test]
    fn compresses_from_the_threshold_on() {
        let accepting = Terms { gzip: true, ..PLAIN };
        for (size, compressed) in [(limits::GZIP_BYTES - 1, false), (limits::GZIP_BYTES, true)] {
            let out = text(Reply::json_bytes(200, vec![b' '; size]), accepting);
            assert_eq!(out.contains("Content-Encoding: gzip"), compressed, "{size}");
        }
        let out = text(Reply::json_bytes(200, vec![b' '; 4096]), PLAIN);
        assert!(!out.contains("Content-Encoding"));
        let out = text(Reply::new(200, "image/png", Body::Bytes(vec![0; 4096])), accepting);
        assert!(!out.contains("Content-Encoding") && !out.contains("Vary"));
    }

    /// A client that counts what reaches it at once.
    #[derive(Default)]
    struct Counting(Vec<usize>);

    impl Write for Counting {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.push(bytes.len());
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[track_caller]
    fn check_writes(pieces: usize, size: usize, expected: usize) {
        let slices = (0..pieces).map(|_| Arc::from(vec![b' '; size])).collect();
        let mut client = Counting::default();
        send(&mut client, Reply::json_slices(200, slices), PLAIN).expect("sent");
        assert_eq!(client.0.len(), expected, "{:?}", client.0);
    }

    #[test]
    fn pieces_travel_in_few_large_writes() {
        check_writes(1, 100, 1);
        check_writes(7, 16 * 1024, 1);
        check_writes(40, 16 * 1024, 6);
        // The head alone, each piece from where it lies, and nothing after them.
        check_writes(3, 300 * 1024, 4);
    }

    #[test]
    fn what_is_packed_is_sent_as_it_is_or_unpacked() {
        let text = "packed ".repeat(1_000);
        let gzip: &[u8] = gzip::compress(text.as_bytes()).leak();
        let reply = || {
            let body = Body::Packed { gzip, len: text.len() as u64 };
            Reply::new(200, "text/plain", body).compressible()
        };
        let plain = self::text(reply(), PLAIN);
        assert!(plain.contains("Content-Length: 7000\r\n") && plain.ends_with(&text), "{plain}");
        let packed = render(reply(), Terms { gzip: true, ..PLAIN }).expect("rendered");
        assert!(packed.ends_with(gzip));
        for bytes in [packed, plain.into_bytes()] {
            let head = String::from_utf8_lossy(&bytes[..400]).into_owned();
            assert!(head.contains("Vary: Accept-Encoding\r\n"), "{head}");
        }
    }

    #[test]
    fn large_slices_arrive_in_order() {
        let slices: Vec<Arc<[u8]>> = (0_u8..9)
            .map(|letter| Arc::from(vec![b'a' + letter; usize::from(letter) * 40_000]))
            .collect();
        let expected = slices.concat();
        let out = render(Reply::json_slices(200, slices), PLAIN).expect("rendered");
        assert!(out.ends_with(&expected));
    }

    #[test]
    fn what_is_made_on_the_way_has_the_length_that_was_said() {
        let made = |len| {
            let pieces = (0..5).map(|_| ResponseBytes::Own(vec![b'x'; 60_000]));
            render(Reply::json_made(200, len, pieces), Terms { gzip: true, ..PLAIN })
        };
        let sent = made(300_000).expect("rendered");
        let at = sent.len() - 300_000;
        assert!(sent[at..].iter().all(|byte| *byte == b'x'));
        let head = String::from_utf8_lossy(&sent[..at]);
        assert!(
            head.contains("Content-Length: 300000\r\n") && !head.contains("gzip\r\n"),
            "{head}"
        );
        for wrong in [299_999, 300_001, 240_000] {
            let error = made(wrong).expect_err("another length");
            assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
        }
    }

    #[test]
    fn files_are_sent_by_part_and_never_short() {
        let path = tempfile::NamedTempFile::new().expect("a file");
        let content: Vec<u8> = (0..=255_u8).cycle().take(300_000).collect();
        path.as_file().write_all_at(&content, 0).expect("written");
        let part = |start, len| {
            let file = path.reopen().expect("reopened");
            render(Reply::new(206, "video/mp4", Body::File { file, start, len }), PLAIN)
        };
        assert!(part(5, 290_000).expect("rendered").ends_with(&content[5..290_005]));
        assert!(part(7, 0).expect("rendered").ends_with(b"\r\n\r\n"));
        let error = part(299_999, 2).expect_err("the file ends before");
        assert_eq!(error.kind(), io::ErrorKind::UnexpectedEof);
    }
}
