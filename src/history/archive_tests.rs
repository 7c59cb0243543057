//! The archive of the history, with disks that fail and files that do not fit.

use std::{convert::Infallible, sync::Arc, time::Duration};

use serde_json::{Value, json};

use super::archive::{self, Archive, KEPT_ROWS, archived, section};
use crate::{
    base::{Moment, limits::HISTORY_ROWS},
    files::{
        Files,
        failing::{FailingDisk, Fault},
    },
    model::State,
    store::{Options, Paths, Store},
};

struct Fixture {
    folder: tempfile::TempDir,
    store: Store,
}

fn fixture(files: &Files) -> Fixture {
    let folder = tempfile::tempdir().expect("a folder");
    let store = open(files, &folder);
    Fixture { folder, store }
}

fn open(files: &Files, folder: &tempfile::TempDir) -> Store {
    Store::open(Options {
        files: files.clone(),
        paths: Paths::below(folder.path()),
        debounce: Duration::ZERO,
        now: Moment::now,
        scribe: None,
    })
    .expect("opened")
}

impl Fixture {
    fn archive(&self, files: &Files) -> Archive {
        Archive::new(files.clone(), self.folder.path().join("history.archive"))
    }

    fn add(&self, numbers: std::ops::Range<usize>) {
        let rows = numbers.map(row);
        let added = self.store.commit(|draft| {
            let mut list = section(draft.state()).to_vec();
            list.extend(rows.clone());
            draft.set_section("history", Value::Array(list));
            Ok::<_, Infallible>(())
        });
        added.expect("added");
    }

    fn state(&self) -> Arc<State> {
        self.store.snapshot().expect("a state")
    }
}

fn row(number: usize) -> Value {
    let hours = i64::try_from(number).expect("small");
    let started = Moment::from_unix(1_700_000_000 + hours * 3_600).local_iso();
    let game = format!("game-{}", number % 7);
    json!({"game": "A", "game_id": game, "started": started, "seconds": 10, "exit_code": 0,
        "number": number})
}

fn numbers(rows: &[Value]) -> Vec<u64> {
    rows.iter().filter_map(|row| row["number"].as_u64()).collect()
}

#[track_caller]
fn holds_all(archive: &Archive, state: &State, count: u64) {
    let all = archive.all(state).expect("read");
    assert_eq!(numbers(&all), (0..count).collect::<Vec<_>>());
}

#[test]
fn older_rows_move_and_everything_counts_them() {
    let files = Files::system();
    let fixture = fixture(&files);
    let archive = fixture.archive(&files);
    fixture.add(0..HISTORY_ROWS);
    assert_eq!(archive.move_older(&fixture.store).expect("nothing to move"), 0);
    for count in [501, 900, 1_700] {
        let here = usize::try_from(archived(&fixture.state())).expect("small");
        fixture.add(here + section(&fixture.state()).len()..count);
        archive.move_older(&fixture.store).expect("moved");
        let state = fixture.state();
        assert_eq!(section(&state).len(), KEPT_ROWS);
        holds_all(&archive, &state, count as u64);
        let totals = archive.totals(&state, None).expect("read");
        assert_eq!((totals.sessions, totals.seconds), (count as u64, count as u64 * 10));
    }
    let state = fixture.state();
    let of_one = archive.totals(&state, Some(&["game-3".to_owned()])).expect("read");
    assert_eq!(of_one.sessions, (0..1_700).filter(|number| number % 7 == 3).count() as u64);
    let newest = archive.newest(&state, 500, |_| true).expect("read");
    assert_eq!((newest.len(), &newest[499].more["number"]), (500, &json!(1_200)));
    let newest = archive.newest(&state, 3, |row| row.game_id == "game-0").expect("read");
    assert_eq!(newest[2].more["number"], 1_680);
    let since = 1_700_000_000 + 1_000 * 3_600;
    assert_eq!(archive.since(&state, since).expect("read").len(), 700);
    // A second read of the disk finds the same.
    holds_all(&fixture.archive(&files), &state, 1_700);
}

#[test]
fn a_fault_at_any_call_loses_and_doubles_nothing() {
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for fail_at in 1..40 {
            let fixture = fixture(&Files::system());
            fixture.add(0..1_200);
            fixture.store.close();
            let disk = Arc::new(FailingDisk::new(fail_at, fault));
            let failing = Files::over(disk);
            let Ok(store) = Store::open(Options {
                files: failing.clone(),
                paths: Paths::below(fixture.folder.path()),
                debounce: Duration::ZERO,
                now: Moment::now,
                scribe: None,
            }) else {
                continue;
            };
            drop(fixture.archive(&failing).move_older(&store));
            store.close();
            let files = Files::system();
            let fixture = Fixture { store: open(&files, &fixture.folder), ..fixture };
            let archive = fixture.archive(&files);
            holds_all(&archive, &fixture.state(), 1_200);
            archive.move_older(&fixture.store).expect("moved");
            holds_all(&archive, &fixture.state(), 1_200);
            assert_eq!(section(&fixture.state()).len(), KEPT_ROWS, "{fault:?} {fail_at}");
        }
    }
}

#[test]
fn a_write_before_a_crash_is_repeated_and_not_doubled() {
    let files = Files::system();
    let fixture = fixture(&files);
    fixture.add(0..600);
    let archive = fixture.archive(&files);
    let state = fixture.state();
    archive.append(&state, 0, &section(&state)[..228]).expect("written");
    holds_all(&archive, &state, 600);
    assert_eq!(archive.move_older(&fixture.store).expect("moved"), 228);
    holds_all(&archive, &fixture.state(), 600);
    assert_eq!(
        std::fs::read_dir(fixture.folder.path())
            .expect("a folder")
            .flatten()
            .filter(|entry| entry.file_name().to_string_lossy().contains("archive-"))
            .count(),
        0
    );
}

#[test]
fn an_older_library_keeps_the_newer_archive_aside() {
    let files = Files::system();
    let (newer, older) = (fixture(&files), fixture(&files));
    newer.add(0..600);
    newer.archive(&files).move_older(&newer.store).expect("moved");
    let from = newer.folder.path().join("history.archive");
    std::fs::copy(&from, older.folder.path().join("history.archive")).expect("copied");
    older.add(5_000..5_600);
    let archive = older.archive(&files);
    assert_eq!(archive.all(&older.state()).expect("read").len(), 600, "foreign rows do not count");
    archive.move_older(&older.store).expect("moved");
    let all = archive.all(&older.state()).expect("read");
    assert_eq!(numbers(&all), (5_000..5_600).collect::<Vec<_>>());
    let entries = std::fs::read_dir(older.folder.path()).expect("a folder").flatten();
    let aside: Vec<_> = entries
        .filter(|entry| entry.file_name().to_string_lossy().starts_with("history.archive-"))
        .collect();
    let kept = std::fs::read(aside[0].path()).expect("kept");
    assert_eq!((aside.len(), kept), (1, std::fs::read(from).expect("there")));
}

#[test]
fn a_damaged_frame_costs_only_its_own_rows() {
    let files = Files::system();
    let fixture = fixture(&files);
    fixture.add(0..1_500);
    let archive = fixture.archive(&files);
    archive.move_older(&fixture.store).expect("moved");
    let path = fixture.folder.path().join("history.archive");
    let mut bytes = std::fs::read(&path).expect("there");
    let head = bytes.iter().position(|byte| *byte == b'\n').expect("a line");
    let told: Value = serde_json::from_slice(&bytes[9..head]).expect("a head");
    let body = usize::try_from(told["size"].as_u64().expect("a size")).expect("small");
    bytes[head + 1 + body + 1 + 100] ^= 0xff;
    files.replace(&path, &bytes).expect("written");
    let all = fixture.archive(&files).all(&fixture.state()).expect("read");
    let lost: Vec<u64> = (0..1_500).filter(|number| !numbers(&all).contains(number)).collect();
    assert_eq!(lost, (256..512).collect::<Vec<_>>());
}

#[test]
fn totals_do_not_count_rows_that_a_restore_took_back() {
    let files = Files::system();
    let fixture = fixture(&files);
    let archive = fixture.archive(&files);
    fixture.add(0..900);
    archive.move_older(&fixture.store).expect("moved");
    let before = fixture.state();
    assert_eq!(archive.totals(&before, None).expect("totals").sessions, 900);
    let restored = fixture.store.commit(|draft| {
        draft.set_section("history", (0..3).map(row).collect());
        archive::forget(draft);
        Ok::<_, Infallible>(())
    });
    restored.expect("restored");
    assert_eq!(archive.totals(&fixture.state(), None).expect("totals").sessions, 3);
    assert_eq!(archive.totals(&before, None).expect("totals").sessions, 900);
}
