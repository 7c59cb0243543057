//! Importing a style sheet, and choosing one for all platforms or for one.

use std::path::Path;

use serde_json::{Map, Value};

use super::{
    stock_themes,
    theme_text::{imports_from_elsewhere, page_colour},
    themes,
};
use crate::{
    base::schema::schema,
    config::{data_dir::DataDir, settings::read},
    desktop::{self, open},
    files::{DiskError, Files, confine},
    model::Draft,
    store::{CommitError, Committed, Store},
};

/// Characters of the longest name.
const NAME: usize = 100;
/// Characters of the longest name of a platform.
const PLATFORM: usize = 200;
/// Platforms that may have a style sheet of their own.
const PLATFORMS: usize = 500;
/// The colour of the page without a style sheet.
const PLAIN_PAGE: &str = "#111318";

/// Why a style sheet was not imported or chosen.
#[derive(Debug, thiserror::Error)]
pub enum ThemeError {
    #[error("Theme path must point to a CSS file.")]
    NotCss,
    #[error("Theme path may not contain symlinks.")]
    Link,
    #[error("Theme file is larger than 256 KiB.")]
    TooLarge,
    #[error("Theme file must be valid UTF-8.")]
    NotText,
    #[error("Theme may not import remote style sheets.")]
    Remote,
    #[error("The name of a theme has at most {NAME} characters and does not begin with a dot.")]
    Name,
    #[error("Theme not found.")]
    Unknown,
    #[error("The name of a platform has at most {PLATFORM} characters.")]
    Platform,
    #[error("At most {PLATFORMS} platforms may have themes of their own.")]
    TooMany,
    #[error("The theme could not be saved: {}.", .0.reason())]
    Disk(#[from] DiskError),
}

schema! {
    /// `POST /api/themes/import`.
    pub struct ThemeImported {
        /// The name of the style sheet.
        pub theme: String,
    }

    /// `POST /api/themes/open-folder`.
    pub struct ThemeFolder {
        /// The folder, an absolute path.
        pub path: String,
        /// Whether a file manager was started.
        pub opened: bool,
    }

    /// `POST /api/themes/select`.
    pub struct ThemeSelected {
        /// The style sheet; blank for none.
        pub selected: String,
        /// The platform it was chosen for; blank is all.
        pub platform: String,
    }
}

/// Makes the folder when it is missing and shows it in the file manager, where there is one.
///
/// # Errors
/// When it cannot be made.
pub fn open_folder(files: &Files, folder: &Path) -> Result<ThemeFolder, ThemeError> {
    files.private_dir(folder)?;
    let opened = open::open(folder.as_os_str(), &desktop::installed);
    if let Err(error) = &opened {
        log::info!("the folder of themes was not shown: {error}");
    }
    Ok(ThemeFolder { path: folder.to_string_lossy().into_owned(), opened: opened.is_ok() })
}

/// Copies a style sheet into the folder; one with the same name is replaced.
///
/// # Errors
/// [`ThemeError`]; nothing changed then.
pub fn import(files: &Files, folder: &Path, path: &Path) -> Result<ThemeImported, ThemeError> {
    let is_css = path.extension().is_some_and(|ending| ending.eq_ignore_ascii_case("css"));
    let name = path.file_stem().filter(|_| is_css && path.is_absolute());
    let name = name.ok_or(ThemeError::NotCss)?.to_str().ok_or(ThemeError::Name)?.trim();
    confine::refuse_link_on_the_way(path).map_err(|error| match error {
        confine::ConfineError::Link { .. } => ThemeError::Link,
        _ => ThemeError::NotCss,
    })?;
    let stat = files.stat(path).ok().flatten().filter(std::fs::Metadata::is_file);
    let length = stat.ok_or(ThemeError::NotCss)?.len();
    if length > themes::BYTES {
        return Err(ThemeError::TooLarge);
    }
    let bytes = files.read_range(path, 0, length).map_err(|_| ThemeError::NotCss)?;
    let text = String::from_utf8(bytes).map_err(|_| ThemeError::NotText)?;
    if imports_from_elsewhere(&text) {
        return Err(ThemeError::Remote);
    }
    let is_name = !name.is_empty() && !name.starts_with('.') && name.chars().count() <= NAME;
    if !is_name || name.chars().any(char::is_control) {
        return Err(ThemeError::Name);
    }
    files.private_dir(folder)?;
    files.replace(&themes::path_of(folder, name), text.as_bytes())?;
    Ok(ThemeImported { theme: name.to_owned() })
}

/// Chooses a style sheet, in one commit; a blank name chooses none. Without a platform it is the one of all,
/// and the colour of its page is kept for the window of a desktop host.
///
/// # Errors
/// [`ThemeError`]; nothing changed then.
pub fn select(
    store: &Store,
    files: &Files,
    data_dir: &DataDir,
    name: &str,
    platform: &str,
) -> Committed<ThemeSelected, ThemeError> {
    let folder = data_dir.themes();
    let installed = stock_themes::install(files, &folder).map_err(ThemeError::Disk);
    installed.map_err(CommitError::Refused)?;
    if !name.is_empty() && !themes::exists(&folder, name) {
        return Err(CommitError::Refused(ThemeError::Unknown));
    }
    store.commit(|draft| choose(draft, name, platform))?;
    if platform.is_empty() {
        let colour = page_colour(&themes::sheet(&folder, name).text);
        let colour = colour.unwrap_or_else(|| PLAIN_PAGE.to_owned());
        let saved = files.replace(&data_dir.native_background(), colour.as_bytes());
        if let Err(error) = saved {
            log::warn!("the colour of the window was not kept: {error}");
        }
    }
    Ok(ThemeSelected { selected: name.to_owned(), platform: platform.to_owned() })
}

fn choose(draft: &mut Draft, name: &str, platform: &str) -> Result<(), ThemeError> {
    if platform.chars().count() > PLATFORM || platform.chars().any(char::is_control) {
        return Err(ThemeError::Platform);
    }
    if platform.is_empty() {
        let set = Map::from_iter([("theme".to_owned(), Value::from(name))]);
        draft.merge_section("settings", set, &[]);
        return Ok(());
    }
    let mappings = read::value(draft.state().settings(), "theme_by_platform");
    let mut mappings = mappings.as_object().cloned().unwrap_or_default();
    if name.is_empty() {
        mappings.remove(platform);
    } else if mappings.len() >= PLATFORMS && !mappings.contains_key(platform) {
        return Err(ThemeError::TooMany);
    } else {
        mappings.insert(platform.to_owned(), name.into());
    }
    let set = Map::from_iter([("theme_by_platform".to_owned(), Value::Object(mappings))]);
    draft.merge_section("settings", set, &[]);
    Ok(())
}
