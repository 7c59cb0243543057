//! All operations in memory: order, names, pages and pruning.
//!
//! Newest first. Pure: no disk, no clock, no thread; `runner` and `worker` hold it behind a lock
//! and never for longer than it takes to change a few fields.

use std::{collections::HashSet, sync::Arc, time::Instant};

use serde_json::{Map, Value};

use super::{
    control::Control,
    document::Operation,
    items::Items,
    machine::{Event, State},
    spec,
};
use crate::base::{Moment, limits};

/// What is known of an operation of this process while it waits or runs.
pub(super) struct Live {
    /// Signals its worker to stop.
    pub(super) control: Arc<Control>,
    /// Its failed and skipped items.
    pub(super) items: Items,
    /// The operation of the same name whose end it waits for.
    pub(super) after: Option<String>,
    /// Whether it is on the disk and may be started.
    pub(super) launched: bool,
    /// When its progress was last published and saved.
    pub(super) told: Option<Instant>,
}

impl Live {
    /// A job that has just been accepted.
    pub(super) fn new(job_id: &str) -> Self {
        let (control, items) = (Arc::default(), Items::of(job_id));
        Self { control, items, after: None, launched: false, told: None }
    }
}

/// One operation.
pub(super) struct Row {
    /// What is stored about it.
    pub(super) operation: Operation,
    /// Present while it waits or runs.
    pub(super) live: Option<Live>,
    /// Whether it was accepted by this process.
    pub(super) here: bool,
}

/// What a list of operations is narrowed to.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// The last operation already seen; an unknown one is the start.
    pub cursor: Option<String>,
    /// How many, at least 1.
    pub limit: usize,
    /// Only this type.
    pub kind: Option<String>,
    /// Only this state.
    pub state: Option<String>,
    /// Only this chain of retries and resumes.
    pub root_job_id: Option<String>,
}

/// All operations, newest first.
#[derive(Default)]
pub(super) struct Board {
    rows: Vec<Row>,
    /// Counted up by every change that is worth saving.
    pub(super) revision: u64,
    /// Nothing is accepted any more.
    pub(super) closed: bool,
}

impl Board {
    /// The operations of an earlier process: those that were active are interrupted now. Expired operations count as a
    /// change, so the first save drops them.
    pub(super) fn loaded(operations: Vec<Operation>, now: &Moment) -> Self {
        let mut board = Self::default();
        for mut operation in operations {
            if operation.apply(Event::Interrupt, now).is_ok() {
                operation.say_interrupted();
                board.revision += 1;
            }
            board.rows.push(Row { operation, live: None, here: false });
        }
        board.rows.sort_by(|a, b| b.operation.updated_at.cmp(&a.operation.updated_at));
        if board.rows.len() > limits::JOBS
            || board.rows.iter().any(|row| is_old(&row.operation, now))
        {
            board.revision += 1;
        }
        board
    }

    /// Every row, newest first.
    pub(super) fn rows(&self) -> &[Row] {
        &self.rows
    }

    pub(super) fn find(&self, job_id: &str) -> Option<&Row> {
        self.rows.iter().find(|row| row.operation.job_id == job_id)
    }

    /// A row about to be changed in a way that is worth saving.
    pub(super) fn change(&mut self, job_id: &str) -> Option<&mut Row> {
        self.revision += 1;
        self.rows.iter_mut().find(|row| row.operation.job_id == job_id)
    }

    /// The active rows of a name, newest first.
    pub(super) fn active_named<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Row> {
        self.active().filter(move |row| row.operation.name == name)
    }

    /// The active rows of a name and of the names that are derived from it ([`spec::beside`]), newest first.
    pub(super) fn active_family<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a Row> {
        self.active().filter(move |Row { operation, .. }| {
            operation.name == name || operation.name == spec::beside(name, &operation.root_job_id)
        })
    }

    /// Whether an operation with this name and input, or one that ran in parallel, has ended well.
    pub(super) fn has_done(&self, name: &str, input: &Map<String, Value>) -> bool {
        self.rows.iter().map(|row| &row.operation).any(|operation| {
            operation.state == State::Done
                && (operation.name == name
                    || operation.name == spec::beside(name, &operation.root_job_id))
                && operation.input == *input
        })
    }

    pub(super) fn active(&self) -> impl Iterator<Item = &Row> {
        self.rows.iter().filter(|row| row.operation.state.is_active())
    }

    /// The names and inputs of operations of this type whose latest run was interrupted.
    pub(super) fn interrupted(&self, kind: &str) -> Vec<(String, Map<String, Value>)> {
        let mut seen = HashSet::new();
        let of_kind = self.rows.iter().map(|row| &row.operation).filter(|op| op.kind == kind);
        let latest = of_kind.filter(|operation| seen.insert(operation.name.clone()));
        let interrupted = latest.filter(|operation| operation.state == State::Interrupted);
        interrupted.map(|operation| (operation.name.clone(), operation.input.clone())).collect()
    }

    /// Whether an operation of this chain is listed.
    pub(super) fn has_root(&self, root_job_id: &str) -> bool {
        self.rows.iter().any(|row| row.operation.root_job_id == root_job_id)
    }

    /// Adds a new operation in front.
    pub(super) fn insert(&mut self, operation: Operation) {
        let live = Some(Live::new(&operation.job_id));
        self.rows.insert(0, Row { operation, live, here: true });
        self.revision += 1;
    }

    /// Undoes an operation that could not be saved.
    pub(super) fn withdraw(&mut self, job_id: &str) {
        self.rows.retain(|row| row.operation.job_id != job_id);
        self.revision += 1;
    }

    /// Has a job wait for the end of an active one.
    pub(super) fn follow(&mut self, job_id: &str, after: String) {
        let row = self.rows.iter_mut().find(|row| row.operation.job_id == job_id);
        if let Some(live) = row.and_then(|row| row.live.as_mut()) {
            live.after = Some(after);
        }
    }

    /// Marks a job as written down; true when it need not wait for another one.
    pub(super) fn launch(&mut self, job_id: &str) -> bool {
        let row = self.rows.iter_mut().find(|row| row.operation.job_id == job_id);
        let Some(live) = row.and_then(|row| row.live.as_mut()) else { return false };
        live.launched = true;
        live.after.is_none()
    }

    /// Lets the queued jobs go that waited for the end of this one, and returns their ids.
    pub(super) fn release_followers(&mut self, job_id: &str) -> Vec<String> {
        let mut released = Vec::new();
        for row in &mut self.rows {
            let Some(live) = &mut row.live else { continue };
            if live.after.as_deref() == Some(job_id) {
                live.after = None;
                if row.operation.state == State::Queued && live.launched {
                    released.push(row.operation.job_id.clone());
                }
            }
        }
        released
    }

    /// One page of the rows that pass the filter, and the next cursor when more follow.
    pub(super) fn page(&self, filter: &Filter) -> (Vec<&Row>, Option<String>) {
        let is = |wanted: &Option<String>, value: &str| {
            wanted.as_deref().is_none_or(|wanted| wanted == value)
        };
        let seen = filter
            .cursor
            .as_ref()
            .and_then(|cursor| self.rows.iter().position(|row| row.operation.job_id == *cursor));
        let mut matching = self.rows.iter().skip(seen.map_or(0, |at| at + 1)).filter(|row| {
            is(&filter.kind, &row.operation.kind)
                && is(&filter.state, row.operation.state.name())
                && is(&filter.root_job_id, &row.operation.root_job_id)
        });
        let page: Vec<_> = matching.by_ref().take(filter.limit).collect();
        let more = matching.next().is_some();
        let next = page.last().filter(|_| more).map(|row| row.operation.job_id.clone());
        (page, next)
    }

    /// Drops what is kept no longer and returns it: ended more than 30 days ago, or beyond the
    /// newest 100. An active operation is never dropped.
    pub(super) fn prune(&mut self, now: &Moment) -> Vec<Operation> {
        let mut kept = 0;
        let mut dropped = Vec::new();
        let rows = std::mem::take(&mut self.rows);
        for row in rows {
            let active = row.operation.state.is_active();
            if active || (kept < limits::JOBS && !is_old(&row.operation, now)) {
                kept += 1;
                self.rows.push(row);
            } else {
                dropped.push(row.operation);
            }
        }
        dropped
    }
}

/// Whether an operation ended more than 30 days ago.
fn is_old(operation: &Operation, now: &Moment) -> bool {
    let oldest = now.unix_seconds() - limits::JOB_DAYS * 24 * 60 * 60;
    let ended = operation.finished_at.as_deref().and_then(Moment::parse);
    ended.is_some_and(|ended| ended.unix_seconds() < oldest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operation(id: &str, state: State, updated: i64) -> Operation {
        let now = Moment::from_unix(updated);
        let mut operation =
            Operation::new(id.into(), format!("name-{id}"), "setup.scan", id.into(), &now);
        operation.state = state;
        operation.finished_at = (!state.is_active()).then(|| now.utc_iso());
        operation
    }

    fn ids(rows: &[&Row]) -> String {
        rows.iter().map(|row| row.operation.job_id.as_str()).collect()
    }

    const DAY: i64 = 24 * 60 * 60;

    #[test]
    fn what_was_active_is_interrupted_at_load() {
        let now = Moment::from_unix(20 * DAY);
        for state in State::ALL {
            let mut with_message = operation("b", state, 2);
            with_message.message = "Half way".into();
            let board = Board::loaded(vec![operation("a", state, 1), with_message], &now);
            let of = |id: &str| &board.find(id).expect("a row").operation;
            let (first, second) = (of("a"), of("b"));
            if state.is_active() {
                let at = Some(now.utc_iso());
                assert_eq!((first.state, &first.finished_at), (State::Interrupted, &at));
                assert_eq!(first.message, "Interrupted by shutdown.");
                assert_eq!(second.message, "Half way");
                assert_eq!(board.revision, 2);
            } else {
                assert_eq!((first.state, board.revision), (state, 0));
            }
        }
    }

    #[test]
    fn what_outstayed_its_time_is_dropped_with_the_first_save() {
        for (at, revision) in [(30 * DAY, 0), (30 * DAY + 1, 1)] {
            let list = vec![operation("a", State::Done, 0)];
            let mut board = Board::loaded(list, &Moment::from_unix(at));
            assert_eq!(board.revision, revision, "{at}");
            assert_eq!(board.prune(&Moment::from_unix(at)).len() as u64, revision);
        }
        let many = |count: usize| {
            let list = (0..count).map(|at| operation(&at.to_string(), State::Done, DAY));
            Board::loaded(list.collect(), &Moment::from_unix(2 * DAY)).revision
        };
        assert_eq!((many(limits::JOBS), many(limits::JOBS + 1)), (0, 1));
    }

    #[test]
    fn loaded_operations_stand_newest_change_first() {
        let list = vec![
            operation("a", State::Done, 1),
            operation("b", State::Done, 3),
            operation("c", State::Done, 2),
        ];
        let board = Board::loaded(list, &Moment::from_unix(9));
        assert_eq!(ids(&board.rows().iter().collect::<Vec<_>>()), "bca");
    }

    #[test]
    fn pages_filter_first_and_end_without_cursor() {
        let mut board = Board::default();
        for (at, id) in ["a", "b", "c", "d", "e"].into_iter().enumerate() {
            let state = if at % 2 == 0 { State::Done } else { State::Error };
            board.insert(operation(id, state, 1));
        }
        let mut filter = Filter { limit: 2, state: Some("done".into()), ..Filter::default() };
        let (page, next) = board.page(&filter);
        assert_eq!((ids(&page), next.as_deref()), ("ec".into(), Some("c")));
        filter.cursor = next;
        let (page, next) = board.page(&filter);
        assert_eq!((ids(&page), next), ("a".into(), None));
        filter = Filter { limit: 9, cursor: Some("unknown".into()), ..Filter::default() };
        assert_eq!(ids(&board.page(&filter).0), "edcba");
        filter.kind = Some("cloud.sync".into());
        assert!(board.page(&filter).0.is_empty());
        filter = Filter { limit: 9, root_job_id: Some("d".into()), ..Filter::default() };
        assert_eq!(ids(&board.page(&filter).0), "d");
    }

    #[test]
    fn pruning_keeps_the_newest_hundred_and_whatever_is_active() {
        let now = Moment::from_unix(40 * DAY);
        let mut board = Board::default();
        board.insert(operation("waiting", State::Queued, 0));
        board.insert(operation("old", State::Done, 10 * DAY - 1));
        board.insert(operation("edge", State::Done, 10 * DAY));
        assert_eq!(board.prune(&now).len(), 1);
        for number in 0..limits::JOBS {
            board.insert(operation(&number.to_string(), State::Error, 39 * DAY));
        }
        let dropped = board.prune(&now);
        assert_eq!(dropped.len(), 1);
        assert_eq!(dropped[0].job_id, "edge");
        assert_eq!(board.rows().len(), limits::JOBS + 1);
        assert!(board.find("waiting").is_some());
    }

    #[test]
    fn followers_are_let_go_once_and_only_while_they_wait() {
        let mut board = Board::default();
        board.insert(operation("first", State::Running, 1));
        for (id, state) in [("gone", State::Cancelled), ("next", State::Queued)] {
            board.insert(operation(id, state, 1));
            board.follow(id, "first".into());
        }
        assert!(!board.launch("next"), "it waits for the first");
        board.insert(operation("unsaved", State::Queued, 1));
        board.follow("unsaved", "first".into());
        assert_eq!(board.release_followers("first"), ["next"]);
        assert!(board.release_followers("first").is_empty());
        assert!(board.launch("unsaved"), "it is started as soon as it is saved");
    }
}
