//! `/api/v2/library/trash` and `/api/v2/library/manual-entry`.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

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

/// Adds a manual entry without a file and returns its id.
fn shelve(server: &Server, name: &str) -> String {
    let game = json!({"game": {"name": name}});
    server.post("/api/v2/library/manual-entry", &game);
    let library = server.get("/api/library");
    let games = library["games"].as_array().expect("a list");
    let game = games.iter().find(|game| game["name"] == name).expect("the entry");
    game["game_id"].as_str().expect("an id").to_owned()
}

#[test]
fn ids_of_games_without_a_file_are_random_and_never_given_again() {
    let servers = [Server::start(), Server::start()];
    let [first, other] = [shelve(&servers[0], "A"), shelve(&servers[1], "A")];
    assert_ne!(first, other, "two libraries share no id");
    let server = &servers[0];
    let trash_id =
        server.post("/api/v2/library/trash", &json!({"game_id": first}))["trash_id"].clone();
    let second = shelve(server, "A");
    assert_ne!(first, second);
    let back = server.post("/api/v2/library/trash/restore", &json!({"trash_id": trash_id}));
    assert_eq!((&back["game_id"], &back["renamed"]), (&json!(first), &json!(false)));
    server.post("/api/game/delete", &json!({"game_id": second}));
    assert_ne!(shelve(server, "B"), second);
}

#[test]
fn a_game_comes_back_under_another_id_where_its_own_is_taken() {
    let library = json!({"schema_version": 6, "games": [{"game_id": "game-1", "name": "a", "path": "/a"}],
        "trash": [{"trash_id": "trash-000000000000", "trashed_at": "2999-01-01T00:00:00", "index": 0,
            "game_id": "game-1", "name": "b", "game": {"game_id": "game-1", "name": "b", "path": "/b"}}]});
    let server = Setup::new().library(&library.to_string()).start();
    let restore = json!({"trash_id": "trash-000000000000"});
    let back = server.post("/api/v2/library/trash/restore", &restore);
    assert_eq!((&back["game_id"], &back["renamed"]), (&json!("game-1-2"), &json!(true)));
    assert_eq!(names(&server), ["b", "a"]);
}

#[test]
fn derived_ids_of_games_without_a_file_are_renewed_once() {
    // SHA-256 of the platform and otherwise empty identity fields.
    let old = "game-83b54d70f5d5c89073d1dcf9";
    let library = json!({"schema_version": 6, "games": [
        {"game_id": old, "name": "A", "platform": "NES"},
        {"game_id": "game-1123456789abcdef01234567", "name": "B", "path": "/b.nes"},
    ], "history": [{"game": "A", "game_id": old, "started": "2026-01-01T10:00:00", "seconds": 5}]});
    let mut server = Setup::new().library(&library.to_string()).start();
    let id = server.get("/api/library")["games"][0]["game_id"].clone();
    assert_ne!(id, old);
    assert_eq!(server.post("/api/favorite", &json!({"game_id": old})), json!({"favorite": true}));
    let entry = &server.get("/api/history")["history"][0];
    assert_eq!(entry.get("game_id").unwrap_or(&id), &id);
    server.kill();
    server.restart();
    let games = server.get("/api/library")["games"].clone();
    assert_eq!((&games[0]["game_id"], &games[0]["favorite"]), (&id, &json!(true)));
    assert_eq!(games[1]["game_id"], "game-1123456789abcdef01234567");
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
fn one_entry_is_named_by_its_game_and_nothing_else_stands_for_all() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    for id in &ids {
        server.post("/api/v2/library/trash", &json!({"game_id": id}));
    }
    let (purge, restore) = ("/api/v2/library/trash/purge", "/api/v2/library/trash/restore");
    let listed = || server.get("/api/v2/library/trash");
    let item = listed()["items"][0]["trash_id"].clone();
    for body in [
        json!({"id": item}),
        json!({"entry": item}),
        json!({"trash_ids": [item]}),
        json!({"game_id": null}),
        json!({"game_id": 5}),
        json!({"game_id": " "}),
        json!({"game_id": ids[0], "trash_id": null}),
    ] {
        refused(&server, purge, &body, "trash_id is required.");
        refused(&server, restore, &body, "trash_id is required.");
    }
    for body in [json!({"game_id": "game-x"}), json!({"game_id": item})] {
        refused(&server, purge, &body, "Trash entry not found.");
        refused(&server, restore, &body, "Trash entry not found.");
    }
    assert_eq!(listed()["count"], 3);
    let purged = server.post(purge, &json!({"game_id": ids[0]}));
    assert_eq!(purged, json!({"ok": true, "purged": 1}));
    let back = server.post(restore, &json!({"game_id": ids[1]}));
    assert_eq!((&back["game_id"], &back["name"]), (&json!(ids[1]), &json!("b")));
    let left = listed();
    assert_eq!((&left["count"], &left["items"][0]["name"]), (&json!(1), &json!("c")));
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
    for id in [json!(null), json!(5), json!(" "), json!("")] {
        refused(&server, purge, &json!({"trash_id": id}), "trash_id is required.");
        refused(&server, restore, &json!({"trash_id": id}), "trash_id is required.");
    }
    for ids in [json!(null), json!({}), json!(5), json!(true), json!(["trash-x", null])] {
        refused(&server, purge, &json!({"ids": ids}), message);
    }
    let both = json!({"id": 0, "delete_media": "yes"});
    refused(&server, trash, &both, "delete_media must be true or false.");
    for game in [json!({"id": 1}), json!({"id": -1}), json!({"game_id": "game-x", "id": 0})] {
        refused(&server, trash, &game, "Game not found");
    }
    assert_eq!(server.get(trash), json!({"items": [], "count": 0}));
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
    let page = server.scratch().file("box.txt", "");
    server.post("/api/game", &json!({"game_id": id, "game": {"name": "Box", "path": page}}));
    let update = json!({"game_id": id, "game": {"name": "Box 2", "path": ""}});
    server.post("/api/v2/library/manual-entry/update", &update);
    let game = server.get("/api/library")["games"][0].clone();
    assert_eq!((&game["path"], &game["genre"]), (&json!(page), &json!("Puzzle")));
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
fn only_a_shelf_entry_is_changed_here_and_only_a_real_file_is_its_file() {
    let server = Server::start();
    let path = "/api/v2/library/manual-entry";
    let (update, convert) = (format!("{path}/update"), format!("{path}/convert"));
    for game in [json!(null), json!("x"), json!([])] {
        refused(&server, path, &json!({"game": game}), "game must be an object.");
    }
    for name in [json!(""), json!(" \n"), json!(null)] {
        refused(&server, path, &json!({"game": {"name": name}}), "Name is required.");
    }
    let file = server.scratch().file("real.sh", "");
    let made = server.post(path, &json!({"game": {"name": 1942, "path": file}}));
    let id = made["game_id"].clone();
    assert_eq!(made, json!({"ok": true, "name": "1942", "game_id": id}));
    let game = || server.get("/api/library")["games"][0].clone();
    assert_eq!((&game()["path"], &game()["playable"]), (&json!(""), &json!(false)));
    let fields = json!({"name": "B", "path": file, "manual_entry": false});
    server.post(&update, &json!({"id": 0, "game": fields}));
    assert_eq!((&game()["path"], &game()["manual_entry"]), (&json!(""), &json!(true)));
    for (body, message) in [
        (json!({"game": {"name": "x"}}), "Game id is required."),
        (json!({"game_id": "game-x", "game": {"name": "x"}}), "Game not found"),
        (json!({"id": 0}), "game must be an object."),
        (json!({"id": 0, "game": {"name": " "}}), "Name is required."),
        (json!({"id": 0, "game": {"name": "x", "progress": "Won"}}), "Unknown progress value."),
    ] {
        refused(&server, &update, &body, message);
    }
    let link = server.scratch().path("link.sh");
    symlink(&file, &link).expect("a link");
    let folder = server.scratch().folder("folder");
    let gone = server.scratch().path("gone.sh");
    for path in [json!(link), json!(folder), json!(gone), json!("real.sh"), json!("./real.sh")] {
        let body = json!({"game_id": id, "path": path});
        refused(&server, &convert, &body, "path must be an existing absolute file.");
    }
    for path in [json!(""), json!(" "), json!(5), json!(null)] {
        let body = json!({"game_id": id, "path": path});
        refused(&server, &convert, &body, "path is required to convert a shelf entry.");
    }
    refused(&server, &convert, &json!({"path": file}), "Game id is required.");
    refused(&server, &convert, &json!({"game_id": "game-x", "path": file}), "Game not found");
    assert_eq!((&game()["name"], &game()["manual_entry"]), (&json!("B"), &json!(true)));
    let playable = create(&server, "playable");
    let not_one = "Game is not a shelf entry.";
    refused(&server, &convert, &json!({"game_id": playable, "path": file}), not_one);
    refused(&server, &update, &json!({"game_id": playable, "game": {"name": "x"}}), not_one);
    assert_eq!(names(&server), ["B", "playable"]);
}

#[test]
fn the_trash_shows_the_newest_first_and_gives_games_back_to_their_places() {
    let server = Server::start();
    let ids = ["a", "b"].map(|name| create(&server, name));
    server.post("/api/playlists", &json!({"name": "P", "type": "manual", "ids": [0, 1]}));
    let trash = "/api/v2/library/trash";
    let first = server.post(trash, &json!({"id": 0}))["trash_id"].clone();
    let second = server.post(trash, &json!({"game_id": ids[1]}))["trash_id"].clone();
    let hex = first.as_str().and_then(|id| id.strip_prefix("trash-")).expect("its prefix");
    assert!(hex.len() == 12 && hex.bytes().all(|byte| byte.is_ascii_hexdigit()));
    let items = server.get(trash)["items"].clone();
    assert_eq!((&items[0]["trash_id"], &items[1]["trash_id"]), (&second, &first));
    let mut keys: Vec<&String> = items[0].as_object().expect("an object").keys().collect();
    keys.sort();
    assert_eq!(keys, ["game_id", "name", "platform", "playlists", "trash_id", "trashed_at"]);
    assert_eq!(items[0]["playlists"], json!(["P"]));
    assert_eq!(create(&server, "a"), format!("{}-2", ids[0]), "the id in the trash is kept");
    let back = server.post(&format!("{trash}/restore"), &json!({"trash_id": first}));
    let expected =
        json!({"ok": true, "restored": true, "game_id": ids[0], "name": "a", "renamed": false});
    assert_eq!(back, expected);
    server.post(&format!("{trash}/restore"), &json!({"trash_id": second}));
    assert_eq!(names(&server), ["b", "a", "a"], "each at the place that it had");
    let members = server.get("/api/library")["playlists"][0]["members"].clone();
    assert_eq!(members.as_array().map(Vec::len), Some(2));
}

#[test]
fn media_go_with_a_game_only_when_that_is_asked_for() {
    let server = Server::start();
    let folder = server.data("media");
    fs::create_dir_all(&folder).expect("a folder");
    let picture = |name: &str| {
        let path = folder.join(name);
        fs::write(&path, "picture").expect("a file");
        path
    };
    let (kept, own, shared) = (picture("kept.png"), picture("own.png"), picture("shared.png"));
    let add = |name: &str, cover: &std::path::Path| {
        let file = server.scratch().file(name, "");
        let game = json!({"name": name, "path": file, "cover": cover, "banner": shared});
        server.post("/api/game", &json!({"game": game}))["game_id"].clone()
    };
    let (first, second) = (add("first.sh", &kept), add("second.sh", &own));
    add("third.sh", &shared);
    let trash = "/api/v2/library/trash";
    let gone = server.post(trash, &json!({"game_id": first, "delete_media": false}));
    assert_eq!((&gone["deleted_media"], &gone["shared_media"]), (&json!([]), &json!([])));
    let gone = server.post(trash, &json!({"game_id": second, "delete_media": true}));
    assert_eq!((&gone["deleted_media"], &gone["shared_media"]), (&json!([own]), &json!([shared])));
    assert!(kept.exists() && shared.exists() && !own.exists());
}

#[test]
fn the_trash_keeps_two_hundred_entries_for_thirty_days() {
    let entry = |number: usize, at: &str| {
        json!({"trash_id": format!("trash-{number:012}"), "trashed_at": at, "index": 0,
            "game_id": format!("game-{number:024}"), "name": number.to_string(), "platform": "",
            "game": {"game_id": format!("game-{number:024}"), "name": number.to_string()},
            "playlists": []})
    };
    let mut entries = vec![entry(999, "2000-01-01T00:00:00")];
    entries.extend((0..200).map(|number| entry(number, "2999-01-01T00:00:00")));
    let library = json!({"schema_version": 6, "trash": entries,
        "games": [{"game_id": "game-aaaaaaaaaaaaaaaaaaaaaaaa", "name": "a", "path": "/a"}]});
    let server = Setup::new().library(&library.to_string()).start();
    let trash = "/api/v2/library/trash";
    let listed = server.get(trash);
    assert_eq!((&listed["count"], &listed["items"][199]["name"]), (&json!(200), &json!("0")));
    let old = json!({"trash_id": "trash-000000000999"});
    refused(&server, &format!("{trash}/restore"), &old, "Trash entry not found.");
    server.post(trash, &json!({"id": 0}));
    let listed = server.get(trash);
    assert_eq!((&listed["count"], &listed["items"][0]["name"]), (&json!(200), &json!("a")));
    assert_eq!(listed["items"][199]["name"], "1", "the oldest went");
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
