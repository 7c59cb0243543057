//! `--backup` and `--restore-backup`: an archive made or restored from the command line.
//!
//! Only the holder of the library's lock touches the library. When a service runs, it is asked
//! to do the work; when none runs, the work is done here, under the lock.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use serde_json::{Map, Value, json};

use super::{
    arguments::{ArchiveOptions, ArchiveWork},
    claim::{Claim, claim},
    resources,
    run::RunError,
};
use crate::{
    backup::{
        error::BackupError,
        folder::{BackupContext, Backups},
        items::{CreateRequest, RestoreRequest, names},
        watch::Unwatched,
    },
    base::Moment,
    cli::service::{self, WorkError},
    config::{data_dir::DataDir, environment::Environment},
    definitions::loader::Definitions,
    files::Files,
    journal::handle::Journal,
    net::local::Instance,
    probe::media_roots::MediaRoots,
    recorder::Recorder,
    sessions::{self, Sessions},
    store::Store,
};

/// Why there is no archive, or no restored library.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    /// The data directory or the library cannot be used.
    #[error(transparent)]
    Run(#[from] RunError),
    /// A rule for archives.
    #[error(transparent)]
    Backup(#[from] BackupError),
    /// The running service did not do it.
    #[error(transparent)]
    Work(#[from] WorkError),
}

/// Does the work and returns the line to be printed: the path of the new archive, or what was
/// restored.
///
/// # Errors
/// [`ArchiveError`]; its text is for the user at the terminal.
pub fn run(options: &ArchiveOptions) -> Result<String, ArchiveError> {
    resources::prepare().map_err(RunError::from)?;
    let process = Environment::capture();
    let data_dir =
        DataDir::resolve(options.data_dir.as_deref(), &process).map_err(RunError::from)?;
    let files = Files::system();
    files.private_dir(data_dir.root()).map_err(RunError::from)?;
    let environment = process.with_env_files(data_dir.root());
    match claim(&files, &data_dir, &environment).map_err(RunError::Store)? {
        Claim::Ours(store, journal) => {
            let line =
                work_here(&options.work, (&store, &journal), &files, &data_dir, &environment);
            store.close();
            line
        }
        Claim::Theirs(port, token) => {
            ask(&options.work, &Instance::new(port, token), data_dir.root())
        }
    }
}

/// Does the work as the holder of the lock. Games of an earlier run that still run are found first.
fn work_here(
    work: &ArchiveWork,
    (store, journal): (&Store, &Journal),
    files: &Files,
    data_dir: &DataDir,
    environment: &Environment,
) -> Result<String, ArchiveError> {
    let definitions = Definitions::new(files.clone(), data_dir.emulator_definitions());
    let roots = Arc::new(MediaRoots::new(data_dir.root(), &environment.media_roots()));
    let sessions = Sessions::start(sessions::Options {
        store: store.clone(),
        files: files.clone(),
        data_dir: data_dir.clone(),
        home: environment.home_or_root().to_owned(),
        config_home: environment.config_home_or_root(),
        definitions: Arc::new(definitions),
        recorder: Recorder::new(files, data_dir, environment, roots),
        compositor_guest: environment.is_compositor_guest(),
        rewrite: None,
    });
    let sessions = sessions.map_err(RunError::Threads)?;
    let backups = Arc::new(Backups::new(BackupContext {
        files: files.clone(),
        data_dir: data_dir.clone(),
        store: store.clone(),
        journal: Some(journal.clone()),
        running: Box::new(sessions.counter()),
        // No client has seen a picture yet.
        now: Moment::now,
    }));
    let line = match work {
        ArchiveWork::Create { .. } => {
            let request = CreateRequest::read(&body(work, data_dir.root()));
            request.and_then(|request| backups.create(&request, &Unwatched)).map(|created| {
                created.skipped.iter().for_each(|name| log::warn!("{name} has no place in it"));
                created.path.to_string_lossy().into_owned()
            })
        }
        ArchiveWork::Restore { .. } => {
            let request = RestoreRequest::read(&body(work, data_dir.root()));
            let restored = request.and_then(|request| backups.restore(&request, &Unwatched));
            restored.map(|items| names(&items).join(", "))
        }
    };
    sessions.stop();
    Ok(line?)
}

/// Sends the work to the running service.
fn ask(work: &ArchiveWork, service: &Instance, root: &Path) -> Result<String, ArchiveError> {
    let route = match work {
        ArchiveWork::Create { .. } => "/api/backup/create",
        ArchiveWork::Restore { .. } => "/api/backup/restore",
    };
    let job = service::work(service, route, &Value::Object(body(work, root)))?;
    match work {
        ArchiveWork::Create { .. } => Ok(job["archive"].as_str().unwrap_or_default().to_owned()),
        ArchiveWork::Restore { .. } => {
            let items = job["restored"].as_array().into_iter().flatten();
            Ok(items.filter_map(Value::as_str).collect::<Vec<_>>().join(", "))
        }
    }
}

/// The request as the routes take it.
fn body(work: &ArchiveWork, root: &Path) -> Map<String, Value> {
    let mut body = Map::new();
    match work {
        ArchiveWork::Create { items, keep } => {
            body.extend(items.as_deref().map(|items| ("items".to_owned(), service::list(items))));
            body.extend(keep.as_deref().map(|keep| {
                let number = keep.trim().parse::<i64>().map_or_else(|_| json!(keep), Value::from);
                ("keep".to_owned(), number)
            }));
        }
        ArchiveWork::Restore { file, items, force } => {
            let path = place(file, root);
            body.insert("path".to_owned(), path.to_string_lossy().into());
            body.extend(items.as_deref().map(|items| ("items".to_owned(), service::list(items))));
            body.insert("force".to_owned(), (*force).into());
        }
    }
    body
}

/// The archive as the rules name it: a file that is there by its place below the data directory,
/// anything else as it was given, which counts from the folder of backups.
fn place(file: &Path, root: &Path) -> PathBuf {
    let Ok(found) = file.canonicalize() else { return file.to_owned() };
    let below =
        root.canonicalize().ok().and_then(|root| found.strip_prefix(root).ok().map(Path::to_owned));
    below.map_or(found, |below| root.join(below))
}
