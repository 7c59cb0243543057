//! The plain text of the library while it is sent.
//!
//! Owns the order of its parts. Blocks that keep their text share it; the others are rendered again
//! when their turn comes, a few games at a time, so a client that reads slowly or not at all costs one
//! part and not the whole answer. What is rendered is the same as before: it depends on the games, on
//! the rules and on the disk at that time, and all three are kept.

use std::{sync::Arc, vec};

use super::{
    projection::{Projection, ViewRules},
    survey::DiskFacts,
};
use crate::{
    base::ResponseBytes,
    game::slots::Slots,
    model::{CHUNK, Chunk},
};

/// Games that are rendered at a time, about 200 KiB.
const STEP: usize = 64;
/// Bytes a rendered game takes, about; only saves growing the buffer.
const GAME_BYTES: usize = 4_096;

/// A part of the text.
#[derive(Debug)]
pub enum Part {
    /// Bytes that are kept anyway.
    Kept(Arc<[u8]>),
    /// A chunk that is rendered when its turn comes.
    Chunk(Unrendered),
}

/// A chunk with everything its text is made of.
#[derive(Debug)]
pub struct Unrendered {
    /// Which chunk of the library.
    pub at: usize,
    /// Its games.
    pub chunk: Arc<Chunk>,
    /// The facts on disk about them.
    pub facts: Arc<[DiskFacts]>,
    /// Bytes of its text.
    pub len: usize,
}

/// The whole text, part by part.
#[derive(Debug)]
pub struct Text {
    rules: Arc<ViewRules>,
    len: u64,
    parts: vec::IntoIter<Part>,
    /// The chunk that is being rendered, and how many of its games have been.
    open: Option<(Unrendered, usize)>,
}

impl Text {
    /// The text of these parts under the rules that they were rendered by.
    pub fn new(parts: Vec<Part>, rules: Arc<ViewRules>) -> Self {
        let len = parts.iter().map(|part| part.len() as u64).sum();
        Self { rules, len, parts: parts.into_iter(), open: None }
    }

    /// Its bytes.
    pub fn len(&self) -> u64 {
        self.len
    }

    /// Parts that are kept and not yet taken.
    #[cfg(test)]
    pub fn kept(&self) -> usize {
        self.parts.as_slice().iter().filter(|part| matches!(part, Part::Kept(_))).count()
    }

    fn rendered(&mut self, unrendered: Unrendered, from: usize) -> Vec<u8> {
        let mut projection = Projection::new(&self.rules);
        let mut out = Vec::with_capacity(STEP * GAME_BYTES);
        let games = unrendered.chunk.iter().zip(unrendered.facts.iter()).enumerate();
        for (offset, (game, facts)) in games.skip(from).take(STEP) {
            let position = unrendered.at * CHUNK + offset;
            if position > 0 {
                out.push(b',');
            }
            projection.write(&mut out, position, game, &Slots::of(game.json()), facts);
        }
        let next = from + STEP;
        self.open = (next < unrendered.facts.len()).then_some((unrendered, next));
        out
    }
}

impl Iterator for Text {
    type Item = ResponseBytes;

    fn next(&mut self) -> Option<ResponseBytes> {
        let (unrendered, from) = match self.open.take() {
            Some(open) => open,
            None => match self.parts.next()? {
                Part::Kept(bytes) => return Some(ResponseBytes::Shared(bytes)),
                Part::Chunk(unrendered) => (unrendered, 0),
            },
        };
        Some(ResponseBytes::Own(self.rendered(unrendered, from)))
    }
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Self::Kept(bytes) => bytes.len(),
            Self::Chunk(unrendered) => unrendered.len,
        }
    }
}
