//! `/api/v2/library/duplicates`: probable duplicates, and merging them.

use std::collections::BTreeMap;

use super::{
    call::{Answer, Call, ok},
    code::Code,
    route::{Handler, Holds, Param, Route, optional, required},
    services::{Reader, Writer},
};
use crate::{
    base::{Moment, schema::schema},
    care::twins::{self, Change, Reason, Row},
    model::State,
};

const IDS: Param = required("ids", Holds::List, "Positions or stable ids of at least two games.");

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    // Slow, because both read every record.
    Route::get("/api/v2/library/duplicates", Handler::Read(list_duplicates))
        .about("library", "Groups of probable duplicates.")
        .query(&[optional("title", Holds::Choice(&["0", "1"]), "0 leaves titles out.").or(1)])
        .returns::<twins::Groups>()
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/duplicates/preview", Handler::Write(preview_merge))
        .about("library", "Shows what merging these games would change; changes nothing.")
        .body(&[IDS])
        .returns::<MergePreview<'_>>()
        .since("1.14")
        .slow(),
    Route::post("/api/v2/library/duplicates/merge", Handler::Write(merge_duplicates))
        .about("library", "Merges games into one; the others go to the trash.")
        .body(&[IDS, required("base_token", Holds::Text, "The token of the preview.")])
        .returns::<GamesMerged<'_>>()
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
    ok(&MergePreview {
        absorbed: &plan.absorbed,
        base_token: writer.shared.library.base_token(&state),
        changed_fields: plan.changed_fields(),
        changes: &plan.changes,
        primary: &plan.primary,
        reason: plan.reason(),
    })
}

schema! {
    /// What a merge would change.
    struct MergePreview<'a> {
        /// The games that would go to the trash.
        absorbed: &'a [Row],
        /// The token of this preview.
        base_token: String,
        changed_fields: Vec<&'a String>,
        changes: &'a BTreeMap<String, Change>,
        /// The game that stays.
        primary: &'a Row,
        reason: Reason,
    }

    /// Games were merged.
    struct GamesMerged<'a> {
        changed_fields: Vec<&'a String>,
        /// How many games went to the trash.
        merged: usize,
        ok: bool,
        primary: &'a Row,
        trash_ids: Vec<&'a str>,
        /// The names of the games in the trash.
        trashed: Vec<&'a str>,
        /// Where the merge is undone: `trash`.
        undo: &'static str,
    }
}

fn merge_duplicates(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let named = twins::read_ids(call.key("ids"))?;
    let token = call.text("base_token");
    let (library, now) = (&writer.shared.library, Moment::now());
    let is_current = |state: &State| library.base_token(state) == token;
    let (plan, entries) = twins::merge_games(writer.store, &named, &now, &is_current)?;
    ok(&GamesMerged {
        changed_fields: plan.changed_fields(),
        merged: plan.absorbed.len(),
        ok: true,
        primary: &plan.primary,
        trash_ids: entries.iter().map(|entry| entry.trash_id.as_str()).collect(),
        trashed: plan.absorbed.iter().map(|row| row.name.as_str()).collect(),
        undo: "trash",
    })
}
