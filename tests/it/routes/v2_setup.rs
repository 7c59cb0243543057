//! `/api/v2/setup/preview`, its items, decisions and revalidation, and `GET /api/v2/setup/summary`.

use std::{
    fmt::Write as _, fs, io::Read as _, net::TcpListener, os::unix::ffi::OsStrExt as _, path::Path,
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    setup::{PREVIEW, begin, decide, games, items, scan, settled, titled},
    stream::job,
    wait::until,
};

#[track_caller]
fn refused(server: &Server, request: &Request, status: u16, code: &str, error: &str) {
    let reply = server.send(request).expect(status).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(error), &json!(code)));
}

fn post(path: &str, body: &Value) -> Request {
    Request::post(&format!("{PREVIEW}{path}"), body)
}

/// A service with some games in `roms`: two that are plain, one disc image, one without an emulator, one
/// script.
fn server() -> (Server, Value) {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("roms/a.nes", "NES");
    scratch.file("roms/b.gb", "GB");
    scratch.file("roms/disc.iso", "ISO");
    scratch.file("roms/odd.apk", "3DS");
    scratch.script("roms/run.sh", "exit 0");
    let sources = json!([{"type": "folder", "path": scratch.path("roms")}]);
    (server, sources)
}

fn id(preview: &Value) -> &str {
    preview["preview_id"].as_str().expect("an id")
}

#[test]
fn a_scan_tells_what_it_found_and_writes_nothing_to_the_library() {
    let (server, sources) = server();
    let before = fs::read(server.data("library.json")).unwrap_or_default();
    let begun = begin(&server, &sources);
    assert_eq!((&begun["revision"], &begun["state"]), (&json!(1), &json!("queued")));
    assert_eq!(id(&begun).len(), 32);
    let preview = settled(&server, id(&begun));
    assert_eq!(preview["state"], "ready");
    assert_eq!(
        (&preview["job_id"], &preview["expires_at"]),
        (&begun["job_id"], &begun["expires_at"])
    );
    assert_eq!(
        preview["counts"],
        json!({"additions": 3, "merges": 0, "duplicates": 0, "ambiguities": 1, "exclusions": 0,
            "unsupported": 1, "errors": 0})
    );
    assert_eq!((&preview["scanned_entries"], &preview["options"]), (&json!(5), &json!({})));
    assert_eq!(preview["message"], "Found 5 games \u{2014} 2 need your pick");
    assert_eq!(
        (&preview["revalidated"], &preview["import_batch_id"]),
        (&json!(false), &json!(null))
    );
    let source = &preview["sources"][0];
    assert_eq!((&source["type"], &source["label"]), (&json!("folder"), &json!("roms")));
    assert_eq!(source["path"], sources[0]["path"]);
    assert!(preview["library_signature"].as_str().is_some_and(|text| !text.is_empty()));
    assert_eq!(job(&server, begun["job_id"].as_str().expect("an id"))["type"], "setup.scan");

    assert!(games(&server).is_empty());
    assert_eq!(fs::read(server.data("library.json")).unwrap_or_default(), before);
    let file = server.data(format!("previews/{}.json", id(&preview)));
    assert_eq!(server.scratch().mode(file), 0o600);
}

#[test]
fn candidates_come_in_pages_with_what_is_known_of_them() {
    let (server, sources) = server();
    let preview = scan(&server, &sources);
    let id = id(&preview);
    let all = items(&server, id, 200);
    for limit in [1, 2, 5] {
        assert_eq!(items(&server, id, limit), all, "pages of {limit}");
    }
    let shown: Vec<_> = all
        .iter()
        .map(|item| {
            (
                item["detected_title"].as_str(),
                item["group"].as_str(),
                item["intended_action"].as_str(),
            )
        })
        .collect();
    let row = |title, group, action| (Some(title), Some(group), Some(action));
    assert_eq!(
        shown,
        [
            row("a", "additions", "import"),
            row("b", "additions", "import"),
            row("disc", "ambiguities", "review"),
            row("odd", "unsupported", "review"),
            row("run", "additions", "import"),
        ]
    );
    let (plain, disc, odd) = (&all[0], &all[2], &all[3]);
    assert_eq!((&plain["detected_platform"], &plain["warnings"]), (&json!("NES"), &json!([])));
    let choice = &plain["emulator_choices"][0];
    assert_eq!(
        (&choice["adapter_id"], &choice["recommended"]),
        (&json!("retroarch-nes"), &json!(true))
    );
    assert_eq!(choice["emulator_id"], choice["flatpak_app_id"]);
    for key in [
        "existing_game_target",
        "selected_emulator_id",
        "selected_adapter_id",
        "launch_setup",
        "merge_diff",
    ] {
        assert_eq!(plain[key], Value::Null, "{key}");
    }
    assert_eq!(plain["source"]["type"], "folder");
    assert_eq!(plain["candidate_id"].as_str().map(str::len), Some(24));
    let ambiguous =
        json!([{"code": "AMBIGUOUS_PLATFORM", "message": "Platform could not be determined."}]);
    assert_eq!((&disc["detected_platform"], &disc["warnings"]), (&Value::Null, &ambiguous));
    assert!(disc["platform_choices"].as_array().expect("a list").contains(&json!("PSP")));
    let unsupported =
        json!([{"code": "UNSUPPORTED", "message": "No registry adapters for platform."}]);
    assert_eq!((&odd["warnings"], &odd["emulator_choices"]), (&unsupported, &json!([])));
}

#[test]
fn a_cursor_belongs_to_its_preview() {
    let (server, sources) = server();
    let preview = scan(&server, &sources);
    let id = id(&preview);
    let all = items(&server, id, 200);
    let odd = titled(&all, "odd");
    let page = |query: &str| format!("{PREVIEW}/items?preview_id={id}{query}");
    let first = server.get(&page("&limit=2"));
    let next = first["next_cursor"].as_str().expect("more");
    assert_eq!(first["cursor"], Value::Null);
    assert_eq!(server.get(&page(&format!("&limit=0&cursor={next}")))["items"], json!([all[2]]));
    assert_eq!(server.get(&page("&limit=1000"))["items"].as_array().map(Vec::len), Some(5));
    assert_eq!(server.get(&page("&group=unsupported"))["items"], json!([odd]));
    for (query, status, code, error) in [
        ("&limit=x", 400, "BAD_REQUEST", "limit must be an integer."),
        ("&group=all", 400, "BAD_REQUEST", "Unknown group."),
        ("&cursor=x", 409, "PREVIEW_STALE", "Cursor is invalid or stale."),
        ("&cursor=e30", 409, "PREVIEW_STALE", "Cursor is invalid or stale."),
    ] {
        refused(&server, &Request::get(&page(query)), status, code, error);
    }
    let other = scan(&server, &sources);
    let target = format!("{PREVIEW}/items?preview_id={}&cursor={next}", self::id(&other));
    refused(&server, &Request::get(&target), 409, "PREVIEW_STALE", "Cursor is invalid or stale.");
    let forged = format!("{{\"preview_id\":\"{id}\",\"revision\":2,\"offset\":0}}");
    let forged = base64(forged.as_bytes());
    let text = "Cursor is bound to a different preview revision.";
    refused(
        &server,
        &Request::get(&page(&format!("&cursor={forged}"))),
        409,
        "PREVIEW_STALE",
        text,
    );
}

/// The URL-safe form without padding.
fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let mut bits = [0_u8; 3];
        bits[..three.len()].copy_from_slice(three);
        let number = u32::from_be_bytes([0, bits[0], bits[1], bits[2]]);
        for at in 0..=three.len() {
            let letter = number >> (18 - 6 * at) & 63;
            text.push(char::from(LETTERS[letter as usize]));
        }
    }
    text
}

#[test]
fn what_is_wrong_with_a_request_is_told_before_anything_happens() {
    let server = Server::start();
    for sources in [json!(null), json!([]), json!({}), json!("folder")] {
        let text = "sources must be a non-empty array.";
        refused(&server, &post("", &json!({"sources": sources})), 400, "BAD_REQUEST", text);
    }
    for options in [json!([]), json!("x"), json!(1)] {
        let body = json!({"sources": [{"type": "wrapper"}], "options": options});
        refused(&server, &post("", &body), 400, "BAD_REQUEST", "options must be an object.");
    }
    let gone = "0".repeat(32);
    for (path, body) in [("/decisions", json!({"items": []})), ("/revalidate", json!({}))] {
        refused(&server, &post(path, &body), 400, "BAD_REQUEST", "preview_id is required.");
        let mut body = body;
        body["preview_id"] = json!(gone);
        refused(&server, &post(path, &body), 404, "PREVIEW_NOT_FOUND", "Preview not found.");
    }
    for path in ["", "/items"] {
        let get = |query: &str| Request::get(&format!("{PREVIEW}{path}{query}"));
        refused(&server, &get(""), 400, "BAD_REQUEST", "preview_id is required.");
        for id in [gone.as_str(), "x", "..%2Flibrary", &"z".repeat(32)] {
            let query = format!("?preview_id={id}");
            refused(&server, &get(&query), 404, "PREVIEW_NOT_FOUND", "Preview not found.");
        }
    }
    assert!(!server.data("previews").exists(), "nothing was begun");
}

#[test]
fn a_bad_source_fails_the_job_and_a_missing_one_is_told() {
    let server = Server::start();
    for (source, error) in [
        (json!({"type": "tape"}), "Unsupported source type: tape"),
        (json!({"type": "folder"}), "path is required for folder sources."),
        (json!({"type": "console-x", "path": ""}), "path is required for console-x sources."),
        (json!({"type": "arcade"}), "path is required for arcade sources."),
        (json!({"type": "files"}), "paths are required for files sources."),
        (json!({"type": "files", "paths": []}), "paths are required for files sources."),
    ] {
        let preview = scan(&server, &json!([{"type": "wrapper"}, source]));
        assert_eq!((&preview["state"], &preview["message"]), (&json!("error"), &json!(error)));
        let job = job(&server, preview["job_id"].as_str().expect("an id"));
        assert_eq!((&job["error"], &job["state"]), (&json!(error), &json!("error")));
        assert!(items(&server, id(&preview), 50).is_empty());
        let revalidate = post("/revalidate", &json!({"preview_id": id(&preview)}));
        let text = "The scan of the preview has not finished.";
        refused(&server, &revalidate, 409, "CONFLICT", text);
        let body = json!({"sources": [{"type": "wrapper"}], "replaces": id(&preview)});
        let next = server.send(&post("", &body)).expect(202).json();
        let query = format!("{PREVIEW}?preview_id={}", id(&preview));
        refused(&server, &Request::get(&query), 404, "PREVIEW_NOT_FOUND", "Preview not found.");
        settled(&server, id(&next));
        server.send(&post("", &json!({"sources": [{"type": "wrapper"}], "replaces": id(&next)})));
    }
    server.scratch().file("here.nes", "x");
    let here = server.scratch().path("here.nes");
    let sources = json!([
        {"type": "folder", "path": "/no/such/folder", "label": "Card"},
        {"type": "files", "paths": [here, "/no/such.nes", "relative.nes"]},
    ]);
    let preview = scan(&server, &sources);
    assert_eq!((&preview["state"], &preview["counts"]["errors"]), (&json!("ready"), &json!(3)));
    assert_eq!(preview["sources"][0]["error"], "Folder does not exist.");
    assert_eq!(preview["sources"][0]["label"], "Card");
    assert_eq!(preview["sources"][1]["error"], "2 files do not exist.");
    assert_eq!(preview["counts"]["additions"], 1);
}

#[test]
fn ten_previews_live_a_day() {
    let mut server = Server::start();
    let sources = json!([{"type": "wrapper"}]);
    let previews: Vec<Value> = (0..10).map(|_| scan(&server, &sources)).collect();

    server.stop();
    let file = server.data(format!("previews/{}.json", id(&previews[0])));
    let text = String::from_utf8(fs::read(&file).expect("a document")).expect("text");
    let end = previews[0]["expires_at"].as_str().expect("a time");
    fs::write(&file, text.replace(end, "2001-01-01T00:00:00Z")).expect("written");
    server.restart();
    let gone = "Preview has expired.";
    let over = id(&previews[0]);
    let query = format!("?preview_id={over}");
    for path in ["", "/items"] {
        let request = Request::get(&format!("{PREVIEW}{path}{query}"));
        refused(&server, &request, 409, "PREVIEW_EXPIRED", gone);
    }
    for path in ["/decisions", "/revalidate"] {
        let request = post(path, &json!({"preview_id": over, "items": [{}]}));
        refused(&server, &request, 409, "PREVIEW_EXPIRED", gone);
    }
    let commit = json!({"preview_id": over, "revision": 1, "emulator_choices": []});
    refused(&server, &Request::post("/api/v2/setup/commit", &commit), 409, "PREVIEW_EXPIRED", gone);
    let candidate = json!({"candidate_id": "c", "preview_id": over, "path": null, "platform": null,
        "emulator_id": null, "adapter_id": null, "archive_member": null});
    let preflight = Request::post("/api/v2/launch/preflight", &json!({"candidate": candidate}));
    refused(&server, &preflight, 400, "PREVIEW_EXPIRED", gone);

    let kept = server.get(&format!("{PREVIEW}?preview_id={}", id(&previews[1])));
    assert_eq!((&kept["state"], &kept["counts"]), (&json!("ready"), &previews[1]["counts"]));
    scan(&server, &sources);
    let is_there = |preview: &&Value| {
        let target = format!("{PREVIEW}?preview_id={}", id(preview));
        server.send(&Request::get(&target)).status == 200
    };
    assert_eq!(previews.iter().filter(is_there).count(), 9);
    // An eleventh takes the place of an abandoned one.
    let newest = scan(&server, &sources);
    assert!(is_there(&&newest));
    assert_eq!(previews.iter().filter(is_there).count(), 8);
}

#[test]
fn decisions_are_checked_as_a_page_and_remembered() {
    let (mut server, sources) = server();
    let preview = scan(&server, &sources);
    let preview_id = id(&preview);
    let all = items(&server, preview_id, 50);
    let candidate = &titled(&all, "disc")["candidate_id"];
    let good = json!({"candidate_id": candidate, "action": "skip"});
    let send =
        |items: Value| post("/decisions", &json!({"preview_id": preview_id, "items": items}));
    for (items, code, error) in [
        (json!(null), "BAD_REQUEST", "items must be a non-empty array."),
        (json!([]), "BAD_REQUEST", "items must be a non-empty array."),
        (
            vec![good.clone(); 201].into(),
            "BAD_REQUEST",
            "At most 200 decisions are allowed per request.",
        ),
        (
            json!([good, {"candidate_id": "x", "action": "skip"}]),
            "INVALID_DECISION",
            "Unknown candidate_id: x",
        ),
        (
            json!([good, {"candidate_id": candidate, "action": "eat"}]),
            "INVALID_DECISION",
            "Invalid decision action.",
        ),
        (
            json!([good, {"candidate_id": candidate, "action": "merge"}]),
            "INVALID_DECISION",
            "merge_target is required for merge decisions.",
        ),
        (
            json!([good, {"candidate_id": candidate, "action": "import", "launch_setup": "adapter"}]),
            "INVALID_DECISION",
            "adapter launch_setup requires emulator_id and adapter_id.",
        ),
    ] {
        refused(&server, &send(items), 400, code, error);
    }
    assert_eq!(items(&server, preview_id, 50), all, "a refused page changes nothing");
    let whole = server.send(&send(vec![good; 200].into())).expect(200).json();
    assert_eq!(whole, json!({"preview_id": preview_id, "accepted": 200}));
    let chosen = json!({"action": "import", "launch_setup": "adapter", "platform": "PSP",
        "emulator_id": "org.ppsspp.PPSSPP", "adapter_id": "ppsspp-psp"});
    decide(&server, preview_id, &all, &[("disc", chosen)]);
    let check = |server: &Server| {
        let all = items(server, preview_id, 50);
        let disc = titled(&all, "disc");
        assert_eq!(
            disc["decision"],
            json!({"action": "import", "merge_target": null, "platform": "PSP"})
        );
        assert_eq!(disc["selected_adapter_id"], "ppsspp-psp");
        assert_eq!(disc["selected_emulator_id"], "org.ppsspp.PPSSPP");
        assert_eq!(disc["launch_setup"], "adapter");
        assert_eq!(disc["emulator_choices"][0]["adapter_id"], "ppsspp-psp");
        assert_eq!(titled(&all, "a")["decision"], Value::Null);
    };
    check(&server);
    server.kill();
    server.restart();
    check(&server);
    assert_eq!(server.get(&format!("{PREVIEW}?preview_id={preview_id}"))["revision"], 1);
}

#[test]
fn two_clients_that_decide_at_once_lose_nothing() {
    let server = Server::start();
    for number in 0..400 {
        server.scratch().file(format!("roms/{number:03}.nes"), "x");
    }
    let sources = json!([{"type": "folder", "path": server.scratch().path("roms")}]);
    let preview = scan(&server, &sources);
    let all = items(&server, id(&preview), 200);
    std::thread::scope(|scope| {
        for half in all.chunks(200) {
            let (server, preview) = (&server, &preview);
            scope.spawn(move || {
                for ten in half.chunks(10) {
                    let page: Vec<Value> = ten
                        .iter()
                        .map(|item| json!({"candidate_id": item["candidate_id"], "action": "skip"}))
                        .collect();
                    let body = json!({"preview_id": id(preview), "items": page});
                    server.post(&format!("{PREVIEW}/decisions"), &body);
                }
            });
        }
    });
    let decided = items(&server, id(&preview), 200);
    assert!(decided.iter().all(|item| item["decision"]["action"] == "skip"));
}

/// Refreshes a preview; returns the document of the job and the preview.
#[track_caller]
fn revalidate(server: &Server, preview_id: &str) -> (Value, Value) {
    let begun = server.send(&post("/revalidate", &json!({"preview_id": preview_id})));
    let begun = begun.expect(202).json();
    assert_eq!((&begun["revision"], &begun["preview_id"]), (&json!(1), &json!(preview_id)));
    let preview = settled(server, preview_id);
    (job(server, begun["job_id"].as_str().expect("an id")), preview)
}

#[test]
fn what_changed_since_the_scan_is_noticed() {
    let (server, sources) = server();
    let preview = scan(&server, &sources);
    let (done, preview) = revalidate(&server, id(&preview));
    assert_eq!((&done["state"], &done["type"]), (&json!("done"), &json!("setup.revalidate")));
    assert_eq!((&preview["state"], &preview["revalidated"]), (&json!("ready"), &json!(true)));

    let stale = "Source fingerprints changed since preview was created.";
    let scratch = server.scratch();
    let changes: [(&str, &dyn Fn()); 3] = [
        ("a new file", &|| drop(scratch.file("roms/deep/c.nes", "x"))),
        ("a changed file", &|| drop(scratch.file("roms/a.nes", "longer than before"))),
        ("a missing file", &|| fs::remove_file(scratch.path("roms/b.gb")).expect("removed")),
    ];
    for (what, change) in changes {
        let preview = scan(&server, &sources);
        change();
        let (failed, preview) = revalidate(&server, id(&preview));
        assert_eq!(
            (&failed["state"], &failed["error"]),
            (&json!("error"), &json!(stale)),
            "{what}"
        );
        assert_eq!(failed["error_detail"]["code"], "PREVIEW_STALE");
        assert_eq!((&preview["state"], &preview["revalidated"]), (&json!("error"), &json!(false)));
    }
    let preview = scan(&server, &sources);
    scratch.file("roms/notes.txt", "no game");
    assert_eq!(
        revalidate(&server, id(&preview)).0["state"],
        "done",
        "what is no game does not count"
    );
    server
        .post("/api/game", &json!({"game": {"name": "Mine", "path": scratch.path("roms/run.sh")}}));
    let (failed, _) = revalidate(&server, id(&preview));
    assert_eq!(failed["error"], "Library changed since preview was created.");
    assert_eq!(failed["error_detail"]["code"], "PREVIEW_LIBRARY_CHANGED");
}

#[test]
fn hostile_trees_are_read_to_their_end() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("roms/good.nes", "x");
    scratch.file("roms/line\nbreak \u{1b}[31m.nes", "x");
    let inner = scratch.folder("roms/loop");
    std::os::unix::fs::symlink(scratch.path("roms"), inner.join("again")).expect("linked");
    std::os::unix::fs::symlink("nowhere.nes", scratch.path("roms/dangling.nes")).expect("linked");
    let bad = Path::new(std::ffi::OsStr::from_bytes(b"bad\xff.nes"));
    fs::write(scratch.path("roms").join(bad), b"x").expect("written");
    let sources = json!([{"type": "folder", "path": scratch.path("roms")}]);
    let preview = scan(&server, &sources);
    assert_eq!(preview["counts"]["additions"], 2);
    assert_eq!(preview["counts"]["errors"], 1, "a name that is no text is counted");
    let all = items(&server, id(&preview), 50);
    titled(&all, "line break [31m");
}

#[test]
fn too_many_candidates_are_refused() {
    let setup = Setup::new();
    let mut list = String::from("<datafile>");
    for number in 0..100_001 {
        write!(list, "<machine name=\"m{number}\" cloneof=\"pac\"/>").expect("written");
    }
    list.push_str("<machine name=\"pac\"/></datafile>");
    let dat = setup.scratch().file("sets.dat", list);
    let pac = setup.scratch().file("sets/pac.zip", "PK");
    let server = setup.start();
    let folder = pac.parent().expect("a folder");
    let sources = json!([{"type": "arcade", "path": folder, "dat_path": dat}]);
    let preview = scan(&server, &sources);
    let failed = job(&server, preview["job_id"].as_str().expect("an id"));
    assert_eq!(failed["error"], "Preview cannot exceed 100000 entries.");
    assert_eq!(failed["error_detail"]["code"], "PREVIEW_ENTRY_LIMIT_EXCEEDED");
    assert_eq!(preview["state"], "error");
}

#[test]
fn a_candidate_is_looked_at_like_a_game() {
    let (server, sources) = server();
    let preview = scan(&server, &sources);
    let all = items(&server, id(&preview), 50);
    let candidate = |title: &str, platform: Value, adapter: Value| {
        json!({"candidate": {"candidate_id": titled(&all, title)["candidate_id"],
            "preview_id": id(&preview), "path": null, "platform": platform, "emulator_id": null,
            "adapter_id": adapter, "archive_member": null}})
    };
    let preflight = |body: &Value| server.post("/api/v2/launch/preflight", body);
    let script = preflight(&candidate("run", json!(null), json!(null)));
    assert_eq!(script["candidate_id"], titled(&all, "run")["candidate_id"]);
    assert_eq!(
        (&script["game_id"], &script["resolved"]["argv_preview"][0]),
        (&Value::Null, &json!("bash"))
    );
    let codes = |result: &Value| -> Vec<String> {
        let checks = result["checks"].as_array().expect("checks");
        checks.iter().map(|check| check["code"].as_str().expect("a code").to_owned()).collect()
    };
    let disc = preflight(&candidate("disc", json!(null), json!(null)));
    assert!(codes(&disc).contains(&"AMBIGUOUS_PLATFORM".to_owned()), "{disc}");
    assert_eq!(disc["status"], "blocked");
    let named = preflight(&candidate("disc", json!("PSP"), json!("no-such")));
    assert!(codes(&named).contains(&"ADAPTER_UNKNOWN".to_owned()), "{named}");
    let mut blocked = candidate("disc", json!(null), json!(null));
    blocked["fail_on_blocked"] = json!(true);
    let reply =
        server.send(&Request::post("/api/v2/launch/preflight", &blocked)).expect(409).json();
    assert_eq!(reply["code"], "LAUNCH_PREFLIGHT_BLOCKED");
    let items = json!([
        candidate("run", json!(null), json!(null)),
        candidate("disc", json!(null), json!(null))
    ]);
    let batch = server.post("/api/v2/launch/preflight/batch", &json!({"items": items}));
    assert_eq!(batch["totals"]["blocked"], 1);
    assert_eq!(batch["results"][1]["candidate_id"], titled(&all, "disc")["candidate_id"]);
}

#[test]
fn the_summary_tells_what_to_do_next() {
    let (server, sources) = server();
    let summary = server.get("/api/v2/setup/summary");
    assert_eq!(
        summary,
        json!({"library_count": 0,
            "source_coverage": [{"source_id": "library", "label": "Library", "game_count": 0, "coverage_percent": 0.0}],
            "metadata_match_percent": 0.0, "media_gaps": 0, "duplicate_count": 0, "missing_paths": 0,
            "emulator_readiness": {"ready": 0, "warning": 0, "blocked": 0, "unknown": 0},
            "active_operations": 0,
            "next_action": {"id": "add_sources", "label": "Add game sources", "step": 2}})
    );
    let folder = &sources[0]["path"];
    server.post("/api/import", &json!({"folder": folder}));
    let summary = server.get("/api/v2/setup/summary");
    assert_eq!((&summary["library_count"], &summary["media_gaps"]), (&json!(5), &json!(5)));
    assert_eq!(summary["source_coverage"][0]["coverage_percent"], 100.0);
    assert_eq!(
        summary["emulator_readiness"],
        json!({"ready": 1, "warning": 0, "blocked": 2, "unknown": 2})
    );
    assert_eq!(summary["next_action"]["id"], "fix_launch");
    assert_eq!(summary["missing_paths"], 0);
}

#[test]
fn a_named_file_of_unknown_type_is_imported_without_a_player() {
    let server = Server::start();
    let file = server.scratch().file("x/thing.xyz", "x");
    let preview = scan(&server, &json!([{"type": "files", "paths": [file]}]));
    let all = items(&server, preview["preview_id"].as_str().expect("an id"), 10);
    let [item] = &*all else { panic!("one candidate: {all:?}") };
    assert_eq!(
        (&item["detected_platform"], &item["group"], &item["intended_action"]),
        (&json!("Imported"), &json!("unsupported"), &json!("review"))
    );
}

#[test]
fn a_scan_that_waits_for_the_library_server_is_cancelled_before_the_server_answers() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("an address");
    let server = Server::start();
    server.post("/api/settings", &json!({"libserver_url": format!("http://{address}")}));
    let sources = json!({"sources": [{"type": "libserver"}]});
    let begun = server.send(&post("", &sources)).expect(202).json();
    let (mut asked, _) = silent.accept().expect("a request");
    let cancel = json!({"job_id": begun["job_id"]});
    server.send(&Request::post("/api/v2/jobs/cancel", &cancel)).expect(202);
    until("the end of the job", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].as_array().expect("a list").clone();
        let is_over = |job: &Value| job["job_id"] == begun["job_id"] && job["state"] == "cancelled";
        jobs.into_iter().find(is_over)
    });
    asked.set_nonblocking(true).expect("set");
    let end = asked.read_to_end(&mut Vec::new()).expect_err("the request is still open");
    assert_eq!(end.kind(), std::io::ErrorKind::WouldBlock);
}
