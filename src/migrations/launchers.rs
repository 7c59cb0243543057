//! The games of other launchers: the library of Bottles (`library.yml`) and the database of
//! itch (`butler.db`).
//!
//! Their games are imported like those of front ends: each has an identity of its launcher, and
//! playtime that the launcher counted is noted once.

use std::{collections::BTreeMap, path::Path};

use serde_json::Value;

use crate::{
    base::text,
    formats::yaml::{self, Node, YamlError},
    imports::{brought, known},
    model::Record,
    platforms,
    process::search,
    scan::{Tree as _, tree::Disk},
    storefronts::foreign_database,
};

/// Bytes of a list of Bottles, and of the settings of one of its prefixes.
const YAML_BYTES: usize = 4 << 20;
/// What a database begins with.
const DATABASE: &[u8] = b"SQLite format 3\0";
const BOTTLES: &str = "Bottles";
/// The name of its library.
const BOTTLES_LIBRARY: &str = "library.yml";
const BOTTLES_PACKAGE: &str = "com.usebottles.bottles";
const BOTTLES_COMMAND: &str = "bottles-cli";
/// The programs in the settings of a prefix.
const PROGRAMS: &str = "External_Programs";
const ITCH: &str = "itch";

/// The games of a list with their paths as they are written; `None` for a list of anything else.
pub fn games(path: &Path, bytes: &[u8], text: &str) -> Option<Vec<Record>> {
    if is_database(bytes) {
        return itch(path);
    }
    let has_name = path.file_name().is_some_and(|name| name == BOTTLES_LIBRARY);
    if has_name && is_empty(text) {
        return Some(Vec::new());
    }
    match text.trim_start().chars().next() {
        Some('<' | '[' | '{') | None => None,
        Some(_) => bottles(path, text),
    }
}

/// Whether a document of YAML holds nothing, as a library to which no program was added.
fn is_empty(text: &str) -> bool {
    text.trim().is_empty()
        || match yaml::parse(text.as_bytes(), YAML_BYTES) {
            Ok(Node::Map(pairs)) => pairs.is_empty(),
            Ok(Node::Null) | Err(YamlError::NotOne) => true,
            _ => false,
        }
}

/// Whether these bytes are a database.
pub fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(DATABASE)
}

/// A game of a launcher, known by its id there.
pub(super) fn game(launcher: &str, id: &str, name: &str) -> Record {
    let mut game = Record::default();
    game.set("name", name);
    game.set("source", known::FRONTEND);
    game.set("collection", launcher);
    game.set("source_identity", format!("frontend:{}:{id}", launcher.to_lowercase()));
    game
}

/// Sets a field to a text without blanks around it, unless it is empty.
pub(super) fn set(game: &mut Record, field: &str, value: &str) {
    if !value.trim().is_empty() {
        game.set(field, value.trim());
    }
}

fn inner<'a>(node: &'a Node, key: &str) -> Option<&'a Node> {
    let Node::Map(pairs) = node else { return None };
    pairs.iter().find(|(name, _)| name == key).map(|(_, node)| node)
}

fn text_of<'a>(node: &'a Node, key: &str) -> &'a str {
    inner(node, key).and_then(Node::as_text).unwrap_or_default()
}

/// Programs that the user put into the library of Bottles, or into one of its prefixes.
fn bottles(path: &Path, text: &str) -> Option<Vec<Record>> {
    let Ok(node @ Node::Map(_)) = yaml::parse(text.as_bytes(), YAML_BYTES) else { return None };
    let Node::Map(pairs) = &node else { return None };
    let start = bottles_command(path);
    if let Some(programs) = inner(&node, PROGRAMS) {
        return Some(programs_of_prefix(path, &node, programs, &start));
    }
    let is_entry =
        |node: &Node| inner(node, "bottle").is_some() && !text_of(node, "name").is_empty();
    if pairs.is_empty() || !pairs.iter().all(|(_, node)| is_entry(node)) {
        return None;
    }
    let folder = path.parent().unwrap_or(Path::new("/")).join("bottles");
    let mut settings: BTreeMap<String, Node> = BTreeMap::new();
    let mut entry = |(uuid, node): &(String, Node)| {
        let name = text_of(node, "name");
        let bottle = inner(node, "bottle").unwrap_or(node);
        // Older libraries name the prefix alone.
        let title = bottle.as_text().unwrap_or_else(|| text_of(bottle, "name"));
        let place = text_of(bottle, "path");
        let place = if place.is_empty() { title } else { place };
        let mut game = game(BOTTLES, uuid, name);
        game.set("platform", "Windows");
        game.set("launch", bottles_launch(&start, title, name));
        let is_plain = !place.is_empty() && !place.contains('/') && !place.starts_with('.');
        if is_plain {
            let prefix = folder.join(place);
            let settings = settings
                .entry(place.to_owned())
                .or_insert_with(|| read_yaml(&prefix.join("bottle.yml")));
            let program = program_of(settings, text_of(node, "id"), name);
            set_place(&mut game, &prefix, program);
        }
        game
    };
    Some(pairs.iter().map(&mut entry).collect())
}

/// The programs of the prefix with these settings, but for those that were taken out.
fn programs_of_prefix(path: &Path, settings: &Node, programs: &Node, start: &str) -> Vec<Record> {
    let prefix = path.parent().unwrap_or(Path::new("/"));
    let folder = prefix.file_name().unwrap_or_default().to_string_lossy();
    let title = Some(text_of(settings, "Name")).filter(|name| !name.is_empty());
    let title = title.unwrap_or(&folder);
    let Node::Map(programs) = programs else { return Vec::new() };
    let is_there = |program: &&(String, Node)| text_of(&program.1, "removed") != "true";
    let game = |(key, program): &(String, Node)| {
        let own = |name| Some(text_of(program, name)).filter(|text| !text.is_empty());
        let name = own("name").unwrap_or(key);
        let id = format!("{folder}/{}", own("id").unwrap_or(key));
        let mut game = game(BOTTLES, &id, name);
        game.set("platform", "Windows");
        game.set("launch", bottles_launch(start, title, name));
        set_place(&mut game, prefix, Some(program));
        game
    };
    programs.iter().filter(is_there).map(game).collect()
}

/// The command of Bottles on this machine, for what lies at this path.
fn bottles_command(path: &Path) -> String {
    let is_packaged = path.to_string_lossy().contains(BOTTLES_PACKAGE);
    let is_native = !is_packaged && search::on_path(BOTTLES_COMMAND).is_some();
    if is_native || !is_packaged && search::on_path("flatpak").is_none() {
        BOTTLES_COMMAND.to_owned()
    } else {
        format!("flatpak run --command={BOTTLES_COMMAND} {BOTTLES_PACKAGE}")
    }
}

fn bottles_launch(start: &str, bottle: &str, program: &str) -> String {
    let quoted = |word: &str| shlex::try_quote(word).map_or_else(|_| String::new(), Into::into);
    format!("{start} run -b {} -p {}", quoted(bottle), quoted(program))
}

/// Sets the prefix of a game, and its program: that of a path of Windows lies in the prefix.
fn set_place(game: &mut Record, prefix: &Path, program: Option<&Node>) {
    set(game, "wine_prefix", &prefix.to_string_lossy());
    let path = program.map_or("", |program| text_of(program, "path"));
    let inside = path.strip_prefix("C:\\").or_else(|| path.strip_prefix("C:/"));
    match inside {
        Some(inside) => {
            let file = prefix.join("drive_c").join(inside.replace('\\', "/"));
            set(game, "path", &file.to_string_lossy());
        }
        None => set(game, "path", path),
    }
}

fn read_yaml(path: &Path) -> Node {
    let bytes = Disk.read_start(path, YAML_BYTES as u64).unwrap_or_default();
    yaml::parse(&bytes, YAML_BYTES).unwrap_or(Node::Null)
}

/// The program of a prefix with this id, else with this name.
fn program_of<'a>(settings: &'a Node, id: &str, name: &str) -> Option<&'a Node> {
    let Some(Node::Map(programs)) = inner(settings, PROGRAMS) else { return None };
    let by = |key: &str, wanted: &str| {
        programs.iter().map(|(_, program)| program).find(|program| text_of(program, key) == wanted)
    };
    by("id", id).filter(|_| !id.is_empty()).or_else(|| by("name", name))
}

/// The games that itch has installed.
fn itch(path: &Path) -> Option<Vec<Record>> {
    let rows = |table: &str| {
        let rows = foreign_database::table(path, table);
        rows.map_err(|error| log::warn!("a database was not read: {error}")).ok()
    };
    let by_id = |rows: Vec<Record>| -> BTreeMap<String, Record> {
        rows.into_iter().map(|row| (row.shown("id"), row)).collect()
    };
    let (caves, titles) = (rows("caves")?, by_id(rows("games")?));
    let places = by_id(rows("installlocations").unwrap_or_default());
    let mut found: BTreeMap<String, (u64, Record)> = BTreeMap::new();
    for cave in caves {
        let id = cave.shown("gameid");
        let Some(title) = titles.get(&id).filter(|title| is_game(title)) else { continue };
        let seconds = cave.count("secondsrun");
        let best = found.get(&id).is_none_or(|(other, _)| seconds > *other);
        if best {
            found.insert(id.clone(), (seconds, itch_game(&id, title, &cave, &places, seconds)));
        }
    }
    Some(found.into_values().map(|(_, game)| game).collect())
}

fn is_game(title: &Record) -> bool {
    ["", "game"].contains(&title.text("classification")) && !title.text("title").trim().is_empty()
}

fn itch_game(
    id: &str,
    title: &Record,
    cave: &Record,
    places: &BTreeMap<String, Record>,
    seconds: u64,
) -> Record {
    let mut game = game(ITCH, id, title.text("title").trim());
    set(&mut game, "description", title.text("shorttext"));
    let verdict: Value = serde_json::from_str(cave.text("verdict")).unwrap_or_default();
    let place = places.get(&cave.shown("installlocationid")).map_or("", |row| row.text("path"));
    let folder = match cave.text("custominstallfolder") {
        "" if place.is_empty() => verdict["basePath"].as_str().unwrap_or_default().to_owned(),
        "" => format!("{place}/{}", cave.text("installfoldername")),
        own => own.to_owned(),
    };
    let candidate = &verdict["candidates"][0];
    let (flavor, file) = (candidate["flavor"].as_str(), candidate["path"].as_str());
    let platform = match flavor {
        Some("linux" | "script") => "Linux",
        Some("windows" | "windows-script") => "Windows",
        _ => "PC",
    };
    game.set("platform", platform);
    set(&mut game, "install_dir", &folder);
    if let Some(file) = file.filter(|_| !folder.is_empty()) {
        game.set("path", format!("{folder}/{file}"));
    }
    game.set("launch", format!("xdg-open itch://caves/{}/launch", cave.shown("id")));
    let last = brought::last_play(&cave.text("lasttouchedat").replacen(' ', "T", 1));
    brought::note(&mut game, ITCH, seconds, &last);
    game
}

/// Whether what another program starts is an address and no file.
pub fn is_address(file: &str) -> bool {
    file.contains("://")
}

/// The command that opens an address.
pub fn opening(address: &str) -> String {
    let address = shlex::try_quote(address.trim()).map_or_else(|_| String::new(), Into::into);
    format!("xdg-open {address}")
}

/// The platform that a name of another program means; the name itself for an unknown one.
pub fn platform_of(name: &str) -> &str {
    let plain = name.split('(').next().unwrap_or(name);
    let is_computer = plain.trim() == "PC" && text::fold(name).contains("windows");
    if is_computer {
        return "Windows";
    }
    let known = platforms::by_name(name).or_else(|| platforms::by_folder(name));
    known.map_or(name, |platform| platform.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_library_of_bottles_may_be_empty() {
        let games = |path: &str, text: &str| games(Path::new(path), text.as_bytes(), text);
        for text in ["{}\n", "{}", " {}\r\n", "", "---\n", "~"] {
            assert_eq!(games("/b/library.yml", text), Some(Vec::new()), "{text:?}");
            assert_eq!(games("/b/other.yml", text), None, "{text:?}");
        }
        assert_eq!(games("/b/library.yml", "{\"a\": 1}"), None);
    }

    #[test]
    fn platforms_go_by_their_names_elsewhere() {
        for (name, expected) in [
            ("PC (Windows)", "Windows"),
            ("Nintendo Super Nintendo Entertainment System", "SNES"),
            ("Sony PlayStation 2", "PlayStation 2"),
            ("Atari ST/STE", "Atari ST"),
            ("Handheld Electronic Game", "Game & Watch"),
            ("Sega - Mega Drive - Genesis", "Sega Genesis"),
            ("Something Else", "Something Else"),
            ("", ""),
        ] {
            assert_eq!(platform_of(name), expected, "{name}");
        }
    }
}
