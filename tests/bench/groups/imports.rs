//! A folder of 10,000 files, and folders of 40 systems with 100,000: found new, found again, previewed and
//! committed, with the memory that takes.

use std::{fs, time::Instant};

use serde_json::{Value, json};

use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, millis, number},
    support::{
        client::Request,
        library::rom,
        server::Server,
        setup::{COMMIT, PREVIEW, commit_body},
        stream::Stream,
    },
};

/// Files in the folder.
const FILES: usize = 10_000;
/// Files in the large folder.
const MANY: usize = 100_000;
/// Its systems: the name of the folder, and an extension. Some extensions belong to several systems, so that the
/// folder decides, and discs are images whose content need not be read.
const SYSTEMS: [(&str, &str); 40] = [
    ("3do", "chd"),
    ("amiga", "adf"),
    ("amstradcpc", "dsk"),
    ("apple2", "dsk"),
    ("atari2600", "a26"),
    ("atari5200", "a52"),
    ("atari7800", "a78"),
    ("atarijaguar", "j64"),
    ("atarilynx", "lnx"),
    ("atarist", "st"),
    ("c64", "d64"),
    ("colecovision", "col"),
    ("dreamcast", "chd"),
    ("fds", "fds"),
    ("gamegear", "gg"),
    ("gb", "gb"),
    ("gba", "gba"),
    ("gbc", "gbc"),
    ("gc", "iso"),
    ("intellivision", "int"),
    ("mastersystem", "sms"),
    ("megadrive", "md"),
    ("msx", "rom"),
    ("n64", "z64"),
    ("nds", "nds"),
    ("nes", "nes"),
    ("ngpc", "ngc"),
    ("pcengine", "pce"),
    ("ps2", "iso"),
    ("psp", "iso"),
    ("psx", "chd"),
    ("saturn", "chd"),
    ("sega32x", "32x"),
    ("snes", "sfc"),
    ("vectrex", "vec"),
    ("virtualboy", "vb"),
    ("wii", "wbfs"),
    ("wonderswan", "ws"),
    ("wonderswancolor", "wsc"),
    ("zxspectrum", "tap"),
];

pub(super) fn measure(options: &Options, report: &mut Report) {
    let mut new = Samples::default();
    let mut again = Samples::default();
    for _ in 0..options.times(5) {
        let server = with_files(FILES);
        let (time, added) = import(&server);
        assert_eq!(added, FILES as u64, "every file is a game");
        new.push(time);
        for _ in 0..3 {
            let (time, added) = import(&server);
            assert_eq!(added, 0, "every file is known");
            again.push(time);
        }
    }
    let target = Target::at_most(1_000.0, "warm cache");
    report.add("import of 10,000 new files", "ms", &new, Some(target));
    report.add(
        "import of the same again",
        "ms",
        &again,
        Some(Target::at_most(300.0, "warm cache")),
    );
    if options.largest() >= MANY && !options.table {
        measure_many(report);
        measure_preview(report);
    }
}

/// A folder whose library is as large as a library may be, once.
fn measure_many(report: &mut Report) {
    let mut server = with_systems(MANY);
    let (time, added) = import(&server);
    assert_eq!(added, MANY as u64, "every file is a game");
    let platforms = server.get("/api/explorer/facets?field=platform");
    let found = platforms["facets"].as_array().map_or(0, Vec::len);
    assert_eq!(found, SYSTEMS.len(), "{platforms}");
    report.add("import of 100,000 new files", "ms", &one(time), None);
    let (time, _) = import(&server);
    report.add("import of the same 100,000 again", "ms", &one(time), None);
    add_memory("import of 100,000 files", &mut server, report);
}

/// The same folder by way of a preview.
fn measure_preview(report: &mut Report) {
    let mut server = with_systems(MANY);
    let sources = json!([{"type": "folder", "path": server.scratch().path("roms")}]);
    let (time, begun) = job(&server, PREVIEW, &json!({"sources": sources}));
    report.add("scan of a preview of 100,000 files", "ms", &one(time), None);
    let id = begun["preview_id"].as_str().unwrap_or_default();
    let mut client = server.client();
    let page = format!("{PREVIEW}/items?preview_id={id}&limit=200");
    let pages = Samples::time(50, || drop(client.get(&page)));
    report.add("page of 200 candidates of 100,000", "ms", &pages, None);
    let (time, _) = job(&server, COMMIT, &commit_body(id));
    report.add("commit of a preview of 100,000 files", "ms", &one(time), None);
    let games = server.get("/api/library?limit=1")["total"].as_u64();
    assert!(games.is_none_or(|games| games == MANY as u64), "every candidate is a game");
    add_memory("preview of 100,000 files", &mut server, report);
}

/// What the program held at most and holds now, over the size of its library.
fn add_memory(what: &str, server: &mut Server, report: &mut Report) {
    let (peak, now) = (server.status("VmHWM"), server.status("VmRSS"));
    server.stop();
    let bytes = fs::metadata(server.data("library.json")).map_or(1, |file| file.len());
    let ratio = |kib: u64| one(number(kib * 1_024) / number(bytes));
    report.add(format!("{what}, resident most / library.json"), "x", &ratio(peak), None);
    report.add(format!("{what}, resident after / library.json"), "x", &ratio(now), None);
    server.restart();
    let fresh = ratio(server.status("VmRSS"));
    let target = Target::at_most(2.0, "after the next start");
    report.add(format!("{what}, next start / library.json"), "x", &fresh, Some(target));
}

fn one(value: f64) -> Samples {
    let mut samples = Samples::default();
    samples.push(value);
    samples
}

fn with_files(files: usize) -> Server {
    let server = Server::start();
    for index in 0..files {
        server.scratch().file(format!("roms/{}", rom(index)), b"NES\x1a");
    }
    server
}

/// So many files in folders of all systems.
fn with_systems(files: usize) -> Server {
    let server = Server::start();
    for index in 0..files {
        let (folder, extension) = SYSTEMS[index % SYSTEMS.len()];
        let name = format!("roms/{folder}/Game {index} (USA) (Rev {}).{extension}", index % 3);
        server.scratch().file(&name, b"content");
    }
    server
}

/// Milliseconds until a job that a POST begins has ended, and the answer to the POST.
fn job(server: &Server, path: &str, body: &Value) -> (f64, Value) {
    let mut stream = Stream::open(server);
    let start = Instant::now();
    let begun = server.send(&Request::post(path, body)).expect(202).json();
    let done = stream.job_end(server, begun["job_id"].as_str().unwrap_or_default());
    let time = millis(start.elapsed());
    assert_eq!(done["state"], "done", "{done}");
    (time, begun)
}

/// Milliseconds of one import, and how many games it added.
fn import(server: &Server) -> (f64, u64) {
    let mut client = server.client();
    let body = json!({"folder": server.scratch().path("roms")});
    let start = Instant::now();
    let reply = client.send(&Request::post("/api/import", &body));
    let time = millis(start.elapsed());
    (time, reply.expect(200).json()["added"].as_u64().unwrap_or(0))
}
