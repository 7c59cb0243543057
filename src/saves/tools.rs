//! The outside save tools: the command of a request, run to its end, and its output.
//!
//! A name never becomes an option: one that begins with a dash stands behind `--`.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    time::Duration,
};

use serde_json::{Map, Value, json};

use crate::{
    base::schema::schema,
    process::{CaptureError, Captured, Limits, Spec, capture, search},
};

/// How long a tool may run.
pub const TIMEOUT: Duration = Duration::from_mins(10);
/// Bytes of output that are read.
const OUTPUT_BYTES: usize = 64 << 20;
/// Characters of a tool's complaint that are passed on.
const COMPLAINT_CHARS: usize = 600;

/// One of the two tools.
#[derive(Debug, PartialEq, Eq)]
pub struct Tool {
    /// The program on the search path.
    pub program: &'static str,
    /// Its name.
    pub name: &'static str,
    /// Where it can be had.
    pub address: &'static str,
    /// What it can be asked to do.
    actions: &'static [&'static str],
    /// The actions that need the name of a game.
    named: &'static [&'static str],
    /// The actions as a sentence lists them.
    list: &'static str,
}

/// The tool that backs up by its own catalogue of games.
pub const PRIMARY: Tool = Tool {
    program: "ludusavi",
    name: "Ludusavi",
    address: "https://github.com/mtkennerly/ludusavi",
    actions: &["backup", "restore", "backups", "find"],
    named: &["backup", "restore", "find"],
    list: "backup, restore, backups, or find",
};

/// The tool with a list of its own.
pub const SECONDARY: Tool = Tool {
    program: "hoard",
    name: "Hoard",
    address: "https://github.com/Shadow53/hoard",
    actions: &["backup", "restore", "list"],
    named: &["backup", "restore"],
    list: "backup, restore, or list",
};

/// What a tool is asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ToolRequest {
    /// The action, one of the tool's.
    pub action: String,
    /// The game as the tool knows it; empty where none is needed.
    pub name: String,
    /// The folder of its backups; empty for its own.
    pub path: String,
}

/// Why a tool did not do it.
#[derive(Debug, thiserror::Error)]
pub enum ToolError {
    #[error("{} action must be {}.", .0.name, .0.list)]
    Action(&'static Tool),
    #[error("{} is not installed. Install it from {}", .0.name, .0.address)]
    Missing(&'static Tool),
    #[error("name or id is required.")]
    NoName,
    #[error("path must be an absolute path.")]
    Folder,
    /// It failed, with its output.
    #[error("{}", complaint(tool.name, *code, said))]
    Failed {
        /// The tool.
        tool: &'static Tool,
        /// Its exit code.
        code: i32,
        /// Its complaint.
        said: String,
    },
    #[error("{} {}.", tool.name, why_unfinished(source))]
    Run {
        /// The tool.
        tool: &'static Tool,
        /// Why.
        source: CaptureError,
    },
}

fn complaint(name: &str, code: i32, said: &str) -> String {
    match said {
        "" => format!("{name} failed with exit code {code}."),
        said => said.to_owned(),
    }
}

fn why_unfinished(error: &CaptureError) -> String {
    match error {
        CaptureError::TimedOut(time) => format!("did not finish within {} seconds", time.as_secs()),
        CaptureError::TooMuchOutput(_) => "printed more than can be read".to_owned(),
        _ => "could not be started".to_owned(),
    }
}

impl std::fmt::Display for Tool {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.program)
    }
}

/// Whether a tool is on the search path.
pub fn is_installed(tool: &Tool) -> bool {
    search::on_path(tool.program).is_some()
}

schema! {
    /// What the first tool answered.
    pub struct PrimaryRan {
        action: String,
        /// Whether it succeeded.
        ok: bool,
        /// The document it printed; `{raw}` when it printed something else.
        result: Value,
        stderr: String,
    }

    /// What the second tool answered.
    pub struct SecondaryRan {
        action: String,
        ok: bool,
        /// What it printed.
        output: String,
    }
}

/// Starts a command of the first tool.
///
/// # Errors
/// [`ToolError`]; a failure about which the tool printed a document is an answer instead.
pub fn run_primary(request: &ToolRequest) -> Result<PrimaryRan, ToolError> {
    let ran = run(&PRIMARY, request, TIMEOUT, primary_arguments)?;
    let text = String::from_utf8_lossy(&ran.stdout);
    if ran.code != 0 && text.trim().is_empty() {
        return Err(failed(&PRIMARY, &ran));
    }
    let result = match text.trim() {
        "" => Value::Object(Map::new()),
        said => serde_json::from_str(said).unwrap_or_else(|_| json!({"raw": text})),
    };
    let stderr = String::from_utf8_lossy(&ran.stderr).into_owned();
    Ok(PrimaryRan { action: request.action.clone(), ok: ran.code == 0, result, stderr })
}

/// Starts a command of the second tool.
///
/// # Errors
/// [`ToolError`].
pub fn run_secondary(request: &ToolRequest) -> Result<SecondaryRan, ToolError> {
    let ran = run(&SECONDARY, request, TIMEOUT, secondary_arguments)?;
    if ran.code != 0 {
        return Err(failed(&SECONDARY, &ran));
    }
    let output = String::from_utf8_lossy(&ran.stdout).into_owned();
    Ok(SecondaryRan { action: request.action.clone(), ok: true, output })
}

fn run(
    tool: &'static Tool,
    request: &ToolRequest,
    timeout: Duration,
    arguments: fn(&ToolRequest) -> Vec<OsString>,
) -> Result<Captured, ToolError> {
    if !tool.actions.contains(&request.action.as_str()) {
        return Err(ToolError::Action(tool));
    }
    let program: PathBuf = search::on_path(tool.program).ok_or(ToolError::Missing(tool))?;
    if request.name.is_empty() && tool.named.contains(&request.action.as_str()) {
        // Without a name a tool would work on all games it knows.
        return Err(ToolError::NoName);
    }
    if !request.path.is_empty() && !Path::new(&request.path).is_absolute() {
        return Err(ToolError::Folder);
    }
    let mut argv: Vec<OsString> = vec![program.into()];
    argv.extend(arguments(request));
    let limits = Limits { timeout, output_bytes: OUTPUT_BYTES };
    capture::run(&Spec::new(argv), &limits).map_err(|source| ToolError::Run { tool, source })
}

fn primary_arguments(request: &ToolRequest) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![request.action.clone().into(), "--api".into()];
    if matches!(request.action.as_str(), "backup" | "restore") {
        words.push("--force".into());
    }
    if !request.path.is_empty() {
        words.extend(["--path".into(), request.path.clone().into()]);
    }
    if request.action != "backups" {
        push_name(&mut words, &request.name);
    }
    words
}

fn secondary_arguments(request: &ToolRequest) -> Vec<OsString> {
    let mut words: Vec<OsString> = vec![request.action.clone().into()];
    if request.action != "list" {
        push_name(&mut words, &request.name);
    }
    words
}

fn push_name(words: &mut Vec<OsString>, name: &str) {
    if name.starts_with('-') {
        words.push("--".into());
    }
    words.push(name.into());
}

fn failed(tool: &'static Tool, ran: &Captured) -> ToolError {
    let said = String::from_utf8_lossy(&ran.stderr);
    let said = crate::base::text::cut(said.trim(), COMPLAINT_CHARS).to_owned();
    ToolError::Failed { tool, code: ran.code, said }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(action: &str, name: &str, path: &str) -> ToolRequest {
        ToolRequest { action: action.into(), name: name.into(), path: path.into() }
    }

    #[track_caller]
    fn check(words: Vec<OsString>, expected: &str) {
        let words: Vec<_> = words.iter().map(|word| word.to_string_lossy()).collect();
        assert_eq!(words.join("|"), expected);
    }

    #[test]
    fn orders_become_arguments() {
        check(primary_arguments(&request("backup", "A B", "")), "backup|--api|--force|A B");
        check(
            primary_arguments(&request("restore", "A", "/p")),
            "restore|--api|--force|--path|/p|A",
        );
        check(primary_arguments(&request("find", "A", "")), "find|--api|A");
        check(primary_arguments(&request("backups", "A", "/p")), "backups|--api|--path|/p");
        check(primary_arguments(&request("find", "--all", "")), "find|--api|--|--all");
        check(secondary_arguments(&request("list", "A", "")), "list");
        check(secondary_arguments(&request("backup", "A", "")), "backup|A");
        check(secondary_arguments(&request("restore", "-a", "")), "restore|--|-a");
    }

    #[test]
    fn what_a_tool_cannot_do_is_said() {
        fn text<T>(outcome: Result<T, ToolError>) -> Option<String> {
            outcome.err().map(|error| error.to_string())
        }
        assert_eq!(
            text(run_primary(&request("list", "A", ""))),
            Some("Ludusavi action must be backup, restore, backups, or find.".into())
        );
        assert_eq!(
            text(run_secondary(&request("find", "A", ""))),
            Some("Hoard action must be backup, restore, or list.".into())
        );
        let slow = ToolError::Run { tool: &PRIMARY, source: CaptureError::TimedOut(TIMEOUT) };
        assert_eq!(slow.to_string(), "Ludusavi did not finish within 600 seconds.");
    }
}
