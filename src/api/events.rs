//! `GET /api/events`: the live stream.

use std::io;

use super::{
    call::Call,
    code::Code,
    error::ApiError,
    route::{Handler, Route},
    services::Shared,
};
use crate::{
    base::limits,
    events::bus::{Next, SubscribeError, Subscription},
    http::{peer, sse::EventStream},
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/events", Handler::Stream(follow_events))
        .about("events", "A server-sent event stream of jobs, sessions and library changes.")
        .codes(&[Code::ServiceUnavailable])
        .stream(),
    Route::get("/api/v2/jobs/events", Handler::Stream(follow_events))
        .about("events", "The same stream.")
        .codes(&[Code::ServiceUnavailable])
        .stream(),
];

fn follow_events(shared: &Shared, call: &Call<'_>) -> Result<Subscription, ApiError> {
    let client = call.request.peer;
    shared.bus.subscribe(move || peer::has_left(client)).map_err(|error| {
        let message = match error {
            SubscribeError::Full => "Too many event streams.",
            SubscribeError::Closed => "The program is stopping.",
        };
        ApiError::new(Code::ServiceUnavailable, message)
    })
}

/// Writes what a subscription yields until it ends.
///
/// # Errors
/// When the client is gone.
pub fn write_events(stream: &mut EventStream, events: &Subscription) -> io::Result<()> {
    loop {
        match events.next(limits::STREAM_HEARTBEAT) {
            Next::Event(frame) => stream.send(frame.name, &frame.data)?,
            Next::Idle => stream.ping()?,
            Next::Ended => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{
        api::{
            FAMILIES,
            route::{Handler, Verb},
        },
        http::service::Lane,
    };

    #[test]
    fn streams_and_nothing_else_have_the_lane_of_streams() {
        for route in FAMILIES.iter().flat_map(|family| family.iter()) {
            let streams = matches!(route.handler, Handler::Stream(_));
            assert_eq!(streams, route.lane == Lane::Stream, "{}", route.path);
            assert!(!streams || route.verb == Verb::Get, "{}", route.path);
        }
    }
}
