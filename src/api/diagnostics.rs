//! The log and the diagnostic report (`GET /api/log`, `GET /api/diagnostic`). Both work while the
//! library cannot be read, because they are needed then.

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Route},
    services::Writer,
};
use crate::{
    base::{limits, redact, schema::schema},
    config::{machine, settings::read},
    files::tail,
    model::State,
};

/// Keys of the settings that do not describe how the program is set up.
const LEFT_OUT: [&str; 6] = [
    "strings",
    "media_packs",
    "compositor_presets",
    "platform_categories",
    "filter_presets",
    "bigscreen_quick",
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/log", Handler::Open(show_log))
        .about("state", "The end of the diagnostic log, without credentials.")
        .returns::<LogText<'_>>()
        .v1(),
    Route::get("/api/diagnostic", Handler::Open(show_report))
        .about("state", "A report on the program and its settings, as JSON in a text.")
        .returns::<Report>()
        .v1(),
];

/// Everything that must not leave the program.
fn secrets(writer: &Writer<'_>, state: Option<&State>) -> Vec<String> {
    let mut secrets: Vec<String> = writer.shared.lookup.accounts.secrets();
    if let Some(state) = state {
        secrets.extend(read::secrets(state.settings()));
    }
    secrets
}

schema! {
    /// `GET /api/log`.
    struct LogText<'a> {
        /// Lines of text.
        log: &'a str,
    }

    "DiagnosticReport"
    /// `GET /api/diagnostic`.
    struct Report {
        /// JSON in a text.
        report: String,
    }
}

fn show_log(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let newest = writer.shared.data_dir.log();
    let older = newest.with_extension("log.1");
    let end = tail::read(writer.files, &newest, &older, limits::LOG_BYTES);
    let end = end.map_err(|error| {
        log::warn!("{error}");
        ApiError::bad("The log cannot be read.")
    })?;
    let state = writer.store.snapshot().ok();
    let secrets = secrets(writer, state.as_deref());
    let text = redact::without_secrets(&String::from_utf8_lossy(&end), &secrets);
    ok(&LogText { log: last_bytes(&text, limits::LOG_BYTES) })
}

/// The end of a text, at most `most` bytes of whole characters: what stands for a secret or for a
/// byte that is not text may be longer than what it replaces.
fn last_bytes(text: &str, most: usize) -> &str {
    let start = text.ceil_char_boundary(text.len().saturating_sub(most));
    text.get(start..).unwrap_or_default()
}

fn show_report(writer: &Writer<'_>, _: &Call<'_>) -> Answer {
    let shared = writer.shared;
    let state = writer.store.snapshot().ok();
    let settings = state.as_ref().map(|state| {
        let mut settings: Map<String, Value> = shared.settings.public(state);
        settings.retain(|key, _| !LEFT_OUT.contains(&key.as_str()));
        Value::Object(settings)
    });
    let mut report = json!({
        "version": env!("CARGO_PKG_VERSION"),
        "python": "none (native)",
        "platform": machine::platform(),
        "data_dir": shared.data_dir.root().to_string_lossy(),
        "state_available": state.is_some(),
        "games_count": state.as_ref().map(|state| state.games.len()),
        "running_count": shared.sessions.count(),
        "settings_summary": settings,
    });
    blot_out(&mut report, &secrets(writer, state.as_deref()));
    ok(&Report { report: report.to_string() })
}

/// Redacts every text of a value; numbers and keys stay what they are.
fn blot_out(value: &mut Value, secrets: &[String]) {
    match value {
        Value::String(text) => *text = redact::without_secrets(text, secrets),
        Value::Array(list) => list.iter_mut().for_each(|entry| blot_out(entry, secrets)),
        Value::Object(map) => map.values_mut().for_each(|entry| blot_out(entry, secrets)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_text_is_of_whole_characters() {
        for (text, most, expected) in
            [("abc", 4, "abc"), ("abc", 3, "abc"), ("abc", 2, "bc"), ("aäc", 2, "c"), ("ä", 0, "")]
        {
            assert_eq!(last_bytes(text, most), expected, "{text} {most}");
        }
    }
}
