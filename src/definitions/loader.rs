//! The definitions as they are now: read again whenever the folder looks different.

use std::{
    fs,
    io::Read as _,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use super::{
    bundled,
    change::Site,
    gather::{self, DefinitionFile, Gathered, Problem, Unusable},
    ledger::{self, Ledger},
};
use crate::{
    base::Hold as _,
    files::{DiskError, Files},
    formats::definition_file::FILE_BYTES,
    model::emulators::{Catalog, Origin},
};

/// Files of the folder that are read.
pub const MAX_FILES: usize = 800;
/// Bytes of the largest ledger.
const LEDGER_BYTES: u64 = 1 << 20;

/// The definitions of this machine. A call costs one `stat` of the folder.
pub struct Definitions {
    files: Files,
    folder: PathBuf,
    known: Mutex<Known>,
}

#[derive(Default)]
struct Known {
    /// How the folder looked when it was read; `None` before the first time.
    fingerprint: Option<Fingerprint>,
    gathered: Arc<Gathered>,
    /// Whether the folder is being changed; the known content is valid meanwhile.
    is_held: bool,
}

/// How a folder looks from outside.
#[derive(Debug, PartialEq, Eq)]
struct Fingerprint(Result<Vec<(String, Marks)>, String>);

/// What changes when a file is written: length, times, identity.
type Marks = Option<(u64, i64, i64, i64, i64, u64)>;

impl Definitions {
    /// The definitions with those of a folder before the bundled ones. The folder may be missing. A
    /// change that a kill cut off is completed first, so only the holder of the library does this.
    pub fn new(files: Files, folder: PathBuf) -> Self {
        if let Err(error) = Site::new(&files, &folder).recover() {
            log::error!("a change of the definitions could not be completed: {error}");
        }
        Self { files, folder, known: Mutex::default() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The definitions that count now.
    pub fn current(&self) -> Arc<Catalog> {
        Arc::clone(&self.gathered().catalog)
    }

    /// The effective definitions, and the files that are skipped.
    pub fn gathered(&self) -> Arc<Gathered> {
        let mut known = self.known.hold();
        if known.is_held {
            return Arc::clone(&known.gathered);
        }
        let fingerprint = self.fingerprint();
        if known.fingerprint.as_ref() != Some(&fingerprint) {
            let gathered = self.read(&fingerprint);
            for problem in &gathered.problems {
                log::warn!("the definition {} is not used: {}", problem.file, problem.error);
            }
            known.gathered = Arc::new(gathered);
            known.fingerprint = Some(fingerprint);
        }
        Arc::clone(&known.gathered)
    }

    /// Allows changes in the folder while readers see its previous content.
    pub(super) fn hold<T>(&self, change: impl FnOnce() -> T) -> T {
        // OK because what is asked for is that the folder was read once.
        drop(self.gathered());
        self.known.hold().is_held = true;
        let held = Held(self);
        let changed = change();
        drop(held);
        changed
    }

    /// What the channel installed; `None` when nothing is.
    ///
    /// # Errors
    /// When the disk cannot be read.
    pub fn ledger(&self) -> Result<Option<Ledger>, DiskError> {
        let path = self.folder.join(ledger::NAME);
        match self.files.stat(&path)? {
            Some(stat) if stat.is_file() && stat.len() <= LEDGER_BYTES => {
                Ok(Ledger::read(&self.files.read(&path)?))
            }
            _ => Ok(None),
        }
    }

    fn fingerprint(&self) -> Fingerprint {
        let names = match self.files.list(&self.folder) {
            Ok(names) => names,
            Err(error) => return Fingerprint(Err(error.reason())),
        };
        let is_read = |name: &String| is_definition(name) || name == ledger::NAME;
        let marked = names.into_iter().filter(is_read).map(|name| {
            let marks = fs::metadata(self.folder.join(&name)).ok().map(|stat| {
                let (changed, written) = (stat.ctime(), stat.mtime());
                (stat.len(), written, stat.mtime_nsec(), changed, stat.ctime_nsec(), stat.ino())
            });
            (name, marks)
        });
        Fingerprint(Ok(marked.collect()))
    }

    fn read(&self, fingerprint: &Fingerprint) -> Gathered {
        let names = match &fingerprint.0 {
            Ok(names) => names,
            Err(reason) => {
                let error = Unusable::Unreadable(reason.clone());
                let file = self.folder.file_name().unwrap_or_default().to_string_lossy();
                let problem = Problem { file: file.into_owned(), error };
                let bundled = gather::gather(Vec::new(), bundled::definitions());
                return Gathered { problems: vec![problem], ..bundled };
            }
        };
        let ledger = self.ledger().unwrap_or_else(|error| {
            log::warn!("{error}");
            None
        });
        let ledger = ledger.unwrap_or_default();
        let definitions = names.iter().map(|(name, _)| name).filter(|name| is_definition(name));
        let found = definitions.enumerate().map(|(at, name)| {
            let content = if at < MAX_FILES { self.content(name) } else { Err(Unusable::TooMany) };
            let is_owned = content.as_ref().is_ok_and(|bytes| ledger.owns(name, bytes));
            let origin = if is_owned { Origin::Community } else { Origin::User };
            DefinitionFile { name: name.clone(), origin, content }
        });
        gather::gather(found.collect(), bundled::definitions())
    }

    /// The content of a file, one byte more than is read of a definition at most.
    fn content(&self, name: &str) -> Result<Vec<u8>, Unusable> {
        let path = self.folder.join(name);
        // A pipe would be waited for when it is opened.
        if !fs::metadata(&path).is_ok_and(|stat| stat.is_file()) {
            return Err(Unusable::NotAFile);
        }
        let unreadable = |error: DiskError| Unusable::Unreadable(error.reason());
        let source = self.files.open(&path).map_err(unreadable)?;
        let mut bytes = Vec::new();
        let read = source.take(FILE_BYTES as u64 + 1).read_to_end(&mut bytes);
        read.map_err(|error| Unusable::Unreadable(error.kind().to_string()))?;
        Ok(bytes)
    }
}

/// The folder is being changed until this is dropped, also by a panic.
struct Held<'a>(&'a Definitions);

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.known.hold().is_held = false;
    }
}

fn is_definition(name: &str) -> bool {
    name.strip_suffix(".yaml").is_some_and(|stem| !stem.is_empty() && !stem.starts_with('.'))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    const OWN: &str = "id: mine\nemulator_id: org.example.E\nplatform: ";

    #[test]
    fn the_folder_is_read_again_when_it_changes() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("emulator_defs");
        let definitions = Definitions::new(Files::system(), folder.clone());
        let count = || definitions.current().definitions().len();
        assert_eq!(count(), 24);
        fs::create_dir(&folder).expect("made");
        fs::write(folder.join("mine.yaml"), format!("{OWN}One\n")).expect("written");
        let platform =
            || definitions.current().definition("mine").map(|each| each.platform.clone());
        assert_eq!(platform().as_deref(), Some("One"));
        assert!(Arc::ptr_eq(&definitions.gathered(), &definitions.gathered()), "read once");
        fs::write(folder.join("mine.yaml"), format!("{OWN}Three\n")).expect("written");
        assert_eq!(platform().as_deref(), Some("Three"));
        definitions.hold(|| {
            fs::remove_file(folder.join("mine.yaml")).expect("removed");
            assert_eq!(platform().as_deref(), Some("Three"));
        });
        assert_eq!((platform(), count()), (None, 24));
    }

    #[test]
    fn what_cannot_be_read_is_told_and_waits_for_nobody() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().to_owned();
        let definitions = Definitions::new(Files::system(), folder.clone());
        fs::create_dir(folder.join("a.yaml")).expect("made");
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.join("b.yaml"),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::from_bits_truncate(0o600),
            0,
        )
        .expect("a pipe");
        std::os::unix::fs::symlink("nowhere", folder.join("c.yaml")).expect("linked");
        fs::write(folder.join("d.yaml"), vec![b'#'; FILE_BYTES + 1]).expect("written");
        fs::write(folder.join("e.yml"), "id: a").expect("written");
        let told: Vec<(String, Unusable)> = definitions
            .gathered()
            .problems
            .iter()
            .map(|problem| (problem.file.clone(), problem.error.clone()))
            .collect();
        let names: Vec<&str> = told.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["a.yaml", "b.yaml", "c.yaml", "d.yaml"]);
        assert!(told[..3].iter().all(|(_, error)| *error == Unusable::NotAFile));
        assert!(matches!(told[3].1, Unusable::Invalid(_)));
        let file = Definitions::new(Files::system(), folder.join("d.yaml"));
        assert_eq!(file.gathered().problems.len(), 1);
        assert_eq!(file.current().definitions().len(), 24);
    }
}
