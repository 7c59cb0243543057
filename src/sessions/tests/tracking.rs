//! Games that are handed over to another process.

use std::sync::Arc;

use rustix::process::Signal;
use serde_json::json;

use super::{Action, House, SCRIPT, in_time};
use crate::{
    base::clock,
    process::spawn,
    sessions::{events::Kind, shared::Note, stopwatch::Stopwatch, tracking::STRAYS},
};

/// Hands over to a process in the background, which says that it is up, and ends with 5.
const HANDS_OVER: &str = "(echo $BASHPID > up; read -r code < gate) &\nexit 5\n";

#[test]
fn a_stray_holds_a_session_for_an_hour_at_most() {
    let house = House::new();
    let toy =
        house.toy("A", HANDS_OVER, json!({"tracking_mode": "folder", "tracking_frequency": 0.5}));
    // It was there before the game, in the game's folder.
    let mut spec = spawn::Spec::new(["/bin/sleep", "1000"]);
    spec.cwd = Some(toy.folder.clone());
    let stray = Arc::new(spawn::spawn(&spec).expect("starts"));
    let is_later = || {
        let next = spawn::spawn(&spawn::Spec::new(["/bin/true"])).expect("starts");
        while !next.has_ended() {
            std::thread::yield_now();
        }
        next.start_ticks() > stray.start_ticks()
    };
    // The kernel distinguishes starts by its clock, which ticks a hundred times a second.
    while !is_later() {}
    let launch = house.launch(&toy);
    toy.end(0);
    let hour = Stopwatch::continued(STRAYS, clock::awake());
    house.sessions.core.table().find(&launch).expect("runs").watch = hour;
    let event = house.next();
    assert_eq!(event.kind, Kind::Stopped);
    let outcome = event.outcome.expect("an outcome");
    assert_eq!((outcome.exit_code, outcome.timed_out), (-1, true));
    assert!(outcome.seconds >= STRAYS.as_secs());
    stray.signal_group(Signal::KILL).expect("signalled");
    let gone = Arc::clone(&stray);
    in_time("the stray to end", move || {
        while !gone.has_ended() {
            std::thread::yield_now();
        }
    });
}

#[test]
fn a_game_ends_with_the_launcher_that_still_runs_beside_it() {
    let house = House::new();
    let script = "setsid sh -c 'echo $$ > up; exec sleep 1000' &\nwait\nexit 5\n";
    let toy = house.toy("A", script, json!({"tracking_mode": "folder", "tracking_frequency": 0.5}));
    for (action, code) in [(Action::Kill, -9), (Action::Stop, -15)] {
        let launch = house.launch(&toy);
        house.sessions.control(&launch, action).expect("signalled");
        // The session goes on while anything runs in the folder of the game.
        house.ends_with(code);
    }
}

#[test]
fn a_game_has_one_interval_to_show_itself_after_its_launcher() {
    let house = House::new();
    let tracking = json!({"tracking_mode": "process_name", "tracking_process_name": "not yet named",
        "tracking_frequency": 60});
    let toy = house.toy("A", HANDS_OVER, tracking);
    let launch = house.launch(&toy);
    let look = loop {
        let mut table = house.sessions.core.table();
        let live = table.find(&launch).expect("it runs until the first look");
        if live.ended.is_some() {
            break live.next_look.expect("planned");
        }
        drop(table);
        std::thread::yield_now();
    };
    assert!(look > clock::awake() + std::time::Duration::from_secs(30), "not at once");
    toy.end(0);
}

#[test]
fn a_session_that_follows_nothing_lasts_as_long_as_its_delay() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({"tracking_delay": 60, "tracking_mode": "process"}));
    let launch = house.launch(&toy);
    toy.end(3);
    let look = loop {
        let mut table = house.sessions.core.table();
        let live = table.find(&launch).expect("it runs until the delay is over");
        if live.ended.is_some() {
            break live.next_look.expect("planned");
        }
        drop(table);
        std::thread::yield_now();
    };
    assert!(look > clock::awake() + std::time::Duration::from_secs(30), "not at once");
    house.sessions.core.table().find(&launch).expect("runs").next_look = Some(clock::awake());
    house.sessions.core.tell(Note::Look);
    house.ends_with(3);
}
