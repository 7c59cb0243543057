//! What a sync of a game's saves does, from the versions in the mounted folder and what is here. A pure
//! rule.
//!
//! Saves that are here are replaced only when they are, to the byte, a version that the new one follows.
//! Everything else is added next to what is there, and the user chooses.

use super::version::Version;
use crate::mounted::graph::{self, Nodes};

/// What a device knows of its saves.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Here {
    /// The version that the saves here come from; empty before the first sync.
    pub base: String,
    /// The content they had then.
    pub content: String,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// All is as it should be.
    Nothing,
    /// The saves here are this version already; only that has to be remembered.
    Adopt(String),
    /// The saves here are to be replaced by this version.
    Pull(String),
    /// The saves here become a version that follows these; `diverged` when others exist besides.
    Push {
        /// The versions it follows.
        parents: Vec<String>,
        /// Whether there is more than one newest version then.
        diverged: bool,
    },
    /// There is more than one newest version, and nothing to add.
    Choose,
}

/// The newest versions: those that no other one follows.
pub fn heads(versions: &Nodes<Version>) -> Vec<&Version> {
    let heads = graph::heads(versions).into_values().flatten();
    heads.filter_map(|id| versions.get(&id)).collect()
}

/// The step of a sync. `now` is the content of the saves here, `None` without any.
pub fn decide(versions: &Nodes<Version>, here: &Here, now: Option<&str>) -> Step {
    let heads = heads(versions);
    let is_base = |head: &&&Version| head.id == here.base;
    let same = heads.iter().find(|head| is_base(head) && Some(head.content.as_str()) == now);
    let same = same.or_else(|| heads.iter().find(|head| Some(head.content.as_str()) == now));
    if let Some(head) = same {
        return match (head.id == here.base && head.content == here.content, heads.len()) {
            (false, _) => Step::Adopt(head.id.clone()),
            (true, 1) => Step::Nothing,
            (true, _) => Step::Choose,
        };
    }
    // A base that is not in the folder any more proves nothing about the present files.
    let base = versions.get(&here.base);
    let is_changed = match (now, base) {
        (None, _) => false,
        (Some(now), Some(_)) => now != here.content,
        (Some(_), None) => true,
    };
    let parents = || base.map(|base| base.id.clone()).into_iter().collect::<Vec<_>>();
    match heads[..] {
        [] if now.is_some() => Step::Push { parents: Vec::new(), diverged: false },
        [] => Step::Nothing,
        [head] if head.id == here.base => {
            if is_changed {
                Step::Push { parents: parents(), diverged: false }
            } else {
                Step::Nothing
            }
        }
        [head] if !is_changed => Step::Pull(head.id.clone()),
        _ if is_changed => {
            let others = heads.iter().any(|head| head.id != here.base);
            Step::Push { parents: parents(), diverged: others }
        }
        _ => Step::Choose,
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn version(device: usize, content: &str, parents: Vec<String>) -> Version {
        let device = device.to_string();
        Version { device, content: content.to_owned(), parents, ..Version::default() }.sealed()
    }

    fn nodes(versions: &[&Version]) -> Nodes<Version> {
        versions.iter().map(|version| (version.id.clone(), (*version).clone())).collect()
    }

    fn at(version: &Version) -> Here {
        Here { base: version.id.clone(), content: version.content.clone() }
    }

    fn push(parents: &[&Version], diverged: bool) -> Step {
        Step::Push { parents: parents.iter().map(|one| one.id.clone()).collect(), diverged }
    }

    #[test]
    fn each_situation_has_its_step() {
        let one = version(1, "a", vec![]);
        let two = version(1, "b", vec![one.id.clone()]);
        let other = version(2, "c", vec![one.id.clone()]);
        let line = nodes(&[&one, &two]);
        let fork = nodes(&[&one, &two, &other]);
        let pull = Step::Pull(two.id.clone());
        let adopt = Step::Adopt(two.id.clone());
        let none = Here::default();
        for (versions, here, now, expected) in [
            (nodes(&[]), none.clone(), None, Step::Nothing),
            (nodes(&[]), none.clone(), Some("x"), push(&[], false)),
            (nodes(&[]), at(&one), Some("a"), push(&[], false)),
            (line.clone(), none.clone(), None, pull.clone()),
            (line.clone(), none.clone(), Some("b"), adopt.clone()),
            (line.clone(), none.clone(), Some("x"), push(&[], true)),
            (line.clone(), at(&one), Some("a"), pull.clone()),
            (line.clone(), at(&one), None, pull),
            (line.clone(), at(&one), Some("b"), adopt),
            (line.clone(), at(&one), Some("x"), push(&[&one], true)),
            (line.clone(), at(&two), Some("b"), Step::Nothing),
            (line.clone(), at(&two), None, Step::Nothing),
            (line.clone(), at(&two), Some("x"), push(&[&two], false)),
            (line, at(&other), Some("c"), push(&[], true)),
            (fork.clone(), at(&two), Some("b"), Step::Choose),
            (fork.clone(), at(&one), Some("a"), Step::Choose),
            (fork.clone(), none, None, Step::Choose),
            (fork, at(&two), Some("x"), push(&[&two], true)),
        ] {
            assert_eq!(decide(&versions, &here, now), expected, "{here:?} {now:?}");
        }
    }

    /// What happens in the life of three devices.
    #[derive(Clone, Debug)]
    enum Event {
        /// A device plays: its saves change.
        Play(usize),
        /// A device loses its saves.
        Wipe(usize),
        /// Some of what others wrote arrives at a device; the number chooses what.
        Arrive(usize, u64),
        /// A device synchronises, or is cut off before it remembers it.
        Sync(usize, bool),
        /// A user chooses one of the newest versions at a device.
        Choose(usize, usize),
    }

    fn events() -> impl Strategy<Value = Vec<Event>> {
        let device = || 0_usize..3;
        let event = prop_oneof![
            3 => device().prop_map(Event::Play),
            1 => device().prop_map(Event::Wipe),
            4 => (device(), any::<u64>()).prop_map(|(device, which)| Event::Arrive(device, which)),
            5 => (device(), prop::bool::weighted(0.8)).prop_map(|(device, whole)| Event::Sync(device, whole)),
            1 => (device(), 0_usize..4).prop_map(|(device, which)| Event::Choose(device, which)),
        ];
        prop::collection::vec(event, 0..60)
    }

    /// Three devices, each with its saves and its own view of the folder.
    #[derive(Default)]
    struct World {
        all: Nodes<Version>,
        seen: [BTreeSet<String>; 3],
        saves: [Option<String>; 3],
        here: [Here; 3],
        plays: usize,
    }

    impl World {
        fn view(&self, device: usize) -> Nodes<Version> {
            let seen = &self.seen[device];
            self.all
                .iter()
                .filter(|(id, _)| seen.contains(*id))
                .map(|(id, v)| (id.clone(), v.clone()))
                .collect()
        }

        /// Replaces the saves of a device, which must not lose anything that only it has.
        fn replace(&mut self, device: usize, version: &Version) {
            if let Some(now) = &self.saves[device] {
                let kept = self.all.values().any(|version| version.content == *now);
                assert!(kept, "{now} was overwritten and is nowhere else");
            }
            self.saves[device] = Some(version.content.clone());
        }

        fn add(&mut self, device: usize, version: Version) {
            self.seen[device].insert(version.id.clone());
            self.all.insert(version.id.clone(), version);
        }

        fn sync(&mut self, device: usize, is_whole: bool) -> Step {
            let view = self.view(device);
            let step = decide(&view, &self.here[device], self.saves[device].as_deref());
            let now = match &step {
                Step::Adopt(id) => view[id].clone(),
                Step::Pull(id) => {
                    let version = view[id].clone();
                    let known = graph::with_ancestors(&view, [id]);
                    let base = &self.here[device].base;
                    assert!(
                        self.saves[device].is_none() || known.contains(base),
                        "no follower was pulled"
                    );
                    self.replace(device, &version);
                    version
                }
                Step::Push { parents, .. } => {
                    let content = self.saves[device].clone().expect("there are saves");
                    let version = version(device, &content, parents.clone());
                    self.add(device, version.clone());
                    version
                }
                Step::Nothing | Step::Choose => return step,
            };
            if is_whole {
                self.here[device] = at(&now);
            }
            step
        }

        fn choose(&mut self, device: usize, which: usize) {
            self.sync(device, true);
            let view = self.view(device);
            let heads = heads(&view);
            if heads.len() < 2 {
                return;
            }
            let chosen = heads[which % heads.len()].clone();
            let parents = heads.iter().map(|head| head.id.clone()).collect();
            self.replace(device, &chosen);
            let merged = version(device, &chosen.content, parents);
            self.here[device] = at(&merged);
            self.add(device, merged);
        }

        fn settle(&mut self) {
            for seen in &mut self.seen {
                seen.extend(self.all.keys().cloned());
            }
        }
    }

    proptest! {
        #[test]
        fn no_saves_are_ever_overwritten_that_are_nowhere_else(events in events()) {
            let mut world = World::default();
            for event in events {
                match event {
                    Event::Play(device) => {
                        world.plays += 1;
                        world.saves[device] = Some(format!("play {}", world.plays));
                    }
                    Event::Wipe(device) => world.saves[device] = None,
                    Event::Arrive(device, which) => {
                        let ids: Vec<String> = world.all.keys().cloned().collect();
                        let some = ids.into_iter().enumerate().filter(|(at, _)| which >> (at % 64) & 1 == 1);
                        world.seen[device].extend(some.map(|(_, id)| id));
                    }
                    Event::Sync(device, is_whole) => drop(world.sync(device, is_whole)),
                    Event::Choose(device, which) => world.choose(device, which),
                }
            }
            // Once everything has arrived and was decided, all devices have the same saves.
            for _ in 0..3 {
                world.settle();
                for device in 0..3 {
                    world.sync(device, true);
                    world.settle();
                }
                world.choose(0, 0);
                world.settle();
            }
            for device in 0..3 {
                world.sync(device, true);
            }
            let contents: BTreeSet<_> = world.saves.iter().flatten().collect();
            prop_assert!(contents.len() <= 1, "{:?}", world.saves);
        }
    }
}
