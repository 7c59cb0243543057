//! The metadata database at its real size, 150,000 games with 1,050,000 pictures: bringing it in, searching it,
//! and matching a library of 50,000 games with it.

use std::time::Instant;

use serde_json::{Value, json};

use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis, number},
    support::{
        client::Request,
        metadb::{Entry, Metadb, dump},
        server::Server,
        stream::Stream,
    },
};

/// Games of the database.
const ROWS: u32 = 150_000;
/// Games of the library.
const GAMES: u32 = 50_000;
/// Platforms by our name and by that of the database.
const PLATFORMS: [(&str, &str); 4] = [
    ("SNES", "Super Nintendo Entertainment System"),
    ("NES", "Nintendo Entertainment System"),
    ("Arcade", "Arcade"),
    ("Nintendo 64", "Nintendo 64"),
];
const WORDS: [&str; 24] = [
    "comet", "stone", "rangers", "puzzle", "legend", "cave", "lights", "robot", "dragon", "river",
    "castle", "storm", "racer", "galaxy", "ninja", "forest", "knight", "tower", "ocean", "shadow",
    "crystal", "empire", "machine", "garden",
];
const BATCH: &str = "0123456789abcdef0123456789abcdef";

pub(super) fn measure(options: &Options, report: &mut Report) {
    if options.quick {
        return;
    }
    let names: Vec<String> = (0..ROWS).map(title).collect();
    let pictures = [
        ("Box - Front", "Europe", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f001.jpg"),
        ("Box - Front", "North America", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f002.jpg"),
        ("Box - Back", "Europe", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f003.jpg"),
        ("Clear Logo", "", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f004.png"),
        ("Fanart - Background", "", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f005.jpg"),
        ("Screenshot - Game Title", "", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f006.jpg"),
        ("Screenshot - Gameplay", "", "0a3d5c1e-7b21-4c0e-9a55-52b1d3c2f007.jpg"),
    ];
    let rows: Vec<Entry<'_>> = (0..ROWS)
        .zip(&names)
        .map(|(at, name)| (at + 1, name.as_str(), platform(at).1, &pictures[..]))
        .collect();
    let xml = dump(&rows);
    let mebibytes = number(xml.len() as u64) / 1_048_576.0;
    let metadb = Metadb::new(&[("Metadata.xml", &xml)]);
    drop(xml);
    measure_bringing_in(report, &metadb, mebibytes);
    let library = json!({"schema_version": 6, "settings": {},
        "games": (0..GAMES).map(game).collect::<Vec<_>>()});
    let server = metadb.setup().library(&library.to_string()).start();
    job(&server, "/api/metadata/sync", &json!({}));
    let mut client = server.client();
    let searches = Samples::time(options.times(50), || {
        drop(client.get("/api/metadata/search?game_id=game-7&q=comet%20rangerz&platform=SNES"));
    });
    let target = Target::at_most(5.0, "5 ms");
    report.add("search in 150,000 titles", "ms", &searches, Some(target));
    let preview =
        job(&server, "/api/v2/metadata/matches/preview", &json!({"import_batch_id": BATCH}));
    let target = Target::at_most(20.0, "20 s");
    report.add("matching of 50,000 games", "s", &seconds(preview), Some(target));
}

/// Loading it with an empty library: the time and the peak of memory.
fn measure_bringing_in(report: &mut Report, metadb: &Metadb, mebibytes: f64) {
    let server = metadb.setup().start();
    let sync = job(&server, "/api/metadata/sync", &json!({}));
    report.add("metadata database of 150,000 games", "s", &seconds(sync), None);
    let target = Target::at_least(60.0, "60 MiB/s of XML");
    let speed = one(mebibytes / (sync / 1_000.0));
    report.add("metadata database, XML brought in", "MiB/s", &speed, Some(target));
    let peak = one(number(server.status("VmHWM")) / 1_024.0);
    report.add(
        "metadata database, memory at most",
        "MiB",
        &peak,
        Some(Target::at_most(64.0, "64 MiB")),
    );
}

/// A title that no other game has.
fn title(at: u32) -> String {
    let word = |shift: u32| WORDS[(at / shift) as usize % WORDS.len()];
    format!("{} {} {} {}", word(1), word(24), word(576), at / 13_824)
}

fn platform(at: u32) -> (&'static str, &'static str) {
    PLATFORMS[(at / 7) as usize % PLATFORMS.len()]
}

/// A game of the library: of ten, seven have the title of the database, two one with a slip, and one
/// is unknown.
fn game(at: u32) -> Value {
    let row = at * 3;
    let name = match at % 10 {
        0..7 => title(row),
        7 | 8 => title(row).replacen('e', "ee", 1),
        _ => format!("Homebrew {at} of somebody"),
    };
    json!({"game_id": format!("game-{at}"), "name": name, "platform": platform(row).0,
        "import_batch_id": BATCH, "path": format!("/roms/{at}.rom")})
}

/// Milliseconds until a job that a POST begins has ended.
fn job(server: &Server, path: &str, body: &Value) -> f64 {
    let mut stream = Stream::open(server);
    let start = Instant::now();
    let begun = server.send(&Request::post(path, body)).expect(202).json();
    let done = stream.job_end(server, begun["job_id"].as_str().unwrap_or_default());
    assert_eq!(done["state"], "done", "{done}");
    millis(start.elapsed())
}

fn seconds(time: f64) -> Samples {
    one(time / 1_000.0)
}

fn one(value: f64) -> Samples {
    let mut samples = Samples::default();
    samples.push(value);
    samples
}
