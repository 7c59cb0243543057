//! Images of GameCube and Wii discs in WIA and RVZ files.
//!
//! Read are the parts of a disc that are not encrypted: all of a GameCube disc, the front of a Wii
//! disc. What RVZ replaces by the seed of a generator is padding of the disc, which belongs to no file;
//! it reads as zeros.

use std::io;

use super::{
    content::{Content, part},
    error::ImageError,
    limits, unpack,
};

/// Bytes of both headers.
const HEADERS: usize = 0x124;
/// Where the copy of the disc's first bytes is, and how many it has.
const FRONT: (usize, usize) = (0x58, 0x80);
/// Bytes of an entry of the list of parts.
const PART: usize = 0x18;
/// Parts begin at multiples of this.
const SECTOR: u64 = 0x8000;
/// The bit of a size that marks packed blocks, and padding.
const MARK: u32 = 1 << 31;
/// Bytes of the seed of padding.
const SEED: usize = 68;
/// Bytes of a checksum behind a block of the method that only leaves out zeros.
const CHECKSUM: usize = 20;

/// How blocks are packed.
#[derive(Clone, Copy)]
enum Method {
    None,
    /// Runs of zeros are left out.
    Purge,
    /// With the byte of its properties.
    Lzma(u8),
    Lzma2,
    Zstd,
}

/// A part of the disc: where it begins, its bytes, and its first block.
struct Area {
    start: u64,
    size: u64,
    block: u64,
}

/// An open image.
pub(super) struct Wia<'a> {
    content: Box<dyn Content + 'a>,
    is_rvz: bool,
    method: Method,
    length: u64,
    /// Bytes of a block.
    chunk: u64,
    front: Vec<u8>,
    areas: Vec<Area>,
    /// The table of blocks, as it is in the file.
    table: Vec<u8>,
    /// The block that was read last, by its place on the disc.
    kept: Option<u64>,
    block: Vec<u8>,
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ImageError> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    found.map(u32::from_be_bytes).ok_or(ImageError::Damaged)
}

fn long(bytes: &[u8], at: usize) -> Result<u64, ImageError> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    found.map(u64::from_be_bytes).ok_or(ImageError::Damaged)
}

fn size(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

impl<'a> Wia<'a> {
    /// Opens an image.
    pub(super) fn open(mut content: Box<dyn Content + 'a>) -> Result<Self, ImageError> {
        let header = part(&mut *content, 0, HEADERS)?;
        if header.len() < HEADERS {
            return Err(ImageError::Damaged);
        }
        let is_rvz = header.starts_with(b"RVZ");
        let method = match word(&header, 0x4C)? {
            0 => Method::None,
            1 => Method::Purge,
            2 => return Err(ImageError::Method("bzip2")),
            3 => Method::Lzma(header[0x11D]),
            4 => Method::Lzma2,
            5 => Method::Zstd,
            _ => return Err(ImageError::Damaged),
        };
        let chunk = word(&header, 0x54)?;
        if size(chunk) < 0x8000 || size(chunk) > limits::BLOCK || !chunk.is_multiple_of(0x8000) {
            return Err(ImageError::Damaged);
        }
        let (parts, blocks) = (word(&header, 0xFC)?, word(&header, 0x10C)?);
        let entry = if is_rvz { 12 } else { 8 };
        let table = size(blocks).saturating_mul(entry);
        if parts > limits::PARTS || table > limits::MAP {
            return Err(ImageError::Damaged);
        }
        let front = header[FRONT.0..FRONT.0 + FRONT.1].to_owned();
        let length = long(&header, 0x24)?;
        let mut image = Self {
            content,
            is_rvz,
            method,
            length,
            chunk: chunk.into(),
            front,
            areas: Vec::new(),
            table: Vec::new(),
            kept: None,
            block: Vec::new(),
        };
        let place = (long(&header, 0x100)?, word(&header, 0x108)?);
        let list = image.list(place, size(parts) * PART)?;
        for entry in list.chunks_exact(PART) {
            let (start, size) = (long(entry, 0)?, long(entry, 8)?);
            let before = start % SECTOR;
            let size = size.checked_add(before).ok_or(ImageError::Damaged)?;
            let start = start - before;
            if start.checked_add(size).is_none() {
                return Err(ImageError::Damaged);
            }
            let block = word(entry, 16)?.into();
            image.areas.push(Area { start, size, block });
        }
        let place = (long(&header, 0x110)?, word(&header, 0x118)?);
        image.table = image.list(place, table)?;
        Ok(image)
    }

    /// A list at a place of the file, unpacked to `count` bytes.
    fn list(&mut self, place: (u64, u32), count: usize) -> Result<Vec<u8>, ImageError> {
        let mut list = vec![0; count];
        if count > 0 {
            let stored = part(&mut *self.content, place.0, size(place.1).min(limits::MAP))?;
            unpack_block(self.method, &stored, &mut list)?;
        }
        Ok(list)
    }

    /// Unpacks the block of an area that holds a place of the disc, which is kept then.
    fn load(&mut self, place: u64) -> Result<u64, ImageError> {
        let inside = |area: &&Area| place >= area.start && place - area.start < area.size;
        let area = self.areas.iter().find(inside).ok_or(ImageError::Method("encryption"))?;
        let number = (place - area.start) / self.chunk;
        let start = area.start + number * self.chunk;
        if self.kept == Some(start) {
            return Ok(start);
        }
        self.kept = None;
        let count = (area.start + area.size - start).min(self.chunk);
        let count = usize::try_from(count).map_err(|_| ImageError::Damaged)?;
        let number = area.block.saturating_add(number);
        let number = usize::try_from(number).map_err(|_| ImageError::Damaged)?;
        self.block.clear();
        self.block.resize(count, 0);
        let width = if self.is_rvz { 12 } else { 8 };
        let entry = self.table.get(number.saturating_mul(width)..).ok_or(ImageError::Damaged)?;
        let (at, stored) = (u64::from(word(entry, 0)?) * 4, word(entry, 4)?);
        let replaced = if self.is_rvz { size(word(entry, 8)?) } else { 0 };
        let is_packed = !self.is_rvz || stored & MARK != 0;
        let stored = size(if self.is_rvz { stored & !MARK } else { stored });
        if stored > limits::BLOCK || replaced > limits::BLOCK {
            return Err(ImageError::Damaged);
        }
        // A block of no bytes is one of zeros.
        if stored > 0 {
            let packed = part(&mut *self.content, at, stored)?;
            let method = if is_packed { self.method } else { Method::None };
            if replaced > 0 {
                let mut bytes = vec![0; replaced];
                unpack_block(method, &packed, &mut bytes)?;
                put_back(&bytes, &mut self.block)?;
            } else {
                unpack_block(method, &packed, &mut self.block)?;
            }
        }
        self.kept = Some(start);
        Ok(start)
    }
}

impl Content for Wia<'_> {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&mut self, at: u64, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while filled < buffer.len() {
            let place = at.saturating_add(filled as u64);
            if place >= self.length {
                break;
            }
            let front = usize::try_from(place).unwrap_or(usize::MAX);
            let start = if front < self.front.len() { 0 } else { self.load(place)? };
            let bytes = if front < self.front.len() { &self.front } else { &self.block };
            let inside = usize::try_from(place - start).unwrap_or(usize::MAX);
            let bytes = bytes.get(inside..).filter(|bytes| !bytes.is_empty());
            let bytes = bytes.ok_or(ImageError::Damaged)?;
            let left = usize::try_from(self.length - place).unwrap_or(usize::MAX);
            let count = bytes.len().min(left).min(buffer.len() - filled);
            buffer[filled..filled + count].copy_from_slice(&bytes[..count]);
            filled += count;
        }
        Ok(filled)
    }
}

fn unpack_block(method: Method, packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    match method {
        Method::None => {
            block.copy_from_slice(packed.get(..block.len()).ok_or(ImageError::Damaged)?);
            Ok(())
        }
        Method::Purge => pieces(packed, block),
        Method::Lzma(properties) => unpack::lzma(packed, properties, block),
        Method::Lzma2 => unpack::lzma2(packed, block),
        Method::Zstd => unpack::zstd(packed, block),
    }
}

/// Pieces with their places, between which there are zeros.
fn pieces(packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    let end = packed.len().checked_sub(CHECKSUM).ok_or(ImageError::Damaged)?;
    let mut rest = &packed[..end];
    while !rest.is_empty() {
        let (start, count) = (size(word(rest, 0)?), size(word(rest, 4)?));
        let bytes = rest.get(8..).and_then(|rest| rest.get(..count)).ok_or(ImageError::Damaged)?;
        let place = block.get_mut(start..).and_then(|block| block.get_mut(..count));
        place.ok_or(ImageError::Damaged)?.copy_from_slice(bytes);
        rest = &rest[8 + count..];
    }
    Ok(())
}

/// Bytes and padding in turn, each with its size in front.
fn put_back(mut rest: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    let mut filled = 0;
    while !rest.is_empty() {
        let marked = word(rest, 0)?;
        let count = size(marked & !MARK);
        let place = block.get_mut(filled..).and_then(|block| block.get_mut(..count));
        let place = place.ok_or(ImageError::Damaged)?;
        let stored = if marked & MARK == 0 { count } else { SEED };
        let bytes = rest.get(4..).and_then(|rest| rest.get(..stored)).ok_or(ImageError::Damaged)?;
        if marked & MARK == 0 {
            place.copy_from_slice(bytes);
        }
        filled += count;
        rest = &rest[4 + stored..];
    }
    if filled == block.len() { Ok(()) } else { Err(ImageError::Damaged) }
}
