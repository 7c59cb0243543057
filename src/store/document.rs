//! The bytes of `library.json` as a state, with the repairs every load makes.
//!
//! The games are cut out of the text as they stand and parsed on several cores; a file laid out by
//! this program with one game on a line is not even looked at twice.

use std::{
    collections::BTreeMap,
    sync::Arc,
    thread::{self, available_parallelism},
};

use memchr::{memchr, memrchr_iter};
use serde_json::{Map, Value, value::RawValue};

use super::{
    error::Flaw,
    render::RESERVED,
    repair::{repair_ids, repaired_tags},
    upgrade::upgrade,
};
use crate::model::{
    game::Game,
    state::{SCHEMA_VERSION, State},
};

/// Libraries below this size are parsed on one core.
const PARALLEL_GAMES: usize = 2_000;
/// Runs of lines below this size, in bytes, are parsed on one core.
const PARALLEL_BYTES: usize = 2 << 20;
const THREADS: usize = 4;

/// A library file that could be read.
pub(super) struct Document {
    /// What it holds; the revision is the file's, zero when it has none.
    pub(super) state: State,
    /// The library it is; `None` for files this program has not written.
    pub(super) lineage: Option<String>,
    /// Whether it is written in this build's version.
    pub(super) current: bool,
    /// Games and sections that needed a repair.
    pub(super) repairs: usize,
}

/// The top level of a file, cut apart.
struct Cut<'a> {
    games: Vec<&'a str>,
    fields: BTreeMap<String, &'a RawValue>,
    version: u64,
}

/// Reads a library file.
pub(super) fn read_document(bytes: &[u8]) -> Result<Document, Flaw> {
    let laid_out = by_lines(bytes).and_then(|(parts, rest)| {
        let Cut { fields, version, .. } = cut_fields(&rest).ok()?;
        let parsed = parse_parts(&parts, |part| parse_lines(part)).ok()?;
        finish(parsed, &fields, version).ok()
    });
    if let Some(document) = laid_out {
        return Ok(document);
    }
    let text = std::str::from_utf8(bytes).map_err(|_| Flaw::NotText)?;
    let cut = cut(text)?;
    finish(parse_games(&cut.games)?, &cut.fields, cut.version)
}

fn finish(
    games: Parsed,
    fields: &BTreeMap<String, &RawValue>,
    version: u64,
) -> Result<Document, Flaw> {
    let whole = |key: &str| fields.get(key).and_then(|raw| serde_json::from_str(raw.get()).ok());
    let lineage = fields.get("lineage").and_then(|raw| serde_json::from_str(raw.get()).ok());
    let revision: Option<u64> = whole("revision");
    // A file that lost its revision cannot say which lines of a log it holds.
    let lineage: Option<String> = lineage.filter(|text: &String| !text.is_empty());
    let lineage = lineage.filter(|_| revision.is_some());
    let mut sections = Map::new();
    for (key, raw) in fields.iter().filter(|(key, _)| !RESERVED.contains(&key.as_str())) {
        let value = serde_json::from_str(raw.get()).map_err(not_json)?;
        sections.insert(key.clone(), value);
    }
    let (list, renamed) = repair_ids(games.list, lineage.is_some());
    let repairs = games.repairs + renamed + upgrade(&mut sections);
    let sections: BTreeMap<Arc<str>, Arc<Value>> =
        sections.into_iter().map(|(key, value)| (key.into(), Arc::new(value))).collect();
    let state = State::new(list, sections, revision.unwrap_or(0));
    Ok(Document { state, lineage, current: version == SCHEMA_VERSION, repairs })
}

fn not_json(error: serde_json::Error) -> Flaw {
    Flaw::NotJson(error.to_string())
}

/// Cuts a file of any layout apart.
fn cut(text: &str) -> Result<Cut<'_>, Flaw> {
    if text.trim_ascii_start().starts_with('[') {
        let games = list(text).map_err(not_json)?;
        return Ok(Cut { games, fields: BTreeMap::new(), version: 1 });
    }
    let mut cut = cut_fields(text)?;
    let Some(games) = cut.fields.get("games") else { return Ok(cut) };
    if !games.get().starts_with('[') {
        return Err(Flaw::NoGames);
    }
    cut.games = list(games.get()).map_err(not_json)?;
    Ok(cut)
}

fn list(text: &str) -> Result<Vec<&str>, serde_json::Error> {
    let items: Vec<&RawValue> = serde_json::from_str(text)?;
    Ok(items.into_iter().map(RawValue::get).collect())
}

/// The fields of an object and its version; the games are left where they are.
fn cut_fields(text: &str) -> Result<Cut<'_>, Flaw> {
    let root: &RawValue = serde_json::from_str(text).map_err(not_json)?;
    if !root.get().starts_with('{') {
        return Err(Flaw::NotALibrary);
    }
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(root.get()).map_err(not_json)?;
    let version = match fields.get("schema_version") {
        None => 1,
        Some(raw) => serde_json::from_str(raw.get())
            .ok()
            .filter(|version| (1..=SCHEMA_VERSION).contains(version))
            .ok_or_else(|| Flaw::Version(raw.get().to_owned()))?,
    };
    Ok(Cut { games: Vec::new(), fields, version })
}

/// A run of lines of a file in which every game has a line of its own.
struct Lines<'a> {
    bytes: &'a [u8],
    /// Whether the list of games ends behind it.
    is_last: bool,
}

/// Cuts a file in which every game has a line of its own: runs of games, and the file without them.
/// `None` when the layout is another one. No JSON text holds a bare line break, so a line always
/// ends between two tokens; the rest and each game are parsed in full afterwards.
fn by_lines(bytes: &[u8]) -> Option<(Vec<Lines<'_>>, String)> {
    let first_end = memchr(b'\n', bytes)?;
    let head = str::from_utf8(&bytes[..first_end]).ok()?.strip_suffix("\"games\":[")?;
    let end = memrchr_iter(b'\n', bytes).find(|&at| bytes.get(at + 1) == Some(&b']'))?;
    let tail = str::from_utf8(bytes.get(end + 2..)?).ok()?;
    let rest = format!("{head}\"games\":null{tail}");
    let ends_here = serde_json::from_str::<BTreeMap<String, &RawValue>>(&rest)
        .is_ok_and(|fields| fields.get("games").is_some_and(|raw| raw.get() == "null"));
    // The last line break of an empty list is the one behind its first line.
    let games = bytes.get(first_end + 1..end.max(first_end + 1))?;
    ends_here.then(|| (share_lines(games), rest))
}

/// Shares lines out among the cores.
fn share_lines(games: &[u8]) -> Vec<Lines<'_>> {
    let count = if games.len() < PARALLEL_BYTES { 1 } else { cores() };
    let share = games.len().div_ceil(count).max(1);
    let (mut parts, mut rest) = (Vec::with_capacity(count), games);
    while let Some(end) = rest.get(share..).and_then(|behind| memchr(b'\n', behind)) {
        let (bytes, behind) = rest.split_at(share + end);
        parts.push(Lines { bytes, is_last: false });
        rest = &behind[1..];
    }
    parts.push(Lines { bytes: rest, is_last: true });
    parts
}

fn cores() -> usize {
    available_parallelism().map_or(1, usize::from).min(THREADS)
}

#[derive(Default)]
struct Parsed {
    list: Vec<Arc<Game>>,
    repairs: usize,
}

impl Parsed {
    fn with_capacity(games: usize) -> Self {
        Self { list: Vec::with_capacity(games), repairs: 0 }
    }

    fn push(&mut self, game: Game) {
        let repaired = repaired_tags(&game);
        self.repairs += usize::from(repaired.is_some());
        self.list.push(Arc::new(repaired.unwrap_or(game)));
    }
}

/// Parses the parts of a list, each on a core of its own.
fn parse_parts<P: Sync>(
    parts: &[P],
    parse: impl Fn(&P) -> Result<Parsed, Flaw> + Sync,
) -> Result<Parsed, Flaw> {
    if let [only] = parts {
        return parse(only);
    }
    let parse = &parse;
    thread::scope(|scope| {
        let workers: Vec<_> = parts
            .iter()
            .enumerate()
            .map(|(number, part)| {
                let name = format!("load-{number}");
                let worker = thread::Builder::new().name(name);
                (worker.spawn_scoped(scope, move || parse(part)), part)
            })
            .collect();
        let mut all = Parsed::default();
        for (worker, part) in workers {
            // A machine that cannot start a thread, and a thread that died, leave it to this one.
            let parsed = worker.ok().and_then(|worker| worker.join().ok());
            let parsed = parsed.unwrap_or_else(|| parse(part))?;
            all.list.extend(parsed.list);
            all.repairs += parsed.repairs;
        }
        Ok(all)
    })
}

fn parse_games(texts: &[&str]) -> Result<Parsed, Flaw> {
    let count = if texts.len() < PARALLEL_GAMES { 1 } else { cores() };
    let share = texts.len().div_ceil(count).max(1);
    let parts: Vec<_> = texts.chunks(share).enumerate().collect();
    parse_parts(&parts, |(number, texts)| {
        let mut parsed = Parsed::with_capacity(texts.len());
        for (at, text) in texts.iter().enumerate() {
            let flaw = |_| Flaw::NotAGame(number * share + at);
            parsed.push(Game::from_json(text).map_err(flaw)?);
        }
        Ok(parsed)
    })
}

/// Parses a run of lines. A flaw says only that the file has to be read in the other way.
fn parse_lines(lines: &Lines<'_>) -> Result<Parsed, Flaw> {
    let text = str::from_utf8(lines.bytes).map_err(|_| Flaw::NotText)?;
    let mut parsed = Parsed::with_capacity(text.len() / 1024);
    let mut rest = text.split_terminator('\n').peekable();
    while let Some(line) = rest.next() {
        let is_end = lines.is_last && rest.peek().is_none();
        let game = match line.strip_suffix("},") {
            Some(_) => &line[..line.len() - 1],
            None if is_end => line,
            None => return Err(Flaw::NotAGame(parsed.list.len())),
        };
        parsed.push(Game::from_json(game).map_err(|_| Flaw::NotAGame(parsed.list.len()))?);
    }
    Ok(parsed)
}
