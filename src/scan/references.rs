//! Files that a sheet names are parts of it, not games of their own.
//!
//! A playlist outranks a cue sheet, and a cue sheet outranks every other file; a sheet takes only
//! files of lower rank. So no two sheets can make each other disappear, whatever they say.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashMap, HashSet},
    path::Path,
};

use crate::{
    base::text,
    formats::{cue, gdi, m3u},
    names::{self, ParsedName, Tags},
    platforms::{self, Kind},
};

use super::{
    extensions::Role,
    tree::Tree,
    walk::{FoundFile, join},
};

/// Extensions of the images that stand next to a sheet.
const IMAGES: [&str; 7] = ["bin", "img", "sub", "mdf", "raw", "wav", "ecm"];

/// Extensions of arcade sets, and that of their disks.
const SETS: [&str; 2] = ["zip", "7z"];
const DISK: &str = "chd";

/// The platform of images that are cut in parts, and their extensions.
const XBOX: &str = "Xbox";
const HALVES: [&str; 2] = ["cci", "iso"];

/// The extension of programs for Windows, how those end that the program of an Unreal game starts, and how many
/// folders the program of the game lies above such a one and above a library of Ren'Py.
const PROGRAM: &str = "exe";
const SHIPPING: &str = "-win64-shipping";
const SHIPPING_LEVELS: usize = 3;
const LIBRARY_LEVELS: usize = 2;

/// Images of a disc whose content may tell its platform: the first track is often sound.
const IMAGES_KEPT: usize = 2;

/// The part of a sheet that is read; a real one is a few hundred bytes.
pub const SHEET_BYTES: u64 = 1024 * 1024;

/// What is known of a game beyond the name of its file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct App {
    /// Its title.
    pub title: String,
    /// The title and tags in the name of its folder.
    pub tags: Tags,
    /// The command that starts it; blank when its platform decides.
    pub launch: String,
    /// The paths of its other programs.
    pub others: Vec<String>,
    /// Fields with its ids in stores.
    pub ids: Vec<(&'static str, String)>,
}

impl App {
    /// The game of the first part of an image that is cut in parts.
    fn of_half(file: &FoundFile) -> Self {
        let stem = file.stem().rsplit_once('.').map_or(file.stem(), |(stem, _)| stem);
        let ParsedName { title, tags } = names::parse(stem);
        Self { title, tags, ..Self::default() }
    }
}

/// A file that stands for a game, with the found files its playlist names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GameFile {
    /// The file itself.
    pub file: FoundFile,
    /// For a playlist, the files it names among the found ones, in its order; otherwise empty.
    pub discs: Box<[FoundFile]>,
    /// For a sheet or a playlist, the paths of the first images of its first disc, at most
    /// [`IMAGES_KEPT`]; otherwise empty.
    pub images: Box<[Box<str>]>,
    /// What is known of the game beyond its file; `None` for most.
    pub app: Option<Box<App>>,
}

impl GameFile {
    /// A file on its own.
    pub fn of(file: FoundFile) -> Self {
        Self { file, discs: Box::default(), images: Box::default(), app: None }
    }
}

/// Drops every file that a sheet among `files` names, and keeps the order of the others. A sheet
/// that cannot be read names nothing, nor does one that is not a game where it lies: it would take its files
/// with it.
pub fn drop_named(tree: &dyn Tree, files: Vec<FoundFile>) -> Vec<GameFile> {
    let is_sheet = |file: &FoundFile| rank(file) > 0 && !file.platform.is_empty();
    let mut sheets: Vec<usize> = (0..files.len()).filter(|at| is_sheet(&files[*at])).collect();
    // The order decides only which of two sheets lists a shared disc; the highest comes first.
    sheets.sort_by_key(|at| std::cmp::Reverse(rank(&files[*at])));
    let paths = files.iter().map(FoundFile::path);
    let index = if sheets.is_empty() { PathIndex::default() } else { PathIndex::of(paths) };
    let beside = images(&files);
    let mut is_named = vec![false; files.len()];
    let mut discs: HashMap<usize, Box<[FoundFile]>> = HashMap::new();
    let mut parts: HashMap<usize, Vec<usize>> = HashMap::new();
    for sheet in sheets {
        let mut named = named_files(tree, &files, &index, sheet);
        if named.is_empty() && files[sheet].extension.role == Role::CueSheet {
            // A sheet that is empty or names other files still goes with the images of its name.
            named = beside.get(&key_of(&files[sheet])).cloned().unwrap_or_default();
        }
        for at in &named {
            is_named[*at] = true;
        }
        parts.insert(sheet, named.iter().take(IMAGES_KEPT).copied().collect());
        if files[sheet].extension.role == Role::Playlist {
            discs.insert(sheet, named.into_iter().map(|at| files[at].clone()).collect());
        }
    }
    // Tracks without a sheet: the first one stands for the disc.
    for images in beside.values() {
        let free = images.iter().filter(|at| !is_named[**at]);
        let mut tracks: Vec<(u32, usize)> =
            free.filter_map(|at| Some((split_track(files[*at].stem())?.1, *at))).collect();
        tracks.sort_unstable();
        for (_, at) in tracks.into_iter().skip(1) {
            is_named[at] = true;
        }
    }
    let halves = halves(&files);
    let further = halves.iter().flat_map(|(_, further)| further.iter().copied());
    for at in disks_of_sets(&files).into_iter().chain(programs_of_engines(&files)).chain(further) {
        is_named[at] = true;
    }
    let firsts: HashSet<usize> = halves.iter().map(|(first, _)| *first).collect();
    let images: HashMap<usize, Box<[Box<str>]>> =
        parts.keys().map(|sheet| (*sheet, images_of(&files, &parts, *sheet))).collect();
    drop(beside);
    let game_file = |(at, file): (usize, FoundFile)| GameFile {
        discs: discs.remove(&at).unwrap_or_default(),
        images: images.get(&at).cloned().unwrap_or_default(),
        app: firsts.contains(&at).then(|| Box::new(App::of_half(&file))),
        ..GameFile::of(file)
    };
    files.into_iter().enumerate().filter(|(at, _)| !is_named[*at]).map(game_file).collect()
}

/// The hard disks and discs of arcade sets, which the emulator finds by the set: those in a folder with the
/// name of an archive next to it (`area51.zip`, `area51/area51.chd`).
fn disks_of_sets(files: &[FoundFile]) -> Vec<usize> {
    let is_arcade = |file: &FoundFile| {
        platforms::by_name(file.platform).is_some_and(|platform| platform.kind == Kind::Arcade)
    };
    let is_disk = |file: &FoundFile| file.extension.suffix == DISK && is_arcade(file);
    let disks: Vec<usize> = (0..files.len()).filter(|at| is_disk(&files[*at])).collect();
    if disks.is_empty() {
        return disks;
    }
    let sets: HashSet<String> = files
        .iter()
        .filter(|file| SETS.contains(&file.extension.suffix) && is_arcade(file))
        .map(|file| join(&file.folder, file.stem()))
        .collect();
    disks.into_iter().filter(|at| sets.contains(&*files[*at].folder)).collect()
}

/// Images of the Xbox that are cut in parts (`Title.1.cci`, `Title.2.cci`): the first part of each, which
/// emulators start, and the further ones.
fn halves(files: &[FoundFile]) -> Vec<(usize, Vec<usize>)> {
    let mut parts: HashMap<(&str, &str, &str), BTreeMap<u8, usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if file.platform == XBOX
            && HALVES.contains(&file.extension.suffix)
            && let Some((stem, number)) = file.stem().rsplit_once('.')
            && let Ok(number @ 1..=9) = number.parse()
        {
            let key = (&*file.folder, stem, file.extension.suffix);
            parts.entry(key).or_default().insert(number, at);
        }
    }
    let whole = parts.into_values().filter(|parts| parts.len() > 1);
    whole
        .filter_map(|mut parts| {
            let first = parts.remove(&1)?;
            Some((first, parts.into_values().collect()))
        })
        .collect()
}

/// Programs that the one of the game starts, which lies above them: those of an Unreal game
/// (`Game/Binaries/Win64/Game-Win64-Shipping.exe`) and those of a game of Ren'Py (`lib/py3-windows-x86_64`).
fn programs_of_engines(files: &[FoundFile]) -> Vec<usize> {
    let is_program = |file: &FoundFile| file.extension.suffix == PROGRAM;
    let home = |file: &FoundFile| -> Option<String> {
        let levels = if text::fold(file.stem()).ends_with(SHIPPING) {
            SHIPPING_LEVELS
        } else {
            let (above, own) = file.folder.rsplit_once('/')?;
            (own.contains("windows") && above.ends_with("/lib")).then_some(LIBRARY_LEVELS)?
        };
        Some(Path::new(&*file.folder).ancestors().nth(levels)?.to_str()?.to_owned())
    };
    let parts: Vec<(usize, String)> = (0..files.len())
        .filter(|at| is_program(&files[*at]))
        .filter_map(|at| Some((at, home(&files[at])?)))
        .collect();
    if parts.is_empty() {
        return Vec::new();
    }
    let homes: HashSet<&str> =
        files.iter().filter(|file| is_program(file)).map(|file| &*file.folder).collect();
    parts.into_iter().filter(|(_, home)| homes.contains(&**home)).map(|(at, _)| at).collect()
}

/// The images of the first disc of a sheet or playlist; a disc without a sheet is its own image.
fn images_of(
    files: &[FoundFile],
    parts: &HashMap<usize, Vec<usize>>,
    sheet: usize,
) -> Box<[Box<str>]> {
    let first = parts[&sheet].first();
    let images = match (files[sheet].extension.role, first) {
        (Role::Playlist, Some(disc)) => parts.get(disc).map_or(std::slice::from_ref(disc), |of| of),
        _ => &parts[&sheet],
    };
    images.iter().map(|at| files[*at].path().into()).collect()
}

/// Files by their paths, as sheets name them.
#[derive(Debug, Default)]
pub struct PathIndex {
    exact: HashMap<String, usize>,
    /// By the folded path; `None` where several paths differ in case only. Made for the
    /// first entry that is not found as it is spelled, because most libraries need none.
    folded: OnceCell<HashMap<String, Option<usize>>>,
}

impl PathIndex {
    /// The index of absolute paths, each by its place.
    pub fn of(paths: impl Iterator<Item = String>) -> Self {
        let exact = paths.enumerate().map(|(at, path)| (path, at)).collect();
        Self { exact, folded: OnceCell::new() }
    }

    fn folded(&self) -> &HashMap<String, Option<usize>> {
        self.folded.get_or_init(|| {
            let mut folded = HashMap::with_capacity(self.exact.len());
            for (path, at) in &self.exact {
                let place = folded.entry(text::fold(path));
                place.and_modify(|known| *known = None).or_insert(Some(*at));
            }
            folded
        })
    }

    /// The file that an entry of a sheet in `folder` means. Sheets made where case does not matter may spell a name in
    /// another case, which counts when it fits one file alone.
    pub fn find(&self, folder: &str, entry: &str) -> Option<usize> {
        // Sheets made on Windows separate folders with backslashes.
        let slashed = entry.contains('\\').then(|| entry.replace('\\', "/"));
        let meant = [Some(entry), slashed.as_deref()].map(|entry| Some(resolve(folder, entry?)));
        let meant = || meant.iter().flatten();
        let exact = meant().find_map(|path| self.exact.get(path)).copied();
        let alike = |path: &String| self.folded().get(&text::fold(path)).copied().flatten();
        exact.or_else(|| meant().find_map(alike))
    }
}

/// The found files of lower rank that one sheet names, each once, in its order.
fn named_files(
    tree: &dyn Tree,
    files: &[FoundFile],
    index: &PathIndex,
    sheet: usize,
) -> Vec<usize> {
    let file = &files[sheet];
    let Ok(bytes) = tree.read_start(Path::new(&file.path()), SHEET_BYTES) else {
        return Vec::new();
    };
    let entries = match file.extension.role {
        Role::Playlist => m3u::parse(&bytes),
        _ if file.extension.suffix == "gdi" => gdi::files(&bytes),
        _ if file.extension.suffix == "toc" => cue::files_of_toc(&bytes),
        _ => cue::files(&bytes),
    };
    let mut named = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        if let Some(at) = index.find(&file.folder, &entry)
            && rank(&files[at]) < rank(file)
            && seen.insert(at)
        {
            named.push(at);
        }
    }
    named
}

/// The images of discs by folder and name without the number of the track.
fn images(files: &[FoundFile]) -> HashMap<(&str, String), Vec<usize>> {
    let mut images: HashMap<(&str, String), Vec<usize>> = HashMap::new();
    for (at, file) in files.iter().enumerate() {
        if IMAGES.contains(&file.extension.suffix) {
            images.entry(key_of(file)).or_default().push(at);
        }
    }
    images
}

fn key_of(file: &FoundFile) -> (&str, String) {
    let stem = file.stem();
    (&*file.folder, text::fold(split_track(stem).map_or(stem, |(name, _)| name)))
}

/// A name without the number of its track at the end, and that number: `Game (Track 02)`.
fn split_track(stem: &str) -> Option<(&str, u32)> {
    let (name, tag) = stem.strip_suffix(')')?.rsplit_once('(')?;
    let (word, number) = tag.split_once(' ')?;
    let number = number.parse().ok()?;
    word.eq_ignore_ascii_case("track").then_some((name.trim_end(), number))
}

fn rank(file: &FoundFile) -> u8 {
    match file.extension.role {
        Role::Playlist => 2,
        Role::CueSheet => 1,
        Role::Rom | Role::Program => 0,
    }
}

/// The absolute path an entry of a sheet in `folder` means. `.` and `..` are resolved by text
/// alone, which is exact because the walk enters no linked folder.
fn resolve(folder: &str, entry: &str) -> String {
    let whole = if entry.starts_with('/') { entry.to_owned() } else { join(folder, entry) };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{systems::FolderSystems, tree::memory::MemoryTree, walk::walk},
        *,
    };

    #[track_caller]
    fn check(files: &[(&str, &str)], expected: &[&str]) {
        let mut tree = MemoryTree::default();
        for (path, content) in files {
            tree.put(path, content.as_bytes());
        }
        let root = files[0].0.split('/').nth(1).map(|root| format!("/{root}")).expect("a root");
        let found = walk(&tree, &root, Path::new("/data"), &FolderSystems::default()).files;
        let left: Vec<String> =
            drop_named(&tree, found).iter().map(|game_file| game_file.file.path()).collect();
        assert_eq!(left, expected);
    }

    #[test]
    fn sheets_take_what_they_name() {
        check(
            &[
                ("/r/Game.m3u", "#EXTM3U\nGame (Disc 1).cue\nGame (Disc 2).cue\n"),
                ("/r/Game (Disc 1).cue", "FILE \"Game (Disc 1).iso\" BINARY"),
                ("/r/Game (Disc 1).iso", ""),
                ("/r/Game (Disc 2).cue", ""),
                ("/r/Other.iso", ""),
            ],
            &["/r/Game.m3u", "/r/Other.iso"],
        );
    }

    #[test]
    fn a_sheet_that_is_no_game_takes_nothing() {
        check(
            &[
                ("/r/Game.toc", "DATAFILE \"Game.bin\""),
                ("/r/Game.bin", ""),
                ("/r/psx/Saga.toc", "CD_ROM_XA\nDATAFILE \"image.bin\" 00:02:00 // one\n"),
                ("/r/psx/image.bin", ""),
                ("/r/tg16/Y.toc", ""),
                ("/r/tg16/Y.bin", ""),
            ],
            &["/r/Game.bin", "/r/Game.toc", "/r/psx/Saga.toc", "/r/tg16/Y.toc"],
        );
    }

    #[test]
    fn disks_belong_to_the_arcade_set_beside_their_folder() {
        check(
            &[
                ("/r/mame/area51.zip", ""),
                ("/r/mame/area51/area51.chd", ""),
                ("/r/mame/sfiii3.7z", ""),
                ("/r/mame/sfiii3/cap-33s-2.chd", ""),
                ("/r/mame/other/alone.chd", ""),
                ("/r/psx/Game.zip", ""),
                ("/r/psx/Game/Game.chd", ""),
            ],
            &[
                "/r/mame/area51.zip",
                "/r/mame/sfiii3.7z",
                "/r/mame/other/alone.chd",
                "/r/psx/Game.zip",
                "/r/psx/Game/Game.chd",
            ],
        );
    }

    #[test]
    fn further_parts_of_an_image_belong_to_the_first() {
        let files = [
            "/r/xbox/Ninja Gaiden (USA).1.cci",
            "/r/xbox/Ninja Gaiden (USA).2.cci",
            "/r/xbox/Lone.2.cci",
            "/r/xbox/Vol.1.iso",
            "/r/ps2/Vol.1.iso",
            "/r/ps2/Vol.2.iso",
        ];
        let tree = MemoryTree::with(&files);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        let game_files = drop_named(&tree, found);
        let titles: Vec<&str> = game_files
            .iter()
            .map(|game_file| game_file.app.as_ref().map_or(game_file.file.stem(), |app| &app.title))
            .collect();
        assert_eq!(titles, ["Vol.1", "Vol.2", "Lone.2", "Ninja Gaiden", "Vol.1"]);
    }

    #[test]
    fn programs_of_engines_belong_to_the_one_above_them() {
        check(
            &[
                ("/r/windows/UE/Game.exe", ""),
                ("/r/windows/UE/Game/Binaries/Win64/Game-Win64-Shipping.exe", ""),
                ("/r/windows/Alone/Binaries/Win64/Alone-Win64-Shipping.exe", ""),
                ("/r/windows/Doki/Doki.exe", ""),
                ("/r/windows/Doki/lib/py2-windows-i686/Doki.exe", ""),
                ("/r/windows/Doki/lib/py2-windows-i686/pythonw.exe", ""),
            ],
            &[
                "/r/windows/Alone/Binaries/Win64/Alone-Win64-Shipping.exe",
                "/r/windows/Doki/Doki.exe",
                "/r/windows/UE/Game.exe",
            ],
        );
    }

    #[test]
    fn entries_may_be_relative_absolute_or_windows_paths() {
        check(
            &[
                ("/r/a.m3u", "discs/../discs/./1.iso\n/r/discs/2.iso\ndiscs\\3.iso\n"),
                ("/r/discs/1.iso", ""),
                ("/r/discs/2.iso", ""),
                ("/r/discs/3.iso", ""),
                ("/r/discs/up.cue", "file ../root.iso binary"),
                ("/r/root.iso", ""),
                ("/r/back\\slash.iso", ""),
                ("/r/b.m3u", "back\\slash.iso"),
            ],
            &["/r/a.m3u", "/r/b.m3u", "/r/discs/up.cue"],
        );
    }

    #[test]
    fn entries_may_be_spelled_in_another_case() {
        check(
            &[
                ("/r/a.cue", "FILE \"Track 01.BIN\" BINARY\nFILE \"TRACKS\\02.bin\" BINARY"),
                ("/r/track 01.bin", ""),
                ("/r/Tracks/02.bin", ""),
                ("/r/b.gdi", "1\n1 0 4 2352 DISC.RAW 0"),
                ("/r/disc.raw", ""),
                ("/r/c.m3u", "Ä (Disc 1).chd|Disc 1\nEXACT.chd\n"),
                ("/r/ä (disc 1).CHD", ""),
                ("/r/Exact.chd", ""),
                ("/r/EXACT.chd", ""),
                ("/r/d.m3u", "two.chd\n"),
                ("/r/Two.chd", ""),
                ("/r/TWO.chd", ""),
            ],
            &[
                "/r/a.cue",
                "/r/b.gdi",
                "/r/c.m3u",
                "/r/d.m3u",
                "/r/Exact.chd",
                "/r/TWO.chd",
                "/r/Two.chd",
            ],
        );
    }

    #[test]
    fn sheets_never_take_themselves_or_each_other() {
        check(
            &[
                ("/r/a.m3u", "a.m3u\nb.m3u\n"),
                ("/r/b.m3u", "a.m3u\n../../../../etc/passwd\n"),
                ("/r/c.cue", "FILE \"c.cue\" BINARY\nFILE \"d.cue\" BINARY\nFILE \"a.m3u\" BINARY"),
                ("/r/d.cue", "FILE \"c.cue\" BINARY"),
            ],
            &["/r/a.m3u", "/r/b.m3u", "/r/c.cue", "/r/d.cue"],
        );
    }

    #[test]
    fn images_go_with_the_sheet_of_their_name() {
        check(
            &[
                ("/psx/a.cue", ""),
                ("/psx/a (Track 1).bin", ""),
                ("/psx/A (track 02).BIN", ""),
                ("/psx/a 2.bin", ""),
                ("/psx/b.ccd", ""),
                ("/psx/b.img", ""),
                ("/psx/b.sub", ""),
                ("/psx/c (Track 1).bin", ""),
                ("/psx/c (Track 2).bin", ""),
                ("/psx/d.gdi", "2\n1 0 4 2352 track01.bin 0\n2 9 0 2352 \"x y.raw\" 0"),
                ("/psx/track01.bin", ""),
                ("/psx/x y.raw", ""),
            ],
            &["/psx/a 2.bin", "/psx/a.cue", "/psx/b.ccd", "/psx/c (Track 1).bin", "/psx/d.gdi"],
        );
    }

    #[test]
    fn a_playlist_lists_its_found_discs_once() {
        let mut tree = MemoryTree::with(&["/r/1.chd", "/r/2.chd"]);
        tree.put("/r/g.m3u", b"2.chd\n1.chd\n2.chd\nmissing.chd\n");
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        let game_files = drop_named(&tree, found);
        let discs: Vec<String> = game_files[0].discs.iter().map(FoundFile::path).collect();
        assert_eq!(discs, ["/r/2.chd", "/r/1.chd"]);
    }

    #[test]
    fn reads_only_the_start_of_a_sheet() {
        let mut tree = MemoryTree::with(&["/r/late.iso"]);
        let mut long = vec![b'#'; usize::try_from(SHEET_BYTES).expect("fits")];
        long.extend_from_slice(b"\nlate.iso\n");
        tree.put("/r/long.m3u", &long);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        assert_eq!(drop_named(&tree, found).len(), 2);
        assert_eq!(tree.reads.get(), 1);
    }
}
