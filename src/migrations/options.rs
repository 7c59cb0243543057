//! The options of a request: paths, overwriting and emulators.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::error::MigrationError;

/// Entries of a list of options.
const ENTRIES: usize = 500;

/// The options of an import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Places of the other program with the places they are here, the longest first.
    mappings: Vec<(String, String)>,
    /// Fields whose set values may change.
    overwrite: Overwrite,
    /// Where relative paths of the list count from; empty for the folder of the list.
    pub relative_root: String,
    /// What stands for an emulator of the other program, by its id there.
    pub emulators: Map<String, Value>,
    /// Ids that are not imported.
    pub excluded: BTreeSet<String>,
    /// Whether pictures outside of the approved folders are copied in.
    pub copies_media: bool,
    /// As they were given.
    pub given: Value,
}

/// Which set values may change.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Overwrite {
    #[default]
    None,
    All,
    Named(BTreeSet<String>),
}

impl Options {
    /// Reads the options of a body.
    ///
    /// # Errors
    /// [`MigrationError::Options`] with what is wrong.
    pub fn read(value: Option<&Value>) -> Result<Self, MigrationError> {
        let wrong = MigrationError::Options;
        let empty = Map::new();
        let map = match value {
            None | Some(Value::Null) => &empty,
            Some(Value::Object(map)) => map,
            Some(_) => return Err(wrong("options must be an object.")),
        };
        let text = |key: &str| match map.get(key) {
            None | Some(Value::Null) => Ok(String::new()),
            Some(Value::String(text)) => Ok(text.trim().to_owned()),
            Some(_) => Err(wrong("Roots must be text.")),
        };
        let mut mappings = read_mappings(map.get("path_mappings"))?;
        let (source, destination) = (text("source_root")?, text("destination_root")?);
        if !source.is_empty() && !destination.is_empty() {
            mappings.push((slashes(&source), destination));
        }
        mappings.sort_by(|a, b| b.0.len().cmp(&a.0.len()).then_with(|| a.cmp(b)));
        let emulators = match map.get("emulator_mappings") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(map)) if map.len() <= ENTRIES => map.clone(),
            Some(_) => return Err(wrong("emulator_mappings must be an object.")),
        };
        let copies_media = match map.get("copy_media") {
            None | Some(Value::Null) => false,
            Some(Value::Bool(copies)) => *copies,
            Some(_) => return Err(wrong("copy_media must be a boolean.")),
        };
        Ok(Self {
            mappings,
            copies_media,
            overwrite: read_overwrite(map.get("overwrite_fields"))?,
            relative_root: text("relative_root")?,
            emulators,
            excluded: read_names(
                map.get("import_exclusions"),
                "import_exclusions must be a list of ids.",
            )?,
            given: Value::Object(map.clone()),
        })
    }

    /// Whether a set value of this field may change.
    pub fn overwrites(&self, field: &str) -> bool {
        match &self.overwrite {
            Overwrite::None => false,
            Overwrite::All => true,
            Overwrite::Named(names) => names.contains(field),
        }
    }

    /// A place of the other program as the place it is here; unchanged when no mapping covers it.
    /// Case is ignored, as the file systems of the other program do.
    pub fn map(&self, path: &str) -> String {
        let path = slashes(path);
        for (source, destination) in &self.mappings {
            let source = source.trim_end_matches('/');
            let Some(head) = path.get(..source.len()) else { continue };
            let rest = &path[source.len()..];
            let is_whole = rest.is_empty() || rest.starts_with('/');
            if head.to_lowercase() == source.to_lowercase() && is_whole {
                return format!("{}{rest}", destination.trim_end_matches('/'));
            }
        }
        path
    }
}

fn slashes(path: &str) -> String {
    path.trim().replace('\\', "/")
}

fn read_mappings(value: Option<&Value>) -> Result<Vec<(String, String)>, MigrationError> {
    let wrong = || MigrationError::Options("path_mappings must be a map or a list of pairs.");
    let pair = |entry: &Value| {
        let first = |keys: &[&str]| keys.iter().find_map(|key| entry.get(*key)?.as_str());
        let source = first(&["source", "from", "windows_root"])?;
        let destination = first(&["destination", "to", "local_root"])?;
        Some((slashes(source), destination.trim().to_owned()))
    };
    let pairs: Option<Vec<_>> = match value {
        None | Some(Value::Null) => Some(Vec::new()),
        Some(Value::Object(map)) => map
            .iter()
            .map(|(source, to)| Some((slashes(source), to.as_str()?.trim().to_owned())))
            .collect(),
        Some(Value::Array(list)) => list.iter().map(pair).collect(),
        Some(_) => None,
    };
    let pairs = pairs.filter(|pairs| pairs.len() <= ENTRIES).ok_or_else(wrong)?;
    let usable = |(source, to): &(String, String)| !source.is_empty() && to.starts_with('/');
    if pairs.iter().all(usable) { Ok(pairs) } else { Err(wrong()) }
}

fn read_overwrite(value: Option<&Value>) -> Result<Overwrite, MigrationError> {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => Ok(Overwrite::None),
        Some(Value::Bool(true)) => Ok(Overwrite::All),
        Some(Value::String(name)) => Ok(Overwrite::Named(BTreeSet::from([name.trim().to_owned()]))),
        list => {
            let names = read_names(list, "overwrite_fields must be true, a name or a list.")?;
            Ok(Overwrite::Named(names))
        }
    }
}

fn read_names(
    value: Option<&Value>,
    wrong: &'static str,
) -> Result<BTreeSet<String>, MigrationError> {
    let list = match value {
        None | Some(Value::Null) => return Ok(BTreeSet::new()),
        Some(Value::Array(list)) if list.len() <= ENTRIES => list,
        Some(_) => return Err(MigrationError::Options(wrong)),
    };
    let name = |name: &Value| match name {
        Value::String(name) => Some(name.trim().to_owned()),
        Value::Number(number) => Some(number.to_string()),
        // As `GET /api/import/exclusions` gives them.
        Value::Object(exclusion) => Some(exclusion.get("external_id")?.as_str()?.trim().to_owned()),
        _ => None,
    };
    let names: Option<BTreeSet<String>> = list.iter().map(name).collect();
    names.ok_or(MigrationError::Options(wrong))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_longest_mapping_counts_and_only_at_whole_names() {
        let options = Options::read(Some(&json!({"path_mappings": {
            "C:\\Games": "/games", "c:/games/NES/": "/nes/"}})));
        let options = options.expect("usable");
        for (path, expected) in [
            ("C:\\Games\\a.zip", "/games/a.zip"),
            ("c:\\GAMES\\nes\\b.nes", "/nes/b.nes"),
            ("C:\\Gamesmanship\\a", "C:/Gamesmanship/a"),
            ("C:\\Games", "/games"),
            ("/other", "/other"),
        ] {
            assert_eq!(options.map(path), expected, "{path}");
        }
        let list = json!({"path_mappings": [{"from": "D:", "to": "/d"}, {"windows_root": "E:", "local_root": "/e"}],
            "source_root": "F:\\", "destination_root": "/f"});
        let options = Options::read(Some(&list)).expect("usable");
        assert_eq!((options.map("D:\\x"), options.map("F:\\x")), ("/d/x".into(), "/f/x".into()));
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        for bad in [
            json!([]),
            json!({"path_mappings": "x"}),
            json!({"path_mappings": {"a": 1}}),
            json!({"path_mappings": {"a": "relative"}}),
            json!({"path_mappings": [{"source": "a"}]}),
            json!({"overwrite_fields": 1}),
            json!({"overwrite_fields": [true]}),
            json!({"import_exclusions": "x"}),
            json!({"emulator_mappings": []}),
            json!({"relative_root": 1}),
            json!({"copy_media": "yes"}),
        ] {
            assert!(matches!(Options::read(Some(&bad)), Err(MigrationError::Options(_))), "{bad}");
        }
        for (value, name, all) in [
            (json!(true), true, true),
            (json!("name"), true, false),
            (json!(["name"]), true, false),
        ] {
            let options = Options::read(Some(&json!({"overwrite_fields": value}))).expect("usable");
            assert_eq!((options.overwrites("name"), options.overwrites("x")), (name, all));
        }
    }
}
