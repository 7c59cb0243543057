//! Titles that other programs have installed: an adventure engine and two console emulators.
//!
//! Each reads the folders of its program below the home folder, native and sandboxed, and uses the
//! first with games.

use std::path::{Path, PathBuf};

use crate::{
    formats::{ini, sfo},
    model::{
        Draft, DraftError, Record,
        titles::{APP_PLAYER, DISC_PLAYER, ENGINE},
    },
    scan::{
        tree::{Disk, EntryKind, Tree},
        walk,
    },
};

use super::{
    incoming::{Incoming, Key},
    programs::Program,
};

/// Bytes of a configuration or parameter file that are read.
const FILE_BYTES: u64 = 4 * 1024 * 1024;

const ENGINE_PACKAGE: &str = "org.scummvm.ScummVM";
const ENGINE_FILES: [&str; 2] =
    [".config/scummvm/scummvm.ini", ".var/app/org.scummvm.ScummVM/config/scummvm/scummvm.ini"];
/// Sections that are not games.
const ENGINE_OWN: [&str; 3] = ["scummvm", "cloud", "keymapper"];
/// Values one of which every game has; sections without any hold other settings.
const ENGINE_VALUES: [&str; 4] = ["gameid", "engineid", "path", "description"];

/// The category of what the game of a disc installs, which cannot be started.
const DISC_DATA: &str = "GD";
const DISC_PACKAGE: &str = "net.rpcs3.RPCS3";
const DISC_TITLES: [&str; 2] =
    [".config/rpcs3/dev_hdd0/game", ".var/app/net.rpcs3.RPCS3/config/rpcs3/dev_hdd0/game"];
const APP_TITLES: [&str; 3] = [
    ".local/share/Vita3K/Vita3K/ux0/app",
    ".config/Vita3K/ux0/app",
    ".var/app/org.vita3k.Vita3K/data/Vita3K/Vita3K/ux0/app",
];

/// How the adventure engine is installed. May run the package tool.
pub fn engine_program() -> Program {
    Program::detect("scummvm", ENGINE_PACKAGE)
}

/// How the first console emulator is installed. May run the package tool.
pub fn disc_program() -> Program {
    Program::detect("rpcs3", DISC_PACKAGE)
}

/// How the program of a package is installed, if rows of its titles hold commands. May run the package
/// tool.
pub fn program_of(package: &str) -> Option<Program> {
    match package {
        ENGINE_PACKAGE => Some(engine_program()),
        DISC_PACKAGE => Some(disc_program()),
        _ => None,
    }
}

/// Replaces commands that an import wrote for an installation that is missing by the command of the one
/// that is there. Returns the ids of the changed games.
///
/// # Errors
/// None in practice: the games are those of this very library.
pub fn renew_titles(draft: &mut Draft, program: &Program) -> Result<Vec<String>, DraftError> {
    let renewed = |record: &Record| {
        let arguments = match record.text("source") {
            ENGINE => quoted(&record.shown("engine_library_id")),
            DISC_PLAYER => quoted(record.text("path")),
            _ => return None,
        };
        let (launch, gone) = program.commands(&arguments);
        gone.iter().any(|gone| gone == record.text("launch")).then_some(launch)
    };
    let games = draft.state().games.iter();
    let found = games.filter_map(|game| Some((game.id().to_owned(), renewed(&game.record())?)));
    let found: Vec<(String, String)> = found.collect();
    for (id, launch) in &found {
        draft.edit_game(id, |row| row.set("launch", launch.as_str()))?;
    }
    Ok(found.into_iter().map(|(id, _)| id).collect())
}

/// The games of the adventure engine (`engine-library`).
pub fn engine(tree: &dyn Tree, home: &Path, program: &Program) -> Vec<Incoming> {
    first_yield(home, &ENGINE_FILES, |file| {
        let sections = tree.read_start(file, FILE_BYTES).map(|bytes| ini::parse(&bytes));
        let sections = sections.unwrap_or_default().into_iter();
        sections.filter_map(|section| engine_game(&section, file, program)).collect()
    })
}

fn engine_game(section: &ini::Section, file: &Path, program: &Program) -> Option<Incoming> {
    let mut record = engine_record(section, file.to_str()?)?;
    let (launch, gone) = program.commands(&quoted(&section.name));
    record.set("launch", launch);
    Some(Incoming {
        record,
        label: ENGINE.to_owned(),
        key: Key::EngineId,
        gone,
        ..Incoming::default()
    })
}

/// The row of a section of the adventure engine's file, with `no_path` for one without a folder; `None`
/// for settings.
pub fn engine_record(section: &ini::Section, no_path: &str) -> Option<Record> {
    if section.name.is_empty() || ENGINE_OWN.contains(&section.name.to_lowercase().as_str()) {
        return None;
    }
    if ENGINE_VALUES.iter().all(|key| section.value(key).is_empty()) {
        return None;
    }
    let own = |value: &str, fallback: &str| {
        if value.is_empty() { fallback.to_owned() } else { value.to_owned() }
    };
    let mut record = Record::default();
    record.set("name", own(section.value("description"), &section.name));
    record.set("platform", ENGINE);
    record.set("genre", "Adventure");
    record.set("source", ENGINE);
    record.set("collection", ENGINE);
    record.set("path", own(section.value("path"), no_path));
    record.set("launch", format!("scummvm {}", quoted(&section.name)));
    record.set("engine_library_id", section.name.as_str());
    Some(record)
}

/// The title of a folder of the first console emulator, when its parameter file has one, and the command
/// that starts it.
pub fn disc_title(folder: &str) -> (Option<String>, String) {
    let files = ["PS3_GAME/PARAM.SFO", "PARAM.SFO"].into_iter();
    let title = files.filter_map(|file| {
        let parameters = read_parameters(&Disk, folder, file)?;
        sfo::text(&parameters, "TITLE").map(|title| title.trim().to_owned())
    });
    let title = title.filter(|title| !title.is_empty()).collect::<Vec<_>>().into_iter().next();
    (title, format!("rpcs3 {}", quoted(folder)))
}

/// The titles of the first emulator (`emu-library-1`): folders with a parameter file.
pub fn disc_titles(tree: &dyn Tree, home: &Path, program: &Program) -> Vec<Incoming> {
    first_yield(home, &DISC_TITLES, |root| {
        title_folders(tree, root)
            .into_iter()
            .filter_map(|(folder, name)| {
                let parameters = read_parameters(tree, &folder, "PARAM.SFO")?;
                if sfo::text(&parameters, "CATEGORY").is_some_and(|kind| kind == DISC_DATA) {
                    return None;
                }
                let title = sfo::text(&parameters, "TITLE").unwrap_or_default();
                let title = if title.trim().is_empty() { &name } else { title.trim() };
                let (launch, gone) = program.commands(&quoted(&folder));
                let row = title_row(title, "PlayStation 3", DISC_PLAYER, &folder, &launch);
                Some(Incoming { gone, ..row })
            })
            .collect()
    })
}

/// The titles of the second emulator (`emu-library-2`): every folder, named by its parameter file
/// when that holds more than the id of the title.
pub fn app_titles(tree: &dyn Tree, home: &Path) -> Vec<Incoming> {
    first_yield(home, &APP_TITLES, |root| {
        title_folders(tree, root)
            .into_iter()
            .map(|(folder, name)| {
                let parameters = read_parameters(tree, &folder, "sce_sys/param.sfo");
                let title = parameters.and_then(|bytes| sfo::text(&bytes, "TITLE"));
                let title = title.map(|title| title.trim().to_owned()).unwrap_or_default();
                let title = if is_telling(&title, &name) { title.as_str() } else { &name };
                title_row(title, "PlayStation Vita", APP_PLAYER, &folder, "")
            })
            .collect()
    })
}

fn is_telling(title: &str, folder: &str) -> bool {
    let is_bare_id = title.len() == 9
        && title.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit());
    !title.is_empty() && title != folder && !is_bare_id
}

fn title_row(title: &str, platform: &str, source: &str, folder: &str, launch: &str) -> Incoming {
    let mut record = Record::default();
    record.set("name", title);
    record.set("platform", platform);
    record.set("source", source);
    record.set("collection", source);
    record.set("path", folder);
    if !launch.is_empty() {
        record.set("launch", launch);
    }
    Incoming { record, label: source.to_owned(), is_file: true, ..Incoming::default() }
}

/// The folders in a folder by path and name, in the order of their names.
fn title_folders(tree: &dyn Tree, root: &Path) -> Vec<(String, String)> {
    let Some(root) = root.to_str() else { return Vec::new() };
    let entries = tree.list(Path::new(root)).map(|listing| listing.entries).unwrap_or_default();
    let folders = entries.into_iter().filter(|entry| entry.kind == EntryKind::Folder);
    let mut named: Vec<_> = folders
        .filter_map(|entry| entry.name.into_string().ok())
        .map(|name| (walk::join(root, &name), name))
        .collect();
    named.sort_unstable();
    named
}

fn read_parameters(tree: &dyn Tree, folder: &str, file: &str) -> Option<Vec<u8>> {
    tree.read_start(&Path::new(folder).join(file), FILE_BYTES).ok()
}

/// The games of the first of these folders below the home that has any.
fn first_yield(
    home: &Path,
    places: &[&str],
    read: impl Fn(&PathBuf) -> Vec<Incoming>,
) -> Vec<Incoming> {
    let found = places.iter().map(|place| read(&home.join(place)));
    found.into_iter().find(|games| !games.is_empty()).unwrap_or_default()
}

/// One word of a command line.
pub(super) fn quoted(word: &str) -> String {
    shlex::try_quote(word).map_or_else(|_| word.replace('\0', ""), std::borrow::Cow::into_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{formats::sfo::tests::file, scan::tree::memory::MemoryTree};

    #[track_caller]
    fn check(games: &[Incoming], expected: &[(&str, &str, &str)]) {
        let shown: Vec<_> = games
            .iter()
            .map(|game| {
                (game.record.text("name"), game.record.text("path"), game.record.text("launch"))
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn the_engine_names_its_games_in_sections() {
        let mut tree = MemoryTree::default();
        let own = "[scummvm]\nx=1\n[cloud]\n[keymapper]\npath=x\n[engine_settings]\nspeed=2\n\
                   [monkey]\ndescription=The Secret\npath=/g/monkey\n[sky two]\ngameid=sky\n";
        tree.put("/h/.config/scummvm/scummvm.ini", b"[scummvm]\n");
        tree.put(Path::new("/h").join(ENGINE_FILES[1]), own.as_bytes());
        let sandboxed = "/h/.var/app/org.scummvm.ScummVM/config/scummvm/scummvm.ini";
        check(
            &engine(&tree, Path::new("/h"), &Program::none("scummvm")),
            &[
                ("The Secret", "/g/monkey", "scummvm monkey"),
                ("sky two", sandboxed, "scummvm 'sky two'"),
            ],
        );
        assert!(
            engine(&MemoryTree::default(), Path::new("/h"), &Program::none("scummvm")).is_empty()
        );
    }

    #[test]
    fn disc_titles_need_a_parameter_file() {
        let mut tree = MemoryTree::default();
        let root = "/h/.config/rpcs3/dev_hdd0/game";
        tree.put(format!("{root}/BLES1/PARAM.SFO"), &file(&[("TITLE", b"A Game")]));
        tree.put(format!("{root}/BLES 2/PARAM.SFO"), b"broken");
        tree.put(format!("{root}/cache/data"), b"");
        let installed = file(&[("TITLE", b"A Game"), ("CATEGORY", b"GD")]);
        tree.put(format!("{root}/BLES1_INSTALL/PARAM.SFO"), &installed);
        check(
            &disc_titles(&tree, Path::new("/h"), &Program::none("rpcs3")),
            &[
                (
                    "BLES 2",
                    "/h/.config/rpcs3/dev_hdd0/game/BLES 2",
                    "rpcs3 '/h/.config/rpcs3/dev_hdd0/game/BLES 2'",
                ),
                (
                    "A Game",
                    "/h/.config/rpcs3/dev_hdd0/game/BLES1",
                    "rpcs3 /h/.config/rpcs3/dev_hdd0/game/BLES1",
                ),
            ],
        );
    }

    #[test]
    fn app_titles_are_named_by_what_says_most() {
        let mut tree = MemoryTree::default();
        let root = "/h/.config/Vita3K/ux0/app";
        tree.put(format!("{root}/PCSA00001/sce_sys/param.sfo"), &file(&[("TITLE", b"A Game")]));
        tree.put(format!("{root}/PCSA00002/sce_sys/param.sfo"), &file(&[("TITLE", b"PCSB99999")]));
        tree.put(format!("{root}/PCSA00003/eboot.bin"), b"");
        let names = ["A Game", "PCSA00002", "PCSA00003"];
        let games = app_titles(&tree, Path::new("/h"));
        assert_eq!(games.iter().map(|game| game.record.text("name")).collect::<Vec<_>>(), names);
        assert!(games.iter().all(|game| game.record.is_blank("launch")));
    }
}
