//! The program is killed, again and again, in the middle of work that writes a lot at once: a backup, a
//! restore, an import, an export, a recovery. Afterwards the library opens, holds what was answered,
//! and every archive is whole.

use std::{collections::BTreeSet, fs, thread};

use serde_json::{Value, json};

use crate::{
    abuse::kills::rounds,
    support::{
        client::Request,
        library::{Dice, game_id},
        server::{Server, Setup},
        stream::{Stream, started},
    },
};

const GAMES: usize = 40;
const PICTURES: usize = 12;
const ARCHIVED: &str = "archived";
/// Files that one import finds.
const ROMS: usize = 6;

/// What is under way when the program is killed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Deed {
    Backup,
    Restore,
    Import,
    Export,
    Recover,
}

const DEEDS: [Deed; 5] = [Deed::Backup, Deed::Restore, Deed::Import, Deed::Export, Deed::Recover];

struct House {
    server: Server,
    /// Games that must be there.
    games: usize,
    /// Rounds whose work was cut off before its end.
    cut: u64,
}

impl House {
    /// A library with pictures, and an archive of both under a name that is never rotated away.
    fn new() -> Self {
        let setup = Setup::new();
        let games: Vec<Value> = (0..GAMES)
            .map(|index| {
                let path = setup.scratch().script(format!("games/{index}.sh"), "exit 0");
                json!({"game_id": game_id(index), "name": ARCHIVED, "path": path, "platform": "Linux"})
            })
            .collect();
        let library = json!({"schema_version": 6, "games": games}).to_string();
        let server = setup.library(&library).start();
        let house = Self { server, games: GAMES, cut: 0 };
        house.paint(ARCHIVED);
        let mut stream = Stream::open(&house.server);
        let body = json!({"items": ["library", "settings", "media"]});
        let id = started(&house.server, "/api/backup/create", &body);
        let job = stream.job_end(&house.server, &id);
        assert_eq!(job["state"], "done", "{job}");
        let made = house.server.get("/api/backups")["backups"][0]["path"].clone();
        let kept = house.server.data("backups/kept.zip");
        fs::copy(made.as_str().expect("a path"), kept).expect("copied");
        house
    }

    /// Gives every picture this content, and a size that takes a while.
    fn paint(&self, text: &str) {
        for number in 0..PICTURES {
            let name = format!("data/media/{number}.png");
            self.server.scratch().file(name, text.repeat(6_000));
        }
    }

    /// What the pictures say.
    fn painted(&self) -> BTreeSet<String> {
        let read = |number| {
            let bytes = self.server.scratch().read(format!("data/media/{number}.png"));
            let text = String::from_utf8(bytes).expect("text");
            let word = text[..text.len() / 6_000].to_owned();
            assert_eq!(text, word.repeat(6_000), "a picture is torn");
            word
        };
        (0..PICTURES).map(read).collect()
    }

    fn rename(&self, name: &str) {
        let path = self.server.scratch().path("games/0.sh");
        let game = json!({"name": name, "path": path, "platform": "Linux"});
        self.server.post("/api/game", &json!({"game_id": game_id(0), "game": game}));
    }

    fn begin(&self, deed: Deed, round: u64) -> Option<Request> {
        let request = match deed {
            Deed::Backup => {
                let body = json!({"items": ["library", "settings", "media"], "keep": 3});
                Request::post("/api/backup/create", &body)
            }
            Deed::Restore => {
                let body = json!({"path": "kept.zip", "force": true});
                Request::post("/api/backup/restore", &body)
            }
            Deed::Export => {
                let body = json!({"format": "json", "scope": "all"});
                Request::post("/api/v2/library/export", &body)
            }
            Deed::Import => {
                for number in 0..ROMS {
                    let rom = format!("roms/{round}/game {round} {number}.nes");
                    self.server.scratch().file(rom, "x");
                }
                let folder = self.server.scratch().path(format!("roms/{round}"));
                return Some(Request::post("/api/import", &json!({"folder": folder})));
            }
            Deed::Recover => return Some(Request::post("/api/state/recover", &json!({}))),
        };
        self.server.send(&request).expect(202);
        None
    }

    /// Kills the program after so many answers to others; whether the deed had been answered.
    fn kill_during(&mut self, deed: Deed, round: u64, answers: u64) -> bool {
        let request = self.begin(deed, round);
        let (mut worker, mut other) = (self.server.client(), self.server.client());
        thread::scope(|scope| {
            let work = scope.spawn(move || {
                let reply = request.and_then(|request| worker.try_send(&request).ok());
                reply.map(|reply| reply.expect(200)).is_some()
            });
            for _ in 0..answers {
                other.get("/api/running");
            }
            self.server.kill();
            work.join().expect("no panic")
        })
    }

    /// Looks at everything that must hold after a kill in this round.
    #[track_caller]
    fn check(&mut self, deed: Deed, round: u64, name: &str, answered: bool) {
        let point = format!("round {round}, {deed:?}");
        let library = self.server.get("/api/library");
        let games = library["games"].as_array().expect("games");
        let found = games.iter().find(|game| game["game_id"] == game_id(0));
        let found = found.and_then(|game| game["name"].as_str()).expect("the first game");
        let restored = found == ARCHIVED;
        assert!(found == name || (deed == Deed::Restore && restored), "{point}: {found}");
        let expected = if restored { GAMES..=GAMES } else { self.games..=self.games };
        let expected = match deed {
            Deed::Import if answered => self.games + ROMS..=self.games + ROMS,
            Deed::Import => self.games..=self.games + ROMS,
            _ => expected,
        };
        assert!(expected.contains(&games.len()), "{point}: {} of {expected:?}", games.len());
        self.games = games.len();
        let painted = self.painted();
        match deed {
            // What the library points to is there before it.
            Deed::Restore if restored => assert_eq!(painted, BTreeSet::from([ARCHIVED.to_owned()])),
            Deed::Restore => assert!(painted.iter().all(|word| word == ARCHIVED || word == name)),
            _ => assert_eq!(painted, BTreeSet::from([name.to_owned()]), "{point}"),
        }
        if restored {
            let kept = self.server.scratch().read("data/library.before-restore.json");
            let kept: Value = serde_json::from_slice(&kept).expect("whole");
            assert_eq!(kept["games"][0]["name"], name, "{point}: what was before is kept");
        }
        let archives = self.server.get("/api/backups")["backups"].clone();
        let archives = archives.as_array().expect("a list");
        assert!(archives.iter().all(|row| row.get("invalid").is_none()), "{point}: {archives:?}");
        assert!(archives.iter().any(|row| row["name"] == "kept.zip"), "{point}");
        let jobs = self.server.get("/api/v2/jobs?limit=100")["jobs"].clone();
        let ended = ["done", "interrupted", "error", "cancelled"];
        for job in jobs.as_array().expect("a list") {
            assert!(ended.iter().any(|state| job["state"] == *state), "{point}: {job}");
        }
        let is_job = matches!(deed, Deed::Backup | Deed::Restore | Deed::Export);
        let cut = if is_job { jobs[0]["state"] == "interrupted" } else { !answered };
        self.cut += u64::from(cut);
    }
}

#[test]
fn every_large_work_may_be_killed_at_any_moment() {
    let mut house = House::new();
    let mut dice = Dice::new(7);
    let last = rounds();
    for round in 0..last {
        let deed = DEEDS[usize::try_from(dice.below(5)).unwrap_or(0)];
        let name = format!("round {round}");
        house.rename(&name);
        house.paint(&name);
        let answered = house.kill_during(deed, round, dice.below(60));
        house.server.restart();
        house.check(deed, round, &name, answered);
    }
    assert!(house.cut > 0, "no work was ever in the middle");
    // Whatever was cut off has left nothing that stays.
    let mut stream = Stream::open(&house.server);
    let id = started(&house.server, "/api/backup/create", &json!({"items": ["library", "media"]}));
    let job = stream.job_end(&house.server, &id);
    assert_eq!(job["state"], "done", "{job}");
    let left: Vec<_> = fs::read_dir(house.server.data("backups"))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.starts_with('.'))
        .collect();
    assert_eq!(left, Vec::<String>::new());
}
