//! Queries to the database: one file, read only, shared between threads.

use std::sync::Mutex;

use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;

use super::build::VERSION;
use crate::{base::Hold as _, databases, metadb::normal::normalise, names};

/// The most games of one title that are compared.
const SAME_TITLE: usize = 200;
/// The ratings of the ESRB that are kept.
const RATINGS: [&str; 9] = ["E", "E10+", "T", "M", "AO", "RP", "EC", "K-A", "Unrated"];
/// What a game of the database has; `games.platform` is the number of its set.
const COLUMNS: &str = "games.id, sets.name, games.name, developer, publisher, genre, releaseyear, \
    users, esrb_rating, franchise FROM games JOIN sets ON sets.id = games.platform";

/// A game of the database. A text is empty when it is unknown.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Row {
    /// Its number; another one after each download.
    pub id: i64,
    /// The set that it belongs to.
    pub set: String,
    /// Its name, with its regions.
    pub name: String,
    /// Who made it.
    pub developer: String,
    /// Who released it.
    pub publisher: String,
    /// Its genre.
    pub genre: String,
    /// Four digits.
    pub year: String,
    /// How many can play.
    pub users: String,
    /// The rating of the ESRB.
    pub esrb: String,
    /// The series that it belongs to.
    pub franchise: String,
}

impl Row {
    /// Its facts as values of fields; what is unknown is left out.
    pub fn values(&self) -> Vec<(&'static str, Value)> {
        let is_year = self.year.len() == 4 && self.year.bytes().all(|it| it.is_ascii_digit());
        let year = if is_year { self.year.as_str() } else { "" };
        // Its genres have slashes between them, those of the library commas.
        let genre = self.genre.split(" / ").collect::<Vec<_>>().join(", ");
        let esrb = RATINGS.into_iter().find(|known| known.eq_ignore_ascii_case(&self.esrb));
        let texts = [
            ("year", year),
            ("developer", &self.developer),
            ("publisher", &self.publisher),
            ("genre", &genre),
            ("esrb", esrb.unwrap_or_default()),
            ("series", &self.franchise),
            ("max_players", &self.users),
        ];
        let texts = texts.into_iter().filter(|(_, text)| !text.is_empty());
        texts.map(|(key, text)| (key, Value::from(text))).collect()
    }
}

/// An open database.
pub struct Database {
    connection: Mutex<Connection>,
}

/// The database that is in use at present.
pub type OpendbHandle = databases::DatabaseHandle<Database>;

impl databases::Database for Database {
    const NAME: &'static str = "open database";
    const VERSION: i64 = VERSION;

    fn of(connection: Connection) -> rusqlite::Result<Self> {
        Ok(Self { connection: Mutex::new(connection) })
    }

    fn fact(&self, key: &str) -> Option<String> {
        let connection = self.connection.hold();
        let query = "SELECT value FROM facts WHERE key = ?1";
        connection.query_row(query, [key], |row| row.get(0)).ok()
    }
}

impl Database {
    /// The game of a set that has one of these codes, the first that has one.
    pub fn by_code(&self, set: &str, codes: &[String]) -> Option<Row> {
        let query = format!(
            "SELECT {COLUMNS} JOIN codes ON codes.game = games.id \
             WHERE codes.platform = (SELECT id FROM sets WHERE name = ?1) AND codes.code = ?2"
        );
        codes.iter().find_map(|code| self.one(&query, set, code))
    }

    /// The game of a set with exactly this name.
    pub fn by_name(&self, set: &str, name: &str) -> Option<Row> {
        let query = format!("SELECT {COLUMNS} WHERE sets.name = ?1 AND games.name = ?2");
        self.one(&query, set, name)
    }

    /// The game of a set with an equal title: of one of these regions before those of others, a finished
    /// release before a trial.
    pub fn by_title(&self, set: &str, title: &str, regions: &[String]) -> Option<Row> {
        let key = normalise(title);
        if key.is_empty() {
            return None;
        }
        let connection = self.connection.hold();
        let query = format!(
            "SELECT {COLUMNS} WHERE games.platform = (SELECT id FROM sets WHERE name = ?1) \
             AND games.title = ?2 ORDER BY games.name LIMIT {SAME_TITLE}"
        );
        let mut query = connection.prepare_cached(&query).ok()?;
        let rows = query.query_map(params![set, key], read_row).ok()?;
        let rows: Vec<Row> = rows.filter_map(Result::ok).collect();
        rows.into_iter().min_by_key(|row| rank(&row.name, regions))
    }

    fn one(&self, query: &str, set: &str, value: &str) -> Option<Row> {
        let connection = self.connection.hold();
        let found = connection
            .prepare_cached(query)
            .and_then(|mut query| query.query_row(params![set, value], read_row).optional());
        found.unwrap_or_else(|error| {
            log::warn!("the open database cannot be read: {error}");
            None
        })
    }
}

/// How far a name is from what is preferred; the least first.
pub(super) fn rank(name: &str, regions: &[String]) -> (bool, usize, bool, usize) {
    let tags = names::parse(name).tags;
    let place = |region: &&String| tags.regions.iter().any(|it| it.name == region.as_str());
    let place = regions.iter().position(|region| place(&region)).unwrap_or(regions.len());
    (tags.release_status.is_some(), place, tags.revision.is_some(), name.len())
}

fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Row> {
    Ok(Row {
        id: row.get(0)?,
        set: row.get(1)?,
        name: row.get(2)?,
        developer: row.get(3)?,
        publisher: row.get(4)?,
        genre: row.get(5)?,
        year: row.get(6)?,
        users: row.get(7)?,
        esrb: row.get(8)?,
        franchise: row.get(9)?,
    })
}
