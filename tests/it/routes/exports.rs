//! `POST /api/v2/library/export`, `GET /api/v2/library/export/exports` and `/download`.

use serde_json::{Value, json};

use crate::support::{
    client::{Request, encode},
    server::{Server, Setup},
    stream::{Stream, job, started},
};

const EXPORT: &str = "/api/v2/library/export";

fn server() -> Server {
    let games = json!([
        {"game_id": "game-a", "name": "Ä, \"one\"", "platform": "NES", "cover": "/m/a.png",
         "alternate_names": ["Uno", "Eins"], "rating": 4.5, "favorite": true},
        {"game_id": "game-b", "name": "Two", "platform": "SNES", "path": "/roms/two.sfc"},
        {"game_id": "game-c", "name": "Three", "platform": "nes"},
    ]);
    let playlists = json!([
        {"name": "Manual", "type": "manual", "members": ["game-c", "game-a"]},
        {"name": "Rules", "type": "filter", "rules": {"platform": "NES"}},
    ]);
    let settings = json!({"libserver_password": "hunter22", "webhooks": [{"secret": "hunter22"}]});
    let library = json!({
        "schema_version": 6, "games": games, "playlists": playlists, "settings": settings,
        "history": [{"game": "Two"}],
    });
    Setup::new().library(&library.to_string()).start()
}

/// Exports and returns the name and the text of the file.
#[track_caller]
fn export(server: &Server, body: &Value) -> (String, String) {
    let mut stream = Stream::open(server);
    let id = started(server, EXPORT, body);
    let document = stream.job_end(server, &id);
    assert_eq!(document["state"], "done", "{document}");
    let name = document["result"]["file"].as_str().expect("a name").to_owned();
    let reply = server.send(&Request::get(&download(&name))).expect(200);
    let kind = if body["format"] == "csv" { "text/csv; charset=utf-8" } else { "application/json" };
    assert_eq!(reply.header("Content-Type"), Some(kind));
    let attachment = format!("attachment; filename=\"{name}\"");
    assert_eq!(reply.header("Content-Disposition"), Some(attachment.as_str()));
    (name, reply.text())
}

fn download(name: &str) -> String {
    format!("{EXPORT}/download?file={}", encode(name))
}

#[track_caller]
fn games(text: &str) -> Vec<Value> {
    let export: Value = serde_json::from_str(text).expect("json");
    let games = export["games"].as_array().expect("a list").clone();
    assert_eq!(export["count"], games.len());
    games
}

#[track_caller]
fn refused(server: &Server, body: &Value, message: &str) {
    let reply = server.send(&Request::post(EXPORT, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

#[test]
fn a_json_export_holds_game_fields_and_nothing_secret() {
    let server = server();
    let (name, text) = export(&server, &json!({"format": "json", "scope": "all"}));
    assert!(name.starts_with("service-library-") && name.contains(".json"));
    let games = games(&text);
    assert_eq!(games.len(), 3);
    assert_eq!((&games[0]["name"], &games[0]["rating"]), (&json!("Ä, \"one\""), &json!(4.5)));
    assert_eq!(games[0]["alternate_names"], json!(["Uno", "Eins"]));
    for hidden in ["hunter22", "/m/a.png", "webhook", "history", "/roms/two.sfc"] {
        assert!(!text.contains(hidden), "{hidden}");
    }
    assert_eq!(server.scratch().mode(format!("data/exports/{name}")), 0o600);
    let with_media = json!({"format": "json", "scope": "all", "include_media_paths": true});
    assert!(export(&server, &with_media).1.contains("/m/a.png"));
}

#[test]
fn scopes_narrow_an_export() {
    let server = server();
    let ids = |scope: &str, name: &str| {
        let body = json!({"format": "json", "scope": scope, "scope_name": name});
        let games = games(&export(&server, &body).1);
        games.iter().map(|game| game["game_id"].as_str().unwrap_or("")[5..].to_owned()).collect()
    };
    let check = |scope: &str, name: &str, expected: &str| {
        let ids: Vec<String> = ids(scope, name);
        assert_eq!(ids.concat(), expected, "{scope} {name}");
    };
    check("platform", "NES", "ac");
    check("platform", "Unheard of", "");
    check("playlist", "Manual", "ca");
    check("playlist", "Rules", "");
}

#[test]
fn a_csv_export_has_the_same_columns() {
    let server = server();
    let body = json!({"format": "csv", "scope": "playlist", "scope_name": "Manual"});
    let (_, text) = export(&server, &body);
    let lines: Vec<_> = text.trim_end().split("\r\n").collect();
    assert!(lines[0].starts_with("game_id,name,sort_title,alternate_names,manual_entry,platform,"));
    assert!(lines[1].starts_with("game-c,Three,,,"));
    assert!(lines[2].starts_with("game-a,\"Ä, \"\"one\"\"\",,Uno;Eins,,NES,"));
    assert_eq!(lines.len(), 3);
}

#[test]
fn a_bad_request_is_refused_before_a_job_exists() {
    let server = server();
    let format = "Export format must be json or csv.";
    let scope = "Export scope must be all, platform, or playlist.";
    refused(&server, &json!({}), format);
    refused(&server, &json!({"format": "xml", "scope": "all"}), format);
    refused(&server, &json!({"format": "csv", "scope": "games"}), scope);
    for name in ["platform", "playlist"] {
        let message = format!("Export scope {name} requires a name.");
        refused(&server, &json!({"format": "csv", "scope": name}), &message);
        refused(&server, &json!({"format": "csv", "scope": name, "scope_name": " "}), &message);
    }
    assert_eq!(server.get("/api/v2/jobs")["jobs"], json!([]));
}

#[test]
fn an_unknown_playlist_fails_the_job() {
    let server = server();
    let mut stream = Stream::open(&server);
    let body = json!({"format": "csv", "scope": "playlist", "scope_name": "Nobody's"});
    let id = started(&server, EXPORT, &body);
    let document = stream.job_end(&server, &id);
    assert_eq!((&document["state"], &document["can_retry"]), (&json!("error"), &json!(true)));
    assert_eq!(document["error"], "Playlist not found: Nobody's");
    assert_eq!(document["metadata"]["scope_name"], "Nobody's");
    let history = &server.get("/api/jobs")["history"][0];
    assert_eq!(history["error"]["message"], "Playlist not found: Nobody's");
    assert_eq!((&history["name"], &history["attempt"]), (&json!("library-export"), &json!(1)));
}

#[test]
fn the_newest_ten_are_listed_and_kept() {
    let server = server();
    assert_eq!(server.get(&format!("{EXPORT}/exports")), json!({"exports": []}));
    let body = json!({"format": "csv", "scope": "all"});
    let mut names: Vec<_> = (0..12).map(|_| export(&server, &body).0).collect();
    let reply = server.get(&format!("{EXPORT}/exports"));
    let listed = reply["exports"].as_array().expect("a list");
    names.drain(..2);
    names.reverse();
    let shown: Vec<_> = listed.iter().map(|file| file["name"].as_str().unwrap_or("")).collect();
    assert_eq!(shown, names);
    let size = server.scratch().read(format!("data/exports/{}", names[0])).len();
    assert_eq!(listed[0]["size"], size);
    assert!(listed[0]["created"].as_str().is_some_and(|text| text.ends_with("+00:00")));
}

#[test]
fn only_exports_are_downloaded() {
    let server = server();
    server.scratch().file("data/exports/service-library-x.json", "{}");
    server.scratch().file("data/exports/other.json", "{}");
    for name in [
        "",
        "service-library-20260101-000000.json",
        "service-library-x.json",
        "other.json",
        "../library.json",
        "/etc/passwd",
        "..%2flibrary.json",
        "service-library-20260101-000000.json\0",
    ] {
        let reply = server.send(&Request::get(&download(name))).expect(404).json();
        assert_eq!(reply["error"], "export not found", "{name:?}");
    }
    server.send(&Request::get(&format!("{EXPORT}/download"))).expect(404);
}

#[test]
fn a_finished_export_is_neither_cancelled_nor_resumed() {
    let server = server();
    let mut stream = Stream::open(&server);
    let id = started(&server, EXPORT, &json!({"format": "csv", "scope": "all"}));
    stream.job_end(&server, &id);
    for (verb, code, word) in [
        ("cancel", "JOB_NOT_CANCELLABLE", "cancelled"),
        ("retry", "JOB_STATE_CONFLICT", "retried"),
        ("resume", "JOB_NOT_RESUMABLE", "resumed"),
    ] {
        let request = Request::post(&format!("/api/v2/jobs/{verb}"), &json!({"job_id": id}));
        let reply = server.send(&request).expect(409).json();
        let message = format!("Operation {id} cannot be {word}.");
        assert_eq!((&reply["code"], &reply["error"]), (&json!(code), &json!(message)));
    }
    assert_eq!(job(&server, &id)["state"], "done");
}

#[test]
fn a_list_for_front_ends_is_made_and_read_again() {
    let server = server();
    let mut stream = Stream::open(&server);
    let id = started(&server, "/api/v2/library/export/gamelist", &json!({"platform": "snes"}));
    let document = stream.job_end(&server, &id);
    assert_eq!(document["state"], "done", "{document}");
    assert_eq!(document["result"]["count"], 1);
    let name = document["result"]["file"].as_str().expect("a name").to_owned();
    assert!(name.starts_with("service-library-"), "{name}");
    let reply = server.send(&Request::get(&download(&name))).expect(200);
    assert_eq!(reply.header("Content-Type"), Some("application/xml"));
    let text = reply.text();
    assert!(text.contains("<path>/roms/two.sfc</path>\n\t\t<name>Two</name>"), "{text}");
    assert_eq!(server.get("/api/v2/library/export/exports")["exports"][0]["name"], name.as_str());
    let path = server.data("exports").join(&name);
    let preview = server.post("/api/v2/import/frontend/preview", &json!({"xml_path": path}));
    assert_eq!(preview["counts"]["found"], 1, "{preview}");
    for (format, content, kind) in [
        ("pegasus", "game: Two\nfile: /roms/two.sfc\n", "text/plain; charset=utf-8"),
        ("lpl", "\"label\":\"Two\"", "application/json"),
    ] {
        let body = json!({"platform": "snes", "format": format});
        let id = started(&server, "/api/v2/library/export/gamelist", &body);
        let document = stream.job_end(&server, &id);
        let name = document["result"]["file"].as_str().expect("a name").to_owned();
        let reply = server.send(&Request::get(&download(&name))).expect(200);
        assert_eq!(reply.header("Content-Type"), Some(kind));
        let text = reply.text();
        assert!(text.contains(content), "{text}");
        if format == "lpl" {
            let path = server.data("exports").join(&name);
            let preview =
                server.post("/api/v2/import/frontend/preview", &json!({"xml_path": path}));
            assert_eq!(preview["counts"]["merged"], 1, "{preview}");
        }
    }
    // Games without a file cannot stand in such a list.
    let id = started(&server, "/api/v2/library/export/gamelist", &json!({"platform": "NES"}));
    assert_eq!(stream.job_end(&server, &id)["result"]["count"], 0);
    for (body, expected) in [
        (json!({}), "Export platform is required."),
        (json!({"platform": "  "}), "Export platform is required."),
        (
            json!({"platform": "NES", "format": "csv"}),
            "List format must be gamelist, pegasus or lpl.",
        ),
        (
            json!({"platform": "NES", "include_media_paths": "yes"}),
            "include_media_paths must be true or false.",
        ),
    ] {
        let request = Request::post("/api/v2/library/export/gamelist", &body);
        assert_eq!(server.send(&request).expect(400).json()["error"], expected, "{body}");
    }
}
