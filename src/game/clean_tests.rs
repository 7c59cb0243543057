//! Tables over every rule of a posted game, at its edge and one past it.

use serde_json::{Value, json};

use super::clean::{Facts, InputError, Paths, clean_game};
use crate::model::{
    Record,
    fields::{PROGRESS, SAVE_SYNC},
};

/// Everything below `/ok` is a fine game, everything below `/media` a fine picture.
struct Disk;

impl Paths for Disk {
    fn game_file(&self, path: &str) -> Result<String, InputError> {
        if path.starts_with("/ok") { Ok(path.to_owned()) } else { refuse("bad path") }
    }

    fn media_file(&self, path: &str) -> Result<String, InputError> {
        if path.starts_with("/media/") { Ok(path.to_owned()) } else { refuse("bad media") }
    }

    fn document_file(&self, path: &str, game: &str) -> Result<(), InputError> {
        let fine = !path.starts_with("/etc/") || game == "/ok/etc";
        if fine { Ok(()) } else { refuse("bad document").map(drop) }
    }

    fn absolute(&self, path: &str) -> Result<String, InputError> {
        if path.starts_with('/') { Ok(path.to_owned()) } else { refuse("relative") }
    }
}

fn clean(posted: &Value, stored: Option<&Value>) -> Result<Value, String> {
    let stored: Option<Record> =
        stored.map(|stored| serde_json::from_value(stored.clone()).expect("an object"));
    let defined = [json!({"name": "Shelf", "options": ["A"]})];
    let facts = Facts { stored: stored.as_ref(), custom_fields: &defined, now: "NOW" };
    let posted = posted.as_object().expect("an object");
    clean_game(posted, &facts, &Disk).map(Value::Object).map_err(|error| error.0)
}

fn refuse(text: &str) -> Result<String, InputError> {
    Err(InputError(text.to_owned()))
}

/// Posts one field besides a good name and path and reads it back.
#[track_caller]
fn stores(key: &str, value: Value, expected: Value) {
    let mut posted = json!({"name": "A", "path": "/ok"});
    posted[key] = value;
    assert_eq!(clean(&posted, None).map(|game| game[key].clone()), Ok(expected), "{key}");
}

#[track_caller]
fn refuses(key: &str, value: Value, expected: &str) {
    let mut posted = json!({"name": "A", "path": "/ok"});
    posted[key] = value;
    assert_eq!(clean(&posted, None), Err(expected.to_owned()), "{key}");
}

#[test]
fn name_and_path_are_required() {
    assert_eq!(clean(&json!({}), None), Err("Name is required.".to_owned()));
    assert_eq!(clean(&json!({"name": "  "}), None), Err("Name is required.".to_owned()));
    assert_eq!(clean(&json!({"name": "A"}), None), Err("Path is required.".to_owned()));
    refuses("name", json!(["A"]), "Name must be text.");
    refuses("path", json!("/gone"), "bad path");
    stores("name", json!("  A b "), json!("A b"));
}

#[test]
fn an_update_keeps_an_unchanged_path_and_shelf_entries_need_none() {
    let stored = json!({"path": "/unmounted/a.nes"});
    assert!(clean(&json!({"name": "A"}), Some(&stored)).is_ok());
    assert!(clean(&json!({"name": "A", "path": "/unmounted/a.nes"}), Some(&stored)).is_ok());
    assert!(clean(&json!({"name": "A", "path": "/gone"}), Some(&stored)).is_err());
    assert_eq!(
        clean(&json!({"name": "A", "path": ""}), Some(&stored)),
        Err("Path is required.".to_owned())
    );
    let shelf = json!({"manual_entry": true, "path": ""});
    assert!(clean(&json!({"name": "A", "path": ""}), Some(&shelf)).is_ok());
}

#[test]
fn numbers_hold_their_bounds() {
    for good in [json!(0), json!(5), json!(2.5), json!("4.5")] {
        assert!(clean(&json!({"name": "A", "path": "/ok", "rating": good}), None).is_ok());
    }
    stores("rating", json!(""), json!(""));
    refuses("rating", json!(5.01), "Rating must be between 0 and 5.");
    refuses("rating", json!(-0.1), "Rating must be between 0 and 5.");
    refuses("rating", json!("x"), "Rating must be a number from 0 to 5.");
    refuses("rating", json!("nan"), "Rating must be a number from 0 to 5.");
    refuses("rating", json!(true), "Rating must be a number from 0 to 5.");
    stores("disc_count", json!(0), json!(0));
    stores("disc_count", json!("2"), json!(2));
    stores("disc_count", json!(-1), json!(0));
    refuses("disc_count", json!(1.5), "Disc count must be a number.");
}

#[test]
fn progress_and_overlay_are_among_the_known_values() {
    for known in PROGRESS {
        stores("progress", json!(known), json!(known));
    }
    stores("progress", json!("Unplayed"), json!(""));
    for known in ["", "inherit", "on", "off"] {
        stores("overlay", json!(known), json!(known));
    }
    stores("overlay", json!(null), json!(""));
    refuses("overlay", json!("On"), "Overlay must be inherit, on or off.");
    for known in SAVE_SYNC {
        stores("save_sync", json!(known), json!(known));
    }
    stores("save_sync", json!(null), json!(""));
    refuses("save_sync", json!("yes"), "Shared saves must be on, off or empty.");
    refuses("progress", json!("playing"), "Unknown progress value.");
    refuses("progress", json!(3), "Unknown progress value.");
}

#[test]
fn lists_hold_their_caps() {
    let paths = |count: usize| (0..count).map(|n| format!("/s/{n}")).collect::<Vec<_>>();
    stores("save_paths", json!(paths(50)), json!(paths(50)));
    refuses("save_paths", json!(paths(51)), "Save paths are limited to 50 entries.");
    refuses("save_paths", json!("x"), "Save paths must be a list.");
    let shots = |count: usize| (0..count).map(|n| format!("/media/{n}")).collect::<Vec<_>>();
    stores("screenshots", json!(shots(100)), json!(shots(100)));
    refuses("screenshots", json!(shots(101)), "Screenshots are limited to 100 entries.");
    refuses("screenshots", json!({}), "Screenshots must be a list.");
    refuses("screenshots", json!(["/etc/passwd"]), "bad media");
    let names = |count: usize| (0..count).map(|n| format!("N{n}")).collect::<Vec<_>>();
    stores("alternate_names", json!(names(20)), json!(names(20)));
    refuses("alternate_names", json!(names(21)), "Alternate names are limited to 20 entries.");
    stores("alternate_names", json!(" a ; b;a;; "), json!(["a", "b"]));
    let extras = |count: usize| (0..count).map(|n| json!({"path": format!("/e/{n}")})).collect();
    for key in ["applications", "versions", "documents"] {
        let extras: fn(usize) -> Vec<Value> = extras;
        assert!(clean(&json!({"name": "A", "path": "/ok", key: extras(100)}), None).is_ok());
        refuses(key, json!(extras(101)), "Game extras are limited to 100 entries.");
        refuses(key, json!("x"), "Game extras must be a list.");
        refuses(key, json!([{"name": "n"}]), "Each game extra needs a path.");
    }
}

#[test]
fn extras_are_named_after_their_file() {
    stores(
        "versions",
        json!([{"path": "/a/Game v1.1.zip", "command": "run {path}", "odd": 1}]),
        json!([{"name": "Game v1.1", "path": "/a/Game v1.1.zip", "command": "run {path}"}]),
    );
    stores(
        "documents",
        json!([{"path": "/a/.hidden", "name": " Map ", "command": "x"}]),
        json!([{"name": "Map", "path": "/a/.hidden"}]),
    );
}

#[test]
fn new_documents_lie_in_approved_folders() {
    let post = |path: &str| json!({"name": "A", "path": path, "documents": [{"path": "/etc/d"}]});
    assert_eq!(clean(&post("/ok/game"), None), Err("bad document".to_owned()));
    assert!(clean(&post("/ok/etc"), None).is_ok());
    assert!(clean(&post("/ok/game"), Some(&post("/ok/game"))).is_ok());
}

#[test]
fn notes_and_custom_fields_take_their_stored_form() {
    stores("notes", json!("hello"), json!([{"ts": "NOW", "text": "hello"}]));
    stores("notes", json!(" "), json!([]));
    stores("notes", json!([{"ts": "T", "text": "x"}]), json!([{"ts": "T", "text": "x"}]));
    let long = "n".repeat(2_000);
    stores("notes", json!([{"text": long}]), json!([{"ts": "NOW", "text": long}]));
    refuses("notes", json!("n".repeat(2_001)), "Notes are limited to 2000 characters.");
    refuses("notes", json!([{"text": " "}]), "Each note needs a text.");
    stores("custom_fields", json!({"Shelf": "B", "Other": 1}), json!({"Shelf": "B"}));
    refuses("custom_fields", json!([]), "Custom fields must be an object.");
}

#[test]
fn flags_and_text_hold_their_type() {
    stores("hidden", json!(true), json!(true));
    stores("hidden", json!(null), json!(false));
    refuses("hidden", json!("yes"), "Hidden must be true or false.");
    refuses("sort_title", json!({}), "Sort title must be text.");
    refuses("genre", json!("a\0b"), "Genre must not contain a NUL character.");
    stores("year", json!(1991), json!("1991"));
}

#[test]
fn a_missing_key_leaves_the_field_alone() {
    let clean = clean(&json!({"name": "A", "path": "/ok", "odd": 1}), None).expect("fine");
    assert_eq!(clean, json!({"name": "A", "path": "/ok"}));
}

#[test]
fn a_new_video_fills_an_empty_snap() {
    stores("video_snap", json!(""), json!(""));
    let game = clean(&json!({"name": "A", "path": "/ok", "video": "/media/v"}), None);
    assert_eq!(game.expect("fine")["video_snap"], "/media/v");
    let stored = json!({"path": "/ok", "video_snap": "/media/s"});
    let game = clean(&json!({"name": "A", "video": "/media/v"}), Some(&stored)).expect("fine");
    assert_eq!(game.get("video_snap"), None);
}
