//! The document of a review of matches, and the files of all reviews in one private folder.
//!
//! | file | holds |
//! |---|---|
//! | `<id>.items` | what was found for each game, a line each |
//!
//! Items and decisions are numbers and ids only: texts are read from the library and the database when they
//! are shown. A line that a crash tore is not a page of decisions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    error::MetadataError,
    matching::{Candidate, Class},
    score::Score,
};
use crate::{
    base::{Moment, named::named, schema::schema},
    previews::{Document, PreviewFolder},
};

/// Seconds for which a review stands.
const LIFE: i64 = 24 * 3_600;
/// Seconds after its making for which the document stays, so that a client hears that it expired.
const GRACE: i64 = 2 * LIFE;
/// Reviews at one time.
const REVIEWS: usize = 20;

schema! {
    "MatchCounts"
    /// Games by how sure their match is.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
    #[serde(default)]
    pub struct Counts {
        /// Those whose number was written at once.
        pub auto_applied: u64,
        pub exact_review: u64,
        pub likely: u64,
        pub possible: u64,
        pub unmatched: u64,
    }
}

impl Counts {
    /// Counts one more.
    pub fn add(&mut self, class: Class) {
        *match class {
            Class::Auto => &mut self.auto_applied,
            Class::ExactReview => &mut self.exact_review,
            Class::Likely => &mut self.likely,
            Class::Possible => &mut self.possible,
            Class::Unmatched => &mut self.unmatched,
        } += 1;
    }
}

/// The document of a review.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Preview {
    /// 32 hexadecimal characters.
    pub preview_id: String,
    /// What cursors and an apply are bound to; counted up by decisions.
    pub revision: u64,
    /// Unix seconds.
    pub created_at: i64,
    /// Counted up with each review, because several are made within a second.
    pub number: u64,
    /// The job that matches, and the first one of its chain.
    pub job_id: String,
    /// The games, when they were named.
    pub game_ids: Option<Vec<String>>,
    /// The import whose games they are, otherwise.
    pub import_batch_id: String,
    /// Whether everything was matched.
    pub is_ready: bool,
    /// What was found.
    pub counts: Counts,
    /// Bytes of the items.
    pub bytes: u64,
}

impl Preview {
    /// Whether it does not stand any more.
    pub fn is_over(&self, now: &Moment) -> bool {
        now.unix_seconds() - self.created_at >= LIFE
    }
}

/// What was found for a game, as it is kept.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Item {
    /// How sure it is.
    pub class: Class,
    /// The game.
    pub game_id: String,
    /// Of the proposed game, or why there is none.
    pub score: Score,
    /// The number of the proposed game.
    pub proposed: Option<u32>,
    /// Further ones.
    pub alternatives: Vec<Candidate>,
}

named! {
    /// What the user wants done with a proposal.
    pub enum Action {
        /// Take the proposed game.
        Accept = "accept",
        /// Take another one.
        Choose = "choose",
        /// Leave it for now.
        Skip = "skip",
        /// Never propose it again for this game.
        Never = "never",
    }
}

/// A decision on one game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The game.
    pub game_id: String,
    /// What is to be done.
    pub action: Action,
    /// The number that is taken or refused.
    pub database_id: Option<u32>,
}

/// Decisions by game.
pub type Decisions = BTreeMap<String, Decision>;

/// The reviews.
pub type ReviewFiles = PreviewFolder<Preview>;

impl Document for Preview {
    type Decision = Decision;
    type Error = MetadataError;
    const EXTENSIONS: &'static [&'static str] = &["items"];

    fn not_found() -> MetadataError {
        MetadataError::NotFound
    }

    fn id(&self) -> &str {
        &self.preview_id
    }

    fn has_expired(&self, now: &Moment) -> bool {
        self.is_over(now)
    }

    fn is_forgotten(&self, now: &Moment) -> bool {
        now.unix_seconds() - self.created_at >= GRACE
    }
}

impl ReviewFiles {
    /// Adds a review. Beyond the limit, discards the oldest review that no job is building.
    ///
    /// # Errors
    /// [`MetadataError::TooMany`] when jobs are building all of them; [`MetadataError::Disk`].
    pub fn add(
        &self,
        preview: &Preview,
        now: &Moment,
        is_active: impl Fn(&Preview) -> bool,
    ) -> Result<(), MetadataError> {
        self.insert(|mut all| {
            let number = all.iter().map(|other| other.number).max().unwrap_or(0) + 1;
            let preview = Preview { number, ..preview.clone() };
            all.retain(|other| !other.is_over(now));
            if all.len() < REVIEWS {
                return Ok((preview, None));
            }
            all.retain(|other| !is_active(other));
            let oldest = all.into_iter().min_by_key(|other| (other.number, other.created_at));
            let id = oldest.ok_or(MetadataError::TooMany)?.preview_id;
            Ok((preview, Some(id)))
        })
    }

    /// The items of a review that follow a position, each with the position behind it.
    ///
    /// # Errors
    /// [`MetadataError::Disk`].
    pub fn items(
        &self,
        preview: &Preview,
        from: u64,
    ) -> Result<impl Iterator<Item = (Item, u64)> + use<>, MetadataError> {
        let mut bytes = Vec::new();
        if from < preview.bytes {
            let path = self.path(&preview.preview_id, "items");
            bytes = self.files().read_range(&path, from, preview.bytes)?;
        }
        let mut at = 0;
        Ok(std::iter::from_fn(move || {
            loop {
                let rest = bytes.get(at..).filter(|rest| !rest.is_empty())?;
                let end = rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len() - 1);
                at += end + 1;
                // OK because a damaged line is left out.
                if let Ok(item) = serde_json::from_slice(&rest[..end]) {
                    return Some((item, from + at as u64));
                }
            }
        }))
    }

    /// Appends a page of decisions, which counts as a whole or not at all, and makes older cursors stale.
    ///
    /// # Errors
    /// [`MetadataError::Disk`], [`MetadataError::NotFound`].
    pub fn decide(&self, id: &str, page: &[Decision]) -> Result<Preview, MetadataError> {
        let changing = self.hold();
        let mut preview = self.find(id)?;
        self.append(&changing, id, page)?;
        preview.revision += 1;
        self.save(&changing, &preview)?;
        Ok(preview)
    }

    /// The newest decision on each game.
    ///
    /// # Errors
    /// [`MetadataError::Disk`].
    pub fn decisions(&self, id: &str) -> Result<Decisions, MetadataError> {
        let all = self.decided(id)?;
        Ok(all.into_iter().map(|each| (each.game_id.clone(), each)).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::Files;

    fn files() -> (tempfile::TempDir, ReviewFiles) {
        let folder = tempfile::tempdir().expect("a folder");
        let files = ReviewFiles::new(Files::system(), folder.path().join("previews"));
        (folder, files)
    }

    fn preview(number: u32, created_at: i64) -> Preview {
        let preview_id = format!("{number:032x}");
        Preview { preview_id, revision: 1, created_at, ..Preview::default() }
    }

    fn accept(game: &str, id: u32) -> Decision {
        Decision { game_id: game.to_owned(), action: Action::Accept, database_id: Some(id) }
    }

    #[test]
    fn decisions_count_as_whole_pages_and_the_newest_stands() {
        let (_folder, files) = files();
        let it = preview(1, 0);
        files.add(&it, &Moment::from_unix(0), |_| false).expect("added");
        let id = it.preview_id.as_str();
        files.decide(id, &[accept("a", 1), accept("b", 1)]).expect("decided");
        let mut file = files.files().append(&files.path(id, "decisions")).expect("there");
        file.append(b"[{\"game_id\":\"c\"").expect("torn");
        assert_eq!(files.decisions(id).expect("read").len(), 2);
        let after = files.decide(id, &[accept("a", 2)]).expect("decided");
        assert_eq!(after.revision, 3);
        let decisions = files.decisions(id).expect("read");
        let ids: Vec<_> = decisions.values().map(|it| it.database_id).collect();
        assert_eq!(ids, [Some(2), Some(1)]);
        files.discard(id).expect("gone");
        assert!(matches!(files.find(id), Err(MetadataError::NotFound)));
        assert!(files.decisions(id).expect("none").is_empty());
    }

    #[test]
    fn items_are_read_from_a_position_and_damaged_ones_left_out() {
        let (_folder, files) = files();
        let mut it = preview(1, 0);
        files.add(&it, &Moment::from_unix(0), |_| false).expect("added");
        let item = |game: &str| Item {
            class: Class::Likely,
            game_id: game.to_owned(),
            score: Score::none("x"),
            proposed: Some(7),
            alternatives: Vec::new(),
        };
        let line = |game: &str| serde_json::to_string(&item(game)).expect("written");
        let text = format!("{}\n{{\n{}\n{}\n", line("a"), line("b"), line("c"));
        files
            .files()
            .replace(&files.path(&it.preview_id, "items"), text.as_bytes())
            .expect("written");
        assert_eq!(files.items(&it, 0).expect("read").count(), 0, "nothing before it is ready");
        it.bytes = text.len() as u64;
        let all: Vec<_> = files.items(&it, 0).expect("read").collect();
        let games: Vec<_> = all.iter().map(|(item, _)| item.game_id.as_str()).collect();
        assert_eq!((games, &all[0].0), (vec!["a", "b", "c"], &item("a")));
        let rest = files.items(&it, all[0].1).expect("read").count();
        assert_eq!((rest, all[2].1), (2, it.bytes));
        assert_eq!(files.items(&it, it.bytes + 9).expect("read").count(), 0);
    }

    #[test]
    fn the_oldest_makes_room_and_what_is_over_goes() {
        let (_folder, files) = files();
        let now = Moment::from_unix(1_000);
        for number in 0..20 {
            files.add(&preview(number, 100 + i64::from(number)), &now, |_| false).expect("added");
        }
        let full = files.add(&preview(99, 900), &now, |_| true);
        assert!(matches!(full, Err(MetadataError::TooMany)));
        let is_first = |it: &Preview| it.created_at == 100;
        files.add(&preview(99, 900), &now, is_first).expect("added");
        let there = |number: u32| files.find(&format!("{number:032x}")).is_ok();
        assert!(there(0) && !there(1) && there(2) && there(99));
        files.prune(&Moment::from_unix(103 + LIFE), |_| false).expect("pruned");
        assert!(there(0) && there(19), "a client hears that it expired");
        files.prune(&Moment::from_unix(103 + GRACE), |_| false).expect("pruned");
        assert!(!there(0) && !there(3) && there(4));
    }

    #[test]
    fn of_reviews_of_one_second_the_first_one_makes_room() {
        let (_folder, files) = files();
        let now = Moment::from_unix(1_000);
        // Ids are random: those that are made later may come first.
        for number in (0..25).rev() {
            files.add(&preview(number, 1_000), &now, |_| false).expect("added");
        }
        let there = |number: &u32| files.find(&format!("{number:032x}")).is_ok();
        assert_eq!((0..25).filter(there).collect::<Vec<_>>(), (0..20).collect::<Vec<_>>());
    }
}
