//! Images of real programs, images of every format that are made here, and hostile ones.
//!
//! `tests/discs/make.py` says how the first ones were made, and what is on them.

use std::io::{Read as _, Write as _};

use flate2::{
    Compression,
    read::GzDecoder,
    write::{DeflateEncoder, ZlibEncoder},
};
use md5::{Digest as _, Md5};
use proptest::prelude::*;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::{Image, ImageError, InMemory, part};
use crate::base::ids;

macro_rules! image {
    ($name:literal) => {
        named($name, include_bytes!(concat!("../../tests/discs/", $name, ".gz")))
    };
}

fn named(name: &'static str, gzip: &'static [u8]) -> (&'static str, &'static [u8]) {
    (name, gzip)
}

fn unpacked(gzip: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    GzDecoder::new(gzip).read_to_end(&mut bytes).expect("gzip");
    bytes
}

fn open(bytes: Vec<u8>) -> Result<Image<'static>, ImageError> {
    Image::open(Box::new(InMemory(bytes)))
}

/// The bytes of a track.
fn bytes_of(bytes: &[u8], at: usize) -> Result<Vec<u8>, ImageError> {
    let mut track = open(bytes.to_owned())?.into_track(at);
    let length = usize::try_from(track.length()).expect("small");
    Ok(part(&mut *track, 0, length)?)
}

fn noise(count: usize) -> Vec<u8> {
    (0..count).map(|at| u8::try_from((at * 13 + at / 509) % 256).expect("a byte")).collect()
}

fn deflated(bytes: &[u8]) -> Vec<u8> {
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).expect("packed");
    packer.finish().expect("packed")
}

/// Tracks with number, kind and first sector, and the digest of their first bytes.
type Tracks = [(u32, bool, u32, usize, &'static str)];

#[track_caller]
fn check((name, gzip): (&str, &[u8]), expected: &Tracks) {
    let bytes = unpacked(gzip);
    let tracks = open(bytes.clone()).expect(name).tracks();
    assert_eq!(tracks.len(), expected.len(), "{name}: {tracks:?}");
    for (at, (number, is_data, first, length, digest)) in expected.iter().enumerate() {
        let track = tracks[at];
        let found = (track.number, track.is_data, track.first);
        assert_eq!(found, (*number, *is_data, *first), "{name}");
        let content = bytes_of(&bytes, at).expect(name);
        assert_eq!(ids::hex(&Md5::digest(&content[..*length])), *digest, "{name}: track {number}");
        // Piece by piece, from the end to the front.
        let mut track = open(bytes.clone()).expect(name).into_track(at);
        for start in (0..*length).step_by(5000).rev() {
            let piece = part(&mut *track, start as u64, 5000).expect("read");
            assert_eq!(piece, content[start..content.len().min(start + 5000)], "{name}: {start}");
        }
    }
}

#[test]
fn images_of_real_programs_hold_the_discs_they_were_made_from() {
    const SEGA: &Tracks = &[
        (1, true, 0, 138_768, "770bdbb42ec2aa3011b17312a6ef6775"),
        (2, false, 0, 70_560, "9258fcc630ee22b4b0d75bd941ad15ec"),
    ];
    const PS2: &Tracks = &[(1, true, 0, 49_152, "1acf3841d8231ba0204c56f623f289ac")];
    const GAMECUBE: &Tracks = &[(1, true, 0, 393_216, "81a45de208f7ed6ab92fc61ad0b49cdc")];
    check(image!("sega.chd"), SEGA);
    check(image!("sega-cdzl.chd"), SEGA);
    check(
        image!("pce.chd"),
        &[
            (1, false, 0, 68_208, "0f5305d4c7ec0d23acacaae96d6af0f8"),
            (2, true, 0, 185_808, "ebe9973515db73d45deed51fcc0cbfce"),
        ],
    );
    check(image!("psx.chd"), &[(1, true, 0, 195_216, "c17f423c0c2f90f15775e82c158e31d1")]);
    check(
        image!("gd.chd"),
        &[
            (1, true, 0, 47_040, "367411b7577c90820f26b0e0822507ce"),
            (2, false, 600, 16_464, "1fa596851c088d139209090ad3bc6918"),
            (3, true, 45_000, 49_392, "fe7012cf0708528ed1228241b4695afa"),
        ],
    );
    for gzip in [
        image!("ps2-zlib.chd"),
        image!("ps2-lzma.chd"),
        image!("ps2-huff.chd"),
        image!("ps2-flac.chd"),
    ] {
        check(gzip, PS2);
    }
    for gzip in [
        image!("gc-zstd.rvz"),
        image!("gc-lzma2.rvz"),
        image!("gc-none.rvz"),
        image!("gc-lzma.wia"),
        image!("gc-none.wia"),
        image!("gc.gcz"),
    ] {
        check(gzip, GAMECUBE);
    }
}

/// One hunk of a map: its kind, and its size with a checksum or its number.
enum Hunk {
    Packed(Vec<u8>),
    Stored(Vec<u8>),
    Kind(u64),
    Copy(u64),
}

/// Bits, the highest first.
#[derive(Default)]
struct BitWriter(Vec<bool>);

impl BitWriter {
    fn put(&mut self, number: u64, bits: u32) {
        self.0.extend((0..bits).rev().map(|bit| number >> bit & 1 == 1));
    }

    fn bytes(&self) -> Vec<u8> {
        let byte = |bits: &[bool]| {
            bits.iter().enumerate().map(|(at, bit)| u8::from(*bit) << (7 - at)).sum()
        };
        self.0.chunks(8).map(byte).collect()
    }
}

fn header_5(method: [u8; 4], length: u64, hunk: u32) -> Vec<u8> {
    let mut header = b"MComprHD\0\0\0\x7c\0\0\0\x05".to_vec();
    header.extend(method);
    header.resize(32, 0);
    header.extend(length.to_be_bytes());
    header.resize(56, 0);
    header.extend(hunk.to_be_bytes());
    header.extend(2048_u32.to_be_bytes());
    header.resize(124, 0);
    header
}

/// A file of version 5 with a packed map behind its hunks.
fn chd(method: [u8; 4], size: u32, hunks: &[Hunk]) -> Vec<u8> {
    let mut file = header_5(method, hunks.len() as u64 * u64::from(size), size);
    let mut bits = BitWriter::default();
    // Sixteen kinds of four bits each.
    for _ in 0..16 {
        bits.put(4, 4);
    }
    for hunk in hunks {
        bits.put(
            match hunk {
                Hunk::Packed(_) => 0,
                Hunk::Stored(_) => 4,
                Hunk::Copy(_) => 5,
                Hunk::Kind(kind) => *kind,
            },
            4,
        );
    }
    for hunk in hunks {
        match hunk {
            Hunk::Packed(bytes) => {
                bits.put(bytes.len() as u64, 24);
                bits.put(0, 16);
                file.extend(bytes);
            }
            Hunk::Stored(bytes) => {
                bits.put(0, 16);
                file.extend(bytes);
            }
            Hunk::Copy(number) => bits.put(*number, 20),
            Hunk::Kind(_) => {}
        }
    }
    let place = file.len() as u64;
    file[40..48].copy_from_slice(&place.to_be_bytes());
    let map = bits.bytes();
    file.extend(u32::try_from(map.len()).expect("small").to_be_bytes());
    file.extend([0, 0, 0, 0, 0, 124, 0, 0, 24, 20, 0, 0]);
    file.extend(map);
    file
}

/// Adds a list of tracks to a file of version 5.
fn with_tracks(mut file: Vec<u8>, texts: &[&str]) -> Vec<u8> {
    let mut place = file.len();
    file[48..56].copy_from_slice(&(place as u64).to_be_bytes());
    for (at, text) in texts.iter().enumerate() {
        let next = place + 16 + text.len();
        file.extend(b"CHT2\x01\0");
        file.extend(u16::try_from(text.len()).expect("short").to_be_bytes());
        let next = if at + 1 < texts.len() { next } else { 0 };
        file.extend((next as u64).to_be_bytes());
        file.extend(text.bytes());
        place = next;
    }
    file
}

#[test]
fn methods_and_kinds_of_hunks_that_few_programs_write_are_read() {
    let hunk = noise(4096);
    let packed = || compress_to_vec(&hunk[..], CompressionLevel::Fastest);
    let file = chd(
        *b"zstd",
        4096,
        &[
            Hunk::Packed(packed()),
            Hunk::Stored(vec![7; 4096]),
            Hunk::Copy(0),
            // The same as the last reference, and the one behind it.
            Hunk::Kind(9),
            Hunk::Kind(10),
        ],
    );
    let expected = [&hunk[..], &[7; 4096], &hunk, &hunk, &[7; 4096]].concat();
    assert_eq!(bytes_of(&file, 0).expect("read"), expected);

    // Sectors of a CD in Zstandard: a mark for the second one, the size, the sectors.
    let sectors = noise(2 * 2352);
    let base = compress_to_vec(&sectors[..], CompressionLevel::Fastest);
    let size = u16::try_from(base.len()).expect("small").to_be_bytes();
    let packed = [&[2][..], &size, &base].concat();
    let file = chd(*b"cdzs", 2 * 2448, &[Hunk::Packed(packed)]);
    let file = with_tracks(file, &["TRACK:1 TYPE:MODE1_RAW SUBTYPE:NONE FRAMES:2 PREGAP:0"]);
    let mut expected = sectors;
    expected[2352..2364].copy_from_slice(&[0, 255, 255, 255, 255, 255, 255, 255, 255, 255, 255, 0]);
    assert_eq!(bytes_of(&file, 0).expect("read"), expected);

    let mut plain = header_5(*b"\0\0\0\0", 3 * 4096, 4096);
    plain[47] = 124;
    plain.extend([0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1]);
    plain.resize(4096, 0);
    plain.extend(&hunk);
    let expected = [&hunk[..], &[0; 4096], &hunk].concat();
    assert_eq!(bytes_of(&plain, 0).expect("read"), expected);
}

/// A file of version 3 or 4 with every kind of hunk.
fn older(version: u8) -> (Vec<u8>, Vec<u8>) {
    let hunk = noise(4096);
    let packed = deflated(&hunk);
    let size: usize = if version == 3 { 120 } else { 108 };
    let mut file = b"MComprHD\0\0\0\0\0\0\0".to_vec();
    file.push(version);
    file.extend([0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 4]);
    file.extend((4 * 4096_u64).to_be_bytes());
    file.resize(size, 0);
    let place = if version == 3 { 76 } else { 44 };
    file[place..place + 4].copy_from_slice(&4096_u32.to_be_bytes());
    let start = size + 4 * 16;
    let length = u16::try_from(packed.len()).expect("small").to_be_bytes();
    for (place, kind) in
        [(start as u64, 1), (u64::from_be_bytes(*b"abcdefgh"), 3), (0, 4), (start as u64 + 500, 2)]
    {
        file.extend(place.to_be_bytes());
        file.extend([0, 0, 0, 0, length[0], length[1], 0, kind]);
    }
    file.extend(&packed);
    file.resize(start + 500, 0);
    file.extend([9; 4096]);
    let repeated = b"abcdefgh".repeat(512);
    (file, [&hunk[..], &repeated, &hunk, &[9; 4096]].concat())
}

#[test]
fn older_versions_are_read() {
    for version in [3, 4] {
        let (file, expected) = older(version);
        assert_eq!(bytes_of(&file, 0).expect("read"), expected);
    }
}

/// An image of packed blocks: magic and version, and what each block is packed to, with its mark.
fn cso(magic: [u8; 4], version: u8, length: u64, blocks: &[(Vec<u8>, bool)]) -> Vec<u8> {
    let mut file = magic.to_vec();
    file.extend(24_u32.to_le_bytes());
    file.extend(length.to_le_bytes());
    file.extend(2048_u32.to_le_bytes());
    file.extend([version, 0, 0, 0]);
    let mut place = u32::try_from(24 + 4 * (blocks.len() + 1)).expect("small");
    for (bytes, is_marked) in blocks {
        file.extend((place | u32::from(*is_marked) << 31).to_le_bytes());
        place += u32::try_from(bytes.len()).expect("small");
    }
    file.extend(place.to_le_bytes());
    file.extend(blocks.iter().flat_map(|(bytes, _)| bytes));
    file
}

#[test]
fn images_of_packed_blocks_are_read() {
    let disc = noise(2 * 2048 + 100);
    let pieces: Vec<&[u8]> = disc.chunks(2048).collect();
    let length = disc.len() as u64;
    let stored = |at: usize| pieces[at].to_owned();
    let deflate = |at: usize| deflated(pieces[at]);
    let lz4 = |at: usize| {
        // Only bytes as they are; the length goes on in steps of 255.
        let count = pieces[at].len() - 15;
        let mut packed = vec![0xF0];
        packed.resize(1 + count / 255, 255);
        packed.push(u8::try_from(count % 255).expect("a byte"));
        packed.extend(pieces[at]);
        packed
    };
    let file = |magic, version, blocks: &[(Vec<u8>, bool)]| cso(magic, version, length, blocks);
    let first = [(deflate(0), false), (stored(1), true), (deflate(2), false)];
    let second = [(deflate(0), false), (stored(1), false), (lz4(2), true)];
    let zso = [(lz4(0), false), (stored(1), true), (lz4(2), false)];
    for file in [
        file(*b"CISO", 1, &first),
        file(*b"CISO", 0, &first),
        file(*b"CISO", 2, &second),
        file(*b"ZISO", 1, &zso),
    ] {
        assert_eq!(bytes_of(&file, 0).expect("read"), disc);
    }

    let disc = noise(8192 + 300);
    let packed: Vec<Vec<u8>> = disc
        .chunks(8192)
        .map(|piece| {
            let mut packer = ZlibEncoder::new(Vec::new(), Compression::best());
            packer.write_all(piece).expect("packed");
            packer.finish().expect("packed")
        })
        .collect();
    let mut file = b"DAX\0".to_vec();
    file.extend(u32::try_from(disc.len()).expect("small").to_le_bytes());
    file.resize(32, 0);
    let start = 32 + 2 * 6;
    for place in [start, start + packed[0].len()] {
        file.extend(u32::try_from(place).expect("small").to_le_bytes());
    }
    for piece in &packed {
        file.extend(u16::try_from(piece.len()).expect("small").to_le_bytes());
    }
    file.extend(packed.concat());
    assert_eq!(bytes_of(&file, 0).expect("read"), disc);
}

#[test]
fn images_without_empty_blocks_are_read() {
    let mut file = b"CISO".to_vec();
    file.extend(4096_u32.to_le_bytes());
    file.extend([1, 0, 1]);
    file.resize(0x8000, 0);
    let (first, second) = (noise(4096), vec![5; 4096]);
    file.extend([&first[..], &second].concat());
    let expected = [&first[..], &[0; 4096], &second].concat();
    assert_eq!(bytes_of(&file, 0).expect("read"), expected);
    file.truncate(file.len() - 1);
    assert!(bytes_of(&file, 0).is_err(), "cut");
    file[8] = 2;
    assert!(open(file).is_err(), "no map");
}

#[track_caller]
fn refused(file: Vec<u8>, expected: &str) {
    let error = match open(file.clone()) {
        Err(error) => error,
        Ok(_) => bytes_of(&file, 0).expect_err(expected),
    };
    assert!(error.to_string().contains(expected), "{error}");
}

#[test]
fn hostile_images_are_refused() {
    const DAMAGED: &str = "damaged";
    for start in [&b""[..], b"MCo", b"abcd"] {
        refused(start.to_vec(), "not a disc image");
    }
    for start in [&b"MComprHD"[..], b"CISO", b"CISO\0\0\0\0", b"ZISO", b"DAX\0", b"RVZ\x01"] {
        refused(start.to_vec(), DAMAGED);
    }
    let good = || chd(*b"zlib", 4096, &[Hunk::Packed(deflated(&noise(4096))), Hunk::Copy(0)]);
    assert_eq!(bytes_of(&good(), 0).expect("good").len(), 8192);
    let with = |at: usize, bytes: &[u8]| {
        let mut file = good();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    refused(with(12, &[0, 0, 0, 9]), "old version");
    refused(with(104, &[1]), "parent");
    for size in [0, 1, (1 << 20) + 1, u32::MAX] {
        refused(with(56, &size.to_be_bytes()), DAMAGED);
    }
    for length in [u64::MAX, 1 << 40] {
        refused(with(32, &length.to_be_bytes()), DAMAGED);
    }
    for place in [u64::MAX, 1 << 40, 0] {
        refused(with(40, &place.to_be_bytes()), DAMAGED);
    }
    refused(with(48, &u64::MAX.to_be_bytes()), DAMAGED);
    refused(with(16, b"avhu"), "laser discs");
    refused(with(16, b"what"), DAMAGED);
    // A hunk that is itself, that refers to a later one, and a long row of them.
    refused(chd(*b"zlib", 4096, &[Hunk::Copy(0)]), DAMAGED);
    refused(chd(*b"zlib", 4096, &[Hunk::Copy(1), Hunk::Copy(0)]), DAMAGED);
    let row: Vec<Hunk> =
        std::iter::once(Hunk::Stored(vec![1; 4096])).chain((0..2000).map(Hunk::Copy)).collect();
    refused(chd(*b"zlib", 4096, &row), DAMAGED);
    refused(chd(*b"zlib", 4096, &[Hunk::Kind(11)]), "parent");
    refused(chd(*b"zlib", 4096, &[Hunk::Packed(vec![0; 4097])]), DAMAGED);
    refused(chd(*b"cdzl", 4096, &[Hunk::Packed(vec![0; 400])]), DAMAGED);
    // A list of metadata that leads back to itself.
    let mut looped = good();
    let place = looped.len() as u64;
    looped[48..56].copy_from_slice(&place.to_be_bytes());
    looped.extend(b"ABCD\0\0\0\x01");
    looped.extend(place.to_be_bytes());
    refused(looped, DAMAGED);
    refused(with_tracks(good(), &["TRACK:1 TYPE:MODE9 FRAMES:4"]), DAMAGED);

    let image = || cso(*b"CISO", 1, 2048, &[(deflated(&noise(2048)), false)]);
    let with = |at: usize, bytes: &[u8]| {
        let mut file = image();
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    assert!(bytes_of(&image(), 0).is_ok());
    for size in [0_u32, 1, 3000, 1 << 30, u32::MAX] {
        refused(with(16, &size.to_le_bytes()), DAMAGED);
    }
    refused(with(21, &[40]), DAMAGED);
    refused(with(24, &[255, 255, 255, 127]), DAMAGED);
    let mut plain_parts = b"DAX\0\0\0\x01\0\x01\0\0\0\x01\0\0\0".to_vec();
    plain_parts.resize(64, 0);
    refused(plain_parts, "plain parts");

    let (_, gzip) = image!("gc-zstd.rvz");
    let with = |at: usize, bytes: &[u8]| {
        let mut file = unpacked(gzip);
        file[at..at + bytes.len()].copy_from_slice(bytes);
        file
    };
    refused(with(0x4F, &[2]), "bzip2");
    refused(with(0x4F, &[9]), DAMAGED);
    for at in [0x54, 0xFC, 0x10C] {
        refused(with(at, &[255; 4]), DAMAGED);
    }
    refused(with(0x110, &[255; 8]), DAMAGED);
}

#[test]
fn a_map_of_many_hunks_is_read_at_any_place() {
    // More hunks than between two places to continue from, in an order that goes back.
    let hunks: Vec<Hunk> =
        (0..3000_u32).map(|at| Hunk::Packed(deflated(&at.to_le_bytes().repeat(16)))).collect();
    let mut track = open(chd(*b"zlib", 64, &hunks)).expect("open").into_track(0);
    for at in [2999_u32, 0, 1024, 1023, 2048, 5, 6, 2500, 2047, 1500] {
        let bytes = part(&mut *track, u64::from(at) * 64, 8).expect("read");
        assert_eq!(bytes, at.to_le_bytes().repeat(2), "{at}");
    }
}

/// Opens an image and reads the start of each track.
fn read_all(bytes: &[u8]) {
    let Ok(image) = open(bytes.to_owned()) else { return };
    for at in 0..image.tracks().len().min(4) {
        let mut track = open(bytes.to_owned()).expect("as before").into_track(at);
        drop(part(&mut *track, 0, 80_000));
        let end = track.length().saturating_sub(1);
        drop(part(&mut *track, end, 4096));
    }
}

fn all() -> Vec<Vec<u8>> {
    let images: [&[u8]; 10] = [
        image!("sega-cdzl.chd").1,
        image!("psx.chd").1,
        image!("gd.chd").1,
        image!("ps2-lzma.chd").1,
        image!("ps2-huff.chd").1,
        image!("ps2-flac.chd").1,
        image!("gc-zstd.rvz").1,
        image!("gc-lzma2.rvz").1,
        image!("gc-lzma.wia").1,
        image!("gc.gcz").1,
    ];
    let disc = deflated(&noise(2048));
    let made = [
        older(3).0,
        older(4).0,
        chd(
            *b"zstd",
            4096,
            &[Hunk::Packed(compress_to_vec(&noise(4096)[..], CompressionLevel::Fastest))],
        ),
        cso(*b"CISO", 1, 2048, &[(disc.clone(), false)]),
        cso(*b"CISO", 2, 2048, &[(disc.clone(), true)]),
        cso(*b"ZISO", 1, 2048, &[(disc, false)]),
    ];
    images.into_iter().map(unpacked).chain(made).collect()
}

#[test]
fn an_image_that_is_cut_anywhere_does_no_harm() {
    for image in all() {
        for share in 0..60 {
            read_all(&image[..image.len() * share / 60]);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn no_byte_of_an_image_does_harm(
        number in 0..16_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<bool>(), any::<u8>()), 1..12),
    ) {
        let mut image = all().swap_remove(number);
        for (at, is_header, byte) in changes {
            // Half of the changes are where sizes and places are.
            let most = if is_header { image.len().min(0x124) } else { image.len() };
            let at = at.index(most);
            image[at] = byte;
        }
        read_all(&image);
    }
}
