//! Bytes of a response, shared or owned.

use std::sync::Arc;

/// Bytes that are shared, or that were made for one reader.
#[derive(Clone, Debug)]
pub enum ResponseBytes {
    /// Shared with other owners.
    Shared(Arc<[u8]>),
    /// Made for this reader.
    Own(Vec<u8>),
}

impl AsRef<[u8]> for ResponseBytes {
    fn as_ref(&self) -> &[u8] {
        match self {
            Self::Shared(bytes) => bytes,
            Self::Own(bytes) => bytes,
        }
    }
}
