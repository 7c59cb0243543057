//! Text key-values files of a game store: `"key" "value"` pairs and `"key" { ... }` blocks.
//!
//! The reader walks over the text once and reports pairs and blocks with the keys they lie in. It
//! forgives what it does not know: conditions in brackets, a missing brace at the end, words
//! without quotes.

use super::sheet_text;

/// Blocks nested deeper than this are read as if they were not nested; no real file comes near.
const DEPTH: usize = 64;

/// What stands in a file, in its order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Item {
    /// A key with its value.
    Pair {
        /// Blocks around it.
        depth: usize,
        /// The key as written.
        key: String,
        /// The value, escapes resolved.
        value: String,
    },
    /// A key with a block behind it.
    Block {
        /// Blocks around it.
        depth: usize,
        /// The key as written.
        key: String,
    },
}

enum Token {
    Text(String),
    Open,
    Close,
}

/// Every pair and block of a file.
pub fn parse(bytes: &[u8]) -> Vec<Item> {
    let text = sheet_text::decode(bytes);
    let mut items = Vec::new();
    let mut depth = 0_usize;
    let mut key: Option<String> = None;
    for token in (Tokens { rest: &text }) {
        match (token, key.take()) {
            (Token::Text(text), None) => key = Some(text),
            (Token::Text(value), Some(key)) => items.push(Item::Pair { depth, key, value }),
            (Token::Open, named) => {
                items.extend(named.map(|key| Item::Block { depth, key }));
                depth = (depth + 1).min(DEPTH);
            }
            (Token::Close, _) => depth = depth.saturating_sub(1),
        }
    }
    items
}

/// The value of the first pair with this key, in any case.
pub fn value<'a>(items: &'a [Item], wanted: &str) -> Option<&'a str> {
    values(items, wanted).next()
}

/// The values of all pairs with this key, in any case.
pub fn values<'a>(items: &'a [Item], wanted: &str) -> impl Iterator<Item = &'a str> {
    items.iter().filter_map(move |item| match item {
        Item::Pair { key, value, .. } if key.eq_ignore_ascii_case(wanted) => Some(value.as_str()),
        Item::Pair { .. } | Item::Block { .. } => None,
    })
}

struct Tokens<'a> {
    rest: &'a str,
}

impl Iterator for Tokens<'_> {
    type Item = Token;

    fn next(&mut self) -> Option<Token> {
        loop {
            self.rest = self.rest.trim_start();
            let first = self.rest.chars().next()?;
            match first {
                '{' => return self.step(Token::Open),
                '}' => return self.step(Token::Close),
                '"' => return self.quoted().map(Token::Text),
                '[' => self.skip_to(']'),
                '/' if self.rest.starts_with("//") => self.skip_to('\n'),
                _ => return Some(Token::Text(self.bare())),
            }
        }
    }
}

impl Tokens<'_> {
    fn step(&mut self, token: Token) -> Option<Token> {
        self.rest = &self.rest[1..];
        Some(token)
    }

    fn skip_to(&mut self, end: char) {
        self.rest = self.rest.split_once(end).map_or("", |(_, rest)| rest);
    }

    fn bare(&mut self) -> String {
        let is_end = |letter: char| letter.is_whitespace() || matches!(letter, '{' | '}' | '"');
        let end = self.rest.find(is_end).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest;
        word.to_owned()
    }

    /// The text in quotes; `None` where the file ends before it does, because half a text may mean anything.
    fn quoted(&mut self) -> Option<String> {
        let mut text = String::new();
        let mut letters = self.rest.char_indices().skip(1);
        while let Some((at, letter)) = letters.next() {
            match letter {
                '"' => {
                    self.rest = &self.rest[at + 1..];
                    return Some(text);
                }
                '\\' => match letters.next() {
                    Some((_, 'n')) => text.push('\n'),
                    Some((_, 't')) => text.push('\t'),
                    Some((_, escaped @ ('\\' | '"'))) => text.push(escaped),
                    // Files written by hand hold single backslashes of another system's paths.
                    Some((_, other)) => text.extend(['\\', other]),
                    None => text.push('\\'),
                },
                other => text.push(other),
            }
        }
        self.rest = "";
        None
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn reads_pairs_blocks_and_what_surrounds_them() {
        let text = br#"
            // a comment "with" { words }
            "libraryfolders" {
                "0" { "path" "C:\\Games\\Store" "label" "" }
                "1" [$LINUX] { PATH /mnt/sd "odd" "a \"b\" \q" }
            "#;
        let items = parse(text);
        assert_eq!(values(&items, "path").collect::<Vec<_>>(), ["C:\\Games\\Store", "/mnt/sd"]);
        assert_eq!(value(&items, "odd"), Some("a \"b\" \\q"));
        assert_eq!(value(&items, "label"), Some(""));
        let blocks: Vec<_> = items
            .iter()
            .filter_map(|item| match item {
                Item::Block { depth, key } => Some((*depth, key.as_str())),
                Item::Pair { .. } => None,
            })
            .collect();
        assert_eq!(blocks, [(0, "libraryfolders"), (1, "0"), (1, "1")]);
    }

    #[test]
    fn a_value_that_breaks_off_is_none() {
        let whole = "\"a\" { \"appid\" \"901\" \"name\" \"Whole\"";
        assert_eq!(value(&parse(whole.as_bytes()), "name"), Some("Whole"));
        for cut in ["\"a\" { \"appid\" \"901\" \"name\" \"Trunc", "\"a\" { \"appid\" \"901\" \"nam"]
        {
            let items = parse(cut.as_bytes());
            assert_eq!(
                (value(&items, "appid"), value(&items, "name")),
                (Some("901"), None),
                "{cut}"
            );
        }
    }

    proptest! {
        #[test]
        fn whatever_the_bytes_it_ends(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
            let items = parse(&bytes);
            prop_assert!(items.len() <= bytes.len());
        }

        #[test]
        fn whatever_the_braces_it_ends(text in "[{}\"\\\\a /\\[\\]\n]{0,120}") {
            prop_assert!(parse(text.as_bytes()).len() <= text.len());
        }
    }
}
