//! Tags of the library: how often each is used, and changing them on many games at once
//! (`/api/tags`).

use std::collections::{HashMap, HashSet};

use serde_json::{Map, Value};

use super::{
    clean::{self, InputError, refuse},
    reference::{self, GameRef},
};
use crate::{
    base::text,
    model::{Cause, Draft, Record, State},
    store::{Committed, Store},
};

/// What happens to the tags of the chosen games.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TagChange {
    /// They become exactly these.
    Replace(Vec<String>),
    /// Some are added, others removed.
    Adjust {
        /// Tags to add; a known spelling stays.
        add: Vec<String>,
        /// Tags to remove, in any case.
        remove: Vec<String>,
    },
}

impl TagChange {
    /// Reads `tags`, or `tags_add` and `tags_remove`; `None` when there is no such key.
    ///
    /// # Errors
    /// When both forms are mixed, a tag is added and removed, or a list is not a list of tags.
    pub fn read(changes: &Map<String, Value>) -> Result<Option<Self>, InputError> {
        let list = |key: &str| changes.get(key).map(tags_of).transpose();
        let (replace, add, remove) = (list("tags")?, list("tags_add")?, list("tags_remove")?);
        match (replace, add, remove) {
            (None, None, None) => Ok(None),
            (Some(tags), None, None) => Ok(Some(Self::Replace(tags))),
            (Some(_), _, _) => Err(InputError(
                "Tags cannot be replaced and adjusted in the same request.".to_owned(),
            )),
            (None, add, remove) => {
                let (add, remove) = (add.unwrap_or_default(), remove.unwrap_or_default());
                if add.iter().any(|tag| holds(&remove, tag)) {
                    return Err(InputError(
                        "A tag cannot be added and removed in the same request.".to_owned(),
                    ));
                }
                Ok(Some(Self::Adjust { add, remove }))
            }
        }
    }

    /// Applies the change to one open record; the cap of tags holds.
    pub fn apply(&self, record: &mut Record) {
        let wanted = match self {
            Self::Replace(tags) => tags.clone(),
            Self::Adjust { add, remove } => {
                let kept = record.texts("tags").filter(|tag| !holds(remove, tag));
                kept.map(str::to_owned).chain(add.iter().cloned()).collect()
            }
        };
        // OK because every tag was checked when it was read.
        if let Ok(tags) = clean::clean_tags(&Value::from(wanted)) {
            record.set("tags", tags);
        }
    }
}

fn tags_of(value: &Value) -> Result<Vec<String>, InputError> {
    if value.is_null() {
        return refuse("Tags must be a list.");
    }
    let clean = clean::clean_tags(value)?;
    let list = clean.as_array().map_or(&[][..], Vec::as_slice);
    Ok(list.iter().filter_map(Value::as_str).map(str::to_owned).collect())
}

fn holds(tags: &[String], wanted: &str) -> bool {
    let wanted = text::fold(wanted);
    tags.iter().any(|tag| text::fold(tag) == wanted)
}

/// Every tag of the games that are not hidden with its count, most used first, then by name.
/// Spellings that differ in case count as one, under the first seen, and once for each game.
pub fn counts(state: &State) -> Vec<(String, usize)> {
    let mut counts: HashMap<String, (String, usize)> = HashMap::new();
    // Most games have no tags; only those that mention the key are opened.
    let tagged =
        state.games.iter().filter(|game| !game.hidden() && game.json().contains("\"tags\""));
    for record in tagged.map(|game| game.record()) {
        let mut seen = HashSet::new();
        for tag in record.texts("tags") {
            let folded = text::fold(tag);
            if seen.insert(folded.clone()) {
                counts.entry(folded).or_insert_with(|| (tag.to_owned(), 0)).1 += 1;
            }
        }
    }
    let mut sorted: Vec<(String, (String, usize))> = counts.into_iter().collect();
    sorted.sort_by(|(a, (_, one)), (b, (_, other))| other.cmp(one).then_with(|| a.cmp(b)));
    sorted.into_iter().map(|(_, count)| count).collect()
}

/// As [`change`], in one commit.
pub fn change_games(
    store: &Store,
    games: &[GameRef],
    tags: &TagChange,
) -> Committed<Vec<String>, InputError> {
    store.commit(|draft| change(draft, games, tags))
}

/// Applies a change to every named game and returns their stable ids, each once.
///
/// # Errors
/// `A selected game no longer exists.` for the first unknown game; nothing is changed then.
fn change(
    draft: &mut Draft,
    games: &[GameRef],
    change: &TagChange,
) -> Result<Vec<String>, InputError> {
    let ids = reference::select(&draft.state().games, games)?;
    for id in &ids {
        // OK because the id was found in this very draft.
        drop(draft.edit_by_person(id, |record| change.apply(record)));
    }
    draft.set_cause(Cause::Bulk(ids.clone()));
    Ok(ids)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn read(changes: &Value) -> Result<Option<TagChange>, String> {
        TagChange::read(changes.as_object().expect("an object")).map_err(|error| error.0)
    }

    #[test]
    fn a_change_of_tags_migrates_the_notes_of_its_games() {
        let mut draft = Draft::new(State::default());
        let record = json!({"game_id": "g", "notes": "old"});
        draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        let add = TagChange::Adjust { add: vec!["a".to_owned()], remove: Vec::new() };
        change(&mut draft, &[GameRef::Position(0)], &add).expect("changed");
        let record = draft.state().games.get(0).expect("there").record();
        assert_eq!(record.list("notes")[0]["text"], "old");
    }

    #[test]
    fn reads_one_form_at_a_time() {
        assert_eq!(read(&json!({"genre": "x"})), Ok(None));
        assert_eq!(
            read(&json!({"tags": ["a"], "tags_add": []})),
            Err("Tags cannot be replaced and adjusted in the same request.".to_owned())
        );
        assert_eq!(
            read(&json!({"tags_add": ["A"], "tags_remove": ["a"]})),
            Err("A tag cannot be added and removed in the same request.".to_owned())
        );
        assert_eq!(read(&json!({"tags": "a"})), Err("Tags must be a list.".to_owned()));
        assert_eq!(read(&json!({"tags": []})), Ok(Some(TagChange::Replace(Vec::new()))));
    }

    #[test]
    fn changes_and_counts() {
        let mut draft = Draft::new(State::default());
        for (name, hidden) in [("a", false), ("b", false), ("c", true)] {
            let record = json!({"name": name, "hidden": hidden, "tags": ["Co-op", name]});
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        }
        let adjust = read(&json!({"tags_add": ["CO-OP", "New"], "tags_remove": ["B"]}));
        let adjust = adjust.expect("valid").expect("a change");
        let games = [GameRef::Position(0), GameRef::Position(1), GameRef::Position(1)];
        assert_eq!(change(&mut draft, &games, &adjust).map(|ids| ids.len()), Ok(2));
        let tags =
            |at: usize| draft.state().games.get(at).expect("there").record().get("tags").cloned();
        assert_eq!(tags(0), Some(json!(["Co-op", "a", "New"])));
        assert_eq!(tags(1), Some(json!(["Co-op", "New"])));
        let twice = json!({"name": "d", "tags": ["A", "a"]});
        draft.add_game(serde_json::from_value(twice).expect("an object")).expect("added");
        let expected = [("a", 2), ("Co-op", 2), ("New", 2)];
        assert_eq!(counts(draft.state()), expected.map(|(tag, count)| (tag.to_owned(), count)));
        let gone = change(&mut draft, &[GameRef::Position(0), GameRef::Position(9)], &adjust);
        assert_eq!(gone, Err(InputError("A selected game no longer exists.".to_owned())));
    }
}
