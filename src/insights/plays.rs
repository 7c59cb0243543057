//! The sessions of the whole history as figures need them, read once.
//!
//! Archived rows never change, so only those that came are read; the rows of the library file are read
//! again when their section changed.

use std::sync::{Arc, Mutex};

use hashbrown::HashMap;
use serde_json::Value;

use crate::{
    base::{Day, Hold as _, Moment},
    files::DiskError,
    history::archive::{self, Archive, Cursor},
    model::{Game, Row as _, State, rows::HistoryRow},
};

/// Words of a note for the progress of a game in a session.
const NOTED: [&str; 3] = ["beaten", "completed", "mastered"];

/// One session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Play {
    /// Its game, as an index of [`Plays::keys`].
    pub(super) key: u32,
    /// Local day of the start; `None` when it cannot be read.
    pub(super) day: Option<Day>,
    /// Start in Unix seconds; a time without a zone counts as UTC.
    pub(super) utc: Option<i64>,
    /// Day and hour as they are written, whatever the zone.
    pub(super) written: Option<(Day, Option<u8>)>,
    /// Seconds of play.
    pub(super) seconds: u64,
    /// Which of beaten, completed and mastered the note of the row names.
    pub(super) noted: [bool; 3],
    /// The start as it is stored.
    pub(super) started: Box<str>,
}

/// Sessions in the order in which they were recorded.
#[derive(Clone, Debug, Default)]
pub(super) struct Plays {
    /// The sessions.
    pub(super) list: Vec<Play>,
    /// What names their games, see [`archive::key`].
    pub(super) keys: Vec<Box<str>>,
    /// What the game of each key was called when it was played last.
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

impl Plays {
    /// Adds the session of a row.
    pub(super) fn add(&mut self, row: &HistoryRow) {
        let started = row.started.as_str();
        let note = row.more.get("note").and_then(Value::as_str).unwrap_or("").to_lowercase();
        let key = self.number(&archive::key(row));
        if let Some(name) = self.names.get_mut(key as usize).filter(|name| ***name != *row.game) {
            *name = row.game.as_str().into();
        }
        self.list.push(Play {
            key,
            day: local_day(started),
            utc: start(started),
            written: written(started),
            seconds: row.seconds,
            noted: NOTED.map(|word| note.contains(word)),
            started: started.into(),
        });
    }

    fn number(&mut self, key: &str) -> u32 {
        if let Some(number) = self.numbers.get(key) {
            return *number;
        }
        // OK because a history has fewer games than there are numbers.
        let number = u32::try_from(self.keys.len()).unwrap_or(u32::MAX);
        let key: Box<str> = key.into();
        self.keys.push(key.clone());
        self.names.push(Box::default());
        self.numbers.insert(key, number);
        number
    }

    /// What a game was called when it was played last.
    pub(super) fn name(&self, key: u32) -> &str {
        self.names.get(key as usize).map_or("", AsRef::as_ref)
    }

    /// The game of each key and its position; `None` for games that are gone. A row of an old library means
    /// the first game of its name.
    pub(super) fn games<'a>(&self, state: &'a State) -> Vec<Option<(usize, &'a Game)>> {
        let mut named: HashMap<&str, Option<(usize, &Game)>> =
            self.keys.iter().filter_map(|key| Some((key.strip_prefix("name:")?, None))).collect();
        if !named.is_empty() {
            for (position, game) in state.games.iter().enumerate() {
                if let Some(found) = named.get_mut(game.name()) {
                    found.get_or_insert((position, game));
                }
            }
        }
        let find = |key: &str| match key.strip_prefix("name:") {
            Some(name) => named.get(name).copied().flatten(),
            None => state.games.find(key).map(|(position, game)| (position, game.as_ref())),
        };
        self.keys.iter().map(|key| find(key)).collect()
    }
}

/// The local day of a start: of a time with a zone after its conversion, else as it is written.
pub(super) fn local_day(text: &str) -> Option<Day> {
    if text.contains('T') {
        return Moment::parse(text).map(|moment| Day::local(&moment));
    }
    text.get(..10).and_then(Day::parse)
}

fn start(text: &str) -> Option<i64> {
    if text.contains('T') {
        return Moment::unix_utc(text);
    }
    text.get(..10).and_then(Day::parse).map(|day| i64::from(day.0) * 86_400)
}

fn written(text: &str) -> Option<(Day, Option<u8>)> {
    let day = text.get(..10).and_then(Day::parse)?;
    let hour = text.get(11..13).and_then(|hour| hour.parse().ok()).filter(|hour| *hour < 24);
    Some((day, hour))
}

/// The sessions as they were last read.
#[derive(Debug, Default)]
pub(super) struct PlayCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    cursor: Cursor,
    archived: Arc<Plays>,
    /// The section of the newest rows that `all` was made of.
    section: Option<Arc<Value>>,
    all: Arc<Plays>,
}

impl PlayCache {
    /// Every session of a state.
    ///
    /// # Errors
    /// When the archive cannot be read.
    pub(super) fn plays(&self, state: &State, archive: &Archive) -> Result<Arc<Plays>, DiskError> {
        let mut kept = self.0.hold();
        let kept = &mut *kept;
        let followed = archive.follow(state, &mut kept.cursor)?;
        let section = state.shared(HistoryRow::SECTION).cloned();
        let is_same_section = match (&kept.section, &section) {
            (Some(old), Some(new)) => Arc::ptr_eq(old, new),
            (None, None) => true,
            _ => false,
        };
        if followed.is_continued && followed.rows.is_empty() && is_same_section {
            return Ok(Arc::clone(&kept.all));
        }
        kept.all = Arc::default();
        if !followed.is_continued {
            kept.archived = Arc::default();
        }
        if !followed.rows.is_empty() {
            let archived = Arc::make_mut(&mut kept.archived);
            followed.rows.iter().for_each(|row| archived.add(row));
        }
        let mut all = Plays::clone(&kept.archived);
        state.rows::<HistoryRow>().iter().for_each(|row| all.add(row));
        (kept.section, kept.all) = (section, Arc::new(all));
        Ok(Arc::clone(&kept.all))
    }
}
