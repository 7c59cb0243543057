//! `/api/v2/library/duplicates`, its preview and the merge.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const PATH: &str = "/api/v2/library/duplicates";

fn library() -> Server {
    let game = |number: usize, more: Value| {
        let mut game = json!({"game_id": format!("game-{number:024}")});
        game.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        game
    };
    let games = [
        json!({"name": "Quest (USA)", "platform": "NES", "path": "/gone/a", "tags": ["x"],
            "cover": "/gone/c.png"}),
        json!({"name": "Quest", "platform": "nes", "path": "/gone/b", "play_count": 3,
            "tags": ["y"], "favorite": true}),
        json!({"name": "One", "store_a_app_id": "7"}),
        json!({"name": "Two", "store_a_app_id": "7"}),
        json!({"name": "Else", "path": "/gone/b"}),
    ];
    let games: Vec<Value> =
        games.into_iter().enumerate().map(|(at, more)| game(at, more)).collect();
    let playlists = json!([{"name": "P", "type": "manual", "rules": {}, "parent": "", "notes": "",
        "members": [games[0]["game_id"], games[2]["game_id"], games[1]["game_id"]]},
        {"name": "Q", "type": "manual", "rules": {}, "parent": "", "notes": "",
        "members": [games[3]["game_id"], games[0]["game_id"], games[2]["game_id"]]}]);
    let library = json!({"schema_version": 6, "games": games, "playlists": playlists});
    Setup::new().library(&library.to_string()).start()
}

fn shown(answer: &Value) -> Vec<(Value, Value, Vec<u64>)> {
    let groups = answer["groups"].as_array().expect("a list").iter();
    let ids = |group: &Value| {
        let games = group["games"].as_array().expect("a list").iter();
        games.map(|game| game["id"].as_u64().expect("a position")).collect()
    };
    groups.map(|group| (group["kind"].clone(), group["key"].clone(), ids(group))).collect()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, message: &str, code: &str) {
    let reply = server.send(&Request::post(path, body)).expect(status).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!(code)), "{path} {body}");
}

#[test]
fn groups_name_what_their_games_have_in_common() {
    let server = library();
    let answer = server.get(PATH);
    let identity = (json!("identity"), json!("store_a:7"), vec![2, 3]);
    let path = (json!("path"), json!("path:/gone/b"), vec![1, 4]);
    assert_eq!(shown(&answer), [identity.clone(), path.clone()]);
    assert_eq!((&answer["count"], &answer["truncated"]), (&json!(2), &json!(false)));
    let row = json!({"id": 1, "game_id": "game-000000000000000000000001", "name": "Quest",
        "platform": "nes", "path": "/gone/b", "playtime_seconds": 0, "sessions": 3,
        "achievements": 0, "media": 0, "favorite": true, "progress": ""});
    assert_eq!(answer["groups"][1]["games"][0], row);
    server.post("/api/game/delete", &json!({"id": 4}));
    let title = (json!("title"), json!("quest|nes"), vec![0, 1]);
    assert_eq!(shown(&server.get(PATH)), [identity.clone(), title]);
    for switch in ["0", "false"] {
        assert_eq!(
            shown(&server.get(&format!("{PATH}?title={switch}"))),
            std::slice::from_ref(&identity)
        );
    }
    assert_eq!(shown(&server.get(&format!("{PATH}?title=1"))).len(), 2);
}

#[test]
fn a_merge_does_what_its_preview_showed_and_can_be_taken_back() {
    let server = library();
    let before = server.get("/api/library");
    let preview = server.post(&format!("{PATH}/preview"), &json!({"ids": [0, 1]}));
    assert_eq!(preview["primary"]["id"], 1);
    assert_eq!(preview["absorbed"][0]["name"], "Quest (USA)");
    assert_eq!(preview["changed_fields"], json!(["cover", "tags"]));
    let tags = json!({"value": ["y", "x"], "source": 0, "merged": true});
    assert_eq!(preview["changes"]["tags"], tags);
    let reason = json!({"sessions": 3, "playtime_seconds": 0, "achievements": 0, "media": 0});
    assert_eq!(preview["reason"], reason);
    assert_eq!(server.get("/api/library")["games"], before["games"], "a preview writes nothing");
    let body = json!({"ids": [0, 1], "base_token": preview["base_token"]});
    let merged = server.post(&format!("{PATH}/merge"), &body);
    assert_eq!((&merged["merged"], &merged["undo"]), (&json!(1), &json!("trash")));
    assert_eq!(merged["trashed"], json!(["Quest (USA)"]));
    let library = server.get("/api/library");
    assert_eq!(
        (&library["games"][0]["name"], &library["games"][0]["tags"]),
        (&json!("Quest"), &json!(["y", "x"]))
    );
    let ids = |numbers: &[usize]| {
        numbers.iter().map(|number| format!("game-{number:024}").into()).collect::<Vec<Value>>()
    };
    let members = |library: &Value| {
        [0, 1].map(|at| library["playlists"][at]["members"].as_array().cloned().expect("a list"))
    };
    assert_eq!(
        members(&library),
        [ids(&[1, 2]), ids(&[3, 1, 2])],
        "it takes the first place of both"
    );
    refused(
        &server,
        &format!("{PATH}/merge"),
        &body,
        409,
        "The library changed after the preview. Preview the merge again.",
        "DUPLICATES_PREVIEW_STALE",
    );
    server.post("/api/v2/library/trash/restore", &json!({"trash_id": merged["trash_ids"][0]}));
    let library = server.get("/api/library");
    assert_eq!(library["games"][0], before["games"][0]);
    assert_eq!(members(&library), [ids(&[0, 2, 1]), ids(&[3, 0, 2])]);
}

#[test]
fn a_merge_wants_two_games_and_a_fresh_token() {
    let server = library();
    let list = "ids must be a list of game indexes.";
    let few = "A merge needs at least two game indexes.";
    let gone = "A merge needs at least two records.";
    let token =
        server.post(&format!("{PATH}/preview"), &json!({"ids": [0, 1]}))["base_token"].clone();
    for route in ["preview", "merge"] {
        let path = format!("{PATH}/{route}");
        for (ids, message) in [
            (json!(null), list),
            (json!("0,1"), list),
            (json!([0, null]), list),
            (json!([0, 1.5]), list),
            (json!([]), few),
            (json!([0]), few),
            (json!([0, 0]), few),
            (json!([0, 99]), gone),
            (json!(["game-gone", "game-else"]), gone),
        ] {
            let body = json!({"ids": ids, "base_token": token});
            refused(&server, &path, &body, 400, message, "BAD_REQUEST");
        }
    }
    let path = format!("{PATH}/merge");
    let stale = "The library changed after the preview. Preview the merge again.";
    for token in [json!(null), json!(""), json!("x"), json!(7)] {
        let body = json!({"ids": [0, 1], "base_token": token});
        refused(&server, &path, &body, 409, stale, "DUPLICATES_PREVIEW_STALE");
    }
    server.post("/api/favorite", &json!({"id": 3}));
    let body = json!({"ids": [0, 1], "base_token": token});
    refused(&server, &path, &body, 409, stale, "DUPLICATES_PREVIEW_STALE");
    server.post("/api/favorite", &json!({"id": 3}));
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(5));
    let named = json!([server.get("/api/library")["games"][0]["game_id"], "game-gone"]);
    let body = json!({"ids": named, "base_token": "x"});
    refused(&server, &path, &body, 409, stale, "DUPLICATES_PREVIEW_STALE");
}
