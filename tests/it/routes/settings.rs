//! `GET` and `POST /api/settings`, with their bounds and messages.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const SETTINGS: &str = "/api/settings";

/// What the settings are before anybody saves one.
const DEFAULTS: &str = r#"{
    "watch_folders": [], "screensaver_seconds": 90, "attract_mode_seconds": 90,
    "controller_map": {}, "compositor_preset": "", "overlay_enabled": false,
    "compositor_custom_presets": [], "list_sort": "", "list_sort_dir": "",
    "show_insights": true, "locale": "en", "progress_automation_enabled": false,
    "progress_automation_play_minutes": 30, "progress_automation_idle_days": 30,
    "progress_on_first_play": "Playing", "welcome_completed": false,
    "backlog_progress_suggest": true, "image_group": "cover", "cloud_folder": "",
    "library_sync_enabled": false, "media_download_limit": 0,
    "auto_import_media_types": ["background", "cover", "screenshots"],
    "video_bgm_mix": false, "bigscreen_mode": "stage", "bigscreen_start_at_launch": false,
    "startup_commands": [], "shutdown_commands": [], "track_session_history": true,
    "backup_on_close": false, "save_backup_limit": 10, "backup_auto_enabled": false,
    "backup_auto_keep": 4, "quick_resume_enabled": true, "session_recap_enabled": true,
    "state_retention": 1, "memories_import_roots": [], "artgrid_enabled": true,
    "recorder_ws_timeout": 5.0, "recorder_auto_attach": true, "health_rescan": "weekly",
    "party_queue": [], "party_players": 2, "party_index": 0, "tracking_mode": "default",
    "tracking_delay": 0, "tracking_frequency": 2.0, "apply_perf": "auto",
    "dynamic_play_button": true, "custom_field_defs": [], "library_view": "grid",
    "tray_enabled": false, "minimize_to_tray": false, "webhook_attempts": 3,
    "webhook_timeout": 5, "libserver_url": "", "scrape_after_import": true,
    "premium_features_free": true, "safe_mode": false, "bundle": false,
    "badge_visibility": ["favorite", "installed", "saves", "documents", "progress",
        "storefront", "achievements", "rating"]
}"#;

/// Settings with values that are accepted, values that are refused, and what the refusal says where
/// its message is fixed.
const RANGES: &str = r#"[
    ["screensaver_seconds", [0, 30, 3600], [-1, 1, 29, 3601],
        "Screensaver delay must be 0 or between 30 and 3600 seconds."],
    ["progress_automation_play_minutes", [0, 100000], [-1, 100001],
        "Progress automation play minutes must be between 0 and 100000."],
    ["progress_automation_idle_days", [0, 3650], [-1, 3651],
        "Progress automation idle days must be between 0 and 3650."],
    ["media_download_limit", [0, 10000], [-1, 10001],
        "Media download limit must be between 0 and 10000."],
    ["save_backup_limit", [0, 500], [-1, 501], "Save backup limit must be between 0 and 500."],
    ["backup_auto_keep", [1, 52], [0, 53], ""],
    ["state_retention", [1, 20], [0, 21], "Resume state retention must be between 1 and 20."],
    ["party_players", [2, 8], [1, 9], "Party players must be between 2 and 8."],
    ["tracking_delay", [0, 600], [-1, 601],
        "Tracking delay must be between 0 and 600 seconds."],
    ["tracking_frequency", [0.5, 60.0], [0.4, 60.5],
        "Tracking frequency must be between 0.5 and 60 seconds."],
    ["tracking_mode", ["folder", "default"], ["magic", 1], "Unknown tracking mode."],
    ["apply_perf", ["off", "always"], ["maybe"],
        "Apply performance limits must be off, auto, or always."],
    ["locale", ["pt", "de"], ["xx", 5], ""],
    ["bigscreen_mode", ["coverflow"], ["cinema"], ""],
    ["image_group", ["box_3d"], ["default"], "Unknown default image group."],
    ["progress_on_first_play", ["Paused", ""], ["Started"],
        "Unknown progress value for first play."],
    ["auto_import_media_types", [["cover", "music"]], [["cover", "smell"]],
        "Auto-import media types include an unknown media type."],
    ["region_priority", [["Japan", "World"]], [[], "Japan"],
        "Region priority must be a non-empty list."],
    ["badge_visibility", [["favorite"], []], [["favorite", "shiny"]],
        "Badge visibility must contain known badge names."]
]"#;

#[track_caller]
fn accepts(server: &Server, key: &str, value: &Value) {
    let answer = server.send(&Request::post(SETTINGS, &json!({key: value})));
    assert_eq!(answer.expect(200).json()[key], *value, "{key}");
    assert_eq!(server.get(SETTINGS)[key], *value, "{key} read again");
}

#[track_caller]
fn refuses(server: &Server, key: &str, value: &Value, message: &str) {
    let before = server.get(SETTINGS);
    // A good value next to the bad one: the whole save is refused.
    let body = json!({key: value, "welcome_completed": before["welcome_completed"] == false});
    let answer = server.send(&Request::post(SETTINGS, &body)).expect(400).json();
    assert_eq!(answer["code"], "BAD_REQUEST", "{key}: {answer}");
    let error = answer["error"].as_str().unwrap_or_default();
    assert!(!error.is_empty() && (message.is_empty() || error == message), "{key}: {error}");
    assert_eq!(server.get(SETTINGS), before, "{key}: a refused save changed something");
}

#[test]
fn defaults_are_those_of_the_contract() {
    let server = Server::start();
    let settings = server.get(SETTINGS);
    let expected: Value = serde_json::from_str(DEFAULTS).unwrap();
    for (key, value) in expected.as_object().unwrap() {
        let same = match (value.as_f64(), settings[key].as_f64()) {
            (Some(expected), Some(shown)) => expected.total_cmp(&shown).is_eq(),
            _ => *value == settings[key],
        };
        assert!(same, "{key}: {} instead of {value}", settings[key]);
    }
    assert!(settings["version"].is_string() && settings["save_tools"].is_object(), "{settings}");
    for secret in
        ["libserver_password", "recorder_ws_password", "museum_kiosk_pin_hash", "webhooks"]
    {
        assert!(settings.get(secret).is_none(), "{secret} is shown");
    }
}

#[test]
fn both_edges_of_every_range_hold() {
    let server = Server::start();
    let ranges: Vec<(String, Vec<Value>, Vec<Value>, String)> =
        serde_json::from_str(RANGES).unwrap();
    for (key, good, bad, message) in &ranges {
        for value in good {
            accepts(&server, key, value);
        }
        for value in bad {
            refuses(&server, key, value, message);
        }
    }
}

#[test]
fn folders_and_files_must_exist() {
    let server = Server::start();
    let folder = server.scratch().folder("roms");
    let file = server.scratch().file("music.ogg", "OggS");
    let missing = server.scratch().path("missing");
    accepts(&server, "watch_folders", &json!([folder]));
    let doubled = json!({"watch_folders": [folder, folder]});
    assert_eq!(server.post(SETTINGS, &doubled)["watch_folders"], json!([folder]));
    refuses(&server, "watch_folders", &json!([missing]), "Watch folder does not exist:");
    let most = "Watch folders must be a list of at most 50 paths.";
    refuses(&server, "watch_folders", &json!(folder), most);
    let many: Vec<_> =
        (0..51).map(|number| server.scratch().folder(format!("many/{number}"))).collect();
    accepts(&server, "watch_folders", &json!(many[..50]));
    refuses(&server, "watch_folders", &json!(many), most);
    accepts(&server, "cloud_folder", &json!(folder));
    refuses(&server, "cloud_folder", &json!(missing), "Cloud sync folder does not exist:");
    accepts(&server, "library_music", &json!(file));
    let music = "Library music path must point to an existing audio file.";
    refuses(&server, "library_music", &json!(missing), music);
    accepts(&server, "library_music", &json!(""));
    refuses(&server, "memories_import_roots", &json!([missing]), "Memory root does not exist:");
}

#[test]
fn folders_that_settings_name_are_made_or_the_save_is_refused() {
    let server = Server::start();
    let file = server.scratch().file("file", "");
    for key in ["libserver_install_dir", "save_primary_backup_path"] {
        let folder = server.scratch().path(format!("new/{key}"));
        accepts(&server, key, &json!(folder));
        assert!(folder.is_dir(), "{key}");
        let before = server.get(SETTINGS);
        let body = json!({key: file.join("below"), "locale": "fr"});
        let refusal = server.send(&Request::post(SETTINGS, &body)).expect(400).json();
        let sentence = refusal["error"].as_str().expect("a sentence");
        assert!(sentence.contains("cannot be created: "), "{sentence}");
        assert_eq!(server.get(SETTINGS), before);
    }
}

#[test]
fn unknown_keys_are_dropped_and_others_stay() {
    let server = Server::start();
    server.post(SETTINGS, &json!({"locale": "fr"}));
    let answer = server.post(SETTINGS, &json!({"no_such_setting": 1, "show_insights": false}));
    assert_eq!((&answer["locale"], &answer["show_insights"]), (&json!("fr"), &json!(false)));
    assert!(answer.get("no_such_setting").is_none());
    assert_eq!(server.post(SETTINGS, &json!({})), answer);
}

#[test]
fn a_password_is_kept_hidden_and_kept() {
    let mut server = Server::start();
    let answer = server.post(SETTINGS, &json!({"libserver_password": "open sesame"}));
    assert_eq!(answer["libserver_password_set"], true);
    let answer = server.post(SETTINGS, &json!({"libserver_password": ""}));
    assert_eq!(answer["libserver_password_set"], true, "an empty one keeps the stored one");
    let shown = server.send(&Request::get(SETTINGS)).text();
    assert!(!shown.contains("open sesame"));
    server.stop();
    server.restart();
    assert_eq!(server.get(SETTINGS)["libserver_password_set"], true);
}

#[test]
fn settings_outlive_a_kill() {
    let mut server = Server::start();
    server.post(SETTINGS, &json!({"locale": "es", "save_backup_limit": 77}));
    server.kill();
    server.restart();
    let settings = server.get(SETTINGS);
    assert_eq!((&settings["locale"], &settings["save_backup_limit"]), (&json!("es"), &json!(77)));
}

#[test]
fn safe_mode_shows() {
    let server = Setup::new().env("SERVICE_SAFE_MODE", "1").start();
    assert_eq!(server.get(SETTINGS)["safe_mode"], true);
}
