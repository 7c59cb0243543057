//! The checks that every request passes, in one order for all routes.
//!
//! Host and origin, then for POST the body, then route, token, state health, handler, envelope.
//! A handler never sees the token and never runs before every check passed.

use std::io;

use log::{error, warn};
use serde_json::{Map, Value};

use super::{
    call::{Answer, Call},
    code::Code,
    error::ApiError,
    events,
    route::{Handler, Verb},
    services::Services,
};
use crate::{
    base::limits,
    events::bus::Subscription,
    http::{
        auth::Access,
        reply::Reply,
        request::{BodyRead, Head, Method, Request},
        service::Lane,
        sse::Sink,
    },
};

/// The lane of a request, decided from its head alone.
#[must_use]
pub fn lane(services: &Services, head: &Head) -> Lane {
    let route =
        verb_of(head.method).and_then(|verb| services.shared.router.find(verb, head.path()));
    let Some(route) = route else { return Lane::Quick };
    let is_slow = route.slow_with.is_some_and(|name| head.query().get(name).is_some());
    if is_slow { Lane::Slow } else { route.lane }
}

/// Answers one request.
#[must_use]
pub fn answer(services: &Services, request: &Request, body: BodyRead) -> Reply {
    let outcome = admit(services, request, body).and_then(|admitted| match admitted {
        Admitted::Call(call) => run(services, &call),
        Admitted::File(reply) => Ok(reply),
    });
    outcome.unwrap_or_else(|error| refuse(request, &error))
}

/// Answers one request of the stream lane: writes the stream until it ends, or an ordinary answer.
///
/// # Errors
/// When the client is gone.
pub fn stream(services: &Services, request: &Request, sink: Sink) -> io::Result<()> {
    let subscription = admit(services, request, BodyRead::Complete).and_then(|admitted| {
        let call = match admitted {
            Admitted::Call(call) => call,
            Admitted::File(reply) => return Ok(Streamed::Reply(reply)),
        };
        match call.route.handler {
            Handler::Stream(handler) => handler(&services.shared, &call).map(Streamed::Events),
            _ => run(services, &call).map(Streamed::Reply),
        }
    });
    match subscription {
        Ok(Streamed::Events(events)) => match sink.open()? {
            Some(mut stream) => {
                events::write_events(&mut stream, &events, limits::STREAM_HEARTBEAT)
            }
            None => Ok(()),
        },
        Ok(Streamed::Reply(reply)) => sink.reply(reply),
        Err(error) => sink.reply(refuse(request, &error)),
    }
}

/// What the stream lane sends.
enum Streamed {
    /// Events until they end.
    Events(Subscription),
    /// One answer.
    Reply(Reply),
}

/// The envelope of an error, which also goes into the log.
fn refuse(request: &Request, error: &ApiError) -> Reply {
    let status = error.code.row().status;
    if status >= 500 {
        error!("{} {} {status}: {}", request.id, request.path(), error.message);
    } else {
        warn!("{} {} {status}: {}", request.id, request.path(), error.message);
    }
    error.reply(request.id)
}

/// A request that passed every check before the handler.
enum Admitted<'a> {
    /// It has a row of the table.
    Call(Call<'a>),
    /// It asks for a public file.
    File(Reply),
}

fn admit<'a>(
    services: &Services,
    request: &'a Request,
    body: BodyRead,
) -> Result<Admitted<'a>, ApiError> {
    services.shared.origin.check(request).map_err(|_| ApiError::of(Code::BadHost))?;
    let verb = verb_of(request.method);
    let body = if verb == Some(Verb::Post) { read_object(request, body)? } else { Map::new() };
    let Some(route) = verb.and_then(|verb| services.shared.router.find(verb, request.path()))
    else {
        return public_file(services, request).map(Admitted::File);
    };
    check_token(services, request)?;
    Ok(Admitted::Call(Call { request, route, body }))
}

/// HEAD is a GET whose body stays away; the writer leaves it out.
fn verb_of(method: Method) -> Option<Verb> {
    match method {
        Method::Get | Method::Head => Some(Verb::Get),
        Method::Post => Some(Verb::Post),
        Method::Options | Method::Other => None,
    }
}

fn public_file(services: &Services, request: &Request) -> Answer {
    let file = match verb_of(request.method) {
        Some(Verb::Get) => services.shared.assets.find(request),
        _ => None,
    };
    file.ok_or_else(|| ApiError::of(Code::RouteNotFound))
}

fn read_object(request: &Request, body: BodyRead) -> Result<Map<String, Value>, ApiError> {
    match body {
        BodyRead::Complete => {}
        BodyRead::TooLarge => return Err(ApiError::bad("Request is too large.")),
        BodyRead::Truncated => return Err(ApiError::bad("Request body was truncated.")),
        BodyRead::Unframed => {
            return Err(ApiError::bad("Send the body with one Content-Length, without encodings."));
        }
    }
    if request.body.iter().all(u8::is_ascii_whitespace) {
        return Ok(Map::new());
    }
    match serde_json::from_slice(&request.body) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(ApiError::bad("Request body must be a JSON object.")),
        Err(_) => Err(ApiError::bad("Request body is not valid JSON.")),
    }
}

fn check_token(services: &Services, request: &Request) -> Result<(), ApiError> {
    match services.shared.gate.check(request) {
        Access::Granted => Ok(()),
        Access::Denied => Err(ApiError::of(Code::Unauthorized)),
        Access::RateLimited { retry_after } => {
            let error = ApiError::of(Code::RateLimited);
            Err(ApiError { retry_after: Some(retry_after), ..error })
        }
    }
}

fn run(services: &Services, call: &Call<'_>) -> Answer {
    match call.route.handler {
        Handler::Open(handler) => handler(&services.writer(), call),
        Handler::Read(handler) => handler(&services.reader()?, call),
        Handler::Write(handler) => {
            services.store.snapshot()?;
            handler(&services.writer(), call)
        }
        // The lane of these rows leads to `stream`; a test looks that every one has it.
        Handler::Stream(_) => Err(ApiError::of(Code::InternalError)),
    }
}
