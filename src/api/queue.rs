//! `GET` and `POST /api/queue`: the play queue.

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Route, optional},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    model::State,
    query::queue::{self, QueueEntry},
};

const ACTIONS: &[&str] = &["list", "resolve", "enqueue", "remove", "reorder", "advance"];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/queue", Handler::Read(list_queue))
        .about("queue", "The play queue, in order.")
        .returns::<Queue>()
        .v1(),
    Route::post("/api/queue", Handler::Write(change_queue))
        .about("queue", "Adds, removes, reorders or advances.")
        .body(&[
            optional("action", Holds::Choice(ACTIONS), "What to do; list when it is missing."),
            optional("game_ids", Holds::List, "Games to add or to remove.")
                .refusal("game_ids must be a list of strings."),
            optional("position", Holds::Integer { min: 0, max: 500 }, "Where to insert.").clamped(),
            optional("note", Holds::Text, "A remark on the added entries."),
            optional("ordered_game_ids", Holds::List, "The queue in its new order.")
                .refusal("ordered_game_ids must contain the current queue entries."),
            optional("current_game_id", Holds::Text, "The game that has just been played."),
        ])
        .returns::<ChangedQueue>()
        .v1(),
];

schema! {
    /// `/api/queue`.
    struct Queue {
        /// First to play first.
        queue: Vec<queue::Shown>,
    }

    /// `POST /api/queue`.
    struct ChangedQueue {
        /// First to play first.
        queue: Vec<queue::Shown>,
        /// What to play now; `null` at the end of the queue and unless it was advanced.
        next: Option<QueueEntry>,
    }
}

fn list_queue(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&Queue { queue: shown(reader.shared, &reader.state) })
}

/// Whether a file is there is asked of the probe cache's folders, as everywhere.
fn shown(shared: &Shared, state: &State) -> Vec<queue::Shown> {
    let probes = shared.library.probes();
    queue::shown(state, |paths| probes.existing(paths).into_iter().map(str::to_owned).collect())
}

fn change_queue(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let mut next = None;
    match call.action() {
        Some("list" | "resolve") => {}
        Some("enqueue") => {
            let ids = ids(call, "game_ids")?;
            let position = call.integer("position")?;
            let (note, now) = (call.text("note"), Moment::now().utc_iso());
            queue::enqueue_games(writer.store, &ids, position, note, &now)?;
        }
        Some("remove") => {
            queue::remove_games(writer.store, &ids(call, "game_ids")?)?;
        }
        Some("reorder") => {
            queue::reorder_games(writer.store, &ids(call, "ordered_game_ids")?)?;
        }
        Some("advance") => {
            let current = call.text("current_game_id");
            next = queue::advance_queue(writer.store, current)?.to;
        }
        _ => return Err(ApiError::bad("Unknown queue action.")),
    }
    let state = writer.store.snapshot()?;
    ok(&ChangedQueue { queue: shown(writer.shared, &state), next })
}

/// A list of ids, none of them blank.
fn ids(call: &Call<'_>, key: &str) -> Result<Vec<String>, ApiError> {
    let texts = call.required_texts(key)?.into_iter().map(str::trim);
    let ids = texts.map(|id| Some(id.to_owned()).filter(|id| !id.is_empty()));
    ids.collect::<Option<_>>().ok_or_else(|| call.missing(key))
}
