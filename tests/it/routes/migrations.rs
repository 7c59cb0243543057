//! `/api/v2/import/frontend` and `/api/v2/import/legacy`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    picture::jpeg,
    server::{Server, Setup},
};

pub(super) const FRONTEND: &str = "/api/v2/import/frontend";
pub(super) const LEGACY: &str = "/api/v2/import/legacy";

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
pub(super) fn refused(server: &Server, path: &str, body: &Value, code: &str, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!(code), &json!(message)));
}

pub(super) fn games(server: &Server) -> Vec<Value> {
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
    let done = server.import(&format!("{FRONTEND}/apply"), &body);
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
    let done = server.import(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(done, json!({"added": 0, "merged": 3, "found": 3}));
    assert_eq!((games(&server).len(), &games(&server)[0]["developer"]), (3, &json!("Them")));
}

#[test]
fn what_a_list_brought_is_taken_back() {
    let server = server();
    let scratch = server.scratch();
    let list = json!({"name": "L", "type": "manual", "members": ["three"]});
    server.post("/api/playlists", &list);
    let before = server.holdings();
    let front_end = scratch.file("roms/gamelist.xml", GAMELIST.replace("Us", "X"));
    let legacy = scratch.file("legacy/NES.xml", LIBRARY);
    for (route, file) in [(FRONTEND, &front_end), (LEGACY, &legacy)] {
        let options = json!({"overwrite_fields": ["developer"]});
        let body = json!({"xml_path": file, "options": options});
        let done = server.import(&format!("{route}/apply"), &body);
        assert!(done["added"] != 0 && done["merged"] == 1, "{done}");
        let after = server.holdings();
        assert_eq!(server.import(&format!("{route}/apply"), &body)["added"], 0);
        assert_eq!(server.holdings(), after, "{route} again changes nothing");
        let undone = server.undo_import();
        assert_eq!((&undone["removed"], &undone["restored"]), (&done["added"], &done["merged"]));
        assert_eq!(server.holdings(), before, "{route}");
    }
}

#[test]
fn a_broken_list_keeps_nobody_from_the_others() {
    let server = server();
    let scratch = server.scratch();
    let list = |name: &str| {
        format!(
            "<gameList><game><path>./a.zip</path><name>{name}\n  \t&#1; Two</name></game></gameList>"
        )
    };
    scratch.file("es/nes/gamelist.xml", list("Nes"));
    let broken = scratch.file("es/psx/gamelist.xml", "<gameList><game><path>./b.zip</path></game>");
    scratch.file("es/snes/gamelist.xml", list("Snes"));
    scratch.file("lb/Data/Platforms/A.xml", "<LaunchBox><Game>");
    scratch.file(
        "lb/Data/Platforms/B.xml",
        "<LaunchBox><Game><ID>b</ID><Title>Bee</Title><ApplicationPath>b.nes</ApplicationPath></Game></LaunchBox>",
    );
    let error = "The list cannot be used: it is cut off.";
    let tree = json!({"xml_path": scratch.path("es")});
    let preview = server.post(&format!("{FRONTEND}/preview"), &tree);
    assert_eq!(preview["errors"], json!([format!("psx: {error}")]));
    assert_eq!(preview["counts"]["added"], 2);
    assert_eq!(preview["normalized_games"][0]["name"], "Nes Two", "a title is one line");
    let plan = json!({"xml_path": scratch.path("es"), "plan": {"preview_token": preview["preview_token"]}});
    fs::write(&broken, list("Psx")).expect("repaired");
    let stale = "The list or the library changed since the preview. Preview again.";
    refused(&server, &format!("{FRONTEND}/apply"), &plan, "FRONTEND_IMPORT_STALE_PLAN", stale);
    fs::write(&broken, "<gameList>").expect("broken again");
    assert_eq!(server.import(&format!("{FRONTEND}/apply"), &tree)["added"], 2);
    let preview =
        server.post(&format!("{LEGACY}/preview"), &json!({"xml_path": scratch.path("lb")}));
    assert_eq!(
        (&preview["errors"], &preview["added"]),
        (&json!([format!("A: {error}")]), &json!(1))
    );
    for (route, body, code) in [
        (FRONTEND, json!({"xml_path": broken}), "FRONTEND_IMPORT_INVALID_SOURCE"),
        (FRONTEND, json!({"xml_path": scratch.path("es/psx")}), "FRONTEND_IMPORT_INVALID_SOURCE"),
    ] {
        refused(&server, &format!("{route}/preview"), &body, code, error);
    }
}

#[test]
fn a_list_that_is_not_well_formed_loses_no_row() {
    let server = server();
    let text = "<?xml version=\"1.0\"?>\n<!-- one -- two -->\n<alternativeEmulator>\n\t<label>Snes9x</label>\n\
        </alternativeEmulator>\n<gameList>\n<game><path>./Sonic & Knuckles (World).md</path></game>\n\
        <game><path>./b.zip</path><name>B&nbsp;&amp; C & D</name><sortname>B 2</sortname><kidgame>true</kidgame>\
        <playcount>3</playcount><gametime>5400</gametime><lastplayed>20240131T235901</lastplayed><rating>0.9</rating>\
        <players>1-4</players><favorite>true</favorite><hidden>true</hidden></game>\n\
        <folder><path>./sub</path><name>Sub</name></folder>\n</gameList>\n";
    let list = server.scratch().file("roms/gamelist.xml", text);
    let body = json!({"xml_path": list});
    let done = server.import(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(done, json!({"added": 2, "merged": 0, "found": 2}));
    let rows = games(&server);
    assert_eq!(rows[1]["name"], "Sonic & Knuckles (World)");
    assert_eq!(rows[1]["path"], json!(server.scratch().path("roms/Sonic & Knuckles (World).md")));
    for (field, expected) in [
        ("name", json!("B & C & D")),
        ("sort_title", json!("B 2")),
        ("tags", json!(["Kids"])),
        ("play_count", json!(3)),
        ("manual_playtime_seconds", json!(5_400)),
        ("last_played", json!("2024-01-31T23:59:01")),
        ("rating", json!(4.5)),
        ("max_players", json!("1-4")),
        ("favorite", json!(true)),
        ("hidden", json!(true)),
    ] {
        assert_eq!(rows[2][field], expected, "{field}");
    }
    let again = server.import(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(again, json!({"added": 0, "merged": 2, "found": 2}));
    assert_eq!(games(&server), rows);
}

#[test]
fn a_front_end_is_brought_over_with_all_its_systems_and_pictures() {
    let server = server();
    let scratch = server.scratch();
    let settings = "<?xml version=\"1.0\"?>\n<string name=\"ROMDirectory\" value=\"~/games\" />\n";
    scratch.file("home/ES-DE/settings/es_settings.xml", settings);
    let game = |file: &str| format!("<gameList><game><path>./{file}</path></game></gameList>");
    scratch.file("home/ES-DE/gamelists/snes/gamelist.xml", game("sub/Mario (USA).sfc"));
    scratch.file("home/ES-DE/gamelists/gba/gamelist.xml", game("Zelda.gba"));
    let media = "home/ES-DE/downloaded_media";
    let cover = scratch.file(format!("{media}/snes/covers/sub/Mario (USA).png"), jpeg(8, 8, 1));
    scratch.file(format!("{media}/gba/screenshots/Zelda.png"), jpeg(8, 8, 1));
    scratch.file(format!("{media}/gba/titlescreens/Zelda.png"), "no picture");
    let body = json!({"xml_path": scratch.path("home/ES-DE")});
    let preview = server.post(&format!("{FRONTEND}/preview"), &body);
    assert_eq!((&preview["counts"]["added"], &preview["media_outside"]), (&json!(2), &json!(3)));
    let mario = &preview["normalized_games"][1];
    assert_eq!(mario["path"], json!(scratch.path("home/games/snes/sub/Mario (USA).sfc")));
    assert_eq!(mario["cover"], json!(cover));
    // Without the flag they stay outside; asked for later, they are copied in once.
    server.import(&format!("{FRONTEND}/apply"), &body);
    let mappings = json!({scratch.path("home/games/gba").to_str().expect("text"): "/mnt/gba"});
    let mapped = json!({"xml_path": body["xml_path"], "options": {"path_mappings": mappings}});
    let mapped = server.post(&format!("{FRONTEND}/preview"), &mapped);
    assert_eq!(mapped["normalized_games"][0]["path"], "/mnt/gba/Zelda.gba");
    let rows = games(&server);
    assert_eq!((&rows[2]["name"], &rows[2]["cover"]), (&json!("Mario (USA)"), &json!("")));
    let body = json!({"xml_path": body["xml_path"], "options": {"copy_media": true}});
    let done = server.import(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(done, json!({"added": 0, "merged": 2, "found": 2}));
    let rows = games(&server);
    let copied = rows[2]["cover"].as_str().expect("text");
    assert_eq!(fs::read(copied).expect("a copy"), jpeg(8, 8, 1));
    assert!(copied.starts_with(server.data("media").to_str().expect("text")), "{copied}");
    let shot = rows[1]["screenshots"][0].as_str().expect("text");
    assert_eq!(fs::read(shot).expect("a copy"), jpeg(8, 8, 1));
    assert_eq!(rows[1]["title_screen"], "", "what is no picture is left out");
    server.import(&format!("{FRONTEND}/apply"), &body);
    assert_eq!(games(&server), rows, "once");
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
    let done = server.import(&format!("{LEGACY}/apply"), &body);
    assert_eq!(done, json!({"added": 1, "merged": 1, "skipped": 1, "excluded": 1, "found": 3}));
    let all = games(&server);
    // What the user did not set follows the list; the path is what the library knew.
    assert_eq!(
        (&all[0]["developer"], &all[0]["genre"], &all[0]["name"]),
        (&json!("Them"), &json!("RPG"), &json!("Known"))
    );
    let alpha = &all[1];
    assert_eq!(preview["emulator_names"], json!({}));
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
    let done = server.import(&format!("{LEGACY}/apply"), &again);
    assert_eq!((&done["added"], games(&server).len()), (&json!(0), 2));
    assert_eq!(server.get("/api/media/queue"), queue, "once");
}

const PLATFORM: &str = r#"<?xml version="1.0" standalone="yes"?>
<LaunchBox>
  <Game>
    <ID>0b6f1a2c-1d2e-4f5a-8b9c-1234567890AB</ID><Title>Alpha: It's On</Title><ApplicationPath>Games\SNES\alpha.sfc</ApplicationPath>
    <Platform>Super Nintendo Entertainment System</Platform><Emulator>emu-1</Emulator>
    <Favorite>true</Favorite><Completed>true</Completed><PlayCount>7</PlayCount><PlayTime>3600</PlayTime>
    <LastPlayedDate>2024-01-31T20:00:00</LastPlayedDate><StarRating>4</StarRating>
    <StarRatingFloat>3.5</StarRatingFloat><MaxPlayers>2</MaxPlayers><Series>Letters</Series>
    <CommunityStarRating>1.5</CommunityStarRating><Rating>E10+ - Everyone 10+</Rating>
  </Game>
  <AdditionalApplication><Id>x</Id><GameID>0b6f1a2c-1d2e-4f5a-8b9c-1234567890AB</GameID><ApplicationPath>Games\SNES\alpha (Japan).sfc</ApplicationPath>
    <Name>Japan</Name><UseEmulator>true</UseEmulator></AdditionalApplication>
  <AdditionalApplication><GameID>0b6f1a2c-1d2e-4f5a-8b9c-1234567890AB</GameID><ApplicationPath>..\Tools\map.exe</ApplicationPath>
    <Name>Map &amp; Guide</Name><UseEmulator>false</UseEmulator></AdditionalApplication>
  <AlternateName><GameID>0b6f1a2c-1d2e-4f5a-8b9c-1234567890AB</GameID><Name>Alpha 1</Name></AlternateName>
</LaunchBox>"#;

#[test]
fn the_folder_of_the_older_launcher_is_brought_over_with_what_lies_around() {
    let server = server();
    let scratch = server.scratch();
    let name = "Super Nintendo Entertainment System";
    scratch.file(format!("lb/LaunchBox/Data/Platforms/{name}.xml"), PLATFORM);
    scratch.file(
        "lb/LaunchBox/Data/Emulators.xml",
        "<LaunchBox><Emulator><ID>emu-1</ID><Title>RetroArch</Title></Emulator></LaunchBox>",
    );
    scratch.file(
        "lb/LaunchBox/Data/Playlists/Best.xml",
        "<LaunchBox><Playlist><PlaylistId>p</PlaylistId><Name>Best</Name><Notes>N</Notes></Playlist>\
         <PlaylistGame><GameId>other</GameId></PlaylistGame><PlaylistGame><GameId>0b6f1a2c-1d2e-4f5a-8b9c-1234567890AB</GameId></PlaylistGame></LaunchBox>",
    );
    let ruled = "<LaunchBox><Playlist><Name>Ruled</Name></Playlist><PlaylistFilter/></LaunchBox>";
    scratch.file("lb/LaunchBox/Data/Playlists/Ruled.xml", ruled);
    scratch.file("lb/LaunchBox/Data/Playlists/Broken.xml", "<LaunchBox><Playlist>");
    let empty = server.holdings();
    let images = format!("lb/LaunchBox/Images/{name}");
    scratch.file(format!("{images}/Box - Front/Europe/Alpha_ It_s On-01.jpg"), jpeg(8, 8, 1));
    scratch.file(format!("{images}/Screenshot - Gameplay/Alpha_ It_s On-02.jpg"), jpeg(8, 8, 2));
    scratch.file(format!("{images}/Screenshot - Gameplay/Alpha_ It_s On-01.jpg"), jpeg(8, 8, 3));
    scratch
        .file(format!("{images}/Screenshot - Game Over/Europe/Alpha_ It_s On.jpg"), jpeg(8, 8, 4));
    let id = "0b6f1a2c-1d2e-4f5a-8b9c-1234567890ab";
    scratch.file(format!("{images}/Clear Logo/Alpha_ It_s On-01.jpg"), jpeg(8, 8, 5));
    scratch.file(format!("{images}/Clear Logo/Alpha_ It_s On.{id}-01.jpg"), jpeg(8, 8, 6));
    let body = json!({"xml_path": scratch.path("lb/LaunchBox"), "options": {
        "copy_media": true, "emulator_mappings": {"RetroArch": "retroarch-snes"}}});
    let preview = server.post(&format!("{LEGACY}/preview"), &body);
    assert_eq!(preview["emulator_names"], json!({"emu-1": "RetroArch"}));
    assert_eq!((&preview["media_outside"], &preview["added"]), (&json!(5), &json!(1)));
    assert_eq!(preview["playlists"], 1);
    server.import(&format!("{LEGACY}/apply"), &body);
    let rows = games(&server);
    let alpha = &rows[1];
    let path = |name: &str| json!(scratch.path("lb").join(name));
    for (field, expected) in [
        ("path", path("LaunchBox/Games/SNES/alpha.sfc")),
        ("favorite", json!(true)),
        ("progress", json!("Completed")),
        ("play_count", json!(7)),
        ("manual_playtime_seconds", json!(3_600)),
        ("last_played", json!("2024-01-31T20:00:00")),
        ("rating", json!(3.5)),
        ("max_players", json!("2")),
        ("esrb", json!("E10+")),
        ("series", json!("Letters")),
        ("alternate_names", json!(["Alpha 1"])),
        (
            "versions",
            json!([{"name": "Japan", "path": path("LaunchBox/Games/SNES/alpha (Japan).sfc"), "command": ""}]),
        ),
        (
            "applications",
            json!([{"name": "Map & Guide", "path": path("Tools/map.exe"), "command": ""}]),
        ),
    ] {
        assert_eq!(alpha[field], expected, "{field}");
    }
    let cover = alpha["cover"].as_str().expect("text");
    assert_eq!(fs::read(cover).expect("a copy"), jpeg(8, 8, 1));
    let logo = alpha["clear_logo"].as_str().expect("text");
    assert_eq!(fs::read(logo).expect("a copy"), jpeg(8, 8, 6), "the id goes before the title");
    let shots = alpha["screenshots"].as_array().expect("a list").iter();
    let shots = shots.map(|shot| fs::read(shot.as_str().expect("text")).expect("a copy"));
    assert_eq!(shots.collect::<Vec<_>>(), [3, 2, 4].map(|shade| jpeg(8, 8, shade)));
    let done = server.import(&format!("{LEGACY}/apply"), &body);
    assert_eq!(done["added"], 0);
    assert_eq!(games(&server), rows, "once");
    let lists = server.get("/api/library")["playlists"].clone();
    let best = json!({"name": "Best", "type": "manual", "members": [alpha["game_id"]], "notes": "N",
        "parent": "", "rules": {}});
    assert_eq!(lists.as_array().map(Vec::as_slice), Some(&[best][..]));
    server.undo_import();
    assert_eq!(server.holdings(), empty);
}

#[test]
fn playlists_engines_and_titles_are_told_by_their_content() {
    let server = server();
    let scratch = server.scratch();
    let json_list = r#"{"version": "1.5", "items": [{"path": "/r/a.zip#A.sfc", "label": "A", "core_path": "DETECT",
        "core_name": "DETECT", "crc32": "0|crc", "db_name": "Nintendo - Super Nintendo Entertainment System.lpl"}, {"path": "/r/B (USA).nes", "label": ""}]}"#;
    let lines = "/r/C.gba\nC & D\nDETECT\nDETECT\nDETECT\n.lpl\n";
    let engine = "[scummvm]\nversion=2\n[sky]\ndescription=Sky\npath=/g/all\ngameid=sky\n\
        [sky-cd]\ndescription=Sky (CD)\npath=/g/all\n[none]\ndescription=No path\n";
    let disc = scratch.file("ps3/BLES00001/PS3_GAME/PARAM.SFO", super::importers::sfo("Disc Game"));
    let disc = disc.ancestors().nth(2).expect("a folder").to_path_buf();
    let titles = format!("BLES00001: {}/\nBLUS30002: /none/\n", disc.display());
    for (name, text, names) in [
        ("content_history.lpl", json_list, ["A", "B (USA)", ""].as_slice()),
        ("old.lpl", lines, &["C & D"]),
        ("scummvm.ini", engine, &["Sky", "Sky (CD)", "No path"]),
        ("games.yml", titles.as_str(), &["Disc Game", "BLUS30002"]),
    ] {
        let names: Vec<&str> = names.iter().copied().filter(|name| !name.is_empty()).collect();
        let body = json!({"xml_path": scratch.file(name, text)});
        let preview = server.post(&format!("{FRONTEND}/preview"), &body);
        let shown = preview["normalized_games"].as_array().expect("games").iter();
        assert_eq!(shown.map(|game| game["name"].clone()).collect::<Vec<_>>(), names, "{name}");
        let count = names.len();
        let before = server.holdings();
        let done = server.import(&format!("{FRONTEND}/apply"), &body);
        assert_eq!(done, json!({"added": count, "merged": 0, "found": count}), "{name}");
        let rows = games(&server);
        let again = server.import(&format!("{FRONTEND}/apply"), &body);
        assert_eq!(again, json!({"added": 0, "merged": count, "found": count}), "{name}");
        assert_eq!(games(&server), rows, "{name}");
        assert_eq!(server.undo_import()["removed"], count, "{name}");
        assert_eq!(server.holdings(), before, "{name}");
        server.import(&format!("{FRONTEND}/apply"), &body);
    }
    let rows = games(&server);
    let find = |name: &str| rows.iter().find(|row| row["name"] == name).expect(name);
    assert_eq!(
        (&find("A")["path"], &find("A")["archive_member"]),
        (&json!("/r/a.zip"), &json!("A.sfc"))
    );
    assert_eq!(
        (&find("A")["platform"], &find("B (USA)")["platform"]),
        (&json!("SNES"), &json!("NES"))
    );
    assert_eq!(find("Sky (CD)")["launch"], "scummvm sky-cd");
    assert_eq!(find("Disc Game")["platform"], "PlayStation 3");
    let broken = scratch.file("broken.lpl", "{\"items\": [");
    let message = "The list cannot be used: it is cut off.";
    let body = json!({"xml_path": broken});
    refused(
        &server,
        &format!("{FRONTEND}/preview"),
        &body,
        "FRONTEND_IMPORT_INVALID_SOURCE",
        message,
    );
}
