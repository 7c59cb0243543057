//! The job that commits a preview to the library.
//!
//! The commit is one change of the library and stored in it, so an interrupted job has committed
//! everything or nothing, and a repeated one returns the stored result.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    base::{Moment, memory},
    game::batches::{self, Batch},
    imports::playlists,
    jobs::{
        Context, Kind, Outcome as JobOutcome, Spec, Title, document::Fault, items::Item as JobItem,
        kind::Failure,
    },
    model::State,
    platforms::{self, Platform},
    scan::{discs::DiscGroup, extensions, systems, walk::FoundFile},
    store::CommitError,
    storefronts::covers,
};

use super::{
    candidate::{Candidate, Playlist},
    classify::Item,
    commit::{self, Done, Outcome, PlanError},
    decision::{self, Choice, KnownCandidates},
    error::SetupError,
    plan::{Plan, Step},
    preview::Preview,
    previews::{self, Previews},
    resolve,
    scan_work::{PREVIEW, STEP, begin, compare_sources, library_changed, parse, snapshot},
};

const SPEC: Spec = Spec {
    subject: Some(PREVIEW),
    promotes: true,
    ..Spec::new("setup.commit", &[("setup-commit:", Title::Spelled)])
};

/// The kind of work that makes a preview a part of the library.
pub fn kind(previews: &Arc<Previews>) -> Kind {
    Kind::new(SPEC, previews, |previews, context| Worker { previews }.run(context))
}

struct Worker<'a> {
    previews: &'a Previews,
}

impl Worker<'_> {
    fn run(&self, context: &Context<'_>) -> JobOutcome {
        let input = context.input();
        let (preview, sources) = begin(self.previews, context)?;
        let revision = input.get("revision").and_then(Value::as_u64).unwrap_or_default();
        let token = commit::token(&preview.preview_id, revision);
        if let Some(outcome) = commit::recall(&*snapshot(self.previews)?, &token) {
            self.close(&preview.preview_id);
            return Ok(commit_result(&outcome));
        }
        if revision != preview.revision {
            return Err(SetupError::OldRevision.into());
        }
        if !preview.is_scanned {
            return Err(SetupError::NotReady.into());
        }
        compare_sources(self.previews, context, &preview, &sources, 0, false)?;
        let plan = self.plan(context, &preview, input)?;
        context.promote()?;
        let placed = self.place_files(plan)?;
        let done = self.carry_out(&preview, &token, placed)?;
        for (item_id, label) in &done.failed {
            let fault = Fault {
                code: "INVALID_DECISION".to_owned(),
                message: "It is undecided, or the decision could not be carried out.".to_owned(),
                request_id: String::new(),
            };
            let (item_id, label) = (item_id.clone(), label.clone());
            let state = "failed".to_owned();
            context.item(JobItem { item_id, label, state, error: Some(fault) });
        }
        self.close(&preview.preview_id);
        memory::give_back();
        Ok(commit_result(&done.outcome))
    }
}

fn commit_result(outcome: &Outcome) -> Map<String, Value> {
    let result = json!({
        "import_batch_id": outcome.import_batch_id,
        "added": outcome.added,
        "merged": outcome.merged,
        "skipped": outcome.skipped,
        "excluded": outcome.excluded,
        "failed": outcome.failed,
    });
    if let Value::Object(result) = result { result } else { Map::new() }
}

impl Worker<'_> {
    /// The steps for all candidates after all decisions.
    fn plan(
        &self,
        context: &Context<'_>,
        preview: &Preview,
        input: &Map<String, Value>,
    ) -> Result<Plan, Failure> {
        let stored = &self.previews.files;
        let id = preview.preview_id.as_str();
        let index = stored.index(preview)?;
        let decided = stored.decisions(id)?;
        let catalog = self.previews.detector.catalog();
        let known =
            KnownCandidates { is_candidate: &|id| index.find(id).is_some(), catalog: &catalog };
        let choices = decision::read_choices(input, &known)?;
        previews::check_resolved(&index, &decided, &choices, &catalog)?;
        let mut plan = Plan::default();
        stored.each_line(id, "items", preview.items_bytes, |line| {
            if (plan.len() as u64).is_multiple_of(STEP) {
                context.check()?;
            }
            let item: Item = parse(line)?;
            let decision = decided.get(&item.candidate.id);
            let choice = choice_of(&choices, &item.candidate.id);
            let act = resolve::act_of(&item, decision, choice);
            let mut candidate = item.candidate;
            resolve::apply(&mut candidate, decision, choice, &catalog);
            plan.push(Step::new(act, &candidate));
            Ok::<_, Failure>(())
        })?;
        Ok(plan)
    }

    /// Writes the files of new rows: playlists of discs, and copies of covers outside the media folder.
    fn place_files(&self, plan: Plan) -> Result<Plan, Failure> {
        plan.with_files(|step| {
            let mut candidate: Candidate = parse(step.candidate.as_bytes())?;
            self.place_playlists(&mut candidate);
            self.place_cover(&mut candidate);
            Ok(Step::new(step.act, &candidate))
        })
    }

    fn place_playlists(&self, candidate: &mut Candidate) {
        let scan = &self.previews.scan;
        for list in std::mem::take(&mut candidate.playlists) {
            let platform = platforms::by_name(candidate.record.text("platform"));
            let Some(group) = group_of(&list, platform) else { continue };
            let path = {
                let generated = scan.data.generated();
                playlists::place(&scan.files, &generated, &group, &mut candidate.written)
            };
            let mut versions: Vec<Value> = candidate.record.list("version_candidates").to_vec();
            if let Some(version) = versions.get_mut(list.version) {
                *version = path.as_str().into();
                candidate.record.set("version_candidates", versions);
            }
            if list.version == 0 {
                candidate.record.set("path", path);
            }
        }
    }

    fn place_cover(&self, candidate: &mut Candidate) {
        let scan = &self.previews.scan;
        covers::keep_of(&scan.files, &scan.data.media(), &mut candidate.record);
    }

    fn carry_out(&self, preview: &Preview, token: &str, plan: Plan) -> Result<Done, Failure> {
        let previews = self.previews;
        let batch = preview.import_batch_id.as_str();
        let now = Moment::now();
        let is_same = |state: &State| previews.signature(state) == preview.library_signature;
        let done = previews.store.commit(|draft| {
            let done = commit::commit(draft, plan, token, batch, &now, is_same)?;
            let folders = systems::remember(draft, &preview.platforms);
            let import_batch_id = batch.to_owned();
            batches::note(draft, Batch { import_batch_id, folders, ..Batch::default() });
            Ok(done)
        });
        done.map_err(|error| match error {
            CommitError::Refused(PlanError::LibraryChanged) => library_changed(),
            other => {
                log::error!("{other}");
                Failure::new("The library could not be saved.")
            }
        })
    }

    /// Marks the preview as committed. The library stores the commit too.
    fn close(&self, id: &str) {
        if let Err(error) = self.previews.files.update(id, |preview| preview.is_committed = true) {
            log::warn!("a preview that was committed does not say so: {error}");
        }
    }
}

fn choice_of<'a>(choices: &'a [(String, Choice)], id: &str) -> Option<&'a Choice> {
    choices.iter().rfind(|(candidate, _)| candidate == id).map(|(_, choice)| choice)
}

/// The discs of a playlist as the importer knows them; `None` when their names have changed.
fn group_of(list: &Playlist, platform: Option<&Platform>) -> Option<DiscGroup> {
    let disc = |path: &String| {
        let (folder, name) = path.rsplit_once('/')?;
        let extension = extensions::find(name.as_bytes())?;
        let platform = platform.map_or(extension.platform, |platform| platform.name);
        Some(FoundFile {
            folder: folder.into(),
            name: name.into(),
            extension,
            platform,
            is_certain: true,
        })
    };
    let discs: Option<Vec<FoundFile>> = list.discs.iter().map(disc).collect();
    let discs = discs.filter(|discs| !discs.is_empty())?;
    Some(DiscGroup { folder: Arc::clone(&discs[0].folder), title: list.title.clone(), discs })
}
