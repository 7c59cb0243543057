//! What clients cost in memory, and that it is returned.

use std::thread;

use super::assert_serving;
use crate::support::{
    client::{Request, Wire},
    server::Server,
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
    let unread: Vec<Wire> = (0..60)
        .map(|_| {
            let mut wire = server.wire();
            let request = Request::get(DOCUMENT).to_bytes(server.address(), server.token());
            wire.send(&request).expect("sent");
            wire.head().expect("a head").expect(200);
            wire
        })
        .collect();
    let grown = server.status("VmRSS").saturating_sub(before);
    assert!(grown < 60 * 256, "{grown} KiB for {} clients that do not read", unread.len());
    drop(unread);
    assert_returned(&server, before, 16);
}
