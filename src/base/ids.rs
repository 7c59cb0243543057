//! Random identifiers from the operating system's generator: lower-case hex, or the denser URL-safe
//! alphabet where the API requires that.

use std::fmt::Write as _;

/// `bytes` random bytes as lower-case hex (twice as many characters).
///
/// # Panics
/// When the operating system has no randomness to give, which Linux never lets happen after boot.
pub fn random_hex(bytes: usize) -> String {
    let mut buffer = vec![0_u8; bytes];
    getrandom::fill(&mut buffer).expect("the operating system provides randomness");
    hex(&buffer)
}

/// `N` random bytes.
///
/// # Panics
/// As [`random_hex`].
pub fn random<const N: usize>() -> [u8; N] {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).expect("the operating system provides randomness");
    bytes
}

/// A random UUID (version 4), lower-case with dashes.
///
/// # Panics
/// As [`random_hex`].
pub fn random_uuid() -> String {
    let mut bytes: [u8; 16] = random();
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let text = hex(&bytes);
    format!("{}-{}-{}-{}-{}", &text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..])
}

/// `bytes` random bytes in the URL-safe alphabet of base 64 without padding (8 bytes are 11
/// characters).
///
/// # Panics
/// As [`random_hex`].
pub fn random_url_safe(bytes: usize) -> String {
    let mut buffer = vec![0_u8; bytes];
    getrandom::fill(&mut buffer).expect("the operating system provides randomness");
    url_safe(&buffer)
}

fn url_safe(bytes: &[u8]) -> String {
    const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits = three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        let bits = bits << (8 * (3 - three.len()));
        for place in 0..=three.len() {
            let index = bits >> (18 - 6 * place) & 63;
            text.push(char::from(ALPHABET[index as usize]));
        }
    }
    text
}

/// Lower-case hex of `bytes`.
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // OK because writing to a String never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The bytes of exactly `2 * N` hex digits of either case.
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    bytes_from_hex(text)?.try_into().ok()
}

/// The bytes of any even number of hex digits of either case.
pub fn bytes_from_hex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    if !digits.len().is_multiple_of(2) {
        return None;
    }
    let digit = |digit: u8| char::from(digit).to_digit(16);
    let pair = |two: &[u8]| u8::try_from(digit(two[0])? * 16 + digit(two[1])?).ok();
    digits.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read_back_and_nothing_else_is() {
        let bytes = [0x00, 0x7f, 0xff];
        assert_eq!(from_hex(&hex(&bytes)), Some(bytes));
        assert_eq!(from_hex("007FFF"), Some(bytes));
        for text in ["", "007ff", "007fff0", "00 7ff", "+07fff", "007ff\u{e9}"] {
            assert_eq!(from_hex::<3>(text), None, "{text}");
        }
    }

    #[test]
    fn the_url_safe_alphabet_is_that_of_base_64() {
        for (bytes, text) in [
            (&b""[..], ""),
            (b"f", "Zg"),
            (b"fo", "Zm8"),
            (b"foo", "Zm9v"),
            (b"foobar", "Zm9vYmFy"),
            (&[0xfb, 0xff, 0xfe], "-__-"),
        ] {
            assert_eq!(url_safe(bytes), text);
        }
        assert_eq!(random_url_safe(8).len(), 11);
    }

    #[test]
    fn a_uuid_says_that_it_is_random() {
        let uuid = random_uuid();
        let parts: Vec<usize> = uuid.split('-').map(str::len).collect();
        assert_eq!((parts, &uuid[14..15]), (vec![8, 4, 4, 4, 12], "4"));
        assert!(matches!(&uuid[19..20], "8" | "9" | "a" | "b"), "{uuid}");
    }

    #[test]
    fn hex_is_lower_case_and_padded() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
        assert_eq!(random_hex(16).len(), 32);
        assert_ne!(random_hex(16), random_hex(16));
    }
}
