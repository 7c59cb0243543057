//! Routes that work while the library cannot be read: recovery, and the table of routes itself.

use serde_json::{Value, json};

use super::{
    FAMILIES,
    call::{Answer, Call, ok},
    error::ApiError,
    openapi,
    route::{Handler, Holds, Route, optional},
    services::Writer,
};
use crate::store::recovery::{Snapshot, Source};

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/state/recover", Handler::Open(recover_state))
        .about("state", "Shows what the library can be recovered from, or recovers it.")
        .body(&[
            optional("dry_run", Holds::Flag, "Only say what there is."),
            optional("snapshot", Holds::Text, "Name of the snapshot to restore."),
        ])
        .reply(&["ok", "dry_run", "backup_available", "games", "snapshots"])
        .v1(),
    Route::get("/api/openapi.json", Handler::Open(show_openapi))
        .about("state", "This document.")
        .reply(&["openapi", "paths"]),
];

fn recover_state(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    if call.flag("dry_run")? {
        let recovery = writer.store.recovery();
        let shown = |snapshot: &Snapshot| json!({"name": snapshot.name, "size": snapshot.size, "modified": snapshot.modified});
        let snapshots: Vec<Value> = recovery.snapshots.iter().map(shown).collect();
        return ok(&json!({
            "dry_run": true,
            "backup_available": recovery.backup_available,
            "games": recovery.games,
            "snapshots": snapshots,
        }));
    }
    match call.key("snapshot") {
        None | Some(Value::Null) => {
            let games = recover(writer, &Source::Backup)?;
            ok(&json!({"ok": true, "games": games}))
        }
        Some(Value::String(name)) => {
            let games = recover(writer, &Source::Snapshot(name.clone()))?;
            ok(&json!({"ok": true, "games": games, "snapshot": name}))
        }
        Some(_) => Err(ApiError::bad("snapshot must be the name of a snapshot.")),
    }
}

/// Recovers the library; the games that ran when it was written are looked for then.
fn recover(writer: &Writer<'_>, source: &Source) -> Result<usize, ApiError> {
    let games = writer.store.recover(source)?;
    writer.shared.sessions.reconcile();
    Ok(games)
}

fn show_openapi(_: &Writer<'_>, _: &Call<'_>) -> Answer {
    ok(&openapi::document(FAMILIES))
}
