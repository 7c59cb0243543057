//! Saves archived, restored and shared, on a disk that works and on one that fails at every
//! call.

use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    create::Made,
    error::SaveError,
    folder::{Label, Saves, SavesContext},
    job,
    places::Home,
    restore::Plan,
    statistics::Shared,
    subject::Subject,
};
use crate::{
    backup::{error::BackupError, pack::Packer, watch::Unwatched},
    base::Moment,
    config::data_dir::DataDir,
    files::{
        Files,
        disk::Disk,
        failing::{FailingDisk, Fault},
    },
    game::GameRef,
    store::{Options, Store},
};

/// A data directory with one game, whose saves lie next to it.
struct House {
    dir: tempfile::TempDir,
    saves: Saves,
}

/// The time of the clock of a [`House`], in seconds; 0 is the real time.
static CLOCK: AtomicI64 = AtomicI64::new(0);

impl House {
    fn new() -> Self {
        Self::over(&Files::system(), Moment::now)
    }

    fn over(files: &Files, now: fn() -> Moment) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let top = dir.path().canonicalize().expect("real");
        let root = top.join("data");
        Files::system().private_dir(&root).expect("made");
        let library = json!({"schema_version": 6, "settings": {"cloud_folder": top.join("cloud")},
            "games": [{"game_id": "g", "name": "G", "play_count": 3,
                "save_paths": [top.join("saves"), top.join("card")]}]});
        let text = library.to_string();
        Files::system().replace(&root.join("library.json"), text.as_bytes()).expect("written");
        Files::system().private_dir(&top.join("cloud")).expect("made");
        let mut options = Options::at(&root);
        options.files = files.clone();
        options.debounce = Duration::from_mins(10);
        let saves = Saves::new(SavesContext {
            files: files.clone(),
            data_dir: DataDir::at(root),
            store: Store::open(options).expect("open"),
            home: Home::new(&top.join("home"), None, None),
            runs: Box::new(|_| false),
            room: |_| None,
            now,
        });
        Self { dir, saves }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().canonicalize().expect("real").join(name)
    }

    fn put(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        Files::system().private_dir(path.parent().expect("a folder")).expect("made");
        Files::system().replace(&path, content).expect("written");
    }

    fn game(&self) -> Subject {
        self.saves.subject(&GameRef::Id("g".into())).expect("there")
    }

    fn back_up(&self) -> Result<Made, SaveError> {
        self.saves.back_up(&self.game(), Label::Manual, &Unwatched)
    }

    fn restore(&self, name: &str) -> Result<String, SaveError> {
        self.saves.restore(&self.game(), name, &Unwatched)
    }

    /// Puts an archive of these members among those of the game.
    fn forge(&self, manifest: &Value, members: &[&str]) {
        let path = self.saves.folder(&self.game()).join("forged.zip");
        pack(&path, manifest, members.iter().map(|name| ((*name).to_owned(), "x".to_owned())));
    }

    /// Everything in the saves of the game.
    fn contents(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut found = BTreeMap::new();
        for name in ["saves", "card"] {
            collect(&self.path(name), &mut found);
        }
        found
    }
}

/// Makes an archive of a manifest and members with their contents.
fn pack(path: &Path, manifest: &Value, members: impl Iterator<Item = (String, String)>) {
    Files::system().private_dir(path.parent().expect("a folder")).expect("made");
    let mut bytes = Vec::new();
    let mut packer = Packer::new(&mut bytes);
    let manifest = ("manifest.json".to_owned(), manifest.to_string());
    for (name, content) in std::iter::once(manifest).chain(members) {
        let content = content.into_bytes();
        let added =
            packer.add(&name, 0, 1, |sink| sink.write_all(&content).map_err(BackupError::Sink));
        added.expect("packed");
    }
    packer.finish().expect("packed");
    Files::system().replace(path, &bytes).expect("written");
}

fn collect(path: &Path, found: &mut BTreeMap<PathBuf, Vec<u8>>) {
    if path.is_dir() {
        for entry in fs::read_dir(path).expect("readable") {
            collect(&entry.expect("readable").path(), found);
        }
    } else if path.exists() {
        found.insert(path.to_owned(), fs::read(path).expect("readable"));
    }
}

fn text(outcome: Result<String, SaveError>) -> String {
    outcome.map_or_else(|error| error.to_string(), |_| "restored".to_owned())
}

#[test]
fn forged_archives_are_refused_before_the_first_write() {
    let house = House::new();
    house.put("saves/one", b"mine");
    let roots = json!([{"path": house.path("saves"), "file": false},
        {"path": house.path("card"), "file": true}]);
    let manifest = json!({"game": "G", "roots": roots});
    let before = house.contents();
    let unsafe_path = "Save backup contains an unsafe path.";
    for (members, message) in [
        (&["roots/0/one", "roots/1/../x"][..], unsafe_path),
        (&["roots/0/../../x", "roots/1/card"], unsafe_path),
        (&["/etc/x", "roots/1/card"], unsafe_path),
        (&["roots/2/x", "roots/1/card"], unsafe_path),
        (&["elsewhere", "roots/1/card"], unsafe_path),
        (&["roots/0", "roots/1/card"], unsafe_path),
        (&["roots/0/a\\b", "roots/1/card"], unsafe_path),
        (&["roots/0/a", "roots/0/a/b", "roots/1/card"], unsafe_path),
        (&["roots/1/a/b"], unsafe_path),
        (
            &["roots/0/one", "roots/0/ONE", "roots/1/card"],
            "Save backup contains duplicate entries.",
        ),
        (&["roots/0/one"], "Save backup manifest is invalid."),
        (&["roots/1/card", "roots/1/other"], "Save backup manifest is invalid."),
    ] {
        house.forge(&manifest, members);
        assert_eq!(text(house.restore("forged.zip")), message, "{members:?}");
    }
    for bad in [json!([]), json!({}), json!({"roots": "x"}), json!("x")] {
        house.forge(&bad, &["roots/0/one"]);
        assert_eq!(text(house.restore("forged.zip")), "Save backup manifest is invalid.");
    }
    let other = json!({"roots": [{"path": "/etc", "file": false}]});
    house.forge(&other, &["roots/0/passwd"]);
    let roots = "Save backup roots do not match this game.";
    assert_eq!(text(house.restore("forged.zip")), roots);
    for members in [&["roots/7/passwd"], &["passwd"]] {
        house.forge(&other, members);
        assert_eq!(text(house.restore("forged.zip")), roots, "before any member: {members:?}");
    }
    house.forge(&other, &["roots/0/a", "roots/0/A"]);
    assert_eq!(text(house.restore("forged.zip")), roots, "before duplicates");
    assert_eq!(house.contents(), before);
    assert_eq!(house.saves.list(&house.game()).expect("listed").len(), 1, "no other archive");
    house.forge(&manifest, &["roots/0/one", "roots/0/new/", "roots/1/card"]);
    assert_eq!(text(house.restore("forged.zip")), "restored");
    assert_eq!(fs::read(house.path("saves/one")).expect("there"), b"x");
}

#[test]
fn what_stands_in_the_way_is_seen_before_the_first_write() {
    let house = House::new();
    house.put("saves/a", b"archived");
    house.put("saves/deep/b", b"archived");
    let name = house.back_up().expect("made").name;
    house.put("saves/a", b"mine");
    Files::system().remove(&house.path("saves/deep/b")).expect("removed");
    house.put("saves/deep/b/file", b"mine");
    let in_the_way = "Save backup destination is not a file: deep/b";
    assert_eq!(text(house.restore(&name)), in_the_way);
    Files::system().remove_tree(&house.path("saves/deep")).expect("removed");
    house.put("saves/deep", b"mine");
    assert_eq!(text(house.restore(&name)), in_the_way);
    assert_eq!(fs::read(house.path("saves/a")).expect("there"), b"mine");
}

#[test]
fn a_save_path_never_holds_the_data_directory() {
    let house = House::new();
    let mut game = house.game();
    for path in ["data", "", "data/../data"] {
        game.save_paths = vec![house.path(path).to_string_lossy().into_owned()];
        let refused = house.saves.back_up(&game, Label::Manual, &Unwatched);
        let refused = refused.map_err(|error| error.to_string());
        let expected = match path {
            "data/../data" => "Save paths must be absolute.",
            _ => "A save path must not hold the data directory.",
        };
        assert_eq!(refused, Err(expected.to_owned()), "{path}");
    }
}

#[test]
fn a_clock_that_jumps_back_costs_no_new_archive() {
    let house = House::over(&Files::system(), || match CLOCK.load(Ordering::SeqCst) {
        0 => Moment::now(),
        seconds => {
            Moment::from_unix_micros(seconds * 1_000_000 + Moment::now().unix_micros() % 1_000_000)
        }
    });
    house.put("saves/a", b"x");
    let limit = house.saves.context.store.change(|draft| {
        draft.set_section("settings", json!({"save_backup_limit": 1}));
    });
    limit.expect("committed");
    CLOCK.store(4_000_000_000, Ordering::SeqCst);
    house.back_up().expect("made");
    CLOCK.store(1_000_000_000, Ordering::SeqCst);
    let made = house.back_up().expect("made");
    let left = house.saves.list(&house.game()).expect("listed");
    assert_eq!((made.trimmed, left.len(), &left[0].name), (1, 1, &made.name));
}

#[test]
fn saves_that_change_while_they_are_read_are_read_anew() {
    let disk = Arc::new(FailingDisk::new(0, Fault::Once));
    let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
    let house = House::over(&Files::over(door), Moment::now);
    house.put("saves/a", b"old");
    let (path, left) = (house.path("saves/a"), AtomicI64::new(1));
    // Between looking at the save and the end of the archive the game writes once more.
    disk.stop_at("read_at", move || {
        if left.fetch_sub(1, Ordering::SeqCst) == 1 {
            Files::system().replace(&path, b"newer").expect("written");
        }
    });
    let name = house.back_up().expect("made").name;
    house.put("saves/a", b"gone");
    house.restore(&name).expect("restored");
    assert_eq!(fs::read(house.path("saves/a")).expect("there"), b"newer");
}

#[test]
fn every_call_may_fail_while_saves_are_archived() {
    let mut points = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let disk = Arc::new(FailingDisk::new(call, fault));
            disk.arm(false);
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let house = House::over(&Files::over(door), Moment::now);
            house.put("saves/a", &[3; 1_000]);
            house.put("card", b"card");
            let old = house.back_up().expect("made").name;
            disk.arm(true);
            let outcome = house.back_up();
            disk.arm(false);
            let listed = house.saves.list(&house.game()).expect("listed");
            assert!(listed.iter().any(|row| row.name == old), "{fault:?} {call}");
            for row in &listed {
                let proof = house.saves.verify(&house.game(), &row.name, &Unwatched);
                assert_eq!(proof.expect("whole").files, 2, "{fault:?} {call}");
            }
            if let Ok(made) = outcome {
                assert_eq!(listed[0].name, made.name);
            }
            house.back_up().expect("it works again");
            let folder = house.saves.folder(&house.game());
            let hidden = Files::system().list(&folder).expect("listed");
            assert!(hidden.iter().all(|name| !name.starts_with('.')), "{hidden:?}");
            if !disk.has_failed() {
                break;
            }
            points += 1;
        }
    }
    assert!(points >= 40, "{points} points");
}

#[test]
fn a_restore_without_room_replaces_nothing() {
    let mut house = House::over(&Files::system(), Moment::now);
    for name in ["saves/a", "saves/b", "card"] {
        house.put(name, &[1; 8_192]);
    }
    let archive = house.back_up().expect("made").name;
    for name in ["saves/a", "saves/b", "card"] {
        house.put(name, b"mine");
    }
    let before = house.contents();
    house.saves.context.room = |_| Some(12_287);
    let error = house.restore(&archive).expect_err("there is no room");
    assert!(error.to_string().ends_with("No space left on device."), "{error}");
    assert_eq!(house.contents(), before);
    house.saves.context.room = |_| None;
    house.restore(&archive).expect("there is room");
}

#[test]
fn what_a_killed_restore_left_is_removed_and_nothing_else() {
    let house = House::new();
    for name in ["saves/a", "saves/deep/b", "card"] {
        house.put(name, b"x");
    }
    let archive = house.back_up().expect("made").name;
    let before = house.contents();
    let mine = ["saves/.other.0123456789ab.tmp", "saves/.a.0123456789xy.tmp", "saves/a.tmp"];
    for name in ["saves/.a.0123456789ab.tmp", "saves/deep/.b.0123456789ab.tmp"].iter().chain(&mine)
    {
        house.put(name, b"half");
    }
    job::heal(&house.saves, &[("gone".to_owned(), archive.clone()), ("g".to_owned(), archive)]);
    let now = house.contents();
    assert_eq!(now.len(), before.len() + mine.len());
    assert!(mine.iter().all(|name| now.contains_key(&house.path(name))));
}

#[test]
fn every_call_may_fail_while_saves_are_restored() {
    let mut points = 0;
    let mut halves = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let disk = Arc::new(FailingDisk::new(call, fault));
            disk.arm(false);
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let house = House::over(&Files::over(door), Moment::now);
            for name in ["saves/a", "saves/deep/b", "card"] {
                house.put(name, b"archived");
            }
            let archive = house.back_up().expect("made").name;
            let new = house.contents();
            for name in ["saves/a", "saves/deep/b", "card", "saves/other"] {
                house.put(name, b"mine");
            }
            let old = house.contents();
            disk.arm(true);
            let outcome = house.restore(&archive);
            disk.arm(false);
            let now = house.contents();
            let leftovers = |path: &&PathBuf| !old.contains_key(*path);
            for path in now.keys().filter(leftovers) {
                let name = path.file_name().expect("a name");
                assert!(super::sources::is_unfinished(name), "{fault:?} {call}: {path:?}");
            }
            for (path, content) in &old {
                let either = now.get(path) == Some(content) || now.get(path) == new.get(path);
                assert!(either, "{fault:?} {call}: {path:?}");
            }
            let changed = old.iter().any(|(path, content)| now.get(path) != Some(content));
            halves += u32::from(outcome.is_err() && changed);
            if outcome.is_ok() {
                assert!(new.iter().all(|(path, content)| now.get(path) == Some(content)));
            }
            if changed {
                let listed = house.saves.list(&house.game()).expect("listed");
                let kept = listed.iter().find(|row| row.name.ends_with("-before-restore.zip"));
                house.restore(&kept.expect("the old saves are kept").name).expect("restored");
                assert_eq!(house.contents(), old, "{fault:?} {call}: nothing else is left");
            }
            if !disk.has_failed() {
                break;
            }
            points += 1;
        }
    }
    assert!(points >= 80 && halves >= 5, "{points} points, {halves} halves");
}

#[test]
fn every_call_may_fail_while_statistics_are_shared() {
    let mut points = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let disk = Arc::new(FailingDisk::new(call, fault));
            disk.arm(false);
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let house = House::over(&Files::over(door), Moment::now);
            let theirs = json!({"format": 1, "generated_at": "2026-01-01T00:00:00+00:00",
                "games": {"id:g": {"play_count": 7}, "id:other": {"play_count": 9}}});
            house.put("cloud/service-statistics.json", theirs.to_string().as_bytes());
            disk.arm(true);
            let outcome = house.saves.sync_statistics();
            disk.arm(false);
            let read = || {
                let bytes = fs::read(house.path("cloud/service-statistics.json")).expect("there");
                assert!(Shared::parse(&bytes).is_some(), "{fault:?} {call}");
                serde_json::from_slice::<Value>(&bytes).expect("json")
            };
            assert_eq!(read()["games"]["id:other"], json!({"play_count": 9}));
            if outcome.is_err() {
                house
                    .saves
                    .sync_statistics()
                    .or_else(|_| {
                        // A log that failed is rewritten before the next commit.
                        house.saves.sync_statistics()
                    })
                    .expect("the next one completes it");
            }
            let state = house.saves.context.store.snapshot().expect("a state");
            assert_eq!(state.games.get(0).expect("there").play_count(), 7);
            assert_eq!(read()["games"]["id:g"]["play_count"], 7);
            if !disk.has_failed() {
                break;
            }
            points += 1;
        }
    }
    assert!(points >= 30, "{points} points");
}

#[test]
fn nothing_comes_along_but_what_the_record_of_a_kept_state_names() {
    let house = House::new();
    let game = Subject { resume: Some(house.path("data/resume_states/g")), ..house.game() };
    let manifest = json!({"game": "G", "roots": [{"path": "kept-state", "file": false}],
        "paths": [house.path("saves"), house.path("card"), "kept-state"]});
    for (record, others, is_taken) in [
        (json!({"file": "m/a.sta", "thumbnail": "thumb.png"}), &["m/a.sta", "thumb.png"][..], true),
        (json!({"file": "a.state"}), &["a.state"], true),
        (json!({"file": "a.state"}), &["a.state", "moments/b.state"], false),
        (json!({"file": "a.state"}), &["a.state", "thumb.png"], false),
        (json!({"file": "moments/b.state"}), &["moments/b.state"], false),
        (json!({"file": "archive/1-a.state"}), &["archive/1-a.state"], false),
        (json!({"file": "a.state", "thumbnail": "service-session.cfg"}), &["a.state"], false),
        (json!([]), &["a.state"], false),
    ] {
        let others = others.iter().map(|name| (format!("roots/0/{name}"), "x".to_owned()));
        let all = std::iter::once(("roots/0/state.json".to_owned(), record.to_string()));
        let path = house.path("theirs.zip");
        pack(&path, &manifest, all.chain(others));
        let plan = Plan::open_moved(&Files::system(), &path, &game);
        assert_eq!(plan.is_ok(), is_taken, "{record}");
        if let Ok(plan) = plan {
            let last = plan.files.last().expect("a file");
            assert_eq!(last.shown, "state.json", "it names nothing that is not there");
        }
    }
    let unnamed = [("roots/0/a.state".to_owned(), "x".to_owned())];
    pack(&house.path("theirs.zip"), &manifest, unnamed.into_iter());
    let plan = Plan::open_moved(&Files::system(), &house.path("theirs.zip"), &game);
    assert!(plan.is_err(), "a state without a record");
}
