//! The importers besides the folder: console and arcade files, titles other programs installed,
//! stores, the wrapper launcher, exclusions. Homes are built from real files; the programs of
//! stores and emulators are small scripts on a PATH of their own.

use std::{fs, io::Write as _, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

/// A service whose PATH holds only these scripts.
pub(super) fn with_tools(scripts: &[(&str, &str)]) -> Setup {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    for (name, lines) in scripts {
        setup.scratch().script(Path::new("bin").join(name), lines);
    }
    setup.env("PATH", bin)
}

pub(super) fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("games").clone()
}

pub(super) fn column<'a>(games: &'a [Value], key: &str) -> Vec<&'a str> {
    games.iter().map(|game| game[key].as_str().expect("text")).collect()
}

#[track_caller]
pub(super) fn check_refused(server: &Server, route: &str, body: &Value, error: &str) {
    let reply = server.send(&Request::post(route, body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(error), &json!("BAD_REQUEST")),
        "{route} {body}"
    );
}

/// Imports twice: the first answer is checked, the second adds nothing. Taken back, the library is as it
/// was; imported once more, it has the games again.
#[track_caller]
pub(super) fn check_twice(server: &Server, route: &str, body: &Value, expected: &Value) {
    let empty = server.holdings();
    assert_eq!(&server.import(route, body), expected, "{route}");
    let mut again = expected.clone();
    again["added"] = json!(0);
    if again.get("imported").is_some() {
        again["imported"] = json!([]);
        again["count"] = json!(0);
    }
    let before = games(server);
    assert_eq!(server.import(route, body), again, "{route} again");
    assert_eq!(games(server), before, "{route} again changes nothing");
    let undone = server.undo_import();
    assert_eq!((&undone["whole"], &undone["kept"]), (&json!(true), &json!(0)), "{route}");
    assert_eq!(server.holdings(), empty, "{route} undone");
    assert_eq!(&server.import(route, body), expected, "{route} once more");
}

pub(super) fn put_zip(path: &Path, members: &[&str]) {
    let mut archive = zip::ZipWriter::new(fs::File::create(path).expect("created"));
    for member in members {
        archive.start_file(*member, zip::write::SimpleFileOptions::default()).expect("started");
        archive.write_all(b"x").expect("written");
    }
    archive.finish().expect("finished");
}

#[test]
fn console_executables_and_loose_archives() {
    let server = with_tools(&[]).start();
    let scratch = server.scratch();
    scratch.file("x360/Blue_Dragon/default.xex", "");
    scratch.file("x360/Other.xbe", "");
    scratch.file("arcade/dragon_lair.zip", "");
    scratch.file("arcade/time_singe.7z", "");
    let folder = |name: &str| json!({"folder": scratch.path(name), "command": "play {path}"});
    let two = json!({"added": 2, "found": 2});
    check_twice(&server, "/api/import/console-x", &folder("x360"), &two);
    check_twice(&server, "/api/import/loose-arcade", &folder("arcade"), &two);
    let games = games(&server);
    assert_eq!(column(&games, "name"), ["Blue Dragon", "Other", "dragon lair", "time singe"]);
    assert_eq!(column(&games, "platform"), ["Xbox 360", "Xbox 360", "Arcade", "Arcade"]);
    assert_eq!(column(&games, "source")[2..], ["Loose Arcade", "Hypseus Singe"]);
    assert!(
        games.iter().all(|game| game["launch"] == "play {path}" && game["progress"] == "Playing")
    );
    let dat = json!({"folder": scratch.path("arcade"), "dat": "/no/such.dat"});
    check_refused(&server, "/api/import/arcade", &dat, "The arcade DAT/XML file does not exist.");
    for (route, error) in [
        ("/api/import/console-x", "Xbox 360 folder does not exist."),
        ("/api/import/loose-arcade", "Arcade folder does not exist."),
    ] {
        for body in
            [json!({}), json!({"folder": " "}), json!({"folder": "/no/such"}), json!({"folder": 3})]
        {
            check_refused(&server, route, &body, error);
        }
        let odd = json!({"folder": scratch.path("arcade"), "command": 5});
        check_refused(&server, route, &odd, "command must be text.");
    }
}

/// A parameter file with one text.
pub(super) fn sfo(title: &str) -> Vec<u8> {
    let length = u32::try_from(title.len() + 1).expect("short").to_le_bytes();
    let mut file = b"\0PSF\x01\x01\0\0".to_vec();
    file.extend(36_u32.to_le_bytes());
    file.extend(42_u32.to_le_bytes());
    file.extend(1_u32.to_le_bytes());
    file.extend([0, 0, 4, 2]);
    file.extend(length);
    file.extend(length);
    file.extend(0_u32.to_le_bytes());
    file.extend(b"TITLE\0");
    file.extend(title.bytes().chain([0]));
    file
}

#[test]
fn titles_of_other_programs() {
    let setup = with_tools(&[]);
    let scratch = setup.scratch();
    scratch.file(
        "home/.config/scummvm/scummvm.ini",
        "[scummvm]\n[monkey]\ndescription=Secret\npath=/g/m\n",
    );
    scratch.file("home/.config/rpcs3/dev_hdd0/game/BLES1/PARAM.SFO", sfo("Disc Game"));
    scratch.file("home/.config/rpcs3/dev_hdd0/game/none/x", "");
    scratch.file("home/.config/Vita3K/ux0/app/PCSA1/sce_sys/param.sfo", sfo("App Game"));
    scratch.folder("home/.config/Vita3K/ux0/app/PCSA2");
    let server = setup.start();
    let none = json!({});
    check_twice(&server, "/api/import/engine-library", &none, &json!({"added": 1, "found": 1}));
    check_twice(&server, "/api/v1/import/emu-library-1", &none, &json!({"added": 1, "found": 1}));
    check_twice(&server, "/api/import/emu-library-2", &none, &json!({"added": 2, "found": 2}));
    let games = games(&server);
    assert_eq!(column(&games, "name"), ["Secret", "Disc Game", "App Game", "PCSA2"]);
    assert_eq!(
        column(&games, "platform"),
        ["ScummVM", "PlayStation 3", "PlayStation Vita", "PlayStation Vita"]
    );
    assert_eq!(games[0]["launch"], "scummvm monkey");
    assert_eq!(games[0]["genre"], "Adventure");
}

#[test]
fn commands_whose_program_is_gone_are_renewed_and_a_persons_own_stay() {
    let setup = with_tools(&[
        ("rpcs3", "exit 0"),
        ("scummvm", "exit 0"),
        ("xenia-canary", "exit 0"),
        ("flatpak", "[ \"$1\" = info ]"),
    ]);
    let scratch = setup.scratch();
    let root = "home/.config/rpcs3/dev_hdd0/game";
    for name in ["A1", "B2"] {
        scratch.file(format!("{root}/{name}/PARAM.SFO"), sfo(name));
    }
    scratch.file("home/.config/scummvm/scummvm.ini", "[monkey]\npath=/g/m\n");
    scratch.file("x360/Blue/default.xex", "");
    let (a1, b2) = (scratch.path(root).join("A1"), scratch.path(root).join("B2"));
    let server = setup.start();
    let console = json!({"folder": server.scratch().path("x360")});
    let import = || {
        for route in ["emu-library-1", "engine-library"] {
            server.post(&format!("/api/import/{route}"), &json!({}));
        }
        server.post("/api/import/console-x", &console);
        let rows = games(&server);
        column(&rows, "launch").iter().map(|launch| (*launch).to_owned()).collect::<Vec<_>>()
    };
    let native = [
        format!("rpcs3 {}", a1.display()),
        format!("rpcs3 {}", b2.display()),
        "scummvm monkey".to_owned(),
        "xenia-canary --launch {path}".to_owned(),
    ];
    assert_eq!(import(), native);
    let own = format!("gamemoderun rpcs3 {}", b2.display());
    let body = json!({"id": 1, "game": {"name": "B2", "path": b2, "launch": own}});
    server.post("/api/game", &body);
    assert_eq!(import()[..1], native[..1], "what is there stays");
    for program in ["rpcs3", "scummvm", "xenia-canary"] {
        fs::remove_file(server.scratch().path("bin").join(program)).expect("removed");
    }
    server.scratch().script("bin/xenia", "exit 0");
    let packaged = [
        format!("flatpak run net.rpcs3.RPCS3 {}", a1.display()),
        own,
        "flatpak run org.scummvm.ScummVM monkey".to_owned(),
        "xenia --launch {path}".to_owned(),
    ];
    assert_eq!(import(), packaged);
    assert_eq!(import(), packaged, "once");
}

pub(super) fn manifest(id: u32, name: &str) -> String {
    format!("\"AppState\" {{ \"appid\" \"{id}\" \"name\" \"{name}\" \"installdir\" \"d{id}\" }}")
}

#[test]
fn the_first_store_is_read_in_all_its_libraries() {
    let setup = with_tools(&[("steam", "exit 0")]);
    let scratch = setup.scratch();
    let root = "home/.local/share/Steam/steamapps";
    scratch.file(format!("{root}/appmanifest_10.acf"), manifest(10, "One"));
    scratch.file(format!("{root}/appmanifest_20.acf"), "\"AppState\" {");
    let card = scratch.file("card/steamapps/appmanifest_30.acf", manifest(30, "Three"));
    let card = card.ancestors().nth(2).expect("a library").display();
    let broken = scratch.file("broken/steamapps", "a file");
    let list = format!(
        "\"libraryfolders\" {{ \"1\" {{ \"path\" \"{card}\" }} \"2\" {{ \"path\" \"{}\" }} }}",
        broken.parent().expect("a library").display()
    );
    scratch.file(format!("{root}/libraryfolders.vdf"), list);
    let server = setup.start();
    let errors = [format!("{}: Not a directory", broken.display())];
    let expected = json!({"added": 2, "found": 2, "errors": errors});
    check_twice(&server, "/api/import/store-a", &json!({}), &expected);
    let rows = games(&server);
    assert_eq!(column(&rows, "name"), ["One", "Three"]);
    assert_eq!(column(&rows, "store_a_app_id"), ["10", "30"]);
    assert!(
        rows.iter()
            .all(|row| row["launch"] == "steam -applaunch {app_id}" && row["path_exists"] == true)
    );
    let gone = server.post("/api/games/delete-store-a", &json!({}));
    assert_eq!(gone["removed"], 2);
}

#[test]
fn stores_that_are_missing_say_so() {
    let server = with_tools(&[]).start();
    check_refused(&server, "/api/import/store-a", &json!({}), "Steam is not installed.");
    check_refused(&server, "/api/v1/import/store-a", &json!({}), "Steam is not installed.");
    check_refused(
        &server,
        "/api/import/store-b",
        &json!({}),
        "xdg-open is required to start these games.",
    );
    check_refused(&server, "/api/import/store-c", &json!({}), "Lutris is not installed.");
    let nothing = json!({"added": 0, "found": 0});
    assert_eq!(server.post("/api/import/engine-library", &json!({})), nothing);
}

#[test]
fn the_second_store_is_read_from_its_lists() {
    let setup = with_tools(&[("xdg-open", "exit 0")]);
    let scratch = setup.scratch();
    scratch.file(
        "home/.config/heroic/legendaryConfig/legendary/installed.json",
        r#"{"Fox": {"title": "Fox", "install_path": "/g/fox"}, "D": {"title": "D", "is_dlc": true}}"#,
    );
    scratch.file(
        "home/.config/heroic/gog_store/installed.json",
        r#"[{"appName": "7", "title": "Old"}]"#,
    );
    scratch.file("home/.config/heroic/nile_config/installed.json", "{broken");
    let server = setup.start();
    check_twice(&server, "/api/v1/import/store-b", &json!({}), &json!({"added": 2, "found": 2}));
    let rows = games(&server);
    assert_eq!(column(&rows, "source"), ["Epic", "GOG"]);
    assert_eq!(column(&rows, "store_b_app_id"), ["Fox", "7"]);
    assert_eq!(rows[0]["install_dir"], "/g/fox");
}

#[test]
fn playtime_is_brought_over_once() {
    let setup = with_tools(&[("steam", "exit 0"), ("xdg-open", "exit 0")]);
    let setup = setup.env("TZ", "Asia/Kolkata");
    let scratch = setup.scratch();
    let root = "home/.local/share/Steam";
    scratch.file(format!("{root}/steamapps/appmanifest_10.acf"), manifest(10, "One"));
    let played = r#""UserLocalConfigStore" { "Software" { "Valve" { "Steam" { "apps" {
        "10" { "LastPlayed" "1700000000" "Playtime" "90" } } } } } "depots" { "11" { } } }"#;
    scratch.file(format!("{root}/userdata/7/config/localconfig.vdf"), played);
    let list = r#"[{"gameid": "two", "title": "Two", "path": "/g/two.exe", "runner": "", "playtime": 60}]"#;
    scratch.file("home/.config/faugus-launcher/games.json", list);
    let server = setup.start();
    let expected = json!({"added": 1, "found": 1, "errors": []});
    check_twice(&server, "/api/import/store-a", &json!({}), &expected);
    let two = json!({"added": 1, "found": 1, "imported": ["Two"], "count": 1});
    check_twice(&server, "/api/wrapper/import", &json!({}), &two);
    let rows = games(&server);
    assert_eq!(rows[0]["manual_sessions"][0]["seconds"], 5_400);
    assert_eq!(rows[0]["manual_sessions"][0]["note"], "Brought over from Steam");
    assert_eq!(rows[0]["last_played"], "2023-11-15T03:43:20", "the local time");
    assert_eq!(rows[1]["manual_playtime_seconds"], 60);
    let entry = json!({"game_id": rows[0]["game_id"], "index": 0});
    server.post("/api/v2/library/playtime/delete", &entry);
    server.post("/api/import/store-a", &json!({}));
    assert_eq!(games(&server)[0]["manual_playtime_seconds"], 0, "what was deleted stays away");
}

#[test]
fn the_wrapper_launcher_brings_its_picture_and_how_a_game_runs() {
    let setup = with_tools(&[("gamemoderun", "exit 0")]);
    let scratch = setup.scratch();
    let banner = scratch.file("home/.config/faugus-launcher/banners/one.png", "x");
    let list = json!([{"gameid": "one", "title": "One", "path": "/g/one.exe", "runner": "",
        "gamemode": "gamemoderun", "banner": banner}]);
    scratch.file("home/.config/faugus-launcher/games.json", list.to_string());
    let server = setup.start();
    server.post("/api/wrapper/import", &json!({}));
    let row = &games(&server)[0];
    assert_eq!(row["launch"], "gamemoderun umu-run {path}");
    assert_eq!(row["cover"], json!(server.data("media/wrapper/one.png")));
}

#[test]
fn the_third_store_lists_its_games_itself() {
    let list = r#"[ "$*" = "--list-games --installed --json" ] || exit 4
        echo "a log line"
        echo '[{"id": 4, "name": "Wine Game", "runner": "wine", "slug": "wine-game", "directory": "/g/w"},
            {"id": 5, "name": "Off", "installed": false}, {"name": "No id"}]'"#;
    let setup = with_tools(&[("lutris", list)]);
    setup.scratch().file("home/.local/share/lutris/coverart/wine-game.jpg", "x");
    let server = setup.start();
    check_twice(&server, "/api/import/store-c", &json!({}), &json!({"added": 1, "found": 1}));
    let row = &games(&server)[0];
    for (key, expected) in [
        ("name", json!("Wine Game")),
        ("platform", json!("Windows")),
        ("store_c_id", json!("4")),
        ("launch", json!("lutris lutris:rungameid/{store_c_id}")),
        ("cover", json!(server.data("media/store_c/wine-game.jpg"))),
    ] {
        assert_eq!(row[key], expected, "{key}");
    }
}

#[test]
fn the_third_store_is_read_from_its_database_without_its_program() {
    let setup = with_tools(&[("xdg-open", "exit 0")]).env("TZ", "Asia/Kolkata");
    let file = setup.scratch().file("home/.local/share/lutris/pga.db", "");
    let database = rusqlite::Connection::open(file).expect("new");
    let rows = "CREATE TABLE games (id INTEGER PRIMARY KEY, name TEXT, slug TEXT, runner TEXT, platform TEXT,
            directory TEXT, installed INTEGER, service TEXT, playtime REAL, lastplayed INTEGER);
        INSERT INTO games VALUES (4, 'Wine Game', 'wine-game', 'wine', '', '/g/w', 1, NULL, 2.5, 1700000000),
            (5, 'Off', 'off', 'linux', 'Linux', '', 0, NULL, 0, 0);";
    database.execute_batch(rows).expect("filled");
    drop(database);
    let server = setup.start();
    check_twice(&server, "/api/import/store-c", &json!({}), &json!({"added": 1, "found": 1}));
    let row = &games(&server)[0];
    assert_eq!((&row["name"], &row["platform"]), (&json!("Wine Game"), &json!("Windows")));
    assert_eq!(row["launch"], "xdg-open lutris:rungameid/{store_c_id}");
    assert_eq!(row["manual_playtime_seconds"], 9_000);
    assert_eq!(row["manual_sessions"][0]["note"], "Brought over from Lutris");
    assert_eq!(row["last_played"], "2023-11-15T03:43:20", "the local time");
}

#[test]
fn a_third_store_that_fails_changes_nothing() {
    for (script, error) in [
        ("echo nothing", "Lutris returned an invalid game list."),
        ("echo wrong >&2; exit 2", "Lutris failed: wrong"),
        ("exit 2", "Lutris failed with code 2."),
    ] {
        let server = with_tools(&[("lutris", script)]).start();
        check_refused(&server, "/api/import/store-c", &json!({}), error);
        assert!(games(&server).is_empty());
    }
}

#[test]
fn one_game_of_two_stores_is_one_row_with_two_ways_to_start() {
    let setup = with_tools(&[("steam", "exit 0"), ("xdg-open", "exit 0")]);
    let scratch = setup.scratch();
    scratch.file("home/.steam/steam/steamapps/appmanifest_10.acf", manifest(10, "The Game™"));
    scratch.file(
        "home/.config/heroic/gog_store/installed.json",
        r#"[{"appName": "7", "title": "The Game"}]"#,
    );
    let server = setup.start();
    server.post("/api/import/store-a", &json!({}));
    check_twice(&server, "/api/import/store-b", &json!({}), &json!({"added": 0, "found": 1}));
    let rows = games(&server);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0]["launch"], "steam -applaunch {app_id}");
    assert_eq!(rows[0]["applications"][0]["name"], "Launch with GOG");
    assert_eq!(rows[0]["applications"][0]["command"], "xdg-open heroic://launch/gog/7");
}

#[test]
fn exclusions_keep_games_out() {
    let setup = with_tools(&[("steam", "exit 0")]);
    let root = "home/.local/share/Steam/steamapps";
    setup.scratch().file(format!("{root}/appmanifest_10.acf"), manifest(10, "One"));
    setup.scratch().file(format!("{root}/appmanifest_20.acf"), manifest(20, "Two"));
    let server = setup.start();
    let one = json!({"source": "store_a", "external_id": "10"});
    assert_eq!(server.post("/api/import/exclusions", &one), json!({"exclusion": one}));
    server.post("/api/import/exclusions", &one);
    assert_eq!(server.get("/api/import/exclusions"), json!({"exclusions": [one]}));
    let reply = server.post("/api/import/store-a", &json!({}));
    assert_eq!((&reply["added"], &reply["found"]), (&json!(1), &json!(1)));
    let gone = server.post("/api/import/exclusions/delete", &one);
    assert_eq!(gone, json!({"removed": true, "count": 0}));
    assert_eq!(
        server.post("/api/import/exclusions/delete", &one),
        json!({"removed": false, "count": 0})
    );
    assert_eq!(server.post("/api/import/store-a", &json!({}))["added"], 1);
    for route in ["/api/import/exclusions", "/api/import/exclusions/delete"] {
        for body in [json!({}), json!({"source": "x"}), json!({"source": " ", "external_id": "1"})]
        {
            check_refused(&server, route, &body, "source and external_id are required.");
        }
    }
}

#[test]
fn the_wrapper_launcher_and_its_prefixes() {
    let setup = with_tools(&[("wine", "exit 0")]);
    let scratch = setup.scratch();
    scratch.file(
        "home/.config/faugus-launcher/games/one.json",
        r#"{"name": "One", "exe": "/g/my one.exe", "prefix": "/p"}"#,
    );
    scratch.folder("home/.config/faugus-launcher/prefixes/my-two/drive_c");
    let server = setup.start();
    let status = server.get("/api/wrapper/status");
    assert_eq!(status["installed"], true);
    assert_eq!(status["data_dirs"].as_array().map(Vec::len), Some(2));
    let scan = server.get("/api/wrapper/scan");
    assert_eq!(
        (&scan["count"], &scan["games"][1]["source_identity"]),
        (&json!(2), &json!("wrapper:one"))
    );
    let expected = json!({"added": 2, "found": 2, "imported": ["My Two", "One"], "count": 2});
    check_twice(&server, "/api/wrapper/import", &json!({}), &expected);
    let rows = games(&server);
    assert_eq!(rows[1]["launch"], "umu-run {path}");
    let prefixes = server.get("/api/compat/prefixes");
    assert_eq!(
        (&prefixes["available"], &prefixes["prefixes"][0]["name"]),
        (&json!(true), &json!("my-two"))
    );
    let runtimes = server.get("/api/compat/runtimes");
    assert_eq!(
        (&runtimes["runtimes"][0]["name"], &runtimes["runtimes"][0]["source"]),
        (&json!("wine"), &json!("PATH"))
    );
    let id = rows[0]["game_id"].as_str().expect("an id");
    let prefix = server.get(&format!("/api/compat/prefix-for-game?game_id={id}"));
    assert_eq!(
        (&prefix["available"], &prefix["prefix"]),
        (&json!(true), &prefixes["prefixes"][0]["path"])
    );
    let id = rows[1]["game_id"].as_str().expect("an id");
    let none = server.get(&format!("/api/compat/prefix-for-game?game_id={id}"));
    assert_eq!(none, json!({"prefix": "", "available": false}));
    server.send(&Request::get("/api/compat/prefix-for-game?id=99")).expect(404);
    server.send(&Request::get("/api/compat/prefix-for-game")).expect(404);
}
