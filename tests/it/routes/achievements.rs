//! `/api/ach/settings` and `/api/ach/game` against a stand-in for the achievement provider.

use std::{
    fs,
    io::{Cursor, Write as _},
};

use serde_json::{Value, json};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::support::{
    ach::{
        BODY_MD5, KEY, N64_MD5, PACMAN_MD5, body, files_with, library, mode, provider, refused,
        routes, says, setup, with_account,
    },
    client::Request,
    provider::Reply,
};

const SETTINGS: &str = "/api/ach/settings";
const GAME: &str = "/api/ach/game";
const LIBRARY: &str = "/api/ach/library";
const INJECT: &str = "/api/ach/inject";
const REJECTED: &str = "RetroAchievements rejected those credentials.";
const ULID: &str = "01H0000000000000000000000A";
const UNCONFIGURED: &str = "Configure RetroAchievements first.";

#[test]
fn credentials_are_tried_before_they_are_stored_and_never_shown() {
    let provider = provider();
    let server = setup(&provider).start();
    assert_eq!(server.get(SETTINGS), json!({"configured": false}));
    assert_eq!(server.get("/api/library")["ach_configured"], false);
    refused(&server, SETTINGS, &json!({}), "username is required.");
    refused(&server, SETTINGS, &json!({"username": "Ada"}), "api_key is required.");
    let long = "a".repeat(101);
    let sentence = "username must be one line of at most 100 characters.";
    refused(&server, SETTINGS, &json!({"username": long, "api_key": KEY}), sentence);
    let body = json!({"username": "A\nb", "api_key": KEY});
    refused(&server, SETTINGS, &body, sentence);
    let body = json!({"username": "Ada", "api_key": "k".repeat(201)});
    refused(&server, SETTINGS, &body, "api_key must be one line of at most 200 characters.");
    assert!(provider.seen().is_empty() && !server.data("achievements.json").exists());

    let shown =
        json!({"configured": true, "username": "Ada", "points": 1200, "motto": "One more go"});
    assert_eq!(server.post(SETTINGS, &json!({"username": " Ada ", "api_key": KEY})), shown);
    let file = server.data("achievements.json");
    let stored: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    let expected = json!({"username": "Ada", "ulid": ULID, "api_key": KEY});
    assert_eq!((stored, mode(&file)), (expected, 0o600));
    let seen = provider.seen();
    assert!(seen[0].starts_with("get /api/api_getuserprofile.php?"), "{seen:?}");
    assert!(seen[0].contains(&format!("y={}", KEY.to_lowercase())) && seen[0].contains("u=ada"));
    assert!(seen[0].contains("user-agent: service/"));
    assert_eq!(server.get(SETTINGS), shown);
    let seen = provider.seen();
    let named = format!("u={}", ULID.to_lowercase());
    assert!(seen[0].contains(&named), "a name may change: {seen:?}");
    assert_eq!(server.get("/api/library")["ach_configured"], true);
    assert_eq!(server.post(SETTINGS, &json!({"username": "Bob", "api_key": " "})), shown);
    let stored: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    assert_eq!(stored, json!({"username": "Bob", "ulid": ULID, "api_key": KEY}));
    assert!(provider.seen()[0].contains("u=bob"), "another user is asked for by name");

    let before = fs::read(&file).expect("a file");
    provider.says(|_, _| Reply::new("401 Unauthorized", "application/json", "{}"));
    refused(&server, SETTINGS, &json!({"username": "Eve", "api_key": "wrong-key"}), REJECTED);
    assert_eq!(server.send(&Request::get(SETTINGS)).expect(400).json()["error"], REJECTED);
    assert_eq!(fs::read(&file).expect("a file"), before);
    for text in [server.get("/api/settings"), server.get("/api/log")] {
        assert!(!text.to_string().contains(KEY));
    }
    assert_eq!(files_with(&server.data(""), KEY), ["achievements.json"]);
    assert_eq!(files_with(&server.data(""), "wrong-key"), [""; 0]);
}

#[test]
fn a_key_that_is_entered_while_it_runs_stays_out_of_the_log() {
    let provider = provider();
    let mut server = setup(&provider).start();
    server.post(SETTINGS, &json!({"username": "Ada", "api_key": KEY}));
    for times in 1..3 {
        // Names of settings that do not exist are logged.
        server.post("/api/settings", &json!({KEY: 1}));
        let log = fs::read_to_string(server.data("service.log")).expect("a log");
        let dropped = "unknown settings dropped: [redacted]\n";
        assert_eq!((log.matches(dropped).count(), log.contains(KEY)), (times, false), "{log}");
        // What is stored is known from the start.
        server.kill();
        server.restart();
    }
}

#[test]
fn answers_of_every_wrong_kind_are_refused() {
    let (asked, other) = (provider(), provider());
    let provider = asked;
    let server = setup(&provider).start();
    let moved = format!("302 Found\r\nLocation: {}/API/API_GetUserProfile.php", other.base());
    let page = "<html>Just a moment...</html>";
    let unauthenticated = json!({"message": "Unauthenticated.", "errors": [
        {"status": 419, "code": "unauthorized", "title": "Unauthenticated."}]});
    let failed = |reason: &str| format!("Could not ask RetroAchievements: {reason}.");
    let nonsense = failed("the server sent something else than it was asked for");
    let cases = [
        (
            Reply::new("401 Unauthorized", "application/json", unauthenticated.to_string()),
            REJECTED.to_owned(),
        ),
        (Reply::new("403 Forbidden", "application/json", "{}"), REJECTED.to_owned()),
        (Reply::new("403 Forbidden", "text/html", page), failed("the server sent a web page")),
        (Reply::new("404 Not Found", "application/json", "[]"), REJECTED.to_owned()),
        (Reply::json(&json!([])), REJECTED.to_owned()),
        (Reply::json(&json!({"User": null, "TotalPoints": 3})), REJECTED.to_owned()),
        (Reply::new("200 OK", "text/html", page), failed("the server sent a web page")),
        (Reply::new("200 OK", "application/json", page), nonsense.clone()),
        (Reply::json(&json!("Ada")), nonsense),
        (Reply::new(&moved, "text/plain", ""), failed("the server answered 302 Found")),
        (
            Reply::new(
                "422 Unprocessable Content",
                "application/json",
                json!({"message": format!("The u field of {KEY} is required."),
                    "errors": {"u": ["The u field is required."]}})
                .to_string(),
            ),
            failed("The u field of [redacted] is required"),
        ),
        (
            Reply::new(
                "400 Bad Request",
                "application/json",
                json!({"errors": [{"status": 400, "title": "No such thing"}]}).to_string(),
            ),
            failed("No such thing"),
        ),
        (
            Reply::new("422 Unprocessable Content", "application/json", "[]"),
            failed("the server answered 422 Unprocessable Entity"),
        ),
        (
            Reply::new("429 Too Many Requests\r\nRetry-After: 3600", "application/json", "{}"),
            failed("the server answered 429 Too Many Requests"),
        ),
    ];
    for (reply, error) in cases {
        provider.says(move |_, _| reply.clone());
        let body = json!({"username": "Ada", "api_key": KEY});
        refused(&server, SETTINGS, &body, &error);
        assert_eq!(provider.seen().len(), 1, "{error}");
    }
    assert!(other.seen().is_empty(), "no redirect was followed");
    assert!(!server.data("achievements.json").exists());
}

#[test]
fn a_game_is_found_by_its_file_once_and_then_by_its_number() {
    let provider = provider();
    let setup = with_account(&provider);
    let setup = library(
        setup,
        &json!([{"game_id": "game-a", "name": "A", "platform": "nes", "path": "PATH/a.nes"}]),
    );
    setup.scratch().file("games/a.nes", [b"NES\x1a".to_vec(), vec![0; 12], body()].concat());
    let server = setup.start();
    let row = |title: &str, text: &str, points: u64, badge: &str, earned: bool, hardcore: bool| {
        json!({"title": title, "description": text, "points": points, "badge": badge,
            "earned": earned, "hardcore": hardcore})
    };
    let expected = json!({"game_id": 90001, "title": "Comet Rangers", "earned": 2, "earned_hardcore": 1,
        "total": 3, "completion": "66.67%", "achievements": [
            row("Lift-off", "Clear stage 1", 5, "250001", true, true),
            row("Orbit", "Clear stage 2", 10, "250002", true, false),
            row("Landing", "Clear stage 3", 25, "250003", false, false)],
        "beaten": 1, "mastered": 0, "points_earned": 15, "points_total": 40, "motivation": "One more go",
        "rich_presence": "Stage 2", "commitment_label": "2/3 unlocked"});
    assert_eq!(server.post(GAME, &json!({"game_id": "game-a"})), expected);
    assert_eq!(routes(&provider), ["getgamelist", "getgameinfoanduserprogress", "getuserprofile"]);
    let folder = server.data("cache/achievements");
    let kept: Value =
        serde_json::from_slice(&fs::read(folder.join("game-a.json")).expect("a file"))
            .expect("JSON");
    assert_eq!(
        kept,
        json!({"game_id": "game-a", "earned": 2, "earned_hardcore": 1, "total": 3,
            "progress_pct": 66.67, "mastered": false})
    );
    assert_eq!(
        (mode(&folder.join("game-a.json")), mode(&folder.join("system-7.json"))),
        (0o600, 0o600)
    );
    let game = server.get("/api/library")["games"][0].clone();
    assert_eq!((&game["ach_game_id"], &game["ach_hash"]), (&json!("90001"), &json!(BODY_MD5)));
    assert_eq!(
        [
            &game["ach_achievements_earned"],
            &game["ach_achievements_total"],
            &game["ach_progress_pct"]
        ],
        [&json!(2), &json!(3), &json!(66)]
    );
    assert_eq!(game["has_achievements"], true);
    let bucket = server.get("/api/v2/insights/mastery")["overall"].clone();
    assert_eq!((&bucket["ach_tracked"], &bucket["ach_avg_progress"]), (&json!(1), &json!(66.67)));

    fs::remove_file(server.scratch().path("games/a.nes")).expect("removed");
    assert_eq!(server.post(GAME, &json!({"id": 0})), expected);
    assert_eq!(
        routes(&provider),
        ["getgameinfoanduserprogress"],
        "neither file nor list is needed"
    );
    assert_eq!(files_with(&server.data(""), KEY), [""; 0]);
}

#[test]
fn files_of_every_kind_are_identified() {
    let provider = provider();
    let setup = with_account(&provider);
    let swapped = |size: usize| -> Vec<u8> {
        let image = [&[0x80, 0x37, 0x12, 0x40][..], &body()].concat();
        image.chunks(size).flat_map(|part| part.iter().rev().copied()).collect()
    };
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in
        [("readme.txt", vec![b'x'; 9_000]), ("a.gb", body()), ("b.gb", vec![1; 10])]
    {
        zip.start_file(name, SimpleFileOptions::default()).expect("started");
        zip.write_all(&bytes).expect("written");
    }
    let scratch = setup.scratch();
    scratch.file("games/a.zip", zip.finish().expect("finished").into_inner());
    scratch.file("games/a.v64", swapped(2));
    scratch.file("games/a.n64", swapped(4));
    scratch.file("games/pacman.zip", "no archive is opened");
    let games = [
        ("Game Boy", "PATH/a.zip", BODY_MD5),
        ("Nintendo 64", "PATH/a.v64", N64_MD5),
        ("Nintendo 64", "PATH/a.n64", N64_MD5),
        ("Arcade", "PATH/pacman.zip", PACMAN_MD5),
    ];
    let rows: Vec<_> = games
        .iter()
        .map(|(platform, path, _)| json!({"name": path, "platform": platform, "path": path}))
        .collect();
    let server = library(setup, &json!(rows)).start();
    for (at, (platform, _, hash)) in games.iter().enumerate() {
        assert_eq!(server.post(GAME, &json!({"id": at}))["game_id"], 90001, "{platform}");
        assert_eq!(server.get("/api/library")["games"][at]["ach_hash"], *hash);
    }
}

#[test]
fn games_that_cannot_be_identified_are_refused_with_the_reason() {
    let provider = provider();
    let setup = with_account(&provider);
    let games = json!([
        {"name": "no file", "platform": "NES"},
        {"name": "gone", "platform": "NES", "path": "PATH/gone.nes"},
        {"name": "folder", "platform": "NES", "path": "PATH"},
        {"name": "no platform", "path": "PATH/a.bin"},
        {"name": "other", "platform": "Xbox", "path": "PATH/a.bin"},
        {"name": "large", "platform": "Game Boy", "path": "PATH/large.gb"},
        {"name": "packed", "platform": "PlayStation", "path": "PATH/a.chd"},
        {"name": "damaged", "platform": "NES", "path": "PATH/a.7z"},
        {"name": "no disc", "platform": "PlayStation", "path": "PATH/a.bin"},
        {"name": "unlinked", "platform": "Game Boy", "path": "PATH/b.gb"},
    ]);
    let scratch = setup.scratch();
    scratch.file("games/a.bin", "x");
    scratch.file("games/a.chd", "x");
    scratch.file("games/a.7z", "x");
    scratch.file("games/b.gb", "another game");
    let large = scratch.file("games/large.gb", "");
    let file = fs::File::options().write(true).open(large).expect("open");
    file.set_len((512 << 20) + 1).expect("sparse");
    let server = library(setup, &games).start();
    let by_hand = "Enter the RetroAchievements id of the game (ach_game_id).";
    let errors = [
        "The game has no ROM file.".to_owned(),
        "The ROM file of the game is missing.".to_owned(),
        "The game has no ROM file.".to_owned(),
        format!("Files of games without a platform cannot be identified. {by_hand}"),
        format!("Files of Xbox cannot be identified. {by_hand}"),
        "The ROM file is larger than 512 MiB.".to_owned(),
        format!("Files with the extension .chd cannot be identified. {by_hand}"),
        "The archive of the game could not be read.".to_owned(),
        "The file of the game is not one of its platform.".to_owned(),
    ];
    for (at, error) in errors.iter().enumerate() {
        refused(&server, GAME, &json!({"id": at}), error);
    }
    assert!(provider.seen().is_empty(), "nothing was worth asking");
    let unlinked = server.send(&Request::post(GAME, &json!({"id": 9}))).expect(400).json();
    let sentence = unlinked["error"].as_str().expect("a sentence");
    assert!(
        sentence.starts_with("No game of RetroAchievements is linked to the hash "),
        "{sentence}"
    );
    refused(&server, GAME, &json!({"id": 9}), sentence);
    assert_eq!(routes(&provider), ["getgamelist"], "the list is kept");
    refused(&server, GAME, &json!({}), "Game id is required.");
    refused(&server, GAME, &json!({"game_id": "gone"}), "Game not found");
    let games = server.get("/api/library")["games"].clone();
    assert!(games.as_array().expect("a list").iter().all(|game| game["ach_game_id"] == ""));
}

#[test]
fn lists_older_than_a_week_are_asked_for_again_and_used_while_nobody_answers() {
    let provider = provider();
    let setup = library(
        with_account(&provider),
        &json!([{"name": "A", "platform": "Game Boy", "path": "PATH/a.gb"}]),
    );
    setup.scratch().file("games/a.gb", "not listed");
    let list = json!({BODY_MD5: 90001}).to_string();
    let path = setup.scratch().file("data/cache/achievements/system-4.json", list);
    let age = |days: u64| {
        let file = fs::File::options().write(true).open(&path).expect("open");
        let then = std::time::SystemTime::now() - std::time::Duration::from_hours(24 * days);
        file.set_modified(then).expect("a time");
    };
    age(6);
    let server = setup.start();
    let ask =
        || server.send(&Request::post(GAME, &json!({"id": 0}))).expect(400).json()["error"].clone();
    let unlinked = ask();
    assert!(provider.seen().is_empty());
    age(8);
    provider.says(|_, _| Reply::new("200 OK", "text/html", "<html>"));
    assert_eq!(ask(), unlinked);
    assert_eq!(routes(&provider), ["getgamelist"]);
    provider.says(|_, _| Reply::json(&json!({"success": false})));
    assert_eq!(ask(), unlinked);
    provider.says(|path, _| says(path));
    assert_eq!(ask(), unlinked);
    provider.seen();
    assert_eq!(ask(), unlinked);
    assert!(provider.seen().is_empty(), "the new list is kept");
}

#[test]
fn progress_of_every_odd_shape_is_told() {
    let provider = provider();
    let setup = library(
        with_account(&provider),
        &json!([{"game_id": "g", "name": "A", "ach_game_id": "77"}]),
    );
    let server = setup.start();
    let ask = json!({"game_id": "g"});
    for none in [json!([]), json!({})] {
        let answer = json!({"ID": 77, "Title": "A", "NumAchievements": 0, "Achievements": none});
        provider.says(
            move |path, _| {
                if path.contains("Progress") { Reply::json(&answer) } else { says(path) }
            },
        );
        let game = server.post(GAME, &ask);
        assert_eq!(
            (&game["total"], &game["completion"], &game["achievements"], &game["commitment_label"]),
            (&json!(0), &json!("0.00%"), &json!([]), &json!("0/0 unlocked"))
        );
        assert_eq!((&game["rich_presence"], &game["mastered"]), (&json!(""), &json!(0)));
    }
    let time = "2025-01-02 03:04:05";
    let all = json!({"ID": 77, "Title": "A", "NumAchievements": 1, "NumAwardedToUser": 1,
        "NumAwardedToUserHardcore": 1, "Achievements": {"5": {"ID": 5, "Title": "Orbit", "Points": 5,
            "BadgeName": "250001", "DateEarned": time, "DateEarnedHardcore": time}}});
    provider.says(
        move |path, _| if path.contains("Progress") { Reply::json(&all) } else { says(path) },
    );
    let game = server.post(GAME, &ask);
    let marks = (&game["beaten"], &game["mastered"]);
    assert_eq!(marks, (&json!(1), &json!(1)), "what is mastered is beaten, without an award too");
    provider.says(|_, _| Reply::json(&json!([])));
    refused(&server, GAME, &ask, "RetroAchievements has no game 77.");
    provider.says(|_, _| Reply::new("403 Forbidden", "application/json", "{}"));
    refused(&server, GAME, &ask, REJECTED);
    provider.says(|_, _| Reply::new("200 OK", "text/html", "<html>"));
    refused(&server, GAME, &ask, "Could not ask RetroAchievements: the server sent a web page.");
    provider.says(|_, _| Reply::json(&json!({"message": "x"})));
    let nonsense =
        "Could not ask RetroAchievements: the server sent something else than it was asked for.";
    refused(&server, GAME, &ask, nonsense);
}

#[test]
fn without_credentials_nobody_is_asked() {
    let provider = provider();
    let setup =
        library(setup(&provider), &json!([{"game_id": "g", "name": "A", "ach_game_id": "77"}]));
    let server = setup.start();
    for (path, body) in [
        (GAME, json!({"id": 0})),
        (LIBRARY, json!({})),
        (INJECT, json!({})),
        ("/api/v1/ach/inject", json!({})),
    ] {
        refused(&server, path, &body, UNCONFIGURED);
    }
    assert!(provider.seen().is_empty());
}

#[test]
fn what_the_file_says_comes_before_the_environment() {
    let provider = provider();
    let setup =
        setup(&provider).env("SERVICE_ACH_USERNAME", "Eve").env("SERVICE_ACH_API_KEY", "other-key");
    let stored = json!({"username": "Ada", "api_key": KEY}).to_string();
    setup.scratch().file_mode("data/achievements.json", stored, 0o600);
    let server = setup.start();
    assert_eq!(server.get(SETTINGS)["username"], "Ada");
    let seen = provider.seen();
    assert!(seen[0].contains("u=ada") && seen[0].contains(&KEY.to_lowercase()), "{seen:?}");
    fs::remove_file(server.data("achievements.json")).expect("removed");
    assert_eq!(server.get(SETTINGS)["configured"], true);
    let seen = provider.seen();
    assert!(seen[0].contains("u=eve") && seen[0].contains("other-key"), "{seen:?}");
    server.post(SETTINGS, &json!({"username": "Bob", "api_key": ""}));
    assert_eq!(files_with(&server.data(""), "other-key"), [""; 0], "it stays in the environment");
    assert_eq!(server.get(SETTINGS)["configured"], true);
}
