//! `GET` and `POST /api/queue`: the play queue.

use serde::Serialize;

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Route, optional},
    services::{Reader, Shared, Writer},
};
use crate::{
    base::{clock::Moment, schema::schema},
    model::{draft::Draft, state::State},
    query::queue::{self, Advance, QueueEntry},
};

const ACTIONS: &[&str] = &["list", "resolve", "enqueue", "remove", "reorder", "advance"];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/queue", Handler::Read(list_queue))
        .about("queue", "What to play next, in order.")
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
        .returns::<Queue>()
        .v1(),
];

schema! {
    /// `/api/queue`.
    #[derive(Serialize)]
    struct Queue {
        /// First to play first.
        queue: Vec<queue::Shown>,
        /// After an advance.
        #[serde(flatten)]
        advanced: Option<Advanced>,
    }
}

schema! {
    /// Where an advance led.
    #[derive(Serialize)]
    struct Advanced {
        /// What to play now; `null` at the end.
        next: Option<QueueEntry>,
    }
}

fn list_queue(reader: &Reader<'_>, _: &Call<'_>) -> Answer {
    ok(&Queue { queue: shown(reader.shared, &reader.state), advanced: None })
}

/// Whether a file is there is asked of the probe cache's folders, as everywhere.
fn shown(shared: &Shared, state: &State) -> Vec<queue::Shown> {
    let probes = shared.library.probes();
    queue::shown(state, |paths| probes.existing(paths).into_iter().map(str::to_owned).collect())
}

fn change_queue(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let mut advanced = None;
    match call.action() {
        Some("list" | "resolve") => {}
        Some("enqueue") => {
            let ids = ids(call, "game_ids")?;
            let position = call.integer("position")?;
            let (note, now) = (call.text("note"), Moment::now().utc_iso());
            commit(writer, |draft| Ok(queue::enqueue(draft, &ids, position, note, &now)?))?;
        }
        Some("remove") => {
            let ids = ids(call, "game_ids")?;
            commit(writer, |draft| {
                queue::remove(draft, &ids);
                Ok(())
            })?;
        }
        Some("reorder") => {
            let ordered = ids(call, "ordered_game_ids")?;
            commit(writer, |draft| Ok(queue::reorder(draft, &ordered)?))?;
        }
        Some("advance") => {
            let current = call.text("current_game_id");
            advanced = Some(commit(writer, |draft| Ok(queue::advance(draft, current)))?);
        }
        _ => return Err(ApiError::bad("Unknown queue action.")),
    }
    let state = writer.store.snapshot()?;
    let advanced = advanced.map(|advance: Advance| Advanced { next: advance.to });
    ok(&Queue { queue: shown(writer.shared, &state), advanced })
}

fn commit<T>(
    writer: &Writer<'_>,
    change: impl FnOnce(&mut Draft) -> Result<T, ApiError>,
) -> Result<T, ApiError> {
    writer.store.commit(change).map_err(ApiError::from)
}

/// A list of ids, none of them blank.
fn ids(call: &Call<'_>, key: &str) -> Result<Vec<String>, ApiError> {
    let texts = call.required_texts(key)?.into_iter().map(str::trim);
    let ids = texts.map(|id| Some(id.to_owned()).filter(|id| !id.is_empty()));
    ids.collect::<Option<_>>().ok_or_else(|| call.missing(key))
}
