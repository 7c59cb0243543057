//! `GET` and `POST /api/webhooks`, `POST /api/webhooks/test`, and every event that is delivered.

use std::{
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    receiver::{Delivery, Receiver},
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

const SECRET: &str = "an 8+ character sécret";
const EVENTS: [&str; 9] = [
    "session.started",
    "session.stopped",
    "queue.advanced",
    "library.imported",
    "library.changed",
    "metadata.synced",
    "backup.created",
    "update.installed",
    "plugin.changed",
];

fn server() -> Server {
    Setup::new().env("SERVICE_ALLOW_HTTP_WEBHOOKS", "1").start()
}

fn hook(receiver: &Receiver, more: &Value) -> Value {
    let mut hook = json!({"url": receiver.url(), "events": EVENTS, "secret": SECRET});
    let fields = more.as_object().expect("an object").clone();
    hook.as_object_mut().expect("an object").extend(fields);
    hook
}

/// Saves one configuration and returns it as it is shown.
#[track_caller]
fn save(server: &Server, hook: Value) -> Value {
    server.post("/api/webhooks", &json!({"webhooks": [hook]}))["webhooks"][0].clone()
}

#[track_caller]
fn refused(server: &Server, target: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(target, body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

/// The first configuration once its last delivery is done with.
#[track_caller]
fn delivered(server: &Server) -> Value {
    until("the delivery to be written down", || {
        let hook = server.get("/api/webhooks")["webhooks"][0].clone();
        (hook["last_delivery_at"] != "").then_some(hook)
    })
}

/// Creates a game, which is announced.
fn touch(server: &Server) -> String {
    let saved = server.post("/api/v2/library/manual-entry", &json!({"game": {"name": "Größe"}}));
    saved["game_id"].as_str().expect("an id").to_owned()
}

#[test]
fn configs_are_saved_shown_and_survive_a_power_cut() {
    let mut server = server();
    let listed = server.get("/api/webhooks");
    assert_eq!(listed, json!({"webhooks": [], "events": EVENTS, "attempts": 3, "timeout": 5}));
    let receiver = Receiver::new();
    let posted = json!({"webhooks": [hook(&receiver, &json!({}))], "attempts": 2, "timeout": 9});
    let saved = server.post("/api/v1/webhooks", &posted);
    assert_eq!(saved["events"], json!(EVENTS));
    let shown = saved["webhooks"][0].clone();
    assert_eq!((&shown["attempts"], &shown["timeout"]), (&json!(2), &json!(9)));
    assert_eq!((&shown["enabled"], &shown["secret_set"]), (&json!(true), &json!(true)));
    server.kill();
    server.restart();
    let listed = server.get("/api/v1/webhooks");
    assert_eq!(listed["webhooks"], json!([shown]));
    assert_eq!((&listed["attempts"], &listed["timeout"]), (&json!(2), &json!(9)));
    // The secret is still there, and not shown.
    let trial = json!({"webhook": {
        "id": shown["id"], "url": receiver.url(), "events": ["session.started"], "secret_set": true,
    }});
    thread::scope(|scope| {
        let tested = scope.spawn(|| server.post("/api/webhooks/test", &trial));
        let ping = receiver.next();
        assert!(ping.is_signed_with(SECRET));
        ping.answer(200, "");
        let expected = json!({"ok": true, "status": 200, "error": ""});
        assert_eq!(tested.join().expect("no panic"), expected);
    });
    for target in ["/api/webhooks", "/api/settings", "/api/library", "/api/notifications"] {
        let text = server.send(&Request::get(target)).expect(200).text();
        assert!(!text.contains("sécret") && !text.contains("cret\":\""), "{target}: {text}");
    }
    assert!(!server.log().contains("sécret"));
}

#[test]
fn every_refusal_has_its_sentence() {
    let server = server();
    let own = format!("http://127.0.0.1:{}/", server.address().port());
    let long = format!("https://example.org/{}", "x".repeat(2_048));
    let unknown = format!("https://{}/", "x".repeat(64));
    let public = "Webhook URLs may only target public addresses.";
    for (url, message) in [
        ("", "Webhook URL is required."),
        (&long, "Webhook URL is too long."),
        ("ftp://example.org/", "Webhook URL must use http or https."),
        ("example.org", "Webhook URL must use http or https."),
        ("https:///x", "Webhook URL must include a hostname."),
        ("https://me:secret@example.org/", "Webhook URLs may not embed credentials."),
        ("https://example.org/#x", "Webhook URLs may not contain a fragment."),
        ("https://example.org:0/", "Webhook URL port must be between 1 and 65535."),
        ("https://example.org:65536/", "Webhook URL port must be between 1 and 65535."),
        (&own, "Webhook URL may not point at the running service."),
        (&unknown, "Webhook URL could not be resolved."),
        ("http://10.0.0.1/", public),
        ("http://192.168.1.1/", public),
        ("http://169.254.169.254/latest/meta-data", public),
        ("http://0.0.0.0/", public),
        ("http://[fe80::1]/", public),
        ("http://[::ffff:127.0.0.1]/", public),
        ("http://2130706433/", public),
        ("http://0x7f.1/", public),
        ("http://224.0.0.1/", public),
    ] {
        let hook = json!({"url": url, "events": ["session.started"]});
        refused(&server, "/api/webhooks", &json!({"webhooks": [hook]}), message);
        refused(&server, "/api/webhooks/test", &hook, message);
        refused(&server, "/api/webhooks/test", &json!({"webhook": hook}), message);
    }
    let list = "Webhooks must be a list of at most 32 entries.";
    refused(&server, "/api/webhooks", &json!({}), list);
    refused(&server, "/api/webhooks", &json!({"webhooks": vec![1; 33]}), list);
    let events = "Select at least one webhook event.";
    for (path, body) in [
        ("/api/webhooks", json!({"url": "https://example.org/"})),
        ("/api/webhooks", json!({"webhooks": [{"url": "https://example.org/"}]})),
        ("/api/webhooks/test", json!({"url": own, "events": []})),
        ("/api/webhooks/test", json!({"url": own, "events": null})),
        ("/api/webhooks/test", json!({"url": own})),
    ] {
        refused(&server, path, &body, events);
    }
    // The address is checked before the events.
    for (body, message) in [
        (json!({}), "Webhook URL is required."),
        (json!({"url": "ftp://x/"}), "Webhook URL must use http or https."),
        (json!({"url": "https://u:p@example.org/"}), "Webhook URLs may not embed credentials."),
    ] {
        refused(&server, "/api/webhooks/test", &body, message);
        refused(&server, "/api/webhooks", &json!({"webhooks": [body]}), message);
    }
    let started = json!(["session.started"]);
    let nowhere = json!({"events": started});
    refused(&server, "/api/webhooks/test", &nowhere, "Webhook URL is required.");
    let message = "Webhook URL may not point at the running service.";
    refused(&server, "/api/webhooks/test", &json!({"url": own, "events": started}), message);
    let hook = json!({"url": own, "events": ["test.ping"]});
    refused(&server, "/api/webhooks/test", &hook, "Unknown webhook event: test.ping");
    assert_eq!(server.get("/api/webhooks")["webhooks"], json!([]));
    let strict = Server::start();
    let message = "HTTP webhooks are disabled; enable them with SERVICE_ALLOW_HTTP_WEBHOOKS=1.";
    let hook = json!({"url": "http://127.0.0.1:9/", "events": ["session.started"]});
    refused(&strict, "/api/webhooks", &json!({"configs": [hook]}), message);
    refused(&strict, "/api/webhooks/test", &hook, message);
}

#[test]
fn every_event_arrives_with_its_facts_and_a_true_signature() {
    let server = server();
    let receiver = Receiver::new();
    save(&server, hook(&receiver, &json!({})));
    let take = |event: &str| -> Value {
        let delivery = receiver.next();
        let envelope = check(&delivery, event);
        delivery.answer(204, "");
        envelope["data"].clone()
    };
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "Größe", &json!({"platform": "Linux"}));
    assert_eq!(take("library.changed"), json!({"action": "created", "game_ids": [id], "count": 1}));
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    let started = take("session.started");
    let expected = json!({"launch_id": entry["launch_id"], "game_id": id, "name": "Größe",
        "platform": "Linux", "started_at": entry["started"]});
    assert_eq!(started, expected);
    toy.pid();
    toy.end(7);
    let stopped = take("session.stopped");
    assert!(stopped["seconds"].as_u64() >= Some(1));
    let expected = json!({"launch_id": entry["launch_id"], "game_id": id, "name": "Größe",
        "seconds": stopped["seconds"], "exit_code": 7, "timed_out": false,
        "started_at": entry["started"], "stopped_at": stopped["stopped_at"]});
    assert_eq!(stopped, expected);
    let queue = server.post("/api/queue", &json!({"action": "enqueue", "game_ids": [id]}));
    let entry_id = format!("{id}@{}", queue["queue"][0]["added_at"].as_str().expect("a time"));
    server.post("/api/queue", &json!({"action": "advance"}));
    let expected = json!({"from_game_id": "", "from_entry_id": "", "to_game_id": id,
        "to_entry_id": entry_id});
    assert_eq!(take("queue.advanced"), expected);
    server.scratch().file("roms/a.nes", "x");
    server.post("/api/import", &json!({"folder": server.scratch().path("roms")}));
    assert_eq!(take("library.imported"), json!({"source": "folder", "found": 1, "added": 1}));
    server.post("/api/favorite", &json!({"game_id": id}));
    assert_eq!(take("library.changed")["action"], "updated");
    server.post("/api/tags", &json!({"ids": [0, 1], "tags_add": ["x"]}));
    let bulk = take("library.changed");
    assert_eq!((&bulk["action"], &bulk["count"]), (&json!("bulk"), &json!(2)));
    server.post("/api/games/bulk", &json!({"ids": [id], "changes": {"favorite": true}}));
    let bulk = take("library.changed");
    assert_eq!((&bulk["action"], &bulk["game_ids"]), (&json!("bulk"), &json!([id])));
    server.post("/api/v2/library/progress/set", &json!({"game_id": id, "progress": "Beaten"}));
    assert_eq!(take("library.changed")["action"], "updated");
    let trashed = server.post("/api/v2/library/trash", &json!({"game_id": id}));
    assert_eq!(take("library.changed")["action"], "trashed");
    let restore = json!({"trash_id": trashed["trash_id"]});
    server.post("/api/v2/library/trash/restore", &restore);
    assert_eq!(take("library.changed")["action"], "restored");
    server.post("/api/game/delete", &json!({"game_id": id}));
    let expected = json!({"action": "deleted", "game_ids": [id], "count": 1});
    assert_eq!(take("library.changed"), expected);
    copies_made_and_taken(&server, &take);
    assert_eq!(server.get("/api/notifications")["notifications"], json!([]));
}

/// Duplicates removed, an archive made and an archive restored.
fn copies_made_and_taken(server: &Server, take: &dyn Fn(&str) -> Value) {
    let path = server.scratch().file("roms/b.nes", "x");
    for name in ["Twin", "Twin again"] {
        let game = json!({"name": name, "platform": "NES", "path": path});
        server.post("/api/game", &json!({"game": game}));
        assert_eq!(take("library.changed")["action"], "created");
    }
    server.post("/api/health/dedupe", &json!({}));
    let deduped = take("library.changed");
    assert_eq!((&deduped["action"], &deduped["count"]), (&json!("deduped"), &json!(1)));
    server.send(&Request::post("/api/backup/create", &json!({"items": ["library"]}))).expect(202);
    let backup = take("backup.created");
    assert_eq!(backup["items"], json!(["library"]));
    assert!(backup["archive_name"].as_str().is_some_and(|name| !name.is_empty()));
    let restore = json!({"path": backup["archive_name"], "force": true});
    server.send(&Request::post("/api/backup/restore", &restore)).expect(202);
    let restored = take("library.changed");
    let count = restored["game_ids"].as_array().map(Vec::len);
    assert_eq!((&restored["action"], count), (&json!("restored"), Some(2)));
    assert_eq!(restored["count"], 2);
}

/// Checks everything about a delivery but its facts and returns the envelope.
#[track_caller]
fn check(delivery: &Delivery, event: &str) -> Value {
    let envelope = delivery.json();
    assert_eq!(envelope["type"], event);
    assert_eq!(delivery.line, "POST /hook?key=1 HTTP/1.1");
    assert!(delivery.is_signed_with(SECRET), "{event}: {}", delivery.header("X-Service-Signature"));
    assert_eq!(delivery.header("Content-Type"), "application/json");
    assert_eq!(delivery.header("User-Agent"), "Service/1");
    assert_eq!(delivery.header("X-Service-Event"), event);
    assert_eq!(delivery.header("X-Service-Event-Id"), envelope["id"].as_str().expect("text"));
    let created = envelope["created_at"].as_str().expect("text");
    assert_eq!(delivery.header("X-Service-Timestamp"), created);
    assert!(created.ends_with("+00:00"), "{created}");
    assert_eq!((&envelope["version"], &envelope["source"]), (&json!(1), &json!("service")));
    assert_eq!(envelope.as_object().map(serde_json::Map::len), Some(6));
    let text = String::from_utf8(delivery.body.clone()).expect("text");
    assert!(!text.contains("\": ") && !text.contains("\\u"), "compact and raw: {text}");
    envelope
}

#[test]
fn an_unsigned_config_sends_no_signature() {
    let server = server();
    let receiver = Receiver::new();
    save(&server, hook(&receiver, &json!({"secret": ""})));
    touch(&server);
    let delivery = receiver.next();
    assert_eq!(delivery.header("X-Service-Signature"), "");
    delivery.answer(200, "");
    let hook = delivered(&server);
    assert_eq!((&hook["last_status"], &hook["last_error"]), (&json!(200), &json!("")));
}

#[test]
fn a_busy_receiver_is_asked_again_when_it_says() {
    let server = server();
    let receiver = Receiver::new();
    save(&server, hook(&receiver, &json!({"attempts": 3})));
    touch(&server);
    let first = receiver.next();
    let body = first.body.clone();
    first.answer(500, "");
    let begun = Instant::now();
    let second = receiver.next();
    assert!(begun.elapsed() >= Duration::from_millis(900));
    second.answer(429, "Retry-After: 3\r\n");
    let begun = Instant::now();
    let third = receiver.next();
    assert!(begun.elapsed() >= Duration::from_millis(2_900), "raised by Retry-After");
    assert_eq!(third.body, body, "the same bytes every time");
    third.answer(503, "");
    let hook = delivered(&server);
    assert_eq!((&hook["last_status"], &hook["last_error"]), (&json!(503), &json!("HTTP 503")));
    let event = serde_json::from_slice::<Value>(&body).expect("JSON")["id"].clone();
    let notice = server.get("/api/notifications")["notifications"][0].clone();
    assert_eq!(notice["dedupe_key"], format!("webhook:{}", event.as_str().expect("text")));
    assert_eq!((&notice["correlation_id"], &notice["source"]), (&event, &json!("webhook")));
    assert_eq!((&notice["level"], &notice["kind"]), (&json!("error"), &json!("system")));
    assert_eq!(notice["title"], "Webhook delivery failed");
}

#[test]
fn a_redirect_is_the_end() {
    let (server, receiver, other) = (server(), Receiver::new(), Receiver::new());
    save(&server, hook(&receiver, &json!({"attempts": 5})));
    touch(&server);
    receiver.next().answer(302, &format!("Location: {}\r\n", other.url()));
    let hook = delivered(&server);
    assert_eq!(hook["last_status"], 302);
    assert_eq!(hook["last_error"], "Webhook redirects are disabled.");
}

#[test]
fn a_receiver_that_hangs_or_breaks_off_has_no_status() {
    let (server, receiver) = (server(), Receiver::new());
    let saved = save(&server, hook(&receiver, &json!({"attempts": 1, "timeout": 1})));
    touch(&server);
    receiver.next().break_off();
    let broken = delivered(&server);
    assert_eq!(broken["last_status"], Value::Null);
    assert_ne!(broken["last_error"], "");
    assert_eq!(broken["id"], saved["id"]);
    touch(&server);
    let hanging = receiver.next();
    let hung = until("the timeout", || {
        let hook = server.get("/api/webhooks")["webhooks"][0].clone();
        (hook["last_error"] == "The request timed out.").then_some(hook)
    });
    assert_eq!(hung["last_status"], Value::Null);
    drop(hanging);
    let test = json!({"url": receiver.url(), "events": ["session.started"], "timeout": 1});
    thread::scope(|scope| {
        let tested = scope.spawn(|| server.post("/api/webhooks/test", &test));
        let ping = receiver.next();
        assert_eq!(
            (&ping.json()["type"], &ping.json()["data"]),
            (&json!("test.ping"), &json!({"ok": true}))
        );
        ping.break_off();
        let answer = tested.join().expect("no panic");
        assert_eq!((&answer["ok"], &answer["status"]), (&json!(false), &Value::Null));
        assert_ne!(answer["error"], "");
        let tested = scope.spawn(|| server.post("/api/webhooks/test", &test));
        receiver.next().answer(500, "");
        let expected = json!({"ok": false, "status": 500, "error": "HTTP 500"});
        assert_eq!(tested.join().expect("no panic"), expected);
    });
}

#[test]
fn a_dead_receiver_slows_nobody_and_a_stop_does_not_wait_for_it() {
    let mut server = server();
    let receiver = Receiver::new();
    save(&server, hook(&receiver, &json!({"timeout": 15})));
    let id = touch(&server);
    let hanging = receiver.next();
    let mut client = server.client();
    let before = server.status("VmRSS");
    for _ in 0..400 {
        client.post("/api/favorite", &json!({"game_id": id}));
    }
    let grown = server.status("VmRSS").saturating_sub(before);
    assert!(grown < 32 * 1024, "{grown} KiB more");
    let notice = until("the notice", || {
        let notices = server.get("/api/notifications")["notifications"].clone();
        notices.as_array().and_then(|notices| notices.first().cloned())
    });
    assert_eq!(notice["title"], "Webhook delivery failed");
    assert_eq!(notice["body"], "Webhook delivery queue is full; the event was dropped.");
    let begun = Instant::now();
    server.stop();
    assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    drop(hanging);
}

#[test]
fn safe_mode_delivers_nothing() {
    let setup = Setup::new().env("SERVICE_ALLOW_HTTP_WEBHOOKS", "1").env("SERVICE_SAFE_MODE", "1");
    let (server, receiver) = (setup.start(), Receiver::new());
    let saved = save(&server, hook(&receiver, &json!({})));
    touch(&server);
    // A test is delivered at once; had the event been delivered, it would have come first.
    thread::scope(|scope| {
        let test = json!({"url": receiver.url(), "events": ["session.started"]});
        let tested = scope.spawn(move || server.post("/api/webhooks/test", &test));
        let ping = receiver.next();
        assert_eq!(ping.header("X-Service-Event"), "test.ping");
        ping.answer(200, "");
        assert_eq!(tested.join().expect("no panic")["ok"], true);
    });
    assert_eq!(saved["last_delivery_at"], "");
}
