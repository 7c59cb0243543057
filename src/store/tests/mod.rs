//! Tests of the whole store over a real folder.

mod basics;
mod concurrency;
mod damage;
mod faults;
mod foreign;
mod fuzz;
mod kills;
mod layout;
mod outside;
mod power;

use std::{path::Path, sync::Arc, time::Duration};

use serde_json::{Value, json};
use tempfile::TempDir;

use super::{
    open::Store,
    options::{Options, Paths},
};
use crate::{
    base::Moment,
    files::{
        Files,
        failing::{FailingDisk, Fault},
    },
    model::{Record, State},
};

/// A folder in memory where there is one: thousands of libraries are written here.
fn folder() -> TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder")
}

/// Folds only at the request of a test.
fn options(folder: &Path) -> Options {
    options_on(folder, &sound_disk())
}

/// As [`options`], over a disk that can fail.
fn options_on(folder: &Path, disk: &Arc<FailingDisk>) -> Options {
    Options {
        files: Files::over(Arc::<FailingDisk>::clone(disk)),
        paths: Paths::below(folder),
        debounce: Duration::from_secs(100_000),
        now: || Moment::from_unix(1_700_000_000),
        scribe: None,
    }
}

fn sound_disk() -> Arc<FailingDisk> {
    Arc::new(FailingDisk::new(0, Fault::Once))
}

fn open(folder: &Path) -> Store {
    Store::open(options(folder)).expect("open")
}

fn record(value: Value) -> Record {
    serde_json::from_value(value).expect("an object")
}

/// Adds a game and returns its id.
#[track_caller]
fn add(store: &Store, name: &str) -> String {
    try_add(store, name).expect("committed")
}

fn try_add(store: &Store, name: &str) -> Result<String, String> {
    let record = record(json!({"name": name, "path": format!("/roms/{name}")}));
    store.commit(|draft| draft.add_game(record)).map_err(|error| error.to_string())
}

#[track_caller]
fn rename(store: &Store, id: &str, name: &str) {
    let outcome = store.commit(|draft| draft.edit_game(id, |game| game.set("name", name)));
    outcome.expect("committed");
}

/// Everything in a state, as text that can be compared.
fn text(state: &State) -> String {
    let games: Vec<_> = state.games.iter().map(|game| game.json().to_owned()).collect();
    let sections: Vec<_> = state.sections().map(|(key, value)| format!("{key}={value}")).collect();
    format!("{games:#?} {sections:#?}")
}

#[track_caller]
fn names(store: &Store) -> Vec<String> {
    let state = store.snapshot().expect("available");
    state.games.iter().map(|game| game.name().to_owned()).collect()
}

/// The folder as a crash would leave it right now, in a place of its own.
fn crashed_copy(of: &Path) -> TempDir {
    let copy = folder();
    copy_tree(of, copy.path());
    copy
}

fn copy_tree(from: &Path, to: &Path) {
    let files = Files::system();
    files.private_dir(to).expect("made");
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

#[expect(clippy::disallowed_methods, reason = "tests act as another program")]
fn put(path: &Path, bytes: impl AsRef<[u8]>) {
    std::fs::write(path, bytes).expect("written");
}

fn names_in(folder: &Path) -> Vec<String> {
    Files::system().list(folder).expect("listed")
}

#[expect(clippy::disallowed_methods, reason = "tests act as another program")]
fn remove(path: &Path) {
    std::fs::remove_file(path).expect("removed");
}

#[expect(clippy::disallowed_methods, reason = "tests act as another program")]
fn rename_file(from: &Path, to: &Path) {
    std::fs::rename(from, to).expect("renamed");
}
