//! Style sheets of the user: the `.css` files of one folder.

use std::{
    collections::BTreeMap,
    fs,
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
};

use crate::{base::schema::schema, config::settings::read, model::State};

/// The largest style sheet, in bytes.
pub(super) const BYTES: u64 = 256 * 1024;
const ENDING: &str = "css";

schema! {
    /// `GET /api/themes`.
    #[derive(Debug, PartialEq, Eq)]
    pub struct ThemeList {
        /// The names of the style sheets, in alphabetical order.
        themes: Vec<String>,
        /// The one of the platform that was asked for, else the one of all; blank for none.
        selected: String,
        /// The one of all platforms.
        global: String,
        /// The one of each platform that has its own.
        mappings: BTreeMap<String, String>,
    }
}

/// The style sheets of a folder and those that are chosen.
pub fn list(folder: &Path, state: &State, platform: &str) -> ThemeList {
    let settings = state.settings();
    let mappings = read::value(settings, "theme_by_platform");
    let mappings = mappings.as_object().into_iter().flatten();
    let mappings: BTreeMap<String, String> = mappings
        .filter_map(|(platform, theme)| Some((platform.clone(), theme.as_str()?.to_owned())))
        .collect();
    let global = read::text(settings, "theme");
    let selected = mappings.get(platform).unwrap_or(&global).clone();
    let mut themes: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter_map(|entry| {
            let path = PathBuf::from(entry.file_name());
            let name = path.file_stem().filter(|_| path.extension() == Some(ENDING.as_ref()))?;
            let name = name.to_str().filter(|name| !name.starts_with('.'))?;
            stat(folder, name).map(|_| name.to_owned())
        })
        .collect();
    themes.sort_unstable();
    ThemeList { themes, selected, global, mappings }
}

/// Whether there is a style sheet with this name.
pub(super) fn exists(folder: &Path, name: &str) -> bool {
    stat(folder, name).is_some()
}

/// A style sheet with its entity tag.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sheet {
    pub text: String,
    pub etag: String,
}

/// The style sheet with this name; an empty one when there is none.
pub fn sheet(folder: &Path, name: &str) -> Sheet {
    let read = || {
        let stat = stat(folder, name)?;
        let text = fs::read_to_string(path_of(folder, name)).ok()?;
        let nanoseconds =
            stat.mtime().saturating_mul(1_000_000_000).saturating_add(stat.mtime_nsec());
        Some(Sheet { text, etag: format!("\"{nanoseconds:x}-{:x}\"", stat.len()) })
    };
    read().unwrap_or_else(|| Sheet { text: String::new(), etag: "\"0-0\"".to_owned() })
}

/// Where the style sheet with this name is.
pub(super) fn path_of(folder: &Path, name: &str) -> PathBuf {
    folder.join(format!("{name}.{ENDING}"))
}

/// The attributes of a style sheet; `None` for links, for what is not a file and for what is too large.
fn stat(folder: &Path, name: &str) -> Option<fs::Metadata> {
    let is_name = !name.is_empty() && !name.contains(['/', '\0']);
    let stat = fs::symlink_metadata(path_of(folder, name)).ok().filter(|_| is_name)?;
    (stat.is_file() && stat.len() <= BYTES).then_some(stat)
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn links_large_files_and_other_names_are_no_themes() {
        let folder = tempfile::tempdir().expect("a folder");
        let themes = folder.path().join("themes");
        fs::create_dir(&themes).expect("made");
        fs::write(themes.join("night.css"), "body{}").expect("written");
        fs::write(themes.join("a.txt"), "x").expect("written");
        fs::write(themes.join("huge.css"), vec![b' '; 256 * 1024 + 1]).expect("written");
        fs::write(folder.path().join("secret.css"), "x").expect("written");
        std::os::unix::fs::symlink(folder.path().join("secret.css"), themes.join("link.css"))
            .expect("linked");
        assert_eq!(list(&themes, &State::default(), "").themes, ["night"]);
        assert_eq!(sheet(&themes, "night").text, "body{}");
        for name in ["link", "huge", "a", "", "../secret", "night.css"] {
            assert_eq!(sheet(&themes, name).text, "", "{name}");
        }
    }
}
