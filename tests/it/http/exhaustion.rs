//! Limits that are too low: of addresses, of threads, of file sizes. The program says what it needs or
//! serves within what there is, and is as before once there is more.

use std::{fs, thread};

use rustix::process::Signal;
use serde_json::json;

use super::{PUBLIC, assert_serving};
use crate::support::{
    client::{Request, Wire},
    library::{game_id, library},
    server::{Server, Setup},
    wait::until,
};

const MEGABYTES_400: &str = "--as=400000000";

#[test]
fn too_few_addresses_are_named_in_one_line() {
    for limit in ["--as=200000000", "--as=399999999"] {
        let output = Setup::new().limit(limit).command().output().expect("it runs");
        assert_eq!(output.status.code(), Some(1), "{output:?}");
        let said = String::from_utf8(output.stderr).expect("text");
        assert!(said.contains("400 MB of address space are needed"), "{said}");
        assert_eq!(said.lines().count(), 1, "{said}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn four_hundred_megabytes_of_addresses_suffice() {
    let server = Setup::new().limit(MEGABYTES_400).library(&library(500)).start();
    for number in 0..200 {
        server.scratch().file(format!("roms/Game {number}.nes"), b"x");
    }
    let folder = server.scratch().path("roms");
    let reply = server.post("/api/import", &json!({"folder": folder}));
    assert_eq!(reply["added"], 200);
    thread::scope(|scope| {
        for _ in 0..20 {
            scope.spawn(|| {
                for _ in 0..3 {
                    // On a machine this busy an idle connection may be closed before it is used again.
                    let games =
                        server.client().get("/api/library")["games"].as_array().map(Vec::len);
                    assert_eq!(games, Some(700));
                }
            });
        }
    });
    let crowd: Vec<Wire> = (0..100).map(|_| server.wire()).collect();
    assert_serving(&server);
    drop(crowd);
    assert_serving(&server);
}

/// A program of a user that runs nothing else; none where that takes the rights of root.
fn alone(limits: &str) -> Option<Server> {
    let setup = Setup::new().limit(limits).for_nobody();
    if setup.is_none() {
        eprintln!("the number of threads of a user can be limited by root only");
    }
    Some(setup?.start())
}

#[track_caller]
fn assert_answers(server: &Server, what: &str) {
    until(what, || {
        let reply = server.client().try_send(&Request::get(PUBLIC));
        reply.is_ok_and(|reply| reply.status == 200).then_some(())
    });
}

#[test]
fn connections_never_take_the_last_thread() {
    let Some(server) = alone("--nproc=80") else { return };
    for _ in 0..3 {
        let crowd: Vec<Wire> = (0..60).map(|_| server.wire()).collect();
        assert_answers(&server, "an answer while sixty connections are open");
        assert!(server.status("Threads") < 72, "{} threads", server.status("Threads"));
        drop(crowd);
        assert_serving(&server);
    }
    let failures = server.log();
    assert!(!failures.contains("panicked"), "{failures}");
}

#[test]
fn a_server_without_threads_is_replaced_once_there_are_some() {
    let Some(server) = alone("--nproc=200") else { return };
    let before = server.status("Threads");
    // As if other programs of the user had taken all of them.
    server.limit("--nproc=1:");
    let log = || fs::read_to_string(server.data("service.log")).expect("the log");
    let mut crowd = Vec::new();
    // One after the other: a burst would wait for the threads that are idle.
    until("nothing accepts any more", || {
        if crowd.len() < 100 {
            crowd.extend(Wire::connect(server.address()));
        }
        log().contains("nothing accept").then_some(())
    });
    drop(crowd);
    server.limit("--nproc=200:");
    assert_answers(&server, "an answer once there are threads");
    assert_serving(&server);
    until("threads as before", || (server.status("Threads") < before + 20).then_some(()));
}

#[test]
fn a_file_beyond_the_limit_is_an_error_in_words_and_nothing_is_lost() {
    const GAMES: usize = 20;
    let favorites = |server: &Server| -> Vec<bool> {
        let library = server.get("/api/library");
        let games = library["games"].as_array().expect("games");
        games.iter().map(|game| game["favorite"] == true).collect()
    };
    // The log of the library soon has so many bytes.
    let mut server = Setup::new().library(&library(GAMES)).limit("--fsize=20480:").start();
    let mut client = server.client();
    let mut flags = favorites(&server);
    let mut toggle = |turn: usize| {
        let at = turn % GAMES;
        let reply = client.send(&Request::post("/api/favorite", &json!({"game_id": game_id(at)})));
        flags[at] ^= reply.status == 200;
        reply
    };
    let refused = (0..2_000).map(&mut toggle).find(|reply| reply.status != 200);
    let told = refused.expect("a file that is too large").json();
    assert_eq!(told["error"], "The library could not be saved: File too large");
    server.limit("--fsize=unlimited:");
    assert_eq!(toggle(0).status, 200, "there is room again");
    assert_eq!(favorites(&server), flags, "what was refused did not happen");
    server.kill();
    server.restart();
    assert_eq!(favorites(&server), flags, "what was answered is there");
}

#[test]
fn programs_that_are_started_get_the_usual_actions_of_signals() {
    let setup = Setup::new();
    let seen = setup.scratch().path("seen");
    let look = format!("grep SigIgn /proc/self/status > {0}.new && mv {0}.new {0}", seen.display());
    let look = setup.scratch().script("look", &look);
    let settings = json!({"startup_commands": [look]});
    let library = json!({"games": [], "settings": settings}).to_string();
    let _server = setup.library(&library).start();
    let seen = until("what the command has seen", || fs::read_to_string(&seen).ok());
    let ignored = seen.trim_end().strip_prefix("SigIgn:\t").expect("the ignored signals");
    let ignored = u64::from_str_radix(ignored, 16).expect("a set");
    for signal in [Signal::XFSZ, Signal::PIPE] {
        assert_eq!(ignored & 1 << (signal.as_raw() - 1), 0, "{signal:?}");
    }
}
