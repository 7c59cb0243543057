//! Numbers of any count of bits, the highest bit of a byte first, from a part of a content.

use std::io;

use super::{content::Content, error::ImageError};

/// Bytes that are read ahead.
const WINDOW: usize = 64 << 10;
/// Bits of the longest number.
const LONGEST: u32 = 57;

/// A place among the bits of a part of a content.
pub(super) struct Bits {
    /// Where the part begins and how many bits it has.
    start: u64,
    count: u64,
    /// The next bit.
    at: u64,
    /// Bytes that were read ahead, and where in the part they begin.
    window: Vec<u8>,
    window_at: u64,
}

impl Bits {
    /// The bits of `length` bytes from a place on; fewer where the content ends before.
    pub(super) fn new(content: &dyn Content, start: u64, length: u64) -> Self {
        let count = length.min(content.length().saturating_sub(start)).saturating_mul(8);
        Self { start, count, at: 0, window: Vec::new(), window_at: 0 }
    }

    /// The number of the next bit.
    pub(super) fn place(&self) -> u64 {
        self.at
    }

    /// Continues at another bit.
    pub(super) fn go_to(&mut self, place: u64) {
        self.at = place;
    }

    /// The next number of `bits` bits, at most 57, which stays the next one; behind the end bits are 0.
    pub(super) fn peek(&mut self, content: &mut dyn Content, bits: u32) -> io::Result<u64> {
        if bits == 0 || bits > LONGEST {
            return Ok(0);
        }
        let first = self.at / 8;
        let all = self.count / 8;
        let is_kept = first >= self.window_at
            && (first + 8).min(all) <= self.window_at + self.window.len() as u64;
        if !is_kept {
            let left = usize::try_from(all.saturating_sub(first)).unwrap_or(usize::MAX);
            self.window.resize(left.min(WINDOW), 0);
            let read = content.read_at(self.start.saturating_add(first), &mut self.window)?;
            self.window.truncate(read);
            self.window_at = first;
        }
        let mut word = [0; 8];
        let start = usize::try_from(first - self.window_at).unwrap_or(usize::MAX);
        let known = self.window.get(start..).unwrap_or_default();
        let known = &known[..known.len().min(8)];
        word[..known.len()].copy_from_slice(known);
        Ok((u64::from_be_bytes(word) << (self.at % 8)) >> (64 - bits))
    }

    /// Passes over bits; an error where there are fewer.
    pub(super) fn skip(&mut self, bits: u32) -> Result<(), ImageError> {
        self.at += u64::from(bits);
        if self.at > self.count { Err(ImageError::Damaged) } else { Ok(()) }
    }

    /// The next number of `bits` bits.
    pub(super) fn read(&mut self, content: &mut dyn Content, bits: u32) -> Result<u64, ImageError> {
        let number = self.peek(content, bits)?;
        self.skip(bits)?;
        Ok(number)
    }
}

#[cfg(test)]
mod tests {
    use super::{super::content::InMemory, *};

    #[test]
    fn numbers_are_read_across_bytes_and_windows() {
        let mut content = InMemory((0..200_000_u32).map(|at| at.to_le_bytes()[0]).collect());
        let mut bits = Bits::new(&content, 3, 190_000);
        assert_eq!(bits.read(&mut content, 4).expect("there"), 0);
        assert_eq!(bits.read(&mut content, 12).expect("there"), 0x304);
        bits.go_to(8 * (WINDOW as u64 - 2) + 4);
        assert_eq!(bits.read(&mut content, 32).expect("there"), 0x1020_3040);
        bits.go_to(8 * 189_999);
        assert_eq!(bits.peek(&mut content, 16).expect("there") & 0xFF, 0, "zeros behind the end");
        assert!(bits.read(&mut content, 8).is_ok());
        assert!(bits.read(&mut content, 1).is_err());
        assert_eq!(bits.read(&mut content, 0).ok(), None);
    }
}
