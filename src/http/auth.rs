//! The session token: constant-time comparison and the limit on wrong guesses.
//!
//! Owns the count of failures per address, bounded in memory. Does not decide which routes need a
//! token and writes no reply.

use std::{
    collections::{HashMap, VecDeque},
    net::IpAddr,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, Ordering},
    },
    time::Instant,
};

use subtle::ConstantTimeEq as _;

use super::{request::Head, tickets::Tickets};
use crate::base::{Hold as _, limits};

/// Addresses whose failures are remembered at once. The loopback network has millions of them;
/// beyond this the one that failed longest ago is forgotten.
const ADDRESSES: usize = 256;

/// The outcome of a token check.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// The token is right; the address starts again without failures.
    Granted,
    /// The token is missing or wrong.
    Denied,
    /// The token is missing or wrong once more after [`limits::AUTH_FAILURES`] failures within
    /// [`limits::AUTH_WINDOW`].
    RateLimited {
        /// Seconds that the client is asked to wait.
        retry_after: u64,
    },
}

/// Holds the token of this launch and counts wrong ones.
pub struct TokenGate {
    token: String,
    tickets: Tickets,
    failures: Mutex<HashMap<IpAddr, VecDeque<Instant>>>,
    used: Arc<AtomicBool>,
}

impl TokenGate {
    /// A gate that opens for `token`, and for the address of a ticket.
    pub fn new(token: impl Into<String>, tickets: Tickets) -> Self {
        let (token, used) = (token.into(), Arc::default());
        Self { token, tickets, failures: Mutex::default(), used }
    }

    /// Returns whether a request with the token has been accepted.
    pub fn usage(&self) -> impl Fn() -> bool + Send + use<> {
        let used = Arc::clone(&self.used);
        move || used.load(Ordering::Relaxed)
    }

    /// Checks the header `X-Service-Token`, or the query parameter `token` when there is no such
    /// header, or the ticket when there is neither. A correct token always succeeds, also during a rate limit.
    pub fn check(&self, head: &Head) -> Access {
        self.judge(head.ip(), self.is_known(head), Instant::now())
    }

    /// Whether the request has the token, without counting it when it has not.
    pub fn is_known(&self, head: &Head) -> bool {
        match head.header("X-Service-Token") {
            Some(token) => self.matches(token),
            None => match head.query().get("token") {
                Some(token) => self.matches(&token),
                None => self.tickets.admit(head),
            },
        }
    }

    /// Compares in constant time; only the length of the token, which is public, can be learned.
    fn matches(&self, token: &str) -> bool {
        self.token.as_bytes().ct_eq(token.as_bytes()).into()
    }

    fn judge(&self, address: IpAddr, granted: bool, now: Instant) -> Access {
        let mut failures = self.failures.hold();
        if granted {
            failures.remove(&address);
            self.used.store(true, Ordering::Relaxed);
            return Access::Granted;
        }
        if failures.len() >= ADDRESSES && !failures.contains_key(&address) {
            let stalest = failures.iter().min_by_key(|(_, times)| times.back().copied());
            if let Some(stalest) = stalest.map(|(address, _)| *address) {
                failures.remove(&stalest);
            }
        }
        let times = failures.entry(address).or_default();
        while times.front().is_some_and(|time| now.duration_since(*time) >= limits::AUTH_WINDOW) {
            times.pop_front();
        }
        if times.len() >= limits::AUTH_FAILURES {
            return Access::RateLimited { retry_after: limits::AUTH_WINDOW.as_secs() };
        }
        times.push_back(now);
        Access::Denied
    }
}

#[cfg(test)]
mod tests {
    use std::{
        net::{Ipv4Addr, SocketAddr},
        time::Duration,
    };

    use super::*;
    use crate::http::request::{Headers, Method};

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn head(target: &str, token: Option<&str>) -> Head {
        let mut headers = Headers::default();
        if let Some(token) = token {
            headers.push("x-service-token", token);
        }
        Head::new(Method::Get, target.to_owned(), headers, SocketAddr::new(HOME, 9))
    }

    #[test]
    fn takes_header_then_query() {
        let gate = TokenGate::new("abc", Tickets::new());
        assert_eq!(gate.check(&head("/", Some("abc"))), Access::Granted);
        assert_eq!(gate.check(&head("/?a=1&token=%61bc", None)), Access::Granted);
        assert_eq!(gate.check(&head("/?token=abc", Some("wrong"))), Access::Denied);
        assert_eq!(gate.check(&head("/", None)), Access::Denied);
        assert_eq!(gate.check(&head("/?token=abcd", None)), Access::Denied);
        assert_eq!(gate.check(&head("/?token=", None)), Access::Denied);
    }

    #[test]
    fn a_ticket_opens_its_address_for_reading() {
        let gate = TokenGate::new("abc", Tickets::new());
        let target = gate.tickets.add_to("/api/document?id=1");
        assert_eq!(gate.check(&head(&target, None)), Access::Granted);
        assert_eq!(gate.check(&head(&target, Some("wrong"))), Access::Denied);
        assert_eq!(gate.check(&head(&target.replace("id=1", "id=2"), None)), Access::Denied);
        let peer = SocketAddr::new(HOME, 9);
        let write = Head::new(Method::Post, target, Headers::default(), peer);
        assert_eq!(gate.check(&write), Access::Denied);
    }

    #[test]
    fn limits_after_ten_failures_until_the_window_has_passed() {
        let gate = TokenGate::new("abc", Tickets::new());
        let start = Instant::now();
        for second in 0..10 {
            let now = start + Duration::from_secs(second);
            assert_eq!(gate.judge(HOME, false, now), Access::Denied, "{second}");
        }
        let limited = Access::RateLimited { retry_after: 60 };
        assert_eq!(gate.judge(HOME, false, start + Duration::from_secs(10)), limited);
        assert_eq!(gate.judge(HOME, false, start + Duration::from_millis(59_999)), limited);
        // The first failure has left the window: exactly one more guess.
        assert_eq!(gate.judge(HOME, false, start + limits::AUTH_WINDOW), Access::Denied);
        assert_eq!(gate.judge(HOME, false, start + limits::AUTH_WINDOW), limited);
    }

    #[test]
    fn a_correct_token_succeeds_and_clears() {
        let gate = TokenGate::new("abc", Tickets::new());
        let now = Instant::now();
        for _ in 0..11 {
            gate.judge(HOME, false, now);
        }
        assert_eq!(gate.judge(HOME, true, now), Access::Granted);
        assert_eq!(gate.judge(HOME, false, now), Access::Denied);
    }

    #[test]
    fn addresses_do_not_share_a_bucket_and_are_bounded() {
        let gate = TokenGate::new("abc", Tickets::new());
        let now = Instant::now();
        for _ in 0..11 {
            gate.judge(HOME, false, now);
        }
        for index in 0..2_000_u32 {
            let address = IpAddr::V4(Ipv4Addr::from(0x7F00_0100 + index));
            assert_eq!(gate.judge(address, false, now + Duration::from_secs(1)), Access::Denied);
        }
        assert!(gate.failures.lock().expect("no panic").len() <= ADDRESSES);
    }
}
