//! What happens after a session, each as a durable job of its own: the saves of the game archived
//! when the settings ask for it and sent to other devices when they are shared, the statistics shared when a folder is configured, the achievements read
//! again when there is an account for them.
//!
//! Nothing of it delays the end of the session or keeps it from being written.

use std::sync::Arc;

use crate::{
    achievements::{self, Achievements},
    config::settings::read,
    jobs::{JobError, Jobs},
    saves::{folder::Saves, job, subject::Subject},
    savesync::{self, memory, service::SaveSync},
    sessions::{
        Sessions,
        events::{Kind, SessionEvent},
    },
    store::Store,
};

/// Has it happen after every session from now on, and has newer saves of other devices fetched before one.
pub fn follow(
    sessions: &Sessions,
    store: &Store,
    jobs: &Arc<Jobs>,
    saves: &Arc<Saves>,
    achievements: &Arc<Achievements>,
    devices: &Arc<SaveSync>,
) {
    let devices = Arc::clone(devices);
    sessions.before_launch(Box::new(move |game_id| devices.before_launch(game_id)));
    let (store, jobs, saves) = (store.clone(), Arc::clone(jobs), Arc::clone(saves));
    let achievements = Arc::clone(achievements);
    sessions.on_event(Box::new(move |event| {
        if event.kind == Kind::Stopped {
            after(event, &store, &jobs, &saves, &achievements);
        }
    }));
}

fn after(
    event: &SessionEvent,
    store: &Store,
    jobs: &Jobs,
    saves: &Saves,
    achievements: &Achievements,
) {
    let Ok(state) = store.snapshot() else { return };
    let told = |outcome: Result<_, JobError>| {
        if let Err(error) = outcome {
            log::warn!("what follows a session of {:?} was not done: {error}", event.game);
        }
    };
    if read::flag(state.settings(), "backup_on_close")
        && let Some((_, game)) = state.games.find(&event.stable_game_id)
        && !Subject::of(game).save_paths.is_empty()
    {
        told(job::submit_backup(jobs, game.id(), &event.launch_id).map(drop));
    }
    if saves.has_cloud_folder()
        && let Some((_, game)) = state.games.find(&event.stable_game_id)
        && memory::is_on(&state, game)
        && !Subject::of(game).save_paths.is_empty()
    {
        told(savesync::job::submit_sync(jobs, game.id()).map(drop));
    }
    if saves.has_cloud_folder() {
        told(job::submit_sync(jobs).map(drop));
    }
    if let Some((_, game)) = state.games.find(&event.stable_game_id) {
        let submitted = achievements::job::submit_session(achievements, jobs, game, &event.started);
        told(submitted.map(drop));
    }
}
