//! From the downloaded archive to the database file.
//!
//! Only the lists of facts and of sets are read, one after the other, and of those only the ones of
//! platforms that the program knows. Sets come first, because lists of facts may identify a game by the checksum of its
//! file alone. The file is written without protection against a crash: it counts only after it was finished, made
//! durable and renamed.

use std::{
    collections::HashSet,
    fs::File,
    io::{BufReader, Read as _},
    path::Path,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, params};
use zip::ZipArchive;

use super::entry::{Entry, FACTS};
use crate::{databases::sync::Watch, formats::text_dat, metadb::normal::normalise, platforms};

/// Counted up whenever the tables or what they hold change; a file of another version is not opened.
pub(super) const VERSION: i64 = 1;

/// Bytes unpacked at once.
const PIECE: usize = 128 << 10;
/// Bytes of the largest list.
const LIST_BYTES: u64 = 48 << 20;
/// Bytes of all lists together.
const ALL_BYTES: u64 = 1 << 30;
/// Games of all lists together.
const GAMES: u64 = 2_000_000;
/// Folders of whole sets; all others hold one kind of fact each.
const SETS: [&str; 9] = [
    "no-intro",
    "redump",
    "tosec",
    "fbneo-split",
    "mame",
    "mame-member",
    "mame-split",
    "mame-nonmerged",
    "dat",
];
/// Memory for pages, in KiB; more are written out.
const CACHE_KIB: i64 = 12 << 10;

const TABLES: &str = "
    CREATE TABLE facts(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE sets(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);
    CREATE TABLE games(id INTEGER PRIMARY KEY, platform INTEGER NOT NULL, name TEXT NOT NULL,
        title TEXT NOT NULL, developer TEXT NOT NULL DEFAULT '', publisher TEXT NOT NULL DEFAULT '',
        genre TEXT NOT NULL DEFAULT '', releaseyear TEXT NOT NULL DEFAULT '',
        users TEXT NOT NULL DEFAULT '', esrb_rating TEXT NOT NULL DEFAULT '',
        franchise TEXT NOT NULL DEFAULT '', UNIQUE(platform, name));
    CREATE TABLE codes(platform INTEGER NOT NULL, code TEXT NOT NULL, game INTEGER NOT NULL,
        PRIMARY KEY(platform, code)) WITHOUT ROWID;
";

/// Why a database is not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum BuildError {
    #[error("it is no ZIP archive")]
    NoArchive,
    #[error("a member is damaged: {0}")]
    Member(String),
    #[error("the file of the database could not be written: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("it has more than can be kept")]
    TooMany,
    #[error("it has no game")]
    NoGame,
    #[error("it was asked to stop")]
    Stopped,
}

/// A list of the archive.
struct List {
    index: usize,
    /// The set that it is about.
    set: String,
    /// Whether it is of a whole set.
    is_set: bool,
    bytes: u64,
}

/// Makes the database in the empty file `to`, with these facts next to it; how many games it has.
///
/// # Errors
/// [`BuildError`]; what is in the file then is worth nothing.
pub(super) fn import(
    archive: File,
    to: &Path,
    facts: &[(&str, &str)],
    watch: &Watch<'_>,
) -> Result<u64, BuildError> {
    let archive = ZipArchive::new(BufReader::with_capacity(PIECE, archive));
    let mut archive = archive.map_err(|_| BuildError::NoArchive)?;
    let mut lists = lists(&mut archive);
    lists.sort_by_key(|list| (!list.is_set, list.index));
    let all = lists.iter().map(|list| list.bytes).fold(0, u64::saturating_add);
    if all > ALL_BYTES {
        return Err(BuildError::TooMany);
    }
    (watch.expect)(all);
    let mut builder = Builder::new(to)?;
    let mut read = 0_u64;
    for list in &lists {
        if !(watch.goes_on)() {
            return Err(BuildError::Stopped);
        }
        let damaged = |error: &dyn std::fmt::Display| BuildError::Member(error.to_string());
        let member = archive.by_index(list.index).map_err(|error| damaged(&error))?;
        let mut bytes = Vec::new();
        member.take(LIST_BYTES).read_to_end(&mut bytes).map_err(|error| damaged(&error))?;
        builder.list(list, &String::from_utf8_lossy(&bytes), watch.goes_on)?;
        read += list.bytes;
        (watch.progress)(read);
    }
    builder.finish(facts)
}

/// The lists of platforms that the program knows. Larger ones than any real one are left out.
fn lists(archive: &mut ZipArchive<BufReader<File>>) -> Vec<List> {
    let known: HashSet<&str> =
        platforms::all().iter().map(|it| it.libretro).filter(|name| !name.is_empty()).collect();
    let mut lists = Vec::new();
    for index in 0..archive.len() {
        let Ok(member) = archive.by_index_raw(index) else { continue };
        let name = String::from_utf8_lossy(member.name_raw()).into_owned();
        let Some((folder, set)) = place(&name) else { continue };
        if known.contains(set) && member.size() <= LIST_BYTES {
            let (set, is_set) = (set.to_owned(), SETS.contains(&folder));
            lists.push(List { index, set, is_set, bytes: member.size() });
        }
    }
    lists
}

/// The folder and the set of a list: `<root>/metadat/<folder>/<set>.dat` or `<root>/dat/<set>.dat`.
fn place(member: &str) -> Option<(&str, &str)> {
    let mut parts = member.split('/').skip(1);
    let (area, second) = (parts.next()?, parts.next()?);
    let (folder, file) = match area {
        "metadat" => (second, parts.next()?),
        "dat" => (area, second),
        _ => return None,
    };
    let set = file.strip_suffix(".dat").filter(|set| !set.is_empty())?;
    parts.next().is_none().then_some((folder, set))
}

/// A database that is being made.
struct Builder {
    connection: Connection,
    games: u64,
}

impl Builder {
    fn new(path: &Path) -> Result<Self, BuildError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.pragma_update(None, "journal_mode", "off")?;
        connection.pragma_update(None, "synchronous", "off")?;
        connection.pragma_update(None, "locking_mode", "exclusive")?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.execute_batch("BEGIN")?;
        connection.execute_batch(TABLES)?;
        Ok(Self { connection, games: 0 })
    }

    /// Takes a list over. What is behind a fault in its form is left out.
    fn list(
        &mut self,
        list: &List,
        text: &str,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), BuildError> {
        let set = self.set(&list.set)?;
        let mut outcome = Ok(());
        let is_whole = text_dat::each(text, &mut |key, block| {
            if outcome.is_ok()
                && let Some(entry) = Entry::of(&key, &block)
            {
                outcome = self.take(set, &entry, list.is_set, goes_on);
            }
        });
        if !is_whole {
            log::info!("a list of the open database is not whole: {}", list.set);
        }
        outcome
    }

    fn set(&self, name: &str) -> Result<i64, BuildError> {
        let mut add =
            self.connection.prepare_cached("INSERT OR IGNORE INTO sets(name) VALUES(?1)")?;
        add.execute([name])?;
        let mut find = self.connection.prepare_cached("SELECT id FROM sets WHERE name = ?1")?;
        Ok(find.query_row([name], |row| row.get(0))?)
    }

    /// Adds an entry. An entry of a list of facts without facts is left out.
    fn take(
        &mut self,
        set: i64,
        entry: &Entry,
        is_set: bool,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), BuildError> {
        if !is_set && !entry.has_facts() && entry.codes.is_empty() {
            return Ok(());
        }
        let Some(game) = self.game(set, entry, goes_on)? else { return Ok(()) };
        let add = "INSERT OR IGNORE INTO codes VALUES(?1, ?2, ?3)";
        for code in &entry.codes {
            self.connection.prepare_cached(add)?.execute(params![set, code, game])?;
        }
        for (column, value) in FACTS.iter().zip(&entry.facts).filter(|(_, it)| !it.is_empty()) {
            let write = format!("UPDATE games SET {column} = ?1 WHERE id = ?2 AND {column} = ''");
            self.connection.prepare_cached(&write)?.execute(params![value, game])?;
        }
        Ok(())
    }

    /// The game that an entry is about: by its files, else by its name, else a new one.
    fn game(
        &mut self,
        set: i64,
        entry: &Entry,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Option<i64>, BuildError> {
        let by_code = "SELECT game FROM codes WHERE platform = ?1 AND code = ?2";
        for code in entry.codes.iter().filter(|code| code.starts_with("c:")) {
            let mut find = self.connection.prepare_cached(by_code)?;
            let found = find.query_row(params![set, code], |row| row.get(0)).optional()?;
            if found.is_some() {
                return Ok(found);
            }
        }
        if entry.name.is_empty() {
            return Ok(None);
        }
        let by_name = "SELECT id FROM games WHERE platform = ?1 AND name = ?2";
        let mut find = self.connection.prepare_cached(by_name)?;
        let found = find.query_row(params![set, entry.name], |row| row.get(0)).optional()?;
        drop(find);
        if found.is_some() {
            return Ok(found);
        }
        self.games += 1;
        if self.games > GAMES {
            return Err(BuildError::TooMany);
        }
        if self.games.is_multiple_of(1_000) && !goes_on() {
            return Err(BuildError::Stopped);
        }
        let add = "INSERT INTO games(platform, name, title) VALUES(?1, ?2, ?3)";
        let title = normalise(&entry.name);
        self.connection.prepare_cached(add)?.execute(params![set, entry.name, title])?;
        Ok(Some(self.connection.last_insert_rowid()))
    }

    fn finish(self, facts: &[(&str, &str)]) -> Result<u64, BuildError> {
        if self.games == 0 {
            return Err(BuildError::NoGame);
        }
        let Self { connection, games } = self;
        let count = games.to_string();
        for (key, value) in facts.iter().copied().chain([("games", count.as_str())]) {
            connection
                .execute("INSERT OR REPLACE INTO facts VALUES(?1, ?2)", params![key, value])?;
        }
        connection.execute_batch("CREATE INDEX titles ON games(platform, title)")?;
        connection.pragma_update(None, "user_version", VERSION)?;
        connection.execute_batch("COMMIT")?;
        connection.close().map_err(|(_, error)| error)?;
        Ok(games)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_lists_of_facts_and_sets_are_read() {
        for (member, expected) in [
            (
                "r/metadat/developer/Sony - PlayStation.dat",
                Some(("developer", "Sony - PlayStation")),
            ),
            ("r/dat/DOS.dat", Some(("dat", "DOS"))),
            ("r/cht/Sony - PlayStation/Comet.cht", None),
            ("r/metadat/developer/x/y.dat", None),
            ("r/metadat/developer/.dat", None),
            ("r/dat/DOS.txt", None),
            ("metadat/developer/DOS.dat", None),
        ] {
            assert_eq!(place(member), expected, "{member}");
        }
    }
}
