//! The hashes of a game's file: plain, in an archive, as a sheet of a disc or a list of discs.

use std::{
    fs,
    io::{self, BufReader, Read, Write},
    path::{Path, PathBuf},
};

use sevenz_rust2::{ArchiveReader, Password};
use zip::{CompressionMethod, ZipArchive};

use super::{
    content::{HASHED, OnDisk},
    disc::{self, Disc, Track},
    rom_error::RomError,
    rules::{self, Rule},
};
use crate::{
    discs::{self, Content as _, Image, ImageError, InMemory},
    files::{Files, temp::Temp},
    formats::{cue, gdi, m3u},
    model::Record,
    names::SIDECAR_EXTENSIONS,
    probe::spelling,
};

/// Bytes of the largest file that is hashed, and of the largest one that is taken out of an archive.
const LARGEST: u64 = 512 << 20;
/// Bytes of the largest sheet or list.
const SHEET: u64 = 1 << 20;
/// Extensions of files whose content is packed in a way that is not read.
const PACKED: [&str; 5] = ["cdi", "wbfs", "ecm", "rar", "nkit"];
/// The first sector of the part of a GD-ROM that holds the game.
const HIGH_DENSITY: u32 = 45_000;
/// The name next to which a file from an archive is written while it is read.
pub(super) const MEMBER: &str = "member";
/// KiB that the names of an archive and its dictionary may take.
const MEMORY_KIB: usize = 256 << 10;

/// Where files of games are read, and where files from archives are kept temporarily.
pub(super) struct Roms<'a> {
    pub(super) files: &'a Files,
    /// A folder of this program.
    pub(super) scratch: &'a Path,
}

impl Roms<'_> {
    /// The hashes that a game of a console may be listed under, the likeliest first.
    ///
    /// # Errors
    /// [`RomError`].
    pub(super) fn hashes(&self, record: &Record, console: u32) -> Result<Vec<String>, RomError> {
        let unknown = || RomError::Platform(record.text("platform").to_owned());
        let rule = rules::of_console(console).ok_or_else(unknown)?;
        let path = record.text("path").trim();
        if rule == Rule::Arcade {
            return arcade(path, record.text("rom_name"));
        }
        if path.is_empty() {
            return Err(RomError::NoFile);
        }
        let path = Path::new(path);
        size(path)?;
        let path = self.first_of_list(path)?;
        let ending = ending(&path);
        match (rule, ending.as_str()) {
            (_, packed) if PACKED.contains(&packed) => Err(RomError::Packed(ending)),
            (_, "zip" | "7z") => self.archived(rule, &path, &ending, record.text("archive_member")),
            (Rule::Disc(disc), "cue") => self.cue(disc, &path),
            (Rule::Disc(disc), "gdi") => self.gdi(disc, &path),
            (Rule::Disc(disc), image) if discs::EXTENSIONS.contains(&image) => {
                self.image(disc, &path)
            }
            (_, image) if discs::EXTENSIONS.contains(&image) => Err(RomError::NotOfConsole),
            (Rule::Disc(Disc::Psp), "pbp") => {
                let mut content = self.open(&path)?;
                rules::cartridge(Rule::Cartridge(rules::Header::None), &mut content)
            }
            (Rule::Disc(_), "pbp") => Err(RomError::Packed(ending)),
            (Rule::Disc(disc), _) => {
                let mut track = Track::new(Box::new(self.open(&path)?), 0, 0)?;
                disc::hashes(disc, &mut track, None)
            }
            _ => {
                let mut content = self.open(&path)?;
                if content.length() > LARGEST {
                    return Err(RomError::TooLarge);
                }
                rules::cartridge(rule, &mut content)
            }
        }
    }

    fn open(&self, path: &Path) -> Result<OnDisk, RomError> {
        let length = size(path)?;
        Ok(OnDisk::new(self.files.open(path)?, length))
    }

    /// A small text.
    fn sheet(&self, path: &Path) -> Result<Vec<u8>, RomError> {
        if size(path)? > SHEET {
            return Err(RomError::NotOfConsole);
        }
        Ok(self.files.read(path)?)
    }

    /// The first entry of a list of discs, or the file itself when it is not a list.
    fn first_of_list(&self, path: &Path) -> Result<PathBuf, RomError> {
        if ending(path) != "m3u" {
            return Ok(path.to_owned());
        }
        let entries = m3u::parse(&self.sheet(path)?);
        let first = beside(path, entries.first().ok_or(RomError::NotOfConsole)?);
        size(&first)?;
        if ending(&first) == "m3u" { Err(RomError::NotOfConsole) } else { Ok(first) }
    }

    fn cue(&self, disc: Disc, path: &Path) -> Result<Vec<String>, RomError> {
        let tracks = cue::tracks(&self.sheet(path)?);
        let named = disc.track().and_then(|number| {
            tracks.iter().position(|track| track.number == number && track.is_data)
        });
        let at = named.or_else(|| tracks.iter().position(|track| track.is_data));
        let at = at.ok_or(RomError::NotOfConsole)?;
        let is_gd = disc == Disc::Dreamcast && tracks[at].number == 3;
        let first = if is_gd { HIGH_DENSITY } else { 0 };
        let mut track = self.cue_track(path, &tracks, at, first)?;
        let mut last = None;
        if is_gd && at + 1 < tracks.len() && tracks[tracks.len() - 1].is_data {
            let between = (at..tracks.len() - 1).map(|at| sectors(path, &tracks, at));
            let between = between.sum::<Result<u32, RomError>>()?;
            let first = HIGH_DENSITY.saturating_add(between);
            last = Some(self.cue_track(path, &tracks, tracks.len() - 1, first)?);
        }
        disc::hashes(disc, &mut track, last.as_mut())
    }

    fn cue_track(
        &self,
        path: &Path,
        tracks: &[cue::Track],
        at: usize,
        first: u32,
    ) -> Result<Track, RomError> {
        let content = self.open(&beside(path, &tracks[at].file))?;
        Ok(Track::new(Box::new(content), offset(tracks, at), first)?)
    }

    fn gdi(&self, disc: Disc, path: &Path) -> Result<Vec<String>, RomError> {
        let tracks = gdi::tracks(&self.sheet(path)?);
        let open = |track: &gdi::Track| -> Result<Track, RomError> {
            let content = self.open(&beside(path, &track.file))?;
            Ok(Track::new(Box::new(content), 0, track.first)?)
        };
        let named = tracks.iter().find(|track| track.number == 3 && track.is_data);
        let data = named.or_else(|| tracks.iter().find(|track| track.is_data));
        let data = data.ok_or(RomError::NotOfConsole)?;
        let last = tracks.last().filter(|last| last.is_data && last.number != data.number);
        let mut last = last.map(open).transpose()?;
        disc::hashes(disc, &mut open(data)?, last.as_mut())
    }

    /// The hashes of a disc in a container.
    fn image(&self, disc: Disc, path: &Path) -> Result<Vec<String>, RomError> {
        // Each track is read through a view of its own.
        let open = || {
            Image::open(Box::new(self.open(path)?)).map_err(|error| match error {
                ImageError::Unknown => RomError::Packed(ending(path)),
                ImageError::Io(error) => error.into(),
                error => RomError::Image(error),
            })
        };
        let track = |image: Image<'static>, at: usize, first: u32| {
            Track::new(image.into_track(at), 0, first)
        };
        let image = open()?;
        let tracks = image.tracks();
        let named = disc.track().and_then(|number| {
            tracks.iter().position(|track| track.number == number && track.is_data)
        });
        let at = named.or_else(|| tracks.iter().position(|track| track.is_data));
        let at = at.ok_or(RomError::NotOfConsole)?;
        let mut last = None;
        if disc == Disc::Dreamcast
            && let Some(end) = tracks.last().filter(|end| end.is_data)
            && at + 1 < tracks.len()
        {
            last = Some(track(open()?, tracks.len() - 1, end.first)?);
        }
        disc::hashes(disc, &mut track(image, at, tracks[at].first)?, last.as_mut())
    }

    /// The hashes of the file in an archive that is the game.
    fn archived(
        &self,
        rule: Rule,
        path: &Path,
        ending: &str,
        wanted: &str,
    ) -> Result<Vec<String>, RomError> {
        let source = BufReader::new(self.files.open(path)?);
        // Of a disc any part may count, of a cartridge the first bytes do.
        if let Rule::Disc(disc) = rule {
            self.files.private_dir(self.scratch)?;
            let place = self.scratch.join(MEMBER);
            let mut refused = None;
            let unpacked = self.files.write_beside(&place, |sink| {
                let taken = take(source, ending, wanted, u64::MAX, sink);
                taken.map_err(|error| {
                    refused = Some(error);
                    io::Error::other("not unpacked")
                })
            });
            if let Some(error) = refused {
                return Err(error);
            }
            let temp: Temp = unpacked?;
            let content = OnDisk::new(self.files.open(temp.path())?, temp.stat()?.len());
            let mut track = Track::new(Box::new(content), 0, 0)?;
            return disc::hashes(disc, &mut track, None);
        }
        let mut bytes = Vec::new();
        take(source, ending, wanted, HASHED as u64, &mut bytes)?;
        rules::cartridge(rule, &mut InMemory(bytes))
    }
}

/// Bytes of a file.
fn size(path: &Path) -> Result<u64, RomError> {
    let found = fs::metadata(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound | io::ErrorKind::NotADirectory => RomError::Missing,
        _ => error.into(),
    })?;
    if found.is_file() { Ok(found.len()) } else { Err(RomError::NoFile) }
}

/// The extension of a name, lower case.
fn ending(path: &Path) -> String {
    path.extension().map(|ending| ending.to_string_lossy().to_lowercase()).unwrap_or_default()
}

/// A file that a sheet names.
fn beside(sheet: &Path, name: &str) -> PathBuf {
    let name = name.replace('\\', "/");
    spelling::on_disk(sheet.parent().unwrap_or(Path::new("/")), Path::new(&name))
}

/// Sectors of a track: up to the next one of its file, or to the end of that.
fn sectors(path: &Path, tracks: &[cue::Track], at: usize) -> Result<u32, RomError> {
    let track = &tracks[at];
    let next = tracks.get(at + 1).filter(|next| next.file == track.file);
    let count = if let Some(next) = next {
        next.start.saturating_sub(track.start)
    } else {
        let length = size(&beside(path, &track.file))?;
        length.saturating_sub(offset(tracks, at)) / track.sector
    };
    // More than any disc has; a few of them still add up to a number.
    Ok(u32::try_from(count).unwrap_or(u32::MAX).min(u32::MAX / 100))
}

/// Where the first sector of a track is in its file: behind the tracks of the same file before it.
fn offset(tracks: &[cue::Track], at: usize) -> u64 {
    let (mut offset, mut sectors, mut size) = (0, 0, None);
    for track in tracks[..=at].iter().filter(|track| track.file == tracks[at].file) {
        let between = track.start.saturating_sub(sectors);
        offset += between * size.unwrap_or(track.sector);
        (sectors, size) = (track.start, Some(track.sector));
    }
    offset
}

fn arcade(path: &str, rom_name: &str) -> Result<Vec<String>, RomError> {
    let path = Path::new(path);
    let set = match path.file_stem() {
        Some(stem) => stem.to_string_lossy().into_owned(),
        None => rom_name.trim().to_owned(),
    };
    if set.is_empty() {
        return Err(RomError::NoFile);
    }
    let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
    Ok(rules::arcade(&folder.to_string_lossy(), &set))
}

/// Whether a member of an archive may be the game.
fn is_game(name: &str) -> bool {
    let ending = ending(Path::new(name));
    !name.ends_with('/') && !SIDECAR_EXTENSIONS.contains(&ending.as_str())
}

/// Writes the first bytes of the game in an archive.
fn take(
    source: BufReader<crate::files::source::Source>,
    ending: &str,
    wanted: &str,
    count: u64,
    sink: &mut dyn Write,
) -> Result<(), RomError> {
    if ending == "zip" {
        take_zip(source, wanted, count, sink)
    } else {
        take_7z(source, wanted, count, sink)
    }
}

/// Of a zip archive the largest file is the game.
fn take_zip(
    source: BufReader<crate::files::source::Source>,
    wanted: &str,
    count: u64,
    sink: &mut dyn Write,
) -> Result<(), RomError> {
    let mut zip = ZipArchive::new(source).map_err(|_| RomError::Archive)?;
    let mut best: Option<(u64, usize)> = None;
    for at in 0..zip.len() {
        let entry = zip.by_index_data(at).map_err(|_| RomError::Archive)?;
        let Ok(name) = entry.name() else { continue };
        let is_it = if wanted.is_empty() { is_game(&name) } else { name == wanted };
        if is_it && best.is_none_or(|(size, _)| entry.size() > size) {
            if entry.encrypted()
                || ![CompressionMethod::Stored, CompressionMethod::Deflated]
                    .contains(&entry.compression())
            {
                return Err(RomError::Archive);
            }
            best = Some((entry.size(), at));
        }
    }
    let (size, at) = best.ok_or(RomError::Archive)?;
    if size > LARGEST {
        return Err(RomError::TooLarge);
    }
    let member = zip.by_index(at).map_err(|_| RomError::Archive)?;
    copy(member, size.min(count), sink)
}

/// Of a 7z archive the first file is the game.
fn take_7z(
    source: BufReader<crate::files::source::Source>,
    wanted: &str,
    count: u64,
    sink: &mut dyn Write,
) -> Result<(), RomError> {
    let reader = ArchiveReader::new_with_memory_limit(source, Password::empty(), MEMORY_KIB);
    let mut reader = reader.map_err(|_| RomError::Archive)?;
    reader.set_thread_count(1);
    let mut outcome = None;
    let mut passed = 0_u64;
    let walked = reader.for_each_entries(|entry, member| {
        if outcome.is_some() {
            return Ok(false);
        }
        let is_it = if wanted.is_empty() { is_game(&entry.name) } else { entry.name == wanted };
        if entry.is_directory || !entry.has_stream || !is_it {
            // What stands before the game in one block has to be unpacked with it.
            passed = passed.saturating_add(entry.size);
            if passed > LARGEST {
                outcome = Some(Err(RomError::TooLarge));
                return Ok(false);
            }
            io::copy(member, &mut io::sink())?;
            return Ok(true);
        }
        outcome = Some(if entry.size > LARGEST {
            Err(RomError::TooLarge)
        } else {
            copy(member, entry.size.min(count), sink)
        });
        Ok(false)
    });
    outcome.unwrap_or_else(|| {
        // A walk that went well found no game either.
        log::info!("nothing was found in an archive: {:?}", walked.err());
        Err(RomError::Archive)
    })
}

/// Copies exactly `count` bytes; fewer mean a damaged archive.
fn copy(member: impl Read, count: u64, sink: &mut dyn Write) -> Result<(), RomError> {
    let mut member = member.take(count);
    let mut piece = vec![0; 256 << 10];
    let mut copied = 0_u64;
    loop {
        let read = match member.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => read,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(_) => return Err(RomError::Archive),
        };
        sink.write_all(&piece[..read])?;
        copied += read as u64;
    }
    if copied == count { Ok(()) } else { Err(RomError::Archive) }
}
