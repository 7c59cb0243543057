//! Badges, settings of emulators, the whole library and sessions (`/api/ach/*`) against a stand-in.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    net::{Ipv4Addr, TcpListener},
    sync::{Mutex, mpsc::channel},
    thread,
};

use serde_json::json;

use crate::support::{
    ach::{KEY, files_with, library, mode, provider, refused, routes, says, setup, with_account},
    client::Request,
    provider::Reply,
    server::Setup,
    stream::Stream,
    toy::Toy,
    wait::until,
};

const SETTINGS: &str = "/api/ach/settings";
const LIBRARY: &str = "/api/ach/library";
const INJECT: &str = "/api/ach/inject";
const BADGE: &str = "/api/ach/badge";

#[test]
fn a_provider_that_hangs_delays_no_other_route() {
    let provider = provider();
    let server = with_account(&provider).start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let game = toy.add(&server, "One", &json!({}));
    let (tell, heard) = channel();
    let (let_go, opened) = channel::<()>();
    let opened = Mutex::new(opened);
    provider.says(move |path, _| {
        tell.send(()).expect("somebody waits");
        // OK because a channel whose other end is gone says so at once.
        let _ = opened.lock().expect("no panic").recv();
        says(path)
    });
    thread::scope(|scope| {
        let hanging = scope.spawn(|| server.get(SETTINGS));
        heard.recv().expect("a request");
        assert_eq!(server.get("/api/library")["ach_configured"], true);
        assert_eq!(server.get("/api/settings")["safe_mode"], false);
        server.post("/api/launch", &json!({"game_id": game}));
        // It runs before the provider says anything.
        toy.pid();
        let_go.send(()).expect("it waits");
        assert_eq!(hanging.join().expect("no panic")["username"], "Ada");
    });
}

#[test]
fn a_provider_that_floods_is_cut_off_and_delays_no_game() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("its address"));
    let server = Setup::new()
        .env("SERVICE_ACH_BASE", format!("{base}/API"))
        .env("ACH_USERNAME", "Ada")
        .env("ACH_API_KEY", KEY)
        .start();
    let toy = Toy::new(server.scratch(), "games/one", "game.sh");
    let game = toy.add(&server, "One", &json!({}));
    let (tell, heard) = channel();
    let (let_go, opened) = channel::<()>();
    thread::scope(|scope| {
        let flood = scope.spawn(move || {
            let mut stream = BufReader::new(listener.accept().expect("a request").0);
            let mut line = String::new();
            while stream.read_line(&mut line).expect("a head") > 2 {}
            let mut stream = stream.into_inner();
            stream
                .write_all(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[")
                .expect("it listens");
            tell.send(()).expect("somebody waits");
            opened.recv().expect("the word to go on");
            let piece = vec![b' '; 64 << 10];
            (0..1_000).take_while(|_| stream.write_all(&piece).is_ok()).count() * piece.len()
        });
        let asking = scope.spawn(|| server.send(&Request::get(SETTINGS)).expect(400).json());
        heard.recv().expect("a request");
        server.post("/api/launch", &json!({"game_id": game}));
        // It runs in the middle of the answer.
        toy.pid();
        let_go.send(()).expect("it waits");
        let reply = asking.join().expect("no panic");
        let error = reply["error"].as_str().expect("a sentence");
        assert!(error.contains("larger than 8 MiB"), "{error}");
        let sent = flood.join().expect("no panic");
        // What was refused, and what the sockets hold.
        assert!(sent < 48 << 20, "{sent} bytes were taken");
    });
}

#[test]
fn badges_are_loaded_once() {
    let provider = provider();
    let server = setup(&provider).start();
    let reply = server.send(&Request::get(&format!("{BADGE}?name=250001&locked=0"))).expect(200);
    assert_eq!(
        (reply.header("Content-Type"), reply.body()),
        (Some("image/png"), b"\x89PNG\r\n\x1a\nbadge".to_vec())
    );
    server.send(&Request::get(&format!("{BADGE}?name=250001&locked=1"))).expect(200);
    server.send(&Request::get(&format!("{BADGE}?name=250001"))).expect(200);
    let seen = provider.seen();
    let paths: Vec<_> = seen.iter().filter_map(|head| head.split(' ').nth(1)).collect();
    assert_eq!(paths, ["/badge/250001.png", "/badge/250001_lock.png"]);
    let folder = server.data("media/achievements/badges");
    assert!(folder.join("250001.png").is_file() && folder.join("250001_lock.png").is_file());
    // Other signs do not count.
    server.send(&Request::get(&format!("{BADGE}?name=..%2F2500%2F01"))).expect(200);
    assert!(provider.seen().is_empty());
    for name in ["", "name=", "name=..%2F", "name=unknown"] {
        let reply = server.send(&Request::get(&format!("{BADGE}?{name}"))).expect(404).json();
        assert_eq!(
            (&reply["code"], &reply["error"]),
            (&json!("BADGE_NOT_FOUND"), &json!("Badge not found")),
            "{name}"
        );
    }
    provider.says(|_, _| Reply::new("200 OK", "image/png", "<html>"));
    server.send(&Request::get(&format!("{BADGE}?name=page"))).expect(404);
    assert!(!folder.join("page.png").exists());
}

#[test]
fn emulators_get_the_account_and_keep_the_rest() {
    let provider = provider();
    let setup = with_account(&provider);
    let retroarch = "config_save_on_exit = \"true\"\ncheevos_enable = \"false\"\ncheevos_password = \"\"\n\
        cheevos_username = \"old\"\nvideo_driver = \"vulkan\"\n";
    let dolphin = "[Other]\r\nUsername = me\r\n[Achievements]\r\nEnabled = False\r\nHardcoreEnabled = True\r\n";
    let pcsx2 = "[UI]\nTheme = dark\n\n[Achievements]\nEnabled = false\nTestMode = false\nToken = old\n\n[EmuCore]\nEnabled = 1\n";
    let scratch = setup.scratch();
    scratch.file_mode("home/.config/retroarch/retroarch.cfg", retroarch, 0o644);
    scratch.file("home/.config/dolphin-emu/RetroAchievements.ini", dolphin);
    scratch.file("home/.var/app/net.pcsx2.PCSX2/config/PCSX2/inis/PCSX2.ini", pcsx2);
    scratch.folder("home/.var/app/org.DolphinEmu.dolphin-emu/config/dolphin-emu");
    scratch.folder("home/.config/PCSX2/inis/PCSX2.ini");
    let home = scratch.path("home");
    let server = setup.start();
    let path = |name: &str| home.join(name).display().to_string();
    let answer = server.post(INJECT, &json!({}));
    assert_eq!(
        answer,
        json!({
            "updated": [
                path(".config/retroarch/retroarch.cfg"),
                path(".config/dolphin-emu/RetroAchievements.ini"),
                path(".var/app/org.DolphinEmu.dolphin-emu/config/dolphin-emu/RetroAchievements.ini"),
                path(".var/app/net.pcsx2.PCSX2/config/PCSX2/inis/PCSX2.ini"),
            ],
            "skipped": [
                format!("{}: the folder of its settings is missing",
                    path(".var/app/org.libretro.RetroArch/config/retroarch/retroarch.cfg")),
                format!("{}: it is not a plain file", path(".config/PCSX2/inis/PCSX2.ini")),
            ],
        })
    );
    assert!(!answer.to_string().contains(KEY));
    let read = |name: &str| fs::read_to_string(home.join(name)).expect("a file");
    assert_eq!(
        read(".config/retroarch/retroarch.cfg"),
        format!(
            "config_save_on_exit = \"true\"\ncheevos_enable = \"true\"\ncheevos_password = \"{KEY}\"\n\
             cheevos_username = \"Ada\"\nvideo_driver = \"vulkan\"\ncheevos_token = \"{KEY}\"\n"
        )
    );
    assert_eq!(mode(&home.join(".config/retroarch/retroarch.cfg")), 0o600);
    assert_eq!(
        read(".config/dolphin-emu/RetroAchievements.ini"),
        format!(
            "[Other]\r\nUsername = me\r\n[Achievements]\r\nEnabled = True\r\nHardcoreEnabled = True\r\n\
             Username = Ada\r\nApiToken = {KEY}\r\n"
        )
    );
    assert_eq!(
        read(".var/app/org.DolphinEmu.dolphin-emu/config/dolphin-emu/RetroAchievements.ini"),
        format!("[Achievements]\nEnabled = True\nUsername = Ada\nApiToken = {KEY}\n")
    );
    let pcsx2 = ".var/app/net.pcsx2.PCSX2/config/PCSX2/inis/PCSX2.ini";
    assert_eq!(
        read(pcsx2),
        format!(
            "[UI]\nTheme = dark\n\n[Achievements]\nEnabled = true\nTestMode = false\nToken = {KEY}\n\
             Username = Ada\n\n[EmuCore]\nEnabled = 1\n"
        )
    );
    server.post("/api/v1/ach/inject", &json!({"token": "login-token"}));
    assert!(read(pcsx2).contains("Token = login-token\n") && !read(pcsx2).contains(KEY));
    let odd = "The credentials hold characters that settings of emulators cannot.";
    refused(&server, INJECT, &json!({"token": "a\"b"}), odd);
    assert!(provider.seen().is_empty());
}

#[test]
fn the_whole_library_is_read_in_one_request() {
    let provider = provider();
    let games = json!([
        {"game_id": "a", "name": "A", "ach_game_id": "90001"},
        {"game_id": "b", "name": "B", "ach_game_id": 90001},
        {"game_id": "c", "name": "C", "ach_game_id": "5"},
        {"game_id": "d", "name": "D"},
    ]);
    let server = library(with_account(&provider), &games).start();
    let job = server.send(&Request::post(LIBRARY, &json!({}))).expect(202).json();
    assert_eq!(job["state"], "queued");
    let job = job["job_id"].as_str().expect("an id").to_owned();
    let done = until("the job", || {
        let shown = server.get("/api/v2/jobs")["jobs"][0].clone();
        (shown["job_id"] == job.as_str() && shown["state"] == "done").then_some(shown)
    });
    assert_eq!(done["result"], json!({"listed": 2, "games": 2, "updated": 2}), "{done}");
    assert_eq!(routes(&provider), ["getusercompletionprogress"]);
    let games = server.get("/api/library")["games"].clone();
    let earned: Vec<_> = (0..4).map(|at| games[at]["ach_achievements_earned"].clone()).collect();
    assert_eq!(earned, [json!(3), json!(3), json!(0), json!(0)]);
    assert_eq!(
        (&games[0]["ach_mastered"], &games[2]["ach_mastered"]),
        (&json!(true), &json!(false))
    );
    assert_eq!(server.get("/api/v2/insights/mastery")["overall"]["ach_mastered"], 2);
    assert_eq!(files_with(&server.data(""), KEY), [""; 0]);
}

#[test]
fn a_session_brings_its_achievements() {
    let provider = provider();
    let server = with_account(&provider).start();
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let id = toy.add(&server, "Runs", &json!({"ach_game_id": "90001"}));
    let other = Toy::new(server.scratch(), "others", "run.sh");
    let unknown = other.add(&server, "Unknown", &json!({}));
    for (toy, id) in [(&other, &unknown), (&toy, &id)] {
        let mut stream = Stream::open(&server);
        server.post("/api/launch", &json!({"game_id": id}));
        toy.pid();
        toy.end(0);
        stream.hear("stopped");
    }
    let job = until("what the session brought", || {
        let jobs = server.get("/api/v2/jobs")["jobs"].clone();
        let jobs = jobs.as_array().expect("a list").clone();
        let mine: Vec<_> =
            jobs.into_iter().filter(|job| job["type"] == "achievements.session").collect();
        assert!(mine.len() <= 1, "{mine:?}");
        mine.into_iter().find(|job| !job["result"].is_null())
    });
    let result = &job["result"];
    assert_eq!(
        (&result["game_id"], &result["earned"], &result["total"]),
        (&json!(id), &json!(2), &json!(3))
    );
    let unlocked = result["unlocked"].as_array().expect("a list");
    assert_eq!((unlocked.len(), &unlocked[0]["title"]), (1, &json!("Orbit")));
    assert_eq!(routes(&provider), ["getgameinfoanduserprogress"]);
    let games = server.get("/api/library")["games"].clone();
    let mut games = games.as_array().expect("a list").iter();
    let game = games.find(|game| game["game_id"] == id.as_str()).expect("it is there");
    assert_eq!(game["ach_achievements_earned"], 2);
}

#[test]
fn what_another_program_counted_shows_in_the_library_and_the_recap() {
    let setup = Setup::new();
    let toy = Toy::new(setup.scratch(), "games/one", "game.sh");
    let server = setup.start();
    let game = toy.add(&server, "One", &json!({}));
    let file = format!("data/cache/achievements/{game}.json");
    let counts = |earned: u32| {
        json!({"game_id": game, "earned": earned, "earned_hardcore": earned, "total": 4,
            "progress_pct": 25 * earned, "mastered": earned == 4})
        .to_string()
    };
    server.scratch().file(&file, counts(1));
    let mastered = || server.get("/api/library")["games"][0]["ach_mastered"].clone();
    assert_eq!(mastered(), false);
    server.post("/api/launch", &json!({"game_id": game}));
    toy.pid();
    server.scratch().file(&file, counts(4));
    toy.end(0);
    let recap = until("the recap", || {
        let recap = server.send(&Request::get("/api/v2/sessions/recap"));
        (recap.status == 200).then(|| recap.json())
    });
    assert_eq!((&recap["ach"]["earned"], &recap["ach"]["earned_delta"]), (&json!(4), &json!(3)));
    until("the library to show it", || (mastered() == true).then_some(()));
}
