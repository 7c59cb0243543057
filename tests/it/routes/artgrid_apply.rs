//! `/api/v2/artgrid/apply` and `/api/v2/artgrid/match` against a stand-in for the artwork provider.

use std::{fs, sync::mpsc::channel};

use serde_json::{Value, json};

use super::artgrid::{KEY, files_with, hit, list, picture, refused, rejected, setup};
use crate::support::{
    client::Request,
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
    stream::{job, started},
    wait::until,
};

const APPLY: &str = "/api/v2/artgrid/apply";
const MATCH: &str = "/api/v2/artgrid/match";

/// A provider that knows one game, with one cover of its own; other paths of pictures are answered so.
fn provider(asset: impl Fn() -> Reply + Send + 'static) -> Provider {
    let provider = Provider::new(|_, _| list(&json!([])));
    let base = provider.base();
    provider.says(move |path, _| answer(&base, path, &asset));
    provider
}

fn answer(base: &str, path: &str, asset: &dyn Fn() -> Reply) -> Reply {
    let (route, query) = path.split_once('?').unwrap_or((path, ""));
    match route {
        "/api/v2/search/autocomplete/Comet%20Rangers" => list(&json!([hit()])),
        "/api/v2/games/id/77" => list(&hit()),
        "/api/v2/grids/game/77" if query.contains("600x900") => {
            list(&json!([picture(1, &format!("{base}/cdn/1.jpg"), &json!({}))]))
        }
        "/cdn/1.jpg" => asset(),
        _ => list(&json!([])),
    }
}

fn good() -> Reply {
    Reply::new("200 OK", "application/octet-stream", jpeg(60, 90, 7))
}

fn with_games(setup: Setup, games: &Value) -> Server {
    let library =
        json!({"schema_version": 6, "settings": {"artgrid_enabled": true}, "games": games});
    setup.env("ARTGRID_API_KEY", KEY).library(&library.to_string()).start()
}

/// The document of a job once it has ended.
fn ended(server: &Server, id: &str) -> Value {
    until("the end of the job", || {
        let job = job(server, id);
        let is_active = ["queued", "running", "cancelling"].contains(&job["state"].as_str()?);
        (!is_active).then_some(job)
    })
}

fn run(server: &Server, path: &str, body: &Value) -> Value {
    ended(server, &started(server, path, body))
}

fn shown(server: &Server, id: &str) -> Value {
    let games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.into_iter().find(|game| game["game_id"] == id).expect("there")
}

#[test]
fn a_game_gets_what_it_lacks_and_keeps_what_it_has() {
    let provider = provider(good);
    let games = json!([{"game_id": "g1", "name": "Comet Rangers", "developer": "Mine"}]);
    let server = with_games(setup(&provider), &games);
    let done = run(&server, APPLY, &json!({"id": "g1", "media": ["cover", "banner"]}));
    assert_eq!((&done["state"], &done["type"]), (&json!("done"), &json!("artgrid.apply")));
    let output = &done["output"];
    assert_eq!(
        (&output["applied"], &output["game"], &output["media"]),
        (&json!(true), &json!("Comet Rangers"), &json!(["cover"]))
    );
    let game = shown(&server, "g1");
    assert_eq!(
        (&game["year"], &game["artgrid_id"], &game["artwork_provider"], &game["has_cover"]),
        (&json!("1994"), &json!("77"), &json!("artgrid"), &json!(true))
    );
    let cover = game["cover"].as_str().expect("a path");
    assert!(cover.ends_with("/media/artgrid/comet-rangers-711430f6164e/cover.jpg"), "{cover}");
    assert_eq!(fs::read(cover).expect("the file"), jpeg(60, 90, 7));
    let origins = server.get("/api/v2/game/origins?game_id=g1")["fields"].clone();
    let of_cover = origins.as_array().expect("fields").iter().find(|row| row["field"] == "cover");
    assert_eq!(
        of_cover.map(|row| (row["by"].clone(), row["reference"].clone())),
        Some((json!("artgrid"), json!("77")))
    );
    provider.seen();
    run(&server, APPLY, &json!({"id": "g1", "artgrid_id": 77, "media": ["cover"]}));
    assert!(!provider.seen().iter().any(|head| head.contains("/cdn/")), "nothing was missing");
    // An express lock holds what is asked for too.
    server.post("/api/v2/game/locks", &json!({"game_id": "g1", "lock": ["cover", "name"]}));
    let body = json!({"id": "g1", "media": ["cover"], "replace_existing": true});
    let done = run(&server, APPLY, &body);
    assert_eq!(done["output"]["media"], json!([]));
    assert!(!provider.seen().iter().any(|head| head.contains("/cdn/")), "a lock holds");
    assert_eq!(shown(&server, "g1")["cover"], cover);
    assert_eq!(files_with(&server.data(""), KEY), [""; 0]);
    assert!(!job(&server, done["job_id"].as_str().expect("an id")).to_string().contains(KEY));
}

#[test]
fn a_list_that_fails_takes_no_other_pictures_along() {
    let provider = Provider::new(|_, _| list(&json!([])));
    let base = provider.base();
    let icons = |reply: fn() -> Reply| {
        let base = base.clone();
        provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
            "/api/v2/icons/game/77" => reply(),
            _ => answer(&base, path, &good),
        });
    };
    let barred = || Reply::new("403 Forbidden", "text/html", "<html>Just a moment...</html>");
    let note = "icon: Could not ask SteamGridDB: the server sent a web page";
    let games = json!([{"game_id": "g1", "name": "Comet Rangers"},
        {"game_id": "g2", "name": "Comet Rangers"}, {"game_id": "g3", "name": "Comet Rangers"}]);
    let server = with_games(setup(&provider), &games);
    // A rejected key is no failure of one list.
    icons(rejected);
    let done = run(&server, MATCH, &json!({"ids": ["g1"]}));
    assert_eq!(done["error_detail"]["code"], "ARTGRID_KEY_REJECTED");
    assert_eq!(shown(&server, "g1")["cover"], "");
    icons(barred);
    server.post("/api/v2/artgrid/test", &json!({}));
    let info = server.post("/api/v2/artgrid/info", &json!({"artgrid_id": 77}));
    assert_eq!((&info["media"][0]["kind"], &info["notes"]), (&json!("cover"), &json!([note])));
    let done = run(&server, MATCH, &json!({"ids": ["g1"]}));
    let row = &done["output"]["matches"][0];
    assert_eq!(
        (&row["status"], &row["media"], &row["error"]),
        (&json!("matched"), &json!(["cover"]), &json!(note)),
        "{done}"
    );
    assert_ne!(shown(&server, "g1")["cover"], "");
    let done = run(&server, APPLY, &json!({"id": "g2"}));
    let output = &done["output"];
    assert_eq!((&output["media"], &output["errors"]), (&json!(["cover"]), &json!([note])));
    assert_ne!(shown(&server, "g2")["cover"], "");
    // Nothing else was asked for.
    let done = run(&server, MATCH, &json!({"ids": ["g3"], "media": ["icon"]}));
    let row = &done["output"]["matches"][0];
    let reason = "Could not ask SteamGridDB: the server sent a web page.";
    assert_eq!((&row["status"], &row["error"]), (&json!("error"), &json!(reason)), "{done}");
    let done = run(&server, APPLY, &json!({"id": "g3", "fields": [], "media": ["icon"]}));
    let reason = format!("failed to download selected media: {note}");
    assert_eq!((&done["state"], &done["error"]), (&json!("error"), &json!(reason)), "{done}");
    icons(|| list(&json!([])));
    let info = server.post("/api/v2/artgrid/info", &json!({"artgrid_id": 77}));
    assert_eq!(info["notes"], json!([]), "an answer that lacks a kind was not kept");
}

#[test]
fn a_pass_is_taken_back_and_an_unknown_title_changes_nothing() {
    let provider = provider(good);
    let games =
        json!([{"game_id": "g1", "name": "Comet Rangers"}, {"game_id": "g2", "name": "Other"}]);
    let server = with_games(setup(&provider), &games);
    let done = run(&server, APPLY, &json!({"game_id": "g1", "media": ["cover"]}));
    let undo = json!({"pass_id": done["output"]["pass_id"]});
    assert_eq!(server.post("/api/v2/library/passes/undo", &undo), json!({"fields": 2, "games": 1}));
    assert_eq!(shown(&server, "g1")["cover"], "");
    let done = run(&server, APPLY, &json!({"id": "g2"}));
    assert_eq!(done["output"], json!({"applied": false, "game": "Other", "error": "no_match"}));
}

#[test]
fn requests_are_checked_before_anybody_is_asked() {
    let provider = provider(good);
    let games = json!([{"game_id": "g1", "name": "Comet Rangers"}]);
    let server = with_games(setup(&provider), &games);
    let bad = |path: &str, body: Value, error: &str| {
        refused(&server, &Request::post(path, &body), "BAD_REQUEST", error);
    };
    let media = "Invalid media selection.";
    bad(APPLY, json!({}), "Game id is required.");
    bad(APPLY, json!({"id": "gone"}), "Game not found");
    bad(APPLY, json!({"id": "g1", "media": ["fanart"]}), media);
    bad(APPLY, json!({"id": "g1", "media": "cover"}), media);
    bad(APPLY, json!({"id": "g1", "fields": ["genre"]}), "Invalid field selection.");
    bad(APPLY, json!({"id": "g1", "artgrid_id": 0}), "artgrid_id must be >= 1.");
    bad(
        APPLY,
        json!({"id": "g1", "replace_existing": "x"}),
        "replace_existing must be true or false.",
    );
    bad(MATCH, json!({"media": ["x"]}), media);
    bad(MATCH, json!({"media": []}), "Select at least one valid media type.");
    bad(MATCH, json!({"ids": "g1"}), "ids must be a list of texts.");
    let ids: Vec<String> = (0..101).map(|number| number.to_string()).collect();
    bad(MATCH, json!({"ids": ids}), "At most 100 games can be matched at once.");
    assert_eq!(server.get("/api/v2/jobs")["jobs"], json!([]));
    server.post("/api/settings", &json!({"artgrid_enabled": false}));
    let off = "SteamGridDB is switched off in the settings.";
    for (path, body) in [(APPLY, json!({"id": "g1"})), (MATCH, json!({}))] {
        refused(&server, &Request::post(path, &body), "ARTGRID_DISABLED", off);
    }
    assert!(provider.seen().is_empty());
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let server = setup(&provider).library(&library).start();
    let without = "Set ARTGRID_API_KEY in .env to use SteamGridDB.";
    refused(&server, &Request::post(MATCH, &json!({})), "ARTGRID_UNCONFIGURED", without);
}

#[test]
fn pictures_of_every_wrong_kind_are_refused() {
    let other = Provider::new(|_, _| good());
    let large = [&b"\x89PNG\r\n\x1a\n"[..], &vec![0; 33 << 20]].concat();
    let moved = format!("302 Found\r\nLocation: {}/cdn/1.jpg", other.base());
    let cases = [
        (Reply::new("200 OK", "text/html", "<html>"), "the server sent a web page"),
        (Reply::new("200 OK", "image/jpeg", "<html>"), "it is no PNG, JPEG or WebP picture"),
        (Reply::new("200 OK", "image/jpeg", ""), "it is no PNG, JPEG or WebP picture"),
        (Reply::new("404 Not Found", "text/plain", ""), "the server answered 404 Not Found"),
        (Reply::new(&moved, "image/jpeg", ""), "the server answered 302 Found"),
        (Reply::new("200 OK", "image/png", large), "the file is larger than 32 MiB"),
        (
            Reply::new("429 Too Many Requests\r\nRetry-After: 3600", "text/plain", ""),
            "the server answered 429 Too Many Requests",
        ),
    ];
    let provider = provider(good);
    let base = provider.base();
    let server = with_games(setup(&provider), &json!([{"game_id": "g1", "name": "Comet Rangers"}]));
    for (reply, error) in cases {
        let base = base.clone();
        provider.says(move |path, _| answer(&base, path, &|| reply.clone()));
        let body = json!({"id": "g1", "fields": [], "media": ["cover"]});
        let done = run(&server, APPLY, &body);
        let expected = format!("failed to download selected media: cover: {error}");
        assert_eq!((&done["state"], &done["error"]), (&json!("error"), &json!(expected)));
    }
    assert_eq!(shown(&server, "g1")["cover"], "");
    assert!(other.seen().is_empty(), "no redirect was followed");
}

#[test]
fn many_games_are_matched_and_what_is_locked_stays() {
    let provider = provider(good);
    let setup = setup(&provider);
    let own = setup.scratch().file("data/media/own.jpg", jpeg(60, 90, 1));
    let games = json!([
        {"game_id": "g1", "name": "Comet Rangers"},
        {"game_id": "g2", "name": "Nobody Knows"},
        {"game_id": "g3", "name": ""},
        {"game_id": "g4", "name": "Comet Rangers", "cover": own},
        {"game_id": "g5", "name": "Comet Rangers", "field_origins": {"locks": {"cover": true}}},
    ]);
    let server = with_games(setup, &games);
    let done = run(&server, MATCH, &json!({"media": ["cover"]}));
    let output = &done["output"];
    let rows = output["matches"].as_array().expect("rows");
    let statuses: Vec<_> = rows.iter().map(|row| (&row["game_id"], &row["status"])).collect();
    assert_eq!(
        statuses,
        [
            (&json!("g1"), &json!("matched")),
            (&json!("g2"), &json!("not_found")),
            (&json!("g3"), &json!("no_name")),
        ]
    );
    assert_eq!(output["count"], 3);
    assert_eq!(
        rows[0],
        json!({"game_id": "g1", "name": "Comet Rangers", "status": "matched", "artgrid_id": 77,
            "match_name": "Comet Rangers", "media": ["cover"]})
    );
    let done = run(&server, MATCH, &json!({"ids": ["g4", "g5", "gone"], "media": ["cover"]}));
    let rows = done["output"]["matches"].as_array().expect("rows");
    assert_eq!((&rows[0]["media"], &rows[1]["media"]), (&json!([]), &json!([])));
    assert_eq!(
        (&rows[2]["status"], &rows[2]["error"]),
        (&json!("error"), &json!("Game not found"))
    );
    assert_eq!(shown(&server, "g4")["cover"], json!(own));
    assert_eq!(shown(&server, "g5")["cover"], "");
}

#[test]
fn a_rejected_key_ends_a_job_and_a_hanging_provider_is_left_at_once() {
    let provider = Provider::new(|_, _| rejected());
    let server = with_games(setup(&provider), &json!([{"game_id": "g1", "name": "Comet Rangers"}]));
    let done = run(&server, MATCH, &json!({"media": ["cover"]}));
    assert_eq!(
        (&done["state"], &done["error_detail"]["code"]),
        (&json!("error"), &json!("ARTGRID_KEY_REJECTED"))
    );
    assert_eq!(server.get("/api/v2/artgrid/status")["disabled"], true);
    provider.says(|_, _| list(&json!([hit()])));
    server.post("/api/v2/artgrid/test", &json!({}));
    let (asked, is_asked) = channel();
    let (release, released) = channel::<()>();
    provider.says(move |_, _| {
        asked.send(()).expect("the test waits");
        // OK because the end of the test releases it too.
        let _ = released.recv();
        list(&json!([]))
    });
    let id = started(&server, APPLY, &json!({"id": "g1"}));
    is_asked.recv().expect("asked");
    // Others are served while the provider says nothing, and the job ends before it says anything.
    assert_eq!(server.get("/api/v2/artgrid/status")["configured"], true);
    server.send(&Request::post("/api/v2/jobs/cancel", &json!({"job_id": id}))).expect(202);
    assert_eq!(ended(&server, &id)["state"], "cancelled");
    drop(release);
}

#[test]
fn a_key_that_is_rejected_in_the_middle_keeps_what_was_found() {
    let provider = Provider::new(|_, _| list(&json!([])));
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/api/v2/search/autocomplete/Second" => rejected(),
        _ => answer(&base, path, &good),
    });
    let games = json!([
        {"game_id": "g1", "name": "Comet Rangers"},
        {"game_id": "g2", "name": "Second"},
        {"game_id": "g3", "name": "Comet Rangers"},
    ]);
    let server = with_games(setup(&provider), &games);
    let done = run(&server, MATCH, &json!({"media": ["cover"]}));
    assert_eq!(done["state"], "partial");
    let output = &done["output"];
    assert_eq!((&output["count"], &output["matches"][0]["game_id"]), (&json!(1), &json!("g1")));
    let reason = output["errors"][0].as_str().expect("a reason");
    assert!(reason.contains("SteamGridDB"), "{reason}");
    assert_ne!(shown(&server, "g1")["cover"], "");
}

#[test]
fn a_provider_that_is_switched_off_in_the_middle_is_asked_no_more() {
    let (asked, is_asked) = channel();
    let (release, released) = channel::<()>();
    let provider = provider(move || {
        // OK because the test may be over.
        let _ = asked.send(());
        let _ = released.recv();
        good()
    });
    let games = json!([
        {"game_id": "g1", "name": "Comet Rangers"},
        {"game_id": "g2", "name": "Comet Rangers"},
    ]);
    let server = with_games(setup(&provider), &games);
    let id = started(&server, MATCH, &json!({"media": ["cover"]}));
    is_asked.recv().expect("asked");
    server.post("/api/settings", &json!({"artgrid_enabled": false}));
    drop(release);
    let done = ended(&server, &id);
    assert_eq!((&done["state"], &done["output"]["count"]), (&json!("partial"), &json!(1)));
    assert_ne!(shown(&server, "g1")["cover"], "");
    assert_eq!(shown(&server, "g2")["cover"], "");
}

#[test]
fn an_import_is_followed_by_pictures_where_the_settings_let_it() {
    let provider = provider(good);
    let base = provider.base();
    provider.says(move |path, _| match path.split_once('?').map_or(path, |(route, _)| route) {
        "/api/v2/logos/game/77" => {
            list(&json!([picture(2, &format!("{base}/cdn/1.jpg"), &json!({}))]))
        }
        "/api/v2/icons/game/77" => Reply::new("200 OK", "text/html", "<html>"),
        _ => answer(&base, path, &good),
    });
    let server = with_games(setup(&provider), &json!([]));
    let import = |name: &str| {
        server.scratch().file(format!("{name}/nes/Comet Rangers.nes"), name);
        let root = server.scratch().folder(name);
        server.post("/api/import", &json!({"folder": root}));
    };
    import("one");
    let jobs = || server.get("/api/v2/jobs?type=metadata.media_auto")["jobs"].clone();
    assert_eq!(jobs(), json!([]), "it is off without the setting");
    server.post("/api/v2/metadata/scrape-settings", &json!({"scrape_artgrid_enabled": true}));
    import("two");
    let done = until("the pictures", || {
        let job = jobs().as_array()?.first()?.clone();
        let is_active = ["queued", "running", "cancelling"].contains(&job["state"].as_str()?);
        (!is_active).then_some(job)
    });
    assert_eq!(done["output"]["media_types"], json!(["background", "cover", "screenshots"]));
    let artgrid = &done["output"]["artgrid"];
    assert_eq!(artgrid["errors"].as_array().map(Vec::len), Some(1), "the icon: {artgrid}");
    assert_eq!(artgrid["filled"], 3, "year, cover and logo: {artgrid}");
    let game = |batch: &Value| {
        let games = server.get("/api/library")["games"].as_array().expect("games").clone();
        games.into_iter().find(|game| game["import_batch_id"] == *batch).expect("there")
    };
    let found = game(&done["output"]["batch"]);
    assert_eq!((&found["has_cover"], &found["artgrid_id"]), (&json!(true), &json!("77")));
    assert!(found["clear_logo"].is_string(), "also a kind that was not chosen: {found}");
    let undo = json!({"pass_id": done["output"]["pass_id"]});
    assert_eq!(server.post("/api/v2/library/passes/undo", &undo)["games"], 1);
    assert_eq!(game(&done["output"]["batch"])["has_cover"], false);
    assert_eq!(files_with(&server.data(""), KEY), [""; 0]);
}

#[test]
fn its_pictures_can_be_chosen_and_no_others() {
    let provider = provider(good);
    let games = json!([{"game_id": "g1", "name": "Comet Rangers"}]);
    let server = with_games(setup(&provider), &games);
    let list = "/api/v2/media/candidates?game_id=g1&kind=cover";
    assert_eq!(server.get(list)["others"], json!(["artgrid"]), "there is no database");
    let choices = server.get(&format!("{list}&provider=artgrid"))["choices"].clone();
    let url = format!("{}/cdn/1.jpg", provider.base());
    assert_eq!((&choices[0]["url"], &choices[0]["provider"]), (&json!(url), &json!("artgrid")));
    let small = format!("/api/v2/media/candidate?game_id=g1&kind=cover&provider=artgrid&url={url}");
    let shown = server.send(&Request::get(&small)).expect(200);
    assert!(shown.wire.starts_with(&[0xFF, 0xD8]), "a JPEG file");
    let elsewhere = json!({"game_id": "g1", "kind": "cover", "provider": "artgrid",
        "url": format!("{}/cdn/2.jpg", provider.base())});
    let refused = server.send(&Request::post("/api/v2/media/choose", &elsewhere)).expect(400);
    assert_eq!(refused.json()["error"], "The picture is not one of this game.");
    let body = json!({"game_id": "g1", "kind": "cover", "provider": "artgrid", "url": url});
    let chosen = server.post("/api/v2/media/choose", &body);
    let path = chosen["path"].as_str().expect("a path");
    assert_eq!(fs::read(path).expect("the file"), jpeg(60, 90, 7));
    assert_eq!(shown_cover(&server), path);
    for (body, error) in [
        (json!({"game_id": "g1", "kind": "cover", "url": url}), "database_id is required."),
        (
            json!({"game_id": "g1", "kind": "music", "provider": "artgrid", "url": url}),
            "kind must be a kind of picture.",
        ),
    ] {
        let refused = server.send(&Request::post("/api/v2/media/choose", &body)).expect(400);
        assert_eq!(refused.json()["error"], error, "{body}");
    }
}

fn shown_cover(server: &Server) -> String {
    shown(server, "g1")["cover"].as_str().unwrap_or_default().to_owned()
}
