//! The thread of automatic imports. It scans folders every ten seconds. Stores follow at intervals that grow up to a
//! minute while they have nothing new, and the library server at intervals of up to five minutes.
//!
//! Scanning an unchanged folder costs one `stat` for each folder in it; reading a store may start a
//! program. Without a source it sleeps without a timer until the settings change.

use std::{
    collections::{HashMap, HashSet},
    io, slice,
    sync::Arc,
    time::Duration,
};

use crate::{
    base::{Workers, priority, workers::Signal},
    emulators::scan,
    imports::folder,
    model::{State, changes_settings},
    store::watch::Change,
    storefronts::catalog::Source,
};

use super::{
    fingerprint,
    pass::{self, ImportContext, ImportSummary},
};

/// The pause between two scans of folders.
const SHORT: Duration = Duration::from_secs(10);
/// The most scans of folders for one of the stores, and for one of the library server.
const MOST_SKIPPED: u32 = 6;
const MOST_SKIPPED_SERVER: u32 = 30;
/// The longest pause while the library cannot be read.
const UNREADABLE: Duration = Duration::from_mins(5);

/// The running worker.
pub struct Watcher {
    signal: Arc<Signal>,
    workers: Workers,
}

impl Watcher {
    /// Starts the worker.
    ///
    /// # Errors
    /// When the system cannot start a thread.
    pub fn start(context: ImportContext) -> io::Result<Arc<Self>> {
        let (signal, workers) = (Arc::new(Signal::default()), Workers::default());
        let store = context.store.clone();
        let worker = Worker {
            context,
            signal: Arc::clone(&signal),
            known: HashMap::new(),
            stores: Turns::new(MOST_SKIPPED),
            server: Turns::new(MOST_SKIPPED_SERVER),
        };
        workers.spawn("auto-import", move || {
            priority::step_back();
            worker.run();
        })?;
        let waker = Arc::clone(&signal);
        store.watch(Box::new(move |change: &Change| {
            if changes_settings(&change.ops) {
                waker.wake();
            }
        }));
        Ok(Arc::new(Self { signal, workers }))
    }

    /// Ends the worker and waits for the pass it is in.
    pub fn stop(&self) {
        self.signal.stop();
        self.workers.join();
    }
}

/// When something is due that has less of a hurry than folders.
#[derive(Debug)]
struct Turns {
    /// Scans of folders until the next one.
    left: u32,
    /// How many there were before the last.
    pause: u32,
    most: u32,
}

impl Turns {
    fn new(most: u32) -> Self {
        Self { left: 0, pause: 0, most }
    }

    /// Whether it is due at this scan.
    fn is_due(&mut self) -> bool {
        let is_due = self.left == 0;
        self.left = self.left.saturating_sub(1);
        is_due
    }

    /// Plans the next one: soon after something new, else after twice the pause.
    fn plan(&mut self, has_news: bool) {
        self.pause = if has_news { 1 } else { (self.pause * 2).clamp(1, self.most) };
        self.left = self.pause - 1;
    }
}

struct Worker {
    context: ImportContext,
    signal: Arc<Signal>,
    /// The entries of folders at their last import that succeeded.
    known: HashMap<String, Option<u64>>,
    stores: Turns,
    server: Turns,
}

impl Worker {
    fn run(mut self) {
        let mut pause = SHORT;
        loop {
            let is_wanted = self.is_wanted();
            if !is_wanted {
                if !self.signal.wait() {
                    return;
                }
                // The first scan comes after a pause, so that the client that made the settings can ask for it.
                continue;
            }
            // New settings do not shorten the pause: several edits in a row get one pass.
            if !self.signal.sleep(pause) {
                return;
            }
            pause = match self.context.store.snapshot() {
                Err(_) => (pause * 2).min(UNREADABLE),
                Ok(state) => {
                    if is_configured(&state) {
                        self.pass(&state);
                    }
                    SHORT
                }
            };
        }
    }

    /// Whether there is anything to scan. A library that cannot be read may become readable.
    fn is_wanted(&self) -> bool {
        self.context.store.snapshot().map_or(true, |state| is_configured(&state))
    }

    /// One pass over what is due.
    fn pass(&mut self, state: &Arc<State>) {
        let mut found = ImportSummary::default();
        let configs = scan::configs(state).into_iter().filter(|config| config.auto_update);
        let configs: Vec<_> = configs.collect();
        let folders = pass::watch_folders(state);
        let wanted = folders.iter().chain(configs.iter().map(|config| &config.folder));
        let mut changed = self.changed(wanted.cloned().collect());
        let due = |folder: &str| changed.contains_key(folder);
        let mut failed: HashSet<&str> = HashSet::new();
        for folder in folders.iter().filter(|folder| due(folder)) {
            let import =
                |found: &mut _| self.context.import_folders(slice::from_ref(folder), found);
            if !succeeds(&mut found, import) {
                failed.insert(folder);
            }
        }
        for config in configs.iter().filter(|config| due(&config.folder)) {
            if !succeeds(&mut found, |found| self.context.scan_emulator(config, found)) {
                failed.insert(&config.folder);
            }
        }
        // What failed counts as changed at the next pass too.
        changed.retain(|folder, _| !failed.contains(folder.as_str()));
        self.known.extend(changed);
        if self.stores.is_due() {
            let before = found.added;
            self.context.import_stores(&pass::stores(state), &mut found);
            self.stores.plan(found.added > before);
        }
        if pass::is_automatic(state, Source::LibraryServer) && self.server.is_due() {
            let before = found.added;
            let goes_on = || !self.signal.is_stopped();
            self.context.import_library_server(state, &goes_on, &mut found);
            self.server.plan(found.added > before);
        }
        for error in &found.errors {
            log::info!("automatic import: {error}");
        }
        if found.added > 0 {
            found.report("auto-import", &self.context.store);
        }
    }

    /// Those of the folders that have other entries than at their last import that succeeded, with what
    /// tells their entries now; all of them at first.
    fn changed(&mut self, folders: HashSet<String>) -> HashMap<String, Option<u64>> {
        self.known.retain(|folder, _| folders.contains(folder));
        let home = &self.context.home;
        let now = |folder: &str| fingerprint::of(&folder::expand_home(folder, Some(home)));
        folders
            .into_iter()
            .map(|folder| (now(&folder), folder))
            .filter(|(now, folder)| now.is_none() || self.known.get(folder) != Some(now))
            .map(|(now, folder)| (folder, now))
            .collect()
    }
}

/// Whether an import adds no error.
fn succeeds(found: &mut ImportSummary, import: impl FnOnce(&mut ImportSummary)) -> bool {
    let before = found.errors.len();
    import(found);
    found.errors.len() == before
}

fn is_configured(state: &State) -> bool {
    !pass::watch_folders(state).is_empty()
        || !pass::stores(state).is_empty()
        || pass::is_automatic(state, Source::LibraryServer)
        || scan::configs(state).iter().any(|config| config.auto_update)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::{
        config::{data_dir::DataDir, environment::Environment},
        definitions::loader::Definitions,
        files::{
            Files,
            failing::{FailingDisk, Fault},
        },
        store::{Options, Store},
    };

    #[test]
    fn what_brings_nothing_new_is_due_less_and_less_often() {
        let mut turns = Turns::new(4);
        let mut scans = |count: usize, has_news: bool| -> String {
            let mut due = |_| {
                let is_due = turns.is_due();
                if is_due {
                    turns.plan(has_news);
                }
                if is_due { 'x' } else { '.' }
            };
            (0..count).map(&mut due).collect()
        };
        assert_eq!(scans(12, false), "xx.x...x...x");
        assert_eq!(scans(6, true), "...xxx");
    }

    #[test]
    fn a_folder_whose_import_failed_is_imported_at_the_next_pass() {
        let home = tempfile::tempdir().expect("a folder");
        let (data, roms) = (DataDir::at(home.path().join("data")), home.path().join("roms"));
        fs::create_dir_all(roms.join("nes")).expect("made");
        fs::write(roms.join("nes/Alpha.nes"), b"x").expect("written");
        let disk = Arc::new(FailingDisk::new(1, Fault::Torn));
        disk.arm(false);
        let files = Files::over(Arc::<FailingDisk>::clone(&disk));
        let options =
            Options { files, debounce: Duration::from_hours(1), ..Options::at(data.root()) };
        let store = Store::open(options).expect("opens");
        let settings = json!({"watch_folders": [roms.to_str()]});
        store
            .commit(|draft| {
                draft.set_section("settings", settings);
                Ok::<_, ()>(())
            })
            .expect("committed");
        let context = ImportContext {
            store: store.clone(),
            files: Files::system(),
            definitions: Arc::new(Definitions::new(Files::system(), data.emulator_definitions())),
            data,
            home: home.path().to_owned(),
            environment: Environment::default(),
        };
        let mut worker = Worker {
            context,
            signal: Arc::default(),
            known: HashMap::new(),
            stores: Turns::new(MOST_SKIPPED),
            server: Turns::new(MOST_SKIPPED_SERVER),
        };
        let mut games_after_a_pass = || {
            worker.pass(&store.snapshot().expect("readable"));
            store.snapshot().expect("readable").games.len()
        };
        disk.arm(true);
        assert_eq!(games_after_a_pass(), 0);
        assert!(disk.has_failed());
        assert_eq!(games_after_a_pass(), 1);
        assert!(worker.changed([roms.to_str().expect("text").to_owned()].into()).is_empty());
    }
}
