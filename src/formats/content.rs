//! The platform of a file by its content: headers of disc images and of a few other files.
//!
//! A rule without I/O: bytes come through [`Bytes`]. At most two parts of a file are read. Of a container
//! this is enough for its header; the sectors of the disc in it are asked by the same rule, unpacked.

/// Bytes of one part.
pub const PART: usize = 64 * 1024;

/// Sectors as an image has them: the whole sector, and where its data begins.
#[derive(Clone, Copy)]
struct Sectors {
    size: usize,
    data: usize,
}

/// Data of a sector.
const DATA: usize = 2048;
/// The sector that describes the file system of a disc.
const DESCRIPTOR: usize = 16;
/// What a sector starts with when an image has whole sectors.
const SYNC: [u8; 12] = [0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0];
/// More sectors than a CD has.
const DVD_SECTORS: u32 = 450_000;

/// Words at the start of the first sector.
const DISC_WORDS: [(&[u8], &str); 6] = [
    (b"SEGA SEGASATURN", "Sega Saturn"),
    (b"SEGA SEGAKATANA", "Dreamcast"),
    (b"SEGADISCSYSTEM", "Sega CD"),
    (b"SEGABOOTDISC", "Sega CD"),
    (b"PC-FX:Hu_CD-ROM", "PC-FX"),
    (b"\x01ZZZZZ\x01", "3DO"),
];

/// Words at a place in files that are not discs.
const WORDS: [(usize, &[u8], &str); 8] = [
    (0, b"XEX2", "Xbox 360"),
    (0, b"C64-TAPE-RAW", "Commodore 64"),
    (0, b"C64S tape", "Commodore 64"),
    (0, b"MV - CPC", "Amstrad CPC"),
    (0, b"EXTENDED CPC DSK", "Amstrad CPC"),
    (0x100, b"NCSD", "Nintendo 3DS"),
    (0x100, b"SEGA 32X", "Sega 32X"),
    (0x100, b"SEGA PICO", "Sega Pico"),
];

/// What containers of discs start with.
const CONTAINERS: [&[u8]; 6] =
    [b"RVZ\x01", b"WIA\x01", &[0x01, 0xc0, 0x0b, 0xb1], b"CISO", b"\0PBP", b"MComprHD"];

/// Words with which the header of a cartridge names its console.
const GENESIS: [&[u8]; 3] = [b"SEGA MEGA DRIVE", b"SEGA GENESIS", b" SEGA MEGA DRIVE"];

/// Files in the root folder of a disc.
const ROOT_FILES: [(&[u8], &str); 4] = [
    (b"UMD_DATA.BIN", "PSP"),
    (b"PS3_DISC.SFB", "PlayStation 3"),
    (b"IPL.TXT", "Neo Geo CD"),
    (b"PSX.EXE", "PlayStation"),
];

/// A file that can be read in parts.
pub trait Bytes {
    /// Up to [`PART`] bytes from a position; none where nothing can be read.
    fn read(&mut self, position: u64) -> Vec<u8>;
}

/// The name of the platform, as games store it; `None` when the content does not show it.
pub fn platform(file: &mut dyn Bytes) -> Option<&'static str> {
    let start = file.read(0);
    header(&start).or_else(|| first_sectors(&start)).or_else(|| {
        let is_container = CONTAINERS.iter().any(|magic| start.starts_with(magic));
        if is_container { container(&start, file) } else { disc(&start, file) }
    })
}

fn holds(bytes: &[u8], at: usize, word: &[u8]) -> bool {
    bytes.get(at..).is_some_and(|rest| rest.starts_with(word))
}

fn number<const SIZE: usize>(bytes: &[u8], at: usize) -> Option<[u8; SIZE]> {
    bytes.get(at..)?.first_chunk().copied()
}

fn header(start: &[u8]) -> Option<&'static str> {
    let word = WORDS.iter().find(|(at, word, _)| holds(start, *at, word));
    let is_genesis = || GENESIS.iter().any(|word| holds(start, 0x100, word));
    word.map(|(.., name)| *name)
        .or_else(|| is_genesis().then_some("Sega Genesis"))
        .or_else(|| nintendo_disc(start, 0))
}

/// The disc header of a GameCube or Wii game at a place.
fn nintendo_disc(bytes: &[u8], at: usize) -> Option<&'static str> {
    if holds(bytes, at + 0x18, &[0x5d, 0x1c, 0x9e, 0xa3]) {
        return Some("Wii");
    }
    holds(bytes, at + 0x1c, &[0xc2, 0x33, 0x9f, 0x3d]).then_some("GameCube")
}

/// The platform by the first two sectors, in an image of data or of whole sectors.
fn first_sectors(start: &[u8]) -> Option<&'static str> {
    let sectors = sectors(start);
    let first = start.get(sectors.data..)?;
    if let Some((_, name)) = DISC_WORDS.iter().find(|(word, _)| first.starts_with(word)) {
        return Some(name);
    }
    let second = start.get(sectors.size + sectors.data..)?;
    holds(second, 0x20, b"PC Engine CD-ROM SYSTEM").then_some("PC Engine CD")
}

fn sectors(start: &[u8]) -> Sectors {
    if !start.starts_with(&SYNC) {
        return Sectors { size: DATA, data: 0 };
    }
    // The byte behind the address is the mode; mode 2 has a header of its own in front of the data.
    Sectors { size: 2352, data: if start.get(15) == Some(&2) { 24 } else { 16 } }
}

/// Containers that keep the kind of their disc readable.
fn container(start: &[u8], file: &mut dyn Bytes) -> Option<&'static str> {
    if start.starts_with(b"RVZ\x01") || start.starts_with(b"WIA\x01") {
        return match u32::from_be_bytes(number(start, 0x48)?) {
            1 => Some("GameCube"),
            2 => Some("Wii"),
            _ => None,
        };
    }
    if start.starts_with(&[0x01, 0xc0, 0x0b, 0xb1]) {
        return match u32::from_le_bytes(number(start, 4)?) {
            0 => Some("GameCube"),
            1 => Some("Wii"),
            _ => None,
        };
    }
    if start.starts_with(b"CISO") {
        // With blocks of a map it is that of the GameCube, with a table of offsets another one.
        return nintendo_disc(start, 0x8000);
    }
    if start.starts_with(b"\0PBP") {
        let data = file.read(u32::from_le_bytes(number(start, 0x24)?).into());
        let is_disc = data.starts_with(b"PSISOIMG") || data.starts_with(b"PSTITLEIMG");
        return is_disc.then_some("PlayStation");
    }
    if start.starts_with(b"MComprHD") && u32::from_be_bytes(number(start, 12)?) == 5 {
        let tags = file.read(u64::from_be_bytes(number(start, 48)?));
        return tags.starts_with(b"CHGD").then_some("Dreamcast");
    }
    None
}

/// The platform by the file system of a disc.
fn disc(start: &[u8], file: &mut dyn Bytes) -> Option<&'static str> {
    let sectors = sectors(start);
    let at = DESCRIPTOR * sectors.size + sectors.data;
    let descriptor = start.get(at..).filter(|rest| rest.len() >= DATA);
    let Some(descriptor) = descriptor.filter(|rest| holds(rest, 1, b"CD001")) else {
        if start.get(at..).is_some_and(|rest| holds(rest, 1, b"CD-I ")) {
            return Some("CD-i");
        }
        let is_xbox =
            start.len() >= PART && file.read(0x1_0000).starts_with(b"MICROSOFT*XBOX*MEDIA");
        return is_xbox.then_some("Xbox");
    };
    if holds(descriptor, 8, b"PSP GAME") {
        return Some("PSP");
    }
    let root = u32::from_le_bytes(number(descriptor, 158)?);
    let position = u64::from(root).checked_mul(sectors.size as u64)?;
    let is_dvd = u32::from_le_bytes(number(descriptor, 80)?) > DVD_SECTORS;
    let part = file.read(position);
    let entries = part.get(sectors.data..).map_or(&[][..], |data| &data[..data.len().min(DATA)]);
    for entry in records(entries) {
        let named = ROOT_FILES.iter().find(|(name, _)| entry.name == *name);
        if let Some((_, name)) = named {
            return Some(name);
        }
        if entry.name == b"SYSTEM.CNF" {
            let place = u64::from(entry.sector.checked_sub(root)?) * sectors.size as u64;
            let place = usize::try_from(place).ok()? + sectors.data;
            let text = part.get(place..).map(|text| &text[..text.len().min(DATA)]);
            return Some(playstation(text, is_dvd));
        }
    }
    holds(descriptor, 8, b"PLAYSTATION").then(|| playstation(None, is_dvd))
}

/// The console that the start file of a disc is for; where it lies too far away, by the size.
fn playstation(text: Option<&[u8]>, is_dvd: bool) -> &'static str {
    let has = |word: &[u8]| {
        text.is_some_and(|text| text.windows(word.len()).any(|window| window == word))
    };
    if has(b"BOOT2") || is_dvd && !has(b"BOOT") { "PlayStation 2" } else { "PlayStation" }
}

/// One file of a folder.
struct Entry<'a> {
    /// Without its version.
    name: &'a [u8],
    sector: u32,
}

/// The files of a folder that lies in one sector.
fn records(sector: &[u8]) -> impl Iterator<Item = Entry<'_>> {
    let mut rest = sector;
    std::iter::from_fn(move || {
        let length = usize::from(*rest.first()?);
        let record = rest.get(..length).filter(|record| record.len() > 33)?;
        rest = &rest[length..];
        let name = record.get(33..33 + usize::from(record[32]))?;
        let name = name.split(|byte| *byte == b';').next().unwrap_or(name);
        Some(Entry { name, sector: u32::from_le_bytes(number(record, 2)?) })
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::platforms;

    /// A file in memory that counts its readings.
    struct Memory {
        bytes: Vec<u8>,
        readings: usize,
    }

    impl Bytes for Memory {
        fn read(&mut self, position: u64) -> Vec<u8> {
            self.readings += 1;
            let at = usize::try_from(position).unwrap_or(usize::MAX).min(self.bytes.len());
            self.bytes[at..self.bytes.len().min(at.saturating_add(PART))].to_owned()
        }
    }

    #[track_caller]
    fn check(bytes: Vec<u8>, expected: Option<&str>) {
        let mut memory = Memory { bytes, readings: 0 };
        assert_eq!(platform(&mut memory), expected);
        assert!(memory.readings <= 2, "{} readings", memory.readings);
        assert!(expected.is_none_or(|name| platforms::by_name(name).is_some()));
    }

    fn with(size: usize, parts: &[(usize, &[u8])]) -> Vec<u8> {
        let mut bytes = vec![0; size];
        for (at, part) in parts {
            bytes[*at..*at + part.len()].copy_from_slice(part);
        }
        bytes
    }

    /// An image with one file in its root folder, in sectors of data or whole ones.
    fn image(mode: u8, system: &[u8], name: &[u8], text: &[u8]) -> Vec<u8> {
        let (size, data) = match mode {
            0 => (2048, 0),
            1 => (2352, 16),
            _ => (2352, 24),
        };
        let mut bytes = vec![0; 30 * size];
        let put = |bytes: &mut Vec<u8>, sector: usize, at: usize, part: &[u8]| {
            let start = sector * size + data + at;
            bytes[start..start + part.len()].copy_from_slice(part);
        };
        if mode > 0 {
            for sector in 0..30 {
                bytes[sector * size..sector * size + 12].copy_from_slice(&SYNC);
                bytes[sector * size + 15] = mode;
            }
        }
        put(&mut bytes, 16, 1, b"CD001");
        put(&mut bytes, 16, 8, system);
        put(&mut bytes, 16, 80, &30_u32.to_le_bytes());
        put(&mut bytes, 16, 158, &20_u32.to_le_bytes());
        let length = u8::try_from(33 + name.len()).expect("short");
        put(&mut bytes, 20, 0, &[34]);
        put(&mut bytes, 20, 32, &[1]);
        put(&mut bytes, 20, 34, &[length]);
        put(&mut bytes, 20, 36, &24_u32.to_le_bytes());
        put(&mut bytes, 20, 66, &[u8::try_from(name.len()).expect("short")]);
        put(&mut bytes, 20, 67, name);
        put(&mut bytes, 24, 0, text);
        bytes
    }

    #[test]
    fn discs_with_a_file_system_are_recognised_in_sectors_of_both_sizes() {
        for mode in 0..=2 {
            let disc = |name: &[u8], text: &[u8]| image(mode, b"PLAYSTATION", name, text);
            check(disc(b"SYSTEM.CNF;1", b"BOOT = cdrom:\\SLUS_000.01;1"), Some("PlayStation"));
            check(disc(b"SYSTEM.CNF;1", b"BOOT2 = cdrom0:\\SLUS_200.01;1"), Some("PlayStation 2"));
            check(disc(b"PSX.EXE;1", b""), Some("PlayStation"));
            check(image(mode, b"", b"UMD_DATA.BIN;1", b""), Some("PSP"));
            check(image(mode, b"PSP GAME", b"X", b""), Some("PSP"));
            check(image(mode, b"", b"PS3_DISC.SFB", b""), Some("PlayStation 3"));
            check(image(mode, b"APPLE", b"IPL.TXT;1", b""), Some("Neo Geo CD"));
            check(image(mode, b"LINUX", b"README.TXT;1", b""), None);
        }
    }

    #[test]
    fn first_sectors_name_their_console() {
        for (word, name) in DISC_WORDS {
            check(with(4096, &[(0, word)]), Some(name));
            check(with(8192, &[(0, &SYNC), (15, &[1]), (16, word)]), Some(name));
        }
        check(with(8192, &[(0x820, b"PC Engine CD-ROM SYSTEM")]), Some("PC Engine CD"));
        let whole: &[(usize, &[u8])] =
            &[(0, &SYNC), (15, &[1]), (2352 + 16 + 0x20, b"PC Engine CD-ROM SYSTEM")];
        check(with(8192, whole), Some("PC Engine CD"));
        check(with(PART + 64, &[(PART, b"MICROSOFT*XBOX*MEDIA")]), Some("Xbox"));
        check(with(4096, &[(0x1c, &[0xc2, 0x33, 0x9f, 0x3d])]), Some("GameCube"));
        check(with(4096, &[(0x18, &[0x5d, 0x1c, 0x9e, 0xa3])]), Some("Wii"));
        check(with(40_000, &[(0x8001, b"CD-I ")]), Some("CD-i"));
    }

    #[test]
    fn containers_tell_the_kind_of_their_disc() {
        for (magic, kind, name) in [
            (b"RVZ\x01", 1, Some("GameCube")),
            (b"RVZ\x01", 2, Some("Wii")),
            (b"WIA\x01", 2, Some("Wii")),
            (b"WIA\x01", 9, None),
        ] {
            check(with(512, &[(0, magic), (0x4b, &[kind])]), name);
        }
        check(with(512, &[(0, &[1, 0xc0, 0x0b, 0xb1]), (4, &[1])]), Some("Wii"));
        check(with(512, &[(0, &[1, 0xc0, 0x0b, 0xb1])]), Some("GameCube"));
        let ciso = with(0x9000, &[(0, b"CISO"), (0x801c, &[0xc2, 0x33, 0x9f, 0x3d])]);
        check(ciso, Some("GameCube"));
        check(with(512, &[(0, b"CISO"), (4, &[0x18])]), None);
        check(
            with(512, &[(0, b"\0PBP"), (0x25, &[1]), (0x100, b"PSISOIMG0000")]),
            Some("PlayStation"),
        );
        check(with(512, &[(0, b"\0PBP"), (0x25, &[1]), (0x100, b"~PSP")]), None);
        let chd = |tag: &[u8]| with(512, &[(0, b"MComprHD"), (15, &[5]), (55, &[200]), (200, tag)]);
        check(chd(b"CHGD"), Some("Dreamcast"));
        check(chd(b"CHT2"), None);
    }

    #[test]
    fn headers_of_other_files_are_recognised() {
        for (at, word, name) in WORDS {
            check(with(0x200, &[(at, word)]), Some(name));
        }
        for word in GENESIS {
            check(with(0x200, &[(0x100, word)]), Some("Sega Genesis"));
        }
        check(b"# A game\n".to_vec(), None);
        check(Vec::new(), None);
    }

    proptest! {
        #[test]
        fn no_content_is_read_more_than_twice(
            mode in 0..3_u8,
            noise in prop::collection::vec((0..60_000_usize, any::<u8>()), 0..200),
        ) {
            let mut bytes = image(mode, b"PLAYSTATION", b"SYSTEM.CNF;1", b"BOOT");
            for (at, byte) in noise {
                let at = at % bytes.len();
                bytes[at] = byte;
            }
            let mut memory = Memory { bytes, readings: 0 };
            platform(&mut memory);
            prop_assert!(memory.readings <= 2);
        }
    }
}
