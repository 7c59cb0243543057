//! `/api/libserver/*` and `/api/storefront/*` against a local server that speaks the protocol of
//! the library server.

use std::{
    fs,
    io::Cursor,
    os::unix::fs::symlink,
    path::Path,
    sync::Arc,
    thread::{self, JoinHandle},
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tiny_http::{Header, Response};

use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    server::{Server, Setup},
    wait::until,
};

/// What the server sends as a game.
const CONTENT: &[u8] = b"the whole game";

/// A library server that wants a login and offers five games, two of which cannot be downloaded.
pub(super) struct Shop {
    http: Arc<tiny_http::Server>,
    thread: Option<JoinHandle<()>>,
}

impl Shop {
    pub(super) fn open() -> Self {
        let http = Arc::new(tiny_http::Server::http("127.0.0.1:0").expect("a port"));
        let serving = Arc::clone(&http);
        let thread = thread::spawn(move || {
            for mut request in serving.incoming_requests() {
                let mut body = String::new();
                request.as_reader().read_to_string(&mut body).expect("a body");
                let cookies =
                    request.headers().iter().filter(|header| header.field.equiv("Cookie"));
                let cookie = cookies.map(|header| header.value.as_str().to_owned()).next();
                let answer = answer(request.url(), &body, &cookie.unwrap_or_default());
                // OK because a client that hung up is part of some tests.
                drop(request.respond(answer));
            }
        });
        Self { http, thread: Some(thread) }
    }

    fn url(&self) -> String {
        format!("http://{}", self.http.server_addr().to_ip().expect("an address"))
    }

    /// A service that knows this server.
    pub(super) fn service(&self) -> Server {
        let server = Setup::new().start();
        let folder = server.scratch().path("home/games");
        let settings = json!({"libserver_url": self.url(), "libserver_username": "me",
            "libserver_password": "right & proper", "libserver_install_dir": folder});
        server.post("/api/settings", &settings);
        server
    }
}

impl Drop for Shop {
    fn drop(&mut self) {
        self.http.unblock();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("the server ended well");
        }
    }
}

type Answer = Response<Cursor<Vec<u8>>>;

fn header(name: &str, value: &str) -> Header {
    Header::from_bytes(name, value).expect("a header")
}

fn answer(url: &str, body: &str, cookie: &str) -> Answer {
    let text = |status: u16, text: &str| Response::from_string(text).with_status_code(status);
    if url == "/login" {
        let is_right = body == "username=me&password=right%20%26%20proper";
        let session = if is_right { "SESSION=good; Path=/; HttpOnly" } else { "SESSION=bad" };
        return text(302, "")
            .with_header(header("Location", "/"))
            .with_header(header("Set-Cookie", session));
    }
    if url == "/" {
        return text(200, "<html>");
    }
    if cookie != "SESSION=good" {
        return text(401, "log in\nfirst");
    }
    match url {
        "/connect/GameEndpoint/getAll" => text(200, &games().to_string()),
        "/connect/DownloadProviderEndpoint/getProviders" => text(
            200,
            r#"[{"key": "b", "name": "Slow", "priority": 2}, {"key": "a", "name": "Fast", "priority": 1}]"#,
        ),
        "/download/7?provider=a" => {
            let digest = Sha256::digest(CONTENT);
            let sum = digest.iter().fold(String::new(), |sum, byte| format!("{sum}{byte:02x}"));
            Response::from_data(CONTENT)
                .with_header(header(
                    "Content-Disposition",
                    "attachment; filename=\"../../My Game.bin\"",
                ))
                .with_header(header("X-Checksum-SHA256", &sum))
        }
        "/download/8?provider=a" => {
            Response::from_data(CONTENT).with_header(header("X-SHA256", &"0".repeat(64)))
        }
        "/download/9?provider=a" => {
            text(302, "").with_header(header("Location", "http://127.0.0.1:1/x"))
        }
        "/download/10?provider=a" => text(500, "no such file"),
        _ => text(404, "nothing here"),
    }
}

fn games() -> Value {
    json!([
        {"id": 7, "title": "My Game", "platforms": [{"name": "WINDOWS"}], "summary": "Text", "developers": ["Dev"],
            "publishers": [], "release": "1999-01-02"},
        {"id": 8, "title": "Damaged"}, {"id": 9, "title": "Elsewhere"}, {"id": 10, "title": "Broken"},
        {"id": "x", "title": "No number"}, {"title": "No id"}, 3
    ])
}

#[track_caller]
fn check_refused(server: &Server, request: &Request, error: &str) {
    let reply = server.send(request).expect(400).json();
    assert_eq!(reply["error"], error);
}

/// Installs a game and waits for the end.
pub(super) fn install(server: &Server, body: &Value) -> Value {
    let reply = server.send(&Request::post("/api/libserver/install", body)).expect(202).json();
    assert_eq!(reply["state"], "installing");
    let id = reply["libserver_id"].as_str().expect("an id").to_owned();
    until("the end of the installation", || {
        let status = server.get(&format!("/api/libserver/install/status?libserver_id={id}"));
        (status["state"] != "installing").then_some(status)
    })
}

#[test]
fn the_server_is_tried_before_it_is_saved() {
    let shop = Shop::open();
    let server = Setup::new().start();
    let posted = json!({"libserver_url": shop.url(), "libserver_username": "me", "libserver_password": "right & proper"});
    let reply = server.post("/api/v1/libserver/test", &posted);
    let providers = json!([{"key": "a", "name": "Fast", "priority": 1}, {"key": "b", "name": "Slow", "priority": 2}]);
    assert_eq!(reply, json!({"ok": true, "games": 6, "providers": providers}));
    let test = |more: &Value| {
        let mut body = posted.clone();
        body.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        Request::post("/api/libserver/test", &body)
    };
    let wrong = test(&json!({"libserver_password": "wrong"}));
    check_refused(&server, &wrong, "Library server games request failed (401): log in first");
    let http = test(&json!({"libserver_url": "http://games.example"}));
    check_refused(
        &server,
        &http,
        "Library server URL must use https, or set SERVICE_ALLOW_HTTP_LIBSERVER=1.",
    );
    let reply =
        server.send(&test(&json!({"libserver_url": "http://127.0.0.1:1"}))).expect(400).json();
    assert!(
        reply["error"]
            .as_str()
            .is_some_and(|text| text.starts_with("Could not reach the library server: "))
    );
    for route in ["/api/libserver/providers", "/api/storefront/catalog?source=libserver"] {
        check_refused(&server, &Request::get(route), "Library server URL is not configured.");
    }
    let own = format!("http://{}", server.address());
    for url in [own.as_str(), "https://169.254.169.254", "https://0.0.0.0", "https://[fe80::1]"] {
        let message =
            "Library server URL may not point at this service or at a link-local address.";
        check_refused(&server, &test(&json!({"libserver_url": url})), message);
    }
    let known = shop.service();
    let odd = Request::post("/api/libserver/test", &json!({"libserver_url": 5}));
    check_refused(&known, &odd, "Library server address must be a text.");
    assert_eq!(known.post("/api/libserver/test", &json!({"libserver_url": null}))["ok"], true);
    assert_eq!(known.get("/api/libserver/providers"), json!({"providers": providers}));
    assert_eq!(known.post("/api/libserver/test", &json!({"libserver_password": ""}))["ok"], true);
}

#[test]
fn a_stored_password_goes_to_no_other_server() {
    let (shop, other) = (Shop::open(), Shop::open());
    let server = shop.service();
    let refused = "The stored password was entered for another library server. Enter it again.";
    let moved = json!({"libserver_url": other.url()});
    check_refused(&server, &Request::post("/api/libserver/test", &moved), refused);
    server.post("/api/settings", &moved);
    for request in [
        Request::post("/api/libserver/test", &json!({})),
        Request::get("/api/libserver/providers"),
        Request::get("/api/storefront/catalog?source=libserver"),
    ] {
        check_refused(&server, &request, refused);
    }
    let entered = json!({"libserver_password": "right & proper"});
    assert_eq!(server.post("/api/libserver/test", &entered)["ok"], true);
    server.post("/api/settings", &entered);
    assert_eq!(server.post("/api/libserver/test", &json!({}))["ok"], true);
    check_refused(
        &server,
        &Request::post("/api/libserver/test", &json!({"libserver_url": shop.url()})),
        refused,
    );
}

#[test]
fn a_game_is_installed_and_removed() {
    let shop = Shop::open();
    let server = shop.service();
    let done = install(&server, &json!({"libserver_id": "007"}));
    assert_eq!((&done["state"], &done["libserver_id"]), (&json!("done"), &json!("7")));
    let root = server.scratch().path("home/games");
    let file = root.join("my-game-7/My Game.bin");
    assert_eq!(fs::read(&file).expect("the game"), CONTENT);
    assert_eq!(server.scratch().mode("home/games/my-game-7/My Game.bin"), 0o600);
    assert_eq!(fs::read_dir(&root).expect("the folder").count(), 1, "nothing is left next to it");
    let game = &done["game"];
    for (key, expected) in [
        ("name", json!("My Game")),
        ("platform", json!("Windows")),
        ("libserver_id", json!("7")),
        ("path", json!(file)),
        ("launch", json!(format!("'{}'", file.display()))),
        ("install_dir", json!(root.join("my-game-7"))),
        ("store_installed", json!(true)),
        ("year", json!("1999")),
        ("developer", json!("Dev")),
    ] {
        assert_eq!(game[key], expected, "{key}");
    }
    assert_eq!(install(&server, &json!({"id": 7}))["state"], "done", "again over the first");
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(1));
    let body = json!({"game_id": game["game_id"]});
    let gone = server.post("/api/libserver/uninstall", &body);
    assert_eq!(gone["removed"], json!([root.join("my-game-7")]));
    assert_eq!(
        (&gone["game"]["store_installed"], &gone["game"]["launch"]),
        (&json!(false), &json!(""))
    );
    assert!(!root.join("my-game-7").exists());
    assert_eq!(server.post("/api/libserver/uninstall", &body)["removed"], json!([]));
}

#[test]
fn a_game_that_was_moved_behind_a_link_is_not_installed_over() {
    let shop = Shop::open();
    let server = shop.service();
    install(&server, &json!({"libserver_id": "7"}));
    let folder = server.scratch().path("home/games/my-game-7");
    let kept = server.scratch().file("elsewhere/my-game-7/kept.txt", "mine");
    fs::remove_dir_all(&folder).expect("removed");
    symlink(kept.parent().expect("a folder"), &folder).expect("linked");
    let status = install(&server, &json!({"libserver_id": "7"}));
    let links = "Library server files may not be symlinks.";
    assert_eq!((&status["state"], &status["error"]), (&json!("error"), &json!(links)));
    assert_eq!(fs::read(&kept).expect("kept"), b"mine");
    assert!(fs::symlink_metadata(&folder).expect("there").is_symlink());
}

#[test]
fn an_installation_that_fails_keeps_what_was_there() {
    let shop = Shop::open();
    let server = shop.service();
    server.scratch().file("home/games/damaged-8/old.bin", "old");
    for (id, error) in [
        ("8", "The download is damaged: its checksum is wrong."),
        ("9", "Library server redirected to another server."),
        ("10", "Library server download request failed (500): no such file"),
        ("99", "Library server has no game 99."),
    ] {
        let status = install(&server, &json!({"libserver_id": id}));
        assert_eq!((&status["state"], &status["error"]), (&json!("error"), &json!(error)));
    }
    assert_eq!(server.scratch().read("home/games/damaged-8/old.bin"), b"old");
    let names: Vec<_> = fs::read_dir(server.scratch().path("home/games"))
        .expect("the folder")
        .map(|entry| entry.expect("readable").file_name())
        .collect();
    assert_eq!(names, ["damaged-8"]);
    assert_eq!(server.get("/api/library")["games"], json!([]));
    let idle = server.get("/api/libserver/install/status?libserver_id=5");
    assert_eq!(idle, json!({"state": "idle", "libserver_id": "5"}));
}

#[test]
fn bad_requests_and_forbidden_places() {
    let shop = Shop::open();
    let server = shop.service();
    let post = |body: &Value| Request::post("/api/libserver/install", body);
    check_refused(&server, &post(&json!({})), "libserver_id is required.");
    for key in ["libserver_id", "id"] {
        let message = "libserver_id must be a number of 1 to 20 digits.";
        check_refused(&server, &post(&json!({key: "../7"})), message);
    }
    check_refused(
        &server,
        &Request::get("/api/libserver/install/status"),
        "libserver_id is required.",
    );
    server.scratch().folder("elsewhere");
    fs::remove_dir(server.scratch().path("home/games")).expect("it was made for the setting");
    symlink(server.scratch().path("elsewhere"), server.scratch().path("home/games"))
        .expect("linked");
    let linked = "Library server install folder must not contain symlinks.";
    check_refused(&server, &post(&json!({"libserver_id": 7})), linked);
    let add = |name: &str, more: &Value| {
        let mut body = json!({"name": name, "path": server.scratch().file(name, "x")});
        body.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        server.post("/api/game", &json!({"game": body}))["game_id"].clone()
    };
    let uninstall = |id: &Value| Request::post("/api/libserver/uninstall", &json!({"game_id": id}));
    let plain = add("plain", &json!({}));
    check_refused(&server, &uninstall(&plain), "This game is not from the library server.");
    let placeless = add("placeless", &json!({"libserver_id": "3"}));
    check_refused(&server, &uninstall(&placeless), "This game has no install folder.");
    let outside = add(
        "outside",
        &json!({"libserver_id": "4", "install_dir": server.scratch().path("elsewhere")}),
    );
    let refusal = "The game does not lie in the library server install folder.";
    check_refused(&server, &uninstall(&outside), refusal);
    let through = server.scratch().path("home/games/x");
    let linked = add("linked", &json!({"libserver_id": "5", "install_dir": through}));
    check_refused(&server, &uninstall(&linked), "Library server files may not be symlinks.");
    check_refused(&server, &uninstall(&json!("nobody")), "Game not found");
    assert!(
        server.scratch().path("elsewhere").exists() && server.scratch().path("outside").exists()
    );
}

/// A service whose machine has the first store: one game installed, one owned.
fn with_first_store() -> Server {
    let setup = Setup::new();
    let bin = setup.scratch().folder("bin");
    for tool in ["steam", "xdg-open"] {
        setup.scratch().script(Path::new("bin").join(tool), "exit 0");
    }
    let root = "home/.local/share/Steam";
    let manifest = "\"AppState\" { \"appid\" \"10\" \"name\" \"Here\" \"installdir\" \"here\" }";
    setup.scratch().file(format!("{root}/steamapps/appmanifest_10.acf"), manifest);
    setup.scratch().file(
        format!("{root}/userdata/1/config/localconfig.vdf"),
        "\"x\" { \"Software\" { \"Valve\" { \"Steam\" { \"apps\" { \"10\" { } \"20\" { } } } } } }",
    );
    setup.env("PATH", bin).start()
}

#[test]
fn catalogs_are_shown_and_imported() {
    let shop = Shop::open();
    let server = with_first_store();
    let catalog = server.get("/api/storefront/catalog?source=Store_A");
    let entries = catalog["catalog"].as_array().expect("a list");
    let shown: Vec<_> = entries
        .iter()
        .map(|entry| (entry["name"].as_str().expect("text"), entry["installed"] == true))
        .collect();
    assert_eq!(shown, [("Here", true), ("Steam App 20", false)]);
    assert_eq!(entries[1]["install_uri"], "steam://store/20");
    assert_eq!(entries[1]["store_a_app_id"], "20");
    let import = |more: &Value| {
        let mut body = json!({"source": "store_a"});
        body.as_object_mut().expect("object").extend(more.as_object().expect("object").clone());
        server.import("/api/storefront/import", &body)
    };
    let counts =
        |added: u32, found: u32| json!({"added": added, "found": found, "imported": found});
    assert_eq!(import(&json!({"installed_only": true, "uninstalled_only": true})), counts(0, 0));
    assert_eq!(import(&json!({"uninstalled_only": true})), counts(1, 1));
    assert_eq!(import(&json!({})), counts(1, 2));
    assert_eq!(import(&json!({})), counts(0, 2));
    let games = server.get("/api/library")["games"].clone();
    assert_eq!(
        (&games[0]["name"], &games[0]["store_catalog"]),
        (&json!("Steam App 20"), &json!(true))
    );
    let note = games[0]["notes"][0]["text"].as_str().expect("a note");
    assert!(note.starts_with("Owned via Steam."), "{note}");
    let sources = "Storefront source must be store_a, store_b, store_c, or libserver.";
    check_refused(&server, &Request::get("/api/storefront/catalog"), sources);
    check_refused(&server, &Request::get("/api/storefront/catalog?source=x"), sources);
    check_refused(
        &server,
        &Request::get("/api/storefront/catalog?source=store_c"),
        "Lutris is not installed.",
    );
    let post = |body: &Value| Request::post("/api/v1/storefront/import", body);
    check_refused(&server, &post(&json!({})), "source is required.");
    check_refused(&server, &post(&json!({"source": "x"})), sources);
    check_refused(
        &server,
        &post(&json!({"source": "store_a", "installed_only": 1})),
        "installed_only must be true or false.",
    );
    let offered = shop.service();
    let catalog = offered.get("/api/storefront/catalog?source=libserver");
    let first = &catalog["catalog"][0];
    assert_eq!(catalog["catalog"].as_array().map(Vec::len), Some(4));
    assert_eq!(
        (&first["install_uri"], &first["libserver_id"]),
        (&json!("libserver://install/7"), &json!("7"))
    );
    assert_eq!((&first["description"], &first["platform"]), (&json!("Text"), &json!("Windows")));
    let reply = offered.import("/api/storefront/import", &json!({"source": "libserver"}));
    assert_eq!(reply, counts(4, 4));
}

#[test]
fn single_titles_are_added_and_say_where_they_are() {
    let server = with_first_store();
    let stores = server.get("/api/storefront/status");
    let steam = server.scratch().path("home/.local/share/Steam");
    assert_eq!(
        stores["stores"][0],
        json!({"source": "store_a", "name": "Steam", "found": true,
            "client": server.scratch().path("bin/steam"), "places": [steam]})
    );
    assert_eq!(
        stores["stores"][2],
        json!({"source": "store_c", "name": "Lutris", "found": false, "client": "", "places": []})
    );
    let catalog = || server.get("/api/storefront/catalog?source=store_a")["catalog"].clone();
    let marks = |titles: &Value| {
        let each = |at: usize| (titles[at]["game_id"].clone(), titles[at]["excluded"] == true);
        [each(0), each(1)]
    };
    assert_eq!(marks(&catalog()), [(json!(""), false), (json!(""), false)]);
    let post = |body: &Value| Request::post("/api/storefront/import", body);
    for (ids, added) in [(json!([]), 0), (json!(["20", "30"]), 1), (json!(["20"]), 0)] {
        let body = json!({"source": "store_a", "ids": ids});
        assert_eq!(server.import("/api/storefront/import", &body)["added"], added, "{ids}");
    }
    let id = server.get("/api/library")["games"][0]["game_id"].clone();
    let exclusion = json!({"source": "store_a", "external_id": "10"});
    server.post("/api/import/exclusions", &exclusion);
    assert_eq!(marks(&catalog()), [(json!(""), true), (id, false)]);
    let ids = json!({"source": "store_a", "ids": ["10"]});
    assert_eq!(server.post("/api/storefront/import", &ids)["added"], 0, "it is left out");
    for ids in [json!(3), json!([3])] {
        let body = json!({"source": "store_a", "ids": ids});
        check_refused(&server, &post(&body), "ids must be a list of texts.");
    }
}

/// A server that wants the token of its page with every change, and admits every client with the cookie of the
/// present session.
fn strict(session: &'static str) -> impl Fn(&str, &str) -> Reply + Send + 'static {
    move |path, head| {
        let found =
            |to: &str| Reply::new(&format!("302 Found\r\nLocation: {to}"), "text/plain", "");
        let page = |body: &'static str| Reply::new("200 OK", "text/html", body);
        if path == "/" {
            return page("<html><meta name=\"_csrf\" content=\"token-1\"><title>Shop</title>");
        }
        if path.starts_with("/login?") {
            return page("<html>Log in");
        }
        if head.starts_with("post ") && !head.contains("x-csrf-token: token-1\r\n") {
            return Reply::new("403 Forbidden", "application/json", "{}");
        }
        if path == "/login" {
            let is_right = head.ends_with("username=me&password=right");
            let cookie = format!("/\r\nSet-Cookie: SESSION={session}; Path=/; HttpOnly");
            return found(if is_right { cookie.as_str() } else { "/login?error" });
        }
        if !head.contains(&format!("cookie: session={session}\r\n")) {
            return found("/login?continue");
        }
        match path {
            "/connect/GameEndpoint/getAll" => Reply::json(&games()),
            _ => Reply::new("500 Internal Server Error", "text/plain", "none"),
        }
    }
}

#[test]
fn the_token_of_the_page_is_sent_and_a_session_is_used_as_long_as_it_is_good() {
    let provider = Provider::new(strict("one"));
    let server = Setup::new().start();
    let settings = json!({"libserver_url": provider.base(), "libserver_username": "me",
        "libserver_password": "right"});
    server.post("/api/settings", &settings);
    let logins = || {
        let seen = provider.seen();
        let is_login =
            |head: &&String| head.starts_with("post /login ") && head.contains("token-1");
        seen.iter().filter(is_login).count()
    };
    let test = |password: &str| {
        Request::post("/api/libserver/test", &json!({"libserver_password": password}))
    };
    let tested = server.send(&test("right")).expect(200).json();
    assert_eq!((&tested["ok"], logins()), (&json!(true), 1), "{tested}");
    assert_eq!(tested["providers"][0]["name"], "Direct Download", "none are named");
    server.get("/api/libserver/providers");
    server.get("/api/storefront/catalog?source=libserver");
    assert_eq!(logins(), 0, "the session is kept");
    provider.says(strict("two"));
    server.get("/api/storefront/catalog?source=libserver");
    assert_eq!(logins(), 1, "it has ended");
    let refused = server.send(&test("wrong")).expect(400).json();
    assert_eq!(refused["error"], "Library server login request failed (401): Unauthorized");
    logins();
    server.get("/api/storefront/catalog?source=libserver");
    assert_eq!(logins(), 0, "the session of another password is not lost");
}

/// What the download of the game is answered by a server whose sessions end on their own.
fn page_of(kind: &'static str, body: &'static str) -> impl Fn() -> Reply + Send + 'static {
    move || Reply::new("200 OK", kind, body)
}

/// A server that numbers its sessions from this one on. It gives the game to all of them or to none; to
/// whom it does not, it says something else.
fn forgetful(
    first: usize,
    is_open: bool,
    otherwise: impl Fn() -> Reply + Send + 'static,
) -> impl Fn(&str, &str) -> Reply + Send + 'static {
    let next = std::cell::Cell::new(first);
    move |path, head| {
        if path == "/login" {
            let number = next.replace(next.get() + 1);
            let session = format!("302 Found\r\nLocation: /\r\nSet-Cookie: SESSION={number}");
            return Reply::new(&session, "text/plain", "");
        }
        let session = head.split("cookie: session=").nth(1).and_then(|rest| rest.lines().next());
        let session: usize = session.and_then(|text| text.parse().ok()).unwrap_or_default();
        match path.split('?').next().unwrap_or_default() {
            "/connect/GameEndpoint/getAll" => Reply::json(&games()),
            "/download/7" if is_open && session >= first => {
                Reply::new("200 OK", "application/octet-stream", CONTENT)
            }
            "/download/7" => otherwise(),
            "/" => Reply::new("200 OK", "text/html", "<html>"),
            _ => Reply::new("500 Internal Server Error", "text/plain", "none"),
        }
    }
}

#[test]
fn a_page_or_nothing_is_no_game_and_an_ended_session_is_renewed_once() {
    let nonsense = "Library server returned an invalid download answer.";
    let page = "<!DOCTYPE html><title>Log in</title>";
    let provider = Provider::new(|_, _| Reply::json(&json!([])));
    let server = Setup::new().start();
    let root = server.scratch().path("home/games");
    let settings = json!({"libserver_url": provider.base(), "libserver_username": "me",
        "libserver_password": "right", "libserver_install_dir": root});
    server.post("/api/settings", &settings);
    server.scratch().file("home/games/my-game-7/old.bin", "old");
    let logins = || {
        let seen = provider.seen();
        seen.iter().filter(|head| head.starts_with("post /login ")).count()
    };
    let refused = |error: &str| {
        let status = install(&server, &json!({"libserver_id": "7"}));
        assert_eq!((&status["state"], &status["error"]), (&json!("error"), &json!(error)));
        assert_eq!(server.scratch().read("home/games/my-game-7/old.bin"), b"old");
        assert_eq!(fs::read_dir(&root).expect("the folder").count(), 1, "nothing is left");
    };
    provider.says(forgetful(1, false, page_of("text/html; charset=utf-8", page)));
    refused(nonsense);
    assert_eq!(logins(), 2, "the first one and one new one");
    provider.says(forgetful(1, false, page_of("application/octet-stream", page)));
    refused(nonsense);
    provider.says(forgetful(1, false, page_of("application/json", "{\"message\": \"Log in\"}")));
    refused(nonsense);
    provider.says(forgetful(1, false, || Reply::new("202 Accepted", "text/plain", "wait")));
    refused(nonsense);
    provider.says(forgetful(1, false, page_of("application/octet-stream", "")));
    refused("The download is damaged: it is empty.");
    logins();
    provider.says(forgetful(10, true, page_of("text/html", page)));
    let done = install(&server, &json!({"libserver_id": "7"}));
    assert_eq!((&done["state"], logins()), (&json!("done"), 1), "the session had ended");
    assert_eq!(fs::read(root.join("my-game-7/my-game-7.bin")).expect("the game"), CONTENT);
    assert!(!root.join("my-game-7/old.bin").exists());
    provider.says(forgetful(1, false, || {
        let head = "200 OK\r\nContent-Disposition: attachment; filename=\"game.html\"";
        Reply::new(head, "text/html", "<html>a game")
    }));
    let done = install(&server, &json!({"libserver_id": "7"}));
    assert_eq!(done["state"], "done", "a game may be a page that is sent as a file");
}
