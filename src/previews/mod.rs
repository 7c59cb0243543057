//! The files of previews in one private folder: made, found, changed, pruned, and decided on.
//!
//! | file | holds |
//! |---|---|
//! | `<id>.json` | the document; a preview is there when this file is |
//! | `<id>.decisions` | pages of decisions in the order of their arrival, a line each |
//! | `<id>.<extension>` | what the module of the preview keeps next to it |
//!
//! A line that a crash tore is not a page of decisions. What a preview shows, how many there may be and when they
//! expire belongs to its module.

use std::{
    collections::BTreeSet,
    marker::PhantomData,
    path::PathBuf,
    sync::{Mutex, MutexGuard},
};

use serde::{Serialize, de::DeserializeOwned};

use crate::{
    base::{Hold as _, Moment},
    files::{DiskError, Files},
};

/// Characters of an id.
const ID_CHARS: usize = 32;
/// The extension of documents.
const DOCUMENT: &str = "json";
/// The extension of files of decisions.
const DECISIONS: &str = "decisions";

/// The document of a preview.
pub trait Document: Serialize + DeserializeOwned {
    /// A decision on a part of it.
    type Decision: Serialize + DeserializeOwned;
    /// Why its files cannot be used.
    type Error: From<DiskError>;
    /// The extensions of all files but the document and the decisions.
    const EXTENSIONS: &'static [&'static str];

    /// The error of an id without a preview.
    fn not_found() -> Self::Error;

    /// 32 hexadecimal characters.
    fn id(&self) -> &str;

    /// Whether it has expired: all of it goes but the document, so that a client hears of it.
    fn has_expired(&self, now: &Moment) -> bool;

    /// Whether its document goes too.
    fn is_forgotten(&self, now: &Moment) -> bool;
}

/// The folder.
pub struct PreviewFolder<D> {
    files: Files,
    folder: PathBuf,
    /// Held while documents or decisions change.
    changing: Mutex<()>,
    document: PhantomData<fn() -> D>,
}

impl<D: Document> PreviewFolder<D> {
    /// The previews in a folder, which is made with the first of them.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder, changing: Mutex::new(()), document: PhantomData }
    }

    /// Disk access.
    pub fn files(&self) -> &Files {
        &self.files
    }

    /// The file of a preview with an extension.
    pub fn path(&self, id: &str, extension: &str) -> PathBuf {
        self.folder.join(format!("{id}.{extension}"))
    }

    /// Lets nobody else change documents or decisions.
    pub fn hold(&self) -> MutexGuard<'_, ()> {
        self.changing.hold()
    }

    /// Puts a new preview there. `choose` gets all that are there, and returns the new one with the id of the one
    /// that is discarded for it.
    ///
    /// # Errors
    /// Those of `choose`, and those of the disk.
    pub fn insert(
        &self,
        choose: impl FnOnce(Vec<D>) -> Result<(D, Option<String>), D::Error>,
    ) -> Result<(), D::Error> {
        let changing = self.hold();
        let (document, discarded) = choose(self.all()?)?;
        if let Some(id) = discarded {
            self.files.remove(&self.path(&id, DOCUMENT))?;
            self.clear(&id)?;
        }
        self.files.private_dir(&self.folder)?;
        self.save(&changing, &document)
    }

    /// The preview with an id.
    ///
    /// # Errors
    /// [`Document::not_found`], and those of the disk.
    pub fn find(&self, id: &str) -> Result<D, D::Error> {
        if id.len() != ID_CHARS || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(D::not_found());
        }
        let path = self.path(id, DOCUMENT);
        let bytes = match self.files.read(&path) {
            Err(error) if error.is_missing() => return Err(D::not_found()),
            other => other?,
        };
        let document = serde_json::from_slice::<D>(&bytes);
        let document = document.inspect_err(|error| log::warn!("{}: {error}", path.display()));
        document.ok().filter(|document| document.id() == id).ok_or_else(D::not_found)
    }

    /// Changes the document of a preview and returns it.
    ///
    /// # Errors
    /// As [`Self::find`]; nothing has changed then.
    pub fn update(&self, id: &str, change: impl FnOnce(&mut D)) -> Result<D, D::Error> {
        let changing = self.hold();
        let mut document = self.find(id)?;
        change(&mut document);
        self.save(&changing, &document)?;
        Ok(document)
    }

    /// Writes the document of a preview.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn save(&self, _changing: &MutexGuard<'_, ()>, document: &D) -> Result<(), D::Error> {
        // OK because a plain struct with text keys is always written.
        let text = serde_json::to_vec(document).unwrap_or_default();
        Ok(self.files.replace(&self.path(document.id(), DOCUMENT), &text)?)
    }

    /// Removes a preview with everything it has.
    ///
    /// # Errors
    /// When the disk refuses; without its document it is gone all the same.
    pub fn discard(&self, id: &str) -> Result<(), D::Error> {
        let _changing = self.hold();
        self.files.remove(&self.path(id, DOCUMENT))?;
        Ok(self.clear(id)?)
    }

    /// Removes expired previews and leftovers of removed ones. `is_active` returns whether the job of a preview runs;
    /// such a one stays.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn prune(&self, now: &Moment, is_active: impl Fn(&D) -> bool) -> Result<(), DiskError> {
        let _changing = self.hold();
        let names = self.files.list(&self.folder)?;
        let id = |name: &String| name.trim_start_matches('.').get(..ID_CHARS).map(str::to_owned);
        let ids: BTreeSet<String> = names.iter().filter_map(id).collect();
        for id in ids {
            let found = self.find(&id);
            if found
                .as_ref()
                .is_ok_and(|document| !document.has_expired(now) || is_active(document))
            {
                continue;
            }
            self.clear(&id)?;
            if !found.is_ok_and(|document| !document.is_forgotten(now)) {
                self.files.remove(&self.path(&id, DOCUMENT))?;
            }
        }
        Ok(())
    }

    /// Appends a page of decisions, which counts as a whole or not at all; the bytes of the file then.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn append(
        &self,
        _changing: &MutexGuard<'_, ()>,
        id: &str,
        page: &[D::Decision],
    ) -> Result<u64, DiskError> {
        let mut file = self.files.append_or_create(&self.path(id, DECISIONS))?;
        let bytes = self.read_decisions(id)?;
        let whole = whole_lines(&bytes);
        if whole < bytes.len() {
            file.truncate(whole as u64)?;
        }
        file.append(&line(page))?;
        file.sync()?;
        file.len()
    }

    /// All decisions on a preview in the order of their arrival.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn decided(&self, id: &str) -> Result<Vec<D::Decision>, DiskError> {
        let bytes = self.read_decisions(id)?;
        let mut decided = Vec::new();
        let lines = bytes[..whole_lines(&bytes)].split(|byte| *byte == b'\n');
        for line in lines.filter(|line| !line.is_empty()) {
            match serde_json::from_slice::<Vec<D::Decision>>(line) {
                Ok(page) => decided.extend(page),
                Err(error) => log::warn!("a page of decisions is damaged and left out: {error}"),
            }
        }
        Ok(decided)
    }

    /// Replaces the decisions on a preview by these.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn replace_decisions(
        &self,
        _changing: &MutexGuard<'_, ()>,
        id: &str,
        decisions: &[D::Decision],
    ) -> Result<(), DiskError> {
        self.files.replace(&self.path(id, DECISIONS), &line(decisions))
    }

    fn all(&self) -> Result<Vec<D>, DiskError> {
        let names = self.files.list(&self.folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".json"));
        Ok(ids.filter_map(|id| self.find(id).ok()).collect())
    }

    fn clear(&self, id: &str) -> Result<(), DiskError> {
        for extension in D::EXTENSIONS.iter().chain([&DECISIONS]) {
            self.files.remove(&self.path(id, extension))?;
        }
        self.files.clear_leftovers(&self.folder, id)
    }

    fn read_decisions(&self, id: &str) -> Result<Vec<u8>, DiskError> {
        match self.files.read(&self.path(id, DECISIONS)) {
            Err(error) if error.is_missing() => Ok(Vec::new()),
            other => other,
        }
    }
}

/// A page of decisions as it is written.
fn line(page: &[impl Serialize]) -> Vec<u8> {
    // OK because decisions are plain structs with text keys.
    let mut line = serde_json::to_vec(page).unwrap_or_default();
    line.push(b'\n');
    line
}

/// Bytes up to the end of the last whole line.
fn whole_lines(bytes: &[u8]) -> usize {
    bytes.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1)
}
