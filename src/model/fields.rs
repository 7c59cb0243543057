//! The fields of a game, declared once: what each holds and who may write it.
//!
//! Read by the public projection, the edit of `POST /api/game`, the OpenAPI document and the UI.
//! See the guide for a new field in `CONTRIBUTING.md`.

use super::media;

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
    /// Written by routes and jobs of its own. `POST /api/game` ignores it, because clients post whole
    /// records, and an older record must not undo what another client wrote there.
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

const fn of(key: &'static str, kind: Kind, edit: Edit) -> Field {
    Field { key, kind, edit }
}

/// The progress values; the empty one is unplayed.
pub const PROGRESS: [&str; 7] =
    ["", "Playing", "Paused", "Beaten", "Completed", "Mastered", "Abandoned"];

/// Whether a game wants the performance overlay; empty and `inherit` follow the settings.
pub const OVERLAY: [&str; 4] = ["", "inherit", "on", "off"];

/// Whether the saves of a game are shared between devices; empty follows its platform.
pub const SAVE_SYNC: [&str; 3] = ["", "on", "off"];

/// The fields before those of the media.
const BEFORE_MEDIA: &[Field] = &[
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
    text("save_sync"),
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
    of("artgrid_id", Kind::Text, Edit::Own),
    of("artwork_provider", Kind::Text, Edit::Own),
    text("libserver_id"),
    text("libserver_provider"),
    text("archive_member"),
    text("progress"),
    text("region"),
    of("revision", Kind::Text, Edit::Own),
    of("release_status", Kind::Text, Edit::Own),
    of("dump_status", Kind::Text, Edit::Own),
    of("release_year", Kind::Text, Edit::Own),
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
    of("added_at", Kind::Text, Edit::Posted),
    of("last_played", Kind::Text, Edit::Own),
    of("plugin_source", Kind::Text, Edit::Own),
    of("plugin_source_name", Kind::Text, Edit::Own),
    of("rating", Kind::NumberOrBlank, Edit::Posted),
    of("disc_count", Kind::NumberOrBlank, Edit::Posted),
    of("time_to_beat_hours", Kind::NumberOrNull, Edit::Own),
    of("user_rating", Kind::Count, Edit::Own),
    of("play_count", Kind::Count, Edit::Own),
    of("playtime_seconds", Kind::Count, Edit::Own),
    of("ach_achievements_earned", Kind::Count, Edit::Own),
    of("ach_achievements_earned_hardcore", Kind::Count, Edit::Own),
    of("ach_achievements_total", Kind::Count, Edit::Own),
    of("ach_progress_pct", Kind::Count, Edit::Own),
];

/// The fields after those of the media.
const AFTER_MEDIA: &[Field] = &[
    of("favorite", Kind::Flag, Edit::Own),
    of("hidden", Kind::Flag, Edit::Posted),
    of("broken", Kind::Flag, Edit::Posted),
    of("portable", Kind::Flag, Edit::Posted),
    of("hide_in_bigscreen", Kind::Flag, Edit::Posted),
    of("extract_archive", Kind::Flag, Edit::Posted),
    of("launch_confirm", Kind::Flag, Edit::Posted),
    of("manual_entry", Kind::Flag, Edit::Own),
    of("store_catalog", Kind::Flag, Edit::Own),
    of("alternate_names", Kind::List, Edit::Posted),
    of("languages", Kind::List, Edit::Own),
    of("tags", Kind::List, Edit::Own),
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

/// Every stored field that a public game shows.
pub const FIELDS: &[Field] = &{
    let (before, media) = (BEFORE_MEDIA.len(), media::FIELDS.len());
    let mut fields =
        [BEFORE_MEDIA[0]; BEFORE_MEDIA.len() + media::FIELDS.len() + AFTER_MEDIA.len()];
    let mut at = 0;
    while at < fields.len() {
        fields[at] = if at < before {
            BEFORE_MEDIA[at]
        } else if at < before + media {
            of(media::FIELDS[at - before], Kind::Media, Edit::Posted)
        } else {
            AFTER_MEDIA[at - before - media]
        };
        at += 1;
    }
    fields
};

/// The field with a key.
pub fn field(key: &str) -> Option<&'static Field> {
    FIELDS.iter().find(|field| field.key == key)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_unique() {
        for (at, field) in FIELDS.iter().enumerate() {
            let again = FIELDS[at + 1..].iter().any(|other| other.key == field.key);
            assert!(!again, "{} is declared twice", field.key);
        }
    }
}
