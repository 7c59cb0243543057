//! Setup previews over the end of the process: a kill in the middle of reading and of the commit, at
//! many moments. The library holds all of a preview or nothing of it.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    setup::{COMMIT, PREVIEW, begin, commit, commit_body, games, items, scan, settled},
    stream::{Stream, job},
    wait::until,
};

const FILES: usize = 2_000;

fn put_files(server: &Server, folder: &str, files: usize) {
    for number in 0..files {
        server.scratch().file(format!("{folder}/{}/Game {number}.nes", number / 500), "x");
    }
}

fn source(server: &Server, folder: &str) -> Value {
    json!({"type": "folder", "path": server.scratch().path(folder)})
}

fn id(preview: &Value) -> String {
    preview["preview_id"].as_str().expect("an id").to_owned()
}

/// Asks so often where the jobs are: requests are the clock of these tests.
fn look(server: &Server, times: usize) {
    let mut client = server.client();
    for _ in 0..times {
        client.get("/api/v2/jobs");
    }
}

/// Goes on with, or does again, whatever job of a preview was cut off, until it is done.
#[track_caller]
fn finish(server: &Server, preview_id: &str) -> Value {
    until("the preview to be ready", || {
        let preview = settled(server, preview_id);
        let job_id = preview["job_id"].as_str().expect("an id");
        let verb = match preview["state"].as_str().expect("a state") {
            "ready" => return Some(preview),
            _ if job(server, job_id)["can_resume"] == true => "resume",
            _ => "retry",
        };
        let request = Request::post(&format!("/api/v2/jobs/{verb}"), &json!({"job_id": job_id}));
        server.send(&request).expect(202);
        None
    })
}

#[test]
fn a_scan_that_is_killed_goes_on_where_it_was() {
    let mut server = Server::start();
    for folder in ["one", "two", "three"] {
        put_files(&server, folder, FILES / 4);
    }
    let sources: Vec<Value> = ["one", "two", "three"].map(|name| source(&server, name)).into();
    for looks in [0, 1, 3, 6, 12] {
        let begun = begin(&server, &json!(sources));
        look(&server, looks);
        server.kill();
        server.restart();
        let preview = finish(&server, &id(&begun));
        assert_eq!(preview["counts"]["additions"], 3 * FILES / 4, "after {looks} looks");
        let all = items(&server, &id(&begun), 200);
        let mut ids: Vec<_> = all.iter().map(|item| item["candidate_id"].as_str()).collect();
        ids.sort_unstable();
        ids.dedup();
        assert_eq!(ids.len(), 3 * FILES / 4, "each candidate once");
        assert!(games(&server).is_empty(), "a scan writes nothing to the library");
    }
}

#[test]
fn a_commit_that_is_killed_did_all_or_nothing() {
    let mut server = Server::start();
    put_files(&server, "roms", FILES);
    let mut cut_off = 0;
    for looks in [0, 2, 5, 10, 16, 24, 40, 60] {
        let before = games(&server).len();
        assert_eq!(before, 0);
        let preview_id = id(&scan(&server, &json!([source(&server, "roms")])));
        let begun =
            server.send(&Request::post(COMMIT, &commit_body(&preview_id))).expect(202).json();
        look(&server, looks);
        server.kill();
        server.restart();
        let there = games(&server).len();
        assert!([0, FILES].contains(&there), "{there} of {FILES} after {looks} looks");
        cut_off +=
            usize::from(job(&server, begun["job_id"].as_str().expect("an id"))["state"] != "done");
        finish(&server, &preview_id);
        let rows = games(&server);
        assert_eq!(rows.len(), FILES, "after {looks} looks");
        let batch = &begun["import_batch_id"];
        assert!(rows.iter().all(|row| row["import_batch_id"] == *batch));
        let done = commit(&server, &preview_id);
        assert_eq!(done["result"]["added"], FILES, "what was done is told again");
        assert_eq!(games(&server).len(), FILES);
        let ids: Vec<&Value> = rows.iter().map(|row| &row["game_id"]).collect();
        server.post("/api/games/bulk", &json!({"ids": ids[..1], "changes": {"favorite": true}}));
        // The next round begins with an empty library again.
        server.stop();
        for name in ["library.json", "library.log", "library.json.bak"] {
            let file = server.data(name);
            if file.exists() {
                std::fs::remove_file(file).expect("removed");
            }
        }
        std::fs::remove_dir_all(server.data("previews")).expect("removed");
        drop(std::fs::remove_dir_all(server.data("library.json.snapshots")));
        server.restart();
    }
    assert!(cut_off > 0, "no commit was caught in the middle");
}

#[test]
fn fifty_thousand_files_are_read_in_bounded_memory() {
    let setup = Setup::new();
    for number in 0..50_000 {
        let name =
            format!("roms/{:03}/A game with a name of usual length {number}.nes", number / 250);
        setup.scratch().file(name, "");
    }
    let server = setup.start();
    let before = server.status("VmRSS");
    let mut stream = Stream::open(&server);
    let begun = begin(&server, &json!([source(&server, "roms")]));
    stream.job_end(&server, begun["job_id"].as_str().expect("an id"));
    let preview = settled(&server, &id(&begun));
    assert_eq!(preview["counts"]["additions"], 50_000, "{preview}");
    let grown = server.status("VmHWM") - before;
    assert!(grown < 128 * 1024, "reading took {grown} KiB");
    let last = server.get(&format!("{PREVIEW}/items?preview_id={}&limit=200", id(&preview)));
    assert_eq!(last["items"].as_array().map(Vec::len), Some(200));
}
