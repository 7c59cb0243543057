//! The emulators as clients see them: what they play, whether and how they are here.
//!
//! Source: Document 2, "Emulator entry"; facts of extensions, 2.2.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use crate::{
    model::emulators::{self, App, DEFINITIONS, Definition},
    play::{
        detection::{Detector, Mode},
        invocation,
    },
};

/// One emulator with what this machine says about it.
#[derive(Clone, Debug)]
pub struct Emulator {
    /// The emulator.
    pub app: &'static App,
    /// How it is installed; `None` when it is not.
    pub mode: Option<Mode>,
    /// The commands it gives, by platform; empty when it is not installed.
    pub profiles: BTreeMap<&'static str, String>,
}

/// Every emulator in the order of the definitions. May ask the package tool about each.
#[must_use]
pub fn all(detector: &Detector) -> Vec<Emulator> {
    emulators::apps().into_iter().map(|app| one(detector, app)).collect()
}

/// One emulator.
#[must_use]
pub fn one(detector: &Detector, app: &'static App) -> Emulator {
    let mode = detector.mode_of(app);
    let mut profiles = BTreeMap::new();
    if mode.is_some() {
        for platform in platforms(app) {
            let command = invocation::ranked(platform)
                .filter(|definition| definition.app.id == app.id)
                .find_map(|definition| detector.command_of(definition));
            profiles.extend(command.map(|command| (platform, command)));
        }
    }
    Emulator { app, mode, profiles }
}

/// The platforms an emulator plays, each once.
#[must_use]
pub fn platforms(app: &App) -> Vec<&'static str> {
    let of_app = DEFINITIONS.iter().filter(|definition| definition.app.id == app.id);
    let mut platforms: Vec<&'static str> = of_app.map(|definition| definition.platform).collect();
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
            "platforms": platforms(self.app),
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
pub fn recommendations() -> Value {
    let mut map: BTreeMap<&str, Vec<[&str; 2]>> = BTreeMap::new();
    for definition in DEFINITIONS {
        let apps = emulators::for_platform(definition.platform);
        map.insert(definition.platform, apps.iter().map(|app| [app.id, app.name]).collect());
    }
    json!(map)
}

/// The emulators for one platform; none for an unknown one.
#[must_use]
pub fn recommend(platform: &str) -> Vec<Value> {
    let apps = emulators::for_platform(platform).into_iter();
    apps.map(|app| json!({"app_id": app.id, "name": app.name, "platform": platform})).collect()
}

/// The definitions as clients see them.
#[must_use]
pub fn definitions() -> Vec<Value> {
    DEFINITIONS.iter().map(definition).collect()
}

fn definition(row: &Definition) -> Value {
    json!({
        "id": row.id,
        "name": emulators::label(row),
        "extensions": row.extensions,
        "platforms": [row.platform],
        "startup": row.arguments.join(" "),
        "startup_args": row.arguments,
        "executable_patterns": [row.app.executable],
        "flatpak": row.app.id,
        "native": row.app.executable,
        "emulator_id": row.app.id,
        "emulator_def": row.id,
        "state": Map::new(),
    })
}
