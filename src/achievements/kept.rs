//! The games of which a file of achievements says that all were earned. The program writes these files, and another
//! program may.

use std::{
    collections::{HashMap, HashSet},
    fs,
    path::{Path, PathBuf},
    sync::Mutex,
    time::SystemTime,
};

use serde::Deserialize;

use crate::{
    base::Hold as _,
    config::data_dir::DataDir,
    scan::{Tree as _, tree::Disk},
};

/// Bytes of the largest file.
const FILE_BYTES: u64 = 1 << 20;

/// How a file is known to be the same: when it was changed, and its bytes.
type Stamp = (Option<SystemTime>, u64);

/// Reads the files that have changed.
pub struct Kept {
    folder: PathBuf,
    /// By the names of the files: the id of the game when it is mastered.
    known: Mutex<HashMap<String, (Stamp, Option<String>)>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct File {
    game_id: String,
    mastered: bool,
}

impl Kept {
    /// Of this data directory; reads nothing yet.
    pub fn new(data_dir: &DataDir) -> Self {
        Self { folder: data_dir.game_achievements(), known: Mutex::default() }
    }

    /// The ids of the games that are mastered.
    pub fn mastered(&self) -> HashSet<String> {
        let mut known = self.known.hold();
        let mut found = HashMap::new();
        for entry in fs::read_dir(&self.folder).into_iter().flatten().flatten() {
            let Ok(name) = entry.file_name().into_string() else { continue };
            // Lists of all games of a console lie there too, large ones.
            let is_of_game = name.strip_suffix(".json").is_some() && !name.starts_with(['.', '-']);
            let stat = entry.metadata().ok().filter(fs::Metadata::is_file);
            let Some(stat) = stat.filter(|_| is_of_game && !name.starts_with("system")) else {
                continue;
            };
            let stamp = (stat.modified().ok(), stat.len());
            let same = known.remove(&name).filter(|(old, _)| *old == stamp);
            let id = same.map_or_else(|| read(&entry.path()), |(_, id)| id);
            found.insert(name, (stamp, id));
        }
        *known = found;
        known.values().filter_map(|(_, id)| id.clone()).collect()
    }
}

/// The id of the game of a file when it is mastered.
fn read(path: &Path) -> Option<String> {
    let bytes = Disk.read_start(path, FILE_BYTES).ok()?;
    let file: File = serde_json::from_slice(&bytes).ok()?;
    let stem = || path.file_stem()?.to_str().map(str::to_owned);
    file.mastered.then(|| Some(file.game_id).filter(|id| !id.is_empty()).or_else(stem))?
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "another program removes a file")]
mod tests {
    use super::*;
    use crate::files::testing::put;

    #[test]
    fn the_newest_content_of_every_file_counts() {
        let folder = tempfile::tempdir().expect("a folder");
        let data = DataDir::at(folder.path().to_owned());
        let kept = Kept::new(&data);
        let mastered = || {
            let mut ids: Vec<String> = kept.mastered().into_iter().collect();
            ids.sort();
            ids.join(" ")
        };
        assert_eq!(mastered(), "");
        let file = |name: &str| data.game_achievements().join(name);
        put(file("a.json"), r#"{"game_id": "game-a", "mastered": true, "earned": 3}"#);
        put(file("b.json"), r#"{"mastered": true}"#);
        put(file("c.json"), r#"{"game_id": "game-c", "mastered": false}"#);
        put(file("d.json"), "{broken");
        put(file("system-7.json"), r#"{"game_id": "game-x", "mastered": true}"#);
        put(file("e.txt"), r#"{"game_id": "game-y", "mastered": true}"#);
        assert_eq!(mastered(), "b game-a");
        put(file("c.json"), r#"{"game_id": "game-c", "mastered": true}"#);
        fs::remove_file(file("a.json")).expect("removed");
        assert_eq!(mastered(), "b game-c");
    }
}
