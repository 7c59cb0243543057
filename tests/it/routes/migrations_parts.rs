//! Rows of lists that name a part of a game or the folder around it, for `/api/v2/import/frontend` and
//! `/api/v2/import/legacy`.

use serde_json::{Value, json};

use super::migrations::{FRONTEND, LEGACY, games, refused};
use crate::support::{
    server::{Server, Setup},
    setup::{commit, items, scan},
};

#[track_caller]
fn bring(server: &Server, route: &str, list: &str, text: &str, options: &Value) -> Value {
    let list = server.scratch().file(list, text);
    server.post(&format!("{route}/apply"), &json!({"xml_path": list, "options": options}))
}

fn import(server: &Server, folder: &str) -> Value {
    server.post("/api/import", &json!({"folder": server.scratch().path(folder)}))
}

#[test]
fn a_row_of_a_disc_does_not_stand_for_the_whole_game() {
    let list = |hidden: &str| {
        format!(
            "<gameList><game><path>./F.m3u</path><name>Saga</name><desc>All</desc></game>
            <game><path>./F (Disc 1).chd</path><name>D1</name><hidden>true</hidden><playcount>3</playcount></game>
            <game><path>./F (Disc 2).chd</path><name>D2</name>{hidden}<gametime>900</gametime></game></gameList>"
        )
    };
    for options in
        [json!({}), json!({"overwrite_fields": ["name", "path", "hidden", "play_count"]})]
    {
        let server = Setup::new().start();
        let scratch = server.scratch();
        scratch.file("psx/F (Disc 1).chd", "F1");
        scratch.file("psx/F (Disc 2).chd", "F2");
        import(&server, "psx");
        for _ in 0..2 {
            let text = list("<hidden>true</hidden>");
            let done = bring(&server, FRONTEND, "psx/gamelist.xml", &text, &options);
            assert_eq!((&done["added"], &done["merged"]), (&json!(0), &json!(3)), "{done}");
            let all = games(&server);
            assert_eq!(all.len(), 1);
            assert_eq!(all[0]["path"], json!(scratch.path("psx/F.m3u")));
            assert_eq!(all[0]["description"], "All");
            let is_named = !options["overwrite_fields"].is_null();
            assert_eq!(all[0]["name"], if is_named { "Saga" } else { "F" });
            assert_ne!(all[0]["hidden"], true);
            assert_eq!(all[0]["play_count"].as_u64().unwrap_or(0), 0);
            assert!(all[0]["manual_sessions"].as_array().is_none_or(Vec::is_empty));
        }
    }
}

#[test]
fn the_only_row_of_a_game_may_be_one_of_its_discs() {
    let server = Setup::new().start();
    server.scratch().file("psx/F (Disc 1).chd", "F1");
    server.scratch().file("psx/F (Disc 2).chd", "F2");
    import(&server, "psx");
    let text = "<gameList><game><path>./F (Disc 1).chd</path><name>Saga</name><desc>All</desc></game></gameList>";
    let options = json!({"overwrite_fields": ["path", "name"]});
    bring(&server, FRONTEND, "psx/gamelist.xml", text, &options);
    let all = games(&server);
    assert_eq!((&all[0]["name"], &all[0]["description"]), (&json!("Saga"), &json!("All")));
    assert_eq!(all[0]["path"], json!(server.scratch().path("psx/F.m3u")), "a disc is not the game");
}

#[test]
fn a_disc_that_the_older_launcher_lists_as_a_game_changes_nothing() {
    let server = Setup::new().start();
    let path = |disc: u32| server.scratch().file(format!("psx/F (Disc {disc}).chd"), "F");
    let (one, two) = (path(1), path(2));
    import(&server, "psx");
    let text = format!(
        "<LaunchBox><Game><ID>1</ID><Title>Saga</Title><ApplicationPath>{one}</ApplicationPath><Notes>All</Notes></Game>
        <AdditionalApplication><GameID>1</GameID><Disc>2</Disc><UseEmulator>true</UseEmulator>
            <ApplicationPath>{two}</ApplicationPath></AdditionalApplication>
        <Game><ID>2</ID><Title>Saga 2</Title><ApplicationPath>{two}</ApplicationPath><Hide>true</Hide></Game></LaunchBox>",
        one = one.display(),
        two = two.display()
    );
    let done = bring(&server, LEGACY, "lb/Data/Platforms/PSX.xml", &text, &json!({}));
    assert_eq!((&done["added"], &done["merged"]), (&json!(0), &json!(2)), "{done}");
    let all = games(&server);
    assert_eq!((all.len(), &all[0]["description"]), (1, &json!("All")));
    assert_ne!(all[0]["hidden"], true);
}

#[test]
fn of_the_games_in_one_archive_only_the_first_is_the_row_of_the_archive() {
    let server = Setup::new().start();
    let archive = server.scratch().file("gb/collection.zip", "PK\x05\x06");
    import(&server, "gb");
    let item =
        |name: &str| json!({"path": format!("{}#{name}.gb", archive.display()), "label": name});
    let text = json!({"items": [item("Alpha"), item("Beta")]}).to_string();
    for added in [1, 0] {
        let done = bring(&server, FRONTEND, "lists/GB.lpl", &text, &json!({}));
        assert_eq!((&done["added"], &done["merged"]), (&json!(added), &json!(2 - added)), "{done}");
        let members =
            games(&server).iter().map(|row| row["archive_member"].clone()).collect::<Vec<_>>();
        assert_eq!(members, [json!("Alpha.gb"), json!("Beta.gb")]);
    }
    let more = json!({"items": [item("Gamma"), item("Alpha")]}).to_string();
    assert_eq!(bring(&server, FRONTEND, "lists/More.lpl", &more, &json!({}))["added"], 1);
    assert_eq!(import(&server, "gb")["added"], 0);
}

/// An entry of a desktop menu that starts a game of a store.
const ENTRY: &str = "[Desktop Entry]\nType=Application\nName=Gate\nExec=/bin/sh steam://rungameid/620\nCategories=Game;\n";

#[test]
fn a_listed_file_that_says_how_a_game_starts_is_read() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    scratch.file("steam/Gate.desktop", ENTRY);
    scratch.file("steam/Site.url", "[InternetShortcut]\r\nURL=steam://rungameid/440\r\n");
    let text = "<gameList><game><path>./Gate.desktop</path></game><game><path>./Site.url</path></game></gameList>";
    for added in [2, 0] {
        let done = bring(&server, FRONTEND, "steam/gamelist.xml", text, &json!({}));
        assert_eq!(done["added"], added, "{done}");
        let rows: Vec<Value> = games(&server)
            .iter()
            .map(|row| json!([row["name"], row["platform"], row["launch"], row["store_a_app_id"]]))
            .collect();
        let expected = [
            json!(["Gate", "Linux", "/bin/sh steam://rungameid/620", "620"]),
            json!(["Site", "PC", "xdg-open steam://rungameid/440", "440"]),
        ];
        assert_eq!(rows, expected);
    }
    assert_eq!(import(&server, "steam")["added"], 0);
}

#[test]
fn an_import_of_the_folder_completes_a_listed_entry() {
    let server = Setup::new().start();
    let text = "<gameList><game><path>./Gate.desktop</path><name>Listed</name></game></gameList>";
    bring(&server, FRONTEND, "steam/gamelist.xml", text, &json!({}));
    assert!(games(&server)[0]["launch"].as_str().is_none_or(str::is_empty));
    server.scratch().file("steam/Gate.desktop", ENTRY);
    assert_eq!(import(&server, "steam")["added"], 0);
    let rows = games(&server);
    assert_eq!(
        (rows.len(), &rows[0]["name"], &rows[0]["platform"]),
        (1, &json!("Listed"), &json!("Linux"))
    );
    assert_eq!(
        (&rows[0]["launch"], &rows[0]["store_a_app_id"]),
        (&json!("/bin/sh steam://rungameid/620"), &json!("620"))
    );
}

/// The files of a game of two discs.
const DISCS: [&str; 3] = ["X.m3u", "X (Disc 1).chd", "X (Disc 2).chd"];

/// Makes the folder of a game with these files.
fn lay_out(server: &Server, folder: &str, files: &[&str]) {
    for file in files {
        let text = if file.ends_with("m3u") { "X (Disc 1).chd\nX (Disc 2).chd\n" } else { file };
        server.scratch().file(format!("{folder}/{file}"), text);
    }
}

#[test]
fn a_listed_folder_and_the_file_that_an_import_takes_are_one_game() {
    for (folder, files, started) in [
        ("psx/X.m3u", &DISCS[..], "X.m3u"),
        ("dos/Doom.pc", &["DOOM.EXE", "SETUP.EXE"], "DOOM.EXE"),
        ("scummvm/Monkey.scummvm", &["Monkey.scummvm", "MONKEY.000"], "Monkey.scummvm"),
        ("wiiu/Splatoon", &["code/Gambit.rpx", "meta/meta.xml"], "code/Gambit.rpx"),
        ("xbox360/Halo", &["default.xex"], "default.xex"),
    ] {
        for is_list_first in [true, false] {
            let server = Setup::new().start();
            let scratch = server.scratch();
            lay_out(&server, folder, files);
            let (system, name) = folder.split_once('/').expect("a system");
            let text = format!(
                "<gameList><game><path>./{name}</path><name>Listed</name><desc>D</desc></game></gameList>"
            );
            let list = |added: u32| {
                let list = format!("{system}/gamelist.xml");
                let done = bring(&server, FRONTEND, &list, &text, &json!({}));
                assert_eq!(done["added"], added, "{folder} {is_list_first}: {done}");
            };
            if is_list_first {
                list(1);
                assert_eq!(import(&server, system)["added"], 0, "{folder}: {:?}", games(&server));
            } else {
                assert_eq!(import(&server, system)["added"], 1, "{folder}");
            }
            list(0);
            assert_eq!(import(&server, system)["added"], 0, "{folder}");
            let all = games(&server);
            assert_eq!((all.len(), &all[0]["description"]), (1, &json!("D")), "{folder}: {all:?}");
            assert_eq!(
                all[0]["path"],
                json!(scratch.path(format!("{folder}/{started}"))),
                "{folder}"
            );
        }
    }
}

#[test]
fn a_setup_gives_a_listed_folder_its_file() {
    // The list alone tells the file with the name of its folder.
    for (folder, files, started, first) in [
        ("psx/X.m3u", &DISCS[..], "X.m3u", "duplicates"),
        ("dos/Doom.pc", &["DOOM.EXE", "SETUP.EXE"], "DOOM.EXE", "merges"),
    ] {
        let server = Setup::new().start();
        let scratch = server.scratch();
        lay_out(&server, folder, files);
        let (system, name) = folder.split_once('/').expect("a system");
        let text =
            format!("<gameList><game><path>./{name}</path><name>Listed</name></game></gameList>");
        let list = format!("{system}/gamelist.xml");
        assert_eq!(bring(&server, FRONTEND, &list, &text, &json!({}))["added"], 1);
        for group in [first, "duplicates"] {
            let sources = json!([{"type": "folder", "path": scratch.path(system)}]);
            let preview = scan(&server, &sources);
            let id = preview["preview_id"].as_str().expect("an id");
            let found = items(&server, id, 50);
            assert_eq!((found.len(), &found[0]["group"]), (1, &json!(group)), "{found:?}");
            commit(&server, id);
            let all = games(&server);
            let path = json!(scratch.path(format!("{folder}/{started}")));
            assert_eq!((all.len(), &all[0]["path"], &all[0]["name"]), (1, &path, &json!("Listed")));
        }
    }
}

#[test]
fn a_folder_stands_for_the_playlists_in_it() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    let list = |name: &str| json!({"items": [{"path": format!("/r/{name}.zip"), "label": name}]});
    for (file, name) in [
        ("playlists/Nintendo - Game Boy", "A"),
        ("playlists/Sega - Saturn", "B"),
        ("content_history", "A"),
    ] {
        scratch.file(format!("retroarch/{file}.lpl"), list(name).to_string());
    }
    scratch.file("retroarch/playlists/Packed.lpl", "#RZIPv\x01#");
    let body = json!({"xml_path": scratch.path("retroarch")});
    let preview = server.post(&format!("{FRONTEND}/preview"), &body);
    let message = "The playlist is compressed. Save it without compression in RetroArch first.";
    assert_eq!(preview["errors"], json!([format!("Packed: {message}")]));
    let done = server.post(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(done["added"], 2, "{done}");
    let platforms = games(&server).iter().map(|row| row["platform"].clone()).collect::<Vec<_>>();
    assert_eq!(platforms.iter().filter(|platform| **platform == "Game Boy").count(), 1);
    let body = json!({"xml_path": scratch.path("retroarch/playlists/Packed.lpl")});
    refused(
        &server,
        &format!("{FRONTEND}/preview"),
        &body,
        "FRONTEND_IMPORT_INVALID_SOURCE",
        message,
    );
}

#[test]
fn other_files_of_a_game_of_the_older_launcher_are_no_games_of_a_folder() {
    let server = Setup::new().start();
    let path = |name: &str| server.scratch().file(format!("snes/{name}.sfc"), name);
    let (own, other) = (path("Maze"), path("Labyrinth"));
    path("Another");
    let text = format!(
        "<LaunchBox><Game><ID>1</ID><Title>Maze</Title><ApplicationPath>{}</ApplicationPath></Game>
        <AdditionalApplication><GameID>1</GameID><Name>Old</Name><UseEmulator>true</UseEmulator>
            <ApplicationPath>{}</ApplicationPath></AdditionalApplication></LaunchBox>",
        own.display(),
        other.display()
    );
    bring(&server, LEGACY, "lb/Data/Platforms/SNES.xml", &text, &json!({}));
    assert_eq!(games(&server)[0]["versions"][0]["path"], json!(other));
    for added in [1, 0] {
        assert_eq!(import(&server, "snes")["added"], added);
    }
}

#[test]
fn collections_of_a_front_end_become_playlists() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    let row = |name: &str| format!("<game><path>./{name}.sfc</path><name>{name}</name></game>");
    let text = format!("<gameList>{}{}</gameList>", row("A"), row("B"));
    scratch.file("home/ES-DE/gamelists/snes/gamelist.xml", text);
    let roms = scratch.file("home/ROMs/gb/C.gb", "C");
    import(&server, "home/ROMs");
    let lines = format!("%ROMPATH%/snes/B.sfc\n\n{}\n%ROMPATH%/snes/none.sfc\n", roms.display());
    scratch.file("home/ES-DE/collections/custom-Best of.cfg", lines);
    scratch.file("home/ES-DE/collections/custom-Empty.cfg", "\n");
    scratch.file("home/ES-DE/collections/other.cfg", "%ROMPATH%/snes/A.sfc\n");
    let body = json!({"xml_path": scratch.path("home/ES-DE")});
    for added in [2, 0] {
        assert_eq!(server.post(&format!("{FRONTEND}/apply"), &body)["added"], added);
        let all = games(&server);
        let id =
            |name: &str| all.iter().find(|row| row["name"] == name).expect(name)["game_id"].clone();
        let lists = server.get("/api/library")["playlists"].clone();
        assert_eq!(lists.as_array().map(Vec::len), Some(1), "{lists}");
        assert_eq!(lists[0]["name"], "Best of");
        assert_eq!(lists[0]["members"], json!([id("B"), id("C")]));
    }
    server.undo_import();
    server.undo_import();
}

#[test]
fn pictures_follow_the_region_of_the_game_and_videos_their_folders() {
    let server = Setup::new().start();
    let scratch = server.scratch();
    let launcher = |file: &str| scratch.path("lb").join(file);
    for file in [
        "Images/NES/Box - Front/Europe/Alpha-01.png",
        "Images/NES/Box - Front/Japan/Alpha-01.png",
        "Images/NES/Box - Front/North America/Alpha-01.png",
        "Images/NES/Box - Front/Alpha-01.png",
        "Images/NES/Box - Front - Reconstructed/Japan/Alpha-01.png",
        "Videos/NES/Theme/Alpha-01.mp4",
        "Videos/NES/Trailer/Alpha-01.mp4",
        "Videos/NES/Recordings/Alpha-01.mp4",
        "Videos/NES/Marquee/Alpha-01.mp4",
    ] {
        scratch.file(format!("lb/{file}"), "x");
    }
    let game = |region: &str| {
        let text = format!(
            "<LaunchBox><Game><ID>1</ID><Title>Alpha</Title><Region>{region}</Region></Game></LaunchBox>"
        );
        let list = scratch.file("lb/Data/Platforms/NES.xml", text);
        let preview = server.post(&format!("{LEGACY}/preview"), &json!({"xml_path": list}));
        preview["preview_games"][0]["game"].clone()
    };
    for (own, expected) in [("Japan", "Japan/"), ("", "North America/"), ("Spain", "Europe/")] {
        let cover = format!("Images/NES/Box - Front/{expected}Alpha-01.png");
        assert_eq!(game(own)["cover"], json!(launcher(&cover)), "{own}");
    }
    server.post("/api/settings", &json!({"region_priority": ["", "Japan"]}));
    let read = game("");
    assert_eq!(read["cover"], json!(launcher("Images/NES/Box - Front/Alpha-01.png")));
    for (field, folder) in
        [("video_theme", "Theme"), ("video_trailer", "Trailer"), ("video_recording", "Recordings")]
    {
        let file = launcher(&format!("Videos/NES/{folder}/Alpha-01.mp4"));
        assert_eq!(read[field], json!(file), "{field}");
    }
    assert!(read["video_snap"].is_null(), "no folder is one of snaps");
}
