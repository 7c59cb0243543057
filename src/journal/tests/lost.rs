//! The file of the journal is not there, not whole, or not the one of this library. Changes that are still in the log
//! of the library get their events, each once.

use super::*;
use crate::journal::event::Kind;

const JOURNAL: &str = "library.journal";

/// A library that was put in place, with the games `a` and `b`, before the first start.
pub(super) fn adopted() -> House {
    let dir = folder();
    let games = json!([{"game_id": "a", "name": "A"}, {"game_id": "b", "name": "B"}]);
    put(&dir.path().join("library.json"), json!({"schema_version": 6, "games": games}).to_string());
    House::open(dir)
}

fn remove_journal(folder: &Path) {
    Files::system().remove(&folder.join(JOURNAL)).expect("removed or not there");
}

/// Kind and name of every event, oldest first.
#[track_caller]
fn told(house: &House) -> Vec<String> {
    let letter = |event: &Event| match event.kind {
        Kind::Add => "add",
        Kind::Edit => "edit",
        Kind::Delete => "delete",
        Kind::Restore => "restore",
    };
    let name = |event: &Event| {
        let catalog = event.catalog.clone().unwrap_or_default();
        catalog.get("name").and_then(Value::as_str).unwrap_or("").to_owned()
    };
    let events = house.events();
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
    events.iter().map(|event| format!("{} {}", letter(event), name(event))).collect()
}

fn switch(house: &House, is_on: bool) {
    let set = serde_json::Map::from_iter([("library_journal_enabled".to_owned(), json!(is_on))]);
    house.commit(|draft| draft.merge_section("settings", set, &[]));
}

/// The journal of an adopted library after a life and whatever happened to its folder.
#[track_caller]
fn check(live: impl FnOnce(&mut House), between: impl FnOnce(&Path), expected: &[&str]) {
    let mut house = adopted();
    live(&mut house);
    house.killed(between);
    assert_eq!(told(&house), expected);
    house.killed(|_| ());
    assert_eq!(told(&house), expected, "once more");
}

#[test]
fn the_first_edits_of_a_library_each_get_an_event() {
    let edits = |house: &mut House| {
        for name in ["A1", "A2", "A3"] {
            house.set("a", "name", name);
        }
    };
    let expected = ["add A", "add B", "edit A1", "edit A2", "edit A3"];
    // Killed after the journal was begun, and before.
    check(edits, |_| (), &expected);
    check(edits, remove_journal, &expected);
    // Not killed at all.
    let mut house = adopted();
    edits(&mut house);
    assert_eq!(told(&house), expected);
    // A library that began here.
    for between in [|_: &Path| (), remove_journal] {
        let mut house = House::new();
        let id = house.add("One");
        house.set(&id, "name", "Uno");
        house.set(&id, "name", "Un");
        house.killed(between);
        assert_eq!(told(&house), ["add One", "edit Uno", "edit Un"]);
    }
}

#[test]
fn a_lost_journal_begins_where_the_log_begins() {
    let folded = |house: &mut House| {
        for name in ["A1", "A2", "A3", "A4", "A5", "A6"] {
            house.set("a", "name", name);
            if ["A2", "A4"].contains(&name) {
                house.store().fold_now().expect("folded");
            }
        }
        assert_eq!(house.events().len(), 8);
    };
    // The second fold left the lines behind the first.
    let expected = ["add A2", "add B", "edit A3", "edit A4", "edit A5", "edit A6"];
    check(folded, remove_journal, &expected);
    // Without a backup the library file is where it begins.
    let both = |folder: &Path| {
        remove_journal(folder);
        Files::system().remove(&folder.join("library.json.bak")).expect("removed");
    };
    check(folded, both, &["add A4", "add B", "edit A5", "edit A6"]);
    // A journal of another library.
    let foreign = |folder: &Path| {
        let other = House::new();
        other.add("Other");
        assert_eq!(other.events().len(), 1);
        let bytes = std::fs::read(other.dir.path().join(JOURNAL)).expect("read");
        put(&folder.join(JOURNAL), bytes);
    };
    let mut with_other = vec!["add Other", "delete "];
    with_other.extend(expected);
    check(folded, foreign, &with_other);
}

#[test]
fn an_old_copy_of_the_journal_is_led_to_the_library() {
    let mut copy = Vec::new();
    let mut house = adopted();
    house.set("a", "name", "A1");
    assert_eq!(house.events().len(), 3);
    house.killed(|folder| copy = std::fs::read(folder.join(JOURNAL)).expect("read"));
    for name in ["A2", "A3", "A4", "A5"] {
        house.set("a", "name", name);
        house.store().fold_now().expect("folded");
    }
    assert_eq!(house.events().len(), 7);
    house.killed(|folder| put(&folder.join(JOURNAL), &copy));
    // What happened before the log begins is one change.
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A4", "edit A5"]);
}

#[test]
fn what_happened_while_recording_was_off_is_one_change_and_the_rest_is_told() {
    let edits = |house: &mut House| {
        house.set("a", "name", "A1");
        switch(house, false);
        for name in ["A2", "A3"] {
            house.set("a", "name", name);
        }
        switch(house, true);
        for name in ["A4", "A5"] {
            house.set("a", "name", name);
        }
    };
    let expected = ["add A", "add B", "edit A1", "edit A3", "edit A4", "edit A5"];
    check(edits, |_| (), &expected);
    check(edits, remove_journal, &expected);
    let mut house = adopted();
    edits(&mut house);
    assert_eq!(told(&house), expected, "not killed");
    // On for a while only.
    let edits = |house: &mut House| {
        switch(house, false);
        assert_eq!(told(house).len(), 2);
        house.set("a", "name", "A1");
        switch(house, true);
        house.set("a", "name", "A2");
        switch(house, false);
    };
    let expected = ["add A", "add B", "edit A1", "edit A2"];
    check(edits, |_| (), &expected);
    let mut house = adopted();
    edits(&mut house);
    assert_eq!(told(&house), expected, "not killed, on for a while");
    // Killed while it is off, and switched on in the next run.
    let mut house = adopted();
    house.set("a", "name", "A1");
    switch(&house, false);
    house.set("a", "name", "A2");
    house.killed(|_| ());
    house.set("a", "name", "A3");
    switch(&house, true);
    house.set("a", "name", "A4");
    house.killed(|_| ());
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A3", "edit A4"]);
}

#[test]
fn a_journal_that_cannot_be_written_is_made_up_for_when_it_can() {
    let in_the_way = |folder: &Path| {
        remove_journal(folder);
        Files::system().private_dir(&folder.join(JOURNAL).join("in the way")).expect("made");
    };
    let healed = |folder: &Path| {
        Files::system().remove_tree(&folder.join(JOURNAL)).expect("removed");
    };
    // Whatever was folded meanwhile, also when another program changes the library file.
    for is_edited in [false, true] {
        let dir = folder();
        let text = json!({"schema_version": 6, "games": [{"game_id": "a", "name": "A"}]});
        put(&dir.path().join("library.json"), text.to_string());
        in_the_way(dir.path());
        let mut house = House::open(dir);
        for name in ["A1", "A2", "A3", "A4"] {
            house.set("a", "name", name);
            house.store().fold_now().expect("folded");
        }
        assert!(house.journal().events(&Query::default()).is_err());
        if is_edited {
            let path = house.dir.path().join("library.json");
            let text = std::fs::read_to_string(&path).expect("read");
            put(&path, text.replace("\"A4\"", "\"By hand\""));
            house.store().fold_now().expect("folded");
        }
        let before = house.catalogs();
        house.killed(healed);
        assert_eq!(house.catalogs(), before);
        let mut expected = vec!["add A", "edit A1", "edit A2", "edit A3", "edit A4"];
        if is_edited {
            // The backup is the edited file now.
            expected = vec!["add By hand"];
        }
        assert_eq!(told(&house), expected, "edited: {is_edited}");
        // The backup and the log still are the library.
        house.set("a", "name", "A5");
        house.killed(|folder| {
            Files::system().remove(&folder.join("library.json")).expect("removed");
        });
        assert_eq!(house.catalogs()["a"]["name"], "A5");
    }
    // Healed while the program runs.
    let mut house = adopted();
    house.killed(in_the_way);
    house.set("a", "name", "A1");
    house.set("a", "name", "A2");
    assert!(house.journal().events(&Query::default()).is_err());
    healed(house.dir.path());
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A2"]);
    // Before its first change only the library file shows what there is.
    let mut house = adopted();
    house.killed(in_the_way);
    assert!(house.journal().events(&Query::default()).is_err());
    healed(house.dir.path());
    assert_eq!(told(&house), ["add A", "add B"]);
}

#[test]
fn what_an_older_library_answered_is_told_before_the_one_in_its_place() {
    let mut house = adopted();
    house.set("a", "name", "A1");
    assert_eq!(house.events().len(), 3);
    house.set("a", "name", "A2");
    house.set("a", "name", "A3");
    // Stopped without recording, and another library put in place.
    house.killed(|folder| {
        let other = json!({"schema_version": 6, "games": [{"game_id": "b", "name": "B"}]});
        put(&folder.join("library.json"), other.to_string());
    });
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A2", "edit A3", "delete "]);
}

#[test]
fn a_damaged_line_of_the_log_costs_its_own_event_only() {
    let mut house = adopted();
    house.set("a", "name", "A1");
    assert_eq!(house.events().len(), 3);
    for name in ["A2", "A3", "A4"] {
        house.set("a", "name", name);
    }
    house.killed(|folder| {
        let path = folder.join("library.log");
        let text = std::fs::read_to_string(&path).expect("read");
        put(&path, text.replace("\"A3\"", "\"X3\""));
    });
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A2", "edit A4"]);
}

#[test]
fn a_damaged_event_does_not_hide_commits_that_were_not_recorded() {
    let mut house = adopted();
    for name in ["A1", "A2", "A3"] {
        house.set("a", "name", name);
        house.store().fold_now().expect("folded");
    }
    let first = house.events()[0].clone();
    for name in ["A4", "A5", "A6"] {
        house.set("a", "name", name);
    }
    house.killed(|folder| {
        let path = folder.join(JOURNAL);
        let mut bytes = std::fs::read(&path).expect("read");
        let needle = crate::base::ids::hex(&first.id);
        let at = bytes.windows(64).position(|part| part == needle.as_bytes()).expect("there");
        bytes[at] ^= 1;
        put(&path, bytes);
    });
    let names: Vec<Value> = house.events().iter().map(|event| json!(event.catalog)).collect();
    let names: Vec<&str> = names.iter().filter_map(|it| it["name"].as_str()).collect();
    assert_eq!(names, ["A1", "A2", "A3", "A4", "A5", "A6", "B"]);
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
}

#[test]
fn a_journal_that_is_cut_off_or_damaged_at_any_byte_tells_each_edit_once() {
    let mut house = adopted();
    let names = ["A1", "A2", "A3"];
    for name in names {
        house.set("a", "name", name);
    }
    let expected = ["add A", "add B", "edit A1", "edit A2", "edit A3"];
    assert_eq!(told(&house), expected);
    let bytes = std::fs::read(house.dir.path().join(JOURNAL)).expect("read");
    for len in 0..bytes.len() {
        house.killed(|folder| put(&folder.join(JOURNAL), &bytes[..len]));
        assert_eq!(told(&house), expected, "{len} bytes");
    }
    for at in 0..bytes.len() {
        let mut damaged = bytes.clone();
        damaged[at] ^= 1;
        house.killed(|folder| put(&folder.join(JOURNAL), damaged));
        let told = told(&house);
        for name in names {
            let edit = format!("edit {name}");
            assert_eq!(told.iter().filter(|it| **it == edit).count(), 1, "{name}, byte {at}");
        }
    }
}

#[test]
fn a_library_that_was_left_as_it_is_has_its_journal_read_when_somebody_asks() {
    let mut house = adopted();
    house.set("a", "name", "A1");
    assert_eq!(house.events().len(), 3);
    let place = house.dir.path().join(JOURNAL);
    house.killed(remove_journal);
    house.journal().start().expect("a thread");
    house.journal().stop();
    assert!(!place.exists(), "not requested");
    house.killed(|_| ());
    house.journal().start().expect("a thread");
    house.set("a", "name", "A2");
    house.journal().stop();
    assert!(place.exists(), "something happened");
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A2"]);
    house.killed(remove_journal);
    assert_eq!(told(&house), ["add A", "add B", "edit A1", "edit A2"], "requested");
    house.killed(remove_journal);
    house.set("a", "name", "A3");
    house.store().fold_now().expect("folded");
    assert!(place.exists(), "lines are about to leave the log");
}
