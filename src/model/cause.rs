//! Why a change of the library was made, as far as its ops do not show it.
//!
//! A cause travels with the change to the watchers of the store and is not written to the log: what
//! follows from it (webhooks, caches) happens at most once, and a crash in between loses it.

/// Why the library changed, or what happened to it without a change. Ids of games are stable ids.
/// Where a variant names no ids, they are those of the ops.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Cause {
    /// Nothing follows besides what the ops show.
    #[default]
    Unnamed,
    /// The whole state was replaced: by a recovery, by a restore, or because another program changed
    /// the library file. There are no ops.
    Replaced,
    /// A game was created by hand.
    Created,
    /// A game was edited; its fields may be what they were.
    Updated(String),
    /// Several games were edited in one step; their fields may be what they were.
    Bulk(Vec<String>),
    /// Games were deleted permanently.
    Deleted,
    /// Games were moved to the trash.
    Trashed,
    /// A game was restored from the trash or from the journal.
    Restored,
    /// Duplicates were merged; the games that were absorbed are gone.
    Deduped,
    /// Paths of these games point to files that were found again.
    Relinked {
        /// The games, each once.
        game_ids: Vec<String>,
        /// Whether a path of a media file was among them.
        has_media: bool,
    },
    /// Games were added for files that were found or written just before.
    FilesFound,
    /// An import ended.
    Imported(Import),
    /// A folder was scanned for games; those that are new were added before.
    Scanned {
        /// Its path.
        folder: String,
        /// Games added.
        added: u64,
        /// Candidates found, known ones included.
        scanned: u64,
    },
    /// A plugin came, went or was switched.
    PluginChanged {
        /// `installed`, `updated`, `enabled`, `disabled` or `removed`.
        action: &'static str,
        /// Its id.
        plugin: String,
    },
    /// The play queue moved on.
    QueueAdvanced {
        /// The entry that was current.
        from: QueuePlace,
        /// The entry to play next.
        to: QueuePlace,
    },
    /// A backup was made.
    BackedUp {
        /// The file name of the archive.
        archive_name: String,
        /// The names of its items.
        items: Vec<&'static str>,
    },
    /// Trophies were awarded, each as the live stream sends it.
    TrophiesAwarded(Vec<serde_json::Value>),
    /// Records of the household changed, as the live stream sends it.
    HouseholdChanged(serde_json::Value),
    /// A moment of a game was kept.
    MomentMade {
        /// The moment as the live stream sends it.
        moment: serde_json::Value,
        /// The pictures that were taken for it.
        pictures: Vec<String>,
    },
    /// The games were restored from a backup.
    BackupRestored,
    /// The metadata database was synchronised, or was not.
    MetadataSynced {
        /// Whether that succeeded.
        done: bool,
    },
    /// An update of the program was installed: its version.
    UpdateInstalled(String),
    /// These media files were written or removed; none are named where they are many.
    MediaChanged(Vec<String>),
}

/// The result of an import.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Import {
    /// Where the games come from, `folder` for example.
    pub source: String,
    /// Games found, known ones included.
    pub found: u64,
    /// Games added.
    pub added: u64,
    /// Ids of known games that were changed.
    pub changed: Vec<String>,
}

/// An entry of the play queue; both texts are empty where there is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueuePlace {
    /// Stable id of the game.
    pub game_id: String,
    /// The id of the entry.
    pub entry_id: String,
}
