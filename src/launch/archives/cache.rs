//! The folder of extracted archives.

use std::{
    collections::HashSet,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::Mutex,
};

use sha2::{Digest as _, Sha256};

use super::{
    error::ArchiveError,
    members::{self, Member},
    receipt::Receipt,
    tool::Tool,
    zipped::Zip,
};
use crate::{
    base::{Hold as _, Moment, ids},
    files::{DiskError, Files},
};

/// Extensions of files that are taken for archives.
const ENDINGS: [&str; 9] = ["zip", "7z", "rar", "tar", "gz", "tgz", "bz2", "xz", "zst"];
/// Bytes that are kept extracted; the least recently used goes first.
const KEPT_BYTES: u64 = 16 << 30;
/// A receipt is written again at most once a day: it is a write to flash.
const USED_STEP: i64 = 86_400;
/// Room that is left on the disk.
const SPARE_BYTES: u64 = 64 << 20;

/// An archive that stands extracted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The file to launch.
    pub path: PathBuf,
    /// The name of its folder in the cache.
    pub key: String,
}

/// The extracted archives of this data directory.
pub struct ArchiveCache {
    files: Files,
    folder: PathBuf,
    kept_bytes: u64,
    /// One extraction at a time: two launches from one archive share its folder.
    turn: Mutex<()>,
}

/// What identifies one state of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Identity {
    path: PathBuf,
    size: u64,
    changed: i128,
}

impl ArchiveCache {
    /// The cache in this folder, which need not exist yet.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        Self { files, folder, kept_bytes: KEPT_BYTES, turn: Mutex::default() }
    }

    /// Whether a file is taken for an archive, by its name.
    pub fn takes(path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
        ENDINGS.iter().any(|each| each.eq_ignore_ascii_case(ending))
    }

    /// Where an archive with this key stands extracted.
    pub fn folder_of(&self, key: &str) -> PathBuf {
        self.folder.join(key)
    }

    /// Extracts an archive unless that is done, and finds the file to launch in it: `member`, or
    /// the largest one when that is blank. Others are removed when there are too many, except those
    /// that are in use. Takes as long as extracting takes.
    ///
    /// # Errors
    /// [`ArchiveError`]; nothing is left of the attempt.
    pub fn extract(
        &self,
        archive: &Path,
        member: &str,
        in_use: impl Fn() -> HashSet<String>,
    ) -> Result<Extracted, ArchiveError> {
        let _turn = self.turn.hold();
        let identity = identify(archive)?;
        let key = identity.key();
        let folder = self.folder_of(&key);
        let now = Moment::now().unix_seconds();
        if let Some(mut receipt) = Receipt::of(&folder) {
            let found = pick(&receipt, member)?;
            let path = folder.join(found);
            if path.is_file() {
                if now - receipt.used > USED_STEP {
                    receipt.used = now;
                    receipt.write(&self.files, &folder)?;
                }
                return Ok(Extracted { path, key });
            }
        }
        let receipt = self.fill(&identity, &folder, member, now)?;
        let path = folder.join(pick(&receipt, member)?);
        let mut kept = in_use();
        kept.insert(key.clone());
        self.trim(&kept);
        Ok(Extracted { path, key })
    }

    /// Removes what a crash left half extracted. Only while no launch is under way.
    pub fn clear_leftovers(&self) {
        let _turn = self.turn.hold();
        let names = self.files.list(&self.folder).unwrap_or_default();
        for name in names.iter().filter(|name| name.starts_with('.')) {
            if let Err(error) = self.files.remove_tree(&self.folder.join(name)) {
                log::warn!("a half extracted archive stays: {error}");
            }
        }
    }

    /// Extracts under a hidden name; the folder takes its own name when it is whole.
    fn fill(
        &self,
        identity: &Identity,
        folder: &Path,
        member: &str,
        now: i64,
    ) -> Result<Receipt, ArchiveError> {
        self.files.private_dir(&self.folder)?;
        let staged = Staged {
            files: &self.files,
            path: self.folder.join(format!(".{}", ids::random_hex(8))),
        };
        self.files.private_dir(&staged.path)?;
        let members = self.unpack(&identity.path, &staged.path, member)?;
        if identify(&identity.path)? != *identity {
            return Err(ArchiveError::Changed);
        }
        let stamp = newest(&self.files, &staged.path)?;
        let receipt = Receipt::new(&identity.path, &members, stamp, now);
        receipt.write(&self.files, &staged.path)?;
        if folder.is_dir() {
            // Something of it was removed. What else is there, perhaps a saved game, stays.
            self.put_back(&receipt, &staged.path, folder)?;
        } else {
            self.files.rename(&staged.path, folder)?;
        }
        Ok(receipt)
    }

    fn unpack(
        &self,
        archive: &Path,
        into: &Path,
        member: &str,
    ) -> Result<Vec<Member>, ArchiveError> {
        let is_zip = archive.extension().is_some_and(|end| end.eq_ignore_ascii_case("zip"));
        let zip = if is_zip { Zip::open(&self.files, archive)? } else { None };
        if let Some(mut zip) = zip {
            let members = zip.members().to_vec();
            self.prepare(&members, member)?;
            zip.extract(&self.files, into)?;
            return Ok(members);
        }
        let tool = Tool::find()?;
        self.prepare(&tool.list(archive)?, member)?;
        tool.extract(archive, None, into)
    }

    /// Checks whether there is something to launch and room for it, before anything is written.
    fn prepare(&self, members: &[Member], member: &str) -> Result<(), ArchiveError> {
        let needed = members::check(members)?;
        members::target(members.iter().map(|each| (each.name.as_str(), each.size)), member)?;
        let Ok(disk) = rustix::fs::statvfs(&self.folder) else { return Ok(()) };
        let free = disk.f_bavail.saturating_mul(disk.f_frsize);
        if needed.saturating_add(SPARE_BYTES) > free {
            return Err(ArchiveError::NoRoom { needed });
        }
        Ok(())
    }

    fn put_back(&self, receipt: &Receipt, from: &Path, to: &Path) -> Result<(), ArchiveError> {
        for file in &receipt.files {
            let place = to.join(&file.name);
            if !place.exists() {
                self.files.private_dir(place.parent().unwrap_or(to))?;
                self.files.rename(&from.join(&file.name), &place)?;
            }
        }
        Ok(receipt.write(&self.files, to)?)
    }

    /// Removes the least recently used archives until the rest is within the bound; never one that
    /// is in use, and never a folder in which something else was written.
    fn trim(&self, in_use: &HashSet<String>) {
        let names = self.files.list(&self.folder).unwrap_or_default();
        let mut all: Vec<(String, Receipt)> = names
            .into_iter()
            .filter_map(|name| Receipt::of(&self.folder.join(&name)).map(|receipt| (name, receipt)))
            .collect();
        all.sort_by_key(|(_, receipt)| receipt.used);
        let mut total: u64 = all.iter().map(|(_, receipt)| receipt.bytes()).sum();
        for (name, receipt) in all {
            if total <= self.kept_bytes {
                return;
            }
            let folder = self.folder.join(&name);
            if in_use.contains(&name) || !receipt.is_all_there_is(&folder) {
                continue;
            }
            match self.files.remove_tree(&folder) {
                Ok(()) => total -= receipt.bytes(),
                Err(error) => log::warn!("an extracted archive stays: {error}"),
            }
        }
    }
}

impl Identity {
    fn key(&self) -> String {
        let spelled = format!("{}:{}:{}", self.path.display(), self.size, self.changed);
        ids::hex(&Sha256::digest(spelled.as_bytes())[..10])
    }
}

/// A folder that is being filled. Dropping it removes what is still there under its name.
struct Staged<'a> {
    files: &'a Files,
    path: PathBuf,
}

impl Drop for Staged<'_> {
    fn drop(&mut self) {
        if let Err(error) = self.files.remove_tree(&self.path) {
            log::warn!("a half extracted archive stays until the next start: {error}");
        }
    }
}

fn pick<'a>(receipt: &'a Receipt, member: &str) -> Result<&'a str, ArchiveError> {
    members::target(receipt.files.iter().map(|file| (file.name.as_str(), file.size)), member)
}

fn identify(archive: &Path) -> Result<Identity, ArchiveError> {
    let unreadable = DiskError::at("examine", archive);
    let found = archive.canonicalize().and_then(|path| Ok((fs::metadata(&path)?, path)));
    let (stat, path) = found.map_err(unreadable)?;
    if !stat.is_file() {
        return Err(ArchiveError::Unreadable);
    }
    let changed = i128::from(stat.mtime()) * 1_000_000_000 + i128::from(stat.mtime_nsec());
    Ok(Identity { path, size: stat.len(), changed })
}

/// The time of the file system now, in milliseconds: that of the newest file it has made.
fn newest(files: &Files, folder: &Path) -> Result<i64, DiskError> {
    let stat = files.stat(folder)?;
    let of_folder = stat.map_or(0, |stat| stat.mtime() * 1_000 + stat.mtime_nsec() / 1_000_000);
    Ok(of_folder.max(Moment::now().unix_millis()))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{io::Write as _, os::unix::fs::PermissionsExt as _, sync::Arc};

    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;
    use crate::files::{
        disk::Disk,
        failing::{FailingDisk, Fault},
    };

    struct Fixture {
        folder: tempfile::TempDir,
        cache: ArchiveCache,
    }

    impl Fixture {
        fn new() -> Self {
            Self::over(Files::system())
        }

        fn over(files: Files) -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let cache = ArchiveCache::new(files, folder.path().join("cache/archives"));
            Self { folder, cache }
        }

        fn zip(&self, name: &str, members: &[(&str, &[u8], u32)]) -> PathBuf {
            let path = self.folder.path().join(name);
            let mut zip = ZipWriter::new(fs::File::create(&path).expect("made"));
            for (name, bytes, mode) in members {
                let options = SimpleFileOptions::default().unix_permissions(*mode);
                zip.start_file(*name, options).expect("started");
                zip.write_all(bytes).expect("written");
            }
            zip.finish().expect("finished");
            path
        }

        fn extract(&self, archive: &Path, member: &str) -> Result<Extracted, ArchiveError> {
            self.cache.extract(archive, member, HashSet::new)
        }

        fn names(&self) -> Vec<String> {
            Files::system().list(&self.folder.path().join("cache/archives")).expect("listed")
        }
    }

    const GAME: &[(&str, &[u8], u32)] =
        &[("a/game.bin", b"content", 0o755), ("a/read.txt", b"long long text", 0o644)];

    #[test]
    fn an_archive_is_extracted_once() {
        let fixture = Fixture::new();
        let archive = fixture.zip("game.ZIP", GAME);
        let first = fixture.extract(&archive, "").expect("extracts");
        assert_eq!(fs::read(&first.path).expect("read"), b"content");
        assert!(first.path.ends_with("a/game.bin") && first.key.len() == 20);
        let mode = fs::metadata(&first.path).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700, "what could be executed still can");
        fs::write(&first.path, b"mine now").expect("written");
        assert_eq!(fixture.extract(&archive, "").expect("is there"), first);
        assert_eq!(fs::read(&first.path).expect("read"), b"mine now");
        let text = fixture.extract(&archive, "a/read.txt").expect("is there");
        assert_eq!(fs::read(text.path).expect("read"), b"long long text");
        assert_eq!(fixture.names(), [first.key]);
    }

    #[test]
    fn a_missing_file_comes_back_and_a_saved_game_stays() {
        let fixture = Fixture::new();
        let archive = fixture.zip("game.zip", GAME);
        let first = fixture.extract(&archive, "").expect("extracts");
        let save = first.path.with_file_name("game.srm");
        fs::write(&save, b"saved").expect("written");
        fs::remove_file(&first.path).expect("removed");
        assert_eq!(fixture.extract(&archive, "").expect("extracts"), first);
        assert_eq!(fs::read(&first.path).expect("read"), b"content");
        assert_eq!(fs::read(&save).expect("read"), b"saved");
        assert_eq!(fixture.names(), [first.key]);
    }

    #[test]
    fn hostile_and_damaged_archives_leave_nothing() {
        let fixture = Fixture::new();
        let refused = |archive: &Path, member: &str, message: &str| {
            let error = fixture.extract(archive, member).expect_err("refused");
            assert_eq!(error.to_string(), message, "{error:?}");
            assert!(fixture.names().is_empty());
        };
        let fine = fixture.zip("fine.zip", GAME);
        refused(&fine, "../x", "Archive member not found: ../x");
        let climbing = fixture.zip("climb.zip", &[("../x", b"x", 0o644)]);
        refused(&climbing, "", "The archive contains an unsafe path.");
        let link = fixture.zip("link.zip", &[("x", b"/etc/passwd", 0o644)]);
        let mut bytes = fs::read(&link).expect("read");
        let at = bytes.windows(4).rposition(|four| four == b"PK\x01\x02").expect("a directory");
        bytes[at + 38..at + 42].copy_from_slice(&(0o120_777_u32 << 16).to_le_bytes());
        fs::write(&link, bytes).expect("written");
        refused(&link, "", "The archive contains links or special files.");
        let texts = fixture.zip("texts.zip", &[("a.txt", b"x", 0o644)]);
        refused(&texts, "", "No launchable file was found in the archive.");
        let junk = fixture.folder.path().join("junk.zip");
        fs::write(&junk, b"PK junk").expect("written");
        refused(&junk, "", "The archive could not be read.");
        let mut torn = fs::read(&fine).expect("read");
        let at = torn.windows(7).position(|seven| seven == b"game.bi").expect("its name");
        torn[at + 9] ^= 0xff;
        let damaged = fixture.folder.path().join("damaged.zip");
        fs::write(&damaged, torn).expect("written");
        refused(&damaged, "", "The archive could not be read.");
    }

    #[test]
    fn the_least_recently_used_goes_and_a_saved_game_never() {
        let mut fixture = Fixture::new();
        fixture.cache.kept_bytes = 20;
        let archives: Vec<_> = ["one.zip", "two.zip", "three.zip"]
            .map(|name| fixture.zip(name, &[("game.bin", b"ten bytes!", 0o644)]))
            .into();
        let mut keys = Vec::new();
        for (age, archive) in archives.iter().enumerate() {
            let extracted = fixture.extract(archive, "").expect("extracts");
            let folder = fixture.cache.folder_of(&extracted.key);
            let used = 1_000 + i64::try_from(age).expect("small");
            let receipt = Receipt { used, ..Receipt::of(&folder).expect("a receipt") };
            receipt.write(&Files::system(), &folder).expect("written");
            keys.push(extracted.key);
        }
        assert!(!fixture.cache.folder_of(&keys[0]).exists(), "the oldest is gone");
        let save = fixture.cache.folder_of(&keys[1]).join("game.srm");
        fs::write(&save, b"saved").expect("written");
        fixture.extract(&archives[0], "").expect("extracts");
        assert!(save.exists() && !fixture.cache.folder_of(&keys[2]).exists());
    }

    #[test]
    fn leftovers_of_a_crash_go_at_the_start() {
        let fixture = Fixture::new();
        let archive = fixture.zip("game.zip", GAME);
        let kept = fixture.extract(&archive, "").expect("extracts");
        fs::create_dir_all(fixture.folder.path().join("cache/archives/.half/a")).expect("made");
        fixture.cache.clear_leftovers();
        assert_eq!(fixture.names(), [kept.key]);
    }

    #[test]
    fn every_failing_call_leaves_all_or_nothing() {
        let mut points = 0;
        for fault in [Fault::Once, Fault::Torn] {
            for call in 1.. {
                let disk = Arc::new(FailingDisk::new(call, fault));
                disk.arm(false);
                let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
                let fixture = Fixture::over(Files::over(door));
                let archive = fixture.zip("game.zip", GAME);
                disk.arm(true);
                let outcome = fixture.extract(&archive, "");
                disk.arm(false);
                fixture.cache.clear_leftovers();
                let found = fixture.extract(&archive, "").expect("extracts afterwards");
                assert_eq!(fs::read(&found.path).expect("read"), b"content", "call {call}");
                assert_eq!(fixture.names(), [found.key]);
                if !disk.has_failed() {
                    assert!(outcome.is_ok());
                    break;
                }
                points += 1;
            }
        }
        assert!(points > 20, "{points} points");
    }
}
