//! Server-sent events: the live connection of one subscriber.
//!
//! Owns the framing and flushes every event. Knows neither which events there are nor who else
//! listens; a write that fails ends the stream, and the subscriber asks again.

use std::io::{self, Write};

use super::{
    reply::Reply,
    wire::{self, Terms},
};

/// A request of the stream lane that has not been answered yet. Dropped without an answer, it gives
/// the one for a handler that failed.
pub struct Sink {
    writer: Option<Box<dyn Write + Send>>,
    terms: Terms,
    fallback: Option<Box<dyn FnOnce() -> Reply + Send>>,
}

impl Sink {
    /// Wraps the writer of a request. `terms` must close the connection afterwards: the end of a
    /// stream is the end of its connection.
    pub(super) fn new(
        writer: Box<dyn Write + Send>,
        terms: Terms,
        fallback: Box<dyn FnOnce() -> Reply + Send>,
    ) -> Self {
        Self { writer: Some(writer), terms, fallback: Some(fallback) }
    }

    /// Answers with an ordinary reply instead of a stream.
    pub fn reply(mut self, reply: Reply) -> io::Result<()> {
        self.answer(reply)
    }

    /// Sends the head of an event stream and a first comment, so that the client knows at once.
    /// `None` after a HEAD request, which that head answers completely.
    pub fn open(mut self) -> io::Result<Option<EventStream>> {
        let Some(mut writer) = self.writer.take() else { return Ok(None) };
        let mut out = wire::render_stream_head("text/event-stream");
        if !self.terms.head_only {
            out.extend_from_slice(b": ok\n\n");
        }
        writer.write_all(&out)?;
        writer.flush()?;
        Ok((!self.terms.head_only).then(|| EventStream::new(writer)))
    }

    fn answer(&mut self, reply: Reply) -> io::Result<()> {
        match self.writer.take() {
            Some(mut writer) => wire::send(&mut *writer, reply, self.terms),
            None => Ok(()),
        }
    }
}

impl Drop for Sink {
    fn drop(&mut self) {
        if self.writer.is_some()
            && let Some(fallback) = self.fallback.take()
        {
            // A client that is gone needs no answer.
            drop(self.answer(fallback()));
        }
    }
}

/// An open event stream. Dropping it ends the connection. Every method flushes; an error means that
/// the client is gone or has not read for too long.
pub struct EventStream {
    writer: Box<dyn Write + Send>,
    frame: Vec<u8>,
}

impl EventStream {
    /// A stream whose head has been written.
    pub fn new(writer: Box<dyn Write + Send>) -> Self {
        Self { writer, frame: Vec::new() }
    }

    /// Sends one event. Line breaks in `name` become spaces; `data` may have several lines.
    pub fn send(&mut self, name: &str, data: &str) -> io::Result<()> {
        self.frame.clear();
        self.frame.extend_from_slice(b"event: ");
        self.frame.extend(name.bytes().map(|byte| if is_break(byte) { b' ' } else { byte }));
        for line in data.split('\n') {
            self.frame.extend_from_slice(b"\ndata: ");
            self.frame.extend(line.bytes().filter(|byte| *byte != b'\r'));
        }
        self.frame.extend_from_slice(b"\n\n");
        self.writer.write_all(&self.frame)?;
        self.writer.flush()
    }

    /// Sends a comment, which clients ignore: it keeps the connection warm and finds out whether
    /// the client is still there.
    pub fn ping(&mut self) -> io::Result<()> {
        self.writer.write_all(b": ping\n\n")?;
        self.writer.flush()
    }
}

fn is_break(byte: u8) -> bool {
    matches!(byte, b'\r' | b'\n')
}

#[cfg(test)]
mod tests {
    use std::sync::{Arc, Mutex};

    use super::*;
    use crate::http::wire::Afterwards;

    #[derive(Clone, Default)]
    struct Shared(Arc<Mutex<Vec<u8>>>);

    impl Write for Shared {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0.lock().expect("no panic").write(bytes)
        }

        fn flush(&mut self) -> io::Result<()> {
            self.0.lock().expect("no panic").extend_from_slice(b"<flush>");
            Ok(())
        }
    }

    fn sink(head_only: bool) -> (Shared, Sink) {
        let shared = Shared::default();
        let terms = Terms { head_only, gzip: false, afterwards: Afterwards::Close };
        let fallback = Box::new(|| Reply::empty(500));
        (shared.clone(), Sink::new(Box::new(shared), terms, fallback))
    }

    fn text(shared: &Shared) -> String {
        String::from_utf8(shared.0.lock().expect("no panic").clone()).expect("text")
    }

    #[test]
    fn frames_and_flushes_each_event() {
        let (shared, sink) = sink(false);
        let mut stream = sink.open().expect("opened").expect("not a HEAD");
        let start = text(&shared).len();
        stream.send("job.done", "{\"a\":1}").expect("sent");
        stream.send("bad\nname", "two\r\nlines").expect("sent");
        stream.ping().expect("sent");
        assert_eq!(
            &text(&shared)[start..],
            "event: job.done\ndata: {\"a\":1}\n\n<flush>\
             event: bad name\ndata: two\ndata: lines\n\n<flush>: ping\n\n<flush>"
        );
    }

    #[test]
    fn opens_with_the_right_head() {
        let (shared, sink) = sink(false);
        assert!(sink.open().expect("opened").is_some());
        let out = text(&shared);
        for line in ["Content-Type: text/event-stream\r\n", "Connection: close\r\n", "no-cache\r\n"]
        {
            assert!(out.contains(line), "{line} in {out}");
        }
        assert!(
            !out.contains("Content-Length") && out.ends_with("\r\n\r\n: ok\n\n<flush>"),
            "{out}"
        );
    }

    #[test]
    fn answers_head_without_a_stream() {
        let (shared, sink) = sink(true);
        assert!(sink.open().expect("sent").is_none());
        assert!(text(&shared).ends_with("\r\n\r\n<flush>"));
    }

    #[test]
    fn a_dropped_sink_still_answers() {
        let (shared, sink) = sink(false);
        drop(sink);
        assert!(text(&shared).starts_with("HTTP/1.1 500 "));
    }

    #[test]
    fn replies_like_any_other_route() {
        let (shared, sink) = sink(false);
        sink.reply(Reply::json_bytes(503, b"{}".to_vec())).expect("sent");
        assert!(text(&shared).starts_with("HTTP/1.1 503 "));
    }
}
