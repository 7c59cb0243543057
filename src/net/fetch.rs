//! Loading a published file of known place and bounded size.
//!
//! Publishers serve their files from other hosts, so up to five redirects are followed. Every hop must use https and
//! resolve to public addresses. A publisher on this machine needs neither, and may redirect to this machine only.

use std::{
    io::{self, Read as _, Write},
    net::SocketAddr,
    time::{Duration, Instant},
};

use super::{
    address::{Reach, reach},
    client::Unanswered,
    exchange::{Exchange, Received, send},
    location::{Location, LocationError},
};

/// Redirects that are followed.
pub(super) const REDIRECTS: usize = 5;

/// Limits of size and duration.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of the largest file.
    pub bytes: usize,
    /// From the first connection to the last byte.
    pub timeout: Duration,
}

/// Why a file was not loaded.
#[derive(Debug, thiserror::Error)]
pub enum FetchError {
    #[error("the address is not valid: {0}")]
    Address(#[from] LocationError),
    /// The address is neither https nor on this machine, or resolves to an address that is not allowed.
    #[error("the address is not allowed")]
    NotAllowed,
    #[error("the host has no address")]
    NoHost,
    /// No server answered.
    #[error(transparent)]
    Unanswered(#[from] Unanswered),
    #[error("the server answered {0}")]
    Status(u16),
    /// The answer leads on and on, or nowhere.
    #[error("the server redirects to nowhere")]
    Redirect,
    #[error("the file is larger than {0} bytes")]
    TooLarge(usize),
    #[error("the answer broke off: {0}")]
    Broken(io::ErrorKind),
}

/// Loads a file.
///
/// # Errors
/// [`FetchError`].
pub fn load(address: &str, limits: &Limits) -> Result<Vec<u8>, FetchError> {
    open(address, limits)?.read_all(limits.bytes).map_err(|error| broken(&error, limits))
}

/// As [`load`], and writes the file into a sink while it comes.
///
/// # Errors
/// [`FetchError`], after which the sink holds a part.
pub fn load_into(address: &str, limits: &Limits, sink: &mut dyn Write) -> Result<(), FetchError> {
    let mut body = open(address, limits)?.into_body().take(limits.bytes as u64 + 1);
    match io::copy(&mut body, sink) {
        Ok(count) if count > limits.bytes as u64 => Err(FetchError::TooLarge(limits.bytes)),
        Ok(_) => Ok(()),
        Err(error) => Err(broken(&error, limits)),
    }
}

fn broken(error: &io::Error, limits: &Limits) -> FetchError {
    match error.kind() {
        io::ErrorKind::FileTooLarge => FetchError::TooLarge(limits.bytes),
        kind => FetchError::Broken(kind),
    }
}

/// The answer that holds the file, after redirects.
fn open(address: &str, limits: &Limits) -> Result<Received, FetchError> {
    let begun = Instant::now();
    let mut location = Location::parse(address)?;
    let is_local = location.is_loopback();
    for _ in 0..=REDIRECTS {
        let addresses = addresses(&location, is_local)?;
        let left = limits.timeout.saturating_sub(begun.elapsed());
        let received = send(&Exchange {
            location: &location,
            addresses: &addresses,
            headers: &[("User-Agent", "Service/1")],
            body: None,
            timeout: left.max(Duration::from_millis(1)),
        })?;
        match received.status {
            200 => return Ok(received),
            301 | 302 | 303 | 307 | 308 => {
                let target = received.header("Location").ok_or(FetchError::Redirect)?;
                location = next(&location, target)?;
            }
            status => return Err(FetchError::Status(status)),
        }
    }
    Err(FetchError::Redirect)
}

/// Where a redirect leads: a path on the same server, or another address.
pub(super) fn next(from: &Location, target: &str) -> Result<Location, FetchError> {
    if target.starts_with('/') && !target.starts_with("//") {
        Ok(from.with_path(target)?)
    } else {
        Ok(Location::parse(target)?)
    }
}

/// The addresses of a station, all of them where they may be.
pub(super) fn addresses(
    location: &Location,
    is_local: bool,
) -> Result<Vec<SocketAddr>, FetchError> {
    let wanted = if is_local { Reach::Loopback } else { Reach::Public };
    if !is_local && !location.is_secure() || is_local && !location.is_loopback() {
        return Err(FetchError::NotAllowed);
    }
    let addresses = location.resolve().map_err(|_| FetchError::NoHost)?;
    if addresses.iter().all(|address| reach(address.ip()) == wanted) {
        Ok(addresses)
    } else {
        Err(FetchError::NotAllowed)
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Write as _},
        net::{Ipv4Addr, TcpListener, TcpStream},
        thread,
    };

    use super::*;

    /// Answers one request of a client at this address.
    type Answer = Box<dyn Fn(&mut TcpStream, &str) + Send>;

    /// Serves answers in order and returns what `work` makes of the address.
    fn with_server<T>(answers: Vec<Answer>, work: impl FnOnce(&str) -> T) -> T {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let base = format!("http://{}", listener.local_addr().expect("its address"));
        let own = base.clone();
        let server = thread::Builder::new();
        let server = server.spawn(move || {
            let mut kept = Vec::new();
            for answer in answers {
                let (stream, _) = listener.accept().expect("a connection");
                let mut reader = BufReader::new(stream);
                let mut line = String::new();
                while reader.read_line(&mut line).expect("a line") > 2 {
                    line.clear();
                }
                let mut stream = reader.into_inner();
                answer(&mut stream, &own);
                kept.push(stream);
            }
            kept
        });
        let worked = work(&base);
        // OK because the connections are kept open until here.
        drop(server.expect("a thread").join().expect("no panic"));
        worked
    }

    fn says(text: &'static str) -> Answer {
        Box::new(move |stream, own| {
            let text = text.replace("OWN", own);
            // OK because a client that hangs up has its reasons.
            drop(stream.write_all(text.as_bytes()));
        })
    }

    const LIMITS: Limits = Limits { bytes: 10, timeout: Duration::from_secs(20) };

    fn loaded(answers: &[&'static str]) -> Result<Vec<u8>, String> {
        let answers = answers.iter().map(|text| says(text)).collect();
        with_server(answers, |base| {
            load(&format!("{base}/x"), &LIMITS).map_err(|error| error.to_string())
        })
    }

    #[test]
    fn a_file_is_loaded_and_redirects_are_followed() {
        let file = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nfile";
        assert_eq!(loaded(&[file]), Ok(b"file".to_vec()));
        let on =
            "HTTP/1.1 302 Found\r\nLocation: /y\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        let away = "HTTP/1.1 307 Found\r\nLocation: OWN/z\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        assert_eq!(loaded(&[on, away, file]), Ok(b"file".to_vec()));
        assert_eq!(loaded(&[on; 6]), Err("the server redirects to nowhere".to_owned()));
    }

    #[test]
    fn what_is_no_file_is_told() {
        for (answer, expected) in [
            ("HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", "the server answered 404"),
            ("HTTP/1.1 206 Part\r\nContent-Length: 0\r\n\r\n", "the server answered 206"),
            ("HTTP/1.1 302 Found\r\nContent-Length: 0\r\n\r\n", "the server redirects to nowhere"),
            (
                "HTTP/1.1 302 Found\r\nLocation: https://example.org/x\r\nContent-Length: 0\r\n\r\n",
                "the address is not allowed",
            ),
            (
                "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nlonger file",
                "the file is larger than 10 bytes",
            ),
        ] {
            assert_eq!(loaded(&[answer]), Err(expected.to_owned()));
        }
    }

    #[test]
    fn a_silent_server_is_not_waited_for() {
        let silent: Answer = Box::new(|stream, _| {
            let head = b"HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nf";
            drop(stream.write_all(head));
        });
        let limits = Limits { timeout: Duration::from_millis(300), ..LIMITS };
        let begun = Instant::now();
        let outcome = with_server(vec![silent], |base| load(base, &limits));
        assert!(matches!(outcome, Err(FetchError::Broken(_) | FetchError::Unanswered(_))));
        assert!(begun.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn only_safe_places_are_asked() {
        let refused = |address: &str| load(address, &LIMITS).expect_err(address).to_string();
        for address in ["http://example.org/x", "https://10.0.0.1/x", "https://169.254.169.254/x"] {
            assert_eq!(refused(address), "the address is not allowed", "{address}");
        }
        assert_eq!(
            refused("ftp://example.org"),
            "the address is not valid: the scheme is neither http nor https"
        );
    }
}
