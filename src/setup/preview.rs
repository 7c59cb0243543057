//! The document of a preview: `<data_dir>/previews/<preview_id>.json`.
//!
//! Holds the request, the progress and the counts; the candidates lie in files next to it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    base::{Moment, schema::schema},
    scan::systems::FolderChoices,
};

use super::{
    source::{self, SourceName},
    systems::{Counts, LeftFolder, SystemRow},
};

/// Hours for which a preview is kept.
const LIFE_HOURS: i64 = 24;
/// The only revision there is: decisions do not change a plan, and a new scan is a new preview.
pub const REVISION: u64 = 1;

/// A preview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preview {
    /// The form of this document.
    pub version: u32,
    /// 32 hex digits.
    pub preview_id: String,
    /// What cursors and commits are bound to.
    pub revision: u64,
    /// UTC.
    pub created_at: String,
    /// UTC.
    pub expires_at: String,
    /// The sources as they were asked for, and what reading them gave.
    pub sources: Vec<SourceRow>,
    /// The options of the request.
    pub options: Map<String, Value>,
    /// The platforms that the request chooses for folders.
    #[serde(default)]
    pub platforms: FolderChoices,
    /// The platforms of each source with their games.
    #[serde(default)]
    pub systems: Vec<SystemRow>,
    /// Folders that decide the platform of games or of files that are left out.
    #[serde(default)]
    pub folders: u64,
    /// Bytes of the file of these folders.
    #[serde(default)]
    pub folders_bytes: u64,
    /// The job that was submitted last, and the first one of its chain.
    pub job_id: String,
    /// The first job of its chain.
    pub root_job_id: String,
    /// Candidates read so far.
    pub scanned_entries: u64,
    /// Whether all sources are read and all candidates sorted.
    pub is_scanned: bool,
    /// Candidates by group, and errors.
    pub counts: Counts,
    /// What the library looked like; the same when its games and playlists are the same.
    pub library_signature: String,
    /// The emulator definitions whose emulators were installed at the time of the scan.
    pub installed_adapters: Vec<String>,
    /// Bytes of the file of candidates.
    pub items_bytes: u64,
    /// Whether it was found unchanged after the scan.
    #[serde(default)]
    pub revalidated: bool,
    /// The import its commit is or was.
    pub import_batch_id: String,
    /// Whether it is a part of the library now.
    #[serde(default)]
    pub is_committed: bool,
}

/// One source of a preview.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceRow {
    /// How it is shown.
    #[serde(flatten)]
    pub name: SourceName,
    /// As it was asked for.
    pub request: Value,
    /// What reading it gave; blank before.
    pub fingerprint: String,
    /// Candidates it holds.
    pub candidates: u64,
    /// Files and folders of it that could not be read or named.
    pub skipped: u64,
    /// Files that belong to a game: the tracks of its disc, what its sheet names.
    #[serde(default)]
    pub parts: u64,
    /// Files of unknown type.
    #[serde(default)]
    pub unknown: u64,
    /// The most frequent of them by extension.
    #[serde(default)]
    pub skipped_types: BTreeMap<String, usize>,
    /// The folder it is, absolute and without symbolic links; blank for one whose folders cannot have
    /// their platform chosen.
    #[serde(default)]
    pub root: String,
    /// Folders with files of unknown type, until they are written to the file of folders.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftFolder>,
    /// Why nothing, or not everything, of it could be read.
    pub error: Option<String>,
}

impl Preview {
    /// A preview of these sources in which nothing has been read yet.
    pub fn new(
        preview_id: String,
        batch: String,
        sources: &[Value],
        options: &Map<String, Value>,
        platforms: FolderChoices,
        now: &Moment,
    ) -> Self {
        let row = |(position, value): (usize, &Value)| SourceRow {
            name: source::name_of(value, position),
            request: value.clone(),
            ..SourceRow::default()
        };
        let end = Moment::from_unix(now.unix_seconds() + LIFE_HOURS * 3_600);
        Self {
            version: 1,
            preview_id,
            revision: REVISION,
            created_at: now.utc_iso(),
            expires_at: end.utc_iso(),
            sources: sources.iter().enumerate().map(row).collect(),
            options: options.clone(),
            platforms,
            import_batch_id: batch,
            ..Self::default()
        }
    }

    /// Whether its time is over. One whose end cannot be read has ended.
    pub fn is_over(&self, now: &Moment) -> bool {
        let end = Moment::parse(&self.expires_at);
        end.is_none_or(|end| now.unix_micros() >= end.unix_micros())
    }

    /// Whether it was made in these last hours.
    pub fn is_younger_than(&self, hours: i64, now: &Moment) -> bool {
        let made = Moment::parse(&self.created_at);
        made.is_some_and(|made| now.unix_seconds() - made.unix_seconds() < hours * 3_600)
    }

    /// Whether the row of a system (by position) is one of this source and of this platform.
    pub fn is_in(&self, at: usize, source: Option<usize>, platform: Option<&str>) -> bool {
        self.systems.get(at).is_some_and(|row| {
            source.is_none_or(|source| row.source == source)
                && platform.is_none_or(|platform| row.platform == platform)
        })
    }

    /// The sentence for the user.
    pub fn message(&self) -> String {
        let (found, open) =
            (self.counts.games(), self.counts.ambiguities + self.counts.unsupported);
        match (found, open) {
            (0, _) => "Preview ready \u{2014} review items and commit".to_owned(),
            (found, 0) => format!("Found {found} games \u{2014} review and commit"),
            (found, open) => format!("Found {found} games \u{2014} {open} need your pick"),
        }
    }

    /// The answer of `GET /api/v2/setup/preview` for a preview in this state. Its message is why the job failed,
    /// where it did.
    pub fn shown(self, state: String, job_id: String, failure: Option<String>) -> ShownPreview {
        let message = failure.unwrap_or_else(|| self.message());
        ShownPreview {
            counts: self.counts,
            expires_at: self.expires_at,
            import_batch_id: self.is_committed.then_some(self.import_batch_id),
            job_id,
            library_signature: self.library_signature,
            folders: self.folders,
            message,
            options: self.options,
            platforms: self.platforms,
            preview_id: self.preview_id,
            revalidated: self.revalidated,
            revision: self.revision,
            scanned_entries: self.scanned_entries,
            sources: self.sources.into_iter().map(ShownSource::from).collect(),
            state,
            systems: self.systems,
        }
    }
}

schema! {
    "SetupPreview"
    /// Where a preview stands.
    pub struct ShownPreview {
        counts: Counts,
        expires_at: String,
        /// Folders that decide the platform of what lies in them.
        folders: u64,
        /// The import of its commit.
        import_batch_id: Option<String>,
        job_id: String,
        library_signature: String,
        message: String,
        options: Map<String, Value>,
        /// The platforms that were chosen for folders; empty ones reset them.
        platforms: FolderChoices,
        preview_id: String,
        revalidated: bool,
        revision: u64,
        scanned_entries: u64,
        sources: Vec<ShownSource>,
        /// `ready`, or the state of its job.
        state: String,
        /// What every platform of every source brings.
        systems: Vec<SystemRow>,
    }

    "SetupSource"
    /// A source of a preview.
    struct ShownSource {
        /// Games it holds.
        candidates: u64,
        /// Why not everything of it could be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        #[serde(flatten)]
        name: SourceName,
        /// Files that belong to a game: the tracks of its disc, what its sheet names.
        parts: u64,
        /// Files of unknown type by extension: the most frequent ones, at most 50.
        skipped_types: BTreeMap<String, usize>,
        /// Files of unknown type.
        unknown: u64,
        /// Files and folders that could not be read or named.
        unreadable: u64,
    }
}

impl From<SourceRow> for ShownSource {
    fn from(row: SourceRow) -> Self {
        Self {
            candidates: row.candidates,
            error: row.error,
            name: row.name,
            parts: row.parts,
            skipped_types: row.skipped_types,
            unknown: row.unknown,
            unreadable: row.skipped,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_lives_a_day() {
        let now = Moment::from_unix(1_795_280_400);
        let preview = Preview::new(
            "p".to_owned(),
            "b".to_owned(),
            &[],
            &Map::new(),
            FolderChoices::new(),
            &now,
        );
        let at = |seconds| Moment::from_unix(now.unix_seconds() + seconds);
        assert!(!preview.is_over(&now) && !preview.is_over(&at(86_399)));
        assert!(preview.is_over(&at(86_400)));
        assert!(Preview { expires_at: "never".to_owned(), ..preview }.is_over(&now));
    }

    #[track_caller]
    fn check(counts: Counts, expected: &str) {
        let preview = Preview { counts, ..Preview::default() };
        assert_eq!(preview.message(), expected);
    }

    #[test]
    fn the_message_counts_what_is_open() {
        let none = Counts::default();
        check(none, "Preview ready \u{2014} review items and commit");
        check(Counts { exclusions: 2, ..none }, "Preview ready \u{2014} review items and commit");
        let found = Counts { additions: 3, merges: 1, duplicates: 1, ..none };
        check(found, "Found 5 games \u{2014} review and commit");
        let open = Counts { ambiguities: 2, unsupported: 1, ..found };
        check(open, "Found 8 games \u{2014} 3 need your pick");
    }
}
