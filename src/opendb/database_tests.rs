//! From an archive in its real form to games.

use std::{
    fs::File,
    io::Write as _,
    path::{Path, PathBuf},
};

use zip::{ZipWriter, write::SimpleFileOptions};

use super::{
    build::{BuildError, import},
    database::{Database, Row},
};
use crate::databases::{Database as _, sync::Watch};

const SNES: &str = "Nintendo - Super Nintendo Entertainment System";
const ARCADE: &str = "FBNeo - Arcade Games";

fn build(folder: &Path, members: &[(&str, &str)]) -> Result<(PathBuf, u64), BuildError> {
    let path = folder.join("opendb.zip");
    let mut zip = ZipWriter::new(File::create(&path).expect("created"));
    for (name, content) in members {
        zip.start_file(*name, SimpleFileOptions::default()).expect("a member");
        zip.write_all(content.as_bytes()).expect("written");
    }
    zip.finish().expect("finished");
    let to = folder.join("opendb.db");
    File::create(&to).expect("created");
    let watch = Watch { goes_on: &|| true, expect: &|_| (), progress: &|_| () };
    let archive = File::open(&path).expect("opened");
    import(archive, &to, &[("etag", "\"1\"")], &watch).map(|games| (to, games))
}

fn texts(row: &Row) -> [&str; 4] {
    [&row.name, &row.developer, &row.genre, &row.year]
}

#[test]
fn facts_meet_sets_by_checksum_and_by_name() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = |kind: &str| format!("libretro-database-master/metadat/{kind}/{SNES}.dat");
    let (developer, year, genre, set) =
        (list("developer"), list("releaseyear"), list("genre"), list("no-intro"));
    let arcade = format!("libretro-database-master/metadat/fbneo-split/{ARCADE}.dat");
    let members = [
        (
            developer.as_str(),
            "clrmamepro ( name \"x\" )\ngame ( comment \"Comet (USA)\" developer \"Aster\" rom ( crc 0000000A ) )\n\
             game ( rom ( crc B ) developer \"Northlight\" )\ngame ( rom ( crc F ) developer \"?\" )",
        ),
        (year.as_str(), "game ( comment \"Comet (Europe)\" releaseyear \"1994\" )"),
        (genre.as_str(), "game ( comment \"Comet (USA)\" genre \"Shooter\" ) game ( comment \"cut"),
        (
            set.as_str(),
            "game ( name \"Comet (USA)\" description \"Comet (USA)\" rom ( name \"Comet (USA).sfc\" crc 0000000A ) )\n\
             game ( name \"Comet (Europe)\" rom ( name \"x\" crc 0000000B ) )\n\
             game ( name \"Comet (Beta)\" rom ( name \"x\" crc 0000000C ) )",
        ),
        (
            arcade.as_str(),
            "game ( name comet description \"Comet (set 1)\" rom ( name comet.zip crc 1 ) )",
        ),
        (
            "libretro-database-master/metadat/genre/Unknown.dat",
            "game ( comment \"x\" genre \"y\" )",
        ),
    ];
    let (path, games) = build(folder.path(), &members).expect("built");
    assert_eq!(games, 4);
    let database = Database::open(&path).expect("a database");
    assert_eq!(database.fact("etag").as_deref(), Some("\"1\""));
    let codes = ["c:FFFFFFFF", "c:0000000A"].map(str::to_owned);
    let found = database.by_code(SNES, &codes).expect("found");
    assert_eq!(texts(&found), ["Comet (USA)", "Aster", "Shooter", ""]);
    let europe = database.by_name(SNES, "Comet (Europe)").expect("found");
    assert_eq!(texts(&europe), ["Comet (Europe)", "Northlight", "", "1994"]);
    let regions = ["Europe", "USA"].map(str::to_owned);
    let by_title = database.by_title(SNES, "comet", &regions).expect("found");
    assert_eq!(by_title.name, "Comet (Europe)");
    assert_eq!(database.by_title(SNES, "Comet", &[]).expect("found").name, "Comet (USA)");
    let set = database.by_code(ARCADE, &["n:comet".to_owned()]).expect("found");
    assert_eq!((set.name.as_str(), set.set.as_str()), ("Comet (set 1)", ARCADE));
    assert_eq!(database.by_code(ARCADE, &codes), None, "codes belong to a set");
    assert_eq!(database.by_title(SNES, "?", &[]), None);
}

#[test]
fn values_are_those_of_games() {
    let row = Row {
        year: "199x".into(),
        esrb: "e".into(),
        users: "2".into(),
        developer: "Aster".into(),
        ..Row::default()
    };
    let values: Vec<_> =
        row.values().into_iter().map(|(key, value)| format!("{key}={value}")).collect();
    assert_eq!(values, ["developer=\"Aster\"", "esrb=\"E\"", "max_players=\"2\""]);
}

#[test]
fn an_archive_without_games_makes_no_database() {
    let folder = tempfile::tempdir().expect("a folder");
    let list = format!("r/metadat/developer/{SNES}.dat");
    for members in [&[][..], &[("read.me", "x")], &[(list.as_str(), "<html>")]] {
        assert!(matches!(build(folder.path(), members), Err(BuildError::NoGame)), "{members:?}");
    }
    let path = folder.path().join("page.html");
    let mut page = File::create(&path).expect("created");
    page.write_all(b"<html>").expect("written");
    let watch = Watch { goes_on: &|| true, expect: &|_| (), progress: &|_| () };
    let read = import(File::open(&path).expect("opened"), &path, &[], &watch);
    assert!(matches!(read, Err(BuildError::NoArchive)));
    assert!(Database::open(&path).is_none());
    assert!(Database::open(&folder.path().join("gone")).is_none());
}
