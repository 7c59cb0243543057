//! Random bytes: as a library, as a log, and as both with single bits changed.

use proptest::prelude::*;
use serde_json::Map;

use super::*;
use crate::{
    model::{Game, Op},
    store::{
        exchange::{read_state, write_state},
        line,
        recovery::Source,
    },
};

/// JSON of any shape, with the words of a library among its keys.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "\\PC{0,12}".prop_map(Value::from),
        "game-[0-9a-f]{24}(-[0-9])?".prop_map(Value::from),
    ];
    let key = prop_oneof![
        "games|game_id|name|schema_version|revision|lineage|settings|history|queue|tags|aliases",
        "\\PC{0,8}",
    ];
    leaf.prop_recursive(4, 40, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::vec((key.clone(), inner), 0..6)
                .prop_map(|pairs| Value::Object(pairs.into_iter().collect())),
        ]
    })
}

/// Something that looks like a library from afar.
fn library() -> impl Strategy<Value = Value> {
    (value(), prop::collection::vec(value(), 0..5), value()).prop_map(|(root, games, settings)| {
        let mut map = if let Value::Object(map) = root { map } else { Map::new() };
        map.entry("schema_version").or_insert(6.into());
        map.insert("games".into(), games.into());
        map.insert("settings".into(), settings);
        Value::Object(map)
    })
}

fn ops() -> impl Strategy<Value = Vec<Op>> {
    let game = || {
        prop::collection::vec(("\\PC{0,8}", value()), 0..4).prop_map(|pairs| {
            let mut map: Map<String, Value> = pairs.into_iter().collect();
            map.insert("game_id".into(), "game-1".into());
            Arc::new(Game::from_json(&Value::Object(map).to_string()).expect("an object"))
        })
    };
    let list = prop::collection::vec(value(), 0..3);
    let op = prop_oneof![
        game().prop_map(Op::Put),
        (any::<Option<usize>>(), game()).prop_map(|(at, game)| Op::Add(at, game)),
        prop::collection::vec("\\PC{0,8}", 0..3).prop_map(Op::Remove),
        ("\\PC{0,8}", value()).prop_map(|(key, value)| Op::Section(key, value)),
        ("\\PC{0,8}", any::<usize>(), any::<usize>(), list)
            .prop_map(|(key, at, removed, inserted)| Op::Splice { key, at, removed, inserted }),
    ];
    prop::collection::vec(op, 0..4)
}

proptest! {
    #[test]
    fn any_bytes_are_a_library_or_none(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        if let Ok(state) = read_state(&bytes) {
            prop_assert_eq!(state.games.len(), 0, "no game is invented");
        }
    }

    #[test]
    fn whatever_is_read_is_written_and_read_the_same(library in library()) {
        if let Ok(state) = read_state(library.to_string().as_bytes()) {
            let mut written = Vec::new();
            write_state(&state, &mut written).expect("a sink that takes everything");
            let again = read_state(&written).expect("what was written is a library");
            prop_assert_eq!(text(&state), text(&again));
        }
    }

    #[test]
    fn any_bytes_are_a_log_or_none(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
        let (lines, whole) = line::split(&bytes);
        prop_assert!(whole <= bytes.len());
        for line in lines {
            prop_assert_eq!((line.header(), line.revision("L")), (None, None));
            prop_assert!(line.ops().is_none());
        }
    }

    #[test]
    fn every_line_reads_back_and_no_changed_byte_passes(
        ops in ops(),
        revision in any::<u64>(),
        at in any::<prop::sample::Index>(),
        flip in 1..=255_u8,
    ) {
        let written = line::text_of_line("L", revision, 0, &ops);
        let (lines, whole) = line::split(written.as_bytes());
        prop_assert_eq!((lines.len(), whole), (1, written.len()));
        prop_assert_eq!(lines[0].revision("L"), Some(revision));
        let read = lines[0].ops().expect("readable");
        prop_assert_eq!(format!("{read:?}"), format!("{ops:?}"));
        let mut bytes = written.into_bytes();
        let at = at.index(bytes.len() - 1);
        bytes[at] ^= flip;
        let (lines, _) = line::split(&bytes);
        // The same number in another case is not a change.
        let same = at < 8 && bytes[at].eq_ignore_ascii_case(&(bytes[at] ^ flip));
        let passes = lines.iter().any(|line| line.revision("L").is_some());
        prop_assert!(!passes || same, "byte {at}");
    }
}

const NAMES: [&str; 4] = ["Zero", "One", "Two", "Three"];

/// One game in the file, three in the log, and everything else a life leaves.
fn lived() -> TempDir {
    let folder = folder();
    let store = open(folder.path());
    for name in &NAMES[..2] {
        add(&store, name);
        store.fold_now().expect("folded");
    }
    for name in &NAMES[2..] {
        add(&store, name);
    }
    folder
}

/// Whether every game can be had, at once or by a recovery.
fn can_be_had(folder: &Path) -> bool {
    let have = |store: &Store| {
        let state = store.snapshot().ok();
        state.is_some_and(|state| state.games.iter().map(|game| game.name()).eq(NAMES))
    };
    let store = open(folder);
    if have(&store) || (store.recover(&Source::Backup).is_ok() && have(&store)) {
        return true;
    }
    let snapshots = store.recovery().snapshots;
    snapshots
        .into_iter()
        .any(|snapshot| store.recover(&Source::Snapshot(snapshot.name)).is_ok() && have(&store))
}

/// Damages one file of a copy at every `step`-th byte, by a bit and by a cut.
/// `check` also hears whether it was the end of a line that was changed.
fn damage(name: &str, step: usize, check: impl Fn(&Path, &str, bool)) {
    let folder = lived();
    let whole = std::fs::read(folder.path().join(name)).expect("read");
    for at in (0..whole.len()).step_by(step) {
        let mut flipped = whole.clone();
        flipped[at] ^= 1 << (at % 8);
        for (bytes, what) in [(&flipped[..], "a bit"), (&whole[..at], "a cut")] {
            let copy = crashed_copy(folder.path());
            put(&copy.path().join(name), bytes);
            check(copy.path(), &format!("{what} at byte {at} of {name}"), whole[at] == b'\n');
        }
    }
}

#[test]
fn a_damaged_file_costs_nothing_that_cannot_be_had_back() {
    damage("library.json", 3, |folder, point, _| {
        let bytes = std::fs::read(folder.join("library.json")).expect("read");
        let store = open(folder);
        if store.snapshot().is_err() {
            let after = std::fs::read(folder.join("library.json")).expect("read");
            assert!(bytes == after, "{point}: the damaged bytes stay");
        }
        store.close();
        drop(store);
        // A bit in a name makes another name, which no reader can distinguish from an edit by hand.
        assert!(can_be_had(folder) || can_be_had_but_for_words(folder), "{point}");
    });
    damage("library.json.bak", 3, |folder, point, _| {
        assert_eq!(names(&open(folder)), NAMES, "{point}");
    });
}

/// Whether all four games are there, some perhaps under another name.
fn can_be_had_but_for_words(folder: &Path) -> bool {
    let store = open(folder);
    store.snapshot().is_ok_and(|state| state.games.len() == NAMES.len())
}

#[test]
fn a_damaged_log_costs_the_damaged_lines_at_most() {
    damage("library.log", 1, |folder, point, joins| {
        let store = open(folder);
        let found = names(&store);
        assert!(
            found.len() >= 2 && found.iter().all(|name| NAMES.contains(&name.as_str())),
            "{point}: {found:?}"
        );
        assert_eq!(found[..2], NAMES[..2], "{point}: what was folded stays");
        // A line without its end takes the next one with it.
        let one_line = point.starts_with("a bit") && !joins;
        assert!(!one_line || found.len() >= 3, "{point}: {found:?}");
        add(&store, "New");
        assert_eq!(
            names(&open(crashed_copy(folder).path())).last().map(String::as_str),
            Some("New")
        );
    });
}
