//! Cheap answers a second against the same bytes from a bare tiny_http.

use std::time::Duration;

use super::settled;
use crate::{
    bare::Bare,
    load::{Pump, rate},
    options::Options,
    report::{Report, Target},
    stats::Samples,
    support::client::Request,
};

const CHEAP: &str = "/api/running";

pub(super) fn measure(options: &Options, report: &mut Report) {
    let server = settled(1_000);
    let body = server.send(&Request::get(CHEAP)).expect(200).wire.len();
    let bare = Bare::start(body);
    let time = Duration::from_millis(if options.quick { 300 } else { 1_000 });
    for connections in [1, 8, 64] {
        let mut ours = Samples::default();
        let mut theirs = Samples::default();
        let mut ratios = Samples::default();
        let mut tails = Samples::default();
        // Turn about, so that a busy minute of the machine hits both.
        for _ in 0..options.times(9) {
            let (mine, latencies) =
                rate(connections, time, || Pump::new(server.address(), server.token(), CHEAP, ""));
            let (other, _) = rate(connections, time, || Pump::new(bare.address, "", CHEAP, ""));
            ours.push(mine);
            theirs.push(other);
            ratios.push(mine / other);
            tails.push(latencies.percentile(99));
        }
        report.add(format!("cheap GET, {connections} connections"), "1/s", &ours, None);
        report.add(format!("  bare tiny_http, {connections} connections"), "1/s", &theirs, None);
        // Requests of one connection are answered in turn, which costs a switch of threads each: seen
        // where neither waiting nor queues hide it (docs/PERFORMANCE.md, "Figures").
        let share = if connections == 8 { 0.65 } else { 0.85 };
        let target = Target::at_least(share, "of bare tiny_http");
        report.add(format!("cheap GET / bare, {connections}"), "ratio", &ratios, Some(target));
        report.add(format!("cheap GET p99, {connections} connections"), "ms", &tails, None);
    }
}
