//! `/api/v2/library/search`: the library and its index.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const MODE: &str = "SERVICE_ENABLE_SQLITE_READ";

fn library(titles: impl IntoIterator<Item = String>) -> String {
    let game = |(number, title): (usize, String)| {
        json!({"game_id": format!("game-{number:024}"), "name": title, "hidden": number == 1,
            "odd": {"kept": [number]}})
    };
    let games: Vec<Value> = titles.into_iter().enumerate().map(game).collect();
    json!({"schema_version": 6, "games": games}).to_string()
}

fn three() -> String {
    library(["Alpha One", "Beta One", "Alphabet"].map(str::to_owned))
}

fn names(answer: &Value) -> Vec<&str> {
    let results = answer["results"].as_array().expect("a list");
    results.iter().map(|game| game["name"].as_str().expect("a name")).collect()
}

#[test]
fn small_libraries_are_searched_by_title_in_library_order() {
    let server = Setup::new().library(&three()).start();
    for (query, expected) in [
        ("q=ALPHA", vec!["Alpha One", "Alphabet"]),
        ("q=one", vec!["Alpha One", "Beta One"]),
        ("q=pha%20o", vec!["Alpha One"]),
        ("q=zeta", vec![]),
        ("q=one&limit=1", vec!["Alpha One"]),
        ("q=one&limit=0", vec!["Alpha One"]),
        ("q=one&limit=-5", vec!["Alpha One"]),
        ("q=one&limit=", vec!["Alpha One", "Beta One"]),
        ("q=one&limit=100000", vec!["Alpha One", "Beta One"]),
        ("q=%20", vec![]),
        ("q=", vec![]),
        ("", vec![]),
    ] {
        let answer = server.get(&format!("/api/v2/library/search?{query}"));
        assert_eq!(names(&answer), expected, "{query}");
        assert_eq!((&answer["source"], &answer["count"]), (&json!("json"), &json!(expected.len())));
    }
    let stored = server.get("/api/v2/library/search?q=beta")["results"][0].clone();
    assert_eq!((&stored["odd"], &stored["hidden"]), (&json!({"kept": [1]}), &json!(true)));
    assert!(stored.get("path_exists").is_none(), "records are shown as they are stored");
    let all = server.get("/api/v2/library/search?q=one&limit=99999999999999999999");
    assert_eq!(all["count"], 2);
    for limit in ["x", "1.5"] {
        let target = format!("/api/v2/library/search?q=one&limit={limit}");
        let reply = server.send(&Request::get(&target)).expect(400).json();
        assert_eq!(
            (&reply["error"], &reply["code"]),
            (&json!("Invalid limit."), &json!("BAD_REQUEST"))
        );
    }
}

#[test]
fn at_most_two_hundred_games_are_found_and_fifty_by_default() {
    let titles = (0..201).map(|number| format!("Title {number}"));
    let server = Setup::new().library(&library(titles)).start();
    for (query, expected) in [("", 50), ("&limit=200", 200), ("&limit=201", 200), ("&limit=49", 49)]
    {
        let answer = server.get(&format!("/api/v2/library/search?q=title{query}"));
        assert_eq!(answer["count"], expected, "{query}");
    }
}

#[test]
fn an_index_that_is_switched_on_answers_and_follows_edits() {
    let mut server = Setup::new().library(&three()).env(MODE, "1").start();
    let find = |server: &Server, query: &str| {
        let answer = server.get(&format!("/api/v2/library/search?q={query}"));
        assert_eq!(answer["source"], "sqlite", "{query}");
        names(&answer).into_iter().map(str::to_owned).collect::<Vec<String>>()
    };
    assert_eq!(find(&server, "alpha"), ["Alphabet", "Alpha One"]);
    assert_eq!(find(&server, "one%20be"), ["Beta One"]);
    let stored = server.get("/api/v2/library/search?q=beta")["results"][0].clone();
    assert_eq!((&stored["odd"], &stored["hidden"]), (&json!({"kept": [1]}), &json!(true)));
    for (round, platform) in ["Saturn", "Dreamcast", "Lynx"].into_iter().enumerate() {
        let change = json!({"ids": [0], "changes": {"platform": platform}});
        server.post("/api/games/bulk", &change);
        assert_eq!(find(&server, platform), ["Alpha One"], "round {round}");
    }
    assert!(find(&server, "saturn").is_empty());
    server.post("/api/game/delete", &json!({"id": 0}));
    assert!(find(&server, "lynx").is_empty());
    // Whatever happens to the file between two runs, the library is what is found.
    for damage in [
        |server: &Server| fs::remove_file(server.data("library.sqlite3")).expect("removed"),
        |server: &Server| fs::write(server.data("library.sqlite3"), "junk").expect("written"),
    ] {
        server.kill();
        damage(&server);
        server.restart();
        assert_eq!(find(&server, "beta"), ["Beta One"]);
    }
}

#[test]
fn an_index_switches_itself_on_at_five_thousand_games() {
    let titles = |count: usize| library((0..count).map(|number| format!("Title {number}")));
    for (count, mode, expected) in [
        (4_999, None, "json"),
        (5_000, None, "sqlite"),
        (5_000, Some("0"), "json"),
        (5_000, Some("false"), "json"),
        (5_000, Some("no"), "json"),
    ] {
        let setup = Setup::new().library(&titles(count));
        let setup = match mode {
            Some(mode) => setup.env(MODE, mode),
            None => setup,
        };
        let server = setup.start();
        let mut answer = server.get("/api/v2/library/search?q=title%2017");
        // A busy machine may take longer for the first index than a search waits.
        for _ in 0..30 {
            if answer["source"] == expected {
                break;
            }
            answer = server.get("/api/v2/library/search?q=title%2017");
        }
        assert_eq!(answer["source"], expected, "{count} games, {mode:?}");
        let found = names(&answer);
        assert!(found.contains(&"Title 17"), "{count} games, {mode:?}");
        assert_eq!(server.data("library.sqlite3").exists(), expected == "sqlite");
    }
}

#[test]
fn without_a_place_for_the_index_the_library_answers() {
    let setup = Setup::new().library(&three()).env(MODE, "1");
    let server = setup.start();
    fs::create_dir(server.data("library.sqlite3")).expect("a folder in the way");
    let answer = server.get("/api/v2/library/search?q=alpha");
    assert_eq!(
        (names(&answer), &answer["source"]),
        (vec!["Alpha One", "Alphabet"], &json!("json"))
    );
}
