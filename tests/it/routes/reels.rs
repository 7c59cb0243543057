//! `/api/v2/reels*`, with a substitute for the encoder and, where it is installed, the real one.

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::{
    real_emulators::is_installed,
    support::{
        client::Request,
        emulator::{add, with_programs},
        picture,
        server::{Server, Setup},
        wait::until,
    },
};

const CREATE: &str = "/api/v2/reels/create";
/// Writes down its words and makes the file that stands last.
const ENCODER: &str = "PATH=/usr/bin:/bin\necho \"$*\" > \"$STATE/words\"\nfor file; do :; done\nprintf film > \"$file\"";

/// A game with a cover, a clip and two moments.
fn with_game(setup: Setup) -> (Server, String) {
    let server = setup.start();
    let id = add(&server, "one.nes", "NES", &json!({}));
    let media = server.data("media");
    fs::create_dir_all(&media).expect("a folder");
    let shot = |name: &str| {
        let path = media.join(name);
        fs::write(&path, picture::jpeg(64, 48, 7)).expect("written");
        path
    };
    let cover = shot("cover.jpg");
    server.post(
        "/api/game",
        &json!({"game_id": id, "game": {"name": "one", "cover": cover,
        "path": server.scratch().path("games/one.nes")}}),
    );
    for (name, at) in [("b.jpg", "2026-05-01T00:00:00Z"), ("a.jpg", "2025-05-01T00:00:00Z")] {
        let body = json!({"game_id": id, "screenshot": shot(name), "title": name, "note": "<n>",
            "created_at": at});
        server.send(&Request::post("/api/v2/moments", &body)).expect(201);
    }
    (server, id)
}

/// Makes a reel and returns the result of its job.
#[track_caller]
fn reel(server: &Server, body: &Value) -> Value {
    let queued = server.send(&Request::post(CREATE, body)).expect(202).json();
    assert_eq!((&queued["state"], &queued["game_id"]), (&json!("queued"), &body["game_id"]));
    let id = queued["job_id"].as_str().expect("an id").to_owned();
    until("the reel", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].as_array().expect("a list").clone();
        let job = jobs.into_iter().find(|job| job["job_id"] == *id)?;
        assert_ne!(job["state"], "error", "{job}");
        (job["state"] == "done").then(|| job["result"].clone())
    })
}

#[test]
fn a_manifest_is_the_same_each_time() {
    let (server, id) = with_game(with_programs(&[]));
    let path = format!("/api/v2/reels?game_id={id}");
    let manifest = server.get(&path);
    assert_eq!(
        (&manifest["format"], &manifest["title"]),
        (&json!("service-reel-v1"), &json!("one"))
    );
    assert_eq!((&manifest["subject"], manifest.get("year")), (&json!(id), None));
    let inputs = manifest["inputs"].as_array().expect("a list");
    let kinds: Vec<&str> = inputs.iter().filter_map(|each| each["kind"].as_str()).collect();
    assert_eq!(kinds, ["cover", "moment", "moment"]);
    assert_eq!((&inputs[1]["title"], &inputs[1]["duration"]), (&json!("a.jpg"), &json!(3.0)));
    assert_eq!(server.get(&path), manifest);
    let gone = Request::get("/api/v2/reels?game_id=game-gone");
    assert_eq!(server.send(&gone).expect(404).json()["code"], "GAME_NOT_FOUND");
}

#[test]
fn the_encoder_makes_a_film() {
    let (server, id) = with_game(with_programs(&[("ffmpeg", ENCODER)]));
    let result = reel(&server, &json!({"game_id": id}));
    let film = server.data("reels").join(format!("{id}.mp4"));
    assert_eq!((&result["path"], &result["output"]), (&json!(film), &json!(film)));
    assert_eq!((&result["format"], &result["fallback"]), (&json!("mp4"), &json!(false)));
    assert_eq!((&result["ffmpeg"], &result["inputs"]), (&json!(true), &json!(3)));
    assert_eq!(fs::read(&film).expect("a film"), b"film");
    let words = String::from_utf8(server.scratch().read("state/words")).expect("text");
    for part in [
        "scale=1280:720",
        "fps=30",
        "format=yuv420p",
        "concat=n=3:v=1:a=0",
        "-c:v libx264",
        "-an",
        "+faststart",
        "-loop 1",
    ] {
        assert!(words.contains(part), "{part}: {words}");
    }
    let list = server.data("reels").join(format!("{id}.manifest.json"));
    assert_eq!(result["manifest"], json!(list));
    let first = fs::read(&list).expect("a manifest");
    assert!(first.starts_with(b"{\n  \"format\": \"service-reel-v1\""));
    reel(&server, &json!({"game_id": id}));
    assert_eq!(fs::read(&list).expect("a manifest"), first);
    let names = fs::read_dir(server.data("reels")).expect("a listing").count();
    assert_eq!(names, 2, "nothing unfinished is left");
}

#[test]
fn a_page_stands_in_for_a_film() {
    let failing = "PATH=/usr/bin:/bin\necho 'no such codec' >&2\nexit 3";
    for (programs, is_there) in [(vec![], false), (vec![("ffmpeg", failing)], true)] {
        let (server, id) = with_game(with_programs(&programs));
        let result = reel(&server, &json!({"game_id": id, "year": 2026}));
        let page = server.data("reels/2026.html");
        assert_eq!((&result["path"], &result["format"]), (&json!(page), &json!("html")));
        assert_eq!((&result["fallback"], &result["ffmpeg"]), (&json!(true), &json!(is_there)));
        assert_eq!(result["inputs"], 2, "the cover and the moment of that year");
        let error = result["error"].as_str().unwrap_or_default();
        assert_eq!(error.contains("no such codec"), is_there, "{error}");
        let page = fs::read_to_string(page).expect("a page");
        assert!(page.contains("src=\"../media/b.jpg\"") && page.contains("&lt;n&gt;"), "{page}");
        assert!(!page.contains("a.jpg"), "{page}");
    }
}

#[test]
fn a_picture_that_cannot_be_read_is_left_out_of_the_film() {
    if !is_installed(&[FFMPEG, FFPROBE]) {
        return;
    }
    let setup = with_programs(&[]);
    std::os::unix::fs::symlink(FFMPEG[0], setup.scratch().path("bin/ffmpeg")).expect("linked");
    let (server, id) = with_game(setup);
    let cover = server.get("/api/library")["games"][0]["cover"].clone();
    fs::write(cover.as_str().expect("a path"), b"\x89PNG\r\n\x1a\nfake").expect("written");
    let result = reel(&server, &json!({"game_id": id}));
    assert_eq!((&result["format"], result.get("error")), (&json!("mp4"), None), "{result}");
    let (_, seconds) = film_of(result["path"].as_str().expect("a path"));
    assert!((5.5..6.5).contains(&seconds), "two pictures of three: {seconds} s");
}

#[test]
fn a_year_has_bounds() {
    let (server, id) = with_game(with_programs(&[]));
    for year in [json!(1969), json!(2101), json!("2026"), json!(1.5)] {
        let body = json!({"game_id": id, "year": year});
        server.send(&Request::post(CREATE, &body)).expect(400);
    }
    for year in [json!(1970), json!(2100), json!(null)] {
        server.send(&Request::post(CREATE, &json!({"game_id": id, "year": year}))).expect(202);
    }
    for body in [json!({}), json!({"game_id": "game-gone"})] {
        let reply = server.send(&Request::post(CREATE, &body)).expect(400).json();
        assert_eq!(reply["code"], "GAME_NOT_FOUND");
    }
}

const FFMPEG: &[&str] = &["/usr/bin/ffmpeg"];
const FFPROBE: &[&str] = &["/usr/bin/ffprobe"];

/// What the film of the real encoder is, as the tools of the encoder see it: codec, width, height and
/// seconds.
fn film_of(path: &str) -> (String, f64) {
    let mut probe = Command::new(FFPROBE[0]);
    probe.args(["-v", "error", "-select_streams", "v"]);
    probe.args(["-show_entries", "stream=codec_name,width,height:format=duration"]);
    let out = probe.args(["-of", "csv=p=0", path]).output().expect("a probe");
    let text = String::from_utf8(out.stdout).expect("text");
    let (stream, seconds) = text.trim().split_once('\n').expect("two lines");
    (stream.to_owned(), seconds.trim().parse().expect("a number"))
}

#[test]
fn the_real_encoder_makes_a_film() {
    if !is_installed(&[FFMPEG, FFPROBE]) {
        return;
    }
    let setup = with_programs(&[]);
    std::os::unix::fs::symlink(FFMPEG[0], setup.scratch().path("bin/ffmpeg")).expect("linked");
    let (server, id) = with_game(setup);
    let make = || {
        let result = reel(&server, &json!({"game_id": id}));
        assert_eq!((&result["format"], result.get("error")), (&json!("mp4"), None), "{result}");
        let manifest = result["manifest"].as_str().expect("a path");
        let film = result["path"].as_str().expect("a path").to_owned();
        (film, fs::read(manifest).expect("a manifest"))
    };
    let (film, manifest) = make();
    let (stream, seconds) = film_of(&film);
    assert_eq!(stream, "h264,1280,720");
    let parsed: Value = serde_json::from_slice(&manifest).expect("JSON");
    let inputs = parsed["inputs"].as_array().expect("a list");
    let wanted: f64 = inputs.iter().filter_map(|input| input["duration"].as_f64()).sum();
    assert!(wanted > 0.0 && (seconds - wanted).abs() < 0.5, "{seconds} of {wanted} seconds");
    assert_eq!(make(), (film, manifest), "two runs");
}
