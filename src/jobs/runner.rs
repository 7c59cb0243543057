//! The handle: accepts jobs, cancels, retries and resumes them, and lists them.

use std::{
    collections::BTreeMap,
    io,
    path::PathBuf,
    sync::{Arc, OnceLock},
    time::Duration,
};

use crossbeam_channel::unbounded;
use serde_json::{Map, Value};

pub use super::board::Filter;
use super::{
    board::Board,
    control::StopSignal,
    document::Operation,
    error::JobError,
    input,
    items::{Item, Items},
    kind::Kind,
    ledger::Ledger,
    machine::{Event as Step, State},
    records::Records,
    registry::Registry,
    shown::{self, JobDocument, JobOverview},
    spec,
    worker::{Shared, Task, work},
};
use crate::{
    base::{Moment, Workers, ids, limits, priority},
    events::{bus::Bus, event::Topic},
    files::Files,
};

/// How long a stop waits for workers that do not look whether they should.
const STOP_PATIENCE: Duration = Duration::from_secs(10);
/// Entries of the history of the old list.
const HISTORY: usize = 50;

/// How the jobs are set up.
pub struct Options {
    /// Disk access.
    pub files: Files,
    /// `operations.json`.
    pub operations: PathBuf,
    /// The folder of the item files.
    pub items: PathBuf,
    /// Where events are published.
    pub bus: Bus,
    /// What the domain modules registered.
    pub kinds: Vec<Kind>,
    /// The home directory, shown as `~`; empty when there is none.
    pub home: String,
    /// The pause after a first failed attempt; it doubles from there.
    pub first_pause: Duration,
    /// The clock.
    pub now: fn() -> Moment,
}

/// What happens to a job whose name an active job has already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SameName {
    /// The active one is returned, nothing is started.
    Join,
    /// The active one is cancelled; the new one starts after its end.
    Replace,
    /// The active one is returned if it has the same input; otherwise the new one runs in parallel with it
    /// under a name of its own.
    Separate,
}

/// Work to be accepted.
#[derive(Clone, Debug)]
pub struct Submission {
    /// The name; type and title follow from it.
    pub name: String,
    /// What to work on. Secrets are dropped from it.
    pub input: Map<String, Value>,
    /// What happens when the name is taken.
    pub same_name: SameName,
}

/// A job that was accepted, or the active one that stands for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Accepted {
    /// Its id.
    pub job_id: String,
    /// Where it stands.
    pub state: State,
    /// Whether it was started by this submission.
    pub is_new: bool,
}

/// A job made from an earlier one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Successor {
    /// Its id.
    pub job_id: String,
    /// The first job of the chain.
    pub root_job_id: String,
}

/// One page of operations.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The documents, newest first.
    pub jobs: Vec<JobDocument>,
    /// The cursor of the next page, when more follow.
    pub next_cursor: Option<String>,
}

/// One page of items.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ItemPage {
    /// The items in the order in which they were reported.
    pub items: Vec<Item>,
    /// The cursor of the next page, when more follow.
    pub next_cursor: Option<String>,
}

/// The durable jobs. Shared between requests; stopped once.
pub struct Jobs {
    shared: Arc<Shared>,
    workers: Workers,
}

impl Jobs {
    /// Loads the operations of earlier runs, marks those that were active as interrupted, and
    /// starts the workers.
    ///
    /// # Errors
    /// When the system has no thread to give.
    pub fn start(options: Options) -> io::Result<Self> {
        let now = (options.now)();
        let ledger = Ledger::new(options.files, options.operations, options.items);
        let kinds = Registry::new(options.kinds);
        let stored = ledger.load(&now, &|type_name| kinds.describe_stored(type_name));
        let board = Board::loaded(stored, &now);
        let (queue, tasks) = unbounded();
        let shared = Arc::new(Shared {
            records: Records::new(ledger, board, options.bus, options.now),
            queue,
            kinds,
            home: options.home,
            first_pause: options.first_pause,
            room: OnceLock::new(),
        });
        shared.save_or_log();
        let workers = Workers::default();
        for number in 1..=limits::JOB_WORKERS {
            let (shared, tasks) = (Arc::clone(&shared), tasks.clone());
            workers.spawn(&format!("job-{number}"), move || {
                priority::step_back();
                work(&shared, &tasks);
            })?;
        }
        Ok(Self { shared, workers })
    }

    /// Accepts a job. It is on the disk when this returns.
    pub fn submit(&self, submission: Submission) -> Result<Accepted, JobError> {
        let Submission { mut name, input, same_name } = submission;
        let chars = name.chars().count();
        if chars == 0 || chars > limits::JOB_NAME_CHARS || name.chars().any(char::is_control) {
            return Err(JobError::BadName(name));
        }
        let kind = self.shared.kinds.find_name(&name);
        let (spec, title) = kind.ok_or_else(|| JobError::NoWorker(name.clone()))?;
        let input = input::without_secrets(input);
        let job_id = ids::random_hex(16);
        let (operation, replaced) = {
            let mut board = self.shared.records.board();
            let same = board.active_named(&name).map(|row| &row.operation);
            let same: Vec<_> = same.cloned().collect();
            let family = || board.active_family(&name).map(|row| &row.operation);
            let standing = match same_name {
                SameName::Join => same.first().cloned(),
                SameName::Separate => family().find(|operation| operation.input == input).cloned(),
                SameName::Replace => None,
            };
            if let Some(standing) = standing {
                let (job_id, state) = (standing.job_id.clone(), standing.state);
                return Ok(Accepted { job_id, state, is_new: false });
            }
            self.admit(&board)?;
            if same_name == SameName::Separate && !same.is_empty() {
                name = spec::beside(&name, &job_id);
            }
            let now = self.shared.records.now();
            let mut operation = Operation::new(job_id, name, spec.type_name, title, &now);
            operation.input = input;
            operation.max_attempts = spec.attempts.clamp(1, limits::JOB_ATTEMPTS);
            board.insert(operation.clone());
            let replaces = same_name == SameName::Replace;
            (operation, if replaces { same } else { Vec::new() })
        };
        self.launch(&operation, &replaced)?;
        Ok(Accepted { job_id: operation.job_id, state: State::Queued, is_new: true })
    }

    /// Asks a job to stop. A queued one is cancelled at once.
    pub fn cancel(&self, job_id: &str) -> Result<(), JobError> {
        let told = {
            let mut board = self.shared.records.board();
            let row = board.find(job_id).ok_or_else(|| JobError::Unknown(job_id.to_owned()))?;
            if !self.shared.capabilities(&row.operation).can_cancel {
                return Err(JobError::NotCancellable(job_id.to_owned()));
            }
            self.order_cancel(&mut board, job_id)
                .ok_or_else(|| JobError::NotCancellable(job_id.to_owned()))?
        };
        self.shared.save_or_log();
        self.shared.records.publish(told.0, told.1);
        self.shared.tell_room();
        Ok(())
    }

    /// Does a failed or interrupted job again as a new one, with its input or another. An input may be the one
    /// that clients are shown, with `~` for the home directory.
    ///
    /// # Errors
    /// [`JobError::OtherSubject`] when another input is not about what the name of the job says.
    pub fn retry(
        &self,
        job_id: &str,
        input: Option<Map<String, Value>>,
    ) -> Result<Successor, JobError> {
        let refused = || JobError::NotRetryable(job_id.to_owned());
        self.follow(job_id, refused, |old, new_id, now| {
            let spec = self.shared.kinds.spec(&old.kind).ok_or_else(refused)?;
            if !old.capabilities(spec).can_retry {
                return Err(refused());
            }
            let input = input.map(|given| {
                input::with_home(input::without_secrets(given), &old.input, &self.shared.home)
            });
            if let (Some(input), Some(key)) = (&input, spec.subject)
                && !spec.is_about(&old.name, &old.root_job_id, input)
            {
                return Err(JobError::OtherSubject(key));
            }
            Ok(old.retried(new_id, input, spec, now))
        })
    }

    /// Continues an interrupted job from its checkpoint, as a new one.
    pub fn resume(&self, job_id: &str) -> Result<Successor, JobError> {
        let refused = || JobError::NotResumable(job_id.to_owned());
        let conflict = || JobError::NotResumableNow(job_id.to_owned());
        self.follow(job_id, conflict, |old, new_id, now| {
            let can_resume = self.shared.capabilities(old).can_resume;
            can_resume.then(|| old.resumed(new_id, now)).ok_or_else(refused)
        })
    }

    fn follow(
        &self,
        job_id: &str,
        conflict: impl FnOnce() -> JobError,
        successor: impl FnOnce(&Operation, String, &Moment) -> Result<Operation, JobError>,
    ) -> Result<Successor, JobError> {
        let now = self.shared.records.now();
        let operation = {
            let mut board = self.shared.records.board();
            let row = board.find(job_id).ok_or_else(|| JobError::Unknown(job_id.to_owned()))?;
            let operation = successor(&row.operation, ids::random_hex(16), &now)?;
            if board.active_named(&operation.name).next().is_some() {
                return Err(conflict());
            }
            self.admit(&board)?;
            board.insert(operation.clone());
            operation
        };
        self.launch(&operation, &[])?;
        Ok(Successor { job_id: operation.job_id, root_job_id: operation.root_job_id })
    }

    /// Whether a job of this name has not ended.
    pub fn is_active(&self, name: &str) -> bool {
        self.shared.records.board().active_named(name).next().is_some()
    }

    /// Whether a listed job of this name with this input has ended well.
    pub fn is_done(&self, name: &str, input: &Map<String, Value>) -> bool {
        self.shared.records.board().has_done(name, input)
    }

    /// Calls `listener` whenever a job has ended, so that another one may be accepted: on the thread that ended
    /// it. A second listener is not taken.
    pub fn on_room(&self, listener: impl Fn() + Send + Sync + 'static) {
        // OK because the first one stays.
        drop(self.shared.room.set(Box::new(listener)));
    }

    /// Whether any job has not ended.
    pub fn are_active(&self) -> bool {
        self.shared.records.board().active().next().is_some()
    }

    /// The names and inputs of jobs of this type whose latest run was interrupted.
    pub fn interrupted(&self, kind: &str) -> Vec<(String, Map<String, Value>)> {
        self.shared.records.board().interrupted(kind)
    }

    /// Whether an operation of the chain that began with this one is still listed.
    pub fn is_listed(&self, root_job_id: &str) -> bool {
        self.shared.records.board().has_root(root_job_id)
    }

    /// One page of the operations that pass the filter.
    pub fn list(&self, filter: &Filter) -> Page {
        let board = self.shared.records.board();
        let (rows, next_cursor) = board.page(filter);
        let jobs = rows.into_iter().map(|row| self.document(&row.operation)).collect();
        Page { jobs, next_cursor }
    }

    /// The document of one operation.
    pub fn find(&self, job_id: &str) -> Option<Value> {
        let board = self.shared.records.board();
        board.find(job_id).map(|row| serde_json::json!(self.document(&row.operation)))
    }

    /// The items of an operation after `cursor`; `None` when there is no such operation.
    pub fn items(&self, job_id: &str, cursor: Option<&str>, limit: usize) -> Option<ItemPage> {
        let live: Option<Items> = {
            let board = self.shared.records.board();
            board.find(job_id)?.live.as_ref().map(|live| live.items.clone())
        };
        let items = live.unwrap_or_else(|| self.shared.records.ledger.items(job_id));
        let (page, next) = items.page(cursor, limit);
        Some(ItemPage { items: page.to_vec(), next_cursor: next.map(str::to_owned) })
    }

    /// The body of `GET /api/jobs`: the latest job of each name of this process, and the last 50
    /// that ended.
    pub fn overview(&self) -> JobOverview {
        let now = self.shared.records.now();
        let board = self.shared.records.board();
        let row = |operation: &Operation| {
            shown::old_row(operation, self.shared.capabilities(operation), &now)
        };
        let mut jobs = BTreeMap::new();
        for row_here in board.rows().iter().filter(|row| row.here) {
            let operation = &row_here.operation;
            jobs.entry(operation.name.clone()).or_insert_with(|| row(operation));
        }
        let ended = board.rows().iter().map(|row| &row.operation);
        let ended = ended.filter(|operation| shown::is_history(operation.state));
        let mut ended: Vec<_> = ended.collect();
        ended.sort_by(|a, b| b.finished_at.cmp(&a.finished_at));
        JobOverview { history: ended.into_iter().take(HISTORY).map(row).collect(), jobs }
    }

    /// Accepts nothing more, signals every worker to stop, marks what was not finished as
    /// interrupted, and joins the workers.
    pub fn stop(&self) {
        let interrupted = {
            let mut board = self.shared.records.board();
            board.closed = true;
            for row in board.rows().iter().filter_map(|row| row.live.as_ref()) {
                row.control.give(StopSignal::Interrupt);
            }
            self.interrupt(&mut board, |state| state == State::Queued)
        };
        self.tell_interrupted(interrupted);
        for _ in 0..limits::JOB_WORKERS {
            // OK because the channel is unbounded; a worker that is gone needs no message.
            drop(self.shared.queue.send(Task::Stop));
        }
        let left = self.workers.join_within(STOP_PATIENCE);
        if left > 0 {
            log::warn!("{left} jobs did not stop in time and are cut off");
        }
        let interrupted = self.interrupt(&mut self.shared.records.board(), State::is_active);
        self.tell_interrupted(interrupted);
        self.shared.save_or_log();
    }

    /// The board itself, to put it where no sequence of calls brings it in time.
    #[cfg(test)]
    pub(super) fn board_for_tests(&self) -> std::sync::MutexGuard<'_, Board> {
        self.shared.records.board()
    }

    fn interrupt(&self, board: &mut Board, wanted: impl Fn(State) -> bool) -> Vec<Value> {
        let active = board.active().map(|row| &row.operation);
        let active = active.filter(|operation| wanted(operation.state));
        let ids: Vec<_> = active.map(|operation| operation.job_id.clone()).collect();
        let now = self.shared.records.now();
        let mut payloads = Vec::new();
        for id in ids {
            let Some(row) = board.change(&id) else { continue };
            if row.operation.apply(Step::Interrupt, &now).is_ok() {
                row.operation.say_interrupted();
                payloads.push(shown::stopping(&row.operation));
            }
        }
        payloads
    }

    fn tell_interrupted(&self, payloads: Vec<Value>) {
        for payload in payloads {
            self.shared.records.publish(Topic::JobInterrupted, payload);
        }
    }

    fn document(&self, operation: &Operation) -> JobDocument {
        shown::document(operation, self.shared.capabilities(operation), &self.shared.home)
    }

    fn admit(&self, board: &Board) -> Result<(), JobError> {
        if board.closed {
            return Err(JobError::Stopping);
        }
        // What was cancelled while it waited stays in the channel until a worker passes it over.
        let waiting = board.active().count().max(self.shared.queue.len());
        if waiting >= limits::JOBS_IN_FLIGHT { Err(JobError::QueueFull) } else { Ok(()) }
    }

    /// Signals a job to stop, whatever its phase; returns the event to publish, none when it has
    /// ended already.
    fn order_cancel(&self, board: &mut Board, job_id: &str) -> Option<(Topic, Value)> {
        let able = board.find(job_id).map(|row| self.shared.capabilities(&row.operation));
        if !able?.can_cancel {
            return None;
        }
        let row = board.change(job_id)?;
        let state = row.operation.apply(Step::Cancel, &self.shared.records.now()).ok()?;
        "Cancellation requested.".clone_into(&mut row.operation.message);
        if state == State::Cancelled {
            row.live = None;
            return Some((Topic::JobFinished, shown::finished(&row.operation)));
        }
        row.live.as_ref()?.control.give(StopSignal::Cancel);
        Some((Topic::JobCancelling, shown::stopping(&row.operation)))
    }

    /// Saves a new operation, cancels those that it replaces and hands it to the workers. One that cannot be
    /// saved is undone, and the others go on.
    fn launch(&self, operation: &Operation, replaced: &[Operation]) -> Result<(), JobError> {
        let job_id = &operation.job_id;
        if let Err(error) = self.shared.save() {
            self.shared.records.board().withdraw(job_id);
            return Err(JobError::NotSaved(error));
        }
        let cancelled = self.cancel_replaced(job_id, replaced);
        if !cancelled.is_empty() {
            self.shared.save_or_log();
        }
        for (topic, payload) in cancelled {
            self.shared.records.publish(topic, payload);
        }
        self.shared.records.publish(Topic::JobQueued, shown::queued(operation));
        let starts = self.shared.records.board().launch(job_id);
        if starts {
            self.shared.enqueue(job_id.clone());
        }
        Ok(())
    }

    /// Stops jobs in favour of another one, which waits for the end of those that have started; returns the
    /// events to publish.
    fn cancel_replaced(&self, by: &str, replaced: &[Operation]) -> Vec<(Topic, Value)> {
        let mut board = self.shared.records.board();
        let mut cancelled = Vec::new();
        for Operation { job_id, .. } in replaced {
            let Some(state) = board.find(job_id).map(|row| row.operation.state) else { continue };
            if state.is_active() && state != State::Queued {
                board.follow(by, job_id.clone());
            }
            cancelled.extend(self.order_cancel(&mut board, job_id));
        }
        cancelled
    }
}
