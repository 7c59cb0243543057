//! The probe cache: what is on disk, answered from folder listings instead of a `stat` a game.
//!
//! Owns one [`Folder`] for every parent folder that was asked about and a few threads that read
//! them. Nothing is read before it is asked for. A folder is looked at again when somebody asks
//! for an answer no older than a given moment, and then costs one look at the folder itself unless
//! it changed. Refuses to let a request hang: a folder on a dead mount is waited for once, up to
//! the caller's patience, and then answered with what is known until the mount comes back.

use std::{
    collections::VecDeque,
    hash::RandomState,
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use hashbrown::HashMap;

use super::{
    listing::{Found, Listing},
    media_roots::MediaRoots,
};

/// Threads that read folders while none of them hangs.
const READERS: usize = 4;
/// All threads, those hanging on dead mounts included.
const READERS_AT_MOST: usize = 16;
/// A folder being read for longer than this is not waited for.
const STUCK: Duration = Duration::from_secs(2);
/// How long one request waits for folders that were never read.
pub const FIRST_PATIENCE: Duration = Duration::from_secs(5);
/// How long one request waits for folders to be looked at again.
const AGAIN_PATIENCE: Duration = Duration::from_millis(40);
/// Looking at all folders again takes at most one part in this many of the time.
const REST: u64 = 32;
/// Folders that are kept although no answer hangs on them.
const SPARE_FOLDERS: usize = 1_024;

/// Folders a reader takes from the queue at once, so that readers seldom meet at its lock.
const HANDFUL: usize = 16;

/// Nobody reads the folder.
const IDLE: u64 = 0;
/// The folder waits to be read; any other value is the moment a reader entered it.
const QUEUED: u64 = u64::MAX;

/// A moment in the life of the cache, for "no older than".
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Stamp(u64);

/// One folder and the last reading of it.
#[derive(Debug)]
pub struct Folder {
    path: Box<str>,
    listing: Mutex<Option<Arc<Listing>>>,
    generation: AtomicU64,
    checked: AtomicU64,
    started: AtomicU64,
}

impl Folder {
    fn new(path: &str) -> Self {
        Self {
            path: path.into(),
            listing: Mutex::new(None),
            generation: AtomicU64::new(0),
            checked: AtomicU64::new(0),
            started: AtomicU64::new(IDLE),
        }
    }

    /// Counted up whenever a reading found something else than the one before.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    fn latest(&self) -> Option<Arc<Listing>> {
        lock(&self.listing).clone()
    }

    fn is_older_than(&self, since: Stamp) -> bool {
        self.checked.load(Ordering::Acquire) < since.0
    }

    /// Marks the folder as waiting to be read; false when it waits or is being read already.
    fn queue(&self) -> bool {
        let (order, fail) = (Ordering::AcqRel, Ordering::Acquire);
        self.started.compare_exchange(IDLE, QUEUED, order, fail).is_ok()
    }

    /// Takes a waiting folder for one reader; false when another reader was faster.
    fn take(&self, now: Stamp) -> bool {
        let (order, fail) = (Ordering::AcqRel, Ordering::Acquire);
        self.started.compare_exchange(QUEUED, now.0, order, fail).is_ok()
    }

    fn waits(&self) -> bool {
        self.started.load(Ordering::Acquire) == QUEUED
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
    #[must_use]
    pub fn is_linked(&self) -> bool {
        self.listing.as_ref().is_some_and(|listing| listing.is_linked())
    }
}

/// The cache. Dropping it ends its threads, except those that hang in the kernel.
#[derive(Debug)]
pub struct Probes {
    shared: Arc<Shared>,
    folders: RwLock<HashMap<Box<str>, Arc<Folder>>>,
    sweep: Mutex<u64>,
    kept: AtomicUsize,
}

#[derive(Debug)]
struct Shared {
    roots: Arc<MediaRoots>,
    hasher: RandomState,
    born: Instant,
    epoch: AtomicU64,
    lane: Mutex<Lane>,
    work: Condvar,
    /// Something urgent was read.
    done: Condvar,
    /// Everything was read.
    swept: Condvar,
}

#[derive(Debug, Default)]
struct Lane {
    /// What somebody waits for. A folder may stand here and in `later`; it is read once.
    urgent: VecDeque<Arc<Folder>>,
    later: VecDeque<Arc<Folder>>,
    /// Readers that have folders in hand.
    busy: usize,
    readers: Vec<Reader>,
    stopping: bool,
}

impl Lane {
    fn is_done(&self) -> bool {
        self.urgent.is_empty() && self.later.is_empty() && self.busy == 0
    }

    /// The next folders for one reader.
    fn handful(&mut self) -> Vec<Arc<Folder>> {
        let queue = if self.urgent.is_empty() { &mut self.later } else { &mut self.urgent };
        let count = (queue.len() / READERS).clamp(1, HANDFUL).min(queue.len());
        queue.drain(..count).collect()
    }
}

#[derive(Debug)]
struct Reader {
    thread: JoinHandle<()>,
    started: Arc<AtomicU64>,
}

impl Probes {
    /// An empty cache. Reads nothing and starts no thread.
    #[must_use]
    pub fn new(roots: Arc<MediaRoots>) -> Self {
        let shared = Shared {
            roots,
            hasher: RandomState::new(),
            born: Instant::now(),
            epoch: AtomicU64::new(0),
            lane: Mutex::default(),
            work: Condvar::new(),
            done: Condvar::new(),
            swept: Condvar::new(),
        };
        Self {
            shared: Arc::new(shared),
            folders: RwLock::default(),
            sweep: Mutex::new(0),
            kept: AtomicUsize::new(0),
        }
    }

    /// The approved media roots the cache was made with.
    #[must_use]
    pub fn roots(&self) -> &MediaRoots {
        &self.shared.roots
    }

    /// Now, to ask for answers that are no older.
    #[must_use]
    pub fn now(&self) -> Stamp {
        self.shared.now()
    }

    /// Counted up whenever any folder was found changed; equal values mean equal answers.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.shared.epoch.load(Ordering::Acquire)
    }

    /// The folders at these paths, new ones unread.
    #[must_use]
    pub fn folders(&self, paths: &[&str]) -> Vec<Arc<Folder>> {
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        let found: Vec<_> = paths.iter().map(|path| known.get(*path).cloned()).collect();
        drop(known);
        let find = |(path, folder): (&&str, Option<Arc<Folder>>)| {
            folder.unwrap_or_else(|| {
                let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
                let entry = folders.entry((*path).into());
                Arc::clone(entry.or_insert_with(|| Arc::new(Folder::new(path))))
            })
        };
        paths.iter().zip(found).map(find).collect()
    }

    /// Makes the readings of these folders no older than `since`, as far as that is possible before
    /// the deadline and without waiting for folders that hang.
    pub fn ensure(&self, folders: &[Arc<Folder>], since: Stamp, deadline: Instant) {
        let mut pending: Vec<&Arc<Folder>> =
            folders.iter().filter(|folder| folder.is_older_than(since)).collect();
        if pending.is_empty() {
            return;
        }
        let mut lane = lock(&self.shared.lane);
        // A folder that waits already, perhaps in the hands of a reader that hangs in another one,
        // is put forward again whenever nothing moves.
        let mut nothing_moves = true;
        loop {
            let now = self.shared.now();
            pending.retain(|folder| folder.is_older_than(since) && !is_stuck(&folder.started, now));
            if pending.is_empty() || lane.stopping {
                return;
            }
            let called = |folder: &&&Arc<Folder>| folder.queue() || nothing_moves && folder.waits();
            lane.urgent.extend(pending.iter().filter(called).map(|folder| Arc::clone(folder)));
            self.shared.call_readers(&mut lane);
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return;
            }
            let outcome = self.shared.done.wait_timeout(lane, left.min(STUCK / 8));
            let (next, wait) = outcome.unwrap_or_else(PoisonError::into_inner);
            (lane, nothing_moves) = (next, wait.timed_out());
        }
    }

    /// Looks at every known folder again when it is time to. Returns at once when it is not, and
    /// after a short wait at the latest; what takes longer is found by a later request.
    pub fn refresh(&self) {
        let Ok(mut due) = self.sweep.try_lock() else { return };
        let start = self.now();
        if start.0 < *due {
            return;
        }
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        let waiting: Vec<_> = known.values().filter(|folder| folder.queue()).cloned().collect();
        drop(known);
        let mut lane = lock(&self.shared.lane);
        lane.later.extend(waiting);
        self.shared.call_readers(&mut lane);
        let unfinished = |lane: &mut Lane| !lane.is_done() && !lane.stopping;
        let swept = self.shared.swept.wait_timeout_while(lane, AGAIN_PATIENCE, unfinished);
        drop(swept.unwrap_or_else(PoisonError::into_inner));
        let end = self.now();
        *due = end.0 + (end.0 - start.0) * REST;
    }

    /// Forgets that the folder of a path was looked at: the next answer looks again.
    pub fn forget(&self, path: &str) {
        let (folder, _) = split(path);
        let known = self.folders.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(folder) = known.get(folder) {
            folder.checked.store(0, Ordering::Release);
        }
        drop(known);
        *lock(&self.sweep) = 0;
    }

    /// Drops folders no answer hangs on, once there are many of them.
    pub fn prune(&self) {
        let mut folders = self.folders.write().unwrap_or_else(PoisonError::into_inner);
        if folders.len() > 2 * self.kept.load(Ordering::Relaxed) + SPARE_FOLDERS {
            folders.retain(|_, folder| Arc::strong_count(folder) > 1);
            self.kept.store(folders.len(), Ordering::Relaxed);
        }
    }

    /// The answers of a folder now.
    #[must_use]
    pub fn view(&self, folder: &Arc<Folder>) -> View {
        View { folder: Arc::clone(folder), listing: folder.latest() }
    }

    /// What stands under a name in a folder; nothing when the folder was never read.
    #[must_use]
    pub fn look(&self, view: &View, name: &str) -> Found {
        view.listing.as_ref().map_or(Found::Nothing, |listing| {
            listing.look(&view.folder.path, name, &self.shared.hasher)
        })
    }
}

impl Drop for Probes {
    fn drop(&mut self) {
        let mut lane = lock(&self.shared.lane);
        lane.stopping = true;
        lane.urgent.clear();
        lane.later.clear();
        let now = self.shared.now();
        let readers = std::mem::take(&mut lane.readers);
        drop(lane);
        self.shared.work.notify_all();
        self.shared.done.notify_all();
        self.shared.swept.notify_all();
        for reader in readers {
            // A thread that hangs in the kernel ends with the process.
            if !is_stuck(&reader.started, now) && reader.thread.join().is_err() {
                log::error!("a folder reader panicked");
            }
        }
    }
}

impl Shared {
    fn now(&self) -> Stamp {
        let nanos = u64::try_from(self.born.elapsed().as_nanos()).unwrap_or(QUEUED - 1);
        Stamp(nanos.max(1))
    }

    /// Wakes the readers for the queue and starts those that are missing.
    fn call_readers(self: &Arc<Self>, lane: &mut Lane) {
        let now = self.now();
        let healthy = lane.readers.iter().filter(|reader| !is_stuck(&reader.started, now)).count();
        let wanted = READERS.min((lane.urgent.len() + lane.later.len()).div_ceil(HANDFUL));
        for _ in healthy..wanted {
            if lane.readers.len() >= READERS_AT_MOST {
                break;
            }
            let started = Arc::new(AtomicU64::new(IDLE));
            let (shared, mark) = (Arc::clone(self), Arc::clone(&started));
            let thread = std::thread::Builder::new()
                .name(format!("probe-{}", lane.readers.len()))
                .spawn(move || shared.read_folders(&mark));
            match thread {
                Ok(thread) => lane.readers.push(Reader { thread, started }),
                Err(error) => {
                    log::error!("failed to start a folder reader: {error}");
                    break;
                }
            }
        }
        self.work.notify_all();
    }

    fn read_folders(&self, mark: &AtomicU64) {
        let mut lane = lock(&self.lane);
        loop {
            if lane.stopping {
                return;
            }
            let folders = lane.handful();
            if folders.is_empty() {
                lane = self.work.wait(lane).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            lane.busy += 1;
            drop(lane);
            for folder in folders {
                let start = self.now();
                if folder.take(start) {
                    mark.store(start.0, Ordering::Release);
                    self.examine(&folder);
                    folder.checked.store(start.0, Ordering::Release);
                    folder.started.store(IDLE, Ordering::Release);
                }
            }
            mark.store(IDLE, Ordering::Release);
            lane = lock(&self.lane);
            lane.busy -= 1;
            // Those who wait for few folders need not sit through the whole queue.
            if lane.urgent.len() < HANDFUL || lane.urgent.len() % 512 < HANDFUL {
                self.done.notify_all();
            }
            if lane.is_done() {
                self.swept.notify_all();
            }
        }
    }

    /// Looks at a folder and reads it when it is not what was read before.
    fn examine(&self, folder: &Folder) {
        let before = folder.latest();
        if before.as_ref().is_some_and(|listing| listing.stands(&folder.path)) {
            return;
        }
        let after = Arc::new(Listing::read(&folder.path, &self.roots, &self.hasher));
        let same = before.is_some_and(|before| before.holds_the_same(&after));
        *lock(&folder.listing) = Some(after);
        if !same {
            folder.generation.fetch_add(1, Ordering::AcqRel);
            self.epoch.fetch_add(1, Ordering::AcqRel);
        }
    }
}

/// The folder of a path and the name in it. Slashes at the end are no part of the name.
#[must_use]
pub fn split(path: &str) -> (&str, &str) {
    let path = path.trim_end_matches('/');
    match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((folder, name)) => (folder, name),
        None => ("", path),
    }
}

fn is_stuck(started: &AtomicU64, now: Stamp) -> bool {
    let started = started.load(Ordering::Acquire);
    let limit = u64::try_from(STUCK.as_nanos()).unwrap_or(u64::MAX);
    started != IDLE && started != QUEUED && now.0.saturating_sub(started) > limit
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files themselves")]
mod tests {
    use std::{fs, path::Path};

    use super::*;

    fn probes(base: &Path) -> Probes {
        Probes::new(Arc::new(MediaRoots::new(base, &[])))
    }

    fn exists(probes: &Probes, path: &Path) -> bool {
        let (folder, name) = split(path.to_str().expect("text"));
        let folders = probes.folders(&[folder]);
        probes.ensure(&folders, probes.now(), Instant::now() + FIRST_PATIENCE);
        probes.look(&probes.view(&folders[0]), name) != Found::Nothing
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
        probes.ensure(&folders, probes.now(), Instant::now() + FIRST_PATIENCE);
        for folder in &folders {
            assert_eq!(probes.look(&probes.view(folder), "game"), Found::File);
        }
        assert!(lock(&probes.shared.lane).readers.len() <= READERS);
        drop(folders);
        probes.prune();
        assert_eq!(
            probes.folders.read().expect("not poisoned").len(),
            500,
            "below the spare count"
        );
    }

    #[test]
    fn a_hanging_folder_is_given_up_and_others_are_not() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let probes = probes(folder.path());
        let hanging = probes.folders(&["/dead/mount"]);
        // A reader that entered the folder long ago and never came back.
        hanging[0].started.store(1, Ordering::Release);
        let later = Stamp(u64::try_from((STUCK * 2).as_nanos()).expect("fits"));
        assert!(is_stuck(&hanging[0].started, later));
        let queued = AtomicU64::new(QUEUED);
        assert!(!is_stuck(&queued, later), "waiting in the queue is not hanging");
        let patience = Instant::now();
        probes.ensure(&hanging, probes.now(), patience);
        assert_eq!(probes.look(&probes.view(&hanging[0]), "x"), Found::Nothing);
        let file = folder.path().join("a");
        fs::write(&file, "").expect("file");
        assert!(exists(&probes, &file));
    }
}
