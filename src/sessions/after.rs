//! Work at the end of a session besides its history: the power limit, the client of
//! the storefront, the recap.

use std::sync::Arc;

use super::shared::Core;
use crate::{
    base::{Hold as _, Moment},
    config::{data_dir::DataDir, settings::read},
    model::Game,
    process::spawn,
    sessions::{
        achieved::Achieved,
        clients::Client,
        ledger::Ending,
        power::Limit,
        recap::{self, Recap},
    },
};

impl Core {
    /// Ends the power limit of a launch: the limit of a game that still runs comes into force again, else the
    /// machine goes back to the value of its profile.
    pub(super) fn give_back(&self, limit: &Limit, launch_id: &str) {
        let table = self.table();
        let mut others = table.live.iter().rev().filter(|live| live.launch_id != launch_id);
        let other = others.find_map(|live| live.limit.clone());
        drop(others);
        drop(table);
        let watts = other.map_or(limit.restore, |other| other.watts);
        if watts > 0.0 && !self.power.set(watts) {
            log::warn!("the power limit of {:?} stays", limit.profile);
        }
    }

    /// Closes the client of the game's storefront where that is wanted and no other game of it
    /// runs. It is asked, not waited for.
    pub(super) fn close_client(&self, launch_id: &str, game: Option<&Game>) {
        let source = |game: &Game| Client::of(game.record().text("source"));
        let Some(client) = game.and_then(source) else { return };
        let wanted = self
            .store
            .snapshot()
            .is_ok_and(|state| read::flag(state.settings(), "auto_close_store_clients"));
        let needed = self.table().live.iter().any(|live| {
            if live.launch_id == launch_id {
                return live.restart;
            }
            live.game.as_deref().and_then(source) == Some(client)
        });
        if !wanted || needed {
            return;
        }
        let Some(closing) = client.closing() else { return };
        match spawn::spawn(&closing) {
            Ok(process) => self.reaper.watch(Arc::new(process), |_| ()),
            Err(error) => log::warn!("failed to close the client of a storefront: {error}"),
        }
    }

    /// What the file with the achievements of a game counts; `None` without one that can be read.
    pub(super) fn achieved(&self, game_id: &str) -> Option<Achieved> {
        Achieved::read(&DataDir::at(self.context.data_dir.clone()), game_id)
    }

    /// Keeps the recap of the session, which is then to be published; `None` where none is wanted.
    /// `game` and `achieved` are as they were when it began.
    pub(super) fn keep_recap(
        &self,
        ending: &Ending,
        game: Option<&Game>,
        achieved: Option<&Achieved>,
    ) -> Option<Recap> {
        let state = self.store.snapshot().ok()?;
        if !recap::is_wanted(&state) {
            return None;
        }
        let mut before = game.map(Game::record);
        if let (Some(game), Some(achieved)) = (&mut before, achieved) {
            achieved.show_in(game);
        }
        let has_state = self.states.stored(&ending.game_id).is_some();
        let (before, now) = (before.as_ref(), Moment::now());
        let achieved = self.achieved(&ending.game_id);
        let recap = recap::of_ending(ending, before, &state, achieved.as_ref(), has_state, &now);
        *self.recap.hold() = Some(recap.clone());
        Some(recap)
    }
}
