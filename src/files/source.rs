//! A file open for reading at any place, through `Files` like everything else.

use std::{
    fs::{self, File, Metadata},
    io::{self, Read, Seek, SeekFrom},
    path::{Path, PathBuf},
};

use super::{disk, error::DiskError, writer::Files};

/// The attributes of a path for modules without [`Files`]; links are not followed. `None` when nothing is there.
pub fn stat(path: &Path) -> Result<Option<Metadata>, DiskError> {
    match fs::symlink_metadata(path) {
        Ok(stat) => Ok(Some(stat)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(DiskError::at("examine", path)(error)),
    }
}

/// Opens a file for reading, for modules without [`Files`]; a symbolic link is followed. A pipe in the place of a
/// file of another program is refused: opening one would wait for whoever writes to it.
pub fn open_regular(path: &Path) -> io::Result<File> {
    disk::open_regular(path)
}

/// An open file with a position of its own. It stays the file that was opened, whatever becomes of
/// its name.
pub struct Source {
    files: Files,
    path: PathBuf,
    file: File,
    at: u64,
}

impl Files {
    /// Opens a file for reading; a symbolic link is followed.
    pub fn open(&self, path: &Path) -> Result<Source, DiskError> {
        let file = self.disk().open_read(path).map_err(DiskError::at("open", path))?;
        Ok(Source { files: self.clone(), path: path.to_owned(), file, at: 0 })
    }
}

impl Source {
    /// The name under which it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The attributes of the open file.
    pub fn stat(&self) -> Result<Metadata, DiskError> {
        self.files.disk().stat_file(&self.file).map_err(DiskError::at("examine", &self.path))
    }
}

impl Read for Source {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.files.disk().read_at(&self.file, buffer, self.at)?;
        self.at += read as u64;
        Ok(read)
    }
}

impl Seek for Source {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => {
                self.files.disk().stat_file(&self.file)?.len().checked_add_signed(by)
            }
        };
        self.at = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::testing;

    #[test]
    fn a_pipe_and_a_folder_are_refused_at_once() {
        let dir = tempfile::tempdir().expect("a folder");
        let pipe = testing::pipe(dir.path(), "pipe");
        assert!(open_regular(&pipe).is_err() && open_regular(dir.path()).is_err());
        Files::system().replace(&dir.path().join("file"), b"").expect("written");
        open_regular(&dir.path().join("file")).expect("a file");
    }

    #[test]
    fn reads_at_any_place_and_never_before_the_start() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("file");
        Files::system().replace(&path, b"0123456789").expect("written");
        let mut source = Files::system().open(&path).expect("open");
        let mut text = String::new();
        assert_eq!(source.seek(SeekFrom::End(-3)).expect("inside"), 7);
        source.read_to_string(&mut text).expect("read");
        source.seek(SeekFrom::Start(2)).expect("inside");
        assert_eq!(source.seek(SeekFrom::Current(-1)).expect("inside"), 1);
        assert!(source.seek(SeekFrom::Current(-2)).is_err());
        source.by_ref().take(2).read_to_string(&mut text).expect("read");
        assert_eq!(text, "78912");
        assert_eq!(source.stat().expect("stat").len(), 10);
    }
}
