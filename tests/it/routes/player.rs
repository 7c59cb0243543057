//! `POST /api/v2/library/progress/set`, `rating/set`, `notes/*` and `playtime/*`.

use serde_json::{Value, json};

use super::game::create;
use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const BASE: &str = "/api/v2/library/";

#[track_caller]
fn refused(server: &Server, route: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(&format!("{BASE}{route}"), body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

#[track_caller]
fn post(server: &Server, route: &str, body: &Value) -> Value {
    server.post(&format!("{BASE}{route}"), body)
}

fn game(server: &Server) -> Value {
    server.get("/api/library")["games"][0].clone()
}

#[test]
fn progress_and_stars_are_set() {
    let server = Server::start();
    let id = create(&server, "a");
    for value in
        ["Playing", "Paused", "Beaten", "Completed", "Mastered", "Abandoned", "", "Unplayed"]
    {
        let reply = post(&server, "progress/set", &json!({"game_id": id, "progress": value}));
        let stored = if value == "Unplayed" { "" } else { value };
        assert_eq!(reply, json!({"ok": true, "game_id": id, "progress": stored}));
        assert_eq!(game(&server)["progress"], stored);
    }
    for value in [
        json!("playing"),
        json!("Won"),
        json!(1),
        json!(null),
        json!([]),
        json!({}),
        json!(false),
        json!("Playing,Beaten"),
    ] {
        let body = json!({"game_id": id, "progress": value});
        refused(&server, "progress/set", &body, "Unknown progress value.");
    }
    refused(&server, "progress/set", &json!({"game_id": id}), "Unknown progress value.");
    for stars in 0..=5 {
        let reply = post(&server, "rating/set", &json!({"id": 0, "user_rating": stars}));
        assert_eq!(reply, json!({"ok": true, "game_id": id, "user_rating": stars}));
        assert_eq!(game(&server)["user_rating"], stars);
    }
    for value in [
        json!(-1),
        json!(6),
        json!(u64::MAX),
        json!(2.5),
        json!(3.0),
        json!("3"),
        json!(""),
        json!(true),
        json!(null),
        json!([3]),
    ] {
        let body = json!({"game_id": id, "user_rating": value});
        let text = "User rating must be an integer from 0 to 5.";
        refused(&server, "rating/set", &body, text);
    }
    let text = "User rating must be an integer from 0 to 5.";
    refused(&server, "rating/set", &json!({"game_id": id}), text);
    assert_eq!(game(&server)["rating"], "", "the rating of the metadata is another one");
    assert_eq!(game(&server)["user_rating"], 5);
}

#[test]
fn every_route_refuses_a_game_that_is_not_there() {
    let server = Server::start();
    create(&server, "a");
    let cases = [
        ("progress/set", json!({"progress": ""})),
        ("rating/set", json!({"user_rating": 1})),
        ("notes/add", json!({"text": "x"})),
        ("notes/update", json!({"index": 0, "text": "x"})),
        ("notes/delete", json!({"index": 0})),
        ("playtime/log", json!({"seconds": 1})),
        ("playtime/update", json!({"index": 0, "seconds": 1})),
        ("playtime/delete", json!({"index": 0})),
    ];
    for (route, mut body) in cases {
        refused(&server, route, &body, "Game id is required.");
        body["id"] = json!(7);
        refused(&server, route, &body, "Game not found");
        body["game_id"] = json!("game-gone");
        body["id"] = json!(0);
        refused(&server, route, &body, "Game not found");
    }
}

#[test]
fn notes_are_added_changed_and_removed() {
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "game-aaaaaaaaaaaaaaaaaaaaaaaa", "name": "a", "path": "/a", "notes": "old text"},
    ]});
    let server = Setup::new().library(&library.to_string()).start();
    let id = game(&server)["game_id"].clone();
    let reply = post(&server, "notes/add", &json!({"game_id": id, "text": "  first "}));
    assert_eq!(reply, json!({"ok": true, "game_id": id}));
    let notes = game(&server)["notes"].clone();
    assert_eq!((&notes[0]["text"], &notes[1]["text"]), (&json!("old text"), &json!("first")));
    let changed = json!({"game_id": id, "index": 1, "text": "ä".repeat(2_000)});
    post(&server, "notes/update", &changed);
    let after = game(&server)["notes"].clone();
    assert_eq!((&after[1]["ts"], &after[1]["text"]), (&notes[1]["ts"], &changed["text"]));
    for (body, message) in [
        (json!({}), "text is required."),
        (json!({"text": " \n"}), "text is required."),
        (json!({"text": 5}), "text is required."),
        (json!({"text": "ä".repeat(2_001)}), "text must be at most 2000 characters."),
    ] {
        for route in ["notes/add", "notes/update"] {
            let mut body = body.clone();
            body["game_id"] = id.clone();
            body["index"] = json!(0);
            refused(&server, route, &body, message);
        }
    }
    for route in ["notes/update", "notes/delete"] {
        let with = |index: Value| json!({"game_id": id, "text": "x", "index": index});
        for index in [json!("0"), json!(0.5), json!(1.0), json!(null), json!(true), json!([0])] {
            refused(&server, route, &with(index), "index must be an integer.");
        }
        refused(&server, route, &json!({"game_id": id, "text": "x"}), "index must be an integer.");
        for index in [json!(-1), json!(2), json!(i64::MIN), json!(u64::MAX)] {
            refused(&server, route, &with(index), "Unknown note entry.");
        }
    }
    assert_eq!(game(&server)["notes"], after);
    post(&server, "notes/delete", &json!({"game_id": id, "index": 0}));
    assert_eq!(game(&server)["notes"], json!([after[1]]));
}

#[test]
fn playtime_is_logged_by_hand() {
    let server = Server::start();
    let id = create(&server, "a");
    let body =
        json!({"game_id": id, "seconds": 86_400, "date": "2026-02-28", "note": "n".repeat(200)});
    let entry = json!({"seconds": 86_400, "date": "2026-02-28", "note": body["note"]});
    let reply = post(&server, "playtime/log", &body);
    assert_eq!(reply, json!({"ok": true, "game_id": id, "entry": entry}));
    let reply = post(&server, "playtime/log", &json!({"game_id": id, "seconds": 1}));
    assert!(reply["entry"]["date"].as_str().is_some_and(|date| date.len() == 10));
    assert_eq!(game(&server)["manual_playtime_seconds"], 86_401);
    assert_eq!(game(&server)["total_playtime_seconds"], 86_401);
    let reply = post(&server, "playtime/update", &json!({"id": 0, "index": 0, "seconds": 9}));
    assert_eq!(reply["entry"], json!({"seconds": 9, "date": "2026-02-28", "note": body["note"]}));
    assert_eq!(game(&server)["manual_playtime_seconds"], 10);
    for (mut body, message) in [
        (json!({}), "seconds must be an integer."),
        (json!({"seconds": "5"}), "seconds must be an integer."),
        (json!({"seconds": 1.5}), "seconds must be an integer."),
        (json!({"seconds": true}), "seconds must be an integer."),
        (json!({"seconds": 0}), "seconds must be between 1 and 86400."),
        (json!({"seconds": 86_401}), "seconds must be between 1 and 86400."),
        (json!({"seconds": -1}), "seconds must be between 1 and 86400."),
        (json!({"seconds": u64::MAX}), "seconds must be between 1 and 86400."),
        (json!({"seconds": null}), "seconds must be an integer."),
        (json!({"seconds": 60.0}), "seconds must be an integer."),
        (json!({"seconds": 1, "date": "2026-2-8"}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "date": "2026-13-01"}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "date": "2026-02-28T10:00:00"}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "date": "2026-02-30"}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "date": "0000-01-01"}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "date": "today"}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "date": 5}), "date must be YYYY-MM-DD."),
        (json!({"seconds": 1, "note": "n".repeat(201)}), "note must be at most 200 characters."),
        (json!({"seconds": 1, "note": []}), "note must be text."),
    ] {
        body["game_id"] = json!(id);
        body["index"] = json!(0);
        refused(&server, "playtime/log", &body, message);
        refused(&server, "playtime/update", &body, message);
    }
    for route in ["playtime/update", "playtime/delete"] {
        let with = |index: Value| json!({"game_id": id, "seconds": 1, "index": index});
        for index in [json!("0"), json!(0.5), json!(1.0), json!(null), json!(true), json!([0])] {
            refused(&server, route, &with(index), "index must be an integer.");
        }
        let without = json!({"game_id": id, "seconds": 1});
        refused(&server, route, &without, "index must be an integer.");
        for index in [json!(-1), json!(2), json!(i64::MIN), json!(u64::MAX)] {
            refused(&server, route, &with(index), "Unknown playtime entry.");
        }
    }
    assert_eq!(game(&server)["manual_playtime_seconds"], 10, "nothing of it was stored");
    let reply = post(&server, "playtime/delete", &json!({"game_id": id, "index": 0}));
    assert_eq!(reply, json!({"ok": true, "game_id": id}));
    assert_eq!(game(&server)["manual_playtime_seconds"], 1);
}

#[test]
fn what_an_entry_leaves_out_is_kept_and_what_is_blank_is_cleared() {
    let server = Server::start();
    let id = create(&server, "a");
    let first = json!({"game_id": id, "seconds": 60, "date": "2024-02-29", "note": " n "});
    let kept = json!({"seconds": 60, "date": "2024-02-29", "note": "n"});
    assert_eq!(post(&server, "playtime/log", &first)["entry"], kept);
    for (change, expected) in [
        (json!({}), json!({"date": "2024-02-29", "note": "n"})),
        (json!({"date": null, "note": null}), json!({"date": "2024-02-29", "note": "n"})),
        (json!({"date": "2025-12-31"}), json!({"date": "2025-12-31", "note": "n"})),
        (json!({"note": "m".repeat(200)}), json!({"date": "2025-12-31", "note": "m".repeat(200)})),
        (json!({"date": "", "note": ""}), json!({"date": "2025-12-31", "note": ""})),
    ] {
        let (mut body, mut entry) = (change.clone(), expected);
        for (key, value) in [("game_id", json!(id)), ("index", json!(0)), ("seconds", json!(61))] {
            body[key] = value;
        }
        entry["seconds"] = json!(61);
        let reply = post(&server, "playtime/update", &body);
        assert_eq!(reply, json!({"ok": true, "game_id": id, "entry": entry}), "{change}");
        assert_eq!(game(&server)["manual_sessions"], json!([entry]), "{change}");
    }
    assert_eq!(game(&server)["manual_playtime_seconds"], 61);
    assert_eq!(game(&server)["playtime_seconds"], 0, "tracked playtime is another number");
}

#[test]
fn a_plain_text_note_is_the_first_entry_of_the_list() {
    let stored = |number: usize| {
        json!({"game_id": format!("game-{number:024}"), "name": "a", "path": format!("/{number}"),
            "notes": " old text "})
    };
    let games: Vec<Value> = (0..3).map(stored).collect();
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let server = Setup::new().library(&library).start();
    let texts = |at: usize| -> Vec<Value> {
        let notes = server.get("/api/library")["games"][at]["notes"].clone();
        let notes = notes.as_array().expect("a list").iter();
        notes.map(|note| note["text"].clone()).collect()
    };
    post(&server, "notes/update", &json!({"id": 0, "index": 0, "text": "new text"}));
    assert_eq!(texts(0), ["new text"]);
    post(&server, "notes/delete", &json!({"id": 1, "index": 0}));
    assert!(texts(1).is_empty());
    let out_of_range = json!({"id": 2, "index": 1, "text": "x"});
    refused(&server, "notes/update", &out_of_range, "Unknown note entry.");
    post(&server, "notes/add", &json!({"id": 2, "text": "ä".repeat(2_000)}));
    assert_eq!(texts(2), [json!("old text"), json!("ä".repeat(2_000))]);
}
