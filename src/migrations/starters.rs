//! Files of a list that say how a game is started and are not games: entries of desktop menus
//! (`.desktop`) and addresses (`.url`).

use std::path::Path;

use super::{
    launchers::{is_address, opening},
    paths::platform_of,
};
use crate::{
    formats::ini,
    imports::{
        apps,
        apps::{DESKTOP, LINUX},
        known::ids_of_address,
    },
    model::Record,
    platforms,
    scan::{Tree as _, tree::Disk},
};

/// The extension of a file with an address, and the group in it.
const ADDRESS: &str = "url";
const ADDRESS_GROUP: &str = "InternetShortcut";
/// Bytes that are read of such a file.
const ADDRESS_BYTES: u64 = 64 << 10;
/// The platform of a game that an address starts.
const COMPUTER: &str = "PC";

/// Completes a game whose file says how it is started, as an import of its folder does: command, ids in
/// stores, and the platform where it has none. `system` is the folder of its list.
pub fn complete(record: &mut Record, system: &str) {
    let path = record.text("path").to_owned();
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let platform = match ending.as_str() {
        DESKTOP => {
            start_entry(record, &path);
            let of_folder = platforms::by_name(platform_of(&path, system));
            let of_folder = of_folder.filter(|platform| platform.lists(DESKTOP));
            of_folder.map_or(LINUX, |platform| platform.name)
        }
        ADDRESS if start_address(record, &path) => COMPUTER,
        _ => return,
    };
    if record.is_blank("platform") {
        record.set("platform", platform);
    }
}

fn start_entry(record: &mut Record, path: &str) {
    // A list names games only, so the entry need not say that it is one.
    let Some(app) = apps::entry(&Disk, path, true) else { return };
    record.set("launch", app.launch);
    for (field, id) in app.ids {
        record.set(field, id);
    }
}

fn start_address(record: &mut Record, path: &str) -> bool {
    let bytes = Disk.read_start(Path::new(path), ADDRESS_BYTES).unwrap_or_default();
    let sections = ini::parse(&bytes);
    let section = sections.iter().find(|section| section.name == ADDRESS_GROUP);
    let address = section.map_or("", |section| section.value("url"));
    if !is_address(address) {
        return false;
    }
    record.set("launch", opening(address));
    for (field, id) in ids_of_address(address) {
        record.set(field, id);
    }
    true
}
