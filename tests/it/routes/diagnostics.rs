//! `/api/log` and `/api/diagnostic`.

use std::fs;

use serde_json::{Value, json};

use super::game::create;
use crate::support::{
    client::Request,
    server::{Server, Setup},
};

fn report(server: &Server, path: &str) -> Value {
    let answer = server.get(path);
    serde_json::from_str(answer["report"].as_str().expect("text")).expect("JSON in a text")
}

#[test]
fn the_log_ends_with_the_newest_line_and_shows_no_secret() {
    let server = Setup::new().env("ACH_API_KEY", "ach-secret-key").start();
    server.post("/api/settings", &json!({"libserver_password": "hunter2-hunter2"}));
    let filler = format!("{}\n", "x".repeat(99)).repeat(2_600);
    let secrets = "hunter2-hunter2 and ach-secret-key and /x?token=abcdef\n";
    // More than is shown stands in front of what the program wrote.
    let log = server.data("service.log");
    let before = fs::read_to_string(&log).expect("a log");
    fs::write(&log, format!("first line\n{filler}{before}{secrets}")).expect("written");
    for path in ["/api/log", "/api/v1/log"] {
        let answer = server.get(path);
        let text = answer["log"].as_str().expect("text");
        assert!(text.len() <= 250 * 1024 && text.len() > 249 * 1024, "{}", text.len());
        assert!(text.starts_with('x') && !text.contains("first line"), "it starts with a line");
        assert!(text.contains("[redacted] and [redacted] and /x?token=[redacted]\n"));
        for secret in ["hunter2", "ach-secret", "abcdef", server.token()] {
            assert!(!text.contains(secret), "{secret}");
        }
    }
    fs::remove_file(&log).expect("removed");
    assert_eq!(server.get("/api/log"), json!({"log": ""}));
}

#[test]
fn credentials_that_are_entered_while_it_runs_stay_out_of_the_log() {
    let mut server = Server::start();
    server.post("/api/settings", &json!({"recorder_ws_password": "recorder-word"}));
    let hook = json!({"id": "h", "url": "https://93.184.216.34/x", "secret": "signing-word", "events": ["session.started"]});
    server.post("/api/webhooks", &json!({"webhooks": [hook]}));
    let account = json!({"username": "u", "password": "service-word", "check": false});
    server.post("/api/mediasvc/settings", &account);
    let words = ["recorder-word", "signing-word", "service-word"];
    // Names of settings that do not exist are logged.
    let unknown = json!({words[0]: 1, words[1]: 1, words[2]: 1});
    for times in 1..3 {
        server.post("/api/settings", &unknown);
        let log = fs::read_to_string(server.data("service.log")).expect("a log");
        let dropped = "unknown settings dropped: [redacted], [redacted], [redacted]\n";
        assert_eq!(log.matches(dropped).count(), times, "{log}");
        // What is stored is known from the start.
        server.kill();
        server.restart();
    }
}

#[test]
fn the_report_says_how_the_program_is_set_up() {
    let server = Setup::new().env("ACH_API_KEY", "ach-secret-key").start();
    create(&server, "a");
    let secret = json!({"libserver_password": "hunter2-hunter2", "controller_prompt_hint": "ach-secret-key"});
    server.post("/api/settings", &secret);
    for path in ["/api/diagnostic", "/api/v1/diagnostic"] {
        let report = report(&server, path);
        assert_eq!((&report["games_count"], &report["running_count"]), (&json!(1), &json!(0)));
        assert_eq!(report["version"], server.get("/api/settings")["version"]);
        assert_eq!(report["python"], "none (native)");
        assert!(report["platform"].as_str().is_some_and(|text| text.starts_with("Linux ")));
        assert_eq!(
            report["data_dir"],
            json!(server.data("")).as_str().map_or("", |path| path.trim_end_matches('/'))
        );
        let settings = &report["settings_summary"];
        assert_eq!(settings["libserver_password_set"], true);
        assert_eq!(settings["controller_prompt_hint"], "[redacted]");
        for secret in ["hunter2", "ach-secret-key", server.token()] {
            assert!(!report.to_string().contains(secret), "{secret}");
        }
    }
}

#[test]
fn both_work_while_the_library_cannot_be_read() {
    let server = Setup::new().library("{ this is no library").start();
    server.send(&Request::get("/api/library")).expect(503);
    let report = report(&server, "/api/diagnostic");
    assert_eq!((&report["games_count"], &report["state_available"]), (&json!(null), &json!(false)));
    assert!(server.get("/api/log")["log"].as_str().is_some_and(|log| !log.is_empty()));
}
