//! `/api/document`, `/api/platform/document` and `/api/platform/documents`.

use std::{os::unix::fs::symlink, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::{Reply, Request},
    server::{Server, Setup},
};

#[track_caller]
fn missing(server: &Server, target: &str, code: &str, message: &str) {
    let reply = server.send(&Request::get(target)).expect(404).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!(code)), "{target}");
}

#[track_caller]
fn refused(server: &Server, body: &Value, message: &str) {
    let reply = server.send(&Request::post("/api/platform/documents", body)).expect(400).json();
    assert_eq!(
        (&reply["error"], &reply["code"]),
        (&json!(message), &json!("BAD_REQUEST")),
        "{body}"
    );
}

/// A game whose record came from elsewhere, with documents of which most must not be served.
fn with_documents() -> (Server, String) {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let text = scratch.file("docs/Größe \"1\".txt", "0123456789");
    let page = scratch.file("docs/page.html", "<script>1</script>");
    symlink(&text, scratch.path("docs/link.txt")).expect("a link");
    symlink(scratch.path("docs"), scratch.path("way")).expect("a link");
    let paths = [
        text,
        page,
        scratch.path("docs/link.txt"),
        scratch.path("way/page.html"),
        scratch.path("docs"),
        scratch.path("docs/gone.txt"),
        scratch.file("docs/config", ""),
        scratch.file("docs/.env.txt", ""),
        scratch.path("data/library.json"),
        scratch.path("data/server.token"),
        scratch.file("data/state.txt", ""),
        scratch.path("data/../data/state.txt"),
        "/etc/passwd".into(),
        "/proc/self/environ".into(),
    ];
    let documents: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
    let game = json!({"game_id": "game-a", "name": "A", "path": scratch.file("a.sh", ""),
        "documents": documents});
    let library = json!({"games": [game], "settings": {"platform_documents": {"NES": documents}}});
    (setup.library(&library.to_string()).start(), "game-a".to_owned())
}

#[track_caller]
fn check_text(reply: &Reply) {
    assert_eq!(reply.text(), "0123456789");
    assert_eq!(reply.header("Content-Type"), Some("text/plain"));
    assert_eq!(reply.header("Cache-Control"), Some("private, no-cache"));
    let name = "inline; filename=\"Gr__e _1_.txt\"; filename*=UTF-8''Gr%C3%B6%C3%9Fe%20%221%22.txt";
    assert_eq!(reply.header("Content-Disposition"), Some(name));
}

#[test]
fn a_document_is_served_and_a_link_is_not() {
    let (server, id) = with_documents();
    check_text(
        &server.send(&Request::get(&format!("/api/document?game_id={id}&index=0"))).expect(200),
    );
    let target = "/api/document?id=0&index=0";
    let reply = server.send(&Request::get(target)).expect(200);
    check_text(&reply);
    let etag = reply.header("ETag").expect("a tag").to_owned();
    server.send(&Request::get(target).header("If-None-Match", &etag)).expect(304);
    let part = server.send(&Request::get(target).header("Range", "bytes=2-4")).expect(206);
    assert_eq!(
        (part.text(), part.header("Content-Range")),
        ("234".to_owned(), Some("bytes 2-4/10"))
    );
    server.send(&Request::get(target).header("Range", "bytes=10-")).expect(416);
    let page = server.send(&Request::get("/api/document?id=0&index=1")).expect(200);
    assert_eq!(page.header("Content-Security-Policy"), Some("sandbox"));
    for index in 2..15 {
        let target = format!("/api/document?id=0&index={index}");
        missing(&server, &target, "DOCUMENT_NOT_FOUND", "Document not found");
    }
    // No folder of a game stands for a platform.
    for index in 0..15 {
        let target = format!("/api/platform/document?platform=NES&index={index}");
        let message = "Platform document not found";
        missing(&server, &target, "PLATFORM_DOCUMENT_NOT_FOUND", message);
    }
    for query in [
        "id=0&index=-1",
        "id=0&index=x",
        "id=0&index=",
        "id=0",
        "id=1&index=0",
        "game_id=gone&id=0&index=0",
        "index=0",
        "",
    ] {
        let target = format!("/api/document?{query}");
        missing(&server, &target, "DOCUMENT_NOT_FOUND", "Document not found");
    }
}

#[test]
fn documents_of_a_platform_are_replaced_listed_and_served() {
    let server = Server::start();
    let text = server.scratch().file("data/media/Größe \"1\".txt", "0123456789");
    assert_eq!(server.get("/api/platform/documents"), json!({"documents": {}}));
    assert_eq!(server.get("/api/platform/documents?platform=NES"), json!({"documents": []}));
    let documents = json!([
        {"path": text}, {"path": " ", "name": "x"}, {"name": "x"}, {"path": null},
        {"name": "Later", "path": server.data("media/later.txt")},
    ]);
    let posted = json!({"platform": " NES ", "documents": documents});
    let reply = server.post("/api/platform/documents", &posted);
    assert_eq!(reply, json!({"saved": "NES", "count": 2}));
    let listed = server.get("/api/platform/documents?platform=NES")["documents"].clone();
    assert_eq!(listed[0], json!({"name": "Größe \"1\"", "path": text}));
    assert_eq!(server.get("/api/platform/documents")["documents"], json!({"NES": listed}));
    assert_eq!(server.get("/api/settings")["platform_documents"], json!({"NES": listed}));
    check_text(
        &server.send(&Request::get("/api/platform/document?platform=NES&index=0")).expect(200),
    );
    for query in [
        "platform=NES&index=1",
        "platform=NES&index=2",
        "platform=SNES&index=0",
        "platform=NES",
        "index=0",
        "platform=NES&index=a",
        "platform=NES&index=-1",
    ] {
        let target = format!("/api/platform/document?{query}");
        let message = "Platform document not found";
        missing(&server, &target, "PLATFORM_DOCUMENT_NOT_FOUND", message);
    }
    let none = json!({"platform": "NES", "documents": []});
    assert_eq!(server.post("/api/platform/documents", &none), json!({"saved": "NES", "count": 0}));
    assert_eq!(server.get("/api/platform/documents"), json!({"documents": {}}));
}

#[test]
fn a_bad_list_of_documents_is_refused() {
    let server = Server::start();
    let media = server.data("media/d");
    let many = |count: usize| {
        let entries = (0..count).map(|number| json!({"path": media.join(number.to_string())}));
        json!({"platform": "NES", "documents": entries.collect::<Vec<_>>()})
    };
    for (body, message) in [
        (json!({"documents": []}), "Platform is required."),
        (json!({"platform": "  ", "documents": []}), "Platform is required."),
        (json!({"platform": 5, "documents": []}), "Platform is required."),
        (json!({"platform": null, "documents": []}), "Platform is required."),
        (json!({"platform": "NES"}), "Documents must be a list."),
        (json!({"platform": "NES", "documents": null}), "Documents must be a list."),
        (json!({"platform": "NES", "documents": {}}), "Documents must be a list."),
        (json!({"platform": "NES", "documents": "x"}), "Documents must be a list."),
        (json!({"platform": "NES", "documents": ["x"]}), "Game extras must be objects."),
        (json!({"platform": "NES", "documents": [{"path": "a.pdf"}]}), "Paths must be absolute."),
        (json!({"platform": "NES", "documents": [null]}), "Game extras must be objects."),
        (json!({"platform": "NES", "documents": [{"path": []}]}), "Path must be text."),
        (
            json!({"platform": "NES", "documents": [{"path": "/a.pdf", "name": {}}]}),
            "Name must be text.",
        ),
        (many(101), "Game extras are limited to 100 entries."),
    ] {
        refused(&server, &body, message);
    }
    assert_eq!(server.post("/api/platform/documents", &many(100))["count"], 100);
    refused(&server, &json!({"platform": "NES"}), "Documents must be a list.");
    refused(&server, &many(101), "Game extras are limited to 100 entries.");
    let kept = server.get("/api/platform/documents?platform=%20NES%20")["documents"].clone();
    assert_eq!(kept.as_array().map(Vec::len), Some(100));
    assert_eq!(kept[99], json!({"name": "99", "path": media.join("99")}));
    let last = "/api/platform/document?platform=NES&index=100";
    missing(&server, last, "PLATFORM_DOCUMENT_NOT_FOUND", "Platform document not found");
}

#[test]
fn a_document_is_stored_where_documents_may_lie_and_copied_from_elsewhere() {
    let server = Server::start();
    let scratch = server.scratch();
    let watched = scratch.file("watched/nes/guide.md", "jump");
    let manual = scratch.file("else/Manual 1.pdf", "%PDF");
    let beside = scratch.file("games/map.txt", "north");
    symlink(&manual, scratch.path("games/link.pdf")).expect("a link");
    let game = json!({"name": "A", "path": scratch.file("games/a.sh", "")});
    let id = server.post("/api/game", &json!({"game": game}))["game_id"].clone();
    let save = |path: &Path| {
        let game = json!({"name": "A", "documents": [{"path": path}]});
        server.send(&Request::post("/api/game", &json!({"game_id": id, "game": game})))
    };
    let forbidden = [
        Path::new("/etc/passwd").to_owned(),
        server.data("library.json"),
        server.data("server.token"),
        server.data("backups/a.txt"),
        scratch.path("games/link.pdf"),
        manual.clone(),
        watched.clone(),
    ];
    let message = "Document paths must be inside an approved folder, without symlinks.";
    for path in &forbidden {
        assert_eq!(save(path).expect(400).json()["error"], message, "{path:?}");
        let documents = json!({"platform": "NES", "documents": [{"path": path}]});
        refused(&server, &documents, message);
    }
    server.post("/api/settings", &json!({"watch_folders": [scratch.path("watched")]}));
    let read = || server.send(&Request::get("/api/document?id=0&index=0")).expect(200).text();
    for (path, text) in [(&beside, "north"), (&watched, "jump")] {
        save(path).expect(200);
        assert_eq!(read(), text);
    }
    // What is stored stays, also when its folder is not watched any more; it is not served then.
    server.post("/api/settings", &json!({"watch_folders": []}));
    save(&watched).expect(200);
    missing(&server, "/api/document?id=0&index=0", "DOCUMENT_NOT_FOUND", "Document not found");
    let adopt = |body: Value| server.send(&Request::post("/api/document/adopt", &body));
    let path = |reply: Reply| reply.expect(200).json()["path"].as_str().expect("text").to_owned();
    let copy = path(adopt(json!({"path": manual})));
    assert!(copy.starts_with(server.data("media/documents").to_str().expect("text")), "{copy}");
    save(Path::new(&copy)).expect(200);
    assert_eq!(read(), "%PDF");
    assert_eq!(path(adopt(json!({"path": beside, "game_id": id}))), beside.to_str().expect("text"));
    assert_ne!(path(adopt(json!({"path": beside}))), beside.to_str().expect("text"));
    for path in ["/etc/passwd", "server.token", ""] {
        adopt(json!({"path": path})).expect(400);
    }
    for name in ["server.token", "library.json"] {
        adopt(json!({"path": server.data(name)})).expect(400);
    }
}

#[test]
fn a_ticket_opens_one_file_without_the_token() {
    let server = Server::start();
    for (index, text) in ["one", "two"].into_iter().enumerate() {
        server.scratch().file(format!("data/media/{index}.txt"), text);
    }
    let documents = [0, 1].map(|index| json!({"path": server.data(format!("media/{index}.txt"))}));
    server.post("/api/platform/documents", &json!({"platform": "NES", "documents": documents}));
    let target = "/api/platform/document?platform=NES&index=1";
    let ticket = server.post("/api/ticket", &json!({"path": target}));
    assert_eq!(ticket["expires_in"], 600);
    let address = ticket["address"].as_str().expect("an address").to_owned();
    assert!(address.starts_with(target) && !address.contains(server.token()));
    let stranger = |request: Request| server.send(&request.without_token());
    assert_eq!(stranger(Request::get(&address)).expect(200).text(), "two");
    let part = stranger(Request::get(&address).header("Range", "bytes=1-1"));
    assert_eq!(part.expect(206).text(), "w");
    stranger(Request::get(target)).expect(403);
    stranger(Request::get(&address.replace("index=1", "index=0"))).expect(403);
    stranger(Request::get(&format!("{address}0"))).expect(403);
    for path in [
        "/api/library",
        "/api/settings",
        "/api/events",
        "",
        "https://x/api/media",
        "/api/media?a=\nb",
    ] {
        server.send(&Request::post("/api/ticket", &json!({"path": path}))).expect(400);
    }
}
