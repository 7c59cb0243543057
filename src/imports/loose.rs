//! Games of one console as loose files: executables below a folder, archives in a folder.
//!
//! Serves `/api/import/console-x` and `/api/import/loose-arcade`.

use std::path::Path;

use crate::{
    model::Record,
    process::search,
    scan::{
        tree::{EntryKind, Tree},
        walk::{self, DEPTH},
    },
};

use super::{incoming::Incoming, rows};

/// The platform, source and collection of the console with loose executables.
const CONSOLE: &str = "Xbox 360";
/// The executables that stand for their whole folder.
const DEFAULT_ENTRIES: [&str; 2] = ["default.xex", "default.xbe"];
/// The platform and collection of loose archives.
const ARCADE: &str = "Arcade";

/// The games below a folder of console executables (`console-x`): `default.xex` and `default.xbe` are named
/// after their folder, any other `.xex` or `.xbe` after itself.
pub fn console(tree: &dyn Tree, root: &str, command: &str) -> Vec<Incoming> {
    let (launch, gone) = launch(command, &[("xenia", "--launch"), ("xenia-canary", "--launch")]);
    let is_wanted = |name: &str| has_ending(name, &["xex", "xbe"]);
    files(tree, root, DEPTH, is_wanted)
        .into_iter()
        .map(|(folder, name)| {
            let is_default = DEFAULT_ENTRIES.iter().any(|entry| name.eq_ignore_ascii_case(entry));
            let title = if is_default {
                folder.rsplit('/').next().unwrap_or_default()
            } else {
                stem(&name)
            };
            let row = row(&folder, &name, title, CONSOLE, CONSOLE, CONSOLE, &launch);
            Incoming { gone: gone.clone(), ..row }
        })
        .collect()
}

/// The archives directly in a folder (`loose-arcade`).
pub fn arcade(tree: &dyn Tree, root: &str, command: &str) -> Vec<Incoming> {
    let (launch, gone) = launch(command, &[("hypseus", ""), ("singe", "")]);
    let is_wanted = |name: &str| has_ending(name, &["zip", "7z", "singe", "rom"]);
    files(tree, root, 0, is_wanted)
        .into_iter()
        .map(|(folder, name)| {
            let is_singe = name.to_lowercase().contains("singe");
            let source = if is_singe { "Hypseus Singe" } else { "Loose Arcade" };
            let mut game = row(&folder, &name, stem(&name), ARCADE, source, ARCADE, &launch);
            game.record.set("rom_name", stem(&name));
            Incoming { gone: gone.clone(), ..game }
        })
        .collect()
}

/// The command of an executable file. Its path may hold blanks; the token keeps it one argument.
const ALONE: &str = "{path}";

/// The command of the user, else that of the first installed player, else the file itself; and the
/// commands of missing players, which the command of an installed one replaces.
fn launch(command: &str, players: &[(&str, &str)]) -> (String, Vec<String>) {
    if !command.trim().is_empty() {
        return (command.trim().to_owned(), Vec::new());
    }
    let command = |(program, option): &(&str, &str)| {
        let words = [program, *option, ALONE].into_iter().filter(|word| !word.is_empty());
        words.collect::<Vec<_>>().join(" ")
    };
    let is_here = |(program, _): &&(&str, &str)| search::on_path(program).is_some();
    let Some(found) = players.iter().find(is_here) else {
        return (ALONE.to_owned(), Vec::new());
    };
    let missing = players.iter().filter(|player| !is_here(player));
    (command(found), missing.map(command).chain([ALONE.to_owned()]).collect())
}

fn row(
    folder: &str,
    name: &str,
    title: &str,
    platform: &str,
    source: &str,
    collection: &str,
    launch: &str,
) -> Incoming {
    let path = walk::join(folder, name);
    let title = title.replace('_', " ");
    let title = if title.trim().is_empty() { name } else { title.trim() };
    let mut record = Record::default();
    record.set("name", title);
    record.set("platform", platform);
    record.set("source", source);
    record.set("collection", collection);
    rows::set_command(&mut record, launch, platform);
    record.set("path", path);
    Incoming { record, label: source.to_owned(), is_file: true, ..Incoming::default() }
}

/// The files of a tree by folder and name, in the order of their paths. Links to folders are not
/// entered; names that are not UTF-8 cannot be stored and are skipped.
pub fn files(
    tree: &dyn Tree,
    root: &str,
    depth: usize,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut waiting = vec![(root.to_owned(), 0)];
    while let Some((folder, level)) = waiting.pop() {
        let Ok(listing) = tree.list(Path::new(&folder)) else { continue };
        for entry in listing.entries {
            let Ok(name) = entry.name.into_string() else { continue };
            if walk::is_discarded(&name) {
                continue;
            }
            let path = walk::join(&folder, &name);
            match entry.kind {
                EntryKind::Folder if level < depth => waiting.push((path, level + 1)),
                EntryKind::File if is_wanted(&name) => found.push((folder.clone(), name)),
                EntryKind::Link if is_wanted(&name) && tree.leads_to_file(Path::new(&path)) => {
                    found.push((folder.clone(), name));
                }
                _ => {}
            }
        }
    }
    found.sort_by_cached_key(|(folder, name)| walk::join(folder, name));
    found
}

fn has_ending(name: &str, endings: &[&str]) -> bool {
    let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
    endings.iter().any(|known| known.eq_ignore_ascii_case(ending))
}

/// A file name without its extension.
pub fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tree::memory::MemoryTree;

    #[track_caller]
    fn check(games: &[Incoming], expected: &[(&str, &str, &str)]) {
        let shown: Vec<_> = games
            .iter()
            .map(|game| {
                (game.record.text("name"), game.record.text("path"), game.record.text("source"))
            })
            .collect();
        assert_eq!(shown, expected);
    }

    #[test]
    fn console_executables_are_named_after_folder_or_file() {
        let tree = MemoryTree::with(&[
            "/x/Blue_Dragon/default.xex",
            "/x/Fable/default.xbe",
            "/x/deep/er/Other_Game.XBE",
            "/x/readme.txt",
            "/x/default.XEX",
        ]);
        let games = console(&tree, "/x", " my player {path} ");
        check(
            &games,
            &[
                ("Blue Dragon", "/x/Blue_Dragon/default.xex", "Xbox 360"),
                ("Fable", "/x/Fable/default.xbe", "Xbox 360"),
                ("Other Game", "/x/deep/er/Other_Game.XBE", "Xbox 360"),
                ("x", "/x/default.XEX", "Xbox 360"),
            ],
        );
        assert_eq!(games[0].record.text("launch"), "my player {path}");
        assert_eq!(games[0].record.text("platform"), "Xbox 360");
    }

    #[test]
    fn loose_archives_lie_in_the_folder_itself() {
        let tree = MemoryTree::with(&[
            "/a/dragon_lair.zip",
            "/a/Singe_Game.singe",
            "/a/sub/x.zip",
            "/a/y.7z",
        ]);
        let games = arcade(&tree, "/a", "");
        check(
            &games,
            &[
                ("Singe Game", "/a/Singe_Game.singe", "Hypseus Singe"),
                ("dragon lair", "/a/dragon_lair.zip", "Loose Arcade"),
                ("y", "/a/y.7z", "Loose Arcade"),
            ],
        );
        assert_eq!(games[1].record.text("rom_name"), "dragon_lair");
    }
}
