//! `/api/v2/launch/*`: preflight, audit, folder access of sandboxed emulators, cores.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::{Reply, Request},
    server::{Server, Setup},
    stream::Stream,
    wait::until,
};

const PREFLIGHT: &str = "/api/v2/launch/preflight";
const BATCH: &str = "/api/v2/launch/preflight/batch";

/// A service whose search path holds a shell and a package tool that knows one emulator, which may
/// see `/shared` alone, and that refuses one folder. It writes down what it was asked.
fn with_tool(library: Option<&str>) -> Server {
    let mut setup = Setup::new();
    let asked = setup.scratch().path("asked");
    let lines = format!(
        "echo \"$*\" >> '{}'\n\
         case \"$*\" in\n\
         'info net.pcsx2.PCSX2') exit 0;;\n\
         'info --show-permissions net.pcsx2.PCSX2') echo '[Context]'; echo 'filesystems=/shared:ro;~/seen;'; exit 0;;\n\
         override*refused*) echo 'error: not today' >&2; exit 1;;\n\
         override*) exit 0;;\n\
         esac\nexit 1",
        asked.display()
    );
    setup.scratch().script("bin/flatpak", &lines);
    for program in ["sh", "bash"] {
        std::os::unix::fs::symlink("/bin/bash", setup.scratch().path("bin").join(program))
            .expect("linked");
    }
    if let Some(library) = library {
        setup = setup.library(library);
    }
    let path = setup.scratch().path("bin");
    setup.env("PATH", path).start()
}

fn asked(server: &Server) -> Vec<String> {
    let text = fs::read_to_string(server.scratch().path("asked")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

#[track_caller]
fn add(server: &Server, file: &str, platform: &str, more: &Value) -> String {
    let path = server.scratch().file(format!("games/{file}"), "rom");
    let mut game = json!({"name": file, "path": path, "platform": platform});
    game.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
    let saved = server.post("/api/game", &json!({"game": game}));
    saved["game_id"].as_str().expect("an id").to_owned()
}

#[track_caller]
fn send(server: &Server, path: &str, body: &Value, status: u16) -> Value {
    let reply: Reply = server.send(&Request::post(path, body));
    reply.expect(status).json()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let error = send(server, path, body, 400);
    assert_eq!(
        (&error["error"], &error["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

fn codes(result: &Value) -> Vec<&str> {
    let checks = result["checks"].as_array().expect("a list");
    checks.iter().map(|check| check["code"].as_str().expect("text")).collect()
}

/// Everything a game may have, so that nothing is left to warn of.
fn whole(server: &Server) -> Value {
    let document = server.scratch().path("games/a.pdf");
    json!({"save_paths": ["/tmp"], "documents": [{"path": document}]})
}

#[test]
fn a_preflight_says_what_a_launch_would_do() {
    let server = with_tool(None);
    let id = add(&server, "a.nes", "NES", &json!({"launch": "sh {path}"}));
    let result = server.post(PREFLIGHT, &json!({"game_id": id}));
    assert_eq!((&result["status"], &result["game_id"]), (&json!("warning"), &json!(id)));
    assert_eq!(result["candidate_id"], Value::Null);
    let path = server.scratch().path("games/a.nes");
    assert_eq!(
        result["resolved"],
        json!({"emulator_id": null, "adapter_id": null, "argv_preview": ["sh", path],
            "cwd": server.scratch().path("games"), "precedence": 1})
    );
    assert_eq!(codes(&result), ["SAVE_GAP", "MEDIA_GAP", "DOCUMENT_GAP"]);
    assert_eq!(
        result["checks"][0],
        json!({"code": "SAVE_GAP", "severity": "warning", "message": "No save paths configured.",
            "remediations": []})
    );
    let blocked = add(&server, "b.nes", "NES", &json!({}));
    let body = json!({"game_id": blocked});
    let result = server.post(PREFLIGHT, &body);
    assert_eq!((&result["status"], codes(&result)[0]), (&json!("blocked"), "NATIVE_EXE_MISSING"));
    assert_eq!(
        result["checks"][0]["fix_action"]["payload"],
        json!({"app_id": "org.libretro.RetroArch", "native_exe": "retroarch"})
    );
    let strict = json!({"game_id": blocked, "fail_on_blocked": true});
    let error = send(&server, PREFLIGHT, &strict, 409);
    assert_eq!(error["code"], "LAUNCH_PREFLIGHT_BLOCKED");
    assert!(error["request_id"].is_string());
    assert_eq!((&error["checks"], &error["resolved"]), (&result["checks"], &result["resolved"]));
    let fine = json!({"game_id": id, "fail_on_blocked": true});
    assert_eq!(server.post(PREFLIGHT, &fine)["status"], "warning");
    assert_eq!(server.get("/api/running")["events"], json!([]), "nothing was started");
}

#[test]
fn a_preflight_wants_one_identity() {
    let server = with_tool(None);
    let id = add(&server, "a.nes", "NES", &json!({}));
    let one = "Provide exactly one of game_id or candidate.";
    refused(&server, PREFLIGHT, &json!({}), one);
    refused(&server, PREFLIGHT, &json!({"game_id": null}), one);
    refused(&server, PREFLIGHT, &json!({"game_id": id, "candidate": {}}), one);
    let lacks = "Candidate is missing required fields: preview_id, emulator_id, archive_member.";
    let candidate =
        json!({"candidate_id": "c", "path": null, "platform": null, "adapter_id": null});
    refused(&server, PREFLIGHT, &json!({"candidate": candidate}), lacks);
    refused(&server, PREFLIGHT, &json!({"candidate": 5}), "Candidate must be an object.");
    refused(
        &server,
        PREFLIGHT,
        &json!({"game_id": id, "fail_on_blocked": 1}),
        "fail_on_blocked must be true or false.",
    );
    let candidate = json!({"candidate_id": "c", "preview_id": "p", "path": null, "platform": null,
        "emulator_id": null, "adapter_id": null, "archive_member": null});
    let error = send(&server, PREFLIGHT, &json!({"candidate": candidate}), 400);
    assert_eq!(error["code"], "PREVIEW_NOT_FOUND");
    let error = send(&server, PREFLIGHT, &json!({"game_id": "game-gone"}), 404);
    assert_eq!(error["code"], "GAME_NOT_FOUND");
    for body in ["[]", "null", "\"x\"", "5"] {
        let reply = server.send(&Request::new("POST", PREFLIGHT).body(body));
        assert_eq!(reply.expect(400).json()["code"], "BAD_REQUEST", "{body}");
    }
}

#[test]
fn a_batch_counts_by_platform() {
    let server = with_tool(None);
    let ids = [
        add(&server, "a.nes", "NES", &json!({})),
        add(&server, "b.nes", "NES", &json!({"launch": "sh {path}"})),
        add(&server, "c.sfc", "SNES", &json!({"launch": "sh {path}"})),
    ];
    let items: Vec<_> = ids.iter().map(|id| json!({"game_id": id})).collect();
    let result = server.post(BATCH, &json!({"items": items}));
    assert_eq!(result["totals"], json!({"ready": 0, "warning": 2, "blocked": 1}));
    assert_eq!(
        result["by_platform"],
        json!([{"platform": "NES", "ready": 0, "warning": 1, "blocked": 1},
            {"platform": "SNES", "ready": 0, "warning": 1, "blocked": 0}])
    );
    let order: Vec<_> = result["results"].as_array().expect("a list").iter().collect();
    assert_eq!((order.len(), &order[2]["game_id"]), (3, &json!(ids[2])));
    let error = send(&server, BATCH, &json!({"items": items, "fail_on_blocked": true}), 409);
    assert_eq!(
        (&error["code"], &error["totals"]["blocked"]),
        (&json!("LAUNCH_PREFLIGHT_BLOCKED"), &json!(1))
    );
    let bounds = "items must contain between 1 and 200 identities.";
    let many = |count: usize| json!({"items": vec![json!({"game_id": ids[1]}); count]});
    for body in [json!({}), many(0), many(201), json!({"items": "x"})] {
        refused(&server, BATCH, &body, bounds);
    }
    assert_eq!(server.post(BATCH, &many(200))["totals"]["warning"], 200);
    refused(&server, BATCH, &json!({"items": [5]}), "Each item must be an object.");
    refused(
        &server,
        BATCH,
        &json!({"items": [{}]}),
        "Provide exactly one of game_id or candidate.",
    );
    send(&server, BATCH, &json!({"items": [{"game_id": "game-gone"}]}), 404);
}

/// Checks every game and waits for the end.
#[track_caller]
fn audit(server: &Server, body: &Value) -> Value {
    let mut stream = Stream::open(server);
    let job = send(server, "/api/v2/launch/audit/scan", body, 202);
    assert_eq!((&job["state"], &job["deep"]), (&json!("queued"), &json!(body["deep"] == true)));
    let id = job["job_id"].as_str().expect("an id");
    let end = stream.job_end(server, id);
    assert_eq!((&end["state"], &end["type"]), (&json!("done"), &json!("launch.audit")));
    assert_eq!(end["progress"]["current"], end["progress"]["total"], "all games were looked at");
    server.get("/api/v2/launch/audit")
}

#[test]
fn an_audit_groups_by_root_cause_and_is_kept() {
    let mut server = with_tool(None);
    let unscanned = server.get("/api/v2/launch/audit");
    assert_eq!(unscanned, json!({"scanned": false, "job": null}));
    assert_eq!(server.get("/api/v2/launch/audit/status"), json!({"statuses": {}}));
    let a = add(&server, "a.nes", "NES", &whole(&server));
    let b = add(&server, "b.nes", "NES", &whole(&server));
    let ready = add(&server, "c.nes", "NES", &json!({"launch": "sh {path}"}));
    let report = audit(&server, &json!({}));
    assert_eq!(
        (&report["scanned"], &report["stale"], &report["deep"]),
        (&json!(true), &json!(false), &json!(false))
    );
    assert_eq!((&report["game_count"], &report["failed"]), (&json!(3), &json!({"count": 0})));
    assert_eq!(report["totals"], json!({"ready": 0, "warning": 1, "blocked": 2}));
    let first = &report["groups"][0];
    assert_eq!(
        (&first["code"], &first["count"], &first["fix_action"]),
        (&json!("NATIVE_EXE_MISSING"), &json!(2), &json!("install"))
    );
    assert_eq!(
        (&first["subject"], &first["severity"]),
        (&json!("org.libretro.RetroArch"), &json!("error"))
    );
    assert_eq!(report["job"]["state"], "done");
    let statuses = server.get("/api/v2/launch/audit/status");
    assert_eq!(statuses, json!({"statuses": {&a: "blocked", &b: "blocked", &ready: "warning"}}));
    let key = first["key"].as_str().expect("text").replace('|', "%7C");
    for (query, count, limit, offset) in [
        ("", 2, 50, 0),
        ("&limit=1", 1, 1, 0),
        ("&limit=1&offset=1", 1, 1, 1),
        ("&limit=0", 1, 1, 0),
        ("&limit=500", 2, 500, 0),
        ("&limit=501", 2, 500, 0),
        ("&offset=2", 0, 50, 2),
        ("&offset=-1", 2, 50, 0),
    ] {
        let members =
            server.get(&format!("/api/v2/launch/audit?group={key}{query}"))["members"].clone();
        let games = members["games"].as_array().expect("a list").len();
        assert_eq!(
            (games, &members["total"], &members["limit"], &members["offset"]),
            (count, &json!(2), &json!(limit), &json!(offset)),
            "{query}"
        );
    }
    for number in ["limit", "offset"] {
        let request = Request::get(&format!("/api/v2/launch/audit?{number}=x"));
        let error = server.send(&request).expect(400).json();
        assert_eq!(error["error"], format!("{number} must be an integer."));
    }
    server.kill();
    server.restart();
    let kept = server.get("/api/v2/launch/audit");
    assert_eq!(
        (&kept["groups"], &kept["computed_at"]),
        (&report["groups"], &report["computed_at"])
    );
    server.post("/api/game/delete", &json!({"game_id": b}));
    assert_eq!(server.get("/api/v2/launch/audit")["stale"], true);
    assert_eq!(server.get("/api/v2/launch/audit/status"), json!({"statuses": {}}));
}

#[test]
fn a_root_cause_is_looked_at_again() {
    let server = with_tool(None);
    let refresh = "/api/v2/launch/audit/refresh";
    let changed = "The library changed since the last check. Check every game first.";
    refused(&server, refresh, &json!({}), "group is required.");
    refused(&server, refresh, &json!({"group": " "}), "group is required.");
    refused(&server, refresh, &json!({"group": "x"}), changed);
    let a = add(&server, "a.nes", "NES", &whole(&server));
    let b = add(&server, "b.nes", "NES", &whole(&server));
    let report = audit(&server, &json!({}));
    let key = report["groups"][0]["key"].clone();
    let path = server.scratch().path("games/a.nes");
    let game = json!({"name": "a", "path": path, "launch": "sh {path}"});
    server.post("/api/game", &json!({"game_id": a, "game": game}));
    let answer = server.post(refresh, &json!({"group": key}));
    assert_eq!((&answer["ok"], &answer["rechecked"]), (&json!(true), &json!(2)));
    assert_eq!(answer["totals"]["blocked"], 1);
    let renewed = server.get("/api/v2/launch/audit");
    assert_eq!(
        (&renewed["computed_at"], &renewed["groups"][0]["count"]),
        (&answer["computed_at"], &json!(1))
    );
    let gone = "That group is no longer in the check. Check every game first.";
    refused(&server, refresh, &json!({"group": "x"}), gone);
    let game =
        json!({"name": "b", "path": server.scratch().path("games/b.nes"), "launch": "sh {path}"});
    server.post("/api/game", &json!({"game_id": b, "game": game}));
    assert_eq!(server.post(refresh, &json!({"group": key}))["totals"]["blocked"], 0);
    refused(&server, refresh, &json!({"group": key}), gone);
    add(&server, "c.nes", "NES", &json!({}));
    refused(&server, refresh, &json!({"group": key}), changed);
    // The next audit finds more and says so.
    audit(&server, &json!({"deep": true}));
    let notices = server.get("/api/notifications")["notifications"].clone();
    let told =
        notices.as_array().expect("a list").iter().find(|notice| notice["kind"] == "launch_audit");
    let told = told.expect("a notice");
    assert_eq!(
        (&told["level"], &told["title"]),
        (&json!("warning"), &json!("Launch check changed: 1 won't launch, 2 need attention"))
    );
}

#[test]
fn the_library_is_looked_at_by_itself_where_that_is_wanted() {
    let library = |rescan: &str| {
        let game = json!({"game_id": format!("game-{:024x}", 1), "name": "A", "path": "/gone"});
        json!({"games": [game], "settings": {"health_rescan": rescan}}).to_string()
    };
    let mut server = with_tool(Some(&library("on_startup")));
    let report = |server: &Server| {
        until("the library to be looked at", || {
            let report = server.get("/api/v2/launch/audit");
            (report["scanned"] == true && report["job"]["state"] == "done").then_some(report)
        })
    };
    let first = report(&server);
    assert_eq!((&first["totals"]["blocked"], &first["deep"]), (&json!(1), &json!(false)));
    server.stop();
    server.restart();
    until("a second look", || {
        (report(&server)["job"]["job_id"] != first["job"]["job_id"]).then_some(())
    });
    // The first look of all waits for the first hour, and this is the start.
    let server = with_tool(Some(&library("weekly")));
    audit(&server, &json!({}));
    let jobs = server.get("/api/v2/jobs")["jobs"].clone();
    let audits =
        jobs.as_array().expect("a list").iter().filter(|job| job["type"] == "launch.audit");
    assert_eq!(audits.count(), 1);
}

#[test]
fn ten_thousand_games_are_looked_at_with_few_questions() {
    let platforms = ["NES", "SNES", "PlayStation 2", "GameCube", "Wii", "PSP", "Arcade", "Xbox"];
    let file = std::env::current_exe().expect("this test");
    let games: Vec<_> = (0..10_000)
        .map(|at| {
            json!({"game_id": format!("game-{at:024x}"), "name": format!("Game {at}"),
                "path": file, "platform": platforms[at % platforms.len()]})
        })
        .collect();
    let library = json!({"games": games}).to_string();
    let server = with_tool(Some(&library));
    until("the profiles to be detected", || {
        server.get("/api/profiles")["profiles"]["PlayStation 2"].is_string().then_some(())
    });
    let before = asked(&server).len();
    let start = std::time::Instant::now();
    let report = audit(&server, &json!({}));
    let took = start.elapsed();
    let questions = asked(&server).len() - before;
    assert_eq!(report["game_count"], 10_000);
    // Fourteen emulators, each asked once whether it is there, and the one that is what it sees.
    assert!(questions <= 15, "{questions} processes were started");
    // Three seconds is the promise for a released build; this one is not optimised and not alone.
    assert!(took.as_secs() < 20, "{took:?}");
    let denied = &report["groups"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|group| group["code"] == "FLATPAK_FS_DENIED");
    assert_eq!(denied.expect("a group")["count"], 1_250);
}

#[test]
fn a_sandboxed_emulator_is_let_into_a_folder_and_out_again() {
    let server = with_tool(None);
    let (grant, undo) = ("/api/v2/launch/grant", "/api/v2/launch/grant/undo");
    let roms = server.scratch().folder("home/my roms");
    let body = |folder: &Path| json!({"app_id": "net.pcsx2.PCSX2", "folder": folder});
    refused(&server, undo, &body(&roms), "That access was not granted since the service started.");
    let answer = server.post(grant, &body(&roms));
    let option = format!("--filesystem={}:ro", roms.display());
    assert_eq!(
        (&answer["applied"], &answer["undone"], &answer["app_id"]),
        (&json!(true), &json!(false), &json!("net.pcsx2.PCSX2"))
    );
    assert_eq!(answer["path"], json!(roms));
    assert_eq!(answer["command"], format!("flatpak override --user '{option}' net.pcsx2.PCSX2"));
    assert!(asked(&server).contains(&format!("override --user {option} net.pcsx2.PCSX2")));
    let answer = server.post(undo, &body(&roms));
    assert_eq!((&answer["applied"], &answer["undone"]), (&json!(true), &json!(true)));
    let option = format!("--nofilesystem={}", roms.display());
    assert!(asked(&server).contains(&format!("override --user {option} net.pcsx2.PCSX2")));
    let overrides = || asked(&server).iter().filter(|line| line.starts_with("override")).count();
    let before = overrides();
    // One that it sees already stays as it is, also when the access is revoked.
    let seen = server.scratch().folder("home/seen/games");
    for path in [grant, undo] {
        let answer = server.post(path, &body(&seen));
        assert_eq!((&answer["applied"], &answer["command"]), (&json!(true), &json!("")), "{path}");
    }
    refused(&server, undo, &body(&seen), "That access was not granted since the service started.");
    assert_eq!(overrides(), before, "nothing had to be changed");
    let outside = "Only a folder inside your home directory can be granted.";
    let home = server.scratch().path("home");
    for (app, folder, message) in [
        ("net.pcsx2.PCSX2", "roms", "The folder must be an absolute path."),
        ("net.pcsx2.PCSX2", "", "The folder must be an absolute path."),
        ("net.pcsx2.PCSX2", "/etc", outside),
        ("net.pcsx2.PCSX2", home.to_str().expect("text"), outside),
        ("net.pcsx2.PCSX2", &format!("{}/gone", home.display()), "That folder does not exist."),
        (
            "org.example.Other",
            roms.to_str().expect("text"),
            "That emulator is not an installed package.",
        ),
        ("", roms.to_str().expect("text"), "That emulator is not an installed package."),
    ] {
        let body = json!({"app_id": app, "folder": folder});
        refused(&server, grant, &body, message);
    }
    assert_eq!(overrides(), before, "a refusal changes nothing");
    let other = json!({"app_id": "org.ppsspp.PPSSPP", "folder": roms});
    refused(&server, grant, &other, "That emulator is not an installed package.");
    let no = server.scratch().folder("home/refused");
    refused(&server, grant, &body(&no), "flatpak refused the change: error: not today");
    fs::remove_file(server.scratch().path("bin/flatpak")).expect("there");
    refused(&server, grant, &body(&roms), "flatpak is required to change folder access.");
}

#[test]
fn a_game_is_played_with_its_own_core() {
    let server = with_tool(None);
    let tell = "printf '%s ' \"$@\" > \"$HOME/told.new\"; mv \"$HOME/told.new\" \"$HOME/told\"";
    let tell = format!("PATH=/usr/bin:/bin; {tell}");
    server.scratch().script("bin/retroarch", &tell);
    let cores = "home/.config/retroarch/cores";
    let core = server.scratch().file(format!("{cores}/own_libretro.so"), "");
    server.scratch().file(format!("{cores}/notes.txt"), "");
    let listed = server.get("/api/v2/launch/cores")["cores"].clone();
    let row = json!({"core": "own_libretro.so", "name": "own", "path": core});
    assert!(listed.as_array().expect("a list").contains(&row), "{listed}");
    let id = add(&server, "a.nes", "NES", &whole(&server));
    let choose = "/api/v2/launch/core";
    let chosen = server.post(choose, &json!({"game_id": id, "core": "own_libretro.so"}));
    assert_eq!(
        chosen,
        json!({"ok": true, "game_id": id, "core": "own_libretro.so", "name": "a.nes"})
    );
    let result = server.post(PREFLIGHT, &json!({"game_id": id}));
    assert_eq!(result["resolved"]["argv_preview"][2], json!(core));
    server.post("/api/launch", &json!({"game_id": id}));
    let told = until("the emulator to tell", || {
        let text = fs::read_to_string(server.scratch().path("home/told")).ok()?;
        Some(text).filter(|text| !text.is_empty())
    });
    // In front of them stands what has the state kept at the end.
    let file = server.scratch().path("games/a.nes");
    let command = format!("-L {} {} ", core.display(), file.display());
    assert!(told.starts_with("--appendconfig ") && told.ends_with(&command), "{told}");
    let back = server.post(choose, &json!({"game_id": id, "core": ""}));
    assert_eq!(back["core"], "");
    let usual = server.post(PREFLIGHT, &json!({"game_id": id}));
    // This machine may have another core that plays the platform.
    let usual = usual["resolved"]["argv_preview"][2].as_str().expect("a core").to_owned();
    assert!(usual.starts_with("/usr/lib/") && usual.ends_with("_libretro.so"), "{usual}");
    refused(&server, choose, &json!({"core": "x_libretro.so"}), "game_id is required.");
    for bad in [json!("x.so"), json!("../x_libretro.so"), json!("_libretro.so"), json!(5)] {
        let body = json!({"game_id": id, "core": bad});
        refused(&server, choose, &body, "core must be the file name of a core.");
    }
    let gone = send(&server, choose, &json!({"game_id": "game-gone", "core": ""}), 404);
    assert_eq!(gone["code"], "GAME_NOT_FOUND");
}

#[test]
fn a_missing_core_is_replaced_by_an_installed_one_or_named() {
    let server = with_tool(None);
    let tell = "printf '%s ' \"$@\" > \"$HOME/told.new\"; mv \"$HOME/told.new\" \"$HOME/told\"";
    server.scratch().script("bin/retroarch", &format!("PATH=/usr/bin:/bin; {tell}"));
    let cores = "home/.config/retroarch/cores";
    let core = server.scratch().file(format!("{cores}/nestopia_libretro.so"), "");
    let nes = add(&server, "a.nes", "NES", &whole(&server));
    server.post("/api/launch", &json!({"game_id": nes}));
    let told = until("the emulator to tell", || {
        let text = fs::read_to_string(server.scratch().path("home/told")).ok()?;
        Some(text).filter(|text| !text.is_empty())
    });
    let file = server.scratch().path("games/a.nes");
    assert!(told.ends_with(&format!("-L {} {} ", core.display(), file.display())), "{told}");
    // A platform that only the extended pack plays is started in the same way.
    let core = server.scratch().file(format!("{cores}/picodrive_libretro.so"), "");
    let genesis = add(&server, "c.md", "Sega Genesis", &whole(&server));
    let verdict = server.post(PREFLIGHT, &json!({"game_id": genesis}));
    assert_eq!(verdict["resolved"]["argv_preview"][2], json!(core));
    assert_eq!(verdict["resolved"]["adapter_id"], "retroarch-sega-genesis");
    // No installed core plays this one, so the emulator would end at once.
    let snes = add(&server, "b.sfc", "SNES", &whole(&server));
    let said = send(&server, "/api/launch", &json!({"game_id": snes}), 400);
    assert_eq!(said["error"], "RetroArch core is missing.");
    let verdict = server.post(PREFLIGHT, &json!({"game_id": snes}));
    assert_eq!(verdict["checks"][0]["code"], "RETROARCH_CORE_MISSING");
    assert!(server.get("/api/running")["running"].as_array().is_some_and(|all| all.len() <= 1));
}

#[test]
fn the_place_of_a_file_is_shown_in_the_file_manager() {
    let setup = Setup::new();
    let told = setup.scratch().path("told");
    let bin = setup.scratch().folder("bin");
    setup.scratch().script("bin/xdg-open", &format!("echo \"$*\" >> '{}'", told.display()));
    let folder = setup.scratch().folder("home/firmware");
    let server = setup.env("PATH", bin).start();
    let route = "/api/v2/launch/reveal";
    let reply = send(&server, route, &json!({"path": folder.join("gone/bios.bin")}), 200);
    assert_eq!(reply, json!({"folder": folder}));
    until("the folder that is shown", || {
        let text = fs::read_to_string(&told).ok()?;
        (text.trim() == folder.to_string_lossy()).then_some(())
    });
    let reply = send(&server, route, &json!({"path": "firmware"}), 400);
    assert_eq!(reply["error"], "The path must be absolute.");
    let bare = Setup::new();
    let nothing = bare.scratch().folder("bin");
    let reply = send(&bare.env("PATH", nothing).start(), route, &json!({"path": "/"}), 400);
    assert_eq!(reply["error"], "xdg-open is required to show a folder.");
}

#[test]
fn an_emulator_is_chosen_for_many_games() {
    let server = with_tool(None);
    let games = ["a.nes", "b.nes"].map(|file| add(&server, file, "Odd Machine", &json!({})));
    let route = "/api/v2/launch/adapter";
    let body =
        json!({"game_ids": [games[0], games[1], "game-gone"], "adapter_id": "retroarch-nes"});
    assert_eq!(send(&server, route, &body, 200), json!({"updated": 2}));
    assert_eq!(send(&server, route, &body, 200), json!({"updated": 0}));
    let verdict = send(&server, PREFLIGHT, &json!({"game_id": games[0]}), 200);
    assert_eq!(verdict["checks"][0]["fix_action"]["payload"]["app_id"], "org.libretro.RetroArch");
    let refusal = "game_ids must be a list of 1 to 500 game ids.";
    let many = vec!["game-x"; 501];
    for (ids, error) in [
        (json!([]), refusal),
        (json!(3), refusal),
        (json!([3]), refusal),
        (json!(many), refusal),
        (json!(many[..500]), "Unknown emulator definition."),
    ] {
        let body = json!({"game_ids": ids, "adapter_id": "nobody"});
        assert_eq!(send(&server, route, &body, 400)["error"], error);
    }
}
