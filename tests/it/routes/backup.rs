//! `POST /api/backup/create` and `/restore`, `GET /api/backup`, `/api/backup/manifest`,
//! `/api/backups`, `/api/v2/backup/diff`.

use std::{
    fs,
    io::{Cursor, Read as _},
    os::unix::fs::symlink,
    path::Path,
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::{Stream, started},
    toy::Toy,
};

const CREATE: &str = "/api/backup/create";
const RESTORE: &str = "/api/backup/restore";

fn server() -> Server {
    let library = json!({
        "schema_version": 6,
        "games": [{"game_id": "game-a", "name": "One"}, {"game_id": "game-b", "name": "Two"}],
        "settings": {
            "theme": "dark", "libserver_password": "hunter22",
            "webhooks": [{"id": "wh-1", "url": "https://x.test/hook?key=hunter22", "secret": "hunter22",
                "events": ["metadata.synced"]}],
        },
    });
    let setup = Setup::new().library(&library.to_string());
    setup.scratch().file("data/media/one.png", "picture");
    setup.start()
}

#[track_caller]
fn done(server: &Server, path: &str, body: &Value) -> Value {
    let mut stream = Stream::open(server);
    let id = started(server, path, body);
    let job = stream.job_end(server, &id);
    assert_eq!(job["state"], "done", "{job}");
    if path == CREATE {
        let progress = &job["progress"];
        assert_eq!(progress["current"], progress["total"], "{job}");
    }
    let jobs = server.get("/api/jobs")["history"].as_array().expect("a list").clone();
    jobs.into_iter().find(|job| job["job_id"] == id.as_str()).expect("it is listed")
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

fn games(server: &Server) -> usize {
    server.get("/api/library")["games"].as_array().map_or(0, Vec::len)
}

#[test]
fn a_library_is_archived_compared_and_restored() {
    let server = server();
    let created =
        done(&server, CREATE, &json!({"items": ["Library", "settings", "MEDIA", "media"]}));
    let name = created["name"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("ServiceBackup-"), "{name}");
    assert_eq!(
        created["archive"],
        server.data(format!("backups/{name}")).to_string_lossy().as_ref()
    );
    let row = server.get("/api/backups")["backups"][0].clone();
    assert_eq!((&row["name"], &row["path"]), (&json!(name), &created["archive"]));
    assert_eq!(row["items"], json!(["library", "settings", "media"]));
    assert!(row["size"].as_u64().is_some_and(|size| size > 0) && row.get("invalid").is_none());
    assert_eq!(server.get("/api/v1/backups")["backups"][0]["name"], name.as_str());
    server.post("/api/game/delete", &json!({"game_id": "game-b"}));
    server.post("/api/settings", &json!({"settings": {"theme": "light"}}));
    let diff = server.get(&format!("/api/v2/backup/diff?archive={name}"));
    assert_eq!(diff["removed"], json!(["game-b"]));
    assert_eq!(diff["summary"], json!({"added": 0, "removed": 1, "changed": 0, "total": 1}));
    let will_add =
        json!({"total": 1, "truncated": false, "rows": [{"game_id": "game-b", "name": "Two"}]});
    assert_eq!(diff["restore"]["will_add"], will_add);
    let body = json!({"path": row["path"], "items": ["library", "media"]});
    let older =
        "This backup is older than the current library. Pass force=True to restore it anyway.";
    refused(&server, RESTORE, &body, older);
    let epoch = server.get("/api/library")["media_epoch"].as_u64();
    let mut body = body;
    body["force"] = json!(true);
    let mut open_ui = Stream::open(&server);
    let restored = done(&server, RESTORE, &body);
    let changed = open_ui.hear("library.changed");
    assert_eq!((&changed["all"], &changed["game_ids"]), (&json!(true), &json!([])));
    assert_eq!(restored["restored"], json!(["library", "media"]));
    assert_eq!(games(&server), 2);
    assert!(server.get("/api/library")["media_epoch"].as_u64() > epoch);
    assert!(server.data("library.before-restore.json").exists());
    assert_eq!(server.scratch().mode("data/media/one.png"), 0o600);
}

#[test]
fn archives_behind_a_link_to_another_disk_are_restored() {
    let server = server();
    let other = server.scratch().folder("other-disk");
    let folder = server.data("backups");
    if folder.exists() {
        fs::remove_dir_all(&folder).expect("removed");
    }
    symlink(&other, &folder).expect("linked");
    let archive = done(&server, CREATE, &json!({"items": ["library"]}))["archive"].clone();
    server.post("/api/game/delete", &json!({"game_id": "game-b"}));
    let mut body = json!({"path": archive, "items": ["library"], "force": true});
    done(&server, RESTORE, &body);
    assert_eq!(games(&server), 2);
    // A link in that folder is none of its archives.
    let name = Path::new(archive.as_str().expect("text")).file_name().expect("a name");
    symlink(other.join(name), other.join("linked.zip")).expect("linked");
    body["path"] = json!("linked.zip");
    let place = "Backup path must be a .zip file inside the data directory.";
    refused(&server, RESTORE, &body, place);
}

#[test]
fn a_library_in_a_fresh_directory_has_its_journal() {
    let server = server();
    server.post("/api/game/delete", &json!({"game_id": "game-b"}));
    let archive = done(&server, CREATE, &json!({"items": ["library"]}))["archive"].clone();
    let archive = archive.as_str().expect("a path");
    let fresh = Server::start();
    let copy = fresh.data("backups").join(Path::new(archive).file_name().expect("a name"));
    fs::create_dir_all(fresh.data("backups")).expect("the folder of backups");
    fs::copy(archive, &copy).expect("copied");
    done(&fresh, RESTORE, &json!({"path": copy, "items": ["library"], "force": true}));
    assert_eq!(games(&fresh), 1);
    let events = fresh.get("/api/v2/library/journal/events");
    let deleted = |event: &Value| event["kind"] == "delete" && event["game_id"] == "game-b";
    assert!(events["events"].as_array().expect("events").iter().any(deleted), "{events}");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let server = server();
    let none = "Select at least one backup item.";
    for items in [json!([]), json!(["everything"]), json!("library")] {
        refused(&server, CREATE, &json!({"items": items}), none);
    }
    refused(&server, CREATE, &json!({"keep": -1}), "Backup retention must be at least 1.");
    let place = "Backup path must be a .zip file inside the data directory.";
    for path in ["", "missing.zip", "/etc/passwd", "../library.json"] {
        refused(&server, RESTORE, &json!({"path": path, "items": ["library"]}), place);
    }
    let bad = server.scratch().file("data/backups/bad.zip", "not a zip");
    let body = json!({"path": bad, "items": ["library"], "force": true});
    refused(&server, RESTORE, &body, "Backup archive is invalid.");
    let row = server.get("/api/backups")["backups"][0].clone();
    assert_eq!((&row["name"], &row["invalid"]), (&json!("bad.zip"), &json!(true)));
    let missing = server.send(&Request::get("/api/v2/backup/diff")).expect(400).json();
    assert_eq!(missing["error"], "archive parameter required");
    for name in ["bad.zip", "nothing.zip", "../x.zip"] {
        let path = format!("/api/v2/backup/diff?archive={name}");
        let reply = server.send(&Request::get(&path)).expect(404).json();
        assert_eq!(reply["error"], "backup archive not found");
    }
    let items = json!(["settings", "library", "media", "plugins", "themes", "extension_data"]);
    assert_eq!(server.get("/api/backup/manifest"), json!({"items": items}));
}

#[test]
fn a_running_game_is_waited_for() {
    let server = server();
    let archive = done(&server, CREATE, &json!({}))["name"].clone();
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let id = toy.add(&server, "Runs", &json!({}));
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    refused(&server, CREATE, &json!({}), "Close running games before creating a backup.");
    let body = json!({"path": archive, "items": ["library"], "force": true});
    refused(&server, RESTORE, &body, "Close running games before restoring a backup.");
}

#[test]
fn the_portable_export_has_everything_but_credentials() {
    let server = server();
    for path in ["/api/backup", "/api/v1/backup"] {
        let reply = server.send(&Request::get(path)).expect(200);
        let attachment = "attachment; filename=\"portable-redacted-export.json\"";
        assert_eq!(reply.header("Content-Disposition"), Some(attachment));
        let export = reply.json();
        assert_eq!(export["games"][1]["name"], "Two");
        assert_eq!(export["settings"]["theme"], "dark");
        let hook = json!([{"id": "wh-1", "url": "https://x.test/", "url_cut": true, "secret_set": true,
            "events": ["metadata.synced"]}]);
        assert_eq!(export["settings"]["webhooks"], hook);
        assert!(!export.to_string().contains("hunter22"));
    }
}

#[test]
fn an_archive_has_no_address_of_a_webhook_and_a_restore_keeps_the_one_that_is_here() {
    let server = server();
    let archive =
        done(&server, CREATE, &json!({"items": ["library", "settings"]}))["archive"].clone();
    let bytes = fs::read(archive.as_str().expect("a path")).expect("the archive");
    let mut zip = zip::ZipArchive::new(Cursor::new(bytes)).expect("an archive");
    for index in 0..zip.len() {
        let mut bytes = Vec::new();
        zip.by_index(index).expect("a member").read_to_end(&mut bytes).expect("whole");
        assert!(!String::from_utf8_lossy(&bytes).contains("hunter22"), "member {index}");
    }
    let before = server.get("/api/webhooks");
    assert_eq!(before["webhooks"][0]["url"], "https://x.test/hook?key=hunter22");
    done(&server, RESTORE, &json!({"path": archive, "force": true}));
    assert_eq!(server.get("/api/webhooks"), before);
    let other = Setup::new().start();
    let archive = Path::new(archive.as_str().expect("a path"));
    let copy = other.data("backups").join(archive.file_name().expect("a name"));
    fs::create_dir_all(other.data("backups")).expect("folder");
    fs::copy(archive, &copy).expect("copied");
    done(&other, RESTORE, &json!({"path": copy, "force": true}));
    let hook = other.get("/api/webhooks")["webhooks"][0].clone();
    assert_eq!((&hook["url"], &hook["enabled"]), (&json!("https://x.test/"), &json!(false)));
}

#[test]
fn an_archive_survives_a_kill_and_is_restored_afterwards() {
    let mut server = server();
    let archive = done(&server, CREATE, &json!({}))["archive"].clone();
    server.post("/api/game/delete", &json!({"game_id": "game-a"}));
    server.kill();
    server.restart();
    assert_eq!(games(&server), 1);
    done(&server, RESTORE, &json!({"path": archive, "force": true}));
    server.kill();
    server.restart();
    assert_eq!(games(&server), 2);
}

#[test]
fn an_archive_in_the_home_folder_is_named_as_its_job_shows_it() {
    let setup = Setup::new();
    let home = setup.scratch().path("").canonicalize().expect("a folder");
    let server = setup.env("HOME", home).start();
    let created = done(&server, CREATE, &json!({}));
    let name = created["name"].as_str().expect("a name");
    let path = format!("~/data/backups/{name}");
    done(&server, RESTORE, &json!({"path": path}));
    let restore = server.get("/api/v2/jobs?type=library.restore")["jobs"][0].clone();
    assert_eq!(restore["input"]["path"], path);
    let other = json!({"path": format!("~/{name}")});
    let reply = server.send(&Request::post(RESTORE, &other)).expect(400).json();
    assert_eq!(reply["code"], "BAD_REQUEST");
}
