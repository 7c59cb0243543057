//! A game's file as bytes that can be read at any place, and the digest of what counts of it.

use std::io::{self, Read as _, Seek as _, SeekFrom};

use md5::{Digest as _, Md5};

use crate::{base::ids, discs::Content, files::source::Source};

/// Bytes of a file that count, from its start.
pub(super) const HASHED: usize = 64 << 20;

/// The digest of some bytes, lower case.
pub(super) fn md5(bytes: &[u8]) -> String {
    ids::hex(&Md5::digest(bytes))
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
