//! One attempt to deliver an envelope: checked, signed, sent, judged.

use std::time::Duration;

use super::{
    config::{Last, Webhook},
    envelope::Envelope,
    outside::Outside,
    policy::{Policy, Refused},
    schedule::{self, Verdict},
    signature,
};
use crate::{base::Moment, net::client::Post};

/// How an attempt went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What it means for the delivery.
    pub verdict: Verdict,
    /// What is remembered of it; the time of delivery is set at the end of the delivery.
    pub last: Last,
    /// The `Retry-After` header of the answer.
    pub retry_after: Option<String>,
}

/// Delivers an envelope to a configuration once.
pub fn deliver(
    hook: &Webhook,
    envelope: &Envelope,
    policy: Policy,
    outside: &dyn Outside,
) -> Attempt {
    let destination = match policy.admit(&hook.url, outside) {
        Ok(destination) => destination,
        Err(refused) => return turned_away(refused),
    };
    let mut headers = vec![
        ("Content-Type", "application/json"),
        ("User-Agent", "Service/1"),
        ("X-Service-Event-Id", envelope.id.as_str()),
        ("X-Service-Event", envelope.subject.name()),
        ("X-Service-Timestamp", envelope.created_at.as_str()),
    ];
    let signature = hook
        .secret
        .is_set()
        .then(|| signature::sign(hook.secret.reveal(), &envelope.created_at, &envelope.body));
    if let Some(signature) = &signature {
        headers.push(("X-Service-Signature", signature));
    }
    let sent_at = Moment::now().utc_iso();
    let answered = outside.post(&Post {
        location: &destination.location,
        addresses: &destination.addresses,
        headers: &headers,
        body: &envelope.body,
        timeout: Duration::from_secs_f64(hook.patience.timeout),
    });
    match answered {
        Ok(answer) => {
            let verdict = schedule::judge(answer.status);
            let error = match (verdict, answer.status) {
                (Verdict::Delivered, _) => String::new(),
                (_, 300..=399) => "Webhook redirects are disabled.".to_owned(),
                (_, status) => format!("HTTP {status}"),
            };
            let last = Last { status: Some(answer.status), error, sent_at, ..Last::default() };
            Attempt { verdict, last, retry_after: answer.retry_after }
        }
        Err(unanswered) => {
            let last = Last { error: unanswered.to_string(), sent_at, ..Last::default() };
            Attempt { verdict: Verdict::Retry, last, retry_after: None }
        }
    }
}

/// An attempt that was not sent. A name may resolve again; nothing else about an address heals.
fn turned_away(refused: Refused) -> Attempt {
    let verdict = if refused == Refused::Unresolved { Verdict::Retry } else { Verdict::Failed };
    let last = Last { error: refused.to_string(), ..Last::default() };
    Attempt { verdict, last, retry_after: None }
}
