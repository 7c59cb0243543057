//! The table of error codes: each code with its status and its default message.

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

/// Declares [`Code`] and its table.
macro_rules! codes {
    ($($(#[$about:meta])* $code:ident $status:literal $name:literal $message:literal;)+) => {
        /// A code a client may act on.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Code {
            $($(#[$about])* $code),+
        }

        /// The table, in the order of the codes.
        pub const CODES: &[CodeRow] = &[
            $(CodeRow { code: Code::$code, name: $name, status: $status, message: $message }),+
        ];
    };
}

codes! {
    /// Validation, missing prerequisites, malformed payloads, provider and system errors.
    BadRequest 400 "BAD_REQUEST" "The request is not valid.";
    /// A request about shortcuts that makes no sense.
    ShortcutBridgeInvalidRequest 400 "SHORTCUT_BRIDGE_INVALID_REQUEST"
        "The shortcut request is invalid.";
    /// A path that is not that of a shortcut file.
    ShortcutBridgePathInvalid 400 "SHORTCUT_BRIDGE_PATH_INVALID" "The shortcut path is invalid.";
    /// A change of shortcuts without a plan.
    ShortcutBridgePlanRequired 400 "SHORTCUT_BRIDGE_PLAN_REQUIRED"
        "A reviewed shortcut plan is required.";
    /// A removal of shortcuts that names none of this program.
    ShortcutBridgeTargetRequired 400 "SHORTCUT_BRIDGE_TARGET_REQUIRED"
        "Select at least one shortcut of this launcher.";
    /// A plan for shortcuts that was not made here.
    ShortcutBridgeInvalidPlan 400 "SHORTCUT_BRIDGE_INVALID_PLAN" "The shortcut plan is invalid.";
    /// A plan for shortcuts that does not hold any more.
    ShortcutBridgePreviewStale 409 "SHORTCUT_BRIDGE_PREVIEW_STALE"
        "The shortcuts changed since the preview. Preview again.";
    /// A list of a front end that cannot be used.
    FrontendImportInvalidSource 400 "FRONTEND_IMPORT_INVALID_SOURCE" "The list cannot be used.";
    /// A plan for such a list that cannot be used.
    FrontendImportInvalidPlan 400 "FRONTEND_IMPORT_INVALID_PLAN" "The import plan is invalid.";
    /// A plan for such a list that does not hold any more.
    FrontendImportStalePlan 400 "FRONTEND_IMPORT_STALE_PLAN"
        "The list or the library changed since the preview. Preview again.";
    /// A library of an older launcher that cannot be used.
    LegacyImportInvalidSource 400 "LEGACY_IMPORT_INVALID_SOURCE" "The list cannot be used.";
    /// A plan for such a library that cannot be used.
    LegacyImportInvalidPlan 400 "LEGACY_IMPORT_INVALID_PLAN" "The import plan is invalid.";
    /// A plan for such a library that does not hold any more.
    LegacyImportStalePlan 400 "LEGACY_IMPORT_STALE_PLAN"
        "The list or the library changed since the preview. Preview again.";
    /// The artwork provider is switched off.
    ArtgridDisabled 400 "ARTGRID_DISABLED" "SteamGridDB is switched off in the settings.";
    /// There is no key for the artwork provider.
    ArtgridUnconfigured 400 "ARTGRID_UNCONFIGURED"
        "Set ARTGRID_API_KEY in .env to use SteamGridDB.";
    /// The artwork provider refused the key.
    ArtgridKeyRejected 400 "ARTGRID_KEY_REJECTED" "SteamGridDB rejected the key.";
    /// No fix of artwork is there to be undone.
    ArtworkUndoMissing 400 "ARTWORK_UNDO_MISSING"
        "There is no fix of artwork to undo.";
    /// A request about the kiosk that makes no sense.
    ArcadeInvalidRequest 400 "ARCADE_INVALID_REQUEST" "The kiosk request is invalid.";
    /// A PIN that cannot be one.
    ArcadeInvalidPin 400 "ARCADE_INVALID_PIN" "The PIN must have 4 to 12 digits.";
    /// A request of a client session that did not enter the PIN of the kiosk.
    ArcadeKioskLocked 403 "ARCADE_KIOSK_LOCKED" "The kiosk is locked. Enter the PIN first.";
    /// A request about the household that has another form.
    HouseholdInvalidRequest 400 "HOUSEHOLD_INVALID_REQUEST" "The household request is invalid.";
    /// A field of a household record that breaks a rule.
    HouseholdInvalidField 400 "HOUSEHOLD_INVALID_FIELD" "A field of the record is invalid.";
    /// A household record that breaks a rule, or does not fit the others.
    HouseholdInvalidRecord 400 "HOUSEHOLD_INVALID_RECORD" "The record is invalid.";
    /// Statistics are not shared.
    HouseholdStatsDisabled 400 "HOUSEHOLD_STATS_DISABLED"
        "Sharing of household statistics is switched off in the settings.";
    /// Another protocol of the exchange of household records.
    HouseholdSyncProtocol 400 "HOUSEHOLD_SYNC_PROTOCOL" "This protocol is not known. Use v1.";
    /// No folder for the exchange.
    HouseholdSyncFolderRequired 400 "HOUSEHOLD_SYNC_FOLDER_REQUIRED"
        "Configure a mounted cloud sync folder first.";
    /// A folder that cannot be used.
    HouseholdSyncInvalid 400 "HOUSEHOLD_SYNC_INVALID" "The folder of the household cannot be used.";
    /// A household that changed while it was published.
    HouseholdSyncStale 409 "HOUSEHOLD_SYNC_STALE"
        "The household changed while it was published. Publish again.";
    /// Library synchronization is off.
    SyncNotEnabled 400 "SYNC_NOT_ENABLED" "Enable library synchronization first.";
    /// An event of another library, the folder or a plan that breaks a rule.
    SyncInvalid 400 "SYNC_INVALID" "The sync events are invalid.";
    /// A sync plan of another state of the library.
    SyncPreviewStale 409 "SYNC_PREVIEW_STALE"
        "Library sync preview is stale; review incoming changes again.";
    /// A library that changed while it was published.
    SyncPublishStale 409 "SYNC_PUBLISH_STALE"
        "Local library changed while sync was publishing; retry the operation.";
    /// The exchange of whole libraries, which is refused.
    LibrarySyncUnavailable 503 "LIBRARY_SYNC_UNAVAILABLE"
        "Whole libraries are not exchanged. Review changes, and publish with protocol v3.";
    /// An archive of saves that cannot be used.
    SaveBackupInvalid 400 "SAVE_BACKUP_INVALID" "Save backup archive is invalid.";
    /// Missing or wrong token; its envelope carries no code.
    Unauthorized 403 "UNAUTHORIZED" "Unauthorized";
    /// Foreign host, origin or site.
    BadHost 403 "BAD_HOST" "Request host is not allowed.";
    /// No such route.
    RouteNotFound 404 "ROUTE_NOT_FOUND" "Not found";
    /// No such thing, where no code of its own exists.
    NotFound 404 "NOT_FOUND" "Not found";
    /// No such game, on routes that read.
    GameNotFound 404 "GAME_NOT_FOUND" "Game not found";
    NoSuchGame 400 "GAME_NOT_FOUND" "Game not found";
    /// No such media file.
    MediaNotFound 404 "MEDIA_NOT_FOUND" "Media not found";
    /// No such picture of an achievement.
    BadgeNotFound 404 "BADGE_NOT_FOUND" "Badge not found";
    /// No such document of a game.
    DocumentNotFound 404 "DOCUMENT_NOT_FOUND" "Document not found";
    /// No such document of a platform.
    PlatformDocumentNotFound 404 "PLATFORM_DOCUMENT_NOT_FOUND" "Platform document not found";
    /// A merge that was planned for another state of the library.
    DuplicatesPreviewStale 409 "DUPLICATES_PREVIEW_STALE"
        "The library changed after the preview. Preview the merge again.";
    /// A repair that was planned for another state of the library.
    RepairPreviewStale 409 "REPAIR_PREVIEW_STALE"
        "The library changed after the preview. Preview the repair again.";
    /// A definition pack that is not signed with the release key; its name is fixed.
    SignatureVerificationFailed 400 "signature_verification_failed" "signature_verification_failed";
    /// A smart collection that breaks a rule.
    CollectionInvalid 400 "COLLECTION_INVALID" "The collection is not valid.";
    /// No such smart collection.
    CollectionNotFound 404 "COLLECTION_NOT_FOUND" "Collection not found.";
    /// No session to recap, or recaps are off.
    RecapNotFound 404 "RECAP_NOT_FOUND" "No session recap is available.";
    /// Quick resume is off.
    QuickResumeDisabled 400 "QUICK_RESUME_DISABLED" "Quick resume is switched off in the settings.";
    /// An emulator that takes no state along.
    ResumeUnsupported 400 "RESUME_UNSUPPORTED"
        "The emulator of this game cannot resume from a state.";
    /// No kept state of a game.
    ResumeStateMissing 404 "RESUME_STATE_MISSING" "This game has no state to resume from.";
    /// A kept state of another emulator or of another build of it.
    ResumeStateStale 409 "RESUME_STATE_STALE"
        "The state was made by another emulator or another version of it.";
    /// Neither recorder nor tool made a clip.
    ClipUnavailable 400 "CLIP_UNAVAILABLE"
        "Neither the recorder nor a screen-capture tool made a clip.";
    /// A trigger of a moment that is not known.
    MomentTriggerInvalid 400 "MOMENT_TRIGGER_INVALID" "The trigger is not known.";
    /// An automatic moment while these are off.
    MomentsAutoDisabled 400 "MOMENTS_AUTO_DISABLED"
        "Automatic moments are switched off in the settings.";
    /// A title of a moment that is not text.
    MomentTitleInvalid 400 "MOMENT_TITLE_INVALID" "The title must be a text.";
    /// A title of a moment that is too long.
    MomentTitleTooLong 400 "MOMENT_TITLE_TOO_LONG" "The title may have at most 120 characters.";
    /// A note of a moment that is not text.
    MomentNoteInvalid 400 "MOMENT_NOTE_INVALID" "The note must be a text.";
    /// A note of a moment that is too long.
    MomentNoteTooLong 400 "MOMENT_NOTE_TOO_LONG" "The note may have at most 2000 characters.";
    /// A picture for a moment that may not be shown.
    MomentMediaInvalid 400 "MOMENT_MEDIA_INVALID"
        "The screenshot must be an image in an approved media folder.";
    /// A number of moments that is out of bounds.
    MomentLimitInvalid 400 "MOMENT_LIMIT_INVALID" "limit must be a whole number from 1 to 500.";
    /// A request about a moment that names none.
    MomentIdRequired 400 "MOMENT_ID_REQUIRED" "moment_id is required.";
    /// No such moment.
    MomentNotFound 404 "MOMENT_NOT_FOUND" "There is no such moment.";
    /// A game that has as many moments as it may have.
    MomentsFull 409 "MOMENTS_FULL" "The game has 500 moments already; delete one of them first.";
    /// No such memory.
    MemoryNotFound 404 "MEMORY_NOT_FOUND" "There is no such memory.";
    /// A game that has as many memories as it may have.
    MemoriesFull 409 "MEMORIES_FULL" "There is no room for another memory.";
    /// A moment without a state.
    MomentResumeMissing 404 "MOMENT_RESUME_MISSING" "This moment has no state to resume from.";
    /// The state of a moment that another emulator, or another build of it, made.
    MomentResumeStale 400 "MOMENT_RESUME_STALE"
        "The state of this moment was made by another emulator or another version of it.";
    /// The state of a moment that changed since.
    MomentResumeInvalid 400 "MOMENT_RESUME_INVALID"
        "The state of this moment is not what was kept.";
    /// Too many failed token checks.
    RateLimited 429 "RATE_LIMITED" "Too many authentication failures. Try again later.";
    /// A game that already runs or is being started.
    LaunchAlreadyActive 409 "LAUNCH_ALREADY_ACTIVE" "That game is already running.";
    /// A game that would not start, where the client asked for a refusal.
    LaunchPreflightBlocked 409 "LAUNCH_PREFLIGHT_BLOCKED" "A game would not start.";
    /// No such setup preview.
    PreviewNotFound 404 "PREVIEW_NOT_FOUND" "Preview not found.";
    /// A setup preview whose time is over.
    PreviewExpired 409 "PREVIEW_EXPIRED" "Preview has expired.";
    /// A cursor, a revision or a plan that does not hold any more.
    PreviewStale 409 "PREVIEW_STALE" "Preview revision is stale.";
    /// A setup preview of another state of the library.
    PreviewLibraryChanged 409 "PREVIEW_LIBRARY_CHANGED"
        "Library changed since preview was created.";
    /// As many setup previews as there may be.
    PreviewLimitExceeded 400 "PREVIEW_LIMIT_EXCEEDED" "At most 10 active previews are allowed.";
    /// A setup preview of too many games.
    PreviewEntryLimitExceeded 400 "PREVIEW_ENTRY_LIMIT_EXCEEDED"
        "Preview cannot exceed 100000 entries.";
    /// Candidates of a setup preview without a platform or decision.
    UnresolvedCandidates 409 "UNRESOLVED_CANDIDATES" "Unresolved candidates remain in preview.";
    /// A decision about a candidate that cannot be meant.
    InvalidDecision 400 "INVALID_DECISION" "The decision is not valid.";
    /// A choice of an emulator that does not exist.
    EmulatorRequired 409 "EMULATOR_REQUIRED" "An emulator is required.";
    /// A job that cannot be done again now.
    JobStateConflict 409 "JOB_STATE_CONFLICT" "The operation cannot be retried.";
    /// A job that cannot be stopped any more.
    JobNotCancellable 409 "JOB_NOT_CANCELLABLE" "The operation cannot be cancelled.";
    /// A job that has nothing to resume from.
    JobNotResumable 409 "JOB_NOT_RESUMABLE" "The operation cannot be resumed.";
    /// A state conflict without a code of its own.
    Conflict 409 "CONFLICT" "The state changed in the meantime.";
    /// A question to the journal that is not valid.
    TmInvalidRequest 400 "TM_INVALID_REQUEST" "The request is not valid.";
    /// A date for the journal that is missing, unreadable or reversed.
    TmInvalidDate 400 "TM_INVALID_DATE" "The date is not valid.";
    /// A plan of a revert that no longer fits the library.
    TmRevertStale 409 "TM_REVERT_STALE" "The game changed since the preview; look at a new one.";
    /// A bug on this side.
    InternalError 500 "INTERNAL_ERROR"
        "Unexpected server error. Copy the diagnostic log from Settings and include it in your report.";
    /// The library file needs recovery.
    StateUnavailable 503 "STATE_UNAVAILABLE"
        "OpenBox library data needs recovery before this operation can continue.";
    /// Something needed is not there right now.
    ServiceUnavailable 503 "SERVICE_UNAVAILABLE" "The service is not available.";
}

impl Code {
    /// The row of this code.
    pub fn row(self) -> &'static CodeRow {
        // OK because every code has a row.
        CODES.iter().find(|row| row.code == self).unwrap_or(&CODES[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_stands_once_in_the_table() {
        for (at, row) in CODES.iter().enumerate() {
            // A name may stand for two statuses: a story of no game is a bad request.
            let is_same = |other: &&CodeRow| (other.name, other.status) == (row.name, row.status);
            let again = CODES[at + 1..].iter().find(is_same);
            assert!(again.is_none(), "{} stands twice", row.name);
        }
        assert_eq!(Code::ServiceUnavailable.row().status, 503);
    }
}
