//! Manuals, maps and other documents of a game or of a platform (`GET /api/document`, `GET
//! /api/platform/document`).
//!
//! A document is served only when a record or the settings name it, and only when no part of its
//! path is a symbolic link; the kernel refuses links while it opens.

use serde_json::{Map, Value};

use crate::{
    game::clean::{self, Paths, Refusal},
    media::serve::MediaFile,
    model::{draft::Draft, game::Game, state::State},
    probe::media_roots,
};

const SETTING: &str = "platform_documents";

/// Opens the document of a game at `index`.
#[must_use]
pub fn open(game: &Game, index: usize) -> Option<MediaFile> {
    let record = game.record();
    open_entry(record.list("documents").get(index)?)
}

/// Opens the document of a platform at `index`.
#[must_use]
pub fn open_of_platform(state: &State, platform: &str, index: usize) -> Option<MediaFile> {
    open_entry(of_platform(state, platform).as_array()?.get(index)?)
}

fn open_entry(entry: &Value) -> Option<MediaFile> {
    let path = entry.get("path")?.as_str()?;
    MediaFile::of(media_roots::open_without_links(path).ok()?, path)
}

/// The documents of every platform that has some.
#[must_use]
pub fn by_platform(state: &State) -> Map<String, Value> {
    let stored = state.settings().get(SETTING).and_then(Value::as_object);
    stored.cloned().unwrap_or_default()
}

/// The documents of one platform: a list of `{name, path}`.
#[must_use]
pub fn of_platform(state: &State, platform: &str) -> Value {
    let stored = state.settings().get(SETTING).and_then(|documents| documents.get(platform));
    stored.filter(|list| list.is_array()).cloned().unwrap_or_else(|| Value::Array(Vec::new()))
}

/// Checks the documents of a platform; entries without a path are left out, a missing name is the
/// stem of the path.
///
/// # Errors
/// When it is no list, holds more than a hundred entries, or a path is relative.
pub fn read(posted: Option<&Value>, paths: &dyn Paths) -> Result<Vec<Value>, Refusal> {
    let list = match posted {
        Some(Value::Array(list)) => list.as_slice(),
        // A missing list is no empty one: what is stored goes only when that is asked for.
        _ => return Err(Refusal("Documents must be a list.".to_owned())),
    };
    let named = |entry: &&Value| {
        let path = entry.get("path").unwrap_or(&Value::Null);
        !entry.is_object()
            || !(path.is_null() || path.as_str().is_some_and(|path| path.trim().is_empty()))
    };
    let kept: Vec<Value> = list.iter().filter(named).cloned().collect();
    let clean = clean::clean_extras(&kept.into(), false, paths)?;
    Ok(clean.as_array().cloned().unwrap_or_default())
}

/// Replaces the documents of a platform.
pub fn replace(draft: &mut Draft, platform: &str, documents: Vec<Value>) {
    let mut all = by_platform(draft.state());
    if documents.is_empty() {
        all.remove(platform);
    } else {
        all.insert(platform.to_owned(), documents.into());
    }
    let mut set = Map::new();
    set.insert(SETTING.to_owned(), all.into());
    draft.merge_section("settings", set, &[]);
}
