//! `/api/mediasvc/*` against a stand-in for the media service.

use std::fs;

use serde_json::{Value, json};

use super::artgrid::{files_with, refused};
use crate::support::{
    client::Request,
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

const SETTINGS: &str = "/api/mediasvc/settings";
const DOWNLOAD: &str = "/api/mediasvc/download";
const PASSWORD: &str = "pa:ss word-4711";

fn start(provider: &Provider) -> Server {
    let games = json!([
        {"game_id": "g1", "name": "Comet Rangers & Co", "platform": "SNES"},
        {"game_id": "g2", "name": "Comet Rangers & Co", "platform": "NES"},
        {"game_id": "g3", "name": " "},
    ]);
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let base = format!("{}/v1", provider.base());
    Setup::new().env("SERVICE_MEDIASVC_BASE", base).library(&library).start()
}

fn good() -> Reply {
    Reply::new("200 OK", "image/jpeg", jpeg(60, 90, 5))
}

fn box_of(id: &str) -> Request {
    Request::post(DOWNLOAD, &json!({"id": id, "type": "box"}))
}

fn cover(server: &Server, at: usize) -> Value {
    server.get("/api/library")["games"][at]["cover"].clone()
}

#[test]
fn box_art_comes_with_the_credentials_of_the_user_and_fills_a_cover() {
    let provider = Provider::new(|_, _| good());
    let server = start(&provider);
    let without = "Configure EmuMovies credentials in Settings first.";
    refused(&server, &box_of("g1"), "BAD_REQUEST", without);
    assert!(provider.seen().is_empty(), "no request is sent without credentials");
    let is_configured = || {
        let library = server.get("/api/library")["settings"]["mediasvc_configured"].clone();
        (server.get("/api/settings")["mediasvc_configured"].clone(), library)
    };
    assert_eq!(is_configured(), (json!(false), json!(false)));
    let body = json!({"username": "me", "password": PASSWORD});
    assert_eq!(server.post(SETTINGS, &body), json!({"configured": true}));
    assert_eq!(is_configured(), (json!(true), json!(true)));
    assert_eq!(server.scratch().mode("data/mediasvc.json"), 0o600);
    let path = server.send(&box_of("g1")).expect(200).json()["path"].clone();
    let text = path.as_str().expect("a path");
    assert!(text.ends_with("/media/mediasvc/comet-rangers-co/box.jpg"), "{text}");
    assert_eq!(
        (cover(&server, 0), fs::read(text).expect("a file")),
        (path.clone(), jpeg(60, 90, 5))
    );
    let seen = provider.seen();
    assert!(
        seen[0].starts_with("get /v1/media/box?system=snes&search=comet%20rangers%20%26%20co http"),
        "{seen:?}"
    );
    assert!(seen[0].contains("authorization: basic bwu6cge6c3mgd29yzc00nzex\r\n"), "{seen:?}");
    // A game of the same title does not take the file away.
    let other = server.send(&box_of("g2")).expect(200).json()["path"].clone();
    assert_ne!(other, path);
    let logo = json!({"game_id": "g1", "type": "logo"});
    let logo = server.send(&Request::post(DOWNLOAD, &logo)).expect(200).json()["path"].clone();
    assert!(logo.as_str().is_some_and(|path| path.ends_with("/logo.jpg")));
    assert_eq!((cover(&server, 0), cover(&server, 1)), (path, other));
    for answer in [server.get("/api/settings"), server.get("/api/log"), server.get("/api/library")]
    {
        assert!(!answer.to_string().contains(PASSWORD));
    }
    let kept = server.data("mediasvc.json").display().to_string();
    assert_eq!(files_with(&server.data(""), PASSWORD), [kept]);
}

#[test]
fn credentials_and_requests_are_checked() {
    let provider = Provider::new(|_, _| good());
    let server = start(&provider);
    for (body, error) in [
        (json!({}), "username is required."),
        (json!({"username": " ", "password": "x"}), "username is required."),
        (json!({"username": "me"}), "password is required."),
        (json!({"username": "me", "password": 7}), "password is required."),
        (json!({"username": "a:b", "password": "x"}), "username is not valid."),
        (json!({"username": "me", "password": "a\nb"}), "password is not valid."),
        (json!({"username": "me", "password": "x".repeat(257)}), "password is not valid."),
    ] {
        refused(&server, &Request::post(SETTINGS, &body), "BAD_REQUEST", error);
    }
    assert!(!server.data("mediasvc.json").exists());
    server.post(SETTINGS, &json!({"username": "me", "password": "x".repeat(256)}));
    for (body, error) in [
        (json!({}), "Game id is required."),
        (json!({"id": "gone"}), "Game not found"),
        (json!({"id": "g3"}), "The game has no name."),
        (json!({"id": "g1", "type": "../box"}), "type is not valid."),
        (json!({"id": "g1", "type": ""}), "type is not valid."),
    ] {
        refused(&server, &Request::post(DOWNLOAD, &body), "BAD_REQUEST", error);
    }
    assert!(provider.seen().is_empty());
}

#[test]
fn answers_of_every_wrong_kind_change_nothing() {
    let provider = Provider::new(|_, _| good());
    let other = Provider::new(|_, _| good());
    let server = start(&provider);
    server.post(SETTINGS, &json!({"username": "me", "password": PASSWORD}));
    let moved = format!("302 Found\r\nLocation: {}/x.jpg", other.base());
    let large = [&b"\x89PNG\r\n\x1a\n"[..], &vec![0; 33 << 20]].concat();
    let failed = |reason: &str| format!("Could not download from EmuMovies: {reason}.");
    let rejected = "EmuMovies rejected the credentials.".to_owned();
    let no_picture = "it is no PNG, JPEG or WebP picture";
    for (reply, error) in [
        (Reply::new("401 Unauthorized", "application/json", "{}"), rejected.clone()),
        (Reply::new("403 Forbidden", "application/json", "{}"), rejected),
        (
            Reply::new("404 Not Found", "text/plain", ""),
            "EmuMovies has no such file of the game.".to_owned(),
        ),
        (Reply::new("200 OK", "text/html", "<html>"), failed("the server sent a web page")),
        (Reply::new("200 OK", "application/json", jpeg(60, 90, 5)), failed(no_picture)),
        (Reply::new("200 OK", "image/jpeg", "<html>"), failed(no_picture)),
        (Reply::new("200 OK", "image/jpeg", ""), failed(no_picture)),
        (Reply::new(&moved, "image/jpeg", ""), failed("the server answered 302 Found")),
        (Reply::new("200 OK", "image/png", large), failed("the file is larger than 32 MiB")),
        (
            Reply::new("429 Too Many Requests\r\nRetry-After: 3600", "text/plain", ""),
            failed("the server answered 429 Too Many Requests"),
        ),
    ] {
        provider.says(move |_, _| reply.clone());
        refused(&server, &box_of("g1"), "BAD_REQUEST", &error);
    }
    assert_eq!(cover(&server, 0), "");
    assert!(!server.data("media/mediasvc").exists());
    assert!(other.seen().is_empty(), "no redirect was followed");
}

#[test]
fn a_cover_that_is_there_or_locked_stays() {
    let provider = Provider::new(|_, _| good());
    let server = start(&provider);
    server.post(SETTINGS, &json!({"username": "me", "password": PASSWORD}));
    server.post("/api/v2/game/locks", &json!({"game_id": "g1", "lock": ["cover"]}));
    server.send(&box_of("g1")).expect(200);
    assert_eq!(cover(&server, 0), "");
}

#[test]
fn credentials_are_tried_first_where_that_is_asked_for() {
    let provider = Provider::new(|_, _| good());
    let server = start(&provider);
    let body = json!({"username": "me", "password": PASSWORD, "check": true});
    let rejected = "EmuMovies rejected this account. Nothing was saved.";
    let untried =
        |reason: &str| format!("Could not download from EmuMovies: {reason}. Nothing was saved.");
    for (reply, error) in [
        (Reply::new("401 Unauthorized", "application/json", "{}"), rejected.to_owned()),
        (Reply::new("403 Forbidden", "text/plain", "no subscription"), rejected.to_owned()),
        (Reply::new("403 Forbidden", "text/html", "<html>"), untried("the server sent a web page")),
        (Reply::new("200 OK", "text/html", ""), untried("the server sent a web page")),
        (Reply::new("418 Teapot", "text/plain", ""), untried("the server answered 418")),
    ] {
        provider.says(move |_, _| reply.clone());
        refused(&server, &Request::post(SETTINGS, &body), "BAD_REQUEST", &error);
        assert!(!server.data("mediasvc.json").exists());
    }
    provider.seen();
    for reply in [good(), Reply::new("404 Not Found", "text/plain", "")] {
        provider.says(move |_, _| reply.clone());
        assert_eq!(server.post(SETTINGS, &body), json!({"configured": true}));
    }
    assert!(provider.seen()[0].contains("authorization: basic bwu6cge6c3mgd29yzc00nzex\r\n"));
    let body = json!({"username": "me", "password": "x", "check": "yes"});
    let error = "check must be true or false.";
    refused(&server, &Request::post(SETTINGS, &body), "BAD_REQUEST", error);
}

#[test]
fn box_art_never_replaces_the_cover_that_is_there() {
    let provider = Provider::new(|_, _| good());
    let server = start(&provider);
    server.post(SETTINGS, &json!({"username": "me", "password": PASSWORD}));
    let first = server.send(&box_of("g1")).expect(200).json()["path"].clone();
    provider.says(|_, _| Reply::new("200 OK", "image/jpeg", jpeg(60, 90, 6)));
    let second = server.send(&box_of("g1")).expect(200).json()["path"].clone();
    assert_ne!(first, second);
    assert_eq!(cover(&server, 0), first);
    let bytes = |path: &Value| fs::read(path.as_str().expect("a path")).expect("a file");
    assert_eq!((bytes(&first), bytes(&second)), (jpeg(60, 90, 5), jpeg(60, 90, 6)));
}
