//! Bytes that can be read at any place, whether they lie on the disk, in memory or in an image.

use std::io;

/// Something that can be read at any place.
pub trait Content {
    /// Bytes of it.
    fn length(&self) -> u64;

    /// Fills as much of the buffer as there is from this place on; how much that was.
    ///
    /// # Errors
    /// When it cannot be read.
    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize>;
}

/// Bytes in memory.
pub struct InMemory(pub Vec<u8>);

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
pub fn part(content: &mut dyn Content, at: u64, count: usize) -> io::Result<Vec<u8>> {
    let left = usize::try_from(content.length().saturating_sub(at)).unwrap_or(usize::MAX);
    let mut bytes = vec![0; count.min(left)];
    let filled = content.read_at(at, &mut bytes)?;
    bytes.truncate(filled);
    Ok(bytes)
}
