//! Screenshots, taken by the first tool of this desktop that can (`POST /api/screenshot`).

use std::{
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use crate::{
    base::{Moment, ids},
    files::{DiskError, Files},
    game::GameRef,
    model::{Cause, Game, State},
    process::{Limits, Spec, capture, search},
    store::{CommitError, Store},
};

/// The tools in the order in which they are tried, with the arguments before the file.
const TOOLS: [(&str, &[&str]); 4] = [
    ("gnome-screenshot", &["-f"]),
    ("spectacle", &["-b", "-n", "-o"]),
    ("scrot", &[]),
    ("import", &["-window", "root"]),
];
/// How long a tool may take.
const PATIENCE: Duration = Duration::from_secs(20);

/// Why there is no picture.
#[derive(Debug, thiserror::Error)]
pub enum CaptureFailure {
    /// No tool is here.
    #[error(
        "No screen-capture tool is available. Install gnome-screenshot, spectacle, scrot or import."
    )]
    NoTool,
    /// Those that are here made none, or took too long.
    #[error("The screen-capture tools {0} made no picture.")]
    NoPicture(String),
    #[error("Game not found")]
    UnknownGame,
    #[error("The screenshot could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

/// Takes a screenshot into `folder` and adds it to the named game, else to the running one; without
/// either it is only saved: `POST /api/screenshot`.
///
/// # Errors
/// [`CaptureFailure`] inside [`CommitError::Refused`]; the file stays when the commit fails.
pub fn screenshot(
    store: &Store,
    files: &Files,
    folder: &Path,
    named: Option<&GameRef>,
    running: &dyn Fn(&State) -> Option<Arc<Game>>,
) -> Result<PathBuf, CommitError<CaptureFailure>> {
    let state = store.snapshot().map_err(CommitError::Unavailable)?;
    let game = match named {
        Some(named) => {
            let game = named.find(&state.games).map(|(_, game)| Arc::clone(game));
            Some(game.ok_or(CommitError::Refused(CaptureFailure::UnknownGame))?)
        }
        None => running(&state),
    };
    let stem = game.as_ref().and_then(|game| Path::new(game.path()).file_stem());
    let stem = stem.unwrap_or_default().to_string_lossy();
    let path = take(files, folder, &stem, &Moment::now()).map_err(CommitError::Refused)?;
    if let Some(game) = game {
        store.commit(|draft| {
            let added = draft.edit_game(game.id(), |record| {
                let mut shots = record.list("screenshots").to_vec();
                shots.push(path.to_string_lossy().into());
                record.set("screenshots", shots);
            });
            added.map_err(|_| CaptureFailure::UnknownGame)
        })?;
    }
    store.report(Cause::MediaChanged(vec![path.to_string_lossy().into_owned()]));
    Ok(path)
}

/// Takes a picture of the screen into `folder` and returns its path, `<stem>-<date>-<time>.png`.
///
/// # Errors
/// [`CaptureFailure`].
fn take(files: &Files, folder: &Path, stem: &str, now: &Moment) -> Result<PathBuf, CaptureFailure> {
    files.private_dir(folder)?;
    let plain = |letter: char| if letter == '/' || letter.is_control() { '_' } else { letter };
    let stem: String = stem.chars().map(plain).take(100).collect();
    let stem = stem.trim_matches(['.', ' ', '-']);
    let stem = if stem.is_empty() { "screen" } else { stem };
    let mut path = folder.join(format!("{stem}-{}.png", now.local_format("%Y%m%d-%H%M%S")));
    if path.exists() {
        let name =
            format!("{stem}-{}-{}.png", now.local_format("%Y%m%d-%H%M%S"), ids::random_hex(2));
        path = folder.join(name);
    }
    shoot(files, &path)?;
    Ok(path)
}

/// Takes a picture of the screen into a file that is not there yet.
///
/// # Errors
/// [`CaptureFailure`].
pub fn shoot(files: &Files, path: &Path) -> Result<(), CaptureFailure> {
    let mut tried = Vec::new();
    for (tool, arguments) in TOOLS {
        let Some(program) = search::on_path(tool) else { continue };
        let mut argv = vec![program.into_os_string()];
        argv.extend(arguments.iter().map(Into::into));
        argv.push(path.into());
        let limits = Limits { timeout: PATIENCE, ..Limits::default() };
        let outcome = capture::run(&Spec::new(argv), &limits);
        let is_there = || fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() > 0);
        match outcome {
            Ok(done) if done.code == 0 && is_there() => {
                files.set_mode(path, 0o600)?;
                return Ok(());
            }
            Ok(done) => log::info!("{tool} ended with code {} and made no picture", done.code),
            Err(error) => log::info!("{tool} made no picture: {error}"),
        }
        // What it began is not a picture, and the next tool expects no file.
        files.remove(path)?;
        tried.push(tool);
    }
    Err(if tried.is_empty() {
        CaptureFailure::NoTool
    } else {
        CaptureFailure::NoPicture(tried.join(", "))
    })
}
