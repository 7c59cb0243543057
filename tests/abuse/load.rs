//! Well-behaved clients at work while hostile ones misbehave in every known way: the former are
//! served, every answered edit outlives a kill, and memory returns to what it was.

use std::{
    io,
    sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed},
    thread,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{assert_recovered, memory, number, seed};
use crate::support::{
    client::{Client, Request, Wire},
    library::{Dice, game_id, library},
    server::{Server, Setup},
};

const GAMES: usize = 400;
/// Edits of one writer in the short round.
const EDITS: u64 = 150;
/// Writers; each edits games of its own.
const WRITERS: usize = 2;
/// What readers ask for, one after the other.
const PAGES: [&str; 8] = [
    "/api/library",
    "/api/openapi.json",
    "/api/history?limit=500",
    "/api/v2/library/search?q=drachen",
    "/api/explorer/facets?field=genre",
    "/api/settings",
    "/",
    "/api/v2/jobs",
];

/// When the round ends: after a time, or when every writer has made [`EDITS`] edits.
#[derive(Debug)]
struct Round {
    until: Option<Instant>,
    is_over: AtomicBool,
    edits: AtomicU64,
    reads: AtomicU64,
    attacks: AtomicU64,
}

impl Round {
    fn new(minutes: u64) -> Self {
        let until = (minutes > 0).then(|| Instant::now() + Duration::from_secs(60 * minutes));
        Self {
            until,
            is_over: AtomicBool::new(false),
            edits: AtomicU64::new(0),
            reads: AtomicU64::new(0),
            attacks: AtomicU64::new(0),
        }
    }

    fn goes_on(&self, own_edits: u64) -> bool {
        self.until.map_or(own_edits < EDITS, |until| Instant::now() < until)
    }
}

/// Sends until an answer comes: a connection of a well-behaved client may end, an answer may not be
/// a failure.
#[track_caller]
fn ask(client: &mut Client, request: &Request) -> Option<serde_json::Value> {
    for _ in 0..20 {
        if let Ok(reply) = client.try_send(request) {
            assert_eq!(reply.status, 200, "{request:?}: {}", reply.text());
            let is_json = reply.header("Content-Type").is_some_and(|kind| kind.contains("json"));
            return is_json.then(|| reply.json());
        }
    }
    panic!("twenty connections in a row ended without an answer to {request:?}");
}

/// Sets a rating of one of its own games again and again; keeps what was answered last.
fn write(round: &Round, server: &Server, writer: usize, seed: u64) -> Vec<Option<u64>> {
    let (mut client, mut dice) = (server.client(), Dice::new(seed + writer as u64));
    let mut ratings = vec![None; GAMES / WRITERS];
    let mut own = 0;
    while round.goes_on(own) {
        let at = usize::try_from(dice.below(ratings.len() as u64)).unwrap_or(0);
        let rating = dice.below(6);
        let body = json!({"game_id": game_id(at * WRITERS + writer), "user_rating": rating});
        ask(&mut client, &Request::post("/api/v2/library/rating/set", &body));
        ratings[at] = Some(rating);
        own += 1;
        round.edits.fetch_add(1, Relaxed);
    }
    ratings
}

fn read(round: &Round, server: &Server) {
    let mut client = server.client();
    for page in PAGES.iter().cycle() {
        if round.is_over.load(Relaxed) {
            return;
        }
        ask(&mut client, &Request::get(page));
        round.reads.fetch_add(1, Relaxed);
    }
}

/// What hostile clients send before they wait or leave.
fn attacks(server: &Server) -> Vec<Vec<u8>> {
    let host = format!("Host: {}\r\n", server.address());
    let own = format!("{host}X-Service-Token: {}\r\n\r\n", server.token());
    let post = |rest: &str| format!("POST /api/game HTTP/1.1\r\n{rest}");
    let texts = [
        String::new(),
        "GET / HT".to_owned(),
        "\r\n\r\n\0\0\0\r\n".to_owned(),
        "\x16\x03\x01\x02\x00\x01\x00\x01\x03\x03 no TLS here".to_owned(),
        "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_owned(),
        format!("GET /{} HTTP/1.1\r\n{host}\r\n", "a".repeat(100_000)),
        format!("GET /api/library HTTP/1.1\r\n{own}").repeat(50),
        format!("GET /api/openapi.json HTTP/1.1\r\n{own}").repeat(20),
        format!("GET /api/events HTTP/1.1\r\n{own}"),
        post(&format!("{host}Content-Length: 9\r\n\r\n{{")),
        post("Host: evil.example\r\nContent-Length: 60000\r\n\r\n{"),
        post(&format!("{host}Transfer-Encoding: chunked\r\n\r\nfffffffff\r\n")),
        post(&format!("{host}Content-Length: 18446744073709551615\r\n\r\n{{")),
    ];
    texts.map(String::into_bytes).to_vec()
}

/// Opens a few connections that say the same, and leaves at once or when the program ends the first.
fn attack(server: &Server, dice: &mut Dice, bytes: &[u8]) -> io::Result<()> {
    let mut wires = Vec::new();
    for _ in 0..=dice.below(12) {
        let mut wire = Wire::connect(server.address())?;
        wire.narrow();
        wire.send(bytes)?;
        wires.push(wire);
    }
    if dice.below(2) == 0 { wires[0].closed().map(drop) } else { Ok(()) }
}

fn misbehave(round: &Round, server: &Server, seed: u64) {
    let (attacks, mut dice) = (attacks(server), Dice::new(seed));
    while !round.is_over.load(Relaxed) {
        let at = usize::try_from(dice.below(attacks.len() as u64)).unwrap_or(0);
        // OK because the program may end the connection at any point.
        drop(attack(server, &mut dice, &attacks[at]));
        round.attacks.fetch_add(1, Relaxed);
    }
}

#[test]
fn well_behaved_clients_are_served_beside_hostile_ones() {
    let setup = Setup::new().library(&library(GAMES)).env("SERVICE_SOCKET_TIMEOUT", "1");
    let mut server = setup.start();
    for page in PAGES {
        server.send(&Request::get(page)).expect(200);
    }
    let (before, seed) = (memory(&server), seed());
    let round = Round::new(number("LOAD_MINUTES", 0));
    let ratings: Vec<_> = thread::scope(|scope| {
        let (round, server) = (&round, &server);
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| scope.spawn(move || write(round, server, writer, seed)))
            .collect();
        (0..2).for_each(|_| drop(scope.spawn(|| read(round, server))));
        (0..6).for_each(|at| drop(scope.spawn(move || misbehave(round, server, seed + 100 + at))));
        let ratings = writers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>();
        round.is_over.store(true, Relaxed);
        ratings.into_iter().map(|ratings| ratings.expect("a writer that was served")).collect()
    });
    println!("{round:?}, {before} MiB before, {} MiB after", memory(&server));
    assert_recovered(&server, before);
    server.kill();
    server.restart();
    let games = server.get("/api/library")["games"].clone();
    for (writer, ratings) in ratings.iter().enumerate() {
        for (at, rating) in ratings.iter().enumerate() {
            let game = &games[at * WRITERS + writer];
            assert_eq!(game["game_id"], game_id(at * WRITERS + writer));
            assert!(rating.is_none_or(|rating| game["user_rating"] == rating), "{game}");
        }
    }
}
