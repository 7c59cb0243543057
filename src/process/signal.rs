//! Signalling a single process that is not a child of this one.

use rustix::process::{Pid, PidfdFlags, Signal};

use super::{child::SignalError, proc_files};

/// Signals the process with this number if it still is the one that started at `start_ticks`.
///
/// # Errors
/// [`SignalError::Ended`] when it is another one or none.
pub fn signal_one(pid: i32, start_ticks: u64, signal: Signal) -> Result<(), SignalError> {
    let process = Pid::from_raw(pid.max(0)).filter(|_| pid > 1).ok_or(SignalError::Ended)?;
    let descriptor = rustix::process::pidfd_open(process, PidfdFlags::empty());
    // Looked at after the descriptor was opened, so that both mean the same process.
    let same = proc_files::read_stat(pid)
        .is_some_and(|stat| stat.is_alive() && stat.start_ticks == start_ticks);
    if !same {
        return Err(SignalError::Ended);
    }
    let sent = match descriptor {
        Ok(descriptor) => rustix::process::pidfd_send_signal(&descriptor, signal),
        // An old kernel: the number cannot have changed hands within these few instructions,
        // because numbers are given out in turn.
        Err(rustix::io::Errno::NOSYS) => rustix::process::kill_process(process, signal),
        Err(error) => Err(error),
    };
    sent.map_err(|source| match source {
        rustix::io::Errno::SRCH => SignalError::Ended,
        source => SignalError::Refused { group: pid, source },
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::process::{
        child::Doomed,
        spawn::{self, Spec},
    };

    #[test]
    fn only_the_very_process_is_signalled() {
        let child = spawn::spawn(&Spec::new(["/bin/sleep", "1000"])).expect("starts");
        let child = Doomed(child.into());
        let (pid, ticks) = (child.pid(), child.start_ticks());
        assert!(matches!(signal_one(pid, ticks + 1, Signal::KILL), Err(SignalError::Ended)));
        assert!(!child.has_ended());
        signal_one(pid, ticks, Signal::TERM).expect("signalled");
        assert_eq!(child.wait_blocking(), Some(-15));
        assert!(matches!(signal_one(pid, ticks, Signal::KILL), Err(SignalError::Ended)));
        for odd in [0, 1, -1, i32::MIN] {
            assert!(matches!(signal_one(odd, 0, Signal::KILL), Err(SignalError::Ended)));
        }
    }
}
