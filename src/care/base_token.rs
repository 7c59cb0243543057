//! The token of a preview: it identifies everything a plan was made from, so that a plan is only
//! applied to the library it was made for. See `docs/design/changes.md`.
//!
//! Owns the digests of chunks, which are valid as long as the chunk: the cost of a token depends on what changed.

use std::sync::{Arc, Mutex, Weak};

use hashbrown::HashMap;
use sha2::{Digest as _, Sha256};

use crate::{
    base::{Hold as _, ids},
    model::{Chunk, State},
};

type Seal = [u8; 32];

/// The digests of the chunks that were seen last.
#[derive(Debug, Default)]
pub struct TokenCache(Mutex<Vec<(Weak<Chunk>, Seal)>>);

impl TokenCache {
    /// The token of the games and playlists of a state: 64 hex digits, the same for the same content.
    pub fn token(&self, state: &State) -> String {
        let mut kept = self.0.hold();
        // OK because a weak pointer keeps the address from being given to another chunk.
        let known: HashMap<*const Chunk, Seal> =
            kept.iter().map(|(chunk, seal)| (chunk.as_ptr(), *seal)).collect();
        let mut whole = Sha256::new();
        let mut seals = Vec::with_capacity(state.games.chunks().len());
        for chunk in state.games.chunks() {
            let seal = known.get(&Arc::as_ptr(chunk)).copied().unwrap_or_else(|| seal_of(chunk));
            whole.update(seal);
            seals.push((Arc::downgrade(chunk), seal));
        }
        *kept = seals;
        drop(kept);
        whole.update(state.section("playlists").to_string());
        ids::hex(&whole.finalize())
    }
}

fn seal_of(chunk: &Chunk) -> Seal {
    let mut digest = Sha256::new();
    for game in chunk {
        // The JSON of a game has no line break, so no two lists of games read alike.
        digest.update(game.json());
        digest.update("\n");
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Draft;

    #[test]
    fn a_token_follows_games_and_playlists_and_nothing_else() {
        let mut draft = Draft::new(State::default());
        for number in 0..300 {
            let game = json!({"game_id": number.to_string(), "name": "x"});
            draft.add_game(serde_json::from_value(game).expect("an object")).expect("added");
        }
        let cache = TokenCache::default();
        let first = cache.token(draft.state());
        assert_eq!(first.len(), 64);
        assert_eq!(TokenCache::default().token(draft.state()), first);
        draft.set_section("settings", json!({"theme": "x"}));
        assert_eq!(cache.token(draft.state()), first);
        draft.edit_game("299", |game| game.set("name", "y")).expect("there");
        let second = cache.token(draft.state());
        draft.set_section("playlists", json!([{"name": "p"}]));
        let third = cache.token(draft.state());
        draft.set_section("playlists", json!([]));
        draft.edit_game("299", |game| game.set("name", "x")).expect("there");
        draft.set_section("playlists", serde_json::Value::Null);
        assert_eq!(cache.token(draft.state()), first, "what was undone does not count");
        assert!(first != second && second != third);
    }
}
