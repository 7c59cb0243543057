//! What a backup can hold, and the two requests read and written.

use crate::base::named::named;

use serde_json::{Map, Value, json};

use super::error::BackupError;

/// The key in the input of a job that was not requested.
const AUTOMATIC: &str = "automatic";

named! {
    /// One selectable part of a backup.
    #[derive(PartialOrd, Ord)]
    pub enum Item {
        /// The settings, without credentials.
        Settings = "settings",
        /// The whole library.
        Library = "library",
        /// The media tree.
        Media = "media",
        /// The installed plugins.
        Plugins = "plugins",
        /// The style sheets.
        Themes = "themes",
        /// The data of plugins.
        ExtensionData = "extension_data",
    }
}

impl Item {
    /// What is archived by default.
    pub const DEFAULT: [Self; 2] = [Self::Library, Self::Settings];

    /// The folder of the data directory it is, and the one it has in the archive; `None` for single
    /// members.
    pub const fn tree(self) -> Option<&'static str> {
        match self {
            Self::Settings | Self::Library => None,
            Self::Media => Some("media"),
            Self::Plugins => Some("plugins"),
            Self::Themes => Some("themes"),
            Self::ExtensionData => Some("extension-data"),
        }
    }

    /// Whether a member of an archive lies in the tree that this item is.
    pub fn owns(self, member: &str) -> bool {
        let inside = |tree| member.strip_prefix(tree).is_some_and(|rest| rest.starts_with('/'));
        self.tree().is_some_and(inside)
    }

    /// The item with this name, whatever its case.
    pub fn read(name: &str) -> Option<Self> {
        Self::named(&name.trim().to_lowercase())
    }
}

/// The names of items, in their order.
pub fn names(items: &[Item]) -> Vec<&'static str> {
    items.iter().map(|item| item.name()).collect()
}

/// The known items among names, each once, in the order in which they are named.
///
/// # Errors
/// [`BackupError::NoItems`] when there is none.
pub fn select(named: &[&str]) -> Result<Vec<Item>, BackupError> {
    let mut items = Vec::new();
    for item in named.iter().copied().filter_map(Item::read) {
        if !items.contains(&item) {
            items.push(item);
        }
    }
    if items.is_empty() { Err(BackupError::NoItems) } else { Ok(items) }
}

fn selected(body: &Map<String, Value>) -> Result<Option<Vec<Item>>, BackupError> {
    match body.get("items") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::Array(list)) => {
            let named: Vec<&str> = list.iter().filter_map(Value::as_str).collect();
            select(&named).map(Some)
        }
        Some(_) => Err(BackupError::NoItems),
    }
}

/// A backup that was asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CreateRequest {
    /// What it holds.
    pub items: Vec<Item>,
    /// How many archives remain afterwards, this one included; 0 keeps all.
    pub keep: usize,
    /// Whether the schedule started it.
    pub automatic: bool,
    /// Whether it is made before a change from other libraries. Only archives made for the same reason
    /// make room for it.
    pub is_recovery: bool,
}

impl CreateRequest {
    /// Reads a request body. What comes from outside is never automatic.
    ///
    /// # Errors
    /// No known item, or a `keep` that is not a count.
    pub fn read(body: &Map<String, Value>) -> Result<Self, BackupError> {
        let items = selected(body)?.unwrap_or_else(|| Item::DEFAULT.to_vec());
        let keep = match body.get("keep") {
            None | Some(Value::Null) => 0,
            Some(value) => {
                let keep = value
                    .as_i64()
                    .ok_or(BackupError::BadKey { key: "keep", what: "an integer" })?;
                usize::try_from(keep).map_err(|_| BackupError::Retention)?
            }
        };
        Ok(Self { items, keep, ..Self::default() })
    }

    /// Reads the input of a job.
    ///
    /// # Errors
    /// As [`CreateRequest::read`].
    pub fn read_input(input: &Map<String, Value>) -> Result<Self, BackupError> {
        let automatic = input.get(AUTOMATIC).and_then(Value::as_bool).unwrap_or(false);
        Ok(Self { automatic, ..Self::read(input)? })
    }

    /// The input of the job; reads back as the same request.
    pub fn to_input(&self) -> Map<String, Value> {
        let mut input = Map::from_iter([
            ("items".to_owned(), json!(names(&self.items))),
            ("keep".to_owned(), json!(self.keep)),
        ]);
        if self.automatic {
            input.insert(AUTOMATIC.to_owned(), true.into());
        }
        input
    }
}

/// A restore that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoreRequest {
    /// The archive: an absolute path, or one relative to the folder of backups.
    pub path: String,
    /// What is restored; `None` is everything the archive holds.
    pub items: Option<Vec<Item>>,
    /// Whether an archive older than the library may replace it.
    pub force: bool,
}

impl RestoreRequest {
    /// Reads a request body, or the input of a job.
    ///
    /// # Errors
    /// No path, no known item, or a `force` that is not a boolean.
    pub fn read(body: &Map<String, Value>) -> Result<Self, BackupError> {
        let path = body.get("path").and_then(Value::as_str).map_or("", str::trim).to_owned();
        if path.is_empty() {
            return Err(BackupError::Place);
        }
        let force = match body.get("force") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(force)) => *force,
            Some(_) => return Err(BackupError::BadKey { key: "force", what: "true or false" }),
        };
        Ok(Self { path, items: selected(body)?, force })
    }

    /// The input of the job; reads back as the same request.
    pub fn to_input(&self) -> Map<String, Value> {
        Map::from_iter([
            ("path".to_owned(), json!(self.path)),
            ("items".to_owned(), json!(self.items.as_deref().map(names))),
            ("force".to_owned(), json!(self.force)),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn map(value: Value) -> Map<String, Value> {
        value.as_object().cloned().unwrap_or_default()
    }

    #[track_caller]
    fn check(body: Value, expected: Result<(&[&str], usize), &str>) {
        let read = CreateRequest::read(&map(body));
        let read = read.map_err(|error| error.to_string());
        let shown = read.as_ref().map(|request| (names(&request.items), request.keep));
        let expected = expected.map(|(items, keep)| (items.to_vec(), keep));
        assert_eq!(shown.map_err(String::as_str), expected);
        if let Ok(request) = read {
            assert_eq!(CreateRequest::read(&request.to_input()).expect("reads back"), request);
            let automatic = CreateRequest { automatic: true, ..request };
            let input = automatic.to_input();
            assert_eq!(CreateRequest::read_input(&input).expect("reads back"), automatic);
            assert!(!CreateRequest::read(&input).expect("reads").automatic);
        }
    }

    #[test]
    fn items_are_folded_and_named_once() {
        let none = "Select at least one backup item.";
        check(json!({}), Ok((&["library", "settings"], 0)));
        check(json!({"items": null, "keep": null}), Ok((&["library", "settings"], 0)));
        let mixed = json!(["Media", " LIBRARY", "media", "nothing", 3]);
        check(json!({"items": mixed, "keep": 3}), Ok((&["media", "library"], 3)));
        for bad in [json!([]), json!(["all"]), json!("library"), json!([1]), json!({})] {
            check(json!({"items": bad}), Err(none));
        }
        check(json!({"keep": -1}), Err("Backup retention must be at least 1."));
        check(json!({"keep": "2"}), Err("keep must be an integer."));
        check(json!({"keep": 0}), Ok((&["library", "settings"], 0)));
    }

    #[test]
    fn a_restore_reads_back() {
        for body in [
            json!({"path": " a.zip "}),
            json!({"path": "/x/a.zip", "items": ["Media"], "force": true}),
        ] {
            let request = RestoreRequest::read(&map(body)).expect("read");
            assert_eq!(RestoreRequest::read(&request.to_input()).expect("reads back"), request);
        }
        for bad in [json!({}), json!({"path": 3}), json!({"path": "a", "force": 1})] {
            assert!(RestoreRequest::read(&map(bad)).is_err());
        }
    }
}
