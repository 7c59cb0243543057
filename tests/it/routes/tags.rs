//! `GET` and `POST /api/tags`.

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server};

use super::game::create;

#[track_caller]
fn refused(server: &Server, body: &Value, message: &str) {
    let reply = server.send(&Request::post("/api/tags", body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

#[test]
fn tags_are_replaced_adjusted_and_counted() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    let change = json!({"ids": [ids[0], 1], "tags": [" Co-op ", "co-OP", "Short"]});
    let reply = server.post("/api/tags", &change);
    assert_eq!(reply["updated"], 2);
    let counts = json!([{"tag": "Co-op", "count": 2}, {"tag": "Short", "count": 2}]);
    assert_eq!(reply["tags"], counts);
    let change = json!({"ids": [ids[2]], "tags_add": ["short", "New"]});
    server.post("/api/v1/tags", &change);
    server.post("/api/tags", &json!({"ids": ["0"], "tags_remove": ["SHORT"]}));
    let counts = json!([
        {"tag": "Co-op", "count": 2}, {"tag": "Short", "count": 2}, {"tag": "New", "count": 1},
    ]);
    assert_eq!(server.get("/api/v1/tags"), json!({"tags": counts}));
    server.post("/api/game", &json!({"game_id": ids[2], "game": {"name": "c", "hidden": true}}));
    assert_eq!(server.get("/api/tags")["tags"].as_array().map(Vec::len), Some(2));
}

#[test]
fn tags_are_stored_in_one_spelling() {
    let server = Server::start();
    let id = create(&server, "a");
    let edge = "é".repeat(64);
    let cases = [
        (json!({"tags": [" a \t b ", "A  B", "", "  "]}), json!(["a b"])),
        (json!({"tags_add": ["A b", "c"]}), json!(["a b", "c"])),
        (json!({"tags_remove": [" A  B "]}), json!(["c"])),
        (json!({"tags_add": ["d"], "tags_remove": ["C"]}), json!(["d"])),
        (json!({"tags_add": [], "tags_remove": []}), json!(["d"])),
        (json!({"tags_add": [" "]}), json!(["d"])),
        (json!({"tags": [edge]}), json!([edge])),
        (json!({"tags": []}), json!([])),
    ];
    for (change, expected) in cases {
        let mut body = change.clone();
        body["ids"] = json!([id, 0, "0"]);
        let reply = server.post("/api/tags", &body);
        assert_eq!(reply["updated"], 1, "{change}");
        assert_eq!(server.get("/api/library")["games"][0]["tags"], expected, "{change}");
        let counted = expected.as_array().expect("a list").iter();
        let counted: Vec<Value> = counted.map(|tag| json!({"tag": tag, "count": 1})).collect();
        assert_eq!(reply["tags"], json!(counted), "{change}");
    }
}

#[test]
fn a_bad_tag_change_changes_nothing() {
    let server = Server::start();
    let id = create(&server, "a");
    let with = |key: &str, value: Value| json!({"ids": [id], key: value});
    refused(&server, &json!({"ids": [id]}), "No tag changes were supplied.");
    refused(&server, &json!({"ids": [id], "genre": "x"}), "No tag changes were supplied.");
    for key in ["tags", "tags_add", "tags_remove"] {
        for value in [json!("x"), json!(1), json!(null), json!({})] {
            refused(&server, &with(key, value), "Tags must be a list.");
        }
        refused(&server, &with(key, json!(["x", 1])), "Tags must be text.");
        let long = with(key, json!(["é".repeat(65)]));
        refused(&server, &long, "Tags are limited to 64 characters.");
        let none = json!({"ids": "x", key: ["x"]});
        refused(&server, &none, "Select at least one game.");
        let gone = json!({"ids": [1], key: ["x"]});
        refused(&server, &gone, "A selected game no longer exists.");
    }
    refused(
        &server,
        &json!({"ids": [id], "tags": [], "tags_remove": []}),
        "Tags cannot be replaced and adjusted in the same request.",
    );
    refused(&server, &json!({"tags": ["x"]}), "Select at least one game.");
    refused(&server, &json!({"ids": [], "tags": ["x"]}), "Select at least one game.");
    refused(&server, &with("tags", json!("x")), "Tags must be a list.");
    refused(&server, &with("tags", json!(["x".repeat(65)])), "Tags are limited to 64 characters.");
    refused(
        &server,
        &json!({"ids": [id], "tags": ["x"], "tags_add": ["y"]}),
        "Tags cannot be replaced and adjusted in the same request.",
    );
    refused(
        &server,
        &json!({"ids": [id], "tags_add": ["x"], "tags_remove": ["X"]}),
        "A tag cannot be added and removed in the same request.",
    );
    let gone = json!({"ids": [id, "game-gone"], "tags": ["x"]});
    refused(&server, &gone, "A selected game no longer exists.");
    assert_eq!(server.get("/api/tags"), json!({"tags": []}));
    let many: Vec<String> = (0..60).map(|number| format!("t{number}")).collect();
    server.post("/api/tags", &json!({"ids": [id], "tags": many}));
    assert_eq!(server.get("/api/tags")["tags"].as_array().map(Vec::len), Some(50));
}
