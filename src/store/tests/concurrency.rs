//! Many writers, and folds at the same time.

use std::{sync::mpsc, thread};

use serde_json::json;

use super::*;

#[test]
fn writers_that_wait_share_one_sync() {
    let folder = folder();
    let disk = sound_disk();
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    let (seen, closures) = crossbeam_channel::unbounded();
    let first = std::sync::Once::new();
    disk.stop_at("sync_data", move || {
        // The first sync takes until all eight have made their change.
        first.call_once(|| closures.iter().take(8).for_each(drop));
    });
    thread::scope(|scope| {
        for number in 0..8 {
            let (store, seen) = (&store, seen.clone());
            scope.spawn(move || {
                store
                    .commit(|draft| {
                        let id = draft.add_game(record(json!({"name": format!("{number}")})));
                        seen.send(()).expect("heard");
                        id
                    })
                    .expect("committed");
            });
        }
    });
    assert_eq!(disk.count("sync_data"), 2);
    let crashed = crashed_copy(folder.path());
    let mut names = names(&open(crashed.path()));
    names.sort_unstable();
    assert_eq!(names, ["0", "1", "2", "3", "4", "5", "6", "7"]);
}

#[test]
fn commits_go_on_while_a_fold_writes() {
    let folder = folder();
    let disk = sound_disk();
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    add(&store, "One");
    let (reached, fold) = mpsc::channel();
    let (go, released) = crossbeam_channel::unbounded::<()>();
    let first = std::sync::Once::new();
    disk.stop_at("sync_all", move || {
        // The new library file is written; the fold waits before its sync.
        first.call_once(|| {
            reached.send(()).expect("heard");
            released.recv().expect("released");
        });
    });
    thread::scope(|scope| {
        let folding = scope.spawn(|| store.fold_now().expect("folded"));
        fold.recv().expect("a fold");
        add(&store, "Two");
        let crashed = crashed_copy(folder.path());
        assert_eq!(names(&open(crashed.path())), ["One", "Two"]);
        go.send(()).expect("heard");
        assert!(folding.join().expect("joined"));
    });
    let crashed = crashed_copy(folder.path());
    assert_eq!(names(&open(crashed.path())), ["One", "Two"]);
}

#[test]
fn nothing_is_lost_between_eight_writers_and_a_busy_fold_thread() {
    let folder = folder();
    let store =
        Store::open(Options { debounce: Duration::ZERO, ..options(folder.path()) }).expect("open");
    thread::scope(|scope| {
        let folding = store.clone();
        scope.spawn(move || {
            for _ in 0..10 {
                folding.fold_now().expect("folded");
            }
        });
        for writer in 0..8 {
            let store = &store;
            scope.spawn(move || {
                for number in 0..25 {
                    add(store, &format!("{writer}-{number}"));
                }
            });
        }
    });
    let expected = text(&store.snapshot().expect("available"));
    assert_eq!(names(&store).len(), 200);
    let crashed = crashed_copy(folder.path());
    assert_eq!(text(&open(crashed.path()).snapshot().expect("available")), expected);
    store.close();
    drop(store);
    assert_eq!(text(&open(folder.path()).snapshot().expect("available")), expected);
}

#[test]
fn an_editor_of_the_file_holds_nobody_up() {
    let folder = folder();
    let store =
        Store::open(Options { debounce: Duration::ZERO, ..options(folder.path()) }).expect("open");
    let library = folder.path().join("library.json");
    thread::scope(|scope| {
        let (store, library) = (&store, &library);
        scope.spawn(move || {
            for number in 0..20 {
                let stored = std::fs::read_to_string(library).expect("read");
                // Every other edit is one by a program that keeps nothing it does not know.
                let edited = if number % 2 == 0 {
                    stored.replacen('{', &format!("{{\"edit\": {number},"), 1)
                } else {
                    "{\"games\": [{\"name\": \"Theirs\"}]}".to_owned()
                };
                put(&library.with_extension("new"), edited);
                rename_file(&library.with_extension("new"), library);
                store.snapshot().expect("available");
            }
        });
        for writer in 0..3 {
            scope.spawn(move || {
                for number in 0..40 {
                    add(store, &format!("{writer}-{number}"));
                }
            });
        }
    });
    add(&store, "Last");
    let expected = text(&store.snapshot().expect("available"));
    let crashed = crashed_copy(folder.path());
    assert_eq!(text(&open(crashed.path()).snapshot().expect("available")), expected);
    store.close();
    drop(store);
    assert_eq!(text(&open(folder.path()).snapshot().expect("available")), expected);
}
