//! `/api/metadata/*` and the media candidates against a stand-in for the games database.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    metadb::{Entry, Metadb, Says, dump},
    server::{Server, Setup},
    wait::until,
};

const SYNC: &str = "/api/metadata/sync";
const MISSING: &str = "Download the metadata database first.";
const SNES: &str = "Super Nintendo Entertainment System";

fn library() -> String {
    json!({"schema_version": 6, "settings": {}, "games": [
        {"game_id": "game-a", "name": "Comet Rangers II", "platform": "SNES"},
        {"game_id": "game-b", "name": "Lonely", "platform": "NES"}]})
    .to_string()
}

fn small() -> String {
    dump(&[
        (
            900_017,
            "Comet Rangers II",
            SNES,
            &[
                ("Box - Front", "Europe", "eu.jpg"),
                ("Box - Front", "North America", "na.jpg"),
                ("Screenshot - Gameplay", "", "shot 1.jpg"),
                ("Arcade - Cabinet", "", "cabinet.jpg"),
                ("Box - Back", "", "../../evil.jpg"),
            ],
        ),
        (900_018, "Comet Rangers II", "Arcade", &[]),
        (900_019, "Comet Rangers II: Gaiden", SNES, &[]),
    ])
}

fn start(metadb: &Metadb) -> Server {
    metadb.setup().library(&library()).start()
}

/// The state of the job on the database once it has ended.
fn ended(server: &Server) -> Value {
    until("the sync to end", || {
        let status = server.get("/api/metadata/status");
        (status["job"]["state"] != "downloading").then_some(status)
    })
}

/// Downloads the database and returns its status.
#[track_caller]
fn sync(server: &Server) -> Value {
    let reply = server.send(&Request::post(SYNC, &json!({}))).expect(202).json();
    assert_eq!(reply["state"], "downloading");
    ended(server)
}

fn ids(server: &Server, query: &str) -> Vec<u64> {
    let found = server.get(&format!("/api/metadata/search?{query}"));
    let rows = found["results"].as_array().expect("a list").clone();
    rows.iter().map(|row| row["database_id"].as_u64().expect("a number")).collect()
}

#[track_caller]
fn refused(server: &Server, path: &str, status: u16, error: &str) {
    let reply = server.send(&Request::get(path)).expect(status).json();
    assert_eq!(reply["error"], error, "{path}");
}

#[test]
fn the_database_is_downloaded_searched_and_kept_up_to_date() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let server = start(&metadb);
    let search = "/api/metadata/search?game_id=game-a";
    let candidates = "/api/v2/metadata/media-candidates";
    for path in [search, "/api/metadata/search?q=x", &format!("{candidates}?database_id=1")] {
        refused(&server, path, 409, MISSING);
    }
    metadb.fail(&[Says::Held(100)]);
    let first = server.send(&Request::post(SYNC, &json!({}))).expect(202).json();
    let again = server.send(&Request::post(SYNC, &json!({}))).expect(200).json();
    assert_eq!((&first["state"], &again["state"]), (&json!("downloading"), &json!("downloading")));
    assert_eq!(first["job_id"], again["job_id"]);
    until("its size to be known", || {
        let job = server.get("/api/metadata/status")["job"].clone();
        (job["total"] == metadb.archive_len()).then_some(())
    });
    metadb.release();
    let status = ended(&server);
    assert_eq!((&status["ready"], &status["job"]["state"]), (&json!(true), &json!("done")));
    assert_eq!(status["job"]["games"], 3);
    let jobs = server.get("/api/v2/jobs")["jobs"].clone();
    assert_eq!(
        (&jobs[0]["type"], &jobs[0]["title"], &jobs[0]["can_resume"]),
        (&json!("metadata.db_sync"), &json!("Metadata database sync"), &json!(false))
    );
    let found = server.get(search);
    assert_eq!(
        found["results"][0],
        json!({"database_id": 900_017, "name": "Comet Rangers II", "platform": SNES,
            "release_date": "1994-03-18", "release_year": "1994", "developer": "Northlight",
            "publisher": "Aster", "genre": "Shooter; Action", "overview": "Two & a robot.",
            "series": "", "esrb": "E - Everyone", "max_players": "2", "cooperative": "true",
            "community_rating": 3.833_333_3})
    );
    assert_eq!(ids(&server, "game_id=game-a"), [900_017, 900_018, 900_019]);
    assert_eq!(ids(&server, "id=0&platform=arcade"), [900_018, 900_017, 900_019]);
    assert_eq!(ids(&server, "game_id=game-b&q=gaiden"), [900_019]);
    assert_eq!(ids(&server, "game_id=game-b"), [0_u64; 0]);
    refused(&server, "/api/metadata/search?q=comet", 400, "Game id is required.");
    refused(&server, "/api/metadata/search?game_id=game-x", 400, "Game not found");
    refused(&server, candidates, 400, "database_id is required.");
    refused(&server, &format!("{candidates}?database_id=0"), 400, "database_id is required.");
    let found = server.get(&format!("{candidates}?database_id=900017"));
    let cover = |region: &str, name: &str| {
        json!({"kind": "cover", "type": "Box - Front",
        "url": metadb.picture_url(name), "region": region})
    };
    assert_eq!(
        found,
        json!({"database_id": 900_017, "candidates": [cover("Europe", "eu.jpg"),
            cover("North America", "na.jpg"), {"kind": "screenshots", "type": "Screenshot - Gameplay",
            "url": metadb.picture_url("shot%201.jpg"), "region": ""}]})
    );
    metadb.seen();
    assert_eq!(sync(&server)["job"]["state"], "done");
    let seen = metadb.seen();
    assert_eq!((seen.len(), seen[0].path.as_str()), (1, "/db/Metadata.zip"));
    assert!(seen[0].head.contains("if-none-match: \"one\""), "{seen:?}");
    metadb.publish("\"two\"", &[("Metadata.xml", &dump(&[(1, "Comet", "Arcade", &[])]))]);
    assert_eq!(sync(&server)["job"]["games"], 1);
    assert_eq!(ids(&server, "game_id=game-a&q=comet"), [1]);
    let names: Vec<_> = fs::read_dir(server.data("metadata")).expect("a folder").collect();
    assert_eq!(names.len(), 1, "nothing but the database stays: {names:?}");
}

#[test]
fn a_database_that_fails_leaves_the_old_one() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let server = start(&metadb);
    sync(&server);
    let kept = "The present database was kept.";
    let unreachable = "Could not reach the metadata database";
    metadb.publish(
        "\"two\"",
        &[("Metadata.xml", "<LaunchBox><Game><Name>A</Name></Game></LaunchBox>")],
    );
    let check = |what: &str, begin: &str, end: &str| {
        let job = sync(&server)["job"].clone();
        let error = job["error"].as_str().unwrap_or_default();
        assert_eq!(job["state"], "error", "{what}");
        assert!(error.starts_with(begin) && error.ends_with(end), "{what}: {error}");
        assert_eq!(ids(&server, "game_id=game-a").len(), 3, "{what}");
    };
    let invalid = "The archive of the metadata database is not valid (";
    check("no game", invalid, kept);
    metadb.fail(&[Says::Page]);
    check("a web page", invalid, kept);
    metadb.fail(&[Says::File("application/zip", b"<html>Just a moment".to_vec())]);
    check("a web page that is called an archive", invalid, kept);
    metadb.fail(&[Says::File("application/zip", b"PK\x03\x04 and nothing more".to_vec())]);
    check("no archive", invalid, kept);
    metadb.fail(&[Says::Status(404)]);
    check("no file", unreachable, "Check the connection and try again.");
    let cut = dump(&[(5, "A", "Arcade", &[])]);
    metadb.publish("\"three\"", &[("Metadata.xml", &cut[..cut.len() - 40])]);
    check("a dump that is cut off", invalid, kept);
    metadb.publish("\"four\"", &[("Metadata.xml", &dump(&[(5, "Comet Rangers II", SNES, &[])]))]);
    metadb.fail(&[Says::Cut(50), Says::Status(503)]);
    assert_eq!(sync(&server)["job"]["state"], "done", "what may pass is tried again");
    assert_eq!(ids(&server, "game_id=game-a"), [5]);
    let seen = metadb.seen();
    assert!(seen.last().expect("requests").head.contains("range: bytes=50-"), "{seen:?}");
    let address = metadb.picture_url("");
    drop(metadb);
    let lost = Setup::new().env("SERVICE_METADB_BASE", address).library(&library()).start();
    let job = sync(&lost)["job"].clone();
    let error = job["error"].as_str().expect("a sentence");
    assert!(error.starts_with(&format!("{unreachable} (")), "{error}");
    assert!(error.ends_with("). Check the connection and try again."), "{error}");
}

#[test]
fn a_sync_may_be_killed_and_goes_on_with_what_it_has() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let mut server = start(&metadb);
    sync(&server);
    let many: Vec<(u32, String)> =
        (1..30_000).map(|id| (id, format!("Stone Puzzle {}", u64::from(id) * 7_919))).collect();
    let rows: Vec<Entry<'_>> =
        many.iter().map(|(id, name)| (*id, name.as_str(), "Arcade", &[][..])).collect();
    metadb.publish("\"many\"", &[("Metadata.xml", &dump(&rows))]);
    let half = metadb.archive_len() / 2;
    metadb.fail(&[Says::Held(half)]);
    server.send(&Request::post(SYNC, &json!({}))).expect(202);
    let part = server.data("metadata/Metadata.zip.part");
    until("half of the archive", || (fs::metadata(&part).ok()?.len() == half as u64).then_some(()));
    server.kill();
    metadb.release();
    server.restart();
    assert_eq!(ids(&server, "game_id=game-a").len(), 3, "the old one is there");
    metadb.seen();
    server.send(&Request::post(SYNC, &json!({}))).expect(202);
    until("the import", || {
        let job = server.get("/api/metadata/status")["job"].clone();
        (job["phase"] == "importing" || job["state"] == "done").then_some(())
    });
    server.kill();
    let seen = metadb.seen();
    assert!(seen[0].head.contains(&format!("range: bytes={half}-")), "{seen:?}");
    server.restart();
    let old_or_new =
        ids(&server, "game_id=game-a&q=comet").len() + ids(&server, "game_id=game-a&q=stone").len();
    assert!([3, 20].contains(&old_or_new), "{old_or_new}");
    assert_eq!(sync(&server)["job"]["state"], "done");
    assert_eq!(ids(&server, "game_id=game-a&q=stone").len(), 20);
    until("leftovers to be removed", || {
        (fs::read_dir(server.data("metadata")).ok()?.count() == 1).then_some(())
    });
}

#[test]
fn a_sync_is_called_off_within_a_second_and_a_hanging_server_delays_nobody() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let server = start(&metadb);
    metadb.fail(&[Says::Held(10)]);
    let job = server.send(&Request::post(SYNC, &json!({}))).expect(202).json()["job_id"].clone();
    until("the request", || (!metadb.seen().is_empty()).then_some(()));
    assert_eq!(server.get("/api/library")["games"].as_array().expect("a list").len(), 2);
    server.send(&Request::post("/api/v2/jobs/cancel", &json!({"job_id": job}))).expect(202);
    let status = ended(&server);
    assert_eq!((&status["ready"], &status["job"]["state"]), (&json!(false), &json!("error")));
    assert_eq!(status["job"]["error"], "The sync was stopped.");
}

/// The pictures that can be chosen for a game, by the names of their files.
fn choices(server: &Server, query: &str) -> Vec<Value> {
    let answer = server.get(&format!("/api/v2/media/candidates?{query}"));
    answer["choices"].as_array().expect("a list").clone()
}

fn choose(game: &str, kind: &str, database_id: u64, url: &str) -> Request {
    let body = json!({"game_id": game, "kind": kind, "database_id": database_id, "url": url});
    Request::post("/api/v2/media/choose", &body)
}

fn candidate(database_id: u64, url: &str) -> Request {
    let url = url.replace(':', "%3A").replace('/', "%2F");
    Request::get(&format!("/api/v2/media/candidate?database_id={database_id}&url={url}"))
}

#[test]
fn a_person_chooses_a_picture_that_no_pass_changes() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let server = start(&metadb);
    refused(&server, "/api/v2/media/candidates?game_id=game-a&kind=cover", 409, MISSING);
    sync(&server);
    ended(&server);
    let covers = choices(&server, "game_id=game-a&kind=cover");
    let shown: Vec<_> = covers
        .iter()
        .map(|row| (row["region"].as_str(), row["provider"].as_str(), row["title"].as_str()))
        .collect();
    let title = Some("Comet Rangers II");
    let row = |region| (Some(region), Some("metadb"), title);
    assert_eq!(shown, [row("North America"), row("Europe")], "in the order of the regions");
    assert!(choices(&server, "game_id=game-b&kind=cover").is_empty());
    assert!(choices(&server, "game_id=game-a&kind=box_back").is_empty(), "its name is a path");

    metadb.seen();
    let europe = covers[1]["url"].as_str().expect("an address");
    let reply = server.send(&candidate(900_017, europe)).expect(200);
    assert_eq!(reply.header("Content-Type"), Some("image/jpeg"));
    assert!(reply.body().starts_with(&[0xff, 0xd8, 0xff]));
    assert_eq!(metadb.seen().len(), 1);

    let chosen = server.send(&choose("game-a", "cover", 900_017, europe)).expect(200).json();
    let path = chosen["path"].as_str().expect("a path");
    assert_eq!(chosen["kind"], "cover");
    assert_eq!(fs::read(path).expect("the file"), crate::support::metadb::picture_of("eu.jpg"));
    let origins = server.get("/api/v2/game/origins?game_id=game-a");
    let cover = |origins: &Value| {
        let mut fields = origins["fields"].as_array().expect("a list").iter();
        fields.find(|field| field["field"] == "cover").cloned().expect("a cover")
    };
    assert_eq!(cover(&origins)["by"], "person");
    assert_eq!(cover(&origins)["locked"], true);
    let body = json!({"platform": "all", "media": ["cover"], "overwrite": true});
    server.send(&Request::post("/api/media/bulk", &body)).expect(202);
    until("the pictures", || {
        (server.get("/api/media/bulk/status")["job"]["state"] == "done").then_some(())
    });
    assert_eq!(server.get("/api/library?offset=0&limit=1")["games"][0]["cover"], path);
}

/// A program that lists and extracts one archive, whatever is in it.
const EXTRACTS: &str = r#"for last; do :; done
case "$1" in
l) printf -- '----------\nPath = docs/Manual.txt\nSize = 4\n\nPath = game.bin\nSize = 9\n' ;;
x) [ "$last" = docs/Manual.txt ] || exit 3
    for word; do case "$word" in -o*) /bin/mkdir -p "${word#-o}/docs"; printf text > "${word#-o}/docs/Manual.txt" ;; esac; done ;;
esac"#;

#[test]
fn a_manual_comes_out_of_any_archive_of_a_game() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let setup = metadb.setup();
    let bin = setup.scratch().folder("bin");
    let archive = setup.scratch().file("games/a.7z", "7z");
    let game = |id: &str, path: &std::path::Path| json!({"game_id": id, "name": "Comet Rangers II", "platform": "SNES", "path": path});
    let plain = setup.scratch().file("games/b.sfc", "x");
    let games = json!([game("game-a", &archive), game("game-b", &plain)]);
    let library = json!({"schema_version": 6, "games": games});
    let server = setup.env("PATH", bin).library(&library.to_string()).start();
    sync(&server);
    ended(&server);
    let apply = |id: &str| {
        let body = json!({"game_id": id, "database_id": 900_017, "media": ["manual"]});
        server.send(&Request::post("/api/metadata/apply", &body)).expect(200).json()
    };
    let none = json!(["manual: no manual in this archive"]);
    assert_eq!(apply("game-b")["notes"], none);
    assert_eq!(apply("game-b"), json!({"updated": [], "notes": none}), "nor is it an error later");
    let missing = apply("game-a")["notes"].clone();
    assert_eq!(missing, json!(["manual: 7z or 7zz is required to extract this archive"]));
    server.scratch().script("bin/7z", EXTRACTS);
    let applied = apply("game-a");
    let manual = server.get("/api/library")["games"][0]["manual"].clone();
    let manual = manual.as_str().unwrap_or_else(|| panic!("a manual: {applied}"));
    assert_eq!(fs::read_to_string(manual).expect("the file"), "text");
    let folder = std::path::Path::new(manual).parent().expect("a folder");
    assert_eq!(fs::read_dir(folder).expect("readable").count(), 1, "nothing else stays");
}

#[test]
fn only_pictures_that_the_database_names_are_loaded() {
    let metadb = Metadb::new(&[("Metadata.xml", &small())]);
    let server = start(&metadb);
    sync(&server);
    ended(&server);
    let cover = choices(&server, "game_id=game-a&kind=cover")[0]["url"].clone();
    let cover = cover.as_str().expect("an address");
    metadb.seen();
    let sentence = "The picture is not one of this game.";
    for request in [
        candidate(900_018, cover),
        candidate(900_017, "http://127.0.0.1:9/images/na.jpg"),
        choose("game-a", "cover", 900_018, cover),
        choose("game-a", "box_3d", 900_017, cover),
        choose("game-a", "cover", 900_017, "file:///etc/passwd"),
    ] {
        assert_eq!(server.send(&request).expect(400).json()["error"], sentence);
    }
    assert!(metadb.seen().is_empty(), "no request was sent");
    for kind in ["video", "manual", "evil", ""] {
        let request = choose("game-a", kind, 900_017, cover);
        assert!(server.send(&request).expect(400).json()["error"].is_string(), "{kind}");
    }
    refused(&server, "/api/v2/media/candidates?game_id=game-x&kind=cover", 400, "Game not found");

    metadb.say_of("na.jpg", Says::Page);
    let failed = "failed to download selected media: the server sent a web page";
    for request in [candidate(900_017, cover), choose("game-a", "cover", 900_017, cover)] {
        assert_eq!(server.send(&request).expect(400).json()["error"], failed);
    }
    assert!(server.get("/api/library?offset=0&limit=1")["games"][0]["cover"].as_str() == Some(""));
}
