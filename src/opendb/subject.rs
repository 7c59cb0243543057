//! What identifies a game of the library in the database: the content of its file, the serial
//! number of its disc, the name of its set, its name, its title.

use std::{
    fs::File,
    io::Read as _,
    path::{Path, PathBuf},
    time::UNIX_EPOCH,
};

use super::{
    Opendb, Row,
    database::Database,
    entry::{crc_code, serial_code, set_code},
    serial,
};
use crate::{
    formats::cue,
    lookup::hashes::{self, HashError},
    model::Record,
    platforms::{self, Kind, Platform},
    probe::spelling,
    providers::error::Cancel,
};

/// Sets of arcade games, where the platform is not that of an emulator.
const ARCADE: [&str; 2] = ["MAME", "FBNeo - Arcade Games"];
/// Bytes of the largest list of tracks.
const SHEET_BYTES: u64 = 64 << 10;

impl Opendb {
    /// The game of the database that a game of the library is. Files are read only where a name is not enough, their
    /// checksums once. `None` without the database and for what it does not know.
    ///
    /// # Errors
    /// [`HashError::Stopped`] alone: a file that cannot be read is known by its name.
    pub fn find(
        &self,
        record: &Record,
        regions: &[String],
        cancel: Cancel<'_>,
    ) -> Result<Option<Row>, HashError> {
        let Some(database) = self.handle.database() else { return Ok(None) };
        let Some(platform) = platforms::by_any_name(record.text("platform")) else {
            return Ok(None);
        };
        let sets: &[&str] = match (platform.libretro, platform.kind) {
            ("", Kind::Arcade) => &ARCADE,
            ("", _) => return Ok(None),
            _ => &[platform.libretro],
        };
        let codes = self.codes(platform, record, cancel)?;
        Ok(sets.iter().find_map(|set| in_set(&database, set, &codes, record, regions)))
    }

    /// What the file of a game is known by.
    fn codes(
        &self,
        platform: &Platform,
        record: &Record,
        cancel: Cancel<'_>,
    ) -> Result<Vec<String>, HashError> {
        let path = Path::new(record.text("path"));
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        match platform.kind {
            Kind::Arcade => {
                let sets = [record.text("rom_name"), &stem];
                Ok(sets.into_iter().filter_map(set_code).collect())
            }
            Kind::Cartridge if path.is_absolute() => {
                let sums = match self.sums(path, record.text("archive_member"), cancel) {
                    Err(HashError::Stopped) => return Err(HashError::Stopped),
                    sums => sums.unwrap_or_default(),
                };
                Ok(sums.iter().filter_map(|sum| crc_code(sum)).collect())
            }
            Kind::Disc if path.is_absolute() => {
                Ok(serial_of(path).as_deref().and_then(serial_code).into_iter().collect())
            }
            _ => Ok(Vec::new()),
        }
    }

    /// The checksums of a file, with its header and without it; kept until the file changes.
    fn sums(
        &self,
        path: &Path,
        member: &str,
        cancel: Cancel<'_>,
    ) -> Result<Vec<String>, HashError> {
        let found = path.metadata().map_err(|_| HashError::Missing)?;
        let modified = found.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let (size, time) = (found.len().to_string(), modified.unwrap_or_default().as_nanos());
        let (path_text, time) = (path.to_string_lossy(), time.to_string());
        let question = [
            ("path", path_text.as_ref()),
            ("member", member),
            ("size", size.as_str()),
            ("time", time.as_str()),
        ];
        if let Some(sums) = self.sums.get(&question) {
            return Ok(sums);
        }
        let hashes = hashes::of_file(path, member, cancel)?;
        let mut sums = vec![hashes.crc, hashes.bare_crc];
        sums.dedup();
        self.sums.put(&question, &sums);
        Ok(sums)
    }
}

fn in_set(
    database: &Database,
    set: &str,
    codes: &[String],
    record: &Record,
    regions: &[String],
) -> Option<Row> {
    let path = Path::new(record.text("path"));
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    let name = record.text("name").trim();
    database
        .by_code(set, codes)
        .or_else(|| (!stem.is_empty()).then(|| database.by_name(set, &stem)).flatten())
        .or_else(|| (!name.is_empty()).then(|| database.by_title(set, name, regions)).flatten())
}

/// The serial number of a disc: of the image, or of the first track of a list of tracks.
fn serial_of(path: &Path) -> Option<String> {
    let image = image_of(path)?;
    let mut bytes = Vec::new();
    let image = File::open(image).ok()?;
    image.take(serial::BYTES as u64).read_to_end(&mut bytes).ok()?;
    serial::of_disc(&bytes)
}

fn image_of(path: &Path) -> Option<PathBuf> {
    let ending = path.extension().unwrap_or_default().to_string_lossy().to_lowercase();
    if !path.is_file() {
        return None;
    }
    if ending != "cue" {
        return Some(path.to_owned());
    }
    let mut sheet = Vec::new();
    File::open(path).ok()?.take(SHEET_BYTES).read_to_end(&mut sheet).ok()?;
    let name = cue::files(&sheet).into_iter().next()?;
    // A list may name any file; only one next to it is its own.
    let name = Path::new(&name).file_name()?;
    Some(spelling::on_disk(path.parent()?, Path::new(name))).filter(|image| image.is_file())
}
