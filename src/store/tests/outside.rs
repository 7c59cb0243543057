//! The log changed by another program, files gone, and edits of records that wait in the log.

use std::os::unix::fs::FileExt as _;

use serde_json::json;

use super::*;
use crate::store::{error::Unavailable, recovery::Source};

fn log_of(folder: &Path) -> std::path::PathBuf {
    folder.join("library.log")
}

/// Changes the log between two commits; a crash after the second one loses neither.
#[track_caller]
fn check_log(what: &str, change: fn(&Path)) {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.fold_now().expect("folded");
    add(&store, "Two");
    change(&log_of(folder.path()));
    add(&store, "Three");
    assert_eq!(names(&store), ["One", "Two", "Three"], "{what}");
    let crashed = crashed_copy(folder.path());
    assert_eq!(names(&open(crashed.path())), ["One", "Two", "Three"], "{what}");
    change(&log_of(folder.path()));
    store.fold_now().expect("folded");
    remove(&folder.path().join("library.json"));
    let crashed = crashed_copy(folder.path());
    assert_eq!(names(&open(crashed.path())), ["One", "Two", "Three"], "{what}, backup and log");
}

/// Writes over bytes without a trace in the attributes.
fn overwrite(log: &Path, at: u64, bytes: &[u8]) {
    let file = std::fs::File::options().write(true).open(log).expect("opened");
    let time = file.metadata().and_then(|stat| stat.modified()).expect("a time");
    file.write_all_at(bytes, at).expect("written");
    file.set_modified(time).expect("set");
}

#[test]
fn a_log_changed_outside_is_noticed_before_the_next_append() {
    check_log("cut", |log| put(log, ""));
    check_log("removed", remove);
    check_log("longer", |log| {
        let mut bytes = std::fs::read(log).expect("read");
        bytes.extend_from_slice(b"x");
        put(log, bytes);
    });
    check_log("overwritten", |log| {
        let length = std::fs::read(log).expect("read").len();
        put(log, vec![b'x'; length]);
    });
    check_log("overwritten within a tick of the clock", |log| {
        let length = std::fs::read(log).expect("read").len() as u64;
        overwrite(log, length - 20, b"0123456789");
    });
    check_log("another file", |log| {
        let copy = std::fs::read(log).expect("read");
        remove(log);
        put(log, copy);
    });
    check_log("a folder", |log| {
        remove(log);
        Files::system().private_dir(&log.join("inner")).expect("made");
        Files::system().remove_tree(log).expect("removed");
    });
}

#[test]
fn a_changed_log_is_noticed_while_somebody_else_looks_at_it() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    put(&log_of(folder.path()), "");
    let shared = store.shared();
    let looking = shared.journal.read().expect("not poisoned");
    assert!(shared.check_log().is_err());
    drop(looking);
    add(&store, "Two");
    assert_eq!(names(&store), ["One", "Two"]);
}

#[test]
fn a_log_changed_during_an_append_is_not_answered() {
    for change in [remove, |log: &Path| put(log, "")] {
        let folder = folder();
        let disk = sound_disk();
        let store = Store::open(options_on(folder.path(), &disk)).expect("open");
        add(&store, "One");
        let (log, once) = (log_of(folder.path()), std::sync::Once::new());
        disk.stop_at("sync_data", move || once.call_once(|| change(&log)));
        let refused = try_add(&store, "Two").expect_err("not durable");
        assert!(refused.contains("changed by another program"), "{refused}");
        add(&store, "Three");
        assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Three"]);
    }
}

#[test]
fn without_library_and_backup_nothing_is_served_and_all_of_it_recovered() {
    for folds in [0, 1, 3, 8] {
        let folder = folder();
        let store = open(folder.path());
        let expected: Vec<String> = (0..=folds).map(|number| format!("{number}")).collect();
        for name in &expected {
            add(&store, name);
            if *name != folds.to_string() {
                store.fold_now().expect("folded");
            }
        }
        drop(store);
        for name in ["library.json", "library.json.bak"] {
            Files::system().remove(&folder.path().join(name)).expect("removed");
        }
        let before = names_in(folder.path());
        let store = open(folder.path());
        assert!(matches!(store.snapshot(), Err(Unavailable::Missing)), "{folds} folds");
        assert!(try_add(&store, "x").is_err());
        assert_eq!(names_in(folder.path()), before, "nothing was written");
        assert!(store.recovery().backup_available);
        store.recover(&Source::Backup).expect("recovered");
        let found = names(&store);
        // Snapshots are not taken at every fold: the fifth is the newest for ten minutes.
        assert!(expected.starts_with(&found[..found.len().min(5)]), "{folds} folds: {found:?}");
        assert!(folds > 5 || found == expected, "{folds} folds: {found:?}");
        add(&store, "After");
        assert!(names(&open(crashed_copy(folder.path()).path())).contains(&"After".to_owned()));
    }
}

#[test]
fn what_only_the_log_holds_is_recovered() {
    let folder = folder();
    let store = open(folder.path());
    for name in ["One", "Two", "Three"] {
        add(&store, name);
        store.fold_now().expect("folded");
    }
    add(&store, "Four");
    drop(store);
    let files = Files::system();
    for name in ["library.json", "library.json.bak"] {
        files.remove(&folder.path().join(name)).expect("removed");
    }
    files.remove_tree(&folder.path().join("library.json.snapshots")).expect("removed");
    let store = open(folder.path());
    assert!(matches!(store.snapshot(), Err(Unavailable::Missing)));
    store.recover(&Source::Backup).expect("recovered");
    assert_eq!(names(&store), ["Three", "Four"]);
}

#[test]
fn an_edit_of_a_record_that_waits_in_the_log_is_joined_field_by_field() {
    for while_open in [true, false] {
        let folder = folder();
        let library = folder.path().join("library.json");
        let store = open(folder.path());
        let one = add(&store, "One");
        let put_sections =
            store.change(|draft| draft.set_section("settings", json!({"a": 1, "b": 1})));
        put_sections.expect("committed");
        store.fold_now().expect("folded");
        let ours = store.commit(|draft| {
            draft.set_section("settings", json!({"a": 2, "b": 1}));
            draft.edit_game(&one, |game| {
                game.set("name", "Ours");
                game.set("genre", "Ours");
            })
        });
        ours.expect("committed");
        let mut edited: Value =
            serde_json::from_slice(&std::fs::read(&library).expect("read")).expect("JSON");
        edited["games"][0]["name"] = json!("Theirs");
        edited["games"][0]["notes"] = json!("Theirs");
        edited["settings"]["b"] = json!(3);
        let store = if while_open {
            put(&library, edited.to_string());
            store
        } else {
            drop(store);
            put(&library, edited.to_string());
            open(folder.path())
        };
        let joined = |store: &Store| {
            let state = store.snapshot().expect("available");
            let game = state.games.get(0).expect("a game").record();
            let texts = ["name", "genre", "notes"].map(|key| game.text(key).to_owned());
            assert_eq!(texts, ["Theirs", "Ours", "Theirs"]);
            assert_eq!(state.section("settings"), &json!({"a": 2, "b": 3}));
        };
        joined(&store);
        joined(&open(crashed_copy(folder.path()).path()));
        rename(&store, &one, "Later");
        assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["Later"]);
        let kept = store.recovery().snapshots.into_iter().map(|snapshot| {
            let copy = crashed_copy(folder.path());
            let store = open(copy.path());
            store.recover(&Source::Snapshot(snapshot.name)).expect("recovered");
            names(&store).concat()
        });
        let kept: Vec<String> = kept.collect();
        assert!(["Ours", "Theirs"].iter().all(|name| kept.iter().any(|it| it == name)), "{kept:?}");
    }
}
