//! The known hazards of the HTTP library underneath, each against the running program, and all of
//! them in a row against one.

use std::{
    fs, io,
    time::{Duration, Instant},
};

use rustix::process::{Pid, Resource, Rlimit, prlimit};

use super::{PUBLIC, assert_serving, head};
use crate::support::{
    client::{Request, Wire},
    library::library,
    server::{Server, Setup},
    wait::{PATIENCE, until},
};

const TRUNCATED: &str = "Request body was truncated.";
const TOO_LARGE: &str = "Request is too large.";

/// A program that waits half a second for clients instead of thirty, with a library that does not
/// fit into socket buffers.
fn server() -> Server {
    let setup = Setup::new().library(&library(8_000));
    setup.env("SERVICE_SOCKET_TIMEOUT", "0.5").start()
}

/// Reads the answer to something that went wrong, and the end of the connection behind it.
#[track_caller]
fn refused(wire: &mut Wire, message: &str) {
    let reply = wire.reply(false).expect("an answer").expect(400);
    assert_eq!(reply.json()["error"], message);
    assert_eq!(reply.header("Connection"), Some("close"));
    assert!(wire.closed().expect("the end of the connection"));
}

fn stalled_heads_and_bodies(server: &Server) {
    let mut wires: Vec<(Wire, &str)> = Vec::new();
    for _ in 0..10 {
        for (text, message) in [
            (String::new(), ""),
            ("GET / HT".to_owned(), TRUNCATED),
            (head(server, "GET /"), TRUNCATED),
            (head(server, "POST /api/game") + "Content-Length: 100\r\n\r\n{", TRUNCATED),
            (head(server, "POST /api/game") + "Content-Length: 5000\r\n\r\n{", TRUNCATED),
        ] {
            let mut wire = server.wire();
            wire.send(text.as_bytes()).expect("sent");
            wires.push((wire, message));
        }
    }
    assert_serving(server);
    for (wire, message) in &mut wires {
        if message.is_empty() {
            assert!(wire.closed().expect("the end of the connection"));
        } else {
            refused(wire, message);
        }
    }
}

fn a_dripping_head(server: &Server) {
    let mut wire = server.wire();
    wire.send(head(server, "GET /").as_bytes()).expect("sent");
    let start = Instant::now();
    // A byte every few milliseconds is never silence, yet the head never ends.
    until("the end of a head that drips", || wire.send(b"x").err());
    assert!(start.elapsed() >= Duration::from_millis(900), "twice the timeout, not at once");
}

fn an_endless_header_line(server: &Server) {
    let mut wire = server.wire();
    wire.send((head(server, "GET /") + "X-Endless: ").as_bytes()).expect("sent");
    let chunk = vec![b'a'; 64 * 1024];
    let mut sent = 0_usize;
    while wire.send(&chunk).is_ok() {
        sent += chunk.len();
        assert!(sent < 4 << 30, "the program takes header bytes for ever");
    }
}

fn lies_about_the_length(server: &Server) {
    for length in ["65537", "1000000", "100000000", "1000000000000", "18446744073709551615"] {
        let mut wire = server.wire();
        let head = head(server, "POST /api/game") + "Expect: 100-continue\r\n";
        wire.send(format!("{head}Content-Length: {length}\r\n\r\n").as_bytes()).expect("sent");
        refused(&mut wire, TOO_LARGE);
    }
    let mut wire = server.wire();
    let head = head(server, "POST /api/game");
    wire.send(format!("{head}Content-Length: 1000000000000\r\n\r\n{{").as_bytes()).expect("sent");
    refused(&mut wire, TOO_LARGE);
}

fn newer_versions_of_http(server: &Server) {
    let descriptors =
        || fs::read_dir(format!("/proc/{}/fd", server.pid())).expect("its descriptors").count();
    let before = descriptors();
    let preface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let behind = head(server, "POST /no-such-route") + "Content-Length: 2\r\n\r\n{}";
    for number in 0..100 {
        let mut wire = server.wire();
        if number % 4 == 3 {
            wire.send(behind.as_bytes()).expect("sent");
            wire.reply(false).expect("an answer").expect(404);
        }
        let text = ["GET / HTTP/2.0\r\n\r\n", preface, "A /b HTTP/3.0\r\nC: d\r\n\r\n"][number % 3];
        if number % 2 == 0 {
            // It ends at the end of the line, which may be before the last piece is sent.
            let mut pieces = text.as_bytes().chunks(3);
            while pieces.next().is_some_and(|piece| wire.send(piece).is_ok()) {}
        } else {
            wire.send(text.as_bytes()).expect("sent");
            assert_eq!(wire.head().expect("an answer").status, 400);
        }
        wire.ended().expect("the connection ends");
    }
    until("descriptors as before", || (descriptors() <= before).then_some(()));
}

fn a_large_body_that_is_really_sent(server: &Server) {
    let mut wire = server.wire();
    let head = head(server, "POST /api/game");
    wire.send(format!("{head}Content-Length: 20000000\r\n\r\n").as_bytes()).expect("sent");
    wire.send(&vec![b' '; 20_000_000]).expect("all of it is taken");
    let reply = wire.reply(false).expect("an answer").expect(400);
    assert_eq!(reply.json()["error"], TOO_LARGE);
    wire.send((self::head(server, "GET /") + "\r\n").as_bytes()).expect("the connection lives");
    wire.reply(false).expect("an answer").expect(200);
}

fn bodies_without_a_known_end(server: &Server) {
    for framing in [
        "Transfer-Encoding: chunked",
        "Content-Length: +7",
        "Content-Length: 2\r\nContent-Length: 9",
    ] {
        let mut wire = server.wire();
        let smuggled = head(server, "GET /") + "\r\n";
        let head = head(server, "POST /api/game");
        let text = format!("{head}{framing}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n{smuggled}");
        wire.send(text.as_bytes()).expect("sent");
        wire.reply(false).expect("an answer").expect(400);
        assert!(wire.closed().expect("nothing but the end"), "{framing}");
    }
}

fn pipelining(server: &Server) {
    let mut wire = server.wire();
    let one = head(server, "GET /locales/en.json") + "\r\n";
    let other = head(server, "GET /no-such-file") + "\r\n";
    wire.send((one + &other).repeat(20).as_bytes()).expect("sent");
    for _ in 0..20 {
        wire.reply(false).expect("an answer").expect(200);
        wire.reply(false).expect("an answer").expect(404);
    }
}

fn endless_pipelining_without_reading(server: &Server) {
    let mut wire = server.wire();
    let request = head(server, "GET /api/library");
    let burst = format!("{request}X-Service-Token: {}\r\n\r\n", server.token()).repeat(100);
    let mut sent = 0_usize;
    while wire.send(burst.as_bytes()).is_ok() {
        sent += burst.len();
        assert!(sent < 1 << 30, "the program takes requests for ever");
    }
}

fn readers_that_do_not_read(server: &Server) {
    let request = head(server, "GET /api/library");
    let request = format!("{request}X-Service-Token: {}\r\n\r\n", server.token());
    let mut wires: Vec<Wire> = (0..20).map(|_| server.wire()).collect();
    for wire in &mut wires {
        wire.send(request.as_bytes()).expect("sent");
    }
    assert_serving(server);
    for wire in &mut wires {
        // The head fits into the buffers; the rest ends when the program has lost its patience.
        wire.head().expect("a head").expect(200);
        wire.ended().expect("the connection ends");
    }
}

fn many_idle_connections(server: &Server) {
    let mut wires: Vec<Wire> = (0..500).map(|_| server.wire()).collect();
    assert_serving(server);
    for wire in &mut wires {
        assert!(wire.closed().expect("the end of an idle connection"));
    }
}

fn no_descriptors_left(server: &Server) {
    let pid = Pid::from_raw(server.pid().cast_signed());
    let limits = fs::read_to_string(format!("/proc/{}/limits", server.pid())).expect("its limits");
    let files = limits.lines().find(|line| line.starts_with("Max open files")).expect("a limit");
    let maximum = files.split_whitespace().nth(4).expect("the hard limit").parse().ok();
    let low = Rlimit { current: Some(60), maximum };
    let before = prlimit(pid, Resource::Nofile, low).expect("a lower limit");
    let wires: Vec<io::Result<Wire>> = (0..120).map(|_| Wire::connect(server.address())).collect();
    // The idle ones are closed, and a new client gets an answer while the limit still holds.
    until("an answer with few descriptors", || {
        server.client().try_send(&Request::get(PUBLIC)).ok()
    });
    drop(wires);
    prlimit(pid, Resource::Nofile, before).expect("the limit as before");
    until("an answer afterwards", || server.client().try_send(&Request::get(PUBLIC)).ok());
}

fn connections_in_a_burst(server: &Server) {
    // More than there are idle threads, all at once: no client waits for another one to leave.
    let mut wires: Vec<Wire> = (0..30).map(|_| server.wire()).collect();
    let start = Instant::now();
    for wire in &mut wires {
        wire.send((head(server, "GET /locales/en.json") + "\r\n").as_bytes()).expect("sent");
    }
    for wire in &mut wires {
        wire.reply(false).expect("an answer").expect(200);
    }
    assert!(start.elapsed() < PATIENCE / 2);
}

macro_rules! hazards {
    ($($name:ident,)*) => {
        $(mod $name {
            #[test]
            fn is_survived() {
                let server = super::server();
                super::$name(&server);
                super::assert_serving(&server);
            }
        })*

        #[test]
        fn all_of_them_cost_less_than_32_mebibytes() {
            let server = server();
            let client = &mut server.client();
            client.get("/api/library");
            assert_serving(&server);
            let before = server.status("VmRSS");
            $(
                $name(&server);
                assert_serving(&server);
            )*
            let threads = until("threads that have gone home", || {
                Some(server.status("Threads")).filter(|threads| *threads < 60)
            });
            let after = server.status("VmRSS");
            let grown = after.saturating_sub(before) / 1024;
            assert!(grown < 32, "{grown} MiB more, {threads} threads, {after} KiB in all");
        }
    };
}

hazards! {
    stalled_heads_and_bodies,
    a_dripping_head,
    an_endless_header_line,
    lies_about_the_length,
    newer_versions_of_http,
    a_large_body_that_is_really_sent,
    bodies_without_a_known_end,
    pipelining,
    endless_pipelining_without_reading,
    readers_that_do_not_read,
    many_idle_connections,
    no_descriptors_left,
    connections_in_a_burst,
}
