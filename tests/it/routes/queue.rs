//! `GET` and `POST /api/queue`.

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server};

use super::game::create;

fn names(reply: &Value) -> Vec<&str> {
    let queue = reply["queue"].as_array().expect("a queue");
    queue.iter().filter_map(|entry| entry["name"].as_str()).collect()
}

#[track_caller]
fn refused(server: &Server, body: &Value, message: &str) {
    let reply = server.send(&Request::post("/api/queue", body)).expect(400).json();
    assert_eq!(reply["error"], message);
}

#[test]
fn a_queue_is_built_reordered_advanced_and_survives() {
    let mut server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    assert_eq!(server.get("/api/queue"), json!({"queue": []}));
    server.post("/api/queue", &json!({"action": "enqueue", "game_ids": ids[..2], "note": "x"}));
    let first = json!({"action": "enqueue", "game_ids": [ids[2]], "position": 0});
    let reply = server.post("/api/v1/queue", &first);
    assert_eq!(names(&reply), ["c", "a", "b"]);
    let entry = &reply["queue"][1];
    assert_eq!((&entry["note"], &entry["path_exists"]), (&json!("x"), &json!(true)));
    assert_eq!((&entry["missing"], &entry["skip"]), (&json!(false), &json!(false)));
    let order = json!({"action": "reorder", "ordered_game_ids": ids});
    assert_eq!(names(&server.post("/api/queue", &order)), ["a", "b", "c"]);
    server.kill();
    server.restart();
    assert_eq!(names(&server.get("/api/queue")), ["a", "b", "c"]);
    let next = server.post("/api/queue", &json!({"action": "advance", "current_game_id": ids[0]}));
    assert_eq!(next["next"]["game_id"], json!(ids[1]));
    server.post("/api/game/delete", &json!({"game_id": ids[2]}));
    let end = server.post("/api/queue", &json!({"action": "advance", "current_game_id": ids[1]}));
    assert_eq!(end["next"], Value::Null);
    assert_eq!(names(&end), ["a", "b", "Missing"]);
    let left = server.post("/api/queue", &json!({"action": "remove", "game_ids": [ids[2]]}));
    assert_eq!(names(&left), ["a", "b"]);
}

#[test]
fn a_bad_queue_request_changes_nothing() {
    let server = Server::start();
    let id = create(&server, "a");
    refused(&server, &json!({"action": "dance"}), "Unknown queue action.");
    let strings = "game_ids must be a list of strings.";
    refused(&server, &json!({"action": "enqueue"}), strings);
    refused(&server, &json!({"action": "enqueue", "game_ids": [id, 1]}), strings);
    refused(&server, &json!({"action": "enqueue", "game_ids": [id, " "]}), strings);
    let unknown = json!({"action": "enqueue", "game_ids": [id, "game-x"]});
    refused(&server, &unknown, "Game not found: game-x");
    let order = json!({"action": "reorder", "ordered_game_ids": [id]});
    refused(&server, &order, "ordered_game_ids must contain the current queue entries.");
    for position in [json!("0"), json!(0.5), json!(true)] {
        let body = json!({"action": "enqueue", "game_ids": [id], "position": position});
        refused(&server, &body, "position must be an integer.");
    }
    for (action, ids) in [("enqueue", json!("x")), ("remove", json!(null)), ("remove", json!([5]))]
    {
        refused(&server, &json!({"action": action, "game_ids": ids}), strings);
    }
    let mismatch = "ordered_game_ids must contain the current queue entries.";
    refused(&server, &json!({"action": "reorder"}), mismatch);
    refused(&server, &json!({"action": 1}), "Unknown queue action.");
    refused(&server, &json!({"action": ""}), "Unknown queue action.");
    for body in [json!({}), json!({"action": null}), json!({"action": "resolve"})] {
        assert_eq!(server.post("/api/queue", &body), json!({"queue": [], "next": null}));
    }
}

#[test]
fn positions_are_clamped_notes_are_cut_and_the_queue_is_bounded() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    let enqueue = |id: &str, position: i64, note: &str| {
        let body =
            json!({"action": "enqueue", "game_ids": [id], "position": position, "note": note});
        server.post("/api/queue", &body)
    };
    enqueue(&ids[0], 99, &"ä".repeat(200));
    enqueue(&ids[1], -5, &"ä".repeat(201));
    let reply = enqueue(&ids[2], 1, "");
    assert_eq!(names(&reply), ["b", "c", "a"]);
    let notes = [0, 2].map(|at| reply["queue"][at]["note"].clone());
    assert_eq!(notes, [json!("ä".repeat(200)), json!("ä".repeat(200))]);
    let top = server.post("/api/queue", &json!({"action": "advance"}));
    assert_eq!(top["next"]["game_id"], json!(ids[1]));
    let lost = server.post("/api/queue", &json!({"action": "advance", "current_game_id": "gone"}));
    assert_eq!(lost["next"]["game_id"], json!(ids[1]));
    let many = json!({"action": "enqueue", "game_ids": vec![&ids[0]; 497]});
    let reply = server.post("/api/queue", &many);
    assert_eq!((names(&reply).len(), names(&reply)[2]), (500, "a"));
    let over = json!({"action": "enqueue", "game_ids": [ids[1]]});
    let reply = server.post("/api/queue", &over);
    assert_eq!((names(&reply).len(), names(&reply)[499]), (500, "a"));
    let reply = server.post("/api/queue", &json!({"action": "remove", "game_ids": ids}));
    assert_eq!(reply, json!({"queue": [], "next": null}));
}

#[test]
fn a_game_leaves_the_queue_with_all_its_entries() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    let post = |body: Value| server.post("/api/queue", &body);
    let queue = [&ids[0], &ids[1], &ids[0], &ids[2], &ids[0]];
    let reply = post(json!({"action": "enqueue", "game_ids": queue}));
    assert_eq!(names(&reply), ["a", "b", "a", "c", "a"]);
    // What is not in the queue is no mistake, and nothing to remove leaves everything.
    for game_ids in [json!([]), json!(["game-none"])] {
        let reply = post(json!({"action": "remove", "game_ids": game_ids}));
        assert_eq!(names(&reply), ["a", "b", "a", "c", "a"]);
        assert_eq!(reply.get("next"), Some(&Value::Null));
    }
    let reply = post(json!({"action": "remove", "game_ids": [ids[0], ids[0]]}));
    assert_eq!(names(&reply), ["b", "c"]);
    assert_eq!(names(&server.get("/api/v1/queue")), ["b", "c"]);
}
