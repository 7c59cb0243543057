//! `GET /api/events`.

use std::{
    fs,
    sync::Barrier,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    server::{Server, Setup},
    stream::{Stream, started},
    toy::Toy,
    wait::until,
};

use super::game::create;

const PLACES: usize = 16;

#[test]
fn a_stream_opens_with_its_head_and_a_comment() {
    let server = Server::start();
    let request = Request::get(&format!("/api/events?token={}", server.token())).without_token();
    let (_stream, head) = Stream::ask(&server, &request);
    assert_eq!(head.status, 200);
    for (name, value) in [
        ("Content-Type", "text/event-stream"),
        ("Cache-Control", "no-cache"),
        ("Connection", "close"),
        ("X-Accel-Buffering", "no"),
        ("X-Content-Type-Options", "nosniff"),
    ] {
        assert_eq!(head.header(name), Some(value), "{name}");
    }
    let refused = server.send(&Request::get("/api/events").without_token());
    assert_eq!(refused.expect(403).json(), json!({"error": "Unauthorized"}));
    server.send(&Request::new("HEAD", "/api/events")).expect(200);
}

#[test]
fn jobs_library_changes_and_sessions_are_told() {
    let server = Server::start();
    let mut stream = Stream::open(&server);
    let id = create(&server, "One");
    let changed = stream.hear("library.changed");
    assert_eq!((&changed["game_ids"], &changed["all"]), (&json!([id]), &json!(false)));

    let export = json!({"format": "json", "scope": "all"});
    let job = started(&server, "/api/v2/library/export", &export);
    let queued = stream.hear("job.queued");
    let expected = json!({"job_id": job, "type": "library.export", "title": "Library Export", "state": "queued"});
    assert_eq!(queued, expected);
    let progress = stream.hear("job.progress");
    assert_eq!((&progress["job_id"], &progress["state"]), (&json!(job), &json!("running")));
    let finished = stream.hear("job.finished");
    assert_eq!((&finished["job_id"], &finished["state"]), (&json!(job), &json!("done")));
    assert_eq!((&finished["result"]["count"], &finished["error"]), (&json!(1), &Value::Null));

    let toy = Toy::new(server.scratch(), "games/toy", "game.sh");
    let game = toy.add(&server, "Toy", &json!({}));
    let launch = server.post("/api/launch", &json!({"game_id": game}));
    let event = stream.hear("started");
    assert_eq!((&event["launch_id"], &event["game"]), (&launch["launch_id"], &json!("Toy")));
    let pid = toy.pid();
    assert_eq!(launch["pid"], pid);
    toy.end(3);
    let event = stream.hear("stopped");
    assert_eq!((&event["launch_id"], &event["exit_code"]), (&launch["launch_id"], &json!(3)));

    server.scratch().file("roms/NES/a.nes", "x");
    let folder = json!(server.scratch().path("roms"));
    server.post("/api/import", &json!({"folder": folder}));
    let running = stream.hear("job.progress");
    assert_eq!(running, json!({"job": "import", "folder": folder, "state": "running"}));
    let done = stream.hear("job.progress");
    assert_eq!(
        (&done["state"], &done["added"], &done["found"]),
        (&json!("done"), &json!(1), &json!(1))
    );

    server.post("/api/game/delete", &json!({"game_id": id}));
    while stream.hear("library.changed")["removed"] != json!([id]) {}
}

#[test]
fn the_seventeenth_is_refused_until_a_client_leaves() {
    let server = Server::start();
    let mut streams: Vec<_> = (0..PLACES).map(|_| Stream::open(&server)).collect();
    for path in ["/api/events", "/api/v2/jobs/events"] {
        let refused = server.send(&Request::get(path)).expect(503).json();
        assert_eq!(refused["error"], "Too many event streams.");
        assert_eq!(refused["code"], "SERVICE_UNAVAILABLE");
    }
    drop(streams.pop());
    let mut late = Stream::open(&server);
    server.send(&Request::get("/api/events")).expect(503);
    create(&server, "One");
    for stream in streams.iter_mut().chain([&mut late]) {
        stream.hear("library.changed");
    }
}

/// Reads revisions until the last one or the end of the stream; fails on a gap or a repetition.
/// `seen` is the revision before.
#[track_caller]
fn follow(stream: &mut Stream, mut seen: Option<u64>, last: u64) -> Option<u64> {
    while let Some((name, payload)) = stream.next() {
        if name != "library.changed" {
            continue;
        }
        let revision = payload["revision"].as_u64().expect("a revision");
        assert!(seen.is_none_or(|seen| revision == seen + 1), "{revision} after {seen:?}");
        seen = Some(revision);
        if revision == last {
            break;
        }
    }
    seen
}

/// Follows a stream through bursts of edits and one edit at the end, as long as no gap ends it.
/// Returns the last revision that it brought.
fn live(mut stream: Stream, begin: u64, bursts: u64, each: u64, settled: &Barrier) -> Option<u64> {
    let mut seen = Some(begin);
    let ends = (1..=bursts).map(|burst| burst * each).chain([bursts * each + 1]);
    for (before, end) in (0..=bursts).map(|burst| burst * each).zip(ends) {
        if seen == Some(begin + before) {
            seen = follow(&mut stream, seen, begin + end);
        }
        settled.wait();
    }
    seen
}

#[test]
fn sixteen_streams_tell_a_thousand_edits_and_outlive_the_socket_timeout() {
    const BURSTS: u64 = 4;
    const EACH: u64 = 250;
    let server = Setup::new().env("SERVICE_SOCKET_TIMEOUT", "2").start();
    let id = create(&server, "One");
    let favorite = json!({"game_id": id});
    let mut first = Stream::open(&server);
    server.post("/api/favorite", &favorite);
    let begin = first.hear("library.changed")["revision"].as_u64().expect("a revision");
    let mut streams: Vec<_> = (1..PLACES).map(|_| Stream::open(&server)).collect();
    streams.push(first);
    let mut idle = server.wire();
    let settled = Barrier::new(PLACES + 1);
    let ends: Vec<Option<u64>> = thread::scope(|scope| {
        let settled = &settled;
        let start = |stream| scope.spawn(move || live(stream, begin, BURSTS, EACH, settled));
        let readers: Vec<_> = streams.into_iter().map(start).collect();
        for burst in 0..BURSTS {
            // The connection of the burst before may have been idle for too long.
            let mut client = server.client();
            for number in 0..EACH {
                let reply = client.post("/api/favorite", &favorite);
                assert_eq!(reply["favorite"], (burst * EACH + number) % 2 == 1);
            }
            if drops(&server) == 0 {
                server.send(&Request::get("/api/events")).expect(503);
            }
            settled.wait();
        }
        // A connection that is younger than the streams has been closed for its silence.
        assert!(idle.closed().expect("the end of the connection"));
        server.post("/api/favorite", &favorite);
        settled.wait();
        readers.into_iter().map(|reader| reader.join().expect("no gap")).collect()
    });
    let last = Some(begin + BURSTS * EACH + 1);
    let whole = ends.iter().filter(|end| **end == last).count();
    // One that was dropped as slow saw a beginning without gaps; the others saw everything.
    assert!(whole > 0 && (whole == PLACES || drops(&server) > 0), "{whole} whole streams");
}

fn drops(server: &Server) -> usize {
    let log = fs::read_to_string(server.data("service.log")).expect("a log");
    // Whichever comes first: its queue overflows, or a write to it makes no progress for too long.
    log.matches("too slow and was dropped").count() + log.matches(" went away: ").count()
}

#[test]
fn a_stalled_reader_is_dropped_and_delays_nobody() {
    // Ids as long as this fill the buffers between the program and the reader quickly.
    const GAMES: usize = 100;
    let ids: Vec<_> = (0..GAMES).map(|number| format!("game-{number:0>450}")).collect();
    let games: Vec<_> = ids.iter().map(|id| json!({"game_id": id, "name": "A"})).collect();
    let stored = json!({"schema_version": 6, "games": games}).to_string();
    let server = Setup::new().library(&stored).start();
    let mut stalled = Stream::open(&server);
    stalled.narrow();
    let mut reading = Stream::open(&server);
    let mut client = server.client();
    let mut edits = 0;
    while drops(&server) == 0 {
        edits += 1;
        assert!(edits < 1_500, "the reader that stands still is never dropped");
        let key = if edits % 2 == 1 { "tags_add" } else { "tags_remove" };
        let reply = client.post("/api/tags", &json!({"ids": ids, key: ["x"]}));
        assert_eq!(reply["updated"], GAMES);
        let told = reading.hear("library.changed");
        assert_eq!(told["game_ids"].as_array().map(Vec::len), Some(GAMES));
    }
    client.post("/api/favorite", &json!({"game_id": ids[0]}));
    assert_eq!(reading.hear("library.changed")["game_ids"], json!([ids[0]]));
    // It gets a beginning without gaps, perhaps an empty one, and then the end.
    follow(&mut stalled, None, u64::MAX);
}

#[test]
fn a_write_that_makes_no_progress_ends_its_stream() {
    // More than the buffers of a connection take, and fewer events than the queue does: nothing but
    // the time a write may take ends this stream.
    const GAMES: usize = 110;
    const EVENTS: usize = 110;
    let ids: Vec<_> = (0..GAMES).map(|number| format!("game-{number:0>500}")).collect();
    let games: Vec<_> = ids.iter().map(|id| json!({"game_id": id, "name": "A"})).collect();
    let stored = json!({"schema_version": 6, "games": games}).to_string();
    let server = Setup::new().library(&stored).start();
    let mut stalled = Stream::open(&server);
    stalled.narrow();
    let mut client = server.client();
    for edit in 0..EVENTS {
        let key = if edit % 2 == 0 { "tags_add" } else { "tags_remove" };
        client.post("/api/tags", &json!({"ids": ids, key: ["x"]}));
    }
    let stuck = Instant::now();
    until("the stream to be given up", || (drops(&server) > 0).then_some(()));
    let log = fs::read_to_string(server.data("service.log")).expect("a log");
    assert!(log.contains(" went away: "), "{log}");
    assert!(stuck.elapsed() < Duration::from_secs(15), "{:?}", stuck.elapsed());
    follow(&mut stalled, None, u64::MAX);
}

#[test]
fn a_stop_ends_the_streams() {
    let mut server = Server::start();
    let mut stream = Stream::open(&server);
    create(&server, "One");
    server.stop();
    stream.hear("library.changed");
    while stream.next().is_some() {}
}

#[test]
fn streams_work_while_the_library_cannot_be_read() {
    let server = Setup::new().library("{ not a library").start();
    let _stream = Stream::open(&server);
    assert_eq!(server.get("/api/v2/jobs")["jobs"], json!([]));
    let refused = server
        .send(&Request::post("/api/v2/library/export", &json!({"format": "csv", "scope": "all"})));
    assert_eq!(refused.expect(503).json()["code"], "STATE_UNAVAILABLE");
}
