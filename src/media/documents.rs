//! Manuals, maps and other documents of a game or of a platform (`GET /api/document`, `GET
//! /api/platform/document`).
//!
//! A document is served only when a record or the settings name it, when it lies where documents
//! may lie ([`Places`]), and when no part of its path is a symbolic link; the kernel refuses links
//! while it opens. Documents from elsewhere are copied to the media folder.

use std::{
    fs::{self, File},
    io::{self, Read as _},
    path::{Component, Path, PathBuf},
};

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    base::ids::hex,
    config::settings::read,
    files::{DiskError, Files, confine},
    game::{
        InputError,
        clean::{self, Paths, refuse},
        path_checks::absolute,
    },
    media::serve::MediaFile,
    model::{Draft, Game, State},
    probe::media_roots::{self, MediaRoots},
    store::{Committed, Store},
};

/// The largest document that is copied, in bytes.
const LARGEST: u64 = 256 << 20;

/// Extensions of documents. Folders of games also hold settings and credentials of other programs, so
/// nothing else is served from them.
const ENDINGS: [&str; 30] = [
    "avif", "bmp", "cb7", "cbr", "cbz", "djv", "djvu", "doc", "docx", "epub", "gif", "htm", "html",
    "jpeg", "jpg", "markdown", "md", "mobi", "nfo", "odt", "pdf", "png", "rtf", "svg", "text",
    "tif", "tiff", "txt", "webp", "xhtml",
];

/// Where documents may lie: below the media roots, and next to games: in the folder of the game and
/// in watched and scanned folders. Next to games no hidden file is a document, nothing of the data
/// directory, and nothing without an extension of [`ENDINGS`].
pub struct Places<'a> {
    roots: &'a MediaRoots,
    data_dir: &'a Path,
    folders: Vec<PathBuf>,
}

impl<'a> Places<'a> {
    /// The places for a game with this path; blank for a platform.
    pub fn of(roots: &'a MediaRoots, data_dir: &'a Path, state: &State, game: &str) -> Self {
        let scanned = read::value(state.settings(), "emulator_scan_configs");
        let scanned = scanned.as_array().into_iter().flatten();
        let scanned = scanned.filter_map(|row| row.get("folder")?.as_str());
        let watched = read::texts(state.settings(), "watch_folders");
        let listed = watched.iter().map(String::as_str).chain(scanned).map(PathBuf::from);
        let beside = Path::new(game).parent().map(Path::to_owned);
        let folders = listed.chain(beside).filter(|folder| folder.parent().is_some()).collect();
        Self { roots, data_dir, folders }
    }

    /// Whether a document may be stored that lies there; it need not exist.
    pub fn approve(&self, path: &str) -> bool {
        let free = || confine::refuse_link_on_the_way(Path::new(path)).is_ok();
        self.roots.approve(path).is_ok() || (self.is_beside_games(path) && free())
    }

    fn open(&self, path: &str) -> Option<File> {
        if self.roots.covers(path) {
            return self.roots.open(path).ok();
        }
        let beside = self.is_beside_games(path);
        beside.then(|| media_roots::open_without_links(path).ok()).flatten()
    }

    fn is_beside_games(&self, path: &str) -> bool {
        let path = Path::new(path);
        is_document(path)
            && !is_of_service(path, self.data_dir)
            && self.folders.iter().any(|folder| {
                confine::is_strictly_inside(folder, path)
                    && path.strip_prefix(folder).is_ok_and(|rest| !is_hidden(rest))
            })
    }
}

fn is_document(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str()).map(str::to_ascii_lowercase);
    ending.is_some_and(|ending| ENDINGS.binary_search(&ending.as_str()).is_ok())
}

fn is_hidden(rest: &Path) -> bool {
    rest.components().any(|part| match part {
        Component::Normal(name) => name.as_encoded_bytes().starts_with(b"."),
        _ => true,
    })
}

/// Whether a path leads into the data directory, however that is spelled.
fn is_of_service(path: &Path, data_dir: &Path) -> bool {
    let real = data_dir.canonicalize().ok();
    path.starts_with(data_dir) || real.is_some_and(|real| path.starts_with(real))
}

/// Why a document is not copied.
#[derive(Debug, thiserror::Error)]
pub enum DocumentFailure {
    /// The path does not begin at the root or the home directory.
    #[error("Paths must be absolute.")]
    Relative,
    #[error("There is no document at this path that can be read.")]
    Missing,
    /// It has none of [`ENDINGS`].
    #[error("A file at this path cannot be a document: only texts, pictures and books can.")]
    Ending,
    /// It lies in the data directory.
    #[error("The path leads to files of the service itself.")]
    OfService,
    /// It is larger than [`LARGEST`].
    #[error("The document is larger than 256 MiB.")]
    TooLarge,
    #[error("The document could not be copied: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// Copies a document into `folder`, below a folder with the name of its content, and returns its
/// path: `POST /api/document/adopt`. One that may stay where it is does. `~` is the home directory.
///
/// # Errors
/// [`DocumentFailure`]; no document was made then.
pub fn adopt(
    files: &Files,
    places: &Places<'_>,
    folder: &Path,
    wanted: &str,
    home: &Path,
) -> Result<PathBuf, DocumentFailure> {
    let wanted = absolute(wanted.trim(), home).ok_or(DocumentFailure::Relative)?;
    if wanted.to_str().is_some_and(|path| places.approve(path)) {
        return Ok(wanted);
    }
    let missing = |_: io::Error| DocumentFailure::Missing;
    let source = fs::canonicalize(&wanted).map_err(missing)?;
    if is_of_service(&source, places.data_dir) {
        return Err(DocumentFailure::OfService);
    }
    let name = wanted.file_name().filter(|_| is_document(&wanted) && is_document(&source));
    let name = name.ok_or(DocumentFailure::Ending)?;
    // Without links from here on: what was checked is what is read.
    let source = source.to_str().and_then(|path| media_roots::open_without_links(path).ok());
    let source = source.ok_or(DocumentFailure::Missing)?;
    if source.metadata().map_err(missing)?.len() > LARGEST {
        return Err(DocumentFailure::TooLarge);
    }
    files.private_dir(folder)?;
    let mut digest = Sha256::new();
    let mut copy = files.write_beside(&folder.join(name), |sink| {
        let mut piece = vec![0; 1 << 16];
        let mut source = source.take(LARGEST);
        loop {
            match source.read(&mut piece)? {
                0 => return Ok(()),
                read => {
                    digest.update(&piece[..read]);
                    sink.write_all(&piece[..read])?;
                }
            }
        }
    })?;
    let own = folder.join(hex(&digest.finalize()[..16]));
    files.private_dir(&own)?;
    let path = own.join(name);
    copy.persist(&path)?;
    files.sync_dir(&own)?;
    Ok(path)
}

const SETTING: &str = "platform_documents";

/// Opens the document of a game at `index`.
pub fn open(game: &Game, index: usize, places: &Places<'_>) -> Option<MediaFile> {
    let record = game.record();
    open_entry(record.list("documents").get(index)?, places)
}

/// Opens the document of a platform at `index`.
pub fn open_of_platform(
    state: &State,
    platform: &str,
    index: usize,
    places: &Places<'_>,
) -> Option<MediaFile> {
    open_entry(of_platform(state, platform).as_array()?.get(index)?, places)
}

fn open_entry(entry: &Value, places: &Places<'_>) -> Option<MediaFile> {
    let path = entry.get("path")?.as_str()?;
    MediaFile::of(places.open(path)?, path)
}

/// The documents of every platform that has some.
pub fn by_platform(state: &State) -> Map<String, Value> {
    let stored = state.settings().get(SETTING).and_then(Value::as_object);
    stored.cloned().unwrap_or_default()
}

/// The documents of one platform: a list of `{name, path}`.
pub fn of_platform(state: &State, platform: &str) -> Value {
    let stored = state.settings().get(SETTING).and_then(|documents| documents.get(platform));
    stored.filter(|list| list.is_array()).cloned().unwrap_or_else(|| Value::Array(Vec::new()))
}

/// Checks the documents of a platform; entries without a path are left out, a missing name is the
/// stem of the path. `known` are those it has.
///
/// # Errors
/// When it is not a list, holds more than a hundred entries, a path is relative, or a new one lies in
/// no approved folder.
pub fn read(
    posted: Option<&Value>,
    known: &Value,
    paths: &dyn Paths,
) -> Result<Vec<Value>, InputError> {
    let list = match posted {
        Some(Value::Array(list)) => list.as_slice(),
        // A missing list is not an empty one: what is stored goes only when that is asked for.
        _ => return refuse("Documents must be a list."),
    };
    let named = |entry: &&Value| {
        let path = entry.get("path").unwrap_or(&Value::Null);
        !entry.is_object()
            || !(path.is_null() || path.as_str().is_some_and(|path| path.trim().is_empty()))
    };
    let kept: Vec<Value> = list.iter().filter(named).cloned().collect();
    let clean = clean::clean_extras(&kept.into(), false, paths)?;
    let clean = clean.as_array().cloned().unwrap_or_default();
    let known = known.as_array().map_or(&[][..], Vec::as_slice);
    clean::check_documents(&clean, known, "", paths)?;
    Ok(clean)
}

/// Replaces the documents of a platform, in one commit.
pub fn save(store: &Store, platform: &str, documents: Vec<Value>) -> Committed<()> {
    store.change(|draft| replace(draft, platform, documents))
}

fn replace(draft: &mut Draft, platform: &str, documents: Vec<Value>) {
    let mut all = by_platform(draft.state());
    if documents.is_empty() {
        all.remove(platform);
    } else {
        all.insert(platform.to_owned(), documents.into());
    }
    let mut set = Map::new();
    set.insert(SETTING.to_owned(), all.into());
    draft.merge_section("settings", set, &[]);
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;
    use crate::files::testing;

    struct House {
        _folder: tempfile::TempDir,
        base: PathBuf,
        data: PathBuf,
        state: State,
        roots: MediaRoots,
    }

    /// A library that watches `watched` and scans `scanned`, and files and links around it.
    fn house() -> House {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("real");
        let files = "data/media/m.pdf data/server.token data/notes.txt games/a.nes games/a.pdf \
            games/.env.txt games/.hidden/a.pdf games/deep/a.TXT games/config watched/w.md \
            scanned/s.html else/e.pdf else/key";
        for name in files.split_whitespace() {
            testing::put(base.join(name), name);
        }
        for (target, link) in [
            ("else/e.pdf", "games/link.pdf"),
            ("else", "games/way"),
            ("else/key", "else/key.txt"),
            ("data/notes.txt", "else/state.txt"),
        ] {
            symlink(base.join(target), base.join(link)).expect("link");
        }
        let library = json!({"games": [], "settings": {"watch_folders": [base.join("watched"), "/"],
            "emulator_scan_configs": [{"folder": base.join("scanned")}, {"folder": 5}]}});
        let state = crate::store::exchange::read_state(library.to_string().as_bytes());
        let (state, data) = (state.expect("a library"), base.join("data"));
        let roots = MediaRoots::new(&data, &[]);
        House { _folder: folder, base, data, state, roots }
    }

    impl House {
        fn places(&self, game: &str) -> Places<'_> {
            let game = self.base.join(game);
            Places::of(&self.roots, &self.data, &self.state, game.to_str().expect("text"))
        }

        #[track_caller]
        fn check(&self, game: &str, paths: &str, expected: bool) {
            let places = self.places(game);
            for path in paths.split_whitespace() {
                let path = self.base.join(path);
                let path = path.to_str().expect("text");
                assert_eq!(places.approve(path), expected, "{path}");
                assert_eq!(places.open(path).is_some(), expected, "{path}");
            }
        }
    }

    #[test]
    fn documents_lie_in_approved_folders() {
        let house = house();
        let fine = "data/media/m.pdf games/a.pdf games/deep/a.TXT watched/w.md scanned/s.html";
        house.check("games/a.nes", fine, true);
        let other = "data/server.token data/notes.txt games/a.nes games/.env.txt games/config \
            games/.hidden/a.pdf games/link.pdf games/way/e.pdf games/../else/e.pdf else/e.pdf";
        house.check("games/a.nes", other, false);
        for game in ["a.nes", "data/a.nes", "/a.nes", ""] {
            house.check(game, "data/server.token data/notes.txt", false);
        }
        assert!(ENDINGS.is_sorted());
    }

    #[test]
    fn documents_from_elsewhere_are_copied() {
        let house = house();
        let (places, own) = (house.places("games/a.nes"), house.data.join("media/documents"));
        let take = |path: &str| adopt(&Files::system(), &places, &own, path, &house.base);
        let taken = take("~/else/e.pdf").expect("copied");
        assert!(taken.starts_with(&own) && taken.ends_with("e.pdf"));
        assert_eq!(fs::read(&taken).expect("there"), b"else/e.pdf");
        assert_eq!(take("~/games/way/e.pdf").expect("copied"), taken);
        assert_eq!(take("~/games/a.pdf").expect("approved"), house.base.join("games/a.pdf"));
        let large = File::create(house.base.join("else/large.pdf")).expect("file");
        large.set_len(LARGEST + 1).expect("length");
        let ending =
            "A file at this path cannot be a document: only texts, pictures and books can.";
        let own_file = "The path leads to files of the service itself.";
        for (path, expected) in [
            ("else/e.pdf", "Paths must be absolute."),
            ("~/else/none.pdf", "There is no document at this path that can be read."),
            ("~/else", ending),
            ("~/else/key.txt", ending),
            ("~/data/notes.txt", own_file),
            ("~/else/state.txt", own_file),
            ("~/else/large.pdf", "The document is larger than 256 MiB."),
        ] {
            assert_eq!(take(path).expect_err(path).to_string(), expected, "{path}");
        }
        assert_eq!(fs::read_dir(&own).expect("folder").count(), 1);
    }
}
