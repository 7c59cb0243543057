//! The folders in which other programs keep the pictures they take, and the pictures in them.

use std::{
    collections::HashSet,
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    time::SystemTime,
};

use crate::{base::schema::schema, files::source};

/// Extensions of pictures.
const ENDINGS: [&str; 6] = ["png", "jpg", "jpeg", "webp", "bmp", "gif"];
/// Folders below a root that are searched.
const DEPTH: usize = 8;
/// The most entries that are read in one root.
const ENTRIES: usize = 50_000;
/// Bytes of the settings of an emulator that are read.
const SETTINGS_BYTES: u64 = 1 << 20;
/// The client of a store, below the home folder.
const STORES: [&str; 2] = [".steam/steam", ".local/share/Steam"];
/// RetroArch, below the home folder.
const RETROARCH: [&str; 2] = [".config/retroarch/screenshots", "RetroArch/screenshots"];
/// Dolphin, below the home folder.
const DOLPHIN: [&str; 2] = [".local/share/dolphin-emu/ScreenShots", "Dolphin Emulator/ScreenShots"];

/// A picture in one of the folders.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Picture {
    pub(super) path: PathBuf,
    pub(super) source: &'static str,
    /// The id of the game that its folder names; empty without one.
    pub(super) id: String,
    pub(super) size: u64,
    pub(super) modified: SystemTime,
}

schema! {
    /// A folder that was not searched.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct SkippedRoot {
        path: String,
        /// `missing`, `unreadable` or `scan_failed`.
        reason: &'static str,
    }
}

/// What the folders hold.
#[derive(Debug, Default)]
pub(super) struct Scan {
    pub(super) pictures: Vec<Picture>,
    pub(super) roots: usize,
    pub(super) skipped: Vec<SkippedRoot>,
    seen: HashSet<PathBuf>,
}

/// Searches the folders of known programs and those of the settings.
pub(super) fn scan(home: &Path, config_home: &Path, configured: &[String]) -> Scan {
    let mut scan = Scan::default();
    for store in STORES {
        scan.store(&home.join(store));
    }
    for folder in retroarch(home, config_home) {
        scan.root(&folder, "retroarch", false);
    }
    for folder in DOLPHIN {
        scan.root(&home.join(folder), "dolphin", false);
    }
    for folder in configured {
        scan.root(Path::new(folder), "custom", true);
    }
    // The newest first: the bounds of an import never keep a new picture out.
    scan.pictures.sort_by(|one, other| {
        other.modified.cmp(&one.modified).then_with(|| one.path.cmp(&other.path))
    });
    scan
}

impl Scan {
    /// The pictures of a store: a folder for each user and game.
    fn store(&mut self, store: &Path) {
        let Ok(users) = fs::read_dir(store.join("userdata")) else { return };
        for user in users.take(ENTRIES).filter_map(Result::ok) {
            let Ok(games) = fs::read_dir(user.path().join("760/remote")) else { continue };
            for game in games.take(ENTRIES).filter_map(Result::ok) {
                let folder = game.path().join("screenshots");
                if !folder.is_dir() || !self.is_new(&folder) {
                    continue;
                }
                self.roots += 1;
                let id = game.file_name().to_string_lossy().into_owned();
                // Smaller copies lie in a folder below.
                let mut left = ENTRIES;
                self.search(&folder, "store_a", &id, DEPTH, &mut left);
            }
        }
    }

    fn root(&mut self, folder: &Path, source: &'static str, is_named: bool) {
        let mut skip = |reason| {
            if is_named {
                let path = folder.to_string_lossy().into_owned();
                self.skipped.push(SkippedRoot { path, reason });
            }
        };
        match fs::metadata(folder) {
            Err(_) => return skip("missing"),
            Ok(found) if !found.is_dir() => return skip("missing"),
            Ok(_) => {}
        }
        if fs::read_dir(folder).is_err() {
            return skip("unreadable");
        }
        if !self.is_new(folder) {
            return;
        }
        self.roots += 1;
        let mut left = ENTRIES;
        self.search(folder, source, "", 0, &mut left);
    }

    /// Whether a folder was not searched under another name.
    fn is_new(&mut self, folder: &Path) -> bool {
        let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
        self.seen.insert(real)
    }

    fn search(
        &mut self,
        folder: &Path,
        source: &'static str,
        id: &str,
        depth: usize,
        left: &mut usize,
    ) {
        let Ok(entries) = fs::read_dir(folder) else { return };
        for entry in entries.filter_map(Result::ok) {
            if *left == 0 {
                return;
            }
            *left -= 1;
            let path = entry.path();
            let Ok(found) = fs::symlink_metadata(&path) else { continue };
            if found.is_dir() && depth < DEPTH {
                let name = entry.file_name().to_string_lossy().into_owned();
                let id = if source == "dolphin" && depth == 0 { name.as_str() } else { id };
                self.search(&path, source, id, depth + 1, left);
                continue;
            }
            let end = path.extension().map(|end| end.to_string_lossy().to_lowercase());
            if !found.is_file() || end.is_none_or(|end| !ENDINGS.contains(&end.as_str())) {
                continue;
            }
            let modified = found.modified().unwrap_or(SystemTime::UNIX_EPOCH);
            let (id, size) = (id.to_owned(), found.len());
            self.pictures.push(Picture { path, source, id, size, modified });
        }
    }
}

/// The folder that the settings of RetroArch name, else its usual ones.
fn retroarch(home: &Path, config_home: &Path) -> Vec<PathBuf> {
    let settings = config_home.join("retroarch/retroarch.cfg");
    let mut text = String::new();
    let read = source::open_regular(&settings)
        .and_then(|file| file.take(SETTINGS_BYTES).read_to_string(&mut text));
    let named = text.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == "screenshot_directory").then(|| value.trim().trim_matches('"').to_owned())
    });
    let named = named.filter(|_| read.is_ok()).and_then(|named| match named.strip_prefix("~/") {
        Some(below) => Some(home.join(below)),
        None => Some(PathBuf::from(named)).filter(|path| path.is_absolute()),
    });
    match named {
        Some(named) => vec![named],
        None => RETROARCH.iter().map(|folder| home.join(folder)).collect(),
    }
}
