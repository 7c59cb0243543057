//! Real names with what a reader makes of each: title, tags, discs, versions.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::Path,
};

use super::candidates::{self, Preferences};
use crate::{
    names::{self, marker},
    scan::{discs::Entry, references::GameFile, tree::memory::MemoryTree},
};

/// Names of many sets; the first line says what the columns are.
const LABELLED: &str = include_str!("../../tests/golden/labelled-names.tsv");
/// Rows that must be right in each column, of a thousand.
const RIGHT: usize = 990;

/// A row of the table, with the columns of its first line.
struct Row {
    set: &'static str,
    file: &'static str,
    title: &'static str,
    region: &'static str,
    languages: &'static str,
    revision: &'static str,
    status: &'static str,
    disc: &'static str,
    game: &'static str,
    best: &'static str,
}

/// The rows that name a game.
fn rows() -> Vec<Row> {
    let lines = LABELLED.lines().filter(|line| !line.starts_with('#'));
    let rows = lines.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let [set, file, title, region, languages, revision, status, disc, game, best] = columns[..]
        else {
            panic!("not ten columns: {line}");
        };
        Row { set, file, title, region, languages, revision, status, disc, game, best }
    });
    rows.filter(|row| row.title != "-").collect()
}

/// Fails when too many rows differ, and lists them.
#[track_caller]
fn check(column: &str, rows: usize, wrong: &BTreeSet<String>) {
    assert!(rows > 1_500, "{column}: only {rows} rows");
    assert!((rows - wrong.len()) * 1_000 >= rows * RIGHT, "{column}, {rows} rows: {wrong:#?}");
}

fn check_column(column: &str, label: impl Fn(&Row) -> &'static str, read: impl Fn(&str) -> String) {
    let rows = rows();
    let wrong = rows.iter().filter_map(|row| {
        let stem = row.file.rsplit_once('.').map_or(row.file, |(stem, _)| stem);
        let stem = stem.strip_suffix(".p8").unwrap_or(stem);
        let (label, read) = (label(row), read(stem));
        (read != label).then(|| format!("{}: {read:?} for {label:?}", row.file))
    });
    check(column, rows.len(), &wrong.collect());
}

#[test]
fn titles_are_as_a_reader_sees_them() {
    check_column(
        "title",
        |row| row.title,
        |stem| {
            // The marker of a disc is not part of the title of its game.
            let marked = marker::split(stem);
            let marked = marked.filter(|marked| !marked.title.is_empty());
            names::parse(marked.as_ref().map_or(stem, |marked| &marked.title)).title
        },
    );
}

#[test]
fn regions_are_as_a_reader_sees_them() {
    check_column("region", |row| row.region, |stem| names::parse(stem).tags.region_text());
}

#[test]
fn languages_are_as_a_reader_sees_them() {
    check_column(
        "languages",
        |row| row.languages,
        |stem| names::parse(stem).tags.languages.join(","),
    );
}

#[test]
fn revisions_are_as_a_reader_sees_them() {
    check_column(
        "revision",
        |row| row.revision,
        |stem| names::parse(stem).tags.revision.unwrap_or_default(),
    );
}

#[test]
fn statuses_are_as_a_reader_sees_them() {
    check_column(
        "status",
        |row| row.status,
        |stem| {
            let status = names::parse(stem).tags.release_status;
            status.map(names::ReleaseStatus::name).unwrap_or_default().to_owned()
        },
    );
}

/// The files of an entry: itself, or its discs.
fn files_of(entry: &Entry) -> Vec<String> {
    match entry {
        Entry::Single(GameFile { file, .. }) => vec![file.path()],
        Entry::Discs(_) => entry.disc_paths(),
    }
}

#[test]
fn versions_and_discs_are_joined_as_a_reader_joins_them() {
    let mut sets: BTreeMap<&str, Vec<Row>> = BTreeMap::new();
    for row in rows() {
        sets.entry(row.set).or_default().push(row);
    }
    let (mut count, mut strangers, mut chosen) = (0, BTreeSet::new(), BTreeSet::new());
    for (set, rows) in sets {
        let path = |row: &Row| format!("/r/{set}/{}", row.file);
        let by_path: BTreeMap<String, &Row> = rows.iter().map(|row| (path(row), row)).collect();
        let paths: Vec<&String> = by_path.keys().collect();
        let tree = MemoryTree::with(&paths);
        let found = candidates::find(&tree, "/r", Path::new("/data"), &Preferences::default());
        for game in &found.games {
            let best = files_of(&game.best);
            let others = game.others.iter().flat_map(files_of);
            let joined: BTreeSet<String> = best.iter().cloned().chain(others).collect();
            let labels: BTreeSet<&str> = joined.iter().map(|path| by_path[path].game).collect();
            let label = by_path[&best[0]].game;
            let together: BTreeSet<String> =
                rows.iter().filter(|row| row.game == label).map(path).collect();
            // Files that are not a game in this folder are another matter.
            let all = found.games.iter().flat_map(|game| {
                std::iter::once(&game.best).chain(&game.others).flat_map(files_of)
            });
            let together: BTreeSet<String> = all.filter(|path| together.contains(path)).collect();
            count += joined.len();
            if labels.len() > 1 || together != joined {
                strangers.insert(format!("{joined:?} for {together:?}"));
            } else if best.iter().any(|path| by_path[path].best.is_empty()) {
                let right: Vec<_> =
                    joined.iter().filter(|path| !by_path[*path].best.is_empty()).collect();
                chosen.insert(format!("{best:?} for {right:?}"));
            }
        }
    }
    check("games", count, &strangers);
    check("chosen versions", count, &chosen);
}

#[test]
fn discs_are_as_a_reader_sees_them() {
    check_column(
        "disc",
        |row| row.disc,
        |stem| marker::split(stem).map(|marked| marked.disc.to_owned()).unwrap_or_default(),
    );
}
