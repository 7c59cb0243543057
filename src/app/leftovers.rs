//! Temporary files and folders that a kill or a power cut left in the data directory.
//!
//! The lock of the library lets one process write here at a time, so the temporary files of other processes
//! belong to nobody.

use std::path::Path;

use crate::{
    config::data_dir::DataDir,
    files::{DiskError, Files, temp::is_of_another_process},
};

/// Removes them from the data directory and its folders. What cannot be removed is logged.
pub(super) fn sweep(files: &Files, data_dir: &DataDir) {
    let folders = data_dir.folders();
    // Extracted archives and thumbnails are checked by their caches.
    let mut folders = folders.iter().filter(|folder| !folder.starts_with(data_dir.cache()));
    let outcome = remove(files, data_dir.root(), false)
        .and_then(|()| folders.try_for_each(|folder| remove(files, folder, true)));
    if let Err(error) = outcome {
        log::warn!("leftovers were not removed: {error}");
    }
}

fn remove(files: &Files, folder: &Path, deep: bool) -> Result<(), DiskError> {
    for name in files.list(folder)? {
        let path = folder.join(&name);
        let is_leftover = is_of_another_process(name.as_bytes());
        // Only names that promise something are examined: a media folder may hold 100,000 files.
        if !is_leftover && (!deep || name.contains('.')) {
            continue;
        }
        let Some(found) = files.stat(&path)? else { continue };
        if is_leftover && found.is_file() {
            files.remove(&path)?;
        } else if is_leftover && deep && found.is_dir() {
            files.remove_tree(&path)?;
        } else if deep && found.is_dir() {
            remove(files, &path, deep)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::temp::temporary_name;

    #[test]
    fn temporary_files_of_earlier_processes_go() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files::system();
        let data = DataDir::at(folder.path().to_owned());
        let deep = data.media().join("covers/nes");
        files.private_dir(&deep).expect("made");
        files.private_dir(&data.root().join("mine")).expect("made");
        let temporary = ".a.json.0123456789ab.tmp";
        let kept = [data.root().join("mine"), data.media().join("covers")]
            .map(|folder| folder.join("kept.tmp"));
        let mine = data.root().join("mine").join(temporary);
        let swept = [data.root().join(temporary), deep.join(temporary)];
        let ours = deep.join(temporary_name("b.json".as_ref()));
        for path in kept.iter().chain([&mine, &ours]).chain(&swept) {
            files.replace(path, b"x").expect("written");
        }
        let staged = data.bezels().join(".SNES.0123456789ab.tmp");
        files.private_dir(&staged.join("overlay")).expect("made");
        files.replace(&staged.join("overlay/a.png"), b"x").expect("written");
        sweep(&files, &data);
        assert!(!staged.exists());
        assert!(!swept.iter().any(|path| path.exists()));
        assert!(kept.iter().chain([&mine, &ours]).all(|path| path.exists()));
    }
}
