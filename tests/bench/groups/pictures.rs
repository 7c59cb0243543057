//! Smaller copies of covers: made, found, and what making them costs in memory.

use crate::{
    load::Pump,
    options::Options,
    report::{Report, Target},
    stats::{Samples, number},
    support::{
        client::Request,
        picture::jpeg,
        server::{Server, Setup},
    },
};

/// Covers of a large scan.
const COVERS: u32 = 60;
/// Width and height of one.
const SIZE: (u16, u16) = (1_200, 1_600);

pub(super) fn measure(options: &Options, report: &mut Report) {
    let covers = options.times(COVERS as usize).max(8);
    let setup = Setup::new();
    let games: Vec<_> = (0..covers)
        .map(|index| {
            let seed = u32::try_from(index).expect("few covers");
            let name = format!("data/media/{index}.jpg");
            let file = setup.scratch().file(&name, jpeg(SIZE.0, SIZE.1, seed));
            serde_json::json!({"game_id": format!("game-{index}"), "name": "A", "cover": file})
        })
        .collect();
    let library = serde_json::json!({"games": games}).to_string();
    let server = setup.library(&library).start();
    let before = peak(&server);
    let (mut original, mut cold) = (Samples::default(), 0);
    let mut made = Samples::default();
    for index in 0..covers {
        let target = format!("/api/media?game_id=game-{index}&kind=cover");
        let time = Samples::time(1, || {
            let reply = server.send(&Request::get(&target)).expect(200);
            assert!(reply.body().len() > 100_000, "the cover itself");
        });
        original.push(time.median());
        let time = Samples::time(1, || {
            let reply = server.send(&Request::get(&format!("{target}&w=320"))).expect(200);
            cold += usize::from(reply.body().len() < 100_000);
        });
        made.push(time.median());
    }
    assert!(cold > 0, "no copy in time");
    report.add("cover of 1,200 x 1,600, whole", "ms", &original, None);
    report.add("thumbnail, cold", "ms", &made, Some(Target::at_most(400.0, "one wait")));
    let target = "/api/media?game_id=game-0&kind=cover&w=320";
    let mut pump = Pump::new(server.address(), server.token(), target, "");
    pump.turn();
    let warm = Samples::time(options.times(2_000), || {
        pump.turn();
    });
    let mut plain = Pump::new(server.address(), server.token(), super::TRIVIAL, "");
    plain.turn();
    let trivial = Samples::time(options.times(2_000), || {
        plain.turn();
    });
    let limit = Target::at_most(3.0 * trivial.median(), "3 B");
    report.add("thumbnail, warm", "ms", &warm, Some(limit));
    let more = Samples::from_iter([number(peak(&server).saturating_sub(before)) / 1_024.0]);
    let target = Target::at_most(64.0, "one picture at a time");
    report.add("memory for making thumbnails, peak", "MiB", &more, Some(target));
}

/// The most memory that the program has had, in KiB.
fn peak(server: &Server) -> u64 {
    let status = format!("/proc/{}/status", server.pid());
    let status = std::fs::read_to_string(status).unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or("0 kB");
    line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
}
