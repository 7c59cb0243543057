//! The numbers of a version.

/// The three numbers of a version or tag such as `v1.2.3`; `None` when there is anything else, as in the
/// tags of versions that are not finished (`1.2.3-rc1`, `1.2.3+build`).
pub fn numbers(text: &str) -> Option<[u64; 3]> {
    let mut parts = shown(text).split('.');
    let mut next = || {
        let part = parts.next()?;
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        part.parse().ok().filter(|_| is_number)
    };
    let numbers = [next()?, next()?, next()?];
    parts.next().is_none().then_some(numbers)
}

/// A tag without the letter in front of its numbers.
pub fn shown(tag: &str) -> &str {
    let tag = tag.trim();
    let rest = tag.strip_prefix(['v', 'V']);
    rest.filter(|rest| rest.starts_with(|sign: char| sign.is_ascii_digit())).unwrap_or(tag)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_finished_versions_have_numbers() {
        for (text, expected) in [
            ("1.2.3", Some([1, 2, 3])),
            ("v10.0.2", Some([10, 0, 2])),
            (" V1.2.3 ", Some([1, 2, 3])),
            ("1.02.3", Some([1, 2, 3])),
            ("1.2", None),
            ("1.2.3.4", None),
            ("1.2.3-rc1", None),
            ("1.2.3+7", None),
            ("1.2.3 beta", None),
            ("1.2.-3", None),
            ("1.2.+3", None),
            ("vv1.2.3", None),
            ("99999999999999999999.0.0", None),
            ("", None),
            ("latest", None),
        ] {
            assert_eq!(numbers(text), expected, "{text}");
        }
        assert!(numbers("1.10.0") > numbers("1.9.9"));
        assert_eq!((shown("v1.2.3-rc1"), shown("very new")), ("1.2.3-rc1", "very new"));
    }
}
