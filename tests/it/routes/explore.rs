//! `/api/related`, `/api/related/rich`, `/api/explorer/facets`, `/api/health` and
//! `/api/health/dedupe`.

use std::fs;

use serde_json::{Value, json};

use super::game::create;
use crate::support::{
    client::Request,
    server::{Server, Setup},
};

/// A library file of these games; each gets an id `game-<24 digits>` by its place.
fn with(games: &[Value]) -> Server {
    let games: Vec<Value> = games
        .iter()
        .enumerate()
        .map(|(at, game)| {
            let mut game = game.clone();
            game["game_id"] = id(at).into();
            game
        })
        .collect();
    Setup::new().library(&json!({"schema_version": 6, "games": games}).to_string()).start()
}

fn id(at: usize) -> String {
    format!("game-{at:024}")
}

#[test]
fn related_games_come_with_scores_and_reasons() {
    let server = with(&[
        json!({"name": "A", "genre": "Action, Puzzle", "series": "S", "developer": "D", "platform": "NES"}),
        json!({"name": "B", "genre": "puzzle action", "platform": "nes"}),
        json!({"name": "C", "series": "s", "developer": "d"}),
        json!({"name": "D", "series": "S", "hidden": true}),
        json!({"name": "E", "genre": "Racing"}),
    ]);
    let items = json!([
        {"id": 2, "score": 11, "reasons": ["same series", "same developer"]},
        {"id": 1, "score": 6, "reasons": ["shared genre", "same platform"]},
    ]);
    for query in ["id=0".to_owned(), format!("game_id={}", id(0)), format!("id={}", id(0))] {
        let rich = server.get(&format!("/api/related/rich?{query}"));
        assert_eq!(rich, json!({"items": items}), "{query}");
        assert_eq!(server.get(&format!("/api/related?{query}")), json!({"ids": [2, 1]}));
    }
    assert_eq!(server.get("/api/related?id=4"), json!({"ids": []}));
    for path in ["/api/related", "/api/related/rich"] {
        for query in ["", "?id=5", "?id=-1", "?id=x", "?game_id=game-gone&id=0"] {
            let reply = server.send(&Request::get(&format!("{path}{query}"))).expect(404).json();
            let expected = (&json!("Game not found"), &json!("GAME_NOT_FOUND"));
            assert_eq!((&reply["error"], &reply["code"]), expected, "{path}{query}");
        }
    }
}

#[test]
fn at_most_eight_related_games_are_shown_the_best_first() {
    let all = json!({"name": "A", "genre": "Action", "series": "S", "collection": "C",
        "developer": "D", "platform": "NES", "publisher": "P"});
    let mut games = vec![all.clone(), all.clone()];
    games[1]["name"] = json!("Twin");
    games.push(json!({"name": "Publisher", "publisher": " p "}));
    games.push(json!({"name": "Collection", "collection": "c"}));
    games.extend((0..7).map(|number| {
        json!({"name": format!("N{number}"), "sort_title": format!("{}", 9 - number), "platform": "nes"})
    }));
    let server = with(&games);
    assert_eq!(
        server.get("/api/related?id=0")["ids"],
        json!([1, 3, 10, 9, 8, 7, 6, 5]),
        "equal ones by the title they are sorted by"
    );
    let items = server.get("/api/related/rich?id=0")["items"].clone();
    let reasons = [
        "shared genre",
        "same series",
        "same collection",
        "same developer",
        "same platform",
        "same publisher",
    ];
    assert_eq!(items[0], json!({"id": 1, "score": 21, "reasons": reasons}));
    assert_eq!(items[1], json!({"id": 3, "score": 5, "reasons": ["same collection"]}));
    assert_eq!(items.as_array().map(Vec::len), Some(8));
    let publisher = server.get("/api/related/rich?id=2")["items"].clone();
    assert_eq!(publisher[0], json!({"id": 0, "score": 1, "reasons": ["same publisher"]}));
}

#[test]
fn facets_are_counted_by_field() {
    let server = with(&[
        json!({"genre": "RPG, Action", "developer": "B", "publisher": "P", "platform": "NES", "progress": "Playing", "esrb": "T"}),
        json!({"genre": "Action", "developer": "a"}),
        json!({"genre": " , ", "platform": "  "}),
        json!({"genre": "Action", "platform": "NES", "hidden": true}),
    ]);
    let cases = [
        ("genre", json!([["Action", 2], ["RPG", 1]])),
        ("developer", json!([["a", 1], ["B", 1]])),
        ("publisher", json!([["P", 1]])),
        ("platform", json!([["Unspecified", 2], ["NES", 1]])),
        ("progress", json!([["Unset", 2], ["Playing", 1]])),
        ("esrb", json!([["Unrated", 2], ["T", 1]])),
        ("year", json!([])),
        ("Genre", json!([])),
    ];
    for (field, expected) in cases {
        let facet = |pair: &Value| json!({"value": pair[0], "count": pair[1]});
        let facets: Vec<Value> = expected.as_array().expect("a list").iter().map(facet).collect();
        let answer = server.get(&format!("/api/explorer/facets?field={field}"));
        assert_eq!(answer, json!({"field": field, "facets": facets}));
    }
    assert_eq!(server.get("/api/explorer/facets")["field"], "genre");
    assert_eq!(server.get("/api/explorer/facets?field=")["field"], "genre");
}

#[test]
fn at_most_forty_facets_are_shown() {
    for count in [40, 41] {
        let game = |number: usize| json!({"platform": format!("p{number:02}")});
        let server = with(&(0..count).map(game).collect::<Vec<_>>());
        let facets = server.get("/api/explorer/facets?field=platform");
        assert_eq!(facets["facets"].as_array().map(Vec::len), Some(40));
        assert_eq!(facets["facets"][39]["value"], "p39");
    }
}

#[test]
fn a_checkup_names_every_kind_of_issue() {
    let server = Server::start();
    let folder = server.data("media");
    fs::create_dir_all(&folder).expect("a folder");
    let cover = folder.join("cover.png");
    fs::write(&cover, "x").expect("a file");
    let outside = server.scratch().file("outside.png", "x");
    let lost = server.data("media/lost.pdf");
    let whole = server.scratch().file("whole.sh", "");
    let add = |name: &str, more: Value| {
        let mut game = json!({"name": name, "path": whole, "cover": cover});
        game.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        server.post("/api/game", &json!({"game": game}));
    };
    add("whole", json!({}));
    add("again", json!({}));
    let file = |name: &str| server.scratch().file(name, "");
    let (gone, rom, profiled) = (file("gone.sh"), file("a.NES"), file("b.sfc"));
    add("gone", json!({"path": gone}));
    add(
        "bare",
        json!({"path": file("bare.sh"), "cover": "",
        "documents": [{"path": lost}, {"path": outside}], "save_paths": ["/gone/s"]}),
    );
    add("rom", json!({"path": rom, "platform": "NES"}));
    add("profiled", json!({"path": profiled, "platform": "SNES"}));
    fs::remove_file(&gone).expect("removed");
    server.post("/api/profiles", &json!({"profiles": {"SNES": "x {path}"}}));
    for path in ["/api/health", "/api/v1/health"] {
        let report = server.post(path, &json!({}));
        let issues: Vec<(u64, &str, &str, &str)> = report["issues"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|issue| {
                let text = |key: &str| issue[key].as_str().expect("text");
                (
                    issue["id"].as_u64().expect("a position"),
                    text("game"),
                    text("type"),
                    text("detail"),
                )
            })
            .collect();
        let duplicate = format!("Matches whole; identity path:{}", whole.display());
        let expected = [
            (1, "again", "Duplicate", duplicate.as_str()),
            (2, "gone", "Missing game", gone.to_str().expect("text")),
            (3, "bare", "Missing box front", "No local cover image"),
            (3, "bare", "Missing extra", lost.to_str().expect("text")),
            (3, "bare", "Missing save path", "/gone/s"),
            (4, "rom", "No emulator", "NES"),
        ];
        assert_eq!(issues, expected);
        for (key, count) in [
            ("games", 6),
            ("missing", 1),
            ("duplicates", 1),
            ("unconfigured", 0),
            ("missing_media", 1),
        ] {
            assert_eq!(report[key], count, "{key}");
        }
    }
}

#[test]
fn duplicates_go_and_leave_what_they_knew() {
    let server = with(&[
        json!({"name": "Kept", "path": "/a.sh", "playtime_seconds": 10, "tags": ["x"]}),
        json!({"name": "Path", "path": "/b/../a.sh", "playtime_seconds": 5, "cover": "/c.png", "favorite": true}),
        json!({"name": "Store", "store_a_app_id": "440", "path": "/s"}),
        json!({"name": "Store again", "store_a_app_id": "440", "path": "/t"}),
        json!({"name": "Rom", "platform": "Arcade", "rom_name": "pacman.zip", "path": "/p.zip"}),
        json!({"name": "Clone", "platform": "Arcade", "rom_name": "PacMan (set 1).zip", "path": "/q.zip"}),
        json!({"name": "Alone", "path": "/z.sh"}),
    ]);
    server.post("/api/playlists", &json!({"name": "P", "type": "manual", "ids": [1]}));
    let reply = server.post("/api/v1/health/dedupe", &json!({}));
    assert_eq!(reply, json!({"removed": ["Path", "Store again", "Clone"]}));
    let games = server.get("/api/library")["games"].clone();
    let names: Vec<&Value> =
        games.as_array().expect("a list").iter().map(|game| &game["name"]).collect();
    assert_eq!(names, ["Kept", "Store", "Rom", "Alone"]);
    assert_eq!((&games[0]["playtime_seconds"], &games[0]["favorite"]), (&json!(15), &json!(true)));
    assert_eq!(games[0]["alternate_names"], json!(["Path"]));
    // The id of a game that went finds the one that stays, also after a restart.
    let found = server.get(&format!("/api/library/delta?ids={}", id(1)));
    assert_eq!(found["games"][0]["name"], "Kept");
    assert_eq!(server.post("/api/health/dedupe", &json!({})), json!({"removed": []}));
    assert_eq!(server.post("/api/health", &json!({}))["duplicates"], 0);
}

#[test]
fn the_lists_of_a_duplicate_are_joined_within_their_bounds() {
    let entries = |letter: &str, count: usize| -> Vec<Value> {
        (0..count)
            .map(|number| json!({"name": format!("{letter}{number}"), "path": format!("/{letter}/{number}")}))
            .collect()
    };
    let paths = |letter: &str, count: usize| -> Vec<String> {
        (0..count).map(|number| format!("/{letter}/{number}")).collect()
    };
    let game = |letter: &str, count: usize| {
        let entries = entries(letter, count);
        json!({"name": letter, "path": "/a.sh", "applications": entries, "versions": entries,
            "documents": entries, "screenshots": paths(letter, count),
            "save_paths": paths(letter, count / 2), "tags": [letter, "both"],
            "memories": entries, "clips": entries, "moments": entries,
            "manual_sessions": [{"seconds": 60, "date": "2026-01-01", "note": ""}]})
    };
    let server = with(&[game("k", 60), game("l", 60)]);
    assert_eq!(server.post("/api/health/dedupe", &json!({})), json!({"removed": ["l"]}));
    let kept = server.get("/api/library")["games"][0].clone();
    for (key, count) in
        [("applications", 100), ("versions", 100), ("documents", 100), ("save_paths", 50)]
    {
        assert_eq!(kept[key].as_array().map(Vec::len), Some(count), "{key}");
    }
    assert_eq!(kept["applications"][60]["name"], "l0");
    assert_eq!(kept["tags"], json!(["k", "both", "l"]));
    assert_eq!(
        (&kept["manual_playtime_seconds"], &kept["moments_count"]),
        (&json!(120), &json!(120))
    );
    assert_eq!(kept["memories"].as_array().map(Vec::len), Some(120));
}

#[test]
fn a_library_without_games_is_healthy() {
    let server = Server::start();
    let report = server.post("/api/health", &json!({}));
    let healthy = json!({"games": 0, "missing": 0, "duplicates": 0, "unconfigured": 0,
        "missing_media": 0, "issues": []});
    assert_eq!(report, healthy);
    let first = create(&server, "a");
    server.post("/api/health/dedupe", &json!({}));
    assert_eq!(server.get("/api/library")["games"][0]["game_id"], first);
}

#[test]
fn games_without_a_file_are_unconfigured_unless_they_stand_on_a_shelf() {
    let server = with(&[
        json!({"name": "None"}),
        json!({"name": "Blank", "path": " ", "save_paths": ["", "/gone/s"]}),
        json!({"name": "Shelf", "manual_entry": true, "save_paths": ["/gone/s"], "platform": "NES"}),
        json!({"name": "Launched", "path": "/gone/a.GBC", "launch": "run"}),
        json!({"name": "Plain", "path": "/gone/b.iso", "platform": "PSP"}),
        json!({"name": "Extras", "manual_entry": false, "path": "/gone/c",
            "applications": [{"path": "/gone/app"}], "versions": [{"path": "/gone/version"}]}),
    ]);
    let report = server.post("/api/health", &json!({}));
    for (key, count) in
        [("games", 6), ("missing", 3), ("duplicates", 0), ("unconfigured", 2), ("missing_media", 5)]
    {
        assert_eq!(report[key], count, "{key}");
    }
    let issues = report["issues"].as_array().expect("a list");
    let of = |name: &str| -> Vec<(&str, &str)> {
        let issues = issues.iter().filter(|issue| issue["game"] == name);
        issues
            .map(|issue| {
                (issue["type"].as_str().expect("text"), issue["detail"].as_str().expect("text"))
            })
            .collect()
    };
    let cover = ("Missing box front", "No local cover image");
    assert_eq!(of("None"), [cover]);
    assert_eq!(of("Blank"), [cover, ("Missing save path", "/gone/s")]);
    assert_eq!(of("Shelf"), []);
    assert_eq!(of("Launched"), [("Missing game", "/gone/a.GBC"), cover]);
    assert_eq!(of("Plain"), [("Missing game", "/gone/b.iso"), cover, ("No emulator", "PSP")]);
    let extras = [("Missing extra", "/gone/app"), ("Missing extra", "/gone/version")];
    assert_eq!(of("Extras"), [&[("Missing game", "/gone/c"), cover], &extras[..]].concat());
}

#[test]
fn only_games_that_share_an_identity_are_merged() {
    let pairs = [
        (json!({"store_b_app_id": "x", "store_b_source": "epic"}), true),
        (json!({"store_c_id": "c"}), true),
        (json!({"libserver_id": "l"}), true),
        (json!({"source_identities": ["s:1"]}), true),
        (json!({"platform": "MAME", "rom_name": "galaga.zip"}), true),
        (json!({"platform": "NES", "rom_name": "mario.nes"}), false),
        (json!({"platform": "NES", "genre": "Action"}), false),
    ];
    let games: Vec<Value> = pairs
        .iter()
        .enumerate()
        .flat_map(|(at, (shared, _))| {
            [0, 1].map(|twin| {
                let mut game = shared.clone();
                game["name"] = json!(format!("{at} {twin}"));
                game["path"] = json!(format!("/{at}/{twin}"));
                game
            })
        })
        .collect();
    let server = with(&games);
    let merged = pairs.iter().enumerate().filter(|(_, (_, same))| *same);
    let removed: Vec<String> = merged.map(|(at, _)| format!("{at} 1")).collect();
    assert_eq!(server.post("/api/health", &json!({}))["duplicates"], removed.len());
    assert_eq!(server.post("/api/health/dedupe", &json!({})), json!({"removed": removed}));
    let left = server.get("/api/library")["games"].as_array().map(Vec::len);
    assert_eq!(left, Some(games.len() - removed.len()));
}
