//! A ZIP file from outside opened for reading: its directory checked, its members streamed.
//!
//! Knows no manifest. Nothing of it is read before every rule for members holds.

use std::{
    io::{self, BufReader, Read, Seek as _, SeekFrom, Write},
    path::Path,
};

use zip::{CompressionMethod, ZipArchive};

use super::{
    error::BackupError,
    members::{self, Member},
};
use crate::{
    base::{Moment, limits},
    files::{Files, source::Source},
};

/// Bytes moved at once.
const PIECE: usize = 1 << 17;
/// Bytes of a member's own header before its name; the length of the name is at 26.
const HEADER: usize = 30;

/// An open ZIP file that broke no rule.
pub struct Zipped {
    zip: ZipArchive<BufReader<Source>>,
    members: Vec<Member>,
    /// When the file was last written.
    pub modified: Option<Moment>,
}

impl Zipped {
    /// Opens a ZIP file and checks every entry of its directory. Names that differ in their case
    /// only are left to [`Zipped::refuse_duplicates`].
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn open(files: &Files, path: &Path) -> Result<Self, BackupError> {
        let source = files.open(path)?;
        let stat = source.stat()?;
        if !stat.is_file() {
            return Err(BackupError::Place);
        }
        let modified = stat.modified().ok().map(Moment::from_system);
        let mut zip = ZipArchive::new(BufReader::new(source)).map_err(|_| BackupError::Invalid)?;
        let members = directory(&mut zip, &mut files.open(path)?)?;
        let duplicates = zip.has_duplicate_names();
        members::check(&members, true)?;
        if duplicates {
            return Err(BackupError::Duplicates);
        }
        Ok(Self { zip, members, modified })
    }

    /// Refuses two members that would be unpacked to one place.
    ///
    /// # Errors
    /// [`BackupError::Duplicates`].
    pub fn refuse_duplicates(&self, case_sensitive: bool) -> Result<(), BackupError> {
        if members::has_duplicates(&self.members, case_sensitive) {
            return Err(BackupError::Duplicates);
        }
        Ok(())
    }

    /// The members in the order of the directory.
    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// Where a member stands in [`Zipped::members`].
    pub fn find(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// The bytes of a member that will be parsed; `None` when there is no such member.
    ///
    /// # Errors
    /// When it cannot be read, or holds more than `bound` bytes.
    pub fn read_within(&mut self, name: &str, bound: u64) -> Result<Option<Vec<u8>>, BackupError> {
        let Some(at) = self.find(name) else { return Ok(None) };
        if self.members[at].size > bound {
            return Err(BackupError::MemberTooLarge);
        }
        let mut bytes = Vec::new();
        self.copy(at, &mut bytes, &|| Ok(()))?;
        Ok(Some(bytes))
    }

    /// Writes the content of a member into a sink, a piece at a time, and checks its length and
    /// checksum on the way.
    ///
    /// # Errors
    /// When it holds more or less than its directory says or cannot be unpacked, when the sink
    /// refuses, or when `go_on` does.
    pub fn copy(
        &mut self,
        at: usize,
        sink: &mut dyn Write,
        go_on: &dyn Fn() -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        let declared = self.members[at].size;
        let mut member = self.zip.by_index(at).map_err(|_| BackupError::Invalid)?;
        let mut buffer = vec![0; PIECE];
        let mut copied: u64 = 0;
        loop {
            go_on()?;
            let read = match member.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(BackupError::Invalid),
            };
            copied += read as u64;
            if copied > declared {
                return Err(BackupError::MemberTooLarge);
            }
            sink.write_all(&buffer[..read]).map_err(BackupError::Sink)?;
        }
        if copied == declared { Ok(()) } else { Err(BackupError::Invalid) }
    }

    /// Reads a member to its end without keeping it.
    ///
    /// # Errors
    /// As [`Zipped::copy`].
    pub fn prove(
        &mut self,
        at: usize,
        go_on: &dyn Fn() -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        self.copy(at, &mut io::sink(), go_on)
    }

    /// Reads every member to its end and compares names and sizes with what was written.
    ///
    /// # Errors
    /// [`BackupError::Invalid`] when they differ; else as [`Zipped::copy`].
    pub fn prove_all(
        &mut self,
        written: &[(String, u64)],
        go_on: &dyn Fn() -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        let members = self.members.iter().map(|member| (member.name.as_str(), member.size));
        if !members.eq(written.iter().map(|(name, size)| (name.as_str(), *size))) {
            return Err(BackupError::Invalid);
        }
        (0..self.members.len()).try_for_each(|at| self.prove(at, go_on))
    }
}

/// The directory of an archive. Unused packing methods make it a foreign archive, and so does a member whose name
/// differs from the directory: nothing else guards its name.
fn directory(
    zip: &mut ZipArchive<BufReader<Source>>,
    source: &mut Source,
) -> Result<Vec<Member>, BackupError> {
    if zip.len() > limits::BACKUP_MEMBERS {
        return Err(BackupError::TooMany);
    }
    let mut members = Vec::with_capacity(zip.len());
    for at in 0..zip.len() {
        let entry = zip.by_index_data(at).map_err(|_| BackupError::Invalid)?;
        let name = entry.name().map_err(|_| BackupError::UnsafeName)?.into_owned();
        let packed = [CompressionMethod::Stored, CompressionMethod::Deflated];
        if entry.encrypted() || !packed.contains(&entry.compression()) {
            return Err(BackupError::Invalid);
        }
        if !is_called(source, entry.header_start(), entry.name_raw()) {
            return Err(BackupError::Invalid);
        }
        // The upper half is the Unix mode; other systems leave it empty.
        let mode = entry.external_attributes() >> 16;
        members.push(Member { name, size: entry.size(), mode });
    }
    Ok(members)
}

/// Whether the member whose own header stands at this place has this name there.
fn is_called(source: &mut Source, at: u64, name: &[u8]) -> bool {
    let mut header = [0; HEADER];
    let mut called = vec![0; name.len()];
    let mut read = || {
        source.seek(SeekFrom::Start(at))?;
        source.read_exact(&mut header)?;
        source.read_exact(&mut called)
    };
    read().is_ok()
        && usize::from(u16::from_le_bytes([header[26], header[27]])) == name.len()
        && called == name
}
