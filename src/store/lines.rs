//! A library file laid out by this program, one game on a line, parsed while it is read.
//!
//! Of the text only a few pieces for each core are in memory, and the cores parse while the next
//! one is read. Any other layout is refused without a reason: `document` reads it whole.

use std::{
    collections::BTreeMap,
    io::{self, Read},
    str,
    sync::Arc,
    thread::{self, available_parallelism},
};

use crossbeam_channel::{Receiver, Sender, bounded, unbounded};
use memchr::{memchr, memmem, memrchr};
use serde_json::value::RawValue;

use super::repair::repaired_tags;
use crate::{base::thread_named, model::Game};

/// Bytes of the file that are parsed at a time, and how far its first line may reach: small enough
/// to be parsed out of the cache of a core.
const PIECE: usize = 256 << 10;
/// Files below this size, in bytes, are parsed on one core.
const PARALLEL_BYTES: u64 = 2 << 20;
const THREADS: usize = 4;

/// Games as they are parsed.
#[derive(Default)]
pub(super) struct Parsed {
    pub(super) list: Vec<Arc<Game>>,
    /// Games that needed a repair.
    pub(super) repairs: usize,
}

impl Parsed {
    pub(super) fn with_capacity(games: usize) -> Self {
        Self { list: Vec::with_capacity(games), repairs: 0 }
    }

    pub(super) fn push(&mut self, game: Game) {
        let repaired = repaired_tags(&game);
        self.repairs += usize::from(repaired.is_some());
        self.list.push(Arc::new(repaired.unwrap_or(game)));
    }

    pub(super) fn append(&mut self, mut other: Self) {
        self.list.append(&mut other.list);
        self.repairs += other.repairs;
    }
}

/// What a file of this layout holds.
pub(super) struct Laid {
    pub(super) games: Parsed,
    /// The file with `null` in the place of its games.
    pub(super) rest: String,
}

/// Cores that parse a large library.
pub(super) fn cores() -> usize {
    available_parallelism().map_or(1, usize::from).min(THREADS)
}

/// Reads a file of about `size` bytes; `None` when its layout is another one or it is damaged.
///
/// # Errors
/// When the file cannot be read.
pub(super) fn read(source: &mut dyn Read, size: u64) -> io::Result<Option<Laid>> {
    let mut cutter = Cutter { source, begun: Vec::new() };
    let Some(head) = cutter.head()? else { return Ok(None) };
    let games = if size < PARALLEL_BYTES { parse_here(&mut cutter) } else { parse(&mut cutter) };
    let Some((games, tail)) = games? else { return Ok(None) };
    let rest = format!("{head}null{tail}");
    let fields = serde_json::from_str::<BTreeMap<String, &RawValue>>(&rest);
    // The list that was cut out is the one of the games, and not one of the same name further in.
    let is_ours =
        fields.is_ok_and(|fields| fields.get("games").is_some_and(|games| games.get() == "null"));
    Ok(is_ours.then_some(Laid { games, rest }))
}

/// Cuts a file into its head, runs of whole lines and what stands behind the games. No JSON text
/// holds a bare line break, so a line always ends between two tokens.
struct Cutter<'a> {
    source: &'a mut dyn Read,
    /// What was read beyond the last cut: the beginning of a line.
    begun: Vec<u8>,
}

enum Cut {
    /// A run of lines, without the break behind the last.
    Lines(Vec<u8>),
    /// The last of them, perhaps none, and the text behind the list.
    Last(Vec<u8>, String),
    /// The file is not laid out in lines.
    Other,
}

impl Cutter<'_> {
    /// The text up to the list of games; `None` when the first line does not end there.
    fn head(&mut self) -> io::Result<Option<String>> {
        let mut piece = Vec::new();
        self.fill(&mut piece)?;
        let Some(end) = memchr(b'\n', &piece) else { return Ok(None) };
        self.begun = piece.split_off(end + 1);
        piece.truncate(end);
        let Ok(mut head) = String::from_utf8(piece) else { return Ok(None) };
        let is_head = head.ends_with("\"games\":[");
        head.pop();
        Ok(is_head.then_some(head))
    }

    /// The next lines, in a buffer that may have been used before.
    fn next(&mut self, mut piece: Vec<u8>) -> io::Result<Cut> {
        piece.clear();
        piece.append(&mut self.begun);
        loop {
            let is_end = self.fill(&mut piece)? == 0;
            if let Some(end) = end_of_games(&piece) {
                let mut tail = piece.split_off(end.next);
                self.source.read_to_end(&mut tail)?;
                piece.truncate(end.games);
                return Ok(
                    String::from_utf8(tail).map_or(Cut::Other, |tail| Cut::Last(piece, tail))
                );
            }
            if is_end {
                return Ok(Cut::Other);
            }
            // A line that is longer than a piece goes on growing.
            if let Some(end) = memrchr(b'\n', &piece) {
                self.begun = piece.split_off(end + 1);
                piece.truncate(end);
                return Ok(Cut::Lines(piece));
            }
        }
    }

    /// Reads one piece more, or what is left; returns its size.
    fn fill(&mut self, piece: &mut Vec<u8>) -> io::Result<usize> {
        let before = piece.len();
        piece.resize(before + PIECE, 0);
        let mut at = before;
        while at < piece.len() {
            match self.source.read(&mut piece[at..]) {
                Ok(0) => break,
                Ok(read) => at += read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        piece.truncate(at);
        Ok(at - before)
    }
}

/// Where the games end and where the text behind their list begins.
struct End {
    games: usize,
    next: usize,
}

/// The end of the list in text that begins with a line. The line behind the last game begins with
/// its bracket.
fn end_of_games(text: &[u8]) -> Option<End> {
    if text.first() == Some(&b']') {
        return Some(End { games: 0, next: 1 });
    }
    memmem::find(text, b"\n]").map(|games| End { games, next: games + 2 })
}

/// A run of lines as games; `is_open` unless its last one has no comma, as the last of all has none.
struct Run {
    games: Parsed,
    is_open: bool,
}

fn parse_run(bytes: &[u8]) -> Option<Run> {
    let text = str::from_utf8(bytes).ok()?;
    let mut games = Parsed::with_capacity(text.len() / 1024);
    let (mut rest, mut is_open) = (text, true);
    while !rest.is_empty() {
        // A line without a comma before it is one too many.
        if !is_open {
            return None;
        }
        let end = memchr(b'\n', rest.as_bytes());
        let line = &rest[..end.unwrap_or(rest.len())];
        rest = end.map_or("", |end| &rest[end + 1..]);
        is_open = line.ends_with("},");
        let game = if is_open { &line[..line.len() - 1] } else { line };
        games.push(Game::from_json(game).ok()?);
    }
    Some(Run { games, is_open })
}

/// Joins runs in the order of the file.
#[derive(Default)]
struct Whole {
    games: Parsed,
    is_closed: bool,
}

impl Whole {
    fn add(&mut self, run: Run) -> Option<()> {
        if self.is_closed && !run.games.list.is_empty() {
            return None;
        }
        self.is_closed |= !run.is_open;
        self.games.append(run.games);
        Some(())
    }
}

fn parse_here(cutter: &mut Cutter<'_>) -> io::Result<Option<(Parsed, String)>> {
    let mut whole = Whole::default();
    let mut spare = Vec::new();
    loop {
        let (lines, tail) = match cutter.next(spare)? {
            Cut::Lines(lines) => (lines, None),
            Cut::Last(lines, tail) => (lines, Some(tail)),
            Cut::Other => return Ok(None),
        };
        if parse_run(&lines).and_then(|run| whole.add(run)).is_none() {
            return Ok(None);
        }
        match tail {
            Some(tail) => return Ok(Some((whole.games, tail))),
            None => spare = lines,
        }
    }
}

/// As [`parse_here`], on several cores.
fn parse(cutter: &mut Cutter<'_>) -> io::Result<Option<(Parsed, String)>> {
    thread::scope(|scope| {
        let threads = cores();
        let (full, pieces) = bounded(threads);
        let (used, spare) = unbounded();
        let mut workers = Vec::with_capacity(threads);
        for number in 0..threads {
            let (pieces, used) = (pieces.clone(), used.clone());
            let worker = thread_named(format!("load-{number}"));
            // A machine that cannot start a thread makes do with those it has.
            workers.extend(worker.spawn_scoped(scope, move || parse_pieces(&pieces, &used)).ok());
        }
        drop((pieces, used));
        let tail = hand_out(cutter, &full, &spare)?;
        drop(full);
        // A worker that died leaves a gap, and the file to the other way of reading it.
        let parsed: Option<Vec<_>> =
            workers.into_iter().map(|worker| worker.join().ok().flatten()).collect();
        Ok(parsed.zip(tail).and_then(|(parsed, tail)| {
            let mut runs: Vec<(usize, Run)> = parsed.into_iter().flatten().collect();
            runs.sort_unstable_by_key(|(number, _)| *number);
            let mut whole = Whole::default();
            runs.into_iter().try_for_each(|(_, run)| whole.add(run))?;
            Some((whole.games, tail))
        }))
    })
}

/// Reads the file and hands its runs of lines to those who parse them; gives what stands behind the
/// games.
fn hand_out(
    cutter: &mut Cutter<'_>,
    full: &Sender<(usize, Vec<u8>)>,
    spare: &Receiver<Vec<u8>>,
) -> io::Result<Option<String>> {
    for number in 0.. {
        let (lines, tail) = match cutter.next(spare.try_recv().unwrap_or_default())? {
            Cut::Lines(lines) => (lines, None),
            Cut::Last(lines, tail) => (lines, Some(tail)),
            Cut::Other => return Ok(None),
        };
        // There is no receiver when all have met damage.
        if full.send((number, lines)).is_err() {
            return Ok(None);
        }
        if tail.is_some() {
            return Ok(tail);
        }
    }
    Ok(None)
}

/// Parses what comes until nothing more does, and hands the buffers back; `None` at the first damage.
fn parse_pieces(
    pieces: &Receiver<(usize, Vec<u8>)>,
    used: &Sender<Vec<u8>>,
) -> Option<Vec<(usize, Run)>> {
    let mut runs = Vec::new();
    while let Ok((number, piece)) = pieces.recv() {
        runs.push((number, parse_run(&piece)?));
        // OK because a reader that has everything needs no buffer any more.
        drop(used.send(piece));
    }
    Some(runs)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Hands out a few bytes at a time, as a slow disk or a signal may.
    struct Drips<'a>(&'a [u8], usize);

    impl Read for Drips<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.1.min(buffer.len()).min(self.0.len());
            let (now, later) = self.0.split_at(count);
            buffer[..count].copy_from_slice(now);
            self.0 = later;
            Ok(count)
        }
    }

    fn laid(bytes: &[u8], drip: usize, size: u64) -> Option<(Vec<String>, String)> {
        let laid = read(&mut Drips(bytes, drip), size).expect("readable")?;
        let games = laid.games.list.iter().map(|game| game.json().to_owned()).collect();
        Some((games, laid.rest))
    }

    #[track_caller]
    fn check(text: &str, expected: Option<(&[&str], &str)>) {
        let expected = expected.map(|(games, rest)| {
            (games.iter().map(|&game| game.to_owned()).collect::<Vec<_>>(), rest.to_owned())
        });
        for (drip, size) in [(1, 0), (7, 0), (usize::MAX, 0), (5, PARALLEL_BYTES)] {
            assert_eq!(
                laid(text.as_bytes(), drip, size),
                expected,
                "{text}, {drip} bytes at a time"
            );
        }
    }

    const ONE: &str = r#"{"game_id":"a","name":"A"}"#;
    const TWO: &str = r#"{"game_id":"b","name":"Ü]"}"#;

    #[test]
    fn cuts_the_layout_of_this_program_and_no_other() {
        let rest = r#"{"schema_version":6,"games":null,"history":[]}"#;
        let file =
            |games: &str| format!("{{\"schema_version\":6,\"games\":[{games}],\"history\":[]}}");
        check(&file("\n"), Some((&[], rest)));
        check(&file(&format!("\n{ONE}\n")), Some((&[ONE], rest)));
        check(&file(&format!("\n{ONE},\n{TWO}\n")), Some((&[ONE, TWO], rest)));
        let others = [
            file(""),
            file(ONE),
            file(&format!("\n{ONE}\n{TWO}\n")),
            file(&format!("\n{ONE},\n\n{TWO}\n")),
            file(&format!("\r\n{ONE},\r\n{TWO}\r\n")),
            file(&format!("\n{ONE},{TWO}\n")),
            file(&format!("\n{ONE},\n{TWO}\n],\"games\":[\n")),
            format!("{{\"old\":{{\"games\":[\n{ONE}\n]}}}}"),
            format!("{{\"games\":[\n{ONE},\n{TWO}"),
            format!("{{\"games\":[\n{ONE},\n{TWO}\n]"),
            String::new(),
            "\n".to_owned(),
            "[\n]".to_owned(),
        ];
        for other in others {
            check(&other, None);
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_wherever_they_are() {
        let good = format!("{{\"games\":[\n{ONE},\n{TWO}\n],\"a\":\"b\"}}").into_bytes();
        assert!(laid(&good, usize::MAX, 0).is_some());
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] = 0xff;
            assert_eq!(laid(&bad, usize::MAX, 0), None, "at {at}");
        }
    }

    #[test]
    fn a_file_that_cannot_be_read_to_its_end_is_an_error() {
        struct Broken(bool);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                if std::mem::replace(&mut self.0, true) {
                    return Err(io::ErrorKind::TimedOut.into());
                }
                let head = b"{\"games\":[\n{},\n";
                buffer[..head.len()].copy_from_slice(head);
                Ok(head.len())
            }
        }
        for size in [0, PARALLEL_BYTES] {
            let error = read(&mut Broken(false), size).map(|_| ()).expect_err("fails");
            assert_eq!(error.kind(), io::ErrorKind::TimedOut);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        /// Games of any length, some longer than several pieces, in their order on any cores.
        #[test]
        fn every_game_comes_once_and_in_order(
            lengths in prop::collection::vec(prop_oneof![0..200_usize, 60_000..700_000_usize], 0..12),
            drip in prop_oneof![Just(usize::MAX), 3_000..400_000_usize],
            parallel: bool,
        ) {
            let game = |(at, length): (usize, &usize)| {
                format!(r#"{{"game_id":"g{at}","name":"{}"}}"#, "ü".repeat(*length / 2))
            };
            let games: Vec<String> = lengths.iter().enumerate().map(game).collect();
            let file = format!("{{\"games\":[\n{}\n]}}\n", games.join(",\n"));
            let file = if games.is_empty() { "{\"games\":[\n]}\n".to_owned() } else { file };
            let size = if parallel { PARALLEL_BYTES } else { 0 };
            prop_assert_eq!(laid(file.as_bytes(), drip, size), Some((games, "{\"games\":null}\n".to_owned())));
        }
    }
}
