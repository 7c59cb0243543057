//! The achievements of a game as a file in the data directory counts them. The program writes it with the record of
//! the game; another program may write it too, so a session compares the file.

use serde::Deserialize;

use crate::{
    config::data_dir::DataDir,
    model::Record,
    scan::{Tree as _, tree::Disk},
};

/// Bytes of the largest file.
const FILE_BYTES: u64 = 1 << 20;

/// What was earned in a game.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(default)]
pub struct Achieved {
    earned: u64,
    earned_hardcore: u64,
    total: u64,
    mastered: bool,
}

impl Achieved {
    /// Reads the file of a game; `None` without one that can be read.
    pub(super) fn read(data_dir: &DataDir, game_id: &str) -> Option<Self> {
        let bytes = Disk.read_start(&data_dir.achievements_of(game_id), FILE_BYTES).ok()?;
        serde_json::from_slice(&bytes).ok()
    }

    /// Shows it in a copy of a record, in the place of what that knows.
    pub(super) fn show_in(&self, game: &mut Record) {
        let percent = (self.earned.saturating_mul(100)).checked_div(self.total).unwrap_or(0);
        game.set("ach_achievements_earned", self.earned);
        game.set("ach_achievements_earned_hardcore", self.earned_hardcore);
        game.set("ach_achievements_total", self.total);
        game.set("ach_progress_pct", percent);
        game.set("ach_mastered", self.mastered);
    }
}
