//! `/api/update*` against a stand-in for the host of releases: what is offered, every refusal, and the swap.

use std::{
    fmt::Write as _,
    fs,
    path::PathBuf,
    sync::{
        Mutex,
        mpsc::{channel, sync_channel},
    },
    thread,
};

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    publisher::{Publisher, signature_as},
    server::{Server, Setup},
    wait::until,
};

const CHECK: &str = "/api/update";
pub(super) const INSTALL: &str = "/api/update/install";
const ROLL_BACK: &str = "/api/v2/update/rollback";
pub(super) const NAME: &str = "Service-x86_64.AppImage";
pub(super) const PROGRAM: &str = "opt/Service-x86_64.AppImage";
const PREVIOUS: &str = "opt/Service-x86_64.previous.AppImage";
pub(super) const NEW: &[u8] = b"the new program";

pub(super) fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().fold(String::new(), |mut hex, byte| {
        write!(hex, "{byte:02x}").expect("in memory");
        hex
    })
}

/// What the stand-in publishes.
#[derive(Clone)]
pub(super) struct Release {
    pub(super) tag: String,
    pub(super) prerelease: bool,
    pub(super) program: Vec<u8>,
    pub(super) sum: Option<String>,
    pub(super) digest: Option<String>,
    pub(super) signature: Option<String>,
    /// Where each asset is, by its ending; the usual place when it is not named.
    pub(super) places: Vec<(&'static str, String)>,
    /// What is answered for the program instead of its bytes.
    pub(super) instead: Option<Reply>,
}

impl Release {
    pub(super) fn new(tag: &str, program: &[u8]) -> Self {
        let sum = hex(program);
        Self {
            tag: tag.to_owned(),
            prerelease: false,
            program: program.to_vec(),
            sum: Some(format!("{sum}  {NAME}\n")),
            digest: Some(format!("sha256:{sum}")),
            signature: Some(signature_as(NAME, program).to_string()),
            places: Vec::new(),
            instead: None,
        }
    }

    /// Answers as the host of releases does.
    fn answer(&self, path: &str, head: &str) -> Reply {
        let host = head.split("host: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let base = format!("http://{}", host.expect("a host"));
        let bytes = |bytes: &[u8]| Reply::new("200 OK", "application/octet-stream", bytes);
        let missing = || Reply::new("404 Not Found", "application/json", "{}");
        if path == "/api/releases/latest" {
            return Reply::json(&self.description(&base));
        }
        let Some(file) = path.strip_prefix("/dl/") else { return missing() };
        let Some((_, file)) = file.split_once('/') else { return missing() };
        match file.strip_prefix(NAME) {
            Some("") => self.instead.clone().unwrap_or_else(|| bytes(&self.program)),
            Some(".sha256") => self.sum.as_ref().map_or_else(missing, |sum| bytes(sum.as_bytes())),
            Some(".sig") => {
                self.signature.as_ref().map_or_else(missing, |text| bytes(text.as_bytes()))
            }
            _ => missing(),
        }
    }

    fn description(&self, base: &str) -> Value {
        let asset = |ending: &str| {
            let usual = || format!("{base}/dl/{}/{NAME}{ending}", self.tag);
            let place = self.places.iter().find(|(known, _)| *known == ending);
            let address = place.map_or_else(usual, |(_, place)| place.clone());
            let digest = self.digest.as_ref().filter(|_| ending.is_empty());
            json!({"name": format!("{NAME}{ending}"), "browser_download_url": address, "digest": digest})
        };
        let mut assets = vec![asset("")];
        assets.extend(self.sum.as_ref().map(|_| asset(".sha256")));
        assets.extend(self.signature.as_ref().map(|_| asset(".sig")));
        json!({"tag_name": self.tag, "body": "What is new", "html_url": format!("{base}/page"),
            "prerelease": self.prerelease, "assets": assets})
    }
}

pub(super) fn publish(provider: &Provider, release: &Release) {
    let release = release.clone();
    provider.says(move |path, head| release.answer(path, head));
}

pub(super) fn provider() -> Provider {
    let release = Release::new("v9.0.0", NEW);
    Provider::new(move |path, head| release.answer(path, head))
}

pub(super) fn setup(provider: &Provider) -> Setup {
    let setup = Setup::new();
    let key = setup.scratch().file("release.pub", Publisher::key());
    let program = setup.scratch().file_mode(PROGRAM, "the old program", 0o744);
    setup
        .env("SERVICE_RELEASES_API_BASE", format!("{}/api", provider.base()))
        .env("SERVICE_RELEASE_BASE", format!("{}/dl", provider.base()))
        .env("SERVICE_RELEASE_KEY_FILE", key)
        .env("SERVICE_ARCH", "x86_64")
        .env("RELEASES_TOKEN", "sesame")
        .env("APPIMAGE", program)
}

pub(super) fn text(server: &Server, name: &str) -> String {
    String::from_utf8(server.scratch().read(name)).expect("text")
}

pub(super) fn names(server: &Server) -> Vec<String> {
    let entries = fs::read_dir(server.scratch().path("opt")).expect("a folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("text")).collect();
    names.sort();
    names
}

#[track_caller]
pub(super) fn refused(server: &Server, route: &str, error: &str) {
    let request =
        if route == CHECK { Request::get(route) } else { Request::post(route, &json!({})) };
    let reply = server.send(&request).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(error), &json!("BAD_REQUEST")));
    assert_eq!(text(server, PROGRAM), "the old program");
    assert_eq!(names(server), [NAME], "nothing was left");
}

#[test]
fn the_newest_release_is_described() {
    let provider = provider();
    let server = setup(&provider).start();
    let base = provider.base();
    let status = server.get(CHECK);
    let expected = json!({
        "current": env!("CARGO_PKG_VERSION"), "latest": "9.0.0", "available": true,
        "last_checked": status["last_checked"], "notes": "What is new",
        "bundle": format!("{base}/dl/v9.0.0/{NAME}"), "checksum": hex(NEW),
        "checksum_url": format!("{base}/dl/v9.0.0/{NAME}.sha256"), "sig": true,
        "sig_url": format!("{base}/dl/v9.0.0/{NAME}.sig"), "page": format!("{base}/page"),
        "configured": true,
    });
    assert_eq!(status, expected);
    assert_eq!(server.get("/api/settings")["last_update_check"], status["last_checked"]);
    let seen = provider.seen();
    assert_eq!(seen.len(), 1);
    assert!(seen[0].contains("\r\nauthorization: bearer sesame\r\n"), "{seen:?}");
    assert!(seen[0].contains("\r\nuser-agent: service/"), "{seen:?}");
    for (tag, prerelease) in [
        ("v0.0.1", false),
        ("v9.0.0-rc1", false),
        ("9.0.0+7", false),
        ("nightly", false),
        ("v9.0.0", true),
    ] {
        publish(&provider, &Release { prerelease, ..Release::new(tag, NEW) });
        assert_eq!(server.get("/api/v1/update")["available"], false, "{tag}");
        refused(&server, INSTALL, "Service is already up to date.");
    }
}

#[test]
fn an_unchanged_answer_is_not_sent_again() {
    let provider = provider();
    let server = setup(&provider).start();
    let release = Release::new("v9.0.0", NEW);
    provider.says(move |path, head| {
        if head.contains("\r\nif-none-match: \"one\"\r\n") {
            return Reply::new("304 Not Modified", "application/json", "");
        }
        Reply { head: "200 OK\r\nETag: \"one\"".into(), ..release.answer(path, head) }
    });
    for _ in 0..2 {
        assert_eq!(server.get(CHECK)["latest"], "9.0.0");
    }
    assert!(provider.seen()[1].contains("if-none-match"), "the second asked whether it changed");
}

#[test]
fn a_host_that_does_not_answer_is_named() {
    let provider = provider();
    let mut server = setup(&provider).start();
    for (head, error) in [
        ("404 Not Found", "GitHub releases request failed (404)."),
        ("500 Oh", "GitHub releases request failed (500)."),
        ("403 Forbidden", "GitHub releases request failed (403)."),
        (
            "403 Forbidden\r\nX-RateLimit-Remaining: 0",
            "GitHub releases request failed (403): the limit of requests is reached. Set RELEASES_TOKEN or try again later.",
        ),
        (
            "302 Found\r\nLocation: https://example.org/x",
            "Could not reach GitHub releases: the address is not allowed.",
        ),
        ("200 OK", "GitHub releases sent an answer that is not a release."),
    ] {
        provider.says(move |_, _| Reply::new(head, "application/json", "[1]"));
        refused(&server, CHECK, error);
        refused(&server, INSTALL, error);
    }
    assert_eq!(server.get("/api/settings")["last_update_check"], "", "only a good answer counts");
    drop(provider);
    let reply = server.send(&Request::get(CHECK)).expect(400).json();
    let error = reply["error"].as_str().expect("text");
    assert!(error.starts_with("Could not reach GitHub releases: "), "{error}");
    server.stop();
    let log =
        String::from_utf8_lossy(&fs::read(server.data("service.log")).expect("a log")).into_owned();
    assert!(!log.contains("sesame"), "the token is not logged");
}

#[test]
fn without_an_address_nothing_is_asked_and_without_a_bundle_nothing_installed() {
    let server = Server::start();
    let status = server.get(CHECK);
    assert_eq!((&status["configured"], &status["available"]), (&json!(false), &json!(false)));
    for route in [INSTALL, "/api/v1/update/install", ROLL_BACK] {
        let reply = server.send(&Request::post(route, &json!({}))).expect(400).json();
        assert_eq!(reply["error"], "Automatic updates require the Service AppImage.");
    }
    let setup = Setup::new();
    setup.scratch().file(PROGRAM, "the old program");
    let program = setup.scratch().path(PROGRAM);
    let server = setup.env("APPIMAGE", program).start();
    refused(&server, INSTALL, "This build knows no release address.");
    refused(&server, ROLL_BACK, "There is no previous version to return to.");
    let body = json!({"target": "kernel"});
    let reply = server.send(&Request::post(INSTALL, &body)).expect(400).json();
    assert_eq!(reply["error"], "target is not known.");
}

#[test]
fn a_verified_release_takes_the_place_of_the_program_and_can_be_taken_back() {
    let provider = provider();
    let mut server = setup(&provider).start();
    let backup = server.scratch().path(PREVIOUS);
    let reply = server.post(INSTALL, &json!({}));
    assert_eq!(reply, json!({"installed": "9.0.0", "backup": backup}));
    let both = |server: &Server| (text(server, PROGRAM), text(server, PREVIOUS));
    assert_eq!(both(&server), ("the new program".into(), "the old program".into()));
    assert_eq!(server.scratch().mode(PROGRAM), 0o755);
    assert_eq!(names(&server), [NAME, "Service-x86_64.previous.AppImage"]);
    let notices = server.get("/api/notifications")["notifications"].clone();
    assert_eq!(notices[0]["title"], "An update was installed");
    publish(&provider, &Release::new("v9.1.0", b"the newest program"));
    assert_eq!(server.post("/api/v1/update/install", &json!({}))["installed"], "9.1.0");
    assert_eq!(both(&server), ("the newest program".into(), "the new program".into()));
    let returned = server.post(ROLL_BACK, &json!({}));
    assert_eq!(returned, json!({"restored": server.scratch().path(PROGRAM), "backup": backup}));
    assert_eq!(both(&server), ("the new program".into(), "the newest program".into()));
    server.stop();
}

#[test]
fn a_checksum_may_come_from_either_place() {
    let provider = provider();
    for (sum, digest) in [(true, false), (false, true)] {
        let server = setup(&provider).start();
        let mut release = Release::new("v9.0.0", NEW);
        release.sum = release.sum.filter(|_| sum);
        release.digest = release.digest.filter(|_| digest);
        publish(&provider, &release);
        assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0");
        assert_eq!(text(&server, PROGRAM), "the new program");
    }
}

fn good() -> Release {
    Release::new("v9.0.0", NEW)
}

fn at(ending: &'static str, place: &str) -> Release {
    Release { places: vec![(ending, place.to_owned())], ..good() }
}

fn signed(signature: &Value) -> Release {
    Release { signature: Some(signature.to_string()), ..good() }
}

fn instead(head: &str) -> Release {
    Release { instead: Some(Reply::new(head, "text/plain", "")), ..good() }
}

#[track_caller]
fn all_refused(server: &Server, provider: &Provider, cases: Vec<(&str, Release, &str)>) {
    for (what, release, error) in cases {
        publish(provider, &release);
        let reply = server.send(&Request::post(INSTALL, &json!({}))).expect(400).json();
        assert_eq!(reply["error"], error, "{what}");
        assert_eq!(text(server, PROGRAM), "the old program", "{what}");
        assert_eq!(names(server), [NAME], "{what}");
    }
}

#[test]
fn a_release_with_parts_elsewhere_or_without_them_is_refused() {
    let provider = provider();
    let server = setup(&provider).start();
    let base = provider.base();
    let far = "https://example.org/x";
    let no_assets = "The release is missing verified Service update assets.";
    let no_sum = "The release is missing a SHA-256 checksum for the AppImage.";
    let no_signature = "The release is missing an Ed25519 signature for the AppImage.";
    let far_signature = "The release signature URL is not a trusted Service release asset.";
    let unavailable = "The release checksum is unavailable.";
    let cases = vec![
        ("other host", at("", far), no_assets),
        ("other folder", at("", &format!("{base}/elsewhere/{NAME}")), no_assets),
        ("older folder", at("", &format!("{base}/dl/v8.0.0/{NAME}")), no_assets),
        ("climbing", at("", &format!("{base}/dl/../{NAME}")), no_assets),
        ("no checksum", Release { sum: None, digest: None, ..good() }, no_sum),
        ("far checksum", Release { digest: None, ..at(".sha256", far) }, no_sum),
        ("no signature", Release { signature: None, ..good() }, no_signature),
        ("far signature", at(".sig", far), far_signature),
        ("two checksums", Release { sum: Some(hex(b"other")), ..good() }, unavailable),
        ("no digits", Release { sum: Some("none".into()), digest: None, ..good() }, unavailable),
    ];
    all_refused(&server, &provider, cases);
}

#[test]
fn whatever_was_not_signed_for_this_place_is_refused() {
    let provider = provider();
    let server = setup(&provider).start();
    let forged = "The release signature verification failed.";
    let other_digest = "The release signature does not match the artifact digest.";
    let changed = |key: &str, value: Value| {
        let mut signature = signature_as(NAME, NEW);
        signature[key] = value;
        signed(&signature)
    };
    let stranger = signature_as(NAME, b"other")["signature"].clone();
    let cases = vec![
        ("no JSON", Release { signature: Some("{".into()), ..good() }, forged),
        ("of other bytes", signed(&signature_as(NAME, b"other")), other_digest),
        ("of another file", signed(&signature_as("x.AppImage", NEW)), forged),
        ("other algorithm", changed("algorithm", json!("rsa")), forged),
        ("exchanged signature", changed("signature", stranger), forged),
        ("empty signature", changed("signature", json!("")), forged),
    ];
    all_refused(&server, &provider, cases);
    let notices = server.get("/api/notifications")["notifications"].clone();
    let is_warning =
        |notice: &Value| notice["kind"] == "security" && notice["title"] == "An update was refused";
    assert!(notices.as_array().expect("a list").iter().any(is_warning), "{notices}");
}

#[test]
fn a_signature_that_is_sent_for_elsewhere_is_none_that_was_forged() {
    let provider = provider();
    let server = setup(&provider).start();
    let release = good();
    provider.says(move |path, head| {
        let away = "302 Found\r\nLocation: https://example.org/x";
        let is_signature = path == format!("/dl/v9.0.0/{NAME}.sig");
        if is_signature { Reply::new(away, "x/x", "") } else { release.answer(path, head) }
    });
    let away = "The release signature URL is not a trusted Service release asset.";
    refused(&server, INSTALL, away);
}

#[test]
fn a_download_that_is_not_what_was_signed_is_refused() {
    let provider = provider();
    let server = setup(&provider).start();
    let other = "The downloaded update does not match its SHA-256 checksum.";
    let away = "The update could not be downloaded: the address is not allowed.";
    let cases = vec![
        ("swapped", Release { program: b"something else".to_vec(), ..good() }, other),
        ("shortened", Release { program: NEW[..5].to_vec(), ..good() }, other),
        (
            "the old program again",
            Release::new("v9.0.0", b"the old program"),
            "The release holds the program that is installed already.",
        ),
        (
            "missing",
            instead("404 Not Found"),
            "The update could not be downloaded: the server answered 404.",
        ),
        ("redirect", instead("302 Found\r\nLocation: http://127.0.0.1:9/x"), away),
        ("redirect away", instead("302 Found\r\nLocation: https://example.org/x"), away),
        (
            "oversize",
            instead("200 OK\r\nContent-Length: 2147483649"),
            "The update is larger than 2 GiB.",
        ),
    ];
    all_refused(&server, &provider, cases);
    let short = Reply::new("200 OK\r\nContent-Length: 16", "x/x", NEW);
    publish(&provider, &Release { instead: Some(short), ..good() });
    let reply = server.send(&Request::post(INSTALL, &json!({}))).expect(400).json();
    let error = reply["error"].as_str().expect("text");
    assert!(
        error.starts_with("The update could not be downloaded: the answer broke off"),
        "{error}"
    );
    assert_eq!(names(&server), [NAME]);
    publish(&provider, &good());
    assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0", "a good one is installed");
}

#[test]
fn a_redirect_on_the_same_server_is_followed() {
    let provider = provider();
    let server = setup(&provider).start();
    let release = Release::new("v9.0.0", NEW);
    provider.says(move |path, head| match path.strip_prefix("/moved") {
        Some(path) => release.answer(path, head),
        None if path.ends_with("AppImage") => {
            Reply::new(&format!("302 Found\r\nLocation: /moved{path}"), "text/html", "")
        }
        None => release.answer(path, head),
    });
    assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0");
    let token = provider.seen().into_iter().filter(|head| head.contains("sesame")).count();
    assert_eq!(token, 1, "the token goes to the host of releases only");
}

#[test]
fn a_key_that_cannot_sign_installs_nothing() {
    let provider = provider();
    let mut small = [0; 32];
    small[0] = 1;
    for (key, reason) in [
        (vec![0; 32], "the key is a placeholder"),
        (small.to_vec(), "the key is not a usable point"),
        (vec![5; 31], "the key does not have 32 bytes"),
        (vec![0xff; 32], "the key is not a usable point"),
    ] {
        let setup = setup(&provider);
        let file = setup.scratch().file("other.pub", key);
        let server = setup.env("SERVICE_RELEASE_KEY_FILE", file).start();
        refused(&server, INSTALL, &format!("The release key is unavailable: {reason}."));
    }
}

#[test]
fn the_plain_executable_is_updated_on_request() {
    let name = "Service-x86_64";
    let provider = Provider::new(move |path, head| {
        let host = head.split("host: ").nth(1).and_then(|rest| rest.split("\r\n").next());
        let base = format!("http://{}/dl/v9.0.0", host.expect("a host"));
        let asset = |ending: &str| {
            json!({"name": format!("{name}{ending}"),
            "browser_download_url": format!("{base}/{name}{ending}")})
        };
        let bytes = |bytes: &[u8]| Reply::new("200 OK", "application/octet-stream", bytes);
        match path {
            "/api/releases/latest" => {
                let assets = ["", ".sha256", ".sig"].map(asset);
                Reply::json(&json!({"tag_name": "v9.0.0", "assets": assets}))
            }
            _ => match path.rsplit('.').next() {
                Some("sha256") => bytes(hex(NEW).as_bytes()),
                Some("sig") => bytes(signature_as(name, NEW).to_string().as_bytes()),
                _ => bytes(NEW),
            },
        }
    });
    let setup = setup(&provider);
    let installed = setup.scratch().file_mode("opt/service-launcher", "the old program", 0o755);
    let server = setup.env("SERVICE_INSTALL_DIR", installed.parent().expect("a folder")).start();
    let body = json!({"target": "executable"});
    let backup: PathBuf = server.scratch().path("opt/service-launcher.previous");
    assert_eq!(server.post(INSTALL, &body), json!({"installed": "9.0.0", "backup": backup}));
    assert_eq!(text(&server, "opt/service-launcher"), "the new program");
    let returned = server.post(ROLL_BACK, &body);
    assert_eq!(returned["restored"], json!(installed));
    assert_eq!(text(&server, "opt/service-launcher"), "the old program");
    assert_eq!(text(&server, "opt/service-launcher.previous"), "the new program");
}

#[test]
fn a_kill_in_a_download_leaves_the_program_and_no_leftovers_after_the_next_start() {
    let provider = provider();
    let mut server = setup(&provider).start();
    let (began, begins) = channel();
    let (go, wait) = sync_channel::<()>(0);
    let (began, wait) = (Mutex::new(began), Mutex::new(wait));
    let release = Release::new("v9.0.0", NEW);
    provider.says(move |path, head| {
        if path.ends_with("AppImage") {
            began.lock().expect("no panic").send(()).expect("the test waits");
            // OK because the test lets go when it is over.
            let _ = wait.lock().expect("no panic").recv();
        }
        release.answer(path, head)
    });
    let mut client = server.client();
    let asking =
        thread::spawn(move || client.try_send(&Request::post(INSTALL, &json!({}))).is_err());
    begins.recv().expect("the download begins");
    assert_eq!(names(&server).len(), 2, "a temporary file");
    let second = server.send(&Request::post(INSTALL, &json!({}))).expect(400).json();
    assert_eq!(second["error"], "An update is being installed already.");
    server.kill();
    drop(go);
    assert!(asking.join().expect("no panic"), "no request was answered");
    publish(&provider, &Release::new("v9.0.0", NEW));
    server.restart();
    assert_eq!(text(&server, PROGRAM), "the old program");
    assert_eq!(server.post(INSTALL, &json!({}))["installed"], "9.0.0");
    assert_eq!(text(&server, PROGRAM), "the new program");
    // The start removes the rest of the download during its first answers.
    until("the program and the one before", || (names(&server).len() == 2).then_some(()));
}
