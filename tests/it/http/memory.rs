//! What clients cost in memory, and that it is returned.

use std::thread;

use super::assert_serving;
use crate::support::{
    client::{Request, Wire},
    library::library,
    server::{Server, Setup},
    wait::until,
};

const DOCUMENT: &str = "/api/openapi.json";

/// Waits until the program has no more than so many MiB above an earlier value.
#[track_caller]
fn assert_returned(server: &Server, before: u64, mebibytes: u64) {
    until("memory is given back", || {
        (server.status("VmRSS") < before + (mebibytes << 10)).then_some(())
    });
    assert_serving(server);
}

/// Clients that ask for a path, read the head of the answer and then nothing.
fn unread(server: &Server, path: &str, count: usize) -> Vec<Wire> {
    let ask = |_| {
        let mut wire = server.wire();
        let request = Request::get(path).to_bytes(server.address(), server.token());
        wire.send(&request).expect("sent");
        wire.head().expect("a head").expect(200);
        wire
    };
    (0..count).map(ask).collect()
}

/// More games than are kept as text: parts of their answer are rendered while they are sent.
#[test]
fn a_large_library_is_the_same_for_everybody_and_costs_those_who_do_not_read_little() {
    let server = Setup::new().library(&library(14_000)).start();
    let ask = || server.send(&Request::get("/api/library")).expect(200);
    let first = ask();
    assert!(first.wire.len() > 33 << 20, "{} bytes", first.wire.len());
    let again = ask();
    assert_eq!(again.header("ETag"), first.header("ETag"));
    assert!(again.wire == first.wire, "another text with the same tag");
    let packed = Request::get("/api/library").header("Accept-Encoding", "gzip");
    let packed = server.send(&packed).expect(200);
    assert_eq!(packed.header("ETag"), first.header("ETag"));
    let before = server.status("VmRSS");
    let unread = unread(&server, "/api/library", 40);
    let grown = server.status("VmRSS").saturating_sub(before);
    assert!(grown < 40 * 512, "{grown} KiB for {} clients that do not read", unread.len());
    drop(unread);
    assert_returned(&server, before, 16);
}

#[test]
fn the_document_of_the_interface_is_made_once_and_shared() {
    let server = Server::start();
    server.get(DOCUMENT);
    let before = server.status("VmRSS");
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| (0..4).for_each(|_| drop(server.get(DOCUMENT))));
        }
    });
    let unread = unread(&server, DOCUMENT, 60);
    let grown = server.status("VmRSS").saturating_sub(before);
    assert!(grown < 60 * 256, "{grown} KiB for {} clients that do not read", unread.len());
    drop(unread);
    assert_returned(&server, before, 16);
}
