//! The entry in the menu of the desktop and its icon, which also open `service:` links.

use std::path::{Path, PathBuf};

use super::{APPLICATION, Find};
use crate::{
    base::schema::schema,
    files::{DiskError, Files},
    process::{Spec, spawn},
};

/// The icon of the program.
pub const ICON: &[u8] = include_bytes!("../../static/favicon.svg");
/// Permissions of the entry: desktops ask before they start one that is not executable.
const MODE: u32 = 0o755;
/// Permissions of the icon.
const ICON_MODE: u32 = 0o644;

/// Why there is no entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    #[error("Desktop installation requires the Service AppImage.")]
    NoBundle,
    #[error("The path of the AppImage cannot be used in a desktop entry.")]
    Path,
    #[error("There is no home folder to install the desktop entry in.")]
    NoHome,
    #[error("The desktop entry could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

schema! {
    /// `POST /api/desktop/install`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct EntryInstalled {
        /// Where the entry is.
        pub desktop: String,
    }
}

/// Writes the entry of a program and its icon below the folder of application data.
///
/// # Errors
/// [`EntryError`].
pub fn install(
    files: &Files,
    program: Option<&Path>,
    data_home: Option<&Path>,
    find: Find<'_>,
) -> Result<EntryInstalled, EntryError> {
    let program = program.ok_or(EntryError::NoBundle)?;
    let text = text(program).ok_or(EntryError::Path)?;
    let data_home = data_home.ok_or(EntryError::NoHome)?;
    let applications = data_home.join("applications");
    let icons = data_home.join("icons/hicolor/scalable/apps");
    write(files, &icons, &format!("{APPLICATION}.svg"), ICON, ICON_MODE)?;
    let entry = write(files, &applications, &entry_name(), text.as_bytes(), MODE)?;
    // The desktop learns of the links when it reads the folder again; a missing program is not a loss.
    if let Some(tool) = find("update-desktop-database")
        && let Err(error) = spawn::spawn(&Spec::new([tool, applications]))
    {
        log::info!("{error}");
    }
    Ok(EntryInstalled { desktop: entry.to_string_lossy().into_owned() })
}

fn entry_name() -> String {
    format!("{APPLICATION}.desktop")
}

fn write(
    files: &Files,
    folder: &Path,
    name: &str,
    bytes: &[u8],
    mode: u32,
) -> Result<PathBuf, DiskError> {
    files.private_dir(folder)?;
    let path = folder.join(name);
    files.replace(&path, bytes)?;
    files.set_mode(&path, mode)?;
    Ok(path)
}

/// The entry; `None` when the path of the program cannot be written in one.
pub fn text(program: &Path) -> Option<String> {
    let path = program.to_str().filter(|_| program.is_absolute())?;
    if path.chars().any(char::is_control) {
        return None;
    }
    Some(format!(
        "[Desktop Entry]\nType=Application\nVersion=1.0\nName=Service Launcher\n\
         GenericName=Game library\nComment=Your games in one library\nExec={} %u\n\
         Icon={APPLICATION}\nTerminal=false\nStartupNotify=true\nStartupWMClass={APPLICATION}\n\
         Categories=Game;Emulator;\nMimeType=x-scheme-handler/service;\n",
        quoted(path)
    ))
}

/// A word of `Exec`: quoted, with the characters escaped that have a meaning inside quotes. The backslash
/// is escaped twice, because the value of a key is unescaped first.
fn quoted(path: &str) -> String {
    let mut word = String::from("\"");
    for sign in path.chars() {
        match sign {
            '\\' => word.push_str("\\\\\\\\"),
            '"' | '`' | '$' => {
                word.push_str("\\\\");
                word.push(sign);
            }
            '%' => word.push_str("%%"),
            _ => word.push(sign),
        }
    }
    word.push('"');
    word
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[test]
    fn the_program_is_one_quoted_word() {
        assert_eq!(quoted("/a b/c"), "\"/a b/c\"");
        assert_eq!(quoted("/a\"`$\\%"), "\"/a\\\\\"\\\\`\\\\$\\\\\\\\%%\"");
        assert_eq!(text(Path::new("/a\nExec=rm")), None);
        assert_eq!(text(Path::new("a")), None);
    }

    #[test]
    fn entry_and_icon_are_installed_for_a_bundle_only() {
        let home = tempfile::tempdir().expect("a folder");
        let files = Files::system();
        let none = |_: &str| None;
        let install = |program: Option<&Path>| install(&files, program, Some(home.path()), &none);
        assert!(matches!(install(None), Err(EntryError::NoBundle)));
        assert!(matches!(install(Some(Path::new("x"))), Err(EntryError::Path)));
        let installed = install(Some(Path::new("/opt/My App.AppImage"))).expect("installed");
        let entry = home.path().join("applications/service-launcher.desktop");
        assert_eq!(installed.desktop, entry.to_str().expect("text"));
        let text = String::from_utf8(files.read(&entry).expect("there")).expect("text");
        assert!(text.contains("\nExec=\"/opt/My App.AppImage\" %u\n"), "{text}");
        assert!(text.contains("\nCategories=Game;Emulator;\nMimeType=x-scheme-handler/service;\n"));
        let mode = |path: &Path| path.metadata().expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&entry), 0o755);
        let icon = home.path().join("icons/hicolor/scalable/apps/service-launcher.svg");
        assert_eq!((mode(&icon), files.read(&icon).expect("there").as_slice()), (0o644, ICON));
    }
}
