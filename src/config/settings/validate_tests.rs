//! The check of a save: what is dropped, what depends on what, and the sentences.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::field_error::FieldError;
use super::read;
use super::setting::{Access, Writer};
use super::table::SETTINGS;
use super::validate::{Save, validate_posted};
use crate::config::{dotenv::tests::make_folder, environment::Environment};

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

fn save(posted: Value, stored: Value) -> Result<Save, FieldError> {
    validate_posted(&object(posted), &object(stored), &Environment::default())
}

/// Posts one value to a fresh library.
pub(super) fn post(key: &str, value: &Value) -> Result<Save, FieldError> {
    save(json!({ key: value }), json!({}))
}

#[test]
fn every_default_can_be_posted() {
    let save = save(Value::Object(read::defaults()), json!({})).expect("defaults are valid");
    for setting in SETTINGS.iter().filter(|row| row.writer == Writer::Settings) {
        if setting.access == Access::Public {
            assert_eq!(save.changes[setting.key], setting.default.value(), "{}", setting.key);
        } else {
            assert!(!save.changes.contains_key(setting.key), "{}", setting.key);
        }
    }
}

#[test]
fn what_nobody_may_post_is_dropped_by_name() {
    let posted = json!({
        "unknown": 1, "webhooks": [], "museum_kiosk_pin_hash": "x", "scrape_after_import": false,
        "version": "9", "libserver_password_set": true, "last_auto_backup": "x", "theme": "t",
        "overlay_enabled": true,
    });
    let save = save(posted, json!({})).expect("the rest is valid");
    assert_eq!(Value::Object(save.changes), json!({"overlay_enabled": true}));
    let expected = [
        "last_auto_backup",
        "libserver_password_set",
        "museum_kiosk_pin_hash",
        "scrape_after_import",
        "theme",
        "unknown",
        "version",
        "webhooks",
    ];
    assert_eq!(save.dropped, expected);
}

#[test]
fn one_refused_value_aborts_the_whole_save() {
    let error = save(json!({"overlay_enabled": true, "save_backup_limit": 501}), json!({}));
    let error = error.expect_err("one past the edge");
    assert_eq!(error.to_string(), "Save backup limit must be between 0 and 500.");
}

#[test]
fn the_contract_fixes_these_sentences() {
    for (key, value, sentence) in [
        ("watch_folders", json!("x"), "Watch folders must be a list of at most 50 paths."),
        ("watch_folders", json!(["/no/such"]), "Watch folder does not exist: /no/such"),
        (
            "screensaver_seconds",
            json!(29),
            "Screensaver delay must be 0 or between 30 and 3600 seconds.",
        ),
        (
            "controller_map",
            json!({"play": 32}),
            "Controller button mappings must use buttons 0 through 31.",
        ),
        ("cloud_folder", json!("/no/such"), "Cloud sync folder does not exist: /no/such"),
        ("image_group", json!("default"), "Unknown default image group."),
        ("badge_visibility", json!(["x"]), "Badge visibility must contain known badge names."),
        ("save_backup_limit", json!(-1), "Save backup limit must be between 0 and 500."),
        ("media_download_limit", json!("x"), "Media download limit must be between 0 and 10000."),
        ("state_retention", json!(0), "Resume state retention must be between 1 and 20."),
        ("region_priority", json!([]), "Region priority must be a non-empty list."),
        ("video_priority", json!(["x"]), "Invalid video priority list."),
        ("tracking_mode", json!("x"), "Unknown tracking mode."),
        ("tracking_delay", json!(601), "Tracking delay must be between 0 and 600 seconds."),
        (
            "tracking_frequency",
            json!(0.4),
            "Tracking frequency must be between 0.5 and 60 seconds.",
        ),
        ("apply_perf", json!("x"), "Apply performance limits must be off, auto, or always."),
        ("party_players", json!(9), "Party players must be between 2 and 8."),
        (
            "library_music",
            json!("/no.mp3"),
            "Library music path must point to an existing audio file.",
        ),
        ("memories_import_roots", json!(1), "Memory roots must be a list of at most 32 paths."),
        ("memories_import_roots", json!(["/no/such"]), "Memory root does not exist: /no/such"),
        (
            "auto_import_media_types",
            json!(["x"]),
            "Auto-import media types include an unknown media type.",
        ),
        ("progress_on_first_play", json!("x"), "Unknown progress value for first play."),
        (
            "progress_automation_play_minutes",
            json!(-1),
            "Progress automation play minutes must be between 0 and 100000.",
        ),
        (
            "progress_automation_idle_days",
            json!(3651),
            "Progress automation idle days must be between 0 and 3650.",
        ),
        (
            "startup_commands",
            json!("x"),
            "Application commands must be a list of at most 25 entries.",
        ),
        ("locale", json!("it"), "Locale must be en, es, de, fr, or pt."),
        ("overlay_enabled", json!(1), "Performance overlay must be true or false."),
    ] {
        let error = post(key, &value).expect_err(key);
        assert_eq!(error.to_string(), sentence);
    }
}

#[test]
fn a_blank_password_keeps_the_stored_one_and_null_clears_it() {
    for key in ["libserver_password", "recorder_ws_password"] {
        let stored = json!({ key: "old" });
        for (posted, expected) in [
            (json!(""), None),
            (json!("  "), None),
            (json!(null), Some("")),
            (json!("new"), Some("new")),
        ] {
            let save = save(json!({ key: posted }), stored.clone()).expect("valid");
            assert_eq!(save.changes.get(key).and_then(Value::as_str), expected, "{key}");
        }
    }
}

#[test]
fn a_stored_folder_that_vanished_does_not_block_a_save() {
    let root = tempfile::tempdir().expect("temporary folder");
    let here = root.path().display().to_string();
    let stored = json!({
        "watch_folders": ["/no/such"], "cloud_folder": "/no/cloud", "library_music": "/no/a.mp3",
    });
    for posted in [
        json!({"overlay_enabled": true}),
        json!({"watch_folders": ["/no/such", here]}),
        json!({"cloud_folder": "/no/cloud", "library_music": "/no/a.mp3"}),
    ] {
        assert!(save(posted.clone(), stored.clone()).is_ok(), "{posted}");
    }
    assert!(save(json!({"watch_folders": ["/no/other"]}), stored).is_err());
}

#[test]
fn a_home_path_is_stored_absolute() {
    let root = tempfile::tempdir().expect("temporary folder");
    make_folder(&root.path().join("roms"));
    let environment = Environment::from_process([("HOME", root.path())]);
    let posted = object(json!({"watch_folders": ["~/roms"], "cloud_folder": "~"}));
    let save = validate_posted(&posted, &Map::new(), &environment).expect("valid");
    let at = root.path().display().to_string();
    assert_eq!(save.changes["watch_folders"], json!([format!("{at}/roms")]));
    assert_eq!(save.changes["cloud_folder"], json!(at));
}

#[test]
fn plain_http_needs_permission_and_a_stored_address_stays() {
    let environment = Environment::from_process([("SERVICE_ALLOW_HTTP_LIBSERVER", "1")]);
    let posted = object(json!({"libserver_url": "http://nas:8080"}));
    assert!(validate_posted(&posted, &Map::new(), &environment).is_ok());
    assert!(
        save(json!({"libserver_url": "http://nas"}), json!({"libserver_url": "http://nas"}))
            .is_ok()
    );
    let error = post("libserver_url", &json!("http://nas")).expect_err("plain http");
    assert!(error.to_string().contains("SERVICE_ALLOW_HTTP_LIBSERVER=1"));
}

#[test]
fn the_compositor_preset_follows_the_custom_presets() {
    let posted =
        json!({"compositor_custom_presets": [{"name": "Mine"}], "compositor_preset": "mine"});
    let saved = save(posted, json!({})).expect("valid");
    assert_eq!(saved.changes["compositor_preset"], "Mine");
    let stored =
        json!({"compositor_custom_presets": [{"name": "Mine"}], "compositor_preset": "Mine"});
    let saved = save(json!({"compositor_custom_presets": []}), stored.clone()).expect("valid");
    assert_eq!(saved.changes["compositor_preset"], "");
    let saved = save(json!({"compositor_preset": "Mine"}), stored.clone()).expect("valid");
    assert_eq!(saved.changes["compositor_preset"], "Mine");
    assert!(save(json!({"compositor_preset": "Yours"}), stored).is_err());
}

#[test]
fn mood_match_in_bigscreen_needs_mood_match() {
    let child = |posted: Value, stored: Value| {
        save(posted, stored).expect("valid").changes.get("mood_match_bigscreen").cloned()
    };
    let both = json!({"mood_match_enabled": true, "mood_match_bigscreen": true});
    assert_eq!(child(json!({"mood_match_bigscreen": true}), json!({})), Some(json!(false)));
    assert_eq!(child(both.clone(), json!({})), Some(json!(true)));
    assert_eq!(child(json!({"mood_match_enabled": false}), both), Some(json!(false)));
    let parent = json!({"mood_match_enabled": true});
    assert_eq!(child(json!({"mood_match_bigscreen": true}), parent), Some(json!(true)));
}

#[test]
fn the_party_index_stays_inside_the_queue() {
    let stored = json!({"party_queue": ["a", "b", "c"], "party_index": 2});
    let index = |posted: Value| {
        save(posted, stored.clone()).expect("valid").changes.get("party_index").cloned()
    };
    assert_eq!(index(json!({"party_index": 3})), Some(json!(2)));
    assert_eq!(index(json!({"party_index": 1})), Some(json!(1)));
    assert_eq!(index(json!({"party_queue": ["a"]})), Some(json!(0)));
    assert_eq!(index(json!({"party_queue": ["a", "b", "c"]})), None);
    assert_eq!(index(json!({"party_queue": []})), Some(json!(0)));
}

/// Any JSON, with texts and numbers that come near what settings accept.
fn any_json() -> impl Strategy<Value = Value> {
    let text = prop_oneof![
        Just("cover"),
        Just("handheld"),
        Just("Playing"),
        Just("https://host/"),
        Just("ws://h"),
        Just("/"),
        Just("~"),
        Just(" x "),
        Just("name"),
        Just("play"),
        Just(""),
        Just("\0"),
    ];
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-40_i64..4000).prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        text.prop_map(Value::from),
        ".{0,40}".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 6, |inner| {
        let key =
            prop_oneof![Just("name"), Just("options"), Just("play"), Just("store_a"), Just("NES")];
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            proptest::collection::btree_map(key, inner, 0..4).prop_map(|map| {
                map.into_iter().map(|(key, value)| (key.to_owned(), value)).collect()
            }),
        ]
    })
}

proptest! {
    #[test]
    fn an_accepted_value_is_accepted_again_unchanged(value in any_json()) {
        for setting in SETTINGS {
            let Ok(first) = post(setting.key, &value) else { continue };
            let stored = Value::Object(first.changes.clone());
            let again = save(stored.clone(), stored).expect("a normalised value is valid");
            for (key, value) in &again.changes {
                prop_assert_eq!(first.changes.get(key), Some(value), "{}", key);
            }
        }
    }

    #[test]
    fn an_accepted_value_reads_back_as_it_was_stored(value in any_json()) {
        for setting in SETTINGS {
            let Ok(first) = post(setting.key, &value) else { continue };
            for (key, value) in &first.changes {
                prop_assert_eq!(&read::value(&first.changes, key), value, "{}", key);
            }
        }
    }
}

#[test]
fn catalogue_sync_needs_its_folder() {
    let folder = std::env::temp_dir();
    for (posted, stored, is_refused) in [
        (json!({"library_sync_enabled": true}), json!({}), true),
        (
            json!({"library_sync_enabled": true, "cloud_folder": ""}),
            json!({"cloud_folder": folder}),
            true,
        ),
        (
            json!({"cloud_folder": ""}),
            json!({"library_sync_enabled": true, "cloud_folder": folder}),
            true,
        ),
        (json!({"library_sync_enabled": true, "cloud_folder": folder}), json!({}), false),
        (json!({"library_sync_enabled": true}), json!({"cloud_folder": folder}), false),
        (json!({"library_sync_enabled": false}), json!({}), false),
        (json!({"locale": "de"}), json!({"library_sync_enabled": true}), false),
    ] {
        let saved = save(posted.clone(), stored);
        let told = saved.err().map(|error| error.to_string());
        let expected =
            is_refused.then(|| "Configure a mounted cloud sync folder first.".to_owned());
        assert_eq!(told, expected, "{posted}");
    }
}
