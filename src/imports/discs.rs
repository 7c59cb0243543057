//! Joins the discs of one game.
//!
//! Discs are recognised by a marker at the end of the name, such as `(Disc 1)`, `CD2` or
//! `- Side B`, or by one in brackets that only other brackets follow, such as `(Disc 1 of 2) (USA)`.
//! Files of one folder with one extension and the same name but for the marker are one game when there
//! are at least two of them. What is left is joined by the name before the marker, since discs of one
//! game have tags of their own (`(Disc 1) (Install Disc)`). A lonely disc stays a file like any other.

use std::{
    borrow::Cow,
    cmp::Ordering,
    collections::{HashMap, HashSet},
    sync::Arc,
};

use crate::{base::text, formats::m3u, names};

use super::{
    extensions::{self, Role},
    references::{App, Standing},
    walk::{FoundFile, join},
};

/// What separates a marker from the name before it.
const SEPARATORS: [char; 4] = [' ', '.', '_', '-'];

/// The words of a marker. The second column says whether the word also ends ordinary words
/// (`Outside 2`, `ABCD1`) and therefore has to begin one of its own.
const WORDS: [(&str, bool); 5] =
    [("disc", false), ("disk", false), ("dvd", false), ("cd", true), ("side", true)];

/// A name split at its disc marker.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Marked<'a> {
    /// The name before the marker and the separators in front of it.
    pub before: &'a str,
    /// The same with the brackets behind the marker.
    pub title: Cow<'a, str>,
    /// Which disc: one or more of `0-9a-d`, in the spelling of the name.
    pub disc: &'a str,
}

/// Splits a stem at its disc marker.
///
/// At the end of the name that is: optional separators, an optional bracket, a marker word, optional
/// spaces (or underscores, which stand for them), the disc, an optional closing bracket. Before other
/// brackets, and with a count of the discs, it has brackets of its own.
pub fn split_marker(stem: &str) -> Option<Marked<'_>> {
    split_at_end(stem).or_else(|| split_in_brackets(stem))
}

/// Splits at a marker in brackets which nothing but brackets follow: `Name (Disc 1 of 2) (USA)`.
fn split_in_brackets(stem: &str) -> Option<Marked<'_>> {
    let mut rest = stem.trim_end();
    loop {
        let close = rest.chars().next_back().filter(|last| [')', ']'].contains(last))?;
        let start = rest.rfind(if close == ')' { '(' } else { '[' })?;
        let before = rest[..start].trim_end_matches(SEPARATORS);
        if let Some(disc) = disc_of(&rest[start + 1..rest.len() - 1]) {
            let behind = stem[rest.len()..].trim();
            // A name that is nothing but brackets says nothing of a game.
            let is_named = !before.is_empty() && !before.ends_with([')', ']'])
                || before.find(['(', '[']).is_some_and(|first| first > 0);
            let title = if behind.is_empty() {
                Cow::Borrowed(before)
            } else {
                Cow::Owned(format!("{before} {behind}"))
            };
            return is_named.then_some(Marked { before, title, disc });
        }
        rest = rest[..start].trim_end();
    }
}

/// The disc a marker names that fills its brackets, with or without how many there are.
fn disc_of(inner: &str) -> Option<&str> {
    if inner.contains(['(', ')', '[', ']']) {
        return None;
    }
    let fold = inner.to_ascii_lowercase();
    let end = fold.find(" of ").filter(|at| {
        let count = &fold[at + 4..];
        !count.is_empty() && count.bytes().all(|byte| byte.is_ascii_alphanumeric())
    });
    let marked = split_at_end(&inner[..end.unwrap_or(inner.len())])?;
    marked.title.is_empty().then_some(marked.disc)
}

fn split_at_end(stem: &str) -> Option<Marked<'_>> {
    let open = stem.strip_suffix([')', ']']).unwrap_or(stem);
    let before_disc = open.trim_end_matches(|letter: char| {
        letter.is_ascii_digit() || matches!(letter.to_ascii_lowercase(), 'a'..='d')
    });
    // The disc takes every letter it can, so `CD` at the end of `CD1` may look like a part of it;
    // shorter discs are tried until a word stands in front.
    let mut start = before_disc.len();
    while start < open.len() {
        if let Some(title) = title_before(&open[..start]) {
            let disc = &open[start..];
            return Some(Marked { before: title, title: Cow::Borrowed(title), disc });
        }
        start += 1;
    }
    None
}

/// The name before the marker word that `text` ends with.
fn title_before(text: &str) -> Option<&str> {
    let text = text.trim_end_matches([' ', '_']);
    let bytes = text.as_bytes();
    for (word, stands_alone) in WORDS {
        let Some(start) = bytes.len().checked_sub(word.len()) else { continue };
        if !bytes[start..].eq_ignore_ascii_case(word.as_bytes()) {
            continue;
        }
        // OK because the bytes from here on are ASCII, so this is a character boundary.
        let before = &text[..start];
        if stands_alone && continues_a_word(before, bytes[start]) {
            continue;
        }
        let before = before.strip_suffix(['(', '[']).unwrap_or(before);
        return Some(before.trim_end_matches(SEPARATORS));
    }
    None
}

/// Whether a marker word right after `before` is the tail of a longer word. A capital after a
/// small letter (`GameCD1`) begins a new one.
fn continues_a_word(before: &str, first: u8) -> bool {
    before.chars().next_back().is_some_and(|last| {
        last.is_alphabetic() && !(first.is_ascii_uppercase() && last.is_lowercase())
    })
}

/// What stands for one game in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One file; a playlist comes with the found files it names.
    Single(Standing),
    /// Discs that need a playlist.
    Discs(Box<DiscGroup>),
}

impl Entry {
    /// The name of the file, or of the playlist that will stand for the discs.
    pub fn file_name(&self) -> Cow<'_, str> {
        match self {
            Self::Single(standing) => Cow::Borrowed(&*standing.file.name),
            Self::Discs(group) => Cow::Owned(group.playlist_name()),
        }
    }

    /// The path of the file, or where the playlist belongs.
    pub fn path(&self) -> String {
        match self {
            Self::Single(standing) => standing.file.path(),
            Self::Discs(group) => group.playlist_path(),
        }
    }

    /// The platform: that of the first disc when there are discs, so that a game keeps its
    /// platform when the playlist of its discs is found again.
    pub fn platform(&self) -> &'static str {
        let file = match self {
            Self::Single(standing) => standing.discs.first().unwrap_or(&standing.file),
            Self::Discs(group) => &group.discs[0],
        };
        file.platform
    }

    /// What is known of the game beyond its file.
    pub fn app(&self) -> Option<&App> {
        match self {
            Self::Single(standing) => standing.app.as_deref(),
            Self::Discs(_) => None,
        }
    }

    /// The title to show: that of the game, else the name of the file or of the disc group.
    pub fn title(&self) -> &str {
        match self {
            Self::Single(standing) => {
                standing.app.as_ref().map_or(standing.file.stem(), |app| app.title.as_str())
            }
            Self::Discs(group) => &group.title,
        }
    }

    /// The points the file format adds in a ranking.
    pub fn format_points(&self) -> i32 {
        match self {
            Self::Single(standing) => standing.file.extension.rank,
            Self::Discs(_) => extensions::PLAYLIST_RANK,
        }
    }

    /// The absolute paths of the discs; empty for a file of its own.
    pub fn disc_paths(&self) -> Vec<String> {
        let discs = match self {
            Self::Single(standing) => &*standing.discs,
            Self::Discs(group) => &*group.discs,
        };
        discs.iter().map(FoundFile::path).collect()
    }
}

/// At least two discs of one game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiscGroup {
    /// The folder of the discs.
    pub folder: Arc<str>,
    /// The name of the game.
    pub title: String,
    /// The discs in playing order.
    pub discs: Vec<FoundFile>,
}

impl DiscGroup {
    /// The name of the playlist that will stand for the discs.
    pub fn playlist_name(&self) -> String {
        format!("{}.m3u", self.title)
    }

    /// The path of that playlist beside the discs.
    pub fn playlist_path(&self) -> String {
        join(&self.folder, &self.playlist_name())
    }
}

/// Joins discs and keeps every other file as it is, in the order of the first file of each. Files
/// no playlist can name stay single.
pub fn join_discs(files: Vec<Standing>) -> Vec<Entry> {
    let mut groups: HashMap<(Arc<str>, String, &'static str), Vec<usize>> = HashMap::new();
    for (at, standing) in files.iter().enumerate() {
        let file = &standing.file;
        let is_whole = standing.app.is_some() || file.extension.role == Role::Playlist;
        if is_whole || m3u::entry_for(&file.name).is_none() {
            continue;
        }
        if let Some(marked) = split_marker(file.stem()) {
            let title = text::fold(marked.title.trim_matches(SEPARATORS));
            let key = (Arc::clone(&file.folder), title, file.extension.suffix);
            groups.entry(key).or_default().push(at);
        }
    }
    let (whole, single): (Vec<_>, Vec<_>) =
        groups.into_values().partition(|members| members.len() > 1);
    let loose = join_by_name(&files, single.into_iter().flatten().collect());
    let discs_of = |members: &[usize]| members.iter().map(|at| files[*at].file.clone()).collect();
    let mut joined: HashMap<usize, DiscGroup> = HashMap::new();
    for (groups, has_own_tags) in [(&whole, false), (&loose, true)] {
        for members in groups {
            joined.insert(members[0], group_of(discs_of(members), has_own_tags));
        }
    }
    let members: HashSet<usize> = whole.into_iter().chain(loose).flatten().collect();
    let entry = |(at, standing)| match joined.remove(&at) {
        Some(group) => Some(Entry::Discs(Box::new(group))),
        None => (!members.contains(&at)).then_some(Entry::Single(standing)),
    };
    files.into_iter().enumerate().filter_map(entry).collect()
}

/// Groups discs whose tags behind the marker differ: different discs for the same regions.
fn join_by_name(files: &[Standing], mut lonely: Vec<usize>) -> Vec<Vec<usize>> {
    lonely.sort_unstable();
    let mut groups: HashMap<(Arc<str>, String, &'static str, String), Vec<usize>> = HashMap::new();
    for at in lonely {
        let file = &files[at].file;
        let Some(marked) = split_marker(file.stem()).filter(|marked| !marked.before.is_empty())
        else {
            continue;
        };
        let regions = names::parse(file.stem()).tags.region_text();
        let key =
            (Arc::clone(&file.folder), text::fold(marked.before), file.extension.suffix, regions);
        groups.entry(key).or_default().push(at);
    }
    let disc =
        |at: &usize| split_marker(files[*at].file.stem()).map(|marked| text::fold(marked.disc));
    let are_different = |members: &Vec<usize>| {
        members.iter().map(disc).collect::<HashSet<_>>().len() == members.len()
    };
    groups.into_values().filter(|members| members.len() > 1 && are_different(members)).collect()
}

/// Orders the discs of one group and names it after the first, or after its folder when the names
/// of the discs say nothing else (`Some Game/CD1.cue`). A group whose discs have tags of their own is
/// named without them.
fn group_of(mut discs: Vec<FoundFile>, has_own_tags: bool) -> DiscGroup {
    discs.sort_by(compare_discs);
    let folder = Arc::clone(&discs[0].folder);
    let marked = split_marker(discs[0].stem());
    let title = marked.map(|marked| if has_own_tags { marked.before.into() } else { marked.title });
    let title = title.unwrap_or_default();
    let title = title.trim();
    let title = if title.is_empty() {
        folder.rsplit('/').find(|part| !part.is_empty()).unwrap_or("Discs")
    } else {
        title
    };
    let title = title.to_owned();
    DiscGroup { folder, title, discs }
}

/// By number when both discs have one, so that disc 10 follows disc 9; else by folded name.
fn compare_discs(a: &FoundFile, b: &FoundFile) -> Ordering {
    let names = || text::fold(&a.name).cmp(&text::fold(&b.name)).then(a.name.cmp(&b.name));
    match (disc_number(a), disc_number(b)) {
        (Some(a), Some(b)) => a.cmp(&b).then_with(names),
        (Some(_), None) => Ordering::Less,
        (None, Some(_)) => Ordering::Greater,
        (None, None) => names(),
    }
}

fn disc_number(file: &FoundFile) -> Option<u64> {
    split_marker(file.stem())?.disc.parse().ok()
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{
        super::{
            references::drop_named, systems::FolderSystems, tree::memory::MemoryTree, walk::walk,
        },
        *,
    };

    #[track_caller]
    fn check_marker(stem: &str, expected: Option<(&str, &str)>) {
        let marked = split_marker(stem);
        let marked = marked.as_ref().map(|marked| (&*marked.title, marked.disc));
        assert_eq!(marked, expected, "{stem:?}");
    }

    #[test]
    fn reads_every_spelling_of_a_marker() {
        for (stem, expected) in [
            ("Game (Disc 1)", Some(("Game", "1"))),
            ("Game [disk 2]", Some(("Game", "2"))),
            ("Game - CD 03", Some(("Game", "03"))),
            ("Game_DVD1", Some(("Game", "1"))),
            ("Game.side.b", None),
            ("Game.side b", Some(("Game", "b"))),
            ("Game (Side A", Some(("Game", "A"))),
            ("GameDisc12", Some(("Game", "12"))),
            ("GameCD1", Some(("Game", "1"))),
            ("Disc 1", Some(("", "1"))),
            ("(CD1)", Some(("", "1"))),
            ("Pokémon é (Disc d)", Some(("Pokémon é", "d"))),
            ("Game (USA) (Disc 1)", Some(("Game (USA)", "1"))),
            ("Game . _ - (Disc 1)", Some(("Game", "1"))),
            ("Game disc abcd", Some(("Game", "abcd"))),
            ("Game cd1cd2", Some(("Game", "1cd2"))),
            ("Game_Disc_1", Some(("Game", "1"))),
        ] {
            check_marker(stem, expected);
        }
    }

    #[test]
    fn brackets_may_follow_a_marker_in_brackets() {
        for (stem, expected) in [
            ("Game (Disc 1) (USA)", Some(("Game (USA)", "1"))),
            ("Game (USA) (Disc 2) (Rev 1) [!]", Some(("Game (USA) (Rev 1) [!]", "2"))),
            ("Game (Disc 1 of 2)", Some(("Game", "1"))),
            ("Game [CD2 of 2] (Europe)", Some(("Game (Europe)", "2"))),
            ("Game_(Side b of B)(x)", Some(("Game (x)", "b"))),
        ] {
            check_marker(stem, expected);
        }
        check(
            &[
                "/r/Saga (Disc 1) (USA).cue",
                "/r/Saga (Disc 2) (USA).cue",
                "/r/Saga (Disc 2) (Japan).cue",
                "/r/Two (Disc 1 of 2).iso",
                "/r/Two (Disc 2 of 2).iso",
            ],
            &[
                ("/r/Saga (USA).m3u", &["Saga (Disc 1) (USA).cue", "Saga (Disc 2) (USA).cue"]),
                ("/r/Saga (Disc 2) (Japan).cue", &[]),
                ("/r/Two.m3u", &["Two (Disc 1 of 2).iso", "Two (Disc 2 of 2).iso"]),
            ],
        );
    }

    #[test]
    fn leaves_other_names_alone() {
        for stem in [
            "Game",
            "Game 2",
            "Game (USA)",
            "Disc",
            "Game (Disc)",
            "Game (Disc x)",
            "Game Disc 1e",
            "Game (Discovery 1) (USA)",
            "Game (Disc 1) (USA) remixed",
            "Game (Disc 1 of) (USA)",
            "(Disc 1) (USA)",
            "(USA) (Disc 1) (Rev 1)",
            "Game )(USA)",
            "Outside 2",
            "Inside 1",
            "Riverside a",
            "ABCD1",
            "1",
            "",
            ")",
            "é",
            "Game (Disc 1))",
        ] {
            check_marker(stem, None);
        }
    }

    #[track_caller]
    fn check(files: &[&str], expected: &[(&str, &[&str])]) {
        let tree = MemoryTree::with(files);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        let entries: Vec<(String, Vec<String>)> = join_discs(drop_named(&tree, found))
            .into_iter()
            .map(|entry| match entry {
                Entry::Single(standing) => (standing.file.path(), Vec::new()),
                Entry::Discs(group) => (
                    group.playlist_path(),
                    group.discs.iter().map(|disc| disc.name.to_string()).collect(),
                ),
            })
            .collect();
        let expected: Vec<(String, Vec<String>)> = expected
            .iter()
            .map(|(path, discs)| {
                ((*path).to_owned(), discs.iter().map(|disc| (*disc).to_owned()).collect())
            })
            .collect();
        assert_eq!(entries, expected);
    }

    #[test]
    fn joins_discs_of_one_folder_name_and_extension() {
        check(
            &[
                "/r/Alone (Disc 1).cue",
                "/r/Game (Disc 1).cue",
                "/r/GAME - disc 2.cue",
                "/r/Game (Disc 3).iso",
                "/r/other/Game (Disc 4).cue",
                "/r/Zelda.nes",
            ],
            &[
                ("/r/Alone (Disc 1).cue", &[]),
                ("/r/Game.m3u", &["Game (Disc 1).cue", "GAME - disc 2.cue"]),
                ("/r/Game (Disc 3).iso", &[]),
                ("/r/Zelda.nes", &[]),
                ("/r/other/Game (Disc 4).cue", &[]),
            ],
        );
    }

    #[test]
    fn joins_discs_with_tags_of_their_own() {
        check(
            &[
                "/r/G (USA) (Disc 1) (Play Disc).iso",
                "/r/G (USA) (Disc 2) (Install Disc).iso",
                "/r/H (Disc 1) (Japan).iso",
                "/r/H (Disc 1) (Rev 1) (Japan).iso",
                "/r/H (Disc 2) (Japan).iso",
            ],
            &[
                (
                    "/r/G (USA).m3u",
                    &["G (USA) (Disc 1) (Play Disc).iso", "G (USA) (Disc 2) (Install Disc).iso"],
                ),
                ("/r/H (Japan).m3u", &["H (Disc 1) (Japan).iso", "H (Disc 2) (Japan).iso"]),
                ("/r/H (Disc 1) (Rev 1) (Japan).iso", &[]),
            ],
        );
    }

    #[test]
    fn plays_disc_ten_after_disc_nine() {
        let names: Vec<String> = (1..=10).map(|n| format!("/r/G (Disc {n}).iso")).collect();
        let paths: Vec<&str> = names.iter().map(String::as_str).collect();
        let order: Vec<&str> = paths.iter().map(|path| &path[3..]).collect();
        check(&paths, &[("/r/G.m3u", &order)]);
    }

    #[test]
    fn nameless_discs_take_the_name_of_their_folder() {
        check(
            &["/r/Final Game/CD1.cue", "/r/Final Game/CD2.cue"],
            &[("/r/Final Game/Final Game.m3u", &["CD1.cue", "CD2.cue"])],
        );
    }

    #[test]
    fn names_that_fit_no_playlist_stay_single() {
        check(
            &["/r/a\nb (Disc 1).cue", "/r/a\nb (Disc 2).cue", "/r/#c CD1.cue", "/r/#c CD2.cue"],
            &[
                ("/r/#c.m3u", &["#c CD1.cue", "#c CD2.cue"]),
                ("/r/a\nb (Disc 1).cue", &[]),
                ("/r/a\nb (Disc 2).cue", &[]),
            ],
        );
    }

    #[test]
    fn playlists_are_never_discs() {
        check(
            &["/r/G (Disc 1).m3u", "/r/G (Disc 2).m3u"],
            &[("/r/G (Disc 1).m3u", &[]), ("/r/G (Disc 2).m3u", &[])],
        );
    }
}
