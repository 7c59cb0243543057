//! Deleted moments, and restoring them.
//!
//! The latest ones stay in a section of the library, and their states in a folder of their own. A state is
//! moved after the deletion is durable and before the return is, so a kill in between loses none.

use serde_json::{Value, json};

use super::{
    moment::{DeletedMoment, Item, KeptMoment, MomentError},
    moments::{self, KEPT, LIST, forget_state},
    service::Keepsakes,
};
use crate::{
    base::Moment,
    game::GameRef,
    model::{Draft, State},
    sessions::Sessions,
    store::CommitError,
};

/// The section of the library.
const SECTION: &str = "moments_deleted";
/// Deleted moments that can be restored; the oldest are dropped.
const RETURNABLE: usize = 50;

impl Keepsakes {
    /// Deletes a moment. Its picture stays, and its state is put aside until later deletions take its
    /// place.
    ///
    /// # Errors
    /// [`MomentError::Unknown`].
    pub fn delete_moment(
        &self,
        sessions: &Sessions,
        id: &str,
        game: Option<&GameRef>,
    ) -> Result<DeletedMoment, CommitError<MomentError>> {
        let now = Moment::now();
        let (game_id, stored, dropped) = self.store.commit(|draft| {
            let (game, stored) = moments::find(draft.state(), id, game)?;
            let game_id = game.id().to_owned();
            let edited = draft.edit_game(&game_id, |record| {
                let mut moments = record.list(LIST).to_vec();
                moments.retain(|moment| moment["moment_id"] != id);
                record.set(LIST, moments);
            });
            edited.map_err(|_| MomentError::Unknown)?;
            let entry = json!({"deleted_at": now.utc_iso(), "game_id": game_id, "moment": stored});
            let mut deleted = deleted(draft.state()).to_vec();
            deleted.retain(|each| each["moment"]["moment_id"] != id);
            deleted.push(entry);
            let surplus = deleted.len().saturating_sub(RETURNABLE);
            let dropped: Vec<Value> = deleted.drain(..surplus).collect();
            draft.set_section(SECTION, Value::Array(deleted));
            Ok((game_id, stored, dropped))
        })?;
        if let Some(file) = stored["resume_state"]["file"].as_str()
            && let Err(error) = sessions.states().set_aside(&game_id, file)
        {
            log::warn!("the state of a deleted moment stays where it was: {error}");
        }
        for entry in dropped {
            forget_state(sessions, entry["game_id"].as_str().unwrap_or_default(), &entry["moment"]);
        }
        Ok(DeletedMoment { ok: true, deleted: true, moment_id: id.to_owned() })
    }

    /// Restores a deleted moment, with its state where that still exists.
    ///
    /// # Errors
    /// [`MomentError::Unknown`] when it is not one of the last deleted ones,
    /// [`MomentError::UnknownGame`] when its game is gone, [`MomentError::Full`].
    pub fn restore_moment(
        &self,
        sessions: &Sessions,
        id: &str,
    ) -> Result<KeptMoment, CommitError<MomentError>> {
        if id.is_empty() {
            return Err(CommitError::Refused(MomentError::NoId));
        }
        let state = self.store.snapshot().map_err(CommitError::Unavailable)?;
        let entry = entry(&state, id).map_err(CommitError::Refused)?;
        if let Some(file) = entry["moment"]["resume_state"]["file"].as_str() {
            let game_id = entry["game_id"].as_str().unwrap_or_default();
            if let Err(error) = sessions.states().bring_back(game_id, file) {
                log::warn!("a moment is restored without its state: {error}");
            }
        }
        self.store.commit(|draft| put_back(draft, id))
    }
}

/// Puts a deleted moment back among those of its game.
fn put_back(draft: &mut Draft, id: &str) -> Result<KeptMoment, MomentError> {
    let entry = entry(draft.state(), id)?;
    let game_id = entry["game_id"].as_str().unwrap_or_default();
    let (_, game) = draft.state().games.find(game_id).ok_or(MomentError::UnknownGame)?;
    if game.record().list(LIST).len() >= KEPT {
        return Err(MomentError::Full);
    }
    let edited = draft.edit_game(game_id, |record| {
        let mut moments = record.list(LIST).to_vec();
        moments.retain(|moment| moment["moment_id"] != id);
        moments.push(entry["moment"].clone());
        record.set(LIST, moments);
    });
    edited.map_err(|_| MomentError::UnknownGame)?;
    let mut rest = deleted(draft.state()).to_vec();
    rest.retain(|each| each["moment"]["moment_id"] != id);
    draft.set_section(SECTION, Value::Array(rest));
    let (_, game) = draft.state().games.find(game_id).ok_or(MomentError::UnknownGame)?;
    let item = Item::of(&entry["moment"], game, &game.record()).ok_or(MomentError::Unknown)?;
    Ok(KeptMoment { item })
}

fn deleted(state: &State) -> &[Value] {
    state.section(SECTION).as_array().map_or(&[], Vec::as_slice)
}

fn entry(state: &State, id: &str) -> Result<Value, MomentError> {
    let found = deleted(state).iter().find(|each| each["moment"]["moment_id"] == id);
    found.cloned().ok_or(MomentError::Unknown)
}
