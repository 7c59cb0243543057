//! `POST /api/game`, `/api/game/delete`, `/api/favorite`, `/api/games/delete-store-a`.

use std::{fs, os::unix::fs::symlink, thread};

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server};

fn library(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("a list").clone()
}

/// Creates a game with a real file and returns its id.
pub(super) fn create(server: &Server, name: &str) -> String {
    let path = server.scratch().file(format!("games/{name}.sh"), "#!/bin/sh\n");
    let saved = server.post("/api/game", &json!({"game": {"name": name, "path": path}}));
    assert_eq!(saved["ok"], true);
    saved["game_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!(reply["error"], message);
    assert_eq!(reply["code"], "BAD_REQUEST");
    assert!(reply["request_id"].as_str().is_some_and(|id| !id.is_empty()));
}

#[test]
fn a_game_is_created_shown_changed_and_deleted() {
    let server = Server::start();
    let id = create(&server, "Größe \"1\"");
    let game = &library(&server)[0];
    assert_eq!((&game["game_id"], &game["id"]), (&json!(id), &json!(0)));
    assert_eq!(game["name"], "Größe \"1\"");
    assert_eq!(game["path_exists"], true);
    assert_eq!(game["genre"], "");
    let change = json!({"name": "New", "genre": "Puzzle", "rating": 4.5, "progress": "Beaten"});
    server.post("/api/game", &json!({"game_id": id, "game": change}));
    let game = &library(&server)[0];
    assert_eq!((&game["name"], &game["genre"]), (&json!("New"), &json!("Puzzle")));
    assert_eq!((&game["rating"], &game["progress"]), (&json!(4.5), &json!("Beaten")));
    assert_eq!(game["path"], json!(server.scratch().path("games/Größe \"1\".sh")), "it stays");
    let gone = server.post("/api/game/delete", &json!({"id": 0}));
    assert_eq!(gone, json!({"removed": "New", "deleted_media": [], "shared_media": []}));
    assert!(library(&server).is_empty());
    assert!(server.scratch().path("games").read_dir().expect("a folder").count() == 1);
}

#[test]
fn a_post_that_breaks_a_rule_changes_nothing() {
    let server = Server::start();
    let id = create(&server, "A");
    let file = server.scratch().file("other.sh", "");
    symlink(&file, server.scratch().path("link.sh")).expect("a link");
    let before = library(&server);
    let with = |field: &str, value: Value| json!({"game_id": id, "game": {"name": "X", "path": file, field: value}});
    let cases = [
        (json!({"game": {"path": file}}), "Name is required."),
        (json!({"game": {"name": " ", "path": file}}), "Name is required."),
        (json!({"game": {"name": "X"}}), "Path is required."),
        (with("path", json!("other.sh")), "Game path must be an absolute path."),
        (
            with("path", json!(server.scratch().path("link.sh"))),
            "Game path may not contain symlinks.",
        ),
        (
            with("path", json!(server.scratch().path("gone"))),
            "Path must point to an existing local file.",
        ),
        (with("path", json!(server.scratch().path("home"))), "Game path must be a regular file."),
        (with("progress", json!("Won")), "Unknown progress value."),
        (with("rating", json!(5.1)), "Rating must be between 0 and 5."),
        (with("rating", json!("good")), "Rating must be a number from 0 to 5."),
        (with("disc_count", json!("many")), "Disc count must be a number."),
        (with("save_paths", json!("x")), "Save paths must be a list."),
        (with("screenshots", json!(1)), "Screenshots must be a list."),
        (with("versions", json!("x")), "Game extras must be a list."),
        (with("launch_env", json!("1A=x")), "Invalid launch environment line: 1"),
        (with("overlay", json!("yes")), "Overlay must be inherit, on or off."),
        (with("overlay", json!("ON")), "Overlay must be inherit, on or off."),
        (with("overlay", json!(true)), "Overlay must be inherit, on or off."),
        (json!({"game_id": "game-none", "game": {"name": "X", "path": file}}), "Game not found"),
        (json!({"id": 9, "game": {"name": "X", "path": file}}), "Game not found"),
        (json!({}), "game must be an object."),
    ];
    for (body, message) in &cases {
        refused(&server, "/api/game", body, message);
    }
    assert_eq!(library(&server), before);
}

#[test]
fn a_stable_id_that_is_gone_never_falls_back_to_the_position() {
    let server = Server::start();
    let first = create(&server, "first");
    create(&server, "second");
    server.post("/api/game/delete", &json!({"game_id": first}));
    for path in ["/api/game/delete", "/api/favorite"] {
        refused(&server, path, &json!({"game_id": first, "id": 0}), "Game not found");
    }
    refused(&server, "/api/favorite", &json!({}), "Game id is required.");
    assert_eq!(library(&server).len(), 1);
}

#[test]
fn a_favourite_toggles_and_survives_a_power_cut() {
    let mut server = Server::start();
    let id = create(&server, "A");
    assert_eq!(server.post("/api/favorite", &json!({"game_id": id})), json!({"favorite": true}));
    assert_eq!(server.post("/api/favorite", &json!({"id": 0})), json!({"favorite": false}));
    assert_eq!(server.post("/api/v1/favorite", &json!({"id": 0})), json!({"favorite": true}));
    server.kill();
    server.restart();
    assert_eq!(library(&server)[0]["favorite"], true);
}

#[test]
fn deleting_media_spares_what_is_shared_or_not_ours() {
    let server = Server::start();
    let media = |name: &str| {
        let path = server.data(format!("media/{name}"));
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(&path, "picture").expect("a file");
        path
    };
    let (own, shared) = (media("own.png"), media("shared.png"));
    let add = |name: &str, cover: &std::path::Path, banner: &std::path::Path| {
        let path = server.scratch().file(format!("{name}.sh"), "");
        let game = json!({"name": name, "path": path, "cover": cover, "banner": banner});
        server.post("/api/game", &json!({"game": game}))["game_id"].clone()
    };
    let first = add("first", &own, &shared);
    add("second", &shared, &shared);
    let gone = server.post("/api/game/delete", &json!({"game_id": first, "delete_media": true}));
    assert_eq!(gone["deleted_media"], json!([own]));
    assert_eq!(gone["shared_media"], json!([shared]));
    assert!(!own.exists() && shared.exists());
    let outside = server.scratch().file("outside.png", "x");
    let body =
        json!({"game": {"name": "x", "path": server.scratch().file("x.sh", ""), "cover": outside}});
    server.send(&Request::post("/api/game", &body)).expect(400);
}

#[test]
fn a_storefronts_games_go_together() {
    let server = Server::start();
    for (name, source) in [("a", "store_a"), ("b", "Store_A"), ("c", "folder")] {
        let path = server.scratch().file(format!("{name}.sh"), "");
        let game = json!({"name": name, "path": path, "source": source});
        server.post("/api/game", &json!({"game": game}));
    }
    assert_eq!(server.post("/api/games/delete-store-a", &json!({})), json!({"removed": 2}));
    assert_eq!(library(&server).len(), 1);
    assert_eq!(server.post("/api/games/delete-store-a", &json!({})), json!({"removed": 0}));
}

#[test]
fn two_clients_that_edit_different_fields_both_win() {
    let server = Server::start();
    let id = create(&server, "A");
    thread::scope(|scope| {
        for field in ["genre", "developer", "publisher", "series"] {
            let (mut client, id) = (server.client(), id.clone());
            scope.spawn(move || {
                for round in 0..25 {
                    let game = json!({"name": "A", field: round.to_string()});
                    client.post("/api/game", &json!({"game_id": id, "game": game}));
                }
            });
        }
    });
    let game = &library(&server)[0];
    for field in ["genre", "developer", "publisher", "series"] {
        assert_eq!(game[field], "24", "{field}");
    }
}
