//! Jobs in one process: starting, cancelling, failing, reporting.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use crossbeam_channel::unbounded;
use serde_json::{Map, Value, json};

use super::{BACKUP, Bench, EXPORT, LONG, SCAN, SETUP, SYNC, bench, held, options, scripted};
use crate::{
    base::limits,
    events::{
        bus::{Bus, Next},
        event::Topic,
    },
    files::Files,
    jobs::{
        error::JobError,
        kind::Failure,
        runner::{Jobs, SameName, Submission},
    },
};

#[test]
fn a_job_runs_and_its_end_is_told_and_stored() {
    let bench = bench(vec![scripted(SCAN, |context, input, _| {
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
    let overview = json!(bench.jobs.overview());
    assert_eq!(overview["jobs"]["saves-scan"]["seen"], 7);
    assert_eq!(overview["history"][0]["job_id"], *id);
}

#[test]
fn four_run_at_once_and_the_fifth_waits() {
    let (kind, starts, say) = held(SETUP);
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
fn a_listener_hears_of_every_job_that_ends() {
    let (kind, starts, say) = held(SETUP);
    let bench = bench(vec![kind]);
    let (tell, told) = unbounded();
    bench.jobs.on_room(move || {
        // OK because there is no receiver after the test.
        let _ = tell.send(());
    });
    let ids: Vec<_> = (0..5).map(|number| bench.submit(&format!("setup-scan:{number}"))).collect();
    for _ in 0..4 {
        starts.recv_timeout(LONG).expect("started");
    }
    assert!(told.is_empty());
    bench.jobs.cancel(&ids[4]).expect("cancelled");
    assert_eq!(told.recv_timeout(LONG), Ok(()), "it waited and is gone at once");
    say.send("go").expect("said");
    assert_eq!(told.recv_timeout(LONG), Ok(()));
    drop(say);
    bench.jobs.stop();
}

#[test]
fn what_was_done_is_known_by_name_and_input() {
    let (kind, starts, say) = held(EXPORT);
    let bench = bench(vec![kind]);
    let inputs = [json!({"x": 1}), json!({"x": 2})];
    let input = |at: usize| inputs[at].as_object().expect("an object");
    let is_done = |at| bench.jobs.is_done("library-export", input(at));
    let (tell, told) = unbounded();
    bench.jobs.on_room(move || {
        // OK because there is no receiver after the test.
        let _ = tell.send(());
    });
    for input in &inputs {
        bench.submit_as("library-export", input, SameName::Separate);
        starts.recv_timeout(LONG).expect("started");
    }
    assert!(!is_done(0) && !is_done(1), "both run");
    for _ in &inputs {
        say.send("go").expect("said");
        assert_eq!(told.recv_timeout(LONG), Ok(()));
    }
    assert!(is_done(0) && is_done(1), "one of them ran in parallel with the other");
    assert!(!bench.jobs.is_done("library-export", &Map::new()));
    assert!(!bench.jobs.is_done("setup-scan", input(0)));
    bench.jobs.stop();
}

#[test]
fn a_name_is_joined_kept_apart_or_replaced() {
    let (kind, starts, say) = held(EXPORT);
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
    for (input, standing) in [(&two, &apart), (&one, &first)] {
        let joined = bench.submit_as("library-export", input, SameName::Separate);
        assert_eq!((&joined.job_id, joined.is_new), (&standing.job_id, false));
    }

    let second = bench.submit_as("library-export", &two, SameName::Replace);
    let third = bench.submit_as("library-export", &two, SameName::Replace);
    assert_eq!(bench.document(&first.job_id)["state"], "cancelling");
    assert_eq!(bench.document(&second.job_id)["state"], "cancelled");
    assert!(starts.is_empty(), "the new one waits for the end of the old one");
    // Either of the two running jobs may take the word; only the cancelled one ends by it.
    let next = (0..2_000).find_map(|_| {
        say.send("look").expect("said");
        starts.recv_timeout(Duration::from_millis(10)).ok()
    });
    assert_eq!(next.as_ref(), Some(&third.job_id));
    drop(say);
    assert_eq!(bench.end(&third.job_id)["state"], "done");
}

#[test]
fn a_running_job_is_cancelled_at_its_next_step() {
    let (kind, starts, say) = held(SCAN);
    let bench = bench(vec![kind]);
    let id = bench.submit("saves-scan");
    starts.recv_timeout(LONG).expect("started");
    bench.jobs.cancel(&id).expect("accepted");
    let told = bench.event(Topic::JobCancelling, &id);
    assert_eq!(told["message"], "Cancellation requested.");
    assert_eq!(bench.stored()["operations"][0]["state"], "cancelling");
    bench.jobs.cancel(&id).expect("once more is fine");
    say.send("look").expect("said");
    let document = bench.end(&id);
    assert_eq!((&document["state"], &document["output"]), (&json!("cancelled"), &Value::Null));
    assert!(matches!(bench.jobs.cancel(&id), Err(JobError::NotCancellable(_))));
    assert!(matches!(bench.jobs.cancel("nobody"), Err(JobError::Unknown(_))));
}

#[test]
fn a_late_result_of_a_cancelled_job_does_not_count() {
    let (kind, starts, say) = held(SCAN);
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
    let (kind, starts, say) = held(SETUP);
    let bench = bench(vec![kind]);
    for number in 0..4 {
        bench.submit(&format!("setup-scan:{number}"));
        starts.recv_timeout(LONG).expect("started");
    }
    let id = bench.submit("setup-scan:waiting");
    bench.jobs.cancel(&id).expect("accepted");
    assert_eq!(bench.document(&id)["state"], "cancelled");
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
    let kind = scripted(BACKUP, move |context, _, _| {
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
        scripted(SCAN, |_, _, _| panic!("on purpose")),
        scripted(SYNC, |_, _, _| Ok(Map::new())),
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
    let mut kind = scripted(SYNC, move |_, _, _| match tries.fetch_add(1, Ordering::Relaxed) {
        2 => Ok(Map::new()),
        number => Err(Failure::new(format!("Failure {number}."))),
    });
    Arc::get_mut(&mut kind).expect("not shared yet").spec.attempts = 2;
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
    let mut kind = scripted(SYNC, move |_, _, _| {
        started.send(()).expect("somebody listens");
        Err(Failure::new("Broken."))
    });
    Arc::get_mut(&mut kind).expect("not shared yet").spec.attempts = 5;
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

#[test]
fn the_queue_has_an_end() {
    let (kind, starts, say) = held(SETUP);
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
    let bench = bench(vec![scripted(SCAN, |_, _, _| Ok(Map::new()))]);
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
fn progress_is_told_and_saved_at_most_twice_a_second() {
    let kind = scripted(SCAN, |context, _, _| {
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
