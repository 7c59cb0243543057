//! `POST /api/games/bulk` and `/api/games/bulk-wizard`.

use serde_json::{Map, Value, json};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Shared, Writer},
    tags::chosen_games,
};
use crate::{
    base::clock::Moment,
    config::settings::categories,
    library::{
        bulk::{self, BulkChange},
        clean::Refusal,
        filter_match::Surroundings,
    },
    model::state::State,
    webhooks::occurrence::Action,
};

const BODY: [Param; 3] = [
    optional("ids", Holds::List, "Stable ids, former ids or positions of the games."),
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
    let games = match (call.key("ids"), call.key("rules").and_then(Value::as_object)) {
        (None | Some(Value::Null), Some(rules)) => {
            let state = writer.store.snapshot()?;
            let around = Around { shared: writer.shared, state: &state };
            bulk::select_by_rules(&state.games, rules, &around)?
        }
        (ids, _) => chosen_games(ids)?,
    };
    let change = read(call.key("changes"))?;
    let now = Moment::now();
    let ids = writer.store.commit(|draft| bulk::change(draft, &games, &change, &now))?;
    writer.shared.announce_change(Action::Bulk, &ids);
    Ok(ids.len())
}

/// What rules ask about games beside their records.
struct Around<'a> {
    shared: &'a Shared,
    state: &'a State,
}

impl Surroundings for Around<'_> {
    fn category(&self, platform: &str) -> String {
        categories::category_of(self.state.settings(), platform).to_owned()
    }

    fn path_exists(&self, path: &str) -> bool {
        !self.shared.library.probes().existing(&[path]).is_empty()
    }

    fn has_media(&self, path: &str) -> bool {
        self.shared.library.probes().roots().covers(path) && self.path_exists(path)
    }
}
