//! `GET /api/library` and `/api/library/delta`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::{Reply, Request, encode},
    library::{game_id, library},
    server::{Server, Setup},
};

fn numbers(answer: &Value) -> Vec<u64> {
    let games = answer["games"].as_array().expect("a list");
    games.iter().map(|game| game["id"].as_u64().expect("a number")).collect()
}

fn ask(server: &Server, target: &str, headers: &[(&str, &str)]) -> Reply {
    let request = headers
        .iter()
        .fold(Request::get(target), |request, (name, value)| request.header(name, value));
    server.send(&request)
}

#[test]
fn an_empty_library_has_every_part() {
    let server = Server::start();
    let answer = server.get("/api/library");
    for key in ["games", "playlists", "filter_presets", "smart_collections"] {
        assert_eq!(answer[key], json!([]), "{key}");
    }
    assert_eq!(answer["ach_configured"], false);
    assert_eq!(answer["media_epoch"], 0);
    assert_eq!(answer["settings"], server.get("/api/settings"));
    for list in [
        "recently_added",
        "never_played",
        "short_sessions",
        "highly_rated",
        "continue_playing",
        "random_picks",
    ] {
        assert_eq!(answer["discovery"][list], json!([]), "{list}");
    }
    assert_eq!(answer, server.get("/api/v1/library"));
}

#[test]
fn gzip_and_plain_hold_the_same_and_tags_spare_both() {
    let server = Setup::new().library(&library(700)).start();
    let plain = ask(&server, "/api/library", &[]).expect(200);
    let packed = ask(&server, "/api/library", &[("Accept-Encoding", "gzip")]).expect(200);
    assert_eq!(packed.header("Content-Encoding"), Some("gzip"));
    assert_eq!(plain.header("Content-Encoding"), None);
    assert!(packed.wire.len() * 4 < plain.wire.len());
    assert_eq!(packed.json(), plain.json());
    assert_eq!(numbers(&plain.json()), (0..700).collect::<Vec<_>>());
    let etag = plain.header("ETag").expect("a tag").to_owned();
    assert_eq!(plain.header("Cache-Control"), Some("private, no-cache"));
    assert_eq!(plain.header("Vary"), Some("Accept-Encoding"));
    for tags in [etag.clone(), format!("\"other\", W/{etag}"), "*".to_owned()] {
        let reply = ask(&server, "/api/library", &[("If-None-Match", &tags)]).expect(304);
        assert_eq!(reply.header("ETag"), Some(etag.as_str()));
        assert!(reply.wire.is_empty());
    }
    let toggled = server.post("/api/favorite", &json!({"game_id": game_id(300)}));
    let after = ask(&server, "/api/library", &[("If-None-Match", &etag)]).expect(200);
    assert_ne!(after.header("ETag"), Some(etag.as_str()));
    assert_eq!(after.json()["games"][300]["favorite"], toggled["favorite"]);
    let packed = ask(&server, "/api/library", &[("Accept-Encoding", "gzip")]).expect(200);
    assert_eq!(packed.json(), after.json());
}

#[test]
fn a_tag_of_an_earlier_run_is_worth_nothing() {
    let mut server = Setup::new().library(&library(3)).start();
    let tag = ask(&server, "/api/library", &[]).header("ETag").expect("a tag").to_owned();
    server.stop();
    server.restart();
    ask(&server, "/api/library", &[("If-None-Match", &tag)]).expect(200);
}

#[test]
fn pages_are_cut_out_of_the_list() {
    let server = Setup::new().library(&library(600)).start();
    let page = server.get("/api/library?offset=250&limit=20");
    assert_eq!(numbers(&page), (250..270).collect::<Vec<_>>());
    assert_eq!(page["total_count"], 600);
    assert_eq!((&page["offset"], &page["limit"]), (&json!(250), &json!(20)));
    assert!(page.get("discovery").is_none());
    assert_eq!(page["settings"]["locale"], "en");
    let whole = server.get("/api/library");
    assert_eq!(page["games"][3], whole["games"][253]);
    assert_eq!(numbers(&server.get("/api/library?offset=0")).len(), 500);
    assert_eq!(numbers(&server.get("/api/v1/library?limit=5000")).len(), 600);
    assert!(numbers(&server.get("/api/library?limit=0")).is_empty());
    assert!(numbers(&server.get("/api/library?offset=9999999")).is_empty());
    let reply = ask(&server, "/api/library?limit=1", &[("If-None-Match", "*")]).expect(200);
    assert_eq!(reply.header("ETag"), None);
    for bad in ["offset=x", "limit=-1", "limit=5001", "offset=-1", "offset=1.5", "limit=1&offset=a"]
    {
        let reply = ask(&server, &format!("/api/library?{bad}"), &[]).expect(400).json();
        assert_eq!(reply["error"], "Invalid pagination parameters", "{bad}");
        assert_eq!(reply["code"], "BAD_REQUEST");
    }
}

#[test]
fn a_page_has_the_fields_that_were_asked_for() {
    let server = Setup::new().library(&library(600)).start();
    let whole = server.get("/api/library");
    let page = server.get("/api/library?fields=name,%20has_cover,platform_category,,tags");
    assert_eq!(numbers(&page).len(), 500);
    assert_eq!(page["total_count"], 600);
    let keys = ["id", "game_id", "name", "has_cover", "platform_category", "tags"];
    for (game, full) in page["games"]
        .as_array()
        .expect("games")
        .iter()
        .zip(whole["games"].as_array().expect("games"))
    {
        assert_eq!(game.as_object().map(serde_json::Map::len), Some(keys.len()));
        assert!(keys.iter().all(|key| game[key] == full[key]), "{game}");
    }
    let one = server.get("/api/v1/library?offset=599&limit=5&fields=favorite");
    assert_eq!(one["games"].as_array().map(Vec::len), Some(1));
    assert_eq!(server.get("/api/library?fields=")["games"], whole["games"]);
    for bad in ["fields=nonsense", "fields=name,nonsense&limit=1", "offset=0&fields=nonsense,name"]
    {
        let reply = ask(&server, &format!("/api/library?{bad}"), &[]).expect(400).json();
        assert_eq!(
            (&reply["error"], &reply["code"]),
            (&json!("Unknown field: nonsense"), &json!("BAD_REQUEST"))
        );
    }
}

#[test]
fn a_delta_takes_ids_aliases_and_positions() {
    let mut file: Value = serde_json::from_str(&library(5)).expect("JSON");
    file["games"][4]["legacy_game_ids"] = json!(["game-before"]);
    let server = Setup::new().library(&file.to_string()).start();
    let ids = format!("{},1,game-before,nobody,{}", game_id(3), game_id(3));
    let answer = server.get(&format!("/api/library/delta?ids={}", encode(&ids)));
    assert_eq!(numbers(&answer), [3, 1, 4]);
    assert_eq!(answer["media_epoch"], 0);
    let whole = server.get("/api/library");
    assert_eq!(answer["games"][0], whole["games"][3]);
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(2));
    for (target, message) in [
        ("/api/library/delta".to_owned(), "Missing ids parameter"),
        ("/api/library/delta?ids=%20,,".to_owned(), "Missing ids parameter"),
        (format!("/api/library/delta?ids=0{}", ",1".repeat(1_000)), "Too many IDs (max 1000)"),
    ] {
        assert_eq!(ask(&server, &target, &[]).expect(400).json()["error"], message);
    }
    let most = format!("/api/library/delta?ids=0{}", ",1".repeat(999));
    assert_eq!(numbers(&server.get(&most)), [0, 1]);
    ask(&server, "/api/v1/library/delta?ids=0", &[]).expect(404);
}

#[test]
fn flags_follow_the_files() {
    let server = Server::start();
    let file = server.scratch().file("games/a.sh", "#!/bin/sh\n");
    let cover = server.scratch().file("data/media/a.png", "png");
    let game = json!({"name": "A", "path": file, "cover": cover, "screenshots": [cover, server.data("media/b.png")]});
    let saved = server.post("/api/game", &json!({"game": game}));
    let seen = || server.get("/api/library")["games"][0].clone();
    let game = seen();
    assert_eq!(game["game_id"], saved["game_id"]);
    for (key, expected) in [
        ("path_exists", json!(true)),
        ("playable", json!(true)),
        ("store_installed", json!(true)),
        ("has_cover", json!(true)),
        ("has_missing_media", json!(false)),
        ("has_background", json!(false)),
        ("available_screenshots", json!([0])),
        ("entry_type", json!("playable")),
        ("owned", json!(false)),
        ("rating", json!("")),
        ("total_playtime_seconds", json!(0)),
    ] {
        assert_eq!(game[key], expected, "{key}");
    }
    // Saving the game makes the program look at its folders again.
    fs::remove_file(&file).expect("removed");
    fs::remove_file(&cover).expect("removed");
    server.post("/api/favorite", &json!({"id": 0}));
    let game = seen();
    assert_eq!((&game["path_exists"], &game["has_cover"]), (&json!(false), &json!(false)));
    assert_eq!(game["cover"], json!(cover), "a path that may come back is still shown");
}

#[test]
fn paths_outside_the_roots_are_not_shown() {
    let setup = Setup::new();
    let secret = setup.scratch().file("secret.png", "x");
    let link = setup.scratch().path("data/media/link.png");
    fs::create_dir_all(link.parent().expect("a folder")).expect("made");
    std::os::unix::fs::symlink(&secret, &link).expect("a link");
    let extra = setup.scratch().file("extra/cover.png", "x");
    let file = json!({"games": [
        {"game_id": "game-1", "name": "A", "cover": secret, "banner": link, "icon": extra},
    ]});
    let roots = setup.scratch().path("extra");
    let server = setup.library(&file.to_string()).env("SERVICE_MEDIA_ROOTS", roots).start();
    let game = &server.get("/api/library")["games"][0];
    assert_eq!((&game["cover"], &game["banner"]), (&json!(""), &json!("")));
    assert_eq!(game["icon"], json!(extra));
    assert_eq!((&game["has_icon"], &game["has_banner"]), (&json!(true), &json!(false)));
}

#[test]
fn settings_in_the_answer_are_the_saved_ones() {
    let server = Setup::new().library(&library(2)).start();
    let tag = ask(&server, "/api/library", &[]).header("ETag").expect("a tag").to_owned();
    server.post("/api/settings", &json!({"locale": "de"}));
    let answer = ask(&server, "/api/library", &[("If-None-Match", &tag)]).expect(200).json();
    assert_eq!(answer["settings"], server.get("/api/settings"));
    assert_eq!(answer["settings"]["locale"], "de");
}
