//! Changes of the folder on a disk that fails at every call, and cut off at every call.

use std::{collections::BTreeMap, path::Path, sync::Arc};

use super::{
    change::Site,
    ledger::{self, Ledger},
    pack::Pack,
    plan::{self, Folder},
};
use crate::files::{
    Files,
    disk::Disk,
    failing::{FailingDisk, Fault},
};

fn pack(files: &[(&str, &str)]) -> Pack {
    let files: BTreeMap<_, _> =
        files.iter().map(|(name, text)| ((*name).to_owned(), text.as_bytes().to_vec())).collect();
    Pack { digest: ledger::digest(format!("{files:?}").as_bytes()), files }
}

/// Names and contents of a folder, without what lies below hidden names.
fn contents(folder: &Path) -> BTreeMap<String, String> {
    let files = Files::system();
    let names =
        files.list(folder).expect("listed").into_iter().filter(|name| !name.starts_with('.'));
    let read = |name: &String| String::from_utf8(files.read(&folder.join(name)).expect("read"));
    names.map(|name| (name.clone(), read(&name).expect("text"))).collect()
}

fn ledger_of(folder: &Path) -> Option<Ledger> {
    Ledger::read(&Files::system().read(&folder.join(ledger::NAME)).ok()?)
}

/// Installs a pack through a disk.
fn install(files: &Files, folder: &Path, pack: &Pack, version: &str) -> bool {
    let site = Site::new(files, folder);
    let old = ledger_of(folder);
    let names = pack.files.keys().chain(old.iter().flat_map(|old| old.installed.keys()));
    let mut lying = Folder::new();
    for name in names {
        match site.lying(name) {
            Ok(Some(found)) => drop(lying.insert(name.clone(), found)),
            Ok(None) => {}
            Err(_) => return false,
        }
    }
    let plan = plan::install(pack, version, &lying, old.as_ref()).expect("newer");
    site.carry_out(&plan, old.as_ref()).is_ok()
}

fn first() -> Pack {
    pack(&[("a.yaml", "1"), ("b.yaml", "1"), ("gone.yaml", "1")])
}

fn second() -> Pack {
    pack(&[("a.yaml", "2"), ("b.yaml", "2"), ("new.yaml", "2"), ("own.yaml", "2")])
}

#[test]
fn every_call_may_fail_and_the_folder_is_old_or_new() {
    let mut points = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let home = tempfile::tempdir().expect("a folder");
            let folder = home.path();
            let good = Files::system();
            assert!(install(&good, folder, &first(), "1"));
            good.replace(&folder.join("own.yaml"), b"mine").expect("written");
            let old = contents(folder);
            let disk = Arc::new(FailingDisk::new(call, fault));
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let is_done = install(&Files::over(door), folder, &second(), "2");
            // As after a kill at this moment: the next start looks.
            let unfinished = contents(folder);
            Site::new(&good, folder).recover().expect("recovered");
            let now = contents(folder);
            let is_old = now == old;
            let ledger = ledger_of(folder).expect("a ledger");
            assert_eq!(ledger.version, if is_old { "1" } else { "2" }, "{fault:?} {call}");
            if !is_old {
                let names = ["a.yaml", "b.yaml", ledger::NAME, "new.yaml", "own.yaml"];
                assert_eq!(now.keys().collect::<Vec<_>>(), names, "{fault:?} {call}");
                assert_eq!((now["a.yaml"].as_str(), now["b.yaml"].as_str()), ("2", "2"));
            }
            assert_eq!(now["own.yaml"], "mine", "{fault:?} {call}");
            assert!(!is_done || !is_old, "{fault:?} {call}: done is done");
            if fault == Fault::Once && !is_done {
                assert_eq!(unfinished, old, "{call}: one failure is undone at once");
            }
            let hidden = good.list(folder).expect("listed");
            assert!(
                hidden.iter().all(|name| !name.starts_with('.')),
                "{fault:?} {call} {hidden:?}"
            );
            if !disk.has_failed() {
                assert!(is_done);
                break;
            }
            points += 1;
        }
    }
    assert!(points >= 100, "{points} points");
}

#[test]
fn what_is_edited_during_a_change_stays() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path();
    let files = Files::system();
    assert!(install(&files, folder, &first(), "1"));
    let old = ledger_of(folder);
    // A plan that was made before two files were edited and one was created.
    let site = Site::new(&files, folder);
    let lying: Folder = ["a.yaml", "b.yaml", "gone.yaml"]
        .into_iter()
        .map(|name| (name.to_owned(), site.lying(name).expect("read").expect("there")))
        .collect();
    let plan = plan::install(&second(), "2", &lying, old.as_ref()).expect("newer");
    for name in ["a.yaml", "gone.yaml", "new.yaml"] {
        files.replace(&folder.join(name), b"edited").expect("written");
    }
    site.carry_out(&plan, old.as_ref()).expect("done");
    let now = contents(folder);
    for name in ["a.yaml", "gone.yaml", "new.yaml"] {
        assert_eq!(now[name], "edited", "{name}");
    }
    assert_eq!(now["b.yaml"], "2");
    let ledger = ledger_of(folder).expect("a ledger");
    assert_eq!(ledger.installed.keys().collect::<Vec<_>>(), ["b.yaml", "own.yaml"]);
    assert_eq!(ledger.kept_local, ["a.yaml", "new.yaml"]);
}

#[test]
fn a_roll_back_removes_exactly_what_was_installed() {
    let home = tempfile::tempdir().expect("a folder");
    let folder = home.path();
    let files = Files::system();
    files.replace(&folder.join("own.yaml"), b"mine").expect("written");
    assert!(install(&files, folder, &second(), "2"));
    files.replace(&folder.join("b.yaml"), b"edited").expect("written");
    let ledger = ledger_of(folder).expect("a ledger");
    let site = Site::new(&files, folder);
    let lying: Folder = ledger
        .installed
        .keys()
        .map(|name| (name.clone(), site.lying(name).expect("read").expect("there")))
        .collect();
    site.carry_out(&plan::roll_back(&lying, &ledger), Some(&ledger)).expect("done");
    let now = contents(folder);
    let expected = [("b.yaml", "edited"), ("own.yaml", "mine")];
    let expected = expected.map(|(name, text)| (name.to_owned(), text.to_owned()));
    assert_eq!(now, BTreeMap::from(expected));
}
