//! What each rule of a filter preset takes, seen through a bulk change that chooses its games by them.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
};

/// Five games that differ in everything a rule may ask about; the third one is hidden.
fn library() -> Server {
    let setup = Setup::new();
    let file = setup.scratch().file("game.sh", "");
    let cover = setup.scratch().file("data/media/cover.png", "x");
    let mut games = json!([
        {"name": "Grand Theft Auto", "platform": "NES", "genre": "Action, RPG", "favorite": true,
            "developer": "Nébuleuse", "publisher": "Big Co", "esrb": "T", "progress": "Playing",
            "play_count": 1, "last_played": "2026-01-02T03:04:05", "path": file, "cover": cover,
            "background": cover},
        {"name": "Beta", "platform": "SNES", "progress": "Beaten", "play_count": 2, "path": "/gone",
            "save_paths": ["/s"], "ach_game_id": "7", "store_installed": false,
            "store_a_app_id": "440", "sort_title": "second"},
        {"name": "Gamma", "platform": "Arcade", "rom_name": "x.zip", "hidden": true,
            "favorite": true, "store_installed": true},
        {"name": "Delta", "platform": "PC", "progress": "Paused",
            "notes": [{"ts": "2026-01-01T00:00:00", "text": "A secret word"}]},
        {"name": "Echo", "series": "Sound", "cover": cover},
    ]);
    for (at, game) in games.as_array_mut().expect("a list").iter_mut().enumerate() {
        game["game_id"] = json!(format!("game-{at:024}"));
    }
    setup.library(&json!({"schema_version": 6, "games": games}).to_string()).start()
}

/// Rules and the positions of the games they take.
fn cases() -> [(Value, &'static [usize]); 64] {
    [
        (json!({"platform": "NES"}), &[0]),
        (json!({"platform": " SNES "}), &[1]),
        (json!({"platform": "nes"}), &[]),
        (json!({"platform": "NE"}), &[]),
        (json!({"platform_category": "Nintendo"}), &[0, 1]),
        (json!({"platform_category": "Arcade"}), &[2]),
        (json!({"platform_category": "Computer"}), &[3]),
        (json!({"platform_category": "Other"}), &[4]),
        (json!({"esrb": "T"}), &[0]),
        (json!({"esrb": "t"}), &[]),
        (json!({"progress": "Playing"}), &[0]),
        (json!({"progress": "Beaten"}), &[1]),
        (json!({"progress": "Paused"}), &[3]),
        (json!({"progress": "Mastered"}), &[]),
        (json!({"progress": "Unplayed"}), &[2, 4]),
        (json!({"genre": "rpg"}), &[0]),
        (json!({"genre": "ACTION, R"}), &[0]),
        (json!({"genre": "racing"}), &[]),
        (json!({"developer": "NÉBUL"}), &[0]),
        (json!({"publisher": "big co"}), &[0]),
        (json!({"publisher": "x"}), &[]),
        (json!({"favorite": true}), &[0, 2]),
        (json!({"favorite": "false"}), &[1, 3, 4]),
        (json!({"hidden": true}), &[2]),
        (json!({"hidden": false}), &[0, 1, 3, 4]),
        (json!({"installed": "installed"}), &[0, 2]),
        (json!({"installed": true}), &[0, 2]),
        (json!({"installed": "uninstalled"}), &[1, 3, 4]),
        (json!({"installed": false}), &[1, 3, 4]),
        (json!({"installed": "all"}), &[0, 1, 2, 3, 4]),
        (json!({"has_saves": true}), &[1]),
        (json!({"has_saves": false}), &[0, 2, 3, 4]),
        (json!({"has_achievements": true}), &[1]),
        (json!({"has_achievements": "false"}), &[0, 2, 3, 4]),
        (json!({"has_highscores": true}), &[2]),
        (json!({"has_highscores": false}), &[0, 1, 3, 4]),
        (json!({"has_missing_media": false}), &[0]),
        (json!({"has_missing_media": true}), &[1, 2, 3, 4]),
        (json!({"query": "gamm"}), &[2]),
        (json!({"query": "second"}), &[1]),
        (json!({"query": "nes"}), &[0, 1]),
        (json!({"query": "action"}), &[0]),
        (json!({"query": "nébuleuse"}), &[0]),
        (json!({"query": "BIG CO"}), &[0]),
        (json!({"query": "sound"}), &[4]),
        (json!({"query": "secret"}), &[3]),
        (json!({"query": "gta"}), &[0]),
        (json!({"query": "g"}), &[0, 2]),
        (json!({"query": "nothing like it"}), &[]),
        (json!({"view": "all"}), &[0, 1, 3, 4]),
        (json!({"view": "favorites"}), &[0]),
        (json!({"view": "recent"}), &[0]),
        (json!({"view": "never"}), &[3, 4]),
        (json!({"view": "playing"}), &[0, 3]),
        (json!({"view": "completed"}), &[1]),
        (json!({"view": "installed"}), &[0]),
        (json!({"view": "owned"}), &[1]),
        (json!({"view": "saves"}), &[1]),
        (json!({"view": "missing"}), &[1, 3, 4]),
        (json!({"view": "hidden"}), &[2]),
        (json!({"view": "all", "platform_category": "Nintendo", "progress": "Beaten"}), &[1]),
        (json!({"favorite": true, "hidden": true, "installed": "installed"}), &[2]),
        (json!({"favorite": true, "progress": "Beaten"}), &[]),
        (json!({"genre": "rpg", "unknown": "x", "esrb": "all", "hidden": 1}), &[0]),
    ]
}

#[test]
fn every_rule_takes_its_games() {
    let server = library();
    for (number, (rules, expected)) in cases().iter().enumerate() {
        let tag = format!("case {number}");
        let body = json!({"rules": rules, "changes": {"tags": [tag]}});
        let reply = server.send(&Request::post("/api/games/bulk", &body));
        if expected.is_empty() {
            assert_eq!(reply.expect(400).json()["error"], "Select at least one game.", "{rules}");
            continue;
        }
        assert_eq!(reply.expect(200).json(), json!({"updated": expected.len()}), "{rules}");
        let games = server.get("/api/library")["games"].as_array().expect("a list").clone();
        let taken = games.iter().filter(|game| game["tags"] == json!([tag]));
        let taken: Vec<usize> =
            taken.filter_map(|game| usize::try_from(game["id"].as_u64()?).ok()).collect();
        assert_eq!(taken, *expected, "{rules}");
    }
}
