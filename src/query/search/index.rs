//! The index file: opened, updated and queried. Every error means that the file is given up; it is not
//! repaired.

use std::{
    collections::{HashMap, HashSet},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, params};

use super::words::{Words, in_titles, match_of};
use crate::{
    base::text,
    files::{DiskError, Files},
    model::{Chunk, Game, Games},
};

/// Games that are ranked at most. A word that more games have is of little use, and ranking all of them
/// would take longer than a client waits; then the first ones in the library are ranked, and as many of those
/// that have it in their titles.
const RANKED: usize = 2_000;

/// Counted up whenever the tables or what they hold change; an index of another version is rebuilt.
const VERSION: i64 = 1;

const TABLES: &str = "
    CREATE TABLE games(id INTEGER PRIMARY KEY, game_id TEXT NOT NULL UNIQUE, mark INTEGER NOT NULL,
        words TEXT NOT NULL);
    CREATE VIRTUAL TABLE games_fts USING fts5(title, platform, genre, developer, description,
        content='', contentless_delete=1, tokenize='unicode61 remove_diacritics 2', prefix='1 2 3');
    INSERT INTO games_fts(games_fts, rank) VALUES('rank', 'bm25(10.0, 1.0, 2.0, 1.0, 0.5)');
";

/// Why the index cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum IndexError {
    /// The file could not be made or removed.
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("failed to use the search index: {0}")]
    Database(#[from] rusqlite::Error),
    /// The file was deleted or replaced.
    #[error("the file of the search index was taken away")]
    Taken,
    #[error("the search index is of another version")]
    Version,
    #[error("indexing was stopped")]
    Stopped,
}

/// The writing side of the index.
pub(super) struct Index {
    connection: Connection,
    files: Files,
    path: PathBuf,
    /// Device and inode of the file that was opened.
    identity: (u64, u64),
}

impl Index {
    /// Opens the file, or makes it.
    pub(super) fn open(files: &Files, path: &Path) -> Result<Self, IndexError> {
        if files.stat(path)?.is_none() {
            // Made here, because the database would make it readable by all users.
            files.create(path, b"")?;
        }
        let mut connection = connect(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        connection.pragma_update(None, "journal_mode", "wal")?;
        connection.pragma_update(None, "synchronous", "normal")?;
        connection.pragma_update(None, "journal_size_limit", 4 << 20)?;
        let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
        let tables: i64 =
            connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get(0))?;
        if tables == 0 {
            let making = connection.transaction()?;
            making.execute_batch(TABLES)?;
            making.pragma_update(None, "user_version", VERSION)?;
            making.commit()?;
        } else if version != VERSION {
            return Err(IndexError::Version);
        }
        let identity = identity_of(files, path)?;
        Ok(Self { connection, files: files.clone(), path: path.to_owned(), identity })
    }

    /// Updates the index from its games to others. Without `before` every row is compared;
    /// with it only the games of chunks that changed are. Either everything is written or nothing.
    pub(super) fn update(
        &mut self,
        before: Option<&Games>,
        after: &Games,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<(), IndexError> {
        // The database would go on writing to a file that has no name any more.
        if identity_of(&self.files, &self.path)? != self.identity {
            return Err(IndexError::Taken);
        }
        let writing = self.connection.transaction()?;
        match before {
            Some(before) => update_changed(&writing, before, after, goes_on)?,
            None => update_all(&writing, after, goes_on)?,
        }
        writing.commit()?;
        Ok(())
    }
}

fn identity_of(files: &Files, path: &Path) -> Result<(u64, u64), IndexError> {
    let found = files.stat(path)?.ok_or(IndexError::Taken)?;
    Ok((found.dev(), found.ino()))
}

/// Removes the file and what the database keeps next to it.
pub(super) fn remove(files: &Files, path: &Path) -> Result<(), DiskError> {
    for ending in ["", "-wal", "-shm", "-journal"] {
        let mut name = path.as_os_str().to_owned();
        name.push(ending);
        let part = PathBuf::from(name);
        if files.stat(&part)?.is_some() {
            files.remove(&part)?;
        }
    }
    Ok(())
}

fn connect(path: &Path, access: OpenFlags) -> Result<Connection, IndexError> {
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(std::time::Duration::from_secs(2))?;
    connection.pragma_update(None, "trusted_schema", false)?;
    connection.pragma_update(None, "temp_store", "memory")?;
    Ok(connection)
}

/// Compares every row with its game: after a start, when the file may come from any time.
fn update_all(
    writing: &Transaction<'_>,
    after: &Games,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), IndexError> {
    let mut known: HashMap<String, i64> = HashMap::new();
    let mut rows = writing.prepare("SELECT game_id, mark FROM games")?;
    let mut rows = rows.query([])?;
    while let Some(row) = rows.next()? {
        known.insert(row.get(0)?, row.get(1)?);
    }
    for chunk in after.chunks() {
        if !goes_on() {
            return Err(IndexError::Stopped);
        }
        for game in chunk.iter() {
            let words = Words::of(game);
            let mark = words.mark();
            match known.remove(game.id()) {
                Some(stored) if stored == mark => {}
                Some(_) => put(writing, game, &words, mark)?,
                None => insert(writing, game, &words, mark)?,
            }
        }
    }
    known.keys().try_for_each(|id| delete(writing, id))
}

/// Writes the difference of two libraries, which share the chunks that did not change.
fn update_changed(
    writing: &Transaction<'_>,
    before: &Games,
    after: &Games,
    goes_on: &dyn Fn() -> bool,
) -> Result<(), IndexError> {
    let (old, new) = (changed(before, after), changed(after, before));
    let known: HashSet<*const Game> = old.iter().map(|game| Arc::as_ptr(game)).collect();
    for game in new.iter().filter(|game| !known.contains(&Arc::as_ptr(game))) {
        if !goes_on() {
            return Err(IndexError::Stopped);
        }
        let words = Words::of(game);
        put(writing, game, &words, words.mark())?;
    }
    let gone = old.iter().filter(|game| after.position(game.id()).is_none());
    gone.map(|game| game.id()).try_for_each(|id| delete(writing, id))
}

/// The games of chunks that stand elsewhere or not at all in the other library.
fn changed<'a>(games: &'a Games, other: &Games) -> Vec<&'a Arc<Game>> {
    let others: HashSet<*const Chunk> = other.chunks().iter().map(Arc::as_ptr).collect();
    let chunks = games.chunks().iter().filter(|chunk| !others.contains(&Arc::as_ptr(chunk)));
    chunks.flat_map(|chunk| chunk.iter()).collect()
}

fn put(
    writing: &Transaction<'_>,
    game: &Game,
    words: &Words<'_>,
    mark: i64,
) -> Result<(), IndexError> {
    let mut find = writing.prepare_cached("SELECT id, mark FROM games WHERE game_id = ?1")?;
    let stored: Option<(i64, i64)> =
        find.query_row([game.id()], |row| Ok((row.get(0)?, row.get(1)?))).optional()?;
    let Some((id, stored)) = stored else { return insert(writing, game, words, mark) };
    if stored == mark {
        return Ok(());
    }
    let mut update =
        writing.prepare_cached("UPDATE games SET mark = ?2, words = ?3 WHERE id = ?1")?;
    update.execute(params![id, mark, words.folded()])?;
    writing.prepare_cached("DELETE FROM games_fts WHERE rowid = ?1")?.execute([id])?;
    insert_words(writing, id, words)
}

fn insert(
    writing: &Transaction<'_>,
    game: &Game,
    words: &Words<'_>,
    mark: i64,
) -> Result<(), IndexError> {
    let mut insert =
        writing.prepare_cached("INSERT INTO games(game_id, mark, words) VALUES(?1, ?2, ?3)")?;
    let id = insert.insert(params![game.id(), mark, words.folded()])?;
    insert_words(writing, id, words)
}

fn insert_words(writing: &Transaction<'_>, id: i64, words: &Words<'_>) -> Result<(), IndexError> {
    let mut insert = writing.prepare_cached(
        "INSERT INTO games_fts(rowid, title, platform, genre, developer, description)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6)",
    )?;
    let Words { title, platform, genre, developer, description } = words;
    insert.execute(params![id, title, platform, genre, developer, description])?;
    Ok(())
}

fn delete(writing: &Transaction<'_>, game_id: &str) -> Result<(), IndexError> {
    let mut delete = writing.prepare_cached("DELETE FROM games WHERE game_id = ?1 RETURNING id")?;
    let id: Option<i64> = delete.query_row([game_id], |row| row.get(0)).optional()?;
    if let Some(id) = id {
        writing.prepare_cached("DELETE FROM games_fts WHERE rowid = ?1")?.execute([id])?;
    }
    Ok(())
}

/// The reading side of the index.
pub(super) struct Reader(Connection);

impl Reader {
    /// Opens the file for reading.
    pub(super) fn open(path: &Path) -> Result<Self, IndexError> {
        connect(path, OpenFlags::SQLITE_OPEN_READ_ONLY).map(Self)
    }

    /// The ids of the best games: those with every word, by rank; when there are none, those that
    /// have the query as a part of title, platform or genre.
    pub(super) fn search(&self, query: &str, limit: usize) -> Result<Vec<String>, IndexError> {
        if let Some(words) = match_of(query) {
            let found = self.best(&words, limit)?;
            if !found.is_empty() {
                return Ok(found);
            }
        }
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut parts = self
            .0
            .prepare_cached("SELECT game_id FROM games WHERE instr(words, ?1) > 0 LIMIT ?2")?;
        let found = parts.query_map(params![text::fold(query.trim()), limit], |row| row.get(0))?;
        Ok(found.collect::<Result<_, _>>()?)
    }

    /// The ids of the games with every word, the best ones first.
    fn best(&self, words: &str, limit: usize) -> Result<Vec<String>, IndexError> {
        // All of it reads one state of the index, which the writer goes on changing.
        let reading = self.0.unchecked_transaction()?;
        let mut found = self.ranked(words, limit)?;
        if found.len() >= RANKED.max(limit) {
            // A word of a platform or a genre must not hide the games that are called so.
            found.extend(self.ranked(&in_titles(words), limit)?);
            found.sort_by(|one, other| one.0.cmp(&other.0).then(one.1.total_cmp(&other.1)));
            found.dedup_by_key(|(place, _)| *place);
        }
        found.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.0.cmp(&other.0)));
        found.truncate(limit);
        let mut id = reading.prepare_cached("SELECT game_id FROM games WHERE id = ?1")?;
        let ids = found.iter().map(|(place, _)| id.query_row([place], |row| row.get(0)));
        let ids: Vec<String> = ids.collect::<Result<_, _>>()?;
        Ok(ids)
    }

    /// The first games that answer and their points; fewer are better.
    fn ranked(&self, words: &str, limit: usize) -> Result<Vec<(i64, f64)>, IndexError> {
        let mut ranked = self.0.prepare_cached(
            "SELECT rowid, rank FROM games_fts WHERE games_fts MATCH ?1 LIMIT ?2",
        )?;
        let most = i64::try_from(RANKED.max(limit)).unwrap_or(i64::MAX);
        let found = ranked.query_map(params![words, most], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(found.collect::<Result<_, _>>()?)
    }
}
