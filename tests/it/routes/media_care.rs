//! `/api/media/kinds`, `/audit`, `/duplicates`, `/cleanup`, `/queue`, `/adopt`, `/api/v2/media/upload`, `/api/screenshot` and its twin of the recorder.

use std::{os::unix::fs::symlink, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    toy::Toy,
};

/// A library of three games, two of which have the same cover in two files.
fn service() -> Server {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let one = scratch.file("data/media/one.png", "picture");
    let two = scratch.file("data/media/two.png", "picture");
    let shot = scratch.file("data/media/shot.png", "another");
    let outside = scratch.file("outside.png", "picture");
    let games = json!({"games": [
        {"game_id": "game-1", "name": "A", "platform": "NES", "cover": one, "metadb_id": "7", "screenshots": [shot, two]},
        {"game_id": "game-2", "name": "B", "platform": "NES", "cover": two, "background": outside},
        {"game_id": "game-3", "name": "C", "platform": "SNES", "cover": scratch.path("data/media/gone.png")},
    ]});
    setup.library(&games.to_string()).start()
}

fn field(server: &Server, at: usize, key: &str) -> Value {
    server.get("/api/library")["games"][at][key].clone()
}

#[test]
fn the_kinds_of_media_are_listed() {
    let kinds = service().get("/api/media/kinds")["kinds"].clone();
    let fields: Vec<&str> =
        kinds.as_array().expect("a list").iter().filter_map(|row| row["field"].as_str()).collect();
    assert_eq!(fields[..4], ["cover", "background", "screenshots", "clear_logo"]);
    assert_eq!(fields.len(), 22);
    let screenshots = json!({"field": "screenshots", "kind": "screenshot", "content": "picture",
        "list": true, "shape": "wide", "whole": false});
    assert_eq!(kinds[2], screenshots);
}

#[test]
fn what_is_missing_is_counted() {
    let server = service();
    let all = server.get("/api/v1/media/audit");
    for (key, expected) in [
        ("games", 3),
        ("matched", 1),
        ("missing_cover", 1),
        ("missing_background", 2),
        ("missing_screenshots", 2),
        ("missing_banner", 3),
    ] {
        assert_eq!(all[key], expected, "{key}");
    }
    let nes = server.get("/api/media/audit?platform=NES");
    assert_eq!((&nes["games"], &nes["missing_cover"]), (&json!(2), &json!(0)));
    assert_eq!(server.get("/api/media/audit?platform=all"), all);
    assert_eq!(server.get("/api/media/audit?platform=Nothing")["games"], 0);
}

#[test]
fn what_is_there_twice_is_listed_and_removed_once() {
    let server = service();
    let (one, two) = (server.data("media/one.png"), server.data("media/two.png"));
    let outside = server.scratch().path("outside.png");
    let listed = server.get("/api/media/duplicates");
    assert_eq!(listed["groups"].as_array().map(Vec::len), Some(1));
    assert_eq!(listed["groups"][0]["keep"], json!(one));
    let dry = server.post("/api/media/cleanup", &json!({}));
    assert_eq!(dry, json!({"groups": 1, "paths": [two], "applied": false, "platform": "all"}));
    assert!(two.exists());
    for platform in [json!(5), json!(["SNES"]), json!({}), json!(false)] {
        let body = json!({"apply": true, "platform": platform});
        let reply = server.send(&Request::post("/api/media/cleanup", &body)).expect(400).json();
        assert_eq!(reply["error"], "platform must be text.");
    }
    let other = server.post("/api/media/cleanup", &json!({"platform": "SNES"}));
    assert_eq!(other, json!({"groups": 0, "paths": [], "applied": false, "platform": "SNES"}));
    let epoch = server.get("/api/library?offset=0&limit=1")["media_epoch"].clone();
    let done = server.post("/api/v1/media/cleanup", &json!({"apply": true, "platform": "all"}));
    assert_eq!(done, json!({"groups": 1, "paths": [two], "applied": true, "platform": "all"}));
    assert!(one.exists() && outside.exists() && !two.exists());
    assert_ne!(server.get("/api/library?offset=0&limit=1")["media_epoch"], epoch);
    assert_eq!(field(&server, 1, "cover"), json!(one));
    assert_eq!(field(&server, 0, "screenshots"), json!([server.data("media/shot.png"), one]));
    let again = server.post("/api/media/cleanup", &json!({"apply": true}));
    assert_eq!(again["paths"], json!([]));
    let wrong = Request::post("/api/media/cleanup", &json!({"apply": "yes"}));
    assert_eq!(server.send(&wrong).expect(400).json()["error"], "apply must be true or false.");
}

#[test]
fn a_trashed_game_comes_back_with_the_picture_that_stays() {
    let server = service();
    let (one, two) = (server.data("media/one.png"), server.data("media/two.png"));
    let trashed = server.post("/api/v2/library/trash", &json!({"game_id": "game-2"}));
    let done = server.post("/api/media/cleanup", &json!({"apply": true}));
    assert_eq!(done["paths"], json!([two]));
    let entry = json!({"trash_id": trashed["trash_id"]});
    server.post("/api/v2/library/trash/restore", &entry);
    assert_eq!(field(&server, 1, "name"), "B");
    assert_eq!(field(&server, 1, "cover"), json!(one));
    assert_eq!(field(&server, 1, "has_cover"), true);
}

#[test]
fn a_link_is_neither_a_duplicate_nor_removed() {
    let setup = Setup::new();
    let one = setup.scratch().file("data/media/one.png", "picture");
    let link = setup.scratch().path("data/media/link.png");
    symlink(&one, &link).expect("linked");
    let hard = setup.scratch().path("data/media/hard.png");
    std::fs::hard_link(&one, &hard).expect("linked");
    let games = json!({"games": [
        {"game_id": "game-1", "name": "A", "cover": one}, {"game_id": "game-2", "name": "B", "cover": link},
        {"game_id": "game-3", "name": "C", "cover": hard},
    ]});
    let server = setup.library(&games.to_string()).start();
    let done = server.post("/api/media/cleanup", &json!({"apply": true}));
    assert_eq!(done["paths"], json!([]));
    assert!(one.exists() && hard.exists() && link.is_symlink());
}

#[test]
fn a_picture_from_anywhere_becomes_a_cover() {
    let server = service();
    let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), b"the rest"].concat();
    let away = server.scratch().path("away.dat");
    std::fs::write(&away, &bytes).expect("written");
    let refused = |path: &str, expected: &str| {
        let reply = server.send(&Request::post("/api/media/adopt", &json!({"path": path})));
        assert_eq!(reply.expect(400).json()["error"], expected, "{path}");
    };
    refused("away.dat", "The picture must be an absolute path.");
    refused("/nowhere/at/all", "There is no picture at this path that can be read.");
    let words = server.scratch().file("words.png", "words");
    refused(&words.to_string_lossy(), "Only PNG, JPEG and WebP pictures can be used.");
    let taken = server.post("/api/media/adopt", &json!({"path": away}))["path"].clone();
    let path = taken.as_str().expect("a path");
    assert!(Path::new(path).starts_with(server.data("media/own")), "{path}");
    assert_eq!(std::fs::read(path).expect("there"), bytes);
    assert_eq!(server.post("/api/media/adopt", &json!({"path": away}))["path"], taken);
    // What may be used where it lies is not copied.
    let one = server.data("media/one.png");
    assert_eq!(server.post("/api/media/adopt", &json!({"path": one}))["path"], json!(one));
    let game = json!({"game_id": "game-1", "game": {"name": "A", "cover": path}});
    server.send(&Request::post("/api/game", &game)).expect(200);
    assert_eq!(field(&server, 0, "cover"), taken);
    server.send(&Request::get("/api/media?game_id=game-1&kind=cover")).expect(200);
}

#[test]
fn a_picture_is_sent_in_pieces_and_given_to_a_game() {
    let server = service();
    let bytes = [b"\x89PNG\r\n\x1a\n".as_slice(), &[7; 100]].concat();
    let size = bytes.len();
    let send = |body: Value| server.send(&Request::post("/api/v2/media/upload", &body));
    let text = |bytes: &[u8]| STANDARD.encode(bytes);
    for (body, expected) in [
        (json!({"size": size}), "data is required."),
        (json!({"data": "QQ=="}), "size must be a whole number from 1 to 33554432."),
        (json!({"size": 0, "data": "QQ=="}), "size must be a whole number from 1 to 33554432."),
        (
            json!({"size": 33_554_433, "data": "QQ=="}),
            "size must be a whole number from 1 to 33554432.",
        ),
        (json!({"size": "1", "data": "QQ=="}), "size must be a whole number from 1 to 33554432."),
        (json!({"size": 1, "data": "?"}), "data must be Base64 of at most 61440 characters."),
        (json!({"size": 1, "offset": 1, "data": "QQ=="}), "offset must be 0."),
        (json!({"size": 1, "data": "QUE="}), "The picture is larger than size says."),
        (json!({"size": 1, "data": "QQ=="}), "Only PNG, JPEG and WebP pictures can be used."),
        (
            json!({"upload_id": "../x", "offset": 1, "data": "QQ=="}),
            "There is no such upload. Begin again.",
        ),
    ] {
        assert_eq!(send(body.clone()).expect(400).json()["error"], expected, "{body}");
    }
    let (first, last) = bytes.split_at(size / 2);
    let begun = send(json!({"size": size, "data": text(first)})).expect(200).json();
    assert_eq!((&begun["received"], &begun["path"]), (&json!(first.len()), &Value::Null));
    let id = &begun["upload_id"];
    let again = json!({"upload_id": id, "offset": 0, "data": text(first)});
    assert_eq!(send(again).expect(400).json()["error"], format!("offset must be {}.", first.len()));
    let ended = json!({"upload_id": id, "offset": first.len(), "data": text(last)});
    let ended = send(ended).expect(200).json();
    let path = ended["path"].as_str().expect("whole");
    assert!(Path::new(path).starts_with(server.data("media/own")), "{path}");
    assert_eq!(std::fs::read(path).expect("there"), bytes);
    let game = json!({"game_id": "game-1", "game": {"name": "A", "cover": path}});
    server.send(&Request::post("/api/game", &game)).expect(200);
    let shown = server.send(&Request::get("/api/media?game_id=game-1&kind=cover")).expect(200);
    assert_eq!(shown.wire, bytes);
}

#[test]
fn the_queue_is_what_its_file_says() {
    let server = Server::start();
    assert_eq!(server.get("/api/media/queue"), json!({"queue": []}));
    let waiting = json!([{"name": "A", "media": ["cover"]}]);
    server.scratch().file("data/media-queue.json", waiting.to_string());
    assert_eq!(server.get("/api/media/queue"), json!({"queue": waiting}));
    server.scratch().file("data/media-queue.json", "{broken");
    assert_eq!(server.get("/api/media/queue"), json!({"queue": []}));
}

/// A service whose PATH holds only these scripts.
fn with_tools(scripts: &[(&str, &str)]) -> Server {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    for (name, lines) in scripts {
        setup.scratch().script(Path::new("bin").join(name), lines);
    }
    setup.env("PATH", bin).start()
}

#[test]
fn the_first_tool_that_can_takes_the_picture() {
    let scrot = "echo picture > \"$1\"";
    let server =
        with_tools(&[("spectacle", "exit 1"), ("gnome-screenshot", "exit 0"), ("scrot", scrot)]);
    let toy = Toy::new(server.scratch(), "games", "My Game.sh");
    let id = toy.add(&server, "My Game", &json!({}));
    let taken = server.post("/api/screenshot", &json!({"game_id": id}));
    let path = taken["path"].as_str().expect("a path");
    let name = path.strip_prefix(&format!("{}/", server.data("media/captures").display()));
    let name = name.expect("below the captures");
    let stamp = name.strip_prefix("My Game-").and_then(|rest| rest.strip_suffix(".png"));
    assert_eq!(stamp.map(str::len), Some("20261121-180000".len()), "{name}");
    assert_eq!(field(&server, 0, "screenshots"), json!([path]));
    assert_eq!(std::fs::read(path).expect("the picture"), b"picture\n");
    let without = server.post("/api/recorder/screenshot", &json!({}));
    assert!(without["path"].as_str().is_some_and(|path| path.contains("/media/captures/screen-")));
    let unknown = Request::post("/api/screenshot", &json!({"game_id": "nobody"}));
    assert_eq!(server.send(&unknown).expect(400).json()["error"], "Game not found");
}

#[test]
fn without_a_tool_the_four_are_named() {
    let server = with_tools(&[]);
    let reply = server.send(&Request::post("/api/screenshot", &json!({}))).expect(400).json();
    let error = reply["error"].as_str().expect("text");
    for tool in ["gnome-screenshot", "spectacle", "scrot", "import"] {
        assert!(error.contains(tool), "{error}");
    }
}

#[test]
fn what_a_failing_tool_began_is_removed() {
    let half = "for last; do :; done; echo half > \"$last\"; exit 1";
    let server = with_tools(&[("gnome-screenshot", half), ("scrot", half)]);
    let reply = server.send(&Request::post("/api/screenshot", &json!({}))).expect(400).json();
    assert_eq!(reply["error"], "The screen-capture tools gnome-screenshot, scrot made no picture.");
    let left = std::fs::read_dir(server.data("media/captures")).expect("the folder");
    assert_eq!(left.count(), 0);
}
