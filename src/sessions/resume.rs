//! Sessions and the states of their games: resuming from one, and keeping the state that a session leaves.

use std::{ffi::OsString, path::Path};

use super::shared::{Core, Sessions};
use crate::{
    base::{Moment, schema::schema},
    config::settings::read,
    files::DiskError,
    game::GameRef,
    launch::{
        plan::Plan,
        prepare::{self, LaunchContext},
    },
    model::{Game, State},
    resume::{
        begin::Origin,
        error::ResumeError,
        folder::shown,
        keep::End,
        session::Session,
        states::States,
        subject::{Adapter, ResumeStatus, Subject},
    },
};

/// The picture of a game that stands for a state without one.
const ART: [&str; 3] = ["cover", "title_screen", "background"];

schema! {
    /// A game resumes from a state.
    #[derive(Debug)]
    pub struct Resumed {
        ok: bool,
        /// Always true.
        resumed_from_state: bool,
        /// The session that began.
        launch_id: String,
        /// The state.
        state_file: String,
    }
}

impl Resumed {
    /// The session that began.
    pub fn launch_id(&self) -> &str {
        &self.launch_id
    }

    /// The state.
    pub fn state_file(&self) -> &str {
        &self.state_file
    }
}

/// The state of a moment, as its record has it.
#[derive(Clone, Copy, Debug)]
pub struct Snapshot<'a> {
    /// Below the folder of the game.
    pub file: &'a str,
    pub sha256: &'a str,
    /// Its name there.
    pub name: &'a str,
    pub adapter_id: &'a str,
    pub emulator_version: &'a str,
}

impl Sessions {
    /// Whether a game can resume from a state, and from which.
    ///
    /// # Errors
    /// [`ResumeError::UnknownGame`].
    pub fn resume_status(
        &self,
        state: &State,
        game: &GameRef,
    ) -> Result<ResumeStatus, ResumeError> {
        let (_, game) = game.find(&state.games).ok_or(ResumeError::UnknownGame)?;
        Ok(self.core.resume_status(state, game))
    }

    /// Starts a game from its kept state.
    ///
    /// # Errors
    /// [`ResumeError`]; nothing runs then.
    pub fn resume(&self, game: &GameRef, allow_stale: bool) -> Result<Resumed, ResumeError> {
        let state = self.core.snapshot()?;
        let (_, game) = game.find(&state.games).ok_or(ResumeError::UnknownGame)?;
        if self.launch_of(game.id()).is_none() {
            // A newer state may come from another device.
            self.core.prepare(game.id());
        }
        let status = self.core.resume_status(&state, game);
        let kept = status.check(allow_stale)?;
        let file = self.core.states.folder_of(game.id()).join(&kept.file);
        self.core.start_from(game, Origin::Kept(kept), &file)
    }

    /// Starts a game from the state of a moment.
    ///
    /// # Errors
    /// [`ResumeError`]; nothing runs then.
    pub fn resume_copy(&self, game: &Game, snapshot: Snapshot<'_>) -> Result<Resumed, ResumeError> {
        let state = self.core.snapshot()?;
        if !is_enabled(&state) {
            return Err(ResumeError::Disabled);
        }
        let subject = self.core.subject(game, &state);
        if subject.adapter.is_none() {
            return Err(ResumeError::Unsupported);
        }
        if subject.is_stale(snapshot.adapter_id, snapshot.emulator_version) {
            return Err(ResumeError::MomentStale);
        }
        let states = &self.core.states;
        let file = states.verified(game.id(), snapshot.file, snapshot.sha256)?;
        let file = file.ok_or(ResumeError::MomentInvalid)?;
        let origin = Origin::Copy { file: &file, name: snapshot.name };
        self.core.start_from(game, origin, &file)
    }

    /// Removes the kept state of a game.
    ///
    /// # Errors
    /// [`ResumeError::Missing`] without one.
    pub fn discard_state(&self, state: &State, game: &GameRef) -> Result<(), ResumeError> {
        let (_, game) = game.find(&state.games).ok_or(ResumeError::UnknownGame)?;
        if self.core.states.discard(game.id())? { Ok(()) } else { Err(ResumeError::Missing) }
    }

    /// The kept states.
    pub fn states(&self) -> &States {
        &self.core.states
    }

    /// The launch of a game that runs.
    pub fn launch_of(&self, game_id: &str) -> Option<String> {
        let table = self.core.table();
        let live = table.live.iter().find(|live| live.game_id == game_id)?;
        Some(live.launch_id.clone())
    }
}

/// What the start of a session found out about states.
pub(super) type Prepared = Result<Option<Session>, DiskError>;

impl Core {
    fn snapshot(&self) -> Result<std::sync::Arc<State>, ResumeError> {
        Ok(self.store.snapshot().map_err(crate::launch::error::LaunchError::from)?)
    }

    fn subject(&self, game: &Game, state: &State) -> Subject {
        let record = game.record();
        let plan = prepare::plan(&record, Path::new(game.path().trim()), state, &self.context);
        Subject::of(&record, &plan, &self.context.detector, &self.context.home)
    }

    fn resume_status(&self, state: &State, game: &Game) -> ResumeStatus {
        self.states.status(game, &self.subject(game, state), is_enabled(state))
    }

    fn start_from(
        self: &std::sync::Arc<Self>,
        game: &Game,
        origin: Origin<'_>,
        file: &Path,
    ) -> Result<Resumed, ResumeError> {
        let started = self.launch(&GameRef::Id(game.id().to_owned()), origin)?;
        let launch_id = started.launch_id;
        Ok(Resumed { ok: true, resumed_from_state: true, launch_id, state_file: shown(file) })
    }

    /// The words for the emulator of a planned game, and what the end of its session needs.
    pub(super) fn begin_states(
        &self,
        game: &Game,
        state: &State,
        plan: &Plan,
        origin: Origin<'_>,
    ) -> (Vec<OsString>, Prepared) {
        if !is_enabled(state) {
            return (Vec::new(), Ok(None));
        }
        let LaunchContext { detector, home, .. } = &self.context;
        let subject = Subject::of(&game.record(), plan, detector, home);
        let Some(adapter) = subject.adapter.filter(|adapter| adapter.is_installed) else {
            return (Vec::new(), Ok(None));
        };
        match self.states.begin(game.id(), &adapter, &plan.path, origin, retention(state)) {
            Ok(begun) => (begun.words, Ok(Some(begun.session))),
            Err(error) => (Vec::new(), Err(error)),
        }
    }

    /// Keeps the state that a session left, where there is one. A failure is logged.
    pub(super) fn keep_state(&self, ended: Ended<'_>) {
        let Ok(state) = self.store.snapshot() else { return };
        if !is_enabled(&state) {
            return;
        }
        let Some(game) = ended.game else { return };
        let own = || self.taken_up(game, &state);
        let Some(session) = ended.session.cloned().or_else(own) else { return };
        let record = game.record();
        let art = ART.iter().map(|key| record.text(key)).find(|path| path.starts_with('/'));
        let end = End {
            launch_id: ended.launch_id,
            art: art.map(Path::new),
            retention: retention(&state),
            now: &Moment::now(),
        };
        if let Err(error) = self.states.keep(game.id(), &session, end) {
            log::warn!("the state of {:?} was not kept: {error}", game.name());
        }
    }

    /// The session of a game that was started by an earlier run of the program.
    fn taken_up(&self, game: &Game, state: &State) -> Option<Session> {
        // Asked first: a game that never had a state costs no plan.
        self.states.has_session(game.id()).then_some(())?;
        let adapter: Adapter = self.subject(game, state).adapter?;
        self.states.taken_up(game.id(), &adapter)
    }
}

/// A session that ended.
#[derive(Clone, Copy)]
pub(super) struct Ended<'a> {
    pub(super) launch_id: &'a str,
    pub(super) game: Option<&'a Game>,
    /// `None` when the session began in an earlier run.
    pub(super) session: Option<&'a Session>,
}

/// How many states are kept of a game.
fn retention(state: &State) -> usize {
    usize::try_from(read::integer(state.settings(), "state_retention")).unwrap_or(1)
}

fn is_enabled(state: &State) -> bool {
    read::flag(state.settings(), "quick_resume_enabled")
}
