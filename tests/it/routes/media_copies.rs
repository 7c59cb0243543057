//! `GET /api/media` with a width: smaller copies.

use std::fs;

use serde_json::json;

use crate::support::{
    client::{Reply, Request},
    picture::jpeg,
    server::{Server, Setup},
    wait,
};

/// A program with one game whose cover holds these bytes.
fn server_with(cover: &[u8]) -> Server {
    let setup = Setup::new();
    let file = setup.scratch().file("data/media/cover.jpg", cover);
    let games = json!({"games": [{"game_id": "game-1", "name": "A", "cover": file}]});
    setup.library(&games.to_string()).start()
}

fn ask(server: &Server, more: &str, headers: &[(&str, &str)]) -> Reply {
    let request = Request::get(&format!("/api/media?game_id=game-1&kind=cover{more}"));
    server.send(&headers.iter().fold(request, |request, (name, value)| request.header(name, value)))
}

/// The copy, as soon as it is made: a busy machine may answer with the picture itself first.
#[track_caller]
fn copy(server: &Server, width: &str) -> Reply {
    wait::until("a smaller copy", || {
        let reply = ask(server, &format!("&w={width}"), &[]).expect(200);
        let is_kept =
            reply.header("Cache-Control").is_some_and(|cache| cache.contains("immutable"));
        if !is_kept {
            assert_eq!(reply.header("Cache-Control"), Some("private, no-cache"));
        }
        is_kept.then_some(reply)
    })
}

/// The width in the frame header of a JPEG.
fn width_of(bytes: &[u8]) -> u16 {
    let at = bytes.windows(2).position(|pair| pair == [0xff, 0xc0]).expect("a frame");
    u16::from_be_bytes([bytes[at + 7], bytes[at + 8]])
}

#[test]
fn a_width_brings_the_next_larger_copy_with_headers_of_its_own() {
    let cover = jpeg(900, 1200, 1);
    let server = server_with(&cover);
    let original = ask(&server, "", &[]).expect(200);
    assert_eq!(original.body(), cover);
    for (wish, width) in [("1", 160), ("160", 160), ("161", 320), ("320", 320), ("500", 640)] {
        let reply = copy(&server, wish);
        assert_eq!(width_of(&reply.body()), width, "{wish}");
        assert_eq!(reply.header("Content-Type"), Some("image/jpeg"));
        assert_eq!(reply.header("Cache-Control"), Some("private, max-age=31536000, immutable"));
        assert_eq!(reply.header("Accept-Ranges"), Some("bytes"));
        assert_eq!(reply.header("Last-Modified"), original.header("Last-Modified"));
        assert_ne!(reply.header("ETag"), original.header("ETag"));
    }
    for wish in ["641", "4000000000"] {
        assert_eq!(copy(&server, wish).body(), cover, "{wish}");
    }
    let old = server.send(&Request::get("/api/v1/media?id=0&kind=cover&w=160"));
    assert_eq!(old.expect(200).body(), copy(&server, "160").body());
}

#[test]
fn conditions_and_ranges_are_about_the_copy() {
    let server = server_with(&jpeg(900, 1200, 1));
    let whole = copy(&server, "160");
    let tag = whole.header("ETag").expect("a tag");
    assert_eq!(ask(&server, "&w=160", &[("If-None-Match", tag)]).expect(304).body(), b"");
    let part = ask(&server, "&w=160", &[("Range", "bytes=10-19")]).expect(206);
    assert_eq!(part.body(), whole.body()[10..20]);
    let expected = format!("bytes 10-19/{}", whole.body().len());
    assert_eq!(part.header("Content-Range"), Some(expected.as_str()));
    ask(&server, "&w=160", &[("Range", "bytes=9999999-")]).expect(416);
    let stale = [("Range", "bytes=10-19"), ("If-Range", "\"old\"")];
    assert_eq!(ask(&server, "&w=160", &stale).expect(200).body(), whole.body());
}

#[test]
fn what_is_no_width_is_refused_before_anything_is_looked_for() {
    let server = server_with(b"no picture");
    for wish in ["", "0", "-1", "x", "1.5", "99999999999"] {
        let reply = ask(&server, &format!("&w={wish}"), &[]).expect(400).json();
        assert_eq!(reply["error"], json!("w must be a whole number from 1."), "{wish}");
    }
    let reply = server.send(&Request::get("/api/media?game_id=game-2&kind=cover&w=160"));
    assert_eq!(reply.expect(404).json()["code"], json!("MEDIA_NOT_FOUND"));
}

#[test]
fn small_broken_and_other_files_come_as_they_are() {
    let mut cut = jpeg(900, 1200, 1);
    cut.truncate(5_000);
    for bytes in [jpeg(120, 160, 1), cut, b"no picture at all".to_vec(), Vec::new()] {
        let server = server_with(&bytes);
        let reply = copy(&server, "160");
        assert_eq!(reply.body(), bytes);
        assert_eq!(reply.header("ETag"), ask(&server, "", &[]).expect(200).header("ETag"));
    }
}

#[test]
fn a_replaced_picture_shows_at_once_and_the_cache_may_go_at_any_time() {
    let server = server_with(&jpeg(900, 1200, 1));
    let old = copy(&server, "320");
    server.scratch().file("data/media/cover.jpg", jpeg(900, 1200, 2));
    let new = ask(&server, "&w=320", &[]).expect(200);
    assert_ne!(new.body(), old.body());
    let new = copy(&server, "320");
    assert_eq!(width_of(&new.body()), 320);
    assert_ne!(new.body(), old.body());
    fs::remove_dir_all(server.data("cache")).expect("removed");
    assert_eq!(copy(&server, "320").body(), new.body());
}

#[test]
fn copies_outlive_a_restart_and_are_not_made_again() {
    let mut server = server_with(&jpeg(900, 1200, 1));
    let before = copy(&server, "320");
    server.stop();
    server.restart();
    let after = ask(&server, "&w=320", &[]).expect(200);
    assert_eq!((after.body(), after.header("ETag")), (before.body(), before.header("ETag")));
}
