//! The installed plugins as their packages and `plugins-state.json` describe them.

use std::{
    fs,
    path::{Component, Path},
    sync::OnceLock,
    time::Duration,
};

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::{
    base::{ids::hex, schema::schema},
    config::environment::Environment,
    process::{Limits, Spec, capture, search},
};

/// The version of the interface that plugins are written for.
const API_VERSION: u64 = 1;
const HOOKS: [&str; 6] =
    ["library", "before_launch", "after_session", "command", "library_source", "events"];
/// Files and bytes of a package that are read for its checksum.
const FILES: usize = 10_000;
const BYTES: u64 = 128 << 20;
/// Bytes of a manifest, and of the state of all plugins.
const TEXT_BYTES: u64 = 16 << 20;

schema! {
    /// `GET /api/plugins`.
    #[derive(Debug, PartialEq)]
    pub struct PluginList {
        /// The packages in the order of their names: the manifest with what the program knows.
        plugins: Vec<Map<String, Value>>,
        api_version: u64,
        /// `ready`, `unavailable` or `disabled`.
        sandbox: &'static str,
    }
}

/// The packages of a folder.
pub fn list(folder: &Path, environment: &Environment) -> PluginList {
    let sandbox = sandbox(environment);
    let state = read_json(&folder.join("plugins-state.json")).unwrap_or_default();
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .filter_map(|entry| entry.file_name().into_string().ok())
        .filter(|name| !name.starts_with('.'))
        .collect();
    names.sort_unstable();
    let plugins = names.iter().map(|name| entry(&folder.join(name), name, &state, sandbox));
    PluginList { plugins: plugins.collect(), api_version: API_VERSION, sandbox }
}

fn entry(package: &Path, name: &str, state: &Value, sandbox: &str) -> Map<String, Value> {
    let read = read_manifest(package, name).and_then(|manifest| Ok((manifest, checksum(package)?)));
    let added = match &read {
        Ok((_, checksum)) => {
            let grant = &state["trust"][name];
            let was_trusted = grant["trusted"] == true;
            let trusted = was_trusted && grant["checksum"] == checksum.as_str();
            let disabled =
                state["disabled"].as_array().is_some_and(|ids| ids.contains(&json!(name)));
            let granted = state["permissions"][name].as_array().cloned().unwrap_or_default();
            json!({
                "valid": true, "enabled": !disabled, "sandbox": sandbox, "checksum": checksum,
                "trusted": trusted, "retrust": was_trusted && !trusted,
                "granted_permissions": granted,
            })
        }
        Err(error) => json!({
            "id": name, "name": name, "version": "", "valid": false, "error": error,
            "enabled": false, "sandbox": sandbox, "commands": [], "hooks": [],
        }),
    };
    let mut entry = read.map_or_else(|_| Map::new(), |(manifest, _)| manifest);
    entry.extend(added.as_object().cloned().unwrap_or_default());
    entry
}

/// The manifest of a package with its defaults.
fn read_manifest(package: &Path, name: &str) -> Result<Map<String, Value>, String> {
    let refuse = |text: &str| Err(text.to_owned());
    let Some(Value::Object(mut manifest)) = read_json(&package.join("plugin.json")) else {
        return refuse("Plugin package needs a valid plugin.json.");
    };
    let defaults = json!({
        "api_version": API_VERSION, "entry": "plugin.py", "hooks": [], "commands": [],
        "permissions": [], "description": "", "settings": null,
    });
    for (key, value) in defaults.as_object().into_iter().flatten() {
        manifest.entry(key.clone()).or_insert_with(|| value.clone());
    }
    let text = |key: &str| manifest[key].as_str().unwrap_or_default();
    let has = |key: &str| {
        manifest.get(key).and_then(Value::as_str).is_some_and(|it| !it.trim().is_empty())
    };
    if !["id", "name", "version"].into_iter().all(has) || text("id") != name {
        return refuse("Plugin id, name, and version are required.");
    }
    match manifest["api_version"].as_u64() {
        None | Some(0) => return refuse("Plugin api_version must be a positive integer."),
        Some(version) if version > API_VERSION => {
            return Err(format!(
                "Plugin requires API v{version}; this build supports v{API_VERSION}."
            ));
        }
        Some(_) => {}
    }
    let inside = |path: &Path| path.components().all(|part| matches!(part, Component::Normal(_)));
    let program = Path::new(text("entry"));
    let is_file = fs::symlink_metadata(package.join(program)).is_ok_and(|found| found.is_file());
    if !inside(program) || !is_file || program.extension() != Some("py".as_ref()) {
        return refuse("Plugin entry must be a Python file inside the package.");
    }
    let all = |key: &str, known: &[&str]| {
        let list = manifest[key].as_array();
        list.is_some_and(|list| {
            list.iter().all(|it| it.as_str().is_some_and(|it| known.contains(&it)))
        })
    };
    if !all("hooks", &HOOKS) {
        return refuse("Plugin declares an unsupported hook.");
    }
    if !all("permissions", &["network"]) {
        return Err(format!("Plugin requests unknown permissions: {}.", manifest["permissions"]));
    }
    Ok(manifest)
}

/// SHA-256 over the files of a package in the order of their paths.
fn checksum(package: &Path) -> Result<String, String> {
    let mut files = Vec::new();
    let mut folders = vec![package.to_owned()];
    let unreadable = |_| "The plugin package cannot be read.".to_owned();
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let stat = entry.metadata().map_err(unreadable)?;
            if stat.is_dir() {
                folders.push(entry.path());
            } else if stat.is_file() {
                files.push((entry.path(), stat.len()));
            }
        }
        if files.len() + folders.len() > FILES
            || files.iter().map(|(_, size)| size).sum::<u64>() > BYTES
        {
            return Err("The plugin package is too large.".to_owned());
        }
    }
    files.sort_unstable();
    let mut whole = Sha256::new();
    for (path, _) in files {
        let name = path.strip_prefix(package).unwrap_or(&path);
        whole.update(name.as_os_str().as_encoded_bytes());
        whole.update([0]);
        whole.update(Sha256::digest(fs::read(&path).map_err(unreadable)?));
    }
    Ok(hex(&whole.finalize()))
}

fn read_json(path: &Path) -> Option<Value> {
    let stat = fs::symlink_metadata(path).ok()?;
    let bytes = (stat.is_file() && stat.len() <= TEXT_BYTES).then(|| fs::read(path).ok())??;
    serde_json::from_slice(&bytes).ok()
}

/// Whether plugins can run in a sandbox on this machine. The sandbox tool is tried once.
fn sandbox(environment: &Environment) -> &'static str {
    static READY: OnceLock<bool> = OnceLock::new();
    if environment.allows_unsandboxed_plugins() {
        return "disabled";
    }
    let probe = || {
        let Some(tool) = search::on_path("bwrap") else { return false };
        let arguments = "--die-with-parent --new-session --unshare-all --ro-bind / / /usr/bin/true";
        let mut argv = vec![tool.into_os_string()];
        argv.extend(arguments.split(' ').map(Into::into));
        let limits = Limits { timeout: Duration::from_secs(2), output_bytes: 4096 };
        capture::run(&Spec::new(argv), &limits).is_ok_and(|ended| ended.code == 0)
    };
    if *READY.get_or_init(probe) { "ready" } else { "unavailable" }
}
