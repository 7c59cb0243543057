//! `/api/v2/library/dna/*`: questions in plain words, the index and its job.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::{Stream, started},
    wait::until,
};

const SEARCH: &str = "/api/v2/library/dna/search";
const STATUS: &str = "/api/v2/library/dna/status";
const REBUILD: &str = "/api/v2/library/dna/index/rebuild";

fn id(number: usize) -> String {
    format!("game-{number:024}")
}

fn library(games: &[Value]) -> String {
    let games: Vec<Value> = games
        .iter()
        .enumerate()
        .map(|(number, game)| {
            let mut game = game.clone();
            game["game_id"] = id(number).into();
            game
        })
        .collect();
    json!({"schema_version": 6, "games": games}).to_string()
}

fn games() -> String {
    library(&[
        json!({"name": "Meadow Days", "genre": "Simulation", "platform": "PC", "user_rating": 4,
            "description": "A relaxing farm with gentle villagers."}),
        json!({"name": "Dungeon Night", "genre": "RPG", "platform": "SNES", "year": "1994",
            "description": "Knights crawl through a dungeon."}),
        json!({"name": "Dungeon Dawn", "genre": "RPG", "platform": "SNES", "year": "2004",
            "description": "Knights crawl through another dungeon.", "progress": "Beaten"}),
        json!({"name": "Road Fury", "genre": "Racing", "platform": "PC"}),
    ])
}

fn server() -> Server {
    Setup::new().library(&games()).start()
}

fn ids(answer: &Value) -> Vec<String> {
    let results = answer["results"].as_array().expect("a list").iter();
    results.map(|result| result["game_id"].as_str().expect("an id").to_owned()).collect()
}

fn search(server: &Server, query: &str) -> Value {
    server.post(SEARCH, &json!({"query": query}))
}

fn stored(server: &Server) -> Value {
    let text = fs::read_to_string(server.data("dna_index.json")).expect("an index");
    serde_json::from_str(&text).expect("JSON")
}

/// Waits for the end of a job that the program started by itself.
fn await_job(server: &Server) {
    until("the index is made", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].clone();
        let mut rows = jobs.as_array().expect("a list").iter();
        let is_over = |job: &&Value| job["name"] == "dna-index-rebuild" && job["state"] == "done";
        rows.find(is_over).map(drop)
    });
}

#[test]
fn a_question_finds_games_with_reasons() {
    let server = server();
    let answer = search(&server, "cozy");
    assert_eq!((&answer["branch"], &answer["anchor"]), (&json!("bm25"), &json!(null)));
    assert_eq!(answer["results"][0]["name"], "Meadow Days");
    assert_eq!(answer["results"][0]["why"], json!(["cozy → relaxing", "4★ rated"]));
    assert_eq!((&answer["degraded"], answer.get("building")), (&json!(false), None));
    let answer = search(&server, "unplayed RPG on SNES from the 90s");
    assert_eq!(ids(&answer), [id(1)]);
    assert_eq!(answer["parse"]["parsed"], true);
    let answer = search(&server, "games like dungeon night");
    assert_eq!(answer["branch"], "similarity");
    assert_eq!(answer["anchor"], json!({"game_id": id(1), "name": "Dungeon Night"}));
    assert_eq!(ids(&answer)[0], id(2));
    let answer = search(&server, "games like qqqq");
    assert_eq!(answer["branch"], "bm25-unresolved-anchor");
    let body = json!({"query": "knights", "filters": {"platform": ["snes"], "odd": 1}, "limit": 1});
    assert_eq!(server.post(SEARCH, &body)["results"].as_array().map(Vec::len), Some(1));
}

#[test]
fn hidden_games_are_found_only_by_whoever_asks_for_them() {
    let game = |name: &str, hidden: bool| {
        json!({"name": name, "genre": "RPG", "platform": "SNES", "hidden": hidden,
            "description": "Knights crawl through a dungeon."})
    };
    let games =
        [game("Dungeon Night", false), game("Dungeon Secret", true), game("Dungeon Dawn", false)];
    let server = Setup::new().library(&library(&games)).start();
    let seen = |query: &str| {
        let mut ids = ids(&search(&server, query));
        ids.sort();
        ids
    };
    for query in ["knights", "unplayed RPG on SNES", "unplayed", "games like qqqq knights"] {
        assert_eq!(seen(query), [id(0), id(2)], "{query}");
    }
    assert_eq!(seen("games like dungeon night"), [id(2)]);
    assert_eq!(seen("hidden RPG"), [id(1)]);
}

#[test]
fn questions_are_checked_and_limits_clamped() {
    let server = server();
    for (body, message) in [
        (json!({}), "query is required"),
        (json!({"query": "  "}), "query is required"),
        (json!({"query": 4}), "query is required"),
        (json!({"query": "a", "limit": "x"}), "limit must be an integer"),
        (json!({"query": "a", "limit": 1.5}), "limit must be an integer"),
        (json!({"query": "a", "limit": null}), "limit must be an integer"),
    ] {
        let reply = server.send(&Request::post(SEARCH, &body)).expect(400).json();
        assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
    }
    for (limit, count) in [(-4, 1), (0, 1), (1, 1), (101, 2)] {
        let answer = server.post(SEARCH, &json!({"query": "knights", "limit": limit}));
        assert_eq!(ids(&answer).len(), count, "{limit}");
    }
    let long = "knights ".repeat(5_000);
    assert_eq!(ids(&search(&server, &long)).len(), 2);
    for query in ["\u{0}\u{1}", "' OR 1=1 --", "like ''", "((((", "🐉"] {
        assert!(search(&server, query)["results"].is_array());
    }
}

#[test]
fn the_index_is_a_file_that_follows_edits() {
    let mut server = server();
    let status = server.get(STATUS);
    let expected = json!({"indexed": 4, "total": 4, "coverage_pct": 75.0, "index_version": 1,
        "lexicon_version": 3, "build_ms": status["build_ms"], "state": "ready"});
    assert_eq!(status, expected);
    let file = stored(&server);
    assert_eq!((&file["format"], &file["doc_count"]), (&json!(1), &json!(4)));
    assert_eq!(file["df"]["dungeon"], 2);
    server.post("/api/games/bulk", &json!({"ids": [3], "changes": {"genre": "Sokoban"}}));
    assert_eq!(ids(&search(&server, "sokoban")), [id(3)]);
    assert!(ids(&search(&server, "racing")).is_empty());
    assert_eq!(stored(&server)["df"]["sokoban"], 1);
    assert_eq!(server.get(STATUS)["state"], "ready");
    server.post("/api/game/delete", &json!({"game_id": id(3)}));
    assert!(ids(&search(&server, "sokoban")).is_empty());
    assert_eq!(server.get(STATUS)["indexed"], 3);
    server.stop();
    server.restart();
    assert_eq!(server.get(STATUS)["state"], "ready");
    assert_eq!(ids(&search(&server, "cozy")), [id(0)]);
}

#[test]
fn an_index_of_another_library_is_made_anew_by_a_job() {
    let mut server = server();
    search(&server, "cozy");
    server.stop();
    let other = library(&[json!({"name": "Other"}), json!({"name": "Another", "genre": "Chess"})]);
    fs::write(server.data("library.json"), other).expect("written");
    server.restart();
    let answer = search(&server, "chess");
    assert_eq!(answer["degraded"], true);
    await_job(&server);
    let answer = search(&server, "chess");
    assert_eq!((&answer["degraded"], ids(&answer)), (&json!(false), vec![id(1)]));
}

#[test]
fn a_damaged_index_counts_as_missing() {
    let setup = Setup::new().library(&games());
    setup.scratch().file("data/dna_index.json", "{\"format\": 7}");
    let server = setup.start();
    assert_eq!(ids(&search(&server, "cozy")), [id(0)]);
    assert_eq!(stored(&server)["format"], 1);
}

#[test]
fn a_large_library_is_indexed_by_a_job_and_titles_answer_meanwhile() {
    let many: Vec<Value> = (0..5_000)
        .map(|number| json!({"name": format!("Game {number}"), "genre": "Sokoban"}))
        .collect();
    let server = Setup::new().library(&library(&many)).start();
    let answer = server.post(SEARCH, &json!({"query": "game 4999"}));
    assert_eq!((&answer["branch"], &answer["degraded"]), (&json!("title-fallback"), &json!(true)));
    assert_eq!((&answer["building"], &answer["parse"]), (&json!(true), &json!({"parsed": false})));
    assert_eq!(answer["results"][0]["why"], json!(["title match"]));
    await_job(&server);
    assert_eq!(search(&server, "sokoban")["branch"], "bm25");
    assert_eq!(server.get(STATUS)["indexed"], 5_000);
}

#[test]
fn the_index_is_made_anew_on_request() {
    let server = server();
    let mut stream = Stream::open(&server);
    let job = started(&server, REBUILD, &json!({}));
    let done = stream.job_end(&server, &job);
    let result = &done["result"];
    assert_eq!((&result["indexed"], &result["reason"]), (&json!(4), &json!("requested")));
    assert_eq!((&done["state"], &done["type"]), (&json!("done"), &json!("dna.index_rebuild")));
    assert_eq!(stored(&server)["doc_count"], 4);
}

#[test]
fn a_pick_prefers_games_that_fit_a_question() {
    let setup = Setup::new();
    let games: Vec<Value> = ["Alpha", "Beta"]
        .iter()
        .map(|name| {
            let path = setup.scratch().file(format!("{name}.nes"), "x");
            json!({"name": name, "path": path, "genre": if *name == "Beta" { "Chess" } else { "" }})
        })
        .collect();
    let server = setup.library(&library(&games)).start();
    let pick = |body: Value| server.post("/api/v2/library/pick", &body)["picks"].clone();
    let scores = |picks: &Value| -> Vec<f64> {
        let named = |name: &str| {
            let rows = picks.as_array().expect("a list").iter();
            rows.filter(|row| row["name"] == name)
                .map(|row| row["score"].as_f64().expect("a score"))
                .sum()
        };
        vec![named("Alpha"), named("Beta")]
    };
    let plain = scores(&pick(json!({})));
    let picks = pick(json!({"seed_query": "chess", "dna_boost": 2}));
    assert_eq!(scores(&picks), [plain[0], plain[1] * 3.0]);
    let seeds: Vec<&Value> =
        picks.as_array().expect("a list").iter().filter_map(|row| row.get("dna_seed")).collect();
    assert_eq!(seeds, [&json!("chess")]);
    for boost in [json!(-1), json!("x"), json!([])] {
        let body = json!({"seed_query": "chess", "dna_boost": boost});
        server.send(&Request::post("/api/v2/library/pick", &body)).expect(400);
    }
}
