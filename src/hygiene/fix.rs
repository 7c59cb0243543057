//! Replacing bad pictures with those of the artwork provider
//! (`POST /api/v2/artgrid/hygiene/fix`): a durable job, one commit for each picture.

use std::{collections::HashSet, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    batches::{Batch, Entry, Link},
    error::HygieneError,
    findings::{self, FIELDS, Issue},
    service::Hygiene,
};
use crate::{
    artgrid::{
        ArtgridError, ArtworkError,
        artwork::{self, NoPicture, Write},
    },
    base::Moment,
    game::{
        edit::EditError,
        origins::{self, Mode},
    },
    jobs::{
        Accepted, Context, Jobs, Outcome, SameName, Spec, Submission, Title,
        items::{Item, PROVIDER_ERROR},
        kind::{Failure, object},
    },
    model::{Cause, Record, State, origins::Right},
    providers::ARTGRID,
};

/// The name of the job.
const NAME: &str = "artgrid-hygiene-fix";
const TYPE: &str = "artgrid.hygiene_fix";
pub(super) const SPEC: Spec =
    Spec { resumes: true, ..Spec::new(TYPE, &[(NAME, Title::Fixed("Artwork fix"))]) };
/// Pictures of one fix.
pub const PICTURES: usize = 200;
/// Pictures one after the other for which the provider could not be asked; then the job ends.
const LOST: usize = 3;
/// What is fixed by default. A missing file may be on a disk that is not connected.
const USUAL: [Issue; 4] =
    [Issue::MissingCover, Issue::LowRes, Issue::WrongAspect, Issue::Duplicate];

/// A fix that was asked for.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Request<'a> {
    /// Stable ids; every game when it is empty.
    pub game_ids: Vec<&'a str>,
    /// Media fields; the cover when it is missing.
    pub fields: Option<&'a Value>,
    /// Kinds of findings; all that can be fixed when it is missing.
    pub issues: Option<&'a Value>,
    /// Findings of a report, `{game_id, field}`, which name the pictures one by one.
    pub findings: Option<&'a Value>,
    /// Pictures at most.
    pub limit: usize,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct FixInput {
    game_ids: Vec<String>,
    fields: Vec<String>,
    issues: Vec<Issue>,
    /// These pictures only; all of the games when it is empty.
    pictures: Vec<Target>,
    limit: usize,
}

/// A field of a game whose picture is to be replaced.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Target {
    game_id: String,
    field: String,
}

/// Where a resume continues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Point {
    targets: Vec<Target>,
    rows: Vec<Row>,
}

/// The outcome for one picture.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct Row {
    game_id: String,
    name: String,
    field: String,
    status: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    artgrid_id: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    media: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
}

impl Row {
    fn ended(self, status: &str) -> Self {
        Self { status: status.to_owned(), ..self }
    }
}

fn fields_of(value: Option<&Value>) -> Result<Vec<String>, HygieneError> {
    let refused = || HygieneError::Malformed("Invalid field selection.");
    let Some(value) = value else { return Ok(vec!["cover".to_owned()]) };
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(refused)?;
    let known = |each: &Value| FIELDS.iter().find(|field| Some(**field) == each.as_str());
    let named: Option<Vec<_>> = list.iter().map(known).collect();
    Ok(named.ok_or_else(refused)?.into_iter().map(|field| (*field).to_owned()).collect())
}

fn issues_of(value: Option<&Value>) -> Result<Vec<Issue>, HygieneError> {
    let refused = || HygieneError::Malformed("Invalid issue selection.");
    let Some(value) = value else { return Ok(USUAL.to_vec()) };
    let list = value.as_array().ok_or_else(refused)?;
    let named: Option<Vec<_>> =
        list.iter().map(|each| each.as_str().and_then(Issue::named)).collect();
    let mut issues = named.ok_or_else(refused)?;
    issues.retain(|issue| USUAL.contains(issue));
    let nothing = || HygieneError::Malformed("Select at least one issue that can be fixed.");
    Some(issues).filter(|issues| !issues.is_empty()).ok_or_else(nothing)
}

/// The pictures of findings; the field of one that names none is the cover.
fn pictures_of(value: Option<&Value>) -> Result<Vec<Target>, HygieneError> {
    let refused = || HygieneError::Malformed("Invalid finding selection.");
    let Some(value) = value else { return Ok(Vec::new()) };
    let list = value.as_array().filter(|list| !list.is_empty()).ok_or_else(refused)?;
    let picture = |each: &Value| {
        let field = each.get("field").map_or(Some("cover"), Value::as_str)?;
        let game_id = each.get("game_id")?.as_str()?.to_owned();
        FIELDS.contains(&field).then(|| Target { game_id, field: field.to_owned() })
    };
    list.iter().map(picture).collect::<Option<_>>().ok_or_else(refused)
}

impl Hygiene {
    /// Starts a job that replaces pictures.
    ///
    /// # Errors
    /// [`HygieneError`]: when the provider cannot be asked, or something is named that is not known.
    pub fn submit_fix(&self, jobs: &Jobs, request: &Request<'_>) -> Result<Accepted, HygieneError> {
        let pictures = pictures_of(request.findings)?;
        let mut game_ids: Vec<&str> = request.game_ids.clone();
        for picture in &pictures {
            if !game_ids.contains(&picture.game_id.as_str()) {
                game_ids.push(&picture.game_id);
            }
        }
        let mut fields = fields_of(request.fields)?;
        fields.extend(pictures.iter().map(|picture| picture.field.clone()));
        let input = FixInput {
            game_ids: game_ids.into_iter().map(str::to_owned).collect(),
            fields,
            issues: issues_of(request.issues)?,
            pictures,
            limit: request.limit.clamp(1, PICTURES),
        };
        self.artwork.usable()?;
        let (name, input) = (NAME.to_owned(), object(json!(input)));
        let submission = Submission { name, input, same_name: SameName::Separate };
        Ok(jobs.submit(submission).map_err(ArtworkError::Job)?)
    }

    /// The pictures that an input is about, and the games of it that are not there.
    fn targets(&self, state: &State, input: &FixInput) -> (Vec<Target>, Vec<Row>) {
        let found = |id: &String| state.games.find(id).map(|(_, game)| game.id().to_owned());
        let named: HashSet<String> = input.game_ids.iter().filter_map(found).collect();
        let missing = input.game_ids.iter().filter(|id| found(id).is_none()).take(PICTURES);
        let missing = missing.map(|id| {
            let row = Row { game_id: id.clone(), ..Row::default() };
            row.ended("game_missing")
        });
        let wanted = (!input.game_ids.is_empty()).then_some(&named);
        let findings = findings::examine(state, &self.roots, usize::MAX, wanted);
        let mut seen = HashSet::new();
        let mut targets = Vec::new();
        for finding in findings.issues {
            let is_asked = input.issues.contains(&finding.issue)
                && input.fields.iter().any(|field| field == finding.field);
            let target = Target { game_id: finding.game_id, field: finding.field.to_owned() };
            if is_asked
                && (input.pictures.is_empty() || input.pictures.contains(&target))
                && targets.len() < input.limit
                && seen.insert((target.game_id.clone(), target.field.clone()))
            {
                targets.push(target);
            }
        }
        (targets, missing.collect())
    }

    pub(super) fn run_fix(&self, context: &Context<'_>) -> Outcome {
        let input = FixInput::deserialize(context.input());
        let input = input.map_err(|error| Failure::new(error.to_string()))?;
        let failed = |error: ArtworkError| artwork::failure(&error, context);
        self.artwork.usable().map_err(failed)?;
        let resumed = context.resumed_from().and_then(|value| Point::deserialize(value).ok());
        let mut point = if let Some(point) = resumed {
            point
        } else {
            context.phase("examining");
            let state = self.artwork.store.snapshot();
            let state = state.map_err(|error| artwork::not_read(&error))?;
            let (targets, rows) = self.targets(&state, &input);
            Point { targets, rows }
        };
        context.phase("replacing");
        let total =
            point.targets.len() + point.rows.iter().filter(|row| row.field.is_empty()).count();
        context.expect(total as u64, "pictures");
        context.checkpoint(json!(point), point.rows.len() as u64);
        let mut batch = self.batch(context);
        let done: HashSet<(String, String)> =
            point.rows.iter().map(|row| (row.game_id.clone(), row.field.clone())).collect();
        let mut lost = 0;
        for target in point.targets.clone() {
            if done.contains(&(target.game_id.clone(), target.field.clone())) {
                continue;
            }
            context.check()?;
            let row = match self.fix(context, &mut batch, &target) {
                Ok(row) => row,
                Err(Ended::Failure(failure)) => return Err(failure),
                Err(Ended::Artgrid(row, error)) => {
                    lost += 1;
                    if error.is_final() || lost == LOST || context.check().is_err() {
                        return Err(failed(error.into()));
                    }
                    let error = Some(error.to_string());
                    Row { error, ..row.ended("error") }
                }
            };
            lost = if row.status == "error" { lost } else { 0 };
            if let Some(error) = &row.error {
                let item_id = format!("{}:{}", row.game_id, row.field);
                context.item(Item::failed(&item_id, &row.name, PROVIDER_ERROR, error));
            }
            point.rows.push(row);
            context.checkpoint(json!(point), point.rows.len() as u64);
        }
        self.batches.prune();
        let applied = point.rows.iter().filter(|row| row.status == "applied").count();
        Ok(object(json!({"batch_id": batch.batch_id, "provider": ARTGRID.id, "applied": applied,
            "failed": point.rows.len() - applied, "total": point.rows.len(), "cancelled": false,
            "results": point.rows, "completed": applied})))
    }

    /// The list of what this job replaces.
    fn batch(&self, context: &Context<'_>) -> Batch {
        let id = context.root_job_id();
        self.batches.find(id).unwrap_or_else(|| Batch {
            batch_id: id.to_owned(),
            created_at: Moment::now().utc_iso(),
            provider: ARTGRID.id.to_owned(),
            records: Vec::new(),
        })
    }

    fn fix(&self, context: &Context<'_>, batch: &mut Batch, target: &Target) -> Result<Row, Ended> {
        let cancel = || context.check().is_err();
        let (game_id, field) = (target.game_id.clone(), target.field.clone());
        let row = Row { game_id, field, ..Row::default() };
        let state = self.artwork.store.snapshot();
        let state = state.map_err(|error| Ended::Failure(artwork::not_read(&error)))?;
        let Some((_, game)) = state.games.find(&target.game_id) else {
            return Ok(row.ended("game_missing"));
        };
        let record = game.record();
        let row = Row { name: record.text("name").to_owned(), ..row };
        context.progress(0, &row.name);
        if artwork::is_held(&record, &row.field, Right::Request) {
            let error = Some("The field is locked.".to_owned());
            return Ok(Row { error, ..row.ended("error") });
        }
        let asked = |error: ArtgridError| Ended::Artgrid(Box::new(row.clone()), error);
        let hit = self.artwork.find(&record, &cancel).map_err(asked)?;
        let Some(hit) = hit else { return Ok(row.ended("not_found")) };
        // The provider has one kind of picture for both.
        let kind = if row.field == "hero" { "background" } else { row.field.as_str() };
        let loaded = self.artwork.load(hit.id, kind, &cancel).map_err(asked)?;
        let row = Row { artgrid_id: Some(hit.id), ..row };
        let picture = match loaded {
            Ok(picture) => picture,
            Err(NoPicture::Missing) => return Ok(row.ended("not_found")),
            Err(error) => {
                let error = Some(error.to_string());
                return Ok(Row { error, ..row.ended("error") });
            }
        };
        context.check().map_err(Ended::Failure)?;
        let path = self.artwork.place(&record, &row.field, &picture);
        let shown = path.to_string_lossy().into_owned();
        self.note(batch, &row, &record, &shown).map_err(|error| disk(&error))?;
        self.artwork.put(&path, &picture).map_err(|error| disk(&error))?;
        self.artwork.store.report(Cause::MediaChanged(vec![shown.clone()]));
        let is_there =
            self.write(context, &row, hit.id, &record, &shown).map_err(Ended::Failure)?;
        Ok(if is_there {
            Row { media: Some(shown), ..row.ended("applied") }
        } else {
            let error = Some(EditError::Overtaken.to_string());
            Row { error, ..row.ended("error") }
        })
    }

    /// Notes what a picture replaces, with a copy of it. What was noted before a kill stays as it is.
    fn note(
        &self,
        batch: &mut Batch,
        row: &Row,
        record: &Record,
        new: &str,
    ) -> Result<(), crate::files::DiskError> {
        let is_known = |entry: &Entry| entry.game_id == row.game_id && entry.field == row.field;
        let new_id = row.artgrid_id.map(|id| id.to_string()).unwrap_or_default();
        if let Some(known) = batch.records.iter_mut().find(|entry| is_known(entry)) {
            new.clone_into(&mut known.new);
            if let Some(link) = &mut known.link {
                link.new_id = new_id;
            }
            return self.batches.put(batch);
        }
        let previous = record.text(&row.field).to_owned();
        let backup = if previous.is_empty() {
            String::new()
        } else {
            self.batches.copy(&batch.batch_id, &row.game_id, &row.field, Path::new(&previous))?
        };
        batch.records.push(Entry {
            game_id: row.game_id.clone(),
            field: row.field.clone(),
            created: previous.is_empty(),
            previous,
            backup,
            new: new.to_owned(),
            link: Some(Link {
                previous_provider: record.text(artwork::PROVIDER).to_owned(),
                previous_id: record.shown(artwork::ID).trim().to_owned(),
                new_id,
            }),
        });
        self.batches.put(batch)
    }

    /// Writes the path of a picture, unless the field was changed or locked meanwhile; returns whether the field has it
    /// now.
    fn write(
        &self,
        context: &Context<'_>,
        row: &Row,
        id: u32,
        before: &Record,
        path: &str,
    ) -> Result<bool, Failure> {
        let pass = context.root_job_id();
        let written = self.artwork.store.change(|draft| {
            let game_id = row.game_id.as_str();
            let now = draft.state().games.find(game_id).map(|(_, game)| game.record());
            let field = row.field.as_str();
            if now.is_none_or(|now| now.text(field) != before.text(field)) {
                return false;
            }
            let pictures = [(field, Value::from(path))];
            let part = Write {
                game_id,
                id,
                pass,
                // A fix is asked for, so what the user chose is replaced too, unless it is locked.
                right: Right::Request,
                texts: (Mode::Fill, &[]),
                pictures: &pictures,
            };
            let keys = artwork::write(draft, &part);
            let is_new = keys.iter().any(|key| key == field);
            origins::note_pass(draft, pass, TYPE, usize::from(is_new));
            draft.set_cause(Cause::Updated(game_id.to_owned()));
            is_new || before.text(field) == path
        });
        written.map_err(artwork::not_saved)
    }
}

/// Why a picture could not be replaced.
enum Ended {
    Artgrid(Box<Row>, ArtgridError),
    Failure(Failure),
}

fn disk(error: &crate::files::DiskError) -> Ended {
    Ended::Failure(artwork::disk_failure(error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text<T>(outcome: Result<T, HygieneError>) -> String {
        outcome.err().map(|error| error.to_string()).unwrap_or_default()
    }

    #[test]
    fn fields_and_issues_are_those_that_are_known() {
        assert_eq!(fields_of(None).expect("the cover"), ["cover"]);
        let both = json!(["icon", "hero"]);
        assert_eq!(fields_of(Some(&both)).expect("known"), ["icon", "hero"]);
        for value in [json!([]), json!("cover"), json!(["fanart"]), json!([1])] {
            assert_eq!(text(fields_of(Some(&value))), "Invalid field selection.");
        }
        assert_eq!(issues_of(None).expect("all"), USUAL);
        let both = json!(["missing_file", "duplicate"]);
        assert_eq!(issues_of(Some(&both)).expect("known"), [Issue::Duplicate]);
        for value in [json!("low_res"), json!(["ugly"]), json!([1])] {
            assert_eq!(text(issues_of(Some(&value))), "Invalid issue selection.");
        }
        for value in [json!([]), json!(["missing_file"])] {
            let expected = "Select at least one issue that can be fixed.";
            assert_eq!(text(issues_of(Some(&value))), expected);
        }
    }
}
