//! `/api/v2/library/query/parse` and `/api/v2/collections`.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

/// A library of three games; the last one is hidden.
fn library() -> Server {
    let games = json!([
        {"game_id": id(1), "name": "Alpha", "platform": "Super NES",
            "genre": "RPG", "progress": "Beaten", "year": "1994", "play_count": 3},
        {"game_id": id(2), "name": "Beta", "platform": "NES",
            "genre": "Puzzle", "time_to_beat_hours": 3},
        {"game_id": id(3), "name": "Gamma", "platform": "NES",
            "genre": "Role-Playing", "hidden": true},
    ]);
    Setup::new().library(&json!({"schema_version": 6, "games": games}).to_string()).start()
}

fn id(number: usize) -> String {
    format!("game-{number:024}")
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, message: &str, code: &str) {
    let reply = server.send(&Request::post(path, body)).expect(status).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!(code)), "{path} {body}");
}

#[test]
fn a_phrase_becomes_rules_and_clauses() {
    let server = library();
    let parse = |query: &str| server.post("/api/v2/library/query/parse", &json!({"query": query}));
    let answer = parse(" unplayed  RPG on nes, please ");
    let expected = json!({
        "ok": true,
        "text": "unplayed RPG on nes, please",
        "parsed": true,
        "complete": false,
        "rules": {},
        "clauses": [
            {"kind": "unplayed"},
            {"kind": "genre_any", "values": ["rpg", "role-playing", "role playing"]},
            {"kind": "platform_any", "values": ["nes"]},
        ],
        "unparsed": [],
        "hint": "",
        "match_count": 1,
        "matched_game_ids": [id(3)],
    });
    for (key, value) in expected.as_object().expect("an object") {
        assert_eq!(&answer[key], value, "{key}");
    }
    assert_eq!(answer["chips"].as_array().map(Vec::len), Some(3));
    assert!(answer.get("plain_query").is_none());
    for (query, rules, complete, games) in [
        ("beaten", json!({"progress": "Beaten"}), true, vec![1]),
        ("platform:\"super nes\"", json!({"platform": "Super NES"}), true, vec![1]),
        ("hidden", json!({"hidden": true}), true, vec![3]),
        ("puzzle beta", json!({"genre": "puzzl", "query": "beta"}), true, vec![2]),
        ("1990s", json!({}), false, vec![1]),
        ("zeta", json!({"query": "zeta"}), true, vec![]),
        ("", json!({}), true, vec![]),
    ] {
        let answer = parse(query);
        let ids: Vec<String> = games.into_iter().map(id).collect();
        assert_eq!(
            (&answer["rules"], &answer["complete"], &answer["matched_game_ids"]),
            (&rules, &json!(complete), &json!(ids)),
            "{query}"
        );
        assert_eq!(answer["match_count"], ids.len());
    }
    let plain = parse("the alpha");
    assert_eq!((&plain["plain_query"], &plain["parsed"]), (&json!("the alpha"), &json!(false)));
    assert_eq!((&plain["match_count"], &plain["unparsed"]), (&json!(0), &json!(["alpha"])));
}

#[test]
fn phrases_have_bounds() {
    let server = library();
    let path = "/api/v2/library/query/parse";
    let message = "query must be a string.";
    for query in [json!(null), json!(1), json!(["x"]), json!({})] {
        refused(&server, path, &json!({"query": query}), 400, message, "BAD_REQUEST");
    }
    refused(&server, path, &json!({}), 400, message, "BAD_REQUEST");
    let of = |length: usize| json!({"query": "ä".repeat(length)});
    assert_eq!(server.post(path, &of(2_000))["match_count"], 0);
    refused(&server, path, &of(2_001), 400, "query is too long.", "BAD_REQUEST");
}

#[test]
fn collections_are_evaluated_at_every_look() {
    let server = library();
    let path = "/api/v2/collections";
    assert_eq!(server.get(path), json!({"items": []}));
    for (name, query) in [("  Mine ", " unplayed \n rpg "), ("Other", "zeta"), ("Words", "the")] {
        let saved = server.post(path, &json!({"name": name, "query": query}));
        assert_eq!(saved, json!({"ok": true, "saved": name.trim()}));
    }
    let items = json!({"items": [
        {"name": "Mine", "query": "unplayed rpg", "count": 1},
        {"name": "Other", "query": "zeta", "count": 0},
        {"name": "Words", "query": "the", "count": 0},
    ]});
    assert_eq!(server.get(path), items);
    let entry = json!({"game": {"name": "Zeta", "genre": "RPG"}});
    server.post("/api/v2/library/manual-entry", &entry);
    let items = server.get(path)["items"].clone();
    assert_eq!((&items[0]["count"], &items[1]["count"]), (&json!(2), &json!(1)));
    let stored = json!([
        {"name": "Mine", "query": "unplayed rpg"},
        {"name": "Other", "query": "zeta"},
        {"name": "Words", "query": "the"},
    ]);
    assert_eq!(server.get("/api/library")["smart_collections"], stored);
    server.post(path, &json!({"name": "Other", "query": "beaten"}));
    assert_eq!(server.get(path)["items"][1]["query"], "beaten");
    let taken = json!({"name": "Words", "query": "zeta", "former": "Mine"});
    let message = "A collection with this name exists already.";
    refused(&server, path, &taken, 400, message, "COLLECTION_INVALID");
    let gone = json!({"name": "New", "query": "zeta", "former": "Gone"});
    refused(&server, path, &gone, 404, "Collection not found.", "COLLECTION_NOT_FOUND");
    let renamed = json!({"name": "Ours", "query": "unplayed rpg", "former": "Mine"});
    assert_eq!(server.post(path, &renamed), json!({"ok": true, "saved": "Ours"}));
    assert_eq!(server.get(path)["items"][0]["name"], "Ours");
    server.post(path, &json!({"name": "Mine", "query": "unplayed rpg", "former": "Ours"}));
    let deleted = server.post("/api/v2/collections/delete", &json!({"name": "Mine"}));
    assert_eq!(deleted, json!({"ok": true, "deleted": "Mine"}));
    assert_eq!(server.get(path)["items"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(4));
    for name in [json!("Mine"), json!(""), json!(null), json!(1)] {
        let body = json!({"name": name});
        let path = "/api/v2/collections/delete";
        refused(&server, path, &body, 404, "Collection not found.", "COLLECTION_NOT_FOUND");
    }
}

#[test]
fn collections_have_bounds() {
    let server = library();
    let path = "/api/v2/collections";
    let text = |length: usize| "ä".repeat(length);
    let long_query = "Collection query must be at most 500 characters.";
    for (body, message) in [
        (json!({}), "Collection name is required."),
        (json!({"name": " ", "query": "x"}), "Collection name is required."),
        (json!({"name": 1, "query": "x"}), "Collection name is required."),
        (json!({"name": text(81), "query": "x"}), "Collection name must be at most 80 characters."),
        (json!({"name": "n"}), "Collection query is required."),
        (json!({"name": "n", "query": " "}), "Collection query is required."),
        (json!({"name": "n", "query": ["x"]}), "Collection query is required."),
        (json!({"name": "n", "query": text(501)}), long_query),
    ] {
        refused(&server, path, &body, 400, message, "COLLECTION_INVALID");
    }
    assert_eq!(server.get(path), json!({"items": []}));
    server.post(path, &json!({"name": text(80), "query": text(500)}));
    for number in 1..50 {
        server.post(path, &json!({"name": number.to_string(), "query": "x"}));
    }
    let one_more = json!({"name": "one more", "query": "x"});
    let message = "At most 50 smart collections can be saved.";
    refused(&server, path, &one_more, 400, message, "COLLECTION_INVALID");
    server.post(path, &json!({"name": "7", "query": "y"}));
    assert_eq!(server.get(path)["items"].as_array().map(Vec::len), Some(50));
}

#[test]
fn a_stored_phrase_that_is_no_text_takes_no_game() {
    let games = json!([{"game_id": id(1), "name": "A"}]);
    let rows = json!([{"name": "a", "query": 7}, {"name": "b"}, {"name": "c", "query": "..."}]);
    let library = json!({"schema_version": 6, "games": games, "smart_collections": rows});
    let server = Setup::new().library(&library.to_string()).start();
    let items = server.get("/api/v2/collections")["items"].clone();
    let counts = items.as_array().expect("a list").iter().map(|item| item["count"].clone());
    assert_eq!(counts.collect::<Vec<_>>(), [0, 0, 0]);
}

#[test]
fn a_phrase_chooses_the_games_of_a_bulk_change() {
    let server = library();
    for (path, body, updated) in [
        ("/api/games/bulk", json!({"query": "on nes", "changes": {"esrb": "T"}}), 3),
        ("/api/games/bulk-wizard", json!({"query": "unplayed", "changes": {"esrb": "M"}}), 2),
        ("/api/games/bulk", json!({"ids": [0], "query": "on nes", "changes": {"esrb": "E"}}), 1),
        ("/api/games/bulk", json!({"ids": null, "query": "alpha", "changes": {"esrb": "E"}}), 1),
    ] {
        assert_eq!(server.post(path, &body)["updated"], updated, "{body}");
    }
    let games = server.get("/api/library")["games"].clone();
    let ratings = games.as_array().expect("a list").iter().map(|game| game["esrb"].clone());
    assert_eq!(ratings.collect::<Vec<_>>(), ["E", "M", "M"]);
    for (query, message) in [
        (json!("zeta"), "Select at least one game."),
        (json!(""), "Select at least one game."),
        (json!(7), "query must be a string."),
        (json!("x".repeat(2_001)), "query is too long."),
    ] {
        let body = json!({"query": query, "changes": {"esrb": "T"}});
        refused(&server, "/api/games/bulk", &body, 400, message, "BAD_REQUEST");
    }
}
