//! Storing pictures, videos and documents that were loaded for games.
//!
//! A file never becomes another one while the library names it: a game, its earlier values, the trash. So a
//! job that fails leaves the old picture, and undoing a pass restores it. The new file then gets its checksum as a part
//! of its name.

use std::{
    ffi::OsString,
    io::{self, Read as _},
    path::{Path, PathBuf},
};

use super::named_files::NamedFiles;
use crate::{
    files::{DiskError, Files, temp::Temp},
    store::Store,
};

/// Bytes read at once.
const PIECE: usize = 1 << 18;

/// What distinguishes two files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Sum {
    crc: u32,
    len: u64,
}

/// Stores files of games.
#[derive(Clone, Copy)]
pub struct MediaWriter<'a> {
    files: &'a Files,
    library: Option<(&'a Store, &'a NamedFiles)>,
}

impl<'a> MediaWriter<'a> {
    /// Replaces only files that this library does not name.
    pub fn new(files: &'a Files, store: &'a Store, named: &'a NamedFiles) -> Self {
        Self { files, library: Some((store, named)) }
    }

    /// Replaces no file at all.
    pub fn without_replacing(files: &'a Files) -> Self {
        Self { files, library: None }
    }

    /// Where a file with these bytes is stored, or lies already, when it is to have this path.
    pub fn place(&self, path: &Path, bytes: &[u8]) -> PathBuf {
        self.free(path, sum_of(bytes)).0
    }

    /// Stores a file; where it lies, and whether it was written. Its folder is created.
    ///
    /// # Errors
    /// When the disk refuses; then every file is as it was.
    pub fn keep(&self, path: &Path, bytes: &[u8]) -> Result<(PathBuf, bool), DiskError> {
        let (path, is_there) = self.free(path, sum_of(bytes));
        if !is_there {
            if let Some(folder) = path.parent() {
                self.files.private_dir(folder)?;
            }
            self.files.replace(&path, bytes)?;
        }
        Ok((path, !is_there))
    }

    /// As [`MediaWriter::keep`], for a file that was written under a temporary name.
    ///
    /// # Errors
    /// When the disk refuses; then every file is as it was.
    pub fn keep_written(&self, path: &Path, mut written: Temp) -> Result<PathBuf, DiskError> {
        let sum = self.sum_at(written.path())?;
        let (path, is_there) = self.free(path, sum);
        if !is_there {
            written.persist(&path)?;
            if let Some(folder) = path.parent() {
                self.files.sync_dir(folder)?;
            }
        }
        Ok(path)
    }

    /// Removes unused files: those that the library does not name. What cannot be
    /// removed is logged.
    pub fn discard(&self, paths: &[&Path]) {
        for path in paths.iter().filter(|path| !self.is_named(path)) {
            if let Err(error) = self.files.remove(path) {
                log::warn!("a media file without a game stays: {error}");
            }
        }
    }

    /// The name that a file gets, and whether it has it already.
    fn free(&self, path: &Path, sum: Sum) -> (PathBuf, bool) {
        let mut number = 0_u64;
        loop {
            let name = numbered(path, sum, number);
            if name.symlink_metadata().is_err() {
                return (name, false);
            }
            if self.sum_at(&name).is_ok_and(|there| there == sum) {
                return (name, true);
            }
            if !self.is_named(&name) {
                return (name, false);
            }
            number += 1;
        }
    }

    fn sum_at(&self, path: &Path) -> Result<Sum, DiskError> {
        let mut source = self.files.open(path)?;
        let mut sum = crc32fast::Hasher::new();
        let (mut piece, mut len) = (vec![0; PIECE], 0);
        loop {
            match source.read(&mut piece) {
                Ok(0) => return Ok(Sum { crc: sum.finalize(), len }),
                Ok(count) => {
                    sum.update(&piece[..count]);
                    len += count as u64;
                }
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(DiskError::at("read", path)(error)),
            }
        }
    }

    /// Whether a file has to stay: what the library names is unknown while it cannot be read.
    fn is_named(&self, path: &Path) -> bool {
        self.library.is_none_or(|(store, named)| {
            let state = store.snapshot();
            state.is_err() || state.is_ok_and(|state| named.has(&state, path))
        })
    }
}

fn sum_of(bytes: &[u8]) -> Sum {
    Sum { crc: crc32fast::hash(bytes), len: bytes.len() as u64 }
}

/// The names of a file, in the order in which they are tried.
fn numbered(path: &Path, sum: Sum, number: u64) -> PathBuf {
    let mark = match number {
        0 => return path.to_owned(),
        1 => format!("-{:08x}", sum.crc),
        number => format!("-{:08x}-{number}", sum.crc),
    };
    let mut name = OsString::from(path.file_stem().unwrap_or_default());
    name.push(mark);
    if let Some(ending) = path.extension() {
        name.push(".");
        name.push(ending);
    }
    path.with_file_name(name)
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        game::trash::TrashEntry,
        model::{Record, Row as _},
        store::Options,
    };

    struct Fixture {
        folder: tempfile::TempDir,
        files: Files,
        store: Store,
        named: NamedFiles,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().expect("a folder");
            let store = Store::open(Options::at(&folder.path().join("data"))).expect("opens");
            Self { folder, files: Files::system(), store, named: NamedFiles::default() }
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path().join("media").join(name)
        }

        fn keep(&self, bytes: &[u8]) -> (String, bool) {
            let writer = MediaWriter::new(&self.files, &self.store, &self.named);
            let kept = writer.keep(&self.path("cover.png"), bytes);
            let (path, is_new) = kept.expect("stored");
            assert_eq!(self.files.read(&path).expect("read"), bytes);
            (path.file_name().expect("a name").to_string_lossy().into_owned(), is_new)
        }

        fn name(&self, key: &str, value: Value) {
            let changed = self.store.change(|draft| {
                if key == TrashEntry::SECTION {
                    return draft.set_section(key, value);
                }
                let record = Record(serde_json::Map::from_iter([
                    ("game_id".to_owned(), json!("g")),
                    (key.to_owned(), value),
                ]));
                drop(draft.add_game(record));
            });
            assert!(changed.is_ok());
        }
    }

    #[test]
    fn a_file_that_the_library_names_stays() {
        let fixture = Fixture::new();
        assert_eq!(fixture.keep(b"one"), ("cover.png".to_owned(), true));
        assert_eq!(fixture.keep(b"one"), ("cover.png".to_owned(), false));
        assert_eq!(fixture.keep(b"two"), ("cover.png".to_owned(), true), "no record names it");
        let path = Value::from(fixture.path("cover.png").to_string_lossy().into_owned());
        fixture.name("field_origins", json!({"before": {"cover": {"value": path}}}));
        let marked = format!("cover-{:08x}.png", crc32fast::hash(b"three"));
        assert_eq!(fixture.keep(b"three"), (marked.clone(), true), "an earlier value names it");
        assert_eq!(fixture.keep(b"three"), (marked, false));
        assert_eq!(fixture.keep(b"two"), ("cover.png".to_owned(), false));
    }

    #[test]
    fn what_the_trash_names_and_what_nobody_may_replace_stays() {
        let fixture = Fixture::new();
        fixture.keep(b"one");
        let path = Value::from(fixture.path("cover.png").to_string_lossy().into_owned());
        let writer = MediaWriter::without_replacing(&fixture.files);
        let (beside, _) = writer.keep(&fixture.path("cover.png"), b"two").expect("stored");
        assert_ne!(beside, fixture.path("cover.png"));
        fixture.name(TrashEntry::SECTION, json!([{"game": {"cover": path}}]));
        assert!(fixture.keep(b"three").0.starts_with("cover-"));
        let written = fixture.files.write_beside(&beside, |sink| sink.write_all(b"four"));
        let writer = MediaWriter::new(&fixture.files, &fixture.store, &fixture.named);
        let kept = writer.keep_written(&fixture.path("cover.png"), written.expect("written"));
        let kept = kept.expect("stored");
        assert_eq!(fixture.files.read(&kept).expect("read"), b"four");
        writer.discard(&[&kept, &fixture.path("cover.png")]);
        assert!(!kept.exists() && fixture.path("cover.png").exists());
    }
}
