//! The registry: every definition with its state on this machine and, on request, whether its
//! requirements are met.
//!
//! Serves `GET /api/v2/emulators/registry`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::overview;
use crate::{
    formats::definition_file::SCHEMA,
    launch::{
        detection::{Detector, Mode},
        doctor::machine::{Kind, Machine},
    },
    model::{
        emulators::{Catalog, Definition, Requirement},
        needs,
    },
};

/// What the registry asks this machine.
pub struct Workbench<'a> {
    /// Knows what is installed.
    pub detector: &'a Detector,
    /// Looks at files.
    pub machine: &'a dyn Machine,
}

/// The registry of a set of definitions. May ask the package tool about each emulator, and with
/// `health` reads firmware.
#[must_use]
pub fn registry(catalog: &Catalog, bench: &Workbench<'_>, health: bool) -> Value {
    let mut platforms: BTreeMap<&str, [usize; 2]> = BTreeMap::new();
    let mut adapters = Vec::new();
    for definition in catalog.definitions() {
        let mode = bench.detector.mode_of(&definition.app);
        let [count, installed] = platforms.entry(&definition.platform).or_default();
        *count += 1;
        *installed += usize::from(mode.is_some());
        let mut adapter = adapter(definition, bench, mode);
        if health {
            for (key, value) in bench.health(definition) {
                adapter[key] = value;
            }
        }
        adapters.push(adapter);
    }
    let platforms: BTreeMap<&str, Value> = platforms
        .into_iter()
        .map(|(name, [count, installed])| {
            (name, json!({"adapters": count, "installed": installed}))
        })
        .collect();
    json!({"schema_version": SCHEMA, "adapters": adapters, "platforms": platforms})
}

fn adapter(definition: &Definition, bench: &Workbench<'_>, mode: Option<Mode>) -> Value {
    let is_core = !definition.core_path.is_empty();
    json!({
        "adapter_id": definition.id,
        "emulator_id": definition.app.id,
        "label": definition.label,
        "platform": definition.platform,
        "extensions": definition.extensions,
        "native_exe": definition.app.executable,
        "flatpak_app_id": definition.app.package,
        "startup_args": bench.detector.arguments_of(definition),
        "recommended": definition.recommended,
        "priority": definition.priority,
        "state": overview::state(&definition.state),
        "adapter_type": if is_core { "libretro" } else { "standalone" },
        "installed": mode.is_some(),
        "mode": mode.map_or("", Mode::name),
        "origin": definition.origin.name(),
    })
}

/// What is known of a file or folder that is needed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Health {
    Good,
    Missing,
    /// A file that is not the one that is meant.
    Drift,
}

impl Workbench<'_> {
    /// Whether BIOS, firmware and core of a definition are there.
    fn health(&self, definition: &Definition) -> Vec<(&'static str, Value)> {
        let need = needs::of_app(&definition.app.id);
        let named = |requirement: Option<&Requirement>, is_firmware: bool| {
            let places = need.filter(|need| need.is_firmware() == is_firmware);
            let places = places.map(|need| need.paths(self.machine.home())).unwrap_or_default();
            match requirement {
                Some(requirement) => self.requirement(requirement, &places),
                // Nothing is needed where nothing is named and no place is known.
                None if places.iter().all(|place| place.as_os_str().is_empty()) => Health::Good,
                None if places.iter().any(|place| self.machine.has_content(place)) => Health::Good,
                None => Health::Missing,
            }
        };
        let bios = named(definition.bios.as_ref(), false);
        let firmware = named(definition.firmware.as_ref(), true);
        let core = self.detector.core_of(definition);
        let has_core = core.as_deref().is_none_or(|core| self.machine.kind(core) == Kind::File);
        let codes: &[&str] = if bios == Health::Drift { &["BIOS_SHA1_DRIFT"] } else { &[] };
        let part = |requirement: &Option<Requirement>, of: fn(&Requirement) -> &String| {
            Value::from(requirement.as_ref().map_or("", |requirement| of(requirement)))
        };
        vec![
            ("bios_ok", (bios == Health::Good).into()),
            ("firmware_ok", (firmware == Health::Good).into()),
            ("core_ok", has_core.into()),
            ("bios_path", part(&definition.bios, |each| &each.path)),
            ("bios_sha1", part(&definition.bios, |each| &each.sha1)),
            ("firmware_path", part(&definition.firmware, |each| &each.path)),
            ("firmware_sha1", part(&definition.firmware, |each| &each.sha1)),
            ("core_path", core.unwrap_or_default().to_string_lossy().into()),
            ("codes", codes.into()),
        ]
    }

    /// Looks at the named place, then at the same file or folder where the emulator's other
    /// installation keeps it.
    fn requirement(&self, requirement: &Requirement, places: &[PathBuf; 2]) -> Health {
        let home = self.machine.home();
        let path = requirement
            .path
            .strip_prefix("~/")
            .map_or_else(|| PathBuf::from(&requirement.path), |below| home.join(below));
        let twins = places.iter().filter(|place| !place.as_os_str().is_empty());
        let twins = twins.map(|place| twin(&path, &places[0], place));
        let mut candidates = std::iter::once(path.clone()).chain(twins);
        let Some(found) = candidates.find(|path| self.machine.kind(path) != Kind::Nothing) else {
            return Health::Missing;
        };
        match self.machine.kind(&found) {
            // A folder has no hash of its own; something in it will do.
            Kind::Folder if self.machine.has_content(&found) => Health::Good,
            Kind::File if requirement.sha1.is_empty() => Health::Good,
            Kind::File if self.machine.sha1(&found).as_ref() == Some(&requirement.sha1) => {
                Health::Good
            }
            Kind::File => Health::Drift,
            Kind::Folder | Kind::Other | Kind::Nothing => Health::Missing,
        }
    }
}

/// The same path below another place; the place itself when the path is not below the first one.
fn twin(path: &Path, first: &Path, place: &Path) -> PathBuf {
    match path.strip_prefix(first) {
        Ok(rest) if !rest.as_os_str().is_empty() => place.join(rest),
        Ok(_) | Err(_) => place.to_owned(),
    }
}
