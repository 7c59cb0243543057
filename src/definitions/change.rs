//! Carrying out a plan in steps that a kill cannot tear: afterwards the folder is as it was, or as
//! it was meant to be.
//!
//! New and old contents are put next to the folder's files first. Then an intent is written; from
//! there on the change goes forward, also after a kill. When a step fails the intent changes its
//! name in one step, and from there on everything goes back. Every step checks the present files, so it may be
//! repeated, and a file that is edited meanwhile stays as edited.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use super::{
    ledger::{self, Ledger},
    plan::{Lying, Plan},
};
use crate::{
    files::{DiskError, Files},
    formats::definition_file::FILE_BYTES,
};

/// The intent while the change goes forward.
const FORWARD: &str = ".pack-forward.json";
/// The intent while the change is undone.
const BACK: &str = ".pack-back.json";
/// The folder of the contents.
const STAGE: &str = ".pack-change";

/// What is going to be done, with digests of everything.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Intent {
    write: BTreeMap<String, Written>,
    remove: BTreeMap<String, String>,
    ledger: Option<Ledger>,
    old_ledger: Option<Ledger>,
}

#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Written {
    new: String,
    old: Option<String>,
}

/// A folder that is changed.
pub(super) struct Site<'a> {
    files: &'a Files,
    folder: &'a Path,
}

impl<'a> Site<'a> {
    pub(super) fn new(files: &'a Files, folder: &'a Path) -> Self {
        Self { files, folder }
    }

    /// Carries a plan out.
    ///
    /// # Errors
    /// When the disk does not; the folder is as it was then, at the latest after
    /// [`Site::recover`].
    pub(super) fn carry_out(&self, plan: &Plan, old: Option<&Ledger>) -> Result<(), DiskError> {
        let intent = self.prepare(plan, old).inspect_err(|_| {
            // Also an intent whose name may be there although the disk reported a failure.
            if let Err(error) = self.clear() {
                log::error!("a change of the definitions is left for the next start: {error}");
            }
        })?;
        if let Err(error) = self.go_forward(&intent) {
            let taken_back = self
                .files
                .rename(&self.folder.join(FORWARD), &self.folder.join(BACK))
                .and_then(|()| self.go_back(&intent))
                .and_then(|()| self.clear());
            if let Err(error) = taken_back {
                log::error!("a change of the definitions is left for the next start: {error}");
            }
            return Err(error);
        }
        if let Err(error) = self.clear() {
            // OK because the steps may be done again, and find nothing to do.
            log::warn!("what a change of the definitions left stays for now: {error}");
        }
        Ok(())
    }

    /// Completes or undoes a change that a kill cut off.
    ///
    /// # Errors
    /// When the disk does not; the next call tries again.
    pub(super) fn recover(&self) -> Result<(), DiskError> {
        if let Some(intent) = self.intent(BACK)? {
            self.go_back(&intent)?;
        } else if let Some(intent) = self.intent(FORWARD)? {
            self.go_forward(&intent)?;
        }
        if self.files.stat(self.folder)?.is_some_and(|stat| stat.is_dir()) {
            self.files.clear_leftovers(self.folder, "")?;
            self.clear()?;
        }
        Ok(())
    }

    /// What lies under a name; `None` is nothing.
    pub(super) fn lying(&self, name: &str) -> Result<Option<Lying>, DiskError> {
        let path = self.folder.join(name);
        Ok(match self.files.stat(&path)? {
            None => None,
            Some(stat) if stat.is_file() && stat.len() <= FILE_BYTES as u64 => {
                Some(Lying::File(self.files.read(&path)?))
            }
            Some(_) => Some(Lying::Other),
        })
    }

    /// Puts every content next to the folder's files, and then the intent.
    fn prepare(&self, plan: &Plan, old: Option<&Ledger>) -> Result<Intent, DiskError> {
        self.files.remove_tree(&self.folder.join(STAGE))?;
        for version in [StagedVersion::New, StagedVersion::Old] {
            self.files.private_dir(&self.staged(version, ""))?;
        }
        let mut intent = Intent {
            write: BTreeMap::new(),
            remove: BTreeMap::new(),
            ledger: plan.ledger.clone(),
            old_ledger: old.cloned(),
        };
        for (name, (new, old)) in &plan.write {
            self.files.replace(&self.staged(StagedVersion::New, name), new)?;
            if let Some(old) = old {
                self.files.replace(&self.staged(StagedVersion::Old, name), old)?;
            }
            let old = old.as_deref().map(ledger::digest);
            intent.write.insert(name.clone(), Written { new: ledger::digest(new), old });
        }
        for (name, old) in &plan.remove {
            self.files.replace(&self.staged(StagedVersion::Old, name), old)?;
            intent.remove.insert(name.clone(), ledger::digest(old));
        }
        let bytes = serde_json::to_vec(&intent).unwrap_or_default();
        self.files.replace(&self.folder.join(FORWARD), &bytes)?;
        Ok(intent)
    }

    fn go_forward(&self, intent: &Intent) -> Result<(), DiskError> {
        let mut ledger = intent.ledger.clone();
        for (name, written) in &intent.write {
            let staged = self.staged(StagedVersion::New, name);
            // A content that is not there any more has its name already.
            if self.files.stat(&staged)?.is_none() {
                continue;
            }
            if self.digest(name)? == written.old {
                self.files.rename(&staged, &self.folder.join(name))?;
            } else if let Some(ledger) = &mut ledger {
                ledger.installed.remove(name);
                ledger.kept_local.push(name.clone());
            }
        }
        for (name, old) in &intent.remove {
            if self.digest(name)?.as_ref() == Some(old) {
                self.files.remove(&self.folder.join(name))?;
            }
        }
        self.files.sync_dir(self.folder)?;
        self.write_ledger(ledger.as_ref())
    }

    fn go_back(&self, intent: &Intent) -> Result<(), DiskError> {
        for (name, written) in &intent.write {
            if self.digest(name)?.as_ref() != Some(&written.new) {
                continue;
            }
            match &written.old {
                Some(_) => self.bring_back(name)?,
                None => self.files.remove(&self.folder.join(name))?,
            }
        }
        for name in intent.remove.keys() {
            if self.digest(name)?.is_none() {
                self.bring_back(name)?;
            }
        }
        self.files.sync_dir(self.folder)?;
        self.write_ledger(intent.old_ledger.as_ref())
    }

    fn bring_back(&self, name: &str) -> Result<(), DiskError> {
        let kept = self.staged(StagedVersion::Old, name);
        match self.files.stat(&kept)? {
            Some(_) => self.files.rename(&kept, &self.folder.join(name)),
            None => Ok(()),
        }
    }

    fn write_ledger(&self, ledger: Option<&Ledger>) -> Result<(), DiskError> {
        let path = self.folder.join(ledger::NAME);
        if let Some(ledger) = ledger {
            return self.files.replace(&path, &ledger.bytes());
        }
        self.files.remove(&path)?;
        self.files.sync_dir(self.folder)
    }

    /// Removes the intent, and then the contents, which mean nothing without it.
    fn clear(&self) -> Result<(), DiskError> {
        self.files.remove(&self.folder.join(FORWARD))?;
        self.files.remove(&self.folder.join(BACK))?;
        self.files.sync_dir(self.folder)?;
        self.files.remove_tree(&self.folder.join(STAGE))
    }

    /// The digest of what lies under a name; empty of what is not a file, `None` of nothing.
    fn digest(&self, name: &str) -> Result<Option<String>, DiskError> {
        Ok(self.lying(name)?.map(|lying| match lying {
            Lying::File(content) => ledger::digest(&content),
            Lying::Other => String::new(),
        }))
    }

    fn intent(&self, name: &str) -> Result<Option<Intent>, DiskError> {
        let path = self.folder.join(name);
        if !self.files.stat(&path)?.is_some_and(|stat| stat.is_file()) {
            return Ok(None);
        }
        let read = serde_json::from_slice(&self.files.read(&path)?);
        Ok(read.inspect_err(|error| log::error!("{} is damaged: {error}", path.display())).ok())
    }

    fn staged(&self, version: StagedVersion, name: &str) -> PathBuf {
        let version = match version {
            StagedVersion::New => "new",
            StagedVersion::Old => "old",
        };
        self.folder.join(STAGE).join(version).join(name)
    }
}

#[derive(Clone, Copy)]
enum StagedVersion {
    New,
    Old,
}
