//! The methods with which blocks are packed. None gives more bytes than it was asked for.

use std::io::{Cursor, Read};

use claxon::frame::FrameReader;
use flate2::read::{DeflateDecoder, ZlibDecoder};
use lzma_rust2::{Lzma2Reader, LzmaReader};
use ruzstd::decoding::StreamingDecoder;

use super::{bits::Bits, content::InMemory, error::ImageError, huffman::Huffman};

/// Bytes of the smallest dictionary of LZMA.
const SMALLEST: usize = 4096;
/// Bytes of the largest window of Zstandard: what the format wants every reader to allow.
const WINDOW: u64 = 8 << 20;

/// Fills a block; an error where the source has fewer bytes or is damaged.
fn fill(mut source: impl Read, block: &mut [u8]) -> Result<(), ImageError> {
    source.read_exact(block).map_err(|_| ImageError::Damaged)
}

/// A stream of deflate without a header.
pub(super) fn deflate(packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    fill(DeflateDecoder::new(packed), block)
}

/// A stream of zlib.
pub(super) fn zlib(packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    fill(ZlibDecoder::new(packed), block)
}

/// A stream of LZMA without a header, by the byte of its properties.
pub(super) fn lzma(packed: &[u8], properties: u8, block: &mut [u8]) -> Result<(), ImageError> {
    let size = block.len() as u64;
    let reader = LzmaReader::new_with_props(packed, size, properties, dictionary(block), None);
    fill(reader.map_err(|_| ImageError::Damaged)?, block)
}

/// A stream of LZMA2.
pub(super) fn lzma2(packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    let dictionary = dictionary(block);
    fill(Lzma2Reader::new(packed, dictionary, None), block)
}

/// A dictionary that reaches over a whole block; a larger one would not be used.
fn dictionary(block: &[u8]) -> u32 {
    u32::try_from(block.len().next_power_of_two().max(SMALLEST)).unwrap_or(u32::MAX)
}

/// A frame of Zstandard.
pub(super) fn zstd(packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    let reader = StreamingDecoder::new_with_max_window_size(packed, WINDOW);
    fill(reader.map_err(|_| ImageError::Damaged)?, block)
}

/// Bytes in a Huffman code.
pub(super) fn huffman(packed: Vec<u8>, block: &mut [u8]) -> Result<(), ImageError> {
    let mut content = InMemory(packed);
    let mut bits = Bits::new(&content, 0, u64::MAX);
    let code = Huffman::of_bytes(&mut bits, &mut content)?;
    for byte in block {
        *byte = code.next(&mut bits, &mut content)?;
    }
    Ok(())
}

/// Frames of FLAC with two channels of 16 bits, as bytes in this order.
pub(super) fn flac(packed: &[u8], is_big: bool, block: &mut [u8]) -> Result<(), ImageError> {
    let mut frames = FrameReader::new(Cursor::new(packed));
    let mut samples = Vec::new();
    let mut rest = block;
    while !rest.is_empty() {
        let frame = frames.read_next_or_eof(samples).ok().flatten().ok_or(ImageError::Damaged)?;
        if frame.channels() != 2 || frame.duration() == 0 {
            return Err(ImageError::Damaged);
        }
        for at in 0..frame.duration() {
            for channel in 0..2 {
                let [_, _, high, low] = frame.sample(channel, at).to_be_bytes();
                let pair = if is_big { [high, low] } else { [low, high] };
                let Some((place, behind)) = rest.split_first_chunk_mut() else { return Ok(()) };
                *place = pair;
                rest = behind;
            }
        }
        samples = frame.into_buffer();
    }
    Ok(())
}

/// A block of LZ4.
pub(super) fn lz4(packed: &[u8], block: &mut [u8]) -> Result<(), ImageError> {
    unpack_lz4(packed, block).ok_or(ImageError::Damaged)
}

fn unpack_lz4(packed: &[u8], block: &mut [u8]) -> Option<()> {
    let (mut at, mut filled) = (0, 0);
    while filled < block.len() {
        let token = *packed.get(at)?;
        at += 1;
        let count = long_count(packed, &mut at, token >> 4)?;
        // What is packed may go on behind the block: its end is filled up.
        let count = count.min(block.len() - filled);
        block[filled..filled + count].copy_from_slice(packed.get(at..at + count)?);
        (at, filled) = (at + count, filled + count);
        if filled == block.len() {
            break;
        }
        let back = usize::from(u16::from_le_bytes(*packed.get(at..)?.first_chunk()?));
        at += 2;
        let count = long_count(packed, &mut at, token & 15)?.checked_add(4)?;
        if back == 0 || back > filled {
            return None;
        }
        for _ in 0..count.min(block.len() - filled) {
            block[filled] = block[filled - back];
            filled += 1;
        }
    }
    Some(())
}

/// A count of LZ4: four bits, which further bytes add to.
fn long_count(packed: &[u8], at: &mut usize, bits: u8) -> Option<usize> {
    let mut count = usize::from(bits);
    if bits == 15 {
        loop {
            let more = *packed.get(*at)?;
            *at += 1;
            count += usize::from(more);
            if more != 255 {
                break;
            }
        }
    }
    Some(count)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lz4_repeats_what_it_has_written() {
        let mut block = [0; 12];
        lz4(&[0x35, b'a', b'b', b'c', 3, 0], &mut block).expect("unpacked");
        assert_eq!(&block, b"abcabcabcabc");
        let mut block = [0; 20];
        let long = [&[0xF0, 5][..], &[b'x'; 20]].concat();
        lz4(&long, &mut block).expect("unpacked");
        assert_eq!(block, [b'x'; 20]);
        for packed in [&[][..], &[0x10], &[0x10, b'a', 2, 0], &[0x10, b'a', 0, 0], &[0xFF, 255]] {
            assert!(lz4(packed, &mut block).is_err(), "{packed:?}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_do_harm(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let mut block = [0; 4096];
            drop(deflate(&bytes, &mut block));
            drop(zlib(&bytes, &mut block));
            drop(lzma(&bytes, 93, &mut block));
            drop(lzma2(&bytes, &mut block));
            drop(zstd(&bytes, &mut block));
            drop(lz4(&bytes, &mut block));
            drop(flac(&bytes, true, &mut block));
            drop(huffman(bytes, &mut block));
        }

        #[test]
        fn no_byte_of_a_frame_of_sound_does_harm(
            head in prop::collection::vec(any::<u8>(), 8),
            body in prop::collection::vec(any::<u8>(), 0..600),
        ) {
            // Correct at the start, so that decoding goes on to the samples.
            let bytes = [&[0xFF, 0xF8, 0x69, 0x18, 0, 0x0F][..], &head, &body].concat();
            drop(flac(&bytes, false, &mut [0; 4096]));
        }
    }
}
