//! `/api/metadata/store-a`, `/trailer` and `/store-d` against stand-ins for the stores.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

const STORE_A: &str = "/api/metadata/store-a";
const TRAILER: &str = "/api/metadata/trailer";
const STORE_D: &str = "/api/metadata/store-d";
const MP4: &[u8] = b"\0\0\0\x18ftypmp42 and the rest of it";

fn library() -> String {
    let game = |id: &str, a: &str, b: &str| {
        json!({"game_id": id, "name": id, "platform": "PC", "store_a_app_id": a,
            "store_b_app_id": b, "genre": "Mine"})
    };
    let games = [
        game("comet", "900200", "gog_123"),
        game("slug", "x1", "comet_rangers"),
        game("bare", "", ""),
        game("odd", "12345678901", "../../etc"),
        game("other", "7", "9"),
        game("far", "", "77"),
        game("moved", "", "78"),
        json!({"game_id": "epic", "name": "epic", "store_b_app_id": "123", "store_b_source": "epic"}),
        json!({"game_id": "gog", "name": "Comet", "store_b_app_id": "comet",
            "store_b_source": "GOG"}),
    ];
    json!({"schema_version": 6, "settings": {}, "games": games}).to_string()
}

fn start(provider: &Provider) -> Server {
    let base = provider.base();
    let place = |name: &str| format!("{base}/{name}");
    let setup = Setup::new().env("SERVICE_STORE_A_BASE", place("a"));
    let setup = setup.env("SERVICE_STORE_A_ITEMS_BASE", place("items"));
    let setup = setup.env("SERVICE_STORE_A_IMAGE_BASE", place("images"));
    let setup = setup.env("SERVICE_STORE_A_ASSET_BASE", place("assets"));
    let setup = setup.env("SERVICE_STORE_A_TRAILER_BASE", place("trailers"));
    let setup = setup.env("SERVICE_STORE_D_BASE", place("d"));
    setup.env("SERVICE_STORE_D_SEARCH_BASE", place("search")).library(&library()).start()
}

fn missing() -> Reply {
    Reply::new("404 Not Found", "application/json", "{}")
}

fn picture(seed: u32) -> Reply {
    Reply::new("200 OK", "application/octet-stream", jpeg(8, 8, seed))
}

fn details(base: &str, movies: &Value) -> Reply {
    Reply::json(&json!({"900200": {"success": true, "data": {"type": "game",
        "name": "Comet Rangers", "steam_appid": 900_200,
        "short_description": "Two &amp; <i>more</i>.", "header_image": format!("{base}/header.jpg?t=1"),
        "developers": ["Northlight"], "publishers": ["Aster", "Bell"],
        "genres": [{"id": "1", "description": "Action"}, {"id": "2", "description": "Indie"}],
        "release_date": {"coming_soon": false, "date": "18 Mar, 1994"}, "movies": movies}}}))
}

fn ask(path: &str, game: &str) -> Request {
    Request::post(path, &json!({"game_id": game}))
}

#[track_caller]
fn refused(server: &Server, path: &str, game: &str, error: &str) {
    let reply = server.send(&ask(path, game)).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!("BAD_REQUEST"), &json!(error)));
}

fn game(server: &Server, id: &str) -> Value {
    let games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.into_iter().find(|game| game["game_id"] == id).expect("the game")
}

#[test]
fn a_game_gets_texts_and_pictures_of_the_store() {
    let provider = Provider::new(|_, _| missing());
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => details(&base, &json!([])),
        "/images/900200/library_600x900_2x.jpg" => picture(1),
        "/header.jpg" => picture(2),
        _ => missing(),
    });
    let server = start(&provider);
    assert_eq!(server.send(&ask(STORE_A, "comet")).expect(200).json(), json!({"ok": true}));
    let after = game(&server, "comet");
    for (field, value) in [
        ("name", "Comet Rangers"),
        ("developer", "Northlight"),
        ("publisher", "Aster, Bell"),
        ("genre", "Action, Indie"),
        ("year", "1994"),
        ("description", "Two & more."),
    ] {
        assert_eq!(after[field], value, "{field}");
    }
    let folder = server.data("media/store_a/900200");
    assert_eq!(fs::read(folder.join("cover.jpg")).expect("a cover"), jpeg(8, 8, 1));
    assert_eq!(fs::read(folder.join("background.jpg")).expect("a picture"), jpeg(8, 8, 2));
    assert_eq!((&after["has_cover"], &after["has_background"]), (&json!(true), &json!(true)));
    let seen = provider.seen();
    assert!(
        seen[0].starts_with("get /a/appdetails?appids=900200&l=english&cc=us http"),
        "{seen:?}"
    );
}

#[test]
fn newer_covers_are_found_and_foreign_pictures_left_out() {
    let provider = Provider::new(|_, _| missing());
    let foreign = Provider::new(|_, _| picture(9));
    let elsewhere = foreign.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => details(&elsewhere, &json!([])),
        "/items/IStoreBrowseService/GetItems/v1/" => {
            Reply::json(&json!({"response": {"store_items": [
            {"appid": 900_200, "assets": {"asset_url_format": "steam/apps/900200/${FILENAME}?t=5",
                "library_capsule_2x": "0f1e/library_capsule_2x.jpg"}}]}}))
        }
        "/assets/steam/apps/900200/0f1e/library_capsule_2x.jpg" => picture(3),
        _ => missing(),
    });
    let server = start(&provider);
    server.send(&ask(STORE_A, "comet")).expect(200);
    let folder = server.data("media/store_a/900200");
    assert_eq!(fs::read(folder.join("cover.jpg")).expect("a cover"), jpeg(8, 8, 3));
    assert!(!folder.join("background.jpg").exists());
    assert!(foreign.seen().is_empty(), "no other server was asked");
}

#[test]
fn games_without_a_number_and_odd_answers_are_refused() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    for path in [STORE_A, TRAILER] {
        for id in ["slug", "bare", "odd"] {
            refused(&server, path, id, "The game has no numeric store_a_app_id.");
        }
        refused(&server, path, "gone", "Game not found");
        let reply = server.send(&Request::post(path, &json!({}))).expect(400).json();
        assert_eq!(reply["error"], "Game id is required.");
    }
    assert!(provider.seen().is_empty());
    let failed = |reason: &str| format!("Could not ask Steam: {reason}.");
    for (reply, error) in [
        (Reply::json(&json!(null)), failed("it was asked too often; wait five minutes")),
        (
            Reply::new("403 Forbidden", "text/html", "<html>Access Denied"),
            failed("it was asked too often; wait five minutes"),
        ),
        (
            Reply::new("429 Too Many Requests\r\nRetry-After: 300", "application/json", "null"),
            failed("it was asked too often; wait five minutes"),
        ),
        (Reply::json(&json!({"900200": {"success": false}})), "Steam has no such game.".to_owned()),
        (Reply::json(&json!({"1": {"success": true}})), "Steam has no such game.".to_owned()),
        (Reply::json(&json!([])), failed("the server sent something else than it was asked for")),
        (Reply::new("200 OK", "text/html", "<html>"), failed("the server sent a web page")),
        (
            Reply::new("403 Forbidden", "text/plain", ""),
            failed("it was asked too often; wait five minutes"),
        ),
        (Reply::new("410 Gone", "text/plain", ""), failed("the server answered 410 Gone")),
    ] {
        let server = start(&provider);
        provider.says(move |_, _| reply.clone());
        provider.seen();
        refused(&server, STORE_A, "comet", &error);
        assert_eq!(game(&server, "comet")["genre"], "Mine", "nothing was written");
        let count = provider.seen().len();
        if error.contains("five minutes") {
            assert_eq!(count, 1, "what is refused so is not asked for again");
            provider.says(|_, _| missing());
            refused(&server, TRAILER, "other", &error);
            assert!(provider.seen().is_empty(), "nothing is asked for five minutes");
        }
    }
}

#[test]
fn a_person_who_asks_again_gets_what_the_store_says_now() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    let base = provider.base();
    let now = details(&base, &json!([]));
    provider.says(move |path, _| if path.contains("appdetails") { now.clone() } else { missing() });
    server.send(&ask(STORE_A, "comet")).expect(200);
    refused(&server, TRAILER, "comet", "Steam has no trailer of the game.");
    provider.says(|_, _| Reply::json(&json!({"900200": {"success": false}})));
    refused(&server, STORE_A, "comet", "Steam has no such game.");
    refused(&server, TRAILER, "comet", "Steam has no such game.");
}

#[test]
fn a_trailer_is_saved_as_a_file() {
    let provider = Provider::new(|_, _| missing());
    let base = provider.base();
    let own = base.clone();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => details(
            &own,
            &json!([{"id": 901,
            "mp4": {"480": format!("{own}/480.mp4"), "max": format!("{own}/max.mp4?t=1")}}]),
        ),
        "/max.mp4" => Reply::new("200 OK", "text/html", "<html>"),
        "/480.mp4" => Reply::new("200 OK", "video/mp4", MP4),
        _ => missing(),
    });
    let server = start(&provider);
    let saved = server.send(&ask(TRAILER, "comet")).expect(200).json();
    let path = saved["video_trailer"].as_str().expect("a path");
    assert_eq!(path, server.data("media/store_a/900200/trailer.mp4").to_string_lossy());
    assert_eq!(fs::read(path).expect("a video"), MP4);
    let reply = server.send(&Request::get("/api/media?id=0&kind=video_trailer")).expect(200);
    assert_eq!(reply.body(), MP4);
}

#[test]
fn older_trailers_are_found_and_streams_refused() {
    let provider = Provider::new(|_, _| missing());
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => {
            details(&base, &json!([{"id": 901, "dash_h264": "u.mpd", "hls_h264": "u.m3u8"}]))
        }
        "/trailers/901/movie480.mp4" => Reply::new("200 OK", "video/mp4", MP4),
        _ => missing(),
    });
    let server = start(&provider);
    server.send(&ask(TRAILER, "comet")).expect(200);
    assert!(server.data("media/store_a/900200/trailer.mp4").is_file());
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => details(&base, &json!([{"id": 901, "hls_h264": "u.m3u8"}])),
        _ => missing(),
    });
    let server = start(&provider);
    let stream = "Steam offers this trailer only as a stream (HLS or DASH), which cannot be saved.";
    refused(&server, TRAILER, "comet", stream);
    let base = provider.base();
    provider.says(move |_, _| details(&base, &json!([])));
    let server = start(&provider);
    refused(&server, TRAILER, "comet", "Steam has no trailer of the game.");
}

#[test]
fn pictures_of_the_other_store_are_found_by_number_and_by_name() {
    let provider = Provider::new(|_, _| missing());
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/d/v2/games/123" => Reply::json(&json!({"_links": {
            "boxArtImage": {"href": format!("{base}/box_{{formatter}}.jpg")},
            "backgroundImage": {"href": format!("{base}/wide.jpg")}}})),
        "/search/games/ajax/filtered" => Reply::json(&json!({"products": [
            {"id": 456, "slug": "comet_rangers", "title": "Comet Rangers",
                "image": format!("//{}/tile", base.trim_start_matches("http://"))}]})),
        "/d/products/456" => Reply::json(&json!({"id": 456, "images": {
            "background": format!("//{}/wide.jpg", base.trim_start_matches("http://"))}})),
        "/box.jpg" | "/tile_392.jpg" => picture(1),
        "/wide.jpg" => picture(2),
        _ => missing(),
    });
    let server = start(&provider);
    for (id, folder) in [("comet", "123"), ("slug", "comet_rangers")] {
        let saved = server.send(&ask(STORE_D, id)).expect(200).json();
        let path = |name: &str| {
            server.data(format!("media/store_d/{folder}/{name}")).to_string_lossy().into_owned()
        };
        assert_eq!(
            saved,
            json!({"cover": path("cover.jpg"), "background": path("background.jpg")})
        );
        assert_eq!(fs::read(path("cover.jpg")).expect("a cover"), jpeg(8, 8, 1));
        let after = game(&server, id);
        assert_eq!((&after["has_cover"], &after["has_background"]), (&json!(true), &json!(true)));
    }
    provider.seen();
    for id in ["bare", "odd", "epic"] {
        refused(&server, STORE_D, id, "The game has no store_b_app_id of GOG.");
    }
    refused(&server, STORE_D, "gone", "Game not found");
    assert!(provider.seen().is_empty());
    provider.says(|path, _| match path.split('?').next().unwrap_or_default() {
        "/search/games/ajax/filtered" => Reply::json(&json!({"products": []})),
        _ => missing(),
    });
    refused(&server, STORE_D, "other", "GOG has no such game.");
    provider.says(|path, _| match path.split('?').next().unwrap_or_default() {
        "/search/games/ajax/filtered" => Reply::json(&json!({"products": [
            {"id": 457, "slug": "comet_rangers", "title": "Comet Rangers", "image": "//x/y"}]})),
        _ => missing(),
    });
    // The name in addresses that is meant is a part of this one.
    let foreign = "Could not ask GOG: the address is not one of the provider.";
    refused(&server, STORE_D, "gog", foreign);
    provider.says(|_, _| Reply::new("200 OK", "text/html", "<html>"));
    refused(&server, STORE_D, "other", "Could not ask GOG: the server sent a web page.");
    provider.says(|path, _| match path.split('?').next().unwrap_or_default() {
        "/d/v2/games/9" => Reply::json(&json!({"_links": {
            "boxArtImage": {"href": "https://images.evil.example/box.jpg"},
            "backgroundImage": {"href": "file:///etc/passwd"}}})),
        _ => missing(),
    });
    refused(&server, STORE_D, "other", foreign);
    let stranger = Provider::new(|_, _| picture(9));
    let elsewhere = stranger.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/d/v2/games/77" => Reply::json(&json!({"_links": {
            "boxArtImage": {"href": format!("{elsewhere}/box.jpg")},
            "backgroundImage": {"href": format!("{elsewhere}/wide.jpg")}}})),
        _ => missing(),
    });
    refused(&server, STORE_D, "far", foreign);
    let moved = format!("302 Found\r\nLocation: {}/d/v2/games/78", stranger.base());
    provider.says(move |_, _| Reply::new(&moved, "text/plain", ""));
    refused(&server, STORE_D, "moved", "Could not ask GOG: the server answered 302 Found.");
    assert!(stranger.seen().is_empty(), "no other server was asked");
}

#[test]
fn what_one_answer_of_the_other_store_names_is_kept_where_others_fail() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    let refusal = || Reply::new("400 Bad Request", "application/json", "{}");
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/d/products/123" => Reply::json(&json!({"id": 123, "images": {
            "background": format!("{base}/wide.jpg")}})),
        "/wide.jpg" => picture(2),
        _ => refusal(),
    });
    let saved = server.send(&ask(STORE_D, "comet")).expect(200).json();
    let wide = server.data("media/store_d/123/background.jpg");
    assert_eq!(saved, json!({"cover": "", "background": wide}));
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/search/games/ajax/filtered" => Reply::json(&json!({"products": [
            {"id": 123, "slug": "comet_rangers", "image": format!("{base}/tile")}]})),
        "/tile_392.jpg" => picture(1),
        _ => refusal(),
    });
    let saved = server.send(&ask(STORE_D, "comet")).expect(200).json();
    let cover = server.data("media/store_d/123/cover.jpg");
    assert_eq!(saved, json!({"cover": cover, "background": ""}), "half an answer was not kept");
    assert!(wide.is_file());
    provider.says(move |_, _| refusal());
    let error = "Could not ask GOG: the server answered 400 Bad Request.";
    refused(&server, STORE_D, "comet", error);
}

#[test]
fn a_trailer_that_breaks_off_is_asked_for_again_and_is_no_stream() {
    let provider = Provider::new(|_, _| missing());
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => details(&base, &json!([{"id": 901, "hls_h264": "u.m3u8"}])),
        "/trailers/901/movie_max.mp4" => {
            Reply::new("200 OK\r\nContent-Length: 5000", "video/mp4", MP4)
        }
        _ => missing(),
    });
    let server = start(&provider);
    refused(&server, TRAILER, "comet", "Could not ask Steam: the answer broke off.");
    let seen = provider.seen();
    assert_eq!(seen.iter().filter(|head| head.contains("movie_max")).count(), 3);
    assert!(!server.data("media/store_a/900200/trailer.mp4").exists());
}

#[test]
fn a_trailer_without_a_number_is_saved_where_its_file_is_named() {
    let provider = Provider::new(|_, _| missing());
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => details(&base, &json!([{"mp4": {"max": format!("{base}/max.mp4")}}])),
        "/max.mp4" => Reply::new("200 OK", "video/mp4", MP4),
        _ => missing(),
    });
    let server = start(&provider);
    server.send(&ask(TRAILER, "comet")).expect(200);
    assert!(server.data("media/store_a/900200/trailer.mp4").is_file());
}

/// Stores with pictures and a trailer that show what `seed` says.
fn with_media(provider: &Provider, seed: u8) {
    let base = provider.base();
    provider.says(move |path, _| match path.split('?').next().unwrap_or_default() {
        "/a/appdetails" => {
            details(&base, &json!([{"id": 901, "mp4": {"max": format!("{base}/max.mp4")}}]))
        }
        "/d/v2/games/123" => Reply::json(&json!({"_links": {
            "boxArtImage": {"href": format!("{base}/header.jpg")}}})),
        "/images/900200/library_600x900_2x.jpg" | "/header.jpg" => picture(seed.into()),
        "/max.mp4" => Reply::new("200 OK", "video/mp4", [MP4, &[seed]].concat()),
        _ => missing(),
    });
}

#[test]
fn another_picture_or_trailer_leaves_the_file_that_a_game_names() {
    let provider = Provider::new(|_, _| missing());
    let server = start(&provider);
    for (path, field, file) in [
        (STORE_A, "cover", "media/store_a/900200/cover.jpg"),
        (TRAILER, "video_trailer", "media/store_a/900200/trailer.mp4"),
        (STORE_D, "cover", "media/store_d/123/cover.jpg"),
    ] {
        with_media(&provider, 1);
        server.send(&ask(path, "comet")).expect(200);
        let first = server.data(file);
        let before = fs::read(&first).expect("a file");
        let named = || game(&server, "comet")[field].as_str().expect("a path").to_owned();
        assert_eq!(named(), first.to_string_lossy());
        server.send(&ask(path, "comet")).expect(200);
        assert_eq!(named(), first.to_string_lossy(), "the same bytes change nothing");
        with_media(&provider, 2);
        server.send(&ask(path, "comet")).expect(200);
        let second = named();
        assert_ne!(second, first.to_string_lossy());
        assert_eq!(fs::read(&first).expect("the old file"), before);
        assert_ne!(fs::read(&second).expect("the new file"), before);
        // Back at the file of before.
        with_media(&provider, 1);
        server.send(&ask(path, "comet")).expect(200);
        assert_eq!(named(), first.to_string_lossy());
    }
}

#[test]
fn a_locked_field_is_not_loaded() {
    let provider = Provider::new(|_, _| missing());
    with_media(&provider, 1);
    let server = start(&provider);
    let locks = json!({"game_id": "comet", "lock": ["cover", "background", "video_trailer"]});
    server.post("/api/v2/game/locks", &locks);
    server.send(&ask(STORE_A, "comet")).expect(200);
    let none = json!({"cover": "", "background": ""});
    assert_eq!(server.send(&ask(STORE_D, "comet")).expect(200).json(), none);
    refused(&server, TRAILER, "comet", "The field is locked.");
    let seen = provider.seen();
    assert!(!seen.iter().any(|head| head.contains(".jpg") || head.contains(".mp4")), "{seen:?}");
}
