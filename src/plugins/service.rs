//! The interface of plugins for handlers and other modules.

use std::{
    ffi::OsString,
    path::PathBuf,
    sync::Arc,
    time::{Duration, Instant},
};

use serde_json::{Map, Value, json};

use super::{
    catalog,
    core::{Active, Core},
    error::PluginError,
    events::{self, PluginEvent},
    installing::{Installed, Site},
    launching,
    manifest::{API_VERSION, Hook, Manifest, NETWORK},
    options::Options,
    place::{self, checksum},
    queue::{self, Message, Queue},
    run,
    shown::{
        PluginCatalog, PluginCatalogStatus, PluginCommandDone, PluginCommands, PluginInstalled,
        PluginList, PluginPermissions, PluginRemoved, PluginSettings, PluginSettingsSaved,
        PluginToggled, PluginTrust, PluginTrusted, notification,
    },
    state::{Grant, PluginState},
    view::View,
};
use crate::{
    base::Workers,
    feature::Deps,
    jobs::kind::object,
    launch::error::LaunchError,
    library::answers::Answers,
    model::{Cause, Game, State},
    store::watch::Change,
};

/// Games that a command receives.
const COMMAND_GAMES: usize = 500;
/// How long the plugins may take together to learn that the program ends.
const FAREWELL: Duration = Duration::from_secs(10);
/// How long the threads may take to end after that.
const ENDING: Duration = Duration::from_secs(2);

/// The plugins.
pub struct Plugins {
    core: Arc<Core>,
    view: Arc<View>,
    queue: Arc<Queue>,
    workers: Workers,
}

impl Plugins {
    /// The plugins of a data directory. Tidies up what a kill left there.
    pub fn new(deps: &Deps, answers: &Arc<Answers>) -> Self {
        let core = Arc::new(Core::new(deps, answers));
        let folder = core.folder();
        if let Err(error) = (Site { files: &core.files, folder: &folder }).sweep() {
            log::warn!("unfinished installations of plugins stay: {error}");
        }
        core.look();
        Self { core, view: Arc::default(), queue: Arc::default(), workers: Workers::default() }
    }

    /// Notifies the plugins of the start, and requests the first results.
    pub fn start(&self) {
        if self.core.uses(Hook::Library) || self.core.uses(Hook::LibrarySource) {
            self.view.request(&self.core, &self.workers);
        }
        self.tell(events::event("app_startup", json!({})));
    }

    /// Notifies the plugins of the end of the program, and ends their hooks.
    pub fn stop(&self) {
        self.core.host.stop();
        if self.core.uses(Hook::Events) {
            let begun = Instant::now();
            let event = events::event("app_shutdown", json!({}));
            queue::send_last(&self.core, &event, &|| begun.elapsed() < FAREWELL);
        }
        let left = self.workers.join_within(ENDING);
        if left > 0 {
            log::warn!("{left} threads of plugins did not end");
        }
    }

    /// Queues an event for the plugins. Returns at once.
    pub fn tell(&self, event: PluginEvent) {
        if self.core.uses(Hook::Events) {
            self.queue.tell(&self.core, &self.workers, Message::Event(event));
        }
    }

    /// Queues a change of the library for the plugins. Returns at once.
    pub fn tell_change(&self, change: &Change) {
        if self.core.uses(Hook::Events) && events::concerns(change) {
            self.queue.tell(&self.core, &self.workers, Message::Change(change.clone()));
        }
    }

    /// Queues the record of an ended session for the plugins. Returns at once.
    pub fn tell_session(&self, record: Map<String, Value>) {
        if self.core.uses(Hook::AfterSession) {
            self.queue.tell(&self.core, &self.workers, Message::Session(record));
        }
    }

    /// Called before the library is read: refreshes the results of the library hooks where that is due, and waits a
    /// little for those that are new.
    pub fn before_reading(&self, state: &State) {
        self.view.before_reading(&self.core, &self.workers, state);
    }

    /// Lets the plugins change the command of a launch and its folder.
    ///
    /// # Errors
    /// [`LaunchError::Canceled`].
    pub fn before_launch(
        &self,
        state: &State,
        game: &Game,
        argv: Vec<OsString>,
        cwd: PathBuf,
    ) -> Result<(Vec<OsString>, PathBuf), LaunchError> {
        launching::rewrite(&self.core, state, game, argv, cwd)
    }

    /// `GET /api/plugins`: every package, valid or not.
    pub fn list(&self) -> PluginList {
        if self.core.look() {
            self.core.bump();
            self.view.request(&self.core, &self.workers);
        }
        let folder = self.core.folder();
        let state = PluginState::read(&folder);
        let sandbox = self.core.host.sandbox();
        let packages = place::packages(&folder).into_iter();
        let plugins = packages.map(|(name, path)| {
            let read = Manifest::read(&path, Some(&name)).map_err(|error| error.to_string());
            let read = read.and_then(|manifest| {
                let checksum = checksum(&path).map_err(|error| error.to_string())?;
                Ok((manifest, checksum))
            });
            match read {
                Ok((manifest, checksum)) => {
                    let trust = Trust::of(&state, &name, checksum);
                    let mut shown = manifest.shown;
                    shown.extend(object(json!({
                        "valid": true, "enabled": state.is_enabled(&name), "sandbox": sandbox,
                        "checksum": trust.checksum, "trusted": trust.is_given,
                        "retrust": trust.is_outdated,
                        "granted_permissions": state.granted(&name, &manifest.permissions),
                    })));
                    shown
                }
                Err(error) => object(json!({
                    "id": name, "name": name, "version": "", "valid": false, "error": error,
                    "enabled": false, "sandbox": sandbox, "commands": [], "hooks": [],
                })),
            }
        });
        PluginList { plugins: plugins.collect(), api_version: API_VERSION, sandbox }
    }

    /// Installs the package in a folder or a ZIP file, or replaces another version of it.
    ///
    /// # Errors
    /// [`PluginError`]; the plugins are as they were then.
    pub fn install(&self, path: &str) -> Result<PluginInstalled, PluginError> {
        let source = self.core.environment.expand_home(path.trim());
        let installed = self.core.change(|site, now| {
            let installed = site.install(&source, None, now)?;
            self.welcome(site, &installed)?;
            Ok(installed)
        })?;
        Ok(self.installed(installed))
    }

    /// Installs the package of a catalog entry.
    ///
    /// # Errors
    /// [`PluginError`]; the plugins are as they were then.
    pub fn install_from_catalog(&self, id: &str) -> Result<PluginInstalled, PluginError> {
        let entries = catalog::entries(&self.core.environment);
        let entry = entries.iter().find(|entry| entry.id == id).ok_or(PluginError::NotInCatalog)?;
        let folder = self.core.folder();
        let site = Site { files: &self.core.files, folder: &folder };
        // Not inside the change: a slow server would keep other changes waiting.
        let (_workspace, package) = catalog::download(&site, entry)?;
        let installed = self.core.change(|site, now| {
            let installed = site.install(&package, Some(id), now)?;
            self.welcome(site, &installed)?;
            Ok(installed)
        })?;
        Ok(self.installed(installed))
    }

    /// A new plugin is switched on, whatever was decided about an earlier one of its id.
    fn welcome(&self, site: &Site<'_>, installed: &Installed) -> Result<(), PluginError> {
        if installed.updated {
            return Ok(());
        }
        self.core.decide(site, |state| state.set_enabled(&installed.manifest.id, true))
    }

    fn installed(&self, installed: Installed) -> PluginInstalled {
        let Installed { manifest, updated } = installed;
        self.changed(Some(if updated { "updated" } else { "installed" }), &manifest.id);
        let mut plugin = manifest.shown;
        plugin.insert("updated".to_owned(), updated.into());
        PluginInstalled { plugin }
    }

    /// Switches a plugin on or off.
    ///
    /// # Errors
    /// [`PluginError::Unknown`], or when the disk refuses.
    pub fn toggle(&self, id: &str, enabled: bool) -> Result<PluginToggled, PluginError> {
        self.core.change(|site, _| {
            self.core.package(id)?;
            self.core.decide(site, |state| state.set_enabled(id, enabled))
        })?;
        self.changed(Some(if enabled { "enabled" } else { "disabled" }), id);
        Ok(PluginToggled { enabled })
    }

    /// Moves a package away and forgets what was decided about it.
    ///
    /// # Errors
    /// [`PluginError::Unknown`], or when the disk refuses.
    pub fn remove(&self, id: &str) -> Result<PluginRemoved, PluginError> {
        self.core.change(|site, now| {
            self.core.package(id)?;
            // Trust must not outlive the package, so it goes first. What else was decided stays until the package is
            // gone: a removal that fails must not switch a plugin on.
            self.core.decide(site, |state| state.distrust(id))?;
            site.remove(id, now)?;
            self.core.decide(site, |state| state.forget(id))
        })?;
        self.changed(Some("removed"), id);
        Ok(PluginRemoved { removed: id.to_owned() })
    }

    /// `GET /api/plugins/catalog`. May ask a server.
    pub fn catalog(&self) -> PluginCatalog {
        let entries = catalog::entries(&self.core.environment).into_iter();
        PluginCatalog { catalog: entries.map(|entry| entry.shown).collect() }
    }

    /// `GET /api/v2/plugins/catalog`. May ask a server.
    pub fn catalog_status(&self) -> PluginCatalogStatus {
        let entries = catalog::entries(&self.core.environment).into_iter();
        let catalog = entries.map(|entry| {
            let installed = self.core.find(&entry.id).ok().map(|(manifest, _)| manifest.version);
            let is_other = installed.as_ref().is_some_and(|version| *version != entry.version);
            let mut shown = entry.shown;
            shown.extend(object(json!({
                "installed": installed.is_some(),
                "installed_version": installed.unwrap_or_default(),
                "update_available": is_other,
            })));
            shown
        });
        PluginCatalogStatus { catalog: catalog.collect(), sandbox: self.core.host.sandbox() }
    }

    /// `GET /api/v2/plugins/commands`: those of the valid plugins that are switched on.
    pub fn commands(&self) -> PluginCommands {
        let folder = self.core.folder();
        let state = PluginState::read(&folder);
        let packages = place::packages(&folder).into_iter();
        let enabled = packages.filter(|(name, _)| state.is_enabled(name));
        let manifests = enabled.filter_map(|(name, path)| Manifest::read(&path, Some(&name)).ok());
        PluginCommands {
            api_version: API_VERSION,
            sandbox: self.core.host.sandbox(),
            commands: manifests.flat_map(|manifest| manifest.commands).collect(),
        }
    }

    /// Runs a command of a plugin.
    ///
    /// # Errors
    /// [`PluginError`], that of the hook among them.
    pub fn command(
        &self,
        plugin_id: &str,
        command: &str,
        state: &State,
    ) -> Result<PluginCommandDone, PluginError> {
        if plugin_id.is_empty() || command.is_empty() {
            return Err(PluginError::NoCommand);
        }
        let (manifest, package) = self.core.find(plugin_id)?;
        if !manifest.commands.iter().any(|known| known.id == command) {
            return Err(PluginError::UnknownCommand);
        }
        let decided = PluginState::read(&self.core.folder());
        if !decided.is_enabled(plugin_id) {
            return Err(PluginError::Disabled);
        }
        let games = state.games.iter().take(COMMAND_GAMES).map(|game| {
            json!({
                "game_id": game.id(), "name": game.name(), "platform": game.platform(),
                "progress": game.progress(), "favorite": game.favorite(),
                "playtime_seconds": game.playtime_seconds(),
            })
        });
        let payload = json!({"command": command, "library": games.collect::<Vec<_>>()});
        let active = Active::of(manifest, package, &decided);
        let output = self.core.run_raw(&active, Hook::Palette, &object(payload));
        let result = output.and_then(|output| run::object(&output))?;
        Ok(PluginCommandDone {
            ok: true,
            plugin_id: plugin_id.to_owned(),
            command: command.to_owned(),
            notification: result.as_ref().and_then(notification),
            result,
        })
    }

    /// Whether a plugin is trusted.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn trust(&self, id: &str) -> Result<PluginTrust, PluginError> {
        let (_, package) = self.core.find(id)?;
        let state = PluginState::read(&self.core.folder());
        let trust = Trust::of(&state, id, checksum(&package)?);
        let granted_at = state.grant(id).map(|grant| grant.granted_at.clone());
        Ok(PluginTrust {
            id: id.to_owned(),
            granted: trust.is_given,
            trusted: trust.is_given,
            r#match: trust.is_given,
            checksum_matches: trust.is_given,
            checksum: trust.checksum,
            granted_at: granted_at.unwrap_or_default(),
            retrust: trust.is_outdated,
        })
    }

    /// Trusts the installed package, or trusts it no more.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn set_trust(&self, id: &str, trusted: bool) -> Result<PluginTrusted, PluginError> {
        self.core.change(|site, now| {
            let (_, package) = self.core.find(id)?;
            let (checksum, granted_at) = (checksum(&package)?, now.utc_iso_seconds());
            let grant = Grant { trusted, checksum, granted_at };
            self.core.decide(site, |state| {
                if trusted {
                    state.trust.insert(id.to_owned(), grant);
                } else {
                    state.trust.remove(id);
                }
            })
        })?;
        self.changed(None, id);
        Ok(PluginTrusted { id: id.to_owned(), trusted })
    }

    /// Grants a plugin these permissions and no others.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn set_permissions(
        &self,
        id: &str,
        permissions: &[&str],
    ) -> Result<PluginPermissions, PluginError> {
        let granted = self.core.change(|site, _| {
            let (manifest, _) = self.core.find(id)?;
            let named = |names: Vec<&str>| names.join(", ");
            let unknown: Vec<&str> =
                permissions.iter().copied().filter(|name| *name != NETWORK).collect();
            if !unknown.is_empty() {
                return Err(PluginError::UnknownPermissions(named(unknown)));
            }
            let is_undeclared = |name: &&str| !manifest.permissions.iter().any(|it| it == name);
            let mut undeclared: Vec<&str> =
                permissions.iter().copied().filter(is_undeclared).collect();
            undeclared.dedup();
            if !undeclared.is_empty() {
                return Err(PluginError::Undeclared(named(undeclared)));
            }
            let mut granted: Vec<String> =
                permissions.iter().map(|&name| name.to_owned()).collect();
            granted.sort_unstable();
            granted.dedup();
            let stored = granted.clone();
            self.core.decide(site, |state| {
                if stored.is_empty() {
                    state.permissions.remove(id);
                } else {
                    state.permissions.insert(id.to_owned(), stored);
                }
            })?;
            Ok(granted)
        })?;
        self.changed(None, id);
        Ok(PluginPermissions { id: id.to_owned(), permissions: granted })
    }

    /// The settings of a plugin.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn settings(&self, id: &str) -> Result<PluginSettings, PluginError> {
        let (manifest, _) = self.core.find(id)?;
        let state = PluginState::read(&self.core.folder());
        let options = manifest.options.unwrap_or_else(Options::none);
        let values = options.in_force(state.settings.get(id));
        Ok(PluginSettings { id: id.to_owned(), schema: options.shown, values })
    }

    /// Stores the settings of a plugin.
    ///
    /// # Errors
    /// [`PluginError`].
    pub fn set_settings(
        &self,
        id: &str,
        values: Option<&Map<String, Value>>,
    ) -> Result<PluginSettingsSaved, PluginError> {
        let values = self.core.change(|site, _| {
            let (manifest, _) = self.core.find(id)?;
            let options = manifest.options.unwrap_or_else(Options::none);
            let values = values.ok_or(super::options::ValueError::Shape)?;
            let checked = options.check(values)?;
            let stored = checked.clone();
            self.core.decide(site, |state| drop(state.settings.insert(id.to_owned(), stored)))?;
            Ok(checked)
        })?;
        self.changed(None, id);
        Ok(PluginSettingsSaved { id: id.to_owned(), values })
    }

    /// The effects of a change of plugins. `action` is the name that others receive.
    fn changed(&self, action: Option<&'static str>, id: &str) {
        self.core.look();
        self.core.bump();
        self.view.request(&self.core, &self.workers);
        if let Some(action) = action {
            self.core.store.report(Cause::PluginChanged { action, plugin: id.to_owned() });
        }
    }
}

/// Trust in the installed package.
struct Trust {
    checksum: String,
    is_given: bool,
    /// It was given to another package of this id.
    is_outdated: bool,
}

impl Trust {
    fn of(state: &PluginState, id: &str, checksum: String) -> Self {
        let trusted = state.grant(id).map(|grant| grant.checksum == checksum);
        Self { checksum, is_given: trusted == Some(true), is_outdated: trusted == Some(false) }
    }
}
