//! Installs games of the library server: downloads into a staging folder, verifies, renames it into
//! place and writes the row.
//!
//! A game that was installed before stays until the download is complete, and is restored when a step
//! fails. Leftovers of a killed installation are cleaned up before the next one of the same game.

use std::{
    collections::BTreeSet,
    io::{self, Read, Write},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use base64::{Engine as _, prelude::BASE64_STANDARD};
use crossbeam_channel::{Receiver, RecvTimeoutError, bounded};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::{
    base::{Moment, ids, schema::schema, thread_named},
    config::environment::Environment,
    feature::Deps,
    files::{DiskError, Files},
    game::GameRef,
    imports::merge,
    jobs::{
        Accepted, Context, JobError, JobRow, Jobs, Kind, Outcome, SameName, Spec, Submission,
        Title as JobTitle, kind::Failure,
    },
    model::{Draft, DraftError, Record, State},
    net::exchange::Received,
    store::Store,
    storefronts::title::Title,
};

use super::{config::Config, disposition, error::LibserverError, place, server::Server, titles};

/// The suffix of the hidden folder in which a game is assembled.
const STAGING: &str = ".staging";
/// How the hidden folder of the game that is replaced ends.
const PREVIOUS: &str = ".previous";
/// Bytes of one downloaded file.
const FILE_BYTES: u64 = 4 * 1024 * 1024 * 1024;
/// Bytes moved at once.
const PIECE: usize = 1 << 17;
/// Pieces that are read ahead.
const PIECES: usize = 4;
/// How often a download that waits for the server checks whether it is cancelled.
const CHECK: Duration = Duration::from_millis(200);

/// The type of the jobs that install games.
const KIND: &str = "libserver.install";
/// What the names of these jobs begin with.
const NAME: &str = "libserver:";
/// The key of the input that names the game of the server.
const GAME: &str = "libserver_id";
const SPEC: Spec = Spec {
    subject: Some(GAME),
    promotes: true,
    ..Spec::new(KIND, &[(NAME, JobTitle::With("Install library-server game"))])
};

/// The name of the job that installs a game.
pub fn job_name(id: &str) -> String {
    format!("{NAME}{id}")
}

/// Submits the job that installs a game of the library server; `id` is a clean one. A job for the
/// same game that has not ended is joined. `row` names the game of the library that becomes this one.
///
/// # Errors
/// [`SubmitError`].
pub fn submit(
    jobs: &Jobs,
    config: &Config,
    id: &str,
    row: Option<&str>,
) -> Result<Accepted, SubmitError> {
    place::check(&config.root)?;
    let mut input = Map::from_iter([(GAME.to_owned(), id.into())]);
    input.extend(row.map(|row| ("library_id".to_owned(), row.into())));
    Ok(jobs.submit(Submission { name: job_name(id), input, same_name: SameName::Join })?)
}

/// An installation that does not begin.
#[derive(Debug, thiserror::Error)]
pub enum SubmitError {
    /// The install folder may not be used.
    #[error(transparent)]
    Server(#[from] LibserverError),
    /// The job is not accepted.
    #[error(transparent)]
    Job(#[from] JobError),
}

struct Installer {
    store: Store,
    files: Files,
    /// For the home and the switch for plain http.
    environment: Environment,
}

/// The kind of work that installs a game.
pub fn kind(deps: &Deps) -> Kind {
    let installer = Installer {
        store: deps.store.clone(),
        files: deps.files.clone(),
        environment: deps.environment.clone(),
    };
    Kind::new(SPEC, &Arc::new(installer), run)
}

fn run(installer: &Installer, context: &Context<'_>) -> Outcome {
    let row = context.input().get("library_id").and_then(Value::as_str);
    let outcome = installer.install(context, context.text(GAME), row);
    let game_id = outcome.map_err(|error| match error {
        LibserverError::Stopped => Failure::Stopped,
        error => Failure::refused(&error),
    })?;
    Ok(Map::from_iter([("game_id".to_owned(), game_id.into())]))
}

impl Installer {
    fn install(
        &self,
        context: &Context<'_>,
        id: &str,
        row: Option<&str>,
    ) -> Result<String, LibserverError> {
        let id = place::clean_id(id)?;
        let state = self.store.snapshot().map_err(not_saved)?;
        let config = Config::read(state.settings(), &Map::new(), &self.environment)?;
        place::prepare(&self.files, &config.root)?;
        let server = Server::open(&config)?;
        let game = server
            .games()?
            .into_iter()
            .find(|game| place::clean_id(&game.shown("id")).is_ok_and(|known| known == id));
        let unknown = || LibserverError::UnknownGame(id.clone());
        let title = game.and_then(|game| titles::title(&game, &config.root, &config.provider));
        let title = title.ok_or_else(unknown)?;
        let places = Places::new(&config.root, &title);
        places.check(&self.files)?;
        places.heal(&self.files, &path_of(&state, &id))?;
        let outcome = self.fetch(context, &server, &title, &places);
        // OK because what cannot be removed now is removed by the next installation.
        drop(self.files.remove_tree(&places.staging));
        let file = outcome?;
        let written = self.write_row(&title, &places.folder, &file, row);
        let path = match (&written, self.store.snapshot()) {
            (Err(_), Ok(state)) => path_of(&state, &id),
            _ => file,
        };
        // OK because what cannot be moved now is moved by the next installation.
        drop(places.heal(&self.files, &path));
        written
    }

    /// Downloads into the staging folder and swaps it in; the path of the file in its place.
    fn fetch(
        &self,
        context: &Context<'_>,
        server: &Server<'_>,
        title: &Title,
        places: &Places,
    ) -> Result<PathBuf, LibserverError> {
        let answer = server.download(&title.id)?;
        let name = file_name(&answer, &places.folder);
        self.files.private_dir(&places.staging)?;
        download(context, &self.files, answer, &places.staging.join(&name))?;
        context.promote().map_err(|_| LibserverError::Stopped)?;
        let had_one = places.folder.exists();
        if had_one {
            self.files.rename(&places.folder, &places.previous)?;
        }
        if let Err(error) = self.files.rename(&places.staging, &places.folder) {
            if had_one {
                self.files.rename(&places.previous, &places.folder)?;
            }
            return Err(error.into());
        }
        Ok(places.folder.join(name))
    }

    fn write_row(
        &self,
        title: &Title,
        folder: &Path,
        file: &Path,
        row: Option<&str>,
    ) -> Result<String, LibserverError> {
        let now = Moment::now();
        let batch = ids::random_hex(16);
        let path = file.to_string_lossy();
        let launch = shlex::try_quote(&path).map_or_else(|_| path.to_string(), Into::into);
        let written = self.store.commit(|draft| -> Result<String, DraftError> {
            adopt(draft, &title.id, row)?;
            merge::merge(draft, &[title.installed()], &now, &batch)?;
            let id = find_row(draft.state(), &title.id).unwrap_or_default();
            draft.edit_game(&id, |row| {
                row.set("path", &*path);
                row.set("launch", launch.as_str());
                row.set("install_dir", folder.to_string_lossy().into_owned());
                row.set("store_installed", true);
            })?;
            Ok(id)
        });
        written.map_err(not_saved)
    }
}

/// Sets the id of the game in the row that the client named, unless another row has the id or this row
/// has another one.
fn adopt(draft: &mut Draft, id: &str, row: Option<&str>) -> Result<(), DraftError> {
    if find_row(draft.state(), id).is_some() {
        return Ok(());
    }
    let Some((_, game)) = row.and_then(|row| GameRef::from_text(row).find(&draft.state().games))
    else {
        return Ok(());
    };
    if !game.record().shown("libserver_id").trim().is_empty() {
        return Ok(());
    }
    let game_id = game.id().to_owned();
    draft.edit_game(&game_id, |row| row.set("libserver_id", id))
}

/// The id of the row of a game of the library server.
pub fn find_row(state: &State, id: &str) -> Option<String> {
    let is_it = |json: &str| json.contains("\"libserver_id\"");
    let mut candidates = state.games.iter().filter(|game| is_it(game.json()));
    let found = candidates.find(|game| game.record().shown("libserver_id").trim() == id)?;
    Some(found.id().to_owned())
}

/// The path that the library names for a game of the server; blank without one.
fn path_of(state: &State, id: &str) -> PathBuf {
    let game = find_row(state, id).and_then(|row| state.games.find(&row));
    game.map(|(_, game)| PathBuf::from(game.path())).unwrap_or_default()
}

fn not_saved(error: impl std::fmt::Display) -> LibserverError {
    log::error!("{error}");
    LibserverError::NotSaved(error.to_string())
}

/// The folder of a game, and the temporary folders next to it during an installation.
struct Places {
    folder: PathBuf,
    staging: PathBuf,
    previous: PathBuf,
}

impl Places {
    fn new(root: &Path, title: &Title) -> Self {
        Self::of(root, place::folder(root, &title.name, &title.id))
    }

    fn of(root: &Path, folder: PathBuf) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self {
            staging: root.join(format!(".{name}{STAGING}")),
            previous: root.join(format!(".{name}{PREVIOUS}")),
            folder,
        }
    }

    /// Refuses links in the places of our folders: their targets may not be moved or removed.
    fn check(&self, files: &Files) -> Result<(), LibserverError> {
        for folder in [&self.folder, &self.staging, &self.previous] {
            if files.stat(folder)?.is_some_and(|stat| stat.is_symlink()) {
                return Err(LibserverError::Link);
            }
        }
        Ok(())
    }

    /// Cleans up after an installation. The previous game is restored when there is no new one, or when the library
    /// still names a file of it: `path` is what it names.
    fn heal(&self, files: &Files, path: &Path) -> Result<(), DiskError> {
        files.remove_tree(&self.staging)?;
        let file = path.strip_prefix(&self.folder).ok();
        let is_named = file.is_some_and(|file| !path.exists() && self.previous.join(file).exists());
        if self.folder.exists() && !is_named {
            return files.remove_tree(&self.previous);
        }
        if self.previous.exists() {
            files.remove_tree(&self.folder)?;
            files.rename(&self.previous, &self.folder)?;
        }
        Ok(())
    }
}

/// The ids of the games whose latest installation a kill or a stop ended.
pub fn interrupted(jobs: &Jobs) -> Vec<String> {
    let names = jobs.interrupted(KIND);
    names.iter().filter_map(|(name, _)| name.strip_prefix(NAME)).map(str::to_owned).collect()
}

/// Cleans up after installations of these games, unless they are installed again by now: a game that was about to be
/// replaced is restored, and the download is removed. Folders of other games stay, because another program may be
/// installing them.
pub fn heal(files: &Files, environment: &Environment, state: &State, jobs: &Jobs, ids: &[String]) {
    let Ok(config) = Config::read(state.settings(), &Map::new(), environment) else { return };
    let root = &config.root;
    if place::check(root).is_err() || !root.is_dir() {
        return;
    }
    let names = files.list(root).unwrap_or_default();
    let folders: BTreeSet<&str> = names.iter().filter_map(|name| replaced(name)).collect();
    for name in folders {
        let is_stopped = |id: &String| name.ends_with(&format!("-{id}"));
        let Some(id) = ids.iter().find(|id| is_stopped(id)) else { continue };
        if jobs.is_active(&job_name(id)) {
            continue;
        }
        if let Err(error) = Places::of(root, root.join(name)).heal(files, &path_of(state, id)) {
            log::warn!("an installation that was stopped was not cleaned up: {error}");
        }
    }
}

/// The folder of a game that a hidden folder belongs to.
fn replaced(name: &str) -> Option<&str> {
    let name = name.strip_prefix('.')?;
    name.strip_suffix(STAGING).or_else(|| name.strip_suffix(PREVIOUS))
}

/// The name the server gives the file, nothing but its last part; else one made from the folder.
fn file_name(answer: &Received, folder: &Path) -> String {
    let header = answer.header("Content-Disposition").unwrap_or_default();
    let named = disposition::file_name(header);
    let base = named.as_deref().map(|name| name.rsplit(['/', '\\']).next().unwrap_or_default());
    let clean: String =
        base.unwrap_or_default().chars().filter(|letter| !letter.is_control()).collect();
    let clean = clean.trim().trim_start_matches('.');
    if clean.is_empty() || clean.len() > 240 {
        let folder = folder.file_name().unwrap_or_default().to_string_lossy();
        format!("{folder}.bin")
    } else {
        clean.to_owned()
    }
}

/// Writes the body of an answer to a file and verifies its length and checksum.
fn download(
    context: &Context<'_>,
    files: &Files,
    answer: Received,
    to: &Path,
) -> Result<(), LibserverError> {
    let length = answer.header("Content-Length").and_then(|text| text.trim().parse::<u64>().ok());
    if length.is_some_and(|length| length > FILE_BYTES) {
        return Err(LibserverError::TooLarge);
    }
    let expected = checksum(&answer);
    context.expect(length.unwrap_or(0), "bytes");
    let mut body = Some(answer.into_body());
    let mut refusal = None;
    let mut hasher = Sha256::new();
    let mut received = 0_u64;
    let written = files.replace_with(to, |sink| {
        let body = body.take().unwrap_or_else(|| Box::new(io::empty()));
        let copied = copy(context, body, sink, &mut hasher, &mut received);
        copied.map_err(|error| {
            let text = io::Error::other("the download ended");
            match error {
                Broken::Sink(error) => error,
                Broken::Source(error) => {
                    refusal = Some(error);
                    text
                }
            }
        })?;
        if length.is_some_and(|length| length != received) {
            refusal = Some(LibserverError::Damaged("it ended early"));
            return Err(io::Error::other("the download ended early"));
        }
        Ok(())
    });
    if let Some(refusal) = refusal {
        return Err(refusal);
    }
    written?;
    let found = hasher.finalize();
    if expected.is_some_and(|expected| expected != found[..]) {
        return Err(LibserverError::Damaged("its checksum is wrong"));
    }
    Ok(())
}

enum Broken {
    Sink(io::Error),
    Source(LibserverError),
}

fn copy(
    context: &Context<'_>,
    body: Box<dyn Read + Send>,
    sink: &mut dyn Write,
    hasher: &mut Sha256,
    received: &mut u64,
) -> Result<(), Broken> {
    let pieces = pieces_of(body).map_err(Broken::Sink)?;
    loop {
        context.check().map_err(|_| Broken::Source(LibserverError::Stopped))?;
        let piece = match pieces.recv_timeout(CHECK) {
            Ok(Ok(piece)) => piece,
            Ok(Err(error)) => {
                log::warn!("the download broke off: {error}");
                return Err(Broken::Source(LibserverError::Damaged("it broke off")));
            }
            Err(RecvTimeoutError::Timeout) => continue,
            Err(RecvTimeoutError::Disconnected) => return Ok(()),
        };
        *received += piece.len() as u64;
        if *received > FILE_BYTES {
            return Err(Broken::Source(LibserverError::TooLarge));
        }
        hasher.update(&piece);
        sink.write_all(&piece).map_err(Broken::Sink)?;
        context.progress(*received, "");
    }
}

/// Reads a body piece by piece in a thread of its own, so that a server that stops sending does not delay a
/// cancellation. The thread ends with the body, or soon after the receiver is gone.
fn pieces_of(mut body: Box<dyn Read + Send>) -> io::Result<Receiver<io::Result<Vec<u8>>>> {
    let (sender, receiver) = bounded(PIECES);
    thread_named("download").spawn(move || {
        loop {
            let mut piece = vec![0; PIECE];
            let read = match body.read(&mut piece) {
                Ok(0) => return,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                read => read,
            };
            let is_end = read.is_err();
            piece.truncate(*read.as_ref().unwrap_or(&0));
            if sender.send(read.map(|_| piece)).is_err() || is_end {
                return;
            }
        }
    })?;
    Ok(receiver)
}

/// The SHA-256 that the server announces, in hex or in the form of `Digest`.
fn checksum(answer: &Received) -> Option<Vec<u8>> {
    let named = ["X-Checksum-SHA256", "X-SHA256", "Content-SHA256"];
    let hex = named.iter().find_map(|name| answer.header(name)).map(str::trim);
    if let Some(hex) = hex {
        // Treat a malformed checksum as a mismatch.
        return Some(ids::from_hex::<32>(hex).map(Vec::from).unwrap_or_default());
    }
    let digest = answer.header("Digest")?;
    let value = digest.split(',').find_map(|part| {
        let (name, value) = part.trim().split_once('=')?;
        name.eq_ignore_ascii_case("sha-256").then(|| value.to_owned())
    })?;
    Some(BASE64_STANDARD.decode(value).unwrap_or_default())
}

schema! {
    "LibserverInstallStatus"
    /// `GET /api/libserver/install/status`: the job of a game and, once it is done, its record.
    pub struct Status {
        /// Why the installation failed.
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<Value>,
        #[serde(skip_serializing_if = "Option::is_none")]
        game: Option<Record>,
        libserver_id: String,
        /// `idle`, `installing`, `done` or `error`.
        state: &'static str,
    }
}

impl Status {
    /// The status of a game; `job` is its last job.
    pub fn of(job: Option<&JobRow>, id: String, state: &State) -> Self {
        let value = |key: &str| job.and_then(|JobRow(job)| job.get(key));
        let shown = match value("state").and_then(Value::as_str) {
            None => "idle",
            Some("queued" | "running" | "cancelling") => "installing",
            Some("done" | "partial") => "done",
            Some(_) => "error",
        };
        let error = value("error").map(|error| error.get("message").unwrap_or(error).clone());
        // A cancelled job reports nothing.
        let stopped = || Value::from(LibserverError::Stopped.to_string());
        let error = error.filter(|error| *error != "" && !error.is_null()).or_else(|| {
            (value("state").and_then(Value::as_str) == Some("cancelled")).then(stopped)
        });
        let found = find_row(state, &id).and_then(|row| state.games.find(&row));
        Self {
            error: error.filter(|_| shown == "error"),
            game: found.filter(|_| shown == "done").map(|(_, game)| game.record()),
            libserver_id: id,
            state: shown,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_previous_game_comes_back_while_the_library_names_it() {
        let files = Files::system();
        for (named, expected) in [("old.bin", "old.bin"), ("new.bin", "new.bin"), ("", "new.bin")] {
            let root = tempfile::tempdir().expect("a folder");
            let places = Places::of(root.path(), root.path().join("comet-7"));
            for (folder, name) in [(&places.previous, "old.bin"), (&places.folder, "new.bin")] {
                files.private_dir(folder).expect("made");
                files.replace(&folder.join(name), name.as_bytes()).expect("written");
            }
            places.heal(&files, &places.folder.join(named)).expect("healed");
            assert_eq!(files.list(root.path()).expect("listed"), ["comet-7"], "{named}");
            assert_eq!(files.list(&places.folder).expect("listed"), [expected], "{named}");
        }
    }
}
