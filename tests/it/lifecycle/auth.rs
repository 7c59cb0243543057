//! The session token: every route but the public assets, in the order of checks.

use serde_json::json;

use super::{PROTECTED, assert_error, unauthorized};
use crate::{
    routes::{Operation, openapi},
    support::{
        client::{Client, Request},
        server::Server,
    },
};

/// Every route that needs no token. A new public route has to be added here by hand.
const PUBLIC: [&str; 4] = ["/", "/index.html", "/favicon.ico", "/locales/{locale}.json"];

fn request(operation: &Operation) -> Request {
    match operation.method.as_str() {
        "POST" => Request::post(&operation.path, &json!({})),
        method => Request::new(method, &operation.path),
    }
}

/// Ten failures lock an address out; a correct token opens it again.
fn forgive(client: &mut Client) {
    client.get(PROTECTED);
}

#[test]
fn every_route_but_the_public_ones_wants_the_token() {
    let server = Server::start();
    let mut client = server.client();
    let operations = openapi(&server);
    let protected: Vec<_> =
        operations.iter().filter(|operation| !PUBLIC.contains(&operation.path.as_str())).collect();
    assert!(protected.len() > 20, "{} protected routes", protected.len());
    for operation in protected {
        let reply = client.send(&request(operation).without_token());
        assert_eq!((reply.status, reply.json()), (403, unauthorized()), "{operation:?}, no token");
        let reply = client.send(&request(operation).header("X-Service-Token", "wrong"));
        assert_eq!((reply.status, reply.json()), (403, unauthorized()), "{operation:?}, wrong one");
        forgive(&mut client);
    }
}

#[test]
fn the_token_goes_in_the_header_or_the_query() {
    let server = Server::start();
    let token = server.token();
    let ask = |target: String| server.send(&Request::get(&target).without_token()).status;
    assert_eq!(ask(format!("{PROTECTED}?token={token}")), 200);
    assert_eq!(ask(format!("{PROTECTED}?other=0&token={token}")), 200);
    assert_eq!(ask(format!("{PROTECTED}?token={}", &token[1..])), 403);
    assert_eq!(ask(format!("{PROTECTED}?token=")), 403);
    let both = Request::get(&format!("{PROTECTED}?token={token}")).header("X-Service-Token", "no");
    assert_eq!(server.send(&both).status, 403, "the header is preferred");
}

#[test]
fn an_unknown_route_is_unknown_before_the_token_is_looked_at() {
    let server = Server::start();
    for request in [
        Request::get("/api/no-such-route"),
        Request::get("/api/v1/no-such-route"),
        Request::get("/no/such/asset"),
        Request::post("/api/no-such-route", &json!({})),
        Request::post("/api/library", &json!({})),
        Request::get("/api/favorite"),
    ] {
        let reply = server.send(&request.without_token());
        assert_error(reply, 404, "Not found", "ROUTE_NOT_FOUND");
    }
}

#[test]
fn ten_failures_lock_out_and_a_correct_token_forgives() {
    let server = Server::start();
    let mut client = server.client();
    let wrong = Request::get(PROTECTED).header("X-Service-Token", "wrong");
    for attempt in 0..10 {
        assert_eq!(client.send(&wrong).status, 403, "attempt {attempt}");
    }
    let reply = client.send(&wrong).expect(429);
    assert_eq!(reply.header("Retry-After"), Some("60"));
    let body = reply.json();
    let message = "Too many authentication failures. Try again later.";
    assert_eq!(body["error"], message);
    assert_eq!((&body["code"], &body["retry_after"]), (&json!("RATE_LIMITED"), &json!(60)));
    let nameless = client.send(&Request::get("/api/no-such-route").without_token());
    assert_eq!(nameless.status, 404, "an unknown route is no failure");
    forgive(&mut client);
    for attempt in 0..10 {
        assert_eq!(client.send(&wrong).status, 403, "attempt {attempt} after forgiveness");
    }
    assert_eq!(client.send(&wrong).status, 429);
}

#[test]
fn the_token_is_new_at_every_start_and_owner_only() {
    let mut server = Server::start();
    let first = server.token().to_owned();
    assert!(first.len() >= 32, "a token of {} characters", first.len());
    for name in ["data/server.token", "data/server.port"] {
        assert_eq!(server.scratch().mode(name), 0o600, "{name}");
    }
    server.stop();
    server.restart();
    assert_ne!(server.token(), first);
}
