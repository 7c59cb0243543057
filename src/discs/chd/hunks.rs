//! The hunks of a CHD file, unpacked.

use super::{
    super::{
        blocks::Blocks,
        content::{Content, part},
        error::ImageError,
        limits, unpack,
    },
    header::{Header, Method},
    map::{Entry, Map},
};

/// Bytes of a sector of a CD, and of what the file has for it: the sector and its subcode.
const SECTOR: usize = 2352;
pub(super) const UNIT: usize = 2448;
/// What a sector starts with; left out where the rest of the sector follows from its data.
const SYNC: [u8; 12] = [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0];
/// The properties of LZMA in these files: 3 literal context bits, 2 position bits.
const LZMA: u8 = 2 * 45 + 3;

/// The hunks of an open file.
pub(super) struct Hunks<'a> {
    content: Box<dyn Content + 'a>,
    header: Header,
    map: Map,
}

impl<'a> Hunks<'a> {
    /// The hunks of a file with this header.
    pub(super) fn new(
        mut content: Box<dyn Content + 'a>,
        header: Header,
    ) -> Result<Self, ImageError> {
        let map = Map::read(&mut *content, &header)?;
        Ok(Self { content, header, map })
    }
}

impl Blocks for Hunks<'_> {
    fn length(&self) -> u64 {
        self.header.length
    }

    fn size(&self) -> u64 {
        self.header.hunk.into()
    }

    fn read(&mut self, number: u64, block: &mut Vec<u8>) -> Result<(), ImageError> {
        let size = self.header.hunk as usize;
        let mut number = number;
        block.clear();
        block.resize(size, 0);
        for _ in 0..limits::REFERENCES {
            match self.map.entry(&mut *self.content, &self.header, number)? {
                Entry::Copy(other) => {
                    // The program that makes these files refers to earlier hunks only; so there is no end.
                    if other >= number {
                        return Err(ImageError::Damaged);
                    }
                    number = other;
                }
                Entry::Repeated(word) => {
                    for (place, byte) in block.iter_mut().zip(word.to_be_bytes().iter().cycle()) {
                        *place = *byte;
                    }
                    return Ok(());
                }
                Entry::Stored(start) => {
                    let read = self.content.read_at(start, block)?;
                    return if read == size { Ok(()) } else { Err(ImageError::Damaged) };
                }
                Entry::Packed { method, start, size: stored } => {
                    let stored = usize::try_from(stored).unwrap_or(usize::MAX);
                    if stored > size {
                        return Err(ImageError::Damaged);
                    }
                    let packed = part(&mut *self.content, start, stored)?;
                    return unpack_hunk(self.header.methods[method], packed, block);
                }
            }
        }
        Err(ImageError::Damaged)
    }
}

fn unpack_hunk(method: Method, packed: Vec<u8>, block: &mut [u8]) -> Result<(), ImageError> {
    match method {
        Method::Deflate => unpack::deflate(&packed, block),
        Method::Lzma => unpack::lzma(&packed, LZMA, block),
        Method::Huffman => unpack::huffman(packed, block),
        Method::Zstd => unpack::zstd(&packed, block),
        Method::Flac => {
            let (order, frames) = packed.split_first().ok_or(ImageError::Damaged)?;
            match order {
                b'B' => unpack::flac(frames, true, block),
                b'L' => unpack::flac(frames, false, block),
                _ => Err(ImageError::Damaged),
            }
        }
        Method::CdFlac => {
            let mut sectors = vec![0; sectors_of(block)? * SECTOR];
            unpack::flac(&packed, true, &mut sectors)?;
            spread(&sectors, &[], block);
            Ok(())
        }
        Method::CdDeflate | Method::CdLzma | Method::CdZstd => cd(method, &packed, block),
        Method::None | Method::Unknown => Err(ImageError::Damaged),
        Method::Video => Err(ImageError::Method("the coder of laser discs")),
    }
}

/// Sectors of a hunk of a CD.
fn sectors_of(block: &[u8]) -> Result<usize, ImageError> {
    if block.len().is_multiple_of(UNIT) { Ok(block.len() / UNIT) } else { Err(ImageError::Damaged) }
}

/// A hunk of a CD: a bit for each sector that has no error correction, the size of the packed sectors,
/// these, and the packed subcode.
fn cd(method: Method, packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    let count = sectors_of(block)?;
    let mut sectors = vec![0; count * SECTOR];
    let width = if block.len() < 0x1_0000 { 2 } else { 3 };
    let (marks, rest) = packed.split_at_checked(count.div_ceil(8)).ok_or(ImageError::Damaged)?;
    let (size, rest) = rest.split_at_checked(width).ok_or(ImageError::Damaged)?;
    let size = size.iter().fold(0, |size, byte| size << 8 | usize::from(*byte));
    let base = rest.get(..size).ok_or(ImageError::Damaged)?;
    match method {
        Method::CdLzma => unpack::lzma(base, LZMA, &mut sectors)?,
        Method::CdZstd => unpack::zstd(base, &mut sectors)?,
        _ => unpack::deflate(base, &mut sectors)?,
    }
    spread(&sectors, marks, block);
    Ok(())
}

/// Puts sectors where they lie in a hunk, those with a mark with their start.
fn spread(sectors: &[u8], marks: &[u8], block: &mut [u8]) {
    let places = block.chunks_exact_mut(UNIT).zip(sectors.chunks_exact(SECTOR));
    for (at, (place, sector)) in places.enumerate() {
        place[..SECTOR].copy_from_slice(sector);
        if marks.get(at / 8).is_some_and(|byte| byte >> (at % 8) & 1 == 1) {
            place[..SYNC.len()].copy_from_slice(&SYNC);
        }
    }
}
