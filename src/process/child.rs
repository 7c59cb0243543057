//! One process that is watched: a child of this process, or one that was started by an earlier run.
//!
//! Holds what makes its number safe to use: the descriptor of the process itself where the kernel
//! has those, and the guarantee that a child's number is not reused before it is reaped.

use std::{
    os::fd::{AsFd as _, BorrowedFd, OwnedFd},
    os::unix::process::ExitStatusExt as _,
    process::{Child, ExitStatus},
    sync::Mutex,
};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    process::{Pid, PidfdFlags, Signal},
};

use super::proc_files;

use crate::base::Hold as _;

/// A process and the group it leads.
#[derive(Debug)]
pub struct Process {
    pid: i32,
    start_ticks: u64,
    descriptor: Option<OwnedFd>,
    kin: Mutex<Kin>,
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct End {
    /// Exit code, `-n` after signal `n`; unknown when we are not the parent.
    pub code: Option<i32>,
}

/// How it is related to us.
#[derive(Debug)]
enum Kin {
    /// Our child, not reaped yet: its number cannot be reused.
    Child(Child),
    /// It is over.
    Ended(End),
    /// Started by another process.
    Stranger,
}

/// Why a process was not signalled.
#[derive(Debug, thiserror::Error)]
pub enum SignalError {
    #[error("the process has ended")]
    Ended,
    #[error("failed to signal process group {group}")]
    Refused {
        /// The process group.
        group: i32,
        /// The message of the operating system.
        source: rustix::io::Errno,
    },
}

impl Process {
    /// Adopts a child that was just started as the leader of its group.
    pub(super) fn of_child(child: Child) -> Self {
        // OK because the kernel's process numbers fit, and this one is not reaped yet.
        let pid = i32::try_from(child.id()).expect("a process number fits 31 bits");
        let start_ticks = proc_files::read_stat(pid).map_or(0, |stat| stat.start_ticks);
        let descriptor = open_descriptor(pid).ok();
        Self { pid, start_ticks, descriptor, kin: Mutex::new(Kin::Child(child)) }
    }

    /// Adopts a process that another process started, if it still is the one that started at
    /// `start_ticks` (ticks after boot) and leads its group. `None` when it ended or its number
    /// belongs to another.
    pub fn adopt(pid: i32, start_ticks: u64) -> Option<Self> {
        // The number came from a file. Group 1 would mean every process there is.
        if pid <= 1 {
            return None;
        }
        let descriptor = match open_descriptor(pid) {
            Ok(descriptor) => Some(descriptor),
            // The process may still live: an old kernel, or no descriptor left.
            Err(rustix::io::Errno::NOSYS | rustix::io::Errno::MFILE | rustix::io::Errno::NFILE) => {
                None
            }
            Err(_) => return None,
        };
        // Only now: what is read after the descriptor was opened is about the same process.
        let stat = proc_files::read_stat(pid)?;
        (stat.is_alive() && stat.start_ticks == start_ticks && stat.group == pid).then(|| Self {
            pid,
            start_ticks,
            descriptor,
            kin: Mutex::new(Kin::Stranger),
        })
    }

    /// The process number, which is also that of its group.
    pub fn pid(&self) -> i32 {
        self.pid
    }

    /// When the kernel started it, in clock ticks after boot; 0 when that was unreadable.
    pub fn start_ticks(&self) -> u64 {
        self.start_ticks
    }

    /// Whether it has ended. A child of this process is reaped by the check.
    pub fn has_ended(&self) -> bool {
        self.poll_end().is_some()
    }

    /// Sends a signal to its process group.
    ///
    /// # Errors
    /// [`SignalError`]; after the end nothing is sent, since the number may have a new owner.
    pub fn signal_group(&self, signal: Signal) -> Result<(), SignalError> {
        let kin = self.kin.hold();
        let alive = match &*kin {
            Kin::Child(_) => true,
            Kin::Ended(_) => false,
            Kin::Stranger => !self.stranger_ended(),
        };
        // OK because a started process has a positive number.
        let group = Pid::from_raw(self.pid).filter(|_| alive).ok_or(SignalError::Ended)?;
        rustix::process::kill_process_group(group, signal).map_err(|source| match source {
            rustix::io::Errno::SRCH => SignalError::Ended,
            source => SignalError::Refused { group: self.pid, source },
        })
    }

    /// The end, without waiting for it: `None` while it runs.
    pub(super) fn poll_end(&self) -> Option<End> {
        let mut kin = self.kin.hold();
        let code = match &mut *kin {
            Kin::Ended(end) => return Some(*end),
            Kin::Child(child) => match child.try_wait() {
                Ok(None) => return None,
                Ok(Some(status)) => Some(exit_code(status)),
                // Another process reaped it; all that is known is that it is gone.
                Err(_) => None,
            },
            Kin::Stranger if self.stranger_ended() => None,
            Kin::Stranger => return None,
        };
        *kin = Kin::Ended(End { code });
        Some(End { code })
    }

    /// What becomes readable when the process ends; `None` on kernels without it.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.descriptor.as_ref().map(|descriptor| descriptor.as_fd())
    }

    fn stranger_ended(&self) -> bool {
        match &self.descriptor {
            Some(descriptor) => {
                let mut set = [PollFd::new(descriptor, PollFlags::IN)];
                let now = Timespec { tv_sec: 0, tv_nsec: 0 };
                matches!(rustix::event::poll(&mut set, Some(&now)), Ok(1..))
            }
            None => !proc_files::read_stat(self.pid)
                .is_some_and(|stat| stat.is_alive() && stat.start_ticks == self.start_ticks),
        }
    }

    /// Waits for the end, for tests that have no reaper.
    #[cfg(test)]
    pub(super) fn wait_blocking(&self) -> Option<i32> {
        let mut set = [PollFd::new(self.descriptor.as_ref().expect("a descriptor"), PollFlags::IN)];
        rustix::event::poll(&mut set, None).expect("waits");
        self.poll_end().expect("ended").code
    }

    /// The same process as an old kernel shows it, without a descriptor.
    #[cfg(test)]
    pub(super) fn without_descriptor(mut self) -> Self {
        self.descriptor = None;
        self
    }
}

/// The exit code, `-n` when signal `n` ended the process.
pub(super) fn exit_code(status: ExitStatus) -> i32 {
    status.code().or_else(|| status.signal().map(|signal| -signal)).unwrap_or(0)
}

/// A process of a test: its group is killed when the test is done with it, also by a panic.
#[cfg(test)]
pub(super) struct Doomed(pub(super) std::sync::Arc<Process>);

#[cfg(test)]
impl std::ops::Deref for Doomed {
    type Target = std::sync::Arc<Process>;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

#[cfg(test)]
impl Drop for Doomed {
    fn drop(&mut self) {
        // OK because a group that is gone already is what is wanted.
        let _ = self.0.signal_group(Signal::KILL);
    }
}

fn open_descriptor(pid: i32) -> Result<OwnedFd, rustix::io::Errno> {
    let pid = Pid::from_raw(pid).ok_or(rustix::io::Errno::SRCH)?;
    rustix::process::pidfd_open(pid, PidfdFlags::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::spawn::{self, Spec};

    fn sleeper() -> Doomed {
        Doomed(spawn::spawn(&Spec::new(["/bin/sleep", "1000"])).expect("starts").into())
    }

    #[test]
    fn a_process_is_adopted_by_number_and_start() {
        let child = sleeper();
        let adopted = Process::adopt(child.pid(), child.start_ticks()).expect("the same process");
        assert!(Process::adopt(child.pid(), child.start_ticks() + 1).is_none());
        assert!(!adopted.has_ended());
        adopted.signal_group(Signal::TERM).expect("signalled");
        assert_eq!(child.wait_blocking(), Some(-15));
        assert!(adopted.has_ended());
        assert!(matches!(adopted.signal_group(Signal::TERM), Err(SignalError::Ended)));
        assert!(matches!(child.signal_group(Signal::TERM), Err(SignalError::Ended)));
        assert!(Process::adopt(child.pid(), child.start_ticks()).is_none());
    }

    #[test]
    fn odd_numbers_are_nobody() {
        for pid in [0, 1, -1, i32::MIN, i32::MAX] {
            let ticks = proc_files::read_stat(pid).map_or(1, |stat| stat.start_ticks);
            assert!(Process::adopt(pid, ticks).is_none(), "{pid}");
        }
    }

    #[test]
    fn a_process_in_the_group_of_another_is_left_alone() {
        let script = "sleep 1000 & echo $!; wait";
        let mut command = Spec::new(["/bin/sh", "-c", script]).command().expect("a program");
        let mut child = command.stdout(std::process::Stdio::piped()).spawn().expect("starts");
        let out = child.stdout.take().expect("piped");
        let leader = Doomed(Process::of_child(child).into());
        let mut line = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(out), &mut line).expect("reads");
        let member = line.trim().parse().expect("a number");
        let ticks = proc_files::read_stat(member).expect("alive").start_ticks;
        assert!(Process::adopt(member, ticks).is_none());
        leader.signal_group(Signal::KILL).expect("signalled");
        assert_eq!(leader.wait_blocking(), Some(-9));
    }

    #[test]
    fn an_old_kernel_is_asked_by_start_time() {
        let child = sleeper();
        let adopted = Process::adopt(child.pid(), child.start_ticks()).expect("the same process");
        let adopted = adopted.without_descriptor();
        assert!(!adopted.has_ended());
        child.signal_group(Signal::KILL).expect("signalled");
        child.wait_blocking();
        assert!(adopted.has_ended());
    }

    #[test]
    fn a_zombie_counts_as_ended() {
        let child = sleeper();
        let adopted = Process::adopt(child.pid(), child.start_ticks()).expect("the same process");
        child.signal_group(Signal::KILL).expect("signalled");
        let mut set =
            [PollFd::new(child.descriptor.as_ref().expect("a descriptor"), PollFlags::IN)];
        rustix::event::poll(&mut set, None).expect("waits");
        assert!(adopted.has_ended());
        assert!(Process::adopt(child.pid(), child.start_ticks()).is_none());
        assert_eq!(child.poll_end(), Some(End { code: Some(-9) }));
    }
}
