//! Errors about plugins, with the sentence for the client.

use super::{manifest::ManifestError, options::ValueError, place::PackageError};
use crate::{
    files::DiskError, launch::archives::error::ArchiveError, net::fetch::FetchError,
    store::Unavailable,
};

/// What was refused. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub enum PluginError {
    #[error("Plugin path must be a directory or ZIP package.")]
    Source,
    /// The package holds what no package may hold.
    #[error(transparent)]
    Package(#[from] PackageError),
    /// The ZIP file breaks a rule.
    #[error(transparent)]
    Archive(#[from] ArchiveError),
    /// It is not a plugin.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// A file or a link has the name of the package.
    #[error("Something else has the name of the plugin in the folder of plugins.")]
    NameTaken,
    #[error("Plugin not found.")]
    Unknown,
    #[error("Plugin is disabled.")]
    Disabled,
    #[error("plugin_id and command are required.")]
    NoCommand,
    #[error("This plugin does not declare that command.")]
    UnknownCommand,
    /// The hook failed.
    #[error(transparent)]
    Hook(#[from] HookError),
    #[error("Unknown permissions: {0}.")]
    UnknownPermissions(String),
    #[error("Plugin does not declare permissions: {0}.")]
    Undeclared(String),
    /// A setting breaks a rule.
    #[error(transparent)]
    Value(#[from] ValueError),
    #[error("Unknown catalog plugin.")]
    NotInCatalog,
    #[error("This catalog entry is documentation-only. Install local plugin packages manually.")]
    LocalOnly,
    #[error("The plugin package could not be downloaded: {0}.")]
    Download(#[source] FetchError),
    #[error("The plugin package does not have the checksum of the catalog.")]
    Checksum,
    #[error("The plugin package is not the plugin of the catalog.")]
    OtherPlugin,
    #[error("The plugin could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
    /// The library cannot be read.
    #[error(transparent)]
    Unavailable(#[from] Unavailable),
}

/// Why a hook gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HookError {
    #[error("Plugins are switched off in safe mode.")]
    SafeMode,
    #[error("Plugin does not declare the {0} hook.")]
    NotDeclared(&'static str),
    #[error(
        "The plugin sandbox is not available: install bubblewrap (bwrap), or trust this plugin to \
         run it without a sandbox."
    )]
    NoSandbox,
    #[error("Plugins need Python 3, which was not found: install python3.")]
    NoPython,
    #[error("Plugin could not be started: {0}.")]
    NotStarted(String),
    #[error("Payload is too large for plugin execution.")]
    TooLarge,
    #[error("Plugin output exceeded the payload limit.")]
    TooMuchOutput,
    #[error("Plugin did not end within {0} seconds.")]
    TimedOut(u64),
    #[error("Plugin was stopped because the program ends.")]
    Stopped,
    #[error("Plugin exited with status {status}: {tail}")]
    Exited {
        /// The exit code, `-n` after signal `n`.
        status: i32,
        /// The end of its error output.
        tail: String,
    },
    #[error("Plugin returned invalid JSON.")]
    Nonsense,
    #[error("Plugin output must be a JSON object.")]
    NoObject,
}
