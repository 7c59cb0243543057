//! The log as a file: appending durably, and knowing whether it can still be trusted.

use crate::files::{append::Appender, error::DiskError};

/// The open log. Its length counts intact, durable lines only.
pub(super) struct Journal {
    appender: Appender,
    len: u64,
}

/// Writes a piece at the end.
pub(super) type Write<'a> = dyn FnMut(&[u8]) -> Result<(), DiskError> + 'a;

/// An append that failed.
pub(super) struct Failure {
    pub(super) error: DiskError,
    /// Whether the log is known to end where it ended before.
    pub(super) intact: bool,
}

impl Journal {
    /// Goes on with a log of this length; anything behind it is cut off.
    pub(super) fn open(appender: Appender, len: u64) -> Result<Self, DiskError> {
        if appender.len()? != len {
            appender.truncate(len)?;
        }
        Ok(Self { appender, len })
    }

    /// Appends the lines that `fill` writes, piece by piece, and makes them durable; returns the new
    /// length.
    ///
    /// What fails is taken back, so that it does not come to light later. After a failed sync nobody
    /// knows what the disk holds, so the log is given up all the same.
    pub(super) fn append(
        &mut self,
        fill: impl FnOnce(&mut Write<'_>) -> Result<(), DiskError>,
    ) -> Result<u64, Failure> {
        let mut len = self.len;
        let appender = &mut self.appender;
        let filled = fill(&mut |piece| {
            appender.append(piece)?;
            len += piece.len() as u64;
            Ok(())
        });
        if let Err(error) = filled {
            let intact = self.appender.truncate(self.len).is_ok();
            return Err(Failure { error, intact });
        }
        if let Err(error) = self.appender.sync() {
            // OK because the log is not used again either way.
            drop(self.appender.truncate(self.len));
            return Err(Failure { error, intact: false });
        }
        self.len = len;
        Ok(self.len)
    }
}
