//! What is set up of the services that the program can ask: updates, the metadata database, achievements.

use std::{collections::BTreeMap, fs, path::Path};

use serde_json::Value;

use crate::{
    base::schema::schema,
    config::{
        credentials::Credential, data_dir::DataDir, environment::Environment, release::Releases,
        settings::read,
    },
    model::State,
};

schema! {
    /// `GET /api/update`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct UpdateStatus {
        /// The version that runs.
        current: &'static str,
        /// The newest version that is known; blank while none is.
        latest: String,
        /// Whether `latest` is newer.
        available: bool,
        /// When releases were asked for last; blank when they never were.
        last_checked: String,
        notes: String,
        bundle: String,
        checksum: String,
        checksum_url: String,
        /// Whether the release has a trusted signature.
        sig: bool,
        sig_url: String,
        page: String,
        /// Whether the program knows where releases are published.
        configured: bool,
    }
}

/// What is known about updates without asking anybody.
pub fn update_status(state: &State, environment: &Environment) -> UpdateStatus {
    UpdateStatus {
        current: env!("CARGO_PKG_VERSION"),
        latest: String::new(),
        available: false,
        last_checked: read::text(state.settings(), "last_update_check"),
        notes: String::new(),
        bundle: String::new(),
        checksum: String::new(),
        checksum_url: String::new(),
        sig: false,
        sig_url: String::new(),
        page: String::new(),
        configured: Releases::of(environment).address.is_some(),
    }
}

schema! {
    /// How many games the database knows, and what media games have.
    #[derive(Debug, PartialEq)]
    pub struct MetadataCoverage {
        pub games: u64,
        pub matched_games: u64,
        /// Four decimal places.
        pub matched_ratio: f64,
        /// `with_` and a media field, with the number of games that have it.
        #[serde(flatten)]
        pub with: BTreeMap<String, u64>,
    }

    /// `GET /api/ach/settings`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct AchievementSettings {
        /// Whether a user name and a key are known.
        configured: bool,
        #[serde(skip_serializing_if = "Option::is_none")]
        username: Option<String>,
    }
}

/// Whose achievements can be asked for: as the environment says, else as `achievements.json` does.
pub fn achievement_settings(environment: &Environment, data_dir: &DataDir) -> AchievementSettings {
    let stored = stored(&data_dir.achievements());
    let text = |key: &str| stored.get(key).and_then(Value::as_str).map(str::trim);
    let known = |credential, key| {
        environment.credential(credential).or_else(|| text(key)).filter(|text| !text.is_empty())
    };
    let username = known(Credential::AchUsername, "username");
    let username = username.filter(|_| known(Credential::AchApiKey, "api_key").is_some());
    AchievementSettings { configured: username.is_some(), username: username.map(str::to_owned) }
}

fn stored(path: &Path) -> Value {
    let is_file = fs::metadata(path).is_ok_and(|found| found.is_file());
    let text = is_file.then(|| fs::read(path).ok()).flatten();
    text.and_then(|text| serde_json::from_slice(&text).ok()).unwrap_or_default()
}
