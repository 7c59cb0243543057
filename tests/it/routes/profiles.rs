//! `GET` and `POST /api/profiles`, `/api/perf_profiles`, and the commands that run at start and stop.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    wait::until,
};

/// A service that sees only programs of its own: an emulator, and a package tool that knows one.
fn with_programs() -> Setup {
    let setup = Setup::new();
    setup.scratch().script("my bin/retroarch", "exit 0");
    setup.scratch().script("my bin/wine", "exit 0");
    let asked = "echo \"$2\" >> \"${0%/*}/asked\"";
    setup.scratch().script(
        "my bin/flatpak",
        &format!("[ \"$1\" = info ] || exit 2\n{asked}\n[ \"$2\" = net.pcsx2.PCSX2 ]"),
    );
    let path = setup.scratch().path("my bin");
    setup.env("PATH", path)
}

#[test]
fn installed_emulators_are_detected_and_become_profiles() {
    let server = with_programs().start();
    let bin = server.scratch().path("my bin");
    let answer = server.get("/api/profiles");
    let nes =
        format!("'{}/retroarch' -L /usr/lib/libretro/fceumm_libretro.so {{path}}", bin.display());
    let ps2 = format!("'{}/flatpak' run net.pcsx2.PCSX2 -batch {{path}}", bin.display());
    let detected = &answer["detected"];
    assert_eq!((&detected["NES"], &detected["PlayStation 2"]), (&json!(nes), &json!(ps2)));
    assert_eq!((&detected["Windows"], &detected["DOSBox"]), (&json!("wine {path}"), &json!(null)));
    assert_eq!(detected["GameCube"], json!(null));
    until("the detected commands to be stored", || {
        (server.get("/api/profiles")["profiles"]["NES"] == nes).then_some(())
    });
    // The package tool is asked once about each emulator, not with every request.
    let asked = String::from_utf8(server.scratch().read("my bin/asked")).expect("text");
    let about_ps2 = asked.lines().filter(|line| *line == "net.pcsx2.PCSX2").count();
    assert!((1..=2).contains(&about_ps2), "{asked}");
}

#[test]
fn the_first_question_after_a_start_waits_for_the_detected_commands() {
    let setup = with_programs();
    // Asked for each package, it takes a while.
    let slow = "[ \"$1\" = info ] || exit 2\n/bin/sleep 0.02\n[ \"$2\" = net.pcsx2.PCSX2 ]";
    setup.scratch().script("my bin/flatpak", slow);
    let server = setup.start();
    let answer = server.get("/api/profiles");
    assert_eq!(answer["profiles"], answer["detected"]);
    assert!(answer["profiles"]["PlayStation 2"].is_string(), "{answer}");
}

#[test]
fn detection_adds_nothing_to_what_a_client_saved_meanwhile() {
    let setup = with_programs();
    let gate = setup.scratch().folder("my bin").join("gate");
    rustix::fs::mkfifoat(rustix::fs::CWD, &gate, 0o600.into()).expect("made");
    // The package tool answers once somebody writes to the pipe.
    let wait = "gate=\"${0%/*}/gate\"\n[ ! -p \"$gate\" ] || read line < \"$gate\"";
    setup.scratch().script("my bin/flatpak", &format!("{wait}\nexit 1"));
    let mut server = setup.start();
    let pipe = fs::File::options().write(true).open(&gate).expect("a reader waits");
    let mine = json!({"profiles": {"NES": "mine {path}"}});
    assert_eq!(server.post("/api/profiles", &mine), json!({"saved": 1}));
    fs::remove_file(&gate).expect("removed");
    drop(pipe);
    // A stop waits for the detection.
    server.stop();
    let library = fs::read(server.data("library.json")).expect("read");
    let library: Value = serde_json::from_slice(&library).expect("a library");
    assert_eq!(library["profiles"], mine["profiles"]);
}

#[test]
fn an_app_image_is_detected_and_plays_its_platform() {
    let setup = with_programs();
    let applications = setup.scratch().path("home/Applications");
    setup.scratch().script("home/Applications/duckstation-x64-1.9.AppImage", "exit 0");
    setup.scratch().script("home/Applications/DuckStation-x64-1.10.AppImage", "exit 0");
    setup.scratch().file_mode("home/Applications/DuckStation-x64-2.AppImage", "new", 0o644);
    let server = setup.start();
    let command =
        format!("{}/DuckStation-x64-1.10.AppImage -batch {{path}}", applications.display());
    assert_eq!(server.get("/api/profiles")["detected"]["PlayStation"], command);
    let of = |server: &Server| server.get("/api/profiles")["profiles"]["PlayStation"].clone();
    until("the detected command to be stored", || (of(&server) == command).then_some(()));
}

#[test]
fn profiles_are_replaced_as_a_whole() {
    let server = Server::start();
    let first = json!({"NES": "a {path}", "SNES": "b", "": "c", "Wii": "  "});
    assert_eq!(server.post("/api/profiles", &json!({"profiles": first})), json!({"saved": 2}));
    let stored = server.get("/api/v1/profiles")["profiles"].clone();
    assert_eq!((&stored["NES"], &stored["SNES"]), (&json!("a {path}"), &json!("b")));
    assert_eq!(server.post("/api/v1/profiles", &json!({"profiles": {}})), json!({"saved": 0}));
    for body in
        [json!({}), json!({"profiles": []}), json!({"profiles": "x"}), json!({"profiles": null})]
    {
        let reply = server.send(&Request::post("/api/profiles", &body)).expect(400).json();
        assert_eq!(reply["error"], "Profiles must be an object.");
    }
}

#[test]
fn power_limits_are_checked_and_kept() {
    let mut server = Server::start();
    assert_eq!(server.get("/api/perf_profiles"), json!({"perf_profiles": {}}));
    let entries = json!({"NES": {"enabled": true, "tdp_w": 8, "restore_tdp_w": 15.5},
        "Zero": {"enabled": false, "tdp_w": 0, "restore_tdp_w": 0}, " ": {"tdp_w": 4}});
    assert_eq!(
        server.post("/api/perf_profiles", &json!({"perf_profiles": entries})),
        json!({"saved": 1})
    );
    let (no_power, no_object) =
        ("Invalid TDP value for profile NES.", "Performance profiles must be an object.");
    for (bad, message) in [
        (json!({"perf_profiles": {"NES": {"tdp_w": "ten"}}}), no_power),
        (json!({"perf_profiles": {"NES": {"tdp_w": 5, "restore_tdp_w": []}}}), no_power),
        (json!({"NES": {"tdp_w": true}}), no_power),
        (json!({"NES": {"restore_tdp_w": "1e999"}}), no_power),
        (json!({"perf_profiles": []}), no_object),
        (json!({"perf_profiles": null}), no_object),
        (json!({"perf_profiles": {"NES": 5}}), no_object),
        (json!({"NES": "8"}), no_object),
    ] {
        let reply = server.send(&Request::post("/api/perf_profiles", &bad)).expect(400).json();
        assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
    }
    server.kill();
    server.restart();
    let kept = json!({"NES": {"enabled": true, "tdp_w": 8.0, "restore_tdp_w": 15.5}});
    assert_eq!(server.get("/api/perf_profiles"), json!({"perf_profiles": kept}));
    let bare = json!({"SNES": {"tdp_w": "4.5", "restore_tdp_w": -2}, "Low": {"tdp_w": -1}});
    assert_eq!(server.post("/api/perf_profiles", &bare), json!({"saved": 1}));
    let kept = json!({"SNES": {"enabled": false, "tdp_w": 4.5, "restore_tdp_w": 0.0}});
    assert_eq!(server.get("/api/perf_profiles"), json!({"perf_profiles": kept}));
    assert_eq!(server.post("/api/perf_profiles", &json!({})), json!({"saved": 0}));
    assert_eq!(server.get("/api/perf_profiles"), json!({"perf_profiles": {}}));
}

#[test]
fn commands_run_after_the_start_and_after_the_stop() {
    let mut server = Server::start();
    let note = server.scratch().script("home/my note", "printf '%s' \"$1\" > \"$2\"");
    assert!(note.exists());
    let [started, stopped] = ["started", "stopped"].map(|name| server.scratch().path(name));
    let command =
        |file: &std::path::Path| format!("'~/my note' 'it is $HOME' '{}'", file.display());
    let settings = json!({
        "startup_commands": ["/nonexistent/program", command(&started)],
        "shutdown_commands": [command(&stopped)],
    });
    server.post("/api/settings", &settings);
    server.stop();
    let read = |path: &std::path::Path| {
        until("a command to run", || fs::read_to_string(path).ok().filter(|text| !text.is_empty()))
    };
    assert_eq!(read(&stopped), "it is $HOME");
    assert!(!started.exists());
    server.restart();
    assert_eq!(read(&started), "it is $HOME");
}
