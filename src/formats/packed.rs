//! The names inside an archive, from a few parts of it.
//!
//! Both formats keep their names at the end of the file, so two parts are enough for all but archives
//! of thousands of files.

use std::{
    borrow::Cow,
    io::{self, Read, Seek, SeekFrom},
};

use sevenz_rust2::{Archive, Password};
use zip::ZipArchive;

use super::content::{Bytes, PART};

/// The extensions that [`names`] reads.
pub const ARCHIVES: [&str; 2] = ["zip", "7z"];

/// KiB that the packed names of an archive may take.
const NAMES_KIB: usize = 4 * 1024;

/// The names of the files in an archive of this extension, in its order; none when it cannot be read
/// or has too many of them. `length` is the size of the archive in bytes.
pub fn names(suffix: &str, file: &mut dyn Bytes, length: u64) -> Vec<String> {
    let mut window = Window { file, length, at: 0, part: Vec::new(), position: 0 };
    match suffix {
        "zip" => ZipArchive::new(window)
            .map(|archive| archive.file_names().flatten().map(Cow::into_owned).collect())
            .unwrap_or_default(),
        "7z" => Archive::read_with_memory_limit(&mut window, &Password::empty(), NAMES_KIB)
            .map(|archive| archive.files.into_iter().map(|file| file.name).collect())
            .unwrap_or_default(),
        _ => Vec::new(),
    }
}

/// A file as a reader that keeps the part it read last.
struct Window<'a> {
    file: &'a mut dyn Bytes,
    length: u64,
    /// Where the part begins.
    at: u64,
    part: Vec<u8>,
    position: u64,
}

impl Read for Window<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.position >= self.length {
            return Ok(0);
        }
        let is_kept = self.position >= self.at && self.position - self.at < self.part.len() as u64;
        if !is_kept {
            // The last part as a whole, because readers go through it backwards.
            self.at = self.position.min(self.length.saturating_sub(PART as u64));
            self.part = self.file.read(self.at);
        }
        let start = usize::try_from(self.position - self.at).unwrap_or(usize::MAX);
        let Some(rest) = self.part.get(start..).filter(|rest| !rest.is_empty()) else {
            return Err(io::ErrorKind::UnexpectedEof.into());
        };
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.position += count as u64;
        Ok(count)
    }
}

impl Seek for Window<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let target = match to {
            SeekFrom::Start(position) => Some(position),
            SeekFrom::End(offset) => self.length.checked_add_signed(offset),
            SeekFrom::Current(offset) => self.position.checked_add_signed(offset),
        };
        self.position = target.ok_or(io::ErrorKind::InvalidInput)?;
        Ok(self.position)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Write as _};

    use base64::{Engine as _, engine::general_purpose::STANDARD};
    use proptest::prelude::*;
    use zip::{ZipWriter, write::SimpleFileOptions};

    use super::*;

    /// Two files, packed with their names by the program of the format.
    const GAME_7Z: &str = "\
        N3q8ryccAASBPVqDmQAAAAAAAAAhAAAAAAAAAPGxx8PgC7oAGF0AAG/9//+jt/9HPkgVcjlhUbhC9L2VZjwA\
        AAAAgTMHrg/QDrA8nz9HQQuzhjVMFDC/kycv+8BZypO2wzcPtAbpWyrho5DVP4xa1XesaHBRV1ve7d/t+NYt\
        2ON5wyfzJYZBTIdHwh9kZ8Y9zbeQnFOSYnFqrVA+EsVVtnyC9qQIRXhEmj90G3DI+I3iKC46ahGuAAAXBiAB\
        CXkABwsBAAEjAwEBBV0AEAAADICGCgFVQPLUAAA=";

    /// A file in memory that counts how often it is read.
    struct Counted<'a>(&'a [u8], usize);

    impl Bytes for Counted<'_> {
        fn read(&mut self, position: u64) -> Vec<u8> {
            self.1 += 1;
            let start = usize::try_from(position).expect("small").min(self.0.len());
            self.0[start..self.0.len().min(start + PART)].to_vec()
        }
    }

    #[track_caller]
    fn check(suffix: &str, bytes: &[u8], expected: &[&str], readings: usize) {
        let mut file = Counted(bytes, 0);
        assert_eq!(names(suffix, &mut file, bytes.len() as u64), expected);
        assert!(file.1 <= readings, "{} readings", file.1);
    }

    fn zipped(files: &[(&str, usize)]) -> Vec<u8> {
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let options =
            SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        for (name, size) in files {
            zip.start_file(*name, options).expect("started");
            zip.write_all(&vec![7; *size]).expect("written");
        }
        zip.finish().expect("finished").into_inner()
    }

    #[test]
    fn the_names_of_a_zip_are_at_its_end() {
        check("zip", &zipped(&[("Game.md", 9)]), &["Game.md"], 1);
        check("zip", &zipped(&[("a.txt", 300_000), ("Game.md", 9)]), &["a.txt", "Game.md"], 2);
    }

    #[test]
    fn the_names_of_a_7z_are_packed() {
        let packed = STANDARD.decode(GAME_7Z).expect("base64");
        check("7z", &packed, &["Game (USA).sfc", "readme.txt"], 2);
    }

    #[test]
    fn other_bytes_have_no_names() {
        check("zip", b"PK\x03\x04", &[], 2);
        check("zip", b"", &[], 0);
        check("7z", b"7z\xbc\xaf\x27\x1c\0\x04", &[], 2);
        check("rar", b"Rar!", &[], 0);
    }

    proptest! {
        #[test]
        fn damaged_archives_do_no_harm(at in 0_usize..200, byte in any::<u8>(), cut in 0_usize..200) {
            for (suffix, mut bytes) in [
                ("zip", zipped(&[("Game.md", 9)])),
                ("7z", STANDARD.decode(GAME_7Z).expect("base64")),
            ] {
                let length = bytes.len();
                bytes[at % length] = byte;
                bytes.truncate(length - cut % length);
                let length = bytes.len() as u64;
                names(suffix, &mut Counted(&bytes, 0), length);
            }
        }
    }
}
