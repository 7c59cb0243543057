//! Imports of real folders into a real library.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    os::unix::fs::symlink,
    path::{Path, PathBuf},
    sync::{Arc, Mutex},
    thread,
};

use serde_json::{Map, Value, json};

use super::{
    disk_tests::nasty_folder,
    folder::{BATCH, FolderImport, FolderRequest, ImportError, ImportOutcome, Placed},
    merge,
    rows::TitleStyle,
};
use crate::{
    base::Moment,
    config::data_dir::DataDir,
    definitions::bundled,
    files::{Files, testing},
    model::{Cause, Draft, Import, State},
    scan::{discs::Entry, extensions, references::GameFile, walk::FoundFile},
    store::{Options, Store},
};

struct House {
    _guard: tempfile::TempDir,
    base: PathBuf,
    data: DataDir,
    files: Files,
    store: Store,
}

impl House {
    fn new() -> Self {
        let guard = tempfile::tempdir().expect("temporary folder");
        let base = fs::canonicalize(guard.path()).expect("real path");
        let data = DataDir::at(base.join("data"));
        let store = Store::open(Options::at(data.root())).expect("a library");
        Self { _guard: guard, base, data, files: Files::system(), store }
    }

    fn put(&self, names: &[impl AsRef<Path>]) {
        for name in names {
            testing::put(self.base.join(name), "x");
        }
    }

    fn try_import(&self, folder: &str) -> Result<ImportOutcome, ImportError> {
        self.with(folder, |import, request| import.run(request, &Moment::from_unix(0)))
    }

    fn with<T>(
        &self,
        folder: &str,
        work: impl FnOnce(&FolderImport<'_>, &FolderRequest) -> T,
    ) -> T {
        let (store, files, data) = (&self.store, &self.files, &self.data);
        let request =
            FolderRequest { folder: folder.to_owned(), chosen_emulators: BTreeMap::new() };
        let catalog = bundled::catalog();
        work(
            &FolderImport { store, files, data, catalog: &catalog, home: Some(&self.base) },
            &request,
        )
    }

    fn import(&self, folder: impl AsRef<Path>) -> (usize, usize) {
        let path = self.base.join(folder);
        let outcome = self.try_import(path.to_str().expect("UTF-8")).expect("imported");
        (outcome.added, outcome.found)
    }

    fn paths(&self) -> Vec<String> {
        let state = self.store.snapshot().expect("a state");
        state.games.iter().map(|game| game.path().to_owned()).collect()
    }
}

#[test]
fn a_folder_of_nasty_names_is_imported_exactly_once() {
    let house = House::new();
    let nasty = nasty_folder();
    let root = nasty.root.to_str().expect("UTF-8");
    let outcome = house.try_import(root).expect("imported");
    assert_eq!((outcome.added, outcome.found), (nasty.games.len(), nasty.games.len()));
    let of_types: usize = outcome.skipped_types.values().sum();
    assert_eq!(outcome.skipped - of_types, nasty.uncountable);
    let expected: BTreeSet<String> =
        nasty.games.iter().map(|name| format!("{root}/{name}")).collect();
    assert_eq!(house.paths().into_iter().collect::<BTreeSet<_>>(), expected);
    let again = house.try_import(root).expect("imported");
    assert_eq!((again.added, again.found), (0, nasty.games.len()));
    assert_ne!(again.import_batch_id, outcome.import_batch_id);
    house.store.close();
    let store = Store::open(Options::at(house.data.root())).expect("a library");
    let state = store.snapshot().expect("a state");
    let stored: BTreeSet<&str> = state.games.iter().map(|game| game.path()).collect();
    assert_eq!(stored, expected.iter().map(String::as_str).collect());
    for game in state.games.iter() {
        assert_eq!(game.record().text("import_batch_id"), outcome.import_batch_id);
        assert!(Path::new(game.path()).is_file());
    }
}

#[test]
fn more_than_one_batch_arrives_in_order() {
    let house = House::new();
    let names: Vec<String> = (0..4_500).map(|n| format!("roms/Game {n:05}.nes")).collect();
    house.put(&names);
    let commits = Arc::new(Mutex::new(Vec::new()));
    let told = Arc::clone(&commits);
    house.store.watch(Box::new(move |change| {
        told.lock().expect("whole").push(change.ops.len());
    }));
    assert_eq!(house.import("roms"), (4_500, 4_500));
    // No commit holds more than one batch of rows, whatever the folder holds, and the note of its import.
    assert_eq!(*commits.lock().expect("whole"), [BATCH + 1, BATCH + 1, 501]);
    let expected: Vec<String> =
        names.iter().map(|name| house.base.join(name).display().to_string()).collect();
    assert_eq!(house.paths(), expected);
    assert_eq!(house.import("roms"), (0, 4_500));
}

#[test]
fn an_import_names_its_causes() {
    let house = House::new();
    house.put(&["roms/A.nes".to_owned()]);
    let causes = Arc::new(Mutex::new(Vec::new()));
    let named = Arc::clone(&causes);
    house.store.watch_with_reports(Box::new(move |change| {
        named.lock().expect("whole").push(change.cause.clone());
    }));
    let folder = house.base.join("roms").display().to_string();
    house.try_import(&folder).expect("imported");
    let again = house
        .with(&folder, |import, request| import.run_and_report(request, &Moment::from_unix(0)));
    assert_eq!(again.expect("imported").found, 1);
    let source = "folder".to_owned();
    let ended = Import { source, found: 1, added: 0, changed: Vec::new() };
    let real = house.base.join("roms").canonicalize().expect("real").display().to_string();
    let scanned = |added| Cause::Scanned { folder: real.clone(), added, scanned: 1 };
    let expected = [Cause::FilesFound, scanned(1), scanned(0), Cause::Imported(ended)];
    assert_eq!(*causes.lock().expect("whole"), expected);
}

#[test]
fn imports_at_the_same_time_add_each_game_once() {
    let house = House::new();
    house.put(&(0..200).map(|n| format!("roms/Game {n}.nes")).collect::<Vec<_>>());
    house.put(&["roms/Epic CD1.iso", "roms/Epic CD2.iso"]);
    let added: usize = thread::scope(|scope| {
        let imports: Vec<_> = (0..4).map(|_| scope.spawn(|| house.import("roms").0)).collect();
        imports.into_iter().map(|import| import.join().expect("imported")).sum()
    });
    assert_eq!(added, 201);
    let paths = house.paths();
    assert_eq!(paths.len(), 201);
    assert!(paths.contains(&house.base.join("roms/Epic.m3u").display().to_string()));
    assert!(!house.data.generated().exists());
}

#[test]
fn the_own_folder_is_left_out_unless_it_is_asked_for() {
    let house = House::new();
    house.put(&["Game.nes", "data/cache/archives/x/Extracted.nes"]);
    assert_eq!(house.import(""), (1, 1));
    assert_eq!(house.import("data/cache"), (1, 1));
}

#[test]
fn a_folder_has_one_name_however_it_is_reached() {
    let house = House::new();
    house.put(&["roms/A.nes"]);
    symlink(house.base.join("roms"), house.base.join("link")).expect("link");
    assert_eq!(house.import("link"), (1, 1));
    assert_eq!(house.import("roms"), (0, 1));
    assert_eq!(house.import("roms/../roms/./"), (0, 1));
    for spelling in ["~/roms", "~/roms/", " ~/roms\n"] {
        let outcome = house.try_import(spelling).expect("imported");
        assert_eq!((outcome.added, outcome.found), (0, 1), "{spelling:?}");
    }
    assert_eq!(house.try_import("~").expect("imported").added, 0);
    assert_eq!(house.paths(), [house.base.join("roms/A.nes").display().to_string()]);
}

#[test]
fn a_folder_name_may_end_in_a_blank() {
    let house = House::new();
    house.put(&["roms /A.nes", "roms/B.nes"]);
    house.import("roms ");
    assert_eq!(house.paths(), [house.base.join("roms /A.nes").display().to_string()]);
}

#[test]
fn what_is_no_folder_is_refused() {
    let house = House::new();
    house.put(&["file.nes"]);
    for folder in ["roms", "/no/such", "~/none", "~other", "/a\0b"] {
        let refused = house.try_import(folder);
        assert!(matches!(refused, Err(ImportError::UnknownFolder(_))), "{folder:?}");
    }
    let file = house.base.join("file.nes");
    let refused = house.try_import(file.to_str().expect("UTF-8"));
    assert!(matches!(refused, Err(ImportError::UnknownFolder(_))));
}

#[test]
fn a_closed_library_refuses_everything() {
    let house = House::new();
    house.put(&["roms/A.nes"]);
    house.store.close();
    let refused = house.try_import("~/roms");
    assert!(matches!(refused, Err(ImportError::Commit(_) | ImportError::Unavailable(_))));
}

#[track_caller]
fn body(value: Value) -> Map<String, Value> {
    value.as_object().expect("an object").clone()
}

#[test]
fn requests_are_read_strictly() {
    let read =
        FolderRequest::read(&body(json!({"folder": " /r ", "chosen_emulators": {"NES": "x"}})));
    let read = read.expect("read");
    assert_eq!(read.folder, " /r ");
    assert_eq!(read.chosen_emulators, BTreeMap::from([("NES".to_owned(), "x".to_owned())]));
    for bad in [json!({}), json!({"folder": null}), json!({"folder": "\t"}), json!({"folder": 3})] {
        assert!(matches!(FolderRequest::read(&body(bad)), Err(ImportError::NoFolder)));
    }
    let bad = FolderRequest::read(&body(json!({"folder": "/r", "chosen_emulators": []})));
    assert!(matches!(bad, Err(ImportError::BadChoices)));
}

#[test]
fn rows_are_compared_with_the_newest_state() {
    let game = |name: &&str| {
        let extension = extensions::find(name.as_bytes()).expect("a known file");
        let file = FoundFile {
            folder: "/r".into(),
            name: (*name).into(),
            extension,
            platform: "NES",
            is_certain: true,
        };
        let versions = vec![file.path()];
        Placed { entry: Entry::Single(GameFile::of(file)), versions, written: Vec::new() }
    };
    let mut draft = Draft::new(State::default());
    let mut add = |names: &[&str]| {
        let games =
            names.iter().map(|name| game(name).incoming(&BTreeMap::new(), TitleStyle::Clean));
        merge::add_new(&mut draft, games, &Moment::from_unix(0), "b").expect("added").added.len()
    };
    assert_eq!(add(&["a.nes", "b.nes", "a.nes"]), 2);
    assert_eq!(add(&["b.nes", "c.nes"]), 1);
    let paths: Vec<&str> = draft.state().games.iter().map(|game| game.path()).collect();
    assert_eq!(paths, ["/r/a.nes", "/r/b.nes", "/r/c.nes"]);
}
