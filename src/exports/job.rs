//! The job that writes an export, piece by piece, so that a resume repeats nothing.
//!
//! The file grows under a hidden name. After every piece it is made durable and the job remembers
//! how many games and bytes stand in it; a resume cuts the file there and goes on, as long as the
//! selection is still the same games in the same order. Otherwise it starts over.

use std::{collections::HashSet, path::Path, sync::Arc};

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{
    columns,
    folder::ExportFolder,
    front_ends, gamelist,
    request::{ExportRequest, Format},
    selection::{self, NoPlaylist},
};
use crate::{
    base::Moment,
    files::{Appender, DiskError},
    jobs::{
        Accepted, Context, JobError, Jobs, Kind, Outcome, SameName, Spec, Submission, Title,
        kind::Failure,
    },
    model::Game,
    probe::disk::Disk,
    store::Store,
};

/// The name of an export job. Exports of different things run in parallel.
const NAME: &str = "library-export";

const SPEC: Spec = Spec {
    resumes: true,
    ..Spec::new("library.export", &[(NAME, Title::Fixed("Library Export"))])
};

/// Games between two checkpoints: about a megabyte of file.
const PIECE: usize = 1_000;

/// Starts an export. The same request joins the active job.
///
/// # Errors
/// When the job is not accepted.
pub fn submit_export(jobs: &Jobs, request: &ExportRequest) -> Result<Accepted, JobError> {
    let (name, input) = (NAME.to_owned(), request.to_input());
    jobs.submit(Submission { name, input, same_name: SameName::Separate })
}

/// The worker of `library.export`.
pub struct Exporter {
    store: Store,
    folder: Arc<ExportFolder>,
    disk: Arc<dyn Disk + Send + Sync>,
    now: fn() -> Moment,
}

/// Where a resume continues.
#[derive(Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Checkpoint {
    /// Games that stand in the file.
    items: usize,
    /// Bytes of the file that hold them.
    bytes: u64,
    /// The selection they are the beginning of.
    selection: String,
}

/// The kind of work that reads this library and writes into this folder.
pub fn kind(store: Store, folder: &Arc<ExportFolder>, disk: Arc<dyn Disk + Send + Sync>) -> Kind {
    let exporter = Exporter { store, folder: Arc::clone(folder), disk, now: Moment::now };
    let folder = Arc::clone(folder);
    Kind::new(SPEC, &Arc::new(exporter), run).cleaned_by(move |operation| {
        if let Err(error) = folder.discard(&operation.root_job_id) {
            log::warn!("an unfinished export stays: {error}");
        }
    })
}

impl Exporter {
    fn export(&self, context: &Context<'_>, plan: &Plan) -> Outcome {
        let unfinished = self.folder.unfinished(context.root_job_id()).map_err(not_written)?;
        self.folder.sweep(|root| context.is_listed(root)).map_err(not_written)?;
        let files = self.folder.files();
        let mut file = files.append_or_create(&unfinished).map_err(not_written)?;
        let resumed = resume_point(&file, plan, context.resumed_from()).map_err(not_written)?;
        let mut done = resumed.as_ref().map_or(0, |point| point.items);
        let begin = done;
        let mut bytes = resumed.map_or(0, |point| point.bytes);
        file.truncate(bytes).map_err(not_written)?;
        if bytes == 0 {
            append(&mut file, &mut bytes, &plan.head(&(self.now)()))?;
        }
        for piece in plan.games[done..].chunks(PIECE) {
            context.check()?;
            let there = plan.installed(piece, &*self.disk);
            append(&mut file, &mut bytes, &plan.rows(piece, &there, done == 0))?;
            file.sync().map_err(not_written)?;
            done += piece.len();
            let point = Checkpoint { items: done, bytes, selection: plan.fingerprint.clone() };
            context.checkpoint(json!(point), done as u64);
        }
        context.check()?;
        append(&mut file, &mut bytes, plan.tail())?;
        file.sync().map_err(not_written)?;
        drop(file);
        let name = self.finish(&unfinished, plan.request.format)?;
        let result = json!({"file": name, "count": plan.games.len(), "written": done - begin});
        Ok(result.as_object().cloned().unwrap_or_default())
    }

    fn finish(&self, unfinished: &Path, format: Format) -> Result<String, Failure> {
        self.folder.finish(unfinished, format, &(self.now)()).map_err(not_written)
    }
}

fn run(exporter: &Exporter, context: &Context<'_>) -> Outcome {
    let request = ExportRequest::from_input(context.input());
    let request = request.map_err(|error| Failure::new(error.job_text()))?;
    let state = exporter.store.snapshot();
    let state = state.map_err(|_| Failure::new("The library cannot be read right now."))?;
    let games = selection::select(&state, &request.scope);
    let mut games =
        games.map_err(|NoPlaylist(name)| Failure::new(format!("Playlist not found: {name}")))?;
    if request.format.is_of_front_end() {
        games.retain(|game| gamelist::takes(game));
    }
    if request.format == Format::Pegasus {
        games.retain(|game| front_ends::pegasus_takes(game));
    }
    context.expect(games.len() as u64, "games");
    exporter.export(context, &Plan::new(request, games))
}

fn not_written(error: DiskError) -> Failure {
    log::error!("{error}");
    Failure::new(format!("The export could not be written: {}.", error.reason()))
}

fn append(file: &mut Appender, bytes: &mut u64, text: &str) -> Result<(), Failure> {
    file.append(text.as_bytes()).map_err(not_written)?;
    *bytes += text.len() as u64;
    Ok(())
}

/// The checkpoint, if it fits the selection and the file still holds what it speaks of.
fn resume_point(
    file: &Appender,
    plan: &Plan,
    checkpoint: Option<&Value>,
) -> Result<Option<Checkpoint>, DiskError> {
    let point = checkpoint.and_then(|value| Checkpoint::deserialize(value).ok());
    let Some(point) = point else { return Ok(None) };
    let fits = point.selection == plan.fingerprint && point.items <= plan.games.len();
    Ok((fits && file.len()? >= point.bytes).then_some(point))
}

/// What is to be written.
pub(super) struct Plan {
    request: ExportRequest,
    games: Vec<Arc<Game>>,
    columns: Vec<&'static str>,
    pub(super) fingerprint: String,
}

impl Plan {
    pub(super) fn new(request: ExportRequest, games: Vec<Arc<Game>>) -> Self {
        let columns = columns::columns(request.include_media_paths);
        let fingerprint = selection::fingerprint(&games);
        Self { request, games, columns, fingerprint }
    }

    /// What stands before the first game.
    pub(super) fn head(&self, now: &Moment) -> String {
        let mut out = String::new();
        match self.request.format {
            Format::Csv => columns::write_csv_header(&mut out, &self.columns),
            Format::Gamelist => out.push_str(gamelist::HEAD),
            Format::Playlist => out = front_ends::playlist_head(),
            Format::Pegasus => {
                let platform = self.games.first().map(|game| game.record());
                let platform = platform.as_ref().map_or("", |game| game.text("platform"));
                out = front_ends::pegasus_head(platform);
            }
            Format::Json => {
                out = format!(
                    "{{\"application\":\"Service Launcher\",\"kind\":\"library-export\",\
                     \"exported_at\":\"{}\",\"count\":{},\"include_media_paths\":{},\"games\":[",
                    now.utc_iso(),
                    self.games.len(),
                    self.request.include_media_paths,
                );
            }
        }
        out
    }

    /// The paths of these games that exist, where a column shows it.
    fn installed(&self, games: &[Arc<Game>], disk: &dyn Disk) -> HashSet<String> {
        if !matches!(self.request.format, Format::Csv | Format::Json) {
            return HashSet::new();
        }
        let paths = games.iter().map(|game| game.path()).filter(|path| !path.is_empty());
        disk.existing(&paths.collect::<Vec<_>>())
    }

    /// One piece of games, of whose paths these exist; `first` says that nothing stands before it.
    pub(super) fn rows(
        &self,
        games: &[Arc<Game>],
        existing: &HashSet<String>,
        first: bool,
    ) -> String {
        let mut out = String::with_capacity(games.len() * 1_024);
        for (at, game) in games.iter().enumerate() {
            match self.request.format {
                Format::Csv => columns::write_csv(&mut out, game, existing, &self.columns),
                Format::Gamelist => {
                    gamelist::write(&mut out, game, self.request.include_media_paths);
                }
                Format::Pegasus => {
                    let media = self.request.include_media_paths;
                    front_ends::write_pegasus(&mut out, game, media);
                }
                Format::Playlist => {
                    front_ends::write_playlist(&mut out, game, first && at == 0);
                }
                Format::Json => {
                    out.push_str(if first && at == 0 { "\n" } else { ",\n" });
                    columns::write_json(&mut out, game, existing, &self.columns);
                }
            }
        }
        out
    }

    /// What stands behind the last game.
    fn tail(&self) -> &'static str {
        match self.request.format {
            Format::Csv | Format::Pegasus => "",
            Format::Gamelist => gamelist::TAIL,
            Format::Playlist => front_ends::PLAYLIST_TAIL,
            Format::Json => "\n]}\n",
        }
    }
}
