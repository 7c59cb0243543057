//! The header of a CHD file.

use super::super::{
    content::{Content, part},
    error::ImageError,
    limits,
};

/// Bytes of the longest header.
const LONGEST: usize = 124;
/// The flag of a file that needs its parent, in versions before 5.
const HAS_PARENT: u32 = 1;

/// How hunks are packed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Method {
    None,
    Deflate,
    Lzma,
    Huffman,
    Flac,
    Zstd,
    /// Sectors of a CD and what belongs to them apart: the sectors in one of these.
    CdDeflate,
    CdLzma,
    CdFlac,
    CdZstd,
    /// Pictures and sound of a laser disc.
    Video,
    Unknown,
}

/// The content of a header. Its sizes are within the bounds of this module.
pub(super) struct Header {
    pub(super) version: u32,
    /// By the number that the map has for them.
    pub(super) methods: [Method; 4],
    /// Bytes of a hunk, and how many hunks there are.
    pub(super) hunk: u32,
    pub(super) count: u32,
    /// Bytes of all hunks that count.
    pub(super) length: u64,
    /// Where the map and the metadata begin; 0 for none.
    pub(super) map: u64,
    pub(super) metadata: u64,
}

fn word(bytes: &[u8], at: usize) -> Result<u32, ImageError> {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk).copied();
    found.map(u32::from_be_bytes).ok_or(ImageError::Damaged)
}

fn long(bytes: &[u8], at: usize) -> Result<u64, ImageError> {
    Ok(u64::from(word(bytes, at)?) << 32 | u64::from(word(bytes, at + 4)?))
}

/// Reads and checks a header.
///
/// # Errors
/// A file that is not a CHD, that needs its parent or asks for more than this module gives.
pub(super) fn read(content: &mut dyn Content) -> Result<Header, ImageError> {
    let bytes = part(content, 0, LONGEST)?;
    if !bytes.starts_with(b"MComprHD") {
        return Err(ImageError::Damaged);
    }
    let header = match word(&bytes, 12)? {
        5 => newest(&bytes)?,
        4 => older(&bytes, 4, word(&bytes, 44)?, 108)?,
        3 => older(&bytes, 3, word(&bytes, 76)?, 120)?,
        _ => return Err(ImageError::Method("an old version of CHD")),
    };
    let hunks = header.length.div_ceil(u64::from(header.hunk.max(1)));
    let is_bounded = (16..=limits::HUNK).contains(&header.hunk) && hunks <= limits::MAP as u64;
    if !is_bounded || hunks > header.count.into() {
        return Err(ImageError::Damaged);
    }
    Ok(header)
}

fn newest(bytes: &[u8]) -> Result<Header, ImageError> {
    if bytes.get(104..124).ok_or(ImageError::Damaged)?.iter().any(|byte| *byte != 0) {
        return Err(ImageError::Parent);
    }
    let mut methods = [Method::Unknown; 4];
    for (at, method) in methods.iter_mut().enumerate() {
        *method = match &word(bytes, 16 + 4 * at)?.to_be_bytes() {
            b"\0\0\0\0" => Method::None,
            b"zlib" => Method::Deflate,
            b"lzma" => Method::Lzma,
            b"huff" => Method::Huffman,
            b"flac" => Method::Flac,
            b"zstd" => Method::Zstd,
            b"cdzl" => Method::CdDeflate,
            b"cdlz" => Method::CdLzma,
            b"cdfl" => Method::CdFlac,
            b"cdzs" => Method::CdZstd,
            b"avhu" => Method::Video,
            _ => Method::Unknown,
        };
    }
    let (length, hunk) = (long(bytes, 32)?, word(bytes, 56)?);
    Ok(Header {
        version: 5,
        methods,
        hunk,
        count: u32::try_from(length.div_ceil(hunk.max(1).into())).unwrap_or(u32::MAX),
        length,
        map: long(bytes, 40)?,
        metadata: long(bytes, 48)?,
    })
}

fn older(bytes: &[u8], version: u32, hunk: u32, map: u64) -> Result<Header, ImageError> {
    if word(bytes, 16)? & HAS_PARENT != 0 {
        return Err(ImageError::Parent);
    }
    let method = match word(bytes, 20)? {
        0 => Method::None,
        1 | 2 => Method::Deflate,
        3 => Method::Video,
        _ => Method::Unknown,
    };
    Ok(Header {
        version,
        methods: [method; 4],
        hunk,
        count: word(bytes, 24)?,
        length: long(bytes, 28)?,
        map,
        metadata: long(bytes, 36)?,
    })
}
