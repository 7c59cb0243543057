//! The job that writes facts of the scraper provider to one game (`POST /api/v2/scraper/apply`).
//!
//! Media are loaded before the commit, so that no commit waits for a server.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

use super::{
    error::{LookupError, NoMedia, malformed},
    hashes,
    scraper::{SUMS, Wanted, checked_id, checked_path, show},
    scraper_answers::Shown,
    scraper_media::{self, Slot},
    service::Lookup,
    write::{self, Part},
};
use crate::{
    config::settings::read,
    game::{GameRef, origins::Mode},
    jobs::{
        Accepted, Context, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    media::presence::has_media,
    model::{Game, Record, origins::Right},
    providers::{SCRAPER, error::Cancel},
};

/// The name of the job.
const NAME: &str = "scraper-apply";
const TYPE: &str = "scraper.apply";
const SPEC: Spec = Spec::new(TYPE, &[(NAME, Title::Spelled)]);
/// Fields that are written when none are named.
const USUAL: [&str; 6] = ["name", "description", "year", "genre", "developer", "publisher"];
/// Fields that may be named besides.
const MORE: [&str; 2] = ["rating", "max_players"];

/// What is to be written.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ApplyInput {
    /// The stable id of the game.
    game_id: String,
    /// The number at the provider; blank to ask by the file.
    scraper_id: String,
    /// The file to ask by; blank for that of the game.
    rom_path: String,
    fields: Vec<String>,
    media: Vec<String>,
    /// Chosen files: address by kind.
    media_urls: Map<String, Value>,
    /// Whether values that are there are replaced.
    replace_existing: bool,
}

/// A request as it came.
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The game.
    pub game: GameRef,
    /// The number at the provider; may be blank.
    pub scraper_id: &'a str,
    /// The file to ask by; may be blank.
    pub rom_path: &'a str,
    /// Fields to write; the usual ones when missing.
    pub fields: Option<Vec<&'a str>>,
    /// Kinds of media; none when missing.
    pub media: Vec<&'a str>,
    /// Chosen files: address by kind.
    pub media_urls: Map<String, Value>,
    /// Whether values that are there are replaced.
    pub replace_existing: bool,
}

/// The kind of work that writes a game.
pub(super) fn kind(lookup: &Arc<Lookup>) -> Kind {
    Kind::new(SPEC, lookup, run)
}

/// Starts a job that writes a game.
///
/// # Errors
/// A game that is not there, fields or media that are not known, no login, or when the job is not
/// accepted.
pub fn submit(lookup: &Lookup, jobs: &Jobs, request: Request<'_>) -> Result<Accepted, LookupError> {
    lookup.scraper.check_login()?;
    let game = write::find(&*lookup.store.snapshot()?, &request.game)?;
    let fields = request.fields.unwrap_or_else(|| USUAL.to_vec());
    if !fields.iter().all(|field| USUAL.contains(field) || MORE.contains(field)) {
        return malformed("Invalid field selection.");
    }
    if !request.media.iter().all(|kind| scraper_media::kind_named(kind).is_some()) {
        return malformed("Invalid media selection.");
    }
    let scraper_id = match request.scraper_id {
        "" => String::new(),
        id => checked_id(id)?,
    };
    let rom_path = match request.rom_path {
        "" => String::new(),
        path => checked_path(path).map(|_| path.to_owned())?,
    };
    let record = game.record();
    let is_known = !scraper_id.is_empty() || !rom_path.is_empty();
    if !is_known && record.is_blank("scraper_id") && record.is_blank("path") {
        return malformed("scraper_id or rom_path is required.");
    }
    let own = |list: Vec<&str>| list.into_iter().map(str::to_owned).collect();
    let input = ApplyInput {
        game_id: game.id().to_owned(),
        scraper_id,
        rom_path,
        fields: own(fields),
        media: own(request.media),
        media_urls: request.media_urls,
        replace_existing: request.replace_existing,
    };
    let (name, input) = (NAME.to_owned(), object(json!(input)));
    Ok(jobs.submit(Submission { name, input, same_name: SameName::Separate })?)
}

fn run(lookup: &Lookup, context: &Context<'_>) -> Outcome {
    let input = ApplyInput::deserialize(context.input());
    let input = input.map_err(|error| Failure::new(error.to_string()))?;
    let cancel = || context.check().is_err();
    let outcome = lookup.apply_scraper(&input, context, &cancel);
    // What was cancelled is not a failure.
    context.check()?;
    outcome
}

/// Media that were loaded, and what is missing.
#[derive(Default)]
struct Loaded {
    files: Vec<(&'static str, PathBuf)>,
    notes: Vec<String>,
    /// Those of them that are failures.
    errors: Vec<String>,
}

impl Loaded {
    /// Names a file that could not be loaded.
    fn fail(&mut self, kind: &str, reason: &str) {
        let note = format!("{kind}: {reason}");
        self.notes.push(note.clone());
        self.errors.push(note);
    }
}

impl Lookup {
    fn apply_scraper(
        &self,
        input: &ApplyInput,
        context: &Context<'_>,
        cancel: Cancel<'_>,
    ) -> Outcome {
        let state = self.store.snapshot().map_err(LookupError::from)?;
        let game = write::find(&state, &GameRef::Id(input.game_id.clone()))?;
        let regions = read::texts(state.settings(), "region_priority");
        context.phase("asking");
        let found = match self.scraped(input, &game, &regions, cancel) {
            Ok(found) => found,
            Err(LookupError::NoGame(_)) => {
                let result = json!({"applied": false, "game": game.name(), "media": [],
                    "error": "no_match"});
                return Ok(object(result));
            }
            Err(error) => return Err(error.into()),
        };
        let mut loaded = Loaded::default();
        let changed = self.bring(input, &game, &found, &mut loaded, context, cancel);
        let changed = changed.inspect_err(|_| {
            // The game may be gone by now.
            let paths: Vec<_> = loaded.files.iter().map(|(_, path)| path.as_path()).collect();
            self.media_writer().discard(&paths);
        })?;
        if changed.is_empty() && loaded.files.is_empty() && !loaded.notes.is_empty() {
            return Err(Failure::Failed {
                code: "BAD_REQUEST",
                message: format!("failed to download selected media: {}", loaded.notes.join(", ")),
            });
        }
        let now = self.store.snapshot().map_err(LookupError::from)?;
        let now = now.games.find(game.id()).map(|(_, game)| game.record()).unwrap_or_default();
        // A field that was locked or filled meanwhile took none.
        let (given, left): (Vec<_>, Vec<_>) =
            loaded.files.iter().partition(|(kind, path)| names_file(&now, kind, path));
        let left: Vec<_> = left.iter().map(|(_, path)| path.as_path()).collect();
        self.media_writer().discard(&left);
        let mut kinds: Vec<&str> = given.iter().map(|(kind, _)| *kind).collect();
        kinds.dedup();
        let name = now.text("name");
        Ok(object(json!({"applied": true, "game": name, "media": kinds, "updated": changed,
            "notes": loaded.notes, "errors": loaded.errors, "scraper_id": found.id,
            "pass_id": context.root_job_id(), "completed": 1})))
    }

    /// Loads media and writes what is known; the fields that changed.
    fn bring(
        &self,
        input: &ApplyInput,
        game: &Game,
        found: &Shown,
        loaded: &mut Loaded,
        context: &Context<'_>,
        cancel: Cancel<'_>,
    ) -> Result<Vec<String>, Failure> {
        context.phase("downloading");
        self.load_media_of(input, game, (found, loaded), context, cancel)?;
        context.check()?;
        context.phase("applying");
        Ok(self.write_scraped(input, game, found, loaded, context)?)
    }

    /// What the provider knows of the game that is meant.
    fn scraped(
        &self,
        input: &ApplyInput,
        game: &Game,
        regions: &[String],
        cancel: Cancel<'_>,
    ) -> Result<Shown, LookupError> {
        let record = game.record();
        let known = record.shown("scraper_id");
        let platform = game.platform();
        let found = if !input.scraper_id.is_empty() {
            self.scraper.game(&Wanted::Id(&input.scraper_id), platform, cancel)?
        } else if input.rom_path.is_empty() && !known.trim().is_empty() {
            self.scraper.game(&Wanted::Id(&checked_id(&known)?), platform, cancel)?
        } else {
            let (path, member) = if input.rom_path.is_empty() {
                (record.text("path"), record.text("archive_member"))
            } else {
                (input.rom_path.as_str(), "")
            };
            let hashes = hashes::of_file(checked_path(path)?, member, cancel)?;
            self.scraper.game(&Wanted::Rom(&hashes, &SUMS), platform, cancel)?
        };
        Ok(show(&found, platform, regions))
    }

    fn load_media_of(
        &self,
        input: &ApplyInput,
        game: &Game,
        (found, loaded): (&Shown, &mut Loaded),
        context: &Context<'_>,
        cancel: Cancel<'_>,
    ) -> Result<(), Failure> {
        let record = game.record();
        let is_wanted = |kind: &&str| {
            !write::is_held(game, kind) && (input.replace_existing || !has_media(&record, kind))
        };
        let kinds: Vec<&str> = input.media.iter().map(String::as_str).filter(is_wanted).collect();
        let slots: Vec<Slot> = scraper_media::slots(found, &kinds, &input.media_urls);
        let folder = write::folder(self.data_dir.media().join("scraper"), game.name(), game.id());
        context.expect(slots.len() as u64, "files");
        for (done, slot) in slots.iter().enumerate() {
            context.check()?;
            context.progress(done as u64, "");
            match self.load_scraped(slot, &folder, cancel) {
                Ok(path) => loaded.files.push((slot.kind, path)),
                Err(NoMedia::Ends(error)) if error.is_local() => return Err(error.into()),
                Err(NoMedia::Ends(error)) => {
                    context.check()?;
                    // Every further file would fail for the same reason; what was received counts.
                    loaded.fail(slot.kind, &error.to_string());
                    return Ok(());
                }
                Err(NoMedia::Absent) => {
                    loaded.notes.push(format!("{}: {} has none", slot.kind, SCRAPER.name));
                }
                Err(NoMedia::Missing(reason)) => loaded.fail(slot.kind, &reason),
            }
        }
        context.progress(slots.len() as u64, "");
        Ok(())
    }

    fn write_scraped(
        &self,
        input: &ApplyInput,
        game: &Game,
        found: &Shown,
        loaded: &Loaded,
        context: &Context<'_>,
    ) -> Result<Vec<String>, LookupError> {
        let paths: Vec<_> = loaded.files.iter().map(|(_, path)| path.as_path()).collect();
        write::report(&self.store, &paths);
        let mut texts = found.values();
        let is_wanted =
            |field: &str| field == "rating" || input.fields.iter().any(|it| it == field);
        texts.retain(|(field, _)| is_wanted(field));
        let (mut media, mut shots) = (Vec::new(), Vec::new());
        for (kind, path) in &loaded.files {
            let path = write::path_value(path);
            if *kind == "screenshots" { shots.push(path) } else { media.push((*kind, path)) }
        }
        if !shots.is_empty() {
            media.push(("screenshots", Value::Array(shots)));
        }
        let (mode, right) = if input.replace_existing {
            (Mode::Replace, Right::Request)
        } else {
            (Mode::Fill, Right::Pass)
        };
        let number = [("scraper_id", Value::from(found.id.as_str()))];
        // Without leave to replace, only what was missing was loaded: nothing, or a file that is gone.
        let before = Some(game).filter(|_| !input.replace_existing);
        let media = Part { right: Right::Request, mode: Mode::Replace, values: &media, before };
        let parts = [
            Part { right: Right::Request, mode: Mode::Replace, values: &number, before: None },
            Part { right, mode, values: &texts, before: None },
            media,
        ];
        let origin = write::origin(SCRAPER.id, &found.id, context.root_job_id());
        write::write(&self.store, game.id(), &origin, TYPE, &parts)
    }
}

/// Whether a field of a game names a file.
fn names_file(record: &Record, kind: &str, path: &Path) -> bool {
    let path = write::path_value(path);
    match record.get(kind) {
        Some(Value::Array(paths)) => paths.contains(&path),
        value => value == Some(&path),
    }
}
