//! Devices that exchange records in any order see one household.

use std::{fs, path::Path, sync::Arc};

use proptest::prelude::*;
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{
    files::{
        disk::Disk,
        failing::{FailingDisk, Fault},
    },
    store::options::Options,
};

/// A library with a folder that it shares with others.
struct Device {
    store: Store,
    household: Household,
    _home: TempDir,
}

impl Device {
    #[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
    fn new(mounted: &Path) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let library = json!({"schema_version": 6, "games": [],
            "settings": {"cloud_folder": mounted, "household_stats_sharing": true}});
        fs::write(home.path().join("library.json"), library.to_string()).expect("written");
        let store = Store::open(Options::at(home.path())).expect("opened");
        Self { store, household: Household::new(Files::system()), _home: home }
    }

    fn write(&self, what: Write, body: Value) -> Result<HouseholdView, String> {
        let body = body.as_object().cloned().unwrap_or_default();
        write(&self.store, what, &body).map_err(|error| format!("{error:?}"))
    }

    fn member(&self, id: u8, name: u8) {
        let body = json!({"member_id": format!("m{id}"), "display_name": format!("n{name}")});
        self.write(Write::Member, body).expect("written");
    }

    fn challenge(&self, id: u8, target: u8) {
        let body = json!({"challenge_id": format!("c{id}"), "title": "T", "target": u16::from(target) + 1});
        self.write(Write::Challenge, body).expect("written");
    }

    /// Refused where the challenge is not known here yet.
    fn result(&self, challenge: u8, value: u8) -> bool {
        let body =
            json!({"challenge_id": format!("c{challenge}"), "member_id": "m0", "value": value});
        self.write(Write::Result, body).is_ok()
    }

    fn publish(&self) -> HouseholdExchange {
        let view = self.household.publish(&self.store, None).expect("published");
        view.sync.expect("an exchange")
    }

    fn pull(&self) -> HouseholdExchange {
        self.household.pull(&self.store, None).expect("pulled").sync.expect("an exchange")
    }

    /// The publish of a program that is killed at some call of the disk.
    fn publish_until(&self, call: u64) {
        let disk: Arc<dyn Disk> = Arc::new(FailingDisk::new(call, Fault::ForEver));
        let killed = Household::new(Files::over(disk));
        // OK because it is meant to fail.
        drop(killed.publish(&self.store, None));
    }

    fn book(&self) -> Book {
        Book::of(&self.store.snapshot().expect("a state"))
    }

    fn view(&self) -> HouseholdView {
        show(&self.store.snapshot().expect("a state"), None, &Moment::from_unix(0))
    }
}

/// What is the same on every device with the same records.
fn shared(view: &HouseholdView) -> Value {
    json!({"records": view.records, "challenges": view.challenges, "token": view.state_token})
}

/// One step of one device.
#[derive(Clone, Copy, Debug)]
enum Step {
    Member(u8, u8),
    Challenge(u8, u8),
    Result(u8, u8),
    Publish,
    Killed(u64),
    Pull,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        (0_u8..3, any::<u8>()).prop_map(|(id, name)| Step::Member(id, name)),
        (0_u8..2, any::<u8>()).prop_map(|(id, target)| Step::Challenge(id, target)),
        (0_u8..2, any::<u8>()).prop_map(|(id, value)| Step::Result(id, value)),
        Just(Step::Publish),
        (1_u64..40).prop_map(Step::Killed),
        Just(Step::Pull),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn devices_converge_whatever_they_did(steps in prop::collection::vec((0_usize..3, step()), 0..24)) {
        let mounted = tempfile::tempdir().expect("a folder");
        let devices = [(); 3].map(|()| Device::new(mounted.path()));
        // The model: how many records were ever written.
        let mut written = 0;
        for (device, step) in steps {
            let device = &devices[device];
            match step {
                Step::Member(id, name) => { device.member(id, name); written += 1; }
                Step::Challenge(id, target) => { device.challenge(id, target); written += 1; }
                Step::Result(challenge, value) => written += usize::from(device.result(challenge, value)),
                Step::Publish => drop(device.publish()),
                Step::Killed(call) => device.publish_until(call),
                Step::Pull => drop(device.pull()),
            }
        }
        for device in &devices {
            device.publish();
        }
        for device in &devices {
            device.pull();
        }
        let views: Vec<Value> = devices.iter().map(|device| shared(&device.view())).collect();
        prop_assert_eq!(&views[0], &views[1]);
        prop_assert_eq!(&views[0], &views[2]);
        for device in &devices {
            let book = device.book();
            prop_assert_eq!(book.records().len(), written);
            prop_assert!(book.outbox.is_empty());
            prop_assert_eq!(device.pull().merge.map(|merge| merge.applied), Some(0));
        }
    }
}

#[test]
fn the_newer_record_counts_and_one_that_follows_beats_every_clock() {
    let mounted = tempfile::tempdir().expect("a folder");
    let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
    one.member(1, 1);
    one.publish();
    two.pull();
    two.member(1, 2);
    two.publish();
    one.pull();
    let names = |device: &Device| -> Vec<Value> {
        let records = device.view().records;
        records.iter().map(|record| record["payload"]["display_name"].clone()).collect()
    };
    assert_eq!((names(&one), names(&two)), (vec![json!("n2")], vec![json!("n2")]));
    assert_eq!(one.book().heads()["member:m1"].len(), 1);
}

#[test]
fn a_publish_that_fails_at_any_call_is_completed_by_the_next() {
    for call in 1..=30 {
        let mounted = tempfile::tempdir().expect("a folder");
        let device = Device::new(mounted.path());
        device.member(1, 1);
        device.member(1, 2);
        device.publish_until(call);
        let reader = Device::new(mounted.path());
        reader.pull();
        let exchange = device.publish();
        assert_eq!((exchange.pending, device.book().outbox.len()), (Some(0), 0), "call {call}");
        reader.pull();
        assert_eq!(reader.book().records(), device.book().records(), "call {call}");
    }
}

#[test]
fn a_merge_takes_all_records_or_none() {
    let mounted = tempfile::tempdir().expect("a folder");
    let (one, two) = (Device::new(mounted.path()), Device::new(mounted.path()));
    one.member(1, 1);
    one.member(1, 2);
    one.member(2, 1);
    let values: Vec<Value> =
        one.book().records().values().map(|record| json!(record.value())).collect();
    let refused = |values: Vec<Value>| {
        let refused = merge(&two.store, Some(&Value::Array(values)));
        assert!(refused.is_err() && two.book().records().is_empty());
    };
    let child = values.iter().position(|record| record["parents"] != json!([])).expect("a child");
    refused(vec![values[child].clone()]);
    refused(vec![values[0].clone(), values[0].clone()]);
    let mut changed = values.clone();
    changed[0]["payload"]["display_name"] = "other".into();
    refused(changed);
    let view = merge(&two.store, Some(&Value::Array(values))).expect("merged");
    let merged = view.merge.expect("a merge");
    assert_eq!((merged.records, merged.applied, merged.changed), (3, 3, true));
    assert_eq!(view.outbox_count, 0, "records of others are not published");
}
