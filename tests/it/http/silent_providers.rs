//! Providers that accept requests and never answer do not delay other requests.

use std::{
    io::{ErrorKind, Write as _},
    net::{Ipv4Addr, TcpListener, TcpStream},
    sync::mpsc::channel,
    thread,
};

use serde_json::json;

use crate::support::{client::Request, server::Setup};

/// More than the slow lane has workers.
const CROWD: usize = 10;

#[test]
fn a_launch_is_answered_while_many_requests_wait_for_a_provider() {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
    let base = format!("http://{}", listener.local_addr().expect("its address"));
    let (asked, is_asked) = channel::<TcpStream>();
    let games = json!([
        {"game_id": "comet", "name": "Comet", "platform": "PC", "store_a_app_id": "900200"},
    ]);
    let library = json!({"schema_version": 6, "games": games}).to_string();
    let setup = Setup::new().env("SERVICE_STORE_A_BASE", base).library(&library);
    let mut server = setup.start();
    thread::spawn(move || {
        listener.incoming().try_for_each(|stream| asked.send(stream.expect("one")))
    });
    let request = Request::post("/api/metadata/store-a", &json!({"game_id": "comet"}));
    let waiting: Vec<_> = (0..CROWD)
        .map(|_| {
            let mut stream = TcpStream::connect(server.address()).expect("connected");
            let bytes = request.to_bytes(server.address(), server.token());
            stream.write_all(&bytes).expect("sent");
            stream
        })
        .collect();
    // Held open and never answered.
    let held = is_asked.recv().expect("a request");
    // By the time that so many later requests were answered all of these are with their workers.
    for _ in 0..100 {
        server.send(&Request::get("/api/queue")).expect(200);
    }
    server.send(&Request::post("/api/launch", &json!({"game_id": "comet"}))).expect(400);
    server.send(&Request::post("/api/health", &json!({}))).expect(200);
    let is_unanswered = |stream: &TcpStream| {
        stream.set_nonblocking(true).expect("set");
        stream.peek(&mut [0]).is_err_and(|error| error.kind() == ErrorKind::WouldBlock)
    };
    assert!(waiting.iter().all(is_unanswered), "the launch waited for the provider");
    server.kill();
    drop((held, waiting));
}
