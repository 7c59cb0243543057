//! What is kept and dropped, and the handling of damage, clock changes and changes by other programs.

use super::*;
use crate::{
    files::DiskError,
    journal::{
        book::{Commit, Fresh},
        event::Kind,
        frame,
        index::{AGE, Added, DAY, EVENTS, Index},
    },
};

/// An index with one game that has `events` events, and one with a single old one.
fn index_of(events: usize, at: i64) -> Index {
    let mut index = Index::default();
    let added = |key: u64| Added { id: [0; 32], key, kind: Kind::Edit };
    index.push((0, 1), at, false, [added(1), added(2)]);
    index.push((1, 1), at, false, (0..events).map(|_| added(1)));
    index.link();
    index
}

#[test]
fn the_newest_events_stay_to_their_number() {
    let at = 1_000_000;
    // The first of the crowded game is the oldest; the lonely one is the newest of its game.
    for (events, dropped) in [(EVENTS - 2, 0), (EVENTS - 1, 1), (EVENTS, 1), (EVENTS + 2, 3)] {
        let index = index_of(events, at);
        let gone: Vec<u32> = (0..index.len()).filter(|row| index.is_dropped(*row, at)).collect();
        assert_eq!(gone.len(), dropped, "{events}");
        assert!(!gone.contains(&1));
    }
}

#[test]
fn events_stay_for_400_days_whatever_the_clock_says() {
    let at = 1_000_000_000;
    let mut index = index_of(1, at);
    assert!(!index.is_dropped(0, at + AGE));
    assert!(index.is_dropped(0, at + AGE + 1));
    assert!(!index.is_dropped(1, at + 10 * AGE), "the newest of its game stays");
    // A clock that was set back to the beginning of time makes nothing old.
    let added = |_| Added { id: [0; 32], key: 1, kind: Kind::Edit };
    index.push((2, 1), 0, false, (0..2).map(added));
    index.link();
    assert!(!index.is_dropped(3, at + AGE));
    assert_eq!(index.time(3), 0);
}

#[test]
fn a_commit_leaves_memory_a_frame_at_a_time_and_counts_when_it_is_whole() {
    let house = House::new();
    house.add("One");
    assert_eq!(house.events().len(), 1);
    let path = house.dir.path().join("library.journal");
    let fresh = |number: usize| {
        let (sync_key, kind) = (format!("game:{number}"), Kind::Delete);
        Fresh { sync_key, parents: Vec::new(), kind, game: None }
    };
    let commit = Commit { revision: 9, at: 1, lineage: "L", revert: None };
    let record = |fails: bool| {
        house.journal().read(|book, _| {
            let before = book.index().len();
            let outcome = book.record(&commit, |pen| {
                for number in 0..5_000_usize {
                    pen.push(fresh(number))?;
                    let left = (pen.book().index().len() - before) as usize;
                    assert!(number + 1 - left <= frame::EVENTS, "{number}");
                }
                let index = pen.book().index();
                assert_eq!(index.head(index.key("game:0")), None);
                let source = std::io::ErrorKind::StorageFull.into();
                let error = DiskError { action: "write", path: path.clone(), source };
                if fails { Err(error) } else { Ok(()) }
            });
            assert_eq!(outcome.is_err(), fails);
            Ok((before, book.index().len(), path.metadata().expect("there").len()))
        })
    };
    let size = path.metadata().expect("there").len();
    let (before, after, left) = record(true).expect("read");
    assert_eq!((after, left), (before, size), "nothing of a commit that failed is left");
    let (before, after, left) = record(false).expect("read");
    assert_eq!(after, before + 5_000);
    assert!(left > size);
}

#[test]
fn a_journal_that_lags_behind_holds_no_old_state() {
    let house = House::new();
    house.add("One");
    let old = Arc::downgrade(&house.store().snapshot().expect("a state"));
    house.add("Two");
    assert_eq!(old.strong_count(), 0, "nothing was recorded yet");
    assert_eq!(house.events().len(), 2);
}

#[test]
fn old_events_leave_the_file_and_are_told_as_the_horizon() {
    let mut house = House::new();
    let id = house.add("One");
    let other = house.add("Two");
    house.set(&id, "genre", "RPG");
    let dropped = house.events()[0].clone();
    let genre = house.events()[2].clone();
    advance(200 * DAY);
    house.set(&id, "genre", "Puzzle");
    let newest = house.events()[3].clone();
    advance(201 * DAY);
    let page = house.page();
    assert_eq!((&page["total"], &page["gap"]), (&json!(2), &json!(true)), "hidden at once");
    assert_eq!(page["horizon"], iso(genre.at));
    let file = house.dir.path().join("library.journal");
    let before = file.metadata().expect("there").len();
    let now = CLOCK.get();
    house.journal().read(|book, _| Ok(book.shorten_if_due(now)?)).expect("shortened");
    assert!(file.metadata().expect("there").len() < before);
    let check = |house: &House| {
        let page = house.page();
        assert_eq!((&page["total"], &page["horizon"]), (&json!(2), &json!(iso(genre.at))));
        let row = &page["events"][0];
        assert_eq!((&row["diff_base_missing"], &row["changes"]), (&json!(true), &json!({})));
        let link = house.journal().find(&newest.id).expect("read").expect("there");
        assert_eq!(link.base, crate::journal::chain::Base::Unavailable);
        assert_eq!(house.journal().find(&dropped.id).expect("read"), None);
        // It is unknown what the game was between its first event and the one that is left.
        let past = house.journal().as_of(&Instant { requested: String::new(), at: genre.at });
        let past = serde_json::to_value(past.expect("read")).expect("JSON");
        assert_eq!(past["unknown_keys"], json!([format!("game:{id}")]));
        assert_eq!(past["games"][0]["game_id"], json!(other));
    };
    check(&house);
    house.killed(|_| ());
    check(&house);
    house.set(&other, "genre", "x");
    assert_eq!(house.events().last().expect("there").sequence, 5, "numbers are not used again");
}

#[test]
fn a_long_journal_is_read_piece_by_piece() {
    let mut house = House::new();
    // Texts that hardly can be packed: most frames go on in the next piece.
    let notes = || crate::base::ids::random_hex(4_096);
    house.commit(|draft| {
        for number in 0..300 {
            let game = record(json!({"name": number.to_string(), "notes": notes()}));
            draft.add_game(game).expect("added");
        }
    });
    let last = house.add("Last");
    let before = house.events();
    house.killed(|folder| {
        let bytes = std::fs::read(folder.join("library.journal")).expect("read");
        assert!(bytes.len() > 1 << 20, "{}", bytes.len());
    });
    assert_eq!(house.events(), before);
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
    // A bit in the first of several pieces; the log heals it, and nothing behind it is lost.
    house.killed(|folder| {
        let path = folder.join("library.journal");
        let mut bytes = std::fs::read(&path).expect("read");
        bytes[1_500] ^= 1;
        put(&path, bytes);
    });
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
    house.set(&last, "genre", "x");
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
}

#[test]
fn damage_is_healed_from_the_log_or_listed() {
    let mut house = House::new();
    let ids = ["One", "Two", "Three"].map(|name| house.add(name));
    house.set(&ids[0], "genre", "RPG");
    let before = house.events();
    let damage = |house: &mut House, of: &Event| {
        house.killed(|folder| {
            let path = folder.join("library.journal");
            let mut bytes = std::fs::read(&path).expect("read");
            let needle = crate::base::ids::hex(&of.id);
            let at = bytes.windows(64).position(|part| part == needle.as_bytes()).expect("there");
            // The body stands behind the head.
            let body = at + bytes[at..].iter().position(|byte| *byte == b'\n').expect("a line");
            bytes[body + 5] ^= 1;
            put(&path, bytes);
        });
    };
    damage(&mut house, &before[1]);
    assert_eq!(house.events(), before);
    assert_eq!(house.page()["corrupt"], json!([]));
    // Two folds later the log no longer holds the commit.
    for genre in ["a", "b", "c"] {
        house.set(&ids[2], "genre", genre);
        house.store().fold_now().expect("folded");
    }
    damage(&mut house, &before[1]);
    let corrupt = json!([{"event_id": crate::base::ids::hex(&before[1].id),
        "sync_key": format!("game:{}", ids[1])}]);
    assert_eq!(house.page()["corrupt"], corrupt);
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
    let total = house.page()["total"].clone();
    house.killed(|_| ());
    assert_eq!(house.page()["total"], total, "what was lost is recorded again once");
}

#[test]
fn a_foreign_file_and_a_recovery_are_recorded_as_what_they_changed() {
    let mut house = House::new();
    let ids = ["One", "Two"].map(|name| house.add(name));
    house.store().fold_now().expect("folded");
    let library = house.dir.path().join("library.json");
    let text = std::fs::read_to_string(&library).expect("read");
    put(&library, text.replace("\"One\"", "\"Uno\""));
    assert_eq!(house.catalogs()[&ids[0]]["name"], "Uno");
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
    assert_eq!(house.events().len(), 3);
    // Changed once more while the program is stopped.
    house.store().close();
    house.killed(|_| {
        let text = std::fs::read_to_string(&library).expect("read");
        put(&library, text.replace("\"Two\"", "\"Due\""));
    });
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
    assert_eq!(house.events().len(), 4);
    let newest = house.events().pop().expect("an event");
    assert_eq!((newest.kind, &newest.catalog.expect("there")["name"]), (Kind::Edit, &json!("Due")));
}

#[test]
fn the_log_keeps_what_the_journal_could_not_write() {
    let mut house = House::new();
    house.add("One");
    // A folder stands where the journal should be.
    house.killed(|folder| {
        let path = folder.join("library.journal");
        Files::system().remove(&path).expect("removed or not there");
        Files::system().private_dir(&path.join("in the way")).expect("made");
    });
    for name in ["Two", "Three", "Four"] {
        house.add(name);
        house.store().fold_now().expect("folded");
    }
    assert!(house.journal().events(&Query::default()).is_err());
    house.killed(|folder| {
        Files::system().remove_tree(&folder.join("library.journal")).expect("removed");
    });
    assert_eq!(house.events().len(), 4);
    assert_eq!(house.recorded(i64::MAX / 2), house.catalogs());
}
