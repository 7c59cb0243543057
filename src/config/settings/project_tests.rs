//! The public projection: complete, typed, free of secrets, and accepted when posted back.

use serde_json::{Map, Value, json};

use super::project::{DERIVED_KEYS, Derived, project};
use super::read;
use super::setting::{Access, Writer};
use super::table::SETTINGS;
use super::validate::validate_posted;
use crate::config::environment::Environment;

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(map) => map,
        other => panic!("not an object: {other}"),
    }
}

fn projected(stored: Value) -> Map<String, Value> {
    project(&object(stored), &Derived::from_environment(&Environment::default(), |_| false))
}

#[test]
fn a_fresh_library_shows_every_default() {
    let shown = projected(json!({}));
    for setting in SETTINGS.iter().filter(|setting| setting.access == Access::Public) {
        let expected = match setting.key {
            "platform_categories" => continue,
            _ => setting.default.value(),
        };
        assert_eq!(shown[setting.key], expected, "{}", setting.key);
    }
    assert_eq!(shown["platform_categories"]["SNES"], "Nintendo");
    assert_eq!(shown["premium_features_free"], true);
    assert_eq!(shown["available_locales"], json!(["en", "es", "de", "fr", "pt"]));
    assert_eq!(shown["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(shown["save_tools"], json!({"primary": false, "secondary": false}));
    assert_eq!(shown["compositor_presets"][0], json!(["handheld", "Handheld 1280x800"]));
}

/// Every key the API promises, copied here so that a row cannot vanish unseen.
const PUBLIC_KEYS: &str = "apply_perf artgrid_enabled artgrid_key_configured attract_mode_seconds \
    auto_close_store_clients auto_import_media_types available_locales backlog_progress_suggest \
    backup_auto_enabled backup_auto_keep backup_on_close badge_visibility \
    bigscreen_mode bigscreen_quick bigscreen_rumble bigscreen_shutdown_commands \
    bigscreen_sound_volume bigscreen_start_at_launch bigscreen_startup_video bundle cloud_folder compositor_custom_presets compositor_guest \
    compositor_preset compositor_presets controller_map controller_prompt_hint \
    controller_prompt_pack cover_grouping custom_field_defs dynamic_play_button \
    emulator_scan_configs filter_presets folder_platforms health_rescan hidden_sidebar_sections \
    household_stats_sharing image_group image_group_by_platform image_group_by_playlist \
    import_exclusions import_title_style active_media_packs last_auto_backup last_cloud_sync last_restore_drill restore_drill_enabled last_update_check \
    libserver_install_dir libserver_password_set libserver_provider libserver_url \
    libserver_username library_journal_enabled library_music library_sync_enabled library_view \
    list_columns list_sort list_sort_dir locale media_download_limit media_packs \
    mediasvc_configured memories_import_enabled memories_import_roots minimize_to_tray \
    moments_autocapture mood_match_bigscreen mood_match_enabled museum_kiosk_enabled museum_kiosk_esrb museum_kiosk_family \
    museum_kiosk_pin_set overlay_available overlay_enabled party_index party_players party_queue \
    platform_categories platform_documents premium_features_free progress_automation_enabled \
    progress_automation_idle_days progress_automation_play_minutes progress_on_first_play \
    quick_resume_enabled recorder_auto_attach recorder_recording_path recorder_replay_enabled \
    recorder_ws_password_set recorder_ws_timeout recorder_ws_url region_priority safe_mode \
    save_backup_limit save_primary_backup_path save_sync_platforms save_tools scrape_after_import \
    scrape_artgrid_enabled scrape_gamedb_enabled scrape_scraper_enabled screensaver_seconds \
    session_recap_enabled show_insights show_launch_badges show_playlist_actions \
    shutdown_commands sidebar_sections start_page startup_commands state_retention storefront_auto_import \
    strings theme theme_by_platform track_session_history tracking_delay tracking_frequency \
    tracking_mode tracking_process_name tray_enabled ui_column_widths ui_details_open ui_filters_open \
    ui_group ui_scheme ui_tile_titles ui_tile_width \
    version video_bgm_mix video_priority \
    watch_folders webhook_attempts webhook_timeout welcome_completed";

#[test]
fn the_keys_are_exactly_the_promised_ones() {
    let mut expected: Vec<&str> = PUBLIC_KEYS.split_whitespace().collect();
    expected.sort_unstable();
    let shown = projected(json!({}));
    let found: Vec<&str> = shown.keys().map(String::as_str).collect();
    assert_eq!(found, expected);
}

#[test]
fn derived_keys_have_the_type_they_are_declared_with() {
    let shown = projected(json!({}));
    for (key, kind) in DERIVED_KEYS {
        let found = match shown[*key] {
            Value::Bool(_) => "boolean",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
            _ => "other",
        };
        assert_eq!(found, *kind, "{key}");
    }
}

#[test]
fn secrets_and_hidden_values_never_show() {
    const MARK: &str = "do-not-show-this";
    let mut stored = Map::new();
    let mut flags = Vec::new();
    for setting in SETTINGS {
        match setting.access {
            Access::Public => continue,
            Access::Secret { flag } => flags.push(flag),
            Access::Hidden => {}
        }
        let value = match setting.default.value() {
            Value::Array(_) => json!([{ "secret": MARK }]),
            _ => json!(MARK),
        };
        stored.insert(setting.key.to_owned(), value);
    }
    assert!(stored.len() >= 4);
    stored.insert("api_key".to_owned(), json!(MARK));
    let shown = projected(Value::Object(stored));
    let text = serde_json::to_string(&shown).expect("serialises");
    assert!(!text.contains(MARK), "{text}");
    assert_eq!(flags.len(), 3);
    for flag in flags {
        assert_eq!(shown[flag], true, "{flag}");
        assert_eq!(projected(json!({}))[flag], false, "{flag}");
    }
}

#[test]
fn the_projection_can_be_posted_back_without_a_change() {
    let stored = json!({
        "watch_folders": ["/no/such"], "platform_categories": {"NES": "Mine"},
        "compositor_custom_presets": [{"name": "Mine"}], "compositor_preset": "Mine",
        "libserver_url": "http://nas", "libserver_password": "x", "screensaver_seconds": 300,
        "party_queue": ["a", "b"], "party_index": 1,
    });
    let shown = projected(stored.clone());
    let save = validate_posted(&shown, &object(stored.clone()), &Environment::default());
    let mut after = object(stored);
    after.extend(save.expect("the projection is valid").changes);
    assert_eq!(projected(Value::Object(after)), shown);
}

#[test]
fn user_choices_show_through() {
    let shown = projected(json!({
        "compositor_custom_presets": [{"name": "4K", "width": 1, "height": 1}],
        "platform_categories": {"Amiga": "Commodore"},
        "mood_match_enabled": false, "mood_match_bigscreen": true,
    }));
    let presets = shown["compositor_presets"].as_array().expect("list");
    assert_eq!(presets.len(), 8);
    assert_eq!(presets[7], json!(["4K", "4K"]));
    assert_eq!(shown["platform_categories"]["Amiga"], "Commodore");
    assert_eq!(shown["mood_match_bigscreen"], false);
}

#[test]
fn the_environment_is_told_as_flags() {
    let environment = Environment::from_process([
        ("SERVICE_SAFE_MODE", "1"),
        ("APPIMAGE", "/opt/service.AppImage"),
        ("GAMESCOPE_WAYLAND_DISPLAY", "gamescope-0"),
        ("SERVICE_ARTGRID_API_KEY", "hidden-key"),
        ("MEDIASVC_USERNAME", "me"),
    ]);
    let shown = project(
        &Map::new(),
        &Derived::from_environment(&environment, |program| program == "mangohud"),
    );
    for key in ["safe_mode", "bundle", "compositor_guest", "artgrid_key_configured"] {
        assert_eq!(shown[key], true, "{key}");
    }
    assert_eq!(shown["mediasvc_configured"], false);
    assert!(!serde_json::to_string(&shown).expect("serialises").contains("hidden-key"));
}

#[test]
fn defaults_hold_every_stored_setting() {
    let defaults = read::defaults();
    assert_eq!(defaults.len(), SETTINGS.len());
    let postable = SETTINGS.iter().filter(|setting| setting.writer == Writer::Settings).count();
    assert!(postable > 80, "{postable}");
}
