//! Whether a path may be used: no symbolic links on the way, strictly inside a root.
//!
//! Reads attributes, never writes. The checks are for paths that came from outside: archives,
//! requests, records made elsewhere.

use std::{
    io,
    path::{Component, Path, PathBuf},
};

/// Why a path was refused.
#[derive(Debug, thiserror::Error)]
pub enum ConfineError {
    /// It is empty, absolute where it must be relative, climbs with `..` or holds a NUL.
    #[error("the path is not a plain path inside its folder")]
    Outside,
    #[error("{} is a symbolic link", path.display())]
    Link {
        /// The link.
        path: PathBuf,
    },
    #[error("failed to examine {}: {source}", path.display())]
    Unreadable {
        /// The part that could not be read.
        path: PathBuf,
        /// The operating system's answer.
        source: io::Error,
    },
}

/// Whether `path` lies below `root` judged by its text: both absolute, no `.` or `..`, and longer.
pub fn is_strictly_inside(root: &Path, path: &Path) -> bool {
    let plain = |path: &Path| {
        path.is_absolute()
            && path
                .components()
                .all(|part| matches!(part, Component::RootDir | Component::Normal(_)))
    };
    plain(root) && plain(path) && path != root && path.starts_with(root)
}

/// Joins a relative path from outside to a root; refuses whatever could lead out of it, also by a
/// symbolic link that stands below the root. Parts that do not exist yet are fine.
pub fn join_inside(root: &Path, relative: &str) -> Result<PathBuf, ConfineError> {
    let plain = Path::new(relative).components().all(|part| matches!(part, Component::Normal(_)));
    if relative.is_empty() || relative.contains('\0') || !plain {
        return Err(ConfineError::Outside);
    }
    let path = root.join(relative);
    refuse_links(path.ancestors(), Some(root))?;
    Ok(path)
}

/// Refuses an absolute path of which any part is a symbolic link; a missing end is fine.
pub fn refuse_link_on_the_way(path: &Path) -> Result<(), ConfineError> {
    if !path.is_absolute() {
        return Err(ConfineError::Outside);
    }
    refuse_links(path.ancestors(), None)
}

/// Refuses a path that does not lie below a root, or of which a part below it is a symbolic link. How the
/// root itself is reached does not count; a missing end is fine.
pub fn refuse_link_below(root: &Path, path: &Path) -> Result<(), ConfineError> {
    match path.strip_prefix(root) {
        Ok(below) if !below.as_os_str().is_empty() => refuse_links(path.ancestors(), Some(root)),
        _ => Err(ConfineError::Outside),
    }
}

fn refuse_links(parts: std::path::Ancestors<'_>, root: Option<&Path>) -> Result<(), ConfineError> {
    for part in parts.take_while(|part| root != Some(*part)) {
        match std::fs::symlink_metadata(part) {
            Ok(stat) if stat.is_symlink() => {
                return Err(ConfineError::Link { path: part.to_owned() });
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(source) => {
                return Err(ConfineError::Unreadable { path: part.to_owned(), source });
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_inside(root: &str, path: &str, expected: bool) {
        assert_eq!(is_strictly_inside(Path::new(root), Path::new(path)), expected, "{path}");
    }

    #[test]
    fn inside_means_below_and_plain() {
        check_inside("/data", "/data/a/b", true);
        check_inside("/data", "/data", false);
        check_inside("/data", "/database/a", false);
        check_inside("/data", "/data/../etc/passwd", false);
        check_inside("/data", "data/a", false);
    }

    #[test]
    fn nothing_from_outside_leads_out() {
        let dir = tempfile::tempdir().expect("a folder");
        let root = dir.path().canonicalize().expect("real");
        std::os::unix::fs::symlink("/etc", root.join("link")).expect("linked");
        for bad in ["", "/etc/passwd", "../x", "a/../../x", "./x", "a\0b"] {
            assert!(matches!(join_inside(&root, bad), Err(ConfineError::Outside)), "{bad:?}");
        }
        assert!(matches!(join_inside(&root, "link/passwd"), Err(ConfineError::Link { .. })));
        assert_eq!(join_inside(&root, "new/file").expect("fine"), root.join("new/file"));
        let linked = root.join("link/passwd");
        assert!(matches!(refuse_link_on_the_way(&linked), Err(ConfineError::Link { .. })));
        assert!(refuse_link_on_the_way(&root.join("missing")).is_ok());
    }

    #[test]
    fn how_a_root_is_reached_does_not_count() {
        let dir = tempfile::tempdir().expect("a folder");
        let top = dir.path().canonicalize().expect("real");
        let data = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(data.path(), top.join("linked")).expect("linked");
        let root = top.join("linked");
        assert!(refuse_link_on_the_way(&root.join("a")).is_err());
        assert!(refuse_link_below(&root, &root.join("a/b")).is_ok());
        std::os::unix::fs::symlink("/etc", root.join("a")).expect("linked");
        let refused = refuse_link_below(&root, &root.join("a/b"));
        assert!(matches!(refused, Err(ConfineError::Link { .. })), "{refused:?}");
        for outside in [&root, &top] {
            let refused = refuse_link_below(&root, outside);
            assert!(matches!(refused, Err(ConfineError::Outside)), "{refused:?}");
        }
    }
}
