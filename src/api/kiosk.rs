//! The kiosk (`/api/v2/arcade/kiosk/...`), and what a locked client session may do.

use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, Verb, optional, required},
    services::{Reader, Services, Writer},
};
use crate::{
    base::clock,
    http::request::Request,
    kiosk::{self, KioskChange, KioskError, KioskStatus, KioskVerified},
};

/// The header with which a client names its session.
const SESSION: &str = "X-Service-Session";

/// Everything that a locked client session may ask for: viewing, playing, pausing and leaving. A route
/// that is not here is refused.
pub const ALLOWED: &[(Verb, &str)] = &[
    (Verb::Get, "/api/ach/badge"),
    (Verb::Get, "/api/bigscreen/media"),
    (Verb::Get, "/api/discovery"),
    (Verb::Get, "/api/document"),
    (Verb::Get, "/api/events"),
    (Verb::Get, "/api/explorer/facets"),
    (Verb::Get, "/api/filter-presets"),
    (Verb::Get, "/api/highscores"),
    (Verb::Get, "/api/history"),
    (Verb::Get, "/api/library"),
    (Verb::Get, "/api/library/delta"),
    (Verb::Get, "/api/media"),
    (Verb::Get, "/api/media/kinds"),
    (Verb::Get, "/api/native/capabilities"),
    (Verb::Get, "/api/notifications"),
    (Verb::Get, "/api/openapi.json"),
    (Verb::Get, "/api/platform/document"),
    (Verb::Get, "/api/platform/documents"),
    (Verb::Get, "/api/premium/media-packs"),
    (Verb::Get, "/api/premium/platform-categories"),
    (Verb::Get, "/api/premium/strings"),
    (Verb::Get, "/api/queue"),
    (Verb::Get, "/api/related"),
    (Verb::Get, "/api/related/rich"),
    (Verb::Get, "/api/running"),
    (Verb::Get, "/api/settings"),
    (Verb::Get, "/api/tags"),
    (Verb::Get, "/api/theme.css"),
    (Verb::Get, "/api/themes"),
    (Verb::Get, "/api/v2/arcade/kiosk/status"),
    (Verb::Get, "/api/v2/clips"),
    (Verb::Get, "/api/v2/collections"),
    (Verb::Get, "/api/v2/history/timeline"),
    (Verb::Get, "/api/v2/household"),
    (Verb::Get, "/api/v2/household/leaderboard"),
    (Verb::Get, "/api/v2/insights/heatmap"),
    (Verb::Get, "/api/v2/insights/mastery"),
    (Verb::Get, "/api/v2/insights/radar"),
    (Verb::Get, "/api/v2/insights/radio"),
    (Verb::Get, "/api/v2/insights/summary"),
    (Verb::Get, "/api/v2/insights/trophies"),
    (Verb::Get, "/api/v2/insights/wrapped"),
    (Verb::Get, "/api/v2/jobs/events"),
    (Verb::Get, "/api/v2/library/constellation"),
    (Verb::Get, "/api/v2/library/search"),
    (Verb::Get, "/api/v2/memories"),
    (Verb::Get, "/api/v2/memories/media"),
    (Verb::Get, "/api/v2/moments"),
    (Verb::Get, "/api/v2/party/queue"),
    (Verb::Get, "/api/v2/platforms"),
    (Verb::Get, "/api/v2/reels"),
    (Verb::Get, "/api/v2/resume/status"),
    (Verb::Get, "/api/v2/sessions/recap"),
    (Verb::Get, "/api/v2/story"),
    (Verb::Post, "/api/extra/launch"),
    (Verb::Post, "/api/launch"),
    (Verb::Post, "/api/session/control"),
    (Verb::Post, "/api/ticket"),
    (Verb::Post, "/api/v2/arcade/kiosk/verify"),
    (Verb::Post, "/api/v2/launch/preflight"),
    (Verb::Post, "/api/v2/library/dna/search"),
    (Verb::Post, "/api/v2/library/pick"),
    (Verb::Post, "/api/v2/library/query/parse"),
    (Verb::Post, "/api/v2/moments/resume"),
    (Verb::Post, "/api/v2/resume"),
];

const CHANGE: [Param; 4] = [
    optional("pin", Holds::Text, "The PIN from now on, 4 to 12 digits."),
    optional("clear", Holds::Flag, "Remove the PIN.").lenient(),
    optional("enabled", Holds::Flag, "Switch the kiosk on or off.").lenient(),
    optional("lock", Holds::Flag, "Lock the client session that asks.").lenient(),
];
const PIN: [Param; 1] = [required("pin", Holds::Text, "The PIN that was entered.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/arcade/kiosk/status", Handler::Read(show_status))
        .about("kiosk", "Whether the kiosk is on and has a PIN.")
        .since("1.11.0")
        .returns::<KioskStatus>(),
    Route::post("/api/v2/arcade/kiosk/pin", Handler::Write(change_kiosk))
        .about("kiosk", "Sets or removes the PIN, and switches the kiosk on or off.")
        .since("1.11.0")
        .body(&CHANGE)
        .returns::<KioskStatus>()
        .codes(&[Code::ArcadeInvalidRequest, Code::ArcadeInvalidPin])
        .slow(),
    Route::post("/api/v2/arcade/kiosk/verify", Handler::Write(verify_pin))
        .about("kiosk", "Checks a PIN; the right one unlocks the client session.")
        .since("1.11.0")
        .body(&PIN)
        .returns::<KioskVerified>()
        .codes(&[Code::ArcadeInvalidPin])
        .slow(),
];

/// The client session of a request.
pub fn session_of(request: &Request) -> &str {
    kiosk::session_name(request.headers.get(SESSION))
}

/// Refuses what a locked client session may not do. A library that cannot be read locks nothing.
pub(super) fn check(services: &Services, route: &Route, request: &Request) -> Result<(), ApiError> {
    let Ok(state) = services.store.snapshot() else { return Ok(()) };
    let is_refused = services.shared.kiosk.is_locked(&state, session_of(request))
        && !ALLOWED.contains(&(route.verb, route.path));
    if is_refused { Err(ApiError::of(Code::ArcadeKioskLocked)) } else { Ok(()) }
}

fn show_status(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&kiosk::status(&reader.state))
}

fn change_kiosk(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let pin = match call.given("pin") {
        None => None,
        Some(Value::String(pin)) => Some(pin.clone()).filter(|pin| !pin.is_empty()),
        Some(_) => return Err(KioskError::Pin.into()),
    };
    let change = KioskChange {
        pin,
        clear: call.flag("clear")?,
        enabled: call.flag_if_given("enabled")?,
        lock: call.flag("lock")?,
    };
    ok(&writer.shared.kiosk.change(writer.store, &change, session_of(call.request))?)
}

fn verify_pin(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let Some(pin) = call.key("pin").and_then(Value::as_str) else {
        return Err(KioskError::Pin.into());
    };
    let state = writer.store.snapshot()?;
    let session = session_of(call.request);
    ok(&writer.shared.kiosk.verify(&state, pin, session, clock::awake())?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::FAMILIES;

    #[test]
    fn only_routes_that_exist_are_allowed_and_each_once() {
        for (at, allowed) in ALLOWED.iter().enumerate() {
            assert!(!ALLOWED[at + 1..].contains(allowed), "{allowed:?}");
            let mut rows = FAMILIES.iter().flat_map(|family| family.iter());
            assert!(rows.any(|row| (row.verb, row.path) == *allowed), "{allowed:?}");
        }
    }
}
