//! What happens after a session, each as a durable job of its own: the saves of the game archived
//! when the settings ask for it and sent to other devices when they are shared, the statistics shared when a
//! folder is configured, the achievements read again when there is an account for them.
//!
//! The end of a session notes in the library that an archive is owed. Jobs for what is owed are asked for at the
//! start of the program and after every change of the library, until they are accepted.
//!
//! Nothing of it delays the end of the session or keeps it from being written.

use std::sync::Arc;

use crossbeam_channel::bounded;

use crate::{
    achievements::{self, Achievements},
    base::thread_named,
    jobs::{JobError, Jobs},
    model::Row as _,
    saves::{folder::Saves, job, subject::Subject},
    savesync::{self, memory, service::SaveSync},
    sessions::{
        Sessions,
        events::{Kind, SessionEvent},
        ledger::{self, OwedArchive},
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
    pay_archives(store, jobs);
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

/// Has jobs asked for that make the archives which are owed, on a thread of its own: a listener of the library
/// must not change it.
fn pay_archives(store: &Store, jobs: &Arc<Jobs>) {
    let (wake, woken) = bounded::<()>(1);
    // What an earlier process owes.
    let _ = wake.try_send(());
    store.watch(Box::new(move |change| {
        let owed = change.after.section(OwedArchive::SECTION);
        if owed.as_array().is_some_and(|rows| !rows.is_empty()) {
            // OK because one that is full wakes the thread all the same.
            let _ = wake.try_send(());
        }
    }));
    let (store, jobs) = (store.clone(), Arc::clone(jobs));
    let pay = move || woken.iter().for_each(|()| pay_once(&store, &jobs));
    if let Err(error) = thread_named("owed-archives").spawn(pay) {
        log::warn!("saves are not archived after sessions: {error}");
    }
}

fn pay_once(store: &Store, jobs: &Jobs) {
    let Ok(state) = store.snapshot() else { return };
    let mut settled = Vec::new();
    for OwedArchive { game_id, launch_id, .. } in state.rows::<OwedArchive>() {
        let game = state.games.find(&game_id).map(|(_, game)| game);
        let game = game.filter(|game| !Subject::of(game).save_paths.is_empty());
        if let Some(game) = game
            && let Err(error) = job::submit_backup(jobs, game.id(), &launch_id)
        {
            log::warn!("the saves of {:?} are archived later: {error}", game.name());
            continue;
        }
        settled.push(launch_id);
    }
    if settled.is_empty() {
        return;
    }
    if let Err(error) = store.change(|draft| ledger::settle_archives(draft, &settled)) {
        log::warn!("an archive of saves may be made twice: {error}");
    }
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
