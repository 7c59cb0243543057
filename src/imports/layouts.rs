//! Files that belong to one game because of where they lie and how they are called: the data of ports,
//! the program next to a game for OpenBOR, and the tracks of a floppy disk.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

use crate::{
    base::text,
    names::{self, ParsedName},
    scan::{
        extensions,
        references::{App, GameFile},
        systems::FolderSystems,
        tree::Tree,
        walk::FoundFile,
    },
};

use super::apps::{DESKTOP, Gathered};

/// The platform of ports, whose scripts lie in one folder, the data of each in a folder next to them.
const PORTS: &str = "Ports";
const SCRIPT: &str = "sh";
/// What else starts by itself, so that a folder with one may hold a game.
const STARTERS: [&str; 3] = [SCRIPT, "appimage", DESKTOP];
/// The folder of the program that manages ports.
const MANAGER: &str = "PortMaster";
/// Bytes that are read of a script.
const SCRIPT_BYTES: u64 = 64 * 1024;
/// The platform of the engine, the folder of its games next to the program, and their extension.
const ENGINE: &str = "OpenBOR";
const MODULES: &str = "Paks";
const MODULE: &str = "pak";
/// Extensions of the program of the engine.
const PROGRAMS: [&str; 3] = ["exe", SCRIPT, "appimage"];
/// The extension of the tracks of a floppy disk, and what their name is before the number when it says nothing.
const TRACK: &str = "raw";
const UNNAMED: &str = "track";
/// Digits of the number of a track.
const DIGITS: usize = 2;

/// Leaves out the files that are parts of other games, and sets the games apart that have a title of their folder.
/// `files` are in the order of the walk, `root` is the folder it began with.
pub fn gather(
    tree: &dyn Tree,
    root: &str,
    systems: &FolderSystems,
    files: Vec<FoundFile>,
) -> Gathered {
    let mut parts: HashSet<usize> = HashSet::new();
    let mut titled: HashMap<usize, App> = HashMap::new();
    leave_out_data(tree, root, systems, &files, &mut parts);
    join_modules(root, systems, &files, &mut parts, &mut titled);
    join_tracks(root, systems, &files, &mut parts, &mut titled);
    let mut gathered = Gathered::default();
    for (at, file) in files.into_iter().enumerate() {
        match titled.remove(&at) {
            _ if parts.contains(&at) => {}
            Some(app) => {
                gathered.apps.push(GameFile { app: Some(Box::new(app)), ..GameFile::of(file) });
            }
            None => gathered.files.push(file),
        }
    }
    gathered
}

/// The data of ports: what lies below a folder of ports that has scripts. A folder stays that holds something that
/// starts and that no script names, because the user may have sorted games into it.
fn leave_out_data(
    tree: &dyn Tree,
    root: &str,
    systems: &FolderSystems,
    files: &[FoundFile],
    parts: &mut HashSet<usize>,
) {
    let mut scripts: HashMap<&str, Vec<&FoundFile>> = HashMap::new();
    for file in files.iter().filter(|file| file.extension.suffix == SCRIPT) {
        scripts.entry(&file.folder).or_default().push(file);
    }
    if scripts.is_empty() {
        return;
    }
    let mut starting: HashSet<&str> = HashSet::new();
    for file in files.iter().filter(|file| STARTERS.contains(&file.extension.suffix)) {
        starting.extend(folders_down(root, &file.folder));
    }
    let mut texts: HashMap<&str, String> = HashMap::new();
    let mut is_named = |shelf, name: &str| {
        let text = texts.entry(shelf).or_insert_with(|| {
            let read = |file: &&FoundFile| {
                tree.read_start(Path::new(&file.path()), SCRIPT_BYTES).unwrap_or_default()
            };
            let bytes: Vec<Vec<u8>> = scripts[shelf].iter().map(read).collect();
            String::from_utf8_lossy(&bytes.join(&b'\n')).to_lowercase()
        });
        has_word(text, &name.to_lowercase())
    };
    let mut at = 0;
    for group in files.chunk_by(|a, b| a.folder == b.folder) {
        let mut shelf = None;
        let mut is_data = false;
        for folder in folders_down(root, &group[0].folder) {
            let system = if folder == root { systems.of_root(root) } else { systems.own(folder) };
            let is_ports = system.map(|system| system.platform.name == PORTS);
            if is_ports == Some(false) {
                (shelf, is_data) = (None, false);
            } else if let Some(around) = shelf.filter(|_| !is_data) {
                let name = folder.rsplit('/').next().unwrap_or_default();
                let may_be_games =
                    || starting.contains(folder) && !name.eq_ignore_ascii_case(MANAGER);
                if scripts.contains_key(around) && (!may_be_games() || is_named(around, name)) {
                    is_data = true;
                } else {
                    shelf = Some(folder);
                }
            } else if is_ports == Some(true) && shelf.is_none() {
                shelf = Some(folder);
            }
        }
        if is_data {
            parts.extend(at..at + group.len());
        }
        at += group.len();
    }
}

/// A folder below `root` and those above it from `root` on, the outermost first.
fn folders_down<'a>(root: &str, folder: &'a str) -> impl Iterator<Item = &'a str> {
    let start = root.len();
    let ends = folder.match_indices('/').map(|(at, _)| at).filter(move |at| *at > start);
    let outermost = (start < folder.len()).then_some(start);
    let ends = outermost.into_iter().chain(ends).chain([folder.len()]);
    ends.map(|end| &folder[..end])
}

/// Whether a text has a word that is no part of a longer one.
fn has_word(text: &str, word: &str) -> bool {
    let is_end = |letter: Option<char>| letter.is_none_or(|letter| !letter.is_alphanumeric());
    text.match_indices(word).any(|(at, _)| {
        is_end(text[..at].chars().next_back()) && is_end(text[at + word.len()..].chars().next())
    })
}

/// Games for OpenBOR with the program in their own folder: the only module is the game and has the title of the
/// folder. Of several modules each is a game, and the program is none.
fn join_modules(
    root: &str,
    systems: &FolderSystems,
    files: &[FoundFile],
    parts: &mut HashSet<usize>,
    titled: &mut HashMap<usize, App>,
) {
    let mut modules: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        if file.platform == ENGINE
            && file.extension.suffix == MODULE
            && let Some((home, own)) = file.folder.rsplit_once('/')
            && own.eq_ignore_ascii_case(MODULES)
        {
            modules.entry(home).or_default().push(at);
        }
    }
    if modules.is_empty() {
        return;
    }
    let mut programs: HashMap<&str, Vec<usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if PROGRAMS.contains(&file.extension.suffix) && modules.contains_key(&*file.folder) {
            programs.entry(&file.folder).or_default().push(at);
        }
    }
    for (home, mut programs) in programs {
        let title = folder_title(root, systems, home);
        if let ([module], Some(title)) = (&*modules[home], title) {
            let others = programs.iter().map(|at| files[*at].path()).collect();
            titled.insert(*module, App { others, ..title });
        } else {
            let engine = text::fold(ENGINE);
            programs.retain(|at| text::fold(files[*at].stem()).starts_with(&engine));
        }
        parts.extend(programs);
    }
}

/// The tracks of one floppy disk, each a file (`Title00.0.raw`, `Title00.1.raw`): the first one is the game, since
/// emulators find the others by its name.
fn join_tracks(
    root: &str,
    systems: &FolderSystems,
    files: &[FoundFile],
    parts: &mut HashSet<usize>,
    titled: &mut HashMap<usize, App>,
) {
    let mut disks: BTreeMap<(&str, &str), Vec<(&str, usize)>> = BTreeMap::new();
    for (at, file) in files.iter().enumerate() {
        if file.extension.suffix == TRACK
            && !file.platform.is_empty()
            && let Some((disk, number)) = split_track(file.stem())
        {
            disks.entry((&file.folder, disk)).or_default().push((number, at));
        }
    }
    for ((folder, disk), mut tracks) in disks {
        tracks.sort_unstable();
        let (first, further) = (tracks[0].1, &tracks[1..]);
        if further.is_empty() {
            continue;
        }
        parts.extend(further.iter().map(|(_, at)| *at));
        let name = disk.trim_end_matches(['-', '_', '.', ' ']);
        // The tracks of `Title.img` are called `Title.img00.0.raw`.
        let stem = extensions::find(name.as_bytes()).and_then(|_| name.rsplit_once('.'));
        let name = stem.map_or(name, |(stem, _)| stem);
        let is_unnamed = name.is_empty() || name.eq_ignore_ascii_case(UNNAMED);
        let of_folder = folder_title(root, systems, folder).filter(|_| is_unnamed);
        titled.insert(first, of_folder.unwrap_or_else(|| app_of(name)));
    }
}

/// The name of a disk and the number of a track and its side, in the stem of the name of a file.
fn split_track(stem: &str) -> Option<(&str, &str)> {
    let (before, side) = stem.rsplit_once('.')?;
    let start = before.len().checked_sub(DIGITS)?;
    let digits = before.get(start..)?;
    let is_track = ["0", "1"].contains(&side) && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_track.then(|| stem.split_at(start))
}

/// The title and tags in the name of a folder of one game; `None` for the imported one and that of a platform.
fn folder_title(root: &str, systems: &FolderSystems, folder: &str) -> Option<App> {
    let is_of_game = folder.len() > root.len() && systems.own(folder).is_none();
    let name = folder.rsplit('/').next().filter(|_| is_of_game)?;
    Some(app_of(names::folder::without_system(name)))
}

fn app_of(name: &str) -> App {
    let ParsedName { title, tags } = names::parse(name);
    App { title, tags, ..App::default() }
}

#[cfg(test)]
mod tests {
    use super::{
        super::candidates::{Preferences, find},
        *,
    };
    use crate::scan::tree::memory::MemoryTree;

    #[track_caller]
    fn check(tree: &MemoryTree, root: &str, expected: &[(&str, &str)]) {
        let found = find(tree, root, Path::new("/data"), &Preferences::default()).games;
        let shown: Vec<(String, String)> = found
            .iter()
            .map(|game| (names::parse(game.best.title()).title, game.best.path()))
            .collect();
        let shown: Vec<(&str, &str)> =
            shown.iter().map(|(title, path)| (&**title, &**path)).collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn data_of_ports_is_no_game() {
        let mut tree = MemoryTree::with(&[
            "/r/ports/Quake.sh",
            "/r/ports/quake/id1/pak0.pak",
            "/r/ports/quake/id1/pak1.pak",
            "/r/ports/cavestory/Doukutsu.exe",
            "/r/ports/cavestory/DoConfig.exe",
            "/r/ports/stardewvalley/StardewValley.exe",
            "/r/ports/stardewvalley/tools/patch.sh",
            "/r/ports/PortMaster/PortMaster.sh",
            "/r/ports/PortMaster/pylibs.zip",
            "/r/ports/Shooters/Doom.sh",
            "/r/ports/Shooters/data/pak0.pak",
            "/r/ports/snes/Game.sfc",
            "/r/other/ports/pak0.pak",
        ]);
        tree.put("/r/ports/Stardew Valley.sh", b"GAMEDIR=\"/$directory/ports/StardewValley\"\n");
        let shooters = ("Doom", "/r/ports/Shooters/Doom.sh");
        let games = [
            ("pak0", "/r/other/ports/pak0.pak"),
            ("Quake", "/r/ports/Quake.sh"),
            ("Stardew Valley", "/r/ports/Stardew Valley.sh"),
            shooters,
            ("Game", "/r/ports/snes/Game.sfc"),
        ];
        check(&tree, "/r", &games);
        check(&tree, "/r/ports", &games[1..]);
    }

    #[test]
    fn a_module_with_its_program_has_the_title_of_the_folder() {
        let tree = MemoryTree::with(&[
            "/r/openbor/Streets of Rage X/OpenBOR.exe",
            "/r/openbor/Streets of Rage X/Paks/sorx.pak",
            "/r/openbor/Two/OpenBOR.exe",
            "/r/openbor/Two/Paks/a.pak",
            "/r/openbor/Two/Paks/b.pak",
            "/r/openbor/Alone.pak",
            "/r/windows/Beat/OpenBOR.exe",
        ]);
        check(
            &tree,
            "/r",
            &[
                ("Alone", "/r/openbor/Alone.pak"),
                ("Streets of Rage X", "/r/openbor/Streets of Rage X/Paks/sorx.pak"),
                ("a", "/r/openbor/Two/Paks/a.pak"),
                ("b", "/r/openbor/Two/Paks/b.pak"),
                ("Beat", "/r/windows/Beat/OpenBOR.exe"),
            ],
        );
        let whole = MemoryTree::with(&["/r/openbor/OpenBOR.exe", "/r/openbor/Paks/one.pak"]);
        check(&whole, "/r", &[("one", "/r/openbor/Paks/one.pak")]);
    }

    #[test]
    fn the_tracks_of_a_disk_are_one_game() {
        let tree = MemoryTree::with(&[
            "/r/pc98/data_disk.img00.0.raw",
            "/r/pc98/data_disk.img00.1.raw",
            "/r/pc98/data_disk.img01.0.raw",
            "/r/pc98/Level 10.0.raw",
            "/r/atari800/Maze (USA)/track00.0.raw",
            "/r/atari800/Maze (USA)/track00.1.raw",
        ]);
        check(
            &tree,
            "/r",
            &[
                ("Maze", "/r/atari800/Maze (USA)/track00.0.raw"),
                ("Level 10.0", "/r/pc98/Level 10.0.raw"),
                ("data disk", "/r/pc98/data_disk.img00.0.raw"),
            ],
        );
    }
}
