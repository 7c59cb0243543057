//! A map from texts to positions that does not keep the texts.
//!
//! A text is known by 128 bits under secrets of the map. Among all texts that fit into memory no two
//! share them, and no outsider can construct two that do.

use std::hash::{BuildHasher as _, RandomState};

use hashbrown::HashMap;

/// Positions by text, 25 bytes each whatever the texts are.
#[derive(Clone, Debug, Default)]
pub struct TextMap {
    secrets: [RandomState; 2],
    positions: HashMap<[u64; 2], usize>,
}

impl TextMap {
    /// The position of a text.
    pub fn get(&self, text: &str) -> Option<usize> {
        self.positions.get(&self.mark(text)).copied()
    }

    /// Enters a text; one that is known keeps its position.
    pub fn enter(&mut self, text: &str, position: usize) {
        let mark = self.mark(text);
        self.positions.entry(mark).or_insert(position);
    }

    fn mark(&self, text: &str) -> [u64; 2] {
        self.secrets.each_ref().map(|secret| secret.hash_one(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_position_of_a_text_counts() {
        let mut map = TextMap::default();
        for position in 0..50_000 {
            map.enter(&format!("path:/r/{position}"), position);
            map.enter(&format!("path:/r/{}", position / 2), position);
        }
        assert!((0..50_000).all(|at| map.get(&format!("path:/r/{at}")) == Some(at)));
        assert_eq!((map.get("path:/r/50000"), map.get("")), (None, None));
    }

    #[test]
    fn a_map_has_secrets_of_its_own() {
        let (one, other) = (TextMap::default(), TextMap::default());
        assert_ne!(one.mark("a"), other.mark("a"));
        let [first, second] = one.mark("a");
        assert_ne!(first, second);
    }
}
