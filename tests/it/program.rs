//! The executable by itself: its command line, start, stop, and a second start.

use std::{fs, net::TcpListener, process::Output};

use rustix::{
    fs::{FlockOperation, flock},
    process::Signal,
};
use serde_json::json;

use crate::support::{
    library::library,
    server::{Server, Setup, program},
    wait::until,
};

fn run(setup: Setup) -> Output {
    setup.command().output().unwrap()
}

#[test]
fn version_and_help_print_and_start_nothing() {
    for (flag, expected) in
        [("--version", env!("CARGO_PKG_VERSION")), ("--help", "--data-dir"), ("-h", "--no-browser")]
    {
        let setup = Setup::new().arg(flag);
        let data = setup.scratch().path("data");
        let output = run(setup);
        assert!(output.status.success(), "{flag}: {output:?}");
        assert!(String::from_utf8_lossy(&output.stdout).contains(expected), "{flag}: {output:?}");
        assert!(!data.join("server.port").exists() && !data.join("library.json").exists());
    }
}

#[test]
fn an_unknown_argument_is_named_and_refused() {
    let output = run(Setup::new().arg("--no-such-option"));
    assert!(!output.status.success());
    assert!(String::from_utf8_lossy(&output.stderr).contains("no-such-option"), "{output:?}");
    assert!(output.stdout.is_empty());
}

#[test]
fn it_listens_on_loopback_only_and_prints_no_token() {
    let server = Server::start();
    let port = format!(":{:04X}", server.address().port());
    let listening: Vec<_> = ["tcp", "tcp6"]
        .iter()
        .flat_map(|table| {
            let text = fs::read_to_string(format!("/proc/{}/net/{table}", server.pid()));
            text.unwrap_or_default().lines().map(str::to_owned).collect::<Vec<_>>()
        })
        .filter_map(|line| {
            let mut fields = line.split_whitespace().skip(1);
            let (local, _, state) = (fields.next()?, fields.next()?, fields.next()?);
            (local.ends_with(&port) && state == "0A").then(|| local.to_owned())
        })
        .collect();
    assert_eq!(listening, [format!("0100007F{port}")]);
    assert!(!server.log().contains(server.token()), "{}", server.log());
}

#[test]
fn both_stop_signals_end_it_cleanly_with_everything_folded() {
    for signal in [Signal::TERM, Signal::INT] {
        let mut server = Setup::new().library(&library(3)).start();
        server.post("/api/favorite", &json!({"id": 0}));
        let expected = server.get("/api/library")["games"][0]["favorite"].clone();
        server.signal(signal);
        assert!(server.wait().success(), "{signal:?}");
        for name in ["server.token", "server.port"] {
            assert!(!server.data(name).exists(), "{name} after {signal:?}");
        }
        let file: serde_json::Value =
            serde_json::from_slice(&server.scratch().read("data/library.json")).unwrap();
        assert_eq!(file["games"][0]["favorite"], expected, "folded at stop");
        assert_eq!(server.scratch().mode("data/library.json"), 0o600);
    }
}

#[test]
fn a_second_start_hands_over_to_the_first() {
    let server = Server::start();
    let mut second = std::process::Command::new(program());
    second.arg("--no-browser").arg("--data-dir").arg(server.data(""));
    let output = second.env("HOME", server.scratch().path("home")).output().unwrap();
    assert!(output.status.success(), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    assert!(printed.contains(&format!("http://{}", server.address())), "{printed}");
    assert!(!printed.contains(server.token()), "{printed}");
    server.get("/api/settings");
    assert!(server.data("server.port").exists() && server.data("server.token").exists());
}

#[test]
fn files_of_a_killed_run_do_not_hinder_the_next() {
    let mut server = Server::start();
    server.kill();
    assert!(server.data("server.port").exists(), "a kill cleans nothing up");
    server.restart();
    server.get("/api/settings");
    server.stop();
}

#[test]
fn a_lock_that_nobody_answers_for_is_waited_for() {
    let mut server = Server::start();
    server.kill();
    // What a killed run leaves for a moment: its lock, its address, and a socket that says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = silent.local_addr().unwrap().port();
    server.scratch().file("data/server.port", port.to_string());
    let lock = fs::File::open(server.data(".library.json.lock")).unwrap();
    flock(&lock, FlockOperation::NonBlockingLockExclusive).unwrap();
    let asked = std::thread::spawn(move || {
        drop(silent.accept().unwrap());
        flock(&lock, FlockOperation::Unlock).unwrap();
    });
    server.restart();
    asked.join().unwrap();
    assert_ne!(server.address().port(), port);
    server.get("/api/settings");
}

#[test]
fn the_data_directory_is_made_and_private() {
    let server = Setup::new().data_dir("made/for/me").start();
    server.get("/api/library");
    assert_eq!(server.scratch().mode("made/for/me"), 0o700);
}

#[test]
fn a_data_directory_that_is_a_file_is_an_error_in_words() {
    let setup = Setup::new().data_dir("file");
    setup.scratch().file("file", "");
    let output = run(setup);
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    let printed = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(!printed.is_empty() && !printed.contains("panicked"), "{printed}");
}

#[test]
fn what_is_no_file_in_the_place_of_one_of_ours_is_refused_in_one_line() {
    for name in ["library.json", "library.json.bak", "library.log", "server.token", "service.log"] {
        for kind in ["folder", "pipe", "device"] {
            let setup = Setup::new();
            let path = setup.scratch().path("data").join(name);
            match kind {
                "folder" => fs::create_dir(&path).unwrap(),
                "pipe" => {
                    rustix::fs::mkfifoat(rustix::fs::CWD, &path, 0o600.into()).unwrap();
                }
                _ => std::os::unix::fs::symlink("/dev/zero", &path).unwrap(),
            }
            let output = run(setup);
            let printed = String::from_utf8_lossy(&output.stderr).into_owned();
            assert_eq!(output.status.code(), Some(1), "{name}, {kind}: {output:?}");
            assert_eq!(printed.lines().count(), 1, "{name}, {kind}: {printed}");
            assert!(printed.contains(&format!("{name} is not a file")), "{printed}");
        }
    }
    let setup = Setup::new();
    setup.scratch().file("data/backups", "");
    let printed = String::from_utf8_lossy(&run(setup).stderr).into_owned();
    assert!(printed.contains("backups is not a folder"), "{printed}");
}

#[test]
fn leftovers_of_a_kill_are_removed_at_the_next_start() {
    let mut server = Server::start();
    server.kill();
    let leftovers =
        ["operations.json", "server.token", "media/a.png", "backups/a.zip"].map(|name| {
            let path = server.data(name);
            let hidden =
                format!(".{}.0123456789ab.tmp", path.file_name().unwrap().to_str().unwrap());
            path.with_file_name(hidden)
        });
    let unfinished = server.data("exports").join(format!(".{}.partial", "0".repeat(32)));
    for path in leftovers.iter().chain([&unfinished]) {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "unfinished").unwrap();
        let old = std::time::SystemTime::now() - std::time::Duration::from_mins(1);
        fs::File::options().write(true).open(path).unwrap().set_modified(old).unwrap();
    }
    server.restart();
    for path in leftovers.iter().chain([&unfinished]) {
        until("it is removed", || (!path.exists()).then_some(()));
    }
}

#[test]
fn it_stops_while_clients_are_connected() {
    let mut server = Server::start();
    let mut idle: Vec<_> = (0..20).map(|_| server.wire()).collect();
    let mut busy = server.client();
    busy.get("/api/settings");
    let port = server.address();
    server.stop();
    assert!(idle.iter_mut().all(|wire| wire.closed().unwrap_or(true)));
    until("the port is free", || std::net::TcpStream::connect(port).is_err().then_some(()));
}
