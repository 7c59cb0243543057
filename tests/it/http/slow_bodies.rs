//! Many clients that send their requests a byte at a time: other clients do not notice them.

use std::io;

use super::{assert_serving, head};
use crate::support::{
    client::{Request, Wire},
    server::Server,
    wait::until,
};

/// More than the program serves at once.
const CROWD: usize = 520;

/// Clients that have sent the beginning of a request, and drip on while another client is served.
#[track_caller]
fn assert_harmless(server: &Server, beginning: &str) {
    let mut crowd: Vec<Wire> = (0..CROWD)
        .map(|_| {
            let mut wire = server.wire();
            // The first ones may be given up before the last ones are there.
            drop(wire.send(beginning.as_bytes()));
            wire
        })
        .collect();
    for _ in 0..10 {
        assert_serving(server);
        server.client().send(&Request::get("/api/queue")).expect(200);
        for wire in &mut crowd {
            drop(wire.send(b" "));
        }
    }
    until("few threads while all of them are still there", || {
        (server.status("Threads") < 250).then_some(())
    });
}

#[test]
fn bodies_of_strangers_lock_nobody_out() {
    let server = Server::start();
    let beginning =
        "POST /api/game HTTP/1.1\r\nHost: foreign.example\r\nContent-Length: 2000\r\n\r\n{";
    assert_harmless(&server, beginning);
}

#[test]
fn bodies_of_those_who_know_the_token_lock_nobody_out() {
    let server = Server::start();
    let head = head(&server, "POST /api/game");
    let token = format!("X-Service-Token: {}\r\n", server.token());
    assert_harmless(&server, &format!("{head}{token}Content-Length: 60000\r\n\r\n{{"));
}

#[test]
fn small_bodies_and_heads_lock_nobody_out() {
    let server = Server::start();
    let head = head(&server, "POST /api/game");
    assert_harmless(&server, &format!("{head}Content-Length: 1000\r\n\r\n{{"));
    assert_harmless(&server, &format!("{head}X-Long: "));
}

#[test]
fn the_next_client_at_an_address_is_not_taken_for_the_last_one() {
    let server = Server::start();
    let head = head(&server, "POST /api/game");
    let token = format!("X-Service-Token: {}\r\n", server.token());
    let body = format!("{head}{token}Content-Length: 60000\r\n\r\n{{");
    let get = format!("GET / HTTP/1.1\r\nHost: {}\r\n\r\n", server.address());
    let mut rounds = 0;
    while rounds < 100 {
        // Its worker reads on until it finds that the client is gone, and then ends the connection.
        let mut wire = server.wire();
        let port = wire.port().expect("a port");
        wire.send(body.as_bytes()).expect("sent");
        wire.reset().expect("reset");
        let mut wire = match Wire::connect_from(port, server.address()) {
            // Another program was faster.
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => continue,
            connected => connected.expect("the same port"),
        };
        wire.send(get.as_bytes()).expect("sent");
        let reply = wire.reply(false);
        assert!(reply.is_ok(), "no answer in round {rounds}: {reply:?}");
        reply.expect("checked above").expect(200);
        rounds += 1;
    }
}

#[test]
fn a_foreign_host_is_refused_without_its_body() {
    let server = Server::start();
    let mut wire = server.wire();
    let text = "POST /api/game HTTP/1.1\r\nHost: foreign.example\r\nContent-Length: 2000\r\n\r\n{";
    wire.send(text.as_bytes()).expect("sent");
    let reply = wire.reply(false).expect("an answer, before the socket timeout").expect(403);
    assert_eq!(reply.json()["code"], "BAD_HOST");
}
