//! Bytes of a game's file at any place, whether it lies on the disk or came out of an archive.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use md5::{Digest as _, Md5};

use crate::{base::ids, files::source::Source};

/// Bytes of a file that count, from its start.
pub(super) const HASHED: usize = 64 << 20;

/// The digest of some bytes, lower case.
pub(super) fn md5(bytes: &[u8]) -> String {
    ids::hex(&Md5::digest(bytes))
}

/// Something that can be read at any place.
pub(super) trait Content {
    /// Bytes of it.
    fn length(&self) -> u64;

    /// Fills as much of the buffer as there is from this place on; how much that was.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// A file on the disk.
pub(super) struct OnDisk {
    source: Source,
    length: u64,
}

impl OnDisk {
    /// An open file of this many bytes.
    pub(super) fn new(source: Source, length: u64) -> Self {
        Self { source, length }
    }
}

impl Content for OnDisk {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        self.source.seek(SeekFrom::Start(at))?;
        let mut filled = 0;
        while filled < buffer.len() {
            match self.source.read(&mut buffer[filled..]) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

/// Bytes in memory.
pub(super) struct InMemory(pub(super) Vec<u8>);

impl Content for InMemory {
    fn length(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let start = usize::try_from(at).unwrap_or(usize::MAX).min(self.0.len());
        let count = buffer.len().min(self.0.len() - start);
        buffer[..count].copy_from_slice(&self.0[start..start + count]);
        Ok(count)
    }
}

/// Up to `count` bytes from a place; fewer at the end.
///
/// # Errors
/// When it cannot be read.
pub(super) fn part(content: &mut dyn Content, at: u64, count: usize) -> io::Result<Vec<u8>> {
    let left = usize::try_from(content.length().saturating_sub(at)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; count.min(left)];
    let filled = content.read_at(at, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}
