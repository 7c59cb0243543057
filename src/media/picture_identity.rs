//! The identity of one state of a picture, and the name of its smaller copy.
//!
//! Does not read the content: reading a picture to know whether its copy is there would cost
//! what the copy saves.

use std::{fs::Metadata, os::unix::fs::MetadataExt as _};

use sha2::{Digest as _, Sha256};

use crate::base::ids;

/// Counts up when copies come out differently.
const RECIPE: &str = "1";

/// What identifies one state of a picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Bytes.
    pub size: u64,
    /// When the content changed, in nanoseconds.
    pub modified: i128,
    /// When anything about the file changed, in nanoseconds: it changes with every replacement, also one that keeps size and time of the content.
    pub changed: i128,
}

impl Identity {
    /// The attributes of a file.
    pub fn of(about: &Metadata) -> Self {
        let nanos =
            |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        Self {
            size: about.size(),
            modified: nanos(about.mtime(), about.mtime_nsec()),
            changed: nanos(about.ctime(), about.ctime_nsec()),
        }
    }

    /// The name of the copy of the picture that stands at `path`, for a width.
    pub fn name(&self, path: &str, width: u32) -> String {
        let Self { size, modified, changed } = self;
        let about = format!("{RECIPE}:{size}:{modified}:{changed}:{path}");
        format!("{}-{width}", ids::hex(&Sha256::digest(about.as_bytes())[..16]))
    }
}
