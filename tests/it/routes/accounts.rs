//! Accounts at providers that are entered in the page, and that no credential leaves its file, whichever
//! way it came in, whatever providers answer.

use std::{
    fs,
    sync::{Arc, Mutex},
};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Map, Value, json};

use super::{
    artgrid::{hit, list, rejected},
    scraper::{envelope, sentence},
};
use crate::support::{
    ach::{files_with, profile},
    client::Request,
    opendb::ended,
    provider::{Provider, Reply},
    server::{Server, Setup},
    stream::started,
};

const ACCOUNT: &str = "/api/v2/sources/account";
const REMOVE: &str = "/api/v2/sources/account/remove";
/// A part of an account: its key, its value, and the variable that may hold it.
type Part = (&'static str, &'static str, &'static str);
/// What accounts consist of, by source. Lower case, because the stand-in notes what it is asked so.
const ACCOUNTS: [(&str, &[Part]); 3] = [
    (
        "scraper",
        &[
            ("user", "scraper-user-7c1d", "SCRAPER_USER"),
            ("password", "scraper pass&7-4b2a", "SCRAPER_PASSWORD"),
            ("dev_id", "scraper-dev-91f0", "SCRAPER_DEV_ID"),
            ("dev_password", "scraper-devpass-5e3c", "SCRAPER_DEV_PASSWORD"),
        ],
    ),
    (
        "gamedb",
        &[
            ("client_id", "gamedb-id-2f8e", "GAMEDB_CLIENT_ID"),
            ("client_secret", "gamedb-secret-a61b", "GAMEDB_CLIENT_SECRET"),
        ],
    ),
    ("artgrid", &[("api_key", "artgrid-key-d04c7", "ARTGRID_API_KEY")]),
];
const MEDIASVC: [Part; 2] = [
    ("username", "mediasvc-user-33aa", "MEDIASVC_USERNAME"),
    ("password", "mediasvc-pass-8d8d", "MEDIASVC_PASSWORD"),
];
const ACH: Part = ("api_key", "ach-key-60e1b5", "ACH_API_KEY");
const TOKEN: &str = "gamedb-token-5d5d5d";

fn setup(provider: &Provider) -> Setup {
    let base = provider.base();
    let games = json!([{"game_id": "game-a", "name": "Comet", "platform": "SNES"}]);
    let library =
        json!({"schema_version": 6, "settings": {"artgrid_enabled": true}, "games": games});
    Setup::new()
        .env("SERVICE_SCRAPER_BASE", format!("{base}/api2"))
        .env("SERVICE_GAMEDB_BASE", format!("{base}/v4"))
        .env("SERVICE_GAMEDB_TOKEN_BASE", format!("{base}/oauth2"))
        .env("SERVICE_ARTGRID_BASE", format!("{base}/api/v2"))
        .env("SERVICE_MEDIASVC_BASE", format!("{base}/v1"))
        .env("SERVICE_ACH_BASE", format!("{base}/API"))
        .library(&library.to_string())
}

/// What the providers answer when an account is good.
fn good(path: &str) -> Reply {
    match path {
        _ if path.starts_with("/oauth2/token") => Reply::json(
            &json!({"access_token": TOKEN, "expires_in": 5_184_000, "token_type": "bearer"}),
        ),
        _ if path.starts_with("/api2/") => envelope(json!({"jeux": [{}]})),
        _ if path.starts_with("/v4/") => Reply::json(&json!([])),
        _ if path.starts_with("/API/API_GetUserProfile") => Reply::json(&profile()),
        _ => list(&json!([hit()])),
    }
}

fn values(parts: &[(&str, &str, &str)]) -> Value {
    parts
        .iter()
        .map(|(key, value, _)| ((*key).to_owned(), json!(value)))
        .collect::<Map<_, _>>()
        .into()
}

fn enter(source: &str, values: &Value) -> Request {
    Request::post(ACCOUNT, &json!({"source": source, "values": values}))
}

fn account_of(server: &Server, source: &str) -> Value {
    let sources = server.get("/api/v2/sources")["sources"].clone();
    let row = sources.as_array().expect("rows").iter().find(|row| row["id"] == source);
    row.expect("there")["account"].clone()
}

#[test]
fn an_account_is_tried_kept_for_the_owner_alone_used_and_removed() {
    let provider = Provider::new(|path, _| good(path));
    let mut server = setup(&provider).start();
    let file = server.data("accounts.json");
    for (source, parts) in ACCOUNTS {
        assert_eq!(account_of(&server, source), "missing");
        let said = server.send(&enter(source, &values(parts))).expect(200).json();
        assert_eq!(said, json!({"source": source, "account": "stored"}));
        assert!(!provider.seen().is_empty(), "it is tried");
        assert_eq!(account_of(&server, source), "stored");
    }
    assert_eq!(server.scratch().mode("data/accounts.json"), 0o600);
    server.post("/api/v2/scraper/test", &json!({}));
    let seen = provider.seen().concat();
    assert!(
        seen.contains("ssid=scraper-user-7c1d") && seen.contains("devid=scraper-dev-91f0"),
        "{seen}"
    );
    server.stop();
    server.restart();
    assert_eq!(server.post("/api/v2/artgrid/test", &json!({}))["ok"], true, "it is still there");
    assert!(provider.seen().concat().contains("bearer artgrid-key-d04c7"));
    for (source, _) in ACCOUNTS {
        let said = server.post(REMOVE, &json!({"source": source}));
        assert_eq!(said, json!({"source": source, "account": "missing"}));
    }
    assert!(!file.exists());
    let refused =
        server.send(&Request::post("/api/v2/scraper/test", &json!({}))).expect(400).json();
    assert!(refused["error"].as_str().is_some_and(|text| text.starts_with("Set SCRAPER_USER")));
}

#[test]
fn accounts_of_the_two_older_routes_are_removed_too() {
    let provider = Provider::new(|path, _| good(path));
    let server = setup(&provider).start();
    server.post("/api/mediasvc/settings", &values(&MEDIASVC));
    server.post("/api/ach/settings", &json!({"username": "Ada", "api_key": ACH.1}));
    for source in ["mediasvc", "ach"] {
        assert_eq!(account_of(&server, source), "stored");
        server.post(REMOVE, &json!({"source": source}));
        assert_eq!(account_of(&server, source), "missing");
    }
    assert_eq!(server.get("/api/settings")["mediasvc_configured"], false);
    assert_eq!(files_with(&server.data(""), ACH.1), [""; 0]);
}

#[test]
fn what_is_rejected_or_cannot_be_tried_changes_nothing() {
    let provider = Provider::new(|path, _| good(path));
    let server = setup(&provider).start();
    let refused = |request: &Request, error: &str| {
        let reply = server.send(request).expect(400).json();
        assert_eq!((&reply["code"], &reply["error"]), (&json!("BAD_REQUEST"), &json!(error)));
    };
    let unknown = "This source has no account that can be entered here.";
    refused(&enter("opendb", &json!({})), unknown);
    refused(&enter("mediasvc", &json!({})), unknown);
    refused(&Request::post(REMOVE, &json!({"source": "gone"})), unknown);
    refused(&enter("scraper", &json!({"user": " "})), "user is required.");
    refused(&enter("scraper", &json!({"user": "me", "password": 7})), "password is required.");
    let long = "one line of at most 256 characters.";
    for bad in ["a\nb".to_owned(), "k".repeat(257)] {
        refused(&enter("artgrid", &json!({"api_key": bad})), &format!("api_key must be {long}"));
    }
    assert!(provider.seen().is_empty(), "no request is sent");
    let longest = "k".repeat(256);
    server.send(&enter("artgrid", &json!({"api_key": longest}))).expect(200);
    let before = fs::read(server.data("accounts.json")).expect("a file");
    provider.says(|path, _| match path {
        _ if path.starts_with("/api2/") => {
            sentence("403 Forbidden", "Erreur de login : Vérifier les identifiants utilisateurs !")
        }
        _ if path.starts_with("/oauth2/") => Reply::new(
            "403 Forbidden",
            "application/json",
            json!({"status": 403, "message": "invalid client secret"}).to_string(),
        ),
        _ => rejected(),
    });
    for ((source, parts), name) in
        ACCOUNTS.into_iter().zip(["ScreenScraper", "IGDB", "SteamGridDB"])
    {
        refused(
            &enter(source, &values(parts)),
            &format!("{name} rejected this account. Nothing was saved."),
        );
    }
    provider.says(|_, _| Reply::new("404 Not Found", "text/html", "<html>gone</html>"));
    let reply = server.send(&enter("gamedb", &values(ACCOUNTS[1].1))).expect(400).json();
    let said = reply["error"].as_str().expect("a sentence");
    assert!(said.contains("IGDB") && said.ends_with(" Nothing was saved."), "{said}");
    assert_eq!(fs::read(server.data("accounts.json")).expect("a file"), before);
    assert_eq!(account_of(&server, "scraper"), "missing");
    for (_, value, _) in ACCOUNTS.iter().flat_map(|(_, parts)| *parts) {
        assert!(!server.get("/api/log").to_string().contains(value), "{value}");
    }
}

#[test]
fn an_account_of_the_environment_is_changed_only_there() {
    let provider = Provider::new(|path, _| good(path));
    let server = setup(&provider).env("ARTGRID_API_KEY", "of-the-environment").start();
    assert_eq!(account_of(&server, "artgrid"), "environment");
    let error =
        "The account of SteamGridDB is set in the environment and can be changed only there.";
    for request in [
        enter("artgrid", &json!({"api_key": "another"})),
        Request::post(REMOVE, &json!({"source": "artgrid"})),
    ] {
        let reply = server.send(&request).expect(409).json();
        assert_eq!((&reply["code"], &reply["error"]), (&json!("CONFLICT"), &json!(error)));
    }
    assert!(provider.seen().is_empty() && !server.data("accounts.json").exists());
}

/// Every secret value, in the forms in which it is sent.
fn secrets() -> Vec<String> {
    let parts = ACCOUNTS.iter().flat_map(|(_, parts)| *parts).chain(&MEDIASVC).chain([&ACH]);
    let mut secrets: Vec<String> = parts.map(|(_, value, _)| (*value).to_owned()).collect();
    secrets.push("scraper%20pass%267-4b2a".to_owned());
    secrets.push(STANDARD.encode(format!("{}:{}", MEDIASVC[0].1, MEDIASVC[1].1)));
    secrets.push(TOKEN.to_owned());
    secrets
}

/// Uses every route that asks a provider with an account; the answers.
fn use_everything(server: &Server) -> Vec<String> {
    let game = json!({"game_id": "game-a"});
    let mut requests: Vec<Request> = [
        "/api/v2/scraper/status",
        "/api/v2/scraper/search?q=comet&platform=SNES",
        "/api/metadata/gamedb/search?q=comet&platform=SNES",
        "/api/v2/artgrid/status",
        "/api/v2/artgrid/search?q=comet",
        "/api/v2/artgrid/hygiene/batch",
        "/api/v2/artgrid/hygiene/before",
        "/api/ach/settings",
        "/api/ach/badge?name=250001&locked=0",
    ]
    .map(Request::get)
    .into();
    requests.extend(
        [
            ("/api/v2/scraper/test", json!({})),
            ("/api/v2/scraper/info", json!({"scraper_id": "3"})),
            ("/api/metadata/gamedb/apply", json!({"game_id": "game-a", "gamedb_id": 900_101})),
            ("/api/v2/artgrid/test", json!({})),
            ("/api/v2/artgrid/info", json!({"artgrid_id": 77})),
            ("/api/mediasvc/download", game.clone()),
            ("/api/ach/game", game),
        ]
        .map(|(path, body)| Request::post(path, &body)),
    );
    let mut answers: Vec<String> =
        requests.iter().map(|request| server.send(request).text()).collect();
    for (path, body) in [
        ("/api/v2/scraper/match", json!({"ids": ["game-a"]})),
        ("/api/v2/scraper/apply", json!({"game_id": "game-a", "scraper_id": "3"})),
        ("/api/v2/artgrid/apply", json!({"game_id": "game-a", "artgrid_id": 77})),
        ("/api/v2/artgrid/match", json!({})),
        ("/api/v2/artgrid/hygiene/fix", json!({})),
        ("/api/ach/library", json!({})),
        ("/api/v2/metadata/fill", json!({"game_id": "game-a", "renew": true})),
    ] {
        let reply = server.send(&Request::post(path, &body));
        if reply.status == 202 {
            let id = reply.json()["job_id"].as_str().expect("an id").to_owned();
            answers.push(ended(server, &id).to_string());
        } else {
            answers.push(reply.text());
        }
    }
    answers
}

/// Exports, archives and reports; the answers.
fn take_out_everything(server: &Server) -> Vec<String> {
    let export = json!({"format": "json", "scope": "all"});
    for (path, body) in [
        ("/api/v2/library/export", export),
        (
            "/api/backup/create",
            json!({"items": ["library", "settings", "media", "plugins", "themes", "extension_data"]}),
        ),
    ] {
        assert_eq!(ended(server, &started(server, path, &body))["state"], "done", "{path}");
    }
    let paths = [
        "/api/settings",
        "/api/library",
        "/api/backup",
        "/api/diagnostic",
        "/api/log",
        "/api/v2/jobs",
        "/api/v2/sources",
        "/api/v2/metadata/source-order",
        "/api/notifications",
        "/api/health",
    ];
    paths.map(|path| server.send(&Request::get(path)).text()).into()
}

#[track_caller]
fn assert_nothing_leaks(server: &Server, answers: &[String], kept: &[&str]) {
    for secret in secrets() {
        for answer in answers {
            assert!(!answer.contains(&secret), "{secret} in {answer}");
        }
        let mut files = files_with(&server.data(""), &secret);
        files.retain(|name| !kept.contains(&name.as_str()));
        assert_eq!(files, [""; 0], "{secret}");
    }
}

/// Errors that repeat everything that was sent, in the form of each provider.
fn echo(path: &str, head: &str) -> Reply {
    let said = head.replace(['\r', '\n'], " ");
    match path {
        _ if path.starts_with("/oauth2/token") => good(path),
        _ if path.starts_with("/api2/") => sentence("400 Bad Request", &said),
        _ if path.starts_with("/v4/") => Reply::new(
            "400 Bad Request",
            "application/json",
            json!([{"title": said, "status": 400}]).to_string(),
        ),
        _ if path.starts_with("/API/") || path.starts_with("/v1/") => {
            Reply::new("400 Oops", "text/plain", said)
        }
        _ => Reply::json(&json!({"success": false, "errors": [said]})),
    }
}

#[test]
fn no_credential_reaches_a_file_an_answer_an_archive_or_the_log() {
    for is_stored in [true, false] {
        let faults = Arc::new(Mutex::new(false));
        let echoes = Arc::clone(&faults);
        let provider = Provider::new(move |path, head| {
            if *echoes.lock().expect("no panic") { echo(path, head) } else { good(path) }
        });
        let mut setup = setup(&provider);
        let of_accounts = || ACCOUNTS.iter().flat_map(|(_, parts)| *parts);
        if !is_stored {
            for (_, value, variable) in of_accounts().chain(&MEDIASVC).chain([&ACH]) {
                setup = setup.env(variable, value);
            }
            setup = setup.env("ACH_USERNAME", "Ada");
        }
        let server = setup.start();
        let mut kept = Vec::new();
        if is_stored {
            for (source, parts) in ACCOUNTS {
                server.send(&enter(source, &values(parts))).expect(200);
            }
            server.post("/api/mediasvc/settings", &values(&MEDIASVC));
            server.post("/api/ach/settings", &json!({"username": "Ada", "api_key": ACH.1}));
            kept.extend(["accounts.json", "mediasvc.json", "achievements.json"]);
            for name in &kept {
                assert_eq!(server.scratch().mode(format!("data/{name}")), 0o600, "{name}");
            }
        }
        let mut answers = use_everything(&server);
        *faults.lock().expect("no panic") = true;
        answers.extend(use_everything(&server));
        answers.extend(take_out_everything(&server));
        assert!(provider.seen().len() > 10, "they were asked");
        assert_nothing_leaks(&server, &answers, &kept);
    }
}
