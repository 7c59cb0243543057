//! Random identifiers, always lower-case hex from the operating system's generator.

use std::fmt::Write as _;

/// `bytes` random bytes as lower-case hex (twice as many characters).
///
/// # Panics
/// When the operating system has no randomness to give, which Linux never lets happen after boot.
#[must_use]
pub fn random_hex(bytes: usize) -> String {
    let mut buffer = vec![0_u8; bytes];
    getrandom::fill(&mut buffer).expect("the operating system provides randomness");
    hex(&buffer)
}

/// Lower-case hex of `bytes`.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        // OK because writing to a String never fails.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_lower_case_and_padded() {
        assert_eq!(hex(&[0, 10, 255]), "000aff");
        assert_eq!(random_hex(16).len(), 32);
        assert_ne!(random_hex(16), random_hex(16));
    }
}
