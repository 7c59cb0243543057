//! `/api/v2/import/frontend`: what other launchers keep of their games.

use std::{fs, path::Path};

use serde_json::{Value, json};

use super::{
    importers::sfo,
    migrations::{FRONTEND, games, refused},
};
use crate::support::{
    server::{Server, Setup},
    setup::{commit, scan},
};

/// What other launchers keep, as they write it.
const BOTTLES: &str = "3a1b-uuid:\n  bottle:\n    name: My Games\n    path: My-Games\n\
    \x20 icon: com.usebottles.bottles-program\n  id: 77aa\n  name: Celeste's Climb\n  thumbnail: null\n";
const BOTTLE: &str = "Arch: win64\nExternal_Programs:\n  77aa:\n    executable: Climb.exe\n\
    \x20   id: 77aa\n    name: Celeste's Climb\n    path: /g/climb/Climb.exe\n";
const PREFIX: &str = "Arch: win64\nExternal_Programs:\n  77aa:\n    id: 77aa\n    name: Celeste's Climb\n\
    \x20   path: /g/climb/Climb.exe\n  Tool:\n    executable: Tool.exe\n    path: C:\\Tools\\Tool.exe\n\
    \x20 Gone:\n    name: Gone\n    path: /gone.exe\n    removed: true\nName: My Games\nPath: My-Games\n";
const OTHER_ITCH: &str = r#"CREATE TABLE Games (id INTEGER, title TEXT, shortText TEXT, classification TEXT);
    CREATE TABLE Caves (id TEXT, gameId INTEGER, secondsRun INTEGER, lastTouchedAt DATETIME, verdict BLOB);
    INSERT INTO Games VALUES (9, 'Small Game', 'Short.', 'game');
    INSERT INTO Caves VALUES ('c-1', 9, 90, '2024-01-31T20:00:00Z',
    CAST('{"basePath": "/x", "candidates": [{"path": "run.x86_64", "flavor": "linux"}]}' AS BLOB));"#;
const PLAYNITE: &str = r#"[
    {"Id": "0f", "Name": "Half Done", "GameId": "70", "Source": {"Name": "Steam"}, "IsInstalled": false,
     "Platforms": [{"SpecificationId": "pc_windows", "Name": "PC (Windows)"}], "Playtime": 7200, "PlayCount": 3,
     "LastActivity": "2024-01-31T20:00:00", "Genres": [{"Name": "Action"}, {"Name": "Puzzle"}], "Favorite": true,
     "CompletionStatus": {"Name": "Beaten"}, "UserScore": 90, "ReleaseDate": {"ReleaseDate": "1998-11-19"},
     "Description": "<p>One &amp; two</p>"},
    {"Id": "1f", "Name": "Cart", "GameId": "", "Platforms": ["Nintendo Super Nintendo Entertainment System"],
     "Roms": [{"Name": "Cart", "Path": "{InstallDir}\\cart.sfc"}], "InstallDirectory": "D:\\Roms", "Playtime": 0}]"#;
const ITCH: &str = r#"CREATE TABLE games (id INTEGER, title TEXT, short_text TEXT, classification TEXT);
    CREATE TABLE install_locations (id TEXT, path TEXT);
    CREATE TABLE caves (id TEXT, game_id INTEGER, install_location_id TEXT, install_folder_name TEXT,
    custom_install_folder TEXT, seconds_run INTEGER, last_touched_at DATETIME, verdict JSON);
    INSERT INTO games VALUES (9, 'Small Game', 'Short.', 'game'), (10, 'Art', '', 'assets');
    INSERT INTO install_locations VALUES ('l', '/home/me/itch');
    INSERT INTO caves VALUES ('c-1', 9, 'l', 'small-game', '', 60, '2024-01-31 20:00:00', NULL),
    ('c-2', 9, 'l', 'small-game-2', '', 90, '2024-01-31 20:00:00',
    '{"basePath": "/x", "candidates": [{"path": "run.x86_64", "flavor": "linux"}]}'),
    ('c-3', 10, 'l', 'art', '', 0, NULL, NULL), ('c-4', 11, 'l', 'gone', '', 0, NULL, NULL);"#;

/// Imports a list twice, undoes it and imports it once more; returns the games afterwards.
#[track_caller]
fn bring_over(server: &Server, file: &Path, added: usize, merged: usize) -> Vec<Value> {
    let body = json!({"xml_path": file});
    let apply = || server.import(&format!("{FRONTEND}/apply"), &body);
    let before = server.holdings();
    let found = added + merged;
    assert_eq!(apply(), json!({"added": added, "merged": merged, "found": found}));
    let after = server.holdings();
    assert_eq!(apply(), json!({"added": 0, "merged": found, "found": found}));
    assert_eq!(server.holdings(), after, "again changes nothing");
    let undone = server.undo_import();
    assert_eq!((&undone["removed"], &undone["restored"]), (&json!(added), &json!(merged)));
    assert_eq!(server.holdings(), before, "undone");
    apply();
    games(server)
}

#[track_caller]
fn check(row: &Value, fields: &[(&str, Value)]) {
    for (field, expected) in fields {
        assert_eq!(&row[*field], expected, "{field}");
    }
}

#[test]
fn the_library_of_bottles_is_brought_over() {
    let server = Server::start();
    let scratch = server.scratch();
    let list = scratch.file("home/.local/share/bottles/library.yml", BOTTLES);
    scratch.file("home/.local/share/bottles/bottles/My-Games/bottle.yml", BOTTLE);
    let rows = bring_over(&server, &list, 1, 0);
    let fields = [
        ("name", json!("Celeste's Climb")),
        ("platform", json!("Windows")),
        ("path", json!("/g/climb/Climb.exe")),
    ];
    check(&rows[0], &fields);
    let launch = rows[0]["launch"].as_str().expect("text");
    assert!(launch.ends_with(r#" run -b 'My Games' -p "Celeste's Climb""#), "{launch}");
}

#[test]
fn times_that_stand_beside_playlists_are_brought_over_once() {
    let server = Server::start();
    let scratch = server.scratch();
    let item = |name: &str, core: &str| json!({"path": format!("/r/{name}"), "label": "", "core_name": core});
    let list = json!({"version": "1.5", "items": [item("Alpha (USA).sfc", "Nintendo - SNES (Snes9x)"),
        item("Beta.zip#Beta (Japan).nes", "DETECT"), item("Gamma.nes", "DETECT")]});
    let list = scratch.file("retroarch/content_history.lpl", list.to_string());
    for (file, runtime, last) in [
        ("Snes9x/Alpha (USA).lrtl", "1:02:03", "2024-05-06 07:08:09"),
        ("bsnes/Alpha (USA).lrtl", "0:30:00", "2024-06-06 07:08:09"),
        ("Mesen/Beta (Japan).lrtl", "0:01:00", "2023-05-06 07:08:09"),
        ("FCEUmm/Beta (Japan).lrtl", "0:02:00", "2024-05-06 07:08:09"),
    ] {
        let log = json!({"version": "1.0", "runtime": runtime, "last_played": last});
        scratch.file(format!("retroarch/playlists/logs/{file}"), log.to_string());
    }
    let rows = bring_over(&server, &list, 3, 0);
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect(name);
    let alpha =
        json!([{"date": "2024-05-06", "note": "Brought over from RetroArch", "seconds": 3_723}]);
    check(
        row("Alpha (USA)"),
        &[("manual_sessions", alpha), ("last_played", json!("2024-05-06T07:08:09"))],
    );
    let beta = rows.iter().find(|row| row["archive_member"] == "Beta (Japan).nes").expect("Beta");
    check(
        beta,
        &[("manual_playtime_seconds", json!(180)), ("last_played", json!("2024-05-06T07:08:09"))],
    );
    check(row("Gamma"), &[("manual_playtime_seconds", json!(0)), ("last_played", json!(""))]);
}

#[test]
fn numbers_and_languages_of_a_list_are_brought_over() {
    let server = Server::start();
    let list = r#"<gameList><game id="123" source="ScreenScraper.fr"><path>./a.sfc</path><lang>en,fr</lang>
        <cheevosId>4321</cheevosId></game><game id="5" source="IGDB"><path>./b.sfc</path></game>
        <game id="6" source="ScreenScraper.fr"><path>./c.sfc</path><scraperId>9</scraperId><cheevosId>0</cheevosId>
        </game></gameList>"#;
    let list = server.scratch().file("roms/snes/gamelist.xml", list);
    let rows = bring_over(&server, &list, 3, 0);
    let row = |name: &str| rows.iter().find(|row| row["name"] == name).expect(name);
    let languages = ("languages", json!(["En", "Fr"]));
    check(row("a"), &[("scraper_id", json!("123")), ("ach_game_id", json!("4321")), languages]);
    check(row("b"), &[("scraper_id", json!("")), ("ach_game_id", json!(""))]);
    check(row("c"), &[("scraper_id", json!("9")), ("ach_game_id", json!(""))]);
}

#[test]
fn sections_of_the_engine_that_share_a_folder_are_games_of_their_own() {
    let server = Server::start();
    let scratch = server.scratch();
    let file = scratch.file(
        "home/.config/scummvm/scummvm.ini",
        "[scummvm]\nversion=2\n[sky]\ndescription=Sky\npath=/g/all\n[sky-cd]\ndescription=Sky (CD)\n\
         path=/g/all\n[none]\ngameid=none\n[nothing]\nengineid=sky\n[keymapper]\nx=1\n[other]\ny=1\n",
    );
    let import = || server.import("/api/import/engine-library", &json!({}));
    assert_eq!(import(), json!({"added": 4, "found": 4}));
    let rows = games(&server);
    assert_eq!(import(), json!({"added": 0, "found": 4}));
    assert_eq!(games(&server), rows);
    let of_list = server.import(&format!("{FRONTEND}/apply"), &json!({"xml_path": file}));
    assert_eq!(of_list, json!({"added": 0, "merged": 4, "found": 4}));
    assert_eq!(import(), json!({"added": 0, "found": 4}));
    server.undo_import();
    assert_eq!(games(&server).len(), 4, "only the list is undone");
}

#[test]
fn the_programs_of_a_prefix_of_bottles_are_brought_over() {
    let server = Server::start();
    let scratch = server.scratch();
    let list = scratch.file("home/.local/share/bottles/bottles/My-Games/bottle.yml", PREFIX);
    let rows = bring_over(&server, &list, 2, 0);
    let prefix = list.parent().expect("a folder").join("drive_c/Tools/Tool.exe");
    check(&rows[0], &[("name", json!("Celeste's Climb")), ("path", json!("/g/climb/Climb.exe"))]);
    check(&rows[1], &[("name", json!("Tool")), ("path", json!(prefix))]);
    let launch = rows[1]["launch"].as_str().expect("text");
    assert!(launch.ends_with(" run -b 'My Games' -p Tool"), "{launch}");
}

#[test]
fn a_database_of_itch_with_other_names_is_read() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.folder("home/.config/itch/db");
    let database = scratch.path("home/.config/itch/db/butler.db");
    rusqlite::Connection::open(&database).expect("new").execute_batch(OTHER_ITCH).expect("filled");
    let rows = bring_over(&server, &database, 1, 0);
    let fields = [
        ("name", json!("Small Game")),
        ("path", json!("/x/run.x86_64")),
        ("launch", json!("xdg-open itch://caves/c-1/launch")),
        ("manual_playtime_seconds", json!(90)),
        ("last_played", json!("2024-01-31T20:00:00")),
    ];
    check(&rows[0], &fields);
}

#[test]
fn the_database_of_itch_is_brought_over() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.folder("home/.config/itch/db");
    let database = scratch.path("home/.config/itch/db/butler.db");
    rusqlite::Connection::open(&database).expect("new").execute_batch(ITCH).expect("filled");
    let rows = bring_over(&server, &database, 1, 0);
    let fields = [
        ("name", json!("Small Game")),
        ("platform", json!("Linux")),
        ("description", json!("Short.")),
        ("path", json!("/home/me/itch/small-game-2/run.x86_64")),
        ("launch", json!("xdg-open itch://caves/c-2/launch")),
        ("manual_playtime_seconds", json!(90)),
    ];
    check(&rows[0], &fields);
    let other = scratch.path("other.db");
    let table = "CREATE TABLE a (b)";
    rusqlite::Connection::open(&other).expect("new").execute_batch(table).expect("made");
    let message = "The database holds no games that are known here.";
    let (path, body) = (format!("{FRONTEND}/preview"), json!({"xml_path": other}));
    refused(&server, &path, &body, "FRONTEND_IMPORT_INVALID_SOURCE", message);
}

#[test]
fn json_of_anything_else_is_refused_as_such() {
    let server = Server::start();
    let path = format!("{FRONTEND}/preview");
    let message = "The JSON file holds no games that are known here.";
    for text in ["{}", "[]", r#"[{"Name": "A", "Text": "<h1>A</h1>"}]"#, r#"{"value": [1]}"#] {
        let body = json!({"xml_path": server.scratch().file("list.json", text)});
        refused(&server, &path, &body, "FRONTEND_IMPORT_INVALID_SOURCE", message);
    }
    let body = json!({"xml_path": server.scratch().file("list.yml", "{}")});
    let message = "The YAML file holds no games that are known here.";
    refused(&server, &path, &body, "FRONTEND_IMPORT_INVALID_SOURCE", message);
}

#[test]
fn a_library_of_bottles_without_programs_is_an_empty_list() {
    let server = Server::start();
    let list = server.scratch().file("home/.local/share/bottles/library.yml", "{}\n");
    let none = json!({"added": 0, "merged": 0, "found": 0});
    assert_eq!(server.import(&format!("{FRONTEND}/apply"), &json!({"xml_path": list})), none);
    let preview = scan(&server, &json!([{"type": "launcher", "path": list}]));
    assert_eq!(preview["counts"]["additions"], 0, "{preview}");
    assert!(!preview.to_string().contains("holds no games"), "{preview}");
}

#[test]
fn rows_that_a_running_itch_keeps_in_its_log_count() {
    let server = Server::start();
    let scratch = server.scratch();
    let folder = scratch.folder("home/.config/itch/db");
    let database = scratch.path("home/.config/itch/db/butler.db");
    let itch = rusqlite::Connection::open(&database).expect("new");
    itch.execute_batch("PRAGMA journal_mode = WAL").expect("a log");
    itch.execute_batch(ITCH).expect("filled");
    let row = "INSERT INTO games VALUES (12, 'New Game', '', 'game');
        INSERT INTO caves VALUES ('c-5', 12, 'l', 'new', '', 30, '2024-02-01T20:00:00.5Z', NULL)";
    itch.execute_batch(row).expect("a row");
    let names = || {
        let listed = fs::read_dir(&folder).expect("a folder");
        let mut names: Vec<_> = listed.map(|entry| entry.expect("an entry").file_name()).collect();
        names.sort();
        names
    };
    let bytes = |suffix: &str| fs::read(folder.join(format!("butler.db{suffix}"))).expect("a file");
    let before = (names(), bytes(""), bytes("-wal"));
    let rows = bring_over(&server, &database, 2, 0);
    let new = rows.iter().find(|row| row["name"] == "New Game").expect("there");
    check(new, &[("manual_playtime_seconds", json!(30))]);
    assert!(new["last_played"].as_str().expect("a time").starts_with("2024-02-01T"), "{new}");
    assert!(before == (names(), bytes(""), bytes("-wal")), "nothing of itch was written");
}

#[test]
fn rows_in_a_log_of_itch_without_its_index_count() {
    let server = Server::start();
    let scratch = server.scratch();
    let origin = scratch.folder("origin").join("butler.db");
    let itch = rusqlite::Connection::open(&origin).expect("new");
    itch.execute_batch("PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0;").expect("a log");
    itch.execute_batch(ITCH).expect("filled");
    let folder = scratch.folder("home/.config/itch/db");
    for name in ["butler.db", "butler.db-wal"] {
        fs::copy(scratch.path("origin").join(name), folder.join(name)).expect("copied");
    }
    let files = || {
        let listed = fs::read_dir(&folder).expect("a folder");
        let paths = listed.map(|entry| entry.expect("an entry").path());
        let mut files: Vec<_> = paths.map(|path| (fs::read(&path).expect("read"), path)).collect();
        files.sort();
        files
    };
    let before = files();
    bring_over(&server, &folder.join("butler.db"), 1, 0);
    assert!(before == files(), "nothing of itch was written");
}

#[test]
fn an_export_of_playnite_is_brought_over() {
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "steam", "name": "Half-Done", "path": "/usr/bin/steam", "store_a_app_id": "70", "rating": 2.0},
    ]});
    let server = Setup::new().library(&library.to_string()).start();
    let list = server.scratch().file("playnite.json", PLAYNITE);
    let rows = bring_over(&server, &list, 1, 1);
    let known = [
        ("name", json!("Half-Done")),
        ("rating", json!(2.0)),
        ("genre", json!("Action, Puzzle")),
        ("year", json!("1998")),
        ("progress", json!("Beaten")),
        ("play_count", json!(3)),
        ("description", json!("One & two")),
        ("manual_playtime_seconds", json!(7_200)),
        ("last_played", json!("2024-01-31T20:00:00")),
    ];
    check(&rows[0], &known);
    let new = [("platform", json!("SNES")), ("path", json!("D:/Roms/cart.sfc"))];
    check(&rows[1], &new);
}

#[test]
fn files_of_a_game_of_playnite_are_discs_or_versions() {
    let server = Server::start();
    let game = |id: &str, files: [&str; 2]| {
        let file = |file: &str| json!({"Name": file, "Path": format!("{{InstallDir}}\\{file}")});
        json!({"Id": id, "Name": id, "InstallDirectory": "D:\\R", "Roms": files.map(file),
            "Playtime": u64::MAX, "LastActivity": "0001-01-01T00:00:00", "ReleaseDate": "0001-01-01"})
    };
    let list = json!([
        game("Saga", ["Saga (Disc 2).chd", "Saga (Disc 1).chd"]),
        game("Cart", ["Cart (USA).sfc", "Cart (Europe).sfc"]),
    ]);
    let list = server.scratch().file("playnite.json", list.to_string());
    let rows = bring_over(&server, &list, 2, 0);
    let named = |name: &str| rows.iter().find(|row| row["name"] == name).expect("there");
    let discs = ["D:/R/Saga (Disc 1).chd", "D:/R/Saga (Disc 2).chd"];
    check(named("Saga"), &[("path", json!(discs[0])), ("discs", json!(discs))]);
    let other =
        json!([{"name": "Cart (Europe).sfc", "path": "D:/R/Cart (Europe).sfc", "command": ""}]);
    check(named("Cart"), &[("path", json!("D:/R/Cart (USA).sfc")), ("versions", other)]);
    for (field, none) in [("last_played", ""), ("year", "")] {
        assert_eq!(named("Saga")[field].as_str().unwrap_or_default(), none, "never");
    }
    assert_eq!(named("Saga")["manual_playtime_seconds"].as_u64().unwrap_or(0), 0);
}

#[test]
fn lists_in_their_usual_places_are_sources_of_a_setup() {
    let server = Server::start();
    let scratch = server.scratch();
    let offered = || server.get("/api/import/folders")["launchers"].clone();
    assert_eq!(offered(), json!([]));
    scratch.folder("home/.config/itch/db");
    let database = scratch.path("home/.config/itch/db/butler.db");
    rusqlite::Connection::open(&database).expect("new").execute_batch(ITCH).expect("filled");
    let list =
        scratch.file("home/.var/app/com.usebottles.bottles/data/bottles/library.yml", BOTTLES);
    let both = json!([{"name": "itch", "path": database}, {"name": "Bottles", "path": list}]);
    assert_eq!(offered(), both);
    let before = server.holdings();
    let sources: Vec<Value> =
        [&database, &list].map(|path| json!({"type": "launcher", "path": path})).into();
    let preview = scan(&server, &json!(sources));
    assert_eq!(preview["counts"]["additions"], 2, "{preview}");
    let done = commit(&server, preview["preview_id"].as_str().expect("an id"));
    assert_eq!(done["result"]["added"], 2, "{done}");
    let rows = games(&server);
    let itch = rows.iter().find(|row| row["name"] == "Small Game").expect("there");
    let fields = [
        ("launch", json!("xdg-open itch://caves/c-2/launch")),
        ("manual_playtime_seconds", json!(90)),
    ];
    check(itch, &fields);
    let again = scan(&server, &json!(sources));
    assert_eq!(again["counts"]["duplicates"], 2, "{again}");
    server.undo_import();
    assert_eq!(server.holdings(), before, "undone");
    let other = scratch.file("notes.yml", "a: b\n");
    let preview = scan(&server, &json!([{"type": "launcher", "path": other}]));
    let text = preview.to_string();
    assert!(text.contains("The list holds no games that are known here."), "{text}");
}

#[test]
fn a_setup_knows_the_games_of_a_list_by_their_files() {
    let server = Server::start();
    let scratch = server.scratch();
    let root = "home/.config/rpcs3";
    let title = scratch.file(format!("{root}/dev_hdd0/game/NPUB30001/PARAM.SFO"), sfo("PSN Game"));
    let title = title.parent().expect("a folder").to_path_buf();
    let list = format!("NPUB30001: {}/\n", title.display());
    let list = scratch.file(format!("{root}/games.yml"), list);
    let cartridge = scratch.file("roms/snes/Zelda (USA).sfc", "x");
    let playnite = json!([{"Id": "1", "Name": "Zelda", "GameId": "", "Platforms": ["Nintendo SNES"],
        "Roms": [{"Name": "Zelda", "Path": cartridge}]}]);
    let playnite = scratch.file("export.json", playnite.to_string());
    let launcher = |path: &Path| json!({"type": "launcher", "path": path});
    // Both sources at once.
    let preview = scan(&server, &json!([{"type": "emu-library-1"}, launcher(&list)]));
    assert_eq!(preview["counts"]["additions"], 1, "{preview}");
    assert_eq!(preview["counts"]["duplicates"], 1, "{preview}");
    let done = commit(&server, preview["preview_id"].as_str().expect("an id"));
    assert_eq!(done["result"]["added"], 1, "{done}");
    // A list after the import of the same files.
    server.import("/api/import", &json!({"folder": scratch.path("roms")}));
    let preview = scan(&server, &json!([launcher(&list), launcher(&playnite)]));
    assert_eq!(preview["counts"]["duplicates"], 2, "{preview}");
    assert_eq!(games(&server).len(), 2);
}

#[test]
fn games_of_one_archive_are_games_of_their_own_in_a_setup() {
    let server = Server::start();
    let entry = |name: &str| {
        json!({"path": format!("/r/all.zip#{name}.sfc"), "label": name,
        "db_name": "Nintendo - Super Nintendo Entertainment System.lpl"})
    };
    let list = json!({"version": "1.5", "items": [entry("A"), entry("B")]});
    let list = server.scratch().file("games.lpl", list.to_string());
    let preview = scan(&server, &json!([{"type": "launcher", "path": list}]));
    let counts = &preview["counts"];
    assert_eq!(counts["duplicates"], 0, "{preview}");
    let done = commit(&server, preview["preview_id"].as_str().expect("an id"));
    assert_eq!(
        done["result"]["added"].as_u64().unwrap_or(0) + counts["unsupported"].as_u64().unwrap_or(0),
        2
    );
}
