//! Keeps the index up to date, decides when it is used, and handles its failures.
//!
//! A thread of its own follows the library: after every durable change it updates the index to the newest state, in one
//! transaction however many changes there were. It starts with the first search that wants an index. A search waits a
//! moment for an index that is behind and then answers from the library; while the index of a very large library is
//! first made it does so at once. An index that fails is removed and rebuilt once; when that fails too it is left alone
//! for a while.

use std::{
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, PoisonError},
    time::{Duration, Instant},
};

use super::{
    index::{Index, IndexError, Reader, remove},
    plain,
};
use crate::{
    base::{Hold as _, Workers, named::named, priority},
    config::switches::ReadModel,
    files::Files,
    model::{Games, State},
    store::Store,
};

/// Games from which on an index is used without being asked for.
const LARGE: usize = 5_000;
/// Games up to which a search waits for an index that has still to be made. With more that takes longer than the wait
/// after a key press may be, and the library itself answers in a few milliseconds.
const AWAITED: usize = 10_000;
/// How long a search waits for an index that is behind, unless a test waits longer.
const PATIENCE: Duration = Duration::from_secs(1);
/// How long an index that cannot be made is left alone.
const REST: Duration = Duration::from_mins(1);

named! {
    /// Where an answer came from; `sqlite` or `json` on the wire.
    pub enum Source {
        /// The index.
        Sqlite = "sqlite",
        /// The library itself.
        Json = "json",
    }
}

/// The games that match a search.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SearchResult {
    /// Positions of the games, best first or in library order.
    pub positions: Vec<usize>,
    /// Where they come from.
    pub source: Source,
}

/// The search of one library.
pub struct Search {
    inner: Arc<Inner>,
    workers: Workers,
}

struct Inner {
    files: Files,
    path: PathBuf,
    mode: ReadModel,
    patience: Duration,
    index_state: Mutex<IndexState>,
    /// Rung when something is wanted, done or over.
    bell: Condvar,
    reader: Mutex<Option<Reader>>,
}

/// The requested and the present revision of the index.
#[derive(Default)]
struct IndexState {
    is_used: bool,
    is_stopping: bool,
    wanted: Option<Arc<State>>,
    /// The revision the index stands at; `None` while there is no usable index.
    done: Option<u64>,
    /// Until when an index that failed is left alone.
    rests_until: Option<Instant>,
}

impl IndexState {
    fn is_resting(&self) -> bool {
        self.rests_until.is_some_and(|until| Instant::now() < until)
    }

    fn want(&mut self, state: &Arc<State>) {
        if self.wanted.as_ref().is_none_or(|wanted| wanted.revision < state.revision) {
            self.wanted = Some(Arc::clone(state));
        }
    }

    fn is_behind(&self) -> bool {
        self.wanted.as_ref().is_some_and(|wanted| self.done != Some(wanted.revision))
    }
}

impl Search {
    /// The search of a library whose index stands at `path`. Nothing is opened yet.
    pub fn new(files: Files, path: PathBuf, mode: ReadModel) -> Self {
        Self::with_patience(files, path, mode, PATIENCE)
    }

    /// As [`Self::new`], waiting for an index that is behind for as long as `patience`.
    pub(super) fn with_patience(
        files: Files,
        path: PathBuf,
        mode: ReadModel,
        patience: Duration,
    ) -> Self {
        let inner = Inner {
            files,
            path,
            mode,
            patience,
            index_state: Mutex::default(),
            bell: Condvar::new(),
            reader: Mutex::default(),
        };
        Self { inner: Arc::new(inner), workers: Workers::default() }
    }

    /// Follows the durable changes of the library from now on.
    pub fn follow(&self, store: &Store) {
        let inner = Arc::clone(&self.inner);
        store.watch(Box::new(move |change| {
            let mut index_state = inner.index_state.hold();
            if index_state.is_used {
                index_state.want(&change.after);
                inner.bell.notify_all();
            }
        }));
    }

    /// The best games for a query, at most `limit`. A blank query finds nothing.
    pub fn find(&self, state: &Arc<State>, query: &str, limit: usize) -> SearchResult {
        if query.trim().is_empty() {
            return SearchResult { positions: Vec::new(), source: Source::Json };
        }
        let indexed = self.is_wanted(&state.games).then(|| self.indexed(state, query, limit));
        indexed.flatten().unwrap_or_else(|| SearchResult {
            positions: plain::search(&state.games, query, limit),
            source: Source::Json,
        })
    }

    /// Stops the worker; an index under construction is left as it was before.
    pub fn stop(&self) {
        self.inner.index_state.hold().is_stopping = true;
        self.inner.bell.notify_all();
        self.workers.join();
    }

    /// Whether the index answers: a library that was large once keeps it.
    fn is_wanted(&self, games: &Games) -> bool {
        match self.inner.mode {
            ReadModel::On => true,
            ReadModel::Off => false,
            ReadModel::Automatic => self.inner.index_state.hold().is_used || games.len() >= LARGE,
        }
    }

    fn indexed(&self, state: &Arc<State>, query: &str, limit: usize) -> Option<SearchResult> {
        self.start();
        if !self.inner.wait_for(state) {
            return None;
        }
        let ids = self.inner.ask(state.revision, query, limit)?;
        let positions = ids.iter().filter_map(|id| state.games.position(id)).collect();
        Some(SearchResult { positions, source: Source::Sqlite })
    }

    /// Starts the worker once.
    fn start(&self) {
        let mut index_state = self.inner.index_state.hold();
        if index_state.is_used || index_state.is_stopping {
            return;
        }
        let inner = Arc::clone(&self.inner);
        let started = self.workers.spawn("search-index", move || {
            priority::step_back();
            inner.work();
        });
        match started {
            Ok(()) => index_state.is_used = true,
            Err(error) => log::warn!("no thread for the search index: {error}"),
        }
    }
}

impl Drop for Search {
    fn drop(&mut self) {
        self.stop();
    }
}

impl Inner {
    /// Waits until the index stands at this state or beyond it; with a limit.
    fn wait_for(&self, state: &Arc<State>) -> bool {
        let mut index_state = self.index_state.hold();
        if !index_state.is_used || index_state.is_resting() {
            return false;
        }
        index_state.want(state);
        self.bell.notify_all();
        if index_state.done.is_none() && state.games.len() > AWAITED {
            return false;
        }
        let is_missing = |index_state: &mut IndexState| {
            index_state.done.is_none_or(|done| done < state.revision)
                && !index_state.is_stopping
                && !index_state.is_resting()
        };
        let waited = self.bell.wait_timeout_while(index_state, self.patience, is_missing);
        let (index_state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        index_state.done.is_some_and(|done| done >= state.revision)
    }

    /// Asks the index; one that fails is rebuilt in the background.
    fn ask(&self, revision: u64, query: &str, limit: usize) -> Option<Vec<String>> {
        let mut reader = self.reader.hold();
        // Asked again now that the file cannot be removed.
        self.index_state.hold().done.filter(|done| *done >= revision)?;
        if reader.is_none() {
            *reader = Reader::open(&self.path).inspect_err(report).ok();
        }
        let found = reader.as_ref().map(|reader| reader.search(query, limit));
        if let Some(Ok(found)) = found {
            return Some(found);
        }
        if let Some(Err(error)) = found {
            report(&error);
        }
        *reader = None;
        drop(reader);
        self.index_state.hold().done = None;
        self.bell.notify_all();
        None
    }

    /// The life of the worker: brings the index to the wanted state, again and again.
    fn work(&self) {
        let mut standing: Option<(Index, Arc<State>)> = None;
        while let Some((wanted, is_usable)) = self.next() {
            if !is_usable && standing.take().is_some() {
                self.give_up();
            }
            match self.bring(standing.take(), &wanted) {
                Ok(index) => {
                    self.finish(Some(wanted.revision), None);
                    standing = Some((index, wanted));
                }
                Err(IndexError::Stopped) => return,
                Err(error) => {
                    report(&error);
                    self.finish(None, Some(Instant::now() + REST));
                }
            }
        }
    }

    /// The next state to be indexed, and whether what stands is usable; `None` at the end.
    fn next(&self) -> Option<(Arc<State>, bool)> {
        let mut index_state = self.index_state.hold();
        loop {
            if index_state.is_stopping {
                return None;
            }
            if index_state.is_behind() && !index_state.is_resting() {
                return index_state
                    .wanted
                    .clone()
                    .map(|wanted| (wanted, index_state.done.is_some()));
            }
            index_state = self.bell.wait(index_state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Updates the index to a state; one that fails is rebuilt, once.
    fn bring(
        &self,
        standing: Option<(Index, Arc<State>)>,
        wanted: &State,
    ) -> Result<Index, IndexError> {
        let goes_on = || !self.index_state.hold().is_stopping;
        let tried = match standing {
            Some((mut index, before)) => {
                index.update(Some(&before.games), &wanted.games, &goes_on).map(|()| index)
            }
            None => Index::open(&self.files, &self.path)
                .and_then(|mut index| index.update(None, &wanted.games, &goes_on).map(|()| index)),
        };
        match tried {
            Err(IndexError::Stopped) => Err(IndexError::Stopped),
            Err(error) => {
                report(&error);
                self.give_up();
                let mut index = Index::open(&self.files, &self.path)?;
                index.update(None, &wanted.games, &goes_on)?;
                Ok(index)
            }
            Ok(index) => Ok(index),
        }
    }

    /// Removes the file, so that the next index is made from nothing. It is not queried meanwhile.
    fn give_up(&self) {
        self.index_state.hold().done = None;
        *self.reader.hold() = None;
        if let Err(error) = remove(&self.files, &self.path) {
            log::warn!("{error}");
        }
    }

    fn finish(&self, done: Option<u64>, rests_until: Option<Instant>) {
        let mut index_state = self.index_state.hold();
        index_state.done = done;
        index_state.rests_until = rests_until;
        drop(index_state);
        self.bell.notify_all();
    }
}

fn report(error: &IndexError) {
    log::warn!("{error}");
}

/// The file an index stands in, for tests that damage it.
#[cfg(test)]
impl Search {
    pub(super) fn path(&self) -> &std::path::Path {
        &self.inner.path
    }

    pub(super) fn wait_until_made(&self) {
        let made = self.inner.index_state.hold();
        let made = self.inner.bell.wait_while(made, |index_state| index_state.done.is_none());
        drop(made.unwrap_or_else(PoisonError::into_inner));
    }

    /// Ends the rest of an index that failed.
    pub(super) fn rouse(&self) {
        self.inner.index_state.hold().rests_until = None;
        self.inner.bell.notify_all();
    }
}
