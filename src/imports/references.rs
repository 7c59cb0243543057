//! Files that a sheet names are parts of it, not games of their own.
//!
//! A playlist outranks a cue sheet, and a cue sheet outranks every other file; a sheet takes only
//! files of lower rank. So no two sheets can make each other disappear, whatever they say.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use crate::formats::{cue, m3u};

use super::{
    extensions::Role,
    tree::Tree,
    walk::{FoundFile, join},
};

/// The part of a sheet that is read; a real one is a few hundred bytes.
pub const SHEET_BYTES: u64 = 1024 * 1024;

/// A file that stands for a game, with the found files its playlist names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Standing {
    /// The file itself.
    pub file: FoundFile,
    /// For a playlist, the files it names among the found ones, in its order; otherwise empty.
    pub discs: Box<[FoundFile]>,
}

/// Drops every file that a sheet among `files` names, and keeps the order of the others. A sheet
/// that cannot be read names nothing.
pub fn drop_named(tree: &dyn Tree, files: Vec<FoundFile>) -> Vec<Standing> {
    let mut sheets: Vec<usize> = (0..files.len()).filter(|at| rank(&files[*at]) > 0).collect();
    if sheets.is_empty() {
        return files.into_iter().map(|file| Standing { file, discs: Box::default() }).collect();
    }
    // The order decides only which of two sheets lists a shared disc; the highest comes first.
    sheets.sort_by_key(|at| std::cmp::Reverse(rank(&files[*at])));
    let index: HashMap<String, usize> =
        files.iter().enumerate().map(|(at, file)| (file.path(), at)).collect();
    let mut is_named = vec![false; files.len()];
    let mut discs: HashMap<usize, Box<[FoundFile]>> = HashMap::new();
    for sheet in sheets {
        let named = named_files(tree, &files, &index, sheet);
        for at in &named {
            is_named[*at] = true;
        }
        if files[sheet].extension.role == Role::Playlist {
            discs.insert(sheet, named.into_iter().map(|at| files[at].clone()).collect());
        }
    }
    files
        .into_iter()
        .enumerate()
        .filter(|(at, _)| !is_named[*at])
        .map(|(at, file)| Standing { file, discs: discs.remove(&at).unwrap_or_default() })
        .collect()
}

/// The found files of lower rank that one sheet names, each once, in its order.
fn named_files(
    tree: &dyn Tree,
    files: &[FoundFile],
    index: &HashMap<String, usize>,
    sheet: usize,
) -> Vec<usize> {
    let file = &files[sheet];
    let Ok(bytes) = tree.read_start(Path::new(&file.path()), SHEET_BYTES) else {
        return Vec::new();
    };
    let entries = match file.extension.role {
        Role::Playlist => m3u::parse(&bytes),
        _ => cue::files(&bytes),
    };
    let mut named = Vec::new();
    let mut seen = HashSet::new();
    for entry in entries {
        let found = index.get(&resolve(&file.folder, &entry)).or_else(|| {
            // Sheets made on Windows separate folders with backslashes.
            let slashed = entry.contains('\\').then(|| entry.replace('\\', "/"))?;
            index.get(&resolve(&file.folder, &slashed))
        });
        if let Some(at) = found
            && rank(&files[*at]) < rank(file)
            && seen.insert(*at)
        {
            named.push(*at);
        }
    }
    named
}

fn rank(file: &FoundFile) -> u8 {
    match file.extension.role {
        Role::Playlist => 2,
        Role::CueSheet => 1,
        Role::Rom | Role::Program => 0,
    }
}

/// The absolute path an entry of a sheet in `folder` means. `.` and `..` are resolved by text
/// alone, which is exact because the walk enters no linked folder.
fn resolve(folder: &str, entry: &str) -> String {
    let whole = if entry.starts_with('/') { entry.to_owned() } else { join(folder, entry) };
    let mut parts: Vec<&str> = Vec::new();
    for part in whole.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    format!("/{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::{
        super::{tree::memory::MemoryTree, walk::walk},
        *,
    };

    #[track_caller]
    fn check(files: &[(&str, &str)], standing: &[&str]) {
        let mut tree = MemoryTree::default();
        for (path, content) in files {
            tree.put(path, content.as_bytes());
        }
        let found = walk(&tree, "/r", Path::new("/data")).files;
        let left: Vec<String> =
            drop_named(&tree, found).iter().map(|standing| standing.file.path()).collect();
        assert_eq!(left, standing);
    }

    #[test]
    fn sheets_take_what_they_name() {
        check(
            &[
                ("/r/Game.m3u", "#EXTM3U\nGame (Disc 1).cue\nGame (Disc 2).cue\n"),
                ("/r/Game (Disc 1).cue", "FILE \"Game (Disc 1).iso\" BINARY"),
                ("/r/Game (Disc 1).iso", ""),
                ("/r/Game (Disc 2).cue", ""),
                ("/r/Other.iso", ""),
            ],
            &["/r/Game.m3u", "/r/Other.iso"],
        );
    }

    #[test]
    fn entries_may_be_relative_absolute_or_windows_paths() {
        check(
            &[
                ("/r/a.m3u", "discs/../discs/./1.iso\n/r/discs/2.iso\ndiscs\\3.iso\n"),
                ("/r/discs/1.iso", ""),
                ("/r/discs/2.iso", ""),
                ("/r/discs/3.iso", ""),
                ("/r/discs/up.cue", "file ../root.iso binary"),
                ("/r/root.iso", ""),
                ("/r/back\\slash.iso", ""),
                ("/r/b.m3u", "back\\slash.iso"),
            ],
            &["/r/a.m3u", "/r/b.m3u", "/r/discs/up.cue"],
        );
    }

    #[test]
    fn sheets_never_take_themselves_or_each_other() {
        check(
            &[
                ("/r/a.m3u", "a.m3u\nb.m3u\n"),
                ("/r/b.m3u", "a.m3u\n../../../../etc/passwd\n"),
                ("/r/c.cue", "FILE \"c.cue\" BINARY\nFILE \"d.cue\" BINARY\nFILE \"a.m3u\" BINARY"),
                ("/r/d.cue", "FILE \"c.cue\" BINARY"),
            ],
            &["/r/a.m3u", "/r/b.m3u", "/r/c.cue", "/r/d.cue"],
        );
    }

    #[test]
    fn a_playlist_lists_its_found_discs_once() {
        let mut tree = MemoryTree::with(&["/r/1.chd", "/r/2.chd"]);
        tree.put("/r/g.m3u", b"2.chd\n1.chd\n2.chd\nmissing.chd\n");
        let found = walk(&tree, "/r", Path::new("/data")).files;
        let standing = drop_named(&tree, found);
        let discs: Vec<String> = standing[0].discs.iter().map(FoundFile::path).collect();
        assert_eq!(discs, ["/r/2.chd", "/r/1.chd"]);
    }

    #[test]
    fn reads_only_the_start_of_a_sheet() {
        let mut tree = MemoryTree::with(&["/r/late.iso"]);
        let mut long = vec![b'#'; usize::try_from(SHEET_BYTES).expect("fits")];
        long.extend_from_slice(b"\nlate.iso\n");
        tree.put("/r/long.m3u", &long);
        let found = walk(&tree, "/r", Path::new("/data")).files;
        assert_eq!(drop_named(&tree, found).len(), 2);
        assert_eq!(tree.reads.get(), 1);
    }
}
