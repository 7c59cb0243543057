//! `/api/v2/moments*`, with a substitute for the tool that takes pictures of the screen.

use std::fs;

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    emulator::{MAME, add, ended, play, with_programs},
    server::Server,
    stream::Stream,
};

const MOMENTS: &str = "/api/v2/moments";
/// `scrot FILE`, the third of the tools.
const SCROT: &str = "PATH=/usr/bin:/bin\nfor file; do :; done\nprintf picture > \"$file\"";

#[track_caller]
fn refused(server: &Server, request: &Request, status: u16, code: &str) {
    let reply = server.send(request).expect(status).json();
    assert_eq!(reply["code"], code, "{reply}");
}

#[track_caller]
fn make(server: &Server, body: &Value) -> Value {
    let reply = server.send(&Request::post(MOMENTS, body)).expect(201).json();
    reply["item"].clone()
}

#[track_caller]
fn action(server: &Server, name: &str, body: &Value) -> Value {
    server.post(&format!("{MOMENTS}/{name}"), body)
}

#[test]
fn a_moment_is_made_with_a_picture_edited_and_deleted() {
    let server = with_programs(&[("scrot", SCROT)]).start();
    let id = add(&server, "a.nes", "NES", &json!({}));
    let mut stream = Stream::open(&server);
    let epoch = server.get("/api/library")["media_epoch"].clone();
    let item = make(
        &server,
        &json!({"game_id": id, "title": " Boss ", "note": "Hard", "trigger": "HotKey"}),
    );
    let moment_id = item["moment_id"].as_str().expect("an id").to_owned();
    assert!(moment_id.starts_with("moment-") && moment_id.len() == 31, "{moment_id}");
    assert_eq!((&item["title"], &item["note"]), (&json!("Boss"), &json!("Hard")));
    assert_eq!((&item["trigger"], &item["game_id"]), (&json!("hotkey"), &json!(id)));
    assert_eq!((&item["screenshot_index"], &item["resume_state"]), (&json!(0), &json!(null)));
    assert_eq!((&item["launch_id"], item.get("capture_error")), (&json!(""), None));
    let shot = item["screenshot"].as_str().expect("a path");
    assert!(shot.starts_with(&*server.data("media/moments").join(&id).to_string_lossy()), "{shot}");
    assert_eq!(fs::read(shot).expect("a picture"), b"picture");
    let game = server.get(&format!("/api/library/delta?ids={id}"))["games"][0].clone();
    assert_eq!((&game["screenshots"], &game["has_moments"]), (&json!([shot]), &json!(true)));
    assert_ne!(server.get("/api/library")["media_epoch"], epoch);
    let picture =
        server.send(&Request::get(&format!("/api/media?game_id={id}&kind=screenshot&index=0")));
    assert_eq!(picture.expect(200).body(), b"picture");
    let told = loop {
        let (name, payload) = stream.next().expect("an event");
        if name == "moment.created" {
            break payload;
        }
    };
    assert_eq!(told["moment_id"], moment_id);
    let changed = action(&server, "update", &json!({"moment_id": moment_id, "title": "Won"}));
    assert_eq!(
        (&changed["item"]["title"], &changed["item"]["note"]),
        (&json!("Won"), &json!("Hard"))
    );
    assert_ne!(changed["item"]["updated_at"], item["updated_at"]);
    assert_eq!(changed["item"]["created_at"], item["created_at"]);
    let one = server.get(&format!("{MOMENTS}?moment_id={moment_id}"));
    assert_eq!((&one["game_id"], &one["item"]), (&json!(id), &changed["item"]));
    let gone = action(&server, "delete", &json!({"moment_id": moment_id, "game_id": id}));
    assert_eq!(gone, json!({"ok": true, "deleted": true, "moment_id": moment_id}));
    assert!(fs::exists(shot).expect("readable"), "the picture stays");
    let request = Request::get(&format!("{MOMENTS}?moment_id={moment_id}"));
    refused(&server, &request, 404, "MOMENT_NOT_FOUND");
}

#[test]
fn a_moment_without_a_picture_is_made_all_the_same() {
    let server = with_programs(&[]).start();
    let id = add(&server, "a.nes", "NES", &json!({}));
    let item = make(&server, &json!({"game_id": id}));
    assert_eq!(item["capture_error"], "SCREENSHOT_UNAVAILABLE");
    assert_eq!((&item["screenshot"], &item["screenshot_index"]), (&json!(""), &json!(null)));
    assert_eq!((&item["title"], &item["trigger"]), (&json!("Moment"), &json!("manual")));
    let quiet = make(
        &server,
        &json!({"id": 0, "capture": false, "trigger": "session-end",
        "launch_id": "abc", "created_at": "2026-02-03T04:05:06Z"}),
    );
    assert_eq!((quiet.get("capture_error"), &quiet["trigger"]), (None, &json!("session_end")));
    assert_eq!(quiet["launch_id"], "abc");
    assert!(quiet["created_at"].as_str().is_some_and(|at| at.starts_with("2026-02-03T04:05:06")));
    let list = server.get(&format!("{MOMENTS}?game_id={id}"));
    assert_eq!((&list["total"], &list["items"][0]["moment_id"]), (&json!(2), &item["moment_id"]));
    assert_eq!(list["items"][1]["moment_id"], quiet["moment_id"], "by time");
    let list = server.get(&format!("{MOMENTS}?game_id={id}&limit=1"));
    assert_eq!((&list["total"], list["items"].as_array().map(Vec::len)), (&json!(2), Some(1)));
}

#[test]
fn what_is_no_moment_is_refused() {
    let server = with_programs(&[]).start();
    let id = add(&server, "a.nes", "NES", &json!({}));
    let inside = server.data("media/a.png");
    fs::create_dir_all(server.data("media")).expect("a folder");
    fs::write(&inside, "p").expect("written");
    let kept = make(
        &server,
        &json!({"game_id": id, "screenshot": inside, "title": "t".repeat(120),
        "note": "n".repeat(2000)}),
    );
    assert_eq!((&kept["screenshot"], &kept["screenshot_index"]), (&json!(inside), &json!(null)));
    let outside = server.scratch().file("b.png", "p");
    for (more, code) in [
        (json!({"title": "t".repeat(121)}), "MOMENT_TITLE_TOO_LONG"),
        (json!({"title": 5}), "MOMENT_TITLE_INVALID"),
        (json!({"note": "n".repeat(2001)}), "MOMENT_NOTE_TOO_LONG"),
        (json!({"note": []}), "MOMENT_NOTE_INVALID"),
        (json!({"trigger": "odd"}), "MOMENT_TRIGGER_INVALID"),
        (json!({"trigger": 5}), "MOMENT_TRIGGER_INVALID"),
        (json!({"screenshot": outside}), "MOMENT_MEDIA_INVALID"),
        (json!({"screenshot": "/etc/passwd"}), "MOMENT_MEDIA_INVALID"),
        (json!({"screenshot": server.data("media/none.png")}), "MOMENT_MEDIA_INVALID"),
        (json!({"screenshot": 5}), "MOMENT_MEDIA_INVALID"),
        (json!({"created_at": "soon"}), "BAD_REQUEST"),
        (json!({"capture": "yes"}), "BAD_REQUEST"),
        (json!({"game_id": "game-gone"}), "GAME_NOT_FOUND"),
    ] {
        let mut body = json!({"game_id": id});
        body.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        refused(&server, &Request::post(MOMENTS, &body), 400, code);
    }
    refused(&server, &Request::post(MOMENTS, &json!({})), 400, "GAME_NOT_FOUND");
    for limit in ["0", "501", "x", "1.5", "-1"] {
        let request = Request::get(&format!("{MOMENTS}?game_id={id}&limit={limit}"));
        refused(&server, &request, 400, "MOMENT_LIMIT_INVALID");
    }
    for limit in ["1", "500", "", "%20"] {
        server.get(&format!("{MOMENTS}?game_id={id}&limit={limit}"));
    }
    refused(&server, &Request::get(MOMENTS), 400, "MOMENT_ID_REQUIRED");
    let request = Request::get(&format!("{MOMENTS}?game_id=game-gone"));
    refused(&server, &request, 404, "GAME_NOT_FOUND");
    let other = add(&server, "b.nes", "NES", &json!({}));
    for name in ["update", "delete", "resume"] {
        let path = format!("{MOMENTS}/{name}");
        refused(&server, &Request::post(&path, &json!({})), 400, "MOMENT_ID_REQUIRED");
        let unknown = json!({"moment_id": "moment-0"});
        refused(&server, &Request::post(&path, &unknown), 404, "MOMENT_NOT_FOUND");
        let foreign = json!({"moment_id": kept["moment_id"], "game_id": other});
        refused(&server, &Request::post(&path, &foreign), 404, "MOMENT_NOT_FOUND");
    }
    let long = json!({"moment_id": kept["moment_id"], "title": "t".repeat(121)});
    refused(
        &server,
        &Request::post(&format!("{MOMENTS}/update"), &long),
        400,
        "MOMENT_TITLE_TOO_LONG",
    );
}

#[test]
fn automatic_moments_follow_the_setting() {
    let server = with_programs(&[]).start();
    let id = add(&server, "a.nes", "NES", &json!({}));
    let automatic = ["first_boot", "ach_unlock", "progress", "milestone"];
    for trigger in automatic {
        let item = make(&server, &json!({"game_id": id, "trigger": trigger, "capture": false}));
        assert_eq!(item["trigger"], trigger);
    }
    server.post("/api/settings", &json!({"moments_autocapture": false}));
    for trigger in automatic {
        let request = Request::post(MOMENTS, &json!({"game_id": id, "trigger": trigger}));
        refused(&server, &request, 400, "MOMENTS_AUTO_DISABLED");
    }
    for trigger in ["manual", "pause", "hotkey", "recap", "session_end"] {
        make(&server, &json!({"game_id": id, "trigger": trigger, "capture": false}));
    }
}

#[test]
fn a_game_goes_on_from_a_moment() {
    let server = with_programs(&[("mame", MAME)]).start();
    let id = add(&server, "pac.zip", "Arcade", &json!({}));
    let early = make(&server, &json!({"game_id": id}));
    assert_eq!(early["resume_state"], json!(null), "nothing is kept yet");
    let early = json!({"moment_id": early["moment_id"]});
    let resume = format!("{MOMENTS}/resume");
    refused(&server, &Request::post(&resume, &early), 404, "MOMENT_RESUME_MISSING");
    play(&server, &id);
    let without = make(&server, &json!({"game_id": id, "resume_state": false}));
    assert_eq!(without["resume_state"], json!(null));
    let item = make(&server, &json!({"game_id": id}));
    let state = &item["resume_state"];
    assert_eq!((&state["immutable"], &state["size"]), (&json!(true), &json!(2)));
    assert_eq!(state["adapter_id"], "mame-arcade");
    let file = server.data("resume_states").join(&id).join(state["file"].as_str().expect("a name"));
    assert_eq!(fs::read(&file).expect("a state"), b"1\n");
    for key in ["capture_id", "snapshot_id", "sha256", "captured_at", "emulator_version"] {
        assert!(state[key].as_str().is_some_and(|text| !text.is_empty()), "{key}");
    }
    play(&server, &id);
    let named = json!({"moment_id": item["moment_id"], "game_id": id});
    for _ in 0..2 {
        let reply = server.post(&resume, &named);
        assert_eq!((&reply["ok"], &reply["moment_id"]), (&json!(true), &item["moment_id"]));
        assert_eq!(reply["resumed_from_state"], true);
        ended(&server, reply["launch_id"].as_str().expect("an id"));
        let kept = server.data("resume_states").join(&id).join("pac/service-resume.sta");
        assert_eq!(fs::read(kept).expect("a state"), b"2\n", "one more than the moment");
        assert_eq!(fs::read(&file).expect("a state"), b"1\n", "the moment stays");
    }
    server.post("/api/settings", &json!({"quick_resume_enabled": false}));
    refused(&server, &Request::post(&resume, &named), 400, "QUICK_RESUME_DISABLED");
    server.post("/api/settings", &json!({"quick_resume_enabled": true}));
    fs::write(&file, "x").expect("written");
    refused(&server, &Request::post(&resume, &named), 400, "MOMENT_RESUME_INVALID");
    fs::remove_file(&file).expect("removed");
    refused(&server, &Request::post(&resume, &named), 400, "MOMENT_RESUME_INVALID");
    server.scratch().script("bin/mame", &format!("# new{MAME}"));
    refused(&server, &Request::post(&resume, &named), 400, "MOMENT_RESUME_STALE");
    let again = make(&server, &json!({"game_id": id}));
    assert_eq!(again["resume_state"], json!(null), "the kept state is stale");
    action(&server, "delete", &named);
}

#[test]
fn a_deleted_moment_comes_back_with_its_state() {
    let server = with_programs(&[("mame", MAME)]).start();
    let id = add(&server, "pac.zip", "Arcade", &json!({}));
    play(&server, &id);
    let item = make(&server, &json!({"game_id": id, "title": "Maze", "capture": false}));
    let other = make(&server, &json!({"game_id": id, "title": "Later", "capture": false}));
    let named = json!({"moment_id": item["moment_id"]});
    let name = item["resume_state"]["file"].as_str().expect("a state").to_owned();
    let file = server.data("resume_states").join(&id).join(name);
    action(&server, "delete", &named);
    assert!(!file.exists(), "the state went with it");
    refused(&server, &Request::post(&format!("{MOMENTS}/resume"), &named), 404, "MOMENT_NOT_FOUND");
    assert_eq!(action(&server, "restore", &named)["item"], item);
    assert_eq!(fs::read(&file).expect("a state"), b"1\n");
    let list = server.get(&format!("{MOMENTS}?game_id={id}"));
    assert_eq!(list["items"], json!([other, item]));
    let again = Request::post(&format!("{MOMENTS}/restore"), &named);
    refused(&server, &again, 404, "MOMENT_NOT_FOUND");
    for body in [json!({"moment_id": ""}), json!({"moment_id": 7})] {
        server.send(&Request::post(&format!("{MOMENTS}/restore"), &body)).expect(400);
    }
}

#[test]
fn the_gallery_has_the_moments_of_all_games_by_month() {
    let server = with_programs(&[]).start();
    assert_eq!(
        server.get(&format!("{MOMENTS}/gallery")),
        json!({"items": [], "total": 0, "months": [], "offset": 0, "limit": 100})
    );
    let ids = [add(&server, "a.nes", "NES", &json!({})), add(&server, "b.nes", "NES", &json!({}))];
    let times = ["2026-01-05T10:00:00Z", "2026-02-05T10:00:00Z", "2026-01-20T10:00:00Z"];
    for (at, time) in times.iter().enumerate() {
        let body = json!({"game_id": ids[at % 2], "created_at": time, "capture": false});
        make(&server, &body);
    }
    let page = server.get(&format!("{MOMENTS}/gallery?limit=2"));
    assert_eq!((&page["total"], &page["limit"]), (&json!(3), &json!(2)));
    let games: Vec<&Value> =
        page["items"].as_array().expect("items").iter().map(|item| &item["game_id"]).collect();
    assert_eq!(games, [&json!(ids[1]), &json!(ids[0])]);
    let months = json!([{"month": "2026-02", "count": 1}, {"month": "2026-01", "count": 2}]);
    assert_eq!(page["months"], months, "of all, not of the page");
    let rest = server.get(&format!("{MOMENTS}/gallery?offset=2"));
    assert_eq!(rest["items"].as_array().map(Vec::len), Some(1));
    for limit in ["x", "1.5"] {
        let request = Request::get(&format!("{MOMENTS}/gallery?limit={limit}"));
        server.send(&request).expect(400);
    }
    assert_eq!(server.get(&format!("{MOMENTS}/gallery?limit=501"))["limit"], 500);
}
