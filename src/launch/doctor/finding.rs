//! What is said about one game: checks with their severity, their cure and their root cause.

use crate::base::schema::{Schema, Type, schema};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};

/// How bad it is. The order is that of the report.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// The game will not start.
    Error,
    /// It will start; something is missing.
    Warning,
    /// Worth knowing.
    Info,
}

impl Schema for Severity {
    const SCHEMA: &'static Type = &Type::Choice(&["error", "warning", "info"]);
}

schema! {
    /// What a client can do about a check.
    #[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
    pub struct Fix {
        /// The kind of action.
        pub kind: String,
        /// What its button says.
        pub label: String,
        /// What it needs.
        pub payload: Map<String, Value>,
    }
}

/// One thing that was found.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Machine-readable code.
    pub code: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// One sentence.
    pub message: String,
    /// Ids of what a person can do.
    pub remediations: &'static [&'static str],
    /// What the program can do.
    pub fix: Option<Fix>,
    /// What it is about: an app, a core, an adapter, an extension; empty when it is the game alone.
    pub subject: String,
}

/// Labels of what a person can do.
const REMEDIATIONS: [(&str, &str); 7] = [
    ("choose_adapter", "Choose an emulator"),
    ("install_flatpak", "Install the package"),
    ("install_native", "Install the program"),
    ("keep_custom", "Keep the command as it is"),
    ("set_path", "Set the path"),
    ("import_incomplete", "Import without a file"),
    ("grant_flatpak_path", "Allow access to the folder"),
];

impl Fix {
    /// A fix; the payload is an object.
    #[must_use]
    pub fn new(kind: &str, label: &str, payload: Value) -> Self {
        let payload = if let Value::Object(payload) = payload { payload } else { Map::new() };
        Self { kind: kind.to_owned(), label: label.to_owned(), payload }
    }
}

impl Check {
    /// An error.
    #[must_use]
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message.into())
    }

    /// A warning.
    #[must_use]
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message.into())
    }

    pub(super) fn new(code: &'static str, severity: Severity, message: String) -> Self {
        Self { code, severity, message, remediations: &[], fix: None, subject: String::new() }
    }

    /// Says what a person can do.
    #[must_use]
    pub fn person(mut self, remediations: &'static [&'static str]) -> Self {
        self.remediations = remediations;
        self
    }

    /// Says what the program can do.
    #[must_use]
    pub fn fix(mut self, kind: &str, label: &str, payload: Value) -> Self {
        self.fix = Some(Fix::new(kind, label, payload));
        self
    }

    /// Says what it is about.
    #[must_use]
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// The root cause: checks with one key are cured together.
    #[must_use]
    pub fn key(&self) -> String {
        let kind = self.fix.as_ref().map_or("", |fix| fix.kind.as_str());
        let key = format!("{}|{kind}|{}", self.code, self.subject);
        match self.fix.as_ref().filter(|fix| fix.kind == "flatpak_grant") {
            Some(fix) => format!("{key}|{}", fix.payload["path"].as_str().unwrap_or("")),
            None => key,
        }
    }

    fn to_json(&self) -> Value {
        let label =
            |id: &str| REMEDIATIONS.iter().find(|(known, _)| *known == id).map_or("", |row| row.1);
        let remediations = self.remediations.iter().map(|id| json!({"id": id, "label": label(id)}));
        let mut check = json!({
            "code": self.code,
            "severity": self.severity,
            "message": self.message,
            "remediations": remediations.collect::<Vec<_>>(),
        });
        if let Some(fix) = &self.fix {
            check["fix_action"] = json!(fix);
        }
        check
    }
}

/// How the game would be started.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// The emulator's app, where one plays it.
    pub emulator_id: Option<String>,
    /// The emulator definition.
    pub adapter_id: Option<String>,
    /// The program and its arguments.
    pub argv: Vec<String>,
    /// The working directory.
    pub cwd: Option<String>,
    /// Which rule decided, 1 to 5; 5 when nothing did.
    pub precedence: u8,
}

/// Everything that is said about one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How the game would be started.
    pub resolved: Resolved,
    /// What was found, in the order of the rules.
    pub checks: Vec<Check>,
}

impl Verdict {
    /// The worst that was found; info counts as nothing.
    #[must_use]
    pub fn severity(&self) -> Option<Severity> {
        let worst = self.checks.iter().map(|check| check.severity).min()?;
        (worst != Severity::Info).then_some(worst)
    }

    /// `ready`, `warning` or `blocked`.
    #[must_use]
    pub fn status(&self) -> &'static str {
        match self.severity() {
            Some(Severity::Error) => "blocked",
            Some(Severity::Warning) => "warning",
            Some(Severity::Info) | None => "ready",
        }
    }

    /// The result of a preflight for a stored game.
    #[must_use]
    pub fn to_json(&self, game_id: &str) -> Map<String, Value> {
        self.result(json!(game_id), Value::Null)
    }

    /// The result of a preflight for a candidate of a setup preview.
    #[must_use]
    pub fn candidate_json(&self, candidate_id: &str) -> Map<String, Value> {
        self.result(Value::Null, json!(candidate_id))
    }

    fn result(&self, game_id: Value, candidate_id: Value) -> Map<String, Value> {
        let checks: Vec<_> = self.checks.iter().map(Check::to_json).collect();
        let result = json!({
            "status": self.status(),
            "game_id": game_id,
            "candidate_id": candidate_id,
            "resolved": {
                "emulator_id": self.resolved.emulator_id,
                "adapter_id": self.resolved.adapter_id,
                "argv_preview": self.resolved.argv,
                "cwd": self.resolved.cwd,
                "precedence": self.resolved.precedence,
            },
            "checks": checks,
        });
        if let Value::Object(result) = result { result } else { Map::new() }
    }
}
