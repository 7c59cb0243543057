//! A ZIP file being written: members streamed in, counted, kept within their bounds.

use std::io::{self, Read, Write};

use zip::{
    CompressionMethod, ZipWriter,
    result::ZipError,
    write::{SimpleFileOptions, StreamWriter},
};

use super::{error::BackupError, watch::Watch};
use crate::{
    base::limits,
    files::{DiskError, source::Source},
};

/// From this size on a member has the long form of its sizes.
pub const LARGE: u64 = 3 << 30;
/// Bytes moved at once.
const PIECE: usize = 1 << 17;

/// The archive while it is being written.
pub struct Packer<'a> {
    zip: ZipWriter<StreamWriter<&'a mut dyn Write>>,
    sizes: Vec<(String, u64)>,
    total: u64,
}

impl<'a> Packer<'a> {
    /// An archive that goes into a sink from its first to its last byte.
    pub fn new(sink: &'a mut dyn Write) -> Self {
        Self { zip: ZipWriter::new_stream(sink), sizes: Vec::new(), total: 0 }
    }

    /// How many members there are so far.
    pub fn count(&self) -> usize {
        self.sizes.len()
    }

    /// Adds a member. `expected` is its size as far as it is known; `level` is how hard it is
    /// packed, 1 to 9, or 0 for as it stands.
    ///
    /// # Errors
    /// When the content cannot be had, or is beyond the bounds of a member or of all of them.
    pub fn add(
        &mut self,
        name: &str,
        expected: u64,
        level: i64,
        content: impl FnOnce(&mut dyn Write) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        let (method, level) = match level {
            0 => (CompressionMethod::Stored, None),
            level => (CompressionMethod::Deflated, Some(level)),
        };
        let options = SimpleFileOptions::default()
            .compression_method(method)
            .compression_level(level)
            .large_file(expected >= LARGE)
            .unix_permissions(0o600);
        self.zip.start_file(name, options).map_err(zip_refused)?;
        let left = limits::BACKUP_BYTES.saturating_sub(self.total);
        let room = limits::BACKUP_MEMBER_BYTES.min(left);
        let mut counted = Counted { sink: &mut self.zip, written: 0, room };
        let outcome = content(&mut counted);
        let (written, over) = (counted.written, counted.written > room);
        match (over, left < limits::BACKUP_MEMBER_BYTES) {
            (false, _) => outcome?,
            (true, true) => return Err(BackupError::TooLarge),
            (true, false) => return Err(BackupError::MemberTooLarge),
        }
        self.total += written;
        self.sizes.push((name.to_owned(), written));
        Ok(())
    }

    /// Writes the directory and returns names and sizes of the members in their order.
    ///
    /// # Errors
    /// When the sink refuses.
    pub fn finish(self) -> Result<Vec<(String, u64)>, BackupError> {
        let mut end = self.zip.finish().map_err(zip_refused)?;
        end.flush().map_err(BackupError::Sink)?;
        Ok(self.sizes)
    }
}

/// A sink that counts, and refuses what is beyond its room.
struct Counted<'a, W> {
    sink: &'a mut W,
    written: u64,
    room: u64,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written.saturating_add(bytes.len() as u64) > self.room {
            self.written = u64::MAX;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.sink.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

fn zip_refused(error: ZipError) -> BackupError {
    BackupError::Sink(match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    })
}

/// Copies a file into a sink, a piece at a time.
///
/// # Errors
/// When the file cannot be read, the sink refuses, or `watch` ends it.
pub fn pour(
    source: &mut Source,
    sink: &mut dyn Write,
    watch: &dyn Watch,
) -> Result<(), BackupError> {
    let mut buffer = vec![0; PIECE];
    loop {
        watch.go_on()?;
        let read = match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other.map_err(DiskError::at("read", source.path()))?,
        };
        sink.write_all(&buffer[..read]).map_err(BackupError::Sink)?;
    }
}
