//! State shared by the parts of the module: the packages, the decisions about them, running their hooks.

use std::{
    path::PathBuf,
    sync::{
        Arc, Mutex,
        atomic::{AtomicU8, AtomicU64, Ordering},
    },
};

use serde_json::{Map, Value};

use super::{
    error::{HookError, PluginError},
    installing::Site,
    manifest::{Hook, Manifest},
    place::{self, checksum},
    run::{self, Host, Task},
    state::{Grant, PluginState},
};
use crate::{
    base::{Hold as _, Moment},
    config::{data_dir::DataDir, environment::Environment},
    feature::Deps,
    files::Files,
    library::answers::Answers,
    store::Store,
};

/// The shared part.
pub(super) struct Core {
    pub store: Store,
    pub files: Files,
    pub data_dir: DataDir,
    pub environment: Environment,
    pub answers: Arc<Answers>,
    pub host: Host,
    /// One change of packages and decisions at a time.
    changes: Mutex<()>,
    /// Counts changes.
    epoch: AtomicU64,
    /// The hooks that anything takes part in, a bit each, as far as is known.
    used: AtomicU8,
}

/// A plugin that is switched on, valid and declares a hook.
pub(super) struct Active {
    pub package: PathBuf,
    pub manifest: Manifest,
    network: bool,
    grant: Option<Grant>,
    settings: Option<Map<String, Value>>,
}

impl Core {
    pub(super) fn new(deps: &Deps, answers: &Arc<Answers>) -> Self {
        let Deps { store, files, data_dir, environment, .. } = deps;
        let host = Host::new(files.clone(), environment.clone(), data_dir.clone());
        Self {
            store: store.clone(),
            files: files.clone(),
            data_dir: data_dir.clone(),
            environment: environment.clone(),
            answers: Arc::clone(answers),
            host,
            changes: Mutex::default(),
            epoch: AtomicU64::new(0),
            used: AtomicU8::new(0),
        }
    }

    pub(super) fn folder(&self) -> PathBuf {
        self.data_dir.plugins()
    }

    /// Whether nothing may run.
    pub(super) fn is_safe_mode(&self) -> bool {
        self.environment.safe_mode()
    }

    /// How often something about plugins changed.
    pub(super) fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Notes a change of plugins.
    pub(super) fn bump(&self) {
        self.epoch.fetch_add(1, Ordering::AcqRel);
        self.answers.note_plugin_change();
    }

    /// Whether any plugin takes part in a hook, as far as is known.
    pub(super) fn uses(&self, hook: Hook) -> bool {
        self.used.load(Ordering::Acquire) & bit(hook) != 0
    }

    /// Checks which hooks are used; returns whether that changed.
    pub(super) fn look(&self) -> bool {
        let hooks = self.enabled().flat_map(|(manifest, _)| manifest.hooks);
        let used = if self.is_safe_mode() { 0 } else { hooks.fold(0, |all, it| all | bit(it)) };
        self.used.swap(used, Ordering::AcqRel) != used
    }

    /// The valid plugins that are switched on, in the order of their ids.
    fn enabled(&self) -> impl Iterator<Item = (Manifest, PathBuf)> {
        let folder = self.folder();
        let state = PluginState::read(&folder);
        place::packages(&folder).into_iter().filter_map(move |(name, path)| {
            let manifest = Manifest::read(&path, Some(&name)).ok()?;
            state.is_enabled(&name).then_some((manifest, path))
        })
    }

    /// The plugins that a hook is to be run of, in the order of their ids; none in safe mode.
    pub(super) fn active(&self, hook: Hook) -> Vec<Active> {
        if self.is_safe_mode() {
            return Vec::new();
        }
        let state = PluginState::read(&self.folder());
        let enabled = self.enabled().filter(|(manifest, _)| manifest.hooks.contains(&hook));
        enabled.map(|(manifest, package)| Active::of(manifest, package, &state)).collect()
    }

    /// An installed plugin by its id.
    ///
    /// # Errors
    /// When it is not there or not valid.
    pub(super) fn find(&self, id: &str) -> Result<(Manifest, PathBuf), PluginError> {
        let package = self.package(id)?;
        Ok((Manifest::read(&package, Some(id))?, package))
    }

    /// The package of this id, valid or not.
    ///
    /// # Errors
    /// [`PluginError::Unknown`].
    pub(super) fn package(&self, id: &str) -> Result<PathBuf, PluginError> {
        let mut packages = place::packages(&self.folder()).into_iter();
        let found = packages.find(|(name, _)| name == id);
        found.map(|(_, path)| path).ok_or(PluginError::Unknown)
    }

    /// Runs a hook of a plugin and returns what it printed. Its settings come with the payload.
    pub(super) fn run_raw(
        &self,
        plugin: &Active,
        hook: Hook,
        payload: &Map<String, Value>,
    ) -> Result<Vec<u8>, HookError> {
        let mut payload = payload.clone();
        if let Some(settings) = &plugin.settings {
            payload.insert("settings".to_owned(), Value::Object(settings.clone()));
        }
        // OK because a map of values is always JSON.
        self.run_text(plugin, hook, &serde_json::to_vec(&payload).unwrap_or_default(), false)
    }

    /// As [`Core::run_raw`], with the payload as text and without the settings. One that `is_last` is run
    /// although the program ends.
    pub(super) fn run_text(
        &self,
        plugin: &Active,
        hook: Hook,
        payload: &[u8],
        is_last: bool,
    ) -> Result<Vec<u8>, HookError> {
        if self.is_safe_mode() {
            return Err(HookError::SafeMode);
        }
        if !plugin.manifest.hooks.contains(&hook) {
            return Err(HookError::NotDeclared(hook.name()));
        }
        let is_trusted = || {
            let granted = plugin.grant.as_ref().map(|grant| grant.checksum.as_str());
            granted.is_some() && checksum(&plugin.package).ok().as_deref() == granted
        };
        let task = Task {
            id: &plugin.manifest.id,
            package: &plugin.package,
            entry: &plugin.manifest.entry,
            hook,
            network: plugin.network,
            is_trusted: &is_trusted,
            is_last,
        };
        self.host.run(&task, payload)
    }

    /// Runs a hook whose failure is only logged, and returns the object it printed.
    pub(super) fn run_quietly(
        &self,
        plugin: &Active,
        hook: Hook,
        payload: &Map<String, Value>,
    ) -> Option<Map<String, Value>> {
        let ran = self.run_raw(plugin, hook, payload).and_then(|output| run::object(&output));
        ran.inspect_err(|error| failed(plugin, hook, error)).ok().flatten()
    }

    /// Changes packages and decisions, one caller at a time.
    pub(super) fn change<T>(
        &self,
        change: impl FnOnce(&Site<'_>, &Moment) -> Result<T, PluginError>,
    ) -> Result<T, PluginError> {
        let _changing = self.changes.hold();
        let folder = self.folder();
        self.files.private_dir(&folder)?;
        change(&Site { files: &self.files, folder: &folder }, &Moment::now())
    }

    /// Changes the decisions inside of [`Core::change`].
    pub(super) fn decide(
        &self,
        site: &Site<'_>,
        change: impl FnOnce(&mut PluginState),
    ) -> Result<(), PluginError> {
        let before = PluginState::read(site.folder);
        let mut state = before.clone();
        change(&mut state);
        if state != before {
            state.write(&self.files, site.folder)?;
        }
        Ok(())
    }
}

/// Logs that a hook failed.
pub(super) fn failed(plugin: &Active, hook: Hook, error: &HookError) {
    log::warn!("plugin {}: {}: {error}", plugin.manifest.id, hook.name());
}

impl Active {
    /// A plugin with what was decided about it.
    pub(super) fn of(manifest: Manifest, package: PathBuf, state: &PluginState) -> Self {
        let id = manifest.id.as_str();
        let network = !state.granted(id, &manifest.permissions).is_empty();
        let grant = state.grant(id).cloned();
        let stored = state.settings.get(id);
        let settings = manifest.options.as_ref().map(|options| options.in_force(stored));
        Self { package, manifest, network, grant, settings }
    }

    /// The settings in force, when it declares any.
    pub(super) fn settings(&self) -> Option<&Map<String, Value>> {
        self.settings.as_ref()
    }
}

fn bit(hook: Hook) -> u8 {
    1 << hook as u8
}
