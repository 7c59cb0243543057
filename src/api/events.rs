//! `GET /api/events`: the live stream.

use std::{borrow::Cow, io, time::Duration};

use super::{
    call::Call,
    code::Code,
    error::ApiError,
    route::{Handler, Route},
    services::Shared,
};
use crate::{
    events::bus::{Frame, Next, SubscribeError, Subscription},
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

/// Writes what a subscription yields until it ends, as far as the client `hears` it, and a comment after each
/// silence of `heartbeat`.
///
/// # Errors
/// When the client is gone.
pub fn write_events(
    stream: &mut EventStream,
    events: &Subscription,
    heartbeat: Duration,
    hears: impl Fn(&Frame) -> Option<Cow<'_, str>>,
) -> io::Result<()> {
    loop {
        match events.next(heartbeat) {
            Next::Event(frame) => {
                if let Some(data) = hears(&frame) {
                    stream.send(frame.name, &data)?;
                }
            }
            Next::Idle => stream.ping()?,
            Next::Ended => return Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::Write,
        sync::{Arc, Mutex},
    };

    use serde_json::json;

    use super::*;
    use crate::{
        api::{FAMILIES, route::Verb},
        events::{
            bus::Bus,
            event::{Event, Topic},
        },
        http::service::Lane,
    };

    /// A client that publishes an event after two heartbeats and closes the bus after two more.
    struct Client {
        bus: Bus,
        pings: usize,
        received: Arc<Mutex<String>>,
    }

    impl Write for Client {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let text = String::from_utf8_lossy(bytes);
            self.received.lock().expect("no panic").push_str(&text);
            if text.starts_with(':') {
                self.pings += 1;
                match self.pings {
                    2 => self.bus.publish(&Event::new(Topic::LibraryChanged, json!({}))),
                    4 => self.bus.close(),
                    _ => {}
                }
            }
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn every_silence_ends_with_a_comment_until_the_stream_ends() {
        let bus = Bus::new();
        let events = bus.subscribe(|| false).expect("a place");
        let received = Arc::new(Mutex::new(String::new()));
        let client = Client { bus, pings: 0, received: Arc::clone(&received) };
        let mut stream = EventStream::new(Box::new(client));
        write_events(&mut stream, &events, Duration::from_millis(1), |frame| {
            Some(Cow::Borrowed(&frame.data))
        })
        .expect("written");
        let received = received.lock().expect("no panic");
        let starts: Vec<&str> = received
            .split_terminator("\n\n")
            .filter_map(|frame| frame.split('\n').next())
            .collect();
        let ping = ": ping";
        assert_eq!(starts, [ping, ping, "event: library.changed", ping, ping]);
    }

    #[test]
    fn streams_and_nothing_else_have_the_lane_of_streams() {
        for route in FAMILIES.iter().flat_map(|family| family.iter()) {
            let streams = matches!(route.handler, Handler::Stream(_));
            assert_eq!(streams, route.lane == Lane::Stream, "{}", route.path);
            assert!(!streams || route.verb == Verb::Get, "{}", route.path);
        }
    }
}
