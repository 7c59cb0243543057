//! `/api/saves` and everything below it, and `/api/v2/saves/history`.

use std::{
    ffi::OsStr,
    fs,
    os::unix::{ffi::OsStrExt as _, fs::symlink},
    path::PathBuf,
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::{Stream, started},
    toy::Toy,
    wait::until,
};

const ADD: &str = "/api/saves/add";
const BACKUP: &str = "/api/saves/backup";
const RESTORE: &str = "/api/saves/restore";

/// A library with one game whose saves are a folder and a file.
fn server() -> Server {
    server_with(&json!({}))
}

fn server_with(settings: &Value) -> Server {
    let (setup, library) = setup_with(settings);
    setup.library(&library.to_string()).start()
}

fn setup_with(settings: &Value) -> (Setup, Value) {
    let setup = Setup::new();
    let folder = setup.scratch().folder("saves");
    setup.scratch().file("saves/one.sav", "first");
    setup.scratch().file("saves/deep/two.sav", "second");
    let single = setup.scratch().file("memory.card", "card");
    let library = json!({
        "schema_version": 6,
        "games": [
            {"game_id": "game-a", "name": "Ä/One", "path": "/no/such", "save_paths": [folder, single]},
            {"game_id": "game-b", "name": "Two"},
        ],
        "settings": settings,
    });
    (setup, library)
}

#[track_caller]
fn refused(server: &Server, path: &str, body: &Value, message: &str) {
    let reply = server.send(&Request::post(path, body)).expect(400).json();
    assert_eq!((&reply["error"], &reply["code"]), (&json!(message), &json!("BAD_REQUEST")));
}

fn game() -> Value {
    json!({"game_id": "game-a"})
}

fn backups(server: &Server) -> Vec<String> {
    let listed = server.get("/api/saves?game_id=game-a")["backups"].clone();
    let rows = listed.as_array().expect("a list").iter();
    rows.map(|row| row["name"].as_str().expect("a name").to_owned()).collect()
}

fn restore(server: &Server, backup: &str) -> Value {
    server.post(RESTORE, &json!({"game_id": "game-a", "backup": backup}))
}

#[test]
fn saves_are_archived_listed_and_brought_back() {
    let server = server();
    assert_eq!(server.get("/api/saves?id=0"), json!({"backups": []}));
    let made = server.post(BACKUP, &game());
    let name = made["backup"].as_str().expect("a name").to_owned();
    assert_eq!(made["trimmed"], 0);
    assert!(name.ends_with("-manual.zip") && name.len() == "20261121-180405-123456".len() + 11);
    let listed = server.get("/api/v1/saves?id=0")["backups"].clone();
    assert_eq!(listed.as_array().map(Vec::len), Some(1));
    assert_eq!(listed[0]["name"], name.as_str());
    let folder = fs::read_dir(server.data("save-backups")).expect("a folder").next();
    let folder = folder.expect("one").expect("readable").path();
    let (hash, archive) = (folder.file_name().expect("a name").len(), folder.join(&name));
    assert_eq!(hash, 16);
    assert_eq!(listed[0]["size"], fs::metadata(&archive).expect("there").len());
    assert_eq!(server.scratch().mode(&archive), 0o600);
    assert_eq!(server.scratch().mode(&folder), 0o700);
    server.scratch().file("saves/one.sav", "changed");
    server.scratch().file("saves/new.sav", "stays");
    fs::remove_dir_all(server.scratch().path("saves/deep")).expect("removed");
    fs::remove_file(server.scratch().path("memory.card")).expect("removed");
    assert_eq!(restore(&server, &name), json!({"restored": name}));
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
    assert_eq!(server.scratch().read("saves/deep/two.sav"), b"second");
    assert_eq!(server.scratch().read("saves/new.sav"), b"stays");
    assert_eq!(server.scratch().read("memory.card"), b"card");
    assert_eq!(server.scratch().mode("saves/one.sav"), 0o600);
    let all = backups(&server);
    assert!(all.len() == 2 && all[0].ends_with("-before-restore.zip"), "{all:?}");
    // What was there before can be had back. The card was not there, so it stays as it is.
    restore(&server, &all[0]);
    assert_eq!(server.scratch().read("saves/one.sav"), b"changed");
    assert_eq!(restore(&server, &format!("../../x/{name}"))["restored"], name.as_str());
}

#[test]
fn an_archive_stays_with_a_game_that_is_renamed() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].clone();
    let path = server.scratch().script("games/run.sh", "exit 0");
    let saves = server.get("/api/library")["games"][0]["save_paths"].clone();
    let renamed = json!({"name": "Other", "path": path, "save_paths": saves});
    server.post("/api/game", &json!({"game_id": "game-a", "game": renamed}));
    assert_eq!(server.get("/api/saves?game_id=game-a")["backups"][0]["name"], name);
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let server = server();
    for path in ["/api/saves", "/api/saves/discover", "/api/v2/saves/history"] {
        for query in ["", "?id=9", "?game_id=nothing", "?id=-1"] {
            let reply = server.send(&Request::get(&format!("{path}{query}"))).expect(404).json();
            assert_eq!(reply["code"], "GAME_NOT_FOUND", "{path}{query}");
        }
    }
    for path in [BACKUP, RESTORE, ADD] {
        refused(&server, path, &json!({}), "Game id is required.");
    }
    refused(&server, BACKUP, &json!({"id": 9}), "Game not found");
    refused(&server, RESTORE, &json!({"id": 9, "backup": "a.zip"}), "Game not found");
    refused(&server, BACKUP, &json!({"id": 1}), "No configured save paths currently exist.");
    for backup in [json!(""), json!("none.zip"), json!(".."), json!("/etc/passwd"), json!(7)] {
        let body = json!({"id": 0, "backup": backup});
        refused(&server, RESTORE, &body, "Save backup not found.");
    }
    refused(&server, ADD, &json!({"id": 1, "path": "/no/such"}), "Save path does not exist.");
    refused(&server, ADD, &json!({"id": 1, "path": "relative"}), "Save paths must be absolute.");
    refused(&server, ADD, &json!({"id": 9, "path": "/"}), "Game not found");
}

#[test]
fn a_path_is_added_once() {
    let server = server();
    let path = server.scratch().folder("more");
    for _ in 0..2 {
        let body = json!({"id": 1, "path": path});
        assert_eq!(server.post(ADD, &body), json!({"path": path}));
    }
    assert_eq!(server.get("/api/library")["games"][1]["save_paths"], json!([path]));
    server.post(BACKUP, &json!({"id": 1}));
}

#[test]
fn the_oldest_archives_go() {
    let server = server_with(&json!({"save_backup_limit": 2}));
    let mut made: Vec<String> = Vec::new();
    for trimmed in [0, 0, 1, 1] {
        let reply = server.post(BACKUP, &game());
        assert_eq!(reply["trimmed"], trimmed);
        made.insert(0, reply["backup"].as_str().expect("a name").to_owned());
    }
    assert_eq!(backups(&server), made[..2]);
    // A restore removes nothing, least of all what it restores.
    restore(&server, &made[1]);
    assert_eq!(backups(&server).len(), 3);
    server.post("/api/settings", &json!({"save_backup_limit": 0}));
    assert_eq!(server.post(BACKUP, &game())["trimmed"], 0);
    server.post("/api/settings", &json!({"save_backup_limit": 1}));
    assert_eq!(server.post(BACKUP, &game())["trimmed"], 4);
    assert_eq!(backups(&server).len(), 1);
}

#[test]
fn roots_must_be_those_of_the_game() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    let body = json!({"id": 0, "backup": name});
    let more = server.scratch().folder("more");
    server.post(ADD, &json!({"id": 0, "path": more}));
    let (count, before) = (backups(&server).len(), server.scratch().read("saves/one.sav"));
    refused(&server, RESTORE, &body, "Save backup roots do not match this game.");
    assert_eq!((backups(&server).len(), server.scratch().read("saves/one.sav")), (count, before));
}

#[test]
fn a_root_of_another_type_is_refused() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    fs::remove_file(server.scratch().path("memory.card")).expect("removed");
    server.scratch().folder("memory.card");
    let body = json!({"id": 0, "backup": name});
    refused(&server, RESTORE, &body, "Save backup root type does not match this game.");
}

#[test]
fn an_archive_without_a_root_that_was_not_there_is_restored() {
    let server = server();
    fs::remove_file(server.scratch().path("memory.card")).expect("removed");
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    server.scratch().file("memory.card", "later");
    server.scratch().file("saves/one.sav", "later");
    restore(&server, &name);
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
    assert_eq!(server.scratch().read("memory.card"), b"later");
}

#[test]
fn links_are_neither_archived_nor_written_through() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    let outside = server.scratch().file("outside/two.sav", "not ours");
    symlink(&outside, server.scratch().path("saves/link")).expect("linked");
    let inside = "Save backup source contains a symlink: link";
    refused(&server, BACKUP, &game(), inside);
    fs::remove_file(server.scratch().path("saves/link")).expect("removed");
    fs::remove_dir_all(server.scratch().path("saves/deep")).expect("removed");
    symlink(server.scratch().path("outside"), server.scratch().path("saves/deep")).expect("linked");
    let body = json!({"id": 0, "backup": name});
    server.scratch().file("saves/one.sav", "mine");
    refused(&server, RESTORE, &body, "Save backup destination is a symlink: deep/two.sav");
    assert_eq!(fs::read(outside).expect("there"), b"not ours");
    assert_eq!(server.scratch().read("saves/one.sav"), b"mine");
    // A configured path that is a link itself, or lies behind one.
    let link = server.scratch().path("linked");
    symlink(server.scratch().path("outside"), &link).expect("linked");
    for path in [link.clone(), link.join("two.sav")] {
        let body = json!({"game": {"name": "Two", "path": server.scratch().script("g.sh", "exit 0"),
            "save_paths": [path]}, "game_id": "game-b"});
        server.post("/api/game", &body);
        refused(&server, BACKUP, &json!({"id": 1}), "Save backup source is a symlink:");
    }
}

#[test]
fn archives_are_restored_in_a_data_directory_behind_a_link() {
    let (setup, library) = setup_with(&json!({}));
    setup.scratch().file_mode("other-disk/data/library.json", library.to_string(), 0o600);
    symlink(setup.scratch().path("other-disk"), setup.scratch().path("linked")).expect("linked");
    let server = setup.data_dir("linked/data").start();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    server.scratch().file("saves/one.sav", "changed");
    assert_eq!(restore(&server, &name), json!({"restored": name}));
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
}

#[test]
fn nothing_is_written_or_removed_behind_a_link_in_place_of_a_folder_of_archives() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    server.post("/api/settings", &json!({"save_backup_limit": 1}));
    let top = server.data("save-backups");
    let own = fs::read_dir(&top).expect("a folder").next().expect("one").expect("readable").path();
    let own_name = own.file_name().expect("a name").to_string_lossy().into_owned();
    let body = json!({"id": 0, "backup": name});
    for folder in [&own, &top] {
        let away = server.scratch().path("away");
        fs::rename(folder, &away).expect("moved");
        symlink(&away, folder).expect("linked");
        let count = || fs::read_dir(server.scratch().path("away")).expect("there").count();
        let before = count();
        let message = format!("Save backup destination is a symlink: save-backups/{own_name}");
        refused(&server, BACKUP, &game(), &message);
        assert_eq!((backups(&server).len(), count()), (0, before), "{}", folder.display());
        refused(&server, RESTORE, &body, "Save backup not found.");
        fs::remove_file(folder).expect("removed");
        fs::rename(&away, folder).expect("moved back");
    }
    restore(&server, &name);
}

#[test]
fn a_hard_link_outside_keeps_its_content() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    let outside = server.scratch().file("outside/kept", "mine");
    fs::remove_file(server.scratch().path("saves/one.sav")).expect("removed");
    fs::hard_link(&outside, server.scratch().path("saves/one.sav")).expect("linked");
    restore(&server, &name);
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
    assert_eq!(fs::read(outside).expect("there"), b"mine");
}

#[test]
fn names_that_are_no_text_come_back() {
    let server = server();
    let odd: Vec<PathBuf> = [
        &b"saves/\xff\xfe.sav"[..],
        b"saves/back\\slash",
        b"saves/50% \n",
        b"saves/\xe9t\xe9/ONE",
        b"saves/\xe9t\xe9/one",
        b"saves/C:x",
    ]
    .iter()
    .map(|name| server.scratch().path(OsStr::from_bytes(name)))
    .collect();
    for path in &odd {
        server.scratch().file(path, path.as_os_str().as_bytes());
    }
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    for path in &odd {
        fs::remove_file(path).expect("removed");
    }
    restore(&server, &name);
    for path in &odd {
        assert_eq!(fs::read(path).expect("there"), path.as_os_str().as_bytes(), "{path:?}");
    }
}

#[test]
fn save_paths_are_found_where_emulators_keep_them() {
    let setup = Setup::new();
    let scratch = setup.scratch();
    let card = scratch.folder("home/config/PCSX2/memcards");
    let state = scratch.file("home/config/retroarch/states/Chrono Trigger.state1", "x");
    let sram = scratch.file("home/.var/app/org.libretro.RetroArch/config/retroarch/saves/snes/Chrono Trigger (Europe).srm", "x");
    let cloud = scratch.folder("home/share/Steam/userdata/7/620/remote");
    scratch.folder("home/.steam");
    symlink(scratch.path("home/share/Steam"), scratch.path("home/.steam/steam")).expect("linked");
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "p", "name": "Shared", "platform": "PlayStation 2"},
        {"game_id": "r", "name": "Chrono-Trigger", "path": "/r/Chrono Trigger (Europe).sfc"},
        {"game_id": "s", "name": "Portal 2", "store_a_app_id": "620"},
        {"game_id": "n", "name": "!!!", "platform": "NES"},
    ]});
    let server = setup.library(&library.to_string()).start();
    let discover =
        |id: &str| server.get(&format!("/api/saves/discover?game_id={id}"))["candidates"].clone();
    let shared = json!([{"path": card, "label": "PlayStation 2 shared saves", "shared": true}]);
    assert_eq!(discover("p"), shared);
    let found = discover("r");
    assert_eq!(found[0], json!({"path": state, "label": "RetroArch save", "shared": false}));
    assert_eq!((&found[1]["path"], found.as_array().map(Vec::len)), (&json!(sram), Some(2)));
    let remote = json!([{"path": cloud, "label": "Store cloud", "shared": false}]);
    assert_eq!(discover("s"), remote);
    assert_eq!(discover("n"), json!([]));
    let scan = server.post("/api/saves/scan", &json!({}));
    assert_eq!(server.get("/api/saves/scan"), scan, "asking is no change");
    assert_eq!(scan, json!({"count": 3, "games": {"p": [card], "r": [state, sram], "s": [cloud]}}));
    let applied = server.post("/api/v1/saves/scan/apply", &json!({}));
    assert_eq!(applied, json!({"updated": 3, "games": 3}));
    let again = server.post("/api/saves/scan/apply", &json!({}));
    assert_eq!(again, json!({"updated": 0, "games": 1}), "the shared root stays a proposal");
    assert_eq!((discover("r"), discover("s")), (json!([]), json!([])));
    server.post(ADD, &json!({"game_id": "p", "path": card}));
    assert_eq!(discover("p"), json!([]));
    server.post(BACKUP, &json!({"game_id": "r"}));
}

#[test]
fn the_library_tells_which_games_have_saves() {
    let setup = Setup::new();
    let scratch = setup.scratch();
    scratch.file("home/config/retroarch/saves/Chrono Trigger.srm", "x");
    scratch.folder("home/share/Steam/userdata/7/620/remote");
    let library = json!({"schema_version": 6, "games": [
        {"game_id": "p", "name": "Shared", "platform": "PlayStation 2"},
        {"game_id": "r", "name": "Chrono-Trigger"},
        {"game_id": "s", "name": "Portal 2", "store_a_app_id": "620"},
        {"game_id": "c", "name": "Configured", "save_paths": [scratch.folder("saves")]},
        {"game_id": "g", "name": "Gone", "save_paths": [scratch.path("gone")]},
    ]});
    let server = setup.library(&library.to_string()).start();
    let with_saves = || {
        let library = server.get("/api/library");
        let games = library["games"].as_array().expect("games").iter();
        let games = games.filter(|game| game["has_saves"] == true);
        games.filter_map(|game| Some(game["game_id"].as_str()?.to_owned())).collect::<Vec<_>>()
    };
    assert_eq!(with_saves(), ["r", "s", "c"]);
    let delta = server.get("/api/library/delta?ids=r,g");
    let games = &delta["games"];
    assert_eq!((&games[0]["has_saves"], &games[1]["has_saves"]), (&json!(true), &json!(false)));
    let game = json!({"name": "Comet", "platform": "SNES"});
    for (file, look) in [
        ("Comet", Request::post("/api/v2/library/manual-entry", &json!({"game": game}))),
        ("Gone", Request::post("/api/saves/scan", &json!({}))),
        ("Shared", Request::post("/api/saves/scan/apply", &json!({}))),
    ] {
        server.scratch().file(format!("home/config/retroarch/saves/{file}.srm"), "x");
        server.send(&look).expect(200);
        let library = server.get("/api/library");
        let mut games = library["games"].as_array().expect("games").iter();
        let game = games.find(|game| game["name"] == file).expect("there");
        assert_eq!(game["has_saves"], true, "{file}");
        fs::remove_file(server.scratch().path(format!("home/config/retroarch/saves/{file}.srm")))
            .expect("removed");
    }
    server.scratch().folder("home/config/PCSX2/memcards");
    server.scratch().folder("gone");
    until("the saves that came", || (with_saves() == ["p", "r", "s", "c", "g"]).then_some(()));
}

#[test]
fn the_history_is_read_tried_and_pruned() {
    let server = server();
    let first = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    server.scratch().file("saves/one.sav", "changed");
    server.post(BACKUP, &game());
    let history = server.get("/api/v2/saves/history?id=0");
    assert_eq!((&history["game_id"], &history["keep"]), (&json!("game-a"), &json!(10)));
    let oldest = &history["versions"][1];
    assert_eq!((&oldest["name"], &oldest["label"]), (&json!(first), &json!("manual")));
    assert!(oldest["created"].as_str().is_some_and(|made| made.ends_with("+00:00")));
    let body = json!({"id": 0, "backup": first});
    for path in ["verify", "test-restore"] {
        let proof = server.post(&format!("/api/v2/saves/history/{path}"), &body);
        assert_eq!(proof, json!({"backup": first, "ok": true, "files": 3, "bytes": 15}));
    }
    assert_eq!(server.scratch().read("saves/one.sav"), b"changed");
    let cache = fs::read_dir(server.data("cache")).map_or(0, Iterator::count);
    assert_eq!(cache, 0, "nothing is left of the trial");
    let mut stream = Stream::open(&server);
    let id = started(&server, "/api/v2/saves/history/restore", &body);
    let job = stream.job_end(&server, &id);
    assert_eq!(
        (&job["type"], &job["result"]["restored"]),
        (&json!("saves.restore"), &json!(first))
    );
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
    let id = started(&server, "/api/v2/saves/history/prune", &json!({"id": 0, "keep": 1}));
    let job = stream.job_end(&server, &id);
    assert_eq!(job["result"], json!({"removed": 2, "kept": 1}));
    for (keep, message) in
        [(json!("x"), "keep must be an integer."), (json!(-1), "keep must be >= 0.")]
    {
        refused(&server, "/api/v2/saves/history/prune", &json!({"id": 0, "keep": keep}), message);
    }
    for path in ["verify", "test-restore", "restore"] {
        let path = format!("/api/v2/saves/history/{path}");
        refused(&server, &path, &json!({"id": 0}), "backup is required.");
        let body = json!({"id": 0, "backup": "none.zip"});
        let reply = server.send(&Request::post(&path, &body)).expect(404).json();
        assert_eq!(reply["error"], "Save backup not found.");
    }
}

#[test]
fn a_damaged_archive_is_told() {
    let server = server();
    let name = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    let folder = fs::read_dir(server.data("save-backups")).expect("a folder").next();
    let archive = folder.expect("one").expect("readable").path().join(&name);
    let mut bytes = fs::read(&archive).expect("there");
    let at = bytes.windows(5).rposition(|five| five == b"roots").expect("a member");
    bytes[at] = b'x';
    let message = "Save backup archive is invalid.";
    for damage in [Vec::new(), b"no zip".to_vec(), bytes[..bytes.len() - 40].to_vec(), bytes] {
        fs::write(&archive, damage).expect("written");
        let body = json!({"id": 0, "backup": name});
        refused(&server, RESTORE, &body, message);
        let request = Request::post("/api/v2/saves/history/verify", &body);
        let reply = server.send(&request).expect(400).json();
        assert_eq!(
            (&reply["code"], &reply["error"]),
            (&json!("SAVE_BACKUP_INVALID"), &json!(message))
        );
    }
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
}

#[test]
fn clients_at_the_same_time_take_turns() {
    let server = server();
    let first = server.post(BACKUP, &game())["backup"].as_str().expect("a name").to_owned();
    let other = json!({"id": 0, "backup": first});
    std::thread::scope(|scope| {
        for turn in 0..8 {
            let (server, other) = (&server, &other);
            scope.spawn(move || match turn % 2 {
                0 => server.post(BACKUP, &game()),
                _ => server.post(RESTORE, other),
            });
        }
    });
    let all = backups(&server);
    assert_eq!(all.len(), 9, "each made one: {all:?}");
    for backup in all {
        let body = json!({"id": 0, "backup": backup});
        let proof = server.post("/api/v2/saves/history/verify", &body);
        assert_eq!((&proof["files"], &proof["bytes"]), (&json!(3), &json!(15)));
    }
    assert_eq!(server.scratch().read("saves/one.sav"), b"first");
}

#[test]
fn saves_are_archived_when_a_game_is_closed() {
    let server = Server::start();
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let saves = server.scratch().folder("saves");
    let id = toy.add(&server, "Runs", &json!({"save_paths": [saves]}));
    let listed = || server.get(&format!("/api/saves?game_id={id}"))["backups"].clone();
    let play = || {
        let mut stream = Stream::open(&server);
        server.post("/api/launch", &json!({"game_id": id}));
        toy.pid();
        let backup =
            server.send(&Request::post(RESTORE, &json!({"game_id": id, "backup": "a.zip"})));
        assert_eq!(backup.expect(400).json()["error"], "Save backup not found.");
        toy.end(0);
        stream.hear("stopped");
        toy.forget();
    };
    play();
    server.post("/api/settings", &json!({"backup_on_close": true}));
    play();
    let made =
        until("an archive of the closed game", || listed()[0]["name"].as_str().map(str::to_owned));
    assert!(made.ends_with("-on-close.zip"), "{made}");
    assert_eq!(listed().as_array().map(Vec::len), Some(1), "the first session had none");
    let mut stream = Stream::open(&server);
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    let body = json!({"game_id": id, "backup": made});
    refused(&server, RESTORE, &body, "Close the game before restoring its saves.");
    toy.end(0);
    stream.hear("stopped");
}

#[test]
fn an_archive_that_an_earlier_process_owes_is_made_once() {
    let setup = Setup::new();
    let saves = setup.scratch().folder("saves");
    setup.scratch().file("saves/one.sav", "first");
    let row = |id: &str| json!({"game_id": id, "launch_id": format!("launch-{id}")});
    let library = json!({"schema_version": 6,
        "games": [{"game_id": "comet", "name": "Comet", "save_paths": [saves]}],
        "owed_save_archives": [row("comet"), row("gone")]});
    let mut server = setup.library(&library.to_string()).start();
    let listed = |server: &Server| server.get("/api/saves?game_id=comet")["backups"].clone();
    let made = until("the archive", || listed(&server)[0]["name"].as_str().map(str::to_owned));
    assert!(made.ends_with("-on-close.zip"), "{made}");
    let settled = |server: &Server| {
        until("nothing to be owed", || {
            let read = |name: &str| fs::read_to_string(server.data(name)).unwrap_or_default();
            let is_settled = read("library.log").contains("owed_save_archives")
                || !read("library.json").contains("launch-comet");
            is_settled.then_some(())
        });
    };
    settled(&server);
    server.stop();
    server.restart();
    assert_eq!(listed(&server).as_array().map(Vec::len), Some(1));
    // As after a kill between the job and the removal of the row.
    server.stop();
    // OK because a clean stop may leave none.
    drop(fs::remove_file(server.data("library.log")));
    fs::write(server.data("library.json"), library.to_string()).expect("written");
    server.restart();
    settled(&server);
    let jobs = server.get("/api/v2/jobs?type=saves.backup");
    assert_eq!(jobs["jobs"].as_array().map(Vec::len), Some(1), "{jobs}");
}
