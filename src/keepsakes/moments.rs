//! Moments: a picture, a line of text and, where the emulator can, a state to resume from.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{
    moment::{
        Draft, Item, KeptMoment, MomentError, MomentList, Request, ResumedMoment, note_of, title_of,
    },
    service::Keepsakes,
};
use crate::{
    base::{Moment, ids},
    game::GameRef,
    model::{Cause, Game, Record, State},
    resume::{error::ResumeError, folder},
    sessions::{
        Sessions, capture,
        resume::{Resumed, Snapshot},
    },
    store::CommitError,
};

/// Moments of one game; the oldest go.
pub(super) const KEPT: usize = 500;
/// How many are listed at least, at most and by default.
pub const LIMIT: (i64, i64, i64) = (1, 500, 100);
/// The list in the record of a game.
pub(super) const LIST: &str = "moments";

/// The newest moments of a game.
///
/// # Errors
/// [`MomentError::UnknownGame`].
pub fn list(state: &State, game: &GameRef, limit: usize) -> Result<MomentList, MomentError> {
    let (_, game) = game.find(&state.games).ok_or(MomentError::UnknownGame)?;
    let record = game.record();
    let stored = record.list(LIST).iter().rev();
    let mut items: Vec<Item> =
        stored.filter_map(|stored| Item::of(stored, game, &record)).collect();
    // The sort is stable: of those made at one time the last stored comes first.
    items.sort_by_key(|item| {
        std::cmp::Reverse(Moment::parse(&item.created_at).map(|at| at.unix_micros()))
    });
    let total = items.len();
    items.truncate(limit);
    Ok(MomentList {
        game_id: game.id().to_owned(),
        item: None,
        items: Some(items),
        total: Some(total),
    })
}

/// One moment, of this game when one is named.
///
/// # Errors
/// [`MomentError::Unknown`].
pub fn one(state: &State, id: &str, game: Option<&GameRef>) -> Result<MomentList, MomentError> {
    let (game, stored) = find(state, id, game)?;
    let record = game.record();
    let item = Item::of(&stored, game, &record).ok_or(MomentError::Unknown)?;
    Ok(MomentList { game_id: game.id().to_owned(), item: Some(item), items: None, total: None })
}

impl Keepsakes {
    /// Makes a moment: takes a picture and copies the kept state where that is wanted and possible.
    ///
    /// # Errors
    /// [`MomentError`]; without a picture the moment is made all the same.
    pub fn make_moment(
        &self,
        sessions: &Sessions,
        game: &GameRef,
        request: Request<'_>,
    ) -> Result<KeptMoment, CommitError<MomentError>> {
        let refused = CommitError::Refused;
        let state = self.store.snapshot().map_err(CommitError::Unavailable)?;
        let found = game.find(&state.games);
        let (_, game) = found.ok_or(refused(MomentError::UnknownGame))?;
        let now = Moment::now();
        let mut draft = Draft::of(&state, request, &now).map_err(refused)?;
        let given = self.given_picture(request.screenshot).map_err(refused)?;
        let moment_id = format!("moment-{}", ids::random_hex(12));
        let mut capture_error = None;
        let mut taken = None;
        if let Some(given) = given {
            draft.screenshot = given;
        } else if request.capture {
            match self.take_picture(game.id(), &now) {
                Ok(path) => {
                    draft.screenshot = path.to_string_lossy().into_owned();
                    taken = Some(draft.screenshot.clone());
                }
                Err(error) => {
                    log::info!("a moment stays without a picture: {error}");
                    capture_error = Some("SCREENSHOT_UNAVAILABLE");
                }
            }
        }
        if request.resume_state {
            draft.resume_state = copy_state(sessions, &state, game, &moment_id);
        }
        if draft.launch_id.is_empty() {
            draft.launch_id = sessions.launch_of(game.id()).unwrap_or_default();
        }
        let stored = draft.stored(&moment_id, game.id());
        let made = self.store.commit(|draft| {
            let edited =
                draft.edit_game(game.id(), |record| add(record, &stored, taken.as_deref()));
            let dropped = edited.map_err(|_| MomentError::UnknownGame)?;
            let (_, game) = draft.state().games.find(game.id()).ok_or(MomentError::UnknownGame)?;
            let item = Item::of(&stored, game, &game.record()).ok_or(MomentError::Unknown)?;
            let item = Item { capture_error, ..item };
            let pictures = taken.iter().cloned().collect();
            draft.set_cause(Cause::MomentMade { moment: json!(item), pictures });
            Ok((item, dropped))
        });
        match made {
            Ok((item, dropped)) => {
                for moment in dropped {
                    forget_state(sessions, game.id(), &moment);
                }
                Ok(KeptMoment { item })
            }
            Err(error) => {
                forget_state(sessions, game.id(), &stored);
                Err(error)
            }
        }
    }

    /// Changes the title or the note of a moment.
    ///
    /// # Errors
    /// [`MomentError`].
    pub fn update_moment(
        &self,
        id: &str,
        game: Option<&GameRef>,
        title: Option<&Value>,
        note: Option<&Value>,
    ) -> Result<KeptMoment, CommitError<MomentError>> {
        let title = title.map(|title| title_of(Some(title))).transpose();
        let title = title.map_err(CommitError::Refused)?;
        let note = note.map(|note| note_of(Some(note))).transpose();
        let note = note.map_err(CommitError::Refused)?;
        let now = Moment::now();
        self.store.commit(|draft| {
            let game_id = find(draft.state(), id, game)?.0.id().to_owned();
            let edited = draft.edit_game(&game_id, |record| {
                edit(record, id, |moment| {
                    if let Some(title) = &title {
                        moment["title"] = title.as_str().into();
                    }
                    if let Some(note) = &note {
                        moment["note"] = note.as_str().into();
                    }
                    moment["updated_at"] = after(moment["updated_at"].as_str(), &now).into();
                });
            });
            edited.map_err(|_| MomentError::Unknown)?;
            let (game, stored) = find(draft.state(), id, game)?;
            let item = Item::of(&stored, game, &game.record()).ok_or(MomentError::Unknown)?;
            Ok(KeptMoment { item })
        })
    }

    /// Starts a game from the state of a moment.
    ///
    /// # Errors
    /// [`MomentError`]; nothing runs then.
    pub fn resume_moment(
        &self,
        sessions: &Sessions,
        id: &str,
        game: Option<&GameRef>,
    ) -> Result<ResumedMoment, MomentError> {
        let state = self.store.snapshot()?;
        let (game, stored) = find(&state, id, game)?;
        let kept = &stored["resume_state"];
        if !kept.is_object() {
            return Err(ResumeError::MomentMissing.into());
        }
        let text = |key: &str| kept[key].as_str().unwrap_or_default();
        let file = text("file");
        let snapshot = Snapshot {
            file,
            sha256: text("sha256"),
            name: if text("name").is_empty() { file } else { text("name") },
            adapter_id: text("adapter_id"),
            emulator_version: text("emulator_version"),
        };
        let resumed: Resumed = sessions.resume_copy(game, snapshot)?;
        Ok(ResumedMoment {
            ok: true,
            resumed_from_state: true,
            moment_id: id.to_owned(),
            launch_id: resumed.launch_id().to_owned(),
            state_file: resumed.state_file().to_owned(),
        })
    }

    /// A picture that a client names, when it may be shown.
    fn given_picture(&self, given: Option<&Value>) -> Result<Option<String>, MomentError> {
        let path = match given {
            None | Some(Value::Null) => return Ok(None),
            Some(given) => given.as_str().ok_or(MomentError::Picture)?.trim(),
        };
        if path.is_empty() {
            return Ok(None);
        }
        let roots = self.library.probes().roots();
        let path = roots.approve(path).map_err(|_| MomentError::Picture)?;
        let end = Path::new(&path).extension().map(|end| end.to_string_lossy().to_lowercase());
        let is_picture = end.is_some_and(|end| folder::PICTURES.contains(&end.as_str()));
        if !is_picture || roots.open(&path).is_err() {
            return Err(MomentError::Picture);
        }
        Ok(Some(path))
    }

    fn take_picture(
        &self,
        game_id: &str,
        now: &Moment,
    ) -> Result<PathBuf, capture::CaptureFailure> {
        let name = format!("{}-{}.png", now.local_format("%Y%m%d-%H%M%S"), ids::random_hex(4));
        let folder = self.data_dir.media().join("moments").join(folder::key(game_id));
        let path = folder.join(name);
        self.files.private_dir(&folder)?;
        capture::shoot(&self.files, &path)?;
        Ok(path)
    }
}

/// The record of a copy of the kept state; `None` without one that suits the present emulator.
fn copy_state(sessions: &Sessions, state: &State, game: &Game, moment_id: &str) -> Option<Value> {
    let status = sessions.resume_status(state, &GameRef::Id(game.id().to_owned())).ok()?;
    if !status.is_ready() {
        return None;
    }
    let copied = sessions.states().copy_for(game.id(), moment_id);
    let copied = copied.inspect_err(|error| log::warn!("a moment stays without a state: {error}"));
    let snapshot = copied.ok()??;
    let of = snapshot.of;
    Some(json!({
        "file": snapshot.file,
        "capture_id": of.capture_id,
        "snapshot_id": format!("snapshot-{}", ids::random_hex(12)),
        "immutable": true,
        "sha256": snapshot.sha256,
        "size": snapshot.size,
        "captured_at": of.captured_at,
        "adapter_id": of.adapter_id,
        "emulator_version": of.emulator_version,
        "name": of.file,
    }))
}

/// Removes the state of a moment that is gone. What cannot be removed stays, and is logged.
pub(super) fn forget_state(sessions: &Sessions, game_id: &str, moment: &Value) {
    let Some(file) = moment["resume_state"]["file"].as_str() else { return };
    if let Err(error) = sessions.states().forget(game_id, file) {
        log::warn!("the state of a moment stays: {error}");
    }
}

/// A time of change that is later than the one before.
fn after(before: Option<&str>, now: &Moment) -> String {
    let now = now.utc_iso();
    match before.filter(|before| *before == now).and_then(Moment::parse) {
        Some(before) => Moment::from_unix(before.unix_seconds() + 1).utc_iso(),
        None => now,
    }
}

/// Adds a moment, and a picture that was taken for it. Returns the moments that went.
fn add(record: &mut Record, stored: &Value, taken: Option<&str>) -> Vec<Value> {
    let mut moments = record.list(LIST).to_vec();
    moments.push(stored.clone());
    let surplus = moments.len().saturating_sub(KEPT);
    let dropped = moments.drain(..surplus).collect();
    record.set(LIST, moments);
    if let Some(taken) = taken {
        let mut shots = record.list("screenshots").to_vec();
        shots.push(taken.into());
        record.set("screenshots", shots);
    }
    dropped
}

fn edit(record: &mut Record, id: &str, change: impl FnOnce(&mut Value)) {
    let mut moments = record.list(LIST).to_vec();
    if let Some(moment) = moments.iter_mut().find(|moment| moment["moment_id"] == id) {
        change(moment);
        record.set(LIST, moments);
    }
}

/// The game that has a moment, and the moment as it is stored.
pub(super) fn find<'a>(
    state: &'a State,
    id: &str,
    game: Option<&GameRef>,
) -> Result<(&'a Game, Value), MomentError> {
    if id.is_empty() {
        return Err(MomentError::NoId);
    }
    let of = |game: &'a Game| {
        // The record is only read where its text holds the id.
        if !game.json().contains(id) {
            return None;
        }
        let record = game.record();
        let moment = record.list(LIST).iter().find(|moment| moment["moment_id"] == id)?;
        Some((game, moment.clone()))
    };
    let found = match game {
        Some(game) => {
            let (_, game) = game.find(&state.games).ok_or(MomentError::UnknownGame)?;
            of(game)
        }
        None => state.games.iter().find_map(|game| of(game)),
    };
    found.ok_or(MomentError::Unknown)
}
