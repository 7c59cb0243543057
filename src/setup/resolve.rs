//! Combines candidates and decisions into the steps of a commit. No I/O.
//!
//! A choice that comes with the commit goes before a decision, a decision before what was intended.

use crate::model::{Record, emulators::Catalog};

use super::{
    candidate::Candidate,
    classify::{Group, Item},
    decision::{Action, Choice, Decision},
};

/// What a commit does with a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Act {
    /// A row of its own; `is_decided` when the user asked for one although the library has a game of
    /// that title.
    Import {
        /// Whether the user asked for it.
        is_decided: bool,
    },
    /// A part of another game: the one with this id, or, where it is blank, of the one it is found to
    /// be.
    Merge {
        /// The id.
        target: String,
    },
    /// Nothing this time.
    Skip,
    /// Nothing now and, when the user asked for it, later.
    Exclude {
        /// Whether the user asked for it.
        is_decided: bool,
    },
    /// Not decided, and there is no default.
    Undecided,
}

/// Whether a candidate prevents the commit.
pub fn is_unresolved(group: Group, decision: Option<&Decision>, choice: Option<&Choice>) -> bool {
    group == Group::Ambiguities && decision.is_none() && !choice.is_some_and(Choice::is_made)
}

/// The act for a candidate.
pub fn act_of(item: &Item, decision: Option<&Decision>, choice: Option<&Choice>) -> Act {
    let target = || item.target.as_ref().map(|target| target.game_id.clone());
    match (decision.map(|decision| decision.action), item.group) {
        (Some(Action::Import), _) => Act::Import { is_decided: true },
        (Some(Action::Merge), _) => {
            Act::Merge { target: decision.map(|it| it.merge_target.clone()).unwrap_or_default() }
        }
        (Some(Action::Skip), _) | (None, Group::Duplicates) => Act::Skip,
        (Some(Action::Exclude), _) => Act::Exclude { is_decided: true },
        (None, Group::Exclusions) => Act::Exclude { is_decided: false },
        (None, Group::Merges) => Act::Merge { target: target().unwrap_or_default() },
        (None, Group::Additions) => Act::Import { is_decided: false },
        (None, Group::Ambiguities | Group::Unsupported) => {
            if choice.is_some_and(Choice::is_made) {
                Act::Import { is_decided: false }
            } else {
                Act::Undecided
            }
        }
    }
}

/// Gives a candidate the platform and the emulator that were decided.
pub fn apply(
    candidate: &mut Candidate,
    decision: Option<&Decision>,
    choice: Option<&Choice>,
    catalog: &Catalog,
) {
    let decided = decision.map(|decision| &decision.choice);
    let choice = choice.filter(|choice| choice.is_made()).or(decided);
    let row = &mut candidate.record;
    if let Some(choice) = choice.filter(|choice| choice.is_made()) {
        choose(row, choice);
    }
    let platform = decision.map_or("", |decision| decision.platform.as_str());
    if !platform.is_empty() {
        row.set("platform", platform);
    } else if candidate.is_ambiguous
        && let Some(known) = choice.and_then(|choice| catalog.definition(&choice.adapter_id))
    {
        row.set("platform", known.platform.as_str());
    }
}

fn choose(row: &mut Record, choice: &Choice) {
    if choice.is_adapter() {
        for (key, value) in
            [("emulator_id", &choice.emulator_id), ("emulator_adapter_id", &choice.adapter_id)]
        {
            if !value.is_empty() {
                row.set(key, value.as_str());
            }
        }
    } else {
        row.remove("emulator_id");
        row.remove("emulator_adapter_id");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        definitions::bundled,
        setup::{classify::Target, decision::LaunchSetup},
    };

    fn item(group: Group, target: Option<&str>) -> Item {
        let record = json!({"name": "A", "platform": "Disc image", "path": "/r/a.iso", "emulator_id": "old"});
        let record = serde_json::from_value(record).expect("an object");
        let is_ambiguous = group == Group::Ambiguities;
        Item {
            group,
            target: target.map(|id| Target {
                game_id: id.to_owned(),
                title: String::new(),
                platform: String::new(),
            }),
            same_as: None,
            merge_diff: None,
            candidate: Candidate { record, is_ambiguous, ..Candidate::default() },
        }
    }

    fn decision(action: Action) -> Decision {
        Decision {
            candidate_id: "a".to_owned(),
            action,
            merge_target: "game-9".to_owned(),
            platform: String::new(),
            choice: Choice::default(),
        }
    }

    fn adapter() -> Choice {
        Choice {
            emulator_id: "net.pcsx2.PCSX2".to_owned(),
            adapter_id: "pcsx2-ps2".to_owned(),
            launch_setup: Some(LaunchSetup::Adapter),
        }
    }

    #[test]
    fn decisions_go_before_intentions() {
        let merge = |target: &str| Act::Merge { target: target.to_owned() };
        for (group, intended) in [
            (Group::Additions, Act::Import { is_decided: false }),
            (Group::Merges, merge("game-1")),
            (Group::Duplicates, Act::Skip),
            (Group::Exclusions, Act::Exclude { is_decided: false }),
            (Group::Ambiguities, Act::Undecided),
            (Group::Unsupported, Act::Undecided),
        ] {
            let item = item(group, Some("game-1"));
            assert_eq!(act_of(&item, None, None), intended, "{group:?}");
            for (action, act) in [
                (Action::Import, Act::Import { is_decided: true }),
                (Action::Merge, merge("game-9")),
                (Action::Skip, Act::Skip),
                (Action::Exclude, Act::Exclude { is_decided: true }),
            ] {
                assert_eq!(act_of(&item, Some(&decision(action)), None), act, "{group:?}");
                assert!(!is_unresolved(group, Some(&decision(action)), None));
            }
            assert_eq!(is_unresolved(group, None, None), group == Group::Ambiguities);
            assert!(!is_unresolved(group, None, Some(&adapter())));
            assert_eq!(
                is_unresolved(group, None, Some(&Choice::default())),
                group == Group::Ambiguities
            );
        }
        let open = item(Group::Ambiguities, None);
        assert_eq!(act_of(&open, None, Some(&adapter())), Act::Import { is_decided: false });
    }

    #[test]
    fn an_emulator_brings_its_platform_where_that_is_open() {
        let applied = |group, decision: Option<&Decision>, choice: Option<&Choice>| {
            let mut candidate = item(group, None).candidate;
            apply(&mut candidate, decision, choice, &bundled::catalog());
            let text = |key: &str| candidate.record.text(key).to_owned();
            [text("platform"), text("emulator_id"), text("emulator_adapter_id")]
        };
        let own = ["Disc image", "old", ""];
        assert_eq!(applied(Group::Ambiguities, None, None), own);
        assert_eq!(applied(Group::Ambiguities, Some(&decision(Action::Import)), None), own);
        let chosen = ["PlayStation 2", "net.pcsx2.PCSX2", "pcsx2-ps2"];
        assert_eq!(applied(Group::Ambiguities, None, Some(&adapter())), chosen);
        let decided = Decision { choice: adapter(), ..decision(Action::Import) };
        assert_eq!(applied(Group::Ambiguities, Some(&decided), None), chosen);
        assert_eq!(applied(Group::Additions, Some(&decided), None)[0], "Disc image");
        let platform = Decision { platform: "Xbox".to_owned(), ..decided };
        assert_eq!(applied(Group::Ambiguities, Some(&platform), None)[0], "Xbox");
        let custom = Choice { launch_setup: Some(LaunchSetup::KeepCustom), ..adapter() };
        let over = applied(Group::Additions, Some(&platform), Some(&custom));
        assert_eq!(over[1..], ["", ""], "the choice of the commit goes before the decision");
    }
}
