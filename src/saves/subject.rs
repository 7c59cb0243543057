//! The facts about a game that the module needs.

use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use crate::{base::ids::hex, model::Game};

/// A game as its saves see it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Subject {
    /// Stable id.
    pub id: String,
    /// Former ids.
    pub aliases: Vec<String>,
    /// Title.
    pub name: String,
    /// The file that is played.
    pub path: String,
    /// Platform.
    pub platform: String,
    /// Id at the first storefront, digits; empty without one.
    pub store_a_app_id: String,
    /// Name of the arcade ROM; empty without one.
    pub rom_name: String,
    /// The configured save paths.
    pub save_paths: Vec<String>,
    /// The folder of its kept state, where that is included; `None` for the saves alone.
    pub resume: Option<PathBuf>,
}

impl Subject {
    /// Reads a game.
    pub fn of(game: &Game) -> Self {
        let record = game.record();
        Self {
            id: game.id().to_owned(),
            aliases: game.legacy_ids().map(str::to_owned).collect(),
            name: game.name().to_owned(),
            path: game.path().to_owned(),
            platform: game.platform().to_owned(),
            store_a_app_id: record.shown("store_a_app_id").trim().to_owned(),
            rom_name: record.text("rom_name").trim().to_owned(),
            save_paths: record.texts("save_paths").map(str::to_owned).collect(),
            resume: None,
        }
    }

    /// The saves of this game without its kept state.
    pub fn saves_alone(&self) -> Self {
        Self { resume: None, ..self.clone() }
    }

    /// The names of the folders its archives may lie in, the one for new archives first.
    ///
    /// Archives are kept under the stable id, so they stay with a game that is renamed or moved.
    /// Those of a former id (a merged duplicate) and those that an earlier program kept under name
    /// and path are found too.
    pub fn folder_names(&self) -> Vec<String> {
        let ids = std::iter::once(&self.id).chain(&self.aliases).map(|id| hash(id));
        let mut names: Vec<String> =
            ids.chain([hash(&format!("{}:{}", self.name, self.path))]).collect();
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| seen.insert(name.clone()));
        names
    }

    /// The stem of the file that is played.
    pub fn path_stem(&self) -> &str {
        Path::new(&self.path).file_stem().and_then(|stem| stem.to_str()).unwrap_or("")
    }

    /// The configured save paths as paths.
    pub fn configured(&self) -> impl Iterator<Item = PathBuf> {
        self.save_paths.iter().map(PathBuf::from)
    }
}

/// The first 16 hex digits of a SHA-256.
fn hash(text: &str) -> String {
    let mut name = hex(&Sha256::digest(text.as_bytes()));
    name.truncate(16);
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn archives_stay_with_a_game_that_is_renamed() {
        let game = Subject { id: "game-1".into(), name: "A".into(), ..Subject::default() };
        let renamed = Subject { name: "B".into(), path: "/b".into(), ..game.clone() };
        assert_eq!(game.folder_names()[0], renamed.folder_names()[0]);
        assert_eq!(game.folder_names()[0].len(), 16);
        assert!(renamed.folder_names().contains(&hash("B:/b")));
        let merged = Subject { aliases: vec!["game-0".into()], ..game };
        assert_eq!(merged.folder_names()[1], hash("game-0"));
    }
}
