//! `/api/v2/memories*` over folders as the programs make them.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    emulator::{add, with_programs},
    server::{Server, Setup},
    wait::until,
};

const IMPORT: &str = "/api/v2/memories/import";

/// Imports memories and returns the result of the job.
#[track_caller]
fn import(server: &Server) -> Value {
    let queued = server.send(&Request::post(IMPORT, &json!({}))).expect(202).json();
    assert_eq!((&queued["state"], &queued["enabled"]), (&json!("queued"), &json!(true)));
    let id = queued["job_id"].as_str().expect("an id").to_owned();
    until("the import", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].as_array().expect("a list").clone();
        let job = jobs.into_iter().find(|job| job["job_id"] == *id)?;
        let is_over = ["done", "partial"].contains(&job["state"].as_str().unwrap_or_default());
        is_over.then(|| job["result"].clone())
    })
}

fn enabled(setup: Setup, roots: &Value) -> Server {
    let server = setup.start();
    server.post(
        "/api/settings",
        &json!({"memories_import_enabled": true, "memories_import_roots": roots}),
    );
    server
}

fn status(server: &Server) -> Value {
    server.get("/api/v2/memories/status")
}

fn list(server: &Server, query: &str) -> Vec<Value> {
    server.get(&format!("/api/v2/memories?{query}"))["memories"].as_array().expect("a list").clone()
}

#[test]
fn nothing_is_read_while_it_is_off() {
    let server = with_programs(&[]).start();
    assert_eq!(
        server.post(IMPORT, &json!({})),
        json!({"enabled": false, "state": "disabled", "added": 0})
    );
    assert_eq!(
        status(&server),
        json!({"enabled": false, "roots": 0, "memories": 0, "games_with_memories": 0,
            "unassigned": 0, "job": null})
    );
    assert!(!server.data("media/memories").exists());
}

#[test]
fn pictures_find_their_games() {
    let setup = with_programs(&[]);
    let own = setup.scratch().folder("pictures");
    let server = enabled(setup, &json!([own]));
    let scratch = server.scratch();
    let store = add(&server, "store.bin", "Linux", &json!({"store_a_app_id": "440"}));
    let retro = add(&server, "Super Game (USA).nes", "NES", &json!({}));
    let wii = add(&server, "disc.wbfs", "Wii", &json!({"rom_name": "RMCE01"}));
    let twin = json!({"name": "Twin"});
    add(&server, "Twin.sfc", "SNES", &twin);
    add(&server, "Twin.md", "Sega Genesis", &twin);
    let shots = "home/.local/share/Steam/userdata/7/760/remote/440/screenshots";
    scratch.file(format!("{shots}/20240131235958_1.jpg"), "store picture");
    scratch.file(format!("{shots}/thumbnails/20240131235958_1.jpg"), "small");
    scratch.file("home/.config/retroarch/screenshots/Super Game (USA)-240131-235959.png", "retro");
    scratch.file("home/.local/share/dolphin-emu/ScreenShots/RMCE01/RMCE01-1.png", "wii");
    scratch.file("pictures/deep/super game.webp", "own");
    scratch.file("pictures/Twin-3.png", "twin");
    scratch.file("pictures/nobody.png", "nobody");
    scratch.file("pictures/super game.txt", "no picture");
    std::os::unix::fs::symlink(scratch.path("secret.png"), scratch.path("pictures/Twin.png"))
        .expect("linked");
    let result = import(&server);
    assert_eq!((&result["added"], &result["unassigned"]), (&json!(4), &json!(1)), "{result}");
    assert_eq!((&result["skipped"], &result["failed"]), (&json!(1), &json!(0)), "{result}");
    assert_eq!((&result["scanned"], &result["skipped_roots"]), (&json!(6), &json!([])), "{result}");
    assert_eq!((&result["errors"], &result["cancelled"]), (&json!([]), &json!(false)));
    let of = |id: &str| list(&server, &format!("game_id={id}"));
    let memory = &of(&store)[0];
    assert_eq!((&memory["source"], &memory["bytes"]), (&json!("store_a"), &json!(13)));
    assert!(memory["taken_at"].as_str().is_some_and(|at| at.starts_with("2024-01-31T23:59:58")));
    let path = memory["path"].as_str().expect("a path");
    let sha = memory["sha256"].as_str().expect("a digest");
    assert_eq!(
        path,
        server.data("media/memories").join(&store).join(format!("{sha}.jpg")).to_string_lossy()
    );
    let mut sources: Vec<_> = of(&retro).iter().map(|each| each["source"].clone()).collect();
    sources.sort_by_key(Value::to_string);
    assert_eq!(sources, [json!("custom"), json!("retroarch")]);
    assert_eq!(of(&wii)[0]["source"], "dolphin");
    let unknown = list(&server, "unassigned=1");
    assert_eq!((unknown.len(), &unknown[0]["hint"]), (1, &json!("Twin-3")));
    let found = status(&server);
    assert_eq!((&found["memories"], &found["games_with_memories"]), (&json!(4), &json!(3)));
    assert_eq!((&found["unassigned"], &found["roots"]), (&json!(1), &json!(1)));
    assert_eq!(found["job"]["state"], "done");
    let media =
        |query: &str| server.send(&Request::get(&format!("/api/v2/memories/media?{query}")));
    assert_eq!(media(&format!("game_id={store}&index=0")).expect(200).body(), b"store picture");
    assert_eq!(media("bucket=unassigned&index=0").expect(200).body(), b"twin");
    for query in [
        "",
        "index=0",
        "bucket=unassigned&index=1",
        "bucket=other&index=0",
        &format!("game_id={store}"),
        &format!("game_id={store}&index=9"),
        "game_id=game-gone&index=0",
    ] {
        assert_eq!(media(query).expect(404).json()["code"], "MEDIA_NOT_FOUND", "{query}");
    }
    let again = import(&server);
    assert_eq!(
        (&again["added"], &again["unassigned"], &again["skipped"]),
        (&json!(0), &json!(0), &json!(6))
    );
    assert!(scratch.path("pictures/Twin-3.png").exists(), "files are copied");
    server.send(&Request::get("/api/v2/memories?game_id=game-gone")).expect(404);
    server.send(&Request::get("/api/v2/memories")).expect(404);
}

#[test]
fn known_pictures_are_not_copied_again() {
    let setup = with_programs(&[]);
    let own = setup.scratch().folder("pictures");
    let server = enabled(setup, &json!([own]));
    let id = add(&server, "Game.nes", "NES", &json!({}));
    let shot = server.data("media/shot.png");
    fs::create_dir_all(server.data("media")).expect("a folder");
    fs::write(&shot, "the same").expect("written");
    server.post(
        "/api/game",
        &json!({"game_id": id, "game": {"name": "Game", "screenshots": [shot],
        "path": server.scratch().path("games/Game.nes")}}),
    );
    server.scratch().file("pictures/Game.png", "the same");
    server.scratch().file("pictures/Game-1.png", "other");
    server.scratch().file("pictures/Game-2.png", "other");
    server.scratch().file("pictures/Game-3.png", "");
    let result = import(&server);
    assert_eq!((&result["added"], &result["skipped"]), (&json!(1), &json!(3)), "{result}");
}

#[test]
fn a_game_takes_two_hundred() {
    let setup = with_programs(&[]);
    let own = setup.scratch().folder("pictures");
    for number in 0..203 {
        setup.scratch().file(format!("pictures/Game-{number}.png"), format!("picture {number}"));
    }
    let server = enabled(setup, &json!([own]));
    let id = add(&server, "Game.nes", "NES", &json!({}));
    let result = import(&server);
    assert_eq!((&result["added"], &result["skipped"]), (&json!(200), &json!(3)));
    assert_eq!(list(&server, "id=0").len(), 200);
    assert_eq!(list(&server, &format!("game_id={id}")).len(), 200);
}

#[test]
fn folders_that_are_gone_are_named() {
    let setup = with_programs(&[]);
    let own = setup.scratch().folder("pictures");
    let server = enabled(setup, &json!([own]));
    fs::remove_dir(&own).expect("removed");
    let result = import(&server);
    assert_eq!(result["skipped_roots"], json!([{"path": own, "reason": "missing"}]));
}

#[test]
fn a_picture_of_unknown_game_is_given_to_one_and_taken_back() {
    let setup = with_programs(&[]);
    let own = setup.scratch().folder("pictures");
    let server = enabled(setup, &json!([own]));
    let twin = json!({"name": "Twin"});
    let one = add(&server, "Twin.sfc", "SNES", &twin);
    add(&server, "Twin.md", "Sega Genesis", &twin);
    server.scratch().file("pictures/Twin-3.png", "twin");
    import(&server);
    let unknown = list(&server, "unassigned=1");
    let sha = unknown[0]["sha256"].clone();
    let assign = |body: &Value| Request::post("/api/v2/memories/assign", body);
    let to_game = json!({"sha256": sha, "game_id": one});
    let given = server.send(&assign(&to_game)).expect(200).json();
    assert_eq!(
        given,
        json!({"ok": true, "sha256": sha, "game_id": one, "previous_game_id": "", "index": 0})
    );
    assert_eq!(list(&server, &format!("game_id={one}")), unknown);
    assert_eq!(list(&server, "unassigned=1"), Vec::<Value>::new());
    let picture = format!("/api/v2/memories/media?game_id={one}&index=0");
    let reply = server.send(&Request::get(&picture)).expect(200);
    assert_eq!(reply.body(), b"twin");
    // Another one may take its place, so a browser asks again.
    assert_eq!(reply.header("cache-control"), Some("private, no-cache"));
    let again = server.send(&assign(&to_game)).expect(200).json();
    assert_eq!((&again["previous_game_id"], &again["index"]), (&json!(one), &json!(0)));
    let back = server.send(&assign(&json!({"sha256": sha}))).expect(200).json();
    assert_eq!((&back["game_id"], &back["previous_game_id"]), (&json!(""), &json!(one)));
    assert_eq!(list(&server, "unassigned=1"), unknown);
    for (body, status, code) in [
        (json!({"sha256": "ff", "game_id": one}), 404, "MEMORY_NOT_FOUND"),
        (json!({"sha256": "", "game_id": one}), 404, "MEMORY_NOT_FOUND"),
        (json!({"sha256": sha, "game_id": "game-gone"}), 400, "GAME_NOT_FOUND"),
    ] {
        let reply = server.send(&assign(&body)).expect(status).json();
        assert_eq!(reply["code"], code, "{body}");
    }
    assert_eq!(import(&server)["skipped"], 1, "it is known");
}
