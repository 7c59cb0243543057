//! One row of the route table, and the functions that rows are written with.
//!
//! Router, dispatcher, OpenAPI document, the frozen v1 list and the tests of all routes read these
//! rows.

pub use super::params::{GAME_REF, Holds, Param, optional, required};
use super::{
    call::{Answer, Call},
    code::Code,
    error::ApiError,
    params::Params,
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
    /// Works while the state is unavailable too: recovery, the log.
    Open(fn(&Writer<'_>, &Call<'_>) -> Answer),
    /// Describes the routes themselves.
    Table(fn(&[&'static [Route]]) -> Answer),
    /// Takes a place on the live stream; what it yields is written on a thread of its own.
    Stream(fn(&Shared, &Call<'_>) -> Result<Subscription, ApiError>),
}

/// The successful reply of a route.
#[derive(Clone, Copy, Debug)]
pub enum Replies {
    /// Nothing; a test refuses such a row.
    Undeclared,
    /// A file, or a stream.
    File,
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
    /// A query parameter with which it runs on the slow workers whatever its `lane`.
    pub slow_with: Option<&'static str>,
    /// Release that brought it.
    pub since: &'static str,
    /// The family it belongs to in the documents.
    pub tag: &'static str,
    /// One sentence.
    pub summary: &'static str,
    /// What it takes.
    pub params: Params,
    /// What it answers.
    pub reply: Replies,
    /// The statuses with which it answers so.
    pub success: &'static [u16],
    /// Codes it answers besides those every route may answer.
    pub codes: &'static [Code],
    /// What runs.
    pub handler: Handler,
}

impl Route {
    /// A row that reads.
    pub const fn get(path: &'static str, handler: Handler) -> Self {
        Self::new(Verb::Get, path, handler)
    }

    /// A row that acts.
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
            params: Params { query: &[], body: &[], refusal: Code::BadRequest },
            reply: Replies::Undeclared,
            success: &[200],
            codes: &[],
            handler,
        }
    }

    /// Names the family and describes the route in one sentence.
    pub const fn about(mut self, tag: &'static str, summary: &'static str) -> Self {
        self.tag = tag;
        self.summary = summary;
        self
    }

    /// Serves the frozen alias below `/api/v1` too.
    pub const fn v1(mut self) -> Self {
        self.v1 = true;
        self
    }

    /// May take long: runs on the slow workers.
    pub const fn slow(mut self) -> Self {
        self.lane = Lane::Slow;
        self
    }

    /// May take long when a query parameter is given.
    pub const fn slow_with(mut self, name: &'static str) -> Self {
        self.slow_with = Some(name);
        self
    }

    /// Is a live stream: runs on a thread of its own.
    pub const fn stream(mut self) -> Self {
        self.lane = Lane::Stream;
        self.reply = Replies::File;
        self
    }

    /// The release that brought the route.
    pub const fn since(mut self, release: &'static str) -> Self {
        self.since = release;
        self
    }

    /// Takes these parameters in the query.
    pub const fn query(mut self, query: &'static [Param]) -> Self {
        self.params.query = query;
        self
    }

    /// Takes these keys in the body.
    pub const fn body(mut self, body: &'static [Param]) -> Self {
        self.params.body = body;
        self
    }

    /// Refuses parameters with this code instead of `BAD_REQUEST`.
    pub const fn refusal(mut self, code: Code) -> Self {
        self.params.refusal = code;
        self
    }

    /// Replies with a file.
    pub const fn file(mut self) -> Self {
        self.reply = Replies::File;
        self
    }

    /// Documents the type of the reply.
    pub const fn returns<T: Schema + ?Sized>(mut self) -> Self {
        self.reply = Replies::Typed(T::SCHEMA);
        self
    }

    /// Answers 202: work was accepted.
    pub const fn accepts(mut self) -> Self {
        self.success = &[202];
        self
    }

    /// Answers 202 when work was accepted, and 200 when there is none, or it is going on already.
    pub const fn may_accept(mut self) -> Self {
        self.success = &[200, 202];
        self
    }

    /// Answers 201: something was made.
    pub const fn creates(mut self) -> Self {
        self.success = &[201];
        self
    }

    /// Documents the codes of its own.
    pub const fn codes(mut self, codes: &'static [Code]) -> Self {
        self.codes = codes;
        self
    }

    /// The frozen alias, when there is one.
    pub fn v1_path(&self) -> Option<String> {
        let rest = self.path.strip_prefix("/api/")?;
        self.v1.then(|| format!("/api/v1/{rest}"))
    }
}
