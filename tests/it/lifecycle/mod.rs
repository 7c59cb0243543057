//! What happens to a request before and after its handler: hosts, tokens, bodies and errors, in the
//! order of `api::dispatch`.

mod auth;
mod bodies;
mod hosts;
mod replies;

use serde_json::{Value, json};

use crate::support::client::Reply;

/// A route that every version has, for tests that need any protected GET with a small answer.
const PROTECTED: &str = "/api/queue";

/// One for tests that need any protected POST: the keys that these tests send are unknown to it and
/// dropped.
const PROTECTED_POST: &str = "/api/settings";

/// Checks status, message and code of the long error envelope, and that it has a request id.
#[track_caller]
fn assert_error(reply: Reply, status: u16, message: &str, code: &str) {
    let body = reply.expect(status).json();
    assert_eq!((&body["error"], &body["code"]), (&json!(message), &json!(code)), "{body}");
    let id = body["request_id"].as_str().unwrap_or_default();
    assert!(!id.is_empty() && id.len() <= 32, "a short request id in {body}");
}

/// The small envelope of a refused token, and nothing else in it.
fn unauthorized() -> Value {
    json!({"error": "Unauthorized"})
}
