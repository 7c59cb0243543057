//! Libraries that exchange events in any order become one, and lose no field silently.

use std::{collections::BTreeSet, fs, path::Path};

use proptest::prelude::*;
use serde_json::{Map, json};
use tempfile::TempDir;

use super::*;
use crate::{
    files::{
        disk::Disk,
        failing::{FailingDisk, Fault},
    },
    store::options::Options,
};

/// Rounds of exchange that settle everything; three libraries that all changed the same take seven.
const ROUNDS: usize = 20;

/// A library that shares a folder with others.
struct Device {
    store: Store,
    sync: Libsync,
    home: TempDir,
}

impl Device {
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn new(mounted: &Path) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let library = json!({"schema_version": 6, "games": [],
            "settings": {"cloud_folder": mounted, "library_sync_enabled": true}});
        fs::write(home.path().join("library.json"), library.to_string()).expect("written");
        let store = Store::open(Options::at(home.path())).expect("opened");
        let sync = Self::sync(home.path(), Files::system());
        Self { store, sync, home }
    }

    fn sync(home: &Path, files: Files) -> Libsync {
        Libsync::new(files, home.join("sync.events"), Box::new(|| Ok("archive".to_owned())))
    }

    fn edit(&self, game: u8, field: &str, value: u8) {
        let id = format!("g{game}");
        let edited = self.store.change(|draft| {
            if draft.state().games.position(&id).is_none() {
                let record = json!({"game_id": id, "name": "N"});
                let record = serde_json::from_value(record).expect("an object");
                draft.add_game(record).expect("added");
            }
            draft.edit_game(&id, |record| record.set(field, format!("v{value}"))).expect("found");
        });
        edited.expect("committed");
    }

    fn remove(&self, game: u8) {
        let removed = self.store.change(|draft| drop(draft.remove_games(&[format!("g{game}")])));
        removed.expect("committed");
    }

    fn publish(&self) -> SyncPublished {
        self.sync.publish(&self.store, Some(&json!("v3"))).expect("published")
    }

    /// The publish of a program that is killed at some call of the disk.
    fn publish_until(&self, call: u64) {
        let disk: Arc<dyn Disk> = Arc::new(FailingDisk::new(call, Fault::ForEver));
        let killed = Self::sync(self.home.path(), Files::over(disk));
        // OK because it is meant to fail.
        drop(killed.publish(&self.store, Some(&json!("v3"))));
    }

    fn preview(&self) -> Value {
        let plan = self.sync.preview(&self.store, None).expect("a plan");
        serde_json::to_value(plan).expect("JSON")
    }

    /// Takes over everything; a conflict is decided for the greatest value, whichever side has it.
    fn pull(&self) -> SyncApplied {
        let plan = self.preview();
        let mut choices = Map::new();
        for row in plan["conflicts"].as_array().expect("a list") {
            let sides = row["alternatives"].as_array().expect("a list");
            let best = sides.iter().max_by_key(|side| side["value"].to_string()).expect("a side");
            let key = row["sync_key"].as_str().expect("a key").to_owned();
            let chosen = choices.entry(key).or_insert_with(|| json!({}));
            chosen[row["conflict_id"].as_str().expect("an id")] = best["choice"].clone();
        }
        let choices = Value::Object(choices);
        self.sync.apply(&self.store, Some(&plan), Some(&choices)).expect("applied")
    }

    fn games(&self) -> Games {
        known::games(&self.store.snapshot().expect("a state")).expect("keys of their own")
    }

    fn game(&self, id: &str) -> Option<Catalog> {
        Some(self.games().get(&format!("game:{id}"))?.1.clone())
    }
}

#[derive(Clone, Copy, Debug)]
enum Step {
    Edit(u8, &'static str, u8),
    Remove(u8),
    Publish,
    Killed(u64),
    Pull,
}

fn step() -> impl Strategy<Value = Step> {
    let field = prop_oneof![Just("name"), Just("genre"), Just("year")];
    prop_oneof![
        4 => (0_u8..3, field, 0_u8..9).prop_map(|(game, field, value)| Step::Edit(game, field, value)),
        1 => (0_u8..3).prop_map(Step::Remove),
        2 => Just(Step::Publish),
        1 => (1_u64..40).prop_map(Step::Killed),
        2 => Just(Step::Pull),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn libraries_converge_whatever_was_done(steps in prop::collection::vec((0_usize..3, step()), 0..30)) {
        let mounted = tempfile::tempdir().expect("a folder");
        let devices = [(); 3].map(|()| Device::new(mounted.path()));
        for (device, step) in steps {
            let device = &devices[device];
            match step {
                Step::Edit(game, field, value) => device.edit(game, field, value),
                Step::Remove(game) => device.remove(game),
                Step::Publish => {
                    device.publish();
                }
                Step::Killed(call) => device.publish_until(call),
                Step::Pull => drop(device.pull()),
            }
        }
        // Each round may make events that resolve those of the round before; one that brings nothing new is the last.
        let mut rounds = 0..ROUNDS;
        let is_settled = rounds.any(|_| {
            let news = devices.iter().map(|device| device.publish().published + device.pull().applied);
            news.sum::<usize>() == 0
        });
        prop_assert!(is_settled, "events without an end");
        let games: Vec<Games> = devices.iter().map(Device::games).collect();
        prop_assert_eq!(&games[0], &games[1]);
        prop_assert_eq!(&games[0], &games[2]);
        for device in &devices {
            let published = device.publish();
            prop_assert_eq!((published.published, published.pending), (0, 0));
            prop_assert_eq!(&device.preview()["changes"], &json!([]));
        }
        let books: BTreeSet<String> = devices
            .iter()
            .map(|device| json!(Book::of(&device.store.snapshot().expect("a state")).heads).to_string())
            .collect();
        prop_assert_eq!(books.len(), 1, "every library stands at the same events");
    }
}

#[test]
fn fields_of_two_sides_are_joined_and_one_of_both_is_a_conflict() {
    let mounted = tempfile::tempdir().expect("a folder");
    let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
    one.edit(1, "name", 1);
    one.publish();
    two.pull();
    one.edit(1, "genre", 2);
    one.publish();
    two.edit(1, "year", 3);
    let applied = two.pull();
    assert_eq!((applied.applied, applied.conflicts.len(), applied.changed), (1, 0, true));
    let game = two.game("g1").expect("there");
    assert_eq!(
        (&game["name"], &game["genre"], &game["year"]),
        (&json!("v1"), &json!("v2"), &json!("v3"))
    );
    one.edit(1, "name", 4);
    one.publish();
    two.edit(1, "name", 5);
    let plan = two.preview();
    let row = &plan["conflicts"][0];
    let values: Vec<&Value> =
        row["alternatives"].as_array().expect("a list").iter().map(|side| &side["value"]).collect();
    assert_eq!((&row["field"], values), (&json!("name"), vec![&json!("v5"), &json!("v4")]));
    let left = two.sync.apply(&two.store, Some(&plan), None).expect("applied");
    assert_eq!((left.applied, left.conflicts.len()), (0, 1));
    assert_eq!(two.game("g1").expect("there")["name"], "v5");
    let pending = two.preview()["pending_conflicts"].clone();
    assert_eq!(pending["game:g1"]["conflicts"][0]["field"], "name");
    let plan = two.preview();
    let choice = json!({"game:g1": {"name": "remote"}});
    two.sync.apply(&two.store, Some(&plan), Some(&choice)).expect("applied");
    assert_eq!(two.game("g1").expect("there")["name"], "v4");
    assert_eq!(two.preview()["pending_conflicts"], json!({}));
}

#[test]
fn a_library_that_was_restored_without_its_events_finds_them_in_the_folder() {
    for publishes_first in [false, true] {
        let mounted = tempfile::tempdir().expect("a folder");
        let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
        one.edit(1, "genre", 1);
        one.edit(2, "genre", 1);
        one.publish();
        two.pull();
        Files::system().remove(&two.home.path().join("sync.events")).expect("removed");
        one.edit(1, "genre", 2);
        one.publish();
        if publishes_first {
            assert_eq!(two.publish().published, 0);
        }
        let applied = two.pull();
        assert_eq!((applied.applied, applied.conflicts.len()), (1, 0));
        assert_eq!(two.game("g1").expect("there")["genre"], "v2");
        assert_eq!(two.publish().published, 0);
        assert_eq!(one.preview()["conflicts"], json!([]));
    }
}

#[test]
fn a_conflict_with_an_edit_that_was_not_published_is_decided_by_its_id() {
    let mounted = tempfile::tempdir().expect("a folder");
    let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
    one.edit(1, "name", 1);
    one.publish();
    two.pull();
    one.edit(1, "name", 4);
    one.publish();
    two.edit(1, "name", 5);
    let plan = two.preview();
    let sides = &plan["conflicts"][0]["alternatives"];
    assert_eq!(sides[0]["event_ids"], json!([]), "the edit has no event yet");
    assert_eq!(sides[1]["event_ids"], plan["event_ids"]);
    let row = &plan["conflicts"][0];
    assert_eq!(
        (&row["local"], &row["remote"], &row["base"]),
        (&json!("v5"), &json!("v4"), &json!("v1"))
    );
    let id = plan["conflicts"][0]["conflict_id"].as_str().expect("an id");
    let choice = json!({"game:g1": {id: "remote"}});
    let applied = two.sync.apply(&two.store, Some(&plan), Some(&choice)).expect("applied");
    assert_eq!((applied.applied, applied.conflicts.len()), (1, 0));
    assert_eq!(two.game("g1").expect("there")["name"], "v4");
}

#[test]
fn a_removal_meets_an_edit() {
    let mounted = tempfile::tempdir().expect("a folder");
    let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
    one.edit(1, "name", 1);
    one.edit(2, "name", 1);
    one.publish();
    two.pull();
    one.remove(1);
    one.remove(2);
    one.publish();
    two.edit(1, "name", 2);
    let plan = two.preview();
    assert_eq!(plan["conflicts"][0]["field"], "__record__");
    assert_eq!(
        plan["counts"],
        json!({"additions": 0, "updates": 0, "deletions": 1, "conflicts": 1})
    );
    let choice = json!({"game:g1": "local"});
    let applied = two.sync.apply(&two.store, Some(&plan), Some(&choice)).expect("applied");
    assert_eq!(applied.applied, 2);
    assert!(two.game("g1").is_some() && two.game("g2").is_none());
    two.publish();
    one.pull();
    assert_eq!(one.game("g1").expect("back")["name"], "v2");
}

#[test]
fn a_plan_holds_for_what_was_reviewed_only() {
    let mounted = tempfile::tempdir().expect("a folder");
    let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
    one.edit(1, "name", 1);
    one.publish();
    let plan = two.preview();
    let refused = |plan: &Value| match two.sync.apply(&two.store, Some(plan), None) {
        Err(CommitError::Refused(error)) => error,
        other => panic!("{other:?}"),
    };
    let mut tampered = plan.clone();
    tampered["events"] = json!([]);
    tampered["events_token"] = "x".into();
    assert!(matches!(refused(&tampered), LibsyncError::Invalid(_)));
    let mut tampered = plan.clone();
    tampered["event_ids"] = json!(["x"]);
    assert!(matches!(refused(&tampered), LibsyncError::Invalid(_)));
    assert!(matches!(refused(&json!(1)), LibsyncError::PlanRequired));
    let mut small = plan.clone();
    small.as_object_mut().expect("an object").remove("events");
    small["changes"] = json!("ignored");
    two.edit(7, "name", 1);
    assert!(matches!(refused(&small), LibsyncError::PreviewStale));
    two.remove(7);
    two.sync.apply(&two.store, Some(&small), None).expect("applied");
    assert_eq!(two.game("g1").expect("there")["name"], "v1");
}
