//! The emulators as clients see them: platforms, whether and how they are installed.
//!
//! Serves `GET /api/emulators`.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::{Value, json};

use crate::{
    launch::detection::{Detector, Mode},
    model::emulators::{App, Catalog, Definition, StateBlock},
};

/// One emulator with what this machine says about it.
#[derive(Clone, Debug)]
pub struct Emulator {
    /// The emulator.
    pub app: Arc<App>,
    /// How it is installed; `None` when it is not.
    pub mode: Option<Mode>,
    /// The platforms it plays, each once.
    pub platforms: Vec<String>,
    /// The commands it gives, by platform; empty when it is not installed.
    pub profiles: BTreeMap<String, String>,
}

/// Every emulator in the order of the definitions. May ask the package tool about each.
#[must_use]
pub fn all(detector: &Detector) -> Vec<Emulator> {
    let catalog = detector.catalog();
    catalog.apps().into_iter().map(|app| one(detector, &catalog, app)).collect()
}

/// One emulator.
#[must_use]
pub fn one(detector: &Detector, catalog: &Catalog, app: &Arc<App>) -> Emulator {
    let mode = detector.mode_of(app);
    let platforms = platforms(catalog, app);
    let mut profiles = BTreeMap::new();
    if mode.is_some() {
        for platform in &platforms {
            let command = catalog
                .ranked(platform)
                .into_iter()
                .filter(|definition| definition.app.id == app.id)
                .find_map(|definition| detector.command_of(definition));
            profiles.extend(command.map(|command| (platform.clone(), command)));
        }
    }
    Emulator { app: Arc::clone(app), mode, platforms, profiles }
}

fn platforms(catalog: &Catalog, app: &App) -> Vec<String> {
    let of_app = catalog.definitions().iter().filter(|definition| definition.app.id == app.id);
    let mut platforms: Vec<String> = of_app.map(|definition| definition.platform.clone()).collect();
    platforms.sort_unstable();
    platforms.dedup();
    platforms
}

impl Emulator {
    /// The entry of `GET /api/emulators`; `job` is its last job, `{}` without one.
    #[must_use]
    pub fn entry(&self, can_install: bool, recommendations: &Value, job: Value) -> Value {
        json!({
            "app_id": self.app.id,
            "name": self.app.name,
            "platforms": self.platforms,
            "installed": self.mode.is_some(),
            "mode": self.mode.map_or("", Mode::name),
            "profiles": self.profiles,
            "can_install": can_install,
            "recommendations": recommendations,
            "job": job,
        })
    }
}

/// For every platform its emulators as pairs of package id and name.
#[must_use]
pub fn recommendations(catalog: &Catalog) -> Value {
    let mut map: BTreeMap<&str, Vec<[&str; 2]>> = BTreeMap::new();
    for definition in catalog.definitions() {
        let apps = catalog.for_platform(&definition.platform);
        let pairs = apps.into_iter().map(|app| [app.id.as_str(), app.name.as_str()]);
        map.insert(&definition.platform, pairs.collect());
    }
    json!(map)
}

/// The emulators for one platform; none for an unknown one.
#[must_use]
pub fn recommend(catalog: &Catalog, platform: &str) -> Vec<Value> {
    let apps = catalog.for_platform(platform).into_iter();
    apps.map(|app| json!({"app_id": app.id, "name": app.name, "platform": platform})).collect()
}

/// The definitions as clients see them.
#[must_use]
pub fn definitions(catalog: &Catalog) -> Vec<Value> {
    catalog.definitions().iter().map(|row| definition(row)).collect()
}

fn definition(row: &Definition) -> Value {
    json!({
        "id": row.id,
        "name": row.label,
        "extensions": row.extensions,
        "platforms": [row.platform],
        "startup": row.arguments.join(" "),
        "startup_args": row.arguments,
        "executable_patterns": row.app.patterns,
        "flatpak": row.app.package,
        "native": row.app.executable,
        "emulator_id": row.app.id,
        "emulator_def": row.id,
        "state": state(&row.state),
        "origin": row.origin.name(),
    })
}

/// How a definition takes a state along, as it is shown.
#[must_use]
pub fn state(block: &StateBlock) -> Value {
    json!({
        "kind": block.kind.name(),
        "template": block.template,
        "capture": block.capture,
        "glob": block.glob,
    })
}
