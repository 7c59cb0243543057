//! Takes absolute paths and credentials out of text that leaves the process.

use std::sync::{Arc, PoisonError, RwLock};

/// Cuts a client message at the first absolute path, so that error replies show no path of this
/// machine. A message without one is returned whole. Routes are no paths.
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

/// Blots out every secret, and the value of every `token=` in an address.
pub fn without_secrets(message: &str, secrets: &[String]) -> String {
    let mut clean = message.to_owned();
    for secret in secrets.iter().filter(|secret| secret.len() >= 4) {
        clean = clean.replace(secret.as_str(), "[redacted]");
    }
    let mut blotted = String::with_capacity(clean.len());
    let mut rest = clean.as_str();
    while let Some(at) = rest.find("token=") {
        let (before, value) = rest.split_at(at + "token=".len());
        let end = value.find(|c: char| c == '&' || c.is_whitespace()).unwrap_or(value.len());
        blotted.push_str(before);
        blotted.push_str("[redacted]");
        rest = &value[end..];
    }
    blotted + rest
}

/// What must not reach the log; it grows while the program runs.
#[derive(Clone, Default)]
pub struct Secrets(Arc<RwLock<Vec<String>>>);

impl Secrets {
    /// Blots these out from now on.
    pub fn add(&self, more: impl IntoIterator<Item = String>) {
        let mut known = self.0.write().unwrap_or_else(PoisonError::into_inner);
        for secret in more {
            if !known.contains(&secret) {
                known.push(secret);
            }
        }
    }

    /// All of them.
    pub fn all(&self) -> Vec<String> {
        self.0.read().unwrap_or_else(PoisonError::into_inner).clone()
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
