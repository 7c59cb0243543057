//! Byte ranges of one representation.
//!
//! Serves one range; of a list it serves the first, which RFC 9110 allows.

/// What a `Range` header asks of a representation of a known size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Range {
    /// Everything: no header, or a unit other than bytes.
    Whole,
    /// `len` bytes from `start`, both within the size and not empty: 206.
    Part {
        /// Offset of the first byte.
        start: u64,
        /// Number of bytes, at least one.
        len: u64,
    },
    /// The header names bytes but is not a range.
    Malformed,
    /// The range lies outside, or ends before it starts: 416.
    Unsatisfiable,
}

/// Reads a `Range` header against a representation of `size` bytes.
pub fn parse_range(header: Option<&str>, size: u64) -> Range {
    let Some((unit, ranges)) = header.and_then(|header| header.split_once('=')) else {
        return if header.is_some() { Range::Malformed } else { Range::Whole };
    };
    if !unit.trim().eq_ignore_ascii_case("bytes") {
        return Range::Whole;
    }
    let first = ranges.split(',').next().unwrap_or("").trim();
    let Some((from, to)) = first.split_once('-') else { return Range::Malformed };
    match (offset(from), offset(to)) {
        (Bound::Absent, Bound::At(suffix)) => {
            let len = suffix.min(size);
            part(size - len, size.saturating_sub(1), size)
        }
        (Bound::At(start), Bound::Absent) => part(start, u64::MAX, size),
        (Bound::At(start), Bound::At(end)) => part(start, end, size),
        _ => Range::Malformed,
    }
}

/// The `Content-Range` of a 206.
pub fn content_range(start: u64, len: u64, size: u64) -> String {
    format!("bytes {start}-{}/{size}", (start + len).saturating_sub(1))
}

/// The `Content-Range` of a 416.
pub fn unsatisfied_range(size: u64) -> String {
    format!("bytes */{size}")
}

fn part(start: u64, end: u64, size: u64) -> Range {
    if start >= size || end < start {
        return Range::Unsatisfiable;
    }
    Range::Part { start, len: end.min(size - 1) - start + 1 }
}

enum Bound {
    Absent,
    At(u64),
    Garbage,
}

/// Digits only; a number too large for 64 bits is beyond every file.
fn offset(text: &str) -> Bound {
    let text = text.trim();
    if text.is_empty() {
        Bound::Absent
    } else if text.bytes().all(|byte| byte.is_ascii_digit()) {
        Bound::At(text.parse().unwrap_or(u64::MAX))
    } else {
        Bound::Garbage
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[track_caller]
    fn check(header: &str, size: u64, expected: Range) {
        assert_eq!(parse_range(Some(header), size), expected, "{header} of {size}");
    }

    #[test]
    fn serves_parts() {
        check("bytes=0-0", 10, Range::Part { start: 0, len: 1 });
        check("bytes=2-5", 10, Range::Part { start: 2, len: 4 });
        check("bytes=5-", 10, Range::Part { start: 5, len: 5 });
        check("bytes=-3", 10, Range::Part { start: 7, len: 3 });
        check("bytes=-30", 10, Range::Part { start: 0, len: 10 });
        check("bytes=9-99", 10, Range::Part { start: 9, len: 1 });
        check("bytes=0-18446744073709551615", 10, Range::Part { start: 0, len: 10 });
        check("Bytes = 1-2", 10, Range::Part { start: 1, len: 2 });
        check("bytes=1-2, 5-6", 10, Range::Part { start: 1, len: 2 });
    }

    #[test]
    fn refuses_what_lies_outside() {
        check("bytes=10-", 10, Range::Unsatisfiable);
        check("bytes=10-12", 10, Range::Unsatisfiable);
        check("bytes=5-4", 10, Range::Unsatisfiable);
        check("bytes=-0", 10, Range::Unsatisfiable);
        check("bytes=0-", 0, Range::Unsatisfiable);
        check("bytes=-1", 0, Range::Unsatisfiable);
        check("bytes=99999999999999999999-", 10, Range::Unsatisfiable);
    }

    #[test]
    fn tells_garbage_from_other_units() {
        for garbage in [
            "bytes",
            "bytes=",
            "bytes=-",
            "bytes=a-b",
            "bytes=1",
            "bytes=--1",
            "bytes=+1-2",
            "bytes=,1-2",
        ] {
            check(garbage, 10, Range::Malformed);
        }
        check("items=0-5", 10, Range::Whole);
        assert_eq!(parse_range(None, 10), Range::Whole);
    }

    #[test]
    fn writes_content_ranges() {
        assert_eq!(content_range(2, 4, 10), "bytes 2-5/10");
        assert_eq!(unsatisfied_range(10), "bytes */10");
    }

    proptest! {
        #[test]
        fn parts_lie_within_the_size(start in 0_u64..40, end in 0_u64..40, size in 0_u64..30) {
            if let Range::Part { start: first, len } = parse_range(Some(&format!("bytes={start}-{end}")), size) {
                prop_assert!(len > 0 && first + len <= size && first == start);
            }
        }

        #[test]
        fn no_header_panics(header in "\\PC*", size: u64) {
            let _ = parse_range(Some(&format!("bytes={header}")), size);
        }
    }
}
