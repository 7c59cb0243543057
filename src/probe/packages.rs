//! Queries to the sandboxed package tool: which packages are installed, and what they may access.
//!
//! Each question starts a process, so one question for the whole list answers for every package, and
//! its answer is kept until the tool changes a package, half a minute at most. It is never asked while a request of
//! the quick kind waits. A slow tool gets five seconds for all questions together; then what is known counts.

use std::{
    collections::{HashMap, HashSet},
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant, SystemTime},
};

use crate::{
    base::Hold as _,
    process::{Spec, capture, search},
};

/// The tool that runs sandboxed packages.
pub const TOOL: &str = "flatpak";
/// How long the list of packages is believed.
const BELIEF: Duration = Duration::from_secs(30);
/// How long an answer about a single package is believed: a tool that is asked for each is asked less often.
const SINGLE_BELIEF: Duration = Duration::from_mins(1);
/// How long a tool that did not answer is left alone.
const SILENCE: Duration = Duration::from_secs(10);
/// How long the package tool may take for all questions within [`SILENCE`].
const PATIENCE: Duration = Duration::from_secs(5);
/// Where the tool keeps the packages of all users.
const SHARED_PACKAGES: &str = "/var/lib/flatpak";
/// Where the tool keeps the packages of a user, below the home folder.
const OWN_PACKAGES: &str = ".local/share/flatpak";
/// What changes in these folders with every installation and removal: a file for this purpose, and the folder of
/// the packages.
const MARKS: [&str; 2] = [".changed", "app"];

/// When each mark was changed.
type Marks = Vec<Option<SystemTime>>;

/// The answer of the tool about all packages.
#[derive(Clone)]
enum Listing {
    /// The ids of those that are installed.
    Ids(Arc<HashSet<String>>),
    /// It lists nothing, but may know single ones: an old tool, or a script that hands on only some
    /// commands.
    Single,
    /// It gave no answer in time.
    Silent,
}

impl Listing {
    fn is_believed(&self, asked: Instant) -> bool {
        asked.elapsed() < if matches!(self, Self::Silent) { SILENCE } else { BELIEF }
    }
}

#[derive(Default)]
struct Answers {
    /// The marks that the answers belong to.
    marks: Marks,
    listed: Option<(Instant, Listing)>,
    single: HashMap<String, (Instant, bool)>,
}

/// How long the tool took lately.
#[derive(Default)]
struct Spent {
    since: Option<Instant>,
    time: Duration,
}

impl Spent {
    /// What the tool may still take.
    fn left(&mut self) -> Duration {
        if self.since.is_none_or(|since| since.elapsed() >= SILENCE) {
            *self = Self { since: Some(Instant::now()), time: Duration::ZERO };
        }
        PATIENCE.saturating_sub(self.time)
    }
}

/// Asks the package tool and keeps its answers.
pub struct Packages {
    folders: [PathBuf; 2],
    answers: Mutex<Answers>,
    /// Held while the list is asked for: other callers take the answer.
    listing: Mutex<()>,
    spent: Mutex<Spent>,
    stopping: AtomicBool,
}

impl Packages {
    /// For the packages of the user with this home folder and those of all users.
    pub fn new(home: &Path) -> Self {
        Self {
            folders: [home.join(OWN_PACKAGES), SHARED_PACKAGES.into()],
            answers: Mutex::default(),
            listing: Mutex::default(),
            spent: Mutex::default(),
            stopping: AtomicBool::new(false),
        }
    }

    /// Forgets the answer of the tool; after something was installed or removed.
    pub fn forget(&self) {
        *self.answers.hold() = Answers::default();
    }

    /// Forgets the answer of the tool, but for the package that it has just installed.
    pub fn was_installed(&self, id: &str) {
        let single = HashMap::from([(id.to_owned(), (Instant::now(), true))]);
        *self.answers.hold() = Answers { marks: self.marks(), listed: None, single };
    }

    /// From now on the tool is not asked any more: the program is about to end.
    pub fn stop(&self) {
        self.stopping.store(true, Ordering::Relaxed);
    }

    /// Whether a package is installed. May ask the tool, up to five seconds for all questions together.
    pub fn has(&self, tool: &Path, id: &str) -> bool {
        match self.list(tool) {
            Listing::Ids(ids) => ids.contains(id) || self.is_believed(id),
            Listing::Single => self.has_single(tool, id),
            Listing::Silent => false,
        }
    }

    /// As [`has`](Self::has), for one package that matters: one that is not in the list is asked for by its id.
    pub fn has_exactly(&self, tool: &Path, id: &str) -> bool {
        self.has(tool, id)
            || matches!(self.list(tool), Listing::Ids(_)) && self.has_single(tool, id)
    }

    /// Whether the tool answers, and answers that a package is not there.
    pub fn lacks(&self, tool: &Path, id: &str) -> bool {
        match self.list(tool) {
            Listing::Ids(ids) => !ids.contains(id),
            Listing::Single => self.ask(tool, &["info", id]).is_some_and(|answer| answer.code != 0),
            Listing::Silent => false,
        }
    }

    /// The folders a package may see, as the tool lists them; `None` when it does not report them. Asks each time.
    pub fn visible_folders(&self, id: &str) -> Option<Vec<String>> {
        let tool = search::on_path(TOOL)?;
        let answer = self.ask_within(PATIENCE, &tool, &["info", "--show-permissions", id])?;
        if answer.code != 0 {
            return None;
        }
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let line = text.lines().find_map(|line| line.strip_prefix("filesystems="));
        let folders = line.unwrap_or("").split(';').filter(|folder| !folder.is_empty());
        Some(folders.map(str::to_owned).collect())
    }

    /// When the packages were last changed.
    fn marks(&self) -> Marks {
        let marks = self.folders.iter().flat_map(|folder| MARKS.map(|mark| folder.join(mark)));
        marks.map(|mark| fs::metadata(mark).and_then(|found| found.modified()).ok()).collect()
    }

    fn list(&self, tool: &Path) -> Listing {
        let known = || {
            let marks = self.marks();
            let mut answers = self.answers.hold();
            if answers.marks != marks {
                *answers = Answers { marks, ..Answers::default() };
            }
            let listed = answers.listed.as_ref();
            listed.filter(|(asked, listing)| listing.is_believed(*asked)).map(|(_, it)| it.clone())
        };
        if let Some(listing) = known() {
            return listing;
        }
        let _turn = self.listing.hold();
        if let Some(listing) = known() {
            return listing;
        }
        let marks = self.marks();
        let listing = self.ask_list(tool);
        let mut answers = self.answers.hold();
        // What was asked before a change is not kept.
        if answers.marks == marks && !self.stopping.load(Ordering::Relaxed) {
            answers.listed = Some((Instant::now(), listing.clone()));
        }
        listing
    }

    fn ask_list(&self, tool: &Path) -> Listing {
        let Some(answer) = self.ask(tool, &["list", "--columns=application"]) else {
            return Listing::Silent;
        };
        let text = String::from_utf8_lossy(&answer.stdout).into_owned();
        let ids: HashSet<String> = text.lines().map(|line| line.trim().to_owned()).collect();
        let lists = answer.code == 0 && (!ids.is_empty() || self.is_complete(tool));
        if lists { Listing::Ids(Arc::new(ids)) } else { Listing::Single }
    }

    /// Whether this is the tool itself, whose empty list means that there are no packages.
    fn is_complete(&self, tool: &Path) -> bool {
        let answer = self.ask(tool, &["--version"]);
        answer.is_some_and(|answer| answer.code == 0 && !answer.stdout.is_empty())
    }

    /// Whether the tool recently reported a package as installed, when it was asked for that one.
    fn is_believed(&self, id: &str) -> bool {
        let answers = self.answers.hold();
        answers
            .single
            .get(id)
            .is_some_and(|(asked, is_there)| *is_there && asked.elapsed() < SINGLE_BELIEF)
    }

    fn has_single(&self, tool: &Path, id: &str) -> bool {
        let known = || self.answers.hold();
        let believed =
            known().single.get(id).copied().filter(|(asked, _)| asked.elapsed() < SINGLE_BELIEF);
        if let Some((_, installed)) = believed {
            return installed;
        }
        // The lock is not held here: one slow answer must not make others wait for theirs.
        let Some(answer) = self.ask(tool, &["info", id]) else { return false };
        let installed = answer.code == 0;
        known().single.insert(id.to_owned(), (Instant::now(), installed));
        installed
    }

    /// The output of the tool; `None` when there is none in time, or when the answer is no longer wanted.
    fn ask(&self, tool: &Path, words: &[&str]) -> Option<capture::Captured> {
        let left = self.spent.hold().left();
        if left.is_zero() {
            return None;
        }
        let begun = Instant::now();
        let answer = self.ask_within(left, tool, words);
        self.spent.hold().time += begun.elapsed();
        answer
    }

    fn ask_within(
        &self,
        timeout: Duration,
        tool: &Path,
        words: &[&str],
    ) -> Option<capture::Captured> {
        if self.stopping.load(Ordering::Relaxed) {
            return None;
        }
        let words = words.iter().map(OsStr::new);
        let question = Spec::new([tool.as_os_str()].into_iter().chain(words));
        let limits = capture::Limits { timeout, ..capture::Limits::default() };
        match capture::run(&question, &limits) {
            Ok(answer) => Some(answer),
            Err(error) => {
                log::warn!("failed to ask the package tool: {error}");
                None
            }
        }
    }
}
