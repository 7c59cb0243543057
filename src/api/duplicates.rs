//! `/api/v2/library/duplicates`: games that look like one, and merging them.

use serde_json::{Value, json};

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::clock::Moment,
    care::twins::{self, Plan},
};

const IDS: Param = required("ids", Holds::List, "Positions or stable ids of at least two games.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    // Slow, because both look at every record.
    Route::get("/api/v2/library/duplicates", Handler::Read(list_duplicates))
        .about("library", "Groups of games that look like one game.")
        .query(&[optional("title", Holds::Choice(&["0", "1"]), "0 leaves titles out.").or(1)])
        .returns::<twins::Groups>()
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/duplicates/preview", Handler::Write(preview_merge))
        .about("library", "Shows what merging these games would change; changes nothing.")
        .body(&[IDS])
        .reply(&["primary", "absorbed", "changes", "changed_fields", "reason", "base_token"])
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/duplicates/merge", Handler::Write(merge_duplicates))
        .about("library", "Merges games into one; the others go to the trash.")
        .body(&[IDS, required("base_token", Holds::Text, "The token of the preview.")])
        .reply(&["ok", "merged", "primary", "trashed", "trash_ids", "undo", "changed_fields"])
        .codes(&[Code::DuplicatesPreviewStale])
        .since("1.14")
        .slow(),
];

fn list_duplicates(reader: &Reader<'_>, call: &Call<'_>) -> Answer {
    ok(&twins::groups(&reader.state.games, call.switch("title")))
}

fn preview_merge(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let named = twins::read_ids(call.key("ids"))?;
    let state = writer.store.snapshot()?;
    let plan = twins::plan(&state.games, &named)?;
    let mut answer = shown(&plan);
    answer["base_token"] = writer.shared.library.base_token(&state).into();
    ok(&answer)
}

fn shown(plan: &Plan) -> Value {
    json!({
        "primary": plan.primary,
        "absorbed": plan.absorbed,
        "changes": plan.changes,
        "changed_fields": plan.changed_fields(),
        "reason": plan.reason(),
    })
}

fn merge_duplicates(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let named = twins::read_ids(call.key("ids"))?;
    let token = call.text("base_token");
    let (library, now) = (&writer.shared.library, Moment::now());
    let (plan, entries) = writer.store.commit(|draft| {
        // Planned anew here, so that what happens is what was shown.
        let plan = twins::plan(&draft.state().games, &named)?;
        if library.base_token(draft.state()) != token {
            return Err(ApiError::of(Code::DuplicatesPreviewStale));
        }
        let entries = twins::merge(draft, &plan, &now)?;
        Ok((plan, entries))
    })?;
    let trashed: Vec<&str> = plan.absorbed.iter().map(|row| row.name.as_str()).collect();
    let trash_ids: Vec<&str> = entries.iter().map(|entry| entry.trash_id.as_str()).collect();
    ok(&json!({
        "ok": true,
        "merged": plan.absorbed.len(),
        "primary": plan.primary,
        "trashed": trashed,
        "trash_ids": trash_ids,
        "undo": "trash",
        "changed_fields": plan.changed_fields(),
    }))
}
