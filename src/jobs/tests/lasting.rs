//! Jobs over the end of a process: what is stored, retried, resumed and forgotten.

use std::sync::Arc;

use crossbeam_channel::{Receiver, unbounded};
use proptest::prelude::*;
use serde_json::{Map, json};

use super::{Bench, LONG, SCAN, SETUP, Scripted, bench, held, options, scripted};
use crate::{
    base::limits,
    events::{bus::Bus, event::Topic},
    files::{
        Files,
        disk::Disk,
        failing::{FailingDisk, Fault},
    },
    jobs::{
        control::StopSignal,
        error::JobError,
        items::Item,
        kind::Failure,
        machine::State,
        runner::{Filter, Jobs, SameName, Submission},
    },
};

/// Counts to the number in its input, one item a step, marks every step with a checkpoint and
/// sends it to the test. After step `hold` it waits until it is asked to stop.
fn counting(hold: u64) -> (Arc<Scripted>, Receiver<u64>) {
    let (step, steps) = unbounded();
    let kind = scripted(SCAN, move |context, input, checkpoint| {
        let end = input["end"].as_u64().unwrap_or(0);
        let done = checkpoint.and_then(|value| value["done"].as_u64()).unwrap_or(0);
        for number in done + 1..=end {
            context.check()?;
            context.checkpoint(json!({"done": number}), number);
            step.send(number).expect("somebody listens");
            if number == hold {
                assert_ne!(context.control.wait(LONG), StopSignal::GoOn);
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
    let (kind, starts, say) = held(SCAN);
    let bench = bench(vec![kind]);
    let id = bench.submit("saves-scan");
    starts.recv_timeout(LONG).expect("started");
    let mut other = bench.jobs.board_for_tests().find(&id).expect("a row").operation.clone();
    other.job_id = "0".repeat(32);
    other.state = State::Interrupted;
    other.checkpoint = Some(json!({"done": 1}));
    let old = other.job_id.clone();
    bench.jobs.board_for_tests().insert(other);
    assert!(matches!(bench.jobs.retry(&old, None), Err(JobError::NotRetryable(_))));
    let resumed = bench.jobs.resume(&old).expect_err("a job of its name is active");
    assert!(matches!(resumed, JobError::NotResumableNow(_)));
    assert_eq!(resumed.to_string(), format!("Operation {old} cannot be resumed."));
    drop(say);
    bench.end(&id);
    assert!(bench.jobs.resume(&old).is_ok());
}

#[test]
fn a_job_that_cannot_be_saved_is_not_accepted() {
    let mut refused = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let dir = tempfile::tempdir().expect("a folder");
            let bus = Bus::new();
            let disk = Arc::new(FailingDisk::new(call, fault));
            let kind = scripted(SCAN, |_, _, _| Ok(Map::new()));
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
fn a_job_goes_on_when_the_one_in_its_place_cannot_be_saved() {
    let dir = tempfile::tempdir().expect("a folder");
    let bus = Bus::new();
    let events = bus.subscribe(|| false).expect("a place");
    let disk = Arc::new(FailingDisk::new(1, Fault::ForEver));
    disk.arm(false);
    let (kind, starts, say) = held(SCAN);
    let files = Files::over(Arc::<FailingDisk>::clone(&disk));
    let jobs = Jobs::start(options(dir.path(), &bus, vec![kind], files)).expect("started");
    let bench = Bench { dir, bus, jobs, events };
    let first = bench.submit("saves-scan");
    starts.recv_timeout(LONG).expect("started");
    disk.arm(true);
    let name = "saves-scan".to_owned();
    let refused = Submission { name, input: Map::new(), same_name: SameName::Replace };
    let refused = bench.jobs.submit(refused);
    assert!(matches!(refused, Err(JobError::NotSaved(_))), "{refused:?}");
    assert_eq!(bench.document(&first)["state"], "running");
    disk.arm(false);
    say.send("look").expect("said");
    drop(say);
    assert_eq!(bench.end(&first)["state"], "done");
    bench.jobs.stop();
}

#[test]
fn items_are_stored_shown_and_forgotten_with_their_job() {
    let kind = scripted(SCAN, |context, _, _| {
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
    let overview = second.jobs.overview();
    assert_eq!((overview.jobs.len(), overview.history.len()), (1, 2));
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
    vec![scripted(SETUP, |context, input, _| {
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
                Move::Cancel(at) => bench.jobs.cancel(&id(at)).map(|()| String::new()).ok(),
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
            prop_assert!(!document.state.is_active(), "{:?}", document.state);
            prop_assert!(document.finished_at.is_some());
        }
        if !ids.is_empty() {
            let stored = bench.stored()["operations"].as_array().map(Vec::len);
            prop_assert_eq!(stored, Some(ids.len()));
        }
    }
}
