//! Pictures that a list names outside of the approved media folders: counted, and copied in when the
//! request asks for it (`copy_media`). Otherwise they stay where they are and are not shown.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::Value;

use super::merge::{Action, Operation};
use crate::{
    files::Files,
    media::own_pictures,
    model::{
        Record, State,
        media::{self, Content},
    },
    probe::media_roots::MediaRoots,
};

/// The field that holds a list.
const SCREENSHOTS: &str = "screenshots";

/// Where pictures may lie, and where copies go.
pub struct PictureCopier<'a> {
    /// Disk access.
    pub files: &'a Files,
    /// The approved folders.
    pub roots: &'a MediaRoots,
    /// The folder of copies.
    pub folder: PathBuf,
    /// The home.
    pub home: &'a Path,
}

/// Where each picture was copied to; `None` for one that could not be.
pub type Copies = BTreeMap<String, Option<String>>;

impl PictureCopier<'_> {
    fn is_outside(&self, path: &str) -> bool {
        path.starts_with('/') && !self.roots.covers(path)
    }

    /// The outside pictures that would be applied, entered into `wanted`. When they are to be copied,
    /// also those that the library has as they stand there; the others are not a matter of review.
    pub fn enter(
        &self,
        operation: &mut Operation,
        state: &State,
        copies: bool,
        wanted: &mut BTreeSet<String>,
    ) {
        let row = operation.target_game_id.as_deref();
        let row = row.and_then(|id| state.games.find(id)).map(|(_, game)| game.record());
        for field in fields() {
            let mut paths = paths_of(&operation.game, field);
            paths.retain(|path| self.is_outside(path));
            if paths.is_empty() {
                continue;
            }
            match operation.action {
                Action::Add => wanted.extend(paths),
                Action::Merge => {
                    let value = operation.game.get(field);
                    let is_held = row.as_ref().is_some_and(|row| row.get(field) == value);
                    if is_held && copies {
                        let value = value.cloned().unwrap_or_default();
                        operation.changes.insert(field.to_owned(), value);
                    }
                    if is_held || operation.changes.contains_key(field) {
                        wanted.extend(paths);
                    } else if copies {
                        operation.review_fields.retain(|review| review.field != field);
                    }
                }
                Action::Skip | Action::Exclude => {}
            }
        }
    }

    /// How many of these there are.
    pub fn count(wanted: &BTreeSet<String>) -> usize {
        wanted.iter().filter(|path| Path::new(path).is_file()).count()
    }

    /// Copies these. One that cannot be copied is left out.
    pub fn copy(&self, wanted: &BTreeSet<String>) -> Copies {
        let copy = |path: &String| {
            let kept = own_pictures::adopt(self.files, self.roots, &self.folder, path, self.home);
            let kept = kept.map_err(|error| log::warn!("a picture was left out: {error}")).ok();
            kept.and_then(|kept| kept.into_os_string().into_string().ok())
        };
        wanted.iter().map(|path| (path.clone(), copy(path))).collect()
    }
}

/// Points the pictures of an operation to their copies.
pub fn point(operation: &mut Operation, copies: &Copies) {
    point_record(&mut operation.game, copies);
    let mut changes = Record::from(std::mem::take(&mut operation.changes));
    point_record(&mut changes, copies);
    operation.changes = changes.0;
}

fn point_record(record: &mut Record, copies: &Copies) {
    for field in fields() {
        let paths = paths_of(record, field);
        if paths.iter().all(|path| !copies.contains_key(path)) {
            continue;
        }
        let kept = paths.into_iter().filter_map(|path| match copies.get(&path) {
            Some(copy) => copy.clone(),
            None => Some(path),
        });
        let kept: Vec<String> = kept.collect();
        match kept.first() {
            None => drop(record.remove(field)),
            Some(_) if field == SCREENSHOTS => record.set(field, kept),
            Some(path) => record.set(field, Value::from(path.as_str())),
        }
    }
}

/// The fields that hold pictures.
fn fields() -> impl Iterator<Item = &'static str> {
    let pictures = media::MEDIA.iter().filter(|kind| kind.content == Content::Picture);
    pictures.map(|kind| kind.field)
}

fn paths_of(record: &Record, field: &str) -> Vec<String> {
    if field == SCREENSHOTS {
        return record.texts(field).map(str::to_owned).collect();
    }
    let path = record.text(field);
    if path.is_empty() { Vec::new() } else { vec![path.to_owned()] }
}
