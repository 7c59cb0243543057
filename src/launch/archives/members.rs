//! The rules for the members of a game archive, as pure decisions: nothing here opens a file.

use std::collections::HashSet;

use super::error::ArchiveError;
use crate::{base::limits, names::SIDECAR_EXTENSIONS};

/// The name of the receipt in an extracted folder; no member may have it.
pub(super) const RECEIPT: &str = ".complete";

/// The entry of one member in an archive, or its file afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Member {
    /// Its name; that of a folder ends with a slash.
    pub(super) name: String,
    /// Bytes.
    pub(super) size: u64,
    /// Unix mode with its file type; 0 when there is none.
    pub(super) mode: u32,
}

impl Member {
    /// Whether it is a folder.
    pub(super) fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }
}

/// Checks all members together and returns the sum of their bytes.
///
/// # Errors
/// The first rule that is broken: count, names, duplicates, kinds, sizes.
pub(super) fn check(members: &[Member]) -> Result<u64, ArchiveError> {
    if members.len() > limits::ARCHIVE_MEMBERS {
        return Err(ArchiveError::TooMany);
    }
    let mut seen = HashSet::with_capacity(members.len());
    let mut total: u64 = 0;
    for member in members {
        if !is_safe(&member.name) {
            return Err(ArchiveError::UnsafeName);
        }
        if !seen.insert(member.name.trim_end_matches('/')) {
            return Err(ArchiveError::Duplicates);
        }
        let regular = match member.mode & 0o170_000 {
            0 => true,
            0o040_000 => member.is_folder(),
            kind => kind == 0o100_000,
        };
        if !regular {
            return Err(ArchiveError::NotAFile);
        }
        total = total.saturating_add(member.size);
        if member.size > limits::ARCHIVE_MEMBER_BYTES || total > limits::ARCHIVE_BYTES {
            return Err(ArchiveError::TooLarge);
        }
    }
    Ok(total)
}

/// The name of the member that is launched: the wanted one, or else the largest file that is not
/// a picture or a text; of two equal ones the first by name.
///
/// # Errors
/// [`ArchiveError::NoMember`] or [`ArchiveError::Empty`].
pub(super) fn target<'a>(
    files: impl IntoIterator<Item = (&'a str, u64)>,
    wanted: &str,
) -> Result<&'a str, ArchiveError> {
    let mut files = files.into_iter().filter(|(name, _)| !name.ends_with('/'));
    if !wanted.is_empty() {
        let found = files.find(|(name, _)| *name == plain(wanted)).map(|(name, _)| name);
        return found.ok_or_else(|| ArchiveError::NoMember(wanted.to_owned()));
    }
    let is_beside = |name: &str| {
        let ending = name.rsplit_once('.').map_or("", |(_, ending)| ending);
        SIDECAR_EXTENSIONS.iter().any(|each| each.eq_ignore_ascii_case(ending))
    };
    let playable = files.filter(|(name, _)| !is_beside(name));
    let largest = playable.max_by_key(|(name, size)| (*size, std::cmp::Reverse(*name)));
    largest.map(|(name, _)| name).ok_or(ArchiveError::Empty)
}

/// The name of a member without the `./` that some programs begin every name with. Alone it is the folder
/// that everything is extracted to.
pub(super) fn plain(name: &str) -> &str {
    name.strip_prefix("./").filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// Whether a name leads to a place below the folder it is extracted to, on every system.
fn is_safe(name: &str) -> bool {
    if name == "./" {
        return true;
    }
    let name = name.strip_suffix('/').unwrap_or(name);
    let drive = name.as_bytes().get(1) == Some(&b':');
    !name.contains(['\0', '\\'])
        && !drive
        && name != RECEIPT
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, size: u64, mode: u32) -> Member {
        Member { name: name.to_owned(), size, mode }
    }

    fn text(outcome: Result<u64, ArchiveError>) -> Result<u64, String> {
        outcome.map_err(|error| error.to_string())
    }

    #[test]
    fn names_stay_inside_and_apart() {
        let fine = [member("a/", 0, 0o040_755), member("a/b c.bin", 5, 0o100_644)];
        assert_eq!(text(check(&fine)), Ok(5));
        for bad in [
            "",
            "/",
            "/etc/x",
            "../x",
            "a/../b",
            "a/..",
            "./a",
            "a//b",
            "a\0b",
            "a\\b",
            "C:x",
            ".complete",
        ] {
            let refused = text(check(&[member("fine", 1, 0), member(bad, 1, 0)]));
            assert_eq!(refused, Err("The archive contains an unsafe path.".into()), "{bad:?}");
        }
        for twice in ["a", "a/"] {
            let refused = text(check(&[member("a", 1, 0), member(twice, 1, 0)]));
            assert_eq!(refused, Err("The archive contains duplicate entries.".into()));
        }
    }

    #[test]
    fn names_that_begin_with_the_folder_itself_are_plain_ones() {
        for (name, expected) in [("./a", "a"), ("./a/", "a/"), ("./", "./"), ("a/./b", "a/./b")] {
            assert_eq!(plain(name), expected);
        }
        let names = ["./", "./a.nes"].map(|name| member(plain(name), 1, 0));
        assert_eq!(text(check(&names)), Ok(2));
        check_target(&[("a.nes", 1)], "./a.nes", "a.nes");
    }

    #[test]
    fn only_files_and_folders_are_members() {
        for (name, mode, fine) in [
            ("a", 0, true),
            ("a", 0o100_755, true),
            ("a/", 0o040_755, true),
            ("a", 0o040_755, false),
            ("a", 0o120_777, false),
            ("a", 0o020_666, false),
            ("a", 0o010_644, false),
        ] {
            assert_eq!(check(&[member(name, 0, mode)]).is_ok(), fine, "{mode:o}");
        }
    }

    #[test]
    fn limits_hold_at_the_edge_and_not_past_it() {
        const GIB: u64 = 1 << 30;
        let sizes = |sizes: &[u64]| {
            let name = |at: usize| at.to_string();
            let members: Vec<_> =
                sizes.iter().enumerate().map(|(at, size)| member(&name(at), *size, 0)).collect();
            check(&members)
        };
        assert!(sizes(&[2 * GIB; 4]).is_ok());
        assert!(matches!(sizes(&[2 * GIB + 1]), Err(ArchiveError::TooLarge)));
        assert!(matches!(
            sizes(&[2 * GIB, 2 * GIB, 2 * GIB, 2 * GIB, 1]),
            Err(ArchiveError::TooLarge)
        ));
        assert!(matches!(sizes(&[u64::MAX, u64::MAX]), Err(ArchiveError::TooLarge)));
        assert!(sizes(&vec![0; 25_000]).is_ok());
        assert!(matches!(sizes(&vec![0; 25_001]), Err(ArchiveError::TooMany)));
    }

    #[track_caller]
    fn check_target(files: &[(&str, u64)], wanted: &str, expected: &str) {
        let found = target(files.iter().copied(), wanted).map(str::to_owned);
        assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected);
    }

    #[test]
    fn the_game_is_the_largest_file_or_the_wanted_one() {
        let files = [("a/", 0), ("a/read.TXT", 99), ("a/x.nes", 5), ("a/cover.png", 50), ("b", 5)];
        check_target(&files, "", "a/x.nes");
        check_target(&files, "b", "b");
        check_target(&files, "a/read.TXT", "a/read.TXT");
        check_target(&files, "a/", "Archive member not found: a/");
        check_target(&files, "../b", "Archive member not found: ../b");
        check_target(&files[..2], "", "No launchable file was found in the archive.");
        check_target(&[], "", "No launchable file was found in the archive.");
    }
}
