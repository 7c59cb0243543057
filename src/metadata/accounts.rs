//! Additions of providers with accounts to the matching of an import, where the settings allow it: the
//! scraper provider by checksums, the game database by equal titles. Only what is certain is written.

use serde_json::{Value, json};

use super::{
    error::MetadataError, fields, preview_work::PASS, scrape::ScrapeSettings, service::Metadata,
};
use crate::{
    jobs::{Context, kind::Failure},
    lookup::LookupError,
    model::{Record, State},
    providers::error::Cancel,
};

/// Games of an import that each provider is asked for.
const GAMES: usize = 50;
/// Errors that are shown, the newest.
const ERRORS: usize = 10;
/// Why a provider is not asked.
const SWITCHED_OFF: &str = "it is switched off in the settings";

/// Looks a game up by its id and writes what is certain; whether anything was.
type LookUpById<'a> = &'a dyn Fn(&str, Cancel<'_>) -> Result<bool, LookupError>;

/// Whether any source besides the metadata database may be asked after imports.
pub fn is_any_usable(metadata: &Metadata, state: &State) -> bool {
    let flags = ScrapeSettings::of(state.settings());
    let lookup = &metadata.lookup;
    (flags.scrape_scraper_enabled && lookup.scraper.is_configured())
        || (flags.scrape_gamedb_enabled && lookup.gamedb.is_configured())
        || !metadata.sources_after_import(state).is_empty()
}

/// Asks the providers for the games of an import that have no match yet: what the scraper provider did,
/// and what the game database did.
///
/// # Errors
/// When the job is asked to stop or the library cannot be read. What a provider refuses ends its own part.
pub(super) fn run(
    metadata: &Metadata,
    context: &Context<'_>,
    batch: &str,
) -> Result<(Value, Value), Failure> {
    let state = metadata.store.snapshot().map_err(MetadataError::from)?;
    let flags = ScrapeSettings::of(state.settings());
    let (lookup, pass) = (&metadata.lookup, context.root_job_id());
    let by_hash = |id: &str, cancel: Cancel<'_>| lookup.match_by_hash(id, pass, PASS, cancel);
    let scraper = part(
        metadata,
        context,
        batch,
        usable(flags.scrape_scraper_enabled, lookup.scraper.check_login()),
        &by_hash,
    )?;
    let by_title = |id: &str, cancel: Cancel<'_>| lookup.match_gamedb(id, pass, PASS, cancel);
    let gamedb = part(
        metadata,
        context,
        batch,
        usable(flags.scrape_gamedb_enabled, lookup.gamedb.check_keys()),
        &by_title,
    )?;
    Ok((scraper, gamedb))
}

/// Why a provider is not asked.
fn usable(is_on: bool, login: Result<(), LookupError>) -> Result<(), String> {
    if is_on { login.map_err(|error| error.to_string()) } else { Err(SWITCHED_OFF.to_owned()) }
}

fn part(
    metadata: &Metadata,
    context: &Context<'_>,
    batch: &str,
    usable: Result<(), String>,
    look_up: LookUpById<'_>,
) -> Result<Value, Failure> {
    if let Err(reason) = usable {
        return Ok(json!({"skipped": reason}));
    }
    let cancel = || context.check().is_err();
    let (mut matched, mut errors) = (0_u64, Vec::new());
    let state = metadata.store.snapshot().map_err(MetadataError::from)?;
    for id in unmatched(&state, batch) {
        context.check()?;
        match look_up(&id, &cancel) {
            Ok(is_written) => matched += u64::from(is_written),
            Err(error) => {
                context.check()?;
                let name = state.games.find(&id).map_or("", |(_, game)| game.name());
                errors.push(format!("{name}: {error}"));
                if error.is_lasting() {
                    break;
                }
            }
        }
    }
    let old = errors.len().saturating_sub(ERRORS);
    errors.drain(..old);
    Ok(json!({"matched": matched, "errors": errors}))
}

/// Games of an import that nothing was found for yet.
fn unmatched(state: &State, batch: &str) -> Vec<String> {
    let is_open = |record: &Record| {
        record.text("import_batch_id") == batch
            && record.is_blank(fields::ID)
            && record.is_blank("scraper_id")
    };
    let games = state.games.iter().filter(|game| game.json().contains(batch));
    let open = games.filter(|game| is_open(&game.record())).take(GAMES);
    open.map(|game| game.id().to_owned()).collect()
}
