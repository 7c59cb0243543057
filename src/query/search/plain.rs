//! The search in the library itself: a part of the title, in library order.

use crate::{base::text, model::Games};

/// The positions of the first games whose title contains the query, in any case.
pub fn search(games: &Games, query: &str, limit: usize) -> Vec<usize> {
    let query = text::fold(query.trim());
    let all = games.chunks().iter().flat_map(|chunk| chunk.iter()).enumerate();
    let found = all.filter(|(_, game)| text::contains_folded(game.name(), &query));
    found.map(|(position, _)| position).take(limit).collect()
}
