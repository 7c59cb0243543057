//! The priority of threads.
//!
//! Jobs, the index of searches and smaller pictures use up every core they get. A thread that answers a client would
//! wait for whole turns of theirs, and so would a game. They yield instead; on an idle machine that costs them nothing.

use rustix::process;

/// How far long work steps back, of 19: it has a tenth of a core against a game that wants all of
/// it. Lower, it could hold a lock long enough for the user to notice a waiting edit.
const BACK: i32 = 10;

/// Lowers the priority of the calling thread for the rest of its life; it cannot be raised again without privileges.
/// Threads and children that it starts inherit it.
pub fn step_back() {
    // For the kernel the "process" that calls is the calling thread.
    let stepped = process::getpriority_process(None)
        .and_then(|now| process::setpriority_process(None, BACK.max(now)));
    if let Err(error) = stepped {
        log::warn!("failed to lower the priority of a thread: {error}");
    }
}

#[cfg(test)]
mod tests {
    use std::thread;

    use super::*;

    #[test]
    fn one_thread_steps_back_and_the_others_stay() {
        let own = || process::getpriority_process(None).expect("its priority");
        let before = own();
        let stepped = thread::scope(|scope| {
            let thread = scope.spawn(|| {
                step_back();
                own()
            });
            thread.join().expect("joins")
        });
        assert_eq!((stepped, own()), (BACK.max(before), before));
    }
}
