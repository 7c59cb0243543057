//! Why a posted setting was refused, and the sentence the client reads about it.

use std::fmt::Write as _;

use super::table;

/// A value that aborts a save: which setting, and why.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}", sentence(field, rule))]
pub struct FieldError {
    /// The key of the setting.
    pub field: &'static str,
    /// The rule it breaks.
    pub rule: BrokenRule,
}

/// A rule of a setting, with what broke it. Its text follows the title of the setting.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum BrokenRule {
    #[error("must be true or false.")]
    NotFlag,
    #[error("must be a whole number.")]
    NotWhole,
    #[error("must be between {min} and {max}.")]
    NotBetween { min: f64, max: f64 },
    #[error("must be a text.")]
    NotText,
    #[error("must be a list.")]
    NotList,
    #[error("must be an object.")]
    NotObject,
    #[error("must be {}.", join(.0))]
    NotOneOf(&'static [&'static str]),
    #[error("must be a text of at most {chars} characters.")]
    TooLong { chars: usize },
    /// Not a list of texts, or one with too many entries.
    #[error("must be a list of at most {cap} entries.")]
    NotListOf { cap: usize },
    #[error("must be a non-empty list.")]
    EmptyList,
    #[error("include an unknown name: {0}.")]
    UnknownName(String),
    #[error("must be an existing absolute path.")]
    RelativePath(String),
    /// A path that leads nowhere, or to the wrong kind of thing.
    #[error("must be an existing absolute path.")]
    MissingPath(String),
    /// A file whose name is not that of audio or video.
    #[error("must point to a file of the right kind.")]
    WrongMedia,
    #[error("must be an existing absolute path.")]
    NotFolder(String),
    /// A folder that is not there and that the disk refuses; with its reason.
    #[error("cannot be created: {0}.")]
    NotCreated(String),
    #[error("must start with {0}.")]
    AddressScheme(&'static str),
    /// An address without a host, or with characters or a port that no address has.
    #[error("is not a valid address.")]
    AddressForm,
    #[error("may not embed credentials.")]
    AddressCredentials,
    #[error("must use https; plain http needs SERVICE_ALLOW_HTTP_LIBSERVER=1.")]
    PlainHttp,
    #[error("name {0} more than once.")]
    RepeatedName(String),
    #[error("need a name for each entry.")]
    MissingName,
    #[error("have an invalid value for {0}.")]
    BadPart(&'static str),
    /// The whole sentence: it is about another setting.
    #[error("Configure a mounted cloud sync folder first.")]
    NoCloudFolder,
}

/// The message for the client; the API cuts it at a path.
fn sentence(field: &str, rule: &BrokenRule) -> String {
    let Some(setting) = table::find(field) else { return "Unknown setting.".to_owned() };
    if *rule == BrokenRule::NoCloudFolder {
        return rule.to_string();
    }
    let title = setting.title;
    let entry = if setting.entry.is_empty() { title } else { setting.entry };
    // A fact about one path says more than the sentence about the whole list.
    if setting.sentence.is_none() || !setting.entry.is_empty() {
        match rule {
            BrokenRule::MissingPath(path) => return format!("{entry} does not exist: {path}"),
            BrokenRule::NotFolder(path) => return format!("{entry} must be a directory: {path}"),
            BrokenRule::RelativePath(path) => {
                return format!("{entry} must be an absolute path: {path}");
            }
            _ => {}
        }
    }
    setting.sentence.map_or_else(|| format!("{title} {rule}"), str::to_owned)
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
    fn check(field: &'static str, rule: BrokenRule, expected: &str) {
        assert_eq!(FieldError { field, rule }.to_string(), expected);
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
        check("watch_folders", BrokenRule::MissingPath(path()), "Watch folder does not exist: /x");
        check(
            "watch_folders",
            BrokenRule::NotListOf { cap: 50 },
            "Watch folders must be a list of at most 50 paths.",
        );
        check(
            "cloud_folder",
            BrokenRule::MissingPath(path()),
            "Cloud sync folder does not exist: /x",
        );
        check(
            "library_music",
            BrokenRule::MissingPath(path()),
            "Library music path must point to an existing audio file.",
        );
    }

    #[test]
    fn numbers_read_without_a_trailing_fraction() {
        let rule = BrokenRule::NotBetween { min: 0.1, max: 30.0 };
        check("recorder_ws_timeout", rule, "Recorder timeout must be between 0.1 and 30.");
    }
}
