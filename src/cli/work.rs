//! The commands about work: import, jobs, backup.

use std::path::Path;

use serde_json::{Map, Value, json};

use super::{
    error::CliError,
    games::{limit, text},
    invocation::Invocation,
    output::Output,
    service::{self, Service},
    table::Flag,
};

/// Jobs that are asked for at once, and shown without `--limit`.
const PAGE: usize = 100;
const SHOWN: usize = 20;
/// States of jobs that have not ended.
const ACTIVE: [&str; 3] = ["queued", "running", "cancelling"];

/// `import`.
///
/// # Errors
/// [`CliError`].
pub fn import(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let mut replies = Vec::new();
    if asked.has(Flag::Watched) {
        replies
            .push(("the watch folders".to_owned(), service.post("/api/import/watch", &json!({}))?));
    }
    for folder in &asked.operands {
        // The service has another working directory.
        let path = std::path::absolute(Path::new(folder)).unwrap_or_else(|_| folder.into());
        let Some(path) = path.to_str() else {
            return Err(CliError::Usage(format!("{} is not valid UTF-8", folder.display())));
        };
        let reply = service.post("/api/import", &json!({"folder": path}));
        let reply = reply.map_err(|error| match error {
            CliError::Failed(reason) => CliError::Failed(format!("{path}: {reason}")),
            other => other,
        })?;
        replies.push((path.to_owned(), reply));
    }
    if asked.has(Flag::Json) {
        let all: Vec<Value> = replies.into_iter().map(|(_, reply)| reply).collect();
        return Ok(output.json(&Value::Array(all))?);
    }
    for (place, reply) in &replies {
        let (found, added) = (&reply["found"], &reply["added"]);
        output.line(&format!("{place}: {found} games found, {added} added."))?;
        for (ending, count) in reply["skipped_types"].as_object().into_iter().flatten() {
            let ending = if ending.is_empty() { "no extension" } else { ending };
            output.line(&format!("  skipped: {count} files with {ending}"))?;
        }
        for error in reply["errors"].as_array().into_iter().flatten().filter_map(Value::as_str) {
            output.line(&format!("  {error}"))?;
        }
    }
    Ok(())
}

/// `jobs`.
///
/// # Errors
/// [`CliError`].
pub fn jobs(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let wanted = [(Flag::Cancel, "/api/v2/jobs/cancel"), (Flag::Retry, "/api/v2/jobs/retry")];
    for (flag, route) in wanted {
        let Some(id) = asked.value(flag) else { continue };
        let id = whole_id(service, id)?;
        let reply = service.post(route, &json!({"job_id": id}))?;
        if asked.has(Flag::Json) {
            return Ok(output.json(&reply)?);
        }
        let (state, id) = (text(&reply, "state"), text(&reply, "job_id"));
        return Ok(output.line(&format!("Job {id} is {state}."))?);
    }
    let mut jobs = all(service)?;
    if asked.has(Flag::Active) {
        jobs.retain(|job| ACTIVE.contains(&text(job, "state")));
    }
    jobs.truncate(limit(asked)?.unwrap_or(SHOWN));
    if asked.has(Flag::Json) {
        return Ok(output.json(&Value::Array(jobs))?);
    }
    let row = |job: &Value| {
        let progress = &job["progress"];
        let progress = match (progress["current"].as_u64(), progress["total"].as_u64()) {
            (Some(current), Some(total)) if total > 0 => format!("{current}/{total}"),
            (Some(current), _) if current > 0 => current.to_string(),
            _ => String::new(),
        };
        let error = text(job, "error");
        let message = if error.is_empty() { text(job, "message") } else { error };
        vec![
            message_or_title(job, message),
            text(job, "state").to_owned(),
            progress,
            text(job, "created_at").chars().take(16).collect::<String>().replace('T', " "),
            text(job, "job_id").to_owned(),
        ]
    };
    let rows: Vec<_> = jobs.iter().map(row).collect();
    Ok(output.table(&["JOB", "STATE", "PROGRESS", "CREATED", "ID"], &rows, "There are no jobs.")?)
}

fn message_or_title(job: &Value, message: &str) -> String {
    let title = text(job, "title");
    if message.is_empty() || message == title {
        return title.to_owned();
    }
    format!("{title}: {message}")
}

/// The jobs, the newest first: at most one page.
fn all(service: &Service) -> Result<Vec<Value>, CliError> {
    let limit = PAGE.to_string();
    let mut reply = service.get("/api/v2/jobs", &[("limit", &limit)])?;
    match reply["jobs"].take() {
        Value::Array(jobs) => Ok(jobs),
        _ => Ok(Vec::new()),
    }
}

/// The id that begins like this.
fn whole_id(service: &Service, begin: &str) -> Result<String, CliError> {
    let jobs = all(service)?;
    let ids = jobs.iter().map(|job| text(job, "job_id"));
    let fitting: Vec<&str> = ids.filter(|id| !begin.is_empty() && id.starts_with(begin)).collect();
    match fitting.as_slice() {
        [] => Err(CliError::Failed(format!("No job fits {begin:?}."))),
        [id] => Ok((*id).to_owned()),
        ids => Err(CliError::Failed(format!("{begin:?} fits {} jobs.", ids.len()))),
    }
}

/// `backup`.
///
/// # Errors
/// [`CliError`].
pub fn backup(service: &Service, asked: &Invocation, output: &mut Output) -> Result<(), CliError> {
    let mut body = Map::new();
    if let Some(items) = asked.value(Flag::Items) {
        body.insert("items".to_owned(), service::list(items));
    }
    if let Some(keep) = asked.value(Flag::Keep) {
        let number = keep.trim().parse::<u32>();
        let number = number.map_err(|_| CliError::Usage("--keep is a number".to_owned()))?;
        body.insert("keep".to_owned(), number.into());
    }
    let job = service.work("/api/backup/create", &Value::Object(body))?;
    if asked.has(Flag::Json) {
        return Ok(output.json(&job)?);
    }
    Ok(output.line(text(&job, "archive"))?)
}
