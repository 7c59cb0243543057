//! The files below a folder that the user chose for a repair: read only, without links, within bounds.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::relink::File;
use crate::game::{InputError, clean::refuse, path_checks};

/// The most files that are read.
const FILES: usize = 20_000;
/// Folders below the chosen one that are entered, one inside the other.
const DEPTH: usize = 8;
/// Bytes of the path of a folder.
const PATH_BYTES: usize = 4_096;

/// Reads the `folder` of a request.
///
/// # Errors
/// The sentence for the first rule that is broken.
pub fn read_folder(folder: Option<&Value>, home: &Path) -> Result<PathBuf, InputError> {
    let folder = folder.and_then(Value::as_str).map_or("", str::trim);
    if folder.is_empty() {
        return refuse("A folder is required.");
    }
    if folder.len() > PATH_BYTES {
        return refuse("Folder path is too long.");
    }
    let Some(folder) = path_checks::absolute(folder, home) else {
        return refuse("Folder must be an absolute path.");
    };
    if folder.parent().is_none() {
        return refuse("The filesystem root is not a repair folder.");
    }
    if path_checks::has_symlink(&folder) {
        return refuse("Folder must not be a symlink.");
    }
    if !folder.is_dir() {
        return refuse("Folder does not exist.");
    }
    Ok(folder)
}

/// The regular files below a folder, those of outer folders first, each folder in the order of its
/// names. Names that begin with a dot, links, and names that are not text are skipped; so is a
/// folder that cannot be read.
pub fn below(folder: &Path) -> Vec<File> {
    let mut files = Vec::new();
    let mut waiting = VecDeque::from([(folder.to_owned(), String::new(), 0)]);
    while let Some((here, way, depth)) = waiting.pop_front() {
        let Ok(entries) = fs::read_dir(&here) else { continue };
        let named = |entry: fs::DirEntry| Some((entry.file_name().into_string().ok()?, entry));
        let mut entries: Vec<(String, fs::DirEntry)> =
            entries.filter_map(Result::ok).filter_map(named).collect();
        entries.retain(|(name, _)| !name.starts_with('.'));
        entries.sort_by(|(a, _), (b, _)| a.cmp(b));
        for (name, entry) in entries {
            // Of the entry itself, so a link is a link.
            let Ok(found) = entry.metadata() else { continue };
            let relative = format!("{way}{name}");
            if found.is_dir() && depth < DEPTH {
                waiting.push_back((entry.path(), format!("{relative}/"), depth + 1));
            } else if found.is_file() {
                let path = entry.path().to_string_lossy().into_owned();
                files.push(File { path, relative, size: found.len() });
                if files.len() == FILES {
                    return files;
                }
            }
        }
    }
    files
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use serde_json::json;

    use super::*;

    #[test]
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn outer_files_come_first_and_links_and_hidden_names_not_at_all() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a real path");
        let deep = (1..=9).fold(root.clone(), |path, number| path.join(number.to_string()));
        fs::create_dir_all(&deep).expect("folders");
        for name in [
            "b.nes",
            "a.nes",
            ".hidden",
            "1/c.nes",
            "1/2/3/4/5/6/7/8/d.nes",
            "1/2/3/4/5/6/7/8/9/e.nes",
        ] {
            fs::write(root.join(name), name).expect("a file");
        }
        symlink(root.join("a.nes"), root.join("link.nes")).expect("a link");
        symlink(&root, root.join("loop")).expect("a link");
        let found: Vec<(String, u64)> =
            below(&root).into_iter().map(|file| (file.relative, file.size)).collect();
        let expected = [("a.nes", 5), ("b.nes", 5), ("1/c.nes", 7), ("1/2/3/4/5/6/7/8/d.nes", 21)];
        assert_eq!(found, expected.map(|(name, size)| (name.to_owned(), size)));
        assert!(below(&root.join("gone")).is_empty());

        let read = |folder: Value| read_folder(Some(&folder), &root).map_err(|error| error.0);
        let link = root.join("loop").display().to_string();
        for (sent, message) in [
            (json!(null), "A folder is required."),
            (json!(" "), "A folder is required."),
            (json!(1), "A folder is required."),
            (json!(format!("/{}", "x".repeat(4_096))), "Folder path is too long."),
            (json!("games"), "Folder must be an absolute path."),
            (json!("/"), "The filesystem root is not a repair folder."),
            (json!("/x/.."), "The filesystem root is not a repair folder."),
            (json!(format!("/{}", "x".repeat(4_095))), "Folder does not exist."),
            (json!(root.join("a.nes")), "Folder does not exist."),
            (json!(link), "Folder must not be a symlink."),
            (json!(format!("{link}/1")), "Folder must not be a symlink."),
        ] {
            assert_eq!(read(sent.clone()), Err(message.to_owned()), "{sent}");
        }
        assert_eq!(read(json!(format!("{}/", root.display()))), Ok(root.clone()));
    }
}
