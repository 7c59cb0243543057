//! The sandboxed package tool (Flatpak): adding its repository, installing and updating emulators
//! for this user.
//!
//! Used by the installation and update jobs of `/api/emulators`.

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    model::emulators::App,
    process::{CaptureError, Captured, Limits, Spec, capture, search},
};

const REMOTE: &str = "flathub";
const REPOSITORY: &str = "https://flathub.org/repo/flathub.flatpakrepo";
/// How long the repository may take to be added.
const REMOTE_TIME: Duration = Duration::from_mins(2);
/// How long an installation or an update may take.
const WORK_TIME: Duration = Duration::from_mins(30);
/// Characters of the tool's output that a client gets.
const SAID: usize = 800;

/// Why a package was not installed or updated.
#[derive(Debug, thiserror::Error)]
pub enum PackageError {
    #[error("Flatpak is required for automatic emulator installation.")]
    NoTool,
    #[error("{0} has no package to install.")]
    NoPackage(String),
    #[error("Could not add the Flathub remote. flatpak says: {0}")]
    Remote(String),
    #[error("Flatpak could not install {name}. flatpak says: {said}")]
    Install {
        /// The emulator.
        name: String,
        /// The message of the tool.
        said: String,
    },
    #[error("Flatpak could not update {name}. flatpak says: {said}")]
    Update {
        /// The emulator.
        name: String,
        /// The message of the tool.
        said: String,
    },
    #[error("The work was stopped.")]
    Stopped,
}

/// Whether the tool is here.
pub fn is_available() -> bool {
    tool().is_some()
}

fn tool() -> Option<PathBuf> {
    search::on_path("flatpak")
}

/// Installs an emulator for this user, adding the repository first where it is missing.
///
/// # Errors
/// [`PackageError`].
pub fn install(app: &App, goes_on: &dyn Fn() -> bool) -> Result<(), PackageError> {
    let tool = tool().ok_or(PackageError::NoTool)?;
    if app.package.is_empty() {
        return Err(PackageError::NoPackage(app.name.clone()));
    }
    add_remote(&tool, goes_on)?;
    let arguments = ["install", "--user", "--noninteractive", "-y", REMOTE, &app.package];
    run(&tool, &arguments, WORK_TIME, goes_on).map_err(|said| match said {
        Some(said) => PackageError::Install { name: app.name.clone(), said },
        None => PackageError::Stopped,
    })?;
    Ok(())
}

/// Updates an installed emulator.
///
/// # Errors
/// [`PackageError`].
pub fn update(app: &App, goes_on: &dyn Fn() -> bool) -> Result<(), PackageError> {
    let tool = tool().ok_or(PackageError::NoTool)?;
    if app.package.is_empty() {
        return Err(PackageError::NoPackage(app.name.clone()));
    }
    let arguments = ["update", "--user", "--noninteractive", "-y", &app.package];
    run(&tool, &arguments, WORK_TIME, goes_on).map_err(|said| match said {
        Some(said) => PackageError::Update { name: app.name.clone(), said },
        None => PackageError::Stopped,
    })?;
    Ok(())
}

fn add_remote(tool: &Path, goes_on: &dyn Fn() -> bool) -> Result<(), PackageError> {
    let refused = |said: Option<String>| said.map_or(PackageError::Stopped, PackageError::Remote);
    // A tool that cannot list its remotes may still be able to add one.
    let listed = match run(tool, &["remotes", "--user"], REMOTE_TIME, goes_on) {
        Err(None) => return Err(PackageError::Stopped),
        listed => listed.unwrap_or_default(),
    };
    if String::from_utf8_lossy(&listed).contains(REMOTE) {
        return Ok(());
    }
    let arguments = ["remote-add", "--user", "--if-not-exists", REMOTE, REPOSITORY];
    run(tool, &arguments, REMOTE_TIME, goes_on).map(drop).map_err(refused)
}

/// Runs the tool and returns its output; otherwise its message, or nothing when it was
/// stopped.
fn run(
    tool: &Path,
    arguments: &[&str],
    timeout: Duration,
    goes_on: &dyn Fn() -> bool,
) -> Result<Vec<u8>, Option<String>> {
    let mut argv = vec![tool.as_os_str().to_owned()];
    argv.extend(arguments.iter().map(Into::into));
    let limits = Limits { timeout, output_bytes: 16 * 1024 * 1024 };
    match capture::run_watched(&Spec::new(argv), &limits, goes_on) {
        Ok(Captured { code: 0, stdout, .. }) => Ok(stdout),
        Ok(Captured { code, stderr, .. }) => {
            let said = String::from_utf8_lossy(&stderr);
            let said = crate::base::text::cut(said.trim(), SAID);
            Err(Some(if said.is_empty() {
                format!("it ended with code {code}")
            } else {
                said.to_owned()
            }))
        }
        Err(CaptureError::Stopped) => Err(None),
        Err(error) => Err(Some(error.to_string())),
    }
}
