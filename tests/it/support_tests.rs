//! Tests of what the other tests stand on.

use std::{
    io::{Read, Write},
    net::{SocketAddr, TcpListener},
};

use serde_json::{Value, json};

use crate::support::{
    client::{Client, Request, encode},
    library::{game, game_id, library, rom},
    scratch::Scratch,
    shapes,
};

/// Answers one connection with `answer`; hands back what was asked.
fn serve(answer: &'static [u8]) -> (SocketAddr, std::thread::JoinHandle<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = vec![0; 4_096];
        let length = stream.read(&mut asked).unwrap();
        stream.write_all(answer).unwrap();
        String::from_utf8_lossy(&asked[..length]).into_owned()
    });
    (address, server)
}

#[test]
fn adds_host_token_and_length_unless_told_otherwise() {
    let (address, server) = serve(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}");
    let mut client = Client::new(address, "secret");
    let request =
        Request::post("/api/x", &json!({"a": 1})).header("host", "elsewhere").without_token();
    assert_eq!(client.send(&request).expect(200).json(), json!({}));
    let asked = server.join().unwrap();
    assert!(asked.starts_with("POST /api/x HTTP/1.1\r\nContent-Length: 7\r\n"), "{asked}");
    assert!(asked.contains("host: elsewhere\r\n") && !asked.contains("secret"), "{asked}");
    assert!(asked.ends_with("\r\n\r\n{\"a\":1}"), "{asked}");
}

#[test]
fn refuses_an_answer_without_a_length() {
    let (address, server) = serve(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n");
    assert!(Client::new(address, "").try_send(&Request::get("/")).is_err());
    server.join().unwrap();
}

#[test]
fn encodes_everything_that_is_not_plain() {
    assert_eq!(encode("a b/é&"), "a%20b%2F%C3%A9%26");
}

#[test]
fn games_have_the_promised_size_and_are_the_same_every_time() {
    for index in 0..2_000 {
        let size = game(index).to_string().len();
        assert!((800..=1_500).contains(&size), "game {index} has {size} bytes");
    }
    assert_eq!(game(7), game(7));
    assert!(!game(3)["name"].as_str().unwrap().is_empty());
}

#[test]
fn libraries_hold_as_many_games_as_asked() {
    let parsed: Value = serde_json::from_str(&library(300)).unwrap();
    assert_eq!(parsed["games"].as_array().unwrap().len(), 300);
    assert_eq!(parsed["games"][299]["game_id"], game_id(299).as_str());
}

#[test]
fn rom_names_are_unique() {
    let names: std::collections::BTreeSet<_> = (0..3_000).map(rom).collect();
    assert_eq!(names.len(), 3_000);
}

#[test]
fn files_have_the_bytes_and_bits_asked_for_and_go_with_the_scratch() {
    let scratch = Scratch::new();
    let script = scratch.script("bin/game.sh", "exit 3");
    assert_eq!(scratch.read("bin/game.sh"), b"#!/bin/sh\nexit 3\n");
    assert_eq!(scratch.mode("bin/game.sh"), 0o755);
    assert!(scratch.folder("roms/nes").is_dir());
    drop(scratch);
    assert!(!script.exists());
}

#[test]
fn an_answer_of_another_shape_differs() {
    let schema = json!({
        "type": "object",
        "required": ["id", "names"],
        "properties": {
            "id": {"type": "integer"},
            "names": {"type": "array", "items": {"type": "string"}},
            "size": {"anyOf": [{"type": "number"}, {"const": ""}]},
            "kind": {"type": "string", "enum": ["a", "b"]},
        },
    });
    for good in [json!({"id": 1, "names": []}), json!({"id": 1, "names": ["x"], "size": ""})] {
        assert_eq!(shapes::differs(&schema, &good, "answer"), None);
    }
    for (bad, why) in [
        (json!([]), "answer is no object: []"),
        (json!({"id": 1}), "answer lacks names"),
        (json!({"id": 1.5, "names": []}), "answer.id is no integer: 1.5"),
        (json!({"id": 1, "names": [2]}), "answer.names[0] is no string: 2"),
        (json!({"id": 1, "names": [], "x": 1}), "answer has the undeclared key x"),
        (json!({"id": 1, "names": [], "kind": "c"}), "answer.kind is no [\"a\",\"b\"]: \"c\""),
    ] {
        assert_eq!(shapes::differs(&schema, &bad, "answer").as_deref(), Some(why));
    }
}
