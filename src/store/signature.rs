//! What a file looks like from outside: how a change by somebody else is noticed.

use std::{fmt, fs::Metadata, os::unix::fs::MetadataExt as _};

/// The attributes of the library file when it was last seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Signature {
    /// There is no file.
    Missing,
    /// A file with these attributes.
    Present { seconds: i64, nanoseconds: i64, size: u64, inode: u64 },
}

impl Signature {
    pub(super) fn of(stat: Option<&Metadata>) -> Self {
        stat.map_or(Self::Missing, |stat| Self::Present {
            seconds: stat.mtime(),
            nanoseconds: stat.mtime_nsec(),
            size: stat.size(),
            inode: stat.ino(),
        })
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
