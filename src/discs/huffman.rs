//! The Huffman codes of CHD files: of the map of hunks, and of bytes.

use super::{bits::Bits, content::Content, error::ImageError};

/// Bits of the longest code.
const LONGEST: u32 = 16;
/// Codes of bytes.
const BYTES: usize = 256;
/// Codes of the code in which the lengths of the codes of bytes are written, and its longest one.
const LENGTHS: (usize, u32) = (24, 6);
/// Bits of the count of a long run of lengths: those of the number of codes without the shortest run.
const RUN_BITS: u32 = 8;

/// A code: what the next bits mean.
pub(super) struct Huffman {
    /// Bits of its longest word.
    longest: u32,
    /// By the next bits: the symbol, and the bits of its word; 0 bits where no word begins so.
    words: Vec<(u8, u8)>,
}

impl Huffman {
    /// A code whose lengths are written with runs: that of a map.
    pub(super) fn of_map(bits: &mut Bits, content: &mut dyn Content) -> Result<Self, ImageError> {
        const CODES: usize = 16;
        let mut lengths = Vec::with_capacity(CODES);
        while lengths.len() < CODES {
            let mut length = small(bits.read(content, 4)?);
            let mut count = 1;
            if length == 1 {
                length = small(bits.read(content, 4)?);
                if length != 1 {
                    count = usize::from(small(bits.read(content, 4)?)) + 3;
                }
            }
            if lengths.len() + count > CODES {
                return Err(ImageError::Damaged);
            }
            lengths.resize(lengths.len() + count, length);
        }
        Self::new(&lengths, 8)
    }

    /// A code of bytes, whose lengths are written in a code of their own.
    pub(super) fn of_bytes(bits: &mut Bits, content: &mut dyn Content) -> Result<Self, ImageError> {
        let mut lengths = vec![0; LENGTHS.0];
        lengths[0] = small(bits.read(content, 3)?);
        let start = usize::from(small(bits.read(content, 3)?)) + 1;
        for length in &mut lengths[start..] {
            // The longest length stands for the end of the list.
            let next = small(bits.read(content, 3)?);
            if next == 7 {
                break;
            }
            *length = next;
        }
        let code = Self::new(&lengths, LENGTHS.1)?;
        let mut lengths = Vec::with_capacity(BYTES);
        let mut last = 0;
        while lengths.len() < BYTES {
            let symbol = code.next(bits, content)?;
            if symbol > 0 {
                last = symbol - 1;
                lengths.push(last);
                continue;
            }
            let mut count = bits.read(content, 3)? + 2;
            if count == 9 {
                count += bits.read(content, RUN_BITS)?;
            }
            let end = lengths.len() + usize::try_from(count).unwrap_or(BYTES);
            lengths.resize(end.min(BYTES), last);
        }
        Self::new(&lengths, LONGEST)
    }

    /// The canonical code of these lengths; a length of 0 means that the symbol does not occur.
    fn new(lengths: &[u8], longest: u32) -> Result<Self, ImageError> {
        let mut starts = [0_u32; 33];
        for length in lengths.iter().filter(|length| **length > 0) {
            if u32::from(*length) > longest {
                return Err(ImageError::Damaged);
            }
            starts[usize::from(*length)] += 1;
        }
        // The longest words come first, so each length begins where the longer ones end.
        let mut start = 0;
        for length in (1..starts.len()).rev() {
            let end = start + starts[length];
            if length != 1 && end % 2 != 0 {
                return Err(ImageError::Damaged);
            }
            starts[length] = start;
            start = end / 2;
        }
        let mut words = vec![(0, 0); 1 << longest];
        for (symbol, length) in lengths.iter().enumerate().filter(|(_, length)| **length > 0) {
            let word = &mut starts[usize::from(*length)];
            let shift = longest - u32::from(*length);
            let range = (*word << shift) as usize..((*word + 1) << shift) as usize;
            let symbol = u8::try_from(symbol).map_err(|_| ImageError::Damaged)?;
            words.get_mut(range).ok_or(ImageError::Damaged)?.fill((symbol, *length));
            *word += 1;
        }
        Ok(Self { longest, words })
    }

    /// The next symbol.
    pub(super) fn next(
        &self,
        bits: &mut Bits,
        content: &mut dyn Content,
    ) -> Result<u8, ImageError> {
        let ahead = usize::try_from(bits.peek(content, self.longest)?).unwrap_or(0);
        let (symbol, length) = self.words[ahead];
        if length == 0 {
            return Err(ImageError::Damaged);
        }
        bits.skip(u32::from(length))?;
        Ok(symbol)
    }
}

/// A number of a few bits.
fn small(number: u64) -> u8 {
    number.to_le_bytes()[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_make_no_code_are_refused() {
        assert!(Huffman::new(&[1, 1], 8).is_ok());
        assert!(Huffman::new(&[1, 2, 2], 8).is_ok());
        for lengths in [&[9][..], &[2, 2, 2], &[1, 1, 1], &[3]] {
            assert!(Huffman::new(lengths, 8).is_err(), "{lengths:?}");
        }
    }
}
