//! `/api/v2/media/candidates` and `/choose` with pictures that the game database and the stores name.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

fn missing() -> Reply {
    Reply::new("404 Not Found", "application/json", "{}")
}

fn picture(seed: u32) -> Reply {
    Reply::new("200 OK", "image/jpeg", jpeg(60, 90, seed))
}

/// Stand-ins for IGDB, Steam and GOG on one server.
fn answer(base: &str, path: &str, head: &str) -> Reply {
    match path.split('?').next().unwrap_or_default() {
        "/oauth2/token" => Reply::json(
            &json!({"access_token": "tkn1", "expires_in": 5_184_000, "token_type": "bearer"}),
        ),
        "/v4/games" if head.contains("artworks.image_id") => {
            assert!(head.contains("where id = 900101;"), "{head}");
            Reply::json(&json!([{"id": 900_101, "name": "Comet Rangers",
                "cover": {"id": 1, "image_id": "co9zz1"},
                "screenshots": [{"id": 2, "image_id": "sc1"}, 5],
                "artworks": [{"image_id": "ar3", "artwork_type": 3}, {"image_id": "ar1", "artwork_type": 1}]}]))
        }
        "/v4/games" => Reply::json(&json!([{"id": 900_101, "name": "Comet Rangers",
            "platforms": [{"id": 6, "name": "PC"}], "game_type": 0}])),
        "/igdb/t_1080p/co9zz1.jpg" => picture(1),
        "/a/appdetails" => Reply::json(&json!({"900200": {"success": true, "data": {
            "name": "Comet Rangers", "header_image": format!("{base}/header.jpg?t=1"),
            "screenshots": [{"id": 0, "path_full": format!("{base}/shot.jpg")},
                {"id": 1, "path_full": "https://elsewhere.example/shot.jpg"}]}}})),
        "/items/IStoreBrowseService/GetItems/v1/" => {
            Reply::json(&json!({"response": {"store_items": [
            {"assets": {"asset_url_format": "steam/apps/900200/${FILENAME}?t=1",
                "library_hero_2x": "ab/hero.jpg"}}]}}))
        }
        "/assets/steam/apps/900200/ab/hero.jpg" => picture(2),
        "/shot.jpg" => picture(3),
        "/d/v2/games/123" => Reply::json(&json!({"_links": {
            "boxArtImage": {"href": format!("{base}/box_{{formatter}}.jpg")}}})),
        "/box.jpg" => picture(4),
        _ => missing(),
    }
}

fn start(provider: &Provider) -> Server {
    let base = provider.base();
    let own = base.clone();
    provider.says(move |path, head| answer(&own, path, head));
    let place = |name: &str| format!("{base}/{name}");
    let games = json!([
        {"game_id": "g1", "name": "Comet Rangers", "platform": "PC", "store_a_app_id": "900200"},
        {"game_id": "g2", "name": "Comet Rangers", "platform": "PC", "store_b_app_id": "123",
            "store_b_source": "GOG"},
        {"game_id": "g3", "name": "Comet Rangers", "platform": "PC", "store_b_app_id": "123",
            "store_b_source": "epic"},
    ]);
    let library = json!({"schema_version": 6, "settings": {}, "games": games}).to_string();
    Setup::new()
        .env("SERVICE_GAMEDB_BASE", place("v4"))
        .env("SERVICE_GAMEDB_TOKEN_BASE", place("oauth2"))
        .env("SERVICE_GAMEDB_IMAGE_BASE", place("igdb"))
        .env("GAMEDB_CLIENT_ID", "id")
        .env("GAMEDB_CLIENT_SECRET", "secret-1f2e3d")
        .env("SERVICE_STORE_A_BASE", place("a"))
        .env("SERVICE_STORE_A_ITEMS_BASE", place("items"))
        .env("SERVICE_STORE_A_IMAGE_BASE", place("images"))
        .env("SERVICE_STORE_A_ASSET_BASE", place("assets"))
        .env("SERVICE_STORE_D_BASE", place("d"))
        .env("SERVICE_STORE_D_SEARCH_BASE", place("search"))
        .library(&library)
        .start()
}

fn choices(server: &Server, game: &str, kind: &str, provider: &str) -> Value {
    let list = format!("/api/v2/media/candidates?game_id={game}&kind={kind}");
    server.get(&if provider.is_empty() { list } else { format!("{list}&provider={provider}") })
}

/// Type and address of each, without the address of the stand-in.
fn shown(provider: &Provider, answer: &Value) -> Vec<(String, String)> {
    let base = provider.base();
    let text = |choice: &Value, key: &str| choice[key].as_str().expect("a text").replace(&base, "");
    let choices = answer["choices"].as_array().expect("choices").iter();
    choices.map(|choice| (text(choice, "type"), text(choice, "url"))).collect()
}

#[track_caller]
fn check(found: &[(String, String)], expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = found.iter().map(|(a, b)| (a.as_str(), b.as_str())).collect();
    assert_eq!(found, expected);
}

#[test]
fn a_store_is_asked_for_its_own_games_only() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    let others = |game, kind| choices(&server, game, kind, "")["others"].clone();
    assert_eq!(others("g1", "cover"), json!(["gamedb", "store_a"]));
    assert_eq!(others("g2", "cover"), json!(["gamedb", "store_d"]));
    assert_eq!(others("g3", "cover"), json!(["gamedb"]));
    assert_eq!(others("g1", "clear_logo"), json!(["store_a"]));
    assert_eq!(choices(&server, "g3", "cover", "store_d")["choices"], json!([]));
    assert!(provider.seen().is_empty(), "no request was sent");
    let unknown = "/api/v2/media/candidates?game_id=g1&kind=cover&provider=nobody";
    server.send(&Request::get(unknown)).expect(400);
}

#[test]
fn the_game_database_names_covers_scenes_and_screenshots() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    let covers = choices(&server, "g1", "cover", "gamedb");
    assert_eq!(covers["credit"], "Game data and pictures come from IGDB.com.");
    check(&shown(&provider, &covers), &[("Cover", "/igdb/t_1080p/co9zz1.jpg")]);
    let scenes = choices(&server, "g1", "background", "gamedb");
    let expected =
        [("Artwork", "/igdb/t_1080p/ar1.jpg"), ("Key art with logo", "/igdb/t_1080p/ar3.jpg")];
    check(&shown(&provider, &scenes), &expected);
    let shots = choices(&server, "g1", "screenshots", "gamedb");
    check(&shown(&provider, &shots), &[("Screenshot", "/igdb/t_720p/sc1.jpg")]);
    let asked = provider.seen();
    let of_pictures = asked.iter().filter(|head| head.contains("artworks.image_id")).count();
    assert_eq!(of_pictures, 1, "answers are kept: {asked:?}");
    let url = &covers["choices"][0]["url"];
    let body = json!({"game_id": "g1", "kind": "cover", "provider": "gamedb", "url": url});
    let chosen = server.post("/api/v2/media/choose", &body);
    let path = chosen["path"].as_str().expect("a path");
    assert_eq!(fs::read(path).expect("the file"), jpeg(60, 90, 1));
}

#[test]
fn the_stores_name_pictures_of_their_games() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    let covers = choices(&server, "g1", "cover", "store_a");
    let usual = [("Library capsule", "/images/900200/library_600x900_2x.jpg")];
    check(&shown(&provider, &covers), &usual);
    let backgrounds = choices(&server, "g1", "background", "store_a");
    let expected = [
        ("Library hero", "/assets/steam/apps/900200/ab/hero.jpg?t=1"),
        ("Header", "/header.jpg?t=1"),
    ];
    check(&shown(&provider, &backgrounds), &expected);
    let shots = choices(&server, "g1", "screenshots", "store_a");
    // An answer may name any host, and only a picture that can be loaded is a choice.
    check(&shown(&provider, &shots), &[("Screenshot", "/shot.jpg")]);
    let boxes = choices(&server, "g2", "cover", "store_d");
    check(&shown(&provider, &boxes), &[("Box", "/box.jpg")]);
    for (game, kind, from, choice, seed) in [
        ("g1", "background", "store_a", &backgrounds["choices"][0], 2),
        ("g1", "screenshots", "store_a", &shots["choices"][0], 3),
        ("g2", "cover", "store_d", &boxes["choices"][0], 4),
    ] {
        let body = json!({"game_id": game, "kind": kind, "provider": from, "url": choice["url"]});
        let chosen = server.post("/api/v2/media/choose", &body);
        let path = chosen["path"].as_str().expect("a path");
        assert_eq!(fs::read(path).expect("the file"), jpeg(60, 90, seed), "{kind}");
    }
    let foreign = json!({"game_id": "g1", "kind": "screenshots", "provider": "store_a",
        "url": "https://elsewhere.example/shot.jpg"});
    let refused = server.send(&Request::post("/api/v2/media/choose", &foreign)).expect(400);
    assert_eq!(refused.json()["error"], "The picture is not one of this game.");
}
