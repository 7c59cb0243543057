//! Smart collections: named phrases whose games are found anew at every look (Document 1, "Smart
//! collection rules"; facts of the library, section 3).

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use super::{
    card::Surroundings,
    phrase::{self, Phrase, matching},
};
use crate::{
    base::{
        clock::Moment,
        limits::{COLLECTION_NAME_CHARS, COLLECTION_QUERY_CHARS, COLLECTIONS},
        text,
    },
    model::{draft::Draft, games::Games, state::State},
};

const SECTION: &str = "smart_collections";

/// Why a change of the collections was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CollectionError {
    /// A name, a phrase or the number of collections breaks a rule.
    #[error("not a valid collection: {0}")]
    Invalid(String),
    /// No collection has this name.
    #[error("no such collection")]
    Unknown,
}

/// One collection with the number of its games, hidden ones too.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
pub struct Collection {
    /// Its name.
    pub name: String,
    /// The phrase that finds its games.
    pub query: String,
    /// How many games that are now.
    pub count: usize,
}

/// A phrase read for this library: platforms in its spelling, years as of now.
#[must_use]
pub fn read_phrase(query: &str, games: &Games, now: &Moment) -> Phrase {
    let this_year = now.local_format("%Y").parse().unwrap_or(1970);
    let mut read = phrase::parse(query, this_year);
    if read.names_platform() {
        let all = games.chunks().iter().flat_map(|chunk| chunk.iter());
        let platforms: BTreeSet<&str> = all.map(|game| game.platform()).collect();
        read.settle(&platforms);
    }
    read
}

/// Every collection in the order in which they were made. A stored phrase that cannot be read finds
/// no game.
#[must_use]
pub fn list(state: &State, around: &dyn Surroundings, now: &Moment) -> Vec<Collection> {
    let rows = state.section(SECTION).as_array().map_or(&[][..], Vec::as_slice);
    let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("").to_owned();
    let shown = |row: &Value| {
        let query = text(row, "query");
        let read = read_phrase(&query, &state.games, now);
        let count = matching::taken(&read, &state.games, around, now).len();
        Collection { name: text(row, "name"), query, count }
    };
    rows.iter().map(shown).collect()
}

/// Saves a posted collection, in the place of the one with its name, and returns the name.
///
/// # Errors
/// [`CollectionError::Invalid`] with the sentence for the first rule that is broken.
pub fn save(draft: &mut Draft, posted: &Map<String, Value>) -> Result<String, CollectionError> {
    let refuse = |text: &str| Err(CollectionError::Invalid(text.to_owned()));
    let text = |key: &str| posted.get(key).and_then(Value::as_str).unwrap_or("");
    let (name, query) = (text("name").trim(), text::collapse(text("query")));
    if name.is_empty() {
        return refuse("Collection name is required.");
    }
    if name.chars().count() > COLLECTION_NAME_CHARS {
        return refuse("Collection name must be at most 80 characters.");
    }
    if query.is_empty() {
        return refuse("Collection query is required.");
    }
    if query.chars().count() > COLLECTION_QUERY_CHARS {
        return refuse("Collection query must be at most 500 characters.");
    }
    let mut rows = draft.state().section(SECTION).as_array().cloned().unwrap_or_default();
    let row = json!({"name": name, "query": query});
    match rows.iter().position(|row| row["name"] == name) {
        // Keys of a newer version stay.
        Some(at) if rows[at].is_object() => rows[at]["query"] = query.into(),
        Some(at) => rows[at] = row,
        None if rows.len() >= COLLECTIONS => {
            return refuse("At most 50 smart collections can be saved.");
        }
        None => rows.push(row),
    }
    draft.set_section(SECTION, rows.into());
    Ok(name.to_owned())
}

/// Deletes a collection; its games stay.
///
/// # Errors
/// [`CollectionError::Unknown`].
pub fn delete(draft: &mut Draft, name: &str) -> Result<(), CollectionError> {
    let mut rows = draft.state().section(SECTION).as_array().cloned().unwrap_or_default();
    let at = rows.iter().position(|row| row["name"] == name.trim());
    rows.remove(at.ok_or(CollectionError::Unknown)?);
    draft.set_section(SECTION, rows.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posted(name: &str, query: &str) -> Map<String, Value> {
        let posted = json!({"name": name, "query": query});
        posted.as_object().expect("an object").clone()
    }

    #[test]
    fn names_and_phrases_have_bounds() {
        let mut draft = Draft::new(State::default());
        let invalid = |text: &str| Err(CollectionError::Invalid(text.to_owned()));
        for (name, query, expected) in [
            (" ", "x", invalid("Collection name is required.")),
            ("n", " ", invalid("Collection query is required.")),
            (&"ä".repeat(81), "x", invalid("Collection name must be at most 80 characters.")),
            (&"ä".repeat(80), "x", Ok("ä".repeat(80))),
            ("n", &"ä".repeat(501), invalid("Collection query must be at most 500 characters.")),
            ("n", &"ä".repeat(500), Ok("n".to_owned())),
            (" n ", "  a \n b ", Ok("n".to_owned())),
        ] {
            assert_eq!(save(&mut draft, &posted(name, query)), expected, "{name} {query}");
        }
        let rows = draft.state().section(SECTION);
        assert_eq!(rows[1], json!({"name": "n", "query": "a b"}));
        assert_eq!(rows.as_array().map(Vec::len), Some(2));
        assert_eq!(delete(&mut draft, "m"), Err(CollectionError::Unknown));
        assert_eq!(delete(&mut draft, " n "), Ok(()));
    }

    #[test]
    fn fifty_at_most_and_a_known_name_is_no_new_one() {
        let mut draft = Draft::new(State::default());
        for number in 0..COLLECTIONS {
            assert!(save(&mut draft, &posted(&number.to_string(), "x")).is_ok());
        }
        let full =
            CollectionError::Invalid("At most 50 smart collections can be saved.".to_owned());
        assert_eq!(save(&mut draft, &posted("new", "x")), Err(full));
        assert_eq!(save(&mut draft, &posted("7", "y")), Ok("7".to_owned()));
    }
}
