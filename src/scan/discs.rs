//! Joins the discs of one game.
//!
//! Discs are recognised by a marker at the end of the name, such as `(Disc 1)`, `CD2` or
//! `- Side B`, or by one in brackets that only other brackets follow, such as `(Disc 1 of 2) (USA)`.
//! Files of one folder with one extension and the same name but for the marker are one game when there
//! are at least two of them. What is left is joined by the name before the marker, since discs of one
//! game have tags of their own (`(Disc 1) (Install Disc)`). Tags that several discs share distinguish complete sets; of
//! two copies of one disc the later revision joins. A lonely disc stays a file like any other. Discs that every game
//! calls alike are named by their folder.

use std::{
    borrow::Cow,
    cmp::{Ordering, Reverse},
    collections::{BTreeMap, HashMap, HashSet},
    sync::Arc,
};

use crate::{
    base::text,
    formats::m3u,
    names::{
        self, ParsedName,
        folder::{FIRST_DISC, SECOND_DISC},
        id,
        marker::{self, Marked, SEPARATORS},
    },
    platforms,
};

use super::{
    extensions::{self, Role},
    references::{App, GameFile},
    walk::{FoundFile, join},
};

/// What stands for one game in the library.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Entry {
    /// One file; a playlist comes with the found files it names.
    Single(GameFile),
    /// Discs that need a playlist.
    Discs(Box<DiscGroup>),
}

impl Entry {
    /// The name of the file, or of the playlist that will stand for the discs.
    pub fn file_name(&self) -> Cow<'_, str> {
        match self {
            Self::Single(game_file) => Cow::Borrowed(&*game_file.file.name),
            Self::Discs(group) => Cow::Owned(group.playlist_name()),
        }
    }

    /// The path of the file, or where the playlist belongs.
    pub fn path(&self) -> String {
        match self {
            Self::Single(game_file) => game_file.file.path(),
            Self::Discs(group) => group.playlist_path(),
        }
    }

    /// The platform: that of the first disc when there are discs, so that a game keeps its
    /// platform when the playlist of its discs is found again.
    pub fn platform(&self) -> &'static str {
        let file = match self {
            Self::Single(game_file) => game_file.discs.first().unwrap_or(&game_file.file),
            Self::Discs(group) => &group.discs[0],
        };
        file.platform
    }

    /// What is known of the game beyond its file.
    pub fn app(&self) -> Option<&App> {
        match self {
            Self::Single(game_file) => game_file.app.as_deref(),
            Self::Discs(_) => None,
        }
    }

    /// The title to show: that of the game, else the name of the file or of the disc group.
    pub fn title(&self) -> &str {
        match self {
            Self::Single(game_file) => {
                game_file.app.as_ref().map_or(game_file.file.stem(), |app| app.title.as_str())
            }
            Self::Discs(group) => &group.title,
        }
    }

    /// The points the file format adds in a ranking.
    pub fn format_points(&self) -> i32 {
        match self {
            Self::Single(game_file) => game_file.file.extension.rank,
            Self::Discs(_) => extensions::PLAYLIST_RANK,
        }
    }

    /// The absolute paths of the discs; empty for a file of its own.
    pub fn disc_paths(&self) -> Vec<String> {
        let discs = match self {
            Self::Single(game_file) => &*game_file.discs,
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

    /// The path of that playlist next to the discs.
    pub fn playlist_path(&self) -> String {
        join(&self.folder, &self.playlist_name())
    }
}

/// Joins discs and keeps every other file as it is, in the order of the first file of each. Files
/// no playlist can name stay single.
pub fn join_discs(files: Vec<GameFile>) -> Vec<Entry> {
    let mut groups: HashMap<(Arc<str>, String, &'static str), Vec<usize>> = HashMap::new();
    for (at, game_file) in files.iter().enumerate() {
        let file = &game_file.file;
        let is_whole = game_file.app.is_some() || file.extension.role == Role::Playlist;
        if is_whole || m3u::entry_for(&file.name).is_none() {
            continue;
        }
        if let Some(marked) = marker::split(file.stem()) {
            let title = key_of(marked.title.trim_matches(SEPARATORS));
            let key = (Arc::clone(&file.folder), title, file.extension.suffix);
            groups.entry(key).or_default().push(at);
        }
    }
    let (whole, single): (Vec<_>, Vec<_>) =
        groups.into_values().partition(|members| members.len() > 1);
    let loose = join_by_name(&files, single.into_iter().flatten().collect());
    let whole = whole.into_iter().map(|members| DiscSet { name: None, members });
    let mut joined: HashMap<usize, DiscGroup> = HashMap::new();
    let mut members: HashSet<usize> = HashSet::new();
    for set in whole.chain(loose) {
        let discs = set.members.iter().map(|at| files[*at].file.clone()).collect();
        joined.insert(set.members[0], group_of(discs, set.name));
        members.extend(set.members);
    }
    let entry = |(at, game_file)| match joined.remove(&at) {
        Some(group) => Some(Entry::Discs(Box::new(group))),
        None => (!members.contains(&at)).then_some(Entry::Single(game_file)),
    };
    files.into_iter().enumerate().filter_map(entry).collect()
}

/// What the discs of one game have in common: the name before the marker, without the number of an id before
/// it, which each disc has of its own.
fn key_of(name: &str) -> String {
    let (series, title) = id::split_series(name);
    text::fold(&format!("{series} {title}"))
}

/// The places of the discs of one game among the files, the first one first.
struct DiscSet {
    /// The name of the game where the discs do not agree on it.
    name: Option<String>,
    members: Vec<usize>,
}

/// Joins discs whose tags behind the marker differ: different discs for the same regions.
fn join_by_name(files: &[GameFile], mut lonely: Vec<usize>) -> Vec<DiscSet> {
    lonely.sort_unstable();
    let mut groups: HashMap<_, Vec<Disc>> = HashMap::new();
    for at in lonely {
        let file = &files[at].file;
        let Some(marked) = marker::split(file.stem()).filter(|marked| !marked.before.is_empty())
        else {
            continue;
        };
        let regions = names::parse(file.stem()).tags.region_text();
        let key = (Arc::clone(&file.folder), key_of(marked.before), file.extension.suffix, regions);
        groups.entry(key).or_default().push(Disc::new(at, file, &marked));
    }
    groups.into_values().flat_map(sets_of).filter(|set| set.members.len() > 1).collect()
}

/// A disc with tags of its own.
struct Disc {
    at: usize,
    /// The name before the marker.
    before: String,
    disc: String,
    /// The tags behind the marker, with their brackets.
    tags: Vec<String>,
    revision: Vec<u32>,
}

impl Disc {
    fn new(at: usize, file: &FoundFile, marked: &Marked<'_>) -> Self {
        let behind = marked.title.get(marked.before.len()..).unwrap_or_default();
        let tags = behind.split_inclusive([')', ']']).map(|tag| tag.trim().to_owned()).collect();
        let revision = names::parse(file.stem()).tags.revision_numbers();
        Self { at, before: marked.before.to_owned(), disc: marked.id(), tags, revision }
    }
}

/// The sets that discs of one name make: a tag that only one disc has says what is on it, one that
/// several discs have names a set.
fn sets_of(discs: Vec<Disc>) -> Vec<DiscSet> {
    let mut discs_of_tag: HashMap<&str, HashSet<&str>> = HashMap::new();
    for disc in &discs {
        for tag in &disc.tags {
            discs_of_tag.entry(tag).or_default().insert(&disc.disc);
        }
    }
    let mut sets: BTreeMap<Vec<&str>, BTreeMap<&str, &Disc>> = BTreeMap::new();
    for disc in &discs {
        let shared = disc.tags.iter().map(String::as_str);
        let shared = shared.filter(|tag| discs_of_tag[tag].len() > 1).collect();
        let set = sets.entry(shared).or_default();
        let known = set.entry(&disc.disc).or_insert(disc);
        let order = |disc: &Disc| (Reverse(disc.revision.clone()), disc.tags.len(), disc.at);
        if order(disc) < order(known) {
            *known = disc;
        }
    }
    sets.into_iter()
        .map(|(shared, set)| {
            let mut members: Vec<usize> = set.values().map(|disc| disc.at).collect();
            members.sort_unstable();
            let before = set.values().next().map(|disc| disc.before.as_str());
            let name = before.into_iter().chain(shared).collect::<Vec<_>>().join(" ");
            DiscSet { name: Some(name), members }
        })
        .collect()
}

/// Orders the discs of one group. Without a name it has that of the first disc, or of its folder when the names of the
/// discs hold nothing else (`Some Game/CD1.cue`).
fn group_of(mut discs: Vec<FoundFile>, name: Option<String>) -> DiscGroup {
    discs.sort_by(compare_discs);
    let folder = Arc::clone(&discs[0].folder);
    let title = name.or_else(|| Some(marker::split(discs[0].stem())?.title.into_owned()));
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

/// By disc and side, then by folded name.
fn compare_discs(a: &FoundFile, b: &FoundFile) -> Ordering {
    let order = |file: &FoundFile| marker::split(file.stem()).map(|marked| marked.order());
    let names = || text::fold(&a.name).cmp(&text::fold(&b.name)).then(a.name.cmp(&b.name));
    order(a).cmp(&order(b)).then_with(names)
}

/// Gives games whose files are named alike in every game the title of their folder below `root`. A second
/// disc next to such a file belongs to it.
pub fn name_by_folder(root: &str, game_files: &mut Vec<GameFile>) {
    let mut seconds: HashMap<Arc<str>, FoundFile> = HashMap::new();
    for game_file in game_files.iter_mut().filter(|game_file| game_file.app.is_none()) {
        let file = &game_file.file;
        let naming = names::folder::naming(&file.folder, file.stem(), file.extension.suffix);
        let naming = naming.filter(|folder| folder.len() > root.len());
        let name = naming.and_then(|folder| folder.rsplit('/').next());
        let Some(name) = name.filter(|name| platforms::by_folder(name).is_none()) else {
            continue;
        };
        if file.stem().eq_ignore_ascii_case(SECOND_DISC) {
            seconds.insert(Arc::clone(&file.folder), file.clone());
        }
        let ParsedName { title, tags } = names::parse(names::folder::without_system(name));
        game_file.app = Some(Box::new(App { title, tags, ..App::default() }));
    }
    let mut joined: HashSet<String> = HashSet::new();
    for first in game_files.iter_mut() {
        let file = &first.file;
        let is_first = first.app.is_some() && file.stem().eq_ignore_ascii_case(FIRST_DISC);
        let second = seconds.get(&file.folder).filter(|_| is_first);
        if let Some(second) = second.filter(|second| second.extension == file.extension) {
            joined.insert(second.path());
            first.discs = [file.clone(), second.clone()].into();
        }
    }
    game_files.retain(|game_file| !joined.contains(&game_file.file.path()));
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

    #[test]
    fn discs_with_tags_behind_their_marker_are_joined() {
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
    fn tags_that_several_discs_share_tell_sets_apart() {
        check(
            &[
                "/r/Eve (Japan) (Disc 1) (Kyoko).bin",
                "/r/Eve (Japan) (Disc 1) (Kyoko) (Best).bin",
                "/r/Eve (Japan) (Disc 2) (Snake).bin",
                "/r/Eve (Japan) (Disc 2) (Snake) (Best).bin",
                "/r/Bits (Disc A) (Early).bin",
                "/r/Bits (Disc B) (Late).bin",
                "/r/Bits (Disc B) (Late) (Rev 1).bin",
                "/r/Copy (Disc 1) [a].bin",
                "/r/Copy (Disc 1) [b].bin",
            ],
            &[
                ("/r/Bits.m3u", &["Bits (Disc A) (Early).bin", "Bits (Disc B) (Late) (Rev 1).bin"]),
                ("/r/Bits (Disc B) (Late).bin", &[]),
                ("/r/Copy (Disc 1) [a].bin", &[]),
                ("/r/Copy (Disc 1) [b].bin", &[]),
                (
                    "/r/Eve (Japan) (Best).m3u",
                    &[
                        "Eve (Japan) (Disc 1) (Kyoko) (Best).bin",
                        "Eve (Japan) (Disc 2) (Snake) (Best).bin",
                    ],
                ),
                (
                    "/r/Eve (Japan).m3u",
                    &["Eve (Japan) (Disc 1) (Kyoko).bin", "Eve (Japan) (Disc 2) (Snake).bin"],
                ),
            ],
        );
    }

    #[track_caller]
    fn check(files: &[&str], expected: &[(&str, &[&str])]) {
        let tree = MemoryTree::with(files);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files;
        let entries: Vec<(String, Vec<String>)> = join_discs(drop_named(&tree, found))
            .into_iter()
            .map(|entry| match entry {
                Entry::Single(game_file) => (game_file.file.path(), Vec::new()),
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
    fn joins_discs_with_ids_of_their_own() {
        check(
            &[
                "/r/SLES-00001 - Metal (Disc 1).chd",
                "/r/SLES-00002 - Metal (Disc 2).chd",
                "/r/SLUS-00594 - Metal (Disc 1).chd",
                "/r/SLUS-00776 - Metal (Disc 2).chd",
                "/r/SLUS_213.62.Dawn (Disc 1) (Play Disc).iso",
                "/r/SLUS_213.63.Dawn (Disc 2) (Bonus Disc).iso",
            ],
            &[
                (
                    "/r/SLES-00001 - Metal.m3u",
                    &["SLES-00001 - Metal (Disc 1).chd", "SLES-00002 - Metal (Disc 2).chd"],
                ),
                (
                    "/r/SLUS-00594 - Metal.m3u",
                    &["SLUS-00594 - Metal (Disc 1).chd", "SLUS-00776 - Metal (Disc 2).chd"],
                ),
                (
                    "/r/SLUS_213.62.Dawn.m3u",
                    &[
                        "SLUS_213.62.Dawn (Disc 1) (Play Disc).iso",
                        "SLUS_213.63.Dawn (Disc 2) (Bonus Disc).iso",
                    ],
                ),
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
    fn sides_of_several_discs_are_one_game_in_their_order() {
        check(
            &[
                "/r/a/G (Disk 2 of 2 Side B).d64",
                "/r/a/G (Disk 2 of 2 Side A).d64",
                "/r/a/G (Disk 1 of 2 Side A).d64",
                "/r/a/G (Disk 1 of 2 Side B).d64",
                "/r/b/G (Disk 1 of 3)(Side A).d64",
                "/r/b/G (Disk 1 of 3)(Side B).d64",
                "/r/b/G (Disk 2 of 3)(Side A).d64",
                "/r/b/G (Disk 3 of 3).d64",
                "/r/c/G [Disk E].d64",
                "/r/c/G [Disk A].d64",
                "/r/c/G [Disk H].d64",
                "/r/d/G (Side A)(Boot).d64",
                "/r/d/G (Side B)(Data).d64",
            ],
            &[
                (
                    "/r/a/G.m3u",
                    &[
                        "G (Disk 1 of 2 Side A).d64",
                        "G (Disk 1 of 2 Side B).d64",
                        "G (Disk 2 of 2 Side A).d64",
                        "G (Disk 2 of 2 Side B).d64",
                    ],
                ),
                (
                    "/r/b/G.m3u",
                    &[
                        "G (Disk 1 of 3)(Side A).d64",
                        "G (Disk 1 of 3)(Side B).d64",
                        "G (Disk 2 of 3)(Side A).d64",
                        "G (Disk 3 of 3).d64",
                    ],
                ),
                ("/r/c/G.m3u", &["G [Disk A].d64", "G [Disk E].d64", "G [Disk H].d64"]),
                ("/r/d/G.m3u", &["G (Side A)(Boot).d64", "G (Side B)(Data).d64"]),
            ],
        );
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
