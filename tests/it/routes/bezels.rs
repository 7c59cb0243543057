//! `/api/bezels/download` against a stand-in for the place where archives are published.

use std::{
    fs,
    io::{Cursor, Write as _},
    os::unix::fs::symlink,
};

use serde_json::json;
use zip::{ZipWriter, write::SimpleFileOptions};

use super::artgrid::refused;
use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

const ROUTE: &str = "/api/bezels/download";
const OLD: &str = "/opt/retropie/configs/all/retroarch/overlay/GameBezels/SNES";

fn start(provider: &Provider) -> Server {
    Setup::new().env("SERVICE_BEZELS_BASE", format!("{}/bezels", provider.base())).start()
}

fn archive(files: &[(&str, &str)]) -> Vec<u8> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, text) in files {
        zip.start_file(*name, SimpleFileOptions::default()).expect("started");
        zip.write_all(text.as_bytes()).expect("written");
    }
    zip.finish().expect("finished").into_inner()
}

fn good() -> Vec<u8> {
    let game =
        format!("input_overlay = \"{OLD}/Comet! (USA).cfg\"\ninput_overlay_opacity = \"1\"\n");
    archive(&[
        ("bezelproject-SNES-master/README.md", "read me"),
        ("bezelproject-SNES-master/install.sh", "rm -rf /"),
        ("bezelproject-SNES-master/retroarch/config/Snes9x/Comet! (USA).cfg", &game),
        (
            "bezelproject-SNES-master/retroarch/overlay/GameBezels/SNES/Comet! (USA).cfg",
            "overlays = 1\noverlay0_overlay = \"Comet! (USA).png\"\n",
        ),
        ("bezelproject-SNES-master/retroarch/overlay/GameBezels/SNES/Comet! (USA).png", "png"),
    ])
}

fn zipped(bytes: Vec<u8>) -> Reply {
    Reply::new("200 OK", "application/zip", bytes)
}

fn ask(platform: &str) -> Request {
    Request::post(ROUTE, &json!({"platform": platform}))
}

/// Every file of a folder, hidden ones too, by its path below.
fn files(folder: &std::path::Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry.expect("an entry").path();
        let name = path.file_name().expect("a name").to_string_lossy().into_owned();
        if path.is_dir() {
            found.extend(files(&path).into_iter().map(|inner| format!("{name}/{inner}")));
        } else {
            found.push(name);
        }
    }
    found.sort_unstable();
    found
}

#[test]
fn only_what_is_needed_is_kept_and_leads_to_where_it_lies() {
    let provider = Provider::new(|_, _| zipped(good()));
    let server = start(&provider);
    let path = server.send(&ask("SNES")).expect(200).json()["path"].clone();
    let folder = server.data("bezels/SNES");
    assert_eq!(path, json!(folder));
    assert!(
        provider.seen()[0]
            .starts_with("get /bezels/bezelproject-snes/zip/refs/heads/master http/1.1"),
    );
    let overlay = "retroarch/overlay/GameBezels/SNES/Comet! (USA)";
    let config = "retroarch/config/Snes9x/Comet! (USA).cfg";
    let expected = [config.to_owned(), format!("{overlay}.cfg"), format!("{overlay}.png")];
    assert_eq!(files(&folder), expected);
    let text = fs::read_to_string(folder.join(config)).expect("a text");
    let new = folder.join(format!("{overlay}.cfg"));
    assert_eq!(
        text,
        format!("input_overlay = \"{}\"\ninput_overlay_opacity = \"1\"\n", new.display())
    );
    let text = fs::read_to_string(new).expect("a text");
    assert!(text.contains("overlay0_overlay = \"Comet! (USA).png\""), "{text}");
    // The next archive takes the place of the whole folder.
    provider.says(|_, _| zipped(archive(&[("b/retroarch/overlay/a.png", "x")])));
    server.send(&ask("SNES")).expect(200);
    assert_eq!(files(&server.data("bezels")), ["SNES/retroarch/overlay/a.png"]);
    // A link in the place of the folder is replaced, and what it points to stays.
    let kept = server.scratch().file("overlays/mine.png", "mine");
    fs::remove_dir_all(&folder).expect("removed");
    symlink(server.scratch().path("overlays"), &folder).expect("linked");
    server.send(&ask("SNES")).expect(200);
    assert_eq!(fs::read(kept).expect("kept"), b"mine");
    assert_eq!(files(&server.data("bezels")), ["SNES/retroarch/overlay/a.png"]);
}

#[test]
fn each_of_the_seven_platforms_has_an_archive_and_a_folder() {
    let provider = Provider::new(|_, _| zipped(archive(&[("b/retroarch/overlay/a.png", "x")])));
    let server = start(&provider);
    for (platform, name, folder) in [
        ("NES", "nes", "NES"),
        ("Nintendo 64", "n64", "Nintendo_64"),
        ("Game Boy Advance", "gba", "Game_Boy_Advance"),
        ("Sega Genesis", "megadrive", "Sega_Genesis"),
        ("PlayStation", "psx", "PlayStation"),
        ("Arcade", "mame", "Arcade"),
    ] {
        let path = server.send(&ask(platform)).expect(200).json()["path"].clone();
        assert_eq!(path, json!(server.data("bezels").join(folder)));
        let seen = provider.seen();
        assert!(seen[0].contains(&format!("/bezelproject-{name}/zip/")), "{seen:?}");
    }
    let unknown = "Unknown bezel platform. Choose one of NES, SNES, Nintendo 64, Game Boy Advance, \
        PlayStation, Sega Genesis, Arcade.";
    for body in [
        json!({}),
        json!({"platform": "snes"}),
        json!({"platform": "../x"}),
        json!({"platform": 1}),
    ] {
        refused(&server, &Request::post(ROUTE, &body), "BAD_REQUEST", unknown);
    }
    assert!(provider.seen().is_empty());
}

#[test]
fn whatever_fails_leaves_the_old_bezels() {
    let provider = Provider::new(|_, _| zipped(good()));
    let other = Provider::new(|_, _| zipped(good()));
    let server = start(&provider);
    server.send(&ask("SNES")).expect(200);
    let before = files(&server.data("bezels"));
    let failed =
        |reason: &str| format!("Could not download the bezels of The Bezel Project: {reason}.");
    let damaged = "The archive of bezels is not valid.".to_owned();
    let unsafe_name = "The archive of bezels holds a file with an unsafe name.".to_owned();
    let mut cut = good();
    cut.truncate(cut.len() / 2);
    let moved = format!("302 Found\r\nLocation: {}/a.zip", other.base());
    let slip = |name: &str| zipped(archive(&[("b/retroarch/overlay/a.png", "x"), (name, "x")]));
    let mut linked = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    linked.add_symlink("b/retroarch/overlay/a.png", "/etc/passwd", options).expect("a link");
    let linked = linked.finish().expect("finished").into_inner();
    let big = "x".repeat((1 << 20) + 1);
    for (reply, error) in [
        (
            Reply::new("404 Not Found", "text/plain", ""),
            failed("the server answered 404 Not Found"),
        ),
        (Reply::new("200 OK", "text/html", "<html>"), failed("the server sent a web page")),
        (Reply::new(&moved, "text/html", ""), failed("the server answered 302 Found")),
        (zipped(b"<html>".to_vec()), damaged.clone()),
        (zipped(Vec::new()), damaged.clone()),
        (zipped(cut), damaged.clone()),
        (slip("b/retroarch/overlay/../../../../evil.png"), unsafe_name.clone()),
        (slip("/evil.png"), unsafe_name.clone()),
        (slip("b\\retroarch\\evil.png"), unsafe_name.clone()),
        (zipped(linked), unsafe_name),
        (slip("c/retroarch/overlay/a.png"), damaged),
        (zipped(archive(&[("b/README.md", "x")])), "The archive holds no bezels.".to_owned()),
        (
            zipped(archive(&[("b/retroarch/config/a.cfg", &big)])),
            "The archive of bezels holds too much.".to_owned(),
        ),
    ] {
        provider.says(move |_, _| reply.clone());
        refused(&server, &ask("SNES"), "BAD_REQUEST", &error);
        assert_eq!(files(&server.data("bezels")), before, "{error}");
    }
    assert!(other.seen().is_empty(), "no redirect was followed");
    assert!(!server.data("evil.png").exists());
}
