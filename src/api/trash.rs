//! `/api/v2/library/trash` and related routes.

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional},
    services::{Reader, Writer},
    tags::chosen_games,
};
use crate::{
    base::{
        Moment,
        schema::{Schema, Type, schema},
    },
    game::{
        delete,
        trash::{self, EntryRef, TrashEntry},
    },
};

const PUT: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("ids", Holds::List, "Several games instead, by id or position; their media stay."),
    optional("delete_media", Holds::Flag, "Also delete its media files inside the data directory."),
];

const RESTORE: [Param; 2] = [
    optional("trash_id", Holds::Text, "The entry; this or game_id is given."),
    optional("game_id", Holds::Text, "The game of the entry."),
];

const PURGE: [Param; 3] = [
    optional("ids", Holds::List, "The entries; all of them when the body is empty.")
        .refusal("ids must be a list of trash entry ids."),
    optional("trash_id", Holds::Text, "One entry."),
    optional("game_id", Holds::Text, "The game of one entry."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/trash", Handler::Read(list_trash))
        .about("trash", "Removed games that can be restored, newest first.")
        .since("1.9")
        .returns::<TrashList>(),
    Route::post("/api/v2/library/trash", Handler::Write(trash_game))
        .about("trash", "Moves a game, or several in one commit, to the trash.")
        .since("1.9")
        .body(&PUT)
        .returns::<Trashed>(),
    Route::post("/api/v2/library/trash/restore", Handler::Write(restore_game))
        .about("trash", "Restores a game to its place and its playlists.")
        .since("1.9")
        .body(&RESTORE)
        .returns::<Restored>(),
    Route::post("/api/v2/library/trash/purge", Handler::Write(purge_trash))
        .about("trash", "Removes entries permanently.")
        .since("1.9")
        .body(&PURGE)
        .returns::<Purged>(),
];

fn list_trash(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    let entries = trash::current(reader.state.rows::<TrashEntry>(), &Moment::now());
    let items: Vec<TrashItem> = entries.into_iter().rev().map(TrashItem::of).collect();
    ok(&TrashList { count: items.len(), items })
}

schema! {
    /// `GET /api/v2/library/trash`.
    struct TrashList {
        /// Newest first.
        items: Vec<TrashItem>,
        count: usize,
    }

    /// A removed game.
    struct TrashItem {
        trash_id: String,
        trashed_at: String,
        game_id: String,
        name: String,
        platform: String,
        /// Names of the playlists it was in.
        playlists: Vec<String>,
    }
}

impl TrashItem {
    fn of(entry: TrashEntry) -> Self {
        let TrashEntry { trash_id, trashed_at, game_id, name, platform, playlists, .. } = entry;
        Self { trash_id, trashed_at, game_id, name, platform, playlists }
    }
}

schema! {
    /// Entries were removed permanently.
    struct Purged {
        ok: bool,
        /// How many.
        purged: usize,
    }
}

/// One game or several went to the trash.
enum Trashed {}

impl Schema for Trashed {
    const SCHEMA: &'static Type = &Type::OneOf(&[GameTrashed::SCHEMA, GamesTrashed::SCHEMA]);
}

schema! {
    /// A game went to the trash.
    struct GameTrashed {
        /// Media files that were deleted.
        deleted_media: Vec<String>,
        game_id: String,
        name: String,
        ok: bool,
        /// Media files that stay because another game uses them.
        shared_media: Vec<String>,
        /// Id of the entry.
        trash_id: String,
    }

    /// Several games went to the trash.
    struct GamesTrashed {
        ok: bool,
        /// Ids of the entries, in the order of the library.
        trash_ids: Vec<String>,
        /// How many games.
        trashed: usize,
    }

    /// A game was restored.
    struct Restored {
        game_id: String,
        name: String,
        ok: bool,
        /// Whether it has a new id.
        renamed: bool,
        /// Always true.
        restored: bool,
    }
}

fn trash_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    if call.key("ids").is_some_and(|ids| !ids.is_null()) {
        return trash_games(writer, call);
    }
    let delete_media = call.flag("delete_media")?;
    let game = call.required_game()?;
    let Writer { store, files, shared, .. } = writer;
    let (root, now) = (shared.data_dir.root(), Moment::now());
    let (entry, media) = delete::trash_game(store, files, root, &game, delete_media, &now)?;
    ok(&GameTrashed {
        deleted_media: media.deleted_media,
        game_id: entry.game_id,
        name: entry.name,
        ok: true,
        shared_media: media.shared_media,
        trash_id: entry.trash_id,
    })
}

/// Several games: answers how many went and the entries that brought them to the trash, in the
/// order of the library.
fn trash_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let games = chosen_games(call.key("ids"))?;
    let entries = trash::trash_games(writer.store, &games, &Moment::now())?;
    let trash_ids: Vec<String> = entries.into_iter().map(|entry| entry.trash_id).collect();
    ok(&GamesTrashed { ok: true, trashed: trash_ids.len(), trash_ids })
}

/// The entry that a body must name.
fn required_entry(call: &Call<'_>) -> Result<EntryRef, ApiError> {
    let game = call.text("game_id");
    if call.key("trash_id").is_none() && !game.is_empty() {
        return Ok(EntryRef::Game(game.to_owned()));
    }
    Ok(EntryRef::Id(call.required("trash_id")?.to_owned()))
}

fn restore_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let back = trash::restore_game(writer.store, required_entry(call)?, &Moment::now())?;
    ok(&Restored {
        game_id: back.game_id,
        name: back.name,
        ok: true,
        renamed: back.renamed,
        restored: true,
    })
}

fn purge_trash(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let now = Moment::now();
    // What cannot be read or is not known must not stand for everything.
    let one = call.key("trash_id").map(|_| required_entry(call)).transpose()?;
    let ids = call.key("ids").map(|_| call.required_texts("ids")).transpose()?;
    let ids: Option<Vec<String>> = ids.map(|ids| ids.into_iter().map(str::to_owned).collect());
    let purged = if ids.is_some() || call.body.is_empty() {
        trash::purge_entries(writer.store, ids.as_deref(), &now)?
    } else {
        let one = one.map_or_else(|| required_entry(call), Ok)?;
        trash::purge_entry(writer.store, one, &now)?
    };
    ok(&Purged { ok: true, purged })
}
