//! The jobs of the scraper provider, `/api/v2/scraper/match` and `/apply`, against a stand-in for it.

use std::fs;

use serde_json::{Value, json};

use super::scraper::{assert_no_login, envelope, jeu, refused, sentence, setup};
use crate::support::{
    client::Request,
    picture::jpeg,
    provider::{Provider, Reply},
    server::{Server, Setup},
    wait::until,
};

const MATCH: &str = "/api/v2/scraper/match";
const APPLY: &str = "/api/v2/scraper/apply";
const CRC_OF_ONE: &str = "cbf43926";
const MD5_OF_ONE: &str = "25f9e794323b453885f5181f1b624d0b";

fn game(id: &str, name: &str, path: &str) -> Value {
    json!({"game_id": id, "name": name, "platform": "SNES", "path": path})
}

/// The program with games whose files lie below its scratch folder.
fn start(provider: &Provider, games: &[(&str, &str, &str)]) -> Server {
    let scratch = setup(provider, &json!([]));
    let rows = games.iter().map(|(id, name, file)| {
        let path = scratch.scratch().path(file);
        game(id, name, if file.is_empty() { "" } else { path.to_str().expect("a text") })
    });
    let library = json!({"schema_version": 6, "settings": {}, "games": rows.collect::<Vec<_>>()});
    for (content, file) in [("123456789", "one.sfc"), ("two", "two.sfc")] {
        scratch.scratch().file(file, content);
    }
    Setup::library(scratch, &library.to_string()).start()
}

/// The document of a job once it has ended.
fn ended(server: &Server, job: &Value) -> Value {
    until("the job to end", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].clone();
        let found = jobs.as_array()?.iter().find(|row| row["job_id"] == *job)?.clone();
        let is_over = !["queued", "running", "cancelling"].contains(&found["state"].as_str()?);
        is_over.then_some(found)
    })
}

fn work(server: &Server, path: &str, body: &Value) -> Value {
    let queued = server.send(&Request::post(path, body)).expect(202).json();
    assert_eq!(queued["state"], "queued");
    ended(server, &queued["job_id"])
}

fn row(server: &Server, id: &str) -> Value {
    let games = server.get("/api/library")["games"].as_array().expect("games").clone();
    games.into_iter().find(|game| game["game_id"] == id).expect("the game")
}

fn picture() -> Reply {
    Reply::new("200 OK", "image/png", jpeg(16, 16, 1))
}

#[test]
fn games_are_certain_when_two_checksums_agree() {
    let provider = Provider::new(move |path, head| {
        let line = head.lines().next().unwrap_or_default();
        let one = json!({"jeu": jeu("900", "Comet Rangers", "http://x")});
        if path.contains("jeuRecherche") {
            let hit = if line.contains("nothing") {
                json!({})
            } else {
                jeu("905", "Comet Two", "http://x")
            };
            return envelope(json!({"jeux": [hit]}));
        }
        if line.contains(CRC_OF_ONE) || line.contains(MD5_OF_ONE) {
            return envelope(one);
        }
        sentence("404 Not Found", "Erreur : Jeu non trouvée !  ")
    });
    let games = [
        ("a", "comet", "one.sfc"),
        ("b", "Comet Two", "two.sfc"),
        ("c", "nothing", "two.sfc"),
        ("d", "nothing", ""),
        ("e", "nothing", "gone.sfc"),
    ];
    let server = start(&provider, &games);
    let body = json!({"ids": ["a", "b", "c", "d", "e"], "apply_confident": true});
    let job = work(&server, MATCH, &body);
    assert_eq!(
        (&job["state"], &job["type"], &job["title"]),
        (&json!("done"), &json!("scraper.match"), &json!("Scraper Match"))
    );
    let output = &job["output"];
    assert_eq!(output["count"], 5);
    let matches = output["matches"].as_array().expect("matches");
    let sure = json!({"game_id": "a", "name": "comet", "status": "matched", "matched_by": "hash",
        "confidence": "dual", "scraper_id": "900", "match_name": "Comet Rangers", "applied": true});
    assert_eq!(matches[0], sure);
    let by_title = json!({"game_id": "b", "name": "Comet Two", "status": "matched",
        "matched_by": "title", "confidence": "title", "scraper_id": "905", "match_name": "Comet Two"});
    assert_eq!(matches[1], by_title);
    let rest: Vec<_> = matches[2..].iter().map(|it| it["status"].as_str()).collect();
    assert_eq!(rest, [Some("not_found"), Some("no_rom"), Some("no_rom")]);
    assert_eq!(matches[4]["hash_error"], "ROM file not found.");
    let (a, b) = (row(&server, "a"), row(&server, "b"));
    assert_eq!(
        (&a["scraper_id"], &a["genre"], &a["name"]),
        (&json!("900"), &json!("Shooter"), &json!("comet"))
    );
    assert_eq!(
        (&b["scraper_id"], &b["genre"]),
        (&json!(""), &json!("")),
        "a title waits for the user"
    );
    assert_no_login(&server, &[job]);
}

#[test]
fn what_cannot_be_matched_is_refused_at_once() {
    let provider = Provider::new(|_, _| envelope(json!({"jeux": [{}]})));
    let server = start(&provider, &[("a", "comet", "one.sfc")]);
    let many: Vec<String> = (0..101).map(|number| format!("g{number}")).collect();
    for (body, error) in [
        (json!({"ids": many}), "At most 100 ids can be matched at once."),
        (json!({"ids": "a"}), "ids must be a list."),
        (json!({"ids": [null]}), "ids must be a list of game ids."),
        (json!({"ids": ["gone"]}), "A selected game no longer exists."),
        (json!({"ids": ["a"], "apply_confident": 1}), "apply_confident must be true or false."),
    ] {
        refused(&server, &Request::post(MATCH, &body), error);
    }
    assert!(provider.seen().is_empty());
}

#[test]
fn a_used_up_quota_ends_the_job_and_keeps_what_was_found() {
    let provider = Provider::new(|path, head| {
        if path.contains("ssuserInfos") {
            return envelope(json!({"ssuser": {"id": "ana", "niveau": "1", "requeststoday": "9",
                "maxrequestsperday": "9"}}));
        }
        if head.contains(CRC_OF_ONE) || head.contains(MD5_OF_ONE) {
            return envelope(json!({"jeu": jeu("900", "Comet Rangers", "http://x")}));
        }
        sentence("430 Quota", "Votre quota de scrape est dépassé pour aujourd'hui !")
    });
    let server = start(&provider, &[("a", "comet", "one.sfc"), ("b", "Comet Two", "two.sfc")]);
    let job = work(&server, MATCH, &json!({}));
    assert_eq!(job["state"], "partial");
    let used_up = "The requests that ScreenScraper allows for today are used up.";
    assert_eq!(job["output"]["errors"], json!([used_up]));
    assert_eq!(
        (&job["output"]["count"], &job["output"]["matches"][0]["scraper_id"]),
        (&json!(1), &json!("900"))
    );
    let job = work(&server, MATCH, &json!({"ids": ["b"]}));
    assert_eq!((&job["state"], &job["error"]), (&json!("error"), &json!(used_up)));
}

#[test]
fn a_job_that_waits_for_the_provider_ends_when_it_is_cancelled() {
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let (asked, is_asked) = std::sync::mpsc::channel();
    let provider = Provider::new(move |_, _| {
        // OK because the test may be over.
        let _ = asked.send(());
        let _ = held.lock().expect("no panic").recv();
        envelope(json!({"jeux": [{}]}))
    });
    // Dropped before the provider, which otherwise would wait for it.
    let held_back = release;
    let server = start(&provider, &[("a", "comet", "one.sfc")]);
    let queued = server.send(&Request::post(MATCH, &json!({"ids": ["a"]}))).expect(202).json();
    is_asked.recv().expect("a request");
    let id = queued["job_id"].as_str().expect("an id");
    server.send(&Request::post("/api/v2/jobs/cancel", &json!({"job_id": id})));
    assert_eq!(ended(&server, &queued["job_id"])["state"], "cancelled");
    drop(held_back);
}

#[test]
fn a_game_gets_texts_and_media() {
    let provider = Provider::new(|_, _| picture());
    let base = provider.base();
    provider.says(move |path, _| {
        if path.contains("jeuInfos") {
            let mut jeu = jeu("900", "Comet Rangers", &base);
            let rows = jeu["medias"].as_array_mut().expect("media");
            for (kind, place) in [("ss", "1"), ("ss", "2"), ("video", "3"), ("manuel", "4"), ("box-3D", "5")] {
                rows.push(json!({"type": kind, "parent": "jeu", "url": format!("{base}/file/{place}?sspassword=W")}));
            }
            rows.push(json!({"type": "box-2D-back", "parent": "jeu", "url": "https://evil.example/x.png"}));
            return envelope(json!({"jeu": jeu}));
        }
        match path.split('?').next().unwrap_or_default() {
            "/file/3" => Reply::new("200 OK", "video/mp4", "\0\0\0\x18ftypmp42 the rest"),
            "/file/4" => Reply::new("200 OK", "application/force-download", "%PDF-1.4 the rest"),
            "/file/5" => sentence("200 OK", "NOMEDIA"),
            _ => picture(),
        }
    });
    let server = start(&provider, &[("a", "My Comet", "one.sfc")]);
    let media =
        json!(["cover", "screenshots", "video_snap", "manual", "box_3d", "box_back", "clear_logo"]);
    let body = json!({"id": "a", "scraper_id": "900", "media": media});
    let job = work(&server, APPLY, &body);
    let output = &job["output"];
    assert_eq!(
        (&job["state"], &output["applied"], &output["game"]),
        (&json!("done"), &json!(true), &json!("My Comet")),
        "{job}"
    );
    assert_eq!(
        output["media"],
        json!(["cover", "clear_logo", "screenshots", "manual", "video_snap"])
    );
    assert_eq!(output["notes"], json!(["box_3d: ScreenScraper has none"]));
    let after = row(&server, "a");
    for (field, value) in [
        ("name", json!("My Comet")),
        ("genre", json!("Shooter")),
        ("year", json!("1994")),
        ("rating", json!(3.5)),
        ("scraper_id", json!("900")),
        ("has_cover", json!(true)),
    ] {
        assert_eq!(after[field], value, "{field}");
    }
    let folders = fs::read_dir(server.data("media/scraper")).expect("a folder");
    let folder = folders.map(|entry| entry.expect("an entry").path()).next().expect("one");
    let name = folder.file_name().expect("a name").to_string_lossy().into_owned();
    assert!(name.starts_with("my-comet-"), "{name}");
    assert_eq!(fs::read(folder.join("cover.jpg")).expect("a cover"), jpeg(16, 16, 1));
    for file in ["screenshots/ss-1.jpg", "screenshots/ss-2.jpg", "manual.pdf", "video_snap.mp4"] {
        assert!(folder.join(file).is_file(), "{file}");
    }
    let progress = &job["progress"];
    assert_eq!(progress["current"], progress["total"], "{progress}");
    assert_no_login(&server, &[job.clone(), after]);
    let again = json!({"id": "a", "fields": ["name"], "replace_existing": true});
    provider.seen();
    assert_eq!(work(&server, APPLY, &again)["output"]["game"], "Comet Rangers");
    assert!(provider.seen().is_empty(), "what is known was kept");
    let undone = json!({"pass_id": job["output"]["pass_id"]});
    server.send(&Request::post("/api/v2/library/passes/undo", &undone)).expect(200);
    assert_eq!(row(&server, "a")["genre"], "");
}

#[test]
fn a_file_that_ends_the_requests_leaves_what_was_received_and_a_word_is_no_picture() {
    let spent = "Votre quota de scrape est dépassé pour aujourd'hui !";
    let user = |used: &str| {
        envelope(json!({"ssuser": {"id": "ana", "niveau": "1", "requeststoday": used,
            "maxrequestsperday": "9"}}))
    };
    let used_up = "The requests that ScreenScraper allows for today are used up.";
    let refusal = "Could not ask ScreenScraper: it refused this one request; try again.";
    let closed = "ScreenScraper is closed at the moment. Try again later.";
    let login = "Erreur de login : Vérifier les identifiants utilisateurs !";
    let rejected = "ScreenScraper rejected the login. Check SCRAPER_USER and SCRAPER_PASSWORD.";
    for (head, used, said, kind, note, is_last) in [
        ("200 OK", "9", spent, "video_snap", used_up, true),
        ("430 Quota", "9", spent, "box_3d", used_up, true),
        ("430 Quota", "1", spent, "box_3d", refusal, false),
        ("423 Locked", "1", "API totalement fermé", "box_3d", closed, true),
        ("200 OK", "1", login, "video_snap", rejected, true),
    ] {
        let provider = Provider::new(|_, _| picture());
        let base = provider.base();
        provider.says(move |path, _| {
            if path.contains("ssuserInfos") {
                return user(used);
            }
            if path.contains("jeuInfos") {
                let mut jeu = jeu("900", "Comet Rangers", &base);
                let bad = if kind == "video_snap" { "video" } else { "box-3D" };
                let rows = jeu["medias"].as_array_mut().expect("media");
                for (kind, place) in [(bad, "9"), ("manuel", "8")] {
                    let url = format!("{base}/file/{place}");
                    rows.push(json!({"type": kind, "parent": "jeu", "url": url}));
                }
                return envelope(json!({"jeu": jeu}));
            }
            if path.starts_with("/file/9") { sentence(head, said) } else { picture() }
        });
        let server = start(&provider, &[("a", "My Comet", "one.sfc")]);
        let body = json!({"id": "a", "scraper_id": "900", "media": ["cover", kind]});
        let job = work(&server, APPLY, &body);
        assert_eq!(job["state"], "partial", "{job}");
        assert_eq!(job["output"]["notes"], json!([format!("{kind}: {note}")]));
        assert_eq!(job["output"]["media"], json!(["cover"]));
        let after = row(&server, "a");
        assert_eq!((&after["has_cover"], &after["genre"]), (&json!(true), &json!("Shooter")));
        if is_last && kind == "box_3d" {
            provider.seen();
            let body = json!({"id": "a", "scraper_id": "900", "fields": ["name"], "media": [kind, "manual"]});
            let job = work(&server, APPLY, &body);
            assert_eq!(job["error"], format!("failed to download selected media: {kind}: {note}"));
            let asked = provider.seen();
            assert!(!asked.iter().any(|seen| seen.contains("/file/8")), "nothing more is asked");
        }
    }
}

#[test]
fn filling_keeps_the_screenshots_that_came_before_the_quota_was_used_up() {
    let provider = Provider::new(|_, _| picture());
    let base = provider.base();
    provider.says(move |path, _| {
        if path.contains("ssuserInfos") {
            return envelope(json!({"ssuser": {"id": "ana", "niveau": "1", "requeststoday": "9",
                "maxrequestsperday": "9"}}));
        }
        if path.contains("jeuInfos") {
            let mut jeu = jeu("900", "Comet Rangers", &base);
            for place in ["1", "2"] {
                let url = format!("{base}/file/{place}");
                let row = json!({"type": "ss", "parent": "jeu", "url": url});
                jeu["medias"].as_array_mut().expect("media").push(row);
            }
            return envelope(json!({"jeu": jeu}));
        }
        let spent = "Votre quota de scrape est dépassé pour aujourd'hui !";
        if path.starts_with("/file/2") { sentence("430 Quota", spent) } else { picture() }
    });
    let mut game = game("a", "My Comet", "");
    game["scraper_id"] = "900".into();
    let server = setup(&provider, &json!([game])).start();
    let body = json!({"ids": ["a"], "media_types": ["screenshots", "manual"]});
    let queued = server.send(&Request::post("/api/v2/metadata/fill", &body)).expect(202).json();
    let job = ended(&server, &queued["job_id"]);
    assert_eq!(job["state"], "partial", "{job}");
    let used_up = "The requests that ScreenScraper allows for today are used up.";
    assert_eq!(job["output"]["errors"], json!([format!("My Comet: scraper: {used_up}")]));
    let shots = row(&server, "a")["screenshots"].clone();
    assert_eq!(shots.as_array().map(Vec::len), Some(1), "{shots}");
}

#[test]
fn odd_requests_and_misses_change_nothing() {
    let provider = Provider::new(|_, _| sentence("404 Not Found", "Erreur : Jeu non trouvée !  "));
    let server = start(&provider, &[("a", "comet", "one.sfc"), ("b", "bare", "")]);
    for (body, error) in [
        (json!({"scraper_id": "900"}), "Game id is required."),
        (json!({"id": "gone", "scraper_id": "900"}), "Game not found"),
        (json!({"id": "a", "fields": ["name", "path"]}), "Invalid field selection."),
        (json!({"id": "a", "fields": "name"}), "fields must be a list of texts."),
        (json!({"id": "a", "media": ["hologram"]}), "Invalid media selection."),
        (json!({"id": "a", "scraper_id": "x"}), "scraper_id must be a number."),
        (json!({"id": "a", "rom_path": "x.sfc"}), "rom_path must be an absolute path."),
        (json!({"id": "b"}), "scraper_id or rom_path is required."),
        (json!({"id": "a", "replace_existing": "yes"}), "replace_existing must be true or false."),
    ] {
        refused(&server, &Request::post(APPLY, &body), error);
    }
    assert!(provider.seen().is_empty());
    let job = work(&server, APPLY, &json!({"id": "a"}));
    assert_eq!(
        (&job["state"], &job["output"]["applied"], &job["output"]["error"]),
        (&json!("done"), &json!(false), &json!("no_match"))
    );
    provider.says(|_, _| {
        sentence("403 Forbidden", "Erreur de login : Vérifier les identifiants utilisateurs !")
    });
    let job = work(&server, APPLY, &json!({"id": "a"}));
    let rejected = "ScreenScraper rejected the login. Check SCRAPER_USER and SCRAPER_PASSWORD.";
    assert_eq!((&job["state"], &job["error"]), (&json!("error"), &json!(rejected)));
    assert_eq!(row(&server, "a")["scraper_id"], "");
}

#[test]
fn an_import_asks_the_provider_where_the_settings_say_so() {
    let provider = Provider::new(|_, _| envelope(json!({"jeu": jeu("900", "Comet", "http://x")})));
    let library =
        json!({"schema_version": 6, "settings": {"scrape_scraper_enabled": true}, "games": []});
    let server = setup(&provider, &json!([])).library(&library.to_string()).start();
    let root = server.scratch().folder("snes");
    server.scratch().file("snes/Comet (USA).sfc", "123456789");
    assert_eq!(server.post("/api/import", &json!({"folder": root}))["added"], 1);
    let job = until("the match", || {
        let jobs = server.get("/api/v2/jobs?type=metadata.match_auto")["jobs"].clone();
        let job = jobs.as_array()?.first()?.clone();
        (job["state"] == "done").then_some(job)
    });
    let output = &job["output"];
    assert_eq!(output["scraper"], json!({"matched": 1, "errors": []}));
    assert_eq!(output["gamedb"], json!({"skipped": "it is switched off in the settings"}));
    let games = server.get("/api/library")["games"].clone();
    assert_eq!((&games[0]["scraper_id"], &games[0]["name"]), (&json!("900"), &json!("Comet")));
    assert_eq!(provider.seen().len(), 2, "two checksums, each asked for alone");
}

/// Gives a provider one game with one cover, and calls `asked` when the cover is requested.
fn with_cover(provider: &Provider, seed: u32, asked: impl Fn() + Send + 'static) {
    let base = provider.base();
    provider.says(move |path, _| {
        if path.contains("jeuInfos") {
            return envelope(json!({"jeu": jeu("900", "Comet Rangers", &base)}));
        }
        asked();
        Reply::new("200 OK", "image/png", jpeg(16, 16, seed))
    });
}

#[test]
fn another_cover_gets_another_name_and_is_taken_back_or_kept_by_a_lock() {
    let provider = Provider::new(|_, _| picture());
    with_cover(&provider, 1, || ());
    let server = start(&provider, &[("a", "My Comet", "one.sfc")]);
    let body = json!({"id": "a", "scraper_id": "900", "fields": [], "media": ["cover"],
        "replace_existing": true});
    work(&server, APPLY, &body);
    let cover = || row(&server, "a")["cover"].as_str().expect("a path").to_owned();
    let first = cover();
    assert!(first.ends_with("/cover.jpg"), "{first}");
    assert_eq!(work(&server, APPLY, &body)["output"]["updated"], json!([]), "the same picture");
    with_cover(&provider, 2, || ());
    let job = work(&server, APPLY, &body);
    assert_eq!(job["output"]["updated"], json!(["cover"]));
    let second = cover();
    assert_ne!(first, second);
    assert_eq!(fs::read(&second).expect("a cover"), jpeg(16, 16, 2));
    assert_eq!(fs::read(&first).expect("the old cover"), jpeg(16, 16, 1));
    let pass = json!({"pass_id": job["output"]["pass_id"]});
    server.send(&Request::post("/api/v2/library/passes/undo", &pass)).expect(200);
    assert_eq!(cover(), first);
    server.post("/api/v2/game/locks", &json!({"game_id": "a", "lock": ["cover"]}));
    with_cover(&provider, 3, || panic!("a locked field was loaded"));
    work(&server, APPLY, &body);
    assert_eq!(cover(), first);
    assert_eq!(fs::read(&first).expect("the old cover"), jpeg(16, 16, 1));
}

/// The job of a game to which something happens while its cover is loaded.
fn disturbed(happens: impl Fn(&Server)) -> (Server, Value) {
    let (asked, is_asked) = std::sync::mpsc::channel();
    let (release, held) = std::sync::mpsc::channel::<()>();
    let held = std::sync::Mutex::new(held);
    let provider = Provider::new(|_, _| picture());
    with_cover(&provider, 1, move || {
        // OK because the test may be over.
        let _ = asked.send(());
        let _ = held.lock().expect("no panic").recv();
    });
    let server = start(&provider, &[("a", "My Comet", "one.sfc")]);
    let body = json!({"id": "a", "scraper_id": "900", "media": ["cover"]});
    let queued = server.send(&Request::post(APPLY, &body)).expect(202).json();
    is_asked.recv().expect("a request");
    happens(&server);
    drop(release);
    let job = ended(&server, &queued["job_id"]);
    (server, job)
}

/// How many files the provider's folders hold.
fn stored(server: &Server) -> usize {
    let folders = fs::read_dir(server.data("media/scraper")).expect("a folder");
    let files =
        folders.flat_map(|entry| fs::read_dir(entry.expect("an entry").path()).expect("it"));
    files.count()
}

#[test]
fn what_was_loaded_for_a_game_that_is_gone_is_removed() {
    let (server, job) = disturbed(|server| {
        server.send(&Request::post("/api/game/delete", &json!({"id": "a"}))).expect(200);
    });
    assert_eq!(job["state"], "error");
    assert_eq!(stored(&server), 0);
}

#[test]
fn what_was_loaded_for_a_field_that_was_locked_meanwhile_is_removed() {
    let (server, job) = disturbed(|server| {
        server.post("/api/v2/game/locks", &json!({"game_id": "a", "lock": ["cover"]}));
    });
    assert_eq!((&job["state"], &job["output"]["media"]), (&json!("done"), &json!([])));
    assert_eq!(row(&server, "a")["cover"], "");
    assert_eq!(stored(&server), 0);
}

#[test]
fn a_game_that_cannot_be_asked_for_makes_a_match_partial() {
    let provider = Provider::new(|_, _| sentence("400 Bad Request", "Champ erroné"));
    let server = start(&provider, &[("a", "comet", "one.sfc")]);
    let job = work(&server, MATCH, &json!({"ids": ["a"]}));
    assert_eq!(
        (&job["state"], &job["output"]["matches"][0]["status"]),
        (&json!("partial"), &json!("error")),
        "{job}"
    );
}
