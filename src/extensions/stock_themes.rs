//! The style sheets that come with the program, and their copies in the folder of the user.
//!
//! A copy begins with a comment that names its version. It is replaced only by a newer version; a
//! file without that comment belongs to the user and is left alone.

use std::path::Path;

use crate::files::{DiskError, Files};

/// What the first line of a copy begins with, before the number of its version.
const MARK: &str = "/* service-launcher stock theme, version ";
/// Bytes that are read to find that number.
const HEAD: u64 = 80;

/// The name and the text of each.
pub const THEMES: [(&str, &str); 8] = [
    ("contrast-light", include_str!("../../data/themes/contrast-light.css")),
    ("ember", include_str!("../../data/themes/ember.css")),
    ("forest", include_str!("../../data/themes/forest.css")),
    ("midnight", include_str!("../../data/themes/midnight.css")),
    ("paper", include_str!("../../data/themes/paper.css")),
    ("sky", include_str!("../../data/themes/sky.css")),
    ("synthwave", include_str!("../../data/themes/synthwave.css")),
    ("terminal", include_str!("../../data/themes/terminal.css")),
];

/// The version of a copy; `None` for a file of the user.
fn version(text: &str) -> Option<u64> {
    let rest = text.strip_prefix(MARK)?;
    rest.split_once(' ')?.0.parse().ok()
}

/// Writes the copies that are missing or old.
///
/// # Errors
/// When the folder cannot be read or written.
pub fn install(files: &Files, folder: &Path) -> Result<(), DiskError> {
    install_all(files, folder, &THEMES)
}

/// As [`install`]; a failure is logged, because everything works without them.
pub fn keep(files: &Files, folder: &Path) {
    if let Err(error) = install(files, folder) {
        log::warn!("the themes of the program were not installed: {error}");
    }
}

fn install_all(files: &Files, folder: &Path, themes: &[(&str, &str)]) -> Result<(), DiskError> {
    for (name, text) in themes {
        let path = folder.join(format!("{name}.css"));
        let is_wanted = match files.stat(&path)? {
            None => true,
            Some(stat) if stat.is_file() => {
                let head = files.read_range(&path, 0, stat.len().min(HEAD))?;
                let present = version(&String::from_utf8_lossy(&head));
                present.is_some_and(|present| version(text).is_some_and(|own| present < own))
            }
            Some(_) => false,
        };
        if is_wanted {
            files.private_dir(folder)?;
            files.replace(&path, text.as_bytes())?;
        }
    }
    Ok(())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use std::{collections::BTreeSet, fs};

    use super::*;
    use crate::extensions::theme_text;

    #[test]
    fn copies_are_written_once_and_replaced_by_newer_ones_only() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("themes");
        let files = Files::system();
        let one = format!("{MARK}1 */\na {{}}");
        let two = format!("{MARK}2 */\nb {{}}");
        let read = || fs::read_to_string(folder.join("x.css")).expect("there");
        let install = |text: &str| {
            install_all(&files, &folder, &[("x", text)]).expect("installed");
            read()
        };
        assert_eq!(install(&one), one);
        let edited = format!("{one} c {{}}");
        fs::write(folder.join("x.css"), &edited).expect("written");
        assert_eq!(install(&one), edited, "of the same version");
        assert_eq!(install(&two), two, "an older one");
        assert_eq!(install(&one), two, "a newer one");
        for own in ["d {}", "", "/* service-launcher stock theme, version x */"] {
            fs::write(folder.join("x.css"), own).expect("written");
            assert_eq!(install(&two), own);
        }
        fs::remove_file(folder.join("x.css")).expect("removed");
        std::os::unix::fs::symlink("/nowhere", folder.join("x.css")).expect("linked");
        install_all(&files, &folder, &[("x", &two)]).expect("left alone");
    }

    #[test]
    fn every_theme_has_a_version_and_looks_different() {
        let colours: BTreeSet<_> =
            THEMES.iter().filter_map(|(_, text)| theme_text::page_colour(text)).collect();
        assert_eq!(colours.len(), THEMES.len());
        assert!(THEMES.iter().all(|(_, text)| version(text).is_some()));
        assert!(THEMES.iter().all(|(_, text)| !theme_text::imports_from_elsewhere(text)));
    }
}
