//! Whether the games are unchanged since the last check of their health. Playtime, ratings and notes do not count.
//!
//! Owns the digests of runs of games, which are valid as long as the run.

use std::sync::{Arc, Mutex, Weak};

use hashbrown::HashMap;
use sha2::{Digest as _, Sha256};

use crate::{
    base::{Hold as _, ids},
    model::{Chunk, State},
};

/// Fields that no rule reads and that change all the time.
const PASSED_OVER: [&str; 15] = [
    "field_origins",
    "play_count",
    "playtime_seconds",
    "last_played",
    "manual_sessions",
    "favorite",
    "hidden",
    "progress",
    "progress_suggested",
    "rating",
    "user_rating",
    "notes",
    "tags",
    "moments",
    "clips",
];

type Seal = [u8; 32];

/// The digests of the runs of games that were seen last.
#[derive(Debug, Default)]
pub(super) struct Fingerprints(Mutex<Vec<(Weak<Chunk>, Seal)>>);

impl Fingerprints {
    /// What the games and profiles of a state are known by: 64 hex digits.
    pub(super) fn of(&self, state: &State) -> String {
        let mut kept = self.0.hold();
        // OK because a weak pointer keeps the address from being given to another run of games.
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
        whole.update(state.section("profiles").to_string());
        ids::hex(&whole.finalize())
    }
}

fn seal_of(chunk: &Chunk) -> Seal {
    let mut digest = Sha256::new();
    for game in chunk {
        let mut record = game.record();
        for key in PASSED_OVER {
            record.remove(key);
        }
        digest.update(record.to_json());
        // The JSON of a game has no line break, so no two lists of games read alike.
        digest.update("\n");
    }
    digest.finalize().into()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{
        super::rules::tests::{library, whole},
        *,
    };
    use crate::model::Draft;

    #[test]
    fn play_does_not_count_and_everything_else_does() {
        let state = library(&[whole("a", json!({})), whole("b", json!({}))]);
        let prints = Fingerprints::default();
        let first = prints.of(&state);
        assert_eq!(first.len(), 64);
        let after = |edit: &dyn Fn(&mut Draft)| {
            let mut draft = Draft::new(state.clone());
            edit(&mut draft);
            prints.of(draft.state())
        };
        let set = |key: &'static str, value: serde_json::Value| {
            after(&move |draft| {
                let value = value.clone();
                draft.edit_game("b", |game| game.set(key, value)).expect("there");
            })
        };
        assert_eq!(set("play_count", json!(3)), first);
        assert_eq!(set("favorite", json!(true)), first);
        assert_ne!(set("genre", json!("x")), first);
        assert_ne!(after(&|draft| drop(draft.remove_games(&["b"]))), first);
        assert_ne!(after(&|draft| draft.set_section("profiles", json!({}))), first);
    }
}
