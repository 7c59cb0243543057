//! The version that a program carries, readable without running it.
//!
//! A signature stays valid forever. An attacker who controls the host of releases could publish an old, signed program
//! under a new number; the mark inside of it reveals that.

use crate::desktop::APPLICATION;

/// The mark of this program.
#[used]
static MARK: [u8; LENGTH] = *concat_mark();

const TEXT: &str = concat!("service-launcher carries version ", env!("CARGO_PKG_VERSION"), ";");
const LENGTH: usize = TEXT.len();
/// Bytes of the longest version in a mark.
const VERSION_BYTES: usize = 40;

const fn concat_mark() -> &'static [u8; LENGTH] {
    match TEXT.as_bytes().first_chunk() {
        Some(mark) => mark,
        None => &[0; LENGTH],
    }
}

/// Searches the mark in a program that is received piece by piece.
pub struct MarkFinder {
    /// What a mark begins with; put together here, so that no program holds it by accident.
    begin: Vec<u8>,
    /// The end of what came before.
    rest: Vec<u8>,
    found: Option<String>,
}

impl MarkFinder {
    /// A finder that has seen nothing.
    pub fn new() -> Self {
        let begin = format!("{APPLICATION} carries {} ", "version").into_bytes();
        Self { begin, rest: Vec::new(), found: None }
    }

    /// Takes the next piece.
    pub fn take(&mut self, piece: &[u8]) {
        if self.found.is_some() {
            return;
        }
        self.rest.extend_from_slice(piece);
        let mut places = memchr::memmem::find_iter(&self.rest, &self.begin);
        self.found = places.find_map(|at| version(&self.rest[at + self.begin.len()..]));
        let kept = self.begin.len() + VERSION_BYTES;
        let done = self.rest.len().saturating_sub(kept);
        self.rest.drain(..done);
    }

    /// The version; `None` when there was no mark, as in programs before there were marks.
    pub fn found(self) -> Option<String> {
        self.found
    }
}

/// The version at the beginning of some bytes.
fn version(bytes: &[u8]) -> Option<String> {
    let end = bytes.iter().take(VERSION_BYTES).position(|byte| *byte == b';')?;
    String::from_utf8(bytes[..end].to_vec()).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_is_found_wherever_pieces_end() {
        let program = [&[0xff; 100][..], &MARK, b"more"].concat();
        for length in [1, 7, 50, 101, 1_000] {
            let mut finder = MarkFinder::new();
            program.chunks(length).for_each(|piece| finder.take(piece));
            assert_eq!(finder.found().as_deref(), Some(env!("CARGO_PKG_VERSION")), "{length}");
        }
        let mut finder = MarkFinder::new();
        finder.take(&MARK[..LENGTH - 1]);
        assert_eq!(finder.found(), None, "a mark without its end");
    }
}
