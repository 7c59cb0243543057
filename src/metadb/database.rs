//! Queries to the database: one file, read only, shared between threads.

use std::{
    collections::HashMap,
    sync::{Mutex, OnceLock},
};

use rusqlite::{Connection, OptionalExtension as _, params};

use super::{build::VERSION, kinds, normal::normalise, titles::Titles};
use crate::{
    base::{Hold as _, text},
    databases, platforms,
};

/// A game of the database. A text is empty when it is unknown.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Its number.
    pub id: u32,
    pub name: String,
    /// The platform by its name in the database.
    pub platform: String,
    /// `yyyy-mm-dd`.
    pub release_date: String,
    /// Four digits.
    pub release_year: String,
    pub developer: String,
    pub publisher: String,
    /// Genres with `; ` between them.
    pub genre: String,
    pub overview: String,
    pub series: String,
    /// The rating of the ESRB with its description, `E - Everyone`.
    pub esrb: String,
    pub max_players: String,
    /// `true`, `false` or empty.
    pub cooperative: String,
    /// 0 to 5.
    pub community_rating: Option<f64>,
}

/// A picture of a game of the database.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// The field of the game it is for.
    pub kind: &'static str,
    /// What it shows, as named by the database.
    pub type_name: &'static str,
    /// Where it is from; empty when that is unknown.
    pub region: String,
    /// Its name on the server: one name, no folder.
    pub file: String,
    /// Its checksum.
    pub crc32: Option<u32>,
}

/// A game with a title that resembles another one.
#[derive(Clone, Debug, PartialEq)]
pub struct Near {
    /// The game.
    pub row: Row,
    /// The title, which may be another name of the game, normalised.
    pub title: String,
}

/// An open database. Opening it is cheap; what searching needs in memory is read at the first search.
pub struct Database {
    connection: Mutex<Connection>,
    platforms: Platforms,
    titles: OnceLock<Titles>,
}

/// The database that is in use at present.
pub type MetadbHandle = databases::DatabaseHandle<Database>;

impl databases::Database for Database {
    const NAME: &'static str = "metadata database";
    const VERSION: i64 = VERSION;

    fn of(connection: Connection) -> rusqlite::Result<Self> {
        let platforms = {
            let mut rows = connection.prepare("SELECT id, name FROM platforms ORDER BY id")?;
            let rows = rows.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
            Platforms::new(rows.collect::<Result<_, _>>()?)
        };
        Ok(Self { connection: Mutex::new(connection), platforms, titles: OnceLock::new() })
    }

    fn fact(&self, key: &str) -> Option<String> {
        let query = "SELECT value FROM facts WHERE key=?1";
        self.ask(|connection| connection.query_row(query, [key], |row| row.get(0)).optional())
    }
}

impl Database {
    /// At most `limit` games for a title, the likeliest first: equal titles, then titles that contain
    /// it; in both those of the platform first, then short names. The name of an arcade set or of a
    /// file means its title. Without any of them those that resemble it, in the platform when the
    /// database knows that.
    pub fn search(&self, title: &str, platform: Option<&str>, limit: usize) -> Vec<Row> {
        let wanted = normalise(title);
        if wanted.is_empty() {
            return Vec::new();
        }
        let titles = self.titles();
        let here = platform.and_then(|name| self.platforms.find(name));
        let mut games = Vec::new();
        if titles.equal(&wanted).is_empty()
            && let Some(named) = self.title_of_file(here, title)
        {
            let named = normalise(&named);
            let is_here = |platform| here.is_none_or(|here| here == platform);
            let equal = titles.equal(&named).iter().filter(|title| is_here(title.platform));
            games.extend(equal.map(|title| title.game));
        }
        games.extend(titles.containing(&wanted, here, limit));
        if games.is_empty() {
            let similar = titles.similar(&wanted, here, limit).into_iter();
            games = similar.map(|(game, _)| game).collect();
        }
        self.rows_of(games, limit)
    }

    /// The games with an equal title in a platform, by name, else by another name. Without a platform
    /// those of all platforms.
    pub fn exact(&self, title: &str, platform: Option<&str>) -> Vec<Row> {
        let wanted = normalise(title);
        let here = match platform.map(|name| self.platforms.find(name)) {
            Some(None) => return Vec::new(),
            Some(known) => known,
            None => None,
        };
        let titles = self.titles().equal(&wanted).iter();
        let equal: Vec<_> =
            titles.filter(|title| here.is_none_or(|here| here == title.platform)).collect();
        let has_name = equal.iter().any(|title| !title.is_alternate);
        let games = equal.iter().filter(|title| has_name != title.is_alternate);
        self.rows_of(games.map(|title| title.game).collect(), usize::MAX)
    }

    /// At most `limit` games of a platform with a title that resembles this one, the most alike first.
    pub fn near(&self, title: &str, platform: &str, limit: usize) -> Vec<Near> {
        let wanted = normalise(title);
        let Some(here) = self.platforms.find(platform).filter(|_| !wanted.is_empty()) else {
            return Vec::new();
        };
        let found = self.titles().similar(&wanted, Some(here), limit).into_iter();
        let near = |(game, title): (u32, &str)| {
            Some(Near { row: self.row(game)?, title: title.to_owned() })
        };
        found.filter_map(near).collect()
    }

    /// Whether the database has games of this platform, by our name or its own.
    pub fn knows_platform(&self, name: &str) -> bool {
        self.platforms.find(name).is_some()
    }

    /// The game of a number.
    pub fn row(&self, id: u32) -> Option<Row> {
        const QUERY: &str =
            "SELECT platform, name, release_date, release_year, developer, publisher,
            genre, overview, series, esrb, max_players, cooperative, rating FROM games WHERE id=?1";
        self.ask(|connection| {
            let mut query = connection.prepare_cached(QUERY)?;
            query
                .query_row([id], |row| {
                    let text = |at| row.get(at).map(Option::<String>::unwrap_or_default);
                    let date: String = text(2)?;
                    let year = text(3)?;
                    let year = if date.is_empty() { &year } else { &date };
                    Ok(Row {
                        id,
                        name: text(1)?,
                        platform: self.platforms.name(row.get(0)?).to_owned(),
                        release_year: text::cut(year, 4).to_owned(),
                        release_date: text::cut(&date, 10).to_owned(),
                        developer: text(4)?,
                        publisher: text(5)?,
                        genre: text(6)?,
                        overview: text(7)?,
                        series: text(8)?,
                        esrb: text(9)?,
                        max_players: text(10)?,
                        cooperative: text(11)?,
                        community_rating: row.get(12)?,
                    })
                })
                .optional()
        })
    }

    /// The pictures of a game that are media of games, by type and region.
    pub fn images(&self, id: u32) -> Vec<Image> {
        let lists: Option<Vec<String>> = self.ask(|connection| {
            let mut query = connection.prepare_cached("SELECT list FROM pictures WHERE game=?1")?;
            query.query_map([id], |row| row.get(0))?.collect::<Result<_, _>>().map(Some)
        });
        let lists = lists.unwrap_or_default();
        let mut images: Vec<_> =
            lists.iter().flat_map(|list| list.lines()).filter_map(image).collect();
        images.sort_by(|a, b| {
            (a.type_name, &a.region, &a.file).cmp(&(b.type_name, &b.region, &b.file))
        });
        images.dedup_by(|a, b| a.file == b.file && a.type_name == b.type_name);
        images
    }

    /// The title of an arcade set, or of the file of a computer's game, by its name without an
    /// extension.
    pub fn file_title(&self, platform: &str, stem: &str) -> Option<String> {
        self.title_of_file(Some(self.platforms.find(platform)?), stem)
    }

    /// Without a platform the first one that knows the file.
    fn title_of_file(&self, platform: Option<u16>, stem: &str) -> Option<String> {
        const QUERY: &str = "SELECT title FROM files WHERE platform=?1 AND stem=?2";
        let stem = stem.trim().to_lowercase();
        let all = 1..=self.platforms.count();
        let platforms = platform.map_or(all, |platform| platform..=platform);
        self.ask(|connection| {
            let mut query = connection.prepare_cached(QUERY)?;
            for platform in platforms {
                let found =
                    query.query_row(params![platform, stem], |row| row.get(0)).optional()?;
                if found.is_some() {
                    return Ok(found);
                }
            }
            Ok(None)
        })
    }

    fn rows_of(&self, mut games: Vec<u32>, limit: usize) -> Vec<Row> {
        let mut seen = std::collections::HashSet::new();
        games.retain(|game| seen.insert(*game));
        games.into_iter().take(limit).filter_map(|game| self.row(game)).collect()
    }

    fn titles(&self) -> &Titles {
        self.titles.get_or_init(|| {
            let list: Option<Vec<u8>> = self.ask(|connection| {
                connection.query_row("SELECT list FROM titles", [], |row| row.get(0)).optional()
            });
            list.and_then(|list| Titles::from_bytes(&list)).unwrap_or_else(|| {
                log::warn!("the titles of the metadata database cannot be read");
                Titles::default()
            })
        })
    }

    /// Asks the file; a failure is logged and nothing found.
    fn ask<T>(
        &self,
        question: impl FnOnce(&Connection) -> rusqlite::Result<Option<T>>,
    ) -> Option<T> {
        question(&self.connection.hold()).unwrap_or_else(|error| {
            log::warn!("the metadata database did not answer: {error}");
            None
        })
    }
}

fn image(line: &str) -> Option<Image> {
    let mut parts = line.split('\t');
    let (kind, type_name) = kinds::of_type(parts.next()?)?;
    let (region, file) = (parts.next()?.to_owned(), parts.next()?.to_owned());
    let crc32 = parts.next().and_then(|crc| crc.parse().ok());
    Some(Image { kind, type_name, region, file, crc32 })
}

/// The platforms of the database.
struct Platforms {
    names: HashMap<u16, String>,
    /// By folded name.
    ids: HashMap<String, u16>,
}

impl Platforms {
    fn new(rows: Vec<(u16, String)>) -> Self {
        let ids = rows.iter().map(|(id, name)| (text::fold(name), *id)).collect();
        Self { names: rows.into_iter().collect(), ids }
    }

    fn count(&self) -> u16 {
        self.names.keys().max().copied().unwrap_or(0)
    }

    fn name(&self, id: u16) -> &str {
        self.names.get(&id).map_or("", String::as_str)
    }

    /// A platform by our name, else by its own.
    fn find(&self, name: &str) -> Option<u16> {
        let ours = platforms::by_any_name(name).map(|known| known.metadb);
        let ours = ours.filter(|metadb| !metadb.is_empty()).unwrap_or(name);
        let known = |name: &str| self.ids.get(&text::fold(name.trim())).copied();
        known(ours).or_else(|| known(name))
    }
}

/// The platform of the library for one of the database: `present`, that of the game, when it means the
/// same there; else the platform of this program with that name, or the first of the table that has it there; else the
/// name as it is.
pub fn own_platform<'a>(metadb: &'a str, present: &'a str) -> &'a str {
    if metadb.is_empty() {
        return metadb;
    }
    let is_it = |platform: &platforms::Platform| platform.metadb == metadb;
    if platforms::by_any_name(present).is_some_and(is_it) {
        return present;
    }
    let named = platforms::by_name(metadb).filter(|platform| is_it(platform));
    let known = named.or_else(|| platforms::all().iter().find(|platform| is_it(platform)));
    known.map_or(metadb, |platform| platform.name)
}
