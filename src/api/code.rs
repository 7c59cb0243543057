//! The table of error codes: each code with its status and its default message.

/// A code a client may act on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Code {
    /// Validation, missing prerequisites, malformed payloads, provider and system errors.
    BadRequest,
    /// A request about shortcuts that makes no sense.
    ShortcutBridgeInvalidRequest,
    /// A path that is none of a shortcut file.
    ShortcutBridgePathInvalid,
    /// A change of shortcuts without a plan.
    ShortcutBridgePlanRequired,
    /// A removal of shortcuts that names none of ours.
    ShortcutBridgeTargetRequired,
    /// A plan for shortcuts that was not made here.
    ShortcutBridgeInvalidPlan,
    /// A plan for shortcuts that does not hold any more.
    ShortcutBridgePreviewStale,
    /// A list of a front end that cannot be used.
    FrontendImportInvalidSource,
    /// A plan for such a list that cannot be used.
    FrontendImportInvalidPlan,
    /// A plan for such a list that does not hold any more.
    FrontendImportStalePlan,
    /// A library of an older launcher that cannot be used.
    LegacyImportInvalidSource,
    /// A plan for such a library that cannot be used.
    LegacyImportInvalidPlan,
    /// A plan for such a library that does not hold any more.
    LegacyImportStalePlan,
    /// An archive of saves that cannot be used.
    SaveBackupInvalid,
    /// Missing or wrong token; its envelope carries no code.
    Unauthorized,
    /// Foreign host, origin or site.
    BadHost,
    /// No such route.
    RouteNotFound,
    /// No such thing, where no code of its own exists.
    NotFound,
    /// No such game, on routes that read.
    GameNotFound,
    /// No such media file.
    MediaNotFound,
    /// No such document of a game.
    DocumentNotFound,
    /// No such document of a platform.
    PlatformDocumentNotFound,
    /// A definition pack that is not signed with the release key; its name is fixed.
    SignatureVerificationFailed,
    /// A smart collection that breaks a rule.
    CollectionInvalid,
    /// No such smart collection.
    CollectionNotFound,
    /// No session to recap, or recaps are off.
    RecapNotFound,
    /// A merge that was planned for another state of the library.
    DuplicatesPreviewStale,
    /// A repair that was planned for another state of the library.
    RepairPreviewStale,
    /// Too many failed token checks.
    RateLimited,
    /// A game that would not start, where the client asked for a refusal.
    LaunchPreflightBlocked,
    /// No such setup preview.
    PreviewNotFound,
    /// A setup preview whose time is over.
    PreviewExpired,
    /// A cursor, a revision or a plan that does not hold any more.
    PreviewStale,
    /// A setup preview of another state of the library.
    PreviewLibraryChanged,
    /// As many setup previews as there may be.
    PreviewLimitExceeded,
    /// A setup preview of too many games.
    PreviewEntryLimitExceeded,
    /// Candidates of a setup preview without a platform or decision.
    UnresolvedCandidates,
    /// A decision about a candidate that cannot be meant.
    InvalidDecision,
    /// A choice of an emulator that does not exist.
    EmulatorRequired,
    /// A game that already runs or is being started.
    LaunchAlreadyActive,
    /// A job that cannot be done again now.
    JobStateConflict,
    /// A job that cannot be stopped any more.
    JobNotCancellable,
    /// A job that has nothing to go on from.
    JobNotResumable,
    /// A state conflict without a code of its own.
    Conflict,
    /// A question to the journal that is not valid.
    TmInvalidRequest,
    /// A date for the journal that is missing, unreadable or reversed.
    TmInvalidDate,
    /// A plan to take something back that no longer fits the library.
    TmRevertStale,
    /// A bug on this side.
    InternalError,
    /// The library file needs recovery.
    StateUnavailable,
    /// Something needed is not there right now.
    ServiceUnavailable,
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct CodeRow {
    /// The code.
    pub code: Code,
    /// Its name in the envelope.
    pub name: &'static str,
    /// Its HTTP status.
    pub status: u16,
    /// The sentence a client sees when the error brings none of its own.
    pub message: &'static str,
}

const fn row(code: Code, name: &'static str, status: u16, message: &'static str) -> CodeRow {
    CodeRow { code, name, status, message }
}

/// The table.
pub const CODES: &[CodeRow] = &[
    row(Code::BadRequest, "BAD_REQUEST", 400, "The request is not valid."),
    row(
        Code::ShortcutBridgeInvalidRequest,
        "SHORTCUT_BRIDGE_INVALID_REQUEST",
        400,
        "The shortcut request is invalid.",
    ),
    row(
        Code::ShortcutBridgePathInvalid,
        "SHORTCUT_BRIDGE_PATH_INVALID",
        400,
        "The shortcut path is invalid.",
    ),
    row(
        Code::ShortcutBridgePlanRequired,
        "SHORTCUT_BRIDGE_PLAN_REQUIRED",
        400,
        "A reviewed shortcut plan is required.",
    ),
    row(
        Code::ShortcutBridgeTargetRequired,
        "SHORTCUT_BRIDGE_TARGET_REQUIRED",
        400,
        "Select at least one shortcut of this launcher.",
    ),
    row(
        Code::ShortcutBridgeInvalidPlan,
        "SHORTCUT_BRIDGE_INVALID_PLAN",
        400,
        "The shortcut plan is invalid.",
    ),
    row(
        Code::ShortcutBridgePreviewStale,
        "SHORTCUT_BRIDGE_PREVIEW_STALE",
        409,
        "The shortcuts changed since the preview. Preview again.",
    ),
    row(
        Code::FrontendImportInvalidSource,
        "FRONTEND_IMPORT_INVALID_SOURCE",
        400,
        "The list cannot be used.",
    ),
    row(
        Code::FrontendImportInvalidPlan,
        "FRONTEND_IMPORT_INVALID_PLAN",
        400,
        "The import plan is invalid.",
    ),
    row(
        Code::FrontendImportStalePlan,
        "FRONTEND_IMPORT_STALE_PLAN",
        400,
        "The list or the library changed since the preview. Preview again.",
    ),
    row(
        Code::LegacyImportInvalidSource,
        "LEGACY_IMPORT_INVALID_SOURCE",
        400,
        "The list cannot be used.",
    ),
    row(
        Code::LegacyImportInvalidPlan,
        "LEGACY_IMPORT_INVALID_PLAN",
        400,
        "The import plan is invalid.",
    ),
    row(
        Code::LegacyImportStalePlan,
        "LEGACY_IMPORT_STALE_PLAN",
        400,
        "The list or the library changed since the preview. Preview again.",
    ),
    row(Code::SaveBackupInvalid, "SAVE_BACKUP_INVALID", 400, "Save backup archive is invalid."),
    row(Code::Unauthorized, "UNAUTHORIZED", 403, "Unauthorized"),
    row(Code::BadHost, "BAD_HOST", 403, "Request host is not allowed."),
    row(Code::RouteNotFound, "ROUTE_NOT_FOUND", 404, "Not found"),
    row(Code::NotFound, "NOT_FOUND", 404, "Not found"),
    row(Code::GameNotFound, "GAME_NOT_FOUND", 404, "Game not found"),
    row(Code::MediaNotFound, "MEDIA_NOT_FOUND", 404, "Media not found"),
    row(Code::DocumentNotFound, "DOCUMENT_NOT_FOUND", 404, "Document not found"),
    row(
        Code::PlatformDocumentNotFound,
        "PLATFORM_DOCUMENT_NOT_FOUND",
        404,
        "Platform document not found",
    ),
    row(
        Code::DuplicatesPreviewStale,
        "DUPLICATES_PREVIEW_STALE",
        409,
        "The library changed after the preview. Preview the merge again.",
    ),
    row(
        Code::RepairPreviewStale,
        "REPAIR_PREVIEW_STALE",
        409,
        "The library changed after the preview. Preview the repair again.",
    ),
    row(
        Code::SignatureVerificationFailed,
        "signature_verification_failed",
        400,
        "signature_verification_failed",
    ),
    row(Code::CollectionInvalid, "COLLECTION_INVALID", 400, "The collection is not valid."),
    row(Code::CollectionNotFound, "COLLECTION_NOT_FOUND", 404, "Collection not found."),
    row(Code::RecapNotFound, "RECAP_NOT_FOUND", 404, "No session recap is available."),
    row(
        Code::RateLimited,
        "RATE_LIMITED",
        429,
        "Too many authentication failures. Try again later.",
    ),
    row(Code::LaunchAlreadyActive, "LAUNCH_ALREADY_ACTIVE", 409, "That game is already running."),
    row(Code::LaunchPreflightBlocked, "LAUNCH_PREFLIGHT_BLOCKED", 409, "A game would not start."),
    row(Code::PreviewNotFound, "PREVIEW_NOT_FOUND", 404, "Preview not found."),
    row(Code::PreviewExpired, "PREVIEW_EXPIRED", 409, "Preview has expired."),
    row(Code::PreviewStale, "PREVIEW_STALE", 409, "Preview revision is stale."),
    row(
        Code::PreviewLibraryChanged,
        "PREVIEW_LIBRARY_CHANGED",
        409,
        "Library changed since preview was created.",
    ),
    row(
        Code::PreviewLimitExceeded,
        "PREVIEW_LIMIT_EXCEEDED",
        400,
        "At most 10 active previews are allowed.",
    ),
    row(
        Code::PreviewEntryLimitExceeded,
        "PREVIEW_ENTRY_LIMIT_EXCEEDED",
        400,
        "Preview cannot exceed 100000 entries.",
    ),
    row(
        Code::UnresolvedCandidates,
        "UNRESOLVED_CANDIDATES",
        409,
        "Unresolved candidates remain in preview.",
    ),
    row(Code::InvalidDecision, "INVALID_DECISION", 400, "The decision is not valid."),
    row(Code::EmulatorRequired, "EMULATOR_REQUIRED", 409, "An emulator is required."),
    row(Code::JobStateConflict, "JOB_STATE_CONFLICT", 409, "The operation cannot be retried."),
    row(Code::JobNotCancellable, "JOB_NOT_CANCELLABLE", 409, "The operation cannot be cancelled."),
    row(Code::JobNotResumable, "JOB_NOT_RESUMABLE", 409, "The operation cannot be resumed."),
    row(Code::Conflict, "CONFLICT", 409, "The state changed in the meantime."),
    row(Code::TmInvalidRequest, "TM_INVALID_REQUEST", 400, "The request is not valid."),
    row(Code::TmInvalidDate, "TM_INVALID_DATE", 400, "The date is not valid."),
    row(
        Code::TmRevertStale,
        "TM_REVERT_STALE",
        409,
        "The game changed since the preview; look at a new one.",
    ),
    row(
        Code::InternalError,
        "INTERNAL_ERROR",
        500,
        "Unexpected server error. Copy the diagnostic log from Settings and include it in your report.",
    ),
    row(
        Code::StateUnavailable,
        "STATE_UNAVAILABLE",
        503,
        "OpenBox library data needs recovery before this operation can continue.",
    ),
    row(Code::ServiceUnavailable, "SERVICE_UNAVAILABLE", 503, "The service is not available."),
];

impl Code {
    /// The row of this code.
    #[must_use]
    pub fn row(self) -> &'static CodeRow {
        // OK because a test walks over every code.
        CODES.iter().find(|row| row.code == self).unwrap_or(&CODES[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once_in_the_table() {
        for (at, row) in CODES.iter().enumerate() {
            assert_eq!(row.code.row().name, row.name);
            let again = CODES[at + 1..].iter().any(|other| other.name == row.name);
            assert!(!again, "{} stands twice", row.name);
        }
        assert_eq!(Code::ServiceUnavailable.row().status, 503);
    }
}
