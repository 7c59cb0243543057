//! The bytes of `library.json` as a state, with the repairs every load makes.
//!
//! The games are cut out of the text as they stand and parsed on several cores; a file laid out by
//! this program with one game on a line is not even looked at twice.

use std::{
    collections::BTreeMap,
    sync::Arc,
    thread::{self, available_parallelism},
};

use serde_json::{Map, Value, value::RawValue};

use super::{
    error::Flaw,
    render::RESERVED,
    repair::{repair_ids, repaired_tags},
    upgrade::upgrade,
};
use crate::model::{
    game::Game,
    games::Games,
    state::{SCHEMA_VERSION, State},
};

/// Libraries below this size are parsed on one core.
const PARALLEL_GAMES: usize = 2_000;
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
    let text = std::str::from_utf8(bytes).map_err(|_| Flaw::NotText)?;
    let laid_out = by_lines(text).and_then(|(games, rest)| {
        let Cut { fields, version, .. } = cut_fields(&rest).ok()?;
        let parsed = parse_games(&games).ok()?;
        finish(parsed, &fields, version).ok()
    });
    if let Some(document) = laid_out {
        return Ok(document);
    }
    let cut = cut(text)?;
    finish(parse_games(&cut.games)?, &cut.fields, cut.version)
}

fn finish(
    mut games: Parsed,
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
    let mut repairs = games.repairs + repair_ids(&mut games.list, lineage.is_some());
    repairs += upgrade(&mut sections);
    let sections: BTreeMap<Arc<str>, Arc<Value>> =
        sections.into_iter().map(|(key, value)| (key.into(), Arc::new(value))).collect();
    let games = Games::from_games(games.list);
    let state = State::new(games, sections, revision.unwrap_or(0));
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

/// Cuts a file in which every game has a line of its own: the games, and the file without them.
/// `None` when the layout is another one. No JSON text holds a bare line break, so a line always
/// ends between two tokens; the rest and each game are parsed in full afterwards.
fn by_lines(text: &str) -> Option<(Vec<&str>, String)> {
    let (head, mut rest) = text.split_once('\n')?;
    let head = head.strip_suffix("\"games\":[")?;
    let mut games = Vec::with_capacity(rest.len() / 1024);
    let tail = loop {
        let (line, behind) = rest.split_once('\n')?;
        if line.starts_with(']') {
            break &rest[1..];
        }
        let more = line.ends_with("},");
        games.push(if more { &line[..line.len() - 1] } else { line });
        rest = behind;
        if !more && !rest.starts_with(']') {
            return None;
        }
    };
    let rest = format!("{head}\"games\":null{tail}");
    let ends_here = serde_json::from_str::<BTreeMap<String, &RawValue>>(&rest)
        .is_ok_and(|fields| fields.get("games").is_some_and(|raw| raw.get() == "null"));
    ends_here.then_some((games, rest))
}

#[derive(Default)]
struct Parsed {
    list: Vec<Arc<Game>>,
    repairs: usize,
}

fn parse_games(texts: &[&str]) -> Result<Parsed, Flaw> {
    let threads = available_parallelism().map_or(1, usize::from).min(THREADS);
    if texts.len() < PARALLEL_GAMES || threads < 2 {
        return parse_run(texts, 0);
    }
    let run = texts.len().div_ceil(threads);
    thread::scope(|scope| {
        let workers: Vec<_> = texts
            .chunks(run)
            .enumerate()
            .map(|(number, texts)| {
                let work = move || parse_run(texts, number * run);
                let name = format!("load-{number}");
                (thread::Builder::new().name(name).spawn_scoped(scope, work), texts, number)
            })
            .collect();
        let mut all = Parsed { list: Vec::with_capacity(texts.len()), repairs: 0 };
        for (worker, texts, number) in workers {
            // A machine that cannot start a thread, and a thread that died, leave it to this one.
            let parsed = worker.ok().and_then(|worker| worker.join().ok());
            let parsed = parsed.unwrap_or_else(|| parse_run(texts, number * run))?;
            all.list.extend(parsed.list);
            all.repairs += parsed.repairs;
        }
        Ok(all)
    })
}

fn parse_run(texts: &[&str], first: usize) -> Result<Parsed, Flaw> {
    let mut parsed = Parsed { list: Vec::with_capacity(texts.len()), repairs: 0 };
    for (number, text) in texts.iter().enumerate() {
        let game = Game::from_json(text).map_err(|_| Flaw::NotAGame(first + number))?;
        let repaired = repaired_tags(&game);
        parsed.repairs += usize::from(repaired.is_some());
        parsed.list.push(Arc::new(repaired.unwrap_or(game)));
    }
    Ok(parsed)
}
