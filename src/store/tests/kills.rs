//! Random runs with a kill at any byte of the log: the state found is one that existed.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::store::{line, recovery::Source};

/// What happens in a life.
#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Rename(usize, u8),
    Remove(usize),
    List(u8),
    Fold,
    Close,
    /// A kill; the log keeps this share of its newest bytes, in 255ths.
    Kill(u8),
    /// A kill, and the library file is damaged as well.
    Recover,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => any::<u8>().prop_map(Step::Add),
        4 => (any::<usize>(), any::<u8>()).prop_map(|(at, name)| Step::Rename(at, name)),
        1 => any::<usize>().prop_map(Step::Remove),
        2 => any::<u8>().prop_map(Step::List),
        2 => Just(Step::Fold),
        1 => Just(Step::Close),
        2 => any::<u8>().prop_map(Step::Kill),
        1 => Just(Step::Recover),
    ];
    prop::collection::vec(step, 1..30)
}

struct Life {
    folder: TempDir,
    store: Store,
    /// The state after each revision that was answered.
    answered: Vec<(u64, String)>,
}

impl Life {
    fn begin() -> Self {
        let folder = folder();
        let store = open(folder.path());
        let mut life = Self { folder, store, answered: Vec::new() };
        life.note();
        life
    }

    fn note(&mut self) {
        let state = self.store.snapshot().expect("available");
        self.answered.retain(|(revision, _)| *revision < state.revision);
        self.answered.push((state.revision, text(&state)));
    }

    fn step(&mut self, step: &Step) {
        let store = &self.store;
        let games = store.snapshot().expect("available").games.len();
        match step {
            Step::Add(name) => drop(add(store, &format!("{name}"))),
            Step::Rename(at, name) if games > 0 => {
                let state = store.snapshot().expect("available");
                let game = state.games.get(at % games).expect("a game");
                rename(store, game.id(), &format!("renamed {name}"));
            }
            Step::Remove(at) if games > 0 => {
                let state = store.snapshot().expect("available");
                let id = state.games.get(at % games).expect("a game").id().to_owned();
                let removed = store.commit(|draft| Ok::<_, ()>(draft.remove_games(&[id]).len()));
                assert_eq!(removed.expect("committed"), 1);
            }
            Step::List(value) => {
                let list = json!(vec![*value; usize::from(value % 7)]);
                let set = store.commit(|draft| {
                    draft.set_section("history", list);
                    Ok::<_, ()>(())
                });
                set.expect("committed");
            }
            Step::Fold => drop(store.fold_now().expect("folded")),
            Step::Close => {
                store.close();
                self.store = Store::open(options(&crash(&mut self.folder))).expect("open");
                assert_eq!(self.store.load_report().replayed, 0);
            }
            Step::Kill(share) => self.kill(*share),
            Step::Recover => {
                let path = crash(&mut self.folder);
                put(&path.join("library.json"), "damaged");
                self.store = open(&path);
                if self.store.recover(&Source::Backup).is_err() {
                    // It is unchanged: it begins empty, or with an empty snapshot.
                    remove(&path.join("library.json"));
                    if self.store.fold_now().is_err() {
                        self.store.recover(&Source::Backup).expect("recovered");
                    }
                }
                let newest = &self.answered.last().expect("a state").1;
                assert_eq!(&text(&self.store.snapshot().expect("available")), newest);
            }
            Step::Rename(..) | Step::Remove(_) => {}
        }
        self.note();
    }

    fn kill(&mut self, share: u8) {
        let path = crash(&mut self.folder);
        let log = std::fs::read(path.join("library.log")).expect("read");
        let library = std::fs::read(path.join("library.json")).expect("read");
        let library: Value = serde_json::from_slice(&library).expect("JSON");
        let lineage = library["lineage"].as_str().expect("a lineage").to_owned();
        let base = library["revision"].as_u64().expect("a revision");
        let revisions = |log: &[u8]| -> Vec<u64> {
            line::split(log).0.iter().filter_map(|line| line.revision(&lineage)).collect()
        };
        // A kill does not reach what was durable before: the header and what has been folded.
        let ends = log.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let folded = revisions(&log).iter().filter(|revision| **revision <= base).count();
        let safe = ends.take(1 + folded).last().expect("a header");
        let kept = safe + (log.len() - safe) * usize::from(share) / 255;
        put(&path.join("library.log"), &log[..kept]);
        let expected = revisions(&log[..kept]).into_iter().fold(base, u64::max);
        self.store = open(&path);
        let found = text(&self.store.snapshot().expect("available"));
        let was = self.answered.iter().rev().find(|(revision, _)| *revision <= expected);
        assert_eq!(found, was.expect("a state").1);
        if share == 255 {
            assert_eq!(found, self.answered.last().expect("a state").1);
        }
    }
}

/// Leaves the folder to its store and goes on in a copy, as a kill would leave it.
fn crash(folder: &mut TempDir) -> std::path::PathBuf {
    *folder = crashed_copy(folder.path());
    folder.path().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_kill_at_any_byte_finds_a_state_that_was(steps in steps()) {
        let mut life = Life::begin();
        for step in &steps {
            life.step(step);
        }
    }
}
