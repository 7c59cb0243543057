//! DAT files in the text form of ClrMamePro: `game ( name "x" rom ( name "y" ) )`.

use std::borrow::Cow;

/// A list of keys in brackets.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Block {
    /// Keys, lower case, with their texts in their order.
    pub pairs: Vec<(String, String)>,
    /// Inner blocks with their keys, lower case.
    pub blocks: Vec<(String, Self)>,
}

impl Block {
    /// The first text of a key; blank when there is none.
    pub fn text(&self, key: &str) -> &str {
        self.pairs.iter().find(|(name, _)| name == key).map_or("", |(_, text)| text)
    }
}

/// Blocks nested deeper than this are refused; no real file comes near.
const DEPTH: usize = 16;

/// Whether a text begins like such a file.
pub fn is_one(text: &str) -> bool {
    let mut tokens = Tokens { rest: text };
    let key = tokens.next();
    let is_key = matches!(key, Some(Token::Word(word)) if !word.starts_with('<'));
    is_key && matches!(tokens.next(), Some(Token::Open))
}

/// The blocks of a file with their keys; `None` when it is cut off or no such file.
pub fn parse(text: &str) -> Option<Vec<(String, Block)>> {
    let mut blocks = Vec::new();
    each(text, &mut |key, block| blocks.push((key, block))).then_some(blocks)
}

/// Hands over the blocks of a file with their keys, one after the other; whether the file is whole.
pub fn each(text: &str, take: &mut dyn FnMut(String, Block)) -> bool {
    let mut open: Vec<(String, Block)> = Vec::new();
    let mut key: Option<String> = None;
    for token in (Tokens { rest: text }) {
        match (token, key.take()) {
            // The file itself counts as a block.
            (Token::Open, Some(name)) if open.len() + 1 < DEPTH => {
                open.push((name, Block::default()));
            }
            (Token::Open, _) => return false,
            (Token::Close, _) => {
                let Some((name, block)) = open.pop() else { return false };
                match open.last_mut() {
                    Some((_, outer)) => outer.blocks.push((name, block)),
                    None => take(name, block),
                }
            }
            (Token::Word(word), None) => key = Some(word.to_lowercase()),
            (Token::Word(text), Some(name)) => {
                if let Some((_, block)) = open.last_mut() {
                    block.pairs.push((name, text.into_owned()));
                }
            }
        }
    }
    open.is_empty()
}

enum Token<'a> {
    Word(Cow<'a, str>),
    Open,
    Close,
}

struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        self.rest = self.rest.trim_start();
        let first = self.rest.chars().next()?;
        let (token, length) = match first {
            '(' => (Token::Open, 1),
            ')' => (Token::Close, 1),
            '"' => {
                let (text, length) = quoted(&self.rest[1..]);
                (Token::Word(text), (length + 1).min(self.rest.len()))
            }
            _ => {
                let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
                (Token::Word(Cow::Borrowed(&self.rest[..end])), end)
            }
        };
        self.rest = &self.rest[length..];
        Some(token)
    }
}

/// The text up to the quote that ends it, and the bytes up to behind that quote. A quote behind a
/// backslash belongs to the text, unless no other one ends the text in its line: paths end with
/// backslashes too. Other backslashes stand for themselves.
fn quoted(inner: &str) -> (Cow<'_, str>, usize) {
    let mut plain = String::new();
    let mut taken = 0;
    loop {
        let rest = &inner[taken..];
        let Some(end) = rest.find('"') else { break };
        let (text, behind) = (&rest[..end], &rest[end + 1..]);
        let line = behind.lines().next().unwrap_or_default();
        match text.strip_suffix('\\').filter(|_| line.contains('"')) {
            // A backslash behind a backslash is one of the text, and the quote ends it.
            Some(before) if before.ends_with('\\') => {
                plain.push_str(before);
                return (Cow::Owned(plain), taken + end + 1);
            }
            Some(before) => {
                plain.push_str(before);
                plain.push('"');
                taken += end + 1;
            }
            None if taken == 0 => return (Cow::Borrowed(text), end + 1),
            None => {
                plain.push_str(text);
                return (Cow::Owned(plain), taken + end + 1);
            }
        }
    }
    plain.push_str(&inner[taken..]);
    (Cow::Owned(plain), inner.len())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn blocks_are_read_with_their_texts() {
        let text = "clrmamepro (\n\tname \"A (b)\"\n)\n\ngame (\n name pac\n description \"Pac (set 1)\"\n\
            rom ( name a.bin merge a.bin size 4 crc 00ff )\n)\n";
        assert!(is_one(text));
        let blocks = parse(text).expect("a file");
        assert_eq!((blocks[0].0.as_str(), blocks[0].1.text("name")), ("clrmamepro", "A (b)"));
        let game = &blocks[1].1;
        assert_eq!((game.text("name"), game.text("description")), ("pac", "Pac (set 1)"));
        assert_eq!(game.blocks[0].1.text("merge"), "a.bin");
        for other in ["<mame (", "", "name x", "( a"] {
            assert!(!is_one(other), "{other}");
        }
        for broken in ["game ( name a", "game ( ) )", "( name a )"] {
            assert_eq!(parse(broken), None, "{broken}");
        }
    }

    #[test]
    fn quotes_in_a_text_stand_behind_backslashes() {
        for (text, expected) in [
            (r#"game ( name "The \"Best\" Of" )"#, "The \"Best\" Of"),
            (r#"game ( name "\"All\"" )"#, "\"All\""),
            (r#"game ( name "a\b" )"#, "a\\b"),
            ("game ( name \"dir\\\"\n)", "dir\\"),
            (r#"game ( name "dir\\" x "y" )"#, "dir\\"),
            (r#"game ( name "" )"#, ""),
        ] {
            let blocks = parse(text).expect("a file");
            assert_eq!(blocks[0].1.text("name"), expected, "{text}");
        }
        let two = parse(r#"rom ( name "say \"hi\".bin" size 4 crc 00ff )"#).expect("a file");
        assert_eq!(two[0].1.text("crc"), "00ff");
    }

    proptest! {
        #[test]
        fn reading_never_panics(text in "(game|[()\" é\\\\\n]|name){0,40}") {
            drop(parse(&text));
            is_one(&text);
        }
    }
}
