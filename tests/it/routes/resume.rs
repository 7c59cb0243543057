//! `/api/v2/resume*` with substitute emulators that write real states.

use std::{fs, io::Write as _, os::unix::fs::OpenOptionsExt as _};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    emulator::{DOLPHIN, MAME, RETROARCH, SCUMMVM, add, ended, play, with_programs},
    server::{Server, Setup},
    wait::until,
};

const RESUME: &str = "/api/v2/resume";
const DISCARD: &str = "/api/v2/resume/discard";

fn status(server: &Server, id: &str) -> Value {
    server.get(&format!("/api/v2/resume/status?game_id={id}"))
}

#[track_caller]
fn refused(server: &Server, request: &Request, status: u16, code: &str) {
    let reply = server.send(request).expect(status).json();
    assert_eq!(reply["code"], code, "{reply}");
    assert!(reply["error"].as_str().is_some_and(|error| error.len() > 5), "{reply}");
}

#[track_caller]
fn refuses(server: &Server, body: &Value, status: u16, code: &str) {
    refused(server, &Request::post(RESUME, body), status, code);
}

/// Assigns the emulator of a definition to a game.
fn choose(server: &Server, id: &str, definition: &str) {
    let body = json!({"game_ids": [id], "adapter_id": definition});
    server.post("/api/v2/launch/adapter", &body);
}

/// Resumes from the kept state, plays to the end and returns the answer.
#[track_caller]
fn resume(server: &Server, id: &str) -> Value {
    let reply = server.post(RESUME, &json!({"game_id": id}));
    assert_eq!((&reply["ok"], &reply["resumed_from_state"]), (&json!(true), &json!(true)));
    ended(server, reply["launch_id"].as_str().expect("an id"));
    reply
}

fn calls(server: &Server) -> Vec<String> {
    let text = fs::read_to_string(server.scratch().path("state/calls")).expect("it was called");
    text.lines().map(str::to_owned).collect()
}

/// What the kept state of a game holds.
#[track_caller]
fn kept(server: &Server, id: &str) -> String {
    let file = status(server, id)["state"]["file"].as_str().expect("a state").to_owned();
    let path = server.data("resume_states").join(id).join(file);
    fs::read_to_string(path).expect("a state").trim().to_owned()
}

#[test]
fn a_counter_goes_on_in_retroarch() {
    let server = with_programs(&[("retroarch", RETROARCH)]).start();
    let id = add(&server, "Counter.nes", "NES", &json!({}));
    let before = status(&server, &id);
    assert_eq!(
        before,
        json!({"game_id": id, "enabled": true, "capable": true, "kind": "retroarch",
            "capture": true, "adapter_id": "retroarch-nes", "precedence": "registry_adapter",
            "available": false, "stale": false, "adapter_changed": false, "state": null,
            "reason": "ok"})
    );
    refuses(&server, &json!({"game_id": id}), 404, "RESUME_STATE_MISSING");
    refused(&server, &Request::post(DISCARD, &json!({"game_id": id})), 404, "RESUME_STATE_MISSING");
    let launch = play(&server, &id);
    let after = status(&server, &id);
    let state = &after["state"];
    assert_eq!((&after["available"], &after["stale"]), (&json!(true), &json!(false)), "{after}");
    assert_eq!((&state["file"], &state["launch_id"]), (&json!("resume.state"), &json!(launch)));
    assert_eq!((&state["adapter_id"], &state["size"]), (&json!("retroarch-nes"), &json!(2)));
    assert_eq!(state["thumbnail"], "thumb.png");
    let capture = state["capture_id"].as_str().expect("an id");
    assert!(capture.starts_with("capture-") && capture.len() == 32, "{capture}");
    let version = state["emulator_version"].as_str().expect("a build");
    assert!(version.contains("/bin/retroarch:"), "{version}");
    let stored = server.data("resume_states").join(&id).join("state.json");
    let stored: Value = serde_json::from_slice(&fs::read(stored).expect("a record")).expect("JSON");
    for key in ["adapter_id", "emulator_version", "kind", "capture_id", "file", "captured_at"] {
        assert!(stored[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    assert_eq!(kept(&server, &id), "1");
    let reply = resume(&server, &id);
    let file = reply["state_file"].as_str().expect("a path");
    assert!(file.ends_with("/resume.state"), "{file}");
    assert_eq!(kept(&server, &id), "2");
    let recap = server.get("/api/v2/sessions/recap");
    assert_eq!(recap["resume_state_available"], true);
    // A new start begins from scratch and keeps what was there until its own state is kept.
    play(&server, &id);
    assert_eq!(kept(&server, &id), "1");
    let lines = calls(&server);
    let config = server.data("resume_states").join(&id).join("service-session.cfg");
    let option = format!("--appendconfig {}", config.display());
    assert!(lines.iter().all(|line| line.contains(&option)), "{lines:?}");
    assert!(lines.iter().all(|line| !line.split(' ').any(|word| word == "-s")), "{lines:?}");
    assert_eq!(
        server.post(DISCARD, &json!({"game_id": id})),
        json!({"ok": true, "discarded": true})
    );
    assert_eq!(status(&server, &id)["available"], false);
}

#[test]
fn mame_and_scummvm_go_on_with_their_own_words() {
    let server = with_programs(&[("mame", MAME), ("scummvm", SCUMMVM)]).start();
    let arcade = add(&server, "pac.zip", "Arcade", &json!({}));
    play(&server, &arcade);
    assert_eq!(status(&server, &arcade)["state"]["file"], "pac/service-resume.sta");
    resume(&server, &arcade);
    assert_eq!(kept(&server, &arcade), "2");
    let last = calls(&server).pop().expect("a call");
    let folder = server.data("resume_states").join(&arcade);
    let words = format!("-autosave -state_directory {} -state service-resume", folder.display());
    assert!(last.contains(&words), "{last}");
    let adventure = add(&server, "sky.scummvm", "ScummVM", &json!({}));
    play(&server, &adventure);
    resume(&server, &adventure);
    assert_eq!(
        (kept(&server, &adventure).as_str(), status(&server, &adventure)["state"]["file"].clone()),
        ("2", json!("game.s00"))
    );
    let last = calls(&server).pop().expect("a call");
    assert!(last.contains("--save-slot=0") && last.ends_with("sky.scummvm"), "{last}");
}

#[test]
fn dolphin_reads_a_state_that_was_put_there() {
    let server = with_programs(&[("dolphin-emu", DOLPHIN)]).start();
    let id = add(&server, "disc.wbfs", "Wii", &json!({}));
    play(&server, &id);
    let before = status(&server, &id);
    assert_eq!((&before["capable"], &before["capture"]), (&json!(true), &json!(false)));
    assert_eq!(before["available"], false);
    let folder = server.data("resume_states").join(&id);
    fs::write(folder.join("resume.s01"), "disc state").expect("written");
    let record =
        json!({"adapter_id": "dolphin-wii", "emulator_version": "old", "file": "resume.s01"});
    fs::write(folder.join("state.json"), record.to_string()).expect("written");
    let after = status(&server, &id);
    assert_eq!((&after["stale"], &after["adapter_changed"]), (&json!(true), &json!(false)));
    refuses(&server, &json!({"game_id": id}), 409, "RESUME_STATE_STALE");
    refuses(&server, &json!({"game_id": id, "allow_stale": false}), 409, "RESUME_STATE_STALE");
    refuses(&server, &json!({"game_id": id, "allow_stale": "yes"}), 400, "BAD_REQUEST");
    let reply = server.post(RESUME, &json!({"game_id": id, "allow_stale": true}));
    ended(&server, reply["launch_id"].as_str().expect("an id"));
    assert_eq!(server.scratch().read("state/loaded"), b"disc state");
    let last = calls(&server).pop().expect("a call");
    assert!(last.contains(&format!("--save_state={}/resume.s01", folder.display())), "{last}");
    assert!(last.contains("-b -e /"), "{last}");
}

#[test]
fn an_update_of_the_emulator_makes_a_state_stale() {
    let server = with_programs(&[("retroarch", RETROARCH)]).start();
    let id = add(&server, "Counter.nes", "NES", &json!({}));
    play(&server, &id);
    server.scratch().script("bin/retroarch", &format!("# a new version{RETROARCH}"));
    let after = status(&server, &id);
    assert_eq!((&after["available"], &after["stale"]), (&json!(true), &json!(true)));
    refuses(&server, &json!({"game_id": id}), 409, "RESUME_STATE_STALE");
    let reply = server.post(RESUME, &json!({"game_id": id, "allow_stale": true}));
    ended(&server, reply["launch_id"].as_str().expect("an id"));
    assert_eq!(status(&server, &id)["stale"], false, "it left a state of the new version");
    assert_eq!(kept(&server, &id), "2");
}

#[test]
fn what_cannot_go_on_says_why() {
    let server = with_programs(&[("retroarch", RETROARCH), ("mine", "exit 0")]).start();
    for query in ["", "?game_id=", "?game_id=game-gone", "?id=99"] {
        let request = Request::get(&format!("/api/v2/resume/status{query}"));
        refused(&server, &request, 400, "GAME_NOT_FOUND");
    }
    for body in [json!({}), json!({"game_id": "game-gone"}), json!({"id": 7})] {
        refuses(&server, &body, 400, "GAME_NOT_FOUND");
        refused(&server, &Request::post(DISCARD, &body), 400, "GAME_NOT_FOUND");
    }
    let own = add(&server, "own.nes", "NES", &json!({"launch": "mine {path}"}));
    let adapter = add(&server, "picked.nes", "NES", &json!({}));
    choose(&server, &adapter, "retroarch-nes");
    let none = add(&server, "none.odd", "Odd", &json!({}));
    let melon = add(&server, "melon.nds", "Nintendo DS", &json!({}));
    choose(&server, &melon, "melonds-nds");
    let gone = add(&server, "gone.nes", "NES", &json!({}));
    fs::remove_file(server.scratch().path("games/gone.nes")).expect("there");
    for (id, precedence, reason, is_capable) in [
        (&own, "game_launch", "unsupported-adapter", false),
        (&adapter, "game_adapter", "ok", true),
        (&none, "direct_exe", "unsupported-adapter", false),
        (&melon, "game_adapter", "unsupported-adapter", false),
        (&gone, "registry_adapter", "missing-path", false),
    ] {
        let found = status(&server, id);
        assert_eq!((&found["precedence"], &found["reason"]), (&json!(precedence), &json!(reason)));
        assert_eq!(found["capable"], is_capable, "{found}");
        if !is_capable {
            assert_eq!((&found["kind"], &found["adapter_id"]), (&json!("none"), &json!("")));
            refuses(&server, &json!({"game_id": id}), 400, "RESUME_UNSUPPORTED");
        }
    }
    server.post("/api/profiles", &json!({"profiles": {"SNES": "mine {path}"}}));
    let profile = add(&server, "profile.sfc", "SNES", &json!({}));
    assert_eq!(status(&server, &profile)["precedence"], "platform_profile");
    server.post("/api/settings", &json!({"quick_resume_enabled": false}));
    assert_eq!(status(&server, &adapter)["enabled"], false);
    refuses(&server, &json!({"game_id": adapter}), 400, "QUICK_RESUME_DISABLED");
    play(&server, &adapter);
    let last = calls(&server).pop().expect("a call");
    assert!(!last.contains("--appendconfig"), "{last}");
    assert_eq!(status(&server, &adapter)["available"], false);
}

#[test]
fn states_are_archived_by_the_setting() {
    let server = with_programs(&[("mame", MAME)]).start();
    let id = add(&server, "pac.zip", "Arcade", &json!({}));
    let archived = |server: &Server| {
        let folder = server.data("resume_states").join(&id).join("archive");
        fs::read_dir(folder).map_or(0, Iterator::count)
    };
    play(&server, &id);
    resume(&server, &id);
    assert_eq!(archived(&server), 0, "one state of each game is the default");
    server.post("/api/settings", &json!({"state_retention": 3}));
    for _ in 0..4 {
        resume(&server, &id);
    }
    assert_eq!((archived(&server), kept(&server, &id).as_str()), (2, "6"));
    server.post(DISCARD, &json!({"game_id": id}));
    assert_eq!(archived(&server), 2, "only the kept state goes");
}

#[test]
fn a_crash_of_the_emulator_loses_nothing() {
    let server = with_programs(&[("retroarch", RETROARCH)]).start();
    let id = add(&server, "Counter.nes", "NES", &json!({}));
    play(&server, &id);
    let before = status(&server, &id)["state"].clone();
    server.scratch().file("state/crash", "");
    resume(&server, &id);
    assert_eq!(status(&server, &id)["state"], before);
    assert_eq!(kept(&server, &id), "1");
}

/// The service is killed while a game runs; its state is kept all the same, whether the service comes
/// back before or after the end of the game.
#[test]
fn a_state_is_kept_across_a_kill_of_the_service() {
    for comes_back_first in [true, false] {
        let mut server = held(with_programs(&[("retroarch", RETROARCH)]));
        let id = add(&server, "Counter.nes", "NES", &json!({}));
        let entry = server.post("/api/launch", &json!({"game_id": id}));
        let pid = entry["pid"].as_i64().expect("a number");
        until("the game to wait", || calls_exist(&server).then_some(()));
        server.kill();
        if comes_back_first {
            server.restart();
        }
        let_go(&server);
        until("the game to end", || {
            let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
            (stat.is_empty() || stat.contains(") Z ")).then_some(())
        });
        if !comes_back_first {
            server.restart();
        }
        until("the state to be kept", || {
            status(&server, &id)["available"].as_bool().filter(|is_there| *is_there)
        });
        assert_eq!(kept(&server, &id), "1");
    }
}

/// A service whose substitute waits until it is let go.
fn held(setup: Setup) -> Server {
    let gate = setup.scratch().path("state/hold");
    rustix::fs::mknodat(
        rustix::fs::CWD,
        &gate,
        rustix::fs::FileType::Fifo,
        rustix::fs::Mode::RWXU,
        0,
    )
    .expect("a FIFO");
    setup.start()
}

fn calls_exist(server: &Server) -> bool {
    server.scratch().path("state/calls").exists()
}

fn let_go(server: &Server) {
    let gate = server.scratch().path("state/hold");
    let mut options = fs::OpenOptions::new();
    options.write(true).custom_flags(rustix::fs::OFlags::NONBLOCK.bits().cast_signed());
    let mut gate = until("the game to wait", || options.open(&gate).ok());
    writeln!(gate, "go").expect("it reads");
}

#[test]
fn a_running_game_is_not_started_twice() {
    let server = held(with_programs(&[("retroarch", RETROARCH)]));
    let id = add(&server, "Counter.nes", "NES", &json!({}));
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    let_go(&server);
    ended(&server, entry["launch_id"].as_str().expect("an id"));
    let reply = server.post(RESUME, &json!({"game_id": id}));
    let running = server.get("/api/running");
    assert_eq!(running["running"][0]["resumed_from_state"], true);
    refuses(&server, &json!({"game_id": id}), 409, "LAUNCH_ALREADY_ACTIVE");
    let_go(&server);
    ended(&server, reply["launch_id"].as_str().expect("an id"));
}

#[test]
fn files_that_lead_elsewhere_are_no_states() {
    let server = with_programs(&[("retroarch", RETROARCH)]).start();
    let id = add(&server, "Counter.nes", "NES", &json!({}));
    let folder = server.data("resume_states").join(&id);
    fs::create_dir_all(&folder).expect("a folder");
    server.scratch().file("secret", "x");
    for record in ["{\"file\":\"../../../secret\"}", "{\"file\":\"/etc/passwd\"}", "broken", "[]"] {
        fs::write(folder.join("state.json"), record).expect("written");
        let found = status(&server, &id);
        assert_eq!(
            (&found["available"], &found["state"]),
            (&json!(false), &json!(null)),
            "{record}"
        );
        refuses(&server, &json!({"game_id": id}), 404, "RESUME_STATE_MISSING");
    }
}
