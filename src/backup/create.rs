//! Making an archive: all files are listed first, written to a temporary file, read again, then renamed.

use std::{
    io::Write,
    path::{Path, PathBuf},
};

use super::{
    archive::{Archive, JOURNAL, LIBRARY, MANIFEST, Manifest, SETTINGS},
    error::{BackupError, Slip},
    folder::Backups,
    items::{CreateRequest, Item},
    pack::{LARGE, Packer, pour},
    plugin_state,
    sources::{FoundFile, SourceFiles},
    watch::Watch,
};
use crate::{
    base::limits, files::Files, journal::handle::Journal, model::State,
    store::exchange::write_state,
};

/// How hard text is packed.
const TEXT_LEVEL: i64 = 6;
/// How hard other files are packed.
const FILE_LEVEL: i64 = 1;
/// Extensions of files that are packed already: packing them again takes time and saves nothing.
const PACKED: [&str; 26] = [
    "7z", "aac", "apng", "avi", "avif", "bz2", "chd", "flac", "gif", "gz", "jpeg", "jpg", "m4a",
    "m4v", "mkv", "mov", "mp3", "mp4", "ogg", "opus", "png", "webm", "webp", "xz", "zip", "zst",
];

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
        let mut found = SourceFiles::default();
        for tree in request.items.iter().filter_map(|item| item.tree()) {
            found.add_tree(self.context.data_dir.root(), tree)?;
            watch.go_on()?;
        }
        let singles = 1 + request.items.iter().filter(|item| item.tree().is_none()).count();
        if found.files.len() + singles > limits::BACKUP_MEMBERS {
            return Err(BackupError::TooMany);
        }
        found.files.sort_by(|a, b| a.name.cmp(&b.name));
        // The library file is updated first, so that the archive is not older than it.
        if let Err(error) = self.context.store.fold_now() {
            log::warn!("the library was not written before its backup: {error}");
        }
        let now = (self.context.now)();
        let state = self.archivable()?;
        let manifest = Manifest {
            is_recovery: request.is_recovery,
            ..Manifest::new(&request.items, &now, found.is_case_sensitive())
        };
        let files = &self.context.files;
        files.private_dir(&self.folder())?;
        self.clear_leftovers();
        let path = self.free_path()?;
        watch.expect((found.files.len() + singles) as u64);
        let mut slip = Slip::default();
        let mut sizes = Vec::new();
        let temp = files.write_beside(&path, |sink| {
            let journal = self.context.journal.as_ref();
            let content = (&manifest, &state, journal);
            let written = write(sink, (files, watch), content, &found.files);
            slip.pass(written.map(|written| sizes = written))
        });
        let mut temp = slip.settle(temp)?;
        prove(files, temp.path(), &manifest, &sizes, watch)?;
        watch.promote()?;
        temp.persist(&path)?;
        files.sync_dir(&self.folder())?;
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if request.keep > 0
            && let Err(error) = self.rotate(request.keep, &name, request.is_recovery)
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
    if archive.manifest != *manifest {
        return Err(BackupError::Invalid);
    }
    archive.prove_all(sizes, &|| watch.go_on())
}

/// Writes everything and returns names and sizes in their order.
fn write(
    sink: &mut dyn Write,
    (files, watch): (&Files, &dyn Watch),
    (manifest, state, journal): (&Manifest, &State, Option<&Journal>),
    found: &[FoundFile],
) -> Result<Vec<(String, u64)>, BackupError> {
    let mut packer = Packer::new(sink);
    let all = |bytes: Vec<u8>| {
        move |sink: &mut dyn Write| sink.write_all(&bytes).map_err(BackupError::Sink)
    };
    packer.add(MANIFEST, 0, TEXT_LEVEL, all(manifest.to_bytes()))?;
    if manifest.items.contains(&Item::Settings) {
        // OK because a map with text keys is always written.
        let text = serde_json::to_vec_pretty(state.settings()).unwrap_or_default();
        packer.add(SETTINGS, 0, TEXT_LEVEL, all(text))?;
    }
    if manifest.items.contains(&Item::Library) {
        packer.add(LIBRARY, LARGE, TEXT_LEVEL, |sink| {
            write_state(state, sink).map_err(BackupError::Sink)
        })?;
        // A journal that cannot be read is not a reason to go without a backup of the library.
        match journal.map(Journal::export) {
            Some(Ok(bytes)) => packer.add(JOURNAL, 0, FILE_LEVEL, all(bytes))?,
            Some(Err(error)) => log::warn!("the journal is not in the backup: {error}"),
            None => {}
        }
    }
    watch.done(packer.count() as u64);
    for file in found {
        let Some(mut source) = file.open(files)? else { continue };
        if file.name == plugin_state::NAME {
            packer.add(&file.name, 0, TEXT_LEVEL, all(plugins_without_secrets(files, file)))?;
        } else {
            let content = |sink: &mut dyn Write| pour(&mut source, sink, watch);
            packer.add(&file.name, file.size, level_of(&file.name), content)?;
        }
        watch.done(packer.count() as u64);
    }
    // The journal came in addition, and a file that was gone by then is missing.
    watch.expect(packer.count() as u64);
    watch.done(packer.count() as u64);
    packer.finish()
}

/// How hard a file is packed.
fn level_of(name: &str) -> i64 {
    let ending = Path::new(name).extension().and_then(|ending| ending.to_str());
    let is_packed = ending
        .is_some_and(|ending| PACKED.iter().any(|packed| packed.eq_ignore_ascii_case(ending)));
    if is_packed { 0 } else { FILE_LEVEL }
}

/// The state of the plugins as it goes into an archive. One that cannot be read is an empty one.
fn plugins_without_secrets(files: &Files, state: &FoundFile) -> Vec<u8> {
    let folder = state.path.parent().unwrap_or(Path::new("/"));
    let read = |path: &Path| {
        let known = files.stat(path).ok()??;
        let fits = known.is_file() && known.len() <= plugin_state::BYTES;
        fits.then(|| files.read(path).ok())?
    };
    let manifest = |path: &Path| read(&folder.join(path));
    let declared = |id: &str| plugin_state::declared_passwords(manifest, id);
    plugin_state::redacted(&read(&state.path).unwrap_or_default(), declared)
}
