//! A file being written beside the one it will replace.
//!
//! It is removed when it is dropped without having taken its place, on errors and panics alike.

use std::{
    fs::{File, Metadata},
    io::{self, Write},
    path::{Path, PathBuf},
};

use super::{append::Appender, error::DiskError, writer::Files};
use crate::base::ids::random_hex;

/// Bytes written between two syncs of a long file, so that one large write never holds up the
/// small ones of others at the end.
const SYNC_EVERY: u64 = 8 << 20;

/// A complete, durable file under a temporary name in the folder of its destination.
pub struct Temp {
    files: Files,
    path: PathBuf,
    file: File,
    armed: bool,
}

/// How every temporary name ends; it begins with a dot and the name it will take.
pub(super) const SUFFIX: &str = ".tmp";

impl Temp {
    /// Writes a new file beside `path` and makes its content durable.
    pub(super) fn write(
        files: &Files,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, DiskError> {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let temp = path.with_file_name(format!(".{name}.{}{SUFFIX}", random_hex(6)));
        let file = files.disk().create_new(&temp).map_err(DiskError::at("create", &temp))?;
        let this = Self { files: files.clone(), path: temp, file, armed: true };
        let sink = Sink { temp: &this, unsynced: 0 };
        let mut buffer = io::BufWriter::with_capacity(1 << 18, sink);
        content(&mut buffer).and_then(|()| buffer.flush()).map_err(DiskError::at("write", path))?;
        drop(buffer);
        files.disk().sync_all(&this.file).map_err(DiskError::at("sync", path))?;
        Ok(this)
    }

    /// Where the file stands now.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The attributes it has and keeps when it takes its place.
    pub fn stat(&self) -> Result<Metadata, DiskError> {
        self.files.disk().stat_file(&self.file).map_err(DiskError::at("examine", &self.path))
    }

    /// Takes the place of `path`. The new name is durable after the folder has been synced.
    pub fn persist(&mut self, path: &Path) -> Result<(), DiskError> {
        self.files.disk().rename(&self.path, path).map_err(DiskError::at("replace", path))?;
        self.armed = false;
        Ok(())
    }

    /// As [`Temp::persist`] for a name that nothing may have yet.
    pub(super) fn persist_new(&mut self, path: &Path) -> Result<(), DiskError> {
        self.files.disk().rename_new(&self.path, path).map_err(DiskError::at("create", path))?;
        self.armed = false;
        Ok(())
    }

    /// As [`Temp::persist`], and keeps the file open for appending.
    pub fn persist_open(mut self, path: &Path) -> Result<Appender, DiskError> {
        let file = self.file.try_clone().map_err(DiskError::at("keep open", path))?;
        self.files.disk().rename(&self.path, path).map_err(DiskError::at("replace", path))?;
        self.armed = false;
        Ok(Appender::new(self.files.clone(), path.to_owned(), file))
    }

    /// Writes more at the end and makes it durable.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        let mut sink = Sink { temp: self, unsynced: 0 };
        sink.write_all(bytes).map_err(DiskError::at("write", &self.path))?;
        self.files.disk().sync_all(&self.file).map_err(DiskError::at("sync", &self.path))
    }

    /// Swaps names with `path`: the content written here stands there, and the temporary name now
    /// holds what stood there, which is not removed when this value is dropped. A second call
    /// swaps back.
    pub fn exchange(&mut self, path: &Path) -> Result<(), DiskError> {
        self.files.disk().exchange(&self.path, path).map_err(DiskError::at("replace", path))?;
        self.armed = !self.armed;
        Ok(())
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if self.armed {
            // OK because a leftover is cleared at the next start.
            drop(self.files.disk().remove(&self.path));
        }
    }
}

struct Sink<'a> {
    temp: &'a Temp,
    unsynced: u64,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.temp.files.disk().write(&self.temp.file, bytes)?;
        self.unsynced += written as u64;
        if self.unsynced >= SYNC_EVERY {
            self.temp.files.disk().sync_data(&self.temp.file)?;
            self.unsynced = 0;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
