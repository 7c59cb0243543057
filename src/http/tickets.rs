//! Tickets: leave to read one address for a short time without the session token. For addresses that
//! end up in histories, logs and messages.

use std::time::{Duration, Instant};

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use super::request::{Head, Method};
use crate::base::ids;

/// How long a ticket is good for: a reader of a long document asks for parts of it meanwhile.
pub const LIFETIME: Duration = Duration::from_mins(10);

/// The last parameter of an address with a ticket.
const PARAMETER: &str = "ticket=";

/// Issues tickets and knows its own. A clone knows the same ones.
#[derive(Clone)]
pub struct Tickets {
    key: String,
    start: Instant,
}

impl Tickets {
    /// With a key of its own; tickets of an earlier start are invalid.
    pub fn new() -> Self {
        Self { key: ids::random_hex(32), start: Instant::now() }
    }

    /// A request target with a ticket for it.
    pub fn add_to(&self, target: &str) -> String {
        let until = (self.start.elapsed() + LIFETIME).as_secs();
        let mark = if target.contains('?') { '&' } else { '?' };
        format!("{target}{mark}{PARAMETER}{until}.{}", self.seal(target, until))
    }

    /// Whether a request reads an address with a ticket for it whose time is not over.
    pub(super) fn admit(&self, head: &Head) -> bool {
        matches!(head.method, Method::Get | Method::Head)
            && self.knows(head.target(), self.start.elapsed().as_secs())
    }

    fn knows(&self, target: &str, now: u64) -> bool {
        let found = || {
            let (target, ticket) = target.rsplit_once(PARAMETER)?;
            let (until, seal) = ticket.split_once('.')?;
            let (target, until) = (target.strip_suffix(['?', '&'])?, until.parse().ok()?);
            let known = self.seal(target, until).as_bytes().ct_eq(seal.as_bytes());
            Some(bool::from(known) && now < until)
        };
        found().unwrap_or(false)
    }

    fn seal(&self, target: &str, until: u64) -> String {
        // OK because the key of an HMAC may have any length.
        let mut mac = Hmac::<Sha256>::new_from_slice(self.key.as_bytes()).expect("any length");
        mac.update(format!("{until} {target}").as_bytes());
        ids::hex(&mac.finalize().into_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_is_for_one_address_and_a_short_time() {
        let tickets = Tickets::new();
        for target in ["/api/document?id=0&index=1", "/api/backup"] {
            let full = tickets.add_to(target);
            assert!(tickets.knows(&full, 0) && tickets.clone().knows(&full, 599), "{full}");
            assert!(!tickets.knows(&full, 601));
            assert!(!Tickets::new().knows(&full, 0));
            assert!(!tickets.knows(&full.replace("/api/", "/api/v2/"), 0));
            assert!(
                !tickets.knows(&full.replace("index=1", "index=2"), 0) || target == "/api/backup"
            );
            assert!(!tickets.knows(&format!("{full}&index=2"), 0));
            assert!(!tickets.knows(&full.replace("ticket=", "ticket=9"), 0));
            assert!(!tickets.knows(target, 0));
        }
        for nonsense in ["", "ticket=", "?ticket=", "/x?ticket=1", "/x?ticket=9.", "/x?ticket=a.b"]
        {
            assert!(!tickets.knows(nonsense, 0), "{nonsense}");
        }
    }
}
