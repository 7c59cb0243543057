//! `POST /api/games/bulk` and `/api/games/bulk-wizard`.

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    probed::Probed,
    route::{Handler, Holds, Param, Route, optional, required},
    services::Writer,
    tags::chosen_games,
};
use crate::{
    base::{Moment, schema::schema},
    game::{GameRef, InputError},
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
        .returns::<GamesUpdated>()
        .v1(),
    Route::post("/api/games/bulk-wizard", Handler::Write(change_games_by_wizard))
        .about("games", "Changes the named games alike, in the few fields of the wizard.")
        .body(&BODY)
        .returns::<WizardDone<'_>>()
        .v1(),
];

schema! {
    /// Games were changed.
    pub struct GamesUpdated {
        /// How many.
        pub updated: usize,
    }

    /// Games were changed by the wizard.
    struct WizardDone<'a> {
        /// The fields that were set.
        fields: Vec<&'a String>,
        /// How many games were changed.
        updated: usize,
    }
}

fn change_games(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let updated = change(writer, call, BulkChange::read)?;
    ok(&GamesUpdated { updated })
}

fn change_games_by_wizard(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let updated = change(writer, call, BulkChange::read_wizard)?;
    let fields = call.key("changes").and_then(Value::as_object).map(Map::keys);
    ok(&WizardDone { fields: fields.into_iter().flatten().collect(), updated })
}

fn change(
    writer: &Writer<'_>,
    call: &Call<'_>,
    read: fn(Option<&Value>) -> Result<BulkChange, InputError>,
) -> Result<usize, ApiError> {
    let now = Moment::now();
    let games = match Selector::of(call)? {
        Selector::Ids(games) => games,
        selector => {
            let state = writer.store.snapshot()?;
            let context = Probed { shared: writer.shared, state: &state };
            match selector {
                Selector::Query(query) => {
                    bulk::select_by_phrase(&state.games, query, &context, &now)?
                }
                Selector::Rules(rules) => bulk::select_by_rules(&state.games, rules, &context)?,
                Selector::Ids(games) => games,
            }
        }
    };
    let change = read(call.key("changes"))?;
    let ids = bulk::change_games(writer.store, &games, &change)?;
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
