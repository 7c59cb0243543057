//! Tests of the whole journal over a real store.
//!
//! No thread records here: what waits is recorded when it is read or the store folds, so a crash in
//! between is a copy of the folder.

mod chains;
mod faults;
mod heritage;
mod keeping;
mod lost;

use std::{cell::Cell, collections::BTreeMap, path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    as_of::Instant,
    catalog::{self, Catalog},
    error::JournalError,
    event::{Event, iso},
    events::Query,
    handle::Journal,
};
use crate::{
    base::Moment,
    files::{
        Files,
        failing::{FailingDisk, Fault},
    },
    model::{Draft, Record},
    store::{Options, Paths, Store},
};

thread_local! {
    static CLOCK: Cell<i64> = const { Cell::new(1_700_000_000_000_000) };
}

/// The clock of a test: every reading takes a microsecond.
fn now() -> Moment {
    advance(1);
    Moment::from_unix_micros(CLOCK.get())
}

/// Moves the clock of this test.
fn advance(micros: i64) {
    CLOCK.set(CLOCK.get() + micros);
}

/// A library with its journal.
struct House {
    dir: TempDir,
    opened: Option<(Store, Journal)>,
}

fn sound_disk() -> Arc<FailingDisk> {
    Arc::new(FailingDisk::new(0, Fault::Once))
}

fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder")
}

impl House {
    fn new() -> Self {
        Self::open(folder())
    }

    fn open(dir: TempDir) -> Self {
        let mut house = Self { dir, opened: None };
        house.killed(|_| ());
        house
    }

    fn store(&self) -> &Store {
        &self.opened.as_ref().expect("open").0
    }

    fn journal(&self) -> &Journal {
        &self.opened.as_ref().expect("open").1
    }

    /// Kills the program; something may happen to the folder before the next start.
    fn killed(&mut self, between: impl FnOnce(&Path)) {
        self.opened = None;
        between(self.dir.path());
        self.opened = Some(open_on(self.dir.path(), &sound_disk()).expect("open"));
    }

    /// A copy of the folder as it is right now. A store takes it for one that was moved.
    fn copied(&self) -> TempDir {
        let copy = folder();
        copy_tree(self.dir.path(), copy.path());
        copy
    }

    fn commit<T>(&self, change: impl FnOnce(&mut Draft) -> T) -> T {
        self.store().commit(|draft| Ok::<_, ()>(change(draft))).expect("committed")
    }

    fn add(&self, name: &str) -> String {
        let record = record(json!({"name": name, "path": format!("/{name}")}));
        self.commit(|draft| draft.add_game(record)).expect("added")
    }

    fn set(&self, id: &str, field: &str, value: impl Into<Value>) {
        let value = value.into();
        self.commit(|draft| draft.edit_game(id, |game| game.set(field, value))).expect("there");
    }

    /// The catalogs of the library by id.
    fn catalogs(&self) -> BTreeMap<String, Catalog> {
        let state = self.store().snapshot().expect("available");
        state.games.iter().map(|game| (game.id().to_owned(), catalog::of(game))).collect()
    }

    /// The catalogs as the journal knows them at a moment, by id.
    fn recorded(&self, at: i64) -> BTreeMap<String, Catalog> {
        let past = self.journal().as_of(&Instant { requested: iso(at), at }).expect("read");
        let past = serde_json::to_value(past).expect("JSON");
        let games = past["games"].as_array().expect("a list").iter();
        games
            .map(|game| {
                let mut game = game.as_object().cloned().expect("an object");
                game.remove("sync_key");
                (game["game_id"].as_str().expect("an id").to_owned(), game)
            })
            .collect()
    }

    /// Every event in the order of recording; fails when one is not what its id says.
    #[track_caller]
    fn events(&self) -> Vec<Event> {
        let events = self.journal().read(|book, _| {
            (0..book.index().len())
                .map(|row| Ok(book.event(row)?.expect("sound")))
                .collect::<Result<Vec<_>, JournalError>>()
        });
        let events = events.expect("read");
        for event in &events {
            assert_eq!(event.derive_id(), event.id);
        }
        events
    }

    fn page(&self) -> Value {
        let query = Query { limit: 1000, ..Query::default() };
        serde_json::to_value(self.journal().events(&query).expect("read")).expect("JSON")
    }
}

fn record(value: Value) -> Record {
    serde_json::from_value(value).expect("an object")
}

/// Opens a library with its journal on a disk that may fail.
fn open_on(folder: &Path, disk: &Arc<FailingDisk>) -> Option<(Store, Journal)> {
    let files = Files::over(Arc::<FailingDisk>::clone(disk));
    let paths = Paths::below(folder);
    let place = folder.join("library.journal");
    let journal = Journal::new(files.clone(), paths.clone(), place, now);
    let options = Options {
        files,
        paths,
        debounce: Duration::from_secs(100_000),
        now,
        scribe: Some(journal.scribe()),
    };
    Some((Store::open(options).ok()?, journal))
}

fn copy_tree(from: &Path, to: &Path) {
    Files::system().private_dir(to).expect("made");
    for entry in std::fs::read_dir(from).expect("listed") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            std::fs::copy(entry.path(), target).expect("copied");
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "tests play the part of a crash")]
fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::write(path, bytes).expect("written");
}
