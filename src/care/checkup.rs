//! The problems of a library, found in one pass (`GET /api/health`): duplicates, missing files,
//! missing covers, and games that cannot start.

use std::{collections::HashSet, path::Path};

use serde_json::{Map, Value};

use crate::{
    base::{named::named, schema::schema, text},
    formats::m3u,
    game::duplicates::{Duplicates, Identities},
    model::{Record, State},
    probe::disk::Disk,
};

/// Extensions of files that need an emulator.
const EMULATED: [&str; 8] = [".rom", ".nes", ".sfc", ".smc", ".gba", ".gb", ".gbc", ".iso"];

named! {
    /// What is wrong with a game.
    pub enum IssueKind {
        /// It duplicates an earlier game.
        Duplicate = "Duplicate",
        /// Its file is gone.
        MissingGame = "Missing game",
        /// It has no cover on disk.
        MissingBoxFront = "Missing box front",
        /// The file of an application, a version or a document is gone.
        MissingExtra = "Missing extra",
        /// A save path is gone.
        MissingSavePath = "Missing save path",
        /// Its file needs an emulator, and it has no command.
        NoEmulator = "No emulator",
    }
}

schema! {
    "CheckupIssue"
    /// One finding about one game.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Issue {
        /// Position of the game in the library.
        pub id: usize,
        /// Its name.
        pub game: String,
        /// What is wrong.
        #[serde(rename = "type")]
        pub kind: IssueKind,
        /// The path, platform or record it is about.
        pub detail: String,
    }

    /// All findings, in library order.
    #[derive(Clone, Debug, Default, PartialEq, Eq)]
    pub struct Checkup {
        /// Games in the library.
        pub games: usize,
        /// Games whose file is gone.
        pub missing: usize,
        /// Games that duplicate an earlier one.
        pub duplicates: usize,
        /// Games without a path that are not shelf entries.
        pub unconfigured: usize,
        /// Games without a cover on disk.
        pub missing_media: usize,
        /// The findings.
        pub issues: Vec<Issue>,
    }
}

/// Checks every game; the disk is asked once for each chunk of them.
pub fn check(state: &State, disk: &dyn Disk) -> Checkup {
    let profiles = state.section("profiles").as_object().cloned().unwrap_or_default();
    let mut found = Checkup { games: state.games.len(), ..Checkup::default() };
    let mut duplicates = Duplicates::default();
    let mut first = 0;
    for chunk in state.games.chunks() {
        let records: Vec<Record> = chunk.iter().map(|game| game.record()).collect();
        let paths: Vec<&str> = records.iter().flat_map(paths_of).collect();
        let existing = disk.existing(&paths);
        for (at, record) in records.iter().enumerate() {
            let position = first + at;
            duplicates.enter(position, Identities::of(record));
            let context = CheckContext { record, existing: &existing, disk, profiles: &profiles };
            found.add(position, &context);
        }
        first += chunk.len();
    }
    found.add_duplicates(duplicates, state);
    found
}

/// Every absolute path a record names that ought to exist.
fn paths_of(record: &Record) -> impl Iterator<Item = &str> {
    let single = ["path", "cover"].into_iter().map(|key| record.text(key));
    single
        .chain(first_disc(record))
        .chain(extras(record))
        .chain(record.texts("save_paths"))
        .filter(|path| path.starts_with('/'))
}

/// The disc that the playlist of a record names first; `None` where it is not known, or no playlist.
pub(super) fn first_disc(record: &Record) -> Option<&str> {
    let is_list = m3u::is_list(Path::new(record.text("path")));
    record.texts("discs").next().filter(|disc| is_list && disc.starts_with('/'))
}

/// The file of a record that is gone: its own, else the first disc of its playlist. Nothing is read for
/// that: the discs are those that the last import found in the playlist.
pub(super) fn missing_file(record: &Record, exists: impl Fn(&str) -> bool) -> Option<&str> {
    let path = record.text("path");
    if exists(path) { first_disc(record).filter(|disc| !exists(disc)) } else { Some(path) }
}

/// The paths of the applications, versions and documents of a record.
pub(super) fn extras(record: &Record) -> impl Iterator<Item = &str> {
    let lists = ["applications", "versions", "documents"].into_iter();
    let entries = lists.flat_map(|key| record.list(key));
    entries.filter_map(|entry| entry.get("path")?.as_str()).filter(|path| !path.is_empty())
}

struct CheckContext<'a> {
    record: &'a Record,
    existing: &'a HashSet<String>,
    disk: &'a dyn Disk,
    profiles: &'a Map<String, Value>,
}

impl CheckContext<'_> {
    fn exists(&self, path: &str) -> bool {
        self.existing.contains(path)
    }

    fn has_cover(&self) -> bool {
        let cover = self.record.text("cover");
        !cover.is_empty() && self.disk.is_media(cover) && self.exists(cover)
    }
}

/// Whether the file of a record needs an emulator and none is assigned. `profiles` holds the commands
/// of the platforms.
pub(super) fn lacks_emulator(record: &Record, profiles: &Map<String, Value>) -> bool {
    let path = text::fold(record.text("path"));
    let has_profile = |name: &str| {
        let command = profiles.get(name.trim()).and_then(Value::as_str);
        command.is_some_and(|command| !command.trim().is_empty())
    };
    EMULATED.iter().any(|ending| path.ends_with(ending))
        && record.text("launch").trim().is_empty()
        && !has_profile(record.text("platform"))
        && !has_profile(record.text("launch_profile"))
}

impl Checkup {
    /// Adds the duplicates, each before what else is wrong with its game. They are known when all games were checked: a
    /// later one may connect two earlier ones.
    fn add_duplicates(&mut self, duplicates: Duplicates, state: &State) {
        for (id, found) in duplicates.finish() {
            let name = state.games.get(found.earlier).map_or("", |game| game.name());
            let detail = format!("Matches {name}; identity {}", found.identity);
            let game = state.games.get(id).map(|game| game.record().shown("name"));
            let kind = IssueKind::Duplicate;
            self.issues.push(Issue { id, game: game.unwrap_or_default(), kind, detail });
            self.duplicates += 1;
        }
        self.issues.sort_by_key(|issue| (issue.id, issue.kind != IssueKind::Duplicate));
    }

    fn add(&mut self, position: usize, context: &CheckContext<'_>) {
        let record = context.record;
        let mut issues: Vec<(IssueKind, String)> = Vec::new();
        // A shelf entry stands for something that is not on this machine.
        if !record.flag("manual_entry") {
            let path = record.text("path");
            if path.trim().is_empty() {
                self.unconfigured += 1;
            } else if let Some(gone) = missing_file(record, |path| context.exists(path)) {
                self.missing += 1;
                issues.push((IssueKind::MissingGame, gone.to_owned()));
            }
            if !context.has_cover() {
                self.missing_media += 1;
                issues.push((IssueKind::MissingBoxFront, "No local cover image".to_owned()));
            }
            let gone = |path: &&str| !context.exists(path);
            issues.extend(
                extras(record).filter(gone).map(|path| (IssueKind::MissingExtra, path.to_owned())),
            );
            let saves = record.texts("save_paths").filter(|path| !path.is_empty()).filter(gone);
            issues.extend(saves.map(|path| (IssueKind::MissingSavePath, path.to_owned())));
            if lacks_emulator(record, context.profiles) {
                issues.push((IssueKind::NoEmulator, record.text("platform").to_owned()));
            }
        }
        let name = record.shown("name");
        self.issues.extend(issues.into_iter().map(|(kind, detail)| Issue {
            id: position,
            game: name.clone(),
            kind,
            detail,
        }));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Draft;

    struct Everything;

    impl Disk for Everything {
        fn existing(&self, paths: &[&str]) -> HashSet<String> {
            paths
                .iter()
                .filter(|path| path.contains("/here"))
                .map(|path| (*path).to_owned())
                .collect()
        }

        fn is_media(&self, path: &str) -> bool {
            path.starts_with("/media/")
        }
    }

    #[test]
    fn every_kind_of_finding_has_its_reason() {
        let mut draft = Draft::new(State::default());
        draft.set_section("profiles", json!({"SNES": "x {path}", "Blank": " "}));
        let whole = |name: &str| json!({"game_id": name, "name": name, "path": format!("/here/{name}"), "cover": "/media/here.png"});
        let with = |name: &str, more: Value| {
            let mut record = whole(name);
            record
                .as_object_mut()
                .expect("an object")
                .extend(more.as_object().expect("one").clone());
            record
        };
        for record in [
            whole("a"),
            with("b", json!({"path": "/here/a"})),
            with("c", json!({"path": "/gone", "cover": "/here.png"})),
            with("d", json!({"path": ""})),
            with(
                "e",
                json!({"manual_entry": true, "path": "", "cover": "", "save_paths": ["/gone"]}),
            ),
            with(
                "f",
                json!({"versions": [{"path": "/gone/v"}, {"path": "/here/v"}], "save_paths": ["", "/gone/s"]}),
            ),
            with("g.NES", json!({"platform": "Blank"})),
            with("h.sfc", json!({"platform": "SNES"})),
            with("i.gba", json!({"launch": "x"})),
            with("j.m3u", json!({"discs": ["/gone/1", "/here/2"]})),
            with("k.m3u", json!({"discs": ["/here/1", "/gone/2"]})),
            with("l.cue", json!({"discs": ["/gone/1"]})),
            with("m", json!({"store_a_app_id": 1})),
            with("n", json!({"libserver_id": 55})),
            with("o", json!({"store_a_app_id": 1, "libserver_id": 55})),
        ] {
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        }
        let found = check(draft.state(), &Everything);
        let issues: Vec<(usize, IssueKind, &str)> = found
            .issues
            .iter()
            .map(|issue| (issue.id, issue.kind, issue.detail.as_str()))
            .collect();
        let expected = [
            (1, IssueKind::Duplicate, "Matches a; identity path:/here/a"),
            (2, IssueKind::MissingGame, "/gone"),
            (2, IssueKind::MissingBoxFront, "No local cover image"),
            (5, IssueKind::MissingExtra, "/gone/v"),
            (5, IssueKind::MissingSavePath, "/gone/s"),
            (6, IssueKind::NoEmulator, "Blank"),
            (9, IssueKind::MissingGame, "/gone/1"),
            (13, IssueKind::Duplicate, "Matches m; identity libserver:55"),
            (14, IssueKind::Duplicate, "Matches m; identity store_a:1"),
        ];
        assert_eq!(issues, expected);
        let counts =
            (found.games, found.missing, found.duplicates, found.unconfigured, found.missing_media);
        assert_eq!(counts, (15, 2, 3, 1, 1));
    }
}
