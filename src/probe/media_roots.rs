//! The folders media may live in, and the one way to open a file below them.
//!
//! Owns the rule for media paths: a media path is absolute, strictly inside an approved
//! root, and no component below the place the operator named is a symbolic link. A root that
//! contains the data directory does not cover what is in it. Reading follows
//! the rule by construction: the kernel resolves the path beneath the root and refuses links, so
//! a link that appears between check and open is refused as well. Does not write.

use std::{
    fs::File,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    path::{Path, PathBuf},
};

use rustix::{
    fs::{CWD, FileType, Mode, OFlags, ResolveFlags, fstat, openat, openat2},
    io::Errno,
};

use crate::base::limits;

/// The approved roots. Immutable after start; no descriptor is held, so a card can be unmounted.
#[derive(Debug)]
pub struct MediaRoots(Vec<Root>);

/// One approved folder: opened at `anchor` in whatever way the operator reaches it, then strictly
/// along `below`, where no symbolic link may stand.
#[derive(Debug)]
struct Root {
    anchor: PathBuf,
    below: String,
    spellings: Vec<String>,
    /// Folders inside it that it does not cover.
    except: Vec<String>,
}

/// Why a path is not a media path.
#[derive(Debug, thiserror::Error)]
pub enum MediaPathError {
    /// It is relative, holds `..`, or lies in no approved root.
    #[error("the path lies outside the approved media roots")]
    Outside,
    #[error("the path contains a symbolic link")]
    Link,
    #[error("there is no file at the path")]
    Missing,
    #[error("failed to open a media path: {0}")]
    Refused(#[source] std::io::Error),
}

impl From<Errno> for MediaPathError {
    fn from(error: Errno) -> Self {
        match error {
            Errno::LOOP | Errno::XDEV => Self::Link,
            Errno::NOENT | Errno::NOTDIR => Self::Missing,
            other => Self::Refused(other.into()),
        }
    }
}

impl MediaRoots {
    /// The media folder of the data directory and the operator's own roots (`SERVICE_MEDIA_ROOTS`);
    /// relative ones, `/` and those beyond [`limits::MEDIA_ROOTS`] are left out.
    pub fn new(data_dir: &Path, extra: &[PathBuf]) -> Self {
        let data = spellings(data_dir);
        let mut roots = vec![Root::in_data(data_dir, &data)];
        let named = extra.iter().filter_map(|path| normal(path.to_str()?));
        let named = named.filter(|path| path != "/").take(limits::MEDIA_ROOTS);
        roots.extend(named.map(|path| Root::of_operator(path, &data)));
        Self(roots)
    }

    /// Whether a path is spelled strictly inside a root: without reading the disk.
    pub fn covers(&self, path: &str) -> bool {
        self.place(path).is_some()
    }

    /// Whether a path is spelled as a root or inside one.
    pub fn covers_folder(&self, path: &str) -> bool {
        self.place(path).is_some() || self.0.iter().any(|root| root.is_spelled(path))
    }

    /// Checks a path that is to be stored and returns its normalised form. The file need not be
    /// there; what is there must not be reached through a link.
    ///
    /// # Errors
    /// [`MediaPathError::Outside`] or [`MediaPathError::Link`]; [`MediaPathError::Refused`] when a
    /// folder on the way cannot be entered.
    pub fn approve(&self, path: &str) -> Result<String, MediaPathError> {
        let path = normal(path).ok_or(MediaPathError::Outside)?;
        let (root, rest) = self.place(&path).ok_or(MediaPathError::Outside)?;
        match root.open(rest, OFlags::PATH) {
            Ok(_) => Ok(path),
            Err(error) => match error.into() {
                MediaPathError::Missing => Ok(path),
                other => Err(other),
            },
        }
    }

    /// Opens a stored media file for reading.
    ///
    /// # Errors
    /// [`MediaPathError::Missing`] also when it is not a regular file.
    pub fn open(&self, path: &str) -> Result<File, MediaPathError> {
        let (root, rest) = self.place(path).ok_or(MediaPathError::Outside)?;
        // A pipe with that name must not block the reader.
        regular(root.open(rest, OFlags::RDONLY | OFlags::NONBLOCK)?)
    }

    /// Opens a folder inside a root, or the root itself, without being allowed to read it yet.
    pub(super) fn open_folder(&self, path: &str) -> Result<OwnedFd, MediaPathError> {
        let flags = OFlags::PATH | OFlags::DIRECTORY;
        if let Some((root, rest)) = self.place(path) {
            return Ok(root.open(rest, flags)?);
        }
        let root = self.0.iter().find(|root| root.is_spelled(path));
        Ok(root.ok_or(MediaPathError::Outside)?.open("", flags)?)
    }

    /// The root a path is spelled in, and what follows the root.
    fn place<'a>(&self, path: &'a str) -> Option<(&Root, &'a str)> {
        self.0.iter().find_map(|root| Some((root, root.rest(path)?)))
    }
}

impl Root {
    /// The media folder of the data directory. The way to the data directory may lead through
    /// links (a home directory often does); below it none is followed.
    fn in_data(data_dir: &Path, data: &[String]) -> Self {
        let spellings = data.iter().map(|data| format!("{data}/media")).collect();
        let (anchor, below) = (data_dir.to_owned(), "media".to_owned());
        Self { anchor, below, spellings, except: Vec::new() }
    }

    fn of_operator(path: String, data: &[String]) -> Self {
        let below = path.trim_start_matches('/').to_owned();
        let inside = data.iter().filter(|data| Path::new(data).starts_with(&path));
        let except = inside.cloned().collect();
        Self { anchor: PathBuf::from("/"), below, spellings: vec![path], except }
    }

    fn is_spelled(&self, path: &str) -> bool {
        self.spellings.iter().any(|spelled| spelled == path)
    }

    fn rest<'a>(&self, path: &'a str) -> Option<&'a str> {
        if self.except.iter().any(|folder| Path::new(path).starts_with(folder)) {
            return None;
        }
        self.spellings.iter().find_map(|spelled| {
            let rest = path.strip_prefix(spelled.as_str())?.strip_prefix('/')?;
            rest.split('/').all(|part| !matches!(part, "" | "." | "..")).then_some(rest)
        })
    }

    fn open(&self, rest: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
        let anchor = openat(
            CWD,
            &self.anchor,
            OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC,
            Mode::empty(),
        )?;
        let relative =
            if rest.is_empty() { self.below.clone() } else { format!("{}/{rest}", self.below) };
        open_beneath(anchor.as_fd(), &relative, flags | OFlags::CLOEXEC)
    }
}

/// The data directory as it was named, and without links.
fn spellings(data_dir: &Path) -> Vec<String> {
    let mut spellings: Vec<String> = Vec::new();
    for data in [Some(data_dir.to_owned()), data_dir.canonicalize().ok()].into_iter().flatten() {
        let spelled = data.to_str().and_then(normal);
        spellings.extend(spelled.filter(|spelled| !spellings.contains(spelled)));
    }
    spellings
}

/// Opens any file for reading whose path, as it is written, leads through no symbolic link.
///
/// # Errors
/// [`MediaPathError::Missing`] also when it is not a regular file.
pub fn open_without_links(path: &str) -> Result<File, MediaPathError> {
    let path = normal(path).ok_or(MediaPathError::Outside)?;
    let anchor =
        openat(CWD, "/", OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC, Mode::empty())?;
    // A pipe with that name must not block the reader.
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    regular(open_beneath(anchor.as_fd(), path.trim_start_matches('/'), flags)?)
}

fn regular(file: OwnedFd) -> Result<File, MediaPathError> {
    let mode = fstat(&file)?.st_mode;
    if FileType::from_raw_mode(mode) != FileType::RegularFile {
        return Err(MediaPathError::Missing);
    }
    Ok(File::from(file))
}

/// Opens a relative path below a folder without following any link.
fn open_beneath(anchor: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    // The kernel asks for another try when something was renamed meanwhile.
    for _ in 0..8 {
        match openat2(anchor, path, flags, Mode::empty(), resolve) {
            Err(Errno::AGAIN) => {}
            Err(Errno::NOSYS | Errno::PERM) => return walk_beneath(anchor, path, flags),
            outcome => return outcome,
        }
    }
    Err(Errno::AGAIN)
}

/// The same one component at a time, for kernels and sandboxes without `openat2`.
fn walk_beneath(anchor: BorrowedFd<'_>, path: &str, flags: OFlags) -> Result<OwnedFd, Errno> {
    let step = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let mut parts = path.split('/').peekable();
    let mut folder: Option<OwnedFd> = None;
    while let Some(part) = parts.next() {
        let here = folder.as_ref().map_or(anchor, AsFd::as_fd);
        // A link opened with PATH and NOFOLLOW would be opened itself: it is recognised and refused.
        let found = openat(here, part, step, Mode::empty())?;
        match FileType::from_raw_mode(fstat(&found)?.st_mode) {
            FileType::Symlink => return Err(Errno::LOOP),
            FileType::Directory => {}
            _ if parts.peek().is_some() => return Err(Errno::NOTDIR),
            _ => {}
        }
        if parts.peek().is_none() {
            return openat(here, part, flags | OFlags::NOFOLLOW, Mode::empty());
        }
        folder = Some(found);
    }
    Err(Errno::NOENT)
}

/// An absolute path without empty parts, `.` and trailing slashes; `None` when it is relative or
/// holds `..` or a NUL.
fn normal(path: &str) -> Option<String> {
    let rest = path.strip_prefix('/')?;
    if rest.contains('\0') {
        return None;
    }
    let mut plain = String::with_capacity(path.len());
    for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
        if part == ".." {
            return None;
        }
        plain.push('/');
        plain.push_str(part);
    }
    Some(if plain.is_empty() { "/".to_owned() } else { plain })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files and links themselves")]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    struct House {
        _folder: tempfile::TempDir,
        base: String,
        roots: MediaRoots,
    }

    /// A data directory `data` with a file `media/a/cover.png`, an extra root `extra`, a stranger's
    /// file `secret`, and links from inside the roots to the outside.
    fn house() -> House {
        let folder = tempfile::tempdir().expect("temporary folder");
        let base = folder.path().canonicalize().expect("real path");
        for path in ["data/media/a", "extra/b", "other"] {
            fs::create_dir_all(base.join(path)).expect("folder");
        }
        for path in ["data/media/a/cover.png", "extra/b/video.mp4", "secret", "other/x.png"] {
            fs::write(base.join(path), path).expect("file");
        }
        symlink(base.join("secret"), base.join("data/media/a/link.png")).expect("link");
        symlink(base.join("other"), base.join("data/media/way")).expect("link");
        symlink(base.join("extra"), base.join("alias")).expect("link");
        symlink("cover.png", base.join("data/media/a/near.png")).expect("link");
        let roots = MediaRoots::new(&base.join("data"), &[base.join("extra"), base.join("alias")]);
        let base = base.to_str().expect("text").to_owned();
        House { _folder: folder, base, roots }
    }

    fn read(house: &House, path: &str) -> String {
        match house.roots.open(&format!("{}/{path}", house.base)) {
            Ok(file) => std::io::read_to_string(file).expect("readable"),
            Err(error) => error.to_string(),
        }
    }

    #[test]
    fn opens_files_inside_and_nothing_else() {
        let house = house();
        assert_eq!(read(&house, "data/media/a/cover.png"), "data/media/a/cover.png");
        assert_eq!(read(&house, "extra/b/video.mp4"), "extra/b/video.mp4");
        for outside in [
            "secret",
            "data/media",
            "data/media/../../secret",
            "data/media/a/../../../secret",
            "data/media/./a/cover.png",
            "data/mediax/a",
            "data/media//a/cover.png",
        ] {
            assert_eq!(read(&house, outside), MediaPathError::Outside.to_string(), "{outside}");
        }
        for link in ["data/media/a/link.png", "data/media/way/x.png", "alias/b/video.mp4"] {
            assert_eq!(read(&house, link), MediaPathError::Link.to_string(), "{link}");
        }
        for missing in ["data/media/a", "data/media/none.png", "data/media/a/cover.png/x"] {
            assert_eq!(read(&house, missing), MediaPathError::Missing.to_string(), "{missing}");
        }
        assert!(house.roots.open("media/a/cover.png").is_err());
    }

    #[test]
    fn approves_what_may_come_and_refuses_links() {
        let house = house();
        let approve = |path: &str| house.roots.approve(&format!("{}/{path}", house.base));
        assert_eq!(
            approve("data//media/./new/cover.png").expect("approved"),
            format!("{}/data/media/new/cover.png", house.base)
        );
        assert!(matches!(approve("data/media/a/link.png"), Err(MediaPathError::Link)));
        assert!(matches!(approve("data/media/a/near.png"), Err(MediaPathError::Link)));
        assert!(matches!(approve("data/media/way/new.png"), Err(MediaPathError::Link)));
        assert!(matches!(approve("data/media/x/../y"), Err(MediaPathError::Outside)));
        assert!(matches!(approve("data/media"), Err(MediaPathError::Outside)));
        assert!(matches!(house.roots.approve("relative.png"), Err(MediaPathError::Outside)));
    }

    #[test]
    fn the_step_by_step_way_agrees_with_the_kernel() {
        let house = house();
        let anchor = openat(CWD, house.base.as_str(), OFlags::PATH, Mode::empty()).expect("open");
        for path in [
            "data/media/a/cover.png",
            "data/media/a",
            "data/media/a/link.png",
            "data/media/way/x.png",
            "data/media/none/x",
            "secret/x",
            "alias",
        ] {
            let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS;
            let flags = OFlags::RDONLY | OFlags::CLOEXEC;
            let kernel = openat2(&anchor, path, flags, Mode::empty(), resolve).map(|_| ());
            let walked = walk_beneath(anchor.as_fd(), path, flags).map(|_| ());
            assert_eq!(kernel, walked, "{path}");
        }
    }

    #[test]
    fn a_data_directory_behind_a_link_works_in_both_spellings() {
        let house = house();
        let base = Path::new(&house.base);
        symlink(base.join("data"), base.join("home")).expect("link");
        let roots = MediaRoots::new(&base.join("home"), &[]);
        for spelled in ["home", "data"] {
            let path = format!("{}/{spelled}/media/a/cover.png", house.base);
            assert!(roots.open(&path).is_ok(), "{spelled}");
        }
    }

    #[test]
    fn a_root_around_the_data_directory_does_not_cover_its_state() {
        let house = house();
        let base = PathBuf::from(&house.base);
        for root in [base.clone(), base.join("data")] {
            let roots = MediaRoots::new(&base.join("data"), &[root]);
            let covers = |path: &str| roots.covers(&format!("{}/{path}", house.base));
            assert!(covers("data/media/a/cover.png"));
            assert!(!covers("data/server.token") && !covers("data/backups/a.zip"));
        }
        let roots = MediaRoots::new(&base.join("data"), &[base, house.base.clone().into()]);
        assert!(roots.covers(&format!("{}/extra/x", house.base)));
    }

    #[test]
    fn odd_roots_are_left_out() {
        let extra = ["/", "relative", "/a/../b", "/ok/"].map(PathBuf::from);
        let roots = MediaRoots::new(Path::new("/nowhere"), &extra);
        assert!(roots.covers("/ok/x") && roots.covers_folder("/ok") && !roots.covers("/ok"));
        assert!(!roots.covers("/etc/passwd") && !roots.covers("/b/x"));
        let many: Vec<PathBuf> = (0..40).map(|at| PathBuf::from(format!("/r{at}"))).collect();
        let roots = MediaRoots::new(Path::new("/nowhere"), &many);
        assert!(roots.covers("/r31/x") && !roots.covers("/r32/x"));
    }
}
