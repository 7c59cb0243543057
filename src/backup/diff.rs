//! Comparing an archive with the library: changes since, and the effect of a restore.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::{
    archive::{Archive, LIBRARY, SETTINGS},
    error::BackupError,
    folder::Backups,
    items::Item,
    redact,
};
use crate::{
    base::{limits, schema::schema},
    config::settings::{setting::Writer, table},
    model::{Game, Record, State, origins},
    store::exchange::read_state,
};

/// What an archive holds, as far as it is compared.
#[derive(Default)]
pub struct Archived {
    /// Its library; `None` when it has none, so that a restore leaves the games alone.
    pub library: Option<State>,
    /// Its settings member.
    pub settings: Option<Map<String, Value>>,
    /// Whether its manifest lists the settings.
    pub lists_settings: bool,
    /// Whether credentials were taken out.
    pub redacted_secrets: bool,
}

impl Backups {
    /// What the archive with this name holds; `None` when there is none, or it cannot be used.
    ///
    /// # Errors
    /// When the disk refuses.
    pub fn read_archived(&self, name: &str) -> Option<Archived> {
        let read = || -> Result<Archived, BackupError> {
            let path = self.named(name).ok_or(BackupError::Place)?;
            let mut archive = Archive::open(&self.context.files, &path)?;
            let library = archive.read(LIBRARY)?.map(|bytes| read_state(&bytes)).transpose();
            let lists = |item| archive.manifest.items.contains(&item);
            // Without the library that it names it would seem to change nothing. The answer says whether the
            // settings are present.
            if lists(Item::Library) && matches!(library, Ok(None)) {
                return Err(BackupError::Invalid);
            }
            let lists_settings = lists(Item::Settings);
            let settings = archive.read(SETTINGS)?.map(|bytes| serde_json::from_slice(&bytes));
            Ok(Archived {
                library: library.map_err(|_| BackupError::Invalid)?,
                settings: settings.transpose().map_err(|_| BackupError::Invalid)?,
                lists_settings,
                redacted_secrets: archive.manifest.redacted_secrets,
            })
        };
        read().inspect_err(|error| log::warn!("no archive to compare: {error}")).ok()
    }
}

schema! {
    /// A library compared with an archive.
    pub struct BackupDiff {
        /// Ids of games the archive lacks.
        added: Vec<String>,
        /// Ids of games that differ.
        changed: Vec<String>,
        /// Ids of games only the archive has.
        removed: Vec<String>,
        /// What a restore would do.
        restore: RestoreEffect,
        settings: SettingsDiff,
        settings_changed: bool,
        summary: DiffSummary,
        truncated: DiffTruncation,
    }

    /// What restoring an archive would do to the games.
    struct RestoreEffect {
        will_add: DiffRows,
        will_change: DiffRows,
        will_remove: DiffRows,
    }

    /// One list of rows: its true count and the first of them.
    #[derive(Default)]
    struct DiffRows {
        rows: Vec<DiffRow>,
        total: usize,
        truncated: bool,
    }

    /// A game that differs.
    struct DiffRow {
        /// The fields that differ, of a game that both have.
        #[serde(skip_serializing_if = "Option::is_none")]
        fields: Option<Vec<FieldDiff>>,
        game_id: String,
        name: String,
    }

    /// A field with its value in the archive and in the library.
    struct FieldDiff {
        field: String,
        from: Value,
        to: Value,
    }

    /// How many games differ.
    struct DiffSummary {
        added: usize,
        changed: usize,
        removed: usize,
        /// Games of the library.
        total: usize,
    }

    /// Which lists are cut, and at how many rows.
    struct DiffTruncation {
        added: bool,
        changed: bool,
        limit: usize,
        removed: bool,
    }

    /// The settings of a library compared with those of an archive.
    struct SettingsDiff {
        differs: bool,
        keys_changed: Vec<String>,
        /// Whether the archive has a settings member.
        present: bool,
        redacted_secrets: bool,
        /// Whether a restore replaces the settings.
        restored: bool,
        would_change: bool,
    }
}

impl DiffRows {
    fn push(&mut self, row: impl FnOnce() -> DiffRow) {
        self.total += 1;
        if self.rows.len() < limits::BACKUP_DIFF_ROWS {
            self.rows.push(row());
        } else {
            self.truncated = true;
        }
    }

    fn ids(&self) -> Vec<String> {
        self.rows.iter().map(|row| row.game_id.clone()).collect()
    }
}

/// The answer of `GET /api/v2/backup/diff`.
pub fn compare(current: &State, archived: &Archived) -> BackupDiff {
    let (mut added, mut removed, mut changed) = <(DiffRows, DiffRows, DiffRows)>::default();
    if let Some(backup) = &archived.library {
        let ids: BTreeSet<&str> =
            current.games.iter().chain(backup.games.iter()).map(|game| game.id()).collect();
        for id in ids {
            let find = |state: &State| {
                let at = state.games.position(id)?;
                state.games.get(at).filter(|game| game.id() == id).cloned()
            };
            let row = |game: &Game, fields| DiffRow {
                fields,
                game_id: id.to_owned(),
                name: game.name().to_owned(),
            };
            match (find(backup), find(current)) {
                (None, Some(game)) => added.push(|| row(&game, None)),
                (Some(game), None) => removed.push(|| row(&game, None)),
                (Some(before), Some(after)) => {
                    let fields = changed_fields(&before, &after);
                    if !fields.is_empty() {
                        changed.push(|| row(&after, Some(fields)));
                    }
                }
                (None, None) => {}
            }
        }
    }
    let settings = compare_settings(current, archived);
    BackupDiff {
        added: added.ids(),
        changed: changed.ids(),
        removed: removed.ids(),
        settings_changed: settings.differs,
        settings,
        summary: DiffSummary {
            added: added.total,
            changed: changed.total,
            removed: removed.total,
            total: current.games.len(),
        },
        truncated: DiffTruncation {
            added: added.truncated,
            changed: changed.truncated,
            limit: limits::BACKUP_DIFF_ROWS,
            removed: removed.truncated,
        },
        restore: RestoreEffect { will_add: removed, will_change: changed, will_remove: added },
    }
}

/// The fields that differ, by name; a field that is missing is equal to an empty one. Where values came
/// from is not content of a game.
fn changed_fields(before: &Game, after: &Game) -> Vec<FieldDiff> {
    if before.json() == after.json() {
        return Vec::new();
    }
    let (before, after) = (before.record(), after.record());
    let keys: BTreeSet<&String> = before.0.keys().chain(after.0.keys()).collect();
    let content = keys.into_iter().filter(|key| *key != origins::KEY);
    let differing = content.filter_map(|key| {
        let value = |record: &Record| record.get(key).cloned().unwrap_or(Value::Null);
        let (from, to) = (value(&before), value(&after));
        (!is_same(&from, &to)).then(|| FieldDiff { field: key.clone(), from, to })
    });
    differing.collect()
}

fn is_same(one: &Value, other: &Value) -> bool {
    let blank = |value: &Value| match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Number(number) => number.as_f64() == Some(0.0),
        Value::Array(list) => list.is_empty(),
        Value::Object(object) => object.is_empty(),
        Value::Bool(true) => false,
    };
    let numbers = || Some(one.as_f64()?.total_cmp(&other.as_f64()?).is_eq());
    one == other || (blank(one) && blank(other)) || numbers() == Some(true)
}

/// Compares the settings that are stored here with those of an archive that holds some; one that is
/// missing on a side stands at its default there. Notes of the program itself are not settings.
fn compare_settings(current: &State, archived: &Archived) -> SettingsDiff {
    let here = redact::redacted_settings(current.settings());
    let block = archived.library.as_ref().map(State::settings).or(archived.settings.as_ref());
    let there = block.map_or_else(|| here.clone(), redact::redacted_settings);
    let is_note =
        |key: &str| table::find(key).is_some_and(|setting| setting.writer == Writer::Program);
    let keys: BTreeSet<&String> = here.keys().chain(there.keys()).collect();
    let keys_changed =
        keys.into_iter().filter(|key| !is_note(key) && here.get(*key) != there.get(*key));
    let keys_changed: Vec<String> = keys_changed.cloned().collect();
    let differs = !keys_changed.is_empty();
    let present = archived.settings.is_some();
    SettingsDiff {
        differs,
        keys_changed,
        present,
        redacted_secrets: archived.redacted_secrets,
        restored: archived.lists_settings,
        would_change: differs && archived.lists_settings && present,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn compare(current: &State, archived: &Archived) -> Value {
        json!(super::compare(current, archived))
    }

    fn state(games: &Value, settings: &Value) -> State {
        let text = json!({"schema_version": 6, "games": games, "settings": settings}).to_string();
        read_state(text.as_bytes()).expect("a library")
    }

    fn archived(library: State, settings: Option<Value>) -> Archived {
        let lists_settings = settings.is_some();
        let settings = settings.and_then(|value| value.as_object().cloned());
        Archived { library: Some(library), settings, lists_settings, redacted_secrets: true }
    }

    #[test]
    fn directions_are_told_from_both_sides() {
        let backup = state(
            &json!([
                {"game_id": "b", "name": "B", "rating": 4, "progress": "", "own": {"x": 1}},
                {"game_id": "gone", "name": "Gone"},
                {"game_id": "same", "name": "Same", "favorite": false, "tags": []},
            ]),
            &json!({"theme": "dark", "density": 1}),
        );
        let current = state(
            &json!([
                {"game_id": "new", "name": "New"},
                {"game_id": "b", "name": "B2", "rating": 4.0, "developer": "y"},
                {"game_id": "same", "name": "Same", "developer": ""},
            ]),
            &json!({"theme": "light", "density": 1, "libserver_password": "p"}),
        );
        let diff = compare(&current, &archived(backup, None));
        assert_eq!(diff["added"], json!(["new"]));
        assert_eq!(diff["removed"], json!(["gone"]));
        assert_eq!(diff["changed"], json!(["b"]));
        assert_eq!(diff["summary"], json!({"added": 1, "removed": 1, "changed": 1, "total": 3}));
        let restore = &diff["restore"];
        let row =
            json!({"total": 1, "truncated": false, "rows": [{"game_id": "new", "name": "New"}]});
        assert_eq!(restore["will_remove"], row);
        assert_eq!(restore["will_add"]["rows"][0]["name"], "Gone");
        let fields = json!([
            {"field": "developer", "from": null, "to": "y"},
            {"field": "name", "from": "B", "to": "B2"},
            {"field": "own", "from": {"x": 1}, "to": null},
        ]);
        assert_eq!(restore["will_change"]["rows"][0]["fields"], fields);
        assert_eq!(diff["settings_changed"], true);
        assert_eq!(
            diff["settings"],
            json!({
                "restored": false, "present": false, "would_change": false, "differs": true,
                "redacted_secrets": true, "keys_changed": ["theme"],
            })
        );
    }

    #[test]
    fn where_values_came_from_is_not_compared() {
        let with = |origins: Value, name: &str| {
            let mut game = json!({"game_id": "a", "name": name});
            game[origins::KEY] = origins;
            state(&json!([game]), &json!({}))
        };
        let (before, after) = (json!({}), json!({"name": {"by": "person"}}));
        let diff = compare(&with(after.clone(), "A"), &archived(with(before.clone(), "A"), None));
        assert_eq!((&diff["summary"]["changed"], &diff["changed"]), (&json!(0), &json!([])));
        let diff = compare(&with(after, "B"), &archived(with(before, "A"), None));
        let fields = json!([{"field": "name", "from": "A", "to": "B"}]);
        assert_eq!(diff["restore"]["will_change"]["rows"][0]["fields"], fields);
    }

    #[test]
    fn lists_are_cut_at_the_limit_and_counts_are_true() {
        let games = |count: usize| -> Value {
            (0..count).map(|n| json!({"game_id": format!("g{n:04}")})).collect()
        };
        for (count, cut) in [(200, false), (201, true)] {
            let current = state(&games(count), &json!({}));
            let diff = compare(&current, &archived(state(&json!([]), &json!({})), None));
            assert_eq!(diff["summary"]["added"], count);
            assert_eq!(diff["added"].as_array().map(Vec::len), Some(200));
            assert_eq!(diff["added"][199], "g0199");
            let truncated = json!({"added": cut, "removed": false, "changed": false, "limit": 200});
            assert_eq!(diff["truncated"], truncated);
            let will_remove = &diff["restore"]["will_remove"];
            assert_eq!(
                (&will_remove["total"], &will_remove["truncated"]),
                (&json!(count), &json!(cut))
            );
        }
    }

    #[test]
    fn settings_change_only_when_they_are_restored() {
        let (dark, light) = (json!({"theme": "dark"}), json!({"theme": "light"}));
        let current = state(&json!([]), &light);
        let with = archived(state(&json!([]), &dark), Some(dark.clone()));
        assert_eq!(compare(&current, &with)["settings"]["would_change"], true);
        for (here, there, keys) in [
            (json!({}), json!({}), json!([])),
            (json!({"locale": "de"}), json!({}), json!(["locale"])),
            (json!({}), json!({"locale": "de"}), json!(["locale"])),
            (json!({"locale": "de"}), json!({"locale": "de"}), json!([])),
            (json!({"last_auto_backup": "x", "libserver_password": "p"}), json!({}), json!([])),
        ] {
            let archive = archived(state(&json!([]), &there), Some(there.clone()));
            let diff = compare(&state(&json!([]), &here), &archive);
            let changed = keys != json!([]);
            assert_eq!(diff["settings"]["keys_changed"], keys, "{here} {there}");
            assert_eq!(
                (&diff["settings_changed"], &diff["settings"]["would_change"]),
                (&json!(changed), &json!(changed))
            );
        }
        let only = Archived {
            lists_settings: true,
            settings: dark.as_object().cloned(),
            ..Archived::default()
        };
        let diff = compare(&current, &only);
        assert_eq!(
            (&diff["summary"]["removed"], &diff["settings"]["differs"]),
            (&json!(0), &json!(true))
        );
    }
}
