//! `POST /api/games/bulk` and `/api/games/bulk-wizard`.

use std::thread;

use serde_json::{Value, json};

use super::game::create;
use crate::support::{
    client::Request,
    library::{game_id, library},
    server::{Server, Setup},
};

const BULK: &str = "/api/games/bulk";
const WIZARD: &str = "/api/games/bulk-wizard";

fn numbered(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("t{number}")).collect()
}

fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("a list").clone()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

#[test]
fn every_allowed_key_changes_every_selected_game() {
    let server = Server::start();
    let ids = ["a", "b", "c"].map(|name| create(&server, name));
    let fields = json!([{"name": "Shelf", "options": ["1"]}]);
    server.post("/api/settings", &json!({"custom_field_defs": fields}));
    let cases = [
        (json!({"platform": " NES "}), "platform", json!("NES")),
        (json!({"genre": "RPG"}), "genre", json!("RPG")),
        (json!({"progress": "Mastered"}), "progress", json!("Mastered")),
        (json!({"progress": "Unplayed"}), "progress", json!("")),
        (json!({"rating": 0}), "rating", json!(0.0)),
        (json!({"rating": 5}), "rating", json!(5.0)),
        (json!({"user_rating": 5}), "user_rating", json!(5)),
        (json!({"favorite": true}), "favorite", json!(true)),
        (json!({"hidden": true}), "hidden", json!(true)),
        (json!({"esrb": "E10+"}), "esrb", json!("E10+")),
        (
            json!({"custom_fields": {"Shelf": "1", "x": "y"}}),
            "custom_fields",
            json!({"Shelf": "1"}),
        ),
        (json!({"tags": ["a", " b"]}), "tags", json!(["a", "b"])),
        (json!({"tags_add": ["c"], "tags_remove": ["A"]}), "tags", json!(["b", "c"])),
        (json!({"play_count": 3}), "play_count", json!(3)),
        (json!({"playtime_seconds": 60}), "playtime_seconds", json!(60)),
        (
            json!({"last_played": "2026-01-02T03:04:05"}),
            "last_played",
            json!("2026-01-02T03:04:05"),
        ),
        (json!({"platform": ""}), "platform", json!("")),
        (json!({"platform": 2600}), "platform", json!("2600")),
        (json!({"genre": null}), "genre", json!("")),
        (json!({"progress": "Playing"}), "progress", json!("Playing")),
        (json!({"progress": "Paused"}), "progress", json!("Paused")),
        (json!({"progress": "Beaten"}), "progress", json!("Beaten")),
        (json!({"progress": "Completed"}), "progress", json!("Completed")),
        (json!({"progress": "Abandoned"}), "progress", json!("Abandoned")),
        (json!({"progress": ""}), "progress", json!("")),
        (json!({"rating": "4.5"}), "rating", json!(4.5)),
        (json!({"rating": ""}), "rating", json!("")),
        (json!({"user_rating": 0}), "user_rating", json!(0)),
        (json!({"favorite": false}), "favorite", json!(false)),
        (json!({"hidden": false}), "hidden", json!(false)),
        (json!({"esrb": "any text"}), "esrb", json!("any text")),
        // Custom fields merge: what is blank or not named stays.
        (json!({"custom_fields": {"Shelf": " "}}), "custom_fields", json!({"Shelf": "1"})),
        (json!({"custom_fields": {"Shelf": 9}}), "custom_fields", json!({"Shelf": "9"})),
        (json!({"tags": [" x  y ", "X Y", "", " "]}), "tags", json!(["x y"])),
        (json!({"tags": ["é".repeat(64)]}), "tags", json!(["é".repeat(64)])),
        (json!({"tags": numbered(60)}), "tags", json!(numbered(50))),
        (json!({"tags_add": ["one more"]}), "tags", json!(numbered(50))),
        (json!({"tags_remove": ["T0", "none"]}), "tags", json!(numbered(50)[1..])),
        (json!({"tags": []}), "tags", json!([])),
        (json!({"tags_add": ["a"], "tags_remove": []}), "tags", json!(["a"])),
        (json!({"play_count": 0}), "play_count", json!(0)),
        (json!({"playtime_seconds": 0}), "playtime_seconds", json!(0)),
        (json!({"playtime_seconds": u64::MAX}), "total_playtime_seconds", json!(u64::MAX)),
        (json!({"last_played": "2026-01-02"}), "last_played", json!("2026-01-02")),
        (json!({"reset_stats": false}), "last_played", json!("2026-01-02")),
        (json!({"last_played": null}), "last_played", json!("")),
        (json!({"reset_stats": true, "play_count": 8}), "play_count", json!(8)),
    ];
    for (changes, key, expected) in cases {
        // A position, digits and a stable id name two games between them.
        let reply = server.post(BULK, &json!({"ids": [0, "0", ids[2]], "changes": changes}));
        assert_eq!(reply, json!({"updated": 2}), "{changes}");
        assert_eq!(games(&server)[0][key], expected, "{changes}");
    }
    let games = games(&server);
    assert_eq!((&games[2]["play_count"], &games[1]["play_count"]), (&json!(8), &json!(0)));
    let reset = json!({"ids": ids, "changes": {"reset_stats": true}});
    assert_eq!(server.post("/api/v1/games/bulk", &reset), json!({"updated": 3}));
    let game = &self::games(&server)[0];
    for (key, expected) in
        [("play_count", json!(0)), ("playtime_seconds", json!(0)), ("last_played", json!(""))]
    {
        assert_eq!(game[key], expected, "{key}");
    }
}

/// Every change that a rule refuses, with its sentence.
fn broken_rules() -> Vec<(Value, &'static str)> {
    vec![
        (json!({"favorite": "yes"}), "Favorite must be true or false."),
        (json!({"favorite": null}), "Favorite must be true or false."),
        (json!({"hidden": 1}), "Hidden must be true or false."),
        (json!({"reset_stats": "true"}), "Reset stats must be true or false."),
        (json!({"play_count": -1}), "play_count must be a non-negative integer."),
        (json!({"play_count": 1.5}), "play_count must be a non-negative integer."),
        (json!({"playtime_seconds": "9"}), "playtime_seconds must be a non-negative integer."),
        (json!({"last_played": "soon"}), "last_played must be a date or date and time."),
        (json!({"progress": "Won"}), "Unknown progress value."),
        (json!({"rating": 5.01}), "Rating must be between 0 and 5."),
        (json!({"rating": -0.1}), "Rating must be between 0 and 5."),
        (json!({"rating": "good"}), "Rating must be a number from 0 to 5."),
        (json!({"user_rating": 6}), "User rating must be an integer from 0 to 5."),
        (json!({"custom_fields": "x"}), "Custom fields must be an object."),
        (json!({"tags": "x"}), "Tags must be a list."),
        (json!({"tags": ["x".repeat(65)]}), "Tags are limited to 64 characters."),
        (
            json!({"tags": ["x"], "tags_remove": ["y"]}),
            "Tags cannot be replaced and adjusted in the same request.",
        ),
        (
            json!({"tags_add": ["x"], "tags_remove": ["X"]}),
            "A tag cannot be added and removed in the same request.",
        ),
        (json!({"favorite": "true"}), "Favorite must be true or false."),
        (json!({"hidden": null}), "Hidden must be true or false."),
        (json!({"reset_stats": 1}), "Reset stats must be true or false."),
        (json!({"reset_stats": null}), "Reset stats must be true or false."),
        (json!({"play_count": null}), "play_count must be a non-negative integer."),
        (json!({"play_count": true}), "play_count must be a non-negative integer."),
        (json!({"playtime_seconds": -1}), "playtime_seconds must be a non-negative integer."),
        (json!({"playtime_seconds": 0.5}), "playtime_seconds must be a non-negative integer."),
        (json!({"last_played": 5}), "last_played must be a date or date and time."),
        (json!({"last_played": "2026-02-30"}), "last_played must be a date or date and time."),
        (json!({"progress": "playing"}), "Unknown progress value."),
        (json!({"progress": 1}), "Unknown progress value."),
        (json!({"rating": true}), "Rating must be a number from 0 to 5."),
        (json!({"rating": "5.1"}), "Rating must be between 0 and 5."),
        (json!({"user_rating": -1}), "User rating must be an integer from 0 to 5."),
        (json!({"user_rating": 2.5}), "User rating must be an integer from 0 to 5."),
        (json!({"user_rating": null}), "User rating must be an integer from 0 to 5."),
        (json!({"custom_fields": null}), "Custom fields must be an object."),
        (json!({"custom_fields": []}), "Custom fields must be an object."),
        (json!({"platform": []}), "Platform must be text."),
        (json!({"esrb": true}), "Esrb must be text."),
        (json!({"platform": "a\u{0}b"}), "Platform must not contain a NUL character."),
        (json!({"tags": null}), "Tags must be a list."),
        (json!({"tags_add": "x"}), "Tags must be a list."),
        (json!({"tags_remove": {}}), "Tags must be a list."),
        (json!({"tags": [1]}), "Tags must be text."),
        (json!({"tags_add": ["é".repeat(65)]}), "Tags are limited to 64 characters."),
        (
            json!({"tags": [], "tags_add": []}),
            "Tags cannot be replaced and adjusted in the same request.",
        ),
        (
            json!({"tags_add": [" a  b"], "tags_remove": ["A b "]}),
            "A tag cannot be added and removed in the same request.",
        ),
        (json!({"name": "b", "path": "/x"}), "No valid bulk changes were supplied."),
        (json!({"genre": "x", "name": "no"}), "name cannot be changed in bulk."),
        (json!({}), "No valid bulk changes were supplied."),
        (json!(["genre"]), "No valid bulk changes were supplied."),
    ]
}

#[test]
fn a_broken_rule_changes_nothing() {
    let server = Server::start();
    let id = create(&server, "a");
    let before = games(&server);
    for (changes, message) in &broken_rules() {
        // A good key next to the bad one is not applied either.
        refused(&server, BULK, &json!({"ids": [id], "changes": changes}), message);
        let mut mixed = changes.clone();
        if let Some(mixed) = mixed.as_object_mut().filter(|_| !message.starts_with("No valid")) {
            mixed.insert("genre".to_owned(), json!("RPG"));
            refused(&server, BULK, &json!({"ids": [id], "changes": mixed}), message);
        }
    }
    assert_eq!(games(&server), before);
}

#[test]
fn a_bad_choice_of_games_changes_nothing() {
    let server = Server::start();
    let id = create(&server, "a");
    let before = games(&server);
    let change = json!({"genre": "RPG"});
    for ids in [json!([]), json!(null), json!("x"), json!(0), json!({"0": 0})] {
        let body = json!({"ids": ids, "changes": change});
        refused(&server, BULK, &body, "Select at least one game.");
    }
    refused(&server, BULK, &json!({"changes": change}), "Select at least one game.");
    refused(&server, BULK, &json!({"ids": [id]}), "No valid bulk changes were supplied.");
    for gone in [
        json!(1),
        json!("1"),
        json!(-1),
        json!(0.5),
        json!("game-gone"),
        json!(""),
        json!(true),
        json!(null),
        json!({}),
        json!([0]),
    ] {
        let body = json!({"ids": [id, gone], "changes": change});
        refused(&server, BULK, &body, "A selected game no longer exists.");
    }
    assert_eq!(games(&server), before);
}

#[test]
fn the_wizard_takes_its_few_fields_only() {
    let server = Server::start();
    let id = create(&server, "a");
    let changes = json!({"platform": "NES", "genre": "RPG", "progress": "Playing", "rating": 3,
        "favorite": true, "hidden": false, "esrb": "T", "custom_fields": {}});
    let reply = server.post("/api/v1/games/bulk-wizard", &json!({"ids": [id], "changes": changes}));
    assert_eq!(reply["updated"], 1);
    let mut fields: Vec<&str> =
        changes.as_object().expect("an object").keys().map(String::as_str).collect();
    fields.sort_unstable();
    assert_eq!(reply["fields"], json!(fields));
    for (key, value) in [
        ("reset_stats", json!(true)),
        ("play_count", json!(1)),
        ("playtime_seconds", json!(1)),
        ("last_played", json!("")),
        ("tags", json!([])),
        ("tags_add", json!([])),
        ("tags_remove", json!([])),
        ("user_rating", json!(1)),
        ("name", json!("b")),
    ] {
        let body = json!({"ids": [id], "changes": {"genre": "x", key: value}});
        refused(&server, WIZARD, &body, "Bulk wizard contains unsupported fields.");
    }
    for (key, value) in changes.as_object().expect("an object") {
        let reply = server.post(WIZARD, &json!({"ids": [id], "changes": {key.as_str(): value}}));
        assert_eq!(reply, json!({"updated": 1, "fields": [key]}));
    }
    for (changes, message) in [
        (json!({"favorite": 1}), "Favorite must be true or false."),
        (json!({"hidden": "no"}), "Hidden must be true or false."),
        (json!({"progress": "Won"}), "Unknown progress value."),
        (json!({"rating": 5.01}), "Rating must be between 0 and 5."),
        (json!({"rating": []}), "Rating must be a number from 0 to 5."),
        (json!({"custom_fields": "x"}), "Custom fields must be an object."),
        (json!(["genre"]), "No valid bulk changes were supplied."),
        (json!(null), "No valid bulk changes were supplied."),
    ] {
        refused(&server, WIZARD, &json!({"ids": [id], "changes": changes}), message);
    }
    let gone = json!({"ids": [id, "game-gone"], "changes": {"genre": "x"}});
    refused(&server, WIZARD, &gone, "A selected game no longer exists.");
    let none = json!({"ids": [id], "changes": {}});
    refused(&server, WIZARD, &none, "No valid bulk changes were supplied.");
    refused(&server, WIZARD, &json!({"changes": {"genre": "x"}}), "Select at least one game.");
    assert_eq!(games(&server)[0]["genre"], "RPG");
}

#[test]
fn a_former_id_names_its_game_everywhere() {
    const FORMER: &str = "game-before";
    const POSITIONAL: &str = "game-0123456789abcdef01234567-7";
    let mut file: Value = serde_json::from_str(&library(3)).expect("JSON");
    file["games"][1]["legacy_game_ids"] = json!([FORMER]);
    file["games"][2]["game_id"] = json!(POSITIONAL);
    let server = Setup::new().library(&file.to_string()).start();
    let new_id = games(&server)[2]["game_id"].clone();
    assert_ne!(new_id, POSITIONAL);
    for (former, at) in [(FORMER, 1), (POSITIONAL, 2)] {
        // Named twice, under both of its names, it is one game.
        let ids = json!([former, at, former]);
        let changes = json!({"genre": former});
        for path in [BULK, WIZARD] {
            let reply = server.post(path, &json!({"ids": ids, "changes": changes}));
            assert_eq!(reply["updated"], 1, "{path}");
        }
        let reply = server.post("/api/tags", &json!({"ids": ids, "tags": [former]}));
        assert_eq!(reply["updated"], 1);
        let game = &games(&server)[at];
        assert_eq!((&game["genre"], &game["tags"]), (&json!(former), &json!([former])));
        for key in ["id", "game_id"] {
            let before = games(&server)[at]["favorite"] == true;
            let reply = server.post("/api/favorite", &json!({key: former}));
            assert_eq!(reply, json!({"favorite": !before}), "{key}");
        }
        for key in ["members", "ids"] {
            let manual = json!({"name": "P", "type": "manual", key: ids});
            server.post("/api/playlists", &manual);
            let members = &server.get("/api/library")["playlists"][0]["members"];
            assert_eq!(*members, json!([games(&server)[at]["game_id"]]), "{key}");
        }
    }
    for (key, former) in [("game_id", POSITIONAL), ("id", FORMER)] {
        // The stable id counts before the position next to it.
        let mut body = json!({"id": 0});
        body[key] = json!(former);
        server.post("/api/game/delete", &body);
        refused(&server, "/api/game/delete", &json!({key: former}), "Game not found");
    }
    let left: Vec<Value> = games(&server).iter().map(|game| game["game_id"].clone()).collect();
    assert_eq!(left, [json!(game_id(0))]);
}

#[test]
fn bulk_changes_at_the_same_time_lose_nothing() {
    let server = Server::start();
    let ids: Vec<String> = (0..12).map(|number| create(&server, &number.to_string())).collect();
    thread::scope(|scope| {
        for key in ["genre", "platform", "esrb"] {
            let (mut client, ids) = (server.client(), &ids);
            scope.spawn(move || {
                for round in 0..10 {
                    let changes = json!({key: round.to_string()});
                    client.post(BULK, &json!({"ids": ids, "changes": changes}));
                }
            });
        }
    });
    for game in games(&server) {
        for key in ["genre", "platform", "esrb"] {
            assert_eq!(game[key], "9", "{key}");
        }
    }
}

#[test]
fn bulk_changes_during_an_import_lose_nothing() {
    let server = Server::start();
    let ids: Vec<String> = (0..6).map(|number| create(&server, &number.to_string())).collect();
    let folder = server.scratch().folder("shelf");
    for number in 0..400 {
        server.scratch().file(format!("shelf/Game {number}.nes"), "rom");
    }
    thread::scope(|scope| {
        let (mut importer, mut editor) = (server.client(), server.client());
        scope.spawn(move || {
            let reply = importer.post("/api/import", &json!({"folder": folder}));
            assert_eq!(reply["added"], 400);
        });
        let ids = &ids;
        scope.spawn(move || {
            for round in 0..10 {
                let changes = json!({"genre": round.to_string()});
                assert_eq!(
                    editor.post(BULK, &json!({"ids": ids, "changes": changes}))["updated"],
                    6
                );
            }
        });
    });
    let all = games(&server);
    assert_eq!(all.len(), 406);
    for game in all.iter().filter(|game| ids.iter().any(|id| game["game_id"] == **id)) {
        assert_eq!(game["genre"], "9");
    }
}

#[test]
fn rules_choose_games_where_no_ids_are_given() {
    let server = Server::start();
    for name in ["alpha", "beta", "gamma"] {
        create(&server, name);
    }
    server.post(BULK, &json!({"ids": [0, 1], "changes": {"platform": "NES"}}));
    server.post(BULK, &json!({"ids": [2], "changes": {"hidden": true}}));
    let cases = [
        (json!({"platform": "NES"}), 2),
        (json!({"platform": "NES", "query": "bet"}), 1),
        (json!({"platform_category": "Nintendo"}), 2),
        (json!({"view": "all"}), 2),
        (json!({"view": "hidden"}), 1),
        (json!({"hidden": "true"}), 1),
        (json!({"installed": "installed"}), 3),
        (json!({"has_missing_media": true}), 3),
    ];
    for (rules, count) in cases {
        let genre = rules.to_string();
        let body = json!({"rules": rules, "changes": {"genre": genre}});
        assert_eq!(server.post(BULK, &body), json!({"updated": count}), "{rules}");
        let changed = games(&server).iter().filter(|game| game["genre"] == genre).count();
        assert_eq!(changed, count, "{rules}");
    }
    for rules in [
        json!({}),
        json!({"platform": "all"}),
        json!({"unknown": "x"}),
        json!({"platform": "PSP"}),
        json!("x"),
    ] {
        let body = json!({"rules": rules, "changes": {"genre": "x"}});
        refused(&server, BULK, &body, "Select at least one game.");
    }
    // Games that are named win over rules.
    let both = json!({"ids": [2], "rules": {"platform": "NES"}, "changes": {"genre": "named"}});
    assert_eq!(server.post(WIZARD, &both)["updated"], 1);
    assert_eq!(games(&server)[2]["genre"], "named");
}

#[test]
fn a_choice_of_games_is_one_phrase_or_nothing_is_changed() {
    let server = Server::start();
    for name in ["alpha", "beta", "gamma"] {
        create(&server, name);
    }
    let changed = |key: &str| games(&server).iter().filter(|game| game["genre"] == key).count();
    let with = |choice: &Value, genre: &str| {
        let mut body = choice.clone();
        body["changes"] = json!({"genre": genre});
        body
    };
    let edge = format!("alpha{}", " ".repeat(1_995));
    for path in [BULK, WIZARD] {
        for (choice, count) in [
            (json!({"query": edge}), 1),
            (json!({"query": " ALPHA "}), 1),
            (json!({"query": "unplayed"}), 3),
            (json!({"query": "\"beta"}), 1),
            // The first that is given counts: ids, then the phrase, then rules.
            (json!({"query": "alpha", "rules": {"view": "all"}}), 1),
            (json!({"query": "alpha", "rules": 7}), 1),
            (json!({"ids": [0, 2], "query": "alpha", "rules": {"view": "all"}}), 2),
            (json!({"ids": [0], "query": 7}), 1),
            (json!({"ids": null, "query": null, "rules": {"view": "all"}}), 3),
        ] {
            let genre = format!("{path} {choice}");
            let reply = server.post(path, &with(&choice, &genre));
            assert_eq!((&reply["updated"], changed(&genre)), (&json!(count), count), "{choice}");
        }
        let before = games(&server);
        let none = "Select at least one game.";
        let no_text = "query must be a string.";
        for (choice, message) in [
            (json!({}), none),
            (json!({"ids": null}), none),
            (json!({"query": null}), none),
            (json!({"query": null, "rules": null}), none),
            (json!({"query": ""}), none),
            (json!({"query": " \n "}), none),
            (json!({"query": "\""}), none),
            (json!({"query": "..."}), none),
            (json!({"query": "delta"}), none),
            (json!({"query": "platform:nes"}), none),
            (json!({"query": "platform:"}), none),
            (json!({"query": "rating:many"}), none),
            (json!({"query": "alpha beta"}), none),
            (json!({"query": "played"}), none),
            (json!({"query": 7}), no_text),
            (json!({"query": ["alpha"]}), no_text),
            (json!({"query": {"name": "alpha"}}), no_text),
            (json!({"query": true, "rules": {"view": "all"}}), no_text),
            (json!({"query": format!("{edge} ")}), "query is too long."),
            (json!({"ids": [], "query": "alpha"}), none),
            (json!({"ids": "all", "query": "alpha"}), none),
            (json!({"ids": [9], "query": "alpha"}), "A selected game no longer exists."),
            (json!({"rules": [{"view": "all"}]}), none),
            (json!({"rules": {"view": 1}}), none),
        ] {
            refused(&server, path, &with(&choice, "x"), message);
        }
        let bad = json!({"query": "alpha", "changes": {"genre": []}});
        refused(&server, path, &bad, "Genre must be text.");
        let no_change = json!({"query": "alpha", "changes": {}});
        refused(&server, path, &no_change, "No valid bulk changes were supplied.");
        assert_eq!(games(&server), before);
    }
    let more = json!({"query": "alpha", "changes": {"play_count": 1}});
    refused(&server, WIZARD, &more, "Bulk wizard contains unsupported fields.");
}
