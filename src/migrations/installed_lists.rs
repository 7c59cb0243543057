//! The lists of launchers that are on this machine, where they usually are: found and read, never written.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use crate::{
    files::Files,
    formats::sheet_text,
    imports::{Incoming, known},
    model::Record,
};

use super::{
    launchers,
    list_layout::ListLayout,
    merge,
    options::Options,
    other_lists,
    paths::{self, RealFolders},
};

/// Where launchers keep their lists, below the home: as programs and as sandboxed packages.
const USUAL: [(&str, &str); 4] = [
    ("itch", ".config/itch/db/butler.db"),
    ("itch", ".var/app/io.itch.itch/config/itch/db/butler.db"),
    ("Bottles", ".local/share/bottles/library.yml"),
    ("Bottles", ".var/app/com.usebottles.bottles/data/bottles/library.yml"),
];
/// Bytes of a list.
const LIST_BYTES: u64 = 32 << 20;

/// The lists that are there, with the names of their launchers.
pub fn usual(home: &Path) -> Vec<(&'static str, PathBuf)> {
    let places = USUAL.map(|(launcher, place)| (launcher, home.join(place)));
    places.into_iter().filter(|(_, place)| place.is_file()).collect()
}

/// The games of the list at this path.
///
/// # Errors
/// A sentence for the client when it cannot be read or holds nothing that is known here.
pub fn read(files: &Files, path: &Path, home: &Path) -> Result<Vec<Incoming>, String> {
    let bytes = paths::read_list(path, LIST_BYTES, files).map_err(|error| error.to_string())?;
    // A database is not text; as one it would only take memory.
    let is_database = launchers::is_database(&bytes);
    let text = if is_database { String::new() } else { sheet_text::decode(&bytes) };
    let games = other_lists::games(path, &bytes, &text);
    let games = games.ok_or("The list holds no games that are known here.")?;
    let layout = ListLayout::new(path.parent().unwrap_or(Path::new("/")), String::new());
    let options = Options::default();
    let resolve = |path: &str| paths::resolve(path, &options, &layout, home);
    // A row that cannot be used is skipped, as in other sources.
    let rows = games.iter().filter_map(|game| other_lists::read(game, &resolve).ok());
    let mut folders = RealFolders::default();
    let rows = rows.map(|mut record| {
        if let Some(real) = folders.real(record.text("path")) {
            record.set("path", real);
        }
        record
    });
    let rows: Vec<Record> = rows.collect();
    let mut rows_of: HashMap<&str, usize> = HashMap::new();
    for row in &rows {
        *rows_of.entry(row.text("path")).or_default() += 1;
    }
    let are_files: Vec<bool> =
        rows.iter().map(|row| is_own_file(row, rows_of[row.text("path")] > 1)).collect();
    let games = rows.into_iter().zip(are_files);
    Ok(games.map(|(row, is_file)| Incoming { is_file, ..merge::incoming(row) }).collect())
}

/// Whether the path of a row tells which game it is, so that the game is known where the library has its file. It does
/// not for one of several games in an archive or of an engine, nor where rows of the list share a file and differ in
/// how they start.
fn is_own_file(row: &Record, is_shared: bool) -> bool {
    let is_one_of_several = !row.is_blank(merge::MEMBER) || !row.is_blank(merge::ENGINE_ID);
    let is_apart = is_shared && merge::APART.iter().any(|field| !row.is_blank(field));
    known::is_file(row) && !is_one_of_several && !is_apart
}
