//! `/api/v2/library/trash` and what goes with it.

use serde::Serialize;
use serde_json::json;

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{GAME_REF, Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
    tags::chosen_games,
};
use crate::{
    base::{clock::Moment, schema::schema},
    game::{
        delete,
        trash::{self, TrashEntry, TrashError},
    },
};

const PUT: [Param; 4] = [
    GAME_REF[0],
    GAME_REF[1],
    optional("ids", Holds::List, "Several games instead, by id or position; their media stay."),
    optional("delete_media", Holds::Flag, "Also delete its media files inside the data directory."),
];

const PURGE: [Param; 2] = [
    optional("ids", Holds::List, "Which entries; all of them when nothing is named.")
        .refusal("ids must be a list of trash entry ids."),
    optional("trash_id", Holds::Text, "One entry."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/trash", Handler::Read(list_trash))
        .about("trash", "Removed games that can come back, newest first.")
        .since("1.9")
        .returns::<TrashList>(),
    Route::post("/api/v2/library/trash", Handler::Write(trash_game))
        .about("trash", "Moves a game, or several in one commit, to the trash.")
        .since("1.9")
        .body(&PUT)
        .reply(&[
            "ok",
            "trash_id",
            "game_id",
            "name",
            "deleted_media",
            "shared_media",
            "trashed",
            "trash_ids",
        ]),
    Route::post("/api/v2/library/trash/restore", Handler::Write(restore_game))
        .about("trash", "Brings a game back to its place and its playlists.")
        .since("1.9")
        .body(&[required("trash_id", Holds::Text, "The entry.")])
        .reply(&["ok", "restored", "game_id", "name", "renamed"]),
    Route::post("/api/v2/library/trash/purge", Handler::Write(purge_trash))
        .about("trash", "Removes entries for good.")
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
    #[derive(Serialize)]
    struct TrashList {
        /// Newest first.
        items: Vec<TrashItem>,
        count: usize,
    }
}

schema! {
    /// A removed game.
    #[derive(Serialize)]
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
    /// Entries were removed for good.
    #[derive(Serialize)]
    struct Purged {
        ok: bool,
        /// How many.
        purged: usize,
    }
}

fn trash_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    if call.key("ids").is_some_and(|ids| !ids.is_null()) {
        return trash_games(writer, call);
    }
    let delete_media = call.flag("delete_media")?;
    let game = call.required_game()?;
    let shared = writer.shared;
    let (entry, left) = writer.store.commit(|draft| {
        let entry = trash::put(draft, &game, &Moment::now())?;
        let left = delete::Left::of(draft.state(), &entry.trash_id);
        Ok::<_, ApiError>((entry, left))
    })?;
    let mut media = delete::Deleted::default();
    if delete_media {
        let root = shared.data_dir.root();
        media = delete::delete_media(writer.store, writer.files, root, &entry.game, &left);
    }
    ok(&json!({
        "ok": true,
        "trash_id": entry.trash_id,
        "game_id": entry.game_id,
        "name": entry.name,
        "deleted_media": media.deleted_media,
        "shared_media": media.shared_media,
    }))
}

/// Several games: answers how many went and the entries that brought them to the trash, in the
/// order of the library.
fn trash_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let games = chosen_games(call.key("ids"))?;
    let entries = writer.store.commit(|draft| trash::put_all(draft, &games, &Moment::now()))?;
    let trash_ids: Vec<&str> = entries.iter().map(|entry| entry.trash_id.as_str()).collect();
    ok(&json!({"ok": true, "trashed": entries.len(), "trash_ids": trash_ids}))
}

fn restore_game(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let trash_id = call.required("trash_id")?;
    let back = writer.store.commit(|draft| trash::restore(draft, trash_id, &Moment::now()))?;
    ok(&json!({
        "ok": true,
        "restored": true,
        "game_id": back.game_id,
        "name": back.name,
        "renamed": back.renamed,
    }))
}

fn purge_trash(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    // A name that cannot be read must not stand for everything.
    let one = call.given("trash_id").map(|_| call.required("trash_id")).transpose()?;
    let ids = call.texts("ids")?;
    let must_exist = ids.is_none() && one.is_some();
    let ids = ids.or(one.map(|one| vec![one]));
    let ids: Option<Vec<String>> = ids.map(|ids| ids.into_iter().map(str::to_owned).collect());
    let purged =
        writer.store.commit(|draft| match trash::purge(draft, ids.as_deref(), &Moment::now()) {
            0 if must_exist => Err(TrashError::UnknownEntry),
            purged => Ok(purged),
        })?;
    ok(&Purged { ok: true, purged })
}
