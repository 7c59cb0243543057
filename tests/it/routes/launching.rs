//! What `POST /api/launch` does around a game: power limits, the compositor, the client
//! of a storefront; what is reported at its end; `GET /api/v2/sessions/recap`.

use std::{path::Path, thread};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::Stream,
    toy::Toy,
    wait::until,
};

/// A service that finds these programs of its own before those of the system. Each writes its
/// name and arguments into `told`, then does what its lines say.
pub(super) fn with_programs(programs: &[(&str, &str)]) -> Server {
    let setup = Setup::new();
    let told = setup.scratch().path("told");
    for (name, lines) in programs {
        let tell = format!("echo \"{name} $*\" >> '{}'", told.display());
        setup.scratch().script(format!("bin/{name}"), &format!("{tell}\n{lines}"));
    }
    let path = format!("{}:/usr/bin:/bin", setup.scratch().path("bin").display());
    setup.env("PATH", path).start()
}

/// The lines the programs wrote, once there are so many of them.
#[track_caller]
pub(super) fn told(server: &Server, lines: usize) -> Vec<String> {
    let path = server.scratch().path("told");
    until("the programs to tell", || {
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let all: Vec<_> = text.lines().map(str::to_owned).collect();
        (all.len() >= lines).then_some(all)
    })
}

#[track_caller]
pub(super) fn launch(server: &Server, id: &str) -> String {
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    entry["launch_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
pub(super) fn ended(server: &Server, launch: &str) -> Value {
    until("the session to end", || {
        let events = server.get("/api/running")["events"].as_array().expect("a list").clone();
        let stopped = |event: &Value| event["kind"] == "stopped" && event["launch_id"] == launch;
        events.into_iter().find(stopped)
    })
}

#[track_caller]
pub(super) fn refused(server: &Server, id: &str, message: &str) {
    let request = Request::post("/api/launch", &json!({"game_id": id}));
    let reply = server.send(&request).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
    assert_eq!(server.get("/api/running")["running"], json!([]));
}

pub(super) fn add(server: &Server, name: &str, path: &Path, more: &Value) -> String {
    let mut game = json!({"name": name, "path": path});
    let fields = more.as_object().expect("an object").clone();
    game.as_object_mut().expect("an object").extend(fields);
    let saved = server.post("/api/game", &json!({"game": game}));
    saved["game_id"].as_str().expect("an id").to_owned()
}

/// A service with a tool for power limits, and a game with a limit.
fn with_limits(lines: &str) -> (Server, Toy, String) {
    let server = with_programs(&[("ryzenadj", lines)]);
    server.post("/api/settings", &json!({"apply_perf": "always"}));
    let entries = json!({"Linux": {"enabled": true, "tdp_w": 8.5, "restore_tdp_w": 15}});
    server.post("/api/perf_profiles", &json!({"perf_profiles": entries}));
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({"platform": "Linux"}));
    (server, toy, id)
}

#[test]
fn a_power_limit_is_set_and_given_back() {
    let (server, toy, id) = with_limits("exit 0");
    let session = launch(&server, &id);
    assert_eq!(told(&server, 1), ["ryzenadj -stapm-limit=8500"]);
    toy.end(0);
    ended(&server, &session);
    let both = ["ryzenadj -stapm-limit=8500", "ryzenadj -stapm-limit=15000"];
    assert_eq!(told(&server, 2), both);
    server.post("/api/settings", &json!({"apply_perf": "off"}));
    let session = launch(&server, &id);
    toy.end(0);
    ended(&server, &session);
    assert_eq!(told(&server, 2), both);
}

#[test]
fn a_power_limit_is_given_back_after_a_crash() {
    let (mut server, toy, id) = with_limits("exit 0");
    launch(&server, &id);
    let pid = toy.pid();
    server.kill();
    // The profile that is gone by then is not needed: the session remembers.
    server.restart();
    server.post("/api/perf_profiles", &json!({"perf_profiles": {}}));
    assert_eq!(server.get("/api/running")["running"][0]["pid"], pid);
    server.kill();
    toy.end(0);
    until("the game to end", || Toy::state(pid).is_none_or(|state| state == 'Z').then_some(()));
    server.restart();
    assert_eq!(told(&server, 2)[1], "ryzenadj -stapm-limit=15000");
    assert_eq!(server.get("/api/running")["abandoned"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_tool_that_fails_keeps_no_game_from_starting() {
    let (server, toy, id) = with_limits("exit 3");
    let session = launch(&server, &id);
    toy.end(0);
    ended(&server, &session);
    assert_eq!(told(&server, 1), ["ryzenadj -stapm-limit=8500"], "what was not set is not undone");
}

#[test]
fn a_refused_launch_gives_the_limit_back() {
    let (server, _, id) = with_limits("exit 0");
    // The interpreter of the program is missing, which only the start itself finds out.
    let broken = server.scratch().file_mode("games/broken", "#!/nonexistent/shell\n", 0o755);
    let broken = add(&server, "Broken", &broken, &json!({"platform": "Linux"}));
    let reply = server.send(&Request::post("/api/launch", &json!({"game_id": broken})));
    assert!(
        reply.expect(400).json()["error"]
            .as_str()
            .is_some_and(|text| text.starts_with("The game could not be started"))
    );
    assert_eq!(told(&server, 2), ["ryzenadj -stapm-limit=8500", "ryzenadj -stapm-limit=15000"]);
    let library = std::fs::read_to_string(server.data("library.log")).expect("the log");
    assert!(library.contains("starting"), "the intent was written first");
    assert_eq!(server.get("/api/running")["running"], json!([]));
    ended(&server, &{
        let session = launch(&server, &id);
        server.post("/api/session/control", &json!({"launch_id": session, "action": "kill"}));
        session
    });
}

#[test]
fn the_compositor_takes_the_game() {
    let run = "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"";
    let server = with_programs(&[("gamescope", run)]);
    server.post("/api/settings", &json!({"compositor_preset": "integer"}));
    let game = server.scratch().script("games/game", "exit 4");
    let id = add(&server, "One", &game, &json!({}));
    assert_eq!(ended(&server, &launch(&server, &id))["exit_code"], 4);
    let customs = json!([{"name": "4K", "width": 8, "height": 4}]);
    server.post("/api/settings", &json!({"compositor_custom_presets": customs}));
    let lines = ["-F integer", "-b", "-W 8 -H 4", "-F integer"];
    for preset in ["Borderless", "4k", ""] {
        let fields = json!({"name": "One", "compositor_preset": preset});
        server.post("/api/game", &json!({"game_id": id, "game": fields}));
        assert_eq!(ended(&server, &launch(&server, &id))["exit_code"], 4);
    }
    let line = |arguments: &str| format!("gamescope {arguments} -- {}", game.display());
    assert_eq!(told(&server, 4), lines.map(line));
}

#[test]
fn a_command_is_chosen_in_its_order() {
    let server = Server::start();
    let scratch = server.scratch();
    let player = |name: &str| {
        let tell = format!("printf '%s|' {name} \"$@\" > \"$HOME/said\"");
        scratch.script(format!("bin/{name}"), &tell).display().to_string()
    };
    let (own, named, general) = (player("own"), player("named"), player("general"));
    let profiles = json!({"NES": general, "Mine": format!("{named} --rom={{file}} {{path}}")});
    server.post("/api/profiles", &json!({"profiles": profiles}));
    let rom = scratch.file("roms/a b.nes", "rom");
    let shell = scratch.file("roms/c.sh", "printf 'bash|' > \"$HOME/said\"\n");
    let file = scratch.script("roms/d", "printf 'file|' > \"$HOME/said\"");
    let path = rom.display();
    for (at, (fields, path, profile, said)) in [
        // A command of the game is taken as it is; a player gets the file when it does not ask.
        (json!({"launch": format!("{own} -x"), "platform": "NES"}), &rom, "NES", "own|-x|".into()),
        (
            json!({"launch": own, "launch_profile": "Mine", "platform": "NES"}),
            &rom,
            "Mine",
            "own|".to_owned(),
        ),
        (
            json!({"launch_profile": "Mine", "platform": "NES"}),
            &rom,
            "Mine",
            format!("named|--rom=a b.nes|{path}|"),
        ),
        (
            json!({"launch_profile": "Gone", "platform": "NES"}),
            &rom,
            "NES",
            format!("general|{path}|"),
        ),
        (json!({"platform": "NES"}), &rom, "NES", format!("general|{path}|")),
        (json!({"platform": "Linux"}), &shell, "Linux", "bash|".to_owned()),
        (json!({}), &file, "", "file|".to_owned()),
    ]
    .into_iter()
    .enumerate()
    {
        let id = add(&server, &at.to_string(), path, &fields);
        let entry = server.post("/api/launch", &json!({"game_id": id}));
        assert_eq!(entry["effective_profile"], profile, "{fields}");
        ended(&server, entry["launch_id"].as_str().expect("an id"));
        assert_eq!(String::from_utf8_lossy(&scratch.read("home/said")), said, "{fields}");
    }
    for (command, message) in [
        ("no-such-player {path}", "The launch command was not found: no-such-player"),
        ("''", "The launch command was not found: "),
    ] {
        let id = add(&server, command, &rom, &json!({"launch": command}));
        refused(&server, &id, message);
    }
}

#[test]
fn a_game_that_a_drive_marks_as_executable_starts_in_no_shell() {
    let setup = Setup::new();
    let mark = setup.scratch().path("mark");
    let text = format!("NES\u{1a}\ntouch '{}'\n", mark.display());
    let paths = ["a.xyz", "b.exe"].map(|name| setup.scratch().file_mode(name, &text, 0o755));
    let games: Vec<_> = paths.iter().map(|path| json!({"name": "A", "path": path})).collect();
    let own = json!({"name": "B", "path": paths[0], "launch": format!("'{}'", paths[1].display())});
    let library = json!({"schema_version": 6, "games": [games[0], games[1], own]});
    let server = setup.library(&library.to_string()).start();
    for id in 0..3 {
        let reply = server.send(&Request::post("/api/launch", &json!({"id": id})));
        reply.expect(400);
    }
    assert!(!mark.exists());
    assert_eq!(server.get("/api/running")["running"], json!([]));
}

#[test]
fn without_a_compositor_or_inside_of_one_a_game_starts_as_it_is() {
    let settings = json!({"compositor_preset": "integer", "apply_perf": "auto"});
    let limits = json!({"Linux": {"enabled": true, "tdp_w": 8, "restore_tdp_w": 15}});
    let lines = "while [ \"$1\" != -- ]; do shift; done; shift; exec \"$@\"";
    for is_guest in [false, true] {
        let setup = Setup::new();
        let told = setup.scratch().path("told");
        let tell = |name: &str| format!("echo \"{name} $*\" >> '{}'", told.display());
        setup.scratch().script("bin/ryzenadj", &tell("ryzenadj"));
        if is_guest {
            let lines = format!("{}\n{lines}", tell("gamescope"));
            setup.scratch().script("bin/gamescope", &lines);
        }
        let path = setup.scratch().path("bin").display().to_string();
        let setup = setup.env("PATH", format!("{path}:/usr/bin:/bin"));
        let mark = if is_guest { "gamescope-0" } else { "" };
        let server = setup.env("GAMESCOPE_WAYLAND_DISPLAY", mark).start();
        assert_eq!(server.post("/api/settings", &settings)["compositor_guest"], is_guest);
        server.post("/api/perf_profiles", &json!({"perf_profiles": limits}));
        let game = server.scratch().script("games/game", "exit 4");
        let id = add(&server, "One", &game, &json!({"platform": "Linux"}));
        assert_eq!(ended(&server, &launch(&server, &id))["exit_code"], 4);
        if is_guest {
            // Limits that are set by themselves are for machines on battery and such sessions.
            let both = ["ryzenadj -stapm-limit=8000", "ryzenadj -stapm-limit=15000"];
            assert_eq!(self::told(&server, 2), both);
        }
    }
}

#[test]
fn a_game_chooses_its_own_overlay() {
    let server = Setup::new().env("MANGOHUD", "mine").start();
    let game = server.scratch().script("games/game", "echo \"$MANGOHUD|$MANGOHUD_CONFIG\" > told");
    let id = add(&server, "One", &game, &json!({}));
    assert_eq!(server.get("/api/library")["games"][0]["overlay"], "");
    let on = "1|font_size=24,no_display\n";
    for (general, own, expected) in [
        (false, "inherit", "mine|\n"),
        (false, "on", on),
        (false, "off", "|\n"),
        (true, "", on),
        (true, " inherit ", on),
        (true, "off", "|\n"),
        (true, "on", on),
    ] {
        server.post("/api/settings", &json!({"overlay_enabled": general}));
        let fields = json!({"name": "One", "overlay": own});
        server.post("/api/game", &json!({"game_id": id, "game": fields}));
        assert_eq!(server.get("/api/library")["games"][0]["overlay"], own.trim());
        ended(&server, &launch(&server, &id));
        let told = String::from_utf8(server.scratch().read("games/told")).expect("text");
        assert_eq!(told, expected, "{general} {own:?}");
    }
}

#[test]
fn the_client_of_a_storefront_is_closed_after_the_game() {
    let server = with_programs(&[("steam", "exit 0"), ("flatpak", "exit 1")]);
    let game = server.scratch().script("games/game", "exit 0");
    let id = add(&server, "One", &game, &json!({"source": "Steam"}));
    let other = add(
        &server,
        "Two",
        &server.scratch().script("games/two", "exit 0"),
        &json!({"source": "lutris"}),
    );
    ended(&server, &launch(&server, &id));
    let lines = |name: &str| {
        let all = std::fs::read_to_string(server.scratch().path("told")).unwrap_or_default();
        all.lines().filter(|line| line.starts_with(name)).map(str::to_owned).collect::<Vec<_>>()
    };
    assert!(lines("steam").is_empty(), "only where it is wanted");
    server.post("/api/settings", &json!({"auto_close_store_clients": true}));
    ended(&server, &launch(&server, &id));
    let closed =
        until("the client to be closed", || Some(lines("steam")).filter(|all| !all.is_empty()));
    assert_eq!(closed, ["steam -shutdown"]);
    ended(&server, &launch(&server, &other));
    let kill = "flatpak kill net.lutris.Lutris";
    until("the package to be ended", || {
        lines("flatpak kill").contains(&kill.to_owned()).then_some(())
    });
}

#[test]
fn every_source_has_its_client() {
    let clients = [("steam", "exit 0"), ("heroic", "exit 0"), ("lutris", "exit 0")];
    let server = with_programs(&clients);
    server.post("/api/settings", &json!({"auto_close_store_clients": true}));
    let game = server.scratch().script("games/game", "exit 0");
    let mut count = 0;
    for (source, client) in [
        ("Steam", "steam"),
        ("store_a", "steam"),
        ("store_b", "heroic"),
        ("Epic", "heroic"),
        (" gog ", "heroic"),
        ("Amazon", "heroic"),
        ("store_c", "lutris"),
        ("Lutris", "lutris"),
    ] {
        let id = add(&server, source, &game, &json!({"source": source}));
        ended(&server, &launch(&server, &id));
        count += 1;
        assert_eq!(told(&server, count)[count - 1], format!("{client} -shutdown"), "{source}");
    }
    for source in ["", "libserver", "Shelf"] {
        let id = add(&server, "Other", &game, &json!({"source": source}));
        ended(&server, &launch(&server, &id));
    }
    let id = add(&server, "Last", &game, &json!({"source": "steam"}));
    ended(&server, &launch(&server, &id));
    assert_eq!(told(&server, count + 1).len(), count + 1, "other sources have none");
}

#[test]
fn the_end_of_a_session_is_recapped() {
    let mut server = Setup::new().env("TZ", "Asia/Kolkata").start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let cover = server.scratch().file("data/media/one.png", "png");
    let fields = json!({"platform": "Linux", "cover": cover});
    let id = toy.add(&server, "One", &fields);
    let none = |server: &Server| {
        let reply = server.send(&Request::get("/api/v2/sessions/recap")).expect(404).json();
        assert_eq!(reply["code"], "RECAP_NOT_FOUND");
    };
    none(&server);
    server.post("/api/games/bulk", &json!({"ids": [id], "changes": {"playtime_seconds": 7_199}}));
    let mut stream = Stream::open(&server);
    let session = launch(&server, &id);
    toy.end(0);
    let milestone = stream.hear("playtime_milestone");
    assert_eq!((&milestone["game_id"], &milestone["hours"]), (&json!(id), &json!(2)));
    let told = stream.hear("session.recap");
    let recap = server.get("/api/v2/sessions/recap");
    assert_eq!(told, recap);
    let row = server.get("/api/history")["history"][0].clone();
    for (key, value) in [
        ("launch_id", json!(session)),
        ("game_id", json!(id)),
        ("name", json!("One")),
        ("platform", json!("Linux")),
        ("started_at", row["started"].clone()),
        ("seconds", row["seconds"].clone()),
        ("exit_code", json!(0)),
        ("partial", json!(false)),
        ("game_missing", json!(false)),
        ("progress", json!("Playing")),
        ("screenshots_taken", json!(0)),
        ("resume_state_available", json!(false)),
        ("capture", json!({"moment": false, "clip": false})),
    ] {
        assert_eq!(recap[key], value, "{key}");
    }
    for key in ["tracked", "available", "baseline", "mastered"] {
        assert_eq!(recap["ach"][key], false, "{key}");
    }
    let entry = || server.get("/api/v2/history/timeline")["groups"][0]["entries"][0].clone();
    assert_eq!(entry()["has_cover"], true);
    std::fs::remove_file(&cover).expect("there");
    assert_eq!(entry()["has_cover"], false);
    server.kill();
    server.restart();
    let recap = server.get("/api/v2/sessions/recap");
    assert_eq!((&recap["launch_id"], &recap["partial"]), (&json!(""), &json!(true)));
    let started = row["started"].as_str().expect("a time");
    let seconds = |text: &str| {
        let time: jiff::civil::DateTime = text.parse().expect("a time");
        time.to_zoned(jiff::tz::TimeZone::UTC).expect("a moment").timestamp().as_second()
    };
    let stopped = seconds(recap["stopped_at"].as_str().expect("a time")) - seconds(started);
    assert_eq!(json!(stopped), row["seconds"], "both times are local ones");
    assert_eq!((&recap["name"], &recap["seconds"]), (&json!("One"), &row["seconds"]));
    for key in ["session_recap_enabled", "track_session_history"] {
        server.post("/api/settings", &json!({key: false}));
        none(&server);
        server.post("/api/settings", &json!({key: true}));
    }
}

#[test]
fn progress_follows_play_and_idleness_where_that_is_wanted() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let id = toy.add(&server, "One", &json!({}));
    let settings = |on: bool, first: &str, minutes: u32, days: u32| {
        let posted = json!({"progress_automation_enabled": on, "progress_on_first_play": first,
            "progress_automation_play_minutes": minutes, "progress_automation_idle_days": days});
        server.post("/api/settings", &posted);
    };
    let change = |changes: Value| {
        server.post("/api/games/bulk", &json!({"ids": [id], "changes": changes}));
    };
    let progress = || server.get("/api/library")["games"][0]["progress"].clone();
    // A session counts for a second at least, so 59 seconds before it make a minute.
    for (on, first, minutes, days, before, seconds, last_played, expected) in [
        (false, "Paused", 1, 1, "", 59, "2020-01-01", "Paused"),
        (false, "", 1, 1, "", 59, "2020-01-01", ""),
        (true, "", 1, 0, "", 59, "", "Playing"),
        (true, "", 2, 0, "", 59, "", ""),
        (true, "", 0, 0, "", 9_999, "", ""),
        (true, "", 1, 0, "Paused", 59, "", "Playing"),
        (true, "", 1, 0, "Beaten", 59, "", "Beaten"),
        (true, "Abandoned", 1, 0, "", 59, "", "Abandoned"),
        (true, "", 0, 30, "Playing", 0, "2020-01-01", "Paused"),
        (true, "", 0, 0, "Playing", 0, "2020-01-01", "Playing"),
        (true, "", 0, 30, "Completed", 0, "2020-01-01", "Completed"),
        (true, "", 0, 1, "Playing", 0, "", "Playing"),
    ] {
        settings(on, first, minutes, days);
        change(json!({"progress": before, "playtime_seconds": seconds}));
        let session = launch(&server, &id);
        toy.pid();
        if !last_played.is_empty() {
            change(json!({"last_played": last_played}));
        }
        toy.end(0);
        toy.forget();
        ended(&server, &session);
        let case = (on, first, minutes, days, before, seconds, last_played);
        assert_eq!(progress(), expected, "{case:?}");
    }
}

#[test]
fn deleting_while_launching_loses_nothing() {
    let server = Server::start();
    let keep = server.scratch().script("games/keep", "exit 0");
    let keep = add(&server, "Keep", &keep, &json!({"genre": "RPG"}));
    for round in 0..8 {
        let game = server.scratch().script(format!("games/{round}"), "exit 0");
        let id = add(&server, &round.to_string(), &game, &json!({}));
        let launch = Request::post("/api/launch", &json!({"game_id": id}));
        let delete = Request::post("/api/game/delete", &json!({"game_id": id}));
        let (started, removed) = thread::scope(|scope| {
            let started = scope.spawn(|| server.send(&launch));
            let removed = scope.spawn(|| server.send(&delete));
            (started.join().expect("an answer"), removed.join().expect("an answer"))
        });
        assert_eq!(removed.expect(200).json()["removed"], json!(round.to_string()));
        if started.status == 200 {
            let session = started.json()["launch_id"].as_str().expect("an id").to_owned();
            ended(&server, &session);
        } else {
            assert_eq!(started.expect(400).json()["error"], "Game not found");
        }
        assert_eq!(server.get("/api/running")["running"], json!([]));
    }
    let games = server.get("/api/library")["games"].clone();
    assert_eq!(games.as_array().map(Vec::len), Some(1));
    let kept = &games[0];
    assert_eq!((&kept["game_id"], &kept["genre"]), (&json!(keep), &json!("RPG")));
    assert_eq!((&kept["play_count"], &kept["playtime_seconds"]), (&json!(0), &json!(0)));
}

#[test]
fn a_game_that_is_handed_over_is_tracked_as_it_wants() {
    let server = Server::start();
    // The script hands over to a process with a session of its own, in the folder of the game. Its
    // name is of this run alone: a session goes on while anybody runs a program of that name.
    let name = format!("handed-{}", std::process::id());
    // The script ends after its child has the name: the session ends when no process has it then.
    let hand_over = format!(
        "cp /bin/sleep ./{name}\nsetsid ./{name} 1000 & child=$!\n\
         until [ \"$(cat /proc/$child/comm)\" = {name} ]; do :; done\n\
         echo $child > up.new; mv up.new up; exit 6"
    );
    server.post("/api/settings", &json!({"tracking_frequency": 0.5}));
    for (mode, more, is_followed) in [
        ("", json!({}), false),
        ("default", json!({}), false),
        ("process", json!({}), false),
        ("original_process", json!({}), false),
        ("folder", json!({}), true),
        ("folder", json!({"tracking_delay": "1", "tracking_frequency": "0.5"}), true),
        ("process_name", json!({"tracking_process_name": name.to_uppercase()}), true),
        ("process_name", json!({"tracking_process_name": format!("nobody-{name}")}), false),
    ] {
        let folder = format!("games/{mode}{}", more.as_object().expect("object").len());
        let folder = if is_followed { folder } else { format!("{folder}-alone") };
        let toy = Toy::with_script(server.scratch(), &folder, "game.sh", &hand_over);
        let mut fields = more.clone();
        fields["tracking_mode"] = json!(mode);
        let id = toy.add(&server, &folder, &fields);
        let session = launch(&server, &id);
        let handed = toy.pid();
        let stopped = || {
            let events = server.get("/api/running")["events"].as_array().expect("a list").clone();
            events
                .into_iter()
                .any(|event| event["kind"] == "stopped" && event["launch_id"] == session)
        };
        if is_followed {
            // The script has ended; a look or two later the game still counts as running.
            let start = std::time::Instant::now();
            until("two looks", || (start.elapsed().as_millis() > 1_100).then_some(()));
            assert!(!stopped(), "{mode} {more}");
            let kill = json!({"launch_id": session, "action": "kill"});
            server.post("/api/session/control", &kill);
        }
        let event = ended(&server, &session);
        assert_eq!(
            (&event["exit_code"], &event["timed_out"]),
            (&json!(6), &json!(false)),
            "{mode}"
        );
        let ended = || Toy::state(handed).is_none_or(|state| state == 'Z');
        assert_eq!(ended(), is_followed, "{mode} {more}");
    }
}
