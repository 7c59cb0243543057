//! Processes the rows of a list one after the other: the places of their games, their outcome, and rows that wait for
//! others.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    path::Path,
};

use serde_json::json;
use sha2::{Digest as _, Sha256};

use super::{
    error::MigrationError,
    list::{List, Part, Read},
    merge::{Action, Operation, Planner},
    paths::{self, RealFolders},
    pictures::PictureCopier,
};
use crate::{
    base::ids,
    formats::xml_rows::{self, Row},
    imports::known,
    model::{Record, State},
};

/// Elements of a row that name its file.
const PATHS: [&str; 2] = ["path", "applicationpath"];
/// Errors that are reported.
const ERRORS: usize = 200;

/// The rows of a list.
#[derive(Default)]
pub(super) struct Rows {
    pub(super) total: usize,
    pub(super) malformed: usize,
    pub(super) errors: Vec<String>,
    pub(super) strange: BTreeMap<String, usize>,
    pub(super) emulators: BTreeSet<String>,
    /// Names of emulators by their ids.
    pub(super) emulator_names: BTreeMap<String, String>,
    pub(super) added: usize,
    pub(super) merged: usize,
    pub(super) skipped: usize,
    pub(super) excluded: usize,
    pub(super) changed: usize,
    /// The first ones.
    pub(super) operations: Vec<Operation>,
    /// Pictures outside of the approved folders.
    pub(super) outside: BTreeSet<String>,
}

impl Rows {
    fn take(&mut self, read: Read, operation: Operation, most: usize) {
        for name in read.strange {
            *self.strange.entry(name).or_default() += 1;
        }
        if !read.emulator.is_empty() {
            self.emulators.insert(read.emulator);
        }
        let count = match operation.action {
            Action::Add => &mut self.added,
            Action::Merge => &mut self.merged,
            Action::Skip => &mut self.skipped,
            Action::Exclude => &mut self.excluded,
        };
        *count += 1;
        self.changed += usize::from(!operation.changes.is_empty());
        if self.operations.len() < most {
            self.operations.push(operation);
        }
    }

    /// Games but for those that are excluded.
    pub(super) fn found(&self) -> usize {
        self.added + self.merged + self.skipped
    }
}

impl List {
    /// The discs of all playlists that are rows of the list.
    fn discs(&self, place: &mut Placer<'_>) -> Result<HashSet<String>, MigrationError> {
        let mut discs = HashSet::new();
        for part in &self.parts {
            let mut enter = |written: &str, source: &str| {
                if paths::is_playlist(written) {
                    let path = paths::resolve(written, &self.options, &part.layout, &self.home);
                    let mut record = Record::default();
                    record.set("path", path);
                    record.set("source", source);
                    place.settle(&mut record, &part.layout.root);
                    discs.extend(paths::discs_of(record.text("path")));
                }
            };
            if let Some(games) = &part.others {
                for game in games {
                    enter(game.text("path"), game.text("source"));
                }
            } else if paths::names_playlist(&part.text) {
                let source = self.kind.source;
                let mut row = |row: Row| enter(row.first(&PATHS), source);
                xml_rows::each(&part.text, self.kind.shape, &mut row)?;
            }
        }
        Ok(discs)
    }
}

/// Gives rows the paths that imports of their folders have.
struct Placer<'a> {
    /// The paths of the library.
    known: BTreeSet<&'a str>,
    folders: RealFolders,
}

impl Placer<'_> {
    /// A folder that was imported is known by its real path, and a folder that is one game by the file that
    /// starts it. `root` is the folder of the list's system, which is not a game.
    fn settle(&mut self, record: &mut Record, root: &Path) {
        let path = record.text("path");
        let is_root = Path::new(path) == root;
        if let Some(real) = self.folders.real(path).filter(|_| !self.known.contains(path)) {
            record.set("path", real);
        }
        if !is_root
            && known::is_of_list(record)
            && let Some(file) = paths::file_of_folder(record.text("path"), &self.known)
        {
            record.set("path", file);
        }
    }
}

/// Takes the rows of a list one after the other.
pub(super) struct Sorter<'a> {
    state: &'a State,
    copier: &'a PictureCopier<'a>,
    planner: Planner<'a>,
    place: Placer<'a>,
    copies: bool,
    most: usize,
    pub(super) rows: Rows,
    /// The list of all games as JSON, piece by piece.
    games: Sha256,
    /// Identities of favourites.
    favorites: HashSet<String>,
    /// Files that a playlist of the list names.
    of_playlists: HashSet<String>,
    /// Rows of such files wait until the playlists are known.
    waiting: Vec<Read>,
    /// Rows of single discs wait until all rows of their games are known.
    discs: Vec<(Read, Operation)>,
    /// How many rows became a part of each game.
    merges: HashMap<String, usize>,
}

impl<'a> Sorter<'a> {
    pub(super) fn new(
        list: &'a List,
        state: &'a State,
        copier: &'a PictureCopier<'a>,
        most: usize,
    ) -> Result<Self, MigrationError> {
        let known = state.games.iter().map(|game| game.path()).collect();
        let mut place = Placer { known, folders: RealFolders::default() };
        let of_playlists = list.discs(&mut place)?;
        let mut planner = Planner::new(state, &list.options, list.kind.policy);
        for part in &list.parts {
            planner.close(&part.layout.root);
        }
        let errors = list.left_out.iter().take(ERRORS).cloned().collect();
        Ok(Self {
            state,
            copier,
            planner,
            place,
            copies: list.options.copies_media,
            most,
            rows: Rows { errors, ..Rows::default() },
            games: Sha256::new(),
            favorites: list.favorites(),
            of_playlists,
            waiting: Vec::new(),
            discs: Vec::new(),
            merges: HashMap::new(),
        })
    }

    /// Takes the next row of a part of the list, before which `before` rows were taken.
    pub(super) fn take(&mut self, read: Result<Read, &'static str>, part: &Part, before: usize) {
        let rows = &mut self.rows;
        rows.total += 1;
        let mut read = match read {
            Ok(read) => read,
            Err(why) => {
                rows.malformed += 1;
                if rows.errors.len() < ERRORS {
                    let number = rows.total - before;
                    rows.errors.push(format!("{}Game row {number}: {why}", part.label));
                }
                return;
            }
        };
        let record = &mut read.incoming.record;
        self.place.settle(record, &part.layout.root);
        if record.texts("discs").next().is_none() {
            let discs = paths::discs_of(record.text("path"));
            if !discs.is_empty() {
                record.set("discs", discs);
            }
        }
        if self.favorites.contains(record.text("source_identity")) {
            record.set("favorite", true);
        }
        let is_first = rows.total - rows.malformed == 1;
        self.games.update(if is_first { "[" } else { "," });
        self.games.update(json!(record).to_string());
        if self.of_playlists.contains(record.text("path")) {
            self.waiting.push(read);
        } else {
            self.decide(read);
        }
    }

    fn decide(&mut self, read: Read) {
        let (operation, is_disc) = self.planner.decide(&read.incoming);
        if let Some(id) = &operation.target_game_id {
            *self.merges.entry(id.clone()).or_default() += 1;
        }
        if is_disc {
            self.discs.push((read, operation));
        } else {
            self.keep(read, operation);
        }
    }

    fn keep(&mut self, read: Read, mut operation: Operation) {
        self.copier.enter(&mut operation, self.state, self.copies, &mut self.rows.outside);
        self.rows.take(read, operation, self.most);
    }

    /// All rows, and the digest of the games.
    pub(super) fn finish(mut self) -> (Rows, String) {
        for read in std::mem::take(&mut self.waiting) {
            self.decide(read);
        }
        for (read, operation) in std::mem::take(&mut self.discs) {
            let of_game = operation.target_game_id.as_ref().and_then(|id| self.merges.get(id));
            let operation = operation.of_disc(of_game == Some(&1));
            self.keep(read, operation);
        }
        self.games.update(if self.rows.total == self.rows.malformed { "[]" } else { "]" });
        (self.rows, ids::hex(&self.games.finalize()))
    }
}
