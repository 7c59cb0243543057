//! The emulators as clients see them: platforms, whether and how they are installed.
//!
//! Serves `GET /api/emulators`.

use std::{
    borrow::Cow,
    collections::{BTreeMap, BTreeSet},
    sync::Arc,
};

use serde_json::Value;

use crate::{
    base::schema::schema,
    launch::detection::{Detector, Mode},
    model::emulators::{App, Catalog, Definition, StateBlock},
};

/// One emulator with its state on this machine.
#[derive(Clone, Debug)]
pub struct Emulator {
    /// The emulator.
    pub app: Arc<App>,
    /// Whether only the extended pack has it.
    pub is_extended: bool,
    /// How it is installed; `None` when it is not.
    pub mode: Option<Mode>,
    /// The platforms it plays, each once.
    pub platforms: Vec<String>,
    /// The commands it gives, by platform; empty when it is not installed.
    pub profiles: BTreeMap<String, String>,
}

/// Every emulator in the order of the definitions, on request with those that only the extended pack
/// has and with all platforms that it knows of the others. May ask the package tool.
pub fn all(detector: &Detector, with_extended: bool) -> Vec<Emulator> {
    let catalog = detector.catalog();
    let standard = catalog.apps().into_iter().map(|app| (app, platforms(&catalog, app)));
    if !with_extended {
        return standard.map(|(app, of_app)| look_at(detector, &catalog, app, of_app)).collect();
    }
    let extended = catalog.extended_apps();
    let known = catalog.apps().into_iter().chain(extended.iter().copied());
    let emulators = known.map(|app| {
        let of_app = played(&mut catalog.all(), app);
        let is_extended = extended.iter().any(|one| one.id == app.id);
        Emulator { is_extended, ..look_at(detector, &catalog, app, of_app) }
    });
    emulators.collect()
}

/// One emulator.
pub fn one(detector: &Detector, catalog: &Catalog, app: &Arc<App>) -> Emulator {
    look_at(detector, catalog, app, platforms(catalog, app))
}

fn look_at(
    detector: &Detector,
    catalog: &Catalog,
    app: &Arc<App>,
    platforms: Vec<String>,
) -> Emulator {
    let mode = detector.mode_of(app);
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
    Emulator { app: Arc::clone(app), is_extended: false, mode, platforms, profiles }
}

/// The platforms of the definitions that an emulator has; those of the extended pack only where it
/// has no others.
fn platforms(catalog: &Catalog, app: &App) -> Vec<String> {
    let platforms = played(&mut catalog.definitions().iter(), app);
    if platforms.is_empty() { played(&mut catalog.extended().iter(), app) } else { platforms }
}

fn played(definitions: &mut dyn Iterator<Item = &Arc<Definition>>, app: &App) -> Vec<String> {
    let of_app = definitions.filter(|definition| definition.app.id == app.id);
    let mut platforms: Vec<String> = of_app.map(|each| each.platform.clone()).collect();
    platforms.sort_unstable();
    platforms.dedup();
    platforms
}

schema! {
    /// An emulator as clients see it.
    pub struct EmulatorEntry<'a> {
        app_id: String,
        /// Whether its package can be installed from here.
        can_install: bool,
        installed: bool,
        /// Its last job; empty without one.
        job: EmulatorJob,
        mode: &'static str,
        name: String,
        /// `extended` for one that only the extended pack has.
        #[serde(skip_serializing_if = "Option::is_none")]
        pack: Option<&'static str>,
        platforms: Vec<String>,
        /// Its launch commands by platform.
        profiles: BTreeMap<String, String>,
        /// For every platform its emulators as pairs of package id and name; with the extended pack only
        /// for the platforms of this emulator.
        recommendations: Cow<'a, Recommendations>,
    }

    /// The job that installs or updates emulators; empty without one.
    #[derive(Default)]
    pub struct EmulatorJob {
        /// Why it failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub error: Option<Value>,
        /// What went wrong with single emulators.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub errors: Option<Value>,
        /// What was installed.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub installed: Option<Value>,
        /// The launch commands that came, by platform.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub profiles: Option<Value>,
        /// `installing` or `updating`, `done` or `error`.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub state: Option<&'static str>,
        /// What was updated.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub updated: Option<Value>,
    }
}

/// For every platform its emulators as pairs of package id and name.
pub type Recommendations = BTreeMap<String, Vec<(String, String)>>;

impl Emulator {
    /// The entry of `GET /api/emulators`.
    pub fn into_entry(
        self,
        can_install: bool,
        recommendations: Cow<'_, Recommendations>,
        job: EmulatorJob,
    ) -> EmulatorEntry<'_> {
        EmulatorEntry {
            app_id: self.app.id.clone(),
            can_install: can_install && !self.app.package.is_empty(),
            installed: self.mode.is_some(),
            job,
            mode: self.mode.map_or("", Mode::name),
            name: self.app.name.clone(),
            pack: self.is_extended.then_some(EXTENDED),
            platforms: self.platforms,
            profiles: self.profiles,
            recommendations,
        }
    }
}

/// For every platform that a definition names its emulators.
pub fn recommendations(catalog: &Catalog) -> Recommendations {
    let named: BTreeSet<&str> =
        catalog.definitions().iter().map(|each| each.platform.as_str()).collect();
    recommendations_for(catalog, &mut named.into_iter())
}

/// For each of these platforms its emulators.
pub fn recommendations_for(
    catalog: &Catalog,
    platforms: &mut dyn Iterator<Item = &str>,
) -> Recommendations {
    let pairs = |platform: &str| {
        let apps = catalog.for_platform(platform).into_iter();
        apps.map(|app| (app.id.clone(), app.name.clone())).collect()
    };
    platforms.map(|platform| (platform.to_owned(), pairs(platform))).collect()
}

schema! {
    /// An emulator for a platform.
    pub struct Recommended {
        app_id: String,
        name: String,
        platform: String,
    }
}

impl Recommended {
    /// An emulator for this platform.
    pub fn of(app: &App, platform: &str) -> Self {
        Self { app_id: app.id.clone(), name: app.name.clone(), platform: platform.to_owned() }
    }
}

/// The emulators for one platform; none for an unknown one.
pub fn recommend(catalog: &Catalog, platform: &str) -> Vec<Recommended> {
    let apps = catalog.for_platform(platform).into_iter();
    apps.map(|app| Recommended::of(app, platform)).collect()
}

/// The mark of the extended pack.
const EXTENDED: &str = "extended";

schema! {
    /// A definition as clients see it.
    pub struct ShownDefinition {
        emulator_def: String,
        emulator_id: String,
        executable_patterns: Vec<String>,
        extensions: Vec<String>,
        flatpak: String,
        id: String,
        name: String,
        native: String,
        origin: &'static str,
        /// `extended` for a definition of the extended pack.
        #[serde(skip_serializing_if = "Option::is_none")]
        pack: Option<&'static str>,
        platforms: [String; 1],
        startup: String,
        startup_args: Vec<String>,
        state: ShownState,
    }

    /// How a definition takes a state of a game along.
    pub struct ShownState {
        capture: Vec<String>,
        glob: Vec<String>,
        kind: &'static str,
        template: Vec<String>,
    }
}

/// The definitions as clients see them, on request with the extended pack.
pub fn definitions(catalog: &Catalog, with_extended: bool) -> Vec<ShownDefinition> {
    let standard = catalog.definitions().iter().map(|row| ShownDefinition::of(row));
    let extended = catalog.extended().iter().filter(|_| with_extended);
    let marked =
        extended.map(|row| ShownDefinition { pack: Some(EXTENDED), ..ShownDefinition::of(row) });
    standard.chain(marked).collect()
}

impl ShownDefinition {
    fn of(row: &Definition) -> Self {
        Self {
            emulator_def: row.id.clone(),
            emulator_id: row.app.id.clone(),
            executable_patterns: row.app.patterns.clone(),
            extensions: row.extensions.clone(),
            flatpak: row.app.package.clone(),
            id: row.id.clone(),
            name: row.label.clone(),
            native: row.app.executable.clone(),
            origin: row.origin.name(),
            pack: None,
            platforms: [row.platform.clone()],
            startup: row.arguments.join(" "),
            startup_args: row.arguments.clone(),
            state: ShownState::of(&row.state),
        }
    }
}

impl ShownState {
    /// The state block of a definition.
    pub fn of(block: &StateBlock) -> Self {
        Self {
            capture: block.capture.clone(),
            glob: block.glob.clone(),
            kind: block.kind.name(),
            template: block.template.clone(),
        }
    }
}
