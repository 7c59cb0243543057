//! `POST /api/v2/setup/commit`: what becomes of candidates, once and as a whole.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    receiver::Receiver,
    server::{Server, Setup},
    setup::{COMMIT, commit, commit_body, decide, games, items, scan, settled, stored, titled},
    stream::job,
};

#[track_caller]
fn refused(server: &Server, body: &Value, status: u16, code: &str, error: &str) {
    let reply = server.send(&Request::post(COMMIT, body)).expect(status).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(error), &json!(code)));
}

fn id(preview: &Value) -> &str {
    preview["preview_id"].as_str().expect("an id")
}

fn folder(server: &Server) -> Value {
    json!([{"type": "folder", "path": server.scratch().path("roms")}])
}

fn column<'a>(games: &'a [Value], key: &str) -> Vec<&'a str> {
    games.iter().map(|game| game[key].as_str().expect("text")).collect()
}

#[track_caller]
fn check_result(document: &Value, expected: [u64; 5]) {
    let [added, merged, skipped, excluded, failed] = expected;
    let state = if failed == 0 { "done" } else { "partial" };
    assert_eq!(document["state"], state, "{document}");
    let mut result = document["result"].clone();
    let batch = result.as_object_mut().and_then(|result| result.remove("import_batch_id"));
    assert_eq!(batch.as_ref().and_then(Value::as_str).map(str::len), Some(32));
    assert_eq!(
        result,
        json!({"added": added, "merged": merged, "skipped": skipped, "excluded": excluded,
            "failed": failed})
    );
}

#[test]
fn a_folder_is_committed_once_and_as_an_import_would() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("roms/a.nes", "x");
    scratch.file("roms/Saga (Disc 1).cue", "FILE \"1.bin\" BINARY");
    scratch.file("roms/Saga (Disc 2).cue", "FILE \"2.bin\" BINARY");
    let preview = scan(&server, &folder(&server));
    let all = items(&server, id(&preview), 50);
    assert!(!scratch.path("roms/Saga.m3u").exists(), "a preview writes nothing next to the games");
    let chosen = json!({"action": "import", "launch_setup": "adapter", "emulator_id": "org.duckstation.DuckStation",
        "adapter_id": "duckstation-psx"});
    decide(&server, id(&preview), &all, &[("Saga", chosen)]);
    let document = commit(&server, id(&preview));
    check_result(&document, [2, 0, 0, 0, 0]);
    let rows = games(&server);
    assert_eq!(column(&rows, "name"), ["a", "Saga"]);
    assert_eq!(column(&rows, "platform"), ["NES", "PlayStation"]);
    let saga = &rows[1];
    assert_eq!(saga["path"], json!(scratch.path("roms/Saga.m3u")));
    assert_eq!(stored(&server, "Saga", "emulator_adapter_id"), "duckstation-psx");
    assert_eq!(stored(&server, "Saga", "emulator_id"), "org.duckstation.DuckStation");
    assert_eq!(
        fs::read_to_string(scratch.path("roms/Saga.m3u")).expect("a playlist").lines().count(),
        2
    );
    let batch = document["result"]["import_batch_id"].as_str().expect("an id");
    assert_eq!(column(&rows, "import_batch_id"), [batch, batch]);
    let shown = settled(&server, id(&preview));
    assert_eq!((&shown["import_batch_id"], &shown["state"]), (&json!(batch), &json!("ready")));

    let again = commit(&server, id(&preview));
    check_result(&again, [2, 0, 0, 0, 0]);
    assert_eq!(again["result"]["import_batch_id"], batch);
    assert_eq!(games(&server), rows, "the second commit of a preview tells what the first one did");
    let next = scan(&server, &folder(&server));
    assert_eq!(next["counts"]["duplicates"], 2, "{}", next["counts"]);
    check_result(&commit(&server, id(&next)), [0, 0, 2, 0, 0]);
    assert_eq!(games(&server), rows, "importing twice adds nothing");
    let import = server.post("/api/import", &json!({"folder": scratch.path("roms")}));
    assert_eq!((&import["added"], &import["found"]), (&json!(0), &json!(2)));
    let undone = server.post("/api/v2/import/undo", &json!({"import_batch_id": batch}));
    assert_eq!(undone, json!({"removed": 2, "restored": 0, "kept": 0, "edited": 0, "whole": true}));
    assert!(games(&server).is_empty());
}

#[test]
fn nothing_is_committed_while_something_is_open() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("roms/a.nes", "x");
    scratch.file("roms/disc.iso", "x");
    scratch.file("roms/odd.apk", "x");
    let preview = scan(&server, &folder(&server));
    let all = items(&server, id(&preview), 50);
    let with = |key: &str, value: Value| {
        let mut body = commit_body(id(&preview));
        body[key] = value;
        body
    };
    for (body, status, code, error) in [
        (with("preview_id", json!(null)), 400, "BAD_REQUEST", "preview_id is required."),
        (with("preview_id", json!("x")), 404, "PREVIEW_NOT_FOUND", "Preview not found."),
        (
            with("emulator_choices", json!(null)),
            400,
            "BAD_REQUEST",
            "emulator_choices is required.",
        ),
        (
            with("emulator_choices", json!({})),
            400,
            "BAD_REQUEST",
            "emulator_choices must be an array.",
        ),
        (
            with("emulator_choices", json!([{"candidate_id": "x"}])),
            400,
            "INVALID_DECISION",
            "Unknown candidate_id: x",
        ),
        (with("revision", json!(null)), 400, "BAD_REQUEST", "revision is required."),
        (with("revision", json!(2)), 409, "PREVIEW_STALE", "Preview revision is stale."),
        (with("options", json!(1)), 400, "BAD_REQUEST", "options must be an object."),
        (
            commit_body(id(&preview)),
            409,
            "UNRESOLVED_CANDIDATES",
            "Unresolved candidates remain in preview.",
        ),
    ] {
        refused(&server, &body, status, code, error);
    }
    let choice = |adapter: &str| {
        with(
            "emulator_choices",
            json!([{"candidate_id": titled(&all, "disc")["candidate_id"],
            "emulator_id": "org.ppsspp.PPSSPP", "adapter_id": adapter, "launch_setup": "adapter"}]),
        )
    };
    refused(&server, &choice("none"), 409, "EMULATOR_REQUIRED", "Unknown emulator adapter: none");
    assert!(games(&server).is_empty());

    let begun = server.send(&Request::post(COMMIT, &choice("ppsspp-psp"))).expect(202).json();
    settled(&server, id(&preview));
    check_result(&job(&server, begun["job_id"].as_str().expect("an id")), [2, 0, 0, 0, 1]);
    let rows = games(&server);
    assert_eq!(column(&rows, "name"), ["a", "disc"]);
    assert_eq!(rows[1]["platform"], "PSP");
    assert_eq!(stored(&server, "disc", "emulator_adapter_id"), "ppsspp-psp");
    let failed =
        server.get(&format!("/api/v2/jobs/items?job_id={}", begun["job_id"].as_str().unwrap()));
    assert_eq!(failed["items"][0]["label"], "odd");
    let late = json!({"preview_id": id(&preview), "items": [{"candidate_id": all[0]["candidate_id"], "action": "skip"}]});
    let late =
        server.send(&Request::post("/api/v2/setup/preview/decisions", &late)).expect(409).json();
    assert_eq!(late["code"], "CONFLICT");
}

#[test]
fn a_plan_for_another_library_or_other_files_is_not_carried_out() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("roms/a.nes", "x");
    scratch.file("other/b.nes", "x");
    let preview = scan(&server, &folder(&server));
    server.post("/api/import", &json!({"folder": scratch.path("other")}));
    let document = commit(&server, id(&preview));
    assert_eq!(
        (&document["state"], &document["error_detail"]["code"]),
        (&json!("error"), &json!("PREVIEW_LIBRARY_CHANGED"))
    );
    assert_eq!(document["error"], "Library changed since preview was created.");
    let preview = scan(&server, &folder(&server));
    scratch.file("roms/c.nes", "x");
    let document = commit(&server, id(&preview));
    assert_eq!(document["error_detail"]["code"], "PREVIEW_STALE");
    let preview = scan(&server, &folder(&server));
    fs::rename(scratch.path("roms"), scratch.path("gone")).expect("unmounted");
    assert_eq!(commit(&server, id(&preview))["error_detail"]["code"], "PREVIEW_STALE");
    let empty = scan(&server, &folder(&server));
    assert_eq!(empty["sources"][0]["error"], "Folder does not exist.");
    check_result(&commit(&server, id(&empty)), [0, 0, 0, 0, 0]);
    assert_eq!(column(&games(&server), "name"), ["b"], "a folder that is gone takes no game away");
}

fn manifest(id: u32, name: &str) -> String {
    format!("\"AppState\" {{ \"appid\" \"{id}\" \"name\" \"{name}\" \"installdir\" \"d{id}\" }}")
}

/// A service with two stores, one title in both.
fn with_stores() -> Server {
    let setup = Setup::new();
    let scratch = setup.scratch();
    for program in ["steam", "xdg-open"] {
        scratch.script(format!("bin/{program}"), "exit 0");
    }
    for (id, name) in [(10, "Alpha"), (20, "Beta"), (30, "Gamma")] {
        scratch.file(
            format!("home/.local/share/Steam/steamapps/appmanifest_{id}.acf"),
            manifest(id, name),
        );
    }
    scratch.file(
        "home/.config/heroic/gog_store/installed.json",
        r#"[{"appName": "7", "title": "Alpha"}, {"appName": "8", "title": "Delta"}]"#,
    );
    let bin = scratch.path("bin");
    setup.env("PATH", bin).env("SERVICE_ALLOW_HTTP_WEBHOOKS", "1").start()
}

fn stores() -> Value {
    json!([{"type": "store_a"}, {"type": "store_b"}])
}

#[test]
fn a_title_of_two_stores_is_one_game_with_two_ways_to_start() {
    let server = with_stores();
    let receiver = Receiver::new();
    let hook = json!({"url": receiver.url(), "events": ["library.imported"]});
    server.post("/api/webhooks", &json!({"webhooks": [hook]}));
    let preview = scan(&server, &stores());
    assert_eq!(
        (&preview["counts"]["additions"], &preview["counts"]["merges"]),
        (&json!(4), &json!(1))
    );
    let all = items(&server, id(&preview), 50);
    let second = all.iter().find(|item| item["group"] == "merges").expect("a merge");
    assert_eq!(
        second["existing_game_target"],
        json!({"game_id": null, "title": "Alpha", "platform": "PC"})
    );
    assert_eq!(second["same_as"], all[0]["candidate_id"]);
    check_result(&commit(&server, id(&preview)), [4, 1, 0, 0, 0]);
    let told: Value = serde_json::from_slice(&receiver.next().body).expect("JSON");
    assert_eq!(told["data"], json!({"source": "setup", "found": 5, "added": 4}));
    let rows = games(&server);
    assert_eq!(column(&rows, "name"), ["Alpha", "Beta", "Gamma", "Delta"]);
    assert_eq!(rows[0]["applications"][0]["command"], "xdg-open heroic://launch/gog/7");
    let next = scan(&server, &stores());
    assert_eq!(next["counts"]["duplicates"], 5, "{}", next["counts"]);
    for route in ["/api/import/store-a", "/api/import/store-b"] {
        assert_eq!(server.post(route, &json!({}))["added"], 0);
    }
    assert_eq!(games(&server), rows);
}

#[test]
fn every_action_does_what_it_says() {
    let server = with_stores();
    let own = server.scratch().file("mine.nes", "x");
    let saved = server.post("/api/game", &json!({"game": {"name": "Mine", "path": own}}));
    let mine = &saved["game_id"];
    let preview = scan(&server, &stores());
    let all = items(&server, id(&preview), 50);
    let gog = all.iter().rfind(|item| item["detected_title"] == "Alpha").expect("the second");
    decide(
        &server,
        id(&preview),
        &all,
        &[
            ("Beta", json!({"action": "merge", "merge_target": mine})),
            ("Gamma", json!({"action": "exclude"})),
            ("Delta", json!({"action": "merge", "merge_target": "game-none"})),
        ],
    );
    let separate = json!({"preview_id": id(&preview),
        "items": [{"candidate_id": gog["candidate_id"], "action": "import"}]});
    server.post("/api/v2/setup/preview/decisions", &separate);
    check_result(&commit(&server, id(&preview)), [2, 1, 0, 1, 1]);
    let rows = games(&server);
    assert_eq!(column(&rows, "name"), ["Mine", "Alpha", "Alpha"]);
    assert_eq!(rows[0]["alternate_names"], json!(["Beta"]));
    assert_eq!(rows[0]["applications"][0]["name"], "Launch with Steam");
    assert_eq!(rows[0]["path"], json!(own), "what the user set stays");
    let excluded = server.get("/api/import/exclusions");
    assert_eq!(excluded["exclusions"], json!([{"source": "store_a", "external_id": "30"}]));
    let next = scan(&server, &stores());
    let gamma = items(&server, id(&next), 50);
    assert_eq!(titled(&gamma, "Gamma")["group"], "exclusions");
    assert_eq!(titled(&gamma, "Gamma")["intended_action"], "exclude");
    let done = commit(&server, id(&next));
    assert_eq!((&done["result"]["excluded"], &done["result"]["added"]), (&json!(1), &json!(1)));
    assert_eq!(column(&games(&server), "name"), ["Mine", "Alpha", "Alpha", "Delta"]);
}

#[test]
fn a_file_merged_into_another_game_can_be_started_from_there() {
    let server = Server::start();
    let scratch = server.scratch();
    let own = scratch.file("mine.nes", "x");
    let saved = server.post("/api/game", &json!({"game": {"name": "Mine", "path": own}}));
    let other = scratch.file("roms/Other Way.nes", "y");
    let preview = scan(&server, &folder(&server));
    let all = items(&server, id(&preview), 50);
    let merge = json!({"action": "merge", "merge_target": saved["game_id"]});
    decide(&server, id(&preview), &all, &[("Other Way", merge)]);
    check_result(&commit(&server, id(&preview)), [0, 1, 0, 0, 0]);
    let rows = games(&server);
    assert_eq!(
        rows[0]["applications"],
        json!([{"name": "Other Way", "path": other, "command": ""}])
    );
}

#[test]
fn a_merge_shows_what_it_changes() {
    let server = with_stores();
    server.post("/api/import/store-a", &json!({}));
    let row = games(&server)[0]["game_id"].clone();
    let own = server.scratch().file("mine.nes", "x");
    let edit = json!({"game_id": row, "game": {"name": "Alpha", "path": own, "launch": "mine"}});
    server.post("/api/game", &edit);
    let preview = scan(&server, &json!([{"type": "store_b"}]));
    let all = items(&server, id(&preview), 50);
    let alpha = titled(&all, "Alpha");
    assert_eq!(
        (&alpha["group"], &alpha["existing_game_target"]["game_id"]),
        (&json!("merges"), &row)
    );
    let diff = alpha["merge_diff"].as_array().expect("a difference");
    let launch = diff.iter().find(|row| row["field"] == "launch").expect("the command");
    assert_eq!(
        (&launch["current"], &launch["effect"], &launch["applied"]),
        (&json!("mine"), &json!("replace"), &json!(false))
    );
    check_result(&commit(&server, id(&preview)), [1, 1, 0, 0, 0]);
    assert_eq!(games(&server)[0]["launch"], "mine");
}
