//! Lists of other kinds that are imported like those of front ends, recognised by their content:
//! playlists of RetroArch, the games of ScummVM and of RPCS3, and what other launchers keep.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
};

use serde_json::json;

use super::{
    launchers, list_layout,
    paths::{platform_of, stem},
    playnite,
};
use crate::{
    formats::{
        ini,
        lpl::{self, PlayLog},
        yaml,
    },
    imports::{brought, installed, known},
    model::{
        Record,
        titles::{DISC_PLAYER, ENGINE},
    },
    names, platforms,
    scan::{
        Tree as _,
        tree::{Disk, EntryKind},
    },
};

/// The playlist of RetroArch that names what the user likes best.
const FAVORITES: &str = "content_favorites";
/// What the name of a log ends with.
const LOG_ENDING: &str = ".lrtl";
/// Logs that are known, and bytes of one.
const LOGS: usize = 50_000;
const LOG_BYTES: u64 = 64 << 10;
/// The name of a list of RPCS3, and its bytes.
const TITLES: &str = "games.yml";
const TITLES_BYTES: usize = 4 << 20;

/// The games of a list, with their paths as they are written; `None` for XML and anything unknown.
/// `text` are its bytes as text.
pub fn games(path: &Path, bytes: &[u8], text: &str) -> Option<Vec<Record>> {
    if text.trim_start().starts_with('<') {
        return None;
    }
    let of_launcher = launchers::games(path, bytes, text);
    of_launcher
        .or_else(|| playnite::games(text))
        .or_else(|| engine(text))
        .or_else(|| titles(path, text))
        .or_else(|| playlist(path, text))
}

fn playlist(path: &Path, text: &str) -> Option<Vec<Record>> {
    let mut entries = lpl::parse(text)?;
    if list_layout::holds_media(path) {
        entries.clear();
    }
    let logs = PlayLogs::of(path);
    // A playlist of a system has its name, which its entries may leave out.
    let own = path.file_stem().unwrap_or_default().to_string_lossy();
    let are_favorites = own == FAVORITES;
    let own = platforms::by_name(launchers::platform_of(&own)).map_or("", |found| found.name);
    let game = |entry: lpl::Entry| {
        let mut game = Record::default();
        let name = if entry.label.is_empty() { stem(file_of(&entry.path)) } else { &entry.label };
        game.set("name", name);
        game.set("path", entry.path.as_str());
        game.set("source", known::FRONTEND);
        // A playlist is named after its system as the database of RetroArch calls it.
        let system = if entry.system.is_empty() { own } else { &entry.system };
        let platform = launchers::platform_of(system).to_owned();
        for (field, value) in [("platform", platform), ("archive_member", entry.member.clone())] {
            if !value.is_empty() {
                game.set(field, value);
            }
        }
        if are_favorites {
            game.set("favorite", true);
        }
        let file = if game.is_blank("archive_member") { "path" } else { "archive_member" };
        let log = logs.of_game(stem(file_of(game.text(file))), &entry.core);
        brought::note(&mut game, "RetroArch", log.seconds, &log.last);
        game
    };
    Some(entries.into_iter().map(game).collect())
}

/// How long games were played, in files that RetroArch keeps in a folder next to its playlists: one for
/// each game, below the name of the core.
#[derive(Default)]
struct PlayLogs {
    /// By the name of the game: the core, blank for all of them together, and the file.
    files: HashMap<String, Vec<(String, PathBuf)>>,
}

impl PlayLogs {
    /// Those that belong to a playlist or to the history.
    fn of(list: &Path) -> Self {
        let mut logs = Self::default();
        let folder = list.parent().unwrap_or(Path::new("/"));
        let above = folder.parent().unwrap_or(folder);
        let places = [folder.join("logs"), folder.join("playlists/logs"), above.join("logs")];
        let Some(top) = places.into_iter().find(|place| place.is_dir()) else { return logs };
        let mut left = LOGS;
        for entry in Disk.list(&top).unwrap_or_default().entries {
            let (name, path) = (entry.name.to_string_lossy().into_owned(), top.join(&entry.name));
            if entry.kind == EntryKind::Folder {
                for inner in Disk.list(&path).unwrap_or_default().entries {
                    let file = path.join(&inner.name);
                    logs.enter(&name, &inner.name.to_string_lossy(), file, &mut left);
                }
            } else {
                logs.enter("", &name, path, &mut left);
            }
        }
        logs
    }

    fn enter(&mut self, core: &str, name: &str, path: PathBuf, left: &mut usize) {
        if let Some(game) = name.strip_suffix(LOG_ENDING).filter(|_| *left > 0) {
            *left -= 1;
            self.files.entry(game.to_owned()).or_default().push((core.to_owned(), path));
        }
    }

    /// The time of a game: that with its core where the core is known, else with any.
    fn of_game(&self, game: &str, core: &str) -> PlayLog {
        let files = self.files.get(game).map_or(&[][..], Vec::as_slice);
        let is_own =
            |name: &str| !name.is_empty() && (core == name || core.ends_with(&format!("({name})")));
        let has_own = files.iter().any(|(name, _)| is_own(name));
        let mut all = PlayLog::default();
        for (_, path) in files.iter().filter(|(name, _)| !has_own || is_own(name)) {
            let bytes = Disk.read_start(path, LOG_BYTES).unwrap_or_default();
            let Some(log) = lpl::play_log(&String::from_utf8_lossy(&bytes)) else { continue };
            all.seconds = all.seconds.saturating_add(log.seconds);
            all.last = all.last.max(log.last);
        }
        all
    }
}

/// The last part of a path, also of one of Windows.
fn file_of(path: &str) -> &str {
    let is_of_windows = path.as_bytes().get(1) == Some(&b':');
    if is_of_windows { path.rsplit('\\').next().unwrap_or(path) } else { path }
}

/// The sections of ScummVM: several may share a folder, or have none.
fn engine(text: &str) -> Option<Vec<Record>> {
    let sections = ini::parse(text.as_bytes());
    let has_own = sections.iter().any(|section| section.name == "scummvm");
    if !has_own {
        return None;
    }
    let sections = sections.iter().filter_map(|section| {
        let mut game = installed::engine_record(section, "")?;
        // A section may have no folder; an empty one would take the place of that of a known game.
        if game.is_blank("path") {
            game.remove("path");
        }
        Some(game)
    });
    Some(sections.collect())
}

/// The titles of RPCS3: serial numbers with folders. Those of programs that people made may be any text,
/// so a list of its own name is one whatever its keys are; it may also be empty.
fn titles(path: &Path, text: &str) -> Option<Vec<Record>> {
    let is_own = path.file_name().is_some_and(|name| name.eq_ignore_ascii_case(TITLES));
    if is_own && text.trim().is_empty() {
        return Some(Vec::new());
    }
    let pairs = match yaml::parse(text.as_bytes(), TITLES_BYTES) {
        Ok(yaml::Node::Map(pairs)) => pairs,
        Ok(yaml::Node::Null) | Err(yaml::YamlError::NotOne) if is_own => Vec::new(),
        _ => return None,
    };
    if !is_own && (pairs.is_empty() || !pairs.iter().all(|(key, _)| is_serial(key))) {
        return None;
    }
    let game = |(key, folder): &(String, yaml::Node)| {
        let folder = folder.as_text()?.trim_end_matches('/');
        let serial = if is_serial(key) { key.to_uppercase() } else { key.clone() };
        let mut game = Record::default();
        game.set("name", name_beside(folder, &serial).unwrap_or_else(|| serial.clone()));
        game.set("platform", "PlayStation 3");
        game.set("path", folder);
        game.set("source", DISC_PLAYER);
        game.set("serial", serial);
        Some(game)
    };
    Some(pairs.iter().filter_map(game).collect())
}

/// The title in the name of a folder that also holds the serial number of the game: `Title [BLUS30443]`. It counts
/// while the folder cannot be read.
fn name_beside(folder: &str, serial: &str) -> Option<String> {
    let name = folder.rsplit('/').next()?;
    let title = name.to_uppercase().contains(serial).then(|| names::parse(name).title)?;
    (!title.to_uppercase().contains(serial)).then_some(title)
}

/// Whether a key is a serial number: four letters and five digits.
fn is_serial(key: &str) -> bool {
    let letters = key.bytes().take_while(u8::is_ascii_alphabetic).count();
    key.len() == 9 && letters == 4 && key.bytes().skip(4).all(|byte| byte.is_ascii_digit())
}

/// The game with the paths of this machine.
///
/// # Errors
/// What is missing.
pub fn read(game: &Record, resolve: &dyn Fn(&str) -> String) -> Result<Record, &'static str> {
    let mut record = game.clone();
    let id = record.text("engine_library_id").to_owned();
    let has_identity = !record.is_blank("source_identity");
    if record.is_blank("path") && id.is_empty() && !has_identity {
        return Err("path is missing.");
    }
    if record.is_blank("name") {
        return Err("name is missing.");
    }
    if !record.is_blank("path") {
        record.set("path", resolve(record.text("path")));
    }
    let discs: Vec<String> = record.texts("discs").map(resolve).collect();
    if !discs.is_empty() {
        record.set("discs", discs);
    }
    let mut versions = record.list("versions").to_vec();
    for version in &mut versions {
        version["path"] = resolve(version["path"].as_str().unwrap_or_default()).into();
    }
    if !versions.is_empty() {
        record.set("versions", versions);
    }
    if record.text("source") == DISC_PLAYER {
        let (name, launch) = installed::disc_title(record.text("path"));
        record.set("launch", launch);
        if let Some(name) = name {
            record.set("name", name);
        }
    }
    // A playlist may have any name, so a name that is not a system is used only where nothing else names one.
    let is_listed = record.text("source") == known::FRONTEND && !has_identity;
    let is_open = record.is_blank("platform")
        || is_listed && platforms::by_name(record.text("platform")).is_none();
    if is_open && !record.is_blank("path") {
        let platform = platform_of(record.text("path"), "");
        if !platform.is_empty() {
            record.set("platform", platform);
        }
    }
    let identity = if has_identity {
        record.text("source_identity").to_owned()
    } else if record.text("source") == ENGINE {
        format!("frontend:{ENGINE}:{id}")
    } else {
        let (path, member) = (record.text("path"), record.text("archive_member"));
        let inside = if member.is_empty() { String::new() } else { format!("#{member}") };
        format!("frontend:path:{path}{inside}")
    };
    record.set("source_identity", identity.as_str());
    record.set("source_identities", json!([identity]));
    Ok(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(name: &str, text: &str, expected: Option<&[(&str, &str)]>) {
        let games = games(Path::new(name), text.as_bytes(), text);
        let shown = games.as_ref().map(|games| {
            games.iter().map(|game| (game.text("name"), game.text("path"))).collect::<Vec<_>>()
        });
        assert_eq!(shown.as_deref(), expected, "{text:?}");
    }

    #[test]
    fn entries_without_a_system_have_that_of_their_playlist() {
        let text = r#"{"items": [{"path": "/r/a.zip", "label": "A", "db_name": ""},
            {"path": "/r/b.zip", "label": "B", "db_name": "Nintendo - Game Boy.lpl"}]}"#;
        let of = |name: &str| {
            let games = games(Path::new(name), text.as_bytes(), text).expect("a playlist");
            games.iter().map(|game| game.text("platform").to_owned()).collect::<Vec<_>>()
        };
        let snes = "/p/Nintendo - Super Nintendo Entertainment System.lpl";
        assert_eq!(of(snes), ["SNES", "Game Boy"]);
        assert_eq!(of("/p/content_history.lpl"), ["", "Game Boy"]);
    }

    #[test]
    fn a_playlist_with_a_name_of_its_own_is_no_system() {
        let item = |path: &str| format!(r#"{{"path": "{path}", "db_name": "My Custom List.lpl"}}"#);
        let paths = ["/r/snes/a.zip", "/r/b.gba", "/r/c.zip"].map(item).join(", ");
        let known = r#"{"path": "/r/snes/d.zip", "db_name": "Handheld Electronic Game.lpl"}"#;
        let text = format!(r#"{{"items": [{paths}, {known}]}}"#);
        let games = games(Path::new("/p/My Custom List.lpl"), text.as_bytes(), &text);
        let read = |game: &Record| {
            let read = read(game, &|path: &str| path.to_owned()).expect("a game");
            read.text("platform").to_owned()
        };
        let platforms: Vec<String> = games.expect("a playlist").iter().map(read).collect();
        assert_eq!(platforms, ["SNES", "Game Boy Advance", "My Custom List", "Game & Watch"]);
    }

    #[test]
    fn an_entry_of_windows_without_a_label_is_named_by_its_file() {
        let text = r#"{"items": [{"path": "D:\\x\\U (World).gb", "label": ""}]}"#;
        check("/p/Mine.lpl", text, Some(&[("U (World)", "D:\\x\\U (World).gb")]));
    }

    #[test]
    fn a_section_of_scummvm_without_a_folder_has_no_path() {
        let text = "[scummvm]\n[sky]\ngameid=sky\n[tent]\ngameid=tent\npath=/g/tent\n";
        let games = games(Path::new("/c/scummvm.ini"), text.as_bytes(), text).expect("a list");
        let paths: Vec<_> = games.iter().map(|game| game.get("path").cloned()).collect();
        assert_eq!(paths, [None, Some(serde_json::json!("/g/tent"))]);
    }

    #[test]
    fn music_videos_and_pictures_are_no_games() {
        let text = r#"{"items": [{"path": "/m/a.mp3", "label": "A"}]}"#;
        for kind in ["music", "video", "image"] {
            check(&format!("/p/content_{kind}_history.lpl"), text, Some(&[]));
        }
        check("/p/content_history.lpl", text, Some(&[("A", "/m/a.mp3")]));
    }

    #[test]
    fn titles_may_have_any_id_and_quotes() {
        check(
            "/c/rpcs3/games.yml",
            "BLES00001: /g/one/\nblus30002: \"/g/two \\\"x\\\"/\"\n'NPEB00003': '/g/it''s/'\n\
             homebrew-1: /g/own/\n\"my game\": /g/mine\nBLES00004:\nBLUS30443: /g/Demon's Souls [BLUS30443]/\n\
             BLES00005: /g/BLES00005\n",
            Some(&[
                ("BLES00001", "/g/one"),
                ("BLUS30002", "/g/two \"x\""),
                ("NPEB00003", "/g/it's"),
                ("homebrew-1", "/g/own"),
                ("my game", "/g/mine"),
                ("Demon's Souls", "/g/Demon's Souls [BLUS30443]"),
                ("BLES00005", "/g/BLES00005"),
            ]),
        );
        check("/x/list.yml", "bles00001: /g/one", Some(&[("BLES00001", "/g/one")]));
        check("/x/list.yml", "BLES00001: /g/one\nother: x", None);
    }

    #[test]
    fn a_list_of_titles_may_be_empty() {
        for text in ["", "\n", "{}", "{}\n", "---\n", "~", "# nothing yet\n"] {
            check("/c/games.yml", text, Some(&[]));
            check("/c/other.yml", text, None);
        }
        check("/c/games.yml", "[1, 2]", None);
        check("/c/games.yml", "a: b: c", None);
    }
}
