//! Picks the best of several versions of one game.
//!
//! Versions are entries of one platform whose titles are equal once tags in brackets are gone. A
//! lower score wins; what loses is kept as a version of the winner. Only entries that compete with
//! another one cost a look at the disk.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use crate::base::{text, text_map::TextMap};

use super::{
    discs::{Entry, split_marker},
    extensions::Role,
    tree::Tree,
};

/// Words in brackets that mark an unfinished or changed version.
const FLAWS: [&str; 8] =
    ["(beta)", "(proto)", "(demo)", "(sample)", "(unl)", "(pirate)", "(hack)", "(translation)"];

/// Region words in the order in which they are looked for, with their points.
const REGIONS: [(&str, i32); 9] = [
    ("world", 0),
    ("usa", 1),
    ("us", 1),
    ("english", 1),
    ("europe", 2),
    ("eur", 2),
    ("japan", 3),
    ("jpn", 3),
    ("asia", 4),
];

const NO_REGION: i32 = 5;
const FLAWED: i32 = 100;
const UNREADABLE: i32 = 1_000;
const SIZE_STEP: u64 = 64 * 1024 * 1024;
const SIZE_POINTS: u64 = 5;

/// One game with every version that was found, the best first.
#[derive(Debug)]
pub struct Ranked {
    /// The version to import.
    pub best: Entry,
    /// The others, best first; usually none.
    pub others: Box<[Entry]>,
}

/// Ranks entries against each other; winners keep the order of the entries.
pub fn rank(tree: &dyn Tree, entries: Vec<Entry>) -> Vec<Ranked> {
    // Most games come in one version: what is kept of such a bucket is a mark of its name.
    let mut buckets = TextMap::default();
    let mut crowded: HashMap<usize, Vec<usize>> = HashMap::new();
    for (at, entry) in entries.iter().enumerate() {
        let bucket = bucket_of(entry);
        match buckets.get(&bucket) {
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
            (score(tree, entry), name, is_empty_playlist(entry), entry.path())
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

/// The name of a bucket. Entries of one bucket are versions of each other.
fn bucket_of(entry: &Entry) -> String {
    let (stem, folder) = match entry {
        Entry::Single(standing) => {
            let file = &standing.file;
            // The names of programs mean nothing outside their folder.
            let is_program = file.extension.role == Role::Program;
            (file.stem(), if is_program { &*file.folder } else { "" })
        }
        Entry::Discs(group) => (group.title.as_str(), ""),
    };
    let mut title = clean_title(stem);
    if let Entry::Single(_) = entry
        && let Some(marked) = split_marker(stem)
    {
        // A lonely second disc is no version of the first one in another format.
        title = format!("{} disc {}", clean_title(&marked.title), text::fold(marked.disc));
    }
    // Neither a title nor the path of a folder holds the sign between them.
    format!("{}\0{title}\0{folder}", entry.platform())
}

/// The title two versions share: no tags in brackets, folded, words separated by single spaces.
/// A title of nothing but tags keeps them, and one of nothing but signs stays as it is.
pub fn clean_title(stem: &str) -> String {
    let bare = words(&without_tags(stem));
    if !bare.is_empty() {
        return bare;
    }
    let tagged = words(stem);
    if tagged.is_empty() { text::fold(stem) } else { tagged }
}

fn words(text: &str) -> String {
    text::collapse(&text::fold(text).replace(|letter: char| !letter.is_alphanumeric(), " "))
}

/// The text without its `(...)` and `[...]` groups; a bracket that is never closed is text.
fn without_tags(text: &str) -> String {
    let mut bare = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(open) = rest.find(['(', '[']) {
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        bare.push_str(&rest[..open]);
        if let Some(length) = rest[open..].find(close) {
            rest = &rest[open + length + 1..];
        } else {
            bare.push_str(&rest[open..=open]);
            rest = &rest[open + 1..];
        }
    }
    bare.push_str(rest);
    bare
}

/// Whether the entry is a playlist of files that are not there. It yields to discs of its name that
/// are.
fn is_empty_playlist(entry: &Entry) -> bool {
    matches!(entry, Entry::Single(standing)
        if standing.file.extension.role == Role::Playlist && standing.discs.is_empty())
}

/// The points of an entry; less is better.
fn score(tree: &dyn Tree, entry: &Entry) -> i32 {
    let name = entry.file_name().to_lowercase();
    let flaws = if FLAWS.iter().any(|flaw| name.contains(flaw)) { FLAWED } else { 0 };
    let size = match entry {
        Entry::Single(standing) => match tree.size(Path::new(&standing.file.path())) {
            // OK because the quotient is at most SIZE_POINTS.
            Ok(bytes) => -i32::try_from((bytes / SIZE_STEP).min(SIZE_POINTS)).unwrap_or(0),
            Err(_) => UNREADABLE,
        },
        // The playlist that will stand for the discs is a few lines long.
        Entry::Discs(_) => 0,
    };
    flaws + region_points(&name) + entry.format_points() + size
}

/// The points of the best region named in brackets. Whole words count, so that neither
/// `(Australia)` nor a game called "Us" is taken for an American one.
fn region_points(name: &str) -> i32 {
    let mut tags: Vec<&str> = Vec::new();
    let mut rest = name;
    while let Some(open) = rest.find(['(', '[']) {
        let close = if rest[open..].starts_with('(') { ')' } else { ']' };
        rest = &rest[open + 1..];
        if let Some(end) = rest.find(close) {
            tags.extend(rest[..end].split(|letter: char| !letter.is_alphanumeric()));
            rest = &rest[end + 1..];
        }
    }
    REGIONS.iter().find(|(word, _)| tags.contains(word)).map_or(NO_REGION, |(_, points)| *points)
}

#[cfg(test)]
mod tests {
    use super::{
        super::{discs::join_discs, references::drop_named, tree::memory::MemoryTree, walk::walk},
        *,
    };

    #[track_caller]
    fn check_title(stem: &str, expected: &str) {
        assert_eq!(clean_title(stem), expected, "{stem:?}");
    }

    #[test]
    fn cleans_titles_for_comparison() {
        check_title("Super Game (USA) [!]", "super game");
        check_title("Super_Game-II, The", "super game ii the");
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
    fn check_region(name: &str, points: i32) {
        assert_eq!(region_points(&name.to_lowercase()), points, "{name:?}");
    }

    #[test]
    fn finds_regions_in_brackets_only() {
        check_region("Game (World).nes", 0);
        check_region("Game (USA, Europe).nes", 1);
        check_region("Game [US].nes", 1);
        check_region("Game (English).nes", 1);
        check_region("Game (Europe) (World).nes", 0);
        check_region("Game (eur).nes", 2);
        check_region("Game (Japan).nes", 3);
        check_region("Game (JPN).nes", 3);
        check_region("Game (Asia).nes", 4);
        check_region("Super Mario World.sfc", 5);
        check_region("Game (Australia).nes", 5);
        check_region("Game (Russia).nes", 5);
        check_region("Game (usa.nes", 5);
        check_region("Game.nes", 5);
    }

    fn ranked(tree: &MemoryTree) -> Vec<Vec<String>> {
        let found = walk(tree, "/r", Path::new("/data")).files;
        rank(tree, join_discs(drop_named(tree, found)))
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
    fn flaws_outweigh_regions_and_formats_break_ties() {
        check(&["G (Beta) (World).nes", "G.nes"], &[&["G.nes", "G (Beta) (World).nes"]]);
        check(
            &["G (Beta 1) (USA).nes", "G (Japan).nes"],
            &[&["G (Beta 1) (USA).nes", "G (Japan).nes"]],
        );
        check(&["G.chd", "G.iso"], &[&["G.chd", "G.iso"]]);
        check(&["G.rar", "G.zip"], &[&["G.rar", "G.zip"]]);
        check(
            &["G (PROTO).nes", "G (hack) (USA).nes"],
            &[&["G (hack) (USA).nes", "G (PROTO).nes"]],
        );
    }

    #[test]
    fn size_counts_in_steps_up_to_a_limit() {
        let mut tree = MemoryTree::default();
        tree.put_sized("/r/G (USA).iso", SIZE_STEP - 1);
        tree.put_sized("/r/G (Europe).iso", SIZE_STEP * 2);
        tree.put_sized("/r/H (World).iso", SIZE_STEP * 5);
        tree.put_sized("/r/H.iso", SIZE_STEP * 100);
        assert_eq!(ranked(&tree), [["G (Europe).iso", "G (USA).iso"], ["H (World).iso", "H.iso"],]);
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
        let found = walk(&tree, "/r", Path::new("/data")).files;
        let games = rank(&tree, join_discs(drop_named(&tree, found)));
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
