//! The content of a preview by source and platform, and the folders whose platform can be chosen.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::{
    base::schema::schema,
    platforms,
    scan::{
        systems::{FolderChoices, FolderSystems},
        unknown::UnknownFiles,
    },
};

use super::{
    classify::{Group, Item},
    error::SetupError,
};

/// Folders of a request, and characters of the path of one.
const CHOICES: usize = 1_000;
const PATH_CHARS: usize = 4_096;
/// Rows of systems in a preview. Further platforms count in the row of their source without a name.
const SYSTEMS: usize = 2_000;
/// Folders of files of unknown type that a source reports: those with the most files.
const LEFT_FOLDERS: usize = 500;
/// Extensions that are reported of a folder.
const TOLD: usize = 6;
/// Platforms that are reported of a folder.
const PLATFORMS: usize = 3;

schema! {
    "SetupCounts"
    /// Candidates by group, and what could not be read.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
    pub struct Counts {
        /// New games.
        pub additions: u64,
        /// Known games that learn something.
        pub merges: u64,
        /// Known games.
        pub duplicates: u64,
        /// Games whose platform is open.
        pub ambiguities: u64,
        /// Games that are never imported.
        pub exclusions: u64,
        /// Games that nothing here plays.
        pub unsupported: u64,
        /// Sources, files and folders that could not be read.
        pub errors: u64,
    }
}

impl Counts {
    /// Counts one candidate.
    pub fn add(&mut self, group: Group) {
        *match group {
            Group::Additions => &mut self.additions,
            Group::Merges => &mut self.merges,
            Group::Duplicates => &mut self.duplicates,
            Group::Ambiguities => &mut self.ambiguities,
            Group::Exclusions => &mut self.exclusions,
            Group::Unsupported => &mut self.unsupported,
        } += 1;
    }

    /// The games that are not excluded.
    pub fn games(self) -> u64 {
        self.additions + self.merges + self.duplicates + self.ambiguities + self.unsupported
    }
}

schema! {
    "SetupSystem"
    /// The games of one platform in one source.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    pub struct SystemRow {
        /// The source, by position.
        pub source: usize,
        /// The platform; empty while it is open.
        pub platform: String,
        /// Its games by group; `errors` is 0.
        pub counts: Counts,
        /// Further versions that are grouped with these games.
        pub versions: u64,
    }

    "SetupFolder"
    /// A folder that decides the platform of what lies in it.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    pub struct FolderRow {
        /// The source, by position.
        pub source: usize,
        /// The folder, absolute.
        pub path: String,
        /// The platform that its name means or that was chosen for it.
        pub platform: Option<String>,
        /// Whether it was chosen.
        pub is_chosen: bool,
        /// Games in it.
        pub games: u64,
        /// Those of them whose platform is open.
        pub open: u64,
        /// The platforms of its games, the most frequent first; at most three.
        pub platforms: Vec<PlatformCount>,
        /// Files of unknown type.
        pub skipped: u64,
        /// The most frequent of them by extension, at most six.
        pub skipped_types: BTreeMap<String, usize>,
    }

    "SetupPlatformCount"
    /// Games of one platform.
    #[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize)]
    pub struct PlatformCount {
        /// The platform.
        pub platform: String,
        /// How many.
        pub games: u64,
    }

    "SetupFolders"
    /// A page of folders.
    pub struct FolderPage {
        /// The cursor of the request.
        pub cursor: Option<String>,
        /// The folders: those that need a choice first.
        pub folders: Vec<FolderRow>,
        /// The cursor of the next page, when there is one.
        pub next_cursor: Option<String>,
        /// The preview.
        pub preview_id: String,
        /// Of the preview.
        pub revision: u64,
    }
}

/// A folder with files of unknown type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LeftFolder {
    /// The folder that decides their platform.
    pub path: String,
    /// How many files.
    pub files: usize,
    /// The most frequent of them by extension.
    pub types: BTreeMap<String, usize>,
}

impl LeftFolder {
    /// The folders that a source reports.
    pub fn most(unknown: &UnknownFiles) -> Vec<Self> {
        let folder =
            |(path, files, types): (&str, _, _)| Self { path: path.to_owned(), files, types };
        let mut all: Vec<Self> = unknown.folders(TOLD).map(folder).collect();
        all.sort_by_key(|folder| std::cmp::Reverse(folder.files));
        all.truncate(LEFT_FOLDERS);
        all
    }
}

impl FolderRow {
    /// Whether the platform of its files is unknown.
    fn is_doubtful(&self) -> bool {
        self.platform.is_none() && (self.open > 0 || (self.games == 0 && self.skipped > 0))
    }
}

/// Counts the candidates of a preview.
pub struct Tally<'a> {
    roots: Vec<&'a str>,
    systems: &'a FolderSystems,
    rows: Vec<SystemRow>,
    by_name: HashMap<(usize, String), usize>,
    folders: BTreeMap<(usize, String), Folder>,
    /// The folder of the candidate before and the one that decides for it.
    last: (usize, String, String),
}

#[derive(Default)]
struct Folder {
    row: FolderRow,
    platforms: BTreeMap<String, u64>,
}

impl<'a> Tally<'a> {
    /// One for sources with these folders; a blank one has none whose platform can be chosen.
    pub fn new(roots: Vec<&'a str>, systems: &'a FolderSystems) -> Self {
        Self {
            roots,
            systems,
            rows: Vec::new(),
            by_name: HashMap::new(),
            folders: BTreeMap::new(),
            last: (usize::MAX, String::new(), String::new()),
        }
    }

    /// Counts a candidate; returns the row of its platform.
    pub fn add(&mut self, item: &Item) -> usize {
        let versions = item.candidate.record.list("version_candidates").len().saturating_sub(1);
        let at = self.row_of(item.candidate.source, item.platform());
        let row = &mut self.rows[at];
        row.counts.add(item.group);
        row.versions += versions as u64;
        self.add_to_folder(item);
        at
    }

    fn row_of(&mut self, source: usize, platform: &str) -> usize {
        let platform = if self.rows.len() < SYSTEMS { platform } else { "" };
        if let Some(at) = self.by_name.get(&(source, platform.to_owned())) {
            return *at;
        }
        let at = self.rows.len();
        self.by_name.insert((source, platform.to_owned()), at);
        self.rows.push(SystemRow { source, platform: platform.to_owned(), ..SystemRow::default() });
        at
    }

    fn add_to_folder(&mut self, item: &Item) {
        let source = item.candidate.source;
        let root = self.roots.get(source).copied().unwrap_or_default();
        let file = item.candidate.files().next().unwrap_or_default();
        let Some((folder, _)) = file.rsplit_once('/').filter(|_| !root.is_empty()) else { return };
        if (self.last.0, self.last.1.as_str()) != (source, folder) {
            let deciding = self.systems.deciding(root, folder).to_owned();
            self.last = (source, folder.to_owned(), deciding);
        }
        let folder = self.folders.entry((source, self.last.2.clone())).or_default();
        folder.row.games += 1;
        folder.row.open += u64::from(item.group == Group::Ambiguities);
        if !item.platform().is_empty() {
            *folder.platforms.entry(item.platform().to_owned()).or_default() += 1;
        }
    }

    /// Counts files that a source (by position) leaves out.
    pub fn add_left(&mut self, source: usize, left: &LeftFolder) {
        let folder = self.folders.entry((source, left.path.clone())).or_default();
        folder.row.skipped += left.files as u64;
        folder.row.skipped_types.clone_from(&left.types);
    }

    /// The rows of systems, and the folders: those that need a choice first.
    pub fn finish(self) -> (Vec<SystemRow>, Vec<FolderRow>) {
        let systems = self.systems;
        let shown = |((source, path), Folder { row, platforms }): ((usize, String), Folder)| {
            let own = systems.own(&path);
            let mut counts: Vec<PlatformCount> = platforms
                .into_iter()
                .map(|(platform, games)| PlatformCount { platform, games })
                .collect();
            counts.sort_by_key(|count| std::cmp::Reverse(count.games));
            counts.truncate(PLATFORMS);
            FolderRow {
                source,
                path,
                platform: own.map(|system| system.platform.name.to_owned()),
                is_chosen: own.is_some_and(|system| system.is_chosen),
                platforms: counts,
                ..row
            }
        };
        let mut folders: Vec<FolderRow> = self.folders.into_iter().map(shown).collect();
        folders.sort_by_key(|folder| !folder.is_doubtful());
        (self.rows, folders)
    }
}

/// Reads the choices of a request: folders to names of platforms, null or blank to reset one. `real` returns the
/// resolved path of a folder.
///
/// # Errors
/// [`SetupError::Choice`].
pub fn read_choices(
    value: Option<&Value>,
    real: impl Fn(&str) -> Option<String>,
) -> Result<FolderChoices, SetupError> {
    let choices = match value {
        None | Some(Value::Null) => return Ok(FolderChoices::new()),
        Some(Value::Object(choices)) if choices.len() <= CHOICES => choices,
        Some(_) => {
            let text = format!("platforms must map at most {CHOICES} folders to platforms.");
            return Err(SetupError::Choice(text));
        }
    };
    let refused = |text: String| Err(SetupError::Choice(text));
    let checked = |(path, name): (&String, &Value)| {
        let name = match name {
            Value::Null => "",
            Value::String(name) => name.trim(),
            other => return refused(format!("Unknown platform: {other}")),
        };
        let is_path =
            path.starts_with('/') && !path.contains('\0') && path.chars().count() <= PATH_CHARS;
        if !is_path {
            return refused(format!("Folder must be an absolute path: {path}"));
        }
        let platform = platforms::by_name(name);
        if platform.is_none() && !name.is_empty() {
            return refused(format!("Unknown platform: {name}"));
        }
        // A folder that is not there now keeps its name.
        let path = real(path).unwrap_or_else(|| path.trim_end_matches('/').to_owned());
        Ok((path, platform.map_or_else(String::new, |platform| platform.name.to_owned())))
    };
    choices.iter().map(checked).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::{
        definitions::bundled,
        model::State,
        setup::{candidate::Candidate, classify::Classifier},
    };

    #[test]
    fn choices_are_checked() {
        let real = |path: &str| (path == "/link").then(|| "/real".to_owned());
        let checked =
            |value: Value| read_choices(Some(&value), real).map_err(|error| error.to_string());
        let expected = FolderChoices::from([
            ("/no/a".to_owned(), "NES".to_owned()),
            ("/real".to_owned(), String::new()),
        ]);
        assert_eq!(checked(json!({"/no/a/": " nes ", "/link": null})), Ok(expected));
        assert_eq!(checked(json!(null)), Ok(FolderChoices::new()));
        for (value, expected) in [
            (json!([]), "platforms must map at most 1000 folders to platforms."),
            (json!({"/r": "Jump Station"}), "Unknown platform: Jump Station"),
            (json!({"/r": 7}), "Unknown platform: 7"),
            (json!({"r": "NES"}), "Folder must be an absolute path: r"),
            (json!({"/a\0": "NES"}), "Folder must be an absolute path: /a\0"),
        ] {
            assert_eq!(checked(value), Err(expected.to_owned()));
        }
    }

    fn candidate(path: &str, platform: &str, versions: &[&str]) -> Candidate {
        let record = json!({"name": path, "path": path, "platform": platform, "version_candidates": versions});
        Candidate {
            record: serde_json::from_value(record).expect("an object"),
            is_file: true,
            is_ambiguous: platform == "Disc image",
            ..Candidate::default()
        }
    }

    #[test]
    fn games_are_counted_by_system_and_by_folder() {
        let left = LeftFolder {
            path: "/r/md".to_owned(),
            files: 4,
            types: BTreeMap::from([("md".to_owned(), 4)]),
        };
        let choices = FolderChoices::from([("/r/odd".to_owned(), "Wii".to_owned())]);
        let systems = FolderSystems::default().with(&choices);
        let (state, catalog) = (State::default(), bundled::catalog());
        let mut classifier = Classifier::new(&state, &catalog);
        let mut tally = Tally::new(vec!["/r"], &systems);
        let mut add = |path, platform, versions: &[&str]| {
            tally.add(&classifier.sort(candidate(path, platform, versions)))
        };
        assert_eq!(add("/r/nes/a.nes", "NES", &["/r/nes/a.nes", "/r/nes/b.nes"]), 0);
        assert_eq!(add("/r/new/1/a.iso", "Disc image", &[]), 1);
        assert_eq!(add("/r/new/2/b.nes", "NES", &[]), 0);
        assert_eq!(add("/r/odd/c.iso", "Wii", &[]), 2);
        tally.add_left(0, &left);
        let (rows, folders) = tally.finish();
        let shown = |row: &SystemRow| (row.platform.clone(), row.counts.additions, row.versions);
        assert_eq!(
            rows.iter().map(shown).collect::<Vec<_>>(),
            [("NES".to_owned(), 2, 1), (String::new(), 0, 0), ("Wii".to_owned(), 1, 0)]
        );
        let shown = |row: &FolderRow| {
            (
                row.path.clone(),
                row.platform.clone(),
                row.is_chosen,
                row.games,
                row.open,
                row.skipped,
            )
        };
        let row = |path: &str, platform: Option<&str>, is_chosen, games, open, skipped| {
            (path.to_owned(), platform.map(str::to_owned), is_chosen, games, open, skipped)
        };
        assert_eq!(
            folders.iter().map(shown).collect::<Vec<_>>(),
            [
                row("/r/new", None, false, 2, 1, 0),
                row("/r/md", Some("Sega Genesis"), false, 0, 0, 4),
                row("/r/nes", Some("NES"), false, 1, 0, 0),
                row("/r/odd", Some("Wii"), true, 1, 0, 0),
            ]
        );
    }

    #[test]
    fn platforms_behind_the_last_row_count_together() {
        let systems = FolderSystems::default();
        let mut tally = Tally::new(Vec::new(), &systems);
        for number in 0..SYSTEMS {
            assert_eq!(tally.row_of(0, &number.to_string()), number);
        }
        assert_eq!(tally.row_of(0, "one more"), SYSTEMS);
        assert_eq!(tally.row_of(0, "and another"), SYSTEMS);
    }
}
