//! Gives joined discs the playlist that stands for them.
//!
//! A playlist belongs next to its discs. Where that cannot be written, or where a file of the user has its
//! name, it goes to the program's own folder for generated files; where that fails too, or where the
//! emulators of the platform play no playlists, the first disc stands for the game. A file that exists is
//! never overwritten: when it already names the same discs it is used as it is. Only one that is, to the
//! byte, what an import wrote for a game of the library gets the discs that came to it later.
//!
//! A playlist in a folder that an import would write itself, of the very discs that it joins and under the
//! very name, adds nothing to the names of the discs. It is left out before the files are read, so a folder gives the
//! same games whether an earlier import has written playlists into it or not.

use std::{
    collections::{BTreeSet, HashMap, HashSet},
    fs::{self, Metadata},
    io,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    base::clock,
    files::{DiskError, Files, temp},
    formats::m3u,
    game::batches::WrittenFile,
    names::marker,
    platforms,
    scan::{
        discs::{self, DiscGroup, Entry},
        extensions::Role,
        references::{self, SHEET_BYTES},
        tree::{Disk, Tree},
        walk::{FoundFile, join},
    },
};

/// Names tried in the folder for generated files before the first disc has to do.
const NAMES: usize = 100;

/// How old an unfinished playlist is that is no longer being written.
const UNFINISHED: Duration = Duration::from_mins(10);

/// Owner may read and write, whatever the discs allow.
const OWNER: u32 = 0o600;

/// Everybody may read and write; the bits that make sense for a playlist.
const ANYBODY: u32 = 0o666;

/// The path that stands for a disc group: of its playlist, which exists afterwards, or of its
/// first disc. `generated` is the folder for playlists that cannot lie next to their discs. A playlist
/// that was not there before is added to `written`.
pub fn place(
    files: &Files,
    generated: &Path,
    group: &DiscGroup,
    written: &mut Vec<WrittenFile>,
) -> String {
    if !is_played(group) {
        return group.discs[0].path();
    }
    beside(files, group, written)
        .or_else(|| apart(files, generated, group, written))
        .unwrap_or_else(|| group.discs[0].path())
}

/// Removes unfinished playlists that an import left next to the discs of these groups when it was killed. Other
/// processes may write one at this moment, so only old ones go.
pub fn clear_leftovers(files: &Files, groups: &[&DiscGroup]) {
    let folders: BTreeSet<PathBuf> = groups
        .iter()
        .filter_map(|group| Some(Path::new(&group.playlist_path()).parent()?.to_owned()))
        .collect();
    let is_leftover = |path: &Path, name: &str| {
        let of = temp::destination_of(name.as_bytes()).filter(|of| of.ends_with(b".m3u"));
        let found = of.and_then(|_| fs::symlink_metadata(path).ok());
        let age = found.filter(Metadata::is_file).and_then(|found| found.modified().ok());
        age.is_some_and(|written| clock::age_of(written) > UNFINISHED)
            && temp::is_of_another_process(name.as_bytes())
    };
    for folder in folders {
        for name in files.list(&folder).unwrap_or_default() {
            let path = folder.join(&name);
            if is_leftover(&path, &name)
                && let Err(error) = files.remove(&path)
            {
                log::info!("an unfinished playlist stays: {error}");
            }
        }
    }
}

/// The discs of games by the playlists that stand for them.
pub type DiscLists = HashMap<String, Vec<String>>;

/// Adds the discs that a game of the library lacks to its playlist; whether that names all of them now. `path`
/// is the file of the game and `discs` are those it has.
pub fn extend(
    files: &Files,
    group: &DiscGroup,
    path: &str,
    discs: &[String],
    written: &mut Vec<WrittenFile>,
) -> bool {
    let all: Vec<String> = group.discs.iter().map(FoundFile::path).collect();
    if discs.len() >= all.len() || !is_part(discs, &all) {
        return false;
    }
    if !is_played(group) {
        return discs.first().is_some_and(|first| first == path);
    }
    let is_beside = path == group.playlist_path();
    let contents = [discs, &all[..]].map(|discs| {
        let entry = |disc: &String| match disc.rsplit_once('/').filter(|_| is_beside) {
            Some((_, name)) => m3u::entry_for(name),
            None => Some(disc.clone()),
        };
        m3u::write(&discs.iter().map(entry).collect::<Option<Vec<_>>>()?).ok()
    });
    let [Some(old), Some(new)] = contents else { return false };
    let Ok(found) = Disk.read_start(Path::new(path), SHEET_BYTES) else { return false };
    if found != old {
        return found == new;
    }
    if let Err(error) = rewrite(files, Path::new(path), &new) {
        log::info!("a playlist does not get further discs: {error}");
        return false;
    }
    written.push(WrittenFile::replacing(path, &new, &String::from_utf8_lossy(&old)));
    true
}

/// Removes a playlist that an import wrote, or gives it the discs that it had before.
///
/// # Errors
/// [`DiskError`]; the playlist is as it was then.
pub fn take_back(files: &Files, file: &WrittenFile) -> Result<(), DiskError> {
    let path = Path::new(&file.path);
    if file.before.is_empty() {
        files.remove(path)
    } else {
        rewrite(files, path, file.before.as_bytes())
    }
}

/// Replaces a playlist; who may read it stays as it is.
fn rewrite(files: &Files, path: &Path, content: &[u8]) -> Result<(), DiskError> {
    let mode = files.stat(path)?.map_or(OWNER, |found| found.permissions().mode() & ANYBODY);
    files.replace(path, content)?;
    files.set_mode(path, mode)
}

/// Whether these are some of all, in their order.
fn is_part(some: &[String], all: &[String]) -> bool {
    let mut all = all.iter();
    !some.is_empty() && some.iter().all(|one| all.any(|other| other == one))
}

/// The path that will stand for a disc group, as far as that is known without writing: of a
/// playlist of these discs that is there, else of the one next to them.
pub fn foresee(generated: &Path, group: &DiscGroup) -> String {
    if !is_played(group) {
        return group.discs[0].path();
    }
    let beside = group.playlist_path();
    if entries(group).is_some_and(|names| names_the_same(Path::new(&beside), &names) == Some(true))
    {
        return beside;
    }
    let entries: Vec<String> = group.discs.iter().map(FoundFile::path).collect();
    let apart = generated.to_str().into_iter().flat_map(|folder| apart_names(folder, group));
    let mut known = apart
        .map(|path| (names_the_same(Path::new(&path), &entries), path))
        .take_while(|(same, _)| same.is_some());
    known.find_map(|(same, path)| (same == Some(true)).then_some(path)).unwrap_or(beside)
}

/// Whether the emulators of a group's platform play playlists at all.
fn is_played(group: &DiscGroup) -> bool {
    platforms::by_name(group.discs[0].platform).is_none_or(|platform| platform.takes_playlists)
}

/// The text of a playlist next to the discs of a group; `None` where it cannot name one of them.
fn entries(group: &DiscGroup) -> Option<Vec<String>> {
    group.discs.iter().map(|disc| m3u::entry_for(&disc.name)).collect()
}

/// The names tried in the folder for generated files, in their order.
fn apart_names(folder: &str, group: &DiscGroup) -> impl Iterator<Item = String> {
    (1..=NAMES).map(move |number| match number {
        1 => join(folder, &group.playlist_name()),
        _ => join(folder, &format!("{}-{number}.m3u", group.title)),
    })
}

/// Next to the discs, naming them by file name; readable for the users who may read the first disc.
fn beside(files: &Files, group: &DiscGroup, written: &mut Vec<WrittenFile>) -> Option<String> {
    let path = group.playlist_path();
    let disc = fs::metadata(group.discs[0].path()).ok()?;
    let mode = (disc.permissions().mode() & ANYBODY) | OWNER;
    match put(files, &path, &entries(group)?, mode, written) {
        Ok(true) => Some(path),
        Ok(false) => None,
        Err(error) => {
            log::info!("a playlist does not lie next to its discs: {error}");
            None
        }
    }
}

/// In the folder for generated files, naming the discs by absolute path. Discs of another folder
/// may have the same title, so names are counted on until one is free or names the same discs.
fn apart(
    files: &Files,
    generated: &Path,
    group: &DiscGroup,
    written: &mut Vec<WrittenFile>,
) -> Option<String> {
    let folder = generated.to_str()?;
    let entries: Vec<String> = group.discs.iter().map(FoundFile::path).collect();
    let mut put_first = || -> Result<Option<String>, DiskError> {
        files.private_dir(generated)?;
        for path in apart_names(folder, group) {
            if put(files, &path, &entries, OWNER, written)? {
                return Ok(Some(path));
            }
        }
        Ok(None)
    };
    put_first().unwrap_or_else(|error| {
        log::warn!("no playlist for {:?}: {error}", group.title);
        None
    })
}

/// Makes the playlist unless something has its name. Whether a playlist of these entries is there
/// now.
fn put(
    files: &Files,
    name: &str,
    entries: &[String],
    mode: u32,
    written: &mut Vec<WrittenFile>,
) -> Result<bool, DiskError> {
    let path = Path::new(name);
    let Ok(bytes) = m3u::write(entries) else { return Ok(false) };
    if let Some(same) = names_the_same(path, entries) {
        return Ok(same);
    }
    match files.place(path, &bytes, mode) {
        Ok(()) => {
            written.push(WrittenFile::new(name, &bytes));
            Ok(true)
        }
        Err(error) if error.source.kind() == io::ErrorKind::AlreadyExists => {
            // OK because a name that is taken and cannot be read may not be used.
            Ok(names_the_same(path, entries).unwrap_or(false))
        }
        Err(error) => Err(error),
    }
}

/// Whether the file at `path` is a playlist of these entries; `None` when there is no such file.
fn names_the_same(path: &Path, entries: &[String]) -> Option<bool> {
    match Disk.read_start(path, SHEET_BYTES) {
        Ok(bytes) => Some(m3u::parse(&bytes) == entries),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(_) => Some(false),
    }
}

/// Playlists of one folder that are tried one by one; with more of them the others stay.
const TRIED: usize = 16;

/// A playlist by its path and its entries.
type Listed = (String, Vec<String>);

/// The playlists of one folder that are in question.
#[derive(Default)]
struct Lists {
    all: Vec<Listed>,
    /// Those that an import wrote for the discs that a game of the library has: further ones may join them.
    open: HashSet<String>,
}

/// The files without these playlists, in their order. Folders without a playlist are not read.
pub fn leave_out(
    tree: &dyn Tree,
    root: &str,
    known: &DiscLists,
    files: Vec<FoundFile>,
) -> Vec<FoundFile> {
    let is_list = |file: &FoundFile| file.extension.role == Role::Playlist;
    let discs = folders_of_discs(&files);
    if discs.is_empty() {
        return files;
    }
    let mut lists: HashMap<Arc<str>, Lists> = HashMap::new();
    let in_question = |file: &&FoundFile| is_list(file) && discs.contains(&file.folder);
    for file in files.iter().filter(in_question) {
        let path = file.path();
        if let Some((entries, is_plain)) = entries_of(tree, &path) {
            let lists = lists.entry(Arc::clone(&file.folder)).or_default();
            let discs = || entries.iter().map(|entry| join(&file.folder, entry));
            if is_plain && known.get(&path).is_some_and(|known| discs().eq(known.iter().cloned())) {
                lists.open.insert(path.clone());
            }
            lists.all.push((path, entries));
        }
    }
    let mut near: HashMap<Arc<str>, Vec<FoundFile>> = HashMap::new();
    for file in files.iter().filter(|file| lists.contains_key(&file.folder)) {
        near.entry(Arc::clone(&file.folder)).or_default().push(file.clone());
    }
    let mut own: HashSet<String> = HashSet::new();
    for (folder, lists) in lists {
        let files = near.remove(&folder).unwrap_or_default();
        own.extend(own_of(tree, root, &files, lists).into_iter().map(|(path, _)| path));
    }
    files.into_iter().filter(|file| !is_list(file) || !own.contains(&file.path())).collect()
}

/// The folders with playlists and at least two discs: only there one is read.
fn folders_of_discs(files: &[FoundFile]) -> HashSet<Arc<str>> {
    let lists = files.iter().filter(|file| file.extension.role == Role::Playlist);
    let mut discs: HashMap<Arc<str>, usize> =
        lists.map(|file| (Arc::clone(&file.folder), 0)).collect();
    for file in files {
        if let Some(discs) = discs.get_mut(&file.folder).filter(|discs| **discs < 2)
            && marker::split(file.stem()).is_some()
        {
            *discs += 1;
        }
    }
    discs.into_iter().filter(|(_, discs)| *discs > 1).map(|(folder, _)| folder).collect()
}

/// Those of the playlists of a folder that an import would write: without them it joins the same discs, or more
/// than an earlier import found.
fn own_of(tree: &dyn Tree, root: &str, files: &[FoundFile], lists: Lists) -> HashSet<Listed> {
    let Lists { all, open } = lists;
    let without = |own: &HashSet<Listed>| {
        let out: HashSet<&str> = own.iter().map(|(path, _)| path.as_str()).collect();
        let rest = files.iter().filter(|file| !out.contains(&*file.path())).cloned().collect();
        groups_of(tree, root, rest)
    };
    let is_of = |groups: &HashSet<Listed>, listed: &Listed| {
        let (path, entries) = listed;
        groups.contains(listed)
            || open.contains(path)
                && groups.iter().any(|(of, all)| of == path && is_part(entries, all))
    };
    let mut own: HashSet<Listed> = all.iter().cloned().collect();
    // A playlist that stays takes its discs away, and then others are joined.
    loop {
        let groups = without(&own);
        let before = own.len();
        own.retain(|listed| is_of(&groups, listed));
        if own.len() == before {
            break;
        }
    }
    for listed in
        all.into_iter().filter(|listed| !own.contains(listed)).take(TRIED).collect::<Vec<_>>()
    {
        let mut more = own.clone();
        more.insert(listed);
        let groups = without(&more);
        if more.iter().all(|listed| is_of(&groups, listed)) {
            own = more;
        }
    }
    own
}

/// The entries of a playlist of at least two discs, and whether it holds them as an import writes them.
fn entries_of(tree: &dyn Tree, path: &str) -> Option<(Vec<String>, bool)> {
    let bytes = tree.read_start(Path::new(path), SHEET_BYTES).ok()?;
    let entries = Some(m3u::parse(&bytes)).filter(|entries| entries.len() > 1)?;
    let is_plain = m3u::write(&entries).is_ok_and(|written| written == bytes);
    Some((entries, is_plain))
}

/// The playlists that would be written for these files.
fn groups_of(tree: &dyn Tree, root: &str, files: Vec<FoundFile>) -> HashSet<Listed> {
    let mut game_files = references::drop_named(tree, files);
    discs::name_by_folder(root, &mut game_files);
    let groups = discs::join_discs(game_files).into_iter().filter_map(|entry| match entry {
        Entry::Discs(group) if is_played(&group) => Some(group),
        _ => None,
    });
    let named = |group: Box<DiscGroup>| Some((group.playlist_path(), entries(&group)?));
    groups.filter_map(named).collect()
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::path::PathBuf;

    use rustix::fs::{CWD, FileType, Mode, mknodat};

    use super::*;
    use crate::files::testing;
    use crate::{
        imports::candidates::{self, Preferences},
        scan::{discs::Entry, ranking::Ranked},
    };

    struct Fixture {
        _guard: tempfile::TempDir,
        roms: PathBuf,
        generated: PathBuf,
    }

    impl Fixture {
        fn with(discs: &[&str]) -> Self {
            let guard = tempfile::tempdir().expect("temporary folder");
            let base = fs::canonicalize(guard.path()).expect("real path");
            let fixture = Self {
                _guard: guard,
                roms: base.join("roms"),
                generated: base.join("data/generated"),
            };
            for disc in discs {
                testing::put(fixture.roms.join(disc), disc);
            }
            fixture
        }

        fn groups(&self) -> Vec<DiscGroup> {
            let root = self.roms.to_str().expect("UTF-8");
            let games =
                candidates::find(&Disk, root, Path::new("/nowhere"), &Preferences::default()).games;
            games
                .into_iter()
                .flat_map(|Ranked { best, others }| std::iter::once(best).chain(others))
                .filter_map(|entry| match entry {
                    Entry::Discs(group) => Some(*group),
                    Entry::Single(_) => None,
                })
                .collect()
        }

        fn place(&self, group: &DiscGroup) -> PathBuf {
            place(&Files::system(), &self.generated, group, &mut Vec::new()).into()
        }
    }

    #[track_caller]
    fn check(path: &Path, content: &str) {
        assert_eq!(fs::read_to_string(path).expect("a playlist"), content);
    }

    const DISCS: [&str; 2] = ["G (Disc 1).cue", "G (Disc 2).cue"];

    #[test]
    fn lies_beside_its_discs_and_names_them_by_file_name() {
        let fixture = Fixture::with(&DISCS);
        let group = &fixture.groups()[0];
        let path = fixture.place(group);
        assert_eq!(path, fixture.roms.join("G.m3u"));
        check(&path, "G (Disc 1).cue\nG (Disc 2).cue\n");
        let mode = |path: &Path| fs::metadata(path).expect("stat").permissions().mode() & 0o777;
        assert_eq!(mode(&path), mode(&fixture.roms.join(DISCS[0])));
        assert_eq!(fixture.place(group), path, "a second import uses it as it is");
        assert_eq!(&fixture.groups()[0], group, "the playlist says nothing new");
    }

    #[test]
    fn never_overwrites_a_file_of_the_user() {
        let fixture = Fixture::with(&DISCS);
        let group = &fixture.groups()[0];
        let own = fixture.roms.join("G.m3u");
        fs::write(&own, "# mine\n").expect("written");
        let path = fixture.place(group);
        check(&own, "# mine\n");
        assert_eq!(path, fixture.generated.join("G.m3u"));
        let roms = fixture.roms.display();
        check(&path, &format!("{roms}/G (Disc 1).cue\n{roms}/G (Disc 2).cue\n"));
        assert_eq!(fixture.place(group), path);
    }

    #[test]
    fn a_playlist_that_names_the_same_discs_is_used_as_it_is() {
        let fixture = Fixture::with(&DISCS);
        let group = &fixture.groups()[0];
        let own = fixture.roms.join("G.m3u");
        let content = "#EXTM3U\r\nG (Disc 1).cue\r\n\r\nG (Disc 2).cue";
        fs::write(&own, content).expect("written");
        assert_eq!(fixture.place(group), own);
        check(&own, content);
    }

    #[test]
    fn anything_else_with_the_name_is_left_alone() {
        for kind in ["folder", "link", "pipe"] {
            let fixture = Fixture::with(&DISCS);
            let group = &fixture.groups()[0];
            let taken = fixture.roms.join("G.m3u");
            match kind {
                "folder" => fs::create_dir(&taken).expect("folder"),
                "link" => std::os::unix::fs::symlink("nowhere", &taken).expect("link"),
                _ => mknodat(CWD, &taken, FileType::Fifo, Mode::RUSR, 0).expect("pipe"),
            }
            let before = fs::symlink_metadata(&taken).expect("stat").file_type();
            assert_eq!(fixture.place(group), fixture.generated.join("G.m3u"), "{kind}");
            assert_eq!(fs::symlink_metadata(&taken).expect("stat").file_type(), before);
        }
    }

    #[test]
    fn equal_titles_of_two_folders_get_names_of_their_own() {
        let fixture = Fixture::with(&["a/G CD1.cue", "a/G CD2.cue", "b/G CD1.cue", "b/G CD2.cue"]);
        let groups = fixture.groups();
        for folder in ["a", "b"] {
            fs::write(fixture.roms.join(folder).join("G.m3u"), "").expect("written");
        }
        let first = fixture.place(&groups[0]);
        let second = fixture.place(&groups[1]);
        assert_eq!(first, fixture.generated.join("G.m3u"));
        assert_eq!(second, fixture.generated.join("G-2.m3u"));
        assert_eq!((fixture.place(&groups[0]), fixture.place(&groups[1])), (first, second));
    }

    #[test]
    fn no_playlist_is_written_that_nothing_plays() {
        let fixture = Fixture::with(&["ps2/G (Disc 1).iso", "ps2/G (Disc 2).iso"]);
        let group = &fixture.groups()[0];
        let first = fixture.roms.join("ps2/G (Disc 1).iso");
        assert_eq!(Path::new(&foresee(&fixture.generated, group)), first);
        assert_eq!(fixture.place(group), first);
        assert!(!fixture.roms.join("ps2/G.m3u").exists() && !fixture.generated.exists());
    }

    #[test]
    fn the_first_disc_stands_when_no_playlist_can_be_written() {
        let fixture = Fixture::with(&DISCS);
        let group = &fixture.groups()[0];
        fs::write(fixture.roms.join("G.m3u"), "# mine").expect("written");
        fs::write(fixture.generated.parent().expect("inside"), "a file").expect("written");
        assert_eq!(fixture.place(group), fixture.roms.join(DISCS[0]));
    }

    #[test]
    fn unfinished_playlists_of_a_killed_import_go() {
        let fixture = Fixture::with(&["G (Disc 1).chd", "G (Disc 2).chd"]);
        let name = |name: &str| fixture.roms.join(name);
        let old = [".G.m3u.0123456789ab.tmp", ".H.m3u.0123456789ab.tmp"].map(name);
        let kept = [".G.m3u.tmp", ".G.chd.0123456789ab.tmp", ".N.m3u.0123456789ab.tmp"].map(name);
        let long_ago = std::time::SystemTime::now() - Duration::from_hours(1);
        for path in old.iter().chain(&kept) {
            fs::write(path, "x").expect("written");
            let file = fs::File::options().write(true).open(path).expect("there");
            file.set_modified(long_ago).expect("a time");
        }
        fs::write(&kept[2], "new").expect("written");
        let groups = fixture.groups();
        clear_leftovers(&Files::system(), &groups.iter().collect::<Vec<_>>());
        assert!(old.iter().all(|path| !path.exists()), "{old:?}");
        assert!(kept.iter().all(|path| path.exists()), "{kept:?}");
    }
}
