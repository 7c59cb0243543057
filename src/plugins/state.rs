//! The decisions of the user about plugins: `plugins/plugins-state.json`.

use std::{collections::BTreeMap, path::Path};

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::place::read_json;
use crate::files::{DiskError, Files};

/// The name of the file in the folder of plugins.
pub(super) const FILE: &str = "plugins-state.json";

/// The decisions. A file that cannot be read is an empty one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PluginState {
    /// Ids that are switched off.
    pub disabled: Vec<String>,
    /// What is trusted, by id.
    pub trust: BTreeMap<String, Grant>,
    /// Granted permissions, by id.
    pub permissions: BTreeMap<String, Vec<String>>,
    /// Stored settings, by id.
    pub settings: BTreeMap<String, Map<String, Value>>,
    #[serde(flatten)]
    more: Map<String, Value>,
}

/// Trust in one package.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Grant {
    pub trusted: bool,
    /// The checksum of the package when it was trusted.
    pub checksum: String,
    /// UTC, ISO.
    pub granted_at: String,
}

impl PluginState {
    /// The decisions in a folder of plugins.
    pub fn read(folder: &Path) -> Self {
        let stored = read_json(&folder.join(FILE));
        stored.and_then(|value| serde_json::from_value(value).ok()).unwrap_or_default()
    }

    /// Stores them.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn write(&self, files: &Files, folder: &Path) -> Result<(), DiskError> {
        files.private_dir(folder)?;
        // OK because maps of texts and values are always JSON.
        let text = serde_json::to_vec_pretty(self).unwrap_or_default();
        files.replace(&folder.join(FILE), &text)
    }

    /// Whether a plugin is switched on.
    pub fn is_enabled(&self, id: &str) -> bool {
        !self.disabled.iter().any(|disabled| disabled == id)
    }

    /// Switches a plugin on or off.
    pub fn set_enabled(&mut self, id: &str, enabled: bool) {
        self.disabled.retain(|disabled| disabled != id);
        if !enabled {
            self.disabled.push(id.to_owned());
        }
    }

    /// The grant of trust, when there is one.
    pub fn grant(&self, id: &str) -> Option<&Grant> {
        self.trust.get(id).filter(|grant| grant.trusted)
    }

    /// The permissions that were granted and are declared.
    pub fn granted(&self, id: &str, declared: &[String]) -> Vec<String> {
        let granted = self.permissions.get(id).into_iter().flatten();
        granted.filter(|name| declared.contains(name)).cloned().collect()
    }

    /// Revokes the trust in a plugin and its permissions.
    pub fn distrust(&mut self, id: &str) {
        self.trust.remove(id);
        self.permissions.remove(id);
    }

    /// Forgets a plugin.
    pub fn forget(&mut self, id: &str) {
        self.distrust(id);
        self.set_enabled(id, true);
        self.settings.remove(id);
    }
}
