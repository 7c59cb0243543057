//! `POST /api/state/recover`, and what the other routes say while the library cannot be read.

use std::{
    fs,
    time::{Duration, SystemTime},
};

use serde_json::json;

use crate::support::{client::Request, server::Server, wait::until};

fn add(server: &Server, name: &str) {
    let path = server.scratch().file(format!("{name}.sh"), "");
    server.post("/api/game", &json!({"game": {"name": name, "path": path}}));
}

#[test]
fn a_corrupt_library_is_refused_kept_and_recovered_whole() {
    let server = Server::start();
    for name in ["a", "b", "c"] {
        add(&server, name);
    }
    fs::write(server.data("library.json"), "{\"games\": [").expect("written");
    let refused = server.send(&Request::get("/api/library")).expect(503).json();
    assert_eq!(refused["code"], "STATE_UNAVAILABLE");
    let body = json!({"id": 0});
    server.send(&Request::post("/api/favorite", &body)).expect(503);
    server.send(&Request::get("/api/openapi.json")).expect(200);
    assert_eq!(fs::read_to_string(server.data("library.json")).expect("kept"), "{\"games\": [");
    let report = server.post("/api/state/recover", &json!({"dry_run": true}));
    assert_eq!(report["dry_run"], true);
    assert_eq!(report["backup_available"], true);
    assert!(report["snapshots"].is_array());
    let recovered = server.post("/api/state/recover", &json!({}));
    assert_eq!(recovered, json!({"ok": true, "games": 3}));
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(3));
    server.post("/api/favorite", &body);
}

#[test]
fn the_program_starts_on_a_corrupt_library() {
    let mut server = Server::start();
    add(&server, "a");
    server.stop();
    fs::write(server.data("library.json"), [0xff, 0x00, 0x7b]).expect("written");
    server.restart();
    server.send(&Request::get("/api/library")).expect(503);
    let unknown = json!({"snapshot": "../library.json"});
    let reply = server.send(&Request::post("/api/state/recover", &unknown)).expect(400).json();
    assert_eq!(reply["code"], "BAD_REQUEST");
    server.post("/api/v1/state/recover", &json!({}));
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_snapshot_is_restored_by_name() {
    let mut server = Server::start();
    // A snapshot is taken when the library is folded, which a stop does.
    for name in ["a", "b", "c"] {
        add(&server, name);
        server.stop();
        server.restart();
    }
    let report = || server.post("/api/state/recover", &json!({"dry_run": true}));
    let snapshots = report()["snapshots"].as_array().expect("a list").clone();
    assert!(snapshots.len() > 1, "{snapshots:?}");
    // The newest file comes first, whatever its name.
    let oldest = snapshots.last().and_then(|last| last["name"].as_str()).expect("a name");
    let path = server.data("library.json.snapshots").join(oldest);
    let file = fs::File::options().write(true).open(path).expect("opened");
    file.set_modified(SystemTime::now() + Duration::from_hours(1)).expect("set");
    assert_eq!(report()["snapshots"][0]["name"], oldest);
    for snapshot in &snapshots {
        assert!(snapshot["size"].is_u64() && snapshot["modified"].is_f64(), "{snapshot}");
    }
    let restored = server.post("/api/state/recover", &json!({"snapshot": oldest}));
    assert_eq!(restored["snapshot"], oldest);
    assert_eq!(restored["games"], 1);
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_library_that_is_gone_is_not_replaced_by_an_empty_one() {
    let mut server = Server::start();
    for name in ["a", "b", "c"] {
        add(&server, name);
        server.stop();
        server.restart();
    }
    server.stop();
    for name in ["library.json", "library.json.bak"] {
        fs::remove_file(server.data(name)).expect("removed");
    }
    server.restart();
    let refused = server.send(&Request::get("/api/library")).expect(503).json();
    assert_eq!(refused["code"], "STATE_UNAVAILABLE");
    assert!(!server.data("library.json").exists());
    let report = server.post("/api/state/recover", &json!({"dry_run": true}));
    assert_eq!(report["backup_available"], true);
    assert_eq!(server.post("/api/state/recover", &json!({})), json!({"ok": true, "games": 3}));
    add(&server, "d");
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(4));
}

#[test]
fn a_log_emptied_while_it_runs_loses_no_answered_change() {
    let mut server = Server::start();
    add(&server, "a");
    fs::write(server.data("library.log"), "").expect("emptied");
    // A change that is on its way when the program finds the log changed may be refused. It is not lost: it was
    // never answered.
    let path = server.scratch().file("b.sh", "");
    let game = Request::post("/api/game", &json!({"game": {"name": "b", "path": path}}));
    until("a change that is taken", || (server.send(&game).status == 200).then_some(()));
    server.kill();
    server.restart();
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(2));
}
