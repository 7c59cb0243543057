//! `/api/document`, `/api/platform/document` and `/api/platform/documents`.

use std::{fs, os::unix::fs::symlink};

use serde_json::{Value, json};

use crate::support::{
    client::{Reply, Request},
    server::Server,
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

/// A game with these documents, some of which must not be served.
fn with_documents(server: &Server) -> String {
    let scratch = server.scratch();
    let text = scratch.file("docs/Größe \"1\".txt", "0123456789");
    let page = scratch.file("docs/page.html", "<script>1</script>");
    symlink(&text, scratch.path("docs/link.txt")).expect("a link");
    symlink(scratch.path("docs"), scratch.path("way")).expect("a link");
    let gone = scratch.file("docs/gone.txt", "");
    let paths = [
        text,
        page,
        scratch.path("docs/link.txt"),
        scratch.path("way/page.html"),
        scratch.path("docs"),
        gone.clone(),
    ];
    let documents: Vec<Value> = paths.iter().map(|path| json!({"path": path})).collect();
    let game = json!({"name": "A", "path": scratch.file("a.sh", ""), "documents": documents});
    let saved = server.post("/api/game", &json!({"game": game}));
    fs::remove_file(gone).expect("removed");
    saved["game_id"].as_str().expect("an id").to_owned()
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
    let server = Server::start();
    let id = with_documents(&server);
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
    for query in [
        "id=0&index=2",
        "id=0&index=3",
        "id=0&index=4",
        "id=0&index=5",
        "id=0&index=6",
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
    let text = server.scratch().file("docs/Größe \"1\".txt", "0123456789");
    symlink(&text, server.scratch().path("docs/link.txt")).expect("a link");
    assert_eq!(server.get("/api/platform/documents"), json!({"documents": {}}));
    assert_eq!(server.get("/api/platform/documents?platform=NES"), json!({"documents": []}));
    let documents = json!([
        {"path": text}, {"path": " ", "name": "x"}, {"name": "x"}, {"path": null},
        {"name": "Link", "path": server.scratch().path("docs/link.txt")},
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
    let many = |count: usize| {
        let entries = (0..count).map(|number| json!({"path": format!("/d/{number}")}));
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
    assert_eq!(kept[99], json!({"name": "99", "path": "/d/99"}));
    let last = "/api/platform/document?platform=NES&index=100";
    missing(&server, last, "PLATFORM_DOCUMENT_NOT_FOUND", "Platform document not found");
}
