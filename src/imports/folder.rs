//! Imports a folder: reads it, writes the playlists its discs need, commits the new rows. Undoes an import of any
//! source: its games, its changes, the playlists it wrote, and the media that wait for its games.
//!
//! All reading and writing of files happens before the first commit; a commit only adds rows. Rows
//! are compared with the library inside the commit, so two clients that import the same folder at
//! once add each game once.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fs, io,
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value};

use crate::{
    base::{Moment, ids, memory, priority::LongWork},
    config::data_dir::DataDir,
    files::Files,
    formats::m3u,
    game::batches::{self, Undone, UnknownBatch, WrittenFile},
    media::queue,
    model::{
        Cause, DraftError, Import, State,
        emulators::{App, Catalog},
    },
    scan::{
        discs::{DiscGroup, Entry},
        ranking::Ranked,
        references::SHEET_BYTES,
        systems,
        tree::Disk,
    },
    store::{CommitError, Committed, Store, Unavailable},
};

use super::{
    candidates::{self, Preferences},
    incoming::Incoming,
    merge,
    playlists::{self, DiscLists},
    rows::{self, Located, TitleStyle},
};

/// Rows of one commit; a larger import takes several, each whole or absent after a crash.
pub(super) const BATCH: usize = 2_000;
/// A folder of this many games leaves memory behind that is worth giving back.
const LARGE: usize = 20_000;

/// What a folder import is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FolderRequest {
    /// The folder as the client wrote it; not blank.
    pub folder: String,
    /// Package ids of emulators by platform.
    pub chosen_emulators: BTreeMap<String, String>,
}

/// Why nothing was imported.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    #[error("Folder path is required.")]
    NoFolder,
    #[error("chosen_emulators must be an object.")]
    BadChoices,
    #[error("Folder does not exist.")]
    UnknownFolder(PathBuf),
    #[error("Folder cannot be read.")]
    UnreadableFolder {
        /// The folder.
        path: PathBuf,
        /// The message of the system.
        source: io::Error,
    },
    #[error("The library cannot be read.")]
    Unavailable(#[from] Unavailable),
    #[error("The library could not be saved.")]
    Commit(#[from] CommitError<DraftError>),
}

/// What an import did.
#[derive(Debug, Default)]
pub struct ImportOutcome {
    /// Rows that are new in the library.
    pub added: usize,
    /// Games the folder holds, known ones included.
    pub found: usize,
    /// Folders and files that could not be read or named, and files of unknown type.
    pub skipped: usize,
    /// Files that belong to a game: what its sheet names, the tracks of its disc.
    pub parts: usize,
    /// Files of unknown type by extension: the most frequent ones, at most 50.
    pub skipped_types: BTreeMap<String, usize>,
    /// The emulators that play each platform found; empty where none is known.
    pub recommendations: BTreeMap<&'static str, Vec<Arc<App>>>,
    /// The id stamped on every new row.
    pub import_batch_id: String,
}

impl FolderRequest {
    /// Reads the body of a request: `{folder, chosen_emulators?}`.
    ///
    /// # Errors
    /// [`ImportError::NoFolder`] when the folder is missing, blank or no text;
    /// [`ImportError::BadChoices`] when the choices are not an object of texts.
    pub fn read(body: &Map<String, Value>) -> Result<Self, ImportError> {
        let folder = body.get("folder").and_then(Value::as_str).unwrap_or_default();
        if folder.trim().is_empty() {
            return Err(ImportError::NoFolder);
        }
        let choices = rows::read_choices(body.get("chosen_emulators"));
        let chosen_emulators = choices.ok_or(ImportError::BadChoices)?;
        Ok(Self { folder: folder.to_owned(), chosen_emulators })
    }
}

/// What an import works with.
#[derive(Clone, Copy)]
pub struct FolderImport<'a> {
    /// The library.
    pub store: &'a Store,
    /// Disk access for playlists.
    pub files: &'a Files,
    /// The program's own folder, which is never imported.
    pub data: &'a DataDir,
    /// The emulators that may be recommended.
    pub catalog: &'a Catalog,
    /// What `~` stands for.
    pub home: Option<&'a Path>,
}

impl FolderImport<'_> {
    /// Imports one folder.
    ///
    /// # Errors
    /// [`ImportError`] when the folder cannot be read or the library refuses the rows. Batches that
    /// were committed before a refusal stay.
    pub fn run(&self, request: &FolderRequest, now: &Moment) -> Result<ImportOutcome, ImportError> {
        let _work = LongWork::begin();
        let root = self.find_folder(&request.folder)?;
        let own = fs::canonicalize(self.data.root());
        let excluded = own.as_deref().unwrap_or(self.data.root());
        let state = self.store.snapshot()?;
        let lists = disc_lists(&state);
        let preferences = Preferences { lists, ..Preferences::of(state.settings()) };
        drop(state);
        let found = candidates::find(&Disk, &root, excluded, &preferences);
        let mut outcome = ImportOutcome {
            found: found.games.len(),
            skipped: found.skipped + found.unknown.total(),
            parts: found.parts,
            skipped_types: found.unknown.most_frequent(),
            recommendations: recommend(&found.games, self.catalog),
            import_batch_id: ids::random_hex(16),
            ..ImportOutcome::default()
        };
        let added = self.add_new(found.games, &request.chosen_emulators, now, &mut outcome);
        if outcome.found >= LARGE {
            memory::give_back();
        }
        added?;
        self.store.report(Cause::Scanned {
            folder: root,
            added: outcome.added as u64,
            scanned: outcome.found as u64,
        });
        Ok(outcome)
    }

    /// As [`FolderImport::run`], and reports the import.
    ///
    /// # Errors
    /// As [`FolderImport::run`].
    pub fn run_and_report(
        &self,
        request: &FolderRequest,
        now: &Moment,
    ) -> Result<ImportOutcome, ImportError> {
        let outcome = self.run(request, now)?;
        let source = "folder".to_owned();
        let (found, added) = (outcome.found as u64, outcome.added as u64);
        self.store.report(Cause::Imported(Import { source, found, added, ..Import::default() }));
        Ok(outcome)
    }

    /// Adds the games that the library does not have yet, a batch of them at a time. A game is known by
    /// its path and by its discs; one that had a single disc gets the others, one of a list its command.
    fn add_new(
        &self,
        games: Vec<Ranked>,
        chosen: &BTreeMap<String, String>,
        now: &Moment,
        outcome: &mut ImportOutcome,
    ) -> Result<(), ImportError> {
        let state = self.store.snapshot()?;
        let style = TitleStyle::of(state.settings());
        let files = KnownFiles::of(&state);
        let generated = self.data.generated();
        let entries = games.iter().flat_map(|game| std::iter::once(&game.best).chain(&game.others));
        let groups = entries.filter_map(|entry| match entry {
            Entry::Discs(group) => Some(&**group),
            Entry::Single(_) => None,
        });
        playlists::clear_leftovers(self.files, &groups.collect::<Vec<_>>());
        let mut new = games.into_iter().filter_map(|game| {
            let owners = files.owners(&game.best.disc_paths());
            if owners.len() > 1 {
                return None;
            }
            if let (Entry::Discs(group), Some(owner)) = (&game.best, owners.first()) {
                let row = state.games.get(*owner)?.record();
                let discs: Vec<String> = row.texts("discs").map(str::to_owned).collect();
                let mut written = Vec::new();
                if playlists::extend(self.files, group, row.text("path"), &discs, &mut written) {
                    let versions = vec![row.text("path").to_owned()];
                    return Some(Placed { entry: game.best, versions, written });
                }
            }
            // Playlists are written for games that are added: others would be useless.
            let foreseen = paths_of(&game, &mut |group| playlists::foresee(&generated, group));
            // Which program of several starts a game is a guess, and may have been corrected.
            let is_guess = game.best.app().is_some();
            let paths = if is_guess { &*foreseen } else { &foreseen[..1] };
            let has_command = game.best.app().is_some_and(|app| !app.launch.is_empty());
            let is_bare = has_command && files.lacks_command(&foreseen[0]);
            let is_known = !is_bare && paths.iter().any(|path| files.has(path));
            if is_known {
                self.restore_playlist(&game.best, &foreseen[0], &files);
                return None;
            }
            if !owners.iter().all(|owner| files.is_lone_disc(*owner)) {
                return None;
            }
            let mut written = Vec::new();
            let mut place =
                |group: &_| playlists::place(self.files, &generated, group, &mut written);
            let versions = paths_of(&game, &mut place);
            Some(Placed { entry: game.best, versions, written })
        });
        loop {
            let batch: Vec<Placed> = new.by_ref().take(BATCH).collect();
            if batch.is_empty() {
                return Ok(());
            }
            // One row is open at a time: an open one takes several times the memory of its game.
            let games = batch.into_iter().map(|game| game.incoming(chosen, style));
            let batch_id = &outcome.import_batch_id;
            let merged = self.store.commit(|draft| {
                draft.set_cause(Cause::FilesFound);
                merge::add_new(draft, games, now, batch_id)
            })?;
            outcome.added += merged.added.len();
        }
    }

    /// Writes the playlist of a known game again when it is gone: its discs are all there.
    fn restore_playlist(&self, entry: &Entry, path: &str, files: &KnownFiles<'_>) {
        let Entry::Discs(group) = entry else { return };
        if path == group.playlist_path() && files.has(path) && !Path::new(path).exists() {
            // No import needs to note it: the one that wrote it first takes a file of this content back.
            playlists::place(self.files, &self.data.generated(), group, &mut Vec::new());
        }
    }

    /// The folder the client means, absolute and without symbolic links, so that one folder has one
    /// name in the library however it was reached.
    fn find_folder(&self, wanted: &str) -> Result<String, ImportError> {
        let path = expand_home(wanted, self.home);
        // Blanks around a name are usually pasted along, but a folder may have them.
        let real = real_folder(&path)
            .or_else(|| real_folder(&expand_home(wanted.trim(), self.home)))
            .ok_or(ImportError::UnknownFolder(path))?;
        fs::read_dir(&real)
            .map_err(|source| ImportError::UnreadableFolder { path: real.clone(), source })?;
        real.into_os_string().into_string().map_err(|name| ImportError::UnknownFolder(name.into()))
    }
}

/// The path of every version of a game, the best first, and of its other programs; `path_of` gives that of
/// joined discs.
fn paths_of(game: &Ranked, path_of: &mut dyn FnMut(&DiscGroup) -> String) -> Vec<String> {
    let path = |entry: &Entry| match entry {
        Entry::Single(game_file) => game_file.file.path(),
        Entry::Discs(group) => path_of(group),
    };
    let programs = game.best.app().map(|app| app.others.clone()).unwrap_or_default();
    let versions = std::iter::once(&game.best).chain(&game.others).map(path);
    versions.chain(programs).collect()
}

/// The playlists of the games in a library, with the discs of each.
fn disc_lists(state: &State) -> DiscLists {
    let lists = state.games.iter().filter(|game| m3u::is_list(Path::new(game.path())));
    lists
        .map(|game| {
            let discs = game.record().texts("discs").map(str::to_owned).collect();
            (game.path().to_owned(), discs)
        })
        .collect()
}

/// The files of the games in a library.
struct KnownFiles<'a> {
    state: &'a State,
    /// Games by their paths.
    paths: HashMap<&'a str, usize>,
    /// Games by the discs that they list, read for the first game with discs: most folders have none.
    discs: OnceCell<HashMap<String, usize>>,
    /// Files that games have as other versions, read as late.
    versions: OnceCell<HashSet<String>>,
}

impl<'a> KnownFiles<'a> {
    fn of(state: &'a State) -> Self {
        let paths = state.games.iter().enumerate().map(|(at, game)| (game.path(), at)).collect();
        Self { state, paths, discs: OnceCell::new(), versions: OnceCell::new() }
    }

    /// Whether a file is that of a game, or one of its other versions.
    fn has(&self, path: &str) -> bool {
        self.paths.contains_key(path) || self.versions().contains(path)
    }

    /// Whether a file is that of a game which a list named without its command.
    fn lacks_command(&self, path: &str) -> bool {
        let game = self.paths.get(path).and_then(|at| self.state.games.get(*at));
        game.is_some_and(|game| merge::lacks_command(&game.record()))
    }

    fn versions(&self) -> &HashSet<String> {
        self.versions.get_or_init(|| {
            let games = self.state.games.iter();
            // A check of the text avoids parsing records without versions.
            let games = games.filter(|game| {
                game.json().contains("\"versions\"") && !game.json().contains("\"versions\":[]")
            });
            let paths = games.flat_map(|game| {
                let record = game.record();
                let versions = record.list("versions").iter();
                let paths = versions.filter_map(|version| version["path"].as_str());
                paths.map(str::to_owned).collect::<Vec<_>>()
            });
            paths.collect()
        })
    }

    fn discs(&self) -> &HashMap<String, usize> {
        self.discs.get_or_init(|| {
            let mut discs = HashMap::new();
            for (at, game) in self.state.games.iter().enumerate() {
                let json = game.json();
                // A check of the text avoids parsing records without discs.
                if json.contains("\"discs\"") && !json.contains("\"discs\":[]") {
                    discs.extend(game.record().texts("discs").map(|disc| (disc.to_owned(), at)));
                }
            }
            discs
        })
    }

    /// The games that have one of these discs.
    fn owners(&self, discs: &[String]) -> BTreeSet<usize> {
        let by_path = |disc: &String| self.paths.get(disc.as_str());
        let owner = |disc: &String| by_path(disc).or_else(|| self.discs().get(disc));
        discs.iter().filter_map(owner).copied().collect()
    }

    /// Whether a game is a file that lists no discs.
    fn is_lone_disc(&self, game: usize) -> bool {
        let game = self.state.games.get(game);
        game.is_some_and(|game| game.record().texts("discs").next().is_none())
    }
}

/// A game that is to become a row, with everything on the disk in its place.
#[derive(Debug)]
pub(super) struct Placed {
    /// The version to import.
    pub(super) entry: Entry,
    /// Its path and those of the other versions.
    pub(super) versions: Vec<String>,
    /// The playlists that were written for it.
    pub(super) written: Vec<WrittenFile>,
}

impl Placed {
    pub(super) fn incoming(self, chosen: &BTreeMap<String, String>, style: TitleStyle) -> Incoming {
        let Self { entry, versions, written } = self;
        let record = rows::record(&Located { entry: &entry, versions }, chosen, style);
        Incoming { record, is_file: true, is_plain: true, written, ..Incoming::default() }
    }
}

/// Takes the import with this id back.
///
/// # Errors
/// [`UnknownBatch`], or an error of the store.
pub fn undo(
    store: &Store,
    files: &Files,
    data: &DataDir,
    id: &str,
) -> Committed<Undone, UnknownBatch> {
    let undone = store.commit(|draft| {
        let undone = batches::undo(draft, id)?;
        systems::take_back(draft, &undone.folders);
        Ok(undone)
    })?;
    // The games are gone already; media of games that are not there are skipped.
    if let Err(error) = queue::remove(files, data, &undone.removed) {
        log::warn!("media of games that were undone stay queued: {error}");
    }
    for file in undone.files.iter().filter(|file| is_as_written(file)) {
        if let Err(error) = playlists::take_back(files, file) {
            log::warn!("a playlist of an import that was undone stays: {error}");
        }
    }
    Ok(undone)
}

/// Whether a file is still the one that was written: no link, with the same content.
fn is_as_written(file: &WrittenFile) -> bool {
    let path = Path::new(&file.path);
    let is_small = |found: fs::Metadata| found.is_file() && found.len() <= SHEET_BYTES;
    fs::symlink_metadata(path).is_ok_and(is_small)
        && fs::read(path).is_ok_and(|content| WrittenFile::sum_of(&content) == file.sum)
}

/// `~` and `~/x` counted from the home folder; anything else as it is.
pub(crate) fn expand_home(path: &str, home: Option<&Path>) -> PathBuf {
    match (path.strip_prefix('~'), home) {
        (Some(""), Some(home)) => home.to_owned(),
        (Some(rest), Some(home)) if rest.starts_with('/') => {
            home.join(rest.trim_start_matches('/'))
        }
        _ => PathBuf::from(path),
    }
}

/// The folder behind a path without symbolic links; `None` for a relative path and for anything
/// that is not a folder.
pub(crate) fn real_folder(path: &Path) -> Option<PathBuf> {
    path.is_absolute().then(|| fs::canonicalize(path).ok())?.filter(|real| real.is_dir())
}

/// The emulators for each platform among the games.
fn recommend(games: &[Ranked], catalog: &Catalog) -> BTreeMap<&'static str, Vec<Arc<App>>> {
    let mut platforms: BTreeMap<&'static str, Vec<Arc<App>>> = BTreeMap::new();
    for game in games {
        let platform = game.best.platform();
        let apps = || catalog.for_platform(platform).into_iter().cloned().collect();
        platforms.entry(platform).or_insert_with(apps);
    }
    platforms
}
