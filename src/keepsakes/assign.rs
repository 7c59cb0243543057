//! Memories that the user gives to a game, or takes from it. The file stays where it is.

use serde_json::{Value, json};

use super::{
    memories::{self, LIST, UNASSIGNED, unassigned},
    memory_job::{PER_GAME, UNKNOWN},
    service::Keepsakes,
};
use crate::{
    base::schema::schema,
    game::GameRef,
    model::{Cause, Draft, State},
    store::CommitError,
};

/// Why a memory was not assigned.
#[derive(Debug, thiserror::Error)]
pub enum AssignError {
    #[error("Game not found")]
    UnknownGame,
    #[error("There is no such memory.")]
    Unknown,
    #[error("There is no room for another memory: a game has 200 at most, and 500 belong to none.")]
    Full,
}

schema! {
    /// A memory belongs to a game, or to none.
    #[derive(Debug)]
    pub struct MemoryAssigned {
        ok: bool,
        sha256: String,
        /// Empty when it belongs to none.
        game_id: String,
        /// The game it belonged to before; empty for none.
        previous_game_id: String,
        /// Its place among the memories of the game, or among those of none.
        index: usize,
    }
}

impl Keepsakes {
    /// Gives a memory to a game; to none without one. Whose it is already stays so.
    ///
    /// # Errors
    /// [`AssignError`].
    pub fn assign_memory(
        &self,
        sha256: &str,
        to: Option<&GameRef>,
    ) -> Result<MemoryAssigned, CommitError<AssignError>> {
        self.store.commit(|draft| assign(draft, sha256, to))
    }
}

fn assign(
    draft: &mut Draft,
    sha256: &str,
    to: Option<&GameRef>,
) -> Result<MemoryAssigned, AssignError> {
    let state = draft.state();
    let target = match to {
        Some(game) => game.find(&state.games).ok_or(AssignError::UnknownGame)?.1.id().to_owned(),
        None => String::new(),
    };
    let (before, memory) = find(state, sha256).ok_or(AssignError::Unknown)?;
    if before == target {
        let index = place(state, &target, sha256);
        return Ok(told(sha256, target, before, index));
    }
    let (count, most) = match to {
        Some(game) => {
            (game.find(&state.games).map_or(0, |(_, game)| memories::count(game)), PER_GAME)
        }
        None => (unassigned(state).len(), UNKNOWN),
    };
    if count >= most {
        return Err(AssignError::Full);
    }
    change(draft, &before, |list| list.retain(|each| each["sha256"] != sha256))?;
    let path = memory["path"].as_str().unwrap_or_default().to_owned();
    change(draft, &target, |list| list.push(memory))?;
    draft.set_cause(Cause::MediaChanged(vec![path]));
    Ok(told(sha256, target, before, count))
}

fn told(sha256: &str, game_id: String, previous_game_id: String, index: usize) -> MemoryAssigned {
    MemoryAssigned { ok: true, sha256: sha256.to_owned(), game_id, previous_game_id, index }
}

/// Changes the memories of a game, or those of none for a blank id.
fn change(
    draft: &mut Draft,
    game_id: &str,
    with: impl FnOnce(&mut Vec<Value>),
) -> Result<(), AssignError> {
    if game_id.is_empty() {
        let mut list = unassigned(draft.state()).to_vec();
        with(&mut list);
        draft.set_section(UNASSIGNED, json!(list));
        return Ok(());
    }
    let edited = draft.edit_game(game_id, |record| {
        let mut list = record.list(LIST).to_vec();
        with(&mut list);
        record.set(LIST, list);
    });
    edited.map(drop).map_err(|_| AssignError::UnknownGame)
}

/// A memory with the id of its game, blank for none.
fn find(state: &State, sha256: &str) -> Option<(String, Value)> {
    if sha256.is_empty() {
        return None;
    }
    let of = |list: &[Value]| list.iter().find(|each| each["sha256"] == sha256).cloned();
    if let Some(memory) = of(unassigned(state)) {
        return Some((String::new(), memory));
    }
    // A record is only read where its text holds the digest.
    state
        .games
        .iter()
        .filter(|game| game.json().contains(sha256))
        .find_map(|game| Some((game.id().to_owned(), of(game.record().list(LIST))?)))
}

fn place(state: &State, game_id: &str, sha256: &str) -> usize {
    let at = |list: &[Value]| list.iter().position(|each| each["sha256"] == sha256);
    let found = match state.games.find(game_id) {
        Some((_, game)) => at(game.record().list(LIST)),
        None => at(unassigned(state)),
    };
    found.unwrap_or(0)
}
