//! The body of a POST is read and judged before the route and the token are looked at.

use serde_json::json;

use super::{PROTECTED_POST, assert_error, unauthorized};
use crate::support::{
    client::{Reply, Request},
    server::Server,
};

const LIMIT: usize = 65_536;

/// A JSON object of exactly this many bytes.
fn object_of(bytes: usize) -> String {
    let shell = json!({"no_such_key": ""}).to_string();
    json!({"no_such_key": "x".repeat(bytes - shell.len())}).to_string()
}

fn post(server: &Server, target: &str, body: &str) -> Reply {
    server.send(&Request::new("POST", target).body(body))
}

#[test]
fn a_body_may_have_65536_bytes_and_not_one_more() {
    let server = Server::start();
    assert_eq!(object_of(LIMIT).len(), LIMIT);
    post(&server, PROTECTED_POST, &object_of(LIMIT)).expect(200);
    let reply = post(&server, PROTECTED_POST, &object_of(LIMIT + 1));
    assert_error(reply, 400, "Request is too large.", "BAD_REQUEST");
}

#[test]
fn a_body_that_ends_early_is_truncated() {
    let server = Server::start();
    // The second body is a whole object: its end is missing all the same.
    for (length, body) in [(5_000, "{\"theme\": "), (40, "{\"theme\": \"x\"}"), (1, "")] {
        let mut wire = server.wire();
        let head = format!(
            "POST /api/settings HTTP/1.1\r\nHost: {}\r\nX-Service-Token: {}\r\n\
             Content-Length: {length}\r\n\r\n",
            server.address(),
            server.token()
        );
        wire.send(head.as_bytes()).unwrap();
        wire.send(body.as_bytes()).unwrap();
        wire.finish().unwrap();
        assert_error(wire.reply(false).unwrap(), 400, "Request body was truncated.", "BAD_REQUEST");
    }
    assert_ne!(server.get("/api/settings")["theme"], "x", "nothing was saved");
}

#[test]
fn only_a_json_object_is_a_body() {
    let server = Server::start();
    for body in ["[]", "null", "\"text\"", "1", "true", "{", "{\"a\": 1,}", "{}{}", "\u{feff}{}"] {
        let body = post(&server, PROTECTED_POST, body).expect(400).json();
        assert!(body["error"].as_str().is_some_and(|error| !error.is_empty()), "{body}");
        assert_eq!(body["code"], "BAD_REQUEST", "{body}");
    }
    let bytes = Request::new("POST", PROTECTED_POST).body(b"{\"no_such_key\": \"\xff\"}".to_vec());
    server.send(&bytes).expect(400);
}

#[test]
fn the_order_is_body_then_route_then_token() {
    let server = Server::start();
    let large = object_of(LIMIT + 1);
    for target in ["/api/no-such-route", PROTECTED_POST] {
        for (body, message) in [(large.as_str(), "Request is too large."), ("[]", "")] {
            let reply = server.send(&Request::new("POST", target).body(body).without_token());
            let body = reply.expect(400).json();
            assert!(message.is_empty() || body["error"] == message, "{target}: {body}");
        }
    }
    let nowhere = Request::post("/api/no-such-route", &json!({})).without_token();
    assert_error(server.send(&nowhere), 404, "Not found", "ROUTE_NOT_FOUND");
    let stranger = Request::post(PROTECTED_POST, &json!({})).without_token();
    assert_eq!(server.send(&stranger).expect(403).json(), unauthorized());
}

#[test]
fn a_refused_body_leaves_the_connection_in_step_or_closes_it() {
    let server = Server::start();
    let mut client = server.client();
    for _ in 0..3 {
        let refused = client.send(&Request::new("POST", PROTECTED_POST).body(object_of(LIMIT * 2)));
        refused.expect(400);
        client.get(super::PROTECTED);
    }
}

#[test]
fn a_value_of_the_wrong_kind_does_not_stand_for_everything() {
    let server = Server::start();
    for (path, key) in [
        ("/api/media/cleanup", "platform"),
        ("/api/media/bulk", "platform"),
        ("/api/metadata/match", "platform"),
        ("/api/v2/metadata/fill", "platform"),
        ("/api/v2/artgrid/hygiene/undo", "batch_id"),
        ("/api/save-tools/primary", "action"),
        ("/api/save-tools/primary", "path"),
        ("/api/save-tools/secondary", "name"),
        ("/api/themes/select", "platform"),
        ("/api/image-group", "scope"),
    ] {
        for value in [json!(5), json!(false), json!(["x"]), json!({})] {
            let mut body = json!({"name": "x", "group": "cover"});
            body[key] = value;
            let reply = server.send(&Request::post(path, &body)).expect(400).json();
            assert_eq!(reply["error"], format!("{key} must be text."), "{path} {body}");
        }
    }
}
