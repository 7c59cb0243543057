//! Installing and updating emulators as durable jobs.
//!
//! An installation creates a launch profile for each platform without one, or whose profile names a missing emulator.
//! Games with the old command get the new one.

use std::sync::Arc;

use serde_json::{Map, Value, json};

use crate::{
    imports::installed,
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::{Failure, object},
    },
    launch::{
        detection::{Detector, Mode},
        profiles,
    },
    model::emulators::{App, Catalog},
    store::Store,
};

use super::{
    overview,
    packages::{self, PackageError},
};

/// The name of the job that installs everything.
pub const INSTALL_ALL: &str = "emulator-install-all";
/// The name of the job that updates everything.
pub const UPDATE_ALL: &str = "emulator-update-all";

/// The key of the input that names the emulator.
const APP: &str = "app_id";

const INSTALL: Spec = Spec {
    promotes: true,
    subject: Some(APP),
    ..Spec::new(
        "emulator.install",
        &[
            (INSTALL_ALL, Title::Fixed("Install all emulators")),
            ("emulator-install:", Title::With("Install emulator")),
        ],
    )
};
const UPDATE: Spec = Spec {
    promotes: true,
    subject: Some(APP),
    ..Spec::new(
        "emulator.update",
        &[
            (UPDATE_ALL, Title::Fixed("Update all emulators")),
            ("update:", Title::With("Update emulator")),
        ],
    )
};

/// The name of the job that installs an emulator.
pub fn install_name(app: &App) -> String {
    format!("emulator-install:{}", app.id)
}

/// The name of the job that updates an emulator.
pub fn update_name(app: &App) -> String {
    format!("update:{}", app.id)
}

/// Starts the installation of one emulator, or of every one. An active job of the same name is reused.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_install(jobs: &Jobs, app: Option<&App>) -> Result<Accepted, JobError> {
    submit(jobs, app.map_or_else(|| INSTALL_ALL.to_owned(), install_name), app)
}

/// Starts the update of one emulator, or of every installed package.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_update(jobs: &Jobs, app: Option<&App>) -> Result<Accepted, JobError> {
    submit(jobs, app.map_or_else(|| UPDATE_ALL.to_owned(), update_name), app)
}

fn submit(jobs: &Jobs, name: String, app: Option<&App>) -> Result<Accepted, JobError> {
    let input = app.map(|app| (APP.to_owned(), app.id.clone().into()));
    jobs.submit(Submission { name, input: input.into_iter().collect(), same_name: SameName::Join })
}

/// Installs emulators and keeps their launch profiles.
#[derive(Clone)]
pub struct Installer {
    store: Store,
    detector: Arc<Detector>,
}

impl Installer {
    /// Keeps launch profiles in `store`; `detector` finds out again what is installed afterwards.
    pub fn new(store: Store, detector: Arc<Detector>) -> Self {
        Self { store, detector }
    }

    /// Installs one emulator and returns the profiles it gives.
    ///
    /// # Errors
    /// [`PackageError`].
    pub fn install(
        &self,
        app: &Arc<App>,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Map<String, Value>, PackageError> {
        if self.detector.mode_of(app).is_none() {
            packages::install(app, goes_on)?;
            self.detector.was_installed(&app.package);
        }
        let commands = overview::one(&self.detector, &self.detector.catalog(), app).profiles;
        let known = self.store.snapshot().map(|state| profiles::stored(&state)).unwrap_or_default();
        let of_app = known.into_iter().filter(|(platform, _)| commands.contains_key(platform));
        let stranded = self.detector.stranded(&of_app.collect());
        let program = installed::program_of(&app.package);
        let added = self.store.commit(|draft| {
            profiles::add_missing(draft, &commands, &stranded);
            program
                .as_ref()
                .map_or(Ok(Vec::new()), |program| installed::renew_titles(draft, program))
        });
        if let Err(error) = added {
            log::warn!("failed to save the profiles of {}: {error}", app.name);
        }
        Ok(commands.into_iter().map(|(platform, command)| (platform, command.into())).collect())
    }
}

/// The kinds of work with emulators.
pub fn kinds(installer: &Installer) -> Vec<Kind> {
    let installer = Arc::new(installer.clone());
    vec![Kind::new(INSTALL, &installer, install), Kind::new(UPDATE, &installer, update)]
}

fn install(installer: &Installer, context: &Context<'_>) -> Outcome {
    let goes_on = || context.check().is_ok();
    let catalog = installer.detector.catalog();
    if let Some(app) = named(&catalog, context)? {
        let profiles = installer.install(app, &goes_on).map_err(failed)?;
        return Ok(object(json!({"profiles": profiles})));
    }
    let missing = catalog.apps().into_iter();
    let missing = missing
        .filter(|app| !app.package.is_empty() && installer.detector.mode_of(app).is_none())
        .collect();
    let (done, errors) = each(context, missing, |app| installer.install(app, &goes_on).map(drop))?;
    Ok(object(json!({"installed": done, "errors": errors})))
}

fn update(installer: &Installer, context: &Context<'_>) -> Outcome {
    let goes_on = || context.check().is_ok();
    let catalog = installer.detector.catalog();
    if let Some(app) = named(&catalog, context)? {
        packages::update(app, &goes_on).map_err(failed)?;
        installer.detector.forget();
        return Ok(object(json!({"updated": app.name})));
    }
    let packaged = catalog.apps().into_iter();
    let packaged =
        packaged.filter(|app| installer.detector.mode_of(app) == Some(Mode::Package)).collect();
    let (done, errors) = each(context, packaged, |app| packages::update(app, &goes_on))?;
    installer.detector.forget();
    Ok(object(json!({"updated": done, "errors": errors})))
}

/// The emulator an input names; none means all, in a job whose name says so.
fn named<'a>(catalog: &'a Catalog, context: &Context<'_>) -> Result<Option<&'a Arc<App>>, Failure> {
    let is_for_all = [INSTALL_ALL, UPDATE_ALL].contains(&context.name());
    match context.input().get(APP).and_then(Value::as_str) {
        None if is_for_all => Ok(None),
        None => Err(Failure::new("app_id is required")),
        Some(id) => catalog.app(id).map(Some).ok_or_else(|| Failure::new("Unknown emulator.")),
    }
}

/// Does something with each emulator; what fails does not stop the rest.
fn each(
    context: &Context<'_>,
    apps: Vec<&Arc<App>>,
    work: impl Fn(&Arc<App>) -> Result<(), PackageError>,
) -> Result<(Vec<String>, Vec<String>), Failure> {
    context.expect(apps.len() as u64, "emulators");
    let (mut done, mut errors) = (Vec::new(), Vec::new());
    for (at, app) in apps.into_iter().enumerate() {
        context.progress(at as u64, &app.name);
        match work(app) {
            Ok(()) => done.push(app.name.clone()),
            Err(PackageError::Stopped) => return Err(Failure::Stopped),
            Err(error) => errors.push(format!("{}: {error}", app.name)),
        }
        context.progress(at as u64 + 1, &app.name);
    }
    Ok((done, errors))
}

fn failed(error: PackageError) -> Failure {
    match error {
        PackageError::Stopped => Failure::Stopped,
        other => Failure::refused(&other),
    }
}
