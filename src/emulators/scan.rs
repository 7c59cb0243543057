//! Games in a folder that belongs to emulators: every file whose extension a definition takes, but for
//! the tracks of a cue sheet.
//!
//! Also the stored scan configurations, one for each folder. Serves `/api/emulators/scan` and
//! `/api/emulators/scan-configs`.

use std::{
    collections::HashSet,
    path::{Path, PathBuf},
};

use serde_json::{Map, Value, json};

use crate::{
    base::schema::schema,
    formats::cue,
    imports::{
        Incoming, folder, loose,
        rows::{self, TitleStyle},
    },
    model::{
        Draft, Record, State,
        emulators::{Catalog, Definition},
    },
    scan::{
        Tree,
        references::{PathIndex, SHEET_BYTES},
        walk,
    },
    store::{Committed, Store},
};

/// The key of the settings that holds the configurations.
const KEY: &str = "emulator_scan_configs";

/// The games below a folder. Each file goes to the first definition that takes its extension,
/// among those of `emulator` (a definition or package id) when it names any; its title follows the
/// style.
pub fn games(
    tree: &dyn Tree,
    root: &str,
    catalog: &Catalog,
    emulator: &str,
    style: TitleStyle,
) -> Vec<Incoming> {
    // The extended pack claims only files of a scan that names a definition of it, or an emulator that
    // only it has.
    let is_known = catalog.apps().iter().any(|app| app.id == emulator);
    let extended = catalog.extended().iter();
    let extended = extended.filter(|row| row.id == emulator || !is_known && row.app.id == emulator);
    let definitions = catalog.definitions().iter().chain(extended).map(AsRef::as_ref);
    let wanted: Vec<&Definition> = definitions
        .filter(|row| emulator.is_empty() || row.id == emulator || row.app.id == emulator)
        .collect();
    let owner = |name: &str| {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase())?;
        wanted.iter().find(|row| row.extensions.contains(&ending)).copied()
    };
    let files = loose::files(tree, root, walk::DEPTH, |name| owner(name).is_some());
    let tracks = tracks(tree, &files);
    let files = files.iter().enumerate().filter(|(at, _)| !tracks.contains(at));
    let found =
        files.map(|(_, file)| file).filter_map(|(folder, name)| Some((folder, name, owner(name)?)));
    found.map(|(folder, name, row)| incoming(folder, name, row, style)).collect()
}

/// The places of the files that the cue sheets among these name: a track is a part of its disc and no
/// game.
fn tracks(tree: &dyn Tree, files: &[(String, String)]) -> HashSet<usize> {
    let is_sheet = |name: &str| name.to_ascii_lowercase().ends_with(".cue");
    let index = PathIndex::of(files.iter().map(|(folder, name)| walk::join(folder, name)));
    let sheets = files.iter().filter(|(_, name)| is_sheet(name));
    sheets
        .flat_map(|(folder, name)| {
            let path = walk::join(folder, name);
            let bytes = tree.read_start(Path::new(&path), SHEET_BYTES).unwrap_or_default();
            let named = cue::files(&bytes).into_iter().filter(|entry| !is_sheet(entry));
            named.filter_map(|entry| index.find(folder, &entry)).collect::<Vec<_>>()
        })
        .collect()
}

fn incoming(folder: &str, name: &str, row: &Definition, style: TitleStyle) -> Incoming {
    let label = row.label.clone();
    let mut record = Record::default();
    for (key, value) in [
        ("platform", row.platform.as_str()),
        ("path", &walk::join(folder, name)),
        ("source", &label),
        ("emulator_def", &row.id),
        ("emulator_id", &row.app.id),
    ] {
        record.set(key, value);
    }
    rows::set_name(&mut record, name, style);
    Incoming { record, label, is_file: true, ..Incoming::default() }
}

schema! {
    /// One stored configuration.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct ScanConfig {
        /// Whether the folder is scanned by itself.
        pub auto_update: bool,
        /// The package id of an emulator or the id of a definition.
        pub emulator_id: String,
        /// The folder, as the user wrote it.
        pub folder: String,
    }
}

/// A request without a folder or without an emulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a scan configuration names a folder and an emulator")]
pub struct Incomplete;

impl ScanConfig {
    /// Reads `{folder, emulator_id, auto_update?}`.
    ///
    /// # Errors
    /// [`Incomplete`] when the folder or the emulator is blank.
    pub fn read(body: &Map<String, Value>) -> Result<Self, Incomplete> {
        let field = |key: &str| body.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let read = Self {
            folder: field("folder").to_owned(),
            emulator_id: field("emulator_id").to_owned(),
            auto_update: body.get("auto_update").and_then(Value::as_bool).unwrap_or(false),
        };
        if read.folder.is_empty() || read.emulator_id.is_empty() {
            Err(Incomplete)
        } else {
            Ok(read)
        }
    }
}

/// The stored configurations; what is incomplete is skipped.
pub fn configs(state: &State) -> Vec<ScanConfig> {
    let stored = state.settings().get(KEY).and_then(Value::as_array);
    let stored = stored.into_iter().flatten().filter_map(Value::as_object);
    stored.filter_map(|config| ScanConfig::read(config).ok()).collect()
}

/// As [`save_config`], in one commit.
pub fn store_config(store: &Store, config: &ScanConfig, home: Option<&Path>) -> Committed<()> {
    store.change(|draft| save_config(draft, config, home))
}

/// Stores a configuration in place of those its folder has, however these spell it.
fn save_config(draft: &mut Draft, config: &ScanConfig, home: Option<&Path>) {
    let mut all = configs(draft.state());
    let own = place(&config.folder, home);
    let is_own = |known: &ScanConfig| place(&known.folder, home) == own;
    let at = all.iter().position(is_own).unwrap_or(all.len());
    all.retain(|known| !is_own(known));
    all.insert(at, config.clone());
    store_configs(draft, &all);
}

/// Where a folder is, by which configurations are compared: with the home folder spelled out, and without a
/// slash at its end.
fn place(folder: &str, home: Option<&Path>) -> PathBuf {
    folder::expand_home(folder.trim(), home).components().collect()
}

/// As [`remove_config`], in one commit.
pub fn delete_config(store: &Store, folder: &str, home: Option<&Path>) -> Committed<bool> {
    store.change(|draft| remove_config(draft, folder, home))
}

/// Forgets the configuration of a folder; whether there was one.
fn remove_config(draft: &mut Draft, folder: &str, home: Option<&Path>) -> bool {
    let mut all = configs(draft.state());
    let count = all.len();
    let own = place(folder, home);
    all.retain(|known| place(&known.folder, home) != own);
    let is_known = all.len() < count;
    if is_known {
        store_configs(draft, &all);
    }
    is_known
}

fn store_configs(draft: &mut Draft, all: &[ScanConfig]) {
    draft.merge_section("settings", Map::from_iter([(KEY.to_owned(), json!(all))]), &[]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scan::tree::memory::MemoryTree;

    #[test]
    fn tracks_of_a_sheet_are_no_games_however_they_are_spelled() {
        let mut tree = MemoryTree::default();
        tree.put("/r/a.cue", b"FILE \"Track 01.BIN\" BINARY\nFILE \"sub\\two.bin\" BINARY");
        let files = ["a.cue", "track 01.bin", "sub/Two.bin", "other.bin"];
        let files = files.map(|name| ("/r".to_owned(), name.to_owned()));
        assert_eq!(tracks(&tree, &files), HashSet::from([1, 2]));
    }

    #[test]
    fn a_configuration_is_one_for_a_folder() {
        let mut draft = Draft::new(State::default());
        let read = |value: Value| ScanConfig::read(value.as_object().expect("an object"));
        for value in
            [json!({}), json!({"folder": "/a"}), json!({"folder": " ", "emulator_id": "x"})]
        {
            assert_eq!(read(value), Err(Incomplete));
        }
        let home = Some(Path::new("/h"));
        let written = [
            ("~/a/", "x"),
            ("/b", "y"),
            ("/h/a", "v"),
            ("/h//a/./", "w"),
            ("/b/", "u"),
            ("~/a", "z"),
        ];
        for (folder, emulator) in written {
            let config =
                read(json!({"folder": folder, "emulator_id": emulator, "auto_update": true}));
            save_config(&mut draft, &config.expect("complete"), home);
        }
        let shown: Vec<_> = configs(draft.state())
            .into_iter()
            .map(|config| (config.folder, config.emulator_id))
            .collect();
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(shown, [pair("~/a", "z"), pair("/b/", "u")]);
        assert!(remove_config(&mut draft, "/h/a", home));
        assert!(!remove_config(&mut draft, "~/a", home));
        let left: Vec<_> = configs(draft.state()).into_iter().map(|each| each.folder).collect();
        assert_eq!(left, ["/b/"]);
    }
}
