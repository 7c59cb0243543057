//! The log as a file: appending durably, and knowing whether it can still be trusted.

use std::{fmt, fs::Metadata, io, os::unix::fs::MetadataExt as _, path::PathBuf};

use crate::files::{Appender, DiskError, Files};

/// Bytes at the end of the log that are compared before and after an append. Attributes alone do not show
/// a file that was overwritten within one tick of the clock of the file system.
const TAIL: usize = 4096;

/// The attributes of the library file when it was last seen; they show a change by another program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    /// There is no file.
    Missing,
    /// A file with these attributes.
    Present { seconds: i64, nanoseconds: i64, size: u64, inode: u64 },
}

impl Signature {
    /// The bytes of the file.
    pub(super) fn size(self) -> u64 {
        match self {
            Self::Missing => 0,
            Self::Present { size, .. } => size,
        }
    }

    pub(super) fn of(stat: Option<&Metadata>) -> Self {
        stat.map_or(Self::Missing, |stat| Self::Present {
            seconds: stat.mtime(),
            nanoseconds: stat.mtime_nsec(),
            size: stat.size(),
            inode: stat.ino(),
        })
    }
}

impl Signature {
    /// Whether both belong to one file, whatever was written to it in between.
    pub(super) fn is_same_file(self, other: Self) -> bool {
        let inode = |signature| match signature {
            Self::Missing => None,
            Self::Present { inode, .. } => Some(inode),
        };
        inode(self) == inode(other)
    }
}

impl fmt::Display for Signature {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing => formatter.write_str("missing"),
            Self::Present { seconds, nanoseconds, size, inode } => {
                write!(formatter, "{seconds}.{nanoseconds:09}-{size}-{inode}")
            }
        }
    }
}

/// The open log. Its length counts intact, durable lines only.
pub(super) struct Journal {
    appender: Appender,
    files: Files,
    path: PathBuf,
    len: u64,
    seen: Seen,
}

/// What reveals that another program changed the log.
struct Seen {
    signature: Signature,
    /// The last bytes, at most [`TAIL`].
    tail: Vec<u8>,
}

/// A place in the log, for example behind what the library file on the disk holds.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Mark {
    /// The revision before it.
    pub(super) revision: u64,
    /// Where the lines newer than that begin in the log.
    pub(super) newer_at: u64,
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
    /// Continues a log of this length; anything behind it is cut off.
    pub(super) fn open(
        files: &Files,
        path: PathBuf,
        appender: Appender,
        len: u64,
    ) -> Result<Self, DiskError> {
        if appender.len()? != len {
            appender.truncate(len)?;
        }
        let signature = Signature::of(Some(&appender.stat()?));
        let tail = appender.read_back(len.saturating_sub(TAIL as u64), len)?;
        Ok(Self { appender, files: files.clone(), path, len, seen: Seen { signature, tail } })
    }

    /// Whether the log is as it was left.
    ///
    /// # Errors
    /// When it was changed by another program or cannot be examined: nothing may be appended then.
    pub(super) fn check(&self) -> Result<(), DiskError> {
        self.look(self.len, &self.seen.tail)
            .and_then(|signature| self.unchanged(signature == self.seen.signature))
    }

    /// The attributes of the log, which must be the open file with this length and this end.
    fn look(&self, len: u64, tail: &[u8]) -> Result<Signature, DiskError> {
        let stat = self.files.stat(&self.path)?;
        let signature = Signature::of(stat.as_ref());
        let is_ours = signature.is_same_file(self.seen.signature);
        self.unchanged(is_ours && stat.is_some_and(|stat| stat.len() == len))?;
        self.unchanged(self.appender.read_back(len - tail.len() as u64, len)? == tail)?;
        Ok(signature)
    }

    fn unchanged(&self, is_unchanged: bool) -> Result<(), DiskError> {
        let foreign = || io::Error::other("it was changed by another program");
        is_unchanged.then_some(()).ok_or_else(foreign).map_err(DiskError::at("trust", &self.path))
    }

    /// Appends the lines that `fill` writes, piece by piece, and makes them durable; returns the new
    /// length.
    ///
    /// A failed write is undone, so that it does not reappear later. After a failed sync it is unknown what the disk
    /// holds, and after a change by another program what a start would read: the log is given up.
    pub(super) fn append(
        &mut self,
        fill: impl FnOnce(&mut Write<'_>) -> Result<(), DiskError>,
    ) -> Result<u64, Failure> {
        let lost = |error| Failure { error, intact: false };
        self.check().map_err(lost)?;
        let mut len = self.len;
        let mut tail = self.seen.tail.clone();
        let appender = &mut self.appender;
        let filled = fill(&mut |piece| {
            appender.append(piece)?;
            len += piece.len() as u64;
            tail.extend_from_slice(&piece[piece.len().saturating_sub(TAIL)..]);
            tail.drain(..tail.len().saturating_sub(TAIL));
            Ok(())
        });
        if let Err(error) = filled {
            let taken_back = self.appender.truncate(self.len).and_then(|()| self.see());
            return Err(Failure { error, intact: taken_back.is_ok() });
        }
        let looked = self.appender.sync().and_then(|()| self.look(len, &tail));
        let signature = looked.map_err(|error| {
            // OK because the log is not used again either way.
            drop(self.appender.truncate(self.len));
            lost(error)
        })?;
        self.len = len;
        self.seen = Seen { signature, tail };
        Ok(self.len)
    }

    /// Takes the log as it stands for the one that was left, after this program cut it.
    fn see(&mut self) -> Result<(), DiskError> {
        self.seen.signature = self.look(self.len, &self.seen.tail)?;
        Ok(())
    }
}
