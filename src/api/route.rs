//! The shape of one row of the route table, and the verbs to write rows with.
//!
//! Everything that wants to know about routes reads these rows: router, dispatcher, OpenAPI
//! document, the frozen v1 list and the tests that sweep over all of them.

use super::{
    call::{Answer, Call},
    code::Code,
    error::ApiError,
    services::{Reader, Shared, Writer},
};
use crate::{
    base::schema::{Schema, Type},
    events::bus::Subscription,
    http::service::Lane,
};

/// The methods of the API.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verb {
    /// Reads; never changes state.
    Get,
    /// Acts; carries a JSON object.
    Post,
}

impl Verb {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Post => "POST",
        }
    }
}

/// What a handler may do; the type keeps a read from writing.
#[derive(Clone, Copy)]
pub enum Handler {
    /// Sees a snapshot of the state.
    Read(fn(&Reader<'_>, &Call<'_>) -> Answer),
    /// May commit and enqueue.
    Write(fn(&Writer<'_>, &Call<'_>) -> Answer),
    /// Works while the state is unavailable too: recovery, the log, this very table.
    Open(fn(&Writer<'_>, &Call<'_>) -> Answer),
    /// Takes a place on the live stream; what it yields is written on a thread of its own.
    Stream(fn(&Shared, &Call<'_>) -> Result<Subscription, ApiError>),
}

/// What a parameter or body key holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Holds {
    /// Text.
    Text,
    /// A whole number within bounds.
    Integer {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// A boolean.
    Flag,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// A list.
    List,
    /// An object.
    Object,
}

/// What becomes of a number that is out of bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outside {
    /// The request is refused.
    Refused,
    /// The nearest bound is taken.
    Clamped,
    /// The rule behind the route refuses it, because the bounds depend on what is stored.
    Passed,
}

/// One parameter of the query or key of the body: documented from here, and read by
/// [`Call`](super::call::Call) as it says.
#[derive(Clone, Copy, Debug)]
pub struct Param {
    /// Its name.
    pub name: &'static str,
    /// What it holds.
    pub holds: Holds,
    /// Whether a request without it is refused.
    pub required: bool,
    /// One sentence.
    pub about: &'static str,
    /// What becomes of a number that is out of bounds.
    pub outside: Outside,
    /// The number when none is given.
    pub default: Option<i64>,
    /// Whether a value of another kind counts as none instead of being refused.
    pub lenient: bool,
    /// How many entries a list has at least and at most.
    pub size: (usize, usize),
    /// The sentence that refuses; empty for the usual one of what it holds.
    pub refusal: &'static str,
}

impl Param {
    const fn new(name: &'static str, holds: Holds, required: bool, about: &'static str) -> Self {
        let (outside, default) = (Outside::Refused, None);
        let (lenient, size, refusal) = (false, (0, usize::MAX), "");
        Self { name, holds, required, about, outside, default, lenient, size, refusal }
    }

    /// Takes the nearest bound for a number that is out of bounds.
    #[must_use]
    pub const fn clamped(mut self) -> Self {
        self.outside = Outside::Clamped;
        self
    }

    /// Leaves a number that is out of bounds to the rule behind the route.
    #[must_use]
    pub const fn passed(mut self) -> Self {
        self.outside = Outside::Passed;
        self
    }

    /// The number when none is given.
    #[must_use]
    pub const fn or(mut self, default: i64) -> Self {
        self.default = Some(default);
        self
    }

    /// Counts a value of another kind as none.
    #[must_use]
    pub const fn lenient(mut self) -> Self {
        self.lenient = true;
        self
    }

    /// A list of so many entries.
    #[must_use]
    pub const fn sized(mut self, least: usize, most: usize) -> Self {
        self.size = (least, most);
        self
    }

    /// Refuses with this sentence.
    #[must_use]
    pub const fn refusal(mut self, sentence: &'static str) -> Self {
        self.refusal = sentence;
        self
    }
}

/// A parameter that may be left out.
#[must_use]
pub const fn optional(name: &'static str, holds: Holds, about: &'static str) -> Param {
    Param::new(name, holds, false, about)
}

/// A parameter that must be given.
#[must_use]
pub const fn required(name: &'static str, holds: Holds, about: &'static str) -> Param {
    Param::new(name, holds, true, about)
}

/// The two ways to name a game, on routes that take a game.
pub const GAME_REF: [Param; 2] = [
    optional("game_id", Holds::Text, "Stable id of the game; preferred."),
    optional(
        "id",
        Holds::Integer { min: 0, max: i64::MAX },
        "Position of the game in the library.",
    ),
];

/// What a route answers when all went well.
#[derive(Clone, Copy, Debug)]
pub enum Replies {
    /// A file, or a stream.
    File,
    /// JSON with these keys.
    Keys(&'static [&'static str]),
    /// JSON of this shape.
    Typed(&'static Type),
}

/// One row of the table.
#[derive(Clone, Copy)]
pub struct Route {
    /// Method.
    pub verb: Verb,
    /// Literal path, `/api/...`.
    pub path: &'static str,
    /// Whether `/api/v1/...` answers the same; frozen by a test.
    pub v1: bool,
    /// Which workers run it.
    pub lane: Lane,
    /// A query parameter with which it runs on the slow workers whatever `lane` says.
    pub slow_with: Option<&'static str>,
    /// Release that brought it.
    pub since: &'static str,
    /// The family it belongs to in the documents.
    pub tag: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// Query parameters.
    pub query: &'static [Param],
    /// Keys of the body.
    pub body: &'static [Param],
    /// The code of a parameter that is refused.
    pub refusal: Code,
    /// What it answers.
    pub reply: Replies,
    /// Codes it answers besides those every route may answer.
    pub codes: &'static [Code],
    /// What runs.
    pub handler: Handler,
}

impl Route {
    /// A row that reads.
    #[must_use]
    pub const fn get(path: &'static str, handler: Handler) -> Self {
        Self::new(Verb::Get, path, handler)
    }

    /// A row that acts.
    #[must_use]
    pub const fn post(path: &'static str, handler: Handler) -> Self {
        Self::new(Verb::Post, path, handler)
    }

    const fn new(verb: Verb, path: &'static str, handler: Handler) -> Self {
        Self {
            verb,
            path,
            v1: false,
            lane: Lane::Quick,
            slow_with: None,
            since: "1.0",
            tag: "",
            summary: "",
            query: &[],
            body: &[],
            refusal: Code::BadRequest,
            reply: Replies::File,
            codes: &[],
            handler,
        }
    }

    /// Names the family and says in one sentence what the route does.
    #[must_use]
    pub const fn about(mut self, tag: &'static str, summary: &'static str) -> Self {
        self.tag = tag;
        self.summary = summary;
        self
    }

    /// Serves the frozen alias below `/api/v1` too.
    #[must_use]
    pub const fn v1(mut self) -> Self {
        self.v1 = true;
        self
    }

    /// May take long: runs on the slow workers.
    #[must_use]
    pub const fn slow(mut self) -> Self {
        self.lane = Lane::Slow;
        self
    }

    /// May take long when a query parameter is given.
    #[must_use]
    pub const fn slow_with(mut self, name: &'static str) -> Self {
        self.slow_with = Some(name);
        self
    }

    /// Is a live stream: runs on a thread of its own.
    #[must_use]
    pub const fn stream(mut self) -> Self {
        self.lane = Lane::Stream;
        self
    }

    /// The release that brought the route.
    #[must_use]
    pub const fn since(mut self, release: &'static str) -> Self {
        self.since = release;
        self
    }

    /// Takes these parameters in the query.
    #[must_use]
    pub const fn query(mut self, query: &'static [Param]) -> Self {
        self.query = query;
        self
    }

    /// Takes these keys in the body.
    #[must_use]
    pub const fn body(mut self, body: &'static [Param]) -> Self {
        self.body = body;
        self
    }

    /// Refuses parameters with this code instead of `BAD_REQUEST`.
    #[must_use]
    pub const fn refusal(mut self, code: Code) -> Self {
        self.refusal = code;
        self
    }

    /// Documents the keys of the reply.
    #[must_use]
    pub const fn reply(mut self, keys: &'static [&'static str]) -> Self {
        self.reply = Replies::Keys(keys);
        self
    }

    /// Documents the type of the reply.
    #[must_use]
    pub const fn returns<T: Schema + ?Sized>(mut self) -> Self {
        self.reply = Replies::Typed(T::SCHEMA);
        self
    }

    /// Documents the codes of its own.
    #[must_use]
    pub const fn codes(mut self, codes: &'static [Code]) -> Self {
        self.codes = codes;
        self
    }

    /// The frozen alias, when there is one.
    #[must_use]
    pub fn v1_path(&self) -> Option<String> {
        let rest = self.path.strip_prefix("/api/")?;
        self.v1.then(|| format!("/api/v1/{rest}"))
    }
}
