//! The journal as a part of an archive: exported whole, and merged with the present one.

use std::collections::HashSet;

use super::{
    book::{Archived, Book},
    error::JournalError,
    event::{EventId, read_id},
    frame::{Opened, find_frame, read_frame},
    handle::Journal,
};

impl Journal {
    /// The file as it is now, with everything that was answered.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn export(&self) -> Result<Vec<u8>, JournalError> {
        self.read(|book, _| Ok(book.bytes()?))
    }

    /// Joins the events of an archive with those that are here, each once, in the order of their times.
    /// The library is compared with them at its next change: it is about to be replaced.
    ///
    /// # Errors
    /// When the file cannot be used; then it is as it was.
    pub fn absorb(&self, archive: &[u8]) -> Result<(), JournalError> {
        let now = self.now();
        self.read(|book, _| {
            let archived = unknown(book, archive);
            if !archived.is_empty() {
                book.join(archive, &archived, now)?;
            }
            Ok(())
        })
    }
}

/// The frames of an archive with events that are not here.
pub(super) fn unknown(book: &Book, archive: &[u8]) -> Vec<Archived> {
    let index = book.index();
    let known: HashSet<EventId> = (0..index.len()).map(|row| index.id_of(row)).collect();
    let (mut at, mut frames) = (0, Vec::new());
    while let Some(begin) = find_frame(archive, at) {
        let Ok(found) = read_frame(&archive[begin..]) else { break };
        at = begin + found.len;
        let is_new = |id: &EventId| !known.contains(id);
        let ids = found.head.ids.iter().map(|id| read_id(id).filter(is_new));
        let places: Vec<usize> =
            ids.enumerate().filter_map(|(place, id)| id.map(|_| place)).collect();
        if !places.is_empty() && Opened::of(&found).is_some() {
            frames.push(Archived { offset: begin, at: found.head.at, places });
        }
    }
    frames
}
