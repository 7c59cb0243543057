//! The log as text: a checked header and one checked line for each commit.
//!
//! A line is `<8 hex digits> <JSON>` and a newline. The checksum of the header covers its JSON; that
//! of every other line covers the lineage too, so that a line never passes for one of another
//! library, even when the header is lost. The JSON of a game stands in its line as it is.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, value::RawValue};

use crate::{
    base::checksum::crc32,
    model::{Game, Op},
};

/// Bytes of lines that are gathered before they are handed on.
const PIECE: usize = 1 << 20;
/// The end of a line.
const END: &str = "]}";

/// The first line of a log.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Header {
    /// The library this log belongs to.
    pub(super) lineage: String,
    /// Every change after this revision stands below.
    pub(super) after: u64,
    /// The signature of the library file when the log was begun.
    pub(super) base: String,
    /// The revision of that file.
    pub(super) folded: u64,
}

/// One op of a line, as it is read back.
#[derive(Deserialize)]
#[serde(rename_all = "lowercase")]
enum Entry<'a> {
    #[serde(borrow)]
    Put(&'a RawValue),
    Add {
        at: Option<usize>,
        #[serde(borrow)]
        game: &'a RawValue,
    },
    Rename {
        from: String,
        #[serde(borrow)]
        game: &'a RawValue,
    },
    Remove(Vec<String>),
    Note(Value),
    Section(String, Value),
    Splice {
        key: String,
        at: usize,
        removed: usize,
        inserted: Vec<Value>,
    },
    Merge {
        key: String,
        set: Map<String, Value>,
        unset: Vec<String>,
    },
}

#[derive(Deserialize)]
struct Body<'a> {
    #[serde(rename = "r")]
    _revision: u64,
    #[serde(rename = "t", default)]
    at: Option<i64>,
    #[serde(borrow)]
    ops: Vec<Entry<'a>>,
}

/// One whole line of a log.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'a> {
    /// Where it begins in the log.
    pub(super) offset: usize,
    sum: Option<u32>,
    json: &'a str,
}

/// The text of a header, with its newline.
pub(super) fn write_header(header: &Header) -> String {
    let json = json(header);
    format!("{:08x} {json}\n", crc32fast::hash(json.as_bytes()))
}

/// Lines on their way to a log, handed on in pieces: a commit may change every game there is, and its
/// line is then as long as the library.
pub(super) struct Lines<W> {
    text: String,
    write: W,
}

impl<E, W: FnMut(&[u8]) -> Result<(), E>> Lines<W> {
    /// Lines that are handed to `write`.
    pub(super) fn new(write: W) -> Self {
        Self { text: String::new(), write }
    }

    /// Adds the text of a line, with its newline, to those before it. `at` is the time of the commit
    /// in microseconds since the Unix epoch.
    pub(super) fn push(
        &mut self,
        lineage: &str,
        revision: u64,
        at: i64,
        ops: &[Op],
    ) -> Result<(), E> {
        let begin = format!("{{\"r\":{revision},\"t\":{at},\"ops\":[");
        let mut sum = crc32fast::Hasher::new();
        sum.update(lineage.as_bytes());
        sum.update(begin.as_bytes());
        // The checksum stands before what it covers, so the ops are spelled twice, one at a time.
        let mut spelled = String::new();
        for (number, op) in ops.iter().enumerate() {
            spelled.clear();
            push_op(&mut spelled, number, op);
            sum.update(spelled.as_bytes());
        }
        sum.update(END.as_bytes());
        // OK because writing to a String never fails.
        let _ = write!(self.text, "{:08x} {begin}", sum.finalize());
        for (number, op) in ops.iter().enumerate() {
            push_op(&mut self.text, number, op);
            if self.text.len() >= PIECE {
                self.hand_on()?;
            }
        }
        self.text.push_str(END);
        self.text.push('\n');
        Ok(())
    }

    /// Hands on what is left.
    pub(super) fn hand_on(&mut self) -> Result<(), E> {
        (self.write)(self.text.as_bytes())?;
        self.text.clear();
        Ok(())
    }
}

fn push_op(text: &mut String, number: usize, op: &Op) {
    if number > 0 {
        text.push(',');
    }
    write_op(text, op);
}

fn write_op(body: &mut String, op: &Op) {
    // OK because writing to a String never fails.
    let _ = match op {
        Op::Put(game) => write!(body, "{{\"put\":{}}}", game.json()),
        Op::Add(at, game) => {
            write!(body, "{{\"add\":{{\"at\":{},\"game\":{}}}}}", json(at), game.json())
        }
        Op::Rename { from, game } => {
            write!(body, "{{\"rename\":{{\"from\":{},\"game\":{}}}}}", json(from), game.json())
        }
        Op::Remove(ids) => write!(body, "{{\"remove\":{}}}", json(ids)),
        Op::Note(value) => write!(body, "{{\"note\":{value}}}"),
        Op::Section(key, value) => write!(body, "{{\"section\":[{},{value}]}}", json(key)),
        Op::Splice { key, at, removed, inserted } => write!(
            body,
            "{{\"splice\":{{\"key\":{},\"at\":{at},\"removed\":{removed},\"inserted\":{}}}}}",
            json(key),
            json(inserted)
        ),
        Op::Merge { key, set, unset } => write!(
            body,
            "{{\"merge\":{{\"key\":{},\"set\":{},\"unset\":{}}}}}",
            json(key),
            json(set),
            json(unset)
        ),
    };
}

fn json(value: &(impl Serialize + ?Sized)) -> String {
    // OK because the values have text keys and finite numbers only.
    serde_json::to_string(value).unwrap_or_default()
}

/// Splits a log into its whole lines and their total length; the rest is a line that
/// was never finished.
pub(super) fn split(log: &[u8]) -> (Vec<Line<'_>>, usize) {
    let whole = log.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
    let mut lines = Vec::new();
    let mut offset = 0;
    for bytes in log[..whole].split_inclusive(|byte| *byte == b'\n') {
        lines.push(Line::of(offset, &bytes[..bytes.len() - 1]));
        offset += bytes.len();
    }
    (lines, whole)
}

impl<'a> Line<'a> {
    fn of(offset: usize, bytes: &'a [u8]) -> Self {
        let text = std::str::from_utf8(bytes).unwrap_or("");
        let parted = text.split_once(' ').filter(|(sum, _)| sum.len() == 8);
        let (sum, json) = parted.unwrap_or(("", ""));
        Self { offset, sum: u32::from_str_radix(sum, 16).ok(), json }
    }

    /// The line as a header; `None` when it is not an intact one.
    pub(super) fn header(&self) -> Option<Header> {
        let intact = self.sum == Some(crc32fast::hash(self.json.as_bytes()));
        intact.then(|| serde_json::from_str(self.json).ok()).flatten()
    }

    /// The revision an intact line of this lineage makes; `None` when it is damaged.
    pub(super) fn revision(&self, lineage: &str) -> Option<u64> {
        if self.sum != Some(crc32(&[lineage.as_bytes(), self.json.as_bytes()])) {
            return None;
        }
        let digits = self.json.strip_prefix("{\"r\":")?.split(',').next()?;
        digits.parse().ok()
    }

    /// The ops of an intact line; `None` when they cannot be read.
    pub(super) fn ops(&self) -> Option<Vec<Op>> {
        self.commit().map(|(_, ops)| ops)
    }

    /// The time and the ops of an intact line; lines of older versions know no time.
    pub(super) fn commit(&self) -> Option<(Option<i64>, Vec<Op>)> {
        let body: Body<'_> = serde_json::from_str(self.json).ok()?;
        let ops: Option<Vec<Op>> = body.ops.into_iter().map(read_op).collect();
        Some((body.at, ops?))
    }
}

fn read_op(entry: Entry<'_>) -> Option<Op> {
    let game = |raw: &RawValue| Game::from_json(raw.get()).ok().map(std::sync::Arc::new);
    Some(match entry {
        Entry::Put(raw) => Op::Put(game(raw)?),
        Entry::Add { at, game: raw } => Op::Add(at, game(raw)?),
        Entry::Rename { from, game: raw } => Op::Rename { from, game: game(raw)? },
        Entry::Remove(ids) => Op::Remove(ids),
        Entry::Note(value) => Op::Note(value),
        Entry::Section(key, value) => Op::Section(key, value),
        Entry::Splice { key, at, removed, inserted } => Op::Splice { key, at, removed, inserted },
        Entry::Merge { key, set, unset } => Op::Merge { key, set, unset },
    })
}

/// The text of one line, with its newline.
#[cfg(test)]
pub(super) fn text_of_line(lineage: &str, revision: u64, at: i64, ops: &[Op]) -> String {
    let mut line = Vec::new();
    let mut lines = Lines::new(|piece: &[u8]| {
        line.extend_from_slice(piece);
        Ok::<_, std::convert::Infallible>(())
    });
    lines.push(lineage, revision, at, ops).and_then(|()| lines.hand_on()).expect("written");
    String::from_utf8(line).expect("text")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Record;

    fn game(value: Value) -> std::sync::Arc<Game> {
        Game::seal(&serde_json::from_value::<Record>(value).expect("an object"))
    }

    fn write_line(lineage: &str, revision: u64, ops: &[Op]) -> String {
        text_of_line(lineage, revision, 5, ops)
    }

    fn every_op() -> Vec<Op> {
        vec![
            Op::Put(game(json!({"game_id": "game-1", "name": "Line\nbreak \u{2603}"}))),
            Op::Add(None, game(json!({"game_id": "game-2"}))),
            Op::Add(Some(3), game(json!({"game_id": "game-3"}))),
            Op::Rename { from: "game-2".into(), game: game(json!({"game_id": "game-4"})) },
            Op::Remove(vec!["game-1".to_owned(), "quo\"te".to_owned()]),
            Op::Note(json!({"said": true})),
            Op::Section("x".to_owned(), json!({"a": [1, 2.5, null]})),
            Op::Splice { key: "h".into(), at: 1, removed: 2, inserted: vec![json!("\n")] },
            Op::Merge {
                key: "settings".into(),
                set: Map::from_iter([("k".to_owned(), json!(1))]),
                unset: vec!["gone".into()],
            },
        ]
    }

    #[test]
    fn a_long_line_is_written_in_pieces() {
        let text = "x".repeat(PIECE / 4);
        let ops: Vec<Op> =
            (0..20).map(|id| Op::Add(None, game(json!({"game_id": id, "notes": text})))).collect();
        let (mut line, mut largest) = (Vec::new(), 0);
        let mut lines = Lines::new(|piece: &[u8]| {
            largest = largest.max(piece.len());
            line.extend_from_slice(piece);
            Ok::<_, std::convert::Infallible>(())
        });
        lines.push("L", 7, 5, &ops).and_then(|()| lines.hand_on()).expect("written");
        assert!(line.len() > 4 * PIECE && largest < 2 * PIECE, "{largest}");
        let (read, whole) = split(&line);
        assert_eq!((read.len(), whole, read[0].revision("L")), (1, line.len(), Some(7)));
        assert_eq!(read[0].ops().map(|read| read.len()), Some(20));
    }

    #[test]
    fn every_op_reads_back_as_it_was() {
        let text = write_line("L", 7, &every_op());
        assert_eq!(text.matches('\n').count(), 1);
        let (lines, whole) = split(text.as_bytes());
        assert_eq!((lines.len(), whole), (1, text.len()));
        assert_eq!(lines[0].revision("L"), Some(7));
        let (at, ops) = lines[0].commit().expect("readable");
        assert_eq!((at, format!("{ops:?}")), (Some(5), format!("{:?}", every_op())));
    }

    #[test]
    fn any_changed_byte_and_another_lineage_are_noticed() {
        let text = write_line("L", 7, &every_op());
        assert_eq!(split(text.as_bytes()).0[0].revision("other"), None);
        for at in 0..text.len() - 1 {
            let mut bytes = text.clone().into_bytes();
            bytes[at] ^= 1;
            let (lines, _) = split(&bytes);
            let fine = lines.iter().any(|line| line.revision("L").is_some());
            assert!(!fine, "byte {at}");
        }
    }

    #[test]
    fn an_unfinished_line_is_no_line() {
        let header = Header { lineage: "L".into(), after: 3, base: "b".into(), folded: 3 };
        let text = write_header(&header) + &write_line("L", 4, &every_op());
        for len in 0..text.len() {
            let (lines, whole) = split(&text.as_bytes()[..len]);
            assert!(whole <= len && lines.len() <= 1);
        }
        let (lines, _) = split(text.as_bytes());
        assert_eq!(lines[0].header(), Some(header));
        assert_eq!(lines[1].header(), None);
    }
}
