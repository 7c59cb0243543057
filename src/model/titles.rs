//! The programs whose installed titles are games: an adventure engine and two console emulators. The
//! path of such a game is the folder it is installed in.

use super::record::Record;

/// The source and collection of the adventure engine's games.
pub const ENGINE: &str = "ScummVM";
/// Those of the first console emulator.
pub const DISC_PLAYER: &str = "RPCS3";
/// Those of the second one.
pub const APP_PLAYER: &str = "Vita3K";

/// Whether a row stands for what one of these programs has installed.
pub fn is_title(record: &Record) -> bool {
    [ENGINE, DISC_PLAYER, APP_PLAYER].contains(&record.text("source"))
}
