//! The file itself: its size, and what it needs from the machine.

use std::{fs, process::Command};

use crate::{
    options::Options,
    report::{Report, Target},
    stats::{Samples, number},
};

const PROGRAM: &str = env!("CARGO_BIN_EXE_service-launcher");

/// Libraries that every glibc system has.
const LIBC: [&str; 5] = ["linux-vdso", "libc.so", "ld-linux", "libgcc_s", "libm.so"];

pub(super) fn measure(_: &Options, report: &mut Report) {
    let size = fs::metadata(PROGRAM).expect("the executable").len();
    let size = Samples::from_iter([number(size) / 1_048_576.0]);
    report.add("executable", "MiB", &size, Some(Target::at_most(12.0, "everything embedded")));
    let Ok(listed) = Command::new("ldd").arg(PROGRAM).output() else { return };
    let listed = String::from_utf8_lossy(&listed.stdout).into_owned();
    let foreign = listed.lines().filter(|line| !LIBC.iter().any(|name| line.contains(name)));
    let foreign = Samples::from_iter([number(foreign.count() as u64)]);
    let target = Target::at_most(0.0, "none beyond libc");
    report.add("dynamic libraries", "files", &foreign, Some(target));
}
