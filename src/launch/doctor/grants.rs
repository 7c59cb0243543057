//! Giving a sandboxed emulator access to a folder, and revoking it (`POST /api/v2/launch/grant` and
//! `/undo`).
//!
//! Only read access to folders inside the home folder, only for known emulators. Only what was granted in this run of
//! the program can be revoked.

use std::{
    collections::HashMap,
    path::{Path, PathBuf},
    sync::Mutex,
    time::Duration,
};

use crate::{
    base::{Hold as _, schema::schema, text},
    launch::{detection::Detector, doctor::examine::sees},
    probe::packages::TOOL,
    process::{Spec, capture, search},
};

/// How long the package tool may take.
const PATIENCE: Duration = Duration::from_secs(30);
/// Characters of the output of the package tool that are passed on.
const SAID_CHARS: usize = 300;

/// Why access was not changed.
#[derive(Debug, thiserror::Error)]
pub enum GrantError {
    /// No emulator of this program has this id, or its package is not installed.
    #[error("That emulator is not an installed package.")]
    UnknownApp(String),
    #[error("The folder must be an absolute path.")]
    Relative,
    /// The folder is the home folder, or outside of it.
    #[error("Only a folder inside your home directory can be granted.")]
    Outside,
    /// Nothing is there, or no folder.
    #[error("That folder does not exist.")]
    Missing,
    #[error("That access was not granted since the service started.")]
    NotGranted,
    #[error("{TOOL} is required to change folder access.")]
    NoTool,
    #[error("{TOOL} did not finish the change: {0}")]
    Unfinished(String),
    #[error("{TOOL} refused the change: {0}")]
    Refused(String),
}

/// The grants of this run, and whether each changed anything: what an emulator saw before, it sees after
/// an undo too.
#[derive(Debug, Default)]
pub struct Grants(Mutex<HashMap<(String, PathBuf), bool>>);

schema! {
    /// Access to a folder was granted or revoked.
    pub struct Granted {
        app_id: String,
        /// Always true.
        applied: bool,
        /// What was run.
        command: String,
        path: String,
        /// Whether access was revoked.
        undone: bool,
    }
}

impl Grants {
    /// Gives an emulator read-only access to a folder that it does not see yet, or revokes what was granted. Returns
    /// the answer of the route. Waits for the package tool, thirty seconds at most.
    ///
    /// # Errors
    /// [`GrantError`]; nothing changed then.
    pub fn change(
        &self,
        detector: &Detector,
        home: &Path,
        app_id: &str,
        folder: &str,
        undo: bool,
    ) -> Result<Granted, GrantError> {
        if app_id.is_empty() || detector.catalog().find_app(|app| app.package == app_id).is_none() {
            return Err(GrantError::UnknownApp(app_id.to_owned()));
        }
        let folder = check_folder(folder, home, undo)?;
        let made = (app_id.to_owned(), folder.clone());
        let known = self.0.hold().get(&made).copied();
        if undo && known.is_none() {
            return Err(GrantError::NotGranted);
        }
        let tool = search::on_path(TOOL).ok_or(GrantError::NoTool)?;
        if !detector.is_package(app_id) {
            return Err(GrantError::UnknownApp(app_id.to_owned()));
        }
        let changes =
            if undo { known == Some(true) } else { !is_seen(detector, home, app_id, &folder) };
        let command = if changes { run(&tool, app_id, &folder, undo)? } else { String::new() };
        let mut grants = self.0.hold();
        if undo {
            grants.remove(&made);
        } else {
            *grants.entry(made).or_default() |= changes;
        }
        Ok(Granted {
            app_id: app_id.to_owned(),
            applied: true,
            command,
            path: folder.to_string_lossy().into_owned(),
            undone: undo,
        })
    }
}

/// Whether an emulator sees a folder already. An override would narrow that to reading, and its undo would
/// hide the folder.
fn is_seen(detector: &Detector, home: &Path, app_id: &str, folder: &Path) -> bool {
    let home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    detector.visible_folders(app_id).is_some_and(|visible| sees(&visible, folder, &home))
}

/// Changes what an emulator sees, and returns the command for it.
fn run(tool: &Path, app_id: &str, folder: &Path, undo: bool) -> Result<String, GrantError> {
    let spelled = folder.to_string_lossy();
    let option = if undo {
        format!("--nofilesystem={spelled}")
    } else {
        format!("--filesystem={spelled}:ro")
    };
    let words = ["override", "--user", &option, app_id];
    let command = shlex::try_join([TOOL].into_iter().chain(words)).unwrap_or_default();
    let argv = [tool.as_os_str()].into_iter().chain(words.map(AsRef::as_ref));
    let limits = capture::Limits { timeout: PATIENCE, ..capture::Limits::default() };
    let answer = capture::run(&Spec::new(argv), &limits)
        .map_err(|error| GrantError::Unfinished(error.to_string()))?;
    if answer.code != 0 {
        let said = String::from_utf8_lossy(&answer.stderr).trim().to_owned();
        return Err(GrantError::Refused(text::cut(&said, SAID_CHARS).to_owned()));
    }
    Ok(command)
}

/// The folder without links and dots. One whose grant is undone may be gone.
fn check_folder(folder: &str, home: &Path, undo: bool) -> Result<PathBuf, GrantError> {
    let named = Path::new(folder);
    if !named.is_absolute() {
        return Err(GrantError::Relative);
    }
    let real_home = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let real = match named.canonicalize() {
        Ok(real) => real,
        Err(_) if crate::files::confine::is_strictly_inside(home, named) => {
            return if undo { Ok(named.to_owned()) } else { Err(GrantError::Missing) };
        }
        Err(_) => return Err(GrantError::Outside),
    };
    if !crate::files::confine::is_strictly_inside(&real_home, &real) {
        return Err(GrantError::Outside);
    }
    if real.is_dir() { Ok(real) } else { Err(GrantError::Missing) }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn only_folders_inside_the_home_are_granted() {
        let home = tempfile::tempdir().expect("a folder");
        let home = home.path().canonicalize().expect("real");
        fs::create_dir(home.join("roms")).expect("made");
        fs::write(home.join("file"), "").expect("written");
        std::os::unix::fs::symlink("/etc", home.join("out")).expect("linked");
        let text = |folder: &str| check_folder(folder, &home, false).map_err(|e| e.to_string());
        let below = |name: &str| home.join(name).to_str().expect("text").to_owned();
        assert_eq!(text(&below("roms")), Ok(home.join("roms")));
        assert_eq!(text(&below("roms/../roms")), Ok(home.join("roms")));
        let outside = "Only a folder inside your home directory can be granted.";
        let missing = "That folder does not exist.";
        for (folder, message) in [
            ("roms".to_owned(), "The folder must be an absolute path."),
            (String::new(), "The folder must be an absolute path."),
            ("~/roms".to_owned(), "The folder must be an absolute path."),
            (below(""), outside),
            (below("roms/.."), outside),
            ("/etc".to_owned(), outside),
            ("/no/such".to_owned(), outside),
            (below("out"), outside),
            (below("gone"), missing),
            (below("file"), missing),
        ] {
            assert_eq!(text(&folder), Err(message.to_owned()), "{folder}");
        }
    }
}
