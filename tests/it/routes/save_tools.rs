//! `/api/save-tools`, `/api/highscores`, `/api/cloud/sync`.

use std::{fs, os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::Stream,
    toy::Toy,
    wait::until,
};

const PRIMARY: &str = "/api/save-tools/primary";
const SECONDARY: &str = "/api/save-tools/secondary";

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

/// A server with these programs and no others of that name on its search path.
fn with_tools(tools: &[(&str, &str)]) -> Server {
    let library = json!({"schema_version": 6, "games": [{"game_id": "a", "name": "A Game; $(x)"}]});
    let setup = Setup::new().library(&library.to_string());
    let bin = setup.scratch().folder("bin");
    for (name, lines) in tools {
        setup.scratch().script(bin.join(name), lines);
    }
    let path = format!("{}:/usr/bin:/bin", bin.display());
    setup.env("PATH", path).start()
}

#[test]
fn the_first_tool_is_asked_with_plain_arguments() {
    let script = "printf '{\"args\": ['; for word in \"$@\"; do printf '\"%s\",' \"$word\"; done; \
        printf '\"end\"]}'; echo note >&2";
    let server = with_tools(&[("ludusavi", script)]);
    assert_eq!(server.get("/api/save-tools/status"), json!({"primary": true, "secondary": false}));
    for (body, args) in [
        (json!({"id": 0}), json!(["backup", "--api", "--force", "A Game; $(x)", "end"])),
        (
            json!({"action": "restore", "name": "Named", "id": 0, "path": "/backups"}),
            json!(["restore", "--api", "--force", "--path", "/backups", "Named", "end"]),
        ),
        (json!({"action": "find", "name": "-x"}), json!(["find", "--api", "--", "-x", "end"])),
        (json!({"action": "backups"}), json!(["backups", "--api", "end"])),
    ] {
        let reply = server.post(PRIMARY, &body);
        assert_eq!((&reply["ok"], &reply["result"]["args"]), (&json!(true), &args), "{reply}");
        assert_eq!(reply["stderr"], "note\n");
    }
    assert_eq!(server.post(PRIMARY, &json!({"id": 0}))["action"], "backup");
    let folder = server.scratch().folder("tool backups");
    server.post("/api/settings", &json!({"save_primary_backup_path": folder}));
    let reply = server.post(PRIMARY, &json!({"action": "backups"}));
    assert_eq!(reply["result"]["args"], json!(["backups", "--api", "--path", folder, "end"]));
    refused(&server, PRIMARY, &json!({}), "name or id is required.");
    refused(&server, PRIMARY, &json!({"id": 9}), "Game not found");
    let relative = json!({"id": 0, "path": "relative"});
    refused(&server, PRIMARY, &relative, "path must be an absolute path.");
    let action = "Ludusavi action must be backup, restore, backups, or find.";
    refused(&server, PRIMARY, &json!({"action": "delete", "id": 0}), action);
}

#[test]
fn what_the_first_tool_says_is_passed_on() {
    let script = "case \"$4\" in silent) ;; raw) echo 'not json';; partly) echo '{\"errors\": 1}'; exit 1;; \
        fails) echo 'no such game' >&2; exit 2;; mute) exit 3;; esac";
    let server = with_tools(&[("ludusavi", script)]);
    let ask = |name: &str| server.post(PRIMARY, &json!({"name": name}));
    assert_eq!(ask("silent")["result"], json!({}));
    assert_eq!(ask("raw")["result"], json!({"raw": "not json\n"}));
    let partly = ask("partly");
    assert_eq!((&partly["ok"], &partly["result"]), (&json!(false), &json!({"errors": 1})));
    refused(&server, PRIMARY, &json!({"name": "fails"}), "no such game");
    refused(&server, PRIMARY, &json!({"name": "mute"}), "Ludusavi failed with exit code 3.");
}

#[test]
fn the_second_tool_is_asked_likewise() {
    let script = "[ \"$2\" = bad ] && { echo broken >&2; exit 1; }; echo \"$# $*\"";
    let server = with_tools(&[("hoard", script)]);
    assert_eq!(server.get("/api/save-tools/status"), json!({"primary": false, "secondary": true}));
    for (body, output) in [
        (json!({"id": 0}), "2 backup A Game; $(x)\n"),
        (json!({"action": "restore", "name": "x"}), "2 restore x\n"),
        (json!({"action": "list", "name": "x"}), "1 list\n"),
    ] {
        let reply = server.post(SECONDARY, &body);
        assert_eq!((&reply["ok"], &reply["output"]), (&json!(true), &json!(output)));
    }
    refused(&server, SECONDARY, &json!({"name": "bad"}), "broken");
    refused(&server, SECONDARY, &json!({"action": "backup"}), "name or id is required.");
    let action = "Hoard action must be backup, restore, or list.";
    refused(&server, SECONDARY, &json!({"action": "find"}), action);
}

#[test]
fn a_missing_tool_is_named_with_its_address() {
    let server = with_tools(&[]);
    assert_eq!(server.get("/api/save-tools/status"), json!({"primary": false, "secondary": false}));
    let first = "Ludusavi is not installed. Install it from https://github.com/mtkennerly/ludusavi";
    refused(&server, PRIMARY, &json!({"id": 0}), first);
    let second = "Hoard is not installed. Install it from https://github.com/Shadow53/hoard";
    refused(&server, SECONDARY, &json!({"id": 0}), second);
}

fn arcade() -> Server {
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "a", "name": "Street Fighter II'", "platform": "Arcade", "rom_name": "sf2"},
        {"game_id": "b", "name": "Street Fighter II", "platform": "MAME", "path": "/r/sf2ce.zip"},
        {"game_id": "c", "name": "Console", "platform": "NES", "rom_name": "sf2"},
    ]});
    let setup = Setup::new().library(&library.to_string());
    for (name, bytes) in [("sf2.hi", "one"), ("sf2-old.hi", "two"), ("sf2ce.hi", "other")] {
        setup.scratch().file(Path::new("home/.mame/hi").join(name), bytes);
    }
    let outside = setup.scratch().file("outside.hi", "outside");
    symlink(outside, setup.scratch().path("home/.mame/hi/sf2-link.hi")).expect("linked");
    setup.start()
}

#[test]
fn scores_are_listed_exported_and_put_back() {
    let server = arcade();
    let file = |name: &str| server.scratch().path("home/.mame/hi").join(name);
    let scores = json!([
        {"file": "sf2-old.hi", "size": 3, "label": "sf2-old"},
        {"file": "sf2.hi", "size": 3, "label": "sf2"},
    ]);
    assert_eq!(server.get("/api/highscores?game_id=a"), json!({"scores": scores}));
    assert_eq!(server.get("/api/highscores?id=1")["scores"][0]["label"], "sf2ce");
    assert_eq!(server.get("/api/highscores?id=2"), json!({"scores": []}));
    server.send(&Request::get("/api/highscores?id=9")).expect(404);
    let exported = server.post("/api/highscores/export", &json!({"id": 0}));
    let bundle = server.data("highscores/street-fighter-ii");
    let copies = json!([bundle.join("sf2-old.hi"), bundle.join("sf2.hi")]);
    assert_eq!(exported, json!({"files": copies, "manifest": bundle.join("highscores.json")}));
    let text = fs::read(bundle.join("highscores.json")).expect("there");
    let manifest: Value = serde_json::from_slice(&text).expect("json");
    assert_eq!((&manifest["format"], &manifest["rom"]), (&json!(1), &json!("sf2")));
    assert_eq!(manifest["files"], json!(["sf2-old.hi", "sf2.hi"]));
    assert_eq!(manifest["game"], "Street Fighter II'");
    // A game of the same title has a folder of its own.
    let other = server.post("/api/highscores/export", &json!({"id": 1}));
    assert_ne!(other["manifest"], exported["manifest"]);
    server.scratch().file(file("sf2.hi"), "new score");
    fs::remove_file(file("sf2-old.hi")).expect("removed");
    let body = json!({"id": 0, "path": bundle});
    let restored = server.post("/api/highscores/import", &body)["restored"].clone();
    assert_eq!(restored, json!([file("sf2-old.hi"), file("sf2.hi")]));
    assert_eq!(fs::read(file("sf2.hi")).expect("there"), b"one");
    assert_eq!(server.scratch().mode(file("sf2.hi")), 0o600);
    // The score that was replaced is kept.
    let kept =
        fs::read_dir(&bundle).expect("a folder").filter_map(|entry| Some(entry.ok()?.path()));
    let kept = kept.filter(|path| path.is_dir()).map(|path| fs::read(path.join("sf2.hi")));
    assert_eq!(kept.map(|bytes| bytes.expect("there")).collect::<Vec<_>>(), [b"new score"]);
}

#[test]
fn bundles_that_make_no_sense_are_refused() {
    let server = arcade();
    let scratch = server.scratch();
    let invalid = "High score bundle is invalid.";
    let nothing = "No high score files were found in the import bundle.";
    let import = |bundle: &Path, message: &str| {
        let body = json!({"id": 0, "path": bundle});
        refused(&server, "/api/highscores/import", &body, message);
    };
    import(Path::new("/no/such"), invalid);
    import(Path::new("relative"), invalid);
    import(&scratch.folder("empty"), nothing);
    scratch.file("texts/readme.txt", "x");
    import(&scratch.path("texts"), nothing);
    for (number, manifest) in [
        r#"{"files": ["../outside.hi"]}"#,
        r#"{"files": ["/etc/passwd"]}"#,
        "{",
        r#"{"files": [1]}"#,
        "{}",
    ]
    .iter()
    .enumerate()
    {
        scratch.file(format!("bad{number}/highscores.json"), manifest);
        scratch.file(format!("bad{number}/sf2.hi"), "x");
        import(&scratch.path(format!("bad{number}")), invalid);
    }
    symlink(scratch.path("outside.hi"), scratch.folder("linked").join("sf2.hi")).expect("linked");
    import(&scratch.path("linked"), nothing);
    scratch.file("plain/best.hi", "plain");
    let body = json!({"id": 0, "path": scratch.path("plain")});
    let restored = server.post("/api/highscores/import", &body)["restored"].clone();
    assert_eq!(restored, json!([scratch.path("home/.mame/hi/sf2-best.hi")]));
    for path in ["/api/highscores/export", "/api/highscores/import"] {
        let message = "High scores are available for arcade games only.";
        refused(&server, path, &json!({"id": 2, "path": scratch.path("plain")}), message);
        refused(&server, path, &json!({"id": 9}), "Game not found");
        refused(&server, path, &json!({}), "Game id is required.");
    }
}

fn machine(shared: &Path, games: &Value) -> Server {
    let library = json!({"schema_version": 6, "games": games,
        "settings": {"cloud_folder": shared}});
    Setup::new().library(&library.to_string()).start()
}

fn sync(server: &Server) -> Value {
    server.post("/api/cloud/sync", &json!({}))
}

#[test]
fn two_machines_share_their_statistics() {
    let home = tempfile::tempdir().expect("a folder");
    let shared = home.path().canonicalize().expect("real");
    let one = machine(
        &shared,
        &json!([{"game_id": "a", "name": "A", "play_count": 3, "playtime_seconds": 100,
            "last_played": "2026-01-01T10:00:00", "rating": 4, "favorite": true}]),
    );
    let two = machine(
        &shared,
        &json!([{"game_id": "a", "name": "A", "play_count": 1, "playtime_seconds": 500,
            "last_played": "2026-01-02T10:00:00", "rating": 2, "progress": "Beaten"},
            {"game_id": "b", "name": "B"}]),
    );
    let reply = sync(&one);
    let path = shared.join("service-statistics.json");
    assert_eq!((&reply["games"], &reply["merged"]), (&json!(1), &json!(0)));
    assert_eq!(reply["path"], json!(path));
    assert_eq!(one.get("/api/settings")["last_cloud_sync"], reply["synced_at"]);
    assert_eq!(one.scratch().mode(&path), 0o600);
    assert_eq!((sync(&two)["merged"].clone(), sync(&one)["merged"].clone()), (json!(1), json!(1)));
    for server in [&one, &two] {
        let game = server.get("/api/library")["games"][0].clone();
        let facts = json!([
            game["play_count"],
            game["playtime_seconds"],
            game["last_played"],
            game["rating"],
            game["favorite"],
            game["progress"]
        ]);
        let expected = json!([3, 500, "2026-01-02T10:00:00", 2, false, "Beaten"]);
        assert_eq!(facts, expected);
        assert_eq!(sync(server)["merged"], 0);
    }
    one.post("/api/game/delete", &json!({"game_id": "a"}));
    assert_eq!(sync(&one)["games"], 0);
    let file: Value = serde_json::from_slice(&fs::read(&path).expect("there")).expect("json");
    assert_eq!((&file["format"], &file["games"]["id:a"]["play_count"]), (&json!(1), &json!(3)));
    assert_eq!(one.get("/api/library")["games"], json!([]));
}

#[test]
fn machines_that_share_at_the_same_time_lose_nothing() {
    let home = tempfile::tempdir().expect("a folder");
    let shared = home.path().canonicalize().expect("real");
    let machines: Vec<Server> = (0..3)
        .map(|number| {
            let seconds = 100 * (number + 1);
            let game = json!({"game_id": "a", "name": "A", "playtime_seconds": seconds});
            let own = json!({"game_id": format!("own-{number}"), "name": "Own", "play_count": 7});
            machine(&shared, &json!([game, own]))
        })
        .collect();
    let sync_until_done = |server: &Server| {
        until("a turn at the shared file", || {
            let reply = server.send(&Request::post("/api/cloud/sync", &json!({})));
            (reply.status == 200).then_some(())
        });
    };
    std::thread::scope(|scope| {
        for server in &machines {
            scope.spawn(move || (0..10).for_each(|_| sync_until_done(server)));
        }
    });
    for server in &machines {
        sync_until_done(server);
        assert_eq!(server.get("/api/library")["games"][0]["playtime_seconds"], 300);
    }
    let text = fs::read(shared.join("service-statistics.json")).expect("there");
    let file: Value = serde_json::from_slice(&text).expect("json");
    for number in 0..3 {
        assert_eq!(file["games"][format!("id:own-{number}")]["play_count"], 7);
    }
}

#[test]
fn a_folder_or_file_that_cannot_be_used_is_told_or_kept() {
    let server = Server::start();
    refused(&server, "/api/cloud/sync", &json!({}), "Configure a mounted cloud sync folder first.");
    let shared = server.scratch().folder("cloud");
    server.post("/api/settings", &json!({"cloud_folder": shared}));
    let outside = server.scratch().file("outside.json", r#"{"format":1,"games":{}}"#);
    for bad in ["", "torn {", r#"{"format": 2, "games": {}}"#, "link"] {
        let path = shared.join("service-statistics.json");
        drop(fs::remove_file(&path));
        if bad == "link" {
            symlink(&outside, &path).expect("linked");
        } else {
            fs::write(&path, bad).expect("written");
        }
        sync(&server);
        let written: Value =
            serde_json::from_slice(&fs::read(&path).expect("there")).expect("json");
        assert_eq!(written["format"], 1);
        assert!(fs::symlink_metadata(&path).expect("there").is_file());
    }
    let kept =
        fs::read_dir(&shared).expect("a folder").filter_map(|entry| Some(entry.ok()?.file_name()));
    let kept = kept.filter(|name| name.to_string_lossy().contains(".bad-")).count();
    assert_eq!(kept, 4, "nothing is lost");
    assert_eq!(fs::read(outside).expect("there"), br#"{"format":1,"games":{}}"#);
    let lock = fs::File::open(shared.join(".service-statistics.json.lock")).expect("the lock");
    rustix::fs::flock(&lock, rustix::fs::FlockOperation::LockExclusive).expect("locked");
    let busy = "Another machine is synchronizing right now. Try again in a moment.";
    refused(&server, "/api/cloud/sync", &json!({}), busy);
    drop(lock);
    sync(&server);
    fs::remove_dir_all(&shared).expect("removed");
    refused(&server, "/api/cloud/sync", &json!({}), "Cloud sync folder does not exist.");
}

#[test]
fn statistics_are_shared_after_a_session() {
    let server = Server::start();
    let shared = server.scratch().folder("cloud");
    server.post("/api/settings", &json!({"cloud_folder": shared}));
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let id = toy.add(&server, "Runs", &json!({}));
    let mut stream = Stream::open(&server);
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    toy.end(0);
    stream.hear("stopped");
    until("the shared file", || {
        let text = fs::read(shared.join("service-statistics.json")).ok()?;
        let file: Value = serde_json::from_slice(&text).expect("never half written");
        (file["games"][format!("id:{id}")]["play_count"] == 1).then_some(())
    });
}
