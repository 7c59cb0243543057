//! Phrases such as `unplayed short rpg on snes`, parsed by fixed rules: the same words always mean
//! the same (`GET /api/v2/library/query/parse`). See `docs/design/query.md`.
//!
//! Owns the grammar and what its conditions mean for a game. Reading is pure and never fails: words without a meaning
//! are searched for. Reads no clock: year and time are arguments.
//!
//! | file | what it does |
//! |---|---|
//! | `words` | text to words |
//! | `lexicon` | filler words, genres, stores |
//! | `grammar`, `typed` | words to conditions, by pattern and by `key:value` |
//! | `condition` | a condition as rule, clause, chip and words |
//! | `matching` | whether a condition holds for a game |

pub mod condition;
pub mod matching;

mod grammar;
mod lexicon;
mod typed;
mod words;

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use crate::base::text;
use condition::{Chip, Condition};

/// A phrase that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Phrase {
    /// The phrase without surplus blanks.
    pub text: String,
    /// What was understood, in the order of the phrase, merged.
    pub conditions: Vec<Condition>,
    /// Words that were not understood, folded.
    pub unparsed: Vec<String>,
    /// Whether filler words were dropped.
    has_fillers: bool,
}

/// Reads a phrase; `this_year` is what `this year` means.
pub fn parse(phrase: &str, this_year: i64) -> Phrase {
    let words = words::split(phrase);
    let mut read = Phrase { text: text::collapse(phrase), ..Phrase::default() };
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let found = match word.key {
            Some(_) => typed::meaning(word).map(|condition| (1, condition)),
            None => grammar::meaning(&words[at..], this_year),
        };
        if let Some((length, condition)) = found {
            read.add(condition);
            at += length;
            continue;
        }
        if word.is_plain() && lexicon::is_stopword(&word.text) {
            read.has_fillers = true;
        } else {
            read.unparsed.push(word.literal());
        }
        at += 1;
    }
    read
}

impl Phrase {
    fn add(&mut self, condition: Condition) {
        let mut left = Some(condition);
        for known in &mut self.conditions {
            let Some(condition) = left.take() else { return };
            left = known.merge(condition).err();
        }
        self.conditions.extend(left);
    }

    /// Whether anything was understood.
    pub fn is_parsed(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Whether it asks for nothing at all.
    pub fn is_empty(&self) -> bool {
        self.conditions.is_empty() && self.unparsed.is_empty() && self.plain_query().is_none()
    }

    /// The whole phrase, searched for as it stands because nothing of it was understood and dropping
    /// its filler words may have dropped a title.
    pub fn plain_query(&self) -> Option<&str> {
        (self.has_fillers && !self.is_parsed()).then_some(self.text.as_str())
    }

    /// Whether a platform was typed, so that [`Phrase::settle`] has something to do.
    pub fn names_platform(&self) -> bool {
        self.conditions.iter().any(|condition| matches!(condition, Condition::Platform(_)))
    }

    /// Gives platforms that were typed the spelling of the library. One that the library spells
    /// otherwise or not at all is searched inside the names of platforms.
    pub fn settle(&mut self, platforms: &BTreeSet<&str>) {
        let conditions = std::mem::take(&mut self.conditions);
        for condition in conditions {
            let Condition::Platform(named) = condition else {
                self.add(condition);
                continue;
            };
            let folded = text::fold(&named);
            let spelled = platforms.iter().find(|platform| text::fold(platform) == folded);
            self.add(match spelled {
                Some(spelled) => Condition::Platform((*spelled).to_owned()),
                None => Condition::PlatformAny(vec![folded]),
            });
        }
    }

    /// The equivalent rules of a preset, as far as rules can express it; leftover words are its `query`.
    pub fn rules(&self) -> Map<String, Value> {
        let rules = self.conditions.iter().filter_map(Condition::rule);
        let mut rules: Map<String, Value> =
            rules.map(|(key, value)| (key.to_owned(), value)).collect();
        if !self.unparsed.is_empty() {
            rules.insert("query".to_owned(), self.unparsed.join(" ").into());
        }
        rules
    }

    /// What rules cannot express.
    pub fn clauses(&self) -> Vec<Map<String, Value>> {
        self.conditions.iter().filter_map(Condition::clause).collect()
    }

    /// What the user is shown, in the order of the phrase.
    pub fn chips(&self) -> Vec<Chip> {
        self.conditions.iter().map(Condition::chip).collect()
    }

    /// What the user reads about words that were not understood; empty when there are none.
    pub fn hint(&self) -> &'static str {
        match (self.unparsed.is_empty(), self.is_parsed()) {
            (true, _) => "",
            (false, true) => "The other words are searched for in names and details.",
            (false, false) => "No filter was recognised. The words are searched for as they are.",
        }
    }

    /// A phrase that means exactly the same, in the spelling of the program.
    pub fn print(&self) -> String {
        let conditions = self.conditions.iter().map(Condition::words);
        let words = self.unparsed.iter().map(|word| format!("\"{word}\""));
        conditions.chain(words).collect::<Vec<_>>().join(", ")
    }
}
