//! Progress and cancellation of work on archives.

use super::error::BackupError;

/// Follows a backup or a restore and may end it.
pub trait Watch {
    /// Whether it continues.
    ///
    /// # Errors
    /// [`BackupError::Stopped`].
    fn go_on(&self) -> Result<(), BackupError>;
    /// How many members there are.
    fn expect(&self, members: u64);
    /// How many are done.
    fn done(&self, members: u64);
    /// The last step begins, which swaps finished work into place.
    ///
    /// # Errors
    /// [`BackupError::Stopped`].
    fn promote(&self) -> Result<(), BackupError>;
}

/// A watch that never ends the work: for the command line and short work.
pub struct Unwatched;

impl Watch for Unwatched {
    fn go_on(&self) -> Result<(), BackupError> {
        Ok(())
    }

    fn expect(&self, members: u64) {
        log::debug!("{members} members");
    }

    fn done(&self, members: u64) {
        log::trace!("{members} members done");
    }

    fn promote(&self) -> Result<(), BackupError> {
        Ok(())
    }
}
