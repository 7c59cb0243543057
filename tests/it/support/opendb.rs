//! A stand-in for the database of libretro: its archive in the real form, and the listed boxes.

use std::{
    io::{Cursor, Write as _},
    path::Path,
};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
    stream::{job, started},
    wait::until,
};

/// Downloads the database.
pub(crate) const SYNC: &str = "/api/v2/opendb/sync";
/// Where the archive lies.
pub(crate) const ARCHIVE: &str = "/zip/refs/heads/master";
/// Developer, genre and year of every game.
pub(crate) const FACTS: [(&str, &str, &str); 3] = [
    ("developer", "developer", "Aster"),
    ("genre", "genre", "Shooter"),
    ("releaseyear", "year", "1994"),
];

/// A game of the database.
#[derive(Clone, Debug)]
pub(crate) struct Listed {
    /// The name of its list.
    pub(crate) set: &'static str,
    pub(crate) name: String,
    /// What its file is known by, as lists of facts have it: `rom ( crc 0000000A )`.
    pub(crate) code: String,
    /// The name of an arcade set; empty for every other game.
    pub(crate) arcade: String,
}

impl Listed {
    /// A game that is known by the checksum of its file.
    pub(crate) fn by_content(set: &'static str, name: String, content: &[u8]) -> Self {
        let code = format!("rom ( crc {:08X} )", crc32fast::hash(content));
        Self { set, name, code, arcade: String::new() }
    }
}

/// The sets of games, each once, in their order.
fn sets(games: &[Listed]) -> Vec<&'static str> {
    let mut sets: Vec<_> = games.iter().map(|game| game.set).collect();
    sets.dedup();
    sets
}

/// The archive: a list for each fact and set, and lists of the sets of arcade games.
pub(crate) fn archive(games: &[Listed]) -> Vec<u8> {
    let mut bytes = Cursor::new(Vec::new());
    let mut zip = ZipWriter::new(&mut bytes);
    let mut add = |folder: &str, set: &str, rows: String| {
        let path = format!("libretro-database-master/metadat/{folder}/{set}.dat");
        zip.start_file(path, SimpleFileOptions::default()).expect("a member");
        let text = format!("clrmamepro (\n\tname \"{set}\"\n)\n\n{rows}");
        zip.write_all(text.as_bytes()).expect("written");
    };
    for set in sets(games) {
        let of_set = || games.iter().filter(|game| game.set == set);
        for (folder, _, value) in FACTS {
            let row = |game: &Listed| {
                let Listed { name, code, .. } = game;
                format!("game (\n\tcomment \"{name}\"\n\t{folder} \"{value}\"\n\t{code}\n)\n\n")
            };
            add(folder, set, of_set().map(row).collect());
        }
        let arcade = of_set().filter(|game| !game.arcade.is_empty()).map(|game| {
            let Listed { name, code, arcade, .. } = game;
            format!("game (\n\tname {arcade}\n\tdescription \"{name}\"\n\t{code}\n)\n\n")
        });
        add("mame", set, arcade.collect());
    }
    zip.finish().expect("finished");
    bytes.into_inner()
}

/// The box of a game.
pub(crate) fn picture() -> Vec<u8> {
    jpeg(60, 80, 7)
}

/// Whether a path of the stand-in is that of a picture.
pub(crate) fn is_picture(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|ending| ending == "png")
}

pub(crate) fn not_found() -> Reply {
    Reply::new("404 Not Found", "text/html", "<html>not found</html>")
}

/// What the servers of archive and pictures answer: lists name every box, and no other picture.
pub(crate) fn answer(games: &[Listed], path: &str) -> Reply {
    if path == ARCHIVE {
        return Reply::new("200 OK\r\nETag: \"1\"", "application/zip", archive(games));
    }
    if is_picture(path) {
        let is_box = path.contains("/Named_Boxarts/");
        return if is_box { Reply::new("200 OK", "image/png", picture()) } else { not_found() };
    }
    if path.ends_with("/Named_Boxarts/") {
        let links = games.iter().map(|game| {
            let name = game.name.replace('&', "_").replace(' ', "%20");
            format!("<a href=\"{name}.png\">{name}</a>")
        });
        return Reply::new("200 OK", "text/html", links.collect::<String>());
    }
    if path.contains("/Named_") && path.ends_with('/') {
        return Reply::new("200 OK", "text/html", "<a href=\"Nothing.png\">Nothing</a>");
    }
    not_found()
}

/// The program with this stand-in instead of the real database.
pub(crate) fn setup(provider: &Provider) -> Setup {
    let base = provider.base();
    Setup::new().env("SERVICE_OPENDB_BASE", &base).env("SERVICE_OPENDB_IMAGE_BASE", &base)
}

/// Starts a job and waits for its end; its document.
pub(crate) fn run(server: &Server, path: &str, body: &Value) -> Value {
    ended(server, &started(server, path, body))
}

/// The document of a job once it has ended.
pub(crate) fn ended(server: &Server, id: &str) -> Value {
    until("the end of the job", || {
        let job = job(server, id);
        let is_active = ["queued", "running", "cancelling"].contains(&job["state"].as_str()?);
        (!is_active).then_some(job)
    })
}

pub(crate) fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("games").clone()
}

/// The facts of a game, and whether it has a box.
pub(crate) fn shown(game: &Value) -> Value {
    let facts = FACTS.map(|(_, field, _)| game[field].clone());
    json!([facts, game["has_cover"]])
}

/// What [`shown`] gives for a game that got everything.
pub(crate) fn filled() -> Value {
    json!([FACTS.map(|(_, _, value)| value), true])
}
