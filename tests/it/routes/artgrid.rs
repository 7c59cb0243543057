//! `/api/v2/artgrid/*` against a stand-in for the artwork provider.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

pub(super) const KEY: &str = "0f1e2d3c4b5a69788796a5b4c3d2e1f0";
const SEARCH: &str = "/api/v2/artgrid/search";
const STATUS: &str = "/api/v2/artgrid/status";
const TEST: &str = "/api/v2/artgrid/test";
const INFO: &str = "/api/v2/artgrid/info";

fn library(is_enabled: bool) -> String {
    json!({"schema_version": 6, "settings": {"artgrid_enabled": is_enabled}, "games": []})
        .to_string()
}

fn start(provider: &Provider) -> Server {
    setup(provider).env("ARTGRID_API_KEY", KEY).library(&library(true)).start()
}

pub(super) fn setup(provider: &Provider) -> Setup {
    Setup::new().env("SERVICE_ARTGRID_BASE", format!("{}/api/v2", provider.base()))
}

pub(super) fn list(data: &Value) -> Reply {
    Reply::json(&json!({"success": true, "page": 0, "total": 1, "limit": 50, "data": data}))
}

pub(super) fn hit() -> Value {
    json!({"id": 77, "name": "Comet Rangers", "verified": true, "types": ["steam"], "release_date": 763_948_800})
}

/// A picture of a list in the shape of the provider.
pub(super) fn picture(id: u32, url: &str, more: &Value) -> Value {
    let mut row = json!({"id": id, "score": 3, "style": "alternate", "width": 600, "height": 900,
        "nsfw": false, "humor": false, "epilepsy": false, "lock": false, "notes": null,
        "mime": "image/png", "language": "en", "url": url, "thumb": url, "upvotes": 3, "downvotes": 0,
        "author": {"name": "pix", "steam64": "1", "avatar": "u"}});
    row.as_object_mut().expect("an object").extend(more.as_object().expect("an object").clone());
    row
}

pub(super) fn rejected() -> Reply {
    let body = json!({"success": false, "errors": ["Invalid key format"]}).to_string();
    Reply::new("401 Unauthorized\r\nWWW-Authenticate: Bearer", "application/json", body)
}

#[track_caller]
pub(super) fn refused(server: &Server, request: &Request, code: &str, error: &str) {
    let reply = server.send(request).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!(code), &json!(error)));
}

fn ask(query: &str) -> Request {
    Request::get(&format!("{SEARCH}?{query}"))
}

fn info(id: &Value) -> Request {
    Request::post(INFO, &json!({"artgrid_id": id}))
}

/// Every file below a folder that holds a text.
pub(super) fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if path.is_file() {
            let bytes = fs::read(&path).expect("a file");
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

#[test]
fn games_are_found_and_a_second_look_asks_nobody() {
    let provider = Provider::new(|_, _| {
        list(&json!([hit(), {"id": 0, "name": "x"}, 7, {"id": 78, "name": "Comet"}]))
    });
    let server = start(&provider);
    let status = server.get(STATUS);
    assert_eq!(
        (&status["enabled"], &status["configured"], &status["disabled"], &status["cache_entries"]),
        (&json!(true), &json!(true), &json!(false), &json!(0))
    );
    assert_eq!(server.get(SEARCH), json!({"results": [], "provider": "artgrid"}));
    assert_eq!(
        server.get(&format!("{SEARCH}?q=..%20")),
        json!({"results": [], "provider": "artgrid"})
    );
    assert!(provider.seen().is_empty(), "nothing was looked for");
    let first = json!({"id": 77, "name": "Comet Rangers", "year": 1994, "types": ["steam"],
        "verified": true, "provider": "artgrid"});
    let found = server.get(&format!("{SEARCH}?q=Comet%20%2F..%2FRangers&limit=1"));
    assert_eq!(found, json!({"results": [first], "provider": "artgrid"}));
    let seen = provider.seen();
    assert_eq!(seen.len(), 1);
    assert!(
        seen[0].starts_with("get /api/v2/search/autocomplete/comet%20%2f..%2frangers http/1.1\r\n"),
        "{seen:?}"
    );
    assert!(seen[0].contains(&format!("authorization: bearer {KEY}\r\n")), "{seen:?}");
    let found = server.get(&format!("{SEARCH}?q=comet%20%2F..%2Frangers"));
    assert_eq!(found["results"][1]["id"], 78);
    assert_eq!((provider.seen().len(), server.get(STATUS)["cache_entries"].clone()), (0, json!(1)));
    for (limit, count) in [("0", 1), ("51", 2)] {
        let found = server.get(&format!("{SEARCH}?q=comet%20%2F..%2Frangers&limit={limit}"));
        assert_eq!(found["results"].as_array().map(Vec::len), Some(count), "{limit}");
    }
    refused(&server, &ask("q=a&limit=x"), "BAD_REQUEST", "limit must be an integer.");
    assert_eq!(server.post(TEST, &json!({})), json!({"ok": true, "probe_results": 2}));
}

#[test]
fn pictures_lie_with_the_provider_and_nowhere_else() {
    let provider = Provider::new(|_, _| list(&json!([])));
    let other = Provider::new(|_, _| list(&json!([])));
    let (own, foreign) = (provider.base(), other.base());
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/api/v2/games/id/77" => list(&hit()),
        "/api/v2/grids/game/77" => list(&json!([
            picture(1, &format!("{own}/cdn/1.png"), &json!({"score": 1})),
            picture(2, &format!("{own}/cdn/2.png"), &json!({})),
            picture(3, &format!("{foreign}/3.png"), &json!({})),
            picture(
                4,
                "https://cdn2.steamgriddb.com/grid/4.png",
                &json!({"thumb": "https://steamgriddb.com.evil.example/4"})
            ),
            picture(5, "https://evilsteamgriddb.com/5.png", &json!({})),
            picture(6, "https://me@cdn2.steamgriddb.com/6.png", &json!({})),
            picture(7, "http://cdn2.steamgriddb.com/7.png", &json!({})),
            picture(8, "file:///etc/passwd", &json!({})),
            picture(9, &format!("{own}/cdn/9.png"), &json!({"nsfw": true})),
        ])),
        "/api/v2/heroes/game/77" | "/api/v2/games/id/78" => Reply::new(
            "404 Not Found",
            "application/json",
            "{\"success\":false,\"errors\":[\"Game not found\"]}",
        ),
        _ => list(&json!([])),
    });
    let server = start(&provider);
    let game = server.send(&info(&json!(77))).expect(200).json();
    assert_eq!((&game["name"], &game["year"]), (&json!("Comet Rangers"), &json!(1994)));
    let media = game["media"].as_array().expect("a list");
    let shown: Vec<_> = media.iter().map(|it| (it["kind"].as_str(), it["url"].as_str())).collect();
    let two = format!("{}/cdn/2.png", provider.base());
    let one = format!("{}/cdn/1.png", provider.base());
    let four = "https://cdn2.steamgriddb.com/grid/4.png";
    let of =
        |kind: &'static str| [two.as_str(), four, one.as_str()].map(|url| (Some(kind), Some(url)));
    assert_eq!(shown, [of("cover"), of("banner")].concat());
    assert_eq!(
        (&media[1]["thumb"], &media[0]["width"], &media[0]["author"]),
        (&json!(""), &json!(600), &json!("pix"))
    );
    assert_eq!(provider.seen().len(), 6);
    assert_eq!(server.send(&info(&json!(77))).expect(200).json(), game);
    refused(&server, &info(&json!(78)), "BAD_REQUEST", "SteamGridDB has no game 78.");
    refused(&server, &info(&json!(0)), "BAD_REQUEST", "artgrid_id is required.");
    refused(&server, &info(&json!("x")), "BAD_REQUEST", "artgrid_id is required.");
    refused(&server, &Request::post(INFO, &json!({})), "BAD_REQUEST", "artgrid_id is required.");
    assert_eq!(provider.seen().len(), 1, "the second search sent no request");
    assert!(other.seen().is_empty(), "no other server was asked");
}

#[test]
fn answers_of_every_wrong_kind_are_refused_and_not_kept() {
    let provider = Provider::new(|_, _| list(&json!([])));
    let other = Provider::new(|_, _| list(&json!([hit()])));
    let server = start(&provider);
    let page = "<html>Just a moment...</html>";
    let nonsense =
        "Could not ask SteamGridDB: the server sent something else than it was asked for.";
    let web_page = "Could not ask SteamGridDB: the server sent a web page.";
    let moved = format!("301 Moved Permanently\r\nLocation: {}/api/v2", other.base());
    let cases = [
        (Reply::new("200 OK", "text/html; charset=utf-8", page), web_page.to_owned()),
        (Reply::new("403 Forbidden", "text/html", page), web_page.to_owned()),
        (Reply::new("200 OK", "application/json", "Maintenance"), nonsense.to_owned()),
        (Reply::new("200 OK", "application/json", ""), nonsense.to_owned()),
        (Reply::json(&json!([hit()])), nonsense.to_owned()),
        (Reply::json(&json!({"success": true, "data": {"id": 77}})), nonsense.to_owned()),
        (
            Reply::new(&moved, "text/html", page),
            "Could not ask SteamGridDB: the server answered 301 Moved Permanently.".to_owned(),
        ),
        (
            Reply::json(&json!({"success": false, "errors": [format!("{KEY} is odd")]})),
            "SteamGridDB refused the request: [redacted] is odd".to_owned(),
        ),
        (
            Reply::new(
                "400 Bad Request",
                "application/json",
                json!({"success": false, "errors": [format!("Bad dimensions for {KEY}")]})
                    .to_string(),
            ),
            "SteamGridDB refused the request: Bad dimensions for [redacted]".to_owned(),
        ),
        (
            Reply::new("410 Gone", "application/json", "{\"success\": false}"),
            "Could not ask SteamGridDB: the server answered 410 Gone.".to_owned(),
        ),
        (
            Reply::new("429 Too Many Requests\r\nRetry-After: 3600", "application/json", "{}"),
            "Could not ask SteamGridDB: the server answered 429 Too Many Requests.".to_owned(),
        ),
    ];
    for (reply, error) in cases {
        provider.says(move |_, _| reply.clone());
        refused(&server, &ask("q=comet"), "BAD_REQUEST", &error);
        assert_eq!(provider.seen().len(), 1, "{error}");
    }
    assert_eq!(server.get(STATUS)["cache_entries"], 0);
    assert_eq!(server.get(STATUS)["disabled"], false, "the key was not rejected");
    assert!(other.seen().is_empty(), "no redirect was followed");
}

#[test]
fn a_rejected_key_is_sent_again_by_a_test_only() {
    let provider = Provider::new(|_, _| rejected());
    let server = start(&provider);
    let error = "SteamGridDB rejected the key. Check ARTGRID_API_KEY and test it again.";
    refused(&server, &ask("q=comet"), "ARTGRID_KEY_REJECTED", error);
    assert_eq!(server.get(STATUS)["disabled"], true);
    refused(&server, &ask("q=comet"), "ARTGRID_KEY_REJECTED", error);
    refused(&server, &info(&json!(1)), "ARTGRID_KEY_REJECTED", error);
    assert_eq!(provider.seen().len(), 1);
    refused(&server, &Request::post(TEST, &json!({})), "ARTGRID_KEY_REJECTED", error);
    assert_eq!(provider.seen().len(), 1);
    provider.says(|_, _| list(&json!([hit()])));
    assert_eq!(server.post(TEST, &json!({}))["probe_results"], 1);
    assert_eq!(server.get(&format!("{SEARCH}?q=comet"))["results"][0]["id"], 77);
    for text in [server.get("/api/settings"), server.get("/api/log"), server.get(STATUS)] {
        assert!(!text.to_string().contains(KEY));
    }
    assert_eq!(files_with(&server.data(""), KEY), [""; 0]);
}

#[test]
fn without_a_key_or_switched_off_nobody_is_asked() {
    let provider = Provider::new(|_, _| list(&json!([])));
    let test = Request::post(TEST, &json!({}));
    for (is_enabled, key, code, error) in [
        (true, "", "ARTGRID_UNCONFIGURED", "Set ARTGRID_API_KEY in .env to use SteamGridDB."),
        (false, KEY, "ARTGRID_DISABLED", "SteamGridDB is switched off in the settings."),
    ] {
        let setup = setup(&provider).env("ARTGRID_API_KEY", key).library(&library(is_enabled));
        let server = setup.start();
        for request in [&ask("q=comet"), &info(&json!(1)), &test] {
            refused(&server, request, code, error);
        }
        let status = server.get(STATUS);
        assert_eq!(
            (&status["enabled"], &status["configured"]),
            (&json!(is_enabled), &json!(!key.is_empty()))
        );
    }
    assert!(provider.seen().is_empty());
}
