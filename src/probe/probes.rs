//! The probe cache: what is on disk, answered from folder listings instead of a `stat` a game.
//!
//! Owns one [`Folder`] for every parent folder that was asked about. Nothing is read before it is
//! asked for. A folder is checked again when a caller asks for an answer no older than a given moment, and then costs
//! one `stat` of the folder itself unless it changed. `readers` does the reading and the waiting.

use std::{
    collections::HashSet,
    hash::RandomState,
    sync::{
        Arc, Mutex, RwLock, RwLockReadGuard,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use hashbrown::HashMap;

use super::{
    found_saves::{FoundSaves, SaveScan, SaveWatch},
    listing::{Listing, Presence},
    media_roots::MediaRoots,
    readers::{ReadTarget, Readers, Turn},
};

use crate::base::{Hold as _, HoldShared as _};

pub use super::readers::Stamp;

/// How long one request waits for folders that were never read.
pub const FIRST_PATIENCE: Duration = Duration::from_secs(5);
/// Folders that are kept although no answer hangs on them.
const SPARE_FOLDERS: usize = 1_024;

/// What all folders share.
#[derive(Debug)]
struct Ground {
    roots: Arc<MediaRoots>,
    hasher: RandomState,
    epoch: AtomicU64,
    read: fn(&str, &MediaRoots, &RandomState) -> Listing,
}

/// One folder and the last reading of it.
#[derive(Debug)]
pub struct Folder {
    path: Box<str>,
    ground: Arc<Ground>,
    listing: Mutex<Option<Arc<Listing>>>,
    generation: AtomicU64,
    turn: Turn,
}

impl Folder {
    /// Counted up whenever a reading found something else than the one before.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn latest(&self) -> Option<Arc<Listing>> {
        self.listing.hold().clone()
    }

    /// The answers of this folder now.
    pub fn view(self: &Arc<Self>) -> View {
        View { folder: Arc::clone(self), listing: self.latest() }
    }
}

impl ReadTarget for Folder {
    fn turn(&self) -> &Turn {
        &self.turn
    }

    fn path(&self) -> &str {
        &self.path
    }

    /// Reads the folder when it is not what was read before.
    fn look(&self) {
        let before = self.latest();
        if before.as_ref().is_some_and(|listing| listing.stands(&self.path)) {
            return;
        }
        let ground = &self.ground;
        let after = Arc::new((ground.read)(&self.path, &ground.roots, &ground.hasher));
        let same = before.is_some_and(|before| before.holds_the_same(&after));
        *self.listing.hold() = Some(after);
        if !same {
            self.generation.fetch_add(1, Ordering::AcqRel);
            ground.epoch.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// The answers of one folder at one moment.
#[derive(Debug)]
pub struct View {
    folder: Arc<Folder>,
    listing: Option<Arc<Listing>>,
}

impl View {
    /// Whether a media folder is reached through a symbolic link.
    pub fn is_linked(&self) -> bool {
        self.listing.as_ref().is_some_and(|listing| listing.is_linked())
    }

    /// What stands under a name; nothing when the folder was never read.
    pub fn look(&self, name: &str) -> Presence {
        self.listing.as_ref().map_or(Presence::Nothing, |listing| {
            listing.look(&self.folder.path, name, &self.folder.ground.hasher)
        })
    }
}

type Folders = HashMap<Box<str>, Arc<Folder>>;

/// The cache. Dropping it ends its threads, except those that hang in the kernel.
#[derive(Debug)]
pub struct Probes {
    ground: Arc<Ground>,
    readers: Readers<Folder>,
    folders: RwLock<Folders>,
    kept: AtomicUsize,
    saves: SaveWatch,
}

impl Probes {
    /// An empty cache. Reads nothing and starts no thread.
    pub fn new(roots: Arc<MediaRoots>) -> Self {
        Self::reading_with(roots, Listing::read)
    }

    fn reading_with(
        roots: Arc<MediaRoots>,
        read: fn(&str, &MediaRoots, &RandomState) -> Listing,
    ) -> Self {
        let ground = Ground { roots, hasher: RandomState::new(), epoch: AtomicU64::new(0), read };
        Self {
            ground: Arc::new(ground),
            readers: Readers::new(),
            folders: RwLock::default(),
            kept: AtomicUsize::new(0),
            saves: SaveWatch::default(),
        }
    }

    /// The approved media roots the cache was made with.
    pub fn roots(&self) -> &MediaRoots {
        &self.ground.roots
    }

    /// Now, to ask for answers that are no older.
    pub fn now(&self) -> Stamp {
        self.readers.now()
    }

    /// Counted up whenever any folder or the saves were found changed; equal values mean equal answers.
    pub fn epoch(&self) -> u64 {
        self.ground.epoch.load(Ordering::Acquire)
    }

    /// The folders at these paths, new ones unread.
    pub fn folders(&self, paths: &[&str]) -> Vec<Arc<Folder>> {
        let known = self.known();
        let found: Vec<_> = paths.iter().map(|path| known.get(*path).cloned()).collect();
        drop(known);
        let find = |(path, folder): (&&str, Option<Arc<Folder>>)| {
            folder.unwrap_or_else(|| {
                let mut folders = self.folders.hold_write();
                let make = || Arc::new(self.new_folder(path));
                Arc::clone(folders.entry((*path).into()).or_insert_with(make))
            })
        };
        paths.iter().zip(found).map(find).collect()
    }

    fn new_folder(&self, path: &str) -> Folder {
        Folder {
            path: path.into(),
            ground: Arc::clone(&self.ground),
            listing: Mutex::new(None),
            generation: AtomicU64::new(0),
            turn: Turn::default(),
        }
    }

    /// Makes the readings of these folders no older than `since`, as far as that is possible before
    /// the deadline and without waiting for folders that hang.
    pub fn ensure(&self, folders: &[Arc<Folder>], since: Stamp, deadline: Instant) {
        self.readers.ensure(folders, since, deadline);
    }

    /// Which of these paths exist, looked up now; each folder is read at most once.
    pub fn existing<'a>(&self, paths: &[&'a str]) -> HashSet<&'a str> {
        let parts: Vec<_> = paths.iter().map(|path| split(path)).collect();
        let folders: Vec<&str> = parts.iter().map(|(folder, _)| *folder).collect();
        let folders = self.folders(&folders);
        self.ensure(&folders, self.now(), Instant::now() + FIRST_PATIENCE);
        let found = paths
            .iter()
            .zip(&parts)
            .zip(&folders)
            .filter(|((_, (_, name)), folder)| folder.view().look(name) != Presence::Nothing);
        found.map(|((path, _), _)| *path).collect()
    }

    /// Checks every known folder again when it is time to. Returns at once when it is not, and
    /// after a short wait at the latest.
    pub fn refresh(&self) {
        self.readers.refresh(|| self.known().values().cloned().collect());
    }

    /// Sets the function that searches saves.
    pub fn look_for_saves_with(&self, scan: SaveScan) {
        self.saves.take_looks_with(scan);
    }

    /// Begins to look for the saves of games, so that the first request finds them, and returns at once.
    pub fn begin_saves(&self) {
        self.saves.begin();
    }

    /// Searches the saves of games when the last search is older than two seconds or was forgotten.
    pub fn refresh_saves(&self) {
        if self.saves.refresh() {
            self.ground.epoch.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Games changed, or saves were looked for: the next search of saves does not wait for the last one to age.
    pub fn forget_saves(&self) {
        self.saves.forget();
    }

    /// The saves that the last look found.
    pub fn saves(&self) -> Arc<FoundSaves> {
        self.saves.found()
    }

    /// The file at a path came, went or changed by this program's own hand: every answer that depends on its folder
    /// checks it again.
    pub fn forget(&self, path: &str) {
        let (folder, _) = split(path);
        if let Some(folder) = self.known().get(folder) {
            folder.turn.forget();
            folder.generation.fetch_add(1, Ordering::AcqRel);
            self.ground.epoch.fetch_add(1, Ordering::AcqRel);
        }
    }

    /// Drops folders no answer hangs on, once there are many of them.
    pub fn prune(&self) {
        let mut folders = self.folders.hold_write();
        if folders.len() > 2 * self.kept.load(Ordering::Relaxed) + SPARE_FOLDERS {
            folders.retain(|_, folder| Arc::strong_count(folder) > 1);
            self.kept.store(folders.len(), Ordering::Relaxed);
        }
    }

    fn known(&self) -> RwLockReadGuard<'_, Folders> {
        self.folders.hold_read()
    }
}

/// The folder of a path and the name in it. Slashes at the end are not a part of the name.
pub fn split(path: &str) -> (&str, &str) {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((folder, name)) => (folder, name),
        None => ("", path),
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files themselves")]
mod tests {
    use std::{fs, path::Path, sync::Condvar};

    use super::*;

    fn probes(base: &Path) -> Probes {
        Probes::new(Arc::new(MediaRoots::new(base, &[])))
    }

    fn exists(probes: &Probes, path: &Path) -> bool {
        let path = path.to_str().expect("text");
        probes.existing(&[path]).contains(path)
    }

    #[test]
    fn splits_paths() {
        for (path, expected) in [
            ("/a/b", ("/a", "b")),
            ("/a/b//", ("/a", "b")),
            ("/a", ("/", "a")),
            ("a", ("", "a")),
            ("/", ("", "")),
        ] {
            assert_eq!(split(path), expected, "{path}");
        }
    }

    #[test]
    fn sees_files_come_and_go() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let probes = probes(folder.path());
        let file = folder.path().join("sub/game.nes");
        for _ in 0..20 {
            assert!(!exists(&probes, &file));
            fs::create_dir_all(folder.path().join("sub")).expect("folder");
            fs::write(&file, "x").expect("file");
            assert!(exists(&probes, &file));
            fs::remove_file(&file).expect("removed");
            assert!(!exists(&probes, &file));
            fs::remove_dir_all(folder.path().join("sub")).expect("removed");
        }
    }

    #[test]
    fn the_epoch_moves_only_when_something_changed() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let probes = probes(folder.path());
        let file = folder.path().join("a");
        exists(&probes, &file);
        let epoch = probes.epoch();
        exists(&probes, &file);
        assert_eq!(probes.epoch(), epoch);
        fs::write(&file, "").expect("file");
        assert!(exists(&probes, &file));
        assert_eq!(probes.epoch(), epoch + 1);
    }

    #[test]
    fn many_folders_are_read_at_once_by_few_threads() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let probes = probes(folder.path());
        let paths: Vec<String> =
            (0..500).map(|at| format!("{}/{at}", folder.path().display())).collect();
        for path in &paths {
            fs::create_dir(path).expect("folder");
            fs::write(format!("{path}/game"), "").expect("file");
        }
        let spelled: Vec<&str> = paths.iter().map(String::as_str).collect();
        let folders = probes.folders(&spelled);
        probes.ensure(&folders, probes.now(), Instant::now() + Duration::from_mins(2));
        for folder in &folders {
            assert_eq!(folder.view().look("game"), Presence::File);
        }
        drop(folders);
        probes.prune();
        assert_eq!(
            probes.folders.read().expect("not poisoned").len(),
            500,
            "below the spare count"
        );
    }

    /// Where [`hanging_read`] waits until the test lets it go.
    static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

    fn hanging_read(path: &str, roots: &MediaRoots, hasher: &RandomState) -> Listing {
        if path.starts_with("/dead") {
            let open = GATE.1.wait_while(GATE.0.hold(), |open| !*open);
            drop(open.expect("the test did not panic"));
        }
        Listing::read(path, roots, hasher)
    }

    #[test]
    fn a_dead_mount_holds_up_no_other_folder() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let roots = Arc::new(MediaRoots::new(folder.path(), &[]));
        let probes = Probes::reading_with(roots, hanging_read);
        let dead: Vec<String> = (0..5).map(|at| format!("/dead/{at}")).collect();
        let spelled: Vec<&str> = dead.iter().map(String::as_str).collect();
        let hanging = probes.folders(&spelled);
        let since = probes.now();
        // Without patience no caller waits for them; every reader enters one and hangs.
        probes.ensure(&hanging, since, Instant::now());
        let file = folder.path().join("a");
        fs::write(&file, "").expect("file");
        let alive = probes.folders(&[folder.path().to_str().expect("text")]);
        let patience = Duration::from_mins(2);
        let begun = Instant::now();
        probes.ensure(&alive, since, begun + patience);
        assert_eq!(alive[0].view().look("a"), Presence::File, "readers that hang are replaced");
        probes.ensure(&hanging, since, begun + patience);
        assert!(begun.elapsed() < patience, "what hangs is given up");
        assert_eq!(hanging[0].view().look("x"), Presence::Nothing);
        *GATE.0.hold() = true;
        GATE.1.notify_all();
        // A reader on its way back still counts as hanging, so a single question may find it so.
        while !hanging.iter().all(|folder| folder.generation() == 1) {
            assert!(begun.elapsed() < patience, "the mount came back");
            probes.ensure(&hanging, since, begun + patience);
            std::thread::yield_now();
        }
    }
}
