//! The library file edited, replaced or removed by another program.

use serde_json::json;

use super::*;
use crate::store::error::{CommitError, Unavailable};

fn library_of(folder: &Path) -> Value {
    serde_json::from_slice(&std::fs::read(folder.join("library.json")).expect("read"))
        .expect("JSON")
}

#[test]
fn an_edit_is_taken_over_and_newer_commits_are_laid_over_it() {
    let folder = folder();
    let store = open(folder.path());
    let one = add(&store, "One");
    store.fold_now().expect("folded");
    let two = add(&store, "Two");
    let before = store.snapshot().expect("available").revision;
    let mut library = library_of(folder.path());
    library["games"][0]["name"] = json!("Edited");
    library["mark"] = json!(true);
    put(&folder.path().join("library.json"), library.to_string());
    assert_eq!(names(&store), ["Edited", "Two"]);
    let state = store.snapshot().expect("available");
    assert!(state.revision > before);
    rename(&store, &two, "Second");
    let crashed = crashed_copy(folder.path());
    assert_eq!(names(&open(crashed.path())), ["Edited", "Second"]);
    store.fold_now().expect("folded");
    let library = library_of(folder.path());
    assert_eq!((&library["games"][1]["name"], &library["mark"]), (&json!("Second"), &json!(true)));
    rename(&store, &one, "First");
    assert_eq!(names(&store), ["First", "Second"]);
}

#[test]
fn another_library_replaces_everything_and_keeps_what_was() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "Mine");
    store.fold_now().expect("folded");
    add(&store, "Pending");
    put(&folder.path().join("library.json"), "[{\"name\": \"Theirs\", \"path\": \"/x\"}]");
    assert_eq!(names(&store), ["Theirs"]);
    let id = add(&store, "New");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["Theirs", "New"]);
    let asides = names_in(folder.path());
    assert!(asides.iter().any(|name| name.starts_with("library.log.torn-")), "{asides:?}");
    rename(&store, &id, "Newer");
    store.close();
    assert_eq!(names(&open(folder.path())), ["Theirs", "Newer"]);
}

#[test]
fn an_older_copy_put_back_is_what_the_user_gets() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.fold_now().expect("folded");
    let old = std::fs::read(folder.path().join("library.json")).expect("read");
    for name in ["Two", "Three", "Four"] {
        add(&store, name);
        store.fold_now().expect("folded");
    }
    let before = store.snapshot().expect("available").revision;
    put(&folder.path().join("library.json"), &old);
    assert_eq!(names(&store), ["One"]);
    assert!(store.snapshot().expect("available").revision > before);
    add(&store, "Five");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Five"]);
    store.close();
    put(&folder.path().join("library.json"), &old);
    assert_eq!(names(&open(folder.path())), ["One"]);
}

#[test]
fn an_edit_while_closed_counts_the_revision_up() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.close();
    let closed = store.snapshot().expect("available").revision;
    drop(store);
    let store = open(folder.path());
    assert_eq!(store.snapshot().expect("available").revision, closed);
    store.close();
    let mut library = library_of(folder.path());
    library["games"][0]["name"] = json!("Edited");
    put(&folder.path().join("library.json"), library.to_string());
    let store = open(folder.path());
    assert_eq!(names(&store), ["Edited"]);
    assert!(store.snapshot().expect("available").revision > closed);
}

#[test]
fn a_removed_file_is_written_again() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.fold_now().expect("folded");
    add(&store, "Two");
    remove(&folder.path().join("library.json"));
    assert_eq!(names(&store), ["One", "Two"]);
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Two"]);
    store.fold_now().expect("folded");
    assert_eq!(library_of(folder.path())["games"].as_array().map(Vec::len), Some(2));
    add(&store, "Three");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Two", "Three"]);
    store.close();
    drop(store);
    remove(&folder.path().join("library.json"));
    assert_eq!(names(&open(folder.path())), ["One", "Two", "Three"]);
}

#[test]
fn a_damaged_file_is_left_alone_until_it_is_repaired() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.fold_now().expect("folded");
    add(&store, "Two");
    let library = folder.path().join("library.json");
    let sound = std::fs::read(&library).expect("read");
    put(&library, "{\"games\": [");
    assert!(matches!(store.snapshot(), Err(Unavailable::Corrupt(_))));
    let refused = store.commit(|draft| draft.add_game(record(json!({"name": "x"}))));
    assert!(matches!(refused, Err(CommitError::Unavailable(Unavailable::Corrupt(_)))));
    assert!(store.fold_now().is_err());
    assert_eq!(std::fs::read(&library).expect("read"), b"{\"games\": [");
    put(&library, &sound);
    assert_eq!(names(&store), ["One", "Two"]);
    add(&store, "Three");
    store.close();
    assert_eq!(names(&open(folder.path())), ["One", "Two", "Three"]);
}

#[test]
fn a_file_changed_during_a_fold_is_put_back_and_taken_over() {
    for exchange in [true, false] {
        let folder = folder();
        let disk = sound_disk();
        if !exchange {
            disk.forbid_exchange();
        }
        let store = Store::open(options_on(folder.path(), &disk)).expect("open");
        add(&store, "One");
        store.fold_now().expect("folded");
        let mut library = library_of(folder.path());
        library["games"][0]["name"] = json!("Edited");
        add(&store, "Two");
        let path = folder.path().join("library.json");
        let edit = std::sync::Once::new();
        disk.stop_at("exchange", move || edit.call_once(|| put(&path, library.to_string())));
        assert!(store.fold_now().is_err());
        assert_eq!(names(&store), ["Edited", "Two"]);
        store.close();
        assert_eq!(names(&open(folder.path())), ["Edited", "Two"]);
    }
}

#[test]
fn watchers_are_told_that_everything_may_have_changed() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.fold_now().expect("folded");
    let (told, changes) = crossbeam_channel::unbounded();
    store.watch(Box::new(move |change| {
        let games = (change.before.games.len(), change.after.games.len());
        told.send((games, change.ops.len())).expect("heard");
    }));
    put(&folder.path().join("library.json"), "[{}, {}, {}]");
    assert_eq!(store.snapshot().expect("available").games.len(), 3);
    assert_eq!(changes.try_recv(), Ok(((1, 3), 0)));
    let oldest = store.recovery().snapshots.pop().expect("a snapshot").name;
    store.recover(&crate::store::recovery::Source::Snapshot(oldest)).expect("recovered");
    assert_eq!(changes.try_recv(), Ok(((3, 1), 0)));
    add(&store, "Two");
    assert_eq!(changes.try_recv(), Ok(((1, 2), 1)));
    assert!(changes.try_recv().is_err());
}

/// Another program overwrites the library with something valid and much smaller; the previous content can be restored
/// completely, with what had not been folded.
#[track_caller]
fn check_kept(overwrite: fn(&Path), while_open: bool) {
    let folder = folder();
    let store = open(folder.path());
    for number in 0..7 {
        add(&store, &format!("{number}"));
        store.fold_now().expect("folded");
    }
    add(&store, "Pending");
    let before = text(&store.snapshot().expect("available"));
    let store = if while_open {
        overwrite(folder.path());
        store
    } else {
        drop(store);
        overwrite(folder.path());
        open(folder.path())
    };
    store.snapshot().expect("available");
    add(&store, "After");
    store.fold_now().expect("folded");
    let found = store.recovery().snapshots.into_iter().any(|snapshot| {
        let copy = crashed_copy(folder.path());
        let store = open(copy.path());
        let source = crate::store::recovery::Source::Snapshot(snapshot.name);
        store.recover(&source).expect("recovered");
        text(&store.snapshot().expect("available")) == before
    });
    assert!(found, "the library before the overwrite is gone");
}

#[test]
fn an_overwritten_library_is_kept() {
    let nothing = |folder: &Path| put(&folder.join("library.json"), "{\"games\": []}");
    let emptied = |folder: &Path| {
        let mut library = library_of(folder);
        library["games"] = json!([]);
        put(&folder.join("library.json"), library.to_string());
    };
    for while_open in [true, false] {
        check_kept(nothing, while_open);
        check_kept(emptied, while_open);
    }
}

#[test]
fn a_copy_older_than_the_last_fold_is_what_the_user_gets() {
    for while_open in [true, false] {
        let folder = folder();
        let library = folder.path().join("library.json");
        let store = open(folder.path());
        add(&store, "One");
        store.fold_now().expect("folded");
        let copy = std::fs::read(&library).expect("read");
        add(&store, "Mistake");
        store.fold_now().expect("folded");
        if !while_open {
            store.close();
            drop(store);
            put(&library, &copy);
            assert_eq!(names(&open(folder.path())), ["One"]);
            continue;
        }
        put(&library, &copy);
        assert_eq!(names(&store), ["One"]);
        assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One"]);
    }
}

#[test]
fn a_library_is_saved_without_a_place_for_its_snapshot() {
    // The folder cannot be used from the start, or only no longer when the names have been exchanged.
    for is_late in [false, true] {
        let folder = folder();
        let disk = sound_disk();
        let store = Store::open(options_on(folder.path(), &disk)).expect("opens");
        add(&store, "Mine");
        store.fold_now().expect("folded");
        let snapshots = folder.path().join("library.json.snapshots");
        let block = move || {
            if Files::system().remove_tree(&snapshots).is_ok() {
                put(&snapshots, "in the way");
            }
        };
        if is_late {
            disk.stop_at("exchange", block);
        } else {
            block();
        }
        put(&folder.path().join("library.json"), "[{\"name\": \"Theirs\", \"path\": \"/x\"}]");
        assert_eq!(names(&store), ["Theirs"], "{is_late}");
        add(&store, "New");
        let kept = names_in(folder.path()).into_iter().find(|name| name.contains(".json.before-"));
        let kept = std::fs::read_to_string(folder.path().join(kept.expect("kept"))).expect("text");
        assert!(kept.contains("Theirs") && !kept.contains("New"), "{kept}");
        store.close();
        assert_eq!(names(&open(folder.path())), ["Theirs", "New"], "{is_late}");
    }
}
