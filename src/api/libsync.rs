//! Library sync (`/api/v2/library/sync/...`).

use super::{
    call::{Answer, Call, ok},
    code::Code,
    error::ApiError,
    route::{Handler, Holds, Param, Route, optional},
    services::Writer,
};
use crate::libsync::{SyncApplied, SyncPublished, error::LibsyncError, plan::SyncPlan};

const PREVIEW: [Param; 1] =
    [optional("events", Holds::List, "Events to preview; those of the folder when missing.")];
const APPLY: [Param; 2] = [
    optional("plan", Holds::Object, "The plan that was reviewed."),
    optional("conflicts", Holds::Object, "The choices, by game."),
];
const PUBLISH: [Param; 1] = [optional("protocol", Holds::Text, "`v3`.")];

/// The rows of this family.
pub const ROUTES: &[Route] = &[
    Route::post("/api/v2/library/sync/preview", Handler::Write(preview_sync))
        .about("library", "Previews the changes of other libraries; changes nothing.")
        .body(&PREVIEW)
        .returns::<SyncPlan>()
        .codes(&[Code::SyncNotEnabled, Code::SyncInvalid])
        .slow(),
    Route::post("/api/v2/library/sync/apply", Handler::Write(apply_sync))
        .about("library", "Applies a reviewed plan, after archiving the library.")
        .body(&APPLY)
        .returns::<SyncApplied>()
        .codes(&[Code::SyncNotEnabled, Code::SyncInvalid, Code::SyncPreviewStale])
        .slow(),
    Route::post("/api/v2/library/sync/publish", Handler::Write(publish_sync))
        .about("library", "Publishes the local changes to the mounted folder.")
        .body(&PUBLISH)
        .returns::<SyncPublished>()
        .codes(&[
            Code::SyncNotEnabled,
            Code::SyncInvalid,
            Code::SyncPublishStale,
            Code::LibrarySyncUnavailable,
        ])
        .slow(),
    Route::post("/api/v2/library/sync/pull", Handler::Write(pull_sync))
        .about("library", "Refused: changes of others are reviewed first.")
        .returns::<SyncPlan>()
        .codes(&[Code::LibrarySyncUnavailable]),
];

fn preview_sync(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.libsync.preview(writer.store, call.key("events"))?)
}

fn apply_sync(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    let (plan, choices) = (call.key("plan"), call.key("conflicts"));
    ok(&writer.shared.libsync.apply(writer.store, plan, choices)?)
}

fn publish_sync(writer: &Writer<'_>, call: &Call<'_>) -> Answer {
    ok(&writer.shared.libsync.publish(writer.store, call.key("protocol"))?)
}

fn pull_sync(_: &Writer<'_>, _: &Call<'_>) -> Answer {
    Err(ApiError::from(LibsyncError::OldProtocol))
}
