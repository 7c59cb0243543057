//! `GET` and `POST /api/notifications`.

use serde_json::json;

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

fn server() -> Server {
    let notices: Vec<_> = (0..3)
        .map(|number| {
            json!({
                "id": format!("nt-{number}"), "kind": "system", "level": "error",
                "title": number.to_string(), "body": "", "created_at": "2026-01-01T00:00:00+00:00",
                "read": false, "future": number,
            })
        })
        .collect();
    let library = json!({"schema_version": 6, "games": [], "notifications": notices});
    Setup::new().library(&library.to_string()).start()
}

#[test]
fn notices_are_listed_read_and_cleared() {
    let server = server();
    let listed = server.get("/api/notifications");
    assert_eq!(listed["unread"], 3);
    assert_eq!(listed["notifications"][0]["future"], 0);
    let read = json!({"action": "read", "ids": ["nt-1"]});
    assert_eq!(server.post("/api/notifications", &read)["unread"], 2);
    let cleared =
        server.post("/api/v1/notifications", &json!({"action": "clear", "ids": ["nt-0"]}));
    assert_eq!(cleared["notifications"].as_array().map(Vec::len), Some(2));
    assert_eq!(server.post("/api/notifications", &json!({"action": "read"}))["unread"], 0);
    assert_eq!(server.post("/api/notifications", &json!({}))["unread"], 0);
    let cleared = server.post("/api/notifications", &json!({"action": "clear", "ids": []}));
    assert_eq!(cleared, json!({"notifications": [], "unread": 0}));
}

#[test]
fn a_bad_notice_request_changes_nothing() {
    let server = server();
    let unknown = "Unknown notification action.";
    for (body, message) in [
        (json!({"action": "shout"}), unknown),
        (json!({"action": ""}), unknown),
        (json!({"action": 1}), unknown),
        (json!({"action": "clear", "ids": "nt-0"}), "ids must be a list."),
        (json!({"action": "read", "ids": {}}), "ids must be a list."),
    ] {
        let reply = server.send(&Request::post("/api/notifications", &body)).expect(400).json();
        assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
    }
    let unknown = json!({"action": "clear", "ids": ["nt-9"]});
    for body in [unknown, json!({"action": null}), json!({"action": "list", "ids": ["nt-0"]})] {
        let reply = server.post("/api/notifications", &body);
        assert_eq!(reply["unread"], 3);
        assert_eq!(reply["notifications"].as_array().map(Vec::len), Some(3));
    }
}
