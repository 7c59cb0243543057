//! Fills in what games lack from every source that is on, in the order of the settings
//! (`POST /api/v2/metadata/fill`): one game as well as the whole library, as one pass that can be undone.
//!
//! Each game is one commit. What one game lacks affects only that game; a source that stops answering is left out for
//! the rest.

use std::{
    cell::RefCell,
    collections::{BTreeMap, BTreeSet},
    path::Path,
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    apply::media_values,
    error::{MetadataError, malformed},
    fields,
    order::{Source, SourceOrder, TEXTS},
    preview_work::snapshot,
    previews::not_saved,
    scrape::{ScrapeSettings, usual_media},
    service::Metadata,
    sources::{Answers, NoAnswer},
};
use crate::{
    artgrid::artwork,
    config::settings::read,
    game::{
        GameRef,
        origins::{self, Mode},
        reference::select,
    },
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        items::{Item, PROVIDER_ERROR},
        kind::{Failure, object},
    },
    media::presence::has_media,
    metadb::kinds,
    model::{
        Cause, Game, Record, State,
        origins::{Origin, Origins, Right},
    },
    providers::error::Cancel,
};

/// The name of the job for many games; one game has a job of its own.
const NAME: &str = "metadata-fill";
/// The type of the job.
pub const TYPE: &str = "metadata.fill";
const SPEC: Spec =
    Spec { resumes: true, ..Spec::new(TYPE, &[(NAME, Title::Fixed("Filling in games"))]) };
/// Games that a request may name.
const GAMES: usize = 10_000;
/// Errors that are shown, the newest.
const ERRORS: usize = 20;

/// Which sources of a field are asked, seen from the metadata database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// All of them.
    All,
    /// Those that come before it.
    Before,
    /// Those that come behind it.
    After,
}

impl Part {
    fn of(self, sources: Vec<Source>) -> Vec<Source> {
        let at = sources.iter().position(|source| *source == Source::Metadb);
        match (self, at) {
            (Self::All, _) | (Self::Before, None) => sources,
            (Self::After, None) => Vec::new(),
            (Self::Before, Some(at)) => sources[..at].to_vec(),
            (Self::After, Some(at)) => sources[at + 1..].to_vec(),
        }
    }
}

/// What is filled in, and from where.
pub(super) struct Plan {
    pub part: Part,
    pub media: Vec<&'static str>,
    /// Kinds of media besides those, which only SteamGridDB is asked for.
    pub artwork: Vec<&'static str>,
    /// Whether what sources wrote before is rewritten.
    pub renews: bool,
    /// Sources that may be asked.
    pub on: BTreeSet<Source>,
    /// What the pass is called.
    pub kind: &'static str,
}

/// The outcome of the games so far, and where a resume continues.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct Tally {
    last_game_id: String,
    /// Games that are done.
    games: usize,
    /// Games that changed.
    pub updated: u64,
    /// Games for which a source failed.
    pub failed: u64,
    /// The newest ones.
    pub errors: Vec<String>,
    /// The newest ones of each source.
    pub errors_by_source: BTreeMap<String, Vec<String>>,
    /// Changed fields by source.
    pub by_source: BTreeMap<String, u64>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
struct FillInput {
    /// Absent for the whole library.
    #[serde(skip_serializing_if = "Option::is_none")]
    game_ids: Option<Vec<String>>,
    media: Vec<String>,
    renew: bool,
    /// Blank means every platform.
    #[serde(skip_serializing_if = "String::is_empty")]
    platform: String,
}

/// What is to be filled in.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// These games; the whole library when it is missing.
    pub games: Option<&'a [GameRef]>,
    /// Only games of this platform; blank and `all` mean every one.
    pub platform: &'a str,
    /// Kinds of media; those that an import loads when it is missing.
    pub media: Option<&'a Value>,
    /// Whether what sources wrote before is rewritten.
    pub renews: bool,
}

/// The kind of work that fills in games.
pub(super) fn kind(metadata: &Arc<Metadata>) -> Kind {
    Kind::new(SPEC, metadata, run)
}

/// Starts filling in games.
///
/// # Errors
/// Too many games, one that is not there, an unknown kind, no source that is on, or when the job is not
/// accepted.
pub fn submit(
    metadata: &Metadata,
    jobs: &Jobs,
    request: &Request<'_>,
) -> Result<Accepted, MetadataError> {
    let Ok(kinds) = super::apply::media_kinds(request.media) else {
        return malformed("Invalid media type selection.");
    };
    let state = metadata.store.snapshot()?;
    let media = if request.media.is_some_and(|value| !value.is_null()) {
        kinds.into_iter().map(str::to_owned).collect()
    } else {
        usual_media(&state)
    };
    let game_ids = match request.games {
        None => None,
        Some(games) if games.len() > GAMES => {
            return malformed(format!("At most {GAMES} games can be filled in at once."));
        }
        Some(games) => {
            let found = select(&state.games, games);
            Some(found.map_err(|error| MetadataError::Malformed(error.0))?)
        }
    };
    if metadata.sources(&state).is_empty() {
        return Err(MetadataError::NoSource);
    }
    let platform = request.platform.trim();
    let platform = if platform.eq_ignore_ascii_case("all") { "" } else { platform };
    let input = FillInput { game_ids, media, renew: request.renews, platform: platform.to_owned() };
    let (name, input) = (NAME.to_owned(), object(json!(input)));
    let same_name = if request.games.is_some() || !platform.is_empty() {
        SameName::Separate
    } else {
        SameName::Join
    };
    Ok(jobs.submit(Submission { name, input, same_name })?)
}

fn run(metadata: &Metadata, context: &Context<'_>) -> Outcome {
    let input = FillInput::deserialize(context.input());
    let input = input.map_err(|error| Failure::new(error.to_string()))?;
    let state = snapshot(&metadata.store)?;
    let known = kinds::KINDS.iter().map(|kind| kind.kind);
    let plan = Plan {
        part: Part::All,
        media: known.filter(|kind| input.media.iter().any(|it| it == kind)).collect(),
        renews: input.renew,
        artwork: Vec::new(),
        on: metadata.sources(&state),
        kind: TYPE,
    };
    let resumed = context.resumed_from().and_then(|value| Tally::deserialize(value).ok());
    let mut tally = resumed.unwrap_or_default();
    let ids = left(&state, &input, &plan, &tally.last_game_id);
    drop(state);
    let (done, total) = (tally.games, tally.games + ids.len());
    context.expect(total as u64, "games");
    let after = |tally: &Tally, count: usize| context.checkpoint(json!(tally), count as u64);
    metadata.fill_games(context, &plan, &ids, done, &mut tally, &after)?;
    Ok(object(json!({"completed": tally.updated, "failed": tally.failed, "errors": tally.errors,
        "games": total, "by_source": tally.by_source, "pass_id": context.root_job_id()})))
}

/// The games of an input behind the last one that is done. Without a list they are found by their place in the
/// library: a game that was filled no longer shows that it was one of them.
fn left(state: &State, input: &FillInput, plan: &Plan, last_game_id: &str) -> Vec<String> {
    if let Some(ids) = &input.game_ids {
        let at = ids.iter().position(|id| id == last_game_id);
        return ids[at.map_or(0, |at| at + 1)..].to_vec();
    }
    let start = state.games.find(last_game_id).map_or(0, |(at, _)| at + 1);
    let is_wanted = |game: &&Arc<Game>| {
        (input.platform.is_empty() || game.platform() == input.platform)
            && (plan.renews || lacks(&game.record(), plan))
    };
    let wanted = state.games.iter().skip(start).filter(is_wanted);
    wanted.map(|game| game.id().to_owned()).collect()
}

/// Whether a game lacks anything that is filled in.
fn lacks(record: &Record, plan: &Plan) -> bool {
    TEXTS.iter().any(|field| record.is_blank(field))
        || plan.media.iter().any(|kind| !has_media(record, kind))
}

/// What was found for one game.
struct Filling {
    values: BTreeMap<Source, Vec<(&'static str, Value)>>,
    paths: Vec<String>,
    errors: Vec<(Source, String)>,
}

impl Metadata {
    /// The sources that can be asked on request of the user.
    pub(super) fn sources(&self, state: &State) -> BTreeSet<Source> {
        let is_on = |source: &Source| match source {
            Source::Opendb => self.opendb.handle.is_there(),
            Source::Metadb => self.previews.database().is_ok(),
            Source::Scraper => self.lookup.scraper.is_configured(),
            Source::Gamedb => self.lookup.gamedb.is_configured(),
            Source::Artgrid => self.artwork.artgrid.usable(artwork::is_enabled(state)).is_ok(),
        };
        Source::ALL.into_iter().filter(is_on).collect()
    }

    /// The sources besides the metadata database that an import asks for texts and pictures.
    pub(super) fn sources_after_import(&self, state: &State) -> BTreeSet<Source> {
        let flags = ScrapeSettings::of(state.settings());
        let mut on = self.sources(state);
        on.retain(|source| match source {
            Source::Opendb => true,
            Source::Artgrid => flags.scrape_artgrid_enabled,
            _ => false,
        });
        on
    }

    /// Fills in games, and reports after each one how many are done. `before` are done already.
    pub(super) fn fill_games(
        &self,
        context: &Context<'_>,
        plan: &Plan,
        ids: &[String],
        before: usize,
        tally: &mut Tally,
        after: &dyn Fn(&Tally, usize),
    ) -> Result<(), Failure> {
        let down = RefCell::default();
        for (at, id) in (before..).zip(ids) {
            context.check()?;
            let state = snapshot(&self.store)?;
            if let Some((_, game)) = state.games.find(id) {
                context.progress(at as u64, game.name());
                self.fill_game(context, plan, &state, game, &down, tally)?;
            }
            tally.last_game_id.clone_from(id);
            tally.games = at + 1;
            after(tally, at + 1);
        }
        Ok(())
    }

    fn fill_game(
        &self,
        context: &Context<'_>,
        plan: &Plan,
        state: &State,
        game: &Game,
        down: &RefCell<BTreeMap<Source, String>>,
        tally: &mut Tally,
    ) -> Result<(), Failure> {
        let cancel = || context.check().is_err();
        let regions = read::texts(state.settings(), "region_priority");
        let order = SourceOrder::of(state.settings());
        let answers = Answers::new(self, game, &regions, &cancel);
        let found = look(plan, game, &order, &answers, down, &cancel)?;
        context.check()?;
        let references = answers.references.take();
        if !found.paths.is_empty() {
            self.store.report(Cause::MediaChanged(found.paths.clone()));
        }
        let changed = self.write_found(context, plan, game, &found, &references)?;
        tally.updated += u64::from(changed.values().any(|count| *count > 0));
        for (source, count) in changed {
            *tally.by_source.entry(source.id().to_owned()).or_default() += count;
        }
        if !found.errors.is_empty() {
            let mut sentences = Vec::new();
            for (source, reason) in found.errors {
                let errors = tally.errors_by_source.entry(source.id().to_owned()).or_default();
                push_error(errors, format!("{}: {reason}", game.name()));
                sentences.push(format!("{}: {reason}", source.id()));
            }
            let sentence = sentences.join(", ");
            tally.failed += 1;
            push_error(&mut tally.errors, format!("{}: {sentence}", game.name()));
            context.item(Item::failed(game.id(), game.name(), PROVIDER_ERROR, &sentence));
        }
        Ok(())
    }

    /// Writes what was found in one commit; how many fields of each source changed.
    fn write_found(
        &self,
        context: &Context<'_>,
        plan: &Plan,
        game: &Game,
        found: &Filling,
        references: &BTreeMap<Source, String>,
    ) -> Result<BTreeMap<Source, u64>, Failure> {
        if found.values.is_empty() && references.is_empty() {
            return Ok(BTreeMap::new());
        }
        let (pass, id) = (context.root_job_id(), game.id());
        let written = self.store.change(|draft| {
            if draft.state().games.find(id).is_none() {
                return BTreeMap::new();
            }
            let mut changed = BTreeMap::new();
            for (source, reference) in references {
                let origin = Origin {
                    by: source.id().to_owned(),
                    reference: reference.clone(),
                    pass: pass.to_owned(),
                    ..Origin::default()
                };
                let values = found.values.get(source).map(Vec::as_slice).unwrap_or_default();
                let values = origins::untouched(draft, game, values);
                let number =
                    number_field(*source).map(|field| (field, Value::from(reference.as_str())));
                let number: Vec<(&str, Value)> = number.into_iter().collect();
                let (right, own) = (Right::Pass, origin.clone());
                let mut keys = origins::fill(draft, id, own, right, Mode::Replace, &values);
                keys.extend(origins::fill(draft, id, origin, right, Mode::Fill, &number));
                changed.insert(*source, keys.len() as u64);
            }
            let is_changed = changed.values().any(|count| *count > 0);
            if is_changed {
                origins::note_pass(draft, pass, plan.kind, 1);
            }
            draft.set_cause(Cause::Bulk(vec![id.to_owned()]));
            changed
        });
        Ok(written.map_err(not_saved)?)
    }
}

/// Asks the sources of each field and kind, in their order, until one knows it.
fn look(
    plan: &Plan,
    game: &Game,
    order: &SourceOrder,
    answers: &Answers<'_>,
    down: &RefCell<BTreeMap<Source, String>>,
    cancel: Cancel<'_>,
) -> Result<Filling, Failure> {
    let record = game.record();
    let known = Origins::of(&record);
    let is_source = |field: &str| known.origin(field).is_some_and(|it| is_source(it.by.as_str()));
    let mut found = Filling { values: BTreeMap::new(), paths: Vec::new(), errors: Vec::new() };
    let note = |source: Source, answer: NoAnswer, errors: &mut Vec<_>| match answer {
        _ if cancel() => Err(Failure::Stopped),
        NoAnswer::Stopped => Err(Failure::Stopped),
        NoAnswer::Disk(error) => Err(MetadataError::Disk(error).into()),
        NoAnswer::Lasting(reason) => {
            down.borrow_mut().insert(source, reason.clone());
            errors.push((source, reason));
            Ok(())
        }
        NoAnswer::Here(reason) => {
            if !errors.contains(&(source, reason.clone())) {
                errors.push((source, reason));
            }
            Ok(())
        }
    };
    let usable = |sources: Vec<Source>| {
        let sources = plan.part.of(sources).into_iter();
        sources.filter(|source| plan.on.contains(source)).collect::<Vec<_>>()
    };
    for field in TEXTS {
        let is_open = record.is_blank(field) || (plan.renews && is_source(field));
        if !is_open || known.holds(field, Right::Pass) {
            continue;
        }
        for source in usable(order.of_field(field)) {
            if down.borrow().contains_key(&source) {
                continue;
            }
            match answers.value(source, field) {
                Ok(None) => {}
                Ok(Some(value)) => {
                    found.values.entry(source).or_default().push((field, value));
                    break;
                }
                Err(answer) => note(source, answer, &mut found.errors)?,
            }
        }
    }
    let chosen = plan.media.iter().map(|kind| (*kind, None));
    let artwork = plan.artwork.iter().map(|kind| (*kind, Some(Source::Artgrid)));
    for (kind, only) in chosen.chain(artwork) {
        if has_media(&record, kind) || known.holds(kind, Right::Pass) {
            continue;
        }
        for source in usable(order.of_media(kind)) {
            if only.is_some_and(|only| only != source) || down.borrow().contains_key(&source) {
                continue;
            }
            match answers.media(source, kind) {
                Ok(paths) if paths.is_empty() => {}
                Ok(paths) => {
                    found.paths.extend(paths.iter().map(|path| shown(path)));
                    let pictures: Vec<_> = paths.into_iter().map(|path| (kind, path)).collect();
                    let values = media_values(&pictures);
                    found.values.entry(source).or_default().extend(values);
                    if let Some(answer) = answers.ended.take() {
                        note(source, answer, &mut found.errors)?;
                    }
                    break;
                }
                Err(answer) => note(source, answer, &mut found.errors)?,
            }
        }
    }
    Ok(found)
}

/// Adds an error and drops the oldest of too many.
fn push_error(errors: &mut Vec<String>, error: String) {
    errors.push(error);
    let old = errors.len().saturating_sub(ERRORS);
    errors.drain(..old);
}

/// The field of the number of a game at a source.
fn number_field(source: Source) -> Option<&'static str> {
    match source {
        Source::Metadb => Some(fields::ID),
        Source::Scraper => Some("scraper_id"),
        Source::Gamedb => Some("gamedb_id"),
        Source::Artgrid => Some(artwork::ID),
        Source::Opendb => None,
    }
}

/// Whether values of this origin come from a source.
fn is_source(by: &str) -> bool {
    Source::ALL.iter().any(|source| source.id() == by)
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        metadata::order::{MEDIA_SOURCES, TEXT_SOURCES},
        model::Games,
    };

    #[test]
    fn a_fill_goes_on_behind_the_last_game_whatever_it_lacks_by_then() {
        let full = |id: &str| {
            let mut game = json!({"game_id": id, "name": id, "platform": "SNES"});
            for field in TEXTS {
                game[field] = json!("x");
            }
            game
        };
        let poor =
            |id: &str, platform: &str| json!({"game_id": id, "name": id, "platform": platform});
        let games = [poor("a", "SNES"), full("b"), poor("c", "NES"), poor("d", "SNES")];
        let games = games.map(|game| Arc::new(Game::from_json(&game.to_string()).expect("a game")));
        let state = State::new(Games::from_games(games), BTreeMap::new(), 1);
        let plan = |renews: bool| Plan {
            part: Part::All,
            media: Vec::new(),
            renews,
            artwork: Vec::new(),
            on: BTreeSet::new(),
            kind: TYPE,
        };
        let all = FillInput::default();
        let nes = FillInput { platform: "NES".into(), ..FillInput::default() };
        let listed =
            FillInput { game_ids: Some(vec!["d".into(), "b".into()]), ..FillInput::default() };
        for (input, renews, last, expected) in [
            (&all, false, "", &["a", "c", "d"][..]),
            (&all, true, "", &["a", "b", "c", "d"]),
            // "b" was filled in before the job ended.
            (&all, false, "b", &["c", "d"]),
            (&all, false, "d", &[]),
            (&all, false, "gone", &["a", "c", "d"]),
            (&nes, false, "a", &["c"]),
            (&listed, false, "", &["d", "b"]),
            (&listed, false, "d", &["b"]),
        ] {
            assert_eq!(left(&state, input, &plan(renews), last), expected, "{input:?} {last}");
        }
    }

    #[test]
    fn parts_are_seen_from_the_metadata_database() {
        let part = |part: Part, sources: &[Source]| part.of(sources.to_vec());
        assert_eq!(part(Part::All, &TEXT_SOURCES), TEXT_SOURCES);
        assert_eq!(part(Part::Before, &TEXT_SOURCES), [Source::Opendb]);
        assert_eq!(part(Part::After, &TEXT_SOURCES), [Source::Scraper, Source::Gamedb]);
        assert!(part(Part::Before, &MEDIA_SOURCES).is_empty());
        let without = [Source::Artgrid];
        assert_eq!(part(Part::Before, &without), without);
        assert!(part(Part::After, &without).is_empty());
    }
}
