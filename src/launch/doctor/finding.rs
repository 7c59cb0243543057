//! The findings about one game: checks with their severity, remedy and root cause.

use crate::base::named::named;

use crate::base::schema::schema;
use serde::Deserialize;
use serde_json::{Map, Value};

named! {
    /// How bad it is. The order is that of the report.
    #[derive(PartialOrd, Ord)]
    pub enum Severity {
        /// The game will not start.
        Error = "error",
        /// It will start; something is missing.
        Warning = "warning",
        /// Worth knowing.
        Info = "info",
    }
}

schema! {
    /// What a client can do about a check.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct Fix {
        /// The kind of action.
        pub kind: String,
        /// The label of its button.
        pub label: String,
        /// What it needs.
        pub payload: Map<String, Value>,
    }

    "LaunchCheck"
    /// One thing that was found.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Check {
        /// Machine-readable code.
        pub code: &'static str,
        /// What the program can do.
        #[serde(rename = "fix_action", skip_serializing_if = "Option::is_none")]
        pub fix: Option<Fix>,
        /// One sentence.
        pub message: String,
        /// What the user can do.
        pub remediations: Vec<Remediation>,
        /// How bad it is.
        pub severity: Severity,
        /// Its subject: an app, a core, an adapter, an extension; empty when it is the game
        /// alone.
        #[serde(skip)]
        pub subject: String,
    }

    /// What the user can do about a check.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct Remediation {
        /// What it is.
        pub id: &'static str,
        /// Its label.
        pub label: &'static str,
    }
}

/// Labels of remedies.
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
    pub fn new(kind: &str, label: &str, payload: Value) -> Self {
        let payload = if let Value::Object(payload) = payload { payload } else { Map::new() };
        Self { kind: kind.to_owned(), label: label.to_owned(), payload }
    }
}

impl Check {
    /// An error.
    pub fn error(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, message.into())
    }

    /// A warning.
    pub fn warning(code: &'static str, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, message.into())
    }

    pub(super) fn new(code: &'static str, severity: Severity, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            remediations: Vec::new(),
            fix: None,
            subject: String::new(),
        }
    }

    /// Names the remedies.
    pub fn person(mut self, remediations: &[&str]) -> Self {
        let find = |id: &&str| REMEDIATIONS.iter().find(|(known, _)| known == id);
        let found = remediations.iter().filter_map(find);
        self.remediations = found.map(|(id, label)| Remediation { id, label }).collect();
        self
    }

    /// Says what the program can do.
    pub fn fix(mut self, kind: &str, label: &str, payload: Value) -> Self {
        self.fix = Some(Fix::new(kind, label, payload));
        self
    }

    /// Sets its subject.
    pub fn about(mut self, subject: impl Into<String>) -> Self {
        self.subject = subject.into();
        self
    }

    /// The root cause: checks with one key are cured together.
    pub fn key(&self) -> String {
        let kind = self.fix.as_ref().map_or("", |fix| fix.kind.as_str());
        let key = format!("{}|{kind}|{}", self.code, self.subject);
        match self.fix.as_ref().filter(|fix| fix.kind == "flatpak_grant") {
            Some(fix) => format!("{key}|{}", fix.payload["path"].as_str().unwrap_or("")),
            None => key,
        }
    }
}

schema! {
    "ResolvedLaunch"
    /// How the game would be started.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Resolved {
        /// The emulator definition.
        pub adapter_id: Option<String>,
        /// The program and its arguments.
        #[serde(rename = "argv_preview")]
        pub argv: Vec<String>,
        /// The working directory.
        pub cwd: Option<String>,
        /// The emulator's app, where one plays it.
        pub emulator_id: Option<String>,
        /// Which rule decided, 1 to 5; 5 when nothing did.
        pub precedence: u8,
    }
}

/// The verdict on one game.
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// How the game would be started.
    pub resolved: Resolved,
    /// What was found, in the order of the rules.
    pub checks: Vec<Check>,
}

impl Verdict {
    /// The worst that was found; info counts as nothing.
    pub fn severity(&self) -> Option<Severity> {
        let worst = self.checks.iter().map(|check| check.severity).min()?;
        (worst != Severity::Info).then_some(worst)
    }

    /// `ready`, `warning` or `blocked`.
    pub fn status(&self) -> &'static str {
        match self.severity() {
            Some(Severity::Error) => "blocked",
            Some(Severity::Warning) => "warning",
            Some(Severity::Info) | None => "ready",
        }
    }
}
