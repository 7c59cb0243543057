//! `POST /api/import`: discs that are joined, and playlists.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use super::import::{column, games, import, shelf};
use crate::support::server::Server;

#[test]
fn playlists_that_an_import_wrote_go_with_it_and_others_stay() {
    let server = Server::start();
    let folder = shelf(
        &server,
        &[
            "A (Disc 1).cue",
            "A (Disc 2).cue",
            "B (Disc 1).cue",
            "B (Disc 2).cue",
            "C (Disc 1).cue",
            "C (Disc 2).cue",
        ],
    );
    let list = |name: &str| PathBuf::from(format!("{folder}/{name}.m3u"));
    // The user's own names the same discs.
    fs::write(list("B"), "B (Disc 1).cue\nB (Disc 2).cue\n").expect("written");
    assert_eq!(import(&server, &folder)["added"], 3);
    fs::write(list("C"), "C (Disc 1).cue\n# mine\nC (Disc 2).cue\n").expect("written");
    assert_eq!(server.undo_import()["removed"], 3);
    assert!(!list("A").exists(), "it was written by the import");
    assert!(list("B").exists() && list("C").exists(), "the user's own, and a changed one");
    import(&server, &folder);
    assert!(list("A").exists());
    let game = games(&server).into_iter().find(|game| game["name"] == "A").expect("there");
    server.post("/api/v2/library/trash", &json!({"game_id": game["game_id"]}));
    server.undo_import();
    assert!(list("A").exists(), "a game in the trash needs it");
}

#[test]
fn an_import_that_adds_nothing_writes_nothing() {
    let server = Server::start();
    let folder = shelf(&server, &["A (Disc 1).cue", "A (Disc 2).cue"]);
    let disc = |number: u8| format!("{folder}/A (Disc {number}).cue");
    let game = format!(
        "<LaunchBox><Game><ID>a</ID><Title>A</Title><ApplicationPath>{}</ApplicationPath></Game>\
         <AdditionalApplication><GameID>a</GameID><ApplicationPath>{}</ApplicationPath>\
         <Disc>2</Disc><UseEmulator>true</UseEmulator></AdditionalApplication></LaunchBox>",
        disc(1),
        disc(2)
    );
    let list = server.scratch().file("PlayStation.xml", &game);
    server.post("/api/v2/import/legacy/apply", &json!({"xml_path": list}));
    assert_eq!(games(&server)[0]["discs"], json!([disc(1), disc(2)]));
    assert_eq!(import(&server, &folder)["added"], 0);
    assert!(!server.scratch().path("roms/A.m3u").exists());
    assert!(!server.data("generated/A.m3u").exists());
}

#[test]
fn joins_discs_into_a_playlist_beside_them() {
    let server = Server::start();
    let folder = shelf(
        &server,
        &[
            "Epic (Disc 2).cue",
            "Epic (Disc 1).cue",
            "Epic (Disc 1).bin",
            "Tape [Side A].zip",
            "Tape [Side B].zip",
        ],
    );
    assert_eq!(import(&server, &folder)["found"], 2);
    let games = games(&server);
    assert_eq!(
        column(&games, "path"),
        [format!("{folder}/Epic.m3u"), format!("{folder}/Tape.m3u")]
    );
    assert_eq!(column(&games, "name"), ["Epic", "Tape"]);
    assert_eq!(
        games[0]["discs"],
        json!([format!("{folder}/Epic (Disc 1).cue"), format!("{folder}/Epic (Disc 2).cue")])
    );
    assert_eq!(server.scratch().read("roms/Epic.m3u"), b"Epic (Disc 1).cue\nEpic (Disc 2).cue\n");
    let again = import(&server, &folder);
    assert_eq!((&again["added"], &again["found"]), (&json!(0), &json!(2)));
}

#[test]
fn an_import_finds_the_same_beside_the_playlists_of_an_earlier_one() {
    let mut names: Vec<String> = Vec::new();
    for tags in [
        // Two images of one set, which would have a playlist of one name.
        "(1986)(Soft)(JP)(Disk 1 of 2).hfe",
        "(1986)(Soft)(JP)(Disk 2 of 2).hfe",
        "(1986)(Soft)(JP)(Disk 1 of 2).scp",
        "(1986)(Soft)(JP)(Disk 2 of 2).scp",
        // Two sets, and disks next to them that belong to no complete one.
        "(1986)(Soft)(Disk 1 of 2).d88",
        "(1986)(Soft)(Disk 1 of 2)[a].d88",
        "(1986)(Soft)(Disk 1 of 2)[a3].d88",
        "(1986)(Soft)(Disk 2 of 2).d88",
        "(1986)(Soft)(Disk 2 of 2)[a].d88",
    ] {
        names.push(format!("NEC - PC-88/Roman {tags}"));
    }
    for tags in ["(Disk 1 of 3)(Disk A)", "(Disk 2 of 3)(Disk B)", "(Disk 3 of 3)(User Disk)[a]"] {
        names.push(format!("NEC - PC-88/Taiyou (1986)(Falcon){tags}.d88"));
    }
    names.push("NEC - PC-88/Taiyou (1986)(Falcon)(Disk 3 of 3)(User Disk)[a2].d88".to_owned());
    let server = Server::start();
    let folder = shelf(&server, &names.iter().map(String::as_str).collect::<Vec<_>>());
    let first = import(&server, &folder);
    let known = |server: &Server| {
        let mut games = games(server);
        games.sort_by_key(|game| game["path"].to_string());
        games
            .iter()
            .map(|game| [&game["name"], &game["path"], &game["discs"]].map(Value::clone))
            .collect::<Vec<_>>()
    };
    assert!(
        server.scratch().path("roms/NEC - PC-88/Roman (1986)(Soft)(JP).m3u").exists(),
        "{:?}",
        known(&server)
    );
    let again = import(&server, &folder);
    assert_eq!((&again["added"], &again["found"]), (&json!(0), &first["found"]));
    assert_eq!((&again["parts"], &again["skipped"]), (&first["parts"], &first["skipped"]));
    let other = Server::start();
    assert_eq!(import(&other, &folder)["added"], first["added"]);
    assert_eq!(known(&other), known(&server));
}

#[test]
fn keeps_the_playlist_of_the_user() {
    let server = Server::start();
    let folder = shelf(&server, &["G CD1.iso", "G CD2.iso"]);
    server.scratch().file("roms/G.m3u", "# my own notes\n");
    import(&server, &folder);
    assert_eq!(server.scratch().read("roms/G.m3u"), b"# my own notes\n");
    let generated = server.data("generated/G.m3u");
    let content = fs::read_to_string(&generated).expect("a generated playlist");
    assert_eq!(content, format!("{folder}/G CD1.iso\n{folder}/G CD2.iso\n"));
    assert_eq!(column(&games(&server), "path"), [generated.to_str().expect("UTF-8")]);
    assert_eq!(import(&server, &folder)["added"], 0);
}

#[test]
fn files_named_by_a_sheet_are_no_games() {
    let server = Server::start();
    let folder = shelf(&server, &["A (Track 1).iso", "B1.chd", "B2.chd"]);
    server.scratch().file("roms/A.cue", "file \"A (Track 1).iso\" binary\r\n");
    server.scratch().file("roms/B.m3u", "#EXTM3U\r\nB1.chd\r\nB2.chd\r\n");
    assert_eq!(import(&server, &folder)["found"], 2);
    assert_eq!(
        column(&games(&server), "path"),
        [format!("{folder}/A.cue"), format!("{folder}/B.m3u")]
    );
}

#[test]
fn discs_that_arrive_later_join_the_game_and_its_playlist() {
    let server = Server::start();
    let folder = shelf(&server, &["A (Disc 1).cue", "A (Disc 2).cue", "ps2/B (Disc 1).iso"]);
    server.scratch().file("roms/ps2/B (Disc 2).iso", "");
    let disc = |number: u8| format!("{folder}/A (Disc {number}).cue");
    let list = || server.scratch().read("roms/A.m3u");
    let game = |name: &str| games(&server).into_iter().find(|game| game["name"] == name);
    import(&server, &folder);
    server.scratch().file("roms/A (Disc 3).cue", "");
    server.scratch().file("roms/ps2/B (Disc 3).iso", "");
    assert_eq!(import(&server, &folder)["added"], 0);
    assert_eq!(list(), b"A (Disc 1).cue\nA (Disc 2).cue\nA (Disc 3).cue\n");
    assert_eq!(game("A").expect("there")["discs"], json!([disc(1), disc(2), disc(3)]));
    assert_eq!(game("B").expect("there")["discs"].as_array().map(Vec::len), Some(3));
    server.scratch().file("roms/A (Disc 5).cue", "");
    server.scratch().file("roms/A (Disc 4).cue", "");
    import(&server, &folder);
    assert_eq!(game("A").expect("there")["discs"], json!([1, 2, 3, 4, 5].map(disc)));
    let before = games(&server);
    assert_eq!(import(&server, &folder)["added"], 0);
    assert_eq!(games(&server), before);
}

#[test]
fn undone_imports_take_the_discs_that_they_added_out_of_the_playlist_and_then_the_playlist() {
    let server = Server::start();
    let folder = shelf(&server, &["A (Disc 1).cue", "A (Disc 2).cue"]);
    import(&server, &folder);
    let first = server.scratch().read("roms/A.m3u");
    server.scratch().file("roms/A (Disc 3).cue", "");
    import(&server, &folder);
    assert_ne!(server.scratch().read("roms/A.m3u"), first);
    server.undo_import();
    assert_eq!(server.scratch().read("roms/A.m3u"), first);
    let game = games(&server).into_iter().find(|game| game["name"] == "A").expect("there");
    assert_eq!(game["discs"].as_array().map(Vec::len), Some(2));
    server.undo_import();
    assert!(!server.scratch().path("roms/A.m3u").exists());
}

#[test]
fn a_playlist_that_is_gone_is_written_again() {
    let server = Server::start();
    let folder = shelf(&server, &["A (Disc 1).cue", "A (Disc 2).cue"]);
    import(&server, &folder);
    let path = server.scratch().path("roms/A.m3u");
    let content = fs::read(&path).expect("a playlist");
    fs::remove_file(&path).expect("removed");
    assert_eq!(import(&server, &folder)["added"], 0);
    assert_eq!(fs::read(&path).expect("a playlist"), content);
}

#[test]
fn a_playlist_that_a_person_changed_gets_no_further_discs() {
    let server = Server::start();
    let folder = shelf(&server, &["A (Disc 1).cue", "A (Disc 2).cue"]);
    import(&server, &folder);
    let content = b"A (Disc 1).cue\n# mine\nA (Disc 2).cue\n";
    server.scratch().file("roms/A.m3u", content);
    server.scratch().file("roms/A (Disc 3).cue", "");
    import(&server, &folder);
    assert_eq!(server.scratch().read("roms/A.m3u"), content);
    let game = games(&server).into_iter().find(|game| game["name"] == "A").expect("there");
    assert_eq!(game["discs"].as_array().map(Vec::len), Some(2));
}
