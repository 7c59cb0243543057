//! `POST /api/games/bulk` and `/api/games/bulk-wizard`.

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, required},
    services::Writer,
    tags::chosen_games,
};
use crate::{
    base::clock::Moment,
    library::bulk::{self, BulkChange},
};

const BODY: [Param; 2] = [
    required("ids", Holds::List, "Stable ids, former ids or positions of the games."),
    required("changes", Holds::Object, "The fields to change, with their new values."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/games/bulk", Handler::Write(change_games))
        .about("games", "Changes the named games alike, in one commit.")
        .body(&BODY)
        .reply(&["updated"])
        .v1(),
    Route::post("/api/games/bulk-wizard", Handler::Write(change_games_by_wizard))
        .about("games", "Changes the named games alike, in the few fields of the wizard.")
        .body(&BODY)
        .reply(&["updated", "fields"])
        .v1(),
];

fn change_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let updated = change(writer, call, BulkChange::read)?;
    ok(&json!({"updated": updated}))
}

fn change_games_by_wizard(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let updated = change(writer, call, BulkChange::read_wizard)?;
    let fields = call.key("changes").and_then(Value::as_object).map(Map::keys);
    let fields: Vec<&String> = fields.into_iter().flatten().collect();
    ok(&json!({"updated": updated, "fields": fields}))
}

fn change(
    writer: &Writer<'_>,
    call: &Call<'_>,
    read: fn(Option<&Value>) -> Result<BulkChange, crate::library::clean::Refusal>,
) -> Result<usize, ApiError> {
    let games = chosen_games(call.key("ids"))?;
    let change = read(call.key("changes"))?;
    let now = Moment::now();
    let updated = writer.store.commit(|draft| bulk::change(draft, &games, &change, &now))?;
    Ok(updated)
}
