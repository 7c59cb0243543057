//! The database of libretro, filling games from all sources, and their order, against stand-ins.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    opendb::{self, Listed, SYNC, games, is_picture, not_found, run, setup},
    provider::{Provider, Reply},
    server::Server,
};

const FILL: &str = "/api/v2/metadata/fill";
const ORDER: &str = "/api/v2/metadata/source-order";
const SETS: [(&str, &str, &str); 3] = [
    ("SNES", "Nintendo - Super Nintendo Entertainment System", "sfc"),
    ("Game Boy", "Nintendo - Game Boy", "gb"),
    ("Sega Genesis", "Sega - Mega Drive - Genesis", "md"),
];
/// Games of each set.
const GAMES: usize = 4;

fn content(set: usize, game: usize) -> Vec<u8> {
    format!("content {set} {game}").repeat(20).into_bytes()
}

/// The games of the archive.
fn listed() -> Vec<Listed> {
    let game = |at: usize, game| {
        let name = format!("Comet {at}{game} & Co (USA)");
        Listed::by_content(SETS[at].1, name, &content(at, game))
    };
    (0..SETS.len()).flat_map(|at| (0..GAMES).map(move |number| game(at, number))).collect()
}

fn answer(path: &str) -> Reply {
    opendb::answer(&listed(), path)
}

/// Imports one file of each game of the archive.
fn import(server: &Server) {
    for (at, (platform, _, ending)) in SETS.iter().enumerate() {
        for game in 0..GAMES {
            let path = format!("roms/{platform}/file {at}{game}.{ending}");
            server.scratch().file(&path, String::from_utf8(content(at, game)).expect("text"));
        }
    }
    let root = server.scratch().folder("roms");
    let reply = server.post("/api/import", &json!({"folder": root}));
    assert_eq!(reply["added"], SETS.len() * GAMES, "{reply}");
}

/// Systems whose games are cartridges: folder, set, ending.
const CARTRIDGES: [(&str, &str, &str); 8] = [
    ("NES", "Nintendo - Nintendo Entertainment System", "nes"),
    ("SNES", "Nintendo - Super Nintendo Entertainment System", "sfc"),
    ("Game Boy", "Nintendo - Game Boy", "gb"),
    ("Game Boy Color", "Nintendo - Game Boy Color", "gbc"),
    ("Game Boy Advance", "Nintendo - Game Boy Advance", "gba"),
    ("Master System", "Sega - Master System - Mark III", "sms"),
    ("Sega Genesis", "Sega - Mega Drive - Genesis", "md"),
    ("Game Gear", "Sega - Game Gear", "gg"),
];
/// Games of each of ten systems.
const EACH: usize = 20;

/// Writes twenty files of each of ten systems, none with the name of its game; the games.
fn collection(server: &Server) -> Vec<Listed> {
    let file = |path: String, content: &[u8]| server.scratch().file(path, content);
    let mut listed = Vec::new();
    for (folder, set, ending) in CARTRIDGES {
        for number in 0..EACH {
            let content = format!("{set} {number};").repeat(40);
            file(format!("roms/{folder}/dump {number:02}.{ending}"), content.as_bytes());
            let name = format!("Comet {number} of {folder} & Co (USA)");
            listed.push(Listed::by_content(set, name, content.as_bytes()));
        }
    }
    for number in 0..EACH {
        let boot = format!("BOOT = cdrom:\\SLUS_009.{number:02};1\r\n");
        let image = [&vec![0; 50_000][..], boot.as_bytes()].concat();
        file(format!("roms/PlayStation/dump {number:02}.iso"), &image);
        listed.push(Listed {
            set: "Sony - PlayStation",
            name: format!("Orbit {number} (USA)"),
            code: format!("rom ( serial \"SLUS-009{number:02}\" )"),
            arcade: String::new(),
        });
    }
    for number in 0..EACH {
        file(format!("roms/MAME/arc{number:02}.zip"), &[]);
        listed.push(Listed {
            set: "MAME",
            name: format!("Arcade Comet {number} (set 1)"),
            code: format!("rom ( crc {number:08X} )"),
            arcade: format!("arc{number:02}"),
        });
    }
    listed
}

#[test]
fn two_hundred_games_of_ten_systems_are_filled_by_one_request_without_an_account() {
    let provider = Provider::new(|_, _| not_found());
    let server = setup(&provider).start();
    let listed = collection(&server);
    provider.says(move |path, _| opendb::answer(&listed, path));
    let root = server.scratch().folder("roms");
    assert_eq!(server.post("/api/import", &json!({"folder": root}))["added"], 10 * EACH);
    assert_eq!(run(&server, SYNC, &json!({}))["output"]["games"], 10 * EACH);
    // What the page sends for "Fill everything".
    let press = json!({"platform": "all", "media_types": ["cover", "background", "screenshots"]});
    let done = run(&server, FILL, &press);
    assert_eq!((&done["state"], &done["output"]["completed"]), (&json!("done"), &json!(10 * EACH)));
    let games = games(&server);
    assert_eq!(games.len(), 10 * EACH);
    for game in &games {
        assert_eq!(opendb::shown(game), opendb::filled(), "{game}");
    }
    let systems: BTreeSet<_> = games.iter().map(|game| game["platform"].to_string()).collect();
    assert_eq!(systems.len(), 10, "{systems:?}");
}

#[test]
fn roms_get_boxes_and_facts_without_an_account() {
    let provider = Provider::new(|path, _| answer(path));
    let server = setup(&provider).start();
    import(&server);
    let refused = server.send(&Request::post(FILL, &json!({}))).expect(409).json();
    let sentence =
        "No source of game data can be asked. Download a database or enter an account first.";
    assert_eq!(refused["error"], sentence);
    let synced = run(&server, SYNC, &json!({}));
    assert_eq!((&synced["state"], &synced["type"]), (&json!("done"), &json!("opendb.sync")));
    assert_eq!(synced["output"]["games"], SETS.len() * GAMES);
    let status = server.get("/api/v2/opendb/status");
    assert_eq!((&status["ready"], &status["state"]), (&json!(true), &json!("done")));
    assert_eq!(status["games"], SETS.len() * GAMES);
    let done = run(&server, FILL, &json!({"media_types": ["cover"]}));
    assert_eq!(done["state"], "done", "{done}");
    let output = &done["output"];
    assert_eq!((&output["completed"], &output["failed"]), (&json!(SETS.len() * GAMES), &json!(0)));
    for game in games(&server) {
        assert_eq!(opendb::shown(&game), opendb::filled(), "{game}");
    }
    provider.seen();
    let again = run(&server, FILL, &json!({"media_types": ["cover"]}));
    assert_eq!(again["output"]["completed"], 0);
    assert_eq!(provider.seen(), [""; 0], "nothing was missing, and lists are kept");
    let undo = json!({"pass_id": output["pass_id"]});
    let undone = server.post("/api/v2/library/passes/undo", &undo);
    assert_eq!(undone["games"], SETS.len() * GAMES);
    assert!(games(&server).iter().all(|game| game["has_cover"] == false));
}

#[test]
fn locks_hold_and_one_game_can_be_renewed() {
    let provider = Provider::new(|path, _| answer(path));
    let server = setup(&provider).start();
    import(&server);
    run(&server, SYNC, &json!({}));
    let id = games(&server)[0]["game_id"].as_str().expect("an id").to_owned();
    server.post("/api/v2/game/locks", &json!({"game_id": id, "lock": ["genre", "cover"]}));
    let body = json!({"game_id": id, "renew": true, "media_types": ["cover"]});
    let done = run(&server, FILL, &body);
    assert_eq!((&done["output"]["games"], &done["output"]["completed"]), (&json!(1), &json!(1)));
    let find = |id: &str| games(&server).into_iter().find(|game| game["game_id"] == id);
    let game = find(&id).expect("there");
    assert_eq!((&game["genre"], &game["has_cover"]), (&json!(""), &json!(false)));
    assert_eq!(game["developer"], "Aster");
    let filled = games(&server).iter().filter(|game| game["developer"] == "Aster").count();
    assert_eq!(filled, 1, "only the game that was named");
    let origins = server.get(&format!("/api/v2/game/origins?game_id={id}"))["fields"].clone();
    let row = origins.as_array().expect("fields").iter().find(|row| row["field"] == "developer");
    assert_eq!(row.map(|row| row["by"].clone()), Some(json!("opendb")));
    for (body, error) in [
        (json!({"game_id": "gone"}), "A selected game no longer exists."),
        (json!({"ids": []}), "ids must name at least one game."),
        (json!({"ids": [id], "media_types": ["hologram"]}), "Invalid media type selection."),
    ] {
        let reply = server.send(&Request::post(FILL, &body)).expect(400).json();
        assert!(reply["error"].as_str().is_some_and(|text| text.starts_with(error)), "{reply}");
    }
}

#[test]
fn a_failed_sync_keeps_what_is_there_and_says_why() {
    let provider = Provider::new(|path, _| answer(path));
    let server = setup(&provider).start();
    run(&server, SYNC, &json!({}));
    let other = Provider::new(|path, _| answer(path));
    let moved = format!("302 Found\r\nLocation: {}/zip/refs/heads/master", other.base());
    for (reply, sentence) in [
        (Reply::new(&moved, "text/plain", ""), "Could not reach the open database"),
        (Reply::new("200 OK", "text/html", "<html>sign in</html>"), "is not valid"),
        (Reply::new("200 OK", "application/zip", "PK\x03\x04cut"), "is not valid"),
        (Reply::new("404 Not Found", "text/plain", "no"), "Could not reach the open database"),
    ] {
        let reply = std::sync::Mutex::new(reply);
        provider.says(move |_, _| reply.lock().expect("no panic").clone());
        let failed = run(&server, SYNC, &json!({}));
        assert_eq!(failed["state"], "error", "{failed}");
        let said = failed["error"].as_str().unwrap_or_default();
        assert!(said.contains(sentence), "{said}");
        assert_eq!(server.get("/api/v2/opendb/status")["ready"], true);
    }
    assert!(other.seen().is_empty(), "no redirect was followed");
    provider.says(|_, head| {
        assert!(head.contains("if-none-match: \"1\""), "{head}");
        Reply::new("304 Not Modified", "text/plain", "")
    });
    let same = run(&server, SYNC, &json!({}));
    assert_eq!((&same["state"], &same["output"]["changed"]), (&json!("done"), &json!(false)));
}

#[test]
fn pictures_that_fail_leave_their_game_alone() {
    let provider = Provider::new(|path, _| answer(path));
    let server = setup(&provider).start();
    import(&server);
    run(&server, SYNC, &json!({}));
    // Without a list pictures are asked for by name; a page is no picture.
    let other = Provider::new(|path, _| answer(path));
    let elsewhere = other.base();
    provider.says(move |path, _| match path {
        path if path.contains("/Named_Boxarts/") && is_picture(path) => {
            let moved = format!("302 Found\r\nLocation: {elsewhere}{path}");
            Reply::new(&moved, "text/plain", "")
        }
        path if is_picture(path) => Reply::new("200 OK", "image/png", "<html>busy</html>"),
        _ => not_found(),
    });
    let id = games(&server)[0]["game_id"].as_str().expect("an id").to_owned();
    let done = run(&server, FILL, &json!({"ids": [id], "media_types": ["cover"]}));
    assert_eq!((&done["state"], &done["output"]["failed"]), (&json!("partial"), &json!(1)));
    assert_eq!(done["output"]["completed"], 1, "its texts were written");
    assert!(other.seen().is_empty(), "no redirect was followed");
    let seen = provider.seen();
    let lists =
        |seen: &[String]| seen.iter().filter(|head| head.contains("/named_boxarts/ http")).count();
    assert_eq!(lists(&seen), 1, "{seen:?}");
    run(&server, FILL, &json!({"ids": [id], "media_types": ["cover"]}));
    assert_eq!(lists(&provider.seen()), 0, "that there is no list is known");
    assert!(
        seen.iter().any(|head| head.contains("%20_%20co%20(usa).png")
            || head.contains("%20_%20co%20%28usa%29.png")),
        "{seen:?}"
    );
}

#[test]
fn a_source_that_asks_for_patience_is_left_alone_and_named() {
    let provider = Provider::new(|path, _| answer(path));
    let server = setup(&provider).start();
    import(&server);
    run(&server, SYNC, &json!({}));
    provider.says(|path, _| match path {
        path if is_picture(path) => {
            Reply::new("429 Too Many Requests\r\nRetry-After: 60", "text/plain", "")
        }
        path => answer(path),
    });
    let id = games(&server)[0]["game_id"].as_str().expect("an id").to_owned();
    let done = run(&server, FILL, &json!({"ids": [id], "media_types": ["cover"]}));
    let errors = done["output"]["errors"].as_array().expect("errors").clone();
    assert!(errors[0].as_str().is_some_and(|text| text.contains("429")), "{errors:?}");
    let sources = server.get("/api/v2/sources")["sources"].clone();
    let row = sources.as_array().expect("rows").iter().find(|row| row["id"] == "opendb");
    let row = row.expect("there");
    assert_eq!((&row["ready"], &row["games"]), (&json!(true), &json!(SETS.len() * GAMES)));
    assert!(row["last_error"].as_str().is_some_and(|text| text.contains("429")), "{row}");
}

#[test]
fn the_order_of_sources_is_checked_and_counts() {
    let provider = Provider::new(|path, _| answer(path));
    let server = setup(&provider).start();
    let row = |answer: &Value, part: &str, name: &str| {
        let rows = answer[part].as_array().expect("rows");
        rows.iter().find(|row| row["name"] == name).expect("there").clone()
    };
    let order = server.get(ORDER);
    assert_eq!(
        row(&order, "fields", "genre")["sources"],
        json!(["opendb", "metadb", "scraper", "gamedb"])
    );
    assert_eq!(
        row(&order, "media", "cover")["sources"],
        json!(["metadb", "opendb", "artgrid", "scraper"])
    );
    for (body, error) in [
        (json!({"fields": {"name": []}}), "Unknown field in the order of sources."),
        (json!({"media": {"music": []}}), "Unknown media type in the order of sources."),
        (json!({"media": []}), "media must be an object."),
        (
            json!({"fields": {"genre": ["artgrid"]}}),
            "genre must list sources, each once: opendb, metadb, scraper, gamedb.",
        ),
        (
            json!({"fields": {"genre": ["opendb", "opendb"]}}),
            "genre must list sources, each once: opendb, metadb, scraper, gamedb.",
        ),
    ] {
        let reply = server.send(&Request::post(ORDER, &body)).expect(400).json();
        assert_eq!(reply["error"], error, "{body}");
    }
    let set = json!({"fields": {"genre": ["metadb"]}, "media": {"cover": []}});
    let order = server.post(ORDER, &set);
    assert_eq!(row(&order, "fields", "genre")["is_set"], true);
    import(&server);
    run(&server, SYNC, &json!({}));
    run(&server, FILL, &json!({"media_types": ["cover"]}));
    for game in games(&server) {
        assert_eq!((&game["genre"], &game["has_cover"]), (&json!(""), &json!(false)));
        assert_eq!(game["developer"], "Aster");
    }
    let order = server.post(ORDER, &json!({"fields": {"genre": null}}));
    assert_eq!(row(&order, "fields", "genre")["is_set"], false);
}
