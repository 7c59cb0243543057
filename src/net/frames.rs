//! Frames and the opening of a WebSocket connection (RFC 6455), seen from the client: bytes to values
//! and back.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha1::{Digest as _, Sha1};

/// What a server adds to the key of a client before it answers with the digest.
const MAGIC: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
/// Bytes of the longest payload of one frame.
pub const PAYLOAD_BYTES: usize = 4 << 20;
/// Bytes of the longest head of an answer to the opening.
pub const HEAD_BYTES: usize = 16 << 10;

/// The kind of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// More of the message before.
    Continuation,
    Text,
    Binary,
    Close,
    Ping,
    Pong,
}

/// One frame of a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    pub kind: Kind,
    /// Whether the message ends with it.
    pub is_last: bool,
    pub payload: Vec<u8>,
}

/// Why bytes are not a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FrameError {
    #[error("the frame breaks the protocol")]
    Malformed,
    #[error("the frame is too long")]
    TooLong,
}

/// The next frame of a stream and how many bytes it takes; `None` while it is not complete.
///
/// # Errors
/// [`FrameError`]; nothing that follows can be read then.
pub fn read_frame(bytes: &[u8]) -> Result<Option<(Frame, usize)>, FrameError> {
    let [first, second, rest @ ..] = bytes else { return Ok(None) };
    // No extension was agreed on, and a server masks nothing.
    if first & 0x70 != 0 || second & 0x80 != 0 {
        return Err(FrameError::Malformed);
    }
    let kind = kind_of(first & 0x0f).ok_or(FrameError::Malformed)?;
    let is_last = first & 0x80 != 0;
    let is_control = matches!(kind, Kind::Close | Kind::Ping | Kind::Pong);
    let (length, taken) = match second & 0x7f {
        126 => match rest {
            [a, b, ..] => (u64::from(u16::from_be_bytes([*a, *b])), 2),
            _ => return Ok(None),
        },
        127 => match rest.first_chunk::<8>() {
            Some(length) => (u64::from_be_bytes(*length), 8),
            None => return Ok(None),
        },
        short => (u64::from(short), 0),
    };
    if is_control && (!is_last || length > 125) {
        return Err(FrameError::Malformed);
    }
    let length = usize::try_from(length).map_err(|_| FrameError::TooLong)?;
    if length > PAYLOAD_BYTES {
        return Err(FrameError::TooLong);
    }
    let start = 2 + taken;
    let Some(payload) = bytes.get(start..start + length) else { return Ok(None) };
    Ok(Some((Frame { kind, is_last, payload: payload.to_vec() }, start + length)))
}

/// A whole message of a client. `mask` must be new and random for each frame.
pub fn write_frame(kind: Kind, payload: &[u8], mask: [u8; 4]) -> Vec<u8> {
    let mut bytes = vec![0x80 | code_of(kind)];
    match (u8::try_from(payload.len()), u16::try_from(payload.len())) {
        (Ok(length @ ..=125), _) => bytes.push(0x80 | length),
        (_, Ok(length)) => {
            bytes.push(0x80 | 0x7e);
            bytes.extend(length.to_be_bytes());
        }
        _ => {
            bytes.push(0x80 | 0x7f);
            bytes.extend((payload.len() as u64).to_be_bytes());
        }
    }
    bytes.extend(mask);
    bytes.extend(payload.iter().zip(mask.iter().cycle()).map(|(byte, key)| byte ^ key));
    bytes
}

/// The request that opens a connection. `key` is the Base64 form of 16 random bytes.
pub fn opening(host: &str, path: &str, key: &str) -> String {
    format!(
        "GET {path} HTTP/1.1\r\nHost: {host}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\
         Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n\r\n"
    )
}

/// The key of an opening, from 16 random bytes.
pub fn key_of(random: &[u8]) -> String {
    STANDARD.encode(random)
}

/// How long the head of an answer is; `None` while it is not complete.
pub fn head_length(bytes: &[u8]) -> Option<usize> {
    bytes.windows(4).position(|four| four == b"\r\n\r\n").map(|at| at + 4)
}

/// Whether the head of an answer opens the connection that was asked for with this key.
pub fn is_opened(head: &[u8], key: &str) -> bool {
    let Ok(head) = std::str::from_utf8(head) else { return false };
    let mut lines = head.split("\r\n");
    let is_switched = lines.next().is_some_and(|line| {
        let mut words = line.split(' ');
        words.next().is_some_and(|version| version.starts_with("HTTP/1.1"))
            && words.next() == Some("101")
    });
    let accept = STANDARD.encode(Sha1::digest(format!("{key}{MAGIC}").as_bytes()));
    let is_accepted = lines.any(|line| {
        let header = line.split_once(':');
        header.is_some_and(|(name, value)| {
            name.eq_ignore_ascii_case("Sec-WebSocket-Accept") && value.trim() == accept
        })
    });
    is_switched && is_accepted
}

fn kind_of(code: u8) -> Option<Kind> {
    Some(match code {
        0 => Kind::Continuation,
        1 => Kind::Text,
        2 => Kind::Binary,
        8 => Kind::Close,
        9 => Kind::Ping,
        10 => Kind::Pong,
        _ => return None,
    })
}

fn code_of(kind: Kind) -> u8 {
    match kind {
        Kind::Continuation => 0,
        Kind::Text => 1,
        Kind::Binary => 2,
        Kind::Close => 8,
        Kind::Ping => 9,
        Kind::Pong => 10,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_of_the_specification_opens() {
        let key = "dGhlIHNhbXBsZSBub25jZQ==";
        assert_eq!(key_of(b"the sample nonce"), key);
        let head = |line: &str, accept: &str| {
            format!("{line}\r\nUpgrade: websocket\r\nsec-websocket-accept:  {accept}\r\n\r\n")
        };
        let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=";
        let good = head("HTTP/1.1 101 Switching Protocols", accept);
        assert!(is_opened(good.as_bytes(), key));
        assert_eq!(head_length(format!("{good}more").as_bytes()), Some(good.len()));
        assert_eq!(head_length(b"HTTP/1.1 101"), None);
        assert!(!is_opened(head("HTTP/1.1 200 OK", accept).as_bytes(), key));
        assert!(!is_opened(head("HTTP/1.1 101 x", "other").as_bytes(), key));
        assert!(!is_opened(b"\xff", key));
    }

    #[test]
    fn frames_are_read_piece_by_piece() {
        let hello = [0x81, 5, b'H', b'e', b'l', b'l', b'o'];
        for end in 0..hello.len() {
            assert_eq!(read_frame(&hello[..end]), Ok(None));
        }
        let frame = Frame { kind: Kind::Text, is_last: true, payload: b"Hello".to_vec() };
        assert_eq!(read_frame(&hello), Ok(Some((frame, 7))));
        for (length, head) in [(126, 4), (65_535, 4), (65_536, 10)] {
            let mut bytes = vec![0x82];
            if head == 4 {
                bytes.push(126);
                bytes.extend(u16::try_from(length).expect("short").to_be_bytes());
            } else {
                bytes.push(127);
                bytes.extend((length as u64).to_be_bytes());
            }
            bytes.resize(head + length, 7);
            let (frame, taken) = read_frame(&bytes).expect("a frame").expect("complete");
            assert_eq!((frame.payload.len(), taken), (length, bytes.len()));
        }
    }

    #[test]
    fn what_breaks_the_protocol_is_refused() {
        for bytes in
            [vec![0xc1, 0], vec![0x81, 0x80], vec![0x83, 0], vec![0x09, 0], vec![0x89, 126, 0, 126]]
        {
            assert_eq!(read_frame(&bytes), Err(FrameError::Malformed), "{bytes:?}");
        }
        let mut long = vec![0x81, 127];
        long.extend((PAYLOAD_BYTES as u64 + 1).to_be_bytes());
        assert_eq!(read_frame(&long), Err(FrameError::TooLong));
    }

    #[test]
    fn a_client_masks_what_it_sends() {
        let frame = write_frame(Kind::Text, b"Hello", [0x37, 0xfa, 0x21, 0x3d]);
        let expected = [0x81, 0x85, 0x37, 0xfa, 0x21, 0x3d, 0x7f, 0x9f, 0x4d, 0x51, 0x58];
        assert_eq!(frame, expected, "the example of the specification");
        assert_eq!(write_frame(Kind::Text, &[0; 126], [0; 4])[1], 0xfe);
        assert_eq!(write_frame(Kind::Text, &vec![0; 65_536], [0; 4])[1], 0xff);
    }
}
