//! Which process works on a data directory: this one, or a service that runs already.
//!
//! The lock of the library alone is not enough. A service that was killed leaves its address files
//! behind, and also the lock for as long as a child between fork and exec still has its
//! descriptors; one that stops or has only begun to start holds the lock and does not answer. So a
//! process that finds the lock taken asks the service, and tries the lock again, until one of the
//! two succeeds.

use std::time::{Duration, Instant};

use crossbeam_channel::after;

use crate::{
    base::Moment,
    cli::service::running_instance,
    config::{data_dir::DataDir, environment::Environment},
    files::Files,
    journal::handle::Journal,
    net::local::Instance,
    store::{OpenError, Options, Paths, Store},
};

/// How long a taken lock and a silent service are tried again.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two attempts.
const PAUSE: Duration = Duration::from_millis(50);
/// How long a service may take to answer that it is there.
const ANSWER: Duration = Duration::from_secs(2);

/// Whose the data directory is.
pub(super) enum Claim {
    /// This process has the lock.
    Ours(Store, Journal),
    /// A service has it, on this port and with this token.
    Theirs(u16, String),
}

/// Takes the lock of the library, or finds the service that has it.
///
/// # Errors
/// [`OpenError`]; `Locked` only when no service has published its address.
pub(super) fn claim(
    files: &Files,
    data_dir: &DataDir,
    environment: &Environment,
) -> Result<Claim, OpenError> {
    check_kinds(data_dir)?;
    let start = Instant::now();
    loop {
        let locked = match open_store(files, data_dir, environment) {
            Ok((store, journal)) => return Ok(Claim::Ours(store, journal)),
            Err(locked @ OpenError::Locked { .. }) => locked,
            Err(error) => return Err(error),
        };
        let instance = running_instance(files, data_dir);
        let is_over = start.elapsed() >= PATIENCE;
        if let Some((port, token)) = instance
            && (is_over || Instance::new(port, token.clone()).is_there(ANSWER))
        {
            return Ok(Claim::Theirs(port, token));
        }
        if is_over {
            return Err(locked);
        }
        // There is no notification when a lock is free again.
        let _ = after(PAUSE).recv();
    }
}

/// Refuses a data directory where something else has the name of one of our files and folders: reading a pipe
/// would wait forever, and a device never ends. Symbolic links are followed.
fn check_kinds(data_dir: &DataDir) -> Result<(), OpenError> {
    let Paths { backup, lock, snapshots, .. } = Paths::below(data_dir.root());
    let files = data_dir.files().into_iter().chain([backup, lock]);
    let folders = data_dir.folders().into_iter().chain([snapshots]);
    let places = files.map(|path| (path, "file")).chain(folders.map(|path| (path, "folder")));
    for (path, expected) in places {
        // What cannot be examined is reported where it is needed.
        let Ok(found) = path.metadata() else { continue };
        if if expected == "file" { !found.is_file() } else { !found.is_dir() } {
            return Err(OpenError::Kind { path, expected });
        }
    }
    Ok(())
}

/// Opens the library, and the journal that records its changes.
fn open_store(
    files: &Files,
    data_dir: &DataDir,
    environment: &Environment,
) -> Result<(Store, Journal), OpenError> {
    let paths = Paths::below(data_dir.root());
    let place = data_dir.library_journal();
    let journal = Journal::new(files.clone(), paths.clone(), place, Moment::now);
    let store = Store::open(Options {
        files: files.clone(),
        paths,
        debounce: environment.snapshot_debounce(),
        now: Moment::now,
        scribe: Some(journal.scribe()),
    })?;
    Ok((store, journal))
}
