//! Sessions over real child processes. A game is a shell script that says when it is up and waits at
//! a gate for its exit code, so every step of a test is signalled, never waited for by time.

#![expect(clippy::disallowed_methods, reason = "a test makes its own files")]

mod intents;
mod tracking;

use std::{
    fs,
    io::Write as _,
    path::PathBuf,
    sync::{Arc, Barrier},
    thread::{self, Builder},
    time::{Duration, Instant},
};

use crossbeam_channel::Receiver;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Map, Value, json};

use super::{Options as SessionOptions, Sessions, control::Action};
use crate::{
    config::{data_dir::DataDir, environment::Environment},
    definitions::loader::Definitions,
    files::{
        Files,
        failing::{FailingDisk, Fault},
    },
    game::GameRef,
    launch::error::{ControlError, LaunchError},
    model::{ActiveSession, Record, Row, rows::HistoryRow},
    probe::media_roots::MediaRoots,
    process::proc_files,
    recorder::Recorder,
    sessions::{
        events::{Kind, SessionEvent},
        ledger,
    },
    store::{Options, Store},
};

/// Says that it is up, waits for its exit code.
const SCRIPT: &str = "echo $$ > up\nread -r code < gate\nexit \"$code\"\n";

/// How long a test waits for anything before it fails.
const PATIENCE: Duration = Duration::from_secs(20);

struct House {
    folder: tempfile::TempDir,
    store: Store,
    sessions: Sessions,
    events: Receiver<SessionEvent>,
}

/// A game on disk and in the library.
struct Toy {
    id: String,
    folder: PathBuf,
}

impl House {
    fn new() -> Self {
        Self::over(Files::system())
    }

    fn over(files: Files) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let options = Options { files, ..Options::at(&folder.path().join("data")) };
        let store = Store::open(options).expect("opens");
        let (sessions, events) = service(&store, folder.path());
        Self { folder, store, sessions, events }
    }

    /// Lets go of the games and starts the service again, as after an update.
    fn restart(&mut self) {
        self.sessions.stop();
        (self.sessions, self.events) = service(&self.store, self.folder.path());
    }

    fn toy(&self, name: &str, script: &str, more: Value) -> Toy {
        let folder = self.folder.path().join(name);
        fs::create_dir(&folder).expect("made");
        for fifo in ["up", "gate"] {
            let made = mknodat(CWD, folder.join(fifo), FileType::Fifo, Mode::RWXU, 0);
            made.expect("a FIFO");
        }
        let path = folder.join("a game's $(script).sh");
        fs::write(&path, script).expect("written");
        let mut record = Record(Map::new());
        record.set("name", name);
        record.set("path", path.to_str().expect("text"));
        record.0.extend(more.as_object().expect("an object").clone());
        let id = self.store.commit(|draft| draft.add_game(record)).expect("added");
        Toy { id, folder }
    }

    fn launch(&self, toy: &Toy) -> String {
        let entry = json!(self.sessions.launch(&GameRef::Id(toy.id.clone())).expect("starts"));
        toy.wait_until_up();
        assert_eq!(self.next().kind, Kind::Started);
        entry["launch_id"].as_str().expect("text").to_owned()
    }

    fn next(&self) -> SessionEvent {
        self.events.recv_timeout(PATIENCE).expect("an event")
    }

    #[track_caller]
    fn ends_with(&self, code: i64) {
        let event = self.next();
        assert_eq!(event.kind, Kind::Stopped);
        assert_eq!(event.outcome.map(|outcome| outcome.exit_code), Some(code));
    }

    fn record(&self, toy: &Toy) -> Record {
        self.store.snapshot().expect("a state").games.find(&toy.id).expect("there").1.record()
    }

    fn rows<R: Row>(&self) -> Vec<R> {
        self.store.snapshot().expect("a state").rows()
    }

    fn running(&self) -> Value {
        json!(self.sessions.running(&self.store.snapshot().expect("a state"), 0, |_| true))
    }
}

impl Drop for House {
    fn drop(&mut self) {
        self.sessions.shut_down(true);
        self.sessions.stop();
    }
}

impl Toy {
    /// Waits until the script runs and returns its process number.
    fn wait_until_up(&self) -> i32 {
        let up = self.folder.join("up");
        let text = in_time("the game to run", move || fs::read_to_string(up).expect("a FIFO"));
        text.trim().parse().expect("a number")
    }

    fn end(&self, code: i32) {
        let gate = self.folder.join("gate");
        let open = move || fs::OpenOptions::new().write(true).open(gate).expect("a FIFO");
        let mut gate = in_time("the game to wait at its gate", open);
        writeln!(gate, "{code}").expect("writes");
    }
}

/// Does something that waits for a game, which may never happen when a test fails.
#[track_caller]
fn in_time<T: Send + 'static>(what: &str, work: impl FnOnce() -> T + Send + 'static) -> T {
    let (tell, told) = crossbeam_channel::bounded(1);
    let worker = Builder::new().spawn(move || tell.send(work()).is_ok());
    worker.expect("a thread");
    let outcome = told.recv_timeout(PATIENCE);
    assert!(outcome.is_ok(), "waited {PATIENCE:?} in vain for {what}");
    outcome.expect("checked above")
}

fn service(store: &Store, folder: &std::path::Path) -> (Sessions, Receiver<SessionEvent>) {
    let data_dir = DataDir::at(folder.join("data"));
    let environment = Environment::from_process([("HOME", folder.to_str().expect("text"))]);
    let roots = Arc::new(MediaRoots::new(data_dir.root(), &[]));
    let sessions = Sessions::start(SessionOptions {
        store: store.clone(),
        files: Files::system(),
        recorder: Recorder::new(&Files::system(), &data_dir, &environment, roots),
        data_dir,
        home: folder.to_owned(),
        config_home: folder.join(".config"),
        definitions: Arc::new(Definitions::new(Files::system(), folder.join("definitions"))),
        compositor_guest: false,
        rewrite: None,
    });
    let sessions = sessions.expect("starts");
    let (tell, told) = crossbeam_channel::unbounded();
    // OK because a test that is over does not listen any more.
    sessions.on_event(Box::new(move |event| drop(tell.send(event.clone()))));
    (sessions, told)
}

#[test]
fn a_game_is_played_and_remembered() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({"store_a_app_id": 7, "platform": "Linux"}));
    let entry = json!(house.sessions.launch(&GameRef::Position(0)).expect("starts"));
    let pid = toy.wait_until_up();
    assert_eq!((&entry["game_id"], &entry["pid"]), (&json!(0), &json!(pid)));
    assert_eq!((&entry["stable_game_id"], &entry["game"]), (&json!(toy.id), &json!("A")));
    assert_eq!((&entry["store_a_app_id"], &entry["store_c_id"]), (&json!("7"), &json!("")));
    assert_eq!((&entry["paused"], &entry["effective_profile"]), (&json!(false), &json!("Linux")));
    assert_eq!(entry["launch_id"].as_str().map(str::len), Some(11));
    let rows = house.rows::<ActiveSession>();
    assert_eq!((rows.len(), rows[0].pid, rows[0].pgid), (1, pid, pid));
    assert!(rows[0].proc_start_time > 0 && rows[0].command_fingerprint.contains("bash"));
    let running = house.running();
    assert_eq!(running["running"][0]["launch_id"], entry["launch_id"]);
    assert_eq!((&running["abandoned"], &running["last_event"]), (&json!([]), &json!(1)));

    toy.end(3);
    assert_eq!(house.next().kind, Kind::Started);
    house.ends_with(3);
    let game = house.record(&toy);
    assert!(game.count("playtime_seconds") >= 1);
    assert_eq!((game.count("play_count"), game.text("progress")), (1, "Playing"));
    let history = house.rows::<HistoryRow>();
    assert_eq!((history.len(), history[0].exit_code, &history[0].game_id), (1, 3, &toy.id));
    assert!(house.rows::<ActiveSession>().is_empty());
    let running = house.running();
    assert_eq!((&running["running"], &running["last_event"]), (&json!([]), &json!(2)));
    let state = house.store.snapshot().expect("a state");
    for (after, count) in [(0, 2), (1, 1), (2, 0), (99, 0)] {
        let events = json!(house.sessions.running(&state, after, |_| true))["events"].clone();
        assert_eq!(events.as_array().map(Vec::len), Some(count), "{after}");
    }
}

#[test]
fn of_two_clients_one_starts_the_game() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let gate = Barrier::new(2);
    let answers: Vec<_> = thread::scope(|scope| {
        let start = || {
            gate.wait();
            house.sessions.launch(&GameRef::Id(toy.id.clone()))
        };
        let both = [scope.spawn(start), scope.spawn(start)];
        both.map(|client| client.join().expect("answers")).into()
    });
    assert_eq!(answers.iter().filter(|answer| answer.is_ok()).count(), 1);
    let refusal = answers.iter().find_map(|answer| answer.as_ref().err()).expect("one refusal");
    assert!(matches!(refusal, LaunchError::AlreadyActive { id, .. } if *id == toy.id));
    assert!(refusal.to_string().starts_with("That game is already "));
    assert_eq!(refusal.detail().expect("facts")["stable_game_id"], *toy.id);
    toy.wait_until_up();
    let again = house.sessions.launch(&GameRef::Position(0)).expect_err("runs");
    assert_eq!(again.to_string(), "That game is already running.");
    assert_eq!(again.detail().expect("facts")["state"], "running");
    assert_eq!(house.record(&toy).count("play_count"), 1);
}

#[test]
fn a_refused_launch_leaves_nothing_behind() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    for reference in [GameRef::Id("game-gone".to_owned()), GameRef::Position(7)] {
        let error = house.sessions.launch(&reference).expect_err("refused");
        assert_eq!(error.to_string(), "Game not found");
    }
    house.store.close();
    for _ in 0..2 {
        let error = house.sessions.launch(&GameRef::Position(0)).expect_err("cannot be saved");
        assert!(matches!(error, LaunchError::Unsaved(_)), "{error:?}");
    }
    // Whatever was started is killed: nothing is left in the folder of the game.
    while proc_files::processes().iter().any(|process| {
        proc_files::working_directory(process.pid).is_some_and(|folder| folder == toy.folder)
    }) {
        thread::yield_now();
    }
    assert_eq!(house.sessions.count(), 0);
}

#[test]
fn an_end_that_cannot_be_written_is_written_later_and_once() {
    let disk = Arc::new(FailingDisk::new(1, Fault::ForEver));
    disk.arm(false);
    let house = House::over(Files::over(Arc::<FailingDisk>::clone(&disk)));
    let toy = house.toy("A", SCRIPT, json!({}));
    let other = house.toy("B", SCRIPT, json!({}));
    house.launch(&toy);
    disk.arm(true);
    let error = house.sessions.launch(&GameRef::Id(other.id.clone())).expect_err("cannot be saved");
    assert!(error.to_string().starts_with("The library could not be saved"), "{error:?}");
    toy.end(0);
    house.ends_with(0);
    assert_eq!((house.sessions.count(), house.rows::<HistoryRow>().len()), (0, 0));
    house.sessions.reconcile();
    assert!(house.running()["abandoned"].as_array().is_some_and(Vec::is_empty));
    disk.arm(false);
    house.launch(&other);
    other.end(0);
    house.ends_with(0);
    let names: Vec<_> = house.rows::<HistoryRow>().into_iter().map(|row| row.game).collect();
    assert_eq!(names, ["A", "B"]);
    assert_eq!(house.record(&toy).count("playtime_seconds"), house.rows::<HistoryRow>()[0].seconds);
    assert!(house.rows::<ActiveSession>().is_empty());
}

#[test]
fn pause_resume_and_stop() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let launch = house.launch(&toy);
    let pid = house.rows::<ActiveSession>()[0].pid;
    let stopped = || proc_files::read_stat(pid).is_some_and(|stat| stat.state == 'T');
    let control = |action| house.sessions.control(&launch, action);

    control(Action::Pause).expect("pauses");
    control(Action::Pause).expect("is paused");
    assert_eq!(house.next().kind, Kind::Paused);
    assert!(house.rows::<ActiveSession>()[0].paused);
    assert_eq!(house.running()["running"][0]["paused"], true);
    // The signal is sent; the kernel stops the process when it gets there.
    while !stopped() {
        thread::yield_now();
    }
    control(Action::Resume).expect("resumes");
    assert_eq!(house.next().kind, Kind::Resumed);
    assert!(!house.rows::<ActiveSession>()[0].paused);
    control(Action::Pause).expect("pauses");
    assert_eq!(house.next().kind, Kind::Paused);
    control(Action::Stop).expect("stops");
    assert_eq!(house.next().kind, Kind::Resumed);
    house.ends_with(-15);
    assert!(matches!(control(Action::Stop), Err(ControlError::NotRunning)));
    assert!(matches!(house.sessions.control("", Action::Kill), Err(ControlError::NotRunning)));
    assert!(matches!(Action::parse("dance"), Err(ControlError::UnknownAction)));
}

#[test]
fn a_killed_game_is_not_resumed_first() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let launch = house.launch(&toy);
    house.sessions.control(&launch, Action::Pause).expect("pauses");
    assert_eq!(house.next().kind, Kind::Paused);
    house.sessions.control(&launch, Action::Kill).expect("kills");
    house.ends_with(-9);
}

#[test]
fn a_restarted_game_comes_up_again() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let first = house.launch(&toy);
    house.sessions.control(&first, Action::Restart).expect("restarts");
    house.ends_with(-15);
    toy.wait_until_up();
    let started = house.next();
    assert_eq!(started.kind, Kind::Started);
    assert_ne!(started.launch_id, first);
    assert_eq!(house.record(&toy).count("play_count"), 2);
    house.sessions.control(&started.launch_id, Action::Restart).expect("restarts");
    toy_stop_wins(&house, &toy);
}

#[test]
fn a_game_stopped_between_its_two_runs_stays_stopped() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let first = house.launch(&toy);
    // The first run has ended and the second waits until that was received.
    let (ended, heard) = crossbeam_channel::bounded::<()>(0);
    let (go_on, told) = crossbeam_channel::bounded::<()>(0);
    house.sessions.on_event(Box::new(move |event| {
        if event.kind == Kind::Stopped {
            ended.send(()).expect("the test listens");
            told.recv().expect("the test goes on");
        }
    }));
    house.sessions.control(&first, Action::Restart).expect("restarts");
    heard.recv_timeout(PATIENCE).expect("an end");
    let pausing = house.sessions.control(&first, Action::Pause).expect_err("nothing runs");
    assert!(matches!(pausing, ControlError::NotRunning));
    house.sessions.control(&first, Action::Stop).expect("stops");
    go_on.send(()).expect("it waits");
    house.ends_with(-15);
    let deadline = Instant::now() + PATIENCE;
    let gone = || house.sessions.control(&first, Action::Stop).is_err();
    while !gone() {
        assert!(Instant::now() < deadline, "the second run is still waited for");
        thread::yield_now();
    }
    assert_eq!((house.sessions.count(), house.record(&toy).count("play_count")), (0, 1));
}

/// The last word counts: a stop after a restart does not start the game again.
fn toy_stop_wins(house: &House, toy: &Toy) {
    house.ends_with(-15);
    toy.wait_until_up();
    let launch = house.next().launch_id;
    house.sessions.control(&launch, Action::Stop).expect("stops");
    house.ends_with(-15);
    assert_eq!(house.sessions.count(), 0);
}

#[test]
fn a_game_that_is_deleted_while_it_runs_never_credits_its_neighbour() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let neighbour = house.toy("B", SCRIPT, json!({}));
    house.launch(&toy);
    let removed = house.store.change(|draft| draft.remove_games(&[&toy.id]).len());
    assert_eq!(removed.expect("removed"), 1);
    assert_eq!(house.running()["running"][0]["game_id"], Value::Null);
    toy.end(0);
    house.ends_with(0);
    let record = house.record(&neighbour);
    assert_eq!((record.count("playtime_seconds"), record.count("play_count")), (0, 0));
    assert_eq!(house.rows::<HistoryRow>()[0].game, "A");
    assert!(house.rows::<ActiveSession>().is_empty());
}

#[test]
fn games_outlive_the_service_and_are_taken_up_again() {
    let mut house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let paused = house.toy("B", SCRIPT, json!({}));
    let launch = house.launch(&toy);
    let other = house.launch(&paused);
    house.sessions.control(&other, Action::Pause).expect("pauses");
    assert_eq!(house.next().kind, Kind::Paused);
    house.restart();
    let running = house.running()["running"].clone();
    assert_eq!((&running[0]["launch_id"], &running[0]["paused"]), (&json!(launch), &json!(false)));
    assert_eq!((&running[1]["launch_id"], &running[1]["paused"]), (&json!(other), &json!(true)));
    let again = house.sessions.launch(&GameRef::Id(toy.id.clone())).expect_err("runs");
    assert_eq!(again.to_string(), "That game is already running.");
    toy.end(4);
    house.ends_with(0);
    house.sessions.control(&other, Action::Stop).expect("stops");
    assert_eq!(house.next().kind, Kind::Resumed);
    house.ends_with(0);
    let history = house.rows::<HistoryRow>();
    assert_eq!((history.len(), &*history[0].game, &*history[1].game), (2, "A", "B"));
    assert_eq!(house.record(&toy).count("play_count"), 1);
}

#[test]
fn a_session_that_ended_unseen_is_credited_once() {
    let mut house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let launch = house.launch(&toy);
    house.sessions.stop();
    let edited = house.store.change(|draft| {
        let mut rows = draft.state().rows::<ActiveSession>();
        rows[0].seconds = 1_234;
        rows[0].proc_start_time += 1;
        draft.set_rows(&rows);
    });
    edited.expect("written");
    for _ in 0..2 {
        house.restart();
        assert_eq!(house.sessions.count(), 0);
        assert_eq!(house.record(&toy).count("playtime_seconds"), 1_234);
        let history = house.rows::<HistoryRow>();
        assert_eq!((history.len(), history[0].seconds), (1, 1_234));
        assert_eq!(history[0].more[ledger::INTERRUPTED], true);
        let abandoned = house.running()["abandoned"].clone();
        assert_eq!(
            (&abandoned[0]["launch_id"], &abandoned[0]["name"]),
            (&json!(launch), &json!("A"))
        );
    }
    // Nothing was signalled: the game still waits at its gate.
    toy.end(0);
    house.sessions.clean_up("unknown").expect("fine");
    assert_eq!(house.rows::<ActiveSession>().len(), 1);
    house.sessions.clean_up(&launch).expect("removed");
    assert!(house.rows::<ActiveSession>().is_empty());
}

#[test]
fn a_row_is_taken_up_only_when_it_means_the_process() {
    let mut house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    house.launch(&toy);
    let row = house.rows::<ActiveSession>().remove(0);
    let other = || "another".to_owned();
    for (case, taken_up, row) in [
        ("as it is", true, row.clone()),
        // A script that ends in `exec` has changed its command line.
        ("another command", true, ActiveSession { command_fingerprint: other(), ..row.clone() }),
        ("another boot", false, ActiveSession { boot_id: other(), ..row.clone() }),
        ("no boot", true, ActiveSession { boot_id: String::new(), uptime_ms: 0, ..row.clone() }),
        (
            "no boot, another command",
            false,
            ActiveSession { boot_id: String::new(), command_fingerprint: other(), ..row.clone() },
        ),
        ("another start", false, ActiveSession { proc_start_time: 1, ..row.clone() }),
        ("everybody", false, ActiveSession { pid: -1, ..row.clone() }),
        ("the first process", false, ActiveSession { pid: 1, ..row.clone() }),
        ("no launch", false, ActiveSession { launch_id: String::new(), ..row.clone() }),
    ] {
        house.sessions.stop();
        let written = house.store.change(|draft| draft.set_rows(&[row]));
        written.expect("written");
        house.restart();
        assert_eq!(house.sessions.count() == 1, taken_up, "{case}");
    }
    toy.end(0);
}

#[test]
fn a_row_never_counts_for_more_than_the_wall() {
    let mut house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    house.launch(&toy);
    house.sessions.stop();
    let edited = house.store.change(|draft| {
        let mut rows = draft.state().rows::<ActiveSession>();
        rows[0].seconds = 1_000_000;
        draft.set_rows(&rows);
    });
    edited.expect("written");
    house.restart();
    toy.end(0);
    house.ends_with(0);
    assert!(house.rows::<HistoryRow>()[0].seconds < 1_000);
}

#[test]
fn everything_is_shut_down_at_once() {
    let house = House::new();
    let toys = [house.toy("A", SCRIPT, json!({})), house.toy("B", SCRIPT, json!({}))];
    for toy in &toys {
        house.launch(toy);
    }
    assert_eq!(house.sessions.shut_down(false), 2);
    house.ends_with(-15);
    house.ends_with(-15);
    assert_eq!(house.sessions.shut_down(true), 0);
}

#[test]
fn a_game_that_was_handed_over_is_followed() {
    let house = House::new();
    let script = "(echo $BASHPID > up; read -r code < gate) &\nexit 5\n";
    let followed = json!({"tracking_mode": "folder", "tracking_frequency": "0.5"});
    let toy = house.toy("A", script, followed);
    let launch = house.launch(&toy);
    assert_eq!(house.running()["running"][0]["launch_id"], launch);
    toy.end(0);
    house.ends_with(5);
    // Stopping reaches what was handed over, too.
    let launch = house.launch(&toy);
    while house.sessions.core.table().find(&launch).is_some_and(|live| live.ended.is_none()) {
        thread::yield_now();
    }
    house.sessions.control(&launch, Action::Kill).expect("kills");
    house.ends_with(5);
}

#[test]
fn listeners_may_ask_the_service_back() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let (tell, told) = crossbeam_channel::unbounded();
    let core = Arc::clone(&house.sessions.core);
    house.sessions.on_event(Box::new(move |_| {
        tell.send(core.table().live.len()).expect("heard");
    }));
    house.launch(&toy);
    assert_eq!(told.recv(), Ok(1));
    toy.end(0);
    house.ends_with(0);
    assert_eq!(told.recv(), Ok(0));
}

#[test]
fn who_learns_of_an_end_finds_its_recap() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let (tell, told) = crossbeam_channel::unbounded();
    let core = Arc::clone(&house.sessions.core);
    house.sessions.on_event(Box::new(move |event| {
        if event.kind == Kind::Stopped {
            let recap = core.recap.lock().expect("held");
            tell.send(recap.as_ref().map(|recap| recap.game_id().to_owned())).expect("heard");
        }
    }));
    house.launch(&toy);
    toy.end(0);
    house.ends_with(0);
    assert_eq!(told.recv(), Ok(Some(toy.id)));
}
