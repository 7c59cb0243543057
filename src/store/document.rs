//! The bytes of `library.json` as a state, with the repairs every load makes.
//!
//! A file laid out by this program is parsed while it is read (`lines`). Of any other the games are
//! cut out of the text as they stand and parsed on several cores.

use std::{
    collections::BTreeMap,
    io::{Read as _, Seek as _},
    sync::Arc,
    thread,
};

use memchr::memchr;
use serde_json::{Map, Value, value::RawValue};

use super::{
    error::{Flaw, Unavailable},
    lines::{self, Laid, Parsed, cores},
    render::RESERVED,
    repair::{repair_ids, repair_members},
    upgrade::upgrade,
};
use crate::{
    base::thread_named,
    files::{DiskError, source::Source},
    model::{Game, State, state::SCHEMA_VERSION},
};

/// Libraries below this size are parsed on one core.
const PARALLEL_GAMES: usize = 2_000;

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

/// A file, or its bytes; `None` when it is missing.
pub(super) fn optional<T>(outcome: Result<T, DiskError>) -> Result<Option<T>, Unavailable> {
    match outcome {
        Ok(found) => Ok(Some(found)),
        Err(error) if error.is_missing() => Ok(None),
        Err(error) => Err(Unavailable::Unreadable(error.reason())),
    }
}

/// Reads the text of a library file.
pub(super) fn read_document(bytes: &[u8]) -> Result<Document, Flaw> {
    let laid = lines::read(&mut &*bytes, bytes.len() as u64).ok().flatten();
    laid.and_then(read_laid).map_or_else(|| read_any(bytes), Ok)
}

/// Reads a library file from its disk; one laid out by this program is never in memory as a whole.
///
/// # Errors
/// When it cannot be read; inside, when it can be and is not a library.
pub(super) fn read_file(source: &mut Source) -> Result<Result<Document, Flaw>, DiskError> {
    let size = source.stat()?.len();
    let path = source.path().to_owned();
    let failed = |error| DiskError::at("read", &path)(error);
    if let Some(document) = lines::read(source, size).map_err(failed)?.and_then(read_laid) {
        return Ok(Ok(document));
    }
    source.rewind().map_err(failed)?;
    // One byte more than expected, so that the end is seen without growing the buffer.
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    source.read_to_end(&mut bytes).map_err(failed)?;
    Ok(read_any(&bytes))
}

fn read_laid(Laid { games, rest }: Laid) -> Option<Document> {
    let Cut { fields, version, .. } = cut_fields(&rest).ok()?;
    finish(games, &fields, version).ok()
}

/// Reads a file of any layout.
fn read_any(bytes: &[u8]) -> Result<Document, Flaw> {
    let text = str::from_utf8(bytes).map_err(|_| Flaw::NotText)?;
    // Some editors put a mark in front.
    let text = text.trim_start_matches('\u{feff}');
    read_text(text).or_else(|flaw| {
        let mended = without_lone_halves(text).and_then(|text| read_text(&text).ok());
        let mended = mended.map(|found| Document { repairs: found.repairs + 1, ..found });
        mended.ok_or(flaw)
    })
}

fn read_text(text: &str) -> Result<Document, Flaw> {
    let cut = cut(text)?;
    finish(parse_games(&cut.games)?, &cut.fields, cut.version)
}

/// The text with `\ufffd` in the place of each half of a surrogate pair that stands alone; `None` when
/// there is none. Some programs write such halves for the bytes of names that are not UTF-8, and no string
/// can hold them.
fn without_lone_halves(text: &str) -> Option<String> {
    const ESCAPE: usize = r"\u0000".len();
    let bytes = text.as_bytes();
    let mut mended = String::new();
    let (mut taken, mut at) = (0, 0);
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr(b'\\', rest)) {
        at += found;
        let unit = |at: usize| code_unit(bytes.get(at..at + ESCAPE)?);
        at += match (unit(at), unit(at + ESCAPE)) {
            (Some(0xD800..=0xDBFF), Some(0xDC00..=0xDFFF)) => 2 * ESCAPE,
            (Some(0xD800..=0xDFFF), _) => {
                mended.push_str(&text[taken..at]);
                mended.push_str(r"\ufffd");
                taken = at + ESCAPE;
                ESCAPE
            }
            (Some(_), _) => ESCAPE,
            // An escape of one character; a backslash in front of another one is dropped with it.
            (None, _) => 2,
        };
    }
    mended.push_str(&text[taken..]);
    (taken > 0).then_some(mended)
}

/// The number in an escape like `\u0041`.
fn code_unit(escape: &[u8]) -> Option<u16> {
    let digits = escape.strip_prefix(br"\u").and_then(|digits| str::from_utf8(digits).ok())?;
    let is_number = digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    u16::from_str_radix(digits, 16).ok().filter(|_| is_number)
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
    let mut repairs = games.repairs + renamed + upgrade(&mut sections);
    if lineage.is_none() {
        repairs += repair_members(&mut sections, &list);
    }
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

/// Parses games that are cut out, on several cores when they are many.
fn parse_games(texts: &[&str]) -> Result<Parsed, Flaw> {
    let count = if texts.len() < PARALLEL_GAMES { 1 } else { cores() };
    let share = texts.len().div_ceil(count).max(1);
    let parts: Vec<_> = texts.chunks(share).enumerate().collect();
    let parse = |&(number, texts): &(usize, &[&str])| {
        let mut parsed = Parsed::with_capacity(texts.len());
        for (at, text) in texts.iter().enumerate() {
            let flaw = |_| Flaw::NotAGame(number * share + at);
            parsed.push(Game::from_json(text).map_err(flaw)?);
        }
        Ok(parsed)
    };
    if let [only] = &parts[..] {
        return parse(only);
    }
    thread::scope(|scope| {
        let start = |part| {
            let worker = thread_named("load");
            (worker.spawn_scoped(scope, move || parse(part)), part)
        };
        let workers: Vec<_> = parts.iter().map(start).collect();
        let mut all = Parsed::default();
        for (worker, part) in workers {
            // A machine that cannot start a thread, and a thread that died, leave it to this one.
            let parsed = worker.ok().and_then(|worker| worker.join().ok());
            all.append(parsed.unwrap_or_else(|| parse(part))?);
        }
        Ok(all)
    })
}
