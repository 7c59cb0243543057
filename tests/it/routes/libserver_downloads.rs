//! Servers that do not behave: packed answers, and downloads of `/api/libserver/install`.

use std::{
    fs,
    io::{Read as _, Write as _},
    net::TcpListener,
    thread,
};

use flate2::{Compression, write::GzEncoder};
use serde_json::json;

use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    server::Setup,
    wait::until,
};

/// Serves one game whose download stops after its first thousand bytes; the address of the server.
fn stalling() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address");
    // It ends with the test.
    thread::spawn(move || {
        let mut open = Vec::new();
        for stream in listener.incoming() {
            let mut stream = stream.expect("a client");
            let mut head = [0; 8_192];
            let length = stream.read(&mut head).expect("a request");
            let head = String::from_utf8_lossy(&head[..length]).into_owned();
            let answer = match head.split(' ').nth(1).unwrap_or_default() {
                path if path.starts_with("/download/") => {
                    format!("Content-Length: 100000\r\n\r\n{}", "x".repeat(1_000))
                }
                path => {
                    let games = r#"[{"id": 1, "title": "Slow"}]"#;
                    let body = if path.ends_with("getAll") { games } else { "[]" };
                    format!("Connection: close\r\nContent-Length: {}\r\n\r\n{body}", body.len())
                }
            };
            let answer = format!("HTTP/1.1 200 OK\r\n{answer}");
            // OK because a client that hung up is part of the test.
            drop(stream.write_all(answer.as_bytes()));
            open.push(stream);
        }
    });
    format!("http://{address}")
}

#[test]
fn a_download_that_stops_half_way_is_called_off_at_once() {
    let server = Setup::new().start();
    let folder = server.scratch().path("home/games");
    let settings = json!({"libserver_url": stalling(), "libserver_install_dir": folder});
    server.post("/api/settings", &settings);
    let body = json!({"libserver_id": "1"});
    server.send(&Request::post("/api/libserver/install", &body)).expect(202);
    let job = || server.get("/api/v2/jobs")["jobs"][0].clone();
    let id = until("the first bytes", || {
        let job = job();
        (job["current"] == 1_000).then(|| job["job_id"].clone())
    });
    server.send(&Request::post("/api/v2/jobs/cancel", &json!({"job_id": id}))).expect(202);
    until("the end", || (job()["state"] == "cancelled").then_some(()));
    let status = server.get("/api/libserver/install/status?libserver_id=1");
    let stopped =
        json!({"state": "error", "libserver_id": "1", "error": "The installation was stopped."});
    assert_eq!(status, stopped);
    let left = fs::read_dir(&folder).expect("the folder").count();
    assert_eq!(left, 0, "nothing of it is left");
}

#[test]
fn what_a_kill_left_of_an_installation_goes_at_the_next_start() {
    let mut server = Setup::new().start();
    let folder = server.scratch().path("home/games");
    let settings = json!({"libserver_url": stalling(), "libserver_install_dir": folder});
    server.post("/api/settings", &settings);
    let body = json!({"libserver_id": "1"});
    server.send(&Request::post("/api/libserver/install", &body)).expect(202);
    until("the first bytes", || {
        (server.get("/api/v2/jobs")["jobs"][0]["current"] == 1_000).then_some(())
    });
    server.kill();
    let names = || {
        let names = fs::read_dir(&folder)
            .expect("a folder")
            .map(|entry| entry.expect("an entry").file_name().into_string().expect("text"));
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    };
    assert_eq!(names(), [".slow-1.staging"]);
    // As if the kill had come after the game that was there had been moved away.
    for file in [".slow-1.previous/game.bin", ".Other-8.previous/game.bin", ".Other-8.staging/new"]
    {
        server.scratch().file(format!("home/games/{file}"), file);
    }
    server.restart();
    let left = [".Other-8.previous", ".Other-8.staging", "slow-1"];
    until("the folders", || (names() == left).then_some(()));
    assert!(folder.join("slow-1/game.bin").exists(), "the game is back");
}

#[test]
fn the_ways_of_downloading_are_listed_without_the_games() {
    let provider = Provider::new(|_, _| Reply::json(&json!([])));
    let server = Setup::new().start();
    server.post("/api/settings", &json!({"libserver_url": provider.base()}));
    let list = Request::get("/api/libserver/providers");
    let named = json!([{"key": "a", "name": "Fast", "priority": 1}, {"key": "b", "name": "Slow", "priority": 2}]);
    let other = |status: &'static str, body: &str| Reply::new(status, "text/plain", body);
    let usual = json!([{"key": "org.gameyfin.plugins.download.direct.DirectDownloadPlugin$DirectDownloadProvider",
        "name": "Direct Download", "priority": 1}]);
    for (reply, expected) in [
        (Reply::json(&named), &named),
        (Reply::json(&json!([])), &usual),
        (other("404 Not Found", "nothing here"), &usual),
        (other("500 Internal Server Error", ""), &usual),
        (other("200 OK", "<html>"), &usual),
    ] {
        provider.says(move |path, _| match path {
            "/connect/DownloadProviderEndpoint/getProviders" => reply.clone(),
            _ => Reply::new("404 Not Found", "text/plain", "nothing here"),
        });
        let listed = server.send(&list).expect(200).json();
        assert_eq!(listed["providers"], *expected);
    }
    provider.says(|_, _| Reply::new("401 Unauthorized", "text/plain", "log in"));
    let refused = server.send(&list).expect(400).json();
    assert_eq!(refused["error"], "Library server providers request failed (401): log in");
    drop(provider);
    let refused = server.send(&list).expect(400).json();
    let error = refused["error"].as_str().unwrap_or_default();
    assert!(error.starts_with("Could not reach the library server: "), "{error}");
}

#[test]
fn an_answer_that_is_packed_although_nobody_asked_is_unpacked() {
    let provider = Provider::new(|path, _| {
        let body = match path {
            "/connect/GameEndpoint/getAll" => r#"[{"id": 7, "title": "Packed"}]"#,
            "/connect/DownloadProviderEndpoint/getProviders" => "no JSON",
            _ => "",
        };
        let mut packed = GzEncoder::new(Vec::new(), Compression::default());
        packed.write_all(body.as_bytes()).expect("packed");
        let packed = packed.finish().expect("packed");
        let status = if path.ends_with("getProviders") { "500 Oops" } else { "200 OK" };
        Reply::new(&format!("{status}\r\nContent-Encoding: gzip"), "application/json", packed)
    });
    let server = Setup::new().start();
    server.post("/api/settings", &json!({"libserver_url": provider.base()}));
    let tested = server.post("/api/libserver/test", &json!({}));
    assert_eq!((&tested["ok"], &tested["games"]), (&json!(true), &json!(1)), "{tested}");
}
