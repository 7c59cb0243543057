//! Searching folders for pictures and videos of games that other programs keep.
//!
//! Reads folders and opens no file. Links are not followed, names that are not text are skipped; both are
//! counted. The number of folders and entries has a bound.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    ops::Bound,
    path::{Path, PathBuf},
};

use super::local_layouts::{self, FOLDER_PICTURE, MEDIA_FOLDERS, MEDIA_SUFFIXES, Program, Told};
use crate::{
    jobs::kind::Failure,
    metadb::normal::normalise,
    model::Games,
    scan::tree::{Entry, EntryKind, Tree},
};

/// Folders that are read.
const FOLDERS: usize = 20_000;
/// The most entries that are read.
const ENTRIES: usize = 500_000;
/// Folders inside each other.
const DEPTH: usize = 12;

/// Called before each thing that asks the disk, with the number of entries seen so far and the name of what is
/// looked at. A failure ends the search.
pub type Step<'a> = dyn Fn(usize, &str) -> Result<(), Failure> + 'a;

/// How is searched.
pub struct SearchContext<'a> {
    /// Where.
    pub tree: &'a dyn Tree,
    /// Told of each folder before it is read.
    pub step: &'a Step<'a>,
}

/// A file that belongs to a game because of where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// The position of the game.
    pub game: usize,
    /// The field it is for.
    pub field: &'static str,
    /// Of several for one field the lowest counts.
    pub rank: usize,
    /// The file.
    pub path: String,
}

/// What was found.
#[derive(Debug, Default)]
pub struct Scan {
    /// Files whose kind follows from their place.
    pub told: BTreeMap<String, Told>,
    /// Files next to games.
    pub beside: Vec<Claim>,
    /// Other files that may be media.
    pub others: BTreeSet<String>,
    /// Folders that could not be read.
    pub unreadable: Vec<String>,
    /// Links that were not followed.
    pub links: usize,
    /// Names that are not text.
    pub unnamed: usize,
    /// Whether a bound ended it.
    pub is_cut: bool,
    folders: usize,
    /// Entries of folders that were seen.
    pub entries: usize,
}

/// Entries of a folder by name.
type Named = Vec<(String, EntryKind)>;

impl Scan {
    /// The entries of a folder with names that are texts, sorted; empty at a bound.
    fn list(&mut self, context: &SearchContext<'_>, folder: &Path) -> Result<Named, Failure> {
        if self.folders >= FOLDERS || self.entries >= ENTRIES {
            self.is_cut = true;
            return Ok(Vec::new());
        }
        let name = folder.file_name().unwrap_or_default();
        (context.step)(self.entries, &name.to_string_lossy())?;
        self.folders += 1;
        let listing = match context.tree.list(folder) {
            Ok(listing) => listing,
            // The folder of games whose disk is not there hides no pictures.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(_) => {
                self.unreadable.push(folder.to_string_lossy().into_owned());
                return Ok(Vec::new());
            }
        };
        let mut named = Vec::new();
        for Entry { name, kind } in listing.entries {
            self.entries += 1;
            match (kind, name.into_string()) {
                (EntryKind::Link, _) => self.links += 1,
                (EntryKind::Other, _) => {}
                (_, Err(_)) => self.unnamed += 1,
                (_, Ok(name)) => named.push((name, kind)),
            }
        }
        named.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
        Ok(named)
    }

    /// Searches everything below a folder, except below `except`.
    ///
    /// # Errors
    /// The failure of a step.
    pub fn below(
        &mut self,
        context: &SearchContext<'_>,
        root: &Path,
        except: &Path,
    ) -> Result<(), Failure> {
        let mut open = vec![(root.to_owned(), 0)];
        while let Some((folder, depth)) = open.pop() {
            for (name, kind) in self.list(context, &folder)? {
                // Hidden folders hold caches and settings.
                if name.starts_with('.') {
                    continue;
                }
                let path = folder.join(&name);
                match kind {
                    EntryKind::Folder if path == except => {}
                    EntryKind::Folder if depth < DEPTH => open.push((path, depth + 1)),
                    EntryKind::Folder => self.is_cut = true,
                    _ => self.enter(&path),
                }
            }
        }
        Ok(())
    }

    fn enter(&mut self, path: &Path) {
        let Some(path) = path.to_str() else { return };
        if let Some(told) = local_layouts::tell(path) {
            self.told.insert(path.to_owned(), told);
        } else if path.rsplit_once('.').is_some_and(|(_, ending)| local_layouts::is_media(ending)) {
            self.others.insert(path.to_owned());
        }
    }

    /// Scans next to games, of the folders below `roots` alone where some are given.
    ///
    /// # Errors
    /// The failure of a step.
    pub fn beside(
        &mut self,
        context: &SearchContext<'_>,
        games: &Games,
        roots: Option<&[PathBuf]>,
    ) -> Result<(), Failure> {
        let mut folders: BTreeMap<PathBuf, Vec<(usize, &str)>> = BTreeMap::new();
        for (at, game) in games.iter().enumerate() {
            let path = Path::new(game.path());
            let is_wanted =
                roots.is_none_or(|roots| roots.iter().any(|root| path.starts_with(root)));
            let folder = path.parent().filter(|_| path.is_absolute() && is_wanted);
            let name = path.file_name().and_then(|name| name.to_str());
            if let (Some(folder), Some(name)) = (folder, name) {
                folders.entry(folder.to_owned()).or_default().push((at, name));
            }
        }
        for (folder, owners) in folders {
            self.beside_games(context, games, &folder, &owners)?;
        }
        Ok(())
    }

    fn beside_games(
        &mut self,
        context: &SearchContext<'_>,
        games: &Games,
        folder: &Path,
        owners: &[(usize, &str)],
    ) -> Result<(), Failure> {
        let mut by_stem: HashMap<&str, Vec<usize>> = HashMap::new();
        for (at, name) in owners {
            by_stem.entry(super::paths::stem(name)).or_default().push(*at);
        }
        let entries = self.list(context, folder)?;
        let below = |(name, kind): &(String, EntryKind)| {
            let is_one = *kind == EntryKind::Folder && MEDIA_FOLDERS.contains(&name.as_str());
            is_one.then(|| folder.join(name))
        };
        let more: Vec<PathBuf> = entries.iter().filter_map(below).collect();
        let own = own_folder(games, folder, owners);
        for (name, kind) in &entries {
            if *kind != EntryKind::File {
                continue;
            }
            self.enter_beside(folder, name, &by_stem);
            let is_cover = local_layouts::split(name).is_some_and(|(stem, ending)| {
                stem.eq_ignore_ascii_case(FOLDER_PICTURE) && local_layouts::fits("cover", ending)
            });
            if let (Some(game), true) = (own, is_cover) {
                self.claim(game, "cover", MEDIA_SUFFIXES.len(), &folder.join(name));
            }
        }
        for folder in more {
            for (name, kind) in self.list(context, &folder)? {
                if kind == EntryKind::File {
                    self.enter_beside(&folder, &name, &by_stem);
                }
            }
        }
        Ok(())
    }

    fn enter_beside(&mut self, folder: &Path, name: &str, by_stem: &HashMap<&str, Vec<usize>>) {
        let Some((stem, ending)) = local_layouts::split(name) else { return };
        for (rank, (suffix, field)) in MEDIA_SUFFIXES.iter().enumerate() {
            let game = stem.strip_suffix(suffix).filter(|_| local_layouts::fits(field, ending));
            for at in game.and_then(|game| by_stem.get(game)).into_iter().flatten() {
                self.claim(*at, field, rank, &folder.join(name));
            }
        }
    }

    fn claim(&mut self, game: usize, field: &'static str, rank: usize, path: &Path) {
        if let Some(path) = path.to_str() {
            self.others.remove(path);
            self.beside.push(Claim { game, field, rank, path: path.to_owned() });
        }
    }

    /// The files next to games, each once.
    pub fn files_beside(&self) -> BTreeSet<&str> {
        self.beside.iter().map(|claim| claim.path.as_str()).collect()
    }

    /// How many files of which programs lie below a folder. `beside` are the files next to games. Reads no
    /// file but those below the folder.
    pub fn count_below(&self, beside: &BTreeSet<&str>, folder: &Path) -> (usize, Vec<Program>) {
        let Some(folder) = folder.to_str() else { return (0, Vec::new()) };
        let start = format!("{}/", folder.trim_end_matches('/'));
        let told = self.told.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
        let told = told.take_while(|(path, _)| path.starts_with(&start));
        let beside = beside.range::<str, _>((Bound::Included(start.as_str()), Bound::Unbounded));
        let beside = beside.take_while(|path| path.starts_with(&start)).count();
        let mut programs: Vec<Program> = told.map(|(_, it)| it.program).collect();
        let files = programs.len() + beside;
        programs.extend((beside > 0).then_some(Program::Beside));
        programs.sort_by_key(|program| program.name());
        programs.dedup();
        (files, programs)
    }
}

/// The game whose folder this is: it holds no other game of the library and is named after it.
fn own_folder(games: &Games, folder: &Path, owners: &[(usize, &str)]) -> Option<usize> {
    let [(at, name)] = owners else { return None };
    let key = normalise(folder.file_name()?.to_str()?);
    let is_named = |title: &str| normalise(title) == key;
    let game = games.get(*at)?;
    let is_own = !key.is_empty() && (is_named(game.name()) || is_named(super::paths::stem(name)));
    is_own.then_some(*at)
}

#[cfg(test)]
mod tests {
    use std::cell::{Cell, RefCell};

    use serde_json::json;

    use super::*;
    use crate::{
        model::{Game, Record},
        scan::tree::{Listing, memory::MemoryTree},
    };

    /// Looks to the end.
    fn all_of(tree: &dyn Tree) -> SearchContext<'_> {
        SearchContext { tree, step: &|_, _| Ok(()) }
    }

    fn games(paths: &[(&str, &str)]) -> Games {
        let row = |(at, (name, path)): (usize, &(&str, &str))| {
            let row = json!({"game_id": format!("g{at}"), "name": name, "path": path});
            Game::seal(&serde_json::from_value::<Record>(row).expect("a record"))
        };
        Games::from_games(paths.iter().enumerate().map(row))
    }

    #[test]
    fn files_beside_games_belong_to_them() {
        let games = games(&[
            ("Alpha", "/r/snes/Alpha (USA).sfc"),
            ("Alpha", "/r/snes/Alpha (USA).zip"),
            ("Saga", "/r/psx/Saga/disc.cue"),
            ("Other", "/r/psx/Two/a.cue"),
            ("Third", "/r/psx/Two/b.cue"),
        ]);
        let tree = MemoryTree::with(&[
            "/r/snes/Alpha (USA)-thumb.png",
            "/r/snes/Alpha (USA)-fanart.txt",
            "/r/snes/images/Alpha (USA)-marquee.png",
            "/r/snes/videos/Alpha (USA)-video.mp4",
            "/r/snes/deep/Alpha (USA)-poster.png",
            "/r/psx/Saga/folder.jpg",
            "/r/psx/Two/folder.jpg",
        ]);
        let mut scan = Scan::default();
        scan.beside(&all_of(&tree), &games, None).expect("to the end");
        let mut shown: Vec<(usize, &str, &str)> = scan
            .beside
            .iter()
            .map(|it| (it.game, it.field, it.path.rsplit('/').next().unwrap_or_default()))
            .collect();
        shown.sort_unstable();
        let expected = [
            (0, "clear_logo", "Alpha (USA)-marquee.png"),
            (0, "cover", "Alpha (USA)-thumb.png"),
            (0, "video_snap", "Alpha (USA)-video.mp4"),
            (1, "clear_logo", "Alpha (USA)-marquee.png"),
            (1, "cover", "Alpha (USA)-thumb.png"),
            (1, "video_snap", "Alpha (USA)-video.mp4"),
            (2, "cover", "folder.jpg"),
        ];
        assert_eq!(shown, expected);
        let mut none = Scan::default();
        let elsewhere = [PathBuf::from("/elsewhere")];
        none.beside(&all_of(&tree), &games, Some(&elsewhere)).expect("to the end");
        assert!(none.beside.is_empty() && tree.listings.get() > 0);
    }

    #[test]
    fn links_hidden_folders_and_what_lies_too_deep_are_left_out() {
        let mut tree = MemoryTree::with(&[
            "/m/snes/covers/A.png",
            "/m/.cache/snes/covers/B.png",
            "/m/own/snes/covers/C.png",
            "/m/loose.png",
            "/m/words.txt",
            "/m/1/2/3/4/5/6/7/8/9/10/11/12/13/snes/covers/D.png",
        ]);
        tree.put_kind("/m/snes/covers/L.png", EntryKind::Link, b"", 0);
        let mut scan = Scan::default();
        scan.below(&all_of(&tree), Path::new("/m"), Path::new("/m/own")).expect("to the end");
        let told: Vec<&str> = scan.told.keys().map(String::as_str).collect();
        assert_eq!((told, scan.links, scan.is_cut), (vec!["/m/snes/covers/A.png"], 1, true));
        assert_eq!(scan.others.iter().collect::<Vec<_>>(), ["/m/loose.png"]);
        for (folder, files) in [("/m", 1), ("/", 1), ("/m/snes/cover", 0), ("/m/snes/covers/", 1)] {
            let programs = vec![Program::EsDe; files];
            assert_eq!(scan.count_below(&BTreeSet::new(), Path::new(folder)), (files, programs));
        }
    }

    #[test]
    fn a_file_beside_several_games_counts_once() {
        let games = games(&[("A", "/r/snes/A.sfc"), ("A", "/r/snes/A.zip"), ("B", "/r/nes/B.nes")]);
        let tree = MemoryTree::with(&["/r/snes/A-thumb.png", "/r/nes/B-thumb.png"]);
        let mut scan = Scan::default();
        scan.beside(&all_of(&tree), &games, None).expect("to the end");
        let files = scan.files_beside();
        assert_eq!(scan.beside.len(), 3);
        for (folder, count) in [("/r", 2), ("/r/snes", 1), ("/r/sne", 0)] {
            let programs = vec![Program::Beside; count.min(1)];
            assert_eq!(scan.count_below(&files, Path::new(folder)), (count, programs));
        }
    }

    #[test]
    fn a_step_that_fails_ends_the_search_before_the_next_folder() {
        let games = games(&[("A", "/r/snes/A.sfc"), ("B", "/r/nes/B.nes")]);
        let tree = MemoryTree::with(&[
            "/m/snes/covers/A.png",
            "/m/nes/covers/B.png",
            "/r/snes/images/A-thumb.png",
            "/r/nes/B-thumb.png",
        ]);
        let whole = |step: &Step<'_>| {
            let (context, mut scan) = (SearchContext { tree: &tree, step }, Scan::default());
            scan.below(&context, Path::new("/m"), Path::new("/own"))?;
            scan.beside(&context, &games, None)
        };
        let seen = RefCell::new(Vec::new());
        let noted = |entries: usize, name: &str| {
            seen.borrow_mut().push((entries, name.to_owned()));
            Ok(())
        };
        whole(&noted).expect("to the end");
        let names: Vec<String> = seen.borrow().iter().map(|(_, name)| name.clone()).collect();
        let folders = ["m", "snes", "covers", "nes", "covers", "nes", "snes", "images"];
        assert_eq!((names, tree.listings.take()), (folders.map(String::from).to_vec(), 8));
        assert!(seen.borrow().is_sorted_by_key(|(entries, _)| *entries));
        for at in 0..folders.len() {
            let steps = Cell::new(0);
            let stopping = |_: usize, _: &str| {
                steps.set(steps.get() + 1);
                if steps.get() > at { Err(Failure::Stopped) } else { Ok(()) }
            };
            assert_eq!(whole(&stopping), Err(Failure::Stopped));
            assert_eq!(tree.listings.take(), at, "stopped at step {at}");
        }
    }

    /// A folder with a number of folders that hold a number of other entries each.
    struct Wide {
        folders: usize,
        files: usize,
    }

    impl Tree for Wide {
        fn list(&self, folder: &Path) -> io::Result<Listing> {
            let (count, kind) = if folder == Path::new("/m") {
                (self.folders, EntryKind::Folder)
            } else {
                (self.files, EntryKind::Other)
            };
            let entry = |at: usize| Entry { name: at.to_string().into(), kind };
            Ok(Listing { entries: (0..count).map(entry).collect(), unreadable: 0 })
        }

        fn leads_to_file(&self, _: &Path) -> bool {
            false
        }

        fn size(&self, _: &Path) -> io::Result<u64> {
            Ok(1)
        }

        fn read_part(&self, _: &Path, _: u64, _: u64) -> io::Result<Vec<u8>> {
            Ok(Vec::new())
        }
    }

    #[test]
    fn the_number_of_folders_and_entries_has_a_bound() {
        // The folder itself is one of those that are read, and its folders are entries.
        for (folders, files, is_cut) in [
            (FOLDERS - 1, 0, false),
            (FOLDERS, 0, true),
            (2, ENTRIES / 2, false),
            (4, ENTRIES / 2, true),
        ] {
            let mut scan = Scan::default();
            let tree = Wide { folders, files };
            scan.below(&all_of(&tree), Path::new("/m"), Path::new("/own")).expect("to the end");
            assert_eq!(scan.is_cut, is_cut, "{folders} folders of {files} entries");
        }
    }

    #[test]
    fn a_folder_that_cannot_be_read_is_named_and_one_that_is_gone_is_not() {
        struct Closed(io::ErrorKind);
        impl Tree for Closed {
            fn list(&self, _: &Path) -> io::Result<Listing> {
                Err(self.0.into())
            }
            fn leads_to_file(&self, _: &Path) -> bool {
                false
            }
            fn size(&self, _: &Path) -> io::Result<u64> {
                Err(self.0.into())
            }
            fn read_part(&self, _: &Path, _: u64, _: u64) -> io::Result<Vec<u8>> {
                Err(self.0.into())
            }
        }
        for (kind, expected) in
            [(io::ErrorKind::PermissionDenied, &["/m"][..]), (io::ErrorKind::NotFound, &[])]
        {
            let mut scan = Scan::default();
            let tree = Closed(kind);
            scan.below(&all_of(&tree), Path::new("/m"), Path::new("/own")).expect("to the end");
            assert_eq!(scan.unreadable, expected);
        }
    }
}
