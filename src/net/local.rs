//! Requests to the running service of this machine, as its owner: for the command line.

use std::{
    io::{self, BufReader, Read as _},
    net::{Ipv4Addr, SocketAddr},
    time::Duration,
};

use serde_json::Value;
use ureq::{Agent, http::Response, unversioned::transport::DefaultConnector};

use super::client::{Checked, Unanswered, describe};
use crate::base::text;

/// Bytes of an answer; what the command line asks for is far smaller.
const ANSWER_BYTES: u64 = 16 << 20;
/// From the connection to the last byte of an answer.
const TIMEOUT: Duration = Duration::from_mins(1);

/// The running service: where it listens on 127.0.0.1 and what opens it.
pub struct Instance {
    port: u16,
    token: String,
    agent: Agent,
}

impl Instance {
    /// The service on this port.
    pub fn new(port: u16, token: String) -> Self {
        Self::patient(port, token, TIMEOUT)
    }

    /// The same, with another limit for one answer: an import of a large folder takes minutes.
    pub fn patient(port: u16, token: String, timeout: Duration) -> Self {
        let config = Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .proxy(None)
            .timeout_global(Some(timeout))
            .build();
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let agent = Agent::with_parts(config, DefaultConnector::default(), Checked(vec![address]));
        Self { port, token, agent }
    }

    /// Status and body of a GET; the body is null when it is no JSON.
    ///
    /// # Errors
    /// [`Unanswered`] when no answer came.
    pub fn get(&self, path: &str) -> Result<(u16, Value), Unanswered> {
        let request = self.agent.get(self.url(path)).header("X-Service-Token", &self.token);
        read(request.call().map_err(|error| Unanswered(describe(&error)))?)
    }

    /// Status and body of a POST; the body is null when it is no JSON.
    ///
    /// # Errors
    /// [`Unanswered`] when no answer came.
    pub fn post(&self, path: &str, body: &Value) -> Result<(u16, Value), Unanswered> {
        let request = self.agent.post(self.url(path)).header("X-Service-Token", &self.token);
        let request = request.header("Content-Type", "application/json");
        let sent = request.send(body.to_string().as_bytes());
        read(sent.map_err(|error| Unanswered(describe(&error)))?)
    }

    /// Whether it answers as a service that knows the token does, its library readable or not.
    pub fn is_there(&self, within: Duration) -> bool {
        let request = self.agent.get(self.url("/api/running"));
        let request = request.config().timeout_global(Some(within)).build();
        let answer = request.header("X-Service-Token", &self.token).call();
        answer.is_ok_and(|answer| matches!(answer.status().as_u16(), 200 | 503))
    }

    /// Opens the live stream.
    ///
    /// # Errors
    /// [`Unanswered`] when no answer came, or one that is not a stream.
    pub fn follow(&self) -> Result<Stream, Unanswered> {
        let request = self.agent.get(self.url("/api/events"));
        // It stays open for as long as there is a listener.
        let request = request.config().timeout_global(None).build();
        let answer = request.header("X-Service-Token", &self.token).call();
        let answer = answer.map_err(|error| Unanswered(describe(&error)))?;
        match answer.status().as_u16() {
            200 => Ok(Stream(Box::new(BufReader::new(answer.into_body().into_reader())))),
            status => Err(Unanswered(format!("The live stream answered {status}."))),
        }
    }

    fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

/// The live stream of the service, event by event.
pub struct Stream(Box<dyn io::BufRead>);

impl Iterator for Stream {
    type Item = (String, Value);

    /// The next event and its payload; `None` when the stream has ended in whatever way.
    fn next(&mut self) -> Option<Self::Item> {
        let mut name = String::new();
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line).ok()? == 0 {
                return None;
            }
            if let Some(text) = line.strip_prefix("event: ") {
                text.trim_end().clone_into(&mut name);
            } else if let Some(data) = line.strip_prefix("data: ") {
                return Some((name, serde_json::from_str(data).unwrap_or_default()));
            }
        }
    }
}

fn read(mut answer: Response<ureq::Body>) -> Result<(u16, Value), Unanswered> {
    let status = answer.status().as_u16();
    let mut bytes = Vec::new();
    let reader = answer.body_mut().as_reader();
    let read = reader.take(ANSWER_BYTES).read_to_end(&mut bytes);
    read.map_err(|error| Unanswered(format!("The connection failed: {}", text::reason(&error))))?;
    Ok((status, serde_json::from_slice(&bytes).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead as _, BufReader, Write as _},
        net::TcpListener,
        thread,
    };

    use serde_json::json;

    use super::*;

    #[test]
    fn the_token_goes_to_this_machine_and_the_answer_comes_back() {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
        let port = listener.local_addr().expect("its address").port();
        thread::scope(|scope| {
            let service = scope.spawn(move || {
                let (stream, _) = listener.accept().expect("a connection");
                let mut wire = BufReader::new(stream);
                let mut head = String::new();
                while !head.ends_with("\r\n\r\n") {
                    wire.read_line(&mut head).expect("a line");
                }
                let answer = b"HTTP/1.1 202 Accepted\r\nContent-Length: 8\r\n\r\n{\"a\": 1}";
                wire.get_mut().write_all(answer).expect("it is taken");
                head.to_lowercase()
            });
            let instance = Instance::new(port, "key".to_owned());
            let answer = instance.get("/api/jobs").expect("an answer");
            assert_eq!(answer, (202, json!({"a": 1})));
            let head = service.join().expect("no panic");
            assert!(head.starts_with("get /api/jobs http/1.1\r\n"), "{head}");
            assert!(head.contains("\r\nx-service-token: key\r\n"), "{head}");
            assert!(head.contains(&format!("\r\nhost: 127.0.0.1:{port}\r\n")), "{head}");
        });
        assert!(Instance::new(port, String::new()).post("/x", &json!({})).is_err());
    }
}
