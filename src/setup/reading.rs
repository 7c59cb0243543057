//! Reads sources into candidates: the only file of this module that reads folders, stores and servers.
//! Writes nothing.
//!
//! A source that is missing (a store that is not installed, a folder that is not mounted) has an error
//! and does not stop the others. Every reading has a fingerprint of its candidates and their files.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use sha2::{Digest as _, Sha256};

use crate::{
    base::{Moment, ids},
    config::{data_dir::DataDir, environment::Environment},
    emulators::scan,
    files::Files,
    imports::{
        Incoming, apps, arcade,
        candidates::{self, Preferences},
        folder::{expand_home, real_folder},
        incoming::SetType,
        installed, loose, playlists,
        rows::{self, Located, TitleStyle},
    },
    libserver,
    migrations::installed_lists,
    model::{Record, State, emulators::Catalog},
    scan::{
        Tree,
        discs::Entry,
        extensions::{self, Extension},
        ranking::Ranked,
        systems::{FolderSystems, System},
        tree::Disk,
        unknown::UnknownFiles,
    },
    storefronts::{
        catalog::{self, Source as Store},
        title::Title,
        wrapper,
    },
};

use super::{
    candidate::{Candidate, Playlist},
    source::{Kind, Sets, Source},
};

/// Programs a desktop starts without an emulator, by extension.
const SELF_STARTING: [&str; 3] = ["sh", "appimage", "exe"];

/// Folders above a single file whose names may name its platform.
const NEAR_FOLDERS: usize = 2;

/// Takes candidates one by one; an error ends the reading.
pub type Sink<'a, E> = dyn FnMut(Candidate) -> Result<(), E> + 'a;

/// Reads sources.
#[derive(Clone)]
pub struct ScanContext {
    /// Access to the disk.
    pub files: Files,
    /// The program's own folder, which is never read as a source.
    pub data: DataDir,
    /// The home of the user.
    pub home: PathBuf,
    /// Where programs keep their files.
    pub environment: Environment,
}

/// The data that sources are read with.
#[derive(Clone, Copy)]
pub struct World<'a> {
    /// The library, whose settings hold the address of the library server.
    pub state: &'a State,
    /// The emulator definitions.
    pub catalog: &'a Catalog,
    /// The platforms of folders.
    pub systems: &'a FolderSystems,
    /// Whether the job that reads is to end. A source that waits for a server then answers early and wrongly, so the
    /// job checks again before it uses the reading.
    pub is_stopped: &'a dyn Fn() -> bool,
}

/// The result of a reading besides its candidates.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The fingerprint, 64 hex digits.
    pub fingerprint: String,
    /// How many candidates there are.
    pub candidates: u64,
    /// Files and folders that could not be read or named.
    pub skipped: u64,
    /// Files that belong to a game.
    pub parts: u64,
    /// Files of types that are not known.
    pub unknown: UnknownFiles,
    /// The folder whose folders decide platforms; blank for other sources.
    pub root: String,
    /// Why not everything could be read: a sentence for the client.
    pub error: Option<String>,
}

/// Problems that do not stop a reading.
#[derive(Default)]
struct Note {
    skipped: usize,
    parts: usize,
    unknown: UnknownFiles,
    root: String,
    error: Option<String>,
}

impl ScanContext {
    /// Reads one source to its end.
    ///
    /// # Errors
    /// Those of the sink.
    pub fn read<E>(
        &self,
        source: &Source,
        position: usize,
        world: &World<'_>,
        sink: &mut Sink<'_, E>,
    ) -> Result<Reading, E> {
        let mut print = Sha256::new();
        let mut candidates = 0;
        let note = self.read_kind(&source.kind, world, &mut |candidate: Candidate| {
            let candidate = candidate.in_source(position, &source.name);
            press(&mut print, &candidate);
            candidates += 1;
            sink(candidate)
        })?;
        print.update(note.error.as_deref().unwrap_or_default());
        Ok(Reading {
            fingerprint: ids::hex(&print.finalize()),
            candidates,
            skipped: note.skipped as u64,
            parts: note.parts as u64,
            unknown: note.unknown,
            root: note.root,
            error: note.error,
        })
    }

    fn read_kind<E>(
        &self,
        kind: &Kind,
        world: &World<'_>,
        sink: &mut Sink<'_, E>,
    ) -> Result<Note, E> {
        match kind {
            Kind::Folder(path) => self.read_folder(path, world, sink),
            Kind::Files(paths) => self.read_files(paths, world, sink),
            Kind::Console(path) => {
                let games = self.folder(path).map(|root| loose::console(&Disk, &root, ""));
                pour(games, sink)
            }
            Kind::Emulator { path, emulator } => {
                let catalog = world.catalog;
                let style = TitleStyle::of(world.state.settings());
                let games = self
                    .folder(path)
                    .map(|root| scan::games(&Disk, &root, catalog, emulator, style));
                pour(games, sink)
            }
            Kind::Arcade(sets) => pour(self.read_sets(sets), sink),
            Kind::Wrapper => {
                let games = wrapper::scan(&wrapper::data_dirs(&self.environment));
                pour(Ok(games.iter().map(wrapper::WrapperGame::incoming).collect()), sink)
            }
            Kind::Launcher(path) => {
                let path = expand_home(path, Some(&self.home));
                pour(installed_lists::read(&self.files, &path, &self.home), sink)
            }
            Kind::Engine => {
                pour(Ok(installed::engine(&Disk, &self.home, &installed::engine_program())), sink)
            }
            Kind::DiscTitles => pour(
                Ok(installed::disc_titles(&Disk, &self.home, &installed::disc_program())),
                sink,
            ),
            Kind::AppTitles => pour(Ok(installed::app_titles(&Disk, &self.home)), sink),
            Kind::Store(store, with_uninstalled) => {
                self.read_store(*store, *with_uninstalled, world, sink)
            }
        }
    }

    /// The folder a source means, absolute and without symbolic links.
    fn folder(&self, wanted: &str) -> Result<String, String> {
        let real = real_folder(&expand_home(wanted, Some(&self.home)));
        let real = real.ok_or("Folder does not exist.")?;
        fs::read_dir(&real).map_err(|_| "Folder cannot be read.")?;
        real.into_os_string().into_string().map_err(|_| "Folder does not exist.".to_owned())
    }

    fn read_folder<E>(
        &self,
        path: &str,
        world: &World<'_>,
        sink: &mut Sink<'_, E>,
    ) -> Result<Note, E> {
        let root = match self.folder(path) {
            Ok(root) => root,
            Err(error) => return Ok(Note { error: Some(error), ..Note::default() }),
        };
        let own = fs::canonicalize(self.data.root());
        let excluded = own.as_deref().unwrap_or(self.data.root());
        let settings = world.state.settings();
        let preferences =
            Preferences { systems: world.systems.clone(), ..Preferences::of(settings) };
        let found = candidates::find(&Disk, &root, excluded, &preferences);
        let style = TitleStyle::of(settings);
        let generated = self.data.generated();
        for game in found.games {
            sink(folder_candidate(&game, &generated, style))?;
        }
        let (parts, unknown) = (found.parts, found.unknown);
        Ok(Note { skipped: found.skipped, parts, unknown, root, error: None })
    }

    fn read_files<E>(
        &self,
        paths: &[String],
        world: &World<'_>,
        sink: &mut Sink<'_, E>,
    ) -> Result<Note, E> {
        let mut note = Note::default();
        let style = TitleStyle::of(world.state.settings());
        let file = |path: &str| file_candidate(&Disk, path, world.systems, style);
        for path in paths {
            let path = expand_home(path, Some(&self.home));
            let is_file = path.is_absolute() && fs::metadata(&path).is_ok_and(|at| at.is_file());
            match path.to_str().filter(|_| is_file).and_then(file) {
                Some(candidate) => sink(candidate)?,
                None => note.skipped += 1,
            }
        }
        if note.skipped > 0 {
            note.error = Some(format!("{} files do not exist.", note.skipped));
        }
        Ok(note)
    }

    fn read_sets(&self, sets: &Sets) -> Result<Vec<Incoming>, String> {
        let root = self.folder(&sets.path)?;
        let list = (!sets.list.is_empty()).then(|| expand_home(&sets.list, Some(&self.home)));
        let catalog = arcade::catalog(&self.files, &Disk, sets.family, list.as_deref(), &root);
        let catalog = catalog.map_err(|error| error.to_string())?;
        // Without the emulator its sets are played by whichever definition is chosen for them.
        let command = arcade::command(sets.family, None, &root).unwrap_or_default();
        let games = arcade::games(&Disk, &root, &catalog, sets.family, &command).into_iter();
        let kept = games.filter(|(_, set)| !sets.own_archives_only || *set != SetType::Merged);
        Ok(kept.map(|(game, _)| game).collect())
    }

    fn read_store<E>(
        &self,
        store: Store,
        with_uninstalled: bool,
        world: &World<'_>,
        sink: &mut Sink<'_, E>,
    ) -> Result<Note, E> {
        let mut note = Note::default();
        let titles = if with_uninstalled || store == Store::LibraryServer {
            let World { state, is_stopped, .. } = *world;
            let titles =
                libserver::catalog::read_unless(is_stopped, store, state, &self.environment);
            titles.map_err(|error| error.to_string()).map(|mut titles| {
                titles.retain(|title| with_uninstalled || title.is_installed);
                titles
            })
        } else {
            catalog::installed(store, &self.home).map_err(|error| error.to_string()).map(
                |(titles, errors)| {
                    note.error = errors.into_iter().next();
                    titles
                },
            )
        };
        let now = Moment::now();
        let row = |title: &Title| {
            if with_uninstalled { title.owned(&now) } else { title.installed() }
        };
        let poured = pour(titles.map(|titles| titles.iter().map(row).collect()), sink)?;
        note.error = poured.error.or(note.error);
        Ok(note)
    }
}

fn pour<E>(games: Result<Vec<Incoming>, String>, sink: &mut Sink<'_, E>) -> Result<Note, E> {
    match games {
        Ok(games) => {
            for game in games {
                sink(Candidate::from_incoming(game))?;
            }
            Ok(Note::default())
        }
        Err(error) => Ok(Note { error: Some(error), ..Note::default() }),
    }
}

/// Adds a candidate to a fingerprint, with the size and time of its files.
fn press(print: &mut Sha256, candidate: &Candidate) {
    print.update(candidate.id.as_bytes());
    print.update(candidate.record.text("name").as_bytes());
    print.update(candidate.record.text("platform").as_bytes());
    for file in candidate.files() {
        let look = fs::metadata(file).map(|at| (at.size(), at.mtime(), at.mtime_nsec()));
        // OK because a file that is gone looks like no other.
        let (size, seconds, nanos) = look.unwrap_or((u64::MAX, 0, 0));
        print.update(format!("\n{file}:{size}:{seconds}.{nanos:09}"));
    }
    print.update(b"\n");
}

/// The candidate of a game in a folder, with its playlists still to be written.
fn folder_candidate(game: &Ranked, generated: &Path, style: TitleStyle) -> Candidate {
    let entries = || std::iter::once(&game.best).chain(&game.others);
    let path = |entry: &Entry| match entry {
        Entry::Single(game_file) => game_file.file.path(),
        Entry::Discs(group) => playlists::foresee(generated, group),
    };
    let programs = game.best.app().map(|app| app.others.clone()).unwrap_or_default();
    let versions = entries().map(path).chain(programs).collect();
    let located = Located { entry: &game.best, versions };
    let record = rows::record(&located, &BTreeMap::new(), style);
    let file = match &game.best {
        Entry::Single(game_file) => game_file.discs.first().unwrap_or(&game_file.file),
        Entry::Discs(group) => &group.discs[0],
    };
    let lists = entries().enumerate().filter_map(|(version, entry)| match entry {
        Entry::Single(_) => None,
        Entry::Discs(group) => {
            Some(Playlist { version, title: group.title.clone(), discs: entry.disc_paths() })
        }
    });
    let playlists = lists.collect();
    Candidate { playlists, ..plain(record, Some(file.extension)) }
}

/// The candidate of a single file; `None` for a path without a name, and for an entry of a menu that
/// starts nothing.
fn file_candidate(
    tree: &dyn Tree,
    path: &str,
    systems: &FolderSystems,
    style: TitleStyle,
) -> Option<Candidate> {
    let name = path.rsplit('/').next().filter(|name| !name.is_empty())?;
    let system = systems.of_file(path, NEAR_FOLDERS);
    let extension = extensions::find(name.as_bytes());
    let platform =
        extension.map_or(extensions::UNKNOWN_PLATFORM, |known| System::platform_of(system, known));
    let mut record = rows::of_single_file(name, platform, path, style);
    if extension.is_some_and(|known| known.suffix == apps::DESKTOP) {
        let app = apps::entry(tree, path, true)?;
        record.set("name", app.title);
        record.set("launch", app.launch);
        record.set("platform", system.map_or(apps::LINUX, |_| platform));
    }
    Some(plain(record, extension))
}

fn plain(record: Record, extension: Option<&'static Extension>) -> Candidate {
    let suffix = extension.map_or("", |extension| extension.suffix);
    let is_program = SELF_STARTING.contains(&suffix);
    let starts_itself =
        is_program && record.text("platform") != apps::DOS || !record.is_blank("launch");
    let open = [extensions::UNKNOWN_PLATFORM, extensions::DISC_IMAGE];
    // A file of unknown type is one that the user named; it stays what it is.
    let is_ambiguous =
        extension.is_some() && open.contains(&record.text("platform")) && !starts_itself;
    Candidate {
        record,
        is_file: true,
        extension: suffix.to_owned(),
        is_ambiguous,
        starts_itself,
        is_plain: true,
        ..Candidate::default()
    }
}
