//! The folders that settings name: made before the settings are saved, and gone again when that fails.

use std::path::{Path, PathBuf};

use serde_json::{Map, Value};

use crate::{
    config::settings::{
        field_error::{BrokenRule, FieldError},
        table,
    },
    files::Files,
};

/// Folders that were made, each after those above it.
pub(super) struct MadeFolders<'a> {
    files: &'a Files,
    made: Vec<PathBuf>,
}

impl<'a> MadeFolders<'a> {
    /// Makes the missing folders that `changes` name. One that is stored already is left alone: its disk
    /// may be unplugged today.
    ///
    /// # Errors
    /// The first one that the disk refuses; none is left of the others then.
    pub(super) fn make(
        files: &'a Files,
        changes: &Map<String, Value>,
        stored: &Map<String, Value>,
    ) -> Result<Self, FieldError> {
        let mut folders = Self { files, made: Vec::new() };
        for setting in table::made_folders() {
            let value = changes.get(setting.key);
            let Some(value) = value.filter(|value| stored.get(setting.key) != Some(*value)) else {
                continue;
            };
            let path = Path::new(value.as_str().unwrap_or_default());
            let above = path.ancestors().take_while(|part| !part.as_os_str().is_empty());
            let missing: Vec<_> = above.take_while(|part| !part.is_dir()).collect();
            folders.made.extend(missing.into_iter().rev().map(Path::to_owned));
            if let Err(error) = files.private_dir(path) {
                folders.take_back();
                let rule = BrokenRule::NotCreated(error.reason());
                return Err(FieldError { field: setting.key, rule });
            }
        }
        Ok(folders)
    }

    /// Removes them, for as far as nothing was put there.
    pub(super) fn take_back(self) {
        for folder in self.made.iter().rev() {
            if let Err(error) = self.files.remove_empty_dir(folder) {
                log::info!("a folder of settings that were not saved stays: {error}");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn made(changes: Value, stored: Value) -> Result<(), FieldError> {
        let (Value::Object(changes), Value::Object(stored)) = (changes, stored) else {
            panic!("two objects")
        };
        MadeFolders::make(&Files::system(), &changes, &stored).map(drop)
    }

    #[test]
    fn what_is_new_is_made_and_what_is_stored_is_left_alone() {
        let dir = tempfile::tempdir().expect("a folder");
        let (new, known) = (dir.path().join("a/b"), dir.path().join("known"));
        let changes = json!({"libserver_install_dir": new, "save_primary_backup_path": known,
            "cloud_folder": dir.path().join("other")});
        made(changes, json!({"save_primary_backup_path": known})).expect("made");
        assert!(new.is_dir() && !known.exists() && !dir.path().join("other").exists());
        made(json!({"libserver_install_dir": ""}), json!({})).expect("no folder");
    }

    #[test]
    fn of_several_all_or_none_are_made() {
        let dir = tempfile::tempdir().expect("a folder");
        Files::system().replace(&dir.path().join("file"), b"").expect("written");
        let changes = json!({"save_primary_backup_path": dir.path().join("a/b"),
            "libserver_install_dir": dir.path().join("file/c")});
        let error = made(changes, json!({})).expect_err("a file is in the way");
        assert_eq!(error.field, "libserver_install_dir");
        assert!(matches!(error.rule, BrokenRule::NotCreated(_)), "{error}");
        assert!(!dir.path().join("a").exists());
    }
}
