//! The settings of the program, one row each, and the names they choose from.
//!
//! The order is the order in which a save is checked and the settings screen is laid out. The
//! rule decides which values are accepted; `says` is set only where the message is fixed.

use super::rule::{Names, PathKind, Rule};
use super::setting::{Group, Initial, Setting};
use crate::model::{fields::PROGRESS, media};

/// Interface languages.
pub const LOCALES: &[&str] = &["en", "es", "de", "fr", "pt"];
/// Marks on a tile.
pub const BADGES: &[&str] = &[
    "favorite",
    "installed",
    "missing_media",
    "saves",
    "documents",
    "versions",
    "storefront",
    "achievements",
    "highscores",
    "progress",
    "rating",
    "broken",
    "portable",
    "controller",
];
/// Media whose files an import asks for by default.
pub const AUTO_IMPORTED: &[&str] = &["background", "cover", "screenshots"];
/// Regions in the order in which artwork is preferred.
pub const REGIONS: &[&str] = &["North America", "World", "Europe", "Japan", ""];
/// Storefronts whose new games can be imported without asking.
pub const STOREFRONTS: &[&str] = &["store_a", "store_b", "store_c", "libserver"];
/// Actions a controller button can have.
pub const CONTROLLER_ACTIONS: &[&str] =
    &["play", "back", "favorite", "random", "page_left", "page_right", "pause", "menu"];
/// The default columns of the list view.
pub const LIST_COLUMNS: &[&str] =
    &["name", "platform", "genre", "esrb", "progress", "last_played", "play_count"];
/// What the library can be grouped by; nothing by default.
pub const LIBRARY_GROUPS: &[&str] = &[
    "",
    "letter",
    "platform",
    "genre",
    "progress",
    "year",
    "developer",
    "series",
    "user_rating",
    "installed",
];
/// Ratings of the ESRB that say from which age a game is, the lowest first.
pub const RATINGS: &[&str] = &["EC", "E", "E10+", "T", "M", "AO"];
/// The default sections of the sidebar.
pub const SIDEBAR_SECTIONS: &[&str] = &["search", "view", "platforms", "playlists", "filters"];

const SHOWN_BADGES: &[&str] = &[
    "favorite",
    "installed",
    "saves",
    "documents",
    "progress",
    "storefront",
    "achievements",
    "rating",
];
const NONE: Initial = Initial::Texts(&[]);
const OFF: Initial = Initial::Flag(false);
const ON: Initial = Initial::Flag(true);
const EMPTY: Initial = Initial::Text("");

/// Routes of features with several settings.
const WINDOW: &str = "/api/native/window";
const MEMORIES: &str = "/api/v2/memories/import";
const RESUME: &str = "/api/v2/resume";
const RECORDER: &str = "/api/recorder/status";

const fn names(known: &'static [&'static str], cap: usize) -> Rule {
    Rule::Names(Names { known, cap, needed: false, sorted: false })
}

/// The row of `key`, when there is one.
pub fn find(key: &str) -> Option<&'static Setting> {
    SETTINGS.iter().find(|setting| setting.key == key)
}

/// The settings whose folder is made when they are saved.
pub fn made_folders() -> impl Iterator<Item = &'static Setting> {
    SETTINGS.iter().filter(|setting| setting.rule == Rule::Path(PathKind::NewFolder))
}

/// Every stored setting.
#[rustfmt::skip]
pub const SETTINGS: &[Setting] = &[
    // General.
    Setting::new("locale", Group::General, "Locale", Initial::Text("en"), Rule::Choice(LOCALES)),
    Setting::new("start_page", Group::General, "Start page", Initial::Text("library"), Rule::Choice(&["library", "home"])),
    Setting::new("welcome_completed", Group::None, "Welcome completed", OFF, Rule::Flag),
    Setting::new("tray_enabled", Group::General, "Tray icon", OFF, Rule::Flag).feature(WINDOW),
    Setting::new("minimize_to_tray", Group::General, "Minimize to tray", OFF, Rule::Flag).feature(WINDOW),
    Setting::new("screensaver_seconds", Group::General, "Screensaver delay", Initial::Integer(90), Rule::ZeroOr { min: 30, max: 3600 })
        .says("Screensaver delay must be 0 or between 30 and 3600 seconds."),
    Setting::new("last_update_check", Group::None, "Last update check", EMPTY, Rule::Text(64)).bookkeeping(),

    // Appearance.
    Setting::new("ui_scheme", Group::Appearance, "Colours", Initial::Text("dark"), Rule::Choice(&["dark", "light", "contrast", "auto"])),
    Setting::new("ui_tile_width", Group::None, "Tile width", Initial::Integer(146), Rule::Integer { min: 110, max: 300 }),
    Setting::new("ui_details_open", Group::None, "Details pane", ON, Rule::Flag),
    Setting::new("ui_filters_open", Group::None, "Filters panel", OFF, Rule::Flag),
    Setting::new("ui_group", Group::None, "Groups of the library", EMPTY, Rule::Choice(LIBRARY_GROUPS)),
    Setting::new("ui_column_widths", Group::None, "Column widths", NONE, names(&[], 40)),
    Setting::new("library_view", Group::Appearance, "Library view", Initial::Text("grid"), Rule::Choice(&["grid", "list", "details"])),
    Setting::new("ui_tile_titles", Group::Appearance, "Titles below covers", ON, Rule::Flag),
    Setting::new("list_sort", Group::Appearance, "List sort column", EMPTY, Rule::Text(20)),
    Setting::new("list_sort_dir", Group::Appearance, "List sort direction", EMPTY, Rule::Choice(&["", "reversed"])),
    Setting::new("list_columns", Group::Appearance, "List columns", Initial::Texts(LIST_COLUMNS), Rule::Columns(12))
        .says("List columns must be a list of at most 12 column names for each view."),
    Setting::new("cover_grouping", Group::Appearance, "Cover grouping", Initial::Text("shape"), Rule::Choice(&["shape", "none"])),
    Setting::new("image_group", Group::Appearance, "Default image group", Initial::Text("cover"), Rule::Choice(&media::GROUPS))
        .says("Unknown default image group."),
    Setting::new("image_group_by_platform", Group::None, "Image groups by platform", Initial::Object, Rule::Object).own_route(),
    Setting::new("image_group_by_playlist", Group::None, "Image groups by playlist", Initial::Object, Rule::Object).own_route(),
    Setting::new("theme", Group::None, "Theme", EMPTY, Rule::Text(256)).own_route(),
    Setting::new("theme_by_platform", Group::None, "Themes by platform", Initial::Object, Rule::Object).own_route(),
    Setting::new("badge_visibility", Group::Appearance, "Badges", Initial::Texts(SHOWN_BADGES), names(BADGES, BADGES.len()))
        .says("Badge visibility must contain known badge names."),
    Setting::new("sidebar_sections", Group::Appearance, "Sidebar sections", Initial::Texts(SIDEBAR_SECTIONS), names(&[], 20)),
    Setting::new("hidden_sidebar_sections", Group::Appearance, "Hidden sidebar sections", NONE, names(&[], 20)).edited_with("sidebar_sections"),
    Setting::new("show_insights", Group::Appearance, "Show insights", ON, Rule::Flag).feature("/api/v2/insights/summary"),
    Setting::new("show_playlist_actions", Group::Appearance, "Show playlist actions", ON, Rule::Flag),
    Setting::new("show_launch_badges", Group::Appearance, "Show launch badges", ON, Rule::Flag),
    Setting::new("dynamic_play_button", Group::Appearance, "Dynamic play button", ON, Rule::Flag),
    Setting::new("mood_match_enabled", Group::Appearance, "Mood match", OFF, Rule::Flag),
    Setting::new("mood_match_bigscreen", Group::Appearance, "Mood match in bigscreen", OFF, Rule::Flag),
    Setting::new("active_media_packs", Group::None, "Active media packs", NONE, Rule::List).own_route(),

    // Library.
    Setting::new("watch_folders", Group::Library, "Watch folders", NONE, Rule::Folders(50))
        .each("Watch folder").says("Watch folders must be a list of at most 50 paths."),
    Setting::new("custom_field_defs", Group::Library, "Custom fields", NONE, Rule::CustomFields)
        .says("Custom fields must be a list of at most 20 different names with at most 50 options each."),
    Setting::new("platform_categories", Group::Library, "Platform categories", Initial::Object, Rule::Categories)
        .says("Platform categories must map platform names to category names."),
    Setting::new("platform_documents", Group::None, "Platform documents", Initial::Object, Rule::Object).own_route(),
    Setting::new("folder_platforms", Group::None, "Platforms of folders", Initial::Object, Rule::Object).own_route(),
    Setting::new("health_rescan", Group::Library, "Health rescan", Initial::Text("weekly"), Rule::Choice(&["daily", "weekly", "on_startup", "off"])),
    Setting::new("last_health_rescan", Group::None, "Last health rescan", EMPTY, Rule::Text(64)).bookkeeping().hidden(),
    Setting::new("library_journal_enabled", Group::Library, "Library journal", ON, Rule::Flag),

    // Import.
    Setting::new("progress_on_first_play", Group::Sessions, "Progress on first play", Initial::Text("Playing"), Rule::Progress(&PROGRESS))
        .says("Unknown progress value for first play."),
    Setting::new("auto_import_media_types", Group::Import, "Auto-import media types", Initial::Texts(AUTO_IMPORTED),
        Rule::Names(Names { known: &media::IMPORTED, cap: media::IMPORTED.len(), needed: false, sorted: true }))
        .says("Auto-import media types include an unknown media type."),
    Setting::new("media_download_limit", Group::Import, "Media download limit", Initial::Integer(0), Rule::Integer { min: 0, max: 10_000 })
        .says("Media download limit must be between 0 and 10000."),
    Setting::new("import_title_style", Group::Import, "Import title style", Initial::Text("clean"), Rule::Choice(&["clean", "file"])),
    Setting::new("storefront_auto_import", Group::Import, "Storefront auto-import", Initial::AllOff(STOREFRONTS), Rule::Flags(STOREFRONTS))
        .says("Storefront auto-import must map store_a, store_b, store_c and libserver to true or false."),
    Setting::new("scrape_after_import", Group::None, "Scrape after import", ON, Rule::Flag).own_route(),
    Setting::new("scrape_scraper_enabled", Group::None, "Scraper provider", OFF, Rule::Flag).own_route(),
    Setting::new("scrape_gamedb_enabled", Group::None, "Game database", OFF, Rule::Flag).own_route(),
    Setting::new("scrape_artgrid_enabled", Group::None, "Artwork provider", OFF, Rule::Flag).own_route(),
    Setting::new("source_order", Group::None, "Order of sources", Initial::Object, Rule::Object).own_route().hidden(),
    Setting::new("import_exclusions", Group::None, "Import exclusions", NONE, Rule::List).own_route(),
    Setting::new("emulator_scan_configs", Group::None, "Emulator scan configurations", NONE, Rule::List).own_route(),

    // Media.
    Setting::new("artgrid_enabled", Group::Media, "Artwork provider", ON, Rule::Flag).feature("/api/v2/artgrid/search"),
    Setting::new("region_priority", Group::Media, "Region priority", Initial::Texts(REGIONS),
        Rule::Names(Names { known: &[], cap: 200, needed: true, sorted: false }))
        .says("Region priority must be a non-empty list."),
    Setting::new("video_priority", Group::Media, "Video priority", Initial::Texts(&media::SPECIAL_VIDEOS), names(&media::VIDEOS, media::VIDEOS.len()))
        .says("Invalid video priority list."),
    Setting::new("library_music", Group::Media, "Library music", EMPTY, Rule::Path(PathKind::Audio))
        .says("Library music path must point to an existing audio file."),
    Setting::new("video_bgm_mix", Group::Media, "Music under videos", OFF, Rule::Flag),
    Setting::new("memories_import_enabled", Group::Media, "Memories import", OFF, Rule::Flag).feature(MEMORIES),
    Setting::new("memories_import_roots", Group::Media, "Memory roots", NONE, Rule::Folders(32))
        .each("Memory root").says("Memory roots must be a list of at most 32 paths.").feature(MEMORIES),

    // Launching.
    Setting::new("startup_commands", Group::Launching, "Startup commands", NONE, Rule::Commands(25))
        .says("Application commands must be a list of at most 25 entries."),
    Setting::new("shutdown_commands", Group::Launching, "Shutdown commands", NONE, Rule::Commands(25))
        .says("Application commands must be a list of at most 25 entries."),
    Setting::new("compositor_custom_presets", Group::Launching, "Compositor presets", NONE, Rule::CompositorPresets),
    Setting::new("compositor_preset", Group::Launching, "Compositor preset", EMPTY, Rule::Text(30))
        .says("Unknown compositor preset."),
    Setting::new("overlay_enabled", Group::Launching, "Performance overlay", OFF, Rule::Flag),
    Setting::new("apply_perf", Group::Launching, "Performance limits", Initial::Text("auto"), Rule::Choice(&["off", "auto", "always"]))
        .says("Apply performance limits must be off, auto, or always."),
    Setting::new("auto_close_store_clients", Group::Launching, "Close store clients", OFF, Rule::Flag),

    // Sessions.
    Setting::new("tracking_mode", Group::Sessions, "Tracking mode", Initial::Text("default"),
        Rule::Choice(&["default", "process", "original_process", "folder", "process_name"]))
        .says("Unknown tracking mode."),
    Setting::new("tracking_delay", Group::Sessions, "Tracking delay", Initial::Integer(0), Rule::Number { min: 0.0, max: 600.0 })
        .says("Tracking delay must be between 0 and 600 seconds."),
    Setting::new("tracking_frequency", Group::Sessions, "Tracking frequency", Initial::Number(2.0), Rule::Number { min: 0.5, max: 60.0 })
        .says("Tracking frequency must be between 0.5 and 60 seconds."),
    Setting::new("tracking_process_name", Group::Sessions, "Tracked process name", EMPTY, Rule::Text(100)),
    Setting::new("track_session_history", Group::Sessions, "Session history", ON, Rule::Flag),
    Setting::new("session_recap_enabled", Group::Sessions, "Session recap", ON, Rule::Flag),
    Setting::new("quick_resume_enabled", Group::Sessions, "Quick resume", ON, Rule::Flag).feature(RESUME),
    Setting::new("moments_autocapture", Group::Sessions, "Automatic moments", ON, Rule::Flag).feature("/api/v2/moments"),
    Setting::new("state_retention", Group::Sessions, "Resume state retention", Initial::Integer(1), Rule::Integer { min: 1, max: 20 })
        .says("Resume state retention must be between 1 and 20.").feature(RESUME),
    Setting::new("progress_automation_enabled", Group::Sessions, "Progress automation", OFF, Rule::Flag),
    Setting::new("progress_automation_play_minutes", Group::Sessions, "Progress automation play minutes", Initial::Integer(30),
        Rule::Integer { min: 0, max: 100_000 })
        .says("Progress automation play minutes must be between 0 and 100000."),
    Setting::new("progress_automation_idle_days", Group::Sessions, "Progress automation idle days", Initial::Integer(30),
        Rule::Integer { min: 0, max: 3_650 })
        .says("Progress automation idle days must be between 0 and 3650."),
    Setting::new("backlog_progress_suggest", Group::Sessions, "Progress suggestions", ON, Rule::Flag),
    Setting::new("party_queue", Group::None, "Party queue", NONE, names(&[], 50)),
    Setting::new("party_players", Group::None, "Party players", Initial::Integer(2), Rule::Integer { min: 2, max: 8 })
        .says("Party players must be between 2 and 8."),
    Setting::new("party_index", Group::None, "Party index", Initial::Integer(0), Rule::Position),

    // Backups.
    Setting::new("backup_on_close", Group::Backups, "Save backup on close", OFF, Rule::Flag),
    Setting::new("save_backup_limit", Group::Backups, "Save backup limit", Initial::Integer(10), Rule::Integer { min: 0, max: 500 })
        .says("Save backup limit must be between 0 and 500."),
    Setting::new("save_primary_backup_path", Group::Backups, "Save tool backup folder", EMPTY, Rule::Path(PathKind::NewFolder)),
    Setting::new("backup_auto_enabled", Group::Backups, "Automatic backups", OFF, Rule::Flag),
    Setting::new("backup_auto_keep", Group::Backups, "Automatic backups kept", Initial::Integer(4), Rule::Integer { min: 1, max: 52 }),
    Setting::new("last_auto_backup", Group::None, "Last automatic backup", EMPTY, Rule::Text(64)).bookkeeping(),
    Setting::new("restore_drill_enabled", Group::Backups, "Restore drill", OFF, Rule::Flag),
    Setting::new("last_restore_drill", Group::None, "Last restore drill", EMPTY, Rule::Text(64)).bookkeeping(),

    // Bigscreen.
    Setting::new("bigscreen_mode", Group::Bigscreen, "Bigscreen mode", Initial::Text("stage"), Rule::Choice(&["stage", "hybrid", "coverflow"])),
    Setting::new("bigscreen_start_at_launch", Group::Bigscreen, "Start in bigscreen", OFF, Rule::Flag),
    Setting::new("bigscreen_startup_video", Group::Bigscreen, "Bigscreen startup video", EMPTY, Rule::Path(PathKind::Video))
        .says("Bigscreen startup video must point to an existing video file."),
    Setting::new("bigscreen_shutdown_commands", Group::Bigscreen, "Bigscreen commands", NONE, Rule::Commands(25))
        .says("Application commands must be a list of at most 25 entries."),
    Setting::new("attract_mode_seconds", Group::Bigscreen, "Attract mode delay", Initial::Integer(90), Rule::Integer { min: 0, max: 86_400 })
        .says("Attract mode delay must be between 0 and 86400 seconds."),
    Setting::new("bigscreen_sound_volume", Group::Bigscreen, "Navigation sounds", Initial::Integer(0), Rule::Integer { min: 0, max: 100 }),
    Setting::new("bigscreen_rumble", Group::Bigscreen, "Rumble", OFF, Rule::Flag),
    Setting::new("controller_map", Group::Bigscreen, "Controller buttons", Initial::Object, Rule::Buttons(CONTROLLER_ACTIONS))
        .says("Controller button mappings must use buttons 0 through 31."),
    Setting::new("controller_prompt_pack", Group::Bigscreen, "Controller prompt pack", Initial::Text("console-x"), Rule::Text(40)),
    Setting::new("controller_prompt_hint", Group::Bigscreen, "Controller prompt hint", EMPTY, Rule::Hint(200)),
    Setting::new("museum_kiosk_enabled", Group::Bigscreen, "Museum kiosk", OFF, Rule::Flag).feature("/api/v2/arcade/kiosk/status"),
    Setting::new("museum_kiosk_family", Group::None, "Family view", OFF, Rule::Flag).feature("/api/v2/arcade/kiosk/status"),
    Setting::new("museum_kiosk_esrb", Group::None, "Highest rating", Initial::Text("T"), Rule::Choice(RATINGS)).feature("/api/v2/arcade/kiosk/status"),
    Setting::new("museum_kiosk_pin_hash", Group::None, "Kiosk PIN", EMPTY, Rule::Secret(512)).own_route().secret("museum_kiosk_pin_set"),

    // Recorder.
    Setting::new("recorder_auto_attach", Group::Recorder, "Attach recordings", ON, Rule::Flag).feature(RECORDER),
    Setting::new("recorder_recording_path", Group::Recorder, "Recording path", EMPTY, Rule::Path(PathKind::Any)).feature(RECORDER),
    Setting::new("recorder_replay_enabled", Group::Recorder, "Replay buffer", OFF, Rule::Flag).feature(RECORDER),
    Setting::new("recorder_ws_url", Group::Recorder, "Recorder address", EMPTY, Rule::Websocket(256)).feature(RECORDER),
    Setting::new("recorder_ws_timeout", Group::Recorder, "Recorder timeout", Initial::Number(5.0), Rule::Number { min: 0.1, max: 30.0 }).feature(RECORDER),
    Setting::new("recorder_ws_password", Group::Recorder, "Recorder password", EMPTY, Rule::Secret(1024)).secret("recorder_ws_password_set").feature(RECORDER),

    // Stores.
    Setting::new("libserver_url", Group::Stores, "Library server address", EMPTY, Rule::LibraryServer),
    Setting::new("libserver_username", Group::Stores, "Library server user name", EMPTY, Rule::Text(256)),
    Setting::new("libserver_password", Group::Stores, "Library server password", EMPTY, Rule::Secret(1024)).secret("libserver_password_set"),
    Setting::new("libserver_password_url", Group::None, "Library server of the password", EMPTY, Rule::LibraryServer).hidden().bookkeeping(),
    Setting::new("libserver_provider", Group::Stores, "Library server provider", EMPTY, Rule::Text(256)),
    Setting::new("libserver_install_dir", Group::Stores, "Library server install folder", EMPTY, Rule::Path(PathKind::NewFolder)),

    // Sharing.
    Setting::new("cloud_folder", Group::Sharing, "Cloud sync folder", EMPTY, Rule::Path(PathKind::Folder)),
    Setting::new("save_sync_platforms", Group::Sharing, "Platforms with shared saves", NONE, names(&[], 100)).feature("/api/v2/saves/devices"),
    Setting::new("library_sync_enabled", Group::Sharing, "Library sync", OFF, Rule::Flag).feature("/api/v2/library/sync/publish"),
    Setting::new("household_stats_sharing", Group::Sharing, "Household statistics sharing", OFF, Rule::Flag).feature("/api/v2/household/share"),
    Setting::new("last_cloud_sync", Group::None, "Last cloud sync", EMPTY, Rule::Text(64)).bookkeeping(),

    // Webhooks.
    Setting::new("webhooks", Group::None, "Webhooks", NONE, Rule::List).own_route().hidden(),
    Setting::new("webhook_attempts", Group::Webhooks, "Webhook attempts", Initial::Integer(3), Rule::Integer { min: 1, max: 5 }),
    Setting::new("webhook_timeout", Group::Webhooks, "Webhook timeout", Initial::Integer(5), Rule::Number { min: 1.0, max: 15.0 }),
];

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::config::settings::{rule::CheckDepth, setting::Writer};

    #[test]
    fn keys_are_unique_and_plain() {
        let keys: BTreeSet<&str> = SETTINGS.iter().map(|setting| setting.key).collect();
        assert_eq!(keys.len(), SETTINGS.len());
        for key in keys {
            assert!(key.bytes().all(|b| b.is_ascii_lowercase() || b == b'_' || b.is_ascii_digit()));
        }
    }

    #[test]
    fn every_default_satisfies_its_own_rule_unchanged() {
        for setting in SETTINGS {
            let default = setting.default.value();
            let checked = setting.rule.check(&default, CheckDepth::Shape);
            assert_eq!(checked, Ok(default), "{}", setting.key);
        }
    }

    #[test]
    fn titles_start_a_sentence_and_sentences_end_it() {
        for setting in SETTINGS {
            assert!(setting.title.starts_with(char::is_uppercase), "{}", setting.key);
            assert!(setting.sentence.is_none_or(|text| text.ends_with('.')), "{}", setting.key);
        }
    }

    #[test]
    fn what_the_screen_shows_can_be_posted() {
        for setting in SETTINGS.iter().filter(|setting| setting.group != Group::None) {
            assert_eq!(setting.writer, Writer::Settings, "{}", setting.key);
        }
    }

    #[test]
    fn features_are_routes_and_shared_controls_are_settings() {
        for setting in SETTINGS {
            assert!(setting.feature.is_none_or(|route| route.starts_with("/api/")));
            let shown = |key| find(key).is_some_and(|other| other.group == setting.group);
            assert!(setting.edited_with.is_none_or(shown), "{}", setting.key);
        }
    }
}
