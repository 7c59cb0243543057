//! Two devices with one mounted folder, on disks that work, fail at every call, or do not answer.
#![expect(clippy::disallowed_methods, reason = "tests make their own files")]

use std::{fs, path::PathBuf, sync::Arc, time::Duration};

use crossbeam_channel::bounded;
use serde_json::json;

use super::{
    decide::heads,
    error::SyncError,
    exchange::{KEPT, MOST},
    service::{Done, PATIENCE, SaveSync},
    status::Status,
    version::Version,
};
use crate::{
    backup::watch::Unwatched,
    base::Moment,
    config::data_dir::DataDir,
    files::{
        Files,
        disk::Disk,
        failing::{FailingDisk, Fault},
    },
    mounted::folder::FolderError,
    saves::{
        folder::{Saves, SavesContext},
        places::Home,
        subject::Subject,
    },
    store::{Options, Store},
};

/// Stands for a picture.
const PICTURE: &str = "a picture";

/// A device with one game, whose saves lie below a folder of its own.
struct Device {
    top: PathBuf,
    sync: Arc<SaveSync>,
}

impl Device {
    fn new(dir: &tempfile::TempDir, name: &str) -> Self {
        Self::over(dir, name, &Files::system(), PATIENCE)
    }

    fn over(dir: &tempfile::TempDir, name: &str, files: &Files, patience: Duration) -> Self {
        let all = dir.path().canonicalize().expect("real");
        let (top, root) = (all.join(name), all.join(name).join("data"));
        Files::system().private_dir(&root).expect("made");
        Files::system().private_dir(&all.join("cloud")).expect("made");
        let game = |id: &str, title: &str, folder: &str| {
            json!({"game_id": id, "name": title, "platform": "SNES", "playtime_seconds": 60,
                "save_paths": [top.join(folder), top.join("card")]})
        };
        let library = json!({"schema_version": 6,
            "settings": {"cloud_folder": all.join("cloud"), "save_sync_platforms": ["snes"],
                "save_backup_limit": 3},
            "games": [game(name, "Game", "saves"), game("x", "Twin", "x"), game("y", "twin", "y")]});
        let (text, path) = (library.to_string(), root.join("library.json"));
        if !path.exists() {
            Files::system().replace(&path, text.as_bytes()).expect("written");
        }
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
            now: Moment::now,
        });
        Self { top, sync: Arc::new(SaveSync::new(Arc::new(saves), patience)) }
    }

    fn id(&self) -> String {
        self.top.file_name().expect("a name").to_string_lossy().into_owned()
    }

    fn play(&self, name: &str, content: &str) {
        let path = self.top.join(name);
        Files::system().private_dir(path.parent().expect("a folder")).expect("made");
        Files::system().replace(&path, content.as_bytes()).expect("written");
    }

    /// The folder of the states of its game.
    fn states(&self) -> PathBuf {
        self.top.join("data/resume_states").join(self.id())
    }

    /// Leaves a state as a session does.
    fn leave_state(&self, state: &str) {
        let record = json!({"file": "resume.state", "thumbnail": "thumb.png", "capture_id": state});
        let files = [("resume.state", state.to_owned()), ("state.json", record.to_string())];
        Files::system().private_dir(&self.states()).expect("made");
        for (name, content) in files.iter().chain(&[("thumb.png", PICTURE.to_owned())]) {
            Files::system()
                .replace(&self.states().join(name), content.as_bytes())
                .expect("written");
        }
    }

    fn state(&self) -> String {
        fs::read_to_string(self.states().join("resume.state")).unwrap_or_default()
    }

    fn save(&self, name: &str) -> String {
        fs::read_to_string(self.top.join(name)).unwrap_or_default()
    }

    fn sync(&self) -> Result<Done, SyncError> {
        self.sync.sync(&self.id(), &Unwatched)
    }

    #[track_caller]
    fn does(&self, expected: Done) {
        assert_eq!(self.sync().expect("synchronized"), expected);
    }

    fn choose(&self, version: &str) -> Result<Done, SyncError> {
        self.sync.choose(&self.id(), version, &Unwatched)
    }

    fn status(&self) -> Status {
        let state = self.sync.state().expect("there");
        let game = Arc::clone(state.games.find(&self.id()).expect("there").1);
        self.sync.status(&state, &game)
    }

    /// How many archives of its saves there are.
    fn archives(&self) -> usize {
        let game = self.sync.shared(&self.id()).expect("shared").subject;
        self.sync.saves.list(&game).expect("listed").len()
    }
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a folder")
}

/// The files of the only game in the mounted folder whose names end like this.
fn exchanged(dir: &tempfile::TempDir, ending: &str) -> Vec<PathBuf> {
    let top = dir.path().join("cloud").join(super::exchange::NAME);
    let games = fs::read_dir(top).into_iter().flatten().flatten();
    let files = games.flat_map(|game| fs::read_dir(game.path()).expect("a folder").flatten());
    let paths = files.map(|file| file.path());
    paths.filter(|path| path.to_string_lossy().ends_with(ending)).collect()
}

#[test]
fn a_game_is_played_on_one_device_and_continued_on_the_other() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.does(Done::Same);
    pocket.play("saves/deep/slot", "1");
    pocket.play("card", "c1");
    assert_eq!(pocket.status().state, "ahead");
    pocket.does(Done::Sent);
    pocket.does(Done::Same);
    assert_eq!(desk.status().state, "behind");
    desk.sync.before_launch("desk");
    assert_eq!((desk.save("saves/deep/slot"), desk.save("card")), ("1".into(), "c1".into()));
    desk.play("saves/deep/slot", "2");
    desk.play("saves/extra", "desk");
    desk.does(Done::Sent);
    pocket.does(Done::Fetched);
    assert_eq!(
        (pocket.save("saves/deep/slot"), pocket.save("saves/extra")),
        ("2".into(), "desk".into())
    );
    assert_eq!(pocket.archives(), 1, "what was there was archived");
    pocket.does(Done::Same);
    desk.does(Done::Same);
    let status = pocket.status();
    assert_eq!((status.state.as_str(), status.unsent, status.versions.len()), ("same", false, 2));
    assert!(status.versions[0].newest && status.versions[0].here && !status.versions[0].own);
}

#[test]
fn the_kept_state_goes_along_with_the_saves() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.play("saves/a", "1");
    pocket.leave_state("one");
    // What belongs to this device alone.
    for name in ["archive/1-resume.state", "moments/m.state", "service-session.cfg"] {
        pocket.play(&format!("data/resume_states/pocket/{name}"), "stays");
    }
    pocket.does(Done::Sent);
    desk.does(Done::Fetched);
    assert_eq!((desk.save("saves/a"), desk.state()), ("1".into(), "one".into()));
    let names = Files::system().list(&desk.states()).expect("listed");
    assert_eq!(names, ["resume.state", "state.json", "thumb.png"]);
    desk.does(Done::Same);
    // A session that changes nothing but the state.
    desk.leave_state("two");
    desk.does(Done::Sent);
    pocket.does(Done::Fetched);
    assert_eq!((pocket.save("saves/a"), pocket.state()), ("1".into(), "two".into()));
    let archived = fs::read_dir(pocket.states().join("archive")).expect("an archive").flatten();
    let archived = archived.map(|entry| fs::read_to_string(entry.path()).expect("a state"));
    assert!(archived.collect::<Vec<_>>().contains(&"one".to_owned()), "it is in the archive");
    pocket.does(Done::Same);
    let version = pocket.status().versions.remove(0);
    assert!(version.picture);
    let state = pocket.sync.state().expect("there");
    let (_, game) = state.games.find("pocket").expect("there");
    let picture = |id: &str| pocket.sync.picture(&state, game, id).expect("read");
    assert_eq!(picture(&version.id), Some(PICTURE.as_bytes().to_vec()));
    assert_eq!(picture(&"0".repeat(64)), None);
    // The saves alone can be restored from what was archived before.
    let subject = Subject::of(game);
    let archive = pocket.sync.saves.list(&subject).expect("listed").remove(0).name;
    pocket.sync.saves.restore(&subject, &archive, &Unwatched).expect("restored");
}

#[test]
fn files_that_only_one_device_has_stay_and_are_no_change() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.play("saves/a", "1");
    pocket.does(Done::Sent);
    desk.does(Done::Fetched);
    desk.play("saves/b", "only here");
    desk.does(Done::Sent);
    fs::remove_file(desk.top.join("saves/b")).expect("removed");
    desk.play("saves/a", "2");
    desk.does(Done::Sent);
    pocket.play("saves/a", "1");
    pocket.play("saves/c", "old");
    fs::remove_file(pocket.top.join("saves/c")).expect("removed");
    pocket.does(Done::Fetched);
    pocket.does(Done::Same);
    assert_eq!(pocket.save("saves/a"), "2");
}

#[test]
fn two_devices_that_played_are_never_merged_without_a_choice() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.play("saves/a", "both");
    pocket.does(Done::Sent);
    desk.does(Done::Fetched);
    pocket.play("saves/a", "pocket");
    desk.play("saves/a", "desk");
    pocket.does(Done::Sent);
    desk.sync.before_launch("desk");
    assert_eq!(desk.save("saves/a"), "desk", "the game starts with its own saves");
    desk.does(Done::Conflict);
    pocket.does(Done::Conflict);
    assert_eq!((pocket.save("saves/a"), desk.save("saves/a")), ("pocket".into(), "desk".into()));
    let status = desk.status();
    assert_eq!(status.state, "conflict");
    let newest: Vec<_> = status.versions.iter().filter(|version| version.newest).collect();
    assert_eq!(newest.len(), 2);
    assert!(newest.iter().all(|version| version.complete && version.size > 0));
    let state = desk.sync.state().expect("there");
    assert_eq!(state.section("notifications").as_array().map(Vec::len), Some(1), "told once");
    assert!(matches!(desk.choose(&"0".repeat(64)), Err(SyncError::NotNewest)));
    let theirs = newest.iter().find(|version| !version.here).expect("there").id.clone();
    let before = desk.archives();
    desk.choose(&theirs).expect("chosen");
    assert_eq!(desk.save("saves/a"), "pocket");
    assert!(desk.archives() > before, "what was there was archived");
    assert_eq!(desk.status().state, "same");
    pocket.does(Done::Same);
    pocket.play("saves/a", "goes on");
    pocket.does(Done::Sent);
    desk.does(Done::Fetched);
    assert_eq!(desk.save("saves/a"), "goes on");
    assert_eq!(
        exchanged(&dir, ".zip").len(),
        3,
        "both versions are kept in addition to the newest"
    );
}

#[test]
fn saves_that_were_not_sent_can_be_chosen_too() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.play("saves/a", "pocket");
    desk.play("saves/a", "desk");
    pocket.does(Done::Sent);
    let status = desk.status();
    assert_eq!((status.state.as_str(), status.unsent), ("conflict", true));
    assert_eq!(status.local.map(|local| (local.files, local.size)), Some((1, 4)));
    desk.choose("").expect("chosen");
    pocket.does(Done::Fetched);
    assert_eq!((pocket.save("saves/a"), desk.save("saves/a")), ("desk".into(), "desk".into()));
}

#[test]
fn what_has_not_arrived_completely_is_left_alone() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.play("saves/a", "1");
    pocket.does(Done::Sent);
    desk.does(Done::Fetched);
    pocket.play("saves/a", "2");
    let known = (exchanged(&dir, ".zip"), exchanged(&dir, ".json"));
    pocket.does(Done::Sent);
    let new = |ending: &str, known: &[PathBuf]| {
        exchanged(&dir, ending).into_iter().find(|path| !known.contains(path)).expect("new")
    };
    let (archive, record) = (new(".zip", &known.0), new(".json", &known.1));
    let (whole, text) = (fs::read(&archive).expect("read"), fs::read(&record).expect("read"));
    let put = |path: &PathBuf, bytes: &[u8]| {
        Files::system().replace(path, bytes).expect("written");
    };
    put(&archive, &whole[..whole.len() / 2]);
    assert!(matches!(desk.sync(), Err(SyncError::Arriving)));
    assert!(!desk.status().versions[0].complete);
    let mut torn = whole.clone();
    torn[whole.len() / 2..].fill(0);
    put(&archive, &torn);
    assert!(matches!(desk.sync(), Err(SyncError::Arriving)), "of the right size, but torn");
    fs::remove_file(&archive).expect("removed");
    desk.sync.before_launch("desk");
    assert_eq!((desk.save("saves/a"), desk.archives()), ("1".into(), 0));
    put(&record, &text[..text.len() / 2]);
    put(&archive, &whole);
    desk.does(Done::Same);
    put(&record.with_file_name("notes.json"), b"of another program");
    put(&record, &text);
    desk.does(Done::Fetched);
    assert_eq!(desk.save("saves/a"), "2");
}

#[test]
fn what_cannot_be_shared_says_why() {
    let dir = folder();
    let pocket = Device::new(&dir, "pocket");
    pocket.play("saves/a", "1");
    let sync = |id: &str| pocket.sync.sync(id, &Unwatched);
    assert!(matches!(sync("x"), Err(SyncError::Ambiguous)), "another game has the same title");
    assert!(matches!(sync("nobody"), Err(SyncError::Save(_))));
    fs::remove_dir(dir.path().join("cloud")).expect("removed");
    assert!(matches!(pocket.sync(), Err(SyncError::Folder(FolderError::Missing))));
    pocket.sync.before_launch("pocket");
    let status = pocket.status();
    assert_eq!(status.state, "failed");
    assert_eq!(status.problem, "The cloud sync folder is not there. Is it mounted?");
    fs::create_dir(dir.path().join("cloud")).expect("created");
    pocket.does(Done::Sent);
    let edited = pocket.sync.saves.context().store.change(|draft| {
        drop(draft.edit_game("pocket", |record| record.set("save_sync", "off")));
    });
    edited.expect("written");
    assert!(matches!(pocket.sync(), Err(SyncError::Off)));
    assert_eq!(pocket.status().state, "off");
}

#[test]
fn save_paths_that_differ_in_more_than_their_folders_are_refused() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    pocket.play("saves/a", "1");
    pocket.does(Done::Sent);
    let paths = json!([desk.top.join("other"), desk.top.join("card")]);
    let edited = desk.sync.saves.context().store.change(|draft| {
        drop(draft.edit_game("desk", |record| record.set("save_paths", paths)));
    });
    edited.expect("written");
    assert!(matches!(desk.sync(), Err(SyncError::OtherPaths)));
    assert!(!desk.top.join("other").exists());
}

#[test]
fn old_archives_in_the_folder_make_room_and_the_newest_stay() {
    let dir = folder();
    let (pocket, desk) = (Device::new(&dir, "pocket"), Device::new(&dir, "desk"));
    desk.play("saves/a", "desk");
    desk.does(Done::Sent);
    pocket.play("saves/a", "0");
    pocket.does(Done::Conflict);
    for turn in 1..7 {
        pocket.play("saves/a", &turn.to_string());
        pocket.does(Done::Conflict);
    }
    assert_eq!(exchanged(&dir, ".json").len(), 8);
    assert_eq!(exchanged(&dir, ".zip").len(), 5, "three older ones and the two newest");
    pocket.choose("").expect("chosen");
    desk.does(Done::Fetched);
    assert_eq!(desk.save("saves/a"), "6");
}

#[test]
fn what_a_kill_left_half_written_goes_after_a_day() {
    let dir = folder();
    let (desk, _) = (Device::new(&dir, "desk"), Device::new(&dir, "sofa"));
    desk.play("saves/a", "one");
    desk.does(Done::Sent);
    let place = exchanged(&dir, "zip")[0].parent().expect("a folder").to_owned();
    let old = std::time::SystemTime::now() - Duration::from_hours(25);
    for (name, time) in [
        (".a.zip.0123456789ab.tmp", Some(old)),
        (".b.zip.0123456789ab.tmp", None),
        (".syncthing.c.zip.tmp", Some(old)),
    ] {
        let file = fs::File::create(place.join(name)).expect("made");
        if let Some(time) = time {
            file.set_modified(time).expect("set");
        }
    }
    desk.play("saves/a", "two");
    desk.does(Done::Sent);
    let left: Vec<bool> =
        [".a.zip.0123456789ab.tmp", ".b.zip.0123456789ab.tmp", ".syncthing.c.zip.tmp"]
            .map(|name| place.join(name).exists())
            .into();
    assert_eq!(left, [false, true, true]);
}

#[test]
fn a_thousand_versions_are_read_and_of_many_the_oldest_go() {
    let dir = folder();
    let pocket = Device::new(&dir, "pocket");
    pocket.play("saves/a", "1");
    pocket.does(Done::Sent);
    let game = pocket.sync.shared("pocket").expect("shared");
    let exchange = pocket.sync.exchange(&game).expect("there");
    let read = || exchange.read(&Unwatched);
    let mut last = read().expect("read").into_values().next().expect("sent");
    let records = exchanged(&dir, ".json")[0].parent().expect("a folder").to_owned();
    let mut follow = || {
        last = Version { parents: vec![last.id.clone()], ..last.clone() }.sealed();
        fs::write(records.join(format!("{}.json", last.id)), last.to_bytes()).expect("written");
    };
    for _ in 1..MOST {
        follow();
    }
    let versions = read().expect("read");
    assert_eq!(versions.len(), MOST);
    follow();
    assert!(matches!(read(), Err(SyncError::Folder(FolderError::TooMany))));
    exchange.trim(&versions, 3).expect("trimmed");
    let kept = read().expect("read");
    assert_eq!(kept.len(), KEPT + 2, "the newest of both, and those that they follow");
    assert!(kept.contains_key(heads(&versions)[0].id.as_str()));
}

#[test]
fn a_folder_that_does_not_answer_keeps_no_game_from_starting() {
    let dir = folder();
    let desk = Device::new(&dir, "desk");
    desk.play("saves/a", "1");
    desk.does(Done::Sent);
    let failing = Arc::new(FailingDisk::new(0, Fault::Once));
    let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&failing);
    let pocket = Device::over(&dir, "pocket", &Files::over(door), Duration::from_millis(20));
    let (release, blocked) = bounded::<()>(0);
    failing.stop_at("list", move || {
        blocked.recv().ok();
    });
    pocket.sync.before_launch("pocket");
    assert_eq!(pocket.status().problem, "The cloud sync folder does not answer.");
    drop(release);
    // The late work ends silently; the next sync finds everything as it was.
    pocket.does(Done::Fetched);
    assert_eq!(pocket.archives(), 0, "there was nothing to archive");
}

#[test]
fn a_disk_that_fails_at_any_call_loses_no_saves() {
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let dir = folder();
            let desk = Device::new(&dir, "desk");
            desk.play("saves/a", "1");
            desk.leave_state("1");
            desk.does(Done::Sent);
            let failing = Arc::new(FailingDisk::new(call, fault));
            failing.arm(false);
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&failing);
            let pocket = Device::over(&dir, "pocket", &Files::over(door), PATIENCE);
            pocket.does(Done::Fetched);
            desk.play("saves/a", "2");
            desk.leave_state("2");
            desk.does(Done::Sent);
            failing.arm(true);
            let outcome = pocket.sync();
            let is_over = outcome.is_ok() && !failing.has_failed();
            failing.arm(false);
            let now = pocket.save("saves/a");
            assert!(now == "1" || now == "2", "{fault:?} {call}: {now}");
            if now == "2" {
                assert!(pocket.archives() > 0, "{fault:?} {call}: the old saves were not archived");
            }
            let (state, archive) = (pocket.state(), pocket.states().join("archive"));
            let is_archived = || Files::system().list(&archive).expect("listed").len() == 1;
            assert!(state == "1" || (state == "2" && is_archived()), "{fault:?} {call}: {state}");
            // A new start finds the disk whole again and gets to the end.
            drop(pocket);
            let pocket = Device::new(&dir, "pocket");
            pocket.sync().expect("synchronized");
            let both = (pocket.save("saves/a"), pocket.state());
            assert_eq!(both, ("2".into(), "2".into()), "{fault:?} {call}");
            if is_over {
                break;
            }
        }
    }
}
