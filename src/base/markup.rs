//! Texts of pages as plain text: without tags, and with their entities read.

use std::borrow::Cow;

use quick_xml::escape::unescape;

/// Elements that stand on lines of their own.
const BLOCKS: [&str; 24] = [
    "address",
    "article",
    "aside",
    "blockquote",
    "dd",
    "div",
    "dl",
    "dt",
    "figure",
    "footer",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "header",
    "hr",
    "li",
    "ol",
    "p",
    "section",
    "tr",
    "ul",
];

/// A text with its entities read; a blank that does not break is one like any other. A bare `&` and unknown
/// entities stay as they are.
pub fn without_entities(raw: &str) -> String {
    let mut pieces = raw.split('&');
    let mut readable = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let end = piece.find(';').map(|end| end + 1);
        let read = |end| unescape(&format!("&{}", &piece[..end])).ok().map(Cow::into_owned);
        let known = end.and_then(read);
        if let (Some(letters), Some(end)) = (known, end) {
            readable.push_str(&letters);
            readable.push_str(&piece[end..]);
        } else {
            readable.push('&');
            readable.push_str(piece);
        }
    }
    readable.replace('\u{a0}', " ")
}

/// A text without its tags and comments, with a line for each block. A `<` that opens none is a sign of the text.
pub fn without_tags(raw: &str) -> String {
    let mut bare = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some((before, behind)) = rest.split_once('<') {
        bare.push_str(before);
        let is_tag =
            behind.starts_with(|first: char| first.is_ascii_alphabetic() || "/!".contains(first));
        let end = if behind.starts_with("!--") { "-->" } else { ">" };
        let Some((tag, after)) = behind.split_once(end).filter(|_| is_tag) else {
            bare.push('<');
            rest = behind;
            continue;
        };
        let name = tag.strip_prefix('/').unwrap_or(tag);
        let name = name.split(|letter: char| !letter.is_ascii_alphanumeric()).next();
        let name = name.unwrap_or_default().to_ascii_lowercase();
        let begins_line = bare.is_empty() || bare.ends_with('\n');
        if name == "br" || BLOCKS.contains(&name.as_str()) && !begins_line {
            bare.push('\n');
        }
        rest = after;
    }
    bare.push_str(rest);
    bare
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_entity_is_read_for_itself() {
        for (raw, expected) in [
            ("A &amp; B & c", "A & B & c"),
            ("Q &bogus; &amp; x", "Q &bogus; & x"),
            ("R&D &amp; more; &#039;x&quot; &amp;lt; &", "R&D & more; 'x\" &lt; &"),
            ("1&nbsp;000&#160;&eacute;", "1 000 é"),
            ("", ""),
        ] {
            assert_eq!(without_entities(raw), expected, "{raw}");
        }
    }

    #[test]
    fn tags_go_and_blocks_are_lines() {
        for (raw, expected) in [
            ("a<ul><li>b</li><li>c</li></ul><h2>T</h2>d<BR>e", "a\nb\nc\nT\nd\ne"),
            ("<p>A</p><p>B<br/>C<br><br>D", "A\nB\nC\n\nD"),
            ("<p>A</p>\n\n<DIV class=\"x\">B</DIV>", "A\n\n\nB\n"),
            ("a <b>b</b> <i>c</i><picture>d", "a b cd"),
            ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"),
            ("I <3 this game", "I <3 this game"),
            ("a<!-- <p>x</p> -->b<!DOCTYPE html>", "ab"),
            ("open <b", "open <b"),
            ("<!-- open > a", "<!-- open > a"),
            ("", ""),
        ] {
            assert_eq!(without_tags(raw), expected, "{raw}");
        }
    }
}
