//! How the provider identifies discs: sectors, the file system, and the parts that are hashed.

use std::io;

use md5::{Digest as _, Md5};

use super::{
    content::{HASHED, md5},
    rom_error::RomError,
};
use crate::{
    base::ids,
    discs::{Content, part},
};

/// Data of a sector.
const DATA: usize = 2048;
/// What a whole sector starts with.
const SYNC: [u8; 12] = [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0];
/// The sector that describes the file system.
const DESCRIPTOR: u32 = 16;
/// Sectors of a folder that are searched.
const FOLDER: usize = 64;
/// Folders in a path.
const DEPTH: usize = 8;
/// Sectors of the file that names the program of a disc.
const SYSTEM: u32 = 4;
/// Bytes of the header of a GameCube disc.
const GAMECUBE_HEADER: usize = 0x2440;
/// Bytes of that with the loader behind it.
const GAMECUBE_LOADER: usize = 1 << 20;
/// Parts of the program of a GameCube disc.
const SEGMENTS: usize = 18;

/// A disc by what of it is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Disc {
    PlayStation,
    PlayStation2,
    Psp,
    SegaCd,
    Saturn,
    Dreamcast,
    PcEngineCd,
    GameCube,
}

impl Disc {
    /// Which track is asked: the one of this number, else the first one with data.
    pub(super) fn track(self) -> Option<u32> {
        match self {
            Self::PlayStation | Self::PlayStation2 | Self::SegaCd | Self::Saturn => Some(1),
            Self::Dreamcast => Some(3),
            Self::Psp | Self::PcEngineCd | Self::GameCube => None,
        }
    }
}

/// A track of a disc: sectors in a file.
pub(super) struct Track {
    content: Box<dyn Content>,
    /// Where its first sector is in the file.
    start: u64,
    /// Bytes of a sector in the file, and where its data begins.
    sector: u64,
    data: u64,
    /// The number of its first sector on the disc.
    first: u32,
}

impl Track {
    /// A track from this byte of a file on, whose first sector has this number on the disc.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub(super) fn new(mut content: Box<dyn Content>, start: u64, first: u32) -> io::Result<Self> {
        let (sector, data) = sectors(&mut *content, start)?;
        Ok(Self { content, start, sector, data, first })
    }

    /// Bytes of the data of a sector, at most those of a whole one; fewer at the end of the file.
    fn read(&mut self, number: u32, count: usize) -> io::Result<Vec<u8>> {
        let place = u64::from(number.saturating_sub(self.first)) * self.sector + self.data;
        part(&mut *self.content, self.start + place, count.min(DATA))
    }

    /// Whether a sector lies in this track.
    fn has(&self, number: u32) -> bool {
        let place = u64::from(number.saturating_sub(self.first)) * self.sector;
        number >= self.first && self.start + place + self.data < self.content.length()
    }

    /// Adds the bytes of a file to a digest, up to the limit.
    fn add(&mut self, digest: &mut Md5, sector: u32, size: u64) -> Result<(), RomError> {
        let mut left = usize::try_from(size).unwrap_or(usize::MAX).min(HASHED);
        let mut number = sector;
        while left > 0 {
            let bytes = self.read(number, left)?;
            if bytes.is_empty() {
                break;
            }
            digest.update(&bytes);
            left -= bytes.len();
            number = number.checked_add(1).ok_or(RomError::NotOfConsole)?;
        }
        // What is cut at its end is hashed as it is; what is not there at all is not a file.
        if number == sector { Err(RomError::NotOfConsole) } else { Ok(()) }
    }

    /// The first sector and the bytes of a file by its path, in any case.
    fn find(&mut self, path: &str) -> io::Result<Option<(u32, u64)>> {
        let descriptor = self.read(self.first.saturating_add(DESCRIPTOR), DATA)?;
        if descriptor.get(1..6) != Some(b"CD001") {
            return Ok(None);
        }
        let mut place = (number(&descriptor, 158), u64::from(number(&descriptor, 166)));
        let names: Vec<&str> = path.split(['\\', '/']).filter(|name| !name.is_empty()).collect();
        if names.is_empty() || names.len() > DEPTH {
            return Ok(None);
        }
        for name in names {
            let Some(inner) = self.find_in(place, name)? else { return Ok(None) };
            place = inner;
        }
        Ok(Some(place))
    }

    fn find_in(&mut self, folder: (u32, u64), name: &str) -> io::Result<Option<(u32, u64)>> {
        let count = usize::try_from(folder.1.div_ceil(DATA as u64)).unwrap_or(FOLDER);
        for at in 0..count.clamp(1, FOLDER) {
            let number = folder.0.saturating_add(u32::try_from(at).unwrap_or(u32::MAX));
            let sector = self.read(number, DATA)?;
            if let Some(found) = entry(&sector, name) {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// A small file as text.
    fn text(&mut self, path: &str) -> io::Result<Option<String>> {
        let Some((sector, size)) = self.find(path)? else { return Ok(None) };
        let mut bytes = Vec::new();
        let mut left = usize::try_from(size).unwrap_or(usize::MAX);
        for at in 0..SYSTEM {
            let piece = self.read(sector.saturating_add(at), left)?;
            left -= piece.len();
            bytes.extend_from_slice(&piece);
            if left == 0 || piece.is_empty() {
                break;
            }
        }
        Ok(Some(bytes.iter().copied().map(char::from).collect()))
    }
}

/// The size of sectors in a file and where their data begins.
fn sectors(content: &mut dyn Content, start: u64) -> io::Result<(u64, u64)> {
    let first = part(content, start, 16)?;
    if first.starts_with(&SYNC) {
        // Mode 2 has a header of its own in front of the data.
        return Ok((2352, if first.get(15) == Some(&2) { 24 } else { 16 }));
    }
    for (size, data) in [(2048, 0), (2352, 24), (2352, 16), (2336, 8)] {
        let place = start + u64::from(DESCRIPTOR) * size + data;
        if part(content, place + 1, 5)? == b"CD001" {
            return Ok((size, data));
        }
    }
    Ok((2048, 0))
}

fn number(bytes: &[u8], at: usize) -> u32 {
    let found = bytes.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
    u32::from_le_bytes(found)
}

fn big_number(bytes: &[u8], at: usize) -> u32 {
    number(bytes, at).swap_bytes()
}

/// A file or folder in a sector of a folder.
fn entry(sector: &[u8], wanted: &str) -> Option<(u32, u64)> {
    let mut rest = sector;
    loop {
        let length = usize::from(*rest.first()?);
        let record = rest.get(..length).filter(|record| record.len() > 33)?;
        rest = &rest[length..];
        let name = record.get(33..33 + usize::from(record[32])).unwrap_or_default();
        let name = name.split(|byte| *byte == b';').next().unwrap_or(name);
        let name = name.strip_suffix(b".").unwrap_or(name);
        if name.eq_ignore_ascii_case(wanted.as_bytes()) {
            return Some((number(record, 2), u64::from(number(record, 10))));
        }
    }
}

/// The hashes of a disc. `last` is its last track, where that is another one.
///
/// # Errors
/// A disc that cannot be read or does not belong to the console.
pub(super) fn hashes(
    disc: Disc,
    track: &mut Track,
    last: Option<&mut Track>,
) -> Result<Vec<String>, RomError> {
    match disc {
        Disc::PlayStation => Ok(vec![playstation(track, "BOOT", true)?]),
        Disc::PlayStation2 => Ok(vec![playstation(track, "BOOT2", false)?]),
        Disc::Psp => Ok(vec![psp(track)?]),
        Disc::SegaCd => Ok(vec![sega(track, b"SEGADISCSYSTEM  ")?]),
        Disc::Saturn => Ok(vec![sega(track, b"SEGA SEGASATURN ")?]),
        Disc::Dreamcast => dreamcast(track, last),
        Disc::PcEngineCd => Ok(vec![pc_engine(track)?]),
        Disc::GameCube => gamecube(&mut *track.content),
    }
}

/// The program that a start file names: what stands behind `cdrom:` and the slashes, up to the version.
fn program(text: &str, key: &str) -> Option<String> {
    text.lines().find_map(|line| {
        let (word, value) = line.split_once('=')?;
        if !word.trim().eq_ignore_ascii_case(key) {
            return None;
        }
        let value = value.trim();
        let value = ["cdrom0:", "cdrom:"]
            .iter()
            .find_map(|device| {
                let front = value.get(..device.len())?;
                front.eq_ignore_ascii_case(device).then(|| &value[device.len()..])
            })
            .unwrap_or(value);
        let value = value.trim_start_matches('\\');
        let end = value.find(|letter: char| letter.is_whitespace() || letter == ';');
        let name = &value[..end.unwrap_or(value.len())];
        (!name.is_empty()).then(|| name.to_owned())
    })
}

fn playstation(track: &mut Track, key: &str, is_first: bool) -> Result<String, RomError> {
    let text = track.text("SYSTEM.CNF")?;
    let named = text.as_deref().and_then(|text| program(text, key));
    let name = match named {
        Some(name) => name,
        None if is_first => "PSX.EXE".to_owned(),
        None => return Err(RomError::NotOfConsole),
    };
    let (sector, mut size) = track.find(&name)?.ok_or(RomError::NotOfConsole)?;
    if is_first {
        let header = track.read(sector, 32)?;
        if header.starts_with(b"PS-X EXE") {
            size = u64::from(number(&header, 28)) + DATA as u64;
        }
    }
    let mut digest = Md5::new();
    digest.update(name.as_bytes());
    track.add(&mut digest, sector, size)?;
    Ok(ids::hex(&digest.finalize()))
}

fn psp(track: &mut Track) -> Result<String, RomError> {
    let mut digest = Md5::new();
    for path in ["PSP_GAME\\PARAM.SFO", "PSP_GAME\\SYSDIR\\EBOOT.BIN"] {
        let (sector, size) = track.find(path)?.ok_or(RomError::NotOfConsole)?;
        track.add(&mut digest, sector, size)?;
    }
    Ok(ids::hex(&digest.finalize()))
}

fn sega(track: &mut Track, word: &[u8]) -> Result<String, RomError> {
    let start = track.read(track.first, 512)?;
    if start.len() < 512 || !start.starts_with(word) {
        return Err(RomError::NotOfConsole);
    }
    Ok(md5(&start))
}

/// Of the first sector 256 bytes count; other descriptions say 512.
fn dreamcast(track: &mut Track, mut last: Option<&mut Track>) -> Result<Vec<String>, RomError> {
    let start = track.read(track.first, 512)?;
    if start.len() < 512 || !start.starts_with(b"SEGA SEGAKATANA ") {
        return Err(RomError::NotOfConsole);
    }
    let name: String = start[0x60..0x70]
        .iter()
        .copied()
        .map(char::from)
        .take_while(|it| !it.is_whitespace())
        .collect();
    let name = name.trim_end_matches('\0');
    let (sector, size) = track.find(name)?.ok_or(RomError::NotOfConsole)?;
    let mut hashes = Vec::new();
    for count in [256, 512] {
        let mut digest = Md5::new();
        digest.update(&start[..count]);
        match &mut last {
            Some(last) if last.has(sector) => last.add(&mut digest, sector, size)?,
            _ => track.add(&mut digest, sector, size)?,
        }
        hashes.push(ids::hex(&digest.finalize()));
    }
    Ok(hashes)
}

fn pc_engine(track: &mut Track) -> Result<String, RomError> {
    let header = track.read(track.first.saturating_add(1), 128)?;
    let mut digest = Md5::new();
    if header.len() == 128 && header[32..].starts_with(b"PC Engine CD-ROM SYSTEM") {
        digest.update(&header[106..128]);
        let start = u32::from_be_bytes([0, header[0], header[1], header[2]]);
        let sector = track.first.saturating_add(start);
        track.add(&mut digest, sector, u64::from(header[3]) * DATA as u64)?;
    } else {
        let (sector, size) = track.find("BOOT.BIN")?.ok_or(RomError::NotOfConsole)?;
        track.add(&mut digest, sector, size)?;
    }
    Ok(ids::hex(&digest.finalize()))
}

/// Places in a program count from its start; a description reads them as places on the disc.
fn gamecube(content: &mut dyn Content) -> Result<Vec<String>, RomError> {
    let header = part(content, 0, GAMECUBE_HEADER + 0x20)?;
    if header.len() < GAMECUBE_HEADER + 0x20 || big_number(&header, 0x1C) != 0xC233_9F3D {
        return Err(RomError::NotOfConsole);
    }
    let size = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    let loader = size(big_number(&header, GAMECUBE_HEADER + 0x14))
        .saturating_add(size(big_number(&header, GAMECUBE_HEADER + 0x18)));
    let count = (GAMECUBE_HEADER + 0x20).saturating_add(loader).min(GAMECUBE_LOADER);
    let front = part(content, 0, count)?;
    let program = u64::from(big_number(&header, 0x420));
    let table = part(content, program, 0x100)?;
    if table.len() < 0x90 + 4 * SEGMENTS {
        return Err(RomError::NotOfConsole);
    }
    let mut hashes = Vec::new();
    for base in [program, 0] {
        let mut digest = Md5::new();
        digest.update(&front);
        let mut left = HASHED;
        for segment in 0..SEGMENTS {
            let start = u64::from(big_number(&table, 4 * segment));
            let bytes = part(
                content,
                base + start,
                size(big_number(&table, 0x90 + 4 * segment)).min(left),
            )?;
            left -= bytes.len();
            digest.update(&bytes);
        }
        hashes.push(ids::hex(&digest.finalize()));
    }
    Ok(hashes)
}
