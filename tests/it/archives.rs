//! Archives from the command line and by themselves: with and without a running service, the weekly
//! backup, the restore drill.

use std::{fs, path::Path, process::Output};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    scratch::Scratch,
    server::{Server, Setup, program},
    stream::{Stream, started},
    toy::Toy,
    wait::until,
};

fn library(settings: &Value) -> String {
    json!({
        "schema_version": 6,
        "games": [{"game_id": "game-a", "name": "One"}, {"game_id": "game-b", "name": "Two"}],
        "settings": settings,
    })
    .to_string()
}

/// Runs the program on the data directory of the scratch directory with these arguments.
fn run(scratch: &Scratch, arguments: &[&str]) -> Output {
    let mut command = std::process::Command::new(program());
    command.env_clear().env("HOME", scratch.path("home")).arg("--data-dir");
    command.arg(scratch.path("data")).args(arguments).output().expect("it runs")
}

/// The line it prints when it ends well.
#[track_caller]
fn line(scratch: &Scratch, arguments: &[&str]) -> String {
    let output = run(scratch, arguments);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    String::from_utf8(output.stdout).expect("text").trim_end().to_owned()
}

/// What it says on stderr when it ends with this code.
#[track_caller]
fn refused(scratch: &Scratch, arguments: &[&str], code: i32) -> String {
    let output = run(scratch, arguments);
    assert_eq!(output.status.code(), Some(code), "{arguments:?}: {output:?}");
    assert!(output.stdout.is_empty(), "{output:?}");
    String::from_utf8(output.stderr).expect("text")
}

fn archives(folder: &Path) -> usize {
    fs::read_dir(folder).map_or(0, Iterator::count)
}

#[test]
fn archives_are_made_and_restored_without_a_service() {
    let setup = Setup::new().library(&library(&json!({"theme": "dark"})));
    let scratch = setup.scratch();
    scratch.file("data/media/one.png", "picture");
    let first = line(scratch, &["--backup"]);
    assert!(Path::new(&first).starts_with(scratch.path("data/backups")), "{first}");
    let listed = |archive: &str| fs::metadata(archive).expect("it is there").len();
    assert!(listed(&first) > 0);
    let full = line(scratch, &["--backup", "--items", "library, MEDIA", "--keep", "1"]);
    assert_eq!(archives(&scratch.path("data/backups")), 1, "only {full} is kept");
    fs::remove_dir_all(scratch.path("data/media")).expect("removed");
    let restored = line(scratch, &["--restore-backup", &full]);
    assert_eq!(restored, "library, media");
    assert_eq!(scratch.read("data/media/one.png"), b"picture");
    // By its name alone, and as seen from the folder that is current.
    let name = Path::new(&full).file_name().and_then(|name| name.to_str()).expect("a name");
    assert_eq!(line(scratch, &["--restore-backup", name, "--items", "media"]), "media");
    let library = fs::read_to_string(scratch.path("data/library.json")).expect("a library");
    assert!(library.contains("game-b") && library.contains("dark"), "{library}");
}

#[test]
fn a_damaged_library_is_restored_and_its_bytes_are_kept() {
    let setup = Setup::new().library(&library(&json!({})));
    let scratch = setup.scratch();
    let archive = line(scratch, &["--backup"]);
    scratch.file("data/library.json", "{\"games\": [");
    let said = refused(scratch, &["--backup"], 1);
    assert!(said.contains("The library cannot be read right now."), "{said}");
    assert_eq!(scratch.read("data/library.json"), b"{\"games\": [");
    assert_eq!(line(scratch, &["--restore-backup", &archive, "--force"]), "library, settings");
    assert_eq!(scratch.read("data/library.before-restore.json"), b"{\"games\": [");
    let library = fs::read_to_string(scratch.path("data/library.json")).expect("a library");
    assert!(library.contains("game-a") && library.contains("game-b"), "{library}");
}

#[test]
fn a_running_service_does_the_work() {
    let server = Setup::new().library(&library(&json!({}))).start();
    let archive = line(server.scratch(), &["--backup", "--items=library"]);
    assert_eq!(server.get("/api/backups")["backups"][0]["path"], archive.as_str());
    server.post("/api/game/delete", &json!({"game_id": "game-b"}));
    let older = refused(server.scratch(), &["--restore-backup", &archive], 1);
    assert!(older.contains("This backup is older than the current library."), "{older}");
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(1));
    let restored = line(server.scratch(), &["--restore-backup", &archive, "--force"]);
    assert_eq!(restored, "library");
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(2));
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let id = toy.add(&server, "Runs", &json!({}));
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    let running = refused(server.scratch(), &["--backup"], 1);
    assert!(running.contains("Close running games before creating a backup."), "{running}");
}

#[test]
fn a_game_that_outlived_the_service_is_waited_for() {
    let mut server = Setup::new().library(&library(&json!({}))).start();
    let archive = line(server.scratch(), &["--backup"]);
    let toy = Toy::new(server.scratch(), "games", "run.sh");
    let id = toy.add(&server, "Runs", &json!({}));
    server.post("/api/launch", &json!({"game_id": id}));
    toy.pid();
    server.stop();
    let running = refused(server.scratch(), &["--backup"], 1);
    assert!(running.contains("Close running games before creating a backup."), "{running}");
    let running = refused(server.scratch(), &["--restore-backup", &archive, "--force"], 1);
    assert!(running.contains("Close running games before restoring a backup."), "{running}");
    toy.end(0);
    server.restart();
    until("the end of the game", || {
        server.get("/api/running")["running"].as_array().is_some_and(Vec::is_empty).then_some(())
    });
}

#[test]
fn what_makes_no_sense_is_refused_with_a_sentence() {
    let setup = Setup::new().library(&library(&json!({})));
    let scratch = setup.scratch();
    scratch.file("data/backups/bad.zip", "no archive");
    scratch.file("outside.zip", "no archive");
    let outside = scratch.path("outside.zip");
    let outside = outside.to_str().expect("text");
    let none = "Select at least one backup item.";
    let place = "Backup path must be a .zip file inside the data directory.";
    let before = scratch.read("data/library.json");
    for (arguments, code, sentence) in [
        (&["--backup", "--items", "everything"][..], 1, none),
        (&["--backup", "--items", ""], 1, none),
        (&["--backup", "--keep=-1"], 1, "Backup retention must be at least 1."),
        (&["--backup", "--keep", "two"], 1, "keep must be an integer."),
        (&["--restore-backup", "missing.zip"], 1, place),
        (&["--restore-backup", outside], 1, place),
        (&["--restore-backup", "bad.zip"], 1, "Backup archive is invalid."),
        (&["--restore-backup"], 2, "restore-backup"),
        (&["--backup", "--items"], 2, "items"),
        (&["--keep", "3"], 2, "go with"),
    ] {
        let said = refused(scratch, arguments, code);
        assert!(said.contains(sentence), "{arguments:?}: {said}");
    }
    assert_eq!(archives(&scratch.path("data/backups")), 1);
    let games =
        |bytes: &[u8]| serde_json::from_slice::<Value>(bytes).expect("json")["games"].clone();
    assert_eq!(games(&scratch.read("data/library.json")), games(&before));
}

/// The first notice, once there is one.
fn notice(server: &Server) -> Value {
    until("a notice", || {
        let notices = server.get("/api/notifications")["notifications"].clone();
        notices.as_array()?.first().cloned()
    })
}

fn jobs(server: &Server, kind: &str) -> usize {
    let found = server.get(&format!("/api/v2/jobs?type={kind}&limit=100"))["jobs"].clone();
    found.as_array().map_or(0, Vec::len)
}

/// A library that wants both, with an automatic backup last made then.
fn weekly(last: &str) -> String {
    library(&json!({"backup_auto_enabled": true, "backup_auto_keep": 2,
        "restore_drill_enabled": true, "last_auto_backup": last}))
}

#[test]
fn a_backup_is_made_every_week_and_tried() {
    for last in ["", "nonsense", "2020-01-01T00:00:00+00:00", "2999-01-01T00:00:00+00:00"] {
        let mut server = Setup::new().library(&weekly(last)).start();
        let row = until("an automatic backup", || {
            let noted = server.get("/api/settings")["last_auto_backup"].clone();
            (noted != last).then(|| server.get("/api/backups")["backups"][0].clone())
        });
        assert_eq!(row["items"], json!(["library", "settings"]), "{last}");
        assert_eq!(server.get("/api/notifications")["notifications"], json!([]));
        // The next look finds a backup and tries it.
        server.stop();
        server.restart();
        let notice = notice(&server);
        assert_eq!(notice["title"], "Restore drill passed", "{notice}");
        let body = format!(
            "{}: 2 games and 0 files came back whole.",
            row["name"].as_str().expect("text")
        );
        assert_eq!(notice["body"], body);
        assert_eq!((jobs(&server, "library.backup"), jobs(&server, "library.drill")), (1, 1));
        assert_eq!(archives(&server.data("backups")), 1);
        assert_ne!(server.get("/api/settings")["last_restore_drill"], "");
        let left = fs::read_dir(server.data("cache")).expect("a folder").count();
        assert_eq!(left, 0, "the drill cleans up");
    }
}

#[test]
fn nothing_is_done_by_itself_unless_it_is_wanted() {
    let server = Setup::new().library(&library(&json!({}))).start();
    let mut stream = Stream::open(&server);
    let id = started(&server, "/api/backup/create", &json!({"automatic": true}));
    stream.job_end(&server, &id);
    assert_eq!((jobs(&server, "library.backup"), jobs(&server, "library.drill")), (1, 0));
    assert_eq!(server.get("/api/settings")["last_auto_backup"], "");
}

#[test]
fn a_drill_catches_a_damaged_archive() {
    let mut server = Setup::new().library(&library(&json!({}))).start();
    server.scratch().file("data/media/one.png", "picture ".repeat(4_000));
    let archive = line(server.scratch(), &["--backup", "--items", "library,media"]);
    server.post("/api/settings", &json!({"restore_drill_enabled": true}));
    server.stop();
    let mut bytes = fs::read(&archive).expect("an archive");
    let at = bytes.windows(13).position(|window| window == b"media/one.png").expect("the member");
    bytes[at + 20] ^= 0x10;
    fs::write(&archive, bytes).expect("damaged");
    server.restart();
    let told = notice(&server);
    assert_eq!((&told["title"], &told["level"]), (&json!("Restore drill failed"), &json!("error")));
    assert!(told["body"].as_str().is_some_and(|body| body.ends_with("Backup archive is invalid.")));
    // What is in use was not touched.
    assert_eq!(server.get("/api/library")["games"].as_array().map(Vec::len), Some(2));
    assert!(!server.data("library.before-restore.json").exists());
    let listed = server.send(&Request::get("/api/backups")).expect(200).json();
    assert_eq!(listed["backups"].as_array().map(Vec::len), Some(1));
}
