//! The replies about plugins.

use serde_json::{Map, Value};

use super::{manifest::PluginCommand, sandbox::Sandbox};
use crate::base::{named::named, schema::schema};

schema! {
    /// `GET /api/plugins`.
    #[derive(Debug, PartialEq)]
    pub struct PluginList {
        /// The packages in the order of their names: the manifest with what the program knows.
        pub plugins: Vec<Map<String, Value>>,
        pub api_version: u64,
        /// `ready`, `unavailable` or `disabled`.
        pub sandbox: Sandbox,
    }

    /// `POST /api/plugins/install` and `POST /api/plugins/catalog/install`.
    pub struct PluginInstalled {
        /// The manifest, and `updated`: whether it replaced another version.
        pub plugin: Map<String, Value>,
    }

    /// `POST /api/plugins/toggle`.
    pub struct PluginToggled {
        pub enabled: bool,
    }

    /// `POST /api/plugins/remove`.
    pub struct PluginRemoved {
        /// The id.
        pub removed: String,
    }

    /// `GET /api/plugins/catalog`.
    pub struct PluginCatalog {
        pub catalog: Vec<Map<String, Value>>,
    }

    /// `GET /api/v2/plugins/catalog`.
    pub struct PluginCatalogStatus {
        /// The entries with `installed`, `installed_version` and `update_available`.
        pub catalog: Vec<Map<String, Value>>,
        pub sandbox: Sandbox,
    }

    /// `GET /api/v2/plugins/commands`.
    pub struct PluginCommands {
        pub api_version: u64,
        pub sandbox: Sandbox,
        pub commands: Vec<PluginCommand>,
    }

    /// `POST /api/v2/plugins/command`.
    pub struct PluginCommandDone {
        pub ok: bool,
        pub plugin_id: String,
        pub command: String,
        /// What the plugin returned; `null` when it returned nothing.
        pub result: Option<Map<String, Value>>,
        /// What it wants to be shown.
        pub notification: Option<PluginNotification>,
    }

    /// A message of a plugin.
    #[derive(Debug, PartialEq, Eq)]
    pub struct PluginNotification {
        pub level: NotificationLevel,
        pub message: String,
    }

    /// `GET /api/v2/plugins/trust`. Trust holds for the package that was trusted, and for no other.
    pub struct PluginTrust {
        pub id: String,
        /// Whether the plugin is trusted.
        pub granted: bool,
        /// As `granted`.
        pub trusted: bool,
        /// The checksum of the installed package.
        pub checksum: String,
        /// Whether it is the checksum of the package that was trusted.
        pub r#match: bool,
        /// As `match`.
        pub checksum_matches: bool,
        /// When it was trusted, UTC; empty when it never was.
        pub granted_at: String,
        /// Whether another package of this id was trusted.
        pub retrust: bool,
    }

    /// `POST /api/v2/plugins/trust`.
    pub struct PluginTrusted {
        pub id: String,
        pub trusted: bool,
    }

    /// `POST /api/v2/plugins/permissions`.
    pub struct PluginPermissions {
        pub id: String,
        /// The granted ones.
        pub permissions: Vec<String>,
    }

    /// `GET /api/v2/plugins/settings`.
    pub struct PluginSettings {
        pub id: String,
        /// `{type, properties, required}`.
        pub schema: Value,
        /// The values in force.
        pub values: Map<String, Value>,
    }

    /// `POST /api/v2/plugins/settings`.
    pub struct PluginSettingsSaved {
        pub id: String,
        pub values: Map<String, Value>,
    }
}

named! {
    /// How a message of a plugin is shown.
    pub enum NotificationLevel {
        /// Plainly.
        Info = "info",
        /// As good news.
        Success = "success",
        /// As a warning.
        Warning = "warning",
        /// As an error.
        Error = "error",
    }
}

/// Characters of a message.
const MESSAGE: usize = 500;

/// The message in an output; an unknown level is a plain one.
pub(super) fn notification(result: &Map<String, Value>) -> Option<PluginNotification> {
    let shown = result.get("notification")?.as_object()?;
    let message = shown.get("message")?.as_str()?.trim();
    let level = shown.get("level").and_then(Value::as_str).and_then(NotificationLevel::named);
    let message: String = message.chars().take(MESSAGE).collect();
    let level = level.unwrap_or(NotificationLevel::Info);
    (!message.is_empty()).then_some(PluginNotification { level, message })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_message_needs_a_text() {
        let of = |value: Value| notification(value.as_object().expect("an object"));
        let good = of(json!({"notification": {"level": "warning", "message": " Hm. "}}));
        let (level, message) = (NotificationLevel::Warning, "Hm.".to_owned());
        assert_eq!(good, Some(PluginNotification { level, message }));
        let plain = of(json!({"notification": {"level": "loud", "message": "x".repeat(501)}}));
        let plain = plain.expect("shown");
        assert_eq!((plain.level, plain.message.len()), (NotificationLevel::Info, 500));
        for bad in
            [json!({}), json!({"notification": "x"}), json!({"notification": {"message": " "}})]
        {
            assert_eq!(of(bad), None);
        }
    }
}
