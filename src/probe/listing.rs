//! The entries of one folder, read in one pass and kept as eight bytes a name.
//!
//! Owns the reading of a folder and the question whether that reading is still current. A name is kept as
//! a hash seeded anew in every process with the kind of the entry in its two lowest bits, so a
//! folder of 100,000 files costs 800 KB and a lookup touches no disk. Changes nothing.

use std::{
    hash::{BuildHasher, RandomState},
    os::fd::{AsFd, OwnedFd},
    time::{Duration, Instant},
};

use rustix::{
    fs::{
        AtFlags, CWD, FileType, Mode, OFlags, RawDir, Stat, fstat, openat, stat as stat_path,
        statat,
    },
    io::Errno,
};

use super::media_roots::{MediaPathError, MediaRoots};
use crate::base::Moment;

/// A reading is repeated after this long even when the folder looks untouched: links may have lost
/// their targets, and some network file systems do not keep folder times.
const STANDS: Duration = Duration::from_mins(2);

/// A folder changed this shortly before it was read may change again without its time moving.
const UNSETTLED_MILLIS: i64 = 2_500;

/// Bytes asked from the kernel at once while reading a folder.
const READ_BYTES: usize = 32 * 1024;

/// The two bits of a kept name that say what the entry is.
const KIND_BITS: u64 = 3;

/// What exists under a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Presence {
    /// Nothing, or a symbolic link that leads nowhere.
    Nothing,
    /// A regular file.
    File,
    /// A folder, device or pipe.
    Other,
    /// A symbolic link that leads somewhere.
    Link,
}

/// One reading of a folder.
#[derive(Debug)]
pub struct Listing {
    contents: Contents,
    identity: Option<Identity>,
    linked: bool,
    unsettled: bool,
    read_at: Instant,
}

#[derive(Debug, PartialEq, Eq)]
enum Contents {
    /// Sorted hashes with kinds.
    Names(Box<[u64]>),
    /// The folder may be entered but not listed: every question is asked on its own.
    Unlistable,
}

/// The attributes that change with an entry of a folder.
#[derive(Debug, PartialEq, Eq)]
struct Identity {
    device: u64,
    inode: u64,
    modified: (i64, i64),
    changed: (i64, i64),
}

impl Identity {
    fn of(stat: &Stat) -> Self {
        // OK because times of a file fit 63 bits; the width of the fields differs by machine.
        let wide = |value: u64| i64::try_from(value).unwrap_or(i64::MAX);
        Self {
            device: stat.st_dev,
            inode: stat.st_ino,
            modified: (stat.st_mtime, wide(stat.st_mtime_nsec)),
            changed: (stat.st_ctime, wide(stat.st_ctime_nsec)),
        }
    }

    fn is_unsettled(&self) -> bool {
        let millis = self.modified.0.saturating_mul(1000) + self.modified.1 / 1_000_000;
        millis > Moment::now().unix_millis() - UNSETTLED_MILLIS
    }
}

impl Listing {
    /// Reads a folder. A folder that is not there, or not reachable, holds nothing.
    pub fn read(path: &str, roots: &MediaRoots, hasher: &RandomState) -> Self {
        let (opened, linked) = open(path, roots);
        let mut listing = Self {
            contents: Contents::Names(Box::default()),
            identity: None,
            linked,
            unsettled: false,
            read_at: Instant::now(),
        };
        let Ok(folder) = opened else { return listing };
        // The identity is taken before the names: a change between the two shows up next time.
        if let Ok(stat) = fstat(&folder) {
            let identity = Identity::of(&stat);
            listing.unsettled = identity.is_unsettled();
            listing.identity = Some(identity);
        }
        listing.contents = match read_names(&folder, hasher) {
            Ok(names) => Contents::Names(names),
            Err(Errno::ACCESS | Errno::PERM) => Contents::Unlistable,
            Err(error) => {
                log::debug!("failed to list a folder: {error}");
                Contents::Names(Box::default())
            }
        };
        listing
    }

    /// Whether the folder is still what was read, decided by one `stat` of the folder itself.
    pub fn stands(&self, path: &str) -> bool {
        let listed = matches!(self.contents, Contents::Names(_));
        if !listed || self.unsettled || self.read_at.elapsed() > STANDS {
            return false;
        }
        // A folder that was put behind a link is another one, or was moved, which changes it too.
        self.identity == stat_path(path).ok().as_ref().map(Identity::of)
    }

    /// Whether a media folder is reached through a symbolic link, which no media path may be.
    pub fn is_linked(&self) -> bool {
        self.linked
    }

    /// Whether both readings found the same.
    pub fn holds_the_same(&self, other: &Self) -> bool {
        // What cannot be listed may have changed in any way.
        let listed = matches!(self.contents, Contents::Names(_));
        listed && self.linked == other.linked && self.contents == other.contents
    }

    /// What stands under `name` in the folder at `path`, which this is a reading of.
    pub fn look(&self, path: &str, name: &str, hasher: &RandomState) -> Presence {
        match &self.contents {
            Contents::Names(names) => find(names, hasher.hash_one(name.as_bytes())),
            Contents::Unlistable => look_alone(path, name),
        }
    }
}

/// Opens a folder without reading it, and says whether a media folder is reached through a link.
fn open(path: &str, roots: &MediaRoots) -> (Result<OwnedFd, Errno>, bool) {
    let through_links = || {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        openat(CWD, path, flags, Mode::empty())
    };
    if !roots.covers_folder(path) {
        return (through_links(), false);
    }
    match roots.open_folder(path) {
        Ok(folder) => (Ok(folder), false),
        Err(MediaPathError::Link) => (through_links(), true),
        Err(_) => (Err(Errno::NOENT), false),
    }
}

fn read_names(folder: &OwnedFd, hasher: &RandomState) -> Result<Box<[u64]>, Errno> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let readable = openat(folder, ".", flags, Mode::empty())?;
    let mut buffer = Vec::with_capacity(READ_BYTES);
    let mut entries = RawDir::new(readable.as_fd(), buffer.spare_capacity_mut());
    let mut names = Vec::new();
    while let Some(entry) = entries.next() {
        let entry = entry?;
        let name = entry.file_name();
        if matches!(name.to_bytes(), b"." | b"..") {
            continue;
        }
        let kind = match entry.file_type() {
            FileType::RegularFile => Presence::File,
            FileType::Symlink | FileType::Unknown => examine(readable.as_fd(), name),
            _ => Presence::Other,
        };
        if kind != Presence::Nothing {
            names.push(tagged(hasher.hash_one(name.to_bytes()), kind));
        }
    }
    names.sort_unstable();
    Ok(names.into())
}

/// The kind of an entry that the folder itself does not show: a link, or any entry of a file system that
/// keeps no kinds in its folders.
fn examine(folder: impl AsFd, name: impl rustix::path::Arg + Copy) -> Presence {
    let kind = |flags| {
        let stat = statat(folder.as_fd(), name, flags).ok()?;
        Some(FileType::from_raw_mode(stat.st_mode))
    };
    match kind(AtFlags::SYMLINK_NOFOLLOW) {
        Some(FileType::RegularFile) => Presence::File,
        Some(FileType::Symlink) if kind(AtFlags::empty()).is_some() => Presence::Link,
        Some(FileType::Symlink) | None => Presence::Nothing,
        Some(_) => Presence::Other,
    }
}

fn look_alone(path: &str, name: &str) -> Presence {
    examine(CWD, format!("{path}/{name}").as_str())
}

fn tagged(hash: u64, kind: Presence) -> u64 {
    let tag = match kind {
        Presence::Nothing => 0,
        Presence::File => 1,
        Presence::Other => 2,
        Presence::Link => 3,
    };
    (hash & !KIND_BITS) | tag
}

fn find(names: &[u64], hash: u64) -> Presence {
    let at = names.partition_point(|name| *name < (hash & !KIND_BITS));
    match names.get(at) {
        Some(name) if name & !KIND_BITS == hash & !KIND_BITS => match name & KIND_BITS {
            1 => Presence::File,
            2 => Presence::Other,
            _ => Presence::Link,
        },
        _ => Presence::Nothing,
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files and links themselves")]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _, os::unix::fs::symlink, path::Path};

    use super::*;

    fn roots(base: &Path) -> MediaRoots {
        MediaRoots::new(base, &[])
    }

    #[test]
    fn tells_what_stands_under_a_name() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let base = folder.path().canonicalize().expect("real path");
        fs::write(base.join("file"), "x").expect("file");
        fs::create_dir(base.join("folder")).expect("folder");
        symlink("file", base.join("link")).expect("link");
        symlink("gone", base.join("dead")).expect("link");
        let hasher = RandomState::new();
        let path = base.to_str().expect("text");
        let listing = Listing::read(path, &roots(&base), &hasher);
        for (name, expected) in [
            ("file", Presence::File),
            ("folder", Presence::Other),
            ("link", Presence::Link),
            ("dead", Presence::Nothing),
            ("none", Presence::Nothing),
        ] {
            assert_eq!(listing.look(path, name, &hasher), expected, "{name}");
            assert_eq!(look_alone(path, name), expected, "{name}");
        }
        let absent = Listing::read("/nowhere/at/all", &roots(&base), &hasher);
        assert_eq!(absent.look("/nowhere/at/all", "x", &hasher), Presence::Nothing);
    }

    #[test]
    fn finds_every_name_of_a_large_folder() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().to_str().expect("text").to_owned();
        for number in 0..3_000 {
            fs::write(folder.path().join(format!("file {number}")), "").expect("file");
        }
        let hasher = RandomState::new();
        let listing = Listing::read(&path, &roots(folder.path()), &hasher);
        for number in 0..3_000 {
            assert_eq!(listing.look(&path, &format!("file {number}"), &hasher), Presence::File);
        }
        assert_eq!(listing.look(&path, "file 3000", &hasher), Presence::Nothing);
    }

    #[test]
    fn a_reading_falls_when_the_folder_changes() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let path = folder.path().to_str().expect("text").to_owned();
        let roots = roots(folder.path());
        let hasher = RandomState::new();
        fs::write(folder.path().join("a"), "").expect("file");
        let fresh = Listing::read(&path, &roots, &hasher);
        assert!(!fresh.stands(&path), "a folder changed a moment ago may change again");
        let old = Listing { unsettled: false, ..fresh };
        assert!(old.stands(&path));
        fs::write(folder.path().join("b"), "").expect("file");
        assert!(!old.stands(&path));
        let next = Listing::read(&path, &roots, &hasher);
        assert!(!next.holds_the_same(&old));
        assert!(next.holds_the_same(&Listing::read(&path, &roots, &hasher)));
    }

    #[test]
    fn a_linked_media_folder_is_told_apart() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let base = folder.path().canonicalize().expect("real path");
        fs::create_dir_all(base.join("media/real")).expect("folder");
        symlink("real", base.join("media/way")).expect("link");
        let hasher = RandomState::new();
        let read = |name: &str| {
            let path = base.join("media").join(name);
            Listing::read(path.to_str().expect("text"), &roots(&base), &hasher)
        };
        assert!(read("way").is_linked());
        assert!(!read("real").is_linked() && !read("none").is_linked());
    }

    #[test]
    fn asks_one_by_one_where_listing_is_forbidden() {
        let folder = tempfile::tempdir().expect("temporary folder");
        let closed = folder.path().join("closed");
        fs::create_dir(&closed).expect("folder");
        fs::write(closed.join("file"), "").expect("file");
        fs::set_permissions(&closed, fs::Permissions::from_mode(0o300)).expect("mode");
        let hasher = RandomState::new();
        let path = closed.to_str().expect("text");
        let listing = Listing::read(path, &roots(folder.path()), &hasher);
        assert_eq!(listing.look(path, "file", &hasher), Presence::File);
        assert_eq!(listing.look(path, "none", &hasher), Presence::Nothing);
    }
}
