//! Jobs as a whole, with workers that pause where a test wants it.

mod lasting;
mod running;

use std::{
    path::Path,
    sync::{Arc, Mutex},
    time::Duration,
};

use crossbeam_channel::{Receiver, Sender, unbounded};
use serde_json::{Map, Value, json};

use super::{
    context::Context,
    kind::{Kind, Outcome},
    runner::{Accepted, Jobs, Options, SameName, Submission},
    spec::{Spec, Title},
};
use crate::{
    base::Moment,
    events::{
        bus::{Bus, Next, Subscription},
        event::Topic,
    },
    files::Files,
};

const LONG: Duration = Duration::from_secs(20);

type Script = dyn Fn(&Context<'_>, &Map<String, Value>, Option<&Value>) -> Outcome + Send + Sync;

pub(super) const SCAN: Spec = Spec {
    resumes: true,
    ..Spec::new("saves.scan", &[("saves-scan", Title::Fixed("Save path scan"))])
};
pub(super) const SETUP: Spec = Spec {
    resumes: true,
    subject: Some("preview_id"),
    ..Spec::new("setup.scan", &[("setup-scan:", Title::Spelled)])
};
pub(super) const EXPORT: Spec = Spec {
    resumes: true,
    ..Spec::new("library.export", &[("library-export", Title::Fixed("Library Export"))])
};
pub(super) const BACKUP: Spec = Spec {
    promotes: true,
    ..Spec::new("library.backup", &[("library-backup", Title::Fixed("Library backup"))])
};
pub(super) const SYNC: Spec = Spec {
    promotes: true,
    ..Spec::new("cloud.sync", &[("cloud-sync", Title::Fixed("Cloud sync"))])
};
pub(super) const DOWNLOAD: Spec =
    Spec { resumes: true, retries_failed_only: true, ..Spec::new("media.bulk_download", &[]) };

struct Scripted {
    spec: Spec,
    script: Box<Script>,
    cleaned: Arc<Mutex<Vec<String>>>,
}

impl Scripted {
    fn kind(self: &Arc<Self>) -> Kind {
        let scripted = Arc::clone(self);
        let kind = Kind::new(self.spec, self, |scripted, context| {
            (scripted.script)(context, context.input(), context.resumed_from())
        });
        kind.cleaned_by(move |operation| {
            scripted.cleaned.lock().expect("no panic").push(operation.job_id.clone());
        })
    }
}

fn scripted(
    spec: Spec,
    script: impl Fn(&Context<'_>, &Map<String, Value>, Option<&Value>) -> Outcome
    + Send
    + Sync
    + 'static,
) -> Arc<Scripted> {
    let (script, cleaned) = (Box::new(script), Arc::default());
    Arc::new(Scripted { spec, script, cleaned })
}

/// A worker that says its job's id when it starts and then waits for a word: `go` ends it with success,
/// `look` makes it check whether it was asked to stop.
fn held(spec: Spec) -> (Arc<Scripted>, Receiver<String>, Sender<&'static str>) {
    let (started, starts) = unbounded();
    let (say, said) = unbounded();
    let kind = scripted(spec, move |context, _, _| {
        started.send(context.job_id().to_owned()).expect("somebody listens");
        while said.recv_timeout(LONG) == Ok("look") {
            context.check()?;
        }
        Ok(Map::from_iter([("completed".to_owned(), json!(1))]))
    });
    (kind, starts, say)
}

struct Bench {
    dir: tempfile::TempDir,
    bus: Bus,
    jobs: Jobs,
    events: Subscription,
}

fn options(folder: &Path, bus: &Bus, kinds: Vec<Arc<Scripted>>, files: Files) -> Options {
    Options {
        files,
        operations: folder.join("operations.json"),
        items: folder.join("operations_items"),
        bus: bus.clone(),
        kinds: kinds.iter().map(Scripted::kind).collect(),
        home: String::new(),
        first_pause: Duration::from_millis(1),
        now: Moment::now,
    }
}

fn bench(kinds: Vec<Arc<Scripted>>) -> Bench {
    let dir = tempfile::tempdir().expect("a folder");
    let bus = Bus::new();
    let events = bus.subscribe(|| false).expect("a place");
    let jobs = Jobs::start(options(dir.path(), &bus, kinds, Files::system())).expect("started");
    Bench { dir, bus, jobs, events }
}

impl Bench {
    fn submit_as(&self, name: &str, input: &Value, same_name: SameName) -> Accepted {
        let input = input.as_object().cloned().unwrap_or_default();
        let submission = Submission { name: name.to_owned(), input, same_name };
        self.jobs.submit(submission).expect("accepted")
    }

    fn submit(&self, name: &str) -> String {
        self.submit_as(name, &json!({}), SameName::Join).job_id
    }

    /// Waits for an event about a job and returns its payload.
    fn event(&self, topic: Topic, job_id: &str) -> Value {
        loop {
            let Next::Event(frame) = self.events.next(LONG) else {
                panic!("no {topic:?} for {job_id}");
            };
            let payload: Value = serde_json::from_str(&frame.data).expect("json");
            if frame.name == topic.name() && payload["job_id"] == job_id {
                return payload;
            }
        }
    }

    fn end(&self, job_id: &str) -> Value {
        self.event(Topic::JobFinished, job_id);
        self.document(job_id)
    }

    fn document(&self, job_id: &str) -> Value {
        self.jobs.find(job_id).expect("a document")
    }

    fn stored(&self) -> Value {
        let bytes = std::fs::read(self.dir.path().join("operations.json")).expect("stored");
        serde_json::from_slice(&bytes).expect("json")
    }

    /// The same data directory under a process that starts now.
    fn restarted(self, kinds: Vec<Arc<Scripted>>) -> Self {
        let Self { dir, bus, jobs, events } = self;
        jobs.stop();
        let jobs = Jobs::start(options(dir.path(), &bus, kinds, Files::system()));
        Self { dir, bus, jobs: jobs.expect("started"), events }
    }
}
