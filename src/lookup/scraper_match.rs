//! The job that searches many games at the scraper provider (`POST /api/v2/scraper/match`).
//!
//! A game is certain when two checksums of its file, asked for one by one, mean the same game there. What
//! is found by title waits for the user.

use std::{path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    error::{LookupError, malformed},
    hashes::{self, HashError, Hashes},
    scraper::{Sum, Wanted, show},
    scraper_answers::Game as Found,
    service::Lookup,
    write::{self, Part},
};
use crate::{
    base::text,
    config::settings::read,
    game::{GameRef, InputError, origins::Mode, reference::select},
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        items::{Item, PROVIDER_ERROR},
        kind::object,
    },
    model::{Game, State, origins::Right},
    providers::{SCRAPER, error::Cancel},
};

/// Games of one job.
const MOST: usize = 100;
/// The name of the job.
const NAME: &str = "scraper-match";
const TYPE: &str = "scraper.match";
const SPEC: Spec = Spec { resumes: true, ..Spec::new(TYPE, &[(NAME, Title::Spelled)]) };
/// Fields that a certain match fills.
const FIELDS: [&str; 7] =
    ["name", "description", "year", "genre", "developer", "publisher", "rating"];
/// Characters of a name in the result, whose size has a bound.
const LETTERS: usize = 120;

/// What was found for a game.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct Row {
    game_id: String,
    name: String,
    /// `matched`, `not_found`, `no_rom` or `error`.
    status: String,
    /// `hash`, `title` or blank.
    matched_by: String,
    /// `dual`, `title` or `none`.
    confidence: String,
    scraper_id: String,
    match_name: String,
    /// Whether its texts were written; only where that was asked for.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    applied: Option<bool>,
    /// Why the file has no checksums.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    hash_error: Option<String>,
    /// The message of the provider.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    error: Option<String>,
}

/// Where a resume continues.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Checkpoint {
    matches: Vec<Row>,
}

/// The result of two checksums.
pub(super) enum ByHash {
    /// Both mean this game.
    Dual(Box<Found>),
    /// They mean nothing, or not the same.
    Nothing,
}

/// The kind of work that searches games.
pub(super) fn kind(lookup: &Arc<Lookup>) -> Kind {
    Kind::new(SPEC, lookup, run)
}

/// Starts a search for games; without names, for the first hundred. Certain matches are filled in at once where that is
/// requested.
///
/// # Errors
/// More than a hundred games, one that is not there, no login, or when the job is not accepted.
pub fn submit(
    lookup: &Lookup,
    jobs: &Jobs,
    ids: &[GameRef],
    apply_confident: bool,
) -> Result<Accepted, LookupError> {
    lookup.scraper.check_login()?;
    if ids.len() > MOST {
        return malformed(format!("At most {MOST} ids can be matched at once."));
    }
    let state = lookup.store.snapshot()?;
    let ids = if ids.is_empty() {
        state.games.iter().take(MOST).map(|game| game.id().to_owned()).collect()
    } else {
        select(&state.games, ids)
            .map_err(|InputError(sentence)| LookupError::Malformed(sentence))?
    };
    let input = object(json!({"ids": ids, "apply_confident": apply_confident}));
    let (name, same_name) = (NAME.to_owned(), SameName::Separate);
    Ok(jobs.submit(Submission { name, input, same_name })?)
}

fn run(lookup: &Lookup, context: &Context<'_>) -> Outcome {
    let ids = context.input().get("ids").and_then(|ids| Vec::<String>::deserialize(ids).ok());
    let ids = ids.unwrap_or_default();
    let applies = context.input().get("apply_confident") == Some(&Value::Bool(true));
    let stored = context.resumed_from().and_then(|value| Checkpoint::deserialize(value).ok());
    let mut point = stored.filter(|point| point.matches.len() <= ids.len()).unwrap_or_default();
    context.expect(ids.len() as u64, "games");
    let cancel = || context.check().is_err();
    let mut errors: Vec<String> = Vec::new();
    for id in &ids[point.matches.len()..] {
        context.check()?;
        let state = lookup.store.snapshot().map_err(LookupError::from)?;
        let Some((_, game)) = state.games.find(id) else {
            let (game_id, status) = (id.clone(), "not_found".to_owned());
            let confidence = "none".to_owned();
            point.matches.push(Row { game_id, status, confidence, ..Row::default() });
            context.checkpoint(json!(point), point.matches.len() as u64);
            continue;
        };
        let row = match lookup.match_scraper(&state, game, applies, context, &cancel) {
            Ok(row) => row,
            Err(error) => {
                context.check()?;
                if error.is_lasting() {
                    if point.matches.is_empty() {
                        return Err(error.into());
                    }
                    // What was found so far is worth more than the rest.
                    errors.push(error.to_string());
                    break;
                }
                Row {
                    status: "error".to_owned(),
                    error: Some(error.to_string()),
                    ..empty_row(game)
                }
            }
        };
        if let Some(sentence) = &row.error {
            context.item(Item::failed(&row.game_id, &row.name, PROVIDER_ERROR, sentence));
        }
        point.matches.push(row);
        context.checkpoint(json!(point), point.matches.len() as u64);
    }
    let is_found = |row: &&Row| row.status == "matched";
    let found = point.matches.iter().filter(is_found).count();
    Ok(object(json!({"count": point.matches.len(), "matched": found, "completed": found,
        "matches": point.matches, "errors": errors})))
}

fn empty_row(game: &Game) -> Row {
    Row {
        game_id: game.id().to_owned(),
        name: text::cut(game.name(), LETTERS).to_owned(),
        confidence: "none".to_owned(),
        ..Row::default()
    }
}

impl Lookup {
    fn match_scraper(
        &self,
        state: &State,
        game: &Game,
        applies: bool,
        context: &Context<'_>,
        cancel: Cancel<'_>,
    ) -> Result<Row, LookupError> {
        let mut row = empty_row(game);
        let regions = read::texts(state.settings(), "region_priority");
        let record = game.record();
        let is_there = !record.text("path").is_empty();
        let mut has_rom = false;
        match hash_of(game, cancel) {
            Ok(hashes) => {
                has_rom = true;
                if let ByHash::Dual(found) = self.by_hash(&hashes, game.platform(), cancel)? {
                    let shown = show(&found, game.platform(), &regions);
                    "matched".clone_into(&mut row.status);
                    "hash".clone_into(&mut row.matched_by);
                    "dual".clone_into(&mut row.confidence);
                    row.scraper_id.clone_from(&shown.id);
                    text::cut(&shown.name, LETTERS).clone_into(&mut row.match_name);
                    if applies {
                        let mut values = shown.values();
                        values.retain(|(field, _)| FIELDS.contains(field));
                        let written = self.write_sure(game.id(), &shown.id, &values, context)?;
                        row.applied = Some(written);
                    }
                    return Ok(row);
                }
            }
            Err(HashError::Missing) if !is_there => {}
            Err(HashError::Stopped) => return Err(HashError::Stopped.into()),
            Err(error) => {
                has_rom = error != HashError::Missing;
                row.hash_error = Some(error.to_string());
            }
        }
        let hits = self.scraper.search_while(game.name(), game.platform(), &regions, 1, cancel)?;
        let Some(hit) = hits.into_iter().next() else {
            (if has_rom { "not_found" } else { "no_rom" }).clone_into(&mut row.status);
            return Ok(row);
        };
        "matched".clone_into(&mut row.status);
        "title".clone_into(&mut row.matched_by);
        "title".clone_into(&mut row.confidence);
        row.scraper_id = hit.scraper_id;
        text::cut(&hit.name, LETTERS).clone_into(&mut row.match_name);
        Ok(row)
    }

    /// The game that two checksums mean, each asked for alone.
    pub(super) fn by_hash(
        &self,
        hashes: &Hashes,
        platform: &str,
        cancel: Cancel<'_>,
    ) -> Result<ByHash, LookupError> {
        let found =
            |sum: Sum| match self.scraper.game(&Wanted::Rom(hashes, &[sum]), platform, cancel) {
                Ok(game) => Ok(Some(game)),
                Err(LookupError::NoGame(_)) => Ok(None),
                Err(error) => Err(error),
            };
        let Some(by_md5) = found(Sum::Md5)? else { return Ok(ByHash::Nothing) };
        let by_crc = found(Sum::Crc)?;
        let is_same = by_crc.is_some_and(|by_crc| by_crc.id == by_md5.id);
        Ok(if is_same { ByHash::Dual(Box::new(by_md5)) } else { ByHash::Nothing })
    }

    /// Writes a certain match where the game has nothing yet; whether anything changed.
    fn write_sure(
        &self,
        game_id: &str,
        scraper_id: &str,
        values: &[(&'static str, Value)],
        context: &Context<'_>,
    ) -> Result<bool, LookupError> {
        let origin = write::origin(SCRAPER.id, scraper_id, context.root_job_id());
        let number = [("scraper_id", Value::from(scraper_id))];
        let parts = [
            Part { right: Right::Pass, mode: Mode::Replace, values: &number, before: None },
            Part { right: Right::Pass, mode: Mode::Fill, values, before: None },
        ];
        let changed = write::write(&self.store, game_id, &origin, TYPE, &parts)?;
        Ok(!changed.is_empty())
    }

    /// Gives a game of an import its number at the scraper provider when two checksums mean the same game;
    /// whether it did.
    ///
    /// # Errors
    /// [`LookupError`].
    pub fn match_by_hash(
        &self,
        game_id: &str,
        pass: &str,
        kind: &str,
        cancel: Cancel<'_>,
    ) -> Result<bool, LookupError> {
        let game = write::find(&*self.store.snapshot()?, &GameRef::Id(game_id.to_owned()))?;
        if !game.record().is_blank("scraper_id") {
            return Ok(false);
        }
        let hashes = match hash_of(&game, cancel) {
            Ok(hashes) => hashes,
            Err(HashError::Stopped) => return Err(HashError::Stopped.into()),
            Err(_) => return Ok(false),
        };
        let ByHash::Dual(found) = self.by_hash(&hashes, game.platform(), cancel)? else {
            return Ok(false);
        };
        let origin = write::origin(SCRAPER.id, &found.id, pass);
        let values = [
            ("scraper_id", Value::from(found.id.as_str())),
            ("matched_by", "hash".into()),
            ("match_confidence", "dual".into()),
        ];
        let parts = [Part { right: Right::Pass, mode: Mode::Fill, values: &values, before: None }];
        Ok(!write::write(&self.store, game_id, &origin, kind, &parts)?.is_empty())
    }
}

/// The checksums of the file of a game.
pub(super) fn hash_of(game: &Game, cancel: Cancel<'_>) -> Result<Hashes, HashError> {
    let record = game.record();
    let path = Path::new(record.text("path"));
    if !path.is_absolute() {
        return Err(HashError::Missing);
    }
    hashes::of_file(path, record.text("archive_member"), cancel)
}
