//! Just enough of the grammar of Rust to look at code without its comments and texts.

/// The code with comments, string contents and character literals blanked out; lines stay where
/// they are.
pub(super) fn code_only(text: &str) -> String {
    let mut code = String::with_capacity(text.len());
    let mut rest = text;
    loop {
        let plain = rest.find(may_begin_blank).unwrap_or(rest.len());
        code.push_str(&rest[..plain]);
        rest = &rest[plain..];
        let Some(letter) = rest.chars().next() else { return code };
        let length = blank_length(rest);
        if length == 0 {
            code.push(letter);
            rest = &rest[letter.len_utf8()..];
            continue;
        }
        code.extend(rest[..length].chars().map(|letter| if letter == '\n' { '\n' } else { ' ' }));
        // A word never runs into the next one across a blanked text.
        rest = &rest[length..];
    }
}

/// Whether [`blank_length`] may find something that begins with this letter. Most letters are
/// passed over without a closer look.
fn may_begin_blank(letter: char) -> bool {
    matches!(letter, '/' | '"' | '\'' | 'r' | 'b' | 'c')
}

/// How many bytes at the start of `text` are a comment or a literal.
fn blank_length(text: &str) -> usize {
    if text.starts_with("//") {
        return text.find('\n').unwrap_or(text.len());
    }
    if text.starts_with("/*") {
        return block_comment(text);
    }
    for prefix in ["r", "br", "cr"] {
        if let Some(raw) = text.strip_prefix(prefix).and_then(raw_string) {
            return prefix.len() + raw;
        }
    }
    if text.starts_with('"') {
        return quoted(text, '"');
    }
    // A quote is a character when it closes after one letter or an escape, a lifetime otherwise.
    let mut letters = text.chars();
    match (letters.next(), letters.next(), letters.next()) {
        (Some('\''), Some('\\'), _) => quoted(text, '\''),
        (Some('\''), Some(letter), Some('\'')) => 2 + letter.len_utf8(),
        _ => 0,
    }
}

fn quoted(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        if letter == quote && !escaped {
            return at + 1;
        }
        escaped = letter == '\\' && !escaped;
    }
    text.len()
}

fn raw_string(text: &str) -> Option<usize> {
    let hashes = text.len() - text.trim_start_matches('#').len();
    text[hashes..].strip_prefix('"')?;
    let end = format!("\"{}", "#".repeat(hashes));
    Some(text[hashes + 1..].find(&end).map_or(text.len(), |at| hashes + 1 + at + end.len()))
}

fn block_comment(text: &str) -> usize {
    let mut depth = 0;
    let mut at = 0;
    while at < text.len() {
        if text[at..].starts_with("/*") {
            depth += 1;
            at += 2;
        } else if text[at..].starts_with("*/") {
            depth -= 1;
            at += 2;
            if depth == 0 {
                return at;
            }
        } else {
            at += text[at..].chars().next().map_or(1, char::len_utf8);
        }
    }
    text.len()
}

/// The words and signs of code that [`code_only`] has cleaned; `::` is one sign.
pub(super) fn tokens(code: &str) -> Vec<&str> {
    let mut tokens = Vec::new();
    let mut rest = code.trim_start();
    while let Some(first) = rest.chars().next() {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let length = if is_word(first) {
            rest.find(|letter| !is_word(letter)).unwrap_or(rest.len())
        } else if rest.starts_with("::") {
            2
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The part of a source file before its unit tests.
pub(super) fn without_tests(text: &str) -> &str {
    const MARK: &str = "\n#[cfg(test)]\n";
    let starts_tests = |at: &usize| {
        let mut lines = text[at + MARK.len()..].lines();
        let item = lines.find(|line| !line.starts_with("#[") && !line.starts_with([' ', ')']));
        item.is_some_and(|item| item.starts_with("mod ") && item.contains('{'))
    };
    let marks = text.match_indices(MARK).map(|(at, _)| at);
    marks.into_iter().find(starts_tests).map_or(text, |at| &text[..at])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        assert_eq!(tokens(&code_only(text)), expected);
    }

    #[test]
    fn drops_comments_and_texts() {
        check("a // b\nc", &["a", "c"]);
        check("a /* b /* c */ d */ e", &["a", "e"]);
        check("f(\"x \\\" crate::y\") g", &["f", "(", ")", "g"]);
        check("r#\"a \" b\"# c br\"x\" d", &["c", "d"]);
    }

    #[test]
    fn tells_characters_from_lifetimes() {
        check("'a' b '\\'' c '\"' d", &["b", "c", "d"]);
        check("&'a str", &["&", "'", "a", "str"]);
    }

    #[test]
    fn keeps_paths_together() {
        check("crate::base::ids", &["crate", "::", "base", "::", "ids"]);
    }

    #[test]
    fn cuts_the_unit_tests_off() {
        let tests = "\n#[cfg(test)]\n#[expect(\n    a,\n    reason = \"b\"\n)]\nmod tests {\n}\n";
        assert_eq!(without_tests(&format!("fn a() {{}}\n{tests}")), "fn a() {}\n");
        let declared = "\n#[cfg(test)]\nmod a_tests;\nfn a() {}\n";
        assert_eq!(without_tests(declared), declared);
        assert_eq!(without_tests("fn a() {}\n"), "fn a() {}\n");
    }
}
