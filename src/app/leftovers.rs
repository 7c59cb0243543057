//! Temporary files and folders that a kill or a power cut left in the data directory.
//!
//! The lock of the library lets one process write here at a time, so the temporary files of other processes
//! are leftovers.

use std::{
    ffi::OsString,
    fs::{self, DirEntry, FileType},
    io,
    os::unix::ffi::OsStrExt as _,
    path::Path,
};

use crate::{
    config::data_dir::DataDir,
    files::{DiskError, Files, temp::is_of_another_process},
};

/// Removes them from the data directory and its folders. What cannot be removed is logged.
pub(super) fn sweep(files: &Files, data_dir: &DataDir) {
    let folders = data_dir.folders();
    // Extracted archives and thumbnails are checked by their caches.
    let checked = [data_dir.cache(), data_dir.archive_cache(), data_dir.thumbnails()];
    let mut folders = folders.iter().filter(|folder| !checked.contains(folder));
    let outcome = remove(files, data_dir.root(), false)
        .and_then(|()| folders.try_for_each(|folder| remove(files, folder, true)));
    if let Err(error) = outcome {
        log::warn!("leftovers were not removed: {error}");
    }
}

/// What stands in a folder, links not followed; `None` when there is none. The kinds come with the names: a
/// media folder may hold 100,000 files.
fn entries(folder: &Path) -> Result<Option<Vec<(OsString, FileType)>>, DiskError> {
    let read = || fs::read_dir(folder)?.map(|entry| kind_of(&entry?)).collect::<io::Result<_>>();
    match read() {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        read => read.map(Some).map_err(DiskError::at("list", folder)),
    }
}

fn kind_of(entry: &DirEntry) -> io::Result<(OsString, FileType)> {
    Ok((entry.file_name(), entry.file_type()?))
}

fn remove(files: &Files, folder: &Path, deep: bool) -> Result<(), DiskError> {
    let Some(entries) = entries(folder)? else { return Ok(()) };
    for (name, kind) in entries {
        let path = folder.join(&name);
        let is_leftover = is_of_another_process(name.as_bytes());
        if is_leftover && kind.is_file() {
            files.remove(&path)?;
        } else if is_leftover && deep && kind.is_dir() {
            files.remove_tree(&path)?;
        } else if deep && kind.is_dir() {
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
        let batch = data.artwork_hygiene().join("batch");
        for folder in [&batch, &data.scraper_cache(), &data.thumbnails()] {
            files.private_dir(folder).expect("made");
        }
        let swept = [data.root(), &deep, &batch, &data.scraper_cache()];
        let swept = swept.map(|folder| folder.join(temporary));
        let thumbnail = data.thumbnails().join(temporary);
        let ours = deep.join(temporary_name("b.json".as_ref()));
        for path in kept.iter().chain([&mine, &ours, &thumbnail]).chain(&swept) {
            files.replace(path, b"x").expect("written");
        }
        let dotted = data.root().join("plugins/com.example.one/lib.d").join(temporary);
        files.private_dir(dotted.parent().expect("a folder")).expect("made");
        files.replace(&dotted, b"x").expect("written");
        let staged = data.bezels().join(".SNES.0123456789ab.tmp");
        files.private_dir(&staged.join("overlay")).expect("made");
        files.replace(&staged.join("overlay/a.png"), b"x").expect("written");
        sweep(&files, &data);
        assert!(!staged.exists() && !dotted.exists());
        assert!(!swept.iter().any(|path| path.exists()));
        assert!(kept.iter().chain([&mine, &ours, &thumbnail]).all(|path| path.exists()));
    }
}
