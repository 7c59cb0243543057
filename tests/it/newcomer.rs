//! One whole story: an empty start, a folder of games, a game played, the program killed, all still
//! there.

use std::{collections::BTreeSet, fs, io::Write, path::Path, process::Command};

use serde_json::{Value, json};

use crate::support::{library::rom, scratch::Scratch, server::Server, wait::until};

/// Files that are one game each, besides the special ones.
const PLAIN: usize = 180;

/// Some 200 files as people have them: nested, tagged, in discs, doubled, oddly named.
fn make_collection(scratch: &Scratch) {
    for index in 0..PLAIN {
        scratch.file(format!("roms/{}", rom(index)), format!("cartridge {index}"));
    }
    for disc in 1..=2 {
        let name = format!("Long Saga (Europe) (Disc {disc})");
        let cue =
            format!("FILE \"{name}.bin\" BINARY\n  TRACK 01 MODE2/2352\n    INDEX 01 00:00:00\n");
        scratch.file(format!("roms/PlayStation/Long Saga/{name}.cue"), cue);
        scratch.file(format!("roms/PlayStation/Long Saga/{name}.bin"), format!("disc {disc}"));
    }
    for region in ["USA", "Europe", "Japan"] {
        scratch.file(format!("roms/SNES/Doubled ({region}).sfc"), region);
    }
    scratch.file("roms/Arcade/shooter.zip", "PK\x05\x06\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    scratch.file("roms/NES/line\nbreak \"quoted\" 'single'.nes", "odd");
    scratch.file("roms/readme.txt", "no game");
    scratch.script(
        "roms/Linux/Waiting Game.sh",
        "echo ready > \"$HOME/ready\"\nread -r line < \"$HOME/gate\"\nexit 0",
    );
}

fn names(library: &Value) -> BTreeSet<String> {
    let games = library["games"].as_array().expect("games");
    let names: BTreeSet<_> =
        games.iter().map(|game| game["name"].as_str().expect("a name").to_owned()).collect();
    assert_eq!(names.len(), games.len(), "no title twice");
    names
}

fn game_named(server: &Server, name: &str) -> Value {
    let library = server.get("/api/library");
    let games = library["games"].as_array().expect("games").clone();
    let found = games.into_iter().find(|game| game["name"] == name);
    found.unwrap_or_else(|| panic!("{name} in {:?}", names(&library)))
}

fn make_fifo(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// Starts the game that waits at its gate, lets it end, and hands back its launch id.
fn play(server: &Server, game: &Value) -> Value {
    let home = server.scratch().path("home");
    make_fifo(&home.join("gate"));
    let entry = server.post("/api/launch", &json!({"game_id": game["game_id"]}));
    assert_eq!((&entry["game"], &entry["game_path"]), (&game["name"], &game["path"]));
    assert!(entry["pid"].as_u64().is_some_and(|pid| pid > 1), "{entry}");
    until("the game runs", || home.join("ready").exists().then_some(()));
    let running = server.get("/api/running");
    assert_eq!(running["running"][0]["launch_id"], entry["launch_id"], "{running}");
    let mut way_out = fs::OpenOptions::new().write(true).open(home.join("gate")).unwrap();
    writeln!(way_out, "go").unwrap();
    let stopped = until("the game has ended", || {
        let running = server.get("/api/running");
        let events = running["events"].as_array()?.clone();
        events.into_iter().find(|event| event["kind"] == "stopped")
    });
    assert_eq!(stopped["launch_id"], entry["launch_id"]);
    assert_eq!((&stopped["exit_code"], &stopped["timed_out"]), (&json!(0), &json!(false)));
    entry["launch_id"].clone()
}

#[test]
fn a_folder_becomes_a_library_that_is_played_and_survives_a_kill() {
    let mut server = Server::start();
    assert_eq!(server.get("/api/library")["games"], json!([]));
    make_collection(server.scratch());
    let folder = json!({"folder": server.scratch().path("roms")});
    let answer = server.post("/api/import", &folder);
    assert!(answer["added"].as_u64().is_some_and(|added| added > PLAIN as u64), "{answer}");
    let library = server.get("/api/library");
    let found = names(&library);
    assert_eq!(answer["added"], json!(found.len()));
    assert!(
        !found.iter().any(|name| name.contains("Disc") || name.contains("readme")),
        "{found:?}"
    );
    let saga = game_named(&server, "Long Saga");
    let list = Path::new(saga["path"].as_str().unwrap_or_default());
    assert_eq!(list.extension().and_then(|end| end.to_str()), Some("m3u"), "{saga}");
    assert_eq!(found.iter().filter(|name| name.starts_with("Doubled")).count(), 1);
    assert_eq!(server.post("/api/import", &folder)["added"], 0, "nothing is added twice");

    let game = game_named(&server, "Waiting Game");
    play(&server, &game);
    let history = server.get("/api/history");
    assert_eq!(history["history"][0]["game"], game["name"], "{history}");
    assert!(history["history"][0]["seconds"].as_u64() >= Some(1), "{history}");
    let favorite = server.post("/api/favorite", &json!({"game_id": game["game_id"]}));
    assert_eq!(favorite["favorite"], true);

    let before = server.get("/api/library");
    server.kill();
    server.restart();
    let after = server.get("/api/library");
    assert_eq!(before["games"], after["games"]);
    assert_eq!(server.get("/api/history"), history);
    let played = game_named(&server, "Waiting Game");
    assert_eq!((&played["play_count"], &played["favorite"]), (&json!(1), &json!(true)));
    assert!(played["playtime_seconds"].as_u64() >= Some(1), "{played}");
}
