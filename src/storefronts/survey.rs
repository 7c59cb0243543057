//! Whether each store is on this machine, and where: the folders it keeps and the program that
//! starts its games.
//!
//! Counts no games: reading a catalog may take long.

use std::path::{Path, PathBuf};

use crate::{base::schema::schema, imports::programs, process::search};

use super::{catalog::Source, store_a, store_b, store_c};

/// The second store has no name of its own in its files.
const STORE_B: &str = "Heroic";
const STORE_B_PACKAGE: &str = "com.heroicgameslauncher.hgl";
/// Folders of the third store below the home.
const STORE_C_PLACES: [&str; 3] =
    [".local/share/lutris", ".config/lutris", ".var/app/net.lutris.Lutris"];

/// What this machine has of one store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The store.
    pub source: Source,
    /// Its name.
    pub name: &'static str,
    /// The program that is its client, or the package tool that runs it; `None` when it is missing.
    pub client: Option<PathBuf>,
    /// Its folders that exist.
    pub places: Vec<PathBuf>,
}

schema! {
    "StoreStatus"
    /// What this machine has of one store, as clients see it.
    #[derive(Debug, PartialEq)]
    pub struct ShownSurvey {
        /// Empty without a client.
        client: String,
        found: bool,
        name: &'static str,
        places: Vec<String>,
        source: &'static str,
    }
}

impl From<Survey> for ShownSurvey {
    fn from(survey: Survey) -> Self {
        let shown = |path: PathBuf| path.to_string_lossy().into_owned();
        Self {
            found: survey.client.is_some() || !survey.places.is_empty(),
            client: survey.client.map(shown).unwrap_or_default(),
            name: survey.name,
            places: survey.places.into_iter().map(shown).collect(),
            source: survey.source.name(),
        }
    }
}

/// Every store on this machine, in their order. May run the package tool.
pub fn all(home: &Path) -> Vec<Survey> {
    let there = |places: &[&str]| -> Vec<PathBuf> {
        places.iter().map(|place| home.join(place)).filter(|place| place.is_dir()).collect()
    };
    vec![
        Survey {
            source: Source::StoreA,
            name: store_a::LABEL,
            client: client("steam", store_a::PACKAGE),
            places: store_a::libraries(home).into_iter().collect(),
        },
        Survey {
            source: Source::StoreB,
            name: STORE_B,
            client: client("heroic", STORE_B_PACKAGE),
            places: there(&store_b::BASES),
        },
        Survey {
            source: Source::StoreC,
            name: store_c::LABEL,
            client: client("lutris", store_c::PACKAGE),
            places: there(&STORE_C_PLACES),
        },
    ]
}

fn client(program: &str, package: &str) -> Option<PathBuf> {
    search::on_path(program).or_else(|| programs::package(package))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    #[test]
    fn a_store_is_found_by_its_folders() {
        let home = tempfile::tempdir().expect("a home");
        let home = fs::canonicalize(home.path()).expect("real");
        let steam = home.join(".local/share/Steam");
        fs::create_dir_all(steam.join("steamapps")).expect("made");
        fs::create_dir_all(home.join(".config/heroic")).expect("made");
        let places: Vec<_> = all(&home).into_iter().map(|store| store.places).collect();
        assert_eq!(places, [vec![steam], vec![home.join(".config/heroic")], Vec::new()]);
    }

    #[test]
    fn a_store_without_client_and_folders_is_not_found() {
        let nothing =
            Survey { source: Source::StoreC, name: "L", client: None, places: Vec::new() };
        assert_eq!(
            json!(ShownSurvey::from(nothing)),
            json!({"source": "store_c", "name": "L", "found": false, "client": "", "places": []})
        );
    }
}
