//! From domain errors to what a client reads: every variant once, without a catch-all.

use super::{code::Code, error::ApiError};
use crate::{
    backup::error::BackupError,
    config::settings::refusal::SettingError,
    definitions::channel::ChannelError,
    game::{clean::Refusal, edit::EditError, revert::RevertError, trash::TrashError},
    imports::{arcade::ArcadeError, exclusions::Incomplete, folder::ImportError},
    jobs::error::JobError,
    journal::error::{JournalError, Refusal as JournalRefusal},
    launch::{
        cores::CoreError,
        doctor::{audit::RefreshError, grants::GrantError},
        error::{ControlError, LaunchError},
        extras::ExtraError,
        profiles::NotAnObject,
    },
    libserver::{catalog::CatalogError, error::LibserverError, install::SubmitError},
    model::draft::DraftError,
    query::{collections::CollectionError, playlists::UnknownPlaylist, queue::QueueRefusal},
    saves::{cloud::CloudError, error::SaveError, scores::ScoreError, tools::ToolError},
    sessions::{capture::CaptureFailure, performance::PerformanceError},
    setup::error::SetupError,
    shortcuts::error::BridgeError,
    store::error::{CommitError, RecoverError, Unavailable},
    storefronts::error::StorefrontError,
    webhooks::config::ConfigError,
};

impl From<Unavailable> for ApiError {
    fn from(error: Unavailable) -> Self {
        log::error!("{error}");
        match error {
            Unavailable::Corrupt(_) | Unavailable::Unreadable(_) => {
                Self::of(Code::StateUnavailable)
            }
            Unavailable::Closed => Self::new(Code::ServiceUnavailable, "The program is stopping."),
        }
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

impl From<JobError> for ApiError {
    fn from(error: JobError) -> Self {
        match error {
            JobError::Unknown(_) => Self::new(Code::NotFound, "Job not found."),
            JobError::NotCancellable(id) => {
                Self::new(Code::JobNotCancellable, format!("Operation {id} cannot be cancelled."))
            }
            JobError::NotRetryable(id) => {
                Self::new(Code::JobStateConflict, format!("Operation {id} cannot be retried."))
            }
            JobError::NotResumable(id) => {
                Self::new(Code::JobNotResumable, format!("Operation {id} cannot be resumed."))
            }
            JobError::QueueFull => Self::bad("The background job queue is full."),
            JobError::BadName(_) => Self::bad("The name of the job is not valid."),
            JobError::NoWorker(_) => {
                Self::new(Code::ServiceUnavailable, "This kind of job is not available.")
            }
            JobError::Stopping => Self::new(Code::ServiceUnavailable, "The program is stopping."),
            JobError::NotSaved(error) => {
                log::error!("{error}");
                Self::bad(format!("The job could not be saved: {}.", error.reason()))
            }
        }
    }
}

impl From<SetupError> for ApiError {
    fn from(error: SetupError) -> Self {
        let text = error.client_text();
        let code = match error {
            SetupError::NoId | SetupError::Malformed(_) => Code::BadRequest,
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
            SetupError::Job(error) => return error.into(),
            SetupError::Unavailable(error) => return error.into(),
            SetupError::Disk(error) => {
                log::error!("{error}");
                Code::BadRequest
            }
        };
        Self::new(code, text)
    }
}

impl From<BackupError> for ApiError {
    fn from(error: BackupError) -> Self {
        match error {
            BackupError::Unavailable(error) => error.into(),
            BackupError::Disk(_) | BackupError::Sink(_) => {
                log::error!("{error}");
                Self::bad(error.client_text())
            }
            BackupError::NoItems
            | BackupError::BadKey { .. }
            | BackupError::Retention
            | BackupError::Running { .. }
            | BackupError::SourceLink(_)
            | BackupError::LinkInSource(_)
            | BackupError::TooMany
            | BackupError::UnsafeName
            | BackupError::Duplicates
            | BackupError::LinkMember
            | BackupError::MemberTooLarge
            | BackupError::TooLarge
            | BackupError::Invalid
            | BackupError::Manifest
            | BackupError::Older
            | BackupError::Place
            | BackupError::DataDirLink
            | BackupError::DestinationLink(_)
            | BackupError::Differs(_)
            | BackupError::NoRoom(_)
            | BackupError::Stopped => Self::bad(error.client_text()),
        }
    }
}

impl From<ChannelError> for ApiError {
    fn from(error: ChannelError) -> Self {
        log::warn!("{error}");
        match error {
            ChannelError::Signature(_) => Self::of(Code::SignatureVerificationFailed),
            ChannelError::NoAddress
            | ChannelError::Key(_)
            | ChannelError::Fetch { .. }
            | ChannelError::Index
            | ChannelError::Pack(_)
            | ChannelError::Plan(_)
            | ChannelError::Disk(_) => Self::bad(error.client_text()),
        }
    }
}

impl From<SaveError> for ApiError {
    fn from(error: SaveError) -> Self {
        let text = error.client_text();
        match error {
            SaveError::Archive(BackupError::Unavailable(error)) => error.into(),
            SaveError::Archive(error) => {
                log::warn!("{error}");
                Self::bad(text)
            }
            SaveError::NoPaths
            | SaveError::NotAbsolute(_)
            | SaveError::HoldsData(_)
            | SaveError::MissingPath
            | SaveError::TooManyPaths
            | SaveError::UnknownGame
            | SaveError::NotFound
            | SaveError::Roots
            | SaveError::RootType
            | SaveError::InTheWay(_)
            | SaveError::Running => Self::bad(text),
        }
    }
}

impl From<BridgeError> for ApiError {
    fn from(error: BridgeError) -> Self {
        let text = error.client_text();
        let code = match error {
            BridgeError::Unavailable(error) => return error.into(),
            BridgeError::Request(_) => Code::ShortcutBridgeInvalidRequest,
            BridgeError::Path(_) | BridgeError::Broken(_) => Code::ShortcutBridgePathInvalid,
            BridgeError::NoPlan => Code::ShortcutBridgePlanRequired,
            BridgeError::BadPlan => Code::ShortcutBridgeInvalidPlan,
            BridgeError::NoTarget => Code::ShortcutBridgeTargetRequired,
            BridgeError::Stale => Code::ShortcutBridgePreviewStale,
            BridgeError::ClientRuns => Code::Conflict,
            BridgeError::Disk(error) => {
                log::warn!("{error}");
                Code::BadRequest
            }
        };
        Self::new(code, text)
    }
}

impl From<ScoreError> for ApiError {
    fn from(error: ScoreError) -> Self {
        log::warn!("{error}");
        Self::bad(error.client_text())
    }
}

impl From<ToolError> for ApiError {
    fn from(error: ToolError) -> Self {
        log::warn!("{error}");
        Self::bad(error.client_text())
    }
}

impl From<CloudError> for ApiError {
    fn from(error: CloudError) -> Self {
        match error {
            CloudError::Unavailable(error) => error.into(),
            CloudError::NoFolder
            | CloudError::MissingFolder
            | CloudError::Busy
            | CloudError::Strange
            | CloudError::Disk(_) => {
                log::warn!("{error}");
                Self::bad(error.client_text())
            }
        }
    }
}

impl From<LaunchError> for ApiError {
    fn from(error: LaunchError) -> Self {
        let message = error.client_text();
        match error {
            LaunchError::AlreadyActive { .. } => {
                let detail = error.detail();
                Self { detail, ..Self::new(Code::LaunchAlreadyActive, message) }
            }
            LaunchError::Unavailable(error)
            | LaunchError::Unsaved(CommitError::Unavailable(error)) => error.into(),
            LaunchError::UnknownGame
            | LaunchError::NoPath { .. }
            | LaunchError::PathGone { .. }
            | LaunchError::NotExecutable { .. }
            | LaunchError::ProgramMissing { .. }
            | LaunchError::Archive(_)
            | LaunchError::Spawn(_)
            | LaunchError::Unsaved(CommitError::Refused(_) | CommitError::Disk(_)) => {
                log::warn!("{error}");
                Self::bad(message)
            }
        }
    }
}

impl From<RefreshError> for ApiError {
    fn from(error: RefreshError) -> Self {
        match error {
            RefreshError::Unavailable(error) => error.into(),
            RefreshError::LibraryChanged | RefreshError::GroupGone => {
                Self::bad(error.client_text())
            }
            RefreshError::Disk(_) => {
                log::error!("{error}");
                Self::bad(error.client_text())
            }
        }
    }
}

impl From<GrantError> for ApiError {
    fn from(error: GrantError) -> Self {
        log::warn!("{error}");
        Self::bad(error.client_text())
    }
}

impl From<CoreError> for ApiError {
    fn from(error: CoreError) -> Self {
        match error {
            CoreError::NotACore => Self::bad("core must be the file name of a core."),
            CoreError::UnknownGame => Self::of(Code::GameNotFound),
        }
    }
}

impl From<ControlError> for ApiError {
    fn from(error: ControlError) -> Self {
        Self::bad(error.client_text())
    }
}

impl From<ExtraError> for ApiError {
    fn from(error: ExtraError) -> Self {
        log::warn!("{error}");
        Self::bad(error.client_text())
    }
}

impl From<NotAnObject> for ApiError {
    fn from(error: NotAnObject) -> Self {
        Self::bad(error.to_string())
    }
}

impl From<PerformanceError> for ApiError {
    fn from(error: PerformanceError) -> Self {
        Self::bad(error.client_text())
    }
}

impl From<SettingError> for ApiError {
    fn from(error: SettingError) -> Self {
        Self::bad(error.client_text())
    }
}

impl From<EditError> for ApiError {
    fn from(error: EditError) -> Self {
        match error {
            EditError::UnknownGame => Self::bad("Game not found"),
            EditError::Refused(refusal) => Self::bad(refusal.0),
            EditError::Changed(present) => {
                let fields: Vec<&str> = present.keys().map(String::as_str).collect();
                let text = format!("Changed by somebody else meanwhile: {}.", fields.join(", "));
                Self::new(Code::Conflict, text).with_detail(serde_json::json!({"present": present}))
            }
            EditError::Overtaken => Self::of(Code::Conflict),
            EditError::Draft(error) => error.into(),
        }
    }
}

impl From<ImportError> for ApiError {
    fn from(error: ImportError) -> Self {
        let text = error.client_text();
        match error {
            ImportError::Unavailable(error) => error.into(),
            ImportError::Commit(error) => error.into(),
            ImportError::UnreadableFolder { .. } => {
                log::warn!("{error}");
                Self::bad(text)
            }
            ImportError::NoFolder | ImportError::BadChoices | ImportError::UnknownFolder(_) => {
                Self::bad(text)
            }
        }
    }
}

impl From<ArcadeError> for ApiError {
    fn from(error: ArcadeError) -> Self {
        let text = error.client_text();
        log::warn!("{error}");
        Self::bad(text)
    }
}

impl From<Incomplete> for ApiError {
    fn from(_: Incomplete) -> Self {
        Self::bad("source and external_id are required.")
    }
}

impl From<StorefrontError> for ApiError {
    fn from(error: StorefrontError) -> Self {
        log::warn!("{error}");
        Self::bad(error.client_text())
    }
}

impl From<LibserverError> for ApiError {
    fn from(error: LibserverError) -> Self {
        log::warn!("{error}");
        Self::bad(error.client_text())
    }
}

impl From<CaptureFailure> for ApiError {
    fn from(failure: CaptureFailure) -> Self {
        Self::bad(failure.client_text())
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

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        Self::bad(refusal.0)
    }
}

impl From<CollectionError> for ApiError {
    fn from(error: CollectionError) -> Self {
        match error {
            CollectionError::Invalid(text) => Self::new(Code::CollectionInvalid, text),
            CollectionError::Unknown => Self::of(Code::CollectionNotFound),
        }
    }
}

impl From<TrashError> for ApiError {
    fn from(error: TrashError) -> Self {
        match error {
            TrashError::UnknownGame => Self::bad("Game not found"),
            TrashError::UnknownEntry => Self::bad("Trash entry not found."),
        }
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

impl From<JournalRefusal> for ApiError {
    fn from(refusal: JournalRefusal) -> Self {
        match refusal {
            JournalRefusal::Request(message) => Self::new(Code::TmInvalidRequest, message),
            JournalRefusal::Date(message) => Self::new(Code::TmInvalidDate, message),
        }
    }
}

impl From<RevertError> for ApiError {
    fn from(error: RevertError) -> Self {
        match error {
            RevertError::Stale => Self::of(Code::TmRevertStale),
            RevertError::NoBase => {
                Self::new(Code::TmInvalidRequest, "cannot undo: the event's base is unavailable")
            }
            RevertError::Draft(error) => error.into(),
            RevertError::Trash(error) => error.into(),
        }
    }
}

impl From<UnknownPlaylist> for ApiError {
    fn from(error: UnknownPlaylist) -> Self {
        Self::new(Code::NotFound, format!("Playlist not found: {}", error.0))
    }
}

impl From<QueueRefusal> for ApiError {
    fn from(refusal: QueueRefusal) -> Self {
        Self::bad(refusal.0)
    }
}

impl From<DraftError> for ApiError {
    fn from(error: DraftError) -> Self {
        match error {
            DraftError::UnknownGame(_) => Self::bad("Game not found"),
            DraftError::TakenId(_) => Self::bad("A game with this id is there already."),
        }
    }
}

impl From<ConfigError> for ApiError {
    fn from(error: ConfigError) -> Self {
        Self::bad(error.client_text())
    }
}

impl From<RecoverError> for ApiError {
    fn from(error: RecoverError) -> Self {
        Self::bad(error.to_string())
    }
}
