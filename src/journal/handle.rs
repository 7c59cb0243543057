//! The handle of the journal: the store notifies it, everything else reads it.
//!
//! The store puts news into a queue; a thread, a reader, or a fold that shortens the log takes them out and records
//! them. So no commit waits for the journal, and every reader finds every change that was answered. What was not
//! recorded before a crash stands in the log of the library and is recorded from there at the next start: exactly what
//! is missing, once.
//!
//! Locks are taken in this order: `book`, `queue`. A holder of one of them calls nothing of the store that takes a lock
//! there.

use std::{
    collections::VecDeque,
    io,
    path::PathBuf,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
};

use super::{
    book::{Book, Commit},
    error::JournalError,
    recording::{is_enabled, record_commit, revert_of},
};
use crate::{
    base::{Hold as _, Moment, Workers},
    files::Files,
    model::State,
    store::{
        Paths,
        scribe::{Event as Happened, News, Scribe},
    },
};

/// The journal of one library. A clone is another handle of the same one.
#[derive(Clone)]
pub struct Journal(Arc<JournalCore>);

pub(super) struct JournalCore {
    pub(super) files: Files,
    pub(super) paths: Paths,
    pub(super) path: PathBuf,
    pub(super) now: fn() -> Moment,
    book: Mutex<Recorder>,
    queue: Mutex<Queue>,
    bell: Condvar,
    workers: Workers,
}

#[derive(Default)]
struct Queue {
    news: VecDeque<Told>,
    is_closing: bool,
}

impl Queue {
    /// Whether nothing has to be recorded before the next request. That a library was loaded as it
    /// was left is not a reason to read the journal, which is a sixth of a start: what it may lack
    /// stands in the log, and no line leaves that before it is recorded.
    fn can_wait(&self) -> bool {
        self.news.iter().all(|told| matches!(told.event, Happened::Loaded))
    }
}

/// News that wait.
struct Told {
    /// The state afterwards; of commits in a row only the last one has it, because a state that is
    /// kept for each of them takes the memory of its index.
    state: Option<Arc<State>>,
    revision: u64,
    is_enabled: bool,
    lineage: Arc<str>,
    at: i64,
    event: Happened,
}

/// The open journal file and how far it is.
pub(super) struct Recorder {
    /// `None` until the file was opened, and after it could not be used.
    pub(super) book: Option<Book>,
    /// The newest state that was received.
    pub(super) newest: Option<Newest>,
    /// Whether something that was received is not recorded.
    pub(super) is_behind: bool,
}

/// The newest state that was received.
#[derive(Clone)]
pub(super) struct Newest {
    pub(super) state: Arc<State>,
    pub(super) lineage: Arc<str>,
    pub(super) at: i64,
}

impl Journal {
    /// The journal that is kept in the file at `path`. It receives nothing until it is the scribe of a store, and its
    /// thread works from [`Journal::start`] on.
    pub fn new(files: Files, paths: Paths, path: PathBuf, now: fn() -> Moment) -> Self {
        Self(Arc::new(JournalCore {
            files,
            paths,
            path,
            now,
            book: Mutex::new(Recorder { book: None, newest: None, is_behind: false }),
            queue: Mutex::default(),
            bell: Condvar::new(),
            workers: Workers::default(),
        }))
    }

    /// The scribe to register with the store.
    pub fn scribe(&self) -> Arc<dyn Scribe> {
        Arc::<JournalCore>::clone(&self.0)
    }

    /// Starts the thread that records what was received.
    ///
    /// # Errors
    /// When no thread can be started.
    pub fn start(&self) -> io::Result<()> {
        let core = Arc::clone(&self.0);
        self.0.workers.spawn("journal", move || core.work())
    }

    /// Records what is left and ends the thread. Later news of the store are recorded when it asks, or at the next
    /// start.
    pub fn stop(&self) {
        self.0.queue.hold().is_closing = true;
        self.0.bell.notify_all();
        self.0.workers.join();
    }

    /// Reads from the journal once it holds every change that was answered so far.
    ///
    /// # Errors
    /// When its file cannot be used.
    pub(super) fn read<T>(
        &self,
        read: impl FnOnce(&mut Book, &State) -> Result<T, JournalError>,
    ) -> Result<T, JournalError> {
        let mut recorder = self.0.caught_up()?;
        let Recorder { book, newest, .. } = &mut *recorder;
        let Some((book, newest)) = book.as_mut().zip(newest.as_ref()) else {
            return Err(JournalError::Behind);
        };
        let outcome = read(book, &newest.state);
        book.forget();
        outcome
    }

    /// The present moment, in microseconds since the Unix epoch.
    pub(super) fn now(&self) -> i64 {
        (self.0.now)().unix_micros()
    }
}

impl Scribe for JournalCore {
    fn note(&self, news: News) {
        let News { state, lineage, at, event } = news;
        let mut queue = self.queue.hold();
        if let Some(last) = queue.news.back_mut()
            && matches!(
                (&last.event, &event),
                (Happened::Committed { .. }, Happened::Committed { .. })
            )
            && last.is_enabled
        {
            last.state = None;
        }
        let (revision, is_enabled) = (state.revision, is_enabled(&state));
        let state = Some(state);
        queue.news.push_back(Told { state, revision, is_enabled, lineage, at, event });
        drop(queue);
        self.bell.notify_one();
    }

    fn settle(&self, revision: u64) -> bool {
        let mut recorder = self.book.hold();
        self.drain(&mut recorder);
        let settled = recorder.settle(revision);
        if let Err(error) = &settled {
            log::warn!("the journal is not up to date: {error}");
        }
        settled.is_ok()
    }
}

impl JournalCore {
    fn work(&self) {
        loop {
            let mut queue = self.queue.hold();
            while queue.can_wait() && !queue.is_closing {
                queue = self.bell.wait(queue).unwrap_or_else(PoisonError::into_inner);
            }
            let is_closing = queue.is_closing;
            if is_closing && queue.can_wait() {
                return;
            }
            drop(queue);
            let mut recorder = self.book.hold();
            self.drain(&mut recorder);
            if is_closing {
                return;
            }
            let now = (self.now)().unix_micros();
            if let Some(book) = &mut recorder.book
                && let Err(error) = book.shorten_if_due(now)
            {
                log::warn!("old events stay in the journal: {error}");
            }
        }
    }

    /// The recorder, after recording everything that was received.
    fn caught_up(&self) -> Result<MutexGuard<'_, Recorder>, JournalError> {
        let mut recorder = self.book.hold();
        self.drain(&mut recorder);
        if recorder.is_behind || recorder.book.is_none() {
            recorder.catch_up(self, false)?;
        }
        Ok(recorder)
    }

    /// Records what waits. A failure is logged and leaves the recorder behind; the next news or the next reader tries
    /// again, from the log of the library.
    fn drain(&self, recorder: &mut Recorder) {
        loop {
            let Some(told) = self.queue.hold().news.pop_front() else { return };
            let was_behind = recorder.is_behind;
            if let Err(error) = recorder.take(self, told) {
                recorder.is_behind = true;
                if !was_behind {
                    log::error!("the journal could not be written: {error}");
                }
            }
        }
    }
}

impl Recorder {
    fn take(&mut self, core: &JournalCore, told: Told) -> Result<(), JournalError> {
        let Told { state, revision, is_enabled, lineage, at, event } = told;
        let has_state = state.is_some();
        if let Some(state) = state {
            self.newest = Some(Newest { state, lineage: Arc::clone(&lineage), at });
        }
        // While recording is off there is nothing to follow.
        if self.is_off() && !is_enabled {
            return Ok(());
        }
        if let Happened::Committed { after, before, ops } = &event
            && self.is_following(*after)
            && is_enabled
        {
            let Some(book) = &mut self.book else { return Err(JournalError::Behind) };
            let commit = Commit { revision, at, lineage: &lineage, revert: revert_of(ops) };
            record_commit(book, &commit, ops, Some(before))?;
            book.revision = revision;
            book.lineage = lineage.to_string();
            return Ok(());
        }
        if !has_state {
            // The commit behind it has a state to catch up with.
            self.is_behind = true;
            return Ok(());
        }
        self.catch_up(core, matches!(event, Happened::Replaced))
    }

    fn is_off(&self) -> bool {
        !self.is_behind && self.book.as_ref().is_some_and(|book| book.is_off)
    }

    /// Whether the book holds everything up to a revision and continues recording.
    fn is_following(&self, revision: u64) -> bool {
        let following = |book: &Book| !book.is_off && book.revision == revision;
        !self.is_behind && self.book.as_ref().is_some_and(following)
    }

    /// Makes everything up to a revision durable.
    fn settle(&mut self, revision: u64) -> Result<(), JournalError> {
        let Some(newest) = &self.newest else { return Ok(()) };
        if self.is_behind {
            return Err(JournalError::Behind);
        }
        let Some(book) = &mut self.book else { return Err(JournalError::Behind) };
        if !book.is_off {
            if book.revision < revision {
                return Err(JournalError::Behind);
            }
            book.mark_if_behind(newest.at)?;
        }
        Ok(book.sync(newest.at)?)
    }
}
