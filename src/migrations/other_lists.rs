//! Lists of other kinds that are brought over like those of front ends, told by their content:
//! playlists of RetroArch, the games of ScummVM and of RPCS3, and what other launchers keep.

use std::path::Path;

use serde_json::json;

use super::{
    launchers,
    paths::{platform_of, stem},
};
use crate::{
    formats::{ini, lpl, yaml},
    imports::installed,
    model::{
        Record,
        titles::{DISC_PLAYER, ENGINE},
    },
};

/// Bytes of a list of RPCS3.
const TITLES_BYTES: usize = 4 << 20;

/// The games of a list, with their paths as they are written; `None` for XML and anything unknown.
/// `text` are its bytes as text.
pub fn games(path: &Path, bytes: &[u8], text: &str) -> Option<Vec<Record>> {
    if text.trim_start().starts_with('<') {
        return None;
    }
    let of_launcher = launchers::games(path, bytes, text);
    of_launcher.or_else(|| engine(text)).or_else(|| titles(text)).or_else(|| playlist(text))
}

fn playlist(text: &str) -> Option<Vec<Record>> {
    let entries = lpl::parse(text)?.into_iter();
    let game = |entry: lpl::Entry| {
        let mut game = Record::default();
        let name = if entry.label.is_empty() { stem(&entry.path) } else { &entry.label };
        game.set("name", name);
        game.set("path", entry.path.as_str());
        game.set("source", "frontend");
        // A playlist is named after its system as the database of RetroArch calls it.
        let platform = launchers::platform_of(&entry.system).to_owned();
        for (field, value) in [("platform", platform), ("archive_member", entry.member)] {
            if !value.is_empty() {
                game.set(field, value);
            }
        }
        game
    };
    Some(entries.map(game).collect())
}

/// The sections of ScummVM: several may share a folder, or have none.
fn engine(text: &str) -> Option<Vec<Record>> {
    let sections = ini::parse(text.as_bytes());
    let has_own = sections.iter().any(|section| section.name == "scummvm");
    if !has_own {
        return None;
    }
    let sections = sections.iter().filter_map(|section| installed::engine_record(section, ""));
    Some(sections.collect())
}

/// The titles of RPCS3: serial numbers with folders.
fn titles(text: &str) -> Option<Vec<Record>> {
    let Ok(yaml::Node::Map(pairs)) = yaml::parse(text.as_bytes(), TITLES_BYTES) else {
        return None;
    };
    let is_serial = |key: &str| {
        let letters = key.bytes().take_while(u8::is_ascii_uppercase).count();
        key.len() == 9 && letters == 4 && key.bytes().skip(4).all(|byte| byte.is_ascii_digit())
    };
    if pairs.is_empty() || !pairs.iter().all(|(key, _)| is_serial(key)) {
        return None;
    }
    let game = |(serial, folder): &(String, yaml::Node)| {
        let folder = folder.as_text()?.trim_end_matches('/');
        let mut game = Record::default();
        game.set("name", serial.as_str());
        game.set("platform", "PlayStation 3");
        game.set("path", folder);
        game.set("source", DISC_PLAYER);
        game.set("serial", serial.as_str());
        Some(game)
    };
    Some(pairs.iter().filter_map(game).collect())
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
    if record.text("source") == DISC_PLAYER {
        let (name, launch) = installed::disc_title(record.text("path"));
        record.set("launch", launch);
        if let Some(name) = name {
            record.set("name", name);
        }
    }
    if record.is_blank("platform") && !record.is_blank("path") {
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
