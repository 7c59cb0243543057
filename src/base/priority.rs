//! The priority and the cores of threads.
//!
//! Jobs, imports, the index of searches and smaller pictures use up every core they get. A thread that answers a client
//! would wait for whole turns of theirs, and so would a game. They yield instead, and one core is never theirs: a turn of
//! the scheduler is longer than a cheap answer. On an idle machine with several cores that costs them nothing or little.

use rustix::{
    process::{self, getpid},
    thread::{CpuSet, sched_getaffinity, sched_setaffinity},
};

/// How far long work steps back, of 19: it has a tenth of a core against a game that wants all of
/// it. Lower, it could hold a lock long enough for the user to notice a waiting edit.
const BACK: i32 = 10;

/// Lowers the priority of the calling thread for the rest of its life, and leaves one core to others; the priority
/// cannot be raised again without privileges. Threads and children that it starts inherit both.
pub fn step_back() {
    // For the kernel the "process" that calls is the calling thread.
    let stepped = process::getpriority_process(None)
        .and_then(|now| process::setpriority_process(None, BACK.max(now)));
    if let Err(error) = stepped {
        log::warn!("failed to lower the priority of a thread: {error}");
    }
    leave_a_core();
}

/// Long work on a thread that also does other things, such as answering. Until this is dropped, one core is left to
/// others. It must start no program that outlives it: children inherit the cores.
#[must_use = "the thread gets its cores back when this is dropped"]
pub struct LongWork(Option<CpuSet>);

impl LongWork {
    /// Begins on the calling thread.
    pub fn begin() -> Self {
        let before = sched_getaffinity(None).ok();
        Self(before.filter(|_| leave_a_core()))
    }
}

impl Drop for LongWork {
    fn drop(&mut self) {
        if let Some(cores) = &self.0
            && let Err(error) = sched_setaffinity(None, cores)
        {
            log::warn!("failed to give a thread its cores back: {error}");
        }
    }
}

/// Takes the first core of the program from the calling thread; whether that was done. A program with one core keeps it.
/// On boards with unequal cores the first one is a small one.
fn leave_a_core() -> bool {
    // The id of the process is that of its first thread, which has all of its cores.
    let Ok(mut cores) = sched_getaffinity(Some(getpid())) else { return false };
    let first = (0..CpuSet::MAX_CPU).find(|core| cores.is_set(*core));
    let Some(first) = first.filter(|_| cores.count() > 1) else { return false };
    cores.unset(first);
    sched_setaffinity(None, &cores).is_ok()
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    /// What a thread of its own says.
    fn on_a_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        thread::scope(|scope| scope.spawn(work).join().expect("joins"))
    }

    fn cores() -> u32 {
        sched_getaffinity(None).expect("its cores").count()
    }

    #[test]
    fn one_thread_steps_back_and_the_others_stay() {
        let own = || process::getpriority_process(None).expect("its priority");
        let (before, all) = (own(), cores());
        let stepped = on_a_thread(|| {
            step_back();
            // What a thread inherits it does not lose again.
            (own(), cores(), on_a_thread(|| (step_back(), cores()).1))
        });
        let left = all.saturating_sub(1).max(1);
        assert_eq!(stepped, (BACK.max(before), left, left));
        assert_eq!((own(), cores()), (before, all));
    }

    #[test]
    fn long_work_leaves_a_core_until_it_ends() {
        let all = cores();
        on_a_thread(|| {
            let work = LongWork::begin();
            assert_eq!(cores(), all.saturating_sub(1).max(1));
            drop(work);
            assert_eq!(cores(), all);
        });
    }
}
