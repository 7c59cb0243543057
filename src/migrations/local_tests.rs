//! The jobs of a plan, held at one of their steps while something happens to them.

use std::{
    io,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, bounded};
use serde_json::{Value, json};

use super::{local_look, local_media::LocalMedia, local_work};
use crate::{
    base::Moment,
    config::data_dir::DataDir,
    events::bus::{Bus, Next, Subscription},
    files::Files,
    game::origins,
    jobs::{Jobs, runner},
    probe::media_roots::MediaRoots,
    scan::tree::{Disk, Listing, Tree},
    store::{Store, options::Options},
};

const LONG: Duration = Duration::from_secs(20);
const GAMES: usize = 4;

/// Counts steps, and at one of them waits for the test.
struct Gate {
    at: usize,
    passed: AtomicUsize,
    reached: Sender<()>,
    go: Receiver<()>,
}

impl Gate {
    /// With the ends of the test: one hears that the step is reached, the other lets it go on.
    fn at(step: usize) -> (Arc<Self>, Receiver<()>, Sender<()>) {
        let ((reached, is_reached), (say, go)) = (bounded(1), bounded(1));
        let gate = Self { at: step, passed: AtomicUsize::new(0), reached, go };
        (Arc::new(gate), is_reached, say)
    }

    fn pass(&self) {
        if self.passed.fetch_add(1, Ordering::Relaxed) + 1 == self.at {
            self.reached.send(()).expect("the test listens");
            self.go.recv_timeout(LONG).expect("the test says so");
        }
    }

    fn passed(&self) -> usize {
        self.passed.load(Ordering::Relaxed)
    }
}

/// The real disk behind a gate.
struct Gated(Arc<Gate>);

impl Tree for Gated {
    fn list(&self, folder: &Path) -> io::Result<Listing> {
        self.0.pass();
        Disk.list(folder)
    }

    fn leads_to_file(&self, link: &Path) -> bool {
        Disk.leads_to_file(link)
    }

    fn size(&self, path: &Path) -> io::Result<u64> {
        self.0.pass();
        Disk.size(path)
    }

    fn read_part(&self, path: &Path, position: u64, limit: u64) -> io::Result<Vec<u8>> {
        Disk.read_part(path, position, limit)
    }
}

/// A library whose games lack covers, and a folder with the covers.
struct House {
    dir: tempfile::TempDir,
    store: Store,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let games: Vec<Value> = (0..GAMES)
            .map(|at| {
                json!({"game_id": format!("g{at}"), "name": format!("G {at}"), "platform": "SNES",
                    "path": format!("/none/snes/{at}.sfc")})
            })
            .collect();
        let library = json!({"schema_version": 6, "games": games}).to_string();
        let files = Files::system();
        let data = dir.path().join("data");
        files.private_dir(&data).expect("made");
        files.replace(&data.join("library.json"), library.as_bytes()).expect("written");
        let covers = dir.path().join("media/snes/covers");
        files.private_dir(&covers).expect("made");
        for at in 0..GAMES {
            let picture = [b"\x89PNG\r\n\x1a\n".as_slice(), &[u8::try_from(at).expect("few")]];
            files.replace(&covers.join(format!("{at}.png")), &picture.concat()).expect("written");
        }
        let store = Store::open(Options::at(&data)).expect("opens");
        Self { dir, store }
    }

    /// The jobs of a data directory over a disk.
    fn jobs(&self, data: &Path, disk: Box<dyn Tree + Send + Sync>) -> Work {
        let service = Arc::new(LocalMedia {
            store: self.store.clone(),
            files: Files::system(),
            data_dir: DataDir::at(data.to_owned()),
            roots: Arc::new(MediaRoots::new(data, &[])),
            home: self.dir.path().join("home"),
            disk,
            order: std::sync::Mutex::default(),
        });
        let bus = Bus::new();
        let events = bus.subscribe(|| false).expect("a place");
        let jobs = Jobs::start(runner::Options {
            files: Files::system(),
            operations: data.join("operations.json"),
            items: data.join("operations_items"),
            bus,
            kinds: vec![local_look::kind(&service), local_work::kind(&service)],
            home: String::new(),
            first_pause: Duration::from_millis(1),
            now: Moment::now,
        });
        Work { jobs: jobs.expect("started"), events, service }
    }

    fn data(&self) -> PathBuf {
        self.dir.path().join("data")
    }

    fn gated(&self, gate: &Arc<Gate>) -> Work {
        self.jobs(&self.data(), Box::new(Gated(Arc::clone(gate))))
    }

    fn media(&self) -> String {
        self.dir.path().join("media").to_string_lossy().into_owned()
    }

    /// The games with a cover.
    fn covered(&self) -> usize {
        let state = self.store.snapshot().expect("a state");
        state.games.iter().filter(|game| !game.record().text("cover").is_empty()).count()
    }
}

struct Work {
    jobs: Jobs,
    events: Subscription,
    service: Arc<LocalMedia>,
}

impl Work {
    fn preview(&self, folder: &str) -> String {
        self.service.preview(&self.jobs, Some(&[folder])).expect("accepted").job_id
    }

    fn end(&self, job_id: &str) -> Value {
        loop {
            let Next::Event(frame) = self.events.next(LONG) else {
                panic!("{job_id} does not end")
            };
            let payload: Value = serde_json::from_str(&frame.data).expect("json");
            if frame.name == "job.finished" && payload["job_id"] == job_id {
                return self.jobs.find(job_id).expect("a document");
            }
        }
    }
}

fn plans(data: &Path) -> Vec<String> {
    Files::system().list(&data.join("local_media")).expect("listed")
}

/// Everything that a search of the folder asks the disk: three folders, and the size of each cover.
const STEPS: usize = 3 + GAMES;

#[test]
fn a_search_ends_at_the_step_at_which_it_is_cancelled() {
    let house = House::new();
    for step in 1..=STEPS {
        let (gate, reached, go) = Gate::at(step);
        let work = house.gated(&gate);
        let id = work.preview(&house.media());
        reached.recv_timeout(LONG).expect("reached");
        work.jobs.cancel(&id).expect("cancelled");
        go.send(()).expect("it waits");
        let ended = work.end(&id);
        assert_eq!((&ended["state"], &ended["result"]), (&json!("cancelled"), &Value::Null));
        assert_eq!((gate.passed(), plans(&house.data())), (step, vec![]));
        work.jobs.stop();
    }
}

#[test]
fn a_search_tells_how_far_it_is_and_keeps_its_plan() {
    let house = House::new();
    let (gate, reached, go) = Gate::at(3);
    let work = house.gated(&gate);
    let id = work.preview(&house.media());
    reached.recv_timeout(LONG).expect("reached");
    let running = work.jobs.find(&id).expect("a document");
    // The folder of the system and that of the covers are entries.
    let progress = json!({"current": 2, "total": null, "unit": "items", "message": "covers"});
    assert_eq!((&running["progress"], &running["phase"]), (&progress, &json!("scan")));
    go.send(()).expect("it waits");
    let ended = work.end(&id);
    assert_eq!((&ended["state"], gate.passed()), (&json!("done"), STEPS));
    let progress = json!({"current": 2 + GAMES, "total": null, "unit": "items", "message": ""});
    assert_eq!((&ended["progress"], &ended["phase"]), (&progress, &json!("match")));
    let plan = work.service.plan(ended["result"]["plan_id"].as_str().expect("an id"));
    let plan = plan.expect("kept");
    assert_eq!((plan.items.len(), json!(plan.counts)), (GAMES, ended["result"]["counts"].clone()));
    work.jobs.stop();
}

#[test]
fn a_new_search_takes_the_place_of_one_that_goes_on() {
    let house = House::new();
    let other = house.dir.path().join("other");
    Files::system().private_dir(&other).expect("made");
    let (gate, reached, go) = Gate::at(1);
    let work = house.gated(&gate);
    let old = work.preview(&house.media());
    reached.recv_timeout(LONG).expect("reached");
    let new = work.preview(&other.to_string_lossy());
    go.send(()).expect("it waits");
    assert_eq!(work.end(&old)["state"], "cancelled");
    let ended = work.end(&new);
    assert_eq!((&ended["state"], &ended["result"]["counts"]["files"]), (&json!("done"), &json!(0)));
    assert_eq!(plans(&house.data()).len(), 1);
    work.jobs.stop();
}

#[test]
fn a_search_that_was_cut_off_leaves_nothing_and_begins_again() {
    let house = House::new();
    let (gate, reached, go) = Gate::at(STEPS);
    let work = house.gated(&gate);
    let id = work.preview(&house.media());
    reached.recv_timeout(LONG).expect("reached");
    // What a kill would leave now.
    let copy = house.dir.path().join("copy");
    let files = Files::system();
    files.private_dir(&copy).expect("made");
    let operations = files.read(&house.data().join("operations.json")).expect("read");
    files.replace(&copy.join("operations.json"), &operations).expect("copied");
    assert_eq!(plans(&house.data()), Vec::<String>::new());
    go.send(()).expect("it waits");
    work.end(&id);
    work.jobs.stop();
    let work = house.jobs(&copy, Box::new(Disk));
    let cut = work.jobs.find(&id).expect("a document");
    assert_eq!((&cut["state"], &cut["can_retry"]), (&json!("interrupted"), &json!(true)));
    assert_eq!(cut["can_resume"], json!(false));
    for (input, message) in [
        (json!({"folders": ["/none"]}), "Folder does not exist."),
        (json!({"folders": [5]}), "A folder is required."),
        (json!({"folders": "/none"}), "A folder is required."),
    ] {
        let next = work.jobs.retry(&id, input.as_object().cloned()).expect("begun").job_id;
        let ended = work.end(&next);
        assert_eq!(
            (&ended["error"], &ended["error_detail"]["code"]),
            (&json!(message), &json!("BAD_REQUEST"))
        );
    }
    let next = work.jobs.retry(&id, None).expect("begun").job_id;
    assert_eq!(work.end(&next)["result"]["counts"]["items"], GAMES);
    work.jobs.stop();
}

#[test]
fn taking_over_that_is_cancelled_ends_after_the_game_it_is_at() {
    const AT: usize = 2;
    let house = House::new();
    let (gate, reached, go) = Gate::at(AT);
    let work = house.jobs(&house.data(), Box::new(Disk));
    let id = work.preview(&house.media());
    let plan = work.end(&id)["result"]["plan_id"].as_str().expect("an id").to_owned();
    let commits = Arc::clone(&gate);
    house.store.watch(Box::new(move |_| commits.pass()));
    let id = work.service.submit(&work.jobs, &plan).expect("accepted").job_id;
    reached.recv_timeout(LONG).expect("reached");
    work.jobs.cancel(&id).expect("cancelled");
    go.send(()).expect("it waits");
    let ended = work.end(&id);
    assert_eq!((&ended["state"], gate.passed()), (&json!("cancelled"), AT));
    // What it did stays, as a pass; a retry does the rest of the same pass.
    let pass = || {
        let passes = origins::passes(&house.store.snapshot().expect("a state"));
        passes.iter().map(|pass| (pass.pass_id.clone(), pass.games)).collect::<Vec<_>>()
    };
    assert_eq!((house.covered(), pass()), (AT, vec![(id.clone(), AT as u64)]));
    let next = work.jobs.retry(&id, None).expect("begun").job_id;
    let ended = work.end(&next);
    assert_eq!((&ended["state"], &ended["result"]["added"]), (&json!("done"), &json!(GAMES - AT)));
    assert_eq!((house.covered(), pass()), (GAMES, vec![(id, GAMES as u64)]));
    work.jobs.stop();
}
