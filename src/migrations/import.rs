//! Reading, previewing and importing a list. The same reading serves both, so what is applied is what
//! was shown. Rows are read one after the other; a preview keeps only those that it shows.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    error::MigrationError,
    list::{List, Read, RowContext, Target},
    merge::{self, Applied, Operation},
    other_lists, paths,
    pictures::{self, Copies, PictureCopier},
    sorter::{Rows, Sorter},
};
use crate::{
    base::{Moment, ids, schema::schema},
    config::settings::read,
    formats::xml_rows::{self, Row},
    model::{Cause, Import, Record, State},
};

/// Games that a preview of the older launcher's library shows.
const SHOWN: usize = 50;
/// Games that a preview of a front end's list shows.
const SHOWN_OF_FRONTEND: usize = 5_000;
/// The setting with the preferred regions.
const REGIONS: &str = "region_priority";

/// A list compared with the library.
struct Compared {
    rows: Rows,
    games_digest: String,
    base_digest: String,
    options_digest: String,
    token: String,
}

schema! {
    /// The effect of importing the list of a front end.
    pub struct FrontendPreview {
        base_digest: String,
        counts: FrontendCounts,
        errors: Vec<String>,
        /// Pictures outside of the approved folders, which `options.copy_media` copies in.
        media_outside: usize,
        /// Only where the list has more games than are shown.
        #[serde(skip_serializing_if = "Option::is_none")]
        message: Option<String>,
        /// The first games.
        normalized_games: Vec<Record>,
        /// Their outcomes.
        operations: Vec<Operation>,
        /// As they were given.
        options: Value,
        options_digest: String,
        preview_token: String,
        schema_version: u8,
        source: ListSource,
        source_digest: String,
        source_games_digest: String,
    }

    /// How many games a list has of each kind.
    struct FrontendCounts {
        added: usize,
        found: usize,
        merged: usize,
        skipped_malformed: usize,
        total_in_xml: usize,
    }

    /// A list as it was read.
    struct ListSource {
        bytes: u64,
        digest: String,
        /// The name of the file.
        label: String,
    }

    /// The effect of importing the library of an older launcher.
    pub struct LegacyPreview {
        added: usize,
        #[serde(flatten)]
        digests: LegacyPlan,
        duplicates: usize,
        /// Emulators of the other launcher.
        emulator_ids: Vec<String>,
        /// The names of these, by their ids.
        emulator_names: BTreeMap<String, String>,
        errors: Vec<String>,
        excluded: usize,
        found: usize,
        /// Pictures outside of the approved folders, which `options.copy_media` copies in.
        media_outside: usize,
        merged: usize,
        plan: PlanWithOptions,
        /// Playlists with games, which are imported too.
        playlists: usize,
        /// The first games.
        preview_games: Vec<Operation>,
        skipped: usize,
        skipped_malformed: usize,
        total_in_xml: usize,
        /// How often each element occurs that means nothing here.
        unsupported_fields: BTreeMap<String, usize>,
        would_change: usize,
        would_import: usize,
    }

    /// The inputs of a plan.
    #[derive(Clone)]
    struct LegacyPlan {
        base_digest: String,
        options_digest: String,
        preview_token: String,
        source_digest: String,
    }

    /// A plan as it is sent back.
    struct PlanWithOptions {
        /// As they were given.
        options: Value,
        #[serde(flatten)]
        plan: LegacyPlan,
    }
}

/// What was imported.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Outcome {
    /// Ids of new and of merged games.
    pub applied: Applied,
    /// Rows the list has twice.
    pub skipped: usize,
    /// Rows the user never wants to see.
    pub excluded: usize,
    /// Games of the list but for those that are excluded.
    pub found: usize,
}

impl List {
    /// Compares every row with a library and keeps the operations for the first `most`.
    fn compare(
        &self,
        state: &State,
        copier: &PictureCopier<'_>,
        most: usize,
    ) -> Result<Compared, MigrationError> {
        let mut sorter = Sorter::new(self, state, copier, most)?;
        let regions = read::texts(state.settings(), REGIONS);
        for part in &self.parts {
            let resolve =
                |path: &str| paths::resolve(path, &self.options, &part.layout, &self.home);
            let context = RowContext {
                options: &self.options,
                layout: &part.layout,
                extras: &part.extras,
                regions: &regions,
                resolve: &resolve,
            };
            let before = sorter.rows.total;
            if let Some(games) = &part.others {
                for game in games {
                    let read = other_lists::read(game, &resolve).map(|record| Read {
                        incoming: merge::incoming(record),
                        ..Read::default()
                    });
                    sorter.take(read, part, before);
                }
            } else {
                let mut row =
                    |row: Row| sorter.take((self.kind.read)(&row, &context), part, before);
                xml_rows::each(&part.text, self.kind.shape, &mut row)?;
            }
            sorter.rows.emulator_names.extend(part.extras.emulators.clone());
        }
        let (rows, games_digest) = sorter.finish();
        let options_digest = digest(self.options.given.to_string().as_bytes());
        let base_digest = digest_of_games(state);
        let about = json!({
            "source_digest": self.digest,
            "source_games_digest": games_digest,
            "base_digest": base_digest,
            "options_digest": options_digest,
        });
        let token = digest(about.to_string().as_bytes());
        Ok(Compared { rows, games_digest, base_digest, options_digest, token })
    }

    /// The preview of a front end's list; of a long one the first games.
    ///
    /// # Errors
    /// [`MigrationError::Broken`].
    pub fn preview(
        &self,
        state: &State,
        target: &Target<'_>,
    ) -> Result<FrontendPreview, MigrationError> {
        let compared = self.compare(state, &target.copier(), SHOWN_OF_FRONTEND)?;
        let rows = compared.rows;
        let (all, shown) = (rows.total - rows.malformed, rows.operations.len());
        let text = || format!("The list has {all} games; the first {shown} are shown.");
        let games = rows.operations.iter().map(|operation| operation.game.clone());
        Ok(FrontendPreview {
            base_digest: compared.base_digest,
            counts: FrontendCounts {
                added: rows.added,
                found: rows.found(),
                merged: rows.merged,
                skipped_malformed: rows.malformed,
                total_in_xml: rows.total,
            },
            errors: rows.errors,
            media_outside: PictureCopier::count(&rows.outside),
            message: (shown < all).then(text),
            normalized_games: games.collect(),
            operations: rows.operations,
            options: self.options.given.clone(),
            options_digest: compared.options_digest,
            preview_token: compared.token,
            schema_version: 1,
            source: ListSource {
                bytes: self.bytes,
                digest: self.digest.clone(),
                label: self.label.clone(),
            },
            source_digest: self.digest.clone(),
            source_games_digest: compared.games_digest,
        })
    }

    /// The preview of the older launcher's library: counts, and the first games.
    ///
    /// # Errors
    /// [`MigrationError::Broken`].
    pub fn preview_short(
        &self,
        state: &State,
        target: &Target<'_>,
    ) -> Result<LegacyPreview, MigrationError> {
        let Compared { rows, base_digest, options_digest, token, .. } =
            self.compare(state, &target.copier(), SHOWN)?;
        let found = rows.found();
        let mut names = rows.emulator_names.clone();
        names.retain(|id, _| rows.emulators.contains(id));
        let plan = LegacyPlan {
            base_digest,
            options_digest,
            preview_token: token,
            source_digest: self.digest.clone(),
        };
        Ok(LegacyPreview {
            added: rows.added,
            digests: plan.clone(),
            duplicates: rows.skipped,
            emulator_names: names,
            emulator_ids: rows.emulators.into_iter().collect(),
            errors: rows.errors,
            excluded: rows.excluded,
            found,
            media_outside: PictureCopier::count(&rows.outside),
            merged: rows.merged,
            plan: PlanWithOptions { options: self.options.given.clone(), plan },
            playlists: self.playlists.len(),
            preview_games: rows.operations,
            skipped: rows.skipped,
            skipped_malformed: rows.malformed,
            total_in_xml: rows.total,
            unsupported_fields: rows.strange,
            would_change: rows.changed,
            would_import: rows.added,
        })
    }

    /// Imports the list, if it, the library and the options are those of the preview. Without a
    /// plan everything is imported as it is now.
    ///
    /// # Errors
    /// [`MigrationError`]; then nothing has changed.
    pub fn apply(
        &self,
        body: &Map<String, Value>,
        target: &Target<'_>,
        now: &Moment,
    ) -> Result<Outcome, MigrationError> {
        let plan = match body.get("plan") {
            None | Some(Value::Null) => None,
            Some(Value::Object(plan)) => Some(plan),
            Some(_) => return Err(MigrationError::Plan),
        };
        let in_plan = |key: &str| plan.and_then(|plan| plan.get(key)).and_then(Value::as_str);
        let tokens = [body.get("preview_token").and_then(Value::as_str), in_plan("preview_token")];
        if plan.is_some() && tokens.iter().all(Option::is_none) {
            return Err(MigrationError::Plan);
        }
        if in_plan("source_digest").is_some_and(|digest| digest != self.digest) {
            return Err(MigrationError::Stale);
        }
        let picture_copier = target.copier();
        let is_stale =
            |compared: &Compared| tokens.iter().flatten().any(|token| **token != compared.token);
        let mut copies = Copies::new();
        if self.options.copies_media {
            // Copied before the commit, which makes every writer wait.
            let state = target.store.snapshot()?;
            let compared = self.compare(&state, &picture_copier, 0)?;
            if is_stale(&compared) {
                return Err(MigrationError::Stale);
            }
            copies = picture_copier.copy(&compared.rows.outside);
        }
        let batch = ids::random_hex(16);
        let outcome = target.store.commit(|draft| {
            let compared = self.compare(draft.state(), &picture_copier, usize::MAX)?;
            if is_stale(&compared) {
                return Err(MigrationError::Stale);
            }
            let mut rows = compared.rows;
            for operation in &mut rows.operations {
                pictures::point(operation, &copies);
            }
            let applied = merge::carry_out(
                draft,
                &rows.operations,
                &self.playlists,
                self.kind.policy,
                now,
                &batch,
            )
            .map_err(|_| MigrationError::Stale)?;
            let found = rows.found();
            draft.set_cause(Cause::Imported(Import {
                source: self.kind.source.to_owned(),
                found: found as u64,
                added: applied.added.len() as u64,
                changed: Vec::new(),
            }));
            Ok(Outcome { applied, skipped: rows.skipped, excluded: rows.excluded, found })
        })?;
        Ok(outcome)
    }
}

/// The digest of all games of a library.
fn digest_of_games(state: &State) -> String {
    let mut base = Sha256::new();
    for game in state.games.iter() {
        base.update(game.json().as_bytes());
        base.update(b"\n");
    }
    ids::hex(&base.finalize())
}

fn digest(bytes: &[u8]) -> String {
    ids::hex(&Sha256::digest(bytes))
}
