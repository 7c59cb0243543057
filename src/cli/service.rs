//! The service that runs for a data directory: where it is, and what it answers.

use std::{path::Path, time::Duration};

use serde_json::{Map, Value, json};

use super::error::CliError;
use crate::{
    config::{data_dir::DataDir, environment::Environment},
    files::Files,
    net::{client::Unanswered, local::Instance, location::percent_encoded},
};

/// How long the service may take to answer that it is there.
const ANSWER: Duration = Duration::from_secs(10);
/// How long one request may take: an import reads a whole folder, a launch may unpack an archive.
const WORK: Duration = Duration::from_mins(30);
/// Games of one page. A page of them stays far below the largest answer.
const PAGE: usize = 500;

/// Reads where a running instance is. `None` when the files are missing or make no sense.
pub fn running_instance(files: &Files, data_dir: &DataDir) -> Option<(u16, String)> {
    let text = |path: &Path| String::from_utf8(files.read(path).ok()?).ok();
    let port = text(&data_dir.server_port())?.trim().parse().ok()?;
    let token = text(&data_dir.server_token())?.trim().to_owned();
    (!token.is_empty()).then_some((port, token))
}

/// The running service.
pub struct Service(Instance);

impl Service {
    /// The service of a data directory: the named one, else that of the environment.
    ///
    /// # Errors
    /// [`CliError::NotRunning`] when its address files are missing, or left by one that was killed.
    pub fn find(named: Option<&Path>) -> Result<Self, CliError> {
        let data_dir = DataDir::resolve(named, &Environment::capture())?;
        let missing = || CliError::not_running(data_dir.root(), named.is_none());
        let (port, token) = running_instance(&Files::system(), &data_dir).ok_or_else(missing)?;
        let instance = Instance::patient(port, token, WORK);
        if instance.is_there(ANSWER) { Ok(Self(instance)) } else { Err(missing()) }
    }

    /// A good answer to a GET.
    ///
    /// # Errors
    /// [`CliError`], in the words of the service when it refuses.
    pub fn get(&self, path: &str, query: &[(&str, &str)]) -> Result<Value, CliError> {
        let mut address = path.to_owned();
        for (at, (name, value)) in query.iter().enumerate() {
            address.push(if at == 0 { '?' } else { '&' });
            address.push_str(name);
            address.push('=');
            address.push_str(&percent_encoded(value));
        }
        good(self.0.get(&address))
    }

    /// A good answer to a POST.
    ///
    /// # Errors
    /// As [`Service::get`].
    pub fn post(&self, path: &str, body: &Value) -> Result<Value, CliError> {
        good(self.0.post(path, body))
    }

    /// Hands over the games of the library, page by page.
    ///
    /// # Errors
    /// As [`Service::get`], and those of `take`.
    pub fn each_page(
        &self,
        mut take: impl FnMut(Vec<Value>) -> Result<(), CliError>,
    ) -> Result<(), CliError> {
        let mut offset = 0;
        loop {
            let (from, limit) = (offset.to_string(), PAGE.to_string());
            let mut page = self.get("/api/library", &[("offset", &from), ("limit", &limit)])?;
            let Value::Array(games) = page["games"].take() else {
                return Err(CliError::Failed("The library has no list of games.".to_owned()));
            };
            let count = games.len();
            take(games)?;
            offset += PAGE;
            if count < PAGE {
                return Ok(());
            }
        }
    }

    /// Starts long work in the service and waits for its end; returns the job as `GET /api/jobs` lists it.
    ///
    /// # Errors
    /// As [`Service::get`]; the reason when the job failed.
    pub fn work(&self, route: &str, body: &Value) -> Result<Value, CliError> {
        Ok(work(&self.0, route, body)?)
    }
}

/// Why work was not done.
#[derive(Debug, thiserror::Error)]
pub enum WorkError {
    #[error("the running service does not answer: {0}")]
    Unanswered(#[from] Unanswered),
    #[error("the running service ended before the work was done")]
    Silent,
    /// The service refused, in its words.
    #[error("{0}")]
    Refused(String),
}

impl From<WorkError> for CliError {
    fn from(error: WorkError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Starts long work in a service and waits for its end; returns the finished job.
///
/// # Errors
/// [`WorkError`].
pub fn work(service: &Instance, route: &str, body: &Value) -> Result<Value, WorkError> {
    // Listened to from before the job begins, so that its end is heard.
    let mut events = service.follow()?;
    let (status, reply) = service.post(route, body)?;
    let Some(id) = reply["job_id"].as_str().filter(|_| status == 202) else {
        return Err(WorkError::Refused(refusal(&reply, status)));
    };
    let is_end = |name: &str| matches!(name, "job.finished" | "job.interrupted");
    let ended = events.any(|(name, payload)| is_end(&name) && payload["job_id"] == id);
    if !ended {
        return Err(WorkError::Silent);
    }
    let job = find_job(service, id)?;
    if job["state"] == "done" || job["state"] == "partial" {
        return Ok(job);
    }
    let error = &job["error"]["message"];
    let error = error.as_str().or(job["error"].as_str()).filter(|text| !text.is_empty());
    let state = || format!("The job ended as {}.", job["state"].as_str().unwrap_or("lost"));
    Err(WorkError::Refused(error.map_or_else(state, str::to_owned)))
}

/// The job as the service lists it.
fn find_job(service: &Instance, id: &str) -> Result<Value, WorkError> {
    let (status, reply) = service.get("/api/jobs")?;
    if status != 200 {
        return Err(WorkError::Refused(refusal(&reply, status)));
    }
    let active = reply["jobs"].as_object().into_iter().flat_map(Map::values);
    let mut jobs = active.chain(reply["history"].as_array().into_iter().flatten());
    let job = jobs.find(|job| job["job_id"] == id).cloned();
    job.ok_or_else(|| WorkError::Refused("The job is not known any more.".to_owned()))
}

fn good(answer: Result<(u16, Value), Unanswered>) -> Result<Value, CliError> {
    let (status, reply) = answer?;
    if (200..300).contains(&status) {
        Ok(reply)
    } else {
        Err(CliError::Failed(refusal(&reply, status)))
    }
}

/// The words of the service, or its status when it has none.
fn refusal(reply: &Value, status: u16) -> String {
    let said = reply["error"].as_str();
    said.map_or_else(|| format!("The service answered {status}."), str::to_owned)
}

/// The list in `items`, separated by commas, as the routes of archives take it.
pub fn list(items: &str) -> Value {
    json!(items.split(',').map(str::trim).collect::<Vec<_>>())
}
