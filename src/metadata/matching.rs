//! The game of the metadata database for a game of the library, and how certain that match is.
//!
//! Titles of the game's platform come first, and a review knows no others. Without a platform that the database
//! knows, equal titles of any platform count: a review proposes them and takes none, a batch takes the likeliest.
//! A batch also takes the equal title of another platform when the game's own has none.

use serde::{Deserialize, Serialize};

use super::{score::Score, subject::Subject};
use crate::{
    base::named::named,
    metadb::{Database, Row, database::Near, normal::normalise},
};

/// Similar games that are scored in detail.
const NEAR: usize = 12;
/// Alternatives that are shown.
const ALTERNATIVES: usize = 5;

named! {
    /// How sure a match is.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Class {
        /// The only game of that title and platform.
        Auto = "auto_applied",
        /// Several games have that title and platform.
        ExactReview = "exact_review",
        /// A title of the platform that is nearly the same.
        Likely = "likely",
        /// A title that resembles.
        Possible = "possible",
        /// None.
        Unmatched = "unmatched",
    }
}

/// A game of the database besides the proposed one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Its number.
    pub database_id: u32,
    /// How well it fits.
    pub score: Score,
}

/// What was found for a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Match {
    /// How sure it is.
    pub class: Class,
    /// Of the proposed game, or why there is none.
    pub score: Score,
    /// The proposed game.
    pub proposed: Option<u32>,
    /// Further ones, at most five, the likeliest first.
    pub alternatives: Vec<Candidate>,
}

/// Finds a game of the library in the database.
pub fn find(database: &Database, subject: &Subject) -> Match {
    if subject.key.is_empty() {
        return none("empty title");
    }
    let is_here = database.knows_platform(&subject.platform);
    let exact = exact(database, subject);
    match (is_here, exact.len()) {
        (true, 1) => chosen(Class::Auto, exact),
        (true, 2..) => chosen(Class::ExactReview, exact),
        (false, 1..) => chosen(Class::Possible, exact),
        (_, 0) => classed(near(database, subject)),
    }
}

/// The one game that a batch takes without a review: the likeliest of those with an equal title of the game's
/// platform, else the one of any platform with the shortest name.
pub fn best(database: &Database, subject: &Subject) -> Option<u32> {
    if subject.key.is_empty() {
        return None;
    }
    let here = exact(database, subject).first().map(|candidate| candidate.database_id);
    here.or_else(|| {
        let rows = titled(database, subject, &subject.title, None).into_iter();
        rows.min_by_key(|row| row.name.chars().count()).map(|row| row.id)
    })
}

/// The games with this title that the game does not refuse, the likeliest first.
fn titled(database: &Database, subject: &Subject, title: &str, platform: Option<&str>) -> Vec<Row> {
    let mut rows = database.exact(title, platform);
    rows.retain(|row| !subject.refuses(row.id));
    subject.rank(&mut rows);
    rows
}

/// The games with an equal title: by the title, else by the name of the set or file.
fn exact(database: &Database, subject: &Subject) -> Vec<Candidate> {
    let platform = Some(subject.platform.as_str()).filter(|name| database.knows_platform(name));
    let titled = |title: &str| titled(database, subject, title, platform);
    let rows = titled(&subject.title);
    if !rows.is_empty() {
        return scored(&subject.key, rows, platform.is_some());
    }
    let Some(platform) = platform else { return Vec::new() };
    for stem in &subject.stems {
        if let Some(title) = database.file_title(platform, stem) {
            let rows = titled(&title);
            if !rows.is_empty() {
                return scored(&normalise(&title), rows, true);
            }
        }
    }
    Vec::new()
}

fn scored(key: &str, rows: Vec<Row>, is_here: bool) -> Vec<Candidate> {
    let score = Score::of(key, key, is_here);
    let candidate = |row: Row| Candidate { database_id: row.id, score: score.clone() };
    rows.into_iter().map(candidate).collect()
}

/// The games of the platform with a title that resembles, the likeliest first.
fn near(database: &Database, subject: &Subject) -> Vec<Candidate> {
    let found = database.near(&subject.title, &subject.platform, NEAR);
    let found = found.into_iter().filter(|near| !subject.refuses(near.row.id));
    let candidate = |Near { row, title }: Near| Candidate {
        database_id: row.id,
        score: Score::of(&subject.key, &title, true),
    };
    let mut all: Vec<Candidate> = found.map(candidate).collect();
    let rank =
        |candidate: &Candidate| (candidate.score.title_similarity, candidate.score.token_overlap);
    all.sort_by(|a, b| rank(b).partial_cmp(&rank(a)).unwrap_or(std::cmp::Ordering::Equal));
    all
}

/// The class of the likeliest of candidates that only resemble.
fn classed(candidates: Vec<Candidate>) -> Match {
    let Some(first) = candidates.first() else { return none("no candidates") };
    let Score { title_similarity, token_overlap, .. } = first.score;
    let class = if title_similarity >= 0.9 && token_overlap >= 0.8 {
        Class::Likely
    } else if title_similarity >= 0.75 && token_overlap >= 0.75 {
        Class::Possible
    } else {
        let alternatives = candidates.iter().take(ALTERNATIVES).cloned().collect();
        return Match { score: first.score.clone(), alternatives, ..none("") };
    };
    chosen(class, candidates)
}

fn chosen(class: Class, candidates: Vec<Candidate>) -> Match {
    let mut rest = candidates.into_iter();
    let first = rest.next();
    let score = first.as_ref().map_or_else(Score::default, |first| first.score.clone());
    let proposed = first.map(|first| first.database_id);
    Match { class, score, proposed, alternatives: rest.take(ALTERNATIVES).collect() }
}

fn none(reason: &str) -> Match {
    Match {
        class: Class::Unmatched,
        score: Score::none(reason),
        proposed: None,
        alternatives: Vec::new(),
    }
}
