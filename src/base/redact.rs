//! Takes absolute paths and credentials out of text that leaves the process.

use std::sync::{Arc, RwLock};

use super::{lock::HoldShared as _, text};

/// What stands for a secret.
const BLOT: &str = "[redacted]";
/// What stands for an address.
const ADDRESS: &str = "[address]";
/// What stands in front of a secret in an address, whatever comes before that.
const PARAMETERS: [&str; 2] = ["token=", "password="];

/// Cuts a client message at the first absolute path, so that error replies show no path of this
/// machine. A message without one is returned whole. Routes are not paths.
pub fn without_paths(message: &str) -> String {
    let mut previous = ' ';
    for (at, letter) in message.char_indices() {
        let starts = letter == '/' || (letter == '~' && message[at..].starts_with("~/"));
        let boundary = previous.is_whitespace() || matches!(previous, '"' | '\'' | '(' | '=' | '`');
        let next = message[at + letter.len_utf8()..].chars().next();
        let named = next.is_some_and(|next| !next.is_whitespace());
        let is_route = message[at..].starts_with("/api/");
        if starts && boundary && named && !is_route {
            return message[..at]
                .trim_end_matches([' ', '"', '\'', '(', '=', '`', '\n'])
                .to_owned();
        }
        previous = letter;
    }
    message.to_owned()
}

/// A message of another server in a form that may be passed on: on one line, without these secrets and without
/// addresses, at most `letters` characters of it. It is cut last, so that no part of a secret stays.
pub fn said(message: &str, secrets: &[String], letters: usize) -> String {
    let clean = without_addresses(&text::collapse(&without_secrets(message, secrets)));
    text::cut(clean.trim(), letters).trim_end().to_owned()
}

/// Blots out every address of the web, to the next blank, quotation mark or bracket.
fn without_addresses(message: &str) -> String {
    let mut clean = String::with_capacity(message.len());
    let mut rest = message;
    while let Some(letter) = rest.chars().next() {
        if is_address(rest) {
            let ends = |c: char| c.is_whitespace() || "\"'<>()[]{}`".contains(c);
            clean.push_str(ADDRESS);
            rest = &rest[rest.find(ends).unwrap_or(rest.len())..];
            // A secret in it is redacted already.
            while let Some(after) = rest.strip_prefix(BLOT) {
                rest = &after[after.find(ends).unwrap_or(after.len())..];
            }
        } else {
            clean.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    clean
}

/// Whether a text begins with an address, also as it stands in JSON.
fn is_address(text: &str) -> bool {
    let scheme = |name: &str| text.get(..name.len()).filter(|it| it.eq_ignore_ascii_case(name));
    let scheme = scheme("https:").or_else(|| scheme("http:"));
    scheme.is_some_and(|scheme| {
        let rest = &text[scheme.len()..];
        rest.starts_with("//") || rest.starts_with("\\/\\/")
    })
}

/// Blots out every secret, also as it stands in an address, a form or JSON, and the value of every
/// `token=` and `password=` in an address, however short.
pub fn without_secrets(message: &str, secrets: &[String]) -> String {
    let mut clean = message.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
        clean = clean.replace(secret.as_str(), BLOT);
        if clean.contains(['%', '+']) {
            clean = without_encoded(&clean, secret, in_address);
        }
        if clean.contains('\\') {
            clean = without_encoded(&clean, secret, in_json);
        }
    }
    let mut blotted = String::with_capacity(clean.len());
    let mut rest = clean.as_str();
    let end_of = |name: &&str, rest: &str| rest.find(*name).map(|at| at + name.len());
    while let Some(at) = PARAMETERS.iter().filter_map(|name| end_of(name, rest)).min() {
        let (before, value) = rest.split_at(at);
        let end = value.find(|c: char| c == '&' || c.is_whitespace()).unwrap_or(value.len());
        blotted.push_str(before);
        blotted.push_str(BLOT);
        rest = &value[end..];
    }
    blotted + rest
}

/// The length of the encoded form of a character at the start of a text.
type Form = fn(&str, char) -> Option<usize>;

/// Redacts a secret in which characters may be encoded in this form.
fn without_encoded(text: &str, secret: &str, form: Form) -> String {
    let Some(first) = secret.chars().next() else { return text.to_owned() };
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let may_begin = letter == first || matches!(letter, '%' | '+' | '\\');
        if let Some(length) = may_begin.then(|| encoded_length(rest, secret, form)).flatten() {
            clean.push_str(BLOT);
            rest = &rest[length..];
        } else {
            clean.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    clean
}

/// How many bytes of a text are a secret that it begins with.
fn encoded_length(text: &str, secret: &str, form: Form) -> Option<usize> {
    let mut rest = text;
    for letter in secret.chars() {
        let plain = || rest.starts_with(letter).then_some(letter.len_utf8());
        rest = &rest[form(rest, letter).or_else(plain)?..];
    }
    Some(text.len() - rest.len())
}

/// In addresses and forms.
fn in_address(text: &str, letter: char) -> Option<usize> {
    if letter == ' ' && text.starts_with('+') {
        return Some(1);
    }
    let mut bytes = [0; 4];
    let mut length = 0;
    for byte in letter.encode_utf8(&mut bytes).bytes() {
        let digits = text.get(length..)?.strip_prefix('%')?.get(..2)?;
        if u8::from_str_radix(digits, 16) != Ok(byte) {
            return None;
        }
        length += 3;
    }
    Some(length)
}

/// In texts of JSON.
fn in_json(text: &str, letter: char) -> Option<usize> {
    let sign = match letter {
        '\n' => 'n',
        '\r' => 'r',
        '\t' => 't',
        letter => letter,
    };
    if "\"\\/nrt".contains(sign) && text.strip_prefix('\\').is_some_and(|it| it.starts_with(sign)) {
        let is_sign = sign != letter || "\"\\/".contains(letter);
        return is_sign.then_some(2);
    }
    let mut units = [0; 2];
    let mut length = 0;
    for unit in letter.encode_utf16(&mut units) {
        let digits = text.get(length..)?.strip_prefix("\\u")?.get(..4)?;
        if u16::from_str_radix(digits, 16) != Ok(*unit) {
            return None;
        }
        length += 6;
    }
    Some(length)
}

/// What must not reach the log; it grows while the program runs.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Vec<String>>>);

impl Secrets {
    /// Blots these out from now on.
    pub fn add(&self, more: impl IntoIterator<Item = String>) {
        let mut known = self.0.hold_write();
        for secret in more {
            if !known.contains(&secret) {
                known.push(secret);
            }
        }
    }

    /// All of them.
    pub fn all(&self) -> Vec<String> {
        self.0.hold_read().clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(input: &str, expected: &str) {
        assert_eq!(without_paths(input), expected);
    }

    #[test]
    fn keeps_the_prefix_before_a_path() {
        check("Watch folder does not exist: /home/me/roms", "Watch folder does not exist:");
        check("cannot open '/etc/shadow'", "cannot open");
        check(
            "The configured path no longer exists:\n/a/b",
            "The configured path no longer exists:",
        );
        check("look in ~/roms", "look in");
    }

    #[test]
    fn blots_out_secrets_and_tokens() {
        let secrets = ["s3cret".to_owned(), String::new()];
        let clean = without_secrets("a s3cret, /x?token=abc&id=1 token=d", &secrets);
        assert_eq!(clean, "a [redacted], /x?token=[redacted]&id=1 token=[redacted]");
        let clean = without_secrets("?sspassword=ab&devpassword=c&password= d&ssid=me", &[]);
        let blot = "[redacted]";
        assert_eq!(
            clean,
            format!("?sspassword={blot}&devpassword={blot}&password={blot} d&ssid=me")
        );
    }

    #[test]
    fn what_another_server_said_is_cut_last() {
        let secrets = ["s3cret-of-many-letters".to_owned()];
        let check = |message: &str, letters, expected: &str| {
            assert_eq!(said(message, &secrets, letters), expected, "{message}");
        };
        check("a  key:\ns3cret-of-many-letters!", 12, "a key: [reda");
        check("ask https://x.test/a?b=s3cret-of-many-letters&c=1 now", 90, "ask [address] now");
        check(
            "(see HTTP://x.test/a), or \"http:\\/\\/x\\/y\"",
            90,
            "(see [address]), or \"[address]\"",
        );
        check("https: is missing, http/2 too, httpö", 90, "https: is missing, http/2 too, httpö");
        check("  Größe ", 4, "Größ");
    }

    #[test]
    fn blots_out_secrets_in_every_form() {
        let secrets = [r#"p&s "w\/ö%"#.to_owned(), "plain".to_owned()];
        for form in [
            r#"p&s "w\/ö%"#,
            "p%26s%20%22w%5C%2F%C3%B6%25",
            "p%26s%20%22w%5c%2f%c3%b6%25",
            "p%26s+%22w%5C%2F%C3%B6%25",
            r#"p&s \"w\\/ö%"#,
            r#"p\u0026s \"w\\\/\u00F6%"#,
            "%70lain",
        ] {
            let clean = without_secrets(&format!("a={form}&b 100% \\o/ 1+1"), &secrets);
            assert_eq!(clean, "a=[redacted]&b 100% \\o/ 1+1", "{form}");
        }
        let other = "p%26s%20%22 50% off, c:\\user \\u00zz %";
        assert_eq!(without_secrets(other, &secrets), other);
    }

    #[test]
    fn leaves_other_text_alone() {
        check("Not found", "Not found");
        check("use /api/media/bulk.", "use /api/media/bulk.");
        check("and/or 3 / 4", "and/or 3 / 4");
        check("", "");
        check("Größe: 1/2", "Größe: 1/2");
    }
}
