//! What every answer carries: headers, framing, gzip, request ids, messages without paths.

use std::collections::BTreeSet;

use serde_json::json;

use super::{PROTECTED, assert_error};
use crate::support::{
    client::{Reply, Request},
    library::library,
    server::{Server, Setup},
};

/// Checks the headers of every JSON reply.
#[track_caller]
fn assert_json_headers(reply: &Reply) {
    for (name, value) in [
        ("Cache-Control", "no-store"),
        ("X-Content-Type-Options", "nosniff"),
        ("Referrer-Policy", "no-referrer"),
    ] {
        assert_eq!(reply.header(name), Some(value), "{name} in {:?}", reply.headers);
    }
    let kind = reply.header("Content-Type").unwrap_or_default();
    assert!(kind.starts_with("application/json"), "{kind}");
    let policy = reply.header("Content-Security-Policy").unwrap_or_default();
    for part in [
        "default-src 'self'",
        "img-src 'self' data:",
        "style-src 'self' 'unsafe-inline'",
        "script-src 'self'",
        "object-src 'none'",
        "base-uri 'none'",
    ] {
        assert!(policy.contains(part), "{part} in {policy}");
    }
}

#[test]
fn answers_and_errors_carry_the_same_headers() {
    let server = Server::start();
    assert_json_headers(&server.send(&Request::get(PROTECTED)).expect(200));
    assert_json_headers(&server.send(&Request::get("/api/no-such-route")).expect(404));
    assert_json_headers(&server.send(&Request::get(PROTECTED).without_token()).expect(403));
    let broken = Request::new("POST", "/api/game").body("[]");
    assert_json_headers(&server.send(&broken).expect(400));
}

#[test]
fn a_target_that_is_not_ascii_is_refused_in_words() {
    let server = Server::start();
    for target in ["/\u{e9}", "/api/library?q=\u{e9}", "/api/\u{7f}", "http://127.0.0.1/\u{e9}"] {
        let mut client = server.client();
        let refused = client.send(&Request::get(target));
        assert_error(refused, 400, "Request target is not valid.", "BAD_REQUEST");
        client.send(&Request::get(PROTECTED)).expect(200);
    }
}

#[test]
fn a_header_that_is_not_ascii_is_answered() {
    let server = Server::start();
    let mut client = server.client();
    for (name, value) in [("X-Odd", "\u{e9}"), ("User-Agent", "Zo\u{eb}"), ("X-\u{e9}", "x")] {
        client.send(&Request::get(PROTECTED).header(name, value)).expect(200);
    }
    let token = Request::get(PROTECTED).without_token().header("X-Service-Token", "\u{e9}");
    client.send(&token).expect(403);
}

#[test]
fn gzip_is_for_those_who_ask_and_answers_from_1024_bytes() {
    let server = Setup::new().library(&library(20)).start();
    let ask = |target: &str| Request::get(target).header("Accept-Encoding", "gzip");
    let packed = server.send(&ask("/api/settings")).expect(200);
    assert_eq!(packed.header("Content-Encoding"), Some("gzip"));
    let plain = server.send(&Request::get("/api/settings")).expect(200);
    assert_eq!(plain.header("Content-Encoding"), None);
    assert_eq!(packed.json(), plain.json());
    assert!(packed.wire.len() < plain.wire.len());
    let small = server.send(&ask(PROTECTED)).expect(200);
    assert!(small.wire.len() < 1_024 && small.header("Content-Encoding").is_none());
    let whole = server.send(&ask("/api/library")).expect(200);
    assert_eq!(whole.json()["games"].as_array().map(Vec::len), Some(20));
}

#[test]
fn request_ids_differ_and_name_one_answer_each() {
    let server = Server::start();
    let mut client = server.client();
    let ids: BTreeSet<_> = (0..20)
        .map(|_| client.send(&Request::get("/api/no-such-route")).json()["request_id"].to_string())
        .collect();
    assert_eq!(ids.len(), 20);
}

#[test]
fn a_head_request_has_the_head_of_the_get_and_no_body() {
    let server = Server::start();
    let mut client = server.client();
    let get = client.send(&Request::get("/index.html")).expect(200);
    let head = client.send(&Request::new("HEAD", "/index.html"));
    assert_eq!(head.status, 200);
    assert_eq!(head.header("Content-Length"), get.header("Content-Length"));
    client.get(PROTECTED);
}

#[test]
fn other_methods_are_refused_and_change_nothing() {
    let server = Server::start();
    for method in ["PUT", "DELETE", "PATCH", "OPTIONS"] {
        let reply = server.send(&Request::new(method, "/api/game"));
        assert!((400..500).contains(&reply.status), "{method}: {}", reply.status);
    }
}

#[test]
fn a_message_ends_before_an_absolute_path() {
    let server = Server::start();
    let missing = server.scratch().path("no-such-folder");
    let body = json!({"watch_folders": [missing]});
    let reply = server.send(&Request::post("/api/settings", &body));
    assert_error(reply, 400, "Watch folder does not exist:", "BAD_REQUEST");
}

#[test]
fn connections_are_kept_and_closed_on_request() {
    let server = Server::start();
    let mut wire = server.wire();
    let ask = |extra: &str| {
        format!(
            "GET {PROTECTED} HTTP/1.1\r\nHost: {}\r\nX-Service-Token: {}\r\n{extra}\r\n",
            server.address(),
            server.token()
        )
    };
    let pipelined = format!("{}{}{}", ask(""), ask(""), ask("Connection: close\r\n"));
    wire.send(pipelined.as_bytes()).unwrap();
    for _ in 0..3 {
        wire.reply(false).unwrap().expect(200);
    }
    assert!(wire.closed().unwrap());
}
