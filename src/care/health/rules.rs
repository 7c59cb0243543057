//! What lowers the health of a library, and by how many points.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::{
    base::named::named,
    care::checkup::{extras, first_disc, lacks_emulator, missing_file},
    game::duplicates::{Duplicates, Identities},
    model::{Games, Record, State, media},
    probe::disk::Disk,
};

named! {
    /// The parts of a score.
    pub enum Dimension {
        /// Files, extra files and saves are where they should be.
        FileIntegrity = "file_integrity",
        /// No game is there twice.
        Duplicates = "duplicates",
        /// Games have their pictures.
        Artwork = "artwork",
        /// Games are described.
        Metadata = "metadata",
        /// Games can be started.
        LaunchReadiness = "launch_readiness",
    }
}

impl Dimension {
    /// How much of the score it makes, in percent.
    pub const fn weight(self) -> u32 {
        match self {
            Self::FileIntegrity => 35,
            Self::Duplicates | Self::Artwork => 20,
            Self::Metadata => 15,
            Self::LaunchReadiness => 10,
        }
    }
}

named! {
    /// What is wrong with a game.
    pub enum Code {
        /// It is an earlier one once more.
        Duplicate = "duplicate",
        /// Its file is gone.
        MissingGame = "missing_game",
        /// An application, a version or a document is gone.
        MissingExtra = "missing_extra",
        /// A save path is gone.
        MissingSavePath = "missing_save_path",
        /// It has no cover.
        MissingCover = "missing_cover",
        /// It lacks another picture.
        MissingArtwork = "missing_artwork",
        /// It lacks a field.
        MissingMetadata = "missing_metadata",
        /// Its file needs an emulator, and it has no command.
        NoEmulator = "no_emulator",
        /// It was flagged as broken.
        Broken = "broken",
    }
}

impl Code {
    /// The dimension that it lowers.
    pub const fn dimension(self) -> Dimension {
        match self {
            Self::Duplicate => Dimension::Duplicates,
            Self::MissingGame | Self::MissingExtra | Self::MissingSavePath => {
                Dimension::FileIntegrity
            }
            Self::MissingCover | Self::MissingArtwork => Dimension::Artwork,
            Self::MissingMetadata => Dimension::Metadata,
            Self::NoEmulator | Self::Broken => Dimension::LaunchReadiness,
        }
    }
}

/// One thing that lowers the score. Small, because a library may have a million of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// Position of the game in the library.
    pub position: u32,
    /// What is wrong.
    pub code: Code,
    /// By how much it lowers its dimension; 0 beyond the most that a game can lower it.
    pub points: u8,
    /// Its subject.
    pub about: About,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum About {
    /// A field, or a fixed text.
    Known(&'static str),
    /// A path or a platform.
    Text(Box<str>),
    /// An earlier game, and the identity that both have.
    Earlier(u32, Box<str>),
}

impl Finding {
    /// What is shown as the reason.
    pub fn reason(&self) -> String {
        match (self.code, &self.about) {
            (Code::Duplicate, _) => "Duplicate entry".to_owned(),
            (Code::MissingGame, _) => "Missing game file".to_owned(),
            (Code::MissingExtra, _) => "Missing extra file".to_owned(),
            (Code::MissingSavePath, _) => "Missing save path".to_owned(),
            (Code::MissingCover, _) => "Missing box front".to_owned(),
            (Code::NoEmulator, _) => "No emulator profile".to_owned(),
            (Code::Broken, _) => "Flagged broken".to_owned(),
            (Code::MissingArtwork | Code::MissingMetadata, About::Known(field)) => {
                format!("Missing {field}")
            }
            (Code::MissingArtwork | Code::MissingMetadata, _) => "Missing".to_owned(),
        }
    }

    /// Shown with the reason.
    pub fn detail(&self, games: &Games) -> String {
        match &self.about {
            About::Known(text) => (*text).to_owned(),
            About::Text(text) => text.to_string(),
            About::Earlier(earlier, identity) => {
                let name = games.get(*earlier as usize).map_or("", |game| game.name());
                format!("Matches {name}; identity {identity}")
            }
        }
    }
}

/// The most points of extra files and of save paths that a game can lose.
const EXTRA_POINTS: u8 = 10;
const EXTRAS_MOST: u8 = 30;
const SAVE_POINTS: u8 = 5;
const SAVES_MOST: u8 = 10;
/// The fields that describe a game.
const DESCRIBED: [&str; 6] = ["name", "platform", "genre", "year", "developer", "description"];
const DESCRIBED_POINTS: u8 = 15;

/// What a missing picture costs.
const fn picture_points(field: &str) -> u8 {
    match field.as_bytes() {
        b"banner" | b"icon" => 15,
        b"clear_logo" | b"fanart" | b"background" | b"screenshots" => 10,
        _ => 5,
    }
}

/// Checks every game, in library order; the disk is asked once for each run of games. `step` gets the number of games
/// done and ends the check with an error.
///
/// # Errors
/// The one of `step`.
pub fn examine<E>(
    state: &State,
    disk: &dyn Disk,
    step: &mut dyn FnMut(usize) -> Result<(), E>,
) -> Result<Vec<Finding>, E> {
    let profiles = state.section("profiles").as_object().cloned().unwrap_or_default();
    let mut findings = Vec::new();
    let mut duplicates = Duplicates::default();
    let mut first = 0;
    for chunk in state.games.chunks() {
        step(first)?;
        let records: Vec<Record> = chunk.iter().map(|game| game.record()).collect();
        let paths: Vec<&str> = records.iter().flat_map(paths_of).collect();
        let existing = disk.existing(&paths);
        for (at, record) in records.iter().enumerate() {
            // OK because four thousand million games do not fit into memory.
            let position = u32::try_from(first + at).unwrap_or(u32::MAX);
            let mut game = Examined { position, findings: &mut findings };
            duplicates.enter(first + at, Identities::of(record));
            // A shelf entry stands for something that is not on this machine.
            if !record.flag("manual_entry") {
                game.look_for_files(record, &existing);
                game.look_for_pictures(record, &existing, disk);
                game.look_at_fields(record);
                game.look_at_launch(record, &profiles);
            }
        }
        first += chunk.len();
    }
    step(first)?;
    // A later game may connect two earlier ones.
    let number = |position| u32::try_from(position).unwrap_or(u32::MAX);
    for (position, found) in duplicates.finish() {
        let mut game = Examined { position: number(position), findings: &mut findings };
        let about = About::Earlier(number(found.earlier), found.identity.into());
        game.add(Code::Duplicate, 50, about);
    }
    findings.sort_by_key(|finding| (finding.position, finding.code != Code::Duplicate));
    Ok(findings)
}

/// The fields with a picture or a document, in the order in which they are shown.
fn pictures() -> impl Iterator<Item = &'static str> {
    let is_picture = |field: &&str| *field == "screenshots" || media::ARTWORK.contains(field);
    media::MEDIA.iter().map(|row| row.field).filter(is_picture)
}

/// Every absolute path of a record that ought to exist.
fn paths_of(record: &Record) -> impl Iterator<Item = &str> {
    let single = std::iter::once("path").chain(media::ARTWORK).map(|key| record.text(key));
    single
        .chain(record.texts("screenshots"))
        .chain(first_disc(record))
        .chain(extras(record))
        .chain(record.texts("save_paths"))
        .filter(|path| path.starts_with('/'))
}

/// The findings of one game.
struct Examined<'a> {
    position: u32,
    findings: &'a mut Vec<Finding>,
}

impl Examined<'_> {
    fn add(&mut self, code: Code, points: u8, about: About) {
        self.findings.push(Finding { position: self.position, code, points, about });
    }

    fn look_for_files(&mut self, record: &Record, existing: &HashSet<String>) {
        let path = record.text("path");
        let gone = missing_file(record, |path| existing.contains(path));
        if let Some(gone) = gone.filter(|_| !path.trim().is_empty()) {
            self.add(Code::MissingGame, 60, About::Text(gone.into()));
        }
        let gone = |path: &&str| !path.is_empty() && !existing.contains(*path);
        let mut left = EXTRAS_MOST;
        for path in extras(record).filter(gone) {
            let points = EXTRA_POINTS.min(left);
            left -= points;
            self.add(Code::MissingExtra, points, About::Text(path.into()));
        }
        let mut left = SAVES_MOST;
        for path in record.texts("save_paths").filter(gone) {
            let points = SAVE_POINTS.min(left);
            left -= points;
            self.add(Code::MissingSavePath, points, About::Text(path.into()));
        }
    }

    fn look_for_pictures(&mut self, record: &Record, existing: &HashSet<String>, disk: &dyn Disk) {
        let is_there =
            |path: &str| !path.is_empty() && disk.is_media(path) && existing.contains(path);
        for field in pictures() {
            let has = match field {
                "screenshots" => record.texts(field).any(is_there),
                _ => is_there(record.text(field)),
            };
            match field {
                _ if has => {}
                "cover" => {
                    self.add(Code::MissingCover, 40, About::Known("No local cover image"));
                }
                _ => self.add(Code::MissingArtwork, picture_points(field), About::Known(field)),
            }
        }
    }

    fn look_at_fields(&mut self, record: &Record) {
        for field in DESCRIBED {
            if record.shown(field).trim().is_empty() {
                self.add(Code::MissingMetadata, DESCRIBED_POINTS, About::Known(field));
            }
        }
    }

    fn look_at_launch(&mut self, record: &Record, profiles: &Map<String, Value>) {
        if lacks_emulator(record, profiles) {
            self.add(Code::NoEmulator, 60, About::Text(record.text("platform").into()));
        }
        if record.flag("broken") {
            self.add(Code::Broken, 40, About::Known("Flagged broken"));
        }
    }
}

#[cfg(test)]
pub(super) mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::Draft;

    /// A disk on which everything below `/here` and `/media` is.
    pub(crate) struct Here;

    impl Disk for Here {
        fn existing(&self, paths: &[&str]) -> HashSet<String> {
            let is_there = |path: &&&str| path.starts_with("/here") || path.starts_with("/media/");
            paths.iter().filter(is_there).map(|path| (*path).to_owned()).collect()
        }

        fn is_media(&self, path: &str) -> bool {
            path.starts_with("/media/")
        }
    }

    /// A game that nothing is wrong with, except for what is said.
    pub(crate) fn whole(name: &str, other: Value) -> Value {
        let mut game = json!({"game_id": name, "name": name, "path": format!("/here/{name}"),
            "platform": "SNES", "genre": "RPG", "year": "1994", "developer": "D", "description": "d",
            "screenshots": ["/media/1.png"]});
        for field in media::ARTWORK {
            game[field] = "/media/a.png".into();
        }
        let Value::Object(other) = other else { return game };
        for (key, value) in other {
            game[key] = value;
        }
        game
    }

    pub(crate) fn library(games: &[Value]) -> State {
        let mut draft = Draft::new(State::default());
        draft.set_section("profiles", json!({"SNES": "x {path}"}));
        for game in games {
            draft.add_game(serde_json::from_value(game.clone()).expect("a record")).expect("added");
        }
        draft.finish().0
    }

    pub(crate) fn findings(state: &State) -> Vec<Finding> {
        let found = examine::<std::convert::Infallible>(state, &Here, &mut |_| Ok(()));
        match found {
            Ok(found) => found,
            Err(never) => match never {},
        }
    }

    #[track_caller]
    fn check(other: Value, expected: &[(Code, u8, &str, &str)]) {
        let state = library(&[whole("a.sfc", other.clone())]);
        let found = findings(&state);
        let shown: Vec<_> = found
            .iter()
            .map(|one| (one.code, one.points, one.reason(), one.detail(&state.games)))
            .collect();
        let expected: Vec<_> = expected
            .iter()
            .map(|(code, points, reason, detail)| {
                (*code, *points, (*reason).to_owned(), (*detail).to_owned())
            })
            .collect();
        assert_eq!(shown, expected, "{other}");
    }

    #[test]
    fn every_finding_has_its_points_and_its_reason() {
        check(json!({}), &[]);
        check(json!({"path": "/gone"}), &[(Code::MissingGame, 60, "Missing game file", "/gone")]);
        let list = |disc: &str| json!({"path": "/here/a.m3u", "discs": [disc, "/gone/2"]});
        check(list("/here/1"), &[]);
        check(list("/gone/1"), &[(Code::MissingGame, 60, "Missing game file", "/gone/1")]);
        check(
            json!({"cover": "/here/c.png"}),
            &[(Code::MissingCover, 40, "Missing box front", "No local cover image")],
        );
        check(
            json!({"banner": "", "icon": "/gone", "screenshots": ["/gone"], "disc": ""}),
            &[
                (Code::MissingArtwork, 10, "Missing screenshots", "screenshots"),
                (Code::MissingArtwork, 15, "Missing banner", "banner"),
                (Code::MissingArtwork, 15, "Missing icon", "icon"),
                (Code::MissingArtwork, 5, "Missing disc", "disc"),
            ],
        );
        check(
            json!({"genre": " ", "year": ""}),
            &[
                (Code::MissingMetadata, 15, "Missing genre", "genre"),
                (Code::MissingMetadata, 15, "Missing year", "year"),
            ],
        );
        check(
            json!({"platform": "NES", "broken": true}),
            &[
                (Code::NoEmulator, 60, "No emulator profile", "NES"),
                (Code::Broken, 40, "Flagged broken", "Flagged broken"),
            ],
        );
        check(json!({"platform": "NES", "launch": "run"}), &[]);
    }

    #[test]
    fn beyond_a_bound_findings_cost_nothing() {
        let gone = |number: usize| json!({"path": format!("/gone/{number}")});
        let state = library(&[whole(
            "a",
            json!({"versions": (0..4).map(gone).collect::<Vec<_>>(),
                "save_paths": ["/gone/x", "/gone/y", "/gone/z"]}),
        )]);
        let points: Vec<u8> = findings(&state).iter().map(|one| one.points).collect();
        assert_eq!(points, [10, 10, 10, 0, 5, 5, 0]);
    }

    #[test]
    fn a_shelf_entry_can_only_be_there_twice() {
        let shelf = json!({"manual_entry": true, "path": "", "cover": "", "genre": "",
            "store_a_app_id": "1"});
        let state = library(&[whole("a", json!({"store_a_app_id": "1"})), whole("b", shelf)]);
        let found = findings(&state);
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].detail(&state.games), "Matches a; identity store_a:1");
    }

    #[test]
    fn the_look_ends_when_it_is_told_to() {
        let state = library(&[whole("a", json!({}))]);
        assert_eq!(
            examine(&state, &Here, &mut |done| if done == 1 { Err(done) } else { Ok(()) }),
            Err(1)
        );
    }
}
