//! `/api/v2/library/sync/...`: three programs and one folder.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use super::updates::hex;
use crate::support::{
    client::Request,
    server::{Server, Setup},
};

const PREVIEW: &str = "/api/v2/library/sync/preview";
const APPLY: &str = "/api/v2/library/sync/apply";
const PUBLISH: &str = "/api/v2/library/sync/publish";
const PULL: &str = "/api/v2/library/sync/pull";

fn start(folder: &Path, games: &Value) -> Server {
    let settings = json!({"cloud_folder": folder, "library_sync_enabled": true});
    let library = json!({"schema_version": 6, "games": games, "settings": settings});
    Setup::new().library(&library.to_string()).start()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, code: &str) -> String {
    let reply = server.send(&Request::post(path, body)).expect(status).json();
    assert_eq!(reply["code"], code, "{path} {body}: {reply}");
    reply["error"].as_str().expect("a sentence").to_owned()
}

fn publish(server: &Server) -> Value {
    server.post(PUBLISH, &json!({"protocol": "v3"}))
}

fn take_over(server: &Server) -> Value {
    let plan = server.post(PREVIEW, &json!({}));
    server.post(APPLY, &json!({"plan": plan}))
}

fn stored(server: &Server, name: &str) -> Option<Value> {
    let games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.into_iter().find(|game| game["name"] == name)
}

#[test]
fn nothing_happens_before_it_is_switched_on() {
    let server = Server::start();
    let what = |path, body| refused(&server, path, &body, 400, "SYNC_NOT_ENABLED");
    assert_eq!(
        what(PREVIEW, json!({})),
        "Enable library synchronization before reviewing changes."
    );
    assert_eq!(what(APPLY, json!({})), "Enable library synchronization before applying changes.");
    let publish = json!({"protocol": "v3"});
    assert_eq!(what(PUBLISH, publish), "Enable library synchronization before publishing.");
    for (path, body) in [
        (PULL, json!({})),
        (PUBLISH, json!({})),
        (PUBLISH, json!({"protocol": "v2"})),
        (PUBLISH, json!({"games": []})),
    ] {
        refused(&server, path, &body, 503, "LIBRARY_SYNC_UNAVAILABLE");
    }
}

#[test]
fn what_describes_a_game_reaches_the_other_library() {
    let top = tempfile::tempdir().expect("a folder");
    let games = json!([{"game_id": "game-1", "name": "Alpha", "genre": "RPG", "path": "/secret/a.nes", "favorite": true,
        "playtime_seconds": 50, "launch_env": "TOKEN=secret"}]);
    let (one, two) = (start(top.path(), &games), start(top.path(), &json!([])));
    let first = json!({"published": 1, "pending": 0, "acknowledged": 1, "protocol": "v3"});
    assert_eq!(publish(&one), first);
    let again = json!({"published": 0, "pending": 0, "acknowledged": 0, "protocol": "v3"});
    assert_eq!(publish(&one), again);
    let events = top.path().join("service-library-v3/events");
    let files: Vec<_> = fs::read_dir(&events)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").path())
        .collect();
    assert_eq!(files.len(), 1);
    let text = fs::read_to_string(&files[0]).expect("read");
    assert!(
        text.ends_with('\n') && !text.contains("secret") && !text.contains("favorite"),
        "{text}"
    );
    let plan = two.post(PREVIEW, &json!({}));
    assert_eq!((&plan["format"], &plan["counts"]["additions"]), (&json!(3), &json!(1)));
    let change = &plan["changes"][0];
    assert_eq!((&change["action"], &change["sync_key"]), (&json!("add"), &json!("game:game-1")));
    assert_eq!((&change["local"], &change["merged"]["name"]), (&Value::Null, &json!("Alpha")));
    assert_eq!(plan["events"].as_array().map(Vec::len), plan["event_ids"].as_array().map(Vec::len));
    assert!(stored(&two, "Alpha").is_none(), "a preview changes nothing");
    let applied = two.post(APPLY, &json!({"plan": plan}));
    assert_eq!(
        (&applied["applied"], &applied["changed"], &applied["conflicts"]),
        (&json!(1), &json!(true), &json!([]))
    );
    let backup = applied["recovery_backup"].as_str().expect("a name");
    assert!(two.get("/api/backups").to_string().contains(backup), "{backup}");
    let game = stored(&two, "Alpha").expect("there");
    assert_eq!(
        (&game["game_id"], &game["genre"], &game["favorite"]),
        (&json!("game-1"), &json!("RPG"), &json!(false))
    );
    assert_eq!(two.post(PREVIEW, &json!({}))["changes"], json!([]));
    assert_eq!(
        refused(&two, APPLY, &json!({"plan": plan}), 409, "SYNC_PREVIEW_STALE"),
        "Library sync preview is stale; review incoming changes again."
    );
}

#[test]
fn a_plan_of_many_games_is_sent_back_by_its_tokens() {
    const GAMES: usize = 1_150;
    let top = tempfile::tempdir().expect("a folder");
    let name = |at: usize| json!({"game_id": format!("game-{at}"), "name": format!("Game {at}")});
    let games: Vec<Value> = (0..GAMES).map(name).collect();
    let (one, two) = (start(top.path(), &games.into()), start(top.path(), &json!([])));
    assert_eq!(publish(&one)["published"], GAMES);
    let review = || {
        let plan = two.post(PREVIEW, &json!({}));
        let tokens =
            json!({"source_token": plan["source_token"], "events_token": plan["events_token"]});
        assert!(plan.to_string().len() > 65_536);
        json!({"plan": tokens})
    };
    for key in ["source_token", "events_token"] {
        let mut reviewed = review();
        reviewed["plan"][key] = "x".into();
        refused(&two, APPLY, &reviewed, 409, "SYNC_PREVIEW_STALE");
        reviewed["plan"].as_object_mut().expect("an object").remove(key);
        let text = refused(&two, APPLY, &reviewed, 400, "BAD_REQUEST");
        assert_eq!(text, "A reviewed sync plan is required.");
    }
    let reviewed = review();
    one.post("/api/game", &json!({"game_id": "game-7", "game": {"name": "Seven"}}));
    publish(&one);
    refused(&two, APPLY, &reviewed, 409, "SYNC_PREVIEW_STALE");
    assert_eq!(two.get("/api/library")["games"], json!([]));
    assert_eq!(two.post(APPLY, &review())["applied"], GAMES);
    assert!(stored(&two, "Seven").is_some());
    assert_eq!(two.post(PREVIEW, &json!({}))["changes"], json!([]));
}

#[test]
fn three_libraries_become_one() {
    let top = tempfile::tempdir().expect("a folder");
    let game = json!([{"game_id": "game-1", "name": "Alpha"}]);
    let mut servers = [&game, &json!([]), &json!([])].map(|games| start(top.path(), games));
    publish(&servers[0]);
    for server in &servers[1..] {
        take_over(server);
    }
    for (server, (field, value)) in
        servers.iter().zip([("genre", "RPG"), ("year", "1991"), ("series", "Alphas")])
    {
        server.post(
            "/api/game",
            &json!({"game_id": "game-1", "game": {"name": "Alpha", field: value}}),
        );
    }
    servers[1].kill();
    servers[1].restart();
    // Each round may make events that resolve those of the round before.
    for _ in 0..6 {
        for server in &servers {
            publish(server);
            take_over(server);
        }
    }
    for server in &servers {
        let game = stored(server, "Alpha").expect("there");
        assert_eq!(
            (&game["genre"], &game["year"], &game["series"]),
            (&json!("RPG"), &json!("1991"), &json!("Alphas"))
        );
        assert_eq!(publish(server)["published"], 0);
    }
}

#[test]
fn events_and_folders_that_cannot_be_used_change_nothing() {
    let top = tempfile::tempdir().expect("a folder");
    let server = start(top.path(), &json!([{"game_id": "game-1", "name": "Alpha"}]));
    assert_eq!(server.post(PREVIEW, &json!({}))["event_ids"], json!([]));
    assert_eq!(fs::read_dir(top.path()).expect("a folder").count(), 0, "a preview creates nothing");
    for events in [json!({}), json!([1]), json!([{"format": 3}])] {
        refused(&server, PREVIEW, &json!({"events": events}), 400, "SYNC_INVALID");
    }
    let text = refused(&server, APPLY, &json!({}), 400, "BAD_REQUEST");
    assert_eq!(text, "A reviewed sync plan is required.");
    let events = top.path().join("service-library-v3/events");
    fs::create_dir_all(&events).expect("created");
    fs::write(events.join(".half.tmp"), b"{").expect("written");
    let bad = events.join(format!("{}.json", "a".repeat(64)));
    for bytes in [&b"{\"format\":3"[..], b"", b"[]"] {
        fs::write(&bad, bytes).expect("written");
        refused(&server, PREVIEW, &json!({}), 400, "SYNC_INVALID");
        refused(&server, PUBLISH, &json!({"protocol": "v3"}), 400, "SYNC_INVALID");
    }
    fs::remove_file(&bad).expect("removed");
    symlink("/etc/hostname", &bad).expect("linked");
    refused(&server, PREVIEW, &json!({}), 400, "SYNC_INVALID");
    fs::remove_file(&bad).expect("removed");
    assert_eq!(publish(&server)["published"], 1);
    fs::remove_dir_all(top.path()).expect("removed");
    let text = refused(&server, PREVIEW, &json!({}), 400, "SYNC_INVALID");
    assert!(!text.contains('/'), "{text}");
}

#[test]
fn the_history_in_the_file_of_a_library_is_known_and_published() {
    let top = tempfile::tempdir().expect("a folder");
    let event = |sequence: u64, day: &str, parents: Value, genre: &str| {
        let mut event = json!({"catalog": {"game_id": "g", "genre": genre, "name": "Old"},
            "created_at": format!("{day}T00:00:00.000000+00:00"), "device_id": "device", "format": 3,
            "parents": parents, "sequence": sequence, "sync_key": "game:g"});
        let id = hex(event.to_string().as_bytes());
        event["event_id"] = id.as_str().into();
        (id, event)
    };
    let (first, added) = event(1, "2026-01-01", json!([]), "A");
    let (second, edited) = event(2, "2026-01-10", json!([first]), "B");
    let settings = json!({"cloud_folder": top.path(), "library_sync_enabled": true});
    let section = json!({"device_id": "device", "next_sequence": 3, "heads": {"game:g": [second]},
        "events": {&first: added, &second: edited, "broken": {"format": 3}}, "outbox": [first, second]});
    let games = json!([{"game_id": "g", "name": "Old", "genre": "B"}]);
    let library =
        json!({"schema_version": 6, "games": games, "settings": settings, "library_sync": section});
    let mut server = Setup::new().library(&library.to_string()).start();
    let journal = |query: &str| server.get(&format!("/api/v2/library/journal/{query}"));

    let all = journal("events");
    let ids = [&all["events"][0]["event_id"], &all["events"][1]["event_id"]];
    assert_eq!((&all["total"], ids), (&json!(2), [&json!(second), &json!(first)]));
    let genre = json!({"genre": {"from": "A", "to": "B"}});
    assert_eq!((&all["events"][0]["kind"], &all["events"][0]["changes"]), (&json!("edit"), &genre));
    assert_eq!(journal("as-of?date=2026-01-05")["games"][0]["genre"], "A");
    assert_eq!(journal("as-of?date=2025-12-31")["count"], 0);
    let changed = journal("compare?before=2026-01-05&after=2026-01-20");
    assert_eq!(changed["changed"][0]["changes"], genre);
    let plan = server.post("/api/v2/library/journal/revert", &json!({"event_id": first}));
    assert_eq!(plan["plan"]["changes"][0]["to"], "A");

    let published = json!({"published": 2, "pending": 0, "acknowledged": 2, "protocol": "v3"});
    assert_eq!(publish(&server), published);
    let file = top.path().join(format!("service-library-v3/events/{second}.json"));
    let text = fs::read_to_string(file).expect("there");
    assert!(text.contains(&first), "{text}");
    assert_eq!(publish(&server)["published"], 0);
    server.stop();
    server.restart();
    assert_eq!(server.get("/api/v2/library/journal/events")["total"], 2);
    assert_eq!(server.post(PREVIEW, &json!({}))["changes"], json!([]));
}
