//! Names of three kinds of sets, in folders as collectors, ES-DE and LaunchBox call them.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::candidates::{self, Candidates, Preferences};
use crate::scan::{discs::Entry, references::GameFile, tree::memory::MemoryTree};

/// Names over all sets; the first line says what stands in a line.
const NAMES: &str = include_str!("../../tests/golden/set-names.tsv");
/// Lines that must be recognised, of a thousand.
const RIGHT: usize = 995;

/// Which folder of a line is laid out.
#[derive(Clone, Copy, Debug)]
enum Layout {
    Set = 0,
    EsDe = 3,
    LaunchBox = 4,
}

/// The files of a layout with the platforms they should get; an empty platform for no game.
fn files(layout: Layout) -> BTreeMap<String, &'static str> {
    let lines = NAMES.lines().filter(|line| !line.starts_with('#'));
    let lines = lines.map(|line| line.split('\t').collect::<Vec<_>>());
    let lines = lines.filter(|line| !line[layout as usize].is_empty());
    let platform = |line: &Vec<&'static str>| if line[2] == "-" { "" } else { line[2] };
    lines
        .map(|line| (format!("/r/{}/{}", line[layout as usize], line[1]), platform(&line)))
        .collect()
}

/// The platform of every file that is a game, a version or a disc.
fn found(candidates: &Candidates) -> BTreeMap<String, &'static str> {
    let mut found = BTreeMap::new();
    let entries =
        candidates.games.iter().flat_map(|game| std::iter::once(&game.best).chain(&game.others));
    for entry in entries {
        if let Entry::Single(GameFile { file, .. }) = entry {
            found.insert(file.path(), entry.platform());
        }
        found.extend(entry.disc_paths().into_iter().map(|path| (path, entry.platform())));
    }
    found
}

#[track_caller]
fn check(layout: Layout) {
    let files = files(layout);
    let paths: Vec<&String> = files.keys().collect();
    assert!(paths.len() > 250, "{layout:?}: {}", paths.len());
    let candidates = candidates::find(
        &MemoryTree::with(&paths),
        "/r",
        Path::new("/data"),
        &Preferences::default(),
    );
    let found = found(&candidates);
    assert_eq!(
        found.len() + candidates.parts + candidates.unknown.total() + candidates.skipped,
        files.len(),
        "{layout:?}: every file is a game, a part of one, or counted"
    );
    let wrong: BTreeSet<String> = files
        .iter()
        .filter(|(path, platform)| found.get(*path).copied().unwrap_or_default() != **platform)
        .map(|(path, platform)| format!("{path}: {:?} for {platform:?}", found.get(path)))
        .collect();
    assert!((files.len() - wrong.len()) * 1000 >= files.len() * RIGHT, "{layout:?}: {wrong:#?}");
}

#[test]
fn folders_of_sets_are_recognised() {
    check(Layout::Set);
}

#[test]
fn folders_of_es_de_are_recognised() {
    check(Layout::EsDe);
}

#[test]
fn folders_of_launchbox_are_recognised() {
    check(Layout::LaunchBox);
}
