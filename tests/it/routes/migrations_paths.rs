//! Where games of lists lie, for `/api/v2/import/frontend` and `/api/v2/import/legacy`.

use std::os::unix::fs::symlink;

use serde_json::{Value, json};

use super::migrations::{FRONTEND, LEGACY, games};
use crate::support::server::{Server, Setup};

/// Imports a list of a system with these rows.
fn apply(server: &Server, system: &str, rows: &str) -> Value {
    let list = format!("<gameList>{rows}</gameList>");
    let list = server.scratch().file(format!("{system}/gamelist.xml"), list);
    server.post(&format!("{FRONTEND}/apply"), &json!({"xml_path": list}))
}

/// The games by name, with the names of their files.
fn files(server: &Server) -> Vec<(String, String)> {
    let name = |path: &Value| path.as_str().expect("text").rsplit('/').next().map(str::to_owned);
    let game = |game: &Value| {
        let title = game["name"].as_str().expect("text").to_owned();
        (title, name(&game["path"]).unwrap_or_default())
    };
    let mut games: Vec<_> = games(server).iter().map(game).collect();
    games.sort();
    games
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs.iter().map(|(name, file)| ((*name).to_owned(), (*file).to_owned())).collect()
}

#[test]
fn one_file_fills_the_row_of_a_listed_folder_and_others_are_games() {
    let server = Setup::new().start();
    for file in ["A.chd", "B.chd", "C.chd"] {
        server.scratch().file(format!("psx/F/{file}"), file);
    }
    let row = |path: &str| format!("<game><path>./{path}</path><name>{path}</name></game>");
    apply(&server, "psx", &row("F"));
    let two = [row("F/A.chd"), row("F/B.chd")].concat();
    for added in [1, 0, 0] {
        let done = apply(&server, "psx", &two);
        assert_eq!((&done["added"], &done["found"]), (&json!(added), &json!(2)), "{done}");
    }
    assert_eq!(apply(&server, "psx", &row("F/C.chd"))["added"], 1);
    let expected = named(&[("F", "A.chd"), ("F/B.chd", "B.chd"), ("F/C.chd", "C.chd")]);
    assert_eq!(files(&server), expected);
}

#[test]
fn a_file_fills_the_folder_that_the_older_launcher_lists() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    scratch.file("xbox360/Halo/default.xex", "x");
    let text = format!(
        "<LaunchBox><Game><ID>1</ID><Title>Listed</Title><Platform>Xbox 360</Platform>
            <ApplicationPath>{}</ApplicationPath></Game></LaunchBox>",
        scratch.path("xbox360/Halo").display()
    );
    let list = scratch.file("lb/Data/Platforms/Xbox 360.xml", text);
    let body = json!({"xml_path": list});
    assert_eq!(server.post(&format!("{LEGACY}/apply"), &body)["added"], 1);
    let folder = json!({"folder": scratch.path("xbox360")});
    assert_eq!(server.post("/api/import", &folder)["added"], 0);
    assert_eq!(server.post(&format!("{LEGACY}/apply"), &body)["added"], 0);
    let all = games(&server);
    let path = json!(scratch.path("xbox360/Halo/default.xex"));
    assert_eq!((all.len(), &all[0]["name"], &all[0]["path"]), (1, &json!("Listed"), &path));
}

#[test]
fn the_folder_of_a_system_is_no_folder_of_a_game() {
    for system in ["psx", "my games"] {
        let server = Setup::new().start();
        for file in ["A.chd", "B.chd"] {
            server.scratch().file(format!("{system}/{file}"), file);
        }
        let row = |path: &str| format!("<game><path>{path}</path><name>{path}</name></game>");
        apply(&server, system, &row("./"));
        let done = apply(&server, system, &[row("./"), row("./A.chd")].concat());
        assert_eq!((&done["added"], games(&server).len()), (&json!(1), 2), "{done}");
        assert_eq!(apply(&server, system, &row("./"))["added"], 0, "it is not the only game below");
        assert_eq!(games(&server).len(), 2);
        if system == "psx" {
            server.post("/api/import", &json!({"folder": server.scratch().path(system)}));
            assert_eq!(games(&server).len(), 3);
        }
    }
}

#[test]
fn the_discs_of_a_listed_playlist_are_one_game_in_any_order() {
    let disc = |at: u8| {
        format!(
            "<game><path>./F (Disc {at}).chd</path><name>Disc {at}</name><hidden>true</hidden></game>"
        )
    };
    let list = "<game><path>./F.m3u</path><name>Saga</name></game>".to_owned();
    for rows in [[list.clone(), disc(1), disc(2)], [disc(1), disc(2), list.clone()]] {
        let server = Setup::new().start();
        for (file, text) in [
            ("F.m3u", "F (Disc 1).chd\nf (disc 2).chd\n"),
            ("F (Disc 1).chd", "1"),
            ("F (Disc 2).chd", "2"),
        ] {
            server.scratch().file(format!("psx/{file}"), text);
        }
        let done = apply(&server, "psx", &rows.concat());
        assert_eq!((&done["added"], &done["found"]), (&json!(1), &json!(3)), "{done}");
        let discs = [1, 2].map(|at| server.scratch().path(format!("psx/F (Disc {at}).chd")));
        let check = |when: &str| {
            assert_eq!(files(&server), named(&[("Saga", "F.m3u")]), "{when}");
            let all = games(&server);
            assert_eq!(
                (&all[0]["discs"], &all[0]["hidden"]),
                (&json!(discs), &json!(false)),
                "{when}"
            );
        };
        check("the list");
        let import = server.post("/api/import", &json!({"folder": server.scratch().path("psx")}));
        assert_eq!(import["added"], 0);
        check("the folder");
        apply(&server, "psx", &rows.concat());
        check("the list again");
    }
    // A disc that was a game becomes the whole game; several stay what they are.
    for (known, after) in [(1, 1), (2, 2)] {
        let server = Setup::new().start();
        let rows: Vec<String> = (1..=known).map(disc).collect();
        apply(&server, "psx", &rows.concat());
        server.scratch().file("psx/F.m3u", "F (Disc 1).chd\nF (Disc 2).chd\n");
        for at in [1, 2] {
            server.scratch().file(format!("psx/F (Disc {at}).chd"), "x");
        }
        apply(&server, "psx", &list);
        let file = if known == 1 { "F.m3u" } else { "F (Disc 1).chd" };
        assert_eq!((games(&server).len(), &*files(&server)[0].1), (after, file));
    }
}

#[test]
fn rows_of_one_file_are_one_game_whatever_their_ids() {
    let server = Setup::new().start();
    let row = |id: u8| {
        format!("<game id=\"{id}\"><id>{id}</id><path>./A.sfc</path><name>A {id}</name></game>")
    };
    let rows = [row(1), row(2)].concat();
    for added in [1, 0] {
        let done = apply(&server, "snes", &rows);
        assert_eq!((&done["added"], &done["found"]), (&json!(added), &json!(2)), "{done}");
    }
    assert_eq!(files(&server), named(&[("A 1", "A.sfc")]));
    let items = json!({"items": [{"path": "/r/all.zip#a.gba", "label": "A"},
        {"path": "/r/all.zip", "label": "All"}, {"path": "/r/all.zip#b.gba", "label": "B"}]});
    let list = server.scratch().file("GBA.lpl", items.to_string());
    let ini = "[scummvm]\n[one]\ndescription=One\npath=/g\n[two]\ndescription=Two\npath=/g\n";
    let engine = server.scratch().file("scummvm.ini", ini);
    for (list, added) in [(list, 3), (engine, 2)] {
        let body = json!({"xml_path": list});
        assert_eq!(server.post(&format!("{FRONTEND}/apply"), &body)["added"], added, "told apart");
        assert_eq!(server.post(&format!("{FRONTEND}/apply"), &body)["added"], 0);
    }
}

#[test]
fn games_that_an_import_knows_by_their_real_folder_are_not_brought_twice() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    scratch.file("card/ROMs/snes/A (USA).sfc", "A");
    scratch.file("card/ROMs/psx/F (Disc 1).chd", "F1");
    scratch.file("card/ROMs/psx/F (Disc 2).chd", "F2");
    scratch.folder("home");
    symlink(scratch.path("card/ROMs"), scratch.path("home/ROMs")).expect("a link");
    server.post("/api/import", &json!({"folder": "~/ROMs"}));
    assert_eq!(games(&server).len(), 2);
    let list = |rows: &str| format!("<gameList>{rows}</gameList>");
    let snes = "<game><path>./A (USA).sfc</path><name>A</name><favorite>true</favorite></game>\
        <game><path>./New.sfc</path><name>New</name></game>";
    let psx = "<game><path>./F (Disc 1).chd</path><name>F</name></game>\
        <game><path>./F (Disc 2).chd</path><name>F D2</name></game>";
    scratch.file("home/ES-DE/gamelists/snes/gamelist.xml", list(snes));
    scratch.file("home/ES-DE/gamelists/psx/gamelist.xml", list(psx));
    let apply = || {
        let folder = scratch.path("home/ES-DE");
        let body = json!({"xml_path": folder});
        let preview = server.post(&format!("{FRONTEND}/preview"), &body);
        let plan = json!({"preview_token": preview["preview_token"],
            "source_digest": preview["source_digest"]});
        let body = json!({"xml_path": folder, "plan": plan});
        server.post(&format!("{FRONTEND}/apply"), &body)
    };
    let done = apply();
    assert_eq!((&done["added"], &done["merged"]), (&json!(1), &json!(3)), "{done}");
    assert_eq!(apply()["added"], 0);
    let all = games(&server);
    let named = |name: &str| all.iter().find(|game| game["name"] == name).expect("the game");
    assert_eq!((all.len(), &named("A")["favorite"]), (3, &json!(true)), "{all:?}");
    // What is new is known to the next import of the folder too.
    assert_eq!(named("New")["path"], json!(scratch.path("card/ROMs/snes/New.sfc")));
}

#[test]
fn a_folder_brings_no_game_of_which_a_list_brought_discs() {
    for (discs, games_after) in [(1, 1), (2, 2)] {
        let server = Setup::new().start();
        let scratch = server.scratch();
        let path = |disc: u32| scratch.path(format!("psx/F (Disc {disc}).chd"));
        let row = |at| format!("<game><path>./F (Disc {at}).chd</path><name>F {at}</name></game>");
        let rows = (1..=discs).map(row).collect::<Vec<_>>().concat();
        scratch.file("psx/F (Disc 1).chd", "F1");
        scratch.file("psx/F (Disc 2).chd", "F2");
        let list = scratch.file("psx/gamelist.xml", format!("<gameList>{rows}</gameList>"));
        server.post(&format!("{FRONTEND}/apply"), &json!({"xml_path": list}));
        assert_eq!(games(&server).len(), games_after);
        for _ in 0..2 {
            let done = server.post("/api/import", &json!({"folder": scratch.path("psx")}));
            assert_eq!(done["added"], 0, "{done}");
        }
        let all = games(&server);
        assert_eq!((all.len(), &all[0]["name"]), (games_after, &json!("F 1")));
        // One disc becomes the game; two rows stay as they are.
        let (file, known) = match discs {
            1 => (scratch.path("psx/F.m3u"), json!([path(1), path(2)])),
            _ => (path(1), json!([])),
        };
        assert_eq!((&all[0]["path"], &all[0]["discs"]), (&json!(file), &known));
        assert_eq!(scratch.path("psx/F.m3u").exists(), discs == 1);
    }
}

#[test]
fn a_disc_that_arrives_later_joins_its_game() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    let import = || server.post("/api/import", &json!({"folder": scratch.path("psx")}));
    scratch.file("psx/F (Disc 1).chd", "F1");
    assert_eq!(import()["added"], 1);
    let id = games(&server)[0]["game_id"].clone();
    scratch.file("psx/F (Disc 2).chd", "F2");
    let done = import();
    assert_eq!(done["added"], 0);
    let all = games(&server);
    assert_eq!((all.len(), &all[0]["game_id"]), (1, &id));
    assert_eq!(all[0]["path"], json!(scratch.path("psx/F.m3u")));
    assert_eq!(all[0]["discs"].as_array().map(Vec::len), Some(2));
    server.post("/api/v2/import/undo", &json!({"import_batch_id": done["import_batch_id"]}));
    let all = games(&server);
    assert_eq!(all[0]["path"], json!(scratch.path("psx/F (Disc 1).chd")), "undone");
}

#[test]
fn games_that_another_launcher_starts_by_an_address_are_no_files() {
    let server = Setup::new().start();
    let text = r"<LaunchBox>
        <Game><ID>1</ID><Title>Team</Title><ApplicationPath>steam://rungameid/440</ApplicationPath>
            <ReleaseDate>0001-01-01T00:00:00</ReleaseDate></Game>
        <Game><ID>2</ID><Title>Other</Title>
            <ApplicationPath>com.epicgames.launcher://apps/x%3Ay?action=launch&amp;silent=true</ApplicationPath></Game>
        <AdditionalApplication><GameID>1</GameID><Name>Store page</Name>
            <ApplicationPath>https://example.org/a</ApplicationPath></AdditionalApplication>
    </LaunchBox>";
    let list = server.scratch().file("Data/Platforms/PC.xml", text);
    server.post(&format!("{LEGACY}/apply"), &json!({"xml_path": list}));
    let all = games(&server);
    let check = |at: usize, expected: [(&str, &str); 4]| {
        for (field, value) in expected {
            assert_eq!(all[at][field].as_str().unwrap_or_default(), value, "{field} of {at}");
        }
    };
    let launch = "xdg-open steam://rungameid/440";
    check(0, [("launch", launch), ("path", ""), ("store_a_app_id", "440"), ("year", "")]);
    let page = "xdg-open https://example.org/a";
    let page = json!([{"name": "Store page", "path": "", "command": page}]);
    assert_eq!(all[0]["applications"], page);
    let launch = "xdg-open 'com.epicgames.launcher://apps/x%3Ay?action=launch&silent=true'";
    check(1, [("launch", launch), ("path", ""), ("store_a_app_id", ""), ("year", "")]);
}

#[test]
fn discs_of_the_older_launcher_are_discs_and_no_versions() {
    let server = Setup::new().start();
    let text = r"<LaunchBox>
        <Game><ID>1</ID><Title>Saga</Title><ApplicationPath>Games/Saga (Disc 1).chd</ApplicationPath></Game>
        <AdditionalApplication><GameID>1</GameID><Disc>2</Disc><UseEmulator>true</UseEmulator>
            <ApplicationPath>Games/Saga (Disc 2).chd</ApplicationPath></AdditionalApplication>
        <AdditionalApplication><GameID>1</GameID><Disc>1</Disc><UseEmulator>true</UseEmulator>
            <ApplicationPath>Games/Saga (Disc 1).chd</ApplicationPath></AdditionalApplication>
        <AdditionalApplication><GameID>1</GameID><Name>Own file</Name><UseEmulator>true</UseEmulator>
            <ApplicationPath>Games/Saga (Disc 1).chd</ApplicationPath></AdditionalApplication>
        <AdditionalApplication><GameID>1</GameID><Name>Japan</Name><UseEmulator>true</UseEmulator>
            <ApplicationPath>Games/Saga (Japan).chd</ApplicationPath></AdditionalApplication>
    </LaunchBox>";
    let list = server.scratch().file("lb/Data/Platforms/PSX.xml", text);
    server.post(&format!("{LEGACY}/apply"), &json!({"xml_path": list}));
    let game = games(&server).remove(0);
    let path = |name: &str| server.scratch().path(format!("lb/Games/{name}.chd"));
    assert_eq!(game["path"], json!(path("Saga (Disc 1)")));
    assert_eq!(game["discs"], json!([path("Saga (Disc 1)"), path("Saga (Disc 2)")]));
    let japan = json!([{"name": "Japan", "path": path("Saga (Japan)"), "command": ""}]);
    assert_eq!(game["versions"], japan);
}

#[test]
fn what_the_older_launcher_says_of_a_game_is_taken_or_reported() {
    let server = Setup::new().start();
    let text = r"<LaunchBox>
        <Game><ID>1</ID><Title>Saga</Title><Genre>RPG; Adventure</Genre>
            <ApplicationPath>Games/Saga (Disc 1).cue</ApplicationPath></Game>
        <AdditionalApplication><GameID>1</GameID><Disc>2</Disc><UseEmulator>true</UseEmulator>
            <ApplicationPath>Games/Saga (Disc 2).cue</ApplicationPath></AdditionalApplication>
        <CustomField><GameID>1</GameID><Name>Shelf</Name><Value>B4</Value></CustomField>
        <Game><ID>2</ID><Title>Left out</Title></Game>
    </LaunchBox>";
    let list = server.scratch().file("lb/Data/Platforms/PSX.xml", text);
    let options = json!({"import_exclusions": [{"source": "legacy", "external_id": "2"}]});
    let body = json!({"xml_path": list, "options": options});
    let preview = server.post(&format!("{LEGACY}/preview"), &body);
    assert_eq!(preview["unsupported_fields"], json!({"customfield": 1}), "{preview}");
    server.post(&format!("{LEGACY}/apply"), &body);
    let all = games(&server);
    assert_eq!((all.len(), &all[0]["genre"]), (1, &json!("RPG, Adventure")));
    let path = |disc| server.scratch().path(format!("lb/Games/Saga (Disc {disc}).cue"));
    assert_eq!(all[0]["discs"], json!([path(1), path(2)]));
}

#[test]
fn a_backslash_in_the_name_of_a_file_that_is_there_stays() {
    let server = Setup::new().start();
    server.scratch().file("snes/A\\B.sfc", "x");
    let row = |path: &str| format!("<game><path>{path}</path><name>{path}</name></game>");
    apply(&server, "snes", &[row("./A\\B.sfc"), row(".\\C.sfc")].concat());
    let paths: Vec<Value> = games(&server).iter().map(|game| game["path"].clone()).collect();
    let path = |name: &str| json!(server.scratch().path("snes").join(name));
    assert_eq!(paths, [path("A\\B.sfc"), path("C.sfc")]);
}

#[test]
fn favourites_of_a_front_end_are_favourites_whichever_list_has_the_game() {
    let server = Setup::new().start();
    let list = |items: &[&str]| {
        let item = |name: &&str| json!({"path": format!("/r/{name}.sfc"), "label": name});
        json!({"items": items.iter().map(item).collect::<Vec<_>>()}).to_string()
    };
    server.scratch().file("ra/playlists/SNES.lpl", list(&["A", "B"]));
    server.scratch().file("ra/content_favorites.lpl", list(&["B", "C"]));
    let body = json!({"xml_path": server.scratch().path("ra")});
    server.post(&format!("{FRONTEND}/apply"), &body);
    let marks: Vec<(Value, Value)> = games(&server)
        .iter()
        .map(|game| (game["name"].clone(), game["favorite"].clone()))
        .collect();
    let expected = [("A", false), ("B", true), ("C", true)];
    assert_eq!(marks, expected.map(|(name, is_one)| (json!(name), json!(is_one))));
}

#[test]
fn a_game_on_a_drive_of_windows_is_none_of_the_rows_without_a_path() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    let store = json!([{"Id": "1f", "Name": "Half-Life", "GameId": "70", "Source": {"Name": "Steam"},
        "Platforms": [{"Name": "PC (Windows)"}], "IsInstalled": true}]);
    let item = json!({"path": "D:\\roms\\Zelda.sfc", "label": "Zelda"});
    let rows = |name: &str| {
        format!(
            "<gameList><game><path>C:\\r\\{name}.sfc</path><name>{name}</name></game></gameList>"
        )
    };
    let older = "<LaunchBox><Game><ID>1</ID><Title>Metro</Title><Platform>SNES</Platform>
        <ApplicationPath>E:\\roms\\Metro.sfc</ApplicationPath></Game></LaunchBox>";
    for (route, name, text) in [
        (FRONTEND, "pn/games.json", store.to_string()),
        (FRONTEND, "SNES.lpl", json!({"items": [item]}).to_string()),
        (FRONTEND, "snes/gamelist.xml", rows("Mario")),
        (LEGACY, "lb/Data/Platforms/SNES.xml", older.to_owned()),
    ] {
        let list = scratch.file(name, text);
        let body = json!({"xml_path": list});
        for added in [1, 0] {
            let done = server.post(&format!("{route}/apply"), &body);
            assert_eq!((&done["added"], &done["found"]), (&json!(added), &json!(1)), "{done}");
        }
    }
    let expected = named(&[
        ("Half-Life", ""),
        ("Mario", "Mario.sfc"),
        ("Metro", "Metro.sfc"),
        ("Zelda", "Zelda.sfc"),
    ]);
    assert_eq!(files(&server), expected);
}
