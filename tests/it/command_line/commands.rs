//! list, show, play, stop, import, search, jobs, backup, doctor.

use std::{ffi::OsStr, fs, io::Read as _, os::unix::ffi::OsStrExt as _, process::Stdio};

use serde_json::{Value, json};

use super::{command, json_of, printed, refused, run};
use crate::support::{
    library::library,
    server::{Server, Setup},
    toy::Toy,
    wait::until,
};

fn games() -> Value {
    json!([
        {"game_id": "id-trigger", "name": "Chrono Trigger", "platform": "SNES", "favorite": true},
        {"game_id": "id-cross", "name": "Chrono Cross", "platform": "PlayStation"},
        {"game_id": "id-cross-2", "name": "Chrono Cross", "platform": "Nintendo Switch"},
        {"game_id": "id-bad", "name": "Bell\u{7}\u{1b}[31mRed\nLine", "platform": "DOS"},
        {"game_id": "id-hidden", "name": "Secret", "platform": "DOS", "hidden": true},
        {"game_id": "id-wide", "name": "忍者の長い名前のゲーム", "platform": "NES"},
    ])
}

fn service() -> Server {
    let text = json!({"schema_version": 6, "games": games(), "settings": {}}).to_string();
    Setup::new().library(&text).start()
}

#[test]
fn games_are_listed_for_people_and_as_json() {
    let server = service();
    let scratch = server.scratch();
    let text = printed(scratch, &["list"]);
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("NAME"), "{text}");
    assert_eq!(lines.len(), 6, "a head and five games: {text}");
    assert!(text.contains("Bell  [31mRed Line"), "{text}");
    assert!(!text.contains('\u{1b}') && !text.contains("Secret"), "{text}");
    assert!(lines[1].starts_with("Bell"), "sorted by name: {text}");
    let all = json_of(scratch, &["list"]);
    assert_eq!(all.as_array().map(Vec::len), Some(6), "JSON has hidden games too");
    let favorites = json_of(scratch, &["list", "--favorites"]);
    assert_eq!(favorites[0]["game_id"], "id-trigger");
    assert_eq!(favorites.as_array().map(Vec::len), Some(1));
    let platform = printed(scratch, &["list", "--platform", "playstation"]);
    assert!(
        platform.contains("id-cross ") || platform.trim_end().ends_with("id-cross"),
        "{platform}"
    );
    assert_eq!(platform.lines().count(), 2, "{platform}");
    assert_eq!(printed(scratch, &["list", "--limit", "1"]).lines().count(), 2);
    assert_eq!(printed(scratch, &["list", "--platform", "Atari"]), "No game fits.\n");
    assert_eq!(json_of(scratch, &["list", "--platform", "Atari"]), json!([]));
}

#[test]
fn lines_keep_to_the_width_that_is_named() {
    let server = service();
    let output =
        command(server.scratch(), &["list"]).env("COLUMNS", "60").output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    // Wide characters count twice.
    let width =
        |line: &str| line.chars().map(|sign| if sign >= '\u{2e80}' { 2 } else { 1 }).sum::<usize>();
    assert!(text.lines().all(|line| width(line) <= 60), "{text}");
    assert!(text.contains('…'), "{text}");
}

#[test]
fn a_library_of_several_pages_is_listed_whole() {
    let server = Setup::new().library(&library(2_500)).start();
    assert_eq!(json_of(server.scratch(), &["list"]).as_array().map(Vec::len), Some(2_500));
}

#[test]
fn a_game_is_named_by_id_by_name_or_by_a_part_of_it() {
    let server = service();
    let scratch = server.scratch();
    for named in ["id-trigger", "chrono trigger", "TRIGG", "rono tri"] {
        let text = printed(scratch, &["show", named]);
        assert!(text.contains("Id           id-trigger\n"), "{named}: {text}");
        assert!(text.contains("Favorite     yes\n"), "{named}: {text}");
    }
    assert_eq!(json_of(scratch, &["show", "trigger"])["platform"], "SNES");
    let several = refused(scratch, &["play", "chrono"], 1);
    assert!(several.contains("\"chrono\" fits 3 games; name one of them by its id:"), "{several}");
    for id in ["id-trigger", "id-cross", "id-cross-2"] {
        assert!(several.contains(&format!("\n  {id}  Chrono")), "{several}");
    }
    let odd = refused(scratch, &["show", "e"], 1);
    assert!(odd.contains("Bell  [31mRed Line") && !odd.contains('\u{1b}'), "{odd}");
    let twice = refused(scratch, &["show", "Chrono Cross"], 1);
    assert!(twice.contains("fits 2 games") && twice.contains("(Nintendo Switch)"), "{twice}");
    let narrowed = printed(scratch, &["show", "Chrono Cross", "--platform", "PlayStation"]);
    assert!(narrowed.contains("id-cross\n"), "{narrowed}");
    assert_eq!(
        refused(scratch, &["show", "zelda"], 1),
        "service-launcher: No game fits \"zelda\".\n"
    );
    assert_eq!(server.get("/api/running")["running"], json!([]), "nothing was started");
}

#[test]
fn a_search_finds_games_by_words() {
    let server = service();
    let scratch = server.scratch();
    let found = json_of(scratch, &["search", "chrono", "cross"]);
    assert_eq!(found.as_array().map(Vec::len), Some(2), "{found}");
    assert!(printed(scratch, &["search", "trigger"]).contains("id-trigger"));
    assert_eq!(printed(scratch, &["search", "nothing like it"]), "No game fits.\n");
    assert_eq!(printed(scratch, &["search", "chrono", "--limit", "1"]).lines().count(), 2);
}

#[test]
fn a_game_is_played_and_stopped() {
    let server = Server::start();
    let scratch = server.scratch();
    let one = Toy::new(scratch, "games/one", "one.sh");
    let two = Toy::new(scratch, "games/two", "two.sh");
    one.add(&server, "First Toy", &json!({}));
    two.add(&server, "Second Toy", &json!({}));
    assert_eq!(refused(scratch, &["stop"], 1), "service-launcher: No game runs.\n");
    assert_eq!(printed(scratch, &["stop", "--all"]), "No game runs.\n");
    let started = printed(scratch, &["play", "first"]);
    assert!(started.starts_with("First Toy was started as process "), "{started}");
    let pid = one.pid();
    let again = refused(scratch, &["play", "first"], 1);
    assert!(again.contains("already running"), "{again}");
    assert_eq!(json_of(scratch, &["play", "second"])["game"], "Second Toy");
    two.pid();
    let several = refused(scratch, &["stop"], 1);
    assert!(several.contains("First Toy") && several.contains("Second Toy"), "{several}");
    assert!(refused(scratch, &["stop", "third"], 1).contains("No running game fits \"third\"."));
    assert_eq!(printed(scratch, &["stop", "first"]), "First Toy was asked to end.\n");
    until("the first to end", || {
        let running = server.get("/api/running")["running"].as_array().map(Vec::len);
        (running == Some(1) && Toy::state(pid).is_none()).then_some(())
    });
    let stopped = json_of(scratch, &["stop", "--force"]);
    assert_eq!(stopped["stopped"][0]["game"], "Second Toy");
    until("the second to end", || {
        (server.get("/api/running")["running"] == json!([])).then_some(())
    });
}

#[test]
fn folders_are_imported_from_where_the_user_stands() {
    let server = Server::start();
    let scratch = server.scratch();
    scratch.file("home/roms/nes/Alpha (USA).nes", "a");
    scratch.file("home/roms/nes/readme.xyz", "a");
    let mut import = command(scratch, &["import", "roms"]);
    let output = import.current_dir(scratch.path("home")).output().expect("it runs");
    let text = String::from_utf8(output.stdout).expect("UTF-8");
    assert!(text.contains("home/roms: 1 games found, 1 added."), "{text}");
    let folder = scratch.path("home/roms");
    let again = json_of(scratch, &["import", folder.to_str().expect("text")]);
    assert_eq!((&again[0]["found"], &again[0]["added"]), (&json!(1), &json!(0)));
    assert_eq!(json_of(scratch, &["list"])[0]["name"], "Alpha");
    let missing = refused(scratch, &["import", "/no/such/folder"], 1);
    assert_eq!(missing, "service-launcher: /no/such/folder: Folder does not exist.\n");
    let watched = printed(scratch, &["import", "--watched"]);
    assert!(watched.starts_with("the watch folders: 0 games found"), "{watched}");
    let mut odd = command(scratch, &["import"]);
    let output = odd.arg(OsStr::from_bytes(b"/tmp/\xff")).output().expect("it runs");
    assert_eq!(output.status.code(), Some(2), "{output:?}");
    assert!(String::from_utf8(output.stderr).expect("UTF-8").contains("is not valid UTF-8"));
}

#[test]
fn jobs_are_listed_and_a_backup_is_one() {
    let server = service();
    let scratch = server.scratch();
    let path = printed(scratch, &["backup", "--items", "library,settings", "--keep", "3"]);
    assert!(fs::metadata(path.trim_end()).is_ok_and(|file| file.len() > 0), "{path}");
    let job = json_of(scratch, &["backup"]);
    assert_eq!(job["state"], "done");
    let jobs = json_of(scratch, &["jobs"]);
    assert!(jobs.as_array().is_some_and(|jobs| jobs.len() >= 2), "{jobs}");
    assert!(printed(scratch, &["jobs"]).contains(job["job_id"].as_str().expect("an id")));
    assert_eq!(printed(scratch, &["jobs", "--limit", "1"]).lines().count(), 2);
    assert!(refused(scratch, &["jobs", "--cancel", "nobody"], 1).contains("No job fits"));
    assert!(refused(scratch, &["jobs", "--retry", ""], 1).contains("No job fits"));
    let id = job["job_id"].as_str().expect("an id");
    let ended = refused(scratch, &["jobs", "--cancel", id], 1);
    assert!(ended.starts_with("service-launcher: "), "{ended}");
    assert!(refused(scratch, &["backup", "--items", "everything"], 1).len() > 20);
    assert_eq!(
        refused(scratch, &["backup", "--keep", "all"], 2),
        "service-launcher: --keep is a number\n"
    );
}

#[test]
fn without_a_service_each_command_says_so_with_a_code_of_its_own() {
    let setup = Setup::new();
    for words in [
        &["list"][..],
        &["show", "x"],
        &["play", "x"],
        &["stop"],
        &["import", "/tmp"],
        &["search", "x"],
        &["jobs"],
        &["backup"],
    ] {
        let said = refused(setup.scratch(), words, 3);
        assert!(said.starts_with("service-launcher: no service runs for "), "{words:?}: {said}");
        assert!(said.contains("service-launcher --no-browser"), "{said}");
    }
    assert!(!setup.scratch().path("data/library.json").exists(), "nothing was made");
    let mut server = Server::start();
    server.kill();
    assert!(server.data("server.port").exists());
    refused(server.scratch(), &["list"], 3);
}

#[test]
fn a_wrong_line_ends_with_its_own_code() {
    let setup = Setup::new();
    for words in
        [&["list", "x"][..], &["play"], &["list", "--nonsense"], &["fly"], &["completions", "tcsh"]]
    {
        let said = refused(setup.scratch(), words, 2);
        assert_eq!(said.lines().count(), 1, "{words:?}: {said}");
    }
    let said = refused(setup.scratch(), &["lsit"], 2);
    assert!(said.contains("\"lsit\"; did you mean list?"), "{said}");
}

#[test]
fn a_reader_that_leaves_early_ends_it_quietly() {
    let server = Setup::new().library(&library(2_000)).start();
    let mut list = command(server.scratch(), &["list", "--json"]);
    let mut child = list.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it runs");
    let mut pipe = child.stdout.take().expect("a pipe");
    pipe.read_exact(&mut [0; 1]).expect("a byte");
    drop(pipe);
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success() && output.stderr.is_empty(), "{output:?}");
}

#[test]
fn the_doctor_names_what_is_wrong_and_what_to_do() {
    let mut server = service();
    let owner_only = std::os::unix::fs::PermissionsExt::from_mode(0o700);
    fs::set_permissions(server.data(""), owner_only).expect("set");
    let healthy = json_of(server.scratch(), &["doctor"]);
    let find = |report: &Value, name: &str| {
        let mut checks = report["checks"].as_array().expect("a list").iter();
        checks.find(|&check| check["name"] == name).cloned().expect("a check of that name")
    };
    for name in ["data directory", "private files", "library file", "service"] {
        assert_eq!(find(&healthy, name)["outcome"], "ok", "{name}");
    }
    assert!(find(&healthy, "library file")["found"].as_str().expect("text").starts_with("6 games"));
    let text = printed(server.scratch(), &["doctor"]);
    assert!(text.contains("ok       service: answers on 127.0.0.1:"), "{text}");
    server.kill();
    let scratch = server.scratch();
    assert_eq!(find(&json_of(scratch, &["doctor"]), "service")["outcome"], "warning");
    scratch.file("data/library.json", "{\"games\": [");
    let broken = run(scratch, &["doctor"]);
    assert_eq!(broken.status.code(), Some(1), "{broken:?}");
    assert!(broken.stderr.is_empty(), "{broken:?}");
    let text = String::from_utf8(broken.stdout).expect("UTF-8");
    assert!(
        text.contains("broken   library file: ") && text.contains("--restore-backup"),
        "{text}"
    );
    assert_eq!(scratch.read("data/library.json"), b"{\"games\": [", "nothing was changed");
}
