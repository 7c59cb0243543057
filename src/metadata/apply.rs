//! Applies the texts and the pictures of a game of the database to one game (`POST /api/metadata/apply`).

use std::{
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use serde_json::{Map, Value};

use super::{
    error::{MetadataError, malformed},
    fields,
    manual::{self, NoManual},
    pictures::{Loader, PictureError, Slot, slots},
    preview_work::origin,
    service::Metadata,
};
use crate::{
    base::schema::schema,
    config::settings::read,
    game::{
        GameRef,
        edit::EditError,
        origins::{self, Mode},
    },
    media::presence::has_media,
    metadb::{Image, kinds},
    model::{Cause, origins::Right},
    net::location::percent_encoded,
    providers::METADB_IMAGES,
};

/// How long the pictures of one request may take together.
const PATIENCE: Duration = Duration::from_mins(2);
/// Failures that a refusal names.
const NAMED: usize = 3;

schema! {
    "MetadataApplied"
    /// What an apply changed.
    #[derive(Debug, PartialEq, Eq)]
    pub struct Applied {
        /// Fields with a new value, sorted.
        pub updated: Vec<String>,
        /// What could not be done.
        pub notes: Vec<String>,
    }
}

/// An apply that was asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The game.
    pub game: GameRef,
    /// The number of the game in the database.
    pub database_id: u32,
    /// Kinds of media.
    pub media: Vec<&'static str>,
    /// Whether values that are there are replaced.
    pub overwrite: bool,
    /// Chosen pictures: address by kind.
    pub media_urls: Map<String, Value>,
}

/// The kinds of media of a list: each known, each once.
///
/// # Errors
/// `Invalid media selection.`
pub fn media_kinds(value: Option<&Value>) -> Result<Vec<&'static str>, MetadataError> {
    let list = match value {
        None | Some(Value::Null) => return Ok(Vec::new()),
        Some(Value::Array(list)) => list,
        Some(_) => return malformed("Invalid media selection."),
    };
    let mut found = Vec::new();
    for each in list {
        let Some(kind) = each.as_str().and_then(kinds::by_name) else {
            return malformed("Invalid media selection.");
        };
        if !found.contains(&kind.kind) {
            found.push(kind.kind);
        }
    }
    Ok(found)
}

impl Metadata {
    /// Loads the pictures, then writes texts and pictures in one commit.
    ///
    /// # Errors
    /// [`MetadataError`]; then the library is as it was.
    pub fn apply(&self, request: &Request) -> Result<Applied, MetadataError> {
        let database = self.previews.database()?;
        let state = self.store.snapshot()?;
        let found = request.game.find(&state.games).map(|(_, game)| game);
        let game = found.ok_or(MetadataError::Edit(EditError::UnknownGame))?;
        let row = database.row(request.database_id).ok_or(MetadataError::UnknownRow)?;
        let record = game.record();
        let is_wanted = |kind: &&&str| request.overwrite || !has_media(&record, kind);
        let kinds: Vec<&str> = request.media.iter().filter(is_wanted).copied().collect();
        let regions = read::texts(state.settings(), "region_priority");
        let mut slots = slots(&database.images(row.id), &kinds, &regions);
        for (kind, url) in &request.media_urls {
            self.prefer(
                &mut slots,
                &database.images(row.id),
                kind,
                url.as_str().unwrap_or_default(),
            );
        }
        let (mut pictures, mut failures) = self.load(row.id, &slots)?;
        let mut lacks = None;
        if kinds.contains(&"manual") {
            let path = record.text("path");
            if path.is_empty() {
                return malformed("The game has no file that could hold a manual.");
            }
            self.files.private_dir(&self.folder(row.id))?;
            match manual::copy(&self.files, path, &self.folder(row.id)) {
                Ok(path) => pictures.push(("manual", path)),
                Err(NoManual::Disk(error)) => return Err(error.into()),
                // A game without a manual is no failed download.
                Err(error @ NoManual::None) => lacks = Some(format!("manual: {error}")),
                Err(error) => failures.push(("manual", error.to_string())),
            }
        }
        let values = fields::values(&row, game.platform());
        let mode = if request.overwrite { Mode::Replace } else { Mode::Fill };
        // Texts are replaced only on request; pictures were named one by one.
        let right = if request.overwrite { Right::Request } else { Right::Pass };
        let origin = origin(row.id, "");
        let number = [(fields::ID, row.id.to_string().into())];
        let media = media_values(&pictures);
        let mut notes: Vec<String> =
            failures.iter().map(|(kind, error)| format!("{kind}: {error}")).collect();
        let is_nothing = media.is_empty() && !failures.is_empty();
        let refusal = is_nothing.then(|| notes[..notes.len().min(NAMED)].join(", "));
        notes.extend(lacks);
        if !pictures.is_empty() {
            let written = pictures.iter().map(|(_, path)| path.to_string_lossy().into_owned());
            self.store.report(Cause::MediaChanged(written.collect()));
        }
        let game_id = game.id().to_owned();
        let id = game_id.clone();
        let written = self.store.commit(|draft| {
            if draft.state().games.find(&id).is_none() {
                return Err(MetadataError::Edit(EditError::UnknownGame));
            }
            let mut keys =
                origins::fill(draft, &id, origin.clone(), Right::Request, Mode::Replace, &number);
            keys.extend(origins::fill(draft, &id, origin.clone(), right, mode, &values));
            // Without leave to replace, only what was missing was loaded: nothing, or a file that is gone.
            let media =
                if request.overwrite { media } else { origins::untouched(draft, game, &media) };
            keys.extend(origins::fill(draft, &id, origin, Right::Request, Mode::Replace, &media));
            if let Some(refusal) = refusal.filter(|_| keys.is_empty()) {
                return Err(MetadataError::NoMedia(refusal));
            }
            draft.set_cause(Cause::Updated(id.clone()));
            Ok(keys)
        });
        let mut updated = written.map_err(|error| match error {
            crate::store::CommitError::Refused(error) => error,
            crate::store::CommitError::Unavailable(error) => error.into(),
            crate::store::CommitError::Disk(error) => error.into(),
        })?;
        updated.sort_unstable();
        updated.dedup();
        Ok(Applied { updated, notes })
    }

    /// Puts the picture with this address in front for a kind, when it is one of the game's.
    fn prefer(&self, slots: &mut [Slot], images: &[Image], kind: &str, url: &str) {
        let address = |image: &&Image| {
            let path = format!("/{}", percent_encoded(&image.file));
            image.kind == kind && self.providers.address(METADB_IMAGES, &path) == url
        };
        let Some(image) = images.iter().find(address) else { return };
        if let Some(slot) = slots.iter_mut().find(|slot| slot.kind == kind) {
            slot.images = vec![image.clone()];
        }
    }

    /// Loads the pictures of a game; those that are there, and why others are not.
    fn load(&self, id: u32, slots: &[Slot]) -> Result<Loaded, MetadataError> {
        let begun = Instant::now();
        let cancel = || begun.elapsed() > PATIENCE;
        let loader = Loader { providers: &self.providers, files: &self.files, cancel: &cancel };
        let folder = self.folder(id);
        if !slots.is_empty() {
            self.files.private_dir(&folder)?;
        }
        let jobs: Vec<(&Path, &Slot)> = slots.iter().map(|slot| (folder.as_path(), slot)).collect();
        let (mut pictures, mut failures) = (Vec::new(), Vec::new());
        for (slot, outcome) in slots.iter().zip(loader.fetch_all(&jobs)) {
            match outcome {
                Ok((path, _)) => pictures.push((slot.kind, path)),
                Err(PictureError::Disk(error)) => return Err(error.into()),
                Err(error) => failures.push((slot.kind, error.to_string())),
            }
        }
        Ok((pictures, failures))
    }
}

/// Kinds with their pictures, and kinds with the reason why there is none.
type Loaded = (Vec<(&'static str, PathBuf)>, Vec<(&'static str, String)>);

/// The pictures of a game as values of its fields.
pub(super) fn media_values(pictures: &[(&'static str, PathBuf)]) -> Vec<(&'static str, Value)> {
    let (mut values, mut shots) = (Vec::new(), Vec::new());
    for (kind, path) in pictures {
        let path = Value::from(path.to_string_lossy().into_owned());
        if *kind == "screenshots" { shots.push(path) } else { values.push((*kind, path)) }
    }
    if !shots.is_empty() {
        values.push(("screenshots", Value::Array(shots)));
    }
    values
}
