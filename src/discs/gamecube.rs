//! Images of GameCube and Wii discs without their empty blocks (CISO) and in packed blocks (GCZ).

use std::io;

use super::{
    blocks::{Blocks, Joined},
    content::{Content, part},
    error::ImageError,
    limits, unpack,
};

/// Bytes of the header of CISO, which ends with one byte for each block.
const CISO_HEADER: usize = 0x8000;
/// Bytes of the header of GCZ.
const GCZ_HEADER: u64 = 32;
/// The bit of a place in GCZ whose block is not packed.
const STORED: u64 = 1 << 63;

/// Where the blocks that are stored lie.
struct Ciso<'a> {
    content: Box<dyn Content + 'a>,
    size: u64,
    /// For each block its place among those that are stored.
    map: Vec<Option<u16>>,
}

/// Opens an image of CISO.
pub(super) fn ciso<'a>(
    mut content: Box<dyn Content + 'a>,
) -> Result<Box<dyn Content + 'a>, ImageError> {
    let header = part(&mut *content, 0, CISO_HEADER)?;
    let size = header.get(4..).and_then(<[u8]>::first_chunk).copied();
    let size = u64::from(size.map(u32::from_le_bytes).ok_or(ImageError::Damaged)?);
    if header.len() < CISO_HEADER || size < 512 {
        return Err(ImageError::Damaged);
    }
    let mut next = 0;
    let mut map = Vec::with_capacity(CISO_HEADER - 8);
    for byte in &header[8..] {
        map.push(match byte {
            0 => None,
            1 => {
                next += 1;
                Some(next - 1)
            }
            _ => return Err(ImageError::Damaged),
        });
    }
    let used = map.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
    map.truncate(used);
    Ok(Box::new(Ciso { content, size, map }))
}

impl Content for Ciso<'_> {
    fn length(&self) -> u64 {
        self.map.len() as u64 * self.size
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let place = at.saturating_add(filled as u64);
            let block = usize::try_from(place / self.size).unwrap_or(usize::MAX);
            let Some(stored) = self.map.get(block) else { break };
            let inside = place % self.size;
            let left = usize::try_from(self.size - inside).unwrap_or(usize::MAX);
            let count = left.min(buffer.len() - filled);
            let piece = &mut buffer[filled..filled + count];
            match stored {
                None => piece.fill(0),
                Some(number) => {
                    let start = CISO_HEADER as u64 + u64::from(*number) * self.size + inside;
                    if self.content.read_at(start, piece)? < count {
                        return Err(ImageError::Damaged.into());
                    }
                }
            }
            filled += count;
        }
        Ok(filled)
    }
}

struct Gcz<'a> {
    content: Box<dyn Content + 'a>,
    length: u64,
    size: u64,
    count: u64,
}

/// Opens an image of GCZ.
pub(super) fn gcz<'a>(
    mut content: Box<dyn Content + 'a>,
) -> Result<Box<dyn Content + 'a>, ImageError> {
    let header = part(&mut *content, 0, 32)?;
    let word = |at: usize| {
        let found = header.get(at..).and_then(<[u8]>::first_chunk).copied();
        found.map(u32::from_le_bytes).map(u64::from).ok_or(ImageError::Damaged)
    };
    let length = word(16)? | word(20)? << 32;
    let (size, count) = (word(24)?, word(28)?);
    if size < 512 || size > limits::BLOCK as u64 || length.div_ceil(size) > count {
        return Err(ImageError::Damaged);
    }
    Ok(Box::new(Joined::new(Gcz { content, length, size, count })))
}

impl Blocks for Gcz<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read(&mut self, number: u64, block: &mut Vec<u8>) -> Result<(), ImageError> {
        let entries = part(&mut *self.content, GCZ_HEADER + 8 * number, 16)?;
        let place = |at: usize| {
            let found = entries.get(at..).and_then(<[u8]>::first_chunk).copied();
            found.map(u64::from_le_bytes).ok_or(ImageError::Damaged)
        };
        // Places, then checksums, then blocks.
        let front = GCZ_HEADER + self.count * 12;
        let start = front.saturating_add(place(0)? & !STORED);
        let end = if number + 1 < self.count {
            front.saturating_add(place(8)? & !STORED)
        } else {
            self.content.length()
        };
        let stored = end.checked_sub(start).ok_or(ImageError::Damaged)?;
        // A block that grows when it is packed is stored.
        let stored = usize::try_from(stored.min(self.size)).map_err(|_| ImageError::Damaged)?;
        let packed = part(&mut *self.content, start, stored)?;
        let size = usize::try_from(self.size).map_err(|_| ImageError::Damaged)?;
        block.clear();
        block.resize(size, 0);
        if place(0)? & STORED != 0 {
            block[..packed.len()].copy_from_slice(&packed);
            return Ok(());
        }
        unpack::zlib(&packed, block)
    }
}
