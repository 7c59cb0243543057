//! The state of the setup of a library, and the next steps: a rule over a library and facts about the machine. Reads no
//! disk.

use std::collections::HashMap;

use crate::{
    base::schema::schema,
    imports::known,
    launch::invocation,
    model::{Record, State, emulators::Catalog},
};

use super::players;

/// What the rule needs to know of the machine.
pub struct Facts<'a> {
    /// The emulator definitions.
    pub catalog: &'a Catalog,
    /// Whether something is at a path.
    pub exists: &'a dyn Fn(&str) -> bool,
    /// Whether the emulator of a definition is installed.
    pub is_installed: &'a dyn Fn(&str) -> bool,
    /// Whether a profile plays a platform.
    pub has_profile: &'a dyn Fn(&str) -> bool,
    /// Jobs that wait or run.
    pub active_operations: usize,
}

/// Whether a game could be started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Readiness {
    Ready,
    Warning,
    Blocked,
    Unknown,
}

/// The paths the rule asks about.
pub fn paths(state: &State) -> Vec<String> {
    let mut paths = Vec::new();
    for game in state.games.iter() {
        let row = game.record();
        paths.push(row.text("path").to_owned());
        paths.push(row.text("cover").to_owned());
        paths.extend(row.texts("screenshots").map(str::to_owned));
    }
    paths.retain(|path| path.starts_with('/'));
    paths.sort_unstable();
    paths.dedup();
    paths
}

/// The answer of `GET /api/v2/setup/summary`.
pub fn summarize(state: &State, facts: &Facts<'_>) -> Summary {
    let count = state.games.len();
    let (mut matched, mut gaps, mut missing) = (0_usize, 0_usize, 0_usize);
    let mut files: HashMap<String, usize> = HashMap::new();
    let mut readiness = [0_usize; 4];
    for game in state.games.iter() {
        let row = game.record();
        matched += usize::from(!row.shown("metadb_id").trim().is_empty());
        gaps += usize::from(!has_picture(&row, facts));
        missing += usize::from(is_missing(&row, facts));
        if known::is_file(&row) {
            *files.entry(row.text("path").to_owned()).or_default() += 1;
        }
        readiness[readiness_of(&row, facts) as usize] += 1;
    }
    let duplicates: usize = files.values().map(|times| times - 1).sum();
    let [ready, warning, blocked, unknown] = readiness;
    let percent = percent(matched, count);
    let open = blocked + warning;
    let (id, label, step) = match () {
        () if count == 0 => ("add_sources", "Add game sources", 2),
        () if facts.active_operations > 0 => ("health", "Review active operations", 1),
        () if open > 0 => ("fix_launch", "Fix launch readiness", 5),
        () if matched < count => ("review_metadata", "Review metadata matches", 8),
        () if gaps > 0 => ("download_media", "Download missing media", 8),
        () => ("none", "Setup complete", 8),
    };
    Summary {
        active_operations: facts.active_operations,
        duplicate_count: duplicates,
        emulator_readiness: ReadinessCounts { blocked, ready, unknown, warning },
        library_count: count,
        media_gaps: gaps,
        metadata_match_percent: percent,
        missing_paths: missing,
        next_action: NextAction { id, label, step },
        source_coverage: [Coverage {
            coverage_percent: if count == 0 { 0.0 } else { 100.0 },
            game_count: count,
            label: "Library",
            source_id: "library",
        }],
    }
}

schema! {
    "SetupSummary"
    /// How far a library is set up.
    pub struct Summary {
        /// Jobs that wait or run.
        active_operations: usize,
        duplicate_count: usize,
        emulator_readiness: ReadinessCounts,
        library_count: usize,
        /// Games without a picture.
        media_gaps: usize,
        metadata_match_percent: f64,
        missing_paths: usize,
        next_action: NextAction,
        source_coverage: [Coverage; 1],
    }

    /// How many games could be started.
    struct ReadinessCounts {
        blocked: usize,
        ready: usize,
        unknown: usize,
        warning: usize,
    }

    /// What to do next.
    struct NextAction {
        id: &'static str,
        label: &'static str,
        /// The step of the setup.
        step: u8,
    }

    "SourceCoverage"
    /// How much of a source is in the library.
    struct Coverage {
        coverage_percent: f64,
        game_count: usize,
        label: &'static str,
        source_id: &'static str,
    }
}

/// With two decimals; 0 of nothing.
fn percent(part: usize, whole: usize) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "counts of games are small numbers")]
    let share = if whole == 0 { 0.0 } else { part as f64 * 100.0 / whole as f64 };
    (share * 100.0).round() / 100.0
}

fn has_picture(row: &Record, facts: &Facts<'_>) -> bool {
    let mut pictures = std::iter::once(row.text("cover")).chain(row.texts("screenshots"));
    pictures.any(|path| !path.is_empty() && (facts.exists)(path))
}

fn is_missing(row: &Record, facts: &Facts<'_>) -> bool {
    let path = row.text("path");
    path.starts_with('/') && !row.flag("manual_entry") && !(facts.exists)(path)
}

fn readiness_of(row: &Record, facts: &Facts<'_>) -> Readiness {
    if let Some(named) = invocation::named_definition(row, facts.catalog) {
        return if (facts.is_installed)(&named.id) { Readiness::Ready } else { Readiness::Warning };
    }
    if !row.text("launch").trim().is_empty() {
        return Readiness::Unknown;
    }
    let (path, platform) = (row.text("path"), row.text("platform"));
    let ending = path.rsplit_once('.').map_or("", |(_, ending)| ending).to_ascii_lowercase();
    let starts_itself = ["exe", "sh", "appimage"].contains(&ending.as_str());
    if starts_itself && (facts.exists)(path) {
        return Readiness::Ready;
    }
    let definitions = players::of(facts.catalog, platform, "");
    // A launch would find these by itself.
    let is_played = (facts.has_profile)(platform)
        || definitions.iter().any(|definition| (facts.is_installed)(&definition.id));
    match (is_played, definitions.is_empty()) {
        (true, _) => Readiness::Ready,
        (false, true) => Readiness::Unknown,
        (false, false) => Readiness::Blocked,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::{
        definitions::bundled,
        model::{Game, Games},
    };

    fn summary(rows: &Value, there: &[&str], installed: &[&str], active: usize) -> Value {
        let rows: Vec<Record> = serde_json::from_value(rows.clone()).expect("records");
        let games = Games::from_games(rows.iter().map(Game::seal));
        let state = State::new(games, std::collections::BTreeMap::default(), 1);
        let asked = paths(&state);
        json!(summarize(
            &state,
            &Facts {
                catalog: &bundled::catalog(),
                exists: &|path| {
                    assert!(asked.iter().any(|known| known == path), "{path} was announced");
                    there.contains(&path)
                },
                is_installed: &|id| installed.contains(&id),
                has_profile: &|platform| platform == "Amiga",
                active_operations: active,
            },
        ))
    }

    #[test]
    fn an_empty_library_wants_sources() {
        let found = summary(&json!([]), &[], &[], 3);
        assert_eq!(
            found["next_action"],
            json!({"id": "add_sources", "label": "Add game sources", "step": 2})
        );
        assert_eq!(
            (&found["metadata_match_percent"], &found["library_count"]),
            (&json!(0.0), &json!(0))
        );
    }

    #[test]
    fn everything_is_counted() {
        let rows = json!([
            {"game_id": "a", "path": "/r/a.nes", "platform": "NES", "cover": "/m/a.png", "metadb_id": "7"},
            {"game_id": "b", "path": "/r/a.nes", "platform": "NES", "emulator_adapter_id": "retroarch-nes", "cover": "/m/gone.png"},
            {"game_id": "c", "path": "/r/c.sh", "platform": "Imported", "screenshots": ["/m/c.png"]},
            {"game_id": "d", "path": "/r/d.gb", "platform": "Game Boy"},
            {"game_id": "e", "path": "/r/e.adf", "platform": "Amiga"},
            {"game_id": "f", "path": "/r/f.x", "platform": "Jaguar"},
            {"game_id": "g", "path": "/bin/steam", "platform": "PC", "launch": "steam", "store_a_app_id": "4"},
            {"game_id": "h", "path": "/bin/steam", "platform": "PC", "launch": "steam", "store_a_app_id": "5"},
            {"game_id": "i", "path": "", "platform": "NES", "manual_entry": true, "emulator_adapter_id": "melonds-nds"},
        ]);
        let there = ["/r/a.nes", "/r/c.sh", "/bin/steam", "/m/a.png", "/m/c.png", "/r/d.gb"];
        let found = summary(&rows, &there, &["retroarch-nes"], 0);
        assert_eq!(
            found["emulator_readiness"],
            json!({"ready": 4, "warning": 1, "blocked": 1, "unknown": 3})
        );
        assert_eq!((&found["duplicate_count"], &found["missing_paths"]), (&json!(1), &json!(2)));
        assert_eq!(
            (&found["media_gaps"], &found["metadata_match_percent"]),
            (&json!(7), &json!(11.11))
        );
    }

    #[track_caller]
    fn check(row: Value, active: usize, expected: &str) {
        let found = summary(&json!([row]), &["/r/a.sh", "/m/a.png"], &[], active);
        assert_eq!(found["next_action"]["id"], expected);
    }

    #[test]
    fn the_next_action_is_the_first_that_is_due() {
        let whole = json!({"game_id": "a", "path": "/r/a.sh", "metadb_id": 3, "cover": "/m/a.png"});
        let without = |key: &str| {
            let mut row = whole.clone();
            row.as_object_mut().expect("an object").remove(key);
            row
        };
        check(whole.clone(), 0, "none");
        check(whole.clone(), 1, "health");
        check(without("cover"), 0, "download_media");
        check(without("metadb_id"), 0, "review_metadata");
        check(json!({"game_id": "a", "path": "/r/a.nes", "platform": "NES"}), 0, "fix_launch");
    }
}
