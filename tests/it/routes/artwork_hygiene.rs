//! `/api/v2/artgrid/hygiene/*`: what is wrong with artwork, fixing it, and taking that back.

use std::fs;

use serde_json::{Value, json};

use super::artgrid::{KEY, hit, list, picture, refused, setup};
use crate::support::{
    client::Request,
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
    stream::{job, started},
    wait::until,
};

const REPORT: &str = "/api/v2/artgrid/hygiene/report";
const FIX: &str = "/api/v2/artgrid/hygiene/fix";
const BATCH: &str = "/api/v2/artgrid/hygiene/batch";
const BEFORE: &str = "/api/v2/artgrid/hygiene/before";
const UNDO: &str = "/api/v2/artgrid/hygiene/undo";

/// A provider that has a cover of this content for every game whose name begins with Comet.
fn provider(cover: Vec<u8>) -> Provider {
    let provider = Provider::new(|_, _| list(&json!([])));
    say(&provider, cover);
    provider
}

fn say(provider: &Provider, cover: Vec<u8>) {
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        path if path.starts_with("/api/v2/search/autocomplete/Comet") => list(&json!([hit()])),
        "/api/v2/games/id/77" => list(&hit()),
        "/api/v2/grids/game/77" => {
            list(&json!([picture(1, &format!("{base}/cdn/1.jpg"), &json!({}))]))
        }
        "/cdn/1.jpg" => Reply::new("200 OK", "image/jpeg", cover.clone()),
        _ => list(&json!([])),
    });
}

fn with_games(setup: Setup, games: &Value) -> Server {
    let library =
        json!({"schema_version": 6, "settings": {"artgrid_enabled": true}, "games": games});
    setup.env("ARTGRID_API_KEY", KEY).library(&library.to_string()).start()
}

fn run(server: &Server, body: &Value) -> Value {
    let id = started(server, FIX, body);
    until("the end of the fix", || {
        let job = job(server, &id);
        let is_active = ["queued", "running", "cancelling"].contains(&job["state"].as_str()?);
        (!is_active).then_some(job)
    })
}

fn cover(server: &Server, at: usize) -> String {
    let library = server.get("/api/library");
    library["games"][at]["cover"].as_str().expect("a text").to_owned()
}

fn bytes(path: &str) -> Vec<u8> {
    fs::read(path).expect("a file")
}

#[test]
fn a_report_names_what_is_wrong_and_asks_nobody() {
    let provider = provider(Vec::new());
    let setup = setup(&provider);
    let file =
        |name: &str, bytes: Vec<u8>| setup.scratch().file(format!("data/media/{name}"), bytes);
    let good = file("good.jpg", jpeg(240, 320, 1));
    let twin = file("twin.jpg", jpeg(240, 320, 1));
    let small = file("small.jpg", jpeg(120, 160, 2));
    let wide = file("wide.jpg", jpeg(400, 210, 3));
    let gone = setup.scratch().path("data/media/gone.jpg");
    let games = json!([
        {"game_id": "g1", "name": "Good", "cover": good},
        {"game_id": "g2", "name": "Twin", "cover": twin, "background": wide},
        {"game_id": "g3", "name": "Small", "cover": small, "icon": gone},
        {"game_id": "g4", "name": "Wide", "cover": wide},
        {"game_id": "g5", "name": "None"},
    ]);
    let server = with_games(setup, &games);
    let report = server.get(REPORT);
    assert_eq!(report["scanned"], 5);
    assert_eq!(
        report["counts"],
        json!({"missing_cover": 1, "missing_file": 1, "low_res": 1, "wrong_aspect": 1, "duplicate": 2})
    );
    let issues = report["issues"].as_array().expect("issues");
    let shown: Vec<_> = issues
        .iter()
        .map(|it| {
            [&it["issue"], &it["game_id"], &it["field"], &it["action"]]
                .map(|it| it.as_str().expect("text"))
        })
        .collect();
    assert_eq!(
        shown,
        [
            ["low_res", "g3", "cover", "replace"],
            ["missing_file", "g3", "icon", "clear"],
            ["wrong_aspect", "g4", "cover", "replace"],
            ["missing_cover", "g5", "cover", "replace"],
            ["duplicate", "g1", "cover", "review"],
            ["duplicate", "g2", "cover", "review"],
        ]
    );
    assert_eq!((&issues[0]["width"], &issues[0]["height"]), (&json!(120), &json!(160)));
    assert_eq!(
        (&issues[2]["aspect"], &issues[2]["expected_aspect"]),
        (&json!(1.905), &json!(0.75))
    );
    let shared = &report["duplicates"][0];
    assert_eq!((&shared["count"], &shared["games"][1]["name"]), (&json!(2), &json!("Twin")));
    assert_eq!(
        (&report["thresholds"], &report["providers"], &report["batches"]),
        (&json!({"low_res_min": 200}), &json!(["artgrid"]), &json!([]))
    );
    let first = server.get(&format!("{REPORT}?limit=1"));
    assert_eq!((&first["scanned"], &first["issues"]), (&json!(1), &json!([])));
    for (limit, error) in [("0", "limit must be >= 1."), ("x", "limit must be an integer.")] {
        let request = Request::get(&format!("{REPORT}?limit={limit}"));
        refused(&server, &request, "BAD_REQUEST", error);
    }
    assert!(provider.seen().is_empty());
}

#[test]
fn a_fix_is_taken_back_byte_by_byte_also_twice() {
    let provider = provider(jpeg(150, 200, 8));
    let setup = setup(&provider);
    let small = setup.scratch().file("data/media/small.jpg", jpeg(120, 160, 2));
    let locked = setup.scratch().file("data/media/locked.jpg", jpeg(121, 160, 2));
    let games = json!([
        {"game_id": "g1", "name": "Comet One", "cover": small},
        {"game_id": "g2", "name": "Comet Two"},
        {"game_id": "g3", "name": "Unknown"},
        {"game_id": "g4", "name": "Comet Four", "cover": locked,
            "field_origins": {"locks": {"cover": true}}},
    ]);
    let server = with_games(setup, &games);
    let found = server.get(REPORT)["issues"].clone();
    let locks = found.as_array().expect("findings").iter().filter(|found| found["locked"] == true);
    assert_eq!(locks.map(|found| &found["game_id"]).collect::<Vec<_>>(), ["g4"]);
    let done = run(&server, &json!({}));
    let output = &done["output"];
    let rows = output["results"].as_array().expect("rows");
    let statuses: Vec<_> =
        rows.iter().map(|row| (row["game_id"].as_str(), row["status"].as_str())).collect();
    assert_eq!(
        statuses,
        [
            (Some("g1"), Some("applied")),
            (Some("g2"), Some("applied")),
            (Some("g3"), Some("not_found")),
            (Some("g4"), Some("error")),
        ]
    );
    assert_eq!(
        (&output["applied"], &output["failed"], &output["total"], &output["cancelled"]),
        (&json!(2), &json!(2), &json!(4), &json!(false))
    );
    assert_eq!(
        (&rows[0]["artgrid_id"], &rows[3]["error"]),
        (&json!(77), &json!("The field is locked."))
    );
    let first = output["batch_id"].as_str().expect("an id").to_owned();
    let fixed = cover(&server, 0);
    assert_eq!(bytes(&fixed), jpeg(150, 200, 8));
    assert_eq!(cover(&server, 3), locked.to_string_lossy());
    // What came is small too: the next fix brings another file.
    say(&provider, jpeg(160, 210, 9));
    let named =
        json!({"game_ids": ["g1", "gone"], "fields": ["cover"], "issues": ["low_res"], "limit": 1});
    let done = run(&server, &named);
    let rows = done["output"]["results"].as_array().expect("rows");
    assert_eq!(
        (&rows[0]["status"], &rows[1]["status"]),
        (&json!("game_missing"), &json!("applied"))
    );
    let second = cover(&server, 0);
    assert_ne!(second, fixed);
    assert_eq!((bytes(&second), bytes(&fixed)), (jpeg(160, 210, 9), jpeg(150, 200, 8)));
    let batches = server.get(REPORT)["batches"].clone();
    assert_eq!(
        (batches.as_array().map(Vec::len), &batches[1]["batch_id"], &batches[1]["count"]),
        (Some(2), &json!(first), &json!(2))
    );
    let undone = server.post(UNDO, &json!({}));
    assert_eq!(undone["counts"], json!({"removed": 0, "restored": 1}));
    assert_eq!((cover(&server, 0), bytes(&fixed)), (fixed, jpeg(150, 200, 8)));
    let undone = server.post(UNDO, &json!({"batch_id": first}));
    assert_eq!(
        undone["restored"],
        json!([
            {"game_id": "g1", "field": "cover", "action": "restored"},
            {"game_id": "g2", "field": "cover", "action": "removed"},
        ])
    );
    assert_eq!(
        (cover(&server, 0), cover(&server, 1)),
        (small.to_string_lossy().into_owned(), String::new())
    );
    assert_eq!(bytes(&cover(&server, 0)), jpeg(120, 160, 2));
    let none = "There is no fix of artwork to undo.";
    for body in [json!({}), json!({"batch_id": first})] {
        refused(&server, &Request::post(UNDO, &body), "ARTWORK_UNDO_MISSING", none);
    }
    assert_eq!(server.get(REPORT)["batches"], json!([]));
}

#[test]
fn an_undo_gives_back_the_number_at_the_provider() {
    let provider = provider(jpeg(150, 200, 8));
    let games = json!([
        {"game_id": "g1", "name": "Comet One"},
        {"game_id": "g2", "name": "Comet Two", "artgrid_id": "77", "artwork_provider": "other"},
    ]);
    let server = with_games(setup(&provider), &games);
    let links = || {
        let games = server.get("/api/library")["games"].clone();
        [0, 1].map(|at| [games[at]["artwork_provider"].clone(), games[at]["artgrid_id"].clone()])
    };
    let before = links();
    assert_eq!(before[1], [json!("other"), json!("77")]);
    run(&server, &json!({}));
    assert_eq!(links(), [0, 1].map(|_| [json!("artgrid"), json!("77")]));
    server.post(UNDO, &json!({}));
    assert_eq!(links(), before);
}

#[test]
fn pictures_from_before_a_fix_are_shown_beside_what_is_there_now() {
    let provider = provider(jpeg(150, 200, 8));
    let setup = setup(&provider);
    let small = setup.scratch().file("data/media/small.jpg", jpeg(120, 160, 2));
    let wide = setup.scratch().file("data/media/wide.jpg", jpeg(900, 500, 3));
    let games = json!([
        {"game_id": "g1", "name": "Comet One", "cover": small},
        {"game_id": "g2", "name": "Comet Two"},
        {"game_id": "g3", "name": "Comet Three", "cover": wide},
    ]);
    let server = with_games(setup, &games);
    let done = run(&server, &json!({}));
    let id = done["output"]["batch_id"].as_str().expect("an id").to_owned();
    fs::remove_file(&small).expect("removed");
    let own = server.scratch().file("data/media/own.jpg", jpeg(240, 320, 1));
    let changed = json!({"game_id": "g3", "game": {"name": "Comet Three", "cover": own}});
    server.post("/api/game", &changed);
    let shown = server.get(&format!("{BATCH}?batch_id={id}"));
    let pair = |game: &str, name: &str, had_picture: bool, current: bool| {
        json!({"game_id": game, "name": name, "field": "cover", "had_picture": had_picture,
            "current": current})
    };
    assert_eq!(
        shown["pictures"],
        json!([
            pair("g1", "Comet One", true, true),
            pair("g2", "Comet Two", false, true),
            pair("g3", "Comet Three", true, false),
        ])
    );
    assert_eq!((&shown["batch_id"], &shown["provider"]), (&json!(id), &json!("artgrid")));
    let before = |id: &str, game: &str, field: &str| {
        let query = format!("batch_id={id}&game_id={game}&field={field}");
        Request::get(&format!("{BEFORE}?{query}"))
    };
    // The copy of the fix is shown: its file is gone.
    let kept = server.send(&before(&id, "g1", "cover"));
    assert_eq!((kept.status, kept.header("content-type")), (200, Some("image/jpeg")));
    assert_eq!(kept.body(), jpeg(120, 160, 2));
    let smaller = server.send(&before(&id, "g3", "cover"));
    assert_eq!(smaller.status, 200);
    assert!(smaller.body().starts_with(&[0xff, 0xd8]) && smaller.body() != jpeg(900, 500, 3));
    for (game, field) in [("g2", "cover"), ("g1", "icon"), ("..%2Fg1", "cover")] {
        let none = server.send(&before(&id, game, field)).expect(404).json();
        assert_eq!(none["code"], "MEDIA_NOT_FOUND");
    }
    let none = "There is no fix of artwork to undo.";
    refused(&server, &before("gone", "g1", "cover"), "ARTWORK_UNDO_MISSING", none);
    for batch in ["..", "..%2Fx", "%2Fetc"] {
        let asked =
            [before(batch, "g1", "cover"), Request::get(&format!("{BATCH}?batch_id={batch}"))];
        for request in asked {
            refused(&server, &request, "BAD_REQUEST", "batch_id is not valid.");
        }
    }
    server.post(UNDO, &json!({"batch_id": id}));
    let gone = Request::get(&format!("{BATCH}?batch_id={id}"));
    refused(&server, &gone, "ARTWORK_UNDO_MISSING", none);
}

#[test]
fn what_a_person_changed_since_stays() {
    let provider = provider(jpeg(150, 200, 8));
    let server = with_games(setup(&provider), &json!([{"game_id": "g1", "name": "Comet One"}]));
    run(&server, &json!({"game_ids": ["g1"]}));
    let own = server.scratch().file("data/media/own.jpg", jpeg(240, 320, 1));
    server
        .post("/api/game", &json!({"game_id": "g1", "game": {"name": "Comet One", "cover": own}}));
    let undone = server.post(UNDO, &json!({}));
    assert_eq!(undone["restored"][0]["action"], "skipped");
    assert_eq!(undone["counts"], json!({"removed": 0, "restored": 0}));
    assert_eq!(cover(&server, 0), own.to_string_lossy());
}

#[test]
fn a_cover_that_a_person_set_is_replaced_when_they_ask_for_it() {
    let provider = provider(jpeg(150, 200, 8));
    let setup = setup(&provider);
    let small = setup.scratch().file("data/media/small.jpg", jpeg(120, 160, 2));
    let rom = setup.scratch().file("one.nes", "x");
    let server = with_games(setup, &json!([]));
    let game = json!({"name": "Comet One", "path": rom, "cover": small});
    let saved = server.post("/api/game", &json!({"game": game}));
    for fix in [
        json!({"issues": ["low_res"]}),
        json!({"game_ids": [saved["game_id"]], "issues": ["low_res"], "fields": ["cover"]}),
    ] {
        let done = run(&server, &fix);
        assert_eq!(done["output"]["applied"], 1, "{done}");
        assert_eq!(bytes(&cover(&server, 0)), jpeg(150, 200, 8));
        server.post(UNDO, &json!({}));
    }
}

#[test]
fn findings_of_a_report_name_the_pictures_that_are_replaced() {
    let provider = provider(jpeg(150, 200, 8));
    let setup = setup(&provider);
    let small = |name: &str, tone| {
        setup.scratch().file(format!("data/media/{name}.jpg"), jpeg(120, 160, tone))
    };
    let covers = [small("one", 2), small("two", 3)];
    let games = json!([
        {"game_id": "g1", "name": "Comet One", "cover": covers[0]},
        {"game_id": "g2", "name": "Comet Two", "cover": covers[1]},
    ]);
    let server = with_games(setup, &games);
    let found = server.get(REPORT)["issues"].clone();
    let second = found.as_array().expect("findings").iter().find(|it| it["game_id"] == "g2");
    let done = run(&server, &json!({"findings": [second]}));
    assert_eq!((&done["output"]["applied"], &done["output"]["total"]), (&json!(1), &json!(1)));
    assert_eq!(bytes(&cover(&server, 0)), jpeg(120, 160, 2), "the other one stays");
    for findings in [
        json!([]),
        json!("all"),
        json!([{"field": "cover"}]),
        json!([{"game_id": "g1", "field": "x"}]),
    ] {
        let body = json!({"findings": findings});
        let refused = server.send(&Request::post(FIX, &body)).expect(400).json();
        assert_eq!(refused["error"], "Invalid finding selection.", "{findings}");
    }
}

#[test]
fn a_fix_is_checked_before_it_begins() {
    let provider = provider(Vec::new());
    let server = with_games(setup(&provider), &json!([{"game_id": "g1", "name": "Comet One"}]));
    for (body, error) in [
        (json!({"fields": ["fanart"]}), "Invalid field selection."),
        (json!({"fields": []}), "Invalid field selection."),
        (json!({"issues": ["ugly"]}), "Invalid issue selection."),
        (json!({"issues": ["missing_file"]}), "Select at least one issue that can be fixed."),
        (json!({"limit": 0}), "limit must be >= 1."),
        (json!({"limit": 201}), "limit must be <= 200."),
        (json!({"game_ids": "g1"}), "game_ids must be a list of texts."),
    ] {
        refused(&server, &Request::post(FIX, &body), "BAD_REQUEST", error);
    }
    let bad = Request::post(UNDO, &json!({"batch_id": "../x"}));
    refused(&server, &bad, "BAD_REQUEST", "batch_id is not valid.");
    let library = json!({"schema_version": 6, "games": []}).to_string();
    let server = setup(&provider).library(&library).start();
    let without = "Set ARTGRID_API_KEY in .env to use SteamGridDB.";
    refused(&server, &Request::post(FIX, &json!({})), "ARTGRID_UNCONFIGURED", without);
    assert_eq!(server.get(REPORT)["scanned"], 0, "a report needs no key");
    assert!(provider.seen().is_empty());
}
