//! The family view: what a locked client session sees of the library while it is on. Hidden games and games
//! rated above a chosen rating are left out, and with them everything in the state about them.
//!
//! A game without a rating, and one whose rating names no age (`RP`), stays.

use std::{
    collections::BTreeMap,
    sync::{Arc, Mutex, Weak},
};

use serde_json::{Map, Value};

use crate::{
    base::{Hold as _, text},
    config::settings::table::RATINGS,
    model::{Game, Games, State},
};

/// Whether the family view is on.
const ENABLED: &str = "museum_kiosk_family";
/// The highest rating that it shows.
const HIGHEST: &str = "museum_kiosk_esrb";

/// Sections without data on single games.
const WHOLE: [&str; 4] = ["settings", "profiles", "filter_presets", "smart_collections"];

/// The rating that counts where the settings have none.
const USUAL: &str = "T";

/// How each of [`RATINGS`] is spelled in libraries.
const SPELLINGS: [&[&str]; RATINGS.len()] = [
    &["ec", "early childhood"],
    &["e", "everyone", "k-a", "ka", "kids to adults"],
    &["e10+", "e10", "everyone 10+"],
    &["t", "teen"],
    &["m", "mature", "mature 17+"],
    &["ao", "adults only", "adults only 18+"],
];

/// Which games the family view shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Rule {
    /// The place of the highest rating in [`RATINGS`].
    highest: usize,
}

impl Rule {
    /// The rule of the settings; `None` while the family view is off.
    fn of(settings: &Map<String, Value>) -> Option<Self> {
        let highest = settings.get(HIGHEST).and_then(Value::as_str).and_then(age);
        let is_on = settings.get(ENABLED) == Some(&Value::Bool(true));
        is_on.then(|| Self { highest: highest.or_else(|| age(USUAL)).unwrap_or(0) })
    }

    fn shows(self, game: &Game) -> bool {
        !game.hidden() && age(game.esrb()).is_none_or(|age| age <= self.highest)
    }
}

/// The place of a rating in [`RATINGS`]. What follows ` - ` explains it: `M - Mature`.
fn age(rating: &str) -> Option<usize> {
    let short = rating.split(" - ").next().unwrap_or_default();
    let short = text::fold(short.trim());
    SPELLINGS.iter().position(|spellings| spellings.contains(&short.as_str()))
}

/// The state that was filtered last.
#[derive(Default)]
pub(super) struct FamilyView(Mutex<Option<(Weak<State>, Arc<State>)>>);

impl FamilyView {
    /// What the family view shows of a state; `None` while it is off.
    pub(super) fn of(&self, state: &Arc<State>) -> Option<Arc<State>> {
        let rule = Rule::of(state.settings())?;
        let mut kept = self.0.hold();
        if let Some((of, shown)) = kept.as_ref()
            && Weak::as_ptr(of) == Arc::as_ptr(state)
        {
            return Some(Arc::clone(shown));
        }
        let shown = Arc::new(filtered(state, rule));
        *kept = Some((Arc::downgrade(state), Arc::clone(&shown)));
        Some(shown)
    }
}

/// The games that a rule shows, and the sections without the others. A section that was not checked for names of games
/// is left out.
fn filtered(state: &State, rule: Rule) -> State {
    let shown = state.games.iter().filter(|game| rule.shows(game)).map(Arc::clone);
    let games = Games::from_games(shown);
    let mut sections = BTreeMap::new();
    for (key, value) in state.sections() {
        let value = match key {
            "playlists" => Arc::new(playlists(value, &games)),
            "queue" => Arc::new(rows(value, &games)),
            key if WHOLE.contains(&key) => Arc::clone(value),
            _ => continue,
        };
        sections.insert(key.into(), value);
    }
    State::new(games, sections, state.revision)
}

/// Playlists without the members that are not shown.
fn playlists(list: &Value, games: &Games) -> Value {
    let mut list = list.clone();
    for playlist in list.as_array_mut().into_iter().flatten() {
        if let Some(members) = playlist.get_mut("members").and_then(Value::as_array_mut) {
            members.retain(|member| is_shown(member, games));
        }
    }
    list
}

/// The rows of a section that are about games that are shown.
fn rows(list: &Value, games: &Games) -> Value {
    let rows = list.as_array().into_iter().flatten();
    rows.filter(|row| row.get("game_id").is_some_and(|id| is_shown(id, games))).cloned().collect()
}

fn is_shown(id: &Value, games: &Games) -> bool {
    id.as_str().is_some_and(|id| games.position(id).is_some())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::{Draft, Record};

    fn state(settings: Value) -> Arc<State> {
        let mut draft = Draft::new(State::default());
        for (id, esrb, hidden) in [
            ("plain", "", false),
            ("hidden", "", true),
            ("child", "E", false),
            ("teen", "T - Teen", false),
            ("adult", "m", false),
            ("pending", "RP", false),
        ] {
            let game = json!({"game_id": id, "name": id, "esrb": esrb, "hidden": hidden});
            let record: Record = serde_json::from_value(game).expect("an object");
            draft.add_game(record).expect("an id of its own");
        }
        let members = json!(["child", "adult", "hidden", "gone", 5]);
        draft
            .set_section("playlists", json!([{"name": "A", "members": members}, {"name": "B"}, 7]));
        draft.set_section("queue", json!([{"game_id": "adult"}, {"game_id": "child"}, {}]));
        draft.set_section("notifications", json!([{"message": "adult ended"}]));
        draft.set_section("history", json!([{"game": "adult"}]));
        draft.set_section("settings", settings);
        Arc::new(draft.finish().0)
    }

    fn ids(state: &State) -> Vec<&str> {
        state.games.iter().map(|game| game.id()).collect()
    }

    #[test]
    fn hidden_games_and_higher_ratings_are_left_out() {
        let shown = |highest: Value| {
            let state = state(json!({ENABLED: true, HIGHEST: highest}));
            ids(&FamilyView::default().of(&state).expect("on")).join(" ")
        };
        assert_eq!(shown(json!("EC")), "plain pending");
        assert_eq!(shown(json!("E")), "plain child pending");
        assert_eq!(shown(json!("E10+")), "plain child pending");
        assert_eq!(shown(json!("T")), "plain child teen pending");
        assert_eq!(shown(json!("M")), "plain child teen adult pending");
        assert_eq!(shown(json!("nonsense")), "plain child teen pending");
        assert_eq!(shown(json!(null)), "plain child teen pending");
    }

    #[test]
    fn what_the_state_says_of_them_is_left_out_too() {
        let state = state(json!({ENABLED: true, HIGHEST: "E"}));
        let shown = FamilyView::default().of(&state).expect("on");
        assert_eq!(
            shown.section("playlists"),
            &json!([{"name": "A", "members": ["child"]}, {"name": "B"}, 7])
        );
        assert_eq!(shown.section("queue"), &json!([{"game_id": "child"}]));
        assert!(shown.section("history").is_null() && shown.section("notifications").is_null());
        assert_eq!(shown.settings(), state.settings());
    }

    #[test]
    fn a_state_is_filtered_once_and_not_at_all_while_the_view_is_off() {
        let view = FamilyView::default();
        assert!(view.of(&state(json!({ENABLED: false, HIGHEST: "E"}))).is_none());
        assert!(view.of(&state(json!({}))).is_none());
        let state_on = state(json!({ENABLED: true}));
        let (first, again) = (view.of(&state_on), view.of(&state_on));
        assert!(Arc::ptr_eq(&first.expect("on"), &again.expect("on")));
        let other = state(json!({ENABLED: true, HIGHEST: "AO"}));
        assert_eq!(ids(&view.of(&other).expect("on")).len(), 5);
    }

    #[test]
    fn ratings_are_known_by_their_spellings() {
        for (rating, name) in [
            ("E", Some("E")),
            ("e10+ - Everyone 10+", Some("E10+")),
            ("Everyone", Some("E")),
            ("K-A", Some("E")),
            (" Mature 17+ ", Some("M")),
            ("M - Mature", Some("M")),
            ("Adults Only", Some("AO")),
            ("RP", None),
            ("Unrated", None),
            ("Not Rated", None),
            ("PEGI 18", None),
            ("", None),
        ] {
            assert_eq!(age(rating).map(|at| RATINGS[at]), name, "{rating:?}");
        }
        for rating in RATINGS {
            assert_eq!(age(rating).map(|at| RATINGS[at]), Some(*rating));
        }
    }
}
