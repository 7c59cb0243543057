//! Discs that are built sector by sector, and the bytes of them that are hashed.

use super::{
    content::md5,
    disc::{Disc, Track, hashes},
};
use crate::discs::InMemory;

const DATA: usize = 2048;

/// A number as a file system has it: in both byte orders.
fn both(number: usize) -> Vec<u8> {
    let number = u32::try_from(number).expect("small");
    [number.to_le_bytes(), number.to_be_bytes()].concat()
}

fn record(name: &[u8], sector: usize, size: usize, flags: u8) -> Vec<u8> {
    let mut record = vec![0, 0];
    record.extend(both(sector));
    record.extend(both(size));
    record.extend([0; 7]);
    record.extend([flags, 0, 0, 1, 0, 0, 1]);
    record.push(u8::try_from(name.len()).expect("short"));
    record.extend(name);
    record.resize(record.len() + record.len() % 2, 0);
    record[0] = u8::try_from(record.len()).expect("short");
    record
}

/// A file on a disc: the path of its folder, its name and its content.
type File<'a> = (&'a str, &'a [u8], &'a [u8]);

/// Sectors with a file system; `first` is the number of the first one on the disc.
fn image(first: usize, boot: &[u8], files: &[File<'_>]) -> Vec<Vec<u8>> {
    let mut sectors = vec![vec![0; DATA]; 18];
    for (at, piece) in boot.chunks(DATA).enumerate() {
        sectors[at][..piece.len()].copy_from_slice(piece);
    }
    let mut folders = vec![""];
    for (folder, ..) in files {
        if !folders.contains(folder) {
            folders.push(folder);
        }
    }
    let place = |at: usize| first + 18 + at;
    let mut next = place(folders.len());
    let mut content = Vec::new();
    let mut tables = vec![Vec::new(); folders.len()];
    for (at, folder) in folders.iter().enumerate().skip(1) {
        let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
        let above = folders.iter().position(|it| *it == above).expect("its folder comes first");
        tables[above].extend(record(name.as_bytes(), place(at), DATA, 2));
    }
    for (folder, name, bytes) in files {
        let at = folders.iter().position(|it| it == folder).expect("there");
        tables[at].extend(record(name, next, bytes.len(), 0));
        for piece in bytes.chunks(DATA) {
            let mut sector = piece.to_vec();
            sector.resize(DATA, 0);
            content.push(sector);
            next += 1;
        }
    }
    let descriptor = &mut sectors[16];
    descriptor[..6].copy_from_slice(b"\x01CD001");
    let root = record(b"\0", place(0), DATA, 2);
    descriptor[156..156 + root.len()].copy_from_slice(&root);
    for mut table in tables {
        table.resize(DATA, 0);
        sectors.push(table);
    }
    sectors.extend(content);
    sectors
}

fn plain(sectors: &[Vec<u8>]) -> Vec<u8> {
    sectors.concat()
}

/// Whole sectors, with what stands around the data.
fn whole(sectors: &[Vec<u8>], mode: u8) -> Vec<u8> {
    let mut bytes = Vec::new();
    for sector in sectors {
        bytes.extend([0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0, 0, 2, 0, mode]);
        bytes.extend(if mode == 2 { &[0; 8][..] } else { &[] });
        bytes.extend(sector);
        bytes.resize(bytes.len().next_multiple_of(2352), 9);
    }
    bytes
}

fn track(bytes: Vec<u8>, first: u32) -> Track {
    Track::new(Box::new(InMemory(bytes)), 0, first).expect("a track")
}

fn of(disc: Disc, bytes: Vec<u8>) -> Vec<String> {
    hashes(disc, &mut track(bytes, 0), None).expect("hashes")
}

fn refused(disc: Disc, bytes: Vec<u8>) {
    let outcome = hashes(disc, &mut track(bytes, 0), None);
    assert!(outcome.is_err(), "{disc:?}: {outcome:?}");
}

fn noise(count: usize) -> Vec<u8> {
    (0..count).map(|at| u8::try_from((at * 13 + at / 509) % 256).expect("a byte")).collect()
}

#[test]
fn the_program_of_a_playstation_disc_has_the_size_of_its_header() {
    let mut program = noise(3 * DATA);
    program[..8].copy_from_slice(b"PS-X EXE");
    program[28..32].copy_from_slice(&u32::try_from(DATA).expect("small").to_le_bytes());
    let start = b"TCB = 4\r\nBOOT = cdrom:\\SLUS_000.01;1\r\nEVENT = 10\r\n";
    let files: [File<'_>; 2] = [("", b"SYSTEM.CNF;1", start), ("", b"SLUS_000.01;1", &program)];
    let sectors = image(0, b"", &files);
    let expected = [md5(&[b"SLUS_000.01", &program[..2 * DATA]].concat())];
    assert_eq!(of(Disc::PlayStation, plain(&sectors)), expected);
    assert_eq!(of(Disc::PlayStation, whole(&sectors, 2)), expected);
    let sectors = image(0, b"", &[("", b"PSX.EXE;1", &program)]);
    let expected = [md5(&[b"PSX.EXE", &program[..2 * DATA]].concat())];
    assert_eq!(of(Disc::PlayStation, plain(&sectors)), expected);
    let start = b"BOOT=cdrom:EXE\\GAME.EXE";
    let files: [File<'_>; 2] = [("", b"SYSTEM.CNF;1", start), ("EXE", b"GAME.EXE;1", &program)];
    let expected = [md5(&[b"EXE\\GAME.EXE", &program[..2 * DATA]].concat())];
    assert_eq!(of(Disc::PlayStation, plain(&image(0, b"", &files))), expected);
    refused(Disc::PlayStation, plain(&image(0, b"", &[("", b"A.TXT;1", b"a")])));
    refused(Disc::PlayStation, vec![0; 400_000]);
}

#[test]
fn the_program_of_a_playstation_2_disc_counts_as_a_whole() {
    let program = noise(DATA + 100);
    let start = b"BOOT2 = cdrom0:\\SLES_123.45;1\nVER = 1.00\n";
    let files: [File<'_>; 2] = [("", b"SYSTEM.CNF;1", start), ("", b"SLES_123.45;1", &program)];
    let sectors = image(0, b"", &files);
    let expected = [md5(&[b"SLES_123.45", &program[..]].concat())];
    assert_eq!(of(Disc::PlayStation2, plain(&sectors)), expected);
    refused(Disc::PlayStation2, plain(&image(0, b"", &[("", b"PSX.EXE;1", &program)])));
}

#[test]
fn parameters_and_program_identify_a_psp_disc() {
    let (parameters, program) = (noise(70), noise(2 * DATA + 5));
    let files: [File<'_>; 2] =
        [("PSP_GAME", b"PARAM.SFO", &parameters), ("PSP_GAME/SYSDIR", b"EBOOT.BIN", &program)];
    let expected = [md5(&[parameters.clone(), program.clone()].concat())];
    assert_eq!(of(Disc::Psp, plain(&image(0, b"", &files))), expected);
    refused(Disc::Psp, plain(&image(0, b"", &files[..1])));
}

#[test]
fn first_sectors_identify_discs_of_sega() {
    for (disc, word) in [(Disc::SegaCd, b"SEGADISCSYSTEM  "), (Disc::Saturn, b"SEGA SEGASATURN ")] {
        let boot = [&word[..], &noise(600)].concat();
        let sectors = image(0, &boot, &[]);
        for bytes in [plain(&sectors), whole(&sectors, 1)] {
            assert_eq!(of(disc, bytes), [md5(&boot[..512])]);
        }
        refused(disc, plain(&image(0, b"SEGA", &[])));
        refused(disc, word.to_vec());
    }
}

#[test]
fn the_program_of_a_dreamcast_disc_lies_in_its_track_or_in_the_last_one() {
    let mut boot = [&b"SEGA SEGAKATANA "[..], &noise(600)].concat();
    boot[0x60..0x70].copy_from_slice(b"1ST_READ.BIN    ");
    let program = noise(DATA + 77);
    let sectors = image(45_000, &boot, &[("", b"1ST_READ.BIN;1", &program)]);
    let expected = [256, 512].map(|count| md5(&[&boot[..count], &program].concat()));
    let mut data = track(whole(&sectors, 1), 45_000);
    assert_eq!(hashes(Disc::Dreamcast, &mut data, None).expect("hashes"), expected);
    let (front, back) = sectors.split_at(sectors.len() - 2);
    let mut data = track(plain(front), 45_000);
    let mut last = track(plain(back), 45_000 + u32::try_from(front.len()).expect("small"));
    let found = hashes(Disc::Dreamcast, &mut data, Some(&mut last));
    assert_eq!(found.expect("hashes"), expected);
    refused(Disc::Dreamcast, plain(&image(0, b"SEGA", &[])));
}

#[test]
fn title_and_boot_sectors_identify_a_pc_engine_disc() {
    let mut boot = vec![0; DATA];
    let mut header = noise(128);
    header[..4].copy_from_slice(&[0, 0, 3, 2]);
    header[32..55].copy_from_slice(b"PC Engine CD-ROM SYSTEM");
    boot.extend(&header);
    boot.resize(3 * DATA, 0);
    let code = noise(2 * DATA);
    boot.extend(&code);
    let sectors = image(0, &boot, &[]);
    let expected = [md5(&[&header[106..128], &code].concat())];
    assert_eq!(of(Disc::PcEngineCd, plain(&sectors)), expected);
    assert_eq!(of(Disc::PcEngineCd, whole(&sectors, 1)), expected);
    let sectors = image(0, b"", &[("", b"BOOT.BIN;1", &code)]);
    assert_eq!(of(Disc::PcEngineCd, plain(&sectors)), [md5(&code)]);
    refused(Disc::PcEngineCd, vec![0; 100]);
}

#[test]
fn header_and_program_identify_a_gamecube_disc() {
    let mut disc = noise(0x9000);
    let mut put = |at: usize, number: u32| disc[at..at + 4].copy_from_slice(&number.to_be_bytes());
    put(0x1C, 0xC233_9F3D);
    put(0x2454, 0x30);
    put(0x2458, 0x10);
    put(0x420, 0x4000);
    for segment in 0..18 {
        put(0x4000 + 4 * segment, 0);
        put(0x4090 + 4 * segment, 0);
    }
    put(0x4000, 0x100);
    put(0x4090, 0x40);
    put(0x4004, 0x200);
    put(0x4094, 0x33);
    let front = &disc[..0x2440 + 0x20 + 0x40];
    let of_base = |base: usize| {
        md5(&[front, &disc[base + 0x100..base + 0x140], &disc[base + 0x200..base + 0x233]].concat())
    };
    assert_eq!(of(Disc::GameCube, disc.clone()), [of_base(0x4000), of_base(0)]);
    refused(Disc::GameCube, vec![0; 0x9000]);
    refused(Disc::GameCube, disc[..0x4020].to_vec());
}

#[test]
fn damaged_discs_do_no_harm() {
    let files: [File<'_>; 1] = [("", b"SYSTEM.CNF;1", b"BOOT = cdrom:\\A;1")];
    let sectors = image(0, b"", &files);
    for at in [156, 158, 166, 188] {
        let mut sectors = sectors.clone();
        sectors[16][at..at + 4].fill(0xFF);
        refused(Disc::PlayStation, plain(&sectors));
    }
    let mut odd = sectors;
    for at in 0..40 {
        odd[18][at] = 0xFF;
        refused(Disc::PlayStation, plain(&odd));
    }
}
