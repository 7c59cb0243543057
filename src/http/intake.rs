//! What tiny_http may read of a connection: its bytes pass through here first, see
//! [`super::socket::recv`].
//!
//! tiny_http has five faults that nothing can mend once it has parsed a request, so the bytes that
//! lead to them are changed or withheld before it reads them:
//!
//! - A request of HTTP/2.0 or 3.0 is answered while it still holds the writer that the answer waits
//!   for: its thread and its two descriptors are lost permanently. The digit becomes a zero, which
//!   tiny_http refuses with status 400.
//! - A body that is not read to its end is drained through one allocation of the announced length,
//!   which aborts the process when it is refused. The digits of a length above [`MOST_BYTES`] become
//!   [`BEYOND`], which tiny_http takes for no length at all.
//! - What follows a body whose end is unknown is parsed as a request. It is withheld.
//! - A head with a byte that is not ASCII ends the connection without an answer. The byte becomes
//!   [`FOREIGN`]. No target may hold it; the handler refuses the request for that. A header may have other characters
//!   in its value, and none that is read here has a meaning with them.
//! - A request whose short body ends early is dropped without an answer. The missing part is filled in, and
//!   the connection is marked: the reader of the body finds the filler at its end and refuses it.
//!
//! Knows where bodies begin and end, and nothing else of HTTP. Lines and lengths are read exactly as
//! tiny_http reads them: a line ends with CR LF, the first length counts, a coding overrides it.

/// Longest body that is passed on: longer ones are not even read to be thrown away.
pub(super) const MOST_BYTES: u64 = 64 << 20;
/// Stands for the digits of a length that is too long.
pub(super) const BEYOND: char = 'x';

/// Bodies up to this length are in memory when tiny_http hands over the request.
pub(super) const BUFFERED_BYTES: u64 = 1024;
/// The filler for missing bytes of a short body. No JSON ends with it.
pub(super) const FILLER: u8 = 0;

/// What stands for a byte of a head that is not ASCII: a control character, which is not part of a
/// target either.
pub(super) const FOREIGN: u8 = 0x7f;

/// No relevant name is longer.
const NAME_BYTES: usize = 18;
/// Where the digit of the major version is in `HTTP/2.0`.
const MAJOR: usize = 5;

/// Follows the requests of one connection.
#[derive(Debug, Default)]
pub(super) struct Intake {
    part: Part,
    /// Bytes of the current line so far, and whether the last one was CR.
    line_bytes: usize,
    after_cr: bool,
    /// Something else than blanks was seen in the line.
    has_begun: bool,
    /// Of a request line: which word, and the byte within it.
    word: usize,
    column: usize,
    /// Of a header: its name so far.
    name: Vec<u8>,
    field: Field,
    /// Of a head: its `Content-Length` headers, the value of the first, and whether the bytes after
    /// the body are withheld.
    lengths: usize,
    length: Number,
    is_coded: bool,
    is_last: bool,
    /// Requests of this connection that were counted, and whether the current one is among them.
    requests: u64,
    is_counted: bool,
    /// The client ended the connection within a short body, whose rest was filled in.
    is_cut_off: bool,
}

/// How far the requests of one connection were received.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Position {
    /// Requests of which tiny_http has what it needs to hand them over: the head, and a short body.
    pub(super) requests: u64,
    /// A head or a body has begun and is not complete.
    pub(super) is_within: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum Part {
    #[default]
    RequestLine,
    Headers,
    Body(u64),
    Withheld,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Field {
    #[default]
    Name,
    FirstLength,
    Other,
}

#[derive(Clone, Copy, Debug, Default)]
enum Number {
    #[default]
    None,
    Digits(u64),
    Ended(u64),
    Beyond,
    Invalid,
}

impl Intake {
    /// How far the requests were received.
    pub(super) fn position(&self) -> Position {
        let is_within = !matches!(self.part, Part::RequestLine) || self.line_bytes > 0;
        Position { requests: self.requests, is_within }
    }

    /// Takes in what was received next, in place; returns how many of the bytes may be passed on.
    pub(super) fn pass(&mut self, bytes: &mut [u8]) -> usize {
        let mut at = 0;
        while at < bytes.len() {
            match self.part {
                Part::Withheld => return at,
                Part::Body(left) => {
                    let step = usize::try_from(left)
                        .map_or(bytes.len(), |left| left.min(bytes.len() - at));
                    at += step;
                    self.body(left - step as u64);
                }
                Part::RequestLine | Part::Headers => {
                    bytes[at] = self.head(bytes[at]);
                    at += 1;
                }
            }
        }
        at
    }

    /// Whether the last body of the connection was partly filled in.
    pub(super) fn is_cut_off(&self) -> bool {
        self.is_cut_off
    }

    /// Takes in that nothing more comes. Makes up what is missing of a short body, as far as there is
    /// room; returns how many bytes that are.
    pub(super) fn make_up(&mut self, room: &mut [u8]) -> usize {
        let missing = match self.part {
            Part::Body(left) if !self.is_counted => left,
            _ => return 0,
        };
        let count = usize::try_from(missing).map_or(room.len(), |left| left.min(room.len()));
        room[..count].fill(FILLER);
        self.is_cut_off = true;
        self.body(missing - count as u64);
        count
    }

    /// Takes in how much is left of a body.
    fn body(&mut self, left: u64) {
        if !self.is_counted && (left == 0 || left > BUFFERED_BYTES) {
            (self.requests, self.is_counted) = (self.requests + 1, true);
        }
        if left > 0 {
            self.part = Part::Body(left);
        } else if self.is_last {
            self.part = Part::Withheld;
        } else {
            let Self { requests, is_cut_off, .. } = *self;
            *self = Self { requests, is_cut_off, ..Self::default() };
        }
    }

    fn head(&mut self, byte: u8) -> u8 {
        let is_end = byte == b'\n' && self.after_cr;
        self.after_cr = byte == b'\r';
        self.line_bytes += 1;
        self.has_begun |= !is_blank(byte);
        match self.part {
            _ if is_end => {
                self.end_line();
                byte
            }
            Part::RequestLine => self.request_line(byte),
            _ => ascii(self.header(byte)),
        }
    }

    fn end_line(&mut self) {
        let is_empty = self.line_bytes == 2;
        self.lengths += usize::from(self.field == Field::FirstLength);
        (self.line_bytes, self.has_begun, self.field) = (0, false, Field::Name);
        self.name.clear();
        match self.part {
            Part::Headers if is_empty => {
                let length = match self.length {
                    Number::Digits(length) | Number::Ended(length) => Some(length),
                    Number::None | Number::Beyond | Number::Invalid => None,
                };
                self.is_last |= self.is_coded || (self.lengths > 0 && length.is_none());
                self.body(length.filter(|_| !self.is_coded).unwrap_or(0));
            }
            _ => self.part = Part::Headers,
        }
    }

    fn request_line(&mut self, byte: u8) -> u8 {
        if byte == b' ' && self.has_begun {
            (self.word, self.column) = (self.word + 1, 0);
        } else if self.has_begun {
            self.column += 1;
            if self.word == 2 && self.column == MAJOR + 1 && matches!(byte, b'2'..=b'9') {
                return b'0';
            }
        }
        ascii(byte)
    }

    fn header(&mut self, byte: u8) -> u8 {
        match self.field {
            Field::Name if byte == b':' => self.end_name(),
            Field::Name if self.has_begun && self.name.len() < NAME_BYTES => self.name.push(byte),
            Field::FirstLength => return self.digit(byte),
            Field::Name | Field::Other => {}
        }
        byte
    }

    fn end_name(&mut self) {
        self.is_coded |= self.name.eq_ignore_ascii_case(b"Transfer-Encoding");
        let is_length = self.name.eq_ignore_ascii_case(b"Content-Length");
        self.is_last |= is_length && self.lengths > 0;
        self.field = if is_length && self.lengths == 0 { Field::FirstLength } else { Field::Other };
    }

    /// Takes in one byte of a length. A plus sign would be a number to tiny_http.
    fn digit(&mut self, byte: u8) -> u8 {
        let digit = byte.is_ascii_digit().then(|| u64::from(byte - b'0'));
        self.length = match (self.length, digit) {
            (Number::None, Some(digit)) => Number::Digits(digit),
            (Number::None, None) if is_blank(byte) => Number::None,
            (Number::Digits(length), Some(digit)) => match length * 10 + digit {
                length @ ..=MOST_BYTES => Number::Digits(length),
                _ => Number::Beyond,
            },
            (Number::Digits(length) | Number::Ended(length), None) if is_blank(byte) => {
                Number::Ended(length)
            }
            (Number::Beyond, Some(_)) => Number::Beyond,
            (Number::Beyond, None) if is_blank(byte) => Number::Beyond,
            _ => Number::Invalid,
        };
        match self.length {
            Number::Beyond if digit.is_some() => BEYOND as u8,
            _ if byte == b'+' => b'-',
            _ => byte,
        }
    }
}

fn ascii(byte: u8) -> u8 {
    if byte.is_ascii() { byte } else { FOREIGN }
}

/// What tiny_http trims from a line and a value.
fn is_blank(byte: u8) -> bool {
    byte.is_ascii_whitespace() || byte == b'\x0b'
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks what is passed on of a text, whole and byte by byte.
    #[track_caller]
    fn check(text: &str, expected: &str) {
        for step in [text.len(), 1, 7] {
            let mut intake = Intake::default();
            let mut passed = Vec::new();
            for piece in text.as_bytes().chunks(step) {
                let mut piece = piece.to_vec();
                let length = intake.pass(&mut piece);
                passed.extend_from_slice(&piece[..length]);
            }
            assert_eq!(String::from_utf8(passed).expect("text"), expected, "in steps of {step}");
        }
    }

    #[track_caller]
    fn check_unchanged(text: &str) {
        check(text, text);
    }

    #[test]
    fn newer_versions_are_made_unknown_ones() {
        check("GET / HTTP/2.0\r\n\r\n", "GET / HTTP/0.0\r\n\r\n");
        check("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "PRI * HTTP/0.0\r\n\r\nSM\r\n\r\n");
        check(" \n\t GET / HTTP/3.0 x\r\n\r\n", " \n\t GET / HTTP/0.0 x\r\n\r\n");
        check("GET  HTTP/2.0\r\n\r\n", "GET  HTTP/0.0\r\n\r\n");
        check_unchanged("GET / HTTP/1.1\r\nVia: a HTTP/2.0\r\nX: / HTTP/2.0\r\n\r\n");
        check_unchanged("GET /HTTP/2.0 HTTP/1.0\r\nA: b HTTP/2.0\n\rC: d HTTP/2.0\r\n\r\n");
    }

    #[test]
    fn what_is_not_ascii_is_taken_out_of_heads_alone() {
        check("GET /\u{e9}?\u{e9} HTTP/1.1\r\n\r\n", "GET /\x7f\x7f?\x7f\x7f HTTP/1.1\r\n\r\n");
        check(
            "GET / HTTP/1.1\r\nA\u{e9}: \u{e9}\r\nContent-Length: 2\r\n\r\n\u{e9}",
            "GET / HTTP/1.1\r\nA\x7f\x7f: \x7f\x7f\r\nContent-Length: 2\r\n\r\n\u{e9}",
        );
        let length = "GET / HTTP/1.1\r\nContent-Length: ";
        check(&format!("{length}\u{e9}\r\n\r\nabc"), &format!("{length}\x7f\x7f\r\n\r\n"));
    }

    #[test]
    fn every_request_of_a_connection_is_followed() {
        let post = "POST / HTTP/1.1\r\n content-length:  5 \r\n\r\na b\r\n";
        let empty = "POST / HTTP/1.1\r\nContent-Length: 0\r\n\r\n";
        for front in [post, empty, "GET / HTTP/1.1\r\n\r\n"] {
            check_unchanged(&format!("{front}{front}GET / HTTP/1.1\r\n\r\n"));
            check(
                &format!("{front}{front}A B HTTP/2.0\r\n"),
                &format!("{front}{front}A B HTTP/0.0\r\n"),
            );
        }
        let quote = "POST / HTTP/1.1\r\nContent-Length: 21\r\n\r\n\r\n\r\nGET / HTTP/2.0\r\n\r";
        check_unchanged(&format!("{quote}\nGET / HTTP/1.1\r\n\r\n"));
    }

    #[test]
    fn it_knows_where_requests_end() {
        let post = "POST / HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc";
        let get = "GET / HTTP/1.1\r\n\r\n";
        let text = format!("{get}{post}{post}{get}");
        let ends: Vec<usize> = [get, post, post, get]
            .iter()
            .scan(0, |end, request| {
                *end += request.len();
                Some(*end)
            })
            .collect();
        let mut intake = Intake::default();
        assert_eq!(intake.position(), Position::default(), "nothing was received");
        for (index, byte) in text.bytes().enumerate() {
            assert_eq!(intake.pass(&mut [byte]), 1);
            let is_within = !ends.contains(&(index + 1));
            assert_eq!(intake.position().is_within, is_within, "byte {index}");
        }
        assert_eq!(intake.position().requests, 4);
        let mut intake = Intake::default();
        intake.pass(format!("{post}{get}GET").into_bytes().as_mut_slice());
        assert_eq!(intake.position(), Position { requests: 2, is_within: true });
    }

    #[test]
    fn it_counts_the_requests_that_can_be_handed_over() {
        let counts = |length: usize| {
            let mut intake = Intake::default();
            let head = format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n");
            intake.pass(head.into_bytes().as_mut_slice());
            let after_head = intake.position().requests;
            intake.pass(vec![b'x'; length - 1].as_mut_slice());
            let before_end = intake.position().requests;
            intake.pass(b"x".to_vec().as_mut_slice());
            [after_head, before_end, intake.position().requests]
        };
        assert_eq!(counts(1024), [0, 0, 1], "the body is read with the head");
        assert_eq!(counts(1025), [1, 1, 1], "a worker reads the body");
        let mut intake = Intake::default();
        let coded = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n";
        intake.pass(coded.to_owned().into_bytes().as_mut_slice());
        assert_eq!(intake.position().requests, 1);
    }

    #[test]
    fn a_short_body_that_ends_early_is_made_up() {
        let post = |length: usize, body: &str| {
            format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n{body}")
        };
        let made_up = |text: &str, room: usize| {
            let mut intake = Intake::default();
            intake.pass(text.to_owned().into_bytes().as_mut_slice());
            let mut room = vec![b'x'; room];
            let counts = [intake.make_up(&mut room), intake.make_up(&mut room)];
            (counts, intake.is_cut_off(), intake.position())
        };
        let whole = Position { requests: 1, is_within: false };
        assert_eq!(made_up(&post(5, "ab"), 64), ([3, 0], true, whole));
        assert_eq!(made_up(&post(1024, ""), 1000), ([1000, 24], true, whole));
        for untouched in [post(2, "ab"), post(1025, "ab"), "POST / HTTP/1.1\r\n".to_owned()] {
            let (counts, is_cut_off, _) = made_up(&untouched, 64);
            assert_eq!((counts, is_cut_off), ([0, 0], false), "{untouched}");
        }
        let mut intake = Intake::default();
        intake.pass(post(3, "a").into_bytes().as_mut_slice());
        let mut room = [b'x'; 4];
        assert_eq!((intake.make_up(&mut room), room), (2, [FILLER, FILLER, b'x', b'x']));
    }

    #[test]
    fn lengths_beyond_the_bound_are_cut_and_end_the_connection() {
        let head = |length: &str| format!("POST / HTTP/1.1\r\nContent-Length: {length}\r\n\r\n");
        let next = "GET / HTTP/1.1\r\n\r\n";
        check(&(head("67108865") + next), &head("6710886x"));
        check(&(head("18446744073709551616 ") + next), &head("18446744xxxxxxxxxxxx "));
        check(&(head("+5") + next), &head("-5"));
        for odd in ["", "five", "5 5", "5,5", "-1", "0x5"] {
            check(&(head(odd) + next), &head(odd));
        }
        check_unchanged(&head("67108864"));
    }

    #[test]
    fn nothing_follows_a_body_whose_end_is_unknown() {
        let coded = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n";
        check(&format!("{coded}hello GET / HTTP/2.0\r\n"), coded);
        let twice = "POST / HTTP/1.1\r\nContent-Length: 3\r\nContent-Length: 5\r\n\r\n";
        check(&format!("{twice}hello"), &format!("{twice}hel"));
    }
}
