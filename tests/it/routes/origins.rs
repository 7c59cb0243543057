//! `/api/v2/game/origins`, `/api/v2/game/locks` and `/api/v2/library/passes`.

use serde_json::{Value, json};

use crate::support::{client::Request, server::Server};

fn origin<'a>(reply: &'a Value, field: &str) -> &'a Value {
    let fields = reply["fields"].as_array().expect("fields");
    fields.iter().find(|row| row["field"] == field).unwrap_or(&Value::Null)
}

fn name(server: &Server) -> Value {
    server.get("/api/library")["games"][0]["name"].clone()
}

#[test]
fn what_a_person_typed_is_theirs_until_it_is_opened_and_goes_back() {
    let server = Server::start();
    let root = server.scratch().folder("roms");
    server.scratch().file("roms/Legend, The (USA).nes", "x");
    server.post("/api/settings", &json!({"import_title_style": "file"}));
    server.post("/api/import", &json!({"folder": root}));
    let id = server.get("/api/library")["games"][0]["game_id"].clone();
    let text = id.as_str().expect("an id");
    let path = format!("/api/v2/game/origins?game_id={text}");
    let known = server.get(&path);
    assert_eq!(origin(&known, "name")["by"], "import");
    assert_eq!(origin(&known, "name")["locked"], false);
    let titles = server.get("/api/v2/library/titles")["titles"].clone();
    assert_eq!(titles[0]["name"], "The Legend");
    let lock = |body: Value| server.post("/api/v2/game/locks", &body);
    let held = lock(json!({"game_id": id, "lock": ["name"]}));
    assert_eq!(
        (&origin(&held, "name")["locked"], &origin(&held, "name")["held"]),
        (&json!(true), &json!(true))
    );
    assert_eq!(server.get("/api/v2/library/titles")["count"], 0, "a locked title is not offered");
    let clean = json!({"titles": titles});
    assert_eq!(server.post("/api/v2/library/titles", &clean)["updated"], 0);
    lock(json!({"game_id": id, "unlock": ["name"]}));
    assert_eq!(server.post("/api/v2/library/titles", &clean)["updated"], 1);
    assert_eq!(name(&server), "The Legend");
    let passes = server.get("/api/v2/library/passes")["passes"].clone();
    assert_eq!((&passes[0]["kind"], &passes[0]["games"]), (&json!("library.titles"), &json!(1)));
    let known = server.get(&path);
    assert_eq!(
        (&origin(&known, "name")["by"], &origin(&known, "name")["previous"]),
        (&json!("file"), &json!("Legend, The (USA)"))
    );
    let save = json!({"game_id": id, "game": {"name": "Mine"}});
    server.post("/api/game", &save);
    let known = server.get(&path);
    assert_eq!(
        (&origin(&known, "name")["by"], &origin(&known, "name")["locked"]),
        (&json!("person"), &json!(true))
    );
    let undo = json!({"pass_id": passes[0]["pass_id"]});
    assert_eq!(server.post("/api/v2/library/passes/undo", &undo), json!({"fields": 0, "games": 0}));
    assert_eq!(name(&server), "Mine");
    let back = server.post("/api/v2/game/origins/revert", &json!({"game_id": id, "field": "name"}));
    assert_eq!(
        (&origin(&back, "name")["by"], &origin(&back, "name")["locked"]),
        (&json!("file"), &json!(false))
    );
    assert_eq!(name(&server), "The Legend");
    assert!(server.get("/api/library")["games"][0].get("field_origins").is_none());
    let gone = server.send(&Request::post("/api/v2/library/passes/undo", &undo)).expect(404).json();
    assert_eq!(gone["error"], "Pass not found.");
}

#[test]
fn what_cannot_be_locked_or_set_back_is_refused() {
    let server = Server::start();
    server.post("/api/v2/library/manual-entry", &json!({"game": {"name": "A"}}));
    let id = server.get("/api/library")["games"][0]["game_id"].clone();
    for (path, body, status, error) in [
        ("/api/v2/game/locks", json!({"game_id": id}), 400, "lock or unlock is required."),
        (
            "/api/v2/game/locks",
            json!({"game_id": id, "lock": ["notes"]}),
            400,
            "notes cannot be locked.",
        ),
        (
            "/api/v2/game/locks",
            json!({"game_id": id, "lock": "name"}),
            400,
            "lock must be a list of texts.",
        ),
        (
            "/api/v2/game/locks",
            json!({"game_id": "game-x", "lock": ["name"]}),
            400,
            "Game not found",
        ),
        ("/api/v2/game/locks", json!({"lock": ["name"]}), 400, "Game id is required."),
        (
            "/api/v2/game/origins/revert",
            json!({"game_id": id, "field": "genre"}),
            400,
            "genre has no earlier value.",
        ),
    ] {
        let refused = server.send(&Request::post(path, &body)).expect(status).json();
        assert_eq!(refused["error"], error, "{body}");
    }
}
