//! One answer as a handler builds it: status, headers and a body that is never copied needlessly.
//!
//! Owns the headers of every reply. Does not write to a socket: `wire` does, and adds the length,
//! the date and the connection header itself.

use std::{borrow::Cow, fmt, fs::File, sync::Arc};

use crate::base::ResponseBytes;

/// Headers of every reply. Fonts and styles come from the program itself, so the policy allows no
/// other host.
pub const SECURITY_HEADERS: &[(&str, &str)] = &[
    ("X-Content-Type-Options", "nosniff"),
    ("Referrer-Policy", "no-referrer"),
    (
        "Content-Security-Policy",
        "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; \
         font-src 'self'; script-src 'self'; object-src 'none'; base-uri 'none'; \
         frame-ancestors 'none'",
    ),
    ("Cross-Origin-Resource-Policy", "same-origin"),
];

/// The bytes of an answer.
pub enum Body {
    /// No body.
    Empty,
    /// One buffer.
    Bytes(Vec<u8>),
    /// Bytes of the executable.
    Static(&'static [u8]),
    /// One gzip stream for all clients: sent as it is, or unpacked on the way.
    Packed {
        /// The stream.
        gzip: &'static [u8],
        /// How many bytes are packed in it.
        len: u64,
    },
    /// Shared buffers, sent one after the other without being joined.
    Slices(Vec<Arc<[u8]>>),
    /// Buffers that are made while they are sent.
    Made {
        /// The buffers.
        pieces: Box<dyn Iterator<Item = ResponseBytes> + Send>,
        /// Bytes of all of them. When they turn out otherwise the connection is cut.
        len: u64,
    },
    /// `len` bytes of an open file from `start`.
    File {
        /// The file, open for reading.
        file: File,
        /// Offset of the first byte.
        start: u64,
        /// How many bytes are sent. When the file turns out shorter the connection is cut.
        len: u64,
    },
}

impl Body {
    /// Length in bytes.
    pub fn len(&self) -> u64 {
        match self {
            Self::Empty => 0,
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::Static(bytes) => bytes.len() as u64,
            Self::Slices(slices) => slices.iter().map(|slice| slice.len() as u64).sum(),
            Self::Made { len, .. } | Self::Packed { len, .. } | Self::File { len, .. } => *len,
        }
    }
}

impl fmt::Debug for Body {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Body({} bytes)", self.len())
    }
}

/// Whether the transport may or need not compress.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coding {
    /// Sent as it is.
    Plain,
    /// Compressed when the client accepts gzip and the body has at least `limits::GZIP_BYTES`.
    Compressible,
    /// The body is a gzip stream already.
    Gzip,
}

/// One answer.
#[derive(Debug)]
pub struct Reply {
    /// The status code.
    pub status: u16,
    /// The `Content-Type`; none for an empty body.
    pub content_type: Option<Cow<'static, str>>,
    /// The `Cache-Control`; `no-store` unless a handler says otherwise.
    pub cache_control: Cow<'static, str>,
    /// Further headers.
    pub headers: Vec<(&'static str, Cow<'static, str>)>,
    /// What is sent after the head.
    pub body: Body,
    /// Whether the body is, or may be, compressed.
    pub coding: Coding,
}

impl Reply {
    /// An answer without a body.
    pub fn empty(status: u16) -> Self {
        Self {
            status,
            content_type: None,
            cache_control: Cow::Borrowed("no-store"),
            headers: Vec::new(),
            body: Body::Empty,
            coding: Coding::Plain,
        }
    }

    /// An answer of any type, not compressed.
    pub fn new(status: u16, content_type: impl Into<Cow<'static, str>>, body: Body) -> Self {
        Self { content_type: Some(content_type.into()), body, ..Self::empty(status) }
    }

    /// A JSON answer from its bytes; compressed when the client accepts it.
    pub fn json_bytes(status: u16, bytes: Vec<u8>) -> Self {
        Self::new(status, "application/json", Body::Bytes(bytes)).compressible()
    }

    /// A JSON answer from shared pieces that make one document when joined; compressed when the
    /// client accepts it.
    pub fn json_slices(status: u16, slices: Vec<Arc<[u8]>>) -> Self {
        Self::new(status, "application/json", Body::Slices(slices)).compressible()
    }

    /// A JSON answer of `len` bytes from pieces that are made while they are sent; never compressed.
    pub fn json_made(
        status: u16,
        len: u64,
        pieces: impl Iterator<Item = ResponseBytes> + Send + 'static,
    ) -> Self {
        let body = Body::Made { pieces: Box::new(pieces), len };
        Self::new(status, "application/json", body).compressible()
    }

    /// Adds a header. `Content-Length`, `Content-Encoding`, `Connection`, `Date` and `Vary` are
    /// the transport's and must not be given. Line breaks in the value become spaces, so a file
    /// name can never start a header of its own.
    pub fn header(mut self, name: &'static str, value: impl Into<Cow<'static, str>>) -> Self {
        let mut value = value.into();
        if value.contains(['\r', '\n', '\0']) {
            value = Cow::Owned(value.replace(['\r', '\n', '\0'], " "));
        }
        self.headers.push((name, value));
        self
    }

    /// Replaces `Cache-Control`.
    pub fn cached(mut self, cache_control: impl Into<Cow<'static, str>>) -> Self {
        self.cache_control = cache_control.into();
        self
    }

    /// Lets the transport compress the body.
    pub fn compressible(mut self) -> Self {
        self.coding = Coding::Compressible;
        self
    }

    /// Says that the body is a gzip stream already.
    pub fn gzipped(mut self) -> Self {
        self.coding = Coding::Gzip;
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_not_stored_and_may_be_compressed() {
        let reply = Reply::json_bytes(200, b"{}".to_vec());
        assert_eq!(reply.cache_control, "no-store");
        assert_eq!(reply.content_type.as_deref(), Some("application/json"));
        assert_eq!(reply.coding, Coding::Compressible);
    }

    #[test]
    fn header_values_stay_on_one_line() {
        let reply = Reply::empty(200).header("X-A", "one\r\nX-B: two");
        assert_eq!(reply.headers[0].1, "one  X-B: two");
    }

    #[test]
    fn slices_count_together() {
        let slices = vec![Arc::from(&b"ab"[..]), Arc::from(&b"cde"[..])];
        assert_eq!(Body::Slices(slices).len(), 5);
    }
}
