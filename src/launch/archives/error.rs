//! Errors of extracting archives, with the sentence for the client.

use crate::files::DiskError;

/// What was refused, or what failed. Nothing is left of the attempt.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// It is damaged, or no archive.
    #[error("The archive could not be read.")]
    Unreadable,
    #[error("The archive is encrypted.")]
    Encrypted,
    /// A name leads out of the folder it is extracted to.
    #[error("The archive contains an unsafe path.")]
    UnsafeName,
    #[error("The archive contains duplicate entries.")]
    Duplicates,
    /// A link, a device or another thing that is not a file.
    #[error("The archive contains links or special files.")]
    NotAFile,
    #[error("The archive contains too many files.")]
    TooMany,
    /// Members larger than is allowed, or larger than the archive says.
    #[error("The archive expands beyond the allowed size.")]
    TooLarge,
    #[error("There is not enough free space to extract the archive.")]
    NoRoom {
        /// Bytes of its members.
        needed: u64,
    },
    /// The archive is of a kind that a program has to extract, and there is none.
    #[error("7z or 7zz is required to extract this archive.")]
    NoTool,
    #[error("7z could not extract the archive.")]
    ToolFailed(String),
    #[error("The archive changed while it was extracted.")]
    Changed,
    #[error("No launchable file was found in the archive.")]
    Empty,
    /// The member that is to be launched is not in it.
    #[error("Archive member not found: {0}")]
    NoMember(String),
    #[error("The archive could not be extracted: {}.", .0.reason())]
    Disk(#[from] DiskError),
}
