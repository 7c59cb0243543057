//! `GET /metrics`: off by default, and with the token only.

use serde_json::json;

use crate::support::{
    client::Request,
    library::library,
    server::{Server, Setup},
};

/// The value of a row of the text.
fn value(text: &str, row: &str) -> Option<f64> {
    text.lines().find_map(|line| line.strip_prefix(row)?.trim().parse().ok())
}

fn figures(server: &Server) -> String {
    let reply = server.send(&Request::get("/metrics")).expect(200);
    assert_eq!(reply.header("Content-Type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    reply.text()
}

#[test]
fn it_is_not_there_unless_it_is_switched_on() {
    for setup in [Setup::new(), Setup::new().env("SERVICE_METRICS", "0")] {
        let server = setup.start();
        let reply = server.send(&Request::get("/metrics")).expect(404).json();
        assert_eq!(reply["code"], "ROUTE_NOT_FOUND");
    }
}

#[test]
fn requests_library_jobs_and_memory_are_shown_to_who_has_the_token() {
    let server = Setup::new().library(&library(7)).env("SERVICE_METRICS", "1").start();
    let denied = server.send(&Request::get("/metrics").without_token()).expect(403).json();
    assert_eq!(denied["error"], "Unauthorized");
    for _ in 0..3 {
        server.get("/api/running");
    }
    server.send(&Request::post("/api/launch", &json!({"game_id": "nobody"}))).expect(400);
    server.send(&Request::get("/no/such/file")).expect(404);
    let text = figures(&server);
    let requests =
        |labels: &str| value(&text, &format!("service_launcher_http_requests_total{{{labels}}}"));
    assert_eq!(requests(r#"method="GET",route="/api/running",status="200""#), Some(3.0), "{text}");
    assert_eq!(requests(r#"method="POST",route="/api/launch",status="400""#), Some(1.0));
    assert_eq!(requests(r#"method="",route="other",status="404""#), Some(1.0));
    assert_eq!(requests(r#"method="",route="other",status="403""#), Some(1.0));
    assert_eq!(value(&text, "service_launcher_library_games"), Some(7.0));
    assert_eq!(value(&text, "service_launcher_sessions"), Some(0.0));
    for row in [
        "service_launcher_library_bytes",
        "process_resident_memory_bytes",
        "process_start_time_seconds",
    ] {
        assert!(value(&text, row).is_some_and(|value| value > 0.0), "{row}: {text}");
    }
    let version = format!("service_launcher_info{{version=\"{}\"}}", env!("CARGO_PKG_VERSION"));
    assert_eq!(value(&text, &version), Some(1.0));
    // Every row has the head of its name before it.
    let mut known = Vec::new();
    for line in text.lines() {
        match line.strip_prefix("# TYPE ") {
            Some(head) => known.extend(head.split(' ').next()),
            None if line.starts_with('#') => {}
            None => {
                let name = line.split(['{', ' ']).next().expect("a name");
                assert!(known.contains(&name), "{line}");
            }
        }
    }
    assert!(!text.contains(server.token()));
    server.send(&Request::post("/metrics", &json!({}))).expect(404);
}

#[test]
fn the_library_need_not_be_readable() {
    let setup = Setup::new().env("SERVICE_METRICS", "1");
    setup.scratch().file_mode("data/library.json", "{broken", 0o600);
    let server = setup.start();
    let text = figures(&server);
    assert_eq!(value(&text, "service_launcher_library_games"), None, "{text}");
    assert!(value(&text, "process_resident_memory_bytes").is_some());
}
