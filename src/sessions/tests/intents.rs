//! Launches that are cut off in the middle, and games that are removed while they are started.

use std::{sync::Barrier, thread};

use serde_json::json;

use super::{House, SCRIPT, Toy, in_time};
use crate::{
    game::GameRef,
    model::{ActiveSession, rows::HistoryRow},
    process::{proc_files, spawn},
    sessions::{events::Kind, launch::MARK, ledger},
};

/// Leaves the row of a launch that was cut off, as it stands before the game is started.
fn leave_intent(house: &House, toy: &Toy, launch_id: &str) {
    let intent = ActiveSession {
        game_id: toy.id.clone(),
        launch_id: launch_id.to_owned(),
        name: "A".to_owned(),
        start_time: "2026-01-02T03:04:05".to_owned(),
        boot_id: proc_files::boot_id(),
        status: ledger::STARTING.to_owned(),
        ..ActiveSession::default()
    };
    house.store.commit(|draft| ledger::record_intent(draft, &intent)).expect("written");
}

#[test]
fn a_launch_cut_off_before_its_start_leaves_nothing() {
    let mut house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    house.sessions.stop();
    leave_intent(&house, &toy, "never-started");
    house.restart();
    assert_eq!((house.sessions.count(), house.rows::<ActiveSession>().len()), (0, 0));
    assert_eq!(house.record(&toy).count("play_count"), 0);
    assert!(house.rows::<HistoryRow>().is_empty());
}

#[test]
fn a_game_that_was_started_and_not_written_down_is_found() {
    let mut house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    house.sessions.stop();
    leave_intent(&house, &toy, "cut-off");
    let script = toy.folder.join("a game's $(script).sh").into_os_string();
    let spec = spawn::Spec {
        argv: vec!["bash".into(), script],
        cwd: Some(toy.folder.clone()),
        env: vec![(MARK.into(), Some("cut-off".into()))],
    };
    let process = spawn::spawn(&spec).expect("starts");
    assert_eq!(toy.wait_until_up(), process.pid());
    house.restart();
    let running = house.running()["running"].clone();
    assert_eq!(
        (&running[0]["launch_id"], &running[0]["pid"]),
        (&json!("cut-off"), &json!(process.pid()))
    );
    let game = house.record(&toy);
    assert_eq!((game.count("play_count"), game.text("last_played")), (1, "2026-01-02T03:04:05"));
    assert_eq!(house.rows::<ActiveSession>()[0].status, ledger::ACTIVE);
    toy.end(0);
    assert!(in_time("the game to end", move || {
        while !process.has_ended() {
            thread::yield_now();
        }
        true
    }));
    house.ends_with(0);
    assert_eq!(house.rows::<HistoryRow>().len(), 1);
}

#[test]
fn a_game_that_is_deleted_while_it_is_started_is_not_started() {
    let house = House::new();
    let toy = house.toy("A", SCRIPT, json!({}));
    let neighbour = house.toy("B", SCRIPT, json!({}));
    let gate = Barrier::new(2);
    let launched = thread::scope(|scope| {
        let launch = scope.spawn(|| {
            gate.wait();
            house.sessions.launch(&GameRef::Id(toy.id.clone()))
        });
        gate.wait();
        let removed = house.store.change(|draft| draft.remove_games(&[&toy.id]).len());
        assert_eq!(removed.expect("removed"), 1);
        launch.join().expect("answers")
    });
    match launched {
        // The launch came first: the game runs, and its end is remembered without it.
        Ok(_) => {
            toy.wait_until_up();
            assert_eq!(house.next().kind, Kind::Started);
            toy.end(0);
            house.ends_with(0);
        }
        Err(error) => assert_eq!(error.to_string(), "Game not found"),
    }
    assert_eq!((house.sessions.count(), house.rows::<ActiveSession>().len()), (0, 0));
    let record = house.record(&neighbour);
    assert_eq!((record.count("playtime_seconds"), record.count("play_count")), (0, 0));
}
