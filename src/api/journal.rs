//! `/api/v2/library/journal/*`: what changed in the library, and undoing it.

use serde_json::Value;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{
        Moment,
        schema::{Schema, Type, schema},
    },
    game::revert::{self, Request, ShownChange, ShownPlan},
    journal::{
        as_of::{Instant, Past},
        catalog::{FIELDS, is_revertible},
        chain::{Link, keys_of},
        compare::{Comparison, Question},
        event::read_id,
        events::{Page, Query},
        recording::is_enabled,
    },
    model::State,
};

const LIMIT: Param =
    optional("limit", Holds::Integer { min: 1, max: 1_000 }, "Rows; 200 at first.")
        .or(200)
        .clamped()
        .refusal("limit must be an integer");

const EVENTS: [Param; 6] = [
    optional("days", Holds::Text, "Only events of the last `days` days; a positive number."),
    optional("kind", Holds::Choice(&KINDS), "Only events of this kind."),
    optional("game_id", Holds::Text, "Only events of this game."),
    optional("game", Holds::Text, "The same as game_id."),
    optional("offset", Holds::Integer { min: 0, max: i64::MAX }, "Newest events to skip.")
        .or(0)
        .clamped()
        .refusal("offset must be an integer"),
    LIMIT,
];
const KINDS: [&str; 5] = ["add", "edit", "delete", "restore", "revert"];

const COMPARE: [Param; 5] = [
    optional("after", Holds::Text, "The later date, YYYY-MM-DD; this or date is given."),
    optional("date", Holds::Text, "The same as after."),
    optional("before", Holds::Text, "The earlier date; an empty library without it."),
    optional("fields", Holds::Text, "Only changes of these fields, separated by commas."),
    LIMIT,
];

const REVERT: [Param; 6] = [
    required("event_id", Holds::Text, "The event.").refusal("event_id is required"),
    optional("game_id", Holds::Text, "The game it must belong to."),
    optional("fields", Holds::List, "Only these fields."),
    optional("undo", Holds::Flag, "Undo the change instead of restoring the state after it."),
    optional("apply", Holds::Flag, "Do it; without it only a plan is made."),
    optional("base_token", Holds::Text, "The token of the plan; required to apply it."),
];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::get("/api/v2/library/journal/events", Handler::Read(list_events))
        .slow()
        .about("journal", "The changes of the library, newest first.")
        .since("1.11")
        .query(&EVENTS)
        .refusal(Code::TmInvalidRequest)
        .codes(&[Code::TmInvalidRequest])
        .returns::<Page>(),
    Route::get("/api/v2/library/journal/as-of", Handler::Read(show_as_of))
        .slow()
        .about("journal", "The library as it was at the end of a day.")
        .since("1.11")
        .query(&[required("date", Holds::Text, "The day, YYYY-MM-DD, in UTC.")])
        .codes(&[Code::TmInvalidDate])
        .returns::<Past>(),
    Route::get("/api/v2/library/journal/compare", Handler::Read(compare_dates))
        .slow()
        .about("journal", "The differences of the library between two dates.")
        .since("1.15")
        .query(&COMPARE)
        .refusal(Code::TmInvalidRequest)
        .codes(&[Code::TmInvalidDate, Code::TmInvalidRequest])
        .returns::<Comparison>(),
    Route::post("/api/v2/library/journal/revert", Handler::Write(revert_event))
        .slow()
        .about("journal", "Plans to undo what an event recorded, or does it.")
        .since("1.11")
        .body(&REVERT)
        .refusal(Code::TmInvalidRequest)
        .codes(&[Code::TmInvalidRequest, Code::TmRevertStale])
        .returns::<Revert>(),
];

fn list_events(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let [days, kind] = ["days", "kind"].map(|name| call.query_text(name));
    let mut query = Query::read(days.as_deref(), kind.as_deref())?;
    query.offset = call.count("offset")?;
    query.limit = call.count("limit")?;
    let game = call.query_text("game_id").or_else(|| call.query_text("game"));
    query.keys = game.map(|game| keys_of(&reader.state, &game));
    ok(&reader.shared.journal.events(&query)?)
}

fn show_as_of(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let instant = Instant::read("date", call.query("date").as_deref())?;
    ok(&reader.shared.journal.as_of(&instant)?)
}

fn compare_dates(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    let text = |name: &str| call.query_text(name);
    let [after, date, before, fields] = ["after", "date", "before", "fields"].map(text);
    let mut question =
        Question::read(after.or(date).as_deref(), before.as_deref(), fields.as_deref())?;
    question.limit = call.count("limit")?;
    refuse_while_off(&reader.state)?;
    ok(&reader.shared.journal.compare(&question)?)
}

fn refuse_while_off(state: &State) -> Result<(), ApiError> {
    if is_enabled(state) { Ok(()) } else { Err(invalid("The library journal is turned off.")) }
}

fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(Code::TmInvalidRequest, message)
}

fn revert_event(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let event_id = call.required("event_id")?;
    let fields = read_fields(call.key("fields"))?;
    let request = Request { fields, undo: call.flag("undo")? };
    let (apply, base_token) = (call.flag("apply")?, call.text("base_token"));
    if apply && base_token.is_empty() {
        return Err(invalid("base_token is required when applying a revert preview"));
    }
    let state = writer.store.snapshot()?;
    refuse_while_off(&state)?;
    let journal = &writer.shared.journal;
    let link = match read_id(event_id) {
        Some(id) => journal.find(&id)?,
        None => None,
    };
    let link = link.ok_or_else(|| invalid("event not in journal"))?;
    check_game(&state, &link, call.text("game_id"))?;
    if !apply {
        let plan = revert::plan(&state, &link, &request)?;
        let base_token = plan.base_token.clone();
        let plan = plan.shown(&link, request);
        return ok(&RevertPreview { base_token, plan, preview: true });
    }
    let applied = revert::revert_event(writer.store, &link, &request, base_token, &Moment::now())?;
    let changed = !applied.changes.is_empty();
    let recorded = || Ok::<_, ApiError>(Recorded { event_id: journal.newest(&applied.sync_key)? });
    let recorded = changed.then(recorded).transpose()?;
    ok(&Reverted {
        applied: applied.changes.into_iter().map(ShownChange::from).collect(),
        changed,
        deleted: applied.deleted.then_some(true),
        preview: false,
        recorded,
        restored: applied.restored.then_some(true),
    })
}

/// A plan, or what was done.
enum Revert {}

impl Schema for Revert {
    const SCHEMA: &'static Type = &Type::OneOf(&[RevertPreview::SCHEMA, Reverted::SCHEMA]);
}

schema! {
    /// What reverting an event would do.
    struct RevertPreview {
        base_token: String,
        plan: ShownPlan,
        /// Always true.
        preview: bool,
    }

    "RevertEvent"
    /// The event that recorded a change.
    struct Recorded {
        event_id: Option<String>,
    }

    /// An event was reverted.
    struct Reverted {
        applied: Vec<ShownChange>,
        /// Whether anything changed.
        changed: bool,
        /// Whether the game went to the trash.
        #[serde(skip_serializing_if = "Option::is_none")]
        deleted: Option<bool>,
        /// Always false.
        preview: bool,
        #[serde(flatten)]
        recorded: Option<Recorded>,
        /// Whether the game was restored.
        #[serde(skip_serializing_if = "Option::is_none")]
        restored: Option<bool>,
    }
}

fn check_game(state: &State, link: &Link, named: &str) -> Result<(), ApiError> {
    let is_its = named.is_empty()
        || keys_of(state, named).contains(&link.event.sync_key)
        || named == link.game_id();
    if is_its { Ok(()) } else { Err(invalid("event does not belong to that game")) }
}

/// The fields of a revert: any of the catalog but those that identify the game.
fn read_fields(fields: Option<&Value>) -> Result<Option<Vec<String>>, ApiError> {
    let refusal = || invalid("fields must be a list of catalog field names");
    let list = match fields {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Array(list)) if !list.is_empty() => list,
        Some(_) => return Err(refusal()),
    };
    let texts = list.iter().map(|field| field.as_str().map(str::to_owned));
    let mut fields = texts.collect::<Option<Vec<String>>>().ok_or_else(refusal)?;
    fields.sort_unstable();
    fields.dedup();
    let named = |fields: Vec<&String>| {
        let quoted: Vec<String> = fields.into_iter().map(|field| format!("'{field}'")).collect();
        format!("[{}]", quoted.join(", "))
    };
    let unknown: Vec<&String> =
        fields.iter().filter(|field| !FIELDS.contains(&field.as_str())).collect();
    if !unknown.is_empty() {
        return Err(invalid(format!("non-catalog fields cannot be reverted: {}", named(unknown))));
    }
    let fixed: Vec<&String> = fields.iter().filter(|field| !is_revertible(field)).collect();
    if !fixed.is_empty() {
        return Err(invalid(format!("identity fields cannot be reverted: {}", named(fixed))));
    }
    Ok(Some(fields))
}
