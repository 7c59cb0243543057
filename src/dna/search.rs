//! Answering a question in plain words: games that fit it, or games like a named one, each with the reasons (`POST
//! /api/v2/library/dna/search`).

use std::collections::HashSet;

use serde_json::{Map, Value};

use super::{
    anchor::{self, Asked},
    index::{Entry, Index, Wanted},
    lexicon,
    service::{Dna, IndexStatus},
    words,
};
use crate::{
    base::{Moment, schema::schema, text},
    game::slots::{Slots, slot},
    model::{Game, Games, State},
    query::{
        card::MatchContext,
        collections::read_phrase,
        phrase::{
            Phrase,
            condition::{Chip, Condition},
            matching,
        },
    },
};

/// Characters of a question that are read.
const QUERY_CHARS: usize = 2_000;
/// The most words of a search.
const WORDS: usize = 64;
/// The weight of a word that is only related to the question.
const MEANT: f32 = 0.5;
/// Words that are named as shared by two games.
const SHARED: usize = 3;
/// Stars from which on they are a reason.
const GOOD: u8 = 3;

schema! {
    /// `POST /api/v2/library/dna/search`.
    pub struct DnaAnswer {
        /// The best game first.
        pub results: Vec<DnaResult>,
        /// How the question was read.
        pub parse: DnaParse,
        /// `bm25`, `similarity`, `bm25-unresolved-anchor` or `title-fallback`.
        pub branch: &'static str,
        /// The game that others are to be like.
        pub anchor: Option<DnaAnchor>,
        /// Whether titles were searched only, or an index that is out of date.
        pub degraded: bool,
        /// Whether the index is being made.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub building: Option<bool>,
    }

    /// A game that fits a question.
    #[derive(Debug, PartialEq)]
    pub struct DnaResult {
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
        /// How well it fits, with four decimals.
        pub score: f64,
        /// Why, in a few words each.
        pub why: Vec<String>,
    }

    /// The game that others are to be like.
    #[derive(Debug, PartialEq)]
    pub struct DnaAnchor {
        /// Stable id.
        pub game_id: String,
        /// Title.
        pub name: String,
    }

    /// A question as a phrase; without an index it is not read.
    #[derive(Default)]
    pub struct DnaParse {
        /// Whether anything was understood.
        pub parsed: bool,
        /// The question without surplus blanks.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub text: Option<String>,
        /// Whether the rules express everything.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub complete: Option<bool>,
        /// What was understood, as the rules of a preset.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub rules: Option<Map<String, Value>>,
        /// What the rules of a preset cannot express.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub clauses: Option<Vec<Map<String, Value>>>,
        /// What the user is shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub chips: Option<Vec<Chip>>,
        /// Words that were not understood.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub unparsed: Option<Vec<String>>,
        /// What the user reads about those.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub hint: Option<&'static str>,
        /// The whole question, when nothing of it was understood.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub plain_query: Option<String>,
    }
}

impl DnaParse {
    fn of(phrase: &Phrase) -> Self {
        let clauses = phrase.clauses();
        Self {
            parsed: phrase.is_parsed(),
            text: Some(phrase.text.clone()),
            complete: Some(clauses.is_empty()),
            rules: Some(phrase.rules()),
            clauses: Some(clauses),
            chips: Some(phrase.chips()),
            unparsed: Some(phrase.unparsed.clone()),
            hint: Some(phrase.hint()),
            plain_query: phrase.plain_query().map(str::to_owned),
        }
    }
}

/// A question.
#[derive(Clone, Debug, Default)]
pub struct Question<'a> {
    /// The words.
    pub query: &'a str,
    /// The most games in the answer.
    pub limit: usize,
    /// Fields with folded texts, one of which each must contain.
    pub filters: Vec<(Filter, Vec<String>)>,
}

/// A field that answers can be filtered by.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filter(usize);

/// The fields that answers can be filtered by.
const FILTERS: [(&str, Filter); 5] = [
    ("genre", Filter(slot("genre"))),
    ("platform", Filter(slot("platform"))),
    ("play_mode", Filter(slot("play_mode"))),
    ("developer", Filter(slot("developer"))),
    ("publisher", Filter(slot("publisher"))),
];

/// Reads the `filters` of a request: a text or a list of texts for each field. Anything else is passed
/// over.
pub fn read_filters(filters: Option<&Value>) -> Vec<(Filter, Vec<String>)> {
    let wanted = |value: &Value| -> Vec<String> {
        let one = value.as_str().into_iter();
        let many = value.as_array().into_iter().flatten().filter_map(Value::as_str);
        let texts = one.chain(many).map(|text| text::fold(text.trim()));
        texts.filter(|text| !text.is_empty()).collect()
    };
    let named = FILTERS.iter().filter_map(|(name, filter)| {
        let texts = wanted(filters?.get(*name)?);
        (!texts.is_empty()).then_some((*filter, texts))
    });
    named.collect()
}

/// A reason, with the words of a game that make it one.
struct Reason {
    chip: String,
    words: Vec<String>,
}

/// A question made ready: the words to search, and their meaning for a game that has them.
#[derive(Default)]
struct Plan {
    wanted: Vec<Wanted>,
    reasons: Vec<Reason>,
}

impl Plan {
    /// Searches for a word; of two weights the larger one counts.
    fn want(&mut self, word: &str, weight: f32) {
        let known = self.wanted.iter_mut().find(|wanted| wanted.word == word);
        if let Some(known) = known {
            known.weight = known.weight.max(weight);
        } else if self.wanted.len() < WORDS {
            self.wanted.push(Wanted { word: word.to_owned(), weight });
        }
    }

    /// Searches for the words of a text, and for related words.
    fn want_text(&mut self, text: &str) {
        let all = words::split(text);
        for word in &all {
            self.want(word, 1.0);
        }
        for (at, word) in all.iter().enumerate() {
            let next = all.get(at + 1).map(|next| format!("{word}{next}"));
            let pair = next.as_deref().and_then(lexicon::concept);
            let meant = pair.or_else(|| lexicon::concept(word));
            let Some(concept) = meant else {
                self.reasons.push(Reason { chip: word.clone(), words: vec![word.clone()] });
                continue;
            };
            let shown = match (&next, pair) {
                (Some(_), Some(_)) => format!("{word} {}", all[at + 1]),
                _ => word.clone(),
            };
            let mut words = vec![word.clone()];
            for meant in &concept.words {
                self.want(meant, MEANT);
                words.push((*meant).to_owned());
            }
            let other = concept.words.iter().find(|other| ***other != **word);
            let chip = other.map_or_else(|| shown.clone(), |other| format!("{shown} → {other}"));
            self.reasons.push(Reason { chip, words });
        }
    }

    /// Prefers a genre: the words of the question that name it, and the genre itself.
    fn want_genre(&mut self, stems: &[String], query: &str) {
        let mut named: Vec<String> = words::split(query);
        named.retain(|word| stems.iter().any(|stem| word.starts_with(stem.as_str())));
        named.extend(stems.iter().flat_map(|stem| words::split(stem)));
        for word in &named {
            self.want(word, 1.0);
        }
        if let Some(first) = stems.first() {
            self.reasons.push(Reason { chip: format!("genre: {first}"), words: named });
        }
    }

    fn why(&self, index: &Index, entry: &Entry) -> Vec<String> {
        let holds = |reason: &&Reason| reason.words.iter().any(|word| index.has(entry, word));
        let mut why: Vec<String> = Vec::new();
        for reason in self.reasons.iter().filter(holds) {
            if !why.contains(&reason.chip) {
                why.push(reason.chip.clone());
            }
        }
        why.extend(facts(entry));
        why
    }
}

/// What speaks for a game besides its words.
fn facts(entry: &Entry) -> Vec<String> {
    let stars = entry.facts.stars;
    let mut facts = Vec::new();
    if stars >= GOOD {
        facts.push(format!("{stars}★ rated"));
    }
    match entry.facts.seconds_to_beat {
        0 => {}
        seconds @ 1..3_600 => facts.push(format!("~{}m to beat", (seconds / 60).max(1))),
        seconds => facts.push(format!("~{}h to beat", seconds.saturating_add(1_800) / 3_600)),
    }
    facts
}

impl Dna {
    /// The games that fit a question best. Hidden ones are among them only when it asks for those. The index was
    /// updated to this state before.
    pub fn search(
        &self,
        state: &State,
        status: IndexStatus,
        question: &Question<'_>,
        context: &dyn MatchContext,
        now: &Moment,
    ) -> DnaAnswer {
        let query = text::collapse(text::cut(question.query, QUERY_CHARS));
        let kept = self.read();
        let usable = kept.index.as_deref().filter(|_| !status.is_missing);
        let mut answer = match usable {
            Some(index) => {
                let search = Search { index, games: &state.games, context, now };
                search.answer(&query, question.limit)
            }
            None => by_title(&state.games, &query, question.limit),
        };
        answer.degraded |= status.is_degraded;
        answer.results.retain(|result| {
            let game = state.games.find(&result.game_id);
            game.is_some_and(|(_, game)| passes(game, &question.filters))
        });
        answer
    }
}

fn passes(game: &Game, filters: &[(Filter, Vec<String>)]) -> bool {
    if filters.is_empty() {
        return true;
    }
    let slots = Slots::of(game.json());
    filters.iter().all(|(Filter(at), texts)| {
        let value = slots.text(*at);
        texts.iter().any(|text| text::contains_folded(&value, text))
    })
}

/// Games whose titles contain the question, in library order.
fn by_title(games: &Games, query: &str, limit: usize) -> DnaAnswer {
    let folded = text::fold(query);
    let shown = games.iter().filter(|game| !game.hidden());
    let named = shown.filter(|game| text::contains_folded(game.name(), &folded));
    let results = named.take(limit).map(|game| DnaResult {
        game_id: game.id().to_owned(),
        name: game.name().to_owned(),
        score: 1.0,
        why: vec!["title match".to_owned()],
    });
    DnaAnswer {
        results: results.collect(),
        parse: DnaParse::default(),
        branch: "title-fallback",
        anchor: None,
        degraded: true,
        building: Some(true),
    }
}

/// An index and what else a question needs.
struct Search<'a> {
    index: &'a Index,
    games: &'a Games,
    context: &'a dyn MatchContext,
    now: &'a Moment,
}

impl Search<'_> {
    fn answer(&self, query: &str, limit: usize) -> DnaAnswer {
        let phrase = read_phrase(query, self.games, self.now);
        let wants_known = words::split(query).iter().any(|word| word == "replay");
        let answer = |branch, anchor, results| DnaAnswer {
            results,
            parse: DnaParse::of(&phrase),
            branch,
            anchor,
            degraded: false,
            building: None,
        };
        match anchor::asked(query, self.index, self.games) {
            Asked::Anything => {
                answer("bm25", None, self.fitting(&phrase, query, limit, wants_known))
            }
            Asked::Like(game) => {
                let anchor =
                    DnaAnchor { game_id: game.id().to_owned(), name: game.name().to_owned() };
                let results = self.similar(game, limit, wants_known);
                answer("similarity", Some(anchor), results)
            }
            Asked::Unknown(name) => {
                let mut results = self.fitting(&phrase, query, limit, wants_known);
                let chip = format!("no match for '{name}'");
                for result in &mut results {
                    result.why.insert(0, chip.clone());
                }
                answer("bm25-unresolved-anchor", None, results)
            }
        }
    }

    fn similar(&self, game: &Game, limit: usize, wants_known: bool) -> Vec<DnaResult> {
        let Some(anchor) = self.index.entry(game.id()) else { return Vec::new() };
        let mut ranked = self.index.similar(anchor, wants_known);
        let mut results = Vec::new();
        while let Some(one) = ranked.pop().filter(|_| results.len() < limit) {
            let found = self.games.find(&one.entry.id).map(|(_, found)| found);
            let Some(found) = found.filter(|found| !found.hidden()) else { continue };
            let shared: Vec<&str> = self.index.shared(anchor, one.entry).take(SHARED).collect();
            let mut why = vec![format!("like {}", game.name())];
            if !shared.is_empty() {
                why.push(format!("both: {}", shared.join(", ")));
            }
            why.extend(facts(one.entry));
            results.push(result(found, one.score, why));
        }
        results
    }

    fn fitting(
        &self,
        phrase: &Phrase,
        query: &str,
        limit: usize,
        wants_known: bool,
    ) -> Vec<DnaResult> {
        let mut plan = Plan::default();
        let leftovers = phrase.unparsed.join(" ");
        let ranks = if leftovers.is_empty() { query } else { leftovers.as_str() };
        plan.want_text(ranks);
        for condition in &phrase.conditions {
            if let Condition::Genre(stems) = condition {
                plan.want_genre(stems, query);
            }
        }
        let taken = self.taken(phrase);
        let hides = !phrase.conditions.iter().any(|each| matches!(each, Condition::Hidden(true)));
        let may_pass = |position: usize, game: &Game| {
            taken.as_ref().is_none_or(|taken| taken[position]) && !(hides && game.hidden())
        };
        let mut ranked = self.index.rank(&plan.wanted, wants_known);
        let mut results = Vec::new();
        while results.len() < limit {
            let Some(one) = ranked.pop() else { break };
            let Some((position, game)) = self.games.find(&one.entry.id) else { continue };
            if may_pass(position, game) {
                results.push(result(game, one.score, plan.why(self.index, one.entry)));
            }
        }
        // A question of nothing but conditions asks for every game that meets them.
        let is_bare = phrase.unparsed.is_empty()
            && !phrase.conditions.iter().any(|condition| matches!(condition, Condition::Genre(_)));
        if taken.is_some() && is_bare {
            self.fill(&may_pass, &mut results, limit);
        }
        results
    }

    /// Adds games that meet all conditions and have none of the words, those with more stars first.
    fn fill(
        &self,
        may_pass: &dyn Fn(usize, &Game) -> bool,
        results: &mut Vec<DnaResult>,
        limit: usize,
    ) {
        let listed: HashSet<&str> = results.iter().map(|one| one.game_id.as_str()).collect();
        let games = self.games.iter().enumerate();
        let games = games.filter(|(position, game)| may_pass(*position, game));
        let mut rest: Vec<&Entry> = games
            .filter(|(_, game)| !listed.contains(game.id()))
            .filter_map(|(_, game)| self.index.entry(game.id()))
            .collect();
        rest.sort_unstable_by(|a, b| {
            b.facts.stars.cmp(&a.facts.stars).then_with(|| a.id.cmp(&b.id))
        });
        let left = limit.saturating_sub(results.len());
        let rest = rest.into_iter().take(left);
        let more: Vec<DnaResult> = rest
            .filter_map(|entry| Some(result(self.games.find(&entry.id)?.1, 0.0, facts(entry))))
            .collect();
        results.extend(more);
    }

    /// Which games meet the conditions of a phrase besides its genres; `None` when it has no other ones.
    fn taken(&self, phrase: &Phrase) -> Option<Vec<bool>> {
        let mut hard = phrase.clone();
        hard.conditions.retain(|condition| !matches!(condition, Condition::Genre(_)));
        hard.unparsed.clear();
        if hard.conditions.is_empty() {
            return None;
        }
        let mut taken = vec![false; self.games.len()];
        for position in matching::taken(&hard, self.games, self.context, self.now) {
            taken[position] = true;
        }
        Some(taken)
    }
}

fn result(game: &Game, score: f32, why: Vec<String>) -> DnaResult {
    DnaResult {
        game_id: game.id().to_owned(),
        name: game.name().to_owned(),
        score: (f64::from(score) * 10_000.0).round() / 10_000.0,
        why,
    }
}
