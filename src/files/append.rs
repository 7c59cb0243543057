//! A file that only grows: the handle of a log.

use std::{
    fs::{File, Metadata},
    path::PathBuf,
    sync::Arc,
};

use super::{
    disk::{Disk, read_range},
    error::DiskError,
};

/// An open file; every write goes to its end.
pub struct Appender {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: File,
}

impl Appender {
    pub(super) fn new(disk: Arc<dyn Disk>, path: PathBuf, file: File) -> Self {
        Self { disk, path, file }
    }

    /// Writes all bytes at the end. After an error some of them may stand there.
    pub fn append(&mut self, mut bytes: &[u8]) -> Result<(), DiskError> {
        while !bytes.is_empty() {
            let written = match self.disk.write(&self.file, bytes) {
                Ok(0) => Err(std::io::ErrorKind::WriteZero.into()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => continue,
                other => other,
            };
            bytes = &bytes[written.map_err(DiskError::at("write", &self.path))?..];
        }
        Ok(())
    }

    /// Makes what was appended durable.
    pub fn sync(&self) -> Result<(), DiskError> {
        self.disk.sync_data(&self.file).map_err(DiskError::at("sync", &self.path))
    }

    /// Cuts the file to a length and makes that durable.
    pub fn truncate(&self, len: u64) -> Result<(), DiskError> {
        self.disk.truncate(&self.file, len).map_err(DiskError::at("cut", &self.path))?;
        self.disk.sync_all(&self.file).map_err(DiskError::at("sync", &self.path))
    }

    /// The attributes of the open file.
    pub fn stat(&self) -> Result<Metadata, DiskError> {
        self.disk.stat_file(&self.file).map_err(DiskError::at("examine", &self.path))
    }

    /// Bytes in the file.
    pub fn len(&self) -> Result<u64, DiskError> {
        Ok(self.stat()?.len())
    }

    /// The bytes between two offsets; an error when the file is shorter.
    pub fn read_back(&self, from: u64, to: u64) -> Result<Vec<u8>, DiskError> {
        read_range(&*self.disk, &self.file, from, to).map_err(DiskError::at("read", &self.path))
    }
}
