//! Jobs as a whole, with workers that stand still where a test wants them to.

use std::{
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::{
    context::Context,
    control::Order,
    document::Operation,
    error::JobError,
    items::Item,
    kind::{Failure, Kind, Outcome},
    machine::State,
    runner::{Accepted, Filter, Jobs, Options, SameName, Submission},
};
use crate::{
    base::{clock::Moment, limits},
    events::{
        bus::{Bus, Next, Subscription},
        event::Topic,
    },
    files::{
        disk::Disk,
        failing::{FailingDisk, Fault},
        writer::Files,
    },
};

const LONG: Duration = Duration::from_secs(20);

type Script = dyn Fn(&Context<'_>, &Map<String, Value>, Option<&Value>) -> Outcome + Send + Sync;

struct Scripted {
    kind: &'static str,
    attempts: u32,
    script: Box<Script>,
    cleaned: Arc<Mutex<Vec<String>>>,
}

impl Kind for Scripted {
    fn type_name(&self) -> &'static str {
        self.kind
    }

    fn attempts(&self) -> u32 {
        self.attempts
    }

    fn run(
        &self,
        context: &Context<'_>,
        input: &Map<String, Value>,
        checkpoint: Option<&Value>,
    ) -> Outcome {
        (self.script)(context, input, checkpoint)
    }

    fn clean_up(&self, operation: &Operation) {
        self.cleaned.lock().expect("no panic").push(operation.job_id.clone());
    }
}

fn scripted(
    kind: &'static str,
    script: impl Fn(&Context<'_>, &Map<String, Value>, Option<&Value>) -> Outcome
    + Send
    + Sync
    + 'static,
) -> Arc<Scripted> {
    let (script, cleaned) = (Box::new(script), Arc::default());
    Arc::new(Scripted { kind, attempts: 1, script, cleaned })
}

/// A worker that says its job's id when it starts and then waits for a word: `go` ends it well,
/// `look` makes it look whether it was told to stop.
fn held(kind: &'static str) -> (Arc<Scripted>, Receiver<String>, Sender<&'static str>) {
    let (started, starts) = unbounded();
    let (say, said) = unbounded();
    let kind = scripted(kind, move |context, _, _| {
        started.send(context.job_id().to_owned()).expect("somebody listens");
        while said.recv_timeout(LONG) == Ok("look") {
            context.check()?;
        }
        Ok(Map::from_iter([("completed".to_owned(), json!(1))]))
    });
    (kind, starts, say)
}

struct Bench {
    dir: tempfile::TempDir,
    bus: Bus,
    jobs: Jobs,
    events: Subscription,
}

fn options(folder: &Path, bus: &Bus, kinds: Vec<Arc<Scripted>>, files: Files) -> Options {
    Options {
        files,
        operations: folder.join("operations.json"),
        items: folder.join("operations_items"),
        bus: bus.clone(),
        kinds: kinds.into_iter().map(|kind| -> Arc<dyn Kind> { kind }).collect(),
        home: String::new(),
        first_pause: Duration::from_millis(1),
        now: Moment::now,
    }
}

fn bench(kinds: Vec<Arc<Scripted>>) -> Bench {
    let dir = tempfile::tempdir().expect("a folder");
    let bus = Bus::new();
    let events = bus.subscribe(|| false).expect("a place");
    let jobs = Jobs::start(options(dir.path(), &bus, kinds, Files::system())).expect("started");
    Bench { dir, bus, jobs, events }
}

impl Bench {
    fn submit_as(&self, name: &str, input: &Value, same_name: SameName) -> Accepted {
        let input = input.as_object().cloned().unwrap_or_default();
        let submission = Submission { name: name.to_owned(), input, same_name };
        self.jobs.submit(submission).expect("accepted")
    }

    fn submit(&self, name: &str) -> String {
        self.submit_as(name, &json!({}), SameName::Join).job_id
    }

    /// Waits for an event about a job and returns its payload.
    fn event(&self, topic: Topic, job_id: &str) -> Value {
        loop {
            let Next::Event(frame) = self.events.next(LONG) else {
                panic!("no {topic:?} for {job_id}");
            };
            let payload: Value = serde_json::from_str(&frame.data).expect("json");
            if frame.name == topic.name() && payload["job_id"] == job_id {
                return payload;
            }
        }
    }

    fn end(&self, job_id: &str) -> Value {
        self.event(Topic::JobFinished, job_id);
        self.document(job_id)
    }

    fn document(&self, job_id: &str) -> Value {
        self.jobs.find(job_id).expect("a document")
    }

    fn stored(&self) -> Value {
        let bytes = std::fs::read(self.dir.path().join("operations.json")).expect("stored");
        serde_json::from_slice(&bytes).expect("json")
    }

    /// The same data directory under a process that starts now.
    fn restarted(self, kinds: Vec<Arc<Scripted>>) -> Self {
        let Self { dir, bus, jobs, events } = self;
        jobs.stop();
        let jobs = Jobs::start(options(dir.path(), &bus, kinds, Files::system()));
        Self { dir, bus, jobs: jobs.expect("started"), events }
    }
}

#[test]
fn a_job_runs_and_its_end_is_told_and_stored() {
    let bench = bench(vec![scripted("saves.scan", |context, input, _| {
        context.expect(2, "games");
        context.progress(2, "Two games");
        Ok(Map::from_iter([("seen".to_owned(), input["x"].clone())]))
    })]);
    let input = json!({"x": 7, "password": "never"});
    let id = bench.submit_as("saves-scan", &input, SameName::Join).job_id;
    let queued = bench.event(Topic::JobQueued, &id);
    assert_eq!((&queued["type"], &queued["state"]), (&json!("saves.scan"), &json!("queued")));
    assert_eq!(bench.event(Topic::JobProgress, &id)["state"], "running");
    let document = bench.end(&id);
    assert_eq!(document["state"], "done");
    assert_eq!(document["output"], json!({"seen": 7}));
    assert_eq!(document["input"], json!({"x": 7}));
    let progress = json!({"current": 2, "total": 2, "unit": "games", "message": "Two games"});
    assert_eq!(document["progress"], progress);
    let stored = &bench.stored()["operations"][0];
    assert_eq!((&stored["job_id"], &stored["state"]), (&json!(id), &json!("done")));
    let overview = bench.jobs.overview();
    assert_eq!(overview["jobs"]["saves-scan"]["seen"], 7);
    assert_eq!(overview["history"][0]["job_id"], *id);
}

#[test]
fn four_run_at_once_and_the_fifth_waits() {
    let (kind, starts, say) = held("setup.scan");
    let bench = bench(vec![kind]);
    let ids: Vec<_> = (0..5).map(|number| bench.submit(&format!("setup-scan:{number}"))).collect();
    let running: Vec<_> = (0..4).map(|_| starts.recv_timeout(LONG).expect("started")).collect();
    assert!(ids[..4].iter().all(|id| running.contains(id)));
    assert_eq!(bench.document(&ids[4])["state"], "queued");
    assert!(starts.is_empty());
    say.send("go").expect("said");
    assert_eq!(starts.recv_timeout(LONG).as_ref(), Ok(&ids[4]));
    drop(say);
    bench.jobs.stop();
}

#[test]
fn a_name_is_joined_kept_apart_or_replaced() {
    let (kind, starts, say) = held("library.export");
    let bench = bench(vec![kind]);
    let (one, two) = (json!({"x": 1}), json!({"x": 2}));
    let first = bench.submit_as("library-export", &one, SameName::Separate);
    assert_eq!(starts.recv_timeout(LONG).as_ref(), Ok(&first.job_id));
    for (input, same_name) in [(&two, SameName::Join), (&one, SameName::Separate)] {
        let joined = bench.submit_as("library-export", input, same_name);
        assert_eq!((joined.job_id, joined.is_new), (first.job_id.clone(), false));
    }
    let apart = bench.submit_as("library-export", &two, SameName::Separate);
    assert_eq!(starts.recv_timeout(LONG).as_ref(), Ok(&apart.job_id));
    let name = bench.document(&apart.job_id)["name"].clone();
    assert_eq!(name, format!("library-export:{}", &apart.job_id[..8]));

    let second = bench.submit_as("library-export", &two, SameName::Replace);
    let third = bench.submit_as("library-export", &two, SameName::Replace);
    assert_eq!(bench.document(&first.job_id)["state"], "cancelling");
    assert_eq!(bench.document(&second.job_id)["state"], "cancelled");
    assert!(starts.is_empty(), "the new one waits for the end of the old one");
    say.send("look").expect("said");
    say.send("look").expect("said");
    assert_eq!(starts.recv_timeout(LONG).as_ref(), Ok(&third.job_id));
    drop(say);
    assert_eq!(bench.end(&third.job_id)["state"], "done");
}

#[test]
fn a_running_job_is_cancelled_at_its_next_step() {
    let (kind, starts, say) = held("saves.scan");
    let bench = bench(vec![kind]);
    let id = bench.submit("saves-scan");
    starts.recv_timeout(LONG).expect("started");
    assert_eq!(bench.jobs.cancel(&id).expect("accepted"), State::Cancelling);
    let told = bench.event(Topic::JobCancelling, &id);
    assert_eq!(told["message"], "Cancellation requested.");
    assert_eq!(bench.stored()["operations"][0]["state"], "cancelling");
    assert_eq!(bench.jobs.cancel(&id).expect("once more is fine"), State::Cancelling);
    say.send("look").expect("said");
    let document = bench.end(&id);
    assert_eq!((&document["state"], &document["output"]), (&json!("cancelled"), &Value::Null));
    assert!(matches!(bench.jobs.cancel(&id), Err(JobError::NotCancellable(_))));
    assert!(matches!(bench.jobs.cancel("nobody"), Err(JobError::Unknown(_))));
}

#[test]
fn a_late_result_of_a_cancelled_job_does_not_count() {
    let (kind, starts, say) = held("saves.scan");
    let bench = bench(vec![kind]);
    let id = bench.submit("saves-scan");
    starts.recv_timeout(LONG).expect("started");
    bench.jobs.cancel(&id).expect("accepted");
    say.send("go").expect("said");
    let document = bench.end(&id);
    assert_eq!((&document["state"], &document["result"]), (&json!("cancelled"), &Value::Null));
}

#[test]
fn a_queued_job_is_cancelled_at_once_and_never_runs() {
    let (kind, starts, say) = held("setup.scan");
    let bench = bench(vec![kind]);
    for number in 0..4 {
        bench.submit(&format!("setup-scan:{number}"));
        starts.recv_timeout(LONG).expect("started");
    }
    let id = bench.submit("setup-scan:waiting");
    assert_eq!(bench.jobs.cancel(&id).expect("accepted"), State::Cancelled);
    assert_eq!(bench.end(&id)["started_at"], Value::Null);
    drop(say);
    let last = bench.submit("setup-scan:last");
    assert_eq!(bench.end(&last)["state"], "done");
    assert_eq!(starts.try_iter().collect::<Vec<_>>(), [last]);
}

#[test]
fn the_last_step_refuses_a_cancel() {
    let (started, starts) = unbounded();
    let (say, said) = unbounded::<()>();
    let kind = scripted("library.backup", move |context, _, _| {
        context.promote()?;
        started.send(()).expect("somebody listens");
        said.recv_timeout(LONG).expect("told to go on");
        Ok(Map::new())
    });
    let bench = bench(vec![kind]);
    let id = bench.submit("library-backup");
    starts.recv_timeout(LONG).expect("promoting");
    assert_eq!(bench.document(&id)["can_cancel"], false);
    assert!(matches!(bench.jobs.cancel(&id), Err(JobError::NotCancellable(_))));
    say.send(()).expect("said");
    assert_eq!(bench.end(&id)["state"], "done");
}

#[test]
fn a_panic_fails_one_job_and_no_other() {
    let bench = bench(vec![
        scripted("saves.scan", |_, _, _| panic!("on purpose")),
        scripted("cloud.sync", |_, _, _| Ok(Map::new())),
    ]);
    for _ in 0..limits::JOB_WORKERS * 2 {
        let id = bench.submit("saves-scan");
        let document = bench.end(&id);
        assert_eq!((&document["state"], &document["can_retry"]), (&json!("error"), &json!(true)));
        assert_eq!(document["error_detail"]["code"], "INTERNAL_ERROR");
    }
    let id = bench.submit("cloud-sync");
    assert_eq!(bench.end(&id)["state"], "done");
}

#[test]
fn a_failing_job_is_tried_again_as_often_as_its_kind_says() {
    let tries = AtomicUsize::new(0);
    let mut kind =
        scripted("cloud.sync", move |_, _, _| match tries.fetch_add(1, Ordering::Relaxed) {
            2 => Ok(Map::new()),
            number => Err(Failure::new(format!("Failure {number}."))),
        });
    Arc::get_mut(&mut kind).expect("not shared yet").attempts = 2;
    let bench = bench(vec![kind]);
    let id = bench.submit("cloud-sync");
    let document = bench.end(&id);
    assert_eq!((&document["attempt"], &document["max_attempts"]), (&json!(2), &json!(2)));
    assert_eq!((&document["state"], &document["error"]), (&json!("error"), &json!("Failure 1.")));
    let again = bench.jobs.retry(&id, None).expect("retried");
    assert_eq!(bench.end(&again.job_id)["state"], "done");
}

#[test]
fn a_pause_between_attempts_ends_with_a_cancel() {
    let dir = tempfile::tempdir().expect("a folder");
    let bus = Bus::new();
    let events = bus.subscribe(|| false).expect("a place");
    let (started, starts) = unbounded();
    let mut kind = scripted("cloud.sync", move |_, _, _| {
        started.send(()).expect("somebody listens");
        Err(Failure::new("Broken."))
    });
    Arc::get_mut(&mut kind).expect("not shared yet").attempts = 5;
    let mut options = options(dir.path(), &bus, vec![kind], Files::system());
    options.first_pause = Duration::from_mins(10);
    let jobs = Jobs::start(options).expect("started");
    let bench = Bench { dir, bus, jobs, events };
    let id = bench.submit("cloud-sync");
    starts.recv_timeout(LONG).expect("tried once");
    bench.jobs.cancel(&id).expect("accepted");
    assert_eq!(bench.end(&id)["state"], "cancelled");
    assert!(starts.is_empty());
}

/// Counts to the number in its input, one item a step, marks every step with a checkpoint and
/// sends it to the test. After step `hold` it stands still until it is told to stop.
fn counting(hold: u64) -> (Arc<Scripted>, Receiver<u64>) {
    let (step, steps) = unbounded();
    let kind = scripted("saves.scan", move |context, input, checkpoint| {
        let end = input["end"].as_u64().unwrap_or(0);
        let done = checkpoint.and_then(|value| value["done"].as_u64()).unwrap_or(0);
        for number in done + 1..=end {
            context.check()?;
            context.checkpoint(json!({"done": number}), number);
            step.send(number).expect("somebody listens");
            if number == hold {
                assert_ne!(context.control.wait(LONG), Order::GoOn);
            }
        }
        Ok(Map::from_iter([("completed".to_owned(), json!(end - done))]))
    });
    (kind, steps)
}

fn take(steps: &Receiver<u64>, count: usize) -> Vec<u64> {
    (0..count).map(|_| steps.recv_timeout(LONG).expect("a step")).collect()
}

#[test]
fn a_stop_interrupts_and_a_resume_repeats_nothing() {
    let (kind, steps) = counting(2);
    let cleaned = Arc::clone(&kind.cleaned);
    let bench = bench(vec![kind]);
    let id = bench.submit_as("saves-scan", &json!({"end": 5}), SameName::Join).job_id;
    assert_eq!(take(&steps, 2), [1, 2]);
    assert!(cleaned.lock().expect("no panic").is_empty(), "a resume may need what it left");
    let (kind, again) = counting(0);
    let bench = bench.restarted(vec![kind]);
    assert!(cleaned.lock().expect("no panic").is_empty());
    let told = bench.event(Topic::JobInterrupted, &id);
    assert_eq!(told["message"], "Interrupted by shutdown.");
    let old = bench.document(&id);
    assert_eq!((&old["can_resume"], &old["can_retry"]), (&json!(true), &json!(true)));
    let next = bench.jobs.resume(&id).expect("resumed");
    let document = bench.end(&next.job_id);
    assert_eq!((&document["state"], &document["resume_of"]), (&json!("done"), &json!(id)));
    assert_eq!(document["root_job_id"], *id);
    assert_eq!(steps.try_iter().chain(again.try_iter()).collect::<Vec<_>>(), [3, 4, 5]);
    assert_eq!(bench.document(&id)["state"], "interrupted", "the old one keeps its state");
}

#[test]
fn a_retry_starts_over_with_the_stored_or_another_input() {
    let (kind, steps) = counting(0);
    let bench = bench(vec![kind]);
    let id = bench.submit_as("saves-scan", &json!({"end": 2}), SameName::Join).job_id;
    assert_eq!(bench.end(&id)["state"], "done");
    assert!(matches!(bench.jobs.retry(&id, None), Err(JobError::NotRetryable(_))));
    assert!(matches!(bench.jobs.resume(&id), Err(JobError::NotResumable(_))));
    assert_eq!(steps.try_iter().collect::<Vec<_>>(), [1, 2]);
    {
        let mut board = bench.jobs.board_for_tests();
        board.change(&id).expect("a row").operation.state = State::Interrupted;
    }
    let retried = bench.jobs.retry(&id, None).expect("retried");
    assert_eq!(bench.end(&retried.job_id)["retry_of"], *id);
    assert_eq!(steps.try_iter().collect::<Vec<_>>(), [1, 2]);
    let input = json!({"end": 1, "token": "never"}).as_object().cloned();
    let other = bench.jobs.retry(&id, input).expect("retried");
    assert_eq!(bench.end(&other.job_id)["input"], json!({"end": 1}));
    assert_eq!(steps.try_iter().collect::<Vec<_>>(), [1]);
    assert!(matches!(bench.jobs.retry("nobody", None), Err(JobError::Unknown(_))));
}

#[test]
fn a_name_that_is_active_is_neither_retried_nor_resumed() {
    let (kind, starts, say) = held("saves.scan");
    let bench = bench(vec![kind]);
    let id = bench.submit("saves-scan");
    starts.recv_timeout(LONG).expect("started");
    let mut other = bench.jobs.board_for_tests().find(&id).expect("a row").operation.clone();
    other.job_id = "0".repeat(32);
    other.state = State::Interrupted;
    other.checkpoint = Some(json!({"done": 1}));
    let old = other.job_id.clone();
    bench.jobs.board_for_tests().insert(other, None);
    assert!(matches!(bench.jobs.retry(&old, None), Err(JobError::NotRetryable(_))));
    assert!(matches!(bench.jobs.resume(&old), Err(JobError::NotResumable(_))));
    drop(say);
    bench.end(&id);
    assert!(bench.jobs.resume(&old).is_ok());
}

#[test]
fn the_queue_has_an_end() {
    let (kind, starts, say) = held("setup.scan");
    let bench = bench(vec![kind]);
    for number in 0..limits::JOBS_IN_FLIGHT {
        bench.submit(&format!("setup-scan:{number}"));
    }
    for _ in 0..limits::JOB_WORKERS {
        starts.recv_timeout(LONG).expect("started");
    }
    let one_more = || Submission {
        name: "setup-scan:more".into(),
        input: Map::new(),
        same_name: SameName::Join,
    };
    assert!(matches!(bench.jobs.submit(one_more()), Err(JobError::QueueFull)));
    assert_eq!(bench.stored()["operations"].as_array().map(Vec::len), Some(limits::JOBS_IN_FLIGHT));
    say.send("go").expect("said");
    starts.recv_timeout(LONG).expect("the next one started");
    assert!(bench.jobs.submit(one_more()).is_ok());
    drop(say);
    bench.jobs.stop();
    assert!(matches!(bench.jobs.submit(one_more()), Err(JobError::Stopping)));
}

#[test]
fn names_and_workers_are_checked() {
    let bench = bench(vec![scripted("saves.scan", |_, _, _| Ok(Map::new()))]);
    let refusal = |name: &str| {
        let name = name.to_owned();
        let submission = Submission { name, input: Map::new(), same_name: SameName::Join };
        bench.jobs.submit(submission).expect_err("refused")
    };
    for bad in ["", "saves\nscan", &"x".repeat(limits::JOB_NAME_CHARS + 1)] {
        assert!(matches!(refusal(bad), JobError::BadName(_)), "{bad:?}");
    }
    assert!(matches!(refusal(&"ä".repeat(limits::JOB_NAME_CHARS)), JobError::NoWorker(_)));
    assert!(matches!(refusal("cloud-sync"), JobError::NoWorker(_)));
}

#[test]
fn a_job_that_cannot_be_saved_is_not_accepted() {
    let mut refused = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let dir = tempfile::tempdir().expect("a folder");
            let bus = Bus::new();
            let disk = Arc::new(FailingDisk::new(call, fault));
            let kind = scripted("saves.scan", |_, _, _| Ok(Map::new()));
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let files = Files::over(door);
            let jobs = Jobs::start(options(dir.path(), &bus, vec![kind], files)).expect("started");
            let (name, input) = ("saves-scan".to_owned(), Map::new());
            let outcome = jobs.submit(Submission { name, input, same_name: SameName::Join });
            let listed = jobs.list(&Filter { limit: 9, ..Filter::default() }).jobs.len();
            assert_eq!(listed, usize::from(outcome.is_ok()), "call {call}");
            refused += usize::from(matches!(outcome, Err(JobError::NotSaved(_))));
            jobs.stop();
            if !disk.has_failed() {
                break;
            }
        }
    }
    assert!(refused >= 3, "{refused} refused");
}

#[test]
fn items_are_stored_shown_and_forgotten_with_their_job() {
    let kind = scripted("saves.scan", |context, _, _| {
        for (id, state) in [("game-1", "skipped"), ("game-2", "failed")] {
            let (label, state) = (id.to_owned(), state.to_owned());
            context.item(Item { item_id: id.into(), label, state, error: None });
        }
        Ok(Map::from_iter([("errors".to_owned(), json!(["game-2"]))]))
    });
    let cleaned = Arc::clone(&kind.cleaned);
    let bench = bench(vec![kind]);
    let id = bench.submit("saves-scan");
    assert_eq!(bench.end(&id)["state"], "partial");
    let page = bench.jobs.items(&id, None, 1).expect("items");
    assert_eq!(
        (page.items[0].item_id.as_str(), page.next_cursor.as_deref()),
        ("game-1", Some("game-1"))
    );
    let page = bench.jobs.items(&id, page.next_cursor.as_deref(), 5).expect("items");
    assert_eq!((page.items.len(), page.next_cursor), (1, None));
    assert!(bench.jobs.items("nobody", None, 1).is_none());
    let file = bench.dir.path().join(format!("operations_items/{id}.json"));
    assert!(file.exists());
    for _ in 0..limits::JOBS {
        let next = bench.submit("saves-scan");
        bench.end(&next);
    }
    assert!(!file.exists() && bench.jobs.find(&id).is_none());
    let of_first = cleaned.lock().expect("no panic").iter().filter(|other| **other == id).count();
    assert_eq!(of_first, 2, "when it ended and when it was forgotten");
}

#[test]
fn progress_is_told_and_saved_at_most_twice_a_second() {
    let kind = scripted("saves.scan", |context, _, _| {
        for number in 0..5_000 {
            context.progress(number, "Counting");
        }
        Ok(Map::new())
    });
    let bench = bench(vec![kind]);
    let begin = Instant::now();
    let id = bench.submit("saves-scan");
    let mut told = 0;
    loop {
        let Next::Event(frame) = bench.events.next(LONG) else { panic!("no end") };
        told += u128::from(frame.name == "job.progress");
        if frame.name == "job.finished" {
            break;
        }
    }
    let most = 1 + begin.elapsed().as_millis() / 500;
    assert!((1..=most).contains(&told), "{told} events, at most {most}");
    assert_eq!(bench.document(&id)["current"], 4_999);
}

#[test]
fn an_unclean_end_leaves_interrupted_jobs() {
    let (kind, steps) = counting(1);
    let first = bench(vec![kind]);
    let id = first.submit_as("saves-scan", &json!({"end": 9}), SameName::Join).job_id;
    steps.recv_timeout(LONG).expect("a step");
    let copy = tempfile::tempdir().expect("a folder");
    let name = "operations.json";
    std::fs::copy(first.dir.path().join(name), copy.path().join(name)).expect("copied");
    let (kind, again) = counting(0);
    let bus = Bus::new();
    let jobs = Jobs::start(options(copy.path(), &bus, vec![kind], Files::system())).expect("up");
    let events = bus.subscribe(|| false).expect("a place");
    let second = Bench { dir: copy, bus, jobs, events };
    let document = second.document(&id);
    assert_eq!((&document["state"], &document["current"]), (&json!("interrupted"), &json!(1)));
    assert_eq!(second.stored()["operations"][0]["state"], "interrupted");
    let next = second.jobs.resume(&id).expect("resumed");
    assert_eq!(second.end(&next.job_id)["output"], json!({"completed": 8}));
    assert_eq!(take(&again, 8), (2..=9).collect::<Vec<_>>());
    assert_eq!(second.jobs.overview()["jobs"].as_object().map(Map::len), Some(1));
    assert_eq!(second.jobs.overview()["history"].as_array().map(Vec::len), Some(2));
    first.jobs.stop();
}

#[derive(Clone, Debug)]
enum Move {
    Submit(u8),
    Cancel(usize),
    Retry(usize),
    Resume(usize),
    Restart,
}

fn moves() -> impl Strategy<Value = Vec<Move>> {
    let one = prop_oneof![
        4 => (0_u8..5).prop_map(Move::Submit),
        2 => (0_usize..6).prop_map(Move::Cancel),
        2 => (0_usize..6).prop_map(Move::Retry),
        2 => (0_usize..6).prop_map(Move::Resume),
        1 => Just(Move::Restart),
    ];
    prop::collection::vec(one, 1..25)
}

fn mixed() -> Vec<Arc<Scripted>> {
    vec![scripted("setup.scan", |context, input, _| {
        context.checkpoint(json!({"done_ids": [1]}), 1);
        context.check()?;
        match input["mood"].as_u64() {
            Some(0) => Err(Failure::new("Broken.")),
            Some(1) => Ok(Map::from_iter([("errors".to_owned(), json!(["x"]))])),
            Some(2) => Err(Failure::Stopped),
            _ => Ok(Map::new()),
        }
    })]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn whatever_is_asked_the_file_loads_and_nothing_stays_active(moves in moves()) {
        let mut bench = bench(mixed());
        let mut ids: Vec<String> = Vec::new();
        for step in moves {
            let id = |at: usize| ids.get(at % ids.len().max(1)).cloned().unwrap_or_default();
            let made = match step {
                Move::Submit(mood) => {
                    let input = json!({"mood": mood});
                    let name = format!("setup-scan:{mood}");
                    Some(bench.submit_as(&name, &input, SameName::Replace).job_id)
                }
                Move::Cancel(at) => bench.jobs.cancel(&id(at)).map(|_| String::new()).ok(),
                Move::Retry(at) => bench.jobs.retry(&id(at), None).map(|next| next.job_id).ok(),
                Move::Resume(at) => bench.jobs.resume(&id(at)).map(|next| next.job_id).ok(),
                Move::Restart => {
                    bench = bench.restarted(mixed());
                    None
                }
            };
            ids.extend(made.filter(|id| !id.is_empty()));
        }
        let bench = bench.restarted(mixed());
        let page = bench.jobs.list(&Filter { limit: 100, ..Filter::default() });
        prop_assert_eq!(page.jobs.len(), ids.len());
        for document in &page.jobs {
            let state = document["state"].as_str().unwrap_or_default();
            prop_assert!(State::ALL.iter().any(|s| s.name() == state && !s.is_active()), "{state}");
            prop_assert!(document["finished_at"].is_string());
        }
        if !ids.is_empty() {
            let stored = bench.stored()["operations"].as_array().map(Vec::len);
            prop_assert_eq!(stored, Some(ids.len()));
        }
    }
}
