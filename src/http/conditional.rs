//! Conditional requests: entity tags and modification times.
//!
//! Compares what the handler knows with what the client sent; never reads a file.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use super::request::Head;

/// Whether the client's copy is still good, so that the answer is 304: `If-None-Match` decides when
/// it is there, otherwise `If-Modified-Since` does, to the second. `etag` carries its quotes.
pub fn is_unchanged(head: &Head, etag: Option<&str>, modified: Option<SystemTime>) -> bool {
    let mut tags = head.headers.all("If-None-Match").peekable();
    if tags.peek().is_some() {
        return etag.is_some_and(|etag| tags.any(|list| list_matches(list, etag)));
    }
    match (head.header("If-Modified-Since").and_then(parse_date), modified) {
        (Some(since), Some(modified)) => whole_second(modified) <= since,
        _ => false,
    }
}

/// Whether a `Range` may be honoured: there is no `If-Range`, or it still describes the file.
pub fn is_range_valid(head: &Head, etag: Option<&str>, modified: Option<SystemTime>) -> bool {
    let Some(validator) = head.header("If-Range") else { return true };
    if validator.starts_with('"') {
        return etag == Some(validator);
    }
    match (parse_date(validator), modified) {
        (Some(date), Some(modified)) => whole_second(modified) == date,
        // A weak tag never vouches for bytes.
        _ => false,
    }
}

/// The `Last-Modified` form of a time: `Sun, 06 Nov 1994 08:49:37 GMT`. Times before 1970 clamp.
pub fn format_date(time: SystemTime) -> String {
    httpdate::fmt_http_date(time.max(UNIX_EPOCH))
}

/// Reads any of the three date forms of RFC 9110.
fn parse_date(text: &str) -> Option<SystemTime> {
    httpdate::parse_http_date(text).ok()
}

fn whole_second(time: SystemTime) -> SystemTime {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    UNIX_EPOCH + Duration::from_secs(since.as_secs())
}

/// Weak comparison against a comma list: `W/` is ignored on both sides, `*` matches anything. Tags
/// of this program hold no comma.
fn list_matches(list: &str, etag: &str) -> bool {
    let strong = |tag: &str| tag.trim().trim_start_matches("W/").to_owned();
    list.split(',').any(|tag| tag.trim() == "*" || strong(tag) == strong(etag))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;

    use super::*;
    use crate::http::request::{Headers, Method};

    fn head(pairs: &[(&str, &str)]) -> Head {
        let mut headers = Headers::default();
        for (name, value) in pairs {
            headers.push(name, value);
        }
        Head::new(Method::Get, "/".to_owned(), headers, SocketAddr::from(([127, 0, 0, 1], 9)))
    }

    fn modified() -> SystemTime {
        parse_date("Sun, 06 Nov 1994 08:49:37 GMT").expect("a date") + Duration::from_millis(700)
    }

    #[track_caller]
    fn check(pairs: &[(&str, &str)], expected: bool) {
        assert_eq!(
            is_unchanged(&head(pairs), Some("\"a-1\""), Some(modified())),
            expected,
            "{pairs:?}"
        );
    }

    #[test]
    fn matches_tags() {
        check(&[], false);
        check(&[("If-None-Match", "\"a-1\"")], true);
        check(&[("If-None-Match", "\"x\", W/\"a-1\" , \"y\"")], true);
        check(&[("If-None-Match", "*")], true);
        check(&[("If-None-Match", "\"x\""), ("If-None-Match", "\"a-1\"")], true);
        check(&[("If-None-Match", "\"a-11\", a-1")], false);
        assert!(!is_unchanged(&head(&[("If-None-Match", "*")]), None, None));
    }

    #[test]
    fn matches_dates_to_the_second() {
        check(&[("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT")], true);
        check(&[("If-Modified-Since", "Sunday, 06-Nov-94 08:49:38 GMT")], true);
        check(&[("If-Modified-Since", "Sun Nov  6 08:49:36 1994")], false);
        check(&[("If-Modified-Since", "yesterday")], false);
    }

    #[test]
    fn a_tag_outranks_a_date() {
        let date = ("If-Modified-Since", "Sun, 06 Nov 1994 08:49:37 GMT");
        check(&[("If-None-Match", "\"x\""), date], false);
    }

    #[test]
    fn ranges_need_a_strong_match() {
        let valid = |value: &str| {
            is_range_valid(&head(&[("If-Range", value)]), Some("\"a-1\""), Some(modified()))
        };
        assert!(valid("\"a-1\""));
        assert!(valid("Sun, 06 Nov 1994 08:49:37 GMT"));
        assert!(!valid("W/\"a-1\""));
        assert!(!valid("\"a-2\""));
        assert!(!valid("Sun, 06 Nov 1994 08:49:38 GMT"));
        assert!(is_range_valid(&head(&[]), None, None));
    }

    #[test]
    fn formats_dates() {
        assert_eq!(format_date(modified()), "Sun, 06 Nov 1994 08:49:37 GMT");
        assert_eq!(
            format_date(UNIX_EPOCH - Duration::from_secs(1)),
            "Thu, 01 Jan 1970 00:00:00 GMT"
        );
    }
}
