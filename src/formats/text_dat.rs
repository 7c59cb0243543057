//! DAT files in the text form of ClrMamePro: `game ( name "x" rom ( name "y" ) )`.

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
    let mut open = vec![(String::new(), Block::default())];
    let mut key: Option<String> = None;
    for token in (Tokens { rest: text }) {
        match (token, key.take()) {
            (Token::Open, Some(name)) if open.len() < DEPTH => open.push((name, Block::default())),
            (Token::Open, _) => return None,
            (Token::Close, _) => {
                let closed = open.pop()?;
                open.last_mut()?.1.blocks.push(closed);
            }
            (Token::Word(word), None) => key = Some(word.to_lowercase()),
            (Token::Word(text), Some(name)) => {
                open.last_mut()?.1.pairs.push((name, text.to_owned()));
            }
        }
    }
    let (_, file) = open.pop().filter(|_| open.is_empty())?;
    Some(file.blocks)
}

enum Token<'a> {
    Word(&'a str),
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
                let inner = &self.rest[1..];
                let end = inner.find('"').unwrap_or(inner.len());
                (Token::Word(&inner[..end]), (end + 2).min(self.rest.len()))
            }
            _ => {
                let end = self.rest.find(char::is_whitespace).unwrap_or(self.rest.len());
                (Token::Word(&self.rest[..end]), end)
            }
        };
        self.rest = &self.rest[length..];
        Some(token)
    }
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

    proptest! {
        #[test]
        fn reading_never_panics(text in "(game|[()\" é]|name){0,40}") {
            drop(parse(&text));
            is_one(&text);
        }
    }
}
