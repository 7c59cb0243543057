//! The checksums by which providers know the file of a game. Of an archive they know the file inside:
//! the one that the game names, else the largest.

use std::{
    fs::File,
    io::{self, Read},
    path::Path,
};

use md5::Md5;
use sevenz_rust2::{ArchiveReader, Password};
use sha1::{Digest as _, Sha1};

use crate::{base::ids, providers::error::Cancel};

/// Bytes of the largest file that is hashed.
pub const BYTES: u64 = 512 << 20;
/// Bytes that may have to be unpacked to reach a file in an archive.
const UNPACKED: u64 = 2 << 30;
/// KiB that unpacking may take.
const MEMORY_KIB: usize = 256 << 10;
/// Files of the largest archive that is looked into.
const MEMBERS: usize = 10_000;
/// Bytes of the header of a copier: what is more than whole kilobytes.
const COPIER: u64 = 512;
/// Headers that say what they are: where, how, and their bytes.
const HEADERS: [(usize, &str, u64); 4] =
    [(0, "NES\x1a", 16), (0, "FDS\x1a", 16), (0, "LYNX", 64), (1, "ATARI7800", 128)];
/// Bytes between two checks for a cancellation.
const PIECE: usize = 256 << 10;

/// Checksums in upper-case hex.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hashes {
    /// CRC32.
    pub crc: String,
    /// CRC32 without the header that a copier or an emulator put in front; the one above when there is
    /// none.
    pub bare_crc: String,
    /// MD5.
    pub md5: String,
    /// SHA-1.
    pub sha1: String,
    /// Bytes.
    pub size: u64,
    /// The name of the file, or of the one in the archive, without folders.
    pub name: String,
}

/// Why a file has no checksums. The texts name no path.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum HashError {
    #[error("ROM file not found.")]
    Missing,
    #[error("The ROM file is larger than 512 MB.")]
    TooLarge,
    #[error("The ROM file cannot be read.")]
    Unreadable,
    /// It was cancelled.
    #[error("It was cancelled.")]
    Stopped,
}

/// The checksums of a file, or of one in it; `member` is blank for the largest.
///
/// # Errors
/// [`HashError`].
pub fn of_file(path: &Path, member: &str, cancel: Cancel<'_>) -> Result<Hashes, HashError> {
    let found = path.metadata().map_err(|_| HashError::Missing)?;
    if !found.is_file() {
        return Err(HashError::Missing);
    }
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    let file = File::open(path).map_err(|_| HashError::Unreadable)?;
    match ending.as_str() {
        "zip" => {
            if let Some(hashes) = of_zip(&file, member, cancel) {
                return hashes;
            }
        }
        "7z" => {
            if let Some(hashes) = of_7z(&file, member, cancel) {
                return hashes;
            }
        }
        _ => {}
    }
    if found.len() > BYTES {
        return Err(HashError::TooLarge);
    }
    // A fresh one: reading the archive moved the position.
    of_bytes(File::open(path).map_err(|_| HashError::Unreadable)?, name, cancel)
}

/// The file to hash among the names and sizes of an archive.
fn choose<'a>(files: &'a [(String, u64)], member: &str) -> Option<&'a (String, u64)> {
    let named = files.iter().find(|(name, _)| !member.is_empty() && name == member);
    named.or_else(|| files.iter().rev().max_by_key(|(_, size)| *size))
}

/// As [`of_file`] for a ZIP archive; `None` when it is not a ZIP archive or is empty.
fn of_zip(file: &File, member: &str, cancel: Cancel<'_>) -> Option<Result<Hashes, HashError>> {
    let mut zip = zip::ZipArchive::new(file).ok().filter(|zip| zip.len() <= MEMBERS)?;
    let mut files = Vec::new();
    for at in 0..zip.len() {
        let entry = zip.by_index_raw(at).ok().filter(zip::read::ZipFile::is_file);
        files.extend(entry.and_then(|entry| Some((entry.name().ok()?.into_owned(), entry.size()))));
    }
    let (name, size) = choose(&files, member)?;
    if *size > BYTES {
        return Some(Err(HashError::TooLarge));
    }
    let Ok(entry) = zip.by_name(name) else { return Some(Err(HashError::Unreadable)) };
    Some(of_bytes(entry, base_name(name), cancel))
}

/// As [`of_zip`] for a 7z archive.
fn of_7z(file: &File, member: &str, cancel: Cancel<'_>) -> Option<Result<Hashes, HashError>> {
    let opened = ArchiveReader::new_with_memory_limit(file, Password::empty(), MEMORY_KIB);
    let mut archive = opened.ok().filter(|it| it.archive().files.len() <= MEMBERS)?;
    let files = archive.archive().files.iter().filter(|entry| entry.has_stream());
    let files: Vec<(String, u64)> =
        files.map(|entry| (entry.name().to_owned(), entry.size())).collect();
    let (wanted, size) = choose(&files, member)?;
    let all: u64 = files.iter().map(|(_, size)| *size).fold(0, u64::saturating_add);
    if *size > BYTES || all > UNPACKED {
        return Some(Err(HashError::TooLarge));
    }
    let mut outcome = Err(HashError::Unreadable);
    let read = archive.for_each_entries(|entry, content| {
        if entry.name() == wanted && entry.has_stream() {
            outcome = of_bytes(content, base_name(wanted), cancel);
            return Ok(false);
        }
        // What lies in front has to be unpacked to reach the file.
        io::copy(content, &mut io::sink())?;
        Ok(!cancel())
    });
    if read.is_err() && outcome.is_ok() {
        outcome = Err(HashError::Unreadable);
    }
    Some(if cancel() { Err(HashError::Stopped) } else { outcome })
}

fn base_name(name: &str) -> String {
    name.rsplit(['/', '\\']).next().unwrap_or_default().to_owned()
}

/// Bytes in front of a game that are not its own.
#[derive(Clone, Copy)]
struct Header {
    bytes: u64,
    /// Whether they say so themselves; else the size of the file has to.
    is_sure: bool,
}

/// The header that a file with this beginning has.
fn header_of(first: &[u8]) -> Header {
    let known = HEADERS.iter().find(|(at, word, _)| {
        first.get(*at..).is_some_and(|rest| rest.starts_with(word.as_bytes()))
    });
    known.map_or(Header { bytes: COPIER, is_sure: false }, |(.., bytes)| Header {
        bytes: *bytes,
        is_sure: true,
    })
}

/// The checksums of everything that comes.
fn of_bytes(mut content: impl Read, name: String, cancel: Cancel<'_>) -> Result<Hashes, HashError> {
    let (mut crc, mut md5, mut sha1) = (crc32fast::Hasher::new(), Md5::new(), Sha1::new());
    let mut bare = crc32fast::Hasher::new();
    let mut buffer = vec![0; PIECE];
    let mut size = 0_u64;
    let mut header = None;
    loop {
        if cancel() {
            return Err(HashError::Stopped);
        }
        let count = match content.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(HashError::Unreadable),
        };
        size += count as u64;
        if size > BYTES {
            return Err(HashError::TooLarge);
        }
        let piece = &buffer[..count];
        let skipped = *header.get_or_insert_with(|| header_of(piece));
        let first = skipped.bytes.saturating_sub(size - count as u64);
        let first = usize::try_from(first).unwrap_or(count).min(count);
        bare.update(&piece[first..]);
        crc.update(piece);
        md5.update(piece);
        sha1.update(piece);
    }
    let upper = |bytes: &[u8]| ids::hex(bytes).to_uppercase();
    let crc = format!("{:08X}", crc.finalize());
    let has_header = header.is_some_and(|header| header.is_sure || size % 1024 == COPIER);
    let bare_crc = if has_header { format!("{:08X}", bare.finalize()) } else { crc.clone() };
    Ok(Hashes {
        crc,
        bare_crc,
        md5: upper(&md5.finalize()),
        sha1: upper(&sha1.finalize()),
        size,
        name,
    })
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests prepare files themselves")]
mod tests {
    use std::io::Write as _;

    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    fn hash(path: &Path, member: &str) -> Result<(String, String, u64), HashError> {
        of_file(path, member, &|| false).map(|it| (it.name, it.crc, it.size))
    }

    #[test]
    fn a_file_has_the_published_checksums() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("Comet (USA).sfc");
        std::fs::write(&path, "123456789").expect("written");
        let expected = Hashes {
            crc: "CBF43926".to_owned(),
            bare_crc: "CBF43926".to_owned(),
            md5: "25F9E794323B453885F5181F1B624D0B".to_owned(),
            sha1: "F7C3BC1D808E04732ADF679965CCC34CA7AE3441".to_owned(),
            size: 9,
            name: "Comet (USA).sfc".to_owned(),
        };
        assert_eq!(of_file(&path, "", &|| false), Ok(expected));
        assert_eq!(of_file(&path, "", &|| true), Err(HashError::Stopped));
        assert_eq!(hash(folder.path(), ""), Err(HashError::Missing));
        assert_eq!(hash(&folder.path().join("gone"), ""), Err(HashError::Missing));
    }

    #[test]
    fn a_header_in_front_does_not_count() {
        let folder = tempfile::tempdir().expect("a folder");
        let bare = |content: &[u8]| {
            let path = folder.path().join("game.bin");
            std::fs::write(&path, content).expect("written");
            of_file(&path, "", &|| false).map(|found| found.bare_crc)
        };
        let crc = |content: &[u8]| Ok(format!("{:08X}", crc32fast::hash(content)));
        let with = |header: &[u8], size: usize| [header, &vec![7; size]].concat();
        let nes = with(b"NES\x1a", 12 + 40);
        assert_eq!(bare(&nes), crc(&nes[16..]));
        let atari = with(b"\x01ATARI7800", 300);
        assert_eq!(bare(&atari), crc(&atari[128..]));
        assert_eq!(bare(&[1; 1024 + 512]), crc(&[1; 1024]));
        assert_eq!(bare(&[1; 1024 + 511]), crc(&[1; 1024 + 511]));
        let large = with(b"LYNX", 3 * PIECE);
        assert_eq!(bare(&large), crc(&large[64..]));
        assert_eq!(bare(b""), crc(b""));
    }

    #[test]
    fn of_an_archive_the_named_or_the_largest_file_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("comet.zip");
        let mut zip = ZipWriter::new(File::create(&path).expect("created"));
        for (name, content) in [("read.me", "x"), ("roms/comet.sfc", "123456789"), ("b.sfc", "12")]
        {
            zip.start_file(name, SimpleFileOptions::default()).expect("a member");
            zip.write_all(content.as_bytes()).expect("written");
        }
        zip.finish().expect("finished");
        assert_eq!(hash(&path, ""), Ok(("comet.sfc".into(), "CBF43926".into(), 9)));
        assert_eq!(hash(&path, "read.me").map(|it| it.2), Ok(1));
        assert_eq!(hash(&path, "gone").map(|it| it.2), Ok(9), "the largest stands in");
        let broken = folder.path().join("broken.zip");
        std::fs::write(&broken, "123456789").expect("written");
        assert_eq!(hash(&broken, ""), Ok(("broken.zip".into(), "CBF43926".into(), 9)));
    }

    #[test]
    fn a_7z_archive_is_unpacked_up_to_the_file() {
        // A text and a game of one byte repeated, packed with their names by the program of the format.
        const GAME_7Z: &str = "\
            N3q8ryccAASBPVqDmQAAAAAAAAAhAAAAAAAAAPGxx8PgC7oAGF0AAG/9//+jt/9HPkgVcjlhUbhC9L2VZjwA\
            AAAAgTMHrg/QDrA8nz9HQQuzhjVMFDC/kycv+8BZypO2wzcPtAbpWyrho5DVP4xa1XesaHBRV1ve7d/t+NYt\
            2ON5wyfzJYZBTIdHwh9kZ8Y9zbeQnFOSYnFqrVA+EsVVtnyC9qQIRXhEmj90G3DI+I3iKC46ahGuAAAXBiAB\
            CXkABwsBAAEjAwEBBV0AEAAADICGCgFVQPLUAAA=";
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("game.7z");
        let bytes = STANDARD.decode(GAME_7Z.replace(' ', "")).expect("base64");
        std::fs::write(&path, &bytes).expect("written");
        let found = of_file(&path, "", &|| false).expect("hashed");
        assert!(found.size > 1_000 && found.name != "game.7z", "{found:?}");
    }

    #[test]
    fn a_file_past_the_limit_is_not_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("large.iso");
        let file = File::create(&path).expect("created");
        file.set_len(BYTES + 1).expect("sparse");
        assert_eq!(hash(&path, ""), Err(HashError::TooLarge));
    }
}
