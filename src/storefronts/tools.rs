//! The programs that start games of stores: their own, sandboxed packages, the system opener.

use std::path::PathBuf;

use crate::process::{Captured, Limits, Spec, capture, search};

use super::error::StorefrontError;

/// The system opener.
///
/// # Errors
/// [`StorefrontError::NoOpener`] when it is missing.
pub fn opener() -> Result<PathBuf, StorefrontError> {
    search::on_path("xdg-open").ok_or(StorefrontError::NoOpener)
}

/// Runs the command of a store and returns what it printed.
///
/// # Errors
/// [`StorefrontError`] when it does not start, takes too long, prints too much or fails.
pub fn ask(store: &'static str, spec: &Spec, limits: &Limits) -> Result<Vec<u8>, StorefrontError> {
    let Captured { code, stdout, stderr } =
        capture::run(spec, limits).map_err(|source| StorefrontError::Silent { store, source })?;
    if code == 0 {
        return Ok(stdout);
    }
    let said = String::from_utf8_lossy(&stderr);
    let said = said.lines().last().unwrap_or_default().trim().to_owned();
    Err(StorefrontError::Ended { store, code, said })
}
