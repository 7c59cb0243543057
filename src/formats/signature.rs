//! The signature next to a published file: JSON with an Ed25519 signature over the SHA-256 of it.
//!
//! Everything that could make a signature fit by accident is refused: another algorithm, the name
//! of another file, keys of small order, non-canonical encodings of a point.

use base64::{Engine as _, engine::general_purpose::STANDARD};
use ring::signature::{ED25519, UnparsedPublicKey};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};

/// Bytes of a key.
pub const KEY_BYTES: usize = 32;

/// A key that may sign releases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicKey([u8; KEY_BYTES]);

/// Why bytes are not a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the key does not have {KEY_BYTES} bytes")]
    Length,
    /// They stand for a key that was not made yet.
    #[error("the key is a placeholder")]
    Placeholder,
    /// They are not a point that can sign: not spelled as a point is, or of small order.
    #[error("the key is not a usable point")]
    Unusable,
}

/// Why a file is not what was signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SignatureError {
    #[error("the signature cannot be read")]
    Malformed,
    #[error("the signature is of an unknown algorithm")]
    Algorithm,
    #[error("the signature belongs to another file")]
    Artifact,
    #[error("the signature belongs to other bytes")]
    Digest,
    #[error("the signature was not made with the release key")]
    Forged,
}

#[derive(Deserialize)]
struct Envelope {
    algorithm: String,
    artifact: String,
    digest_algorithm: String,
    digest: String,
    signature: String,
}

/// The prime of the field, little-endian: 2^255 - 19.
const PRIME: [u8; KEY_BYTES] = {
    let mut prime = [0xff; KEY_BYTES];
    prime[0] = 0xed;
    prime[KEY_BYTES - 1] = 0x7f;
    prime
};

/// Two of the coordinates that points of order eight have; the third is zero, the others one and
/// minus one.
const ORDER_EIGHT: [[u8; KEY_BYTES]; 2] = [
    [
        0x26, 0xe8, 0x95, 0x8f, 0xc2, 0xb2, 0x27, 0xb0, 0x45, 0xc3, 0xf4, 0x89, 0xf2, 0xef, 0x98,
        0xf0, 0xd5, 0xdf, 0xac, 0x05, 0xd3, 0xc6, 0x33, 0x39, 0xb1, 0x38, 0x02, 0x88, 0x6d, 0x53,
        0xfc, 0x05,
    ],
    [
        0xc7, 0x17, 0x6a, 0x70, 0x3d, 0x4d, 0xd8, 0x4f, 0xba, 0x3c, 0x0b, 0x76, 0x0d, 0x10, 0x67,
        0x0f, 0x2a, 0x20, 0x53, 0xfa, 0x2c, 0x39, 0xcc, 0xc6, 0x4e, 0xc7, 0xfd, 0x77, 0x92, 0xac,
        0x03, 0x7a,
    ],
];

impl PublicKey {
    /// Takes the 32 bytes of a key.
    ///
    /// # Errors
    /// [`KeyError`].
    pub fn read(bytes: &[u8]) -> Result<Self, KeyError> {
        let key: [u8; KEY_BYTES] = bytes.try_into().map_err(|_| KeyError::Length)?;
        if key == [0; KEY_BYTES] {
            return Err(KeyError::Placeholder);
        }
        let mut coordinate = key;
        coordinate[KEY_BYTES - 1] &= 0x7f;
        let is_below_prime = coordinate.iter().rev().lt(PRIME.iter().rev());
        if is_below_prime && !is_of_small_order(&coordinate) {
            Ok(Self(key))
        } else {
            Err(KeyError::Unusable)
        }
    }

    /// Checks a published file against the signature next to it.
    ///
    /// # Errors
    /// [`SignatureError`].
    pub fn verify(
        &self,
        signature: &[u8],
        artifact: &str,
        content: &[u8],
    ) -> Result<(), SignatureError> {
        self.verify_digest(signature, artifact, &Sha256::digest(content).into())
    }

    /// As [`PublicKey::verify`], for a file of which only the SHA-256 is known.
    ///
    /// # Errors
    /// [`SignatureError`].
    pub fn verify_digest(
        &self,
        signature: &[u8],
        artifact: &str,
        digest: &[u8; 32],
    ) -> Result<(), SignatureError> {
        let envelope: Envelope =
            serde_json::from_slice(signature).map_err(|_| SignatureError::Malformed)?;
        if envelope.algorithm != "ed25519" || envelope.digest_algorithm != "sha256" {
            return Err(SignatureError::Algorithm);
        }
        if envelope.artifact != artifact {
            return Err(SignatureError::Artifact);
        }
        if envelope.digest != crate::base::ids::hex(digest) {
            return Err(SignatureError::Digest);
        }
        let bytes = STANDARD.decode(&envelope.signature).map_err(|_| SignatureError::Malformed)?;
        // The library refuses signatures whose second half is not below the order of the group.
        let key = UnparsedPublicKey::new(&ED25519, self.0);
        key.verify(digest, &bytes).map_err(|_| SignatureError::Forged)
    }
}

/// Whether a coordinate is one of a point that signs anything: 0, 1, -1 and those of order eight.
fn is_of_small_order(coordinate: &[u8; KEY_BYTES]) -> bool {
    let mut one = [0; KEY_BYTES];
    one[0] = 1;
    let mut minus_one = PRIME;
    minus_one[0] -= 1;
    let known = [[0; KEY_BYTES], one, minus_one];
    known.contains(coordinate) || ORDER_EIGHT.contains(coordinate)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ring::signature::{Ed25519KeyPair, KeyPair as _};
    use serde_json::{Value, json};

    use super::*;

    const NAME: &str = "community-defs.tar.gz";

    fn pair() -> Ed25519KeyPair {
        Ed25519KeyPair::from_seed_unchecked(&[7; 32]).expect("a seed")
    }

    fn key() -> PublicKey {
        PublicKey::read(pair().public_key().as_ref()).expect("a key")
    }

    fn signed(content: &[u8]) -> Value {
        let digest = Sha256::digest(content);
        json!({
            "algorithm": "ed25519", "artifact": NAME, "digest_algorithm": "sha256",
            "digest": crate::base::ids::hex(&digest),
            "signature": STANDARD.encode(pair().sign(&digest)),
        })
    }

    fn verified(envelope: &Value, content: &[u8]) -> Result<(), SignatureError> {
        key().verify(envelope.to_string().as_bytes(), NAME, content)
    }

    #[test]
    fn what_was_signed_is_accepted_and_nothing_else() {
        let good = signed(b"content");
        assert_eq!(verified(&good, b"content"), Ok(()));
        let other = |key: &str, value: Value| {
            let mut envelope = good.clone();
            envelope[key] = value;
            verified(&envelope, b"content")
        };
        assert_eq!(other("algorithm", json!("rsa")), Err(SignatureError::Algorithm));
        assert_eq!(other("digest_algorithm", json!("md5")), Err(SignatureError::Algorithm));
        assert_eq!(other("artifact", json!("other.tar.gz")), Err(SignatureError::Artifact));
        assert_eq!(other("digest", json!("00")), Err(SignatureError::Digest));
        assert_eq!(verified(&good, b"Content"), Err(SignatureError::Digest));
        assert_eq!(other("signature", json!("!")), Err(SignatureError::Malformed));
        assert_eq!(other("signature", json!("")), Err(SignatureError::Forged));
        assert_eq!(other("signature", Value::Null), Err(SignatureError::Malformed));
        let of_other = signed(b"other")["signature"].clone();
        assert_eq!(other("signature", of_other), Err(SignatureError::Forged));
        assert_eq!(key().verify(b"{", NAME, b"content"), Err(SignatureError::Malformed));
        let stranger = Ed25519KeyPair::from_seed_unchecked(&[8; 32]).expect("a seed");
        let stranger = PublicKey::read(stranger.public_key().as_ref()).expect("a key");
        let text = good.to_string();
        let refused = stranger.verify(text.as_bytes(), NAME, b"content");
        assert_eq!(refused, Err(SignatureError::Forged));
    }

    #[test]
    fn a_second_half_above_the_order_is_refused() {
        // The order of the group, little-endian; adding it spells the same number again.
        let order = [
            0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9,
            0xde, 0x14, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10_u8,
        ];
        let mut envelope = signed(b"content");
        let text = envelope["signature"].as_str().expect("text").to_owned();
        let mut bytes = STANDARD.decode(text).expect("base64");
        let mut carry = 0_u16;
        for (byte, add) in bytes[32..].iter_mut().zip(order) {
            let sum = u16::from(*byte) + u16::from(add) + carry;
            *byte = sum.to_le_bytes()[0];
            carry = sum >> 8;
        }
        envelope["signature"] = STANDARD.encode(bytes).into();
        assert_eq!(verified(&envelope, b"content"), Err(SignatureError::Forged));
    }

    #[test]
    fn keys_that_sign_anything_are_refused() {
        let of = |first: u8, last: u8| {
            let mut key = [0; KEY_BYTES];
            (key[0], key[KEY_BYTES - 1]) = (first, last);
            key
        };
        assert_eq!(PublicKey::read(&[]), Err(KeyError::Length));
        assert_eq!(PublicKey::read(&[1; 33]), Err(KeyError::Length));
        assert_eq!(PublicKey::read(&of(0, 0)), Err(KeyError::Placeholder));
        let mut minus_one = PRIME;
        minus_one[0] = 0xec;
        let mut above = PRIME;
        above[0] = 0xf0;
        for bad in [of(0, 0x80), of(1, 0), of(1, 0x80), minus_one, PRIME, above, [0xff; 32]] {
            assert_eq!(PublicKey::read(&bad), Err(KeyError::Unusable), "{bad:x?}");
        }
        for mut bad in ORDER_EIGHT {
            assert_eq!(PublicKey::read(&bad), Err(KeyError::Unusable));
            bad[KEY_BYTES - 1] |= 0x80;
            assert_eq!(PublicKey::read(&bad), Err(KeyError::Unusable));
        }
    }

    proptest! {
        #[test]
        fn any_bytes_are_refused(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(key().verify(&bytes, NAME, b"content").is_err());
        }

        #[test]
        fn a_changed_bit_is_refused(at in 0_usize..512) {
            let mut envelope = signed(b"content");
            let text = envelope["signature"].as_str().expect("text").to_owned();
            let mut bytes = STANDARD.decode(text).expect("base64");
            bytes[at / 8] ^= 1 << (at % 8);
            envelope["signature"] = STANDARD.encode(bytes).into();
            prop_assert_eq!(verified(&envelope, b"content"), Err(SignatureError::Forged));
        }
    }
}
