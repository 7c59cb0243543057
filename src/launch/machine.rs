//! The questions of plans and the doctor to a machine, and the answers of this one.
//!
//! [`Local`] asks each question once for the life of the value: an audit of a whole library starts no
//! more processes than a check of one game of each kind.

use std::{
    cell::{OnceCell, RefCell},
    collections::HashMap,
    ffi::{OsStr, OsString},
    fs,
    io::{BufReader, Read as _},
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
    sync::Arc,
};

use sha1::{Digest as _, Sha1};

use super::{
    archives::{self, Packed},
    cores,
    detection::Detector,
    mame,
};
use crate::{
    base::ids,
    files::source,
    formats::{m3u, sheet_text},
    model::emulators::{Catalog, Definition},
    probe::spelling,
    process::search,
};

/// Bytes of the largest file that is hashed; firmware is far smaller.
const HASHED_BYTES: u64 = 64 << 20;
/// Members of the largest archive that is listed.
const ZIP_MEMBERS: usize = 25_000;
/// Bytes of a playlist that are read; a real one is a few hundred.
const LIST_BYTES: u64 = 1 << 20;
/// What separates the name of an archive from that of a file in it.
const MEMBER: char = '#';

/// What is at a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Nothing.
    Nothing,
    /// A regular file, or a link to one.
    File,
    /// A folder.
    Folder,
    /// Something else.
    Other,
}

/// The state of the first disc of a playlist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstDisc {
    /// It is there, or only the emulator knows.
    There,
    /// Nothing is at its path.
    Gone(PathBuf),
    /// The playlist names no disc.
    Unnamed,
}

/// The questions about a machine. Answers may be kept for the life of the value.
pub trait Machine {
    /// The user's home folder.
    fn home(&self) -> &Path;
    /// What is there.
    fn kind(&self, path: &Path) -> Kind;
    /// Whether it is a file that starts by itself.
    fn starts_itself(&self, path: &Path) -> bool;
    /// Where a program is: a name is searched for in the folders of `search_path`, a relative path
    /// counts from `cwd`.
    fn find_program(&self, name: &OsStr, search_path: &OsStr, cwd: &Path) -> Option<PathBuf>;
    /// The emulator definitions.
    fn catalog(&self) -> &Catalog;
    /// The command of an emulator definition; `None` when it is not installed.
    fn command_of(&self, definition: &Definition) -> Option<String>;
    /// Whether a sandboxed package is installed.
    fn is_package(&self, app_id: &str) -> bool;
    /// What a sandboxed package may see; `None` when that is unknown.
    fn visible_folders(&self, app_id: &str) -> Option<Vec<String>>;
    /// Where the core with a file name is (`cores::Folders::find`).
    fn find_core(&self, name: &str) -> Option<PathBuf>;
    /// The installed core that does what a missing one should (`cores::Folders::instead`).
    fn core_instead(&self, missing: &Path, platform: &str) -> Option<PathBuf>;
    /// Whether any core is installed.
    fn has_cores(&self) -> bool;
    /// The folders of firmware of the multi-system emulator, the likely one first.
    fn system_folders(&self) -> Vec<PathBuf>;
    /// The folders in which MAME looks for sets; `None` when that is unknown.
    fn arcade_folders(&self) -> Option<Vec<PathBuf>>;
    /// Whether there is a file, or a folder with something in it.
    fn has_content(&self, path: &Path) -> bool;
    /// The SHA-1 of a file in lower-case hex; `None` when it cannot be read.
    fn sha1(&self, path: &Path) -> Option<String>;
    /// The names of the files in a ZIP archive; `None` when it cannot be read.
    fn zip_names(&self, path: &Path) -> Option<Vec<String>>;
    /// Whether the disc that a playlist names first is there.
    fn first_disc(&self, playlist: &Path) -> FirstDisc;
    /// Which file of an archive is played (`archives::played`).
    fn packed(&self, archive: &Path, member: &str) -> Option<Packed>;
    /// Why an archive cannot be extracted; `None` when nothing speaks against it.
    fn archive_fault(&self, path: &Path) -> Option<String>;
}

/// This machine.
pub struct Local<'a> {
    detector: &'a Detector,
    home: &'a Path,
    catalog: Arc<Catalog>,
    commands: RefCell<HashMap<String, Option<String>>>,
    /// By name and search path.
    programs: RefCell<HashMap<(OsString, OsString), Option<PathBuf>>>,
    packages: RefCell<HashMap<String, bool>>,
    folders: RefCell<HashMap<String, Option<Vec<String>>>>,
    core_folders: OnceCell<cores::Folders>,
    /// By missing core and platform.
    cores: RefCell<HashMap<(PathBuf, String), Option<PathBuf>>>,
    has_cores: OnceCell<bool>,
    arcade_folders: OnceCell<Option<Vec<PathBuf>>>,
    content: RefCell<HashMap<PathBuf, bool>>,
    hashes: RefCell<HashMap<PathBuf, Option<String>>>,
}

impl<'a> Local<'a> {
    /// Knows nothing yet.
    pub fn new(detector: &'a Detector, home: &'a Path) -> Self {
        Self {
            detector,
            home,
            catalog: detector.catalog(),
            commands: RefCell::default(),
            programs: RefCell::default(),
            packages: RefCell::default(),
            folders: RefCell::default(),
            core_folders: OnceCell::new(),
            cores: RefCell::default(),
            has_cores: OnceCell::new(),
            arcade_folders: OnceCell::new(),
            content: RefCell::default(),
            hashes: RefCell::default(),
        }
    }

    fn core_folders(&self) -> &cores::Folders {
        self.core_folders.get_or_init(|| cores::Folders::of(self.home, self.detector.config_home()))
    }
}

/// The kept answer, or a new one that is kept.
fn kept<K, Q, V>(answers: &RefCell<HashMap<K, V>>, key: &Q, ask: impl FnOnce() -> V) -> V
where
    K: std::borrow::Borrow<Q> + std::hash::Hash + Eq,
    Q: std::hash::Hash + Eq + ToOwned<Owned = K> + ?Sized,
    V: Clone,
{
    if let Some(answer) = answers.borrow().get(key) {
        return answer.clone();
    }
    let answer = ask();
    answers.borrow_mut().insert(key.to_owned(), answer.clone());
    answer
}

impl Machine for Local<'_> {
    fn home(&self) -> &Path {
        self.home
    }

    fn kind(&self, path: &Path) -> Kind {
        match fs::metadata(path) {
            Err(_) => Kind::Nothing,
            Ok(stat) if stat.is_file() => Kind::File,
            Ok(stat) if stat.is_dir() => Kind::Folder,
            Ok(_) => Kind::Other,
        }
    }

    fn starts_itself(&self, path: &Path) -> bool {
        search::starts_itself(path)
    }

    fn find_program(&self, name: &OsStr, search_path: &OsStr, cwd: &Path) -> Option<PathBuf> {
        let find = || search::find_program(name, search_path, cwd);
        let is_relative = name.as_encoded_bytes().contains(&b'/') && !Path::new(name).is_absolute();
        if is_relative {
            return find();
        }
        kept(&self.programs, &(name.to_owned(), search_path.to_owned()), find)
    }

    fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    fn command_of(&self, definition: &Definition) -> Option<String> {
        kept(&self.commands, definition.id.as_str(), || self.detector.command_of(definition))
    }

    fn is_package(&self, app_id: &str) -> bool {
        kept(&self.packages, app_id, || self.detector.is_package(app_id))
    }

    fn visible_folders(&self, app_id: &str) -> Option<Vec<String>> {
        kept(&self.folders, app_id, || self.detector.visible_folders(app_id))
    }

    fn find_core(&self, name: &str) -> Option<PathBuf> {
        self.core_folders().find(name)
    }

    fn core_instead(&self, missing: &Path, platform: &str) -> Option<PathBuf> {
        let key = (missing.to_owned(), platform.to_owned());
        kept(&self.cores, &key, || self.core_folders().instead(missing, platform))
    }

    fn has_cores(&self) -> bool {
        *self.has_cores.get_or_init(|| !self.core_folders().installed().is_empty())
    }

    fn system_folders(&self) -> Vec<PathBuf> {
        self.core_folders().system().to_vec()
    }

    fn arcade_folders(&self) -> Option<Vec<PathBuf>> {
        self.arcade_folders.get_or_init(|| mame::folders(self.home)).clone()
    }

    fn has_content(&self, path: &Path) -> bool {
        kept(&self.content, path, || match fs::metadata(path) {
            Ok(stat) if stat.is_dir() => {
                fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some())
            }
            Ok(stat) => stat.is_file(),
            Err(_) => false,
        })
    }

    fn sha1(&self, path: &Path) -> Option<String> {
        kept(&self.hashes, path, || {
            let file = source::open_regular(path).ok()?;
            if !file.metadata().is_ok_and(|stat| stat.is_file() && stat.len() <= HASHED_BYTES) {
                return None;
            }
            let mut bytes = Vec::new();
            file.take(HASHED_BYTES).read_to_end(&mut bytes).ok()?;
            Some(ids::hex(&Sha1::digest(&bytes)))
        })
    }

    fn first_disc(&self, playlist: &Path) -> FirstDisc {
        FirstDisc::of(playlist)
    }

    fn packed(&self, archive: &Path, member: &str) -> Option<Packed> {
        archives::played(archive, member)
    }

    fn archive_fault(&self, path: &Path) -> Option<String> {
        archives::check(path).err().map(|error| error.to_string())
    }

    fn zip_names(&self, path: &Path) -> Option<Vec<String>> {
        let zip = zip::ZipArchive::new(BufReader::new(source::open_regular(path).ok()?)).ok()?;
        if zip.len() > ZIP_MEMBERS {
            return None;
        }
        let name = |at: usize| Some(zip.by_index_data(at).ok()?.name().ok()?.into_owned());
        (0..zip.len())
            .map(name)
            .filter(|name| name.as_ref().is_none_or(|name| !name.ends_with('/')))
            .collect()
    }
}

impl FirstDisc {
    /// The first disc of the playlist at this path.
    pub fn of(playlist: &Path) -> Self {
        let mut bytes = Vec::new();
        let read = source::open_regular(playlist)
            .and_then(|file| file.take(LIST_BYTES).read_to_end(&mut bytes));
        if read.is_err() {
            return Self::There;
        }
        let entries = m3u::parse(&bytes);
        let Some(first) = entries.first() else { return Self::Unnamed };
        let folder = playlist.parent().unwrap_or(Path::new("/"));
        let is_there =
            |name: &OsString| spelling::on_disk(folder, Path::new(name)).metadata().is_ok();
        // Drives and servers have addresses of their own.
        if first.contains("://") || spellings(first).iter().any(is_there) {
            return Self::There;
        }
        Self::Gone(folder.join(first))
    }

    /// The name of the disc that is gone; blank when none is.
    pub fn name(&self) -> String {
        let Self::Gone(path) = self else { return String::new() };
        path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }
}

/// The names of files that an entry may mean. Lists made on Windows separate folders with backslashes, and
/// what is no UTF-8 in a list was read as Windows-1252, as which a name may be on the disk.
fn spellings(entry: &str) -> Vec<OsString> {
    let archive = entry.rsplit_once(MEMBER).map(|(archive, _)| archive);
    let mut all = Vec::new();
    for name in [Some(entry), archive].into_iter().flatten().filter(|name| !name.is_empty()) {
        all.extend([name.into(), name.replace('\\', "/").into()]);
        all.extend(sheet_text::other_bytes(name).into_iter().map(OsString::from_vec));
    }
    all
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::os::unix::ffi::OsStrExt as _;

    use super::*;

    #[test]
    fn the_first_entry_decides_as_emulators_read_it() {
        let guard = tempfile::tempdir().expect("a folder");
        let folder = guard.path();
        fs::create_dir(folder.join("Discs")).expect("made");
        for name in [
            &b"A.cue"[..],
            b"Discs/B.chd",
            b"back\\slash.cue",
            b"Pok\xe9mon.cue",
            b"It\x92s.cue",
            b"c.zip",
        ] {
            fs::write(folder.join(OsStr::from_bytes(name)), "x").expect("written");
        }
        let list = folder.join("list.M3U");
        let absolute = format!("{}/A.cue", folder.display());
        for (text, expected) in [
            (&b"A.cue\ngone.cue\n"[..], FirstDisc::There),
            (b"#EXTM3U\na.CUE|Disc 1\n", FirstDisc::There),
            (b"discs\\b.chd", FirstDisc::There),
            (b"back\\slash.cue", FirstDisc::There),
            (b"Pok\xe9mon.cue", FirstDisc::There),
            (b"It\x92s.cue", FirstDisc::There),
            (b"c.zip#in/a.cue", FirstDisc::There),
            (b"cdrom://drive1.cue", FirstDisc::There),
            (absolute.as_bytes(), FirstDisc::There),
            (b"gone.cue\nA.cue\n", FirstDisc::Gone(folder.join("gone.cue"))),
            (b"d.zip#A.cue", FirstDisc::Gone(folder.join("d.zip#A.cue"))),
            (b"/gone/a.cue", FirstDisc::Gone("/gone/a.cue".into())),
            (b"#EXTM3U\n\n", FirstDisc::Unnamed),
            (b"", FirstDisc::Unnamed),
        ] {
            fs::write(&list, text).expect("written");
            assert_eq!(FirstDisc::of(&list), expected, "{}", String::from_utf8_lossy(text));
        }
        assert_eq!(FirstDisc::of(&folder.join("none.m3u")), FirstDisc::There);
    }
}
