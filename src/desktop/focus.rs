//! The mark by which the compositor of a handheld recognises the windows of a game: the property `STEAM_GAME`
//! with the number of the game. In its gaming mode a window without one gets no focus.
//!
//! A window comes some time after its process, so it is searched a few times, on a thread of its own.
//! No caller waits for that, and failures are only logged.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use super::Find;
use crate::{
    base::{Workers, workers::Signal},
    process::{CaptureError, Limits, Spec, capture, search},
};

/// The number of the window of this program.
pub const OWN: u32 = 413_091_001;
/// How often windows are searched, and the time between two searches.
const TRIES: u32 = 8;
const PAUSE: Duration = Duration::from_millis(250);
/// How long a tool may take.
const PATIENCE: Duration = Duration::from_secs(2);
/// Processes of a game that are asked about; more are the work of a program that starts others.
const PROCESSES: usize = 64;

/// Whose windows are marked, and with what.
pub struct Target {
    /// The number that the windows get.
    pub number: u32,
    /// The processes of the game that run now.
    pub processes: Box<dyn Fn() -> Vec<i32> + Send>,
    /// Whether the game still runs.
    pub is_there: Box<dyn Fn() -> bool + Send>,
}

/// The threads that look for windows. Dropping it ends them.
#[derive(Default)]
pub struct Focus {
    signal: Arc<Signal>,
    workers: Workers,
}

impl Focus {
    /// Marks the windows of a target from now on, as long as there are tries left.
    pub fn follow(&self, target: Target) {
        let signal = Arc::clone(&self.signal);
        let look = move || {
            let marked = Tools::of(&search::on_path).map_or(Ok(true), |tools| {
                tools.mark_in_time(&target, &|pause| signal.sleep(pause))
            });
            match marked {
                Ok(true) => {}
                Ok(false) => log::info!("no window was found for number {}", target.number),
                Err(error) => {
                    log::info!("windows of number {} were not marked: {error}", target.number);
                }
            }
        };
        if let Err(error) = self.workers.spawn("focus", look) {
            log::info!("no thread looks for windows: {error}");
        }
    }

    /// Waits until no tries are left.
    pub fn finish(&self) {
        self.workers.join();
    }

    /// Ends all tries.
    pub fn stop(&self) {
        self.signal.stop();
        self.workers.join();
    }
}

impl Drop for Focus {
    fn drop(&mut self) {
        self.stop();
    }
}

/// The programs that are needed, where they are.
#[derive(Debug, PartialEq, Eq)]
struct Tools {
    finder: Finder,
    marker: PathBuf,
}

/// What finds the windows of processes.
#[derive(Debug, PartialEq, Eq)]
enum Finder {
    /// Asks about one process.
    One(PathBuf),
    /// Lists all windows with their processes.
    All(PathBuf),
}

/// Why no window was marked.
#[derive(Debug, thiserror::Error)]
enum MarkError {
    #[error(transparent)]
    Tool(#[from] CaptureError),
    #[error("the property was not set, code {0}")]
    Refused(i32),
}

impl Tools {
    /// The tools of this machine; `None` when one is missing.
    fn of(find: Find<'_>) -> Option<Self> {
        let all = || find("wmctrl").map(Finder::All);
        let finder = find("xdotool").map(Finder::One).or_else(all)?;
        Some(Self { finder, marker: find("xprop")? })
    }

    /// Looks for windows until one was marked or the game has ended; false when no try found one. `rest`
    /// waits and returns whether to continue.
    fn mark_in_time(
        &self,
        target: &Target,
        rest: &dyn Fn(Duration) -> bool,
    ) -> Result<bool, MarkError> {
        let goes_on = || rest(Duration::ZERO) && (target.is_there)();
        let mut outcome = Ok(false);
        for number in 0..TRIES {
            if (number > 0 && !rest(PAUSE)) || !goes_on() {
                return Ok(true);
            }
            outcome = self.mark(target, &goes_on);
            match outcome {
                Ok(true) => break,
                Err(_) if !goes_on() => return Ok(true),
                Ok(false) | Err(_) => {}
            }
        }
        outcome
    }

    /// Marks the windows that there are now, and returns whether there was one.
    fn mark(&self, target: &Target, goes_on: &dyn Fn() -> bool) -> Result<bool, MarkError> {
        let mut processes = (target.processes)();
        processes.truncate(PROCESSES);
        let mut outcome = Ok(false);
        for window in self.windows(&processes, goes_on)? {
            // One that closes in between keeps no other from its mark.
            match self.set(&window, target.number, goes_on) {
                Ok(()) => outcome = Ok(true),
                Err(error) if !matches!(outcome, Ok(true)) => outcome = Err(error),
                Err(_) => {}
            }
        }
        outcome
    }

    fn set(&self, window: &str, number: u32, goes_on: &dyn Fn() -> bool) -> Result<(), MarkError> {
        let number = number.to_string();
        let words = ["-id", window, "-f", "STEAM_GAME", "32c", "-set", "STEAM_GAME", &number];
        match ask(&self.marker, &words, goes_on)? {
            (0, _) => Ok(()),
            (code, _) => Err(MarkError::Refused(code)),
        }
    }

    /// The windows of these processes, as the finder names them.
    fn windows(
        &self,
        processes: &[i32],
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, MarkError> {
        let mut windows = Vec::new();
        match &self.finder {
            Finder::One(program) => {
                for process in processes {
                    let process = process.to_string();
                    let (_, text) = ask(program, &["search", "--pid", &process], goes_on)?;
                    windows.extend(
                        text.lines().map(str::trim).filter(|id| is_window(id)).map(str::to_owned),
                    );
                }
            }
            Finder::All(program) => {
                let (_, text) = ask(program, &["-lp"], goes_on)?;
                windows.extend(listed(&text, processes).map(str::to_owned));
            }
        }
        Ok(windows)
    }
}

/// Runs a tool and returns its exit code and what it printed. A finder that finds nothing ends with an
/// error code.
fn ask(
    program: &Path,
    words: &[&str],
    goes_on: &dyn Fn() -> bool,
) -> Result<(i32, String), CaptureError> {
    let words = words.iter().map(OsString::from);
    let spec = Spec::new([program.as_os_str().to_owned()].into_iter().chain(words));
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    let captured = capture::run_watched(&spec, &limits, goes_on)?;
    Ok((captured.code, String::from_utf8_lossy(&captured.stdout).into_owned()))
}

/// Whether a word is the number of a window, decimal or hexadecimal.
fn is_window(word: &str) -> bool {
    let (digits, radix) = word.strip_prefix("0x").map_or((word, 10), |digits| (digits, 16));
    !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix))
}

/// The windows of these processes in a list with a window a line: its number, its desktop, its process.
fn listed<'a>(text: &'a str, processes: &[i32]) -> impl Iterator<Item = &'a str> {
    text.lines().filter_map(|line| {
        let mut words = line.split_ascii_whitespace();
        let (window, _, process) = (words.next()?, words.next()?, words.next()?);
        let process: i32 = process.parse().ok()?;
        (is_window(window) && processes.contains(&process)).then_some(window)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_are_numbers_of_the_processes_that_are_meant() {
        for (word, expected) in
            [("4194307", true), ("0x3c0000a", true), ("", false), ("0x", false), ("-id", false)]
        {
            assert_eq!(is_window(word), expected, "{word}");
        }
        let text = "0x03c00003 -1 12 host a 7\n0x03c00004  0 7  host b\nodd\n0x5 0 x host c\n";
        assert_eq!(listed(text, &[7, 12]).collect::<Vec<_>>(), ["0x03c00003", "0x03c00004"]);
        assert_eq!(listed(text, &[13]).count(), 0);
    }

    #[test]
    fn the_list_of_all_windows_is_asked_where_the_other_finder_is_missing() {
        let tools = |installed: &[&str]| {
            Tools::of(&|name| installed.contains(&name).then(|| PathBuf::from(name)))
        };
        let found = |installed: &[&str]| tools(installed).map(|tools| tools.finder);
        let one = Finder::One("xdotool".into());
        assert_eq!(found(&["xdotool", "wmctrl", "xprop"]), Some(one));
        assert_eq!(found(&["wmctrl", "xprop"]), Some(Finder::All("wmctrl".into())));
        assert_eq!((found(&["xdotool"]), found(&["xprop"])), (None, None));
    }

    #[test]
    fn there_are_eight_tries_unless_the_game_ends() {
        let tools = Tools { finder: Finder::All("/bin/true".into()), marker: "/bin/true".into() };
        let rests = std::cell::Cell::new(0);
        let rest = |pause: Duration| {
            rests.set(rests.get() + u32::from(!pause.is_zero()));
            true
        };
        let target = |is_there: bool| Target {
            number: 7,
            processes: Box::new(|| vec![1]),
            is_there: Box::new(move || is_there),
        };
        assert!(!tools.mark_in_time(&target(true), &rest).expect("every try was made"));
        assert_eq!(rests.get(), TRIES - 1);
        assert!(tools.mark_in_time(&target(false), &rest).expect("nothing is left to do"));
        assert_eq!(rests.get(), TRIES - 1, "no try was made");
    }
}
