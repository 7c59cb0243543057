//! Temporary files that a kill or a power cut left in the data directory.
//!
//! A temporary file that is older than the start of this process belongs to nobody: the lock of the library
//! lets one process write here at a time.

use std::path::Path;

use crate::{
    base::Moment,
    config::data_dir::DataDir,
    files::{DiskError, Files, temp::is_temporary},
};

/// How far the clock of a file system may be behind, in microseconds.
const TICK: i64 = 20_000;

/// Removes them from the data directory and its folders. What cannot be removed is logged.
pub(super) fn sweep(files: &Files, data_dir: &DataDir, started: &Moment) {
    let folders = data_dir.folders();
    // Extracted archives and thumbnails are checked by their caches.
    let mut folders = folders.iter().filter(|folder| !folder.starts_with(data_dir.cache()));
    let outcome = remove(files, data_dir.root(), started, false)
        .and_then(|()| folders.try_for_each(|folder| remove(files, folder, started, true)));
    if let Err(error) = outcome {
        log::warn!("leftovers were not removed: {error}");
    }
}

fn remove(files: &Files, folder: &Path, started: &Moment, deep: bool) -> Result<(), DiskError> {
    for name in files.list(folder)? {
        let path = folder.join(&name);
        let is_leftover = is_temporary(name.as_bytes());
        // Only names that promise something are examined: a media folder may hold 100,000 files.
        if !is_leftover && (!deep || name.contains('.')) {
            continue;
        }
        let Some(found) = files.stat(&path)? else { continue };
        if is_leftover && found.is_file() {
            let is_older = |written: Moment| written.unix_micros() + TICK < started.unix_micros();
            if found.modified().is_ok_and(|written| is_older(Moment::from_system(written))) {
                files.remove(&path)?;
            }
        } else if deep && found.is_dir() {
            remove(files, &path, started, deep)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_old_temporary_files_of_ours_go() {
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
        for path in kept.iter().chain([&mine]).chain(&swept) {
            files.replace(path, b"x").expect("written");
        }
        sweep(&files, &data, &Moment::from_unix(1_000_000_000));
        assert!(swept.iter().all(|path| path.exists()), "they may still be written");
        sweep(&files, &data, &Moment::from_unix(9_000_000_000));
        assert!(!swept.iter().any(|path| path.exists()));
        assert!(kept.iter().chain([&mine]).all(|path| path.exists()));
    }
}
