//! What an edit costs, counted and not timed: bytes written to files, calls that read and write
//! files, records in the log. The counts of the kernel are those of the whole process; what goes over
//! sockets is not among them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    library::{game_id, library},
    server::{Server, Setup},
};

/// Edits that are counted together, so that a single call of another thread tips nothing.
const EDITS: u64 = 40;

/// What the kernel has counted for the process.
#[derive(Clone, Copy)]
struct Counts {
    written: u64,
    calls: u64,
}

impl Counts {
    fn of(server: &Server) -> Self {
        let text = fs::read_to_string(format!("/proc/{}/io", server.pid())).expect("its counts");
        let count = |name: &str| -> u64 {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|number| number.trim().parse().ok()).expect(name)
        };
        Self { written: count("wchar:"), calls: count("syscr:") + count("syscw:") }
    }
}

/// A library that is ours already and is not folded while the test runs.
fn settled(games: usize) -> Server {
    let setup = Setup::new().library(&library(games)).env("SERVICE_SNAPSHOT_DEBOUNCE", "3600");
    let mut server = setup.start();
    server.stop();
    server.restart();
    server
}

/// The changes in the last line of the log, which begins with a checksum of eight digits.
fn last_changes(server: &Server) -> Vec<Value> {
    let log = fs::read_to_string(server.data("library.log")).expect("the log");
    let line = log.lines().next_back().expect("a line").get(9..).expect("JSON").to_owned();
    let line: Value = serde_json::from_str(&line).expect("JSON");
    line["ops"].as_array().expect("changes").clone()
}

#[test]
fn an_edit_costs_one_record_and_few_calls_at_any_size() {
    for games in [100, 4_000] {
        let server = settled(games);
        let mut client = server.client();
        client.post("/api/favorite", &json!({"game_id": game_id(7)}));
        let (log, before) = (log_length(&server), Counts::of(&server));
        for _ in 0..EDITS {
            client.post("/api/favorite", &json!({"game_id": game_id(7)}));
        }
        let after = Counts::of(&server);
        let (appended, written) =
            ((log_length(&server) - log) / EDITS, (after.written - before.written) / EDITS);
        let calls = (after.calls - before.calls) / EDITS;
        // A generated game has at most 1.5 KB; around it stand a checksum, a time and a revision.
        assert!(appended <= 2_048, "{games} games: {appended} bytes appended");
        assert!(written <= 4_096, "{games} games: {written} bytes written");
        assert!(calls <= 6, "{games} games: {calls} calls");
        assert_eq!(last_changes(&server).len(), 1, "{games} games");
    }
}

#[test]
fn a_bulk_edit_is_one_line_with_the_records_it_changed() {
    let server = settled(1_000);
    let ids: Vec<String> = (0..100).map(|index| game_id(index * 7)).collect();
    server.post("/api/games/bulk", &json!({"ids": ids, "changes": {"genre": "Counted"}}));
    let changes = last_changes(&server);
    assert_eq!(changes.len(), 100);
    assert!(changes.iter().all(|change| change.to_string().contains("Counted")));
}

fn log_length(server: &Server) -> u64 {
    fs::metadata(server.data("library.log")).expect("the log").len()
}
