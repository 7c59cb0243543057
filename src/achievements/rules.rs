//! How the provider identifies the game of each console: which bytes of a file are hashed.
//!
//! A rule gives the hashes a file may be listed under, the likeliest first: descriptions of a few rules
//! differ, and the list of the provider decides.

use md5::{Digest as _, Md5};

use super::{
    content::{HASHED, md5},
    disc::Disc,
    rom_error::RomError,
};
use crate::{
    base::ids,
    discs::{Content, part},
};

/// The console whose games are known by the name of their set.
pub(super) const ARCADE: u32 = 27;

/// Consoles whose files count as they are.
const WHOLE: [u32; 24] =
    [1, 4, 5, 6, 10, 11, 14, 15, 17, 23, 24, 25, 28, 29, 30, 33, 37, 44, 45, 46, 50, 53, 57, 59];
/// Folders of an arcade emulator that hold games of consoles: their names are part of the name of a set.
const SET_FOLDERS: &str = "chf coleco fds gamegear megadriv msx msx1 neocd nes ngp pce sg1000 sgx sms snes \
    spectrum tg16";
/// Bytes of a header that copiers put in front.
const COPIER: usize = 512;
/// Bytes of the icon and titles of a cartridge of the Nintendo DS.
const DS_ICON: usize = 0xA00;
/// Bytes of the header of such a cartridge that count.
const DS_HEADER: usize = 0x160;
/// Bytes of its two programs together.
const DS_PROGRAMS: usize = 16 << 20;

/// What is hashed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Rule {
    /// The file, without a header of a copier or an emulator.
    Cartridge(Header),
    /// The file in the byte order of the console.
    Nintendo64,
    /// Header, programs and icon.
    NintendoDs,
    /// The name of the set.
    Arcade,
    /// Parts of a disc.
    Disc(Disc),
}

/// A header that does not count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Header {
    None,
    Nes,
    Snes,
    PcEngine,
    Atari7800,
    Lynx,
}

/// The rule of a console by its number at the provider; `None` for one whose files cannot be identified.
pub(super) fn of_console(console: u32) -> Option<Rule> {
    Some(match console {
        7 | 81 => Rule::Cartridge(Header::Nes),
        3 => Rule::Cartridge(Header::Snes),
        8 => Rule::Cartridge(Header::PcEngine),
        51 => Rule::Cartridge(Header::Atari7800),
        13 => Rule::Cartridge(Header::Lynx),
        2 => Rule::Nintendo64,
        18 => Rule::NintendoDs,
        ARCADE => Rule::Arcade,
        12 => Rule::Disc(Disc::PlayStation),
        21 => Rule::Disc(Disc::PlayStation2),
        41 => Rule::Disc(Disc::Psp),
        9 => Rule::Disc(Disc::SegaCd),
        39 => Rule::Disc(Disc::Saturn),
        40 => Rule::Disc(Disc::Dreamcast),
        76 => Rule::Disc(Disc::PcEngineCd),
        16 => Rule::Disc(Disc::GameCube),
        console if WHOLE.contains(&console) => Rule::Cartridge(Header::None),
        _ => return None,
    })
}

/// The hashes of a cartridge.
///
/// # Errors
/// A file that cannot be read or does not belong to the console.
pub(super) fn cartridge(rule: Rule, content: &mut dyn Content) -> Result<Vec<String>, RomError> {
    match rule {
        Rule::NintendoDs => nintendo_ds(content).map(|hash| vec![hash]),
        Rule::Nintendo64 => {
            let bytes = big_endian(part(content, 0, HASHED)?)?;
            Ok(vec![md5(&bytes)])
        }
        Rule::Cartridge(header) => {
            let bytes = part(content, 0, HASHED)?;
            Ok(without_header(header, &bytes).into_iter().map(md5).collect())
        }
        Rule::Arcade | Rule::Disc(_) => Err(RomError::NotOfConsole),
    }
}

/// The bytes of a file without its header; several where opinions on that differ.
fn without_header(header: Header, bytes: &[u8]) -> Vec<&[u8]> {
    let skip = |count: usize, is_there: bool| if is_there { &bytes[count..] } else { bytes };
    match header {
        Header::None => vec![bytes],
        Header::Nes => {
            let is_there = bytes.starts_with(b"NES\x1a") || bytes.starts_with(b"FDS\x1a");
            vec![skip(16.min(bytes.len()), is_there)]
        }
        Header::Snes => vec![skip(COPIER, bytes.len() % 8192 == COPIER)],
        Header::PcEngine => {
            let is_there = bytes.len() & COPIER != 0;
            let mut all = vec![skip(COPIER, is_there)];
            if is_there && bytes.len() % (128 << 10) != COPIER {
                all.push(bytes);
            }
            all
        }
        Header::Atari7800 => {
            let is_there = bytes.len() >= 128 && bytes[1..].starts_with(b"ATARI7800");
            vec![skip(128, is_there)]
        }
        Header::Lynx => vec![skip(64, bytes.len() >= 64 && bytes.starts_with(b"LYNX\0"))],
    }
}

/// A file of the Nintendo 64 in the byte order of the console.
fn big_endian(mut bytes: Vec<u8>) -> Result<Vec<u8>, RomError> {
    match bytes.first() {
        // The last two are disks.
        Some(0x80 | 0xE8 | 0x22) => {}
        Some(0x37) => bytes.chunks_exact_mut(2).for_each(<[u8]>::reverse),
        Some(0x40) => bytes.chunks_exact_mut(4).for_each(<[u8]>::reverse),
        _ => return Err(RomError::NotOfConsole),
    }
    Ok(bytes)
}

fn nintendo_ds(content: &mut dyn Content) -> Result<String, RomError> {
    let mut header = part(content, 0, COPIER)?;
    let is_copied = header.starts_with(&[0x2E, 0, 0, 0xEA])
        && header.get(0xB0..0xB4) == Some(&[0x44, 0x46, 0x96, 0]);
    let base = if is_copied { COPIER as u64 } else { 0 };
    if is_copied {
        header = part(content, base, COPIER)?;
    }
    if header.len() < DS_HEADER {
        return Err(RomError::NotOfConsole);
    }
    let number = |at: usize| {
        let bytes = header[at..].first_chunk().copied().unwrap_or_default();
        u32::from_le_bytes(bytes)
    };
    let size = |at: usize| usize::try_from(number(at)).unwrap_or(usize::MAX);
    let programs = [(number(0x20), size(0x2C)), (number(0x30), size(0x3C))];
    if programs[0].1.saturating_add(programs[1].1) > DS_PROGRAMS {
        return Err(RomError::NotOfConsole);
    }
    let mut digest = Md5::new();
    digest.update(&header[..DS_HEADER]);
    for (start, size) in programs {
        let program = part(content, base + u64::from(start), size)?;
        if program.len() < size {
            return Err(RomError::NotOfConsole);
        }
        digest.update(&program);
    }
    let mut icon = part(content, base + u64::from(number(0x68)), DS_ICON)?;
    icon.resize(DS_ICON, 0);
    digest.update(&icon);
    Ok(ids::hex(&digest.finalize()))
}

/// The hashes of a set: of its name, in an arcade emulator's folder of a console with that in front.
pub(super) fn arcade(folder: &str, set: &str) -> Vec<String> {
    let folder = folder.to_ascii_lowercase();
    if SET_FOLDERS.split(' ').any(|known| known == folder) {
        return vec![md5(format!("{folder}_{set}").as_bytes()), md5(set.as_bytes())];
    }
    vec![md5(set.as_bytes())]
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::{discs::InMemory, platforms};

    /// Bytes that differ from place to place.
    fn noise(count: usize) -> Vec<u8> {
        (0..count).map(|at| u8::try_from((at * 7 + at / 251) % 256).expect("a byte")).collect()
    }

    #[track_caller]
    fn check(console: u32, file: Vec<u8>, expected: &[&[u8]]) {
        let rule = of_console(console).expect("a rule");
        let hashes = cartridge(rule, &mut InMemory(file)).expect("hashes");
        let expected: Vec<_> = expected.iter().map(|bytes| md5(bytes)).collect();
        assert_eq!(hashes, expected, "{console}");
    }

    #[test]
    fn digests_are_those_of_published_vectors() {
        assert_eq!(md5(b""), "d41d8cd98f00b204e9800998ecf8427e");
        assert_eq!(md5(b"message digest"), "f96b697d7cb7938d525a2f31aaf161d0");
    }

    #[test]
    fn every_console_with_a_rule_has_a_platform() {
        for console in WHOLE {
            assert!(platforms::all().iter().any(|each| each.ach == Some(console)), "{console}");
        }
    }

    #[test]
    fn headers_of_cartridges_do_not_count() {
        let body = noise(40_000);
        let with = |header: &[u8], size: usize| {
            let mut file = header.to_vec();
            file.resize(size, 1);
            [file, body.clone()].concat()
        };
        for console in [1, 4, 25, 28, 53] {
            check(console, body.clone(), &[&body]);
        }
        check(7, with(b"NES\x1a", 16), &[&body]);
        check(81, with(b"FDS\x1a", 16), &[&body]);
        check(7, body.clone(), &[&body]);
        check(51, with(b"\x01ATARI7800", 128), &[&body]);
        check(51, body.clone(), &[&body]);
        check(13, with(b"LYNX\0", 64), &[&body]);
        check(13, with(b"LYNY\0", 64), &[&with(b"LYNY\0", 64)]);
        let banks = noise(3 * 8192);
        check(3, banks.clone(), &[&banks]);
        check(3, [vec![9; 512], banks.clone()].concat(), &[&banks]);
        check(3, [vec![9; 513], banks.clone()].concat(), &[&[vec![9; 513], banks].concat()]);
        let banks = noise(128 << 10);
        check(8, banks.clone(), &[&banks]);
        check(8, [vec![9; 512], banks.clone()].concat(), &[&banks]);
        let odd = noise(8192 + 512);
        check(8, odd.clone(), &[&odd[512..], &odd]);
        check(7, b"NES\x1a".to_vec(), &[b""]);
    }

    #[test]
    fn byte_orders_of_the_nintendo_64_are_one_game() {
        let image = [&[0x80, 0x37, 0x12, 0x40][..], &noise(64)].concat();
        let swapped = |size: usize| -> Vec<u8> {
            image.chunks(size).flat_map(|part| part.iter().rev().copied()).collect()
        };
        check(2, image.clone(), &[&image]);
        check(2, swapped(2), &[&image]);
        check(2, swapped(4), &[&image]);
        let disk = [&[0xE8][..], &noise(9)].concat();
        check(2, disk.clone(), &[&disk]);
        let refused = cartridge(Rule::Nintendo64, &mut InMemory(vec![1, 2, 3, 4]));
        assert!(matches!(refused, Err(RomError::NotOfConsole)));
        assert!(cartridge(Rule::Nintendo64, &mut InMemory(Vec::new())).is_err());
    }

    #[test]
    fn programs_and_icon_identify_a_ds_cartridge() {
        let mut image = noise(0x5000);
        let mut put = |at: usize, number: u32| {
            image[at..at + 4].copy_from_slice(&number.to_le_bytes());
        };
        put(0x20, 0x1000);
        put(0x2C, 0x123);
        put(0x30, 0x2000);
        put(0x3C, 0x77);
        put(0x68, 0x4F00);
        let mut icon = image[0x4F00..].to_vec();
        icon.resize(DS_ICON, 0);
        let parts = [&image[..0x160], &image[0x1000..0x1123], &image[0x2000..0x2077], &icon];
        let expected = parts.concat();
        check(18, image.clone(), &[&expected]);
        let mut copier = vec![0; 512];
        copier[..4].copy_from_slice(&[0x2E, 0, 0, 0xEA]);
        copier[0xB0..0xB4].copy_from_slice(&[0x44, 0x46, 0x96, 0]);
        check(18, [copier, image.clone()].concat(), &[&expected]);
        image[0x2F] = 2;
        assert!(cartridge(Rule::NintendoDs, &mut InMemory(image)).is_err(), "programs too large");
        assert!(cartridge(Rule::NintendoDs, &mut InMemory(noise(0x100))).is_err());
    }

    #[test]
    fn sets_are_known_by_name() {
        assert_eq!(arcade("roms", "pacman"), [md5(b"pacman")]);
        assert_eq!(arcade("NES", "Smb"), [md5(b"nes_Smb"), md5(b"Smb")]);
    }

    #[test]
    fn consoles_without_a_rule_have_none() {
        for console in [0, 19, 22, 43, 56, 62, u32::MAX] {
            assert_eq!(of_console(console), None, "{console}");
        }
    }

    proptest! {
        #[test]
        fn no_file_does_harm(bytes in prop::collection::vec(any::<u8>(), 0..1200), console in 0_u32..90) {
            if let Some(rule @ (Rule::Cartridge(_) | Rule::Nintendo64 | Rule::NintendoDs)) = of_console(console) {
                drop(cartridge(rule, &mut InMemory(bytes)));
            }
        }
    }
}
