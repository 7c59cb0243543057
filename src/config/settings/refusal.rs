//! Why a posted setting was refused, and the sentence the client reads about it.

use std::fmt::Write as _;

use super::table;

/// A value that aborts a save: which setting, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("refused the value of the setting {key}: {refusal:?}")]
pub struct SettingError {
    /// The key of the setting.
    pub key: &'static str,
    /// What is wrong with the value.
    pub refusal: Refusal,
}

/// What is wrong with a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Refusal {
    /// Not a boolean.
    NotFlag,
    /// Not a whole number.
    NotWhole,
    /// Not a number, or outside the bounds.
    NotBetween {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// Not a text.
    NotText,
    /// Not a list.
    NotList,
    /// Not an object.
    NotObject,
    /// A text that is none of these.
    NotOneOf(&'static [&'static str]),
    /// A text of more characters, or with a NUL in it.
    TooLong {
        /// Most characters.
        chars: usize,
    },
    /// Not a list of texts, or one with too many entries.
    NotListOf {
        /// Most entries.
        cap: usize,
    },
    /// A list without an entry where one is needed.
    EmptyList,
    /// A name in a list or object that is not known.
    UnknownName(String),
    /// A path that does not start at the root.
    RelativePath(String),
    /// A path that leads nowhere, or to the wrong kind of thing.
    MissingPath(String),
    /// A file whose name says that it is not audio or video.
    WrongMedia,
    /// A file where a directory is wanted.
    NotFolder(String),
    /// An address without a scheme that this setting knows.
    AddressScheme(&'static str),
    /// An address without a host, or with characters or a port that no address has.
    AddressForm,
    /// An address with a user name or password in it.
    AddressCredentials,
    /// Plain http to another machine without permission.
    PlainHttp,
    /// Two entries of one name.
    RepeatedName(String),
    /// An entry without a name.
    MissingName,
    /// A part of an entry outside its bounds, or not of its kind.
    BadPart(&'static str),
}

impl SettingError {
    /// The message for the client; the API cuts it at a path.
    #[must_use]
    pub fn client_text(&self) -> String {
        let Some(setting) = table::find(self.key) else { return "Unknown setting.".to_owned() };
        let title = setting.title;
        let entry = if setting.entry.is_empty() { title } else { setting.entry };
        // A fact about one path says more than the sentence about the whole list.
        if setting.sentence.is_none() || !setting.entry.is_empty() {
            match &self.refusal {
                Refusal::MissingPath(path) => return format!("{entry} does not exist: {path}"),
                Refusal::NotFolder(path) => return format!("{entry} must be a directory: {path}"),
                Refusal::RelativePath(path) => {
                    return format!("{entry} must be an absolute path: {path}");
                }
                _ => {}
            }
        }
        setting.sentence.map_or_else(|| self.generic_text(title), str::to_owned)
    }

    fn generic_text(&self, title: &str) -> String {
        match &self.refusal {
            Refusal::NotFlag => format!("{title} must be true or false."),
            Refusal::NotWhole => format!("{title} must be a whole number."),
            Refusal::NotBetween { min, max } => format!("{title} must be between {min} and {max}."),
            Refusal::NotText => format!("{title} must be a text."),
            Refusal::NotList => format!("{title} must be a list."),
            Refusal::NotObject => format!("{title} must be an object."),
            Refusal::NotOneOf(choices) => format!("{title} must be {}.", join(choices)),
            Refusal::TooLong { chars } => {
                format!("{title} must be a text of at most {chars} characters.")
            }
            Refusal::NotListOf { cap } => {
                format!("{title} must be a list of at most {cap} entries.")
            }
            Refusal::EmptyList => format!("{title} must be a non-empty list."),
            Refusal::UnknownName(name) => format!("{title} include an unknown name: {name}."),
            Refusal::MissingPath(_) | Refusal::NotFolder(_) | Refusal::RelativePath(_) => {
                format!("{title} must be an existing absolute path.")
            }
            Refusal::WrongMedia => format!("{title} must point to a file of the right kind."),
            Refusal::AddressScheme(schemes) => format!("{title} must start with {schemes}."),
            Refusal::AddressForm => format!("{title} is not a valid address."),
            Refusal::AddressCredentials => format!("{title} may not embed credentials."),
            Refusal::PlainHttp => {
                format!("{title} must use https; plain http needs SERVICE_ALLOW_HTTP_LIBSERVER=1.")
            }
            Refusal::RepeatedName(name) => format!("{title} name {name} more than once."),
            Refusal::MissingName => format!("{title} need a name for each entry."),
            Refusal::BadPart(part) => format!("{title} have an invalid value for {part}."),
        }
    }
}

/// `a, b, or c`; an empty text among the choices reads `empty`.
fn join(choices: &[&str]) -> String {
    let mut joined = String::new();
    for (at, choice) in choices.iter().enumerate() {
        let shown = if choice.is_empty() { "empty" } else { choice };
        let before = match at {
            0 => "",
            _ if at + 1 < choices.len() => ", ",
            1 => " or ",
            _ => ", or ",
        };
        // OK because writing to a String never fails.
        let _ = write!(joined, "{before}{shown}");
    }
    joined
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(key: &'static str, refusal: Refusal, expected: &str) {
        assert_eq!(SettingError { key, refusal }.client_text(), expected);
    }

    #[test]
    fn choices_are_joined_in_plain_english() {
        assert_eq!(join(&["a"]), "a");
        assert_eq!(join(&["", "b"]), "empty or b");
        assert_eq!(join(&["a", "b", "c"]), "a, b, or c");
    }

    #[test]
    fn a_missing_entry_is_named_and_the_whole_value_has_its_sentence() {
        let path = || "/x".to_owned();
        check("watch_folders", Refusal::MissingPath(path()), "Watch folder does not exist: /x");
        check(
            "watch_folders",
            Refusal::NotListOf { cap: 50 },
            "Watch folders must be a list of at most 50 paths.",
        );
        check("cloud_folder", Refusal::MissingPath(path()), "Cloud sync folder does not exist: /x");
        check(
            "library_music",
            Refusal::MissingPath(path()),
            "Library music path must point to an existing audio file.",
        );
    }

    #[test]
    fn numbers_read_without_a_trailing_fraction() {
        let refusal = Refusal::NotBetween { min: 0.1, max: 30.0 };
        check("recorder_ws_timeout", refusal, "Recorder timeout must be between 0.1 and 30.");
    }
}
