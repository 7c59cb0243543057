//! A piece of a large text on its way to somewhere.

use std::sync::Arc;

/// Bytes that somebody keeps, or that were made for one reader.
#[derive(Clone, Debug)]
pub enum Piece {
    /// Kept by others too.
    Shared(Arc<[u8]>),
    /// Made for this reader.
    Own(Vec<u8>),
}

impl AsRef<[u8]> for Piece {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}
