//! The chain of events of one game: what an event changed, and what a revert restores.

use std::collections::HashMap;

use serde_json::{Map, Value, json};

use super::{
    book::Book,
    catalog::{self, Catalog},
    error::JournalError,
    event::{Event, EventId, Kind, iso},
    handle::Journal,
    index::Row,
};
use crate::{base::ids, model::State};

/// What a game was before an event.
#[derive(Clone, Debug, PartialEq)]
pub enum Base {
    /// It was not there.
    Nothing,
    /// It was this.
    Catalog(Catalog),
    /// The event before is no longer in the journal, or cannot be read.
    Unavailable,
}

impl Base {
    /// The catalog before; an empty one when the game was not there, `None` when unknown.
    pub fn catalog(&self) -> Option<Catalog> {
        match self {
            Self::Nothing => Some(Catalog::new()),
            Self::Catalog(catalog) => Some(catalog.clone()),
            Self::Unavailable => None,
        }
    }
}

/// An event with what was before it.
#[derive(Clone, Debug, PartialEq)]
pub struct Link {
    /// The event.
    pub event: Event,
    /// What the game was before.
    pub base: Base,
}

impl Link {
    /// The stable id of the game; empty when neither the event nor the one before holds it.
    pub fn game_id(&self) -> String {
        let own = self.event.sync_key.strip_prefix("game:").unwrap_or("");
        let said = self.said("game_id");
        if said.is_empty() { own.to_owned() } else { said }
    }

    /// A text of the catalog after the event, or of the one before when the game was removed.
    fn said(&self, field: &str) -> String {
        let before = match &self.base {
            Base::Catalog(catalog) => Some(catalog),
            Base::Nothing | Base::Unavailable => None,
        };
        let catalog = self.event.catalog.as_ref().or(before);
        let text = catalog.and_then(|catalog| catalog.get(field)).and_then(Value::as_str);
        text.unwrap_or("").to_owned()
    }

    /// The row of a client: what happened, and each field that changed.
    pub fn shown(&self) -> Value {
        let Self { event, base } = self;
        let after = event.catalog.clone().unwrap_or_default();
        let changes = base.catalog().map(|before| catalog::differences(&before, &after));
        let parents: Vec<String> = event.parents.iter().map(|id| ids::hex(id)).collect();
        let mut row = json!({
            "event_id": ids::hex(&event.id),
            "created_at": iso(event.at),
            "sequence": event.sequence,
            "sync_key": event.sync_key,
            "device_id": event.device_id,
            "kind": event.kind.name(),
            "game_id": self.game_id(),
            "name": self.said("name"),
            "tombstone": event.kind == Kind::Delete,
            "parents": parents,
            "changes": catalog::shown(&changes.unwrap_or_default()),
            "diff_base_missing": *base == Base::Unavailable,
        });
        if let (Some(revert), Some(row)) = (&event.revert, row.as_object_mut()) {
            row.insert("revert".to_owned(), revert.clone());
        }
        row
    }
}

/// Reads an event and what was before it; `None` when the event cannot be read.
pub(super) fn link(book: &mut Book, row: Row, now: i64) -> Result<Option<Link>, JournalError> {
    let Some(event) = book.event(row)? else { return Ok(None) };
    let base = if event.parents.is_empty() {
        Base::Nothing
    } else {
        let previous = book.index().previous(row);
        match previous.filter(|previous| !book.index().is_dropped(*previous, now)) {
            Some(previous) => match book.event(previous)? {
                Some(before) => before.catalog.map_or(Base::Nothing, Base::Catalog),
                None => Base::Unavailable,
            },
            None => Base::Unavailable,
        }
    };
    Ok(Some(Link { event, base }))
}

impl Journal {
    /// The event with this id and what was before it; `None` when the journal does not have it.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn find(&self, id: &EventId) -> Result<Option<Link>, JournalError> {
        let now = self.now();
        self.read(|book, _| {
            let row = book.index().find(id);
            match row.filter(|row| !book.index().is_dropped(*row, now)) {
                Some(row) => link(book, row, now),
                None => Ok(None),
            }
        })
    }

    /// The id of the newest event of a game, in hex.
    ///
    /// # Errors
    /// When the file cannot be used.
    pub fn newest(&self, sync_key: &str) -> Result<Option<String>, JournalError> {
        self.read(|book, _| {
            let index = book.index();
            Ok(index.head(index.key(sync_key)).map(|row| ids::hex(&index.id_of(row))))
        })
    }
}

/// The keys a game may have in the journal: its own, and the one it shares with other libraries.
pub fn keys_of(state: &State, game: &str) -> Vec<String> {
    if game.starts_with("game:") || game.starts_with("verified:") {
        return vec![game.to_owned()];
    }
    let mut keys = vec![catalog::own_key(game)];
    if let Some((_, game)) = state.games.find(game) {
        keys.push(catalog::own_key(game.id()));
        keys.push(catalog::sync_key(&catalog::of(game)));
    }
    keys.sort_unstable();
    keys.dedup();
    keys
}

/// The names of games that are in the library now, by the hash of their key: most of what is listed
/// by name need not be read from the file.
pub(super) struct Names<'a>(HashMap<u64, &'a str>);

impl<'a> Names<'a> {
    pub(super) fn of(book: &Book, state: &'a State) -> Self {
        let name = |game: &'a std::sync::Arc<crate::model::game::Game>| {
            (book.index().key(&catalog::own_key(game.id())), game.name())
        };
        Self(state.games.iter().map(name).collect())
    }

    /// The name a game has after an event, folded for sorting.
    pub(super) fn after(&self, book: &mut Book, row: Row) -> Result<String, JournalError> {
        let known = self.0.get(&book.index().key_of(row));
        let name = if let Some(name) = known.filter(|_| book.index().is_head(row)) {
            (*name).to_owned()
        } else {
            let catalog = book.event(row)?.and_then(|event| event.catalog);
            text(&catalog.unwrap_or_default(), "name")
        };
        Ok(crate::base::text::fold(&name))
    }
}

/// A text of a catalog; empty when it is unset.
pub(super) fn text(catalog: &Map<String, Value>, field: &str) -> String {
    catalog.get(field).and_then(Value::as_str).unwrap_or("").to_owned()
}
