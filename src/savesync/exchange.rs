//! The versions of one game in the mounted folder: `<folder>/service-saves-v1/<game>/<id>.json`, each with
//! its archive `<sha256>.zip`.
//!
//! Devices only add files whose names are the hash of what they hold; the archive comes before the
//! version that names it. What is half written, or does not belong there, is skipped.

use std::{
    collections::BTreeSet,
    io::{self, Read as _, Write},
    path::{Path, PathBuf},
    time::Duration,
};

use super::{decide::heads, error::SyncError, version::Version};
use crate::{
    backup::{
        error::{BackupError, Slip},
        watch::Watch,
        zipped::Zipped,
    },
    base::clock::age_of,
    files::{DiskError, Files, temp},
    mounted::{
        canonical,
        folder::FolderError,
        graph::{self, Nodes},
    },
    saves::content::Hashing,
};

/// The folder below the mounted one.
pub const NAME: &str = "service-saves-v1";
/// Versions of one game that are read.
pub(super) const MOST: usize = 1_000;
/// Versions of one game that are kept.
pub(super) const KEPT: usize = 500;
/// Bytes of the file of one version.
const BYTES: u64 = 64 << 10;
/// The age at which half-written leftovers of a kill are removed.
const LEFTOVER: Duration = Duration::from_hours(24);
/// Bytes of a picture.
const PICTURE: u64 = 32 << 20;
/// Bytes that are read at once.
const PIECE: usize = 256 << 10;

/// The folder of one game.
pub(super) struct Exchange<'a> {
    files: &'a Files,
    folder: PathBuf,
}

impl<'a> Exchange<'a> {
    /// The folder of a game below the mounted one that the settings name; nothing is created.
    ///
    /// # Errors
    /// No folder, one that is not there, or something else in its place.
    pub(super) fn below(files: &'a Files, mounted: &str, game: &str) -> Result<Self, SyncError> {
        let mounted = mounted.trim();
        if mounted.is_empty() {
            return Err(FolderError::NotConfigured.into());
        }
        let mounted = Path::new(mounted);
        if !mounted.is_absolute() || !mounted.is_dir() {
            return Err(FolderError::Missing.into());
        }
        let top = mounted.join(NAME);
        let folder = top.join(game);
        for path in [&top, &folder] {
            if files.stat(path)?.is_some_and(|stat| !stat.is_dir()) {
                return Err(FolderError::Strange.into());
            }
        }
        Ok(Self { files, folder })
    }

    /// Every version that has arrived completely.
    ///
    /// # Errors
    /// A folder that cannot be read, or more than are read.
    pub(super) fn read(&self, watch: &dyn Watch) -> Result<Nodes<Version>, SyncError> {
        let names = self.files.list(&self.folder)?;
        let ids = names.iter().filter_map(|name| name.strip_suffix(".json"));
        let ids: Vec<&str> = ids.filter(|id| canonical::is_id(id)).collect();
        if ids.len() > MOST {
            return Err(FolderError::TooMany.into());
        }
        let mut versions = Nodes::new();
        for id in ids {
            watch.go_on()?;
            let path = self.version(id);
            let Some(stat) = self.files.stat(&path)? else { continue };
            if !stat.is_file() || stat.len() > BYTES {
                continue;
            }
            match Version::read(id, &self.files.read_range(&path, 0, stat.len())?) {
                Some(version) => drop(versions.insert(id.to_owned(), version)),
                None => log::info!("{} has not arrived completely", path.display()),
            }
        }
        Ok(versions)
    }

    /// Whether the archive of a version is there with all its bytes.
    ///
    /// # Errors
    /// A folder that cannot be read.
    pub(super) fn has_archive(&self, version: &Version) -> Result<bool, SyncError> {
        let stat = self.files.stat(&self.archive(&version.archive))?;
        Ok(stat.is_some_and(|stat| stat.is_file() && stat.len() == version.size))
    }

    /// The picture in the archive of a version; `None` without one.
    ///
    /// # Errors
    /// [`SyncError::Arriving`] when the archive is not there, or one that cannot be read.
    pub(super) fn picture(&self, version: &Version) -> Result<Option<Vec<u8>>, SyncError> {
        if version.picture.is_empty() {
            return Ok(None);
        }
        if !self.has_archive(version)? {
            return Err(SyncError::Arriving);
        }
        let mut zip = Zipped::open(self.files, &self.archive(&version.archive))?;
        Ok(zip.read_within(&version.picture, PICTURE)?)
    }

    /// Copies the archive of a version to this disk.
    ///
    /// # Errors
    /// [`SyncError::Arriving`] when it is not there, or not the one that the version names.
    pub(super) fn fetch(
        &self,
        version: &Version,
        to: &Path,
        watch: &dyn Watch,
    ) -> Result<(), SyncError> {
        if !self.has_archive(version)? {
            return Err(SyncError::Arriving);
        }
        let hash = self.copy(&self.archive(&version.archive), to, version.size, watch)?;
        if hash == version.archive { Ok(()) } else { Err(SyncError::Arriving) }
    }

    /// Adds an archive of this disk and returns its hash and size. One that is there is left alone.
    ///
    /// # Errors
    /// A disk that refuses.
    pub(super) fn add_archive(
        &self,
        archive: &Path,
        watch: &dyn Watch,
    ) -> Result<(String, u64), SyncError> {
        let (hash, size) = self.hash(archive, watch)?;
        self.files.private_dir(&self.folder)?;
        let path = self.archive(&hash);
        let stat = self.files.stat(&path)?;
        if stat.is_some_and(|stat| stat.is_file() && stat.len() == size)
            && self.hash(&path, watch)?.0 == hash
        {
            return Ok((hash, size));
        }
        // What an earlier try that was cut off left; no other device writes these bytes.
        self.files.clear_leftovers(&self.folder, &format!("{hash}."))?;
        self.copy(archive, &path, size, watch)?;
        Ok((hash, size))
    }

    /// Adds a version whose archive is there.
    ///
    /// # Errors
    /// A disk that refuses.
    pub(super) fn add(&self, version: &Version) -> Result<(), SyncError> {
        self.clear_leftovers()?;
        // A file of this name that is half written is replaced by the whole one.
        Ok(self.files.replace(&self.version(&version.id), &version.to_bytes())?)
    }

    /// Removes what a kill left half written, here or on another machine. Another machine may be writing now, so
    /// only what is a day old goes.
    fn clear_leftovers(&self) -> Result<(), SyncError> {
        for name in self.files.list(&self.folder)? {
            let path = self.folder.join(&name);
            let is_old = || {
                let stat = self.files.stat(&path).ok().flatten();
                let changed = stat.and_then(|stat| stat.modified().ok());
                changed.is_some_and(|changed| age_of(changed) > LEFTOVER)
            };
            if temp::is_temporary(name.as_bytes()) && is_old() {
                self.files.remove(&path)?;
            }
        }
        Ok(())
    }

    /// Removes archives of versions that others follow until `keep` of them are left, 0 keeps all, and
    /// the oldest of many versions. A version without a successor always stays.
    ///
    /// # Errors
    /// A disk that refuses.
    pub(super) fn trim(&self, versions: &Nodes<Version>, keep: usize) -> Result<(), SyncError> {
        let newest: BTreeSet<&str> = heads(versions).iter().map(|one| one.id.as_str()).collect();
        let followed = graph::in_order(versions);
        let followed = followed.into_iter().rev().filter(|id| !newest.contains(id.as_str()));
        let followed: Vec<&Version> = followed.map(|id| &versions[id]).collect();
        if keep > 0 {
            let kept = followed.iter().take(keep).map(|version| &version.archive);
            let kept: BTreeSet<&String> =
                kept.chain(heads(versions).into_iter().map(|head| &head.archive)).collect();
            for old in followed.iter().skip(keep).filter(|old| !kept.contains(&old.archive)) {
                self.files.remove(&self.archive(&old.archive))?;
            }
        }
        for old in followed.iter().skip(KEPT) {
            self.files.remove(&self.version(&old.id))?;
        }
        Ok(())
    }

    fn version(&self, id: &str) -> PathBuf {
        self.folder.join(format!("{id}.json"))
    }

    fn archive(&self, hash: &str) -> PathBuf {
        self.folder.join(format!("{hash}.zip"))
    }

    fn hash(&self, path: &Path, watch: &dyn Watch) -> Result<(String, u64), SyncError> {
        let mut hashing = Hashing::new(io::sink());
        self.pour(path, &mut hashing, u64::MAX, watch)?;
        let bytes = hashing.bytes;
        Ok((hashing.finish(), bytes))
    }

    /// Copies a file in one step and returns its hash.
    fn copy(
        &self,
        from: &Path,
        to: &Path,
        size: u64,
        watch: &dyn Watch,
    ) -> Result<String, SyncError> {
        let (mut slip, mut hash) = (Slip::default(), String::new());
        let written = self.files.replace_with(to, |sink| {
            let mut hashing = Hashing::new(sink);
            let poured = self.pour(from, &mut hashing, size, watch);
            hash = hashing.finish();
            slip.pass(poured)
        });
        slip.settle(written)?;
        Ok(hash)
    }

    fn pour(
        &self,
        from: &Path,
        sink: &mut dyn Write,
        most: u64,
        watch: &dyn Watch,
    ) -> Result<(), BackupError> {
        let mut source = self.files.open(from)?.take(most);
        let mut buffer = vec![0; PIECE];
        loop {
            watch.go_on()?;
            let read = source.read(&mut buffer).map_err(DiskError::at("read", from))?;
            if read == 0 {
                return Ok(());
            }
            sink.write_all(&buffer[..read]).map_err(BackupError::Sink)?;
        }
    }
}
