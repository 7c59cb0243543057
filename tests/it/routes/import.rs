//! `POST /api/import`: a folder of files becomes games.

use std::{
    collections::BTreeSet,
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::Path,
    thread,
};

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server, wait::until};

/// Puts empty files into `roms` and gives the path of that folder.
pub(super) fn shelf(server: &Server, names: &[&str]) -> String {
    let root = server.scratch().folder("roms");
    for name in names {
        server.scratch().file(Path::new("roms").join(name), name);
    }
    root.to_str().expect("a UTF-8 path").to_owned()
}

pub(super) fn import(server: &Server, folder: &str) -> Value {
    server.post("/api/import", &json!({"folder": folder}))
}

pub(super) fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("games").clone()
}

pub(super) fn column(games: &[Value], key: &str) -> Vec<String> {
    games.iter().map(|game| game[key].as_str().expect("text").to_owned()).collect()
}

#[track_caller]
fn check_refused(server: &Server, body: &Value, error: &str) {
    let reply = server.send(&Request::post("/api/import", body)).expect(400).json();
    assert_eq!(reply["error"], error, "{body}");
    assert_eq!(reply["code"], "BAD_REQUEST");
}

#[test]
fn answers_counts_and_recommendations() {
    let server = Server::start();
    let folder = shelf(&server, &["Zelda.nes", "sub/Mario.sfc", "sub/Disc.chd", "readme.txt"]);
    let reply = import(&server, &folder);
    assert_eq!((&reply["added"], &reply["found"]), (&json!(3), &json!(3)));
    let retroarch = |platform: &str| json!([{"app_id": "org.libretro.RetroArch", "name": "RetroArch", "platform": platform}]);
    assert_eq!(
        reply["recommendations"],
        json!({"NES": retroarch("NES"), "SNES": retroarch("SNES"), "Disc image": []})
    );
    assert_eq!(reply["import_batch_id"].as_str().expect("an id").len(), 32);
    assert_eq!((&reply["skipped"], &reply["parts"]), (&json!(1), &json!(0)));
    assert_eq!(reply["skipped_types"], json!({"txt": 1}));
}

#[test]
fn a_row_carries_what_the_file_says() {
    let server = Server::start();
    let folder = shelf(&server, &["Legend, The (USA) (En,Fr) (Rev 1) [!].nes"]);
    let reply = import(&server, &folder);
    let game = &games(&server)[0];
    assert_eq!(game["name"], "The Legend");
    for (key, value) in [
        ("region", json!("USA")),
        ("languages", json!(["En", "Fr"])),
        ("revision", json!("Rev 1")),
        ("dump_status", json!("verified")),
        ("rom_name", json!("Legend, The (USA) (En,Fr) (Rev 1) [!].nes")),
    ] {
        assert_eq!(game[key], value, "{key}");
    }
    assert_eq!(game["platform"], "NES");
    assert_eq!(game["path"], format!("{folder}/Legend, The (USA) (En,Fr) (Rev 1) [!].nes"));
    assert_eq!(game["progress"], "");
    assert_eq!(game["genre"], "");
    assert_eq!(game["path_exists"], true);
    assert_eq!(game["import_batch_id"], reply["import_batch_id"]);
    let added_at = game["added_at"].as_str().expect("a time");
    assert_eq!(added_at.len(), "2026-11-21T18:00:00".len());
    let id = game["game_id"].as_str().expect("an id");
    assert!(id.starts_with("game-") && id.len() == "game-".len() + 24, "{id}");
}

#[test]
fn accepts_every_extension_of_the_contract_in_any_case() {
    let server = Server::start();
    let suffixes = "sh appimage exe iso rom nes sfc smc gba gb gbc zip 7z rar m3u cue chd wbfs rvz \
        n64 z64 v64 nds 3ds cia pbp vpk xci nsp wad ciso gcm gcz wia dol elf xex";
    let names: Vec<String> = suffixes
        .split_whitespace()
        .enumerate()
        .flat_map(|(at, suffix)| {
            [format!("Lower {at}.{suffix}"), format!("Upper {at}.{}", suffix.to_uppercase())]
        })
        .collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = shelf(&server, &names);
    shelf(&server, &["a.txt", "b.bin", "c.nes.bak", "noext", ".nes"]);
    assert_eq!(import(&server, &folder)["added"], 74);
}

/// A small program for DOS: the header, and nothing for another system.
fn program() -> Vec<u8> {
    let mut bytes = b"MZ".to_vec();
    bytes.resize(0x80, 0);
    bytes
}

#[test]
fn programs_menu_entries_and_whole_folders_are_one_game_each() {
    let server = Server::start();
    let scratch = server.scratch();
    let put = |name: &str, content: &[u8]| scratch.file(Path::new("roms").join(name), content);
    put("Mindustry-v146-x86_64.AppImage", b"");
    let entry = "[Desktop Entry]\nType=Application\nName=Maze 3D\nCategories=Game;ArcadeGame;\n\
        Exec=sh -c \"echo \\\\$0 > out.txt\" %U\nPath=";
    let folder = scratch.folder("play here");
    put("maze.desktop", format!("{entry}{}\n", folder.display()).as_bytes());
    put("notes.desktop", b"[Desktop Entry]\nType=Application\nName=Notes\nExec=notes\n");
    put("Quest/start.sh", b"#!/bin/sh\n");
    put("Quest/gameinfo", b"Quest of Examples\n1.2\n");
    put("Quest/game/run.sh", b"");
    put("Old Game (1990)/SETUP.EXE", &program());
    put("Old Game (1990)/OLD.EXE", &program());
    put("pico8/celeste.p8.png", b"");
    put("maze game.p8", b"pico-8 cartridge");
    let root = scratch.path("roms");
    let root = root.to_str().expect("text");
    let reply = import(&server, root);
    let counts = ["added", "found", "parts", "skipped"].map(|key| reply[key].clone());
    assert_eq!(counts, [json!(6), json!(6), json!(2), json!(2)]);
    assert_eq!(reply["skipped_types"], json!({"desktop": 1, "": 1}));
    let rows = games(&server);
    let mut shown: Vec<(&str, &str, &str)> = rows
        .iter()
        .map(|row| ["name", "platform", "path"].map(|key| row[key].as_str().expect("text")))
        .map(|[name, platform, path]| (name, platform, &path[root.len() + 1..]))
        .collect();
    shown.sort_unstable();
    let expected = [
        ("Maze 3D", "Linux", "maze.desktop"),
        ("Mindustry", "Imported", "Mindustry-v146-x86_64.AppImage"),
        ("Old Game", "DOS", "Old Game (1990)/OLD.EXE"),
        ("Quest of Examples", "Linux", "Quest/start.sh"),
        ("celeste", "PICO-8", "pico8/celeste.p8.png"),
        ("maze game", "PICO-8", "maze game.p8"),
    ];
    assert_eq!(shown, expected);
    let named = |name: &str| rows.iter().find(|row| row["name"] == name).expect("a game");
    let maze = named("Maze 3D");
    server.post("/api/launch", &json!({"game_id": maze["game_id"]}));
    let out = folder.join("out.txt");
    until("the entry has run in its folder", || out.exists().then_some(()));
    // Another program is the right one: the correction stays, and nothing comes back.
    let old = named("Old Game");
    let setup = format!("{root}/Old Game (1990)/SETUP.EXE");
    assert_eq!(old["version_candidates"][1], json!(setup));
    server.post(
        "/api/game",
        &json!({"game_id": old["game_id"], "game": {"name": "Old Game", "path": setup}}),
    );
    let again = import(&server, root);
    assert_eq!((&again["added"], &again["found"]), (&json!(0), &json!(6)));
}

#[test]
fn an_import_is_taken_back_once_and_played_games_stay() {
    let server = Server::start();
    let folder = shelf(&server, &["a.nes", "b.nes", "c (Disc 1).cue", "c (Disc 2).cue"]);
    let empty = server.holdings();
    let reply = import(&server, &folder);
    assert_eq!(reply["added"], 3);
    let batches = server.get("/api/v2/import/batches");
    let batch = &batches["imports"][0];
    for (key, expected) in [
        ("import_batch_id", &reply["import_batch_id"]),
        ("source", &json!("folder")),
        ("added", &json!(3)),
        ("changed", &json!(0)),
        ("whole", &json!(true)),
    ] {
        assert_eq!(&batch[key], expected, "{key}");
    }
    let members = json!([games(&server)[0]["game_id"]]);
    let list = json!({"name": "L", "type": "manual", "members": []});
    server.post("/api/playlists", &list);
    let lists = |server: &Server| server.get("/api/library")["playlists"].clone();
    let with_list = lists(&server);
    server.post("/api/playlists", &json!({"name": "L", "type": "manual", "members": members}));
    assert_eq!(import(&server, &folder)["added"], 0);
    assert_eq!(server.get("/api/v2/import/batches")["imports"].as_array().map(Vec::len), Some(1));
    let undone = json!({"removed": 3, "restored": 0, "kept": 0, "edited": 0, "whole": true});
    assert_eq!(server.undo_import(), undone);
    assert_eq!(lists(&server), with_list, "its games leave playlists");
    server.post("/api/playlists/delete", &json!({"name": "L"}));
    assert_eq!(server.holdings(), empty);
    for id in [&reply["import_batch_id"], &json!("x"), &json!("ffffffffffffffffffffffffffffffff")] {
        let body = json!({"import_batch_id": id});
        let refused = server.send(&Request::post("/api/v2/import/undo", &body)).expect(404).json();
        assert_eq!(
            (&refused["code"], &refused["error"]),
            (&json!("NOT_FOUND"), &json!("Import not found."))
        );
    }
    server.send(&Request::post("/api/v2/import/undo", &json!({}))).expect(400);
    import(&server, &folder);
    let played = &games(&server)[0];
    let session = json!({"game_id": played["game_id"], "seconds": 60});
    server.post("/api/v2/library/playtime/log", &session);
    server.undo_import();
    assert_eq!(games(&server).len(), 1);
}

#[test]
fn games_that_a_person_edited_stay_when_their_import_is_taken_back() {
    let server = Server::start();
    let names = ["a.nes", "b.nes", "c.nes", "d.nes", "e.nes", "f.nes", "g.nes", "h.nes"];
    import(&server, &shelf(&server, &names));
    let shown = games(&server);
    let id = |at: usize| shown[at]["game_id"].clone();
    for (at, (path, mut body)) in [
        ("/api/favorite", json!({})),
        ("/api/v2/library/rating/set", json!({"user_rating": 4})),
        ("/api/v2/library/progress/set", json!({"progress": "Paused"})),
        ("/api/v2/library/notes/add", json!({"text": "mine"})),
        ("/api/game", json!({"game": {"name": "e", "description": "mine"}})),
    ]
    .into_iter()
    .enumerate()
    {
        body["game_id"] = id(at);
        server.post(path, &body);
    }
    server.post("/api/games/bulk", &json!({"ids": [id(5)], "changes": {"hidden": true}}));
    server.post("/api/games/bulk", &json!({"ids": [id(6)], "changes": {"tags_add": ["mine"]}}));
    // Saved as it is, which changes nothing.
    server.post("/api/game", &json!({"game_id": id(7), "game": shown[7]}));
    let undone = json!({"removed": 1, "restored": 0, "kept": 7, "edited": 7, "whole": true});
    assert_eq!(server.undo_import(), undone);
    assert_eq!(column(&games(&server), "name"), ["a", "b", "c", "d", "e", "f", "g"]);
}

#[test]
fn ranks_duplicates_and_keeps_the_others_as_versions() {
    let server = Server::start();
    let folder = shelf(
        &server,
        &[
            "Quest (Europe).nes",
            "Quest (Japan).nes",
            "Quest (USA) (Beta).nes",
            "Quest (USA).nes",
            "Solo.nes",
        ],
    );
    let reply = import(&server, &folder);
    assert_eq!((&reply["added"], &reply["found"]), (&json!(2), &json!(2)));
    let games = games(&server);
    assert_eq!(column(&games, "name"), ["Quest", "Solo"]);
    let versions: Vec<String> = ["(USA)", "(Europe)", "(Japan)", "(USA) (Beta)"]
        .iter()
        .map(|tags| format!("{folder}/Quest {tags}.nes"))
        .collect();
    assert_eq!(games[0]["version_candidates"], json!(versions));
    assert_eq!(import(&server, &folder)["added"], 0);
}

#[test]
fn names_of_files_stay_where_they_are_wanted() {
    let server = Server::start();
    server.post("/api/settings", &json!({"import_title_style": "file"}));
    let folder = shelf(&server, &["Legend, The (USA).nes"]);
    import(&server, &folder);
    let game = &games(&server)[0];
    assert_eq!(game["name"], "Legend, The (USA)");
    assert_eq!(game["region"], "USA");
}

#[test]
fn the_chosen_region_is_imported_and_files_of_one_name_stay_apart() {
    let server = Server::start();
    server.post("/api/settings", &json!({"region_priority": ["Japan", "Europe"]}));
    let files = ["Quest (Japan).nes", "Quest (USA) (Rev 1).nes", "a/Other.gb", "b/Other 2.gb"];
    let folder = shelf(&server, &files);
    import(&server, &folder);
    let games = games(&server);
    let paths: Vec<String> = ["Quest (Japan).nes", "a/Other.gb", "b/Other 2.gb"]
        .iter()
        .map(|name| format!("{folder}/{name}"))
        .collect();
    assert_eq!(column(&games, "path"), paths);
}

#[test]
fn known_paths_are_never_duplicated() {
    let server = Server::start();
    let folder = shelf(&server, &["One.nes", "Two.nes"]);
    let path = format!("{folder}/One.nes");
    server.post("/api/game", &json!({"game": {"name": "My Own Title", "path": path}}));
    let reply = import(&server, &folder);
    assert_eq!((&reply["added"], &reply["found"]), (&json!(1), &json!(2)));
    assert_eq!(column(&games(&server), "name"), ["My Own Title", "Two"]);
    let link = server.scratch().path("linked");
    symlink(&folder, &link).expect("a link");
    assert_eq!(import(&server, link.to_str().expect("UTF-8"))["added"], 0, "by another name");
}

#[test]
fn two_clients_at_once_add_each_game_once() {
    let server = Server::start();
    let names: Vec<String> = (0..300).map(|number| format!("Game {number}.nes")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = shelf(&server, &names);
    shelf(&server, &["Epic CD1.iso", "Epic CD2.iso"]);
    let added: u64 = thread::scope(|scope| {
        let clients: Vec<_> = (0..6)
            .map(|_| scope.spawn(|| import(&server, &folder)["added"].as_u64().expect("a count")))
            .collect();
        clients.into_iter().map(|client| client.join().expect("an answer")).sum()
    });
    assert_eq!(added, 301);
    let games = games(&server);
    assert_eq!(games.len(), 301);
    assert_eq!(column(&games, "path").iter().collect::<BTreeSet<_>>().len(), 301);
}

#[test]
fn hostile_names_survive_exactly() {
    let server = Server::start();
    let names = [
        "new\nline.nes",
        "carriage\rreturn.nes",
        "double\"quote.nes",
        "apostrophe'.nes",
        "back\\slash.nes",
        "-rf.nes",
        " leading.nes",
        "trailing .nes",
        "$(reboot).nes",
        "`id`.nes",
        "\u{1b}[31m.nes",
        "{path}.nes",
        "🎮.nes",
        "e\u{301}.nes",
        "\u{202e}rtl.nes",
        "<b>.nes",
        "#hash.nes",
        "%00.nes",
    ];
    let folder = shelf(&server, &names);
    server.scratch().file(Path::new("roms").join(OsStr::from_bytes(b"latin\xe9.nes")), "x");
    let reply = import(&server, &folder);
    assert_eq!((&reply["added"], &reply["skipped"]), (&json!(names.len()), &json!(1)));
    let expected: BTreeSet<String> = names.iter().map(|name| format!("{folder}/{name}")).collect();
    let games = games(&server);
    assert_eq!(column(&games, "path").into_iter().collect::<BTreeSet<_>>(), expected);
    assert!(games.iter().all(|game| game["path_exists"] == true));
    assert_eq!(import(&server, &folder)["added"], 0);
}

#[test]
fn links_to_folders_are_not_entered() {
    let server = Server::start();
    let folder = shelf(&server, &["Real.nes"]);
    server.scratch().file("elsewhere/Hidden.nes", "x");
    symlink(server.scratch().path("elsewhere"), Path::new(&folder).join("out")).expect("a link");
    symlink(&folder, Path::new(&folder).join("loop")).expect("a link");
    symlink("Real.nes", Path::new(&folder).join("Alias.nes")).expect("a link");
    symlink("missing.nes", Path::new(&folder).join("Broken.nes")).expect("a link");
    import(&server, &folder);
    assert_eq!(column(&games(&server), "name"), ["Alias", "Real"]);
}

#[test]
fn chosen_emulators_are_stamped_on_their_platform() {
    let server = Server::start();
    let folder = shelf(&server, &["A.nes", "B.sfc"]);
    let choices = json!({"NES": "org.libretro.RetroArch", "SNES": " ", "Wii": "org.x"});
    server.post("/api/import", &json!({"folder": folder, "chosen_emulators": choices}));
    let games = games(&server);
    assert_eq!(games[0]["recommended_emulator"], "org.libretro.RetroArch");
    assert_eq!(games[1]["recommended_emulator"], "");
}

#[test]
fn refuses_a_request_without_a_folder() {
    let server = Server::start();
    for body in [json!({}), json!({"folder": ""}), json!({"folder": "  "}), json!({"folder": null})]
    {
        check_refused(&server, &body, "Folder path is required.");
    }
    let file = server.scratch().file("file.nes", "x");
    for folder in ["/no/such/folder", "relative", "~/nothing-here", file.to_str().expect("UTF-8")] {
        check_refused(&server, &json!({"folder": folder}), "Folder does not exist.");
    }
    let message = "folder must not contain a NUL character.";
    check_refused(&server, &json!({"folder": "/a\u{0}b"}), message);
    let folder = shelf(&server, &["A.nes"]);
    for choices in [json!([]), json!("NES"), json!({"NES": 1})] {
        check_refused(
            &server,
            &json!({"folder": folder, "chosen_emulators": choices}),
            "chosen_emulators must be an object.",
        );
    }
    assert!(games(&server).is_empty());
}

#[test]
fn the_home_folder_may_be_written_as_a_tilde() {
    let server = Server::start();
    server.scratch().file("home/My Games/A.nes", "x");
    assert_eq!(import(&server, "~/My Games")["added"], 1);
    let folder = server.scratch().path("home/My Games/A.nes");
    assert_eq!(column(&games(&server), "path"), [folder.to_str().expect("UTF-8")]);
}

#[test]
fn the_frozen_alias_answers_the_same() {
    let server = Server::start();
    let folder = shelf(&server, &["A.nes"]);
    let reply = server.post("/api/v1/import", &json!({"folder": folder}));
    assert_eq!((&reply["added"], &reply["found"]), (&json!(1), &json!(1)));
    assert_eq!(import(&server, &folder)["added"], 0);
}

#[test]
fn imported_games_are_there_after_a_power_cut() {
    let mut server = Server::start();
    let names: Vec<String> = (0..50).map(|number| format!("Game {number}.gba")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = shelf(&server, &names);
    import(&server, &folder);
    server.kill();
    server.restart();
    assert_eq!(games(&server).len(), 50);
    assert_eq!(import(&server, &folder)["added"], 0);
}

#[test]
fn an_import_that_is_cut_off_is_completed_by_the_next() {
    const FILES: usize = 6_000;
    const BATCH: usize = 2_000;
    let mut server = Server::start();
    let names: Vec<String> = (0..FILES).map(|number| format!("Game {number}.gba")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let folder = shelf(&server, &names);
    let mut client = server.client();
    let request = Request::post("/api/import", &json!({"folder": folder}));
    let log = server.data("library.log");
    let size = || fs::metadata(&log).map_or(0, |log| log.len());
    let empty = size();
    thread::scope(|scope| {
        let import = scope.spawn(move || client.try_send(&request).is_ok());
        until("rows in the log", || (size() > empty).then_some(()));
        server.kill();
        import.join().expect("an answer or none");
    });
    server.restart();
    let before = games(&server).len();
    assert_eq!(before % BATCH, 0, "{before} rows are no whole batches");
    let reply = import(&server, &folder);
    assert_eq!((&reply["added"], &reply["found"]), (&json!(FILES - before), &json!(FILES)));
    let paths: BTreeSet<String> = column(&games(&server), "path").into_iter().collect();
    assert_eq!(paths.len(), FILES);
}

#[test]
fn a_folder_that_is_not_mounted_takes_no_game_away() {
    let mut server = Server::start();
    let folder = shelf(&server, &["Zelda.nes", "sub/Mario.sfc", "Metroid.nes"]);
    import(&server, &folder);
    server.post("/api/settings", &json!({"watch_folders": [folder]}));
    let known = column(&games(&server), "game_id");
    let away = server.scratch().path("away");
    let unmounted = |server: &Server| {
        // Everything that looks at the files of games, or cleans up after them.
        server.post("/api/health", &json!({}));
        let removed = server.post("/api/health/dedupe", &json!({}));
        assert_eq!(removed["removed"], json!([]));
        assert_eq!(column(&games(server), "game_id"), known);
    };
    fs::rename(&folder, &away).expect("moved away");
    check_refused(&server, &json!({"folder": folder}), "Folder does not exist.");
    unmounted(&server);
    // The empty folder that is left where something was mounted.
    fs::create_dir(&folder).expect("a mount point");
    let reply = import(&server, &folder);
    assert_eq!((&reply["found"], &reply["added"]), (&json!(0), &json!(0)));
    unmounted(&server);
    server.stop();
    server.restart();
    unmounted(&server);
    let settings = server.get("/api/settings");
    assert_eq!(settings["watch_folders"], json!([folder]));
    fs::remove_dir(&folder).expect("removed");
    fs::rename(&away, &folder).expect("mounted again");
    assert_eq!(import(&server, &folder)["added"], 0);
    assert_eq!(column(&games(&server), "game_id"), known);
}
