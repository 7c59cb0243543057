//! `/api/v2/arcade/kiosk/...`, and what a locked client session may do.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::{Operation, openapi};
use crate::support::{
    client::{Reply, Request},
    picture::jpeg,
    server::{Server, Setup},
    stream::Stream,
    toy::Toy,
};

const STATUS: &str = "/api/v2/arcade/kiosk/status";
const PIN: &str = "/api/v2/arcade/kiosk/pin";
const VERIFY: &str = "/api/v2/arcade/kiosk/verify";
const SETTINGS: &str = "/api/settings";

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, code: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!(reply["code"], code, "{path} {body}: {reply}");
}

/// The hash of the PIN 1234, as another program makes it.
const HASH_1234: &str =
    "pbkdf2-sha256$50000$c2FsdHNhbHRzYWx0c2FsdA$gWXnNmmqsRoDNn7JQoJIyND5eyCilJ_NLIK5AdIFOQU";

/// A server whose kiosk is on since before the start, so every client session is locked.
fn locked() -> Server {
    let settings = json!({"museum_kiosk_enabled": true, "museum_kiosk_pin_hash": HASH_1234});
    let library = json!({"schema_version": 6, "games": [], "settings": settings});
    Setup::new().library(&library.to_string()).start()
}

fn is_locked_out(reply: &Reply) -> bool {
    reply.status == 403 && reply.json()["code"] == "ARCADE_KIOSK_LOCKED"
}

#[test]
fn a_pin_is_set_verified_and_removed() {
    let mut server = Server::start();
    let status = |enabled: bool, pin_set: bool| json!({"enabled": enabled, "pin_set": pin_set});
    assert_eq!(server.get(STATUS), status(false, false));
    assert_eq!(server.post(VERIFY, &json!({"pin": "1234"})), json!({"ok": false}));
    assert_eq!(server.post(PIN, &json!({"pin": "1234"})), status(false, true));
    assert_eq!(server.post(PIN, &json!({"enabled": true, "pin": ""})), status(true, true));
    assert_eq!(server.post(VERIFY, &json!({"pin": "1235"})), json!({"ok": false}));
    assert_eq!(server.post(VERIFY, &json!({"pin": "1234"})), json!({"ok": true}));
    assert_eq!(server.post(PIN, &json!({"enabled": "no"})), status(true, true));
    let settings = server.get(SETTINGS);
    assert_eq!(settings["museum_kiosk_pin_set"], true);
    assert!(settings.get("museum_kiosk_pin_hash").is_none(), "{settings}");
    server.stop();
    server.restart();
    assert_eq!(server.get(STATUS), status(true, true));
    assert_eq!(server.post(VERIFY, &json!({"pin": "1234"})), json!({"ok": true}));
    assert_eq!(server.post(PIN, &json!({"pin": "123456789012"})), status(true, true));
    assert_eq!(server.post(VERIFY, &json!({"pin": "123456789012"})), json!({"ok": true}));
    assert_eq!(server.post(PIN, &json!({"clear": true, "enabled": false})), status(false, false));
    assert_eq!(server.post(VERIFY, &json!({"pin": "123456789012"})), json!({"ok": false}));
}

#[test]
fn what_cannot_be_a_pin_is_refused_and_changes_nothing() {
    let server = Server::start();
    for pin in [json!("123"), json!("1234567890123"), json!("12a4"), json!(1234), json!(["1234"])] {
        refused(&server, PIN, &json!({"pin": pin, "enabled": true}), "ARCADE_INVALID_PIN");
    }
    let both = json!({"pin": "1234", "clear": true, "enabled": true});
    refused(&server, PIN, &both, "ARCADE_INVALID_REQUEST");
    for body in
        [json!({}), json!({"pin": 1234}), json!({"pin": null}), json!({"pin": "1234567890123"})]
    {
        refused(&server, VERIFY, &body, "ARCADE_INVALID_PIN");
    }
    assert_eq!(server.post(VERIFY, &json!({"pin": "12"})), json!({"ok": false}));
    assert_eq!(server.get(STATUS), json!({"enabled": false, "pin_set": false}));
}

#[test]
fn somebody_who_tries_pins_has_to_wait() {
    let server = locked();
    for _ in 0..5 {
        assert_eq!(server.post(VERIFY, &json!({"pin": "0000"})), json!({"ok": false}));
    }
    // A right PIN has to wait too, for a second at most: a slow machine may be past it.
    let reply = server.send(&Request::post(VERIFY, &json!({"pin": "1234"})));
    if reply.status == 429 {
        let body = reply.json();
        assert_eq!((&body["code"], &body["retry_after"]), (&json!("RATE_LIMITED"), &json!(1)));
        assert_eq!(reply.header("Retry-After"), Some("1"));
    }
}

#[test]
fn whoever_sets_up_the_kiosk_is_not_locked_out() {
    let server = Server::start();
    let tag = |name: &str| {
        Request::post("/api/tags", &json!({"action": "list"})).header("X-Service-Session", name)
    };
    server.post(PIN, &json!({"enabled": true}));
    assert!(!is_locked_out(&server.send(&tag("visitor"))), "a kiosk without a PIN refuses nothing");
    server.post(PIN, &json!({"enabled": true, "pin": "1234"}));
    assert!(!is_locked_out(&server.send(&tag(""))));
    assert!(is_locked_out(&server.send(&tag("visitor"))));
    let enter =
        Request::post(VERIFY, &json!({"pin": "1234"})).header("X-Service-Session", "visitor");
    assert_eq!(server.send(&enter).json(), json!({"ok": true}));
    assert!(!is_locked_out(&server.send(&tag("visitor"))));
    server.post(PIN, &json!({"pin": "4321"}));
    assert!(is_locked_out(&server.send(&tag("visitor"))), "another PIN");
    server.post(SETTINGS, &json!({"museum_kiosk_enabled": false}));
    assert!(!is_locked_out(&server.send(&tag("visitor"))), "the kiosk is off");
    server.post(SETTINGS, &json!({"museum_kiosk_enabled": true}));
    server.post(PIN, &json!({"lock": true}));
    assert!(is_locked_out(&server.send(&tag(""))), "locked by the client itself");
}

/// All that a locked client session may ask for.
const ALLOWED: [&str; 65] = [
    "GET /api/ach/badge",
    "GET /api/bigscreen/media",
    "GET /api/discovery",
    "GET /api/document",
    "GET /api/events",
    "GET /api/explorer/facets",
    "GET /api/filter-presets",
    "GET /api/highscores",
    "GET /api/history",
    "GET /api/library",
    "GET /api/library/delta",
    "GET /api/media",
    "GET /api/media/kinds",
    "GET /api/native/capabilities",
    "GET /api/notifications",
    "GET /api/openapi.json",
    "GET /api/platform/document",
    "GET /api/platform/documents",
    "GET /api/premium/media-packs",
    "GET /api/premium/platform-categories",
    "GET /api/premium/strings",
    "GET /api/queue",
    "GET /api/related",
    "GET /api/related/rich",
    "GET /api/running",
    "GET /api/settings",
    "GET /api/tags",
    "GET /api/theme.css",
    "GET /api/themes",
    "GET /api/v2/arcade/kiosk/status",
    "GET /api/v2/clips",
    "GET /api/v2/collections",
    "GET /api/v2/history/timeline",
    "GET /api/v2/household",
    "GET /api/v2/household/leaderboard",
    "GET /api/v2/insights/heatmap",
    "GET /api/v2/insights/mastery",
    "GET /api/v2/insights/radar",
    "GET /api/v2/insights/radio",
    "GET /api/v2/insights/summary",
    "GET /api/v2/insights/trophies",
    "GET /api/v2/insights/wrapped",
    "GET /api/v2/jobs/events",
    "GET /api/v2/library/constellation",
    "GET /api/v2/library/search",
    "GET /api/v2/memories",
    "GET /api/v2/memories/media",
    "GET /api/v2/moments",
    "GET /api/v2/party/queue",
    "GET /api/v2/platforms",
    "GET /api/v2/reels",
    "GET /api/v2/resume/status",
    "GET /api/v2/sessions/recap",
    "GET /api/v2/story",
    "POST /api/extra/launch",
    "POST /api/launch",
    "POST /api/session/control",
    "POST /api/ticket",
    "POST /api/v2/arcade/kiosk/verify",
    "POST /api/v2/launch/preflight",
    "POST /api/v2/library/dna/search",
    "POST /api/v2/library/pick",
    "POST /api/v2/library/query/parse",
    "POST /api/v2/moments/resume",
    "POST /api/v2/resume",
];

/// Routes whose answer does not end.
const STREAMS: [&str; 2] = ["/api/events", "/api/v2/jobs/events"];

/// What of it is refused in the family view.
const NOT_FOR_FAMILIES: [&str; 18] = [
    "GET /api/highscores",
    "GET /api/history",
    "GET /api/v2/history/timeline",
    "GET /api/v2/household",
    "GET /api/v2/household/leaderboard",
    "GET /api/v2/insights/heatmap",
    "GET /api/v2/insights/mastery",
    "GET /api/v2/insights/radar",
    "GET /api/v2/insights/radio",
    "GET /api/v2/insights/summary",
    "GET /api/v2/insights/trophies",
    "GET /api/v2/insights/wrapped",
    "GET /api/v2/library/constellation",
    "GET /api/v2/library/search",
    "GET /api/v2/story",
    "POST /api/v2/library/dna/search",
    "POST /api/v2/library/pick",
    "POST /api/v2/moments/resume",
];

/// What a locked client session is let through to; streams are not asked.
fn let_through(server: &Server) -> Vec<String> {
    let mut allowed: BTreeSet<String> = BTreeSet::new();
    for Operation { method, path } in openapi(server) {
        if !path.starts_with("/api/") {
            continue;
        }
        if STREAMS.contains(&path.as_str()) {
            allowed.insert(format!("{method} {path}"));
            continue;
        }
        let request = match method.as_str() {
            "POST" => Request::post(&path, &json!({})),
            method => Request::new(method, &path),
        };
        if !is_locked_out(&server.send(&request)) {
            allowed.insert(format!("{method} {}", path.replacen("/api/v1/", "/api/", 1)));
        }
    }
    allowed.into_iter().collect()
}

#[test]
fn a_locked_session_may_do_what_is_listed_and_nothing_else() {
    assert_eq!(let_through(&locked()), ALLOWED);
    let rest = ALLOWED.iter().filter(|allowed| !NOT_FOR_FAMILIES.contains(allowed));
    assert_eq!(let_through(&family("T")), rest.copied().collect::<Vec<_>>());
}

/// A server whose locked client sessions see the family view up to this rating: of five games, one is hidden, one
/// is rated `M`, and one has a cover.
fn family(highest: &str) -> Server {
    let setup = Setup::new();
    let cover = setup.scratch().file("data/media/cover.jpg", jpeg(8, 8, 1));
    let games = json!([
        {"game_id": "hidden", "name": "Hidden Valley", "hidden": true, "genre": "Secret", "favorite": true,
            "tags": ["secret"], "series": "Comet"},
        {"game_id": "adult", "name": "Night Shift", "esrb": "M - Mature", "genre": "Horror", "cover": cover,
            "series": "Comet"},
        {"game_id": "plain", "name": "Comet Rangers", "genre": "Shooter", "series": "Comet", "cover": cover,
            "favorite": true},
        {"game_id": "child", "name": "Petal Garden", "esrb": "E", "genre": "Puzzle", "series": "Comet"},
        {"game_id": "teen", "name": "Rail Boss", "esrb": "T", "genre": "Simulation"},
    ]);
    let settings = json!({"museum_kiosk_enabled": true, "museum_kiosk_pin_hash": HASH_1234,
        "museum_kiosk_family": true, "museum_kiosk_esrb": highest});
    let library = json!({"schema_version": 6, "games": games, "settings": settings,
        "playlists": [{"name": "Mine", "type": "manual", "rules": {}, "parent": "", "notes": "",
            "members": ["adult", "plain", "hidden"]}],
        "queue": [{"game_id": "adult"}, {"game_id": "plain"}],
        "smart_collections": [{"name": "Comets", "query": "series:comet"}],
        "notifications": [{"id": "n", "message": "Night Shift ended", "kind": "info"}],
        "history": [{"game": "Night Shift", "game_id": "adult", "seconds": 60,
            "started": "2026-01-01T10:00:00"}]});
    setup.library(&library.to_string()).start()
}

/// Names and values that only games of which families see nothing have.
const UNSEEN: [&str; 6] = ["Hidden Valley", "Night Shift", "Secret", "secret", "Horror", "Mature"];

#[test]
fn families_see_nothing_of_hidden_games_and_higher_ratings() {
    let server = family("T");
    let library = server.get("/api/library");
    let names: Vec<&str> = library["games"]
        .as_array()
        .expect("games")
        .iter()
        .filter_map(|game| game["name"].as_str())
        .collect();
    assert_eq!(names, ["Comet Rangers", "Petal Garden", "Rail Boss"]);
    assert_eq!(library["playlists"][0]["members"], json!(["plain"]));
    assert_eq!(server.get("/api/library?offset=0&limit=1")["total_count"], 3);
    let delta = server.get("/api/library/delta?ids=adult,hidden,child");
    assert_eq!(delta["games"].as_array().map(Vec::len), Some(1));
    let phrase = server.post("/api/v2/library/query/parse", &json!({"query": "series:comet"}));
    assert_eq!(phrase["matched_game_ids"], json!(["plain", "child"]));
    assert_eq!(server.get("/api/v2/collections")["items"][0]["count"], 2);
    for path in ALLOWED.iter().filter_map(|row| row.strip_prefix("GET ")) {
        if STREAMS.contains(&path) {
            continue;
        }
        for query in ["", "?id=0", "?field=genre", "?game_id=plain"] {
            let reply = server.send(&Request::get(&format!("{path}{query}")));
            let text = String::from_utf8_lossy(&reply.body()).into_owned();
            let is_told = |word: &&&str| text.contains(**word) && !path.ends_with("openapi.json");
            assert_eq!(UNSEEN.iter().find(is_told), None, "{path}{query}: {text}");
        }
    }
    for rating in ["M", "AO"] {
        let games = family(rating).get("/api/library")["games"].clone();
        assert_eq!(games.as_array().map(Vec::len), Some(4), "{rating}");
    }
}

#[test]
fn families_play_what_they_see_by_its_place_among_it() {
    let server = family("E");
    let ask = |path: &str, body: Value| server.send(&Request::post(path, &body));
    for path in ["/api/launch", "/api/v2/launch/preflight", "/api/v2/resume", "/api/extra/launch"] {
        for game in [json!({"game_id": "adult"}), json!({"game_id": "hidden"}), json!({"id": 2})] {
            let reply = ask(path, game.clone()).expect(404).json();
            assert_eq!(reply["code"], "GAME_NOT_FOUND", "{path} {game}");
        }
    }
    let checked = ask("/api/v2/launch/preflight", json!({"id": 0})).json();
    assert_eq!(checked["game_id"], "plain", "{checked}");
    let kinds =
        |query: &str| server.send(&Request::get(&format!("/api/media?kind=cover&{query}"))).status;
    assert_eq!([kinds("id=0"), kinds("game_id=plain")], [200, 200]);
    assert_eq!([kinds("id=1"), kinds("game_id=adult")], [404, 404]);
}

#[test]
fn whoever_entered_the_pin_sees_everything_pictures_included() {
    let server = family("E");
    let named = |request: Request| request.header("X-Service-Session", "owner");
    let entered = server.send(&named(Request::post(VERIFY, &json!({"pin": "1234"})))).json();
    assert_eq!(entered, json!({"ok": true}));
    let count = |reply: Reply| reply.json()["games"].as_array().map(Vec::len);
    assert_eq!(count(server.send(&named(Request::get("/api/library")))), Some(5));
    assert_eq!(count(server.send(&Request::get("/api/library"))), Some(2));
    // The element of a page that shows a picture sends no header.
    let cover = "/api/media?kind=cover&game_id=adult";
    assert_eq!(server.send(&Request::get(cover)).status, 404);
    assert_eq!(server.send(&Request::get(&format!("{cover}&session=owner"))).status, 200);
    assert_eq!(server.send(&Request::get("/api/v2/jobs?session=owner")).status, 200);
    assert!(is_locked_out(&server.send(&Request::get("/api/v2/jobs?session=visitor"))));
    let changed = json!({"museum_kiosk_family": false});
    server.send(&named(Request::post(SETTINGS, &changed))).expect(200);
    assert_eq!(count(server.send(&Request::get("/api/library"))), Some(5), "only locked");
    let wrong = json!({"museum_kiosk_esrb": "PG"});
    server.send(&named(Request::post(SETTINGS, &wrong))).expect(400);
}

#[test]
fn families_hear_nothing_of_a_game_that_they_do_not_see_and_cannot_control_it() {
    let setup = Setup::new();
    let toys = ["shown", "hidden"].map(|name| Toy::new(setup.scratch(), name, "game.sh"));
    let games = json!([
        {"game_id": "shown", "name": "Comet Rangers", "path": toys[0].path},
        {"game_id": "hidden", "name": "Hidden Valley", "path": toys[1].path, "hidden": true},
    ]);
    let settings = json!({"museum_kiosk_enabled": true, "museum_kiosk_pin_hash": HASH_1234,
        "museum_kiosk_family": true});
    let library = json!({"schema_version": 6, "games": games, "settings": settings});
    let server = setup.library(&library.to_string()).start();
    let owner = |path: &str, body: Value| {
        server.send(&Request::post(path, &body).header("X-Service-Session", "owner"))
    };
    owner(VERIFY, json!({"pin": "1234"})).expect(200);
    let mut stream = Stream::open(&server);
    let hidden = owner("/api/launch", json!({"game_id": "hidden"})).expect(200).json();
    toys[1].pid();
    let launch_id = &hidden["launch_id"];
    for action in ["pause", "stop", "kill"] {
        let body = json!({"launch_id": launch_id, "action": action});
        let reply = server.send(&Request::post("/api/session/control", &body)).expect(400).json();
        let gone = json!({"launch_id": "x", "action": action});
        let unknown = server.send(&Request::post("/api/session/control", &gone)).expect(400).json();
        assert_eq!(reply["error"], unknown["error"]);
    }
    owner("/api/session/control", json!({"launch_id": launch_id, "action": "pause"})).expect(200);
    owner("/api/session/control", json!({"launch_id": launch_id, "action": "kill"})).expect(200);
    owner("/api/launch", json!({"game_id": "shown"})).expect(200);
    toys[0].pid();
    toys[0].end(0);
    loop {
        let (name, payload) = stream.next().expect("the stream goes on");
        let text = payload.to_string();
        assert!(!text.contains("hidden") && !text.contains("Hidden Valley"), "{name} {text}");
        if name == "stopped" {
            assert_eq!(payload["stable_game_id"], "shown");
            break;
        }
    }
}
