//! Controls of a running game.

use rustix::process::Signal;

use super::{
    live::Live,
    shared::{Core, Note, Sessions},
};
use crate::{launch::error::ControlError, process::SignalError, sessions::events::Kind};

/// The action that a client requests (`POST /api/session/control`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Stop the whole group where it stands.
    Pause,
    /// Let it go on.
    Resume,
    /// Ask it to end.
    Stop,
    /// Ask it to end and start it again afterwards.
    Restart,
    /// End it without asking.
    Kill,
}

impl Action {
    /// The word on the wire.
    pub const WORDS: [(&'static str, Self); 5] = [
        ("pause", Self::Pause),
        ("resume", Self::Resume),
        ("stop", Self::Stop),
        ("restart", Self::Restart),
        ("kill", Self::Kill),
    ];

    /// Whether the game is not to run afterwards.
    fn ends(self) -> bool {
        matches!(self, Self::Stop | Self::Kill)
    }

    /// # Errors
    /// [`ControlError::UnknownAction`].
    pub fn parse(word: &str) -> Result<Self, ControlError> {
        let found = Self::WORDS.iter().find(|(known, _)| *known == word);
        found.map(|(_, action)| *action).ok_or(ControlError::UnknownAction)
    }
}

impl Sessions {
    /// Pauses, resumes or ends a running game. A paused game is resumed before it is asked to end,
    /// so that it can.
    ///
    /// # Errors
    /// [`ControlError`].
    pub fn control(&self, launch_id: &str, action: Action) -> Result<(), ControlError> {
        self.core.control(launch_id, action)
    }

    /// The stable id of the game that runs with a launch id.
    pub fn game_of(&self, launch_id: &str) -> Option<String> {
        let table = self.core.table();
        let live = table.live.iter().find(|live| live.launch_id == launch_id)?;
        Some(live.game_id.clone())
    }

    /// Ends every running game: asked, or killed with `force`. Returns how many were signalled;
    /// those that have ended already are skipped.
    pub fn shut_down(&self, force: bool) -> usize {
        let ids: Vec<_> =
            self.core.table().live.iter().map(|live| live.launch_id.clone()).collect();
        let action = if force { Action::Kill } else { Action::Stop };
        ids.iter().filter(|id| self.core.control(id, action).is_ok()).count()
    }
}

impl Live {
    /// Notes whether a game that was asked to end, with this outcome, is to be started again. One
    /// that has ended already, and would be started again, is stopped by not being started.
    fn end(
        &mut self,
        signalled: Result<(), SignalError>,
        restart: bool,
    ) -> Result<(), SignalError> {
        let would_start = self.restart;
        match signalled {
            Err(SignalError::Ended) if would_start && !restart => self.restart = false,
            Err(error) => return Err(error),
            Ok(()) => self.restart = restart,
        }
        Ok(())
    }
}

impl Core {
    pub(super) fn control(&self, launch_id: &str, action: Action) -> Result<(), ControlError> {
        let mut table = self.table();
        let Some(at) = table.live.iter().position(|live| live.launch_id == launch_id) else {
            // Between two runs of a game that is started again: stopping it means both.
            let again = table.restarting.get_mut(launch_id).filter(|_| action.ends());
            return again.map(|stopped| *stopped = true).ok_or(ControlError::NotRunning);
        };
        // OK because the position was found under the same lock.
        let live = &mut table.live[at];
        let was_paused = live.is_paused;
        match action {
            Action::Pause => {
                live.signal(Signal::STOP)?;
                live.is_paused = true;
            }
            Action::Resume => {
                live.signal(Signal::CONT)?;
                live.is_paused = false;
            }
            Action::Stop | Action::Restart => {
                let resumed = if was_paused { live.signal(Signal::CONT) } else { Ok(()) };
                let signalled = resumed.and_then(|()| live.signal(Signal::TERM));
                live.end(signalled, action == Action::Restart)?;
                live.is_paused = false;
            }
            Action::Kill => {
                let signalled = live.signal(Signal::KILL);
                live.end(signalled, false)?;
            }
        }
        let is_paused = live.is_paused;
        let event = match (was_paused, is_paused) {
            (false, true) => table.note(at, Kind::Paused, None),
            (true, false) => table.note(at, Kind::Resumed, None),
            _ => None,
        };
        drop(table);
        if let Some(event) = event {
            // Before the disk is waited for: a game that ends at once publishes its own end meanwhile.
            self.publish(&event);
            // Whether a game is paused must survive a crash: it is resumed before it is asked to end.
            self.write_rows();
            self.tell(Note::Look);
        }
        Ok(())
    }
}
