//! `/api/v2/import/frontend` and `/api/v2/import/legacy`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const FRONTEND: &str = "/api/v2/import/frontend";
const LEGACY: &str = "/api/v2/import/legacy";

const GAMELIST: &str = r#"<?xml version="1.0"?>
<gameList>
  <game>
    <path>./one.zip</path><name>One &amp; Only</name><desc>Text</desc><id>77</id>
    <releasedate>19940312T000000</releasedate><rating>0.8</rating><favorite>true</favorite>
    <image>./media/one.png</image><thumbnail>./no.png</thumbnail><players>1-2</players>
    <system>NES</system><genre/>
  </game>
  <game><path>~/two.zip</path><name>Two</name><hidden>YES</hidden><rating>4</rating></game>
  <game><path>/roms/three.zip</path><name>Three</name><developer>Them</developer><year>1</year></game>
  <game><name>No path</name></game>
  <folder><game><path>x</path><name>Inner</name></game></folder>
</gameList>"#;

fn server() -> Server {
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "three", "name": "Three", "path": "/roms/three.zip", "developer": "Us"},
    ]});
    Setup::new().library(&library.to_string()).start()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, code: &str, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!(code), &json!(message)));
}

fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("a list").clone()
}

#[test]
fn the_list_of_a_front_end_is_previewed_and_brought_over() {
    let server = server();
    let list = server.scratch().file("roms/gamelist.xml", GAMELIST);
    let body = json!({"xml_path": list});
    let preview = server.post(&format!("{FRONTEND}/preview"), &body);
    let counts =
        json!({"total_in_xml": 4, "skipped_malformed": 1, "added": 2, "merged": 1, "found": 3});
    assert_eq!((&preview["schema_version"], &preview["counts"]), (&json!(1), &counts));
    assert_eq!(preview["errors"], json!(["Game row 4: path is missing."]));
    let one = &preview["normalized_games"][0];
    assert_eq!(one["path"], json!(server.scratch().path("roms/one.zip")));
    assert_eq!(one["cover"], json!(server.scratch().path("roms/media/one.png")));
    let facts = json!([
        one["name"],
        one["year"],
        one["rating"],
        one["favorite"],
        one["max_players"],
        one["platform"],
        one["source_identity"],
        one["frontend_source_id"],
        one.get("genre")
    ]);
    assert_eq!(
        facts,
        json!(["One & Only", "1994", 4.0, true, "1-2", "NES", "frontend:77", "77", null])
    );
    let two = &preview["normalized_games"][1];
    assert_eq!(two["path"], json!(server.scratch().path("home/two.zip")));
    assert_eq!((&two["hidden"], &two["rating"]), (&json!(true), &json!(4.0)));
    let three = &preview["operations"][2];
    assert_eq!((&three["action"], &three["target_game_id"]), (&json!("merge"), &json!("three")));
    let kept = json!([{"field": "developer", "current": "Us", "incoming": "Them"}]);
    assert_eq!((&three["changes"], &three["review_fields"]), (&json!({}), &kept));
    assert_eq!(games(&server).len(), 1, "a preview writes nothing");
    let plan = json!({"preview_token": preview["preview_token"], "source_digest": preview["source_digest"]});
    let body = json!({"gamelist": list, "plan": plan});
    let done = server.post(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(done, json!({"added": 2, "merged": 1, "found": 3}));
    let all = games(&server);
    assert_eq!(
        (all.len(), &all[0]["developer"], &all[1]["source"]),
        (3, &json!("Us"), &json!("frontend"))
    );
    assert!(all[1]["added_at"].as_str().is_some_and(|added| !added.is_empty()));
    // The plan was for the library as it was then.
    let stale = "The list or the library changed since the preview. Preview again.";
    refused(&server, &format!("{FRONTEND}/apply"), &body, "FRONTEND_IMPORT_STALE_PLAN", stale);
    // Again, without a plan: everything is known, and a named field changes.
    let body = json!({"xml_path": list, "options": {"overwrite_fields": ["developer"]}});
    let done = server.post(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(done, json!({"added": 0, "merged": 3, "found": 3}));
    assert_eq!((games(&server).len(), &games(&server)[0]["developer"]), (3, &json!("Them")));
}

#[test]
fn of_a_long_list_the_preview_shows_the_first_games_and_costs_little_memory() {
    let server = server();
    let mut text = "<gameList>".to_owned();
    text.extend((0..200_000).map(|number| {
        format!(
            "<game><path>./{number}.zip</path><name>Game number {number}</name><desc>Text</desc>\
             <developer>Somebody</developer><releasedate>19940312T000000</releasedate></game>"
        )
    }));
    text += "</gameList>";
    let list = server.scratch().file("roms/gamelist.xml", text);
    let before = server.status("VmHWM");
    let preview = server.post(&format!("{FRONTEND}/preview"), &json!({"xml_path": list}));
    let counts = json!({"total_in_xml": 200_000, "skipped_malformed": 0, "added": 200_000, "merged": 0,
        "found": 200_000});
    assert_eq!(preview["counts"], counts);
    assert_eq!(preview["message"], "The list has 200000 games; the first 5000 are shown.");
    for key in ["operations", "normalized_games"] {
        assert_eq!(preview[key].as_array().map(Vec::len), Some(5_000), "{key}");
    }
    let grown = (server.status("VmHWM") - before) / 1_024;
    assert!(grown < 256, "{grown} MiB");
}

#[test]
fn a_list_or_options_that_changed_are_refused() {
    let server = server();
    let list = server.scratch().file("roms/gamelist.xml", GAMELIST);
    let path = format!("{FRONTEND}/apply");
    let preview = server.post(&format!("{FRONTEND}/preview"), &json!({"xml_path": list}));
    let stale = "The list or the library changed since the preview. Preview again.";
    let code = "FRONTEND_IMPORT_STALE_PLAN";
    let options = json!({"xml_path": list, "plan": preview, "options": {"overwrite_fields": true}});
    refused(&server, &path, &options, code, stale);
    let token = json!({"xml_path": list, "preview_token": "0"});
    refused(&server, &path, &token, code, stale);
    fs::write(&list, GAMELIST.replace("Two", "2")).expect("written");
    let plan = json!({"preview_token": preview["preview_token"], "source_digest": preview["source_digest"]});
    refused(&server, &path, &json!({"xml_path": list, "plan": plan}), code, stale);
    assert_eq!(games(&server).len(), 1);
    for plan in [json!("x"), json!({})] {
        let body = json!({"xml_path": list, "plan": plan});
        refused(
            &server,
            &path,
            &body,
            "FRONTEND_IMPORT_INVALID_PLAN",
            "The import plan is invalid.",
        );
    }
}

#[test]
fn lists_that_cannot_be_used_are_refused() {
    let server = server();
    for (path, code) in
        [(FRONTEND, "FRONTEND_IMPORT_INVALID_SOURCE"), (LEGACY, "LEGACY_IMPORT_INVALID_SOURCE")]
    {
        let path = format!("{path}/preview");
        refused(&server, &path, &json!({}), "BAD_REQUEST", "xml_path is required.");
        let ask = |source: &Value, message: &str| {
            refused(&server, &path, &json!({"xml_path": source}), code, message);
        };
        ask(&json!("relative.xml"), "xml_path must be an absolute path.");
        ask(&json!("/no/such.xml"), "The list does not exist.");
        ask(&json!(server.scratch().path("home")), "The list must be a file.");
        let other = server.scratch().file("other.xml", "<other/>");
        ask(&json!(other), "The list cannot be used: its root is \"other\".");
        let doctype =
            server.scratch().file("type.xml", "<!DOCTYPE a [<!ENTITY b \"c\">]><gameList/>");
        ask(&json!(doctype), "The list cannot be used: it declares a document type.");
        let root = if code.starts_with('F') { "gameList" } else { "LaunchBox" };
        let list = server.scratch().file("cut.xml", format!("<{root}><game>"));
        ask(&json!(list), "The list cannot be used: it is cut off.");
        let large = server.scratch().path("large.xml");
        let file = fs::File::create(&large).expect("new");
        file.set_len((64 << 20) + 1).expect("a long file");
        ask(&json!(large), "The list is too large.");
        let body = json!({"xml_path": list, "options": []});
        refused(&server, &path, &body, "BAD_REQUEST", "options must be an object.");
    }
}

const LIBRARY: &str = r#"<?xml version="1.0" standalone="yes"?>
<LaunchBox>
  <Game>
    <ID>a-1</ID><Title>Alpha</Title><ApplicationPath>D:\Roms\NES\alpha.nes</ApplicationPath>
    <Platform>NES</Platform><Notes>About</Notes><ReleaseDate>1990-05-01T00:00:00-07:00</ReleaseDate>
    <DatabaseID>123</DatabaseID><EmulatorId>emu</EmulatorId><PlayMode>Cooperative</PlayMode>
    <Status>Imported</Status><ScreenshotPath>D:\Shots\a.png</ScreenshotPath><Rating>4.5</Rating>
    <CommandLine>-x</CommandLine>
  </Game>
  <Game><ID>a-1</ID><Title>Alpha again</Title></Game>
  <Game><ID>b-2</ID><Title>Beta</Title></Game>
  <Game><ID>c-3</ID><Title>Known</Title><Genre>RPG</Genre><ApplicationPath>/roms/three.zip</ApplicationPath><Developer>Them</Developer></Game>
  <Game><Title>No id</Title></Game>
  <Emulator><ID>emu</ID></Emulator>
</LaunchBox>"#;

#[test]
fn the_library_of_the_older_launcher_is_brought_over() {
    let server = server();
    let list = server.scratch().file("legacy/NES.xml", LIBRARY);
    let options = json!({
        "path_mappings": [{"windows_root": "D:\\Roms", "local_root": "/roms"}],
        "emulator_mappings": {"emu": "retroarch-nes"},
        "import_exclusions": ["b-2"],
    });
    let body = json!({"xml_path": list, "options": options});
    let preview = server.post(&format!("{LEGACY}/preview"), &body);
    for (key, expected) in [
        ("total_in_xml", json!(5)),
        ("skipped_malformed", json!(1)),
        ("excluded", json!(1)),
        ("duplicates", json!(1)),
        ("added", json!(1)),
        ("merged", json!(1)),
        ("skipped", json!(1)),
        ("found", json!(3)),
        ("emulator_ids", json!(["emu"])),
        ("errors", json!(["Game row 5: ID is missing."])),
        ("unsupported_fields", json!({"commandline": 1})),
    ] {
        assert_eq!(preview[key], expected, "{key}");
    }
    assert_eq!(games(&server).len(), 1);
    let body = json!({"xml_path": list, "plan": preview["plan"]});
    let done = server.post(&format!("{LEGACY}/apply"), &body);
    assert_eq!(done, json!({"added": 1, "merged": 1, "skipped": 1, "excluded": 1, "found": 3}));
    let all = games(&server);
    // What a person did not set follows the list; the path is what the library knew.
    assert_eq!(
        (&all[0]["developer"], &all[0]["genre"], &all[0]["name"]),
        (&json!("Them"), &json!("RPG"), &json!("Known"))
    );
    let alpha = &all[1];
    let facts = json!([
        alpha["name"],
        alpha["path"],
        alpha["year"],
        alpha["metadb_id"],
        alpha["description"],
        alpha["play_mode"],
        alpha["rating"]
    ]);
    assert_eq!(
        facts,
        json!(["Alpha", "/roms/NES/alpha.nes", "1990", "123", "About", "Cooperative", 4.5])
    );
    // The new game is known to the metadata database, so its media wait; the old one is not new.
    let queue = json!({"queue": [{"name": "Alpha", "path": "/roms/NES/alpha.nes", "game_id": alpha["game_id"],
        "media": ["background", "cover", "screenshots"]}]});
    assert_eq!(server.get("/api/media/queue"), queue);
    assert_eq!(server.scratch().mode(server.data("media-queue.json")), 0o600);
    let code = "LEGACY_IMPORT_STALE_PLAN";
    let stale = "The list or the library changed since the preview. Preview again.";
    refused(&server, &format!("{LEGACY}/apply"), &body, code, stale);
    let again = json!({"xml_path": list, "options": options});
    let done = server.post(&format!("{LEGACY}/apply"), &again);
    assert_eq!((&done["added"], games(&server).len()), (&json!(0), 2));
    assert_eq!(server.get("/api/media/queue"), queue, "once");
}
