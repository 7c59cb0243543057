//! What the program can do as a desktop host. It has no window of its own: the page runs in the
//! browser of the user, or in the window of the host that started it.

use std::borrow::Cow;

use super::data_dir::DataDir;
use crate::base::schema::schema;

schema! {
    /// `GET /api/native/capabilities`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct NativeCapabilities<'a> {
        /// Whether the page runs in a window of the program.
        pub webview: bool,
        /// Whether the program can show file dialogs of the desktop.
        pub dialogs: bool,
        /// Whether the program has an icon in the tray.
        pub tray: bool,
        /// Whether a second start on the same data directory opens the page of the first one.
        pub single_instance: bool,
        /// What reads the controllers, by the name that clients know.
        pub gamepad: &'static str,
        /// Whether the page can fill the screen.
        pub fullscreen: bool,
        /// Whether the page can write to the clipboard.
        pub clipboard: bool,
        /// Of the executable.
        pub version: &'static str,
        /// The operating system, its release and the processor.
        pub platform: &'a str,
        /// An absolute path; bytes that are not text are replaced.
        pub data_dir: Cow<'a, str>,
    }
}

/// What is there besides the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Host {
    /// Whether a desktop host started the program.
    pub is_attached: bool,
    /// Whether a program that shows file dialogs is installed.
    pub has_dialogs: bool,
}

/// The capabilities on a machine of this platform.
pub fn capabilities<'a>(
    platform: &'a str,
    data_dir: &'a DataDir,
    host: Host,
) -> NativeCapabilities<'a> {
    NativeCapabilities {
        webview: host.is_attached,
        dialogs: host.is_attached || host.has_dialogs,
        tray: host.is_attached,
        single_instance: host.is_attached,
        gamepad: "webkit",
        fullscreen: true,
        clipboard: true,
        version: env!("CARGO_PKG_VERSION"),
        platform,
        data_dir: data_dir.root().to_string_lossy(),
    }
}
