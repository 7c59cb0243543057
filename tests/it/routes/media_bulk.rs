//! `/api/media/bulk` against a stand-in for the database and its pictures: what fails, what is not
//! repeated, a kill, a lost connection.

use std::{fs, path::PathBuf};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    metadb::{Metadb, Says, dump, picture_of},
    server::{Server, Setup},
    wait::until,
};

const BULK: &str = "/api/media/bulk";
const SNES: &str = "Super Nintendo Entertainment System";

/// The name of the picture of a game.
fn file(number: u32) -> String {
    format!("{number}.jpg")
}

/// A database with a cover for each of so many games.
fn covers(count: u32) -> Metadb {
    let files: Vec<String> = (1..=count).map(file).collect();
    let pictures: Vec<_> = files.iter().map(|file| [("Box - Front", "", file.as_str())]).collect();
    let names: Vec<String> = (1..=count).map(|number| format!("Comet {number}")).collect();
    let rows: Vec<_> = (1..=count)
        .zip(names.iter().zip(&pictures))
        .map(|(number, (name, pictures))| (number, name.as_str(), SNES, &pictures[..]))
        .collect();
    Metadb::new(&[("Metadata.xml", &dump(&rows))])
}

/// A library of so many games that have their number.
fn library(count: u32) -> Value {
    let game = |number: u32| {
        json!({"game_id": format!("game-{number}"), "name": format!("Comet {number}"),
            "platform": "SNES", "metadb_id": number.to_string()})
    };
    json!({"schema_version": 6, "settings": {}, "games": (1..=count).map(game).collect::<Vec<_>>()})
}

fn start(metadb: &Metadb, library: &Value) -> Server {
    let server = metadb.setup().library(&library.to_string()).start();
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    until("the sync", || {
        (server.get("/api/metadata/status")["job"]["state"] == "done").then_some(())
    });
    metadb.seen();
    server
}

fn status(server: &Server) -> Value {
    server.get("/api/media/bulk/status")["job"].clone()
}

fn ended(server: &Server) -> Value {
    until("the pictures", || {
        let job = status(server);
        (job["state"] != "running").then_some(job)
    })
}

/// Loads covers; returns the ended job.
fn load(server: &Server) -> Value {
    server.send(&Request::post(BULK, &json!({"media": ["cover"]}))).expect(202);
    ended(server)
}

/// The names of the pictures that were asked for since the last call.
fn asked(metadb: &Metadb) -> Vec<String> {
    let seen = metadb.seen();
    let names = seen.iter().filter_map(|seen| seen.path.strip_prefix("/images/"));
    let mut names: Vec<String> = names.map(str::to_owned).collect();
    names.sort_unstable();
    names
}

fn cover(server: &Server, number: u32) -> PathBuf {
    server.data(format!("media/metadb/{number}/cover.jpg"))
}

/// The numbers of the games that have a cover, which is the right one.
fn with_cover(server: &Server) -> Vec<u32> {
    let games = server.get("/api/library")["games"].clone();
    let games = games.as_array().expect("games");
    let has = games.iter().filter(|game| game["has_cover"] == true);
    let numbers =
        has.map(|game| game["metadb_id"].as_str().expect("text").parse().expect("a number"));
    let numbers: Vec<u32> = numbers.collect();
    for number in &numbers {
        let bytes = fs::read(cover(server, *number)).expect("there");
        assert_eq!(bytes, picture_of(&file(*number)), "{number}");
    }
    numbers
}

#[test]
fn each_failure_affects_its_own_game_and_nothing_is_loaded_twice() {
    let metadb = covers(7);
    let server = start(&metadb, &library(7));
    let no_kinds = "Select at least one valid media type.";
    for body in [json!({}), json!({"media": []}), json!({"media": ["hologram"]})] {
        let reply = server.send(&Request::post(BULK, &body)).expect(400).json();
        assert_eq!(reply["error"], no_kinds);
    }
    assert_eq!(status(&server)["state"], "idle");
    metadb.say_of("1.jpg", Says::Status(404));
    metadb.say_of("2.jpg", Says::Page);
    metadb.say_of("3.jpg", Says::File("image/jpeg", b"<html>".to_vec()));
    metadb.say_of("4.jpg", Says::Status(410));
    metadb.say_of("5.jpg", Says::Cut(40));
    server.post("/api/v2/game/locks", &json!({"game_id": "game-7", "lock": ["cover"]}));
    let job = load(&server);
    assert_eq!(
        (&job["state"], &job["current"], &job["total"]),
        (&json!("done"), &json!(7), &json!(7))
    );
    let errors = json!([
        "Comet 1: cover: the server answered 404 Not Found",
        "Comet 2: cover: the server sent a web page",
        "Comet 3: cover: it is no PNG, JPEG or WebP picture",
        "Comet 4: cover: the server answered 410 Gone",
        "Comet 5: cover: the answer broke off"
    ]);
    assert_eq!(job["errors"], errors);
    assert_eq!(with_cover(&server), [6]);
    assert_eq!(server.get("/api/library")["games"][6]["year"], "1994", "texts are filled");
    assert!(metadb.most_at_once() <= 4);
    let seen = asked(&metadb);
    assert!(!seen.contains(&file(7)), "what is locked is not loaded: {seen:?}");
    for number in 1..=5 {
        metadb.say_of(&file(number), Says::File("image/jpeg", picture_of(&file(number))));
    }
    let jobs = server.get("/api/v2/jobs")["jobs"].clone();
    assert_eq!((&jobs[0]["state"], &jobs[0]["can_retry"]), (&json!("partial"), &json!(true)));
    server
        .send(&Request::post("/api/v2/jobs/retry", &json!({"job_id": jobs[0]["job_id"]})))
        .expect(202);
    assert_eq!(ended(&server)["updated"], 5);
    assert_eq!(asked(&metadb), (1..=5).map(file).collect::<Vec<_>>(), "only those that failed");
    assert_eq!(with_cover(&server), (1..=6).collect::<Vec<_>>());
    assert_eq!(load(&server)["updated"], 0);
    assert_eq!(asked(&metadb), [""; 0]);
    let passes = server.get("/api/v2/library/passes")["passes"].clone();
    assert_eq!(passes[0]["kind"], "media.bulk_download");
    server.post("/api/v2/library/passes/undo", &json!({"pass_id": passes[0]["pass_id"]}));
    assert_eq!(with_cover(&server), [0_u32; 0]);
    assert_eq!(load(&server)["updated"], 7, "texts and pictures are as before");
    assert_eq!(asked(&metadb), [""; 0], "the files are there");
    assert_eq!(with_cover(&server), (1..=6).collect::<Vec<_>>());
}

#[test]
fn a_kill_leaves_whole_covers_and_a_resume_repeats_nothing() {
    let metadb = covers(40);
    let mut server = start(&metadb, &library(40));
    metadb.say_of("30.jpg", Says::Held(0));
    server.send(&Request::post(BULK, &json!({"media": ["cover"]}))).expect(202);
    until("the held picture", || {
        (status(&server)["current"] == 24 && fs::exists(cover(&server, 36)).ok()?).then_some(())
    });
    let again = server.send(&Request::post(BULK, &json!({"media": ["cover"]}))).expect(200).json();
    assert_eq!(again["state"], "running");
    server.kill();
    metadb.release();
    server.restart();
    assert_eq!(with_cover(&server), (1..=24).collect::<Vec<_>>());
    let first = asked(&metadb);
    let job = server.get("/api/v2/jobs")["jobs"][0].clone();
    assert_eq!((&job["state"], &job["can_resume"]), (&json!("interrupted"), &json!(true)));
    server
        .send(&Request::post("/api/v2/jobs/resume", &json!({"job_id": job["job_id"]})))
        .expect(202);
    let job = ended(&server);
    assert_eq!((&job["state"], &job["updated"]), (&json!("done"), &json!(40)));
    assert_eq!(with_cover(&server), (1..=40).collect::<Vec<_>>());
    let second = asked(&metadb);
    let twice: Vec<_> = second.iter().filter(|name| first.contains(name)).collect();
    assert_eq!(twice, ["30.jpg"], "only the one that was not there yet");
}

#[test]
fn a_lost_connection_ends_the_job_and_a_retry_goes_on() {
    let metadb = covers(3);
    let server = start(&metadb, &library(3));
    let scratch = fs::read(server.data("metadata/metadb.db")).expect("the database");
    drop(server);
    let (address, library) = (metadb.picture_url(""), library(3).to_string());
    drop(metadb);
    let setup = Setup::new().env("SERVICE_METADB_IMAGE_BASE", address.trim_end_matches('/'));
    let server = setup.library(&library).start();
    fs::create_dir_all(server.data("metadata")).expect("a folder");
    fs::write(server.data("metadata/metadb.db"), scratch).expect("written");
    let job = load(&server);
    let error = job["error"].as_str().expect("a sentence");
    assert!(error.starts_with("Pictures could not be loaded ("), "{error}");
    assert!(error.ends_with("). Check the connection and try again."), "{error}");
    let job = server.get("/api/v2/jobs")["jobs"][0].clone();
    assert_eq!((&job["state"], &job["can_retry"]), (&json!("error"), &json!(true)));
    assert_eq!(job["checkpoint"]["failed_game_ids"], json!(["game-1", "game-2", "game-3"]));
}

#[test]
fn the_limit_of_downloads_holds() {
    let metadb = covers(30);
    let server = start(&metadb, &library(30));
    server.post("/api/settings", &json!({"media_download_limit": 20}));
    assert_eq!(load(&server)["state"], "done");
    assert_eq!(asked(&metadb).len(), 20);
    assert_eq!(with_cover(&server), (1..=20).collect::<Vec<_>>());
    load(&server);
    assert_eq!(with_cover(&server).len(), 30, "the next time the others are loaded");
}

#[test]
fn games_that_waited_for_the_database_get_their_pictures_after_a_sync() {
    for is_on in [false, true] {
        let metadb = covers(2);
        let mut library = library(2);
        library["settings"]["scrape_after_import"] = is_on.into();
        let server = metadb.setup().library(&library.to_string()).start();
        let waiting = |id: &str| json!({"name": id, "path": "", "game_id": id, "media": ["cover"]});
        let queue = json!([waiting("game-2"), waiting("gone")]).to_string();
        fs::write(server.data("media-queue.json"), queue).expect("written");
        server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
        until("the sync", || {
            (server.get("/api/metadata/status")["job"]["state"] == "done").then_some(())
        });
        if is_on {
            until("the picture", || (with_cover(&server) == [2]).then_some(()));
        }
        assert_eq!(ended(&server)["state"], if is_on { "done" } else { "idle" });
        assert_eq!(with_cover(&server).len(), usize::from(is_on));
        let left = fs::read(server.data("media-queue.json")).expect("the queue");
        let left: Vec<Value> = serde_json::from_slice(&left).expect("a list");
        assert_eq!(left.len(), if is_on { 1 } else { 2 });
    }
}

fn wait_for(server: &Server, rows: &Value) {
    fs::write(server.data("media-queue.json"), rows.to_string()).expect("written");
}

fn waiting(id: &str, media: &[&str]) -> Value {
    json!({"name": id, "path": "", "game_id": id, "media": media})
}

#[test]
fn the_limit_does_not_count_again_for_games_that_wait() {
    let metadb = covers(3);
    let mut library = library(3);
    library["settings"] = json!({"media_download_limit": 1, "scrape_after_import": true});
    let server = metadb.setup().library(&library.to_string()).start();
    let ids = ["game-1", "game-2", "game-3"];
    wait_for(&server, &json!(ids.map(|id| waiting(id, &["cover"]))));
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    until("the pictures", || (status(&server)["state"] == "done").then_some(()));
    assert_eq!(with_cover(&server), [1, 2, 3]);
    assert_eq!(server.get("/api/media/queue")["queue"], json!([]));
}

#[test]
fn only_what_was_loaded_leaves_the_queue() {
    let metadb = covers(4);
    let mut library = library(4);
    library["settings"] = json!({"media_download_limit": 2, "scrape_after_import": false});
    library["games"][1]["metadb_id"] = "99".into();
    let server = start(&metadb, &library);
    wait_for(
        &server,
        &json!([
            waiting("game-1", &["background", "cover"]),
            waiting("game-2", &["cover"]),
            waiting("game-3", &["cover"]),
            waiting("game-4", &["cover"]),
        ]),
    );
    assert_eq!(load(&server)["state"], "done");
    assert_eq!(with_cover(&server), [1, 3]);
    let left = json!([
        waiting("game-1", &["background"]),
        waiting("game-2", &["cover"]),
        waiting("game-4", &["cover"]),
    ]);
    assert_eq!(server.get("/api/media/queue")["queue"], left, "unknown, or beyond the limit");
}

#[test]
fn a_download_that_was_cut_off_before_its_first_checkpoint_is_done_again() {
    let metadb = covers(2);
    let mut server = start(&metadb, &library(2));
    metadb.say_of("2.jpg", Says::Held(0));
    server.send(&Request::post(BULK, &json!({"media": ["cover"]}))).expect(202);
    until("the other picture", || fs::exists(cover(&server, 1)).ok()?.then_some(()));
    server.kill();
    metadb.release();
    server.restart();
    let job = server.get("/api/v2/jobs")["jobs"][0].clone();
    assert_eq!(
        (&job["state"], &job["can_resume"], &job["can_retry"]),
        (&json!("interrupted"), &json!(false), &json!(true))
    );
    server
        .send(&Request::post("/api/v2/jobs/retry", &json!({"job_id": job["job_id"]})))
        .expect(202);
    assert_eq!(ended(&server)["updated"], 2);
    assert_eq!(with_cover(&server), [1, 2]);
}

#[test]
fn a_cover_whose_file_is_gone_is_loaded_again() {
    let metadb = covers(3);
    let mut library = library(3);
    library["games"][0]["cover"] = "/usr/no-such-cover.png".into();
    library["games"][1]["cover"] = "https://pictures.example/cover.png".into();
    library["games"][2]["cover"] = "/usr/no-such-cover.png".into();
    library["games"][2]["field_origins"] = json!({"locks": {"cover": true}});
    let server = start(&metadb, &library);
    assert_eq!(load(&server)["state"], "done");
    assert_eq!(fs::read(cover(&server, 1)).expect("there"), picture_of(&file(1)));
    assert!(!cover(&server, 2).exists(), "an address is a picture");
    assert!(!cover(&server, 3).exists(), "the field is locked");
    metadb.seen();
    fs::remove_file(cover(&server, 1)).expect("removed");
    let one =
        json!({"game_id": "game-1", "database_id": 1, "media": ["cover"], "overwrite": false});
    server.post("/api/metadata/apply", &one);
    assert_eq!(asked(&metadb), [file(1)]);
    assert_eq!(fs::read(cover(&server, 1)).expect("there"), picture_of(&file(1)));
    server.post("/api/metadata/apply", &one);
    assert!(asked(&metadb).is_empty(), "what is there is not loaded again");
}
