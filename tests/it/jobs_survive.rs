//! Jobs over the end of the process: a power cut, a clean stop, a cancel, all in the middle.

use std::{collections::HashSet, fs};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    library,
    server::{Server, Setup},
    stream::{Stream, job, started},
    wait::until,
};

const GAMES: usize = 20_000;
const EXPORT: &str = "/api/v2/library/export";

fn server() -> Server {
    Setup::new().library(&library::library(GAMES)).start()
}

/// The job as it stands on the disk, where a power cut leaves it.
fn stored(server: &Server, id: &str) -> Value {
    let bytes = fs::read(server.data("operations.json")).expect("a file");
    let file: Value = serde_json::from_slice(&bytes).expect("json");
    let operations = file["operations"].as_array().expect("a list");
    operations.iter().find(|job| job["job_id"] == id).expect("the job is stored").clone()
}

/// Starts an export and waits until some of it, but not all, is done. On a machine so quick that
/// it finishes between two looks another one is started.
fn begun(server: &Server) -> String {
    until("an export to be caught in the middle", || {
        let id = started(server, EXPORT, &json!({"format": "json", "scope": "all"}));
        let state = until("its first checkpoint", || {
            let job = stored(server, &id);
            (!job["checkpoint"].is_null() || job["state"] == "done").then(|| job["state"].clone())
        });
        (state == "running").then_some(id)
    })
}

fn resumed(server: &Server, id: &str) -> Value {
    let mut stream = Stream::open(server);
    let request = Request::post("/api/v2/jobs/resume", &json!({"job_id": id}));
    let reply = server.send(&request).expect(202).json();
    assert_eq!((&reply["resume_of"], &reply["state"]), (&json!(id), &json!("queued")));
    stream.job_end(server, reply["job_id"].as_str().expect("an id"))
}

/// Names in the folder of exports that are no finished exports.
fn unfinished(server: &Server) -> Vec<String> {
    let names = fs::read_dir(server.data("exports")).expect("a folder");
    let names = names.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.filter(|name| !name.starts_with("service-library-")).collect()
}

/// Fails unless the export holds every game once, in the order of the library.
#[track_caller]
fn holds_every_game_once(server: &Server, document: &Value) {
    let name = document["result"]["file"].as_str().expect("a name");
    let text = server.send(&Request::get(&format!("{EXPORT}/download?file={name}"))).expect(200);
    let export = text.json();
    assert_eq!(export["count"], GAMES);
    let games = export["games"].as_array().expect("a list");
    let ids: Vec<_> = games.iter().map(|game| game["game_id"].as_str().unwrap_or("")).collect();
    assert!(ids.iter().enumerate().all(|(index, id)| *id == library::game_id(index)));
    assert_eq!((ids.len(), ids.iter().collect::<HashSet<_>>().len()), (GAMES, GAMES));
}

/// Continues an interrupted export and counts what was done before and after.
#[track_caller]
fn goes_on(server: &Server, id: &str) {
    let old = job(server, id);
    assert_eq!((&old["state"], &old["can_resume"]), (&json!("interrupted"), &json!(true)));
    let before = old["checkpoint"]["items"].as_u64().expect("a number");
    assert!((1..GAMES as u64).contains(&before), "{before}");
    let document = resumed(server, id);
    assert_eq!(document["state"], "done", "{document}");
    assert_eq!(document["root_job_id"], *id);
    let after = document["result"]["written"].as_u64().expect("a number");
    assert_eq!(before + after, GAMES as u64, "no finished game is written again");
    holds_every_game_once(server, &document);
    assert_eq!(job(server, id)["state"], "interrupted", "the old job keeps its state");
    assert_eq!(unfinished(server), Vec::<String>::new());
}

#[test]
fn an_export_cut_off_by_kill_is_resumed_without_repeating_a_game() {
    let mut server = server();
    let id = begun(&server);
    server.kill();
    server.restart();
    goes_on(&server, &id);
}

#[test]
fn an_export_cut_off_by_a_stop_is_resumed_without_repeating_a_game() {
    let mut server = server();
    let mut stream = Stream::open(&server);
    let id = begun(&server);
    server.stop();
    let told = stream.hear("job.interrupted");
    assert_eq!(
        (&told["job_id"], &told["message"]),
        (&json!(id), &json!("Interrupted by shutdown."))
    );
    server.restart();
    goes_on(&server, &id);
}

#[test]
fn a_cancelled_export_leaves_nothing_behind() {
    let server = server();
    let mut stream = Stream::open(&server);
    let id = begun(&server);
    let request = Request::post("/api/v2/jobs/cancel", &json!({"job_id": id}));
    let reply = server.send(&request).expect(202).json();
    assert_eq!((&reply["job_id"], &reply["state"]), (&json!(id), &json!("cancelling")));
    assert_eq!(stream.hear("job.cancelling")["message"], "Cancellation requested.");
    let document = stream.job_end(&server, &id);
    assert_eq!((&document["state"], &document["result"]), (&json!("cancelled"), &Value::Null));
    assert_eq!((&document["can_retry"], &document["can_resume"]), (&json!(true), &json!(false)));
    assert_eq!(unfinished(&server), Vec::<String>::new());
    let again = Request::post("/api/v2/jobs/cancel", &json!({"job_id": id}));
    assert_eq!(server.send(&again).expect(409).json()["code"], "JOB_NOT_CANCELLABLE");
    let retry = Request::post("/api/v2/jobs/retry", &json!({"job_id": id}));
    let next = server.send(&retry).expect(202).json();
    let document = stream.job_end(&server, next["job_id"].as_str().expect("an id"));
    assert_eq!(document["result"]["written"], GAMES);
    holds_every_game_once(&server, &document);
}
