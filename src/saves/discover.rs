//! Save paths that are on the disk and not configured yet. Reads only, enters no linked folder.

use std::{
    cell::OnceCell,
    collections::{BTreeMap, HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
};

use super::{
    places::{self, Home},
    subject::Subject,
};
use crate::{
    base::schema::schema,
    model::State,
    probe::found_saves::{FoundSaves, key_of},
};

/// The folder of a game that its store keeps in the cloud.
const CLOUD: &str = "remote";
/// Folders below a folder of named saves that are still looked into.
const DEPTH: usize = 12;

schema! {
    "SaveCandidate"
    /// A save path that a game may have.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Candidate {
        /// Where it is, absolute, without a symbolic link on the way.
        pub path: String,
        /// What it is.
        pub label: String,
        /// Whether other games keep their saves there too.
        pub shared: bool,
    }
}

/// Searches save paths; what is the same for all games is read once.
pub struct Finder<'a> {
    home: &'a Home,
    named: OnceCell<HashMap<String, Vec<PathBuf>>>,
    users: OnceCell<Vec<PathBuf>>,
}

impl<'a> Finder<'a> {
    /// A finder for this user.
    pub fn new(home: &'a Home) -> Self {
        Self { home, named: OnceCell::new(), users: OnceCell::new() }
    }

    /// The save paths that a game does not have yet, each once.
    pub fn candidates(&self, game: &Subject) -> Vec<Candidate> {
        let mut seen: HashSet<PathBuf> = HashSet::new();
        for configured in game.configured() {
            seen.extend(fs::canonicalize(&configured).ok());
            seen.insert(configured);
        }
        let mut found = Vec::new();
        let mut add = |path: &Path, label: &str, shared: bool| {
            // A path through a link could never be backed up; the place it leads to can.
            let Ok(path) = fs::canonicalize(path) else { return };
            if let Some(text) = path.to_str()
                && seen.insert(path.clone())
            {
                let path = text.to_owned();
                found.push(Candidate { path, label: label.to_owned(), shared });
            }
        };
        let id = game.store_a_app_id.as_str();
        if !id.is_empty() && id.bytes().all(|byte| byte.is_ascii_digit()) {
            for user in self.users() {
                add(&user.join(id).join(CLOUD), "Store cloud", false);
            }
        }
        let platform = game.platform.trim();
        for root in places::shared_roots(self.home, platform) {
            add(&root, &format!("{platform} shared saves"), true);
        }
        let keys = [key_of(&game.name), key_of(game.path_stem())];
        for path in keys.iter().filter_map(|key| self.named().get(key)).flatten() {
            add(path, "RetroArch save", false);
        }
        found
    }

    /// The folders of the users of the storefront.
    fn users(&self) -> &[PathBuf] {
        self.users.get_or_init(|| {
            let roots = places::store_roots(self.home);
            let mut users: Vec<PathBuf> =
                roots.iter().flat_map(|root| folder(&root.join("userdata"))).collect();
            users.sort();
            users
        })
    }

    /// Every file below the folders of named saves under its key.
    fn named(&self) -> &HashMap<String, Vec<PathBuf>> {
        self.named.get_or_init(|| {
            let mut named: HashMap<String, Vec<PathBuf>> = HashMap::new();
            let roots = places::named_folders(self.home);
            let mut folders: Vec<_> = roots.into_iter().map(|root| (root, 0)).collect();
            while let Some((path, depth)) = folders.pop() {
                for entry in folder(&path) {
                    let Ok(stat) = fs::symlink_metadata(&entry) else { continue };
                    if stat.is_dir() && depth < DEPTH {
                        folders.push((entry, depth + 1));
                    } else if stat.is_file()
                        && let Some(name) = entry.file_name().and_then(|name| name.to_str())
                    {
                        named.entry(places::key_of_file(name)).or_default().push(entry);
                    }
                }
            }
            named.remove("");
            for paths in named.values_mut() {
                paths.sort();
            }
            named
        })
    }
}

/// Scans every place once: the names by which games with saves are found.
pub fn look(home: &Home) -> FoundSaves {
    let finder = Finder::new(home);
    let has_cloud = |folder: &PathBuf| folder.join(CLOUD).exists();
    let id = |folder: PathBuf| Some(folder.file_name()?.to_str()?.to_owned());
    let games = finder.users().iter().flat_map(|user| folder(user));
    let is_id = |id: &String| id.bytes().all(|byte| byte.is_ascii_digit());
    FoundSaves {
        titles: finder.named().keys().cloned().collect(),
        platforms: places::shared_platforms(home, Path::exists).map(str::to_owned).collect(),
        store_ids: games.filter(has_cloud).filter_map(id).filter(is_id).collect(),
        ..FoundSaves::default()
    }
}

/// What is in a folder; nothing when it cannot be read.
fn folder(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).collect()
}

/// The save paths of all games that are not configured yet, by stable id; games without any are
/// left out.
pub fn scan(home: &Home, state: &State) -> BTreeMap<String, Vec<Candidate>> {
    let finder = Finder::new(home);
    let mut found = BTreeMap::new();
    for game in state.games.iter() {
        let candidates = finder.candidates(&Subject::of(game));
        if !candidates.is_empty() {
            found.insert(game.id().to_owned(), candidates);
        }
    }
    found
}
