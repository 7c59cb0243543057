//! Where games of lists lie, for `/api/v2/import/frontend` and `/api/v2/import/legacy`.

use std::os::unix::fs::symlink;

use serde_json::json;

use super::migrations::{FRONTEND, LEGACY, games};
use crate::support::server::Setup;

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
