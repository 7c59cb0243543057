//! A file being written next to the one it will replace.
//!
//! It is removed when it is dropped without having taken its place, on errors and panics alike.

use std::{
    ffi::{OsStr, OsString},
    fs::{File, Metadata},
    io::{self, Write},
    os::unix::ffi::OsStrExt as _,
    path::{Path, PathBuf},
    sync::{Arc, OnceLock},
};

use super::{append::Appender, disk::Disk, error::DiskError};
use crate::base::ids::random_hex;

/// Bytes written between two syncs of a long file, so that one large write never holds up the
/// small ones of others at the end.
const SYNC_EVERY: u64 = 8 << 20;

/// A complete, durable file under a temporary name in the folder of its destination.
pub struct Temp {
    disk: Arc<dyn Disk>,
    path: PathBuf,
    file: File,
    armed: bool,
}

/// How every temporary name ends; it begins with a dot and the name it will take.
pub(super) const SUFFIX: &str = ".tmp";
/// Random bytes in a temporary name, twice as many digits.
const RANDOM: usize = 6;
/// Those of them, at the front, that all names of one process have in common.
const PROCESS: usize = 2;
/// What a temporary name has more than the name it will take: two dots, digits, the suffix.
const MORE: usize = 2 + 2 * RANDOM + SUFFIX.len();
/// The longest name of a file.
const LONGEST: usize = 255;

/// The digits of this process in temporary names.
fn process_digits() -> &'static str {
    static DIGITS: OnceLock<String> = OnceLock::new();
    DIGITS.get_or_init(|| random_hex(PROCESS))
}

/// A new name next to `name`: `.<name>.<random>.tmp`. Of a name that leaves no room for that the
/// end is left out.
pub fn temporary_name(name: &OsStr) -> OsString {
    let kept = name.len().min(LONGEST - MORE);
    let mut temp = OsString::from(".");
    temp.push(OsStr::from_bytes(&name.as_bytes()[..kept]));
    temp.push(format!(".{}{}{SUFFIX}", process_digits(), random_hex(RANDOM - PROCESS)));
    temp
}

/// The name that a temporary file was to take; `None` for any other file.
pub fn destination_of(name: &[u8]) -> Option<&[u8]> {
    let rest = name.strip_prefix(b".")?.strip_suffix(SUFFIX.as_bytes())?;
    let at = rest.len().checked_sub(2 * RANDOM + 1)?;
    let (of, random) = (&rest[..at], &rest[at..]);
    let digits = random[1..].iter().all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'));
    (random[0] == b'.' && digits && !of.is_empty()).then_some(of)
}

/// Whether a name is one that a file has only while it is being written.
pub fn is_temporary(name: &[u8]) -> bool {
    destination_of(name).is_some()
}

/// Whether a name is a temporary one that another process gave. Of 65,536 processes about one has the
/// digits of this one; its files are found by the next process.
pub fn is_of_another_process(name: &[u8]) -> bool {
    let ours = process_digits().as_bytes();
    destination_of(name).is_some_and(|of| !name[of.len() + 2..].starts_with(ours))
}

impl Temp {
    /// Writes a new file next to `path` and makes its content durable.
    pub(super) fn write(
        disk: Arc<dyn Disk>,
        path: &Path,
        content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
    ) -> Result<Self, DiskError> {
        let temp = path.with_file_name(temporary_name(path.file_name().unwrap_or_default()));
        let file = disk.create_new(&temp).map_err(DiskError::at("create", &temp))?;
        let this = Self { disk, path: temp, file, armed: true };
        let sink = Sink { temp: &this, unsynced: 0 };
        let mut buffer = io::BufWriter::with_capacity(1 << 18, sink);
        content(&mut buffer).and_then(|()| buffer.flush()).map_err(DiskError::at("write", path))?;
        drop(buffer);
        this.disk.sync_all(&this.file).map_err(DiskError::at("sync", path))?;
        Ok(this)
    }

    /// Writes a new file next to `path` without making its content durable.
    pub(super) fn write_unsynced(
        disk: Arc<dyn Disk>,
        path: &Path,
        bytes: &[u8],
    ) -> Result<Self, DiskError> {
        let temp = path.with_file_name(temporary_name(path.file_name().unwrap_or_default()));
        let file = disk.create_new(&temp).map_err(DiskError::at("create", &temp))?;
        let this = Self { disk, path: temp, file, armed: true };
        let mut rest = bytes;
        while !rest.is_empty() {
            let written = this.disk.write(&this.file, rest);
            rest = &rest[written.map_err(DiskError::at("write", path))?..];
        }
        Ok(this)
    }

    /// Where the file stands now.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The attributes it has and keeps when it takes its place.
    pub fn stat(&self) -> Result<Metadata, DiskError> {
        self.disk.stat_file(&self.file).map_err(DiskError::at("examine", &self.path))
    }

    /// Takes the place of `path`. The new name is durable after the folder has been synced.
    pub fn persist(&mut self, path: &Path) -> Result<(), DiskError> {
        self.disk.rename(&self.path, path).map_err(DiskError::at("replace", path))?;
        self.armed = false;
        Ok(())
    }

    /// As [`Temp::persist`] for a name that nothing may have yet.
    pub(super) fn persist_new(&mut self, path: &Path) -> Result<(), DiskError> {
        self.disk.rename_new(&self.path, path).map_err(DiskError::at("create", path))?;
        self.armed = false;
        Ok(())
    }

    /// As [`Temp::persist`], and keeps the file open for appending.
    pub fn persist_open(mut self, path: &Path) -> Result<Appender, DiskError> {
        let file = self.file.try_clone().map_err(DiskError::at("keep open", path))?;
        self.disk.rename(&self.path, path).map_err(DiskError::at("replace", path))?;
        self.armed = false;
        Ok(Appender::new(Arc::clone(&self.disk), path.to_owned(), file))
    }

    /// Writes more at the end and makes it durable.
    pub fn extend(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        let mut sink = Sink { temp: self, unsynced: 0 };
        sink.write_all(bytes).map_err(DiskError::at("write", &self.path))?;
        self.disk.sync_all(&self.file).map_err(DiskError::at("sync", &self.path))
    }

    /// As [`Temp::extend`] without making it durable, for what is lost with this value anyway.
    pub fn extend_unsynced(&mut self, bytes: &[u8]) -> Result<(), DiskError> {
        let mut sink = Sink { temp: self, unsynced: 0 };
        sink.write_all(bytes).map_err(DiskError::at("write", &self.path))
    }

    /// Swaps names with `path`: the content written here stands there, and the temporary name now
    /// holds what stood there, which is not removed when this value is dropped. A second call
    /// swaps back.
    pub fn exchange(&mut self, path: &Path) -> Result<(), DiskError> {
        self.disk.exchange(&self.path, path).map_err(DiskError::at("replace", path))?;
        self.armed = !self.armed;
        Ok(())
    }
}

impl Drop for Temp {
    fn drop(&mut self) {
        if self.armed {
            // OK because a leftover is cleared at the next start.
            drop(self.disk.remove(&self.path));
        }
    }
}

struct Sink<'a> {
    temp: &'a Temp,
    unsynced: u64,
}

impl Write for Sink<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.temp.disk.write(&self.temp.file, bytes)?;
        self.unsynced += written as u64;
        if self.unsynced >= SYNC_EVERY {
            self.temp.disk.sync_data(&self.temp.file)?;
            self.unsynced = 0;
        }
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn temporary_names_are_told_from_others_and_fit() {
        for name in [&b"a"[..], b"save.dat", b"\xff\xfe", &[b'x'; 255]] {
            let temp = temporary_name(OsStr::from_bytes(name));
            assert!(temp.len() <= LONGEST, "{temp:?}");
            let of = destination_of(temp.as_bytes()).expect("a temporary name");
            assert!(name.starts_with(of) && (of == name || name.len() > LONGEST - MORE));
        }
        for other in ["", ".tmp", "a.tmp", ".a.tmp", ".a.0123456789ag.tmp", "..0123456789ab.tmp"] {
            assert!(!is_temporary(other.as_bytes()), "{other}");
        }
    }
}
