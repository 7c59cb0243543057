//! Requests of clients: making, showing, deciding on and applying reviews of matches.
//!
//! Each of these checks everything before it changes anything; the long work is that of the jobs.

use std::{collections::HashMap, sync::Arc};

use serde_json::{Map, Value, json};

use super::{
    error::{MetadataError, malformed},
    fields::{REVIEWED, Side},
    matching::Class,
    preview::{Action, Counts, Decision, Decisions, Item, Preview, ReviewFiles},
    score::Score,
    subject,
};
use crate::{
    backup::folder::Backups,
    base::{Moment, ids, schema::schema},
    jobs::{Accepted, Jobs, SameName, Submission, runner::Filter},
    metadb::{Database, MetadbHandle},
    model::{Cause, State},
    store::{CommitError, Store},
};

/// The name of the job that matches, before the id of the review.
pub(super) const MATCHING: &str = "metadata-match-preview:";
/// The name of the job that applies, before the id of the review.
pub(super) const APPLYING: &str = "metadata-match-apply:";
/// Decisions of one request.
const DECISIONS: usize = 200;

/// The reviews of matches: the use cases of `/api/v2/metadata/matches`.
pub struct Previews {
    pub(super) store: Store,
    pub(super) files: ReviewFiles,
    pub(super) handle: Arc<MetadbHandle>,
    pub(super) backups: Arc<Backups>,
}

schema! {
    /// A review is made, or its matches are applied, by a job.
    #[derive(Debug, PartialEq, Eq)]
    pub struct MatchesBegun {
        pub preview_id: String,
        pub revision: u64,
        pub job_id: String,
        /// Of the job.
        pub state: &'static str,
    }

    "MatchPreview"
    /// Where a review stands.
    pub struct ShownPreview {
        preview_id: String,
        /// What cursors and an apply are bound to.
        revision: u64,
        /// `ready`, or the state of its job.
        state: String,
        job_id: String,
        counts: Counts,
    }

    "MatchPage"
    /// A page of matches.
    pub struct ItemPage {
        preview_id: String,
        revision: u64,
        /// The cursor that was asked for.
        cursor: Option<String>,
        /// For the next page, when there is one.
        next_cursor: Option<String>,
        items: Vec<ShownItem>,
    }

    "MatchItem"
    /// What was found for a game. Games whose number was written at once are not listed.
    struct ShownItem {
        game_id: String,
        /// `exact_review`, `likely`, `possible` or `unmatched`.
        class: Class,
        score: Score,
        current: Side,
        proposed: Option<Side>,
        /// At most five.
        alternatives: Vec<ShownCandidate>,
        /// What was decided last; none yet when it is missing.
        #[serde(skip_serializing_if = "Option::is_none")]
        decision: Option<Action>,
        /// The number that was chosen.
        #[serde(skip_serializing_if = "Option::is_none")]
        chosen: Option<u32>,
    }

    "MatchAlternative"
    /// Another game of the database.
    struct ShownCandidate {
        database_id: u32,
        title: String,
        platform: String,
        score: Score,
    }

    "MatchDecisions"
    /// Decisions were taken.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct Decided {
        preview_id: String,
        revision: u64,
        accepted: usize,
        chosen: usize,
        skipped: usize,
        never: usize,
    }
}

/// Which items are asked for.
#[derive(Clone, Debug, Default)]
pub struct Selection {
    /// The `next_cursor` of the page before.
    pub cursor: Option<String>,
    /// Items of one page.
    pub limit: usize,
    /// Only this class.
    pub class: Option<Class>,
}

impl Previews {
    /// The database.
    ///
    /// # Errors
    /// [`MetadataError::NoDatabase`].
    pub fn database(&self) -> Result<Arc<Database>, MetadataError> {
        self.handle.database().ok_or(MetadataError::NoDatabase)
    }

    /// Starts matching games: the named ones, or those of an import.
    ///
    /// # Errors
    /// [`MetadataError`].
    pub fn create(
        &self,
        jobs: &Jobs,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<MatchesBegun, MetadataError> {
        let (game_ids, import_batch_id) = selected(body)?;
        let preview = self.prepare(jobs, game_ids, import_batch_id, now)?;
        let input = Map::from_iter([("preview_id".to_owned(), json!(preview.preview_id))]);
        let begun = submit(jobs, &preview, MATCHING, input);
        match begun {
            Ok(begun) => {
                self.note_job(&preview.preview_id, &begun.job_id)?;
                Ok(begun)
            }
            Err(error) => {
                if let Err(error) = self.files.discard(&preview.preview_id) {
                    log::warn!("a review without a job stays until it expires: {error}");
                }
                Err(error)
            }
        }
    }

    /// Stores the document of a new review; the caller starts the matching.
    ///
    /// # Errors
    /// [`MetadataError::NoDatabase`], and those of [`ReviewFiles::add`].
    pub(super) fn prepare(
        &self,
        jobs: &Jobs,
        game_ids: Option<Vec<String>>,
        import_batch_id: String,
        now: &Moment,
    ) -> Result<Preview, MetadataError> {
        self.database()?;
        if let Err(error) = self.files.prune(now, |_| false) {
            log::warn!("old reviews were not removed: {error}");
        }
        let preview = Preview {
            preview_id: ids::random_hex(16),
            revision: 1,
            created_at: now.unix_seconds(),
            game_ids,
            import_batch_id,
            ..Preview::default()
        };
        self.files.add(&preview, now, |other| job_status(jobs, other).is_active)?;
        Ok(preview)
    }

    /// Notes which job matches the games of a review.
    ///
    /// # Errors
    /// As [`ReviewFiles::update`].
    pub(super) fn note_job(&self, id: &str, job_id: &str) -> Result<(), MetadataError> {
        self.files.update(id, |preview| job_id.clone_into(&mut preview.job_id)).map(drop)
    }

    /// A review that stands.
    ///
    /// # Errors
    /// [`MetadataError::NoId`], [`MetadataError::NotFound`], [`MetadataError::Expired`].
    pub fn find(&self, id: &str, now: &Moment) -> Result<Preview, MetadataError> {
        if id.is_empty() {
            return Err(MetadataError::NoId);
        }
        let preview = self.files.find(id)?;
        if preview.is_over(now) { Err(MetadataError::Expired) } else { Ok(preview) }
    }

    /// Where a review stands.
    ///
    /// # Errors
    /// As [`Previews::find`].
    pub fn show(&self, jobs: &Jobs, id: &str, now: &Moment) -> Result<ShownPreview, MetadataError> {
        let preview = self.find(id, now)?;
        let JobStatus { state, job_id, .. } = job_status(jobs, &preview);
        let Preview { preview_id, revision, counts, .. } = preview;
        Ok(ShownPreview { preview_id, revision, state, job_id, counts })
    }

    /// A page of the matches of a review, with what both sides know at present. Games that are gone are
    /// left out.
    ///
    /// # Errors
    /// As [`Previews::find`]; [`MetadataError::OldCursor`], [`MetadataError::NoDatabase`].
    pub fn items(
        &self,
        state: &State,
        id: &str,
        selection: &Selection,
        now: &Moment,
    ) -> Result<ItemPage, MetadataError> {
        let preview = self.find(id, now)?;
        let database = self.database()?;
        let from = match &selection.cursor {
            Some(cursor) => position(cursor, &preview).ok_or(MetadataError::OldCursor)?,
            None => 0,
        };
        let decisions = self.files.decisions(&preview.preview_id)?;
        let (mut items, mut last, mut has_more) = (Vec::new(), from, false);
        for (item, end) in self.files.items(&preview, from)? {
            if selection.class.is_some_and(|class| class != item.class) {
                continue;
            }
            if items.len() == selection.limit {
                has_more = true;
                break;
            }
            last = end;
            items.extend(shown(state, &database, &decisions, item));
        }
        Ok(ItemPage {
            next_cursor: has_more.then(|| format!("{}-{last}", preview.revision)),
            cursor: selection.cursor.clone(),
            preview_id: preview.preview_id,
            revision: preview.revision,
            items,
        })
    }

    /// Stores decisions about proposals, all of them or none; permanent refusals are written to their games at once.
    ///
    /// # Errors
    /// [`MetadataError`].
    pub fn decide(
        &self,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<Decided, MetadataError> {
        let preview = self.find(preview_id(body), now)?;
        let posted = body.get("items").and_then(Value::as_array).filter(|items| !items.is_empty());
        let Some(posted) = posted else { return malformed("items must be a non-empty array.") };
        if posted.len() > DECISIONS {
            return malformed("items length must be <= 200.");
        }
        if !preview.is_ready {
            return Err(MetadataError::NotReady);
        }
        let database = self.database()?;
        let items = self.files.items(&preview, 0)?;
        let items: HashMap<String, Item> =
            items.map(|(item, _)| (item.game_id.clone(), item)).collect();
        let page: Vec<Decision> =
            posted.iter().map(|row| read(row, &items, &database)).collect::<Result<_, _>>()?;
        self.refuse(&page)?;
        let preview = self.files.decide(&preview.preview_id, &page)?;
        let count = |action| page.iter().filter(|decision| decision.action == action).count();
        Ok(Decided {
            revision: preview.revision,
            preview_id: preview.preview_id,
            accepted: count(Action::Accept),
            chosen: count(Action::Choose),
            skipped: count(Action::Skip),
            never: count(Action::Never),
        })
    }

    /// Writes to games what they refuse.
    fn refuse(&self, page: &[Decision]) -> Result<(), MetadataError> {
        let refused = page.iter().filter(|decision| decision.action == Action::Never);
        let refused: Vec<_> =
            refused.filter_map(|it| Some((it.game_id.as_str(), it.database_id?))).collect();
        if refused.is_empty() {
            return Ok(());
        }
        let done = self.store.change(|draft| {
            for (game_id, id) in &refused {
                // A game that is gone meanwhile has nothing to refuse.
                drop(draft.edit_game(game_id, |record| subject::refuse(record, *id)));
            }
            draft.set_cause(Cause::Bulk(refused.iter().map(|(id, _)| (*id).to_owned()).collect()));
        });
        done.map_err(not_saved)
    }

    /// Starts writing the decided matches to their games.
    ///
    /// # Errors
    /// [`MetadataError`].
    pub fn apply(
        &self,
        jobs: &Jobs,
        body: &Map<String, Value>,
        now: &Moment,
    ) -> Result<MatchesBegun, MetadataError> {
        self.database()?;
        let preview = self.find(preview_id(body), now)?;
        let given = |key: &str| body.get(key).filter(|value| !value.is_null());
        let revision = match given("revision").map(Value::as_u64) {
            None => return malformed("revision is required."),
            Some(None) => return malformed("revision must be an integer."),
            Some(Some(revision)) => revision,
        };
        if given("media_allow_list").is_some() {
            return malformed(
                "media_allow_list is not supported in metadata apply; use /api/media/bulk.",
            );
        }
        let game_ids = given("game_ids").map(|value| texts("game_ids", value)).transpose()?;
        let allowed = given("field_allow_list").map(|value| texts("field_allow_list", value));
        let allowed = allowed.transpose()?.unwrap_or_default();
        let is_known = |name: &&String| REVIEWED.iter().any(|(known, _)| known == name);
        if let Some(unknown) = allowed.iter().find(|name| !is_known(name)) {
            return malformed(format!("Unknown field {unknown} in field_allow_list."));
        }
        let replaces = match given("replace_existing") {
            None => false,
            Some(Value::Bool(replaces)) => *replaces,
            Some(_) => return malformed("replace_existing must be true or false."),
        };
        if replaces && allowed.is_empty() {
            return malformed("replace_existing requires a non-empty allow-list.");
        }
        if revision != preview.revision {
            return Err(MetadataError::OldRevision);
        }
        if !preview.is_ready {
            return Err(MetadataError::NotReady);
        }
        let all = || REVIEWED.iter().map(|(name, _)| (*name).to_owned()).collect();
        let allowed: Vec<String> = if allowed.is_empty() { all() } else { allowed };
        let input = json!({"preview_id": preview.preview_id, "revision": revision,
            "game_ids": game_ids, "field_allow_list": allowed, "replace_existing": replaces});
        submit(jobs, &preview, APPLYING, crate::jobs::kind::object(input))
    }
}

/// A failed commit that cannot be refused.
pub(super) fn not_saved(error: CommitError<std::convert::Infallible>) -> MetadataError {
    error.hand_on()
}

fn submit(
    jobs: &Jobs,
    preview: &Preview,
    family: &str,
    input: Map<String, Value>,
) -> Result<MatchesBegun, MetadataError> {
    let name = format!("{family}{}", preview.preview_id);
    let accepted = jobs.submit(Submission { name, input, same_name: SameName::Separate })?;
    let Accepted { job_id, state, .. } = accepted;
    let (preview_id, revision) = (preview.preview_id.clone(), preview.revision);
    Ok(MatchesBegun { preview_id, revision, job_id, state: state.name() })
}

fn preview_id(body: &Map<String, Value>) -> &str {
    body.get("preview_id").and_then(Value::as_str).map_or("", str::trim)
}

/// A list of texts.
fn texts(key: &str, value: &Value) -> Result<Vec<String>, MetadataError> {
    let list = value.as_array().and_then(|list| {
        list.iter().map(|each| each.as_str().map(str::to_owned)).collect::<Option<Vec<_>>>()
    });
    match list {
        Some(list) => Ok(list),
        None => malformed(format!("{key} must be an array or null.")),
    }
}

/// The games that are to be matched: by name, or by import.
fn selected(body: &Map<String, Value>) -> Result<(Option<Vec<String>>, String), MetadataError> {
    let given = |key: &str| body.get(key).filter(|value| !value.is_null());
    let batch = match given("import_batch_id") {
        Some(Value::String(batch)) => batch.trim().to_owned(),
        Some(_) => return malformed("import_batch_id must be text."),
        None => String::new(),
    };
    let game_ids = given("game_ids").map(|value| texts("game_ids", value)).transpose()?;
    match (&game_ids, batch.is_empty()) {
        (Some(ids), true) if !ids.is_empty() => Ok((game_ids, batch)),
        (None, false) => Ok((None, batch)),
        _ => malformed("Provide either game_ids or import_batch_id."),
    }
}

/// One decision as it was posted, by the match it is about.
fn read(
    row: &Value,
    items: &HashMap<String, Item>,
    database: &Database,
) -> Result<Decision, MetadataError> {
    let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default();
    let Some(action) = Action::named(text("action")) else {
        return malformed("Invalid decision action.");
    };
    let game_id = text("game_id");
    let Some(item) = items.get(game_id) else {
        return malformed(format!("Unknown game_id {game_id}."));
    };
    let given = row.get("database_id").filter(|id| !id.is_null());
    let id = given.and_then(Value::as_u64).and_then(|id| u32::try_from(id).ok());
    let database_id = match action {
        Action::Accept if !matches!(item.class, Class::ExactReview | Class::Likely) => {
            return malformed("accept is only allowed for exact_review or likely.");
        }
        Action::Never | Action::Skip if given.is_some() => {
            return malformed("database_id must be null for skip/never.");
        }
        Action::Accept | Action::Never => item.proposed,
        Action::Skip => None,
        Action::Choose => match id {
            None => return malformed("database_id is required for choose."),
            Some(id) if database.row(id).is_none() => return Err(MetadataError::UnknownRow),
            Some(id) => Some(id),
        },
    };
    Ok(Decision { game_id: item.game_id.clone(), action, database_id })
}

/// The position that a cursor of this revision stands for.
fn position(cursor: &str, preview: &Preview) -> Option<u64> {
    let (revision, at) = cursor.split_once('-')?;
    let at = at.parse().ok().filter(|at| *at <= preview.bytes)?;
    (revision.parse() == Ok(preview.revision)).then_some(at)
}

/// An item as it is shown; `None` for a game that is gone.
fn shown(
    state: &State,
    database: &Database,
    decisions: &Decisions,
    item: Item,
) -> Option<ShownItem> {
    let (_, game) = state.games.find(&item.game_id)?;
    let decision = decisions.get(&item.game_id);
    let candidate = |candidate: super::matching::Candidate| {
        let row = database.row(candidate.database_id)?;
        let (title, platform) = (row.name, row.platform);
        Some(ShownCandidate {
            database_id: candidate.database_id,
            title,
            platform,
            score: candidate.score,
        })
    };
    let row = item.proposed.and_then(|id| database.row(id));
    Some(ShownItem {
        current: Side::of_game(&game.record()),
        game_id: item.game_id,
        class: item.class,
        score: item.score,
        proposed: row.map(|row| Side::of_row(&row, &database.images(row.id))),
        alternatives: item.alternatives.into_iter().filter_map(candidate).collect(),
        decision: decision.map(|it| it.action),
        chosen: decision.filter(|it| it.action == Action::Choose).and_then(|it| it.database_id),
    })
}

/// Where the job of a review stands.
struct JobStatus {
    state: String,
    job_id: String,
    is_active: bool,
}

fn job_status(jobs: &Jobs, preview: &Preview) -> JobStatus {
    let root_job_id = Some(preview.job_id.clone());
    let page = jobs.list(&Filter { limit: 1, root_job_id, ..Filter::default() });
    let newest = page.jobs.into_iter().next();
    let state = newest.as_ref().map_or("interrupted", |job| job.state.name());
    JobStatus {
        is_active: !preview.is_ready && matches!(state, "queued" | "running" | "cancelling"),
        state: if preview.is_ready { "ready".to_owned() } else { state.to_owned() },
        job_id: newest.map_or_else(|| preview.job_id.clone(), |job| job.job_id),
    }
}
