//! The page of a weak machine, in a Chromium that has a core of its own.

use std::{path::Path, process::Command};

use serde_json::Value;

use crate::{
    report::{Report, Target, say},
    stats::Samples,
    support::server::Server,
};

/// Adds the rows that `tests/ui/support/page-timings.js` measures; none without node, its modules and Chromium.
pub(super) fn measure(report: &mut Report, server: &Server) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui");
    let address = format!("http://{}/?token={}", server.address(), server.token());
    let mut command = Command::new("node");
    command.current_dir(folder).args(["support/page-timings.js", &address]);
    let output = command.output();
    let figures = output.as_ref().ok().filter(|output| output.status.success());
    let figures = figures.and_then(|output| serde_json::from_slice::<Value>(&output.stdout).ok());
    let Some(figures) = figures else {
        say("no figures of the page: they need node, `npm ci` in tests/ui and Chromium");
        if let Ok(output) = &output {
            say(&String::from_utf8_lossy(&output.stderr));
        }
        return;
    };
    for (name, key, limit) in [
        ("weak: first tiles in Chromium", "first_tiles", 2_500.0),
        ("weak: a keystroke in the search", "keystroke", 50.0),
        ("weak: a frame while scrolling, 95 of 100", "frame_p95", 20.0),
    ] {
        let samples = Samples::from_iter(figures[key].as_f64());
        report.add(name, "ms", &samples, Some(Target::at_most(limit, format!("{limit:.0} ms"))));
    }
}
