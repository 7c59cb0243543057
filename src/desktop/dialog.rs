//! File dialogs, shown by a program of the desktop.

use std::{
    ffi::OsString,
    os::unix::ffi::OsStringExt as _,
    path::{Path, PathBuf},
    sync::TryLockError,
    time::Duration,
};

use super::{Desktop, Find, has_display, is_kde};
use crate::{
    base::{named::named, schema::schema},
    config::environment::Environment,
    process::{Limits, Spec, capture},
};

/// How long a dialog stays open.
const PATIENCE: Duration = Duration::from_mins(10);
/// Bytes of the longest path.
const PATH_BYTES: usize = 8 << 10;

/// Programs that show dialogs: those that take the arguments of zenity, and that of KDE.
const ZENITIES: [&str; 3] = ["zenity", "qarma", "matedialog"];
const KDIALOG: &str = "kdialog";

named! {
    /// What is asked for.
    #[derive(Default)]
    pub enum Kind {
        /// A folder.
        #[default]
        Folder = "folder",
        /// A file that exists.
        File = "file",
        /// The name of a file to be written.
        Save = "save",
    }
}

/// A dialog.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Request {
    /// What is asked for.
    pub kind: Kind,
    /// Shown above it; blank leaves that to the desktop.
    pub title: String,
    /// What is chosen at first.
    pub start: Option<PathBuf>,
}

schema! {
    /// `POST /api/native/dialog`.
    #[derive(Debug, Default, PartialEq, Eq)]
    pub struct Chosen {
        /// What was chosen, an absolute path.
        pub path: Option<String>,
        /// There when nothing was chosen.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub cancelled: Option<bool>,
        /// Why no dialog could be shown; missing when the user closed it.
        #[serde(skip_serializing_if = "Option::is_none")]
        pub reason: Option<String>,
    }
}

impl Chosen {
    fn nothing(reason: Option<&str>) -> Self {
        Self { path: None, cancelled: Some(true), reason: reason.map(str::to_owned) }
    }
}

/// The program that shows dialogs here.
pub fn tool(environment: &Environment, find: Find<'_>) -> Option<PathBuf> {
    let names = ZENITIES.into_iter().chain([KDIALOG]);
    let mut names: Vec<&str> = names.collect();
    if is_kde(environment) {
        names.rotate_right(1);
    }
    names.into_iter().find_map(find)
}

/// The command that shows a dialog.
fn command(tool: &Path, request: &Request) -> Vec<OsString> {
    let mut argv = vec![tool.as_os_str().to_owned()];
    let title = Some(request.title.as_str()).filter(|title| !title.is_empty());
    let start = request.start.as_deref().map(Path::as_os_str);
    let mut add = |word: &str| argv.push(word.into());
    if tool.ends_with(KDIALOG) {
        if let Some(title) = title {
            add("--title");
            add(title);
        }
        add(match request.kind {
            Kind::Folder => "--getexistingdirectory",
            Kind::File => "--getopenfilename",
            Kind::Save => "--getsavefilename",
        });
        // Without a place it takes the next word for one.
        argv.push(start.map_or_else(|| ".".into(), OsString::from));
        return argv;
    }
    add("--file-selection");
    match request.kind {
        Kind::Folder => add("--directory"),
        Kind::File => {}
        Kind::Save => {
            add("--save");
            add("--confirm-overwrite");
        }
    }
    if let Some(title) = title {
        add(&format!("--title={title}"));
    }
    if let Some(start) = start {
        let mut word = OsString::from("--filename=");
        word.push(start);
        // With a slash at its end a folder is opened instead of chosen in the folder above it.
        if request.kind != Kind::Save {
            word.push("/");
        }
        argv.push(word);
    }
    argv
}

impl Desktop {
    /// Shows a dialog and waits until it is closed.
    pub fn choose(&self, environment: &Environment, find: Find<'_>, request: &Request) -> Chosen {
        let _open = match self.dialog.try_lock() {
            Err(TryLockError::WouldBlock) => {
                return Chosen::nothing(Some("Another dialog is open already."));
            }
            Ok(open) => open,
            Err(TryLockError::Poisoned(open)) => open.into_inner(),
        };
        let Some(tool) = tool(environment, find) else {
            return Chosen::nothing(Some("zenity or kdialog is required to show a file dialog."));
        };
        let limits = Limits { timeout: PATIENCE, output_bytes: PATH_BYTES };
        let spec = Spec::new(command(&tool, request));
        let captured = match capture::run_watched(&spec, &limits, &|| self.goes_on()) {
            Ok(captured) => captured,
            Err(error) => {
                log::warn!("a file dialog failed: {error}");
                return Chosen::nothing(Some("The file dialog did not work."));
            }
        };
        // One of them reports a closed dialog in the same way as a missing display.
        if captured.code != 0 {
            let is_closed = captured.code == 1 && has_display(environment);
            let said = String::from_utf8_lossy(&captured.stderr);
            log::info!("the file dialog ended with {}: {}", captured.code, said.trim());
            return Chosen::nothing((!is_closed).then_some("The file dialog could not be shown."));
        }
        match path(captured.stdout) {
            Some(path) => Chosen { path: Some(path), cancelled: None, reason: None },
            None => Chosen::nothing(Some("The file dialog did not name a usable path.")),
        }
    }
}

/// The path that a dialog printed.
fn path(mut printed: Vec<u8>) -> Option<String> {
    if printed.last() == Some(&b'\n') {
        printed.pop();
    }
    let path = PathBuf::from(OsString::from_vec(printed));
    let text = path.to_str()?;
    (path.is_absolute() && !text.contains(['\0', '\n'])).then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(tool: &str, kind: Kind, title: &str, start: Option<&str>) -> Vec<String> {
        let request = Request { kind, title: title.to_owned(), start: start.map(PathBuf::from) };
        let argv = command(Path::new(tool), &request);
        argv.into_iter().skip(1).map(|word| word.into_string().expect("text")).collect()
    }

    #[test]
    fn dialogs_are_asked_for_in_the_words_of_each_program() {
        assert_eq!(words("/b/zenity", Kind::Folder, "", None), ["--file-selection", "--directory"]);
        assert_eq!(
            words("/b/qarma", Kind::File, "A $(b)", Some("/x y")),
            ["--file-selection", "--title=A $(b)", "--filename=/x y/"]
        );
        assert_eq!(
            words("/b/zenity", Kind::Save, "", Some("/x/y.txt")),
            ["--file-selection", "--save", "--confirm-overwrite", "--filename=/x/y.txt"]
        );
        assert_eq!(
            words("/b/kdialog", Kind::Folder, "T", None),
            ["--title", "T", "--getexistingdirectory", "."]
        );
        assert_eq!(words("/b/kdialog", Kind::Save, "", Some("/x")), ["--getsavefilename", "/x"]);
    }

    #[test]
    fn the_desktop_decides_which_program_is_asked() {
        let found = |desktop: &str, installed: &[&str]| {
            let environment = Environment::from_process([("XDG_CURRENT_DESKTOP", desktop)]);
            let find = |name: &str| installed.contains(&name).then(|| PathBuf::from(name));
            tool(&environment, &find)
        };
        assert_eq!(found("GNOME", &["zenity", "kdialog"]), Some("zenity".into()));
        assert_eq!(found("X:KDE", &["zenity", "kdialog"]), Some("kdialog".into()));
        assert_eq!(found("KDE", &["matedialog"]), Some("matedialog".into()));
        assert_eq!(found("", &["kdialog"]), Some("kdialog".into()));
        assert_eq!(found("", &[]), None);
    }

    #[test]
    fn only_absolute_paths_are_chosen() {
        assert_eq!(path(b"/a b\n".to_vec()), Some("/a b".to_owned()));
        for bad in [&b""[..], b"a", b"\n", b"/a\n/b\n", b"file:///a", b"/\xff"] {
            assert_eq!(path(bad.to_vec()), None, "{bad:?}");
        }
    }
}
