//! The four threads that do the work, and what they share with the handle.
//!
//! Locks: `ink` may be held while the board is taken for a moment, never the other way round. The
//! board is never held during a disk call, so whoever lists jobs never waits for the disk.

use std::{
    collections::HashMap,
    panic::{self, AssertUnwindSafe},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender};
use serde_json::{Map, Value, json};

use super::{
    board::{self, Board},
    context::Context,
    control::Order,
    document::{Capabilities, Fault, Operation},
    kind::{Failure, Kind, Outcome},
    ledger::Ledger,
    machine::{Event as Step, State},
    policy, shown,
};
use crate::{
    base::{clock::Moment, ids, limits, redact, text},
    events::{
        bus::Bus,
        event::{Event, Topic},
    },
    files::error::DiskError,
};

/// The longest pause between two attempts.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

/// What a worker is handed.
pub(super) enum Task {
    /// The id of a queued job.
    Run(String),
    /// There will be nothing more.
    Stop,
}

/// Everything the handle and the workers share.
pub(super) struct Shared {
    pub(super) board: Mutex<Board>,
    /// The revision of the board that stands in the file; held while the file is written.
    pub(super) ink: Mutex<u64>,
    pub(super) queue: Sender<Task>,
    pub(super) kinds: HashMap<&'static str, Arc<dyn Kind>>,
    pub(super) bus: Bus,
    pub(super) ledger: Ledger,
    pub(super) home: String,
    pub(super) first_pause: Duration,
    pub(super) now: fn() -> Moment,
}

impl Shared {
    pub(super) fn board(&self) -> MutexGuard<'_, Board> {
        // OK because a panic while the board is held would be a bug in this room, and what it
        // holds is still a list of operations that the machine has let through.
        self.board.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the board down. When this returns without error, everything that was changed before
    /// the call is on the disk; writers that wait meanwhile share one write.
    pub(super) fn save(&self) -> Result<(), DiskError> {
        let mut written = self.ink.lock().unwrap_or_else(PoisonError::into_inner);
        let (bytes, revision, dropped) = {
            let mut board = self.board();
            if board.revision == *written {
                return Ok(());
            }
            let dropped = board.prune(&(self.now)());
            let dropped: Vec<_> = dropped
                .into_iter()
                .map(|operation| (board.has_root(&operation.root_job_id), operation))
                .collect();
            let operations: Vec<_> = board.rows().iter().map(|row| &row.operation).collect();
            (Ledger::render(&operations), board.revision, dropped)
        };
        let saved = self.ledger.save(&bytes);
        if saved.is_ok() {
            *written = revision;
        }
        drop(written);
        for (is_shared, operation) in dropped {
            self.forget(&operation, is_shared);
        }
        saved
    }

    /// As [`Shared::save`], for changes that stand even when they cannot be written down.
    pub(super) fn save_or_log(&self) {
        if let Err(error) = self.save() {
            log::error!("the list of jobs is not saved: {error}");
        }
    }

    /// Writes the items of an active job down, if there are any.
    pub(super) fn save_items(&self, job_id: &str) {
        let items = {
            let board = self.board();
            board.find(job_id).and_then(|row| row.live.as_ref()).map(|live| live.items.clone())
        };
        let Some(items) = items.filter(|items| !items.items.is_empty()) else { return };
        if let Err(error) = self.ledger.save_items(&items) {
            log::error!("the items of a job are not saved: {error}");
        }
    }

    /// Removes the files of an operation that is listed no longer; what its chain shares stays
    /// while another operation of the chain is listed.
    fn forget(&self, operation: &Operation, is_shared: bool) {
        if !is_shared {
            self.clean_up(operation);
        }
        if let Err(error) = self.ledger.remove_items(&operation.job_id) {
            log::warn!("the items of a forgotten job stay: {error}");
        }
    }

    fn clean_up(&self, operation: &Operation) {
        if let Some(kind) = self.kinds.get(operation.kind.as_str()) {
            kind.clean_up(operation);
        }
    }

    pub(super) fn publish(&self, topic: Topic, payload: Value) {
        self.bus.publish(&Event::new(topic, payload));
    }

    /// What may be asked of an operation, given the workers there are.
    pub(super) fn capabilities(&self, operation: &Operation) -> Capabilities {
        let able = operation.capabilities(&policy::policy_of(&operation.kind));
        let has_worker = self.kinds.contains_key(operation.kind.as_str());
        Capabilities {
            can_retry: able.can_retry && has_worker,
            can_resume: able.can_resume && has_worker,
            ..able
        }
    }

    /// Hands a job to the workers.
    pub(super) fn enqueue(&self, job_id: String) {
        // OK because the channel is unbounded and its receivers live as long as the workers.
        drop(self.queue.send(Task::Run(job_id)));
    }
}

/// Takes jobs until there are no more.
pub(super) fn work(shared: &Shared, tasks: &Receiver<Task>) {
    while let Ok(Task::Run(job_id)) = tasks.recv() {
        run(shared, &job_id);
    }
}

fn run(shared: &Shared, job_id: &str) {
    let started = {
        let mut board = shared.board();
        if board.closed {
            return;
        }
        let Some(row) = board.change(job_id) else { return };
        // One that was cancelled while it waited is not started.
        if row.operation.apply(Step::Start, &(shared.now)()).is_err() {
            return;
        }
        row.operation.attempt = 1;
        let Some(live) = &mut row.live else { return };
        live.told = Some(std::time::Instant::now());
        (Arc::clone(&live.control), row.operation.clone())
    };
    let (control, operation) = started;
    shared.save_or_log();
    shared.publish(Topic::JobProgress, shown::progress(&operation));
    let context = Context { shared, control: &control, operation };
    let outcome = attempt(&context);
    finish(shared, job_id, control.order(), outcome);
}

/// Runs the worker, again after a pause while it fails and has attempts left.
fn attempt(context: &Context<'_>) -> Outcome {
    let Context { shared, control, operation } = context;
    let Some(kind) = shared.kinds.get(operation.kind.as_str()) else {
        return Err(Failure::new("There is no worker for this job."));
    };
    let mut number = 1;
    loop {
        let checkpoint = {
            let mut board = shared.board();
            let row = board.change(&operation.job_id);
            row.and_then(|row| {
                row.operation.attempt = number;
                row.operation.checkpoint.clone()
            })
        };
        let outcome = guarded(&**kind, context, checkpoint.as_ref());
        let Err(Failure::Failed { message, .. }) = &outcome else { return outcome };
        if number >= operation.max_attempts {
            return outcome;
        }
        log::warn!("job {} failed, attempt {number}: {message}", operation.job_id);
        if control.wait(pause_after(shared.first_pause, number)) != Order::GoOn {
            return Err(Failure::Stopped);
        }
        number += 1;
    }
}

/// The pause after the n-th attempt: doubled each time, at most half a minute.
fn pause_after(first: Duration, attempt: u32) -> Duration {
    first.saturating_mul(1 << attempt.saturating_sub(1).min(16)).min(LONGEST_PAUSE)
}

/// Runs the worker; a panic is a failure of this job alone.
fn guarded(kind: &dyn Kind, context: &Context<'_>, checkpoint: Option<&Value>) -> Outcome {
    let work = || kind.run(context, &context.operation.input, checkpoint);
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        log::error!("the worker of job {} panicked", context.operation.job_id);
        Err(Failure::new("The job stopped because of an unexpected error."))
    })
}

fn finish(shared: &Shared, job_id: &str, order: Order, outcome: Outcome) {
    shared.save_items(job_id);
    let (topic, payload, ended, followers) = {
        let mut board = shared.board();
        let Some(row) = board.change(job_id) else { return };
        row.live = None;
        let operation = &mut row.operation;
        if !conclude(operation, order, outcome, &(shared.now)()) {
            return;
        }
        let told = match operation.state {
            State::Interrupted => (Topic::JobInterrupted, shown::stopping(operation)),
            _ => (Topic::JobFinished, shown::finished(operation)),
        };
        let ended = (operation.state != State::Interrupted).then(|| operation.clone());
        (told.0, told.1, ended, board.release_followers(job_id))
    };
    shared.save_or_log();
    if let Some(operation) = ended {
        shared.clean_up(&operation);
    }
    shared.publish(topic, payload);
    for follower in followers {
        shared.enqueue(follower);
    }
}

/// Brings an operation to its end; false when it has ended already.
fn conclude(operation: &mut Operation, order: Order, outcome: Outcome, now: &Moment) -> bool {
    let (step, output, fault) = match (order, outcome) {
        (Order::Interrupt, Err(Failure::Stopped)) => (Step::Interrupt, None, None),
        (_, Ok(output)) => {
            let is_partial = output.get("errors").and_then(Value::as_array);
            let is_partial = is_partial.is_some_and(|errors| !errors.is_empty());
            let step = if is_partial { Step::FinishPartly } else { Step::Finish };
            (step, Some(bounded(output)), None)
        }
        (Order::Cancel, Err(Failure::Stopped)) => (Step::Halt, None, None),
        (Order::GoOn, Err(Failure::Stopped)) => {
            let fault = fault("INTERNAL_ERROR", "The job stopped without being asked to.");
            (Step::Fail, None, Some(fault))
        }
        (_, Err(Failure::Failed { code, message })) => {
            (Step::Fail, None, Some(fault(code, &message)))
        }
    };
    if operation.apply(step, now).is_err() {
        return false;
    }
    match operation.state {
        State::Interrupted => {
            operation.message.get_or_insert_with(board::interrupted);
        }
        State::Cancelled => operation.message = Some("Cancelled.".to_owned()),
        _ => {
            operation.output = output;
            operation.error = fault;
        }
    }
    true
}

/// The result, unless it is too large to be kept.
fn bounded(output: Map<String, Value>) -> Map<String, Value> {
    if json!(output).to_string().len() <= limits::JOB_RESULT_BYTES {
        return output;
    }
    let kept = json!({"error": "Job result exceeded the size limit.", "result_truncated": true});
    kept.as_object().cloned().unwrap_or_default()
}

fn fault(code: &str, message: &str) -> Fault {
    let request_id = ids::random_hex(6);
    log::warn!("{request_id} job failed: {message}");
    let message = redact::without_paths(message);
    let message = text::cut(&message, limits::JOB_ERROR_CHARS).to_owned();
    Fault { code: code.to_owned(), message, request_id }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn running() -> Operation {
        let now = Moment::from_unix(1);
        let mut operation = Operation::new("a".into(), "n".into(), "saves.scan", "T".into(), &now);
        operation.apply(Step::Start, &now).expect("started");
        operation
    }

    #[track_caller]
    fn check(order: Order, outcome: Outcome, expected: State) -> Operation {
        let mut operation = running();
        if order == Order::Cancel {
            operation.apply(Step::Cancel, &Moment::from_unix(2)).expect("cancelling");
        }
        assert!(conclude(&mut operation, order, outcome, &Moment::from_unix(3)));
        assert_eq!(operation.state, expected);
        operation
    }

    fn result(value: Value) -> Outcome {
        Ok(value.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn every_return_of_a_worker_has_its_state() {
        let failed = || Err(Failure::new("Broken."));
        check(Order::GoOn, result(json!({"errors": []})), State::Done);
        check(Order::GoOn, result(json!({"errors": ["x"]})), State::Partial);
        check(Order::GoOn, failed(), State::Error);
        check(Order::GoOn, Err(Failure::Stopped), State::Error);
        check(Order::Interrupt, Err(Failure::Stopped), State::Interrupted);
        check(Order::Interrupt, result(json!({})), State::Done);
        let late = check(Order::Cancel, result(json!({"count": 1})), State::Cancelled);
        assert_eq!((late.output, late.error), (None, None), "a late result does not count");
        let late = check(Order::Cancel, failed(), State::Cancelled);
        assert_eq!(late.error, None);
        check(Order::Cancel, Err(Failure::Stopped), State::Cancelled);
    }

    #[test]
    fn errors_are_cut_and_never_name_a_path() {
        let long = format!("Broken: {}", "ä".repeat(1_000));
        let operation = check(Order::GoOn, Err(Failure::new(long)), State::Error);
        let message = operation.error.expect("a fault").message;
        assert_eq!(message.chars().count(), limits::JOB_ERROR_CHARS);
        let operation = check(Order::GoOn, Err(Failure::new("no file '/a/b'")), State::Error);
        assert_eq!(operation.error.expect("a fault").message, "no file");
    }

    #[test]
    fn a_result_is_kept_up_to_its_limit() {
        let overhead = json!({"t": ""}).to_string().len();
        for (extra, kept) in [(0, true), (1, false)] {
            let text = "x".repeat(limits::JOB_RESULT_BYTES - overhead + extra);
            let operation = check(Order::GoOn, result(json!({"t": text})), State::Done);
            let output = operation.output.expect("a result");
            assert_eq!(output.contains_key("t"), kept);
            assert_eq!(output.contains_key("result_truncated"), !kept);
        }
    }

    #[test]
    fn pauses_double_up_to_half_a_minute() {
        let pauses = (1..=7).map(|attempt| pause_after(Duration::from_secs(1), attempt).as_secs());
        assert_eq!(pauses.collect::<Vec<_>>(), [1, 2, 4, 8, 16, 30, 30]);
    }
}
