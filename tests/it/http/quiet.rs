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

/// The wakings before and after a second without requests.
fn a_second_of(server: &Server) -> [BTreeMap<String, String>; 2] {
    let pid = Pid::from_raw(server.pid().cast_signed()).expect("a process id");
    let process = pidfd_open(pid, PidfdFlags::empty()).expect("a pidfd");
    let before = wakings(server);
    let mut fds = [rustix::event::PollFd::new(&process, rustix::event::PollFlags::IN)];
    let second = Timespec::try_from(Duration::from_secs(1)).expect("a second");
    assert_eq!(poll(&mut fds, Some(&second)).expect("a poll"), 0, "the program has ended");
    [before, wakings(server)]
}

/// The lowest and the highest nice value of the threads whose names begin so.
fn niceness(server: &Server, name: &str) -> Option<(i32, i32)> {
    let tasks = fs::read_dir(format!("/proc/{}/task", server.pid())).expect("its threads");
    let values: Vec<i32> = tasks
        .filter_map(|task| {
            let stat = fs::read_to_string(task.ok()?.path().join("stat")).ok()?;
            let (front, fields) = stat.rsplit_once(") ")?;
            let own = front.split_once('(')?.1;
            own.starts_with(name).then(|| fields.split(' ').nth(16)?.parse().ok())?
        })
        .collect();
    Some((*values.iter().min()?, *values.iter().max()?))
}

#[test]
fn jobs_give_way_to_those_who_answer() {
    let server = Server::start();
    let ours = rustix::process::getpriority_process(None).expect("our own");
    let back = ours.max(10);
    for (name, expected) in [("http-quick", ours), ("http-slow", ours), ("job-", back)] {
        assert_eq!(niceness(&server, name), Some((expected, expected)), "{name}");
    }
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
