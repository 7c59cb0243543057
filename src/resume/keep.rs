//! The states themselves: kept at the end of a session, archived, copied for a moment, discarded.
//!
//! A state is copied before anything with its name is replaced, once for each content. The archive is cut
//! after the record of a new state is durable, and at a start, which spares what it has just added. A kill
//! in between leaves more copies, never fewer.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{
    folder::{self, ARCHIVE, Entry, MOMENTS, PICTURES, RECORD, StoredState, THUMBNAIL, shown},
    session::{KEPT_NAME, Session, Staged, has_token},
    states::States,
    subject::nanos,
};
use crate::{
    base::{Moment, ids},
    files::{DiskError, Files},
};

/// Bytes of the largest picture that is copied next to a state.
const PICTURE_BYTES: u64 = 32 << 20;
/// Snapshots of deleted moments, below those of moments.
const DELETED: &str = "deleted";
/// Bytes that are compared or hashed at a time.
const PIECE: u64 = 1 << 20;

/// The end of a session, for the state it left.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    pub launch_id: &'a str,
    /// A picture of the game, for a state without one of its own.
    pub art: Option<&'a Path>,
    /// How many states are kept of a game, the newest included; 1 to 20.
    pub retention: usize,
    pub now: &'a Moment,
}

/// The copy of a state that belongs to a moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// Below the folder of the game, with slashes.
    pub file: String,
    /// Lower-case hex.
    pub sha256: String,
    /// Bytes.
    pub size: u64,
    /// What it is a copy of.
    pub of: StoredState,
}

impl States {
    /// Keeps the newest state that a session left. `None` when it left none.
    ///
    /// # Errors
    /// When the disk fails; every state is still there then, under its own name or in the archive.
    pub fn keep(
        &self,
        game_id: &str,
        session: &Session,
        end: End<'_>,
    ) -> Result<Option<StoredState>, DiskError> {
        let _held = self.hold();
        let files = self.files();
        let root = self.folder_of(game_id);
        let all = folder::entries(files, &root)?;
        let block = &session.adapter.block;
        let mut states: Vec<&Entry> = all
            .iter()
            .filter(|entry| folder::is_state(&entry.name, &block.glob))
            .filter(|entry| entry.modified >= session.since)
            .collect();
        let mut untouched = Vec::new();
        if let Some(staged) = &session.staged
            && staged.is_untouched(files)?
        {
            untouched.push(staged.entry.path.clone());
        }
        for entry in states.iter().filter(|entry| entry.modified == session.since) {
            // Of a session that an earlier run began it is not known what was laid out. The clock of the
            // disk is coarse, so a copy from right before its start has the time of the start.
            if session.staged.is_none()
                && (is_laid_out_again(files, &root, entry)?
                    || twin_in(files, &root.join(MOMENTS), entry)?.is_some())
            {
                untouched.push(entry.path.clone());
            }
        }
        states.retain(|entry| !untouched.contains(&entry.path));
        let newest = states.into_iter().max_by_key(|entry| (entry.modified, &entry.name));
        let Some(newest) = newest else { return Ok(None) };
        let before = folder::record(files, &root);
        let old = match &before {
            Some(kept) => folder::find(files, &root, &kept.file)?,
            None => None,
        };
        let target = kept_path(&newest.path, &block.template);
        let name = target.strip_prefix(&root).unwrap_or(&target).to_string_lossy().into_owned();
        if target != newest.path {
            for replaced in [folder::find(files, &root, &name)?, old.clone()].iter().flatten() {
                drop(archive(files, &root, replaced)?);
            }
            files.copy(&newest.path, &target)?;
        }
        let thumbnail = self.picture(&root, &all, session, end.art);
        let kept = StoredState {
            adapter_id: session.adapter.id.clone(),
            capture_id: format!("capture-{}", ids::random_hex(12)),
            captured_at: end.now.utc_iso(),
            emulator_version: session.adapter.version.clone(),
            file: name,
            kind: block.kind.name().to_owned(),
            launch_id: end.launch_id.to_owned(),
            size: newest.size,
            thumbnail,
        };
        write_record(files, &root, &kept)?;
        if target != newest.path {
            files.remove(&newest.path)?;
        }
        if let Some(old) = old.filter(|old| old.path != target && old.path != newest.path) {
            // It is in the archive.
            files.remove(&old.path)?;
        }
        cut_archive(files, &root, end.retention, &[])?;
        Ok(Some(kept))
    }

    /// Removes the kept state and its record; earlier ones stay. Whether there was one.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn discard(&self, game_id: &str) -> Result<bool, DiskError> {
        let _held = self.hold();
        let files = self.files();
        let root = self.folder_of(game_id);
        let Some(kept) = folder::stored(files, &root) else { return Ok(false) };
        let Some(entry) = folder::existing(files, &root, &kept.file) else { return Ok(false) };
        files.remove(&root.join(RECORD))?;
        files.remove(&entry.path)?;
        Ok(true)
    }

    /// Copies the kept state for a moment. `None` without one.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn copy_for(&self, game_id: &str, moment_id: &str) -> Result<Option<Snapshot>, DiskError> {
        let _held = self.hold();
        let files = self.files();
        let root = self.folder_of(game_id);
        let Some(of) = folder::stored(files, &root) else { return Ok(None) };
        let Some(entry) = folder::existing(files, &root, &of.file) else { return Ok(None) };
        let end = folder::ending(&of.file);
        let end = if end.is_empty() { String::new() } else { format!(".{end}") };
        let file = format!("{MOMENTS}/{moment_id}{end}");
        files.private_dir(&root.join(MOMENTS))?;
        let target = root.join(&file);
        files.copy(&entry.path, &target)?;
        let sha256 = digest(files, &target, entry.size)?;
        Ok(Some(Snapshot { file, sha256, size: entry.size, of }))
    }

    /// The file of a snapshot, when it is what was kept.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn verified(
        &self,
        game_id: &str,
        file: &str,
        sha256: &str,
    ) -> Result<Option<PathBuf>, DiskError> {
        let Some(entry) = self.snapshot(game_id, file) else { return Ok(None) };
        let found = digest(self.files(), &entry.path, entry.size)?;
        Ok(found.eq_ignore_ascii_case(sha256).then_some(entry.path))
    }

    /// Removes the snapshot of a moment that is gone, also one that was put aside.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn forget(&self, game_id: &str, file: &str) -> Result<(), DiskError> {
        let _held = self.hold();
        for name in [Some(file.to_owned()), aside(file)].into_iter().flatten() {
            if let Some(entry) = self.snapshot(game_id, &name) {
                self.files().remove(&entry.path)?;
            }
        }
        Ok(())
    }

    /// Puts the snapshot of a moment that was deleted where only [`Self::bring_back`] finds it.
    ///
    /// # Errors
    /// When the disk fails; the file is where it was then.
    pub fn set_aside(&self, game_id: &str, file: &str) -> Result<(), DiskError> {
        aside(file).map_or(Ok(()), |to| self.shift(game_id, file, &to))
    }

    /// Puts a snapshot back that [`Self::set_aside`] moved; one that was not moved stays.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn bring_back(&self, game_id: &str, file: &str) -> Result<(), DiskError> {
        aside(file).map_or(Ok(()), |from| self.shift(game_id, &from, file))
    }

    fn shift(&self, game_id: &str, from: &str, to: &str) -> Result<(), DiskError> {
        let _held = self.hold();
        let Some(entry) = self.snapshot(game_id, from) else { return Ok(()) };
        let root = self.folder_of(game_id);
        self.files().private_dir(&root.join(MOMENTS).join(DELETED))?;
        self.files().rename(&entry.path, &root.join(to))
    }

    /// The file of a snapshot; `None` for a file that is not a snapshot.
    fn snapshot(&self, game_id: &str, file: &str) -> Option<Entry> {
        let is_of_moment = file.split_once('/').is_some_and(|(folder, _)| folder == MOMENTS);
        let root = self.folder_of(game_id);
        is_of_moment.then(|| folder::existing(self.files(), &root, file)).flatten()
    }

    /// The name of the picture of the state: one that the session left, else a copy of a picture of the
    /// game; empty without any. A failure costs the picture, not the state.
    fn picture(&self, root: &Path, all: &[Entry], session: &Session, art: Option<&Path>) -> String {
        let files = self.files();
        let is_picture = |entry: &&Entry| {
            entry.modified >= session.since
                && entry.size <= PICTURE_BYTES
                && folder::ending(&entry.name).eq_ignore_ascii_case("png")
                && !entry.name.starts_with(&format!("{THUMBNAIL}."))
        };
        let newest = all.iter().filter(is_picture).max_by_key(|entry| entry.modified);
        let art = art.filter(|art| {
            files
                .stat(art)
                .ok()
                .flatten()
                .is_some_and(|stat| stat.is_file() && stat.len() <= PICTURE_BYTES)
        });
        let Some(source) = newest.map(|entry| entry.path.as_path()).or(art) else {
            return String::new();
        };
        let end = source.extension().map(|end| end.to_string_lossy().to_lowercase());
        let Some(end) = end.filter(|end| PICTURES.contains(&end.as_str())) else {
            return String::new();
        };
        let name = format!("{THUMBNAIL}.{end}");
        match files.copy(source, &root.join(&name)) {
            Ok(()) => name,
            Err(error) => {
                log::warn!("a state stays without a picture: {error}");
                String::new()
            }
        }
    }
}

/// The name under which a state is kept: one that the template can name, else its own.
fn kept_path(newest: &Path, template: &[String]) -> PathBuf {
    let name = newest.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = name.unwrap_or_default();
    let end = match name.strip_suffix(".auto") {
        Some(rest) if folder::ending(rest) == "state" => "state",
        _ => folder::ending(&name),
    };
    let stem = if has_token(template, "state_path") {
        "resume"
    } else if has_token(template, "state_name") {
        KEPT_NAME
    } else {
        return newest.to_owned();
    };
    let kept = if end.is_empty() { stem.to_owned() } else { format!("{stem}.{end}") };
    newest.with_file_name(kept)
}

/// Copies the kept state of a folder into its archive, before another one takes its place.
///
/// # Errors
/// When the disk fails.
pub fn archive_kept(files: &Files, root: &Path) -> Result<(), DiskError> {
    let Some(kept) = folder::find_stored(files, root)? else { return Ok(()) };
    if let Some(entry) = folder::find(files, root, &kept.file)? {
        drop(archive(files, root, &entry)?);
    }
    Ok(())
}

/// Copies a state into the archive, once for each of its contents. Returns its name there; `None` for a
/// copy that was laid out and not played on, which is still where it came from.
pub(super) fn archive(
    files: &Files,
    root: &Path,
    state: &Entry,
) -> Result<Option<String>, DiskError> {
    let folder = root.join(ARCHIVE);
    let name = state.path.file_name().map(|name| name.to_string_lossy().into_owned());
    let name = format!("{}-{}", nanos(state.modified), name.unwrap_or_default());
    let target = folder.join(&name);
    if files.stat(&target)?.is_some_and(|found| found.len() == state.size) {
        return Ok(Some(name));
    }
    if is_laid_out_again(files, root, state)? {
        return Ok(None);
    }
    if let Some(twin) = twin_in(files, &folder, state)? {
        let known = shown(&twin).rsplit('/').next().unwrap_or("").to_owned();
        if age(&known).is_some_and(|age| age >= nanos(state.modified)) {
            return Ok(Some(known));
        }
        // As the newest, so that it is not the first that goes.
        files.rename(&twin, &target)?;
        return Ok(Some(name));
    }
    files.private_dir(&folder)?;
    files.copy(&state.path, &target)?;
    Ok(Some(name))
}

/// Whether a file next to the kept state is the same as it, or as the snapshot of a moment: a copy that was
/// laid out for a session and that the emulator has not written to.
fn is_laid_out_again(files: &Files, root: &Path, state: &Entry) -> Result<bool, DiskError> {
    let Some(kept) = folder::record(files, root) else { return Ok(false) };
    let Some(kept) = folder::find(files, root, &kept.file)? else { return Ok(false) };
    if kept.path == state.path {
        return Ok(false);
    }
    if kept.size == state.size && same_content(files, state, &kept.path)? {
        return Ok(true);
    }
    Ok(twin_in(files, &root.join(MOMENTS), state)?.is_some())
}

/// A file in a folder with the content of a state.
fn twin_in(files: &Files, folder: &Path, state: &Entry) -> Result<Option<PathBuf>, DiskError> {
    for name in files.list(folder)? {
        let path = folder.join(name);
        let is_as_long =
            files.stat(&path)?.is_some_and(|found| found.is_file() && found.len() == state.size);
        if is_as_long && same_content(files, state, &path)? {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// When the state with this name in the archive was written, in nanoseconds since 1970.
fn age(name: &str) -> Option<u128> {
    name.split('-').next()?.parse().ok()
}

/// Removes the oldest states of the archive until one less than `retention` are left, or only those with
/// these names.
pub(super) fn cut_archive(
    files: &Files,
    root: &Path,
    retention: usize,
    spared: &[String],
) -> Result<(), DiskError> {
    let folder = root.join(ARCHIVE);
    let names = files.list(&folder)?.into_iter();
    let mut dated: Vec<(u128, String)> =
        names.filter_map(|name| Some((age(&name)?, name))).collect();
    dated.sort_unstable();
    let kept = retention.clamp(1, 20) - 1;
    let surplus = dated.len().saturating_sub(kept);
    let mut old = dated.into_iter().map(|(_, name)| name).filter(|name| !spared.contains(name));
    old.by_ref().take(surplus).try_for_each(|name| files.remove(&folder.join(name)))
}

fn write_record(files: &Files, root: &Path, kept: &StoredState) -> Result<(), DiskError> {
    // OK because a plain struct has text keys.
    let text = serde_json::to_vec_pretty(kept).unwrap_or_default();
    files.replace(&root.join(RECORD), &text)
}

impl Staged {
    /// Whether the file is still the copy that was laid out. The clock of the disk is coarse, so its time alone is not
    /// enough.
    fn is_untouched(&self, files: &Files) -> Result<bool, DiskError> {
        let laid_out = &self.entry;
        let now = files.stat(&laid_out.path)?;
        let is_same = now.is_some_and(|now| {
            now.len() == laid_out.size && now.modified().is_ok_and(|at| at == laid_out.modified)
        });
        let source = files.stat(&self.source)?.filter(|source| source.len() == laid_out.size);
        Ok(is_same && source.is_some() && same_content(files, laid_out, &self.source)?)
    }
}

fn same_content(files: &Files, one: &Entry, other: &Path) -> Result<bool, DiskError> {
    let mut from = 0;
    while from < one.size {
        let to = (from + PIECE).min(one.size);
        if files.read_range(&one.path, from, to)? != files.read_range(other, from, to)? {
            return Ok(false);
        }
        from = to;
    }
    Ok(true)
}

/// The name of a snapshot that is put aside.
fn aside(file: &str) -> Option<String> {
    let (folder, name) = file.split_once('/')?;
    (folder == MOMENTS && !name.contains('/')).then(|| format!("{MOMENTS}/{DELETED}/{name}"))
}

fn digest(files: &Files, path: &Path, size: u64) -> Result<String, DiskError> {
    let mut hash = Sha256::new();
    let mut from = 0;
    while from < size {
        let to = (from + PIECE).min(size);
        hash.update(files.read_range(path, from, to)?);
        from = to;
    }
    Ok(ids::hex(&hash.finalize()))
}
