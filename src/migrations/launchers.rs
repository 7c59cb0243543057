//! The games of other launchers: the library of Bottles (`library.yml`), the database of
//! itch (`butler.db`), and libraries that Playnite exported as JSON.
//!
//! Their games are imported like those of front ends: each has an identity of its launcher, and
//! playtime that the launcher counted is noted once.

use std::{collections::BTreeMap, path::Path};

use serde_json::{Map, Value, json};

use super::paths::stem;
use crate::{
    base::{Moment, limits, text},
    formats::yaml::{self, Node},
    imports::{brought, known},
    model::{
        Record,
        inner_stores::{self, InnerStore},
    },
    names::marker::{self, Marked},
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
const BOTTLES_PACKAGE: &str = "com.usebottles.bottles";
const BOTTLES_COMMAND: &str = "bottles-cli";
/// The programs in the settings of a prefix.
const PROGRAMS: &str = "External_Programs";
const ITCH: &str = "itch";
const PLAYNITE: &str = "Playnite";

/// Keys that the list of games stands under in an export of Playnite; PowerShell writes the second.
const LISTS: [&str; 2] = ["Games", "value"];
/// What stands for the folder of a game of Playnite.
const INSTALLED: &str = "{InstallDir}";
/// What Playnite calls the states of progress.
const PROGRESS: [(&str, &str); 6] = [
    ("Playing", "Playing"),
    ("On Hold", "Paused"),
    ("Beaten", "Beaten"),
    ("Completed", "Completed"),
    ("Mastered", "Mastered"),
    ("Abandoned", "Abandoned"),
];

/// What the names of sources begin with that Playnite gives to inner stores of the second store. The ids of
/// games are the same in both.
const INNER_STORES: [(&str, &InnerStore); 3] =
    [("gog", &inner_stores::GOG), ("epic", &inner_stores::EPIC), ("amazon", &inner_stores::AMAZON)];

/// The source of games of the first store.
const STEAM: &str = "steam";
/// The sources of the add-ons of Playnite that bring the games of a store.
const PLUGINS: [(&str, &str); 4] = [
    ("cb91dfc9-b977-43bf-8e70-55f46e410fab", STEAM),
    ("aebe8b7c-6dc3-4a66-af31-e7375c6b5e9e", "gog"),
    ("00000002-dbd1-46c6-b5d0-b1ba559d10e4", "epic"),
    ("402674cd-4af6-4886-b6ec-0e695bfa0688", "amazon"),
];

/// The games of a list with their paths as they are written; `None` for a list of anything else.
pub fn games(path: &Path, bytes: &[u8], text: &str) -> Option<Vec<Record>> {
    if is_database(bytes) {
        return itch(path);
    }
    match text.trim_start().chars().next() {
        Some('[' | '{') => playnite(text),
        Some('<') | None => None,
        Some(_) => bottles(path, text),
    }
}

/// Whether these bytes are a database.
pub fn is_database(bytes: &[u8]) -> bool {
    bytes.starts_with(DATABASE)
}

/// A game of a launcher, known by its id there.
fn game(launcher: &str, id: &str, name: &str) -> Record {
    let mut game = Record::default();
    game.set("name", name);
    game.set("source", known::FRONTEND);
    game.set("collection", launcher);
    game.set("source_identity", format!("frontend:{}:{id}", launcher.to_lowercase()));
    game
}

fn set(game: &mut Record, field: &str, value: &str) {
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

/// The games of a library that Playnite exported.
fn playnite(text: &str) -> Option<Vec<Record>> {
    let value: Value = serde_json::from_str(text).ok()?;
    let lists = LISTS.iter().find_map(|key| value.get(key)?.as_array());
    let list = value.as_array().or(lists)?;
    let is_one = |game: &Map<String, Value>| {
        let keys = ["Playtime", "GameId", "Platforms", "IsInstalled", "GameActions"];
        game.contains_key("Name") && keys.iter().any(|key| game.contains_key(*key))
    };
    let games: Option<Vec<&Map<String, Value>>> = list.iter().map(Value::as_object).collect();
    let games = games.filter(|games| !games.is_empty() && games.iter().all(|game| is_one(game)))?;
    Some(games.into_iter().map(playnite_game).collect())
}

/// A text, or the name of an object.
fn name_of(value: &Value) -> &str {
    value.as_str().or_else(|| value.get("Name")?.as_str()).unwrap_or_default().trim()
}

fn names(game: &Map<String, Value>, key: &str) -> Vec<String> {
    let list = game.get(key).and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    list.iter().map(name_of).filter(|name| !name.is_empty()).map(str::to_owned).collect()
}

fn playnite_game(row: &Map<String, Value>) -> Record {
    let text = |key: &str| row.get(key).map_or("", name_of);
    let id = if text("Id").is_empty() { text("Name") } else { text("Id") };
    let mut game = game(PLAYNITE, id, text("Name"));
    for (field, key) in [
        ("genre", "Genres"),
        ("developer", "Developers"),
        ("publisher", "Publishers"),
        ("series", "Series"),
        ("region", "Regions"),
    ] {
        set(&mut game, field, &names(row, key).join(", "));
    }
    let platform = names(row, "Platforms").into_iter().next().unwrap_or_default();
    set(&mut game, "platform", platform_of(&platform));
    set(&mut game, "sort_title", text("SortingName"));
    set(&mut game, "description", &without_marks(text("Description")));
    set(&mut game, "year", &playnite_year(row.get("ReleaseDate").unwrap_or(&Value::Null)));
    for (field, key) in [("favorite", "Favorite"), ("hidden", "Hidden")] {
        if row.get(key) == Some(&Value::Bool(true)) {
            game.set(field, true);
        }
    }
    let progress = text("CompletionStatus");
    let known = PROGRESS.iter().find(|(theirs, _)| *theirs == progress);
    if let Some((_, progress)) = known {
        game.set("progress", *progress);
    }
    let ratings = names(row, "AgeRatings");
    let audience = ratings.iter().find_map(|rating| rating.strip_prefix("ESRB "));
    set(&mut game, "esrb", audience.unwrap_or_default());
    let number = |key: &str| row.get(key).and_then(Value::as_u64).unwrap_or(0);
    let scores = ["UserScore", "CommunityScore", "CriticScore"].map(number);
    let score = scores.into_iter().find(|score| *score > 0).unwrap_or(0);
    let score = u32::try_from(score.min(100)).unwrap_or(0);
    if score > 0 {
        game.set("rating", f64::from(score) / 20.0);
    }
    if number("PlayCount") > 0 {
        game.set("play_count", number("PlayCount"));
    }
    set_marks(&mut game, row);
    let last = brought::last_play(text("LastActivity"));
    set(&mut game, "last_played", &last);
    brought::note(&mut game, PLAYNITE, number("Playtime"), &last);
    let folder = text("InstallDirectory").trim_end_matches('\\');
    let is_play = |action: &&Value| action["IsPlayAction"] == true;
    let actions = row.get("GameActions").and_then(Value::as_array);
    let action = actions.and_then(|actions| actions.iter().find(is_play));
    let file = action.and_then(|action| action["Path"].as_str()).unwrap_or_default();
    let files = row.get("Roms").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
    if files.iter().any(|file| file["Path"].is_string()) {
        set_files(&mut game, files, folder);
    } else if is_address(file) {
        game.set("launch", opening(file));
    } else {
        set(&mut game, "path", &file.replace(INSTALLED, folder));
    }
    set_store(&mut game, row);
    game
}

/// The year of a date, which is a text, an object with one, or an object of year, month and day; blank for none.
fn playnite_year(date: &Value) -> String {
    let text = date.as_str().or_else(|| date["ReleaseDate"].as_str());
    let of_text = || text?.get(..4)?.parse::<u64>().ok();
    let year = date["Year"].as_u64().or_else(of_text);
    // A date that was never set is one of the year 1.
    let year = year.filter(|year| (1_000..10_000).contains(year));
    year.map(|year| year.to_string()).unwrap_or_default()
}

/// Sets the files of a game of Playnite: the first is the game, the others are its discs where the names say
/// so, else versions of it.
fn set_files(game: &mut Record, files: &[Value], folder: &str) {
    let file = |file: &Value| {
        let path = file["Path"].as_str()?.trim().replace(INSTALLED, folder);
        let name = name_of(file);
        let name = if name.is_empty() { path.clone() } else { name.to_owned() };
        (!path.is_empty()).then_some((name, path))
    };
    let mut files: Vec<(String, String)> = files.iter().filter_map(file).collect();
    let is_game = |path: &str, title: &str| {
        disc_of(path).is_some_and(|disc| text::fold(&disc.title) == text::fold(title))
    };
    let title = files.first().and_then(|(_, path)| Some(disc_of(path)?.title.into_owned()));
    if title.is_some_and(|title| files.iter().all(|(_, path)| is_game(path, &title))) {
        files.sort_by_cached_key(|(_, path)| disc_of(path).map(|disc| disc.order()));
        if files.len() > 1 {
            game.set("discs", files.iter().map(|(_, path)| path.as_str()).collect::<Vec<_>>());
        }
    } else if files.len() > 1 {
        let version =
            |(name, path): &(String, String)| json!({"name": name, "path": path, "command": ""});
        game.set("versions", files[1..].iter().map(version).collect::<Vec<_>>());
    }
    if let Some((_, first)) = files.first() {
        game.set("path", first.as_str());
    }
}

/// The disc named by a file of Windows.
fn disc_of(path: &str) -> Option<Marked<'_>> {
    marker::split(stem(path.rsplit('\\').next().unwrap_or(path)))
}

/// Sets what the user wrote about a game of Playnite: tags, which categories and features are here, and a note.
fn set_marks(game: &mut Record, row: &Map<String, Value>) {
    let text = |key: &str| row.get(key).map_or("", name_of);
    let mut tags: Vec<String> = Vec::new();
    for tag in ["Tags", "Categories", "Features"].into_iter().flat_map(|key| names(row, key)) {
        if tags.iter().all(|known| text::fold(known) != text::fold(&tag)) {
            tags.push(tag);
        }
    }
    if !tags.is_empty() {
        game.set("tags", tags);
    }
    let note: String = without_marks(text("Notes")).chars().take(limits::NOTE_CHARS).collect();
    if !note.is_empty() {
        // It has no time of its own; that of the entry is the nearest.
        let times = ["Modified", "Added"].map(|key| Moment::parse(text(key)));
        let time = times.into_iter().flatten().next().unwrap_or_else(|| Moment::from_unix(0));
        game.set("notes", json!([{"ts": time.local_iso(), "text": note}]));
    }
}

/// Sets the id of a game of Playnite in its store, under which the import of that store knows it.
fn set_store(game: &mut Record, row: &Map<String, Value>) {
    let text = |key: &str| row.get(key).map_or("", name_of);
    // An export may leave the source out. The add-on that manages the game is told all the same, and the id is its own.
    let plugin = text::fold(text("PluginId"));
    let named = text::fold(text("Source"));
    let is_store = |source: &str| {
        source == STEAM || INNER_STORES.iter().any(|(theirs, _)| source.starts_with(theirs))
    };
    let of_plugin = PLUGINS.iter().find(|(id, _)| *id == plugin).map(|(_, source)| *source);
    let source = of_plugin.filter(|_| !is_store(&named)).unwrap_or(&named);
    let number = text("GameId");
    if source == STEAM && !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) {
        game.set("store_a_app_id", number);
        if game.is_blank("path") {
            game.set("launch", "xdg-open steam://rungameid/{app_id}");
        }
    }
    let inner = INNER_STORES.iter().find(|(theirs, _)| source.starts_with(theirs));
    if let Some((_, InnerStore { name, runner })) = inner.filter(|_| !number.is_empty()) {
        game.set("store_b_app_id", number);
        game.set("store_b_source", *name);
        if game.is_blank("path") && game.is_blank("launch") {
            game.set("launch", format!("xdg-open heroic://launch/{runner}/{{store_b_app_id}}"));
        }
    }
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

/// A description without the tags of a page. A `<` that opens none is a sign of the text.
fn without_marks(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once('<') {
        plain.push_str(before);
        let opens =
            behind.starts_with(|first: char| first.is_ascii_alphabetic() || "/!".contains(first));
        let Some((mark, after)) = behind.split_once('>').filter(|_| opens) else {
            plain.push('<');
            rest = behind;
            continue;
        };
        if mark.starts_with("br") || mark.starts_with("/p") {
            plain.push('\n');
        }
        rest = after;
    }
    plain.push_str(rest);
    quick_xml::escape::unescape(&plain).map_or_else(|_| plain.clone(), Into::into).trim().to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn an_address_that_starts_a_game_is_no_path() {
        let text = r#"[{"Name": "A", "GameId": "x", "CompletionStatus": {"Name": "On Hold"}, "CommunityScore": 80,
            "AgeRatings": [{"Name": "PEGI 3"}, {"Name": "ESRB T"}],
            "GameActions": [{"Type": 1, "Path": "com.store://apps/a b?launch", "IsPlayAction": true}]}]"#;
        let games = playnite(text).expect("an export");
        assert_eq!(games[0].text("launch"), "xdg-open 'com.store://apps/a b?launch'");
        assert!(games[0].is_blank("path"));
        assert_eq!((games[0].text("progress"), games[0].text("esrb")), ("Paused", "T"));
        assert_eq!(games[0].get("rating"), Some(&Value::from(4.0)));
    }

    #[test]
    fn a_game_without_a_source_is_of_the_store_of_its_plugin() {
        let steam = "cb91dfc9-b977-43bf-8e70-55f46e410fab";
        for (source, plugin, number, expected) in [
            ("", steam, "367520", ("367520", "", "")),
            ("\"Own Tag\"", "CB91DFC9-B977-43BF-8E70-55F46E410FAB", "367520", ("367520", "", "")),
            ("", "00000002-dbd1-46c6-b5d0-b1ba559d10e4", "Fox", ("", "Fox", "Epic")),
            ("", "aebe8b7c-6dc3-4a66-af31-e7375c6b5e9e", "1207", ("", "1207", "GOG")),
            ("{\"Name\": \"GOG\"}", steam, "1207", ("", "1207", "GOG")),
            ("", "00000000-0000-0000-0000-000000000000", "367520", ("", "", "")),
        ] {
            let source = if source.is_empty() { "null" } else { source };
            let text = format!(
                r#"[{{"Name": "A", "GameId": "{number}", "Source": {source}, "PluginId": "{plugin}"}}]"#
            );
            let games = playnite(&text).expect("an export");
            let text = |key: &str| games[0].text(key);
            let found = (text("store_a_app_id"), text("store_b_app_id"), text("store_b_source"));
            assert_eq!(found, expected, "{source} {plugin}");
        }
    }

    #[test]
    fn dates_and_lists_of_exports_have_several_forms() {
        for (date, expected) in [
            (r#"{"Day":25,"Month":8,"Year":1997,"Date":"1997-08-25T00:00:00"}"#, "1997"),
            (r#"{"ReleaseDate":"1997-8-25"}"#, "1997"),
            (r#""1997-08-25""#, "1997"),
            (r#"{"Day":1,"Month":1,"Year":1}"#, ""),
            (r#""0001-01-01""#, ""),
            ("1997", ""),
            ("null", ""),
        ] {
            let games = format!(r#"[{{"Name": "A", "GameId": "x", "ReleaseDate": {date}}}]"#);
            for text in
                [format!(r#"{{"value": {games}, "Count": 1}}"#), format!(r#"{{"Games": {games}}}"#)]
            {
                let games = playnite(&text).expect("an export");
                assert_eq!(games[0].text("year"), expected, "{date}");
            }
        }
    }

    #[test]
    fn descriptions_lose_their_marks() {
        for (text, expected) in [
            ("<p>A &amp; B</p><p>C<br/>D", "A & B\nC\nD"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("I <3 it<br>chapter 4<!-- x -->.", "I <3 it\nchapter 4."),
            ("open <b", "open <b"),
            ("plain & simple", "plain & simple"),
            ("", ""),
        ] {
            assert_eq!(without_marks(text), expected, "{text}");
        }
    }
}
