//! Images of the PSP and PlayStation 2 in packed blocks: CSO of both versions, ZSO and DAX.

use super::{
    blocks::{Blocks, Joined},
    content::{Content, part},
    error::ImageError,
    limits, unpack,
};

/// Bytes of the header of CSO and ZSO.
const HEADER: u64 = 24;
/// The flag in an entry: the block is not packed, or in version 2 packed with LZ4.
const MARK: u32 = 1 << 31;
/// Bytes of the header of DAX, and of its blocks.
const DAX_HEADER: u64 = 32;
const DAX_BLOCK: u64 = 8192;

/// Whether a CISO file is one of the GameCube and Wii: these have the size of a block where others
/// have the size of the header.
pub(super) fn is_gamecube(start: &[u8]) -> bool {
    let word = start.get(4..).and_then(<[u8]>::first_chunk).copied().map(u32::from_le_bytes);
    word.is_none_or(|word| word != 0 && u64::from(word) != HEADER)
}

fn number(bytes: &[u8], at: usize) -> Result<u32, ImageError> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    found.map(u32::from_le_bytes).ok_or(ImageError::Damaged)
}

/// How the blocks of an image are packed.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Method {
    Deflate,
    /// Deflate or LZ4, block by block.
    Both,
    Lz4,
    /// Zlib, in a table without marks.
    Dax,
}

struct Cso<'a> {
    content: Box<dyn Content + 'a>,
    method: Method,
    length: u64,
    size: u64,
    /// Places of blocks are multiples of two to this power.
    align: u32,
}

/// Opens an image of CSO or ZSO.
pub(super) fn open<'a>(
    mut content: Box<dyn Content + 'a>,
) -> Result<Box<dyn Content + 'a>, ImageError> {
    let header = part(&mut *content, 0, 24)?;
    let length = u64::from(number(&header, 8)?) | u64::from(number(&header, 12)?) << 32;
    let size = u64::from(number(&header, 16)?);
    let [version, align, ..] = number(&header, 20)?.to_le_bytes();
    let method = match (header[0], version) {
        (b'Z', _) => Method::Lz4,
        (_, 2) => Method::Both,
        _ => Method::Deflate,
    };
    if !size.is_power_of_two() || size < 512 || size > limits::BLOCK as u64 || align > 16 {
        return Err(ImageError::Damaged);
    }
    Ok(Box::new(Joined::new(Cso { content, method, length, size, align: align.into() })))
}

/// Opens an image of DAX.
pub(super) fn dax<'a>(
    mut content: Box<dyn Content + 'a>,
) -> Result<Box<dyn Content + 'a>, ImageError> {
    let header = part(&mut *content, 0, 16)?;
    let length = u64::from(number(&header, 4)?);
    // Parts that are not packed are listed behind the sizes; only old images have some.
    if number(&header, 8)? > 0 && number(&header, 12)? > 0 {
        return Err(ImageError::Method("plain parts"));
    }
    let method = Method::Dax;
    Ok(Box::new(Joined::new(Cso { content, method, length, size: DAX_BLOCK, align: 0 })))
}

impl Cso<'_> {
    /// Where a block lies, how many bytes it has there at most, and its mark.
    fn place(&mut self, block: u64) -> Result<(u64, u64, bool), ImageError> {
        if self.method == Method::Dax {
            let entry = part(&mut *self.content, DAX_HEADER + 4 * block, 4)?;
            let sizes = DAX_HEADER + 4 * self.length.div_ceil(DAX_BLOCK);
            let size = part(&mut *self.content, sizes + 2 * block, 2)?;
            let size = size.first_chunk().copied().map(u16::from_le_bytes);
            let size = size.ok_or(ImageError::Damaged)?;
            return Ok((number(&entry, 0)?.into(), size.into(), false));
        }
        let entries = part(&mut *self.content, HEADER + 4 * block, 8)?;
        let (first, next) = (number(&entries, 0)?, number(&entries, 4)?);
        let start = u64::from(first & !MARK) << self.align;
        let end = u64::from(next & !MARK) << self.align;
        let size = end.checked_sub(start).ok_or(ImageError::Damaged)?;
        Ok((start, size, first & MARK != 0))
    }
}

impl Blocks for Cso<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn read(&mut self, number: u64, block: &mut Vec<u8>) -> Result<(), ImageError> {
        let (start, stored, is_marked) = self.place(number)?;
        let left = self.length - number * self.size;
        let size = usize::try_from(left.min(self.size)).map_err(|_| ImageError::Damaged)?;
        // A block that cannot be packed grows a little, and alignment adds to it.
        let most = self.size + self.size / 128 + (1 << self.align) + 64;
        let count = usize::try_from(stored.min(most)).map_err(|_| ImageError::Damaged)?;
        let packed = part(&mut *self.content, start, count)?;
        block.clear();
        block.resize(size, 0);
        let is_stored = match self.method {
            Method::Deflate | Method::Lz4 => is_marked,
            Method::Both => stored >= self.size,
            Method::Dax => false,
        };
        if is_stored {
            let bytes = packed.get(..size).ok_or(ImageError::Damaged)?;
            block.copy_from_slice(bytes);
            return Ok(());
        }
        match self.method {
            Method::Dax => unpack::zlib(&packed, block),
            Method::Lz4 => unpack::lz4(&packed, block),
            Method::Both if is_marked => unpack::lz4(&packed, block),
            Method::Deflate | Method::Both => unpack::deflate(&packed, block),
        }
    }
}
