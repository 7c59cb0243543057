//! The games of a folder: `POST /api/import`, with emulators (`wizard`), and of all watch folders
//! (`watch`). Imports of every kind, and undoing them: `/api/v2/import/batches`, `/api/v2/import/undo`.

use std::{collections::BTreeMap, sync::Arc};

use serde_json::json;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    importers::home,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    emulators::{overview::Recommended, work},
    events::event::{Event, Topic},
    game::batches::Batch,
    imports::folder::{self, FolderImport, FolderRequest, ImportOutcome},
    model::emulators::{App, Catalog},
    watcher::pass::{ImportContext, ImportSummary},
};

const FOLDER: [Param; 2] = [
    required(
        "folder",
        Holds::Text,
        "The folder to read, with everything below it; `~` is the home.",
    ),
    optional("chosen_emulators", Holds::Object, "Package ids of emulators by platform."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/import", Handler::Write(import_folder))
        .about("imports", "Adds the games of a folder that the library does not have yet.")
        .body(&FOLDER)
        .returns::<FolderImported>()
        .slow()
        .v1(),
    Route::post("/api/import/wizard", Handler::Write(import_with_emulators))
        .about("imports", "Adds the games of a folder and installs the chosen emulators.")
        .body(&FOLDER)
        .returns::<FolderImported>()
        .slow(),
    Route::post("/api/import/watch", Handler::Write(import_watched))
        .about("imports", "Adds the games of all watch folders once.")
        .returns::<ImportSummary>()
        .slow(),
    Route::get("/api/v2/import/batches", Handler::Read(list_batches))
        .about("imports", "Lists the newest imports that can be undone, newest first.")
        .since("1.15")
        .returns::<BatchList>(),
    Route::post("/api/v2/import/undo", Handler::Write(undo_import))
        .about("imports", "Removes the games of an import and undoes what it changed.")
        .since("1.15")
        .body(&[required("import_batch_id", Holds::Text, "The id of the import.")])
        .codes(&[Code::NotFound])
        .returns::<ImportUndone>()
        .slow(),
];

schema! {
    /// `GET /api/v2/import/batches`.
    struct BatchList {
        imports: Vec<ShownBatch>,
    }

    "ImportBatch"
    /// One import.
    struct ShownBatch {
        /// Games that were new.
        added: u64,
        /// Games that were there before and were changed.
        changed: usize,
        import_batch_id: String,
        /// Local time.
        imported_at: String,
        /// `folder`, `setup`, `watch`, `frontend`, `legacy`, a store or another source.
        source: String,
        /// Whether everything that it changed is known.
        whole: bool,
    }

    /// An import was undone.
    struct ImportUndone {
        /// Games among those that stay that were not played.
        edited: usize,
        /// Games of it that stay, because they were played or edited since.
        kept: usize,
        /// Games that were removed.
        removed: usize,
        /// Games whose previous values were restored.
        restored: usize,
        /// Whether everything that it changed was known.
        whole: bool,
    }

    /// The games of a folder were imported.
    struct FolderImported {
        /// Games that are new.
        added: usize,
        /// Games that the folder has.
        found: usize,
        import_batch_id: String,
        /// Package ids of emulators that were installed with it.
        #[serde(skip_serializing_if = "Option::is_none")]
        installed: Option<Vec<String>>,
        /// Files that belong to a game: what its sheet names, the tracks of its disc.
        parts: usize,
        /// The emulators for each platform.
        recommendations: BTreeMap<&'static str, Vec<Recommended>>,
        /// Folders and files that could not be read or named, and files of unknown type.
        skipped: usize,
        /// Files of unknown type by extension (empty for none): the most frequent ones, at most 50.
        skipped_types: BTreeMap<String, usize>,
    }
}

fn list_batches(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let shown = |batch: Batch| ShownBatch {
        added: batch.added,
        changed: batch.changes.len(),
        import_batch_id: batch.import_batch_id,
        imported_at: batch.imported_at,
        source: batch.source,
        whole: !batch.is_cut,
    };
    ok(&BatchList { imports: reader.state.rows::<Batch>().into_iter().rev().map(shown).collect() })
}

fn undo_import(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let id = call.required("import_batch_id")?;
    let undone = folder::undo(writer.store, writer.files, &writer.shared.data_dir, id)?;
    ok(&ImportUndone {
        edited: undone.edited,
        kept: undone.kept,
        removed: undone.removed.len(),
        restored: undone.restored,
        whole: undone.is_whole,
    })
}

/// Imports; the chosen emulators are installed afterwards, each as a job.
fn import_folder(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = FolderRequest::read(&call.body)?;
    let body = import(writer, call, &request)?;
    for app in chosen(&writer.shared.definitions.current(), &request) {
        work::submit_install(&writer.shared.jobs, Some(&app))?;
    }
    ok(&body)
}

/// Imports and installs within the request; an emulator that cannot be installed is left out of the
/// answer.
fn import_with_emulators(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = FolderRequest::read(&call.body)?;
    let mut body = import(writer, call, &request)?;
    let chosen = chosen(&writer.shared.definitions.current(), &request);
    let installed = chosen.iter().filter(|app| {
        let outcome = writer.installer.install(app, &|| true);
        outcome.inspect_err(|error| log::warn!("{error}")).is_ok()
    });
    body.installed = Some(installed.map(|app| app.id.clone()).collect());
    ok(&body)
}

/// The emulators a request chose, each once; unknown ids are skipped.
fn chosen(catalog: &Catalog, request: &FolderRequest) -> Vec<Arc<App>> {
    let mut apps: Vec<Arc<App>> = Vec::new();
    for app in request.chosen_emulators.values().filter_map(|id| catalog.app(id)) {
        if !apps.contains(app) {
            apps.push(Arc::clone(app));
        }
    }
    apps
}

fn import_watched(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let context = ImportContext {
        store: writer.store.clone(),
        files: writer.files.clone(),
        data: shared.data_dir.clone(),
        definitions: Arc::clone(&shared.definitions),
        home: home(shared).to_owned(),
        environment: shared.environment.clone(),
    };
    let state = writer.store.snapshot()?;
    ok(&context.import_watched(&state))
}

fn import(
    writer: &Writer<'_>,
    call: &Call<'_>,
    request: &FolderRequest,
) -> Result<FolderImported, ApiError> {
    let shared = writer.shared;
    let catalog = shared.definitions.current();
    let import = FolderImport {
        store: writer.store,
        files: writer.files,
        data: &shared.data_dir,
        catalog: &catalog,
        home: shared.environment.home(),
    };
    tell(shared, call, "running", None);
    let outcome = import.run_and_report(request, &Moment::now());
    tell(shared, call, "done", outcome.as_ref().ok());
    Ok(FolderImported::of(outcome?))
}

/// Announces an import on the live stream, which runs inside its request and is not a job.
fn tell(shared: &Shared, call: &Call<'_>, state: &str, outcome: Option<&ImportOutcome>) {
    let mut payload = json!({"job": "import", "folder": call.text("folder"), "state": state});
    if let Some(outcome) = outcome {
        payload["added"] = outcome.added.into();
        payload["found"] = outcome.found.into();
    }
    shared.bus.publish(&Event::new(Topic::JobProgress, payload));
}

impl FolderImported {
    fn of(outcome: ImportOutcome) -> Self {
        let recommended = |(platform, apps): (&'static str, Vec<Arc<App>>)| {
            (platform, apps.iter().map(|app| Recommended::of(app, platform)).collect())
        };
        Self {
            added: outcome.added,
            found: outcome.found,
            import_batch_id: outcome.import_batch_id,
            installed: None,
            parts: outcome.parts,
            recommendations: outcome.recommendations.into_iter().map(recommended).collect(),
            skipped: outcome.skipped,
            skipped_types: outcome.skipped_types,
        }
    }
}
