//! `/api/v2/library/health/*`: the score, what lowers it, repairing that and taking it back.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::{Stream, started},
    wait::until,
};

const HEALTH: &str = "/api/v2/library/health";
const STALE: &str =
    "Fix preview is stale: the library changed after the preview. Re-run the preview.";

fn id(number: usize) -> String {
    format!("game-{number:024}")
}

/// Three games: the second is the first once more, the file of the third is gone and in `moved`.
fn server() -> Server {
    let setup = Setup::new();
    let path = setup.scratch().file("roms/a.sh", "x");
    setup.scratch().file("moved/c.sh", "x");
    let games = json!([
        {"game_id": id(0), "name": "A", "path": path, "store_a_app_id": "1", "platform": "PC",
            "genre": "RPG", "year": "1994", "developer": "D", "description": "d"},
        {"game_id": id(1), "name": "A again", "store_a_app_id": "1", "manual_entry": true,
            "publisher": "P"},
        {"game_id": id(2), "name": "C", "path": "/gone/c.sh", "broken": true, "platform": "PC",
            "genre": "RPG", "year": "1994", "developer": "D", "description": ""},
    ]);
    setup.library(&json!({"schema_version": 6, "games": games}).to_string()).start()
}

fn scan(server: &Server) -> Value {
    let mut stream = Stream::open(server);
    let job = started(server, &format!("{HEALTH}/scan"), &json!({}));
    stream.job_end(server, &job)
}

fn fix(server: &Server, body: &Value) -> Value {
    server.post(&format!("{HEALTH}/fix"), body)
}

#[track_caller]
fn refused(server: &Server, route: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(&format!("{HEALTH}/{route}"), body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

fn names(server: &Server) -> Vec<String> {
    let games = server.get("/api/library")["games"].clone();
    let names = games.as_array().expect("a list").iter();
    names.map(|game| game["name"].as_str().expect("a name").to_owned()).collect()
}

#[test]
fn a_score_is_made_by_the_job_and_stands_until_games_change() {
    let mut server = server();
    let nothing = json!({"score": null, "dimensions": {}, "deductions": [], "game_count": 0,
        "computed_at": "", "recomputed": false, "dirty": true, "full": true, "scanned": false});
    assert_eq!(server.get(HEALTH), nothing);
    let page = server.get(&format!("{HEALTH}/issues"));
    let empty = json!({"scanned": false, "issues": [], "total": 0, "limit": 50, "offset": 0, "dimension": ""});
    assert_eq!(page, empty);
    let done = scan(&server);
    assert_eq!(
        (&done["name"], &done["result"]["game_count"]),
        (&json!("library-health-scan"), &json!(3))
    );
    let health = server.get(HEALTH);
    let score = |dimension: &str| health["dimensions"][dimension]["score"].clone();
    assert_eq!(score("file_integrity"), 40);
    assert_eq!(score("duplicates"), 50);
    assert_eq!(score("artwork"), 0);
    assert_eq!(score("metadata"), 85);
    assert_eq!(score("launch_readiness"), 60);
    // 35 x 40 + 20 x 50 + 15 x 85 + 10 x 60 is 4,275.
    assert_eq!((&health["score"], &done["result"]["score"]), (&json!(43), &json!(43)));
    assert_eq!((&health["scanned"], &health["dirty"]), (&json!(true), &json!(false)));
    assert_eq!(health["deductions"][0]["code"], "missing_game");
    server.post("/api/favorite", &json!({"game_id": id(0)}));
    assert_eq!(server.get(HEALTH)["score"], 43, "a favourite changes no score");
    server.stop();
    server.restart();
    assert_eq!(server.get(HEALTH), health);
    assert_eq!(server.get(&format!("{HEALTH}/issues"))["scanned"], true);
    server.post("/api/games/bulk", &json!({"ids": [0], "changes": {"genre": "Puzzle"}}));
    let health = server.get(HEALTH);
    assert_eq!(
        (&health["score"], &health["dirty"], &health["full"]),
        (&json!(null), &json!(true), &json!(false))
    );
}

#[test]
fn issues_come_in_pages_by_dimension() {
    let server = server();
    scan(&server);
    let page = server.get(&format!("{HEALTH}/issues?dimension=duplicates"));
    let issue = json!({"game_id": id(1), "index": 1, "name": "A again", "dimension": "duplicates",
        "code": "duplicate", "reason": "Duplicate entry", "detail": "Matches A; identity store_a:1", "points": 50});
    assert_eq!((&page["issues"], &page["total"]), (&json!([issue]), &json!(1)));
    assert_eq!(page["dimension"], "duplicates");
    let page = server.get(&format!("{HEALTH}/issues?dimension=artwork&limit=2&offset=1"));
    assert_eq!((&page["total"], page["issues"].as_array().map(Vec::len)), (&json!(32), Some(2)));
    assert_eq!((&page["issues"][0]["detail"], &page["offset"]), (&json!("background"), &json!(1)));
    for (query, limit) in [("limit=0", 1), ("limit=501", 500), ("offset=-1", 50)] {
        assert_eq!(server.get(&format!("{HEALTH}/issues?{query}"))["limit"], limit);
    }
    for (query, message) in [
        ("dimension=odd", "Unknown dimension: odd."),
        ("limit=x", "limit must be an integer."),
        ("offset=1.5", "offset must be an integer."),
    ] {
        let reply =
            server.send(&Request::get(&format!("{HEALTH}/issues?{query}"))).expect(400).json();
        assert_eq!(reply["error"], message);
    }
}

#[test]
fn a_fix_wants_a_preview_of_the_library_as_it_is() {
    let server = server();
    let path = "fix";
    let all = |dimension: &str| json!({"dimension": dimension, "issue_ids": "all"});
    refused(&server, path, &json!({}), "Unknown dimension: .");
    refused(&server, path, &all("odd"), "Unknown dimension: odd.");
    for ids in [json!("some"), json!(4), json!([true])] {
        let body = json!({"dimension": "duplicates", "issue_ids": ids});
        refused(&server, path, &body, "issue_ids must be a list of game ids or \"all\".");
    }
    for ids in [json!([]), json!([0]), json!(["gone"])] {
        let body = json!({"dimension": "duplicates", "issue_ids": ids, "dry_run": true});
        refused(&server, path, &body, "No fixable issues match this selection.");
    }
    let message = "Refusing to fix without a dry-run preview: pass base_token from a preview.";
    refused(&server, path, &all("duplicates"), message);
    let body = json!({"dimension": "duplicates", "issue_ids": "all", "base_token": "x"});
    refused(&server, path, &body, STALE);
    let preview =
        fix(&server, &json!({"dimension": "duplicates", "issue_ids": "all", "dry_run": true}));
    server.post("/api/favorite", &json!({"game_id": id(0)}));
    let body =
        json!({"dimension": "duplicates", "issue_ids": "all", "base_token": preview["base_token"]});
    refused(&server, path, &body, STALE);
    assert_eq!(names(&server).len(), 3);
}

#[test]
fn duplicates_are_merged_and_come_back() {
    let server = server();
    let body = |more: Value| {
        let mut body = json!({"dimension": "duplicates", "issue_ids": [id(1)]});
        let Value::Object(more) = more else { return body };
        for (key, value) in more {
            body[key] = value;
        }
        body
    };
    let preview = fix(&server, &body(json!({"dry_run": true})));
    assert_eq!((&preview["dry_run"], &preview["issue_count"]), (&json!(true), &json!(1)));
    let merge = &preview["plan"]["merges"][0];
    assert_eq!(
        (&preview["plan"]["kind"], &preview["plan"]["undo"]),
        (&json!("merge"), &json!("trash"))
    );
    assert_eq!(
        (&merge["primary"]["game_id"], &merge["absorbed"][0]["name"]),
        (&json!(id(0)), &json!("A again"))
    );
    assert_eq!(merge["changed_fields"], json!(["publisher"]));
    let done = fix(&server, &body(json!({"base_token": preview["base_token"]})));
    assert_eq!((&done["dry_run"], &done["summary"]), (&json!(false), &json!({"merged": 1})));
    assert_eq!(done["undo"], json!({"kind": "trash", "fix_id": done["fix_id"]}));
    assert_eq!(names(&server), ["A", "C"]);
    let undo = json!({"fix_id": done["fix_id"]});
    let undone = server.post(&format!("{HEALTH}/undo"), &undo);
    assert_eq!(undone, json!({"undone": true, "fix_id": done["fix_id"], "restored": 1}));
    assert_eq!(names(&server), ["A", "A again", "C"]);
    assert_eq!(server.get("/api/library")["games"][0]["publisher"], "");
    refused(&server, "undo", &undo, "Fix was already undone.");
    refused(&server, "undo", &json!({"fix_id": "healthfix-0"}), "Fix not found in the journal.");
    for body in [json!({}), json!({"fix_id": " "}), json!({"fix_id": 4})] {
        refused(&server, "undo", &body, "fix_id is required.");
    }
}

#[test]
fn missing_files_are_found_in_a_folder_and_put_back() {
    let server = server();
    let folder = fs::canonicalize(server.scratch().path("moved")).expect("a folder");
    let body = json!({"dimension": "file_integrity", "issue_ids": "all", "dry_run": true});
    let preview = fix(&server, &body);
    assert_eq!(
        (&preview["plan"]["kind"], &preview["plan"]["needs_folder"]),
        (&json!("repair_wizard"), &json!(true))
    );
    let body = json!({"dimension": "file_integrity", "issue_ids": "all", "base_token": preview["base_token"]});
    refused(&server, "fix", &body, "A folder is required.");
    let with = |more: &Value| {
        let mut body = json!({"dimension": "file_integrity", "issue_ids": "all", "folder": folder});
        for (key, value) in more.as_object().expect("an object") {
            body[key] = value.clone();
        }
        body
    };
    refused(
        &server,
        "fix",
        &with(&json!({"folder": "/"})),
        "The filesystem root is not a repair folder.",
    );
    let preview = fix(&server, &with(&json!({"dry_run": true})));
    let found = folder.join("c.sh").display().to_string();
    let row =
        json!({"id": 2, "game_id": id(2), "field": "path", "from": "/gone/c.sh", "to": found});
    assert_eq!(preview["plan"]["matches"], json!([row]));
    let done = fix(&server, &with(&json!({"base_token": preview["base_token"]})));
    assert_eq!(done["summary"], json!({"updated": 1, "skipped": []}));
    assert_eq!(done["undo"]["kind"], "field_restore");
    assert_eq!(server.get("/api/library")["games"][2]["path"], found);
    let undone = server.post(&format!("{HEALTH}/undo"), &json!({"fix_id": done["fix_id"]}));
    assert_eq!((&undone["undone"], &undone["restored"]), (&json!(true), &json!(1)));
    assert_eq!(server.get("/api/library")["games"][2]["path"], "/gone/c.sh");
}

#[test]
fn what_a_person_repairs_is_only_planned() {
    let server = server();
    let plan = |dimension: &str, dry_run: bool| {
        fix(&server, &json!({"dimension": dimension, "issue_ids": "all", "dry_run": dry_run}))
    };
    assert_eq!(plan("metadata", true)["executed"], false);
    assert_eq!(plan("artwork", true)["executed"], Value::Null, "a repair is carried out");
    let metadata = &plan("metadata", true)["plan"];
    assert_eq!((&metadata["kind"], &metadata["action"]), (&json!("manual"), &json!("open_editor")));
    assert_eq!(metadata["game_ids"], json!([id(2)]));
    let launch = &plan("launch_readiness", true)["plan"];
    assert_eq!(
        (&launch["action"], &launch["platforms"]),
        (&json!("open_emulator_profiles"), &json!(["PC"]))
    );
    let done = plan("metadata", false);
    assert_eq!(done["plan"], *metadata);
    assert_eq!((&done["executed"], &done["action"]), (&json!(false), &json!("open_editor")));
    assert_eq!(done["dry_run"], false);
    let artwork = &plan("artwork", true)["plan"];
    assert_eq!(
        (&artwork["kind"], &artwork["undo"]),
        (&json!("artwork_doctor"), &json!("artwork_doctor"))
    );
    assert_eq!(artwork["targets"], json!([id(0), id(2)]));
    assert_eq!(artwork["fields"][0], "cover");
}

#[test]
fn a_start_looks_at_the_library_when_it_is_set() {
    for (rescan, is_scanned) in [("on_startup", true), ("off", false)] {
        let games = json!([{"game_id": id(0), "name": "A"}]);
        let state =
            json!({"schema_version": 6, "games": games, "settings": {"health_rescan": rescan}});
        let server = Setup::new().library(&state.to_string()).start();
        // The launch check is submitted before it, in the same step.
        let jobs = || server.get("/api/v2/jobs")["jobs"].clone();
        let is_listed = |jobs: &Value| {
            let rows = jobs.as_array().expect("a list").iter();
            rows.filter(|job| job["name"] == "library-health-scan").count() == 1
        };
        if is_scanned {
            until("the library is looked at", || is_listed(&jobs()).then_some(()));
        } else {
            assert!(!is_listed(&jobs()));
        }
    }
}
