//! `POST /api/games/bulk` and `/api/games/bulk-wizard`.

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    probed::Probed,
    route::{Handler, Holds, Param, Route, optional, required},
    services::Writer,
    tags::chosen_games,
};
use crate::{
    base::clock::Moment,
    game::{clean::Refusal, reference::GameRef},
    query::bulk::{self, BulkChange},
};

const BODY: [Param; 4] = [
    optional("ids", Holds::List, "Stable ids, former ids or positions of the games."),
    optional("query", Holds::Text, "A phrase that chooses the games instead.")
        .refusal("query must be a string."),
    optional("rules", Holds::Object, "Rules of a filter preset that choose the games instead."),
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
    read: fn(Option<&Value>) -> Result<BulkChange, Refusal>,
) -> Result<usize, ApiError> {
    let now = Moment::now();
    let games = match Selector::of(call)? {
        Selector::Ids(games) => games,
        selector => {
            let state = writer.store.snapshot()?;
            let around = Probed { shared: writer.shared, state: &state };
            match selector {
                Selector::Query(query) => {
                    bulk::select_by_phrase(&state.games, query, &around, &now)?
                }
                Selector::Rules(rules) => bulk::select_by_rules(&state.games, rules, &around)?,
                Selector::Ids(games) => games,
            }
        }
    };
    let change = read(call.key("changes"))?;
    let ids = writer.store.commit(|draft| bulk::change(draft, &games, &change))?;
    Ok(ids.len())
}

/// How a request names the games it is about.
enum Selector<'a> {
    Ids(Vec<GameRef>),
    Query(&'a str),
    Rules(&'a Map<String, Value>),
}

impl<'a> Selector<'a> {
    /// `ids` count before `query`, and that before `rules`.
    fn of(call: &'a Call<'_>) -> Result<Self, ApiError> {
        match (call.given("ids"), call.given("query"), call.given("rules")) {
            (None, Some(Value::String(query)), _) => Ok(Self::Query(query)),
            (None, Some(_), _) => Err(call.missing("query")),
            (None, None, Some(Value::Object(rules))) => Ok(Self::Rules(rules)),
            (ids, ..) => Ok(Self::Ids(chosen_games(ids)?)),
        }
    }
}
