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
    for path in ["/api/game/delete", "/api/favorite", "/api/v1/favorite", "/api/v1/game/delete"] {
        for body in [json!({}), json!({"id": null}), json!({"game_id": " "})] {
            refused(&server, path, &body, "Game id is required.");
        }
        for gone in [json!(1), json!("1"), json!(-1), json!(0.5), json!(true), json!("game-none")] {
            refused(&server, path, &json!({"id": gone}), "Game not found");
            refused(&server, path, &json!({"game_id": gone, "id": 0}), "Game not found");
        }
    }
    for flag in [json!("true"), json!(1)] {
        let body = json!({"id": 0, "delete_media": flag});
        refused(&server, "/api/game/delete", &body, "delete_media must be true or false.");
    }
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
    let epoch = || server.get("/api/library")["media_epoch"].as_u64().expect("a number");
    let before = epoch();
    assert!(before > 0, "what went is a change of the media");
    // A game in the trash comes back with its picture.
    let trashed = server.post("/api/v2/library/trash", &json!({"id": 0}))["trash_id"].clone();
    let third = add("third", &shared, &shared);
    let gone = server.post("/api/game/delete", &json!({"game_id": third, "delete_media": true}));
    let kept = json!({"removed": "third", "deleted_media": [], "shared_media": [shared]});
    assert_eq!(gone, kept);
    server.post("/api/v2/library/trash/restore", &json!({"trash_id": trashed}));
    assert!(shared.exists());
    // Without the request nothing is touched.
    let before = epoch();
    let gone = server.post("/api/game/delete", &json!({"id": 0, "delete_media": false}));
    assert_eq!(gone, json!({"removed": "second", "deleted_media": [], "shared_media": []}));
    assert!(shared.exists());
    assert_eq!(epoch(), before);
    let outside = server.scratch().file("outside.png", "x");
    let body =
        json!({"game": {"name": "x", "path": server.scratch().file("x.sh", ""), "cover": outside}});
    server.send(&Request::post("/api/game", &body)).expect(400);
}

#[test]
fn custom_fields_follow_their_definitions() {
    let server = Server::start();
    let id = create(&server, "A");
    let define = |defs: Value| server.post("/api/settings", &json!({"custom_field_defs": defs}));
    let text =
        "Custom fields must be a list of at most 20 different names with at most 50 options each.";
    let fields = |count: usize| -> Vec<Value> {
        (0..count).map(|number| json!({"name": format!("F{number}"), "options": []})).collect()
    };
    let options = |count: usize| {
        let options: Vec<String> = (0..count).map(|number| number.to_string()).collect();
        json!([{"name": "F", "options": options}])
    };
    for good in [json!(fields(20)), options(50), json!([])] {
        assert_eq!(define(good.clone())["custom_field_defs"], good);
    }
    for bad in [json!(fields(21)), options(51), json!({}), json!("F"), json!(["F"])] {
        refused(&server, "/api/settings", &json!({"custom_field_defs": bad}), text);
    }
    let defs = json!([{"name": " Shelf ", "options": "top, low,"}, {"name": "Box"}]);
    let stored =
        json!([{"name": "Shelf", "options": ["top", "low"]}, {"name": "Box", "options": []}]);
    assert_eq!(define(defs)["custom_field_defs"], stored);
    let cases = [
        (json!({"Shelf": "top", "Box": " 2 "}), json!({"Shelf": "top", "Box": "2"})),
        (json!({"Shelf": "not an option"}), json!({"Shelf": "not an option"})),
        (json!({"Box": 7, "undefined": "x", "shelf": "y"}), json!({"Box": "7"})),
        (json!({"Box": " ", "Shelf": null}), json!({})),
    ];
    for (posted, expected) in cases {
        let game = json!({"name": "A", "custom_fields": posted});
        server.post("/api/game", &json!({"game_id": id, "game": game}));
        assert_eq!(library(&server)[0]["custom_fields"], expected, "{posted}");
    }
    for (posted, message) in [
        (json!("x"), "Custom fields must be an object."),
        (json!([]), "Custom fields must be an object."),
        (json!({"Box": []}), "Box must be text."),
    ] {
        let game = json!({"name": "A", "custom_fields": posted});
        refused(&server, "/api/game", &json!({"game_id": id, "game": game}), message);
        if posted.is_object() {
            let body = json!({"ids": [id], "changes": {"custom_fields": posted}});
            refused(&server, "/api/games/bulk", &body, message);
        }
    }
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
    assert_eq!(server.get("/api/v2/library/trash")["count"], 2, "they can come back");
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

#[test]
fn an_older_whole_record_undoes_nothing_that_other_routes_wrote() {
    let server = Server::start();
    let id = create(&server, "A");
    let old = library(&server)[0].clone();
    server.post("/api/favorite", &json!({"game_id": id}));
    server.post("/api/tags", &json!({"ids": [id], "tags": ["couch"]}));
    let stars = json!({"game_id": id, "user_rating": 4});
    server.post("/api/v2/library/rating/set", &stars);
    let mut posted = old.clone();
    posted["progress"] = json!("Beaten");
    posted["play_count"] = json!(7);
    server.post("/api/game", &json!({"game_id": id, "game": posted}));
    let game = &library(&server)[0];
    assert_eq!((&game["favorite"], &game["tags"]), (&json!(true), &json!(["couch"])));
    assert_eq!((&game["user_rating"], &game["progress"]), (&json!(4), &json!("Beaten")));
    assert_eq!((&game["play_count"], &game["added_at"]), (&json!(0), &old["added_at"]));
    let kept = json!({"name": "A", "added_at": "2020-01-02T03:04:05"});
    server.post("/api/game", &json!({"game_id": id, "game": kept}));
    assert_eq!(library(&server)[0]["added_at"], "2020-01-02T03:04:05");
}

#[test]
fn a_save_may_say_what_its_client_saw() {
    let server = Server::start();
    let id = create(&server, "A");
    let shelf = json!([{"name": "Shelf", "options": []}]);
    server.post("/api/settings", &json!({"custom_field_defs": shelf}));
    let all = json!({"name": "A", "genre": "RPG", "rating": 4, "disc_count": 2,
        "alternate_names": "B;C", "launch_env": "KEY=1", "custom_fields": {"Shelf": "top"},
        "notes": "text", "hidden": true, "progress": "Playing"});
    server.post("/api/game", &json!({"game_id": id, "game": all}));
    let game = || library(&server)[0].clone();
    // Whatever a public game shows of a field is what the field is expected to be.
    let mut seen = serde_json::Map::new();
    for field in all.as_object().expect("an object").keys().chain(&["path".into(), "year".into()]) {
        seen.insert(field.clone(), game()[field].clone());
    }
    seen.insert("rating".to_owned(), json!(4));
    let save = |expected: &Value, fields: Value| {
        let mut fields = fields;
        fields["name"] = json!("A");
        let body = json!({"game_id": id, "game": fields, "expected": expected});
        server.send(&Request::post("/api/v1/game", &body))
    };
    save(&json!(seen), json!({"genre": "Puzzle", "year": "1991"})).expect(200);
    assert_eq!((&game()["genre"], &game()["year"]), (&json!("Puzzle"), &json!("1991")));
    let before = game();
    let conflict = save(&json!(seen), json!({"genre": "Racing", "rating": 1})).expect(409).json();
    let message = "Changed by another client meanwhile: genre, year.";
    assert_eq!((&conflict["error"], &conflict["code"]), (&json!(message), &json!("CONFLICT")));
    let present = json!({"present": {"genre": "Puzzle", "year": "1991"}});
    assert_eq!(conflict["detail"], present);
    let notes = json!([{"ts": "", "text": "other"}]);
    for (field, other) in [
        ("notes", notes),
        ("custom_fields", json!({})),
        ("launch_env", json!({"KEY": "2"})),
        ("disc_count", json!("2")),
        ("hidden", json!(false)),
        ("progress", json!(null)),
    ] {
        let conflict = save(&json!({field: other}), json!({"genre": "x"})).expect(409).json();
        assert_eq!(conflict["detail"]["present"], json!({field: before[field]}));
    }
    assert_eq!(game(), before);
    for expected in [json!({}), json!(null), json!({"genre": "Puzzle"})] {
        save(&expected, json!({"genre": "Puzzle"})).expect(200);
    }
    for (body, message) in [
        (json!({"game_id": id, "expected": []}), "expected must be an object."),
        (json!({"game_id": id, "expected": "genre"}), "expected must be an object."),
        (
            json!({"game_id": id, "expected": {"play_count": 0}}),
            "expected cannot name play_count, which a save does not change.",
        ),
        (
            json!({"game_id": id, "expected": {"nothing": 0}}),
            "expected cannot name nothing, which a save does not change.",
        ),
        (json!({"expected": {}}), "expected needs a game that is already there."),
        (json!({"game_id": "game-none", "expected": {"genre": ""}}), "Game not found"),
    ] {
        let mut body = body;
        body["game"] = json!({"name": "A", "path": before["path"], "genre": "y"});
        refused(&server, "/api/game", &body, message);
    }
    assert_eq!(library(&server), [before]);
}

#[test]
fn of_two_clients_that_save_one_field_none_is_overwritten_unheard() {
    let server = Server::start();
    let id = create(&server, "A");
    let rounds = 25;
    // Both count one field up; a save that passed over the other's would lose a step.
    let count = |server: &Server| {
        let (mut client, mut seen, mut heard) = (server.client(), json!(""), 0);
        for _ in 0..rounds {
            loop {
                let next = seen.as_u64().unwrap_or(0) + 1;
                let body = json!({"game_id": id, "expected": {"disc_count": seen},
                    "game": {"name": "A", "disc_count": next}});
                let reply = client.send(&Request::post("/api/game", &body));
                if reply.status == 200 {
                    seen = json!(next);
                    break;
                }
                seen = reply.expect(409).json()["detail"]["present"]["disc_count"].clone();
                heard += 1;
            }
        }
        heard
    };
    let heard: Vec<u32> = thread::scope(|scope| {
        let clients: Vec<_> = (0..2).map(|_| scope.spawn(|| count(&server))).collect();
        clients.into_iter().map(|client| client.join().expect("counted")).collect()
    });
    assert_eq!(library(&server)[0]["disc_count"], 2 * rounds);
    assert!(heard.iter().sum::<u32>() > 0, "the second client began with what the first changed");
}
