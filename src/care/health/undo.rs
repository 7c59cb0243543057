//! Undoing a repair.

use serde::Deserialize as _;

use super::{
    fix::{Fix, Replaced},
    selection::FixError,
    service::Health,
};
use crate::{
    base::Moment,
    game::trash,
    model::{Cause, Draft},
    store::{Committed, Unavailable},
};

/// A repair that can be undone.
#[derive(Debug)]
pub enum Undoable {
    /// By [`Health::undo`].
    Here,
    /// By the one who fetched the pictures, with this job.
    Pictures(String),
}

impl Health {
    /// How a repair is undone.
    ///
    /// # Errors
    /// [`FixError`] when it is not known or was undone already.
    pub fn find_fix(&self, fix_id: &str) -> Result<Result<Undoable, FixError>, Unavailable> {
        let state = self.store.snapshot()?;
        let fix =
            find(&state.rows(), fix_id).map(|(_, fix)| match fix.inverse["job_id"].as_str() {
                Some(job_id) if fix.undo_kind() == "artwork_doctor" => {
                    Undoable::Pictures(job_id.to_owned())
                }
                _ => Undoable::Here,
            });
        Ok(fix)
    }

    /// Undoes a repair, in one commit: games are restored from the trash, and fields get their old values where they
    /// still have the ones of the repair. Returns how many games and fields that were.
    ///
    /// # Errors
    /// [`FixError`] when it is not known or was undone already.
    pub fn undo(&self, fix_id: &str, now: &Moment) -> Committed<usize, FixError> {
        self.store.commit(|draft| {
            let fix = mark(draft, fix_id)?;
            let restored = take_back(draft, &fix, now);
            draft.set_cause(Cause::Restored);
            Ok(restored)
        })
    }

    /// Notes that the pictures of a repair were undone.
    ///
    /// # Errors
    /// [`FixError`] when it is not known or was undone already.
    pub fn note_undone(&self, fix_id: &str) -> Committed<(), FixError> {
        self.store.commit(|draft| mark(draft, fix_id).map(drop))
    }
}

fn find(fixes: &[Fix], fix_id: &str) -> Result<(usize, Fix), FixError> {
    let at = fixes.iter().position(|fix| fix.fix_id == fix_id).ok_or(FixError::UnknownFix)?;
    let fix = fixes[at].clone();
    if fix.undone { Err(FixError::AlreadyUndone) } else { Ok((at, fix)) }
}

fn mark(draft: &mut Draft, fix_id: &str) -> Result<Fix, FixError> {
    let mut fixes = draft.state().rows::<Fix>();
    let (at, fix) = find(&fixes, fix_id)?;
    fixes[at].undone = true;
    draft.set_rows(&fixes);
    Ok(fix)
}

fn take_back(draft: &mut Draft, fix: &Fix, now: &Moment) -> usize {
    let mut restored = 0;
    let ids = fix.inverse["trash_ids"].as_array().into_iter().flatten();
    for id in ids.filter_map(|id| id.as_str()) {
        // One that was purged meanwhile stays away.
        restored += usize::from(trash::restore(draft, id, now).is_ok());
    }
    let changes = fix.inverse["changes"].as_array().into_iter().flatten();
    for change in changes.filter_map(|change| Replaced::deserialize(change).ok()) {
        let outcome = draft.edit_game(&change.game_id, |record| {
            let stands = record.get(&change.field) == Some(&change.after);
            if stands && change.before.is_null() {
                record.remove(&change.field);
            } else if stands {
                record.set(&change.field, change.before.clone());
            }
            stands
        });
        // What a merge filled in is undone with its games and not counted.
        let counts = fix.undo_kind() == "field_restore";
        restored += usize::from(counts && outcome == Ok(true));
    }
    restored
}
