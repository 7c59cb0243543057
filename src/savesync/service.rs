//! Syncs, choices, and what happens before a launch.

use std::{
    convert::Infallible,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, atomic::AtomicUsize},
    time::Duration,
};

use super::{
    decide::{Here, Step, decide, heads},
    error::SyncError,
    exchange::Exchange,
    gate,
    memory::{self, Shared},
    version::Version,
};
use crate::{
    backup::{error::BackupError, watch::Watch},
    base::{Hold as _, ids::random_hex, named::named},
    config::machine,
    model::State,
    mounted::graph::Nodes,
    notices::{
        list,
        notice::{Level, Notice},
    },
    saves::{
        create::Quiet, error::SaveError, folder::Saves, restore::Old, subject::Subject,
        transfer::Packed,
    },
    store::CommitError,
};

/// How long a launch waits for the folder.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// How files are called while they come from the folder or go there.
const SCRATCH: &str = "save-sync-";

named! {
    /// What a sync did.
    pub enum Done {
        /// Nothing was to be done.
        Same = "same",
        /// The saves here became a version in the folder.
        Sent = "sent",
        /// The saves here were replaced by those of another device.
        Fetched = "fetched",
        /// Two devices played; the user has to choose.
        Conflict = "conflict",
        /// The game runs, so its saves are left alone.
        Running = "running",
    }
}

/// Shares saves with other devices, for one game at a time.
pub struct SaveSync {
    pub(super) saves: Arc<Saves>,
    pub(super) patience: Duration,
    pub(super) waiting: Arc<AtomicUsize>,
    alone: Mutex<()>,
}

impl SaveSync {
    /// Saves that are shared; a launch waits up to `patience` for the folder.
    pub fn new(saves: Arc<Saves>, patience: Duration) -> Self {
        Self { saves, patience, waiting: Arc::default(), alone: Mutex::new(()) }
    }

    /// The game with this id.
    ///
    /// # Errors
    /// When there is none, or its saves are not shared.
    pub(super) fn shared(&self, game_id: &str) -> Result<Shared, SyncError> {
        let state = self.saves.context().store.snapshot()?;
        let (_, game) = state.games.find(game_id).ok_or(SaveError::UnknownGame)?;
        Shared::of(&state, game, &self.saves.context().data_dir)
    }

    pub(super) fn exchange(&self, game: &Shared) -> Result<Exchange<'_>, SyncError> {
        Exchange::below(&self.saves.context().files, &game.mounted, &game.name)
    }

    /// Sends or fetches the saves of a game, whichever is due.
    ///
    /// # Errors
    /// [`SyncError`]; the saves here are as they were, or their old state is archived.
    pub fn sync(&self, game_id: &str, watch: &dyn Watch) -> Result<Done, SyncError> {
        let _alone = self.alone.hold();
        self.sync_alone(game_id, watch)
    }

    fn sync_alone(&self, game_id: &str, watch: &dyn Watch) -> Result<Done, SyncError> {
        let game = self.shared(game_id)?;
        let exchange = self.exchange(&game)?;
        let versions = exchange.read(watch)?;
        if (self.saves.context().runs)(game_id) {
            return Ok(Done::Running);
        }
        let now = self.saves.content(&game.subject, watch)?;
        let step = next_step(&game, &exchange, &versions, now.as_deref())?;
        self.take(step, &game, &exchange, versions, watch)
    }

    /// Takes a step, which `decide` chose for these versions.
    fn take(
        &self,
        step: Step,
        game: &Shared,
        exchange: &Exchange<'_>,
        mut versions: Nodes<Version>,
        watch: &dyn Watch,
    ) -> Result<Done, SyncError> {
        match step {
            Step::Nothing => Ok(Done::Same),
            Step::Adopt(id) => {
                let content = versions[&id].content.clone();
                self.remember(&game.subject.id, Here { base: id, content })?;
                Ok(if heads(&versions).len() > 1 { Done::Conflict } else { Done::Same })
            }
            Step::Pull(id) => {
                self.pull(game, exchange, &versions[&id], &id, watch)?;
                Ok(Done::Fetched)
            }
            Step::Choose => {
                self.tell_of_conflict(&game.subject, &versions);
                Ok(Done::Conflict)
            }
            Step::Push { parents, diverged } => {
                let Some(version) = self.push(game, exchange, parents, watch)? else {
                    return Ok(Done::Same);
                };
                versions.insert(version.id.clone(), version);
                self.trim(exchange, &versions);
                if diverged {
                    self.tell_of_conflict(&game.subject, &versions);
                }
                Ok(if diverged { Done::Conflict } else { Done::Sent })
            }
        }
    }

    /// Makes one of the newest versions the one that counts on every device; an empty id stands for the
    /// saves here. The others stay in the folder, and what is here is archived before it is replaced.
    ///
    /// # Errors
    /// [`SyncError`].
    pub fn choose(&self, game_id: &str, id: &str, watch: &dyn Watch) -> Result<Done, SyncError> {
        let _alone = self.alone.hold();
        if self.sync_alone(game_id, &Quiet(watch))? == Done::Running {
            return Err(SyncError::Running);
        }
        // Read again: the saves here may have become a version.
        let game = self.shared(game_id)?;
        let exchange = self.exchange(&game)?;
        let mut versions = exchange.read(watch)?;
        let id = if id.is_empty() { &game.here.base } else { id };
        let newest = heads(&versions);
        let chosen = newest.iter().find(|head| head.id == id).ok_or(SyncError::NotNewest)?;
        let chosen = (*chosen).clone();
        if newest.len() == 1 {
            return Ok(Done::Same);
        }
        let parents = newest.iter().map(|head| head.id.clone()).collect();
        let here = if chosen.id == game.here.base {
            game.here.content.clone()
        } else {
            self.pull(&game, &exchange, &chosen, &chosen.id, watch)?
        };
        let decided = Version { parents, ..self.made_here(&game, chosen)? }.sealed();
        exchange.add(&decided)?;
        self.remember(game_id, Here { base: decided.id.clone(), content: here })?;
        versions.insert(decided.id.clone(), decided);
        self.trim(&exchange, &versions);
        Ok(Done::Same)
    }

    /// Fetches newer saves of a game that is about to be started. Waits for at most the configured time; whatever goes
    /// wrong, the game starts with the saves that are here.
    pub fn before_launch(self: &Arc<Self>, game_id: &str) {
        match self.shared(game_id) {
            Err(SyncError::Off) => return,
            Err(error) => return log::warn!("saves of {game_id} are not shared: {error}"),
            Ok(_) => {}
        }
        let (own, id) = (Arc::clone(self), game_id.to_owned());
        let fetched = gate::within(self.patience, &self.waiting, move |gate| own.fetch(&id, gate));
        match fetched {
            Some(Ok(done)) => log::info!("saves of {game_id} before a launch: {}", done.name()),
            Some(Err(error)) => log::warn!("newer saves of {game_id} were not fetched: {error}"),
            None => {
                log::warn!("newer saves of {game_id} were not fetched: {}", SyncError::NoAnswer);
            }
        }
    }

    /// Fetches newer saves of a game and sends nothing.
    fn fetch(&self, game_id: &str, watch: &dyn Watch) -> Result<Done, SyncError> {
        let _alone = self.alone.hold();
        watch.go_on()?;
        let game = self.shared(game_id)?;
        let exchange = self.exchange(&game)?;
        let versions = exchange.read(watch)?;
        if heads(&versions).iter().all(|head| head.id == game.here.base) {
            return Ok(Done::Same);
        }
        let now = self.saves.content(&game.subject, watch)?;
        let step = match next_step(&game, &exchange, &versions, now.as_deref())? {
            // The saves here stay here until the game was played.
            Step::Push { .. } => Step::Choose,
            step => step,
        };
        self.take(step, &game, &exchange, versions, watch)
    }

    /// Replaces the saves here by a version, which is remembered as `base`, and returns their content.
    fn pull(
        &self,
        game: &Shared,
        exchange: &Exchange<'_>,
        version: &Version,
        base: &str,
        watch: &dyn Watch,
    ) -> Result<String, SyncError> {
        let scratch = self.scratch()?;
        let placed = self.place(game, exchange, version, &scratch, watch);
        self.clear(&scratch);
        placed?;
        // Files that the version does not have stay, so this is not always its content.
        let content = self.saves.content(&game.subject, watch)?.unwrap_or_default();
        let here = Here { base: base.to_owned(), content: content.clone() };
        self.remember(&game.subject.id, here)?;
        Ok(content)
    }

    fn place(
        &self,
        game: &Shared,
        exchange: &Exchange<'_>,
        version: &Version,
        scratch: &Path,
        watch: &dyn Watch,
    ) -> Result<(), SyncError> {
        exchange.fetch(version, scratch, watch)?;
        let store = &self.saves.context().store;
        let begin = || store.change(|draft| memory::begin(draft, game, &version.id));
        let watch = Beginning { watch, begin: &begin };
        // What an earlier try left was archived by that one.
        let old = if game.unfinished == version.id { Old::IsArchived } else { Old::Archive };
        Ok(self.saves.take_over(&game.subject, scratch, &version.content, old, &watch)?)
    }

    /// Makes a version of the saves here; `None` without any.
    fn push(
        &self,
        game: &Shared,
        exchange: &Exchange<'_>,
        parents: Vec<String>,
        watch: &dyn Watch,
    ) -> Result<Option<Version>, SyncError> {
        let scratch = self.scratch()?;
        let sent = self.send(game, exchange, parents, &scratch, watch);
        self.clear(&scratch);
        let Some(version) = sent? else { return Ok(None) };
        let here = Here { base: version.id.clone(), content: version.content.clone() };
        self.remember(&game.subject.id, here)?;
        Ok(Some(version))
    }

    fn send(
        &self,
        game: &Shared,
        exchange: &Exchange<'_>,
        parents: Vec<String>,
        scratch: &Path,
        watch: &dyn Watch,
    ) -> Result<Option<Version>, SyncError> {
        let Some(packed) = self.saves.pack_up(&game.subject, scratch, watch)? else {
            return Ok(None);
        };
        let (archive, size) = exchange.add_archive(scratch, watch)?;
        let Packed { content, files, picture } = packed;
        let held = Version { content, archive, size, files, picture, ..Version::default() };
        let version = Version { parents, ..self.made_here(game, held)? }.sealed();
        exchange.add(&version)?;
        Ok(Some(version))
    }

    /// A version that this device makes now.
    fn made_here(&self, game: &Shared, version: Version) -> Result<Version, SyncError> {
        let context = self.saves.context();
        Ok(Version {
            device: context
                .store
                .change(memory::device)
                .map_err(CommitError::hand_on::<SyncError>)?,
            device_name: machine::name(),
            at: (context.now)().utc_iso(),
            playtime: game.playtime,
            ..version
        })
    }

    fn remember(&self, game_id: &str, here: Here) -> Result<(), SyncError> {
        let store = &self.saves.context().store;
        store.change(|draft| memory::remember(draft, game_id, &here)).map_err(CommitError::hand_on)
    }

    fn trim(&self, exchange: &Exchange<'_>, versions: &Nodes<Version>) {
        let trimmed = self.saves.kept().map_err(SyncError::from);
        if let Err(error) = trimmed.and_then(|keep| exchange.trim(versions, keep)) {
            log::warn!("old saves stay in the mounted folder: {error}");
        }
    }

    fn tell_of_conflict(&self, game: &Subject, versions: &Nodes<Version>) {
        let newest: Vec<&str> = heads(versions).iter().map(|head| head.id.as_str()).collect();
        let title = format!("Two devices played {}", game.name);
        let body = "Both versions of its saves are kept. Choose one on the page of the game.";
        let now = (self.saves.context().now)();
        let notice = Notice::new("saves", Level::Warning, &title, body, &now)
            .source("saves")
            .about(&game.id)
            .once(&format!("saves:{}:{}", game.id, newest.concat()));
        let added = self.saves.context().store.change(|draft| list::add(draft, notice, &now));
        if let Err(error) = added {
            log::warn!("a notice was not written: {error}");
        }
    }

    /// A place for a file on its way; what a sync that was cut off left is removed.
    fn scratch(&self) -> Result<PathBuf, SyncError> {
        let (files, cache) = (&self.saves.context().files, self.saves.context().data_dir.cache());
        files.private_dir(&cache)?;
        files.clear_leftovers(&cache, SCRATCH)?;
        for name in files.list(&cache)?.iter().filter(|name| name.starts_with(SCRATCH)) {
            files.remove(&cache.join(name))?;
        }
        Ok(cache.join(format!("{SCRATCH}{}", random_hex(6))))
    }

    fn clear(&self, scratch: &Path) {
        if let Err(error) = self.saves.context().files.remove(scratch) {
            log::warn!("a file stays in the cache: {error}");
        }
    }

    /// The library now.
    pub(super) fn state(&self) -> Result<Arc<State>, SyncError> {
        Ok(self.saves.context().store.snapshot()?)
    }
}

/// The next step of a sync: a version that was cut off while its files took their places is put in place
/// again, before anything is decided by what it left.
///
/// # Errors
/// A folder that cannot be read.
pub(super) fn next_step(
    game: &Shared,
    exchange: &Exchange<'_>,
    versions: &Nodes<Version>,
    now: Option<&str>,
) -> Result<Step, SyncError> {
    match versions.get(&game.unfinished) {
        Some(version) if exchange.has_archive(version)? => Ok(Step::Pull(version.id.clone())),
        _ => Ok(decide(versions, &game.here, now)),
    }
}

/// A watch that has the beginning of the last step remembered.
struct Beginning<'a> {
    watch: &'a dyn Watch,
    begin: &'a dyn Fn() -> Result<(), CommitError<Infallible>>,
}

impl Watch for Beginning<'_> {
    fn go_on(&self) -> Result<(), BackupError> {
        self.watch.go_on()
    }

    fn expect(&self, members: u64) {
        self.watch.expect(members);
    }

    fn done(&self, members: u64) {
        self.watch.done(members);
    }

    fn promote(&self) -> Result<(), BackupError> {
        self.watch.promote()?;
        Ok((self.begin)()?)
    }
}
