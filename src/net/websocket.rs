//! A WebSocket connection to a program of the user, with one deadline for all that is asked of it.

use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    time::{Duration, Instant},
};

use super::{
    address::is_host,
    frames::{self, FrameError, HEAD_BYTES, Kind, PAYLOAD_BYTES},
    location::{Location, LocationError},
};
use crate::base::ids;

/// The only scheme: the connection is not encrypted.
const SCHEME: &str = "ws://";
/// Bytes that are read at a time.
const PIECE: usize = 16 << 10;

/// Why there is no connection, or no message.
#[derive(Debug, thiserror::Error)]
pub enum SocketError {
    #[error("the address is not one of a websocket")]
    Address(#[from] LocationError),
    #[error("the address may not be connected to")]
    Forbidden,
    #[error("there was no answer in time")]
    Late,
    #[error("the connection failed: {0}")]
    Io(#[source] io::Error),
    #[error("the other side speaks no websocket")]
    NotOpened,
    #[error("the connection was closed")]
    Closed,
    #[error(transparent)]
    Frame(#[from] FrameError),
}

impl From<io::Error> for SocketError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => Self::Late,
            io::ErrorKind::ConnectionReset
            | io::ErrorKind::BrokenPipe
            | io::ErrorKind::UnexpectedEof => Self::Closed,
            _ => Self::Io(error),
        }
    }
}

/// An open connection. Whatever is asked of it ends at its deadline.
pub struct Socket {
    stream: TcpStream,
    ends_at: Instant,
    received: Vec<u8>,
}

impl Socket {
    /// Connects to an address like `ws://127.0.0.1:4455`.
    ///
    /// # Errors
    /// [`SocketError`].
    pub fn open(address: &str, patience: Duration) -> Result<Self, SocketError> {
        let ends_at = Instant::now() + patience;
        let rest = address.get(..SCHEME.len()).filter(|scheme| scheme.eq_ignore_ascii_case(SCHEME));
        rest.ok_or(LocationError::Scheme)?;
        let location = Location::parse(&format!("http://{}", &address[SCHEME.len()..]))?;
        let stream = connect(&location, ends_at)?;
        stream.set_nodelay(true)?;
        let mut socket = Self { stream, ends_at, received: Vec::new() };
        socket.shake_hands(&location)?;
        Ok(socket)
    }

    /// Sends a text.
    ///
    /// # Errors
    /// [`SocketError`].
    pub fn send(&mut self, text: &str) -> Result<(), SocketError> {
        self.send_frame(Kind::Text, text.as_bytes())
    }

    /// The next text. Pings are answered in between.
    ///
    /// # Errors
    /// [`SocketError`]; [`SocketError::Closed`] when the other side closes the connection.
    pub fn receive(&mut self) -> Result<String, SocketError> {
        let mut message: Option<Vec<u8>> = None;
        loop {
            let Some((frame, taken)) = frames::read_frame(&self.received)? else {
                self.read_more()?;
                continue;
            };
            self.received.drain(..taken);
            match (frame.kind, &mut message) {
                (Kind::Ping, _) => self.send_frame(Kind::Pong, &frame.payload)?,
                (Kind::Pong, _) => {}
                (Kind::Text, None) => message = Some(frame.payload),
                (Kind::Continuation, Some(message)) => message.extend(frame.payload),
                (Kind::Close, _) => return Err(SocketError::Closed),
                _ => return Err(FrameError::Malformed.into()),
            }
            let is_message = !matches!(frame.kind, Kind::Ping | Kind::Pong);
            if message.as_ref().is_some_and(|message| message.len() > PAYLOAD_BYTES) {
                return Err(FrameError::TooLong.into());
            }
            if frame.is_last
                && is_message
                && let Some(message) = message.take()
            {
                return String::from_utf8(message).map_err(|_| FrameError::Malformed.into());
            }
        }
    }

    fn shake_hands(&mut self, location: &Location) -> Result<(), SocketError> {
        let key = frames::key_of(&ids::random::<16>());
        let host = if location.host().contains(':') {
            format!("[{}]:{}", location.host(), location.port())
        } else {
            format!("{}:{}", location.host(), location.port())
        };
        let (_, rest) = location.text().split_once("://").unwrap_or_default();
        let path = rest.find('/').map_or("/", |at| &rest[at..]);
        self.write(frames::opening(&host, path, &key).as_bytes())?;
        let length = loop {
            if let Some(length) = frames::head_length(&self.received) {
                break length;
            }
            if self.received.len() > HEAD_BYTES {
                return Err(SocketError::NotOpened);
            }
            self.read_more()?;
        };
        let head: Vec<u8> = self.received.drain(..length).collect();
        if frames::is_opened(&head, &key) { Ok(()) } else { Err(SocketError::NotOpened) }
    }

    fn send_frame(&mut self, kind: Kind, payload: &[u8]) -> Result<(), SocketError> {
        self.write(&frames::write_frame(kind, payload, ids::random()))
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), SocketError> {
        let mut rest = bytes;
        while !rest.is_empty() {
            self.stream.set_write_timeout(Some(left(self.ends_at)?))?;
            let written = self.stream.write(rest)?;
            if written == 0 {
                return Err(SocketError::Closed);
            }
            rest = &rest[written..];
        }
        Ok(())
    }

    fn read_more(&mut self) -> Result<(), SocketError> {
        self.stream.set_read_timeout(Some(left(self.ends_at)?))?;
        let mut piece = [0; PIECE];
        match self.stream.read(&mut piece)? {
            0 => Err(SocketError::Closed),
            read => {
                self.received.extend(&piece[..read]);
                Ok(())
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // OK because the connection ends anyway.
        drop(self.send_frame(Kind::Close, &1000_u16.to_be_bytes()));
    }
}

fn connect(location: &Location, ends_at: Instant) -> Result<TcpStream, SocketError> {
    let found = location.resolve()?;
    let mut failure = SocketError::Forbidden;
    for address in found.into_iter().filter(|address| is_host(address.ip())) {
        match TcpStream::connect_timeout(&address, left(ends_at)?) {
            Ok(stream) => return Ok(stream),
            Err(error) => failure = error.into(),
        }
    }
    Err(failure)
}

/// The time that is left.
fn left(ends_at: Instant) -> Result<Duration, SocketError> {
    let left = ends_at.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(SocketError::Late) } else { Ok(left) }
}
