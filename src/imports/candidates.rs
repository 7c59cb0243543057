//! From a folder to the games in it: the steps that only read, one after the other.

use std::path::Path;

use serde_json::{Map, Value};

use super::{
    apps, content, layouts,
    playlists::{self, DiscLists},
};
use crate::{
    platforms::firmware,
    scan::{
        discs,
        extensions::Role,
        ranking::{self, Ranked, RegionOrder},
        references::{self, GameFile},
        systems::FolderSystems,
        tree::Tree,
        unknown::UnknownFiles,
        walk::{self, FoundFile},
    },
};

/// What the user chose for imports of folders.
#[derive(Clone, Debug, Default)]
pub struct Preferences {
    /// The order in which versions are compared by region.
    pub regions: RegionOrder,
    /// The platforms of folders.
    pub systems: FolderSystems,
    /// Playlists of games of the library, which further discs may join.
    pub lists: DiscLists,
}

impl Preferences {
    /// The choices in these settings.
    pub fn of(settings: &Map<String, Value>) -> Self {
        let (regions, systems) = (RegionOrder::of(settings), FolderSystems::of(settings));
        Self { regions, systems, ..Self::default() }
    }
}

/// The games of a folder.
#[derive(Debug)]
pub struct Candidates {
    /// One entry a game in the order of its best version: by folder, then by folded name.
    pub games: Vec<Ranked>,
    /// Folders and files that could not be read or have no name in UTF-8.
    pub skipped: usize,
    /// Files of types an import is not about, and firmware.
    pub unknown: UnknownFiles,
    /// Files that a sheet, the image of a disc or the game of their folder accounts for.
    pub parts: usize,
}

/// Finds the games below `root`, an absolute path of a folder; `excluded` is not entered.
pub fn find(tree: &dyn Tree, root: &str, excluded: &Path, preferences: &Preferences) -> Candidates {
    let Preferences { regions, systems, lists } = preferences;
    let found = walk::walk(tree, root, excluded, systems);
    let files = playlists::leave_out(tree, root, lists, found.files);
    let count = files.len();
    let laid_out = layouts::gather(tree, root, systems, files);
    let gathered = apps::gather(tree, root, systems, laid_out.files);
    let mut game_files = references::drop_named(tree, gathered.files);
    if !gathered.apps.is_empty() || !laid_out.apps.is_empty() {
        game_files.extend(gathered.apps.into_iter().chain(laid_out.apps));
        game_files.sort_by(|a, b| a.file.folder.cmp(&b.file.folder));
    }
    let parts = count - game_files.len();
    let mut unknown = found.unknown;
    game_files.retain_mut(|game_file| {
        content::settle(tree, game_file);
        apps::describe(tree, game_file);
        let GameFile { file, .. } = &*game_file;
        let is_game = !file.platform.is_empty() && !is_firmware(file);
        if !is_game {
            let GameFile { file, .. } = game_file;
            unknown.add(systems.deciding(root, &file.folder), file.name.as_bytes());
        }
        is_game
    });
    discs::name_by_folder(root, &mut game_files);
    let games = ranking::rank(tree, discs::join_discs(game_files), regions);
    Candidates { games, skipped: found.skipped, unknown, parts }
}

/// The mark that sets write before the names of firmware.
const FIRMWARE_MARK: &str = "[BIOS]";

/// Whether a file is firmware, by the mark before its name or by its whole name.
fn is_firmware(file: &FoundFile) -> bool {
    let start = file.name.get(..FIRMWARE_MARK.len());
    start.is_some_and(|start| start.eq_ignore_ascii_case(FIRMWARE_MARK))
        || firmware::is_named_in(file.platform, &file.name)
}

/// Folders above a file whose names may name its platform.
const NEAR_FOLDERS: usize = 3;

/// The platform of one file by the folders above it, its extension and its content, as an import of its
/// folder finds it; `None` for a file that is not a game.
pub fn platform_of(tree: &dyn Tree, path: &str, systems: &FolderSystems) -> Option<&'static str> {
    let (folder, name) = path.rsplit_once('/')?;
    let system = systems.of_file(path, NEAR_FOLDERS);
    let mut own = walk::files_in(tree, folder, system, Some(name));
    let file = own.pop()?;
    let role = file.extension.role;
    // The files of a sheet lie next to it; further sheets of its kind are never among that.
    let is_beside = |other: &FoundFile| match role {
        _ if *other.name == *name => true,
        Role::Playlist => other.extension.role != Role::Playlist,
        _ => ![Role::Playlist, Role::CueSheet].contains(&other.extension.role),
    };
    let is_sheet = [Role::Playlist, Role::CueSheet].contains(&role);
    let mut files = if is_sheet && !file.is_certain {
        walk::files_in(tree, folder, system, None)
    } else {
        vec![file]
    };
    files.retain(is_beside);
    let mut game_files = references::drop_named(tree, files);
    game_files.retain(|game_file| *game_file.file.name == *name);
    let mut game_file = game_files.pop()?;
    content::settle(tree, &mut game_file);
    let file = &game_file.file;
    let is_game = !file.platform.is_empty() && !is_firmware(file);
    is_game.then_some(file.platform)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;
    use crate::{
        base::text,
        formats::{cue, m3u},
        names,
        scan::{discs::Entry, tree::memory::MemoryTree},
    };

    const NOWHERE: &str = "/data";

    /// Every found file that a game accounts for: itself, its versions, their discs and the playlists
    /// of these.
    fn accounted(games: &[Ranked], all: &BTreeSet<String>) -> Vec<String> {
        let mut paths = Vec::new();
        let mut playlists = BTreeSet::new();
        for entry in games.iter().flat_map(|game| std::iter::once(&game.best).chain(&game.others)) {
            if let Entry::Single(GameFile { file, .. }) = entry {
                paths.push(file.path());
            } else {
                paths.extend(entry.disc_paths());
                playlists.insert(entry.path());
            }
        }
        playlists.retain(|path| all.contains(path) && !paths.contains(path));
        paths.extend(playlists);
        paths
    }

    /// Every game as an import knows it: path, platform, title and discs.
    fn known(games: &[Ranked]) -> Vec<(String, &'static str, &str, Vec<String>)> {
        let known = |best: &Entry| (best.path(), best.platform(), best.disc_paths());
        let games = games.iter().map(|game| (known(&game.best), game.best.title()));
        games.map(|((path, platform, discs), title)| (path, platform, title, discs)).collect()
    }

    fn has_suffix(path: &str, suffix: &str) -> bool {
        Path::new(path).extension().is_some_and(|found| found == suffix)
    }

    /// What the sheets of a tree name, folded, by the same grammar but without their ranks.
    fn named_somewhere(files: &[(String, String)]) -> BTreeSet<String> {
        let mut named = BTreeSet::new();
        for (path, content) in files {
            let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
            let entries = if has_suffix(path, "m3u") {
                m3u::parse(content.as_bytes())
            } else {
                cue::files(content.as_bytes())
            };
            named.extend(entries.iter().map(|entry| text::fold(&format!("{folder}/{entry}"))));
        }
        named
    }

    fn file_name() -> impl Strategy<Value = String> {
        let stem = prop_oneof![
            "[AB]( \\((USA|Japan|Beta)\\))?",
            "[AB]( |_)?[(\\[]?(Disc|disk|CD|Side|dvd) ?[1-3ab][)\\]]?",
            "\\PC{1,6}",
        ];
        let suffix = prop::sample::select(vec!["iso", "cue", "m3u", "chd", "nes", "sh", "ISO"]);
        (stem, suffix).prop_map(|(stem, suffix)| format!("{}.{suffix}", stem.replace('/', "_")))
    }

    fn forest() -> impl Strategy<Value = Vec<(String, String)>> {
        let folder = prop::sample::select(vec!["/r", "/r/a", "/r/b"]);
        let files = prop::collection::btree_set((folder, file_name()), 0..14);
        let links = prop::collection::vec(
            (any::<prop::sample::Index>(), any::<prop::sample::Index>()),
            0..10,
        );
        (files, links).prop_map(|(files, links)| {
            let mut forest: Vec<(String, String)> = files
                .into_iter()
                .map(|(folder, name)| (format!("{folder}/{name}"), String::new()))
                .collect();
            for (from, to) in links {
                if forest.is_empty() {
                    break;
                }
                let target = forest[to.index(forest.len())].0.clone();
                let sheet = from.index(forest.len());
                let name = target.rsplit_once('/').map_or("", |(_, name)| name).to_owned();
                let line = if has_suffix(&forest[sheet].0, "cue") {
                    format!("FILE \"{name}\" BINARY\n")
                } else {
                    format!("{name}\n")
                };
                forest[sheet].1.push_str(&line);
            }
            forest
        })
    }

    #[test]
    fn one_file_has_the_platform_that_its_folder_gives_it() {
        let mut saturn = b"SEGA SEGASATURN".to_vec();
        saturn.resize(100_000, 0);
        let mut tree = MemoryTree::default();
        tree.put("/r/x/a.cue", b"FILE \"a.bin\" BINARY");
        tree.put("/r/x/a.bin", &saturn);
        tree.put("/r/x/b.cue", b"FILE \"b.bin\" BINARY");
        tree.put("/r/x/l.m3u", b"a.cue");
        tree.put("/r/psx/1/c.cue", b"");
        tree.put("/r/y/d.md", b"# text");
        let chosen = [("/r/y".to_owned(), "Sega Genesis".to_owned())];
        let systems = FolderSystems::default().with(&chosen.into_iter().collect());
        let platform = |path| platform_of(&tree, path, &systems);
        assert_eq!(platform("/r/x/a.cue"), Some("Sega Saturn"));
        assert_eq!(platform("/r/x/l.m3u"), Some("Sega Saturn"));
        assert_eq!(platform("/r/x/b.cue"), Some("Disc image"));
        assert_eq!(platform("/r/psx/1/c.cue"), Some("PlayStation"));
        assert_eq!(platform("/r/y/d.md"), Some("Sega Genesis"));
        assert_eq!(platform("/r/z/d.md"), None);
        assert_eq!(platform("a.nes"), None);
    }

    #[test]
    fn a_sheet_that_is_no_game_leaves_its_files() {
        let mut saturn = b"SEGA SEGASATURN".to_vec();
        saturn.resize(100_000, 0);
        let mut cartridge = vec![0; 0x100];
        cartridge.extend_from_slice(b"SEGA MEGA DRIVE ");
        cartridge.resize(100_000, 0);
        let mut tree = MemoryTree::default();
        tree.put("/r/Game.toc", b"DATAFILE \"Game.bin\"");
        tree.put("/r/Game.bin", &saturn);
        tree.put("/r/Sonic.toc", b"DATAFILE \"Other.bin\"");
        tree.put("/r/Sonic.bin", &cartridge);
        tree.put("/r/pcengine/Z.img", b"");
        let found = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default());
        let games: Vec<(String, &str)> =
            found.games.iter().map(|game| (game.best.path(), game.best.platform())).collect();
        let expected = [
            ("/r/Game.bin", "Sega Saturn"),
            ("/r/Sonic.bin", "Sega Genesis"),
            ("/r/pcengine/Z.img", "PC Engine"),
        ];
        assert_eq!(games, expected.map(|(path, platform)| (path.to_owned(), platform)));
        assert_eq!(found.unknown.most_frequent()["toc"], 2);
    }

    #[test]
    fn firmware_is_no_game() {
        let tree = MemoryTree::with(&[
            "/r/psx/scph5501.bin",
            "/r/psx/Game.chd",
            "/r/gba/gba_bios.bin",
            "/r/gba/[BIOS] Game Boy Advance (World).gba",
            "/r/psx/[BIOS] PS-one Startup Disc (Europe).chd",
            "/r/fds/disksys.rom",
            "/r/fds/Game.fds",
        ]);
        let found = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default());
        let titles: Vec<&str> = found.games.iter().map(|game| game.best.platform()).collect();
        assert_eq!(titles, ["Famicom Disk System", "PlayStation"]);
        let told = found.unknown.most_frequent();
        assert_eq!((told["bin"], told["rom"], told["gba"], told["chd"]), (2, 1, 1, 1));
        let platform = |path| platform_of(&tree, path, &FolderSystems::default());
        assert_eq!(platform("/r/psx/scph5501.bin"), None);
        assert_eq!(platform("/r/psx/Game.chd"), Some("PlayStation"));
    }

    #[test]
    fn what_cores_load_before_a_game_is_no_game() {
        let tree = MemoryTree::with(&[
            "/r/NES/boot0.rom",
            "/r/NES/Cart.nes",
            "/r/AO486/boot1.rom",
            "/r/SNES/boot0.rom",
            "/r/Gameboy/boot1.rom",
            "/r/GBA/boot.rom",
            "/r/PSX/boot1.rom",
            "/r/MegaCD/boot.rom",
            "/r/Saturn/boot.rom",
            "/r/Saturn/cart.rom",
            "/r/TGFX16-CD/cd_bios.rom",
            "/r/NeoGeo/uni-bios.rom",
        ]);
        let found = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default());
        let paths: Vec<String> = found.games.iter().map(|game| game.best.path()).collect();
        assert_eq!(paths, ["/r/NES/Cart.nes"]);
    }

    #[test]
    fn files_that_every_game_calls_alike_have_the_title_of_their_folder() {
        let tree = MemoryTree::with(&[
            "/r/wii/wbfs/Kart Game [RMCE01]/RMCE01.wbfs",
            "/r/wii/RSBE01.wbfs",
            "/r/gc/Prime, The [GM8E01]/game.iso",
            "/r/gc/Two Discs [GAME02]/disc2.iso",
            "/r/gc/Two Discs [GAME02]/game.iso",
            "/r/gc/Cube (USA).nkit.iso",
            "/r/gc/Pair (USA) (Disc 1).nkit.iso",
            "/r/gc/Pair (USA) (Disc 2).nkit.iso",
            "/r/wiiu/Fold [ABCE01]/code/program.rpx",
            "/r/wiiu/Kart 8.wiiu/code/turbo.rpx",
            "/r/xbox360/Three Sixty (Europe)/default.xex",
            "/r/psp/EBOOT.PBP",
            "/r/xbox/Box.xiso.iso",
        ]);
        let found = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default()).games;
        let shown: Vec<(String, usize, String)> = found
            .iter()
            .map(|game| {
                let title = names::parse(game.best.title()).title;
                (title, game.best.disc_paths().len(), ranking::tags_of(&game.best).region_text())
            })
            .collect();
        let shown: Vec<(&str, usize, &str)> =
            shown.iter().map(|(title, discs, region)| (&**title, *discs, &**region)).collect();
        assert_eq!(
            shown,
            [
                ("Cube", 0, "USA"),
                ("Pair", 2, "USA"),
                ("The Prime", 0, ""),
                ("Two Discs", 2, ""),
                ("EBOOT", 0, ""),
                ("RSBE01", 0, ""),
                ("Kart Game", 0, ""),
                ("Fold", 0, ""),
                ("Kart 8", 0, ""),
                ("Box", 0, ""),
                ("Three Sixty", 0, "Europe"),
            ]
        );
        let root = MemoryTree::with(&["/r/Some Game/default.xex"]);
        let games = find(&root, "/r/Some Game", Path::new(NOWHERE), &Preferences::default()).games;
        assert_eq!(games[0].best.title(), "default", "the imported folder is no game");
    }

    proptest! {
        #[test]
        fn no_file_is_lost_or_counted_twice(files in forest()) {
            let mut tree = MemoryTree::default();
            for (path, content) in &files {
                tree.put(path, content.as_bytes());
            }
            let all: BTreeSet<String> = walk::walk(&tree, "/r", Path::new(NOWHERE), &FolderSystems::default())
                .files.iter().map(FoundFile::path).collect();
            let candidates = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default());
            let accounted_paths = accounted(&candidates.games, &all);
            let accounted: BTreeSet<String> = accounted_paths.iter().cloned().collect();
            prop_assert_eq!(accounted.len(), accounted_paths.len(), "a file stands for two games");
            prop_assert!(accounted.is_subset(&all));
            let named = named_somewhere(&files);
            for missing in all.difference(&accounted) {
                prop_assert!(named.contains(&text::fold(missing)), "{} is lost", missing);
            }
        }

        #[test]
        fn a_second_scan_finds_the_same_with_the_playlists_that_the_first_one_wrote(files in forest()) {
            let mut tree = MemoryTree::default();
            for (path, content) in &files {
                tree.put(path, content.as_bytes());
            }
            // Two groups may want one name; the second playlist then goes to the generated files.
            let mut taken: BTreeSet<String> = files.iter().map(|(path, _)| path.clone()).collect();
            let first = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default());
            for game in &first.games {
                if let Entry::Discs(group) = &game.best && taken.insert(group.playlist_path()) {
                    let lines: Vec<String> = group.discs.iter()
                        .filter_map(|disc| m3u::entry_for(&disc.name)).collect();
                    prop_assert_eq!(lines.len(), group.discs.len(), "every disc can be listed");
                    tree.put(group.playlist_path(), &m3u::write(&lines).expect("listable discs"));
                }
            }
            let second = find(&tree, "/r", Path::new(NOWHERE), &Preferences::default());
            prop_assert_eq!(known(&first.games), known(&second.games));
            prop_assert_eq!((first.parts, first.skipped), (second.parts, second.skipped));
        }
    }
}
