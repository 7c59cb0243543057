//! One request as a handler sees it: typed access to query and body, and the answers it may give.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::{Map, Value};

use super::{code::Code, error::ApiError, route::Route};
use crate::{
    game::reference::GameRef,
    http::{reply::Reply, request::Request},
};

/// What a handler returns.
pub type Answer = Result<Reply, ApiError>;

/// A request that passed every check before the handler.
pub struct Call<'a> {
    /// The request.
    pub request: &'a Request,
    /// The row that answers it.
    pub route: &'a Route,
    /// The JSON object of a POST; empty for a GET.
    pub body: Map<String, Value>,
}

impl Call<'_> {
    /// A query parameter; one that the row does not document is a bug found by any debug test.
    #[must_use]
    pub fn query(&self, name: &str) -> Option<Cow<'_, str>> {
        debug_assert!(
            self.route.query.iter().any(|param| param.name == name),
            "{} does not document the parameter {name}",
            self.route.path
        );
        self.request.query().get(name)
    }

    /// A body key; likewise documented.
    #[must_use]
    pub fn key(&self, name: &str) -> Option<&Value> {
        debug_assert!(
            self.route.body.iter().any(|param| param.name == name),
            "{} does not document the key {name}",
            self.route.path
        );
        self.body.get(name)
    }

    /// A body key as trimmed text; empty when it is missing or no text.
    #[must_use]
    pub fn text(&self, name: &str) -> &str {
        self.key(name).and_then(Value::as_str).map_or("", str::trim)
    }

    /// The `action` of the body: `list` when it is missing, `None` when it is no text.
    #[must_use]
    pub fn action(&self) -> Option<&str> {
        match self.key("action") {
            None | Some(Value::Null) => Some("list"),
            Some(action) => action.as_str(),
        }
    }

    /// A boolean of the body; `false` when it is missing.
    ///
    /// # Errors
    /// 400 `<name> must be true or false.`
    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        match self.key(name) {
            None | Some(Value::Null) => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(_) => Err(ApiError::bad(format!("{name} must be true or false."))),
        }
    }

    /// A whole number of the query, `None` when it is absent.
    ///
    /// # Errors
    /// 400 `<name> must be an integer.`
    pub fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let text = self.query(name).unwrap_or_default();
        if text.trim().is_empty() {
            return Ok(None);
        }
        text.trim()
            .parse()
            .map(Some)
            .map_err(|_| ApiError::bad(format!("{name} must be an integer.")))
    }

    /// The game a body names; `None` when it names none.
    #[must_use]
    pub fn game(&self) -> Option<GameRef> {
        GameRef::from_body(&self.body)
    }

    /// The game a query names.
    #[must_use]
    pub fn queried_game(&self) -> Option<GameRef> {
        GameRef::from_query(self.query("game_id").as_deref(), self.query("id").as_deref())
    }
}

/// 200 with JSON.
///
/// # Errors
/// 500 when the value cannot be written, which plain structs never cause.
pub fn ok(value: &impl Serialize) -> Answer {
    answer(200, value)
}

/// 202 with JSON: work was accepted.
///
/// # Errors
/// As [`ok`].
pub fn accepted(value: &impl Serialize) -> Answer {
    answer(202, value)
}

fn answer(status: u16, value: &impl Serialize) -> Answer {
    serde_json::to_vec(value)
        .map(|bytes| Reply::json_bytes(status, bytes))
        .map_err(|_| ApiError::of(Code::InternalError))
}
