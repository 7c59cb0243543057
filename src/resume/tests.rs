//! Unit tests of kept states: names, patterns, arguments, and what a failing disk leaves.
#![expect(clippy::disallowed_methods, reason = "tests make their own files")]

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
};

use super::{
    begin::{Begun, Origin},
    folder::{self, StoredState, shown},
    keep::{End, Snapshot},
    states::States,
    subject::Adapter,
};
use crate::{
    base::Moment,
    files::{
        Files,
        failing::{FailingDisk, Fault},
        testing,
    },
    model::emulators::{StateBlock, StateKind},
};

const GAME: &str = "game-1";

fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

fn adapter(kind: StateKind, template: &str, capture: &str, glob: &str) -> Adapter {
    let block =
        StateBlock { kind, template: words(template), capture: words(capture), glob: words(glob) };
    Adapter { id: "a".to_owned(), version: "1".to_owned(), block, is_installed: true }
}

fn retroarch() -> Adapter {
    adapter(
        StateKind::Retroarch,
        "-s {state_path} --appendconfig {state_config}",
        "--appendconfig {state_config}",
        "*.state*",
    )
}

fn mame() -> Adapter {
    let both = "-autosave -state_directory {state_dir} -state {state_name}";
    adapter(StateKind::AdapterCli, both, both, "**/*.sta")
}

fn scummvm() -> Adapter {
    adapter(
        StateKind::AdapterCli,
        "--savepath={state_dir} --save-slot=0",
        "--savepath={state_dir}",
        "*.s??",
    )
}

struct Fixture {
    states: States,
    _root: tempfile::TempDir,
    folder: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a folder");
        // A disk that never fails, and is quick because it syncs nothing.
        let files = Files::over(Arc::new(FailingDisk::new(0, Fault::Once)));
        let states = States::new(files, root.path().join("resume_states"));
        let folder = states.folder_of(GAME);
        Self { states, _root: root, folder }
    }

    fn over(&self, files: Files) -> States {
        States::new(files, self.folder.parent().expect("a root").to_owned())
    }

    fn begin(&self, adapter: &Adapter, origin: Origin<'_>) -> Begun {
        self.begin_with(adapter, origin, 5)
    }

    fn begin_with(&self, adapter: &Adapter, origin: Origin<'_>, retention: usize) -> Begun {
        let game = Path::new("/g/Game One.nes");
        self.states.begin(GAME, adapter, game, origin, retention).expect("begun")
    }

    /// The contents of the archive, sorted.
    fn archived(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.join("archive")).into_iter().flatten();
        let text = |entry: std::io::Result<fs::DirEntry>| {
            fs::read_to_string(entry.expect("an entry").path()).expect("a state")
        };
        let mut texts: Vec<String> = entries.map(text).collect();
        texts.sort();
        texts
    }

    fn write(&self, name: &str, text: &str) {
        testing::put(self.folder.join(name), text);
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.join(name)).expect(name)
    }

    fn keep(&self, begun: &Begun, retention: usize) -> Option<StoredState> {
        self.states.keep(GAME, &begun.session, end(retention)).expect("kept")
    }

    /// The contents of every file of the folder that is a state or a copy of one.
    fn contents(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut open = vec![self.folder.clone()];
        while let Some(folder) = open.pop() {
            for entry in fs::read_dir(folder).expect("a listing") {
                let path = entry.expect("an entry").path();
                if path.is_dir() {
                    open.push(path);
                } else if let Ok(text) = fs::read_to_string(&path) {
                    found.push(text);
                }
            }
        }
        found
    }
}

fn end(retention: usize) -> End<'static> {
    static NOW: std::sync::OnceLock<Moment> = std::sync::OnceLock::new();
    let now = NOW.get_or_init(|| Moment::from_unix(1_700_000_000));
    End { launch_id: "l", art: None, retention, now }
}

fn shown_words(begun: &Begun) -> String {
    let words: Vec<_> = begun.words.iter().map(|word| word.to_string_lossy()).collect();
    words.join(" ")
}

#[test]
fn folders_have_plain_short_names() {
    assert_eq!(folder::key("game-1.a_B"), "game-1.a_B");
    assert!(folder::key("a/b").starts_with("a_b-") && folder::key("a/b").len() == 16);
    let long = "x".repeat(81);
    assert_eq!(folder::key(&long).len(), 80);
    assert_eq!(folder::key(&"x".repeat(80)).len(), 80);
    assert_ne!(folder::key("a/b"), folder::key("a:b"));
    for odd in ["", ".", "..", "../x", "\u{e9}"] {
        let key = folder::key(odd);
        assert!(!key.is_empty() && !key.starts_with('.') && !key.contains('/'), "{key}");
    }
}

#[test]
fn patterns_match_parts_and_folders() {
    for (pattern, name, expected) in [
        ("*.state*", "Game.state.auto", true),
        ("*.state*", "Game.state", true),
        ("*.state*", "sub/Game.state", false),
        ("**/*.sta", "pacman/auto.sta", true),
        ("**/*.sta", "auto.sta", true),
        ("**/*.sta", "a/b/auto.sta", true),
        ("*.s??", "monkey.s00", true),
        ("*.s??", "monkey.s0", false),
        ("*", "anything", true),
        ("*a*b*", "xxaxxbxx", true),
        ("*a*b", "xxaxxbxx", false),
    ] {
        assert_eq!(folder::matches(pattern, name), expected, "{pattern} {name}");
    }
    assert!(!folder::is_state("Game.state.auto.png", &words("*.state*")));
}

#[test]
fn retroarch_loads_what_is_laid_out_for_it() {
    let fixture = Fixture::new();
    let first = fixture.begin(&retroarch(), Origin::Anew);
    let folder = shown(&fixture.folder);
    assert_eq!(shown_words(&first), format!("--appendconfig {folder}/service-session.cfg"));
    assert!(fixture.read("service-session.cfg").contains("savestate_auto_load = \"false\""));
    fixture.write("Game One.state.auto", "one");
    fixture.write("Game One.state.auto.png", "picture");
    let kept = fixture.keep(&first, 1).expect("a state");
    assert_eq!((kept.file.as_str(), kept.thumbnail.as_str()), ("resume.state", "thumb.png"));
    assert_eq!((fixture.read("resume.state"), kept.size), ("one".to_owned(), 3));
    let second = fixture.begin(&retroarch(), Origin::Kept(&kept));
    assert_eq!(shown_words(&second), format!("--appendconfig {folder}/service-session.cfg"));
    assert_eq!(fixture.read("Game One.state.auto"), "one");
    let settings = fixture.read("service-session.cfg");
    for line in [
        "savestate_auto_save = \"true\"",
        "savestate_auto_load = \"true\"",
        &format!("savestate_directory = \"{folder}\""),
        "savestate_thumbnail_enable = \"true\"",
        "sort_savestates_enable = \"false\"",
        "state_slot = \"0\"",
        "network_cmd_enable = \"true\"",
    ] {
        assert!(settings.lines().any(|each| each == line), "{line}");
    }
    assert_eq!(fixture.keep(&second, 1), None, "nothing was written");
    assert_eq!(fixture.read("resume.state"), "one");
    fixture.write("Game One.state.auto", "two");
    assert!(fixture.keep(&second, 2).is_some());
    assert_eq!(fixture.read("resume.state"), "two");
    assert!(fixture.contents().contains(&"one".to_owned()), "it is in the archive");
}

#[test]
fn mame_goes_on_by_name_in_the_folder_of_the_machine() {
    let fixture = Fixture::new();
    let first = fixture.begin(&mame(), Origin::Anew);
    assert!(shown_words(&first).ends_with("-state service-session"));
    fixture.write("pacman/auto.sta", "one");
    let kept = fixture.keep(&first, 1).expect("a state");
    assert_eq!(kept.file, "pacman/service-resume.sta");
    let second = fixture.begin(&mame(), Origin::Kept(&kept));
    assert!(shown_words(&second).ends_with("-state service-resume"));
}

#[test]
fn a_state_with_a_name_of_its_own_is_copied_before_it_is_played_on() {
    let fixture = Fixture::new();
    let first = fixture.begin(&scummvm(), Origin::Anew);
    assert_eq!(shown_words(&first), format!("--savepath={}", shown(&fixture.folder)));
    fixture.write("sky.s00", "one");
    let kept = fixture.keep(&first, 1).expect("a state");
    assert_eq!(kept.file, "sky.s00");
    let second = fixture.begin(&scummvm(), Origin::Kept(&kept));
    fixture.write("sky.s00", "broken");
    assert!(fixture.contents().contains(&"one".to_owned()), "a copy is left");
    assert!(fixture.keep(&second, 2).is_some());
    assert!(fixture.contents().contains(&"one".to_owned()), "an archive of one");
}

#[test]
fn the_archive_keeps_one_less_than_the_retention() {
    let fixture = Fixture::new();
    for number in 0..6 {
        let begun = fixture.begin(&mame(), Origin::Anew);
        fixture.write("m/auto.sta", &format!("state {number}"));
        assert!(fixture.keep(&begun, 3).is_some());
    }
    assert_eq!(fixture.archived(), ["state 3", "state 4"]);
    assert_eq!(fixture.read("m/service-resume.sta"), "state 5");
}

#[test]
fn a_moment_goes_on_from_a_copy() {
    let fixture = Fixture::new();
    let begun = fixture.begin(&mame(), Origin::Anew);
    fixture.write("m/auto.sta", "one");
    let kept = fixture.keep(&begun, 1).expect("a state");
    let snapshot = fixture.states.copy_for(GAME, "moment-1").expect("copied").expect("a state");
    assert_eq!((snapshot.file.as_str(), snapshot.size), ("moments/moment-1.sta", 3));
    let verify = |sha: &str| fixture.states.verified(GAME, &snapshot.file, sha).expect("read");
    let file = verify(&snapshot.sha256).expect("it is what was kept");
    assert_eq!(verify("00"), None);
    let origin = Origin::Copy { file: &file, name: &kept.file };
    let resumed = fixture.begin(&mame(), origin);
    assert!(shown_words(&resumed).ends_with("-state moment-session"));
    fixture.write("m/moment-session.sta", "played on");
    assert_eq!(fixture.read("moments/moment-1.sta"), "one");
    for outside in ["state.json", "moments/../state.json", "/etc/passwd", "m/service-resume.sta"] {
        assert_eq!(fixture.states.verified(GAME, outside, "").expect("read"), None, "{outside}");
    }
    fixture.states.forget(GAME, &snapshot.file).expect("removed");
    assert_eq!(verify(&snapshot.sha256), None);
}

/// Three sessions, the first with a moment; then the kept state and the moment are resumed from repeatedly, without any
/// output of the emulator.
#[test]
fn what_is_only_looked_at_pushes_nothing_out_of_the_archive() {
    for (adapter, name) in emulators() {
        for is_restarted in [false, true] {
            let fixture = Fixture::new();
            let mut moment = None;
            for number in 0..3 {
                let begun = fixture.begin(&adapter, Origin::Anew);
                fixture.write(name, &format!("state {number}"));
                fixture.keep(&begun, 5).expect("a state");
                moment = moment.or_else(|| fixture.states.copy_for(GAME, "m").expect("copied"));
            }
            let moment = moment.expect("a moment");
            let kept = fixture.states.stored(GAME).expect("a state");
            let file = fixture.folder.join(&moment.file);
            for round in 0..4 {
                for origin in [Origin::Kept(&kept), Origin::Copy { file: &file, name: &kept.file }]
                {
                    let mut begun = fixture.begin(&adapter, origin);
                    if is_restarted {
                        begun.session = fixture.states.taken_up(GAME, &adapter).expect("a session");
                    }
                    let kept = fixture.keep(&begun, 5);
                    // A state that is resumed from in its place may be as new as the start by the clock.
                    assert!(kept.is_none() || !name.contains(".auto"), "{name} {round}");
                }
            }
            let archived = fixture.archived();
            holds(&fixture, &["state 0", "state 1", "state 2"]);
            for number in 0..3 {
                let text = format!("state {number}");
                let copies = archived.iter().filter(|each| **each == text).count();
                assert!(copies <= 1, "{name}: {archived:?}");
            }
            assert!(archived.contains(&"state 1".to_owned()), "{name}: {archived:?}");
        }
    }
}

#[test]
fn a_start_cuts_the_archive_and_spares_what_it_put_there() {
    let fixture = Fixture::new();
    for number in 0..4 {
        fixture.write(&format!("archive/{number}-sky.s00"), &format!("state {number}"));
    }
    fixture.write("sky.s00", "mine");
    fixture.begin_with(&scummvm(), Origin::Anew, 3);
    assert_eq!(fixture.archived(), ["mine", "state 3"]);
    fixture.begin_with(&scummvm(), Origin::Anew, 1);
    assert_eq!(fixture.archived(), ["mine"], "the only copy of what is about to be overwritten");
}

#[test]
fn a_state_that_comes_again_is_the_newest_of_the_archive() {
    let fixture = Fixture::new();
    fixture.write("archive/1-sky.s00", "mine");
    fixture.write("archive/2-sky.s00", "other");
    fixture.write("sky.s00", "mine");
    let begun = fixture.begin_with(&scummvm(), Origin::Anew, 5);
    assert_eq!(fixture.archived(), ["mine", "other"]);
    fixture.write("sky.s00", "new");
    assert!(fixture.keep(&begun, 2).is_some());
    assert_eq!(fixture.archived(), ["mine"]);
}

#[test]
fn a_discarded_state_leaves_the_archive() {
    let fixture = Fixture::new();
    for text in ["one", "two"] {
        let begun = fixture.begin(&mame(), Origin::Anew);
        fixture.write("m/auto.sta", text);
        assert!(fixture.keep(&begun, 5).is_some());
    }
    assert!(fixture.states.discard(GAME).expect("removed"));
    assert!(!fixture.states.discard(GAME).expect("nothing there"));
    assert_eq!(fixture.states.stored(GAME), None);
    assert!(fixture.contents().contains(&"one".to_owned()));
}

#[test]
fn links_are_not_followed() {
    let fixture = Fixture::new();
    let outside = tempfile::tempdir().expect("a folder");
    fs::create_dir_all(fixture.folder.parent().expect("a root")).expect("made");
    fs::write(outside.path().join("state.json"), r#"{"file":"x"}"#).expect("written");
    fs::write(outside.path().join("x"), "foreign").expect("written");
    std::os::unix::fs::symlink(outside.path(), &fixture.folder).expect("linked");
    assert_eq!(fixture.states.stored(GAME), None);
    fs::remove_file(&fixture.folder).expect("unlinked");
    fixture.write("state.json", r#"{"file":"../x"}"#);
    assert_eq!(fixture.states.stored(GAME), None);
    fixture.write("state.json", r#"{"file":"link"}"#);
    std::os::unix::fs::symlink(outside.path().join("x"), fixture.folder.join("link"))
        .expect("linked");
    assert_eq!(fixture.states.stored(GAME), None);
}

/// Every disk call of a start and of an end fails once, permanently, or in the middle of a write: the state
/// from before and the one that the emulator wrote are both still there.
#[test]
fn no_failing_call_loses_a_state() {
    for adapter in [retroarch(), mame(), scummvm()] {
        let name = match adapter.block.template.first().map(String::as_str) {
            Some("-s") => "Game One.state.auto",
            Some("-autosave") => "m/auto.sta",
            _ => "sky.s00",
        };
        for fault in [Fault::Once, Fault::ForEver, Fault::Torn] {
            for call in 1.. {
                let fixture = Fixture::new();
                let first = fixture.begin(&adapter, Origin::Anew);
                fixture.write(name, "old state");
                let kept = fixture.keep(&first, 5).expect("a state");
                let disk = Arc::new(FailingDisk::new(call, fault));
                let failing = fixture.over(Files::over(Arc::<FailingDisk>::clone(&disk)));
                let game = Path::new("/g/Game One.nes");
                let begun = failing.begin(GAME, &adapter, game, Origin::Kept(&kept), 5);
                assert!(fixture.contents().contains(&"old state".to_owned()), "{name} {call}");
                // A session that could not be prepared is started without states.
                if let Ok(begun) = begun {
                    fixture.write(name, "new state");
                    let outcome = failing.keep(GAME, &begun.session, end(5));
                    let contents = fixture.contents();
                    assert!(contents.contains(&"old state".to_owned()), "{name} {fault:?} {call}");
                    assert!(contents.contains(&"new state".to_owned()), "{name} {fault:?} {call}");
                    if let Ok(Some(kept)) = outcome {
                        assert_eq!(fixture.read(&kept.file), "new state");
                    }
                }
                if !disk.has_failed() {
                    assert!(call > 1, "calls were counted");
                    break;
                }
            }
        }
    }
}

/// Runs something on a disk that stops permanently at its first call, then at its second, and so on, as a
/// kill does, until nothing was in its way.
fn at_every_call(mut run: impl FnMut(Files)) {
    for call in 1.. {
        let disk = Arc::new(FailingDisk::new(call, Fault::ForEver));
        run(Files::over(Arc::<FailingDisk>::clone(&disk)));
        if !disk.has_failed() {
            assert!(call > 1, "calls were counted");
            return;
        }
    }
}

/// An emulator of each kind, and the file that it writes.
fn emulators() -> [(Adapter, &'static str); 3] {
    [(retroarch(), "Game One.state.auto"), (mame(), "m/auto.sta"), (scummvm(), "sky.s00")]
}

/// A game that was left twice, with a moment of the first time.
fn left_twice(adapter: &Adapter, name: &str) -> (Fixture, StoredState, Snapshot) {
    let fixture = Fixture::new();
    let first = fixture.begin(adapter, Origin::Anew);
    fixture.write(name, "moment state");
    let kept = fixture.keep(&first, 5).expect("a state");
    let moment = fixture.states.copy_for(GAME, "moment-1").expect("copied").expect("a state");
    let second = fixture.begin(adapter, Origin::Kept(&kept));
    fixture.write(name, "old state");
    let kept = fixture.keep(&second, 5).expect("a state");
    (fixture, kept, moment)
}

#[track_caller]
fn holds(fixture: &Fixture, states: &[&str]) {
    let contents = fixture.contents();
    for state in states {
        assert!(contents.iter().any(|each| each == state), "{state} is not in {contents:?}");
    }
}

/// The moment is what was kept.
#[track_caller]
fn is_whole(fixture: &Fixture, moment: &Snapshot) {
    let found = fixture.states.verified(GAME, &moment.file, &moment.sha256).expect("read");
    assert!(found.is_some(), "{moment:?}");
}

#[test]
fn a_kill_at_any_call_of_a_start_leaves_what_to_go_on_from() {
    for (adapter, name) in emulators() {
        for is_of_moment in [false, true] {
            at_every_call(|files| {
                let (fixture, kept, moment) = left_twice(&adapter, name);
                let file = fixture.folder.join(&moment.file);
                let origin = if is_of_moment {
                    Origin::Copy { file: &file, name: &kept.file }
                } else {
                    Origin::Kept(&kept)
                };
                let game = Path::new("/g/Game One.nes");
                drop(fixture.over(files).begin(GAME, &adapter, game, origin, 5));
                holds(&fixture, &["old state", "moment state"]);
                let stored = fixture.states.stored(GAME).expect("a state");
                assert_eq!(stored.capture_id, kept.capture_id);
                let begun = fixture.begin(&adapter, Origin::Kept(&stored));
                fixture.write(name, "new state");
                let kept = fixture.keep(&begun, 5).expect("a state");
                assert_eq!(fixture.read(&kept.file), "new state");
                holds(&fixture, &["old state", "moment state"]);
                is_whole(&fixture, &moment);
            });
        }
    }
}

/// The service restarts after the kill and continues the session.
#[test]
fn a_kill_at_any_call_of_an_end_is_made_up_for() {
    for (adapter, name) in emulators() {
        at_every_call(|files| {
            let (fixture, kept, moment) = left_twice(&adapter, name);
            let begun = fixture.begin(&adapter, Origin::Kept(&kept));
            fixture.write(name, "new state");
            drop(fixture.over(files).keep(GAME, &begun.session, end(5)));
            holds(&fixture, &["new state", "old state", "moment state"]);
            let session = fixture.states.taken_up(GAME, &adapter).expect("a session");
            fixture.states.keep(GAME, &session, end(5)).expect("kept");
            let stored = fixture.states.stored(GAME).expect("a state");
            assert_eq!(fixture.read(&stored.file), "new state");
            holds(&fixture, &["old state", "moment state"]);
            is_whole(&fixture, &moment);
        });
    }
}

#[test]
fn a_kill_at_any_call_of_a_moment_loses_neither_it_nor_the_state() {
    let (adapter, name) = (mame(), "m/auto.sta");
    at_every_call(|files| {
        let (fixture, kept, moment) = left_twice(&adapter, name);
        drop(fixture.over(files).copy_for(GAME, "moment-2"));
        assert_eq!(fixture.states.stored(GAME).as_ref(), Some(&kept));
        let copy = fixture.states.copy_for(GAME, "moment-2").expect("copied").expect("a state");
        is_whole(&fixture, &copy);
        is_whole(&fixture, &moment);
    });
    for is_back in [false, true] {
        at_every_call(|files| {
            let (fixture, _, moment) = left_twice(&adapter, name);
            let killed = fixture.over(files);
            if is_back {
                fixture.states.set_aside(GAME, &moment.file).expect("set aside");
                drop(killed.bring_back(GAME, &moment.file));
            } else {
                drop(killed.set_aside(GAME, &moment.file));
            }
            holds(&fixture, &["moment state"]);
            fixture.states.bring_back(GAME, &moment.file).expect("restored");
            is_whole(&fixture, &moment);
        });
    }
}
