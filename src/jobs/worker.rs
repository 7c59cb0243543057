//! The four threads that do the work, and the state they share with the handle.

use std::{
    panic::{self, AssertUnwindSafe},
    sync::{Arc, OnceLock},
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender};
use serde_json::{Map, Value, json};

use super::{
    context::Context,
    control::StopSignal,
    document::{Capabilities, Fault, Operation},
    kind::{Failure, Kind, Outcome},
    machine::{Event as Step, State},
    records::Records,
    registry::Registry,
    shown,
};
use crate::{
    base::{Moment, ids, limits, redact, text},
    events::event::Topic,
    files::DiskError,
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
    pub(super) records: Records,
    pub(super) queue: Sender<Task>,
    pub(super) kinds: Registry,
    pub(super) home: String,
    pub(super) first_pause: Duration,
    /// Called when a job has ended.
    pub(super) room: OnceLock<Box<dyn Fn() + Send + Sync>>,
}

impl Shared {
    /// Drops old operations, and writes the others down.
    pub(super) fn save(&self) -> Result<(), DiskError> {
        let dropped = self.records.prune();
        let saved = self.records.save();
        for (operation, has_chain) in dropped {
            self.forget(&operation, has_chain);
        }
        saved
    }

    /// As [`Shared::save`], for changes that are kept even when they cannot be written.
    pub(super) fn save_or_log(&self) {
        if let Err(error) = self.save() {
            log::error!("failed to save the list of jobs: {error}");
        }
    }

    /// Removes the files of an operation that is listed no longer; what its chain shares stays
    /// while another operation of the chain is listed.
    fn forget(&self, operation: &Operation, has_chain: bool) {
        if !has_chain {
            self.clean_up(operation);
        }
        if let Err(error) = self.records.ledger.remove_items(&operation.job_id) {
            log::warn!("failed to remove the items of a job: {error}");
        }
    }

    fn clean_up(&self, operation: &Operation) {
        if let Some(kind) = self.kinds.kind(&operation.kind) {
            kind.clean_up(operation);
        }
    }

    /// What may be asked of an operation. One of a kind that is not registered can only be
    /// cancelled.
    pub(super) fn capabilities(&self, operation: &Operation) -> Capabilities {
        let can_cancel = operation.state.is_active();
        let none = Capabilities { can_cancel, can_retry: false, can_resume: false };
        self.kinds.spec(&operation.kind).map_or(none, |spec| operation.capabilities(spec))
    }

    /// Signals that there may be room for another job.
    pub(super) fn tell_room(&self) {
        if let Some(listener) = self.room.get() {
            listener();
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
        shared.tell_room();
    }
}

fn run(shared: &Shared, job_id: &str) {
    let started = {
        let mut board = shared.records.board();
        if board.closed {
            return;
        }
        let Some(row) = board.change(job_id) else { return };
        // One that was cancelled while it waited is not started.
        if row.operation.apply(Step::Start, &shared.records.now()).is_err() {
            return;
        }
        row.operation.attempt = 1;
        let Some(live) = &mut row.live else { return };
        live.told = Some(std::time::Instant::now());
        (Arc::clone(&live.control), row.operation.clone())
    };
    let (control, operation) = started;
    shared.save_or_log();
    shared.records.publish(Topic::JobProgress, shown::progress(&operation));
    let records = &shared.records;
    let context = Context { records, control: &control, operation, resumed_from: None };
    let outcome = attempt(shared, context);
    finish(shared, job_id, control.signal(), outcome);
}

/// Runs the worker, again after a pause while it fails and has attempts left.
fn attempt(shared: &Shared, mut context: Context<'_>) -> Outcome {
    let Some(kind) = shared.kinds.kind(&context.operation.kind) else {
        return Err(Failure::new("There is no worker for this job."));
    };
    let mut number = 1;
    loop {
        context.resumed_from = {
            let mut board = context.records.board();
            let row = board.change(&context.operation.job_id);
            row.and_then(|row| {
                row.operation.attempt = number;
                row.operation.checkpoint.clone()
            })
        };
        let outcome = guarded(kind, &context);
        let Context { control, operation, .. } = &context;
        let Err(Failure::Failed { message, .. }) = &outcome else { return outcome };
        if number >= operation.max_attempts {
            return outcome;
        }
        log::warn!("job {} failed, attempt {number}: {message}", operation.job_id);
        if control.wait(pause_after(shared.first_pause, number)) != StopSignal::GoOn {
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
fn guarded(kind: &Kind, context: &Context<'_>) -> Outcome {
    let work = || kind.run(context);
    panic::catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| {
        log::error!("the worker of job {} panicked", context.operation.job_id);
        Err(Failure::new("The job stopped because of an unexpected error."))
    })
}

fn finish(shared: &Shared, job_id: &str, signal: StopSignal, outcome: Outcome) {
    shared.records.save_items(job_id);
    let (topic, payload, ended, followers) = {
        let mut board = shared.records.board();
        let Some(row) = board.change(job_id) else { return };
        let has_faults = row.live.take().is_some_and(|live| live.items.has_faults());
        let operation = &mut row.operation;
        if !conclude(operation, signal, outcome, has_faults, &shared.records.now()) {
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
    shared.records.publish(topic, payload);
    for follower in followers {
        shared.enqueue(follower);
    }
}

/// Ends an operation; false when it has ended already. With `has_faults`, items of it were
/// skipped or failed.
fn conclude(
    operation: &mut Operation,
    signal: StopSignal,
    outcome: Outcome,
    has_faults: bool,
    now: &Moment,
) -> bool {
    let (step, output, fault) = match (signal, outcome) {
        (StopSignal::Interrupt, Err(Failure::Stopped)) => (Step::Interrupt, None, None),
        (_, Ok(output)) => {
            let errors = output.get("errors").and_then(Value::as_array);
            let is_partial = has_faults || errors.is_some_and(|errors| !errors.is_empty());
            let step = if is_partial { Step::FinishPartly } else { Step::Finish };
            (step, Some(bounded(output)), None)
        }
        (StopSignal::Cancel, Err(Failure::Stopped)) => (Step::Halt, None, None),
        (StopSignal::GoOn, Err(Failure::Stopped)) => {
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
        State::Interrupted => operation.say_interrupted(),
        State::Cancelled => "Cancelled.".clone_into(&mut operation.message),
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
    let clean = redact::without_paths(message);
    let clean = if clean.is_empty() { "The job failed." } else { &clean };
    let message = text::cut(clean, limits::JOB_ERROR_CHARS).to_owned();
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
    fn check(signal: StopSignal, outcome: Outcome, expected: State) -> Operation {
        let mut operation = running();
        if signal == StopSignal::Cancel {
            operation.apply(Step::Cancel, &Moment::from_unix(2)).expect("cancelling");
        }
        assert!(conclude(&mut operation, signal, outcome, false, &Moment::from_unix(3)));
        assert_eq!(operation.state, expected);
        operation
    }

    fn result(value: Value) -> Outcome {
        Ok(value.as_object().cloned().unwrap_or_default())
    }

    #[test]
    fn every_return_of_a_worker_has_its_state() {
        let failed = || Err(Failure::new("Broken."));
        check(StopSignal::GoOn, result(json!({"errors": []})), State::Done);
        check(StopSignal::GoOn, result(json!({"errors": ["x"]})), State::Partial);
        check(StopSignal::GoOn, failed(), State::Error);
        check(StopSignal::GoOn, Err(Failure::Stopped), State::Error);
        check(StopSignal::Interrupt, Err(Failure::Stopped), State::Interrupted);
        check(StopSignal::Interrupt, result(json!({})), State::Done);
        let late = check(StopSignal::Cancel, result(json!({"count": 1})), State::Cancelled);
        assert_eq!((late.output, late.error), (None, None), "a late result does not count");
        let late = check(StopSignal::Cancel, failed(), State::Cancelled);
        assert_eq!(late.error, None);
        check(StopSignal::Cancel, Err(Failure::Stopped), State::Cancelled);
    }

    #[test]
    fn errors_are_cut_and_never_name_a_path() {
        let long = format!("Broken: {}", "ä".repeat(1_000));
        let operation = check(StopSignal::GoOn, Err(Failure::new(long)), State::Error);
        let message = operation.error.expect("a fault").message;
        assert_eq!(message.chars().count(), limits::JOB_ERROR_CHARS);
        let operation = check(StopSignal::GoOn, Err(Failure::new("no file '/a/b'")), State::Error);
        assert_eq!(operation.error.expect("a fault").message, "no file");
    }

    #[test]
    fn a_result_is_kept_up_to_its_limit() {
        let overhead = json!({"t": ""}).to_string().len();
        for (extra, kept) in [(0, true), (1, false)] {
            let text = "x".repeat(limits::JOB_RESULT_BYTES - overhead + extra);
            let operation = check(StopSignal::GoOn, result(json!({"t": text})), State::Done);
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
