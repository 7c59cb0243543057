//! Applies the steps of a plan to the library. No I/O.
//!
//! All steps and the record of the commit are one change of the library: a plan is applied completely
//! or not at all, and never twice.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{
    base::Moment,
    imports::{
        Incoming,
        exclusions::{self, Exclusion},
        known::{Match, Matching, Way},
        merge::{self, Merger},
    },
    model::{Cause, Draft, DraftError, Import, State},
};

use super::{candidate::Candidate, plan::Step, resolve::Act};

/// The section of the library that remembers commits.
const SECTION: &str = "setup_commits";
/// Commits that are remembered.
const REMEMBERED: usize = 20;

/// The counts of a commit, as the library stores them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Outcome {
    /// Preview and revision.
    pub token: String,
    /// The id stamped on every new row.
    pub import_batch_id: String,
    /// New rows.
    pub added: u64,
    /// Candidates that became a part of a game.
    pub merged: u64,
    /// Candidates that were not wanted this time, or are there already.
    pub skipped: u64,
    /// Candidates that are never wanted.
    pub excluded: u64,
    /// Undecided candidates, and those whose decision could not be carried out.
    pub failed: u64,
}

/// The result of a commit.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// The stored counts.
    pub outcome: Outcome,
    /// The ids of rows that were changed, each once.
    pub changed: Vec<String>,
    /// Titles that could not become what was decided, with their ids.
    pub failed: Vec<(String, String)>,
}

impl Done {
    fn import(&self) -> Import {
        let Outcome { added, merged, skipped, .. } = self.outcome;
        Import {
            source: "setup".to_owned(),
            found: added + merged + skipped,
            added,
            changed: self.changed.clone(),
        }
    }
}

/// Why nothing was committed.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
pub enum PlanError {
    #[error("the library changed since the preview")]
    LibraryChanged,
    #[error("a candidate is damaged")]
    Damaged,
    /// A row was refused.
    #[error(transparent)]
    Draft(#[from] DraftError),
}

/// The name of a commit.
pub fn token(preview_id: &str, revision: u64) -> String {
    format!("{preview_id}:{revision}")
}

/// The counts of the commit with this token, if the library stores it.
pub fn recall(state: &State, token: &str) -> Option<Outcome> {
    let rows = state.section(SECTION).as_array()?;
    let rows = rows.iter().filter_map(|row| Outcome::deserialize(row).ok());
    rows.into_iter().find(|row| row.token == token)
}

/// Commits a plan. `is_same` returns whether the library is still the one it was made for.
///
/// # Errors
/// [`PlanError`]; the draft is to be thrown away then.
pub fn commit(
    draft: &mut Draft,
    steps: impl IntoIterator<Item = Step>,
    token: &str,
    batch: &str,
    now: &Moment,
    is_same: impl FnOnce(&State) -> bool,
) -> Result<Done, PlanError> {
    if let Some(outcome) = recall(draft.state(), token) {
        return Ok(Done { outcome, ..Done::default() });
    }
    if !is_same(draft.state()) {
        return Err(PlanError::LibraryChanged);
    }
    let mut work = Work {
        merger: Merger::new(draft.state(), Matching::RECORDS, now, batch),
        at: now.local_iso(),
        exclusions: exclusions::list(draft.state()),
        unwanted: Vec::new(),
        done: Done::default(),
    };
    for step in steps {
        work.take(draft, step)?;
    }
    exclusions::add_all(draft, &work.unwanted);
    let mut done = work.done;
    done.changed = work.merger.finish(draft, "setup").changed;
    done.changed.sort_unstable();
    token.clone_into(&mut done.outcome.token);
    batch.clone_into(&mut done.outcome.import_batch_id);
    remember(draft, &done.outcome);
    draft.set_cause(Cause::Imported(done.import()));
    Ok(done)
}

struct Work {
    merger: Merger,
    /// Local time of the commit.
    at: String,
    exclusions: Vec<Exclusion>,
    /// New exclusions of the user.
    unwanted: Vec<Exclusion>,
    done: Done,
}

impl Work {
    fn take(&mut self, draft: &mut Draft, step: Step) -> Result<(), PlanError> {
        let candidate: Candidate =
            serde_json::from_str(&step.candidate).map_err(|_| PlanError::Damaged)?;
        drop(step.candidate);
        let is_excluded = || exclusions::is_excluded(&self.exclusions, &candidate.record);
        let outcome = &mut self.done.outcome;
        match step.act {
            Act::Skip => outcome.skipped += 1,
            Act::Exclude { is_decided } => {
                outcome.excluded += 1;
                if is_decided {
                    self.unwanted.extend(Exclusion::for_record(&candidate.record));
                }
            }
            Act::Undecided => self.fail(&candidate),
            // An exclusion that came after the scan counts unless the user decided otherwise.
            Act::Import { is_decided: false } if is_excluded() => outcome.excluded += 1,
            Act::Import { is_decided } => self.import(draft, &candidate, is_decided)?,
            Act::Merge { target } => self.merge(draft, &candidate, &target)?,
        }
        Ok(())
    }

    fn import(
        &mut self,
        draft: &mut Draft,
        candidate: &Candidate,
        is_decided: bool,
    ) -> Result<(), PlanError> {
        let incoming = candidate.incoming();
        match self.merger.find(draft.state(), &incoming) {
            Some(found) if found.way == Way::Set => self.join(draft, &incoming, found)?,
            Some(found) if !found.is_cross_store => {
                self.done.outcome.skipped += 1;
            }
            // Another store's game of the same title, of this very plan.
            Some(found) if !is_decided => self.join(draft, &incoming, found)?,
            Some(_) | None => self.add(draft, &incoming)?,
        }
        Ok(())
    }

    fn merge(
        &mut self,
        draft: &mut Draft,
        candidate: &Candidate,
        target: &str,
    ) -> Result<(), PlanError> {
        let incoming = candidate.incoming();
        let found = self.merger.find(draft.state(), &incoming);
        if target.is_empty() {
            return match found {
                Some(found) => self.join(draft, &incoming, found),
                None => self.add(draft, &incoming),
            };
        }
        let Some((position, _)) = draft.state().games.find(target) else {
            self.fail(candidate);
            return Ok(());
        };
        // A game it is not known to be becomes a second way to start that one.
        let own = found.filter(|found| found.position == position && !found.is_cross_store);
        let found = own.unwrap_or(Match { position, is_cross_store: true, ..Match::default() });
        self.join(draft, &incoming, found)
    }

    fn join(
        &mut self,
        draft: &mut Draft,
        incoming: &Incoming,
        found: Match,
    ) -> Result<(), PlanError> {
        // The user decided on the merge, so fields are filled although the source names the game.
        let found = Match { is_listed: false, ..found };
        self.merger
            .join(draft, incoming, found, |row| merge::fill(row, incoming, found, &self.at))?;
        self.done.outcome.merged += 1;
        Ok(())
    }

    fn add(&mut self, draft: &mut Draft, incoming: &Incoming) -> Result<(), PlanError> {
        self.merger.add(draft, incoming)?;
        self.done.outcome.added += 1;
        Ok(())
    }

    fn fail(&mut self, candidate: &Candidate) {
        self.done.outcome.failed += 1;
        let title = candidate.record.text("name").to_owned();
        self.done.failed.push((candidate.id.clone(), title));
    }
}

fn remember(draft: &mut Draft, outcome: &Outcome) {
    let mut rows = draft.state().list(SECTION);
    rows.push(json!(outcome));
    let old = rows.len().saturating_sub(REMEMBERED);
    rows.drain(..old);
    draft.set_section(SECTION, Value::Array(rows));
}
