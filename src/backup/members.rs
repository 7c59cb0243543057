//! The rules for the members of an archive, as pure decisions: nothing here opens a file.

use std::collections::HashSet;

use super::error::BackupError;
use crate::base::limits;

/// The entry of one member in the directory of an archive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// Its name; a folder's ends with a slash.
    pub name: String,
    /// Bytes when it is unpacked, as declared.
    pub size: u64,
    /// Unix mode with its file type; 0 when the archive has none.
    pub mode: u32,
}

impl Member {
    /// Whether it is a folder.
    pub fn is_folder(&self) -> bool {
        self.name.ends_with('/')
    }
}

/// Whether a name leads to a place below the folder it is unpacked into, on every system.
pub fn is_safe(name: &str) -> bool {
    let name = name.strip_suffix('/').unwrap_or(name);
    let drive = name.as_bytes().get(1) == Some(&b':');
    !name.contains(['\0', '\\'])
        && !drive
        && name.split('/').all(|part| !matches!(part, "" | "." | ".."))
}

/// Checks a directory as a whole.
///
/// # Errors
/// The first rule that is broken: count, names, duplicates, files that are folders too, kinds, sizes.
pub fn check(members: &[Member], case_sensitive: bool) -> Result<(), BackupError> {
    if members.len() > limits::BACKUP_MEMBERS {
        return Err(BackupError::TooMany);
    }
    if !members.iter().all(|member| is_safe(&member.name)) {
        return Err(BackupError::UnsafeName);
    }
    if has_duplicates(members, case_sensitive) {
        return Err(BackupError::Duplicates);
    }
    if has_nested(members) {
        return Err(BackupError::UnsafeName);
    }
    let regular = |member: &Member| match member.mode & 0o170_000 {
        0 => true,
        0o040_000 => member.is_folder(),
        kind => kind == 0o100_000,
    };
    if !members.iter().all(regular) {
        return Err(BackupError::LinkMember);
    }
    check_sizes(members.iter().map(|member| member.size))
}

/// Whether two members would be unpacked to one place.
pub fn has_duplicates(members: &[Member], case_sensitive: bool) -> bool {
    let mut seen = HashSet::with_capacity(members.len());
    members.iter().any(|member| {
        let name = member.name.trim_end_matches('/');
        !seen.insert(if case_sensitive { name.to_owned() } else { name.to_lowercase() })
    })
}

/// Whether a file is also the folder of another member. Not both can be unpacked.
fn has_nested(members: &[Member]) -> bool {
    let files = members.iter().filter(|member| !member.is_folder());
    let files: HashSet<&str> = files.map(|member| member.name.as_str()).collect();
    members.iter().any(|member| {
        let name = member.name.trim_end_matches('/');
        name.match_indices('/').any(|(end, _)| files.contains(&name[..end]))
    })
}

/// Checks each size and their sum.
///
/// # Errors
/// [`BackupError::MemberTooLarge`] or [`BackupError::TooLarge`].
pub fn check_sizes(sizes: impl Iterator<Item = u64>) -> Result<(), BackupError> {
    let mut total: u64 = 0;
    for size in sizes {
        if size > limits::BACKUP_MEMBER_BYTES {
            return Err(BackupError::MemberTooLarge);
        }
        total = total.saturating_add(size);
        if total > limits::BACKUP_BYTES {
            return Err(BackupError::TooLarge);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, size: u64, mode: u32) -> Member {
        Member { name: name.to_owned(), size, mode }
    }

    #[track_caller]
    fn check_names(names: &[&str], expected: Option<&str>) {
        let members: Vec<_> = names.iter().map(|name| member(name, 1, 0o100_644)).collect();
        let refused = check(&members, false).err().map(|error| error.to_string());
        assert_eq!(refused.as_deref(), expected, "{names:?}");
    }

    #[test]
    fn names_stay_inside_and_apart() {
        let unsafe_name = Some("Backup contains an unsafe path.");
        let duplicates = Some("Backup contains duplicate entries.");
        check_names(&["media/ä b/..c", "media/", "a.b"], None);
        for bad in [
            "", "/", "/etc/x", "../x", "a/../b", "a/..", "./a", "a//b", "a\0b", "a\\b", "C:x",
            "a/./b",
        ] {
            check_names(&["fine", bad], unsafe_name);
        }
        check_names(&["media/a", "media/A"], duplicates);
        check_names(&["media/a", "media/a/"], duplicates);
        check_names(&["media/a", "media/a"], duplicates);
        check_names(&["media/x", "media/x/y"], unsafe_name);
        check_names(&["media/x/y/z/", "media/x/y"], unsafe_name);
        check_names(&["media/x/", "media/x/y", "media/xy"], None);
        let apart = [member("media/a", 1, 0), member("media/A", 1, 0)];
        assert!(check(&apart, true).is_ok());
    }

    #[test]
    fn only_files_and_folders_are_members() {
        for (name, mode, fine) in [
            ("a", 0, true),
            ("a", 0o100_600, true),
            ("a/", 0o040_755, true),
            ("a", 0o040_755, false),
            ("a", 0o120_777, false),
            ("a", 0o020_666, false),
            ("a", 0o060_660, false),
            ("a", 0o010_644, false),
            ("a", 0o140_755, false),
        ] {
            assert_eq!(check(&[member(name, 0, mode)], false).is_ok(), fine, "{mode:o}");
        }
    }

    #[test]
    fn the_caps_are_where_the_contract_says() {
        const GIB: u64 = 1 << 30;
        let of = |sizes: &[u64]| check_sizes(sizes.iter().copied()).map_err(|e| e.to_string());
        assert!(of(&[4 * GIB; 8]).is_ok());
        assert_eq!(of(&[4 * GIB + 1]), Err("Backup member is too large.".into()));
        let mut over = vec![4 * GIB; 8];
        over.push(1);
        assert_eq!(of(&over), Err("Backup expands beyond the allowed size.".into()));
        let many = |count: usize| -> Vec<_> {
            (0..count).map(|number| member(&number.to_string(), 0, 0)).collect()
        };
        assert!(check(&many(50_000), false).is_ok());
        assert!(matches!(check(&many(50_001), false), Err(BackupError::TooMany)));
    }
}
