//! Plans over random libraries: a commit is complete and happens once, in any order of decisions.

use std::collections::HashMap;

use proptest::prelude::*;
use serde_json::json;

use super::{
    candidate::Candidate,
    classify::{Classifier, Group, Item},
    commit::{self, PlanError},
    decision::{Action, Choice, Decision},
    plan::Step,
    resolve,
};
use crate::{
    base::Moment,
    definitions::bundled,
    imports::Incoming,
    model::{Draft, Games, State},
};

fn now() -> Moment {
    Moment::from_unix(1_795_280_400)
}

fn empty() -> State {
    State::new(Games::from_games([]), std::collections::BTreeMap::default(), 1)
}

/// One of few titles in one of three sources, so that many are the same game.
fn candidate(source: usize, title: usize) -> Candidate {
    let name = format!("Title {title}");
    let record = match source {
        0 => json!({"name": name, "platform": "PC", "source": "store_a", "path": "/bin/steam",
            "launch": "steam {app_id}", "store_a_app_id": title.to_string(), "store_installed": true}),
        1 => json!({"name": name, "platform": "PC", "source": "GOG", "store_b_source": "GOG",
            "path": "/bin/xdg-open", "launch": "open {store_b_app_id}",
            "store_b_app_id": format!("g{title}"), "store_installed": true}),
        _ => json!({"name": name, "platform": "NES", "path": format!("/r/{title}.nes")}),
    };
    let record = serde_json::from_value(record).expect("an object");
    let is_file = source == 2;
    let of = Candidate::from_incoming(Incoming { record, is_file, ..Incoming::default() });
    Candidate { id: format!("{source}-{title}"), is_plain: is_file, ..of }
}

fn sorted(state: &State, candidates: &[(usize, usize)]) -> Vec<Item> {
    let catalog = bundled::catalog();
    let mut classifier = Classifier::new(state, &catalog);
    candidates.iter().map(|(source, title)| classifier.sort(candidate(*source, *title))).collect()
}

fn steps(items: &[Item], decisions: &HashMap<String, Decision>) -> Vec<Step> {
    let step = |item: &Item| {
        let decision = decisions.get(&item.candidate.id);
        let act = resolve::act_of(item, decision, None);
        Step::new(act, &item.candidate)
    };
    items.iter().map(step).collect()
}

fn decided(id: String, action: Action) -> Decision {
    Decision {
        candidate_id: id,
        action,
        merge_target: String::new(),
        platform: String::new(),
        choice: Choice::default(),
    }
}

fn committed(state: &State, steps: Vec<Step>, token: &str) -> (State, commit::Done) {
    let mut draft = Draft::new(state.clone());
    let done = commit::commit(&mut draft, steps, token, "b", &now(), |_| true).expect("committed");
    (draft.finish().0, done)
}

fn names(state: &State) -> Vec<(String, String)> {
    state.games.iter().map(|game| (game.name().to_owned(), game.json().to_owned())).collect()
}

fn actions() -> impl Strategy<Value = Action> {
    prop_oneof![Just(Action::Import), Just(Action::Skip), Just(Action::Exclude)]
}

proptest! {
    /// Every candidate is counted once; a plan is carried out once; a second scan finds nothing new.
    #[test]
    fn a_plan_becomes_a_part_of_the_library_once(
        candidates in prop::collection::vec((0_usize..3, 0_usize..6), 0..24),
    ) {
        let items = sorted(&empty(), &candidates);
        let (after, done) = committed(&empty(), steps(&items, &HashMap::new()), "p:1");
        let all = done.outcome;
        let counted = all.added + all.merged + all.skipped + all.excluded + all.failed;
        prop_assert_eq!(counted, candidates.len() as u64);
        prop_assert_eq!(all.added, after.games.len() as u64);
        prop_assert_eq!(all.failed, 0);

        let (again, told) = committed(&after, steps(&items, &HashMap::new()), "p:1");
        prop_assert_eq!(told.outcome.added, all.added);
        prop_assert_eq!(names(&again), names(&after));

        let items = sorted(&after, &candidates);
        prop_assert!(items.iter().all(|item| item.group == Group::Duplicates), "{:?}", items);
        let (twice, none) = committed(&after, steps(&items, &HashMap::new()), "q:1");
        prop_assert_eq!((none.outcome.added, none.outcome.merged), (0, 0));
        prop_assert_eq!(names(&twice), names(&after));
    }

    /// Only the newest decision of each candidate counts, in whatever pages they came.
    #[test]
    fn the_order_of_pages_is_no_matter(
        candidates in prop::collection::vec((0_usize..3, 0_usize..6), 1..24),
        decisions in prop::collection::vec((0_usize..24, actions()), 0..40),
    ) {
        let items = sorted(&empty(), &candidates);
        let mut newest = HashMap::new();
        for (at, action) in &decisions {
            let id = items[at % items.len()].candidate.id.clone();
            newest.insert(id.clone(), decided(id, *action));
        }
        let mut backwards: Vec<_> = newest.values().cloned().collect();
        backwards.sort_by(|a, b| b.candidate_id.cmp(&a.candidate_id));
        let backwards = backwards.into_iter().map(|each| (each.candidate_id.clone(), each)).collect();
        let (one, done) = committed(&empty(), steps(&items, &newest), "p:1");
        let (other, same) = committed(&empty(), steps(&items, &backwards), "p:1");
        prop_assert_eq!(names(&one), names(&other));
        prop_assert_eq!(&done.outcome, &same.outcome);
        let unwanted = newest.values().filter(|it| it.action == Action::Exclude).count();
        let kept = one.settings().get("import_exclusions").and_then(|list| list.as_array());
        prop_assert!(kept.map_or(0, Vec::len) <= unwanted);
        let wanted = |item: &&Item| newest.get(&item.candidate.id).is_none_or(|it| it.action == Action::Import);
        if !items.iter().any(|item| wanted(&item)) {
            prop_assert_eq!(one.games.len(), 0);
        }
    }

    /// A plan that is refused half-way leaves nothing behind.
    #[test]
    fn a_damaged_plan_is_refused_as_a_whole(
        candidates in prop::collection::vec((0_usize..3, 0_usize..6), 1..24),
        at in 0_usize..24,
    ) {
        let items = sorted(&empty(), &candidates);
        let mut plan = steps(&items, &HashMap::new());
        let at = at % plan.len();
        plan[at].candidate = "{torn".into();
        let mut draft = Draft::new(empty());
        let refused = commit::commit(&mut draft, plan, "p:1", "b", &now(), |_| true);
        prop_assert_eq!(refused.err(), Some(PlanError::Damaged));
    }
}

#[test]
fn a_plan_for_another_library_is_refused() {
    let items = sorted(&empty(), &[(0, 1)]);
    let mut draft = Draft::new(empty());
    let plan = steps(&items, &HashMap::new());
    let refused = commit::commit(&mut draft, plan, "p:1", "b", &now(), |_| false);
    assert_eq!(refused.err(), Some(PlanError::LibraryChanged));
    assert!(draft.finish().1.is_empty());
}

#[test]
fn twenty_commits_are_remembered() {
    let mut state = empty();
    for number in 0..21 {
        state = committed(&state, Vec::new(), &format!("p:{number}")).0;
    }
    assert!(commit::recall(&state, "p:0").is_none());
    for number in 1..21 {
        assert!(commit::recall(&state, &format!("p:{number}")).is_some());
    }
}
