//! Matching games with the metadata database, reviewing and applying (`/api/v2/metadata/matches/*`,
//! `/api/metadata/match`, `/api/metadata/apply`, the settings), against a stand-in for the database.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    metadb::{Entry, Metadb, Says, dump, picture_of},
    server::{Server, Setup},
    wait::until,
};

const SNES: &str = "Super Nintendo Entertainment System";
const PREVIEW: &str = "/api/v2/metadata/matches/preview";
const DECISIONS: &str = "/api/v2/metadata/matches/decisions";
const APPLY: &str = "/api/v2/metadata/matches/apply";
const MISSING: &str = "Download the metadata database first.";
const PICTURES: &[(&str, &str, &str)] = &[
    ("Box - Front", "Europe", "eu.jpg"),
    ("Box - Front", "North America", "na.jpg"),
    ("Fanart - Background", "", "bg.jpg"),
    ("Screenshot - Gameplay", "", "s1.jpg"),
    ("Screenshot - Gameplay", "", "s2.jpg"),
];

fn rows() -> Vec<Entry<'static>> {
    vec![
        (10, "Comet Rangers II", SNES, PICTURES),
        (11, "Comet Rangers II", "Arcade", &[]),
        (20, "Twin Stones (Japan)", SNES, &[]),
        (21, "Twin Stones (USA)", SNES, &[]),
        (30, "The Legend of Stone Puzzle Deluxe", SNES, &[("Box - Front", "", "30.jpg")]),
        (40, "Sonic Comet Run 2", SNES, &[]),
        (50, "Sonic Comet Run Extra", "Arcade", &[]),
        (60, "Cave of Lights", "Arcade", &[]),
    ]
}

fn game(id: &str, name: &str) -> Value {
    json!({"game_id": id, "name": name, "platform": "SNES"})
}

fn library() -> Value {
    let twin =
        json!({"game_id": "game-b", "name": "Twin Stones", "platform": "SNES", "region": "USA"});
    let cave = json!({"game_id": "game-f", "name": "cavel", "platform": "Arcade",
        "path": "/r/cavel.zip"});
    let mine = json!({"game_id": "game-c", "name": "Legend of Stone Puzzle Deluxe",
        "platform": "SNES", "genre": "Mine", "import_batch_id": "batch-1"});
    json!({"schema_version": 6, "settings": {}, "games": [
        game("game-a", "Comet Rangers II"), twin, mine, game("game-d", "Sonic Comet Run"),
        game("game-e", "Nothing Alike"), cave]})
}

/// The program with the database downloaded.
fn start(metadb: &Metadb) -> Server {
    let server = metadb.setup().library(&library().to_string()).start();
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    until("the sync", || {
        (server.get("/api/metadata/status")["job"]["state"] == "done").then_some(())
    });
    server
}

fn metadb() -> Metadb {
    let mame = "<LaunchBox><MameFile><FileName>cavel</FileName><Name>Cave of Lights</Name></MameFile></LaunchBox>";
    Metadb::new(&[("Metadata.xml", &dump(&rows())), ("Mame.xml", mame)])
}

fn row(server: &Server, id: &str) -> Value {
    let games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.into_iter().find(|game| game["game_id"] == id).expect("the game")
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, error: &str) {
    let reply = server.send(&Request::post(path, body)).expect(status).json();
    assert_eq!(reply["error"], error, "{path} {body}");
}

/// The document of a job once it has ended.
fn ended(server: &Server, job: &Value) -> Value {
    until("the job to end", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].clone();
        let rows = jobs.as_array().expect("jobs");
        let found = rows.iter().find(|row| row["job_id"] == *job)?;
        let is_over = !["queued", "running", "cancelling"].contains(&found["state"].as_str()?);
        is_over.then(|| found.clone())
    })
}

/// Matches games; returns the id of the review.
fn review(server: &Server, body: &Value) -> String {
    let begun = server.send(&Request::post(PREVIEW, body)).expect(202).json();
    assert_eq!(begun["revision"], 1);
    assert_eq!(ended(server, &begun["job_id"])["state"], "done");
    begun["preview_id"].as_str().expect("an id").to_owned()
}

fn all(server: &Server) -> String {
    let ids = ["game-a", "game-b", "game-c", "game-d", "game-e", "game-f", "gone"];
    review(server, &json!({"game_ids": ids}))
}

#[test]
fn games_are_matched_by_classes_and_sure_ones_at_once() {
    let metadb = metadb();
    let server = start(&metadb);
    let id = all(&server);
    let shown = server.get(&format!("{PREVIEW}?preview_id={id}"));
    let counts =
        json!({"auto_applied": 2, "exact_review": 1, "likely": 1, "possible": 1, "unmatched": 1});
    assert_eq!((&shown["counts"], &shown["state"]), (&counts, &json!("ready")));
    assert_eq!(row(&server, "game-a")["metadb_id"], "10");
    assert_eq!(row(&server, "game-f")["metadb_id"], "60", "the name of a set means its title");
    let items = format!("/api/v2/metadata/matches/items?preview_id={id}");
    let page = server.get(&format!("{items}&limit=3"));
    let found = page["items"].as_array().expect("items");
    let seen: Vec<_> = found
        .iter()
        .map(|it| (&it["game_id"], &it["class"], &it["proposed"]["database_id"]))
        .collect();
    let (b, c, d) = (json!("game-b"), json!("game-c"), json!("game-d"));
    let expected = [
        (&b, &json!("exact_review"), &json!(21)),
        (&c, &json!("likely"), &json!(30)),
        (&d, &json!("possible"), &json!(40)),
    ];
    assert_eq!(seen, expected, "the region decides between equal titles, the platform is kept");
    assert_eq!(found[0]["alternatives"][0]["database_id"], 20);
    assert_eq!(found[1]["current"]["genre"], "Mine");
    assert_eq!(found[1]["proposed"]["genre"], "Shooter, Action");
    assert_eq!(found[1]["proposed"]["esrb"], "E");
    assert_eq!(found[1]["proposed"]["media_categories"], json!(["cover"]));
    let cursor = page["next_cursor"].as_str().expect("more").to_owned();
    let rest = server.get(&format!("{items}&cursor={cursor}"));
    assert_eq!(rest["items"][0]["game_id"], "game-e");
    assert_eq!((&rest["items"][0]["proposed"], &rest["next_cursor"]), (&Value::Null, &Value::Null));
    let likely = server.get(&format!("{items}&class=likely"));
    assert_eq!(likely["items"].as_array().expect("items").len(), 1);
    let bad = server.send(&Request::get(&format!("{items}&class=x"))).expect(400).json();
    assert_eq!(bad["error"], "Invalid class filter.");
    let skip = json!({"preview_id": id, "items": [{"game_id": "game-e", "action": "skip"}]});
    assert_eq!(server.post(DECISIONS, &skip)["revision"], 2);
    let stale = server.send(&Request::get(&format!("{items}&cursor={cursor}"))).expect(409).json();
    assert_eq!(
        (&stale["error"], &stale["code"]),
        (&json!("Cursor is stale."), &json!("PREVIEW_STALE"))
    );
    let of_batch = review(&server, &json!({"import_batch_id": "batch-1"}));
    let shown = server.get(&format!("{PREVIEW}?preview_id={of_batch}"));
    assert_eq!((&shown["counts"]["likely"], &shown["counts"]["unmatched"]), (&json!(1), &json!(0)));
    let passes = server.get("/api/v2/library/passes")["passes"].clone();
    assert_eq!((&passes[0]["kind"], &passes[0]["games"]), (&json!("metadata.match"), &json!(2)));
    server.post("/api/v2/library/passes/undo", &json!({"pass_id": passes[0]["pass_id"]}));
    assert!(row(&server, "game-a")["metadb_id"].as_str().unwrap_or_default().is_empty());
}

#[test]
fn decisions_are_checked_applied_and_never_is_remembered() {
    let metadb = metadb();
    let server = start(&metadb);
    let id = all(&server);
    let one = |item: Value| json!({"preview_id": id, "items": [item]});
    let act = |game: &str, action: &str| one(json!({"game_id": game, "action": action}));
    let with = |action: &str, number: Value| {
        one(json!({"game_id": "game-b", "action": action, "database_id": number}))
    };
    let accept = "accept is only allowed for exact_review or likely.";
    let null = "database_id must be null for skip/never.";
    for (body, error) in [
        (act("game-b", "take"), "Invalid decision action."),
        (act("game-x", "skip"), "Unknown game_id game-x."),
        (act("game-d", "accept"), accept),
        (act("game-b", "choose"), "database_id is required for choose."),
        (with("choose", json!(999)), "Metadata game not found."),
        (with("skip", json!(20)), null),
        (with("never", json!(20)), null),
    ] {
        refused(&server, DECISIONS, &body, 400, error);
    }
    let many = vec![json!({"game_id": "game-b", "action": "skip"}); 201];
    let many = json!({"preview_id": id, "items": many});
    refused(&server, DECISIONS, &many, 400, "items length must be <= 200.");
    let decided = server.post(
        DECISIONS,
        &json!({"preview_id": id, "items": [
            {"game_id": "game-b", "action": "choose", "database_id": 20},
            {"game_id": "game-c", "action": "accept"},
            {"game_id": "game-d", "action": "never"}]}),
    );
    let expected = json!({"preview_id": id, "revision": 2, "accepted": 1, "chosen": 1, "skipped": 0,
        "never": 1});
    assert_eq!(decided, expected);
    let apply = |more: Value| {
        let mut body = json!({"preview_id": id, "revision": 2});
        for (key, value) in more.as_object().expect("an object") {
            body[key] = value.clone();
        }
        body
    };
    let media = "media_allow_list is not supported in metadata apply; use /api/media/bulk.";
    refused(&server, APPLY, &json!({"preview_id": id}), 400, "revision is required.");
    refused(&server, APPLY, &apply(json!({"media_allow_list": ["cover"]})), 400, media);
    let list = "replace_existing requires a non-empty allow-list.";
    refused(&server, APPLY, &apply(json!({"replace_existing": true})), 400, list);
    refused(&server, APPLY, &apply(json!({"revision": 1})), 409, "Preview revision is stale.");
    let unknown = "Unknown field name in field_allow_list.";
    refused(&server, APPLY, &apply(json!({"field_allow_list": ["name"]})), 400, unknown);
    let begun = server.send(&Request::post(APPLY, &apply(json!({})))).expect(202).json();
    assert_eq!(ended(&server, &begun["job_id"])["state"], "done");
    let (b, c) = (row(&server, "game-b"), row(&server, "game-c"));
    assert_eq!(
        (&b["metadb_id"], &b["year"], &b["esrb"]),
        (&json!("20"), &json!("1994"), &json!("E"))
    );
    assert_eq!((&c["metadb_id"], &c["genre"]), (&json!("30"), &json!("Mine")));
    assert_eq!(c["name"], "Legend of Stone Puzzle Deluxe", "nothing that is there is replaced");
    server.post("/api/v2/game/locks", &json!({"game_id": "game-c", "lock": ["name"]}));
    let replace = apply(json!({"replace_existing": true, "game_ids": ["game-c"],
        "field_allow_list": ["genre", "title"]}));
    let begun = server.send(&Request::post(APPLY, &replace)).expect(202).json();
    assert_eq!(ended(&server, &begun["job_id"])["state"], "done");
    let c = row(&server, "game-c");
    assert_eq!(
        (&c["genre"], &c["name"]),
        (&json!("Shooter, Action"), &json!("Legend of Stone Puzzle Deluxe"))
    );
    assert_eq!(fs::read_dir(server.data("backups")).expect("a backup").count(), 1);
    let again = review(&server, &json!({"game_ids": ["game-d"]}));
    let shown = server.get(&format!("{PREVIEW}?preview_id={again}"));
    assert_eq!(shown["counts"]["possible"], 0, "what was refused is not proposed again");
    let passes = server.get("/api/v2/library/passes")["passes"].clone();
    assert_eq!(passes[0]["kind"], "metadata.apply");
    server.post("/api/v2/library/passes/undo", &json!({"pass_id": passes[0]["pass_id"]}));
    assert_eq!(row(&server, "game-c")["genre"], "Mine");
}

#[test]
fn without_a_database_or_a_review_nothing_is_matched() {
    let server = Setup::new().library(&library().to_string()).start();
    let ids = json!({"game_ids": ["game-a"]});
    refused(&server, PREVIEW, &ids, 409, MISSING);
    refused(&server, APPLY, &json!({"preview_id": "x", "revision": 1}), 409, MISSING);
    refused(&server, "/api/metadata/match", &json!({"platform": "all"}), 409, MISSING);
    refused(&server, "/api/v1/metadata/match", &json!({}), 409, MISSING);
    let apply = json!({"game_id": "game-a", "database_id": 10});
    refused(&server, "/api/metadata/apply", &apply, 409, MISSING);
    let either = "Provide either game_ids or import_batch_id.";
    for body in
        [json!({}), json!({"game_ids": []}), json!({"game_ids": ["a"], "import_batch_id": "b"})]
    {
        refused(&server, PREVIEW, &body, 400, either);
    }
    let list = "game_ids must be an array or null.";
    refused(&server, PREVIEW, &json!({"game_ids": "game-a"}), 400, list);
    let path = format!("{PREVIEW}?preview_id={}", "0".repeat(32));
    let reply = server.send(&Request::get(&path)).expect(404).json();
    let gone = "Match preview not found.";
    assert_eq!((&reply["error"], &reply["code"]), (&json!(gone), &json!("PREVIEW_NOT_FOUND")));
    let none = json!({"preview_id": "../library", "items": []});
    refused(&server, DECISIONS, &none, 404, gone);
}

#[test]
fn all_games_of_a_platform_are_matched() {
    let metadb = metadb();
    let server = start(&metadb);
    let begun = server.send(&Request::post("/api/metadata/match", &json!({"platform": "SNES"})));
    let begun = begun.expect(202).json();
    assert_eq!(begun["state"], "running");
    let status = until("the matching", || {
        let job = server.get("/api/metadata/status")["job"].clone();
        (job["state"] != "running").then_some(job)
    });
    assert_eq!(
        (&status["state"], &status["matched"], &status["scanned"], &status["errors"]),
        (&json!("done"), &json!(2), &json!(5), &json!([]))
    );
    let number = |id: &str| row(&server, id)["metadb_id"].clone();
    assert_eq!((number("game-a"), number("game-b")), (json!("10"), json!("21")));
    assert_ne!(number("game-f"), json!("60"), "another platform");
    let jobs = server.get("/api/v2/jobs")["jobs"].clone();
    assert_eq!(
        (&jobs[0]["type"], &jobs[0]["title"]),
        (&json!("metadata.apply"), &json!("Metadata auto-match"))
    );
}

#[test]
fn an_equal_title_of_another_platform_is_taken_when_the_own_has_none() {
    let dumped = dump(&[
        (60, "Cave of Lights (Europe)", "Arcade", &[][..]),
        (61, "Cave of Lights", "Sega Genesis", &[][..]),
        (70, "Stone Puzzle (USA)", SNES, &[][..]),
        (71, "Stone Puzzle", "Arcade", &[][..]),
    ]);
    let metadb = Metadb::new(&[("Metadata.xml", &dumped)]);
    let library = json!({"schema_version": 6, "settings": {},
        "games": [game("game-a", "Cave of Lights"), game("game-b", "Stone Puzzle")]});
    let server = metadb.setup().library(&library.to_string()).start();
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    let done = |what: &str| {
        until(what, || {
            let job = server.get("/api/metadata/status")["job"].clone();
            (job["state"] == "done").then_some(job)
        })
    };
    done("the sync");
    let id = review(&server, &json!({"game_ids": ["game-a"]}));
    let seen = server.get(&format!("{PREVIEW}?preview_id={id}"));
    assert_eq!(seen["counts"]["unmatched"], 1, "a review knows the game's platform only: {seen}");
    let begun = server.send(&Request::post("/api/metadata/match", &json!({"platform": "all"})));
    begun.expect(202);
    let matched = until("the matching", || {
        let job = server.get("/api/metadata/status")["job"].clone();
        (job["state"] == "done" && job["scanned"] == 2).then_some(job)
    });
    assert_eq!(matched["matched"], 2);
    let number = |id: &str| row(&server, id)["metadb_id"].clone();
    assert_eq!((number("game-a"), number("game-b")), (json!("61"), json!("70")));
}

#[test]
fn one_game_gets_texts_and_pictures_and_a_failing_one_is_named() {
    let metadb = metadb();
    let server = start(&metadb);
    let apply = |more: Value| {
        let mut body = json!({"game_id": "game-a", "database_id": 10});
        for (key, value) in more.as_object().expect("an object") {
            body[key] = value.clone();
        }
        body
    };
    let path = "/api/metadata/apply";
    let media = json!({"media": ["cover", "hologram"]});
    refused(&server, path, &apply(media), 400, "Invalid media selection.");
    refused(&server, path, &apply(json!({"database_id": 99})), 400, "Metadata game not found.");
    metadb.say_of("bg.jpg", Says::Page);
    metadb.say_of("s1.jpg", Says::File("image/jpeg", b"<html>".to_vec()));
    metadb.say_of("na.jpg", Says::File("image/jpeg", picture_of("other.jpg")));
    let epoch = server.get("/api/library")["media_epoch"].as_i64();
    let body = apply(json!({"media": ["cover", "background", "screenshots"]}));
    let applied = server.post(path, &body);
    let fields = json!([
        "cover",
        "description",
        "developer",
        "esrb",
        "genre",
        "max_players",
        "metadb_id",
        "publisher",
        "screenshots",
        "year"
    ]);
    assert_eq!(applied["updated"], fields);
    let notes = json!([
        "background: the server sent a web page",
        "screenshots: it is no PNG, JPEG or WebP picture"
    ]);
    assert_eq!(applied["notes"], notes);
    let game = row(&server, "game-a");
    let folder = server.data("media/metadb/10");
    let cover = folder.join("cover.jpg");
    assert_eq!(game["cover"], json!(cover));
    assert_eq!(
        fs::read(&cover).expect("there"),
        picture_of("eu.jpg"),
        "the checksum of the first was wrong"
    );
    assert_eq!(game["screenshots"], json!([folder.join("screenshot-2.jpg")]));
    assert!(server.get("/api/library")["media_epoch"].as_i64() > epoch);
    let origins = server.get("/api/v2/game/origins?game_id=game-a");
    let fields = origins["fields"].as_array().expect("fields");
    let genre = fields.iter().find(|it| it["field"] == "genre").expect("known");
    assert_eq!((&genre["by"], &genre["reference"]), (&json!("metadb"), &json!("10")));
    metadb.say_of("na.jpg", Says::Status(404));
    metadb.say_of("eu.jpg", Says::Status(404));
    server.post(
        "/api/game",
        &json!({"game_id": "game-d", "game": {"name": "Sonic Comet Run", "metadb_id": "10", "year": "2001"}}),
    );
    let other = json!({"game_id": "game-d", "database_id": 10, "media": ["background"],
        "overwrite": false});
    let applied = server.post(path, &other);
    assert!(!applied["updated"].as_array().expect("fields").contains(&json!("year")));
    assert_eq!(row(&server, "game-d")["year"], "2001");
    refused(
        &server,
        path,
        &json!({"game_id": "game-d", "database_id": 10, "media": ["background"]}),
        400,
        "failed to download selected media: background: the server sent a web page",
    );
}

#[test]
fn a_chosen_picture_of_the_game_is_taken() {
    let metadb = metadb();
    let server = start(&metadb);
    let urls =
        json!({"cover": metadb.picture_url("eu.jpg"), "background": "https://example.com/x.jpg"});
    let body = json!({"game_id": "game-a", "database_id": 10, "media": ["cover", "background"],
        "media_urls": urls, "overwrite": true});
    assert_eq!(server.post("/api/metadata/apply", &body)["notes"], json!([]));
    let folder = server.data("media/metadb/10");
    let read = |name: &str| fs::read(folder.join(name)).expect("there");
    assert_eq!(
        (read("cover.jpg"), read("background.jpg")),
        (picture_of("eu.jpg"), picture_of("bg.jpg"))
    );
}

#[test]
fn a_picture_that_was_replaced_at_the_server_is_taken_where_none_is_the_one_that_is_meant() {
    let metadb = metadb();
    let server = start(&metadb);
    metadb.say_of("na.jpg", Says::File("image/jpeg", picture_of("newer.jpg")));
    metadb.say_of("eu.jpg", Says::Status(404));
    let body = json!({"game_id": "game-a", "database_id": 10, "media": ["cover"]});
    assert_eq!(server.post("/api/metadata/apply", &body)["notes"], json!([]));
    let cover = row(&server, "game-a")["cover"].clone();
    assert_eq!(cover, json!(server.data("media/metadb/10/cover.jpg")));
    assert_eq!(fs::read(cover.as_str().expect("a path")).expect("there"), picture_of("newer.jpg"));
}

#[test]
fn the_choice_for_one_game_changes_no_other_game_with_the_same_number() {
    let metadb = metadb();
    let server = start(&metadb);
    let apply = |game: &str, more: Value| {
        let mut body =
            json!({"game_id": game, "database_id": "10", "media": ["cover"], "overwrite": true});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("more").clone());
        server.post("/api/metadata/apply", &body)["updated"].clone()
    };
    apply("game-a", json!({}));
    let before = row(&server, "game-a")["cover"].clone();
    let of_first = fs::read(before.as_str().expect("a path")).expect("there");
    let urls = json!({"media_urls": {"cover": metadb.picture_url("eu.jpg")}});
    assert_ne!(of_first, picture_of("eu.jpg"));
    let updated = apply("game-b", urls);
    assert!(updated.as_array().expect("fields").contains(&json!("cover")));
    let chosen = row(&server, "game-b")["cover"].clone();
    assert_ne!(chosen, before);
    assert_eq!(fs::read(chosen.as_str().expect("a path")).expect("there"), picture_of("eu.jpg"));
    assert_eq!(row(&server, "game-a")["cover"], before);
    assert_eq!(fs::read(before.as_str().expect("a path")).expect("there"), of_first);
}

#[test]
fn what_is_looked_up_after_imports_is_a_setting_of_its_own() {
    let server = Server::start();
    let path = "/api/v2/metadata/scrape-settings";
    let flags = |after: bool, gamedb: bool| {
        json!({"scrape_after_import": after, "scrape_scraper_enabled": false,
            "scrape_gamedb_enabled": gamedb, "scrape_artgrid_enabled": false})
    };
    assert_eq!(server.get(path), flags(true, false));
    let body = json!({"scrape_after_import": 0, "scrape_gamedb_enabled": "yes", "theme": "x"});
    assert_eq!(server.post(path, &body), flags(false, true));
    assert_eq!(server.get(path), flags(false, true));
    assert_eq!(server.post(path, &json!({})), flags(false, true));
}
