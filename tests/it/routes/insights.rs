//! `/api/v2/insights/...` and `GET /api/v2/story`.

use std::fs;

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::Stream,
};

const A: &str = "game-a";
const B: &str = "game-b";
const C: &str = "game-c";

/// Three games and three sessions around the night in which New York sets its clocks.
fn server() -> Server {
    let library = json!({
        "schema_version": 6,
        "games": [
            {"game_id": A, "name": "Alpha", "platform": "NES", "genre": "Action, RPG", "year": "1987-05",
                "playtime_seconds": 7_200, "play_count": 2, "last_played": "2026-03-09T03:30:00Z",
                "added_at": "2026-01-05T10:00:00", "source": "folder"},
            {"game_id": B, "name": "Beta", "platform": "SNES", "genre": "RPG", "year": 1994,
                "progress": "Completed", "playtime_seconds": 3_600, "play_count": 1,
                "manual_sessions": [{"seconds": 600}], "last_played": "2026-03-10",
                "moments": [{"title": "", "note": "n", "created_at": "2026-03-10T12:00:00"}]},
            {"game_id": C, "name": "Gamma", "platform": "NES"},
        ],
        "history": [
            {"game": "Alpha", "game_id": A, "started": "2026-03-08T01:30:00", "seconds": 1_800, "exit_code": 0},
            {"game": "Alpha", "started": "2026-03-09T03:30:00Z", "seconds": 600, "exit_code": 0},
            {"game": "Beta", "game_id": B, "date": "2026-03-10", "seconds": 3_600, "exit_code": 0,
                "note": "Completed it"},
            {"game": "Gone", "game_id": "game-gone", "started": "soon", "seconds": 5, "exit_code": 0},
        ],
    });
    Setup::new().library(&library.to_string()).env("TZ", "America/New_York").start()
}

#[track_caller]
fn refused(server: &Server, path: &str, message: &str) {
    let reply = server.send(&Request::get(path)).expect(400).json();
    let expected = (&json!(message), &json!("BAD_REQUEST"));
    assert_eq!((&reply["error"], &reply["code"]), expected, "{path}");
}

#[test]
fn days_are_those_of_the_local_calendar() {
    let server = server();
    let heatmap = server.get("/api/v2/insights/heatmap?days=4&end_date=2026-03-11");
    let cell = |date: &str, count: u64, seconds: u64, level: u64| json!({"date": date, "count": count, "seconds": seconds, "level": level});
    let cells = json!([
        cell("2026-03-08", 2, 2_400, 3),
        cell("2026-03-09", 0, 0, 0),
        cell("2026-03-10", 1, 3_600, 4),
        cell("2026-03-11", 0, 0, 0),
    ]);
    assert_eq!(heatmap, json!({"heatmap": cells, "days": 4}));
    let summary = server.get("/api/v2/insights/summary?days=4&end_date=2026-03-11");
    assert_eq!((&summary["heatmap"], &summary["last_30_days"]), (&cells, &cells));
    assert_eq!(summary["streak"], json!({"current": 0, "longest": 1, "last_played": "2026-03-10"}));
    let totals =
        json!({"games": 3, "played": 2, "total_playtime_seconds": 11_400, "total_sessions": 4});
    assert_eq!(summary["totals"], totals);
    let platforms = json!([
        {"platform": "NES", "count": 2, "playtime_seconds": 7_200},
        {"platform": "SNES", "count": 1, "playtime_seconds": 4_200},
    ]);
    assert_eq!(summary["top_platforms"], platforms);
    assert_eq!(
        summary["top_genres"],
        json!([{"genre": "RPG", "count": 2}, {"genre": "Action", "count": 1}])
    );
    let tops: Vec<&Value> = summary["top_games"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|game| &game["game_id"])
        .collect();
    assert_eq!(tops, [A, B]);
    let momentum = json!({"last_30_days_seconds": 6_000, "previous_30_days_seconds": 0, "delta_seconds": 6_000});
    assert_eq!(summary["momentum"], momentum);
    assert_eq!(
        server.get("/api/v2/insights/heatmap")["heatmap"].as_array().map(Vec::len),
        Some(366)
    );
    for path in ["/api/v2/insights/heatmap", "/api/v2/insights/summary"] {
        for (query, message) in [
            ("days=x", "days must be an integer"),
            ("days=1.5", "days must be an integer"),
            ("days=0", "days must be between 1 and 366"),
            ("days=367", "days must be between 1 and 366"),
            ("end_date=2026-02-30", "end_date must be YYYY-MM-DD"),
            ("end_date=0000-01-01", "end_date must be YYYY-MM-DD"),
            ("end_date=20260201", "end_date must be YYYY-MM-DD"),
        ] {
            refused(&server, &format!("{path}?{query}"), message);
        }
    }
}

#[test]
fn sessions_of_other_programs_count_where_they_make_sense() {
    let at =
        |seconds: Value| json!({"game": "A", "started": "2026-03-08T10:00:00", "seconds": seconds});
    let understood = [
        at(json!(60)),
        at(json!(60.9)),
        at(json!("60")),
        at(json!(" 60.5 ")),
        json!({"game": "A", "game_id": null, "date": "2026-03-08", "seconds": 60}),
        json!({"game": "A", "game_id": 7, "started": "2026-03-08", "seconds": 60, "exit_code": null}),
    ];
    let odd = [
        at(json!(-60)),
        at(json!("an hour")),
        at(json!([60])),
        at(json!({"seconds": 60})),
        at(json!(true)),
        json!("row"),
        json!(null),
        json!([]),
    ];
    let history: Vec<&Value> = odd.iter().chain(&understood).chain(&odd).collect();
    let library = json!({"schema_version": 6, "games": [{"game_id": A, "name": "A"}],
        "history": history});
    let server = Setup::new().library(&library.to_string()).start();
    let heatmap = server.get("/api/v2/insights/heatmap?days=1&end_date=2026-03-08");
    assert_eq!(
        (&heatmap["heatmap"][0]["count"], &heatmap["heatmap"][0]["seconds"]),
        (&json!(6), &json!(360))
    );
    let listed = server.get("/api/history");
    assert_eq!((&listed["total"], &listed["total_seconds"]), (&json!(6), &json!(360)));
    assert_eq!(server.get("/api/v2/history/timeline?days=3650")["total"], 6);
    for path in ["summary", "mastery", "radio", "radar", "trophies", "wrapped?year=2026"] {
        server.get(&format!("/api/v2/insights/{path}"));
    }
    server.get(&format!("/api/v2/story?game_id={A}"));
}

#[test]
fn figures_follow_new_sessions_and_edits() {
    let server = server();
    let totals = |server: &Server| server.get("/api/v2/insights/summary")["totals"].clone();
    assert_eq!(totals(&server)["games"], 3);
    server.post("/api/game/delete", &json!({"game_id": C}));
    server.post("/api/v2/library/progress/set", &json!({"game_id": A, "progress": "Mastered"}));
    assert_eq!(totals(&server)["games"], 2);
    let mastery = server.get("/api/v2/insights/mastery");
    assert_eq!(mastery["overall"]["mastered"], 1);
    assert_eq!(mastery["platforms"]["NES"]["total"], 1);
}

#[test]
fn the_first_session_of_a_day_is_the_earliest_whatever_its_zone() {
    let history = ["10:00:00", "14:00:00Z", "09:30:00"].map(
        |time| json!({"game": "Alpha", "started": format!("2026-01-05T{time}"), "seconds": 60}),
    );
    let library = json!({"schema_version": 6, "games": [], "history": history}).to_string();
    let server = Setup::new().library(&library).env("TZ", "America/New_York").start();
    let wrapped = server.get("/api/v2/insights/wrapped?year=2026");
    assert_eq!(wrapped["first_play"]["date"], "2026-01-05T14:00:00Z");
}

#[test]
fn a_year_is_told() {
    let server = server();
    let wrapped = server.get("/api/v2/insights/wrapped?year=2026");
    assert_eq!(
        wrapped["totals"],
        json!({"playtime_seconds": 6_000, "sessions": 3, "games_played": 2, "new_games": 1})
    );
    assert_eq!(wrapped["progress"], json!({"beaten": 0, "completed": 1, "mastered": 0}));
    assert_eq!(wrapped["streak"], json!({"longest": 1}));
    assert_eq!(wrapped["top"]["game"]["game_id"], A);
    assert_eq!(wrapped["top"]["platform"]["platform"], "NES");
    assert_eq!(wrapped["top"]["genre"], json!({"genre": "RPG", "count": 2}));
    assert_eq!(wrapped["oldest_played"], json!({"game_id": A, "name": "Alpha", "year": 1987}));
    assert_eq!(
        wrapped["first_play"],
        json!({"date": "2026-03-08T01:30:00", "game_id": A, "name": "Alpha"})
    );
    assert_eq!(wrapped["busiest_month"], json!({"month": 3, "seconds": 6_000}));
    assert_eq!(wrapped["busiest_weekday"], json!({"weekday": "Tuesday", "seconds": 3_600}));
    assert_eq!(wrapped["per_month"][2], 6_000);
    assert_eq!(wrapped["co_play_pairs"], 0);
    let before = server.get("/api/v2/insights/wrapped?year=1999");
    assert_eq!(before["progress"], json!({"beaten": 0, "completed": 1, "mastered": 0}));
    for key in ["oldest_played", "first_play", "busiest_month", "busiest_weekday"] {
        assert_eq!(before[key], Value::Null, "{key}");
    }
    assert_eq!(before["top"], json!({"game": null, "platform": null, "genre": null}));
    for (query, message) in [
        ("", "year is required"),
        ("?year=", "year is required"),
        ("?year=soon", "year must be an integer"),
        ("?year=1969", "year must be between 1970 and 2100"),
        ("?year=2101", "year must be between 1970 and 2100"),
    ] {
        refused(&server, &format!("/api/v2/insights/wrapped{query}"), message);
    }
}

#[test]
fn mastery_counts_each_game_once() {
    let server = server();
    let folder = server.data("cache/achievements");
    fs::create_dir_all(&folder).expect("a folder");
    let earned =
        json!({"game_id": A, "earned": 1, "total": 3, "progress_pct": 33.333, "mastered": false});
    fs::write(folder.join(format!("{A}.json")), earned.to_string()).expect("a file");
    fs::write(folder.join("odd.json"), "[").expect("a file");
    let mastery = server.get("/api/v2/insights/mastery");
    let bucket = |never: u64, played: u64, completed: u64, tracked: u64, average: f64| {
        json!({"never": never, "played": played, "beaten": 0, "completed": completed, "mastered": 0,
            "ach_tracked": tracked, "ach_mastered": 0, "ach_avg_progress": average,
            "total": never + played + completed})
    };
    assert_eq!(mastery["overall"], bucket(1, 1, 1, 1, 33.33));
    assert_eq!(
        mastery["platforms"],
        json!({"NES": bucket(1, 1, 0, 1, 33.33), "SNES": bucket(0, 0, 1, 0, 0.0)})
    );
    let decades = json!({"1980s": bucket(0, 1, 0, 1, 33.33), "1990s": bucket(0, 0, 1, 0, 0.0),
        "pre-1980": bucket(1, 0, 0, 0, 0.0)});
    assert_eq!(mastery["decades"], decades);
}

#[test]
fn trophies_are_awarded_once_and_announced() {
    let server = server();
    let trophies = server.get("/api/v2/insights/trophies");
    assert_eq!((&trophies["earned"], &trophies["total"]), (&json!(3), &json!(12)));
    let of = |id: &str| {
        let list = trophies["trophies"].as_array().expect("a list");
        list.iter().find(|trophy| trophy["id"] == id).expect("it is there").clone()
    };
    assert_eq!(
        of("night_owl"),
        json!({"id": "night_owl", "awarded": true, "awarded_at": null, "progress": {"current": 1, "target": 1}})
    );
    assert_eq!(of("platform_hopper")["progress"], json!({"current": 2, "target": 4}));
    assert_eq!(of("century_club")["progress"], json!({"current": 10_800, "target": 360_000}));
    assert_eq!(of("old_school")["awarded"], true);
    let mut stream = Stream::open(&server);
    let evaluated = server.post("/api/v2/insights/trophies/evaluate", &json!({}));
    let new: Vec<&Value> = evaluated["newly_awarded"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|award| &award["id"])
        .collect();
    assert_eq!(new, ["first_launch", "night_owl", "old_school"]);
    assert_eq!((&evaluated["earned"], &evaluated["total"]), (&json!(3), &json!(12)));
    assert_eq!(stream.hear("trophy.awarded"), evaluated["newly_awarded"][0]);
    let again = server.post("/api/v2/insights/trophies/evaluate", &json!({}));
    assert_eq!(again["newly_awarded"], json!([]));
    let stored = server.get("/api/v2/insights/trophies");
    let awarded = stored["trophies"].as_array().expect("a list").iter();
    assert_eq!(awarded.filter(|trophy| trophy["awarded_at"].is_string()).count(), 3);
}

#[test]
fn the_story_of_a_game_is_told_in_order() {
    let server = server();
    let story = server.get(&format!("/api/v2/story?game_id={A}"));
    let event = |kind: &str, at: &str, title: &str, detail: &str| json!({"kind": kind, "at": at, "title": title, "detail": detail});
    let events = json!([
        event("added", "2026-01-05T10:00:00", "Added to library", "folder"),
        event("first_played", "2026-03-08T01:30:00", "First played", "0.5h"),
        event("session", "2026-03-08T01:30:00", "Longest session", "0.5h"),
        event("milestone", "2026-03-09T03:30:00Z", "1h played", ""),
    ]);
    assert_eq!(story["events"], events);
    assert_eq!(
        story["totals"],
        json!({"sessions": 2, "playtime_seconds": 7_200, "moments": 0, "progress": ""})
    );
    let kinds = |id: &str| -> Vec<Value> {
        let story = server.get(&format!("/api/v2/story?game_id={id}"));
        story["events"]
            .as_array()
            .expect("a list")
            .iter()
            .map(|event| event["kind"].clone())
            .collect()
    };
    assert_eq!(kinds(B), ["first_played", "session", "milestone", "progress", "moment"]);
    assert_eq!(kinds(C), [""; 0]);
    for query in ["", "?game_id=game-none"] {
        let reply = server.send(&Request::get(&format!("/api/v2/story{query}"))).expect(400).json();
        assert_eq!(reply["code"], "GAME_NOT_FOUND");
    }
}

/// A library whose history says enough: Alpha was begun half a year ago, Beta is played every day.
fn played() -> Server {
    let sessions = (0..10).map(|day| {
        json!({"game": "Beta", "game_id": B, "started": ago(day), "seconds": 3_600, "exit_code": 0})
    });
    let old = json!({"game": "Alpha", "game_id": A, "started": ago(180), "seconds": 1_200, "exit_code": 0});
    let history: Vec<Value> = std::iter::once(old).chain(sessions).collect();
    let setup = Setup::new();
    let rest = ["game-d", "game-e", "game-f", "game-g", "game-h", "game-i"].map(|id| {
        let path = setup.scratch().script(format!("games/{id}"), "exit 0");
        json!({"game_id": id, "name": id, "platform": "SNES", "genre": "RPG", "path": path})
    });
    let mut games = vec![
        json!({"game_id": A, "name": "Alpha", "genre": "Puzzle", "playtime_seconds": 1_200, "play_count": 1,
            "last_played": ago(180)}),
        json!({"game_id": B, "name": "Beta", "platform": "SNES", "genre": "RPG", "favorite": true,
            "playtime_seconds": 36_000, "play_count": 10, "last_played": ago(0)}),
    ];
    games.extend(rest);
    let library = json!({"schema_version": 6, "games": games, "history": history});
    setup.library(&library.to_string()).start()
}

/// A time so many days and a minute ago.
fn ago(days: i64) -> String {
    let time = Timestamp::now() - SignedDuration::from_secs(days * 86_400 + 60);
    time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string()
}

#[test]
fn a_game_left_for_months_is_parked() {
    let server = played();
    let radar = server.get("/api/v2/insights/radar")["radar"].clone();
    assert_eq!(radar["enough_history"], true);
    let entry = &radar["winnable"][0];
    assert_eq!(
        (&entry["game_id"], &entry["id"], &entry["days_stalled"]),
        (&json!(A), &json!(0), &json!(180))
    );
    assert_eq!(
        (&entry["observed_seconds"], &entry["estimated_minutes"]),
        (&json!(1_200), &json!(15))
    );
    assert_eq!(
        entry["reasons"],
        json!([{"key": "radio.reason.winnable", "params": {"days": 180}}])
    );
    assert_eq!(radar["park"], json!([]));
    let park = |body: Value| server.post("/api/v2/insights/radar/park", &body);
    let parked = json!({"parked": true, "game_id": A, "name": "Alpha", "progress": "Paused", "code": "parked"});
    assert_eq!(park(json!({"game_id": 0})), parked);
    assert_eq!(server.get("/api/v2/insights/radar")["radar"]["winnable"], json!([]));
    server.post("/api/v2/library/progress/set", &json!({"game_id": B, "progress": "Beaten"}));
    let done = park(json!({"game_id": B}));
    assert_eq!((&done["parked"], &done["code"]), (&json!(false), &json!("already_completed")));
    let path = "/api/v2/insights/radar/park";
    let missing = server.send(&Request::post(path, &json!({}))).expect(400).json();
    assert_eq!(missing["error"], "game_id is required");
    let unknown =
        server.send(&Request::post(path, &json!({"game_id": "game-none"}))).expect(404).json();
    assert_eq!(unknown["code"], "GAME_NOT_FOUND");
}

#[test]
fn half_minutes_count_for_what_fits() {
    let game = |id: &str, seconds: u64, progress: &str| {
        json!({"game_id": id, "name": id, "genre": "RPG", "playtime_seconds": seconds, "play_count": 1,
            "progress": progress, "last_played": ago(40)})
    };
    let games =
        [game("game-a", 7_170, "Beaten"), game("game-b", 7_230, "Beaten"), game("game-c", 900, "")];
    let library = json!({"schema_version": 6, "games": games});
    let server = Setup::new().library(&library.to_string()).start();
    let radar = server.get("/api/v2/insights/radar")["radar"].clone();
    // The median of what was beaten is 120 minutes, as long as such a game takes.
    assert_eq!((&radar["winnable"][0]["game_id"], &radar["park"]), (&json!("game-c"), &json!([])));
}

#[test]
fn the_radio_keeps_its_set_until_it_is_refreshed() {
    let server = played();
    let radio = server.get("/api/v2/insights/radio")["playlist"].clone();
    assert_eq!((&radio["name"], &radio["managed"]), (&json!("Backlog Radio"), &json!(true)));
    assert_eq!((&radio["notice_key"], &radio["stale"]), (&json!("radio.notice.ok"), &json!(false)));
    let ids = |radio: &Value| -> Vec<String> {
        let picks = radio["picks"].as_array().expect("a list").iter();
        picks.map(|pick| pick["game_id"].as_str().unwrap_or("").to_owned()).collect()
    };
    assert_eq!(ids(&radio), ["game-d", "game-e", "game-f", "game-g", "game-h"]);
    let pick = &radio["picks"][0];
    assert_eq!((&pick["estimated_minutes"], &pick["has_cover"]), (&json!(120), &json!(false)));
    let reasons: Vec<&Value> =
        pick["reasons"].as_array().expect("a list").iter().map(|reason| &reason["key"]).collect();
    assert_eq!(
        reasons,
        ["radio.reason.genre_finish", "radio.reason.similar_to", "radio.reason.platform_habit"]
    );
    assert_eq!(server.get("/api/v2/insights/radio")["playlist"], radio);
    let next = server.post("/api/v2/insights/radio/refresh", &json!({}))["playlist"].clone();
    assert_eq!(ids(&next), ["game-i"]);
    let stored = server.get("/api/library")["playlists"][0].clone();
    assert_eq!((&stored["name"], &stored["managed"]), (&json!("Backlog Radio"), &json!("radio")));
    assert_eq!((&stored["type"], &stored["members"]), (&json!("manual"), &json!(["game-i"])));
    assert_eq!((&stored["parent"], &stored["notes"]), (&json!(""), &json!("")));
}

#[test]
fn a_radio_without_history_takes_the_best_rated() {
    let setup = Setup::new();
    let games = [("game-1", 2.0), ("game-2", 4.5), ("game-3", 0.0)].map(|(id, rating)| {
        let path = setup.scratch().script(format!("games/{id}"), "exit 0");
        json!({"game_id": id, "name": id, "path": path, "rating": rating})
    });
    let library = json!({"schema_version": 6, "games": games});
    let server = setup.library(&library.to_string()).start();
    let radio = server.get("/api/v2/insights/radio")["playlist"].clone();
    assert_eq!((&radio["fallback"], &radio["enough_history"]), (&json!(true), &json!(false)));
    assert_eq!(radio["notice_key"], "radio.notice.not_enough_history");
    assert_eq!(radio["picks"][0]["game_id"], "game-2");
    assert_eq!(
        radio["picks"][0]["reasons"],
        json!([{"key": "radio.reason.fallback_rating", "params": {"rating": 4.5}}])
    );
    assert_eq!(radio["picks"][0]["score"], 0.0);
}

#[test]
fn a_pick_fits_what_is_asked_for() {
    let setup = Setup::new();
    let game = |id: &str, more: Value| {
        let path = setup.scratch().script(format!("games/{id}"), "exit 0");
        let mut game = json!({"game_id": id, "name": id, "path": path});
        game.as_object_mut().expect("one").extend(more.as_object().expect("one").clone());
        game
    };
    let games = [
        game("game-1", json!({"genre": "RPG", "platform": "SNES"})),
        game("game-2", json!({"genre": "Puzzle", "max_players": 2, "play_count": 1})),
        game("game-3", json!({"genre": "Puzzle", "hidden": true})),
        json!({"game_id": "game-4", "name": "gone", "path": "/gone/x", "genre": "Puzzle"}),
    ];
    let library = json!({"schema_version": 6, "games": games});
    let server = setup.library(&library.to_string()).start();
    let path = "/api/v2/library/pick";
    let ids = |body: Value| {
        let picks = server.post(path, &body)["picks"].clone();
        let mut ids: Vec<String> = picks
            .as_array()
            .expect("a list")
            .iter()
            .map(|pick| pick["game_id"].as_str().unwrap_or("").to_owned())
            .collect();
        ids.sort();
        ids
    };
    assert_eq!(ids(json!({})), ["game-1", "game-2"]);
    assert_eq!(ids(json!({"minutes": 30, "mood": "chill", "players": 2})), ["game-2"]);
    assert_eq!(ids(json!({"familiarity": "new"})), ["game-1"]);
    assert_eq!(ids(json!({"scope": "platform", "scope_name": "snes"})), ["game-1"]);
    for (body, expected) in [
        (json!({"minutes": "x"}), "minutes must be an integer"),
        (json!({"minutes": null}), "minutes must be an integer"),
        (json!({"minutes": -1}), "minutes must be >= 0"),
        (json!({"players": 9}), "players must be between 1 and 8"),
        (json!({"players": 0}), "players must be between 1 and 8"),
        (json!({"players": null}), "players must be between 1 and 8"),
        (json!({"mood": 5}), "mood must be one of [any, action, chill, story, retro, party]"),
        (json!({"familiarity": ["new"]}), "familiarity must be one of [any, new, favorite]"),
        (json!({"scope": true}), "scope must be one of [all, platform, playlist]"),
        (json!({"mood": "sad"}), "mood must be one of [any, action, chill, story, retro, party]"),
        (json!({"scope": "playlist", "scope_name": "P"}), "playlist not found: P"),
    ] {
        let refused = server.send(&Request::post(path, &body)).expect(400).json();
        assert_eq!(
            (&refused["error"], &refused["code"]),
            (&json!(expected), &json!("BAD_REQUEST"))
        );
    }
}

#[test]
fn the_constellation_is_the_same_each_time() {
    let library = json!({"schema_version": 6, "games": [
        {"game_id": A, "name": "Alpha", "developer": "Dev"},
        {"game_id": B, "name": "Beta", "developer": "dev", "playtime_seconds": 60},
        {"game_id": C, "name": "Gamma"},
    ]});
    let server = Setup::new().library(&library.to_string()).start();
    let map = server.get("/api/v2/library/constellation");
    let ids: Vec<&Value> =
        map["nodes"].as_array().expect("a list").iter().map(|star| &star["game_id"]).collect();
    assert_eq!(ids, [B, A, C]);
    assert_eq!(map["edges"], json!([{"s": 0, "t": 1, "kind": "developer", "w": 0.8}]));
    assert_eq!((&map["truncated"], &map["empty"]), (&json!(false), &json!(false)));
    assert_eq!(server.get("/api/v2/library/constellation"), map);
    let near = server.get(&format!("/api/v2/library/constellation?focus={A}&kinds=developer"));
    let ids: Vec<&Value> =
        near["nodes"].as_array().expect("a list").iter().map(|star| &star["game_id"]).collect();
    assert_eq!(ids, [A, B]);
    assert_eq!((&near["focus"], &near["depth"]), (&json!(A), &json!(1)));
    assert_eq!(near["kinds"], json!(["developer"]));
    for (query, status, expected) in [
        (
            "kinds=x",
            400,
            "unknown kinds: [x]; valid: [series, developer, publisher, genre, platform_family, co_played]",
        ),
        ("limit=49", 400, "limit must be between 50 and 1000"),
        ("depth=3", 400, "depth must be 1 or 2"),
        ("focus=none", 404, "Game not found"),
    ] {
        let target = format!("/api/v2/library/constellation?{query}");
        let refused = server.send(&Request::get(&target)).expect(status).json();
        assert_eq!(refused["error"], expected);
    }
}

#[test]
fn a_radio_that_finds_nothing_is_stored_once_and_looks_again() {
    let setup = Setup::new();
    let path = setup.scratch().path("games/late.sh");
    let game = json!({"game_id": "game-1", "name": "Late", "path": path});
    let library = json!({"schema_version": 6, "games": [game]});
    let server = setup.library(&library.to_string()).start();
    let radio = || server.get("/api/v2/insights/radio")["playlist"].clone();
    assert_eq!(radio()["notice_key"], "radio.notice.empty");
    let written = || fs::metadata(server.data("library.log")).expect("a log").len();
    let before = written();
    assert_eq!((&radio()["picks"], written()), (&json!([]), before));
    server.scratch().script("games/late.sh", "exit 0");
    assert_eq!(radio()["picks"][0]["game_id"], "game-1");
    assert!(written() > before);
}

#[test]
fn a_session_without_an_offset_was_at_local_time() {
    let row = |started: &str, seconds: u64| json!({"game": "Alpha", "game_id": A, "started": started, "seconds": seconds, "exit_code": 0});
    let library = json!({
        "schema_version": 6,
        "games": [{"game_id": A, "name": "Alpha"}],
        // Ten o'clock in New York is fifteen in London; twelve there is seven.
        "history": [row("2026-03-01T10:00:00", 1_800), row("2026-03-01T12:00:00Z", 3_600)],
    });
    let server = Setup::new().library(&library.to_string()).env("TZ", "America/New_York").start();
    let story = server.get(&format!("/api/v2/story?game_id={A}"));
    let events = story["events"].as_array().expect("a list");
    let first = events.iter().find(|event| event["kind"] == "first_played").expect("it was played");
    assert_eq!((&first["at"], &first["detail"]), (&json!("2026-03-01T12:00:00Z"), &json!("1.0h")));
}
