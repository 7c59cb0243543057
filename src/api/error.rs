//! What a handler answers when it cannot: a code, a sentence for the client, and how it is written.
//!
//! Absolute paths never reach a client message; the diagnostic log keeps the whole sentence under
//! the request id.

use serde_json::{Map, Value};

use super::code::Code;
use crate::{
    base::redact,
    http::{reply::Reply, request::RequestId},
};

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
        Self { code, message: message.into(), retry_after: None, detail: None }
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

    /// The reply: the JSON error envelope with code, message and request id.
    pub fn reply(&self, id: RequestId) -> Reply {
        let row = self.code.row();
        let mut body = Map::new();
        body.insert("error".to_owned(), redact::without_paths(&self.message).into());
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
