//! Frames around the picture of a game (`POST /api/bezels/download`).
//!
//! The archive of a platform is loaded into a file, checked as a whole, unpacked next to the bezels that are
//! there, and swapped with them in one step. Whatever fails, and whenever the program is killed, the old
//! ones or the new ones are there.
//!
//! | file | what it does |
//! |---|---|
//! | `platforms` | which platforms have bezels |
//! | `layout` | what of an archive is kept, and where it goes |
//! | `unpack` | reading an archive |
//! | `error` | why there are none |

use std::{
    ffi::OsStr,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use crate::{
    config::data_dir::DataDir,
    feature::Deps,
    files::{
        DiskError, Files, space,
        temp::{self, temporary_name},
    },
    providers::{BEZELS, BEZELS_ARCHIVES, Providers, Request, error::Cancel},
};

pub mod error;

mod layout;
mod platforms;
mod unpack;

pub use self::error::BezelError;

/// Bytes of the largest archive.
const ARCHIVE_BYTES: u64 = 512 << 20;
/// From the connection to the last byte.
const TIMEOUT: Duration = Duration::from_mins(2);
/// How every archive begins.
const SIGNATURE: &[u8] = b"PK\x03\x04";

/// How the name of old bezels ends while they stand aside, before what makes it a temporary one.
const ASIDE: &str = ".old";

/// Puts bezels back that stand aside because a swap was cut off before the new ones took their place. Runs
/// before leftovers are removed.
pub fn recover(files: &Files, data_dir: &DataDir) {
    let root = data_dir.bezels();
    let put_back = || {
        for name in files.list(&root)? {
            let of = temp::destination_of(name.as_bytes());
            let of = of.and_then(|of| of.strip_suffix(ASIDE.as_bytes())).map(OsStr::from_bytes);
            if let Some(folder) = of.map(|of| root.join(of))
                && files.stat(&folder)?.is_none()
            {
                files.rename(&root.join(&name), &folder)?;
            }
        }
        Ok::<_, DiskError>(())
    };
    if let Err(error) = put_back() {
        log::warn!("bezels that stand aside were not put back: {error}");
    }
}

/// Downloads bezels.
pub struct Bezels {
    providers: Arc<Providers>,
    files: Files,
    data_dir: DataDir,
    /// Held while bezels are downloaded: archives are large.
    turn: Mutex<()>,
    is_stopping: AtomicBool,
}

impl Bezels {
    /// Bezels of this data directory.
    pub fn new(deps: &Deps, providers: &Arc<Providers>) -> Self {
        Self {
            providers: Arc::clone(providers),
            files: deps.files.clone(),
            data_dir: deps.data_dir.clone(),
            turn: Mutex::default(),
            is_stopping: AtomicBool::new(false),
        }
    }

    /// Ends a running download, so that no thread waits for it.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::SeqCst);
    }

    /// Downloads the bezels of a platform in place of those that are there; the folder that holds them.
    ///
    /// # Errors
    /// [`BezelError`]; then those that are there stay.
    pub fn download(&self, platform: &str) -> Result<PathBuf, BezelError> {
        let archive = platforms::archive_of(platform).ok_or(BezelError::UnknownPlatform)?;
        let _turn = match self.turn.try_lock() {
            Err(TryLockError::WouldBlock) => return Err(BezelError::Busy),
            // OK because the lock guards no data.
            Err(TryLockError::Poisoned(turn)) => turn.into_inner(),
            Ok(turn) => turn,
        };
        let begun = Instant::now();
        let is_stopping = || self.is_stopping.load(Ordering::SeqCst);
        let cancel = || begun.elapsed() > TIMEOUT || is_stopping();
        let folder = self.data_dir.bezels().join(platforms::folder_of(platform));
        self.files.private_dir(&self.data_dir.bezels())?;
        let beside = |ending: &str| {
            let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
            folder.with_file_name(temporary_name(format!("{name}{ending}").as_ref()))
        };
        let loaded = Unfinished { files: &self.files, path: beside(".zip") };
        self.load(archive, &loaded.path, &cancel)?;
        let staged = Unfinished { files: &self.files, path: beside("") };
        self.files.private_dir(&staged.path)?;
        unpack::unpack(&self.files, &loaded.path, &staged.path, &folder, &is_stopping)?;
        swap(&self.files, &staged.path, &folder, &beside(ASIDE))?;
        Ok(folder)
    }

    /// Loads an archive into a file.
    fn load(&self, archive: &str, path: &Path, cancel: Cancel<'_>) -> Result<(), BezelError> {
        let request = Request {
            provider: &BEZELS,
            base_url: BEZELS_ARCHIVES,
            path: &format!("/bezelproject-{archive}/zip/refs/heads/master"),
            headers: Vec::new(),
            timeout: TIMEOUT,
        };
        let stream = self.providers.open(&request, cancel)?;
        let head = stream.head();
        if head.status != 200 {
            let answer = format!("the server answered {} {}", head.status, head.reason);
            return Err(BezelError::Failed(answer));
        }
        if head.is_page() {
            return Err(BezelError::Failed("the server sent a web page".to_owned()));
        }
        let length = head.length().unwrap_or(0);
        if length > ARCHIVE_BYTES {
            return Err(BezelError::TooLarge(ARCHIVE_BYTES));
        }
        self.check_room(length)?;
        let mut file = self.files.append_or_create(path)?;
        let mut received = 0;
        while let Some(piece) = stream.next(cancel)? {
            if received == 0 && !piece.starts_with(SIGNATURE) {
                return Err(BezelError::Damaged);
            }
            received += piece.len() as u64;
            if received > ARCHIVE_BYTES {
                return Err(BezelError::TooLarge(ARCHIVE_BYTES));
            }
            file.append(&piece)?;
        }
        if received == 0 { Err(BezelError::Damaged) } else { Ok(()) }
    }

    /// Refuses what would not fit.
    fn check_room(&self, needed: u64) -> Result<(), BezelError> {
        match space::free_bytes(&self.data_dir.bezels()) {
            Some(free) if free < needed => Err(BezelError::NoRoom),
            _ => Ok(()),
        }
    }
}

/// Puts the new bezels in the place of the old ones. Where the file system cannot swap two folders, the
/// old ones step aside first; [`recover`] puts them back after a kill in between.
fn swap(files: &Files, staged: &Path, folder: &Path, aside: &Path) -> Result<(), BezelError> {
    if files.stat(folder)?.is_none() {
        return Ok(files.rename(staged, folder)?);
    }
    match files.exchange(staged, folder) {
        Err(error) if error.is_unsupported() => {}
        done => return Ok(done?),
    }
    files.rename(folder, aside)?;
    if let Err(error) = files.rename(staged, folder) {
        files.rename(aside, folder)?;
        return Err(error.into());
    }
    Ok(files.remove_tree(aside)?)
}

/// A file or folder under a temporary name, removed when it is dropped.
struct Unfinished<'a> {
    files: &'a Files,
    path: PathBuf,
}

impl Drop for Unfinished<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.files.remove_tree(&self.path) {
            log::warn!("an unfinished download stays until the next start: {error}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::failing::{FailingDisk, Fault};

    /// A disk that dies between two renames leaves what a kill leaves.
    #[test]
    fn bezels_that_stand_aside_come_back() {
        for call in 1.. {
            let home = tempfile::tempdir().expect("a folder");
            let data = DataDir::at(home.path().to_owned());
            let system = Files::system();
            let folder = data.bezels().join("SNES");
            let beside =
                |ending| folder.with_file_name(temporary_name(format!("SNES{ending}").as_ref()));
            let staged = beside("");
            for (path, content) in [(&folder, b"old"), (&staged, b"new")] {
                system.private_dir(path).expect("made");
                system.replace(&path.join("a.png"), content).expect("written");
            }
            let disk = Arc::new(FailingDisk::new(call, Fault::ForEver));
            disk.forbid_exchange();
            let files = Files::over(Arc::<FailingDisk>::clone(&disk));
            let outcome = swap(&files, &staged, &folder, &beside(ASIDE));
            recover(&system, &data);
            let there = std::fs::read(folder.join("a.png")).expect("old or new bezels");
            assert!(there == b"old" || there == b"new", "{call}");
            if outcome.is_ok() {
                assert!(there == b"new" && !disk.has_failed());
                return;
            }
        }
    }
}
