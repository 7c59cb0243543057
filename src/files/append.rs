//! A file that only grows: the handle of a log.

use std::{fs::File, path::PathBuf};

use super::{error::DiskError, writer::Files};

/// An open file; every write goes to its end.
pub struct Appender {
    files: Files,
    path: PathBuf,
    file: File,
}

impl Appender {
    pub(super) fn new(files: Files, path: PathBuf, file: File) -> Self {
        Self { files, path, file }
    }

    /// Writes all bytes at the end. After an error some of them may stand there.
    pub fn append(&mut self, mut bytes: &[u8]) -> Result<(), DiskError> {
        while !bytes.is_empty() {
            let written = match self.files.disk().write(&self.file, bytes) {
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
        self.files.disk().sync_data(&self.file).map_err(DiskError::at("sync", &self.path))
    }

    /// Cuts the file to a length and makes that durable.
    pub fn truncate(&self, len: u64) -> Result<(), DiskError> {
        self.files.disk().truncate(&self.file, len).map_err(DiskError::at("cut", &self.path))?;
        self.files.disk().sync_all(&self.file).map_err(DiskError::at("sync", &self.path))
    }

    /// Bytes in the file.
    pub fn len(&self) -> Result<u64, DiskError> {
        let stat = self.files.disk().stat_file(&self.file);
        Ok(stat.map_err(DiskError::at("examine", &self.path))?.len())
    }
}
