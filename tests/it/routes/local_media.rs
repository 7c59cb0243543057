//! `/api/v2/media/local/*`: pictures of other programs on this computer.

use std::{ffi::OsStr, fs, os::unix::ffi::OsStrExt as _, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    picture::jpeg,
    scratch::Scratch,
    server::{Server, Setup},
    setup,
    stream::{Stream, started},
    wait::until,
};

const PREVIEW: &str = "/api/v2/media/local/preview";
const PLAN: &str = "/api/v2/media/local/plan";
const APPLY: &str = "/api/v2/media/local/apply";
const VIDEO: &[u8] = b"\0\0\0\x18ftypmp42 the rest";

fn real(scratch: &Scratch, name: &str) -> String {
    fs::canonicalize(scratch.folder(name)).expect("a folder").display().to_string()
}

/// A library over games of three platforms, and the folders of every program below the home.
fn library() -> Setup {
    let setup = Setup::new();
    let roms = real(setup.scratch(), "roms");
    let lock = json!({"locks": {"cover": true}});
    let game = |id: &str, name: &str, platform: &str, path: &str, more: Value| {
        let mut game = json!({"game_id": id, "name": name, "platform": platform,
            "path": format!("{roms}/{path}")});
        let more = more.as_object().expect("an object").clone();
        game.as_object_mut().expect("an object").extend(more);
        game
    };
    let games = json!([
        game("alpha", "Alpha: Quest", "SNES", "snes/Alpha Quest (USA).sfc", json!({})),
        game("held", "Held", "SNES", "snes/Held.sfc", json!({"cover": "/mine.png"})),
        game("locked", "Locked", "SNES", "snes/Locked.sfc", json!({"field_origins": lock})),
        game("twin1", "Twin", "NES", "nes/one.nes", json!({})),
        game("twin2", "Twin", "NES", "nes/two.nes", json!({})),
        game("saga", "Saga", "PlayStation", "psx/Saga/disc.cue", json!({})),
    ]);
    setup.library(&json!({"schema_version": 6, "games": games}).to_string())
}

fn fill(scratch: &Scratch) {
    let esde = "home/ES-DE/downloaded_media/snes";
    for (at, name) in ["Alpha Quest (USA)", "Held", "Locked", "Nobody"].iter().enumerate() {
        let seed = u32::try_from(at).expect("small");
        scratch.file(format!("{esde}/covers/{name}.jpg"), jpeg(40, 40, seed));
    }
    scratch.file(format!("{esde}/videos/Alpha Quest (USA).mp4"), VIDEO);
    scratch.file(format!("{esde}/manuals/Alpha Quest (USA).pdf"), "%PDF-1.4");
    scratch.file(format!("{esde}/fanart/Alpha Quest (USA).png"), "no picture");
    let nes = "home/.config/retroarch/thumbnails/Nintendo - Nintendo Entertainment System";
    scratch.file(format!("{nes}/Named_Boxarts/Twin (Europe).png"), jpeg(40, 40, 20));
    scratch.file(format!("{nes}/Named_Snaps/Twin.png"), jpeg(40, 40, 21));
    scratch.file("roms/psx/Saga/folder.jpg", jpeg(40, 40, 30));
    scratch.file("roms/psx/Saga/disc-fanart.jpg", jpeg(40, 40, 31));
    let images = "launcher/Images/Super Nintendo Entertainment System";
    for (at, file) in [
        "Screenshot - Gameplay/Europe/Alpha_ Quest-02",
        "Screenshot - Gameplay/Alpha_ Quest-01",
        "Clear Logo/Alpha_ Quest.01234567-89ab-cdef-0123-456789abcdef-01",
    ]
    .iter()
    .enumerate()
    {
        let seed = 40 + u32::try_from(at).expect("small");
        scratch.file(format!("{images}/{file}.png"), jpeg(40, 40, seed));
    }
}

/// Searches to the end, and reads the plan.
#[track_caller]
fn look(server: &Server, body: &Value) -> Value {
    let mut stream = Stream::open(server);
    let id = started(server, PREVIEW, body);
    let job = stream.job_end(server, &id);
    assert_eq!((&job["state"], &job["type"]), (&json!("done"), &json!("media.local_preview")));
    let id = job["result"]["plan_id"].as_str().expect("an id");
    let plan = server.get(&format!("{PLAN}?plan_id={id}"));
    assert_eq!((&plan["plan_id"], &plan["counts"]), (&json!(id), &job["result"]["counts"]));
    plan
}

fn rows(plan: &Value) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let items = plan["items"].as_array().expect("a list").iter();
    items.map(|row| (text(&row["game_id"]), text(&row["field"]))).collect()
}

fn pairs(expected: &[(&str, &str)]) -> Vec<(String, String)> {
    expected.iter().map(|(id, field)| ((*id).to_owned(), (*field).to_owned())).collect()
}

fn game(server: &Server, id: &str) -> Value {
    let games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.into_iter().find(|game| game["game_id"] == id).expect("the game")
}

fn stored(server: &Server, id: &str, field: &str) -> Value {
    game(server, id)[field].clone()
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, status: u16, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(status).json();
    assert_eq!(reply["error"], message, "{path} {body}");
}

#[test]
fn the_usual_places_fill_open_fields_as_one_pass() {
    let setup = library();
    fill(setup.scratch());
    let server = setup.start();
    let plan = look(&server, &json!({}));
    let expected = pairs(&[
        ("alpha", "cover"),
        ("alpha", "fanart"),
        ("alpha", "manual"),
        ("alpha", "video_snap"),
        ("twin1", "cover"),
        ("twin1", "screenshots"),
        ("twin2", "cover"),
        ("twin2", "screenshots"),
        ("saga", "cover"),
        ("saga", "fanart"),
    ]);
    assert_eq!(rows(&plan), expected, "{plan}");
    let counts = &plan["counts"];
    assert_eq!((&counts["items"], &counts["games"]), (&json!(10), &json!(4)));
    assert_eq!((&counts["held"], &counts["unclaimed"]), (&json!(2), &json!(1)));
    assert!(plan["unclaimed"][0].as_str().expect("a path").ends_with("Nobody.jpg"));
    let programs: Vec<&Value> =
        plan["folders"].as_array().expect("a list").iter().map(|it| &it["programs"][0]).collect();
    assert_eq!(programs, ["es-de", "retroarch", "beside"]);
    let page = server.get(&format!(
        "/api/v2/media/local/items?plan_id={}&offset=8&limit=1",
        plan["plan_id"].as_str().expect("an id")
    ));
    assert_eq!((&page["total"], rows(&page)), (&json!(10), pairs(&[("saga", "cover")])));
    let mut stream = Stream::open(&server);
    let id = started(&server, APPLY, &json!({"plan_id": plan["plan_id"]}));
    let done = stream.job_end(&server, &id);
    assert_eq!(done["state"], "partial", "a file could not be read: {done}");
    assert_eq!((&done["result"]["added"], &done["result"]["failed"]), (&json!(9), &json!(1)));
    let cover = stored(&server, "alpha", "cover");
    let cover = cover.as_str().expect("a path");
    assert!(cover.contains("/media/own/") && fs::exists(cover).expect("asked"), "{cover}");
    let video = stored(&server, "alpha", "video_snap");
    assert_eq!(fs::read(video.as_str().expect("a path")).expect("there"), VIDEO);
    server.send(&Request::get("/api/media?game_id=alpha&kind=cover")).expect(200);
    server.send(&Request::get("/api/media?game_id=alpha&kind=video_snap")).expect(200);
    assert_eq!(stored(&server, "twin1", "cover"), stored(&server, "twin2", "cover"));
    assert_eq!(setup::stored(&server, "Held", "cover"), "/mine.png");
    assert_eq!(stored(&server, "locked", "cover"), "");
    assert_eq!(stored(&server, "alpha", "fanart"), "");
    // An applied plan is gone, and the pass can be undone.
    let stale = "The library changed since the preview. Look for pictures again.";
    refused(&server, APPLY, &json!({"plan_id": plan["plan_id"]}), 409, stale);
    let pass = server.get("/api/v2/library/passes")["passes"][0].clone();
    assert_eq!((&pass["kind"], &pass["games"]), (&json!("media.local"), &json!(4)));
    let undone = server.post("/api/v2/library/passes/undo", &json!({"pass_id": pass["pass_id"]}));
    assert_eq!(undone, json!({"fields": 9, "games": 4}));
    assert_eq!(stored(&server, "alpha", "cover"), "");
}

#[test]
fn named_folders_are_looked_through_alone() {
    let setup = library();
    fill(setup.scratch());
    let scratch = setup.scratch();
    let launcher = real(scratch, "launcher");
    let covers = scratch.folder("launcher/snes/covers");
    symlink(scratch.path("home/ES-DE"), covers.join("link")).expect("a link");
    fs::write(covers.join(OsStr::from_bytes(b"\xff.png")), "x").expect("a file");
    scratch.file("launcher/snes/covers/Alpha Quest (USA).png", "");
    let empty = real(scratch, "empty");
    let server = setup.start();
    let plan = look(&server, &json!({"folders": [launcher]}));
    let expected = [("alpha", "clear_logo"), ("alpha", "screenshots"), ("alpha", "screenshots")];
    assert_eq!(rows(&plan), pairs(&expected), "{plan}");
    let counts = &plan["counts"];
    let odd = (&counts["links"], &counts["unnamed"], &counts["unusable"]);
    assert_eq!(odd, (&json!(1), &json!(1), &json!(1)));
    assert_eq!(plan["folders"][0]["path"], launcher);
    let mut stream = Stream::open(&server);
    let id = started(&server, APPLY, &json!({"plan_id": plan["plan_id"]}));
    assert_eq!(stream.job_end(&server, &id)["result"]["added"], 3);
    assert_eq!(stored(&server, "alpha", "screenshots").as_array().expect("a list").len(), 2);
    let nothing = look(&server, &json!({"folders": [empty]}));
    assert_eq!((&nothing["counts"]["files"], &nothing["counts"]["items"]), (&json!(0), &json!(0)));
    let none = "The preview found nothing to add.";
    refused(&server, APPLY, &json!({"plan_id": nothing["plan_id"]}), 400, none);
    for (folders, message) in [
        (json!(["launcher"]), "Folder must be an absolute path."),
        (json!(["/"]), "The root of the disk cannot be looked through. Name a folder below it."),
        (json!([format!("{launcher}/none")]), "Folder does not exist."),
        (json!([format!("{launcher}/snes/covers/link")]), "Folder must not be a symlink."),
        (json!(vec![launcher.as_str(); 51]), "At most 50 folders can be looked through at once."),
        (json!("x"), "folders must be a list of texts."),
    ] {
        let before = server.get("/api/v2/jobs");
        refused(&server, PREVIEW, &json!({"folders": folders}), 400, message);
        assert_eq!(server.get("/api/v2/jobs"), before, "nothing was begun");
    }
}

#[test]
fn a_plan_whose_field_was_filled_is_stale() {
    let setup = library();
    fill(setup.scratch());
    let server = setup.start();
    let plan = look(&server, &json!({}));
    let lock = json!({"game_id": "saga", "lock": ["cover"]});
    server.post("/api/v2/game/locks", &lock);
    let stale = "The library changed since the preview. Look for pictures again.";
    refused(&server, APPLY, &json!({"plan_id": plan["plan_id"]}), 409, stale);
    let code = server.send(&Request::post(APPLY, &json!({"plan_id": "../x"}))).expect(409).json();
    assert_eq!(code["code"], "PREVIEW_STALE");
    assert_eq!(server.get("/api/v2/library/passes")["passes"], json!([]));
}

#[test]
fn folders_plans_and_rows_have_their_limits() {
    let setup = Setup::new();
    let media = real(setup.scratch(), "media/snes/covers");
    let row = |at: u32| {
        setup.scratch().file(format!("media/snes/covers/{at:03}.jpg"), jpeg(8, 8, at));
        json!({"game_id": format!("g{at:03}"), "name": format!("G {at}"), "platform": "SNES",
            "path": format!("/none/snes/{at:03}.sfc")})
    };
    let games: Vec<Value> = (0..201).map(row).collect();
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let server = setup.library(&library).start();
    let folders = |count: usize| json!({"folders": vec![media.as_str(); count]});
    let plan = look(&server, &folders(50));
    assert_eq!(plan["counts"]["items"], 201);
    assert_eq!(plan["items"].as_array().expect("a list").len(), 200);
    let message = "At most 50 folders can be looked through at once.";
    refused(&server, PREVIEW, &folders(51), 400, message);
    let id = plan["plan_id"].as_str().expect("an id").to_owned();
    let page = |offset: u32| {
        server.get(&format!("/api/v2/media/local/items?plan_id={id}&offset={offset}&limit=200"))
    };
    assert_eq!(page(0)["items"].as_array().expect("a list").len(), 200);
    assert_eq!(page(200)["items"][0]["game_id"], "g200");
    assert_eq!(page(201)["items"], json!([]));
    // The newest five plans are kept.
    for _ in 0..4 {
        look(&server, &folders(1));
    }
    assert_eq!(page(0)["total"], 201);
    look(&server, &folders(1));
    let message = "The library changed since the preview. Look for pictures again.";
    refused(&server, APPLY, &json!({"plan_id": id}), 409, message);
    for (id, status, code) in [
        (id.as_str(), 409, "PREVIEW_STALE"),
        ("../x", 409, "PREVIEW_STALE"),
        ("", 400, "BAD_REQUEST"),
    ] {
        let gone = server.send(&Request::get(&format!("{PLAN}?plan_id={id}")));
        assert_eq!(gone.expect(status).json()["code"], code, "{id}");
    }
}

#[test]
fn taking_over_goes_on_after_a_kill() {
    const GAMES: u32 = 300;
    let setup = Setup::new();
    let row = |at: u32| {
        json!({"game_id": format!("g{at}"), "name": format!("G {at}"), "platform": "SNES",
            "path": format!("/none/snes/{at}.sfc")})
    };
    for at in 0..GAMES {
        let path = format!("home/ES-DE/downloaded_media/snes/covers/{at}.jpg");
        setup.scratch().file(path, jpeg(16, 16, at));
    }
    let games: Vec<Value> = (0..GAMES).map(row).collect();
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let mut server = setup.library(&library).start();
    let newest = |server: &Server| server.get("/api/v2/jobs")["jobs"][0].clone();
    let plan = look(&server, &json!({}));
    let id = started(&server, APPLY, &json!({"plan_id": plan["plan_id"]}));
    until("some games", || newest(&server)["current"].as_u64().filter(|current| *current >= 20));
    server.kill();
    server.restart();
    // A job that was quick enough had ended.
    if newest(&server)["state"] == "interrupted" {
        let resume = json!({"job_id": id});
        server.send(&Request::post("/api/v2/jobs/resume", &resume)).expect(202);
    }
    until("the rest", || (newest(&server)["state"] == "done").then_some(()));
    for game in setup::games(&server) {
        let cover = game["cover"].as_str().expect("a path");
        assert!(fs::exists(cover).expect("asked"), "{game}");
    }
    let pass = server.get("/api/v2/library/passes")["passes"].clone();
    assert_eq!(pass.as_array().expect("a list").len(), 1, "{pass}");
    let undo = json!({"pass_id": pass[0]["pass_id"]});
    assert_eq!(server.post("/api/v2/library/passes/undo", &undo)["games"], GAMES);
}
