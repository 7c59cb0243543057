//! Who works on a data directory: this process, or a service that runs already.
//!
//! The lock of the library alone does not say. A service that was killed leaves its address files
//! behind, and the lock with it for as long as a child between fork and exec still has its
//! descriptors; one that stops or has only begun to start holds the lock and answers nobody. So
//! whoever finds the lock taken asks the service, and looks at the lock again until one of the two
//! has answered.

use std::time::{Duration, Instant};

use crossbeam_channel::after;

use super::{announce, run};
use crate::{
    config::{data_dir::DataDir, environment::Environment},
    files::writer::Files,
    journal::keeper::Journal,
    net::local::Instance,
    store::{error::OpenError, open::Store},
};

/// How long a taken lock and a silent service are looked at again.
const PATIENCE: Duration = Duration::from_secs(10);
/// Between two looks.
const PAUSE: Duration = Duration::from_millis(50);
/// What a service gets to say that it is there.
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
/// [`OpenError`]; that the library is locked only when no service has told where it is.
pub(super) fn claim(
    files: &Files,
    data_dir: &DataDir,
    environment: &Environment,
) -> Result<Claim, OpenError> {
    let start = Instant::now();
    loop {
        let locked = match run::open_store(files, data_dir, environment) {
            Ok((store, journal)) => return Ok(Claim::Ours(store, journal)),
            Err(locked @ OpenError::Locked { .. }) => locked,
            Err(error) => return Err(error),
        };
        let instance = announce::running_instance(files, data_dir);
        let is_over = start.elapsed() >= PATIENCE;
        if let Some((port, token)) = instance
            && (is_over || Instance::new(port, token.clone()).is_there(ANSWER))
        {
            return Ok(Claim::Theirs(port, token));
        }
        if is_over {
            return Err(locked);
        }
        // Nothing tells that a lock is free again.
        let _ = after(PAUSE).recv();
    }
}
