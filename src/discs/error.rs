//! Why an image could not be read.

use std::io;

use crate::base::text;

/// An image that gives no bytes.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// It begins like none of the formats.
    #[error("The file is not a disc image of a known format.")]
    Unknown,
    /// Its structure contradicts itself, or a part of it cannot be unpacked.
    #[error("The disc image is damaged.")]
    Damaged,
    /// It holds only what differs from another image.
    #[error("The disc image needs its parent image and cannot be read alone.")]
    Parent,
    /// It is packed in a way that is not read.
    #[error("The disc image is packed with {0}, which is not read.")]
    Method(&'static str),
    /// The file could not be read.
    #[error("The disc image could not be read: {}.", text::reason(.0))]
    Io(io::Error),
}

impl From<io::Error> for ImageError {
    fn from(error: io::Error) -> Self {
        // An image may lie inside another reader of this module, which passes its errors on.
        match error.downcast::<Self>() {
            Ok(own) => own,
            Err(error) => Self::Io(error),
        }
    }
}

impl From<ImageError> for io::Error {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Io(error) => error,
            own => Self::new(io::ErrorKind::InvalidData, own),
        }
    }
}
