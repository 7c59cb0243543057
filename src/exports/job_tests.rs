//! Exports as jobs: whole, resumed at every edge, cancelled.

use std::{collections::HashSet, path::Path, sync::Arc, time::Duration};

use serde_json::{Map, Value, json};

use super::{
    folder::ExportFolder,
    job::{self, Plan, submit_export},
    request::{ExportRequest, Format, Scope},
    selection,
};
use crate::{
    base::Moment,
    events::bus::{Bus, Next, Subscription},
    files::Files,
    jobs::{Jobs, runner::Options},
    probe::disk::EmptyDisk,
    store::{Store, options},
};

const GAMES: usize = 2_500;
const LONG: Duration = Duration::from_secs(20);
const OLD: &str = "0123456789abcdef0123456789abcdef";

struct House {
    dir: tempfile::TempDir,
    store: Store,
    folder: Arc<ExportFolder>,
}

fn house() -> House {
    let dir = tempfile::tempdir().expect("a folder");
    let games: Vec<_> = (0..GAMES)
        .map(|number| json!({"game_id": format!("game-{number}"), "name": format!("Nüm,\n{number}")}))
        .collect();
    let playlists = json!([{"name": "Few", "type": "manual", "members": ["game-7", "game-3"]}]);
    let library = json!({"schema_version": 6, "games": games, "playlists": playlists});
    let files = Files::system();
    files.replace(&dir.path().join("library.json"), library.to_string().as_bytes()).expect("made");
    let store = Store::open(options::Options::at(dir.path())).expect("open");
    let folder = Arc::new(ExportFolder::new(files, dir.path().join("exports")));
    House { dir, store, folder }
}

impl House {
    fn jobs(&self) -> (Jobs, Subscription) {
        let bus = Bus::new();
        let events = bus.subscribe(|| false).expect("a place");
        let kind = job::kind(self.store.clone(), &self.folder, Arc::new(EmptyDisk));
        let jobs = Jobs::start(Options {
            files: Files::system(),
            operations: self.dir.path().join("operations.json"),
            items: self.dir.path().join("operations_items"),
            bus,
            kinds: vec![kind],
            home: String::new(),
            first_pause: Duration::from_millis(1),
            now: Moment::now,
        });
        (jobs.expect("started"), events)
    }

    fn export(&self, request: &ExportRequest) -> Value {
        let (jobs, events) = self.jobs();
        let accepted = submit_export(&jobs, request).expect("accepted");
        let document = end(&jobs, &events, &accepted.job_id);
        jobs.stop();
        document
    }

    /// What was exported, from the name in a job's result.
    fn exported(&self, document: &Value) -> String {
        assert_eq!(document["state"], "done", "{document}");
        let name = document["result"]["file"].as_str().expect("a name");
        let (path, _) = self.folder.find(name).expect("readable").expect("found");
        let names = Files::system().list(&self.dir.path().join("exports")).expect("listed");
        assert!(!names.iter().any(|name| name.contains("partial")), "{names:?}");
        std::fs::read_to_string(path).expect("text")
    }

    /// Leaves a job that was cut off after `items` games, with `more` behind them in the file.
    fn interrupted(&self, items: usize, more: &str, change: impl FnOnce(&mut Value)) {
        let request = everything(Format::Json);
        let state = self.store.snapshot().expect("a state");
        let games = selection::select(&state, &Scope::All).expect("all");
        let plan = Plan::new(request.clone(), games.clone());
        let text =
            plan.head(&Moment::from_unix(5)) + &plan.rows(&games[..items], &HashSet::new(), true);
        let unfinished = self.folder.unfinished(OLD).expect("a path");
        let content = format!("{text}{more}");
        Files::system().replace(&unfinished, content.as_bytes()).expect("written");
        let mut checkpoint =
            json!({"items": items, "bytes": text.len(), "selection": plan.fingerprint});
        change(&mut checkpoint);
        let operation = json!({
            "job_id": OLD, "type": "library.export", "state": "running",
            "input": request.to_input(), "checkpoint": checkpoint,
        });
        let file = json!({"version": 1, "operations": [operation]});
        let path = self.dir.path().join("operations.json");
        Files::system().replace(&path, file.to_string().as_bytes()).expect("written");
    }

    fn resume(&self) -> Value {
        let (jobs, events) = self.jobs();
        let next = jobs.resume(OLD).expect("resumed");
        let document = end(&jobs, &events, &next.job_id);
        jobs.stop();
        document
    }
}

fn everything(format: Format) -> ExportRequest {
    ExportRequest { format, scope: Scope::All, include_media_paths: false }
}

fn end(jobs: &Jobs, events: &Subscription, job_id: &str) -> Value {
    loop {
        let Next::Event(frame) = events.next(LONG) else { panic!("{job_id} does not end") };
        let payload: Value = serde_json::from_str(&frame.data).expect("json");
        if frame.name == "job.finished" && payload["job_id"] == job_id {
            return jobs.find(job_id).expect("a document");
        }
    }
}

/// Fails unless the text is an export with every game once, in order.
#[track_caller]
fn complete(text: &str) -> Value {
    let export: Value = serde_json::from_str(text).expect("json");
    let games = export["games"].as_array().expect("games");
    let expected = (0..GAMES).map(|number| format!("game-{number}"));
    assert!(games.iter().map(|game| game["game_id"].as_str().unwrap_or("")).eq(expected));
    assert_eq!(export["count"], GAMES);
    export
}

#[test]
fn a_json_export_holds_every_game_once() {
    let house = house();
    let document = house.export(&everything(Format::Json));
    assert_eq!(document["result"]["count"], GAMES);
    let export = complete(&house.exported(&document));
    assert_eq!(
        (&export["kind"], &export["include_media_paths"]),
        (&json!("library-export"), &json!(false))
    );
    assert!(export["exported_at"].is_string() && export["application"].is_string());
    let progress = json!({"current": GAMES, "total": GAMES, "unit": "games", "message": ""});
    assert_eq!(document["progress"], progress);
}

#[test]
fn a_csv_export_has_a_header_and_a_line_a_game() {
    let house = house();
    let scope = Scope::Playlist("Few".into());
    let request = ExportRequest { scope, ..everything(Format::Csv) };
    let text = house.exported(&house.export(&request));
    let lines: Vec<_> = text.split("\r\n").collect();
    assert_eq!(lines.len(), 4);
    assert!(lines[0].starts_with("game_id,name,sort_title,"));
    assert!(lines[1].starts_with("game-7,\"Nüm,\n7\",") && lines[2].starts_with("game-3,"));
}

#[test]
fn an_unknown_playlist_or_input_fails_the_job() {
    let house = house();
    let scope = Scope::Playlist("Nobody's".into());
    let document = house.export(&ExportRequest { scope, ..everything(Format::Csv) });
    assert_eq!(document["error"], "Playlist not found: Nobody's");
    let (jobs, events) = house.jobs();
    let id = document["job_id"].as_str().expect("an id");
    for (input, expected) in [
        (json!({"format": "xml", "scope": "all"}), "Unknown export format."),
        (json!({"format": "csv", "scope": "x"}), "Unknown export scope."),
    ] {
        let next = jobs.retry(id, input.as_object().cloned()).expect("retried");
        assert_eq!(end(&jobs, &events, &next.job_id)["error"], expected);
    }
    let again: Option<Map<String, Value>> = Some(everything(Format::Csv).to_input());
    let next = jobs.retry(id, again).expect("retried");
    assert_eq!(end(&jobs, &events, &next.job_id)["result"]["count"], GAMES);
}

#[test]
fn an_empty_selection_is_a_complete_export() {
    let house = house();
    let scope = Scope::Platform("Saturn".into());
    let document = house.export(&ExportRequest { scope, ..everything(Format::Json) });
    let export: Value = serde_json::from_str(&house.exported(&document)).expect("json");
    assert_eq!((&export["count"], &export["games"]), (&json!(0), &json!([])));
}

#[test]
fn a_resume_goes_on_behind_the_checkpoint() {
    for (items, more) in [(1_000, ""), (1_000, ",\n{\"game_id\":\"torn"), (GAMES, "\n]}\n")] {
        let house = house();
        house.interrupted(items, more, |_| ());
        let document = house.resume();
        assert_eq!(document["result"]["written"], GAMES - items);
        let export = complete(&house.exported(&document));
        assert_eq!(export["exported_at"], "1970-01-01T00:00:05.000000+00:00");
    }
}

#[test]
fn a_checkpoint_that_does_not_fit_starts_over() {
    let changes: [fn(&mut Value); 4] = [
        |point| point["selection"] = json!("other"),
        |point| point["bytes"] = json!(u64::MAX),
        |point| point["items"] = json!(GAMES + 1),
        |point| *point = json!({"done_ids": [1]}),
    ];
    for change in changes {
        let house = house();
        house.interrupted(1_000, "", change);
        let document = house.resume();
        assert_eq!(document["result"]["written"], GAMES);
        complete(&house.exported(&document));
    }
}

#[test]
fn a_changed_library_starts_over() {
    let house = house();
    house.interrupted(1_000, "", |_| ());
    let path = house.dir.path().join("library.json");
    let mut library: Value =
        serde_json::from_slice(&std::fs::read(&path).expect("read")).expect("json");
    library["games"][0]["game_id"] = json!("game-new");
    Files::system().replace(&path, library.to_string().as_bytes()).expect("written");
    let document = house.resume();
    assert_eq!(document["result"]["written"], GAMES);
    assert!(house.exported(&document).contains("game-new"));
}

#[test]
fn a_folder_that_cannot_be_written_fails_the_job_in_plain_words() {
    let house = house();
    let blocked = Path::new("exports");
    Files::system().create(&house.dir.path().join(blocked), b"a file").expect("created");
    let document = house.export(&everything(Format::Json));
    assert_eq!(document["state"], "error");
    let error = document["error"].as_str().expect("an error");
    assert!(
        error.starts_with("The export could not be written: ") && !error.contains('/'),
        "{error}"
    );
}
