//! Open, commit, fold, close, reopen.

use std::sync::{
    Arc, Mutex,
    atomic::{AtomicU64, AtomicUsize, Ordering},
};

use serde_json::json;

use super::*;
use crate::{
    model::Cause,
    store::error::{CommitError, OpenError, Unavailable},
};

#[test]
fn a_fresh_folder_holds_an_empty_library() {
    let folder = folder();
    let store = Store::open(options(&folder.path().join("new/data"))).expect("open");
    assert!(store.snapshot().expect("available").games.is_empty());
    let names = names_in(&folder.path().join("new/data"));
    let expected = [".library.json.lock", "library.json", "library.json.snapshots", "library.log"];
    assert_eq!(names, expected);
    assert!(!store.recovery().backup_available);
}

#[test]
fn what_was_committed_is_there_after_every_kind_of_end() {
    let folder = folder();
    let store = open(folder.path());
    let id = add(&store, "One");
    store.fold_now().expect("folded");
    rename(&store, &id, "Two");
    store
        .commit(|draft| {
            draft.set_section("future", json!({"kept": [1, 2.5, null]}));
            Ok::<_, ()>(())
        })
        .expect("committed");
    let expected = text(&store.snapshot().expect("available"));
    let crashed = crashed_copy(folder.path());
    assert_eq!(text(&open(crashed.path()).snapshot().expect("available")), expected);
    drop(store);
    let store = open(folder.path());
    assert_eq!(text(&store.snapshot().expect("available")), expected);
    store.close();
    let reopened = open(folder.path());
    assert_eq!(text(&reopened.snapshot().expect("available")), expected);
    assert_eq!(reopened.load_report().replayed, 0);
}

#[test]
fn a_second_process_is_refused_until_the_first_has_closed() {
    let folder = folder();
    let store = open(folder.path());
    assert!(matches!(Store::open(options(folder.path())), Err(OpenError::Locked { .. })));
    add(&store, "One");
    store.close();
    let second = open(folder.path());
    assert_eq!(names(&second), ["One"]);
    assert_eq!(names(&store), ["One"]);
    let refused = store.commit(|draft| draft.add_game(record(json!({"name": "x"}))));
    assert!(matches!(refused, Err(CommitError::Unavailable(Unavailable::Closed))));
}

#[test]
fn a_refused_or_empty_commit_writes_nothing() {
    let folder = folder();
    let disk = sound_disk();
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    let id = add(&store, "One");
    let before = store.snapshot().expect("available");
    let (writes, syncs) = (disk.count("write"), disk.count("sync_data"));
    let refused = store.commit(|draft| {
        draft.set_section("settings", json!({"theme": "dark"}));
        Err::<(), _>("no")
    });
    assert!(matches!(refused, Err(CommitError::Refused("no"))));
    rename(&store, &id, "One");
    assert_eq!((disk.count("write"), disk.count("sync_data")), (writes, syncs));
    assert!(Arc::ptr_eq(&before, &store.snapshot().expect("available")));
}

#[test]
fn a_favourite_costs_the_bytes_of_one_game() {
    let folder = folder();
    let disk = sound_disk();
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    let long = "x".repeat(1_100);
    let ids: Vec<String> = store
        .commit(|draft| {
            (0..1_000)
                .map(|number| {
                    let path = format!("/roms/{number}");
                    draft.add_game(record(json!({"path": path, "description": long})))
                })
                .collect()
        })
        .expect("committed");
    let (bytes, syncs) = (disk.bytes(), disk.count("sync_data"));
    store
        .commit(|draft| draft.edit_game(&ids[500], |game| game.set("favorite", true)))
        .expect("committed");
    assert!(disk.bytes() - bytes <= 4_096, "{} bytes", disk.bytes() - bytes);
    assert_eq!(disk.count("sync_data") - syncs, 1);
}

#[test]
fn watchers_hear_every_change_in_order_and_may_commit() {
    let folder = folder();
    let store = open(folder.path());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (log, handle) = (Arc::clone(&heard), store.clone());
    store.watch(Box::new(move |change| {
        log.lock().expect("lock").push((change.before.revision, change.after.revision));
        if change.after.games.len() == 2 {
            add(&handle, "Three");
        }
    }));
    store.watch(Box::new(|_| panic!("a watcher with a bug")));
    add(&store, "One");
    add(&store, "Two");
    assert_eq!(*heard.lock().expect("lock"), [(0, 1), (1, 2), (2, 3)]);
    assert_eq!(names(&store), ["One", "Two", "Three"]);
}

#[test]
fn causes_reach_the_watchers_and_reports_only_those_who_ask() {
    let folder = folder();
    let store = open(folder.path());
    let heard = Arc::new(Mutex::new(Vec::new()));
    let (all, changes) = (Arc::clone(&heard), Arc::clone(&heard));
    store.watch_with_reports(Box::new(move |change| {
        all.lock().expect("lock").push(("all", change.cause.clone(), change.ops.len()));
    }));
    store.watch(Box::new(move |change| {
        changes.lock().expect("lock").push(("changes", change.cause.clone(), change.ops.len()));
    }));
    let commit = |name: &str| {
        let added = store.commit(|draft| {
            draft.set_section("name", json!(name));
            draft.set_cause(Cause::Created);
            Ok::<_, ()>(())
        });
        added.expect("committed");
    };
    commit("One");
    // Nothing changes, but the cause is reported.
    commit("One");
    store.report(Cause::BackupRestored);
    store.commit(|_| Ok::<_, ()>(())).expect("committed");
    let expected = [
        ("all", Cause::Created, 1),
        ("changes", Cause::Created, 1),
        ("all", Cause::Created, 0),
        ("all", Cause::BackupRestored, 0),
    ];
    assert_eq!(*heard.lock().expect("lock"), expected);
}

#[test]
fn a_refused_commit_reports_nothing() {
    let folder = folder();
    let store = open(folder.path());
    let heard = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&heard);
    store.watch_with_reports(Box::new(move |_| {
        count.fetch_add(1, Ordering::SeqCst);
    }));
    let refused = store.commit(|draft| {
        draft.set_cause(Cause::Deleted);
        Err::<(), _>("no")
    });
    assert!(refused.is_err());
    assert_eq!(heard.load(Ordering::SeqCst), 0);
}

#[test]
fn a_commit_returns_after_its_watchers_were_called() {
    let folder = folder();
    let store = open(folder.path());
    let told = Arc::new(AtomicU64::new(0));
    let (entered, inside) = crossbeam_channel::bounded(1);
    let (go_on, wait) = crossbeam_channel::bounded::<()>(1);
    let seen = Arc::clone(&told);
    store.watch(Box::new(move |change| {
        if change.after.revision == 1 {
            entered.send(()).expect("a test");
            wait.recv().expect("a test");
        }
        seen.store(change.after.revision, Ordering::SeqCst);
    }));
    std::thread::scope(|scope| {
        scope.spawn(|| add(&store, "One"));
        inside.recv().expect("a watcher");
        let second = scope.spawn(|| {
            add(&store, "Two");
            told.load(Ordering::SeqCst)
        });
        // The watcher of the first commit still runs when the second one is durable.
        while store.snapshot().expect("available").games.len() < 2 {
            std::thread::yield_now();
        }
        go_on.send(()).expect("a watcher");
        assert_eq!(second.join().expect("committed"), 2);
    });
}

#[test]
fn the_fold_thread_writes_the_file_after_a_commit() {
    let folder = folder();
    let disk = sound_disk();
    let (told, exchange) = crossbeam_channel::unbounded();
    disk.stop_at("exchange", move || {
        // OK because there is no receiver after the test.
        let _ = told.send(());
    });
    let options = Options { debounce: Duration::ZERO, ..options_on(folder.path(), &disk) };
    let store = Store::open(options).expect("open");
    add(&store, "One");
    exchange.recv().expect("a fold");
    store.close();
    let stored = std::fs::read_to_string(folder.path().join("library.json")).expect("read");
    assert!(stored.contains("\"One\""));
}
