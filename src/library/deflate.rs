//! Pieces of a gzip stream that are compressed separately and joined unchanged.
//!
//! Every piece is a run of deflate blocks that refers to nothing before it and ends on a byte border,
//! so pieces stand in any order; the checksum of the whole is combined from those of the pieces. One changed piece is
//! compressed again, the others are kept.

use std::sync::Arc;

use crc32fast::Hasher;
use flate2::{Compress, Compression, FlushCompress, Status};

/// How hard pieces are squeezed. They are compressed once and sent many times, and the level below
/// is the fastest that still finds the long repetitions of neighbouring games.
const LEVEL: u32 = 3;

/// Magic, deflate, no flags, no time, no extra flags, unknown system.
const HEADER: [u8; 10] = [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255];
/// An empty last block.
const END: [u8; 2] = [3, 0];

/// One compressed piece.
#[derive(Clone, Debug)]
pub struct Deflated {
    bytes: Arc<[u8]>,
    sum: Hasher,
    plain: usize,
}

/// Compresses pieces one after the other with one set of buffers.
pub struct Deflater {
    stream: Compress,
    buffer: Vec<u8>,
}

impl Default for Deflater {
    fn default() -> Self {
        Self { stream: Compress::new(Compression::new(LEVEL), false), buffer: Vec::new() }
    }
}

impl Deflater {
    /// Compresses one piece.
    pub fn deflate(&mut self, plain: &[u8]) -> Deflated {
        self.stream.reset();
        self.buffer.clear();
        self.buffer.reserve(plain.len() / 8 + 64);
        loop {
            // OK because the counter started at zero with the piece and the piece fits into memory.
            let read = usize::try_from(self.stream.total_in()).unwrap_or(usize::MAX);
            let rest = plain.get(read..).unwrap_or_default();
            let outcome = self.stream.compress_vec(rest, &mut self.buffer, FlushCompress::Full);
            // OK because only a stream that was finished refuses input.
            let status = outcome.expect("a fresh stream takes input");
            let done = self.stream.total_in() == plain.len() as u64;
            // Room left over means that the flush is complete.
            if done && self.buffer.len() < self.buffer.capacity() || status == Status::StreamEnd {
                break;
            }
            self.buffer.reserve(self.buffer.capacity().max(64));
        }
        let mut sum = Hasher::new();
        sum.update(plain);
        Deflated { bytes: self.buffer.as_slice().into(), sum, plain: plain.len() }
    }
}

/// Joins pieces to one gzip stream; the bytes of the pieces are shared, not copied.
pub fn join(pieces: &[&Deflated]) -> Vec<Arc<[u8]>> {
    let mut stream: Vec<Arc<[u8]>> = vec![Arc::from(HEADER)];
    let mut sum = Hasher::new();
    let mut plain = 0_usize;
    for piece in pieces {
        stream.push(Arc::clone(&piece.bytes));
        sum.combine(&piece.sum);
        plain += piece.plain;
    }
    let mut tail = END.to_vec();
    tail.extend_from_slice(&sum.finalize().to_le_bytes());
    #[expect(clippy::cast_possible_truncation, reason = "the format wants the size modulo 2^32")]
    tail.extend_from_slice(&(plain as u32).to_le_bytes());
    stream.push(tail.into());
    stream
}

#[cfg(test)]
mod tests {
    use std::io::Read as _;

    use flate2::read::GzDecoder;
    use proptest::prelude::*;

    use super::*;

    fn unpack(slices: &[Arc<[u8]>]) -> Vec<u8> {
        let mut plain = Vec::new();
        let joined = slices.concat();
        let mut decoder = GzDecoder::new(&joined[..]);
        decoder.read_to_end(&mut plain).expect("one valid gzip stream");
        assert!(decoder.into_inner().is_empty(), "nothing follows the stream");
        plain
    }

    #[test]
    fn no_piece_is_an_empty_stream() {
        assert_eq!(unpack(&join(&[])), b"");
        let empty = Deflater::default().deflate(b"");
        assert_eq!(unpack(&join(&[&empty, &empty])), b"");
    }

    #[test]
    fn large_and_incompressible_pieces_survive() {
        let mut state = 1_u64;
        let noise: Vec<u8> = (0..700_000)
            .map(|_| {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                (state >> 56) as u8
            })
            .collect();
        let mut deflater = Deflater::default();
        let monotony = vec![b'a'; 900_000];
        let pieces = [&noise[..], &monotony[..], &noise[..77]];
        let packed: Vec<Deflated> = pieces.iter().map(|piece| deflater.deflate(piece)).collect();
        assert_eq!(unpack(&join(&packed.iter().collect::<Vec<_>>())), pieces.concat());
    }

    proptest! {
        #[test]
        fn joined_pieces_unpack_to_the_joined_text(
            pieces in prop::collection::vec("[a-d\u{e4}]{0,400}", 0..12),
            order in any::<prop::sample::Index>(),
        ) {
            let mut deflater = Deflater::default();
            let mut packed: Vec<Deflated> =
                pieces.iter().map(|piece| deflater.deflate(piece.as_bytes())).collect();
            prop_assert_eq!(unpack(&join(&packed.iter().collect::<Vec<_>>())), pieces.concat().into_bytes());
            // A piece that is compressed again takes its old place.
            if !packed.is_empty() {
                let at = order.index(packed.len());
                packed[at] = deflater.deflate(b"changed");
                let mut changed = pieces.clone();
                changed[at] = "changed".to_owned();
                prop_assert_eq!(unpack(&join(&packed.iter().collect::<Vec<_>>())), changed.concat().into_bytes());
            }
        }
    }
}
