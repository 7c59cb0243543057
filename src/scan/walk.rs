//! Finds the files of a folder tree that an import accepts.
//!
//! Symbolic links to folders are not entered, so the walk always ends; links to regular files are
//! accepted under the link's own path. Whatever cannot be read or cannot be stored (a name that
//! is not UTF-8 has no spelling in JSON) is skipped and counted, never guessed at.

use std::{ffi::OsString, path::Path, sync::Arc};

use crate::{base::text, platforms::Kind};

use super::{
    extensions::{self, Extension},
    systems::{FolderSystems, System},
    tree::{Entry, EntryKind, Tree},
    unknown::UnknownFiles,
};

/// Folders nested deeper than this below the imported one are skipped and counted.
pub const DEPTH: usize = 64;

/// Folders of the system that hold no files: asked for their content, the kernel makes it up.
const UNREAL_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

/// The folder of a collection that holds firmware, of any platform.
const FIRMWARE: &str = "bios";

/// Folders that arcade emulators keep beside the sets.
const OF_ARCADE: [&str; 7] = ["samples", "artwork", "cheat", "nvram", "hi", "cfg", "snap"];

/// The folder of a prefix of Wine that stands for a drive, and the programs that every prefix has on it.
const DRIVE: &str = "drive_c";
const PROGRAMS: [&str; 2] = ["Program Files", "Program Files (x86)"];
const OWN_PROGRAMS: [&str; 4] =
    ["Common Files", "Internet Explorer", "Windows Media Player", "Windows NT"];

/// One file an import accepts. Its path is UTF-8.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FoundFile {
    /// The absolute folder it lies in, shared by its neighbours.
    pub folder: Arc<str>,
    /// Its name with extension.
    pub name: Box<str>,
    /// The table row of its extension.
    pub extension: &'static Extension,
    /// The platform of the game, as far as folder and extension show it; empty when the extension alone
    /// does not make it a game.
    pub platform: &'static str,
    /// Whether folder or extension leave no doubt about the platform.
    pub is_certain: bool,
}

impl FoundFile {
    /// The absolute path.
    pub fn path(&self) -> String {
        join(&self.folder, &self.name)
    }

    /// The name before its extension, that of the file in an archive, and the mark of a converter.
    pub fn stem(&self) -> &str {
        extensions::stem_before(&self.name, self.extension)
    }
}

/// What a walk brought home.
#[derive(Debug, Default)]
pub struct Walk {
    /// The files ordered by folder, then by case-folded name.
    pub files: Vec<FoundFile>,
    /// Folders and files that had to be left out.
    pub skipped: usize,
    /// Files of types an import is not about.
    pub unknown: UnknownFiles,
}

/// The path of `name` in `folder`.
pub fn join(folder: &str, name: &str) -> String {
    let slash = if folder.ends_with('/') { "" } else { "/" };
    [folder, slash, name].concat()
}

/// Walks `root` and everything below it except the folder `excluded`. `root` is absolute and has
/// been checked to be a folder.
pub fn walk(tree: &dyn Tree, root: &str, excluded: &Path, systems: &FolderSystems) -> Walk {
    let mut skipped = 0;
    let mut unknown = UnknownFiles::default();
    let mut folders: Vec<(Arc<str>, Vec<FoundFile>)> = Vec::new();
    let mut waiting =
        vec![Waiting { folder: Arc::from(root), depth: 0, system: systems.of_root(root) }];
    while let Some(Waiting { folder, depth, system }) = waiting.pop() {
        let Ok(listing) = tree.list(Path::new(&*folder)) else {
            skipped += 1;
            continue;
        };
        skipped += listing.unreadable;
        let (mut files, mut left) = (Vec::new(), Vec::new());
        for entry in listing.entries {
            match judge(tree, &folder, system, entry) {
                Verdict::Take(file) => files.push(file),
                Verdict::Enter(inner) if Path::new(&*inner) == excluded => {}
                Verdict::Enter(inner) if depth < DEPTH => {
                    let system = systems.own(&inner).or(system);
                    waiting.push(Waiting { folder: inner, depth: depth + 1, system });
                }
                Verdict::Enter(_) | Verdict::Skip => skipped += 1,
                Verdict::Unknown(name) => left.push(name),
                Verdict::Ignore => {}
            }
        }
        if !left.is_empty() {
            let deciding = systems.deciding(root, &folder);
            for name in left {
                unknown.add(deciding, name.as_encoded_bytes());
            }
        }
        // The folded names of one folder at a time: those of all would be as large as the names.
        files.sort_by(|a, b| a.name.cmp(&b.name));
        files.sort_by_cached_key(|file| text::fold(&file.name));
        if !files.is_empty() {
            files.shrink_to_fit();
            folders.push((folder, files));
        }
    }
    folders.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    Walk { files: folders.into_iter().flat_map(|(_, files)| files).collect(), skipped, unknown }
}

/// The files that an import accepts in one folder with this system, by their names; `None` for all.
pub fn files_in(
    tree: &dyn Tree,
    folder: &str,
    system: Option<System>,
    name: Option<&str>,
) -> Vec<FoundFile> {
    let entries = match name {
        Some(name) => vec![Entry { name: name.into(), kind: EntryKind::File }],
        None => tree.list(Path::new(folder)).map(|listing| listing.entries).unwrap_or_default(),
    };
    let folder = Arc::from(folder);
    let file = |entry| match judge(tree, &folder, system, entry) {
        Verdict::Take(file) => Some(file),
        _ => None,
    };
    entries.into_iter().filter_map(file).collect()
}

/// A folder that is still to be read.
struct Waiting {
    folder: Arc<str>,
    /// Folders between it and the root.
    depth: usize,
    /// Its system, or that of the nearest folder above it that has one.
    system: Option<System>,
}

/// What the walk does with one entry of a folder.
enum Verdict {
    /// A file to import.
    Take(FoundFile),
    /// A folder to walk.
    Enter(Arc<str>),
    /// Something that would be taken if it could be.
    Skip,
    /// A file of a type that is not known.
    Unknown(OsString),
    /// Nothing an import is about.
    Ignore,
}

fn judge(tree: &dyn Tree, folder: &Arc<str>, system: Option<System>, entry: Entry) -> Verdict {
    let extension = extensions::find(entry.name.as_encoded_bytes());
    if extension.is_none()
        && entry.kind == EntryKind::File
        && !is_discarded(&entry.name.to_string_lossy())
    {
        return Verdict::Unknown(entry.name);
    }
    let Ok(name) = entry.name.into_string() else {
        let is_wanted = match entry.kind {
            EntryKind::Folder => true,
            EntryKind::File | EntryKind::Link => extension.is_some(),
            EntryKind::Other => false,
        };
        return if is_wanted { Verdict::Skip } else { Verdict::Ignore };
    };
    if is_discarded(&name) {
        return Verdict::Ignore;
    }
    match (entry.kind, extension) {
        (EntryKind::Folder, _) => {
            let inner = join(folder, &name);
            let is_aside = name.eq_ignore_ascii_case(FIRMWARE) || is_of_arcade(system, &name);
            if is_aside || UNREAL_FOLDERS.contains(&inner.as_str()) || is_of_wine(folder, &name) {
                Verdict::Ignore
            } else {
                Verdict::Enter(inner.into())
            }
        }
        (EntryKind::Link, Some(_)) if !tree.leads_to_file(Path::new(&join(folder, &name))) => {
            Verdict::Ignore
        }
        (EntryKind::File | EntryKind::Link, Some(extension)) => {
            let is_accepted =
                extensions::is_accepted(extension, system.map(|system| system.platform));
            let is_certain = is_accepted && System::is_certain(system, extension);
            let platform = if is_accepted { System::platform_of(system, extension) } else { "" };
            Verdict::Take(FoundFile {
                folder: Arc::clone(folder),
                name: name.into(),
                extension,
                platform,
                is_certain,
            })
        }
        (EntryKind::File | EntryKind::Link | EntryKind::Other, _) => Verdict::Ignore,
    }
}

/// Whether a folder among arcade sets holds what the emulator needs besides them.
fn is_of_arcade(system: Option<System>, name: &str) -> bool {
    let is_known = || OF_ARCADE.iter().any(|known| name.eq_ignore_ascii_case(known));
    system.is_some_and(|system| system.platform.kind == Kind::Arcade) && is_known()
}

/// Whether a folder holds the system that Wine puts into each of its prefixes: no program there is a game.
fn is_of_wine(folder: &str, name: &str) -> bool {
    let mut parts = folder.rsplit('/');
    match parts.next() {
        Some(DRIVE) => name.eq_ignore_ascii_case("windows"),
        Some(programs) if PROGRAMS.contains(&programs) => {
            parts.next() == Some(DRIVE) && OWN_PROGRAMS.contains(&name)
        }
        _ => false,
    }
}

/// Discarded files, and resource forks that an archiver or another system left.
pub fn is_discarded(name: &str) -> bool {
    name.starts_with("._")
        || name == ".Trash"
        || name.starts_with(".Trash-")
        || name == "__MACOSX"
        || name.eq_ignore_ascii_case("$RECYCLE.BIN")
}

#[cfg(test)]
mod tests {
    use std::{ffi::OsStr, os::unix::ffi::OsStrExt as _};

    use super::{super::tree::memory::MemoryTree, *};

    fn names(walk: &Walk) -> Vec<String> {
        walk.files.iter().map(FoundFile::path).collect()
    }

    #[test]
    fn orders_by_folder_then_folded_name() {
        let tree = MemoryTree::with(&[
            "/r/z.nes",
            "/r/B.nes",
            "/r/a.nes",
            "/r/sub/A.nes",
            "/r/Sub/x.nes",
            "/r/b.NES",
            "/r/note.txt",
        ]);
        assert_eq!(
            names(&walk(&tree, "/r", Path::new("/data"), &FolderSystems::default())),
            ["/r/a.nes", "/r/B.nes", "/r/b.NES", "/r/z.nes", "/r/Sub/x.nes", "/r/sub/A.nes",]
        );
    }

    #[test]
    fn the_nearest_folder_that_is_named_after_a_platform_decides() {
        let tree = MemoryTree::with(&[
            "/psx/a.chd",
            "/psx/Sony - PlayStation 2 (2024)/Games/b.chd",
            "/psx/other/c.bin",
            "/psx/snes/d.nes",
            "/psx/snes/e.zip",
        ]);
        let found = walk(&tree, "/psx", Path::new("/data"), &FolderSystems::default()).files;
        let platforms: Vec<&str> = found.iter().map(|file| file.platform).collect();
        assert_eq!(platforms, ["PlayStation", "PlayStation 2", "PlayStation", "NES", "SNES"]);
        let above = walk(
            &MemoryTree::with(&["/psx/roms/a.chd"]),
            "/psx/roms",
            Path::new("/data"),
            &FolderSystems::default(),
        );
        assert_eq!(above.files[0].platform, "Disc image", "folders above the root do not count");
    }

    #[test]
    fn what_wine_puts_into_its_prefixes_is_no_game() {
        let tree = MemoryTree::with(&[
            "/r/p/drive_c/Games/a.exe",
            "/r/p/drive_c/Program Files (x86)/Internet Explorer/iexplore.exe",
            "/r/p/drive_c/Program Files/Mine/b.exe",
            "/r/p/drive_c/windows/regedit.exe",
            "/r/p/inner/drive_c/c.exe",
            "/r/windows/d.exe",
        ]);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default());
        let games = ["p/drive_c/Games/a.exe", "p/drive_c/Program Files/Mine/b.exe"];
        let games = games.iter().chain(&["p/inner/drive_c/c.exe", "windows/d.exe"]);
        assert_eq!(names(&found), games.map(|game| format!("/r/{game}")).collect::<Vec<_>>());
    }

    #[test]
    fn a_folder_of_firmware_is_read_only_when_it_is_the_imported_one() {
        let tree = MemoryTree::with(&["/r/bios/a.sfc", "/r/snes/BIOS/b.sfc", "/r/snes/c.sfc"]);
        let found = |root| names(&walk(&tree, root, Path::new("/data"), &FolderSystems::default()));
        assert_eq!(found("/r"), ["/r/snes/c.sfc"]);
        assert_eq!(found("/r/bios"), ["/r/bios/a.sfc"]);
    }

    #[test]
    fn folders_of_arcade_emulators_are_read_elsewhere_only() {
        let tree = MemoryTree::with(&[
            "/r/mame/samples/a.zip",
            "/r/mame/Artwork/b.zip",
            "/r/mame/sets/cfg/c.zip",
            "/r/mame/sets/d.zip",
            "/r/nes/samples/e.nes",
        ]);
        let found = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default());
        assert_eq!(names(&found), ["/r/mame/sets/d.zip", "/r/nes/samples/e.nes"]);
    }

    #[test]
    fn keeps_nasty_names_exactly() {
        let nasty = [
            "/r/-rf.nes",
            "/r/a\nb.nes",
            "/r/a\"b'c.nes",
            "/r/back\\slash.nes",
            "/r/tab\t.nes",
            "/r/🎮.nes",
            "/r/ leading.nes",
            "/r/\u{1b}[31m.nes",
            "/r/%2e%2e.nes",
            "/r/$(id).nes",
        ];
        let mut found = names(&walk(
            &MemoryTree::with(&nasty),
            "/r",
            Path::new("/data"),
            &FolderSystems::default(),
        ));
        let mut expected: Vec<String> = nasty.iter().map(|name| (*name).to_owned()).collect();
        found.sort();
        expected.sort();
        assert_eq!(found, expected);
    }

    #[test]
    fn counts_what_has_no_utf8_spelling() {
        let mut tree = MemoryTree::with(&["/r/good.nes"]);
        for bytes in [&b"/r/bad\xff.nes"[..], b"/r/dir\xff/inside.nes", b"/r/bad\xff.txt"] {
            tree.put(Path::new(OsStr::from_bytes(bytes)), b"");
        }
        let walk = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default());
        assert_eq!(names(&walk), ["/r/good.nes"]);
        assert_eq!(walk.skipped, 2);
    }

    #[test]
    fn leaves_out_specials_links_to_nowhere_and_discarded_files() {
        let mut tree = MemoryTree::with(&[
            "/r/a.nes",
            "/r/._a.nes",
            "/r/.Trash-1000/files/b.nes",
            "/r/.Trash/c.nes",
            "/r/__MACOSX/d.nes",
            "/r/$Recycle.Bin/e.nes",
            "/r/data/cache/f.nes",
            "/r/data2/g.nes",
            "/r/.hidden/h.nes",
        ]);
        tree.put_kind("/r/pipe.nes", EntryKind::Other, b"", 0);
        tree.put_kind("/r/link.nes", EntryKind::Link, b"", 0);
        tree.put_kind("/r/dangling.nes", EntryKind::Link, b"", 0);
        tree.put_kind("/r/linked-folder", EntryKind::Link, b"", 0);
        let walk = walk(&tree, "/r", Path::new("/r/data"), &FolderSystems::default());
        assert_eq!(
            names(&walk),
            ["/r/a.nes", "/r/link.nes", "/r/.hidden/h.nes", "/r/data2/g.nes",]
        );
        assert_eq!(walk.skipped, 0);
        assert_eq!(tree.looks.get(), 2, "only links with a known extension are looked at");
    }

    #[test]
    fn enters_no_folder_of_the_kernel() {
        let tree = MemoryTree::with(&["/proc/1/a.nes", "/sys/b.nes", "/dev/c.nes", "/run/d.nes"]);
        assert_eq!(
            names(&walk(&tree, "/", Path::new("/data"), &FolderSystems::default())),
            ["/run/d.nes"]
        );
    }

    #[test]
    fn stops_at_the_depth_limit() {
        let deep = |levels: usize| format!("/r{}/x.nes", "/d".repeat(levels));
        let tree = MemoryTree::with(&[deep(DEPTH), deep(DEPTH + 1)]);
        let walk = walk(&tree, "/r", Path::new("/data"), &FolderSystems::default());
        assert_eq!(names(&walk), [deep(DEPTH)]);
        assert_eq!(walk.skipped, 1);
    }

    #[test]
    fn asks_once_a_folder_and_never_about_a_plain_file() {
        let paths: Vec<String> =
            (0..1_000).map(|n| format!("/r/{}/Game {n}.nes", n / 100)).collect();
        let tree = MemoryTree::with(&paths);
        assert_eq!(
            walk(&tree, "/r", Path::new("/data"), &FolderSystems::default()).files.len(),
            1_000
        );
        assert_eq!((tree.listings.get(), tree.looks.get(), tree.reads.get()), (11, 0, 0));
    }
}
