//! The websocket protocol of the recorder, version 5: greeting, authentication, requests, events.

use std::{collections::VecDeque, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::net::websocket::{Socket, SocketError};

/// The version of requests that is spoken.
const VERSION: u64 = 1;
/// Events that are kept while an answer is waited for; the oldest go.
const EVENTS: usize = 64;
/// Messages without meaning for us that are read before the conversation is given up.
const NOISE: usize = 10_000;

/// Why the recorder did not do what it was asked.
#[derive(Debug, thiserror::Error)]
pub enum RecorderError {
    #[error(transparent)]
    Socket(#[from] SocketError),
    #[error("the recorder asks for a password")]
    NoPassword,
    #[error("the recorder sent something unexpected")]
    Unexpected,
    #[error("the recorder refused {request}: {comment}")]
    Refused { request: &'static str, comment: String },
}

/// A conversation with the recorder; it ends at one deadline.
pub struct Dialog {
    socket: Socket,
    requests: u64,
    events: VecDeque<Value>,
}

impl Dialog {
    /// Connects and identifies itself, with the password where the recorder asks for one.
    ///
    /// # Errors
    /// [`RecorderError`].
    pub fn open(address: &str, password: &str, patience: Duration) -> Result<Self, RecorderError> {
        let socket = Socket::open(address, patience)?;
        let mut dialog = Self { socket, requests: 0, events: VecDeque::new() };
        let hello = dialog.next(0)?;
        let mut identify = json!({"rpcVersion": VERSION});
        let question = &hello["authentication"];
        if let (Some(salt), Some(challenge)) =
            (question["salt"].as_str(), question["challenge"].as_str())
        {
            if password.is_empty() {
                return Err(RecorderError::NoPassword);
            }
            identify["authentication"] = answer(password, salt, challenge).into();
        }
        dialog.send(1, &identify)?;
        dialog.next(2)?;
        Ok(dialog)
    }

    /// Asks for something and returns the data of the answer.
    ///
    /// # Errors
    /// [`RecorderError`].
    pub fn request(&mut self, request: &'static str) -> Result<Value, RecorderError> {
        self.requests += 1;
        let id = format!("request-{}", self.requests);
        self.send(6, &json!({"requestType": request, "requestId": id}))?;
        for _ in 0..NOISE {
            let reply = self.next(7)?;
            if reply["requestId"] != *id {
                continue;
            }
            let status = &reply["requestStatus"];
            if status["result"] == true {
                return Ok(reply["responseData"].clone());
            }
            let code = status["code"].as_u64().unwrap_or(0);
            let comment = status["comment"].as_str().unwrap_or_default();
            let comment: String = format!("{code} {comment}").chars().take(200).collect();
            return Err(RecorderError::Refused { request, comment });
        }
        Err(RecorderError::Unexpected)
    }

    /// Waits for an event, which may have come already, and returns its data.
    ///
    /// # Errors
    /// [`RecorderError`].
    pub fn event(&mut self, kind: &str) -> Result<Value, RecorderError> {
        for _ in 0..NOISE {
            while let Some(event) = self.events.pop_front() {
                if event["eventType"] == kind {
                    return Ok(event["eventData"].clone());
                }
            }
            let message = self.receive()?;
            self.note_event(&message);
        }
        Err(RecorderError::Unexpected)
    }

    /// The data of the next message with this code. Events in between are kept.
    fn next(&mut self, code: u64) -> Result<Value, RecorderError> {
        for _ in 0..NOISE {
            let mut message = self.receive()?;
            if message["op"] == code {
                return Ok(message["d"].take());
            }
            self.note_event(&message);
        }
        Err(RecorderError::Unexpected)
    }

    fn note_event(&mut self, message: &Value) {
        if message["op"] == 5 {
            if self.events.len() == EVENTS {
                self.events.pop_front();
            }
            self.events.push_back(message["d"].clone());
        }
    }

    fn receive(&mut self) -> Result<Value, RecorderError> {
        let text = self.socket.receive()?;
        serde_json::from_str(&text).map_err(|_| RecorderError::Unexpected)
    }

    fn send(&mut self, code: u64, data: &Value) -> Result<(), RecorderError> {
        Ok(self.socket.send(&json!({"op": code, "d": data}).to_string())?)
    }
}

/// The answer to the question of the recorder: a proof of the password that does not reveal it.
fn answer(password: &str, salt: &str, challenge: &str) -> String {
    let secret = STANDARD.encode(Sha256::digest(format!("{password}{salt}").as_bytes()));
    STANDARD.encode(Sha256::digest(format!("{secret}{challenge}").as_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_protocol_is_answered() {
        let answer = answer(
            "supersecretpassword",
            "lM1GncleQOaCu9lT1yeUZhFYnqhsLLP1G5lAGo3ixaI=",
            "+IxH4CnCiqpX1rM9scsNynZzbOe4KhDeYcTNS3PDaeY=",
        );
        assert_eq!(answer, "1Ct943GAT+6YQUUX47Ia/ncufilbe6+oD6lY+5kaCu4=");
    }
}
