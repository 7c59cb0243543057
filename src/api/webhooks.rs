//! `GET` and `POST /api/webhooks`, `POST /api/webhooks/test`.

use serde_json::{Value, json};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::webhooks::{
    config::{self, Posted, Save, Webhook},
    occurrence::Subject,
    schedule::Verdict,
};

const ATTEMPTS: Param =
    optional("attempts", Holds::Integer { min: 1, max: 5 }, "Attempts; clamped, 3 by default.");
const TIMEOUT: Param = optional(
    "timeout",
    Holds::Integer { min: 1, max: 15 },
    "Seconds of one attempt; clamped, 5 by default.",
);
const ID: Param = optional("id", Holds::Text, "Id of a stored configuration.");
const URL: Param = optional("url", Holds::Text, "Where to deliver; at most 2,048 characters.");
const EVENTS: Param = optional("events", Holds::List, "Names of the wanted events.");
const ENABLED: Param = optional("enabled", Holds::Flag, "Whether to deliver; true by default.");
const SECRET: Param = optional("secret", Holds::Text, "Signs deliveries; at least 8 characters.");
const SECRET_SET: Param =
    optional("secret_set", Holds::Flag, "With an empty secret, keeps the stored one of this id.");
const WEBHOOK: Param = optional("webhook", Holds::Object, "One configuration; flat as well.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/webhooks", Handler::Read(list_webhooks))
        .about("webhooks", "Every webhook configuration, without its secret.")
        .reply(&["webhooks", "events", "attempts", "timeout"])
        .v1(),
    Route::post("/api/webhooks", Handler::Write(save_webhooks))
        .about("webhooks", "Replaces all webhook configurations, or saves a single one.")
        .body(&[
            optional("webhooks", Holds::List, "All configurations; at most 32."),
            optional("configs", Holds::List, "The same under another name."),
            ATTEMPTS,
            TIMEOUT,
            WEBHOOK,
            ID,
            URL,
            EVENTS,
            ENABLED,
            SECRET,
            SECRET_SET,
        ])
        .reply(&["webhooks", "events"])
        .slow()
        .v1(),
    Route::post("/api/webhooks/test", Handler::Read(test_webhook))
        .about("webhooks", "Delivers one test.ping and answers how it went.")
        .body(&[WEBHOOK, ID, URL, EVENTS, ENABLED, ATTEMPTS, TIMEOUT, SECRET, SECRET_SET])
        .reply(&["ok", "status", "error"])
        .slow(),
];

fn shown(hooks: &[Webhook]) -> Vec<Value> {
    hooks.iter().map(Webhook::public).collect()
}

fn list_webhooks(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let settings = reader.state.settings();
    let globals = config::globals(settings);
    ok(&json!({
        "webhooks": shown(&config::list(settings)),
        "events": Subject::ALL.map(Subject::name),
        "attempts": globals.attempts,
        "timeout": config::plain(globals.timeout),
    }))
}

/// Names are resolved before the commit; the closure only lays the result over what is stored.
fn save_webhooks(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let state = writer.store.snapshot()?;
    let admit = |url: &str| writer.shared.webhooks.admit(url);
    let save = Save::read(&call.body, state.settings(), &admit)?;
    let hooks = writer.store.commit(|draft| save.apply(draft).map_err(ApiError::from))?;
    ok(&json!({"webhooks": shown(&hooks), "events": Subject::ALL.map(Subject::name)}))
}

fn test_webhook(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let (settings, webhooks) = (reader.state.settings(), &reader.shared.webhooks);
    let admit = |url: &str| webhooks.admit(url);
    let globals = config::globals(settings);
    let mut posted = config::single(&call.body);
    // What a test delivers is no event to subscribe to, so naming none is no mistake here.
    if let Some(fields) = posted.as_object_mut() {
        fields.entry("events").or_insert_with(|| json!(Subject::ALL.map(Subject::name)));
    }
    let hook = Posted::read(&posted, globals, &admit)?.over(settings);
    let attempt = webhooks.ping(&hook);
    ok(&json!({
        "ok": attempt.verdict == Verdict::Delivered,
        "status": attempt.last.status,
        "error": attempt.last.error,
    }))
}
