//! The signature of a delivery: HMAC-SHA256 over the timestamp, a full stop and the exact body.

use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use crate::base::ids;

/// The value of `X-Service-Signature`: `sha256=` and 64 lower-case hex digits.
///
/// # Panics
/// Never: the key of an HMAC may have any length.
pub fn sign(secret: &str, timestamp: &str, body: &[u8]) -> String {
    let mut mac =
        Hmac::<Sha256>::new_from_slice(secret.as_bytes()).expect("a key may have any length");
    mac.update(timestamp.as_bytes());
    mac.update(b".");
    mac.update(body);
    format!("sha256={}", ids::hex(&mac.finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Vectors made with `openssl dgst -sha256 -hmac`.
    #[test]
    fn signs_as_others_do() {
        for (secret, timestamp, body, expected) in [
            (
                "12345678",
                "2023-11-14T22:13:20.000000+00:00",
                r#"{"id":"evt-1"}"#,
                "6f144ee2ac9dfe8955d4b8f69764acd7ddbaca05e66e1b81a7da31b0b72c684f",
            ),
            (
                "größe und mehr",
                "t",
                "{}",
                "36c916ac910c8ba24b666c7e355a7daf6293a65616eca99a3cde9b2b0b48ddc2",
            ),
            (
                "kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk",
                "",
                "",
                "e9aefb72560beefb279d75bff0b3386a7bce9e9b4a46bbaf4866857bc3d3763b",
            ),
        ] {
            assert_eq!(sign(secret, timestamp, body.as_bytes()), format!("sha256={expected}"));
        }
    }

    #[test]
    fn every_part_counts() {
        let signature = sign("a secret", "t", b"body");
        assert_ne!(signature, sign("A secret", "t", b"body"));
        assert_ne!(signature, sign("a secret", "u", b"body"));
        assert_ne!(signature, sign("a secret", "t", b"body "));
        assert_eq!(signature.len(), 71);
    }
}
