//! What the program does on the desktop of the user: file dialogs, opening files and pages, the window of
//! the page, the menu entry.
//!
//! Owns the programs of the desktop that do this and their arguments. No argument is seen by a shell. What
//! is not installed is named, and nothing else is tried in its place.
//!
//! | file | what it does |
//! |---|---|
//! | `dialog` | file dialogs |
//! | `open` | showing a folder, opening a file or a page |
//! | `window` | the window of the page |
//! | `focus` | marks the windows of games for the compositor of a handheld |
//! | `entry` | the menu entry and its icon |
//! | `menu` | the menu of `--launcher` |

use std::{
    ffi::OsStr,
    path::PathBuf,
    sync::{
        Mutex,
        atomic::{AtomicBool, Ordering},
    },
};

pub mod dialog;
pub mod entry;
pub mod focus;
pub mod menu;
pub mod open;
pub mod window;

use crate::{config::environment::Environment, process::search};

/// The name of the program in files of the desktop, and the class of its windows.
pub const APPLICATION: &str = "service-launcher";

/// The desktop of the user.
#[derive(Default)]
pub struct Desktop {
    /// One dialog at a time.
    dialog: Mutex<()>,
    is_stopping: AtomicBool,
}

impl Desktop {
    /// Closes a dialog that is open, so that the program can stop.
    pub fn stop(&self) {
        self.is_stopping.store(true, Ordering::Relaxed);
    }

    fn goes_on(&self) -> bool {
        !self.is_stopping.load(Ordering::Relaxed)
    }
}

/// Where a program is, as [`search::on_path`] finds it.
pub type Find<'a> = &'a dyn Fn(&str) -> Option<PathBuf>;

/// Looks programs up where the user's own programs are.
pub fn installed(name: &str) -> Option<PathBuf> {
    search::on_path(name)
}

/// Whether the desktop is one whose own dialogs are those of KDE.
fn is_kde(environment: &Environment) -> bool {
    let desktop = environment.text("XDG_CURRENT_DESKTOP").unwrap_or_default();
    desktop.to_ascii_uppercase().split(':').any(|name| name == "KDE")
}

/// Whether there is a display that a program could use.
fn has_display(environment: &Environment) -> bool {
    let names = ["DISPLAY", "WAYLAND_DISPLAY"];
    names.iter().any(|name| environment.raw(name).is_some_and(|value| value != OsStr::new("")))
}
