//! The registry: every definition with its state on this machine and, on request, whether its
//! requirements are met.
//!
//! Serves `GET /api/v2/emulators/registry`.

use std::{
    collections::BTreeMap,
    path::{Path, PathBuf},
};

use super::overview::ShownState;
use crate::{
    base::schema::schema,
    definitions::gather::{Gathered, ShownProblem},
    formats::definition_file::SCHEMA,
    launch::{
        detection::{Detector, Mode},
        machine::{Kind, Machine},
    },
    model::{
        emulators::{Definition, Requirement},
        needs,
    },
};

/// What the registry asks this machine.
pub struct Workbench<'a> {
    /// Knows what is installed.
    pub detector: &'a Detector,
    /// Checks files.
    pub machine: &'a dyn Machine,
}

schema! {
    "EmulatorRegistry"
    /// Every definition with its state on this machine.
    pub struct Registry {
        adapters: Vec<Adapter>,
        /// By the name of the platform.
        platforms: BTreeMap<String, PlatformCounts>,
        /// Files of definitions that are skipped.
        problems: Vec<ShownProblem>,
        schema_version: u32,
    }

    /// How many definitions a platform has.
    #[derive(Default)]
    struct PlatformCounts {
        adapters: usize,
        /// Those whose emulator is installed.
        installed: usize,
    }

    /// A definition with its state on this machine.
    struct Adapter {
        adapter_id: String,
        adapter_type: &'static str,
        emulator_id: String,
        extensions: Vec<String>,
        flatpak_app_id: String,
        #[serde(flatten)]
        health: Option<AdapterHealth>,
        installed: bool,
        label: String,
        mode: &'static str,
        native_exe: String,
        origin: &'static str,
        platform: String,
        priority: u32,
        recommended: bool,
        startup_args: Vec<String>,
        state: ShownState,
    }

    /// Whether the requirements of a definition are met.
    struct AdapterHealth {
        bios_ok: bool,
        bios_path: String,
        bios_sha1: String,
        codes: &'static [&'static str],
        core_ok: bool,
        core_path: String,
        firmware_ok: bool,
        firmware_path: String,
        firmware_sha1: String,
    }
}

/// The registry of a set of definitions. May ask the package tool about each emulator, and with
/// `health` reads firmware.
pub fn registry(gathered: &Gathered, bench: &Workbench<'_>, health: bool) -> Registry {
    let mut platforms: BTreeMap<String, PlatformCounts> = BTreeMap::new();
    let mut adapters = Vec::new();
    for definition in gathered.catalog.definitions() {
        let mode = bench.detector.mode_of(&definition.app);
        let counts = platforms.entry(definition.platform.clone()).or_default();
        counts.adapters += 1;
        counts.installed += usize::from(mode.is_some());
        let health = health.then(|| bench.health(definition));
        adapters.push(adapter(definition, bench, mode, health));
    }
    let problems = gathered.shown_problems();
    Registry { adapters, platforms, problems, schema_version: SCHEMA }
}

fn adapter(
    definition: &Definition,
    bench: &Workbench<'_>,
    mode: Option<Mode>,
    health: Option<AdapterHealth>,
) -> Adapter {
    let is_core = !definition.core_path.is_empty();
    Adapter {
        adapter_id: definition.id.clone(),
        adapter_type: if is_core { "libretro" } else { "standalone" },
        emulator_id: definition.app.id.clone(),
        extensions: definition.extensions.clone(),
        flatpak_app_id: definition.app.package.clone(),
        health,
        installed: mode.is_some(),
        label: definition.label.clone(),
        mode: mode.map_or("", Mode::name),
        native_exe: definition.app.executable.clone(),
        origin: definition.origin.name(),
        platform: definition.platform.clone(),
        priority: definition.priority,
        recommended: definition.recommended,
        startup_args: bench.detector.arguments_of(definition),
        state: ShownState::of(&definition.state),
    }
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
    fn health(&self, definition: &Definition) -> AdapterHealth {
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
        let is_there = |core: &Path| self.machine.kind(core) == Kind::File;
        let core = self.detector.core_of(definition).map(|core| {
            let instead = || self.machine.core_instead(&core, &definition.platform);
            if is_there(&core) { core } else { instead().unwrap_or(core) }
        });
        let has_core = core.as_deref().is_none_or(is_there);
        let part = |requirement: &Option<Requirement>, of: fn(&Requirement) -> &String| {
            requirement.as_ref().map(of).cloned().unwrap_or_default()
        };
        AdapterHealth {
            bios_ok: bios == Health::Good,
            bios_path: part(&definition.bios, |each| &each.path),
            bios_sha1: part(&definition.bios, |each| &each.sha1),
            codes: if bios == Health::Drift { &["BIOS_SHA1_DRIFT"] } else { &[] },
            core_ok: has_core,
            core_path: core.unwrap_or_default().to_string_lossy().into_owned(),
            firmware_ok: firmware == Health::Good,
            firmware_path: part(&definition.firmware, |each| &each.path),
            firmware_sha1: part(&definition.firmware, |each| &each.sha1),
        }
    }

    /// Checks the named place, then the same file or folder where the emulator's other
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
