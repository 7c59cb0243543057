//! Showing a folder, and opening a file or a page with what the desktop has for it.

use std::{
    ffi::OsStr,
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::Find;
use crate::{
    base::schema::schema,
    net::location::Location,
    process::{Spec, spawn},
};

/// Opens everything with the program that the user chose for it.
const OPENER: &str = "xdg-open";
/// Bytes of the longest address.
const ADDRESS_BYTES: usize = 8 << 10;

/// A request that names nothing that could be opened.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum BadTarget {
    #[error("path is required.")]
    NoPath,
    #[error("url or path is required.")]
    Nothing,
    #[error("The path must be absolute.")]
    Relative,
    #[error("Only http and https addresses without credentials can be opened.")]
    Address,
}

/// Why something was not opened.
#[derive(Debug, thiserror::Error)]
pub enum NotOpened {
    #[error("The path does not exist.")]
    Missing,
    /// It lies neither in the home of the user nor in the data directory.
    #[error("Only what lies in your home folder or in the data directory is opened.")]
    Outside,
    #[error("Programs are not opened from here.")]
    Program,
    #[error("{OPENER} is required to open folders, files and pages.")]
    NoOpener,
    #[error("{OPENER} could not be started.")]
    Spawn(#[from] spawn::SpawnError),
}

schema! {
    /// `POST /api/native/reveal` and `POST /api/native/open-external`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Opened {
        /// Whether a program of the desktop was started for it.
        pub ok: bool,
        /// Why not.
        pub error: Option<String>,
    }
}

impl Opened {
    /// The reply to an attempt.
    pub fn of(outcome: Result<(), NotOpened>) -> Self {
        let error = outcome.err().map(|error| error.to_string());
        Self { ok: error.is_none(), error }
    }
}

/// Checks an absolute path of a request.
///
/// # Errors
/// [`BadTarget`].
pub fn path_of(text: &str) -> Result<PathBuf, BadTarget> {
    let path = Path::new(text);
    match text {
        "" => Err(BadTarget::NoPath),
        _ if !path.is_absolute() || text.contains('\0') => Err(BadTarget::Relative),
        _ => Ok(path.to_owned()),
    }
}

/// Checks the address of a page.
///
/// # Errors
/// [`BadTarget::Address`].
pub fn page_of(text: &str) -> Result<String, BadTarget> {
    let is_plain = text.len() <= ADDRESS_BYTES && !text.chars().any(char::is_control);
    // A fragment is fine here, and is all that the rules for requests refuse besides.
    let sent = text.split('#').next().unwrap_or_default();
    let is_page = is_plain && !text.contains(char::is_whitespace) && Location::parse(sent).is_ok();
    is_page.then(|| text.to_owned()).ok_or(BadTarget::Address)
}

/// Shows the folder that a path lies in, or the folder itself.
///
/// # Errors
/// [`NotOpened`].
pub fn reveal(path: &Path, allowed: &[&Path], find: Find<'_>) -> Result<(), NotOpened> {
    let path = inside(path, allowed)?;
    let folder = if path.is_dir() { &*path } else { path.parent().unwrap_or(Path::new("/")) };
    open(folder.as_os_str(), find)
}

/// Opens a file or a folder. A program is not started.
///
/// # Errors
/// [`NotOpened`].
pub fn open_path(path: &Path, allowed: &[&Path], find: Find<'_>) -> Result<(), NotOpened> {
    let path = inside(path, allowed)?;
    if path.is_file() {
        let mode = path.metadata().map_err(|_| NotOpened::Missing)?.permissions().mode();
        let starts = ["desktop", "appimage"];
        let ending = path.extension().unwrap_or_default().to_ascii_lowercase();
        if mode & 0o111 != 0 || starts.iter().any(|known| ending == *known) {
            return Err(NotOpened::Program);
        }
    }
    open(path.as_os_str(), find)
}

/// The path without links, when that lies in one of the allowed folders.
fn inside(path: &Path, allowed: &[&Path]) -> Result<PathBuf, NotOpened> {
    let real = path.canonicalize().map_err(|_| NotOpened::Missing)?;
    let roots = allowed.iter().filter_map(|root| root.canonicalize().ok());
    let mut roots = roots.filter(|root| root.parent().is_some());
    if roots.any(|root| real.starts_with(root)) { Ok(real) } else { Err(NotOpened::Outside) }
}

/// Opens a target that was checked.
///
/// # Errors
/// [`NotOpened::NoOpener`] and [`NotOpened::Spawn`].
pub fn open(target: &OsStr, find: Find<'_>) -> Result<(), NotOpened> {
    let opener = find(OPENER).ok_or(NotOpened::NoOpener)?;
    spawn::spawn(&Spec::new([opener.as_os_str(), target])).map(drop)?;
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{fs, os::unix::fs::symlink};

    use super::*;

    #[test]
    fn only_pages_and_absolute_paths_are_targets() {
        for good in
            ["http://example.org", "https://example.org:8443/a?b=c#d", "HTTPS://EXAMPLE.org"]
        {
            assert_eq!(page_of(good).as_deref(), Ok(good));
        }
        for bad in [
            "",
            "javascript:alert(1)",
            "file:///etc/passwd",
            "ftp://example.org",
            "https://",
            "https://user:secret@example.org",
            "https://example.org/\n--help",
            "https://example.org/a b",
            "--help",
            "example.org",
        ] {
            assert_eq!(page_of(bad), Err(BadTarget::Address), "{bad}");
        }
        assert_eq!(
            page_of(&format!("https://e.org/{}", "x".repeat(ADDRESS_BYTES))),
            Err(BadTarget::Address)
        );
        assert_eq!(path_of(""), Err(BadTarget::NoPath));
        assert_eq!(path_of("a/b"), Err(BadTarget::Relative));
        assert_eq!(path_of("/a\0"), Err(BadTarget::Relative));
        assert_eq!(path_of("/a"), Ok("/a".into()));
    }

    #[test]
    fn nothing_outside_and_no_program_is_opened() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("a real path");
        let root = home.join("mine");
        fs::create_dir(&root).expect("made");
        for name in ["mine/a.txt", "mine/a.desktop", "mine/run", "secret"] {
            fs::write(home.join(name), "x").expect("written");
        }
        fs::set_permissions(root.join("run"), fs::Permissions::from_mode(0o755)).expect("set");
        symlink(home.join("secret"), root.join("link")).expect("linked");
        let none = |_: &str| None;
        let tried =
            |name: &str| open_path(&root.join(name), &[&root], &none).expect_err(name).to_string();
        let no_opener = NotOpened::NoOpener.to_string();
        assert_eq!(tried("a.txt"), no_opener);
        assert_eq!(tried("a.desktop"), NotOpened::Program.to_string());
        assert_eq!(tried("run"), NotOpened::Program.to_string());
        assert_eq!(tried("link"), NotOpened::Outside.to_string());
        assert_eq!(tried("../secret"), NotOpened::Outside.to_string());
        assert_eq!(tried("none"), NotOpened::Missing.to_string());
        let shown = |name: &str| reveal(&root.join(name), &[&root], &none).expect_err(name);
        assert_eq!(shown("run").to_string(), no_opener);
        assert_eq!(shown("").to_string(), no_opener);
        assert_eq!(shown("..").to_string(), NotOpened::Outside.to_string());
        let everything = open_path(&root.join("a.txt"), &[Path::new("/")], &none);
        assert!(matches!(everything, Err(NotOpened::Outside)), "the root folder allows nothing");
    }
}
