//! Files by names that are spelled in another case than on disk, as sheets made on other
//! systems spell them.

use std::{
    ffi::OsStr,
    fs,
    path::{Component, Path, PathBuf},
};

use crate::base::text;

/// The path of a file that `named`, a path from `folder` on, means. Where there is no such file, each
/// part of the path may differ from the disk in case, when it fits one entry of its
/// folder alone. Nothing found leaves the path as it is spelled.
pub fn on_disk(folder: &Path, named: &Path) -> PathBuf {
    let spelled = folder.join(named);
    if fs::symlink_metadata(&spelled).is_ok() {
        return spelled;
    }
    let mut found = folder.to_owned();
    for part in named.components() {
        let next = found.join(part);
        found = match part {
            Component::Normal(name) if fs::symlink_metadata(&next).is_err() => {
                match alike(&found, name) {
                    Some(other) => other,
                    None => return spelled,
                }
            }
            _ => next,
        };
    }
    found
}

/// The only entry of a folder whose name differs from this one in case alone.
fn alike(folder: &Path, name: &OsStr) -> Option<PathBuf> {
    let wanted = text::fold(name.to_str()?);
    let entries = fs::read_dir(folder).ok()?.flatten();
    let mut fitting = entries.filter(|entry| {
        entry.file_name().to_str().is_some_and(|name| text::is_folded(name, &wanted))
    });
    let only = fitting.next()?;
    fitting.next().is_none().then(|| only.path())
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "a test makes its own files")]
mod tests {
    use super::*;

    #[test]
    fn a_name_in_another_case_means_the_only_file_it_fits() {
        let guard = tempfile::tempdir().expect("a folder");
        let folder = guard.path();
        fs::create_dir_all(folder.join("Tracks")).expect("made");
        for file in ["track 01.bin", "Tracks/\u{c4}.bin", "Two.bin", "TWO.bin", "Exact", "EXACT"] {
            fs::write(folder.join(file), "x").expect("written");
        }
        for (named, expected) in [
            ("Track 01.BIN", "track 01.bin"),
            ("tracks/\u{e4}.BIN", "Tracks/\u{c4}.bin"),
            ("./TRACKS/../track 01.BIN", "./Tracks/../track 01.bin"),
            ("EXACT", "EXACT"),
            ("two.bin", "two.bin"),
            ("none.bin", "none.bin"),
            ("none/track 01.bin", "none/track 01.bin"),
        ] {
            assert_eq!(on_disk(folder, Path::new(named)), folder.join(expected), "{named}");
        }
    }
}
