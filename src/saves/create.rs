//! Making an archive of saves: all files are listed first, written to a temporary file, read again, then renamed. Saves
//! that change meanwhile are read again.

use std::{io::Write, path::Path};

use super::{
    error::SaveError,
    folder::{Label, Saves},
    manifest::{MANIFEST, MANIFEST_BYTES, STATE},
    sources::{SaveFiles, gather},
    subject::Subject,
};
use crate::{
    backup::{
        error::{BackupError, Slip},
        pack::{Packer, pour},
        sources::open_regular,
        watch::Watch,
        zipped::Zipped,
    },
    files::{Files, temp::Temp},
};

/// How often saves that change while they are read are read again.
const ATTEMPTS: usize = 3;
/// How hard saves are packed.
const LEVEL: i64 = 6;

/// A watch that hears nothing of progress and only passes on that the work has to end: for an
/// archive that is made on the way.
pub struct Quiet<'a>(pub &'a dyn Watch);

impl Watch for Quiet<'_> {
    fn go_on(&self) -> Result<(), BackupError> {
        self.0.go_on()
    }

    fn expect(&self, members: u64) {
        log::trace!("{members} files");
    }

    fn done(&self, members: u64) {
        log::trace!("{members} files archived");
    }

    fn promote(&self) -> Result<(), BackupError> {
        self.0.go_on()
    }
}

/// A finished archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Made {
    /// Its name.
    pub name: String,
    /// How many older ones were removed.
    pub trimmed: usize,
    /// Files in it.
    pub files: usize,
}

impl Saves {
    /// Archives the saves of a game, reads the archive again from its first to its last byte, and
    /// removes those that are not to be kept.
    ///
    /// # Errors
    /// Whatever kept it from being made; then no archive has come or gone.
    pub fn back_up(
        &self,
        game: &Subject,
        label: Label,
        watch: &dyn Watch,
    ) -> Result<Made, SaveError> {
        let _work = self.work();
        let keep = self.keep()?;
        let (name, files) = self.archive(game, label, watch)?;
        let trimmed = self.trim(game, keep, Some(&name)).unwrap_or_else(|error| {
            log::warn!("an old save backup stays: {error}");
            0
        });
        Ok(Made { name, trimmed, files })
    }

    /// Makes an archive; the caller holds the lock.
    pub(super) fn archive(
        &self,
        game: &Subject,
        label: Label,
        watch: &dyn Watch,
    ) -> Result<(String, usize), SaveError> {
        let files = &self.context.files;
        let folder = self.folder(game);
        let mut attempt = 1;
        let (found, mut temp, name, path) = loop {
            let mut found = self.gather(game)?;
            found.manifest.created = (self.context.now)().utc_iso();
            self.refuse_link(&folder)?;
            files.private_dir(&folder)?;
            files.clear_leftovers(&folder, "")?;
            let (name, path) = self.free_place(game, label)?;
            watch.expect(found.files.len() as u64);
            let (temp, sizes) = write(files, &path, &found, watch)?;
            prove(files, &temp, &found, &sizes, watch)?;
            if !found.files.iter().any(super::sources::FoundFile::has_changed) {
                break (found, temp, name, path);
            }
            if attempt == ATTEMPTS {
                log::warn!("saves of {:?} changed while they were archived", game.name);
                break (found, temp, name, path);
            }
            attempt += 1;
        };
        watch.promote()?;
        temp.persist(&path)?;
        files.sync_dir(&folder)?;
        Ok((name, found.files.len()))
    }

    /// Packs the saves of a game into a file that is not among its archives, and reads it again. The
    /// same saves give the same bytes. Returns whether there are any.
    ///
    /// # Errors
    /// As [`Saves::back_up`].
    pub(super) fn pack(
        &self,
        game: &Subject,
        path: &Path,
        watch: &dyn Watch,
    ) -> Result<bool, SaveError> {
        let files = &self.context.files;
        for attempt in 1..=ATTEMPTS {
            let found = match self.gather(game) {
                Err(SaveError::NoPaths) => return Ok(false),
                found => found?,
            };
            if found.files.is_empty() {
                return Ok(false);
            }
            let (mut temp, sizes) = write(files, path, &found, watch)?;
            prove(files, &temp, &found, &sizes, watch)?;
            if found.files.iter().any(super::sources::FoundFile::has_changed) && attempt < ATTEMPTS
            {
                continue;
            }
            temp.persist(path)?;
            break;
        }
        Ok(true)
    }

    /// What is there of the saves of a game.
    pub(super) fn gather(&self, game: &Subject) -> Result<SaveFiles, SaveError> {
        let mut found = gather(&self.context.files, self.context.data_dir.root(), game)?;
        found.manifest.game.clone_from(&game.name);
        found.manifest.game_id.clone_from(&game.id);
        let state = game.resume.as_ref().map(|_| STATE.to_owned());
        found.manifest.paths = Some(game.save_paths.iter().cloned().chain(state).collect());
        Ok(found)
    }
}

/// Names and bytes of what was written.
type Sizes = Vec<(String, u64)>;

fn write(
    files: &Files,
    path: &Path,
    found: &SaveFiles,
    watch: &dyn Watch,
) -> Result<(Temp, Sizes), SaveError> {
    let manifest = found.manifest.to_bytes();
    if manifest.len() as u64 > MANIFEST_BYTES {
        return Err(BackupError::TooMany.into());
    }
    let mut slip = Slip::default();
    let mut sizes = Sizes::new();
    let pack = |sink: &mut dyn Write| -> Result<Sizes, BackupError> {
        let mut packer = Packer::new(sink);
        packer
            .add(MANIFEST, 0, LEVEL, |sink| sink.write_all(&manifest).map_err(BackupError::Sink))?;
        for (number, file) in found.files.iter().enumerate() {
            let Some(mut source) = open_regular(files, &file.path, &file.shown)? else { continue };
            packer.add(&file.member, file.size, LEVEL, |sink| pour(&mut source, sink, watch))?;
            watch.done(number as u64 + 1);
        }
        packer.finish()
    };
    let temp = files.write_beside(path, |sink| slip.pass(pack(sink).map(|all| sizes = all)));
    Ok((slip.settle(temp)?, sizes))
}

/// Reads a finished archive as a restore would.
fn prove(
    files: &Files,
    temp: &Temp,
    found: &SaveFiles,
    sizes: &Sizes,
    watch: &dyn Watch,
) -> Result<(), SaveError> {
    let mut zip = Zipped::open(files, temp.path())?;
    if zip.read_within(MANIFEST, MANIFEST_BYTES)? != Some(found.manifest.to_bytes()) {
        return Err(BackupError::Invalid.into());
    }
    Ok(zip.prove_all(sizes, &|| watch.go_on())?)
}
