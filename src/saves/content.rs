//! What saves hold, as one hash: over the names of the files, counted by configured path, and their bytes.
//! Saves on the disk and in an archive are compared by it.

use std::{
    collections::BTreeMap,
    io::{self, Read as _, Write},
};

use sha2::{Digest as _, Sha256};

use super::{
    error::SaveError,
    manifest::{MANIFEST, Manifest},
    sources::SaveFiles,
};
use crate::{
    backup::{error::BackupError, sources::open_regular, watch::Watch, zipped::Zipped},
    base::ids::hex,
    files::{DiskError, Files},
};

/// Bytes that are read at once.
const PIECE: usize = 64 << 10;

/// Passes bytes on and remembers their hash.
pub struct Hashing<W> {
    sink: W,
    hash: Sha256,
    /// How many there were.
    pub bytes: u64,
}

impl<W: Write> Hashing<W> {
    /// Nothing yet.
    pub fn new(sink: W) -> Self {
        Self { sink, hash: Sha256::new(), bytes: 0 }
    }

    /// The hash of all bytes, in hex.
    pub fn finish(self) -> String {
        hex(&self.hash.finalize())
    }
}

impl<W: Write> Write for Hashing<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.sink.write(bytes)?;
        self.hash.update(&bytes[..written]);
        self.bytes += written as u64;
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.sink.flush()
    }
}

/// The content of saves on the disk; `None` without a file.
///
/// # Errors
/// A file that cannot be read, or a watch that ends the work.
pub(super) fn of_disk(
    files: &Files,
    found: &SaveFiles,
    watch: &dyn Watch,
) -> Result<Option<String>, SaveError> {
    let mut hashes = BTreeMap::new();
    for file in &found.files {
        let Some(mut source) = open_regular(files, &file.path, &file.shown)? else { continue };
        let mut hashing = Hashing::new(io::sink());
        let mut buffer = vec![0; PIECE];
        loop {
            watch.go_on()?;
            let read = source.read(&mut buffer).map_err(DiskError::at("read", &file.path))?;
            if read == 0 {
                break;
            }
            hashing.write_all(&buffer[..read]).map_err(BackupError::Sink)?;
        }
        hashes.insert(name_of(&found.manifest, &file.member)?, hashing.finish());
    }
    Ok((!hashes.is_empty()).then(|| hash_of(&hashes)))
}

/// The content of an archive.
///
/// # Errors
/// A member that cannot be read, or a watch that ends the work.
pub(super) fn of_archive(
    zip: &mut Zipped,
    manifest: &Manifest,
    watch: &dyn Watch,
) -> Result<(String, u64), SaveError> {
    let mut hashes = BTreeMap::new();
    for at in 0..zip.members().len() {
        let member = &zip.members()[at];
        if member.name == MANIFEST || member.is_folder() {
            continue;
        }
        let name = name_of(manifest, &member.name)?;
        let mut hashing = Hashing::new(io::sink());
        zip.copy(at, &mut hashing, &|| watch.go_on())?;
        hashes.insert(name, hashing.finish());
    }
    Ok((hash_of(&hashes), hashes.len() as u64))
}

fn name_of(manifest: &Manifest, member: &str) -> Result<String, SaveError> {
    Ok(manifest.name_by_path(member).ok_or(BackupError::UnsafeName)?)
}

fn hash_of(hashes: &BTreeMap<String, String>) -> String {
    let mut all = Sha256::new();
    for (name, hash) in hashes {
        // The length keeps a name from running into the hash behind it.
        all.update((name.len() as u64).to_le_bytes());
        all.update(name);
        all.update(hash);
    }
    hex(&all.finalize())
}
