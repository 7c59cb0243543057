//! Decisions of the user on candidates, read and validated one page at a time.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use crate::{
    base::schema::{Schema, Type},
    model::{Record, emulators::Catalog},
};

use super::error::SetupError;

/// Decisions of one request.
pub const PAGE: usize = 200;
/// Characters of a platform.
const PLATFORM_CHARS: usize = 200;

/// The data that decisions are validated against.
pub struct KnownCandidates<'a> {
    /// Whether the preview has a candidate with an id.
    pub is_candidate: &'a dyn Fn(&str) -> bool,
    /// The emulator definitions.
    pub catalog: &'a Catalog,
}

/// What happens to a candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Action {
    /// A game of its own.
    Import,
    /// A part of a game that is there.
    Merge,
    /// Nothing this time.
    Skip,
    /// Nothing, now and later.
    Exclude,
}

impl Schema for Action {
    const SCHEMA: &'static Type = &Type::Choice(&["import", "merge", "skip", "exclude"]);
}

/// How a game is to be launched.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum LaunchSetup {
    /// With an emulator definition.
    Adapter,
    /// With an emulator definition whose emulator is still to be installed.
    InstallFlatpak,
    /// With the command it brings.
    KeepCustom,
    /// Not yet.
    Incomplete,
}

impl Schema for LaunchSetup {
    const SCHEMA: &'static Type =
        &Type::Choice(&["adapter", "install_flatpak", "keep_custom", "incomplete"]);
}

/// An emulator chosen for a candidate.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Choice {
    /// The package id of the emulator; blank for none.
    #[serde(default)]
    pub emulator_id: String,
    /// The emulator definition; blank for none.
    #[serde(default)]
    pub adapter_id: String,
    /// How it is to be launched; none when not decided.
    #[serde(default)]
    pub launch_setup: Option<LaunchSetup>,
}

/// One decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decision {
    /// The candidate.
    pub candidate_id: String,
    /// The decision.
    pub action: Action,
    /// The game it is to be a part of.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub merge_target: String,
    /// The platform, where it was open; blank when not decided.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub platform: String,
    /// How it is to be launched.
    #[serde(flatten)]
    pub choice: Choice,
}

impl Choice {
    /// Whether an emulator definition is to play the game.
    pub fn is_adapter(&self) -> bool {
        let with = [Some(LaunchSetup::Adapter), Some(LaunchSetup::InstallFlatpak)];
        with.contains(&self.launch_setup)
    }

    /// Whether anything was chosen.
    pub fn is_made(&self) -> bool {
        *self != Self::default()
    }

    /// The unknown definition that it names.
    pub fn unknown_adapter(&self, catalog: &Catalog) -> Option<&str> {
        let named = Some(self.adapter_id.as_str()).filter(|_| self.is_adapter());
        named.filter(|id| !id.is_empty() && catalog.definition(id).is_none())
    }

    fn read(record: &Record, catalog: &Catalog) -> Result<Self, SetupError> {
        let refused = |text: &str| SetupError::Decision(text.to_owned());
        let launch_setup = match record.get("launch_setup") {
            None | Some(Value::Null) => None,
            Some(value) => Some(
                LaunchSetup::deserialize(value).map_err(|_| refused("Invalid launch_setup."))?,
            ),
        };
        let text = |key: &str| read_text(record, key);
        let (emulator_id, adapter_id) = (text("emulator_id")?, text("adapter_id")?);
        let choice = Self { emulator_id, adapter_id, launch_setup };
        let is_bare = choice.emulator_id.is_empty() || choice.adapter_id.is_empty();
        if choice.launch_setup == Some(LaunchSetup::Adapter) && is_bare {
            return Err(refused("adapter launch_setup requires emulator_id and adapter_id."));
        }
        let is_foreign = catalog
            .definition(&choice.adapter_id)
            .is_some_and(|known| !is_bare && known.app.id != choice.emulator_id);
        if is_foreign {
            return Err(refused("adapter_id does not belong to emulator_id."));
        }
        Ok(choice)
    }
}

impl Decision {
    fn read(value: &Value, known: &KnownCandidates<'_>) -> Result<Self, SetupError> {
        let refused = |text: &str| Err(SetupError::Decision(text.to_owned()));
        let (candidate_id, record) = identify(value, known)?;
        let action = record.get("action").map(Action::deserialize).and_then(Result::ok);
        let Some(action) = action else { return refused("Invalid decision action.") };
        let merge_target = read_text(&record, "merge_target")?;
        if action == Action::Merge && merge_target.is_empty() {
            return refused("merge_target is required for merge decisions.");
        }
        let platform = read_text(&record, "platform")?;
        if platform.chars().count() > PLATFORM_CHARS || platform.chars().any(char::is_control) {
            return refused("Invalid platform.");
        }
        let choice = Choice::read(&record, known.catalog)?;
        Ok(Self { candidate_id, action, merge_target, platform, choice })
    }
}

/// A text of a decision, trimmed; blank when it is not there.
fn read_text(record: &Record, key: &str) -> Result<String, SetupError> {
    match record.get(key) {
        None | Some(Value::Null) => Ok(String::new()),
        Some(Value::String(text)) => Ok(text.trim().to_owned()),
        Some(_) => Err(SetupError::Decision(format!("{key} must be a string."))),
    }
}

/// The candidate an element of a list names, and the element.
fn identify(value: &Value, known: &KnownCandidates<'_>) -> Result<(String, Record), SetupError> {
    let Some(map) = value.as_object() else {
        return Err(SetupError::Decision("Each item must be an object.".to_owned()));
    };
    let record = Record::from(map.clone());
    let id = record.shown("candidate_id");
    if (known.is_candidate)(&id) {
        return Ok((id, record));
    }
    Err(SetupError::Decision(format!("Unknown candidate_id: {id}")))
}

/// The elements of a page of decisions, not yet read.
///
/// # Errors
/// [`SetupError::Malformed`] when there are none or too many.
pub fn page(items: Option<&Value>) -> Result<&[Value], SetupError> {
    match items.and_then(Value::as_array) {
        Some(items) if items.len() > PAGE => {
            Err(SetupError::Malformed("At most 200 decisions are allowed per request."))
        }
        Some(items) if !items.is_empty() => Ok(items),
        _ => Err(SetupError::Malformed("items must be a non-empty array.")),
    }
}

/// Reads a page of decisions; the first one that is wrong refuses all.
///
/// # Errors
/// [`SetupError::Decision`].
pub fn read_page(
    items: &[Value],
    known: &KnownCandidates<'_>,
) -> Result<Vec<Decision>, SetupError> {
    items.iter().map(|item| Decision::read(item, known)).collect()
}

/// Reads the emulator choices of a commit: candidate and choice.
///
/// # Errors
/// [`SetupError::Malformed`] and [`SetupError::Decision`].
pub fn read_choices(
    body: &Map<String, Value>,
    known: &KnownCandidates<'_>,
) -> Result<Vec<(String, Choice)>, SetupError> {
    let list = match body.get("emulator_choices") {
        None | Some(Value::Null) => {
            return Err(SetupError::Malformed("emulator_choices is required."));
        }
        Some(Value::Array(list)) => list,
        Some(_) => return Err(SetupError::Malformed("emulator_choices must be an array.")),
    };
    let read = |value| {
        let (id, record) = identify(value, known)?;
        Ok((id, Choice::read(&record, known.catalog)?))
    };
    list.iter().map(read).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::definitions::bundled;

    fn with_known<T>(check: impl FnOnce(&KnownCandidates<'_>) -> T) -> T {
        let is_candidate = |id: &str| id == "c1" || id == "c2";
        check(&KnownCandidates { is_candidate: &is_candidate, catalog: &bundled::catalog() })
    }

    #[track_caller]
    fn check(item: Value, expected: Result<Decision, &str>) {
        let read = with_known(|known| read_page(std::slice::from_ref(&item), known));
        let read = read.map(|mut all| all.remove(0));
        let read = read.map_err(|error| error.to_string());
        assert_eq!(read, expected.map_err(str::to_owned), "{item}");
    }

    fn plain(action: Action) -> Decision {
        Decision {
            candidate_id: "c1".to_owned(),
            action,
            merge_target: String::new(),
            platform: String::new(),
            choice: Choice::default(),
        }
    }

    #[test]
    fn every_action_wants_what_it_needs() {
        for (name, action) in
            [("import", Action::Import), ("skip", Action::Skip), ("exclude", Action::Exclude)]
        {
            check(json!({"candidate_id": "c1", "action": name}), Ok(plain(action)));
        }
        check(
            json!({"candidate_id": "c1", "action": "merge", "merge_target": " game-1 "}),
            Ok(Decision { merge_target: "game-1".to_owned(), ..plain(Action::Merge) }),
        );
        for key in ["platform", "emulator_id", "adapter_id", "merge_target"] {
            let item = json!({"candidate_id": "c1", "action": "import", key: 5});
            check(item, Err(&format!("{key} must be a string.")));
        }
        let no_target = "merge_target is required for merge decisions.";
        check(json!({"candidate_id": "c1", "action": "merge"}), Err(no_target));
        check(
            json!({"candidate_id": "c1", "action": "merge", "merge_target": " "}),
            Err(no_target),
        );
        for action in [json!(null), json!("review"), json!("Import"), json!(1)] {
            check(json!({"candidate_id": "c1", "action": action}), Err("Invalid decision action."));
        }
        check(json!({"candidate_id": "c1"}), Err("Invalid decision action."));
        check(json!({"candidate_id": "x", "action": "skip"}), Err("Unknown candidate_id: x"));
        check(json!({"action": "skip"}), Err("Unknown candidate_id: "));
        check(json!("c1"), Err("Each item must be an object."));
    }

    #[test]
    fn emulators_and_platforms_are_checked() {
        let with = |more: Value| {
            let mut item = json!({"candidate_id": "c1", "action": "import"});
            item.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
            item
        };
        let needs = "adapter launch_setup requires emulator_id and adapter_id.";
        check(with(json!({"launch_setup": "adapter"})), Err(needs));
        check(with(json!({"launch_setup": "adapter", "adapter_id": "mame-arcade"})), Err(needs));
        check(with(json!({"launch_setup": "adapter", "emulator_id": "x"})), Err(needs));
        check(with(json!({"launch_setup": "later"})), Err("Invalid launch_setup."));
        check(with(json!({"launch_setup": 3})), Err("Invalid launch_setup."));
        let foreign = json!({"emulator_id": "org.other", "adapter_id": "mame-arcade"});
        check(with(foreign), Err("adapter_id does not belong to emulator_id."));
        let good = json!({"launch_setup": "adapter", "emulator_id": "org.mamedev.MAME",
            "adapter_id": "mame-arcade", "platform": " Arcade "});
        let choice = Choice {
            emulator_id: "org.mamedev.MAME".to_owned(),
            adapter_id: "mame-arcade".to_owned(),
            launch_setup: Some(LaunchSetup::Adapter),
        };
        let platform = "Arcade".to_owned();
        check(with(good), Ok(Decision { platform, choice, ..plain(Action::Import) }));
        check(with(json!({"platform": "x".repeat(201)})), Err("Invalid platform."));
        check(with(json!({"platform": "a\nb"})), Err("Invalid platform."));
        let edge = Decision { platform: "x".repeat(200), ..plain(Action::Import) };
        check(with(json!({"platform": "x".repeat(200)})), Ok(edge));
    }

    #[test]
    fn a_page_is_taken_whole_or_not_at_all() {
        let item = json!({"candidate_id": "c1", "action": "skip"});
        let refusal = |items: Value| page(Some(&items)).expect_err("refused").to_string();
        for items in [json!([]), json!(null), json!({}), json!("x")] {
            assert_eq!(refusal(items), "items must be a non-empty array.");
        }
        let most = "At most 200 decisions are allowed per request.";
        assert_eq!(refusal(vec![item.clone(); 201].into()), most);
        let items: Value = vec![item.clone(); 200].into();
        assert_eq!(page(Some(&items)).expect("taken").len(), 200);
        let mixed = [item, json!({"candidate_id": "c9", "action": "skip"})];
        let error = with_known(|known| read_page(&mixed, known)).expect_err("refused").to_string();
        assert_eq!(error, "Unknown candidate_id: c9");
    }

    #[test]
    fn choices_of_a_commit_are_required() {
        let refusal = |body: Value| {
            let body = body.as_object().expect("an object").clone();
            with_known(|known| read_choices(&body, known)).expect_err("refused").to_string()
        };
        assert_eq!(refusal(json!({})), "emulator_choices is required.");
        assert_eq!(refusal(json!({"emulator_choices": null})), "emulator_choices is required.");
        assert_eq!(refusal(json!({"emulator_choices": {}})), "emulator_choices must be an array.");
        let unknown = json!({"emulator_choices": [{"candidate_id": "c3"}]});
        assert_eq!(refusal(unknown), "Unknown candidate_id: c3");
        let none = Map::from_iter([("emulator_choices".to_owned(), json!([]))]);
        assert_eq!(with_known(|known| read_choices(&none, known)).expect("taken"), []);
    }
}
