//! The program is killed in the middle of bursts of edits, also before it wrote a journal at all:
//! afterwards the journal holds each answered change once, in its order, and tells the library as it is.

use std::{
    collections::HashMap,
    fs,
    os::unix::fs::symlink,
    sync::mpsc::{Sender, channel},
    thread,
};

use serde_json::{Value, json};

use crate::{
    abuse::kills::rounds,
    support::{
        client::{Client, Request},
        library::{Dice, game_id},
        server::{Server, Setup},
    },
};

const GAMES: usize = 12;
const WRITERS: usize = 3;

fn prepare() -> Setup {
    let setup = Setup::new();
    let games: Vec<Value> = (0..GAMES)
        .map(|index| {
            let path = setup.scratch().script(format!("games/{index}.sh"), "exit 0");
            json!({"game_id": game_id(index), "name": format!("{index}"), "path": path})
        })
        .collect();
    setup.library(&json!({"schema_version": 6, "games": games}).to_string())
}

/// Renames games of its own, each time to a name that was never there, until the connection breaks.
/// Returns the names that were answered, and marks some games between, which is no event.
fn rename(mut client: Client, answers: &Sender<()>, writer: usize, round: u64) -> Vec<String> {
    let mut answered = Vec::new();
    for turn in 0_usize.. {
        let index = writer + WRITERS * (turn % (GAMES / WRITERS));
        let name = format!("{round}-{writer}-{turn}");
        let body = json!({"game_id": game_id(index), "game": {"name": name}});
        let Ok(reply) = client.try_send(&Request::post("/api/game", &body)) else { break };
        reply.expect(200);
        answered.push(name);
        // OK because the round may have ended while the answer was on its way.
        let _ = answers.send(());
        let toggle = Request::post("/api/favorite", &json!({"game_id": game_id(index)}));
        if turn % 3 == 0 && client.try_send(&toggle).is_err() {
            break;
        }
    }
    answered
}

/// Every event, oldest first.
fn events(server: &Server) -> Vec<Value> {
    let mut all = Vec::new();
    loop {
        let offset = all.len();
        let page =
            server.get(&format!("/api/v2/library/journal/events?limit=1000&offset={offset}"));
        all.extend(page["events"].as_array().expect("a list").iter().cloned());
        if page["has_more"] == false {
            assert_eq!(page["corrupt"], json!([]));
            all.reverse();
            return all;
        }
    }
}

#[test]
fn no_event_is_missing_or_doubled_after_kills() {
    let mut server = prepare().start();
    let mut dice = Dice::new(7);
    let mut answered: Vec<String> = Vec::new();
    for round in 0..rounds() {
        let (sender, heard) = channel();
        let clients: Vec<Client> = (0..WRITERS).map(|_| server.client()).collect();
        let answers = dice.below(50);
        thread::scope(|scope| {
            let writers: Vec<_> = clients
                .into_iter()
                .enumerate()
                .map(|(writer, client)| {
                    let sender = sender.clone();
                    scope.spawn(move || rename(client, &sender, writer, round))
                })
                .collect();
            for _ in 0..answers {
                heard.recv().expect("an answer");
            }
            server.kill();
            for writer in writers {
                answered.extend(writer.join().expect("joined"));
            }
        });
        server.restart();
        let events = events(&server);
        let mut told: HashMap<&str, usize> = HashMap::new();
        let mut newest: HashMap<&str, &str> = HashMap::new();
        for (number, event) in events.iter().enumerate() {
            assert_eq!(event["sequence"], number as u64 + 1, "round {round}");
            let name = event["name"].as_str().expect("a name");
            *told.entry(name).or_default() += 1;
            newest.insert(event["game_id"].as_str().expect("an id"), name);
        }
        for name in &answered {
            assert_eq!(told.get(name.as_str()), Some(&1), "round {round}: {name}");
        }
        assert!(told.values().all(|count| *count == 1), "round {round}");
        // What was under way may have come through, once for each writer and round.
        let extra = events.len() - GAMES - answered.len();
        assert!(extra as u64 <= WRITERS as u64 * (round + 1), "round {round}: {extra}");
        for game in server.get("/api/library")["games"].as_array().expect("a list") {
            let id = game["game_id"].as_str().expect("an id");
            assert_eq!(newest.get(id).copied(), game["name"].as_str(), "round {round}");
        }
    }
    assert!(answered.len() > 200, "{}", answered.len());
}

/// Renames one game again and again; returns the names it had, the first one first.
fn rename_often(server: &Server, index: usize) -> Vec<String> {
    let mut names = vec![format!("{index}")];
    for turn in 0..10 {
        let name = format!("name {turn}");
        let body = json!({"game_id": game_id(index), "game": {"name": name}});
        server.post("/api/game", &body);
        names.push(name);
    }
    names
}

/// The names a game had, as the journal tells them, oldest first.
fn names_of(server: &Server, index: usize) -> Vec<String> {
    let all = events(server);
    let its = all.iter().filter(|event| event["game_id"] == game_id(index));
    its.map(|event| event["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn the_first_edits_of_a_library_outlive_a_kill_before_there_was_a_journal() {
    let setup = || prepare().env("SERVICE_SNAPSHOT_DEBOUNCE", "3600");
    for is_written in [true, false] {
        let mut server = setup().start();
        let names = rename_often(&server, 0);
        server.kill();
        // A kill a moment earlier would have found none: on the disk that is the same.
        let journal = server.data("library.journal");
        if !is_written && journal.exists() {
            fs::remove_file(&journal).expect("removed");
        }
        server.restart();
        assert_eq!(names_of(&server, 0), names, "written: {is_written}");
        server.kill();
        server.restart();
        assert_eq!(names_of(&server, 0), names, "once more, written: {is_written}");
    }
    // It cannot be written at first; then it can, while the program runs.
    let setup = setup();
    let journal = setup.scratch().path("data/library.journal");
    symlink("/no/such/folder/journal", &journal).expect("a link that leads nowhere");
    let mut server = setup.start();
    let names = rename_often(&server, 0);
    server.send(&Request::get("/api/v2/library/journal/events")).expect(503);
    fs::remove_file(&journal).expect("removed");
    assert_eq!(names_of(&server, 0), names);
    server.stop();
    server.restart();
    assert_eq!(names_of(&server, 0), names);
}
