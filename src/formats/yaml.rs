//! YAML documents written by hand, as far as settings need it: texts, lists, mappings.
//!
//! Refuses everything that makes a small document a large value or a text something else: anchors
//! and aliases, tags, several documents, keys that stand twice, keys that are not texts. What is read
//! is bounded in bytes, depth and values, and reading takes no stack for depth.

use saphyr_parser::{Event, Parser, ScalarStyle};

/// Levels of lists and mappings in each other.
const DEPTH: usize = 16;
/// Values of a document.
const VALUES: usize = 10_000;

/// A value of a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Node {
    /// Nothing: an empty value, `~` or `null`.
    Null,
    /// A text. `is_plain` says that it stood without quotes, so that it may be a number or a flag.
    Scalar {
        /// As it is written, without quotes.
        text: String,
        /// Whether it stood without quotes.
        is_plain: bool,
    },
    /// A list.
    List(Vec<Node>),
    /// Keys and values in their order; keys are unique.
    Map(Vec<(String, Node)>),
}

/// Why bytes are not a document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum YamlError {
    #[error("it is larger than {0} bytes")]
    TooLarge(usize),
    #[error("it is not UTF-8")]
    NotText,
    #[error("it is not YAML: {0}")]
    Syntax(String),
    /// It holds nothing, or more than one document.
    #[error("it holds no document or several")]
    NotOne,
    /// It holds an anchor, an alias or a tag.
    #[error("it holds an anchor, an alias or a tag")]
    Reference,
    /// Lists and mappings are too deep in each other, or too many.
    #[error("it holds too many values")]
    TooMany,
    #[error("a key is not a text")]
    BadKey,
    #[error("the key {0:?} stands twice")]
    TwiceKey(String),
}

/// A list or mapping that is not complete yet.
enum Open {
    List(Vec<Node>),
    /// The pairs, and the key that waits for its value.
    Map(Vec<(String, Node)>, Option<String>),
}

/// Reads one document of at most `limit` bytes.
///
/// # Errors
/// [`YamlError`].
pub fn parse(bytes: &[u8], limit: usize) -> Result<Node, YamlError> {
    if bytes.len() > limit {
        return Err(YamlError::TooLarge(limit));
    }
    let text = std::str::from_utf8(bytes).map_err(|_| YamlError::NotText)?;
    let mut parser = Parser::new_from_str(text.strip_prefix('\u{feff}').unwrap_or(text));
    let mut open: Vec<Open> = Vec::new();
    let mut whole = None;
    let mut values = 0;
    while let Some(event) = parser.next_event() {
        let (event, _) = event.map_err(|error| YamlError::Syntax(error.to_string()))?;
        values += 1;
        if values > VALUES || open.len() > DEPTH {
            return Err(YamlError::TooMany);
        }
        let node = match event {
            Event::Alias(_)
            | Event::Scalar(_, _, 1.., _)
            | Event::Scalar(_, _, _, Some(_))
            | Event::SequenceStart(1.., _)
            | Event::SequenceStart(_, Some(_))
            | Event::MappingStart(1.., _)
            | Event::MappingStart(_, Some(_)) => return Err(YamlError::Reference),
            Event::Nothing
            | Event::StreamStart
            | Event::StreamEnd
            | Event::DocumentStart(_)
            | Event::DocumentEnd => continue,
            Event::SequenceStart(0, None) => {
                open.push(Open::List(Vec::new()));
                continue;
            }
            Event::MappingStart(0, None) => {
                open.push(Open::Map(Vec::new(), None));
                continue;
            }
            Event::Scalar(text, style, 0, None) => scalar(&text, style),
            Event::SequenceEnd | Event::MappingEnd => match open.pop() {
                Some(Open::List(items)) => Node::List(items),
                Some(Open::Map(pairs, None)) => Node::Map(pairs),
                Some(Open::Map(_, Some(_))) | None => return Err(YamlError::NotOne),
            },
        };
        put(node, &mut open, &mut whole)?;
    }
    whole.ok_or(YamlError::NotOne)
}

/// Puts a complete value where it belongs: into the innermost open one, or as the document.
fn put(node: Node, open: &mut [Open], whole: &mut Option<Node>) -> Result<(), YamlError> {
    match open.last_mut() {
        None if whole.is_some() => Err(YamlError::NotOne),
        None => {
            *whole = Some(node);
            Ok(())
        }
        Some(Open::List(items)) => {
            items.push(node);
            Ok(())
        }
        Some(Open::Map(pairs, waiting)) => match waiting.take() {
            Some(key) => {
                pairs.push((key, node));
                Ok(())
            }
            None => match node {
                Node::Scalar { text, .. } if pairs.iter().any(|(key, _)| *key == text) => {
                    Err(YamlError::TwiceKey(text))
                }
                Node::Scalar { text, .. } => {
                    *waiting = Some(text);
                    Ok(())
                }
                Node::Null | Node::List(_) | Node::Map(_) => Err(YamlError::BadKey),
            },
        },
    }
}

fn scalar(text: &str, style: ScalarStyle) -> Node {
    let is_plain = style == ScalarStyle::Plain;
    if is_plain && matches!(text, "" | "~" | "null" | "Null" | "NULL") {
        Node::Null
    } else {
        Node::Scalar { text: text.to_owned(), is_plain }
    }
}

impl Node {
    /// The text, also of a number or a flag.
    pub fn as_text(&self) -> Option<&str> {
        if let Self::Scalar { text, .. } = self { Some(text) } else { None }
    }

    /// The whole number that stands here without quotes.
    pub fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Scalar { text, is_plain: true } => text.parse().ok(),
            _ => None,
        }
    }

    /// The flag that stands here without quotes.
    pub fn as_flag(&self) -> Option<bool> {
        match self {
            Self::Scalar { text, is_plain: true } => match text.as_str() {
                "true" | "True" | "TRUE" => Some(true),
                "false" | "False" | "FALSE" => Some(false),
                _ => None,
            },
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use proptest::prelude::*;

    use super::*;

    fn text(text: &str, is_plain: bool) -> Node {
        Node::Scalar { text: text.to_owned(), is_plain }
    }

    #[track_caller]
    fn check(document: &str, expected: Result<Node, YamlError>) {
        assert_eq!(parse(document.as_bytes(), 1_000), expected, "{document}");
    }

    #[test]
    fn reads_what_people_write() {
        let map = |pairs: &[(&str, Node)]| {
            Node::Map(pairs.iter().map(|(key, node)| ((*key).to_owned(), node.clone())).collect())
        };
        check("a", Ok(text("a", true)));
        check("\u{feff}--- 'a b'\n", Ok(text("a b", false)));
        check("~", Ok(Node::Null));
        check("[a, '7', ~]", Ok(Node::List(vec![text("a", true), text("7", false), Node::Null])));
        check(
            "x:\n  - y\nz:\n",
            Ok(map(&[("x", Node::List(vec![text("y", true)])), ("z", Node::Null)])),
        );
        check("{a: {b: c}}", Ok(map(&[("a", map(&[("b", text("c", true))]))])));
    }

    #[test]
    fn refuses_what_is_more_than_values() {
        for document in ["a: &x 1", "&x [1]", "&x {a: 1}", "!!str 1", "!t [1]", "!t {a: 1}"] {
            check(document, Err(YamlError::Reference));
        }
        check("a: &x 1\nb: *x", Err(YamlError::Reference));
        check("a\n---\nb", Err(YamlError::NotOne));
        check("", Err(YamlError::NotOne));
        check("# nothing", Err(YamlError::NotOne));
        check("{a: 1, a: 2}", Err(YamlError::TwiceKey("a".to_owned())));
        check("{[1]: 2}", Err(YamlError::BadKey));
        check("? ~\n: 2", Err(YamlError::BadKey));
        assert_eq!(parse(&[0xff], 10), Err(YamlError::NotText));
        assert_eq!(parse(b"abc", 2), Err(YamlError::TooLarge(2)));
        assert!(matches!(parse(b"a: [", 10), Err(YamlError::Syntax(_))));
    }

    #[test]
    fn numbers_and_flags_stand_without_quotes() {
        assert_eq!(text("12", true).as_integer(), Some(12));
        assert_eq!(text("12", false).as_integer(), None);
        assert_eq!(text("true", true).as_flag(), Some(true));
        assert_eq!(text("yes", true).as_flag(), None);
        assert_eq!(text("true", false).as_flag(), None);
        assert_eq!(text("12", true).as_text(), Some("12"));
    }

    #[test]
    fn depth_and_number_of_values_are_bounded() {
        let deep = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
        assert!(parse(deep(DEPTH).as_bytes(), 1_000).is_ok());
        assert_eq!(parse(deep(DEPTH + 2).as_bytes(), 1_000), Err(YamlError::TooMany));
        let many = |count: usize| "- a\n".repeat(count);
        // The stream, the document and the list have a begin, and all but the list an end, too.
        assert!(parse(many(VALUES - 6).as_bytes(), 1 << 20).is_ok());
        assert_eq!(parse(many(VALUES).as_bytes(), 1 << 20), Err(YamlError::TooMany));
    }

    #[test]
    fn a_hostile_document_of_a_mebibyte_takes_no_time() {
        let limit = 1 << 20;
        for piece in [
            "[", "{", "- ", "? ", "a: ", "- - ", "'", "\"", "a", "#", "|\n ", "&a ", "%", "\n",
            "\t", ",",
        ] {
            let document = piece.repeat(limit / piece.len());
            let begun = Instant::now();
            drop(parse(document.as_bytes(), limit));
            assert!(begun.elapsed() < Duration::from_secs(5), "{piece:?}: {:?}", begun.elapsed());
        }
    }

    proptest! {
        #[test]
        fn no_bytes_stop_the_reading(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            drop(parse(&bytes, 400));
        }

        #[test]
        fn no_text_of_its_signs_stops_the_reading(text in "[-\\[\\]{}:,?&*!|>'\"#%@` \n\ta0~]{0,200}") {
            drop(parse(text.as_bytes(), 1_000));
        }
    }
}
