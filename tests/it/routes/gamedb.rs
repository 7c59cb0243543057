//! `/api/metadata/gamedb/*` against a stand-in for the game database and its tokens.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

const ID: &str = "gamedb-client-0a1b2c3d";
const SECRET: &str = "gamedb-secret-9f8e7d6c";
const SEARCH: &str = "/api/metadata/gamedb/search";
const APPLY: &str = "/api/metadata/gamedb/apply";
const UNCONFIGURED: &str = "Set GAMEDB_CLIENT_ID and GAMEDB_CLIENT_SECRET in .env to use IGDB.";
const REJECTED: &str = "IGDB rejected the login. Check GAMEDB_CLIENT_ID and GAMEDB_CLIENT_SECRET.";

fn library() -> String {
    let game = json!({"game_id": "game-a", "name": "Comet", "platform": "SNES", "genre": "Mine",
        "field_origins": {"set": [], "locks": {"genre": true}}});
    json!({"schema_version": 6, "settings": {}, "games": [game]}).to_string()
}

fn setup(provider: &Provider) -> Setup {
    let base = provider.base();
    let setup = Setup::new().env("SERVICE_GAMEDB_BASE", format!("{base}/v4"));
    setup.env("SERVICE_GAMEDB_TOKEN_BASE", format!("{base}/oauth2")).library(&library())
}

fn start(provider: &Provider) -> Server {
    setup(provider).env("GAMEDB_CLIENT_ID", ID).env("SERVICE_GAMEDB_CLIENT_SECRET", SECRET).start()
}

fn token(text: &str) -> Reply {
    Reply::json(&json!({"access_token": text, "expires_in": 5_184_000, "token_type": "bearer"}))
}

fn row() -> Value {
    json!({"id": 900_101, "name": "Comet Rangers II", "summary": "Two &amp; a robot.",
        "first_release_date": 763_948_800, "genres": [{"id": 5, "name": "Shooter"}, 31],
        "platforms": [{"id": 19, "name": "Super Nintendo Entertainment System"}],
        "rating": 71.43, "aggregated_rating": 80.0, "game_type": 0,
        "involved_companies": [
            {"id": 1, "company": {"id": 31, "name": "Northlight"}, "developer": true, "publisher": false},
            {"id": 2, "company": {"id": 32, "name": "Aster"}, "developer": false, "publisher": true}]})
}

/// The database as it answers when all is well.
fn good(path: &str, head: &str) -> Reply {
    match path {
        "/oauth2/token" => token("tkn0001"),
        "/v4/games" if head.contains("where id = 1;") => Reply::json(&json!([])),
        "/v4/games" if head.contains("where id = 900101;") => Reply::json(&json!([row()])),
        "/v4/games" => {
            Reply::json(&json!([{"id": 5, "name": "Comet Rangers II Extra", "game_type": 1}, row(),
            {"id": "x", "name": "?"}, 7]))
        }
        "/v4/game_time_to_beats" => {
            Reply::json(&json!([{"id": 7, "game_id": 900_101, "normally": 32_400, "count": 12}]))
        }
        _ => Reply::json(&json!([])),
    }
}

fn search(query: &str) -> Request {
    Request::get(&format!("{SEARCH}?{query}"))
}

fn apply(id: &Value) -> Request {
    Request::post(APPLY, &json!({"game_id": "game-a", "gamedb_id": id}))
}

#[track_caller]
fn refused(server: &Server, request: &Request, error: &str) {
    let reply = server.send(request).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!("BAD_REQUEST"), &json!(error)));
}

fn game(server: &Server) -> Value {
    server.get("/api/library")["games"][0].clone()
}

#[test]
fn games_are_found_with_one_token_and_a_second_look_asks_nobody() {
    let provider = Provider::new(good);
    let server = start(&provider);
    assert_eq!(server.get(SEARCH), json!({"results": []}));
    assert!(provider.seen().is_empty(), "nothing was looked for");
    let found = server.get(&format!("{SEARCH}?q=Com%C3%A9t%22%3B%20Rangers%20II&platform=snes"));
    let first = json!({"id": 900_101, "name": "Comet Rangers II", "summary": "Two & a robot.",
        "year": 1994, "genres": ["Shooter"],
        "platforms": ["Super Nintendo Entertainment System"], "rating": 3.57, "critic_score": 80.0});
    assert_eq!(found["results"][0], first);
    assert_eq!(
        (found["results"].as_array().map(Vec::len), &found["results"][1]["id"]),
        (Some(2), &json!(5))
    );
    let seen = provider.seen();
    assert_eq!(seen.len(), 2, "{seen:?}");
    assert!(seen[0].starts_with("post /oauth2/token http/1.1\r\n"), "{seen:?}");
    assert!(seen[0].ends_with(&format!(
        "client_id={ID}&client_secret={SECRET}&grant_type=client_credentials"
    )));
    assert!(seen[1].starts_with("post /v4/games http/1.1\r\n"));
    assert!(seen[1].contains(&format!("client-id: {ID}\r\n")));
    assert!(seen[1].contains("authorization: bearer tkn0001\r\n"));
    assert!(seen[1].contains("search \"Comet Rangers II\"; fields "), "{}", seen[1]);
    assert!(seen[1].contains("platforms = (19,58)"), "the same machine elsewhere counts");
    let again = server.get(&format!("{SEARCH}?q=comet%20rangers%20ii&platform=SNES&limit=1"));
    assert_eq!(again["results"], json!([first]));
    assert!(provider.seen().is_empty());
    refused(&server, &search("q=a&limit=51"), "limit must be <= 50.");
    refused(&server, &search("q=a&limit=0"), "limit must be >= 1.");
}

#[test]
fn a_title_that_the_text_search_misses_is_found_by_its_parts() {
    let provider = Provider::new(|path, head| match path {
        "/oauth2/token" => token("t"),
        "/v4/games" if head.contains("where id = (5,900101);") => Reply::json(&json!([row()])),
        "/v4/search" => Reply::json(
            &json!([{"id": 1, "game": {"id": 900_101}}, {"id": 2, "game": 5}, {"id": 3}]),
        ),
        _ => Reply::json(&json!([])),
    });
    let server = start(&provider);
    let found = server.get(&format!("{SEARCH}?q=Rangers&platform=Unknown%20Machine"));
    assert_eq!(found["results"][0]["id"], 900_101, "no hit names the platform, so all count");
    assert_eq!(provider.seen().len(), 4);
    provider.says(|_, _| Reply::json(&json!([])));
    assert_eq!(server.get(&format!("{SEARCH}?q=Nothing")), json!({"results": []}));
}

#[test]
fn a_game_gets_what_the_database_knows_and_locks_hold() {
    let provider = Provider::new(good);
    let server = start(&provider);
    let applied = server.send(&apply(&json!(900_101))).expect(200).json();
    assert_eq!(applied, json!({"applied": true, "game": "Comet Rangers II"}));
    let after = game(&server);
    for (field, value) in [
        ("name", json!("Comet Rangers II")),
        ("description", json!("Two & a robot.")),
        ("year", json!("1994")),
        ("genre", json!("Mine")),
        ("developer", json!("Northlight")),
        ("publisher", json!("Aster")),
        ("rating", json!(3.57)),
        ("gamedb_id", json!("900101")),
        ("time_to_beat_hours", json!(9.0)),
    ] {
        assert_eq!(after[field], value, "{field}");
    }
    assert_eq!(provider.seen().len(), 3);
    server.send(&apply(&json!("900101"))).expect(200);
    assert_eq!(provider.seen().len(), 2, "who asks again gets what is known now");
    refused(&server, &apply(&json!(1)), "IGDB has no such game.");
    provider.seen();
    for id in [json!(0), json!("x"), json!(null), json!(1.5)] {
        refused(&server, &apply(&id), "gamedb_id is required.");
    }
    let nobody = json!({"gamedb_id": 900_101});
    refused(&server, &Request::post(APPLY, &nobody), "Game id is required.");
    let gone = json!({"gamedb_id": 900_101, "game_id": "gone"});
    refused(&server, &Request::post(APPLY, &gone), "Game not found");
    assert!(provider.seen().is_empty());
}

#[test]
fn a_token_that_is_refused_is_renewed_once() {
    let unauthorised = || {
        let body = json!({"message": "Authorization Failure. Have you tried:", "Tip 1": "x"});
        Reply::new("401 Unauthorized", "application/json", body.to_string())
    };
    let provider = Provider::new(move |path, head| match path {
        "/oauth2/token" => token("old"),
        _ if head.contains("bearer old") => unauthorised(),
        path => good(path, head),
    });
    let server = start(&provider);
    refused(&server, &search("q=comet"), REJECTED);
    assert_eq!(provider.seen().len(), 4, "two tokens and two requests");
    provider.says(move |path, head| match path {
        "/oauth2/token" if head.contains("content-length") => token("new"),
        _ if head.contains("bearer new") => good(path, head),
        _ => unauthorised(),
    });
    assert_eq!(
        server.get(&format!("{SEARCH}?q=comet"))["results"].as_array().map(Vec::len),
        Some(2)
    );
    for (head, body) in [
        ("400 Bad Request", json!({"status": 400, "message": "invalid client"})),
        ("403 Forbidden", json!({"status": 403, "message": "invalid client secret"})),
    ] {
        let server = start(&provider);
        provider.says(move |_, _| Reply::new(head, "application/json", body.to_string()));
        refused(&server, &search("q=comet"), REJECTED);
    }
}

#[test]
fn answers_of_every_wrong_kind_are_refused_and_not_kept() {
    let other = Provider::new(good);
    let provider = Provider::new(good);
    let server = start(&provider);
    let failed = |reason: &str| format!("Could not ask IGDB: {reason}.");
    let nonsense = failed("the server sent something else than it was asked for");
    let moved = format!("301 Moved Permanently\r\nLocation: {}/v4", other.base());
    let syntax =
        json!([{"title": "Syntax Error", "status": 400, "cause": format!("Expecting {SECRET}")}]);
    let cases = [
        (Reply::json(&json!({"count": 31})), nonsense.clone()),
        (Reply::new("200 OK", "application/json", "[{"), nonsense),
        (Reply::new("200 OK", "text/html", "<html>"), failed("the server sent a web page")),
        (Reply::new("403 Forbidden", "text/html", "<html>"), failed("the server sent a web page")),
        (Reply::new(&moved, "text/plain", ""), failed("the server answered 301 Moved Permanently")),
        (
            Reply::new("400 Bad Request", "application/json", syntax.to_string()),
            "IGDB refused the request: Syntax Error: Expecting [redacted]".to_owned(),
        ),
        (
            Reply::new("413 Payload Too Large", "text/plain", "large"),
            failed("the server answered 413 Payload Too Large"),
        ),
        (
            Reply::new("429 Too Many Requests\r\nRetry-After: 3600", "application/json", "{}"),
            failed("the server answered 429 Too Many Requests"),
        ),
    ];
    for (reply, error) in cases {
        provider.says(move |path, head| match path {
            "/oauth2/token" => good(path, head),
            _ => reply.clone(),
        });
        refused(&server, &search("q=comet"), &error);
    }
    assert!(other.seen().is_empty(), "no redirect was followed");
    for text in [server.get("/api/settings"), server.get("/api/log"), game(&server)] {
        let text = text.to_string();
        assert!(!text.contains(SECRET) && !text.contains("tkn0001"), "{text}");
    }
    assert_eq!(super::scraper::files_with(&server.data(""), SECRET), [""; 0]);
    assert_eq!(super::scraper::files_with(&server.data(""), "tkn0001"), [""; 0]);
}

#[test]
fn without_both_credentials_nobody_is_asked() {
    let provider = Provider::new(good);
    for (id, secret) in [("", ""), (ID, ""), ("", SECRET)] {
        let setup = setup(&provider).env("GAMEDB_CLIENT_ID", id);
        let server = setup.env("GAMEDB_CLIENT_SECRET", secret).start();
        refused(&server, &search("q=comet"), UNCONFIGURED);
        refused(&server, &search(""), UNCONFIGURED);
        refused(&server, &apply(&json!(900_101)), UNCONFIGURED);
    }
    assert!(provider.seen().is_empty());
}
