//! Smart collections: named phrases that are evaluated at every request (`/api/v2/collections`).

use std::{
    collections::BTreeSet,
    sync::{Arc, Mutex, Weak},
};

use serde_json::{Map, Value, json};

use super::{
    card::MatchContext,
    phrase::{self, Phrase, matching},
};
use crate::{
    base::{
        Hold as _, Moment,
        limits::{COLLECTION_NAME_CHARS, COLLECTION_QUERY_CHARS, COLLECTIONS},
        schema::schema,
        text,
    },
    model::{Chunk, Draft, Games, State},
    store::{Committed, Store},
};

const SECTION: &str = "smart_collections";

/// Why a change of the collections was refused.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum CollectionError {
    /// A name, a phrase or the number of collections breaks a rule.
    #[error("{0}")]
    Invalid(String),
    #[error("Collection not found.")]
    Unknown,
}

schema! {
    "SmartCollection"
    /// One collection with the number of its games, hidden ones too.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Collection {
        /// Its name.
        pub name: String,
        /// The phrase that finds its games.
        pub query: String,
        /// How many games that are now.
        pub count: usize,
    }
}

/// A phrase read for this library: platforms in its spelling, years as of now.
pub fn read_phrase(query: &str, games: &Games, now: &Moment) -> Phrase {
    let mut read = phrase::parse(query, year_of(now));
    if read.names_platform() {
        let all = games.chunks().iter().flat_map(|chunk| chunk.iter());
        let platforms: BTreeSet<&str> = all.map(|game| game.platform()).collect();
        read.settle(&platforms);
    }
    read
}

fn year_of(now: &Moment) -> i64 {
    now.local_format("%Y").parse().unwrap_or(1970)
}

/// The number of games that each phrase matched when it was last evaluated, by chunk of the library.
///
/// After an edit only chunks that changed are counted again. Phrases that depend on the time or the disk are evaluated
/// on every request. Counts that the last request did not ask for are dropped.
#[derive(Debug, Default)]
pub struct CountCache(Mutex<Kept>);

#[derive(Debug, Default)]
struct Kept {
    chunks: Vec<KnownChunk>,
    /// For each phrase the games it takes of each chunk.
    counts: Vec<(Phrase, Vec<usize>)>,
}

/// A chunk that was counted.
#[derive(Debug)]
struct KnownChunk {
    chunk: Weak<Chunk>,
    /// Each platform of its games once.
    platforms: Vec<String>,
}

impl CountCache {
    /// Every collection in the order in which they were made. A stored phrase that cannot be read
    /// finds no game.
    pub fn list(&self, state: &State, context: &dyn MatchContext, now: &Moment) -> Vec<Collection> {
        let rows = state.section(SECTION).as_array().map_or(&[][..], Vec::as_slice);
        if rows.is_empty() {
            return Vec::new();
        }
        let mut kept = self.0.hold();
        let stands = kept.bring_to(&state.games);
        let mut before = std::mem::take(&mut kept.counts);
        let text = |row: &Value, key: &str| row[key].as_str().unwrap_or("").to_owned();
        let shown = |row: &Value| {
            let query = text(row, "query");
            let read = kept.read(&query, now);
            let count = if matching::is_lasting(&read) {
                let at = before.iter().position(|(phrase, _)| *phrase == read);
                let old = at.map(|at| before.swap_remove(at).1).unwrap_or_default();
                let chunks = state.games.chunks().iter().enumerate();
                let counts: Vec<usize> = chunks
                    .map(|(at, chunk)| match old.get(at).filter(|_| stands[at]) {
                        Some(count) => *count,
                        None => matching::count_lasting(&read, chunk, context, now),
                    })
                    .collect();
                let count = counts.iter().sum();
                kept.counts.push((read, counts));
                count
            } else {
                matching::taken(&read, &state.games, context, now).len()
            };
            Collection { name: text(row, "name"), query, count }
        };
        rows.iter().map(shown).collect()
    }
}

impl Kept {
    /// Takes the chunks of a library and returns for each whether it was there before.
    fn bring_to(&mut self, games: &Games) -> Vec<bool> {
        let mut before = std::mem::take(&mut self.chunks).into_iter();
        let mut stands = Vec::with_capacity(games.chunks().len());
        for chunk in games.chunks() {
            // OK because a weak pointer keeps the address from being given to another chunk.
            let is_same =
                |known: &KnownChunk| std::ptr::eq(known.chunk.as_ptr(), Arc::as_ptr(chunk));
            let same = before.next().filter(is_same);
            stands.push(same.is_some());
            self.chunks.push(same.unwrap_or_else(|| {
                let platforms: BTreeSet<&str> = chunk.iter().map(|game| game.platform()).collect();
                let platforms = platforms.into_iter().map(str::to_owned).collect();
                KnownChunk { chunk: Arc::downgrade(chunk), platforms }
            }));
        }
        stands
    }

    /// As [`read_phrase`], with the platforms that are known already.
    fn read(&self, query: &str, now: &Moment) -> Phrase {
        let mut read = phrase::parse(query, year_of(now));
        if read.names_platform() {
            let platforms = self.chunks.iter().flat_map(|known| &known.platforms);
            read.settle(&platforms.map(String::as_str).collect());
        }
        read
    }
}

/// As [`save`], in one commit.
pub fn save_collection(
    store: &Store,
    posted: &Map<String, Value>,
) -> Committed<String, CollectionError> {
    store.commit(|draft| save(draft, posted))
}

/// Saves a posted collection, in the place of the one with its name, and returns the name. `former`
/// is the name it had: it is renamed where it stands.
///
/// # Errors
/// [`CollectionError::Invalid`] with the sentence for the first rule that is broken;
/// [`CollectionError::Unknown`] when none is called `former`.
fn save(draft: &mut Draft, posted: &Map<String, Value>) -> Result<String, CollectionError> {
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
    let mut rows = draft.state().list(SECTION);
    let place = |wanted: &str| rows.iter().position(|row| row["name"] == wanted);
    let former = Some(text("former").trim()).filter(|former| !former.is_empty() && *former != name);
    let at = match former {
        Some(_) if place(name).is_some() => {
            return refuse("A collection with this name exists already.");
        }
        Some(former) => Some(place(former).ok_or(CollectionError::Unknown)?),
        None => place(name),
    };
    match at {
        // Keys of a newer version stay.
        Some(at) => {
            rows[at]["name"] = name.into();
            rows[at]["query"] = query.into();
        }
        None if rows.len() >= COLLECTIONS => {
            return refuse("At most 50 smart collections can be saved.");
        }
        None => rows.push(json!({"name": name, "query": query})),
    }
    draft.set_section(SECTION, rows.into());
    Ok(name.to_owned())
}

/// As [`delete`], in one commit.
pub fn delete_collection(store: &Store, name: &str) -> Committed<(), CollectionError> {
    store.commit(|draft| delete(draft, name))
}

/// Deletes a collection; its games stay.
///
/// # Errors
/// [`CollectionError::Unknown`].
fn delete(draft: &mut Draft, name: &str) -> Result<(), CollectionError> {
    let mut rows = draft.state().list(SECTION);
    let at = rows.iter().position(|row| row["name"].as_str().map(str::trim) == Some(name.trim()));
    rows.remove(at.ok_or(CollectionError::Unknown)?);
    draft.set_section(SECTION, rows.into());
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::{
        collections::HashSet,
        sync::atomic::{AtomicBool, Ordering},
    };

    use proptest::prelude::*;

    use crate::{
        model::{CHUNK, Record},
        probe::{disk::Disk, found_saves::SaveKeys},
        query::card::MatchContext,
    };

    /// A disk with every path that ends in an even digit.
    struct AnswerContext;

    impl Disk for AnswerContext {
        fn existing(&self, paths: &[&str]) -> HashSet<String> {
            let is_there = |path: &&&str| path.ends_with(['0', '2', '4', '6', '8']);
            paths.iter().filter(is_there).map(|path| (*path).to_owned()).collect()
        }

        fn is_media(&self, _: &str) -> bool {
            true
        }
    }

    impl MatchContext for AnswerContext {
        fn category(&self, _: &str) -> String {
            String::new()
        }
    }

    const PHRASES: [&str; 13] = [
        "unplayed rpg",
        "platform:nes",
        "platform:nes favorites",
        "on nes",
        "installed",
        "with saves",
        "not played in 3 days",
        "recently added",
        "the one",
        "name1",
        "from 1990s",
        "",
        "hidden",
    ];

    fn draft(count: usize) -> Draft {
        let mut draft = Draft::new(State::default());
        for number in 0..count {
            draft.add_game(record(number, number)).expect("added");
        }
        let rows: Vec<Value> = PHRASES
            .iter()
            .map(|phrase| json!({"name": phrase, "query": phrase}))
            .chain([json!({"name": "once more", "query": PHRASES[0]})])
            .collect();
        draft.set_section(SECTION, rows.into());
        draft
    }

    fn record(number: usize, dice: usize) -> Record {
        let platform = ["nes", "NES", "SNES", ""][dice % 4];
        let record = json!({
            "game_id": format!("game-{number}"), "name": format!("name{}", dice % 9),
            "path": format!("/{dice}"), "platform": platform, "year": (1980 + dice % 30).to_string(),
            "genre": if dice.is_multiple_of(3) { "RPG" } else { "Puzzle" }, "favorite": dice.is_multiple_of(5),
            "hidden": dice.is_multiple_of(7), "play_count": dice % 2,
            "added_at": format!("1970-01-{:02}T00:00:00", 1 + dice % 28),
        });
        serde_json::from_value(record).expect("an object")
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(16))]

        /// Whatever happens to a library, what was kept equals a recount.
        #[test]
        fn counts_that_were_kept_say_the_same_as_new_ones(
            steps in prop::collection::vec((0..4_usize, any::<usize>()), 1..6),
        ) {
            let mut draft = draft(CHUNK + 7);
            let cache = CountCache::default();
            let mut next = 10_000;
            for (day, (step, dice)) in (1..).zip(steps) {
                let games = draft.state().games.len();
                let id = draft.state().games.get(dice % games).expect("there").id().to_owned();
                match step {
                    0 => {
                        next += 1;
                        draft.add_game(record(next, dice % 1_000)).expect("added");
                    }
                    1 => drop(draft.remove_games(&[id])),
                    2 => {
                        let fields = record(0, dice % 1_000).0;
                        let edit = |record: &mut Record| {
                            let kept = record.get("game_id").cloned();
                            record.0.extend(fields);
                            record.0.extend(kept.map(|id| ("game_id".to_owned(), id)));
                        };
                        drop(draft.edit_game(&id, edit));
                    }
                    _ => {
                        let mut rows = draft.state().section(SECTION).clone();
                        let rows = rows.as_array_mut().expect("a list");
                        let at = dice % rows.len();
                        rows.rotate_left(at);
                        draft.set_section(SECTION, rows.clone().into());
                    }
                }
                let now = Moment::from_unix(day * 86_400);
                let kept = cache.list(draft.state(), &AnswerContext, &now);
                prop_assert_eq!(&kept, &CountCache::default().list(draft.state(), &AnswerContext, &now));
                for collection in kept {
                    let games = &draft.state().games;
                    let read = read_phrase(&collection.query, games, &now);
                    let taken = matching::taken(&read, games, &AnswerContext, &now).len();
                    prop_assert_eq!(collection.count, taken, "{}", collection.query);
                }
            }
        }
    }

    #[test]
    fn an_edit_has_one_chunk_counted_again() {
        let mut draft = draft(3 * CHUNK);
        let cache = CountCache::default();
        let now = Moment::from_unix(0);
        drop(cache.list(draft.state(), &AnswerContext, &now));
        drop(draft.edit_game("game-300", |record| record.set("hidden", true)));
        let stands = cache.0.lock().expect("no test panicked").bring_to(&draft.state().games);
        assert_eq!(stands, [true, false, true]);
        let kept = cache.0.lock().expect("no test panicked").counts.len();
        assert_eq!(kept, PHRASES.len() - 4 + 1, "four depend on the clock or the disk");
    }

    /// A disk on which saves appear and go.
    #[derive(Default)]
    struct Saving(AtomicBool);

    impl Disk for Saving {
        fn existing(&self, _: &[&str]) -> HashSet<String> {
            HashSet::new()
        }

        fn is_media(&self, _: &str) -> bool {
            false
        }
    }

    impl MatchContext for Saving {
        fn category(&self, _: &str) -> String {
            String::new()
        }

        fn keeps_saves(&self, _: SaveKeys<'_>) -> bool {
            self.0.load(Ordering::Relaxed)
        }
    }

    #[test]
    fn saves_that_appear_and_go_are_counted_without_an_edit() {
        let mut draft = draft(3);
        let rows =
            json!([{"name": "with", "query": "with saves"}, {"name": "no", "query": "no saves"}]);
        draft.set_section(SECTION, rows);
        let (cache, context) = (CountCache::default(), Saving::default());
        for (has_saves, expected) in [(false, [0, 3]), (true, [3, 0]), (false, [0, 3])] {
            context.0.store(has_saves, Ordering::Relaxed);
            let listed = cache.list(draft.state(), &context, &Moment::from_unix(0));
            let counts: Vec<usize> = listed.iter().map(|collection| collection.count).collect();
            assert_eq!(counts, expected);
        }
    }

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
    fn a_renamed_one_keeps_its_place_and_what_is_unknown_about_it() {
        let mut draft = Draft::new(State::default());
        let rows = json!([{"name": "a", "query": "x", "colour": 3}, {"name": "b", "query": "y"}]);
        draft.set_section(SECTION, rows);
        let mut rename = |name: &str, former: &str| {
            let mut posted = posted(name, "z");
            posted.insert("former".to_owned(), former.into());
            save(&mut draft, &posted)
        };
        let taken = "A collection with this name exists already.".to_owned();
        assert_eq!(rename("b", "a"), Err(CollectionError::Invalid(taken)));
        assert_eq!(rename("c", "gone"), Err(CollectionError::Unknown));
        assert_eq!(rename("c", " a "), Ok("c".to_owned()));
        assert_eq!(rename("b", "b"), Ok("b".to_owned()));
        let rows = json!([{"name": "c", "query": "z", "colour": 3}, {"name": "b", "query": "z"}]);
        assert_eq!(draft.state().section(SECTION), &rows);
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
