//! Whole backups and restores, on a disk that works and on one that fails at every call.

use std::{
    fs,
    os::unix::fs::{PermissionsExt as _, symlink},
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicI64, AtomicUsize, Ordering},
    },
    time::Duration,
};

use serde_json::{Value, json};

use super::{
    archive::Archive,
    create::Created,
    error::BackupError,
    folder::{BackupContext, Backups},
    items::{CreateRequest, Item, RestoreRequest},
    watch::{Unwatched, Watch},
};
use crate::{
    base::Moment,
    config::data_dir::DataDir,
    files::{
        Files,
        disk::Disk,
        failing::{FailingDisk, Fault},
    },
    model::Cause,
    store::{Options, Store},
};

/// A data directory with a library in it.
pub(super) struct House {
    dir: tempfile::TempDir,
    pub(super) store: Store,
    pub(super) backups: Backups,
    running: Arc<AtomicUsize>,
    rung: Arc<AtomicUsize>,
}

fn library() -> Value {
    json!({
        "schema_version": 6,
        "games": [{"game_id": "a", "name": "Ä"}, {"game_id": "b", "name": "B", "extra": [1]}],
        "settings": {"theme": "dark", "libserver_password": "hunter22"},
        "history": [{"game": "B", "seconds": 5}],
        "future": {"kept": true},
    })
}

fn open(root: &Path, files: &Files) -> Store {
    let mut options = Options::at(root);
    options.files = files.clone();
    options.debounce = Duration::from_mins(10);
    Store::open(options).expect("open")
}

impl House {
    pub(super) fn new() -> Self {
        Self::over(&Files::system())
    }

    fn over(files: &Files) -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("real").join("data");
        Files::system().private_dir(&root).expect("made");
        let text = library().to_string();
        Files::system().replace(&root.join("library.json"), text.as_bytes()).expect("written");
        let store = open(&root, files);
        let (running, rung) = <(Arc<AtomicUsize>, Arc<AtomicUsize>)>::default();
        let (games, bell) = (Arc::clone(&running), Arc::clone(&rung));
        let backups = Backups::new(BackupContext {
            files: files.clone(),
            data_dir: DataDir::at(root),
            store: store.clone(),
            journal: None,
            running: Box::new(move || games.load(Ordering::SeqCst)),
            now: Moment::now,
        });
        store.watch_with_reports(Box::new(move |change| {
            if matches!(change.cause, Cause::MediaChanged(_)) {
                bell.fetch_add(1, Ordering::SeqCst);
            }
        }));
        Self { dir, store, backups, running, rung }
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.backups.context.data_dir.root().join(name)
    }

    pub(super) fn put(&self, name: &str, content: &[u8]) {
        let path = self.path(name);
        Files::system().private_dir(path.parent().expect("a folder")).expect("made");
        Files::system().replace(&path, content).expect("written");
    }

    pub(super) fn create(&self, items: &[Item], keep: usize) -> Result<Created, BackupError> {
        let request = CreateRequest { items: items.to_vec(), keep, ..CreateRequest::default() };
        self.backups.create(&request, &Unwatched)
    }

    /// Makes an archive of these and returns where it stands.
    pub(super) fn archive(&self, items: &[Item]) -> PathBuf {
        self.create(items, 0).expect("made").path
    }

    pub(super) fn restore(&self, path: &str, force: bool) -> Result<Vec<Item>, BackupError> {
        let request = RestoreRequest { path: path.to_owned(), items: None, force };
        self.backups.restore(&request, &Unwatched)
    }

    fn names(&self) -> Vec<String> {
        let state = self.store.snapshot().expect("a state");
        state.games.iter().map(|game| game.name().to_owned()).collect()
    }

    /// Removes a game, changes the settings and leaves a running session behind.
    pub(super) fn change(&self) {
        let changed = self.store.change(|draft| {
            draft.remove_games(&["b"]);
            draft.set_section(
                "settings",
                json!({"theme": "light", "libserver_password": "new", "x": 1}),
            );
            draft.set_section("active_sessions", json!([{"launch_id": "now"}]));
            draft.set_section("later", json!([1]));
        });
        changed.expect("committed");
    }
}

#[test]
fn a_restore_brings_everything_back_and_loses_no_secret() {
    let house = House::new();
    house.put("media/ü/one.png", b"picture");
    house.put("media/ü/.one.png.abc.tmp", b"unfinished");
    house.put("plugins/p/main.lua", b"code");
    house.put("extension-data/p/state", "7".repeat(300_000).as_bytes());
    let created = house.create(&Item::ALL, 0).expect("made");
    assert!(super::folder::is_own_name(&created.name), "{}", created.name);
    let text = fs::read(&created.path).expect("there");
    assert!(!String::from_utf8_lossy(&text).contains("hunter22"));
    let mode = fs::metadata(&created.path).expect("there").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let listed = house.backups.list().expect("listed");
    assert_eq!((listed.len(), listed[0].items.len(), listed[0].invalid), (1, 6, false));
    let before = house.store.snapshot().expect("a state").revision;
    house.change();
    house.put("media/ü/one.png", b"changed");
    house.put("media/new.png", b"stays");
    Files::system().remove_tree(&house.path("plugins")).expect("removed");
    let older = house.restore(&created.name, false);
    assert!(matches!(older, Err(BackupError::Older)), "{older:?}");
    let restored = house.restore(&created.name, true).expect("restored");
    assert_eq!(restored, Item::ALL);
    assert_eq!(house.names(), ["Ä", "B"]);
    let state = house.store.snapshot().expect("a state");
    assert!(state.revision > before);
    let settings = json!({"theme": "dark", "libserver_password": "new", "x": 1});
    assert_eq!(state.section("settings"), &settings);
    assert_eq!(state.section("active_sessions"), &json!([{"launch_id": "now"}]));
    assert_eq!(
        (state.section("later"), &state.section("future")["kept"]),
        (&json!([1]), &json!(true))
    );
    assert_eq!(fs::read(house.path("media/ü/one.png")).expect("there"), b"picture");
    assert_eq!(fs::read(house.path("media/new.png")).expect("there"), b"stays");
    assert_eq!(fs::read(house.path("plugins/p/main.lua")).expect("there"), b"code");
    let one = fs::metadata(house.path("media/ü/one.png")).expect("there").permissions().mode();
    assert_eq!(one & 0o777, 0o600);
    assert_eq!(house.rung.load(Ordering::SeqCst), 1);
    let kept = fs::read_to_string(house.path("library.before-restore.json")).expect("there");
    let kept: Value = serde_json::from_str(&kept).expect("json");
    assert_eq!(kept["settings"]["theme"], "light");
    assert_eq!(kept["games"].as_array().map(Vec::len), Some(1));
    let file = fs::read_to_string(house.path("settings.json")).expect("there");
    assert!(file.contains("dark") && !file.contains("hunter22"));
    house.store.close();
    let again = open(&house.path(""), &Files::system());
    assert_eq!(again.snapshot().expect("a state").games.len(), 2);
}

#[test]
fn plugins_keep_their_secrets_and_grants() {
    const STATE: &str = "plugins/plugins-state.json";
    let house = House::new();
    let manifest = json!({"settings": {"properties": {"pin": {"format": "password"}}}});
    house.put("plugins/p/plugin.json", manifest.to_string().as_bytes());
    let state = json!({
        "disabled": ["p"], "trust": {"p": {"trusted": true}}, "permissions": {"p": ["network"]},
        "settings": {"p": {"pin": "1234", "api_token": "hunter22", "speed": 3}},
    });
    house.put(STATE, state.to_string().as_bytes());
    let created = house.create(&[Item::Plugins], 0).expect("made");
    let mut archive = Archive::open(&Files::system(), &created.path).expect("open");
    let archived = archive.read(STATE).expect("whole").expect("it is in it");
    let archived: Value = serde_json::from_slice(&archived).expect("json");
    assert_eq!(archived, json!({"disabled": ["p"], "settings": {"p": {"speed": 3}}}));
    let now = json!({
        "disabled": [], "trust": {"q": {"trusted": true}},
        "settings": {"p": {"pin": "9", "api_token": "new", "speed": 4}},
    });
    house.put(STATE, now.to_string().as_bytes());
    house.restore(&created.name, false).expect("restored");
    let restored: Value =
        serde_json::from_slice(&fs::read(house.path(STATE)).expect("there")).expect("json");
    let expected = json!({
        "disabled": ["p"], "trust": {"q": {"trusted": true}},
        "settings": {"p": {"speed": 3, "pin": "9", "api_token": "new"}},
    });
    assert_eq!(restored, expected);
}

#[test]
fn a_drill_finds_what_a_restore_would_lose() {
    let house = House::new();
    house.put("media/one.png", &vec![7; 300_000]);
    house.put("plugins/plugins-state.json", b"{}");
    house.put("cache/restore-drill-0011/left", b"by a power cut");
    let created = house.create(&Item::ALL, 0).expect("made");
    assert_eq!(house.backups.newest().expect("listed").as_deref(), Some(created.name.as_str()));
    let before = house.store.snapshot().expect("a state").revision;
    let drilled = house.backups.drill(&created.name, &Unwatched).expect("it came back");
    assert_eq!((drilled.games, drilled.files), (2, 1));
    assert_eq!(house.store.snapshot().expect("a state").revision, before);
    assert!(Files::system().list(&house.path("cache")).expect("listed").is_empty());
    let whole = fs::read(&created.path).expect("there");
    for at in (0..whole.len()).step_by(whole.len() / 200) {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x20;
        Files::system().replace(&created.path, &damaged).expect("damaged");
        // A bit that means nothing, such as one of a time, may be another one.
        if let Ok(drilled) = house.backups.drill(&created.name, &Unwatched) {
            assert_eq!((drilled.games, drilled.files), (2, 1), "bit of byte {at}");
        }
        Files::system().replace(&created.path, &whole[..at]).expect("cut");
        assert!(house.backups.drill(&created.name, &Unwatched).is_err(), "cut at {at}");
    }
    assert!(Files::system().list(&house.path("cache")).expect("listed").is_empty());
}

#[test]
fn restored_settings_are_those_of_the_archive_where_it_had_none_too() {
    let house = House::new();
    let stored = |value: &Value| {
        let set = house.store.change(|draft| draft.set_section("settings", value.clone()));
        set.expect("committed");
    };
    let chosen = json!({"locale": "de", "screensaver_seconds": 0});
    for (then, now, expected) in [
        (json!({}), chosen.clone(), json!({})),
        (json!({"locale": "fr"}), chosen.clone(), json!({"locale": "fr"})),
        (chosen.clone(), json!({}), chosen),
        (
            json!({"locale": "fr"}),
            json!({"libserver_password": "p", "theme": "t", "last_auto_backup": "x", "later": 1}),
            json!({"locale": "fr", "libserver_password": "p", "theme": "t", "last_auto_backup": "x", "later": 1}),
        ),
    ] {
        stored(&then);
        for items in [&[Item::Settings][..], &[Item::Library, Item::Settings]] {
            let made = house.create(items, 0).expect("made");
            stored(&now);
            house.restore(&made.name, true).expect("restored");
            let state = house.store.snapshot().expect("a state");
            assert_eq!(state.section("settings"), &expected, "{then} {now} {items:?}");
            stored(&then);
        }
    }
}

#[test]
fn a_library_alone_keeps_the_settings_and_settings_alone_the_library() {
    let house = House::new();
    let library = house.create(&[Item::Library], 0).expect("made");
    let settings = house.create(&[Item::Settings], 0).expect("made");
    assert!(house.restore(&library.name, false).is_ok(), "nothing changed since");
    house.change();
    house.restore(&library.name, true).expect("restored");
    assert_eq!(house.names(), ["Ä", "B"]);
    assert_eq!(house.store.snapshot().expect("a state").settings()["theme"], "light");
    house.change();
    house.restore(&settings.name, false).expect("the age of a library does not matter");
    assert_eq!(house.names(), ["Ä"]);
    let state = house.store.snapshot().expect("a state");
    assert_eq!((&state.settings()["theme"], &state.settings()["x"]), (&json!("dark"), &json!(1)));
    let request =
        RestoreRequest { path: settings.name, items: Some(vec![Item::Media]), force: false };
    assert!(matches!(house.backups.check_restore(&request), Err(BackupError::NoItems)));
}

#[test]
fn the_newest_are_kept_and_strangers_are_left_alone() {
    let house = House::new();
    house.put("backups/mine.zip", b"no archive");
    let mut made = Vec::new();
    for keep in [0, 0, 0, 2] {
        made.push(house.create(&[Item::Settings], keep).expect("made").name);
    }
    let names: Vec<_> = house
        .backups
        .list()
        .expect("listed")
        .into_iter()
        .map(|row| (row.name, row.invalid))
        .collect();
    let expected =
        [(made[3].clone(), false), (made[2].clone(), false), ("mine.zip".to_owned(), true)];
    assert_eq!(names, expected);
}

#[test]
fn archives_of_recovery_make_room_for_each_other_only() {
    let house = House::new();
    house.put("backups/mine.zip", b"no archive");
    let asked = house.create(&[Item::Library], 0).expect("made").name;
    let recovery = || {
        let items = vec![Item::Library];
        let request =
            CreateRequest { items, keep: 3, is_recovery: true, ..CreateRequest::default() };
        house.backups.create(&request, &Unwatched).expect("made").name
    };
    let made: Vec<String> = (0..5).map(|_| recovery()).collect();
    let names: Vec<_> =
        house.backups.list().expect("listed").into_iter().map(|row| row.name).collect();
    let expected: Vec<&str> = made[2..].iter().rev().map(String::as_str).collect();
    assert_eq!(names[..3], expected);
    assert!(names.contains(&asked) && names.contains(&"mine.zip".to_owned()), "{names:?}");
    house.restore(&made[4], true).expect("it is an archive like any other");
}

/// The time of the clock in one test: seconds.
static CLOCK: AtomicI64 = AtomicI64::new(0);

#[test]
fn a_clock_that_jumps_costs_no_archive() {
    let mut house = House::new();
    house.backups.context.now = || Moment::from_unix(CLOCK.fetch_add(1, Ordering::SeqCst));
    let mut newest = Vec::new();
    for seconds in [2_000_000_000, 1_000_000_000, 3_000_000_000, 1_000_000_000, 1_700_000_000] {
        CLOCK.store(seconds, Ordering::SeqCst);
        let created = house.create(&[Item::Library], 2).expect("made");
        assert!(created.path.exists(), "the one that was just made is kept");
        newest.push(created.name);
    }
    let listed = house.backups.list().expect("listed");
    let names: Vec<_> = listed.iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, [newest[4].as_str(), newest[3].as_str()], "by the time of the files");
    // Made in the past by its manifest, so it is reported as older; with force it is restored.
    house.change();
    assert!(matches!(house.restore(&newest[3], false), Err(BackupError::Older)));
    house.restore(&newest[3], true).expect("restored");
    // Made in the future by its own words: the time of the file counts as well.
    CLOCK.store(4_000_000_000, Ordering::SeqCst);
    let future = house.create(&[Item::Library], 0).expect("made").name;
    house.change();
    assert!(matches!(house.restore(&future, false), Err(BackupError::Older)));
}

#[test]
fn nothing_happens_while_a_game_runs() {
    let house = House::new();
    let archive = house.create(&[Item::Library], 0).expect("made").name;
    house.running.store(1, Ordering::SeqCst);
    assert!(matches!(house.create(&Item::ALL, 0), Err(BackupError::Running { restoring: false })));
    let refused = house.restore(&archive, true);
    assert!(matches!(refused, Err(BackupError::Running { restoring: true })));
}

/// A restore in whose last step a game is started.
struct Launching<'a> {
    house: &'a House,
    has_ended: bool,
}

impl Watch for Launching<'_> {
    fn go_on(&self) -> Result<(), BackupError> {
        Ok(())
    }

    fn expect(&self, _members: u64) {}

    fn done(&self, _members: u64) {}

    fn promote(&self) -> Result<(), BackupError> {
        let changed = self.house.store.change(|draft| {
            if self.has_ended {
                let counted = draft.edit_game("a", |game| game.set("play_count", 1));
                counted.expect("the game");
            } else {
                draft.set_section("active_sessions", json!([{"launch_id": "new"}]));
            }
        });
        changed.expect("committed");
        Ok(())
    }
}

#[test]
fn a_game_that_is_started_while_a_backup_is_restored_loses_nothing() {
    for has_ended in [false, true] {
        let house = House::new();
        let archive = house.create(&[Item::Library], 0).expect("made").name;
        house.change();
        let request = RestoreRequest { path: archive, items: None, force: true };
        let refused = house.backups.restore(&request, &Launching { house: &house, has_ended });
        assert!(matches!(refused, Err(BackupError::Running { restoring: true })), "{refused:?}");
        assert_eq!(house.names(), ["Ä"], "the library is as it was");
    }
}

#[test]
fn links_are_not_archived_and_odd_names_are_told() {
    let house = House::new();
    house.put("media/fine", b"x");
    house.put("media/back\\slash", b"x");
    let created = house.create(&[Item::Media], 0).expect("made");
    assert_eq!(created.skipped, ["media/back\\slash"]);
    symlink("/etc/passwd", house.path("media/link")).expect("linked");
    let text = |error: BackupError| error.to_string();
    let inside = house.create(&[Item::Media], 0).map_err(text);
    assert_eq!(inside, Err("Backup source contains a symlink: media/link".into()));
    symlink(house.path("media"), house.path("themes")).expect("linked");
    let top = house.create(&[Item::Themes], 0).map_err(text);
    assert_eq!(top, Err("Backup source is a symlink: themes".into()));
    assert_eq!(house.backups.list().expect("listed").len(), 1);
}

#[test]
fn what_is_packed_already_is_stored_as_it_stands() {
    let house = House::new();
    for name in ["media/a.PNG", "media/b.mp4", "media/c.txt", "media/d"] {
        house.put(name, &[7; 10_000]);
    }
    let file = fs::File::open(house.archive(&[Item::Media])).expect("there");
    let mut zip = zip::ZipArchive::new(file).expect("a ZIP file");
    let stored: Vec<_> = (0..zip.len())
        .filter_map(|at| {
            let member = zip.by_index(at).expect("a member");
            (member.compressed_size() == 10_000).then(|| member.name().expect("text").into_owned())
        })
        .collect();
    assert_eq!(stored, ["media/a.PNG", "media/b.mp4"]);
}

#[test]
fn names_that_differ_in_their_case_come_back() {
    let house = House::new();
    house.put("media/A.png", b"upper");
    house.put("media/a.png", b"lower");
    let created = house.create(&[Item::Media], 0).expect("made");
    Files::system().remove_tree(&house.path("media")).expect("removed");
    house.restore(&created.name, false).expect("restored");
    assert_eq!(fs::read(house.path("media/A.png")).expect("there"), b"upper");
    assert_eq!(fs::read(house.path("media/a.png")).expect("there"), b"lower");
}

#[test]
fn a_link_in_the_way_is_refused_before_anything_is_written() {
    let house = House::new();
    house.put("media/a", b"archived");
    house.put("media/inner/b", b"archived");
    let created = house.create(&[Item::Media], 0).expect("made");
    house.put("media/a", b"mine");
    Files::system().remove_tree(&house.path("media/inner")).expect("removed");
    let outside = house.dir.path().join("outside");
    Files::system().private_dir(&outside).expect("made");
    symlink(&outside, house.path("media/inner")).expect("linked");
    let refused = house.restore(&created.name, false).map_err(|error| error.to_string());
    assert_eq!(refused, Err("Backup destination is a symlink: media/inner/b".into()));
    assert_eq!(fs::read(house.path("media/a")).expect("there"), b"mine");
    assert!(Files::system().list(&outside).expect("listed").is_empty());
}

#[test]
fn a_damaged_library_is_replaced_and_its_bytes_are_kept() {
    let house = House::new();
    let archive = house.create(&Item::DEFAULT, 0).expect("made").name;
    house.put("library.json", b"{\"games\": [broken");
    assert!(house.store.snapshot().is_err());
    house.restore(&archive, true).expect("restored");
    assert_eq!(house.names(), ["Ä", "B"]);
    let kept = fs::read(house.path("library.before-restore.json")).expect("there");
    assert_eq!(kept, b"{\"games\": [broken");
}

#[test]
fn every_call_may_fail_while_an_archive_is_made() {
    let mut points = 0;
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let disk = Arc::new(FailingDisk::new(call, fault));
            disk.arm(false);
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let house = House::over(&Files::over(door));
            house.put("media/one", &[3; 1_000]);
            let old = house.create(&Item::ALL, 0).expect("made");
            disk.arm(true);
            let outcome = house.create(&Item::ALL, 1);
            disk.arm(false);
            assert_eq!(house.names(), ["Ä", "B"], "{fault:?} {call}");
            let listed = house.backups.list().expect("listed");
            assert!(
                !listed.is_empty() && listed.iter().all(|row| !row.invalid),
                "{fault:?} {call}"
            );
            match outcome {
                Ok(new) => assert_eq!(listed[0].name, new.name),
                Err(_) => assert!(listed.iter().any(|row| row.name == old.name)),
            }
            if !disk.has_failed() {
                break;
            }
            points += 1;
        }
    }
    assert!(points >= 40, "{points} points");
}

#[test]
fn every_call_may_fail_while_an_archive_is_restored() {
    let mut points = 0;
    let mut outcomes = [false; 2];
    for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
        for call in 1.. {
            let disk = Arc::new(FailingDisk::new(call, fault));
            disk.arm(false);
            let door: Arc<dyn Disk> = Arc::<FailingDisk>::clone(&disk);
            let house = House::over(&Files::over(door));
            house.put("media/one", b"archived");
            let grant = json!({"trust": {"p": {"trusted": true}}}).to_string();
            house.put("plugins/plugins-state.json", grant.as_bytes());
            let archive = house.create(&Item::ALL, 0).expect("made");
            house.change();
            house.put("media/one", b"mine");
            disk.arm(true);
            let restored = house.restore(&archive.name, true);
            disk.arm(false);
            let media = fs::read(house.path("media/one")).expect("there");
            assert!(media == b"archived" || media == b"mine", "{fault:?} {call}");
            let granted = fs::read_to_string(house.path("plugins/plugins-state.json"));
            assert_eq!(granted.expect("there"), grant, "{fault:?} {call}");
            let root = house.path("");
            let House { dir, store, backups, .. } = house;
            drop((store, backups));
            let again = open(&root, &Files::system());
            let games = again.snapshot().expect("the library opens").games.len();
            assert!(games == 1 || games == 2, "{fault:?} {call}: {games}");
            if restored.is_ok() {
                assert_eq!((games, media.as_slice()), (2, &b"archived"[..]));
            }
            outcomes[games - 1] = true;
            assert!(Archive::open(&Files::system(), &archive.path).is_ok());
            drop((again, dir));
            if !disk.has_failed() {
                break;
            }
            points += 1;
        }
    }
    assert!(points >= 60 && outcomes == [true, true], "{points} points, {outcomes:?}");
}
