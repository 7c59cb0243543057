//! From domain errors to what a client reads. The text of an error is the sentence for the client;
//! here it gets its code, `BAD_REQUEST` unless its variant is named.

use super::{code::Code, error::ApiError};
use crate::{
    achievements::AchError,
    artgrid::{ArtgridError, ArtworkError},
    backup::error::BackupError,
    bezels::BezelError,
    care::{health::selection::FixError, relink::StalePreview, twins::MergeError},
    config::settings::field_error::FieldError,
    definitions::channel::ChannelError,
    desktop::{entry::EntryError, open::BadTarget},
    exports::request::RequestError,
    extensions::theme_choice::ThemeError,
    game::{
        InputError, batches::UnknownBatch, edit::EditError, origins::UnknownPass,
        revert::RevertError, trash::TrashError,
    },
    household::error::HouseholdError,
    hygiene::HygieneError,
    imports::{arcade::ArcadeError, exclusions::Incomplete, folder::ImportError},
    insights::InsightError,
    jobs::JobError,
    journal::error::{JournalError, QueryError},
    keepsakes::{assign::AssignError, clips::ClipError, moment::MomentError, reels::ReelError},
    kiosk::KioskError,
    launch::{
        cores::CoreError,
        doctor::{audit::RefreshError, grants::GrantError, reveal::RevealError},
        error::{ControlError, LaunchError},
        extras::ExtraError,
        profiles::NotAnObject,
    },
    libserver::{catalog::CatalogError, error::LibserverError, install::SubmitError},
    libsync::error::LibsyncError,
    lookup::{LookupError, accounts::AccountError},
    mediasvc::MediaServiceError,
    metadata::error::MetadataError,
    model::DraftError,
    party::PartyError,
    plugins::error::PluginError,
    query::{collections::CollectionError, playlists::UnknownPlaylist},
    recorder::attach::AttachError,
    resume::error::ResumeError,
    saves::{cloud::CloudError, error::SaveError, scores::ScoreError, tools::ToolError},
    sessions::{capture::CaptureFailure, performance::PerformanceError},
    setup::error::SetupError,
    shortcuts::error::BridgeError,
    store::{CommitError, Unavailable, error::RecoverError},
    storefronts::error::StorefrontError,
    updates::UpdateError,
    webhooks::config::ConfigError,
};

impl From<Unavailable> for ApiError {
    fn from(error: Unavailable) -> Self {
        log::error!("{error}");
        match error {
            Unavailable::Corrupt(_) | Unavailable::Unreadable(_) | Unavailable::Missing => {
                Self::of(Code::StateUnavailable)
            }
            Unavailable::Closed => Self::new(Code::ServiceUnavailable, "The program is stopping."),
        }
    }
}

impl From<ArtgridError> for ApiError {
    fn from(error: ArtgridError) -> Self {
        let code = match error {
            ArtgridError::Disabled => Code::ArtgridDisabled,
            ArtgridError::Unconfigured => Code::ArtgridUnconfigured,
            ArtgridError::KeyRejected => Code::ArtgridKeyRejected,
            ArtgridError::UnknownGame(_)
            | ArtgridError::Refused(_)
            | ArtgridError::TookTooLong
            | ArtgridError::Failed(_) => Code::BadRequest,
        };
        Self::new(code, error.to_string())
    }
}

impl From<HygieneError> for ApiError {
    fn from(error: HygieneError) -> Self {
        match error {
            HygieneError::Artwork(error) => error.into(),
            HygieneError::Unavailable(error) => error.into(),
            HygieneError::NothingToUndo => refused(Code::ArtworkUndoMissing, &error),
            own => refused(Code::BadRequest, &own),
        }
    }
}

impl From<AccountError> for ApiError {
    fn from(error: AccountError) -> Self {
        let code =
            if matches!(error, AccountError::Fixed(_)) { Code::Conflict } else { Code::BadRequest };
        refused(code, &error)
    }
}

impl From<BezelError> for ApiError {
    fn from(error: BezelError) -> Self {
        let code =
            if matches!(error, BezelError::Busy) { Code::Conflict } else { Code::BadRequest };
        refused(code, &error)
    }
}

impl<E: Into<ApiError>> From<CommitError<E>> for ApiError {
    fn from(error: CommitError<E>) -> Self {
        match error {
            CommitError::Unavailable(error) => error.into(),
            CommitError::Refused(error) => error.into(),
            CommitError::Disk(error) => {
                log::error!("{error}");
                Self::bad(format!("The library could not be saved: {}", error.reason()))
            }
        }
    }
}

impl From<std::convert::Infallible> for ApiError {
    fn from(never: std::convert::Infallible) -> Self {
        match never {}
    }
}

/// An error with its own text. What is beneath it goes to the log.
fn refused(code: Code, error: &(impl std::error::Error + ?Sized)) -> ApiError {
    if error.source().is_some() {
        log::warn!("{error} ({error:?})");
    }
    ApiError::new(code, error.to_string())
}

/// Errors that have one code, whatever their message.
macro_rules! refusals {
    ($code:ident: $($error:ty),+ $(,)?) => {
        $(impl From<$error> for ApiError {
            fn from(error: $error) -> Self {
                refused(Code::$code, &error)
            }
        })+
    };
}

refusals! {
    NotFound: UnknownBatch, UnknownPass, UnknownPlaylist,
}

refusals! {
    BadRequest:
    ArcadeError,
    AttachError,
    BadTarget,
    CaptureFailure,
    ConfigError,
    ControlError,
    DraftError,
    EntryError,
    ExtraError,
    FieldError,
    FixError,
    GrantError,
    Incomplete,
    InputError,
    LibserverError,
    NotAnObject,
    PartyError,
    PerformanceError,
    RecoverError,
    RequestError,
    RevealError,
    ScoreError,
    StorefrontError,
    ThemeError,
    ToolError,
    TrashError,
    UpdateError,
}

/// Errors that hold nothing but other errors, or hand these on and have no code of their own.
macro_rules! handed_on {
    ($($error:ident { $($inner:ident),+ })+) => {
        $(impl From<$error> for ApiError {
            fn from(error: $error) -> Self {
                match error {
                    $($error::$inner(inner) => inner.into(),)+
                    own => refused(Code::BadRequest, &own),
                }
            }
        })+
    };
}

handed_on! {
    AchError { Edit, Job, Unavailable }
    ArtworkError { Artgrid, Edit, Job, Unavailable }
    BackupError { Unavailable }
    CloudError { Unavailable }
    ImportError { Unavailable, Commit }
    LookupError { Edit, Job, Unavailable }
    MediaServiceError { Edit, Unavailable }
    PluginError { Unavailable }
    RefreshError { Unavailable }
}

impl From<MergeError> for ApiError {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Stale => Self::of(Code::DuplicatesPreviewStale),
            MergeError::Input(error) => error.into(),
        }
    }
}

impl From<StalePreview> for ApiError {
    fn from(_: StalePreview) -> Self {
        Self::of(Code::RepairPreviewStale)
    }
}

impl From<CatalogError> for ApiError {
    fn from(error: CatalogError) -> Self {
        match error {
            CatalogError::Store(error) => error.into(),
            CatalogError::Server(error) => error.into(),
        }
    }
}

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Server(error) => error.into(),
            SubmitError::Job(error) => error.into(),
        }
    }
}

impl From<SaveError> for ApiError {
    fn from(error: SaveError) -> Self {
        match error {
            SaveError::Archive(BackupError::Unavailable(error)) => error.into(),
            own => refused(Code::BadRequest, &own),
        }
    }
}

impl From<InsightError> for ApiError {
    fn from(error: InsightError) -> Self {
        let code = match error {
            InsightError::UnknownGame => Code::GameNotFound,
            _ => Code::BadRequest,
        };
        refused(code, &error)
    }
}

impl From<HouseholdError> for ApiError {
    fn from(error: HouseholdError) -> Self {
        let code = match error {
            HouseholdError::Request(_) => Code::HouseholdInvalidRequest,
            HouseholdError::Field(_) => Code::HouseholdInvalidField,
            HouseholdError::Record(_) => Code::HouseholdInvalidRecord,
            HouseholdError::StatsDisabled => Code::HouseholdStatsDisabled,
            HouseholdError::Protocol => Code::HouseholdSyncProtocol,
            HouseholdError::FolderRequired => Code::HouseholdSyncFolderRequired,
            HouseholdError::Sync(_) => Code::HouseholdSyncInvalid,
            HouseholdError::Stale => Code::HouseholdSyncStale,
        };
        refused(code, &error)
    }
}

impl From<LibsyncError> for ApiError {
    fn from(error: LibsyncError) -> Self {
        let code = match error {
            LibsyncError::NotEnabled(_) => Code::SyncNotEnabled,
            LibsyncError::FolderRequired | LibsyncError::PlanRequired | LibsyncError::Disk(_) => {
                Code::BadRequest
            }
            LibsyncError::Invalid(_) => Code::SyncInvalid,
            LibsyncError::PreviewStale => Code::SyncPreviewStale,
            LibsyncError::PublishStale => Code::SyncPublishStale,
            LibsyncError::OldProtocol => Code::LibrarySyncUnavailable,
            LibsyncError::Backup(error) => return error.into(),
            LibsyncError::Unavailable(error) => return error.into(),
        };
        refused(code, &error)
    }
}

impl From<KioskError> for ApiError {
    fn from(error: KioskError) -> Self {
        match error {
            KioskError::Both => refused(Code::ArcadeInvalidRequest, &error),
            KioskError::Pin => refused(Code::ArcadeInvalidPin, &error),
            KioskError::Throttled { retry_after } => {
                let retry_after = Some(retry_after);
                Self { retry_after, ..refused(Code::RateLimited, &error) }
            }
        }
    }
}

impl From<JobError> for ApiError {
    fn from(error: JobError) -> Self {
        let code = match error {
            JobError::Unknown(_) => Code::NotFound,
            JobError::NotCancellable(_) => Code::JobNotCancellable,
            JobError::NotRetryable(_) | JobError::NotResumableNow(_) => Code::JobStateConflict,
            JobError::NotResumable(_) => Code::JobNotResumable,
            JobError::NoWorker(_) | JobError::Stopping => Code::ServiceUnavailable,
            JobError::OtherSubject(_)
            | JobError::QueueFull
            | JobError::BadName(_)
            | JobError::NotSaved(_) => Code::BadRequest,
        };
        refused(code, &error)
    }
}

impl From<SetupError> for ApiError {
    fn from(error: SetupError) -> Self {
        let code = match error {
            SetupError::NotFound => Code::PreviewNotFound,
            SetupError::Expired => Code::PreviewExpired,
            SetupError::TooMany => Code::PreviewLimitExceeded,
            SetupError::BadCursor | SetupError::OldCursor | SetupError::OldRevision => {
                Code::PreviewStale
            }
            SetupError::Unresolved => Code::UnresolvedCandidates,
            SetupError::NoAdapter(_) => Code::EmulatorRequired,
            SetupError::NotReady | SetupError::Busy => Code::Conflict,
            SetupError::Decision(_) => Code::InvalidDecision,
            SetupError::NoId
            | SetupError::Malformed(_)
            | SetupError::Choice(_)
            | SetupError::Disk(_) => Code::BadRequest,
            SetupError::Job(error) => return error.into(),
            SetupError::Unavailable(error) => return error.into(),
        };
        refused(code, &error)
    }
}

impl From<MetadataError> for ApiError {
    fn from(error: MetadataError) -> Self {
        let code = match error {
            MetadataError::NotFound => Code::PreviewNotFound,
            MetadataError::Expired => Code::PreviewExpired,
            MetadataError::OldCursor | MetadataError::OldRevision => Code::PreviewStale,
            MetadataError::NoDatabase
            | MetadataError::NoSource
            | MetadataError::NotReady
            | MetadataError::TooMany => Code::Conflict,
            MetadataError::NoId
            | MetadataError::UnknownRow
            | MetadataError::Source(_)
            | MetadataError::UnknownPicture
            | MetadataError::Malformed(_)
            | MetadataError::NoMedia(_)
            | MetadataError::Disk(_) => Code::BadRequest,
            MetadataError::Edit(error) => return error.into(),
            MetadataError::Job(error) => return error.into(),
            MetadataError::Unavailable(error) => return error.into(),
        };
        refused(code, &error)
    }
}

impl From<ChannelError> for ApiError {
    fn from(error: ChannelError) -> Self {
        let code = match error {
            ChannelError::Signature(_) => Code::SignatureVerificationFailed,
            _ => Code::BadRequest,
        };
        refused(code, &error)
    }
}

impl From<BridgeError> for ApiError {
    fn from(error: BridgeError) -> Self {
        let code = match error {
            BridgeError::Unavailable(error) => return error.into(),
            BridgeError::Request(_) => Code::ShortcutBridgeInvalidRequest,
            BridgeError::Path(_) | BridgeError::Broken(_) => Code::ShortcutBridgePathInvalid,
            BridgeError::NoPlan => Code::ShortcutBridgePlanRequired,
            BridgeError::BadPlan => Code::ShortcutBridgeInvalidPlan,
            BridgeError::NoTarget => Code::ShortcutBridgeTargetRequired,
            BridgeError::Stale => Code::ShortcutBridgePreviewStale,
            BridgeError::ClientRuns => Code::Conflict,
            BridgeError::Disk(_) => Code::BadRequest,
        };
        refused(code, &error)
    }
}

impl From<LaunchError> for ApiError {
    fn from(error: LaunchError) -> Self {
        match error {
            LaunchError::AlreadyActive { .. } => {
                let detail = error.detail();
                Self { detail, ..refused(Code::LaunchAlreadyActive, &error) }
            }
            LaunchError::Unavailable(error)
            | LaunchError::Unsaved(CommitError::Unavailable(error)) => error.into(),
            LaunchError::NoStates => refused(Code::ResumeUnsupported, &error),
            own => refused(Code::BadRequest, &own),
        }
    }
}

impl From<ResumeError> for ApiError {
    fn from(error: ResumeError) -> Self {
        let code = match error {
            ResumeError::UnknownGame => Code::NoSuchGame,
            ResumeError::Disabled => Code::QuickResumeDisabled,
            ResumeError::Unsupported => Code::ResumeUnsupported,
            ResumeError::Missing => Code::ResumeStateMissing,
            ResumeError::Stale => Code::ResumeStateStale,
            ResumeError::MomentMissing => Code::MomentResumeMissing,
            ResumeError::MomentStale => Code::MomentResumeStale,
            ResumeError::MomentInvalid => Code::MomentResumeInvalid,
            ResumeError::Disk(_) => Code::BadRequest,
            ResumeError::Launch(error) => return error.into(),
        };
        refused(code, &error)
    }
}

impl From<ClipError> for ApiError {
    fn from(error: ClipError) -> Self {
        let code = match error {
            ClipError::UnknownGame => Code::NoSuchGame,
            ClipError::Unavailable => Code::ClipUnavailable,
        };
        refused(code, &error)
    }
}

impl From<ReelError> for ApiError {
    fn from(error: ReelError) -> Self {
        let code = match error {
            ReelError::UnknownGame => Code::NoSuchGame,
            ReelError::Year => Code::BadRequest,
            ReelError::Job(error) => return error.into(),
        };
        refused(code, &error)
    }
}

impl From<AssignError> for ApiError {
    fn from(error: AssignError) -> Self {
        let code = match error {
            AssignError::UnknownGame => Code::NoSuchGame,
            AssignError::Unknown => Code::MemoryNotFound,
            AssignError::Full => Code::MemoriesFull,
        };
        refused(code, &error)
    }
}

impl From<MomentError> for ApiError {
    fn from(error: MomentError) -> Self {
        let code = match error {
            MomentError::UnknownGame => Code::NoSuchGame,
            MomentError::Unknown => Code::MomentNotFound,
            MomentError::NoId => Code::MomentIdRequired,
            MomentError::Limit => Code::MomentLimitInvalid,
            MomentError::Trigger => Code::MomentTriggerInvalid,
            MomentError::AutomaticOff => Code::MomentsAutoDisabled,
            MomentError::Title => Code::MomentTitleInvalid,
            MomentError::LongTitle => Code::MomentTitleTooLong,
            MomentError::Note => Code::MomentNoteInvalid,
            MomentError::LongNote => Code::MomentNoteTooLong,
            MomentError::Picture => Code::MomentMediaInvalid,
            MomentError::Time => Code::BadRequest,
            MomentError::Full => Code::MomentsFull,
            MomentError::Resume(error) => return error.into(),
            MomentError::Unavailable(error) => return error.into(),
        };
        refused(code, &error)
    }
}

impl From<CoreError> for ApiError {
    fn from(error: CoreError) -> Self {
        let code = match error {
            CoreError::NotACore => Code::BadRequest,
            CoreError::UnknownGame => Code::GameNotFound,
        };
        refused(code, &error)
    }
}

impl From<EditError> for ApiError {
    fn from(error: EditError) -> Self {
        match &error {
            EditError::Changed(present) => {
                let detail = serde_json::json!({"present": present});
                refused(Code::Conflict, &error).with_detail(detail)
            }
            EditError::Overtaken => Self::of(Code::Conflict),
            _ => refused(Code::BadRequest, &error),
        }
    }
}

impl From<CollectionError> for ApiError {
    fn from(error: CollectionError) -> Self {
        let code = match error {
            CollectionError::Invalid(_) => Code::CollectionInvalid,
            CollectionError::Unknown => Code::CollectionNotFound,
        };
        refused(code, &error)
    }
}

impl From<JournalError> for ApiError {
    fn from(error: JournalError) -> Self {
        match error {
            JournalError::Log(error) => error.into(),
            JournalError::Disk(_) | JournalError::Behind => {
                log::error!("{error}");
                Self::new(Code::ServiceUnavailable, "The library journal cannot be read right now.")
            }
        }
    }
}

impl From<QueryError> for ApiError {
    fn from(error: QueryError) -> Self {
        let code = match error {
            QueryError::Request(_) => Code::TmInvalidRequest,
            QueryError::Date(_) => Code::TmInvalidDate,
        };
        refused(code, &error)
    }
}

impl From<RevertError> for ApiError {
    fn from(error: RevertError) -> Self {
        match error {
            RevertError::Stale => Self::of(Code::TmRevertStale),
            RevertError::NoBase => refused(Code::TmInvalidRequest, &error),
            RevertError::Draft(error) => error.into(),
            RevertError::Trash(error) => error.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_job_that_cannot_go_on_says_whether_it_ever_can() {
        let id = || "0".repeat(32);
        for (error, code) in [
            (JobError::NotCancellable(id()), Code::JobNotCancellable),
            (JobError::NotRetryable(id()), Code::JobStateConflict),
            (JobError::NotResumableNow(id()), Code::JobStateConflict),
            (JobError::NotResumable(id()), Code::JobNotResumable),
        ] {
            let message = error.to_string();
            let told = ApiError::from(error);
            assert_eq!((told.code, told.message), (code, message));
        }
    }
}
