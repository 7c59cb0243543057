//! An archive opened for reading: its directory checked, its manifest read, its members streamed.

use std::{
    io::{self, BufReader, Read, Write},
    path::Path,
};

use serde_json::{Map, Value, json};
use zip::{CompressionMethod, ZipArchive};

use super::{
    error::BackupError,
    items::{self, Item},
    members::{self, Member},
};
use crate::{
    base::clock::Moment,
    files::{source::Source, writer::Files},
};

/// The member that says what an archive is.
pub(super) const MANIFEST: &str = "manifest.json";
/// The member with the settings.
pub(super) const SETTINGS: &str = "settings.json";
/// The member with the library.
pub(super) const LIBRARY: &str = "library.json";

/// Bytes of a manifest.
const MANIFEST_BYTES: u64 = 1 << 20;
/// Bytes of a member that is parsed: far above any library, far below what a machine holds.
const PARSED_BYTES: u64 = 1 << 30;
/// Bytes moved at once.
const PIECE: usize = 1 << 17;

/// What an archive says about itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Manifest {
    /// What it holds.
    pub(super) items: Vec<Item>,
    /// When it was made, as written there.
    pub(super) created: String,
    /// Whether credentials were taken out.
    pub(super) redacted_secrets: bool,
    /// Whether names that differ only in their case are different files.
    pub(super) case_sensitive: bool,
}

impl Manifest {
    /// The manifest of a new archive.
    pub(super) fn new(items: &[Item], now: &Moment, case_sensitive: bool) -> Self {
        let created = now.utc_iso();
        Self { items: items.to_vec(), created, redacted_secrets: true, case_sensitive }
    }

    /// As bytes. The mark for case is written only where it is needed.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut map = Map::new();
        map.insert("items".to_owned(), json!(items::names(&self.items)));
        map.insert("created".to_owned(), json!(self.created));
        map.insert("redacted_secrets".to_owned(), json!(self.redacted_secrets));
        if self.case_sensitive {
            map.insert("case_sensitive".to_owned(), json!(true));
        }
        Value::Object(map).to_string().into_bytes()
    }

    fn parse(bytes: &[u8]) -> Option<Self> {
        let value: Value = serde_json::from_slice(bytes).ok()?;
        let list = value.get("items")?.as_array()?;
        let named: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
        let created = match value.get("created") {
            None | Some(Value::Null) => "",
            Some(created) => created.as_str()?,
        };
        let flag = |key: &str| value.get(key).and_then(Value::as_bool).unwrap_or(false);
        Some(Self {
            items: items::select(&named?).ok()?,
            created: created.to_owned(),
            redacted_secrets: flag("redacted_secrets"),
            case_sensitive: flag("case_sensitive"),
        })
    }
}

/// An open archive that broke no rule.
pub(super) struct Archive {
    zip: ZipArchive<BufReader<Source>>,
    members: Vec<Member>,
    /// What it says about itself.
    pub(super) manifest: Manifest,
    /// When the file was last written.
    pub(super) modified: Option<Moment>,
}

impl Archive {
    /// Opens an archive, checks every entry of its directory and reads its manifest.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub(super) fn open(files: &Files, path: &Path) -> Result<Self, BackupError> {
        let source = files.open(path)?;
        let stat = source.stat()?;
        if !stat.is_file() {
            return Err(BackupError::Place);
        }
        let modified = stat.modified().ok().map(Moment::from_system);
        let mut zip = ZipArchive::new(BufReader::new(source)).map_err(|_| BackupError::Invalid)?;
        let members = directory(&mut zip)?;
        let duplicates = zip.has_duplicate_names();
        let blank = Manifest {
            items: Vec::new(),
            created: String::new(),
            redacted_secrets: false,
            case_sensitive: true,
        };
        // The manifest decides about case, so the other rules are looked at before it is read.
        members::check(&members, true)?;
        if duplicates {
            return Err(BackupError::Duplicates);
        }
        let mut archive = Self { zip, members, manifest: blank, modified };
        let manifest = match archive.read_within(MANIFEST, MANIFEST_BYTES) {
            Ok(Some(bytes)) => Manifest::parse(&bytes),
            Ok(None) | Err(BackupError::Invalid | BackupError::MemberTooLarge) => None,
            Err(error) => return Err(error),
        };
        match manifest {
            Some(manifest) => archive.manifest = manifest,
            // Without a manifest the stricter rule is told first.
            None if members::has_duplicates(&archive.members, false) => {
                return Err(BackupError::Duplicates);
            }
            None => return Err(BackupError::Manifest),
        }
        if members::has_duplicates(&archive.members, archive.manifest.case_sensitive) {
            return Err(BackupError::Duplicates);
        }
        Ok(archive)
    }

    /// The members in the order of the directory.
    pub(super) fn members(&self) -> &[Member] {
        &self.members
    }

    /// Where a member stands in [`Archive::members`].
    pub(super) fn find(&self, name: &str) -> Option<usize> {
        self.members.iter().position(|member| member.name == name)
    }

    /// The bytes of a member that will be parsed; `None` when there is no such member.
    ///
    /// # Errors
    /// When it cannot be read, or is larger than anything that can be parsed.
    pub(super) fn read(&mut self, name: &str) -> Result<Option<Vec<u8>>, BackupError> {
        self.read_within(name, PARSED_BYTES)
    }

    fn read_within(&mut self, name: &str, bound: u64) -> Result<Option<Vec<u8>>, BackupError> {
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
    pub(super) fn copy(
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
    /// As [`Archive::copy`].
    pub(super) fn prove(
        &mut self,
        at: usize,
        go_on: &dyn Fn() -> Result<(), BackupError>,
    ) -> Result<(), BackupError> {
        self.copy(at, &mut io::sink(), go_on)
    }
}

/// The directory of an archive. Packing methods nobody here writes make it no archive of ours.
fn directory(zip: &mut ZipArchive<BufReader<Source>>) -> Result<Vec<Member>, BackupError> {
    if zip.len() > crate::base::limits::BACKUP_MEMBERS {
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
        // The upper half is the Unix mode; other systems leave it empty.
        let mode = entry.external_attributes() >> 16;
        members.push(Member { name, size: entry.size(), mode });
    }
    Ok(members)
}

/// Reads only what an archive says about itself.
///
/// # Errors
/// As [`Archive::open`].
pub(super) fn manifest(files: &Files, path: &Path) -> Result<Manifest, BackupError> {
    Archive::open(files, path).map(|archive| archive.manifest)
}
