//! A library with its history in its own file.

use super::*;
use crate::{journal::event::Kind, mounted::canonical};

/// When the first event was made, a hundred days before the clock of the tests begins.
const FIRST: i64 = 1_691_360_000_000_000;

/// An event of a game, by the second in which it was made.
fn event(second: i64, parents: &[&Value], catalog: Option<Value>) -> Value {
    let mut parents: Vec<&Value> = parents.iter().map(|parent| &parent["event_id"]).collect();
    parents.sort_by_key(|id| id.as_str());
    let mut event = json!({"format": 3, "device_id": "d", "sequence": second + 1, "parents": parents,
        "created_at": iso(FIRST + second * 1_000_000), "sync_key": "game:a"});
    match catalog {
        Some(catalog) => event["catalog"] = catalog,
        None => event["tombstone"] = true.into(),
    }
    event["event_id"] = canonical::id_of(event.as_object().expect("an object")).into();
    event
}

fn named(name: &str) -> Option<Value> {
    Some(json!({"game_id": "a", "name": name, "genre": ""}))
}

/// An added game that was renamed, removed and restored.
fn life() -> [Value; 4] {
    let added = event(0, &[], named("A"));
    let renamed = event(1, &[&added], named("B"));
    let removed = event(2, &[&renamed], None);
    let restored = event(3, &[&removed], named("C"));
    [added, renamed, removed, restored]
}

/// A folder with a library that holds these events and is called `name` now.
fn with_events(name: &str, section: &Value) -> TempDir {
    let dir = folder();
    let games = json!([{"game_id": "a", "name": name}]);
    let library = json!({"schema_version": 6, "games": games, "library_sync": section});
    put(&dir.path().join("library.json"), library.to_string());
    dir
}

fn filed(events: &[Value]) -> Value {
    let filed = events
        .iter()
        .map(|event| (event["event_id"].as_str().expect("an id").to_owned(), event.clone()));
    Value::Object(filed.collect())
}

fn kinds(house: &House) -> Vec<Kind> {
    house.events().iter().map(|event| event.kind).collect()
}

#[test]
fn the_history_that_a_library_brings_along_is_taken_in_once() {
    let events = life();
    let renamed = events[1]["event_id"].as_str().expect("an id");
    let note = json!({"source_event": "x", "fields": null, "undo": false});
    let section = json!({"events": filed(&events), "journal_reverts": {renamed: note},
        "journal_horizon": iso(FIRST - 5)});
    let mut house = House::open(with_events("C", &section));
    let expected = [Kind::Add, Kind::Edit, Kind::Delete, Kind::Restore];
    assert_eq!(kinds(&house), expected);
    assert_eq!(house.events()[1].revert, Some(note));
    assert_eq!(house.page()["horizon"], iso(FIRST - 5));
    assert_eq!(house.recorded(FIRST + 1_000_000)["a"]["name"], "B");
    assert_eq!(house.recorded(FIRST + 2_000_000).len(), 0);
    house.set("a", "name", "D");
    house.killed(|_| ());
    let told = house.events();
    assert_eq!((told.len(), told[4].kind, &told[4].parents), (5, Kind::Edit, &vec![told[3].id]));
    assert_eq!(house.store().snapshot().expect("read").section("library_sync"), &section);
}

#[test]
fn a_record_that_differs_from_its_history_gets_one_event_more() {
    let mut house = House::open(with_events("Other", &json!({"events": filed(&life())})));
    for _ in 0..2 {
        assert_eq!(kinds(&house)[3..], [Kind::Restore, Kind::Edit]);
        assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
        house.killed(|_| ());
    }
}

#[test]
fn what_is_no_event_is_passed_over() {
    let [added, renamed, ..] = life();
    let mut changed = added.clone();
    changed["catalog"]["name"] = "Forged".into();
    let mut events = filed(&[renamed]);
    events[added["event_id"].as_str().expect("an id")] = changed;
    events["x"] = added;
    events["y"] = json!([1]);
    let house = House::open(with_events("B", &json!({"events": events, "journal_reverts": 3})));
    let page = house.page();
    assert_eq!(
        (&page["total"], &page["events"][0]["diff_base_missing"]),
        (&json!(1), &json!(true))
    );
    for section in [
        json!(3),
        json!([]),
        json!({"events": []}),
        json!({"events": {}}),
        json!({"events": {"x": 1}}),
    ] {
        let house = House::open(with_events("B", &section));
        assert_eq!(kinds(&house), [Kind::Add], "{section}");
    }
}

#[test]
fn every_call_may_fail_while_the_history_is_taken_in() {
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let dir = with_events("D", &json!({"events": filed(&life())}));
            let disk = Arc::new(FailingDisk::new(call, fault));
            if let Some((store, journal)) = open_on(dir.path(), &disk) {
                // OK because what cannot be read or folded now is checked afterwards.
                drop(journal.events(&Query { limit: 9, ..Query::default() }));
                drop(store.fold_now());
            }
            let house = House::open(dir);
            let expected = [Kind::Add, Kind::Edit, Kind::Delete, Kind::Restore, Kind::Edit];
            assert_eq!(kinds(&house), expected, "{fault:?} at call {call}");
            if !disk.has_failed() {
                assert!(call > 5, "{call} calls");
                break;
            }
        }
    }
}
