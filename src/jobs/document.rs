//! One operation: everything that is stored about it, and the changes it may go through.
//!
//! Every change of state goes through [`Operation::apply`], so the table of `machine` holds and the
//! times fit the state. Times are UTC with offset. Reads no clock: callers pass the time.

use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{
    machine::{self, Event, Refused, State},
    spec::Spec,
};
use crate::base::{Moment, schema::schema};

/// The name of the phase in which an operation is not cancelled any more.
pub const PROMOTE: &str = "promote";

/// An operation as it stands in `operations.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Operation {
    /// 32 hex digits.
    pub job_id: String,
    /// The first operation of the chain of retries and resumes; its own id when it is the first.
    pub root_job_id: String,
    /// The operation this one retries.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub retry_of: Option<String>,
    /// The operation this one resumes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub resume_of: Option<String>,
    /// The name that only one active job has.
    #[serde(default)]
    pub name: String,
    /// The dotted type.
    #[serde(rename = "type")]
    pub kind: String,
    /// A few words for the user.
    #[serde(default)]
    pub title: String,
    /// Where it stands.
    pub state: State,
    /// The step it is in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub phase: Option<String>,
    /// Items worked off.
    #[serde(default)]
    pub current: u64,
    /// Items in all, once that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// What is counted.
    #[serde(default = "items")]
    pub unit: String,
    /// A sentence for the user; blank without one.
    #[serde(default, deserialize_with = "text_or_blank", skip_serializing_if = "String::is_empty")]
    pub message: String,
    /// When it was accepted.
    #[serde(default)]
    pub created_at: String,
    /// When anything last changed.
    #[serde(default)]
    pub updated_at: String,
    /// When a worker took it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub started_at: Option<String>,
    /// When it ended.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished_at: Option<String>,
    /// Which attempt this is or was, from 1; 0 before the first.
    #[serde(default)]
    pub attempt: u32,
    /// How many attempts it has.
    #[serde(default = "one")]
    pub max_attempts: u32,
    /// What it works on, without secrets.
    #[serde(default)]
    pub input: Map<String, Value>,
    /// The checkpoint of a resume; only its kind can read it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Value>,
    /// What the worker returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output: Option<Map<String, Value>>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Fault>,
}

schema! {
    "JobFault"
    /// Why an operation or one of its items failed.
    #[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
    pub struct Fault {
        /// Machine-readable code.
        pub code: String,
        /// A sentence for the user, without absolute paths.
        pub message: String,
        /// The id under which the log speaks of it.
        #[serde(default)]
        pub request_id: String,
    }
}

/// What clients may ask of an operation right now.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Capabilities {
    /// It can be stopped.
    pub can_cancel: bool,
    /// It can be done again.
    pub can_retry: bool,
    /// It can go on where it was cut off.
    pub can_resume: bool,
}

/// A text; `null` is a blank one.
fn text_or_blank<'de, D: Deserializer<'de>>(value: D) -> Result<String, D::Error> {
    Ok(Option::deserialize(value)?.unwrap_or_default())
}

fn items() -> String {
    "items".to_owned()
}

fn one() -> u32 {
    1
}

impl Operation {
    /// Sets the message that it was interrupted, unless it has one of its own.
    pub fn say_interrupted(&mut self) {
        if self.message.is_empty() {
            "Interrupted by shutdown.".clone_into(&mut self.message);
        }
    }

    /// A new operation, queued, the first of its chain.
    pub fn new(job_id: String, name: String, kind: &str, title: String, now: &Moment) -> Self {
        let now = now.utc_iso();
        Self {
            root_job_id: job_id.clone(),
            job_id,
            retry_of: None,
            resume_of: None,
            name,
            kind: kind.to_owned(),
            title,
            state: State::Queued,
            phase: None,
            current: 0,
            total: None,
            unit: items(),
            message: String::new(),
            created_at: now.clone(),
            updated_at: now,
            started_at: None,
            finished_at: None,
            attempt: 0,
            max_attempts: 1,
            input: Map::new(),
            checkpoint: None,
            output: None,
            error: None,
        }
    }

    /// A new operation that does this one again, with its input or a new one.
    pub fn retried(
        &self,
        job_id: String,
        input: Option<Map<String, Value>>,
        spec: &Spec,
        now: &Moment,
    ) -> Self {
        let input = input.unwrap_or_else(|| match self.failed_ids() {
            Some(failed) if spec.retries_failed_only => {
                let mut input = self.input.clone();
                input.insert("failed_game_ids".to_owned(), failed.clone());
                input
            }
            _ => self.input.clone(),
        });
        Self { retry_of: Some(self.job_id.clone()), input, ..self.follower(job_id, now) }
    }

    /// A new operation that goes on where this one was cut off.
    pub fn resumed(&self, job_id: String, now: &Moment) -> Self {
        Self {
            resume_of: Some(self.job_id.clone()),
            message: "Resuming from checkpoint.".to_owned(),
            input: self.input.clone(),
            checkpoint: self.checkpoint.clone(),
            current: self.current,
            total: self.total,
            ..self.follower(job_id, now)
        }
    }

    fn follower(&self, job_id: String, now: &Moment) -> Self {
        Self {
            root_job_id: self.root_job_id.clone(),
            unit: self.unit.clone(),
            max_attempts: self.max_attempts,
            ..Self::new(job_id, self.name.clone(), &self.kind, self.title.clone(), now)
        }
    }

    /// Goes to the next state and keeps the times in step with it.
    ///
    /// # Errors
    /// [`Refused`] when the table has no such transition; nothing has changed then.
    pub fn apply(&mut self, event: Event, now: &Moment) -> Result<State, Refused> {
        self.state = machine::next(self.state, event)?;
        let now = now.utc_iso();
        if self.state == State::Running {
            self.started_at = Some(now.clone());
        }
        if !self.state.is_active() {
            self.finished_at = Some(now.clone());
        }
        self.updated_at = now;
        Ok(self.state)
    }

    /// Whether it is in the step that must not be cut off.
    pub fn is_promoting(&self) -> bool {
        self.state == State::Running && self.phase.as_deref() == Some(PROMOTE)
    }

    /// What may be asked of it.
    pub fn capabilities(&self, spec: &Spec) -> Capabilities {
        let has_checkpoint = self.checkpoint.as_ref().is_some_and(|value| match value {
            Value::Null => false,
            Value::Object(map) => !map.is_empty(),
            Value::Array(list) => !list.is_empty(),
            _ => true,
        });
        // Whoever can neither name what failed nor go on starts over with the whole input.
        let retryable = !spec.retries_failed_only
            || self.failed_ids().is_some()
            || !has_checkpoint
            || self.state == State::Error;
        Capabilities {
            can_cancel: self.state.is_active() && !(spec.promotes && self.is_promoting()),
            can_retry: self.state.is_unfinished() && retryable,
            can_resume: self.state == State::Interrupted && spec.resumes && has_checkpoint,
        }
    }

    /// The ids of the games that failed, when the checkpoint names any.
    fn failed_ids(&self) -> Option<&Value> {
        let failed = self.checkpoint.as_ref()?.get("failed_game_ids")?;
        failed.as_array().filter(|ids| !ids.is_empty()).map(|_| failed)
    }

    /// Seconds of work with three decimals: from the start to the end, or to now.
    pub fn duration_seconds(&self, now: &Moment) -> f64 {
        let millis = |text: &Option<String>| Some(Moment::parse(text.as_ref()?)?.unix_millis());
        let Some(started) = millis(&self.started_at) else { return 0.0 };
        let ended = millis(&self.finished_at).unwrap_or_else(|| now.unix_millis());
        let millis = u32::try_from((ended - started).max(0)).unwrap_or(u32::MAX);
        f64::from(millis) / 1000.0
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::jobs::tests::{BACKUP, DOWNLOAD, SETUP, SYNC};

    fn operation(kind: &Spec) -> Operation {
        let now = Moment::from_unix(1_000);
        let (id, name, title) = ("a1".into(), "name".into(), "Title".into());
        let mut operation = Operation::new(id, name, kind.type_name, title, &now);
        operation.input = Map::from_iter([("x".to_owned(), json!(1))]);
        operation
    }

    fn in_state(kind: &Spec, state: State, checkpoint: Value) -> Operation {
        Operation { state, checkpoint: Some(checkpoint), ..operation(kind) }
    }

    #[track_caller]
    fn check(kind: &Spec, state: State, checkpoint: Value, able: (bool, bool, bool)) {
        let (can_cancel, can_retry, can_resume) = able;
        let expected = Capabilities { can_cancel, can_retry, can_resume };
        assert_eq!(in_state(kind, state, checkpoint).capabilities(kind), expected, "{state:?}");
    }

    #[test]
    fn capabilities_follow_state_and_policy() {
        for state in State::ALL {
            let active = state.is_active();
            let again = state.is_unfinished();
            let interrupted = state == State::Interrupted;
            let cursor = json!({"last_game_id": "game-1"});
            check(&SETUP, state, cursor.clone(), (active, again, interrupted));
            check(&SETUP, state, json!({}), (active, again, false));
            check(&SYNC, state, cursor.clone(), (active, again, false));
            let error = state == State::Error;
            check(&DOWNLOAD, state, cursor, (active, error, interrupted));
            check(&DOWNLOAD, state, Value::Null, (active, again, false));
            let failed = json!({"failed_game_ids": ["game-1"]});
            check(&DOWNLOAD, state, failed, (active, again, interrupted));
        }
    }

    #[test]
    fn the_last_step_of_some_types_is_not_cancelled() {
        for (kind, cancel) in [(BACKUP, false), (SETUP, true)] {
            let mut operation = in_state(&kind, State::Running, Value::Null);
            operation.phase = Some(PROMOTE.to_owned());
            assert_eq!(operation.capabilities(&kind).can_cancel, cancel);
        }
    }

    #[test]
    fn a_retry_starts_over_and_a_resume_goes_on() {
        let now = Moment::from_unix(2_000);
        let old = in_state(&SETUP, State::Interrupted, json!({"done": 3}));
        let retried = old.retried("b2".into(), None, &SETUP, &now);
        assert_eq!((retried.retry_of.as_deref(), retried.checkpoint.as_ref()), (Some("a1"), None));
        assert_eq!((&retried.input, retried.state), (&old.input, State::Queued));
        let other = Map::from_iter([("y".to_owned(), json!(2))]);
        assert_eq!(old.retried("b3".into(), Some(other.clone()), &SETUP, &now).input, other);
        let resumed = retried.resumed("c3".into(), &now);
        assert_eq!(
            (resumed.root_job_id.as_str(), resumed.resume_of.as_deref()),
            ("a1", Some("b2"))
        );
        let resumed = old.resumed("d4".into(), &now);
        assert_eq!(
            (resumed.checkpoint, resumed.input),
            (old.checkpoint.clone(), old.input.clone())
        );
        assert_eq!(resumed.message, "Resuming from checkpoint.");
    }

    #[test]
    fn failed_only_retries_carry_the_failed_games() {
        let checkpoint = json!({"failed_game_ids": ["game-2"], "last_game_id": "game-9"});
        let mut old = in_state(&DOWNLOAD, State::Partial, checkpoint);
        old.input = Map::from_iter([("media".to_owned(), json!(["cover"]))]);
        let now = Moment::from_unix(2_000);
        let retried = old.retried("b".into(), None, &DOWNLOAD, &now);
        let expected = json!({"failed_game_ids": ["game-2"], "media": ["cover"]});
        assert_eq!(Value::Object(retried.input), expected);
    }

    #[test]
    fn durations_have_three_decimals() {
        let mut operation = operation(&SETUP);
        assert!(operation.duration_seconds(&Moment::from_unix(5)).abs() < f64::EPSILON);
        operation.started_at = Some("2026-11-21T10:00:00.250000+00:00".into());
        operation.finished_at = Some("2026-11-21T10:00:02.000000+00:00".into());
        let seconds = operation.duration_seconds(&Moment::from_unix(0));
        assert!((seconds - 1.75).abs() < f64::EPSILON, "{seconds}");
    }

    proptest! {
        #[test]
        fn times_fit_the_state_and_the_document_reads_back(
            events in prop::collection::vec(0..Event::ALL.len(), 0..20),
        ) {
            let mut operation = operation(&SETUP);
            for (second, event) in events.into_iter().enumerate() {
                let now = Moment::from_unix(2_000 + i64::try_from(second).unwrap_or(0));
                let before = operation.clone();
                if operation.apply(Event::ALL[event], &now).is_err() {
                    prop_assert_eq!(&operation, &before);
                }
                prop_assert_eq!(operation.finished_at.is_some(), !operation.state.is_active());
                if operation.state == State::Running {
                    prop_assert!(operation.started_at.is_some());
                }
            }
            let stored = serde_json::to_string(&operation).expect("json");
            prop_assert_eq!(serde_json::from_str::<Operation>(&stored).expect("reads"), operation);
        }
    }
}
