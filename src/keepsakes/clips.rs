//! Clips: what the replay buffer of the recorder holds, else a picture of the screen.

use std::path::Path;

use serde_json::{Value, json};

use super::service::Keepsakes;
use crate::{
    base::{Moment, ids, schema::schema},
    game::GameRef,
    model::{Cause, Record, State},
    resume::folder,
    sessions::{Sessions, capture},
    store::CommitError,
};

/// Clips of one game; the oldest go from the list.
const KEPT: usize = 100;
/// The list in the record of a game.
const LIST: &str = "clips";

/// Why there is no clip.
#[derive(Debug, thiserror::Error)]
pub enum ClipError {
    #[error("Game not found")]
    UnknownGame,
    #[error("Neither the recorder nor a screen-capture tool made a clip.")]
    Unavailable,
}

schema! {
    /// A clip of a game.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Clip {
        clip_id: String,
        created_at: String,
        /// Whether it is a picture, because the recorder saved nothing.
        fallback: bool,
        /// The session it belongs to; empty without one.
        launch_id: String,
        path: String,
        /// `recorder_replay` or `screenshot`.
        source: String,
        title: String,
    }

    /// `GET /api/v2/clips`.
    #[derive(Debug)]
    pub struct ClipList {
        game_id: String,
        /// The oldest first.
        clips: Vec<Clip>,
        total: usize,
    }

    /// A clip was made.
    #[derive(Debug)]
    pub struct CapturedClip {
        game_id: String,
        clip: Clip,
        /// Whether it is a picture.
        fallback: bool,
        /// Whether the recorder made it.
        recorder: bool,
    }
}

impl Clip {
    fn of(stored: &Value) -> Option<Self> {
        let text = |key: &str| stored[key].as_str().unwrap_or_default().to_owned();
        Some(Self {
            clip_id: text("clip_id"),
            created_at: text("created_at"),
            fallback: stored["fallback"] == true,
            launch_id: text("launch_id"),
            path: Some(text("path")).filter(|path| !path.is_empty())?,
            source: text("source"),
            title: text("title"),
        })
    }
}

impl Keepsakes {
    /// The clips of a game that may be shown.
    ///
    /// # Errors
    /// [`ClipError::UnknownGame`].
    pub fn clips(&self, state: &State, game: &GameRef) -> Result<ClipList, ClipError> {
        let (_, game) = game.find(&state.games).ok_or(ClipError::UnknownGame)?;
        let roots = self.library.probes().roots();
        let record = game.record();
        let mut clips: Vec<Clip> = record.list(LIST).iter().filter_map(Clip::of).collect();
        clips.drain(..clips.len().saturating_sub(KEPT));
        clips.retain(|clip| roots.approve(&clip.path).is_ok());
        Ok(ClipList { game_id: game.id().to_owned(), total: clips.len(), clips })
    }

    /// Makes a clip: asks the recorder for its replay, else takes a picture of the screen.
    ///
    /// # Errors
    /// [`ClipError`].
    pub fn capture_clip(
        &self,
        sessions: &Sessions,
        game: &GameRef,
        launch_id: &str,
    ) -> Result<CapturedClip, CommitError<ClipError>> {
        let state = self.store.snapshot().map_err(CommitError::Unavailable)?;
        let (_, game) =
            game.find(&state.games).ok_or(CommitError::Refused(ClipError::UnknownGame))?;
        let now = Moment::now();
        let stem = format!("{}-{}", now.local_format("%Y%m%d-%H%M%S"), ids::random_hex(6));
        let folder = self.data_dir.media().join("clips").join(folder::key(game.id()));
        let saved = sessions.recorder().save_replay(state.settings());
        let replay = saved.and_then(|saved| self.copy_replay(&saved, &folder.join(&stem)));
        let fallback = replay.is_none();
        let path = if let Some(path) = replay {
            path
        } else {
            let path = folder.join(format!("{stem}.png"));
            let taken = self.files.private_dir(&folder).map_err(capture::CaptureFailure::from);
            let taken = taken.and_then(|()| capture::shoot(&self.files, &path));
            taken.map_err(|error| {
                log::info!("no clip was made: {error}");
                CommitError::Refused(ClipError::Unavailable)
            })?;
            path.to_string_lossy().into_owned()
        };
        let launch_id = match launch_id {
            "" => sessions.launch_of(game.id()).unwrap_or_default(),
            given => given.chars().take(64).collect(),
        };
        let clip = Clip {
            clip_id: format!("clip-{}", ids::random_hex(16)),
            created_at: now.utc_iso(),
            fallback,
            launch_id,
            path,
            source: if fallback { "screenshot" } else { "recorder_replay" }.to_owned(),
            title: game.name().to_owned(),
        };
        self.store.commit(|draft| {
            let edited = draft.edit_game(game.id(), |record| add(record, &clip));
            edited.map_err(|_| ClipError::UnknownGame)?;
            draft.set_cause(Cause::MediaChanged(vec![clip.path.clone()]));
            Ok(())
        })?;
        Ok(CapturedClip { game_id: game.id().to_owned(), clip, fallback, recorder: !fallback })
    }

    /// Copies a replay to where it may be shown; `None` when the disk fails.
    fn copy_replay(&self, saved: &Path, stem: &Path) -> Option<String> {
        let end = saved.extension()?.to_string_lossy().to_lowercase();
        let mut path = stem.as_os_str().to_owned();
        path.push(format!(".{end}"));
        let path = Path::new(&path);
        let copied =
            self.files.private_dir(path.parent()?).and_then(|()| self.files.copy(saved, path));
        copied.inspect_err(|error| log::warn!("a replay was not copied: {error}")).ok()?;
        Some(path.to_string_lossy().into_owned())
    }
}

fn add(record: &mut Record, clip: &Clip) {
    let mut clips = record.list(LIST).to_vec();
    clips.push(json!(clip));
    clips.drain(..clips.len().saturating_sub(KEPT));
    record.set(LIST, clips);
    if !clip.fallback {
        record.set("video_recording", clip.path.as_str());
    }
}
