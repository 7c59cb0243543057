//! Tests of the database: built from an archive, then queried.

use std::{
    fs::File,
    io::{Cursor, Write as _},
    path::Path,
};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    archive::{self, ArchiveError},
    database::{Database, Row, own_platform},
};
use crate::databases::{Database as _, sync::Watch};

const DUMP: &str = "\u{feff}<?xml version=\"1.0\"?><LaunchBox>\
    <Game><Name>Comet Rangers II</Name><ReleaseDate>1994-03-18T00:00:00-08:00</ReleaseDate>\
    <Overview>Two &amp; a&#x1F; robot.</Overview><MaxPlayers>2</MaxPlayers><Cooperative>true</Cooperative>\
    <DatabaseID>900017</DatabaseID><CommunityRating>3.8333333</CommunityRating>\
    <Platform>Super Nintendo Entertainment System</Platform><ESRB>E - Everyone</ESRB>\
    <Genres> Shooter; Action</Genres><Developer>Northlight</Developer><Publisher>Aster</Publisher></Game>\
    <Game><Name>Comet Rangers II</Name><DatabaseID>900018</DatabaseID><Platform>Arcade</Platform>\
    <ReleaseYear>1993</ReleaseYear></Game>\
    <Game><Name>Comet</Name><DatabaseID>900019</DatabaseID><Platform>Arcade</Platform></Game>\
    <Game><Name>No number</Name></Game><Game><DatabaseID>7</DatabaseID></Game>\
    <Game><Name>Twice</Name><DatabaseID>900019</DatabaseID></Game>\
    <Game><Name>Café of the Comet, The</Name><DatabaseID>900020</DatabaseID><Platform>MS-DOS</Platform></Game>\
    <GameAlternateName><AlternateName>Suisei Rangers 2</AlternateName><DatabaseID>900017</DatabaseID></GameAlternateName>\
    <GameAlternateName><AlternateName>Nobody</AlternateName><DatabaseID>1</DatabaseID></GameAlternateName>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>b.png</FileName><Type>Clear Logo</Type></GameImage>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>a.jpg</FileName><Type>Box - Front</Type>\
    <Region>North America</Region><CRC32>917708111</CRC32></GameImage>\
    <GameImage><DatabaseID>900018</DatabaseID><FileName>x.jpg</FileName><Type>Box - Front</Type></GameImage>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>c.jpg</FileName><Type>Box - Front</Type>\
    <Region>Europe</Region></GameImage>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>sub/e.jpg</FileName><Type>Box - Front</Type></GameImage>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>sub\\e.jpg</FileName><Type>Box - Front</Type></GameImage>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>../x.jpg</FileName><Type>Box - Front</Type></GameImage>\
    <GameImage><DatabaseID>900017</DatabaseID><FileName>d.jpg</FileName><Type>Arcade - Cabinet</Type></GameImage>\
    </LaunchBox>";
const MAME: &str = "<LaunchBox><MameFile><FileName>CometR2</FileName><Name>Comet Rangers II</Name></MameFile>\
    <MameFile><FileName>x</FileName></MameFile></LaunchBox>";
const FILES: &str = "<LaunchBox><File><Platform>MS-DOS</Platform><FileName>COMCAFE</FileName>\
    <GameName>The Café of the Comet</GameName></File></LaunchBox>";

/// Writes an archive with these members and has it imported.
fn import(folder: &Path, members: &[(&str, &str)]) -> Result<u64, ArchiveError> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in members {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a member");
        zip.write_all(text.as_bytes()).expect("in memory");
    }
    let bytes = zip.finish().expect("in memory").into_inner();
    import_bytes(folder, &bytes)
}

#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
fn import_bytes(folder: &Path, bytes: &[u8]) -> Result<u64, ArchiveError> {
    std::fs::write(folder.join("a.zip"), bytes).expect("written");
    std::fs::write(folder.join("metadb.db"), "").expect("written");
    let archive = File::open(folder.join("a.zip")).expect("there");
    let watch = Watch { goes_on: &|| true, expect: &|_| (), progress: &|_| () };
    let counts = archive::import(archive, &folder.join("metadb.db"), &[("etag", "\"1\"")], &watch)?;
    Ok(counts.games)
}

fn database() -> (tempfile::TempDir, Database) {
    let folder = tempfile::tempdir().expect("a folder");
    let members =
        [("Metadata.xml", DUMP), ("Mame.XML", MAME), ("sub/Files.xml", FILES), ("readme.txt", "<")];
    assert_eq!(import(folder.path(), &members).expect("imported"), 4);
    let database = Database::open(&folder.path().join("metadb.db")).expect("a database");
    (folder, database)
}

fn ids(rows: &[Row]) -> Vec<u32> {
    rows.iter().map(|row| row.id).collect()
}

#[test]
fn a_game_has_what_the_dump_says() {
    let (_folder, database) = database();
    let expected = Row {
        id: 900_017,
        name: "Comet Rangers II".into(),
        platform: "Super Nintendo Entertainment System".into(),
        release_date: "1994-03-18".into(),
        release_year: "1994".into(),
        developer: "Northlight".into(),
        publisher: "Aster".into(),
        genre: "Shooter; Action".into(),
        overview: "Two & a robot.".into(),
        esrb: "E - Everyone".into(),
        max_players: "2".into(),
        cooperative: "true".into(),
        community_rating: Some(3.833_333_3),
        ..Row::default()
    };
    assert_eq!(database.row(900_017), Some(expected));
    let arcade = database.row(900_018).expect("a game");
    assert_eq!((arcade.release_year.as_str(), arcade.release_date.as_str()), ("1993", ""));
    assert_eq!(database.row(7), None);
    assert_eq!(database.fact("etag").as_deref(), Some("\"1\""));
}

#[test]
fn titles_are_searched() {
    let (_folder, database) = database();
    let search = |title: &str, platform| ids(&database.search(title, platform, 20));
    assert_eq!(search("comet", None), [900_019, 900_017, 900_018, 900_020]);
    assert_eq!(search("comet rangers ii", Some("SNES")), [900_017, 900_018]);
    assert_eq!(search("Comet Rangers II (USA)", Some("arcade")), [900_018, 900_017]);
    assert_eq!(search("Suisei Rangers 2", None), [900_017]);
    assert_eq!(search("the cafe of the comet", None), [900_020]);
    assert_eq!(search("cometr2", Some("Arcade")), [900_018]);
    assert_eq!(search("comcafe", None), [900_020]);
    assert_eq!(search("Komet Rangers II", Some("SNES")), [900_017]);
    assert_eq!(search("Komet Rangers II", None), [900_017, 900_018]);
    assert_eq!(search("Puzzle", None), [0_u32; 0]);
    assert_eq!(search("!", None), [0_u32; 0]);
    assert_eq!(ids(&database.search("comet", None, 2)), [900_019, 900_017]);
}

#[test]
fn exact_titles_are_those_of_the_platform() {
    let (_folder, database) = database();
    let exact = |title: &str, platform| ids(&database.exact(title, platform));
    assert_eq!(exact("Comet Rangers II", Some("SNES")), [900_017]);
    assert_eq!(exact("Comet Rangers II", None), [900_017, 900_018]);
    assert_eq!(exact("Suisei Rangers 2", Some("snes")), [900_017]);
    assert_eq!(exact("Comet Rangers", Some("SNES")), [0_u32; 0]);
    assert_eq!(exact("Comet", Some("Unknown machine")), [0_u32; 0]);
    assert_eq!(database.file_title("Arcade", "cometr2").as_deref(), Some("Comet Rangers II"));
    assert_eq!(database.file_title("SNES", "cometr2"), None);
    for platform in ["Arcade", "arcade", "MAME", "mame", "FinalBurn Neo", "fbneo"] {
        assert_eq!(exact("Comet", Some(platform)), [900_019], "{platform}");
        assert!(database.knows_platform(platform), "{platform}");
    }
    assert_eq!(database.file_title("MAME", "cometr2").as_deref(), Some("Comet Rangers II"));
    assert_eq!(own_platform("Super Nintendo Entertainment System", ""), "SNES");
    assert_eq!(own_platform("Somewhere", "SNES"), "Somewhere");
    assert_eq!(own_platform("", "Unknown machine"), "");
}

#[test]
fn pictures_come_by_type_and_region() {
    let (_folder, database) = database();
    let images = database.images(900_017);
    let shown: Vec<_> = images
        .iter()
        .map(|image| (image.kind, image.region.as_str(), image.file.as_str(), image.crc32))
        .collect();
    assert_eq!(
        shown,
        [
            ("cover", "Europe", "c.jpg", None),
            ("cover", "North America", "a.jpg", Some(917_708_111)),
            ("clear_logo", "", "b.png", None),
        ]
    );
    assert!(database.images(1).is_empty());
}

#[test]
fn an_archive_without_games_is_no_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let error = |outcome: Result<u64, ArchiveError>| outcome.expect_err("refused").to_string();
    assert_eq!(error(import(folder.path(), &[("Mame.xml", MAME)])), "it has no game");
    assert_eq!(error(import(folder.path(), &[])), "it has no game");
    let html = import_bytes(folder.path(), b"<html><body>Just a moment...</body></html>");
    assert_eq!(error(html), "it is no ZIP archive");
    let cut = import(folder.path(), &[("Metadata.xml", &DUMP[..900])]);
    assert!(matches!(cut, Err(ArchiveError::Member(_))));
    assert!(Database::open(&folder.path().join("metadb.db")).is_none());
    assert!(Database::open(&folder.path().join("missing")).is_none());
}
