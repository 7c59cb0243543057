//! The manifest of a plugin, `plugin.json`: its required content, and its normal form.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{
    options::{Options, OptionsError},
    place::read_json,
};
use crate::{
    base::{named::named, schema::schema, text},
    files::confine::join_inside,
};

/// The version of the interface that plugins are written for.
pub const API_VERSION: u64 = 1;
/// The file of a package that describes it.
pub(super) const FILE: &str = "plugin.json";
/// The only permission there is.
pub(super) const NETWORK: &str = "network";
/// Commands of one plugin.
const COMMANDS: usize = 32;
/// Characters of a label and of a description of a command.
const LABEL: usize = 80;
const DESCRIPTION: usize = 280;
/// Characters of an id.
const ID: usize = 64;

named! {
    /// What a plugin may take part in.
    pub enum Hook {
        /// Changes how games are shown.
        Library = "library",
        /// Changes or cancels a launch.
        BeforeLaunch = "before_launch",
        /// Learns of the end of a session.
        AfterSession = "after_session",
        /// Does something when the user asks for it.
        Palette = "command",
        /// Adds games of its own.
        LibrarySource = "library_source",
        /// Learns of what happens.
        Events = "events",
    }
}

schema! {
    /// A command that a plugin offers.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct PluginCommand {
        /// Unique in its plugin.
        pub id: String,
        pub label: String,
        pub description: String,
        pub plugin_id: String,
        /// `manifest`.
        pub source: &'static str,
    }
}

/// Why a package is not a plugin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManifestError {
    #[error("Plugin package needs a valid plugin.json.")]
    Unreadable,
    #[error("Plugin id, name, and version are required.")]
    Identity,
    #[error("Plugin api_version must be a positive integer.")]
    Version,
    #[error("Plugin requires API v{}; this build supports v{}.", .0, API_VERSION)]
    Newer(u64),
    #[error("Plugin entry must be a Python file inside the package.")]
    Entry,
    #[error("Plugin declares an unsupported hook.")]
    Hook,
    #[error("Plugin commands must be a list of at most {} objects.", COMMANDS)]
    Commands,
    #[error("Plugin command ids must be valid and unique.")]
    CommandId,
    #[error("Plugin command labels are required.")]
    CommandLabel,
    #[error("Plugin permissions must be a list of texts.")]
    Permissions,
    #[error("Plugin requests unknown permissions: {0}.")]
    UnknownPermissions(String),
    /// The settings it declares make no sense.
    #[error(transparent)]
    Options(#[from] OptionsError),
}

/// A manifest that breaks no rule.
#[derive(Clone, Debug)]
pub struct Manifest {
    /// Every key of the file in its normal form; unknown keys as they are.
    pub shown: Map<String, Value>,
    pub id: String,
    pub name: String,
    pub version: String,
    /// The program, relative to the package.
    pub entry: String,
    pub hooks: Vec<Hook>,
    pub commands: Vec<PluginCommand>,
    pub permissions: Vec<String>,
    /// The settings it declares.
    pub options: Option<Options>,
}

/// Whether a text is the id of a plugin: `^[a-z0-9][a-z0-9._-]{1,63}$`.
pub fn is_id(text: &str) -> bool {
    (2..=ID).contains(&text.len()) && is_plain(text)
}

/// Whether a text is the id of a command: as that of a plugin, but one character is enough.
fn is_command_id(text: &str) -> bool {
    (1..=ID).contains(&text.len()) && is_plain(text)
}

fn is_plain(text: &str) -> bool {
    let is_start = |letter: u8| letter.is_ascii_lowercase() || letter.is_ascii_digit();
    text.bytes().all(|letter| is_start(letter) || b"._-".contains(&letter))
        && text.bytes().next().is_some_and(is_start)
}

impl Manifest {
    /// Reads the manifest of a package. `folder_name` is the id that it must have, once it is installed.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn read(package: &Path, folder_name: Option<&str>) -> Result<Self, ManifestError> {
        let Some(Value::Object(file)) = read_json(&package.join(FILE)) else {
            return Err(ManifestError::Unreadable);
        };
        let has_entry = |entry: &str| {
            Path::new(entry).extension() == Some("py".as_ref())
                && join_inside(package, entry)
                    .is_ok_and(|path| path.symlink_metadata().is_ok_and(|found| found.is_file()))
        };
        Self::of(file, folder_name, &has_entry)
    }

    /// Checks a manifest. `has_entry` returns whether a path is a regular Python file of the package.
    ///
    /// # Errors
    /// The first rule that is broken.
    pub fn of(
        mut file: Map<String, Value>,
        folder_name: Option<&str>,
        has_entry: &dyn Fn(&str) -> bool,
    ) -> Result<Self, ManifestError> {
        let text = |key: &str| file.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let (id, name, version) = (text("id"), text("name"), text("version"));
        let is_named = !name.trim().is_empty() && !version.trim().is_empty();
        // The state of all plugins lies next to the packages.
        let is_free = id != super::state::FILE;
        if !is_id(&id) || !is_named || !is_free || folder_name.is_some_and(|folder| folder != id) {
            return Err(ManifestError::Identity);
        }
        let api_version = match file.get("api_version") {
            None => API_VERSION,
            Some(value) => value.as_u64().filter(|it| *it > 0).ok_or(ManifestError::Version)?,
        };
        if api_version > API_VERSION {
            return Err(ManifestError::Newer(api_version));
        }
        let entry = match file.get("entry") {
            None => "plugin.py".to_owned(),
            Some(value) => {
                let entry = value.as_str().ok_or(ManifestError::Entry)?;
                entry.strip_prefix("./").unwrap_or(entry).to_owned()
            }
        };
        if !has_entry(&entry) {
            return Err(ManifestError::Entry);
        }
        let hooks = hooks(file.get("hooks"))?;
        let commands = commands(file.get("commands"), &id)?;
        let permissions = permissions(file.get("permissions"))?;
        let options = match file.get("settings") {
            None | Some(Value::Null) => None,
            Some(declared) => Some(Options::of(declared)?),
        };
        let settings = options.as_ref().map(|options| options.shown.clone());
        let normal = json!({
            "api_version": api_version, "entry": entry, "hooks": hooks, "commands": commands,
            "permissions": permissions, "settings": settings, "description": text("description"),
        });
        file.extend(normal.as_object().cloned().unwrap_or_default());
        Ok(Self { shown: file, id, name, version, entry, hooks, commands, permissions, options })
    }
}

/// The hooks of a list, each once; none when it is missing.
///
/// # Errors
/// [`ManifestError::Hook`].
pub(super) fn hooks(value: Option<&Value>) -> Result<Vec<Hook>, ManifestError> {
    let mut hooks = Vec::new();
    for name in list(value).ok_or(ManifestError::Hook)? {
        let hook = name.as_str().and_then(Hook::named).ok_or(ManifestError::Hook)?;
        if !hooks.contains(&hook) {
            hooks.push(hook);
        }
    }
    Ok(hooks)
}

/// The commands of a list in their normal form; none when it is missing.
///
/// # Errors
/// The first rule that is broken.
pub(super) fn commands(
    value: Option<&Value>,
    plugin: &str,
) -> Result<Vec<PluginCommand>, ManifestError> {
    let list = list(value).filter(|list| list.len() <= COMMANDS).ok_or(ManifestError::Commands)?;
    let mut commands = Vec::<PluginCommand>::new();
    for row in list {
        let row = row.as_object().ok_or(ManifestError::Commands)?;
        let text = |key: &str| row.get(key).and_then(Value::as_str).unwrap_or_default().trim();
        let (id, label) = (text("id"), text("label"));
        if !is_command_id(id) || commands.iter().any(|known| known.id == id) {
            return Err(ManifestError::CommandId);
        }
        if label.is_empty() {
            return Err(ManifestError::CommandLabel);
        }
        commands.push(PluginCommand {
            id: id.to_owned(),
            label: text::cut(label, LABEL).to_owned(),
            description: text::cut(text("description"), DESCRIPTION).to_owned(),
            plugin_id: plugin.to_owned(),
            source: "manifest",
        });
    }
    Ok(commands)
}

fn permissions(value: Option<&Value>) -> Result<Vec<String>, ManifestError> {
    let list = list(value).ok_or(ManifestError::Permissions)?;
    let names: Option<Vec<&str>> = list.iter().map(Value::as_str).collect();
    let names = names.ok_or(ManifestError::Permissions)?;
    let unknown: Vec<&str> = names.iter().copied().filter(|name| *name != NETWORK).collect();
    if !unknown.is_empty() {
        return Err(ManifestError::UnknownPermissions(unknown.join(", ")));
    }
    Ok(names.first().map(|name| (*name).to_owned()).into_iter().collect())
}

/// A list that may be missing.
fn list(value: Option<&Value>) -> Option<&[Value]> {
    value.map_or(Some(&[]), |value| value.as_array().map(Vec::as_slice))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(more: Value) -> Result<Manifest, String> {
        let mut file = json!({"id": "a.b", "name": "A", "version": "1"});
        let keys = more.as_object().expect("an object").clone();
        file.as_object_mut().expect("an object").extend(keys);
        let file = file.as_object().expect("an object").clone();
        let has_entry = |entry: &str| matches!(entry, "plugin.py" | "in/main.py");
        Manifest::of(file, None, &has_entry).map_err(|error| error.to_string())
    }

    #[test]
    fn a_short_manifest_gets_its_defaults_and_keeps_what_nobody_knows() {
        let manifest = read(json!({"homepage": "x"})).expect("valid");
        let expected = json!({"id": "a.b", "name": "A", "version": "1", "api_version": 1,
            "entry": "plugin.py", "hooks": [], "commands": [], "permissions": [], "description": "",
            "settings": null, "homepage": "x"});
        assert_eq!(Value::Object(manifest.shown), expected);
        let command = json!({"id": "go", "label": "x".repeat(90), "description": "y".repeat(300)});
        let full = read(json!({"entry": "./in/main.py", "hooks": ["events", "events"],
            "permissions": ["network"], "commands": [command]}));
        let full = full.expect("valid");
        assert_eq!((full.hooks, full.entry.as_str()), (vec![Hook::Events], "in/main.py"));
        let command = &full.commands[0];
        assert_eq!((command.label.len(), command.description.len()), (80, 280));
        assert_eq!((command.plugin_id.as_str(), command.source), ("a.b", "manifest"));
    }

    #[test]
    fn every_rule_has_its_sentence() {
        let command = |more: Value| json!({"commands": more});
        let ids = "Plugin command ids must be valid and unique.";
        for (more, expected) in [
            (json!({"id": "A"}), "Plugin id, name, and version are required."),
            (json!({"id": "a"}), "Plugin id, name, and version are required."),
            (json!({"id": "x".repeat(65)}), "Plugin id, name, and version are required."),
            (json!({"id": "plugins-state.json"}), "Plugin id, name, and version are required."),
            (json!({"name": " "}), "Plugin id, name, and version are required."),
            (json!({"version": 1}), "Plugin id, name, and version are required."),
            (json!({"api_version": 0}), "Plugin api_version must be a positive integer."),
            (json!({"api_version": true}), "Plugin api_version must be a positive integer."),
            (json!({"api_version": 2}), "Plugin requires API v2; this build supports v1."),
            (
                json!({"entry": "other.py"}),
                "Plugin entry must be a Python file inside the package.",
            ),
            (json!({"hooks": ["nothing"]}), "Plugin declares an unsupported hook."),
            (json!({"hooks": "events"}), "Plugin declares an unsupported hook."),
            (command(json!([1])), "Plugin commands must be a list of at most 32 objects."),
            (command(json!([{"id": "", "label": "x"}])), ids),
            (command(json!([{"id": "a", "label": "x"}, {"id": "a", "label": "x"}])), ids),
            (command(json!([{"id": "a", "label": " "}])), "Plugin command labels are required."),
            (
                json!({"permissions": ["disk", "network", "x"]}),
                "Plugin requests unknown permissions: disk, x.",
            ),
            (json!({"permissions": [1]}), "Plugin permissions must be a list of texts."),
        ] {
            assert_eq!(read(more.clone()).map(drop), Err(expected.to_owned()), "{more}");
        }
        let many = |count: usize| {
            let rows = (0..count).map(|at| json!({"id": at.to_string(), "label": "x"}));
            read(command(rows.collect()))
        };
        assert!(many(32).is_ok() && many(33).is_err());
        for id in ["ab", "0.", &"x".repeat(64)] {
            assert!(is_id(id), "{id}");
        }
        for id in ["", ".a", "-a", "a/b", "a b", "é1"] {
            assert!(!is_id(id), "{id}");
        }
    }
}
