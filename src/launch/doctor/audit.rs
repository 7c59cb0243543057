//! The Launch Doctor at work: single games, the audit of the whole library and when it is due, its report.
//!
//! The report is a file in the cache and, once it was requested, a value in memory. Requesting it examines no game;
//! only the job and a refresh do.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
};

use serde_json::{Map, Value, json};

use super::{
    examine::{Scene, examine},
    finding::Verdict,
    grants::{GrantError, Granted, Grants},
    report::{Builder, Report, Totals},
};
use crate::{
    base::{Hold as _, Moment},
    care::health::due::{Occasion, is_due},
    config::settings::read,
    files::{DiskError, Files},
    jobs::{Context, kind::Failure},
    launch::{cores, detection::Detector, machine::Local, plan::PlanContext, profiles},
    model::{Record, State},
    notices::{
        list,
        notice::{Level, Notice},
    },
    store::{Store, Unavailable},
};

/// Games between two checks whether the job is to stop.
const STEP: usize = 50;

/// Why a part of the report was not renewed.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// There is no report, or games came or went since.
    #[error("The library changed since the last check. Check every game first.")]
    LibraryChanged,
    #[error("That group is no longer in the check. Check every game first.")]
    GroupGone,
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
    #[error("The check could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// What the doctor is set up with.
pub struct Options {
    /// The state of record; only the notice of a changed report is written to it.
    pub store: Store,
    /// Access to the disk.
    pub files: Files,
    /// The file of the report.
    pub report: PathBuf,
    /// The data directory, for commands that name it.
    pub data_dir: PathBuf,
    /// The user's home folder.
    pub home: PathBuf,
    /// Finds emulators.
    pub detector: Arc<Detector>,
    /// The clock.
    pub now: fn() -> Moment,
}

/// The doctor.
pub struct Doctor {
    options: Options,
    grants: Grants,
    kept: Mutex<Kept>,
}

/// The report in memory.
#[derive(Default)]
enum Kept {
    /// Not requested yet.
    #[default]
    Unread,
    /// No report is stored.
    Nothing,
    /// This one.
    Report(Arc<Report>),
}

impl Doctor {
    /// A doctor that has examined nothing yet.
    pub fn new(options: Options) -> Self {
        Self { options, grants: Grants::default(), kept: Mutex::default() }
    }

    /// Examines games in depth.
    pub fn preflight(&self, state: &State, records: &[Record]) -> Vec<Verdict> {
        let mut verdicts = Vec::with_capacity(records.len());
        self.look(state, true, |look| verdicts.extend(records.iter().map(look)));
        verdicts
    }

    /// The last report; `None` when there was no audit.
    pub fn report(&self) -> Option<Arc<Report>> {
        let mut kept = self.kept.hold();
        if matches!(*kept, Kept::Unread) {
            *kept = self.load().map_or(Kept::Nothing, Kept::Report);
        }
        match &*kept {
            Kept::Unread | Kept::Nothing => None,
            Kept::Report(report) => Some(Arc::clone(report)),
        }
    }

    /// Examines every game and keeps the report; returns the result of the job. When the job is cancelled,
    /// the old report stays.
    ///
    /// # Errors
    /// [`Failure`].
    pub fn audit(&self, context: &Context<'_>, deep: bool) -> Result<Map<String, Value>, Failure> {
        let state = self.options.store.snapshot();
        let state = state.map_err(|_| Failure::new("The library cannot be read right now."))?;
        context.phase("audit");
        context.expect(state.games.len() as u64, "games");
        self.options.detector.forget();
        let mut builder = Builder::default();
        let mut outcome = Ok(());
        self.look(&state, deep, |look| {
            for (done, game) in state.games.iter().enumerate() {
                if done % STEP == 0 {
                    context.progress(done as u64, "");
                    outcome = context.check();
                    if outcome.is_err() {
                        return;
                    }
                }
                builder.add(game.id(), &look(&game.record()));
            }
        });
        outcome?;
        context.progress(state.games.len() as u64, "");
        // The last games may have taken long.
        context.check()?;
        let report = Report::of(&state, (self.options.now)().utc_iso(), deep, builder);
        let before = self.report();
        let unsaved = |error: DiskError| {
            log::error!("{error}");
            Failure::new(format!("The check could not be saved: {}.", error.reason()))
        };
        let totals = report.totals();
        let computed_at = report.computed_at.clone();
        self.keep(report).map_err(unsaved)?;
        if let Some(before) = before {
            self.tell(before.totals(), totals, &computed_at);
        }
        let result = json!({"totals": totals, "game_count": state.games.len(), "deep": deep});
        Ok(if let Value::Object(result) = result { result } else { Map::new() })
    }

    /// Whether an automatic audit of the library is due now. Reads no report: its age is that of its
    /// file.
    pub fn is_due(&self, occasion: Occasion) -> bool {
        let Ok(state) = self.options.store.snapshot() else { return false };
        let rescan = read::text(state.settings(), "health_rescan");
        let file = self.options.files.stat(&self.options.report).ok().flatten();
        let last = file.and_then(|file| file.modified().ok()).map(Moment::from_system);
        let due = is_due(&rescan, last.as_ref(), occasion, &(self.options.now)());
        due && !state.games.is_empty()
    }

    /// Examines the games of one root cause again. Returns how many there are, and the new report.
    ///
    /// # Errors
    /// [`RefreshError`]; the report stays as it is then.
    pub fn refresh(&self, key: &str) -> Result<(usize, Arc<Report>), RefreshError> {
        let state = self.options.store.snapshot()?;
        let report = self.report().filter(|report| !report.is_stale(&state));
        let report = report.ok_or(RefreshError::LibraryChanged)?;
        let group = report.group(key).ok_or(RefreshError::GroupGone)?;
        let members: Vec<&str> = report.members(group).collect();
        self.options.detector.forget();
        let mut builder = Builder::without(&report, &members);
        self.look(&state, report.deep, |look| {
            for id in &members {
                if let Some((_, game)) = state.games.find(id) {
                    builder.add(id, &look(&game.record()));
                }
            }
        });
        let computed_at = (self.options.now)().utc_iso();
        let renewed = Report::of(&state, computed_at, report.deep, builder);
        Ok((members.len(), self.keep(renewed)?))
    }

    /// Gives a sandboxed emulator access to a folder, or takes it back.
    ///
    /// # Errors
    /// [`GrantError`].
    pub fn grant(&self, app_id: &str, folder: &str, undo: bool) -> Result<Granted, GrantError> {
        let Options { detector, home, .. } = &self.options;
        self.grants.change(detector, home, app_id, folder, undo)
    }

    /// The cores that are installed.
    pub fn cores(&self) -> Vec<cores::Installed> {
        cores::Folders::of(&self.options.home, self.options.detector.config_home()).installed()
    }

    /// Passes an examination on whose questions about the machine are asked once.
    fn look(&self, state: &State, deep: bool, work: impl FnOnce(&dyn Fn(&Record) -> Verdict)) {
        let machine = Local::new(&self.options.detector, &self.options.home);
        let plans = PlanContext {
            profiles: &profiles::stored(state),
            settings: state.settings(),
            data_dir: &self.options.data_dir,
            machine: &machine,
        };
        let scene = Scene { plans, deep };
        work(&|record| examine(record, &scene));
    }

    fn load(&self) -> Option<Arc<Report>> {
        let bytes = match self.options.files.read(&self.options.report) {
            Ok(bytes) => bytes,
            Err(error) if error.is_missing() => return None,
            Err(error) => {
                log::warn!("the last launch check cannot be read: {error}");
                return None;
            }
        };
        let report = serde_json::from_slice(&bytes);
        report
            .map_err(|error| log::warn!("the last launch check is damaged: {error}"))
            .ok()
            .map(Arc::new)
    }

    fn keep(&self, report: Report) -> Result<Arc<Report>, DiskError> {
        let path = &self.options.report;
        self.options.files.private_dir(path.parent().unwrap_or(Path::new("/")))?;
        // OK because a plain struct with text keys is always written.
        let text = serde_json::to_vec(&report).unwrap_or_default();
        self.options.files.replace(path, &text)?;
        let report = Arc::new(report);
        let kept = Kept::Report(Arc::clone(&report));
        *self.kept.hold() = kept;
        Ok(report)
    }

    /// Adds a notice when more or fewer games start than before.
    fn tell(&self, before: Totals, after: Totals, computed_at: &str) {
        if (before.blocked, before.warning) == (after.blocked, after.warning) {
            return;
        }
        let level = if after.blocked > before.blocked { Level::Warning } else { Level::Info };
        let title = format!(
            "Launch check changed: {} won't launch, {} need attention",
            after.blocked, after.warning
        );
        let now = (self.options.now)();
        let notice = Notice::new("launch_audit", level, &title, "", &now);
        let notice = notice.once(&format!("launch-audit:{computed_at}"));
        let added = self.options.store.change(|draft| list::add(draft, notice, &now));
        if let Err(error) = added {
            log::warn!("failed to announce a changed launch check: {error}");
        }
    }
}
