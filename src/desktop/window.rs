//! The window of the page, when the program opened one of its own (`--app-window`).
//!
//! Such a window has a class of its own, so the window of a browser with other pages is never meant.

use std::{ffi::OsString, path::PathBuf, time::Duration};

use super::{APPLICATION, Find};
use crate::{
    base::named::named,
    process::{Limits, Spec, capture},
};

/// How long a program may take.
const PATIENCE: Duration = Duration::from_secs(5);

named! {
    /// What is done with the window.
    pub enum Action {
        /// Makes it small.
        Minimize = "minimize",
        /// Fills the screen next to panels, or stops that.
        ToggleMaximize = "toggle-maximize",
        /// Closes it.
        Close = "close",
        /// Fills the screen.
        SetFullscreen = "set-fullscreen",
        /// Stops filling the screen.
        UnsetFullscreen = "unset-fullscreen",
    }
}

/// The command for an action; `None` when its program is not installed.
fn command(action: Action, find: Find<'_>) -> Option<Vec<OsString>> {
    let words: &[&str] = match action {
        Action::Minimize => &["search", "--class", APPLICATION, "windowminimize", "%@"],
        Action::ToggleMaximize => {
            &["-x", "-r", APPLICATION, "-b", "toggle,maximized_vert,maximized_horz"]
        }
        Action::Close => &["-x", "-c", APPLICATION],
        Action::SetFullscreen => &["-x", "-r", APPLICATION, "-b", "add,fullscreen"],
        Action::UnsetFullscreen => &["-x", "-r", APPLICATION, "-b", "remove,fullscreen"],
    };
    let tool = if action == Action::Minimize { "xdotool" } else { "wmctrl" };
    let tool = find(tool).map(PathBuf::into_os_string)?;
    Some([tool].into_iter().chain(words.iter().map(OsString::from)).collect())
}

/// Does it, and returns whether there was such a window and a program that could reach it.
pub fn act(action: Action, find: Find<'_>) -> bool {
    let Some(argv) = command(action, find) else { return false };
    let limits = Limits { timeout: PATIENCE, ..Limits::default() };
    match capture::run(&Spec::new(argv), &limits) {
        Ok(captured) => captured.code == 0,
        Err(error) => {
            log::warn!("the window was not changed: {error}");
            false
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_action_means_the_windows_of_the_program_only() {
        let find = |name: &str| Some(PathBuf::from("/bin").join(name));
        for action in Action::ALL {
            let argv = command(action, &find).expect("a command");
            assert!(argv.contains(&APPLICATION.into()), "{argv:?}");
            assert!(command(action, &|_| None).is_none());
        }
    }
}
