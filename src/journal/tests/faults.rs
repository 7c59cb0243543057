//! Every disk call fails, once, permanently and half-way through a write, those of the journal among them.
//! Whatever happens, each change that was answered is recorded once, and the newest state is reported.

use super::*;

/// Games that were added or renamed, by the unique name they got.
#[derive(Default)]
struct Ledger {
    answered: Vec<String>,
}

impl Ledger {
    fn add(&mut self, store: &Store, name: &str) {
        let record = record(json!({"name": name, "path": format!("/{name}")}));
        if store.commit(|draft| draft.add_game(record)).is_ok() {
            self.answered.push(name.to_owned());
        }
    }

    fn rename_first(&mut self, store: &Store, name: &str) {
        let outcome = store.commit(|draft| {
            let id = draft.state().games.get(0).map(|game| game.id().to_owned());
            id.map_or(Err(()), |id| {
                draft.edit_game(&id, |game| game.set("name", name)).map_err(|_| ())
            })
        });
        if outcome.is_ok() {
            self.answered.push(name.to_owned());
        }
    }
}

/// A library with a journal of two events.
fn with_journal() -> TempDir {
    let house = House::new();
    house.add("One");
    house.store().fold_now().expect("folded");
    house.add("Two");
    assert_eq!(house.events().len(), 2);
    house.dir
}

/// A library that was put in place before the first start.
fn put_in_place() -> TempDir {
    let dir = folder();
    let games = json!([{"game_id": "1", "name": "One"}, {"game_id": "2", "name": "Two"}]);
    let library = json!({"schema_version": 6, "games": games});
    put(&dir.path().join("library.json"), library.to_string());
    dir
}

/// Lives with one planned failure, is killed, and is checked on a sound disk; `false` when no call
/// was left to fail.
fn survives(plan: &str, disk: &Arc<FailingDisk>, dir: TempDir) -> bool {
    let mut ledger = Ledger { answered: vec!["One".into(), "Two".into()] };
    if let Some((store, journal)) = open_on(dir.path(), disk) {
        // OK because what cannot be read or folded now is checked afterwards.
        let read = || drop(journal.events(&Query { limit: 9, ..Query::default() }));
        ledger.add(&store, "Three");
        read();
        ledger.rename_first(&store, "First");
        drop(store.fold_now());
        ledger.add(&store, "Four");
        drop(store.fold_now());
        read();
        ledger.rename_first(&store, "Primus");
        ledger.add(&store, "Five");
        drop(store.fold_now());
        ledger.rename_first(&store, "Premier");
    }
    let house = House::open(dir);
    let events = house.events();
    let name = |event: &Event| event.catalog.as_ref().and_then(|it| it.get("name").cloned());
    for answered in &ledger.answered {
        let told = events.iter().filter(|event| name(event) == Some(json!(answered))).count();
        assert_eq!(told, 1, "{plan}: {answered}");
    }
    let mut ids: Vec<_> = events.iter().map(|event| event.id).collect();
    ids.sort_unstable();
    ids.dedup();
    assert_eq!(ids.len(), events.len(), "{plan}");
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs(), "{plan}");
    disk.has_failed()
}

#[test]
fn every_call_may_fail_and_no_answered_change_is_missing_or_doubled() {
    for prepared in [with_journal, put_in_place] {
        let mut points = 0;
        for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
            for call in 1.. {
                let disk = Arc::new(FailingDisk::new(call, fault));
                if !survives(&format!("{fault:?} at call {call}"), &disk, prepared()) {
                    break;
                }
                points += 1;
            }
        }
        assert!(points >= 250, "{points} injection points");
    }
}
