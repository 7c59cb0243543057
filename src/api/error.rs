//! Error replies: a code, a sentence for the client, and their form.
//!
//! The sentence of a 400 or of a failure ends before an absolute path of this machine; the diagnostic log keeps
//! the whole sentence under the request id. Other refusals only repeat what the client named.

use serde_json::{Map, Value};

use super::code::Code;
use crate::{
    base::{redact, text},
    http::{reply::Reply, request::RequestId},
};

/// Characters of a sentence: it may repeat what a client sent.
const CHARS: usize = 500;

/// A failed answer.
#[derive(Clone, Debug, PartialEq)]
pub struct ApiError {
    /// Machine-readable code; it decides the status.
    pub code: Code,
    /// The sentence for the client.
    pub message: String,
    /// Seconds to wait, also sent as `Retry-After`.
    pub retry_after: Option<u64>,
    /// Facts a client can act on.
    pub detail: Option<Value>,
}

impl ApiError {
    /// An error with the default sentence of its code.
    pub fn of(code: Code) -> Self {
        Self::new(code, code.row().message)
    }

    /// An error with a sentence of its own.
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        let mut message = message.into();
        if message.chars().count() > CHARS {
            message = format!("{}…", text::cut(&message, CHARS - 1));
        }
        Self { code, message, retry_after: None, detail: None }
    }

    /// 400 `BAD_REQUEST` with this sentence.
    pub fn bad(message: impl Into<String>) -> Self {
        Self::new(Code::BadRequest, message)
    }

    /// Adds facts for the client.
    pub fn with_detail(mut self, detail: Value) -> Self {
        self.detail = Some(detail);
        self
    }

    /// The sentence that the client gets. Where nothing comes before a path, it is that of the code.
    fn sentence(&self) -> String {
        let row = self.code.row();
        if row.status != 400 && row.status < 500 {
            return self.message.clone();
        }
        let clean = redact::without_paths(&self.message);
        if clean.is_empty() { row.message.to_owned() } else { clean }
    }

    /// The reply: the JSON error envelope with code, message and request id.
    pub fn reply(&self, id: RequestId) -> Reply {
        let row = self.code.row();
        let mut body = Map::new();
        body.insert("error".to_owned(), self.sentence().into());
        if self.code != Code::Unauthorized {
            body.insert("code".to_owned(), row.name.into());
            body.insert("request_id".to_owned(), id.to_string().into());
        }
        if let Some(seconds) = self.retry_after {
            body.insert("retry_after".to_owned(), seconds.into());
        }
        if let Some(detail) = &self.detail {
            body.insert("detail".to_owned(), detail.clone());
        }
        let reply = Reply::json_bytes(row.status, Value::Object(body).to_string().into_bytes());
        match self.retry_after {
            Some(seconds) => reply.header("Retry-After", seconds.to_string()),
            None => reply,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_ends_before_a_path_where_it_may_hold_one_of_this_machine() {
        for (error, expected) in [
            (ApiError::bad("Folder is missing: /home/me/x"), "Folder is missing:"),
            (ApiError::bad("/home/me/x is missing"), "The request is not valid."),
            (ApiError::bad(""), "The request is not valid."),
            (
                ApiError::new(Code::NotFound, "Playlist not found: Games (/r/x)"),
                "Playlist not found: Games (/r/x)",
            ),
            (ApiError::new(Code::ServiceUnavailable, "No answer from /run/x"), "No answer from"),
        ] {
            assert_eq!(error.sentence(), expected, "{error:?}");
        }
    }

    #[test]
    fn a_sentence_is_bounded() {
        let long = ApiError::bad(format!("Game not found: {}", "ä".repeat(60_000)));
        assert_eq!(long.message.chars().count(), CHARS);
        assert!(long.message.starts_with("Game not found: ä") && long.message.ends_with('…'));
        let whole = "x".repeat(CHARS);
        assert_eq!(ApiError::bad(whole.clone()).message, whole);
    }
}
