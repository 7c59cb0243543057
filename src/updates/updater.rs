//! Looking for a newer version, installing it, and returning to the one before.

use std::{
    io,
    os::unix::{ffi::OsStrExt as _, fs::PermissionsExt as _},
    path::{Path, PathBuf},
    sync::{
        Mutex, MutexGuard, TryLockError,
        atomic::{AtomicBool, Ordering},
    },
};

use serde_json::Map;
use sha2::{Digest as _, Sha256};

use super::{
    error::UpdateError,
    mark::MarkFinder,
    publisher::{self, Publisher},
    release::{self, UpdateStatus, Wanted},
    version::numbers,
};
use crate::{
    base::{Moment, ids, named::named, schema::schema},
    config::{environment::Environment, release::Releases, settings::read},
    desktop::APPLICATION,
    files::{
        Files,
        temp::{destination_of, is_of_another_process},
    },
    formats::signature::SignatureError,
    model::Cause,
    net::fetch::FetchError,
    notices::{
        list,
        notice::{Level, Notice},
    },
    store::{Committed, Store},
};

/// Bytes of the largest program.
const BYTES: u64 = 2 << 30;
/// Permissions of a program, besides those it had.
const MODE: u32 = 0o755;
/// Bytes of a file that are read at once.
const PIECE: u64 = 1 << 20;
/// The version of this program.
const CURRENT: &str = env!("CARGO_PKG_VERSION");
/// The setting that keeps when releases were asked for last.
const LAST_CHECK: &str = "last_update_check";

named! {
    /// What is replaced.
    #[derive(Default)]
    pub enum Target {
        /// The single-file bundle that the program runs from.
        #[default]
        Bundle = "bundle",
        /// The plain executable.
        Executable = "executable",
    }
}

schema! {
    /// `POST /api/update/install`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct UpdateInstalled {
        /// The version that runs after the next start.
        pub installed: String,
        /// Where the program that was replaced is.
        pub backup: String,
    }

    /// `POST /api/v2/update/rollback`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct UpdateReturned {
        /// The file of the program, which is the previous one again.
        pub restored: String,
        /// Where the program that was replaced is.
        pub backup: String,
    }
}

/// Finds new versions and installs them.
pub struct Updater {
    store: Store,
    files: Files,
    environment: Environment,
    releases: Releases,
    publisher: Publisher,
    /// The plain executable, as it was when the program started: its name moves with an update.
    executable: Option<PathBuf>,
    work: Mutex<()>,
    is_stopping: AtomicBool,
}

impl Updater {
    /// The updater of this process. `executable` is the file that it runs.
    pub fn new(
        store: Store,
        files: Files,
        environment: &Environment,
        executable: Option<PathBuf>,
    ) -> Self {
        let releases = Releases::of(environment);
        let publisher = Publisher::new(environment, &releases);
        let environment = environment.clone();
        let (work, is_stopping) = (Mutex::default(), AtomicBool::default());
        Self { store, files, environment, releases, publisher, executable, work, is_stopping }
    }

    /// Ends a download, so that the program can stop.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    /// What the newest release is and offers (`GET /api/update`). A good answer is noted.
    ///
    /// # Errors
    /// [`UpdateError`]. Without an address no server is asked, which is not an error.
    pub fn check(&self) -> Result<UpdateStatus, UpdateError> {
        if self.releases.api.is_none() {
            let state = self.store.snapshot().ok();
            let last = state.map(|state| read::text(state.settings(), LAST_CHECK));
            let last_checked = last.unwrap_or_default();
            return Ok(UpdateStatus {
                current: CURRENT,
                last_checked,
                configured: self.releases.address.is_some(),
                ..UpdateStatus::default()
            });
        }
        self.look(Target::Bundle)
    }

    fn look(&self, target: Target) -> Result<UpdateStatus, UpdateError> {
        let asset = self.asset(target);
        let kind = match target {
            Target::Bundle => "AppImage",
            Target::Executable => "executable",
        };
        let release = self.publisher.latest()?;
        let wanted = Wanted { asset: &asset, kind };
        let mut status = release.offer(CURRENT, wanted, &self.releases)?;
        status.last_checked = Moment::now().utc_iso();
        let set = Map::from_iter([(LAST_CHECK.to_owned(), status.last_checked.clone().into())]);
        let saved = self.store.change(|draft| draft.merge_section("settings", set, &[]));
        noted(saved);
        Ok(status)
    }

    /// The name of the file for this machine.
    fn asset(&self, target: Target) -> String {
        let named = self.environment.text("SERVICE_ARCH");
        let named = named.filter(|name| ["x86_64", "aarch64"].contains(name));
        let architecture = named.unwrap_or(std::env::consts::ARCH);
        match target {
            Target::Bundle => format!("Service-{architecture}.AppImage"),
            Target::Executable => format!("Service-{architecture}"),
        }
    }

    /// Verifies the newest release and puts it in the place of the program (`POST /api/update/install`).
    ///
    /// # Errors
    /// [`UpdateError`]; the program is as it was then.
    pub fn install(&self, target: Target) -> Result<UpdateInstalled, UpdateError> {
        let program = self.program(target)?;
        let _work = self.begin()?;
        if self.releases.api.is_none() {
            return Err(UpdateError::NoAddress);
        }
        let status = self.look(target)?;
        if !status.available {
            return Err(UpdateError::UpToDate);
        }
        let key = self.releases.key.as_ref().map_err(|error| UpdateError::Key(*error))?;
        let digest = checksum(&status)?;
        let signature = publisher::small(&status.sig_url).map_err(|error| match error {
            FetchError::NotAllowed => UpdateError::SignatureAddress,
            _ => UpdateError::Forged,
        })?;
        let verified = key.verify_digest(&signature, &self.asset(target), &digest);
        if let Err(error) = verified {
            log::warn!("the release {} is not signed: {error}", status.latest);
            self.warn(&status.latest);
            return Err(match error {
                SignatureError::Digest => UpdateError::OtherDigest,
                _ => UpdateError::Forged,
            });
        }
        self.clear(&program)?;
        if digest_of(&self.files, &program)? == digest {
            return Err(UpdateError::Same);
        }
        let goes_on = || !self.is_stopping.load(Ordering::Relaxed);
        let mut fetch = |take: Take<'_>| {
            let mut finder = MarkFinder::new();
            publisher::download(&status.bundle, BYTES, &goes_on, &mut |piece| {
                finder.take(piece);
                take(piece)
            })?;
            refuse_older(finder.found())
        };
        let backup = put(&self.files, &program, Some(&digest), &mut fetch)?;
        self.store.report(Cause::UpdateInstalled(status.latest.clone()));
        let body =
            format!("Version {} was installed. It runs after the next start.", status.latest);
        self.tell(Level::Success, "update", "An update was installed", &body);
        log::info!("{body}");
        let backup = backup.to_string_lossy().into_owned();
        Ok(UpdateInstalled { installed: status.latest, backup })
    }

    /// Puts the previous program back in its place; the two files swap their names (`POST
    /// /api/v2/update/rollback`).
    ///
    /// # Errors
    /// [`UpdateError`]; the program is as it was then.
    pub fn roll_back(&self, target: Target) -> Result<UpdateReturned, UpdateError> {
        let program = self.program(target)?;
        let _work = self.begin()?;
        let previous = backup_of(&program);
        let is_there = self.files.stat(&previous)?.is_some_and(|stat| stat.is_file());
        if !is_there {
            return Err(UpdateError::NoPrevious);
        }
        self.clear(&program)?;
        exchange(&self.files, &program, &previous)?;
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Ok(UpdateReturned { restored: text(&program), backup: text(&previous) })
    }

    /// Removes what an earlier process left next to the programs when it was killed in an installation.
    pub fn sweep(&self) {
        for target in Target::ALL {
            let Ok(program) = self.program(target) else { continue };
            if let Err(error) = self.clear(&program) {
                log::info!("leftovers of an update were not removed: {error}");
            }
        }
    }

    fn clear(&self, program: &Path) -> Result<(), UpdateError> {
        clear(&self.files, program)
    }

    /// The file that is replaced, without links.
    fn program(&self, target: Target) -> Result<PathBuf, UpdateError> {
        let path = match target {
            Target::Bundle => self.environment.bundle().ok_or(UpdateError::NoBundle)?,
            Target::Executable => self.executable().ok_or(UpdateError::NoProgram)?,
        };
        let real = path.canonicalize().map_err(|_| UpdateError::NoProgram)?;
        if real.is_file() { Ok(real) } else { Err(UpdateError::NoProgram) }
    }

    /// The plain executable: the one of the folder that `SERVICE_INSTALL_DIR` of the process names, else
    /// the file that runs.
    fn executable(&self) -> Option<PathBuf> {
        let named = self.environment.process_text("SERVICE_INSTALL_DIR");
        let named = named.map(|folder| Path::new(folder).join(APPLICATION));
        named.filter(|path| path.is_file()).or_else(|| self.executable.clone())
    }

    fn begin(&self) -> Result<MutexGuard<'_, ()>, UpdateError> {
        match self.work.try_lock() {
            Ok(work) => Ok(work),
            Err(TryLockError::Poisoned(work)) => Ok(work.into_inner()),
            Err(TryLockError::WouldBlock) => Err(UpdateError::Busy),
        }
    }

    /// Warns the user that an unsigned release was published.
    fn warn(&self, version: &str) {
        let body = format!(
            "The release {version} is not signed with the release key. Nothing was changed."
        );
        self.tell(Level::Error, "security", "An update was refused", &body);
    }

    fn tell(&self, level: Level, kind: &str, title: &str, body: &str) {
        let now = Moment::now();
        let notice = Notice::new(kind, level, title, body, &now).source("updates");
        noted(self.store.change(|draft| list::add(draft, notice, &now)));
    }
}

/// The SHA-256 of the release: from its host, and from its checksum file. Two that differ are an error.
fn checksum(status: &UpdateStatus) -> Result<[u8; 32], UpdateError> {
    let mut text = status.checksum.clone();
    if !status.checksum_url.is_empty() {
        let file = publisher::small(&status.checksum_url).ok();
        let file = file.and_then(|bytes| String::from_utf8(bytes).ok());
        let first = file.as_deref().and_then(|file| file.split_whitespace().next());
        let first = first.and_then(release::checksum);
        match first {
            Some(first) if text.is_empty() || text == first => text = first,
            // The host itself named one.
            None if !text.is_empty() => {}
            Some(_) | None => return Err(UpdateError::Checksum),
        }
    }
    ids::from_hex(&text).ok_or(UpdateError::Checksum)
}

/// Refuses a program that carries the mark of an older version: a signature does not cover the number under which a
/// program is published.
fn refuse_older(version: Option<String>) -> Result<(), UpdateError> {
    let is_older = |version: &String| numbers(version) < numbers(CURRENT);
    version.filter(is_older).map_or(Ok(()), |version| Err(UpdateError::Older(version)))
}

/// What the update does is not undone because the library cannot be written.
fn noted<T>(saved: Committed<T>) {
    if let Err(error) = saved {
        log::warn!("the library does not know of the update: {error}");
    }
}

/// Takes a program piece by piece.
type Take<'a> = &'a mut dyn FnMut(&[u8]) -> Result<(), UpdateError>;

/// Writes a program next to the present one, checks it, keeps the present one under the name of the backup and
/// takes its place; returns the backup. At no moment is there no program under its name.
fn put(
    files: &Files,
    program: &Path,
    digest: Option<&[u8; 32]>,
    content: &mut dyn FnMut(Take<'_>) -> Result<(), UpdateError>,
) -> Result<PathBuf, UpdateError> {
    let mode = files.stat(program)?.ok_or(UpdateError::NoProgram)?.permissions().mode() & 0o777;
    let mut hasher = Sha256::new();
    let mut refused = None;
    let written = files.write_beside(program, |sink| {
        let mut disk = None;
        let outcome = content(&mut |piece| {
            hasher.update(piece);
            sink.write_all(piece).map_err(|error| {
                disk = Some(error);
                UpdateError::Stopped
            })
        });
        match (disk, outcome) {
            (Some(error), _) => Err(error),
            (None, Err(error)) => {
                refused = Some(error);
                Err(io::ErrorKind::Interrupted.into())
            }
            (None, Ok(())) => Ok(()),
        }
    });
    let mut new = written.map_err(|error| refused.take().unwrap_or(UpdateError::Disk(error)))?;
    if digest.is_some_and(|digest| hasher.finalize()[..] != digest[..]) {
        return Err(UpdateError::OtherBytes);
    }
    files.set_mode(new.path(), mode | MODE)?;
    let backup = backup_of(program);
    files.keep_as(program, &backup)?;
    new.persist(program)?;
    if let Some(folder) = program.parent() {
        files.sync_dir(folder)?;
    }
    Ok(backup)
}

/// Swaps the names of a program and its predecessor. A file keeps its permissions, and each of the two
/// has a name at every moment.
fn exchange(files: &Files, program: &Path, previous: &Path) -> Result<(), UpdateError> {
    let mode = |path: &Path| -> Result<u32, UpdateError> {
        let stat = files.stat(path)?.ok_or(UpdateError::NoProgram)?;
        Ok(stat.permissions().mode() & 0o777)
    };
    let (present, former) = (mode(program)?, mode(previous)? | MODE);
    files.set_mode(previous, former)?;
    match files.exchange(program, previous) {
        Err(error) if error.is_unsupported() => {}
        exchanged => return Ok(exchanged?),
    }
    // Both copies are whole before either of them takes a name. The program comes first, so what a kill
    // leaves in a temporary file is the newer one, which can be installed again.
    let mut new = files.copy_beside(previous, program)?;
    files.set_mode(new.path(), former)?;
    let mut kept = files.copy_beside(program, previous)?;
    files.set_mode(kept.path(), present)?;
    new.persist(program)?;
    kept.persist(previous)?;
    Ok(files.sync_dir(program.parent().unwrap_or(Path::new("/")))?)
}

/// Removes what an earlier process left next to a program and next to its predecessor. One for the name of
/// the latter stays while the two are the same: it may be the only copy of another.
fn clear(files: &Files, program: &Path) -> Result<(), UpdateError> {
    let backup = backup_of(program);
    let (Some(folder), Some(name), Some(backup_name)) =
        (program.parent(), program.file_name(), backup.file_name())
    else {
        return Ok(());
    };
    let mut may_be_only_copy = None;
    for found in files.list(folder)? {
        let of = destination_of(found.as_bytes());
        if of.is_none() || !is_of_another_process(found.as_bytes()) {
            continue;
        }
        if of == Some(backup_name.as_bytes()) {
            let is_kept = match may_be_only_copy {
                Some(known) => known,
                None => *may_be_only_copy.insert(
                    files.stat(&backup)?.is_none()
                        || digest_of(files, program)? == digest_of(files, &backup)?,
                ),
            };
            if is_kept {
                continue;
            }
        } else if of != Some(name.as_bytes()) {
            continue;
        }
        files.remove(&folder.join(&found))?;
    }
    Ok(())
}

fn digest_of(files: &Files, path: &Path) -> Result<[u8; 32], UpdateError> {
    let mut hasher = Sha256::new();
    each_piece(files, path, &mut |piece| {
        hasher.update(piece);
        Ok(())
    })?;
    Ok(hasher.finalize().into())
}

/// Where the program before an update is: `App.previous.AppImage` next to `App.AppImage`.
fn backup_of(program: &Path) -> PathBuf {
    let stem = program.file_stem().unwrap_or_default().to_string_lossy();
    let ending = program.extension().map(|ending| format!(".{}", ending.to_string_lossy()));
    program.with_file_name(format!("{stem}.previous{}", ending.unwrap_or_default()))
}

fn each_piece(files: &Files, path: &Path, take: Take<'_>) -> Result<(), UpdateError> {
    let length = files.stat(path)?.ok_or(UpdateError::NoProgram)?.len();
    let mut at = 0;
    while at < length {
        let next = length.min(at + PIECE);
        take(&files.read_range(path, at, next)?)?;
        at = next;
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{fs, sync::Arc};

    use super::*;
    use crate::files::failing::{FailingDisk, Fault};

    fn swap(files: &Files, program: &Path, content: &[u8]) -> Result<PathBuf, UpdateError> {
        put(files, program, Some(&Sha256::digest(content).into()), &mut |take| {
            content.chunks(3).try_for_each(take)
        })
    }

    #[test]
    fn the_backup_keeps_the_ending() {
        for (program, backup) in [
            ("/a/Service-x86_64.AppImage", "/a/Service-x86_64.previous.AppImage"),
            ("/a/service-launcher", "/a/service-launcher.previous"),
        ] {
            assert_eq!(backup_of(Path::new(program)), Path::new(backup));
        }
    }

    #[test]
    fn programs_take_turns_and_stay_executable() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("App.AppImage");
        let files = Files::system();
        fs::write(&program, "one").expect("written");
        let backup = swap(&files, &program, b"two").expect("swapped");
        let read = |path: &Path| fs::read_to_string(path).expect("there");
        assert_eq!((read(&program), read(&backup)), ("two".into(), "one".into()));
        let mode = fs::metadata(&program).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o755);
        swap(&files, &program, b"three").expect("swapped");
        assert_eq!((read(&program), read(&backup)), ("three".into(), "two".into()));
        let wrong = put(&files, &program, Some(&[0; 32]), &mut |take| take(b"four"));
        assert!(matches!(wrong, Err(UpdateError::OtherBytes)));
        let refused = put(&files, &program, None, &mut |_| Err(UpdateError::TooLarge(1)));
        assert!(matches!(refused, Err(UpdateError::TooLarge(1))));
        assert_eq!((read(&program), read(&backup)), ("three".into(), "two".into()));
        assert_eq!(files.list(folder.path()).expect("listed").len(), 2, "no leftovers");
    }

    #[test]
    fn every_failing_call_of_a_return_leaves_both_programs() {
        for is_forbidden in [false, true] {
            for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
                for call in 1.. {
                    let folder = tempfile::tempdir().expect("a folder");
                    let program = folder.path().join("App.AppImage");
                    let previous = backup_of(&program);
                    fs::write(&program, "new").expect("written");
                    fs::write(&previous, "old").expect("written");
                    fs::set_permissions(&program, fs::Permissions::from_mode(0o750)).expect("set");
                    let disk = Arc::new(FailingDisk::new(call, fault));
                    if is_forbidden {
                        disk.forbid_exchange();
                    }
                    let files = Files::over(Arc::<FailingDisk>::clone(&disk));
                    let outcome = exchange(&files, &program, &previous);
                    let read = |path: &Path| fs::read_to_string(path).expect("never missing");
                    let both = (read(&program), read(&previous));
                    let both = (both.0.as_str(), both.1.as_str());
                    assert!(both.0 == "old" || both.1 == "old", "call {call}: {both:?}");
                    if outcome.is_ok() {
                        assert_eq!(both, ("old", "new"));
                        let mode = fs::metadata(&previous).expect("there").permissions().mode();
                        assert_eq!(mode & 0o777, 0o750);
                    }
                    if !disk.has_failed() {
                        assert!(outcome.is_ok());
                        break;
                    }
                }
            }
        }
    }

    #[test]
    fn leftovers_go_unless_one_may_be_the_only_copy() {
        let folder = tempfile::tempdir().expect("a folder");
        let files = Files::system();
        let program = folder.path().join("App.AppImage");
        let at = |name: &str| folder.path().join(name);
        let (of_program, of_previous) =
            (at(".App.AppImage.0123456789ab.tmp"), at(".App.previous.AppImage.0123456789ab.tmp"));
        for (previous, stays) in [("one", true), ("two", false)] {
            fs::write(&program, "one").expect("written");
            fs::write(backup_of(&program), previous).expect("written");
            fs::write(&of_program, "half").expect("written");
            fs::write(&of_previous, "three").expect("written");
            fs::write(at(".other.0123456789ab.tmp"), "x").expect("written");
            clear(&files, &program).expect("cleared");
            assert_eq!((of_program.exists(), of_previous.exists()), (false, stays), "{previous}");
            assert!(at(".other.0123456789ab.tmp").exists());
        }
    }

    #[test]
    fn every_failing_call_leaves_the_old_or_the_new_program() {
        for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
            for call in 1.. {
                let folder = tempfile::tempdir().expect("a folder");
                let program = folder.path().join("App.AppImage");
                fs::write(&program, "old program").expect("written");
                let disk = Arc::new(FailingDisk::new(call, fault));
                let outcome =
                    swap(&Files::over(Arc::<FailingDisk>::clone(&disk)), &program, b"new program");
                let present = fs::read(&program).expect("never missing");
                assert!(present == b"old program" || present == b"new program", "call {call}");
                if outcome.is_ok() {
                    assert_eq!(present, b"new program");
                    let kept = fs::read(backup_of(&program)).expect("the backup");
                    assert_eq!(kept, b"old program");
                }
                if !disk.has_failed() {
                    break;
                }
            }
        }
    }
}
