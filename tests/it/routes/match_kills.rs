//! Matching and applying while the program is killed: every game is as before or done, a resume finishes
//! the rest, and the whole is one pass that can be undone.

use serde_json::{Value, json};

use crate::support::{
    client::Request,
    metadb::{Metadb, dump},
    server::Server,
    wait::until,
};

const GAMES: u32 = 1_200;
const PAGE: u32 = 200;
const SNES: &str = "Super Nintendo Entertainment System";

/// A database with so many games of each title, and a library of those titles.
fn start(copies: u32) -> (Metadb, Server) {
    let names: Vec<String> = (0..GAMES).map(name).collect();
    let numbers = (0..GAMES).flat_map(|at| (0..copies).map(move |copy| (at, copy)));
    let rows: Vec<_> = numbers
        .map(|(at, copy)| (1 + at + copy * GAMES, names[at as usize].as_str(), SNES, &[][..]))
        .collect();
    let metadb = Metadb::new(&[("Metadata.xml", &dump(&rows))]);
    let game = |at: u32| {
        json!({"game_id": format!("game-{at:04}"), "name": name(at), "platform": "SNES",
            "genre": if at.is_multiple_of(2) { "Mine" } else { "" }})
    };
    let library = json!({"schema_version": 6, "settings": {}, "games": (0..GAMES).map(game).collect::<Vec<_>>()});
    let server = metadb.setup().library(&library.to_string()).start();
    server.send(&Request::post("/api/metadata/sync", &json!({}))).expect(202);
    until("the sync", || {
        (server.get("/api/metadata/status")["job"]["state"] == "done").then_some(())
    });
    (metadb, server)
}

fn name(at: u32) -> String {
    format!("Stone Puzzle {}", u64::from(at) * 7_919)
}

fn job(server: &Server) -> Value {
    server.get("/api/v2/jobs")["jobs"][0].clone()
}

/// Kills the program in the middle of its newest job, has that resumed and waits for its end.
#[track_caller]
fn kill_and_resume(server: &mut Server) {
    // The checkpoint of the first piece is saved once the second one is done.
    let two = u64::from(2 * PAGE);
    until("two pieces", || job(server)["current"].as_u64().filter(|current| *current >= two));
    server.kill();
    server.restart();
    let cut = job(server);
    // A job that was quick enough had ended.
    if cut["state"] == "interrupted" {
        assert_eq!(cut["can_resume"], true);
        let resume = json!({"job_id": cut["job_id"]});
        server.send(&Request::post("/api/v2/jobs/resume", &resume)).expect(202);
    }
    until("the rest", || (job(server)["state"] == "done").then_some(()));
}

/// The games in the order of the library.
fn games(server: &Server) -> Vec<Value> {
    server.get("/api/library")["games"].as_array().expect("games").clone()
}

/// Checks that every game has its number and what is shown of the pass, and takes that back.
#[track_caller]
fn check(server: &Server, kind: &str) {
    for (at, game) in (1..=GAMES).zip(games(server)) {
        assert_eq!(game["metadb_id"], at.to_string(), "{game}");
    }
    let passes = server.get("/api/v2/library/passes")["passes"].clone();
    let passes = passes.as_array().expect("passes");
    assert_eq!(passes.len(), 1, "{passes:?}");
    assert_eq!((&passes[0]["kind"], &passes[0]["games"]), (&json!(kind), &json!(GAMES)));
    server.post("/api/v2/library/passes/undo", &json!({"pass_id": passes[0]["pass_id"]}));
    for (at, game) in games(server).iter().enumerate() {
        let genre = if at.is_multiple_of(2) { "Mine" } else { "" };
        assert_eq!((&game["metadb_id"], &game["genre"]), (&json!(""), &json!(genre)));
    }
}

#[test]
fn matching_all_games_goes_on_after_a_kill() {
    let (_metadb, mut server) = start(1);
    server.send(&Request::post("/api/metadata/match", &json!({"platform": "all"}))).expect(202);
    kill_and_resume(&mut server);
    check(&server, "metadata.match");
}

#[test]
fn a_review_that_is_made_and_applied_goes_on_after_kills() {
    let (_metadb, mut server) = start(2);
    let ids: Vec<String> = (0..GAMES).map(|at| format!("game-{at:04}")).collect();
    let preview = "/api/v2/metadata/matches/preview";
    let begun = server.send(&Request::post(preview, &json!({"game_ids": ids}))).expect(202).json();
    kill_and_resume(&mut server);
    let id = begun["preview_id"].as_str().expect("an id");
    let shown = server.get(&format!("{preview}?preview_id={id}"));
    assert_eq!(shown["counts"]["exact_review"], GAMES, "none twice, none lost");
    for page in ids.chunks(PAGE as usize) {
        let items: Vec<Value> =
            page.iter().map(|id| json!({"game_id": id, "action": "accept"})).collect();
        let body = json!({"preview_id": id, "items": items});
        assert_eq!(server.post("/api/v2/metadata/matches/decisions", &body)["accepted"], PAGE);
    }
    let revision = server.get(&format!("{preview}?preview_id={id}"))["revision"].clone();
    let apply = json!({"preview_id": id, "revision": revision});
    server.send(&Request::post("/api/v2/metadata/matches/apply", &apply)).expect(202);
    kill_and_resume(&mut server);
    let games = games(&server);
    assert_eq!(
        (&games[0]["genre"], &games[1]["genre"]),
        (&json!("Mine"), &json!("Shooter, Action"))
    );
    check(&server, "metadata.apply");
}
