//! Running a program to its end and keeping what it prints, under limits of time and size.

use std::{
    io::{self, Read, Write as _},
    os::fd::{AsFd, BorrowedFd},
    process::{ChildStdin, Stdio},
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec},
    process::Signal,
};

use super::{
    child::{End, Process},
    spawn::{SpawnError, Spec},
};

/// Bytes of the error output that are kept; the rest is read and dropped.
const ERROR_BYTES: usize = 64 * 1024;

/// Bytes of the longest input: what a pipe takes without a reader.
const INPUT_BYTES: usize = 60 * 1024;

/// Bytes that are written before the clock is checked again: more than a pipe holds, so that the
/// last turn takes what a program that has ended left in it.
const TURN: usize = 1024 * 1024;

/// How long and how much.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The program and its group are killed after this.
    pub timeout: Duration,
    /// Largest output in bytes.
    pub output_bytes: usize,
}

impl Default for Limits {
    /// Ten seconds and one MiB: enough for a probe.
    fn default() -> Self {
        Self { timeout: Duration::from_secs(10), output_bytes: 1024 * 1024 }
    }
}

/// What a program left behind.
#[derive(Debug, PartialEq, Eq)]
pub struct Captured {
    /// Exit code, `-n` after signal `n`.
    pub code: i32,
    /// Standard output.
    pub stdout: Vec<u8>,
    /// The first 64 KiB of the error output.
    pub stderr: Vec<u8>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub enum CaptureError {
    /// It could not be started.
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error("the program did not end within {0:?}")]
    TimedOut(Duration),
    /// The caller gave up; the program was killed.
    #[error("the program was stopped")]
    Stopped,
    #[error("the program printed more than {0} bytes")]
    TooMuchOutput(usize),
    #[error("failed to read the output of the program")]
    Output(#[source] io::Error),
}

/// Runs a program without input and waits for its end on the calling thread.
///
/// What it leaves running behind its own end is not waited for.
///
/// # Errors
/// [`CaptureError`]; the program and its group are gone then.
pub fn run(spec: &Spec, limits: &Limits) -> Result<Captured, CaptureError> {
    run_while(spec, limits, None)
}

/// As [`run`], for a program that reads `input`, of which the first [`INPUT_BYTES`] bytes are given.
///
/// # Errors
/// As [`run`].
pub fn run_with_input(
    spec: &Spec,
    limits: &Limits,
    input: &[u8],
) -> Result<Captured, CaptureError> {
    let input = &input[..input.len().min(INPUT_BYTES)];
    run_with(spec, limits, Watch::default(), Some(input))
}

/// As [`run`], for work that takes long: `goes_on` is asked several times a second.
///
/// # Errors
/// As [`run`], and [`CaptureError::Stopped`] once `goes_on` returns false.
pub fn run_watched(
    spec: &Spec,
    limits: &Limits,
    goes_on: &dyn Fn() -> bool,
) -> Result<Captured, CaptureError> {
    run_while(spec, limits, Some(goes_on))
}

/// Takes the output of a program while it is printed; `false` ends the program.
pub type Sink<'a> = dyn FnMut(&[u8]) -> bool + 'a;

/// As [`run`], and hands the output over piece by piece instead of keeping it: the limit of bytes is
/// that of the sink.
///
/// # Errors
/// As [`run`]; [`CaptureError::TooMuchOutput`] once the sink refuses.
pub fn run_into(
    spec: &Spec,
    limits: &Limits,
    sink: &mut Sink<'_>,
) -> Result<Captured, CaptureError> {
    run_with(spec, limits, Watch { sink: Some(sink), ..Watch::default() }, None)
}

/// As [`run`], for a program that is not trusted: it reads `input`, the end of the error output is kept
/// instead of its beginning, and what it leaves running in its group is killed at its own end.
/// `goes_on` is asked several times a second.
///
/// # Errors
/// As [`run_watched`].
pub fn run_confined(
    spec: &Spec,
    limits: &Limits,
    input: &[u8],
    goes_on: &dyn Fn() -> bool,
) -> Result<Captured, CaptureError> {
    run_with(
        spec,
        limits,
        Watch { goes_on: Some(goes_on), is_confined: true, sink: None },
        Some(input),
    )
}

fn run_while(
    spec: &Spec,
    limits: &Limits,
    goes_on: Option<&dyn Fn() -> bool>,
) -> Result<Captured, CaptureError> {
    run_with(spec, limits, Watch { goes_on, ..Watch::default() }, None)
}

/// Who follows a program while it runs.
#[derive(Default)]
struct Watch<'a, 'b> {
    /// Whether it is not trusted.
    is_confined: bool,
    goes_on: Option<&'a dyn Fn() -> bool>,
    sink: Option<&'a mut Sink<'b>>,
}

fn run_with(
    spec: &Spec,
    limits: &Limits,
    watch: Watch<'_, '_>,
    input: Option<&[u8]>,
) -> Result<Captured, CaptureError> {
    let Watch { goes_on, sink, is_confined } = watch;
    let mut command = spec.command().ok_or(SpawnError::Empty)?;
    let stdin = if input.is_some() { Stdio::piped() } else { Stdio::null() };
    command.stdin(stdin).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command
        .spawn()
        .map_err(|source| SpawnError::Refused { program: spec.argv[0].clone(), source })?;
    // OK because both were asked for above.
    let out = child.stdout.take().expect("a piped output");
    let err = child.stderr.take().expect("a piped error output");
    let mut feed = Feed::new(child.stdin.take(), input.unwrap_or_default());
    let process = Process::of_child(child);
    let ends_at = Instant::now() + limits.timeout;
    let run = Run { process: &process, limits, ends_at, goes_on, is_confined };
    let mut streams = (Stream::new(out), Stream::new(err));
    let outcome = run.to_end(&mut feed, &mut streams.0, &mut streams.1, sink);
    if outcome.is_err() {
        // OK because a group that is gone already is what is wanted.
        let _ = process.signal_group(Signal::KILL);
        while process.poll_end().is_none() {
            wait(&[process.descriptor()], None, Some(Duration::from_millis(20)));
        }
    }
    let code = outcome?;
    Ok(Captured { code, stdout: streams.0.kept, stderr: streams.1.kept })
}

struct Run<'a> {
    process: &'a Process,
    limits: &'a Limits,
    ends_at: Instant,
    goes_on: Option<&'a dyn Fn() -> bool>,
    is_confined: bool,
}

impl Run<'_> {
    /// The end of the program, if it has come. Until it is collected its number is not reused,
    /// so that is when the rest of its group is killed.
    fn end(&self) -> Option<End> {
        if self.is_confined
            && let Some(descriptor) = self.process.descriptor()
        {
            if !is_readable(descriptor) {
                return None;
            }
            // OK because a group without other members is what is wanted.
            let _ = self.process.signal_group(Signal::KILL);
        }
        self.process.poll_end()
    }

    fn to_end(
        &self,
        feed: &mut Feed<'_>,
        out: &mut Stream<impl Read + AsFd>,
        err: &mut Stream<impl Read + AsFd>,
        mut sink: Option<&mut Sink<'_>>,
    ) -> Result<i32, CaptureError> {
        loop {
            // Asked before the last reading: whatever was printed before the end is in the pipe.
            let ended = self.end();
            feed.push();
            let is_full = match &mut sink {
                Some(sink) => out.pass_on(sink),
                None => out.drain(self.limits.output_bytes, Rest::Refused),
            };
            if is_full.map_err(CaptureError::Output)? {
                return Err(CaptureError::TooMuchOutput(self.limits.output_bytes));
            }
            if self.is_confined {
                err.drain_tail(ERROR_BYTES).map_err(CaptureError::Output)?;
            } else {
                err.drain(ERROR_BYTES, Rest::Dropped).map_err(CaptureError::Output)?;
            }
            if let Some(end) = ended {
                return Ok(end.code.unwrap_or(0));
            }
            let left = self.ends_at.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(CaptureError::TimedOut(self.limits.timeout));
            }
            if self.goes_on.is_some_and(|goes_on| !goes_on()) {
                return Err(CaptureError::Stopped);
            }
            // Without a descriptor of the process its end is polled.
            let descriptor = self.process.descriptor();
            let left = match (descriptor.is_some(), self.goes_on.is_some()) {
                (true, false) => left,
                (true, true) => left.min(Duration::from_millis(200)),
                (false, _) => left.min(Duration::from_millis(20)),
            };
            wait(&[descriptor, out.descriptor(), err.descriptor()], feed.descriptor(), Some(left));
        }
    }
}

/// Whether a descriptor has something to read now.
fn is_readable(descriptor: BorrowedFd<'_>) -> bool {
    let mut set = [PollFd::from_borrowed_fd(descriptor, PollFlags::IN)];
    let now = Timespec { tv_sec: 0, tv_nsec: 0 };
    matches!(rustix::event::poll(&mut set, Some(&now)), Ok(1..))
}

/// Sleeps until one of the descriptors has something, `sink` takes something, or the time is over.
fn wait(
    descriptors: &[Option<BorrowedFd<'_>>],
    sink: Option<BorrowedFd<'_>>,
    time: Option<Duration>,
) {
    let mut set: Vec<_> = descriptors
        .iter()
        .flatten()
        .map(|descriptor| PollFd::from_borrowed_fd(*descriptor, PollFlags::IN))
        .chain(sink.map(|sink| PollFd::from_borrowed_fd(sink, PollFlags::OUT)))
        .collect();
    let time = time.and_then(|time| Timespec::try_from(time).ok());
    // An interrupted poll only means one more round of the caller's loop.
    let _ = rustix::event::poll(&mut set, time.as_ref());
}

/// The input of the program, written without blocking.
struct Feed<'a> {
    sink: Option<ChildStdin>,
    left: &'a [u8],
}

impl<'a> Feed<'a> {
    fn new(sink: Option<ChildStdin>, left: &'a [u8]) -> Self {
        if let Some(sink) = &sink {
            // OK because an own pipe takes the flag.
            let _ = rustix::io::ioctl_fionbio(sink, true);
        }
        Self { sink, left }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.sink.as_ref().map(AsFd::as_fd)
    }

    /// Writes what the pipe takes, and closes it at the end or when the reader is gone.
    fn push(&mut self) {
        while let Some(sink) = self.sink.as_mut().filter(|_| !self.left.is_empty()) {
            match sink.write(self.left) {
                Ok(count @ 1..) => self.left = &self.left[count..],
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) | Err(_) => self.left = &[],
            }
        }
        self.sink = None;
    }
}

/// One output of the program, read without blocking.
struct Stream<R> {
    source: Option<R>,
    kept: Vec<u8>,
}

impl<R: Read + AsFd> Stream<R> {
    fn new(source: R) -> Self {
        // OK because an own pipe takes the flag; without it a read would only wait longer.
        let _ = rustix::io::ioctl_fionbio(&source, true);
        Self { source: Some(source), kept: Vec::new() }
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        self.source.as_ref().map(AsFd::as_fd)
    }

    /// Reads what is there, at most [`TURN`] bytes, and hands it over; whether the sink has enough.
    fn pass_on(&mut self, sink: &mut Sink<'_>) -> io::Result<bool> {
        let mut buffer = [0_u8; 16 * 1024];
        let mut passed = 0;
        while let Some(source) = self.source.as_mut().filter(|_| passed < TURN) {
            match source.read(&mut buffer) {
                Ok(0) => self.source = None,
                Ok(count) => {
                    passed += count;
                    if !sink(&buffer[..count]) {
                        return Ok(true);
                    }
                }
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => break,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(false)
    }

    /// Reads what is there, at most [`TURN`] bytes, and keeps the last `limit` bytes.
    fn drain_tail(&mut self, limit: usize) -> io::Result<()> {
        let kept = &mut std::mem::take(&mut self.kept);
        let read = self.pass_on(&mut |bytes| {
            kept.extend_from_slice(bytes);
            let surplus = kept.len().saturating_sub(limit);
            kept.drain(..surplus);
            true
        });
        std::mem::swap(kept, &mut self.kept);
        read.map(drop)
    }

    /// Reads what is there, at most [`TURN`] bytes, and keeps the first `limit` bytes; whether there was more
    /// and the rest is refused.
    fn drain(&mut self, limit: usize, rest: Rest) -> io::Result<bool> {
        let kept = &mut std::mem::take(&mut self.kept);
        let read = self.pass_on(&mut |bytes| {
            let room = limit - kept.len();
            kept.extend_from_slice(&bytes[..bytes.len().min(room)]);
            bytes.len() <= room || rest == Rest::Dropped
        });
        std::mem::swap(kept, &mut self.kept);
        read
    }
}

/// What becomes of output beyond its limit.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Rest {
    /// It is read and dropped.
    Dropped,
    /// It ends the reading.
    Refused,
}

#[cfg(test)]
mod tests {
    use rustix::process::Pid;

    use super::*;
    use crate::process::proc_files;

    fn shell(script: &str) -> Spec {
        Spec::new(["/bin/sh", "-c", script])
    }

    #[test]
    fn keeps_both_outputs_and_the_code() {
        let captured = run(&shell("echo out; echo err >&2; exit 3"), &Limits::default());
        let captured = captured.expect("runs");
        assert_eq!(
            captured,
            Captured { code: 3, stdout: b"out\n".into(), stderr: b"err\n".into() }
        );
        let killed = run(&shell("kill -9 $$"), &Limits::default()).expect("runs");
        assert_eq!(killed.code, -9);
    }

    #[test]
    fn output_has_an_edge() {
        let limits = Limits { output_bytes: 100_000, ..Limits::default() };
        let print = |count: usize| run(&shell(&format!("head -c {count} /dev/zero")), &limits);
        assert_eq!(print(100_000).expect("fits").stdout.len(), 100_000);
        assert!(matches!(print(100_001), Err(CaptureError::TooMuchOutput(100_000))));
        let endless = run(&shell("cat /dev/zero"), &limits);
        assert!(matches!(endless, Err(CaptureError::TooMuchOutput(_))));
        let noisy = run(&shell("head -c 1000000 /dev/zero >&2; echo ok"), &limits).expect("runs");
        assert_eq!((noisy.stderr.len(), noisy.stdout), (ERROR_BYTES, b"ok\n".to_vec()));
    }

    #[test]
    fn output_is_handed_over_while_it_is_printed() {
        let limits = Limits { output_bytes: 1, timeout: Duration::from_mins(1) };
        let mut seen = 0;
        let mut count = |bytes: &[u8]| {
            seen += bytes.len();
            true
        };
        let done = run_into(&shell("head -c 5000000 /dev/zero; exit 4"), &limits, &mut count);
        assert_eq!(done.map(|done| (done.code, done.stdout)).expect("runs"), (4, Vec::new()));
        assert_eq!(seen, 5_000_000);
        let refused = run_into(&shell("cat /dev/zero"), &limits, &mut |_| false);
        assert!(matches!(refused, Err(CaptureError::TooMuchOutput(1))));
        let short = Limits { timeout: Duration::from_millis(200), ..limits };
        let endless = run_into(&shell("cat /dev/zero"), &short, &mut |_| true);
        assert!(matches!(endless, Err(CaptureError::TimedOut(_))), "the clock is checked");
        for (script, output_bytes) in [("cat /dev/zero >&2", 1), ("cat /dev/zero", 256 << 20)] {
            let stopped =
                run_watched(&shell(script), &Limits { output_bytes, ..limits }, &|| false);
            assert!(matches!(stopped, Err(CaptureError::Stopped)), "{script}");
        }
    }

    #[test]
    fn a_hanging_program_and_its_children_are_killed() {
        let folder = tempfile::tempdir().expect("a folder");
        let marker = folder.path().join("pid");
        let script = format!("sleep 1000 & echo $! > '{}'; wait", marker.display());
        let limits = Limits { timeout: Duration::from_millis(300), ..Limits::default() };
        assert!(matches!(run(&shell(&script), &limits), Err(CaptureError::TimedOut(_))));
        let pid =
            std::fs::read_to_string(&marker).expect("written").trim().parse().expect("a number");
        // The process that adopted the orphan may not have reaped it yet, but it does not run any more.
        while proc_files::read_stat(pid).is_some_and(|stat| stat.is_alive()) {
            std::thread::yield_now();
        }
    }

    #[test]
    fn whoever_waits_may_stop_it() {
        let asked = std::cell::Cell::new(0);
        let goes_on = || {
            asked.set(asked.get() + 1);
            asked.get() < 3
        };
        let stopped = run_watched(&shell("sleep 1000"), &Limits::default(), &goes_on);
        assert!(matches!(stopped, Err(CaptureError::Stopped)));
        let ended = run_watched(&shell("echo x"), &Limits::default(), &|| true);
        assert_eq!(ended.expect("runs").stdout, b"x\n");
    }

    #[test]
    fn a_confined_program_reads_its_input_and_leaves_nothing_running() {
        let input = vec![b'x'; 2_000_000];
        let limits = Limits { output_bytes: 3_000_000, timeout: Duration::from_mins(1) };
        let echoed =
            run_confined(&shell("cat; sleep 1000 & echo $! >&2"), &limits, &input, &|| true);
        let echoed = echoed.expect("runs");
        assert_eq!((echoed.code, echoed.stdout), (0, input.clone()));
        let pid = String::from_utf8_lossy(&echoed.stderr).trim().parse().expect("a number");
        while proc_files::read_stat(pid).is_some_and(|stat| stat.is_alive()) {
            std::thread::yield_now();
        }
        let deaf =
            run_confined(&shell("exec <&-; echo no"), &limits, &input, &|| true).expect("runs");
        assert_eq!(deaf.stdout, b"no\n", "input without a reader is not an error");
        let noisy = "head -c 1000000 /dev/zero >&2; echo end >&2";
        let noisy = run_confined(&shell(noisy), &limits, b"", &|| true).expect("runs").stderr;
        assert!(noisy.len() == ERROR_BYTES && noisy.ends_with(b"end\n"));
    }

    #[test]
    fn a_daemon_left_behind_is_not_waited_for() {
        let started = Instant::now();
        let captured = run(&shell("sleep 5 & echo $!"), &Limits::default()).expect("runs");
        assert!(started.elapsed() < Duration::from_secs(4));
        let pid: i32 = String::from_utf8_lossy(&captured.stdout).trim().parse().expect("a number");
        let pid = Pid::from_raw(pid).expect("a process");
        rustix::process::kill_process(pid, Signal::KILL).expect("it still runs");
    }
}
