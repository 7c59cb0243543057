//! A subscriber of the live stream, and waiting for jobs with what it hears.

use std::io;

use serde_json::Value;

use super::{
    client::{Reply, Request, Wire},
    server::Server,
};

/// An open live stream.
pub(crate) struct Stream {
    wire: Wire,
}

/// One event: its name and its payload.
pub(crate) type Heard = (String, Value);

impl Stream {
    /// Opens the stream; fails unless the program answers 200 and a first comment.
    #[track_caller]
    pub(crate) fn open(server: &Server) -> Self {
        let (mut stream, head) = Self::ask(server, &Request::get("/api/events"));
        assert_eq!(head.status, 200);
        assert_eq!(stream.wire.line().expect("a line").as_deref(), Some(": ok"));
        stream
    }

    /// Sends a request on a connection of its own and reads the head of the answer.
    #[track_caller]
    pub(crate) fn ask(server: &Server, request: &Request) -> (Self, Reply) {
        let mut wire = server.wire();
        let bytes = request.to_bytes(server.address(), server.token());
        wire.send(&bytes).expect("sent");
        let head = wire.head().expect("an answer");
        (Self { wire }, head)
    }

    /// Makes the system keep little of what the program sends and this side does not read.
    #[track_caller]
    pub(crate) fn narrow(&self) {
        self.wire.narrow();
    }

    /// The next event; `None` when the stream has ended, also when the program cut it off.
    #[track_caller]
    pub(crate) fn next(&mut self) -> Option<Heard> {
        let (mut name, mut data) = (String::new(), None);
        loop {
            let line = match self.wire.line() {
                Err(error) if error.kind() == io::ErrorKind::ConnectionReset => return None,
                line => line.expect("the stream goes on")?,
            };
            if let Some(text) = line.strip_prefix("event: ") {
                text.clone_into(&mut name);
            } else if let Some(text) = line.strip_prefix("data: ") {
                data = Some(serde_json::from_str(text).expect("JSON in one line"));
            } else if line.is_empty()
                && let Some(data) = data.take()
            {
                return Some((name, data));
            }
        }
    }

    /// The payload of the next event of this name; others are passed over.
    #[track_caller]
    pub(crate) fn hear(&mut self, name: &str) -> Value {
        loop {
            let (heard, payload) = self.next().expect("the stream goes on");
            if heard == name {
                return payload;
            }
        }
    }

    /// Waits for the end of a job and returns its document.
    #[track_caller]
    pub(crate) fn job_end(&mut self, server: &Server, job_id: &str) -> Value {
        while self.hear("job.finished")["job_id"] != job_id {}
        job(server, job_id)
    }
}

/// The document of a job.
#[track_caller]
pub(crate) fn job(server: &Server, job_id: &str) -> Value {
    let jobs = server.get("/api/v2/jobs?limit=100")["jobs"].as_array().expect("a list").clone();
    jobs.into_iter().find(|job| job["job_id"] == job_id).expect("the job is listed")
}

/// Starts work with a POST that answers 202 and returns the id of its job.
#[track_caller]
pub(crate) fn started(server: &Server, path: &str, body: &Value) -> String {
    let reply = server.send(&Request::post(path, body)).expect(202).json();
    assert_eq!(reply["state"], "queued");
    reply["job_id"].as_str().expect("an id").to_owned()
}
