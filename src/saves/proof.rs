//! The history of a game's saves: its archives with their manifests, verified to their end, and unpacked into a scratch
//! folder as a test.

use std::path::{Path, PathBuf};

use super::{
    error::SaveError,
    folder::{Listed, Saves, label_of},
    restore::Plan,
    subject::Subject,
};
use crate::{
    backup::{
        error::{BackupError, Slip},
        watch::Watch,
    },
    base::{Moment, ids::random_hex, schema::schema},
};

/// How scratch folders are called.
const SCRATCH: &str = "save-test-";

schema! {
    "SaveVersion"
    /// One version of a game's saves.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Version {
        /// The name of the archive.
        pub name: String,
        /// Bytes of the archive.
        pub size: u64,
        /// When it was made, ISO 8601.
        pub created: String,
        /// Why: `manual`, `on-close`, `before-restore`; empty when the name does not show it.
        pub label: String,
    }

    "SaveProof"
    /// What reading or unpacking an archive found.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Proof {
        /// The name of the archive.
        pub backup: String,
        /// Always true; what is not in order is refused.
        pub ok: bool,
        /// Files in it.
        pub files: usize,
        /// Bytes of the files.
        pub bytes: u64,
    }
}

impl Saves {
    /// The versions of a game's saves, newest first.
    ///
    /// # Errors
    /// When a folder cannot be read.
    pub fn history(&self, game: &Subject) -> Result<Vec<Version>, SaveError> {
        let version = |listed: Listed| {
            let stat = self.context.files.stat(&listed.path).ok().flatten();
            let written = stat.and_then(|stat| stat.modified().ok()).map(Moment::from_system);
            Version {
                label: label_of(&listed.name).to_owned(),
                created: written.map_or_else(String::new, |written| written.utc_iso()),
                name: listed.name,
                size: listed.size,
            }
        };
        Ok(self.list(game)?.into_iter().map(version).collect())
    }

    /// How many archives of a game the settings keep; 0 keeps all.
    ///
    /// # Errors
    /// When there is no library.
    pub fn kept(&self) -> Result<usize, SaveError> {
        self.keep()
    }

    /// Reads an archive from its first to its last byte.
    ///
    /// # Errors
    /// [`SaveError::NotFound`], or what is wrong with it.
    pub fn verify(
        &self,
        game: &Subject,
        name: &str,
        watch: &dyn Watch,
    ) -> Result<Proof, SaveError> {
        let archive = self.locate(game, name)?;
        let mut plan = Plan::open(&self.context.files, &archive.path)?;
        plan.prove(watch)?;
        Ok(proof_of(&plan, archive.name))
    }

    /// Unpacks an archive into a scratch folder as a restore would, and removes it again. The saves
    /// of the game are not touched.
    ///
    /// # Errors
    /// As [`Saves::verify`]; also when its roots are not those of the game, or the disk refuses.
    pub fn test_restore(
        &self,
        game: &Subject,
        name: &str,
        watch: &dyn Watch,
    ) -> Result<Proof, SaveError> {
        let _work = self.work();
        let archive = self.locate(game, name)?;
        let mut plan = Plan::open_for(&self.context.files, &archive.path, game)?;
        self.clear_scratch();
        let scratch = self.scratch();
        let unpacked = self.unpack(&mut plan, &scratch, watch);
        if let Err(error) = self.context.files.remove_tree(&scratch) {
            log::warn!("a scratch folder stays: {error}");
        }
        unpacked?;
        Ok(proof_of(&plan, archive.name))
    }

    fn scratch(&self) -> PathBuf {
        let name = format!("{SCRATCH}{}", random_hex(6));
        self.context.data_dir.cache().join(name)
    }

    /// Removes what a trial that was cut off left behind; the caller holds the lock.
    fn clear_scratch(&self) {
        let (files, cache) = (&self.context.files, self.context.data_dir.cache());
        for name in files.list(&cache).unwrap_or_default() {
            if name.starts_with(SCRATCH)
                && let Err(error) = files.remove_tree(&cache.join(name))
            {
                log::warn!("a scratch folder stays: {error}");
            }
        }
    }

    fn unpack(&self, plan: &mut Plan, scratch: &Path, watch: &dyn Watch) -> Result<(), SaveError> {
        let files = &self.context.files;
        files.private_dir(scratch)?;
        for (number, file) in plan.files.iter().enumerate() {
            let target = scratch.join(number.to_string());
            let (zip, mut slip) = (&mut plan.zip, Slip::default());
            let written = files.replace_with(&target, |sink| {
                slip.pass(zip.copy(file.at, sink, &|| watch.go_on()))
            });
            slip.settle(written)?;
            let stat = files.stat(&target)?;
            if stat.map(|stat| stat.len()) != Some(plan.zip.members()[file.at].size) {
                return Err(BackupError::Invalid.into());
            }
            // One at a time, so that a test needs the room of the largest file only.
            files.remove(&target)?;
            watch.done(number as u64 + 1);
        }
        Ok(())
    }
}

fn proof_of(plan: &Plan, backup: String) -> Proof {
    let sizes = plan.files.iter().map(|file| plan.zip.members()[file.at].size);
    Proof { backup, ok: true, files: plan.files.len(), bytes: sizes.sum() }
}
