//! The jobs that follow an import: its games are matched with the metadata database and get their
//! pictures, if the settings say so and the database or a provider is available.
//!
//! It is triggered by the change and not by the route, so it follows every import: of folders, of the setup, of
//! watch folders, of lists. Games that came before the database wait for it: they get their pictures after
//! a sync.

use std::{collections::BTreeSet, sync::Arc};

use crate::{
    base::Moment,
    jobs::Jobs,
    metadata::{
        Metadata, accounts,
        auto::{self, Request},
        bulk,
    },
    model::{Cause, Op},
    store::{Store, watch::Change},
};

/// The field of a game that names its import.
const FIELD: &str = "import_batch_id";

/// Registers the work after every import.
pub(super) fn follow(store: &Store, jobs: &Arc<Jobs>, metadata: &Arc<Metadata>) {
    let (jobs, metadata) = (Arc::clone(jobs), Arc::clone(metadata));
    store.watch_with_reports(Box::new(move |change| {
        if change.cause == (Cause::MetadataSynced { done: true })
            && let Err(error) = bulk::submit_waiting(&metadata, &jobs, &change.after)
        {
            log::warn!("games still wait for their pictures: {error}");
        }
        let batches = imports(change);
        let has_source = || {
            metadata.previews.database().is_ok()
                || accounts::is_any_usable(&metadata, &change.after)
        };
        // Without a source there is nothing to look up, and no job is worth listing.
        if batches.is_empty() || !has_source() {
            return;
        }
        for batch in &batches {
            let request = Request { import_batch_id: batch, ..Request::default() };
            let queued = auto::submit(&metadata, &jobs, &change.after, &request, &Moment::now());
            if let Err(error) = queued {
                log::warn!("what follows an import was not started: {error}");
            }
        }
    }));
}

/// The imports that a change added games of. Restored games carry the id of their import, but are not imported.
fn imports(change: &Change) -> BTreeSet<String> {
    let is_import = matches!(change.cause, Cause::Unnamed | Cause::FilesFound | Cause::Imported(_));
    let mut batches = BTreeSet::<String>::new();
    for op in change.ops.iter().filter(|_| is_import) {
        let Op::Add(_, game) = op else { continue };
        if batches.iter().any(|batch| game.json().contains(batch.as_str())) {
            continue;
        }
        let record = game.record();
        let batch = record.text(FIELD);
        if !batch.is_empty() {
            batches.insert(batch.to_owned());
        }
    }
    batches
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::model::{Game, Import, State};

    fn change(cause: Cause, games: &[Value]) -> Change {
        let game = |row: &Value| Arc::new(Game::from_json(&row.to_string()).expect("a game"));
        let ops: Vec<Op> = games.iter().map(|row| Op::Add(None, game(row))).collect();
        let state = Arc::new(State::default());
        Change { before: Arc::clone(&state), after: state, ops: ops.into(), cause, at: 0 }
    }

    #[test]
    fn only_games_that_an_import_added_are_of_an_import() {
        let games = [
            json!({"game_id": "a", "import_batch_id": "one"}),
            json!({"game_id": "b", "import_batch_id": "one"}),
            json!({"game_id": "c", "import_batch_id": "two"}),
            json!({"game_id": "d"}),
        ];
        let of = |cause: Cause| imports(&change(cause, &games)).into_iter().collect::<Vec<_>>();
        assert_eq!(of(Cause::FilesFound), ["one", "two"]);
        assert_eq!(of(Cause::Imported(Import::default())), ["one", "two"]);
        for cause in [Cause::Restored, Cause::Created, Cause::BackupRestored] {
            assert!(of(cause).is_empty());
        }
        assert!(imports(&change(Cause::FilesFound, &games[3..])).is_empty());
    }
}
