//! What is measured, one file per group of rows.

mod backups;
mod edits;
mod executable;
mod imports;
mod journal;
mod pictures;
mod reads;
mod starts;
mod throughput;
mod webhooks;

use crate::{
    options::Options,
    report::Report,
    support::{
        library::library,
        server::{Server, Setup},
    },
};

/// A function that measures and adds rows.
pub(crate) type Group = fn(&Options, &mut Report);

/// Every group by the name that `--filter` looks at.
pub(crate) const ALL: &[(&str, Group)] = &[
    ("executable", executable::measure),
    ("start", starts::measure),
    ("idle", starts::measure_idle),
    ("read", reads::measure),
    ("edit", edits::measure),
    ("journal", journal::measure),
    ("writers", edits::measure_writers),
    ("import", imports::measure),
    ("picture", pictures::measure),
    ("throughput", throughput::measure),
    ("webhook", webhooks::measure),
    ("backup", backups::measure),
];

/// The public asset that stands for a trivial request (B).
const TRIVIAL: &str = "/favicon.svg";

/// The program on a generated library of this many games, after its first start has taken the file
/// over and a second one has found it as it will stay.
fn settled(games: usize) -> Server {
    let setup = Setup::new();
    let setup = if games == 0 { setup } else { setup.library(&library(games)) };
    let mut server = setup.start();
    server.stop();
    server.restart();
    server
}

/// `100,000 games`.
fn games(count: usize) -> String {
    match count {
        0 => "empty".to_owned(),
        small if small < 1_000 => format!("{small} games"),
        large => format!("{},{:03} games", large / 1_000, large % 1_000),
    }
}
