//! A list read, previewed and brought over. The same reading serves both, so what is applied is what
//! was shown.

use std::{
    collections::{BTreeMap, BTreeSet},
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{
    error::MigrationError,
    merge::{self, Action, Applied, Operation, Policy},
    options::Options,
};
use crate::{
    base::{clock::Moment, ids},
    files::writer::Files,
    formats::{
        sheet_text,
        xml_rows::{self, Row, Shape},
    },
    game::path_checks,
    imports::incoming::Incoming,
    model::{
        cause::{Cause, Import},
        state::State,
    },
    store::open::Store,
};

/// Games that a preview of the older launcher's library shows.
const SHOWN: usize = 50;
/// Errors that are told.
const ERRORS: usize = 200;

/// A kind of list.
#[derive(Clone, Copy)]
pub struct ListKind {
    /// The source of its rows.
    pub source: &'static str,
    /// Which lists are read.
    pub shape: Shape,
    /// Bytes of a list.
    pub most_bytes: u64,
    /// How its games are merged.
    pub policy: Policy,
    /// Reads a row.
    pub read: Reader,
}

/// Reads a row; the function it is given makes a path of the list one of this machine.
pub type Reader = fn(&Row, &Options, &dyn Fn(&str) -> String) -> Result<Read, &'static str>;

/// A row that was read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Read {
    /// The game.
    pub incoming: Incoming,
    /// Elements that mean nothing here.
    pub strange: Vec<String>,
    /// The emulator of the other program.
    pub emulator: String,
}

/// Where a list is brought over to.
pub struct Target<'a> {
    /// The door to the disk.
    pub files: &'a Files,
    /// The home.
    pub home: &'a Path,
    /// The library.
    pub store: &'a Store,
}

/// A list, read.
pub struct List {
    kind: ListKind,
    label: String,
    bytes: u64,
    digest: String,
    options: Options,
    total: usize,
    games: Vec<Incoming>,
    errors: Vec<String>,
    malformed: usize,
    strange: BTreeMap<String, usize>,
    emulators: BTreeSet<String>,
}

/// A list compared with the library.
struct Compared {
    operations: Vec<Operation>,
    games_digest: String,
    base_digest: String,
    options_digest: String,
    token: String,
}

/// What was brought over.
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
    /// Reads the list a body names.
    ///
    /// # Errors
    /// [`MigrationError`].
    pub fn open(
        kind: ListKind,
        body: &Map<String, Value>,
        target: &Target<'_>,
    ) -> Result<Self, MigrationError> {
        let text = |key: &str| body.get(key).and_then(Value::as_str).map_or("", str::trim);
        let named = [text("xml_path"), text("gamelist")].into_iter().find(|name| !name.is_empty());
        let path = PathBuf::from(named.ok_or(MigrationError::NoPath)?);
        let given = body.get("options").or_else(|| body.get("plan")?.get("options"));
        let options = Options::read(given)?;
        if !path.is_absolute() || path.as_os_str().len() > 4_096 {
            return Err(MigrationError::Source("xml_path must be an absolute path."));
        }
        let source = target.files.open(&path);
        let source = source.map_err(|_| MigrationError::Source("The list does not exist."))?;
        let stat = source.stat()?;
        if !stat.is_file() {
            return Err(MigrationError::Source("The list must be a file."));
        }
        if stat.len() > kind.most_bytes {
            return Err(MigrationError::Source("The list is too large."));
        }
        let bytes = target.files.read(&path)?;
        let rows = xml_rows::parse(&sheet_text::decode(&bytes), kind.shape)?;
        let folder = path.parent().unwrap_or(Path::new("/"));
        let mut list = Self {
            kind,
            label: path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            bytes: bytes.len() as u64,
            digest: digest(&bytes),
            options,
            total: rows.len(),
            games: Vec::new(),
            errors: Vec::new(),
            malformed: 0,
            strange: BTreeMap::new(),
            emulators: BTreeSet::new(),
        };
        for (number, row) in rows.iter().enumerate() {
            let resolve = |path: &str| resolve(path, &list.options, folder, target.home);
            match (kind.read)(row, &list.options, &resolve) {
                Ok(read) => list.take(read),
                Err(why) => {
                    list.malformed += 1;
                    if list.errors.len() < ERRORS {
                        list.errors.push(format!("Game row {}: {why}", number + 1));
                    }
                }
            }
        }
        Ok(list)
    }

    fn take(&mut self, read: Read) {
        self.games.push(read.incoming);
        for name in read.strange {
            *self.strange.entry(name).or_default() += 1;
        }
        if !read.emulator.is_empty() {
            self.emulators.insert(read.emulator);
        }
    }

    fn compare(&self, state: &State) -> Compared {
        let operations = merge::plan(state, &self.games, &self.options, self.kind.policy);
        let shown: Vec<Value> =
            self.games.iter().map(|game| Value::Object(game.record.0.clone())).collect();
        let games_digest = digest(Value::Array(shown).to_string().as_bytes());
        let options_digest = digest(self.options.given.to_string().as_bytes());
        let mut base = Sha256::new();
        for game in state.games.iter() {
            base.update(game.json().as_bytes());
            base.update(b"\n");
        }
        let base_digest = ids::hex(&base.finalize());
        let about = json!({
            "source_digest": self.digest,
            "source_games_digest": games_digest,
            "base_digest": base_digest,
            "options_digest": options_digest,
        });
        let token = digest(about.to_string().as_bytes());
        Compared { operations, games_digest, base_digest, options_digest, token }
    }

    /// The preview of a front end's list.
    #[must_use]
    pub fn preview(&self, state: &State) -> Value {
        let compared = self.compare(state);
        let count = |action| count(&compared.operations, action);
        let normalized: Vec<_> =
            compared.operations.iter().map(|operation| &operation.game).collect();
        json!({
            "schema_version": 1,
            "source": {"digest": self.digest, "bytes": self.bytes, "label": self.label},
            "source_digest": self.digest,
            "source_games_digest": compared.games_digest,
            "base_digest": compared.base_digest,
            "options": self.options.given,
            "options_digest": compared.options_digest,
            "preview_token": compared.token,
            "counts": {
                "total_in_xml": self.total,
                "skipped_malformed": self.malformed,
                "added": count(Action::Add),
                "merged": count(Action::Merge),
                "found": self.games.len() - count(Action::Exclude),
            },
            "operations": compared.operations,
            "errors": self.errors,
            "normalized_games": normalized,
        })
    }

    /// The preview of the older launcher's library: counts, and the first games.
    #[must_use]
    pub fn preview_short(&self, state: &State) -> Value {
        let compared = self.compare(state);
        let count = |action| count(&compared.operations, action);
        let (added, merged) = (count(Action::Add), count(Action::Merge));
        let change = |operation: &&Operation| !operation.changes.is_empty();
        let would_change = compared.operations.iter().filter(change).count();
        let first: Vec<_> = compared.operations.iter().take(SHOWN).collect();
        json!({
            "total_in_xml": self.total,
            "skipped_malformed": self.malformed,
            "excluded": count(Action::Exclude),
            "duplicates": count(Action::Skip),
            "added": added,
            "merged": merged,
            "skipped": count(Action::Skip),
            "found": self.games.len() - count(Action::Exclude),
            "would_import": added,
            "would_change": would_change,
            "emulator_ids": self.emulators,
            "errors": self.errors,
            "unsupported_fields": self.strange,
            "preview_games": first,
            "preview_token": compared.token,
            "source_digest": self.digest,
            "base_digest": compared.base_digest,
            "options_digest": compared.options_digest,
            "plan": {
                "preview_token": compared.token,
                "source_digest": self.digest,
                "base_digest": compared.base_digest,
                "options_digest": compared.options_digest,
                "options": self.options.given,
            },
        })
    }

    /// Brings the list over, if it, the library and the options are those of the preview. Without a
    /// plan everything is brought over as it is now.
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
        let batch = ids::random_hex(16);
        let outcome = target.store.commit(|draft| {
            let compared = self.compare(draft.state());
            if tokens.iter().flatten().any(|token| **token != compared.token) {
                return Err(MigrationError::Stale);
            }
            let count = |action| count(&compared.operations, action);
            let applied =
                merge::carry_out(draft, &compared.operations, self.kind.policy, now, &batch)
                    .map_err(|_| MigrationError::Stale)?;
            let excluded = count(Action::Exclude);
            let found = self.games.len() - excluded;
            draft.set_cause(Cause::Imported(Import {
                source: self.kind.source.to_owned(),
                found: found as u64,
                added: applied.added.len() as u64,
                changed: Vec::new(),
            }));
            Ok(Outcome { applied, skipped: count(Action::Skip), excluded, found })
        })?;
        Ok(outcome)
    }
}

fn count(operations: &[Operation], action: Action) -> usize {
    operations.iter().filter(|operation| operation.action == action).count()
}

fn digest(bytes: &[u8]) -> String {
    ids::hex(&Sha256::digest(bytes))
}

/// A path of a list as an absolute one of this machine; what leads nowhere stays as it is written.
fn resolve(path: &str, options: &Options, folder: &Path, home: &Path) -> String {
    let mapped = options.map(path);
    let root = match options.relative_root.as_str() {
        "" => folder,
        root => Path::new(root),
    };
    let is_foreign = mapped.as_bytes().get(1) == Some(&b':');
    let absolute = path_checks::absolute(&mapped, home)
        .or_else(|| path_checks::absolute(root.join(&mapped).to_str()?, home));
    match absolute.as_deref().and_then(Path::to_str) {
        Some(text) if !is_foreign => text.to_owned(),
        _ => mapped,
    }
}
