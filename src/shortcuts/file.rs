//! The shortcut file on the disk: found, previewed, and written while the preview is valid.
//!
//! The plan a client sends back is trusted only for the request in it; what is written is recomputed from the file
//! and the library, and both must be those of the preview.

use std::{
    fs,
    os::unix::fs::PermissionsExt as _,
    path::{Component, Path, PathBuf},
};

use serde_json::{Map, Value as Json, json};
use sha2::{Digest as _, Sha256};

use super::{
    error::BridgeError,
    plan::{self, Changes, EntryRecord, EntryUpdate, Target, Wanted},
};
use crate::{
    base::{Moment, ids::hex, schema::schema},
    config::data_dir::DataDir,
    files::{Files, confine},
    formats::shortcuts::{self, Document},
    model::{Games, State},
    process::proc_files,
};

/// The roots of the store below the home.
const ROOTS: [&str; 3] =
    [".local/share/Steam", ".steam/steam", ".var/app/com.valvesoftware.Steam/.local/share/Steam"];
const FILE: &str = "config/shortcuts.vdf";
/// The name of the client's process.
const CLIENT: &str = "steam";
/// Games in one plan.
const GAMES: usize = 500;
/// Copies of earlier files that are kept.
const COPIES: usize = 10;

/// What the bridge works with.
pub struct Bridge<'a> {
    /// Disk access.
    pub files: &'a Files,
    /// Where copies are kept.
    pub data_dir: &'a DataDir,
    /// The home.
    pub home: &'a Path,
    /// The program that a shortcut starts, unless the request names one.
    pub launcher: PathBuf,
}

/// The file as it stands.
struct Base {
    path: PathBuf,
    bytes: Option<Vec<u8>>,
    document: Document,
}

impl Base {
    fn digest(&self) -> Option<String> {
        self.bytes.as_ref().map(|bytes| hex(&Sha256::digest(bytes)))
    }
}

/// What is asked for; everything else of a plan follows from it.
#[derive(Clone, Debug, PartialEq)]
struct PlanRequest {
    operation: &'static str,
    game_ids: Vec<String>,
    launcher_exe: String,
    targets: Json,
}

schema! {
    /// The shortcut file as it stands.
    #[derive(Default)]
    pub struct BridgeStatus {
        /// Whether its folder exists.
        available: bool,
        /// Whether it cannot be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        corrupt: Option<bool>,
        /// How many entries it has.
        #[serde(skip_serializing_if = "Option::is_none")]
        count: Option<usize>,
        /// Why it cannot be read.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<String>,
        exists: bool,
        /// Entries of other programs.
        #[serde(skip_serializing_if = "Option::is_none")]
        foreign_count: Option<usize>,
        /// Entries of this program.
        #[serde(skip_serializing_if = "Option::is_none")]
        own_count: Option<usize>,
        path: PathBuf,
    }

    /// What a change of the shortcut file does, or did.
    pub struct ShortcutPlan {
        added: usize,
        /// Entries that are new.
        additions: Vec<EntryRecord>,
        /// Whether it was carried out.
        #[serde(skip_serializing_if = "Option::is_none")]
        applied: Option<bool>,
        base_exists: bool,
        base_sha256: Option<String>,
        /// Whether anything changes.
        changed: bool,
        /// Entries of the file before.
        current_count: usize,
        desired_count: usize,
        /// Every entry that was asked for, as it will be.
        desired_records: Vec<EntryRecord>,
        /// Entries of other programs.
        foreign_count: usize,
        format: &'static str,
        game_ids: Vec<String>,
        games_sha256: String,
        /// The program a shortcut starts.
        launcher_exe: String,
        /// `apply` or `remove`.
        operation: &'static str,
        path: PathBuf,
        preview: bool,
        preview_token: String,
        /// Entries that go.
        removals: Vec<EntryRecord>,
        removed: usize,
        /// Every entry of the file afterwards.
        result_records: Vec<EntryRecord>,
        /// What a removal was asked for.
        #[serde(skip_serializing_if = "Option::is_none")]
        targets: Option<Json>,
        /// Entries of this program that stay as they are.
        unchanged: usize,
        updated: usize,
        /// Entries that change.
        updates: Vec<EntryUpdate>,
        version: u8,
        /// Whether the file was written.
        #[serde(skip_serializing_if = "Option::is_none")]
        written: Option<bool>,
    }
}

impl Bridge<'_> {
    /// `GET /api/v2/shortcutbridge/status`.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn status(&self) -> Result<BridgeStatus, BridgeError> {
        let path = self.discover();
        let available = path.parent().is_some_and(Path::is_dir);
        let exists = fs::symlink_metadata(&path).is_ok();
        let mut status = BridgeStatus { available, exists, path, ..BridgeStatus::default() };
        match self.read(&status.path) {
            // A file that is not there yet has no entries.
            Ok(base) => {
                let (count, own) = plan::count(&base.document);
                status.count = Some(count);
                status.own_count = Some(own);
                status.foreign_count = Some(count - own);
            }
            Err(error) => {
                status.error = Some(error.to_string());
                status.corrupt = Some(true);
            }
        }
        Ok(status)
    }

    /// `POST /api/v2/shortcutbridge/preview`: what giving games a shortcut would do.
    ///
    /// # Errors
    /// [`BridgeError`].
    pub fn preview(
        &self,
        state: &State,
        body: &Map<String, Json>,
    ) -> Result<ShortcutPlan, BridgeError> {
        let request = PlanRequest {
            operation: "apply",
            game_ids: chosen(&state.games, body.get("game_ids"))?,
            launcher_exe: self.launcher(body.get("launcher_exe"))?,
            targets: Json::Null,
        };
        let base = self.read(&self.place(body.get("path"))?)?;
        let (after, changes) = request.carry_out(state, &base.document)?;
        Ok(request.plan(state, base, &after, changes))
    }

    /// `POST /api/v2/shortcutbridge/remove/preview`: what removing shortcuts would do.
    ///
    /// # Errors
    /// [`BridgeError`].
    pub fn preview_removal(
        &self,
        state: &State,
        body: &Map<String, Json>,
    ) -> Result<ShortcutPlan, BridgeError> {
        let targets = body.get("targets").cloned().unwrap_or_default();
        let request = PlanRequest {
            operation: "remove",
            game_ids: Vec::new(),
            launcher_exe: String::new(),
            targets,
        };
        request.targets()?;
        let base = self.read(&self.place(body.get("path"))?)?;
        let (after, changes) = request.carry_out(state, &base.document)?;
        Ok(request.plan(state, base, &after, changes))
    }

    /// Writes a plan, if file and library are still those of the preview.
    ///
    /// # Errors
    /// [`BridgeError`]; then the file is what it was.
    pub fn apply(
        &self,
        state: &State,
        body: &Map<String, Json>,
        operation: &'static str,
        now: &Moment,
    ) -> Result<ShortcutPlan, BridgeError> {
        let plan = match body.get("plan") {
            None | Some(Json::Null) => return Err(BridgeError::NoPlan),
            Some(plan) => plan.as_object().ok_or(BridgeError::BadPlan)?,
        };
        let (request, is_untouched) = PlanRequest::of_plan(plan, operation)?;
        let path = self.place(plan.get("path"))?;
        if body.get("path").is_some_and(|given| !given.is_null())
            && self.place(body.get("path"))? != path
        {
            return Err(BridgeError::BadPlan);
        }
        let base = match self.read(&path) {
            // The preview could use it.
            Err(BridgeError::Broken(_)) => return Err(BridgeError::Stale),
            read => read?,
        };
        let digest = base.digest();
        let same = plan.get("base_sha256").and_then(Json::as_str) == digest.as_deref()
            && plan.get("base_exists").and_then(Json::as_bool) == Some(base.bytes.is_some())
            && plan.get("games_sha256").and_then(Json::as_str)
                == Some(&request.games_digest(state));
        if !same {
            return Err(BridgeError::Stale);
        }
        if !is_untouched {
            return Err(BridgeError::BadPlan);
        }
        let (after, changes) = request.carry_out(state, &base.document)?;
        let written = changes.any();
        if written {
            if client_runs() {
                return Err(BridgeError::ClientRuns);
            }
            self.write(&base, &after, now)?;
        }
        let plan = request.plan(state, base, &after, changes);
        Ok(ShortcutPlan { applied: Some(true), written: Some(written), ..plan })
    }

    /// The file of the request, else the one that is found.
    fn place(&self, given: Option<&Json>) -> Result<PathBuf, BridgeError> {
        let path = match given {
            None | Some(Json::Null) => self.discover(),
            Some(Json::String(text)) if text.trim().is_empty() => self.discover(),
            Some(Json::String(text)) => PathBuf::from(text),
            Some(_) => return Err(BridgeError::Path("path must be text.")),
        };
        let plain = |part| matches!(part, Component::RootDir | Component::Normal(_));
        if !path.is_absolute() || !path.components().all(plain) {
            return Err(BridgeError::Path("path must be an absolute path."));
        }
        if path.extension().is_none_or(|ending| ending != "vdf") {
            return Err(BridgeError::Path("path must name a shortcuts.vdf file."));
        }
        Ok(path)
    }

    /// The shortcut file that was written last; without one its place at the user who was there last.
    fn discover(&self) -> PathBuf {
        let roots = ROOTS.iter().map(|root| self.home.join(root));
        // A root may be a link of the store's own; the place it leads to is the file's.
        let real: Vec<PathBuf> = roots.filter_map(|root| fs::canonicalize(root).ok()).collect();
        let mut found: Vec<_> = real
            .iter()
            .flat_map(|root| fs::read_dir(root.join("userdata")).into_iter().flatten().flatten())
            .filter_map(|user| {
                let path = user.path().join(FILE);
                let written =
                    |path: &Path| fs::symlink_metadata(path).and_then(|at| at.modified()).ok();
                if let Some(written) = written(&path) {
                    return Some((true, written, path));
                }
                // The client makes the file with its first shortcut; until then only the folder of
                // the user is there. User 0 is not a real user.
                let name = user.file_name().into_string().ok()?;
                let is_user = name != "0" && name.bytes().all(|byte| byte.is_ascii_digit());
                let config = path.parent().filter(|_| is_user)?;
                let visited = written(&config.join("localconfig.vdf")).or_else(|| written(config));
                Some((false, visited?, path))
            })
            .collect();
        found.sort();
        let fallback = || {
            let root = real.first().cloned().unwrap_or_else(|| self.home.join(ROOTS[0]));
            root.join("userdata/0").join(FILE)
        };
        found.pop().map_or_else(fallback, |(.., path)| path)
    }

    fn read(&self, path: &Path) -> Result<Base, BridgeError> {
        confine::refuse_link_on_the_way(path)
            .map_err(|_| BridgeError::Path("path must not lead through a symlink."))?;
        let path = path.to_owned();
        let Some(stat) = self.files.stat(&path)? else {
            return Ok(Base { path, bytes: None, document: Document::default() });
        };
        if !stat.is_file() {
            return Err(BridgeError::Path("path must name a file."));
        }
        if stat.len() > shortcuts::FILE_BYTES as u64 {
            return Err(BridgeError::Path("The shortcut file is too large."));
        }
        let bytes = self.files.read(&path)?;
        let document = shortcuts::parse(&bytes)?;
        Ok(Base { path, bytes: Some(bytes), document })
    }

    /// Keeps a copy of the file, then puts the new one in its place in one step.
    fn write(&self, base: &Base, after: &Document, now: &Moment) -> Result<(), BridgeError> {
        let folder = base.path.parent().unwrap_or(Path::new("/"));
        self.files.private_dir(folder)?;
        self.files.clear_leftovers_of(&base.path)?;
        let mode = match self.files.stat(&base.path)? {
            Some(stat) => stat.permissions().mode() & 0o7777,
            None => 0o600,
        };
        if let Some(bytes) = &base.bytes {
            let copies = self.data_dir.shortcut_backups();
            self.files.private_dir(&copies)?;
            let name = now.local_format("shortcuts-%Y%m%d-%H%M%S-%6f.vdf");
            self.files.replace(&copies.join(name), bytes)?;
            let names = self.files.list(&copies)?;
            for old in names.iter().take(names.len().saturating_sub(COPIES)) {
                self.files.remove(&copies.join(old))?;
            }
        }
        let bytes = shortcuts::write(after);
        let mut temp = self.files.write_beside(&base.path, |sink| sink.write_all(&bytes))?;
        self.files.set_mode(temp.path(), mode)?;
        // Another program may have written it meanwhile.
        let is_same = match self.files.stat(&base.path)? {
            Some(_) => base.bytes.as_ref() == Some(&self.files.read(&base.path)?),
            None => base.bytes.is_none(),
        };
        if !is_same {
            return Err(BridgeError::Stale);
        }
        temp.persist(&base.path)?;
        Ok(self.files.sync_dir(folder)?)
    }

    fn launcher(&self, given: Option<&Json>) -> Result<String, BridgeError> {
        let wrong = BridgeError::Request("launcher_exe must be text.");
        match given {
            None | Some(Json::Null) => Ok(self.launcher.to_string_lossy().into_owned()),
            Some(Json::String(text)) if text.trim().is_empty() => {
                Ok(self.launcher.to_string_lossy().into_owned())
            }
            Some(Json::String(text)) if !text.contains(['\0', '"', '\n']) => {
                Ok(text.trim().to_owned())
            }
            Some(_) => Err(wrong),
        }
    }
}

impl PlanRequest {
    /// What a plan asked for, and whether the plan is as the preview made it. A plan without its long lists is
    /// enough.
    fn of_plan(
        plan: &Map<String, Json>,
        operation: &'static str,
    ) -> Result<(Self, bool), BridgeError> {
        let is = |key: &str, expected: Json| plan.get(key) == Some(&expected);
        let ours = is("format", json!("shortcut-bridge-preview"))
            && is("version", json!(1))
            && is("operation", json!(operation));
        let ids = plan.get("game_ids").and_then(Json::as_array).ok_or(BridgeError::BadPlan)?;
        let ids: Option<Vec<String>> =
            ids.iter().map(|id| id.as_str().map(str::to_owned)).collect();
        let request = Self {
            operation,
            game_ids: ids.filter(|ids| ids.len() <= GAMES).ok_or(BridgeError::BadPlan)?,
            launcher_exe: plan
                .get("launcher_exe")
                .and_then(Json::as_str)
                .ok_or(BridgeError::BadPlan)?
                .to_owned(),
            targets: plan.get("targets").cloned().unwrap_or_default(),
        };
        let token = plan.get("preview_token").and_then(Json::as_str);
        let about = ["path", "base_exists", "base_sha256", "games_sha256"];
        let same = token == Some(&request.token(&json!(about.map(|key| plan.get(key)))));
        if ours { Ok((request, same)) } else { Err(BridgeError::BadPlan) }
    }

    /// Ties what was asked for to what it was asked about.
    fn token(&self, about: &Json) -> String {
        let request = [self.operation, &self.launcher_exe];
        let tied = json!([request, self.game_ids, self.targets, about]);
        hex(&Sha256::digest(tied.to_string().as_bytes()))
    }

    fn targets(&self) -> Result<Vec<Target>, BridgeError> {
        let list = match &self.targets {
            Json::Array(list) => list.as_slice(),
            Json::Null => &[],
            one => std::slice::from_ref(one),
        };
        let read: Option<Vec<Target>> = list.iter().map(Target::read).collect();
        let read = read.ok_or(BridgeError::Request("A target cannot be used."))?;
        if read.is_empty() || read.len() > GAMES { Err(BridgeError::NoTarget) } else { Ok(read) }
    }

    fn carry_out(
        &self,
        state: &State,
        document: &Document,
    ) -> Result<(Document, Changes), BridgeError> {
        if self.operation == "remove" {
            return plan::remove(document, &self.targets()?);
        }
        let wanted = self.wanted(&state.games).ok_or(BridgeError::Stale)?;
        Ok(plan::apply(document, &wanted, &self.launcher_exe))
    }

    /// The games of the plan; `None` when one of them is gone.
    fn wanted(&self, games: &Games) -> Option<Vec<Wanted>> {
        let wanted = self.game_ids.iter().map(|id| {
            let game = games.find(id)?.1;
            let record = game.record();
            let mut icons = ["icon", "cover"].map(|key| record.text(key)).into_iter();
            Some(Wanted {
                game_id: game.id().to_owned(),
                name: game.name().to_owned(),
                icon: icons.find(|path| !path.is_empty()).unwrap_or("").to_owned(),
            })
        });
        wanted.collect()
    }

    fn games_digest(&self, state: &State) -> String {
        let wanted = self.wanted(&state.games).unwrap_or_default();
        let facts: Vec<_> =
            wanted.iter().map(|game| json!([game.game_id, game.name, game.icon])).collect();
        hex(&Sha256::digest(Json::Array(facts).to_string().as_bytes()))
    }

    fn plan(&self, state: &State, base: Base, after: &Document, changes: Changes) -> ShortcutPlan {
        let (count, own) = plan::count(&base.document);
        let (base_exists, base_sha256) = (base.bytes.is_some(), base.digest());
        let games_sha256 = self.games_digest(state);
        let about = json!([base.path, base_exists, base_sha256, games_sha256]);
        ShortcutPlan {
            added: changes.additions.len(),
            applied: None,
            base_exists,
            base_sha256,
            changed: changes.any(),
            current_count: count,
            desired_count: changes.desired.len(),
            foreign_count: count - own,
            format: "shortcut-bridge-preview",
            game_ids: self.game_ids.clone(),
            games_sha256,
            launcher_exe: self.launcher_exe.clone(),
            operation: self.operation,
            path: base.path,
            preview: true,
            preview_token: self.token(&about),
            removed: changes.removals.len(),
            result_records: after.fields.iter().map(plan::record).collect(),
            targets: Some(self.targets.clone()).filter(|targets| !targets.is_null()),
            unchanged: changes.unchanged,
            updated: changes.updates.len(),
            version: 1,
            written: None,
            additions: changes.additions,
            desired_records: changes.desired,
            removals: changes.removals,
            updates: changes.updates,
        }
    }
}

/// The games a request names; without a list the first of the library that can be played.
fn chosen(games: &Games, named: Option<&Json>) -> Result<Vec<String>, BridgeError> {
    let list = match named {
        None | Some(Json::Null) => {
            let playable = games.iter().filter(|game| !game.manual_entry());
            return Ok(playable.take(GAMES).map(|game| game.id().to_owned()).collect());
        }
        Some(Json::Array(list)) => list,
        Some(_) => return Err(BridgeError::Request("game_ids must be a list.")),
    };
    if list.len() > GAMES {
        return Err(BridgeError::Request("game_ids are limited to 500 entries."));
    }
    let mut ids: Vec<String> = Vec::new();
    for id in list {
        let id = id.as_str().ok_or(BridgeError::Request("game_ids must be text."))?;
        let game = games.find(id).ok_or(BridgeError::Request("Game not found"))?.1;
        if !ids.iter().any(|known| known == game.id()) {
            ids.push(game.id().to_owned());
        }
    }
    Ok(ids)
}

/// Whether the client of the store runs: it rewrites the file when it ends.
fn client_runs() -> bool {
    proc_files::processes().iter().any(|process| process.name == CLIENT)
}
