//! `/api/v2/library/repair`, its preview and what carries it out.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const PATH: &str = "/api/v2/library/repair";
const STALE: &str = "The library changed after the preview. Preview the repair again.";

/// Four games whose files are gone, and a folder in which some of them are found again.
fn library() -> Server {
    let id = |number: usize| format!("game-{number:024}");
    let games = json!([
        {"game_id": id(0), "name": "A", "platform": "NES", "path": "/gone/a.nes", "cover": "/gone/a.png"},
        {"game_id": id(1), "name": "B", "path": "/gone/b.sfc"},
        {"game_id": id(2), "name": "C", "path": "/gone/c.nes"},
        {"game_id": id(3), "name": "D", "path": "/gone/d.nes"},
        {"game_id": id(4), "name": "E", "path": "", "manual_entry": true},
    ]);
    let setup = Setup::new().library(&json!({"schema_version": 6, "games": games}).to_string());
    for name in ["A.NES", "b.smc", "c.nes", "more/c.nes"] {
        setup.scratch().file(format!("roms/{name}"), name);
    }
    setup.start()
}

fn roms(server: &Server) -> String {
    let real = fs::canonicalize(server.scratch().path("roms")).expect("a folder");
    real.display().to_string()
}

fn preview(server: &Server) -> Value {
    server.post(&format!("{PATH}/preview"), &json!({"folder": roms(server)}))
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, message: &str, code: &str) {
    let reply = server.send(&Request::post(path, body)).expect(status).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!(code)), "{path} {body}");
}

#[test]
fn missing_paths_are_listed_with_and_without_media() {
    let server = library();
    let answer = server.get(PATH);
    let first = json!({"id": 0, "game_id": "game-000000000000000000000000", "name": "A",
        "platform": "NES", "field": "path", "path": "/gone/a.nes", "kind": "game"});
    assert_eq!(answer["items"][0], first);
    assert_eq!(
        (&answer["items"][1]["field"], &answer["items"][1]["kind"]),
        (&json!("cover"), &json!("media"))
    );
    assert_eq!((&answer["count"], &answer["truncated"]), (&json!(5), &json!(false)));
    assert_eq!(server.get(&format!("{PATH}?media=0"))["count"], 4);
    assert_eq!(server.get(&format!("{PATH}?media=1"))["count"], 5);
}

#[test]
fn a_preview_pairs_paths_with_files_and_writes_nothing() {
    let server = library();
    let before = server.get("/api/library")["games"].clone();
    let folder = roms(&server);
    let answer = preview(&server);
    assert_eq!(
        (&answer["folder"], &answer["scanned"], &answer["candidates"]),
        (&json!(folder), &json!(4), &json!(5))
    );
    let found = json!({"id": 0, "game_id": "game-000000000000000000000000", "name": "A",
        "platform": "NES", "field": "path", "kind": "game", "from": "/gone/a.nes",
        "path": format!("{folder}/A.NES"), "relative": "A.NES", "size": 5});
    assert_eq!(answer["matches"][0], found);
    assert_eq!(answer["matches"][1]["relative"], "b.smc");
    let choices = answer["ambiguous"][0]["choices"].as_array().expect("a list").iter();
    let choices: Vec<&Value> = choices.map(|choice| &choice["relative"]).collect();
    assert_eq!(choices, ["c.nes", "more/c.nes"]);
    assert_eq!(answer["counts"], json!({"matched": 2, "ambiguous": 1, "unmatched": 2}));
    assert_eq!(server.get("/api/library")["games"], before);
    let body = json!({"folder": folder, "include_media": false});
    assert_eq!(server.post(&format!("{PATH}/preview"), &body)["candidates"], 4);
    let body = json!({"folder": folder, "fields": ["cover"]});
    assert_eq!(server.post(&format!("{PATH}/preview"), &body)["candidates"], 1);
}

#[test]
fn what_was_previewed_is_put_in_place() {
    let server = library();
    let folder = roms(&server);
    let apply = |selection: Value| {
        let token = preview(&server)["base_token"].clone();
        let body = json!({"folder": folder, "selection": selection, "base_token": token});
        server.post(&format!("{PATH}/apply"), &body)
    };
    let answer = apply(json!([[1, "path"], [0, "cover"], [9, "path"], [0, "odd"], -1, 3]));
    assert_eq!(answer["updated"], 1);
    let applied = json!([{"id": 1, "game_id": "game-000000000000000000000001", "field": "path",
        "path": format!("{folder}/b.smc")}]);
    assert_eq!(answer["applied"], applied);
    let skipped = json!([
        {"reason": "missing_target", "id": 0, "field": "cover"},
        {"reason": "missing_game", "id": 9, "field": "path"},
        {"reason": "invalid_field", "id": 0, "field": "odd"},
        {"reason": "invalid_id", "id": -1, "field": ""},
        {"reason": "missing_target", "id": 3, "field": ""},
    ]);
    assert_eq!(answer["skipped"], skipped);
    assert_eq!(server.get("/api/library")["games"][1]["path_exists"], true);
    let answer = apply(json!(null));
    assert_eq!((&answer["updated"], &answer["skipped"]), (&json!(1), &json!([])));
    assert_eq!(server.get("/api/library")["games"][0]["path"], format!("{folder}/A.NES"));
    assert_eq!(apply(json!(null))["updated"], 0);
}

#[test]
fn a_repair_wants_the_library_of_its_preview() {
    let server = library();
    let folder = roms(&server);
    let token = preview(&server)["base_token"].clone();
    let path = format!("{PATH}/apply");
    for token in [json!(null), json!(""), json!("x")] {
        let body = json!({"folder": folder, "base_token": token});
        refused(&server, &path, &body, 409, STALE, "REPAIR_PREVIEW_STALE");
    }
    server.post("/api/favorite", &json!({"id": 4}));
    let body = json!({"folder": folder, "base_token": token});
    refused(&server, &path, &body, 409, STALE, "REPAIR_PREVIEW_STALE");
    assert_eq!(server.get(PATH)["count"], 5);
}

#[test]
fn folders_fields_and_selections_are_checked() {
    let server = library();
    let folder = roms(&server);
    let link = Path::new(&folder).join("link");
    std::os::unix::fs::symlink(&folder, &link).expect("a link");
    for route in ["preview", "apply"] {
        let path = format!("{PATH}/{route}");
        for (sent, message) in [
            (json!(null), "A folder is required."),
            (json!(" "), "A folder is required."),
            (json!(format!("/{}", "x".repeat(4_096))), "Folder path is too long."),
            (json!("roms"), "Folder must be an absolute path."),
            (json!("/"), "The filesystem root is not a repair folder."),
            (json!("/gone/for/good"), "Folder does not exist."),
            (json!(link), "Folder must not be a symlink."),
        ] {
            refused(&server, &path, &json!({"folder": sent}), 400, message, "BAD_REQUEST");
        }
        for fields in [json!("path"), json!(["odd"]), json!([1])] {
            let message = "fields must be a list of field names.";
            let body = json!({"folder": folder, "fields": fields});
            refused(&server, &path, &body, 400, message, "BAD_REQUEST");
        }
        let body = json!({"folder": folder, "include_media": "x"});
        refused(&server, &path, &body, 400, "include_media must be true or false.", "BAD_REQUEST");
    }
    for selection in [json!("x"), json!([[0]]), json!([{}])] {
        let message = "selection must be a list of [id, field] pairs or ids.";
        let body = json!({"folder": folder, "selection": selection});
        refused(&server, &format!("{PATH}/apply"), &body, 400, message, "BAD_REQUEST");
    }
}

#[test]
fn titles_of_files_are_cleaned_and_taken_back() {
    let games = json!([
        {"game_id": "game-a", "name": "Legend, The (USA)", "path": "/r/Legend, The (USA).nes"},
        {"game_id": "game-b", "name": "My own title", "path": "/r/Quest (Europe).nes"},
    ]);
    let server =
        Setup::new().library(&json!({"schema_version": 6, "games": games}).to_string()).start();
    let path = "/api/v2/library/titles";
    let offered = server.get(path);
    let change =
        json!({"game_id": "game-a", "expected": "Legend, The (USA)", "name": "The Legend"});
    assert_eq!(offered, json!({"count": 1, "titles": [change], "truncated": false}));
    let counted = server.get(&format!("{path}?limit=0"));
    assert_eq!(counted, json!({"count": 1, "titles": [], "truncated": true}));
    let gone = json!({"game_id": "game-x", "expected": "A", "name": "B"});
    let changed = server.post(path, &json!({"titles": [change, gone]}));
    assert_eq!(changed, json!({"updated": 1, "skipped": 1}));
    assert_eq!(server.get(path)["count"], 0);
    let again = server.post(path, &json!({"titles": [change]}));
    assert_eq!(again, json!({"updated": 0, "skipped": 1}), "another title stands there now");
    let back = json!({"game_id": "game-a", "expected": "The Legend", "name": "Legend, The (USA)"});
    assert_eq!(server.post(path, &json!({"titles": [back]}))["updated"], 1);
    assert_eq!(server.get("/api/library")["games"][0]["name"], "Legend, The (USA)");
    refused(
        &server,
        path,
        &json!({"titles": []}),
        400,
        "titles must be a list of 1 to 100000 changes.",
        "BAD_REQUEST",
    );
}

#[test]
fn games_are_read_again_and_taken_back() {
    let setup = Setup::new();
    let scratch = setup.scratch();
    scratch.file("roms/snes/Legend, The (USA).zip", "game");
    scratch.file("roms/snes/Quest (Europe).sfc", "game");
    let path = |name: &str| scratch.path("roms/snes").join(name);
    let games = json!([
        {"game_id": "game-a", "name": "Legend, The (USA)", "platform": "Imported", "path": path("Legend, The (USA).zip")},
        {"game_id": "game-b", "name": "My own title", "platform": "SNES", "region": "Europe", "path": path("Quest (Europe).sfc")},
        {"game_id": "game-c", "name": "Gone", "platform": "NES", "path": path("Gone.nes")},
    ]);
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let server = setup.library(&library).start();
    let (preview, apply) = ("/api/v2/library/recognition/preview", "/api/v2/library/recognition");
    let ids = json!({"game_ids": ["game-a", "game-b", "game-c", "game-x"]});
    let found = server.post(preview, &ids);
    let change = |field: &str, expected: &str, value: &str| json!({"game_id": "game-a", "field": field, "expected": expected, "value": value});
    let changes = [
        change("platform", "Imported", "SNES"),
        change("name", "Legend, The (USA)", "The Legend"),
        change("region", "", "USA"),
    ];
    assert_eq!(found, json!({"changes": changes, "unchanged": 1, "unreadable": 1}));
    assert_eq!(server.get("/api/library")["games"][0]["platform"], "Imported", "only looked at");
    let applied = json!({"changes": changes});
    assert_eq!(server.post(apply, &applied), json!({"updated": 3, "skipped": 0}));
    let game = &server.get("/api/library")["games"][0];
    assert_eq!((&game["name"], &game["platform"]), (&json!("The Legend"), &json!("SNES")));
    assert_eq!(server.post(apply, &applied), json!({"updated": 0, "skipped": 3}));
    assert_eq!(server.post(preview, &ids)["unchanged"], 2);
    let back: Vec<Value> = changes
        .iter()
        .map(|change| {
            let mut back = change.clone();
            back["expected"] = change["value"].clone();
            back["value"] = change["expected"].clone();
            back
        })
        .collect();
    assert_eq!(server.post(apply, &json!({"changes": back}))["updated"], 3);
    assert_eq!(server.post(preview, &ids)["changes"], json!(changes), "as it was");
    let text = "changes must be a list of 1 to 3000 changes.";
    refused(&server, apply, &json!({"changes": []}), 400, text, "BAD_REQUEST");
    let body = json!({"game_ids": "game-a"});
    refused(&server, preview, &body, 400, "game_ids must be a list of texts.", "BAD_REQUEST");
}
