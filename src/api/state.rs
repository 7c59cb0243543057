//! Routes that work while the library cannot be read: recovery, and the table of routes itself.

use serde_json::{Map, Value};

use super::{
    call::{Answer, Call, ok},
    error::ApiError,
    openapi,
    route::{Handler, Holds, Route, optional},
    services::Writer,
};
use crate::{
    base::schema::schema,
    store::recovery::{Snapshot, Source},
};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/state/recover", Handler::Open(recover_state))
        .about("state", "Shows what the library can be recovered from, or recovers it.")
        .body(&[
            optional("dry_run", Holds::Flag, "Only report what can be recovered."),
            optional("snapshot", Holds::Text, "Name of the snapshot to restore."),
        ])
        .returns::<Recovered>()
        .v1(),
    Route::get("/api/openapi.json", Handler::Table(openapi::show))
        .about("state", "This document.")
        .returns::<OpenApi>(),
];

schema! {
    /// The keys of an OpenAPI document.
    shape OpenApi {
        components: Map<String, Value>,
        info: Map<String, Value>,
        openapi: String,
        paths: Map<String, Value>,
        security: Vec<Value>,
        #[serde(rename = "x-settings")]
        settings: Value,
    }

    /// `POST /api/state/recover`: what was recovered, or with `dry_run` what could be.
    #[derive(Default)]
    struct Recovered {
        #[serde(skip_serializing_if = "Option::is_none")]
        ok: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        dry_run: Option<bool>,
        #[serde(skip_serializing_if = "Option::is_none")]
        backup_available: Option<bool>,
        /// Games of the library.
        games: usize,
        /// Older states, newest first.
        #[serde(skip_serializing_if = "Option::is_none")]
        snapshots: Option<Vec<Snapshot>>,
        /// The one that was restored.
        #[serde(skip_serializing_if = "Option::is_none")]
        snapshot: Option<String>,
    }
}

fn recover_state(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    if call.flag("dry_run")? {
        let recovery = writer.store.recovery();
        return ok(&Recovered {
            dry_run: Some(true),
            backup_available: Some(recovery.backup_available),
            games: recovery.games,
            snapshots: Some(recovery.snapshots),
            ..Recovered::default()
        });
    }
    match call.key("snapshot") {
        None | Some(Value::Null) => {
            let games = recover(writer, &Source::Backup)?;
            ok(&Recovered { ok: Some(true), games, ..Recovered::default() })
        }
        Some(Value::String(name)) => {
            let games = recover(writer, &Source::Snapshot(name.clone()))?;
            let snapshot = Some(name.clone());
            ok(&Recovered { ok: Some(true), games, snapshot, ..Recovered::default() })
        }
        Some(_) => Err(ApiError::bad("snapshot must be the name of a snapshot.")),
    }
}

/// Recovers the library; the games that ran when it was written are searched then.
fn recover(writer: &Writer<'_>, source: &Source) -> Result<usize, ApiError> {
    let games = writer.store.recover(source)?;
    writer.shared.sessions.reconcile();
    Ok(games)
}
