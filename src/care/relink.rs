//! Finding moved files of games: which stored paths are missing, which files of
//! a folder may replace them, and applying that (`/api/v2/library/repair`).
//!
//! Rules on a state, a list of found files and a draft. Names decide; a file that could be several
//! is a question for the user, never a guess.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::{
    base::{named::named, schema::schema, text},
    game::{GameRef, InputError},
    model::{Cause, Draft, Games, Record, State, media},
    probe::disk::Disk,
    store::{CommitError, Committed, Store},
};

/// Rows in one answer.
pub const ROWS: usize = 2_000;
/// Files offered for one missing path.
const CHOICES: usize = 5;

/// Extensions of files that stand next to a game under its name and are not the game.
const SIDECAR_EXTENSIONS: [&str; 22] = [
    "png", "jpg", "jpeg", "webp", "gif", "bmp", "svg", "mp4", "webm", "mkv", "mp3", "ogg", "flac",
    "pdf", "txt", "nfo", "xml", "json", "sav", "srm", "state", "cht",
];

named! {
    /// The kind of a missing path.
    pub enum Kind {
        /// The file that is played.
        Game = "game",
        /// A picture, a video or music.
        Media = "media",
    }
}

schema! {
    "MissingPath"
    /// A stored path with nothing behind it.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Missing {
        /// Position of the game in the library.
        pub id: usize,
        /// Its stable id.
        pub game_id: String,
        /// Its name.
        pub name: String,
        /// Its platform.
        pub platform: String,
        /// The field that holds the path.
        pub field: &'static str,
        /// The path.
        pub path: String,
        /// What it is.
        pub kind: Kind,
    }

    "FoundFile"
    /// A regular file below the folder of a repair.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct File {
        /// Absolute.
        pub path: String,
        /// Below the folder.
        pub relative: String,
        /// Bytes.
        pub size: u64,
    }

    "RepairMatch"
    /// A missing path with the only file it can be.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Match {
        /// Position of the game in the library.
        pub id: usize,
        /// Its stable id.
        pub game_id: String,
        /// Its name.
        pub name: String,
        /// Its platform.
        pub platform: String,
        /// The field that holds the path.
        pub field: &'static str,
        /// What it is.
        pub kind: Kind,
        /// The missing path.
        pub from: String,
        /// The file.
        #[serde(flatten)]
        pub file: File,
    }

    "AmbiguousPath"
    /// A missing path that may be several files.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Ambiguous {
        /// The missing path.
        #[serde(flatten)]
        pub missing: Missing,
        /// The files, at most five, those with the shortest way below the folder first.
        pub choices: Vec<File>,
    }
}

/// What a folder has for the missing paths.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Plan {
    /// Paths with one file.
    pub matches: Vec<Match>,
    /// Paths with several.
    pub ambiguous: Vec<Ambiguous>,
    /// Paths with none.
    pub unmatched: Vec<Missing>,
}

/// Every field that holds one path; the first is the file that is played.
pub fn fields() -> Vec<&'static str> {
    std::iter::once("path").chain(media::FOREIGN).collect()
}

/// Reads the `fields` and `include_media` of a request; both may be missing.
///
/// # Errors
/// `fields must be a list of field names.`
pub fn read_fields(
    named: Option<&Value>,
    include_media: bool,
) -> Result<Vec<&'static str>, InputError> {
    let refused = || InputError("fields must be a list of field names.".to_owned());
    let known = fields();
    let Some(named) = named.filter(|named| !named.is_null()) else {
        return Ok(known.into_iter().filter(|key| include_media || *key == "path").collect());
    };
    let mut chosen = Vec::new();
    for name in named.as_array().ok_or_else(refused)? {
        let name = name.as_str().ok_or_else(refused)?.trim();
        let field = known.iter().find(|key| **key == name).ok_or_else(refused)?;
        if !chosen.contains(field) {
            chosen.push(*field);
        }
    }
    Ok(chosen)
}

/// Every stored path of these fields with nothing behind it, in library order. The disk is asked
/// once for each run of games.
pub fn missing(games: &Games, fields: &[&'static str], disk: &dyn Disk) -> Vec<Missing> {
    let mut found = Vec::new();
    let mut first = 0;
    for chunk in games.chunks() {
        let records: Vec<Record> = chunk.iter().map(|game| game.record()).collect();
        let stored = |record: &Record| -> Vec<(&'static str, String)> {
            let values = fields.iter().map(|field| (*field, record.text(field).to_owned()));
            values.filter(|(_, path)| !path.trim().is_empty()).collect()
        };
        let paths: Vec<Vec<(&'static str, String)>> = records.iter().map(stored).collect();
        let asked: Vec<&str> = paths.iter().flatten().map(|(_, path)| path.as_str()).collect();
        let asked: Vec<&str> = asked.into_iter().filter(|path| path.starts_with('/')).collect();
        let existing = disk.existing(&asked);
        for (at, (record, paths)) in records.iter().zip(paths).enumerate() {
            for (field, path) in paths.into_iter().filter(|(_, path)| !existing.contains(path)) {
                found.push(Missing {
                    id: first + at,
                    game_id: record.text("game_id").to_owned(),
                    name: record.shown("name"),
                    platform: record.shown("platform"),
                    field,
                    path,
                    kind: if field == "path" { Kind::Game } else { Kind::Media },
                });
            }
        }
        first += chunk.len();
    }
    found
}

/// Pairs missing paths with found files: by file name in any case, games also by the name without
/// its extension. `may_show` tests which files may stand for media.
pub fn plan(missing: Vec<Missing>, files: &[File], may_show: &dyn Fn(&str) -> bool) -> Plan {
    let mut by_name: HashMap<String, Vec<&File>> = HashMap::new();
    let mut by_stem: HashMap<String, Vec<&File>> = HashMap::new();
    for file in files {
        let name = text::fold(name_of(&file.path));
        let ending = name.rsplit('.').next().unwrap_or("");
        if !SIDECAR_EXTENSIONS.contains(&ending) {
            by_stem.entry(stem_of(&name).to_owned()).or_default().push(file);
        }
        by_name.entry(name).or_default().push(file);
    }
    let mut planned = Plan::default();
    for missing in missing {
        let name = text::fold(name_of(&missing.path));
        let named = |files: Option<&Vec<&File>>| -> Vec<File> {
            let files = files.into_iter().flatten().copied();
            files
                .filter(|file| missing.kind == Kind::Game || may_show(&file.path))
                .cloned()
                .collect()
        };
        let mut candidates = named(by_name.get(&name));
        if candidates.is_empty() && missing.kind == Kind::Game {
            candidates = named(by_stem.get(stem_of(&name)));
        }
        match candidates.len() {
            0 => planned.unmatched.push(missing),
            1 => {
                let Missing { id, game_id, name, platform, field, path, kind } = missing;
                let file = candidates.remove(0);
                let found = Match { id, game_id, name, platform, field, kind, from: path, file };
                planned.matches.push(found);
            }
            _ => {
                candidates.sort_by(|a, b| {
                    let key = |file: &File| (file.relative.len(), file.relative.clone());
                    key(a).cmp(&key(b))
                });
                candidates.truncate(CHOICES);
                planned.ambiguous.push(Ambiguous { missing, choices: candidates });
            }
        }
    }
    planned
}

fn name_of(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// A name without its extension; one that begins with a dot has none.
fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| if stem.is_empty() { name } else { stem })
}

/// One choice of a request: a game, and a field or all of them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Choice {
    /// The id as it was sent.
    sent: Value,
    game: Option<GameRef>,
    field: Option<String>,
}

/// Reads the `selection` of a request: ids, or pairs of an id and a field. `None` chooses all.
///
/// # Errors
/// `selection must be a list of [id, field] pairs or ids.`
pub fn read_selection(selection: Option<&Value>) -> Result<Option<Vec<Choice>>, InputError> {
    let refused = || InputError("selection must be a list of [id, field] pairs or ids.".to_owned());
    let Some(selection) = selection.filter(|selection| !selection.is_null()) else {
        return Ok(None);
    };
    let choice = |entry: &Value| match entry {
        Value::Array(pair) => match &pair[..] {
            [id, Value::String(field)] => Ok(Choice::of(id, Some(field.trim().to_owned()))),
            _ => Err(refused()),
        },
        Value::Object(_) | Value::Null => Err(refused()),
        id => Ok(Choice::of(id, None)),
    };
    selection.as_array().ok_or_else(refused)?.iter().map(choice).collect::<Result<_, _>>().map(Some)
}

impl Choice {
    fn of(id: &Value, field: Option<String>) -> Self {
        Self { sent: id.clone(), game: GameRef::from_value(id), field }
    }
}

schema! {
    "RepairSkipped"
    /// Something that was chosen and left as it is.
    #[derive(Clone, Debug, PartialEq)]
    pub struct Skipped {
        /// One of `invalid_id`, `invalid_field`, `missing_game`, `stale_game`, `missing_target` and
        /// `changed_since_preview`.
        pub reason: &'static str,
        /// The id as it was sent, or the position of the game.
        pub id: Value,
        /// The field; empty when none was named.
        pub field: String,
    }

    "RepairApplied"
    /// A path that was put in place.
    #[derive(Clone, Debug, PartialEq, Eq)]
    pub struct Applied {
        /// Position of the game.
        pub id: usize,
        /// Its stable id.
        pub game_id: String,
        /// The field.
        pub field: &'static str,
        /// Its new path.
        pub path: String,
    }
}

/// The library is not the one of the preview.
#[derive(Debug, thiserror::Error)]
#[error("The library has changed since the preview.")]
pub struct StalePreview;

/// Puts files of a plan in place of the missing paths of `state`, in one commit. `is_current` tests
/// whether a library is the one of the preview; the plan is made outside of the commit, because that
/// asks the disk.
pub fn apply_plan(
    store: &Store,
    state: &State,
    plan: &Plan,
    selection: Option<&[Choice]>,
    is_current: &dyn Fn(&State) -> bool,
) -> Committed<(Vec<Applied>, Vec<Skipped>), StalePreview> {
    if !is_current(state) {
        return Err(CommitError::Refused(StalePreview));
    }
    let (chosen, mut skipped) = choose(&state.games, plan, selection);
    let applied = store.commit(|draft| {
        if !is_current(draft.state()) {
            return Err(StalePreview);
        }
        Ok(apply(draft, &chosen, &mut skipped))
    })?;
    Ok((applied, skipped))
}

/// The matches that were chosen, and why the other choices are not matches.
fn choose(games: &Games, plan: &Plan, selection: Option<&[Choice]>) -> (Vec<Match>, Vec<Skipped>) {
    let Some(selection) = selection else { return (plan.matches.clone(), Vec::new()) };
    let known = fields();
    let (mut chosen, mut skipped) = (Vec::new(), Vec::new());
    let mut taken: HashSet<(usize, &'static str)> = HashSet::new();
    for choice in selection {
        let mut skip = |reason| {
            let field = choice.field.clone().unwrap_or_default();
            skipped.push(Skipped { reason, id: choice.sent.clone(), field });
        };
        let Some(game) = &choice.game else {
            skip("invalid_id");
            continue;
        };
        let Some((id, _)) = game.find(games) else {
            skip("missing_game");
            continue;
        };
        if choice.field.as_ref().is_some_and(|field| !known.contains(&field.as_str())) {
            skip("invalid_field");
            continue;
        }
        let is_meant = |found: &&Match| {
            found.id == id && choice.field.as_ref().is_none_or(|field| field == found.field)
        };
        let meant: Vec<&Match> = plan.matches.iter().filter(is_meant).collect();
        if meant.is_empty() {
            skip("missing_target");
        }
        for found in meant {
            if taken.insert((id, found.field)) {
                chosen.push(found.clone());
            }
        }
    }
    (chosen, skipped)
}

/// Puts the chosen files where the missing path is still stored.
pub(super) fn apply(
    draft: &mut Draft,
    chosen: &[Match],
    skipped: &mut Vec<Skipped>,
) -> Vec<Applied> {
    let mut applied = Vec::new();
    for found in chosen {
        let changed = draft.edit_game(&found.game_id, |record| {
            let stands = record.text(found.field) == found.from;
            if stands {
                record.set(found.field, found.file.path.as_str());
            }
            stands
        });
        let reason = match changed {
            Ok(true) => {
                applied.push(Applied {
                    id: found.id,
                    game_id: found.game_id.clone(),
                    field: found.field,
                    path: found.file.path.clone(),
                });
                continue;
            }
            Ok(false) => "changed_since_preview",
            Err(_) => "stale_game",
        };
        skipped.push(Skipped { reason, id: found.id.into(), field: found.field.to_owned() });
    }
    let mut seen = HashSet::new();
    let game_ids = applied.iter().map(|row| &row.game_id);
    let game_ids: Vec<String> = game_ids.filter(|id| seen.insert(*id)).cloned().collect();
    let has_media = applied.iter().any(|row| row.field != "path");
    draft.set_cause(Cause::Relinked { game_ids, has_media });
    applied
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::model::State;

    struct Nothing;

    impl Disk for Nothing {
        fn existing(&self, paths: &[&str]) -> HashSet<String> {
            let here = paths.iter().filter(|path| path.starts_with("/here"));
            here.map(|path| (*path).to_owned()).collect()
        }

        fn is_media(&self, _: &str) -> bool {
            true
        }
    }

    fn library(records: &[Value]) -> Draft {
        let mut draft = Draft::new(State::default());
        for (number, record) in records.iter().enumerate() {
            let mut record = record.clone();
            record["game_id"] = format!("g{number}").into();
            draft.add_game(serde_json::from_value(record).expect("an object")).expect("added");
        }
        draft
    }

    fn file(relative: &str) -> File {
        File { path: format!("/new/{relative}"), relative: relative.to_owned(), size: 1 }
    }

    #[test]
    fn names_decide_and_several_candidates_are_a_question() {
        let draft = library(&[
            json!({"name": "A", "path": "/old/Größe.NES", "cover": "/old/a.png"}),
            json!({"name": "B", "path": "/old/b.sfc", "cover": "/old/b.png"}),
            json!({"name": "C", "path": "/here/c.nes", "banner": "/old/c.png"}),
            json!({"name": "D", "path": "old/d.nes"}),
            json!({"name": "E", "path": ""}),
            json!({"name": "F", "path": "/old/.nes"}),
        ]);
        let gone = missing(&draft.state().games, &fields(), &Nothing);
        let shown: Vec<(usize, &str)> = gone.iter().map(|gone| (gone.id, gone.field)).collect();
        let expected = [
            (0, "path"),
            (0, "cover"),
            (1, "path"),
            (1, "cover"),
            (2, "banner"),
            (3, "path"),
            (5, "path"),
        ];
        assert_eq!(shown, expected);
        let files =
            ["deep/grösse.nes", "b.smc", "x/d.nes", "d.nes", "a.png", "secret/b.png", "nes"]
                .map(file);
        let planned = plan(gone, &files, &|path| !path.contains("secret"));
        let found: Vec<(usize, &str, &str)> = planned
            .matches
            .iter()
            .map(|found| (found.id, found.field, found.file.relative.as_str()))
            .collect();
        assert_eq!(
            found,
            [(0, "path", "deep/grösse.nes"), (0, "cover", "a.png"), (1, "path", "b.smc")]
        );
        let choices: Vec<&str> =
            planned.ambiguous[0].choices.iter().map(|file| file.relative.as_str()).collect();
        assert_eq!((planned.ambiguous.len(), choices), (1, vec!["d.nes", "x/d.nes"]));
        let left: Vec<usize> = planned.unmatched.iter().map(|gone| gone.id).collect();
        assert_eq!(left, [1, 2, 5]);
        let many: Vec<File> = (0..9).map(|number| file(&format!("{number}/d.nes"))).collect();
        let gone = missing(&draft.state().games, &["path"], &Nothing);
        let planned = plan(gone, &many, &|_| true);
        assert_eq!(planned.ambiguous[0].choices.len(), CHOICES);
    }

    #[test]
    fn what_was_chosen_is_put_in_place_where_the_old_path_stands() {
        let mut draft = library(&[
            json!({"name": "A", "path": "/old/a.nes", "cover": "/old/a.png"}),
            json!({"name": "B", "path": "/old/b.nes"}),
            json!({"name": "C", "path": "/old/c.nes"}),
        ]);
        let gone = missing(&draft.state().games, &fields(), &Nothing);
        let files = ["a.nes", "a.png", "b.nes"].map(file);
        let planned = plan(gone, &files, &|_| true);
        let selection = json!([[0, "path"], "g1", 2, 9, [0, "odd"], true, [1, "path"], "g1"]);
        let selection = read_selection(Some(&selection)).expect("valid").expect("a selection");
        let (chosen, mut skipped) = choose(&draft.state().games, &planned, Some(&selection));
        let reasons: Vec<(&str, Value)> =
            skipped.iter().map(|skipped| (skipped.reason, skipped.id.clone())).collect();
        let expected = [
            ("missing_target", json!(2)),
            ("missing_game", json!(9)),
            ("invalid_field", json!(0)),
            ("invalid_id", json!(true)),
        ];
        assert_eq!(reasons, expected);
        draft.edit_game("g1", |game| game.set("path", "/elsewhere")).expect("there");
        let applied = apply(&mut draft, &chosen, &mut skipped);
        assert_eq!(applied.len(), 1);
        let first = draft.state().games.get(0).expect("there").record();
        assert_eq!((first.text("path"), first.text("cover")), ("/new/a.nes", "/old/a.png"));
        assert_eq!(skipped.last().map(|skipped| skipped.reason), Some("changed_since_preview"));
        assert_eq!(choose(&draft.state().games, &planned, None).0.len(), 3);
        draft.remove_games(&["g0"]);
        let mut skipped = Vec::new();
        assert!(apply(&mut draft, &chosen[..1], &mut skipped).is_empty());
        assert_eq!(skipped[0].reason, "stale_game");
    }

    #[test]
    fn a_game_that_is_chosen_again_is_told_once() {
        let mut draft = library(&[
            json!({"name": "A", "path": "/old/a.nes", "cover": "/old/a.png"}),
            json!({"name": "B", "path": "/old/b.nes"}),
        ]);
        let gone = missing(&draft.state().games, &fields(), &Nothing);
        let planned = plan(gone, &["a.nes", "a.png", "b.nes"].map(file), &|_| true);
        let selection = json!([[0, "path"], [1, "path"], [0, "cover"]]);
        let selection = read_selection(Some(&selection)).expect("valid").expect("a selection");
        let (chosen, mut skipped) = choose(&draft.state().games, &planned, Some(&selection));
        assert_eq!(apply(&mut draft, &chosen, &mut skipped).len(), 3);
        let game_ids = vec!["g0".to_owned(), "g1".to_owned()];
        assert_eq!(*draft.cause(), Cause::Relinked { game_ids, has_media: true });
    }

    #[test]
    fn fields_and_selections_are_checked() {
        let named = |fields: Value| read_fields(Some(&fields), true).map_err(|error| error.0);
        let refused = || Err("fields must be a list of field names.".to_owned());
        assert_eq!(named(json!(["cover", " path ", "cover"])), Ok(vec!["cover", "path"]));
        for fields in [json!("path"), json!([1]), json!(["odd"]), json!({"path": 1})] {
            assert_eq!(named(fields), refused());
        }
        assert_eq!(read_fields(None, false).expect("valid"), ["path"]);
        assert_eq!(read_fields(None, true).expect("valid").len(), fields().len());
        assert_eq!(fields().len(), 1 + 15 + 5);
        let select = |selection: Value| read_selection(Some(&selection)).map_err(|error| error.0);
        assert_eq!(select(json!(null)), Ok(None));
        for selection in [
            json!(1),
            json!([{}]),
            json!([[1]]),
            json!([[1, 2]]),
            json!([[1, "a", 3]]),
            json!([null]),
        ] {
            let refused = "selection must be a list of [id, field] pairs or ids.".to_owned();
            assert_eq!(select(selection), Err(refused));
        }
    }
}
