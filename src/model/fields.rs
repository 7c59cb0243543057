//! The fields of a game, declared once: what each holds and who may write it.
//!
//! Read by the public projection, the edit of `POST /api/game`, the OpenAPI document and the UI.
//! See the guide for a new field in `CONTRIBUTING.md`.

/// What a field holds, and so its value when it is unset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Text; unset is `""`.
    Text,
    /// A path below an approved media root; unset or unapproved is `""`.
    Media,
    /// A boolean; unset is `false`.
    Flag,
    /// A non-negative whole number; unset is `0`.
    Count,
    /// A number, or `""` while unset.
    NumberOrBlank,
    /// A number, or `null` while unset.
    NumberOrNull,
    /// A list; unset is `[]`.
    List,
    /// An object; unset is `{}`.
    Object,
}

/// Whether `POST /api/game` writes a field.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edit {
    /// Written when the posted game has the key; a missing key leaves the field as it is.
    Posted,
    /// Written by routes and jobs of its own.
    Own,
}

/// One field of the stored game record.
#[derive(Clone, Copy, Debug)]
pub struct Field {
    /// JSON key.
    pub key: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// Who writes it.
    pub edit: Edit,
}

const fn text(key: &'static str) -> Field {
    Field { key, kind: Kind::Text, edit: Edit::Posted }
}

const fn media(key: &'static str) -> Field {
    Field { key, kind: Kind::Media, edit: Edit::Posted }
}

const fn of(key: &'static str, kind: Kind, edit: Edit) -> Field {
    Field { key, kind, edit }
}

/// Image fields that hold one path each; every one has a computed `has_<key>`.
pub const IMAGES: [&str; 16] = [
    "cover",
    "background",
    "clear_logo",
    "fanart",
    "banner",
    "icon",
    "box_back",
    "box_spine",
    "box_3d",
    "title_screen",
    "cart_front",
    "cart_back",
    "disc",
    "advertisement",
    "manual",
    "music",
];

/// Video fields in the order in which the default priority looks for the active one.
pub const VIDEOS: [&str; 5] =
    ["video_snap", "video_theme", "video_trailer", "video_recording", "video"];

/// The progress values; the empty one is unplayed.
pub const PROGRESS: [&str; 7] =
    ["", "Playing", "Paused", "Beaten", "Completed", "Mastered", "Abandoned"];

/// Whether a game wants the performance overlay; empty and `inherit` follow the settings.
pub const OVERLAY: [&str; 4] = ["", "inherit", "on", "off"];

/// Every stored field that a public game shows.
pub const FIELDS: &[Field] = &[
    text("name"),
    text("platform"),
    text("genre"),
    text("year"),
    text("developer"),
    text("publisher"),
    text("series"),
    text("collection"),
    text("description"),
    text("path"),
    text("launch"),
    text("launch_profile"),
    text("compositor_preset"),
    text("overlay"),
    text("source"),
    text("store_a_app_id"),
    text("store_b_app_id"),
    text("store_b_source"),
    text("store_c_id"),
    text("install_dir"),
    text("import_batch_id"),
    of("recommended_emulator", Kind::Text, Edit::Own),
    text("rom_name"),
    text("clone_of"),
    text("set_type"),
    text("ach_game_id"),
    text("ach_hash"),
    text("metadb_id"),
    text("gamedb_id"),
    text("scraper_id"),
    text("libserver_id"),
    text("libserver_provider"),
    text("archive_member"),
    text("progress"),
    text("region"),
    text("play_mode"),
    text("status"),
    text("sort_title"),
    text("release_date"),
    text("max_players"),
    text("wikipedia_url"),
    text("video_url"),
    text("esrb"),
    text("controller_support"),
    text("tracking_mode"),
    text("tracking_delay"),
    text("tracking_frequency"),
    text("tracking_process_name"),
    of("added_at", Kind::Text, Edit::Own),
    of("last_played", Kind::Text, Edit::Own),
    of("plugin_source", Kind::Text, Edit::Own),
    of("plugin_source_name", Kind::Text, Edit::Own),
    of("rating", Kind::NumberOrBlank, Edit::Posted),
    of("disc_count", Kind::NumberOrBlank, Edit::Posted),
    of("time_to_beat_hours", Kind::NumberOrNull, Edit::Own),
    of("user_rating", Kind::Count, Edit::Posted),
    of("play_count", Kind::Count, Edit::Own),
    of("playtime_seconds", Kind::Count, Edit::Own),
    of("ach_achievements_earned", Kind::Count, Edit::Own),
    of("ach_achievements_earned_hardcore", Kind::Count, Edit::Own),
    of("ach_achievements_total", Kind::Count, Edit::Own),
    of("ach_progress_pct", Kind::Count, Edit::Own),
    media("cover"),
    media("background"),
    media("clear_logo"),
    media("fanart"),
    media("banner"),
    media("icon"),
    media("box_back"),
    media("box_spine"),
    media("box_3d"),
    media("title_screen"),
    media("cart_front"),
    media("cart_back"),
    media("disc"),
    media("advertisement"),
    media("manual"),
    media("video"),
    media("music"),
    media("video_snap"),
    media("video_theme"),
    media("video_trailer"),
    media("video_recording"),
    of("favorite", Kind::Flag, Edit::Posted),
    of("hidden", Kind::Flag, Edit::Posted),
    of("broken", Kind::Flag, Edit::Posted),
    of("portable", Kind::Flag, Edit::Posted),
    of("hide_in_bigscreen", Kind::Flag, Edit::Posted),
    of("extract_archive", Kind::Flag, Edit::Posted),
    of("launch_confirm", Kind::Flag, Edit::Posted),
    of("manual_entry", Kind::Flag, Edit::Own),
    of("store_catalog", Kind::Flag, Edit::Own),
    of("alternate_names", Kind::List, Edit::Posted),
    of("tags", Kind::List, Edit::Posted),
    of("applications", Kind::List, Edit::Posted),
    of("versions", Kind::List, Edit::Posted),
    of("documents", Kind::List, Edit::Posted),
    of("save_paths", Kind::List, Edit::Posted),
    of("screenshots", Kind::List, Edit::Posted),
    of("notes", Kind::List, Edit::Posted),
    of("manual_sessions", Kind::List, Edit::Own),
    of("memories", Kind::List, Edit::Own),
    of("clips", Kind::List, Edit::Own),
    of("discs", Kind::List, Edit::Own),
    of("version_candidates", Kind::List, Edit::Own),
    of("legacy_game_ids", Kind::List, Edit::Own),
    of("custom_fields", Kind::Object, Edit::Posted),
    of("launch_env", Kind::Object, Edit::Posted),
];

/// The field with a key.
#[must_use]
pub fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique_and_every_image_is_a_media_field() {
        for (at, field) in FIELDS.iter().enumerate() {
            let again = FIELDS[at + 1..].iter().any(|other| other.key == field.key);
            assert!(!again, "{} is declared twice", field.key);
        }
        for key in IMAGES.iter().chain(&VIDEOS) {
            assert_eq!(field(key).map(|field| field.kind), Some(Kind::Media), "{key}");
        }
    }
}
