//! The database file, made from the records of the dump.
//!
//! The file is written without any protection against a crash, because it counts only after it was
//! finished, made durable and renamed. Pictures are stored in the runs in which they come, one row for
//! each game, so that a million of them needs no index.

use std::{collections::HashMap, path::Path};

use rusqlite::{Connection, OpenFlags, params};

use super::{
    kinds,
    normal::normalise,
    titles::{Title, Titles},
};
use crate::formats::metadata_dump::{Broken, Field, Kind, Record};

/// Counted up whenever the tables or what they hold change; a file of another version is not opened.
pub(super) const VERSION: i64 = 1;

/// Memory for pages, in KiB; more are written out.
const CACHE_KIB: i64 = 12 << 10;

const TABLES: &str = "
    CREATE TABLE facts(key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
    CREATE TABLE platforms(id INTEGER PRIMARY KEY, name TEXT NOT NULL);
    CREATE TABLE games(id INTEGER PRIMARY KEY, platform INTEGER NOT NULL, name TEXT NOT NULL,
        release_date TEXT, release_year TEXT, developer TEXT, publisher TEXT, genre TEXT,
        overview TEXT, series TEXT, esrb TEXT, max_players TEXT, cooperative TEXT, rating REAL);
    CREATE TABLE pictures(game INTEGER NOT NULL, list TEXT NOT NULL);
    CREATE TABLE files(platform INTEGER NOT NULL, stem TEXT NOT NULL, title TEXT NOT NULL,
        PRIMARY KEY(platform, stem)) WITHOUT ROWID;
    CREATE TABLE titles(list BLOB NOT NULL);
";
const GAME: &str =
    "INSERT OR IGNORE INTO games VALUES(?1,?2,?3,?4,?5,?6,?7,?8,?9,?10,?11,?12,?13,?14)";
const PICTURES: &str = "INSERT INTO pictures VALUES(?1,?2)";
const FILE: &str = "INSERT OR IGNORE INTO files VALUES(?1,?2,?3)";

/// The platform of arcade sets in the database.
const ARCADE: &str = "Arcade";
/// The longest name of a picture, in bytes.
const FILE_NAME_BYTES: usize = 200;
/// Bytes of the titles together.
const TITLE_BYTES: usize = 512 << 20;
/// Platforms of the database.
const PLATFORMS: usize = 10_000;

/// Why a database is not made.
#[derive(Debug, thiserror::Error)]
pub(super) enum BuildError {
    #[error(transparent)]
    Dump(#[from] Broken),
    #[error("the file of the database could not be written: {0}")]
    Database(#[from] rusqlite::Error),
    #[error("it has more titles or platforms than can be kept")]
    TooMany,
    #[error("it has no game")]
    NoGame,
    #[error("it was asked to stop")]
    Stopped,
}

/// How much a database holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Counts {
    pub games: u64,
    pub pictures: u64,
}

/// A database that is being made.
pub(super) struct Builder {
    connection: Connection,
    platforms: HashMap<String, u16>,
    titles: Vec<(String, Title)>,
    title_bytes: usize,
    /// The pictures of the game whose records come at present.
    run: (i64, String),
    counts: Counts,
}

impl Builder {
    /// A database in an empty file.
    pub fn new(path: &Path) -> Result<Self, BuildError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
            | OpenFlags::SQLITE_OPEN_NO_MUTEX
            | OpenFlags::SQLITE_OPEN_NOFOLLOW;
        let connection = Connection::open_with_flags(path, flags)?;
        connection.pragma_update(None, "journal_mode", "off")?;
        connection.pragma_update(None, "synchronous", "off")?;
        connection.pragma_update(None, "locking_mode", "exclusive")?;
        connection.pragma_update(None, "cache_size", -CACHE_KIB)?;
        connection.pragma_update(None, "page_size", 8 << 10)?;
        connection.execute_batch("BEGIN")?;
        connection.execute_batch(TABLES)?;
        Ok(Self {
            connection,
            platforms: HashMap::new(),
            titles: Vec::new(),
            title_bytes: 0,
            run: (0, String::new()),
            counts: Counts::default(),
        })
    }

    /// Takes a record over. One without what it needs is left out.
    pub fn take(&mut self, record: &Record) -> Result<(), BuildError> {
        match record.kind() {
            Kind::Game => self.game(record),
            Kind::AlternateName => {
                let Some(game) = number(record) else { return Ok(()) };
                self.title(record.text(Field::AlternateName), game, 0, true)
            }
            Kind::Image => self.picture(record),
            Kind::MameFile => {
                let platform = self.platform(ARCADE)?;
                self.file(platform, record.text(Field::FileName), record.text(Field::Name))
            }
            Kind::File => {
                let platform = self.platform(record.text(Field::Platform))?;
                self.file(platform, record.text(Field::FileName), record.text(Field::GameName))
            }
        }
    }

    /// Writes what is left, and the facts; returns the counts.
    pub fn finish(mut self, facts: &[(&str, &str)]) -> Result<Counts, BuildError> {
        if self.counts.games == 0 {
            return Err(BuildError::NoGame);
        }
        self.end_run()?;
        let platforms = self.game_platforms()?;
        let mut titles = std::mem::take(&mut self.titles);
        // The platform of another name is that of its game; names of unknown games are left out.
        titles.retain_mut(|(_, title)| {
            let platform = platforms.get(&title.game);
            title.platform = platform.copied().unwrap_or(title.platform);
            platform.is_some()
        });
        let titles = Titles::new(titles).to_bytes();
        self.connection.execute("INSERT INTO titles VALUES(?1)", [titles])?;
        for (name, id) in &self.platforms {
            self.connection.execute("INSERT INTO platforms VALUES(?1,?2)", params![id, name])?;
        }
        let (games, images) = (self.counts.games.to_string(), self.counts.pictures.to_string());
        let counts = [("games", games.as_str()), ("images", images.as_str())];
        for (key, value) in facts.iter().chain(&counts) {
            self.connection.execute("INSERT INTO facts VALUES(?1,?2)", params![key, value])?;
        }
        self.connection.execute_batch("CREATE INDEX pictures_of ON pictures(game)")?;
        self.connection.pragma_update(None, "user_version", VERSION)?;
        self.connection.execute_batch("COMMIT")?;
        self.connection.close().map_err(|(_, error)| error)?;
        Ok(self.counts)
    }

    /// The platform of every game.
    fn game_platforms(&self) -> Result<HashMap<u32, u16>, BuildError> {
        let mut rows = self.connection.prepare("SELECT id, platform FROM games")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
        Ok(rows.collect::<Result<_, _>>()?)
    }

    fn game(&mut self, record: &Record) -> Result<(), BuildError> {
        let name = record.text(Field::Name);
        let Some(id) = number(record).filter(|_| !name.is_empty()) else { return Ok(()) };
        let platform = self.platform(record.text(Field::Platform))?;
        let text = |field| Some(record.text(field)).filter(|text| !text.is_empty());
        let genre = text(Field::Genres).or_else(|| text(Field::Genre)).map(genres);
        let rating: Option<f64> = text(Field::CommunityRating).and_then(|text| text.parse().ok());
        let rating = rating.filter(|rating| (0.0..=5.0).contains(rating));
        let is_new = self.connection.prepare_cached(GAME)?.execute(params![
            id,
            platform,
            name,
            text(Field::ReleaseDate),
            text(Field::ReleaseYear),
            text(Field::Developer),
            text(Field::Publisher),
            genre,
            text(Field::Overview),
            text(Field::Series),
            text(Field::Esrb),
            text(Field::MaxPlayers),
            text(Field::Cooperative),
            rating,
        ])?;
        if is_new == 1 {
            self.counts.games += 1;
            self.title(name, id, platform, false)?;
        }
        Ok(())
    }

    fn title(
        &mut self,
        name: &str,
        game: u32,
        platform: u16,
        is_alternate: bool,
    ) -> Result<(), BuildError> {
        let text = normalise(name);
        if text.is_empty() {
            return Ok(());
        }
        self.title_bytes += text.len() + size_of::<(String, Title)>();
        if self.title_bytes > TITLE_BYTES {
            return Err(BuildError::TooMany);
        }
        let length = u16::try_from(name.chars().count()).unwrap_or(u16::MAX);
        self.titles.push((text, Title { game, platform, length, is_alternate }));
        Ok(())
    }

    fn picture(&mut self, record: &Record) -> Result<(), BuildError> {
        let Some(game) = record.number(Field::DatabaseId) else { return Ok(()) };
        let name = record.text(Field::FileName);
        let Some((_, kind)) = kinds::of_type(record.text(Field::Type)) else { return Ok(()) };
        // A name with a folder is no address of a picture there.
        let is_plain = !name.contains(['/', '\\', '\t', '\n', '?', '#', '%'])
            && !name.starts_with('.')
            && name.len() <= FILE_NAME_BYTES;
        if name.is_empty() || !is_plain {
            return Ok(());
        }
        if self.run.0 != game {
            self.end_run()?;
            self.run.0 = game;
        }
        let region = record.text(Field::Region).replace(['\t', '\n'], " ");
        let crc = record.text(Field::Crc32).parse::<u32>().ok();
        let crc = crc.map(|crc| crc.to_string()).unwrap_or_default();
        self.run.1.extend([kind, "\t", &region, "\t", name, "\t", &crc, "\n"]);
        self.counts.pictures += 1;
        Ok(())
    }

    fn end_run(&mut self) -> Result<(), BuildError> {
        let (game, list) = &mut self.run;
        if !list.is_empty() {
            self.connection.prepare_cached(PICTURES)?.execute(params![*game, *list])?;
            list.clear();
        }
        Ok(())
    }

    fn file(&mut self, platform: u16, stem: &str, title: &str) -> Result<(), BuildError> {
        if stem.is_empty() || title.is_empty() {
            return Ok(());
        }
        let stem = stem.to_lowercase();
        self.connection.prepare_cached(FILE)?.execute(params![platform, stem, title])?;
        Ok(())
    }

    fn platform(&mut self, name: &str) -> Result<u16, BuildError> {
        if let Some(known) = self.platforms.get(name) {
            return Ok(*known);
        }
        if self.platforms.len() >= PLATFORMS {
            return Err(BuildError::TooMany);
        }
        let id = u16::try_from(self.platforms.len() + 1).map_err(|_| BuildError::TooMany)?;
        self.platforms.insert(name.to_owned(), id);
        Ok(id)
    }
}

/// The number of the game of a record.
fn number(record: &Record) -> Option<u32> {
    u32::try_from(record.number(Field::DatabaseId)?).ok()
}

/// Genres with `; ` between them.
fn genres(text: &str) -> String {
    let genres: Vec<_> = text.split(';').map(str::trim).filter(|genre| !genre.is_empty()).collect();
    genres.join("; ")
}
