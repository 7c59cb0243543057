//! The jobs that follow a session: the saves of the game archived when the settings ask for it and
//! sent to other devices when they are shared, the statistics shared when a folder is configured, the
//! achievements read again when there is an account for them.
//!
//! The end of a session records in the library that an archive is due. Jobs for due archives are submitted at the start
//! of the program, after every change of the library and, where one was refused, after every job that ends, until they
//! are accepted.
//!
//! Nothing of it delays the end of the session or keeps it from being written.

use std::sync::{
    Arc,
    atomic::{AtomicBool, Ordering},
};

use crossbeam_channel::bounded;

use crate::{
    achievements::{self, Achievements},
    base::thread_named,
    jobs::{JobError, Jobs},
    model::{Game, Row as _},
    saves::{folder::Saves, job, subject::Subject},
    savesync::{self, memory, service::SaveSync},
    sessions::{
        Sessions,
        events::{Kind, SessionEvent},
        ledger::{self, OwedArchive},
    },
    store::Store,
};

/// Registers the work after every session, and the fetch of newer saves of other devices before one.
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

/// Submits the jobs for archives that are due, on a thread of its own: a listener of the library
/// must not change it.
fn pay_archives(store: &Store, jobs: &Arc<Jobs>) {
    let (wake, woken) = bounded::<()>(1);
    // What an earlier process owes.
    let _ = wake.try_send(());
    let was_refused = Arc::new(AtomicBool::new(false));
    let (again, refused) = (wake.clone(), Arc::clone(&was_refused));
    jobs.on_room(move || {
        if refused.swap(false, Ordering::Relaxed) {
            // OK because one that is full wakes the thread all the same.
            let _ = again.try_send(());
        }
    });
    store.watch(Box::new(move |change| {
        let owed = change.after.section(OwedArchive::SECTION);
        if owed.as_array().is_some_and(|rows| !rows.is_empty()) {
            // OK because one that is full wakes the thread all the same.
            let _ = wake.try_send(());
        }
    }));
    let (store, jobs) = (store.clone(), Arc::clone(jobs));
    let submit = move |game: &Game, launch_id: &str| {
        // A kill may have come between the archive and the removal of its row.
        let is_made = job::is_backed_up(&jobs, game.id(), launch_id);
        if is_made { Ok(()) } else { job::submit_backup(&jobs, game.id(), launch_id).map(drop) }
    };
    let pay = move || {
        for () in &woken {
            // Before, because there may be room again by the time that one is refused.
            was_refused.store(true, Ordering::Relaxed);
            if pay_once(&store, &submit) {
                was_refused.store(false, Ordering::Relaxed);
            }
        }
    };
    if let Err(error) = thread_named("owed-archives").spawn(pay) {
        log::warn!("saves are not archived after sessions: {error}");
    }
}

/// Submits the due archives; returns whether none was refused.
fn pay_once(store: &Store, submit: &dyn Fn(&Game, &str) -> Result<(), JobError>) -> bool {
    let Ok(state) = store.snapshot() else { return true };
    let (mut settled, mut is_all) = (Vec::new(), true);
    for OwedArchive { game_id, launch_id, .. } in state.rows::<OwedArchive>() {
        let game = state.games.find(&game_id).map(|(_, game)| game);
        if let Some(game) = game.filter(|game| ledger::can_owe(game))
            && let Err(error) = submit(game, &launch_id)
        {
            log::warn!("the saves of {:?} are archived later: {error}", game.name());
            is_all = false;
            continue;
        }
        settled.push(launch_id);
    }
    if !settled.is_empty()
        && let Err(error) = store.change(|draft| ledger::settle_archives(draft, &settled))
    {
        log::warn!("an archive of saves is asked for once more: {error}");
    }
    is_all
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

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use serde_json::json;

    use super::*;
    use crate::{model::Record, store::Options};

    #[test]
    fn an_archive_is_owed_until_its_job_is_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        let store = Store::open(Options::at(folder.path())).expect("opens");
        let game = |id: &str, paths: &[&str]| {
            let record = json!({"game_id": id, "name": id, "save_paths": paths});
            Record(record.as_object().expect("an object").clone())
        };
        let row = |id: &str| json!({"game_id": id, "launch_id": format!("launch-{id}")});
        let changed = store.change(|draft| {
            for record in [game("a", &["/a"]), game("b", &["/b"]), game("c", &[])] {
                drop(draft.add_game(record));
            }
            let rows: Vec<_> = ["a", "b", "c", "gone"].iter().map(|id| row(id)).collect();
            draft.set_section(OwedArchive::SECTION, json!(rows));
        });
        assert!(changed.is_ok());
        let asked = RefCell::new(Vec::new());
        let pay = |refused: &str| {
            let submit = |game: &Game, launch: &str| {
                asked.borrow_mut().push(launch.to_owned());
                if game.id() == refused { Err(JobError::QueueFull) } else { Ok(()) }
            };
            let is_all = pay_once(&store, &submit);
            let owed = store.snapshot().expect("there").section(OwedArchive::SECTION).clone();
            (is_all, owed)
        };
        assert_eq!(pay("a"), (false, json!([row("a")])));
        assert_eq!(pay(""), (true, json!([])));
        assert_eq!(*asked.borrow(), ["launch-a", "launch-b", "launch-a"]);
    }
}
