//! A PIN as it is stored: `pbkdf2-sha256$<iterations>$<salt>$<digest>`, salt and digest in the URL-safe
//! alphabet of base 64 without padding.

use base64::{Engine as _, engine::general_purpose::URL_SAFE_NO_PAD};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;
use subtle::ConstantTimeEq as _;

use crate::base::ids;

/// How many digits a PIN has at least and at most.
pub const DIGITS: (usize, usize) = (4, 12);
const SCHEME: &str = "pbkdf2-sha256";
/// Iterations of a new hash, and those that are accepted in a stored one.
const ITERATIONS: u32 = 120_000;
const ACCEPTED: std::ops::RangeInclusive<u32> = 50_000..=500_000;
const SALT_BYTES: usize = 16;
/// The largest salt that is accepted in a stored hash.
const MOST_SALT_BYTES: usize = 64;
const DIGEST_BYTES: usize = 32;

/// Whether a text is a PIN: 4 to 12 ASCII digits.
pub fn is_pin(text: &str) -> bool {
    (DIGITS.0..=DIGITS.1).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// The hash of a PIN with a new random salt.
///
/// # Panics
/// As [`ids::random_hex`].
pub fn hash(pin: &str) -> String {
    let salt = ids::random_url_safe(SALT_BYTES);
    // OK because the salt was written in this alphabet just now.
    let bytes = URL_SAFE_NO_PAD.decode(&salt).unwrap_or_default();
    let digest = URL_SAFE_NO_PAD.encode(derive(pin, &bytes, ITERATIONS));
    format!("{SCHEME}${ITERATIONS}${salt}${digest}")
}

/// Whether a PIN is the one of a stored hash; a hash of another form fits no PIN. Takes the same time
/// wherever two digests differ.
pub fn matches(stored: &str, pin: &str) -> bool {
    let Some((iterations, salt, digest)) = parse(stored) else { return false };
    derive(pin, &salt, iterations).ct_eq(&digest).into()
}

fn parse(stored: &str) -> Option<(u32, Vec<u8>, [u8; DIGEST_BYTES])> {
    let mut parts = stored.split('$');
    let (scheme, iterations) = (parts.next()?, parts.next()?);
    let (salt, digest) = (parts.next()?, parts.next()?);
    let iterations: u32 = iterations.parse().ok().filter(|count| ACCEPTED.contains(count))?;
    let salt = URL_SAFE_NO_PAD.decode(salt).ok()?;
    let digest = URL_SAFE_NO_PAD.decode(digest).ok()?.try_into().ok()?;
    let is_whole = scheme == SCHEME && parts.next().is_none();
    let is_salted = (1..=MOST_SALT_BYTES).contains(&salt.len());
    (is_whole && is_salted).then_some((iterations, salt, digest))
}

/// PBKDF2 with HMAC-SHA256 (RFC 8018), whose digest is one block long.
fn derive(pin: &str, salt: &[u8], iterations: u32) -> [u8; DIGEST_BYTES] {
    let keyed = Hmac::<Sha256>::new_from_slice(pin.as_bytes()).expect("a key may have any length");
    let mut mac = keyed.clone();
    mac.update(salt);
    mac.update(&1_u32.to_be_bytes());
    let mut block: [u8; DIGEST_BYTES] = mac.finalize().into_bytes().into();
    let mut digest = block;
    for _ in 1..iterations {
        let mut mac = keyed.clone();
        mac.update(&block);
        block = mac.finalize().into_bytes().into();
        for (sum, byte) in digest.iter_mut().zip(block) {
            *sum ^= byte;
        }
    }
    digest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pin_is_four_to_twelve_digits() {
        for good in ["0000", "123456789012"] {
            assert!(is_pin(good), "{good}");
        }
        for bad in ["", "123", "1234567890123", "12a4", " 1234", "١٢٣٤"] {
            assert!(!is_pin(bad), "{bad}");
        }
    }

    /// Vectors made with the `hashlib` of Python.
    #[test]
    fn derives_as_others_do() {
        let derived = |pin: &str, salt: &[u8], count| ids::hex(&derive(pin, salt, count));
        assert_eq!(
            derived("password", b"salt", 1),
            "120fb6cffcf8b32c43e7225256c4f837a86548c92ccc35480805987cb70be17b"
        );
        assert_eq!(
            derived("password", b"salt", 4_096),
            "c5e478d59288c841aa530db6845c4c8d962893a001ce4e11a4963873aa98134a"
        );
    }

    #[test]
    fn a_stored_hash_fits_its_pin_only() {
        let stored = hash("4711");
        let parts: Vec<&str> = stored.split('$').collect();
        assert_eq!(
            (parts[0], parts[1], parts[2].len(), parts[3].len()),
            (SCHEME, "120000", 22, 43)
        );
        assert!(matches(&stored, "4711"));
        assert!(!matches(&stored, "4712"));
        let foreign = "pbkdf2-sha256$50000$c2FsdHNhbHRzYWx0c2FsdA$gWXnNmmqsRoDNn7JQoJIyND5eyCilJ_NLIK5AdIFOQU";
        assert!(matches(foreign, "1234"));
    }

    #[test]
    fn a_hash_of_another_form_fits_nothing() {
        let stored = hash("4711");
        let [scheme, _, salt, digest] = stored.split('$').collect::<Vec<_>>()[..] else {
            panic!("four parts");
        };
        for bad in [
            String::new(),
            "4711".to_owned(),
            format!("sha256$120000${salt}${digest}"),
            format!("{scheme}$49999${salt}${digest}"),
            format!("{scheme}$500001${salt}${digest}"),
            format!("{scheme}$120000$${digest}"),
            format!("{scheme}$120000${salt}$AAAA"),
            format!("{stored}$x"),
            format!("{scheme}$120000${salt}${digest}="),
        ] {
            assert!(!matches(&bad, "4711"), "{bad}");
        }
    }
}
