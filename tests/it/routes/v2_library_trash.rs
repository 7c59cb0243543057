//! `/api/v2/library/trash` and `/api/v2/library/manual-entry`.

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server};

use super::game::create;

fn names(server: &Server) -> Vec<String> {
    let library = server.get("/api/library");
    let games = library["games"].as_array().expect("a list");
    games.iter().filter_map(|game| game["name"].as_str()).map(str::to_owned).collect()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

#[test]
fn a_game_goes_to_the_trash_and_comes_back_after_a_power_cut() {
    let mut server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    server.post("/api/favorite", &json!({"game_id": ids[1]}));
    let gone = server.post("/api/v2/library/trash", &json!({"game_id": ids[1]}));
    assert_eq!((&gone["ok"], &gone["name"]), (&json!(true), &json!("b")));
    assert_eq!((&gone["game_id"], &gone["deleted_media"]), (&json!(ids[1]), &json!([])));
    assert_eq!(names(&server), ["a", "c"]);
    server.kill();
    server.restart();
    let listed = server.get("/api/v2/library/trash");
    assert_eq!(listed["count"], 1);
    let item = &listed["items"][0];
    assert_eq!((&item["trash_id"], &item["name"]), (&gone["trash_id"], &json!("b")));
    assert!(item.get("game").is_none() && item.get("index").is_none());
    let restore = json!({"trash_id": gone["trash_id"]});
    let back = server.post("/api/v2/library/trash/restore", &restore);
    let expected = json!({
        "ok": true, "restored": true, "game_id": ids[1], "name": "b", "renamed": false,
    });
    assert_eq!(back, expected);
    assert_eq!(names(&server), ["a", "b", "c"]);
    assert_eq!(server.get("/api/library")["games"][1]["favorite"], true);
    refused(&server, "/api/v2/library/trash/restore", &restore, "Trash entry not found.");
}

#[test]
fn the_trash_is_purged_in_part_and_whole() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    let put = |id: &str| server.post("/api/v2/library/trash", &json!({"game_id": id}));
    let first = put(&ids[0])["trash_id"].clone();
    put(&ids[1]);
    put(&ids[2]);
    let purge = |body: Value| server.post("/api/v2/library/trash/purge", &body);
    assert_eq!(purge(json!({"ids": [first, "trash-unknown"]})), json!({"ok": true, "purged": 1}));
    assert_eq!(purge(json!({"ids": []})), json!({"ok": true, "purged": 0}));
    let extra = create(&server, "d");
    let fourth = json!({"trash_id": put(&extra)["trash_id"]});
    assert_eq!(purge(fourth.clone()), json!({"ok": true, "purged": 1}), "and no other");
    refused(&server, "/api/v2/library/trash/purge", &fourth, "Trash entry not found.");
    assert_eq!(purge(json!({})), json!({"ok": true, "purged": 2}));
    assert_eq!(server.get("/api/v2/library/trash"), json!({"items": [], "count": 0}));
}

#[test]
fn bad_requests_change_nothing() {
    let server = Server::start();
    create(&server, "a");
    let trash = "/api/v2/library/trash";
    refused(&server, trash, &json!({}), "Game id is required.");
    refused(&server, trash, &json!({"game_id": "game-x"}), "Game not found");
    let restore = "/api/v2/library/trash/restore";
    refused(&server, restore, &json!({}), "trash_id is required.");
    refused(&server, restore, &json!({"trash_id": "trash-x"}), "Trash entry not found.");
    let purge = "/api/v2/library/trash/purge";
    let message = "ids must be a list of trash entry ids.";
    refused(&server, purge, &json!({"ids": "all"}), message);
    refused(&server, purge, &json!({"ids": [1]}), message);
    for id in [json!(5), json!(" "), json!("")] {
        refused(&server, purge, &json!({"trash_id": id}), "trash_id is required.");
    }
    assert_eq!(names(&server), ["a"]);
}

#[test]
fn a_shelf_entry_is_made_changed_and_becomes_playable() {
    let server = Server::start();
    let path = "/api/v2/library/manual-entry";
    refused(&server, path, &json!({"game": {}}), "Name is required.");
    let made = server.post(path, &json!({"game": {"name": " Box ", "platform": "SNES"}}));
    assert_eq!((&made["ok"], &made["name"]), (&json!(true), &json!("Box")));
    let game = server.get("/api/library")["games"][0].clone();
    assert_eq!((&game["manual_entry"], &game["entry_type"]), (&json!(true), &json!("shelf")));
    assert_eq!((&game["path"], &game["playable"]), (&json!(""), &json!(false)));
    let id = made["game_id"].clone();
    let update = json!({"game_id": id, "game": {"name": "Box 2", "genre": "Puzzle"}});
    let updated = server.post("/api/v2/library/manual-entry/update", &update);
    assert_eq!(updated, json!({"ok": true, "game_id": id, "manual_entry": true}));
    let convert = "/api/v2/library/manual-entry/convert";
    let required = "path is required to convert a shelf entry.";
    refused(&server, convert, &json!({"game_id": id}), required);
    let absolute = "path must be an existing absolute file.";
    refused(&server, convert, &json!({"game_id": id, "path": "box.sh"}), absolute);
    let file = server.scratch().file("box.sh", "");
    let converted = server.post(convert, &json!({"game_id": id, "path": file}));
    assert_eq!(converted, json!({"ok": true, "game_id": id, "playable": true}));
    let game = server.get("/api/library")["games"][0].clone();
    assert_eq!((&game["name"], &game["genre"]), (&json!("Box 2"), &json!("Puzzle")));
    assert_eq!((&game["entry_type"], &game["game_id"]), (&json!("playable"), &id));
    refused(&server, convert, &json!({"game_id": id, "path": file}), "Game is not a shelf entry.");
}

#[test]
fn several_games_go_to_the_trash_in_one_commit() {
    let server = Server::start();
    let ids = ["a", "b", "c", "d"].map(|name| create(&server, name));
    let body = json!({"ids": [ids[2], 0, ids[2]]});
    let gone = server.post("/api/v2/library/trash", &body);
    assert_eq!((&gone["ok"], &gone["trashed"]), (&json!(true), &json!(2)));
    assert_eq!(names(&server), ["b", "d"]);
    for entry in gone["trash_ids"].as_array().expect("a list") {
        server.post("/api/v2/library/trash/restore", &json!({"trash_id": entry}));
    }
    assert_eq!(names(&server), ["a", "b", "c", "d"]);
    let path = "/api/v2/library/trash";
    refused(&server, path, &json!({"ids": []}), "Select at least one game.");
    refused(&server, path, &json!({"ids": "all"}), "Select at least one game.");
    let unknown = json!({"ids": [ids[0], "game-gone"]});
    let reply = server.send(&Request::post(path, &unknown)).expect(400).json();
    assert_eq!(reply["error"], "Game not found");
    assert_eq!(names(&server).len(), 4);
}
