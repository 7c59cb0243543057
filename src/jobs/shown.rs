//! The view of an operation for clients: its document, its row in the old list, its events.
//!
//! Shapes of `GET /api/v2/jobs` and `GET /api/jobs`; keys that have an older name are shown under
//! both.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::{Map, Value, json};

use super::{
    document::{Capabilities, Fault, Operation},
    input,
    machine::State,
};
use crate::base::{
    Moment,
    schema::{Schema, Type, schema},
};

/// The largest result that travels in an event; a larger one is read from the document.
const EVENT_RESULT_BYTES: usize = 16 * 1024;

/// Keys of the old row that a worker's result never replaces.
const OWN_KEYS: [&str; 10] = [
    "job_id",
    "state",
    "type",
    "created_at",
    "started_at",
    "finished_at",
    "error",
    "attempt",
    "max_attempts",
    "duration_seconds",
];

schema! {
    /// One job of `GET /api/v2/jobs`; keys that have an older name are there twice.
    #[derive(Clone, Debug, PartialEq)]
    pub struct JobDocument {
        attempt: u32,
        can_cancel: bool,
        can_resume: bool,
        can_retry: bool,
        checkpoint: Option<Value>,
        created_at: String,
        /// Items worked off.
        pub current: u64,
        /// Why it failed, as a sentence.
        pub error: Option<String>,
        error_detail: Option<Fault>,
        /// When it ended.
        pub finished_at: Option<String>,
        /// What it works on, with the home folder shortened to `~`.
        input: Map<String, Value>,
        /// Its id.
        pub job_id: String,
        max_attempts: u32,
        message: String,
        metadata: Map<String, Value>,
        name: String,
        operation_id: String,
        output: Option<Map<String, Value>>,
        phase: Option<String>,
        progress: JobProgress,
        result: Option<Map<String, Value>>,
        resume_of: Option<String>,
        retry_of: Option<String>,
        /// The first job of the chain.
        pub root_job_id: String,
        started_at: Option<String>,
        /// Where it stands.
        pub state: State,
        title: String,
        /// Items in all, once that is known.
        pub total: Option<u64>,
        /// The dotted type.
        pub r#type: String,
        /// When anything last changed.
        pub updated_at: String,
    }

    /// The progress of a job.
    #[derive(Clone, Debug, PartialEq)]
    struct JobProgress {
        current: u64,
        message: String,
        total: Option<u64>,
        unit: String,
    }
}

/// The document of an operation. `home` is shortened to `~` in what it works on.
pub(super) fn document(operation: &Operation, able: Capabilities, home: &str) -> JobDocument {
    let operation = operation.clone();
    let input = input::object_without_home(&operation.input, home);
    JobDocument {
        attempt: operation.attempt,
        can_cancel: able.can_cancel,
        can_resume: able.can_resume,
        can_retry: able.can_retry,
        checkpoint: operation.checkpoint,
        created_at: operation.created_at,
        current: operation.current,
        error: operation.error.as_ref().map(|fault| fault.message.clone()),
        error_detail: operation.error,
        finished_at: operation.finished_at,
        input: input.clone(),
        job_id: operation.job_id.clone(),
        max_attempts: operation.max_attempts,
        message: operation.message.clone(),
        metadata: input,
        name: operation.name,
        operation_id: operation.job_id,
        output: operation.output.clone(),
        phase: operation.phase,
        progress: JobProgress {
            current: operation.current,
            message: operation.message,
            total: operation.total,
            unit: operation.unit,
        },
        result: operation.output,
        resume_of: operation.resume_of,
        retry_of: operation.retry_of,
        root_job_id: operation.root_job_id,
        started_at: operation.started_at,
        state: operation.state,
        title: operation.title,
        total: operation.total,
        r#type: operation.kind,
        updated_at: operation.updated_at,
    }
}

schema! {
    /// `GET /api/jobs`.
    pub struct JobOverview {
        /// The last jobs that ended.
        pub history: Vec<JobRow>,
        /// The latest job of each name of this process.
        pub jobs: BTreeMap<String, JobRow>,
    }

    "JobRow"
    /// The keys of a [`JobRow`].
    pub shape RowKeys {
        attempt: u32,
        can_cancel: bool,
        can_resume: bool,
        can_retry: bool,
        created_at: String,
        duration_seconds: f64,
        error: RowError,
        finished_at: Option<String>,
        job_id: String,
        max_attempts: u32,
        name: String,
        #[serde(flatten)]
        output: Map<String, Value>,
        started_at: Option<String>,
        state: State,
        r#type: String,
    }
}

/// Empty, or why a job failed.
#[derive(Debug)]
enum RowError {}

impl Schema for RowError {
    const SCHEMA: &'static Type = &Type::OneOf(&[String::SCHEMA, Fault::SCHEMA]);
}

/// One job of `GET /api/jobs`: the keys of the worker's result are added to its own.
#[derive(Clone, Debug, Serialize)]
pub struct JobRow(pub Map<String, Value>);

impl Schema for JobRow {
    const SCHEMA: &'static Type = RowKeys::SCHEMA;
}

pub(super) fn old_row(operation: &Operation, able: Capabilities, now: &Moment) -> JobRow {
    let mut row = Map::new();
    let mut put = |key: &str, value: Value| row.insert(key.to_owned(), value);
    put("name", operation.name.clone().into());
    for (key, value) in operation.output.iter().flatten() {
        put(key, value.clone());
    }
    put("job_id", operation.job_id.clone().into());
    put("state", operation.state.name().into());
    put("type", operation.kind.clone().into());
    put("created_at", operation.created_at.clone().into());
    put("started_at", operation.started_at.clone().into());
    put("finished_at", operation.finished_at.clone().into());
    put("error", operation.error.as_ref().map_or_else(|| "".into(), |fault| json!(fault)));
    put("attempt", operation.attempt.into());
    put("max_attempts", operation.max_attempts.into());
    put("duration_seconds", operation.duration_seconds(now).into());
    put("can_cancel", able.can_cancel.into());
    put("can_retry", able.can_retry.into());
    put("can_resume", able.can_resume.into());
    let said = Some(operation.message.as_str()).filter(|message| !message.is_empty());
    let known = [
        ("phase", json!(operation.phase)),
        ("current", (operation.current > 0).then_some(operation.current).into()),
        ("total", operation.total.into()),
        ("message", said.into()),
        ("result", json!(operation.output)),
    ];
    for (key, value) in known {
        if !value.is_null() {
            row.entry(key).or_insert(value);
        }
    }
    debug_assert!(OWN_KEYS.iter().all(|key| row.contains_key(*key)));
    JobRow(row)
}

/// The payload of `job.queued`.
pub(super) fn queued(operation: &Operation) -> Value {
    json!({
        "job_id": operation.job_id,
        "type": operation.kind,
        "title": operation.title,
        "state": operation.state,
    })
}

/// The payload of `job.progress`.
pub(super) fn progress(operation: &Operation) -> Value {
    json!({
        "job_id": operation.job_id,
        "state": operation.state,
        "phase": operation.phase,
        "current": operation.current,
        "total": operation.total,
        "message": operation.message,
    })
}

/// The payload of `job.cancelling` and `job.interrupted`.
pub(super) fn stopping(operation: &Operation) -> Value {
    json!({
        "job_id": operation.job_id,
        "state": operation.state,
        "message": operation.message,
    })
}

/// The payload of `job.finished`.
pub(super) fn finished(operation: &Operation) -> Value {
    let result = json!(operation.output);
    let fits = result.to_string().len() <= EVENT_RESULT_BYTES;
    json!({
        "job_id": operation.job_id,
        "state": operation.state,
        "result": if fits { result } else { Value::Null },
        "error": operation.error.as_ref().map(|fault| &fault.message),
    })
}

/// Whether an operation belongs into the history of the old list.
pub(super) fn is_history(state: State) -> bool {
    !state.is_active()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::jobs::tests::EXPORT;

    fn operation() -> Operation {
        let now = Moment::from_unix(1_700_000_000);
        let mut operation = Operation::new(
            "ab".into(),
            "library-export".into(),
            "library.export",
            "T".into(),
            &now,
        );
        operation.input = Map::from_iter([("path".to_owned(), json!("/home/me/x"))]);
        operation
    }

    fn able(operation: &Operation) -> Capabilities {
        operation.capabilities(&EXPORT)
    }

    #[test]
    fn the_document_has_every_key_under_both_names() {
        let operation = operation();
        let shown = json!(document(&operation, able(&operation), "/home/me"));
        for key in [
            "job_id",
            "operation_id",
            "root_job_id",
            "type",
            "title",
            "state",
            "created_at",
            "updated_at",
            "started_at",
            "finished_at",
            "progress",
            "error",
            "metadata",
            "input",
            "can_cancel",
            "can_retry",
            "can_resume",
            "checkpoint",
            "result",
        ] {
            assert!(shown.get(key).is_some(), "{key}");
        }
        assert_eq!(shown["metadata"], json!({"path": "~/x"}));
        let progress = json!({"current": 0, "total": null, "unit": "items", "message": ""});
        assert_eq!(shown["progress"], progress);
        assert_eq!(shown["error"], Value::Null);
    }

    #[test]
    fn a_fault_is_a_sentence_and_an_object() {
        let mut operation = operation();
        let fault = Fault { code: "C".into(), message: "Why.".into(), request_id: "r".into() };
        operation.error = Some(fault);
        let shown = json!(document(&operation, able(&operation), ""));
        assert_eq!(
            (&shown["error"], &shown["error_detail"]["code"]),
            (&json!("Why."), &json!("C"))
        );
        assert_eq!(finished(&operation)["error"], "Why.");
    }

    #[test]
    fn the_old_row_shows_the_result_beside_its_own_keys() {
        let mut operation = operation();
        let result = json!({"file": "a.json", "count": 2, "name": "shown", "state": "never"});
        operation.output = result.as_object().cloned();
        let JobRow(row) = old_row(&operation, able(&operation), &Moment::from_unix(1_700_000_001));
        assert_eq!(
            (&row["file"], &row["count"], &row["name"]),
            (&json!("a.json"), &json!(2), &json!("shown"))
        );
        assert_eq!(
            (&row["state"], &row["error"], &row["result"]),
            (&json!("queued"), &json!(""), &result)
        );
        assert_eq!(row["duration_seconds"], json!(0.0));
        assert!(row.get("phase").is_none() && row.get("total").is_none());
    }

    #[test]
    fn an_event_never_carries_a_large_result() {
        let mut operation = operation();
        operation.output = json!({"text": "x".repeat(EVENT_RESULT_BYTES)}).as_object().cloned();
        assert_eq!(finished(&operation)["result"], Value::Null);
    }
}
