//! The program is killed, again and again, while it loads the database of libretro and while it fills in
//! games: the database is the old or the new one and whole, every game is as before or filled, and a
//! resume does the rest.

use std::{
    collections::BTreeSet,
    fs,
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use rusqlite::{Connection, OpenFlags};
use serde_json::{Value, json};

use crate::{
    abuse::kills::rounds,
    support::{
        client::Request,
        library::Dice,
        opendb::{
            ARCHIVE, Listed, SYNC, answer, archive, ended, filled, games, picture, run, setup,
            shown,
        },
        provider::{Provider, Reply},
        server::Server,
        stream::{job, started},
        wait::until,
    },
};

const SNES: &str = "Nintendo - Super Nintendo Entertainment System";
/// Games of the database; one more in each round, so that the number tells which one is there.
const GAMES: u64 = 1_000;
/// Bytes of the archive that one answer carries before its connection ends.
const PIECE: usize = 16 << 10;
/// Bytes of the new database that count as one step.
const STEP: u64 = 16 << 10;

fn listed(number: u64) -> Listed {
    let content = format!("content {number};").repeat(20);
    Listed::by_content(SNES, format!("Comet {number} (USA)"), content.as_bytes())
}

/// An archive in pieces: each answer has at most one, so that a download takes several requests.
fn in_pieces(bytes: &[u8], round: u64, head: &str) -> Reply {
    let tag = format!("\"{round}\"");
    let header = |name: &str| {
        let lines = head.lines().filter_map(|line| line.split_once(": "));
        lines.filter(|(known, _)| *known == name).map(|(_, value)| value.trim()).next()
    };
    if header("if-none-match") == Some(&tag) {
        return Reply::new("304 Not Modified", "text/plain", "");
    }
    let range = header("range").filter(|_| header("if-range") == Some(&tag));
    let from =
        range.and_then(|range| range.strip_prefix("bytes=")?.strip_suffix('-')?.parse().ok());
    let (from, status) = from.map_or((0, "200 OK".to_owned()), |from: usize| {
        let all = bytes.len();
        (from, format!("206 Partial Content\r\nContent-Range: bytes {from}-{}/{all}", all - 1))
    });
    let rest = &bytes[from..];
    let head = format!("{status}\r\nETag: {tag}\r\nContent-Length: {}", rest.len());
    Reply::new(&head, "application/zip", &rest[..rest.len().min(PIECE)])
}

/// The number of games of a database file that is whole.
#[track_caller]
fn games_of(path: &Path) -> u64 {
    let database = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY);
    let database = database.expect("a database");
    let text = |query: &str| -> String {
        database.query_row(query, [], |row| row.get(0)).expect("an answer")
    };
    assert_eq!(text("PRAGMA integrity_check"), "ok");
    let said = text("SELECT value FROM facts WHERE key = 'games'");
    assert_eq!(text("SELECT CAST(COUNT(*) AS TEXT) FROM games"), said);
    said.parse().expect("a number")
}

/// Bytes of the file that becomes the database.
fn unfinished(folder: &Path) -> u64 {
    let files = fs::read_dir(folder).expect("a folder").filter_map(Result::ok);
    let made = files.filter(|file| file.file_name().as_encoded_bytes().ends_with(b".tmp"));
    // OK because it may be renamed between the two calls.
    made.filter_map(|file| file.metadata().ok()).map(|found| found.len()).sum()
}

#[test]
fn a_database_that_is_loaded_during_a_kill_is_old_or_new() {
    let provider = Provider::new(|_, _| Reply::new("404 Not Found", "text/plain", ""));
    let asked = Arc::new(AtomicUsize::new(0));
    let publish = |round: u64| {
        let listed: Vec<_> = (0..GAMES + round).map(listed).collect();
        let bytes = archive(&listed);
        let pieces = bytes.len().div_ceil(PIECE);
        let asked = Arc::clone(&asked);
        asked.store(0, Ordering::SeqCst);
        provider.says(move |path, head| {
            assert_eq!(path, ARCHIVE);
            asked.fetch_add(1, Ordering::SeqCst);
            in_pieces(&bytes, round, head)
        });
        pieces
    };
    publish(0);
    let mut server = setup(&provider).start();
    run(&server, SYNC, &json!({}));
    let path = server.data("metadata/opendb.db");
    let folder = path.parent().expect("a folder").to_owned();
    let steps = usize::try_from(fs::metadata(&path).expect("there").len() / STEP).expect("small");
    let mut dice = Dice::new(21);
    let (mut old, mut new, mut resumed) = (0, 0, 0);
    for round in 1..=rounds() {
        let pieces = publish(round);
        let id = started(&server, SYNC, &json!({}));
        // From a kill before the first byte to one after the database was swapped.
        let wanted = usize::try_from(dice.below((pieces + steps + 4) as u64)).expect("small");
        let done = || {
            let made = usize::try_from(unfinished(&folder) / STEP).expect("small");
            let asked = asked.load(Ordering::SeqCst);
            if made > 0 { pieces + made } else { asked.min(pieces) }
        };
        let is_over = || job(&server, &id)["state"] == "done";
        while done() < wanted && !is_over() {
            thread::yield_now();
        }
        server.kill();
        server.restart();
        let told = job(&server, &id);
        let state = told["state"].as_str().expect("a state");
        assert!(["done", "interrupted"].contains(&state), "round {round}: {told}");
        let found = games_of(&path);
        let (before, after) = (GAMES + round - 1, GAMES + round);
        assert!(found == before || found == after, "round {round}: {found} games");
        assert!(state != "done" || found == after, "round {round}: told as done, so it is");
        assert_eq!(server.get("/api/v2/opendb/status")["games"], found, "round {round}");
        // The start removes it during its first answers.
        until("nothing half made is left", || (unfinished(&folder) == 0).then_some(()));
        old += u64::from(found == before);
        new += u64::from(found == after);
        provider.seen();
        let again = run(&server, SYNC, &json!({}));
        assert_eq!((&again["state"], games_of(&path)), (&json!("done"), after), "round {round}");
        let goes_on = provider.seen().first().is_some_and(|head| head.contains("range: bytes="));
        resumed += u64::from(goes_on);
    }
    assert!(old > 0 && new > 0 && resumed > 0, "{old} old, {new} new, {resumed} went on");
}

const FILL: &str = "/api/v2/metadata/fill";
/// Games of the library.
const OWNED: usize = 8;

/// How many games were filled; fails for one that is half so.
#[track_caller]
fn filled_games(server: &Server) -> usize {
    let blank = json!([["", "", ""], false]);
    let is_filled = |game: &Value| {
        let shown = shown(game);
        assert!(shown == blank || shown == filled(), "{game}");
        shown == filled()
    };
    let games = games(server);
    assert_eq!(games.len(), OWNED);
    let filled: Vec<_> = games.iter().filter(|game| is_filled(game)).collect();
    for game in &filled {
        let id = game["game_id"].as_str().expect("an id");
        let reply =
            server.send(&Request::get(&format!("/api/media?game_id={id}&kind=cover"))).expect(200);
        assert_eq!(reply.body(), picture(), "the box is whole");
    }
    filled.len()
}

#[test]
fn games_that_are_filled_during_kills_are_as_before_or_filled() {
    let owned: Vec<_> = (0..OWNED as u64).map(listed).collect();
    let listed = owned.clone();
    let provider = Provider::new(move |path, _| answer(&listed, path));
    let setup = setup(&provider);
    for number in 0..OWNED {
        let content = format!("content {number};").repeat(20);
        setup.scratch().file(format!("roms/SNES/dump {number}.sfc"), content);
    }
    let mut server = setup.start();
    let root = server.scratch().folder("roms");
    server.post("/api/import", &json!({"folder": root}));
    run(&server, SYNC, &json!({}));
    let body = json!({"media_types": ["cover"]});
    let mut dice = Dice::new(22);
    let mut parts = BTreeSet::new();
    for round in 0..rounds() {
        let id = started(&server, FILL, &body);
        let wanted = dice.below(OWNED as u64 + 2);
        loop {
            let job = job(&server, &id);
            if job["state"] == "done" || job["current"].as_u64() >= Some(wanted) {
                break;
            }
        }
        server.kill();
        server.restart();
        let part = filled_games(&server);
        let told = job(&server, &id);
        if told["state"] == "done" {
            assert_eq!(part, OWNED, "round {round}: told as done, so it is");
        } else {
            assert_eq!(told["state"], "interrupted", "round {round}: {told}");
            let kept = told["can_resume"] == true;
            let again = if kept {
                let resume = json!({"job_id": id});
                let reply = server.send(&Request::post("/api/v2/jobs/resume", &resume));
                reply.expect(202).json()["job_id"].as_str().expect("an id").to_owned()
            } else {
                started(&server, FILL, &body)
            };
            let done = ended(&server, &again);
            assert_eq!(done["state"], "done", "round {round}: {done}");
            assert!(kept || part <= 1, "round {round}: {part} games, and no checkpoint");
        }
        assert_eq!(filled_games(&server), OWNED, "round {round}");
        parts.insert(part);
        let passes = server.get("/api/v2/library/passes")["passes"].clone();
        for pass in passes.as_array().expect("passes") {
            let undo = json!({"pass_id": pass["pass_id"]});
            server.post("/api/v2/library/passes/undo", &undo);
        }
        assert_eq!(filled_games(&server), 0, "round {round}: undone");
    }
    assert!(parts.len() > 2, "{parts:?}");
}
