//! One thread that sleeps until a watched process ends.
//!
//! It waits on the descriptors of the processes and on nothing else: no `SIGCHLD`, and not one
//! wake-up while a game runs. A kernel without process descriptors (before 5.3) is asked once a
//! second instead, only while such a process is watched.

use std::{
    io,
    os::fd::OwnedFd,
    sync::{Arc, Mutex},
};

use rustix::event::{EventfdFlags, PollFd, PollFlags, Timespec};

use super::child::{End, Process};
use crate::base::{Hold as _, Workers};

type OnEnd = Box<dyn FnOnce(End) + Send>;

/// The thread and its inbox.
pub struct Reaper {
    shared: Arc<Shared>,
    workers: Workers,
}

struct Shared {
    inbox: Mutex<Inbox>,
    bell: OwnedFd,
}

#[derive(Default)]
struct Inbox {
    arrived: Vec<Watched>,
    stopping: bool,
}

struct Watched {
    process: Arc<Process>,
    on_end: OnEnd,
}

impl Reaper {
    /// Starts the thread.
    ///
    /// # Errors
    /// When the operating system gives no thread or descriptor.
    pub fn start() -> io::Result<Self> {
        let bell = rustix::event::eventfd(0, EventfdFlags::CLOEXEC | EventfdFlags::NONBLOCK)?;
        let shared = Arc::new(Shared { inbox: Mutex::default(), bell });
        let inner = Arc::clone(&shared);
        let workers = Workers::default();
        workers.spawn("reaper", move || inner.run())?;
        Ok(Self { shared, workers })
    }

    /// Calls `on_end` once when the process ends. The call happens on the reaper's thread and must
    /// be short.
    pub fn watch(&self, process: Arc<Process>, on_end: impl FnOnce(End) + Send + 'static) {
        self.shared.inbox.hold().arrived.push(Watched { process, on_end: Box::new(on_end) });
        self.shared.ring();
    }

    /// Ends the thread. Processes that still run keep running and are watched no more.
    pub fn stop(&self) {
        self.shared.inbox.hold().stopping = true;
        self.shared.ring();
        self.workers.join();
    }
}

impl Drop for Reaper {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Shared {
    fn ring(&self) {
        // OK because the counter only fails to grow when it is full, and then the bell rings.
        let _ = rustix::io::write(&self.bell, &1_u64.to_ne_bytes());
    }

    fn run(&self) {
        let mut watched: Vec<Watched> = Vec::new();
        loop {
            {
                let mut inbox = self.inbox.hold();
                if inbox.stopping {
                    inbox.arrived.clear();
                    return;
                }
                watched.append(&mut inbox.arrived);
            }
            for (ended, end) in take_ended(&mut watched) {
                (ended.on_end)(end);
            }
            self.sleep(&watched);
        }
    }

    fn sleep(&self, watched: &[Watched]) {
        let mut set = vec![PollFd::new(&self.bell, PollFlags::IN)];
        let descriptors = watched.iter().filter_map(|watched| watched.process.descriptor());
        set.extend(
            descriptors.map(|descriptor| PollFd::from_borrowed_fd(descriptor, PollFlags::IN)),
        );
        let second = Timespec { tv_sec: 1, tv_nsec: 0 };
        let all_tell = set.len() == watched.len() + 1;
        // An interrupted or failed poll only means that every process is asked once more.
        let _ = rustix::event::poll(&mut set, (!all_tell).then_some(&second));
        let _ = rustix::io::read(&self.bell, &mut [0_u8; 8]);
    }
}

fn take_ended(watched: &mut Vec<Watched>) -> Vec<(Watched, End)> {
    let mut ended = Vec::new();
    let mut at = 0;
    while let Some(each) = watched.get(at) {
        match each.process.poll_end() {
            Some(end) => ended.push((watched.swap_remove(at), end)),
            None => at += 1,
        }
    }
    ended
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use crossbeam_channel::{Receiver, unbounded};

    use super::*;
    use crate::process::{
        child::Doomed,
        spawn::{self, Spec},
    };

    /// A child that ends with `code` as soon as its FIFO is written to.
    struct Gate {
        process: Doomed,
        fifo: std::path::PathBuf,
    }

    fn gated(folder: &std::path::Path, code: i32) -> Gate {
        let fifo = folder.join(format!("gate-{code}"));
        rustix::fs::mknodat(
            rustix::fs::CWD,
            &fifo,
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .expect("a FIFO");
        let script = format!("read line < \"$0\"; exit {code}");
        let spec =
            Spec::new(["/bin/sh".as_ref(), "-c".as_ref(), script.as_ref(), fifo.as_os_str()]);
        Gate { process: Doomed(spawn::spawn(&spec).expect("starts").into()), fifo }
    }

    impl Gate {
        fn open(&self) {
            let mut fifo = std::fs::OpenOptions::new().write(true).open(&self.fifo).expect("opens");
            fifo.write_all(b"\n").expect("writes");
        }
    }

    fn watch(reaper: &Reaper, process: &Arc<Process>) -> Receiver<Option<i32>> {
        let (tell, told) = unbounded();
        reaper.watch(Arc::clone(process), move |end| tell.send(end.code).expect("heard"));
        told
    }

    #[test]
    fn ends_are_told_in_the_order_they_happen() {
        let folder = tempfile::tempdir().expect("a folder");
        let reaper = Reaper::start().expect("starts");
        let gates: Vec<_> = (1..4).map(|code| gated(folder.path(), code)).collect();
        let told: Vec<_> = gates.iter().map(|gate| watch(&reaper, &gate.process)).collect();
        for at in [2, 0, 1] {
            gates[at].open();
            assert_eq!(told[at].recv(), Ok(Some(i32::try_from(at).expect("small") + 1)));
        }
    }

    #[test]
    fn a_process_that_ended_before_it_was_watched_is_told() {
        let reaper = Reaper::start().expect("starts");
        let process = Arc::new(spawn::spawn(&Spec::new(["/bin/true"])).expect("starts"));
        process.wait_blocking();
        assert_eq!(watch(&reaper, &process).recv(), Ok(Some(0)));
    }

    #[test]
    fn strangers_end_without_a_code() {
        let folder = tempfile::tempdir().expect("a folder");
        let reaper = Reaper::start().expect("starts");
        for (code, old_kernel) in [(1, false), (2, true)] {
            let gate = gated(folder.path(), code);
            let stranger = Process::adopt(gate.process.pid(), gate.process.start_ticks());
            let stranger = stranger.expect("alive");
            let stranger = if old_kernel { stranger.without_descriptor() } else { stranger };
            let told = watch(&reaper, &Arc::new(stranger));
            gate.open();
            assert_eq!(gate.process.wait_blocking(), Some(code));
            assert_eq!(told.recv(), Ok(None));
        }
    }

    #[test]
    fn stopping_leaves_the_processes_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        let reaper = Reaper::start().expect("starts");
        let gate = gated(folder.path(), 7);
        let told = watch(&reaper, &gate.process);
        reaper.stop();
        assert!(told.recv().is_err() && !gate.process.has_ended());
        gate.open();
        assert_eq!(gate.process.wait_blocking(), Some(7));
    }
}
