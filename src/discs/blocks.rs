//! Images of blocks that are packed one by one.

use std::io;

use super::{content::Content, error::ImageError};

/// Blocks of one size, of which the last may be shorter.
pub(super) trait Blocks {
    /// Bytes of all blocks.
    fn length(&self) -> u64;

    /// Bytes of a block; not 0.
    fn size(&self) -> u64;

    /// Puts the bytes of a block in place of what the buffer holds.
    fn read(&mut self, number: u64, block: &mut Vec<u8>) -> Result<(), ImageError>;
}

/// Blocks as one content; the block that was read last is kept.
pub(super) struct Joined<B> {
    blocks: B,
    /// The block that is kept.
    number: Option<u64>,
    block: Vec<u8>,
}

impl<B: Blocks> Joined<B> {
    pub(super) fn new(blocks: B) -> Self {
        Self { blocks, number: None, block: Vec::new() }
    }
}

impl<B: Blocks> Content for Joined<B> {
    fn length(&self) -> u64 {
        self.blocks.length()
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let (length, size) = (self.blocks.length(), self.blocks.size());
        let mut filled = 0;
        while filled < buffer.len() {
            let place = at.saturating_add(filled as u64);
            if place >= length {
                break;
            }
            let number = place / size;
            if self.number != Some(number) {
                self.number = None;
                self.blocks.read(number, &mut self.block)?;
                self.number = Some(number);
            }
            let start = usize::try_from(place % size).unwrap_or(usize::MAX);
            let left = usize::try_from(length - place).unwrap_or(usize::MAX);
            let bytes = self.block.get(start..).filter(|bytes| !bytes.is_empty());
            let bytes = bytes.ok_or(ImageError::Damaged)?;
            let count = bytes.len().min(left).min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&bytes[..count]);
            filled += count;
        }
        Ok(filled)
    }
}
