//! The first ten minutes of a newcomer: three stores and two emulators on the machine, everything
//! found in one preview, decided on, committed and played.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    server::{Server, Setup},
    setup::{commit, decide, games, items, scan, stored, titled},
    wait::until,
};

fn manifest(id: u32, name: &str) -> String {
    format!("\"AppState\" {{ \"appid\" \"{id}\" \"name\" \"{name}\" \"installdir\" \"d{id}\" }}")
}

/// A home with three stores, the wrapper launcher, two emulators and a folder of games.
fn newcomer() -> Setup {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let played = scratch.path("played");
    let note = format!("echo \"$0 $*\" >> '{}'", played.display());
    for program in ["steam", "xdg-open", "mgba-qt", "retroarch", "ppsspp"] {
        scratch.script(format!("bin/{program}"), &note);
    }
    let list = r#"echo '[{"id": 4, "name": "Wine Game", "runner": "wine", "slug": "wine-game", "directory": "/g/w"}]'"#;
    scratch.script("bin/lutris", list);
    for program in ["sh", "bash"] {
        std::os::unix::fs::symlink("/bin/bash", scratch.path("bin").join(program)).expect("linked");
    }
    let steam = "home/.local/share/Steam";
    scratch.file(format!("{steam}/steamapps/appmanifest_10.acf"), manifest(10, "Alpha"));
    scratch.file(format!("{steam}/steamapps/appmanifest_20.acf"), manifest(20, "Beta"));
    scratch.file(
        "home/.config/heroic/gog_store/installed.json",
        r#"[{"appName": "7", "title": "Alpha"}, {"appName": "8", "title": "Delta"}]"#,
    );
    scratch.file("home/.local/share/lutris/coverart/wine-game.jpg", "picture");
    scratch.file("home/Roms/GBA/Quest.gba", "rom");
    scratch.file("home/Roms/NES/Jump (USA).nes", "rom");
    scratch.file("home/Roms/NES/Jump (Japan).nes", "rom");
    scratch.file("home/Roms/Portable/Ride.iso", "rom");
    scratch.script("home/Roms/Linux/Port.sh", &note);
    let bin = scratch.path("bin");
    setup.env("PATH", bin)
}

fn sources(server: &Server) -> Value {
    json!([
        {"type": "store_a"},
        {"type": "store_b"},
        {"type": "store_c"},
        {"type": "wrapper"},
        {"type": "folder", "path": server.scratch().path("home/Roms"), "label": "My games"},
        {"type": "emulator-scan", "path": server.scratch().path("home/Roms/GBA")},
    ])
}

/// The rows as far as the user would describe them.
fn described(games: &[Value]) -> Vec<[&str; 3]> {
    let text = |game: &'static str| game;
    games
        .iter()
        .map(|game| {
            ["name", "platform", "source"].map(|key| game[text(key)].as_str().unwrap_or(""))
        })
        .collect()
}

#[test]
fn everything_a_newcomer_owns_appears_once_and_plays() {
    let server = newcomer().start();
    let preview = scan(&server, &sources(&server));
    assert_eq!(
        preview["counts"],
        json!({"additions": 7, "merges": 1, "duplicates": 1, "ambiguities": 1, "exclusions": 0,
            "unsupported": 0, "errors": 0}),
        "{preview}"
    );
    let id = preview["preview_id"].as_str().expect("an id");
    let all = items(&server, id, 3);
    let disc = titled(&all, "Ride");
    let psp = disc["emulator_choices"].as_array().expect("choices").iter();
    let psp = psp.clone().find(|choice| choice["adapter_id"] == "ppsspp-psp").expect("offered");
    assert_eq!((&psp["installed"], &psp["recommended"]), (&json!(true), &json!(true)), "{disc}");
    let chosen = json!({"action": "import", "launch_setup": "adapter",
        "emulator_id": psp["emulator_id"], "adapter_id": psp["adapter_id"]});
    decide(&server, id, &all, &[("Ride", chosen)]);
    assert!(!server.data("media/store_c").exists(), "a preview copies no cover");
    let document = commit(&server, id);
    let count = |key: &str| document["result"][key].as_u64();
    let counts = ["added", "merged", "skipped", "excluded", "failed"].map(count);
    assert_eq!(counts, [8, 1, 1, 0, 0].map(Some), "{document}");
    let rows = games(&server);
    assert_eq!(
        described(&rows),
        [
            ["Alpha", "PC", "store_a"],
            ["Beta", "PC", "store_a"],
            ["Delta", "PC", "GOG"],
            ["Wine Game", "Windows", "store_c"],
            ["Quest", "Game Boy Advance", ""],
            ["Port", "Linux", ""],
            ["Jump", "NES", ""],
            ["Ride", "PSP", ""],
        ]
    );
    assert_eq!(rows[0]["applications"][0]["name"], "Launch with GOG");
    assert_eq!(rows[3]["cover"], json!(server.data("media/store_c/wine-game.jpg")));
    assert_eq!(stored(&server, "Ride", "emulator_adapter_id"), "ppsspp-psp");
    assert_eq!(scan(&server, &sources(&server))["counts"]["duplicates"], 10, "all of it is known");
    play_all(&server, &rows);
}

/// Starts games of every kind and checks which program got which file.
#[track_caller]
fn play_all(server: &Server, rows: &[Value]) {
    for (name, program, last) in [
        ("Alpha", "steam", "-applaunch 10"),
        ("Jump", "retroarch", "Jump (USA).nes"),
        ("Ride", "ppsspp", "Ride.iso"),
        ("Port", "Port.sh", ""),
    ] {
        let game = rows.iter().find(|game| game["name"] == name).expect("committed");
        let entry = server.post("/api/launch", &json!({"game_id": game["game_id"]}));
        assert_eq!(entry["game"], name);
        let line = until("the game to run", || {
            let text = fs::read_to_string(server.scratch().path("played")).ok()?;
            let mut lines = text.lines().filter(|line| line.contains(&format!("/{program} ")));
            lines.next_back().map(str::to_owned)
        });
        assert!(line.trim_end().ends_with(last), "{name}: {line}");
        until("the game to end", || {
            let running = server.get("/api/running");
            running["running"].as_array()?.is_empty().then_some(())
        });
    }
}
