//! One game on its way into the library, from any source.

use std::borrow::Cow;

use serde::{Deserialize, Serialize};

use crate::{
    base::{named::named, text},
    game::batches::WrittenFile,
    model::Record,
};

/// Makes every title of a record one line, whatever its source wrote.
pub fn set_one_line(record: &mut Record) {
    for key in ["name", "sort_title"] {
        if let Cow::Owned(title) = text::one_line(record.text(key)) {
            record.set(key, title);
        }
    }
    let names = "alternate_names";
    if record.texts(names).any(|name| matches!(text::one_line(name), Cow::Owned(_))) {
        let lines: Vec<String> =
            record.texts(names).map(|name| text::one_line(name).into_owned()).collect();
        record.set(names, lines);
    }
}

/// The note of a game that was bought from a store and is not installed; `label` is the name of the store.
pub fn not_installed(label: &str) -> String {
    format!("Owned via {label}. Not installed yet.")
}

/// The fields that together name a game in its source; a row with the same values is the same game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Key {
    /// None: the identities of the record do.
    #[default]
    Nothing,
    /// A game of the adventure engine.
    EngineId,
    /// A set of an arcade emulator.
    RomName,
}

impl Key {
    /// Every key that has fields.
    pub const ALL: [Self; 2] = [Self::EngineId, Self::RomName];

    /// Its fields.
    pub fn fields(self) -> &'static [&'static str] {
        match self {
            Self::Nothing => &[],
            Self::EngineId => &["source", "engine_library_id"],
            Self::RomName => &["source", "rom_name"],
        }
    }

    /// Whether it has no fields.
    #[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
    pub fn is_nothing(&self) -> bool {
        *self == Self::Nothing
    }
}

named! {
    /// The files of the set of a row.
    #[derive(PartialOrd, Ord)]
    pub enum SetType {
        /// Its own archive, variant of nothing.
        Parent = "parent",
        /// A variant whose files lie in the archive of its parent.
        Merged = "merged",
        /// A variant whose archive lacks what its parent has.
        Split = "split",
        /// A variant whose archive is complete.
        NonMerged = "non-merged",
    }
}

/// One game that an importer read from its source.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Incoming {
    /// The row it would become.
    pub record: Record,
    /// The name of its store in "Launch with ...".
    pub label: String,
    /// What names it in its source.
    pub key: Key,
    /// Whether one file is one game, so that a row with its path is the same game. Not so for sets
    /// of an arcade, several of which start from one archive.
    pub is_file: bool,
    /// Whether its new row gets only the date and the batch of the import. Other rows also get their
    /// identities and the progress of the settings.
    pub is_plain: bool,
    /// The name its source gives to games whose name it does not know; blank when it knows all.
    pub stand_in: String,
    /// Commands its importer would have written with programs that are not installed now.
    pub gone: Vec<String>,
    /// Playlists that were written for it.
    pub written: Vec<WrittenFile>,
}
