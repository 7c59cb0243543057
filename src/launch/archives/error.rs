//! Why an archive was not extracted, and what the client reads then.

use crate::files::error::DiskError;

/// What was refused, or what failed. Nothing is left of the attempt.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is damaged, or no archive.
    #[error("the archive cannot be read")]
    Unreadable,
    /// It wants a password.
    #[error("the archive is encrypted")]
    Encrypted,
    /// A name leads out of the folder it is extracted to.
    #[error("the archive holds an unsafe name")]
    UnsafeName,
    /// Two members have one name.
    #[error("the archive holds a name twice")]
    Duplicates,
    /// A link, a device or another thing that is no file.
    #[error("the archive holds something that is no file")]
    NotAFile,
    /// More members than are allowed.
    #[error("the archive holds too many files")]
    TooMany,
    /// Members larger than is allowed, or larger than the archive says.
    #[error("the archive expands beyond the limits")]
    TooLarge,
    /// The disk has no room for it.
    #[error("{needed} bytes are needed to extract the archive")]
    NoRoom {
        /// Bytes of its members.
        needed: u64,
    },
    /// The archive is of a kind that a program has to extract, and there is none.
    #[error("no program to extract the archive was found")]
    NoTool,
    /// That program gave up.
    #[error("the program that extracts archives failed: {0}")]
    ToolFailed(String),
    /// The archive was changed while it was read.
    #[error("the archive changed while it was extracted")]
    Changed,
    /// Nothing in it looks like a game.
    #[error("the archive holds nothing to launch")]
    Empty,
    /// The member that is to be launched is not in it.
    #[error("the archive has no member {0:?}")]
    NoMember(String),
    /// A disk call failed.
    #[error(transparent)]
    Disk(#[from] DiskError),
}

impl ArchiveError {
    /// The sentence for the client.
    #[must_use]
    pub fn client_text(&self) -> String {
        match self {
            Self::Unreadable => "The archive could not be read.".to_owned(),
            Self::Encrypted => "The archive is encrypted.".to_owned(),
            Self::UnsafeName => "The archive contains an unsafe path.".to_owned(),
            Self::Duplicates => "The archive contains duplicate entries.".to_owned(),
            Self::NotAFile => "The archive contains links or special files.".to_owned(),
            Self::TooMany => "The archive contains too many files.".to_owned(),
            Self::TooLarge => "The archive expands beyond the allowed size.".to_owned(),
            Self::NoRoom { .. } => "There is not enough free space to extract the archive.".into(),
            Self::NoTool => "7z or 7zz is required to extract this archive.".to_owned(),
            Self::ToolFailed(_) => "7z could not extract the archive.".to_owned(),
            Self::Changed => "The archive changed while it was extracted.".to_owned(),
            Self::Empty => "No launchable file was found in the archive.".to_owned(),
            Self::NoMember(name) => format!("Archive member not found: {name}"),
            Self::Disk(error) => {
                format!("The archive could not be extracted: {}.", error.reason())
            }
        }
    }
}
