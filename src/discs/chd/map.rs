//! Where the hunks of a CHD file are.
//!
//! The map of version 5 is packed itself: first what each hunk is, in a Huffman code, then the numbers
//! that belong to it. Where a hunk begins follows from the sizes of those before it, so the map is read
//! from its start as far as a hunk is asked for, with places to continue from.

use super::{
    super::{
        bits::Bits,
        content::{Content, part},
        error::ImageError,
        huffman::Huffman,
    },
    header::Header,
};

/// Hunks between two places to continue from.
const STEP: u32 = 1024;
/// Bytes of an entry of older maps, and of the header of a packed one.
const OLDER_ENTRY: u64 = 16;
const PACKED_HEADER: u64 = 16;

/// The kind of a hunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Packed by the method of this number.
    Packed { method: usize, start: u64, size: u64 },
    /// As it is.
    Stored(u64),
    /// The same bytes as another hunk.
    Copy(u64),
    /// Eight bytes, over and over.
    Repeated(u64),
}

/// The map of a file.
pub(super) enum Map {
    /// Version 5 without packing.
    Plain,
    Packed(Packed),
    /// Versions 3 and 4.
    Older,
}

/// A map that is packed.
pub(super) struct Packed {
    /// The kind of each hunk, as in the map.
    kinds: Vec<u8>,
    bits: Bits,
    /// Bits of a size and of the number of a hunk.
    size_bits: u32,
    number_bits: u32,
    /// Where to go on: for every [`STEP`] hunks, the first one included, as far as the map was read,
    /// and for the next hunk.
    points: Vec<Point>,
    next: u32,
    point: Point,
}

/// The state between two hunks.
#[derive(Clone, Copy)]
struct Point {
    bit: u64,
    /// Where the next hunk begins in the file.
    start: u64,
    /// The hunk that was referred to last.
    last: u64,
}

impl Map {
    /// The map of a file with this header.
    pub(super) fn read(content: &mut dyn Content, header: &Header) -> Result<Self, ImageError> {
        if header.version < 5 {
            return Ok(Self::Older);
        }
        if header.methods[0] == super::header::Method::None {
            return Ok(Self::Plain);
        }
        Packed::read(content, header).map(Self::Packed)
    }

    /// The entry of a hunk of the file.
    pub(super) fn entry(
        &mut self,
        content: &mut dyn Content,
        header: &Header,
        hunk: u64,
    ) -> Result<Entry, ImageError> {
        match self {
            Self::Packed(packed) => packed.entry(content, header, hunk),
            Self::Plain => {
                let bytes = part(content, header.map.saturating_add(4 * hunk), 4)?;
                let number = bytes.first_chunk().copied().map(u32::from_be_bytes);
                Ok(match number.ok_or(ImageError::Damaged)? {
                    0 => Entry::Repeated(0),
                    number => Entry::Stored(u64::from(number) * u64::from(header.hunk)),
                })
            }
            Self::Older => {
                let bytes = part(content, header.map + OLDER_ENTRY * hunk, 16)?;
                older(&bytes).ok_or(ImageError::Damaged)?
            }
        }
    }
}

/// An entry of versions 3 and 4: place, checksum, size and kind.
fn older(bytes: &[u8]) -> Option<Result<Entry, ImageError>> {
    let start = u64::from_be_bytes(*bytes.first_chunk()?);
    let [low, high] = [bytes.get(12..14)?, bytes.get(14..15)?];
    let size = u64::from(low[0]) << 8 | u64::from(low[1]) | u64::from(high[0]) << 16;
    Some(match bytes.get(15)? & 15 {
        1 => Ok(Entry::Packed { method: 0, start, size }),
        2 => Ok(Entry::Stored(start)),
        3 => Ok(Entry::Repeated(start)),
        4 => Ok(Entry::Copy(start)),
        5 => Err(ImageError::Parent),
        _ => Err(ImageError::Damaged),
    })
}

impl Packed {
    fn read(content: &mut dyn Content, header: &Header) -> Result<Self, ImageError> {
        let map = part(content, header.map, 16)?;
        let [_, _, _, _, place @ .., _, _, size_bits, number_bits, _, _] =
            *map.first_chunk::<16>().ok_or(ImageError::Damaged)?;
        let length = u32::from_be_bytes(*map.first_chunk().ok_or(ImageError::Damaged)?);
        let start = place.iter().fold(0, |start, byte| start << 8 | u64::from(*byte));
        if size_bits > 32 || number_bits > 32 {
            return Err(ImageError::Damaged);
        }
        let mut bits = Bits::new(content, header.map.saturating_add(PACKED_HEADER), length.into());
        let kinds = kinds(&mut bits, content, header.count)?;
        let point = Point { bit: bits.place(), start, last: 0 };
        Ok(Self {
            kinds,
            bits,
            size_bits: size_bits.into(),
            number_bits: number_bits.into(),
            points: vec![point],
            next: 0,
            point,
        })
    }

    fn entry(
        &mut self,
        content: &mut dyn Content,
        header: &Header,
        hunk: u64,
    ) -> Result<Entry, ImageError> {
        let hunk = u32::try_from(hunk).map_err(|_| ImageError::Damaged)?;
        let known = (hunk / STEP).min(u32::try_from(self.points.len()).unwrap_or(1) - 1);
        if self.next > hunk || self.next < known * STEP {
            self.next = known * STEP;
            self.point = self.points[known as usize];
        }
        loop {
            let is_it = self.next == hunk;
            let entry = self.advance(content, header)?;
            if self.next.is_multiple_of(STEP) && self.points.len() == (self.next / STEP) as usize {
                self.points.push(self.point);
            }
            if is_it {
                return Ok(entry);
            }
        }
    }

    /// The next hunk.
    fn advance(&mut self, content: &mut dyn Content, header: &Header) -> Result<Entry, ImageError> {
        let kind = *self.kinds.get(self.next as usize).ok_or(ImageError::Damaged)?;
        let mut point = self.point;
        self.bits.go_to(point.bit);
        let start = point.start;
        let entry = match kind {
            0..=3 => {
                let size = self.bits.read(content, self.size_bits)?;
                // A checksum follows.
                self.bits.skip(16)?;
                point.start = start.saturating_add(size);
                Entry::Packed { method: kind.into(), start, size }
            }
            4 => {
                self.bits.skip(16)?;
                point.start = start.saturating_add(header.hunk.into());
                Entry::Stored(start)
            }
            5 => {
                point.last = self.bits.read(content, self.number_bits)?;
                Entry::Copy(point.last)
            }
            9 => Entry::Copy(point.last),
            10 => {
                point.last = point.last.saturating_add(1);
                Entry::Copy(point.last)
            }
            6 | 11..=13 => return Err(ImageError::Parent),
            _ => return Err(ImageError::Damaged),
        };
        point.bit = self.bits.place();
        self.point = point;
        self.next += 1;
        Ok(entry)
    }
}

/// The kind of each hunk; repetitions are written as counts.
fn kinds(bits: &mut Bits, content: &mut dyn Content, count: u32) -> Result<Vec<u8>, ImageError> {
    let code = Huffman::of_map(bits, content)?;
    let count = count as usize;
    let mut kinds = Vec::new();
    let mut last = 0;
    while kinds.len() < count {
        let kind = code.next(bits, content)?;
        let repeats = match kind {
            7 => 3 + usize::from(code.next(bits, content)?),
            8 => {
                let high = usize::from(code.next(bits, content)?);
                19 + (high << 4) + usize::from(code.next(bits, content)?)
            }
            _ => {
                last = kind;
                1
            }
        };
        kinds.resize((kinds.len() + repeats).min(count), last);
    }
    Ok(kinds)
}
