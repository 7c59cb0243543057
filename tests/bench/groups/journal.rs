//! What the journal costs an edit, the memory and the disk, and how fast it answers.

use std::{fs, time::Instant};

use serde_json::json;

use super::{games, settled};
use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis, number},
    support::{
        library::game_id,
        server::{Server, Setup},
    },
};

pub(super) fn measure(options: &Options, report: &mut Report) {
    for &count in options.sizes() {
        let server = settled(count);
        measure_edits(options, report, &server, count);
        measure_answers(options, report, &server, count);
        let bytes = fs::metadata(server.data("library.journal")).map_or(0, |file| file.len());
        let size = Samples::from_iter([number(bytes) / 1_048_576.0]);
        report.add(format!("journal on the disk, {}", games(count)), "MiB", &size, None);
        measure_memory(report, count);
    }
}

/// Changes of one catalog field with the journal on and off, in turns, so that a busy machine weighs
/// on both.
fn measure_edits(options: &Options, report: &mut Report, server: &Server, count: usize) {
    let mut client = server.client();
    let (mut on, mut off) = (Samples::default(), Samples::default());
    for turn in 0..options.times(16) {
        for recorded in [true, false] {
            client.post("/api/settings", &json!({"library_journal_enabled": recorded}));
            // Whatever was changed meanwhile is recorded before anything is measured.
            client.get("/api/v2/library/journal/events?limit=1");
            for edit in 0..25 {
                let id = game_id((turn * 7_919 + edit * 101) % count);
                let genre = format!("{turn} {edit} {recorded}");
                let body = json!({"ids": [id], "changes": {"genre": genre}});
                let start = Instant::now();
                client.post("/api/games/bulk", &body);
                let samples = if recorded { &mut on } else { &mut off };
                samples.push(millis(start.elapsed()));
            }
        }
    }
    client.post("/api/settings", &json!({"library_journal_enabled": true}));
    let limit = Target::at_most(off.median() + 0.1, "off + 0.1 ms");
    report.add(format!("one edit, journal off, {}", games(count)), "ms", &off, None);
    report.add(format!("one edit, journal on, {}", games(count)), "ms", &on, Some(limit));
}

fn measure_answers(options: &Options, report: &mut Report, server: &Server, count: usize) {
    let mut client = server.client();
    let newest = client.get("/api/v2/library/journal/events?limit=1");
    let day = newest["latest_at"].as_str().unwrap_or("2026-01-01")[..10].to_owned();
    let rows = [
        ("200 events", "events".to_owned()),
        ("library as of a day", format!("as-of?date={day}")),
        ("compared with nothing", format!("compare?after={day}")),
    ];
    for (name, target) in rows {
        let mut times = Samples::default();
        for _ in 0..options.times(20) {
            let start = Instant::now();
            client.get(&format!("/api/v2/library/journal/{target}"));
            times.push(millis(start.elapsed()));
        }
        report.add(format!("journal, {name}, {}", games(count)), "ms", &times, None);
    }
}

/// Resident memory after a start with every game in the journal, against a journal that is off.
fn measure_memory(report: &mut Report, count: usize) {
    let resident = |enabled: bool| {
        let library = crate::support::library::library(count);
        let settings = format!("\"settings\":{{\"library_journal_enabled\":{enabled}}}");
        let library = library.replace("\"settings\":{}", &settings);
        let mut server = Setup::new().library(&library).start();
        server.get("/api/v2/library/journal/events?limit=1");
        server.stop();
        server.restart();
        server.get("/api/v2/library/journal/events?limit=1");
        number(server.status("VmRSS")) / 1024.0
    };
    let more = Samples::from_iter([resident(true) - resident(false)]);
    let target = Target::at_most(16.0, "a few MiB");
    report.add(format!("memory of the journal, {}", games(count)), "MiB", &more, Some(target));
}
