//! Smaller copies of the pictures of games: `GET /api/media` with a width.
//!
//! Owns the folder of copies below the cache, the one thread that makes them, and the bounds of both.
//! A copy is named after the path, size and times of its picture, so a picture that was replaced has
//! no copy yet and an old copy is never shown for it. The name does not depend on the content: reading a picture to
//! know whether its copy is there would cost what the copy saves. Everything in the folder may be deleted at any time.
//! Does not make a copy twice, nor wait for one longer than the caller allows.

use std::{
    collections::HashSet,
    fs::File,
    io,
    os::unix::fs::FileExt as _,
    panic::{self, AssertUnwindSafe},
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use super::picture_identity::Identity;
use crate::{
    base::{Hold as _, Workers, clock, priority},
    files::{DiskError, Files, space},
    formats::thumbnail::{self, Kind, Unfit},
    media::serve::MediaFile,
};

/// The widths of copies, in pixels.
pub const WIDTHS: [u32; 3] = [160, 320, 640];
/// Bytes of copies that are kept; the least recently used go first.
const KEPT_BYTES: u64 = 1 << 30;
/// Nothing is kept when the disk has less room than this.
const SPARE_BYTES: u64 = 256 << 20;
/// Copies that wait to be made; the oldest requests are forgotten first, and come again.
const MOST_WAITING: usize = 64;
/// Pictures known to have no copy; they are checked again when there are more, and after a start.
const MOST_UNFIT: usize = 50_000;
/// A copy that is used is written again this long after it was written, so that its time shows which are used. Seldom,
/// because it is a write to flash.
const USED_STEP: Duration = Duration::from_hours(30 * 24);
/// The first bytes of a copy that are checked.
const HEAD: usize = 12;

/// The width of the copy for a requested width: the next larger one, `None` when the picture itself
/// is needed.
pub fn width_for(request: u32) -> Option<u32> {
    WIDTHS.into_iter().find(|width| *width >= request)
}

/// What there is instead of a picture.
#[derive(Debug)]
pub enum Lookup {
    /// A smaller copy.
    Copy(Copied),
    /// Nothing smaller, and there will not be: the picture itself.
    Original,
    /// The picture itself for now; the copy is being made.
    Later,
}

/// A copy, open for reading.
#[derive(Debug)]
pub struct Copied {
    /// The open file.
    pub file: File,
    /// Its size in bytes.
    pub size: u64,
    /// What kind of picture it is.
    pub kind: Kind,
    /// Its entity tag, quoted.
    pub etag: String,
}

/// The copies of this data directory. A clone shares them.
#[derive(Clone)]
pub struct Thumbnails(Arc<Inner>);

struct Inner {
    files: Files,
    folder: PathBuf,
    most_bytes: u64,
    queue: Mutex<Queue>,
    /// Rings when there is something to make, or nothing any more.
    wanted: Condvar,
    /// Rings when a copy is made, or cannot be.
    made: Condvar,
    workers: Workers,
}

/// A copy to make.
#[derive(Default)]
struct Queue {
    /// The newest request last: it is the one on the screen.
    waiting: Vec<Request>,
    in_hand: Option<String>,
    unfit: HashSet<String>,
    is_started: bool,
    is_closed: bool,
    /// Bytes of all copies; unknown until they were counted.
    kept: Option<u64>,
}

struct Request {
    name: String,
    picture: File,
    identity: Identity,
    width: u32,
}

/// Why no copy was made.
#[derive(Debug, thiserror::Error)]
enum CopyError {
    #[error(transparent)]
    Unfit(#[from] Unfit),
    #[error("failed to read a picture: {0}")]
    Unread(#[from] io::Error),
    #[error(transparent)]
    Disk(#[from] DiskError),
    #[error("the disk has too little room")]
    NoRoom,
    #[error("the picture changed while it was read")]
    Changed,
}

impl Thumbnails {
    /// The copies in this folder, which need not exist yet. Nothing is started or read.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self::bounded(files, folder, KEPT_BYTES)
    }

    fn bounded(files: Files, folder: PathBuf, most_bytes: u64) -> Self {
        Self(Arc::new(Inner {
            files,
            folder,
            most_bytes,
            queue: Mutex::default(),
            wanted: Condvar::new(),
            made: Condvar::new(),
            workers: Workers::default(),
        }))
    }

    /// The copy of a picture that is `width` pixels wide. When it is not there it is made by the
    /// worker, once for all requests, and waited for up to `patience`.
    pub fn find(&self, picture: &MediaFile, width: u32, patience: Duration) -> Lookup {
        let Ok(about) = picture.file.metadata() else { return Lookup::Original };
        let identity = Identity::of(&about);
        let name = identity.name(&picture.path, width);
        if let Some(copy) = self.0.open(&name) {
            return Lookup::Copy(copy);
        }
        let mut queue = self.0.queue.hold();
        if queue.unfit.contains(&name) {
            return Lookup::Original;
        }
        if queue.is_closed {
            return Lookup::Later;
        }
        if !queue.is_under_way(&name) {
            let Ok(file) = picture.file.try_clone() else { return Lookup::Later };
            queue.waiting.push(Request { name: name.clone(), picture: file, identity, width });
            if queue.waiting.len() > MOST_WAITING {
                queue.waiting.remove(0);
            }
            if !queue.is_started && !self.start(&mut queue) {
                return Lookup::Later;
            }
            self.0.wanted.notify_one();
        }
        let waits = |queue: &mut Queue| queue.is_under_way(&name) && !queue.is_closed;
        let waited = self.0.made.wait_timeout_while(queue, patience, waits);
        let (queue, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let is_unfit = queue.unfit.contains(&name);
        drop(queue);
        match self.0.open(&name) {
            Some(copy) => Lookup::Copy(copy),
            None if is_unfit => Lookup::Original,
            None => Lookup::Later,
        }
    }

    /// Lets the worker end after its current copy, and waits for it.
    pub fn stop(&self) {
        {
            let mut queue = self.0.queue.hold();
            queue.is_closed = true;
            queue.waiting.clear();
        }
        self.0.wanted.notify_all();
        self.0.made.notify_all();
        self.0.workers.join();
    }

    fn start(&self, queue: &mut Queue) -> bool {
        let inner = Arc::clone(&self.0);
        let started = self.0.workers.spawn("thumbnails", move || {
            priority::step_back();
            inner.work();
        });
        match started {
            Ok(()) => {
                queue.is_started = true;
                true
            }
            Err(error) => {
                log::warn!("failed to start making smaller pictures: {error}");
                queue.waiting.clear();
                false
            }
        }
    }
}

impl Queue {
    fn is_under_way(&self, name: &str) -> bool {
        self.in_hand.as_deref() == Some(name)
            || self.waiting.iter().any(|request| request.name == name)
    }
}

impl Inner {
    /// Names begin with hexadecimal digits, so the copies spread over 256 folders.
    fn path_of(&self, name: &str) -> PathBuf {
        self.folder.join(&name[..2]).join(name)
    }

    /// A copy that is there and whole. Copies are not synced, so a power cut can leave one torn:
    /// its first or last bytes show that.
    fn open(&self, name: &str) -> Option<Copied> {
        let path = self.path_of(name);
        let file = File::open(&path).ok()?;
        let about = file.metadata().ok()?;
        let size = about.len();
        let (mut head, mut tail) = ([0; HEAD], [0; 2]);
        file.read_exact_at(&mut head, 0).ok()?;
        file.read_exact_at(&mut tail, size.checked_sub(2)?).ok()?;
        let kind = Kind::of(&head)?;
        let is_whole = match kind {
            Kind::Jpeg => tail == [0xff, 0xd9],
            Kind::WebP => {
                u64::from(u32::from_le_bytes([head[4], head[5], head[6], head[7]])) + 8 == size
            }
            Kind::Png => false,
        };
        if !is_whole {
            return None;
        }
        if clock::age_of(about.modified().ok()?) > USED_STEP {
            self.note_use(&path, &file, size);
        }
        Some(Copied { file, size, kind, etag: format!("\"{name}\"") })
    }

    fn note_use(&self, path: &Path, file: &File, size: u64) {
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        let again = file.read_exact_at(&mut bytes, 0).is_ok();
        if again && let Err(error) = self.files.replace_unsynced(path, &bytes) {
            log::info!("the use of a smaller picture was not noted: {error}");
        }
    }

    /// The life of the worker.
    fn work(&self) {
        loop {
            let idle = |queue: &mut Queue| queue.waiting.is_empty() && !queue.is_closed;
            let waited = self.wanted.wait_while(self.queue.hold(), idle);
            let mut queue = waited.unwrap_or_else(PoisonError::into_inner);
            let Some(request) = queue.waiting.pop() else { return };
            queue.in_hand = Some(request.name.clone());
            drop(queue);
            let made = panic::catch_unwind(AssertUnwindSafe(|| self.make(&request)));
            let made = made.unwrap_or(Err(CopyError::Unfit(Unfit::Damaged)));
            let mut queue = self.queue.hold();
            queue.in_hand = None;
            if let Err(error) = made {
                log::debug!("no smaller copy of a picture: {error}");
                // What the disk refuses now it may take later; what the picture is it stays.
                if matches!(error, CopyError::Unfit(_)) {
                    if queue.unfit.len() >= MOST_UNFIT {
                        queue.unfit.clear();
                    }
                    queue.unfit.insert(request.name);
                }
            }
            drop(queue);
            self.made.notify_all();
        }
    }

    fn make(&self, request: &Request) -> Result<(), CopyError> {
        let size = request.identity.size;
        if size > thumbnail::MOST_BYTES {
            return Err(Unfit::TooLarge.into());
        }
        let mut head = [0; HEAD];
        let read = request.picture.read_at(&mut head, 0)?;
        Kind::of(&head[..read]).ok_or(Unfit::Unknown)?;
        let path = self.path_of(&request.name);
        let folder = path.parent().unwrap_or(&self.folder);
        self.files.private_dir(folder)?;
        if space::free_bytes(folder).is_some_and(|free| free < SPARE_BYTES) {
            return Err(CopyError::NoRoom);
        }
        let mut bytes = vec![0; usize::try_from(size).unwrap_or(0)];
        request.picture.read_exact_at(&mut bytes, 0)?;
        if Identity::of(&request.picture.metadata()?) != request.identity {
            return Err(CopyError::Changed);
        }
        let copy = thumbnail::make(&bytes, request.width)?;
        drop(bytes);
        self.files.replace_unsynced(&path, &copy)?;
        self.keep_bounds(copy.len() as u64);
        Ok(())
    }

    /// Counts a copy that was added, and removes those unused for longest when there are too many.
    fn keep_bounds(&self, added: u64) {
        let known = self.queue.hold().kept;
        let kept = match known {
            Some(kept) => kept + added,
            None => self.copies().iter().map(|copy| copy.1).sum(),
        };
        let kept = if kept > self.most_bytes { self.trim() } else { kept };
        self.queue.hold().kept = Some(kept);
    }

    /// Removes copies until an eighth of the room is free again; the bytes that are left. Those beyond that
    /// could not be removed and do not count, or every further copy would list the whole folder.
    fn trim(&self) -> u64 {
        let mut copies = self.copies();
        copies.sort_unstable();
        let mut kept: u64 = copies.iter().map(|copy| copy.1).sum();
        for (_, size, path) in copies {
            if kept <= self.most_bytes / 8 * 7 {
                break;
            }
            match self.files.remove(&path) {
                Ok(()) => kept -= size,
                Err(error) => log::warn!("a smaller picture was not removed: {error}"),
            }
        }
        kept.min(self.most_bytes / 8 * 7)
    }

    /// Time, size and path of every copy. What a crash left half written is removed: only the holder
    /// of the library is here, and its one worker writes nothing meanwhile.
    fn copies(&self) -> Vec<(SystemTime, u64, PathBuf)> {
        let list = |path: &Path| self.files.list(path).unwrap_or_default();
        let mut copies = Vec::new();
        for folder in list(&self.folder) {
            let folder = self.folder.join(folder);
            for name in list(&folder) {
                let path = folder.join(&name);
                if name.starts_with('.') {
                    // OK because it is checked again the next time.
                    drop(self.files.remove(&path));
                } else if let Ok(Some(about)) = self.files.stat(&path) {
                    let used = about.modified().unwrap_or(SystemTime::UNIX_EPOCH);
                    copies.push((used, about.len(), path));
                }
            }
        }
        copies
    }
}

#[cfg(test)]
#[expect(
    clippy::disallowed_methods,
    reason = "tests prepare pictures and damage copies themselves"
)]
mod tests {
    use std::{fs, thread};

    use super::*;

    const LONG: Duration = Duration::from_mins(1);

    struct House {
        folder: tempfile::TempDir,
        thumbnails: Thumbnails,
    }

    impl Drop for House {
        fn drop(&mut self) {
            self.thumbnails.stop();
        }
    }

    fn house(most_bytes: u64) -> House {
        let folder = tempfile::tempdir().expect("a folder");
        let cache = folder.path().join("cache");
        House { thumbnails: Thumbnails::bounded(Files::system(), cache, most_bytes), folder }
    }

    /// A JPEG of noise, different for each seed.
    fn picture(width: u16, height: u16, seed: u32) -> Vec<u8> {
        let mut state = seed;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 24) as u8
        };
        let pixels: Vec<u8> =
            (0..u32::from(width) * u32::from(height) * 3).map(|_| next()).collect();
        let mut bytes = Vec::new();
        let encoder = jpeg_encoder::Encoder::new(&mut bytes, 90);
        encoder.encode(&pixels, width, height, jpeg_encoder::ColorType::Rgb).expect("a picture");
        bytes
    }

    impl House {
        fn put(&self, name: &str, bytes: &[u8]) -> PathBuf {
            let path = self.folder.path().join(name);
            fs::write(&path, bytes).expect("a file");
            path
        }

        fn find(&self, path: &Path, width: u32) -> Lookup {
            let file = File::open(path).expect("a picture");
            let media = MediaFile::of(file, path.to_str().expect("text")).expect("a file");
            self.thumbnails.find(&media, width, LONG)
        }

        #[track_caller]
        fn copy(&self, path: &Path, width: u32) -> (String, Vec<u8>) {
            match self.find(path, width) {
                Lookup::Copy(copy) => {
                    let mut bytes = vec![0; usize::try_from(copy.size).expect("small")];
                    copy.file.read_exact_at(&mut bytes, 0).expect("bytes");
                    (copy.etag, bytes)
                }
                other => panic!("no copy: {other:?}"),
            }
        }

        fn kept(&self) -> Vec<PathBuf> {
            let mut copies = self.thumbnails.0.copies();
            copies.sort_unstable();
            copies.into_iter().map(|copy| copy.2).collect()
        }
    }

    #[test]
    fn requests_take_the_next_larger_width() {
        for (request, expected) in [
            (1, Some(160)),
            (160, Some(160)),
            (161, Some(320)),
            (320, Some(320)),
            (640, Some(640)),
            (641, None),
            (u32::MAX, None),
        ] {
            assert_eq!(width_for(request), expected, "{request}");
        }
    }

    #[test]
    fn a_copy_is_made_once_and_kept() {
        let house = house(KEPT_BYTES);
        let path = house.put("a.jpg", &picture(500, 300, 1));
        let (etag, bytes) = house.copy(&path, 160);
        let [made] = &house.kept()[..] else { panic!("one copy") };
        let before = fs::metadata(made).expect("a copy").modified().expect("a time");
        assert_eq!(house.copy(&path, 160), (etag.clone(), bytes));
        assert_eq!(fs::metadata(made).expect("a copy").modified().expect("a time"), before);
        assert_ne!(house.copy(&path, 320).0, etag);
        assert_eq!(house.kept().len(), 2);
    }

    #[test]
    fn everybody_who_asks_at_once_gets_the_same_copy_made_once() {
        let house = house(KEPT_BYTES);
        let path = house.put("a.jpg", &picture(900, 900, 1));
        let etags: HashSet<String> = thread::scope(|scope| {
            let asked: Vec<_> = (0..8).map(|_| scope.spawn(|| house.copy(&path, 320).0)).collect();
            asked.into_iter().map(|asked| asked.join().expect("an answer")).collect()
        });
        assert_eq!((etags.len(), house.kept().len()), (1, 1));
    }

    #[test]
    fn a_replaced_picture_has_another_copy_also_with_size_and_time_of_the_old_one() {
        let house = house(KEPT_BYTES);
        let bytes = picture(500, 300, 1);
        let path = house.put("a.jpg", &bytes);
        let old = house.copy(&path, 160);
        let time = fs::metadata(&path).expect("a file").modified().expect("a time");
        let mut other = picture(500, 300, 2);
        other.resize(bytes.len(), 0);
        // The clock of the file system stands still for some milliseconds after each look.
        let changed = |path: &Path| Identity::of(&fs::metadata(path).expect("a file")).changed;
        let before = changed(&path);
        while changed(&path) == before {
            fs::write(&path, &other).expect("a file");
            let file = File::options().write(true).open(&path).expect("a file");
            file.set_modified(time).expect("a time");
        }
        let new = house.copy(&path, 160);
        assert_ne!(old.0, new.0);
        assert_ne!(old.1, new.1);
    }

    #[test]
    fn the_copies_may_be_deleted_or_damaged_at_any_time() {
        let house = house(KEPT_BYTES);
        let path = house.put("a.jpg", &picture(500, 300, 1));
        let (_, bytes) = house.copy(&path, 160);
        fs::remove_dir_all(house.folder.path().join("cache")).expect("removed");
        assert_eq!(house.copy(&path, 160).1, bytes);
        let copy = house.kept().remove(0);
        for damage in [&b""[..], b"x", &bytes[..bytes.len() / 2], &vec![0; bytes.len()]] {
            fs::write(&copy, damage).expect("damaged");
            assert_eq!(house.copy(&path, 160).1, bytes);
        }
    }

    #[test]
    fn what_has_no_copy_is_told_and_not_tried_again() {
        let house = house(KEPT_BYTES);
        let mut cut = picture(500, 300, 1);
        cut.truncate(700);
        for (name, bytes) in [
            ("small.jpg", picture(160, 100, 1)),
            ("cut.jpg", cut),
            ("text.jpg", b"no picture".to_vec()),
            ("empty.jpg", Vec::new()),
        ] {
            let path = house.put(name, &bytes);
            for _ in 0..2 {
                assert!(matches!(house.find(&path, 160), Lookup::Original), "{name}");
            }
        }
        assert!(house.kept().is_empty());
        assert_eq!(house.thumbnails.0.queue.hold().unfit.len(), 4);
    }

    #[test]
    fn the_copies_unused_for_longest_go_first() {
        let one = thumbnail::make(&picture(500, 300, 1), 160).expect("a copy").len() as u64;
        let house = house(one * 8);
        let paths: Vec<PathBuf> = (0..8)
            .map(|seed| house.put(&format!("{seed}.jpg"), &picture(500, 300, seed)))
            .collect();
        let year = Duration::from_hours(365 * 24);
        for (age, path) in paths.iter().take(7).enumerate() {
            let etag = house.copy(path, 160).0;
            let copy = house.thumbnails.0.path_of(etag.trim_matches('"'));
            let old = File::options().write(true).open(copy).expect("a copy");
            let time = old.metadata().expect("a copy").modified().expect("a time") - year;
            old.set_modified(time + Duration::from_secs(age as u64)).expect("a time");
        }
        let first = house.kept().remove(0);
        // The first of them is used again; a half-written file of a crash lies about.
        house.copy(&paths[0], 160);
        let folder = first.parent().expect("a folder");
        fs::write(folder.join(".left.tmp"), b"x").expect("a file");
        let before = house.kept();
        house.thumbnails.0.queue.hold().kept = None;
        house.copy(&paths[7], 160);
        house.copy(&house.put("9.jpg", &picture(500, 300, 9)), 160);
        let after = house.kept();
        assert!(after.contains(&first), "the one that was used stays");
        assert!(!after.contains(&before[0]), "the oldest goes");
        let bytes: u64 = after.iter().map(|path| fs::metadata(path).expect("a copy").len()).sum();
        assert!(bytes <= one * 8, "{bytes}");
        assert!(!folder.join(".left.tmp").exists());
    }

    #[test]
    fn what_cannot_be_removed_leaves_room_before_the_next_try() {
        let house = house(80);
        let inner = &house.thumbnails.0;
        let unremovable = |at| inner.folder.join(format!("ab/{at}"));
        (0..90).for_each(|at| fs::create_dir_all(unremovable(at)).expect("made"));
        let counted = [1, 10, 1].map(|added| {
            inner.keep_bounds(added);
            inner.queue.hold().kept
        });
        assert_eq!(counted, [Some(70), Some(80), Some(70)]);
    }

    #[test]
    fn nobody_waits_for_a_worker_that_ended() {
        let house = house(KEPT_BYTES);
        house.thumbnails.stop();
        let path = house.put("a.jpg", &picture(500, 300, 1));
        assert!(matches!(house.find(&path, 160), Lookup::Later));
    }

    #[test]
    fn a_folder_that_cannot_be_written_leaves_the_picture_itself() {
        let house = house(KEPT_BYTES);
        fs::write(house.folder.path().join("cache"), b"in the way").expect("a file");
        let path = house.put("a.jpg", &picture(500, 300, 1));
        assert!(matches!(house.find(&path, 160), Lookup::Later));
        fs::remove_file(house.folder.path().join("cache")).expect("removed");
        assert!(matches!(house.find(&path, 160), Lookup::Copy(_)));
    }
}
