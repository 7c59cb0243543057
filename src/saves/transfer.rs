//! Saves exchanged with another device: as one hash, packed into a file, and taken from one.

use std::path::Path;

use super::{
    content,
    error::SaveError,
    folder::Saves,
    manifest::STATE,
    restore::{Old, Plan},
    subject::Subject,
};
use crate::{
    backup::{error::BackupError, watch::Watch},
    base::Moment,
    resume::folder,
};

/// What a packed file holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The hash over the names and bytes of its files.
    pub content: String,
    /// How many files.
    pub files: u64,
    /// The member that is the picture of the kept state; empty without one.
    pub picture: String,
}

/// The saves of a game at a glance.
#[derive(Clone, Debug)]
pub struct Extent {
    /// When the last of them was written.
    pub changed: Moment,
    /// Bytes.
    pub size: u64,
    /// How many files.
    pub files: usize,
}

impl Saves {
    /// The hash over the names and bytes of the saves of a game; `None` without any.
    ///
    /// # Errors
    /// Saves that cannot be read.
    pub fn content(&self, game: &Subject, watch: &dyn Watch) -> Result<Option<String>, SaveError> {
        match self.gather(game) {
            Err(SaveError::NoPaths) => Ok(None),
            found => content::of_disk(&self.context.files, &found?, watch),
        }
    }

    /// Packs the saves of a game into a file; `None` without any.
    ///
    /// # Errors
    /// Saves that cannot be read, or a disk that refuses.
    pub fn pack_up(
        &self,
        game: &Subject,
        path: &Path,
        watch: &dyn Watch,
    ) -> Result<Option<Packed>, SaveError> {
        if !self.pack(game, path, watch)? {
            return Ok(None);
        }
        let mut plan = Plan::open(&self.context.files, path)?;
        let (content, files) = content::of_archive(&mut plan.zip, &plan.manifest, watch)?;
        let state = plan.manifest.roots.iter().position(|root| root.path == STATE);
        let prefix = state.map(|number| format!("roots/{number}/{}.", folder::THUMBNAIL));
        let is_picture =
            |name: &&str| prefix.as_ref().is_some_and(|prefix| name.starts_with(prefix.as_str()));
        let mut names = plan.zip.members().iter().map(|member| member.name.as_str());
        let picture = names.find(is_picture).unwrap_or("").to_owned();
        Ok(Some(Packed { content, files, picture }))
    }

    /// Replaces the saves of a game by those that another device packed.
    ///
    /// # Errors
    /// As for a restore; also when the file does not hold this content.
    pub fn take_over(
        &self,
        game: &Subject,
        path: &Path,
        content: &str,
        old: Old,
        watch: &dyn Watch,
    ) -> Result<(), SaveError> {
        let mut plan = Plan::open_moved(&self.context.files, path, game)?;
        if content::of_archive(&mut plan.zip, &plan.manifest, watch)?.0 != content {
            return Err(BackupError::Invalid.into());
        }
        let _work = self.work();
        self.refuse_while_running(game)?;
        let copy = self.put_in_place(game, plan, old, watch)?;
        let keep = self.keep()?;
        if let Err(error) = self.trim(game, keep, copy.as_deref()) {
            log::warn!("an old save backup stays: {error}");
        }
        Ok(())
    }

    /// The saves of a game at a glance; `None` without any.
    ///
    /// # Errors
    /// Saves that cannot be listed.
    pub fn extent(&self, game: &Subject) -> Result<Option<Extent>, SaveError> {
        let found = match self.gather(game) {
            Err(SaveError::NoPaths) => return Ok(None),
            found => found?,
        };
        let files = &self.context.files;
        let written = found.files.iter().filter_map(|file| {
            files.stat(&file.path).ok().flatten().and_then(|stat| stat.modified().ok())
        });
        Ok(written.max().map(|last| Extent {
            changed: Moment::from_system(last),
            size: found.files.iter().map(|file| file.size).sum(),
            files: found.files.len(),
        }))
    }
}
