//! `/api/recorder/*` and `/api/v2/clips*` with a stand-in for the recorder.

use std::{fs, process::Command, time::SystemTime};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    emulator::{add, play, with_programs},
    recorder::{Manner, Recorder},
    server::{Server, Setup},
    wait::until,
};

const CAPTURE: &str = "/api/v2/clips/capture";
const SCROT: &str = "PATH=/usr/bin:/bin\nfor file; do :; done\nprintf picture > \"$file\"";

fn game(server: &Server, id: &str) -> Value {
    server.get(&format!("/api/library/delta?ids={id}"))["games"][0].clone()
}

/// A service whose recordings lie in `recordings`.
fn with_recordings(setup: Setup) -> Server {
    let folder = setup.scratch().folder("recordings");
    let server = setup.start();
    server.post("/api/settings", &json!({"recorder_recording_path": folder}));
    server
}

fn use_recorder(server: &Server, recorder: &Recorder, password: &str) {
    server.post(
        "/api/settings",
        &json!({"recorder_replay_enabled": true, "recorder_ws_url": recorder.address,
            "recorder_ws_password": password, "recorder_ws_timeout": 20}),
    );
}

#[test]
fn the_status_follows_the_newest_profile() {
    let server = with_programs(&[]).start();
    let videos = server.scratch().path("home/Videos");
    assert_eq!(
        server.get("/api/recorder/status"),
        json!({"running": false, "recording": false, "directory": videos, "latest_recording": null})
    );
    let scratch = server.scratch();
    let old = scratch.folder("old");
    let new = scratch.folder("new");
    let profile = |name: &str, text: &str| {
        scratch.file(format!("home/config/obs-studio/basic/profiles/{name}/basic.ini"), text);
    };
    profile("A", &format!("[SimpleOutput]\nFilePath={}\n", old.display()));
    profile("B", &format!("[AdvOut]\nRecFilePath={}\n[SimpleOutput]\nX=1\n", new.display()));
    profile("C", "[General]\nName=C\n");
    scratch.file("new/deep/one.mkv", "x");
    let at = SystemTime::now() - std::time::Duration::from_hours(1);
    let first = fs::File::options().write(true).open(scratch.path("new/deep/one.mkv"));
    first.expect("a file").set_modified(at).expect("set");
    let second = scratch.file("new/two.MP4", "x");
    scratch.file("new/notes.txt", "x");
    let status = server.get("/api/recorder/status");
    assert_eq!((&status["directory"], &status["latest_recording"]), (&json!(new), &json!(second)));
    assert_eq!((&status["running"], &status["recording"]), (&json!(false), &json!(false)));
}

#[test]
fn pipes_in_the_place_of_settings_are_not_opened() {
    let server = with_programs(&[]).start();
    let scratch = server.scratch();
    for place in ["config/obs-studio/basic/profiles/A/basic.ini", "config/retroarch/retroarch.cfg"]
    {
        let path = scratch.path("home").join(place);
        scratch.folder(path.parent().expect("a folder"));
        let made = Command::new("mkfifo").arg(path).status().expect("mkfifo runs");
        assert!(made.success());
    }
    let videos = scratch.path("home/Videos");
    assert_eq!(server.get("/api/recorder/status")["directory"], json!(videos));
    server.get("/api/v2/launch/cores");
    server.post("/api/settings", &json!({"memories_import_enabled": true}));
    server.send(&Request::post("/api/v2/memories/import", &json!({}))).expect(202);
    until("the import", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].as_array().expect("a list").clone();
        jobs.into_iter().find(|job| job["state"] == "done")
    });
}

#[test]
fn a_running_recorder_is_seen() {
    let setup = with_programs(&[
        ("obs", "exit 0"),
        ("pgrep", "[ \"$1 $2\" = '-x obs' ] && [ -f \"$STATE/runs\" ]"),
    ]);
    let server = with_recordings(setup);
    server.scratch().file("recordings/now.mkv", "x");
    assert_eq!(server.get("/api/recorder/status")["running"], false);
    server.scratch().file("state/runs", "");
    let status = server.get("/api/recorder/status");
    assert_eq!((&status["running"], &status["recording"]), (&json!(true), &json!(true)));
}

#[test]
fn a_recording_is_attached() {
    let server = with_programs(&[]).start();
    let id = add(&server, "a.nes", "NES", &json!({}));
    let attach = "/api/recorder/attach";
    fs::create_dir_all(server.data("media")).expect("a folder");
    let inside = server.data("media/in.mkv");
    fs::write(&inside, "film").expect("written");
    let reply = server.post(attach, &json!({"game_id": id, "path": inside}));
    assert_eq!(reply["path"], json!(inside));
    assert!(reply["recorder"]["directory"].is_string(), "{reply}");
    let found = game(&server, &id);
    assert_eq!((&found["video_recording"], &found["video"]), (&json!(inside), &json!(inside)));
    let outside = server.scratch().file("out.mkv", "another");
    let reply = server.post(attach, &json!({"id": 0, "path": outside}));
    let copy = reply["path"].as_str().expect("a path").to_owned();
    assert!(copy.starts_with(&*server.data("media/recordings").to_string_lossy()), "{copy}");
    assert_eq!(fs::read(&copy).expect("a copy"), b"another");
    let found = game(&server, &id);
    assert_eq!((&found["video_recording"], &found["video"]), (&json!(copy), &json!(inside)));
    let media = format!("/api/media?game_id={id}&kind=video_recording");
    assert_eq!(server.send(&Request::get(&media)).expect(200).body(), b"another");
    for (body, message) in [
        (json!({"game_id": id, "path": "/no/such.mkv"}), "Recording file not found."),
        (json!({"game_id": id}), "Recording file not found."),
        (json!({"game_id": id, "path": "/etc"}), "Recording file not found."),
        (json!({"game_id": "game-gone", "path": outside}), "Game not found"),
        (json!({"path": outside}), "Game id is required."),
    ] {
        let reply = server.send(&Request::post(attach, &body)).expect(400).json();
        assert_eq!(reply["error"], message);
    }
}

#[test]
fn the_newest_recording_of_a_session_is_attached() {
    let writes = "PATH=/usr/bin:/bin\nprintf film > \"$RECORDINGS/$1.mkv\"";
    let setup = with_programs(&[("records", writes)]);
    let folder = setup.scratch().path("recordings");
    let server = with_recordings(setup.env("RECORDINGS", folder));
    let one = add(&server, "one.rom", "X", &json!({"launch": "records one"}));
    let two = add(&server, "two.rom", "X", &json!({"launch": "records two"}));
    play(&server, &one);
    let recording = until("the recording", || {
        let found = game(&server, &one)["video_recording"].as_str()?.to_owned();
        (!found.is_empty()).then_some(found)
    });
    assert_eq!(fs::read(recording).expect("a film"), b"film");
    server.post("/api/settings", &json!({"recorder_auto_attach": false}));
    play(&server, &two);
    assert_eq!(game(&server, &two)["video_recording"], "");
}

#[test]
fn a_replay_becomes_a_clip() {
    for password in ["", "secret word"] {
        for is_odd in [false, true] {
            let server = with_recordings(with_programs(&[]));
            let saved = server.scratch().file("recordings/replay.MKV", "replay");
            let saved = saved.to_string_lossy().into_owned();
            let recorder = Recorder::start(Manner { password, saved, is_odd, ..Manner::default() });
            use_recorder(&server, &recorder, password);
            let id = add(&server, "a.nes", "NES", &json!({}));
            let reply = server.post(CAPTURE, &json!({"game_id": id, "launch_id": "abc"}));
            assert_eq!((&reply["recorder"], &reply["fallback"]), (&json!(true), &json!(false)));
            let clip = &reply["clip"];
            assert_eq!(
                (&clip["source"], &clip["launch_id"]),
                (&json!("recorder_replay"), &json!("abc"))
            );
            let clip_id = clip["clip_id"].as_str().expect("an id");
            assert!(clip_id.starts_with("clip-") && clip_id.len() == 37, "{clip_id}");
            let path = clip["path"].as_str().expect("a path");
            assert!(path.starts_with(&*server.data("media/clips").join(&id).to_string_lossy()));
            assert_eq!(path.rsplit('.').next(), Some("mkv"), "{path}");
            assert_eq!(fs::read(path).expect("a clip"), b"replay");
            assert!(server.scratch().path("recordings/replay.MKV").exists(), "it is copied");
            assert_eq!(game(&server, &id)["video_recording"], *path);
            let list = server.get(&format!("/api/v2/clips?game_id={id}"));
            assert_eq!(list, json!({"game_id": id, "clips": [clip], "total": 1}));
            assert_eq!(recorder.asked(), ["SaveReplayBuffer"]);
        }
    }
}

#[test]
fn a_picture_stands_in_for_whatever_goes_wrong() {
    let cases = [
        ("the wrong password", "wrong", Manner { password: "right", ..Manner::default() }),
        ("no password", "", Manner { password: "right", ..Manner::default() }),
        ("it hangs up", "", Manner { closes_at: "SaveReplayBuffer", ..Manner::default() }),
        ("it refuses", "", Manner { refuses: "SaveReplayBuffer", ..Manner::default() }),
        ("a file elsewhere", "", Manner { saved: "/etc/passwd".to_owned(), ..Manner::default() }),
        ("no file", "", Manner::default()),
    ];
    for (what, password, manner) in cases {
        let server = with_recordings(with_programs(&[("scrot", SCROT)]));
        let recorder = Recorder::start(manner);
        use_recorder(&server, &recorder, password);
        let id = add(&server, "a.nes", "NES", &json!({}));
        let reply = server.post(CAPTURE, &json!({"game_id": id}));
        assert_eq!(
            (&reply["recorder"], &reply["fallback"]),
            (&json!(false), &json!(true)),
            "{what}"
        );
        assert_eq!(
            (&reply["clip"]["source"], &reply["clip"]["fallback"]),
            (&json!("screenshot"), &json!(true))
        );
        let path = reply["clip"]["path"].as_str().expect("a path");
        assert_eq!(fs::read(path).expect("a picture"), b"picture", "{what}");
        assert_eq!(game(&server, &id)["video_recording"], "", "{what}");
    }
}

/// Where a conversation with the recorder may break off.
const POINTS: [&str; 5] = ["handshake", "hello", "identify", "SaveReplayBuffer", "event"];

/// Makes a clip with a recorder that behaves like this; a picture stands in for it.
#[track_caller]
fn falls_back(server: &Server, id: &str, manner: Manner) {
    let what = format!("{manner:?}");
    let recorder = Recorder::start(manner);
    server.post("/api/settings", &json!({"recorder_ws_url": recorder.address}));
    let reply = server.post(CAPTURE, &json!({"game_id": id}));
    assert_eq!((&reply["recorder"], &reply["fallback"]), (&json!(false), &json!(true)), "{what}");
    let path = reply["clip"]["path"].as_str().expect("a path");
    assert_eq!(fs::read(path).expect("a picture"), b"picture", "{what}");
}

/// A service that uses a recorder, and a game.
fn with_recorder(timeout: f64) -> (Server, String) {
    let server = with_recordings(with_programs(&[("scrot", SCROT)]));
    server.post(
        "/api/settings",
        &json!({"recorder_replay_enabled": true, "recorder_ws_timeout": timeout}),
    );
    let id = add(&server, "a.nes", "NES", &json!({}));
    (server, id)
}

/// The recorder never goes on: the one deadline of the settings ends it, whatever it waits for.
#[test]
fn a_late_recorder_is_not_waited_for() {
    let (server, id) = with_recorder(0.2);
    let saved = server.scratch().file("recordings/replay.mkv", "replay");
    for silent_at in POINTS {
        let saved = saved.to_string_lossy().into_owned();
        falls_back(&server, &id, Manner { saved, silent_at, ..Manner::default() });
    }
}

/// The patience of this test is long: it would not end if a client waited for it.
#[test]
fn a_recorder_that_hangs_up_is_given_up_at_once() {
    let (server, id) = with_recorder(20.0);
    let saved = server.scratch().file("recordings/replay.mkv", "replay");
    for closes_at in POINTS {
        let saved = saved.to_string_lossy().into_owned();
        falls_back(&server, &id, Manner { saved, closes_at, ..Manner::default() });
    }
}

#[test]
fn wrong_answers_of_a_recorder_are_refused() {
    let (server, id) = with_recorder(20.0);
    for sends_at in [
        ("handshake", b"HTTP/1.1 404 Not Found\r\n\r\n".as_slice()),
        ("handshake", b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"),
        (
            "handshake",
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
              Sec-WebSocket-Accept: bm90IHRoZSBhbnN3ZXI=\r\n\r\n",
        ),
        ("handshake", b"\0\0\0\0"),
        // No JSON, no object, no text.
        ("hello", b"\x81\x03{!}"),
        ("hello", b"\x81\x02[]"),
        ("hello", b"\x81\x02\xff\xfe"),
        // Masked, of an unknown kind, with reserved bits, and longer than anything.
        ("hello", b"\x81\x82\0\0\0\0{}"),
        ("identify", b"\x83\x02{}"),
        ("identify", b"\xf1\x02{}"),
        ("identify", b"\x81\x7f\x7f\xff\xff\xff\xff\xff\xff\xff"),
        // A long ping, a piece of nothing, and an end in the middle.
        ("SaveReplayBuffer", b"\x89\x7e\x01\x00"),
        ("SaveReplayBuffer", b"\x80\x02{}"),
        ("SaveReplayBuffer", b"\x81\x20{\"op\": 7"),
        ("event", b"\x88\x02\x03\xe8"),
    ] {
        falls_back(&server, &id, Manner { sends_at, ..Manner::default() });
    }
}

#[test]
fn without_recorder_and_tool_there_is_no_clip() {
    let server = with_programs(&[]).start();
    let id = add(&server, "a.nes", "NES", &json!({}));
    for (body, code) in [
        (json!({"game_id": id}), "CLIP_UNAVAILABLE"),
        (json!({"game_id": "game-gone"}), "GAME_NOT_FOUND"),
        (json!({}), "GAME_NOT_FOUND"),
    ] {
        let reply = server.send(&Request::post(CAPTURE, &body)).expect(400).json();
        assert_eq!(reply["code"], code);
    }
    let request = Request::get("/api/v2/clips?game_id=game-gone");
    assert_eq!(server.send(&request).expect(404).json()["code"], "GAME_NOT_FOUND");
    let empty = server.get(&format!("/api/v2/clips?game_id={id}"));
    assert_eq!(empty, json!({"game_id": id, "clips": [], "total": 0}));
}

#[test]
fn the_replay_buffer_runs_as_long_as_the_game() {
    for is_active in [false, true] {
        let server = with_programs(&[("quick", "exit 0")]).start();
        let recorder = Recorder::start(Manner { is_active, ..Manner::default() });
        use_recorder(&server, &recorder, "");
        let id = add(&server, "a.rom", "X", &json!({"launch": "quick"}));
        let entry = server.post("/api/launch", &json!({"game_id": id}));
        assert_eq!(entry["replay_buffer_armed"], true);
        assert_eq!(entry["replay_buffer_owned"], !is_active);
        let expected: &[&str] = if is_active {
            &["GetReplayBufferStatus"]
        } else {
            &["GetReplayBufferStatus", "StartReplayBuffer", "StopReplayBuffer"]
        };
        until("the buffer to be left as it was", || (recorder.asked() == expected).then_some(()));
    }
}

#[test]
fn a_recorder_that_is_not_there_prevents_no_game() {
    let server = with_programs(&[("quick", "exit 0")]).start();
    server.post(
        "/api/settings",
        &json!({"recorder_replay_enabled": true, "recorder_ws_url": "ws://127.0.0.1:9"}),
    );
    let id = add(&server, "a.rom", "X", &json!({"launch": "quick"}));
    let entry = server.post("/api/launch", &json!({"game_id": id}));
    assert_eq!((&entry["replay_buffer_armed"], &entry["ok"]), (&json!(false), &json!(true)));
}
