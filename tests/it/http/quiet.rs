//! Without clients the server sleeps: no thread of it is woken by a clock.

use std::{collections::BTreeMap, fs, time::Duration};

use rustix::{
    event::{Timespec, poll},
    process::{Pid, PidfdFlags, pidfd_open},
};

use super::{PUBLIC, assert_serving};
use crate::support::{client::Request, server::Server, wait::until};

/// How often each thread of the transport has slept and woken, by thread id.
fn wakings(server: &Server) -> BTreeMap<String, String> {
    let tasks = fs::read_dir(format!("/proc/{}/task", server.pid())).expect("its threads");
    let tasks = tasks.filter_map(|task| {
        let path = task.ok()?.path();
        let status = fs::read_to_string(path.join("status")).ok()?;
        let field = |name: &str| status.lines().find_map(|line| line.strip_prefix(name));
        let name = field("Name:\t").filter(|name| name.starts_with("http-"))?;
        let wakings = field("voluntary_ctxt_switches:\t")?;
        Some((format!("{name} {}", path.display()), wakings.to_owned()))
    });
    tasks.collect()
}

/// The wakings before and after a second in which nobody asks for anything.
fn a_second_of(server: &Server) -> [BTreeMap<String, String>; 2] {
    let pid = Pid::from_raw(server.pid().cast_signed()).expect("a process id");
    let process = pidfd_open(pid, PidfdFlags::empty()).expect("a pidfd");
    let before = wakings(server);
    let mut fds = [rustix::event::PollFd::new(&process, rustix::event::PollFlags::IN)];
    let second = Timespec::try_from(Duration::from_secs(1)).expect("a second");
    assert_eq!(poll(&mut fds, Some(&second)).expect("a poll"), 0, "the program has ended");
    [before, wakings(server)]
}

#[test]
fn an_idle_server_is_not_woken() {
    let server = Server::start();
    let mut client = server.client();
    client.send(&Request::get(PUBLIC)).expect(200);
    drop(client);
    // The library underneath keeps idle threads for five seconds, the guard looks twice more.
    let quiet = until("a second without a waking", || {
        let [before, after] = a_second_of(&server);
        (before == after).then_some(after)
    });
    assert!(quiet.keys().any(|name| name.starts_with("http-guard")), "{quiet:?}");
    assert_serving(&server);
}
