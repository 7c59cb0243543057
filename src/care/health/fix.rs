//! Carries out a planned repair in one commit and records how to undo it.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    plan::{FixPlan, Repair},
    selection::FixError,
    service::Health,
};
use crate::{
    base::{Moment, ids},
    care::{relink, twins},
    game::{GameRef, InputError},
    model::{Cause, Draft, Row, State},
    store::{CommitError, Committed},
};

/// Repairs that can be undone, the newest ones.
const FIXES: usize = 50;

/// A repair that was made; the section `health_fixes` holds them newest last.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Fix {
    /// `healthfix-` and 12 hex digits.
    pub fix_id: String,
    /// What was repaired.
    pub dimension: String,
    /// The games with the findings.
    pub game_ids: Vec<String>,
    /// How many findings those were.
    pub issue_count: usize,
    /// How it is undone; its `kind` says what else is in it.
    pub inverse: Value,
    /// What was done.
    pub summary: Value,
    /// UTC.
    pub at: String,
    /// Whether it was undone.
    pub undone: bool,
    /// Everything else the row carries.
    #[serde(flatten)]
    pub more: Map<String, Value>,
}

impl Row for Fix {
    const SECTION: &'static str = "health_fixes";
}

impl Fix {
    /// A repair that was just made.
    fn of(plan: &FixPlan, inverse: Value, summary: Value, now: &Moment) -> Self {
        Self {
            fix_id: format!("healthfix-{}", ids::random_hex(6)),
            dimension: plan.dimension.name().to_owned(),
            game_ids: plan.game_ids.clone(),
            issue_count: plan.issue_count,
            inverse,
            summary,
            at: now.utc_iso(),
            undone: false,
            more: Map::new(),
        }
    }

    /// How it is undone.
    pub fn undo_kind(&self) -> &'static str {
        match self.inverse["kind"].as_str() {
            Some("trash_restore") => "trash",
            Some("artwork_doctor") => "artwork_doctor",
            _ => "field_restore",
        }
    }
}

/// Adds a repair to those that can be undone.
fn note(draft: &mut Draft, fix: &Fix) {
    let mut fixes = draft.state().rows::<Fix>();
    fixes.push(fix.clone());
    let surplus = fixes.len().saturating_sub(FIXES);
    fixes.drain(..surplus);
    draft.set_rows(&fixes);
}

/// A value that a repair replaced.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Replaced {
    pub(super) index: usize,
    pub(super) game_id: String,
    pub(super) field: String,
    pub(super) before: Value,
    pub(super) after: Value,
}

impl Health {
    /// Carries out a plan that was just made for a library that `is_current`: the one of the preview.
    /// Pictures are fetched by a job and repairs by hand are not repairs of the program, so neither is
    /// carried out here.
    ///
    /// # Errors
    /// [`FixError`]; nothing has changed then.
    pub fn carry_out(
        &self,
        plan: &FixPlan,
        is_current: &dyn Fn(&State) -> bool,
        now: &Moment,
    ) -> Committed<Fix, FixError> {
        let (Repair::Merge(_) | Repair::Relink(..)) = &plan.repair else {
            let missing = InputError("A folder is required.".to_owned());
            return Err(CommitError::Refused(missing.into()));
        };
        self.store.commit(|draft| {
            if !is_current(draft.state()) {
                return Err(FixError::Stale);
            }
            let fix = match &plan.repair {
                Repair::Merge(groups) => merge(draft, plan, groups, now)?,
                Repair::Relink(_, found) => relink(draft, plan, found, now),
                _ => return Err(FixError::NothingToFix),
            };
            note(draft, &fix);
            Ok(fix)
        })
    }

    /// Notes that a job fetches pictures for games.
    ///
    /// # Errors
    /// When the library cannot be written.
    pub fn note_pictures(
        &self,
        plan: &FixPlan,
        job_id: &str,
        games: usize,
        now: &Moment,
    ) -> Committed<Fix> {
        let inverse = json!({"kind": "artwork_doctor", "job_id": job_id});
        let fix = Fix::of(plan, inverse, json!({"job_id": job_id, "games": games}), now);
        self.store.change(|draft| {
            note(draft, &fix);
            fix
        })
    }
}

fn merge(
    draft: &mut Draft,
    plan: &FixPlan,
    groups: &[Vec<GameRef>],
    now: &Moment,
) -> Result<Fix, FixError> {
    let (mut trash_ids, mut changes): (Vec<String>, _) = (Vec::new(), Vec::new());
    for named in groups {
        // Made anew, because positions move with each merge.
        let merge = twins::plan(&draft.state().games, named)?;
        let id = merge.primary.game_id.as_str();
        let before = draft.state().games.find(id).map(|(_, game)| game.record());
        let entries = twins::merge(draft, &merge, now)?;
        // The last merge is undone first, so that each game finds its place.
        let before_it = std::mem::take(&mut trash_ids);
        trash_ids = entries.into_iter().map(|entry| entry.trash_id).chain(before_it).collect();
        for (field, change) in &merge.changes {
            let before = before.as_ref().and_then(|before| before.get(field)).cloned();
            changes.push(Replaced {
                index: merge.primary.id,
                game_id: id.to_owned(),
                field: field.clone(),
                before: before.unwrap_or_default(),
                after: change.value.clone(),
            });
        }
    }
    draft.set_cause(Cause::Deduped);
    let summary = json!({"merged": trash_ids.len()});
    let inverse = json!({"kind": "trash_restore", "trash_ids": trash_ids, "changes": changes});
    Ok(Fix::of(plan, inverse, summary, now))
}

fn relink(draft: &mut Draft, plan: &FixPlan, found: &relink::Plan, now: &Moment) -> Fix {
    let mut skipped = Vec::new();
    let applied = relink::apply(draft, &found.matches, &mut skipped);
    let is_applied = |found: &&relink::Match| {
        applied.iter().any(|row| row.game_id == found.game_id && row.field == found.field)
    };
    let changes: Vec<Replaced> = found
        .matches
        .iter()
        .filter(is_applied)
        .map(|found| Replaced {
            index: found.id,
            game_id: found.game_id.clone(),
            field: found.field.to_owned(),
            before: found.from.as_str().into(),
            after: found.file.path.as_str().into(),
        })
        .collect();
    let summary = json!({"updated": applied.len(), "skipped": skipped});
    Fix::of(plan, json!({"kind": "field_restore", "changes": changes}), summary, now)
}
