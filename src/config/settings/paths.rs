//! Settings that name a place on the disk.
//!
//! A path is stored absolute, without superfluous slashes and dots, `~/` replaced. A path that is
//! stored already is not checked again: adding a folder must not fail because another one is on
//! a disk that is unplugged today.

use std::path::{Path, PathBuf};

use serde_json::Value;

use super::field_error::BrokenRule;
use super::rule::{CheckDepth, PathKind};

/// Existing directories, each once. The cap counts what was posted.
pub(super) fn check_folders(
    value: &Value,
    cap: usize,
    depth: CheckDepth<'_>,
) -> Result<Value, BrokenRule> {
    let rule = || BrokenRule::NotListOf { cap };
    let entries = value.as_array().filter(|entries| entries.len() <= cap).ok_or_else(rule)?;
    let mut kept: Vec<String> = Vec::new();
    for entry in entries {
        let named = entry.as_str().ok_or_else(rule)?.trim();
        if named.is_empty() {
            continue;
        }
        let path = absolute(named, depth)?;
        // A file in place of a directory counts as missing: both have one message.
        let found = !is_looked_for(&path, depth) || Path::new(&path).is_dir();
        if !found {
            return Err(BrokenRule::MissingPath(path));
        }
        if !kept.contains(&path) {
            kept.push(path);
        }
    }
    Ok(Value::from(kept))
}

/// One path, or the empty text.
pub(super) fn check_path(
    value: &Value,
    kind: PathKind,
    depth: CheckDepth<'_>,
) -> Result<Value, BrokenRule> {
    let named = value.as_str().ok_or(BrokenRule::NotText)?.trim();
    if named.is_empty() {
        return Ok(Value::from(""));
    }
    let path = absolute(named, depth)?;
    if is_looked_for(&path, depth) {
        check_kind(&path, kind)?;
    }
    Ok(Value::from(path))
}

fn check_kind(path: &str, kind: PathKind) -> Result<(), BrokenRule> {
    let place = Path::new(path);
    let found = std::fs::metadata(place);
    let is_file = found.as_ref().is_ok_and(std::fs::Metadata::is_file);
    let is_folder = found.as_ref().is_ok_and(std::fs::Metadata::is_dir);
    match kind {
        PathKind::Any if found.is_ok() => Ok(()),
        PathKind::Folder if is_folder => Ok(()),
        PathKind::NewFolder if is_folder || found.is_err() => Ok(()),
        PathKind::Folder | PathKind::NewFolder if found.is_ok() => {
            Err(BrokenRule::NotFolder(path.to_owned()))
        }
        PathKind::Audio if is_file => check_media(place, mime_guess::mime::AUDIO),
        PathKind::Video if is_file => check_media(place, mime_guess::mime::VIDEO),
        _ => Err(BrokenRule::MissingPath(path.to_owned())),
    }
}

fn check_media(path: &Path, wanted: mime_guess::mime::Name<'_>) -> Result<(), BrokenRule> {
    let is_wanted = mime_guess::from_path(path).iter().any(|kind| kind.type_() == wanted);
    if is_wanted { Ok(()) } else { Err(BrokenRule::WrongMedia) }
}

fn is_looked_for(path: &str, depth: CheckDepth<'_>) -> bool {
    matches!(depth, CheckDepth::Disk { .. }) && !depth.is_stored(path)
}

/// `named` absolute and tidied; links and `..` are left as they are.
fn absolute(named: &str, depth: CheckDepth<'_>) -> Result<String, BrokenRule> {
    let path: PathBuf = depth.expand(named).components().collect();
    match path.to_str() {
        Some(text) if path.is_absolute() && !text.contains('\0') => Ok(text.to_owned()),
        _ => Err(BrokenRule::RelativePath(named.to_owned())),
    }
}
