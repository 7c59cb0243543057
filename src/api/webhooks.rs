//! `GET` and `POST /api/webhooks`, `POST /api/webhooks/test`.

use super::{
    call::{Answer, Call, ok},
    route::{Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
};
use crate::{
    base::schema::schema,
    webhooks::{
        config::{self, Posted, Seconds, ShownWebhook, Webhook},
        occurrence::Subject,
        schedule::Verdict,
    },
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
        .returns::<WebhookList>()
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
        .returns::<WebhooksSaved>()
        .slow()
        .v1(),
    Route::post("/api/webhooks/test", Handler::Write(test_webhook))
        .about("webhooks", "Delivers one test.ping and returns the outcome.")
        .body(&[WEBHOOK, ID, URL, EVENTS, ENABLED, ATTEMPTS, TIMEOUT, SECRET, SECRET_SET])
        .returns::<WebhookTested>()
        .slow(),
];

schema! {
    /// `GET /api/webhooks`.
    struct WebhookList {
        /// Attempts of a configuration without a number of its own.
        attempts: u32,
        /// Names of the events there are.
        events: Vec<&'static str>,
        /// Seconds of one attempt of a configuration without a number of its own.
        timeout: Seconds,
        webhooks: Vec<ShownWebhook>,
    }

    /// Webhook configurations were saved.
    struct WebhooksSaved {
        /// Names of the events there are.
        events: Vec<&'static str>,
        /// Every configuration.
        webhooks: Vec<ShownWebhook>,
    }

    /// The outcome of a test delivery.
    struct WebhookTested {
        /// Empty after a success.
        error: String,
        ok: bool,
        /// The status; none when there was no answer.
        status: Option<u16>,
    }
}

fn shown(hooks: &[Webhook]) -> Vec<ShownWebhook> {
    hooks.iter().map(Webhook::public).collect()
}

fn list_webhooks(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let settings = reader.state.settings();
    let globals = config::globals(settings);
    ok(&WebhookList {
        attempts: globals.attempts,
        events: Subject::offered(),
        timeout: Seconds(globals.timeout),
        webhooks: shown(&config::list(settings)),
    })
}

fn save_webhooks(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let hooks = writer.webhooks.save(&call.body)?;
    ok(&WebhooksSaved { events: Subject::offered(), webhooks: shown(&hooks) })
}

fn test_webhook(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (state, webhooks) = (writer.store.snapshot()?, writer.webhooks);
    let settings = state.settings();
    let admit = |url: &str| webhooks.admit(url);
    let globals = config::globals(settings);
    let hook = Posted::read(&config::single(&call.body), globals, &admit)?.over(settings);
    let attempt = webhooks.ping(&hook);
    ok(&WebhookTested {
        error: attempt.last.error,
        ok: attempt.verdict == Verdict::Delivered,
        status: attempt.last.status,
    })
}
