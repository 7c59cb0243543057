//! What is remembered of the start of a session, for its end.

use std::{path::PathBuf, time::SystemTime};

use super::{folder::Entry, subject::Adapter};

/// The name of the state that a session resumes from.
pub(super) const KEPT_NAME: &str = "service-resume";
/// What is remembered of the start, for the end.
#[derive(Clone, Debug)]
pub struct Session {
    /// The emulator.
    pub adapter: Adapter,
    /// When it began, by the clock of the disk.
    pub since: SystemTime,
    /// The state that was laid out for it.
    pub staged: Option<Staged>,
}

/// A copy of a state that a session resumes from.
#[derive(Clone, Debug)]
pub struct Staged {
    /// The copy as it was laid out.
    pub entry: Entry,
    /// What it is a copy of.
    pub source: PathBuf,
}

/// Whether the words of a state block hold a token.
pub(super) fn has_token(words: &[String], token: &str) -> bool {
    words.iter().any(|word| word.contains(&format!("{{{token}}}")))
}
