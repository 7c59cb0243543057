//! The database of the third store (Lutris, `pga.db`), read only: its games where its program is not on
//! this machine's path, and how long each was played.

use std::path::Path;

use serde_json::Value;

use super::foreign_database;
use crate::{base::Moment, model::Record};

/// Where it lies below the home.
const FILES: [&str; 2] =
    [".local/share/lutris/pga.db", ".var/app/net.lutris.Lutris/data/lutris/pga.db"];
/// Its games in the order of their ids, with the keys of the list that its program prints; `None`
/// without a database that can be read.
pub fn games(home: &Path) -> Option<Vec<Record>> {
    FILES.iter().map(|file| home.join(file)).filter(|file| file.is_file()).find_map(|file| {
        let read = foreign_database::rows(&file, "SELECT * FROM games ORDER BY id");
        read.map_err(|error| log::warn!("the database of Lutris was not read: {error}")).ok()
    })
}

/// Seconds a game of the database was played, and the local time of the last play; blank for never.
pub fn played(game: &Record) -> (u64, String) {
    let hours = game.number("playtime").filter(|hours| *hours > 0.0 && *hours < 1e6).unwrap_or(0.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "between zero and four billion"
    )]
    let seconds = (hours * 3_600.0).round() as u64;
    let last = game.get("lastplayed").and_then(Value::as_i64).filter(|last| *last > 0);
    (seconds, last.map(|last| Moment::from_unix_local(last).local_iso()).unwrap_or_default())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use rusqlite::Connection;

    use super::*;
    use crate::files::testing;

    #[test]
    fn games_of_older_and_newer_databases_are_read() {
        let home = tempfile::tempdir().expect("a home");
        assert_eq!(games(home.path()), None);
        let file = home.path().join(FILES[1]);
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("made");
        let database = Connection::open(&file).expect("new");
        database
            .execute_batch(
                "CREATE TABLE games (id INTEGER, name TEXT, runner TEXT, installed INTEGER, playtime REAL, lastplayed INTEGER);
                INSERT INTO games VALUES (2, 'Two', 'wine', 1, 1.5, 1700000000), (1, 'One', NULL, 0, NULL, 0);",
            )
            .expect("filled");
        drop(database);
        let games = games(home.path()).expect("a database");
        assert_eq!((games[0].text("name"), games[1].text("runner")), ("One", "wine"));
        assert_eq!(played(&games[0]), (0, String::new()));
        let (seconds, last) = played(&games[1]);
        assert!(seconds == 5_400 && last.starts_with("2023-11-1"), "{seconds} {last}");
        testing::put(home.path().join(FILES[0]), "no database");
        assert!(super::games(home.path()).is_some(), "one that is damaged is skipped");
    }
}
