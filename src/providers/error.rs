//! Errors of providers, and cancellation.

/// Says whether work was cancelled.
pub type Cancel<'a> = &'a (dyn Fn() -> bool + Sync);

/// Why there is nothing from a provider. The texts name no address and nothing that was sent.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// The address is not one of the provider, or is not allowed.
    #[error("the address is not one of the provider")]
    NotAllowed,
    /// No answer came.
    #[error("{0}")]
    Unreachable(String),
    #[error("the server answered {status} {reason}")]
    Status {
        /// HTTP status.
        status: u16,
        /// What it means.
        reason: &'static str,
    },
    /// A web page came where a file was asked for: a consent, error or login page.
    #[error("the server sent a web page")]
    Page,
    /// A web page came with the status of refused credentials.
    #[error("the server sent a web page")]
    Barred,
    #[error("the file is larger than {} MiB", .0 >> 20)]
    TooLarge(u64),
    /// The answer is not JSON, or not of the expected shape.
    #[error("the server sent something else than it was asked for")]
    Nonsense,
    #[error("the answer broke off")]
    Broken,
    /// The first bytes are not those of a picture that can be shown.
    #[error("it is no PNG, JPEG or WebP picture")]
    NoPicture,
    /// The first bytes are not those of such a file.
    #[error("it is no {0}")]
    Other(&'static str),
    /// It was cancelled.
    #[error("it was cancelled")]
    Stopped,
}

impl ProviderError {
    /// Whether the same request may succeed later.
    pub fn is_passing(&self) -> bool {
        match self {
            Self::Unreachable(_) | Self::Broken => true,
            Self::Status { status, .. } => matches!(status, 408 | 425 | 429 | 500 | 502..=504),
            _ => false,
        }
    }
}
