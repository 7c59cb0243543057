//! Picks the best of several versions of one game.
//!
//! Versions are entries of one platform whose titles are equal once tags in brackets are gone. Finished
//! releases come first, then the preferred region, the latest revision, the best copy; format and size
//! decide what is left. The others are kept as versions of the best one. Only entries that compete with
//! another one cost a read of the disk.

use std::{
    cmp::Reverse,
    collections::{HashMap, HashSet},
    path::Path,
};

use serde_json::{Map, Value};

use crate::{
    base::{text, text_map::TextMap},
    config::settings::{read, table},
    names::{
        self, DumpStatus, ReleaseStatus, Tags, addition,
        marker::{self, Marked},
        regions::{self, Area},
    },
    platforms::{self, Trait},
};

use super::{
    discs::Entry,
    extensions::{self, Role},
    references::GameFile,
    tree::Tree,
    walk::FoundFile,
};

/// The setting with the order of regions that the user chose.
const REGIONS: &str = "region_priority";
/// The rank of a version without a region, after every area.
const NO_REGION: usize = 10;
/// Names that programs of consoles have in the folder of every game.
const ALIKE: [&str; 2] = ["eboot", "default"];
const SIZE_STEP: u64 = 64 * 1024 * 1024;
const SIZE_POINTS: u64 = 5;

/// The order in which regions are preferred.
#[derive(Clone, Debug, Default)]
pub struct RegionOrder {
    /// Names of regions and areas, the best first, blank for none; without entries the built-in
    /// order counts.
    chosen: Vec<String>,
}

impl RegionOrder {
    /// The order of these settings. While it is unchanged, the built-in one.
    pub fn of(settings: &Map<String, Value>) -> Self {
        let chosen = read::texts(settings, REGIONS);
        let is_default = chosen == table::REGIONS;
        Self { chosen: if is_default { Vec::new() } else { chosen } }
    }

    /// The rank of these tags; lower is better.
    fn rank(&self, tags: &Tags) -> usize {
        if self.chosen.is_empty() {
            // A release for a whole area comes before one for a part of it.
            let is_part = !tags.regions.is_empty()
                && !tags
                    .regions
                    .iter()
                    .any(|region| region.is_whole_area() && Some(region.area) == tags.area());
            return match tags.area() {
                None | Some(Area::Elsewhere) => NO_REGION,
                Some(area) => area as usize * 2 + usize::from(is_part),
            };
        }
        let is_wanted = |wanted: &String| {
            let wanted = wanted.trim();
            if wanted.is_empty() {
                return tags.regions.is_empty();
            }
            match regions::by_name(wanted) {
                Some(known) if known.is_whole_area() => {
                    tags.regions.iter().any(|region| region.area == known.area)
                }
                known => tags.regions.iter().any(|region| Some(*region) == known),
            }
        };
        self.chosen.iter().position(is_wanted).unwrap_or(self.chosen.len())
    }
}

/// One game with every version that was found, the best first.
#[derive(Debug)]
pub struct Ranked {
    /// The version to import.
    pub best: Entry,
    /// The others, best first; usually none.
    pub others: Box<[Entry]>,
}

/// Ranks entries against each other; winners keep the order of the entries.
pub fn rank(tree: &dyn Tree, entries: Vec<Entry>, order: &RegionOrder) -> Vec<Ranked> {
    let joined = joined_discs(&entries);
    // Most games come in one version: what is kept of such a bucket is a mark of its name.
    let mut buckets = TextMap::default();
    let mut crowded: HashMap<usize, Vec<usize>> = HashMap::new();
    // Whether the game of an addition is there is known after all others.
    let game = |at: usize| Some((at, game_of(&entries[at])?));
    let games: HashMap<usize, String> = (0..entries.len()).filter_map(game).collect();
    let (late, early): (Vec<usize>, Vec<usize>) =
        (0..entries.len()).partition(|at| games.contains_key(at));
    for at in early.into_iter().chain(late) {
        let of_game = games.get(&at).and_then(|bucket| buckets.get(bucket));
        let bucket = bucket_of(&entries[at], &joined);
        match of_game.or_else(|| buckets.get(&bucket)) {
            Some(first) => crowded.entry(first).or_insert_with(|| vec![first]).push(at),
            None => buckets.enter(&bucket, at),
        }
    }
    drop(buckets);
    let mut others: HashMap<usize, Vec<usize>> = HashMap::new();
    let mut losers: HashSet<usize> = HashSet::new();
    for mut members in crowded.into_values() {
        members.sort_by_cached_key(|at| {
            let entry = &entries[*at];
            let name = text::fold(&entry.file_name());
            // A hidden file is no better than a visible one, whatever its name says.
            let is_hidden = name.starts_with('.');
            (is_hidden, score(tree, entry, order), name, is_empty_playlist(entry), entry.path())
        });
        let behind = members.split_off(1);
        losers.extend(&behind);
        others.insert(members[0], behind);
    }
    let mut lost: HashMap<usize, Entry> =
        losers.iter().map(|at| (*at, entries[*at].clone())).collect();
    let mut take = |at: usize| lost.remove(&at);
    let entries = entries.into_iter().enumerate().filter(|(at, _)| !losers.contains(at));
    entries
        .map(|(at, best)| {
            let behind = others.remove(&at).unwrap_or_default();
            Ranked { best, others: behind.into_iter().filter_map(&mut take).collect() }
        })
        .collect()
}

/// The discs that belong to a group: platform, title and disc, folded.
type JoinedDiscs = HashSet<(&'static str, String, String)>;

fn joined_discs(entries: &[Entry]) -> JoinedDiscs {
    let mut joined = JoinedDiscs::new();
    for entry in entries {
        let Entry::Discs(group) = entry else { continue };
        for disc in &group.discs {
            if let Some(marked) = marker::split(disc.stem()) {
                let title = title_key(&group.title);
                joined.insert((entry.platform(), title, marked.id()));
            }
        }
    }
    joined
}

/// The disc that an entry is when it is a lonely one: by its name, or by that of its folder
/// (`Saga (Disc 2)/disc.gdi`, `Saga/CD2/Saga.cue`).
fn lonely_disc(entry: &Entry) -> Option<String> {
    let Entry::Single(game_file) = entry else { return None };
    let file = &game_file.file;
    let of_file = || marker::split(file.stem()).filter(|_| game_file.app.is_none());
    of_file().or_else(|| disc_of_folder(game_file)).map(|marked| marked.id())
}

/// The marker of the folder of a disc image or of a program that is named by its folder.
fn disc_of_folder(game_file: &GameFile) -> Option<Marked<'_>> {
    let file = &game_file.file;
    let is_named_by_folder = extensions::is_of_console(file.extension);
    let is_disc = extensions::is_disc(file.extension) || is_named_by_folder;
    let name = file.folder.rsplit('/').next().filter(|_| is_disc)?;
    marker::split(name)
}

/// The name of a bucket. Entries of one bucket are versions of each other.
fn bucket_of(entry: &Entry, joined: &JoinedDiscs) -> String {
    let (stem, folder) = match entry {
        Entry::Single(game_file) => {
            let file = &game_file.file;
            let is_apart = game_file.app.is_none() && is_named_alike(file);
            (entry.title(), if is_apart { &*file.folder } else { "" })
        }
        Entry::Discs(group) => (group.title.as_str(), ""),
    };
    let mut title = title_key(stem);
    if let Some(disc) = lonely_disc(entry) {
        let bare = marker::split(stem).map_or_else(|| title.clone(), |it| title_key(&it.title));
        // Another copy of a disc is a version of the whole game. A lonely second disc is not a version of
        // the first one in another format.
        title = if joined.contains(&(entry.platform(), bare.clone(), disc.clone())) {
            bare
        } else {
            format!("{bare} disc {disc}")
        };
    }
    // Neither a title nor the path of a folder holds the separator.
    format!("{}\0{title}\0{folder}", entry.platform())
}

/// The bucket of the game that a file with a word for an addition behind its title is about.
fn game_of(entry: &Entry) -> Option<String> {
    let Entry::Single(GameFile { app: None, .. }) = entry else { return None };
    let game = addition::game_of(stem_of(entry)).filter(|_| is_installed(entry))?;
    Some(format!("{}\0{}\0", entry.platform(), title_key(&game)))
}

fn is_installed(entry: &Entry) -> bool {
    platforms::by_name(entry.platform())
        .is_some_and(|known| known.traits.contains(&Trait::Installs))
}

/// Whether the name of the file means nothing outside its folder, as those of programs: `start.sh`,
/// `EBOOT.PBP`. Programs of consoles may be named like any game.
fn is_named_alike(file: &FoundFile) -> bool {
    file.extension.role == Role::Program
        && (!extensions::is_of_console(file.extension)
            || ALIKE.contains(&title_key(file.stem()).as_str()))
}

/// The title two versions share: no tags in brackets, folded, words separated by single spaces.
/// A title of nothing but tags keeps them, and one of nothing but punctuation stays as it is.
fn title_key(stem: &str) -> String {
    let key = words(&names::parse(stem).title);
    if key.is_empty() { text::fold(stem) } else { key }
}

fn words(text: &str) -> String {
    text::collapse(&text::fold(text).replace(|letter: char| !letter.is_alphanumeric(), " "))
}

/// Whether the entry is a playlist of files that are not there. It yields to discs of its name that
/// are.
fn is_empty_playlist(entry: &Entry) -> bool {
    matches!(entry, Entry::Single(game_file)
        if game_file.file.extension.role == Role::Playlist && game_file.discs.is_empty())
}

/// How far a version is from a finished release, the best first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Unfinished {
    Finished,
    /// Finished, but made after the time of its platform.
    Aftermarket,
    Otherwise,
}

impl Unfinished {
    fn of(status: Option<ReleaseStatus>) -> Self {
        match status {
            None => Self::Finished,
            Some(ReleaseStatus::Aftermarket) => Self::Aftermarket,
            Some(_) => Self::Otherwise,
        }
    }
}

/// What decides between versions, the weightiest first; less is better.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Score {
    is_unreadable: bool,
    /// Whether it is one disc of a game whose discs are there.
    is_one_disc: bool,
    /// Whether it is an update or an addition, which does nothing without the game.
    is_addition: bool,
    unfinished: Unfinished,
    region: usize,
    revision: Reverse<Vec<u32>>,
    copy: u8,
    /// Points for format and size.
    points: i32,
}

fn score(tree: &dyn Tree, entry: &Entry, order: &RegionOrder) -> Score {
    let tags = tags_of(entry);
    let size = match entry {
        Entry::Single(game_file) => tree.size(Path::new(&game_file.file.path())).ok(),
        // The playlist that will stand for the discs is a few lines long.
        Entry::Discs(_) => Some(0),
    };
    let steps = (size.unwrap_or_default() / SIZE_STEP).min(SIZE_POINTS);
    // OK because there are at most SIZE_POINTS steps.
    let points = entry.format_points() - i32::try_from(steps).unwrap_or(0);
    Score {
        is_unreadable: size.is_none(),
        is_one_disc: lonely_disc(entry).is_some(),
        is_addition: is_addition(entry),
        unfinished: Unfinished::of(tags.release_status),
        region: order.rank(&tags),
        revision: Reverse(tags.revision_numbers()),
        copy: match tags.dump_status {
            Some(DumpStatus::Verified) => 0,
            None => 1,
            // OK because there are nine kinds.
            Some(status) => status as u8 + 1,
        },
        points,
    }
}

fn is_addition(entry: &Entry) -> bool {
    let stem = stem_of(entry);
    addition::has_id(stem) || is_installed(entry) && addition::is_marked(stem)
}

/// The tags of an entry: of its folder, of the file, or of the first disc of a group.
pub fn tags_of(entry: &Entry) -> Tags {
    if let Some(app) = entry.app() {
        return app.tags.clone();
    }
    names::parse(stem_of(entry)).tags
}

/// The stem of the file, or of the first disc of a group.
fn stem_of(entry: &Entry) -> &str {
    match entry {
        Entry::Single(game_file) => game_file.file.stem(),
        Entry::Discs(group) => group.discs[0].stem(),
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            discs::join_discs, references::drop_named, systems::FolderSystems,
            tree::memory::MemoryTree, walk::walk,
        },
        *,
    };

    #[track_caller]
    fn check_title(stem: &str, expected: &str) {
        assert_eq!(title_key(stem), expected, "{stem:?}");
    }

    #[test]
    fn cleans_titles_for_comparison() {
        check_title("Super Game (USA) [!]", "super game");
        check_title("Super_Game-II, The", "the super game ii");
        check_title("Pokémon: ROT", "pokémon rot");
        check_title("(USA)", "usa");
        check_title("Game (open", "game open");
        check_title("Game )x(", "game x");
        check_title("a (b [c) d] e", "a d e");
        check_title("!!!", "!!!");
        check_title("🎮", "🎮");
        check_title("", "");
    }

    #[track_caller]
    fn check_region(name: &str, chosen: &[&str], rank: usize) {
        let order = RegionOrder { chosen: chosen.iter().map(|name| (*name).to_owned()).collect() };
        assert_eq!(order.rank(&names::parse(name).tags), rank, "{name:?}");
    }

    #[test]
    fn finds_regions_in_brackets_only() {
        check_region("Game (World)", &[], 0);
        check_region("Game (USA, Europe)", &[], 2);
        check_region("Game [US]", &[], 2);
        check_region("Game (English)", &[], 2);
        check_region("Game (Canada)", &[], 3);
        check_region("Game (Europe) (World)", &[], 0);
        check_region("Game (eur)", &[], 4);
        check_region("Game (Russia)", &[], 5);
        check_region("Game (JPN)", &[], 6);
        check_region("Game (Asia)", &[], 8);
        check_region("Game (Korea)", &[], 9);
        check_region("Super Mario World", &[], NO_REGION);
        check_region("Game (Australia)", &[], NO_REGION);
        check_region("Game (usa", &[], NO_REGION);
    }

    #[test]
    fn a_chosen_order_of_regions_counts() {
        let chosen = ["Europe", "Japan", "", "North America"];
        check_region("Game (Germany)", &chosen, 0);
        check_region("Game (Japan, USA)", &chosen, 1);
        check_region("Game", &chosen, 2);
        check_region("Game (USA)", &chosen, 3);
        check_region("Game (Korea)", &chosen, 4);
        check_region("Game (Germany)", &["France", "Germany"], 1);
        let settings = |value: Value| value.as_object().cloned().unwrap_or_default();
        let is_own = |value| !RegionOrder::of(&settings(value)).chosen.is_empty();
        assert!(!is_own(serde_json::json!({})));
        assert!(!is_own(serde_json::json!({"region_priority": table::REGIONS})));
        assert!(is_own(serde_json::json!({"region_priority": ["Japan"]})));
    }

    fn ranked(tree: &MemoryTree) -> Vec<Vec<String>> {
        let found = walk(tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        rank(tree, join_discs(drop_named(tree, found)), &RegionOrder::default())
            .iter()
            .map(|game| {
                std::iter::once(&game.best)
                    .chain(&game.others)
                    .map(|entry| entry.path()[3..].to_owned())
                    .collect()
            })
            .collect()
    }

    #[track_caller]
    fn check(files: &[&str], expected: &[&[&str]]) {
        let paths: Vec<String> = files.iter().map(|name| format!("/r/{name}")).collect();
        assert_eq!(ranked(&MemoryTree::with(&paths)), expected);
    }

    #[test]
    fn regions_decide() {
        check(
            &[
                "G (Asia).nes",
                "G (Europe).nes",
                "G (Japan).nes",
                "G (USA).nes",
                "G (World).nes",
                "G.nes",
            ],
            &[&[
                "G (World).nes",
                "G (USA).nes",
                "G (Europe).nes",
                "G (Japan).nes",
                "G (Asia).nes",
                "G.nes",
            ]],
        );
    }

    #[test]
    fn discs_in_folders_of_their_own_are_no_versions_of_each_other() {
        for names in [
            ["Saga (Europe) (Disc 1)/disc.gdi", "Saga (Europe) (Disc 2)/disc.gdi"],
            ["Saga/CD1/Saga.cue", "Saga/CD2/Saga.cue"],
            ["Saga/Disc 1/Saga.chd", "Saga/Disc 2/Saga.chd"],
            ["Saga (Disc 1)/default.xex", "Saga (Disc 2)/default.xex"],
        ] {
            let [first, second] = names;
            check(&names, &[&[first], &[second]]);
        }
        // Cartridges of a collection are copies of one game.
        check(
            &["Disc 1/Game (USA).nes", "Disc 2/Game (Japan).nes"],
            &[&["Disc 1/Game (USA).nes", "Disc 2/Game (Japan).nes"]],
        );
    }

    #[test]
    fn flaws_outweigh_regions_and_formats_break_ties() {
        check(&["G (Beta) (World).nes", "G.nes"], &[&["G.nes", "G (Beta) (World).nes"]]);
        check(
            &["G (Beta 1) (USA).nes", "G (Japan).nes"],
            &[&["G (Japan).nes", "G (Beta 1) (USA).nes"]],
        );
        check(&["G.chd", "G.iso"], &[&["G.chd", "G.iso"]]);
        check(&["G.rar", "G.zip"], &[&["G.rar", "G.zip"]]);
        check(
            &["G (PROTO).nes", "G (hack) (USA).nes"],
            &[&["G (hack) (USA).nes", "G (PROTO).nes"]],
        );
    }

    #[test]
    fn revisions_and_copies_decide_within_a_region() {
        check(
            &["G (USA).nes", "G (USA) (Rev 2).nes", "G (USA) (Rev 10).nes", "G (World).nes"],
            &[&["G (World).nes", "G (USA) (Rev 10).nes", "G (USA) (Rev 2).nes", "G (USA).nes"]],
        );
        check(
            &["G (U) [b1].nes", "G (U) [!].nes", "G (U).nes", "G (U) [a1].nes"],
            &[&["G (U) [!].nes", "G (U).nes", "G (U) [a1].nes", "G (U) [b1].nes"]],
        );
    }

    #[test]
    fn updates_and_additions_yield_to_their_game() {
        check(
            &[
                "Tale [0100F2C0115B6000][v0].nsp",
                "Tale [0100F2C0115B6800][v131072].nsp",
                "Tale [0100F2C0115B7001][v65536] (DLC).nsp",
            ],
            &[&[
                "Tale [0100F2C0115B6000][v0].nsp",
                "Tale [0100F2C0115B6800][v131072].nsp",
                "Tale [0100F2C0115B7001][v65536] (DLC).nsp",
            ]],
        );
    }

    #[test]
    fn words_for_additions_count_where_games_are_installed() {
        for (game, addition) in [
            ("Knight.nsp", "Knight (Update 1.5.78).nsp"),
            ("Zelda (USA).3ds", "0004000E00055D00 Zelda.cia"),
            ("Dread.xci", "Dread v1.0.5 UPD.nsp"),
            ("ps3/Journey.iso", "ps3/Journey (USA) (DLC).pkg"),
            ("Says (World) (Update 2).hex", "Says (World).hex"),
        ] {
            check(&[game, addition], &[&[game, addition]]);
        }
        let alone = ["Dread DLC.nsp", "Dread Update 1.0.nsp"];
        check(&alone, &[&alone[..1], &alone[1..]]);
    }

    #[test]
    fn another_copy_of_one_disc_is_a_version_of_the_game() {
        check(
            &["G (USA) (Disc 1).iso", "G (USA) (Disc 2).iso", "G (World) (Disc 1) (Rev 1).iso"],
            &[&["G (USA).m3u", "G (World) (Disc 1) (Rev 1).iso"]],
        );
    }

    #[test]
    fn size_counts_in_steps_up_to_a_limit() {
        let mut tree = MemoryTree::default();
        tree.put_sized("/r/G [x].iso", SIZE_STEP - 1);
        tree.put_sized("/r/G [y].iso", SIZE_STEP * 2);
        tree.put_sized("/r/H [x].iso", SIZE_STEP * 5);
        tree.put_sized("/r/H [y].iso", SIZE_STEP * 100);
        assert_eq!(ranked(&tree), [["G [y].iso", "G [x].iso"], ["H [x].iso", "H [y].iso"]]);
    }

    #[test]
    fn a_hidden_file_yields_to_a_plain_one() {
        let files = [".Game (World).gba", "Game (Beta).gba"];
        check(&files, &[&["Game (Beta).gba", ".Game (World).gba"]]);
        check(&[".Game.gba", "Game.gba"], &[&["Game.gba", ".Game.gba"]]);
    }

    #[test]
    fn ties_go_by_folded_name_then_path() {
        check(&["b/G.nes", "a/g.nes", "a/G!.nes"], &[&["a/G!.nes", "a/g.nes", "b/G.nes"]]);
    }

    #[test]
    fn platforms_do_not_compete() {
        check(&["G.gb", "G.gbc", "G.nes"], &[&["G.gb"], &["G.gbc"], &["G.nes"]]);
    }

    #[test]
    fn programs_compete_only_within_their_folder() {
        check(
            &["A/start.sh", "B/start.sh", "C/EBOOT.PBP", "D/EBOOT.PBP", "D/eboot (beta).pbp"],
            &[
                &["A/start.sh"],
                &["B/start.sh"],
                &["C/EBOOT.PBP"],
                &["D/EBOOT.PBP", "D/eboot (beta).pbp"],
            ],
        );
    }

    #[test]
    fn discs_in_two_formats_are_no_versions_of_each_other() {
        check(
            &["G (Disc 1).chd", "G (Disc 2).iso", "G (Disc 2).ciso"],
            &[&["G (Disc 1).chd"], &["G (Disc 2).ciso", "G (Disc 2).iso"]],
        );
    }

    #[test]
    fn disc_groups_compete_by_their_playlist() {
        check(
            &[
                "G (USA) CD1.iso",
                "G (USA) CD2.iso",
                "G (Japan) CD1.iso",
                "G (Japan) CD2.iso",
                "G.iso",
            ],
            &[&["G (USA).m3u", "G (Japan).m3u", "G.iso"]],
        );
    }

    #[test]
    fn a_playlist_of_nothing_yields_to_discs_of_its_name() {
        let tree = MemoryTree::with(&["/r/G.m3u", "/r/G CD1.iso", "/r/G CD2.iso"]);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        let games = rank(&tree, join_discs(drop_named(&tree, found)), &RegionOrder::default());
        assert_eq!(games.len(), 1);
        assert!(matches!(games[0].best, Entry::Discs(_)));
        assert!(matches!(games[0].others[..], [Entry::Single(_)]));
    }

    #[test]
    fn only_competitors_are_looked_at() {
        let mut paths: Vec<String> = (0..500).map(|n| format!("/r/Game {n}.nes")).collect();
        paths.push("/r/Game 7 (USA).nes".to_owned());
        let tree = MemoryTree::with(&paths);
        assert_eq!(ranked(&tree).len(), 500);
        assert_eq!(tree.looks.get(), 2);
    }
}
