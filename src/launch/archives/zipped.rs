//! ZIP archives, read in this process.

use std::{
    io::{self, BufReader, Read as _},
    path::Path,
};

use zip::{CompressionMethod, ZipArchive};

use super::{
    error::ArchiveError,
    members::{self, Member},
};
use crate::{
    files::{Files, source::Source},
    process::search,
};

/// Bytes moved at once.
const PIECE: usize = 1 << 18;
/// The bit of a mode that lets the owner execute the file.
const EXECUTABLE: u32 = 0o100;

/// An open archive that broke no rule.
pub(super) struct Zip {
    zip: ZipArchive<BufReader<Source>>,
    members: Vec<Member>,
}

impl Zip {
    /// Opens an archive and checks every entry of its directory. `None` when a member is packed in
    /// a way this program does not know.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(super) fn open(files: &Files, path: &Path) -> Result<Option<Self>, ArchiveError> {
        let source = BufReader::new(files.open(path)?);
        let zip = ZipArchive::new(source).map_err(|_| ArchiveError::Unreadable)?;
        if zip.len() > crate::base::limits::ARCHIVE_MEMBERS {
            return Err(ArchiveError::TooMany);
        }
        if zip.has_duplicate_names() {
            return Err(ArchiveError::Duplicates);
        }
        let mut members = Vec::with_capacity(zip.len());
        for at in 0..zip.len() {
            let entry = zip.by_index_data(at).map_err(|_| ArchiveError::Unreadable)?;
            let name = entry.name().map_err(|_| ArchiveError::UnsafeName)?;
            // The upper half is the Unix mode; other systems leave it empty.
            let mode = entry.external_attributes() >> 16;
            // Old programs of Windows part folders with a backslash.
            let name = if mode == 0 { name.replace('\\', "/") } else { name.into_owned() };
            let name = members::plain(&name).to_owned();
            if entry.encrypted() {
                return Err(ArchiveError::Encrypted);
            }
            if ![CompressionMethod::Stored, CompressionMethod::Deflated]
                .contains(&entry.compression())
            {
                return Ok(None);
            }
            members.push(Member { name, size: entry.size(), mode });
        }
        members::check(&members)?;
        Ok(Some(Self { zip, members }))
    }

    /// The members in the order of the directory.
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Whether a member may be executed once it is extracted. An archive that was made where files have no Unix modes
    /// has no such mode, so its programs are executable.
    pub(super) fn is_executable(&mut self, name: &str) -> bool {
        match self.members.iter().find(|member| member.name == name) {
            Some(Member { mode: 0, .. }) => self.is_program(name),
            member => member.is_some_and(|member| member.mode & EXECUTABLE != 0),
        }
    }

    /// Whether the kernel takes a member for a program once it is extracted.
    pub(super) fn is_program(&mut self, name: &str) -> bool {
        let Some(at) = self.members.iter().position(|member| member.name == name) else {
            return false;
        };
        let mut head = Vec::with_capacity(search::HEAD);
        let read = self
            .zip
            .by_index(at)
            .is_ok_and(|member| member.take(search::HEAD as u64).read_to_end(&mut head).is_ok());
        read && search::is_head_of_program(&head, Path::new(name))
    }

    /// Writes every member below an empty folder of this program.
    ///
    /// # Errors
    /// When a member holds more or less than its directory says, or the disk refuses.
    pub(super) fn extract(&mut self, files: &Files, into: &Path) -> Result<(), ArchiveError> {
        for at in 0..self.members.len() {
            let path = into.join(self.members[at].name.trim_end_matches('/'));
            if self.members[at].is_folder() {
                files.private_dir(&path)?;
            } else {
                files.private_dir(path.parent().unwrap_or(into))?;
                self.extract_file(files, at, &path)?;
            }
        }
        Ok(())
    }

    fn extract_file(&mut self, files: &Files, at: usize, path: &Path) -> Result<(), ArchiveError> {
        let Member { size, mode, .. } = self.members[at];
        let mut member = self.zip.by_index(at).map_err(|_| ArchiveError::Unreadable)?;
        let mut file = files.append_or_create(path)?;
        let mut buffer = vec![0; PIECE];
        let mut copied: u64 = 0;
        let mut is_program = false;
        loop {
            let read = match member.read(&mut buffer) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Err(ArchiveError::Unreadable),
            };
            if copied == 0 && mode == 0 {
                is_program = search::is_head_of_program(&buffer[..read], path);
            }
            copied += read as u64;
            if copied > size {
                return Err(ArchiveError::TooLarge);
            }
            file.append(&buffer[..read])?;
        }
        if copied != size {
            return Err(ArchiveError::Unreadable);
        }
        if is_program || mode & EXECUTABLE != 0 {
            files.set_mode(path, 0o700)?;
        }
        Ok(file.sync()?)
    }
}
