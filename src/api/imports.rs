//! `POST /api/import`: the games of a folder.

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Shared, Writer},
};
use crate::{
    base::clock::Moment,
    events::event::{Event, Topic},
    imports::folder::{FolderImport, FolderRequest, ImportOutcome},
    webhooks::occurrence::{Occurrence, Subject},
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
pub const ROUTES: &[Route] = &[Route::post("/api/import", Handler::Write(import_folder))
    .about("imports", "Adds the games of a folder that the library does not have yet.")
    .body(&FOLDER)
    .reply(&["added", "found", "recommendations", "skipped", "import_batch_id"])
    .slow()
    .v1()];

fn import_folder(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let request = FolderRequest::read(&call.body)?;
    let shared = writer.shared;
    let import = FolderImport {
        store: writer.store,
        files: &shared.files,
        data: &shared.data_dir,
        home: shared.environment.home(),
    };
    tell(shared, call, "running", None);
    let outcome = import.run(&request, &Moment::now());
    tell(shared, call, "done", outcome.as_ref().ok());
    let outcome = outcome?;
    for path in &outcome.paths {
        shared.library.probes().forget(path);
    }
    if outcome.found > 0 {
        let facts = json!({"source": "folder", "found": outcome.found, "added": outcome.added});
        shared.announce(&Occurrence::new(Subject::LibraryImported, facts));
    }
    ok(&shape(&outcome))
}

/// Tells the live stream of an import, which runs inside its request and is no job.
fn tell(shared: &Shared, call: &Call<'_>, state: &str, outcome: Option<&ImportOutcome>) {
    let mut payload = json!({"job": "import", "folder": call.text("folder"), "state": state});
    if let Some(outcome) = outcome {
        payload["added"] = outcome.added.into();
        payload["found"] = outcome.found.into();
    }
    shared.bus.publish(&Event::new(Topic::JobProgress, payload));
}

fn shape(outcome: &ImportOutcome) -> Value {
    let recommendations: Map<String, Value> = outcome
        .recommendations
        .iter()
        .map(|(platform, apps)| {
            let apps = apps.iter();
            let list: Vec<Value> = apps
                .map(|app| json!({"app_id": app.id, "name": app.name, "platform": platform}))
                .collect();
            ((*platform).to_owned(), list.into())
        })
        .collect();
    json!({
        "added": outcome.added,
        "found": outcome.found,
        "recommendations": recommendations,
        "skipped": outcome.skipped,
        "import_batch_id": outcome.import_batch_id,
    })
}
