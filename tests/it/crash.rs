//! Power cuts: the program is killed in the middle of a burst of edits, two hundred times over.

use std::{
    collections::HashMap,
    sync::mpsc::{Sender, channel},
    thread,
};

use serde_json::{Value, json};

use crate::support::{
    client::{Client, Request},
    library::{Dice, game_id, library},
    server::{Server, Setup},
};

const ROUNDS: u64 = 200;
/// Clients that edit at the same time, each its own games.
const CLIENTS: usize = 4;
const GAMES: usize = 16;
/// A round is cut off after up to this many answered edits.
const LONGEST: u64 = 24;

/// Edits the games of one client in turn until the program is gone, and reports each edit that was
/// answered: the game and the series it was given.
fn edit_until_cut(mut client: Client, own: usize, round: u64, answered: &Sender<(usize, String)>) {
    for number in 0.. {
        let game = own * GAMES + number % GAMES;
        let series = format!("{round}-{number}");
        let body = json!({"game_id": game_id(game), "game": {"name": "Edited", "series": series}});
        match client.try_send(&Request::post("/api/game", &body)) {
            Ok(reply) => assert_eq!(reply.status, 200, "{reply:?}"),
            Err(_) => return,
        }
        if answered.send((game, series)).is_err() {
            return;
        }
    }
}

/// Bursts of edits from several clients, cut off by a kill after `length` answers. Adds the last
/// answered edit of each game.
fn burst(
    server: &mut Server,
    round: u64,
    length: u64,
    expected: &mut HashMap<usize, String>,
) -> u64 {
    let (answered, answers) = channel();
    let workers: Vec<_> = (0..CLIENTS)
        .map(|own| {
            let (client, answered) = (server.client(), answered.clone());
            thread::spawn(move || edit_until_cut(client, own, round, &answered))
        })
        .collect();
    drop(answered);
    let mut edits = 0;
    for (game, series) in &answers {
        expected.insert(game, series);
        edits += 1;
        if edits == length {
            server.kill();
        }
    }
    for worker in workers {
        worker.join().expect("a client that met only the kill");
    }
    edits
}

/// Every answered edit is there, or a later one of the same client that came through unanswered.
#[track_caller]
fn check(server: &Server, round: u64, expected: &HashMap<usize, String>) {
    let shown = server.get("/api/library");
    let games = shown["games"].as_array().expect("a list");
    assert_eq!(games.len(), CLIENTS * GAMES, "round {round}");
    for (game, series) in expected {
        let found = games[*game]["series"].as_str().expect("a text");
        assert!(order(found) >= order(series), "round {round}: {series} of game {game} is {found}");
    }
}

/// The round and the number of an edit.
fn order(series: &str) -> (u64, u64) {
    let parts = series.split_once('-').expect("an edit of this test");
    (parts.0.parse().expect("a number"), parts.1.parse().expect("a number"))
}

#[test]
fn no_answered_edit_is_lost_in_two_hundred_kills() {
    let mut server = Setup::new().library(&library(CLIENTS * GAMES)).start();
    let mut dice = Dice::new(1);
    let mut expected = HashMap::new();
    let mut edits = 0;
    for round in 0..ROUNDS {
        edits += burst(&mut server, round, 1 + dice.below(LONGEST), &mut expected);
        server.restart();
        check(&server, round, &expected);
    }
    assert!(edits >= ROUNDS, "{edits} edits were answered");
    server.stop();
    let stored: Value =
        serde_json::from_slice(&server.scratch().read("data/library.json")).expect("a library");
    for (game, series) in &expected {
        let found = stored["games"][*game]["series"].as_str().expect("a text");
        assert!(order(found) >= order(series), "game {game} is stored as {found}");
    }
}
