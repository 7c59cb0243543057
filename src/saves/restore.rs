//! Restoring saves from an archive, in three steps: the archive is read to its last byte and every destination is
//! checked; the present saves are archived as `before-restore`; then each file takes its place in one step.
//!
//! A restore that is cut off leaves every file its old or its new self, and an archive of all old
//! ones. Files that the archive does not have stay.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    fs, io,
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
};

use super::{
    create::Quiet,
    error::SaveError,
    folder::{Label, Saves},
    manifest::{MANIFEST, MANIFEST_BYTES, Manifest},
    room,
    sources::{self, refuse_links},
    subject::Subject,
};
use crate::{
    backup::{
        error::{BackupError, Slip},
        watch::Watch,
        zipped::Zipped,
    },
    files::{DiskError, Files, temp},
    resume::{folder, keep},
};

/// What happens to the saves that are replaced.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Old {
    /// They are archived first.
    Archive,
    /// They are what an earlier try left that was cut off; that one archived what was there.
    IsArchived,
}

/// An archive that may be restored, with what goes where.
pub(super) struct Plan {
    pub(super) zip: Zipped,
    pub(super) manifest: Manifest,
    /// Members with the number of their root, the path below it and where they go.
    pub(super) files: Vec<Planned>,
}

/// A file of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Planned {
    /// Its place in the directory of the archive.
    pub(super) at: usize,
    /// Its destination.
    pub(super) target: PathBuf,
    /// Its path below its root, for the user.
    pub(super) shown: String,
}

impl Plan {
    /// Opens an archive and checks its consistency: manifest, members, their places.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(super) fn open(files: &Files, path: &Path) -> Result<Self, SaveError> {
        Self::open_with(files, path, Ok)
    }

    /// As [`Plan::open`] for an archive that is to be one of a game's save paths; that is checked before
    /// any member.
    ///
    /// # Errors
    /// Also [`SaveError::Roots`].
    pub(super) fn open_for(files: &Files, path: &Path, game: &Subject) -> Result<Self, SaveError> {
        let fits = |manifest: &Manifest| manifest.fits(&game.save_paths);
        Self::open_with(files, path, |manifest| Some(manifest).filter(fits).ok_or(SaveError::Roots))
    }

    /// As [`Plan::open`] for an archive that another device made of the same save paths below other
    /// folders: each goes to where it is configured here.
    ///
    /// # Errors
    /// Also [`SaveError::Roots`] when its save paths are not those of the game.
    pub(super) fn open_moved(
        files: &Files,
        path: &Path,
        game: &Subject,
    ) -> Result<Self, SaveError> {
        let moved = |manifest: Manifest| manifest.moved_to(game).ok_or(SaveError::Roots);
        let mut plan = Self::open_with(files, path, moved)?;
        if let Some(folder) = &game.resume {
            plan.check_state(folder)?;
        }
        Ok(plan)
    }

    /// Checks that nothing comes into the folder of a game's states but what the record of the kept one
    /// names. The record comes last, so it never names a state that is not there.
    fn check_state(&mut self, folder: &Path) -> Result<(), SaveError> {
        let is_record = |file: &Planned| file.target == folder.join(folder::RECORD);
        self.files.sort_by_key(is_record);
        let own: Vec<&Planned> =
            self.files.iter().filter(|file| file.target.starts_with(folder)).collect();
        let Some(record) = own.last() else { return Ok(()) };
        let name = self.zip.members()[record.at].name.clone();
        let bytes = self.zip.read_within(&name, folder::RECORD_BYTES)?;
        let record = bytes.as_deref().and_then(folder::parse);
        let named = record.as_ref().and_then(folder::files_of);
        let is_named = |file: &&Planned| {
            let below = file.target.strip_prefix(folder).ok();
            below.is_some_and(|below| named.iter().flatten().any(|name| below == Path::new(name)))
        };
        if own.iter().all(is_named) { Ok(()) } else { Err(BackupError::Manifest.into()) }
    }

    fn open_with(
        files: &Files,
        path: &Path,
        adapt: impl FnOnce(Manifest) -> Result<Manifest, SaveError>,
    ) -> Result<Self, SaveError> {
        let mut zip = Zipped::open(files, path)?;
        let manifest = match zip.read_within(MANIFEST, MANIFEST_BYTES) {
            Ok(Some(bytes)) => Manifest::parse(&bytes),
            Ok(None) | Err(BackupError::Invalid | BackupError::MemberTooLarge) => None,
            Err(error) => return Err(error.into()),
        };
        let Some(manifest) = manifest else {
            // Without a manifest the stricter rule is reported first.
            zip.refuse_duplicates(false)?;
            return Err(BackupError::Manifest.into());
        };
        let manifest = adapt(manifest)?;
        zip.refuse_duplicates(manifest.case_sensitive)?;
        let planned = place_all(&zip, &manifest)?;
        Ok(Self { zip, manifest, files: planned })
    }

    /// Reads everything that will be written to its end.
    ///
    /// # Errors
    /// What cannot be unpacked, or is more or less than it says.
    pub(super) fn prove(&mut self, watch: &dyn Watch) -> Result<(), SaveError> {
        for (number, file) in self.files.iter().enumerate() {
            self.zip.prove(file.at, &|| watch.go_on())?;
            watch.done(number as u64 + 1);
        }
        Ok(())
    }

    /// Checks the disk without changing it: the types of the roots, links, and obstacles.
    fn examine(&self, data: &Path) -> Result<(), SaveError> {
        for root in &self.manifest.roots {
            match sources::examine_root(data, &root.path)? {
                Some(stat) if stat.is_file() != root.file => return Err(SaveError::RootType),
                None if fs::symlink_metadata(&root.path).is_ok() => {
                    return Err(SaveError::RootType);
                }
                _ => {}
            }
        }
        self.files.iter().try_for_each(examine_target)
    }
}

/// Every member with its place. A file may not be a folder of another one.
fn place_all(zip: &Zipped, manifest: &Manifest) -> Result<Vec<Planned>, SaveError> {
    let mut planned = Vec::new();
    let mut singles: HashMap<usize, usize> = HashMap::new();
    for (at, member) in zip.members().iter().enumerate() {
        if member.name == MANIFEST || member.name.trim_end_matches('/') == "roots" {
            continue;
        }
        let place = manifest.resolve(&member.name).ok_or(BackupError::UnsafeName)?;
        if member.is_folder() {
            continue;
        }
        let (number, below) = place;
        let root = &manifest.roots[number];
        let target = match root.file {
            true if below.components().count() == 1 => PathBuf::from(&root.path),
            false if below.components().next().is_some() => Path::new(&root.path).join(&below),
            _ => return Err(BackupError::UnsafeName.into()),
        };
        *singles.entry(number).or_default() += 1;
        planned.push(Planned { at, target, shown: below.to_string_lossy().into_owned() });
    }
    let single = |(number, root): (usize, &super::manifest::Root)| {
        !root.file || singles.get(&number) == Some(&1)
    };
    if !manifest.roots.iter().enumerate().all(single) {
        return Err(BackupError::Manifest.into());
    }
    let files: HashSet<&Path> = planned.iter().map(|file| file.target.as_path()).collect();
    let nested = |file: &Planned| file.target.ancestors().skip(1).any(|part| files.contains(part));
    if planned.iter().any(nested) { Err(BackupError::UnsafeName.into()) } else { Ok(planned) }
}

/// Whether a file can take its place: no link on the way, a file or nothing there, folders above.
fn examine_target(file: &Planned) -> Result<(), SaveError> {
    let linked = |error| match error {
        SaveError::Archive(BackupError::SourceLink(shown)) => {
            BackupError::DestinationLink(shown).into()
        }
        other => other,
    };
    refuse_links(&file.target, &file.shown).map_err(linked)?;
    match fs::symlink_metadata(&file.target) {
        Ok(stat) if stat.is_file() => Ok(()),
        Ok(_) => Err(SaveError::InTheWay(file.shown.clone())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            let mut above = file.target.ancestors().skip(1);
            let stands = above.find_map(|part| fs::symlink_metadata(part).ok());
            match stands {
                Some(stat) if !stat.is_dir() => Err(SaveError::InTheWay(file.shown.clone())),
                _ => Ok(()),
            }
        }
        Err(error) => Err(DiskError::at("examine", &file.target)(error).into()),
    }
}

impl Saves {
    /// Restores the saves of a game from one of its archives and returns the name of the archive.
    ///
    /// # Errors
    /// A rule that is broken, with nothing written; or a disk that refuses. Then every file is its
    /// old or its new self, and the archive `before-restore` holds all old ones.
    pub fn restore(
        &self,
        game: &Subject,
        name: &str,
        watch: &dyn Watch,
    ) -> Result<String, SaveError> {
        let _work = self.work();
        let archive = self.locate(game, name)?;
        self.refuse_while_running(game)?;
        let plan = Plan::open_for(&self.context.files, &archive.path, game)?;
        self.put_in_place(game, plan, Old::Archive, watch)?;
        Ok(archive.name)
    }

    /// Removes the files that a restore of this archive was writing when it was killed.
    ///
    /// # Errors
    /// When the archive or a destination does not allow a restore any more, or a disk refuses.
    pub fn clear_unfinished(&self, game: &Subject, name: &str) -> Result<(), SaveError> {
        let _work = self.work();
        let archive = self.locate(game, name)?;
        let plan = Plan::open_for(&self.context.files, &archive.path, game)?;
        plan.examine(self.context.data_dir.root())?;
        self.clear_leftovers(&plan)
    }

    /// The steps of a restore once its archive was opened; the caller holds the lock. Returns the name
    /// of the archive of what was there, unless nothing was.
    ///
    /// # Errors
    /// As [`Saves::restore`].
    pub(super) fn put_in_place(
        &self,
        game: &Subject,
        mut plan: Plan,
        old: Old,
        watch: &dyn Watch,
    ) -> Result<Option<String>, SaveError> {
        watch.expect(plan.files.len() as u64 * 2);
        plan.examine(self.context.data_dir.root())?;
        plan.prove(watch)?;
        self.check_room(&plan)?;
        let copy = match old {
            Old::Archive => self.archive_replaced(game, watch)?,
            Old::IsArchived => None,
        };
        // The archive of what is there took its time; the game may have been started meanwhile.
        self.refuse_while_running(game)?;
        watch.promote()?;
        self.clear_leftovers(&plan)?;
        // The archive of what is there may have taken the room.
        self.check_room(&plan)?;
        for root in plan.manifest.roots.iter().filter(|root| !root.file) {
            self.make_folder(Path::new(&root.path), &root.path)?;
        }
        let total = plan.files.len();
        for (number, file) in std::mem::take(&mut plan.files).iter().enumerate() {
            self.write_file(&mut plan.zip, file)?;
            watch.done((total + number + 1) as u64);
        }
        Ok(copy)
    }

    /// Archives the saves that are about to be replaced, and the kept state where that is replaced too.
    /// The name of the archive; `None` without saves.
    fn archive_replaced(
        &self,
        game: &Subject,
        watch: &dyn Watch,
    ) -> Result<Option<String>, SaveError> {
        if let Some(folder) = &game.resume {
            keep::archive_kept(&self.context.files, folder)?;
        }
        match self.archive(&game.saves_alone(), Label::BeforeRestore, &Quiet(watch)) {
            Ok((name, _)) => Ok(Some(name)),
            Err(SaveError::NoPaths) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub(super) fn refuse_while_running(&self, game: &Subject) -> Result<(), SaveError> {
        if (self.context.runs)(&game.id) { Err(SaveError::Running) } else { Ok(()) }
    }

    /// Checks that the files of a plan have room, so that no disk is full half-way.
    fn check_room(&self, plan: &Plan) -> Result<(), SaveError> {
        let members = plan.zip.members();
        let files = plan.files.iter();
        let sized = files.map(|file| (file.target.as_path(), members[file.at].size));
        Ok(room::check(sized, self.context.room)?)
    }

    fn make_folder(&self, path: &Path, shown: &str) -> Result<(), SaveError> {
        self.context.files.private_dir(path)?;
        // Checked again: a link may have appeared since the folders were checked.
        refuse_links(path, shown)
    }

    fn write_file(&self, zip: &mut Zipped, file: &Planned) -> Result<(), SaveError> {
        let folder = file.target.parent().unwrap_or(Path::new("/"));
        self.make_folder(folder, &file.shown)?;
        examine_target(file)?;
        let mut slip = Slip::default();
        let written = self
            .context
            .files
            .replace_with(&file.target, |sink| slip.pass(zip.copy(file.at, sink, &|| Ok(()))));
        Ok(slip.settle(written)?)
    }

    /// Removes what an earlier restore that was cut off left next to the files of this one.
    fn clear_leftovers(&self, plan: &Plan) -> Result<(), SaveError> {
        let mut folders: BTreeMap<&Path, HashSet<&[u8]>> = BTreeMap::new();
        for file in &plan.files {
            if let (Some(folder), Some(name)) = (file.target.parent(), file.target.file_name()) {
                folders.entry(folder).or_default().insert(name.as_bytes());
            }
        }
        for (folder, names) in folders {
            for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
                let name = entry.file_name();
                let of = temp::destination_of(name.as_bytes());
                let is_file = entry.file_type().is_ok_and(|kind| kind.is_file());
                if is_file && of.is_some_and(|of| names.contains(of)) {
                    self.context.files.remove(&entry.path())?;
                }
            }
        }
        Ok(())
    }
}
