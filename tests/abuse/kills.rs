//! The program is killed, again and again, in the middle of a burst of edits: whatever was answered
//! is there afterwards, and the library always opens.
//!
//! Each test of kills runs 40 rounds; `KILL_ROUNDS` runs more.

use std::{
    sync::mpsc::{Sender, channel},
    thread,
};

use serde_json::{Value, json};

use crate::support::{
    client::{Client, Request},
    library::{Dice, game_id},
    server::{Server, Setup},
};

const GAMES: usize = 30;

/// What one writer may find after the kill: the last answered value, and the one that was under way.
struct Fate<T> {
    answered: T,
    asked: T,
}

impl<T: PartialEq + Clone> Fate<T> {
    fn new(value: T) -> Self {
        Self { answered: value.clone(), asked: value }
    }

    fn allows(&self, found: &T) -> bool {
        *found == self.answered || *found == self.asked
    }
}

/// A library of [`GAMES`] games whose files exist, so that every edit of them is valid.
fn prepare() -> Setup {
    let setup = Setup::new();
    let games: Vec<Value> = (0..GAMES)
        .map(|index| {
            let path = setup.scratch().script(format!("games/{index}.sh"), "exit 0");
            json!({"game_id": game_id(index), "name": format!("{index} - 0"), "path": path,
                "platform": "Linux", "favorite": false})
        })
        .collect();
    setup.library(&json!({"schema_version": 6, "games": games}).to_string())
}

/// Sends one edit after the other until the connection breaks; reports each answer.
fn write_until_killed<T: Clone>(
    mut client: Client,
    answers: &Sender<()>,
    fate: &mut Fate<T>,
    mut next: impl FnMut(&T) -> (T, Request),
) {
    loop {
        let (value, request) = next(&fate.answered);
        fate.asked = value.clone();
        match client.try_send(&request) {
            Ok(reply) => {
                reply.expect(200);
                fate.answered = value;
                // OK because the round may have ended while the answer was on its way.
                let _ = answers.send(());
            }
            Err(_) => return,
        }
    }
}

/// The values that the three writers of a round change.
struct Round {
    favorites: Vec<Fate<bool>>,
    names: Vec<Fate<String>>,
    setting: Fate<u64>,
}

impl Round {
    fn read(server: &Server) -> Self {
        let library = server.get("/api/library");
        let games = library["games"].as_array().expect("games");
        assert_eq!(games.len(), GAMES);
        let favorite = |game: &Value| Fate::new(game["favorite"] == true);
        let name = |game: &Value| Fate::new(game["name"].as_str().unwrap_or("").to_owned());
        Self {
            favorites: games.iter().map(favorite).collect(),
            names: games.iter().map(name).collect(),
            setting: Fate::new(library["settings"]["save_backup_limit"].as_u64().unwrap_or(0)),
        }
    }

    /// Writes from three threads and kills the program after so many answers.
    fn burst(&mut self, server: &mut Server, answers: u64, seed: u64) {
        let (sender, answered) = channel();
        let Self { favorites, names, setting } = self;
        let (a, b, c) = (server.client(), server.client(), server.client());
        let paths: Vec<_> =
            (0..GAMES).map(|index| server.scratch().path(format!("games/{index}.sh"))).collect();
        thread::scope(|scope| {
            let ack = sender.clone();
            scope.spawn(move || toggle(a, &ack, favorites, seed));
            let ack = sender.clone();
            scope.spawn(move || rename(b, &ack, names, &paths, seed));
            scope.spawn(move || {
                write_until_killed(c, &sender, setting, |old| {
                    let value = (old + 1) % 501;
                    (value, Request::post("/api/settings", &json!({"save_backup_limit": value})))
                });
            });
            for _ in 0..answers {
                answered.recv().expect("an answer");
            }
            server.kill();
        });
    }

    /// Fails unless `found` is what this round allows.
    #[track_caller]
    fn check(&self, found: &Self, round: u64) {
        for index in 0..GAMES {
            let (flag, name) = (found.favorites[index].answered, &found.names[index].answered);
            let fate = &self.favorites[index];
            assert!(fate.allows(&flag), "round {round}: favourite {index} is {flag}");
            let fate = &self.names[index];
            let allowed = (&fate.answered, &fate.asked);
            assert!(fate.allows(name), "round {round}: name {index} is {name}, not {allowed:?}");
        }
        let found = found.setting.answered;
        let allowed = (self.setting.answered, self.setting.asked);
        assert!(self.setting.allows(&found), "round {round}: setting {found}, not {allowed:?}");
    }
}

fn toggle(mut client: Client, answers: &Sender<()>, fates: &mut [Fate<bool>], seed: u64) {
    let mut dice = Dice::new(seed);
    loop {
        let index = usize::try_from(dice.below(GAMES as u64)).unwrap_or(0);
        let fate = &mut fates[index];
        fate.asked = !fate.answered;
        let request = Request::post("/api/favorite", &json!({"game_id": game_id(index)}));
        let Ok(reply) = client.try_send(&request) else { return };
        assert_eq!(reply.expect(200).json()["favorite"], fate.asked);
        fate.answered = fate.asked;
        let _ = answers.send(());
    }
}

fn rename(
    mut client: Client,
    answers: &Sender<()>,
    fates: &mut [Fate<String>],
    paths: &[std::path::PathBuf],
    seed: u64,
) {
    for turn in 0_usize.. {
        let index = turn % GAMES;
        let fate = &mut fates[index];
        fate.asked = format!("{index} - {seed} {turn} é");
        let game = json!({"name": fate.asked, "path": paths[index], "platform": "Linux"});
        let body = json!({"game_id": game_id(index), "game": game});
        let Ok(reply) = client.try_send(&Request::post("/api/game", &body)) else { return };
        reply.expect(200);
        fate.answered.clone_from(&fate.asked);
        let _ = answers.send(());
    }
}

/// How many rounds each test of kills runs: `KILL_ROUNDS`, or 40.
pub(crate) fn rounds() -> u64 {
    super::number("KILL_ROUNDS", 40)
}

#[test]
fn nothing_answered_is_lost_in_a_kill() {
    let mut server = prepare().start();
    let mut dice = Dice::new(1);
    let mut before = Round::read(&server);
    let last = rounds();
    for round in 0..last {
        // From a kill during the very first edit to one in the middle of a long burst.
        before.burst(&mut server, dice.below(60), round);
        server.restart();
        let after = Round::read(&server);
        before.check(&after, round);
        before = after;
    }
    server.stop();
    server.restart();
    before.check(&Round::read(&server), last);
}
