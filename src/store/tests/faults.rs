//! Every disk call fails, once, permanently and half-way through a write: while opening, committing
//! and folding. In every case the old or the new state is found, and every answered change.

use serde_json::json;

use super::*;
use crate::store::recovery::Source;

/// What must be there: every change that was answered. A change that failed may be there or not.
#[derive(Default)]
struct Ledger {
    certain: Vec<String>,
    failed: Vec<String>,
}

impl Ledger {
    fn add(&mut self, store: &Store, name: &str) {
        match try_add(store, name) {
            Ok(_) => self.certain.push(name.to_owned()),
            Err(_) => self.failed.push(format!("+{name}")),
        }
    }

    /// As [`Ledger::add`], but no state at all is not a failed commit.
    fn add_if_available(&mut self, store: &Store, name: &str) {
        if store.snapshot().is_ok() {
            self.add(store, name);
        }
    }

    fn remove(&mut self, store: &Store, name: &str) {
        let outcome = store.commit(|draft| {
            let game = draft.state().games.iter().find(|game| game.name() == name);
            let ids: Vec<String> = game.map(|game| game.id().to_owned()).into_iter().collect();
            draft.remove_games(&ids);
            Ok::<_, ()>(())
        });
        if outcome.is_ok() {
            self.certain.retain(|known| known != name);
        } else {
            self.failed.push(format!("-{name}"));
        }
    }

    /// The state in memory holds what was answered and nothing else.
    #[track_caller]
    fn check_memory(&self, store: &Store, point: &str) {
        if let Ok(state) = store.snapshot() {
            let names: Vec<_> = state.games.iter().map(|game| game.name()).collect();
            assert_eq!(names, self.certain, "{point}");
        }
    }

    /// The state on the disk holds what was answered; what failed may have come through.
    #[track_caller]
    fn check_disk(&self, store: &Store, point: &str) {
        let names = names(store);
        for name in &self.certain {
            let perhaps_removed = self.failed.contains(&format!("-{name}"));
            assert!(names.contains(name) || perhaps_removed, "{point}: {name} is lost: {names:?}");
        }
        for name in &names {
            let perhaps_added = self.failed.contains(&format!("+{name}"));
            assert!(self.certain.contains(name) || perhaps_added, "{point}: {name} reappeared");
        }
    }
}

/// A library with a backup and with a commit that stands in the log only.
fn prepared() -> TempDir {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.fold_now().expect("folded");
    add(&store, "Two");
    folder
}

/// What is done while the disk fails.
type Life = fn(&Store, &Path, &mut Ledger, &str);

fn commit_and_fold(store: &Store, _: &Path, ledger: &mut Ledger, point: &str) {
    ledger.check_memory(store, point);
    ledger.add(store, "Three");
    ledger.check_memory(store, point);
    // OK because a fold may fail here; what it leaves behind is checked.
    drop(store.fold_now());
    ledger.add(store, "Four");
    ledger.remove(store, "One");
    ledger.check_memory(store, point);
    drop(store.fold_now());
    ledger.add(store, "Five");
    ledger.check_memory(store, point);
}

fn take_over_an_edit(store: &Store, folder: &Path, ledger: &mut Ledger, point: &str) {
    ledger.add(store, "Three");
    let library = folder.join("library.json");
    let text = std::fs::read_to_string(&library).expect("read");
    put(&library, text.replacen('{', "{\"edited\": true,", 1));
    ledger.check_memory(store, point);
    ledger.add(store, "Four");
    ledger.check_memory(store, point);
    drop(store.fold_now());
    ledger.add(store, "Five");
    ledger.check_memory(store, point);
}

fn recover_from_damage(store: &Store, folder: &Path, ledger: &mut Ledger, point: &str) {
    ledger.add(store, "Three");
    put(&folder.join("library.json"), "damaged");
    // OK because a recovery may fail here, and is tried again at the end.
    drop(store.recover(&Source::Backup));
    ledger.add_if_available(store, "Four");
    drop(store.fold_now());
    ledger.add_if_available(store, "Five");
    ledger.check_memory(store, point);
}

/// Runs a life with one planned failure and checks what it left; `false` when no call was left to
/// fail.
fn survives(life: Life, folder: &TempDir, plan: &str, disk: &Arc<FailingDisk>) -> bool {
    let mut ledger = Ledger::default();
    if folder.path().join("library.json").exists() {
        ledger.certain = vec!["One".into(), "Two".into()];
    }
    if let Ok(store) = Store::open(options_on(folder.path(), disk)) {
        life(&store, folder.path(), &mut ledger, plan);
    }
    let failed = ledger.failed.len();
    assert!(failed <= 1 || disk.fails_for_ever(), "{plan}: {failed} commits failed");
    let damaged = crashed_copy(folder.path());
    let store = open(folder.path());
    if store.snapshot().is_err() {
        store.recover(&Source::Backup).unwrap_or_else(|error| panic!("{plan}: {error}"));
    }
    ledger.check_disk(&store, plan);
    if damaged.path().join("library.json.bak").exists() {
        put(&damaged.path().join("library.json"), "damaged");
        let store = open(damaged.path());
        store.recover(&Source::Backup).unwrap_or_else(|error| panic!("{plan}: {error}"));
        ledger.check_disk(&store, &format!("{plan}, from the backup"));
    }
    disk.has_failed()
}

/// Runs a life once for every call it makes and every way in which that call can fail; at least
/// `expected` failures must have been tried, so that the test cannot quietly try none.
#[track_caller]
fn check(life: Life, prepare: fn() -> TempDir, expected: u64) {
    let mut points = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for exchange in [true, false] {
            for call in 1.. {
                let disk = Arc::new(FailingDisk::new(call, fault));
                if !exchange {
                    disk.forbid_exchange();
                }
                let plan = format!("{fault:?} at call {call}, exchange {exchange}");
                if !survives(life, &prepare(), &plan, &disk) {
                    break;
                }
                points += 1;
            }
        }
    }
    assert!(points >= expected, "{points} injection points");
}

#[test]
fn every_call_may_fail_while_committing_and_folding() {
    check(commit_and_fold, prepared, 370);
}

#[test]
fn every_call_may_fail_in_a_fresh_folder() {
    check(commit_and_fold, folder, 420);
}

#[test]
fn every_call_may_fail_while_an_edit_is_taken_over() {
    check(take_over_an_edit, prepared, 315);
}

#[test]
fn every_call_may_fail_during_a_recovery() {
    check(recover_from_damage, prepared, 410);
}

#[test]
fn a_full_disk_is_told_and_forgiven() {
    let folder = prepared();
    let disk = Arc::new(FailingDisk::new(1, Fault::ForEver));
    disk.arm(false);
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    disk.arm(true);
    let told = try_add(&store, "Three").expect_err("the disk is full");
    assert_eq!(told, "The library could not be saved: No space left on device");
    assert_eq!(names(&store), ["One", "Two"]);
    disk.arm(false);
    add(&store, "Four");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Two", "Four"]);
}

#[test]
fn a_failed_sync_fails_everybody_who_waited_for_it() {
    let folder = prepared();
    let disk = Arc::new(FailingDisk::new(1, Fault::Once));
    disk.arm(false);
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    let (seen, closures) = crossbeam_channel::unbounded();
    let failing = Arc::downgrade(&disk);
    disk.stop_at("sync_data", move || {
        // The first sync waits until four changes have been made, then fails.
        if let Some(disk) = failing.upgrade().filter(|disk| !disk.has_failed()) {
            for () in closures.iter().take(4) {}
            disk.arm(true);
        }
    });
    let outcomes: Vec<bool> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..4)
            .map(|number| {
                let (store, seen) = (store.clone(), seen.clone());
                scope.spawn(move || {
                    let outcome = store.commit(|draft| {
                        let id = draft.add_game(record(json!({"name": format!("{number}")})));
                        seen.send(()).expect("heard");
                        id
                    });
                    outcome.is_ok()
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().expect("joined")).collect()
    });
    assert_eq!(outcomes, [false; 4]);
    assert_eq!(names(&store), ["One", "Two"]);
    add(&store, "Three");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Two", "Three"]);
}

#[test]
fn a_panic_while_a_commit_is_written_fails_that_commit_alone() {
    let folder = prepared();
    let disk = sound_disk();
    let store = Store::open(options_on(folder.path(), &disk)).expect("open");
    let is_due = std::sync::atomic::AtomicBool::new(true);
    disk.stop_at("sync_data", move || {
        if is_due.swap(false, std::sync::atomic::Ordering::SeqCst) {
            std::panic::resume_unwind(Box::new("planned"));
        }
    });
    assert!(try_add(&store, "Three").is_err());
    assert_eq!(names(&store), ["One", "Two"]);
    add(&store, "Four");
    assert_eq!(names(&open(crashed_copy(folder.path()).path())), ["One", "Two", "Four"]);
}
