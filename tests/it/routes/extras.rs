//! `POST /api/extra/launch`.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    wait::until,
};

/// A service whose only opener writes down what it was asked to open.
fn with_opener() -> Server {
    let setup = Setup::new();
    setup.scratch().script("bin/xdg-open", "printf 'open %s\\n' \"$1\" >> \"${0%/*}/../told\"");
    let path = format!("{}:/usr/bin:/bin", setup.scratch().path("bin").display());
    setup.env("PATH", path).start()
}

#[track_caller]
fn refused(server: &Server, body: &Value, message: &str) {
    let reply = server.send(&Request::post("/api/extra/launch", body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

#[test]
fn extras_are_started_and_are_no_sessions() {
    let server = with_opener();
    let scratch = server.scratch();
    let tell = "printf '%s %s\\n' \"$1\" \"$PWD\" >> \"${0%/*}/../told\"";
    let program = scratch.script("extras/tool", tell);
    let told = scratch.path("extras");
    let plain = scratch.file("extras/plain.txt", "");
    let command = format!("'{}' {{path}}", program.display());
    let game = json!({
        "name": "A", "path": scratch.file("a.sh", ""),
        "applications": [{"path": program}, {"path": plain, "command": command}, {"path": plain}],
        "versions": [{"path": plain, "command": "no-such-program {path}"}],
        "documents": [{"path": plain}, {"path": scratch.path("gone.pdf")}],
    });
    let id = server.post("/api/game", &json!({"game": game}))["game_id"].clone();
    let launch = |path: &str, kind: &str, index: usize, line: &str| {
        let body = json!({"game_id": id, "kind": kind, "index": index});
        assert_eq!(server.post(path, &body), json!({"ok": true}));
        let line = format!("{line}\n");
        until("the extra to tell", || {
            let text = scratch.path("told").exists().then(|| scratch.read("told"));
            text.filter(|text| String::from_utf8_lossy(text).ends_with(&line))
        });
    };
    launch("/api/extra/launch", "applications", 0, &format!(" {}", told.display()));
    launch(
        "/api/v1/extra/launch",
        "applications",
        1,
        &format!("{} {}", plain.display(), told.display()),
    );
    launch("/api/extra/launch", "documents", 0, &format!("open {}", plain.display()));
    assert_eq!(server.get("/api/running")["running"], json!([]));
    let with = |kind: &str, index: Value| json!({"id": 0, "kind": kind, "index": index});
    let entry = "Unknown extra entry.";
    for (body, message) in [
        (with("manuals", json!(0)), "Unknown extra type."),
        (json!({"id": 0, "index": 0}), "Unknown extra type."),
        (with("versions", json!(1)), entry),
        (with("versions", json!(-1)), entry),
        (with("versions", json!("0")), entry),
        (json!({"id": 0, "kind": "versions"}), entry),
        (with("documents", json!(2)), entry),
        (with("applications", json!(0.5)), entry),
        (with("applications", json!(null)), entry),
        (json!({"id": 0, "kind": 1, "index": 0}), "Unknown extra type."),
        (with("Documents", json!(0)), "Unknown extra type."),
        (json!({"game_id": "gone", "id": 0, "kind": "versions", "index": 0}), "Game not found"),
        (with("versions", json!(0)), "The program no-such-program was not found."),
        (with("documents", json!(1)), "The configured path no longer exists:"),
        (
            with("applications", json!(2)),
            "The file is not executable. Set a command for it in Edit game.",
        ),
        (json!({"id": 5, "kind": "versions", "index": 0}), "Game not found"),
        (json!({"kind": "versions", "index": 0}), "Game id is required."),
    ] {
        refused(&server, &body, message);
    }
}

#[test]
fn without_an_opener_a_document_names_what_is_missing() {
    let setup = Setup::new();
    let empty = setup.scratch().folder("empty");
    let server = setup.env("PATH", empty).start();
    let document = server.scratch().file("a.pdf", "");
    let game = json!({"name": "A", "path": document, "documents": [{"path": document}]});
    server.post("/api/game", &json!({"game": game}));
    let body = json!({"id": 0, "kind": "documents", "index": 0});
    refused(&server, &body, "xdg-open is required to open documents.");
}
