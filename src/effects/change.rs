//! From a change and its cause to the live stream, the webhooks and the caches: the mapping, without
//! side effects.

use std::{borrow::Cow, collections::BTreeSet};

use serde_json::{Value, json};

use crate::{
    events::event::{Event, Topic},
    game::slots::{Slots, slot},
    model::{self, Cause, Game, Op},
    store::watch::Change,
    webhooks::occurrence::{Action, Occurrence, Subject},
};

/// Ids named in one event; with more a client reads the whole library again.
const IDS: usize = 500;

/// The files whose folders must be read again.
pub(super) fn stale_paths(change: &Change) -> Vec<&str> {
    match &change.cause {
        Cause::MediaChanged(paths) | Cause::MomentMade { pictures: paths, .. } => {
            paths.iter().map(String::as_str).collect()
        }
        Cause::FilesFound => {
            let mut folders = BTreeSet::new();
            let added = change.ops.iter().filter_map(|op| match op {
                Op::Add(_, game) => Some(game.path()),
                _ => None,
            });
            added
                .filter(|path| folders.insert(path.rsplit_once('/').map(|parts| parts.0)))
                .collect()
        }
        _ => Vec::new(),
    }
}

/// Whether a game came, or is found by other names than before: saves may be there that nobody asked for yet.
pub(super) fn may_change_saves(change: &Change) -> bool {
    change.ops.iter().any(|op| match op {
        Op::Add(..) => true,
        Op::Put(game) | Op::Rename { game, .. } => {
            let id = if let Op::Rename { from, .. } = op { from } else { game.id() };
            let before = change.before.games.find(id);
            before.is_none_or(|(_, before)| saved_under(before) != saved_under(game))
        }
        _ => false,
    }) || change.cause == Cause::Replaced
}

/// What the saves of a game are found by. Runs for each game of a commit, so it opens no record.
fn saved_under(game: &Game) -> (&str, &str, &str, Cow<'_, str>) {
    let store_id = Slots::of(game.json()).text(const { slot("store_a_app_id") });
    (game.name(), game.path(), game.platform(), store_id)
}

/// Whether clients must ask for media again.
pub(super) fn changes_media(change: &Change) -> bool {
    match &change.cause {
        Cause::MediaChanged(_) | Cause::Relinked { has_media: true, .. } => true,
        Cause::MomentMade { pictures, .. } => !pictures.is_empty(),
        _ => false,
    }
}

/// Whether a change may have touched the settings; a report changes nothing.
pub(super) fn changes_settings(change: &Change) -> bool {
    !change.is_report() && model::changes_settings(&change.ops)
}

/// The occurrences for webhooks, in order.
pub(super) fn occurrences(change: &Change) -> Vec<Occurrence> {
    match &change.cause {
        Cause::Unnamed
        | Cause::Replaced
        | Cause::FilesFound
        | Cause::Scanned { .. }
        | Cause::MediaChanged(_)
        | Cause::MomentMade { .. }
        | Cause::TrophiesAwarded(_)
        | Cause::HouseholdChanged(_) => Vec::new(),
        Cause::Created => games_changed(Action::Created, &added(change)),
        Cause::Updated(id) => games_changed(Action::Updated, std::slice::from_ref(id)),
        Cause::Relinked { game_ids, .. } => games_changed(Action::Updated, game_ids),
        Cause::Bulk(ids) => games_changed(Action::Bulk, ids),
        Cause::Deleted => games_changed(Action::Deleted, &removed(change)),
        Cause::Trashed => games_changed(Action::Trashed, &removed(change)),
        Cause::Restored => games_changed(Action::Restored, &added(change)),
        Cause::Deduped => games_changed(Action::Deduped, &removed(change)),
        Cause::Imported(import) => {
            let facts =
                json!({"source": import.source, "found": import.found, "added": import.added});
            let imported = Occurrence::new(Subject::LibraryImported, facts);
            let imported = (import.found > 0).then_some(imported);
            imported.into_iter().chain(games_changed(Action::Bulk, &import.changed)).collect()
        }
        Cause::QueueAdvanced { from, to } => {
            let facts = json!({
                "from_game_id": from.game_id, "from_entry_id": from.entry_id,
                "to_game_id": to.game_id, "to_entry_id": to.entry_id,
            });
            vec![Occurrence::new(Subject::QueueAdvanced, facts)]
        }
        Cause::PluginChanged { action, plugin } => {
            let facts = json!({"action": action, "plugin": plugin});
            vec![Occurrence::new(Subject::PluginChanged, facts)]
        }
        Cause::BackedUp { archive_name, items } => {
            let facts = json!({"archive_name": archive_name, "items": items});
            vec![Occurrence::new(Subject::BackupCreated, facts)]
        }
        Cause::MetadataSynced { done } => {
            let status = if *done { "done" } else { "error" };
            vec![Occurrence::new(Subject::MetadataSynced, json!({"status": status}))]
        }
        Cause::UpdateInstalled(version) => {
            vec![Occurrence::new(Subject::UpdateInstalled, json!({"version": version}))]
        }
        Cause::BackupRestored => {
            let ids: Vec<String> =
                change.after.games.iter().map(|game| game.id().to_owned()).collect();
            vec![Occurrence::library_changed(Action::Restored, &ids)]
        }
    }
}

/// The events of the live stream besides the change itself.
pub(super) fn news(change: &Change) -> Vec<Event> {
    match &change.cause {
        Cause::TrophiesAwarded(awards) => {
            awards.iter().map(|award| Event::new(Topic::TrophyAwarded, award.clone())).collect()
        }
        Cause::HouseholdChanged(facts) => vec![Event::new(Topic::HouseholdChanged, facts.clone())],
        Cause::MomentMade { moment, .. } => vec![Event::new(Topic::MomentCreated, moment.clone())],
        _ => Vec::new(),
    }
}

/// No games are not a change.
fn games_changed(action: Action, ids: &[String]) -> Vec<Occurrence> {
    if ids.is_empty() { Vec::new() } else { vec![Occurrence::library_changed(action, ids)] }
}

fn added(change: &Change) -> Vec<String> {
    let ids = change.ops.iter().filter_map(|op| match op {
        Op::Add(_, game) => Some(game.id().to_owned()),
        _ => None,
    });
    ids.collect()
}

fn removed(change: &Change) -> Vec<String> {
    let ids = change.ops.iter().filter_map(|op| match op {
        Op::Remove(ids) => Some(ids.clone()),
        _ => None,
    });
    ids.flatten().collect()
}

/// `{revision, game_ids, removed, sections, all, count}`: a client asks the delta route for
/// `game_ids`, drops those that are `removed`, and reads everything again when `all` is true.
pub(super) fn library_changed(change: &Change) -> Event {
    let (mut ids, mut removed) = (BTreeSet::new(), BTreeSet::new());
    let mut sections = BTreeSet::new();
    for op in change.ops.iter() {
        match op {
            Op::Put(game) | Op::Add(_, game) => {
                removed.remove(game.id());
                ids.insert(game.id());
            }
            Op::Rename { from, game } => {
                ids.remove(from.as_str());
                removed.insert(from.as_str());
                ids.insert(game.id());
            }
            Op::Remove(gone) => {
                for id in gone {
                    ids.remove(id.as_str());
                    removed.insert(id.as_str());
                }
            }
            Op::Note(_) => {}
            Op::Section(key, _) | Op::Splice { key, .. } | Op::Merge { key, .. } => {
                sections.insert(key.as_str());
            }
        }
    }
    let count = ids.len() + removed.len();
    let all = change.ops.is_empty() || count > IDS;
    let named = |ids: BTreeSet<&str>| -> Value { if all { json!([]) } else { json!(ids) } };
    let payload = json!({
        "revision": change.after.revision,
        "count": count,
        "all": all,
        "game_ids": named(ids),
        "removed": named(removed),
        "sections": sections,
    });
    Event::new(Topic::LibraryChanged, payload)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::model::{Game, Import, State, cause::QueuePlace};

    fn game(id: &str) -> Arc<Game> {
        let record = json!({"game_id": id, "path": format!("/games/{id}.nes")});
        Arc::new(Game::from_json(&record.to_string()).expect("a game"))
    }

    fn change(ops: Vec<Op>, cause: Cause) -> Change {
        let state = Arc::new(State::default());
        Change { before: Arc::clone(&state), after: state, ops: ops.into(), cause, at: 0 }
    }

    fn told(ops: Vec<Op>) -> Value {
        let cause = if ops.is_empty() { Cause::Replaced } else { Cause::Unnamed };
        library_changed(&change(ops, cause)).payload
    }

    /// Names and data of the occurrences of a commit that adds `a`, removes `b` and edits `c`.
    fn announced(cause: Cause) -> Vec<(&'static str, Value)> {
        let ops = vec![Op::Add(None, game("a")), Op::Remove(vec!["b".into()]), Op::Put(game("c"))];
        let occurrences = occurrences(&change(ops, cause)).into_iter();
        occurrences
            .map(|told| (told.subject().name(), Value::Object(told.data().clone())))
            .collect()
    }

    #[track_caller]
    fn announces(cause: Cause, expected: &[(&str, Value)]) {
        assert_eq!(announced(cause.clone()), expected, "{cause:?}");
    }

    #[test]
    fn each_cause_announces_the_games_it_is_about() {
        let games = |action: &str, ids: &[&str]| {
            let data = json!({"action": action, "game_ids": ids, "count": ids.len()});
            ("library.changed", data)
        };
        announces(Cause::Created, &[games("created", &["a"])]);
        announces(Cause::Updated("x".into()), &[games("updated", &["x"])]);
        announces(Cause::Bulk(vec!["x".into(), "y".into()]), &[games("bulk", &["x", "y"])]);
        announces(Cause::Deleted, &[games("deleted", &["b"])]);
        announces(Cause::Trashed, &[games("trashed", &["b"])]);
        announces(Cause::Restored, &[games("restored", &["a"])]);
        announces(Cause::Deduped, &[games("deduped", &["b"])]);
        let relinked = Cause::Relinked { game_ids: vec!["x".into()], has_media: true };
        announces(relinked, &[games("updated", &["x"])]);
        announces(Cause::BackupRestored, &[games("restored", &[])]);
    }

    #[test]
    fn causes_without_games_and_without_receivers_announce_nothing() {
        let relinked = Cause::Relinked { game_ids: Vec::new(), has_media: false };
        for cause in [
            Cause::Unnamed,
            Cause::Replaced,
            Cause::FilesFound,
            Cause::MediaChanged(vec!["/m".into()]),
            Cause::Bulk(Vec::new()),
            Cause::Imported(Import::default()),
            relinked,
        ] {
            announces(cause, &[]);
        }
        assert!(occurrences(&change(Vec::new(), Cause::Deduped)).is_empty());
    }

    #[test]
    fn an_import_announces_itself_and_then_the_games_it_changed() {
        let import = Import { source: "setup".into(), found: 3, added: 1, changed: Vec::new() };
        let imported = ("library.imported", json!({"source": "setup", "found": 3, "added": 1}));
        announces(Cause::Imported(import.clone()), std::slice::from_ref(&imported));
        let changed = Import { changed: vec!["x".into()], ..import };
        let bulk = ("library.changed", json!({"action": "bulk", "game_ids": ["x"], "count": 1}));
        announces(Cause::Imported(changed), &[imported, bulk]);
    }

    #[test]
    fn the_queue_backups_and_the_database_announce_what_they_did() {
        let to = QueuePlace { game_id: "g".into(), entry_id: "g@1".into() };
        let data = json!({"from_game_id": "", "from_entry_id": "",
            "to_game_id": "g", "to_entry_id": "g@1"});
        let advanced = Cause::QueueAdvanced { from: QueuePlace::default(), to };
        announces(advanced, &[("queue.advanced", data)]);
        let backed_up = Cause::BackedUp { archive_name: "a.zip".into(), items: vec!["media"] };
        let data = json!({"archive_name": "a.zip", "items": ["media"]});
        announces(backed_up, &[("backup.created", data)]);
        let switched = Cause::PluginChanged { action: "enabled", plugin: "a.b".into() };
        announces(switched, &[("plugin.changed", json!({"action": "enabled", "plugin": "a.b"}))]);
        for (done, status) in [(true, "done"), (false, "error")] {
            let synced = ("metadata.synced", json!({"status": status}));
            announces(Cause::MetadataSynced { done }, &[synced]);
        }
        let updated = ("update.installed", json!({"version": "1.2.3"}));
        announces(Cause::UpdateInstalled("1.2.3".into()), &[updated]);
    }

    #[test]
    fn caches_fall_for_files_that_were_found_written_or_removed() {
        let ops = || vec![Op::Add(None, game("a")), Op::Add(None, game("b")), Op::Put(game("c"))];
        let found = change(ops(), Cause::FilesFound);
        assert_eq!((stale_paths(&found), changes_media(&found)), (vec!["/games/a.nes"], false));
        let media = change(Vec::new(), Cause::MediaChanged(vec!["/m/x".into()]));
        assert_eq!((stale_paths(&media), changes_media(&media)), (vec!["/m/x"], true));
        let created = change(ops(), Cause::Created);
        assert_eq!((stale_paths(&created), changes_media(&created)), (Vec::new(), false));
        for has_media in [false, true] {
            let relinked = change(ops(), Cause::Relinked { game_ids: Vec::new(), has_media });
            assert_eq!(changes_media(&relinked), has_media);
        }
    }

    #[test]
    fn a_change_names_its_games_and_sections() {
        let payload = told(vec![
            Op::Put(game("b")),
            Op::Add(None, game("a")),
            Op::Add(None, game("short-lived")),
            Op::Remove(vec!["short-lived".into(), "c".into()]),
            Op::Section("queue".into(), json!([])),
        ]);
        assert_eq!(payload["game_ids"], json!(["a", "b"]));
        assert_eq!(payload["removed"], json!(["c", "short-lived"]));
        assert_eq!((&payload["sections"], &payload["all"]), (&json!(["queue"]), &json!(false)));
    }

    #[test]
    fn large_and_foreign_changes_ask_for_everything() {
        assert_eq!(told(Vec::new())["all"], true);
        let many = |count: usize| (0..count).map(|n| Op::Put(game(&n.to_string()))).collect();
        assert_eq!(told(many(IDS))["all"], false);
        let payload = told(many(IDS + 1));
        assert_eq!((&payload["all"], &payload["count"]), (&json!(true), &json!(IDS + 1)));
        assert_eq!(payload["game_ids"], json!([]));
    }
}
