//! Archives made to do harm, byte by byte. Each is refused with its sentence before the first write.

use std::{collections::BTreeMap, io::Write as _, path::Path};

use flate2::{Compression, write::DeflateEncoder};

use super::{error::BackupError, tests::House};
use crate::files::Files;

const GIB: u64 = 1 << 30;
const MANIFEST: &str = r#"{"items":["media","library"],"created":"2999-01-01T00:00:00+00:00"}"#;
const LIBRARY: &str = r#"{"schema_version":6,"games":[]}"#;

/// One member as it will stand in the archive, whatever sense it makes.
struct Entry {
    name: Vec<u8>,
    mode: u32,
    declared: u64,
    method: u16,
    crc: u32,
    data: Vec<u8>,
}

fn entry(name: &str, data: &str) -> Entry {
    let data = data.as_bytes().to_vec();
    let (declared, crc) = (data.len() as u64, crc32fast::hash(&data));
    Entry { name: name.into(), mode: 0o100_644, declared, method: 0, crc, data }
}

fn file(name: &str) -> Entry {
    entry(name, "x")
}

fn sound() -> Vec<Entry> {
    vec![entry("manifest.json", MANIFEST), entry("library.json", LIBRARY), file("media/fine")]
}

/// An archive of these members with the sizes they declare.
fn zip(entries: &[Entry]) -> Vec<u8> {
    let (mut out, mut directory) = (Vec::new(), Vec::new());
    for entry in entries {
        let offset = u32::try_from(out.len()).expect("small");
        let small = u32::try_from(entry.declared).unwrap_or(u32::MAX);
        let packed = u32::try_from(entry.data.len()).expect("small");
        let name = u16::try_from(entry.name.len()).expect("short");
        let mut common = Vec::new();
        for half in [20, 0x800, entry.method, 0, 0x21] {
            common.extend(u16::to_le_bytes(half));
        }
        for word in [entry.crc, packed, small] {
            common.extend(word.to_le_bytes());
        }
        common.extend(name.to_le_bytes());
        out.extend(b"PK\x03\x04");
        out.extend(&common);
        out.extend([0, 0]);
        out.extend(&entry.name);
        out.extend(&entry.data);
        let mut extra = Vec::new();
        if small == u32::MAX {
            extra.extend([1, 0, 8, 0]);
            extra.extend(entry.declared.to_le_bytes());
        }
        directory.extend(b"PK\x01\x02\x14\x03");
        directory.extend(&common);
        directory.extend(u16::try_from(extra.len()).expect("short").to_le_bytes());
        directory.extend([0; 6]);
        directory.extend((entry.mode << 16).to_le_bytes());
        directory.extend(offset.to_le_bytes());
        directory.extend(&entry.name);
        directory.extend(extra);
    }
    let (at, len) = (out.len(), directory.len());
    out.extend(directory);
    out.extend(b"PK\x05\x06\0\0\0\0");
    let count = u16::try_from(entries.len()).expect("fits").to_le_bytes();
    out.extend([count, count].concat());
    out.extend(u32::try_from(len).expect("small").to_le_bytes());
    out.extend(u32::try_from(at).expect("small").to_le_bytes());
    out.extend([0, 0]);
    out
}

/// Every file below a folder with its bytes.
fn contents(folder: &Path, found: &mut BTreeMap<std::path::PathBuf, Vec<u8>>) {
    for name in Files::system().list(folder).expect("listed") {
        let path = folder.join(name);
        if path.is_dir() {
            contents(&path, found);
        } else {
            let bytes = std::fs::read(&path).expect("readable");
            found.insert(path, bytes);
        }
    }
}

#[track_caller]
fn refused_in(house: &House, bytes: &[u8], expected: &str) {
    house.put("backups/bad.zip", bytes);
    let (mut before, mut after) = <(BTreeMap<_, _>, BTreeMap<_, _>)>::default();
    contents(&house.path(""), &mut before);
    let refused = house.restore("bad.zip", true).map_err(|error| error.to_string());
    assert_eq!(refused, Err(expected.to_owned()));
    contents(&house.path(""), &mut after);
    assert!(before == after, "something was written");
}

/// Refused when these members are added to a sound archive.
#[track_caller]
fn refused(house: &House, more: Vec<Entry>, expected: &str) {
    let mut entries = sound();
    entries.extend(more);
    refused_in(house, &zip(&entries), expected);
}

#[test]
fn a_sound_archive_made_by_hand_is_restored() {
    let house = House::new();
    house.put("backups/good.zip", &zip(&sound()));
    house.restore("good.zip", false).expect("restored");
    assert!(house.store.snapshot().expect("a state").games.is_empty());
    assert_eq!(std::fs::read(house.path("media/fine")).expect("there"), b"x");
}

#[test]
fn names_that_lead_elsewhere_are_refused() {
    let house = House::new();
    for name in [
        "../x",
        "media/../../x",
        "/etc/x",
        "media//x",
        "",
        "media/a\0b",
        "media\\x",
        "C:x",
        "media/.",
        "..",
    ] {
        refused(&house, vec![file(name)], "Backup contains an unsafe path.");
    }
}

#[test]
fn names_that_stand_twice_are_refused() {
    let house = House::new();
    for name in ["media/fine", "MEDIA/Fine", "media/fine/", "Library.json"] {
        refused(&house, vec![file(name)], "Backup contains duplicate entries.");
    }
}

#[test]
fn files_that_are_also_folders_are_refused() {
    let house = House::new();
    let unsafe_path = "Backup contains an unsafe path.";
    refused(&house, vec![file("media/x"), file("media/x/y")], unsafe_path);
    refused(&house, vec![file("media/x/y"), file("media/x")], unsafe_path);
    refused(&house, vec![file("media/fine/y/z")], unsafe_path);
}

#[test]
fn what_stands_in_the_way_is_seen_before_the_first_write() {
    let house = House::new();
    Files::system().private_dir(&house.path("media/folder/inner")).expect("made");
    house.put("media/single", b"mine");
    for name in ["media/folder", "media/single/below", "media/single/deep/below"] {
        refused(&house, vec![file(name)], &format!("Backup destination is not a file: {name}"));
    }
}

#[test]
fn links_and_devices_are_refused() {
    let house = House::new();
    for mode in [0o120_777, 0o020_666, 0o060_660, 0o010_600, 0o140_700] {
        let member = Entry { mode, ..file("media/x") };
        refused(&house, vec![member], "Backup links are not supported.");
    }
}

#[test]
fn what_grows_beyond_its_bounds_is_refused() {
    let house = House::new();
    let large = |name: &str, declared: u64| Entry { declared, ..file(name) };
    refused(&house, vec![large("media/x", 4 * GIB + 1)], "Backup member is too large.");
    let nine = (0..9).map(|n| large(&format!("media/{n}"), 4 * GIB)).collect();
    refused(&house, nine, "Backup expands beyond the allowed size.");
    let mut packer = DeflateEncoder::new(Vec::new(), Compression::best());
    packer.write_all(&vec![0; 4 << 20]).expect("packed");
    let data = packer.finish().expect("packed");
    let bomb = Entry { method: 8, declared: 10, data, ..file("media/bomb") };
    refused(&house, vec![bomb], "Backup archive is invalid.");
}

#[test]
fn too_many_members_are_refused() {
    let house = House::new();
    let more = |count: usize| (0..count).map(|n| file(&format!("media/{n}"))).collect();
    refused(&house, more(49_998), "Backup contains too many files.");
}

#[test]
fn what_is_no_archive_is_refused() {
    let house = House::new();
    let invalid = "Backup archive is invalid.";
    let good = zip(&sound());
    refused_in(&house, b"", invalid);
    refused_in(&house, b"not a zip at all", invalid);
    refused_in(&house, &good[..good.len() - 30], invalid);
    let flipped = Entry { crc: 1, ..file("media/x") };
    refused(&house, vec![flipped], invalid);
    let longer = Entry { declared: 5, ..file("media/x") };
    refused(&house, vec![longer], invalid);
    refused(&house, vec![Entry { method: 12, ..file("media/x") }], invalid);
    let libraries = ["[1]", "{\"games\": 1}", "{\"schema_version\": 7}", "no json"];
    for library in libraries {
        let entries = [entry("manifest.json", MANIFEST), entry("library.json", library)];
        refused_in(&house, &zip(&entries), invalid);
    }
    refused_in(&house, &zip(&[entry("manifest.json", MANIFEST)]), invalid);
}

#[test]
fn a_manifest_that_says_nothing_is_refused() {
    let house = House::new();
    let invalid = "Backup manifest is invalid.";
    refused_in(&house, &zip(&[entry("library.json", LIBRARY)]), invalid);
    let long = format!("{{\"items\":[\"media\"],\"x\":\"{}\"}}", "x".repeat(1 << 20));
    let garbage = [
        "",
        "garbage",
        "[]",
        "{}",
        r#"{"items":[]}"#,
        r#"{"items":["all"]}"#,
        r#"{"items":[1]}"#,
        &long,
    ];
    for text in garbage.into_iter().chain([r#"{"items":["media"],"created":5}"#]) {
        refused_in(&house, &zip(&[entry("manifest.json", text), file("media/x")]), invalid);
    }
}

#[test]
fn only_real_archives_inside_the_data_directory_are_opened() {
    let house = House::new();
    let good = zip(&sound());
    for name in ["elsewhere.zip", "backups/text.txt", "backups/folder.zip/x"] {
        house.put(name, &good);
    }
    let outside = tempfile::tempdir().expect("a folder");
    let stranger = outside.path().join("stranger.zip");
    Files::system().replace(&stranger, &good).expect("written");
    std::os::unix::fs::symlink(&stranger, house.path("backups/link.zip")).expect("linked");
    let stranger = stranger.to_string_lossy().into_owned();
    let climbing = house.path("backups/../../x.zip").to_string_lossy().into_owned();
    for path in [
        "missing.zip",
        "text.txt",
        "folder.zip",
        "link.zip",
        "../elsewhere.zip",
        &stranger,
        &climbing,
    ] {
        assert!(matches!(house.restore(path, true), Err(BackupError::Place)), "{path}");
    }
    let elsewhere = house.path("elsewhere.zip").to_string_lossy().into_owned();
    assert!(house.restore(&elsewhere, false).is_ok());
}

#[test]
fn an_archive_without_the_library_that_it_names_is_not_compared() {
    let house = House::new();
    let manifest = |items: &str| entry("manifest.json", &format!("{{\"items\":[{items}]}}"));
    let library = || entry("library.json", LIBRARY);
    for (entries, is_compared) in [
        (vec![manifest(r#""library","settings","media""#)], false),
        (vec![manifest(r#""library""#), file("media/x")], false),
        (vec![manifest(r#""library","settings","media""#), library()], true),
        (vec![manifest(r#""media","themes""#)], true),
    ] {
        house.put("backups/made.zip", &zip(&entries));
        let names: Vec<_> =
            entries.iter().map(|entry| String::from_utf8_lossy(&entry.name)).collect();
        assert_eq!(house.backups.read_archived("made.zip").is_some(), is_compared, "{names:?}");
    }
}
