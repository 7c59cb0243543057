//! The thread of automatic imports. It scans folders every ten seconds, and stores at intervals that
//! grow up to a minute while they have nothing new.
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
    model::{Op, State},
    store::watch::Change,
};

use super::{
    fingerprint,
    pass::{self, ImportContext, ImportSummary},
};

/// The pause between two scans of folders.
const SHORT: Duration = Duration::from_secs(10);
/// The most scans of folders for one of the stores.
const MOST_SKIPPED: u32 = 6;
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
        let worker =
            Worker { context, signal: Arc::clone(&signal), known: HashMap::new(), stores: (0, 0) };
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

struct Worker {
    context: ImportContext,
    signal: Arc<Signal>,
    known: HashMap<String, Option<u64>>,
    /// Scans of folders until the next one of the stores, and how many there were before the last.
    stores: (u32, u32),
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
    fn pass(&mut self, state: &State) {
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
        if self.stores.0 == 0 {
            let before = found.added;
            self.context.import_stores(&pass::stores(state), &mut found);
            let pause =
                if found.added > before { 1 } else { (self.stores.1 * 2).clamp(1, MOST_SKIPPED) };
            self.stores = (pause, pause);
        }
        self.stores.0 -= 1;
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

/// Whether a change may have touched the settings; without ops the whole state is another.
fn changes_settings(ops: &[Op]) -> bool {
    ops.is_empty()
        || ops.iter().any(|op| match op {
            Op::Section(key, _) | Op::Merge { key, .. } => key == "settings",
            Op::Put(_)
            | Op::Add(..)
            | Op::Rename { .. }
            | Op::Remove(_)
            | Op::Note(_)
            | Op::Splice { .. } => false,
        })
}

fn is_configured(state: &State) -> bool {
    !pass::watch_folders(state).is_empty()
        || !pass::stores(state).is_empty()
        || scan::configs(state).iter().any(|config| config.auto_update)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;
    use crate::{
        config::data_dir::DataDir,
        definitions::keeper::Definitions,
        files::{
            Files,
            failing::{FailingDisk, Fault},
        },
        store::{Options, Store},
    };

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
        };
        let (signal, known) = (Arc::default(), HashMap::new());
        let mut worker = Worker { context, signal, known, stores: (0, 0) };
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
