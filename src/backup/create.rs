//! An archive made: everything is found first, written beside its name, read again, then named.

use std::{
    io::{self, Read, Write},
    path::{Path, PathBuf},
};

use zip::{
    CompressionMethod, ZipWriter,
    result::ZipError,
    write::{SimpleFileOptions, StreamWriter},
};

use super::{
    archive::{Archive, LIBRARY, MANIFEST, Manifest, SETTINGS},
    error::{BackupError, Slip},
    folder::Backups,
    items::{CreateRequest, Item},
    redact,
    sources::{Found, FoundFile},
};
use crate::{
    base::limits,
    files::{error::DiskError, source::Source, writer::Files},
    model::state::State,
    store::exchange::write_state,
};

/// From this size on a member has the long form of its sizes.
const LARGE: u64 = 3 << 30;
/// Bytes moved at once.
const PIECE: usize = 1 << 17;
/// How hard text is packed.
const TEXT_LEVEL: i64 = 6;
/// How hard media are packed, which are packed already.
const MEDIA_LEVEL: i64 = 1;

/// Whoever watches a backup or a restore and may end it.
pub trait Watch {
    /// Whether it goes on.
    ///
    /// # Errors
    /// [`BackupError::Stopped`].
    fn go_on(&self) -> Result<(), BackupError>;
    /// How many members there are.
    fn expect(&self, members: u64);
    /// How many are done.
    fn done(&self, members: u64);
    /// The last step begins, which swaps finished work into place.
    ///
    /// # Errors
    /// [`BackupError::Stopped`].
    fn promote(&self) -> Result<(), BackupError>;
}

/// A watch that lets everything happen: for the command line.
pub struct Unwatched;

impl Watch for Unwatched {
    fn go_on(&self) -> Result<(), BackupError> {
        Ok(())
    }

    fn expect(&self, members: u64) {
        log::debug!("{members} members");
    }

    fn done(&self, members: u64) {
        log::trace!("{members} members done");
    }

    fn promote(&self) -> Result<(), BackupError> {
        Ok(())
    }
}

/// A finished archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Created {
    /// Where it stands.
    pub path: PathBuf,
    /// Its name.
    pub name: String,
    /// Files that have no place in an archive, by their names.
    pub skipped: Vec<String>,
}

impl Backups {
    /// Whether a backup may be made now.
    ///
    /// # Errors
    /// [`BackupError::Running`].
    pub fn check_create(&self) -> Result<(), BackupError> {
        self.refuse_while_running(false)
    }

    /// Makes an archive, reads it again from its first to its last byte, gives it its name and
    /// removes those that are not to be kept.
    ///
    /// # Errors
    /// Whatever kept it from being made; then no archive has come or gone.
    pub fn create(
        &self,
        request: &CreateRequest,
        watch: &dyn Watch,
    ) -> Result<Created, BackupError> {
        let _work = self.work();
        self.check_create()?;
        let mut found = Found::default();
        for tree in request.items.iter().filter_map(|item| item.tree()) {
            found.add_tree(self.around.data_dir.root(), tree)?;
            watch.go_on()?;
        }
        let singles = 1 + request.items.iter().filter(|item| item.tree().is_none()).count();
        if found.files.len() + singles > limits::BACKUP_MEMBERS {
            return Err(BackupError::TooMany);
        }
        found.files.sort_by(|a, b| a.name.cmp(&b.name));
        // The library file is brought up to date first, so that the archive is not older than it.
        if let Err(error) = self.around.store.fold_now() {
            log::warn!("the library was not written before its backup: {error}");
        }
        let now = (self.around.now)();
        let state = self.around.store.snapshot()?;
        let manifest = Manifest::new(&request.items, &now, found.is_case_sensitive());
        let state = redact::redacted_state(&state, false);
        let files = &self.around.files;
        files.private_dir(&self.folder())?;
        let path = self.free_path()?;
        watch.expect((found.files.len() + singles) as u64);
        let mut slip = Slip::default();
        let mut sizes = Vec::new();
        let temp = files.write_beside(&path, |sink| {
            let written = Writer::new(sink, files, watch).write(&manifest, &state, &found.files);
            slip.pass(written.map(|written| sizes = written))
        });
        let mut temp = slip.settle(temp)?;
        prove(files, temp.path(), &manifest, &sizes, watch)?;
        watch.promote()?;
        temp.persist(&path)?;
        files.sync_dir(&self.folder())?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if request.keep > 0
            && let Err(error) = self.rotate(request.keep, &name)
        {
            log::warn!("an old archive stays: {error}");
        }
        Ok(Created { path, name, skipped: found.skipped })
    }
}

/// Reads a finished archive as a restore would: every member, its length and its checksum.
fn prove(
    files: &Files,
    path: &Path,
    manifest: &Manifest,
    sizes: &[(String, u64)],
    watch: &dyn Watch,
) -> Result<(), BackupError> {
    let mut archive = Archive::open(files, path)?;
    let members = archive.members().iter().map(|member| (member.name.as_str(), member.size));
    let same = members.eq(sizes.iter().map(|(name, size)| (name.as_str(), *size)));
    if !same || archive.manifest != *manifest {
        return Err(BackupError::Invalid);
    }
    for at in 0..archive.members().len() {
        archive.prove(at, &|| watch.go_on())?;
    }
    Ok(())
}

/// The archive while it is being written.
struct Writer<'a> {
    zip: ZipWriter<StreamWriter<&'a mut dyn Write>>,
    files: &'a Files,
    watch: &'a dyn Watch,
    sizes: Vec<(String, u64)>,
    total: u64,
}

impl<'a> Writer<'a> {
    fn new(sink: &'a mut dyn Write, files: &'a Files, watch: &'a dyn Watch) -> Self {
        Self { zip: ZipWriter::new_stream(sink), files, watch, sizes: Vec::new(), total: 0 }
    }

    /// Writes everything and returns names and sizes in their order.
    fn write(
        mut self,
        manifest: &Manifest,
        state: &State,
        found: &[FoundFile],
    ) -> Result<Vec<(String, u64)>, BackupError> {
        let all = |bytes: Vec<u8>| {
            move |sink: &mut dyn Write| sink.write_all(&bytes).map_err(BackupError::Sink)
        };
        self.add(MANIFEST, 0, TEXT_LEVEL, all(manifest.to_bytes()))?;
        if manifest.items.contains(&Item::Settings) {
            // OK because a map with text keys is always written.
            let text = serde_json::to_vec_pretty(state.settings()).unwrap_or_default();
            self.add(SETTINGS, 0, TEXT_LEVEL, all(text))?;
        }
        if manifest.items.contains(&Item::Library) {
            self.add(LIBRARY, LARGE, TEXT_LEVEL, |sink| {
                write_state(state, sink).map_err(BackupError::Sink)
            })?;
        }
        let watch = self.watch;
        for file in found {
            let Some(mut source) = file.open(self.files)? else { continue };
            let content = |sink: &mut dyn Write| pour(&mut source, sink, watch);
            self.add(&file.name, file.size, MEDIA_LEVEL, content)?;
            watch.done(self.sizes.len() as u64);
        }
        let mut end = self.zip.finish().map_err(zip_refused)?;
        end.flush().map_err(BackupError::Sink)?;
        Ok(self.sizes)
    }

    fn add(
        &mut self,
        name: &str,
        expected: u64,
        level: i64,
        content: impl FnOnce(&mut dyn Write) -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        let options = SimpleFileOptions::default()
            .compression_method(CompressionMethod::Deflated)
            .compression_level(Some(level))
            .large_file(expected >= LARGE)
            .unix_permissions(0o600);
        self.zip.start_file(name, options).map_err(zip_refused)?;
        let left = limits::BACKUP_BYTES.saturating_sub(self.total);
        let room = limits::BACKUP_MEMBER_BYTES.min(left);
        let mut counted = Counted { sink: &mut self.zip, written: 0, room };
        let outcome = content(&mut counted);
        let (written, over) = (counted.written, counted.written > room);
        match (over, left < limits::BACKUP_MEMBER_BYTES) {
            (false, _) => outcome?,
            (true, true) => return Err(BackupError::TooLarge),
            (true, false) => return Err(BackupError::MemberTooLarge),
        }
        self.total += written;
        self.sizes.push((name.to_owned(), written));
        Ok(())
    }
}

/// A sink that counts, and refuses what is beyond its room.
struct Counted<'a, W> {
    sink: &'a mut W,
    written: u64,
    room: u64,
}

impl<W: Write> Write for Counted<'_, W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.written.saturating_add(bytes.len() as u64) > self.room {
            self.written = u64::MAX;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let written = self.sink.write(bytes)?;
        self.written += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

fn zip_refused(error: ZipError) -> BackupError {
    BackupError::Sink(match error {
        ZipError::Io(error) => error,
        other => io::Error::other(other.to_string()),
    })
}

/// Copies a file into a sink, a piece at a time.
fn pour(source: &mut Source, sink: &mut dyn Write, watch: &dyn Watch) -> Result<(), BackupError> {
    let mut buffer = vec![0; PIECE];
    loop {
        watch.go_on()?;
        let read = match source.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            other => other.map_err(DiskError::at("read", source.path()))?,
        };
        sink.write_all(&buffer[..read]).map_err(BackupError::Sink)?;
    }
}
