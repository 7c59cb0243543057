//! Memories: pictures that other programs took of games, as they were imported. Nothing here reads the folders they
//! came from.

use serde_json::{Value, json};

use super::service::Keepsakes;
use crate::{
    base::schema::schema,
    config::settings::read,
    game::GameRef,
    jobs::{Jobs, runner::Filter, shown::JobDocument},
    media::serve::MediaFile,
    model::{Game, State},
};

/// The type of the job of an import.
pub(super) const TYPE: &str = "media.memories_import";
/// The list in the record of a game.
pub(super) const LIST: &str = "memories";
/// The pictures whose game is unknown.
pub(super) const UNASSIGNED: &str = "memories_unassigned";

schema! {
    /// A picture that was imported.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Memory {
        bytes: u64,
        /// The title in its name or folder, where that fits several games.
        hint: String,
        /// UTC.
        imported_at: String,
        path: String,
        /// Lower-case hex.
        sha256: String,
        /// `store_a`, `retroarch`, `dolphin` or `custom`.
        source: String,
        taken_at: String,
    }

    /// `GET /api/v2/memories`.
    #[derive(Debug)]
    pub struct MemoryList {
        memories: Vec<Memory>,
    }

    /// `GET /api/v2/memories/status`.
    #[derive(Debug)]
    pub struct MemoriesStatus {
        enabled: bool,
        games_with_memories: usize,
        /// The latest import.
        job: Option<JobDocument>,
        /// Of all games.
        memories: usize,
        /// How many folders are named in the settings.
        roots: usize,
        /// Those whose game is not known.
        unassigned: usize,
    }
}

impl Memory {
    fn of(stored: &Value) -> Self {
        let text = |key: &str| stored[key].as_str().unwrap_or_default().to_owned();
        Self {
            bytes: stored["bytes"].as_u64().unwrap_or(0),
            hint: text("hint"),
            imported_at: text("imported_at"),
            path: text("path"),
            sha256: text("sha256"),
            source: text("source"),
            taken_at: text("taken_at"),
        }
    }
}

/// Whose memories are asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Bucket {
    /// Those of a game.
    Game(GameRef),
    /// Those whose game is not known.
    Unassigned,
}

/// The memories of a game, or those whose game is not known; `None` when there is no such game.
pub fn list(state: &State, bucket: &Bucket) -> Option<MemoryList> {
    let memories = stored(state, bucket)?.iter().map(Memory::of).collect();
    Some(MemoryList { memories })
}

/// How much was imported, and the latest import.
pub fn status(state: &State, jobs: &Jobs) -> MemoriesStatus {
    let counts = state.games.iter().filter(|game| game.json().contains("\"memories\""));
    let counts = counts.map(|game| game.record().list(LIST).len()).filter(|count| *count > 0);
    let counts: Vec<usize> = counts.collect();
    let filter = Filter { limit: 1, kind: Some(TYPE.to_owned()), ..Filter::default() };
    MemoriesStatus {
        enabled: read::flag(state.settings(), "memories_import_enabled"),
        games_with_memories: counts.len(),
        job: jobs.list(&filter).jobs.pop(),
        memories: counts.iter().sum(),
        roots: read::texts(state.settings(), "memories_import_roots").len(),
        unassigned: unassigned(state).len(),
    }
}

impl Keepsakes {
    /// One picture, open for reading.
    pub fn memory_file(&self, state: &State, bucket: &Bucket, index: usize) -> Option<MediaFile> {
        let list = stored(state, bucket)?;
        let path = list.get(index)?["path"].as_str()?;
        MediaFile::of(self.library.probes().roots().open(path).ok()?, path)
    }
}

fn stored(state: &State, bucket: &Bucket) -> Option<Vec<Value>> {
    match bucket {
        Bucket::Unassigned => Some(unassigned(state).to_vec()),
        Bucket::Game(game) => {
            let (_, game) = game.find(&state.games)?;
            Some(of_game(game))
        }
    }
}

/// How many memories a game has.
pub(super) fn count(game: &Game) -> usize {
    game.record().list(LIST).len()
}

fn of_game(game: &Game) -> Vec<Value> {
    game.record().list(LIST).to_vec()
}

/// The stored list of pictures whose game is not known.
pub(super) fn unassigned(state: &State) -> &[Value] {
    state.section(UNASSIGNED).as_array().map_or(&[], Vec::as_slice)
}

/// A memory as it is stored.
pub(super) struct New<'a> {
    pub(super) path: &'a str,
    pub(super) sha256: &'a str,
    pub(super) bytes: u64,
    pub(super) source: &'static str,
    pub(super) taken_at: &'a str,
    pub(super) imported_at: &'a str,
    pub(super) hint: &'a str,
}

impl New<'_> {
    pub(super) fn stored(&self) -> Value {
        json!({
            "path": self.path,
            "sha256": self.sha256,
            "bytes": self.bytes,
            "source": self.source,
            "taken_at": self.taken_at,
            "imported_at": self.imported_at,
            "hint": self.hint,
        })
    }
}
