//! `POST /api/launch`, `/api/session/control`, `/api/session/cleanup`, `/api/shutdown`, `GET
//! /api/running`, `/api/history`, `/api/v2/history/timeline`.

use std::{fs, thread, time::Instant};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

#[track_caller]
fn launch(server: &Server, id: &str) -> String {
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    assert_eq!(entry["ok"], true);
    entry["launch_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn control(server: &Server, launch: &str, action: &str) {
    let reply =
        server.post("/api/session/control", &json!({"launch_id": launch, "action": action}));
    assert_eq!(reply, json!({"ok": true, "action": action}));
}

/// Waits for the end of a session and returns its event.
#[track_caller]
fn ended(server: &Server, launch: &str) -> Value {
    until("the session to end", || {
        let events = server.get("/api/running")["events"].as_array().expect("a list").clone();
        let stopped = |event: &Value| event["kind"] == "stopped" && event["launch_id"] == launch;
        events.into_iter().find(stopped)
    })
}

fn game(server: &Server, id: &str) -> Value {
    let delta = server.get(&format!("/api/library/delta?ids={id}"));
    delta["games"][0].clone()
}

fn history(server: &Server) -> Vec<Value> {
    server.get("/api/history")["history"].as_array().expect("a list").clone()
}

#[test]
fn a_game_is_played_and_remembered() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({"platform": "Linux"}));
    let entry = server.post("/api/v1/launch", &json!({"id": 0}));
    let pid = toy.pid();
    assert_eq!((&entry["pid"], &entry["game_id"]), (&json!(pid), &json!(0)));
    assert_eq!((&entry["stable_game_id"], &entry["game"]), (&json!(id), &json!("One")));
    assert_eq!((&entry["game_path"], &entry["paused"]), (&json!(toy.path), &json!(false)));
    let id_text = entry["launch_id"].as_str().expect("text");
    let is_url_safe = |byte: u8| byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
    assert!(id_text.len() == 11 && id_text.bytes().all(is_url_safe), "{id_text}");
    for key in ["store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id"] {
        assert_eq!(entry[key], "", "{key}");
    }
    for key in ["resumed_from_state", "replay_buffer_armed", "replay_buffer_owned", "restart"] {
        assert_eq!(entry[key], false, "{key}");
    }
    assert_eq!((&entry["ok"], &entry["effective_profile"]), (&json!(true), &json!("Linux")));
    let running = server.get("/api/v1/running");
    assert_eq!(running["running"][0]["launch_id"], entry["launch_id"]);
    assert_eq!(running["events"][0]["kind"], "started");
    let last = running["last_event"].as_u64().expect("a number");
    assert_eq!(server.get(&format!("/api/running?after={last}"))["events"], json!([]));
    for after in ["", "0", "-1", "x", "0.5"] {
        let running = server.get(&format!("/api/running?after={after}"));
        assert_eq!(
            (&running["events"][0]["id"], &running["last_event"]),
            (&json!(1), &json!(last))
        );
    }
    // Only what is abandoned is cleaned up.
    for body in [json!({"launch_id": entry["launch_id"]}), json!({})] {
        assert_eq!(server.post("/api/session/cleanup", &body), json!({"ok": true}));
    }
    assert_eq!(server.get("/api/running")["running"][0]["pid"], json!(pid));
    assert_eq!(game(&server, &id)["progress"], "Playing");
    toy.end(5);
    let event = ended(&server, entry["launch_id"].as_str().expect("text"));
    assert_eq!((&event["exit_code"], &event["timed_out"]), (&json!(5), &json!(false)));
    let mut keys: Vec<&String> = event.as_object().expect("an object").keys().collect();
    keys.sort();
    let expected = [
        "exit_code",
        "game",
        "id",
        "kind",
        "launch_id",
        "seconds",
        "stable_game_id",
        "time",
        "timed_out",
    ];
    assert_eq!(keys, expected);
    let row = &history(&server)[0];
    assert_eq!(
        (&row["game"], &row["exit_code"], &row["game_id"]),
        (&json!("One"), &json!(5), &json!(id))
    );
    assert_eq!(row["started"], entry["started"]);
    let played = game(&server, &id);
    assert_eq!((&played["playtime_seconds"], &played["play_count"]), (&row["seconds"], &json!(1)));
    assert_eq!(played["last_played"], entry["started"]);
    assert_eq!(server.get("/api/running")["running"], json!([]));
    let timeline = server.get("/api/v2/history/timeline?days=1");
    assert_eq!((&timeline["total"], &timeline["enabled"]), (&json!(1), &json!(true)));
    assert_eq!(timeline["groups"][0]["entries"][0]["game_id"], id);
    for (days, clamped) in [("0", 1), ("-7", 1), ("3650", 3650), ("3651", 3650), ("", 90)] {
        let timeline = server.get(&format!("/api/v2/history/timeline?days={days}"));
        assert_eq!((&timeline["days"], &timeline["total"]), (&json!(clamped), &json!(1)), "{days}");
    }
    server.post("/api/settings", &json!({"track_session_history": false}));
    let timeline = server.get("/api/v2/history/timeline");
    assert_eq!((&timeline["groups"], &timeline["enabled"]), (&json!([]), &json!(false)));
    server.post("/api/settings", &json!({"track_session_history": true}));
    assert_eq!(server.get("/api/v1/history?limit=0")["history"].as_array().map(Vec::len), Some(1));
}

#[test]
fn days_of_a_timeline_are_a_number() {
    let server = Server::start();
    let most = server.get("/api/v2/history/timeline?days=9999999999999999999999");
    assert_eq!(most["days"], 3650);
    for days in ["x", "1.5"] {
        let refused = server.send(&Request::get(&format!("/api/v2/history/timeline?days={days}")));
        let refused = refused.expect(400).json();
        assert_eq!(
            (&refused["error"], &refused["code"]),
            (&json!("days must be an integer."), &json!("BAD_REQUEST")),
            "{days}"
        );
    }
}

#[test]
fn what_cannot_be_launched_is_named() {
    let server = Server::start();
    let plain = server.scratch().file("rom.nes", "rom");
    let gone = server.scratch().file("gone.nes", "rom");
    for (name, path) in [("Plain", &plain), ("Gone", &gone)] {
        server.post("/api/game", &json!({"game": {"name": name, "path": path}}));
    }
    fs::remove_file(gone).expect("there");
    for (body, message) in [
        (json!({}), "Game id is required."),
        (json!({"id": null}), "Game id is required."),
        (json!({"id": true}), "missing or invalid game id"),
        (json!({"id": -1}), "missing or invalid game id"),
        (json!({"id": 1.5}), "missing or invalid game id"),
        (json!({"id": 2}), "Game not found"),
        (json!({"game_id": "game-none"}), "Game not found"),
        (json!({"game_id": "game-none", "id": 0}), "Game not found"),
        (json!({"id": 1}), "The configured path no longer exists:"),
        (
            json!({"id": 0}),
            "Plain has no launch command and its file is not executable. Set a launch command for \
             the platform in Emulator profiles, or per-game in Edit game.",
        ),
    ] {
        refused(&server, "/api/launch", &body, message);
    }
    let library = json!({"games": [{"name": "Shelf", "manual_entry": true}]}).to_string();
    let server = Setup::new().library(&library).start();
    refused(&server, "/api/launch", &json!({"id": 0}), "Shelf has no launch path.");
}

#[test]
fn a_game_is_launched_by_any_of_its_names() {
    let setup = Setup::new();
    let game = setup.scratch().script("games/game", "exit 7");
    let id = format!("game-{:024x}", 5);
    let record = json!({"game_id": id, "legacy_game_ids": ["game-before"], "name": "A",
        "path": game, "store_a_app_id": "440", "libserver_id": "9"});
    let library = json!({"schema_version": 6, "games": [record]}).to_string();
    let server = setup.library(&library).start();
    for (round, body) in [
        json!({"id": 0}),
        json!({"id": "0"}),
        json!({"game_id": id}),
        json!({"game_id": "game-before"}),
        json!({"game_id": "game-before", "id": 99}),
    ]
    .iter()
    .enumerate()
    {
        let entry = server.post("/api/launch", body);
        assert_eq!((&entry["game_id"], &entry["stable_game_id"]), (&json!(0), &json!(id)));
        assert_eq!(
            (&entry["store_a_app_id"], &entry["libserver_id"]),
            (&json!("440"), &json!("9"))
        );
        let session = entry["launch_id"].as_str().expect("an id");
        assert_eq!(ended(&server, session)["exit_code"], 7, "{body}");
        assert_eq!(self::game(&server, &id)["play_count"], round + 1);
    }
}

#[test]
fn of_two_clients_one_starts_the_game() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let request = Request::post("/api/launch", &json!({"game_id": id}));
    let replies = thread::scope(|scope| {
        let clients: Vec<_> = (0..4).map(|_| scope.spawn(|| server.send(&request))).collect();
        clients.into_iter().map(|client| client.join().expect("an answer")).collect::<Vec<_>>()
    });
    toy.pid();
    let (won, lost): (Vec<_>, Vec<_>) = replies.iter().partition(|reply| reply.status == 200);
    assert_eq!((won.len(), lost.len()), (1, 3));
    for reply in lost {
        let error = reply.clone().expect(409).json();
        assert_eq!(error["code"], "LAUNCH_ALREADY_ACTIVE");
        assert_eq!(error["detail"]["stable_game_id"], id);
    }
    let error = server.send(&request).expect(409).json();
    assert_eq!(error["error"], "That game is already running.");
    assert_eq!(error["detail"]["state"], "running");
}

#[test]
fn hostile_names_reach_the_player_as_one_argument() {
    let server = Server::start();
    let scratch = server.scratch();
    let player =
        scratch.script("bin/player", "printf '%s\\0' \"$@\" > \"$0.seen\"; pwd >> \"$0.seen\"");
    let profile = format!("'{}' --rom={{path}} {{name}} \"a b\" {{unknown}}", player.display());
    let saved =
        server.post("/api/profiles", &json!({"profiles": {"NES": profile, " ": "x", "B": ""}}));
    assert_eq!(saved, json!({"saved": 1}));
    for name in [
        "plain",
        "two words",
        "it's",
        "\"quoted\"",
        "line\nbreak",
        "$(touch owned)",
        "`id`",
        "-rf",
        "*",
        "{name}",
        "ünï🎮",
        "a;b|c&d",
    ] {
        let folder = format!("roms/{}", name.len());
        let rom = scratch.file(format!("{folder}/{name}.nes"), "rom");
        let game = json!({"name": name, "path": rom, "platform": "NES"});
        let saved = server.post("/api/game", &json!({"game": game}));
        ended(&server, &launch(&server, saved["game_id"].as_str().expect("an id")));
        let seen = scratch.read("bin/player.seen");
        let expected = format!(
            "--rom={}\0{name}\0a b\0{{unknown}}\0{}\n",
            rom.display(),
            scratch.path(&folder).display()
        );
        assert_eq!(String::from_utf8_lossy(&seen), expected);
    }
    assert!(!scratch.path("owned").exists());
}

#[test]
fn a_game_does_not_get_the_credentials_of_the_service() {
    let setup = Setup::new()
        .env("ARTGRID_API_KEY", "hunter22")
        .env("SERVICE_SCRAPER_PASSWORD", "hunter22")
        .env("OTHER", "kept");
    let server = setup.start();
    let toy = Toy::with_script(server.scratch(), "one", "run.sh", "env > env; kill -11 $$");
    let id = toy.add(&server, "One", &json!({"launch_env": "SCRAPER_USER=own"}));
    ended(&server, &launch(&server, &id));
    let seen = fs::read_to_string(toy.folder.join("env")).expect("written");
    assert!(seen.contains("OTHER=kept") && seen.contains("SCRAPER_USER=own"), "{seen}");
    assert!(!seen.contains("hunter22") && !seen.contains(server.token()), "{seen}");
}

#[test]
fn environment_and_exit_codes_are_the_game_s_own() {
    let server = Server::start();
    let lines = "printf '%s' \"$KEY|$HOME\" > env; kill -11 $$";
    let toy = Toy::with_script(server.scratch(), "games/one", "game", lines);
    let id = toy.add(&server, "One", &json!({"launch_env": "# note\nKEY=two words = $HOME"}));
    let event = ended(&server, &launch(&server, &id));
    assert_eq!((&event["exit_code"], &event["seconds"]), (&json!(-11), &json!(1)));
    let home = server.scratch().path("home");
    let seen = fs::read_to_string(toy.folder.join("env")).expect("written");
    assert_eq!(seen, format!("two words = $HOME|{}", home.display()));
}

#[test]
fn a_running_game_is_controlled() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let first = launch(&server, &id);
    let pid = toy.pid();
    control(&server, &first, "pause");
    until("the game to stand still", || (Toy::state(pid) == Some('T')).then_some(()));
    assert_eq!(server.get("/api/running")["running"][0]["paused"], true);
    control(&server, &first, "resume");
    until("the game to go on", || (Toy::state(pid) != Some('T')).then_some(()));
    control(&server, &first, "pause");
    toy.forget();
    control(&server, &first, "restart");
    assert_eq!(ended(&server, &first)["exit_code"], -15);
    assert_ne!(toy.pid(), pid);
    let second = until("the game to run again", || {
        let running = server.get("/api/running")["running"][0].clone();
        running["launch_id"].as_str().map(str::to_owned)
    });
    assert_ne!(second, first);
    control(&server, &second, "kill");
    assert_eq!(ended(&server, &second)["exit_code"], -9);
    let kinds: Vec<_> = server.get("/api/running")["events"]
        .as_array()
        .expect("a list")
        .iter()
        .map(|event| event["kind"].as_str().expect("text").to_owned())
        .collect();
    assert_eq!(
        kinds,
        ["started", "paused", "resumed", "paused", "resumed", "stopped", "started", "stopped"]
    );
    assert_eq!(history(&server).len(), 2);
    let gone = "That game is no longer running.";
    for (body, message) in [
        (json!({"launch_id": second, "action": "stop"}), gone),
        (json!({"launch_id": "none", "action": "pause"}), gone),
        (json!({"action": "pause"}), gone),
        (json!({"launch_id": second, "action": "dance"}), "Unknown session action."),
        (json!({"launch_id": second}), "Unknown session action."),
        (json!({"launch_id": second, "action": "Stop"}), "Unknown session action."),
        (json!({"launch_id": second, "action": 1}), "Unknown session action."),
        (json!({"launch_id": 5, "action": "kill"}), gone),
        (json!({}), "Unknown session action."),
    ] {
        refused(&server, "/api/session/control", &body, message);
    }
}

#[test]
fn paused_time_counts_as_playtime() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let session = launch(&server, &id);
    control(&server, &session, "pause");
    let paused = Instant::now();
    until("three seconds to pass", || (paused.elapsed().as_secs() >= 3).then_some(()));
    control(&server, &session, "resume");
    toy.end(0);
    let seconds = ended(&server, &session)["seconds"].as_u64().expect("a number");
    assert!(seconds >= 3, "{seconds} seconds of a game that stood still for three");
    assert_eq!(history(&server)[0]["seconds"], seconds);
}

#[test]
fn a_restart_that_is_waited_for_shows_and_a_kill_ends_the_wish() {
    let server = Server::start();
    let lines =
        "trap '' TERM; echo $$ > up.new; mv up.new up; while :; do read -r code < gate; done";
    let toy = Toy::with_script(server.scratch(), "games/one", "game.sh", lines);
    let session = launch(&server, &toy.add(&server, "One", &json!({"launch_confirm": true})));
    toy.pid();
    control(&server, &session, "restart");
    assert_eq!(server.get("/api/running")["running"][0]["restart"], true);
    control(&server, &session, "kill");
    let event = ended(&server, &session);
    assert_eq!((&event["exit_code"], &event["timed_out"]), (&json!(-9), &json!(false)));
    assert_eq!(server.get("/api/running")["running"], json!([]));
    assert_eq!(history(&server).len(), 1);
}

#[test]
fn all_games_are_shut_down_and_the_service_goes_on() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let deaf = Toy::with_script(
        server.scratch(),
        "games/deaf",
        "game.sh",
        "trap '' TERM; echo $$ > up.new; mv up.new up; read -r code < gate",
    );
    let sessions = [&toy, &deaf]
        .map(|toy| launch(&server, &toy.add(&server, &toy.path.to_string_lossy(), &json!({}))));
    toy.pid();
    deaf.pid();
    assert_eq!(server.post("/api/shutdown", &json!({})), json!({"stopped": 2, "forced": false}));
    assert_eq!(ended(&server, &sessions[0])["exit_code"], -15);
    assert_eq!(server.get("/api/running")["running"][0]["launch_id"], sessions[1]);
    let forced = server.post("/api/v1/shutdown", &json!({"force": true}));
    assert_eq!(forced, json!({"stopped": 1, "forced": true}));
    assert_eq!(ended(&server, &sessions[1])["exit_code"], -9);
    assert_eq!(server.post("/api/shutdown", &json!({"force": true}))["stopped"], 0);
}

#[test]
fn games_survive_a_crash_of_the_service_and_are_taken_up_again() {
    let mut server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let paused = Toy::new(server.scratch(), "games/two", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let other = paused.add(&server, "Two", &json!({}));
    let sessions = [launch(&server, &id), launch(&server, &other)];
    let pids = [toy.pid(), paused.pid()];
    control(&server, &sessions[1], "pause");
    for clean in [false, true] {
        if clean {
            server.stop();
        } else {
            server.kill();
        }
        assert!(pids.iter().all(|pid| Toy::state(*pid).is_some_and(|state| state != 'Z')));
        server.restart();
        let running = server.get("/api/running")["running"].clone();
        for (at, is_paused) in [(0, false), (1, true)] {
            assert_eq!(running[at]["launch_id"], sessions[at]);
            assert_eq!(
                (&running[at]["pid"], &running[at]["paused"]),
                (&json!(pids[at]), &json!(is_paused))
            );
        }
    }
    let again = server.send(&Request::post("/api/launch", &json!({"game_id": id}))).expect(409);
    assert_eq!(again.json()["code"], "LAUNCH_ALREADY_ACTIVE");
    toy.end(3);
    assert_eq!(ended(&server, &sessions[0])["exit_code"], 0);
    control(&server, &sessions[1], "stop");
    ended(&server, &sessions[1]);
    let names: Vec<_> = history(&server).iter().map(|row| row["game"].clone()).collect();
    assert_eq!(names, ["Two", "One"]);
    assert_eq!(game(&server, &id)["play_count"], 1);
}

#[test]
fn a_session_that_ended_during_a_power_cut_is_in_the_history() {
    let mut server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let session = launch(&server, &id);
    let pid = toy.pid();
    until("the first checkpoint", || {
        let log = fs::read_to_string(server.data("library.log")).unwrap_or_default();
        let library = fs::read_to_string(server.data("library.json")).unwrap_or_default();
        let text = format!("{log}{library}").replace(' ', "");
        let written = |rest: &str| rest.split([',', '}', '\n']).next()?.parse::<u64>().ok();
        text.split("\"seconds\":").filter_map(written).find(|seconds| *seconds >= 5)
    });
    server.kill();
    toy.end(0);
    until("the game to end", || Toy::state(pid).is_none_or(|state| state == 'Z').then_some(()));
    for _ in 0..2 {
        server.restart();
        let running = server.get("/api/running");
        assert_eq!(running["running"], json!([]));
        let abandoned = &running["abandoned"][0];
        assert_eq!((&abandoned["launch_id"], &abandoned["name"]), (&json!(session), &json!("One")));
        let rows = history(&server);
        assert_eq!((rows.len(), &rows[0]["game_id"]), (1, &json!(id)));
        let seconds = rows[0]["seconds"].as_u64().expect("a number");
        assert!((5..=60).contains(&seconds), "{seconds}");
        assert_eq!(game(&server, &id)["playtime_seconds"], seconds, "credited once");
        server.kill();
    }
    server.restart();
    for launch in [session.as_str(), session.as_str(), "unknown"] {
        let cleaned = server.post("/api/session/cleanup", &json!({"launch_id": launch}));
        assert_eq!(cleaned, json!({"ok": true}));
        assert_eq!(server.get("/api/running")["abandoned"], json!([]));
    }
    assert_eq!(history(&server).len(), 1);
}

#[test]
fn a_game_that_is_deleted_while_it_runs_credits_nobody_else() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let other = Toy::new(server.scratch(), "games/two", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let neighbour = other.add(&server, "Two", &json!({}));
    let session = launch(&server, &id);
    server.post("/api/game/delete", &json!({"game_id": id}));
    assert_eq!(server.get("/api/running")["running"][0]["game"], "One");
    toy.end(0);
    ended(&server, &session);
    assert_eq!(game(&server, &neighbour)["playtime_seconds"], 0);
    assert_eq!(history(&server)[0]["game"], "One");
}

#[test]
fn history_is_bounded_and_can_be_switched_off() {
    let rows: Vec<_> = (0..500)
        .map(|at| json!({"game": format!("G{at}"), "started": "2020-01-01T00:00:00", "seconds": 1}))
        .collect();
    let library = json!({"games": [], "history": rows}).to_string();
    let server = Setup::new().library(&library).start();
    for (limit, count) in [
        ("", 100),
        ("?limit=0", 1),
        ("?limit=-1", 1),
        ("?limit=1", 1),
        ("?limit=500", 500),
        ("?limit=501", 500),
        ("?limit=x", 100),
        ("?limit=", 100),
    ] {
        let answer = server.get(&format!("/api/history{limit}"));
        let listed = answer["history"].as_array().expect("a list");
        assert_eq!((listed.len(), &listed[0]["game"]), (count, &json!("G499")), "{limit}");
        assert_eq!(answer["enabled"], true);
    }
    server.post("/api/settings", &json!({"track_session_history": false}));
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let session = launch(&server, &toy.add(&server, "One", &json!({})));
    toy.end(0);
    ended(&server, &session);
    let answer = server.get("/api/history?limit=1");
    assert_eq!(
        (&answer["enabled"], &answer["history"][0]["game"]),
        (&json!(false), &json!("G499"))
    );
    let timeline = server.get("/api/v2/history/timeline?days=3650");
    assert_eq!((&timeline["groups"], &timeline["enabled"]), (&json!([]), &json!(false)));
}
