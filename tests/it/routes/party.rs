//! `/api/v2/party/...`.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const QUEUE: &str = "/api/v2/party/queue";
const NEXT: &str = "/api/v2/party/next";

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    let expected = (&json!(message), &json!("BAD_REQUEST"));
    assert_eq!((&reply["error"], &reply["code"]), expected, "{body}");
}

/// Games of which three suit two players, one of them four.
fn server() -> Server {
    let setup = Setup::new();
    let file = setup.scratch().path("game.nes");
    fs::write(&file, b"x").expect("written");
    let game = |id: &str, more: Value| {
        let mut game = json!({"game_id": id, "name": id.to_uppercase(), "path": file, "platform": "NES",
            "max_players": 2});
        game.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        game
    };
    let library = json!({"schema_version": 6, "games": [
        game("game-a", json!({"rating": 2})),
        game("game-b", json!({"rating": 4.5, "max_players": "4"})),
        game("game-c", json!({"platform": "Windows", "controller_support": "full", "rating": 1,
            "playtime_seconds": 7_201, "play_count": 2})),
        game("game-d", json!({"hidden": true})),
        game("game-e", json!({"path": "/no/such/file"})),
        game("game-f", json!({"platform": "Windows"})),
        game("game-g", json!({"max_players": 1})),
    ]});
    setup.library(&library.to_string()).start()
}

#[test]
fn a_queue_is_kept_and_its_games_take_turns() {
    let mut server = server();
    assert_eq!(server.get(QUEUE), json!({"queue": [], "index": 0}));
    refused(&server, NEXT, &json!({}), "party queue is empty — build one first");
    let built = server.post(QUEUE, &json!({}));
    let excluded = json!({"total": 7, "hidden": 1, "unusable_path": 1, "too_few_players": 1,
        "no_controller_or_platform": 1, "over_budget": 0});
    let queue = json!(["game-b", "game-a", "game-c"]);
    let expected = json!({"queue": queue, "count": 3, "empty_reason": null, "excluded": excluded});
    assert_eq!(built, expected);
    assert_eq!(
        server.post(NEXT, &json!({})),
        json!({"game_id": "game-a", "name": "GAME-A", "index": 1})
    );
    server.stop();
    server.restart();
    assert_eq!(server.get(QUEUE), json!({"queue": queue, "index": 1}));
    server.post(NEXT, &json!({}));
    server.post("/api/game/delete", &json!({"game_id": "game-b"}));
    assert_eq!(
        server.post(NEXT, &json!({})),
        json!({"game_id": "game-b", "name": "game-b", "index": 0})
    );
    let settings = server.get("/api/settings");
    assert_eq!((&settings["party_players"], &settings["party_index"]), (&json!(2), &json!(0)));
}

#[test]
fn players_and_minutes_leave_games_out() {
    let server = server();
    let built = server.post(QUEUE, &json!({"players": 2, "minutes": 20}));
    assert_eq!(
        (&built["queue"], &built["excluded"]["over_budget"]),
        (&json!(["game-b", "game-a"]), &json!(1))
    );
    let built = server.post(QUEUE, &json!({"players": 4}));
    assert_eq!(built["queue"], json!(["game-b"]));
    let built = server.post(QUEUE, &json!({"players": 8}));
    assert_eq!((&built["queue"], &built["count"]), (&json!([]), &json!(0)));
    assert_eq!(built["empty_reason"], "Most games are not for 8 players.");
    assert_eq!(server.get(QUEUE), json!({"queue": [], "index": 0}));
    assert_eq!(server.get("/api/settings")["party_players"], 8);
}

#[test]
fn numbers_are_whole_and_within_bounds() {
    let server = server();
    for (body, message) in [
        (json!({"players": "2"}), "players must be an integer"),
        (json!({"players": 2.5}), "players must be an integer"),
        (json!({"players": true}), "players must be an integer"),
        (json!({"players": null}), "players must be an integer"),
        (json!({"players": 1}), "players must be between 2 and 8"),
        (json!({"players": 9}), "players must be between 2 and 8"),
        (json!({"players": u64::MAX}), "players must be between 2 and 8"),
        (json!({"minutes": "30"}), "minutes must be an integer"),
        (json!({"minutes": []}), "minutes must be an integer"),
        (json!({"minutes": null}), "minutes must be an integer"),
        (json!({"minutes": -1}), "minutes must be >= 0"),
    ] {
        refused(&server, QUEUE, &body, message);
    }
    let list = Request::post(QUEUE, &json!([]));
    assert_eq!(server.send(&list).expect(400).json()["code"], "BAD_REQUEST");
    assert_eq!(server.post(QUEUE, &json!({"players": 8, "minutes": u64::MAX}))["count"], 0);
}
