//! Bringing the journal up to date with the library: after a start, after a failure, and when another library was put
//! in its place.
//!
//! The log of the library is read first, because only it knows each commit. Where it leads from what the
//! book holds, its commits are recorded. Where the book ends before the log begins, or is another one's, or
//! recording was off, the library is seen again as it was where the log begins (its backup is that) and
//! followed from there. Only what no line of the log records is found by comparing games.

use super::{
    book::{Book, Commit},
    error::JournalError,
    handle::{JournalCore, Newest, Recorder},
    heritage,
    recording::{is_enabled, is_switch, record_commit, record_difference, revert_of},
};
use crate::{
    base::memory,
    model::{Op, State},
    store::past::{Known, Past, Seen, has_op, read_past, read_states},
};

impl Recorder {
    /// Updates the book to the newest state. `is_replaced` means that this is another library as a whole.
    pub(super) fn catch_up(
        &mut self,
        core: &JournalCore,
        is_replaced: bool,
    ) -> Result<(), JournalError> {
        let was_behind = std::mem::replace(&mut self.is_behind, true);
        if was_behind {
            // It could not be written: what the file holds is what counts.
            self.book = None;
        }
        let Some(newest) = self.newest.clone() else { return Err(JournalError::Behind) };
        self.open(core, &newest)?;
        let leads = self.lead(core, &newest, is_replaced)?;
        if is_replaced || !leads {
            self.compare(&newest)?;
        }
        self.is_behind = false;
        Ok(())
    }

    /// Opens the file where it is not open. Damage that the log of the library can heal is cut out.
    fn open(&mut self, core: &JournalCore, newest: &Newest) -> Result<(), JournalError> {
        if self.book.is_some() {
            return Ok(());
        }
        let JournalCore { files, paths, path, now, .. } = core;
        files.private_dir(path.parent().unwrap_or(&paths.folder))?;
        let mut book = Book::open(files, path.clone(), now().unix_micros())?;
        if let Some((_, revision)) = book.damage {
            let up_to = newest.state.revision;
            let heals = |_: Past| Ok::<_, JournalError>(());
            if read_past(files, paths, &book.lineage, (revision, up_to), heals)? == Known::All {
                book = book.cut_damage(now().unix_micros())?;
            }
        }
        if book.is_blank() {
            heritage::take_in(&mut book, &newest.state, now().unix_micros())?;
        }
        if book.is_large() {
            memory::give_back();
        }
        self.book = Some(book);
        Ok(())
    }

    /// Records what the log of the library knows and the book does not. Returns whether that led to the
    /// newest state for certain.
    fn lead(
        &mut self,
        core: &JournalCore,
        newest: &Newest,
        is_replaced: bool,
    ) -> Result<bool, JournalError> {
        let Some(book) = &mut self.book else { return Err(JournalError::Behind) };
        let is_wanted = is_enabled(&newest.state);
        // A book that is off when its library is replaced was joined with an archive, and what is restored
        // is all that it is compared with.
        if book.is_off && (is_replaced || !is_wanted && !was_switched(book, core, newest)?) {
            return Ok(!is_wanted);
        }
        let known = if book.is_off { Known::Nothing } else { replay(book, core, newest)? };
        match known {
            Known::All => Ok(true),
            Known::Some => Ok(false),
            Known::Nothing => retrace(book, core, newest),
        }
    }

    fn compare(&mut self, newest: &Newest) -> Result<(), JournalError> {
        let Some(book) = &mut self.book else { return Err(JournalError::Behind) };
        let Newest { state, lineage, at } = newest;
        if is_enabled(state) {
            let commit = Commit { revision: state.revision, at: *at, lineage, revert: None };
            compare(book, &commit, state)?;
            log::info!("the journal was compared with the library");
            memory::give_back();
        } else if !book.is_off {
            book.mark(state.revision, *at, lineage, true)?;
        }
        Ok(())
    }
}

/// Whether the log shows that recording was switched after the end of the book.
fn was_switched(book: &Book, core: &JournalCore, newest: &Newest) -> Result<bool, JournalError> {
    let Newest { state, lineage, .. } = newest;
    let held = if book.lineage == **lineage { book.revision } else { 0 };
    Ok(has_op(&core.files, &core.paths, lineage, (held, state.revision), is_switch)?)
}

/// Records the differences between a library and the book. The mark says that recording continues from here, also where
/// nothing differs.
fn compare(book: &mut Book, commit: &Commit<'_>, state: &State) -> Result<(), JournalError> {
    record_difference(book, commit, &state.games)?;
    book.mark(commit.revision, commit.at, commit.lineage, false)?;
    Ok(())
}

/// Records the commits of the log that the book does not hold. [`Known::Nothing`] when the log does not
/// begin where the book ends, or when recording was switched on the way.
fn replay(book: &mut Book, core: &JournalCore, newest: &Newest) -> Result<Known, JournalError> {
    let JournalCore { files, paths, .. } = core;
    // A blank book follows a library whose log goes back to its beginning. That of a library that is
    // no longer there is not written to any more, but still holds what was answered.
    let is_its = book.lineage == *newest.lineage || book.is_blank();
    let lineage = if is_its { newest.lineage.to_string() } else { book.lineage.clone() };
    let up_to = if is_its { newest.state.revision } else { u64::MAX };
    // A library that was never changed here has no log that could identify it.
    let is_told = is_its && !(book.is_blank() && up_to == 0);
    let (mut is_certain, mut is_switched) = (is_told && book.damage.is_none(), false);
    let known = read_past(files, paths, &lineage, (book.revision, up_to), |past: Past| {
        is_switched |= past.ops.iter().any(is_switch);
        if !is_switched {
            let at = past.at.unwrap_or(newest.at);
            is_certain &= follow(book, (past.revision, at), &lineage, &past.ops)?;
        }
        Ok::<_, JournalError>(())
    })?;
    Ok(match known {
        _ if is_switched => Known::Nothing,
        Known::All if !is_certain => Known::Some,
        known => known,
    })
}

/// Goes from the library where its log begins to the newest state and records what the book does not hold:
/// what sets the first one apart, and each commit behind it. Returns whether that was everything.
fn retrace(book: &mut Book, core: &JournalCore, newest: &Newest) -> Result<bool, JournalError> {
    let JournalCore { files, paths, .. } = core;
    let Newest { state, lineage, at: now } = newest;
    let held = (book.lineage == **lineage).then_some(book.revision);
    if held >= Some(state.revision) {
        // It has recorded more than this library, an older copy, holds.
        return Ok(false);
    }
    let (mut is_following, mut is_certain) = (false, book.damage.is_none());
    let known = read_states(files, paths, lineage, state.revision, |seen: Seen<'_>| {
        let Seen { state, at, ops } = seen;
        let (revision, at) = (state.revision, at.unwrap_or(*now));
        if held.is_some_and(|held| revision < held) {
            return Ok(());
        }
        let was_following = std::mem::replace(&mut is_following, is_enabled(state));
        if !is_following {
            if !book.is_off {
                book.mark(revision, at, lineage, true)?;
            }
        } else if was_following {
            is_certain &= follow(book, (revision, at), lineage, ops)?;
        } else if book.is_off || held != Some(revision) {
            let commit = Commit { revision, at, lineage, revert: None };
            compare(book, &commit, state)?;
        }
        Ok::<_, JournalError>(())
    })?;
    memory::give_back();
    Ok(known == Known::All && is_following && is_certain)
}

/// Records a commit of the log. Returns whether what it did was certain.
fn follow(
    book: &mut Book,
    (revision, at): (u64, i64),
    lineage: &str,
    ops: &[Op],
) -> Result<bool, JournalError> {
    let commit = Commit { revision, at, lineage, revert: revert_of(ops) };
    let is_certain = record_commit(book, &commit, ops, None)?;
    book.revision = revision;
    lineage.clone_into(&mut book.lineage);
    Ok(is_certain)
}
