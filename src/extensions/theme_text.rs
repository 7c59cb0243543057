//! Reads the text of a style sheet: whether it loads others from elsewhere, and its page colour.
//!
//! Comments and escapes are resolved first, as a browser does, so that no spelling hides an address.

use std::ops::Range;

/// The text as a browser reads it.
struct Read {
    text: Vec<char>,
    /// The strings in it, without their quotes.
    strings: Vec<Range<usize>>,
}

/// Whether it imports a style sheet from an address that has a scheme or a host.
pub fn imports_from_elsewhere(css: &str) -> bool {
    let read = read(css);
    let folded: Vec<char> = read.text.iter().map(char::to_ascii_lowercase).collect();
    let rule: Vec<char> = "@import".chars().collect();
    let starts = folded.windows(rule.len()).enumerate().filter(|(_, part)| **part == rule[..]);
    let is_in_string = |at: usize| read.strings.iter().any(|range| range.contains(&at));
    starts.filter(|(at, _)| !is_in_string(*at)).any(|(at, _)| {
        let target = target(&folded, at + rule.len(), &read.strings);
        target.contains(':') || target.starts_with("//")
    })
}

/// The address behind `@import`: a string, or what is in the brackets of `url()`. A backslash counts as the
/// slash that browsers make of it.
fn target(text: &[char], from: usize, strings: &[Range<usize>]) -> String {
    let rest = &text[from..];
    let end = |sign: char| rest.iter().position(|each| *each == sign).unwrap_or(rest.len());
    let rule_end = from + end(';');
    let string = strings.iter().find(|range| (from..=rule_end).contains(&range.start));
    let inner = match string {
        Some(range) => &text[range.clone()],
        None => &rest[end('(').min(end(';'))..end(')').min(end(';'))],
    };
    let shown = inner.iter().filter(|sign| !sign.is_whitespace() && !sign.is_control());
    let target: String = shown.map(|sign| if *sign == '\\' { '/' } else { *sign }).collect();
    target.trim_start_matches('(').to_owned()
}

/// The colour that it gives the page (`--bg`), as `#rrggbb` in lower case.
pub fn page_colour(css: &str) -> Option<String> {
    let text: String = read(css).text.into_iter().collect();
    let mut rest = text.as_str();
    while let Some(at) = rest.find("--bg") {
        rest = &rest[at + "--bg".len()..];
        let Some(value) = rest.trim_start().strip_prefix(':') else { continue };
        let Some(digits) = value.trim_start().strip_prefix('#') else { continue };
        let digits: String = digits.chars().take_while(char::is_ascii_hexdigit).collect();
        let digits = digits.to_ascii_lowercase();
        match digits.len() {
            3 | 4 => {
                let wide = digits[..3].chars().flat_map(|digit| [digit, digit]);
                return Some(format!("#{}", wide.collect::<String>()));
            }
            6 | 8 => return Some(format!("#{}", &digits[..6])),
            _ => {}
        }
    }
    None
}

fn read(css: &str) -> Read {
    let signs: Vec<char> = css.chars().collect();
    let mut read = Read { text: Vec::with_capacity(signs.len()), strings: Vec::new() };
    let mut open: Option<(char, usize)> = None;
    let mut at = 0;
    while let Some(&sign) = signs.get(at) {
        let next = signs.get(at + 1).copied();
        match (open, sign) {
            (_, '\\') => {
                let (length, sign) = escaped(&signs[at + 1..]);
                read.text.extend(sign);
                at += length;
            }
            (None, '/') if next == Some('*') => {
                let body = &signs[at + 2..];
                let end = body.windows(2).position(|pair| *pair == ['*', '/']);
                at += end.map_or(signs.len(), |end| end + 3);
            }
            (None, '"' | '\'') => {
                read.text.push(sign);
                open = Some((sign, read.text.len()));
            }
            // A line ends a string that was not closed.
            (Some((quote, start)), sign) if sign == quote || sign == '\n' => {
                read.strings.push(start..read.text.len());
                read.text.push(sign);
                open = None;
            }
            (_, sign) => read.text.push(sign),
        }
        at += 1;
    }
    if let Some((_, start)) = open {
        read.strings.push(start..read.text.len());
    }
    read
}

/// How many characters behind a backslash belong to it, and what they stand for.
fn escaped(rest: &[char]) -> (usize, Option<char>) {
    let digits: String = rest.iter().take(6).take_while(|sign| sign.is_ascii_hexdigit()).collect();
    if digits.is_empty() {
        return match rest.first() {
            None => (0, None),
            Some('\n') => (1, None),
            Some(sign) => (1, Some(*sign)),
        };
    }
    let number = u32::from_str_radix(&digits, 16).ok().and_then(char::from_u32);
    let space = rest.get(digits.len()).is_some_and(|sign| sign.is_whitespace());
    (digits.len() + usize::from(space), Some(number.unwrap_or('\u{fffd}')))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn addresses_elsewhere_are_found_in_every_spelling() {
        for css in [
            "@import \"http://example.org/x.css\";",
            "@import 'https://example.org/x.css' screen;",
            "a{}\n@IMPORT url(https://example.org/x.css);",
            "@import url( '//example.org/x.css' );",
            "@import url(\"\\68ttps://example.org\");",
            "@\\69mport \"http://example.org\";",
            "@\\000069 mport \"http://example.org\";",
            "@im/**/port \"local.css\"; @import/* x */\"http://example.org\"",
            "@import \"\\\\\\\\example.org/x.css\";",
            "@import url(ht\ttp://example.org/x.css)",
            "@import url(data:text/css;base64,AAAA);",
            "@import \"ftp://example.org/x\"",
            "@import url(//example.org",
        ] {
            assert!(imports_from_elsewhere(css), "{css}");
        }
        for css in [
            "",
            "@import \"other.css\";",
            "@import url(other.css) (min-width: 30em);",
            "@import 'other.css' screen and (color: 1); a { background: url(https://example.org) }",
            "/* @import \"http://example.org\"; */ a { color: red }",
            "a::before { content: \"@import 'http://example.org'\" }",
            "a { --x: http://example.org }",
        ] {
            assert!(!imports_from_elsewhere(css), "{css}");
        }
    }

    #[test]
    fn the_page_has_the_first_plain_colour() {
        for (css, colour) in [
            (":root { --bg: #0A1b2C; } a { --bg: #ffffff }", Some("#0a1b2c")),
            (":root{--bg-side:#111111;--bg:#abc}", Some("#aabbcc")),
            (":root{--bg : #11223344}", Some("#112233")),
            ("/* --bg: #000000 */ :root { --bg: var(--x); --bg: #123456 }", Some("#123456")),
            (":root { --bg: red }", None),
            (":root { --bg: #12 }", None),
            ("", None),
        ] {
            assert_eq!(page_colour(css).as_deref(), colour, "{css}");
        }
    }

    proptest! {
        #[test]
        fn any_text_is_read(css in "[@\\\\/*'\"();:#a-f0-9 \n-]{0,80}") {
            let colour = page_colour(&css);
            prop_assert!(colour.is_none_or(|colour| colour.len() == 7));
            prop_assert!(!imports_from_elsewhere(&css) || css.contains('@') || css.contains('\\'));
        }
    }
}
