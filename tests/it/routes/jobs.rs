//! `GET /api/jobs`, `/api/v2/jobs`, `/api/v2/jobs/items`; `POST /api/v2/jobs/cancel`, `/retry`,
//! `/resume`. What a job does while it runs is tested with exports.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::{Stream, started},
};

const RUNNING: &str = "00000000000000000000000000000001";
const DONE: &str = "00000000000000000000000000000002";
const FAILED: &str = "00000000000000000000000000000003";

/// A program that was cut off while one of its three jobs ran.
fn cut_off() -> Server {
    let setup = Setup::new();
    let home = setup.scratch().path("home");
    let operations = json!({"version": 1, "operations": [
        {
            "job_id": RUNNING, "root_job_id": RUNNING, "type": "library.export", "title": "One",
            "state": "running", "created_at": "2026-01-03T00:00:00.000000+00:00",
            "updated_at": "2026-01-03T00:00:01.000000+00:00",
            "input": {"format": "csv", "scope": "all", "note": home.join("x"), "api_key": "k"},
        },
        {
            "job_id": DONE, "root_job_id": DONE, "type": "library.export", "title": "Two",
            "state": "done", "created_at": "2026-01-01T00:00:00.000000+00:00",
            "updated_at": "2026-01-02T00:00:00.000000+00:00",
            "started_at": "2099-01-01T00:00:00.000000+00:00",
            "finished_at": "2099-01-01T00:00:02.500000+00:00",
        },
        {
            "job_id": FAILED, "root_job_id": DONE, "retry_of": DONE, "type": "saves.scan",
            "title": "Three", "state": "error", "created_at": "2026-01-01T00:00:00.000000+00:00",
            "updated_at": "2026-01-01T12:00:00.000000+00:00",
            "finished_at": "2099-01-01T00:00:00.000000+00:00",
            "error": {"code": "INTERNAL_ERROR", "message": "Broken.", "request_id": "r"},
        },
    ]});
    let items: Vec<_> = (0..3)
        .map(|number| {
            json!({"item_id": number.to_string(), "label": "L", "state": "failed",
            "error": {"code": "C", "message": "M", "request_id": "r"}})
        })
        .collect();
    let items = json!({"job_id": FAILED, "items": items});
    setup.scratch().file("data/operations.json", operations.to_string());
    setup.scratch().file(format!("data/operations_items/{FAILED}.json"), items.to_string());
    setup.start()
}

fn ids(reply: &Value) -> String {
    let jobs = reply["jobs"].as_array().expect("a list");
    jobs.iter().map(|job| &job["job_id"].as_str().unwrap_or(" ")[31..]).collect()
}

#[track_caller]
fn refused(server: &Server, request: &Request, status: u16, code: &str, message: &str) {
    let reply = server.send(request).expect(status).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!(code)));
    assert!(reply["request_id"].is_string());
}

fn post(verb: &str, body: &Value) -> Request {
    Request::post(&format!("/api/v2/jobs/{verb}"), body)
}

#[test]
fn there_are_no_jobs_at_first() {
    let server = Server::start();
    let empty = json!({"cursor": null, "next_cursor": null, "jobs": []});
    assert_eq!(server.get("/api/v2/jobs"), empty);
    for path in ["/api/jobs", "/api/v1/jobs"] {
        assert_eq!(server.get(path), json!({"jobs": {}, "history": []}));
    }
    let refused = server.send(&Request::get("/api/v2/jobs").without_token());
    assert_eq!(refused.expect(403).json(), json!({"error": "Unauthorized"}));
}

#[test]
fn what_ran_at_the_end_is_interrupted_at_the_start() {
    let server = cut_off();
    let reply = server.get("/api/v2/jobs");
    assert_eq!(ids(&reply), "123");
    let job = &reply["jobs"][0];
    assert_eq!(
        (&job["state"], &job["message"]),
        (&json!("interrupted"), &json!("Interrupted by shutdown."))
    );
    assert!(job["finished_at"].is_string());
    assert_eq!(
        (&job["can_cancel"], &job["can_retry"], &job["can_resume"]),
        (&json!(false), &json!(true), &json!(false))
    );
    assert_eq!(job["input"]["note"], "~/x");
    assert_eq!(job["operation_id"], RUNNING);
    let stored: Value =
        serde_json::from_slice(&server.scratch().read("data/operations.json")).expect("json");
    assert_eq!(stored["operations"][0]["state"], "interrupted");
    assert_eq!(server.scratch().mode("data/operations.json"), 0o600);
    let old = server.get("/api/jobs");
    assert_eq!(old["jobs"], json!({}));
    assert_eq!(old["history"].as_array().map(Vec::len), Some(3));
    assert_eq!(old["history"][0]["duration_seconds"], 2.5);
    assert_eq!(old["history"][1]["error"]["message"], "Broken.");
}

#[test]
fn lists_are_filtered_paged_and_grouped() {
    let server = cut_off();
    let page = |query: &str| server.get(&format!("/api/v2/jobs?{query}"));
    assert_eq!(ids(&page("type=library.export")), "12");
    assert_eq!(ids(&page("type_filter=saves.scan")), "3");
    assert_eq!(ids(&page("state=done")), "2");
    assert_eq!(ids(&page("state_filter=error")), "3");
    assert_eq!(ids(&page("state=dreaming")), "");
    assert_eq!(ids(&page(&format!("root_job_id={DONE}"))), "23");
    let first = page("limit=2");
    assert_eq!((ids(&first), &first["next_cursor"]), ("12".into(), &json!(DONE)));
    let second = page(&format!("limit=2&cursor={DONE}"));
    assert_eq!(
        (ids(&second), &second["next_cursor"], &second["cursor"]),
        ("3".into(), &Value::Null, &json!(DONE))
    );
    assert_eq!(ids(&page("limit=0")), "1", "clamped to 1");
    assert_eq!(ids(&page("limit=1000&cursor=unknown")), "123");
    let grouped = page("group_by=root_job_id");
    assert_eq!(grouped["grouped_by_root"][DONE].as_array().map(Vec::len), Some(2));
    assert_eq!(grouped["grouped_by_root"][DONE][0]["job_id"], DONE);
    assert!(page("").get("grouped_by_root").is_none());
    for path in ["/api/v2/jobs?limit=x", &format!("/api/v2/jobs/items?job_id={FAILED}&limit=1.5")] {
        refused(&server, &Request::get(path), 400, "BAD_REQUEST", "limit must be an integer.");
    }
}

#[test]
fn items_are_paged_in_their_order() {
    let server = cut_off();
    let page = |query: &str| server.get(&format!("/api/v2/jobs/items?job_id={FAILED}{query}"));
    let first = page("&limit=2");
    assert_eq!((&first["job_id"], &first["next_cursor"]), (&json!(FAILED), &json!("1")));
    assert_eq!(first["items"][0]["error"]["message"], "M");
    let second = page("&limit=2&cursor=1");
    assert_eq!(
        (&second["items"][0]["item_id"], &second["next_cursor"]),
        (&json!("2"), &Value::Null)
    );
    let none = server.get(&format!("/api/v2/jobs/items?job_id={DONE}"));
    assert_eq!(none["items"], json!([]));
    let unknown = Request::get("/api/v2/jobs/items?job_id=nobody");
    refused(&server, &unknown, 404, "NOT_FOUND", "Job not found.");
    let missing = Request::get("/api/v2/jobs/items");
    refused(&server, &missing, 400, "BAD_REQUEST", "job_id is required.");
}

#[test]
fn refusals_have_their_codes_and_words() {
    let server = cut_off();
    for verb in ["cancel", "retry", "resume"] {
        for body in [json!({}), json!({"job_id": ""}), json!({"job_id": 7})] {
            refused(&server, &post(verb, &body), 400, "BAD_REQUEST", "job_id is required.");
        }
    }
    let unknown = json!({"job_id": "nobody"});
    refused(
        &server,
        &post("cancel", &unknown),
        404,
        "NOT_FOUND",
        "Operation nobody was not found.",
    );
    refused(&server, &post("retry", &unknown), 404, "NOT_FOUND", "Job not found.");
    refused(&server, &post("resume", &unknown), 404, "NOT_FOUND", "Job not found.");
    let cases = [
        ("cancel", RUNNING, "JOB_NOT_CANCELLABLE", "cancelled"),
        ("cancel", DONE, "JOB_NOT_CANCELLABLE", "cancelled"),
        ("retry", DONE, "JOB_STATE_CONFLICT", "retried"),
        ("resume", DONE, "JOB_NOT_RESUMABLE", "resumed"),
        ("resume", RUNNING, "JOB_NOT_RESUMABLE", "resumed"),
    ];
    for (verb, id, code, word) in cases {
        let message = format!("Operation {id} cannot be {word}.");
        refused(&server, &post(verb, &json!({"job_id": id})), 409, code, &message);
    }
    let input = json!({"job_id": RUNNING, "input": [1]});
    refused(&server, &post("retry", &input), 400, "BAD_REQUEST", "input must be an object.");
}

#[test]
fn an_interrupted_job_is_retried_as_a_new_one() {
    let server = cut_off();
    let mut stream = Stream::open(&server);
    let request = post("retry", &json!({"job_id": RUNNING}));
    let reply = server.send(&request).expect(202).json();
    assert_eq!((&reply["retry_of"], &reply["root_job_id"]), (&json!(RUNNING), &json!(RUNNING)));
    assert_eq!(reply["state"], "queued");
    let id = reply["job_id"].as_str().expect("an id");
    assert!(id.len() == 32 && id != RUNNING);
    let document = stream.job_end(&server, id);
    assert_eq!((&document["state"], &document["type"]), (&json!("done"), &json!("library.export")));
    assert_eq!(document["result"]["count"], 0);
    let jobs = server.get("/api/v2/jobs");
    assert_eq!(
        (&jobs["jobs"][0]["job_id"], &jobs["jobs"][1]["state"]),
        (&json!(id), &json!("interrupted"))
    );
    let other = json!({"job_id": RUNNING, "input": {"format": "xml", "scope": "all"}});
    let reply = server.send(&post("retry", &other)).expect(202).json();
    let document = stream.job_end(&server, reply["job_id"].as_str().expect("an id"));
    assert_eq!(document["error"], "Unknown export format.");
}

#[test]
fn a_retry_keeps_the_emulator_in_the_name_of_its_job() {
    let setup = Setup::new();
    let row = |at: u8, name: &str, input: Value| {
        let id = format!("{at:032x}");
        json!({"job_id": id, "root_job_id": id, "type": "emulator.install", "name": name, "title": "T",
            "state": "error", "input": input, "created_at": "2026-01-01T00:00:00.000000+00:00",
            "updated_at": "2026-01-01T00:00:00.000000+00:00"})
    };
    let rows = [
        row(1, "emulator-install:nothing", json!({"app_id": "nothing"})),
        row(2, "emulator-install-all", json!({})),
        row(3, "emulator-install:nothing", json!({})),
    ];
    let operations = json!({"version": 1, "operations": rows});
    setup.scratch().file("data/operations.json", operations.to_string());
    let server = setup.start();
    let retry = |at: u8, input: Value| {
        post("retry", &json!({"job_id": format!("{at:032x}"), "input": input}))
    };
    let message = "A retry keeps the app_id of its job.";
    for (at, input) in
        [(1, json!({})), (1, json!({"app_id": "other"})), (2, json!({"app_id": "other"}))]
    {
        refused(&server, &retry(at, input), 400, "BAD_REQUEST", message);
    }
    let mut stream = Stream::open(&server);
    for (at, message) in [(1, "Unknown emulator."), (3, "app_id is required")] {
        let body = json!({"job_id": format!("{at:032x}")});
        let reply = server.send(&post("retry", &body)).expect(202).json();
        let job = stream.job_end(&server, reply["job_id"].as_str().expect("an id"));
        assert_eq!((&job["state"], &job["error"]), (&json!("error"), &json!(message)));
    }
}

#[test]
fn a_retry_keeps_whatever_the_name_of_its_job_is_about() {
    let setup = Setup::new();
    let kinds = [
        ("saves.backup", "saves-backup:", "game_id"),
        ("saves.restore", "saves-restore:", "game_id"),
        ("saves.prune", "saves-prune:", "game_id"),
        ("saves.sync", "saves-sync:", "game_id"),
        ("saves.choose", "saves-choose:", "game_id"),
        ("achievements.session", "achievements-session:", "game_id"),
        ("libserver.install", "libserver:", "libserver_id"),
        ("setup.scan", "setup-scan:", "preview_id"),
        ("setup.revalidate", "setup-revalidate:", "preview_id"),
        ("setup.commit", "setup-commit:", "preview_id"),
        ("metadata.match_preview", "metadata-match-preview:", "preview_id"),
        ("metadata.apply", "metadata-match-apply:", "preview_id"),
        ("metadata.match_auto", "metadata-match:", "import_batch_id"),
        ("metadata.media_auto", "metadata-media:", "import_batch_id"),
    ];
    let rows = kinds.iter().enumerate().map(|(at, (kind, family, key))| {
        let id = format!("{at:032x}");
        // Every second one ran in parallel with another job of its name.
        let end = if at % 2 == 0 { "" } else { ":00000000" };
        json!({"job_id": id, "root_job_id": id, "type": kind, "name": format!("{family}one{end}"), "title": "T",
            "state": "error", "input": {*key: "one"}, "created_at": "2026-01-01T00:00:00.000000+00:00",
            "updated_at": "2026-01-01T00:00:00.000000+00:00"})
    });
    let operations = json!({"version": 1, "operations": rows.collect::<Vec<_>>()});
    setup.scratch().file("data/operations.json", operations.to_string());
    let server = setup.start();
    let mut stream = Stream::open(&server);
    for (at, (kind, _, key)) in kinds.into_iter().enumerate() {
        let retry =
            |input: Value| post("retry", &json!({"job_id": format!("{at:032x}"), "input": input}));
        let message = format!("A retry keeps the {key} of its job.");
        for input in [json!({key: "other"}), json!({})] {
            refused(&server, &retry(input), 400, "BAD_REQUEST", &message);
        }
        let reply = server.send(&retry(json!({key: "one"}))).expect(202).json();
        let job = stream.job_end(&server, reply["job_id"].as_str().expect("an id"));
        assert_eq!(job["type"], kind);
    }
}

#[test]
fn an_unreadable_list_is_kept_aside() {
    let setup = Setup::new();
    setup.scratch().file("data/operations.json", "{ damaged");
    let server = setup.start();
    assert_eq!(server.get("/api/v2/jobs")["jobs"], json!([]));
    let names = fs::read_dir(server.data(""))
        .expect("a folder")
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let aside: Vec<_> = names.filter(|name| name.starts_with("operations.json.")).collect();
    assert_eq!(aside.len(), 1);
    assert_eq!(server.scratch().read(format!("data/{}", aside[0])), b"{ damaged");
    let mut stream = Stream::open(&server);
    let id = started(&server, "/api/v2/library/export", &json!({"format": "csv", "scope": "all"}));
    assert_eq!(stream.job_end(&server, &id)["state"], "done");
}
