//! `GET /api/media`.

use std::{fs, os::unix::fs::symlink, time::Duration, time::UNIX_EPOCH};

use serde_json::{Map, Value, json};

use crate::support::{
    client::{Reply, Request, encode},
    server::{Server, Setup},
};

/// One kind a request can name, with the field that holds its path.
const FIELDS: [&str; 21] = [
    "cover",
    "background",
    "clear_logo",
    "fanart",
    "banner",
    "icon",
    "box_back",
    "box_spine",
    "box_3d",
    "title_screen",
    "cart_front",
    "cart_back",
    "disc",
    "advertisement",
    "manual",
    "music",
    "video",
    "video_snap",
    "video_theme",
    "video_trailer",
    "video_recording",
];

/// A program with one game whose media fields all point to files of their own, and more fields.
fn server_with(more: impl FnOnce(&Setup) -> Value) -> Server {
    let setup = Setup::new();
    let mut game = Map::new();
    for field in FIELDS {
        let file = setup.scratch().file(format!("data/media/{field}.png"), field);
        game.insert(field.to_owned(), json!(file));
    }
    game.insert("game_id".to_owned(), json!("game-1"));
    game.insert("name".to_owned(), json!("A"));
    if let Value::Object(more) = more(&setup) {
        game.extend(more);
    }
    let file = json!({"games": [game]}).to_string();
    setup.library(&file).start()
}

fn ask(server: &Server, query: &str, headers: &[(&str, &str)]) -> Reply {
    let request = Request::get(&format!("/api/media?{query}"));
    server.send(&headers.iter().fold(request, |request, (name, value)| request.header(name, value)))
}

#[track_caller]
fn missing(server: &Server, query: &str) {
    let reply = ask(server, query, &[]).expect(404).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!("Media not found"), &json!("MEDIA_NOT_FOUND")),
        "{query}"
    );
}

#[test]
fn every_kind_is_served_with_its_headers() {
    let server = server_with(|_| json!({}));
    for field in FIELDS.into_iter().filter(|field| *field != "video") {
        let reply = ask(&server, &format!("id=0&kind={field}"), &[]).expect(200);
        assert_eq!(reply.text(), field);
    }
    let reply = ask(&server, "game_id=game-1&kind=cover&id=7", &[]).expect(200);
    assert_eq!(reply.header("Content-Type"), Some("image/png"));
    assert_eq!(reply.header("Cache-Control"), Some("private, max-age=31536000, immutable"));
    assert_eq!(reply.header("Accept-Ranges"), Some("bytes"));
    assert_eq!(reply.header("Content-Length"), Some("5"));
    assert_eq!(reply.header("X-Content-Type-Options"), Some("nosniff"));
    assert!(reply.header("Last-Modified").is_some_and(|date| date.ends_with(" GMT")));
    let about = fs::metadata(server.data("media/cover.png")).expect("a file");
    let nanos = about.modified().expect("a time").duration_since(UNIX_EPOCH).expect("a time");
    let etag = format!("\"{:x}-5\"", nanos.as_nanos());
    assert_eq!(reply.header("ETag"), Some(etag.as_str()));
    let old = server.send(&Request::get("/api/v1/media?id=0&kind=cover"));
    assert_eq!(old.expect(200).text(), "cover");
    let token = format!("/api/media?id=0&kind=cover&token={}", server.token());
    assert_eq!(server.send(&Request::get(&token).without_token()).expect(200).text(), "cover");
    server.send(&Request::get("/api/media?id=0&kind=cover").without_token()).expect(403);
}

#[test]
fn conditions_and_ranges_are_honoured() {
    let server = server_with(|setup| {
        let file = setup.scratch().file("data/media/long.bin", (0..=255).collect::<Vec<u8>>());
        let time = UNIX_EPOCH + Duration::from_millis(1_700_000_000_500);
        fs::File::options()
            .write(true)
            .open(&file)
            .expect("a file")
            .set_modified(time)
            .expect("set");
        json!({"music": file})
    });
    let bytes: Vec<u8> = (0..=255).collect();
    let get = |headers: &[(&str, &str)]| ask(&server, "id=0&kind=music", headers);
    assert_eq!(get(&[]).expect(200).body(), bytes);
    for (range, start, end) in [
        ("bytes=0-0", 0, 0),
        ("bytes=10-19", 10, 19),
        ("bytes=250-", 250, 255),
        ("bytes=-6", 250, 255),
        ("bytes=-900", 0, 255),
        ("bytes=200-900", 200, 255),
        ("bytes=1-2,4-5", 1, 2),
    ] {
        let reply = get(&[("Range", range)]).expect(206);
        let expected = format!("bytes {start}-{end}/256");
        assert_eq!(reply.header("Content-Range"), Some(expected.as_str()), "{range}");
        assert_eq!(reply.body(), bytes[start..=end], "{range}");
    }
    let none = ["bytes=x-1", "bytes=", "bytes", "bytes=1"];
    for range in ["bytes=256-", "bytes=9-8", "bytes=-0"].into_iter().chain(none) {
        let reply = get(&[("Range", range)]).expect(416);
        assert_eq!(reply.header("Content-Range"), Some("bytes */256"), "{range}");
        assert_eq!(reply.header("Content-Length"), Some("0"));
    }
    let etag = get(&[]).header("ETag").expect("a tag").to_owned();
    let tags = format!("\"x\", {etag}");
    let reply = get(&[("If-None-Match", &tags), ("Range", "bytes=0-1")]).expect(304);
    assert!(reply.wire.is_empty());
    assert_eq!(reply.header("ETag"), Some(etag.as_str()));
    get(&[("If-None-Match", "\"x\""), ("If-Modified-Since", "Tue, 14 Nov 2023 22:13:20 GMT")])
        .expect(200);
    get(&[("If-Modified-Since", "Tue, 14 Nov 2023 22:13:20 GMT")]).expect(304);
    get(&[("If-Modified-Since", "Tue, 14 Nov 2023 22:13:19 GMT")]).expect(200);
    get(&[("Range", "bytes=0-1"), ("If-Range", "\"x\"")]).expect(200);
    get(&[("Range", "bytes=0-1"), ("If-Range", &etag)]).expect(206);
    let head = server.send(&Request::new("HEAD", "/api/media?id=0&kind=music")).expect(200);
    assert_eq!((head.header("Content-Length"), head.wire.len()), (Some("256"), 0));
}

#[test]
fn screenshots_are_named_by_index() {
    let server = server_with(|setup| {
        let shots = ["0", "1"].map(|at| setup.scratch().file(format!("data/media/s{at}.jpg"), at));
        json!({"screenshots": [shots[0], setup.scratch().path("data/media/gone.jpg"), shots[1]]})
    });
    for (index, expected) in [(0, "0"), (2, "1")] {
        let reply = ask(&server, &format!("id=0&kind=screenshot&index={index}"), &[]).expect(200);
        assert_eq!(
            (reply.text().as_str(), reply.header("Content-Type")),
            (expected, Some("image/jpeg"))
        );
    }
    for index in ["&index=1", "&index=3", "&index=-1", "&index=x", "&index=", ""] {
        missing(&server, &format!("id=0&kind=screenshot{index}"));
    }
}

#[test]
fn the_active_video_follows_the_settings() {
    let server = server_with(|_| json!({}));
    let active = || ask(&server, "id=0&kind=video", &[]).expect(200).text();
    assert_eq!(active(), "video_snap");
    fs::remove_file(server.data("media/video_snap.png")).expect("removed");
    assert_eq!(active(), "video_theme");
    missing(&server, "id=0&kind=video_snap");
    server.post("/api/settings", &json!({"video_priority": ["video_snap", "video_recording"]}));
    assert_eq!(active(), "video_recording");
    fs::remove_file(server.data("media/video_recording.png")).expect("removed");
    assert_eq!(active(), "video");
}

#[test]
fn nothing_outside_the_roots_is_served() {
    let server = server_with(|setup| {
        let secret = setup.scratch().file("data/server.secret", "secret");
        let other = setup.scratch().file("other/x.png", "secret");
        let media = setup.scratch().path("data/media");
        symlink(&secret, media.join("link.png")).expect("a link");
        symlink(other.parent().expect("a folder"), media.join("way")).expect("a link");
        let climbing = format!("{}/../server.secret", media.display());
        setup.scratch().folder("data/media/folder");
        json!({
            "cover": secret, "banner": media.join("link.png"), "icon": media.join("way/x.png"),
            "disc": climbing, "fanart": media.join("folder"), "manual": "cover.png",
            "background": media.join("cover.png/x"), "music": "/dev/zero", "path": media.join("cover.png"),
        })
    });
    for kind in ["cover", "banner", "icon", "disc", "fanart", "manual", "background", "music"] {
        missing(&server, &format!("id=0&kind={kind}"));
    }
    for query in [
        "id=0&kind=path",
        "id=0&kind=screenshots",
        "id=0&kind=COVER",
        "id=0",
        "kind=cover",
        "id=1&kind=box_3d",
        "id=-1&kind=box_3d",
        "id=x&kind=box_3d",
        "game_id=game-2&id=0&kind=box_3d",
    ] {
        missing(&server, query);
    }
    missing(&server, &format!("id=0&kind={}", encode("../cover")));
}

#[test]
fn a_link_put_in_place_of_a_folder_is_refused_at_once() {
    let server = server_with(
        |setup| json!({"cover": setup.scratch().file("data/media/deep/cover.png", "inside")}),
    );
    assert_eq!(ask(&server, "id=0&kind=cover", &[]).expect(200).text(), "inside");
    server.scratch().file("outside/cover.png", "outside");
    let deep = server.data("media/deep");
    fs::rename(&deep, server.data("media/moved")).expect("moved");
    symlink(server.scratch().path("outside"), &deep).expect("a link");
    missing(&server, "id=0&kind=cover");
}

#[test]
fn operators_add_roots() {
    let setup = Setup::new();
    let file = setup.scratch().file("extra/cover.jpg", "extra");
    let games = json!({"games": [{"game_id": "game-1", "name": "A", "cover": file}]}).to_string();
    let roots = format!("{}:relative:/", setup.scratch().path("extra").display());
    let server = setup.library(&games).env("SERVICE_MEDIA_ROOTS", roots).start();
    assert_eq!(ask(&server, "id=0&kind=cover", &[]).expect(200).text(), "extra");
}
