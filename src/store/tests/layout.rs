//! The accepted layouts of a library file, and their results.

use std::os::unix::fs::PermissionsExt as _;

use serde_json::json;

use super::*;
use crate::store::{
    document::read_document,
    error::{Flaw, Unavailable},
    render::write_library,
};

#[track_caller]
fn check_corrupt(bytes: &[u8], expected: &Flaw) {
    let folder = folder();
    put(&folder.path().join("library.json"), bytes);
    let store = open(folder.path());
    match store.snapshot() {
        Err(Unavailable::Corrupt(flaw)) => {
            let same = std::mem::discriminant(&flaw) == std::mem::discriminant(expected);
            assert!(same, "{flaw:?} is not {expected:?}");
        }
        other => panic!("{:?}", other.map(|state| state.revision)),
    }
    assert!(store.commit(|draft| draft.add_game(record(json!({"name": "x"})))).is_err());
    store.close();
    let left = std::fs::read(folder.path().join("library.json")).expect("read");
    assert_eq!(left, bytes, "a damaged file is never written over");
}

#[test]
fn what_cannot_be_a_library_is_corrupt_and_left_alone() {
    check_corrupt(b"", &Flaw::NotJson(String::new()));
    check_corrupt(b"{\"games\":[]", &Flaw::NotJson(String::new()));
    check_corrupt(b"\xff{}", &Flaw::NotText);
    check_corrupt(b"5", &Flaw::NotALibrary);
    check_corrupt(b"\"x\"", &Flaw::NotALibrary);
    check_corrupt(b"null", &Flaw::NotALibrary);
    for version in ["0", "7", "-1", "\"6\"", "6.5", "null", "true"] {
        let text = format!("{{\"schema_version\":{version},\"games\":[]}}");
        check_corrupt(text.as_bytes(), &Flaw::Version(version.to_owned()));
    }
    check_corrupt(b"{\"schema_version\":6,\"games\":{}}", &Flaw::NoGames);
    check_corrupt(b"{\"schema_version\":6,\"games\":null}", &Flaw::NoGames);
    check_corrupt(b"{\"schema_version\":6,\"games\":[{},5]}", &Flaw::NotAGame(1));
    check_corrupt(b"[{}, []]", &Flaw::NotAGame(1));
}

/// A file of an older version or from somewhere else, and the sections it becomes.
#[track_caller]
fn check_upgrade(before: &str, after: &str) {
    let folder = folder();
    put(&folder.path().join("library.json"), before);
    let store = open(folder.path());
    store.close();
    let library = std::fs::read(folder.path().join("library.json")).expect("read");
    let mut library: Value = serde_json::from_slice(&library).expect("JSON");
    let object = library.as_object_mut().expect("an object");
    assert!(object.remove("lineage").is_some_and(|lineage| lineage.as_str().is_some()));
    assert!(object.remove("revision").is_some());
    let expected: Value = serde_json::from_str(after).expect("JSON");
    assert_eq!(library, expected, "{library:#}");
    let kept = names_in(&folder.path().join("library.json.snapshots"));
    let original = folder.path().join("library.json.snapshots").join(&kept[0]);
    assert_eq!(std::fs::read_to_string(original).expect("read"), before);
}

#[test]
fn older_files_are_brought_up_to_date_and_the_original_is_kept() {
    check_upgrade(include_str!("golden/v1.json"), include_str!("golden/v1.after.json"));
    check_upgrade(include_str!("golden/v3.json"), include_str!("golden/v3.after.json"));
    check_upgrade(include_str!("golden/v6.json"), include_str!("golden/v6.after.json"));
}

#[test]
fn numbers_and_texts_survive_any_number_of_loads() {
    let odd = r#"[0.30000000000000004,1e300,-1.7976931348623157e308,5e-324,18446744073709551615,-9223372036854775808,"\u0000\ud83c\udfae\u2028"]"#;
    let folder = folder();
    let library = folder.path().join("library.json");
    put(&library, format!(r#"{{"schema_version":6,"games":[{{"odd":{odd}}}],"odd":{odd}}}"#));
    let expected: Value = serde_json::from_str(odd).expect("JSON");
    for round in 0..3 {
        let store = open(folder.path());
        add(&store, &format!("{round}"));
        store.close();
        let written: Value =
            serde_json::from_slice(&std::fs::read(&library).expect("read")).expect("JSON");
        assert_eq!((&written["odd"], &written["games"][0]["odd"]), (&expected, &expected));
    }
}

#[test]
fn long_lists_keep_their_newest_entries() {
    let folder = folder();
    let history: Vec<usize> = (0..600).collect();
    let library = json!({"schema_version": 6, "games": [], "history": history.clone(),
        "queue": history.clone(), "notifications": history});
    put(&folder.path().join("library.json"), library.to_string());
    let state = open(folder.path()).snapshot().expect("available");
    let ends = |key: &str| {
        let list = state.section(key).as_array().expect("a list");
        (list.len(), list[0].as_u64(), list[list.len() - 1].as_u64())
    };
    assert_eq!(ends("history"), (600, Some(0), Some(599)), "it is archived, not cut");
    assert_eq!(ends("queue"), (500, Some(0), Some(499)));
    assert_eq!(ends("notifications"), (200, Some(0), Some(199)));
}

#[test]
fn only_the_owner_may_read_what_is_written() {
    let folder = folder();
    let store = open(folder.path());
    add(&store, "One");
    store.close();
    for name in names_in(folder.path()) {
        let stat = std::fs::metadata(folder.path().join(&name)).expect("there");
        let mode = stat.permissions().mode() & 0o777;
        assert_eq!(mode, if stat.is_dir() { 0o700 } else { 0o600 }, "{name}");
    }
}

fn large(count: usize) -> Vec<u8> {
    let mut library = Vec::new();
    let folder = folder();
    let store = open(folder.path());
    store
        .commit(|draft| {
            for number in 0..count {
                let name = format!("Spiel {number} \u{e4}\u{1f3ae} \"quoted\"\n");
                let path = format!("/roms/{number}");
                draft
                    .add_game(record(json!({"name": name, "path": path, "future": {"n": 1.1}})))?;
            }
            draft.set_section("future", json!({"games": ["]", "},\n{"]}));
            Ok::<_, crate::model::draft::DraftError>(())
        })
        .expect("committed");
    let state = store.snapshot().expect("available");
    write_library(&state, "L", &mut library).expect("written");
    library
}

#[test]
fn every_layout_of_a_large_library_reads_the_same() {
    let compact = large(20_000);
    let value: Value = serde_json::from_slice(&compact).expect("JSON");
    let layouts = [
        compact.clone(),
        value.to_string().into_bytes(),
        serde_json::to_vec_pretty(&value).expect("JSON"),
        String::from_utf8(compact).expect("text").replace('\n', "\r\n").into_bytes(),
    ];
    let read = |bytes: &[u8]| read_document(bytes).expect("readable");
    let first = read(&layouts[0]);
    assert_eq!((first.state.games.len(), first.repairs), (20_000, 0));
    let expected = text(&first.state);
    for layout in &layouts[1..] {
        let document = read(layout);
        assert_eq!(document.lineage.as_deref(), Some("L"));
        assert!(text(&document.state) == expected, "another layout, another library");
    }
}

#[test]
fn halves_of_surrogate_pairs_that_stand_alone_are_replaced() {
    let read = |text: &str| read_document(text.as_bytes());
    let empty = read(r#"{"schema_version":6,"games":[]}"#).expect("readable").repairs;
    for (written, expected, repairs) in [
        (r"Gr\udcf6\udcdfe", "Gr\u{fffd}\u{fffd}e", 1),
        (r"\ud83d", "\u{fffd}", 1),
        (r"\uD83D\ud83D\uDE00 \uDE00\n.", "\u{fffd}\u{1f600} \u{fffd}\n.", 1),
        (r"\ud83dx\\udcf6ü\u0041", "\u{fffd}x\\udcf6üA", 1),
        (r"\\\udcf6\\", "\\\u{fffd}\\", 1),
        (r"\\udcf6\ud83d\ude00", "\\udcf6\u{1f600}", 0),
    ] {
        let game = format!(r#"{{"game_id":"a","name":"A","path":"/{written}"}}"#);
        for text in [
            format!(r#"{{"schema_version":6,"games":[{game}]}}"#),
            format!("{{\"schema_version\":6,\"games\":[\n{game}\n]}}\n"),
        ] {
            let document = read(&text).expect("readable");
            let (_, game) = document.state.games.find("a").expect("there");
            assert_eq!(
                (game.path(), document.repairs - empty),
                (&*format!("/{expected}"), repairs),
                "{text}"
            );
        }
    }
    let section = r#"{"schema_version":6,"games":[],"settings":{"folder \udcf6":"\udcf6"}}"#;
    let settings = read(section).expect("readable").state.section("settings").clone();
    assert_eq!(settings["folder \u{fffd}"], "\u{fffd}");
    // What is damaged otherwise is damaged with them as well.
    for damaged in [r#"{"games":[{"name":"\udcf6"},5]}"#, r#"{"games":[{"name":"\udcf6"#, r"\"] {
        assert!(read(damaged).is_err(), "{damaged}");
    }
}

#[test]
fn a_file_with_halves_of_surrogate_pairs_is_kept_and_written_anew() {
    let folder = folder();
    let text = r#"{"schema_version":6,"games":[{"name":"A","path":"/Gr\udcf6.nes"},{"name":"B"}]}"#;
    put(&folder.path().join("library.json"), text);
    let store = open(folder.path());
    assert_eq!(store.snapshot().expect("a library").games.len(), 2);
    store.close();
    let library = std::fs::read(folder.path().join("library.json")).expect("read");
    let document = read_document(&library).expect("readable");
    assert_eq!((document.state.games.len(), document.repairs), (2, 0));
}

#[test]
fn a_damaged_line_of_a_large_library_names_its_game() {
    let mut compact = large(2_500);
    let lines: Vec<usize> =
        compact.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at).collect();
    compact[lines[2_000] + 1] = b'[';
    let flaw = read_document(&compact).map(|document| document.repairs).expect_err("damaged");
    assert!(matches!(flaw, Flaw::NotJson(_) | Flaw::NotAGame(2_000)), "{flaw:?}");
}
