//! Process limits set before anything else: address space, and errors instead of signals.

use std::{
    io,
    sync::{Arc, atomic::AtomicBool},
};

use rustix::process::{Resource, getrlimit};
use signal_hook::consts::SIGXFSZ;

use crate::base::memory;

/// Address space the program needs, in bytes: its threads, an import and twenty clients at once.
const ADDRESS_SPACE: u64 = 400_000_000;

/// Why the program cannot work here.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "{} MB of address space are needed, and the limit is {} MB (RLIMIT_AS, `ulimit -v`)",
    ADDRESS_SPACE / 1_000_000,
    limit / 1_000_000
)]
pub struct TooLittle {
    /// The limit in bytes.
    limit: u64,
}

/// Checks the limit of addresses, bounds the allocator, and makes a file that would grow beyond the
/// limit of file sizes (`RLIMIT_FSIZE`) an error of that write. Called before there are threads.
///
/// # Errors
/// [`TooLittle`] when there is not enough address space.
pub(super) fn prepare() -> Result<(), TooLittle> {
    check(getrlimit(Resource::As).current)?;
    memory::return_large_pieces();
    if let Err(error) = survive_large_files() {
        log::warn!("a write beyond the limit of file sizes ends the program: {error}");
    }
    Ok(())
}

fn check(limit: Option<u64>) -> Result<(), TooLittle> {
    match limit {
        Some(limit) if limit < ADDRESS_SPACE => Err(TooLittle { limit }),
        _ => Ok(()),
    }
}

/// Takes the signal that would end the program. A handler is not inherited by the programs that are
/// started, as "ignored" would be.
fn survive_large_files() -> io::Result<()> {
    signal_hook::flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false))).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn four_hundred_megabytes_suffice() {
        assert_eq!(check(None), Ok(()));
        assert_eq!(check(Some(400_000_000)), Ok(()));
        let refused = check(Some(200 << 20)).expect_err("refused");
        assert_eq!(
            refused.to_string(),
            "400 MB of address space are needed, and the limit is 209 MB (RLIMIT_AS, `ulimit -v`)"
        );
    }
}
