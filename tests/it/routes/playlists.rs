//! `/api/playlists`, `/api/filter-presets`, `/api/image-group` and `/api/discovery`.

use serde_json::{Value, json};

use super::game::create;
use crate::support::{
    client::Request,
    server::{Server, Setup},
};

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

fn playlists(server: &Server) -> Value {
    server.get("/api/library")["playlists"].clone()
}

#[test]
fn a_filter_playlist_keeps_rules_and_drops_members() {
    let server = Server::start();
    let rules = json!({"platform": " NES ", "genre": "", "favorite": "true", "view": "all",
        "has_saves": true, "unknown": "x"});
    let posted = json!({"name": " Old ", "type": "filter", "rules": rules, "members": [99],
        "parent": "Root", "notes": " n "});
    assert_eq!(server.post("/api/playlists", &posted), json!({"saved": "Old"}));
    let kept = json!({"platform": "NES", "favorite": "true", "view": "all"});
    let stored = json!({"name": "Old", "type": "filter", "rules": kept, "members": [],
        "parent": "Root", "notes": "n"});
    assert_eq!(playlists(&server), json!([stored]));
    for key in [
        "query",
        "platform_category",
        "esrb",
        "progress",
        "developer",
        "publisher",
        "installed",
        "hidden",
    ] {
        let posted = json!({"name": "Old", "rules": {key: " v "}});
        server.post("/api/v1/playlists", &posted);
        assert_eq!(playlists(&server)[0]["rules"], json!({key: "v"}));
    }
    assert_eq!(playlists(&server).as_array().map(Vec::len), Some(1));
}

#[test]
fn a_manual_playlist_stores_stable_ids_in_order() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    let manual = |members: Value| json!({"name": "P", "type": "manual", "members": members, "rules": {"view": "all"}});
    server.post("/api/playlists", &json!({"name": "first", "type": "manual"}));
    server.post("/api/playlists", &manual(json!([2, ids[0], "2", 0])));
    let stored = playlists(&server)[1].clone();
    assert_eq!((&stored["members"], &stored["rules"]), (&json!([ids[2], ids[0]]), &json!({})));
    let more = json!({"name": "P", "type": "manual", "append": true, "ids": [1, 0]});
    server.post("/api/playlists", &more);
    assert_eq!(playlists(&server)[1]["members"], json!([ids[2], ids[0], ids[1]]));
    // A game before the others goes: the list names games, not places.
    server.post("/api/game/delete", &json!({"game_id": ids[0]}));
    assert_eq!(playlists(&server)[1]["members"][2], ids[1]);
    server.post("/api/playlists", &json!({"name": "P", "type": "manual", "ids": [0]}));
    assert_eq!(playlists(&server)[1]["members"], json!([ids[1]]));
    assert_eq!(playlists(&server)[0]["name"], "first");
    let cases = [
        (json!({"members": null, "ids": [1]}), json!([ids[2]])),
        (json!({"members": [0], "ids": [1]}), json!([ids[1]])),
        (json!({"members": [], "ids": [1]}), json!([])),
        (json!({"ids": ["1", ids[1], ids[2], 1]}), json!([ids[2], ids[1]])),
        (json!({}), json!([])),
    ];
    for (mut posted, expected) in cases {
        posted["name"] = json!(" P ");
        posted["type"] = json!("manual");
        assert_eq!(server.post("/api/playlists", &posted), json!({"saved": "P"}));
        let expected = json!({"name": "P", "type": "manual", "rules": {}, "members": expected,
            "parent": "", "notes": ""});
        assert_eq!(playlists(&server)[1], expected, "{posted}");
    }
    // The name decides: saved as a filter it holds rules and no games.
    server.post(
        "/api/playlists",
        &json!({"name": "P", "type": null, "rules": {"genre": "x"}, "ids": [0]}),
    );
    let row = playlists(&server)[1].clone();
    let expected = (&json!("filter"), &json!([]), &json!({"genre": "x"}));
    assert_eq!((&row["type"], &row["members"], &row["rules"]), expected);
}

#[test]
fn a_game_that_was_deleted_keeps_its_place_until_it_comes_back() {
    let games = json!([
        {"game_id": "game-1", "name": "A", "source": "store_a", "path": "/a", "play_count": 1},
        {"game_id": "game-2", "name": "B", "path": "/b"},
        {"game_id": "game-3", "name": "C", "path": "/c"},
        {"game_id": "game-4", "name": "C again", "path": "/c"},
    ]);
    let members = json!(["game-1", "game-4", "game-2"]);
    let list = json!({"name": "P", "type": "manual", "rules": {}, "members": members,
        "parent": "", "notes": ""});
    let library = json!({"schema_version": 6, "games": games, "playlists": [list]});
    let server = Setup::new().library(&library.to_string()).start();
    server.post("/api/health/dedupe", &json!({}));
    assert_eq!(playlists(&server)[0]["members"], json!(["game-1", "game-3", "game-2"]));
    server.post("/api/games/delete-store-a", &json!({}));
    server.post("/api/game/delete", &json!({"game_id": "game-2"}));
    let stored = playlists(&server)[0].clone();
    assert_eq!(stored["members"], json!(["game-3", "game-2"]));
    assert_eq!(server.post("/api/playlists", &stored), json!({"saved": "P"}));
    assert_eq!(playlists(&server)[0]["members"], stored["members"]);
    let other = json!({"name": "Q", "type": "manual", "members": ["game-2"]});
    refused(&server, "/api/playlists", &other, "Game not found: game-2");
}

#[test]
fn a_playlist_that_breaks_a_rule_is_refused() {
    let server = Server::start();
    create(&server, "a");
    let required = "Playlist name and rules are required.";
    let cases = [
        (json!({}), required),
        (json!({"name": " ", "rules": {"view": "all"}}), required),
        (json!({"name": "x"}), required),
        (json!({"name": "x", "type": "filter", "rules": []}), required),
        (json!({"name": "", "type": "manual", "members": []}), required),
        (
            json!({"name": "x", "type": "smart", "rules": {}}),
            "Playlist type must be filter or manual.",
        ),
        (json!({"name": "x", "type": 1, "rules": {}}), "Playlist type must be filter or manual."),
        (
            json!({"name": "x", "type": "manual", "members": "a"}),
            "Playlist members must be a list.",
        ),
        (json!({"name": "x", "type": "manual", "ids": {}}), "Playlist members must be a list."),
        (json!({"name": 1, "rules": {"view": "all"}}), required),
        (json!({"name": "x", "rules": "view"}), required),
        (json!({"name": "x", "rules": null}), required),
        (json!({"name": "x", "type": "", "rules": {}}), "Playlist type must be filter or manual."),
        (
            json!({"name": "x", "type": "Manual", "rules": {}}),
            "Playlist type must be filter or manual.",
        ),
        (json!({"name": "x", "type": "manual", "rules": "all"}), "rules must be an object."),
        (json!({"name": "x", "type": "manual", "append": 1}), "append must be true or false."),
        (json!({"name": "x", "type": "manual", "notes": ["n"]}), "notes must be text."),
        (json!({"name": "x", "rules": {"view": "all"}, "parent": 5}), "parent must be text."),
        (json!({"name": "x", "rules": {"view": "all"}, "former": {}}), "former must be text."),
        (json!({"name": "x", "type": "manual", "ids": [-1]}), "Game not found: -1"),
        (json!({"name": "x", "type": "manual", "ids": [true]}), "Game not found: true"),
        (json!({"name": "x", "type": "manual", "ids": [0, null]}), "Game not found: null"),
        (json!({"name": "x", "type": "manual", "ids": [0, 1]}), "Game not found: 1"),
        (json!({"name": "x", "type": "manual", "ids": ["game-gone"]}), "Game not found: game-gone"),
        (json!({"name": "x", "type": "manual", "ids": ["/x"]}), "Game not found:"),
    ];
    for (body, message) in &cases {
        refused(&server, "/api/playlists", body, message);
    }
    assert_eq!(playlists(&server), json!([]));
}

#[test]
fn a_playlist_is_deleted_by_its_name() {
    let server = Server::start();
    for name in ["A", "B"] {
        server.post("/api/playlists", &json!({"name": name, "rules": {"view": "all"}}));
    }
    assert_eq!(
        server.post("/api/playlists/delete", &json!({"name": "A"})),
        json!({"deleted": "A"})
    );
    assert_eq!(playlists(&server)[0]["name"], "B");
    for (body, message) in [
        (json!({"name": "A"}), "Playlist not found: A"),
        (json!({"name": "b"}), "Playlist not found: b"),
        (json!({"name": "Games (/r/x)"}), "Playlist not found: Games (/r/x)"),
        (json!({}), "Playlist not found: "),
    ] {
        let reply = server.send(&Request::post("/api/playlists/delete", &body)).expect(404).json();
        assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("NOT_FOUND")));
    }
}

#[test]
fn presets_are_saved_offered_and_deleted() {
    let server = Server::start();
    assert_eq!(server.get("/api/filter-presets"), json!({"presets": [], "bigscreen_quick": []}));
    for number in 0..10 {
        let body = json!({"name": number.to_string(), "rules": {"genre": "x"}, "bigscreen_quick": number != 0});
        assert_eq!(
            server.post("/api/v1/filter-presets", &body),
            json!({"saved": number.to_string()})
        );
    }
    let listed = server.get("/api/v1/filter-presets");
    let names = |key: &str| -> Vec<Value> {
        listed[key]
            .as_array()
            .expect("a list")
            .iter()
            .map(|preset| preset["name"].clone())
            .collect()
    };
    assert_eq!(names("presets").len(), 10);
    assert_eq!(names("bigscreen_quick"), ["1", "2", "3", "4", "5", "6", "7", "8"]);
    let rules = json!({"platform": "All", "favorite": "true", "installed": "installed", "x": 1});
    server.post("/api/filter-presets", &json!({"name": "3", "rules": rules}));
    let kept = json!({"name": "3", "rules": {"favorite": true, "installed": "installed"}, "bigscreen_quick": false});
    assert_eq!(server.get("/api/filter-presets")["presets"][3], kept);
    assert_eq!(server.get("/api/library")["filter_presets"][3], kept);
    let gone = server.post("/api/filter-presets/delete", &json!({"name": "3"}));
    assert_eq!(gone, json!({"deleted": "3"}));
    refused(&server, "/api/filter-presets/delete", &json!({"name": "3"}), "Preset not found.");
    refused(&server, "/api/filter-presets/delete", &json!({}), "Preset not found.");
}

#[test]
fn a_preset_keeps_every_rule_in_its_form() {
    let server = Server::start();
    let mut cases: Vec<(Value, Value)> = Vec::new();
    for key in [
        "platform",
        "view",
        "query",
        "esrb",
        "progress",
        "platform_category",
        "genre",
        "developer",
        "publisher",
    ] {
        cases.push((json!({key: " a b "}), json!({key: "a b"})));
        cases.push((json!({key: 1, "hidden": true}), json!({"hidden": true})));
    }
    for key in [
        "favorite",
        "hidden",
        "has_saves",
        "has_achievements",
        "has_missing_media",
        "has_highscores",
    ] {
        cases.push((json!({key: true}), json!({key: true})));
        cases.push((json!({key: false}), json!({key: false})));
        cases.push((json!({key: "true"}), json!({key: true})));
        cases.push((json!({key: "false"}), json!({key: false})));
        cases.push((json!({key: 1, "genre": "x"}), json!({"genre": "x"})));
    }
    for value in [json!("installed"), json!("uninstalled"), json!("all"), json!(true)] {
        cases.push((json!({"installed": value}), json!({"installed": value})));
    }
    for key in ["platform", "esrb", "progress", "platform_category", "view"] {
        cases.push((json!({key: "all", "genre": "x"}), json!({"genre": "x"})));
    }
    cases.push((json!({"progress": "Unplayed"}), json!({"progress": "Unplayed"})));
    for (rules, kept) in cases {
        let posted = json!({"name": " N ", "rules": rules, "bigscreen_quick": null});
        assert_eq!(server.post("/api/filter-presets", &posted), json!({"saved": "N"}));
        let row = json!({"name": "N", "rules": kept, "bigscreen_quick": false});
        let listed = json!({"presets": [row], "bigscreen_quick": []});
        assert_eq!(server.get("/api/filter-presets"), listed, "{rules}");
    }
}

#[test]
fn a_preset_needs_a_name_and_a_rule() {
    let server = Server::start();
    let rule = "Preset needs at least one filter rule.";
    let cases = [
        (json!({"rules": {"genre": "x"}}), "Preset name is required."),
        (json!({"name": "  ", "rules": {"genre": "x"}}), "Preset name is required."),
        (json!({"name": "x"}), "Preset rules must be an object."),
        (json!({"name": "x", "rules": ["genre"]}), "Preset rules must be an object."),
        (json!({"name": 5, "rules": {"genre": "x"}}), "Preset name is required."),
        (json!({"name": "x", "rules": null}), "Preset rules must be an object."),
        (json!({"name": "x", "rules": "genre"}), "Preset rules must be an object."),
        (json!({"name": "x", "rules": {}}), rule),
        (json!({"name": "x", "rules": {"genre": "  "}}), rule),
        (json!({"name": "x", "rules": {"installed": "maybe"}}), rule),
        (json!({"name": "x", "rules": {"hidden": 1, "esrb": "ALL"}}), rule),
        (
            json!({"name": "x", "rules": {"genre": "x"}, "bigscreen_quick": "true"}),
            "bigscreen_quick must be true or false.",
        ),
        (json!({"name": "x", "rules": {"platform": "all"}}), rule),
        (json!({"name": "x", "rules": {"favorite": "maybe"}}), rule),
        (json!({"name": "x", "rules": {"unknown": "y"}}), rule),
        (
            json!({"name": "x", "rules": {"genre": "x"}, "bigscreen_quick": 1}),
            "bigscreen_quick must be true or false.",
        ),
    ];
    for (body, message) in &cases {
        refused(&server, "/api/filter-presets", body, message);
    }
    assert_eq!(server.get("/api/filter-presets")["presets"], json!([]));
}

#[test]
fn image_groups_are_chosen_by_scope() {
    let server = Server::start();
    let choose = |body: Value| server.post("/api/image-group", &body);
    for group in [
        "cover",
        "background",
        "screenshot",
        "clear_logo",
        "fanart",
        "banner",
        "icon",
        "box_back",
        "box_spine",
        "box_3d",
        "title_screen",
        "cart_front",
        "cart_back",
        "disc",
        "advertisement",
        "manual",
    ] {
        assert_eq!(choose(json!({"group": group, "scope": "global"}))["image_group"], group);
    }
    assert_eq!(choose(json!({"group": "default"}))["image_group"], "cover");
    let answer = choose(json!({"group": "icon", "scope": null, "name": "passed over"}));
    assert_eq!(answer, server.get("/api/settings"), "it answers the whole settings");
    assert_eq!(
        (&answer["image_group"], &answer["image_group_by_platform"]),
        (&json!("icon"), &json!({}))
    );
    assert_eq!(choose(json!({"group": "default", "scope": "global"}))["image_group"], "cover");
    let name = "n".repeat(200);
    for scope in ["platform", "playlist"] {
        let key = format!("image_group_by_{scope}");
        let settings = choose(json!({"group": "icon", "scope": scope, "name": name}));
        assert_eq!(settings[&key], json!({(name.as_str()): "icon"}));
        let settings = choose(json!({"group": "disc", "scope": scope, "name": " NES "}));
        assert_eq!(settings[&key]["NES"], "disc");
        let settings = choose(json!({"group": "default", "scope": scope, "name": name}));
        assert_eq!(settings[&key], json!({"NES": "disc"}));
        for name in [json!(""), json!(" "), json!(null), json!("n".repeat(201))] {
            let body = json!({"group": "icon", "scope": scope, "name": name});
            refused(&server, "/api/image-group", &body, "A platform or playlist is required.");
        }
    }
    for group in [json!("video"), json!(""), json!(null), json!("Cover"), json!(1), json!([])] {
        for scope in ["global", "platform", "playlist"] {
            let body = json!({"group": group, "scope": scope, "name": "NES"});
            refused(&server, "/api/image-group", &body, "Unknown image group.");
        }
    }
    refused(&server, "/api/image-group", &json!({}), "Unknown image group.");
    let scope = json!({"group": "icon", "scope": "game", "name": "x"});
    refused(&server, "/api/image-group", &scope, "Unknown image group scope.");
    for scope in [json!(1), json!(["platform"]), json!({})] {
        let body = json!({"group": "icon", "scope": scope, "name": "NES"});
        refused(&server, "/api/image-group", &body, "scope must be text.");
    }
    assert_eq!(server.get("/api/settings")["image_group"], "cover");
}

#[test]
fn discovery_lists_stand_until_the_library_changes() {
    let server = Server::start();
    for number in 0..14 {
        create(&server, &format!("{number:02}"));
    }
    let lists = server.get("/api/discovery");
    for (key, count) in [
        ("recently_added", 12),
        ("never_played", 12),
        ("random_picks", 12),
        ("short_sessions", 0),
        ("highly_rated", 0),
        ("continue_playing", 0),
    ] {
        assert_eq!(lists[key].as_array().map(Vec::len), Some(count), "{key}");
    }
    assert!(lists["generated_at"].as_str().is_some_and(|time| time.ends_with("+00:00")));
    assert_eq!(server.get("/api/discovery"), lists);
    let changes =
        json!({"rating": 4.5, "play_count": 1, "playtime_seconds": 7, "last_played": "2026-01-01"});
    server.post("/api/games/bulk", &json!({"ids": [5], "changes": changes}));
    let lists = server.get("/api/discovery");
    for key in ["short_sessions", "highly_rated", "continue_playing"] {
        assert_eq!(lists[key], json!([5]), "{key}");
    }
    server.post("/api/games/bulk", &json!({"ids": [5], "changes": {"hidden": true}}));
    let lists = server.get("/api/discovery");
    assert_eq!((&lists["highly_rated"], &lists["short_sessions"]), (&json!([]), &json!([])));
}

#[test]
fn discovery_lists_have_their_order_and_twelve_entries() {
    let game = |at: usize| {
        let mut game = json!({"game_id": format!("game-{at:024}"), "name": at.to_string(),
            "path": format!("/{at}"), "added_at": format!("2026-01-{:02}T00:00:00", at + 1)});
        // 13 played games, of which one is hidden and one has no playtime.
        if at < 13 {
            game["play_count"] = json!(1);
            game["playtime_seconds"] = json!(100 * at);
            game["last_played"] = json!(format!("2026-02-{:02}T00:00:00", at + 1));
        }
        game
    };
    let mut games: Vec<Value> = (0..28).map(game).collect();
    games[3]["hidden"] = json!(true);
    for (at, rating) in [(3, 5.0), (7, 4.0), (8, 3.99), (9, 5.0), (20, 4.5)] {
        games[at]["rating"] = json!(rating);
    }
    games[11]["user_rating"] = json!(5);
    games[20]["progress"] = json!("Playing");
    games[21]["progress"] = json!("Beaten");
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let server = Setup::new().library(&library).start();
    let lists = server.get("/api/discovery");
    let down: Vec<usize> = (16..28).rev().collect();
    assert_eq!(lists["recently_added"], json!(down));
    let never: Vec<usize> = (13..25).collect();
    assert_eq!(lists["never_played"], json!(never));
    assert_eq!(lists["short_sessions"], json!([1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12]));
    assert_eq!(lists["highly_rated"], json!([9, 20, 7]));
    let played = json!([12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 1, 0]);
    assert_eq!(lists["continue_playing"], played, "the one without a date was the thirteenth");
    let mut picks: Vec<u64> = lists["random_picks"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|pick| pick.as_u64().expect("a position"))
        .collect();
    picks.sort_unstable();
    picks.dedup();
    assert!(picks.len() == 12 && !picks.contains(&3) && picks.iter().all(|at| *at < 28));
    let keys: Vec<&String> = lists.as_object().expect("an object").keys().collect();
    assert_eq!(keys.len(), 7);
    assert_eq!(server.get("/api/library")["discovery"]["highly_rated"], lists["highly_rated"]);
    server.post("/api/games/bulk", &json!({"ids": [0, 1], "changes": {"hidden": true}}));
    let lists = server.get("/api/discovery");
    assert_eq!(lists["continue_playing"], json!([12, 11, 10, 9, 8, 7, 6, 5, 4, 2, 20]));
}
