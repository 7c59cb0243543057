//! The games a library holds, by everything that an incoming game can be recognised by.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use crate::{
    base::{text, text_map::TextMap},
    game::duplicates::{Identities, Register},
    model::{Record, State, inner_stores},
    platforms,
};

use super::incoming::{Incoming, Key, SetType};

/// Fields whose ids make a row one of a store: its path is the store's program.
const STORE_IDS: [&str; 5] =
    ["store_a_app_id", "store_b_app_id", "store_c_id", "libserver_id", "wrapper_id"];

/// The source of rows of lists of front ends.
pub const FRONTEND: &str = "frontend";
/// The source of rows of an older launcher's library.
pub const LEGACY: &str = "legacy";

/// How many folders above its file may stand for a game: `Title/code/title.rpx`.
const FOLDERS: usize = 3;
/// The core that also plays consoles whose cartridges are sets of an arcade.
const ARCADE_CORE: &str = "fbneo";
/// What addresses begin with that start a game of the first store, of the second and of the third.
const FIRST_STORE: &str = "steam://rungameid/";
const SECOND_STORE: &str = "heroic://launch";
const THIRD_STORE: &str = "lutris:rungameid/";

/// How incoming games of one kind are recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Matching {
    /// The identities that count.
    pub identities: Scope,
    /// The games of the library that are recognised by their path.
    pub paths: Paths,
}

/// Which identities count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// All, the titles of other stores and the keys of importers included.
    All,
    /// Only those with this prefix.
    Prefix(&'static str),
    /// None: games are recognised by their path alone.
    Nothing,
}

/// Which games of the library are recognised by their path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Paths {
    /// Those whose path is a file of their own, by games that are files too.
    Files,
    /// Those without an identity that counts.
    Unclaimed,
    /// All.
    All,
}

impl Matching {
    /// Stores, emulators, loose files and the setup.
    pub const RECORDS: Self = Self { identities: Scope::All, paths: Paths::Files };
    /// Folders.
    pub const FOLDERS: Self = Self { identities: Scope::Nothing, paths: Paths::All };
}

/// The games of a library and those that were merged since.
pub struct Known {
    matching: Matching,
    register: Register,
    /// How many games are known; new ones follow them.
    len: usize,
    paths: TextMap,
    /// The discs of games that are played from a playlist.
    discs: HashMap<String, usize>,
    /// Rows of lists that named a folder and have the file in it since.
    filled: HashSet<usize>,
    /// Games whose file is an archive and that are not a set of an arcade yet.
    archives: HashSet<usize>,
    keys: HashMap<Vec<String>, usize>,
    /// Folders that do not belong to one game.
    closed: HashSet<String>,
}

/// What a known game was recognised by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Way {
    /// Its identity.
    #[default]
    Identity,
    /// Its path, or discs that both have.
    Path,
    /// The incoming game is a file that the known one lists as a disc.
    Disc,
    /// The file of the incoming game lies in the folder that a list named for the known one.
    Folder,
    /// The file of the known game is the archive of the incoming set of an arcade.
    Set,
}

/// A game that is known already.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Match {
    /// Its position among everything that is known.
    pub position: usize,
    /// Whether it comes from another store and shares only the title.
    pub is_cross_store: bool,
    /// Whether its source names it the same way, or the incoming game is one of its discs: there is
    /// nothing to fill in.
    pub is_listed: bool,
    /// What it was recognised by.
    pub way: Way,
}

impl Known {
    /// The games of a library.
    pub fn new(state: &State, matching: Matching) -> Self {
        let mut known = Self {
            matching,
            register: Register::default(),
            len: state.games.len(),
            paths: TextMap::default(),
            discs: HashMap::new(),
            filled: HashSet::new(),
            archives: HashSet::new(),
            keys: HashMap::new(),
            closed: HashSet::new(),
        };
        for (position, game) in state.games.iter().enumerate() {
            // Reading a record takes far longer than looking at its path.
            if matching.identities == Scope::Nothing {
                known.enter_path(game.path(), position);
                continue;
            }
            let record = game.record();
            let identities = known.identities(&record);
            let has_path = match matching.paths {
                Paths::Files => is_file(&record),
                Paths::Unclaimed => identities.exact.is_empty(),
                Paths::All => true,
            };
            known.register.own(position, identities);
            if has_path {
                known.enter_path(record.text("path"), position);
            }
            for disc in record.texts("discs").filter(|disc| *disc != record.text("path")) {
                known.discs.entry(disc.to_owned()).or_insert(position);
            }
            if matching.identities == Scope::All {
                if has_path && may_be_set(&record) {
                    known.archives.insert(position);
                }
                for key in Key::ALL.iter().filter_map(|key| key_of(&record, *key)) {
                    known.keys.entry(key).or_insert(position);
                }
            }
        }
        known
    }

    /// Enters the path of a game; rows without one have nothing in common.
    fn enter_path(&mut self, path: &str, position: usize) {
        if !path.trim().is_empty() {
            self.paths.enter(path, position);
        }
    }

    fn identities(&self, record: &Record) -> Identities {
        match self.matching.identities {
            Scope::All => Identities::of(record),
            Scope::Nothing => Identities::default(),
            Scope::Prefix(prefix) => {
                let mut exact = Identities::of(record).exact;
                exact.retain(|identity| identity.starts_with(prefix));
                Identities { exact, title: None }
            }
        }
    }

    /// The known game that this one is; `state` is the library as it is now.
    pub fn find(&self, state: &State, game: &Incoming) -> Option<Match> {
        let record = &game.record;
        let is_one = |position| Match { position, ..Match::default() };
        let listed = key_of(record, game.key).and_then(|key| self.keys.get(&key));
        // Whatever a list of another program names is a file.
        let is_file = game.is_file || self.matching.identities != Scope::All;
        let disc = || self.discs.get(record.text("path")).filter(|_| is_file);
        let listed = listed.map(|position| (position, Way::Identity));
        if let Some((position, way)) = listed.or_else(|| Some((disc()?, Way::Disc))) {
            return Some(Match { is_listed: true, way, ..is_one(*position) });
        }
        if let Some(found) = self.register.find(&self.identities(record)) {
            let is_cross_store = found.is_cross_store;
            return Some(Match { is_cross_store, ..is_one(found.earlier) });
        }
        if is_whole_set(game) {
            let position = self.paths.get(record.text("path"))?;
            let found = Match { way: Way::Set, ..is_one(position) };
            return self.archives.contains(&position).then_some(found);
        }
        let by_path = self.matching.paths != Paths::Files || game.is_file;
        let of_disc = |disc| self.paths.get(disc).or_else(|| self.discs.get(disc).copied());
        self.paths
            .get(record.text("path"))
            .filter(|_| !record.is_blank("path"))
            .or_else(|| record.texts("discs").find_map(of_disc))
            .map(|position| Match { way: Way::Path, ..is_one(position) })
            .or_else(|| Some(Match { way: Way::Folder, ..is_one(self.in_listed(state, record)?) }))
            .filter(|_| by_path)
    }

    /// The row of a list that names a folder around the file of this game, as front ends do where a folder
    /// is one game.
    fn in_listed(&self, state: &State, record: &Record) -> Option<usize> {
        // A path of another system has no folder here.
        let path = Some(record.text("path")).filter(|path| path.starts_with('/'))?;
        let folders = Path::new(path).ancestors().skip(1).take(FOLDERS).filter_map(Path::to_str);
        folders.into_iter().find_map(|folder| {
            let ended = format!("{folder}/");
            let position = self.paths.get(folder).or_else(|| self.paths.get(&ended))?;
            // Another file of the folder may have become the file of the row.
            let row = state.games.get(position).filter(|_| !self.filled.contains(&position))?;
            let name = folder.rsplit('/').next().unwrap_or_default();
            let is_of_system = self.closed.contains(folder) || platforms::by_folder(name).is_some();
            let is_folder = row.path().trim_end_matches('/') == folder && !is_of_system;
            (is_folder && is_of_list(&row.record())).then_some(position)
        })
    }

    /// The position of the next game that is new.
    pub fn next_position(&self) -> usize {
        self.len
    }

    /// Marks a folder that does not belong to one game, whatever a list says: that of a system.
    pub fn close(&mut self, folder: &Path) {
        self.closed.extend(folder.to_str().map(str::to_owned));
    }

    /// The positions of the games that have one of these discs.
    pub fn owners(&self, discs: &[&str]) -> HashSet<usize> {
        discs
            .iter()
            .filter_map(|disc| self.paths.get(disc).or_else(|| self.discs.get(*disc).copied()))
            .collect()
    }

    /// From now on the game counts as known: as a part of the game it was matched with, else as a new
    /// one that follows all others.
    pub fn enter(&mut self, game: &Incoming, found: Option<Match>) {
        let owner = found.map_or(self.len, |found| found.position);
        if found.is_some_and(|found| found.way == Way::Folder) {
            // Another file of the folder is another game.
            self.filled.insert(owner);
        }
        self.len += usize::from(found.is_none());
        self.register.own(owner, self.identities(&game.record));
        if is_whole_set(game) {
            self.archives.remove(&owner);
        } else if found.is_none() && game.is_file && may_be_set(&game.record) {
            self.archives.insert(owner);
        }
        // A list names a file in every row.
        let is_of_list = matches!(self.matching.identities, Scope::Prefix(_));
        let has_path = is_of_list && self.matching.paths == Paths::All;
        if game.is_file || has_path || is_whole_set(game) {
            self.enter_path(game.record.text("path"), owner);
        }
        if is_of_list {
            for disc in game.record.texts("discs") {
                if disc != game.record.text("path") {
                    self.discs.entry(disc.to_owned()).or_insert(owner);
                }
            }
        }
        if let Some(key) = key_of(&game.record, game.key) {
            self.keys.entry(key).or_insert(owner);
        }
    }
}

/// The fields with the ids of a game in its store, as an address that starts it names them; none for any
/// other address.
pub fn ids_of_address(address: &str) -> Vec<(&'static str, String)> {
    if let Some(number) = address.strip_prefix(FIRST_STORE) {
        let number = number.trim_end_matches('/');
        let is_id =
            (1..=8).contains(&number.len()) && number.bytes().all(|byte| byte.is_ascii_digit());
        return if is_id { vec![(STORE_IDS[0], number.to_owned())] } else { Vec::new() };
    }
    if let Some(number) = address.strip_prefix(THIRD_STORE) {
        let is_id = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        return if is_id { vec![(STORE_IDS[2], number.to_owned())] } else { Vec::new() };
    }
    let Some(rest) = address.strip_prefix(SECOND_STORE) else { return Vec::new() };
    let (runner, id) = match rest.strip_prefix('?') {
        Some(query) => {
            let value = |key: &str| {
                let mut pairs = query.split('&').filter_map(|pair| pair.split_once('='));
                pairs.find(|(name, _)| *name == key).map_or("", |(_, value)| value)
            };
            (value("runner"), value("appName"))
        }
        None => rest.trim_matches('/').split_once('/').unwrap_or_default(),
    };
    let inner = inner_stores::of_runner(runner);
    match inner.filter(|_| !id.is_empty() && !id.contains(['/', '%', '?'])) {
        Some(inner) => {
            vec![(STORE_IDS[1], id.to_owned()), ("store_b_source", inner.name.to_owned())]
        }
        None => Vec::new(),
    }
}

/// Whether a row comes from a list of another program, where a folder may stand for the file in it.
pub fn is_of_list(row: &Record) -> bool {
    [FRONTEND, LEGACY].contains(&row.text("source"))
}

/// Whether a game is a set of an arcade with an archive of its own, and not one in that of its parent.
fn is_whole_set(game: &Incoming) -> bool {
    let kind = game.record.text("set_type");
    game.key == Key::RomName && !kind.is_empty() && kind != SetType::Merged.name()
}

/// Whether the file of a row is an archive that may turn out to be a set of an arcade: it is not a game of a
/// system without sets, no file inside an archive, and no set yet.
fn may_be_set(row: &Record) -> bool {
    let platform = row.text("platform");
    let is_archive = [".zip", ".7z"].iter().any(|ending| {
        let path = row.text("path");
        let start = path.len().saturating_sub(ending.len());
        path.get(start..).is_some_and(|end| end.eq_ignore_ascii_case(ending))
    });
    is_archive
        && row.is_blank("set_type")
        && row.is_blank("archive_member")
        && platforms::by_any_name(platform).is_none_or(|known| {
            known.kind == platforms::Kind::Arcade || known.cores.contains(&ARCADE_CORE)
        })
}

/// Whether the path of a row is its own file and not the program of a store.
pub fn is_file(record: &Record) -> bool {
    !record.is_blank("path") && STORE_IDS.iter().all(|key| record.shown(key).trim().is_empty())
}

/// The fields of a key and their values in a record, folded; `None` unless each has a value.
fn key_of(record: &Record, key: Key) -> Option<Vec<String>> {
    let fields = key.fields();
    let values = fields.iter().map(|field| text::fold(record.shown(field).trim()));
    let values: Vec<String> = values.filter(|value| !value.is_empty()).collect();
    let is_whole = !fields.is_empty() && values.len() == fields.len();
    let fields = fields.iter().map(|field| (*field).to_owned());
    is_whole.then(|| fields.chain(values).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_ids_of_stores() {
        let of = |address: &str| {
            let ids = ids_of_address(address).into_iter();
            ids.map(|(field, id)| format!("{field}={id}")).collect::<Vec<_>>().join(" ")
        };
        for (address, expected) in [
            ("steam://rungameid/440", "store_a_app_id=440"),
            ("steam://rungameid/440/", "store_a_app_id=440"),
            ("steam://rungameid/12345678901234567890", ""),
            ("steam://rungameid/", ""),
            ("heroic://launch/gog/1207", "store_b_app_id=1207 store_b_source=GOG"),
            (
                "heroic://launch?appName=Fox&runner=legendary",
                "store_b_app_id=Fox store_b_source=Epic",
            ),
            ("heroic://launch/Fox", ""),
            ("lutris:rungameid/3", "store_c_id=3"),
            ("lutris:rungame/maze", ""),
            ("heroic://launch/none/Fox", ""),
            ("https://example.org", ""),
        ] {
            assert_eq!(of(address), expected, "{address}");
        }
    }
}
