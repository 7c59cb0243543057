//! One request as a handler sees it: typed access to query and body, and the answers it may give.

use std::{borrow::Cow, num::IntErrorKind};

use serde::Serialize;
use serde_json::{Map, Value};

use super::{
    code::Code,
    error::ApiError,
    params::{GAME_REF, Holds, Outside, Param, Params},
};
use crate::{
    game::GameRef,
    http::{reply::Reply, request::Request},
};

/// What a handler returns.
pub type Answer = Result<Reply, ApiError>;

/// A request that passed every check before the handler.
pub struct Call<'a> {
    /// The request.
    pub request: &'a Request,
    /// What its route takes.
    pub params: Params,
    /// The JSON object of a POST; empty for a GET.
    pub body: Map<String, Value>,
}

impl Call<'_> {
    /// A query parameter. One that the row does not document fails every debug test.
    pub fn query(&self, name: &str) -> Option<Cow<'_, str>> {
        debug_assert!(
            self.params.query.iter().any(|param| param.name == name),
            "{} does not document the parameter {name}",
            self.request.path()
        );
        self.request.query().get(name)
    }

    /// A query parameter without the spaces around it; `None` when it is missing or blank.
    pub fn query_text(&self, name: &str) -> Option<String> {
        let text = self.query(name)?;
        Some(text.trim()).filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// A switch of the query. One that is on by default is off with `0`, `false` or `no`; one that is
    /// off is on with `1`, `true`, `yes` or `on`.
    pub fn switch(&self, name: &str) -> bool {
        let text = self.query_text(name);
        match self.param(name).default {
            Some(1) => !matches!(text.as_deref(), Some("0" | "false" | "no")),
            _ => matches!(text.as_deref(), Some("1" | "true" | "yes" | "on")),
        }
    }

    /// A body key; likewise documented.
    pub fn key(&self, name: &str) -> Option<&Value> {
        debug_assert!(
            self.params.body.iter().any(|param| param.name == name),
            "{} does not document the key {name}",
            self.request.path()
        );
        self.body.get(name)
    }

    /// A body key that is there and not `null`.
    pub fn given(&self, name: &str) -> Option<&Value> {
        self.key(name).filter(|value| !value.is_null())
    }

    /// A body key as trimmed text; empty when it is missing or no text.
    pub fn text(&self, name: &str) -> &str {
        self.key(name).and_then(Value::as_str).map_or("", str::trim)
    }

    /// A body key as trimmed text; empty when it is missing. For keys whose absence means more than any text
    /// does: a value of another kind must not stand for everything.
    ///
    /// # Errors
    /// `<name> must be text.`
    pub fn optional_text(&self, name: &str) -> Result<&str, ApiError> {
        Ok(self.read(name, Value::as_str, "text")?.map_or("", str::trim))
    }

    /// A text of the body that must be there.
    ///
    /// # Errors
    /// `<name> is required.`
    pub fn required(&self, name: &str) -> Result<&str, ApiError> {
        match self.text(name) {
            "" => Err(self.missing(name)),
            text => Ok(text),
        }
    }

    /// A text of the query that must be there.
    ///
    /// # Errors
    /// `<name> is required.`
    pub fn required_query(&self, name: &str) -> Result<String, ApiError> {
        self.query_text(name).ok_or_else(|| self.missing(name))
    }

    /// The refusal of a request without this parameter.
    pub fn missing(&self, name: &str) -> ApiError {
        self.refuse(name, || format!("{name} is required."))
    }

    /// The `action` of the body: `list` when it is missing, `None` when it is not text.
    pub fn action(&self) -> Option<&str> {
        match self.given("action") {
            None => Some("list"),
            Some(action) => action.as_str(),
        }
    }

    /// A boolean of the body; `false` when it is missing.
    ///
    /// # Errors
    /// As [`Call::flag_if_given`].
    pub fn flag(&self, name: &str) -> Result<bool, ApiError> {
        Ok(self.flag_if_given(name)?.unwrap_or(false))
    }

    /// A boolean of the body.
    ///
    /// # Errors
    /// `<name> must be true or false.`
    pub fn flag_if_given(&self, name: &str) -> Result<Option<bool>, ApiError> {
        self.read(name, Value::as_bool, "true or false")
    }

    /// An object of the body.
    ///
    /// # Errors
    /// `<name> must be an object.`
    pub fn object(&self, name: &str) -> Result<Option<&Map<String, Value>>, ApiError> {
        self.read(name, Value::as_object, "an object")
    }

    /// An object of the body that must be there.
    ///
    /// # Errors
    /// As [`Call::object`], when it is missing too.
    pub fn required_object(&self, name: &str) -> Result<&Map<String, Value>, ApiError> {
        let refused = || self.refuse(name, || format!("{name} must be an object."));
        self.object(name)?.ok_or_else(refused)
    }

    /// A list of the body.
    ///
    /// # Errors
    /// `<name> must be a list.`
    pub fn list(&self, name: &str) -> Result<Option<&[Value]>, ApiError> {
        let list = self.read(name, Value::as_array, "a list")?.map(Vec::as_slice);
        let (least, most) = self.param(name).size;
        match list {
            Some(list) if !(least..=most).contains(&list.len()) => {
                Err(self.refuse(name, || format!("{name} must be a list.")))
            }
            list => Ok(list),
        }
    }

    /// A list of the body that must be there.
    ///
    /// # Errors
    /// As [`Call::list`], when it is missing too.
    pub fn required_list(&self, name: &str) -> Result<&[Value], ApiError> {
        let refused = || self.refuse(name, || format!("{name} must be a list."));
        self.list(name)?.ok_or_else(refused)
    }

    /// A list of texts of the body, as they are.
    ///
    /// # Errors
    /// `<name> must be a list of texts.`
    pub fn texts(&self, name: &str) -> Result<Option<Vec<&str>>, ApiError> {
        let refused = || self.refuse(name, || format!("{name} must be a list of texts."));
        let list = self.list(name).map_err(|_| refused())?;
        let texts = list.map(|list| list.iter().map(Value::as_str).collect::<Option<_>>());
        texts.map(|texts| texts.ok_or_else(refused)).transpose()
    }

    /// A list of texts of the body that must be there.
    ///
    /// # Errors
    /// As [`Call::texts`], when it is missing too.
    pub fn required_texts(&self, name: &str) -> Result<Vec<&str>, ApiError> {
        let refused = || self.refuse(name, || format!("{name} must be a list of texts."));
        self.texts(name)?.ok_or_else(refused)
    }

    /// A text of the body that names a row of a table; `None` when it is missing.
    ///
    /// # Errors
    /// `<name> is not known.`
    pub fn named<T>(
        &self,
        name: &str,
        find: impl FnOnce(&str) -> Option<T>,
    ) -> Result<Option<T>, ApiError> {
        let Some(given) = self.given(name) else { return Ok(None) };
        let found = given.as_str().and_then(|text| find(text.trim()));
        let unknown = || self.refuse(name, || format!("{name} is not known."));
        found.map(Some).ok_or_else(unknown)
    }

    /// A key of the body that is of one kind.
    fn read<'a, T>(
        &'a self,
        name: &str,
        kind: impl FnOnce(&'a Value) -> Option<T>,
        expected: &str,
    ) -> Result<Option<T>, ApiError> {
        let Some(value) = self.given(name) else { return Ok(None) };
        match kind(value) {
            None if self.param(name).lenient => Ok(None),
            None => Err(self.refuse(name, || format!("{name} must be {expected}."))),
            some => Ok(some),
        }
    }

    /// One of the texts of a choice in the query.
    ///
    /// # Errors
    /// `<name> is not known.`
    pub fn choice(&self, name: &str) -> Result<Option<&'static str>, ApiError> {
        let Holds::Choice(choices) = self.param(name).holds else { return Ok(None) };
        let Some(text) = self.query_text(name) else { return Ok(None) };
        let found = choices.iter().find(|choice| **choice == text).copied();
        found.map(Some).ok_or_else(|| self.refuse(name, || format!("{name} is not known.")))
    }

    /// A whole number of the query or the body by the bounds of its row: refused, clamped or the default;
    /// `None` when it is missing and has no default.
    ///
    /// # Errors
    /// `<name> must be an integer.`, or `<name> must be >= <bound>.` and `<=` when it is out of bounds.
    pub fn integer(&self, name: &str) -> Result<Option<i64>, ApiError> {
        let param = self.param(name);
        let Holds::Integer { min, max } = param.holds else { return Ok(None) };
        let given = if self.params.query.iter().any(|param| param.name == name) {
            self.query_text(name).map(|text| bounded(&text))
        } else {
            let digits = |value: &Value| value.as_str().filter(|_| param.digits)?.parse().ok();
            let given = self.key(name).filter(|value| param.strict || !value.is_null());
            given.map(|value| whole(value).or_else(|| digits(value)))
        };
        let number = match given {
            None => return Ok(param.default),
            Some(None) if param.lenient => return Ok(param.default),
            Some(None) => return Err(self.refuse(name, || format!("{name} must be an integer."))),
            Some(Some(number)) => number,
        };
        match param.outside {
            Outside::Clamped => Ok(Some(number.clamp(min, max))),
            Outside::Refused if number < min => {
                Err(self.refuse(name, || format!("{name} must be >= {min}.")))
            }
            Outside::Refused if number > max => {
                Err(self.refuse(name, || format!("{name} must be <= {max}.")))
            }
            Outside::Refused | Outside::Passed => Ok(Some(number)),
        }
    }

    /// A number that counts something, from a row without negative numbers.
    ///
    /// # Errors
    /// As [`Call::integer`].
    pub fn count_if_given(&self, name: &str) -> Result<Option<usize>, ApiError> {
        Ok(self.integer(name)?.map(|number| usize::try_from(number).unwrap_or(0)))
    }

    /// A number that counts something, from a row with a default; 0 without one.
    ///
    /// # Errors
    /// As [`Call::integer`].
    pub fn count(&self, name: &str) -> Result<usize, ApiError> {
        Ok(self.count_if_given(name)?.unwrap_or(0))
    }

    /// The row's parameter of this name.
    fn param(&self, name: &str) -> Param {
        let known = self.params.query.iter().chain(self.params.body);
        let found = known.into_iter().find(|param| param.name == name);
        debug_assert!(found.is_some(), "{} does not document {name}", self.request.path());
        // OK because a debug test of the route fails before.
        *found.unwrap_or(&GAME_REF[0])
    }

    /// The refusal of a parameter: the sentence of its row, else this one.
    fn refuse(&self, name: &str, usual: impl FnOnce() -> String) -> ApiError {
        let message = match self.param(name).refusal {
            "" => usual(),
            sentence => sentence.to_owned(),
        };
        ApiError::new(self.params.refusal, message)
    }

    /// The game a body names; `None` when it names none.
    pub fn game(&self) -> Option<GameRef> {
        GameRef::from_body(&self.body)
    }

    /// The game a body must name.
    ///
    /// # Errors
    /// 400 `Game id is required.`
    pub fn required_game(&self) -> Result<GameRef, ApiError> {
        self.game().ok_or_else(|| ApiError::bad("Game id is required."))
    }

    /// The game a query names.
    pub fn queried_game(&self) -> Option<GameRef> {
        GameRef::from_query(self.query("game_id").as_deref(), self.query("id").as_deref())
    }
}

/// A whole number in digits; the nearest that there is for one that is too large.
fn bounded(text: &str) -> Option<i64> {
    match text.parse::<i64>() {
        Ok(number) => Some(number),
        Err(error) => match error.kind() {
            IntErrorKind::PosOverflow => Some(i64::MAX),
            IntErrorKind::NegOverflow => Some(i64::MIN),
            _ => None,
        },
    }
}

/// A JSON number without a fraction. One that no list is long enough for is as large as can be, not of
/// the wrong kind.
fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) if number.is_u64() => Some(number.as_i64().unwrap_or(i64::MAX)),
        Value::Number(number) => number.as_i64(),
        _ => None,
    }
}

/// 200 with JSON.
///
/// # Errors
/// 500 when the value cannot be written, which plain structs never cause.
pub fn ok(value: &impl Serialize) -> Answer {
    answer(200, value)
}

/// 201 with JSON: something was made.
///
/// # Errors
/// As [`ok`].
pub fn created(value: &impl Serialize) -> Answer {
    answer(201, value)
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

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use serde_json::json;

    use super::*;
    use crate::{
        api::params::{optional, required},
        http::request::{Head, Headers, Method},
    };

    const COUNT: Holds = Holds::Integer { min: 1, max: 9 };
    const QUERY: [Param; 5] = [
        optional("clamped", COUNT, "").or(5).clamped(),
        optional("refused", COUNT, ""),
        optional("lenient", COUNT, "").or(5).clamped().lenient(),
        optional("choice", Holds::Choice(&["a", "b"]), "").refusal("Unknown."),
        optional("on", Holds::Choice(&["0", "1"]), "").or(1),
    ];
    const BODY: [Param; 7] = [
        required("text", Holds::Text, ""),
        optional("flag", Holds::Flag, ""),
        required("object", Holds::Object, ""),
        optional("list", Holds::List, "").sized(1, 2).refusal("One or two."),
        optional("number", COUNT, "").passed(),
        optional("strict", COUNT, "").or(5).strict(),
        required("own", Holds::Text, "").refusal("In words of its own."),
    ];
    const PARAMS: Params = Params { query: &QUERY, body: &BODY, refusal: Code::Conflict };

    /// What a call with this query and body reads.
    fn read<T>(query: &str, body: Value, read: impl FnOnce(&Call<'_>) -> T) -> T {
        let peer = SocketAddr::from(([127, 0, 0, 1], 9));
        let head = Head::new(Method::Post, format!("/?{query}"), Headers::default(), peer);
        let request = Request { head, body: Vec::new() };
        let body = body.as_object().cloned().unwrap_or_default();
        read(&Call { request: &request, params: PARAMS, body })
    }

    fn message<T: std::fmt::Debug>(answer: Result<T, ApiError>) -> String {
        let error = answer.expect_err("a refusal");
        assert_eq!(error.code, Code::Conflict);
        error.message
    }

    #[test]
    fn numbers_obey_their_row() {
        for (query, expected) in [
            ("", 5),
            ("clamped=", 5),
            ("clamped=0", 1),
            ("clamped=-3", 1),
            ("clamped=9", 9),
            ("clamped=10", 9),
            ("clamped=99999999999999999999", 9),
            ("clamped=-99999999999999999999", 1),
        ] {
            assert_eq!(read(query, json!({}), |call| call.count("clamped")), Ok(expected));
        }
        for (query, expected) in [("lenient=x", 5), ("lenient=99999999999999999999", 9)] {
            assert_eq!(read(query, json!({}), |call| call.count("lenient")), Ok(expected));
        }
        for (query, expected) in [
            ("refused=x", "refused must be an integer."),
            ("refused=1.5", "refused must be an integer."),
            ("refused=0", "refused must be >= 1."),
            ("refused=10", "refused must be <= 9."),
            ("refused=99999999999999999999", "refused must be <= 9."),
        ] {
            let answer = read(query, json!({}), |call| call.integer("refused"));
            assert_eq!(message(answer), expected, "{query}");
        }
        assert_eq!(read("", json!({}), |call| call.integer("refused")), Ok(None));
        for (number, expected) in
            [(json!(-4), -4), (json!(12), 12), (json!(u64::MAX), i64::MAX), (json!(3), 3)]
        {
            let answer = read("", json!({"number": number}), |call| call.integer("number"));
            assert_eq!(answer, Ok(Some(expected)));
        }
        let null = json!({"number": null, "strict": null});
        assert_eq!(read("", null.clone(), |call| call.integer("number")), Ok(None));
        assert_eq!(
            message(read("", null, |call| call.integer("strict"))),
            "strict must be an integer."
        );
        assert_eq!(read("", json!({}), |call| call.count("strict")), Ok(5));
        let answer = read("", json!({"number": 1.5}), |call| call.integer("number"));
        assert_eq!(message(answer), "number must be an integer.");
    }

    #[test]
    fn keys_are_of_the_kind_their_row_says() {
        let body = json!({"text": " a ", "flag": true, "object": {}, "list": ["x"], "own": " "});
        read("choice=b&on=no", body, |call| {
            assert_eq!(call.required("text"), Ok("a"));
            assert_eq!(call.flag("flag"), Ok(true));
            assert_eq!(call.required_object("object"), Ok(&Map::new()));
            assert_eq!(call.texts("list"), Ok(Some(vec!["x"])));
            assert_eq!(message(call.required("own")), "In words of its own.");
            assert_eq!((call.choice("choice"), call.switch("on")), (Ok(Some("b")), false));
        });
        read("choice=c", json!({"flag": 1, "list": [], "object": 2}), |call| {
            assert_eq!(message(call.required("text")), "text is required.");
            assert_eq!(message(call.flag("flag")), "flag must be true or false.");
            assert_eq!(message(call.required_object("object")), "object must be an object.");
            assert_eq!(message(call.list("list")), "One or two.");
            assert_eq!(message(call.choice("choice")), "Unknown.");
            assert!(call.switch("on"));
        });
        read("", json!({"list": [1], "object": null}), |call| {
            assert_eq!(message(call.texts("list")), "One or two.");
            assert_eq!(call.object("object"), Ok(None));
            assert_eq!(message(call.required_object("object")), "object must be an object.");
            assert_eq!((call.list("list").map(|list| list.map(<[_]>::len))), Ok(Some(1)));
        });
    }
}
