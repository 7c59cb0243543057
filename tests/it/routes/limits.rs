//! The limits that need a library, a disk or a moment of their own: each at its bound and one past
//! it. Bounds of a single field are tested with the other cases of its route.

use std::path::Path;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::{
    client::{Client, Request},
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

use super::game::create;

const DAY: i64 = 24 * 60 * 60;

#[track_caller]
fn refused(client: &mut Client, path: &str, body: &Value, message: &str) {
    let reply = client.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

/// A time that lies so many seconds back, as UTC.
fn ago(seconds: i64) -> String {
    let then = Timestamp::now() - SignedDuration::from_secs(seconds);
    then.strftime("%Y-%m-%dT%H:%M:%S.%6f+00:00").to_string()
}

#[test]
fn a_playlist_takes_one_hundred_thousand_games_and_not_one_more() {
    const MOST: usize = 100_000;
    const HERE: usize = 9_000;
    let id = |at: usize| format!("game-{at:024x}");
    // Most members are games of another machine, so that no large library has to be written.
    let stored: Vec<String> = (HERE..MOST - 10).map(id).collect();
    let game = |at: usize| json!({"game_id": id(at), "name": at.to_string(), "path": "/x"});
    let games: Vec<Value> = (0..HERE).map(game).collect();
    let playlist = json!({"name": "All", "type": "manual", "rules": {}, "members": stored,
        "parent": "", "notes": ""});
    let library = json!({"schema_version": 6, "games": games, "playlists": [playlist]});
    let mut server = Setup::new().library(&library.to_string()).start();
    let mut client = server.client();
    let add = |ids: &[usize]| json!({"name": "All", "type": "manual", "append": true, "ids": ids});
    let members = |client: &mut Client| {
        let page = client.get("/api/library?limit=0");
        page["playlists"][0]["members"].as_array().expect("a list").clone()
    };
    let all: Vec<usize> = (0..HERE).collect();
    // Nine thousand games of a library fit into one body.
    for page in [&all[..HERE - 1_000], &all[HERE - 1_000..]] {
        client.post("/api/playlists", &add(page));
    }
    assert_eq!(members(&mut client).len(), MOST - 10);
    let new: Vec<String> = (0..11)
        .map(|number| {
            let game = json!({"game": {"name": format!("New {number}")}});
            let made = client.post("/api/v2/library/manual-entry", &game);
            made["game_id"].as_str().expect("an id").to_owned()
        })
        .collect();
    let page =
        |ids: &[String]| json!({"name": "All", "type": "manual", "append": true, "members": ids});
    client.post("/api/playlists", &page(&new[..9]));
    assert_eq!(members(&mut client).len(), MOST - 1);
    let full = "Playlists are limited to 100000 games.";
    refused(&mut client, "/api/playlists", &page(&new[9..]), full);
    assert_eq!(members(&mut client).len(), MOST - 1, "a page that does not fit adds nothing");
    // A game that is in it already is no more games.
    client.post("/api/playlists", &page(&[new[9].clone(), new[9].clone(), new[0].clone()]));
    let filled = members(&mut client);
    assert_eq!((filled.len(), &filled[MOST - 1]), (MOST, &json!(new[9])));
    refused(&mut client, "/api/playlists", &page(&new[10..]), full);
    client.post("/api/playlists", &add(&all));
    server.kill();
    server.restart();
    assert_eq!(members(&mut server.client()), filled);
}

#[test]
fn sixteen_compositor_presets_are_kept_and_a_seventeenth_is_refused() {
    let server = Server::start();
    let mut client = server.client();
    let presets = |count: usize| -> Vec<Value> {
        (0..count).map(|number| json!({"name": format!("P{number}")})).collect()
    };
    let custom = |presets: Value| json!({"compositor_custom_presets": presets});
    let stock = server.get("/api/settings")["compositor_presets"].as_array().map_or(0, Vec::len);
    let saved = client.post("/api/settings", &custom(json!(presets(16))));
    assert_eq!(saved["compositor_custom_presets"], json!(presets(16)));
    assert_eq!(saved["compositor_presets"].as_array().map(Vec::len), Some(stock + 16));
    let list = "Compositor presets must be a list of at most 16 entries.";
    let part = |name: &str| format!("Compositor presets have an invalid value for {name}.");
    let one = |key: &str, value: Value| json!([{"name": "N", key: value}]);
    let many: Vec<String> = (0..21).map(|number| number.to_string()).collect();
    for (bad, message) in [
        (json!(presets(17)), list.to_owned()),
        (json!({}), list.to_owned()),
        (json!([{}]), "Compositor presets need a name for each entry.".to_owned()),
        (json!([{"name": " "}]), "Compositor presets need a name for each entry.".to_owned()),
        (json!(["N"]), "Compositor presets must be an object.".to_owned()),
        (
            json!([{"name": "N"}, {"name": "n"}]),
            "Compositor presets name n more than once.".to_owned(),
        ),
        (json!([{"name": "N", "width": 7_681, "height": 1}]), part("width")),
        (json!([{"name": "N", "width": 1, "height": 4_321}]), part("height")),
        (json!([{"name": "N", "inner_width": 7_681, "inner_height": 1}]), part("inner_width")),
        (json!([{"name": "N", "inner_width": 1, "inner_height": 4_321}]), part("inner_height")),
        (one("width", json!(1)), part("width")),
        (one("refresh", json!(1_001)), part("refresh")),
        (one("refresh", json!(-1)), part("refresh")),
        (one("fsr_sharpness", json!(6)), part("fsr_sharpness")),
        (one("integer", json!("yes")), part("integer")),
        (one("extra_args", json!(many)), part("extra_args")),
        (one("extra_args", json!("'open")), part("extra_args")),
    ] {
        refused(&mut client, "/api/settings", &custom(bad), &message);
    }
    let settings = client.get("/api/settings");
    assert_eq!(settings["compositor_custom_presets"], json!(presets(16)));
    let edge = json!([{"name": "N".repeat(31), "width": 7_680, "height": 4_320, "inner_width": 7_680,
        "inner_height": 4_320, "refresh": 1_000, "fsr": true, "fsr_sharpness": 5,
        "extra_args": many[..20]}]);
    let saved = client.post("/api/settings", &custom(edge.clone()));
    let mut kept = edge;
    kept[0]["name"] = json!("N".repeat(30));
    assert_eq!(saved["compositor_custom_presets"], kept);
}

#[test]
fn the_last_hundred_session_events_are_kept() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let mut client = server.client();
    let launched = client.post("/api/launch", &json!({"game_id": id}))["launch_id"].clone();
    let mut control = |action: &str| {
        client.post("/api/session/control", &json!({"launch_id": launched, "action": action}));
    };
    // With the start of the game these are a hundred.
    for number in 0..99 {
        control(if number % 2 == 0 { "pause" } else { "resume" });
    }
    let seen = |target: &str| {
        let answer = server.get(target);
        let events = answer["events"].as_array().expect("a list");
        (events.len(), events[0]["id"].as_u64().unwrap_or(0), answer["last_event"].clone())
    };
    assert_eq!(seen("/api/running"), (100, 1, json!(100)));
    control("resume");
    assert_eq!(seen("/api/running"), (100, 2, json!(101)), "the first one went");
    assert_eq!(seen("/api/running?after=1"), (100, 2, json!(101)));
    assert_eq!(seen("/api/running?after=100"), (1, 101, json!(101)));
    assert_eq!(server.get("/api/running?after=101")["events"], json!([]));
    control("kill");
    until("the session to end", || (seen("/api/running").2 == 102).then_some(()));
}

#[test]
fn the_trash_keeps_a_game_for_thirty_days_and_no_second_more() {
    // A minute is left for a slow machine; the exact second is a case of the rule itself.
    let rows = [
        ("new", ago(0)),
        ("kept", ago(30 * DAY - 60)),
        ("late", ago(30 * DAY + 1)),
        ("old", ago(31 * DAY)),
        ("undated", "some day".to_owned()),
    ];
    let entry = |(name, at): &(&str, String)| {
        json!({"trash_id": format!("trash-{name}"), "trashed_at": at, "index": 0,
            "game_id": format!("game-{name}"), "name": name, "platform": "",
            "game": {"game_id": format!("game-{name}"), "name": name}, "playlists": []})
    };
    let trash: Vec<Value> = rows.iter().map(entry).collect();
    let library = json!({"schema_version": 6, "games": [], "trash": trash});
    let server = Setup::new().library(&library.to_string()).start();
    let listed = server.get("/api/v2/library/trash");
    let names: Vec<&Value> =
        listed["items"].as_array().expect("a list").iter().map(|item| &item["name"]).collect();
    assert_eq!(names, ["undated", "kept", "new"]);
    let mut client = server.client();
    let restore = "/api/v2/library/trash/restore";
    for name in ["late", "old"] {
        let body = json!({"trash_id": format!("trash-{name}")});
        refused(&mut client, restore, &body, "Trash entry not found.");
    }
    assert_eq!(client.post(restore, &json!({"trash_id": "trash-kept"}))["restored"], true);
}

#[test]
fn the_lists_of_a_game_are_taken_whole_up_to_their_limits() {
    let server = Server::start();
    let id = create(&server, "A");
    let mut client = server.client();
    let media = server.data("media");
    std::fs::create_dir_all(&media).expect("a folder");
    let texts = |folder: &Path, count: usize| -> Vec<Value> {
        (0..count).map(|number| json!(folder.join(number.to_string()))).collect()
    };
    for number in 0..101 {
        std::fs::write(media.join(number.to_string()), "picture").expect("a file");
    }
    let extras: Vec<Value> =
        (0..101).map(|number| json!({"path": format!("/extra/{number}.bin")})).collect();
    let documents: Vec<Value> =
        texts(&media, 101).into_iter().map(|path| json!({"path": path})).collect();
    let cases = [
        ("save_paths", 50, texts(Path::new("/saves"), 51), "Save paths"),
        ("screenshots", 100, texts(&media, 101), "Screenshots"),
        ("alternate_names", 20, texts(Path::new(""), 21), "Alternate names"),
        ("applications", 100, extras.clone(), "Game extras"),
        ("versions", 100, extras.clone(), "Game extras"),
        ("documents", 100, documents, "Game extras"),
    ];
    let game = || server.get("/api/library")["games"][0].clone();
    for (field, most, all, what) in cases {
        let body =
            |count: usize| json!({"game_id": id, "game": {"name": "A", field: all[..count]}});
        client.post("/api/game", &body(most));
        let full = game();
        assert_eq!(full[field].as_array().map(Vec::len), Some(most), "{field}");
        let message = format!("{what} are limited to {most} entries.");
        refused(&mut client, "/api/game", &body(most + 1), &message);
        assert_eq!(game(), full, "{field}");
    }
    let entry = game()["versions"][99].clone();
    assert_eq!(entry, json!({"name": "99", "path": "/extra/99.bin", "command": ""}));
    assert_eq!(game()["documents"][0], json!({"name": "0", "path": media.join("0")}));
    // A text is split at its semicolons, and what stands there twice counts once.
    let names = |count: usize| -> String {
        (0..count).map(|number| format!("n{number}; ")).chain(["n0".to_owned()]).collect()
    };
    let body =
        |text: String| json!({"game_id": id, "game": {"name": "A", "alternate_names": text}});
    client.post("/api/game", &body(names(20)));
    assert_eq!(game()["alternate_names"].as_array().map(Vec::len), Some(20));
    let message = "Alternate names are limited to 20 entries.";
    refused(&mut client, "/api/game", &body(names(21)), message);
    let notes =
        |length: usize| json!({"game_id": id, "game": {"name": "A", "notes": "ä".repeat(length)}});
    client.post("/api/game", &notes(2_000));
    assert_eq!(game()["notes"][0]["text"], "ä".repeat(2_000));
    refused(&mut client, "/api/game", &notes(2_001), "Notes are limited to 2000 characters.");
    let env = |name: usize, value: usize| {
        let env = json!({"N".repeat(name): "v".repeat(value)});
        json!({"game_id": id, "game": {"name": "A", "launch_env": env}})
    };
    client.post("/api/game", &env(64, 4_096));
    let lines = |count: usize| {
        let lines: Vec<String> = (0..count).map(|number| format!("K{number}=v")).collect();
        json!({"game_id": id, "game": {"name": "A", "launch_env": lines.join("\n")}})
    };
    client.post("/api/game", &lines(64));
    assert_eq!(game()["launch_env"].as_object().map(serde_json::Map::len), Some(64));
    for (bad, line) in [(env(65, 1), 1), (env(1, 4_097), 1), (lines(65), 65)] {
        let message = format!("Invalid launch environment line: {line}");
        refused(&mut client, "/api/game", &bad, &message);
    }
    assert_eq!(game()["launch_env"].as_object().map(serde_json::Map::len), Some(64));
}

#[test]
fn a_phrase_names_twenty_thousand_games_and_counts_the_others() {
    const NAMED: usize = 20_000;
    let game = |at: usize| {
        let platform = if at == NAMED { "SNES" } else { "NES" };
        json!({"game_id": format!("game-{at:024x}"), "name": "x", "platform": platform})
    };
    let games: Vec<Value> = (0..=NAMED).map(game).collect();
    let library = json!({"schema_version": 6, "games": games});
    let server = Setup::new().library(&library.to_string()).start();
    for (query, count) in [("platform:nes", NAMED), ("on nes", NAMED + 1), ("unplayed", NAMED + 1)]
    {
        let answer = server.post("/api/v2/library/query/parse", &json!({"query": query}));
        let ids = answer["matched_game_ids"].as_array().expect("a list");
        assert_eq!((&answer["match_count"], ids.len()), (&json!(count), NAMED), "{query}");
        assert_eq!(
            ids[NAMED - 1],
            format!("game-{:024x}", NAMED - 1),
            "in the order of the library"
        );
    }
}

#[test]
fn a_look_back_shows_five_thousand_games_and_counts_the_others() {
    const SHOWN: usize = 5_000;
    for count in [SHOWN, SHOWN + 1] {
        let game = |at: usize| json!({"game_id": format!("game-{at:024x}"), "name": "x"});
        let games: Vec<Value> = (0..count).map(game).collect();
        let library = json!({"schema_version": 6, "games": games});
        let server = Setup::new().library(&library.to_string()).start();
        let newest = server.get("/api/v2/library/journal/events?limit=1");
        let day = &newest["latest_at"].as_str().expect("a time")[..10];
        let past = server.get(&format!("/api/v2/library/journal/as-of?date={day}"));
        let shown = past["games"].as_array().expect("a list").len();
        assert_eq!((&past["count"], shown), (&json!(count), SHOWN));
        assert_eq!(past["truncated"], count > SHOWN);
    }
}

#[test]
fn webhooks_have_their_bounds() {
    let server = Setup::new().env("SERVICE_ALLOW_HTTP_WEBHOOKS", "1").start();
    let mut client = server.client();
    let hook = |more: Value| {
        let mut hook = json!({"url": "http://127.0.0.1:9/", "events": ["session.started"]});
        hook.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        hook
    };
    let path = "/api/webhooks";
    let url = |length: usize| {
        let start = "http://127.0.0.1:9/";
        json!({"url": format!("{start}{}", "x".repeat(length - start.len()))})
    };
    assert!(client.post(path, &hook(url(2_048)))["webhooks"][0]["id"].is_string());
    refused(&mut client, path, &hook(url(2_049)), "Webhook URL is too long.");
    let short = "Webhook secret must be at least 8 characters.";
    refused(&mut client, path, &hook(json!({"secret": "ä".repeat(7)})), short);
    for (posted, attempts, timeout) in [
        (json!({"secret": "ä".repeat(8)}), 3, 5),
        (json!({"attempts": 1, "timeout": 1}), 1, 1),
        (json!({"attempts": 0, "timeout": 0}), 3, 5),
        (json!({"attempts": -1, "timeout": -1}), 1, 1),
        (json!({"attempts": 5, "timeout": 15}), 5, 15),
        (json!({"attempts": 6, "timeout": 16}), 5, 15),
    ] {
        let saved = client.post(path, &json!({"webhooks": [hook(posted.clone())]}));
        let shown = &saved["webhooks"][0];
        let expected = (&json!(attempts), &json!(timeout));
        assert_eq!((&shown["attempts"], &shown["timeout"]), expected, "{posted}");
    }
    let numbers = "Webhook attempts and timeout must be numbers.";
    refused(&mut client, path, &hook(json!({"attempts": "many"})), numbers);
    let many = |count: usize| json!({"webhooks": vec![hook(json!({})); count]});
    let most = "Webhooks must be a list of at most 32 entries.";
    refused(&mut client, path, &many(33), most);
    let saved = client.post(path, &many(32));
    assert_eq!(saved["webhooks"].as_array().map(Vec::len), Some(32));
    refused(&mut client, path, &hook(json!({})), most);
    // One of them may still be changed.
    let change = hook(json!({"id": saved["webhooks"][31]["id"], "enabled": false}));
    let saved = client.post(path, &change);
    assert_eq!(saved["webhooks"].as_array().map(Vec::len), Some(32));
    assert_eq!(saved["webhooks"][31]["enabled"], false);
}

#[test]
fn a_hundred_finished_jobs_are_kept_for_thirty_days() {
    let job = |number: usize, ended: &str| {
        let id = format!("{number:032}");
        json!({"job_id": id, "root_job_id": id, "type": "library.export", "title": "One",
            "state": "done", "created_at": ended, "updated_at": ended, "finished_at": ended})
    };
    let start = |jobs: Vec<Value>| {
        let setup = Setup::new();
        let operations = json!({"version": 1, "operations": jobs});
        setup.scratch().file("data/operations.json", operations.to_string());
        let server = setup.start();
        let jobs = server.get("/api/v2/jobs?limit=100")["jobs"].as_array().expect("a list").clone();
        let ids = jobs.iter().map(|job| job["job_id"].as_str().expect("an id").to_owned());
        ids.collect::<Vec<_>>()
    };
    for (count, kept) in [(100, 100), (101, 100)] {
        let jobs =
            (0..count).map(|number| job(number, &ago(DAY - i64::try_from(number).unwrap_or(0))));
        let ids = start(jobs.collect());
        let newest = format!("{:032}", count - 1);
        assert_eq!((ids.len(), ids.contains(&newest)), (kept, true), "{count}");
        assert_eq!(ids.contains(&format!("{:032}", 0)), count == kept, "the oldest goes");
    }
    let ids = start(vec![job(1, &ago(30 * DAY - 60)), job(2, &ago(30 * DAY + 60))]);
    assert_eq!(ids, [format!("{:032}", 1)]);
}

#[test]
fn answers_of_1024_bytes_and_more_are_compressed() {
    // An answer that grows by one byte with the name of a game.
    let server = Server::start();
    let id = create(&server, "A");
    let ask = Request::get("/api/library/delta?ids=0").header("Accept-Encoding", "gzip");
    let ask_phrase = |length: usize| {
        let body = json!({"query": "x".repeat(length)});
        server.send(&Request::post("/api/v2/library/query/parse", &body)).expect(200).wire.len()
    };
    assert_eq!(server.send(&ask).expect(200).header("Content-Encoding"), Some("gzip"), "{id}");
    // Each letter of the phrase stands in the answer as often as it is repeated there.
    let (short, long) = (ask_phrase(100), ask_phrase(101));
    let step = long - short;
    let fits = (1_023 - short) / step;
    let ends = |length: usize| {
        let body = json!({"query": "x".repeat(length)});
        let path = "/api/v2/library/query/parse";
        let request = Request::post(path, &body).header("Accept-Encoding", "gzip");
        server.send(&request).expect(200).header("Content-Encoding").map(str::to_owned)
    };
    assert!(ask_phrase(100 + fits) < 1_024 && ask_phrase(101 + fits) >= 1_024);
    assert_eq!(ends(100 + fits), None);
    assert_eq!(ends(101 + fits).as_deref(), Some("gzip"));
}

#[test]
fn a_path_with_a_nul_is_refused_everywhere_alike() {
    let server = Server::start();
    for (route, key) in [
        ("/api/saves/add", "path"),
        ("/api/emulators/scan", "folder"),
        ("/api/backup/restore", "path"),
        ("/api/v2/library/manual-entry/convert", "path"),
        ("/api/v2/launch/grant", "folder"),
    ] {
        let body = json!({"id": 0, key: "/a\0b"});
        let reply = server.send(&Request::post(route, &body)).expect(400).json();
        assert_eq!(reply["error"], format!("{key} must not contain a NUL character."), "{route}");
        assert_eq!(reply["code"], "BAD_REQUEST", "{route}");
    }
}
