//! `/api/v2/saves/devices`: two servers with one mounted folder.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    scratch::Scratch,
    server::Server,
    stream::{Stream, started},
    toy::Toy,
    wait::until,
};

const SYNC: &str = "/api/v2/saves/devices/sync";
const CHOOSE: &str = "/api/v2/saves/devices/choose";

/// A server with one game that adds a line to its save whenever it is played.
struct Device {
    toy: Toy,
    id: String,
    server: Server,
}

impl Device {
    fn new(name: &str, shared: &Scratch) -> Self {
        let server = Server::start();
        let scratch = server.scratch();
        let lines = format!(
            "echo {name} >> ../saves/slot; echo $$ > up.new; mv up.new up; read -r code < gate; exit 0"
        );
        let toy = Toy::with_script(scratch, name, "run.sh", &lines);
        let saves = scratch.folder("saves");
        server.post(
            "/api/settings",
            &json!({"cloud_folder": shared.folder("cloud"),
            "save_sync_platforms": ["Toys"]}),
        );
        let more = json!({"platform": "Toys", "save_paths": [saves]});
        let id = toy.add(&server, "Shared Game", &more);
        Self { toy, id, server }
    }

    fn status(&self) -> Value {
        self.server.get(&format!("/api/v2/saves/devices?game_id={}", self.id))
    }

    fn becomes(&self, state: &str) -> Value {
        until(state, || Some(self.status()).filter(|status| status["state"] == state))
    }

    fn play(&self) {
        self.server.post("/api/launch", &json!({"game_id": self.id}));
        self.toy.pid();
        self.toy.end(0);
        let running = || self.server.get("/api/running")["running"].as_array().map(Vec::len);
        until("the end of the session", || (running() == Some(0)).then_some(()));
        self.toy.forget();
    }

    fn job(&self, path: &str, more: &Value) -> Value {
        let mut stream = Stream::open(&self.server);
        let mut body = json!({"game_id": self.id});
        body.as_object_mut()
            .expect("an object")
            .extend(more.as_object().cloned().unwrap_or_default());
        let id = started(&self.server, path, &body);
        stream.job_end(&self.server, &id)
    }

    fn save(&self) -> String {
        fs::read_to_string(self.server.scratch().path("saves/slot")).unwrap_or_default()
    }
}

/// The files in the mounted folder whose names end like this.
fn exchanged(shared: &Scratch, ending: &str) -> Vec<PathBuf> {
    let games = fs::read_dir(shared.path("cloud/service-saves-v1")).into_iter().flatten().flatten();
    let files = games.flat_map(|game| fs::read_dir(game.path()).expect("a folder").flatten());
    files.map(|file| file.path()).filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn a_game_is_continued_on_the_other_device_and_a_conflict_is_decided() {
    let shared = Scratch::new();
    let (pocket, desk) = (Device::new("pocket", &shared), Device::new("desk", &shared));
    assert_eq!(desk.status()["state"], "same");
    pocket.play();
    pocket.becomes("same");
    desk.becomes("behind");
    desk.play();
    assert_eq!(desk.save(), "pocket\ndesk\n", "the saves came before the start");
    desk.becomes("same");
    pocket.becomes("behind");
    // Both play without the folder.
    fs::rename(shared.path("cloud"), shared.path("away")).expect("moved");
    let gone = pocket.status();
    assert_eq!(gone["state"], "failed");
    assert_eq!(gone["problem"], "The cloud sync folder is not there. Is it mounted?");
    for device in [&pocket, &desk] {
        device.play();
        until("the sync to fail", || {
            let jobs = device.server.get("/api/v2/jobs?limit=100")["jobs"].clone();
            let failed = |job: &&Value| job["type"] == "saves.sync" && job["state"] == "error";
            jobs.as_array().expect("a list").iter().find(failed).map(drop)
        });
    }
    assert_eq!(pocket.save(), "pocket\npocket\n");
    assert_eq!(desk.save(), "pocket\ndesk\ndesk\n");
    fs::rename(shared.path("away"), shared.path("cloud")).expect("moved");
    assert_eq!(desk.job(SYNC, &json!({}))["result"]["done"], "sent");
    assert_eq!(pocket.job(SYNC, &json!({}))["result"]["done"], "conflict");
    let status = pocket.becomes("conflict");
    let newest = status["versions"].as_array().expect("a list").iter();
    let newest: Vec<&Value> = newest.filter(|version| version["newest"] == true).collect();
    assert_eq!(newest.len(), 2);
    let theirs = newest.iter().find(|version| version["own"] == false).expect("there");
    assert_eq!(theirs["complete"], true);
    assert!(theirs["size"].as_u64() > Some(0) && theirs["playtime_seconds"].as_u64() > Some(0));
    let notices = pocket.server.get("/api/notifications").to_string();
    assert!(notices.contains("Two devices played Shared Game"), "{notices}");
    pocket.job(CHOOSE, &json!({"version": theirs["id"]}));
    assert_eq!(pocket.save(), "pocket\ndesk\ndesk\n");
    let kept = pocket.server.get(&format!("/api/v2/saves/history?game_id={}", pocket.id));
    assert_eq!(kept["versions"][0]["label"], "before-restore");
    pocket.becomes("same");
    desk.becomes("same");
    assert_eq!(exchanged(&shared, ".zip").len(), 4, "no version is gone");
}

#[test]
fn a_version_that_is_half_written_waits_and_the_game_starts() {
    let shared = Scratch::new();
    let (pocket, desk) = (Device::new("pocket", &shared), Device::new("desk", &shared));
    pocket.play();
    pocket.becomes("same");
    let archive = exchanged(&shared, ".zip").remove(0);
    let whole = fs::read(&archive).expect("read");
    fs::write(&archive, &whole[..whole.len() / 2]).expect("written");
    let failed = desk.job(SYNC, &json!({}));
    let text = "The saves of the other device have not arrived completely. Try again in a moment.";
    assert_eq!((&failed["state"], &failed["error"]), (&json!("error"), &json!(text)));
    desk.play();
    assert_eq!(desk.save(), "desk\n");
    fs::write(&archive, &whole).expect("written");
    desk.becomes("conflict");
    // The sync after the session sends what was played here.
    until("both to be kept", || {
        let versions = desk.status()["versions"].as_array().map(Vec::len);
        (versions == Some(2)).then_some(())
    });
}

#[test]
fn saves_are_shared_only_where_that_is_wanted() {
    let shared = Scratch::new();
    let pocket = Device::new("pocket", &shared);
    let edit = |mode: &str| {
        let game = json!({"name": "Shared Game", "save_sync": mode});
        pocket.server.post("/api/game", &json!({"game_id": pocket.id, "game": game}));
    };
    edit("off");
    assert_eq!(pocket.status()["state"], "off");
    pocket.play();
    assert!(exchanged(&shared, "").is_empty());
    let refused = |path: &str, body: &Value, text: &str| {
        let reply = pocket.server.send(&Request::post(path, body)).expect(400).json();
        assert_eq!(reply["error"], text);
    };
    let body = json!({"game_id": pocket.id});
    refused(SYNC, &body, "Saves of this game are not shared between devices.");
    pocket.server.post("/api/settings", &json!({"save_sync_platforms": []}));
    edit("on");
    pocket.job(SYNC, &json!({}));
    assert_eq!(exchanged(&shared, ".zip").len(), 1);
    let body = json!({"game_id": pocket.id, "version": "../x"});
    refused(CHOOSE, &body, "A version is named by its id.");
    refused(SYNC, &json!({"game_id": "nobody"}), "Game not found");
}
