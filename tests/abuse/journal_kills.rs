//! The program is killed in the middle of bursts of edits, also before it wrote a journal at all:
//! afterwards the journal holds each answered change once, in its order, and tells the library as it is.

use std::{
    collections::{HashMap, HashSet},
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
/// After how many rounds a new library begins.
const LIFETIME: usize = 100;

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

/// The events after the first `known`, oldest first.
fn events_after(server: &Server, known: usize) -> Vec<Value> {
    let mut new = Vec::new();
    loop {
        let offset = new.len();
        let page =
            server.get(&format!("/api/v2/library/journal/events?limit=1000&offset={offset}"));
        assert_eq!(page["corrupt"], json!([]));
        let listed = page["events"].as_array().expect("a list").iter();
        new.extend(listed.filter(|event| event["sequence"].as_u64() > Some(known as u64)).cloned());
        if page["has_more"] == false || new.len() < offset + 1000 {
            new.reverse();
            return new;
        }
    }
}

/// What the journal must hold: filled round by round.
#[derive(Default)]
struct Expected {
    /// Every event that was read, in order.
    events: Vec<Value>,
    /// The name that each game has, as its newest event tells it.
    names: HashMap<String, String>,
}

impl Expected {
    /// Reads what a round added, and checks it: each answered name once, in sequence, and besides at
    /// most one change of each writer that was under way.
    fn read(&mut self, server: &Server, answered: &[String], under_way: usize) {
        let new = events_after(server, self.events.len());
        let mut told: HashMap<&str, usize> = HashMap::new();
        for (number, event) in (self.events.len() + 1..).zip(&new) {
            assert_eq!(event["sequence"], number);
            let name = event["name"].as_str().expect("a name");
            *told.entry(name).or_default() += 1;
            let id = event["game_id"].as_str().expect("an id");
            self.names.insert(id.to_owned(), name.to_owned());
        }
        for name in answered {
            assert_eq!(told.get(name.as_str()), Some(&1), "{name}");
        }
        assert!(told.values().all(|count| *count == 1), "{told:?}");
        let extra = new.len() - answered.len();
        assert!(extra <= under_way, "{extra}");
        self.events.extend(new);
        for game in server.get("/api/library")["games"].as_array().expect("a list") {
            let id = game["game_id"].as_str().expect("an id");
            let newest = self.names.get(id).map(String::as_str);
            assert_eq!(newest, game["name"].as_str());
        }
    }

    /// Fails unless the journal still holds every event as it was first read, each name once.
    fn check_all(&self, server: &Server) {
        assert_eq!(events_after(server, 0), self.events);
        let names: HashSet<_> = self.events.iter().map(|event| event["name"].as_str()).collect();
        assert_eq!(names.len(), self.events.len());
    }
}

/// Writes from all writers and kills the program after so many answers; returns the names that were
/// answered.
fn burst(server: &mut Server, answers: u64, round: u64) -> Vec<String> {
    let (sender, heard) = channel();
    let clients: Vec<Client> = (0..WRITERS).map(|_| server.client()).collect();
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
        writers.into_iter().flat_map(|writer| writer.join().expect("joined")).collect()
    })
}

/// Each round reads what it added; the whole journal is compared when its library ends. A library ends
/// after [`LIFETIME`] rounds, so that a long run takes no longer per round than a short one.
#[test]
fn no_event_is_missing_or_doubled_after_kills() {
    let mut dice = Dice::new(7);
    let mut total = 0;
    for first in (0..rounds()).step_by(LIFETIME) {
        let mut server = prepare().start();
        let mut expected = Expected::default();
        expected.read(&server, &[], GAMES);
        for round in first..rounds().min(first + LIFETIME as u64) {
            println!("round {round}");
            let answered = burst(&mut server, dice.below(50), round);
            total += answered.len();
            server.restart();
            expected.read(&server, &answered, WRITERS);
        }
        expected.check_all(&server);
    }
    assert!(total > 200, "{total}");
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
    let all = events_after(server, 0);
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
