//! Answers requests: the checks that every request passes, in one order for all routes.
//!
//! Host and origin, then for POST the body, then route, token, kiosk, state health, handler, envelope.
//! A handler never sees the token and never runs before every check passed.

use std::{
    io::ErrorKind::{BrokenPipe, ConnectionReset},
    sync::Arc,
    time::Instant,
};

use log::{error, warn};
use serde_json::{Map, Value};

use super::{
    FAMILIES,
    call::{Answer, Call},
    code::Code,
    error::ApiError,
    events, kiosk,
    metrics::{self, Metrics},
    route::{Handler, Route, Verb},
    router::Router,
    services::Services,
};
use crate::{
    base::limits,
    events::bus::Subscription,
    http::{
        assets::Assets,
        auth::{Access, TokenGate},
        origin::OriginGate,
        reply::Reply,
        request::{BodyRead, Head, Method, Request, RequestId},
        service::{Lane, Service},
        sse::Sink,
    },
    model::State,
};

/// The service, as the transport calls it.
pub struct Launcher {
    services: Arc<Services>,
    front: Front,
    router: Router,
}

/// What requests meet before the routes; handlers have no access to it.
pub struct Front {
    /// Host and origin rules of this port.
    pub origin: OriginGate,
    /// The session token and the failures against it.
    pub gate: TokenGate,
    /// Public files.
    pub assets: Assets,
    /// Counts requests, when metrics are on.
    pub metrics: Option<Metrics>,
}

impl Launcher {
    /// Answers requests with these services.
    pub fn new(services: Arc<Services>, front: Front) -> Self {
        Self { services, front, router: Router::new(FAMILIES) }
    }
}

impl Service for Launcher {
    /// The lane of a request, decided from its head alone.
    fn lane(&self, head: &Head) -> Lane {
        let route = verb_of(head.method).and_then(|verb| self.router.find(verb, head.path()));
        let Some(route) = route else { return Lane::Quick };
        let is_slow = route.slow_with.is_some_and(|name| head.query().get(name).is_some());
        if is_slow { Lane::Slow } else { route.lane }
    }

    fn is_trusted(&self, head: &Head) -> bool {
        self.front.origin.check(head).is_ok() && self.front.gate.is_known(head)
    }

    fn answer(&self, request: Request, body: BodyRead) -> Reply {
        let Some(metrics) = &self.front.metrics else { return self.reply(&request, body) };
        let start = Instant::now();
        let reply = match request.path() {
            metrics::PATH => self.show_metrics(metrics, &request),
            _ => self.reply(&request, body),
        };
        let verb = verb_of(request.method);
        let route = verb.and_then(|verb| self.router.find(verb, request.path()));
        metrics.count(route, reply.status, start.elapsed());
        reply
    }

    /// Writes the stream until it ends, or an ordinary answer.
    fn stream(&self, request: Request, sink: Sink) {
        let subscription = self.admit(&request, BodyRead::Complete).and_then(|admitted| {
            let admitted = match admitted {
                Admitted::Call(admitted) => admitted,
                Admitted::File(reply) => return Ok(Streamed::Reply(reply)),
            };
            match admitted.route.handler {
                Handler::Stream(handler) => {
                    handler(&self.services.shared, &admitted.call).map(Streamed::Events)
                }
                _ => self.run(admitted).map(Streamed::Reply),
            }
        });
        let sent = match subscription {
            Ok(Streamed::Events(events)) => sink.open().and_then(|stream| match stream {
                Some(mut stream) => {
                    events::write_events(&mut stream, &events, limits::STREAM_HEARTBEAT, |frame| {
                        kiosk::heard(&self.services, &request, frame)
                    })
                }
                None => Ok(()),
            }),
            Ok(Streamed::Reply(reply)) => sink.reply(reply),
            Err(error) => sink.reply(refuse(&request, &error)),
        };
        if let Err(error) = sent {
            // Every page that is closed ends its stream like this; any other end is logged as news.
            let is_ordinary = matches!(error.kind(), BrokenPipe | ConnectionReset);
            let level = if is_ordinary { log::Level::Debug } else { log::Level::Info };
            log::log!(level, "{} went away: {error}", request.peer);
        }
    }

    fn panicked(&self, id: RequestId) -> Reply {
        ApiError::of(Code::InternalError).reply(id)
    }

    fn incomplete(&self, id: RequestId) -> Reply {
        ApiError::bad("Request body was truncated.").reply(id)
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
    Call(AdmittedCall<'a>),
    /// It asks for a public file.
    File(Reply),
}

struct AdmittedCall<'a> {
    route: &'static Route,
    call: Call<'a>,
    /// The only state that the client may see, where it may not see all.
    view: Option<Arc<State>>,
}

impl Launcher {
    fn reply(&self, request: &Request, body: BodyRead) -> Reply {
        let outcome = self.admit(request, body).and_then(|admitted| match admitted {
            Admitted::Call(admitted) => self.run(admitted),
            Admitted::File(reply) => Ok(reply),
        });
        outcome.unwrap_or_else(|error| refuse(request, &error))
    }

    /// Answers `GET /metrics`: as a route that needs the token.
    fn show_metrics(&self, metrics: &Metrics, request: &Request) -> Reply {
        let Front { origin, gate, .. } = &self.front;
        let checked = origin.check(request).map_err(|_| ApiError::of(Code::BadHost));
        let checked = checked.and_then(|()| match verb_of(request.method) {
            Some(Verb::Get) => check_token(gate, request),
            _ => Err(ApiError::of(Code::RouteNotFound)),
        });
        match checked {
            Ok(()) => metrics.reply(&self.services),
            Err(error) => refuse(request, &error),
        }
    }

    fn admit<'a>(&self, request: &'a Request, body: BodyRead) -> Result<Admitted<'a>, ApiError> {
        let Front { origin, gate, assets, .. } = &self.front;
        origin.check(request).map_err(|_| ApiError::of(Code::BadHost))?;
        if request.is_malformed() {
            return Err(ApiError::bad("Request target is not valid."));
        }
        let verb = verb_of(request.method);
        let mut body =
            if verb == Some(Verb::Post) { read_object(request, body)? } else { Map::new() };
        let Some(route) = verb.and_then(|verb| self.router.find(verb, request.path())) else {
            return public_file(assets, request).map(Admitted::File);
        };
        check_token(gate, request)?;
        let view = kiosk::check(&self.services, route, request, &mut body)?;
        refuse_nul(&body)?;
        let call = Call { request, params: route.params, body };
        Ok(Admitted::Call(AdmittedCall { route, call, view }))
    }

    fn run(&self, admitted: AdmittedCall<'_>) -> Answer {
        let services = &*self.services;
        let AdmittedCall { route, call, view } = admitted;
        match route.handler {
            Handler::Open(handler) => handler(&services.writer(view), &call),
            Handler::Table(handler) => handler(self.router.families()),
            Handler::Read(handler) => handler(&services.reader(view)?, &call),
            Handler::Write(handler) => {
                services.store.snapshot()?;
                handler(&services.writer(view), &call)
            }
            // The lane of these rows leads to `stream`; a test checks that every one has it.
            Handler::Stream(_) => Err(ApiError::of(Code::InternalError)),
        }
    }
}

/// HEAD is a GET whose body stays away; the writer leaves it out.
fn verb_of(method: Method) -> Option<Verb> {
    match method {
        Method::Get | Method::Head => Some(Verb::Get),
        Method::Post => Some(Verb::Post),
        Method::Options | Method::Other => None,
    }
}

fn public_file(assets: &Assets, request: &Request) -> Answer {
    let file = match verb_of(request.method) {
        Some(Verb::Get) => assets.find(request),
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
    if is_deep(&request.body) {
        let most = limits::BODY_DEPTH;
        return Err(ApiError::bad(format!("Request body is nested more than {most} levels deep.")));
    }
    match serde_json::from_slice(&request.body) {
        Ok(Value::Object(body)) => Ok(body),
        Ok(_) => Err(ApiError::bad("Request body must be a JSON object.")),
        Err(_) => Err(ApiError::bad("Request body is not valid JSON.")),
    }
}

/// Refuses a path with a NUL, which no file can have: every system call would fail on it, each in its own way. Paths
/// are the keys that are named so, also of the objects in a list. What an object of the body holds, such as a game or
/// the settings, is checked field by field behind the route.
fn refuse_nul(body: &Map<String, Value>) -> Result<(), ApiError> {
    let has_nul = |value: &Value| value.as_str().is_some_and(|text| text.contains('\0'));
    for (key, value) in body {
        let is_path = matches!(key.as_str(), "path" | "paths" | "folder") || key.ends_with("_path");
        let items = value.as_array().map_or(&[][..], Vec::as_slice);
        if is_path && (has_nul(value) || items.iter().any(has_nul)) {
            return Err(ApiError::bad(format!("{key} must not contain a NUL character.")));
        }
        items.iter().filter_map(Value::as_object).try_for_each(refuse_nul)?;
    }
    Ok(())
}

/// Whether more than [`limits::BODY_DEPTH`] arrays and objects are open at once.
fn is_deep(json: &[u8]) -> bool {
    let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
    json.iter().any(|byte| {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' if is_text => is_escaped = true,
            b'"' => is_text = !is_text,
            b'[' | b'{' if !is_text => depth += 1,
            b']' | b'}' if !is_text => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > limits::BODY_DEPTH
    })
}

fn check_token(gate: &TokenGate, request: &Request) -> Result<(), ApiError> {
    match gate.check(request) {
        Access::Granted => Ok(()),
        Access::Denied => Err(ApiError::of(Code::Unauthorized)),
        Access::RateLimited { retry_after } => {
            let error = ApiError::of(Code::RateLimited);
            Err(ApiError { retry_after: Some(retry_after), ..error })
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_nul_in_a_path_is_refused_by_the_name_of_its_key() {
        for (body, key) in [
            (r#"{"path": "/a\u0000b"}"#, "path"),
            (r#"{"xml_path": "\u0000"}"#, "xml_path"),
            (r#"{"sources": [{"type": "files", "paths": ["/a", "/b\u0000"]}]}"#, "paths"),
            (r#"{"sources": [1, {"type": "folder", "path": "/b\u0000"}]}"#, "path"),
            (r#"{"folder": "/a", "name": "a\u0000b", "game": {"path": "\u0000"}}"#, ""),
        ] {
            let refused = refuse_nul(&serde_json::from_str(body).expect("an object"));
            let message = refused.err().map_or_else(String::new, |error| error.message);
            let expected = format!("{key} must not contain a NUL character.");
            assert_eq!(message, if key.is_empty() { "" } else { &expected }, "{body}");
        }
    }

    #[test]
    fn brackets_outside_of_texts_are_counted() {
        let most = limits::BODY_DEPTH;
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert!(!is_deep(nested(most).as_bytes()));
        assert!(is_deep(nested(most + 1).as_bytes()));
        assert!(is_deep("{\"a\":".repeat(most + 1).as_bytes()));
        assert!(!is_deep("[]".repeat(most + 1).as_bytes()), "one after the other");
        assert!(!is_deep(format!("{{\"a\\\\\\\"{}\": 1}}", "[".repeat(most)).as_bytes()));
        assert!(is_deep(format!("{{\"a\\\\\": {}", "[".repeat(most)).as_bytes()));
    }
}
