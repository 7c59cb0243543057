//! Scans of a real folder full of unusual files.

#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
};

use rustix::fs::{CWD, FileType, Mode, mknodat};

use super::candidates::{self, Preferences};
use crate::scan::{discs::Entry, tree::Disk};

/// A temporary folder whose own path holds no symbolic link.
pub(super) struct NastyFolder {
    _guard: tempfile::TempDir,
    pub(super) root: PathBuf,
    /// The UTF-8 names of games in it, below the root.
    pub(super) games: Vec<String>,
    /// Entries an import has to leave out and count.
    pub(super) uncountable: usize,
}

/// Makes 200 files and the things that are not files around them.
pub(super) fn nasty_folder() -> NastyFolder {
    let guard = tempfile::tempdir().expect("temporary folder");
    let root = fs::canonicalize(guard.path()).expect("real path").join("roms");
    fs::create_dir(&root).expect("folder");
    let signs = [
        "new\nline",
        "carriage\rreturn",
        "quote\"",
        "apostrophe'",
        "back\\slash",
        "-dash",
        "--help",
        " leading",
        "trailing ",
        "tab\t",
        "$(reboot)",
        "`id`",
        "*",
        "?",
        "{path}",
        "%s%n",
        "\u{1b}[31m",
        "\u{7f}",
        "\u{202e}rtl",
        "e\u{301}",
        "é",
        "🎮",
        "名前",
        "#hash",
        "&amp;",
        "<b>",
        "a=b;c|d>e",
        "...",
        ".hidden",
        "~",
        "!",
        "\u{feff}bom",
        "\u{a0}nbsp",
        "CON",
        "nul",
    ];
    let mut games: Vec<String> =
        signs.iter().enumerate().map(|(at, sign)| format!("{sign} {at}.nes")).collect();
    games.push(format!("{}.nes", "x".repeat(251)));
    games.push("UPPER CASE.NES".to_owned());
    let deep = "nested\nfolder/in \"another\"/-x".to_owned();
    games.push(format!("{deep}/deep.sfc"));
    for number in games.len()..200 {
        games.push(format!("shelf {}/Plain Game {number}.gba", number % 7));
    }
    for name in &games {
        put(&root.join(name));
    }
    put(&root.join("notes.txt"));
    put(&root.join(".nes"));
    put(&root.join(OsStr::from_bytes(b"latin \xe9.nes")));
    put(&root.join(OsStr::from_bytes(b"latin \xe9 folder/inside.nes")));
    symlink(&root, root.join("loop")).expect("link");
    symlink(&root, root.join("loop.nes")).expect("link");
    symlink(root.join("nowhere"), root.join("dangling.nes")).expect("link");
    symlink("self.nes", root.join("self.nes")).expect("link");
    mknodat(CWD, root.join("pipe.nes"), FileType::Fifo, Mode::RUSR | Mode::WUSR, 0).expect("pipe");
    drop(UnixListener::bind(root.join("socket.nes")).expect("socket"));
    fs::create_dir(root.join("folder.nes")).expect("folder");
    NastyFolder { _guard: guard, root, games, uncountable: 2 }
}

fn put(path: &Path) {
    let folder = path.parent().expect("inside the root");
    fs::create_dir_all(folder).expect("folder");
    fs::write(path, path.as_os_str().as_bytes()).expect("file");
}

#[test]
fn takes_every_file_and_nothing_else() {
    let nasty = nasty_folder();
    symlink(nasty.root.join("UPPER CASE.NES"), nasty.root.join("linked game.nes")).expect("link");
    let root = nasty.root.to_str().expect("UTF-8").to_owned();
    let found = candidates::find(&Disk, &root, Path::new("/nowhere"), &Preferences::default());
    let mut paths: Vec<String> = found
        .games
        .iter()
        .flat_map(|game| std::iter::once(&game.best).chain(&game.others))
        .map(Entry::path)
        .collect();
    let mut expected: Vec<String> = nasty
        .games
        .iter()
        .map(String::as_str)
        .chain(["linked game.nes"])
        .map(|name| format!("{root}/{name}"))
        .collect();
    paths.sort();
    expected.sort();
    assert_eq!(paths, expected);
    assert_eq!(found.skipped, nasty.uncountable);
}

#[test]
fn a_folder_that_vanishes_or_refuses_is_counted() {
    let nasty = nasty_folder();
    let gone = nasty.root.join("gone");
    let found = candidates::find(
        &Disk,
        gone.to_str().expect("UTF-8"),
        Path::new("/nowhere"),
        &Preferences::default(),
    );
    assert_eq!((found.games.len(), found.skipped), (0, 1));
}
