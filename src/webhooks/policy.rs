//! Which addresses a delivery may go to.
//!
//! Asked when a configuration is saved and again before every attempt: a name may lead elsewhere by
//! then. An admitted address comes with the resolved addresses that were checked, and only those are connected to.

use std::net::{IpAddr, SocketAddr};

use super::outside::Outside;
use crate::{
    base::limits,
    net::{
        address::{Reach, reach},
        location::{self, Location, LocationError},
    },
};

/// What is decided once for the life of the service.
#[derive(Clone, Copy, Debug)]
pub struct Policy {
    /// `SERVICE_ALLOW_HTTP_WEBHOOKS=1`.
    pub allow_http: bool,
    /// The port this service listens on.
    pub own_port: u16,
}

/// A checked destination.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Destination {
    /// The address as text, taken apart.
    pub location: Location,
    /// Where it leads, every one of them checked; not empty.
    pub addresses: Vec<SocketAddr>,
}

/// Why an address is refused, in the order of the checks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    #[error("Webhook URL is required.")]
    Missing,
    /// It is longer than [`limits::WEBHOOK_URL_CHARS`].
    #[error("Webhook URL is too long.")]
    TooLong,
    #[error("Webhook URL must use http or https.")]
    Scheme,
    #[error("HTTP webhooks are disabled; enable them with SERVICE_ALLOW_HTTP_WEBHOOKS=1.")]
    PlainHttp,
    #[error("Webhook URL must include a hostname.")]
    Host,
    /// There is a user name or password.
    #[error("Webhook URLs may not embed credentials.")]
    Credentials,
    #[error("Webhook URLs may not contain a fragment.")]
    Fragment,
    #[error("Webhook URL port must be between 1 and 65535.")]
    Port,
    #[error("Webhook URL could not be resolved.")]
    Unresolved,
    #[error("Webhook loopback hostname resolved outside loopback.")]
    Strayed,
    #[error("Webhook URL may not point at the running service.")]
    OwnService,
    /// It leads, also or only, to an address that is not public.
    #[error("Webhook URLs may only target public addresses.")]
    NotPublic,
}

impl Refused {
    /// Whether the text of the address is enough to refuse it.
    pub fn is_of_text(self) -> bool {
        !matches!(self, Self::Unresolved | Self::Strayed | Self::OwnService | Self::NotPublic)
    }
}

impl From<LocationError> for Refused {
    fn from(error: LocationError) -> Self {
        match error {
            LocationError::Scheme => Self::Scheme,
            LocationError::Host => Self::Host,
            LocationError::Credentials => Self::Credentials,
            LocationError::Fragment => Self::Fragment,
            LocationError::Port => Self::Port,
        }
    }
}

impl Policy {
    /// Checks an address as it stands and where it leads now.
    ///
    /// # Errors
    /// The first [`Refused`].
    pub fn admit(self, url: &str, outside: &dyn Outside) -> Result<Destination, Refused> {
        let location = self.read(url)?;
        let addresses = outside.resolve(&location).map_err(|_| Refused::Unresolved)?;
        if addresses.is_empty() {
            return Err(Refused::Unresolved);
        }
        let wanted =
            if is_loopback_name(location.host()) { Reach::Loopback } else { Reach::Public };
        if addresses.iter().any(|address| reach(address.ip()) != wanted) {
            let is_local = wanted == Reach::Loopback;
            return Err(if is_local { Refused::Strayed } else { Refused::NotPublic });
        }
        if wanted == Reach::Loopback
            && location.port() == self.own_port
            && addresses.iter().any(|address| outside.is_listening(*address))
        {
            return Err(Refused::OwnService);
        }
        Ok(Destination { location, addresses })
    }

    /// The checks that need no network.
    fn read(self, url: &str) -> Result<Location, Refused> {
        let url = url.trim();
        if url.is_empty() {
            return Err(Refused::Missing);
        }
        if url.chars().count() > limits::WEBHOOK_URL_CHARS {
            return Err(Refused::TooLong);
        }
        if !location::is_secure(url)? && !self.allow_http {
            return Err(Refused::PlainHttp);
        }
        Ok(Location::parse(url)?)
    }
}

/// Names that mean this machine: `localhost`, names below it, and loopback addresses in their plain
/// spelling. Any other spelling of such an address is judged by where it leads, and refused.
fn is_loopback_name(host: &str) -> bool {
    let name = host.strip_suffix('.').unwrap_or(host);
    name == "localhost"
        || name.ends_with(".localhost")
        || host.parse::<IpAddr>().is_ok_and(|address| reach(address) == Reach::Loopback)
}

#[cfg(test)]
mod tests {
    use std::io;

    use super::*;
    use crate::net::client::{Answered, Post, Unanswered};

    const OWN: u16 = 8_123;

    /// Resolves every name to the same addresses.
    struct World(&'static [&'static str]);

    impl Outside for World {
        fn resolve(&self, location: &Location) -> io::Result<Vec<SocketAddr>> {
            if let Ok(address) = location.host().parse::<IpAddr>() {
                return Ok(vec![SocketAddr::new(address, location.port())]);
            }
            let addresses = self.0.iter().map(|text| text.parse().expect("an address"));
            Ok(addresses.map(|address: IpAddr| SocketAddr::new(address, location.port())).collect())
        }

        fn is_listening(&self, address: SocketAddr) -> bool {
            address == SocketAddr::from(([127, 0, 0, 1], OWN))
        }

        fn post(&self, _: &Post<'_>) -> Result<Answered, Unanswered> {
            panic!("the policy sends nothing")
        }
    }

    #[track_caller]
    fn check(url: &str, addresses: &'static [&'static str], expected: Option<Refused>) {
        let policy = Policy { allow_http: true, own_port: OWN };
        let outcome = policy.admit(url, &World(addresses));
        assert_eq!(outcome.as_ref().err().copied(), expected, "{url} at {addresses:?}");
        if let Ok(destination) = outcome {
            assert!(!destination.addresses.is_empty());
        }
    }

    #[test]
    fn the_text_is_checked_in_order() {
        check("", &[], Some(Refused::Missing));
        check("  ", &[], Some(Refused::Missing));
        let long = format!("ftp://{}", "x".repeat(2_043));
        check(&long, &[], Some(Refused::TooLong));
        check(&long[..2_048], &[], Some(Refused::Scheme));
        check("example.org", &[], Some(Refused::Scheme));
        check("file:///etc/passwd", &[], Some(Refused::Scheme));
        check("https://", &[], Some(Refused::Host));
        check("https://me@a.org:0/#x", &[], Some(Refused::Credentials));
        check("https://a.org:0/#x", &[], Some(Refused::Fragment));
        check("https://a.org:0/", &[], Some(Refused::Port));
        check("https://a.org/", &[], Some(Refused::Unresolved));
        let strict = Policy { allow_http: false, own_port: OWN };
        let refused = |url: &str| strict.admit(url, &World(&["1.1.1.1"])).err();
        assert_eq!(refused("HTTP://"), Some(Refused::PlainHttp));
        assert_eq!(refused("http://me@a.org"), Some(Refused::PlainHttp));
        assert_eq!(refused("https://a.org"), None);
    }

    #[test]
    fn every_address_must_be_public() {
        check("https://a.org/", &["1.1.1.1"], None);
        check("https://a.org/", &["1.1.1.1", "2606:4700::1111"], None);
        for private in [
            "10.1.2.3",
            "169.254.169.254",
            "192.168.0.1",
            "127.0.0.1",
            "::1",
            "0.0.0.0",
            "::",
            "fe80::1",
            "fd00::1",
            "::ffff:127.0.0.1",
            "224.0.0.1",
        ] {
            let addresses: &'static [&'static str] = Box::leak(Box::new(["1.1.1.1", private]));
            check("https://a.org/", addresses, Some(Refused::NotPublic));
            check("https://a.org/", &addresses[1..], Some(Refused::NotPublic));
        }
        // Other spellings of loopback and link-local addresses go through the resolver.
        for url in
            ["https://2130706433/", "https://0x7f.1/", "https://127.1/", "https://017700000001/"]
        {
            check(url, &["127.0.0.1"], Some(Refused::NotPublic));
        }
        check("https://[::ffff:127.0.0.1]/", &[], Some(Refused::NotPublic));
        check("https://[::ffff:169.254.169.254]/", &[], Some(Refused::NotPublic));
        check("http://169.254.169.254/latest", &[], Some(Refused::NotPublic));
        check("http://10.0.0.1/", &[], Some(Refused::NotPublic));
    }

    #[test]
    fn loopback_names_stay_on_this_machine() {
        check("http://localhost:9/", &["127.0.0.1", "::1"], None);
        check("http://LOCALHOST.:9/", &["127.0.0.1"], None);
        check("http://127.8.8.8:9/", &[], None);
        check("http://[::1]:9/", &[], None);
        check("http://localhost:9/", &["127.0.0.1", "1.1.1.1"], Some(Refused::Strayed));
        check("http://me.localhost:9/", &["10.0.0.1"], Some(Refused::Strayed));
        check("http://localhost.evil.org/", &["127.0.0.1"], Some(Refused::NotPublic));
    }

    #[test]
    fn the_service_never_calls_itself() {
        check("http://localhost:8123/x", &["::1", "127.0.0.1"], Some(Refused::OwnService));
        check("http://127.0.0.1:8123/", &[], Some(Refused::OwnService));
        check("http://[::1]:8123/", &[], None);
        check("http://127.0.0.1:8124/", &[], None);
        check("https://a.org:8123/", &["1.1.1.1"], None);
    }
}
