//! `/api/v2/scraper/status`, `/search`, `/test` and `/info` against a stand-in for the scraper provider.

use std::{fs, path::Path};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    provider::{Provider, Reply},
    server::{Server, Setup},
};

pub(super) const USER: &str = "ana-of-the-tests";
pub(super) const PASSWORD: &str = "pass word&7=x-secret";
pub(super) const DEVELOPER: &str = "developer-0a1b2c";
pub(super) const DEVELOPER_PASSWORD: &str = "developer-pass-9f8e";
const STATUS: &str = "/api/v2/scraper/status";
const SEARCH: &str = "/api/v2/scraper/search";
const TEST: &str = "/api/v2/scraper/test";
const INFO: &str = "/api/v2/scraper/info";
const REJECTED: &str = "ScreenScraper rejected the login. Check SCRAPER_USER and SCRAPER_PASSWORD.";
const NO_GAME: &str = "ScreenScraper has no such game.";
pub(super) const UNCONFIGURED: &str =
    "Set SCRAPER_USER and SCRAPER_PASSWORD in .env to use ScreenScraper.";

/// The program with a login and this library.
pub(super) fn setup(provider: &Provider, games: &Value) -> Setup {
    let library = json!({"schema_version": 6, "settings": {}, "games": games}).to_string();
    let setup = Setup::new().env("SERVICE_SCRAPER_BASE", format!("{}/api2", provider.base()));
    let setup = setup.env("SCRAPER_USER", USER).env("SERVICE_SCRAPER_PASSWORD", PASSWORD);
    let setup = setup.env("SCRAPER_DEV_ID", DEVELOPER);
    setup.env("SCRAPER_DEV_PASSWORD", DEVELOPER_PASSWORD).library(&library)
}

/// A game in the shape of the provider; `url` is where its media lie.
pub(super) fn jeu(id: &str, name: &str, url: &str) -> Value {
    let media = |kind: &str, region: &str, parent: &str| {
        json!({"type": kind, "parent": parent, "region": region, "crc": "ddf76beb", "size": "5617",
            "format": "png", "url": format!(
                "{url}/api2/mediaJeu.php?devid=D&devpassword=P&softname=s&ssid=U&sspassword=W\
                 &systemeid=4&jeuid={id}&media={kind}({region})")})
    };
    json!({"id": id, "romid": "", "notgame": "false",
        "noms": [{"region": "jp", "text": "Suisei"}, {"region": "us", "text": name}], "cloneof": "0",
        "systeme": {"id": "4", "text": "Super Nintendo"}, "editeur": {"id": "7", "text": "Aster"},
        "developpeur": {"id": "8", "text": "Northlight"}, "joueurs": {"text": "1-2"},
        "note": {"text": "14"}, "synopsis": [{"langue": "en", "text": "Two &quot;pilots&quot;."}],
        "dates": [{"region": "us", "text": "1994-03-18"}],
        "genres": [{"id": "1", "principale": "1", "parentid": "0", "noms": [{"langue": "en", "text": "Shooter"}]}],
        "modes": [], "familles": [], "medias": [media("box-2D", "us", "jeu"), media("wheel", "eu", "jeu"),
            media("logo-monochrome", "", "editeur")]})
}

/// An answer in the envelope of the provider, which repeats what was sent.
pub(super) fn envelope(response: Value) -> Reply {
    let mut response = response;
    response["serveurs"] = json!({"closefornomember": "0", "closeforleecher": "0"});
    if response["ssuser"].is_null() {
        response["ssuser"] = json!({"id": "ana", "niveau": "1", "maxthreads": "1",
            "requeststoday": "12", "maxrequestsperday": "20000"});
    }
    Reply::json(&json!({"header": {"APIversion": "2.0", "success": "true", "error": "",
        "commandRequested": format!("https://x/?ssid={USER}&sspassword={PASSWORD}&devpassword={DEVELOPER_PASSWORD}")},
        "response": response}))
}

/// A sentence in the form in which the provider sends it.
pub(super) fn sentence(status: &str, text: &str) -> Reply {
    Reply::new(status, "application/json; charset=utf-8", text)
}

#[track_caller]
pub(super) fn refused(server: &Server, request: &Request, error: &str) {
    let reply = server.send(request).expect(400).json();
    assert_eq!((&reply["code"], &reply["error"]), (&json!("BAD_REQUEST"), &json!(error)));
}

fn search(query: &str) -> Request {
    Request::get(&format!("{SEARCH}?{query}"))
}

fn info(body: &Value) -> Request {
    Request::post(INFO, body)
}

fn test() -> Request {
    Request::post(TEST, &json!({}))
}

/// Every file below a folder that holds a text.
pub(super) fn files_with(folder: &Path, text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(files_with(&path, text));
        } else if path.is_file() {
            let bytes = fs::read(&path).expect("a file");
            if bytes.windows(text.len()).any(|part| part == text.as_bytes()) {
                found.push(path.display().to_string());
            }
        }
    }
    found
}

/// Nothing of the logins is in an answer, the log or a file.
#[track_caller]
pub(super) fn assert_no_login(server: &Server, answers: &[Value]) {
    let encoded = "pass%20word%267%3Dx-secret";
    for secret in [USER, PASSWORD, encoded, DEVELOPER, DEVELOPER_PASSWORD] {
        for text in answers.iter().chain(&[server.get("/api/settings"), server.get("/api/log")]) {
            assert!(!text.to_string().contains(secret), "{secret} in {text}");
        }
        assert_eq!(files_with(&server.data(""), secret), [""; 0]);
    }
}

#[test]
fn games_are_found_equal_titles_first_and_a_second_look_asks_nobody() {
    let provider = Provider::new(|_, _| envelope(json!({"jeux": [{}]})));
    let base = provider.base();
    let server = setup(&provider, &json!([])).start();
    let status = server.get(STATUS);
    assert_eq!((&status["configured"], &status["cache_entries"]), (&json!(true), &json!(0)));
    assert_eq!(server.get(SEARCH), json!({"results": []}));
    assert!(provider.seen().is_empty(), "nothing was looked for");
    assert_eq!(server.get(&format!("{SEARCH}?q=nothing")), json!({"results": []}));
    assert_eq!(server.get(STATUS)["cache_entries"], 0, "a miss is not kept");
    provider.seen();
    provider.says(move |_, _| {
        let mut rows = vec![
            jeu("901", "Comet Rangers II", &base),
            jeu("900", "Comet Rangers", &base),
            jeu("902", "ZZZ(NOTGAME):Comet Rangers", &base),
        ];
        rows.push(json!({"id": "x", "noms": []}));
        envelope(json!({"jeux": rows}))
    });
    let found = server.get(&format!("{SEARCH}?q=Comet%20Rangers!&platform=snes"));
    let row = |id: &str, name: &str| {
        json!({"scraper_id": id, "name": name, "platform": "SNES", "system_id": "4",
            "system_name": "Super Nintendo", "year": "1994"})
    };
    let rows = [row("900", "Comet Rangers"), row("901", "Comet Rangers II")];
    assert_eq!(found, json!({"results": rows}));
    let seen = provider.seen();
    assert_eq!(seen.len(), 1);
    let line = seen[0].lines().next().expect("a line");
    assert!(line.starts_with("get /api2/jeurecherche.php?output=json&softname="), "{line}");
    for sent in [
        "&devid=developer-0a1b2c",
        "&devpassword=developer-pass-9f8e",
        "&ssid=ana-of-the-tests",
        "&sspassword=pass%20word%267%3dx-secret",
        "&recherche=comet%20rangers%21",
        "&systemeid=4",
    ] {
        assert!(line.contains(sent), "{sent} in {line}");
    }
    let again = server.get(&format!("{SEARCH}?q=comet%20rangers!&platform=SNES&limit=1"));
    assert_eq!(again, json!({"results": [rows[0]]}));
    assert!(provider.seen().is_empty());
    assert_eq!(server.get(STATUS)["cache_entries"], 1);
    refused(&server, &search("q=a&limit=31"), "limit must be <= 30.");
    assert_no_login(&server, &[found, status]);
}

#[test]
fn the_login_is_tested_and_faults_are_told_apart() {
    let provider = Provider::new(|_, _| {
        envelope(json!({"ssuser": {"id": "ana", "niveau": "3", "requeststoday": "12",
            "maxrequestsperday": null}}))
    });
    let server = setup(&provider, &json!([])).start();
    let tested = server.post(TEST, &json!({}));
    assert_eq!(
        (&tested["ok"], &tested["user"]["id"], &tested["user"]["level"]),
        (&json!(true), &json!("ana"), &json!(3))
    );
    let failed = |reason: &str| format!("Could not ask ScreenScraper: {reason}.");
    let nonsense = failed("the server sent something else than it was asked for");
    let closed = "ScreenScraper is closed at the moment. Try again later.".to_owned();
    let developer =
        "ScreenScraper rejected the login. Check SCRAPER_DEV_ID and SCRAPER_DEV_PASSWORD.";
    for (reply, error) in [
        (
            sentence("200 OK", "Erreur de login : Vérifier les identifiants utilisateurs !  "),
            REJECTED.to_owned(),
        ),
        (
            sentence("403 Forbidden", "Erreur de login : Vérifier vos identifiants développeur !"),
            developer.to_owned(),
        ),
        (sentence("423 Locked", "API totalement fermé"), closed.clone()),
        (sentence("401 Unauthorized", "API fermé pour les non membres"), closed),
        (
            sentence("426 Upgrade Required", &format!("Le logiciel {PASSWORD} est banni")),
            "ScreenScraper refused the request: Le logiciel [redacted] est banni".to_owned(),
        ),
        (
            Reply::new(
                "403 Forbidden",
                "text/html; charset=UTF-8",
                "Erreur de login : Vérifier les identifiants utilisateurs !",
            ),
            REJECTED.to_owned(),
        ),
        (sentence("200 OK", ""), nonsense.clone()),
        (sentence("200 OK", "[1]"), nonsense),
        (envelope(json!({"ssuser": {}})), REJECTED.to_owned()),
        (sentence("404 Not Found", ""), failed("the server answered 404 Not Found")),
        (Reply::new("200 OK", "text/html", "<html>"), failed("the server sent a web page")),
        (
            Reply::new("302 Found\r\nLocation: https://evil.example/", "text/plain", ""),
            failed("the server answered 302 Found"),
        ),
        (
            Reply::new(
                "429 Too Many Requests\r\nRetry-After: 600",
                "text/plain",
                "maximum threads",
            ),
            failed("the server answered 429 Too Many Requests"),
        ),
    ] {
        provider.says(move |_, _| reply.clone());
        refused(&server, &test(), &error);
    }
    assert_no_login(&server, &[tested]);
}

#[test]
fn a_game_is_shown_by_its_number() {
    let provider = Provider::new(|_, _| sentence("404 Not Found", "Erreur : Jeu non trouvée !  "));
    let base = provider.base();
    let server = setup(&provider, &json!([])).start();
    refused(&server, &info(&json!({"scraper_id": "7"})), NO_GAME);
    provider.seen();
    provider.says(move |_, _| envelope(json!({"jeu": jeu("900", "Comet Rangers", &base)})));
    let found =
        server.send(&info(&json!({"scraper_id": 900, "platform": "SNES"}))).expect(200).json();
    let url = |media: &str| {
        format!("{}/api2/mediaJeu.php?systemeid=4&jeuid=900&media={media}", provider.base())
    };
    let expected = json!({"id": "900", "name": "Comet Rangers", "description": "Two \"pilots\".",
        "year": "1994", "developer": "Northlight", "publisher": "Aster", "genre": "Shooter",
        "players": "1-2", "rating": 3.5, "region": "us", "platform": "SNES", "media": [
            {"type": "box-2D", "kind": "cover", "url": url("box-2D(us)"), "region": "us", "order": 0},
            {"type": "wheel", "kind": "clear_logo", "url": url("wheel(eu)"), "region": "eu", "order": 0}]});
    assert_eq!(found, expected);
    assert!(provider.seen()[0].contains("&gameid=900 http/1.1"));
    assert_eq!(server.send(&info(&json!({"scraper_id": "900"}))).expect(200).json()["id"], "900");
    assert!(provider.seen().is_empty(), "the second search sent no request");
    for (body, error) in [
        (json!({}), "scraper_id or rom_path is required."),
        (json!({"scraper_id": " ", "rom_path": ""}), "scraper_id or rom_path is required."),
        (json!({"scraper_id": "9&x=1"}), "scraper_id must be a number."),
        (json!({"scraper_id": -1}), "scraper_id must be a number."),
        (json!({"scraper_id": [900]}), "scraper_id must be a number."),
        (json!({"rom_path": "roms/comet.sfc"}), "rom_path must be an absolute path."),
        (json!({"rom_path": "/no/such/file.sfc"}), "ROM file not found."),
        (json!({"rom_path": "/"}), "ROM file not found."),
    ] {
        refused(&server, &info(&body), error);
    }
    assert!(provider.seen().is_empty());
    assert_no_login(&server, &[found]);
}

#[test]
fn a_game_is_shown_by_its_file() {
    let provider = Provider::new(|_, _| envelope(json!({"jeu": jeu("900", "Comet", "http://x")})));
    let server = setup(&provider, &json!([])).start();
    let scratch = server.scratch();
    let rom = scratch.file("roms/Comet (USA).sfc", "123456789");
    let ask = |path: &Path, platform: &str| info(&json!({"rom_path": path, "platform": platform}));
    let found = server.send(&ask(&rom, "SNES")).expect(200).json();
    assert_eq!((&found["id"], &found["media"]), (&json!("900"), &json!([])));
    let seen = provider.seen();
    let line = seen[0].lines().next().expect("a line");
    for sent in [
        "/api2/jeuinfos.php?",
        "&crc=cbf43926",
        "&md5=25f9e794323b453885f5181f1b624d0b",
        "&sha1=f7c3bc1d808e04732adf679965ccc34ca7ae3441",
        "&systemeid=4",
        "&romtype=rom",
        "&romtaille=9",
        "&romnom=comet%20(usa).sfc",
    ] {
        assert!(line.contains(sent), "{sent} in {line}");
    }
    let mut zip = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, content) in [("readme.txt", "x"), ("a/Comet (USA).sfc", "123456789")] {
        zip.start_file(name, zip::write::SimpleFileOptions::default()).expect("a member");
        std::io::Write::write_all(&mut zip, content.as_bytes()).expect("in memory");
    }
    let packed = scratch.file("roms/comet.zip", zip.finish().expect("in memory").into_inner());
    server.send(&ask(&packed, "SNES")).expect(200);
    assert!(provider.seen().is_empty(), "the file in the archive is the same one");
    let large = fs::File::create(scratch.path("roms/large.iso")).expect("created");
    large.set_len((512 << 20) + 1).expect("sparse");
    let large = scratch.path("roms/large.iso");
    refused(&server, &ask(&large, ""), "The ROM file is larger than 512 MB.");
    assert!(provider.seen().is_empty());
}

#[test]
fn damaged_json_is_mended_and_a_used_up_quota_is_checked() {
    let provider = Provider::new(|_, _| {
        let text = "{\"header\":{\"success\":\"true\"},\"response\":{\"jeux\":[{\"id\":\"5\",\"noms\":\
            [{\"region\":\"us\",\"text\":\"It\\'s Comet\"},],\n\t\t}]}}";
        sentence("200 OK", text)
    });
    let server = setup(&provider, &json!([])).start();
    let found = server.get(&format!("{SEARCH}?q=comet"));
    assert_eq!(found["results"][0]["name"], "It's Comet");
    let quota = |used: &'static str| {
        move |path: &str, _: &str| {
            if path.contains("ssuserInfos") {
                return envelope(
                    json!({"ssuser": {"id": "ana", "niveau": "1", "requeststoday": used,
                    "maxrequestsperday": "20000"}}),
                );
            }
            sentence("430 Quota", "Votre quota de scrape est dépassé pour aujourd'hui !")
        }
    };
    provider.says(quota("12"));
    let passing = "Could not ask ScreenScraper: it refused this one request; try again.";
    refused(&server, &search("q=other"), passing);
    provider.says(quota("20000"));
    let used_up = "The requests that ScreenScraper allows for today are used up.";
    refused(&server, &search("q=other"), used_up);
}

#[test]
fn without_a_login_nobody_is_asked() {
    let provider = Provider::new(|_, _| envelope(json!({"jeux": [{}]})));
    for (user, password) in [("", ""), (USER, ""), ("", PASSWORD)] {
        let setup = setup(&provider, &json!([])).env("SCRAPER_USER", user);
        let server = setup.env("SERVICE_SCRAPER_PASSWORD", password).start();
        assert_eq!(server.get(STATUS)["configured"], false);
        let requests = [
            search("q=comet"),
            search(""),
            test(),
            info(&json!({"scraper_id": "900"})),
            info(&json!({})),
            Request::post("/api/v2/scraper/match", &json!({"ids": []})),
        ];
        for request in &requests {
            refused(&server, request, UNCONFIGURED);
        }
    }
    assert!(provider.seen().is_empty());
}
