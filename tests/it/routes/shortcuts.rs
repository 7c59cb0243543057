//! `/api/v2/shortcutbridge`, and `--play`, which its shortcuts call.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::PathBuf,
    process::{Command, Stdio},
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup, program},
    toy::Toy,
    wait::until,
};

const BRIDGE: &str = "/api/v2/shortcutbridge";
/// A shortcut of another program, with a text that is not UTF-8 and a number of 64 bits.
const FOREIGN: &[u8] =
    b"\x000\x00\x02appid\x00\x01\x02\x03\x84\x01AppName\x00Foreign \xff\x00\x07later\x00\x01\x02\x03\x04\x05\x06\x07\x08\x08";

fn file_of(entries: &[&[u8]]) -> Vec<u8> {
    [b"\x00shortcuts\x00", entries.concat().as_slice(), b"\x08\x08"].concat()
}

fn server() -> Server {
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "game-1", "name": "One", "path": "/a"},
        {"game_id": "game-2", "name": "Two", "path": "/b"},
        {"game_id": "shelf", "name": "Shelf", "manual_entry": true},
    ]});
    let setup = Setup::new().library(&library.to_string());
    let file = "home/.local/share/Steam/userdata/7/config/shortcuts.vdf";
    setup.scratch().file_mode(file, file_of(&[FOREIGN]), 0o640);
    setup.env("SERVICE_EXECUTABLE", "/opt/launcher").start()
}

fn place(server: &Server) -> PathBuf {
    server.scratch().path("home/.local/share/Steam/userdata/7/config/shortcuts.vdf")
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, code: &str) {
    let reply = server.send(&Request::post(&format!("{BRIDGE}{path}"), body)).expect(status).json();
    assert_eq!(reply["code"], code, "{reply}");
}

/// A plan without its long lists, as a client with little room sends it.
fn reduced(plan: &Value) -> Value {
    let mut plan = plan.clone();
    let map = plan.as_object_mut().expect("an object");
    for key in ["additions", "updates", "removals", "desired_records", "result_records"] {
        map.remove(key);
    }
    plan
}

#[test]
fn the_first_shortcut_goes_to_the_user_who_is_there() {
    let server = Setup::new().start();
    let root = "home/.local/share/Steam/userdata";
    let shown = || server.get(&format!("{BRIDGE}/status"));
    let expect = |user: &str, available: bool, exists: bool| {
        let path = server.scratch().path(root).join(user).join("config/shortcuts.vdf");
        let expected = json!({"path": path, "exists": exists, "available": available, "count": 0,
            "own_count": 0, "foreign_count": 0});
        assert_eq!(shown(), expected);
    };
    expect("0", false, false);
    for name in ["0", "anonymous", "ac"] {
        server.scratch().folder(format!("{root}/{name}/config"));
    }
    expect("0", true, false);
    server.scratch().file(format!("{root}/42/config/localconfig.vdf"), "");
    expect("42", true, false);
    server.scratch().file(format!("{root}/7/config/shortcuts.vdf"), file_of(&[]));
    expect("7", true, true);
}

#[test]
fn games_become_shortcuts_and_strangers_keep_their_bytes() {
    let server = server();
    let path = place(&server);
    let status = server.get(&format!("{BRIDGE}/status"));
    assert_eq!(
        status,
        json!({"path": path, "exists": true, "available": true, "count": 1,
        "own_count": 0, "foreign_count": 1})
    );
    let plan = server.post(&format!("{BRIDGE}/preview"), &json!({}));
    assert_eq!(
        json!([
            plan["format"],
            plan["version"],
            plan["operation"],
            plan["added"],
            plan["foreign_count"],
            plan["desired_count"],
            plan["changed"],
            plan["game_ids"]
        ]),
        json!(["shortcut-bridge-preview", 1, "apply", 2, 1, 2, true, ["game-1", "game-2"]])
    );
    let entry = &plan["additions"][0];
    assert_eq!((&entry["key"], &entry["tag"]), (&json!("1"), &json!(0)));
    assert_eq!(fs::read(&path).expect("there"), file_of(&[FOREIGN]), "a preview writes nothing");
    let done = server.post(&format!("{BRIDGE}/apply"), &json!({"plan": reduced(&plan)}));
    assert_eq!(
        (&done["applied"], &done["written"], &done["added"]),
        (&json!(true), &json!(true), &json!(2))
    );
    let bytes = fs::read(&path).expect("there");
    let head = [b"\x00shortcuts\x00", FOREIGN].concat();
    assert!(bytes.starts_with(&head), "the entry of another program is unchanged");
    assert!(bytes.windows(20).any(|part| part == b"LaunchOptions\x00--play"), "{bytes:?}");
    assert_eq!(fs::metadata(&path).expect("there").permissions().mode() & 0o777, 0o640);
    let copies = fs::read_dir(server.data("shortcut-backups")).expect("a folder");
    let copies: Vec<_> =
        copies.map(|copy| fs::read(copy.expect("one").path()).expect("there")).collect();
    assert_eq!(copies, [file_of(&[FOREIGN])]);
    // Once more changes nothing.
    let plan = server.post(&format!("{BRIDGE}/preview"), &json!({}));
    assert_eq!((&plan["unchanged"], &plan["changed"]), (&json!(2), &json!(false)));
    let done = server.post(&format!("{BRIDGE}/apply"), &json!({"plan": plan}));
    assert_eq!((&done["applied"], &done["written"]), (&json!(true), &json!(false)));
    let removal = server.post(
        &format!("{BRIDGE}/remove/preview"),
        &json!({"targets": ["One", {"game_id": "game-2"}]}),
    );
    assert_eq!((&removal["removed"], &removal["operation"]), (&json!(2), &json!("remove")));
    let done = server.post(&format!("{BRIDGE}/remove"), &json!({"plan": removal}));
    assert_eq!((&done["removed"], &done["written"]), (&json!(2), &json!(true)));
    assert_eq!(fs::read(&path).expect("there"), file_of(&[FOREIGN]), "as if nothing had been");
}

#[test]
fn a_plan_that_does_not_hold_any_more_is_refused() {
    let server = server();
    let path = place(&server);
    let preview = || server.post(&format!("{BRIDGE}/preview"), &json!({"game_ids": ["game-1"]}));
    let plan = preview();
    let other = file_of(&[FOREIGN, b"\x001\x00\x08"]);
    fs::write(&path, &other).expect("written");
    refused(&server, "/apply", &json!({"plan": plan}), 409, "SHORTCUT_BRIDGE_PREVIEW_STALE");
    assert_eq!(fs::read(&path).expect("there"), other);
    let plan = preview();
    fs::remove_file(&path).expect("removed");
    refused(
        &server,
        "/apply",
        &json!({"plan": plan, "path": path}),
        409,
        "SHORTCUT_BRIDGE_PREVIEW_STALE",
    );
    assert!(!path.exists());
    fs::write(&path, &other).expect("written");
    let plan = preview();
    fs::write(&path, "no shortcuts").expect("written");
    refused(&server, "/apply", &json!({"plan": plan}), 409, "SHORTCUT_BRIDGE_PREVIEW_STALE");
    assert_eq!(fs::read(&path).expect("there"), b"no shortcuts");
    fs::write(&path, &other).expect("written");
    let plan = preview();
    server.post("/api/game/delete", &json!({"game_id": "game-1"}));
    refused(&server, "/apply", &json!({"plan": plan}), 409, "SHORTCUT_BRIDGE_PREVIEW_STALE");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let server = server();
    let path = place(&server);
    let many: Vec<String> = (0..501).map(|n| n.to_string()).collect();
    for ids in [json!("x"), json!([1]), json!(["nothing"]), json!(many)] {
        let body = json!({"game_ids": ids});
        refused(&server, "/preview", &body, 400, "SHORTCUT_BRIDGE_INVALID_REQUEST");
    }
    let exe = json!({"launcher_exe": 5});
    refused(&server, "/preview", &exe, 400, "SHORTCUT_BRIDGE_INVALID_REQUEST");
    let link = server.scratch().path("link.vdf");
    symlink(&path, &link).expect("linked");
    let broken = server.scratch().file("broken.vdf", "no shortcuts");
    let places = [
        json!("relative.vdf"),
        json!("/etc/passwd"),
        json!("/a/../b.vdf"),
        json!(5),
        json!(link),
        json!(broken),
    ];
    for place in places {
        refused(&server, "/preview", &json!({"path": place}), 400, "SHORTCUT_BRIDGE_PATH_INVALID");
    }
    for body in [
        json!({}),
        json!({"targets": []}),
        json!({"targets": "stranger"}),
        json!({"targets": "Foreign"}),
    ] {
        refused(&server, "/remove/preview", &body, 400, "SHORTCUT_BRIDGE_TARGET_REQUIRED");
    }
    for path in ["/apply", "/remove"] {
        refused(&server, path, &json!({}), 400, "SHORTCUT_BRIDGE_PLAN_REQUIRED");
        for plan in [json!("x"), json!({}), json!({"format": "shortcut-bridge-preview"})] {
            refused(&server, path, &json!({"plan": plan}), 400, "SHORTCUT_BRIDGE_INVALID_PLAN");
        }
    }
    let plan = server.post(&format!("{BRIDGE}/preview"), &json!({}));
    refused(&server, "/remove", &json!({"plan": plan}), 400, "SHORTCUT_BRIDGE_INVALID_PLAN");
    let mut forged = plan.clone();
    forged["launcher_exe"] = json!("/bin/evil");
    refused(&server, "/apply", &json!({"plan": forged}), 400, "SHORTCUT_BRIDGE_INVALID_PLAN");
    let mut old = plan.clone();
    old["base_sha256"] = json!("0".repeat(64));
    refused(&server, "/apply", &json!({"plan": old}), 409, "SHORTCUT_BRIDGE_PREVIEW_STALE");
    let elsewhere = json!({"plan": plan, "path": server.scratch().path("other.vdf")});
    refused(&server, "/apply", &elsewhere, 400, "SHORTCUT_BRIDGE_INVALID_PLAN");
    fs::write(&path, "damaged").expect("written");
    let status = server.get(&format!("{BRIDGE}/status"));
    assert_eq!((&status["corrupt"], status["error"].is_string()), (&json!(true), true));
    refused(&server, "/apply", &json!({"plan": plan}), 409, "SHORTCUT_BRIDGE_PREVIEW_STALE");
    assert_eq!(fs::read(&path).expect("there"), b"damaged");
}

#[test]
fn a_new_file_is_made_where_the_request_says() {
    let server = server();
    let path = server.scratch().path("new/shortcuts.vdf");
    let body = json!({"path": path, "game_ids": ["game-2"], "launcher_exe": "/opt/my games/run"});
    let plan = server.post(&format!("{BRIDGE}/preview"), &body);
    assert_eq!((&plan["base_exists"], &plan["base_sha256"]), (&json!(false), &Value::Null));
    server.post(&format!("{BRIDGE}/apply"), &json!({"plan": plan, "path": path}));
    let bytes = fs::read(&path).expect("there");
    let exe = b"Exe\x00\"/opt/my games/run\"\x00";
    assert!(bytes.windows(exe.len()).any(|part| part == exe));
    assert_eq!(server.scratch().mode(&path), 0o600);
}

#[test]
fn nothing_is_written_while_the_client_runs() {
    let server = server();
    let plan = server.post(&format!("{BRIDGE}/preview"), &json!({}));
    let client = server.scratch().folder("bin").join("steam");
    fs::copy("/bin/cat", &client).expect("a program of that name");
    let mut running = Command::new(&client).stdin(Stdio::piped()).spawn().expect("runs");
    let reply = server.send(&Request::post(&format!("{BRIDGE}/apply"), &json!({"plan": plan})));
    let (bytes, ended) = (fs::read(place(&server)).expect("there"), running.kill());
    drop((running.wait(), ended));
    let reply = reply.expect(409).json();
    assert_eq!(reply["error"], "Close Steam before changing its shortcuts.");
    assert_eq!(bytes, file_of(&[FOREIGN]));
}

#[test]
fn a_shortcut_starts_its_game_here_or_in_the_running_instance() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let id = toy.add(&server, "Runs", &json!({}));
    let play = |id: &str| {
        let mut command = Command::new(program());
        command.arg("--data-dir").arg(server.data("")).args(["--play", id]);
        command.env("HOME", server.scratch().path("home")).output().expect("it ends")
    };
    assert!(play(&id).status.success());
    toy.pid();
    let again = play(&id);
    assert_eq!(again.status.code(), Some(1));
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(said.contains("did not start the game: ") && !said.contains("HTTP"), "{said}");
    toy.end(0);
    until("the end of the session", || {
        let running = server.get("/api/running")["running"].as_array().map(Vec::len);
        (running == Some(0)).then_some(())
    });
    assert!(play("0").status.success(), "by its position");
    toy.pid();
    toy.end(0);
    let unknown = play("999");
    assert!(String::from_utf8_lossy(&unknown.stderr).contains("Game not found"));
    let setup = Setup::new();
    let toy = Toy::new(setup.scratch(), "games", "run.sh");
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "game-1", "name": "Runs", "path": toy.path}]});
    let server = setup.library(&library.to_string()).arg("--play").arg("game-1").start();
    toy.pid();
    // The game is up a moment before its session is written and shown.
    let shown = until("the session", || {
        server.get("/api/running")["running"][0]["stable_game_id"].as_str().map(str::to_owned)
    });
    assert_eq!(shown, "game-1");
    toy.end(0);
}

#[test]
fn a_program_that_only_played_a_game_ends_after_it() {
    let setup = Setup::new();
    let toy = Toy::new(setup.scratch(), "games", "run.sh");
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "game-1", "name": "Runs", "path": toy.path}]});
    let file = setup.scratch().file("data/library.json", library.to_string());
    let mut command = Command::new(program());
    command.arg("--no-browser").arg("--data-dir").arg(setup.scratch().path("data"));
    command.args(["--play", "game-1"]).env("HOME", setup.scratch().folder("home"));
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    toy.pid();
    toy.end(0);
    let status = until("the end of the program", || child.try_wait().expect("ours"));
    assert!(status.success(), "{status}");
    assert!(!setup.scratch().path("data/server.port").exists());
    let library: Value = serde_json::from_slice(&fs::read(file).expect("there")).expect("JSON");
    assert_eq!(library["games"][0]["play_count"], 1);
    assert_eq!(library["history"].as_array().map(Vec::len), Some(1));
}

#[test]
fn a_program_that_played_a_game_and_was_used_stays() {
    let setup = Setup::new();
    let toy = Toy::new(setup.scratch(), "games", "run.sh");
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "game-1", "name": "Runs", "path": toy.path}]});
    let mut server = setup.library(&library.to_string()).arg("--play").arg("game-1").start();
    toy.pid();
    server.get("/api/library");
    toy.end(0);
    let log = || fs::read_to_string(server.data("service.log")).expect("the log");
    until("the decision", || log().contains("because it is used").then_some(()));
    assert_eq!(server.get("/api/running")["running"], json!([]));
    server.stop();
}

#[test]
fn a_shortcut_of_a_game_that_is_gone_leaves_a_notice() {
    let server = Setup::new().arg("--play").arg("gone").start();
    let notices = until("the notice", || {
        let notices = server.get("/api/notifications")["notifications"].clone();
        (notices.as_array().is_some_and(|notices| !notices.is_empty())).then_some(notices)
    });
    assert_eq!(
        (&notices[0]["title"], &notices[0]["body"]),
        (&json!("The game was not started"), &json!("Game not found"))
    );
}
