//! Damaged logs and libraries, and recovery.

use std::os::unix::fs::MetadataExt as _;

use super::*;
use crate::store::{error::RecoverError, recovery::Source};

/// Three games in the log, none of them folded; a fourth folded before.
fn prepared() -> TempDir {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "Zero");
    store.fold_now().expect("folded");
    for name in ["One", "Two", "Three"] {
        add(&store, name);
    }
    folder
}

fn log_lines(folder: &Path) -> Vec<String> {
    let log = std::fs::read_to_string(folder.join("library.log")).expect("read");
    log.split_inclusive('\n').map(str::to_owned).collect()
}

#[track_caller]
fn check_log(change: impl FnOnce(&mut Vec<String>), expected: &[&str], damaged: usize) {
    let folder = prepared();
    let mut lines = log_lines(folder.path());
    change(&mut lines);
    put(&folder.path().join("library.log"), lines.concat());
    let store = open(folder.path());
    assert_eq!(names(&store), expected);
    assert_eq!(store.load_report().damaged_lines, damaged);
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), expected);
    add(&store, "New");
    let aside = names_in(folder.path()).iter().any(|name| name.starts_with("library.log.torn-"));
    assert_eq!(aside, damaged > 0, "the damaged log is kept exactly when there is one");
    let mut after = expected.to_vec();
    after.push("New");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), after);
    store.close();
    drop(store);
    assert_eq!(names(&open(folder.path())), after);
}

#[test]
fn damage_to_the_log_costs_the_damaged_line_at_most() {
    let all = ["Zero", "One", "Two", "Three"];
    check_log(|_| (), &all, 0);
    check_log(|lines| lines.push("00000000 {\"r\":".into()), &all, 0);
    check_log(
        |lines| {
            let last = lines.last_mut().expect("a line");
            last.truncate(last.len() / 2);
        },
        &all[..3],
        0,
    );
    check_log(|lines| *lines.last_mut().expect("a line") = "gone\n".into(), &all[..3], 1);
    let middle = |lines: &mut Vec<String>| {
        let at = lines.len() - 2;
        lines[at] = lines[at].replace("Two", "Twx");
    };
    check_log(middle, &["Zero", "One", "Three"], 1);
    check_log(|lines| lines[0] = "damaged header\n".into(), &all, 1);
}

#[test]
fn a_log_of_another_library_is_set_aside() {
    let (one, other) = (prepared(), prepared());
    let log = std::fs::read(other.path().join("library.log")).expect("read");
    put(&one.path().join("library.log"), &log);
    let store = open(one.path());
    assert_eq!(names(&store), ["Zero"]);
    assert!(store.load_report().foreign_log);
    add(&store, "New");
    let aside = names_in(one.path()).into_iter().find(|name| name.starts_with("library.log.torn-"));
    let aside = std::fs::read(one.path().join(aside.expect("kept"))).expect("read");
    assert_eq!(aside, log);
    assert_eq!(names(&open(crashed_copy(one.path()).path())), ["Zero", "New"]);
}

#[test]
fn a_missing_log_costs_what_was_not_folded_and_no_more() {
    let folder = prepared();
    remove(&folder.path().join("library.log"));
    let store = open(folder.path());
    assert_eq!(names(&store), ["Zero"]);
    add(&store, "New");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["Zero", "New"]);
}

#[test]
fn the_backup_and_the_log_bring_back_everything() {
    let folder = prepared();
    let library = folder.path().join("library.json");
    put(&library, b"\xff\xfe damaged");
    let store = open(folder.path());
    assert!(store.snapshot().is_err());
    let recovery = store.recovery();
    assert_eq!((recovery.backup_available, recovery.games), (true, 0));
    assert_eq!(std::fs::read(&library).expect("read"), b"\xff\xfe damaged");
    assert_eq!(store.recover(&Source::Backup).expect("recovered"), 4);
    assert_eq!(names(&store), ["Zero", "One", "Two", "Three"]);
    let kept = names_in(folder.path());
    let kept = kept.iter().find(|name| name.starts_with("library.json.corrupt-")).expect("kept");
    assert_eq!(std::fs::read(folder.path().join(kept)).expect("read"), b"\xff\xfe damaged");
    add(&store, "New");
    put(&library, "damaged again");
    assert_eq!(store.recover(&Source::Backup).expect("recovered"), 5);
    store.close();
    drop(store);
    assert_eq!(names(&open(folder.path())), ["Zero", "One", "Two", "Three", "New"]);
}

#[test]
fn a_snapshot_is_brought_back_as_it_is_and_the_state_before_becomes_one() {
    let folder = prepared();
    let store = open(folder.path());
    store.fold_now().expect("folded");
    let snapshots = store.recovery().snapshots;
    let oldest = snapshots.last().expect("a snapshot");
    assert!(oldest.size > 0 && oldest.modified > 1e9);
    let before = store.snapshot().expect("available").revision;
    let source = Source::Snapshot(oldest.name.clone());
    assert_eq!(store.recover(&source).expect("recovered"), 1);
    assert_eq!(names(&store), ["Zero"]);
    assert!(store.snapshot().expect("available").revision > before);
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["Zero"]);
    let back = store.recovery().snapshots.into_iter().map(|snapshot| {
        let copy = crashed_copy(folder.path());
        let store = open(copy.path());
        store.recover(&Source::Snapshot(snapshot.name)).expect("recovered")
    });
    assert!(back.max() == Some(4), "the state before the recovery can be had again");
}

#[track_caller]
fn check_refused(prepare: impl FnOnce(&Path), source: &Source, expected: &str) {
    let folder = prepared();
    prepare(folder.path());
    let store = open(folder.path());
    let before = std::fs::read(folder.path().join("library.json")).expect("read");
    let error = store.recover(source).expect_err("refused");
    let expected = expected.replace('@', &folder.path().display().to_string());
    assert_eq!(error.to_string(), expected);
    assert!(!matches!(error, RecoverError::Disk(_)));
    assert_eq!(std::fs::read(folder.path().join("library.json")).expect("read"), before);
}

#[test]
fn a_recovery_that_cannot_be_says_why_and_touches_nothing() {
    let damage = |folder: &Path| put(&folder.join("library.json"), "damaged");
    check_refused(
        |folder| {
            damage(folder);
            remove(&folder.join("library.json.bak"));
            put(&folder.join("library.log"), "");
        },
        &Source::Backup,
        "No last-known-good state exists at @/library.json.bak.",
    );
    check_refused(
        |folder| {
            damage(folder);
            put(&folder.join("library.json.bak"), "damaged too");
        },
        &Source::Backup,
        "The last-known-good state is also unusable: @/library.json.bak",
    );
    for name in ["nope", "../library.json", "", "."] {
        let unknown = Source::Snapshot(name.to_owned());
        check_refused(damage, &unknown, &format!("Unknown snapshot: {name}"));
    }
}

#[test]
fn snapshots_are_few_and_the_backup_has_a_file_of_its_own() {
    let folder = folder();
    let store = open(folder.path());
    let mut seen = Vec::new();
    for number in 0..8 {
        add(&store, &format!("{number}"));
        store.fold_now().expect("folded");
        let inode = |name: &str| std::fs::metadata(folder.path().join(name)).expect("there").ino();
        let mut inodes = vec![inode("library.json"), inode("library.json.bak")];
        inodes.extend(
            names_in(&folder.path().join("library.json.snapshots"))
                .iter()
                .map(|name| inode(&format!("library.json.snapshots/{name}"))),
        );
        let count = inodes.len();
        inodes.sort_unstable();
        inodes.dedup();
        assert_eq!(inodes.len(), count, "no two names share a file");
        seen.push(store.recovery().snapshots.len());
    }
    assert_eq!(seen, [1, 2, 3, 4, 5, 5, 5, 5]);
}

#[test]
fn the_log_of_a_young_library_is_a_backup_too() {
    let folder = folder();
    let store = open(folder.path());
    let library = folder.path().join("library.json");
    put(&library, "damaged");
    assert!(!store.recovery().backup_available, "nothing was ever committed");
    let told = store.recover(&Source::Backup).expect_err("there is nothing to go back to");
    assert!(matches!(told, RecoverError::NoBackup { .. }), "{told}");
    drop(store);
    remove(&library);
    let store = open(folder.path());
    for name in ["One", "Two"] {
        add(&store, name);
    }
    remove_if_there(&folder.path().join("library.json.bak"));
    put(&library, "damaged again");
    assert!(store.recovery().backup_available);
    assert_eq!(store.recover(&Source::Backup).expect("recovered"), 2);
    assert_eq!(names(&store), ["One", "Two"]);
}

fn remove_if_there(path: &Path) {
    if path.exists() {
        remove(path);
    }
}
