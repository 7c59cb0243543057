//! An hour of mixed use on the weak machine (`--hour`): the limit of its memory ends nothing, and nothing is lost.

use std::{
    fs,
    time::{Duration, Instant},
};

use serde_json::json;

use super::{
    play,
    weak::{GAMES, USUAL, at_most, on_slow_disk, weak},
};
use crate::{
    options::Options,
    report::Report,
    stats::{Samples, millis, number},
    support::{
        client::{Client, Request},
        library::{game_id, library},
        picture::jpeg,
        server::{Server, Setup},
        stream::{Stream, started},
        toy::Toy,
    },
    weak_machine::{MEMORY, Throttle},
};

/// How long it lasts, and how long with `--quick`.
const LONG: Duration = Duration::from_hours(1);
const SHORT: Duration = Duration::from_mins(2);
/// Files of one import.
const IMPORTED: usize = 100;
/// Covers that a round uploads and shows.
const COVERS: usize = 4;
/// A backup is made and an import undone once in so many rounds.
const SELDOM: usize = 5;

/// All rows.
pub(super) fn measure(options: &Options, report: &mut Report) {
    on_slow_disk(|disk| {
        let mut server = weak(Setup::new().library(&library(GAMES)), disk, USUAL, MEMORY);
        let throttle = Throttle::start();
        let toy = Toy::new(server.scratch(), "hour", "game.sh");
        let toy_id = toy.add(&server, "Hour", &json!({"platform": "Linux"}));
        let mut stream = Stream::open(&server);
        let (start, mut rounds, mut games) = (Instant::now(), 0, GAMES + 1);
        let mut edits = Samples::default();
        while start.elapsed() < if options.quick { SHORT } else { LONG } {
            rounds += 1;
            let mut client = server.client();
            read(&mut client, rounds);
            edits.push(edit(&mut client, rounds));
            games += import(&server, rounds);
            show_covers(&server, &mut client, rounds);
            play(&server, &toy, &toy_id);
            if rounds % SELDOM == 0 {
                let items = json!({"items": ["library"], "keep": 1});
                let job = started(&server, "/api/backup/create", &items);
                assert_eq!(stream.job_end(&server, &job)["state"], "done");
            }
        }
        drop((stream, throttle));
        let most = Samples::from_iter([number(server.status("VmHWM")) / 1_024.0]);
        report.add("hour: memory, most in all of this", "MiB", &most, at_most(96.0, "96 MiB"));
        let kept = Samples::from_iter([number(server.status("VmRSS")) / 1_024.0]);
        report.add("hour: memory, at its end", "MiB", &kept, None);
        report.add("hour: twenty edits", "ms", &edits, None);
        report.add("hour: rounds", "", &Samples::from_iter([number(rounds as u64)]), None);
        server.stop();
        server.restart();
        let found = server.get("/api/library?limit=0")["total_count"].as_u64();
        let lost = games as u64 - found.unwrap_or_default();
        let lost = Samples::from_iter([number(lost)]);
        report.add("hour: games lost", "", &lost, at_most(0.0, "none"));
    });
}

/// What a page asks for.
fn read(client: &mut Client, round: usize) {
    for path in [
        "/api/library?offset=0&limit=500".to_owned(),
        format!("/api/v2/library/search?q=legend%20{round}"),
        format!("/api/related?id={round}"),
        "/api/explorer/facets?field=genre".to_owned(),
        "/api/v2/insights/summary".to_owned(),
    ] {
        client.send(&Request::get(&path)).expect(200);
    }
    client.send(&Request::get("/api/library").header("Accept-Encoding", "gzip")).expect(200);
}

/// Twenty single edits and a bulk edit of a hundred games; milliseconds of the single ones.
fn edit(client: &mut Client, round: usize) -> f64 {
    let start = Instant::now();
    for index in 0..20 {
        client.post("/api/favorite", &json!({"game_id": game_id(round * 20 + index)}));
    }
    let took = millis(start.elapsed());
    let ids: Vec<String> = (0..100).map(|index| game_id(round * 100 + index)).collect();
    let changes = json!({"genre": format!("Genre {round}")});
    client.post("/api/games/bulk", &json!({"ids": ids, "changes": changes}));
    took
}

/// Imports a folder of new files, and takes some of these imports back; returns how many games stay.
fn import(server: &Server, round: usize) -> usize {
    let folder = server.scratch().folder(format!("roms-{round}"));
    for index in 0..IMPORTED {
        fs::write(folder.join(format!("Game {index} of {round} (USA).nes")), b"NES\x1a")
            .expect("a file");
    }
    server.send(&Request::post("/api/import", &json!({"folder": folder}))).expect(200);
    if !round.is_multiple_of(SELDOM) {
        return IMPORTED;
    }
    server.undo_import();
    0
}

/// New covers, uploaded and asked for in the size of a tile.
fn show_covers(server: &Server, client: &mut Client, round: usize) {
    for index in 0..COVERS {
        let at = (round * COVERS + index) % GAMES;
        let seed = u32::try_from(at).unwrap_or(0);
        let name = format!("data/media/hour-{at}.jpg");
        let cover = server.scratch().file(&name, jpeg(1_200, 1_600, seed));
        let game = json!({"name": format!("Cover {at}"), "cover": cover});
        client.post("/api/game", &json!({"game_id": game_id(at), "game": game}));
        let path = format!("/api/media?game_id={}&kind=cover&w=320", game_id(at));
        client.send(&Request::get(&path)).expect(200);
    }
}
