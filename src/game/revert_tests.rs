//! Undoing everything, the newest first, leads to the beginning.

use std::{collections::BTreeMap, time::Duration};

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{
    revert::{self, Request},
    trash,
};
use crate::{
    base::{Moment, ids},
    files::Files,
    game::reference::GameRef,
    journal::{
        catalog::{self, Catalog},
        event::read_id,
        events::Query,
        handle::Journal,
    },
    model::Record,
    store::{Options, Paths, Store},
};

#[derive(Clone, Debug)]
enum Step {
    Add(u8),
    Edit(usize, usize, u8),
    Delete(usize),
    Trash(usize),
    Restore,
    Bulk(u8),
    Purge,
    /// An event is undone, by going to it or by undoing it.
    Revert(usize, bool),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        4 => (0_u8..6).prop_map(Step::Add),
        5 => (any::<usize>(), 0..5_usize, 0_u8..4).prop_map(|(at, field, it)| Step::Edit(at, field, it)),
        1 => any::<usize>().prop_map(Step::Delete),
        2 => any::<usize>().prop_map(Step::Trash),
        2 => Just(Step::Restore),
        1 => any::<u8>().prop_map(Step::Bulk),
        1 => Just(Step::Purge),
        2 => (any::<usize>(), any::<bool>()).prop_map(|(at, undo)| Step::Revert(at, undo)),
    ];
    prop::collection::vec(step, 1..25)
}

struct House {
    _dir: tempfile::TempDir,
    store: Store,
    journal: Journal,
}

impl House {
    fn new() -> Self {
        let dir = tempfile::tempdir().expect("a folder");
        let paths = Paths::below(dir.path());
        let place = dir.path().join("library.journal");
        let journal = Journal::new(Files::system(), paths, place, Moment::now);
        let options = Options {
            debounce: Duration::from_secs(100_000),
            scribe: Some(journal.scribe()),
            ..Options::at(dir.path())
        };
        Self { store: Store::open(options).expect("open"), journal, _dir: dir }
    }

    fn catalogs(&self) -> BTreeMap<String, Catalog> {
        let state = self.store.snapshot().expect("available");
        state.games.iter().map(|game| (game.id().to_owned(), catalog::of(game))).collect()
    }

    /// The ids of all events, newest first.
    fn events(&self) -> Vec<String> {
        let query = Query { limit: 1000, ..Query::default() };
        let page = self.journal.events(&query).expect("read");
        let page = serde_json::to_value(page).expect("JSON");
        let rows = page["events"].as_array().expect("a list").iter();
        rows.map(|row| row["event_id"].as_str().expect("an id").to_owned()).collect()
    }

    fn revert(&self, event: &str, undo: bool) {
        let id = read_id(event).expect("an id");
        let link = self.journal.find(&id).expect("read").expect("there");
        let request = Request { fields: None, undo };
        let state = self.store.snapshot().expect("available");
        let plan = revert::plan(&state, &link, &request).expect("planned");
        let now = Moment::now();
        let applied = self
            .store
            .commit(|draft| revert::apply(draft, &link, &request, &plan.base_token, &now))
            .expect("applied");
        assert_eq!(applied.changes, plan.changes);
        // Done once, there is nothing left to do.
        let state = self.store.snapshot().expect("available");
        if !undo {
            assert!(revert::plan(&state, &link, &request).expect("planned").is_noop());
        }
    }

    fn step(&self, step: &Step) {
        let id = |at: usize| {
            let state = self.store.snapshot().expect("available");
            let games = state.games.len();
            (games > 0).then(|| state.games.get(at % games).expect("a game").id().to_owned())
        };
        let now = Moment::now();
        match step {
            Step::Add(number) => {
                let record: Record = serde_json::from_value(json!({"name": format!("{number}"),
                    "path": format!("/{number}"), "game_id": format!("game-{number}")}))
                .expect("an object");
                // OK because a game with this id may be there already.
                drop(self.store.commit(|draft| draft.add_game(record)));
            }
            Step::Edit(at, field, value) => {
                let Some(id) = id(*at) else { return };
                let field = ["name", "genre", "tags", "description", "favorite"][*field];
                let value = match field {
                    "tags" => json!([value]),
                    "favorite" => json!(value % 2 == 0),
                    "genre" if *value == 0 => json!(""),
                    _ => json!(value.to_string()),
                };
                let edit = |game: &mut Record| game.set(field, value);
                self.store.commit(|draft| draft.edit_game(&id, edit)).expect("there");
            }
            Step::Delete(at) => {
                let Some(id) = id(*at) else { return };
                self.commit(|draft| drop(draft.remove_games(&[id])));
            }
            Step::Trash(at) => {
                let Some(id) = id(*at) else { return };
                let put = self.store.commit(|draft| trash::put(draft, &GameRef::Id(id), &now));
                put.expect("there");
            }
            Step::Restore => {
                let entries = self.store.snapshot().expect("available").rows::<trash::TrashEntry>();
                let Some(entry) = entries.last() else { return };
                let back = |draft: &mut _| trash::restore(draft, &entry.trash_id, &now);
                self.store.commit(back).expect("there");
            }
            Step::Purge => self.commit(|draft| {
                trash::purge(draft, None, &now);
            }),
            Step::Bulk(value) => self.commit(|draft| {
                let ids: Vec<String> =
                    draft.state().games.iter().map(|game| game.id().to_owned()).collect();
                for id in ids {
                    let platform = format!("{}", value % 3);
                    draft.edit_game(&id, |game| game.set("platform", platform)).expect("there");
                }
            }),
            Step::Revert(at, undo) => {
                let events = self.events();
                let Some(event) = events.get(at % events.len().max(1)) else { return };
                self.revert(event, *undo);
            }
        }
    }

    fn commit(&self, change: impl FnOnce(&mut crate::model::draft::Draft)) {
        let outcome = self.store.commit(|draft| {
            change(draft);
            Ok::<_, ()>(())
        });
        outcome.expect("committed");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn taking_everything_back_leads_to_the_beginning(before in steps(), after in steps()) {
        let house = House::new();
        for step in &before {
            house.step(step);
        }
        let start = house.catalogs();
        let known = house.events().len();
        for step in &after {
            house.step(step);
        }
        let events = house.events();
        for event in &events[..events.len() - known] {
            house.revert(event, true);
        }
        prop_assert_eq!(house.catalogs(), start);
        // And the whole way back to the empty library.
        for event in &events[events.len() - known..] {
            house.revert(event, true);
        }
        prop_assert_eq!(house.catalogs(), BTreeMap::new());
    }
}

#[test]
fn a_token_names_the_game_the_event_and_the_request() {
    let house = House::new();
    house.step(&Step::Add(1));
    house.step(&Step::Edit(0, 0, 2));
    let events = house.events();
    let state = house.store.snapshot().expect("available");
    let token = |event: &str, fields: Option<Vec<String>>, undo: bool| {
        let id = read_id(event).expect("an id");
        let link = house.journal.find(&id).expect("read").expect("there");
        revert::plan(&state, &link, &Request { fields, undo }).expect("planned").base_token
    };
    let mut tokens = vec![
        token(&events[0], None, false),
        token(&events[0], None, true),
        token(&events[0], Some(vec!["name".into()]), false),
        token(&events[1], None, false),
    ];
    assert!(tokens.iter().all(|token| token.len() == 64));
    assert_eq!(token(&events[0], None, false), tokens[0], "and is the same each time");
    tokens.sort_unstable();
    tokens.dedup();
    assert_eq!(tokens.len(), 4);
    let unknown = ids::hex(&[1; 32]);
    assert_eq!(house.journal.find(&read_id(&unknown).expect("an id")).expect("read"), None);
    assert_eq!(Value::from(events.len()), json!(2));
}
