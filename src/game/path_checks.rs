//! Implements [`clean::Paths`](super::clean::Paths) on the real disk; reads only.

use std::{
    fs,
    path::{Component, Path, PathBuf},
};

use super::clean::{InputError, Paths, refuse};

/// The disk as the checks of a posted game see it.
pub struct DiskPaths<'a> {
    /// The home directory that `~` stands for.
    pub home: &'a Path,
    /// Says whether a media path is approved.
    pub approve_media: &'a dyn Fn(&str) -> bool,
    /// Whether a document may lie there, for a game with the second path.
    pub approve_document: &'a dyn Fn(&str, &str) -> bool,
}

impl Paths for DiskPaths<'_> {
    fn game_file(&self, path: &str) -> Result<String, InputError> {
        let path = absolute(path, self.home)
            .ok_or_else(|| InputError("Game path must be an absolute path.".to_owned()))?;
        if has_symlink(&path) {
            return refuse("Game path may not contain symlinks.");
        }
        match fs::symlink_metadata(&path) {
            Err(_) => refuse("Path must point to an existing local file."),
            Ok(found) if found.is_file() => Ok(shown(&path)),
            Ok(_) => refuse("Game path must be a regular file."),
        }
    }

    fn media_file(&self, path: &str) -> Result<String, InputError> {
        let error = "Media paths must be inside an approved media folder, without symlinks.";
        match absolute(path, self.home).map(|path| shown(&path)) {
            Some(path) if (self.approve_media)(&path) => Ok(path),
            _ => Err(InputError(error.to_owned())),
        }
    }

    fn document_file(&self, path: &str, game: &str) -> Result<(), InputError> {
        if (self.approve_document)(path, game) {
            return Ok(());
        }
        refuse("Document paths must be inside an approved folder, without symlinks.")
    }

    fn absolute(&self, path: &str) -> Result<String, InputError> {
        absolute(path, self.home)
            .map(|path| shown(&path))
            .ok_or_else(|| InputError("Paths must be absolute.".to_owned()))
    }
}

/// Expands `~`, and resolves `.` and `..` by their spelling. `None` for a relative path.
pub fn absolute(path: &str, home: &Path) -> Option<PathBuf> {
    let expanded = match path.strip_prefix('~') {
        Some("") => home.to_path_buf(),
        Some(rest) if rest.starts_with('/') => home.join(rest.trim_start_matches('/')),
        _ => PathBuf::from(path),
    };
    if !expanded.is_absolute() {
        return None;
    }
    let mut normal = PathBuf::from("/");
    for part in expanded.components() {
        match part {
            Component::Normal(name) => normal.push(name),
            Component::ParentDir => {
                normal.pop();
            }
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    Some(normal)
}

/// Whether the path or any folder above it is a symlink.
pub fn has_symlink(path: &Path) -> bool {
    path.ancestors().any(|part| fs::symlink_metadata(part).is_ok_and(|found| found.is_symlink()))
}

/// OK because the path was built from text.
fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn tells_the_four_ways_a_path_is_wrong() {
        let folder = tempfile::tempdir().expect("a folder");
        let folder = folder.path().canonicalize().expect("a real path");
        let file = folder.join("a \"b\"\n.nes");
        fs::File::create(&file).expect("a file");
        symlink(&folder, folder.join("link")).expect("a link");
        let no = (&|_: &str| false, &|_: &str, _: &str| false);
        let paths = DiskPaths { home: &folder, approve_media: no.0, approve_document: no.1 };
        let game = |path: &Path| paths.game_file(&path.to_string_lossy()).map_err(|error| error.0);
        let refused = |text: &str| Err(text.to_owned());
        assert_eq!(game(&file), Ok(shown(&file)));
        assert_eq!(game(&folder.join("x/../a \"b\"\n.nes")), Ok(shown(&file)));
        assert_eq!(game(Path::new("~/a \"b\"\n.nes")), Ok(shown(&file)));
        assert_eq!(game(Path::new("a.nes")), refused("Game path must be an absolute path."));
        assert_eq!(game(&folder), refused("Game path must be a regular file."));
        assert_eq!(
            game(&folder.join("gone")),
            refused("Path must point to an existing local file.")
        );
        assert_eq!(
            game(&folder.join("link/a \"b\"\n.nes")),
            refused("Game path may not contain symlinks.")
        );
        assert!(paths.media_file("/x").is_err() && paths.absolute("x").is_err());
        assert!(paths.document_file("/x", "/").is_err());
    }
}
