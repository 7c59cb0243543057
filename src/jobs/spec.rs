//! What a kind of work declares about its jobs: type, names, titles and what clients may ask.

use serde_json::{Map, Value};

use crate::base::text;

/// The declaration of one kind of work; a constant next to its worker.
#[derive(Clone, Copy, Debug)]
pub struct Spec {
    /// The dotted type, such as `library.export`.
    pub type_name: &'static str,
    /// The names of its jobs with their titles. A name that ends with `:` is followed by the
    /// subject of the job. The first one is used for a stored job without a name.
    pub names: &'static [(&'static str, Title)],
    /// The key of the input that holds the subject in the name of a job; every kind that has such names has
    /// it. A retry with another input keeps it, so that name and work agree.
    pub subject: Option<&'static str>,
    /// Whether an interrupted job continues from its checkpoint.
    pub resumes: bool,
    /// Whether a retry works on `failed_game_ids` of the checkpoint only. Without them the job
    /// cannot be retried.
    pub retries_failed_only: bool,
    /// Whether a job cannot be cancelled any more in its last step.
    pub promotes: bool,
    /// How often a failing job is tried, 1 to 5, with pauses of 1, 2, 4... seconds.
    pub attempts: u32,
}

/// The title of a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Title {
    /// A constant.
    Fixed(&'static str),
    /// A constant followed by the subject.
    With(&'static str),
    /// The name in title case.
    Spelled,
}

impl Spec {
    /// A kind that is tried once, is retried as a whole and never resumed.
    pub const fn new(type_name: &'static str, names: &'static [(&'static str, Title)]) -> Self {
        Self {
            type_name,
            names,
            subject: None,
            resumes: false,
            retries_failed_only: false,
            promotes: false,
            attempts: 1,
        }
    }

    /// The title of the job with this name; `None` when the name belongs to another kind.
    pub fn title_of(&self, name: &str) -> Option<String> {
        let (family, subject) = name.split_at(name.find(':').map_or(name.len(), |at| at + 1));
        let (_, title) = self.names.iter().find(|(known, _)| *known == family)?;
        Some(match title {
            Title::Fixed(text) => (*text).to_owned(),
            Title::With(text) => format!("{text} {subject}"),
            Title::Spelled => spell(name),
        })
    }

    /// Whether an input is about the subject that is in the name of a job, or about none when there is none in
    /// it. A job that ran in parallel with another one has a part of the id of its root behind the subject.
    pub(super) fn is_about(
        &self,
        name: &str,
        root_job_id: &str,
        input: &Map<String, Value>,
    ) -> bool {
        let Some(key) = self.subject else { return true };
        let subject = input.get(key).filter(|value| !value.is_null());
        let Some((family, _)) = name.split_once(':') else { return subject.is_none() };
        subject.and_then(Value::as_str).is_some_and(|subject| {
            let own = format!("{family}:{subject}");
            name == own || name == beside(&own, root_job_id)
        })
    }

    /// Whether one of its names is followed by a subject.
    pub(super) fn has_subject(&self) -> bool {
        self.names.iter().any(|(name, _)| name.ends_with(':'))
    }

    /// Name and title of a stored job of this kind that has neither.
    pub(super) fn fallback(&self) -> Option<(String, String)> {
        let (family, title) = self.names.first()?;
        let name = family.trim_end_matches(':').to_owned();
        let title = match title {
            Title::Fixed(text) | Title::With(text) => (*text).to_owned(),
            Title::Spelled => spell(&name),
        };
        Some((name, title))
    }
}

/// The name of a job that runs in parallel with another one with the name that it asked for.
pub(super) fn beside(name: &str, job_id: &str) -> String {
    format!("{}:{}", text::cut(name, 119), text::cut(job_id, 8))
}

/// A name in title case, with blanks for dashes and colons.
pub(super) fn spell(name: &str) -> String {
    let words = name.split(['-', ':']).filter(|word| !word.is_empty()).map(|word| {
        let mut letters = word.chars();
        let first = letters.next().into_iter().flat_map(char::to_uppercase);
        first.chain(letters.flat_map(char::to_lowercase)).collect::<String>()
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const SPEC: Spec = Spec::new(
        "emulator.install",
        &[
            ("emulator-install:", Title::With("Install emulator")),
            ("emulator-install-all", Title::Fixed("Install all emulators")),
            ("emulator-probe:", Title::Spelled),
        ],
    );

    #[test]
    fn names_have_titles() {
        for (name, title) in [
            ("emulator-install:dolphin", Some("Install emulator dolphin")),
            ("emulator-install:a:b", Some("Install emulator a:b")),
            ("emulator-install-all", Some("Install all emulators")),
            ("emulator-probe:7f-x", Some("Emulator Probe 7f X")),
            ("emulator-install", None),
            ("emulator-install-all:x", None),
            ("", None),
        ] {
            assert_eq!(SPEC.title_of(name).as_deref(), title, "{name}");
        }
    }

    #[test]
    fn an_input_is_about_the_subject_of_the_name() {
        let spec = Spec { subject: Some("app_id"), ..SPEC };
        let (one, all) = ("emulator-install:dolphin", "emulator-install-all");
        let beside = "emulator-install:dolphin:01234567";
        for (name, input, expected) in [
            (one, json!({"app_id": "dolphin"}), true),
            (one, json!({"app_id": "other"}), false),
            (one, json!({"app_id": 5}), false),
            (one, json!({"app_id": null}), false),
            (one, json!({}), false),
            (all, json!({}), true),
            (all, json!({"app_id": null}), true),
            (all, json!({"app_id": "dolphin"}), false),
            (beside, json!({"app_id": "dolphin"}), true),
            (beside, json!({"app_id": "dolphin:01234567"}), true),
            (beside, json!({"app_id": "dolphin:"}), false),
        ] {
            let input = input.as_object().expect("an object");
            let root = "0123456789abcdef";
            assert_eq!(spec.is_about(name, root, input), expected, "{name} {input:?}");
            assert!(SPEC.is_about(name, root, input));
        }
    }

    #[test]
    fn a_stored_job_without_a_name_takes_the_first_one() {
        let (name, title) = SPEC.fallback().expect("a name");
        assert_eq!((name.as_str(), title.as_str()), ("emulator-install", "Install emulator"));
        assert_eq!(Spec::new("a.b", &[]).fallback(), None);
    }
}
